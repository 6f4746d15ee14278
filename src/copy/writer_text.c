/* SPDX-License-Identifier: Apache-2.0
 * writer_text.c - lines of COPY's text format: fields between delimiters, \N for NULL, backslash escapes. */
#include "copy/writer_internal.h"

/* Offset of the first byte that needs a backslash: control characters, the backslash, the delimiter. */
static size_t find_special(Str text, size_t at, char delimiter) {
    const CopyVector low = copy__splat(0x20), slash = copy__splat('\\'), split = copy__splat(delimiter);
    for (; text.len - at >= 16; at += 16) {
        CopyVector v;
        uint64_t hit[2];
        memcpy(&v, text.data + at, sizeof v);
        CopyVector found = (CopyVector)((v < low) | (v == slash) | (v == split));
        memcpy(hit, &found, sizeof hit);
        if ((hit[0] | hit[1]) != 0) {
            return at + (size_t)(hit[0] != 0 ? __builtin_ctzll(hit[0]) / 8 : 8 + __builtin_ctzll(hit[1]) / 8);
        }
    }
    while (at < text.len && (uint8_t)text.data[at] >= 0x20 && text.data[at] != '\\' && text.data[at] != delimiter) {
        at++;
    }
    return at;
}

static void append_special(char c, char delimiter, Buffer *out) {
    static const char LETTERS[14] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    bool named = (uint8_t)c < sizeof LETTERS && LETTERS[(uint8_t)c] != 0;
    if (named || c == '\\' || c == delimiter) {
        buffer_append_char(out, '\\');
    }
    buffer_append_char(out, named ? LETTERS[(uint8_t)c] : c); /* other control characters go as they are */
}

void copy__append_text(const CopyWriter *writer, Str text, Buffer *out) {
    char delimiter = writer->copy.delimiter;
    size_t done = 0;
    for (;;) {
        size_t at = find_special(text, done, delimiter);
        buffer_append(out, text.data + done, at - done);
        if (at == text.len) {
            return;
        }
        append_special(text.data[at], delimiter, out);
        done = at + 1;
    }
}

void copy__write_text_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out) {
    for (uint16_t c = 0; c < writer->column_count; c++) {
        Str field = pg_run_field(run, c, row);
        if (c > 0) {
            buffer_append_char(out, writer->copy.delimiter);
        }
        if (field.data == NULL) {
            buffer_append_str(out, writer->copy.null_text);
        } else {
            copy__append_text(writer, field, out);
        }
    }
    buffer_append_char(out, '\n');
}
