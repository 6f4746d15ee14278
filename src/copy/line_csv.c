/* SPDX-License-Identifier: Apache-2.0
 * line_csv.c - COPY's csv format: quotes hold delimiters and line ends together; they may begin and end inside of a field.
 *
 * A line "\." is data, but for one that nothing follows: that is what older clients send behind the last row. */
#include "copy/copy_internal.h"

/* Inside of quotes, up to the one that closes them. false: the input ends before. */
static bool skip_quoted(CopyReader *reader) {
    CopyScan *scan = &reader->scan;
    const char *data = (const char *)reader->input.data;
    char quote = reader->copy.quote, escape = reader->copy.escape;
    for (;;) {
        scan->at = copy__find4(data, scan->at, reader->input.len, quote, escape, quote, escape);
        if (scan->at == reader->input.len) {
            return false;
        }
        if (data[scan->at] == escape && escape != quote) {
            if (scan->at + 1 == reader->input.len && !reader->ending) {
                return false;
            }
            bool takes = scan->at + 1 < reader->input.len && (data[scan->at + 1] == quote || data[scan->at + 1] == escape);
            scan->at += takes ? 2 : 1;
            continue;
        }
        scan->at++;
        scan->in_quotes = false;
        return true;
    }
}

static bool is_marker(const CopyReader *reader, size_t end) {
    const char *row = (const char *)reader->input.data + reader->scan.row;
    return end - reader->scan.row == 2 && row[0] == '\\' && row[1] == '.';
}

static CopyStep end_row(CopyReader *reader, size_t *end_out, size_t *next_out, Error *err) {
    size_t end = reader->scan.at;
    CopyStep step = copy__line_end(reader, end, next_out, err);
    if (step != COPY_ROW) {
        return step;
    }
    if (UNLIKELY(is_marker(reader, end)) && *next_out == reader->input.len) {
        return reader->ending ? COPY_MARKER : COPY_MORE;
    }
    copy__end_field(reader, end);
    *end_out = end;
    return COPY_ROW;
}

CopyStep copy__csv_row(CopyReader *reader, size_t *end_out, size_t *next_out, Error *err) {
    CopyScan *scan = &reader->scan;
    const char *data = (const char *)reader->input.data;
    char delimiter = reader->copy.delimiter, quote = reader->copy.quote;
    for (;;) {
        if (scan->in_quotes && !skip_quoted(reader)) {
            return COPY_MORE;
        }
        scan->at = copy__find4(data, scan->at, reader->input.len, delimiter, quote, '\n', '\r');
        if (scan->at == reader->input.len) {
            return COPY_MORE;
        }
        if (LIKELY(data[scan->at] == delimiter)) {
            copy__end_field(reader, scan->at);
            scan->field_start = ++scan->at;
        } else if (data[scan->at] == quote) {
            scan->in_quotes = scan->field_quoted = true;
            scan->at++;
        } else {
            return end_row(reader, end_out, next_out, err);
        }
    }
}

Str copy__csv_unquote(CopyReader *reader, Str raw) {
    Buffer *out = &reader->unescaped;
    char quote = reader->copy.quote, escape = reader->copy.escape;
    bool in_quotes = false;
    buffer_clear(out);
    char *room = (char *)buffer_reserve(out, raw.len);
    assert(room != NULL);
    size_t len = 0;
    for (size_t at = 0; at < raw.len; at++) {
        char c = raw.data[at];
        bool pair = in_quotes && c == escape && at + 1 < raw.len && (raw.data[at + 1] == quote || raw.data[at + 1] == escape);
        if (pair) {
            room[len++] = raw.data[++at];
        } else if (c == quote) {
            in_quotes = !in_quotes;
        } else {
            room[len++] = c;
        }
    }
    out->len = len;
    return buffer_str(out);
}
