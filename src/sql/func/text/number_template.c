/* SPDX-License-Identifier: Apache-2.0
 * text/number_template.c - reads a template of numbers: patterns in capitals or small letters, text in quotes, and which of them may stand together.
 *
 * Tests: test/sql/templates.slt */
#include "sql/func/text/number_template.h"

typedef struct PatternRow { const char *upper, *lower; NumberPattern pattern; } PatternRow;

static const PatternRow PATTERNS[] = {
    {",", ",", NUMBER_COMMA}, {".", ".", NUMBER_POINT}, {"0", "0", NUMBER_0}, {"9", "9", NUMBER_9}, {"B", "b", NUMBER_BLANK}, {"C", "c", NUMBER_IGNORED},
    {"D", "d", NUMBER_LOCAL_POINT}, {"EEEE", "eeee", NUMBER_SCIENTIFIC}, {"FM", "fm", NUMBER_FILL}, {"G", "g", NUMBER_GROUP}, {"L", "l", NUMBER_CURRENCY},
    {"MI", "mi", NUMBER_MINUS}, {"PL", "pl", NUMBER_PLUS}, {"PR", "pr", NUMBER_BRACKETS}, {"RN", "rn", NUMBER_ROMAN}, {"SG", "sg", NUMBER_SIGN_HERE},
    {"SP", "sp", NUMBER_IGNORED}, {"S", "s", NUMBER_SIGN}, {"TH", "th", NUMBER_ORDINAL}, {"V", "v", NUMBER_SHIFT}};

static bool stands_at(Str format, size_t at, const char *text) {
    size_t len = strlen(text);
    return format.len - at >= len && memcmp(format.data + at, text, len) == 0;
}

static ErrorCode refuse(const char *message, const char *detail, Error *err) {
    ErrorCode code = error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "%s", message);
    if (detail != NULL) {
        (void)error_add(err, 'D', "%s", detail);
    }
    return code;
}

/* ---- what each pattern means for the others ---- */

static ErrorCode add_digit(NumberTemplate *t, bool zero, Error *err) {
    if (t->brackets) {
        return refuse(zero ? "\"0\" must be ahead of \"PR\"" : "\"9\" must be ahead of \"PR\"", NULL, err);
    }
    if (!zero && t->shifted) {
        t->shift++;
        return ERR_OK;
    }
    if (zero && !t->zero && !t->point) {
        t->zero = true;
        t->zero_start = t->before + 1;
    }
    *(t->point ? &t->after : &t->before) += 1;
    t->zero_end = zero ? t->before + t->after : t->zero_end;
    return ERR_OK;
}

static ErrorCode add_point(NumberTemplate *t, Error *err) {
    if (t->point) {
        return refuse("multiple decimal points", NULL, err);
    }
    if (t->shifted) {
        return refuse("cannot use \"V\" and decimal point together", NULL, err);
    }
    t->point = true;
    return ERR_OK;
}

static ErrorCode add_sign(NumberTemplate *t, Error *err) {
    if (t->sign) {
        return refuse("cannot use \"S\" twice", NULL, err);
    }
    if (t->plus || t->minus || t->brackets) {
        return refuse("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together", NULL, err);
    }
    t->sign = true;
    t->sign_place = t->point ? SIGN_BEHIND : SIGN_BEFORE;
    t->before_at_sign = t->before;
    return ERR_OK;
}

static ErrorCode add_scientific(NumberTemplate *t, Error *err) {
    if (t->scientific) {
        return refuse("cannot use \"EEEE\" twice", NULL, err);
    }
    if (t->blank || t->fill_mode || t->sign || t->brackets || t->minus || t->plus || t->roman || t->shifted) {
        return refuse("\"EEEE\" is incompatible with other formats", "\"EEEE\" may only be used together with digit and decimal point patterns.", err);
    }
    t->scientific = true;
    return ERR_OK;
}

static ErrorCode add_plain_sign(NumberTemplate *t, NumberPattern pattern, Error *err) {
    if (t->sign) {
        return refuse(pattern == NUMBER_MINUS ? "cannot use \"S\" and \"MI\" together" : pattern == NUMBER_PLUS ? "cannot use \"S\" and \"PL\" together"
                                                                                                             : "cannot use \"S\" and \"SG\" together", NULL, err);
    }
    t->minus |= pattern != NUMBER_PLUS;
    t->plus |= pattern != NUMBER_MINUS;
    return ERR_OK;
}

