/* SPDX-License-Identifier: Apache-2.0
 * text/regex_syntax.c - a pattern of PostgreSQL's advanced regular expressions as one of PCRE2, or the error that PostgreSQL gives.
 *
 * Why:   PCRE2 accepts much that PostgreSQL refuses (references to groups that are open, escapes, options in the middle, possessive
 *        quantifiers), and some escapes mean another thing. One pass over the pattern checks and rewrites it.
 * Tests: test/sql/strings.slt */
#include "sql/func/text/text_internal.h"

enum { REPEAT_MAX = 255, GROUP_NESTING_MAX = 1000 };
static const uint32_t LOOK_AROUND = UINT32_MAX; /* in place of a group's number */

typedef struct Syntax {
    Str pattern;
    size_t at;
    Buffer *out;
    uint32_t opened, closed_count;      /* groups that capture */
    uint32_t open_groups[GROUP_NESTING_MAX];
    uint32_t depth;
    uint64_t closed[4];                 /* groups 1..255 that are complete */
    bool extended;                      /* blanks and comments do not count */
    bool operand;                       /* something stands before that a quantifier may take */
    Error *err;
} Syntax;

static ErrorCode invalid(const Syntax *s, const char *what) {
    return error_set(s->err, ERR_INVALID_REGEX, ERROR_NO_POSITION, "invalid regular expression: %s", what);
}

