/* SPDX-License-Identifier: Apache-2.0
 * text/number_read.c - to_number by PostgreSQL's templates.
 *
 * Why:   a digit pattern takes a digit or the point if one is there, and passes over one character otherwise; a sign is looked for before
 *        the first digit and behind the last one.
 * Tests: test/sql/templates.slt */
#include "sql/func/text/number_template.h"

typedef struct NumberReader {
    const NumberTemplate *t;
    Str text;
    size_t at;
    char number[NUMBER_NODES_MAX + 2]; /* digits and a point */
    size_t len;
    int before, after; /* digits read */
    bool point, seen;
    char sign; /* ' ': none yet */
} NumberReader;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool done(const NumberReader *r) { return r->at >= r->text.len; }
static char peek(const NumberReader *r) { return r->at < r->text.len ? r->text.data[r->at] : '\0'; }

static void step(NumberReader *r) {
    r->at++;
    while (r->at < r->text.len && ((uint8_t)r->text.data[r->at] & 0xc0) == 0x80) {
        r->at++;
    }
}

/* Characters that a pattern stands for, unless they are part of the number. */
static void pass_over(NumberReader *r, int count) {
    while (count-- > 0 && !done(r) && str_find_char(STR("0123456789.,+-"), peek(r), 0) < 0) {
        step(r);
    }
}

static void read_sign_before(NumberReader *r) {
    if (r->sign != ' ' || r->before + r->after > 0) {
        return;
    }
    char c = peek(r);
    if (r->t->sign && r->t->sign_place == SIGN_BEFORE) {
        r->sign = c == '-' || c == '+' ? c : r->sign;
        r->at += c == '-' || c == '+';
    } else if (c == '-' || c == '+' || (c == '<' && r->t->brackets)) {
        r->sign = c == '<' ? '-' : c;
        r->at++;
    }
}

/* The sign of S stands directly behind the last digit; that of MI, PL and SG is taken where it comes. */
static void read_sign_behind(NumberReader *r, bool taken) {
    if (r->sign != ' ' || r->before + r->after == 0) {
        return;
    }
    if (r->t->sign && taken && r->at + 1 < r->text.len && !is_digit(r->text.data[r->at + 1])) {
        char c = r->text.data[r->at + 1];
        if (c == '-' || c == '+') {
            r->sign = c;
            r->at++;
        }
    } else if (!taken && !r->t->sign && (r->t->plus || r->t->minus) && (peek(r) == '-' || peek(r) == '+')) {
        r->sign = peek(r);
    }
}

static void read_digit(NumberReader *r, bool point_pattern) {
    bool taken = false;
    r->at += peek(r) == ' ';
    if (!done(r) && !point_pattern) {
        read_sign_before(r);
    }
    if (done(r)) {
        return;
    }
    char c = peek(r);
    if (is_digit(c)) {
        if (r->point && r->after == r->t->after) {
            return;
        }
        r->number[r->len++] = c;
        *(r->point ? &r->after : &r->before) += 1;
        taken = true;
    } else if (r->t->point && !r->point && c == '.') {
        r->number[r->len++] = c;
        r->point = taken = true;
    }
    read_sign_behind(r, taken);
}

/* A sign where the pattern stands; false: something else does. */
static bool read_sign_here(NumberReader *r, bool minus, bool plus) {
    char c = peek(r);
    if ((c == '-' && minus) || (c == '+' && plus)) {
        r->sign = c;
        return true;
    }
    pass_over(r, 1);
    return false;
}

static ErrorCode read_roman(NumberReader *r, Error *err) {
    static const char LETTERS[] = "IVXLCDM";
    static const int VALUES[] = {1, 5, 10, 50, 100, 500, 1000};
    char roman[ROMAN_LEN_MAX], again[ROMAN_LEN_MAX + 1];
    int values[ROMAN_LEN_MAX], total = 0;
    size_t len = 0;
    while (peek(r) == ' ' || (peek(r) >= '\t' && peek(r) <= '\r')) {
        r->at++;
    }
    for (; len < ROMAN_LEN_MAX && !done(r); len++, r->at++) {
        char c = (char)(peek(r) & ~0x20);
        const char *found = (peek(r) | 0x20) >= 'a' && (peek(r) | 0x20) <= 'z' ? strchr(LETTERS, c) : NULL;
        if (found == NULL || c == '\0') {
            break;
        }
        roman[len] = c;
        values[len] = VALUES[found - LETTERS];
    }
    for (size_t i = 0; i < len; i++) {
        total += i + 1 < len && values[i] < values[i + 1] ? -values[i] : values[i];
    }
    size_t again_len = text__roman(total, again);
    if (len == 0 || again_len != len || memcmp(again, roman, len) != 0) {
        return error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid Roman numeral");
    }
    r->len += format_int64(r->number + r->len, total);
    return ERR_OK;
}

