/* SPDX-License-Identifier: Apache-2.0
 * compiler.h - the few attributes and limits that every folder uses; the only #if outside os/ and kernels/. */
#pragma once
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODISCARD __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define UNUSED __attribute__((unused))
#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))

typedef __int128 Int128;           /* pedantic builds know it as an extension */
typedef unsigned __int128 Uint128;

/* 113 bits of mantissa, about 34 decimal digits; arithmetic only, no library. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 Quad;
#else
typedef long double Quad;
#endif

/* assert() is on in every build. assert_slow() only where BASALT_SLOW_ASSERTS is set (sanitizer and test builds). */
#ifdef BASALT_SLOW_ASSERTS
#define assert_slow(x) assert(x)
#else
#define assert_slow(x) ((void)0)
#endif
