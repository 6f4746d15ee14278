/* SPDX-License-Identifier: Apache-2.0
 * array/assign.c - an array with one element or a slice changed: UPDATE ... SET a[2] = x.
 *
 * Rules: an array of one dimension grows to the place, with NULLs between; one of more dimensions does not. NULL is an empty array. */
#include "sql/func/array/array_internal.h"

static ErrorCode null_subscript(Error *err) {
    return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "array subscript in assignment must not be null");
}

static ErrorCode read_subscripts(const KernelCall *call, size_t row, int32_t *subscripts, Error *err) {
    assert(call->arg_count - 2 <= 2 * ANY_ARRAY_DIMS_MAX);
    for (size_t i = 2; i < call->arg_count; i++) {
        if (vector_is_null(call->args[i], row)) {
            return null_subscript(err);
        }
        subscripts[i - 2] = AT(int32_t, func__arg(call, i), row);
    }
    return ERR_OK;
}

static ErrorCode array_before(const KernelCall *call, size_t row, AnyArray *array_out, Error *err) {
    *array_out = (AnyArray){.element = (uint8_t)array__element(call->args[0]->type)};
    return vector_is_null(call->args[0], row) ? ERR_OK : array__arg(call, 0, row, array_out, err);
}

/* One dimension: places first..last become those of `part` (NULL: the one value), what lies between them and the array NULL. */
typedef struct Splice { int64_t first, last; const AnyArray *part; const void *value; } Splice;

static ErrorCode splice(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, const Splice *s, Error *err) {
    AnyArrayBuilder builder;
    int64_t old_first = array->dims == 0 ? s->first : array->lowers[0];
    int64_t old_end = old_first + (array->dims == 0 ? 0 : array->lengths[0]);
    int64_t first = MIN_OF(old_first, s->first), end = MAX_OF(old_end, s->last + 1);
    if (end - first > ANY_ARRAY_VALUES_MAX || end > INT32_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ANY_ARRAY_VALUES_MAX);
    }
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    for (int64_t place = first; place < end; place++) {
        if (place >= s->first && place <= s->last) {
            if (s->part != NULL) {
                any_array_add_from(&builder, s->part, (uint32_t)(place - s->first));
            } else {
                any_array_add(&builder, s->value);
            }
        } else if (place >= old_first && place < old_end) {
            any_array_add_from(&builder, array, (uint32_t)(place - old_first));
        } else {
            any_array_add(&builder, NULL);
        }
    }
    int32_t lower = (int32_t)first;
    uint32_t length = (uint32_t)(end - first);
    return func__put_array(call, out, row, &builder, 1, &length, &lower, err);
}

static ErrorCode assign_inside(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, const int32_t *subscripts, const void *value, Error *err) {
    AnyArrayBuilder builder;
    uint64_t at = 0;
    for (uint8_t d = 0; d < array->dims; d++) {
        int64_t place = (int64_t)subscripts[d] - array->lowers[d];
        if (place < 0 || place >= array->lengths[d]) {
            return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "array subscript out of range");
        }
        at = at * array->lengths[d] + (uint64_t)place;
    }
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    for (uint32_t i = 0; i < array->count; i++) {
        if (i == at) {
            any_array_add(&builder, value);
        } else {
            any_array_add_from(&builder, array, i);
        }
    }
    return func__put_array(call, out, row, &builder, array->dims, array->lengths, array->lowers, err);
}

static ErrorCode assign_row(const KernelCall *call, Vector *out, size_t row, Error *err) {
    AnyArray array;
    AnyValue room;
    int32_t subscripts[ANY_ARRAY_DIMS_MAX];
    uint8_t dims = (uint8_t)(call->arg_count - 2);
    TRY(read_subscripts(call, row, subscripts, err));
    TRY(array_before(call, row, &array, err));
    const void *value = func__element(call->args[1], row, &room);
    if (array.dims != 0 && array.dims != dims) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "wrong number of array subscripts");
    }
    if (dims == 1) {
        return splice(call, out, row, &array, &(Splice){subscripts[0], subscripts[0], NULL, value}, err);
    }
    if (array.dims != 0) {
        return assign_inside(call, out, row, &array, subscripts, value, err);
    }
    AnyArrayBuilder builder;
    uint32_t lengths[ANY_ARRAY_DIMS_MAX] = {1, 1, 1, 1, 1, 1};
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    any_array_add(&builder, value);
    return func__put_array(call, out, row, &builder, dims, lengths, subscripts, err);
}

ErrorCode func__array_assign(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        TRY(assign_row(call, out, row, err));
    }
    return ERR_OK;
}

/* ---- slices ---- */

