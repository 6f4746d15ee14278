/* SPDX-License-Identifier: Apache-2.0
 * value_parse.c - text input of every type: one value, with PostgreSQL's errors. */
#include <math.h>

#include "column/array.h"
#include "sql/func/cast_internal.h"
#include "sql/func/time/datetime_in.h"
#include "sql/func/time/interval_in.h"

static ErrorCode invalid(Type type, Str text, ErrorCode code, Error *err) {
    const char *name = type.id == TYPE_TIMESTAMP ? "timestamp" : type.id == TYPE_TIME ? "time" : type_sql_name((TypeId)type.id); /* PostgreSQL's short name here */
    return error_set(err, code, 0, "invalid input syntax for type %s: \"%.*s\"", name, (int)MIN_OF(text.len, 200), text.data);
}

static ErrorCode out_of_range(Type type, Str text, Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, 0, "value \"%.*s\" is out of range for type %s", (int)MIN_OF(text.len, 200), text.data,
                     type_sql_name((TypeId)type.id));
}

/* ---- booleans and numbers ---- */

static ErrorCode parse_bool(Type type, Str text, void *out, Error *err) {
    static const struct {
        const char *word;
        uint8_t least; /* shortest prefix that is understood */
        bool value;
    } WORDS[] = {{"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false},
                 {"on", 2, true},   {"off", 2, false},   {"1", 1, true},   {"0", 1, false}};
    Str word = str_trim(text);
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        Str full = str_from_c(WORDS[i].word);
        if (word.len >= WORDS[i].least && word.len <= full.len && str_equal_ignore_case(word, str_slice(full, 0, word.len))) {
            *(uint8_t *)out = WORDS[i].value;
            return ERR_OK;
        }
    }
    return invalid(type, text, ERR_INVALID_TEXT, err);
}

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : 16;
}

/* PostgreSQL's further forms of an integer: 0x1F, 0o17, 0b101, and single underscores between digits. */
static bool parse_written_integer(Str text, int64_t *value_out, bool *overflow_out) {
    size_t at = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    bool negative = at > 0 && text.data[0] == '-', after_digit = false;
    int base = 10;
    if (at + 1 < text.len && text.data[at] == '0') {
        char mark = (char)(text.data[at + 1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
        at += base == 10 ? 0 : 2;
        after_digit = base != 10; /* 0x_1F is one */
    }
    uint64_t value = 0;
    for (; at < text.len; at++) {
        int digit = digit_of(text.data[at]);
        if (text.data[at] == '_' && after_digit && at + 1 < text.len) {
            after_digit = false;
            continue;
        }
        if (digit >= base) {
            return false;
        }
        after_digit = true;
        *overflow_out = *overflow_out || __builtin_mul_overflow(value, (uint64_t)base, &value) || __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    *overflow_out = after_digit && (*overflow_out || value > (uint64_t)INT64_MAX + negative);
    *value_out = (int64_t)(negative ? -value : value);
    return after_digit && !*overflow_out && digit_of(text.data[text.len - 1]) < base;
}

static ErrorCode parse_integer(Type type, Str text, void *out, Error *err) {
    int64_t value;
    bool overflow = false;
    size_t bytes = physical_bytes(type_physical((TypeId)type.id));
    if (!parse_int64(str_trim(text), &value, &overflow) && (overflow || !parse_written_integer(str_trim(text), &value, &overflow))) {
        return overflow ? out_of_range(type, text, err) : invalid(type, text, ERR_INVALID_TEXT, err);
    }
    int64_t high = bytes == 8 ? INT64_MAX : (INT64_C(1) << (8 * bytes - 1)) - 1;
    if (value > high || value < -high - 1) {
        return out_of_range(type, text, err);
    }
    memcpy(out, &value, bytes);
    return ERR_OK;
}

static bool names_infinity(Str text) {
    text = str_trim(text);
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        text = str_slice(text, 1, text.len);
    }
    return text.len > 0 && (text.data[0] | 0x20) == 'i';
}

/* [+-]digits[.digits][e[+-]digits]: what is no double in spite of that is too large. */
static bool is_number_form(Str text) {
    size_t at = 0, digits = 0;
    text = str_trim(text);
    at += text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    for (; at < text.len && ((text.data[at] >= '0' && text.data[at] <= '9') || text.data[at] == '.'); at++) {
        digits += text.data[at] != '.';
    }
    if (digits == 0 || at == text.len) {
        return digits > 0;
    }
    bool exponent = (text.data[at++] | 0x20) == 'e';
    at += at < text.len && (text.data[at] == '-' || text.data[at] == '+');
    size_t from = at;
    while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9') {
        at++;
    }
    return exponent && at == text.len && at > from;
}

static ErrorCode float_out_of_range(Type type, Str text, Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, 0, "\"%.*s\" is out of range for type %s", (int)MIN_OF(text.len, 200), text.data,
                     type_sql_name((TypeId)type.id));
}

