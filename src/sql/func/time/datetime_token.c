/* SPDX-License-Identifier: Apache-2.0
 * time/datetime_token.c - cuts the text of a date or timestamp into fields by their look, and knows the words that may stand in one.
 *
 * Layout: a field begins with a digit ("2024", "10:30:00", "2024-01-05", "5.jan.2024"), a point (".5"), a letter ("jan", "america/new_york",
 *         "pst8pdt") or a sign ("+05:30", "-infinity"); blanks and other punctuation part fields.
 * Tests:  test/sql/print_styles.slt */
#include <stdlib.h>

#include "sql/func/time/datetime_in.h"

typedef struct Scanner {
    Str text;
    size_t at;
    DateTimeTokens *out;
} Scanner;

static char peek(const Scanner *s) { return s->at < s->text.len ? s->text.data[s->at] : '\0'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* One character goes into the field that is being read, lower case. false: too long. */
static bool keep(Scanner *s) {
    char c = s->text.data[s->at++];
    if (s->out->used == DATETIME_BYTES_MAX) {
        return false;
    }
    s->out->room[s->out->used++] = char_lower(c);
    return true;
}

static bool keep_digits(Scanner *s) {
    bool fits = true;
    while (fits && is_digit(peek(s))) {
        fits = keep(s);
    }
    return fits;
}

static bool keep_while(Scanner *s, bool letters, const char *others) {
    bool fits = true;
    for (char c = peek(s); fits && c != '\0' && (is_digit(c) || (letters && is_letter(c)) || strchr(others, c) != NULL); c = peek(s)) {
        fits = keep(s);
    }
    return fits;
}

/* Two numbers with a point between are a number; a third with the same separator makes a date, and so does a dash or a slash. */
static bool scan_number(Scanner *s, DateTimeTokenKind *kind_out) {
    *kind_out = TOKEN_NUMBER;
    if (!keep_digits(s)) {
        return false;
    }
    char separator = peek(s);
    if (separator == ':') {
        *kind_out = TOKEN_TIME;
        return keep_while(s, false, ":.");
    }
    if (separator != '-' && separator != '/' && separator != '.') {
        return true;
    }
    char same[2] = {separator, '\0'};
    bool fits = keep(s);
    if (fits && is_digit(peek(s))) {
        *kind_out = separator == '.' ? TOKEN_NUMBER : TOKEN_DATE;
        fits = keep_digits(s);
        if (fits && peek(s) == separator) {
            *kind_out = TOKEN_DATE;
            fits = keep_while(s, false, same);
        }
        return fits;
    }
    *kind_out = TOKEN_DATE;
    return fits && keep_while(s, true, same);
}

/* "jan-05-2024" and "america/new_york" go on behind the word; "gmt+3" does unless the word has a meaning of its own. */
static bool scan_word(Scanner *s, size_t from, DateTimeTokenKind *kind_out) {
    *kind_out = TOKEN_WORD;
    bool fits = true;
    while (fits && is_letter(peek(s))) {
        fits = keep(s);
    }
    char c = peek(s);
    bool goes_on = c == '-' || c == '/' || c == '.';
    if (fits && (c == '+' || is_digit(c))) {
        goes_on = time__word((Str){s->out->room + from, s->out->used - from}).kind == WORD_UNKNOWN;
    }
    if (goes_on) {
        *kind_out = TOKEN_DATE;
        fits = fits && keep_while(s, true, "+-/_.:");
    }
    return fits;
}

static bool scan_signed(Scanner *s, DateTimeTokenKind *kind_out) {
    bool fits = keep(s);
    while (is_blank(peek(s))) {
        s->at++;
    }
    if (is_digit(peek(s))) {
        *kind_out = TOKEN_OFFSET;
        return fits && keep_while(s, false, ":.-");
    }
    *kind_out = TOKEN_SIGNED_WORD;
    bool any = is_letter(peek(s));
    while (fits && is_letter(peek(s))) {
        fits = keep(s);
    }
    return fits && any;
}

static bool scan_field(Scanner *s, size_t from, DateTimeTokenKind *kind_out) {
    char c = peek(s);
    if (is_digit(c)) {
        return scan_number(s, kind_out);
    }
    if (c == '.') {
        *kind_out = TOKEN_NUMBER;
        return keep(s) && keep_digits(s);
    }
    return is_letter(c) ? scan_word(s, from, kind_out) : scan_signed(s, kind_out);
}

static bool is_punctuation(char c) { return c > ' ' && c < 0x7f && !is_digit(c) && !is_letter(c) && c != '.' && c != '+' && c != '-'; }

bool time__tokenize(Str text, DateTimeTokens *tokens_out) {
    Scanner s = {.text = text, .out = tokens_out};
    tokens_out->count = tokens_out->used = 0;
    while (s.at < text.len) {
        char c = peek(&s);
        if (is_blank(c) || is_punctuation(c)) {
            s.at++;
            continue;
        }
        bool known = is_digit(c) || is_letter(c) || c == '.' || c == '+' || c == '-';
        if (!known || tokens_out->count == DATETIME_FIELDS_MAX) {
            return false;
        }
        DateTimeToken *token = &tokens_out->tokens[tokens_out->count++];
        size_t from = tokens_out->used;
        if (!scan_field(&s, from, &token->kind)) {
            return false;
        }
        token->text = (Str){tokens_out->room + from, tokens_out->used - from};
    }
    return true;
}

/* ---- words ---- */

static int compare_word(const void *word, const void *row) {
    const char *of_row;
    memcpy(&of_row, row, sizeof of_row);
    return str_compare(*(const Str *)word, str_from_c(of_row));
}

const void *time__find_word(Str word, const void *rows, size_t count, size_t row_bytes) { return bsearch(&word, rows, count, row_bytes, compare_word); }

typedef struct WordRow { const char *word; DateTimeWordKind kind; int value; } WordRow;

static const WordRow WORDS[] = {
    {"+infinity", WORD_INFINITY, 1}, {"-infinity", WORD_INFINITY, -1}, {"ad", WORD_ERA, 0}, {"allballs", WORD_ALLBALLS, 0}, {"am", WORD_MERIDIAN, 0},
    {"apr", WORD_MONTH, 4}, {"april", WORD_MONTH, 4}, {"at", WORD_IGNORED, 0}, {"aug", WORD_MONTH, 8}, {"august", WORD_MONTH, 8}, {"bc", WORD_ERA, 1},
    {"d", WORD_UNIT, 0}, {"dec", WORD_MONTH, 12}, {"december", WORD_MONTH, 12}, {"dow", WORD_UNIT, 0}, {"doy", WORD_UNIT, 0}, {"dst", WORD_DAYLIGHT, 3600},
    {"epoch", WORD_EPOCH, 0}, {"feb", WORD_MONTH, 2}, {"february", WORD_MONTH, 2}, {"fri", WORD_WEEKDAY, 5}, {"friday", WORD_WEEKDAY, 5}, {"h", WORD_UNIT, 0},
    {"infinity", WORD_INFINITY, 1}, {"isodow", WORD_UNIT, 0}, {"isoyear", WORD_UNIT, 0}, {"j", WORD_JULIAN, 0}, {"jan", WORD_MONTH, 1},
    {"january", WORD_MONTH, 1}, {"jd", WORD_JULIAN, 0}, {"jul", WORD_MONTH, 7}, {"julian", WORD_JULIAN, 0}, {"july", WORD_MONTH, 7}, {"jun", WORD_MONTH, 6},
    {"june", WORD_MONTH, 6}, {"m", WORD_UNIT, 0}, {"mar", WORD_MONTH, 3}, {"march", WORD_MONTH, 3}, {"may", WORD_MONTH, 5}, {"mm", WORD_UNIT, 0},
    {"mon", WORD_WEEKDAY, 1}, {"monday", WORD_WEEKDAY, 1}, {"nov", WORD_MONTH, 11}, {"november", WORD_MONTH, 11}, {"now", WORD_NOW, 0}, {"oct", WORD_MONTH, 10},
    {"october", WORD_MONTH, 10}, {"on", WORD_IGNORED, 0}, {"pm", WORD_MERIDIAN, 12}, {"s", WORD_UNIT, 0}, {"sat", WORD_WEEKDAY, 6},
    {"saturday", WORD_WEEKDAY, 6}, {"sep", WORD_MONTH, 9}, {"sept", WORD_MONTH, 9}, {"september", WORD_MONTH, 9}, {"sun", WORD_WEEKDAY, 0},
    {"sunday", WORD_WEEKDAY, 0}, {"t", WORD_TIME_FOLLOWS, 0}, {"thu", WORD_WEEKDAY, 4}, {"thur", WORD_WEEKDAY, 4}, {"thurs", WORD_WEEKDAY, 4},
    {"thursday", WORD_WEEKDAY, 4}, {"today", WORD_TODAY, 0}, {"tomorrow", WORD_TODAY, 1}, {"tue", WORD_WEEKDAY, 2}, {"tues", WORD_WEEKDAY, 2},
    {"tuesday", WORD_WEEKDAY, 2}, {"wed", WORD_WEEKDAY, 3}, {"wednesday", WORD_WEEKDAY, 3}, {"weds", WORD_WEEKDAY, 3}, {"y", WORD_UNIT, 0},
    {"yesterday", WORD_TODAY, -1}};

DateTimeWord time__word(Str word) {
    const WordRow *row = time__find_word(word, WORDS, COUNT_OF(WORDS), sizeof WORDS[0]);
    return row == NULL ? (DateTimeWord){WORD_UNKNOWN, 0} : (DateTimeWord){row->kind, row->value};
}
