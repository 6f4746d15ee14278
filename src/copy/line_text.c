/* SPDX-License-Identifier: Apache-2.0
 * line_text.c - COPY's text format: lines of fields, a backslash takes the byte behind it along; and line ends of both text formats.
 *
 * Why:        one pass finds fields and the end of the row; the scanner's state survives the end of the input in the middle of a row. */
#include "copy/copy_internal.h"

/* ---- line ends ---- */

static CopyStep literal_error(const CopyReader *reader, char c, Error *err) {
    bool csv = reader->copy.format == COPY_CSV;
    const char *name = c == '\n' ? "newline" : "carriage return";
    error_ignore(error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, csv ? "unquoted %s found in data" : "literal %s found in data", name));
    error_ignore(csv ? error_add(err, 'H', "Use quoted CSV field to represent %s.", name)
                     : error_add(err, 'H', "Use \"\\%c\" to represent %s.", c == '\n' ? 'n' : 'r', name));
    return COPY_FAILED;
}

/* The first line end of the data decides how the others must look, as in PostgreSQL. */
CopyStep copy__line_end(CopyReader *reader, size_t at, size_t *next_out, Error *err) {
    const char *data = (const char *)reader->input.data;
    bool is_return = data[at] == '\r', last = at + 1 == reader->input.len;
    bool with_newline = is_return && !last && data[at + 1] == '\n';
    if (is_return && last && !reader->ending && reader->line_end != LINE_END_RETURN) {
        return COPY_MORE;
    }
    CopyLineEnd kind = with_newline ? LINE_END_BOTH : is_return ? LINE_END_RETURN : LINE_END_NEWLINE;
    if (reader->line_end == LINE_END_UNKNOWN) {
        reader->line_end = kind;
    }
    if (reader->line_end == LINE_END_RETURN && is_return) {
        kind = LINE_END_RETURN; /* the newline behind it belongs to the next line, and is wrong there */
    }
    if (kind != reader->line_end) {
        return literal_error(reader, data[at], err);
    }
    *next_out = at + (kind == LINE_END_BOTH ? 2 : 1);
    return COPY_ROW;
}

void copy__end_field(CopyReader *reader, size_t end) {
    CopyScan *scan = &reader->scan;
    if (scan->field_count <= reader->column_count) {
        reader->spans[scan->field_count] = (CopySpan){
            .start = (uint32_t)(scan->field_start - scan->row),
            .len = (uint32_t)(end - scan->field_start),
            .escaped = scan->field_escaped,
            .quoted = scan->field_quoted,
        };
    }
    scan->field_count += scan->field_count < COPY_FIELD_COUNT_MAX;
    scan->field_escaped = scan->field_quoted = false;
}

/* ---- rows ---- */

/* A backslash at scan->at: takes it with the next byte, or finds the end marker. */
static CopyStep take_backslash(CopyReader *reader, Error *err) {
    CopyScan *scan = &reader->scan;
    const char *data = (const char *)reader->input.data;
    size_t left = reader->input.len - scan->at;
    if (left < 2) {
        if (!reader->ending) {
            return COPY_MORE;
        }
        scan->at++; /* a lone backslash at the end stands for itself */
        return COPY_ROW;
    }
    if (data[scan->at + 1] != '.') {
        scan->field_escaped = true;
        scan->at += 2;
        return COPY_ROW;
    }
    if (left == 2 && !reader->ending) {
        return COPY_MORE;
    }
    bool alone = scan->at == scan->row && (left == 2 || data[scan->at + 2] == '\n' || data[scan->at + 2] == '\r');
    if (!alone) {
        error_ignore(error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "end-of-copy marker is not alone on its line"));
        return COPY_FAILED;
    }
    return COPY_MARKER;
}

CopyStep copy__text_row(CopyReader *reader, size_t *end_out, size_t *next_out, Error *err) {
    CopyScan *scan = &reader->scan;
    const char *data = (const char *)reader->input.data;
    char delimiter = reader->copy.delimiter;
    for (;;) {
        scan->at = copy__find4(data, scan->at, reader->input.len, delimiter, '\n', '\r', '\\');
        if (scan->at == reader->input.len) {
            return COPY_MORE;
        }
        if (LIKELY(data[scan->at] == delimiter)) {
            copy__end_field(reader, scan->at);
            scan->field_start = ++scan->at;
        } else if (data[scan->at] == '\\') {
            CopyStep step = take_backslash(reader, err);
            if (step != COPY_ROW) {
                return step;
            }
        } else {
            CopyStep step = copy__line_end(reader, scan->at, next_out, err);
            if (step == COPY_ROW) {
                copy__end_field(reader, scan->at);
                *end_out = scan->at;
            }
            return step;
        }
    }
}

/* ---- escapes ---- */

static int hex_value(char c) {
    char lower = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Up to three octal digits at text.data[at]. */
static uint8_t octal(Str text, size_t *at) {
    unsigned value = 0;
    for (int digits = 0; digits < 3 && *at < text.len && text.data[*at] >= '0' && text.data[*at] <= '7'; digits++) {
        value = value * 8 + (unsigned)(text.data[(*at)++] - '0');
    }
    return (uint8_t)value;
}

/* "x" and one or two hexadecimal digits; without digits it is the letter. */
static uint8_t hexadecimal(Str text, size_t *at) {
    size_t from = ++*at;
    int value = 0;
    while (*at < text.len && *at < from + 2 && hex_value(text.data[*at]) >= 0) {
        value = value * 16 + hex_value(text.data[(*at)++]);
    }
    return *at == from ? (uint8_t)'x' : (uint8_t)value;
}

static uint8_t escaped_byte(Str text, size_t *at, bool *made_bytes_out) {
    char c = text.data[*at];
    switch (c) {
    case 'b':
        ++*at;
        return '\b';
    case 'f':
        ++*at;
        return '\f';
    case 'n':
        ++*at;
        return '\n';
    case 'r':
        ++*at;
        return '\r';
    case 't':
        ++*at;
        return '\t';
    case 'v':
        ++*at;
        return '\v';
    case 'x':
        *made_bytes_out = true;
        return hexadecimal(text, at);
    default:
        if (c >= '0' && c <= '7') {
            *made_bytes_out = true;
            return octal(text, at);
        }
        ++*at;
        return (uint8_t)c;
    }
}

Str copy__text_unescape(CopyReader *reader, Str raw, bool *made_bytes_out) {
    Buffer *out = &reader->unescaped;
    buffer_clear(out);
    uint8_t *room = buffer_reserve(out, raw.len);
    assert(room != NULL);
    size_t len = 0, at = 0;
    while (at < raw.len) {
        if (raw.data[at] == '\\' && at + 1 < raw.len) {
            at++;
            room[len++] = escaped_byte(raw, &at, made_bytes_out);
        } else {
            room[len++] = (uint8_t)raw.data[at++];
        }
    }
    out->len = len;
    return buffer_str(out);
}
