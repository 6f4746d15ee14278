/* SPDX-License-Identifier: Apache-2.0
 * numeric_internal.h - 256-bit intermediates of numeric multiplication, division and comparison. */
#pragma once
#include "base/compiler.h"

typedef struct Uint256 {
    Uint128 high, low;
} Uint256;

Uint256 numeric__multiply(Uint128 a, Uint128 b);
/* a / b; b != 0 */
Uint256 numeric__divide(Uint256 a, Uint128 b, Uint128 *remainder_out);
/* *value * 10; false if it does not fit */
bool numeric__times_ten(Uint256 *value);
int numeric__compare(Uint256 a, Uint256 b);
