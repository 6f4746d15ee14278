/* SPDX-License-Identifier: Apache-2.0
 * value_parse.c - text input of every type: one value, with PostgreSQL's errors. */
#include <math.h>
#include <stdio.h>

#include "column/array.h"
#include "sql/func/cast_internal.h"
#include "sql/func/time/time_internal.h"

static ErrorCode invalid(Type type, Str text, ErrorCode code, Error *err) {
    return error_set(err, code, 0, "invalid input syntax for type %s: \"%.*s\"", type_sql_name((TypeId)type.id),
                     (int)MIN_OF(text.len, 200), text.data);
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

static ErrorCode parse_integer(Type type, Str text, void *out, Error *err) {
    int64_t value;
    bool overflow = false;
    size_t bytes = physical_bytes(type_physical((TypeId)type.id));
    if (!parse_int64(str_trim(text), &value, &overflow)) {
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
    NumericSlot slot = numeric_to_slot(value, arena);
    memcpy(out, &slot, sizeof slot);
    return ERR_OK;
}

/* ---- times ---- */

/* "2024-13-45 99:00" is a date whose fields are out of range, "abc" and "2024-13-45 abc" are none at all. */
static bool looks_like_a_date(Str text) {
    size_t dashes = 0, digits = 0;
    text = str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (dashes >= 2) {
            if ((c < '0' || c > '9') && str_find_char(STR(" :.,+-TtZzAaPpMm"), c, 0) < 0) {
                return false;
            }
        } else if (c == '-' && digits > 0) {
            dashes++;
            digits = 0;
        } else if (c >= '0' && c <= '9') {
            digits++;
        } else {
            return false;
        }
    }
    return dashes == 2;
}

static ErrorCode bad_time(Type type, Str text, Error *err) {
    if (looks_like_a_date(text)) {
        return error_set(err, ERR_DATETIME_OVERFLOW, 0, "date/time field value out of range: \"%.*s\"", (int)MIN_OF(text.len, 200),
                         text.data);
    }
    return invalid(type, text, ERR_INVALID_DATETIME, err);
}

/* now, today, tomorrow, yesterday: by the statement's clock. */
static bool special_time(Str text, const FunctionEnvironment *environment, Wall *wall_out) {
    static const struct {
        const char *word;
        int days;
        bool midnight;
    } WORDS[] = {{"now", 0, false}, {"today", 0, true}, {"tomorrow", 1, true}, {"yesterday", -1, true}};
    text = str_trim(text);
    for (size_t i = 0; environment != NULL && i < COUNT_OF(WORDS); i++) {
        if (str_equal_ignore_case(text, str_from_c(WORDS[i].word))) {
            Wall wall = time__load(TYPE_TIMESTAMPTZ, &environment->now_micros, environment->zone);
            wall.days += WORDS[i].days;
            wall.nanos = WORDS[i].midnight ? 0 : wall.nanos;
            *wall_out = wall;
            return true;
        }
    }
    return false;
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

/* "0000-01-01": PostgreSQL has no year 0; QuestDB's dates are astronomical. */
static bool is_year_zero(Str text) {
    text = str_trim(text);
    size_t zeros = 0;
    while (zeros < text.len && text.data[zeros] == '0') {
        zeros++;
    }
    return zeros >= 4 && (zeros == text.len || text.data[zeros] == '-' || text.data[zeros] == '/');
}

/* "1/5/2024…" -> "2024-01-05…": month first, as PostgreSQL's default DateStyle has it. The rest of the text stays. */
static bool slashed_date(Str text, char *room, size_t room_bytes, Str *out) {
    int month = 0, day = 0, year = 0, used = 0;
    char copy[100];
    if (text.len >= sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (sscanf(copy, "%2d/%2d/%4d%n", &month, &day, &year, &used) != 3 || used < 8) {
        return false;
    }
    int len = snprintf(room, room_bytes, "%04d-%02d-%02d%s", year, month, day, copy + used);
    *out = str_from(room, (size_t)len);
    return len > 0 && (size_t)len < room_bytes;
}

/* The usual abbreviations of PostgreSQL's default list, in hours east. */
static const Zone *abbreviated(Str name, Arena *arena) {
    static const struct { const char *name; int8_t hours; } ZONES[] = {
        {"est", -5}, {"edt", -4}, {"cst", -6}, {"cdt", -5}, {"mst", -7}, {"mdt", -6}, {"pst", -8}, {"pdt", -7}, {"akst", -9}, {"akdt", -8}, {"hst", -10},
        {"wet", 0}, {"west", 1}, {"bst", 1}, {"cet", 1}, {"cest", 2}, {"eet", 2}, {"eest", 3}, {"msk", 3}, {"jst", 9}, {"kst", 9}, {"ist", 2}};
    for (size_t i = 0; i < COUNT_OF(ZONES); i++) {
        if (str_equal_ignore_case(name, str_from_c(ZONES[i].name))) {
            return zone_fixed(arena, ZONES[i].hours * 3600);
        }
    }
    return NULL;
}

/* "2024-01-05 10:00:00 America/New_York": a zone's name behind, which timestamptz heeds and the others drop. */
static bool named_zone(Str text, const FunctionEnvironment *environment, Arena *arena, ParsedTime *parsed_out, const Zone **zone_out) {
    size_t at = text.len;
    while (at > 0 && text.data[at - 1] != ' ') {
        at--;
    }
    if (environment == NULL || environment->zone_load == NULL || at < 9 || at == text.len || (text.data[at] >= '0' && text.data[at] <= '9')) {
        return false;
    }
    if (!timestamp_parse(str_trim(str_slice(text, 0, at)), parsed_out) || parsed_out->has_offset) {
        return false;
    }
    const Zone *short_zone = abbreviated(str_slice(text, at, text.len), arena);
    if (short_zone != NULL) {
        *zone_out = short_zone;
        return true;
    }
    return func__zone_find(environment, str_slice(text, at, text.len), false, arena, zone_out, NULL) == ERR_OK;
}

static ErrorCode parse_time(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *out, Error *err) {
    ParsedTime parsed;
    Wall wall = {0};
    TypeId id = (TypeId)type.id;
    const Zone *zone = environment == NULL ? NULL : environment->zone;
    if (special_time(text, environment, &wall)) {
        if (id == TYPE_DATE) {
            wall.nanos = 0;
        }
        return time__store(id, wall, zone, out, err);
    }
    bool postgres = environment != NULL && !environment->questdb;
    char room[128];
    Str plain = str_trim(text);
    if (postgres && !slashed_date(plain, room, sizeof room, &plain)) {
        plain = str_trim(text);
    }
    bool fine = timestamp_parse(plain, &parsed) || (postgres && named_zone(plain, environment, arena, &parsed, &zone));
    if (!fine || (postgres && is_year_zero(text))) {
        return bad_time(type, text, err);
    }
    wall.infinite = parsed.infinite;
    if (wall.infinite == 0) {
        wall.days = days_from_civil(parsed.civil.year, parsed.civil.month, parsed.civil.day);
        if (id != TYPE_DATE) {
            set_clock(&wall, &parsed.civil, id);
        }
    }
    bool converts = id == TYPE_TIMESTAMPTZ || (environment != NULL && environment->questdb && id != TYPE_DATE);
    if (parsed.has_offset && converts && wall.infinite == 0) {
        shift(&wall, -parsed.offset_seconds);
        zone = NULL; /* it is UTC now */
    }
    return time__store(id, wall, zone, out, err);
}

/* ---- the rest ---- */

static ErrorCode parse_bytes(Type type, Str text, Arena *arena, void *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, STRREF_BYTES_MAX);
    if (type.id == TYPE_FLOAT8_ARRAY) {
        TRY_OR(done, array_parse_text(text, &buffer, err));
    } else if (!bytea_parse(text, &buffer)) {
        bool hex = str_starts_with(text, STR("\\x")); /* PostgreSQL's two codes */
        TRY_OR(done, invalid(type, text, hex ? ERR_INVALID_PARAMETER : ERR_INVALID_TEXT, err));
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
        Interval interval;
        if (!interval_parse(text, &interval)) {
            return invalid(type, text, ERR_INVALID_DATETIME, err);
        }
        memcpy(value_out, &interval, sizeof interval);
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
