/* SPDX-License-Identifier: Apache-2.0
 * text/number_format.c - to_char of numbers by PostgreSQL's templates.
 *
 * Layout: the number is brought to text first, with as many places behind the point as the template has; its digits are then right-aligned
 *         in the digit patterns. A number with more digits than the template shows # in all of them.
 * Tests:  test/sql/templates.slt */
#include <math.h>
#include <stdio.h>

#include "sql/func/text/number_template.h"

enum { DIGITS_OF_FLOAT = 6, DIGITS_OF_DOUBLE = 15, NUMBER_TEXT_BYTES = NUMBER_NODES_MAX + 700 };

/* The number as text: no sign, but for EEEE, where the text is the answer. */
typedef struct NumberText {
    NumberTemplate *t;
    char text[NUMBER_TEXT_BYTES];
    size_t len;
    bool negative;
    int spaces; /* digit patterns left of its first digit */
} NumberText;

static size_t whole_digits(const NumberText *n) {
    const char *point = memchr(n->text, '.', n->len);
    return point == NULL ? n->len : (size_t)(point - n->text);
}

/* Digits that do not fit show as #. */
static void fit(NumberText *n) {
    int whole = (int)whole_digits(n);
    n->spaces = MAX_OF(n->t->before - whole, 0);
    if (whole > n->t->before) {
        n->len = (size_t)(n->t->before + n->t->after) + 1;
        memset(n->text, '#', n->len);
        n->text[n->t->before] = '.';
    }
}

static void scientific_hashes(NumberText *n) {
    n->len = (size_t)(n->t->before + n->t->after) + 6;
    memset(n->text, '#', n->len);
    n->text[0] = ' ';
    n->text[n->t->before + 1] = '.';
}

/* ---- from each type ---- */

static ErrorCode text_of_double(double value, int digits, NumberText *n, Error *err) {
    NumberTemplate *t = n->t;
    (void)err;
    if (t->roman) {
        double rounded = rint(value);
        n->len = text__roman(isfinite(rounded) && fabs(rounded) <= ROMAN_VALUE_MAX ? (int64_t)rounded : 0, n->text);
        return ERR_OK;
    }
    if (t->scientific) {
        if (!isfinite(value)) {
            scientific_hashes(n);
            return ERR_OK;
        }
        n->len = (size_t)snprintf(n->text, sizeof n->text, "% .*e", MIN_OF(t->after, 600), value);
        return ERR_OK;
    }
    for (int i = 0; i < t->shift; i++) {
        value = digits == DIGITS_OF_FLOAT ? (double)((float)value * 10) : value * 10;
    }
    t->before += t->shift;
    n->negative = signbit(value) && !isnan(value);
    if (!isfinite(value)) {
        n->len = (size_t)snprintf(n->text, sizeof n->text, "%s", isnan(value) ? "NaN" : "Infinity");
        t->after = (int)n->len >= digits ? 0 : MIN_OF(t->after, digits - (int)n->len);
        fit(n);
        return ERR_OK;
    }
    int whole = snprintf(n->text, sizeof n->text, "%.0f", fabs(value));
    t->after = whole >= digits ? 0 : MIN_OF(t->after, digits - whole);
    n->len = (size_t)snprintf(n->text, sizeof n->text, "%.*f", t->after, fabs(value));
    fit(n);
    return ERR_OK;
}

/* One digit before the point, rounded half away from zero; an exponent of two digits at least. */
static void scientific_numeric(Numeric value, bool negative, NumberText *n) {
    char digits[NUMERIC_TEXT_MAX], rounded[NUMERIC_TEXT_MAX];
    Numeric plain = {.coefficient = value.coefficient};
    size_t count = numeric_format(digits, plain);
    int exponent = plain.coefficient == 0 ? 0 : (int)count - 1 - value.scale;
    int places = MIN_OF(n->t->after, 600);
    size_t keep = (size_t)places + 1;
    if (count > keep) {
        Numeric cut = {.coefficient = plain.coefficient, .scale = (int16_t)(count - keep)};
        if (numeric_rescale(cut, 0, &cut, NULL) == ERR_OK) {
            size_t len = numeric_format(rounded, cut);
            exponent += (int)(len - keep); /* 9.99 became 10.0 */
            memcpy(digits, rounded, keep);
        }
        count = keep;
    }
    n->len = 0;
    n->text[n->len++] = negative ? '-' : ' ';
    n->text[n->len++] = digits[0];
    if (places > 0) {
        n->text[n->len++] = '.';
        memset(n->text + n->len, '0', (size_t)places);
        memcpy(n->text + n->len, digits + 1, count - 1);
        n->len += (size_t)places;
    }
    n->len += (size_t)snprintf(n->text + n->len, sizeof n->text - n->len, "e%+03d", exponent);
}

