/* SPDX-License-Identifier: Apache-2.0
 * pg_copy.c - COPY FROM STDIN and TO STDOUT over both protocols.
 *
 * Why:        pieces of CopyData go through the reader as they come, so a COPY needs the memory of one block, not of one message. After an
 *             error the rest of the data is read and dropped. */
#include "server/pg_internal.h"

static void skipped_row(void *context, Str message) {
    session_notice(context, NOTICE_NOTICE, "00000", "%.*s", STR_ARG(message));
}

void pg__copy_close(PgConnection *c) {
    PgCopy *copy = &c->copy;
    copy_reader_close(copy->reader);
    mem_free(copy->columns);
    if (copy->writer_open) {
        copy_writer_deinit(&copy->writer);
    }
    statement_close(copy->plan.rows);
    *copy = (PgCopy){0};
}

/* ---- FROM ---- */

static ErrorCode open_reader(PgConnection *c, const CopyOptions *options, Error *err) {
    PgCopy *copy = &c->copy;
    const TableDef *table = copy->plan.table;
    copy->columns = mem_calloc(copy->plan.column_count + 1u, sizeof *copy->columns);
    for (uint16_t i = 0; i < copy->plan.column_count; i++) {
        const ColumnDef *column = &table->columns[copy->plan.columns[i]];
        copy->columns[i] = (CopyColumn){column->name, column->type, column->symbols};
    }
    CopyReaderOptions reader = {.copy = *options, .table_name = table->name, .columns = copy->columns, .column_count = copy->plan.column_count,
                                .environment = copy->plan.environment, .notice = skipped_row, .notice_context = c->session};
    return copy_reader_open(&reader, &copy->reader, err);
}

/* A marker asks for a default that must be there. */
static ErrorCode check_marker(const PgCopy *copy, uint16_t field, const uint64_t *marked, Error *err) {
    const ColumnDef *column = &copy->plan.table->columns[copy->plan.columns[field]];
    uint32_t row = 0, rows = copy_reader_rows(copy->reader);
    if (marked == NULL || statement_copy_has_default(column) || bits_count(marked, rows) == 0) {
        return ERR_OK;
    }
    while (!bit_get(marked, row)) {
        row++;
    }
    error_ignore(error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "unexpected default marker in COPY data"));
    error_ignore(error_add(err, 'D', "Column \"%.*s\" has no default value.", STR_ARG(column->name)));
    return error_add(err, 'W', "%.*s", STR_ARG(copy_reader_row_context(copy->reader, row)));
}

static ErrorCode drain(PgConnection *c, Error *err) {
    PgCopy *copy = &c->copy;
    uint32_t rows = copy_reader_rows(copy->reader);
    if (rows == 0) {
        return ERR_OK;
    }
    arena_reset(&c->arena);
    ColumnBuilder **builders = arena_array(&c->arena, ColumnBuilder *, copy->plan.column_count);
    const uint64_t **defaults = arena_array(&c->arena, const uint64_t *, copy->plan.column_count);
    for (uint16_t i = 0; i < copy->plan.column_count; i++) {
        builders[i] = copy_reader_builder(copy->reader, i);
        defaults[i] = copy_reader_defaults(copy->reader, i);
        TRY(check_marker(copy, i, defaults[i], err));
    }
    ErrorCode code = statement_copy_append(copy->statement, &copy->plan, &(CopyRows){builders, defaults, rows}, err);
    if (code != ERR_OK) {
        Str where = copy_reader_row_context(copy->reader, rows - 1);
        return rows == 1 ? error_add(err, 'W', "%.*s", STR_ARG(where)) : code;
    }
    copy_reader_clear(copy->reader);
    return ERR_OK;
}

/* Where it was in the data; a position would be one in the statement. */
static ErrorCode failed_data(const PgCopy *copy, ErrorCode code, Error *err) {
    Str where = copy_reader_context(copy->reader);
    err->position = ERROR_NO_POSITION;
    return where.len > 0 ? error_add(err, 'W', "%.*s", STR_ARG(where)) : code;
}

static ErrorCode feed(PgConnection *c, Bytes piece, Error *err) {
    PgCopy *copy = &c->copy;
    while (piece.len > 0) {
        size_t used = 0;
        ErrorCode code = copy_reader_feed(copy->reader, piece, &used, err);
        if (code != ERR_OK) {
            return failed_data(copy, code, err);
        }
        piece = bytes_from(piece.data + used, piece.len - used);
        if (copy_reader_rows(copy->reader) >= COPY_BATCH_ROWS) {
            TRY(drain(c, err));
        }
    }
    return ERR_OK;
}

static ErrorCode end_of_data(PgConnection *c, Error *err) {
    PgCopy *copy = &c->copy;
    bool more = true;
    while (more) {
        ErrorCode code = copy_reader_end(copy->reader, err);
        if (code != ERR_OK) {
            return failed_data(copy, code, err);
        }
        more = copy_reader_rows(copy->reader) >= COPY_BATCH_ROWS;
        TRY(drain(c, err));
    }
    if (copy_reader_rejected(copy->reader) > 0 && !copy->log_silent) {
        unsigned long long rejected = copy_reader_rejected(copy->reader);
        session_notice(c->session, NOTICE_NOTICE, "00000", "%llu row%s skipped due to data type incompatibility", rejected, rejected == 1 ? " was" : "s were");
    }
    Statement *statement = copy->statement;
    copy->statement = NULL; /* finishing undoes it itself */
    return statement_copy_finish(statement, &copy->plan, err);
}

