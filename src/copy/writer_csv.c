/* SPDX-License-Identifier: Apache-2.0
 * writer_csv.c - lines of COPY's csv format: quotes where a reader would else see something different. */
#include "copy/writer_internal.h"

static inline bool word_is_special(const CopyWriter *writer, uint64_t word) {
    return (copy__is_byte(word, writer->copy.delimiter) | copy__is_byte(word, writer->copy.quote) | copy__is_byte(word, '\n') | copy__is_byte(word, '\r')) != 0;
}

static inline bool needs_quotes(const CopyWriter *writer, Str text) {
    const CopyOptions *copy = &writer->copy;
    if (text.len == copy->null_text.len && memcmp(text.data, copy->null_text.data, text.len) == 0) {
        return true;
    }
    if (writer->column_count == 1 && str_equal(text, STR("\\."))) { /* readers took that for the end of the data */
        return true;
    }
    return text.len > 0 && copy__any_word(writer, text.data, text.len, word_is_special);
}

static uint8_t *put_quoted(const CopyWriter *writer, Str text, uint8_t *at) {
    char quote = writer->copy.quote, escape = writer->copy.escape;
    *at++ = (uint8_t)quote;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == quote || c == escape) {
            *at++ = (uint8_t)escape;
        }
        *at++ = (uint8_t)c;
    }
    *at++ = (uint8_t)quote;
    return at;
}

uint8_t *copy__put_csv(const CopyWriter *writer, Str text, bool quoted, uint8_t *at) {
    return quoted || needs_quotes(writer, text) ? put_quoted(writer, text, at) : copy__put(at, text.data, text.len);
}

uint8_t *copy__put_csv_row(const CopyWriter *writer, const CopyOut *columns, uint32_t row, uint8_t *at) {
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
        if (UNLIKELY(column->quoted || (!column->plain && needs_quotes(writer, text)))) {
            at = put_quoted(writer, copy__field(&column->field, row, (size_t)len), at);
        } else {
            at = copy__put_field(&column->field, row, (size_t)len, at);
        }
    }
    *at++ = '\n';
    return at;
}
