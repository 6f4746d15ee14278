/* SPDX-License-Identifier: Apache-2.0
 * infer.c - forms that a text may have, as bits that each value can only clear.
 *
 * Tests: test/unit/text/test_infer.c */
#include "text/infer.h"
#include "base/number.h"

enum { KIND_BOOL = 1, KIND_INTEGER = 2, KIND_DOUBLE = 4, KIND_TIME = 8, KIND_UUID = 16, KIND_ALL = 31 };

/* Forms beside ISO. Two rows that differ in day and month only: if both fit all values, the column stays text. */
static const char *const PATTERNS[] = {
    "M/d/y",          "d/M/y",          "M/d/y H:m",        "d/M/y H:m",        "M/d/y H:m:s",    "d/M/y H:m:s",
    "M/d/y h:m:s a",  "d/M/y h:m:s a",  "d.M.y",            "d.M.y H:m",        "d.M.y H:m:s",    "y/M/d",
    "y/M/d H:m",      "y/M/d H:m:s",    "d-MMM-y",          "d-MMM-y H:m:s",    "y/M/d H:m:s.U+", "d/M/y H:m:s.U+",
    "M/d/y H:m:s.U+",
};
_Static_assert(COUNT_OF(PATTERNS) + INFER_PATTERN_FIRST <= INFER_TIMES_MAX, "a bit for each");

void guess_init(ColumnGuess *guess) {
    *guess = (ColumnGuess){.kinds = KIND_ALL, .times = (UINT32_C(1) << (COUNT_OF(PATTERNS) + INFER_PATTERN_FIRST)) - 1, .fits_int4 = true};
}

static bool is_bool(Str text) {
    return str_equal_ignore_case(text, STR("true")) || str_equal_ignore_case(text, STR("false"));
}

static bool is_integer(ColumnGuess *guess, Str text) {
    int64_t value = 0;
    bool overflow = false;
    if (!parse_int64(text, &value, &overflow)) {
        return false;
    }
    size_t sign = text.data[0] == '-' || text.data[0] == '+' ? 1 : 0;
    if (text.len > sign + 1 && text.data[sign] == '0') {
        return false;
    }
    guess->fits_int4 &= value > INT32_MIN && value <= INT32_MAX; /* INT32_MIN is NULL to QuestDB's clients */
    guess->has_number = true;
    return true;
}

static bool only_digits(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((text.data[i] < '0' || text.data[i] > '9') && !(i == 0 && (text.data[i] == '-' || text.data[i] == '+'))) {
            return false;
        }
    }
    return text.len > 0;
}

static bool is_double(ColumnGuess *guess, Str text) {
    double value = 0;
    if (!parse_double(text, &value)) {
        return false;
    }
    size_t sign = text.data[0] == '-' || text.data[0] == '+' ? 1 : 0;
    bool leading_zero = text.len > sign + 1 && text.data[sign] == '0' && text.data[sign + 1] >= '0' && text.data[sign + 1] <= '9';
    if (leading_zero || (only_digits(text) && text.len > sign + 18)) {
        return false;
    }
    guess->has_number |= text.data[text.len - 1] >= '.' && text.data[text.len - 1] <= '9';
    return true;
}

static bool is_uuid(Str text) {
    if (text.len != 36) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool hex = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
        if (dash ? c != '-' : !hex) {
            return false;
        }
    }
    return true;
}

/* Year, month and day are all there; a bare year or a number is no time. */
static bool is_iso_time(ColumnGuess *guess, Str text) {
    ParsedTime parsed;
    if (text.len < 8 || only_digits(text) || !timestamp_parse(text, &parsed) || parsed.infinite != 0) {
        return false;
    }
    guess->has_time_of_day |= parsed.has_time;
    guess->has_offset |= parsed.has_offset;
    guess->has_nanos |= parsed.civil.nanos % 1000 != 0;
    return true;
}

static void guess_time(ColumnGuess *guess, Str text) {
    if ((guess->times & 1) != 0 && !is_iso_time(guess, text)) {
        guess->times &= ~UINT32_C(1);
    }
    for (size_t i = 0; i < COUNT_OF(PATTERNS); i++) {
        uint32_t bit = UINT32_C(1) << (INFER_PATTERN_FIRST + i);
        TimePattern pattern;
        ParsedTime parsed;
        if ((guess->times & bit) == 0) {
            continue;
        }
        if (time_pattern_compile(str_from_c(PATTERNS[i]), &pattern, NULL) != ERR_OK || !time_pattern_parse(&pattern, text, &parsed) ||
            parsed.civil.year < 1000) {
            guess->times &= ~bit;
        }
    }
    if (guess->times == 0) {
        guess->kinds &= ~(uint32_t)KIND_TIME;
    }
}

