/* SPDX-License-Identifier: Apache-2.0
 * text/number_format.c - to_char and to_number with PostgreSQL's templates: 9 0 . , D G FM S MI PL SG PR TH L and literal text.
 *
 * Layout: the template gives `before` digit places left of the point and `after` right of it; the number is rounded to `after` places
 *         and its digits are right-aligned in the places. A number with more digits shows # in all of them. */
#include <math.h>
#include <stdio.h>

#include "sql/func/text/text_internal.h"

typedef enum NumberToken { N_DIGIT, N_ZERO, N_POINT, N_GROUP, N_SIGN, N_MINUS, N_PLUS, N_SIGN_FIXED, N_CURRENCY, N_ORDINAL, N_LITERAL } NumberToken;

enum { TEMPLATE_TOKENS_MAX = 256 };

typedef struct NumberTemplate {
    uint8_t tokens[TEMPLATE_TOKENS_MAX];
    char letters[TEMPLATE_TOKENS_MAX];   /* of literals, and the case of TH */
    size_t count;
    int before, after, first_zero;       /* first_zero: digit place of the first 0, or `before` */
    int last_zero;                       /* places right of the point that are always shown */
    bool fill_mode, brackets, has_point, has_sign;
    bool sign_first;                     /* S stands before the digits */
} NumberTemplate;

static ErrorCode bad_template(Str format, const char *what, Error *err) {
    return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "\"%.*s\": %s", STR_ARG(format), what);
}

static bool follows(Str format, size_t at, const char *word) {
    size_t len = strlen(word);
    return format.len - at >= len && str_equal_ignore_case(str_slice(format, at, at + len), str_from_c(word));
}

static void add_token(NumberTemplate *t, NumberToken token, char letter) {
    t->letters[t->count] = letter;
    t->tokens[t->count++] = (uint8_t)token;
}

static void add_digit(NumberTemplate *t, char c) {
    if (!t->has_point) {
        if (c == '0' && t->first_zero < 0) {
            t->first_zero = t->before;
        }
        t->before++;
    } else {
        t->after++;
        t->last_zero = c == '0' ? t->after : t->last_zero;
    }
    add_token(t, c == '0' ? N_ZERO : N_DIGIT, c);
}

/* One element of the template; how many bytes it takes. 0: what it is, is not supported. */
static size_t take_element(NumberTemplate *t, Str format, size_t at) {
    static const struct {
        const char *word;
        NumberToken token;
    } WORDS[] = {{"mi", N_MINUS}, {"pl", N_PLUS}, {"sg", N_SIGN_FIXED}, {"th", N_ORDINAL}};
    char c = format.data[at];
    if (follows(format, at, "fm")) {
        t->fill_mode = true;
        return 2;
    }
    if (follows(format, at, "pr")) {
        t->brackets = t->has_sign = true;
        return 2;
    }
    if (follows(format, at, "rn") || follows(format, at, "eeee") || c == 'V' || c == 'v') {
        return 0;
    }
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (follows(format, at, WORDS[i].word)) {
            t->has_sign |= WORDS[i].token != N_ORDINAL && WORDS[i].token != N_PLUS;
            add_token(t, WORDS[i].token, c);
            return 2;
        }
    }
    if (c == '9' || c == '0') {
        add_digit(t, c);
    } else if (c == '.' || (c | 0x20) == 'd') {
        t->has_point = true;
        add_token(t, N_POINT, c);
    } else if (c == ',' || (c | 0x20) == 'g') {
        add_token(t, N_GROUP, c);
    } else if ((c | 0x20) == 's') {
        t->has_sign = true;
        t->sign_first = t->before == 0 && !t->has_point;
        add_token(t, N_SIGN, c);
    } else if ((c | 0x20) == 'l') {
        add_token(t, N_CURRENCY, c);
    } else {
        add_token(t, N_LITERAL, c);
    }
    return 1;
}

static ErrorCode read_template(Str format, NumberTemplate *t, Error *err) {
    *t = (NumberTemplate){.first_zero = -1};
    for (size_t at = 0; at < format.len;) {
        if (t->count == TEMPLATE_TOKENS_MAX) {
            return bad_template(format, "number template is too long", err);
        }
        if (format.data[at] == '"') {
            for (at++; at < format.len && format.data[at] != '"' && t->count < TEMPLATE_TOKENS_MAX; at++) {
                add_token(t, N_LITERAL, format.data[at]);
            }
            at++;
            continue;
        }
        size_t len = take_element(t, format, at);
        if (len == 0) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "number template \"%.*s\" is not supported", STR_ARG(format));
        }
        at += len;
    }
    t->first_zero = t->first_zero < 0 ? t->before : t->first_zero;
    t->has_point = t->after > 0; /* a point without places behind it is not shown */
    return ERR_OK;
}

