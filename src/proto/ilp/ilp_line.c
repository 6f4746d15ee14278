/* SPDX-License-Identifier: Apache-2.0
 * ilp_line.c - one line in full: names, escapes, tags, fields, timestamp, into parser->current.
 *
 * Rules:      `\` makes the next byte plain in names and tags; in "strings" too. A newline ends the line but for an escaped one and
 *             those inside binary values. Empty lines and lines that begin with # are skipped. A '\r' ends a line as '\n' does.
 * Result:     LINE_INCOMPLETE when the input ends before the line does: nothing is kept, the caller comes again with more. */
#include "proto/ilp/ilp_internal.h"

const uint8_t ILP__CLASS[256] = {
    [','] = BYTE_COMMA, [' '] = BYTE_SPACE, ['='] = BYTE_EQUALS, ['\\'] = BYTE_ESCAPE, ['\n'] = BYTE_END, ['\r'] = BYTE_END,
};

/* Where the reading stands. */
typedef struct Cursor {
    IlpParser *parser;
    const char *start, *at, *end;
    Error *err;
} Cursor;

enum { MESSAGE_TEXT_MAX = 100 };
#define SHORT_ARG(s) (int)MIN_OF((s).len, (size_t)MESSAGE_TEXT_MAX), (s).data

static LineResult fail(Cursor *c, const char *what, Str text) {
    (void)error_set(c->err, ERR_BAD_COPY, c->at - c->start, "%s%.*s", what, SHORT_ARG(text));
    return LINE_ERROR;
}

/* The unescaped text of raw, in scratch memory with room behind it. */
static Str unescape(Cursor *c, Str raw) {
    char *out = arena_alloc_aligned(&c->parser->scratch, raw.len + ILP_PADDING_BYTES, 8);
    memset(out + raw.len, 0, ILP_PADDING_BYTES);
    size_t len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        i += raw.data[i] == '\\' && i + 1 < raw.len;
        out[len++] = raw.data[i];
    }
    return (Str){out, len};
}

/* Reads up to an unescaped byte whose class is in stops (a bit set of classes; BYTE_END always stops). */
static LineResult read_word(Cursor *c, unsigned stops, Str *word_out) {
    const char *from = c->at;
    bool escaped = false;
    stops |= 1u << BYTE_END;
    for (;; c->at++) {
        if (c->at >= c->end) {
            return LINE_INCOMPLETE;
        }
        uint8_t class = ILP__CLASS[(uint8_t)*c->at];
        if (class == BYTE_ESCAPE) {
            escaped = true;
            if (++c->at >= c->end) {
                return LINE_INCOMPLETE;
            }
        } else if (stops >> class & 1 && class != BYTE_PLAIN) {
            break;
        }
    }
    Str raw = {from, (size_t)(c->at - from)};
    *word_out = escaped ? unescape(c, raw) : raw;
    return LINE_DONE;
}

static void skip_spaces(Cursor *c) {
    while (c->at < c->end && *c->at == ' ') {
        c->at++;
    }
}

static bool at_end_of_line(const Cursor *c) {
    return ILP__CLASS[(uint8_t)*c->at] == BYTE_END;
}

static LineResult item_new(Cursor *c, IlpItem **item_out, IlpValue **value_out) {
    IlpLine *line = &c->parser->current;
    if (line->count == ILP_LINE_FIELDS_MAX) {
        return fail(c, "Too many columns in a line of table: ", line->table_name);
    }
    if (line->count == line->capacity) {
        line->capacity = MAX_OF(line->capacity * 2, 64u);
        line->items = mem_realloc(line->items, line->capacity * sizeof(IlpItem));
        line->values = mem_realloc(line->values, line->capacity * sizeof(IlpValue));
    }
    *item_out = &line->items[line->count];
    *value_out = &line->values[line->count];
    **item_out = (IlpItem){0};
    **value_out = (IlpValue){0};
    line->count++;
    return LINE_DONE;
}

static LineResult check_name(Cursor *c, Str name, const char *when_empty) {
    if (name.len == 0) {
        return fail(c, when_empty, STR(""));
    }
    return utf8_valid(name) ? LINE_DONE : fail(c, "invalid UTF-8 in a name", STR(""));
}

#define STEP(call)                                                                                                     \
    do {                                                                                                               \
        LineResult step_result_ = (call);                                                                              \
        if (step_result_ != LINE_DONE) {                                                                               \
            return step_result_;                                                                                       \
        }                                                                                                              \
    } while (0)

