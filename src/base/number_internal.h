/* SPDX-License-Identifier: Apache-2.0
 * number_internal.h - what the files of number share. */
#pragma once
#include "base/compiler.h"

enum { SHORT_DIGITS_MAX = 20 }; /* 17 are needed; format_uint64 writes up to 20 */

/* d.ddd x 10^exponent: digits without a zero at the end (but for "0" itself), the first of them not '0' */
typedef struct ShortDecimal {
    char digits[SHORT_DIGITS_MAX];
    int count, exponent;
} ShortDecimal;

/* value is finite and > 0. Of the shortest decimals that read back as value, the one closest to it. strict: a decimal that lies exactly
 * between two doubles does not count as either (PostgreSQL); else it does where reading it rounds to this one (Java, even last bit). */
void number__shortest_double(double value, bool strict, ShortDecimal *out);
void number__shortest_float(float value, bool strict, ShortDecimal *out);
