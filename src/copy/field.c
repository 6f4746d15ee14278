/* SPDX-License-Identifier: Apache-2.0
 * field.c - short forms of the types that COPY carries most, straight into the builders; everything else goes through value_parse.
 *
 * Why:        a value costs a few nanoseconds here and ten times that in the parser that knows every form. What is refused here is tried
 *             there, so the answers are the same. Tests: test/unit/copy/test_reader.c (each form by both ways) */
#include "base/calendar.h"
#include "base/number.h"
#include "copy/copy_internal.h"

enum { DATE_BYTES = 10, TIME_BYTES = 9 /* with the blank in front */ };

/* ---- numbers ---- */

/* An optional minus and 1 to 18 digits. */
static inline bool read_integer(Str text, int64_t *value_out) {
    size_t at = text.len > 0 && text.data[0] == '-' ? 1 : 0;
    if (text.len == at || text.len - at > 18) {
        return false;
    }
    int64_t value = 0;
    for (; at < text.len; at++) {
        uint32_t digit = (uint32_t)(uint8_t)text.data[at] - '0';
        if (digit > 9) {
            return false;
        }
        value = value * 10 + (int64_t)digit;
    }
    *value_out = text.data[0] == '-' ? -value : value;
    return true;
}

static bool fast_int2(CopyReader *reader, CopyField *field, Str text) {
    int64_t wide;
    (void)reader;
    if (!read_integer(text, &wide) || wide < INT16_MIN || wide > INT16_MAX) {
        return false;
    }
    int16_t value = (int16_t)wide;
    column_builder_value(&field->builder, &value);
    return true;
}

static bool fast_int4(CopyReader *reader, CopyField *field, Str text) {
    int64_t wide;
    (void)reader;
    if (!read_integer(text, &wide) || wide < INT32_MIN || wide > INT32_MAX) {
        return false;
    }
    int32_t value = (int32_t)wide;
    column_builder_value(&field->builder, &value);
    return true;
}

static bool fast_int8(CopyReader *reader, CopyField *field, Str text) {
    int64_t value;
    (void)reader;
    if (!read_integer(text, &value)) {
        return false;
    }
    column_builder_value(&field->builder, &value);
    return true;
}

static bool fast_float8(CopyReader *reader, CopyField *field, Str text) {
    double value;
    (void)reader;
    if (!parse_short_double(text, &value)) {
        return false;
    }
    column_builder_value(&field->builder, &value);
    return true;
}

/* numeric(p,s) in 64 bits, with at most s places. */
static bool fast_decimal8(CopyReader *reader, CopyField *field, Str text) {
    int64_t coefficient;
    size_t places;
    (void)reader;
    if (!parse_short_decimal(text, 18, &coefficient, &places) || places > field->type.scale) {
        return false;
    }
    Int128 scaled = (Int128)coefficient * pow10_int128((int)(field->type.scale - places));
    Int128 limit = pow10_int128(field->type.precision);
    if (scaled <= -limit || scaled >= limit) {
        return false;
    }
    int64_t value = (int64_t)scaled;
    column_builder_value(&field->builder, &value);
    return true;
}

static bool fast_bool(CopyReader *reader, CopyField *field, Str text) {
    (void)reader;
    if (text.len != 1 || (text.data[0] != 't' && text.data[0] != 'f' && text.data[0] != '1' && text.data[0] != '0')) {
        return false;
    }
    column_builder_bool(&field->builder, text.data[0] == 't' || text.data[0] == '1');
    return true;
}

/* ---- times ---- */

static inline bool two_digits(const char *p, int32_t *value_out) {
    uint32_t high = (uint32_t)(uint8_t)p[0] - '0', low = (uint32_t)(uint8_t)p[1] - '0';
    *value_out = (int32_t)(high * 10 + low);
    return high <= 9 && low <= 9;
}

/* yyyy-mm-dd; the last one is remembered, as rows come in the order of time. */
static bool read_date(CopyField *field, const char *text, int64_t *days_out) {
    uint64_t key[2] = {0, 0};
    memcpy(key, text, DATE_BYTES);
    if (key[0] == field->date_key[0] && key[1] == field->date_key[1]) {
        *days_out = field->date_days;
        return true;
    }
    int32_t century = 0, rest = 0, month = 0, day = 0;
    bool fine = two_digits(text, &century) && two_digits(text + 2, &rest) && two_digits(text + 5, &month) && two_digits(text + 8, &day) &&
                text[4] == '-' && text[7] == '-';
    int32_t year = century * 100 + rest;
    if (!fine || year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        return false;
    }
    field->date_key[0] = key[0];
    field->date_key[1] = key[1];
    field->date_days = days_from_civil(year, month, day);
    *days_out = field->date_days;
    return true;
}