void guess_value(ColumnGuess *guess, Str text) {
    if (text.len == 0) {
        return;
    }
    guess->values++;
    guess->longest = (uint32_t)MAX_OF((size_t)guess->longest, text.len);
    if ((guess->kinds & KIND_BOOL) != 0 && !is_bool(text)) {
        guess->kinds &= ~(uint32_t)KIND_BOOL;
    }
    if ((guess->kinds & KIND_INTEGER) != 0 && !is_integer(guess, text)) {
        guess->kinds &= ~(uint32_t)KIND_INTEGER;
    }
    if ((guess->kinds & KIND_DOUBLE) != 0 && !is_double(guess, text)) {
        guess->kinds &= ~(uint32_t)KIND_DOUBLE;
    }
    if ((guess->kinds & KIND_TIME) != 0) {
        guess_time(guess, text);
    }
    if ((guess->kinds & KIND_UUID) != 0 && !is_uuid(text)) {
        guess->kinds &= ~(uint32_t)KIND_UUID;
    }
}

/* The day and the month cannot be told apart: a form with M first and one with d first both fit. */
static bool is_ambiguous(uint32_t times) {
    return (times & (times - 1)) != 0 && (times & 1) == 0;
}

Type guess_type(const ColumnGuess *guess, const InferOptions *options) {
    if (guess->values == 0) {
        return type_of(TYPE_VARCHAR);
    }
    if ((guess->kinds & KIND_BOOL) != 0) {
        return type_of(TYPE_BOOL);
    }
    if ((guess->kinds & KIND_INTEGER) != 0) {
        return type_of(options->narrow_integers && guess->fits_int4 ? TYPE_INT4 : TYPE_INT8);
    }
    if ((guess->kinds & KIND_DOUBLE) != 0 && guess->has_number) {
        return type_of(TYPE_FLOAT8);
    }
    if ((guess->kinds & KIND_TIME) != 0 && !is_ambiguous(guess->times)) {
        bool days = (guess->times & 1) != 0 ? !guess->has_time_of_day : memchr(guess_pattern(guess).data, 'm', guess_pattern(guess).len) == NULL;
        if (days) {
            return type_of(options->questdb ? TYPE_TIMESTAMP_MS : TYPE_DATE);
        }
        return type_of(guess->has_nanos ? TYPE_TIMESTAMP_NS : TYPE_TIMESTAMP);
    }
    return type_of((guess->kinds & KIND_UUID) != 0 ? TYPE_UUID : TYPE_VARCHAR);
}

Str guess_pattern(const ColumnGuess *guess) {
    if ((guess->kinds & KIND_TIME) == 0 || (guess->times & 1) != 0 || guess->times == 0) {
        return STR("");
    }
    uint32_t index = (uint32_t)__builtin_ctz(guess->times) - INFER_PATTERN_FIRST;
    assert(index < COUNT_OF(PATTERNS));
    return str_from_c(PATTERNS[index]);
}

/* ---- header ---- */

static bool has_form(Str text) {
    ColumnGuess guess;
    guess_init(&guess);
    guess_value(&guess, text);
    Type type = guess_type(&guess, &(InferOptions){0});
    return text.len > 0 && type.id != TYPE_VARCHAR;
}

static bool all_differ(const Str *names, uint32_t count) {
    for (uint32_t i = 0; i < count && count <= 256; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            if (str_equal(names[i], names[j])) {
                return false;
            }
        }
    }
    return true;
}

/* Short and without what sentences and values have. */
static bool looks_like_name(Str text) {
    if (text.len == 0 || text.len > 64) {
        return false;
    }
    unsigned char c = (unsigned char)text.data[0];
    return c >= 0x80 || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

bool infer_header(const Str *first, const ColumnGuess *guesses, uint32_t count, HeaderMode mode) {
    if (mode == HEADER_YES || mode == HEADER_NO) {
        return mode == HEADER_YES;
    }
    bool typed_below = false, all_names = true;
    for (uint32_t i = 0; i < count; i++) {
        if (has_form(first[i])) {
            return false;
        }
        all_names &= looks_like_name(first[i]);
        typed_below |= guesses[i].values > 0 && guess_type(&guesses[i], &(InferOptions){0}).id != TYPE_VARCHAR;
    }
    if (typed_below) {
        return true;
    }
    return mode == HEADER_AUTO && all_names && all_differ(first, count);
}
