/* SPDX-License-Identifier: Apache-2.0
 * pg_rows.c - rows to the client: their description, and DataRow messages with bounded memory.
 *
 * Why:     a batch is encoded in pieces of PG_FLUSH_BYTES; when the client has not taken what was sent before, the stream stops where it is. */
#include "server/pg_internal.h"
#include "sql/system/oid.h"

static PgColumn describe(const RelColumn *column, uint16_t format) {
    bool of_table = column->table_id != 0 && column->table_column >= 0;
    return (PgColumn){
        .name = column->name,
        .table_oid = of_table ? oid_of_table(column->table_id) : 0,
        .column_number = of_table ? (int16_t)(column->table_column + 1) : 0,
        .type_oid = type_oid_of(column->type),
        .type_bytes = type_length_bytes(column->type),
        .type_modifier = type_typmod(column->type),
        .format = format,
    };
}

void pg__write_row_description(PgConnection *c, const RelColumn *columns, uint32_t count, const uint8_t *formats) {
    PgColumn *described = arena_array(&c->arena, PgColumn, count);
    for (uint32_t i = 0; i < count; i++) {
        described[i] = describe(&columns[i], formats == NULL ? PG_FORMAT_TEXT : formats[i]);
    }
    pgwire_write_row_description(pg__out(c), described, (uint16_t)count);
}

void pg__stream_open(PgStream *stream, Statement *statement, const PgFormats *formats) {
    *stream = (PgStream){.statement = statement, .column_count = (uint16_t)statement_column_count(statement)};
    stream->window.rows_left = UINT64_MAX;
    if (formats == NULL || formats->count == 0 || stream->column_count == 0) {
        return;
    }
    stream->formats = mem_alloc(stream->column_count);
    for (uint16_t i = 0; i < stream->column_count; i++) {
        stream->formats[i] = (uint8_t)pgwire_format(formats, i);
    }
}

void pg__stream_close(PgStream *stream) {
    if (stream->encoder_open) {
        encoder_deinit(&stream->encoder);
    }
    statement_close(stream->statement);
    mem_free(stream->formats);
    *stream = (PgStream){0};
}

static void open_encoder(PgConnection *c, PgStream *stream) {
    EncoderOptions options = {0};
    session_text_style(c->session, &options.text);
    options.text.names = statement_oid_names(stream->statement);
    if (stream->encoder_open) {
        stream->encoder.options.text = options.text; /* settings may have changed since the portal was last asked */
    } else {
        encoder_init(&stream->encoder, stream->column_count, &options);
        stream->encoder_open = true;
    }
}

static ErrorCode next_batch(PgConnection *c, PgStream *stream, Error *err) {
    TRY(statement_step(stream->statement, &stream->batch, err));
    stream->window.row = 0;
    stream->done = stream->batch == NULL;
    if (session_notice_pending(c->session)) {
        pg__write_notices(c);
    }
    return ERR_OK;
}

/* true: the client does not keep up. */
static bool send_some(PgConnection *c) {
    if (pg__out(c)->len < PG_FLUSH_BYTES) {
        int64_t now = net_now_ms();
        if (now - c->flushed_ms < PG_FLUSH_MS) {
            return false;
        }
        c->flushed_ms = now;
    }
    return net_flush(c->net) > NET_OUTPUT_BYTES;
}

ErrorCode pg__stream_run(PgConnection *c, PgStream *stream, StreamResult *result_out, Error *err) {
    c->flushed_ms = net_now_ms();
    while (!stream->done) {
        if (stream->batch == NULL) {
            TRY(next_batch(c, stream, err));
            continue;
        }
        if (stream->column_count > 0) {
            open_encoder(c, stream);
        }
        Buffer *out = pg__out(c);
        stream->window.out_bytes = out->len + PG_FLUSH_BYTES;
        if (stream->column_count > 0) {
            TRY(pg_encode_rows(&stream->encoder, stream->batch, NULL, stream->formats, &stream->window, out, err));
        }
        if (stream->column_count == 0 || stream->window.row >= stream->batch->row_count) {
            stream->batch = NULL;
        }
        if (stream->window.rows_left == 0) {
            *result_out = STREAM_SUSPENDED;
            return ERR_OK;
        }
        if (send_some(c)) {
            *result_out = STREAM_WAIT_OUTPUT;
            return ERR_OK;
        }
    }
    *result_out = STREAM_DONE;
    return ERR_OK;
}