static bool has_nonzero_digit(Str text) {
    for (size_t i = 0; i < text.len && (text.data[i] | 0x20) != 'e'; i++) {
        if (text.data[i] >= '1' && text.data[i] <= '9') {
            return true;
        }
    }
    return false;
}

static ErrorCode parse_floating(Type type, Str text, void *out, Error *err) {
    double value = 0;
    float narrow = 0;
    bool wide = type.id == TYPE_FLOAT8;
    if (wide ? !parse_double(str_trim(text), &value) : !parse_float(str_trim(text), &narrow)) {
        return is_number_form(text) ? float_out_of_range(type, text, err) : invalid(type, text, ERR_INVALID_TEXT, err);
    }
    value = wide ? value : (double)narrow;
    if ((isinf(value) && !names_infinity(text)) || (value == 0 && has_nonzero_digit(text))) {
        return float_out_of_range(type, text, err);
    }
    if (wide) {
        memcpy(out, &value, sizeof value);
    } else {
        memcpy(out, &narrow, sizeof narrow);
    }
    return ERR_OK;
}

static ErrorCode parse_numeric(Type type, Str text, Arena *arena, void *out, Error *err) {
    Numeric value;
    ErrorCode code = numeric_parse(str_trim(text), &value, err);
    if (code == ERR_INVALID_TEXT) {
        return invalid(type, text, code, err);
    }
    TRY(code);
    if (type.id != TYPE_NUMERIC) {
        return cast__store_decimal(type, value, out, err);
    }
    TRY(numeric_fit(type, value, &value, err));
    NumericSlot slot = numeric_to_slot(value, arena);
    memcpy(out, &slot, sizeof slot);
    return ERR_OK;
}

/* ---- times ---- */

static ErrorCode bad_time(Type type, Str text, const DateTimeIn *in, DateTimeFault fault, Error *err) {
    int len = (int)MIN_OF(text.len, 200);
    ErrorCode code;
    switch (fault) {
    case FAULT_FIELD: return error_set(err, ERR_DATETIME_OVERFLOW, 0, "date/time field value out of range: \"%.*s\"", len, text.data);
    case FAULT_MONTH_OR_DAY:
        code = error_set(err, ERR_DATETIME_OVERFLOW, 0, "date/time field value out of range: \"%.*s\"", len, text.data);
        (void)error_add(err, 'H', "Perhaps you need a different \"DateStyle\" setting.");
        return code;
    case FAULT_OFFSET: return error_set(err, ERR_ZONE_DISPLACEMENT, 0, "time zone displacement out of range: \"%.*s\"", len, text.data);
    case FAULT_ZONE_NAME: return error_set(err, ERR_INVALID_PARAMETER, 0, "time zone \"%.*s\" not recognized", STR_ARG(in->zone_name));
    default: return invalid(type, text, ERR_INVALID_DATETIME, err);
    }
}

/* Nanoseconds are kept for timestamp_ns only; the others round to the microsecond, halves to even, as PostgreSQL. */
static void set_clock(Wall *wall, const CivilTime *civil, TypeId type) {
    int64_t nanos = civil->nanos;
    if (type == TYPE_TIMESTAMP || type == TYPE_TIMESTAMPTZ) {
        int64_t micros = nanos / 1000, rest = nanos % 1000;
        nanos = (micros + (rest > 500 || (rest == 500 && micros % 2 != 0))) * 1000;
    }
    nanos += civil->hour * NANOS_PER_HOUR + civil->minute * NANOS_PER_MINUTE + civil->second * NANOS_PER_SECOND;
    int64_t carry = floor_div(nanos, NANOS_PER_DAY);
    wall->days += carry;
    wall->nanos = nanos - carry * NANOS_PER_DAY;
}

static void shift(Wall *wall, int64_t seconds) {
    int64_t nanos = wall->nanos + seconds * NANOS_PER_SECOND;
    int64_t carry = floor_div(nanos, NANOS_PER_DAY);
    wall->days += carry;
    wall->nanos = nanos - carry * NANOS_PER_DAY;
}