static LineResult read_tag(Cursor *c) {
    IlpItem *item = NULL;
    IlpValue *value = NULL;
    STEP(item_new(c, &item, &value));
    STEP(read_word(c, 1u << BYTE_EQUALS | 1u << BYTE_COMMA | 1u << BYTE_SPACE, &item->name));
    if (*c->at != '=') {
        return fail(c, "Could not parse entire line. Symbol value is missing: ", item->name);
    }
    STEP(check_name(c, item->name, "Could not parse entire line. Symbol name is missing"));
    const char *from = ++c->at;
    STEP(read_word(c, 1u << BYTE_EQUALS | 1u << BYTE_COMMA | 1u << BYTE_SPACE, &value->text));
    if (*c->at == '=') {
        return fail(c, "Could not parse entire line, tag value is invalid. Tag: ", item->name);
    }
    if (value->text.len == 0) {
        return fail(c, "Could not parse entire line. Symbol value is missing: ", item->name);
    }
    item->kind = ILP_TAG;
    item->raw_offset = (uint32_t)(from - c->start);
    item->raw_len = (uint32_t)(c->at - from);
    return LINE_DONE;
}

static LineResult invalid_value(Cursor *c, Str name, Str text) {
    (void)error_set(c->err, ERR_BAD_COPY, c->at - c->start,
                    "Could not parse entire line, field value is invalid. Field: %.*s; value: %.*s", SHORT_ARG(name), SHORT_ARG(text));
    return LINE_ERROR;
}

static LineResult read_string(Cursor *c, IlpItem *item, IlpValue *value) {
    const char *from = ++c->at;
    bool escaped = false;
    for (; c->at < c->end && *c->at != '"' && *c->at != '\n'; c->at++) {
        if (*c->at == '\\') {
            escaped = true;
            c->at++;
        }
    }
    if (c->at >= c->end) {
        c->at = c->end;
        return LINE_INCOMPLETE;
    }
    Str raw = {from, (size_t)(c->at - from)};
    if (*c->at == '\n') {
        return invalid_value(c, item->name, (Str){from - 1, raw.len + 1});
    }
    if (!utf8_valid(raw)) {
        (void)error_set(c->err, ERR_INVALID_ENCODING, c->at - c->start, "table: %.*s, column: %.*s; invalid UTF-8",
                        SHORT_ARG(c->parser->current.table_name), SHORT_ARG(item->name));
        return LINE_ERROR;
    }
    c->at++;
    value->text = escaped ? unescape(c, raw) : raw;
    item->kind = ILP_STRING;
    return LINE_DONE;
}

static LineResult read_number_or_word(Cursor *c, IlpItem *item, IlpValue *value) {
    Str text = {0};
    STEP(read_word(c, 1u << BYTE_EQUALS | 1u << BYTE_COMMA | 1u << BYTE_SPACE, &text));
    if (text.len == 0) {
        return fail(c, "Could not parse entire line. Field value is missing: ", item->name);
    }
    value->text = text;
    return ilp__value_read(text, item, value) ? LINE_DONE : invalid_value(c, item->name, text);
}

static LineResult read_field_value(Cursor *c, IlpItem *item, IlpValue *value) {
    if (c->at >= c->end) {
        return LINE_INCOMPLETE;
    }
    item->raw_offset = (uint32_t)(c->at - c->start);
    const char *from = c->at;
    if (*c->at == '=') {
        c->parser->current.has_binary = true;
        STEP(ilp__binary_read(c->parser, c->at + 1, c->end, item, value, &c->at, c->err));
    } else if (*c->at == '"') {
        STEP(read_string(c, item, value));
    } else {
        STEP(read_number_or_word(c, item, value));
    }
    item->raw_len = (uint32_t)(c->at - from);
    if (c->at >= c->end) {
        return LINE_INCOMPLETE;
    }
    uint8_t class = ILP__CLASS[(uint8_t)*c->at];
    bool ends = class == BYTE_COMMA || class == BYTE_SPACE || class == BYTE_END;
    return ends ? LINE_DONE : invalid_value(c, item->name, (Str){from, (size_t)(c->at + 1 - from)});
}

static bool looks_like_stamp(Str word) {
    size_t i = word.len > 0 && word.data[0] == '-';
    return i < word.len && ilp__is_digit(word.data[i]);
}

static LineResult read_stamp_text(Cursor *c, Str word) {
    IlpLine *line = &c->parser->current;
    Str digits = word;
    line->stamp_unit = STAMP_PLAIN;
    if (digits.len > 1 && (digits.data[digits.len - 1] == 't' || digits.data[digits.len - 1] == 'n')) {
        line->stamp_unit = digits.data[digits.len - 1] == 't' ? STAMP_MICROS : STAMP_NANOS;
        digits.len--;
    }
    IlpItem item;
    IlpValue value;
    char buffer[32];
    if (digits.len + 1 > sizeof buffer || !looks_like_stamp(digits)) {
        return fail(c, "Could not parse timestamp: ", word);
    }
    memcpy(buffer, digits.data, digits.len);
    buffer[digits.len] = 'i';
    if (!ilp__value_read((Str){buffer, digits.len + 1}, &item, &value) || item.kind != ILP_INTEGER) {
        return fail(c, "Could not parse timestamp: ", word);
    }
    line->stamp = value.as.i64;
    return LINE_DONE;
}

