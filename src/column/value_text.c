/* SPDX-License-Identifier: Apache-2.0
 * value_text.c - the text of one value of any type; uuid and bytea both ways. */
#include "column/value_text.h"
#include "base/number.h"
#include "column/any_array.h"
#include "column/array.h"
#include "column/record.h"

static const char HEX[] = "0123456789abcdef";

/* ---- uuid ---- */

void uuid_format(char out[UUID_TEXT_LEN], const Uuid *uuid) {
    size_t at = 0;
    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            out[at++] = '-';
        }
        out[at++] = HEX[uuid->bytes[i] >> 4];
        out[at++] = HEX[uuid->bytes[i] & 15];
    }
    assert(at == UUID_TEXT_LEN);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool uuid_parse(Str text, Uuid *uuid_out) {
    if (text.len >= 2 && text.data[0] == '{') {
        if (text.data[text.len - 1] != '}') {
            return false;
        }
        text = str_slice(text, 1, text.len - 1);
    }
    Uuid uuid = {{0}};
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '-' && digits > 0 && digits < 32 && digits % 4 == 0 && text.data[i - 1] != '-') {
            continue;
        }
        int digit = hex_digit(text.data[i]);
        if (digit < 0 || digits == 32) {
            return false;
        }
        uuid.bytes[digits / 2] = (uint8_t)(uuid.bytes[digits / 2] << 4 | digit);
        digits++;
    }
    if (digits != 32) {
        return false;
    }
    *uuid_out = uuid;
    return true;
}

/* ---- bytea ---- */

void bytea_format(Str bytes, Buffer *out) {
    char *room = (char *)buffer_reserve(out, 2 + 2 * bytes.len);
    if (room == NULL) {
        return;
    }
    *room++ = '\\';
    *room++ = 'x';
    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t byte = (uint8_t)bytes.data[i];
        *room++ = HEX[byte >> 4];
        *room++ = HEX[byte & 15];
    }
    out->len += 2 + 2 * bytes.len;
}

void bytea_format_escape(Str bytes, Buffer *out) {
    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t byte = (uint8_t)bytes.data[i];
        if (byte == '\\') {
            buffer_append_str(out, STR("\\\\"));
        } else if (byte < 0x20 || byte > 0x7e) {
            char octal[4] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)), (char)('0' + (byte & 7))};
            buffer_append(out, octal, sizeof octal);
        } else {
            buffer_append_char(out, (char)byte);
        }
    }
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool parse_hex_form(Str digits, Buffer *out) {
    size_t i = 0;
    while (i < digits.len) {
        if (is_blank(digits.data[i])) {
            i++;
            continue;
        }
        int high = hex_digit(digits.data[i]);
        int low = i + 1 < digits.len ? hex_digit(digits.data[i + 1]) : -1;
        if (high < 0 || low < 0) {
            return false;
        }
        buffer_put_u8(out, (uint8_t)(high << 4 | low));
        i += 2;
    }
    return true;
}

static int octal_escape(Str text, size_t at) {
    if (at + 3 >= text.len) {
        return -1;
    }
    int value = 0;
    for (size_t i = 1; i <= 3; i++) {
        char c = text.data[at + i];
        if (c < '0' || c > '7') {
            return -1;
        }
        value = value * 8 + (c - '0');
    }
    return value <= 255 ? value : -1;
}

bool bytea_parse(Str text, Buffer *out) {
    if (str_starts_with(text, STR("\\x"))) {
        return parse_hex_form(str_slice(text, 2, text.len), out);
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\\') {
            buffer_append_char(out, text.data[i]);
        } else if (i + 1 < text.len && text.data[i + 1] == '\\') {
            buffer_append_char(out, '\\');
            i++;
        } else {
            int byte = octal_escape(text, i);
            if (byte < 0) {
                return false;
            }
            buffer_put_u8(out, (uint8_t)byte);
            i += 3;
        }
    }
    return true;
}

/* ---- times ---- */

static int fraction_digits(TypeId id) {
    return id == TYPE_TIMESTAMP_MS ? 3 : id == TYPE_TIMESTAMP_NS ? 9 : 6;
}

