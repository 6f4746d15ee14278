/* SPDX-License-Identifier: Apache-2.0
 * writer_text.c - lines of COPY's text format: fields between delimiters, \N for NULL, backslash escapes. */
#include "copy/writer_internal.h"

enum { WORD_BYTES = 8 };

/* Is a byte of the word a control character, a backslash or the delimiter? Exact for the first such byte. */
static inline bool word_is_special(uint64_t word, char delimiter) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = UINT64_C(0x8080808080808080);
    uint64_t low = (word - ones * 0x20) & ~word, slash = word ^ (ones * '\\'), split = word ^ (ones * (uint8_t)delimiter);
    return ((low | ((slash - ones) & ~slash) | ((split - ones) & ~split)) & highs) != 0;
}

/* Control characters that have a letter get it; others go as they are. */
static inline char *put_escaped(char *at, char c, char delimiter) {
    static const char LETTERS[14] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    bool named = (uint8_t)c < sizeof LETTERS && LETTERS[(uint8_t)c] != 0;
    if (named || c == '\\' || c == delimiter) {
        *at++ = '\\';
    }
    *at++ = named ? LETTERS[(uint8_t)c] : c;
    return at;
}

/* Room for all bytes escaped is there from the start; words without a special byte are copied as they are tested. */
void copy__append_text(const CopyWriter *writer, Str text, Buffer *out) {
    char delimiter = writer->copy.delimiter;
    char *room = (char *)buffer_reserve(out, 2 * text.len), *at = room;
    size_t i = 0;
    if (room == NULL) {
        return;
    }
    while (i < text.len) {
        uint64_t word;
        if (text.len - i >= WORD_BYTES) {
            memcpy(&word, text.data + i, WORD_BYTES);
            if (LIKELY(!word_is_special(word, delimiter))) {
                memcpy(at, &word, WORD_BYTES);
                at += WORD_BYTES;
                i += WORD_BYTES;
                continue;
            }
        }
        at = put_escaped(at, text.data[i++], delimiter);
    }
    out->len += (size_t)(at - room);
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
