/* SPDX-License-Identifier: Apache-2.0
 * func_internal.h - shared inside sql/func: reading arguments row by row, writing texts, and the errors that many kernels raise. */
#pragma once
#include "base/number.h"
#include "column/value_text.h"
#include "kernels/kernels.h"
#include "sql/func/element.h"
#include "sql/func/func.h"

/* Below this many rows a plain loop beats the set-up of the array kernels. */
enum { SHORT_BATCH_ROWS = 8 };
/* Longest text that one call may make (repeat, lpad, concat…): larger is ERR_PROGRAM_LIMIT. */
enum { TEXT_RESULT_BYTES_MAX = 256 << 20 };

/* One argument, FLAT or CONSTANT alike: the value of row r lies at data + r * step. */
typedef struct ArgView {
    const uint8_t *data;
    size_t step;
    const uint64_t *valid;
    bool constant;
} ArgView;

static inline ArgView func__arg(const KernelCall *call, size_t number) {
    assert(number < call->arg_count);
    const Vector *vector = call->args[number];
    assert(vector->form == VECTOR_FLAT || vector->form == VECTOR_CONSTANT);
    bool constant = vector->form == VECTOR_CONSTANT;
    size_t width = physical_bytes(type_physical((TypeId)vector->type.id));
    return (ArgView){vector->data, constant ? 0 : width, vector->valid, constant};
}
#define AT(T, view, row) (*(const T *)(const void *)((view).data + (size_t)(row) * (view).step))

static inline bool func__is_null(ArgView view, size_t row) {
    return view.valid != NULL && !bit_get(view.valid, view.constant ? 0 : row);
}
static inline bool func__bool(ArgView view, size_t row) {
    return bit_get((const uint64_t *)(const void *)view.data, view.constant ? 0 : row);
}
static inline Str func__text(ArgView view, size_t row) {
    return strref_str(&AT(StrRef, view, row));
}
static inline Numeric func__numeric(ArgView view, size_t row) {
    return numeric_from_slot(&AT(NumericSlot, view, row));
}

/* Rows whose value is needed. */
#define FOR_ROWS(call, row)                                                                                            \
    for (size_t row = 0; row < (call)->row_count; row++)                                                               \
        if (bit_get((call)->rows, row))

/* Of functions that are not strict. */
static inline bool func__any_null(const KernelCall *call, size_t row) {
    for (size_t i = 0; i < call->arg_count; i++) {
        if (vector_is_null(call->args[i], row)) {
            return true;
        }
    }
    return false;
}

/* A text result: bytes that live as the batch does. */
static inline void func__put_text(Vector *out, size_t row, Str text) {
    ((StrRef *)vector_data(out))[row] = strref_make(text.len == 0 ? "" : text.data, text.len);
}
static inline void func__put_copy(const KernelCall *call, Vector *out, size_t row, Str text) {
    func__put_text(out, row, text.len <= STRREF_INLINE ? text : arena_str(call->arena, text));
}
static inline void func__put_bool(Vector *out, size_t row, bool value) {
    uint64_t *words = vector_data(out);
    if (value) {
        bit_set(words, row);
    } else {
        bit_clear(words, row);
    }
}
static inline void func__put_numeric(const KernelCall *call, Vector *out, size_t row, Numeric value) {
    ((NumericSlot *)vector_data(out))[row] = numeric_to_slot(value, call->arena);
}

/* ERR_PROGRAM_LIMIT if a text of `bytes` would be too long. */
NODISCARD ErrorCode func__check_text_bytes(uint64_t bytes, Error *err);
NODISCARD ErrorCode func__division_by_zero(Error *err);
NODISCARD ErrorCode func__out_of_range(TypeId type, Error *err);   /* "integer out of range" */

/* ---- orders that compare.c and order.c share ---- */
int func__order_text(const void *a, const void *b);
int func__order_bpchar(const void *a, const void *b);
int func__order_numeric(const void *a, const void *b);
int func__order_interval(const void *a, const void *b);
int func__order_uuid(const void *a, const void *b);
int func__order_array(const void *a, const void *b);

/* How the statement prints values as text. */
static inline TextStyle func__text_style(const KernelCall *call) {
    const FunctionEnvironment *e = call->environment;
    return e == NULL ? (TextStyle){.full_nanos = true}
                     : (TextStyle){.questdb = e->questdb, .full_nanos = true, .zone = e->zone, .names = e->names, .value = e->style};
}

/* ---- time, shared by casts and functions ---- */
static inline const Zone *func__zone(const KernelCall *call) {
    return call->environment == NULL ? NULL : call->environment->zone;
}
static inline bool func__infinite(int64_t time) {
    return time == INT64_MIN || time == INT64_MAX;
}
int64_t func__to_wall(const Zone *zone, int64_t utc_micros);       /* UTC -> wall clock of the zone */
int64_t func__from_wall(const Zone *zone, int64_t wall_micros);
/* A zone by name or offset; NULL environment knows offsets only. ERR_INVALID_PARAMETER: no such zone. posix: PostgreSQL's reading of
 * AT TIME ZONE '+05', where bare offsets count westward. */
NODISCARD ErrorCode func__zone_find(const FunctionEnvironment *environment, Str name, bool posix, Arena *arena, const Zone **zone_out, Error *err);

/* ---- the kernels that the binder calls without a name (bound.c) ---- */
ErrorCode func__quantified(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__array_make(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__array_subscript(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__array_slice(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__array_assign(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__array_assign_slice(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__row_make(const KernelCall *call, Vector *out, Error *err);
ErrorCode func__row_field(const KernelCall *call, Vector *out, Error *err);

/* ---- the kernels, one prototype per row of the table ---- */
#define FN(name, args, result, kernel, flags, prepare, result_type, example, answer)                                   \
    ErrorCode func__##kernel(const KernelCall *call, Vector *out, Error *err);
#include "sql/func/functions.inc"
#undef FN

Type func__type_int4_array(const Type *arg_types, uint16_t arg_count);
Type func__type_series(const Type *arg_types, uint16_t arg_count);
Type func__type_json_array(const Type *arg_types, uint16_t arg_count);
Type func__type_text_array(const Type *arg_types, uint16_t arg_count);
ErrorCode func__prepare_like(const PrepareCall *call, const void **prepared_out, Error *err);
ErrorCode func__prepare_regex(const PrepareCall *call, const void **prepared_out, Error *err);
ErrorCode func__prepare_regex_fold(const PrepareCall *call, const void **prepared_out, Error *err);
ErrorCode func__prepare_regex_replace(const PrepareCall *call, const void **prepared_out, Error *err);
Type func__aclitems(const Type *arg_types, uint16_t arg_count); /* aclitem[] */
ErrorCode func__domain_failure(const KernelCall *call, Vector *out, Error *err);
Type func__enum_array(const Type *arg_types, uint16_t arg_count); /* array of the first argument */
Type func__names(const Type *arg_types, uint16_t arg_count);    /* name[] */