typedef struct Region { int64_t first[ANY_ARRAY_DIMS_MAX], last[ANY_ARRAY_DIMS_MAX]; } Region;

/* Bounds that are not said are the array's; dimensions that are not said are whole. */
static ErrorCode read_region(const AnyArray *array, const int32_t *bounds, uint8_t given, Region *region, uint64_t *count_out, Error *err) {
    uint8_t dims = array->dims == 0 ? given : array->dims;
    *count_out = 1;
    for (uint8_t d = 0; d < dims; d++) {
        int32_t low = d < given ? bounds[2 * d] : INT32_MIN, high = d < given ? bounds[2 * d + 1] : INT32_MAX;
        if (array->dims == 0 && (low == INT32_MIN || high == INT32_MAX)) {
            error_ignore(error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "array slice subscript must provide both boundaries"));
            return error_add(err, 'D', "When assigning to a slice of an empty array value, slice boundaries must be fully specified.");
        }
        region->first[d] = low == INT32_MIN ? array->lowers[d] : low;
        region->last[d] = high == INT32_MAX ? (int64_t)array->lowers[d] + array->lengths[d] - 1 : high;
        if (region->last[d] < region->first[d]) {
            return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "upper bound cannot be less than lower bound");
        }
        if (array->dims > 1 && (region->first[d] < array->lowers[d] || region->last[d] >= (int64_t)array->lowers[d] + array->lengths[d])) {
            return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "array subscript out of range");
        }
        *count_out *= (uint64_t)(region->last[d] - region->first[d] + 1);
        if (*count_out > ANY_ARRAY_VALUES_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array size exceeds the maximum allowed (%d)", ANY_ARRAY_VALUES_MAX);
        }
    }
    return ERR_OK;
}

static bool inside(const AnyArray *array, const Region *region, uint32_t index) {
    bool is = true;
    for (uint8_t d = array->dims; d-- > 0; index /= array->lengths[d]) {
        int64_t place = (int64_t)array->lowers[d] + index % array->lengths[d];
        is = is && place >= region->first[d] && place <= region->last[d];
    }
    return is;
}

/* The values of the region, row by row, become those of `part`; the array keeps its shape. */
static ErrorCode put_region(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, const AnyArray *part, const Region *region, Error *err) {
    AnyArrayBuilder builder;
    uint32_t next = 0;
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    for (uint32_t i = 0; i < array->count; i++) {
        bool changed = inside(array, region, i);
        any_array_add_from(&builder, changed ? part : array, changed ? next : i);
        next += changed;
    }
    return func__put_array(call, out, row, &builder, array->dims, array->lengths, array->lowers, err);
}

static ErrorCode put_new(const KernelCall *call, Vector *out, size_t row, const AnyArray *part, const Region *region, uint8_t dims, Error *err) {
    AnyArrayBuilder builder;
    uint32_t lengths[ANY_ARRAY_DIMS_MAX], count = 1;
    int32_t lowers[ANY_ARRAY_DIMS_MAX];
    for (uint8_t d = 0; d < dims; d++) {
        lowers[d] = (int32_t)region->first[d];
        lengths[d] = (uint32_t)(region->last[d] - region->first[d] + 1);
        count *= lengths[d];
    }
    any_array_begin(&builder, array__element(out->type), ARRAY_RESULT_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        any_array_add_from(&builder, part, i);
    }
    return func__put_array(call, out, row, &builder, dims, lengths, lowers, err);
}

static ErrorCode slice_row(const KernelCall *call, Vector *out, size_t row, Error *err) {
    AnyArray array, part;
    Region region;
    int32_t bounds[2 * ANY_ARRAY_DIMS_MAX];
    uint8_t given = (uint8_t)((call->arg_count - 2) / 2);
    uint64_t count = 0;
    TRY(read_subscripts(call, row, bounds, err));
    TRY(array_before(call, row, &array, err));
    if (vector_is_null(call->args[1], row)) { /* nothing to take from: the array stays */
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
        } else {
            func__put_copy(call, out, row, vector_text(call->args[0], row));
        }
        return ERR_OK;
    }
    TRY(array__arg(call, 1, row, &part, err));
    if (array.dims != 0 && array.dims < given) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "wrong number of array subscripts");
    }
    TRY(read_region(&array, bounds, given, &region, &count, err));
    if (part.count < count) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "source array too small");
    }
    return array.dims > 1   ? put_region(call, out, row, &array, &part, &region, err)
           : array.dims == 0 ? put_new(call, out, row, &part, &region, given, err)
                             : splice(call, out, row, &array, &(Splice){region.first[0], region.last[0], &part, NULL}, err);
}

ErrorCode func__array_assign_slice(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        TRY(slice_row(call, out, row, err));
    }
    return ERR_OK;
}