/* ---- to_char ---- */

typedef struct NumberWriter {
    const NumberTemplate *t;
    Buffer *out;
    char whole[80], fraction[80]; /* digits; whole without leading zeroes, "" for 0 */
    int whole_len, fraction_len;  /* fraction_len: places shown in fill mode */
    bool negative, overflow;
    bool sign_done, digit_seen;
    int place;                    /* digit places done, left of the point */
    int decimal;
} NumberWriter;

/* |value| rounded to the template's places, as digits. */
static ErrorCode split_number(NumberWriter *w, Numeric value, Error *err) {
    char text[NUMERIC_TEXT_MAX + 1];
    int after = MIN_OF(w->t->after, NUMERIC_SCALE_MAX);
    w->negative = value.coefficient < 0;
    value.coefficient = w->negative ? -value.coefficient : value.coefficient;
    TRY(numeric_rescale(value, (int16_t)MIN_OF(after, MAX_OF(value.scale, 0)), &value, err));
    Str digits = {text, numeric_format(text, value)};
    ptrdiff_t point = str_find_char(digits, '.', 0);
    size_t whole = point < 0 ? digits.len : (size_t)point;
    size_t skip = whole == 1 && text[0] == '0' ? 1 : 0;
    w->whole_len = (int)(whole - skip);
    memcpy(w->whole, text + skip, whole - skip);
    memset(w->fraction, '0', sizeof w->fraction);
    if (point >= 0) {
        memcpy(w->fraction, text + point + 1, digits.len - (size_t)point - 1);
    }
    w->fraction_len = after;
    while (w->t->fill_mode && w->fraction_len > w->t->last_zero && w->fraction[w->fraction_len - 1] == '0') {
        w->fraction_len--;
    }
    w->negative = w->negative && value.coefficient != 0;
    w->overflow = w->whole_len > w->t->before || (w->t->before == 0 && w->t->has_point);
    w->fraction_len = w->overflow ? after : w->fraction_len;
    return ERR_OK;
}

static bool fills(const NumberWriter *w) {
    return !w->t->fill_mode;
}

/* The sign goes directly before the first character of the number. */
static void put_leading_sign(NumberWriter *w) {
    if (w->sign_done) {
        return;
    }
    w->sign_done = true;
    if (w->t->brackets) {
        if (w->negative || fills(w)) {
            buffer_append_char(w->out, w->negative ? '<' : ' ');
        }
    } else if (w->t->sign_first) {
        buffer_append_char(w->out, w->negative ? '-' : '+');
    } else if (!w->t->has_sign && (w->negative || fills(w))) {
        buffer_append_char(w->out, w->negative ? '-' : ' ');
    }
}

static void put_whole_digit(NumberWriter *w) {
    int place = w->place++, first = w->t->before - w->whole_len;
    bool zero_shown = place >= w->t->first_zero;
    /* a lone 0 shows its last place where nothing else would be seen */
    bool last = place == w->t->before - 1 && w->whole_len == 0 && w->fraction_len == 0;
    if (w->overflow || place >= first) {
        put_leading_sign(w);
        buffer_append_char(w->out, w->overflow ? '#' : w->whole[place - first]);
        w->digit_seen = true;
    } else if (zero_shown || last) {
        put_leading_sign(w);
        buffer_append_char(w->out, '0');
        w->digit_seen = true;
    } else if (fills(w)) {
        buffer_append_char(w->out, ' ');
    }
}

static void put_fraction_digit(NumberWriter *w) {
    int place = w->decimal++;
    if (place < w->fraction_len || fills(w)) {
        buffer_append_char(w->out, w->overflow ? '#' : w->fraction[place]);
    }
}

static void put_ordinal(NumberWriter *w, bool upper) {
    if (w->negative || w->t->has_point || w->overflow) {
        return;
    }
    char last = w->whole_len > 0 ? w->whole[w->whole_len - 1] : '0';
    bool teen = w->whole_len > 1 && w->whole[w->whole_len - 2] == '1';
    Str suffix = teen || last == '0' || last > '3' ? STR("th") : last == '1' ? STR("st") : last == '2' ? STR("nd") : STR("rd");
    for (size_t i = 0; i < 2; i++) {
        buffer_append_char(w->out, upper ? (char)(suffix.data[i] & ~0x20) : suffix.data[i]);
    }
}

