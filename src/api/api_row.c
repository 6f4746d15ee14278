/* SPDX-License-Identifier: Apache-2.0
 * api_row.c - the row at hand of a statement and its values one by one.
 *
 * Tests: test/unit/api/test_api.c */
#include "api/api_internal.h"
#include <math.h>

static BasaltResult next_batch(BasaltStatement *s) {
    Error err = {.position = ERROR_NO_POSITION};
    s->row = -1;
    arena_reset(&s->batch_arena);
    BasaltResult result = basalt_step(s, NULL);
    if (result != BASALT_ROW) {
        return result;
    }
    for (uint16_t i = 0; i < s->batch->column_count; i++) {
        if (vector_dense(&s->batch->columns[i], &s->batch_arena, &err) != ERR_OK) {
            return api__fail(s->connection, &err);
        }
    }
    return BASALT_ROW;
}

BasaltResult basalt_row(BasaltStatement *s) {
    for (;;) {
        while (s->batch != NULL && ++s->row < s->batch->row_count) {
            if (s->batch->live == NULL || bit_get(s->batch->live, (size_t)s->row)) {
                return BASALT_ROW;
            }
        }
        BasaltResult result = next_batch(s);
        if (result != BASALT_ROW) {
            return result;
        }
    }
}

static const Vector *vector_at(const BasaltStatement *s, uint32_t column) {
    assert(column < s->column_count);
    assert(s->batch != NULL);
    assert(s->row >= 0);
    return &s->batch->columns[column];
}

bool basalt_is_null(const BasaltStatement *s, uint32_t column) {
    return vector_is_null(vector_at(s, column), (size_t)s->row);
}

bool basalt_bool(const BasaltStatement *s, uint32_t column) {
    const Vector *vector = vector_at(s, column);
    return type_physical(vector->type.id) == PHYS_BIT ? vector_bool(vector, (size_t)s->row) : basalt_int64(s, column) != 0;
}

static double numeric_value(const Vector *vector, size_t row) {
    return numeric_to_double(vector_numeric(vector, row));
}

double basalt_double(const BasaltStatement *s, uint32_t column) {
    const Vector *vector = vector_at(s, column);
    size_t row = (size_t)s->row;
    if (vector_is_null(vector, row)) {
        return NAN;
    }
    switch (vector->type.id) {
    case TYPE_FLOAT4:
        return (double)*(const float *)vector_value(vector, row);
    case TYPE_FLOAT8:
        return *(const double *)vector_value(vector, row);
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        return numeric_value(vector, row);
    default:
        return (double)basalt_int64(s, column);
    }
}

/* A double cut to the range of int64; NaN is 0. */
static int64_t cut(double value) {
    if (isnan(value)) {
        return 0;
    }
    if (value >= 9223372036854775807.0) {
        return INT64_MAX;
    }
    return value <= -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

int64_t basalt_int64(const BasaltStatement *s, uint32_t column) {
    const Vector *vector = vector_at(s, column);
    size_t row = (size_t)s->row;
    if (vector_is_null(vector, row)) {
        return 0;
    }
    if (type_category(vector->type.id) == CAT_NUMBER && !type_is_integer(vector->type.id)) {
        return cut(basalt_double(s, column));
    }
    switch (type_physical(vector->type.id)) {
    case PHYS_BIT:
        return vector_bool(vector, row);
    case PHYS_8:
        return *(const int8_t *)vector_value(vector, row);
    case PHYS_16:
        return *(const int16_t *)vector_value(vector, row);
    case PHYS_32:
        return *(const int32_t *)vector_value(vector, row);
    case PHYS_64:
        return *(const int64_t *)vector_value(vector, row);
    default:
        return 0;
    }
}

const char *basalt_text(BasaltStatement *s, uint32_t column, size_t *len_out) {
    const Vector *vector = vector_at(s, column);
    Buffer *out = &s->texts[column];
    buffer_clear(out);
    if (!vector_is_null(vector, (size_t)s->row)) {
        (void)pg_text_value(vector, (size_t)s->row, &(TextStyle){.full_nanos = true, .names = statement_oid_names(s->statement)}, out);
    }
    size_t len = out->len;
    buffer_append_char(out, '\0');
    if (len_out != NULL) {
        *len_out = len;
    }
    return (const char *)out->data;
}