static char peek(const Syntax *s, size_t ahead) {
    return s->at + ahead < s->pattern.len ? s->pattern.data[s->at + ahead] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int hex_value(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* ---- escapes ---- */

static ErrorCode take_hex(Syntax *s, size_t least, size_t most) {
    uint32_t value = 0;
    size_t count = 0;
    for (; count < most && s->at < s->pattern.len && hex_value(peek(s, 0)) >= 0; count++) {
        value = value << 4 | (uint32_t)hex_value(s->pattern.data[s->at++]);
    }
    if (count < least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
        return invalid(s, "invalid escape \\ sequence");
    }
    buffer_printf(s->out, "\\x{%x}", value);
    return ERR_OK;
}

static bool group_closed(const Syntax *s, uint32_t number) {
    return number < 256 && (s->closed[number / 64] >> (number % 64) & 1) != 0;
}

/* \1 is a group; \12 is one if so many are complete, else octal. */
static ErrorCode take_number(Syntax *s) {
    uint32_t number = 0;
    size_t digits = 0;
    while (digits < 3 && is_digit(peek(s, digits))) {
        number = number * 10 + (uint32_t)(peek(s, digits++) - '0');
    }
    bool octal = peek(s, 0) == '0' || (digits > 1 && number > s->closed_count);
    if (octal) {
        uint32_t value = 0;
        for (digits = 0; digits < 3 && peek(s, digits) >= '0' && peek(s, digits) <= '7'; digits++) {
            value = value * 8 + (uint32_t)(peek(s, digits) - '0');
        }
        s->at += digits;
        buffer_printf(s->out, "\\x{%x}", value);
        return digits > 0 ? ERR_OK : invalid(s, "invalid escape \\ sequence");
    }
    s->at += digits;
    if (!group_closed(s, number)) {
        return invalid(s, "invalid backreference number");
    }
    buffer_printf(s->out, "\\g{%u}", number);
    return ERR_OK;
}

/* What the escape is in PCRE2; empty: no escape of one letter. */
static Str letter_escape(char letter, bool *constraint_out) {
    static const struct {
        char letter;
        bool constraint;
        Str pcre;
    } ESCAPES[] = {{'m', true, {"\\b(?=\\w)", 8}}, {'M', true, {"\\b(?<=\\w)", 9}}, {'y', true, {"\\b", 2}},    {'Y', true, {"\\B", 2}},
                   {'Z', true, {"\\z", 2}},        {'A', true, {"\\A", 2}},         {'b', false, {"\\x08", 4}}, {'B', false, {"\\\\", 2}},
                   {'a', false, {"\\a", 2}},       {'e', false, {"\\e", 2}},        {'f', false, {"\\f", 2}},   {'n', false, {"\\n", 2}},
                   {'r', false, {"\\r", 2}},       {'t', false, {"\\t", 2}},        {'v', false, {"\\x0b", 4}}, {'d', false, {"\\d", 2}},
                   {'s', false, {"\\s", 2}},       {'w', false, {"\\w", 2}},        {'D', false, {"\\D", 2}},   {'S', false, {"\\S", 2}},
                   {'W', false, {"\\W", 2}}};
    for (size_t i = 0; i < COUNT_OF(ESCAPES); i++) {
        if (ESCAPES[i].letter == letter) {
            *constraint_out = ESCAPES[i].constraint;
            return ESCAPES[i].pcre;
        }
    }
    return (Str){0};
}

/* at: behind the backslash. */
static ErrorCode take_escape(Syntax *s, bool bracket) {
    bool constraint = false;
    if (s->at >= s->pattern.len) {
        return invalid(s, "invalid escape \\ sequence");
    }
    char c = peek(s, 0);
    s->operand = true;
    if (is_digit(c)) {
        return bracket && c != '0' ? invalid(s, "invalid escape \\ sequence") : take_number(s);
    }
    s->at++;
    Str pcre = letter_escape(c, &constraint);
    if (pcre.len > 0 && !(bracket && constraint)) {
        s->operand = !constraint;
        buffer_append_str(s->out, pcre);
        return ERR_OK;
    }
    switch (c) {
    case 'x': return take_hex(s, 1, SIZE_MAX);
    case 'u': return take_hex(s, 4, 4);
    case 'U': return take_hex(s, 8, 8);
    case 'c':
        if (s->at >= s->pattern.len) {
            return invalid(s, "invalid escape \\ sequence");
        }
        buffer_printf(s->out, "\\x{%x}", (unsigned)(s->pattern.data[s->at++] & 31));
        return ERR_OK;
    default: break;
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        return invalid(s, "invalid escape \\ sequence");
    }
    buffer_append_char(s->out, '\\');
    buffer_append_char(s->out, c);
    return ERR_OK;
}

/* ---- brackets ---- */

/* [:alpha:] stays; [=a=] and [.a.] are the character. at: behind the opening [. */
static ErrorCode take_class(Syntax *s) {
    char kind = peek(s, 0);
    size_t from = ++s->at;
    while (s->at < s->pattern.len && !(peek(s, 0) == kind && peek(s, 1) == ']')) {
        s->at++;
    }
    if (s->at >= s->pattern.len) {
        return invalid(s, "brackets [] not balanced");
    }
    Str name = str_slice(s->pattern, from, s->at);
    uint32_t point;
    s->at += 2;
    if (kind == ':') {
        buffer_printf(s->out, "[:%.*s:]", STR_ARG(name));
        return ERR_OK;
    }
    if (name.len == 0 || (size_t)utf8_decode(name, 0, &point) != name.len) {
        return invalid(s, "invalid collating element");
    }
    buffer_printf(s->out, "\\x{%x}", point);
    return ERR_OK;
}

/* at: behind the [. */
static ErrorCode take_bracket(Syntax *s) {
    s->operand = true;
    if (str_starts_with(str_slice(s->pattern, s->at, s->pattern.len), STR("[:<:]]")) ||
        str_starts_with(str_slice(s->pattern, s->at, s->pattern.len), STR("[:>:]]"))) {
        buffer_append_str(s->out, peek(s, 2) == '<' ? STR("\\b(?=\\w)") : STR("\\b(?<=\\w)"));
        s->at += 6;
        return ERR_OK;
    }
    buffer_append_char(s->out, '[');
    if (peek(s, 0) == '^') {
        buffer_append_char(s->out, s->pattern.data[s->at++]);
    }
    for (bool first = true; s->at < s->pattern.len; first = false) {
        char c = s->pattern.data[s->at++];
        if (c == ']' && !first) {
            buffer_append_char(s->out, ']');
            return ERR_OK;
        }
        if (c == '\\') {
            TRY(take_escape(s, true));
        } else if (c == '[' && (peek(s, 0) == ':' || peek(s, 0) == '=' || peek(s, 0) == '.')) {
            TRY(take_class(s));
        } else {
            if (c == '[' || c == ']') {
                buffer_append_char(s->out, '\\');
            }
            buffer_append_char(s->out, c);
        }
    }
    return invalid(s, "brackets [] not balanced");
}

/* ---- groups and quantifiers ---- */

/* at: behind the (. */
static ErrorCode take_group(Syntax *s) {
    static const Str KINDS[] = {{"?:", 2}, {"?=", 2}, {"?!", 2}, {"?<=", 3}, {"?<!", 3}};
    uint32_t number = 0;
    buffer_append_char(s->out, '(');
    if (peek(s, 0) == '?') {
        Str rest = str_slice(s->pattern, s->at, s->pattern.len);
        size_t kind = 0;
        while (kind < COUNT_OF(KINDS) && !str_starts_with(rest, KINDS[kind])) {
            kind++;
        }
        if (kind == COUNT_OF(KINDS)) {
            return invalid(s, "quantifier operand invalid");
        }
        buffer_append_str(s->out, KINDS[kind]);
        s->at += KINDS[kind].len;
        number = kind == 0 ? 0 : LOOK_AROUND;
    } else {
        number = ++s->opened;
    }
    if (s->depth == GROUP_NESTING_MAX) {
        return error_set(s->err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "invalid regular expression: regular expression is too complex");
    }
    s->open_groups[s->depth++] = number;
    s->operand = false;
    return ERR_OK;
}

static ErrorCode end_group(Syntax *s) {
    if (s->depth == 0) {
        return invalid(s, "parentheses () not balanced");
    }
    uint32_t number = s->open_groups[--s->depth];
    if (number > 0 && number < 256) {
        s->closed[number / 64] |= UINT64_C(1) << (number % 64);
        s->closed_count++;
    }
    buffer_append_char(s->out, ')');
    s->operand = number != LOOK_AROUND;
    return ERR_OK;
}

static ErrorCode take_count(Syntax *s, uint32_t *count_out) {
    *count_out = 0;
    while (is_digit(peek(s, 0))) {
        *count_out = *count_out * 10 + (uint32_t)(s->pattern.data[s->at++] - '0');
        if (*count_out > REPEAT_MAX) {
            return invalid(s, "invalid repetition count(s)");
        }
    }
    return ERR_OK;
}

/* {2}, {2,}, {2,5}; at: behind the {, which a digit follows. */
static ErrorCode take_bounds(Syntax *s) {
    uint32_t low, high;
    size_t from = s->at - 1;
    TRY(take_count(s, &low));
    high = low;
    if (peek(s, 0) == ',') {
        s->at++;
        if (is_digit(peek(s, 0))) {
            TRY(take_count(s, &high));
        }
    }
    if (s->at >= s->pattern.len) {
        return invalid(s, "braces {} not balanced");
    }
    if (peek(s, 0) != '}' || low > high) {
        return invalid(s, "invalid repetition count(s)");
    }
    s->at++;
    buffer_append_str(s->out, str_slice(s->pattern, from, s->at));
    return ERR_OK;
}

static ErrorCode take_quantifier(Syntax *s, char c) {
    if (!s->operand) {
        return invalid(s, "quantifier operand invalid");
    }
    if (c == '{') {
        TRY(take_bounds(s));
    } else {
        buffer_append_char(s->out, c);
    }
    if (peek(s, 0) == '?') {
        buffer_append_char(s->out, s->pattern.data[s->at++]);
    }
    s->operand = false;
    return ERR_OK;
}

static bool skip_blank(Syntax *s) {
    char c = peek(s, 0);
    if (c == '#') {
        while (s->at < s->pattern.len && peek(s, 0) != '\n') {
            s->at++;
        }
        return true;
    }
    bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    s->at += blank;
    return blank;
}

static ErrorCode take_one(Syntax *s) {
    if (s->extended && skip_blank(s)) {
        return ERR_OK;
    }
    char c = s->pattern.data[s->at++];
    switch (c) {
    case '\\': return take_escape(s, false);
    case '[': return take_bracket(s);
    case '(': return take_group(s);
    case ')': return end_group(s);
    case '*':
    case '+':
    case '?': return take_quantifier(s, c);
    case '{':
        if (is_digit(peek(s, 0))) {
            return take_quantifier(s, c);
        }
        buffer_append_char(s->out, '\\');
        break;
    case '|':
    case '^':
    case '$':
        s->operand = false;
        buffer_append_char(s->out, c);
        return ERR_OK;
    default: break;
    }
    buffer_append_char(s->out, c);
    s->operand = true;
    return ERR_OK;
}

/* (?i) and its kin in front: what PCRE2 knows is passed on. */
static ErrorCode take_options(Syntax *s, bool *literal) {
    if (peek(s, 0) != '(' || peek(s, 1) != '?' || !((peek(s, 2) >= 'a' && peek(s, 2) <= 'z') || (peek(s, 2) >= 'A' && peek(s, 2) <= 'Z'))) {
        return ERR_OK;
    }
    for (s->at += 2; s->at < s->pattern.len && peek(s, 0) != ')'; s->at++) {
        switch (peek(s, 0)) {
        case 'i': buffer_append_str(s->out, STR("(?i)")); break;
        case 'c': buffer_append_str(s->out, STR("(?-i)")); break;
        case 'x': s->extended = true; break;
        case 'm':
        case 'n': buffer_append_str(s->out, STR("(?m-s)")); break;
        case 's': buffer_append_str(s->out, STR("(?s-m)")); break;
        case 'p': buffer_append_str(s->out, STR("(?-s)")); break;
        case 'w': buffer_append_str(s->out, STR("(?m)")); break;
        case 't':
        case 'e': break;
        case 'q': *literal = true; break;
        default: return invalid(s, "invalid embedded option");
        }
    }
    if (s->at >= s->pattern.len) {
        return invalid(s, "invalid embedded option");
    }
    s->at++;
    return ERR_OK;
}

static void take_literally(Syntax *s) {
    for (; s->at < s->pattern.len; s->at++) {
        char c = s->pattern.data[s->at];
        if ((unsigned char)c < 0x80 && str_find_char(STR("\\^$.[]|()?*+{}#"), c, 0) >= 0) {
            buffer_append_char(s->out, '\\');
        }
        buffer_append_char(s->out, c);
    }
}

ErrorCode text__regex_translate(Str pattern, RegexForm form, Buffer *out, Error *err) {
    Syntax s = {.pattern = pattern, .out = out, .err = err, .extended = form.extended};
    bool literal = form.literal;
    if (!literal && (str_starts_with(pattern, STR("***=")) || str_starts_with(pattern, STR("***:")))) {
        literal = pattern.data[3] == '=';
        s.at = 4;
    }
    if (!literal) {
        TRY(take_options(&s, &literal));
    }
    if (literal) {
        take_literally(&s);
    }
    while (s.at < pattern.len) {
        TRY(take_one(&s));
    }
    return s.depth > 0 ? invalid(&s, "parentheses () not balanced") : ERR_OK;
}
