/* SPDX-License-Identifier: Apache-2.0
 * array/search.c - looking for elements: @> <@ &&, array_position(s), array_remove, array_replace, and op ANY / ALL (array). */
#include "sql/func/array/array_internal.h"

/* ---- containment ---- */

static bool has(const AnyArray *array, const void *value) {
    for (uint32_t i = 0; i < array->count; i++) {
        if (!any_array_is_null(array, i) && array__element_is(array, i, value)) {
            return true;
        }
    }
    return false;
}

/* Elements of `some` in `all`: all of them (a NULL never is), or any. */
static bool elements_in(const AnyArray *all, const AnyArray *some, bool every) {
    for (uint32_t i = 0; i < some->count; i++) {
        AnyValue value;
        bool found = false;
        if (!any_array_is_null(some, i)) {
            any_array_value(some, i, &value);
            found = has(all, value.bytes);
        }
        if (found != every) {
            return !every;
        }
    }
    return every;
}

static ErrorCode contain(const KernelCall *call, Vector *out, size_t whole, bool every, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray all, some;
        TRY(array__arg(call, whole, row, &all, err));
        TRY(array__arg(call, 1 - whole, row, &some, err));
        func__put_bool(out, row, elements_in(&all, &some, every));
    }
    return ERR_OK;
}

ErrorCode func__array_contains(const KernelCall *call, Vector *out, Error *err) {
    return contain(call, out, 0, true, err);
}
ErrorCode func__array_contained(const KernelCall *call, Vector *out, Error *err) {
    return contain(call, out, 1, true, err);
}
ErrorCode func__array_overlaps(const KernelCall *call, Vector *out, Error *err) {
    return contain(call, out, 0, false, err);
}

/* The element that is there most often in a sorted array; of several the first. */
ErrorCode func__array_mode(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        uint32_t best = 0, best_count = 0, first = 0;
        TRY(array__arg(call, 0, row, &array, err));
        for (uint32_t i = 1; i <= array.count; i++) {
            AnyValue value;
            any_array_value(&array, first, &value);
            if (i < array.count && array__element_is(&array, i, value.bytes)) {
                continue;
            }
            best = i - first > best_count ? first : best;
            best_count = MAX_OF(best_count, i - first);
            first = i;
        }
        if (array.count == 0) {
            vector_set_null(out, call->arena, row);
        } else {
            func__put_element(call, out, row, &array, best);
        }
    }
    return ERR_OK;
}

/* ---- positions ---- */

static ErrorCode searched(const KernelCall *call, size_t row, AnyArray *array_out, Error *err) {
    TRY(array__arg(call, 0, row, array_out, err));
    if (array_out->dims > 1) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "searching for elements in multidimensional arrays is not supported");
    }
    return ERR_OK;
}

/* array_position(array, element [, from]) */
ErrorCode func__array_position(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array = {0};
        AnyValue room;
        if (!vector_is_null(call->args[0], row)) {
            TRY(searched(call, row, &array, err));
        }
        int64_t from = 0;
        if (call->arg_count > 2) {
            if (vector_is_null(call->args[2], row)) {
                return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "initial position must not be null");
            }
            from = array.dims == 0 ? 0 : (int64_t)AT(int32_t, func__arg(call, 2), row) - array.lowers[0];
        }
        const void *value = func__element(call->args[1], row, &room);
        uint32_t at = from <= 0 ? 0 : (uint32_t)MIN_OF(from, (int64_t)array.count);
        while (at < array.count && !array__element_is(&array, at, value)) {
            at++;
        }
        if (at >= array.count) {
            vector_set_null(out, call->arena, row);
        } else {
            ((int32_t *)vector_data(out))[row] = array.lowers[0] + (int32_t)at;
        }
    }
    return ERR_OK;
}

ErrorCode func__array_positions(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        AnyValue room;
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(searched(call, row, &array, err));
        const void *value = func__element(call->args[1], row, &room);
        any_array_begin(&builder, TYPE_INT4, ARRAY_RESULT_BYTES_MAX);
        for (uint32_t i = 0; i < array.count; i++) {
            int32_t place = array.lowers[0] + (int32_t)i;
            if (array__element_is(&array, i, value)) {
                any_array_add(&builder, &place);
            }
        }
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

/* ---- remove, replace ---- */

ErrorCode func__array_remove(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        AnyValue room;
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(array__arg(call, 0, row, &array, err));
        if (array.dims > 1) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "removing elements from multidimensional arrays is not supported");
        }
        const void *value = func__element(call->args[1], row, &room);
        any_array_begin(&builder, (TypeId)array.element, ARRAY_RESULT_BYTES_MAX);
        for (uint32_t i = 0; i < array.count; i++) {
            if (!array__element_is(&array, i, value)) {
                any_array_add_from(&builder, &array, i);
            }
        }
        TRY(func__put_array(call, out, row, &builder, 1, &builder.count, array.lowers, err));
    }
    return ERR_OK;
}