static ErrorCode shift_numeric(const NumberText *n, Numeric *value, Error *err) {
    for (int i = 0; i < n->t->shift && value->kind == NUMERIC_FINITE; i++) {
        TRY(numeric_mul(*value, numeric_from_int64(10), value, err));
    }
    return ERR_OK;
}

static ErrorCode text_of_numeric(Numeric value, NumberText *n, Error *err) {
    NumberTemplate *t = n->t;
    if (t->roman) {
        int64_t number = 0;
        bool fine = value.kind == NUMERIC_FINITE && numeric_to_int64(value, &number, NULL) == ERR_OK;
        n->len = text__roman(fine ? number : 0, n->text);
        return ERR_OK;
    }
    if (t->scientific) {
        if (value.kind == NUMERIC_FINITE) {
            bool negative = value.coefficient < 0;
            TRY(negative ? numeric_negate(value, &value, err) : ERR_OK);
            scientific_numeric(value, negative, n);
        } else {
            scientific_hashes(n);
        }
        return ERR_OK;
    }
    TRY(shift_numeric(n, &value, err));
    t->before += t->shift;
    if (value.kind != NUMERIC_FINITE) {
        n->negative = value.kind == NUMERIC_MINUS_INFINITY;
        n->len = (size_t)snprintf(n->text, sizeof n->text, "%s", value.kind == NUMERIC_NAN ? "NaN" : "Infinity");
        fit(n);
        return ERR_OK;
    }
    TRY(numeric_rescale(value, (int16_t)MIN_OF(t->after, MAX_OF(value.scale, 0)), &value, err));
    n->negative = value.coefficient < 0;
    TRY(n->negative ? numeric_negate(value, &value, err) : ERR_OK);
    n->len = numeric_format(n->text, value);
    int places = value.scale; /* the rest are zeros */
    if (places < t->after) {
        n->text[n->len] = '.';
        n->len += places == 0;
        memset(n->text + n->len, '0', (size_t)(t->after - places));
        n->len += (size_t)(t->after - places);
    }
    fit(n);
    return ERR_OK;
}

static ErrorCode text_of_integer(int64_t value, bool wide, NumberText *n, Error *err) {
    int64_t shifted = value;
    for (int i = 0; i < n->t->shift && !n->t->roman && !n->t->scientific; i++) {
        bool over = __builtin_mul_overflow(shifted, 10, &shifted) || (!wide && (shifted > INT32_MAX || shifted < INT32_MIN));
        if (over) {
            return func__out_of_range(wide ? TYPE_INT8 : TYPE_INT4, err);
        }
    }
    return text_of_numeric(numeric_from_int64(value), n, err);
}

static ErrorCode read_value(const KernelCall *call, size_t row, NumberText *n, Error *err) {
    ArgView a = func__arg(call, 0);
    switch ((TypeId)call->args[0]->type.id) {
    case TYPE_INT4: return text_of_integer(AT(int32_t, a, row), false, n, err);
    case TYPE_INT8: return text_of_integer(AT(int64_t, a, row), true, n, err);
    case TYPE_FLOAT4: return text_of_double((double)AT(float, a, row), DIGITS_OF_FLOAT, n, err);
    case TYPE_FLOAT8: return text_of_double(AT(double, a, row), DIGITS_OF_DOUBLE, n, err);
    default: return text_of_numeric(vector_numeric(call->args[0], row), n, err);
    }
}

/* ---- writing ---- */

typedef struct NumberWriter {
    const NumberText *n;
    const NumberTemplate *t;
    Buffer *out;
    size_t at;          /* in the number's text */
    ptrdiff_t relevant; /* FM: the last place that is shown, -1: all */
    int place, last;    /* digit patterns and points done; how many there are */
    int zero_start;
    bool brackets, sign_done, digit_seen;
    SignPlace sign_place;
} NumberWriter;

