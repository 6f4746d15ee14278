/* SPDX-License-Identifier: Apache-2.0
 * pg_binary_read.c - values out of PostgreSQL's binary forms: parameters and fields of COPY.
 *
 * Tests: test/unit/encode/test_pg_binary.c, fuzz/fuzz_pgvalue.c */
#include "column/jsonb.h"
#include "encode/pg_row_internal.h"

static ErrorCode short_error(Error *err) {
    return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "insufficient data left in message");
}

static ErrorCode format_error(Error *err) {
    return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "incorrect binary data format");
}

static ErrorCode want_bytes(Bytes bytes, size_t want, Error *err) {
    return bytes.len < want ? short_error(err) : bytes.len > want ? format_error(err) : ERR_OK;
}

/* ---- texts ---- */

static ErrorCode invalid_bytes(Str text, size_t at, Error *err) {
    return error_set(err, ERR_INVALID_ENCODING, (int64_t)at, "invalid byte sequence for encoding \"UTF8\": 0x%02x", (uint8_t)text.data[at]);
}

static ErrorCode check_text(Str text, Error *err) {
    size_t at = 0;
    uint32_t code_point;
    if (utf8_valid(text) && (text.len == 0 || str_find_char(text, '\0', 0) < 0)) {
        return ERR_OK;
    }
    for (int used = 1; at < text.len && text.data[at] != '\0'; at += (size_t)used) {
        used = utf8_decode(text, at, &code_point);
        if (used <= 0) {
            break;
        }
    }
    return invalid_bytes(text, at, err);
}

static void store_text(Str text, void *value_out) {
    StrRef ref = strref_make(text.data, text.len);
    memcpy(value_out, &ref, sizeof ref);
}

static ErrorCode read_text(Bytes bytes, void *value_out, Error *err) {
    Str text = str_from((const char *)bytes.data, bytes.len);
    TRY(check_text(text, err));
    store_text(text, value_out);
    return ERR_OK;
}

/* "char": one byte, or none; more than ASCII comes as UTF-8 from clients that know the type as text. */
static ErrorCode read_character(Bytes bytes, void *value_out, Error *err) {
    Str text = str_from((const char *)bytes.data, bytes.len);
    uint32_t code_point = 0;
    TRY(check_text(text, err));
    int used = utf8_decode(text, 0, &code_point);
    if (used < 0 || (size_t)used != text.len) {
        return format_error(err);
    }
    memcpy(value_out, &code_point, sizeof code_point);
    return ERR_OK;
}

/* ---- times ---- */

static ErrorCode out_of_range(const char *what, Error *err) {
    return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "%s out of range", what);
}

static ErrorCode read_date(Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 4, err));
    int32_t days = (int32_t)pg__get_u32(bytes.data);
    bool infinite = days == INT32_MIN || days == INT32_MAX;
    if (!infinite && (__builtin_add_overflow(days, PG_EPOCH_DAYS, &days) || days == INT32_MAX)) {
        return out_of_range("date", err);
    }
    memcpy(value_out, &days, sizeof days);
    return ERR_OK;
}

static bool from_micros(TypeId id, int64_t micros, int64_t *value_out) {
    if (id == TYPE_TIMESTAMP_MS) {
        *value_out = floor_div(micros, 1000);
        return true;
    }
    *value_out = micros;
    return id != TYPE_TIMESTAMP_NS || !__builtin_mul_overflow(micros, 1000, value_out);
}

static ErrorCode read_timestamp(TypeId id, Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 8, err));
    int64_t value = (int64_t)pg__get_u64(bytes.data);
    bool infinite = value == INT64_MIN || value == INT64_MAX;
    if (!infinite && (__builtin_add_overflow(value, PG_EPOCH_MICROS, &value) || value == INT64_MAX || !from_micros(id, value, &value))) {
        return out_of_range("timestamp", err);
    }
    memcpy(value_out, &value, sizeof value);
    return ERR_OK;
}

