/* SPDX-License-Identifier: Apache-2.0
 * collect.c - aggregates that keep their values: string_agg, array_agg, median and percentiles.
 *
 * Invariants: string_agg and array_agg are serial (rows come in source order), so their merge only appends. The values of a
 *             percentile are sorted at the end, hence the order does not matter. */
#include "sql/func/aggregate/aggregate_internal.h"
#include "sql/func/element.h"
#include "column/any_array.h"
#include "column/array.h"
#include <stdlib.h>

/* Bytes that grow in the states' arena; what is outgrown stays there until the arena goes. */
typedef struct Bytes16 { uint8_t *data; size_t len, capacity; uint64_t count; } Bytes16;
_Static_assert(sizeof(Bytes16) == 32, "states are multiples of 16 bytes");
enum { COLLECT_BYTES_MAX = 1 << 30 };

static ErrorCode bytes_append(Bytes16 *bytes, const void *data, size_t len, Arena *arena, Error *err) {
    if (bytes->len + len > bytes->capacity) {
        size_t capacity = MAX_OF(MAX_OF(bytes->capacity * 2, bytes->len + len), (size_t)64);
        if (capacity > (size_t)COLLECT_BYTES_MAX * 2) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "aggregate holds more than %d bytes", COLLECT_BYTES_MAX);
        }
        uint8_t *wider = arena_alloc_aligned(arena, capacity, 16);
        if (bytes->len > 0) {
            memcpy(wider, bytes->data, bytes->len);
        }
        bytes->data = wider;
        bytes->capacity = capacity;
    }
    if (len > 0) {
        memcpy(bytes->data + bytes->len, data, len);
    }
    bytes->len += len;
    return ERR_OK;
}

/* ---- string_agg(text, separator) ---- */
static ErrorCode string_step(Bytes16 *state, const AggregateCall *call, size_t row, Error *err) {
    Str text = vector_text(call->args[0], row);
    if (state->count > 0 && !vector_is_null(call->args[1], row)) {
        Str separator = vector_text(call->args[1], row);
        TRY(bytes_append(state, separator.data, separator.len, call->arena, err));
    }
    state->count++;
    return bytes_append(state, text.data, text.len, call->arena, err);
}
FAILING_LOOPS(string, Bytes16, take_word, string_step)

MERGE(append_merge) {
    Bytes16 *into = into_pointer;
    const Bytes16 *from = from_pointer;
    into->count += from->count;
    return bytes_append(into, from->data, from->len, arena, err);
}

FINISH(string_finish) {
    const Bytes16 *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
    } else {
        ((StrRef *)vector_data(out))[row] = strref_make(state->len == 0 ? "" : (const char *)state->data, state->len);
    }
    return ERR_OK;
}

/* ---- array_agg(float8) ---- */
static uint64_t every_word(const AggregateCall *call, size_t w) {
    return call->rows[w];
}

static ErrorCode array_step(Bytes16 *state, const AggregateCall *call, size_t row, Error *err) {
    double value = __builtin_nan("");
    if (!vector_is_null(call->args[0], row)) {
        memcpy(&value, vector_value(call->args[0], row), sizeof value);
    }
    if (++state->count > ARRAY_VALUES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array has more than %d values", ARRAY_VALUES_MAX);
    }
    return bytes_append(state, &value, sizeof value, call->arena, err);
}
FAILING_LOOPS(array, Bytes16, every_word, array_step)

FINISH(array_finish) {
    const Bytes16 *state = pointer;
    if (state->count == 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    size_t bytes = 5 + state->len;
    uint8_t *data = arena_alloc_aligned(arena, bytes, 16);
    data[0] = 1;
    put_u32le(data + 1, (uint32_t)state->count);
    memcpy(data + 5, state->data, state->len);
    ((StrRef *)vector_data(out))[row] = strref_make((const char *)data, bytes);
    return ERR_OK;
}

/* ---- array_agg of any type: u32 length (UINT32_MAX: NULL) and the value's bytes, one after another ---- */
static TypeId stored_type(TypeId type) {
    return type == TYPE_DECIMAL8 || type == TYPE_DECIMAL16 ? TYPE_NUMERIC : type == TYPE_SYMBOL ? TYPE_TEXT : type;
}

static ErrorCode any_step(Bytes16 *state, const AggregateCall *call, size_t row, Error *err) {
    AnyValue room;
    Buffer bytes;
    uint8_t length[4];
    const void *value = func__element(call->args[0], row, &room);
    if (++state->count > ANY_ARRAY_VALUES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ANY_ARRAY_VALUES_MAX);
    }
    if (value == NULL) {
        put_u32le(length, UINT32_MAX);
        return bytes_append(state, length, sizeof length, call->arena, err);
    }
    TypeId type = stored_type((TypeId)call->args[0]->type.id);
    if (type_physical(type) == PHYS_STR) {
        Str text = strref_str(value);
        put_u32le(length, (uint32_t)text.len);
        TRY(bytes_append(state, length, sizeof length, call->arena, err));
        return bytes_append(state, text.data, text.len, call->arena, err);
    }
    put_u32le(length, (uint32_t)value_bytes_width(type));
    TRY(bytes_append(state, length, sizeof length, call->arena, err));
    buffer_init(&bytes, 64);
    value_bytes_put(type, value, &bytes);
    ErrorCode code = bytes_append(state, bytes.data, bytes.len, call->arena, err);
    buffer_deinit(&bytes);
    return code;
}
FAILING_LOOPS(any, Bytes16, every_word, any_step)