static bool is_infinite(int64_t value) {
    return value == INT64_MIN || value == INT64_MAX;
}

static size_t format_nanos(char *out, int64_t nanos, bool full) {
    int64_t micros = is_infinite(nanos) ? nanos : floor_div(nanos, 1000);
    if (!full || is_infinite(nanos)) {
        return timestamp_format_pg(out, micros, false, 0);
    }
    size_t len = timestamp_format_pg(out, floor_div(nanos, 1000000000) * 1000000, false, 0);
    int64_t fraction = nanos - floor_div(nanos, 1000000000) * 1000000000;
    return len + format_fraction(out + len, fraction, 9);
}

/* PostgreSQL's forms that are not ISO. Nanoseconds show where full_nanos asks for them. */
static size_t format_timestamp_styled(char *out, TypeId id, int64_t value, const TextStyle *style) {
    int64_t unit = id == TYPE_TIMESTAMP_MS ? 1000 : id == TYPE_TIMESTAMP_NS ? 1000000000 : 1000000;
    int64_t seconds = floor_div(value, unit);
    int32_t nanos = (int32_t)((value - seconds * unit) * (1000000000 / unit));
    Str name = {0};
    if (id == TYPE_TIMESTAMP_NS && !style->full_nanos) {
        nanos = nanos / 1000 * 1000;
    } else if (id == TYPE_TIMESTAMPTZ && style->zone == NULL) {
        name = STR("UTC");
    } else if (id == TYPE_TIMESTAMPTZ) {
        name = zone_abbreviation_at_utc(style->zone, seconds);
        seconds += zone_offset_at_utc(style->zone, seconds);
    }
    return timestamp_format_styled(out, seconds, nanos, style->value.date, name);
}

static size_t format_timestamp_pg(char *out, TypeId id, int64_t value, const TextStyle *style) {
    switch (id) {
    case TYPE_TIMESTAMP_MS:
        if (is_infinite(value) || __builtin_mul_overflow(value, 1000, &value)) { /* beyond microseconds: as good as infinite */
            value = value < 0 ? INT64_MIN : INT64_MAX;
        }
        return timestamp_format_pg(out, value, false, 0);
    case TYPE_TIMESTAMP_NS:
        return format_nanos(out, value, style->full_nanos);
    case TYPE_TIMESTAMPTZ: {
        int32_t offset = 0;
        if (style->zone != NULL && !is_infinite(value)) {
            offset = zone_offset_at_utc(style->zone, floor_div(value, MICROS_PER_SECOND));
        }
        return timestamp_format_pg(out, value, true, offset);
    }
    default:
        return timestamp_format_pg(out, value, false, 0);
    }
}

static size_t format_time(char *out, TypeId id, const void *value, const TextStyle *style) {
    bool styled = style->value.date.form != DATE_FORM_ISO && !style->questdb;
    if (id == TYPE_DATE) {
        int32_t days;
        memcpy(&days, value, sizeof days);
        bool finite = days != INT32_MIN && days != INT32_MAX;
        if (style->questdb && finite) {
            return timestamp_format_iso(out, (int64_t)days * 86400000, 3);
        }
        return styled && finite ? date_format_styled(out, days, style->value.date) : date_format_pg(out, days);
    }
    int64_t time;
    memcpy(&time, value, sizeof time);
    if (style->questdb && !is_infinite(time)) {
        return timestamp_format_iso(out, time, fraction_digits(id));
    }
    return styled && !is_infinite(time) ? format_timestamp_styled(out, id, time, style) : format_timestamp_pg(out, id, time, style);
}

/* ---- numbers ---- */

static int64_t integer_load(TypeId id, const void *value) {
    switch (type_physical(id)) {
    case PHYS_8: {
        int8_t v;
        memcpy(&v, value, sizeof v);
        return v;
    }
    case PHYS_16: {
        int16_t v;
        memcpy(&v, value, sizeof v);
        return v;
    }
    case PHYS_32: {
        int32_t v;
        memcpy(&v, value, sizeof v);
        return v;
    }
    default: {
        int64_t v;
        memcpy(&v, value, sizeof v);
        return v;
    }
    }
}