ErrorCode func__array_replace(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        AnyValue room, new_room;
        if (vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(array__arg(call, 0, row, &array, err));
        const void *value = func__element(call->args[1], row, &room), *replacement = func__element(call->args[2], row, &new_room);
        any_array_begin(&builder, (TypeId)array.element, ARRAY_RESULT_BYTES_MAX);
        for (uint32_t i = 0; i < array.count; i++) {
            if (array__element_is(&array, i, value)) {
                any_array_add(&builder, replacement);
            } else {
                any_array_add_from(&builder, &array, i);
            }
        }
        TRY(func__put_array(call, out, row, &builder, array.dims, array.lengths, array.lowers, err));
    }
    return ERR_OK;
}

/* ---- order ---- */

static void sort_places(const AnyArray *array, uint32_t *places, uint32_t *scratch, uint32_t count) {
    for (uint32_t run = 1; run < count; run *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * run) {
            uint32_t a = from, a_end = MIN_OF(from + run, count), b = a_end, end = MIN_OF(from + 2 * run, count);
            for (uint32_t to = from; to < end; to++) {
                bool left = a < a_end;
                if (left && b < end) {
                    AnyValue x, y;
                    any_array_value(array, places[a], &x);
                    any_array_value(array, places[b], &y);
                    left = value_rules((TypeId)array->element)->compare(x.bytes, y.bytes) <= 0;
                }
                scratch[to] = left ? places[a++] : places[b++];
            }
        }
        memcpy(places, scratch, count * sizeof *places);
    }
}

static ErrorCode sort_row(const KernelCall *call, Vector *out, size_t row, const AnyArray *array, Error *err) {
    bool descending = call->arg_count > 1 && func__bool(func__arg(call, 1), row);
    bool nulls_first = call->arg_count > 2 ? func__bool(func__arg(call, 2), row) : descending;
    uint32_t *places = arena_array(call->arena, uint32_t, array->count + 1), *scratch = arena_array(call->arena, uint32_t, array->count + 1);
    uint32_t count = 0, nulls;
    AnyArrayBuilder builder;
    for (uint32_t i = 0; i < array->count; i++) {
        if (!any_array_is_null(array, i)) {
            places[count++] = i;
        }
    }
    nulls = array->count - count;
    sort_places(array, places, scratch, count);
    any_array_begin(&builder, (TypeId)array->element, ARRAY_RESULT_BYTES_MAX);
    for (uint32_t i = 0; i < nulls && nulls_first; i++) {
        any_array_add(&builder, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        any_array_add_from(&builder, array, places[descending ? count - 1 - i : i]);
    }
    for (uint32_t i = 0; i < nulls && !nulls_first; i++) {
        any_array_add(&builder, NULL);
    }
    return func__put_array(call, out, row, &builder, array->dims, array->lengths, array->lowers, err);
}

ErrorCode func__array_sort(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        TRY(array__arg(call, 0, row, &array, err));
        if (array.dims > 1) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "sorting multidimensional arrays is not supported");
        }
        TRY(sort_row(call, out, row, &array, err));
    }
    return ERR_OK;
}

/* Turns the first dimension round. */
ErrorCode func__array_reverse(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        TRY(array__arg(call, 0, row, &array, err));
        uint32_t parts = array.dims == 0 ? 0 : array.lengths[0], each = parts == 0 ? 0 : array.count / parts;
        any_array_begin(&builder, (TypeId)array.element, ARRAY_RESULT_BYTES_MAX);
        for (uint32_t p = parts; p-- > 0;) {
            for (uint32_t i = 0; i < each; i++) {
                any_array_add_from(&builder, &array, p * each + i);
            }
        }
        TRY(func__put_array(call, out, row, &builder, array.dims, array.lengths, array.lowers, err));
    }
    return ERR_OK;
}

