/* SPDX-License-Identifier: Apache-2.0
 * writer_text.c - lines of COPY's text format: fields between delimiters, \\N for NULL, backslash escapes. */
#include "copy/writer_internal.h"

/* Is a byte of the word a control character, a backslash or the delimiter? */
static inline bool word_is_special(const CopyWriter *writer, uint64_t word) {
    uint64_t control = (word - COPY_ONES * 0x20) & ~word & COPY_ONES * 0x80;
    return (control | copy__is_byte(word, '\\') | copy__is_byte(word, writer->copy.delimiter)) != 0;
}

/* Control characters that have a letter get it; others go as they are. */
static inline uint8_t *put_escaped(uint8_t *at, char c, char delimiter) {
    static const char LETTERS[14] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    bool named = (uint8_t)c < sizeof LETTERS && LETTERS[(uint8_t)c] != 0;
    if (named || c == '\\' || c == delimiter) {
        *at++ = '\\';
    }
    *at++ = (uint8_t)(named ? LETTERS[(uint8_t)c] : c);
    return at;
}

/* Words without a special byte are copied as they are tested. */
uint8_t *copy__put_text(const CopyWriter *writer, Str text, uint8_t *at) {
    for (size_t i = 0; i < text.len;) {
        uint64_t word;
        if (text.len - i >= sizeof word) {
            memcpy(&word, text.data + i, sizeof word);
            if (LIKELY(!word_is_special(writer, word))) {
                at = copy__put(at, &word, sizeof word);
                i += sizeof word;
                continue;
            }
        }
        at = put_escaped(at, text.data[i++], writer->copy.delimiter);
    }
    return at;
}

uint8_t *copy__put_text_row(const CopyWriter *writer, const CopyOut *columns, uint32_t row, uint8_t *at) {
    for (uint16_t c = 0; c < writer->column_count; c++) {
        const CopyOut *column = &columns[c];
        int32_t len = column->field.lens[row];
        if (c > 0) {
            *at++ = (uint8_t)writer->copy.delimiter;
        }
        if (UNLIKELY(len == PG_NULL)) {
            at = copy__put(at, writer->copy.null_text.data, writer->copy.null_text.len);
            continue;
        }
        Str text = column->plain ? (Str){0} : copy__field(&column->field, row, (size_t)len);
        if (UNLIKELY(text.len > 0 && copy__any_word(writer, text.data, text.len, word_is_special))) {
            at = copy__put_text(writer, text, at);
        } else {
            at = copy__put_field(&column->field, row, (size_t)len, at);
        }
    }
    *at++ = '\n';
    return at;
}
