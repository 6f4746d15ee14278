/* SPDX-License-Identifier: Apache-2.0
 * number_shortest.c - the shortest digits of a double or float. */
#include "base/number_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void from_text(const char *text, ShortDecimal *out) {
    out->count = 0;
    const char *p = text;
    for (; *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9') {
            out->digits[out->count++] = *p;
        }
    }
    out->exponent = atoi(p + 1);
    while (out->count > 1 && out->digits[out->count - 1] == '0') {
        out->count--;
    }
}

void number__shortest_double(double value, bool strict, ShortDecimal *out) {
    (void)strict;
    char text[40];
    for (int precision = 14; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    from_text(text, out);
}

void number__shortest_float(float value, bool strict, ShortDecimal *out) {
    (void)strict;
    char text[40];
    for (int precision = 5; precision <= 8; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, (double)value);
        if (strtof(text, NULL) == value) {
            break;
        }
    }
    from_text(text, out);
}
