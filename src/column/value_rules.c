/* SPDX-License-Identifier: Apache-2.0
 * value_rules.c - see value_rules.h. Values may stand at any alignment. */
#include "column/value_rules.h"
#include "base/hash.h"
#include "column/any_array.h"
#include "column/jsonb.h"
#include "column/record.h"

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

static Int128 read_span(const void *a) {
    Interval x;
    memcpy(&x, a, sizeof x);
    return ((Int128)x.months * 30 + x.days) * INT64_C(86400000000) + x.micros;
}

static int compare_interval(const void *a, const void *b) {
    Int128 x = read_span(a);
    Int128 y = read_span(b);
    return (x > y) - (x < y);
}

static bool equal_interval(const void *a, const void *b) {
    return compare_interval(a, b) == 0;
}

static uint64_t hash_interval(const void *a) {
    Int128 span = read_span(a);
    return hash_16(&span);
}

/* Unsigned: oids, "char", xid8. */
#define UNSIGNED_RULES(name, T)                                                                                        \
    static int compare_##name(const void *a, const void *b) {                                                          \
        T x;                                                                                                           \
        T y;                                                                                                           \
        memcpy(&x, a, sizeof x);                                                                                       \
        memcpy(&y, b, sizeof y);                                                                                       \
        return (x > y) - (x < y);                                                                                      \
    }
UNSIGNED_RULES(u8, uint8_t)
UNSIGNED_RULES(u32, uint32_t)
UNSIGNED_RULES(u64, uint64_t)
#undef UNSIGNED_RULES

/* By the instant, then by the zone. */
static int compare_timetz(const void *a, const void *b) {
    TimeTz x;
    TimeTz y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    int64_t u = x.micros + (int64_t)x.zone_west * 1000000;
    int64_t v = y.micros + (int64_t)y.zone_west * 1000000;
    return u != v ? (u > v) - (u < v) : (x.zone_west > y.zone_west) - (x.zone_west < y.zone_west);
}

static Str read_str(const void *a, StrRef *ref) {
    memcpy(ref, a, sizeof *ref);
    return strref_str(ref);
}

static Str without_padding(Str text) {
    while (text.len > 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

/* char(n): blanks at the end do not count. */
static int compare_bpchar(const void *a, const void *b) {
    StrRef x;
    StrRef y;
    return str_compare(without_padding(read_str(a, &x)), without_padding(read_str(b, &y)));
}

static bool equal_bpchar(const void *a, const void *b) {
    return compare_bpchar(a, b) == 0;
}

static uint64_t hash_bpchar(const void *a) {
    StrRef x;
    Str text = without_padding(read_str(a, &x));
    return hash_bytes(text.data, text.len, 0);
}

static int compare_array(const void *a, const void *b) {
    StrRef x;
    StrRef y;
    AnyArray u;
    AnyArray v;
    Str p = read_str(a, &x);
    Str q = read_str(b, &y);
    if (any_array_view(p, &u, NULL) != ERR_OK || any_array_view(q, &v, NULL) != ERR_OK) {
        return str_compare(p, q);
    }
    return any_array_compare(&u, &v);
}

static bool equal_array(const void *a, const void *b) {
    return equal_str(a, b) || compare_array(a, b) == 0;
}

static uint64_t hash_array(const void *a) {
    StrRef x;
    AnyArray u;
    Str p = read_str(a, &x);
    return any_array_view(p, &u, NULL) != ERR_OK ? hash_bytes(p.data, p.len, 0) : any_array_hash(&u);
}

static int compare_jsonb(const void *a, const void *b) {
    StrRef x;
    StrRef y;
    return jsonb_compare(read_str(a, &x), read_str(b, &y));
}

static bool equal_jsonb(const void *a, const void *b) {
    return equal_str(a, b) || compare_jsonb(a, b) == 0;
}

static uint64_t hash_jsonb(const void *a) {
    StrRef x;
    return jsonb_hash(read_str(a, &x));
}

static int compare_record(const void *a, const void *b) {
    StrRef x;
    StrRef y;
    return record_compare(read_str(a, &x), read_str(b, &y));
}

static bool equal_record(const void *a, const void *b) {
    return compare_record(a, b) == 0;
}

static uint64_t hash_record(const void *a) {
    StrRef x;
    return record_hash(read_str(a, &x));
}

const ValueRules *value_rules(TypeId type) {
    static const ValueRules u8 = {compare_u8, equal_i8, hash_i8};
    static const ValueRules u32 = {compare_u32, equal_i32, hash_i32};
    static const ValueRules u64 = {compare_u64, equal_i64, hash_i64};
    static const ValueRules timetz = {compare_timetz, equal_16, hash_16};
    static const ValueRules bpchar = {compare_bpchar, equal_bpchar, hash_bpchar};
    static const ValueRules array = {compare_array, equal_array, hash_array};
    static const ValueRules jsonb = {compare_jsonb, equal_jsonb, hash_jsonb};
    static const ValueRules record = {compare_record, equal_record, hash_record};
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
    case TYPE_TIMETZ:
        return &timetz;
    case TYPE_BPCHAR:
        return &bpchar;
    case TYPE_CHAR1:
        return &u8;
    case TYPE_XID8:
    case TYPE_TID:
        return &u64;
    case TYPE_ARRAY:
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
        return &array;
    case TYPE_JSONB:
        return &jsonb;
    case TYPE_RECORD:
        return &record;
    default:
        break;
    }
    if (type_category(type) == CAT_OID) {
        return &u32;
    }
    static const ValueRules *const by_physical[] = {
        [PHYS_BIT] = &bool_rules, [PHYS_8] = &i8, [PHYS_16] = &i16, [PHYS_32] = &i32, [PHYS_64] = &i64,
        [PHYS_128] = &i128, [PHYS_F32] = &float4, [PHYS_F64] = &float8, [PHYS_STR] = &str,
    };
    return by_physical[type_physical(type)];
}
