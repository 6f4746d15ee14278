/* SPDX-License-Identifier: Apache-2.0
 * math/degrees.c - sind, cosd and their kin: angles in degrees.
 *
 * Why:   whole answers come out whole (sind(30) = 0.5, tand(45) = 1): the circle is folded to 0..30 and 0..60 degrees, and what the library says
 *        there is divided by what it says at the end of the range, as PostgreSQL does. */
#include <math.h>

#include "sql/func/func_internal.h"

#define RADIANS_PER_DEGREE 0.0174532925199432957692

static ErrorCode out_of_range(Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "input is out of range");
}

/* volatile: the divisors come from the same code as the dividends, not from the compiler's arithmetic */
static double sine(double degrees) {
    volatile double x = degrees * RADIANS_PER_DEGREE;
    return sin(x);
}
static double cosine_complement(double degrees) {
    volatile double x = degrees * RADIANS_PER_DEGREE;
    return 1.0 - cos(x);
}
static double arc_sine(double value) {
    volatile double x = value;
    return asin(x);
}
static double arc_cosine(double value) {
    volatile double x = value;
    return acos(x);
}
static double arc_tangent(double value) {
    volatile double x = value;
    return atan(x);
}

static double sine_to_30(double x) { return sine(x) / sine(30.0) / 2.0; }
static double cosine_to_60(double x) { return 1.0 - (cosine_complement(x) / cosine_complement(60.0)) / 2.0; }
static double sine_to_90(double x) { return x <= 30.0 ? sine_to_30(x) : cosine_to_60(90.0 - x); }
static double cosine_to_90(double x) { return x <= 60.0 ? cosine_to_60(x) : sine_to_30(90.0 - x); }

static double degree_sine(double x) {
    double sign = 1;
    x = fmod(x, 360.0);
    if (x < 0) {
        x = -x;
        sign = -sign;
    }
    if (x > 180.0) {
        x = 360.0 - x;
        sign = -sign;
    }
    return sign * sine_to_90(x > 90.0 ? 180.0 - x : x);
}

static double degree_cosine(double x) {
    x = fabs(fmod(x, 360.0));
    x = x > 180.0 ? 360.0 - x : x;
    return x > 90.0 ? -cosine_to_90(180.0 - x) : cosine_to_90(x);
}

/* The angle within 0..90 and the sign of its tangent. */
static double fold_tangent(double x, double *sign_out) {
    *sign_out = 1;
    x = fmod(x, 360.0);
    if (x < 0) {
        x = -x;
        *sign_out = -*sign_out;
    }
    if (x > 180.0) {
        x = 360.0 - x;
        *sign_out = -*sign_out;
    }
    if (x > 90.0) {
        x = 180.0 - x;
        *sign_out = -*sign_out;
    }
    return x;
}

static double degree_tangent(double x) {
    double sign;
    x = fold_tangent(x, &sign);
    double result = sign * ((sine_to_90(x) / cosine_to_90(x)) / (sine_to_90(45.0) / cosine_to_90(45.0)));
    return result == 0 ? 0 : result; /* without a minus */
}

static double degree_cotangent(double x) {
    double sign;
    x = fold_tangent(x, &sign);
    double result = sign * ((cosine_to_90(x) / sine_to_90(x)) / (cosine_to_90(45.0) / sine_to_90(45.0)));
    return result == 0 ? 0 : result;
}

static double arc_sine_degrees(double x) { return x <= 0.5 ? arc_sine(x) / arc_sine(0.5) * 30.0 : 90.0 - arc_cosine(x) / arc_cosine(0.5) * 60.0; }
static double arc_cosine_degrees(double x) { return x <= 0.5 ? 90.0 - arc_sine(x) / arc_sine(0.5) * 30.0 : arc_cosine(x) / arc_cosine(0.5) * 60.0; }
static double degree_arc_sine(double x) { return x >= 0 ? arc_sine_degrees(x) : -arc_sine_degrees(-x); }
static double degree_arc_cosine(double x) { return x >= 0 ? arc_cosine_degrees(x) : 90.0 + arc_sine_degrees(-x); }
static double degree_arc_tangent(double x) { return arc_tangent(x) / arc_tangent(1.0) * 45.0; }

static bool is_angle(double x) { return !isinf(x); }
static bool is_ratio(double x) { return !(x < -1.0 || x > 1.0); }
static bool is_any(double x) { return (void)x, true; }

#define DEGREES(verb, CHECK, RESULT)                                                                                   \
    ErrorCode func__##verb(const KernelCall *call, Vector *out, Error *err) {                                          \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            double x = AT(double, a, row);                                                                             \
            if (!CHECK(x)) {                                                                                           \
                return out_of_range(err);                                                                              \
            }                                                                                                          \
            ((double *)vector_data(out))[row] = isnan(x) ? x : RESULT(x);                                              \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
DEGREES(sind, is_angle, degree_sine)
DEGREES(cosd, is_angle, degree_cosine)
DEGREES(tand, is_angle, degree_tangent)
DEGREES(cotd, is_angle, degree_cotangent)
DEGREES(asind, is_ratio, degree_arc_sine)
DEGREES(acosd, is_ratio, degree_arc_cosine)
DEGREES(atand, is_any, degree_arc_tangent)

ErrorCode func__atan2d(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = atan2(AT(double, a, row), AT(double, b, row)) / arc_tangent(1.0) * 45.0;
    }
    return ERR_OK;
}
