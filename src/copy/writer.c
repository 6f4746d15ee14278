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

static size_t message_begin(CopyWriter *writer, Buffer *out) {
    size_t begin = out->len;
    if (writer->in_messages) {
        buffer_append(out, "d\0\0\0\0", 5);
    }
    if (writer->signature_due) {
        copy__write_binary_header(out);
        writer->signature_due = false;
    }
    return begin;
}

static void message_end(const CopyWriter *writer, size_t begin, Buffer *out) {
    if (writer->in_messages && !out->failed) {
        uint32_t length = __builtin_bswap32((uint32_t)(out->len - begin - 1));
        memcpy(out->data + begin + 1, &length, sizeof length);
    }
}

/* ---- head, rows, end ---- */

static void write_names(CopyWriter *writer, const Str *names, Buffer *out) {
    for (uint16_t c = 0; c < writer->column_count; c++) {
        if (c > 0) {
            buffer_append_char(out, writer->copy.delimiter);
        }
        if (writer->copy.format == COPY_CSV) {
            copy__append_csv(writer, names[c], false, out);
        } else {
            copy__append_text(writer, names[c], out);
        }
    }
    buffer_append_char(out, '\n');
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
    size_t begin = message_begin(writer, out);
    if (binary) {
        copy__write_binary_header(out);
    } else {
        write_names(writer, names, out);
    }
    message_end(writer, begin, out);
}

static void write_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out) {
    size_t begin = message_begin(writer, out);
    switch (writer->copy.format) {
    case COPY_TEXT:
        copy__write_text_row(writer, run, row, out);
        break;
    case COPY_CSV:
        copy__write_csv_row(writer, run, row, out);
        break;
    case COPY_BINARY:
        copy__write_binary_row(writer, run, row, out);
        break;
    }
    message_end(writer, begin, out);
    writer->encoder.row_count++;
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
    ErrorCode code = pg_run_begin(&writer->encoder, batch, columns, formats, &run, err);
    while (code == ERR_OK && window->row < batch->row_count && window->rows_left > 0 && !out->failed &&
           (window->out_bytes == 0 || out->len < window->out_bytes)) {
        uint32_t count = pg_run_next(run, window);
        for (uint32_t row = 0; row < count; row++) {
            write_row(writer, run, row, out);
        }
    }
    arena_rewind(&writer->arena, mark);
    return code != ERR_OK ? code : buffer_check(out, err);
}

void copy_write_end(CopyWriter *writer, Buffer *out) {
    if (writer->copy.format == COPY_BINARY) {
        size_t begin = message_begin(writer, out);
        copy__write_binary_trailer(out);
        message_end(writer, begin, out);
    }
}