/* true: one character was taken by the pattern, the next one is due. */
static bool read_node(NumberReader *r, const NumberNode *node) {
    switch ((NumberPattern)node->pattern) {
    case NUMBER_TEXT: step(r); return false;
    case NUMBER_9:
    case NUMBER_0:
    case NUMBER_POINT:
    case NUMBER_LOCAL_POINT: read_digit(r, node->pattern == NUMBER_POINT || node->pattern == NUMBER_LOCAL_POINT); return true;
    case NUMBER_COMMA:
    case NUMBER_GROUP: return !r->t->fill_mode && peek(r) == ','; /* FM passes over none of them */
    case NUMBER_CURRENCY: pass_over(r, 1); return false;
    case NUMBER_ORDINAL: {
        bool counts = !r->t->roman && r->sign != '#' && !r->t->point;
        pass_over(r, counts ? 2 : 0);
        return false;
    }
    case NUMBER_MINUS: return read_sign_here(r, true, false);
    case NUMBER_PLUS: return read_sign_here(r, false, true);
    case NUMBER_SIGN_HERE: return read_sign_here(r, true, true);
    default: return false;
    }
}

static ErrorCode read_all(NumberReader *r, Error *err) {
    for (uint32_t i = 0; i < r->t->count && !done(r); i++) {
        if (r->t->nodes[i].pattern == NUMBER_ROMAN) {
            TRY(read_roman(r, err));
        } else if (read_node(r, &r->t->nodes[i])) {
            r->at++;
        }
    }
    r->len -= r->len > 0 && r->number[r->len - 1] == '.';
    return ERR_OK;
}

/* Left of the point, without zeros in front. */
static int significant_digits(Str digits) {
    ptrdiff_t point = str_find_char(digits, '.', 0);
    size_t whole = point < 0 ? digits.len : (size_t)point, zeros = 0;
    while (zeros < whole && digits.data[zeros] == '0') {
        zeros++;
    }
    return (int)(whole - zeros);
}

static ErrorCode to_numeric(NumberReader *r, Numeric *value_out, Error *err) {
    Str digits = {r->number, r->len};
    if (digits.len == 0 || numeric_parse(digits, value_out, NULL) != ERR_OK) {
        return error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type numeric: \"%c%.*s\"", r->sign, STR_ARG(digits));
    }
    int room = r->t->before + r->t->shift;
    if (!r->t->roman && significant_digits(digits) > room) { /* points and groups may have taken digits too */
        (void)error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric field overflow");
        return error_add(err, 'D', "A field with precision %d, scale %d must round to an absolute value less than %s%d.", room + r->after, r->after, room == 0 ? "" : "10^", room == 0 ? 1 : room);
    }
    value_out->coefficient = r->sign == '-' ? -value_out->coefficient : value_out->coefficient;
    if (!r->t->shifted) {
        return ERR_OK;
    }
    /* V: divided by a power of ten, which PostgreSQL has with sixteen more places. */
    int scale = value_out->scale + r->t->shift;
    if (scale > NUMERIC_SCALE_MAX) {
        return func__out_of_range(TYPE_NUMERIC, err);
    }
    value_out->scale = (int16_t)scale;
    return numeric_rescale(*value_out, (int16_t)MIN_OF(scale + 16, NUMERIC_SCALE_MAX), value_out, err);
}

ErrorCode func__to_number(const KernelCall *call, Vector *out, Error *err) {
    NumberTemplate *t = arena_new(call->arena, NumberTemplate);
    FOR_ROWS(call, row) {
        Str format = func__text(func__arg(call, 1), row);
        Numeric value;
        if (format.len == 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(text__number_template(format, t, err));
        if (t->scientific) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "\"EEEE\" not supported for input");
        }
        NumberReader r = {.t = t, .text = func__text(func__arg(call, 0), row), .sign = ' '};
        TRY(read_all(&r, err));
        TRY(to_numeric(&r, &value, err));
        func__put_numeric(call, out, row, value);
    }
    return ERR_OK;
}