static bool fast_date(CopyReader *reader, CopyField *field, Str text) {
    int64_t days;
    (void)reader;
    if (text.len != DATE_BYTES || !read_date(field, text.data, &days)) {
        return false;
    }
    int32_t value = (int32_t)days;
    column_builder_value(&field->builder, &value);
    return true;
}

/* One to six digits behind the point, in microseconds. */
static bool read_fraction(Str digits, int64_t *micros_out) {
    static const int32_t UNIT[7] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    int64_t value;
    if (digits.len > 6 || digits.len == 0 || digits.data[0] == '-' || !read_integer(digits, &value)) {
        return false;
    }
    *micros_out = value * UNIT[digits.len];
    return true;
}

/* yyyy-mm-dd hh:mm:ss[.ffffff] */
static bool read_timestamp(CopyField *field, Str text, int64_t *micros_out) {
    int64_t days, fraction = 0;
    int32_t hour, minute, second;
    if (text.len < DATE_BYTES + TIME_BYTES || !read_date(field, text.data, &days)) {
        return false;
    }
    const char *p = text.data + DATE_BYTES;
    if ((p[0] != ' ' && p[0] != 'T') || p[3] != ':' || p[6] != ':' || !two_digits(p + 1, &hour) || !two_digits(p + 4, &minute) ||
        !two_digits(p + 7, &second) || hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    if (text.len > DATE_BYTES + TIME_BYTES &&
        (p[TIME_BYTES] != '.' || !read_fraction(str_slice(text, DATE_BYTES + TIME_BYTES + 1, text.len), &fraction))) {
        return false;
    }
    *micros_out = days * MICROS_PER_DAY + (hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND + fraction;
    return true;
}

static bool fast_timestamp(CopyReader *reader, CopyField *field, Str text) {
    int64_t micros;
    (void)reader;
    if (!read_timestamp(field, text, &micros)) {
        return false;
    }
    column_builder_value(&field->builder, &micros);
    return true;
}

/* With "+00" behind it, or "Z". */
static bool fast_timestamptz(CopyReader *reader, CopyField *field, Str text) {
    if (text.len > 3 && memcmp(text.data + text.len - 3, "+00", 3) == 0) {
        return fast_timestamp(reader, field, str_slice(text, 0, text.len - 3));
    }
    if (text.len > 1 && text.data[text.len - 1] == 'Z') {
        return fast_timestamp(reader, field, str_slice(text, 0, text.len - 1));
    }
    return false;
}

CopyFast copy__fast_parser(Type type, const FunctionEnvironment *environment) {
    (void)environment;
    if (type.precision != 0 && type_category((TypeId)type.id) == CAT_TIME) {
        return NULL; /* fewer fractional digits: rounded */
    }
    switch ((TypeId)type.id) {
    case TYPE_BOOL:
        return fast_bool;
    case TYPE_INT2:
        return fast_int2;
    case TYPE_INT4:
        return fast_int4;
    case TYPE_INT8:
        return fast_int8;
    case TYPE_FLOAT8:
        return fast_float8;
    case TYPE_DECIMAL8:
        return fast_decimal8;
    case TYPE_DATE:
        return fast_date;
    case TYPE_TIMESTAMP:
        return fast_timestamp;
    case TYPE_TIMESTAMPTZ:
        return fast_timestamptz;
    default:
        return NULL;
    }
}

/* ---- symbols ---- */

bool copy__symbol(CopyField *field, Str text) {
    uint64_t word[2] = {0, 0};
    int32_t code;
    if (text.len > sizeof word) {
        code = field->symbols->intern(field->symbols, text);
    } else {
        memcpy(word, text.data, text.len);
        uint64_t hash = (word[0] ^ (word[1] * UINT64_C(0x9e3779b97f4a7c15)) ^ text.len) * UINT64_C(0xff51afd7ed558ccd);
        SymbolSlot *slot = &field->symbol_cache[hash >> 54];
        if (slot->word[0] != word[0] || slot->word[1] != word[1] || slot->len_and_one != text.len + 1) {
            *slot = (SymbolSlot){{word[0], word[1]}, (uint32_t)text.len + 1, field->symbols->intern(field->symbols, text)};
        }
        code = slot->code;
    }
    if (code < 0) {
        return false;
    }
    column_builder_value(&field->builder, &code);
    return true;
}
_Static_assert(COPY_SYMBOL_SLOTS == 1 << (64 - 54), "the top ten bits of the hash choose the slot");