static ErrorCode read_interval(Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 16, err));
    Interval interval = {.micros = (int64_t)pg__get_u64(bytes.data), .days = (int32_t)pg__get_u32(bytes.data + 8),
                         .months = (int32_t)pg__get_u32(bytes.data + 12)};
    memcpy(value_out, &interval, sizeof interval);
    return ERR_OK;
}

static ErrorCode read_time(Bytes bytes, int64_t *micros_out, Error *err) {
    int64_t micros = (int64_t)pg__get_u64(bytes.data);
    if (micros < 0 || micros > MICROS_PER_DAY) {
        return out_of_range("time", err);
    }
    *micros_out = micros;
    return ERR_OK;
}

static ErrorCode read_clock(Bytes bytes, void *value_out, Error *err) {
    int64_t micros = 0;
    TRY(want_bytes(bytes, 8, err));
    TRY(read_time(bytes, &micros, err));
    memcpy(value_out, &micros, sizeof micros);
    return ERR_OK;
}

static ErrorCode read_clock_zoned(Bytes bytes, void *value_out, Error *err) {
    enum { DISPLACEMENT_MAX = 16 * 3600 }; /* PostgreSQL's: less than sixteen hours */
    TimeTz time = {0};
    TRY(want_bytes(bytes, 12, err));
    TRY(read_time(bytes, &time.micros, err));
    time.zone_west = (int32_t)pg__get_u32(bytes.data + 8);
    if (time.zone_west <= -DISPLACEMENT_MAX || time.zone_west >= DISPLACEMENT_MAX) {
        return out_of_range("time zone displacement", err);
    }
    memcpy(value_out, &time, sizeof time);
    return ERR_OK;
}

/* ---- numbers ---- */

static ErrorCode read_byte(Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 2, err));
    int16_t value = (int16_t)pg__get_u16(bytes.data);
    if (value < INT8_MIN || value > INT8_MAX) {
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value \"%d\" is out of range for type byte", value);
    }
    int8_t small = (int8_t)value;
    memcpy(value_out, &small, sizeof small);
    return ERR_OK;
}

static ErrorCode read_bool(Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 1, err));
    uint8_t value = bytes.data[0] != 0;
    memcpy(value_out, &value, sizeof value);
    return ERR_OK;
}

static ErrorCode read_char1(Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 1, err));
    memcpy(value_out, bytes.data, 1);
    return ERR_OK;
}

static ErrorCode read_place(Bytes bytes, void *value_out, Error *err) {
    TRY(want_bytes(bytes, 6, err));
    uint64_t place = (uint64_t)pg__get_u32(bytes.data) << 16 | pg__get_u16(bytes.data + 4);
    memcpy(value_out, &place, sizeof place);
    return ERR_OK;
}

/* Plain integers and floats of `width` bytes. */
static ErrorCode read_plain(Bytes bytes, size_t width, void *value_out, Error *err) {
    TRY(want_bytes(bytes, width, err));
    if (width == 2) {
        uint16_t value = pg__get_u16(bytes.data);
        memcpy(value_out, &value, sizeof value);
    } else if (width == 4) {
        uint32_t value = pg__get_u32(bytes.data);
        memcpy(value_out, &value, sizeof value);
    } else {
        assert(width == 8);
        uint64_t value = pg__get_u64(bytes.data);
        memcpy(value_out, &value, sizeof value);
    }
    return ERR_OK;
}

/* ---- any ---- */

static ErrorCode read_fixed(Type type, Bytes bytes, Arena *arena, void *value_out, Error *err) {
    switch ((TypeId)type.id) {
    case TYPE_BOOL:
        return read_bool(bytes, value_out, err);
    case TYPE_BYTE:
        return read_byte(bytes, value_out, err);
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        return encode__pg_binary_numeric_read(type, bytes, arena, value_out, err);
    case TYPE_CHAR:
        return read_character(bytes, value_out, err);
    case TYPE_DATE:
        return read_date(bytes, value_out, err);
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
        return read_timestamp((TypeId)type.id, bytes, value_out, err);
    case TYPE_INTERVAL:
        return read_interval(bytes, value_out, err);
    case TYPE_TIME:
        return read_clock(bytes, value_out, err);
    case TYPE_TIMETZ:
        return read_clock_zoned(bytes, value_out, err);
    case TYPE_TID:
        return read_place(bytes, value_out, err);
    case TYPE_CHAR1:
        return read_char1(bytes, value_out, err);
    case TYPE_UUID:
        TRY(want_bytes(bytes, sizeof(Uuid), err));
        memcpy(value_out, bytes.data, sizeof(Uuid));
        return ERR_OK;
    default:
        return read_plain(bytes, physical_bytes(type_physical((TypeId)type.id)), value_out, err);
    }
}

