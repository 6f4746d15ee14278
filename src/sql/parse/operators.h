/* SPDX-License-Identifier: Apache-2.0
 * operators.h - the one table of binding powers, used by the parser and by deparse; PostgreSQL's order.
 *
 * Steps to add an operator: a sign that is not listed binds like POWER_OTHER and needs no row. */
#pragma once
#include "base/str.h"

typedef enum Power {
    POWER_NONE, POWER_OR, POWER_AND, POWER_NOT, POWER_IS, POWER_COMPARE, POWER_PREDICATE, POWER_OTHER, POWER_ADD, POWER_MULTIPLY,
    POWER_POWER, POWER_AT, POWER_COLLATE, POWER_UNARY, POWER_PRIMARY
} Power;

typedef struct OperatorRow { Str text; uint8_t power; } OperatorRow;

static const OperatorRow operator_rows[] = {
    {{"=", 1}, POWER_COMPARE},  {{"<", 1}, POWER_COMPARE},  {{">", 1}, POWER_COMPARE}, {{"<=", 2}, POWER_COMPARE},
    {{">=", 2}, POWER_COMPARE}, {{"<>", 2}, POWER_COMPARE}, {{"!=", 2}, POWER_COMPARE}, {{"+", 1}, POWER_ADD},
    {{"-", 1}, POWER_ADD},      {{"*", 1}, POWER_MULTIPLY}, {{"/", 1}, POWER_MULTIPLY}, {{"%", 1}, POWER_MULTIPLY},
    {{"^", 1}, POWER_POWER},
};

static inline Power operator_power(Str text) {
    if (text.len > 2) {
        return POWER_OTHER;
    }
    for (size_t i = 0; i < COUNT_OF(operator_rows); i++) {
        if (str_equal(operator_rows[i].text, text)) {
            return (Power)operator_rows[i].power;
        }
    }
    return POWER_OTHER;
}