/* Back to the query string, or to Execute's end. */
static void go_on(PgConnection *c) {
    pg__copy_close(c);
    c->activity = c->executing != NULL ? PG_ACTIVITY_EXECUTE : PG_ACTIVITY_QUERY;
    PgStream *stream = c->executing != NULL ? &c->executing->stream : &c->query.stream;
    stream->done = true;
}

static void fail(PgConnection *c, const Error *err) {
    if (c->copy.statement != NULL) {
        statement_copy_fail(c->copy.statement, &c->copy.plan);
    }
    pg__copy_close(c);
    if (c->executing != NULL) {
        Str text = arena_str(&c->arena, statement_text(c->executing->stream.statement));
        c->executing = NULL;
        c->activity = PG_ACTIVITY_NONE;
        pg__extended_failed(c, err, text);
    } else {
        pg__query_failed(c, err);
    }
}

void pg__copy_message(PgConnection *c, const PgMessage *message) {
    Error err = {0};
    ErrorCode code = ERR_OK;
    Str reason = {0};
    switch (message->type) {
    case PG_COPY_DATA: code = feed(c, message->body, &err); break;
    case PG_COPY_DONE:
        code = end_of_data(c, &err);
        if (code == ERR_OK) {
            go_on(c);
        }
        break;
    case PG_COPY_FAIL:
        code = pgwire_read_copy_fail(message->body, &reason, &err);
        code = code == ERR_OK ? error_set(&err, ERR_CANCELED, ERROR_NO_POSITION, "COPY from stdin failed: %.*s", (int)MIN_OF(reason.len, (size_t)300), reason.data) : code;
        break;
    case PG_FLUSH:
    case PG_SYNC: break; /* have no meaning inside of the data */
    default:
        code = error_set(&err, ERR_PROTOCOL, ERROR_NO_POSITION, "unexpected message type 0x%02X during COPY from stdin", (unsigned)message->type);
        break;
    }
    if (code != ERR_OK) {
        fail(c, &err);
    }
}

/* ---- TO ---- */

static ErrorCode open_writer(PgConnection *c, const CopyOptions *options, Error *err) {
    PgCopy *copy = &c->copy;
    const RelColumn *columns = statement_columns(copy->plan.rows);
    uint16_t count = (uint16_t)statement_column_count(copy->plan.rows);
    Str *names = arena_array(&c->arena, Str, count);
    for (uint16_t i = 0; i < count; i++) {
        names[i] = columns[i].name;
    }
    TextStyle style;
    session_text_style(c->session, &style);
    style.names = statement_oid_names(copy->plan.rows);
    TRY(copy_writer_init(&copy->writer, options, names, count, true, &style, err));
    copy->writer_open = true;
    pgwire_write_copy_out(pg__out(c), options->format == COPY_BINARY, count);
    copy_write_begin(&copy->writer, names, pg__out(c));
    return ERR_OK;
}

static ErrorCode write_rows(PgConnection *c, bool *wait_out, Error *err) {
    PgCopy *copy = &c->copy;
    for (*wait_out = false; !*wait_out;) {
        if (copy->batch == NULL) {
            TRY(statement_step(copy->plan.rows, &copy->batch, err));
            copy->window = (PgRowWindow){.rows_left = UINT64_MAX};
            if (copy->batch == NULL) {
                return ERR_OK;
            }
        }
        Buffer *out = pg__out(c);
        copy->window.out_bytes = out->len + PG_FLUSH_BYTES;
        TRY(copy_write_rows(&copy->writer, copy->batch, NULL, &copy->window, out, err));
        if (copy->window.row >= copy->batch->row_count) {
            copy->batch = NULL;
        }
        *wait_out = out->len >= PG_FLUSH_BYTES && net_flush(c->net) > NET_OUTPUT_BYTES;
    }
    return ERR_OK;
}

static ErrorCode copy_out(PgConnection *c, bool *wait_out, Error *err) {
    PgCopy *copy = &c->copy;
    TRY(write_rows(c, wait_out, err));
    if (*wait_out) {
        return ERR_OK;
    }
    copy_write_end(&copy->writer, pg__out(c));
    pgwire_write_copy_done(pg__out(c));
    return statement_copy_sent(copy->statement, &copy->plan, copy->writer.encoder.row_count, err);
}

PgMove pg__copy_out_run(PgConnection *c, NetWait *wait_out) {
    Error err = {0};
    bool wait = false;
    if (copy_out(c, &wait, &err) != ERR_OK) {
        fail(c, &err);
        return PG_MOVE_ON;
    }
    if (wait) {
        *wait_out = (NetWait){.kind = NET_WAIT_OUTPUT};
        return PG_MOVE_WAIT;
    }
    go_on(c);
    return PG_MOVE_ON;
}

/* ---- begin ---- */

ErrorCode pg__copy_begin(PgConnection *c, Statement *statement, Error *err) {
    PgCopy *copy = &c->copy;
    CopyOptions options = {0};
    *copy = (PgCopy){0};
    TRY(statement_copy_begin(statement, &copy->plan, err));
    copy->statement = statement;
    bool in = statement_kind(statement) == STATEMENT_COPY_IN;
    ErrorCode code = copy_options_read(copy->plan.ast, &c->arena, &options, err);
    code = code == ERR_OK ? (in ? open_reader(c, &options, err) : open_writer(c, &options, err)) : code;
    if (code != ERR_OK) {
        statement_copy_fail(statement, &copy->plan);
        pg__copy_close(c);
        return code;
    }
    copy->log_silent = options.log_silent;
    if (in) {
        pgwire_write_copy_in(pg__out(c), options.format == COPY_BINARY, copy->plan.column_count);
        (void)net_flush(c->net);
    }
    c->activity = in ? PG_ACTIVITY_COPY_IN : PG_ACTIVITY_COPY_OUT;
    return ERR_OK;
}