/* trim_array(array, n): without its last n. */
ErrorCode func__trim_array(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray array;
        AnyArrayBuilder builder;
        TRY(array__arg(call, 0, row, &array, err));
        int32_t cut = AT(int32_t, func__arg(call, 1), row);
        uint32_t parts = array.dims == 0 ? 0 : array.lengths[0], each = parts == 0 ? 0 : array.count / parts;
        if (cut < 0 || (uint32_t)cut > parts) {
            return error_set(err, ERR_ARRAY_ELEMENT, ERROR_NO_POSITION, "number of elements to trim must be between 0 and %u", parts);
        }
        array.lengths[0] = parts - (uint32_t)cut;
        any_array_begin(&builder, (TypeId)array.element, ARRAY_RESULT_BYTES_MAX);
        for (uint32_t i = 0; i < array.lengths[0] * each; i++) {
            any_array_add_from(&builder, &array, i);
        }
        TRY(func__put_array(call, out, row, &builder, array.dims, array.lengths, NULL, err));
    }
    return ERR_OK;
}

/* ---- x op ANY (array), x op ALL (array) ---- */

/* = ANY and <> ALL, the usual cases: an equal element decides, without the operator's kernel. */
static ErrorCode equal_row(const KernelCall *call, const AnyArray *array, size_t row, bool all, Vector *out) {
    AnyValue room;
    bool null = false, decided = false;
    const void *x = func__element(call->args[0], row, &room);
    for (uint32_t i = 0; i < array->count && !decided; i++) {
        if (x == NULL || any_array_is_null(array, i)) {
            null = true;
        } else {
            decided = array__element_is(array, i, x);
        }
    }
    if (!decided && null) {
        vector_set_null(out, call->arena, row);
    }
    func__put_bool(out, row, decided != all);
    return ERR_OK;
}

/* At most a batch of elements against x through the operator's kernel. */
static ErrorCode compare_part(const KernelCall *call, const Quantifier *q, const Vector *x, const AnyArray *array, uint32_t first, uint32_t count, bool *null, bool *decided, Error *err) {
    uint64_t rows[BATCH_WORDS] = {0};
    Vector elements = vector_new(call->arena, type_of((TypeId)array->element)), truth = vector_new(call->arena, type_of(TYPE_BOOL));
    elements.row_count = truth.row_count = (uint16_t)count;
    KernelCall filler = *call;
    for (uint32_t i = 0; i < count; i++) {
        func__put_element(&filler, &elements, i, array, first + i);
        if (vector_is_null(&elements, i)) {
            *null = true;
        } else {
            bit_set(rows, i);
        }
    }
    const Vector *args[] = {x, &elements};
    KernelCall inner = {.args = args, .arg_count = 2, .row_count = (uint16_t)count, .rows = rows, .arena = call->arena,
                        .prepared = q->prepared, .environment = call->environment};
    TRY(q->function->kernel(&inner, &truth, err));
    for (uint32_t i = 0; i < count && !*decided; i++) {
        if (bit_get(rows, i)) {
            *decided = (vector_bool(&truth, i) != q->negated) != q->all;
        }
    }
    return ERR_OK;
}

static ErrorCode compare_row(const KernelCall *call, const Quantifier *q, const AnyArray *array, size_t row, Vector *out, Error *err) {
    bool null = false, decided = false;
    if (vector_is_null(call->args[0], row)) {
        null = array->count > 0;
    } else {
        Vector x = *call->args[0];
        uint64_t bit = x.type.id == TYPE_BOOL && vector_bool(&x, row);
        x.form = VECTOR_CONSTANT;
        x.data = x.type.id == TYPE_BOOL ? (const void *)&bit : vector_value(call->args[0], row);
        x.valid = NULL;
        for (uint32_t i = 0; i < array->count && !decided; i += BATCH_ROWS) {
            x.row_count = (uint16_t)MIN_OF((uint32_t)BATCH_ROWS, array->count - i);
            TRY(compare_part(call, q, &x, array, i, x.row_count, &null, &decided, err));
        }
    }
    if (!decided && null) {
        vector_set_null(out, call->arena, row);
    }
    func__put_bool(out, row, decided != q->all);
    return ERR_OK;
}

ErrorCode func__quantified(const KernelCall *call, Vector *out, Error *err) {
    const Quantifier *q = call->prepared;
    AnyArray array = {0};
    bool constant = call->args[1]->form == VECTOR_CONSTANT, viewed = false;
    assert(q != NULL);
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[1], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        if (!viewed || !constant) {
            TRY(array__arg(call, 1, row, &array, err));
            viewed = true;
        }
        TRY(q->equal ? equal_row(call, &array, row, q->all, out) : compare_row(call, q, &array, row, out, err));
    }
    return ERR_OK;
}