static ErrorCode store_time(Type type, Str text, Wall wall, const Zone *zone, void *out, Error *err) {
    ErrorCode code = time__store((TypeId)type.id, wall, zone, out, NULL);
    if (code == ERR_OK) {
        return ERR_OK;
    }
    const char *what = type.id == TYPE_DATE ? "date" : "timestamp";
    return error_set(err, code, 0, "%s out of range: \"%.*s\"", what, (int)MIN_OF(text.len, 200), text.data);
}

static ErrorCode store_civil(Type type, Str text, const CivilTime *civil, const int32_t *east, const Zone *zone, void *out, Error *err) {
    Wall wall = {.days = days_from_civil(civil->year, civil->month, civil->day)};
    if (type.id != TYPE_DATE) {
        set_clock(&wall, civil, (TypeId)type.id);
    }
    if (east != NULL) {
        shift(&wall, -*east);
        zone = NULL; /* it is UTC now */
    }
    return store_time(type, text, wall, zone, out, err);
}

/* QuestDB's dates: ISO forms, the year may be 0; an offset counts for every type but date. */
static ErrorCode parse_time_iso(Type type, Str text, const Zone *zone, bool questdb, void *out, Error *err) {
    ParsedTime parsed;
    if (!timestamp_parse(str_trim(text), &parsed)) {
        return bad_time(type, text, NULL, FAULT_FORM, err);
    }
    if (parsed.infinite != 0) {
        return time__store((TypeId)type.id, (Wall){.infinite = parsed.infinite}, zone, out, err);
    }
    bool converts = type.id == TYPE_TIMESTAMPTZ || (questdb && type.id != TYPE_DATE);
    return store_civil(type, text, &parsed.civil, parsed.has_offset && converts ? &parsed.offset_seconds : NULL, zone, out, err);
}

/* yyyy-mm-dd[ hh:mm:ss[.f…]][Z or ±hh[:mm]]: what programs write; means the same under every DateStyle. */
static bool is_plain_iso(Str text) {
    static const char FORM[] = "dddd-dd-dd dd:dd:dd";
    size_t len = MIN_OF(text.len, sizeof FORM - 1);
    if (text.len != 10 && text.len < sizeof FORM - 1) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        char c = text.data[i];
        bool fits = FORM[i] == 'd' ? c >= '0' && c <= '9' : c == FORM[i] || (i == 10 && c == 'T');
        if (!fits) {
            return false;
        }
    }
    size_t at = len;
    if (at < text.len && text.data[at] == '.') {
        at++;
        while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9') {
            at++;
        }
    }
    Str rest = str_slice(text, at, text.len);
    bool offset = (rest.len == 3 || rest.len == 6) && (rest.data[0] == '+' || rest.data[0] == '-');
    return memcmp(text.data, "0000", 4) != 0 && (rest.len == 0 || offset || (rest.len == 1 && rest.data[0] == 'Z'));
}

static ErrorCode parse_time(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *out, Error *err) {
    ParsedTime parsed;
    DateTimeIn in;
    TypeId id = (TypeId)type.id;
    const Zone *zone = environment == NULL ? NULL : environment->zone;
    if (environment == NULL || environment->questdb) {
        return parse_time_iso(type, text, zone, environment != NULL, out, err);
    }
    Str plain = str_trim(text);
    bool tz = id == TYPE_TIMESTAMPTZ;
    if (is_plain_iso(plain) && timestamp_parse(plain, &parsed)) {
        return store_civil(type, text, &parsed.civil, parsed.has_offset && tz ? &parsed.offset_seconds : NULL, zone, out, err);
    }
    DateTimeFault fault = time__datetime_in(text, environment, arena, &in);
    if (fault != FAULT_NONE) {
        return bad_time(type, text, &in, fault, err);
    }
    if (in.infinite != 0) {
        return time__store(id, (Wall){.infinite = in.infinite}, zone, out, err);
    }
    return in.epoch ? time__store(id, (Wall){0}, NULL, out, err) : store_civil(type, text, &in.civil, in.has_zone && tz ? &in.east : NULL, zone, out, err);
}

