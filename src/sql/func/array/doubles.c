/* SPDX-License-Identifier: Apache-2.0
 * array/doubles.c - double[]: length, elements, sums, and arithmetic element by element. */
#include "column/array.h"
#include "sql/func/func_internal.h"

static ErrorCode view_of(ArgView view, size_t row, ArrayView *array_out, Error *err) {
    return array_view(func__text(view, row), array_out, err);
}

/* dim_length(array, dimension from 1), array_length: NULL where there is no such dimension. */
ErrorCode func__dim_length(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), n = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ArrayView array;
        if (vector_is_null(call->args[0], row) || vector_is_null(call->args[1], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(view_of(a, row, &array, err));
        int32_t dimension = AT(int32_t, n, row);
        if (dimension < 1 || dimension > array.dims) {
            vector_set_null(out, call->arena, row);
        } else {
            ((int32_t *)vector_data(out))[row] = (int32_t)array.lengths[dimension - 1];
        }
    }
    return ERR_OK;
}

ErrorCode func__cardinality(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ArrayView array;
        TRY(view_of(a, row, &array, err));
        ((int32_t *)vector_data(out))[row] = (int32_t)array.count;
    }
    return ERR_OK;
}

typedef enum ArrayReduce { ARRAY_SUM, ARRAY_AVG, ARRAY_MIN, ARRAY_MAX, ARRAY_COUNT } ArrayReduce;

/* NaN stands for a missing element and is left out. */
static bool reduce(const ArrayView *array, ArrayReduce what, double *value_out) {
    SumPair sum = {0, 0};
    double low = 0, high = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        double value = array_value(array, i);
        if (value != value) {
            continue;
        }
        sum_pair_add(&sum, value);
        low = count == 0 || value < low ? value : low;
        high = count == 0 || value > high ? value : high;
        count++;
    }
    double total = sum_pair_value(sum);
    *value_out = what == ARRAY_SUM ? total : what == ARRAY_AVG ? total / count : what == ARRAY_MIN ? low : what == ARRAY_MAX ? high : count;
    return count > 0 || what == ARRAY_COUNT;
}

#define ARRAY_REDUCE(verb, WHAT)                                                                                       \
    ErrorCode func__##verb(const KernelCall *call, Vector *out, Error *err) {                                          \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            ArrayView array;                                                                                           \
            if (func__is_null(a, row)) {                                                                               \
                vector_set_null(out, call->arena, row);                                                                \
                continue;                                                                                              \
            }                                                                                                          \
            TRY(view_of(a, row, &array, err));                                                                         \
            if (!reduce(&array, WHAT, (double *)vector_data(out) + row)) {                                             \
                vector_set_null(out, call->arena, row);                                                                \
            }                                                                                                          \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
ARRAY_REDUCE(array_sum, ARRAY_SUM)
ARRAY_REDUCE(array_avg, ARRAY_AVG)
ARRAY_REDUCE(array_min, ARRAY_MIN)
ARRAY_REDUCE(array_max, ARRAY_MAX)

ErrorCode func__array_count(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ArrayView array;
        double count;
        TRY(view_of(a, row, &array, err));
        (void)reduce(&array, ARRAY_COUNT, &count);
        ((int32_t *)vector_data(out))[row] = (int32_t)count;
    }
    return ERR_OK;
}

static bool same_shape(const ArrayView *a, const ArrayView *b) {
    return a->dims == b->dims && memcmp(a->lengths, b->lengths, a->dims * sizeof a->lengths[0]) == 0;
}

static ErrorCode differ(Error *err) {
    return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "arrays have different shapes");
}

ErrorCode func__dot_product(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ArrayView x, y;
        TRY(view_of(a, row, &x, err));
        TRY(view_of(b, row, &y, err));
        if (!same_shape(&x, &y)) {
            return differ(err);
        }
        SumPair sum = {0, 0};
        for (uint32_t i = 0; i < x.count; i++) {
            double product = array_value(&x, i) * array_value(&y, i);
            if (product == product) {
                sum_pair_add(&sum, product);
            }
        }
        ((double *)vector_data(out))[row] = sum_pair_value(sum);
    }
    return ERR_OK;
}

static double apply(char operation, double x, double y) {
    return operation == '+' ? x + y : operation == '-' ? x - y : operation == '*' ? x * y : x / y;
}

