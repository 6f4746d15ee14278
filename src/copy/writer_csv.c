/* SPDX-License-Identifier: Apache-2.0
 * writer_csv.c - lines of COPY's csv format: quotes where a reader would else see something different. */
#include "copy/writer_internal.h"

static bool needs_quotes(const CopyWriter *writer, Str text) {
    const CopyOptions *copy = &writer->copy;
    if (text.len == copy->null_text.len && memcmp(text.data, copy->null_text.data, text.len) == 0) {
        return true;
    }
    if (writer->column_count == 1 && str_equal(text, STR("\\."))) { /* readers took that for the end of the data */
        return true;
    }
    return copy__find4(text.data, 0, text.len, copy->delimiter, copy->quote, '\n', '\r') < text.len;
}

void copy__append_csv(const CopyWriter *writer, Str text, bool quoted, Buffer *out) {
    char quote = writer->copy.quote, escape = writer->copy.escape;
    if (!quoted && !needs_quotes(writer, text)) {
        buffer_append_str(out, text);
        return;
    }
    buffer_append_char(out, quote);
    for (size_t done = 0; done < text.len;) {
        size_t at = copy__find4(text.data, done, text.len, quote, escape, quote, escape);
        buffer_append(out, text.data + done, at - done);
        if (at < text.len) {
            buffer_append_char(out, escape);
            buffer_append_char(out, text.data[at++]);
        }
        done = at;
    }
    buffer_append_char(out, quote);
}

void copy__write_csv_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out) {
    for (uint16_t c = 0; c < writer->column_count; c++) {
        Str field = pg_run_field(run, c, row);
        if (c > 0) {
            buffer_append_char(out, writer->copy.delimiter);
        }
        if (field.data == NULL) {
            buffer_append_str(out, writer->copy.null_text);
        } else {
            copy__append_csv(writer, field, writer->quoted[c], out);
        }
    }
    buffer_append_char(out, '\n');
}