static ErrorCode parse_interval(Type type, Str text, const FunctionEnvironment *environment, void *out, Error *err) {
    Interval interval;
    IntervalStyle style = environment == NULL ? INTERVAL_POSTGRES : (IntervalStyle)environment->style.interval;
    switch (time__interval_in(text, MAX_OF(type.length, 0), style, &interval)) {
    case INTERVAL_OK: memcpy(out, &interval, sizeof interval); return ERR_OK;
    case INTERVAL_FIELD: return error_set(err, ERR_INTERVAL_OVERFLOW, 0, "interval field value out of range: \"%.*s\"", (int)MIN_OF(text.len, 200), text.data);
    case INTERVAL_TOO_LARGE: return error_set(err, ERR_DATETIME_OVERFLOW, 0, "interval out of range");
    default: return invalid(type, text, ERR_INVALID_DATETIME, err);
    }
}

/* ---- the rest ---- */

static ErrorCode invalid_bytes(Str text, Error *err) {
    static const Str DIGITS = {"0123456789abcdefABCDEF", 22};
    if (!str_starts_with(text, STR("\\x"))) {
        return error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type bytea");
    }
    bool second = false; /* blanks may stand between bytes */
    for (size_t i = 2; i < text.len; i++) {
        char c = text.data[i];
        bool blank = !second && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
        second ^= !blank;
        if (!blank && str_find_char(DIGITS, c, 0) < 0) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid hexadecimal digit: \"%.*s\"", (int)utf8_offset(str_slice(text, i, text.len), 1), text.data + i);
        }
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid hexadecimal data: odd number of digits");
}

static ErrorCode parse_bytes(Type type, Str text, Arena *arena, void *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, STRREF_BYTES_MAX);
    if (type.id == TYPE_FLOAT8_ARRAY) {
        TRY_OR(done, array_parse_text(text, &buffer, err));
    } else if (!bytea_parse(text, &buffer)) {
        TRY_OR(done, invalid_bytes(text, err));
    }
    TRY_OR(done, buffer_check(&buffer, err));
    Str bytes = arena_str(arena, buffer_str(&buffer));
    StrRef ref = strref_make(bytes.data, bytes.len);
    memcpy(out, &ref, sizeof ref);
done:
    buffer_deinit(&buffer);
    return code;
}

static ErrorCode parse_text(Type type, Str text, Arena *arena, void *out, Error *err) {
    Str fitted;
    TRY(cast__fit_text(type, text, false, arena, &fitted, err));
    StrRef ref = strref_make(fitted.len == 0 ? "" : fitted.data, fitted.len);
    memcpy(out, &ref, sizeof ref);
    return ERR_OK;
}

static ErrorCode parse_char(Str text, void *out) {
    uint32_t code_point = 0;
    (void)utf8_decode(text, 0, &code_point);
    memcpy(out, &code_point, sizeof code_point);
    return ERR_OK;
}

ErrorCode value_parse(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *value_out, Error *err) {
    if (type.id > TYPE_FLOAT8_ARRAY) {
        return cast__parse_more(type, text, environment, arena, value_out, err);
    }
    switch (type_category((TypeId)type.id)) {
    case CAT_BOOL:
        return parse_bool(type, text, value_out, err);
    case CAT_NUMBER:
        if (type_is_integer((TypeId)type.id)) {
            return parse_integer(type, text, value_out, err);
        }
        if (type.id == TYPE_FLOAT4 || type.id == TYPE_FLOAT8) {
            return parse_floating(type, text, value_out, err);
        }
        return parse_numeric(type, text, arena, value_out, err);
    case CAT_TIME:
        TRY(parse_time(type, text, environment, arena, value_out, err));
        return type.precision == 0 ? ERR_OK : cast__apply_precision(type, value_out, err);
    case CAT_INTERVAL: {
        TRY(parse_interval(type, text, environment, value_out, err));
        return cast__apply_precision(type, value_out, err);
    }
    case CAT_UUID: {
        Uuid uuid;
        if (!uuid_parse(str_trim(text), &uuid)) {
            return invalid(type, text, ERR_INVALID_TEXT, err);
        }
        memcpy(value_out, &uuid, sizeof uuid);
        return ERR_OK;
    }
    case CAT_BYTES:
    case CAT_ARRAY:
        return parse_bytes(type, text, arena, value_out, err);
    default:
        break;
    }
    if (type.id == TYPE_CHAR) {
        return parse_char(text, value_out);
    }
    if (type.id == TYPE_SYMBOL) {
        return error_set(err, ERR_NOT_SUPPORTED, 0, "text input of symbol needs the column's dictionary");
    }
    return parse_text(type, text, arena, value_out, err);
}
