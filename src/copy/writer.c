/* SPDX-License-Identifier: Apache-2.0
 * writer.c - COPY TO: rows of batches as lines or binary rows, each a CopyData message of its own where that is asked for.
 *
 * Tests: test/unit/copy/test_writer.c */
#include "copy/writer_internal.h"

static ErrorCode find_quoted(CopyWriter *writer, const Str *names, Error *err) {
    const CopyOptions *copy = &writer->copy;
    bool *quoted = arena_array(&writer->arena, bool, writer->column_count + 1u);
    for (uint16_t c = 0; c < writer->column_count; c++) {
        quoted[c] = copy->force_quote_all;
    }
    for (uint32_t i = 0; i < copy->force_quote_count; i++) {
        uint16_t c = 0;
        while (c < writer->column_count && !str_equal(names[c], copy->force_quote[i])) {
            c++;
        }
        if (c == writer->column_count) {
            return error_set(err, ERR_INVALID_COLUMN_REFERENCE, ERROR_NO_POSITION, "FORCE_QUOTE column \"%.*s\" not referenced by COPY",
                             STR_ARG(copy->force_quote[i]));
        }
        quoted[c] = true;
    }
    writer->quoted = quoted;
    return ERR_OK;
}

ErrorCode copy_writer_init(CopyWriter *writer, const CopyOptions *options, const Str *names, uint16_t column_count, bool in_messages,
                           const TextStyle *style, Error *err) {
    EncoderOptions encoder = {.text = *style};
    *writer = (CopyWriter){.copy = *options, .in_messages = in_messages, .column_count = column_count};
    copy_options_complete(&writer->copy);
    arena_init(&writer->arena, SIZE_MAX);
    writer->copy.null_text = arena_str(&writer->arena, writer->copy.null_text);
    encoder_init(&writer->encoder, column_count, &encoder);
    ErrorCode code = find_quoted(writer, names, err);
    if (code != ERR_OK) {
        copy_writer_deinit(writer);
    }
    return code;
}

void copy_writer_deinit(CopyWriter *writer) {
    encoder_deinit(&writer->encoder);
    arena_deinit(&writer->arena);
    *writer = (CopyWriter){0};
}

/* ---- messages ---- */

enum { MESSAGE_HEAD_BYTES = 5 };

static inline uint8_t *message_begin(const CopyWriter *writer, uint8_t *at) { return at + (writer->in_messages ? MESSAGE_HEAD_BYTES : 0); }

static inline void message_end(const CopyWriter *writer, uint8_t *begin, const uint8_t *at) {
    if (writer->in_messages) {
        uint32_t length = __builtin_bswap32((uint32_t)(at - begin - 1));
        begin[0] = 'd';
        memcpy(begin + 1, &length, sizeof length);
    }
}

/* ---- head, rows, end ---- */

static size_t names_bytes(const CopyWriter *writer, const Str *names) {
    size_t bytes = MESSAGE_HEAD_BYTES + PG_SLACK_BYTES;
    for (uint16_t c = 0; c < writer->column_count; c++) {
        bytes += COPY_FIELD_GROWTH * names[c].len + COPY_FIELD_EXTRA;
    }
    return bytes;
}

static uint8_t *put_names(const CopyWriter *writer, const Str *names, uint8_t *at) {
    for (uint16_t c = 0; c < writer->column_count; c++) {
        if (c > 0) {
            *at++ = (uint8_t)writer->copy.delimiter;
        }
        at = writer->copy.format == COPY_CSV ? copy__put_csv(writer, names[c], false, at) : copy__put_text(writer, names[c], at);
    }
    *at++ = '\n';
    return at;
}

void copy_write_begin(CopyWriter *writer, const Str *names, Buffer *out) {
    bool binary = writer->copy.format == COPY_BINARY;
    if (!binary && writer->copy.header == COPY_HEADER_NONE) {
        return;
    }
    if (binary && writer->in_messages) {
        writer->signature_due = true;
        return;
    }
    uint8_t *begin = buffer_reserve(out, binary ? (size_t)COPY_SIGNATURE_BYTES : names_bytes(writer, names));
    if (begin == NULL) {
        return;
    }
    uint8_t *at = message_begin(writer, begin);
    at = binary ? copy__put_binary_header(at) : put_names(writer, names, at);
    message_end(writer, begin, at);
    out->len += (size_t)(at - begin);
}