enum { FLOAT_DIGITS = 6, DOUBLE_DIGITS = 15 };

static size_t format_number(char *out, Type type, const void *value, const TextStyle *style) {
    DoubleStyle doubles = style->questdb ? DOUBLE_JAVA : DOUBLE_POSTGRES;
    bool rounded = style->value.floats_rounded && !style->questdb;
    switch ((TypeId)type.id) {
    case TYPE_FLOAT4: {
        float v;
        memcpy(&v, value, sizeof v);
        return rounded ? format_rounded(out, (double)v, MAX_OF(1, FLOAT_DIGITS + style->value.float_digits)) : format_float(out, v, doubles);
    }
    case TYPE_FLOAT8: {
        double v;
        memcpy(&v, value, sizeof v);
        return rounded ? format_rounded(out, v, MAX_OF(1, DOUBLE_DIGITS + style->value.float_digits)) : format_double(out, v, doubles);
    }
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        return numeric_format(out, numeric_from_value(type, value));
    default:
        return format_int64(out, integer_load((TypeId)type.id, value));
    }
}

/* ---- any type ---- */

static size_t format_bool(char *out, bool value, bool questdb) {
    Str text = value ? STR("true") : STR("false");
    text.len = questdb ? text.len : 1;
    memcpy(out, text.data, text.len);
    return text.len;
}

/* ---- objects of the catalog ---- */

void oid_format(TypeId type, uint32_t oid, const TextStyle *style, Buffer *out) {
    char name[200];
    bool number = type == TYPE_OID || type == TYPE_XID || type == TYPE_CID;
    if (number || (oid != 0 && (style->names == NULL || type == TYPE_REGTYPE))) {
        Type known;
        if (type == TYPE_REGTYPE && type_from_oid(oid, &known)) {
            buffer_append(out, name, type_format_pg(name, sizeof name, oid, -1));
        } else if (type != TYPE_REGTYPE || style->names == NULL || !style->names->append(style->names, type, oid, out)) {
            buffer_append(out, name, format_uint64(name, oid));
        }
    } else if (oid == 0) {
        buffer_append_char(out, '-');
    } else if (!style->names->append(style->names, type, oid, out)) {
        buffer_append(out, name, format_uint64(name, oid));
    }
}

void enum_format(int64_t value, const TextStyle *style, Buffer *out) {
    char number[32];
    if (style->names == NULL || !style->names->label(style->names, value, out)) {
        buffer_append(out, number, format_int64(number, value));
    }
}

static size_t format_enum_fixed(char *out, const void *value, const TextStyle *style) {
    int64_t number;
    Buffer text;
    memcpy(&number, value, sizeof number);
    buffer_init(&text, VALUE_TEXT_MAX);
    enum_format(number, style, &text);
    size_t len = text.len;
    memcpy(out, text.data, len);
    buffer_deinit(&text);
    return len;
}

/* In the room of a fixed-width value: a name that is longer gives its number. */
static size_t format_oid_fixed(char *out, TypeId id, const void *value, const TextStyle *style) {
    uint32_t oid;
    Buffer text;
    memcpy(&oid, value, sizeof oid);
    buffer_init(&text, 4096);
    oid_format(id, oid, style, &text);
    size_t len = text.len;
    if (len <= VALUE_TEXT_MAX && !text.failed) {
        memcpy(out, text.data, len);
    } else {
        len = format_uint64(out, oid);
    }
    buffer_deinit(&text);
    return len;
}

static size_t format_clock(char *out, TypeId id, const void *value) {
    if (id == TYPE_TIME) {
        int64_t micros;
        memcpy(&micros, value, sizeof micros);
        return clock_format(out, micros);
    }
    TimeTz time;
    memcpy(&time, value, sizeof time);
    return clock_tz_format(out, time);
}

