/* SPDX-License-Identifier: Apache-2.0
 * number_parse.c - text -> double and float, correctly rounded, whatever the locale.
 *
 * Why: a number of at most 2^53 and a power of ten of at most 22 are both exact doubles, so one multiplication or division
 * rounds once and is right (Clinger 1990). The rest goes to strtod in the C locale, from a canonical copy: digits, exponent.
 * Tests: test/unit/base/test_number.c */
#include "base/number.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WORD_DIGITS_MAX = 19,         /* fit uint64_t */
    EXACT_DIGITS_MAX = 800,       /* no double's midpoint has more than 767 digits; what follows is only "a bit more" */
    EXACT_POWER_MAX = 22,         /* 10^22 is the last power of ten that is an exact double */
    EXPONENT_LIMIT = 1000000      /* far beyond what any double needs; keeps sums inside int */
};

static const double POWERS[EXACT_POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* value = digits x 10^exponent; the first WORD_DIGITS_MAX significant digits are in word */
typedef struct Decimal {
    bool negative, special;
    double special_value;
    uint64_t word;
    int word_digits;              /* significant digits in word */
    int dropped;                  /* significant digits that did not fit word */
    int exponent;                 /* of word's last digit */
    Str digits;                   /* the mantissa's text, with its point */
} Decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool parse_special(Str s, Decimal *d) {
    d->special = true;
    if (str_equal_ignore_case(s, STR("inf")) || str_equal_ignore_case(s, STR("infinity"))) {
        d->special_value = INFINITY;
        return true;
    }
    d->special_value = NAN;
    return str_equal_ignore_case(s, STR("nan"));
}

static void add_digit(Decimal *d, char c, bool after_point) {
    if (d->word_digits < WORD_DIGITS_MAX) {
        d->word = d->word * 10 + (uint64_t)(c - '0');
        d->word_digits += d->word != 0;
        d->exponent -= after_point;
    } else {
        d->dropped++;
        d->exponent += !after_point;
    }
}

/* The mantissa at the start of s; false if it has no digit. */
static bool scan_mantissa(Str s, Decimal *d, size_t *end_out) {
    bool point = false;
    bool any = false;
    size_t at = 0;
    for (; at < s.len; at++) {
        char c = s.data[at];
        if (is_digit(c)) {
            any = true;
            add_digit(d, c, point);
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    d->digits = str_slice(s, 0, at);
    *end_out = at;
    return any;
}

static bool scan_exponent(Str s, Decimal *d) {
    bool negative = false;
    size_t at = 0;
    if (s.len > 0 && (s.data[0] == '+' || s.data[0] == '-')) {
        negative = s.data[0] == '-';
        at = 1;
    }
    if (at == s.len) {
        return false;
    }
    int value = 0;
    for (; at < s.len; at++) {
        if (!is_digit(s.data[at])) {
            return false;
        }
        value = MIN_OF(value * 10 + (s.data[at] - '0'), EXPONENT_LIMIT);
    }
    d->exponent += negative ? -value : value;
    return true;
}

static bool scan(Str s, Decimal *d) {
    *d = (Decimal){0};
    if (s.len == 0 || s.len > EXPONENT_LIMIT) {
        return false;
    }
    d->negative = s.data[0] == '-';
    if (d->negative || s.data[0] == '+') {
        s = str_slice(s, 1, s.len);
    }
    if (s.len > 0 && (s.data[0] | 0x20) >= 'a') {
        return parse_special(s, d);
    }
    size_t end;
    if (!scan_mantissa(s, d, &end)) {
        return false;
    }
    if (end == s.len) {
        return true;
    }
    return (s.data[end] | 0x20) == 'e' && scan_exponent(str_slice(s, end + 1, s.len), d);
}

/* Writes the decimal as [digits]e[exponent] for strtod. */
static void canonical(const Decimal *d, char out[EXACT_DIGITS_MAX + 32]) {
    size_t len = 0;
    int beyond = 0;
    bool more = false;
    for (size_t i = 0; i < d->digits.len; i++) {
        char c = d->digits.data[i];
        if (!is_digit(c) || (len == 0 && c == '0')) {
            continue;
        }
        if (len < EXACT_DIGITS_MAX) {
            out[len++] = c;
        } else {
            beyond++;
            more |= c != '0';
        }
    }
    int exponent = d->exponent - d->dropped + beyond;
    if (more) {
        out[len++] = '1';
        exponent--;
    }
    if (len == 0) {
        out[len++] = '0';
    }
    snprintf(out + len, 32 - 1, "e%d", exponent);
}

static bool is_exact(const Decimal *d) {
    return d->dropped == 0 && d->word <= 1ULL << 53 && d->exponent >= -EXACT_POWER_MAX && d->exponent <= EXACT_POWER_MAX;
}

bool parse_double(Str s, double *value_out) {
    Decimal d;
    if (!scan(s, &d)) {
        return false;
    }
    double value;
    if (d.special) {
        value = d.special_value;
    } else if (is_exact(&d)) {
        value = (double)d.word;
        value = d.exponent < 0 ? value / POWERS[-d.exponent] : value * POWERS[d.exponent];
    } else {
        char text[EXACT_DIGITS_MAX + 32];
        canonical(&d, text);
        locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        value = strtod_l(text, NULL, c_locale);
        freelocale(c_locale);
        if (isinf(value)) {
            return false;
        }
    }
    *value_out = d.negative ? -value : value;
    return true;
}

/* Not through double: rounding twice can go wrong by one unit. A float's exact cases are words below 2^24 and powers to 10^10. */
bool parse_float(Str s, float *value_out) {
    Decimal d;
    if (!scan(s, &d)) {
        return false;
    }
    float value;
    if (d.special) {
        value = (float)d.special_value;
    } else if (d.dropped == 0 && d.word <= 1u << 24 && d.exponent >= -10 && d.exponent <= 10) {
        value = (float)d.word;
        value = d.exponent < 0 ? value / (float)POWERS[-d.exponent] : value * (float)POWERS[d.exponent];
    } else {
        char text[EXACT_DIGITS_MAX + 32];
        canonical(&d, text);
        locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        value = strtof_l(text, NULL, c_locale);
        freelocale(c_locale);
        if (isinf(value)) {
            return false;
        }
    }
    *value_out = d.negative ? -value : value;
    return true;
}
