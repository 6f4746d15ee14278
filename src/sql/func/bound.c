/* SPDX-License-Identifier: Apache-2.0
 * bound.c - functions that have no name: calls that the binder makes of syntax. */
#include "sql/func/func_internal.h"

const Function *function_bound(BoundFunction which) {
    static const Function rows[] = {
        [BOUND_QUANTIFIED] = {"any", {ARG_ANY, ARG_ARRAY, ARG_END}, 2, TYPE_BOOL, FN_FAILS | FN_EXPENSIVE | FN_NOT_STRICT | FN_BOUND, func__quantified, NULL, NULL, NULL, NULL},
        [BOUND_ARRAY] = {"array", {ARG_ELEMENT, ARG_END}, 1, ARG_ARRAY, FN_FAILS | FN_NOT_STRICT | FN_VARIADIC, func__array_make, NULL, NULL, NULL, NULL},
        [BOUND_SUBSCRIPT] = {"subscript", {ARG_ARRAY, TYPE_INT4, ARG_END}, 2, ARG_ELEMENT, FN_FAILS | FN_NOT_STRICT | FN_VARIADIC, func__array_subscript, NULL, NULL, NULL, NULL},
        [BOUND_SLICE] = {"slice", {ARG_ARRAY, TYPE_INT4, ARG_END}, 2, ARG_ARRAY, FN_FAILS | FN_NOT_STRICT | FN_VARIADIC, func__array_slice, NULL, NULL, NULL, NULL},
        [BOUND_ASSIGN] = {"array assign", {ARG_ARRAY, ARG_ELEMENT, TYPE_INT4, ARG_END}, 3, ARG_ARRAY, FN_FAILS | FN_NOT_STRICT | FN_VARIADIC, func__array_assign, NULL, NULL, NULL, NULL},
        [BOUND_ASSIGN_SLICE] = {"array assign slice", {ARG_ARRAY, ARG_ARRAY, TYPE_INT4, ARG_END}, 3, ARG_ARRAY, FN_FAILS | FN_NOT_STRICT | FN_VARIADIC, func__array_assign_slice, NULL, NULL, NULL, NULL},
        [BOUND_ROW] = {"row", {ARG_ANY, ARG_END}, 1, TYPE_RECORD, FN_NOT_STRICT | FN_VARIADIC | FN_FAILS, func__row_make, NULL, NULL, NULL, NULL},
        [BOUND_DOMAIN] = {"domain", {ARG_ANY, ARG_END}, 1, ARG_ANY, FN_FAILS | FN_NOT_STRICT | FN_BOUND, func__domain_failure, NULL, NULL, NULL, NULL},
        [BOUND_FIELD] = {"field", {TYPE_RECORD, TYPE_INT4, ARG_END}, 2, ARG_ANY, FN_FAILS | FN_NOT_STRICT, func__row_field, NULL, NULL, NULL, NULL},
    };
    assert((size_t)which < COUNT_OF(rows));
    return &rows[which];
}