static char number_at(const NumberWriter *w, size_t at) { return at < w->n->len ? w->n->text[at] : '\0'; }

/* FM: zeros at the end are not shown, but those that a 0 asks for. */
static ptrdiff_t find_relevant(const NumberWriter *w) {
    const NumberText *n = w->n;
    size_t whole = whole_digits(n), last = whole;
    if (!w->t->fill_mode || !w->t->point || whole == n->len) {
        return -1;
    }
    for (size_t i = whole + 1; i < n->len; i++) {
        last = n->text[i] != '0' ? i : last;
    }
    if (w->t->zero_end > n->spaces) {
        size_t zero = MIN_OF(n->len - 1, (size_t)(w->t->zero_end - n->spaces));
        last = MAX_OF(last, zero);
    }
    return (ptrdiff_t)last;
}

static void writer_init(NumberWriter *w, const NumberText *n, Buffer *out) {
    const NumberTemplate *t = n->t;
    *w = (NumberWriter){.n = n, .t = t, .out = out, .brackets = t->brackets, .sign_place = t->sign_place, .zero_start = t->zero_start > 0 ? t->zero_start - 1 : 0};
    if (t->plus || t->minus) {
        w->sign_done = t->minus; /* PL alone: a minus still goes before the number */
    } else {
        w->brackets = w->brackets && (n->negative || !t->fill_mode);
        w->sign_done = !n->negative && t->fill_mode && !t->sign;
        w->sign_place = w->sign_place == SIGN_BEFORE && t->before == t->before_at_sign ? SIGN_BEHIND : w->sign_place;
    }
    w->last = t->after + t->before - 1 + (!w->sign_done && n->spaces == 0);
    w->relevant = find_relevant(w);
}

/* "9.9" shows .1, not 0.1. */
static bool is_leading_zero(const NumberWriter *w) { return !w->t->zero && w->at == 0 && number_at(w, 0) == '0' && w->t->after != 0; }

static bool ends_at_point(const NumberWriter *w) { return w->relevant >= 0 && number_at(w, (size_t)w->relevant) == '.'; }

static void put_sign_before(NumberWriter *w) {
    bool negative = w->n->negative;
    bool due = w->place >= w->n->spaces || (w->t->zero && w->zero_start == w->place);
    if (w->sign_done || !due || (is_leading_zero(w) && !ends_at_point(w))) {
        return;
    }
    if (w->t->sign) {
        if (w->sign_place == SIGN_BEFORE) {
            buffer_append_char(w->out, negative ? '-' : '+');
            w->sign_done = true;
        }
        return;
    }
    w->sign_done = true;
    if (w->brackets) {
        buffer_append_char(w->out, negative ? '<' : ' ');
    } else if (negative || !w->t->fill_mode) {
        buffer_append_char(w->out, negative ? '-' : ' ');
    }
}

static void put_next(NumberWriter *w, bool zero_pattern) {
    char c = number_at(w, w->at);
    if (c == '.') {
        if (!ends_at_point(w) || w->t->fill_mode) {
            buffer_append_char(w->out, '.');
        }
    } else if (w->relevant >= 0 && (ptrdiff_t)w->at > w->relevant && !zero_pattern) {
        /* a zero at the end */
    } else if (is_leading_zero(w)) {
        if (!w->t->fill_mode) {
            buffer_append_char(w->out, ' ');
        } else if (ends_at_point(w)) {
            buffer_append_char(w->out, '0');
        }
    } else {
        buffer_append_char(w->out, c);
        w->digit_seen = true;
    }
    w->at += w->at < w->n->len;
}

static void put_sign_behind(NumberWriter *w) {
    int end = w->last + (w->n->spaces > 0) + w->t->point;
    end = w->relevant >= 0 && (size_t)w->relevant == w->at ? w->place : end;
    if (w->place + 1 != end) {
        return;
    }
    if (w->sign_done && w->brackets) {
        buffer_append_char(w->out, w->n->negative ? '>' : ' ');
    } else if (w->t->sign && w->sign_place == SIGN_BEHIND) {
        buffer_append_char(w->out, w->n->negative ? '-' : '+');
    }
}