/* Element by element; a number goes with every element. */
static ErrorCode array_rows(const KernelCall *call, Vector *out, char operation, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    bool a_is_array = call->args[0]->type.id == TYPE_FLOAT8_ARRAY, b_is_array = call->args[1]->type.id == TYPE_FLOAT8_ARRAY;
    FOR_ROWS(call, row) {
        ArrayView x, y;
        TRY(view_of(a_is_array ? a : b, row, &x, err));
        TRY(view_of(b_is_array ? b : a, row, &y, err));
        if (!same_shape(&x, &y)) {
            return differ(err);
        }
        Str source = func__text(a_is_array ? a : b, row);
        char *bytes = arena_alloc_aligned(call->arena, source.len, 8);
        memcpy(bytes, source.data, source.len);
        char *values = bytes + (x.values - (const uint8_t *)source.data);
        for (uint32_t i = 0; i < x.count; i++) {
            double left = a_is_array ? array_value(&x, i) : AT(double, a, row);
            double right = b_is_array ? array_value(&y, i) : AT(double, b, row);
            double value = apply(operation, left, right);
            memcpy(values + 8 * (size_t)i, &value, 8);
        }
        func__put_text(out, row, str_from(bytes, source.len));
    }
    return ERR_OK;
}

ErrorCode func__array_add(const KernelCall *call, Vector *out, Error *err) {
    return array_rows(call, out, '+', err);
}
ErrorCode func__array_sub(const KernelCall *call, Vector *out, Error *err) {
    return array_rows(call, out, '-', err);
}
ErrorCode func__array_mul(const KernelCall *call, Vector *out, Error *err) {
    return array_rows(call, out, '*', err);
}
ErrorCode func__array_div(const KernelCall *call, Vector *out, Error *err) {
    return array_rows(call, out, '/', err);
}

/* array[i, j, …]: a number where all dimensions are given, else the part below. NULL outside. */
ErrorCode func__array_element(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        ArrayView array;
        bool inside = !vector_is_null(call->args[0], row);
        uint64_t place = 0;
        if (inside) {
            TRY(view_of(a, row, &array, err));
            inside = call->arg_count - 1 == array.dims;
        }
        for (size_t i = 1; inside && i < call->arg_count; i++) {
            int32_t index = vector_is_null(call->args[i], row) ? 0 : AT(int32_t, func__arg(call, i), row);
            inside = index >= 1 && (uint32_t)index <= array.lengths[i - 1];
            place = place * array.lengths[i - 1] + (uint32_t)index - 1;
        }
        if (inside) {
            ((double *)vector_data(out))[row] = array_value(&array, (uint32_t)place);
        } else {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

/* ARRAY[…] of numbers; NULL becomes NaN. */
ErrorCode func__array_build(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    size_t count = call->arg_count, bytes_len = 1 + (count > 0 ? 4 : 0) + 8 * count;
    FOR_ROWS(call, row) {
        char *bytes = arena_alloc_aligned(call->arena, bytes_len, 8);
        bytes[0] = count > 0;
        if (count > 0) {
            put_u32le(bytes + 1, (uint32_t)count);
        }
        for (size_t i = 0; i < count; i++) {
            double value = vector_is_null(call->args[i], row) ? __builtin_nan("") : AT(double, func__arg(call, i), row);
            memcpy(bytes + 5 + 8 * i, &value, 8);
        }
        func__put_text(out, row, str_from(bytes, bytes_len));
    }
    return ERR_OK;
}

/* ARRAY[ARRAY[…], …]: one dimension more than the parts, which must have one shape. */
ErrorCode func__array_stack(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        ArrayView first, part;
        Str bytes = func__text(func__arg(call, 0), row);
        TRY(array_view(bytes, &first, err));
        if (first.dims == ARRAY_DIMS_MAX || (uint64_t)first.count * call->arg_count > ARRAY_VALUES_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "array is too large");
        }
        size_t header = 1 + 4 * ((size_t)first.dims + 1), part_bytes = 8 * (size_t)first.count;
        char *room = arena_alloc_aligned(call->arena, header + part_bytes * call->arg_count, 8);
        room[0] = (char)(first.dims + 1);
        put_u32le(room + 1, call->arg_count);
        memcpy(room + 5, bytes.data + 1, 4 * (size_t)first.dims);
        for (size_t i = 0; i < call->arg_count; i++) {
            TRY(view_of(func__arg(call, i), row, &part, err));
            if (!same_shape(&first, &part)) {
                return differ(err);
            }
            memcpy(room + header + part_bytes * i, part.values, part_bytes);
        }
        func__put_text(out, row, str_from(room, header + part_bytes * call->arg_count));
    }
    return ERR_OK;
}
