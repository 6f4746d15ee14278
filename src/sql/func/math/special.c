/* SPDX-License-Identifier: Apache-2.0
 * math/special.c - the error function and gamma. */
#include "sql/func/func_internal.h"
#include <math.h>

static ErrorCode overflow(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: overflow");
}

ErrorCode func__erf(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = erf(AT(double, func__arg(call, 0), row));
    }
    return ERR_OK;
}

ErrorCode func__erfc(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = erfc(AT(double, func__arg(call, 0), row));
    }
    return ERR_OK;
}

/* Poles and what grows past the range are errors; so is what gets too small. */
ErrorCode func__gamma(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        double x = AT(double, func__arg(call, 0), row), y = tgamma(x);
        if (!isnan(x) && (isnan(y) || (isinf(y) && !isinf(x)))) {
            return overflow(err);
        }
        if (y == 0) {
            return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value out of range: underflow");
        }
        ((double *)vector_data(out))[row] = y;
    }
    return ERR_OK;
}

ErrorCode func__lgamma(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        double x = AT(double, func__arg(call, 0), row);
        int sign;
        double y = lgamma_r(x, &sign);
        if (isinf(y) && !isinf(x)) {
            return overflow(err);
        }
        ((double *)vector_data(out))[row] = y;
    }
    return ERR_OK;
}