/* Behind the last field and a space: nothing, or one number, then the end of the line. */
static LineResult read_stamp(Cursor *c) {
    skip_spaces(c);
    if (c->at >= c->end) {
        return LINE_INCOMPLETE;
    }
    if (at_end_of_line(c)) {
        return LINE_DONE;
    }
    const char *from = c->at;
    Str word = {0};
    STEP(read_word(c, 1u << BYTE_SPACE, &word));
    skip_spaces(c);
    if (c->at >= c->end) {
        return LINE_INCOMPLETE;
    }
    if (!at_end_of_line(c)) {
        STEP(read_word(c, 0, &word));
        return fail(c, "Could not parse timestamp: ", (Str){from, (size_t)(c->at - from)});
    }
    return read_stamp_text(c, word);
}

/* name=value, or after the tags alone the timestamp (*stamp_out). */
static LineResult read_field(Cursor *c, bool *stamp_out) {
    IlpLine *line = &c->parser->current;
    IlpItem *item = NULL;
    IlpValue *value = NULL;
    const char *from = c->at;
    bool first = from > c->start && from[-1] == ' ';
    STEP(item_new(c, &item, &value));
    STEP(read_word(c, 1u << BYTE_EQUALS | 1u << BYTE_COMMA | 1u << BYTE_SPACE, &item->name));
    if (*c->at != '=') {
        if (first && line->count > 1 && looks_like_stamp(item->name)) {
            line->count--;
            c->at = from;
            *stamp_out = true;
            return read_stamp(c);
        }
        return fail(c, "Could not parse entire line. Field value is missing: ", item->name);
    }
    STEP(check_name(c, item->name, "Could not parse entire line. Field name is missing"));
    c->at++;
    return read_field_value(c, item, value);
}

static LineResult read_fields(Cursor *c) {
    for (;;) {
        bool stamp = false;
        STEP(read_field(c, &stamp));
        if (stamp || at_end_of_line(c)) {
            return LINE_DONE;
        }
        if (*c->at == ' ') {
            return read_stamp(c);
        }
        c->at++; /* comma */
    }
}

static LineResult read_body(Cursor *c) {
    IlpLine *line = &c->parser->current;
    STEP(read_word(c, 1u << BYTE_EQUALS | 1u << BYTE_COMMA | 1u << BYTE_SPACE, &line->table_name));
    if (*c->at == '=') {
        return fail(c, "Could not parse entire line. Table name is invalid: ", line->table_name);
    }
    STEP(check_name(c, line->table_name, "Could not parse entire line. Table name is missing"));
    while (*c->at == ',') {
        c->at++;
        STEP(read_tag(c));
    }
    skip_spaces(c);
    if (c->at >= c->end) {
        return LINE_INCOMPLETE;
    }
    if (at_end_of_line(c)) {
        return line->count > 0 ? LINE_DONE : fail(c, "No fields were provided", STR(""));
    }
    return read_fields(c);
}

/* Empty and comment lines. */
static LineResult skip_line(Cursor *c) {
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
    if (newline == NULL) {
        return LINE_INCOMPLETE;
    }
    c->at = newline + 1;
    return LINE_EMPTY;
}

LineResult ilp__line_read(IlpParser *parser, const char *at, const char *end, const char **next_out, Error *err) {
    assert(at < end);
    Cursor c = {.parser = parser, .start = at, .at = at, .end = end, .err = err};
    IlpLine *line = &parser->current;
    line->count = 0;
    line->has_binary = false;
    line->stamp_unit = STAMP_NONE;
    arena_reset(&parser->scratch);
    skip_spaces(&c);
    LineResult result = LINE_DONE;
    if (c.at < end && (*c.at == '#' || at_end_of_line(&c))) {
        result = *c.at == '#' ? skip_line(&c) : (c.at++, LINE_EMPTY);
        *next_out = c.at;
        return result;
    }
    c.start = c.at;
    result = c.at < end ? read_body(&c) : LINE_INCOMPLETE;
    if (result == LINE_DONE) {
        assert(at_end_of_line(&c));
        if (*c.at == '\r' && c.at + 1 < end && c.at[1] == '\n') {
            c.at++;
        }
        *next_out = c.at + 1;
    }
    return result;
}