/* ---- json, names and what else is a string ---- */

static ErrorCode read_json(Bytes bytes, void *value_out, Error *err) {
    TRY(read_text(bytes, value_out, err));
    return json_check(str_from((const char *)bytes.data, bytes.len), err);
}

static ErrorCode read_jsonb(Bytes bytes, Arena *arena, void *value_out, Error *err) {
    if (bytes.len == 0) {
        return short_error(err);
    }
    if (bytes.data[0] != 1) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "unsupported jsonb version number %d", bytes.data[0]);
    }
    Str text = str_from((const char *)bytes.data + 1, bytes.len - 1);
    TRY(check_text(text, err));
    Buffer normal;
    buffer_init(&normal, STRREF_BYTES_MAX);
    ErrorCode code = jsonb_normalise(text, &normal, err);
    if (code == ERR_OK) {
        store_text(arena_str(arena, buffer_str(&normal)), value_out);
    }
    buffer_deinit(&normal);
    return code;
}

static ErrorCode read_name(Bytes bytes, void *value_out, Error *err) {
    if (bytes.len > NAME_TYPE_BYTES_MAX) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "identifier too long");
    }
    return read_text(bytes, value_out, err);
}

/* The label. */
static ErrorCode read_enum(Type type, Bytes bytes, const OidNames *names, void *value_out, Error *err) {
    Str label = str_from((const char *)bytes.data, bytes.len);
    int64_t value = 0;
    TRY(check_text(label, err));
    if (names == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "input of an enum is not supported here");
    }
    TRY(names->label_find(names, type_enum_object(type), label, &value, err));
    memcpy(value_out, &value, sizeof value);
    return ERR_OK;
}

static ErrorCode read_string(Type type, Bytes bytes, const OidNames *names, Arena *arena, void *value_out, Error *err) {
    switch ((TypeId)type.id) {
    case TYPE_FLOAT8_ARRAY:
        return encode__pg_binary_array_read(type, bytes, arena, value_out, err);
    case TYPE_ARRAY:
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
        return encode__pg_binary_any_array_read(type, bytes, names, arena, value_out, err);
    case TYPE_BYTEA:
        store_text(str_from((const char *)bytes.data, bytes.len), value_out);
        return ERR_OK;
    case TYPE_JSON:
        return read_json(bytes, value_out, err);
    case TYPE_JSONB:
        return read_jsonb(bytes, arena, value_out, err);
    case TYPE_NAME:
        return read_name(bytes, value_out, err);
    case TYPE_RECORD:
    case TYPE_NODE_TREE:
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "cannot accept a value of type %s", type_sql_name((TypeId)type.id));
    default:
        return read_text(bytes, value_out, err);
    }
}

ErrorCode pg_binary_read(Type type, Bytes bytes, const OidNames *names, Arena *arena, void *value_out, Error *err) {
    if (!pg_binary_supported((TypeId)type.id)) {
        return error_set(err, ERR_UNDEFINED_FUNCTION, ERROR_NO_POSITION, "no binary input function available for type %s",
                         type_sql_name((TypeId)type.id));
    }
    if (type.id == TYPE_SYMBOL) {
        return read_text(bytes, value_out, err);
    }
    if (type.id == TYPE_ENUM) {
        return read_enum(type, bytes, names, value_out, err);
    }
    if (type_physical((TypeId)type.id) != PHYS_STR) {
        return read_fixed(type, bytes, arena, value_out, err);
    }
    return read_string(type, bytes, names, arena, value_out, err);
}
