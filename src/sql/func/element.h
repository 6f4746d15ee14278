/* SPDX-License-Identifier: Apache-2.0
 * element.h - values on their way into and out of arrays and records; shared by functions, casts and aggregates. */
#pragma once
#include "base/numeric.h"
#include "column/any_array.h"
#include "sql/func/func.h"

/* Bytes of any array type, double[] too, as elements; what it points to lies in the bytes or in arena. */
NODISCARD ErrorCode func__array_view(Type type, Str bytes, Arena *arena, AnyArray *array_out, Error *err);
NODISCARD ErrorCode func__interval_divide(Interval a, double divisor, Interval *out, Error *err); /* as interval / float8; divisor is not 0 */
NODISCARD ErrorCode func__numeric_root(Numeric x, int16_t scale, Numeric *out, Error *err); /* square root of x >= 0 with so many places */
/* ---- elements of arrays and fields of rows ---- */
/* The value at row as arrays and records hold it (SYMBOL as text, DECIMAL as NUMERIC); NULL pointer: SQL NULL. Lives as room and vector do. */
const void *func__element(const Vector *vector, size_t row, AnyValue *room);
void func__put_element(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, uint32_t index);
/* Ends the builder and writes the array at row; frees the builder in any case. dims 0: one dimension from 1 on. The builder's limit holds for
 * the whole array. */
NODISCARD ErrorCode func__put_array(const KernelCall *call, Vector *out, size_t row, AnyArrayBuilder *builder, uint8_t dims, const uint32_t *lengths,
                                    const int32_t *lowers, Error *err);
void func__put_value(const KernelCall *call, Vector *out, size_t row, const AnyValue *value); /* copies texts */
/* Adds all of `array` as the next part of an array with one more dimension; shape: that of the parts, kept from the first. */
NODISCARD ErrorCode func__array_stack_add(AnyArrayBuilder *builder, AnyArray *shape, const AnyArray *array, Error *err);

