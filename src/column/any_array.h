/* SPDX-License-Identifier: Apache-2.0
 * any_array.h - arrays of any element type (ARRAY, INT2VECTOR, OIDVECTOR) as one serialised byte value.
 *
 * Layout: u8 dims | u8 has_nulls | u8 element TypeId | u8 0 | (u32 length, i32 lower bound) per dimension | [bitmap of nulls, 1 = NULL]
 *         | values row-major, packed: fixed width (value_bytes.h), or u32 end offset per value, then all bytes. An empty array has dims 0.
 * Why:    random access in both cases, no pointer inside, so that storage, sorting and hashing take it as any text.
 * Invariants: at most 6 dimensions, as PostgreSQL; the product of the lengths is the number of values. */
#pragma once
#include "column/value_bytes.h"
#include "column/value_text.h"

enum { ANY_ARRAY_DIMS_MAX = 6, ANY_ARRAY_VALUES_MAX = 134217727 };

typedef struct AnyArray AnyArray;
struct AnyArray {
    uint8_t element;                         /* TypeId */
    uint8_t dims;
    uint32_t count;
    uint32_t lengths[ANY_ARRAY_DIMS_MAX];
    int32_t lowers[ANY_ARRAY_DIMS_MAX];
    const uint8_t *nulls;                    /* NULL: none */
    const uint8_t *ends;                     /* PHYS_STR elements */
    const uint8_t *values;
    uint32_t width;
};

NODISCARD ErrorCode any_array_view(Str bytes, AnyArray *array_out, Error *err); /* checks all; ERR_DAMAGED */
bool any_array_is_null(const AnyArray *array, uint32_t index);
void any_array_value(const AnyArray *array, uint32_t index, AnyValue *value_out); /* index < count, not NULL */
int any_array_compare(const AnyArray *a, const AnyArray *b);   /* PostgreSQL's order: values (NULL largest), then count, then shape */
uint64_t any_array_hash(const AnyArray *array);

/* Building: values one by one in row-major order, then the shape. */
typedef struct AnyArrayBuilder AnyArrayBuilder;
struct AnyArrayBuilder {
    TypeId element;
    uint32_t count;
    bool has_nulls;
    Buffer nulls, ends, values;
};
void any_array_begin(AnyArrayBuilder *builder, TypeId element, size_t limit_bytes);
void any_array_add(AnyArrayBuilder *builder, const void *value);   /* NULL pointer: SQL NULL. BOOL: one byte */
void any_array_add_from(AnyArrayBuilder *builder, const AnyArray *array, uint32_t index);
/* Appends the array's bytes to out. dims 0: one dimension from 1 on (or empty). ERR_PROGRAM_LIMIT, ERR_TOO_LARGE. */
NODISCARD ErrorCode any_array_end(const AnyArrayBuilder *builder, uint8_t dims, const uint32_t *lengths, const int32_t *lowers, Buffer *out, Error *err);
void any_array_abandon(AnyArrayBuilder *builder);                  /* frees; after any_array_end too */

/* ---- text ---- */
/* Elements are read by the caller: adds the value of the text (or NULL) to the builder. */
typedef ErrorCode (*AnyArrayRead)(void *context, Str text, AnyArrayBuilder *builder, Error *err);
NODISCARD ErrorCode any_array_parse(Str text, TypeId element, AnyArrayRead read, void *context, Buffer *out, Error *err);
void any_array_format(const AnyArray *array, const TextStyle *style, Buffer *out);
void any_vector_format(const AnyArray *array, const TextStyle *style, Buffer *out); /* int2vector, oidvector: "1 2 3" */