/* Arrays of one shape become an array of one dimension more. */
static ErrorCode stack_part(AnyArrayBuilder *builder, AnyArray *shape, const void *value, Error *err) {
    AnyArray part;
    if (value == NULL) {
        return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "cannot accumulate null arrays");
    }
    TRY(any_array_view(strref_str(value), &part, err));
    if (part.count == 0) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "cannot accumulate empty arrays");
    }
    if (builder->count > 0 && (part.dims != shape->dims || memcmp(part.lengths, shape->lengths, part.dims * sizeof part.lengths[0]) != 0)) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "cannot accumulate arrays of different dimensionality");
    }
    return func__array_stack_add(builder, shape, &part, err);
}

static ErrorCode collect(const Bytes16 *state, bool stacked, AnyArrayBuilder *builder, Buffer *out, Error *err) {
    AnyArray shape = {0};
    AnyValue value;
    for (size_t at = 0; at < state->len;) {
        uint32_t length = get_u32le(state->data + at);
        bool null = length == UINT32_MAX;
        at += 4;
        if (!null) {
            value_bytes_get(stacked ? TYPE_TEXT : builder->element, bytes_from(state->data + at, length), &value);
            at += length;
        }
        if (stacked) {
            TRY(stack_part(builder, &shape, null ? NULL : value.bytes, err));
        } else {
            any_array_add(builder, null ? NULL : value.bytes);
        }
    }
    uint32_t lengths[ANY_ARRAY_DIMS_MAX + 1] = {(uint32_t)state->count};
    memcpy(lengths + 1, shape.lengths, shape.dims * sizeof lengths[0]);
    return any_array_end(builder, stacked ? (uint8_t)(shape.dims + 1) : 0, stacked ? lengths : NULL, NULL, out, err);
}

static ErrorCode any_result(const Bytes16 *state, bool stacked, Vector *out, size_t row, Arena *arena, Error *err) {
    AnyArrayBuilder builder;
    Buffer bytes;
    if (state->count == 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    any_array_begin(&builder, (TypeId)out->type.precision, COLLECT_BYTES_MAX);
    buffer_init(&bytes, COLLECT_BYTES_MAX);
    ErrorCode code = collect(state, stacked, &builder, &bytes, err);
    if (code == ERR_OK) {
        Str copy = arena_str(arena, buffer_str(&bytes));
        ((StrRef *)vector_data(out))[row] = strref_make(copy.data, copy.len);
    }
    any_array_abandon(&builder);
    buffer_deinit(&bytes);
    return code;
}

FINISH(any_finish) {
    return any_result(pointer, false, out, row, arena, err);
}

FINISH(stacked_finish) {
    return any_result(pointer, true, out, row, arena, err);
}

static Type array_of_first(const Type *arg_types, uint16_t arg_count) {
    (void)arg_count;
    return type_array(arg_types[0]);
}

/* ---- percentiles ---- */
static ErrorCode value_step(Bytes16 *state, const AggregateCall *call, size_t row, Error *err) {
    double value = ((const double *)call->args[0]->data)[value_index(call->args[0], row)];
    state->count++;
    return bytes_append(state, &value, sizeof value, call->arena, err);
}
FAILING_LOOPS(value, Bytes16, take_word, value_step)

static int compare_doubles(const void *a, const void *b) {
    double x;
    double y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return double_compare(x, y);
}

/* Linear between the two nearest ranks, as percentile_cont. A negative fraction stands for NULL. */
static ErrorCode percentile(const Bytes16 *state, double fraction, Vector *out, size_t row, Arena *arena) {
    if (state->count == 0 || fraction < 0) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    double *values = arena_alloc_aligned(arena, state->len, 16);
    memcpy(values, state->data, state->len);
    qsort(values, state->count, sizeof *values, compare_doubles);
    double rank = fraction * (double)(state->count - 1);
    size_t low = (size_t)rank;
    size_t high = MIN_OF(low + 1, (size_t)state->count - 1);
    double part = rank - (double)low;
    result_float8(out, row, part == 0 ? values[low] : values[low] + (values[high] - values[low]) * part);
    return ERR_OK;
}

FINISH(median_finish) {
    return percentile(pointer, 0.5, out, row, arena);
}

static ErrorCode fraction_prepare(const PrepareCall *call, const void **prepared_out, Error *err) {
    double *fraction = arena_array(call->arena, double, 2);
    const Vector *given = call->arg_count > 1 ? call->constants[1] : NULL;
    if (given == NULL) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "the percentile must be a constant");
    }
    *prepared_out = fraction;
    if (vector_is_null(given, 0)) {
        *fraction = -1;
        return ERR_OK;
    }
    memcpy(fraction, vector_value(given, 0), sizeof *fraction);
    if (!(*fraction >= 0 && *fraction <= 1)) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "percentile %g is not between 0 and 1", *fraction);
    }
    return ERR_OK;
}