/* Numbers, times and the like have none of the usual delimiters and quotes in their text, and are never empty. */
static bool is_plain(const CopyWriter *writer, Type type) {
    const CopyOptions *copy = &writer->copy;
    bool usual = memchr("\t,;|", copy->delimiter, 4) != NULL && (copy->format == COPY_TEXT || (copy->null_text.len == 0 && (copy->quote == '"' || copy->quote == '\'')));
    switch ((TypeId)type.id) {
    case TYPE_BOOL:
    case TYPE_BYTE:
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
    case TYPE_UUID: return usual;
    default: return false;
    }
}

/* The columns of the run at hand. Returns the bytes that its rows take at most. */
static size_t take_columns(const CopyWriter *writer, const PgRun *run, uint32_t rows, CopyOut *columns) {
    size_t bytes = COPY_SIGNATURE_BYTES + PG_SLACK_BYTES;
    for (uint16_t c = 0; c < writer->column_count; c++) {
        CopyOut *column = &columns[c];
        column->field = pg_run_column(run, c);
        column->plain = is_plain(writer, column->field.type);
        column->quoted = writer->quoted[c];
        bytes += COPY_FIELD_GROWTH * column->field.bytes + rows * (COPY_FIELD_EXTRA + writer->copy.null_text.len);
    }
    return bytes + (size_t)rows * (MESSAGE_HEAD_BYTES + COPY_FIELD_EXTRA);
}

static inline __attribute__((always_inline)) uint8_t *put_rows(CopyWriter *writer, const CopyOut *columns, uint32_t rows, uint8_t *at,
                                                               uint8_t *(*put_row)(const CopyWriter *, const CopyOut *, uint32_t, uint8_t *)) {
    for (uint32_t row = 0; row < rows; row++) {
        uint8_t *begin = at;
        at = message_begin(writer, at);
        if (UNLIKELY(writer->signature_due)) {
            at = copy__put_binary_header(at);
            writer->signature_due = false;
        }
        at = put_row(writer, columns, row, at);
        message_end(writer, begin, at);
    }
    writer->encoder.row_count += rows;
    return at;
}

static void write_run(CopyWriter *writer, const PgRun *run, uint32_t rows, CopyOut *columns, Buffer *out) {
    uint8_t *begin = buffer_reserve(out, take_columns(writer, run, rows, columns)), *at = begin;
    if (begin == NULL) {
        return;
    }
    switch (writer->copy.format) {
    case COPY_TEXT: at = put_rows(writer, columns, rows, at, copy__put_text_row); break;
    case COPY_CSV: at = put_rows(writer, columns, rows, at, copy__put_csv_row); break;
    case COPY_BINARY: at = put_rows(writer, columns, rows, at, copy__put_binary_row); break;
    }
    out->len += (size_t)(at - begin);
}

static const uint8_t *binary_formats(CopyWriter *writer) {
    uint8_t *formats = arena_alloc_aligned(&writer->arena, writer->column_count + 1u, 1);
    memset(formats, PG_FORMAT_BINARY, writer->column_count);
    return formats;
}

/* out_bytes is looked at once a run: the rows of one run are small beside it. */
ErrorCode copy_write_rows(CopyWriter *writer, Batch *batch, const uint16_t *columns, PgRowWindow *window, Buffer *out, Error *err) {
    PgRun *run = NULL;
    ArenaMark mark = arena_mark(&writer->arena);
    const uint8_t *formats = writer->copy.format == COPY_BINARY ? binary_formats(writer) : NULL;
    CopyOut *outs = arena_array(&writer->arena, CopyOut, writer->column_count + 1u);
    ErrorCode code = pg_run_begin(&writer->encoder, batch, columns, formats, &run, err);
    while (code == ERR_OK && window->row < batch->row_count && window->rows_left > 0 && !out->failed &&
           (window->out_bytes == 0 || out->len < window->out_bytes)) {
        uint32_t rows = pg_run_next(run, window);
        write_run(writer, run, rows, outs, out);
    }
    arena_rewind(&writer->arena, mark);
    return code != ERR_OK ? code : buffer_check(out, err);
}

void copy_write_end(CopyWriter *writer, Buffer *out) {
    if (writer->copy.format != COPY_BINARY) {
        return;
    }
    uint8_t *begin = buffer_reserve(out, MESSAGE_HEAD_BYTES + COPY_SIGNATURE_BYTES + COPY_TRAILER_BYTES);
    if (begin == NULL) {
        return;
    }
    uint8_t *at = message_begin(writer, begin);
    at = writer->signature_due ? copy__put_binary_header(at) : at;
    writer->signature_due = false;
    at = copy__put_binary_trailer(at);
    message_end(writer, begin, at);
    out->len += (size_t)(at - begin);
}
