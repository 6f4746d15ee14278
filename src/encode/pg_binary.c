/* SPDX-License-Identifier: Apache-2.0
 * pg_binary.c - values into PostgreSQL's binary forms.
 *
 * Tests: test/unit/encode/test_pg_binary.c (forms as PostgreSQL sends them), fuzz/fuzz_pgvalue.c */
#include "column/array.h"
#include "encode/pg_row_internal.h"

bool pg_binary_supported(TypeId id) {
    return id < TYPE_COUNT && id != TYPE_ACLITEM;
}

/* ---- times ---- */

static size_t put_date(int32_t days, uint8_t *out) {
    bool infinite = days == INT32_MIN || days == INT32_MAX;
    pg__put_u32(out, (uint32_t)(infinite ? days : days - PG_EPOCH_DAYS));
    return 4;
}

/* A timestamp of any unit in microseconds; what does not fit them is as good as infinite. */
static int64_t to_micros(TypeId id, int64_t value) {
    if (value == INT64_MIN || value == INT64_MAX) {
        return value;
    }
    if (id == TYPE_TIMESTAMP_NS) {
        return floor_div(value, 1000);
    }
    if (id == TYPE_TIMESTAMP_MS && __builtin_mul_overflow(value, 1000, &value)) {
        return value < 0 ? INT64_MIN : INT64_MAX;
    }
    return value;
}

static size_t put_timestamp(TypeId id, int64_t value, uint8_t *out) {
    int64_t micros = to_micros(id, value);
    bool infinite = micros == INT64_MIN || micros == INT64_MAX;
    pg__put_u64(out, (uint64_t)(infinite ? micros : micros - PG_EPOCH_MICROS));
    return 8;
}

static size_t put_interval(const void *value, uint8_t *out) {
    Interval interval;
    memcpy(&interval, value, sizeof interval);
    pg__put_u64(out, (uint64_t)interval.micros);
    pg__put_u32(out + 8, (uint32_t)interval.days);
    pg__put_u32(out + 12, (uint32_t)interval.months);
    return 16;
}

static size_t put_time_zoned(const void *value, uint8_t *out) {
    TimeTz time;
    memcpy(&time, value, sizeof time);
    pg__put_u64(out, (uint64_t)time.micros);
    pg__put_u32(out + 8, (uint32_t)time.zone_west);
    return 12;
}

/* A row's place: u32 block, u16 place in it. */
static size_t put_place(uint64_t value, uint8_t *out) {
    pg__put_u32(out, (uint32_t)(value >> 16));
    pg__put_u16(out + 4, (uint16_t)value);
    return 6;
}

static size_t put_character(uint32_t code_point, uint8_t *out) {
    return code_point == 0 ? 0 : (size_t)utf8_encode(code_point, (char *)out);
}

/* ---- any ---- */

size_t encode__pg_binary_fixed(Type type, const void *value, uint8_t *out) {
    union { uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } v = {0};
    size_t width = physical_bytes(type_physical((TypeId)type.id));
    memcpy(&v, value, width == 0 ? 1 : MIN_OF(width, sizeof v));
    switch ((TypeId)type.id) {
    case TYPE_BOOL:
        out[0] = v.u8 != 0;
        return 1;
    case TYPE_BYTE:
        pg__put_u16(out, (uint16_t)(int8_t)v.u8);
        return 2;
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        return encode__pg_binary_numeric(numeric_from_value(type, value), out);
    case TYPE_CHAR:
        return put_character(v.u32, out);
    case TYPE_DATE:
        return put_date((int32_t)v.u32, out);
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
        return put_timestamp((TypeId)type.id, (int64_t)v.u64, out);
    case TYPE_INTERVAL:
        return put_interval(value, out);
    case TYPE_TIMETZ:
        return put_time_zoned(value, out);
    case TYPE_TID:
        return put_place(v.u64, out);
    case TYPE_CHAR1:
        out[0] = v.u8;
        return 1;
    case TYPE_UUID:
        memcpy(out, value, 16);
        return 16;
    default:
        break;
    }
    switch (width) { /* plain integers and floats */
    case 2:
        pg__put_u16(out, v.u16);
        return 2;
    case 4:
        pg__put_u32(out, v.u32);
        return 4;
    default:
        assert(width == 8);
        pg__put_u64(out, v.u64);
        return 8;
    }
}

/* jsonb is its text behind a version. */
static ErrorCode put_string(Type type, Str bytes, const OidNames *names, Buffer *out, Error *err) {
    enum { JSONB_VERSION = 1 };
    switch ((TypeId)type.id) {
    case TYPE_FLOAT8_ARRAY:
        return encode__pg_binary_array(type, bytes, out, err);
    case TYPE_ARRAY:
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
        return encode__pg_binary_any_array(type, bytes, names, out, err);
    case TYPE_RECORD:
        return encode__pg_binary_record(bytes, names, out, err);
    case TYPE_JSONB:
        buffer_put_u8(out, JSONB_VERSION);
        break;
    default:
        break;
    }
    buffer_append_str(out, bytes);
    return buffer_check(out, err);
}

ErrorCode pg_binary_put(Type type, const void *value, const OidNames *names, Buffer *out, Error *err) {
    assert(type.id != TYPE_SYMBOL);
    if (!pg_binary_supported((TypeId)type.id)) {
        return error_set(err, ERR_UNDEFINED_FUNCTION, ERROR_NO_POSITION, "no binary output function available for type %s",
                         type_sql_name((TypeId)type.id));
    }
    if (type.id == TYPE_ENUM) {
        value_format(type, value, &(TextStyle){.names = names}, out);
        return buffer_check(out, err);
    }
    if (type_physical((TypeId)type.id) != PHYS_STR) {
        uint8_t bytes[PG_BINARY_FIXED_MAX];
        buffer_append(out, bytes, encode__pg_binary_fixed(type, value, bytes));
        return buffer_check(out, err);
    }
    StrRef ref;
    memcpy(&ref, value, sizeof ref);
    return put_string(type, strref_str(&ref), names, out, err);
}
