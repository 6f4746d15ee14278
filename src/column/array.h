/* SPDX-License-Identifier: Apache-2.0
 * array.h - double[] as one serialised byte value: u8 dims | u32 length per dim (LE) | float64 values row-major (LE, unaligned).
 * An empty array has dims 0. At most 32 dims. */
#pragma once
#include "base/memory.h"
#include "column/types.h"

enum { ARRAY_DIMS_MAX = 32, ARRAY_VALUES_MAX = 10000000 };
typedef struct ArrayView { const uint8_t *values; uint32_t count; uint8_t dims; uint32_t lengths[ARRAY_DIMS_MAX]; } ArrayView;
NODISCARD ErrorCode array_view(Str bytes, ArrayView *view_out, Error *err);  /* checks the bytes; ERR_DAMAGED */
double array_value(const ArrayView *view, uint32_t index);
NODISCARD ErrorCode array_parse_text(Str text, Buffer *out, Error *err);     /* "{1,2}", "[1,2]", "{{1,2},{3,4}}", "ARRAY[1,2]" */
void array_format_text(const ArrayView *view, char open, char close, Buffer *out); /* '{','}' PostgreSQL; '[',']' JSON */
