/* SPDX-License-Identifier: Apache-2.0
 * array_internal.h - shared by the functions of arrays of any type. */
#pragma once
#include "column/any_array.h"
#include "column/value_rules.h"
#include "sql/func/func_internal.h"

enum { ARRAY_RESULT_BYTES_MAX = 1 << 30 };

/* The array of argument `number` at row, which is not NULL. */
static inline ErrorCode array__arg(const KernelCall *call, size_t number, size_t row, AnyArray *array_out, Error *err) {
    return func__array_view(call->args[number]->type, vector_text(call->args[number], row), call->arena, array_out, err);
}
/* Element type of the result or of an argument. */
static inline TypeId array__element(Type array) {
    return (TypeId)type_element(array).id == TYPE_DECIMAL8 || (TypeId)type_element(array).id == TYPE_DECIMAL16 ? TYPE_NUMERIC : (TypeId)type_element(array).id;
}
/* Equal as IS NOT DISTINCT FROM; value NULL = SQL NULL. */
bool array__element_is(const AnyArray *array, uint32_t index, const void *value);