static void put_token(NumberWriter *w, NumberToken token, char letter) {
    switch (token) {
    case N_DIGIT:
    case N_ZERO:
        if (w->decimal >= 0) {
            put_fraction_digit(w);
        } else {
            put_whole_digit(w);
        }
        break;
    case N_POINT:
        if (!w->t->has_point) {
            break;
        }
        put_leading_sign(w);
        w->decimal = 0;
        buffer_append_char(w->out, '.');
        break;
    case N_GROUP:
        if (w->digit_seen) {
            buffer_append_char(w->out, ',');
        } else if (fills(w)) {
            buffer_append_char(w->out, ' ');
        }
        break;
    case N_SIGN:
        if (!w->t->sign_first) {
            buffer_append_char(w->out, w->negative ? '-' : '+');
        }
        break;
    case N_MINUS:
        if (w->negative || fills(w)) {
            buffer_append_char(w->out, w->negative ? '-' : ' ');
        }
        break;
    case N_PLUS:
        if (!w->negative || fills(w)) {
            buffer_append_char(w->out, w->negative ? ' ' : '+');
        }
        break;
    case N_SIGN_FIXED:
        buffer_append_char(w->out, w->negative ? '-' : '+');
        break;
    case N_CURRENCY:
        if (fills(w)) {
            buffer_append_char(w->out, ' ');
        }
        break;
    case N_ORDINAL:
        put_ordinal(w, letter >= 'A' && letter <= 'Z');
        break;
    case N_LITERAL:
        buffer_append_char(w->out, letter);
        break;
    }
}

static ErrorCode write_number(Numeric value, Str format, Buffer *out, Error *err) {
    NumberTemplate t;
    TRY(read_template(format, &t, err));
    NumberWriter w = {.t = &t, .out = out, .decimal = -1};
    if (value.kind != NUMERIC_FINITE) {
        w.overflow = true;
        value = numeric_from_int64(0);
    }
    bool not_finite = w.overflow;
    TRY(split_number(&w, value, err));
    w.overflow |= not_finite;
    for (size_t i = 0; i < t.count; i++) {
        put_token(&w, (NumberToken)t.tokens[i], t.letters[i]);
    }
    if (t.brackets && (w.negative || !t.fill_mode)) {
        buffer_append_char(out, w.negative ? '>' : ' ');
    }
    return ERR_OK;
}

/* A double as its decimal expansion rounded to `after` places. */
static ErrorCode number_of_double(double value, int after, Numeric *value_out, Error *err) {
    char text[400];
    if (!isfinite(value) || fabs(value) >= 1e30) {
        return numeric_from_double(value, value_out, err);
    }
    int len = snprintf(text, sizeof text, "%.*f", MIN_OF(after, 15), value);
    return numeric_parse((Str){text, (size_t)len}, value_out, err);
}

static int places_of(Str format) {
    NumberTemplate t;
    return read_template(format, &t, NULL) == ERR_OK ? t.after : 0;
}

/* Any number as a decimal. */
static ErrorCode number_of(const KernelCall *call, size_t row, Numeric *value_out, Error *err) {
    ArgView a = func__arg(call, 0);
    switch ((TypeId)call->args[0]->type.id) {
    case TYPE_INT4:
        *value_out = numeric_from_int64(AT(int32_t, a, row));
        return ERR_OK;
    case TYPE_INT8:
        *value_out = numeric_from_int64(AT(int64_t, a, row));
        return ERR_OK;
    case TYPE_FLOAT8:
        return number_of_double(AT(double, a, row), places_of(func__text(func__arg(call, 1), row)), value_out, err);
    default:
        *value_out = vector_numeric(call->args[0], row);
        return ERR_OK;
    }
}

ErrorCode func__to_char_number(const KernelCall *call, Vector *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        Numeric value;
        TRY_OR(done, number_of(call, row, &value, err));
        TRY_OR(done, write_number(value, func__text(func__arg(call, 1), row), &buffer, err));
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

/* ---- to_number ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Digits and one point are taken, signs and brackets read, everything else of the text is passed over. */
ErrorCode func__to_number(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        NumberTemplate t;
        Str text = func__text(a, row);
        char number[NUMERIC_TEXT_MAX + 2];
        size_t len = 0, after = 0;
        bool negative = false, point = false, any = false;
        TRY(read_template(func__text(b, row), &t, err));
        for (size_t i = 0; i < text.len && len < NUMERIC_TEXT_MAX; i++) {
            char c = text.data[i];
            if (is_digit(c) && (!point || after < (size_t)t.after)) {
                number[len++] = c;
                after += point;
                any = true;
            } else if (c == '.' && t.has_point && !point) {
                number[len++] = c;
                point = true;
            }
            negative |= c == '-' || (c == '<' && t.brackets);
        }
        if (!any) {
            return error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type numeric: \"%.*s\"", STR_ARG(text));
        }
        Numeric value;
        TRY(numeric_parse((Str){number, len}, &value, err));
        value.coefficient = negative ? -value.coefficient : value.coefficient;
        func__put_numeric(call, out, row, value);
    }
    return ERR_OK;
}