static size_t format_system(char *out, TypeId id, const void *value) {
    uint64_t word;
    memcpy(&word, value, sizeof word);
    if (id != TYPE_TID) {
        return format_uint64(out, word);
    }
    size_t len = 0;
    out[len++] = '(';
    len += format_uint64(out + len, word >> 16);
    out[len++] = ',';
    len += format_uint64(out + len, word & 0xffff);
    out[len++] = ')';
    return len;
}

/* "char": bytes beyond ASCII print as \\ooo. */
static size_t format_char1(char *out, uint8_t byte) {
    if (byte < 128) {
        out[0] = (char)byte;
        return byte != 0;
    }
    out[0] = '\\';
    out[1] = (char)('0' + (byte >> 6));
    out[2] = (char)('0' + (byte >> 3 & 7));
    out[3] = (char)('0' + (byte & 7));
    return 4;
}

size_t value_format_fixed(char *out, Type type, const void *value, const TextStyle *style) {
    switch (type_category((TypeId)type.id)) {
    case CAT_BOOL:
        return format_bool(out, *(const uint8_t *)value != 0, style->questdb);
    case CAT_NUMBER:
        return format_number(out, type, value, style);
    case CAT_TIME:
        return format_time(out, (TypeId)type.id, value, style);
    case CAT_INTERVAL: {
        Interval interval;
        memcpy(&interval, value, sizeof interval);
        return interval_format_styled(out, interval, style->questdb ? INTERVAL_POSTGRES : (IntervalStyle)style->value.interval);
    }
    case CAT_UUID:
        uuid_format(out, value);
        return UUID_TEXT_LEN;
    case CAT_CLOCK:
        return format_clock(out, (TypeId)type.id, value);
    case CAT_OID:
        return format_oid_fixed(out, (TypeId)type.id, value, style);
    case CAT_ENUM:
        return format_enum_fixed(out, value, style);
    case CAT_SYSTEM:
        return format_system(out, (TypeId)type.id, value);
    default: {
        if (type.id == TYPE_CHAR1) {
            return format_char1(out, *(const uint8_t *)value);
        }
        assert(type.id == TYPE_CHAR);
        uint32_t code_point;
        memcpy(&code_point, value, sizeof code_point);
        return code_point == 0 ? 0 : (size_t)utf8_encode(code_point, out);
    }
    }
}

static void format_array(Type type, Str bytes, const TextStyle *style, Buffer *out) {
    AnyArray array;
    if (any_array_view(bytes, &array, NULL) != ERR_OK) {
        return;
    }
    if (type.id == TYPE_ARRAY) {
        any_array_format(&array, style, out);
    } else {
        any_vector_format(&array, style, out);
    }
}

void value_format(Type type, const void *value, const TextStyle *style, Buffer *out) {
    if (type_category((TypeId)type.id) == CAT_OID) {
        uint32_t oid;
        memcpy(&oid, value, sizeof oid);
        oid_format((TypeId)type.id, oid, style, out);
        return;
    }
    if (type.id == TYPE_ENUM) {
        int64_t number;
        memcpy(&number, value, sizeof number);
        enum_format(number, style, out);
        return;
    }
    if (type_physical((TypeId)type.id) != PHYS_STR) {
        uint8_t *room = buffer_reserve(out, VALUE_TEXT_MAX);
        if (room != NULL) {
            out->len += value_format_fixed((char *)room, type, value, style);
        }
        return;
    }
    StrRef ref;
    memcpy(&ref, value, sizeof ref);
    Str bytes = strref_str(&ref);
    ArrayView view;
    if (type.id == TYPE_BYTEA && style->value.bytea_escape && !style->questdb) {
        bytea_format_escape(bytes, out);
    } else if (type.id == TYPE_BYTEA) {
        bytea_format(bytes, out);
    } else if (type_is_any_array((TypeId)type.id)) {
        format_array(type, bytes, style, out);
    } else if (type.id == TYPE_RECORD) {
        record_format(bytes, style, out);
    } else if (type.id != TYPE_FLOAT8_ARRAY) {
        buffer_append_str(out, bytes);
    } else if (array_view(bytes, &view, NULL) == ERR_OK) {
        array_format_text(&view, style->questdb ? '[' : '{', style->questdb ? ']' : '}', out);
    }
}
