/* SPDX-License-Identifier: Apache-2.0
 * value_rules.c - see value_rules.h. Values may stand at any alignment. */
#include "column/value_rules.h"
#include "base/hash.h"

#define INTEGER_RULES(name, T)                                                                                         \
    static int compare_##name(const void *a, const void *b) {                                                          \
        T x;                                                                                                           \
        T y;                                                                                                           \
        memcpy(&x, a, sizeof x);                                                                                       \
        memcpy(&y, b, sizeof y);                                                                                       \
        return (x > y) - (x < y);                                                                                      \
    }                                                                                                                  \
    static bool equal_##name(const void *a, const void *b) { return memcmp(a, b, sizeof(T)) == 0; }                    \
    static uint64_t hash_##name(const void *a) {                                                                       \
        T x;                                                                                                           \
        memcpy(&x, a, sizeof x);                                                                                       \
        return hash_u64((uint64_t)x);                                                                                  \
    }
INTEGER_RULES(bool, uint8_t)
INTEGER_RULES(i8, int8_t)
INTEGER_RULES(i16, int16_t)
INTEGER_RULES(i32, int32_t)
INTEGER_RULES(i64, int64_t)
#undef INTEGER_RULES

static uint64_t value_hash_double(double value) {
    if (value != value) {
        value = __builtin_nan("");
    }
    value += 0.0; /* -0 becomes 0 */
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return hash_u64(bits);
}

static double read_float4(const void *a) {
    float x;
    memcpy(&x, a, sizeof x);
    return x;
}

static double read_float8(const void *a) {
    double x;
    memcpy(&x, a, sizeof x);
    return x;
}

#define FLOAT_RULES(name)                                                                                              \
    static int compare_##name(const void *a, const void *b) { return double_compare(read_##name(a), read_##name(b)); } \
    static bool equal_##name(const void *a, const void *b) { return compare_##name(a, b) == 0; }                       \
    static uint64_t hash_##name(const void *a) { return value_hash_double(read_##name(a)); }
FLOAT_RULES(float4)
FLOAT_RULES(float8)
#undef FLOAT_RULES

static int compare_i128(const void *a, const void *b) {
    Int128 x;
    Int128 y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static bool equal_16(const void *a, const void *b) {
    return memcmp(a, b, 16) == 0;
}

static uint64_t hash_16(const void *a) {
    uint64_t words[2];
    memcpy(words, a, sizeof words);
    return hash_u64(words[0] ^ hash_u64(words[1]));
}

static Numeric read_numeric(const void *a) {
    NumericSlot slot;
    memcpy(&slot, a, sizeof slot);
    return numeric_from_slot(&slot);
}

static int compare_numeric(const void *a, const void *b) {
    return numeric_compare(read_numeric(a), read_numeric(b));
}

static bool equal_numeric(const void *a, const void *b) {
    return compare_numeric(a, b) == 0;
}

static uint64_t hash_numeric(const void *a) {
    Numeric value = read_numeric(a);
    if (value.kind != NUMERIC_FINITE) {
        return hash_u64(value.kind);
    }
    while (value.scale > 0 && value.coefficient % 10 == 0) {
        value.coefficient /= 10;
        value.scale--;
    }
    if (value.coefficient == 0) {
        value.scale = 0;
    }
    return hash_u64((uint64_t)value.coefficient ^ hash_u64((uint64_t)(value.coefficient >> 64) + (uint64_t)value.scale));
}

static int compare_str(const void *a, const void *b) {
    StrRef x;
    StrRef y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strref_compare(&x, &y);
}

static bool equal_str(const void *a, const void *b) {
    StrRef x;
    StrRef y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strref_equal(&x, &y);
}

static uint64_t hash_str(const void *a) {
    StrRef x;
    memcpy(&x, a, sizeof x);
    if (x.len <= STRREF_INLINE) {
        return hash_16(&x);
    }
    return hash_bytes(x.as.data, x.len, 0);
}

static int compare_bytes16(const void *a, const void *b) {
    return memcmp(a, b, 16);
}

static Int128 interval_span(const void *a) {
    Interval x;
    memcpy(&x, a, sizeof x);
    return ((Int128)x.months * 30 + x.days) * INT64_C(86400000000) + x.micros;
}

static int compare_interval(const void *a, const void *b) {
    Int128 x = interval_span(a);
    Int128 y = interval_span(b);
    return (x > y) - (x < y);
}

static bool equal_interval(const void *a, const void *b) {
    return compare_interval(a, b) == 0;
}

static uint64_t hash_interval(const void *a) {
    Int128 span = interval_span(a);
    return hash_16(&span);
}

const ValueRules *value_rules(TypeId type) {
    static const ValueRules bool_rules = {compare_bool, equal_bool, hash_bool};
    static const ValueRules i8 = {compare_i8, equal_i8, hash_i8};
    static const ValueRules i16 = {compare_i16, equal_i16, hash_i16};
    static const ValueRules i32 = {compare_i32, equal_i32, hash_i32};
    static const ValueRules i64 = {compare_i64, equal_i64, hash_i64};
    static const ValueRules i128 = {compare_i128, equal_16, hash_16};
    static const ValueRules float4 = {compare_float4, equal_float4, hash_float4};
    static const ValueRules float8 = {compare_float8, equal_float8, hash_float8};
    static const ValueRules numeric = {compare_numeric, equal_numeric, hash_numeric};
    static const ValueRules str = {compare_str, equal_str, hash_str};
    static const ValueRules uuid = {compare_bytes16, equal_16, hash_16};
    static const ValueRules interval = {compare_interval, equal_interval, hash_interval};
    switch (type) {
    case TYPE_NUMERIC:
        return &numeric;
    case TYPE_UUID:
        return &uuid;
    case TYPE_INTERVAL:
        return &interval;
    default:
        break;
    }
    static const ValueRules *const by_physical[] = {
        [PHYS_BIT] = &bool_rules, [PHYS_8] = &i8, [PHYS_16] = &i16, [PHYS_32] = &i32, [PHYS_64] = &i64,
        [PHYS_128] = &i128, [PHYS_F32] = &float4, [PHYS_F64] = &float8, [PHYS_STR] = &str,
    };
    return by_physical[type_physical(type)];
}