static ErrorCode add_brackets(NumberTemplate *t, Error *err) {
    if (t->sign || t->plus || t->minus) {
        return refuse("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together", NULL, err);
    }
    t->brackets = true;
    return ERR_OK;
}

static ErrorCode add_pattern(NumberTemplate *t, NumberPattern pattern, Error *err) {
    if (t->scientific && pattern != NUMBER_SCIENTIFIC) {
        return refuse("\"EEEE\" must be the last pattern used", NULL, err);
    }
    switch (pattern) {
    case NUMBER_9:
    case NUMBER_0: return add_digit(t, pattern == NUMBER_0, err);
    case NUMBER_BLANK: t->blank |= t->before == 0 && t->after == 0 && !t->zero; return ERR_OK;
    case NUMBER_LOCAL_POINT: t->local_point = true; return add_point(t, err);
    case NUMBER_POINT: return add_point(t, err);
    case NUMBER_FILL: t->fill_mode = true; return ERR_OK;
    case NUMBER_SIGN: return add_sign(t, err);
    case NUMBER_MINUS:
    case NUMBER_PLUS:
    case NUMBER_SIGN_HERE: return add_plain_sign(t, pattern, err);
    case NUMBER_BRACKETS: return add_brackets(t, err);
    case NUMBER_ROMAN:
        if (t->roman) {
            return refuse("cannot use \"RN\" twice", NULL, err);
        }
        t->roman = true;
        return ERR_OK;
    case NUMBER_SHIFT:
        if (t->point) {
            return refuse("cannot use \"V\" and decimal point together", NULL, err);
        }
        t->shifted = true;
        return ERR_OK;
    case NUMBER_SCIENTIFIC: return add_scientific(t, err);
    default: return ERR_OK;
    }
}

static bool roman_stands_alone(const NumberTemplate *t) {
    return !(t->point || t->sign || t->brackets || t->minus || t->plus || t->shifted || t->blank || t->scientific || t->zero);
}

/* ---- cutting ---- */

static size_t add_character(NumberTemplate *t, Str format, size_t at) {
    size_t len = 1;
    while (at + len < format.len && len < sizeof t->nodes[0].text && ((uint8_t)format.data[at + len] & 0xc0) == 0x80) {
        len++;
    }
    NumberNode *node = &t->nodes[t->count++];
    *node = (NumberNode){.pattern = NUMBER_TEXT, .len = (uint8_t)len};
    memcpy(node->text, format.data + at, len);
    return len;
}

static const PatternRow *pattern_at(Str format, size_t at) {
    for (size_t i = 0; i < COUNT_OF(PATTERNS); i++) {
        if (stands_at(format, at, PATTERNS[i].upper) || stands_at(format, at, PATTERNS[i].lower)) {
            return &PATTERNS[i];
        }
    }
    return NULL;
}

ErrorCode text__number_template(Str format, NumberTemplate *t, Error *err) {
    bool quoted = false;
    memset(t, 0, offsetof(NumberTemplate, nodes));
    for (size_t at = 0; at < format.len;) {
        if (t->count == NUMBER_NODES_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "number template is too long");
        }
        if (format.data[at] == '"') {
            quoted = !quoted;
            at++;
            continue;
        }
        const PatternRow *row = quoted ? NULL : pattern_at(format, at);
        if (row == NULL) {
            bool escape = format.data[at] == '\\' && at + 1 < format.len && (quoted || format.data[at + 1] == '"');
            at += escape;
            at += add_character(t, format, at);
            continue;
        }
        TRY(add_pattern(t, row->pattern, err));
        if (t->roman && !roman_stands_alone(t)) {
            return refuse("\"RN\" is incompatible with other formats", "\"RN\" may only be used together with \"FM\".", err);
        }
        t->nodes[t->count++] = (NumberNode){.pattern = (uint8_t)row->pattern, .upper = format.data[at] == row->upper[0]};
        at += strlen(row->upper);
    }
    return ERR_OK;
}

size_t text__roman(int64_t value, char out[ROMAN_LEN_MAX + 1]) {
    static const struct { int value; const char *text; } PARTS[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                                                                    {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    size_t len = 0;
    if (value < 1 || value > ROMAN_VALUE_MAX) {
        memset(out, '#', ROMAN_LEN_MAX);
        return ROMAN_LEN_MAX;
    }
    for (size_t i = 0; i < COUNT_OF(PARTS); i++) {
        for (; value >= PARTS[i].value; value -= PARTS[i].value) {
            size_t part = strlen(PARTS[i].text);
            memcpy(out + len, PARTS[i].text, part);
            len += part;
        }
    }
    return len;
}