FINISH(percentile_finish) {
    return percentile(pointer, *(const double *)prepared, out, row, arena);
}

#define STRING_ROW(row_name, extra, answer_text)                                                                       \
    {.name = row_name, .args = {TYPE_TEXT, TYPE_TEXT}, .arg_count = 2, .result = TYPE_TEXT,                            \
     .flags = AGG_ORDERED | AGG_SERIAL | AGG_TEXT_STATE | AGG_CONSTANT_TAIL | (extra), .state_bytes = sizeof(Bytes16), \
     .update = string_update, .update_groups = string_groups, .merge = append_merge, .finish = string_finish,          \
     .example = "SELECT " row_name "(x, ',') FROM (VALUES ('a'), ('b'), ('b')) t(x)", .answer = answer_text}
#define MEDIAN_ROW(row_name)                                                                                           \
    {.name = row_name, .args = {TYPE_FLOAT8}, .arg_count = 1, .result = TYPE_FLOAT8, .flags = AGG_TEXT_STATE, .state_bytes = sizeof(Bytes16), \
     .update = value_update, .update_groups = value_groups, .merge = append_merge, .finish = median_finish,            \
     .example = "SELECT " row_name "(x::float8) FROM (VALUES (1), (2), (4)) t(x)", .answer = "2"}
#define PERCENTILE_ROW(row_name)                                                                                       \
    {.name = row_name, .args = {TYPE_FLOAT8, TYPE_FLOAT8}, .arg_count = 2, .result = TYPE_FLOAT8, .flags = AGG_TEXT_STATE | AGG_CONSTANT_TAIL, \
     .state_bytes = sizeof(Bytes16), .prepare = fraction_prepare, .update = value_update, .update_groups = value_groups, \
     .merge = append_merge, .finish = percentile_finish,                                                               \
     .example = "SELECT " row_name "(x::float8, 0.5) FROM (VALUES (1), (2), (4)) t(x)", .answer = "2"}

#define ANY_ROW(argument, finish_call, example_text, answer_text)                                                      \
    {.name = "array_agg", .args = {argument}, .arg_count = 1, .result = TYPE_ARRAY, .result_type = array_of_first,     \
     .flags = AGG_POSTGRES | AGG_ORDERED | AGG_SERIAL | AGG_TEXT_STATE | AGG_COUNT_NULLS, .state_bytes = sizeof(Bytes16), \
     .update = any_update, .update_groups = any_groups, .merge = append_merge, .finish = finish_call,                  \
     .example = example_text, .answer = answer_text}

AggregateFamily aggregate__collect_rows(void) {
    static const Aggregate rows[] = {
        STRING_ROW("string_agg", 0, "a,b,b"),
        {.name = "string_agg", .args = {TYPE_BYTEA, TYPE_BYTEA}, .arg_count = 2, .result = TYPE_BYTEA,
         .flags = AGG_ORDERED | AGG_SERIAL | AGG_TEXT_STATE | AGG_CONSTANT_TAIL, .state_bytes = sizeof(Bytes16), .update = string_update,
         .update_groups = string_groups, .merge = append_merge, .finish = string_finish,
         .example = "SELECT string_agg(x::bytea, '-'::bytea) FROM (VALUES ('a'), ('b')) t(x)", .answer = "\\x612d62"},
        STRING_ROW("string_distinct_agg", AGG_DISTINCT, "a,b"),
        {.name = "array_agg", .args = {TYPE_FLOAT8}, .arg_count = 1, .result = TYPE_FLOAT8_ARRAY,
         .flags = AGG_QUESTDB | AGG_ORDERED | AGG_SERIAL | AGG_TEXT_STATE | AGG_COUNT_NULLS, .state_bytes = sizeof(Bytes16), .update = array_update,
         .update_groups = array_groups, .merge = append_merge, .finish = array_finish,
         .example = "SELECT array_agg(x::float8) FROM (VALUES (1), (2)) t(x)", .answer = "{1,2}"},
        ANY_ROW(ARG_NONARRAY, any_finish, "SELECT array_agg(x) FROM (VALUES (1), (2)) t(x)", "{1,2}"),
        ANY_ROW(ARG_ARRAY, stacked_finish, NULL, NULL),
        MEDIAN_ROW("median"),
        MEDIAN_ROW("approx_median"),
        PERCENTILE_ROW("percentile"),
        PERCENTILE_ROW("approx_percentile"),
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}