static void put_digit(NumberWriter *w, bool zero_pattern) {
    if (w->t->roman) {
        return;
    }
    w->digit_seen = false;
    put_sign_before(w);
    bool before_number = w->place < w->n->spaces;
    if (before_number && (!w->t->zero || w->zero_start > w->place)) {
        buffer_append_fill(w->out, ' ', !w->t->fill_mode);
    } else if (before_number) {
        buffer_append_char(w->out, '0');
        w->digit_seen = true;
    } else {
        put_next(w, zero_pattern);
    }
    put_sign_behind(w);
    w->place++;
}

static ErrorCode put_ordinal(NumberWriter *w, bool upper, Error *err) {
    const NumberText *n = w->n;
    if (w->t->roman || n->text[0] == '#' || n->negative || w->t->point) {
        return ERR_OK;
    }
    char last = n->text[n->len - 1];
    if (last < '0' || last > '9') {
        return error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "\"%.*s\" is not a number", (int)n->len, n->text);
    }
    bool teen = n->len > 1 && n->text[n->len - 2] == '1';
    const char *suffix = teen ? "th" : last == '1' ? "st" : last == '2' ? "nd" : last == '3' ? "rd" : "th";
    for (size_t i = 0; i < 2; i++) {
        buffer_append_char(w->out, upper ? (char)(suffix[i] & ~0x20) : suffix[i]);
    }
    return ERR_OK;
}

static void put_roman(NumberWriter *w, bool upper) {
    buffer_append_fill(w->out, ' ', w->t->fill_mode ? 0 : ROMAN_LEN_MAX - w->n->len);
    for (size_t i = 0; i < w->n->len; i++) {
        char c = w->n->text[i];
        buffer_append_char(w->out, upper || c == '#' ? c : (char)(c | 0x20));
    }
}

static void put_either(NumberWriter *w, bool condition, char c) {
    if (condition || !w->t->fill_mode) {
        buffer_append_char(w->out, condition ? c : ' ');
    }
}

static ErrorCode put_node(NumberWriter *w, const NumberNode *node, Error *err) {
    switch ((NumberPattern)node->pattern) {
    case NUMBER_TEXT: buffer_append(w->out, node->text, node->len); break;
    case NUMBER_9:
    case NUMBER_0:
    case NUMBER_POINT:
    case NUMBER_LOCAL_POINT: put_digit(w, node->pattern == NUMBER_0); break;
    case NUMBER_COMMA:
    case NUMBER_GROUP: put_either(w, w->digit_seen, ','); break;
    case NUMBER_CURRENCY: buffer_append_char(w->out, ' '); break;
    case NUMBER_ROMAN: put_roman(w, node->upper); break;
    case NUMBER_ORDINAL: return put_ordinal(w, node->upper, err);
    case NUMBER_MINUS: put_either(w, w->n->negative, '-'); break;
    case NUMBER_PLUS: put_either(w, !w->n->negative, '+'); break;
    case NUMBER_SIGN_HERE: buffer_append_char(w->out, w->n->negative ? '-' : '+'); break;
    default: break;
    }
    return ERR_OK;
}

static ErrorCode write_number(const KernelCall *call, size_t row, NumberTemplate *t, Buffer *out, Error *err) {
    NumberText n = {.t = t};
    NumberWriter w;
    TRY(text__number_template(func__text(func__arg(call, 1), row), t, err));
    TRY(read_value(call, row, &n, err));
    if (t->scientific) {
        buffer_append(out, n.text, n.len);
        return ERR_OK;
    }
    writer_init(&w, &n, out);
    for (uint32_t i = 0; i < t->count; i++) {
        TRY(put_node(&w, &t->nodes[i], err));
    }
    const uint8_t *end = out->len == 0 ? NULL : memchr(out->data, '\0', out->len); /* patterns behind the last digit that a double has */
    out->len = end != NULL ? (size_t)(end - out->data) : out->len;
    return ERR_OK;
}

ErrorCode func__to_char_number(const KernelCall *call, Vector *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    NumberTemplate *t = arena_new(call->arena, NumberTemplate);
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        TRY_OR(done, write_number(call, row, t, &buffer, err));
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}
