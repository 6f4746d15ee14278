/* SPDX-License-Identifier: Apache-2.0
 * pg_extended.c - the extended protocol: Parse, Bind, Describe, Execute, Close, Sync.
 *
 * Why:        everything between two Syncs is one implicit transaction, begun by the first message that needs one; after an error what
 *             follows is passed over until Sync. Describe never runs anything. */
#include "server/pg_internal.h"

/* ---- Parse ---- */

static ErrorCode declared_types(PgConnection *c, const PgParse *parse, Type **types_out, Error *err) {
    enum { OID_UNKNOWN = 705 };
    *types_out = arena_array(&c->arena, Type, parse->oid_count);
    for (uint16_t i = 0; i < parse->oid_count; i++) {
        uint32_t oid = pgwire_oid(parse, i);
        if (oid != 0 && oid != OID_UNKNOWN && !type_from_oid(oid, &(*types_out)[i]) && !type_from_object_oid(oid, &(*types_out)[i])) {
            return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "type with OID %u does not exist (parameter $%u)", oid, i + 1u);
        }
    }
    return ERR_OK;
}

static ErrorCode run_parse(PgConnection *c, Bytes body, Str *text_out, Error *err) {
    PgParse parse;
    Type *types = NULL;
    TRY(pgwire_read_parse(body, &parse, err));
    *text_out = parse.text;
    TRY(declared_types(c, &parse, &types, err));
    TRY(session_implicit_begin(c->session, err));
    TRY(session_prepare(c->session, parse.statement, parse.text, types, parse.oid_count, false, err));
    pgwire_write_parse_complete(pg__out(c));
    return ERR_OK;
}

/* ---- Bind ---- */

static ErrorCode bind_binary(PgConnection *c, Statement *statement, uint16_t index, Bytes bytes, Error *err) {
    Value value = {.type = statement_param_type(statement, index)};
    ErrorCode code = pg_binary_read(value.type, bytes, statement_oid_names(statement), &c->arena, value.as.bytes, err);
    if (code != ERR_OK) {
        return code == ERR_INVALID_BINARY ? error_set(err, code, ERROR_NO_POSITION, "incorrect binary data format in bind parameter %u", index + 1u) : code;
    }
    return statement_bind(statement, index, &value, err);
}

static ErrorCode bind_text(Statement *statement, uint16_t index, Bytes bytes, Error *err) {
    Str text = {(const char *)bytes.data, bytes.len};
    TRY(pgwire_text_check(text, err));
    ErrorCode code = statement_bind_text(statement, index, text, err);
    if (code != ERR_OK && err != NULL) {
        err->position = ERROR_NO_POSITION; /* it is one in the parameter */
        return error_add(err, 'W', "unnamed portal parameter $%u = '%.*s'", index + 1u, (int)MIN_OF(text.len, (size_t)100), text.data);
    }
    return code;
}

static ErrorCode bind_parameters(PgConnection *c, Statement *statement, const PgBind *bind, Error *err) {
    for (uint16_t i = 0; i < bind->parameter_count; i++) {
        Bytes bytes = bind->parameters[i];
        if (bytes.data == NULL) {
            Value null = {.type = statement_param_type(statement, i), .is_null = true};
            TRY(statement_bind(statement, i, &null, err));
        } else if (pgwire_format(&bind->parameter_formats, i) == PG_FORMAT_BINARY) {
            TRY(bind_binary(c, statement, i, bytes, err));
        } else {
            TRY(bind_text(statement, i, bytes, err));
        }
    }
    return ERR_OK;
}

static ErrorCode fill_portal(PgConnection *c, PgPortal *portal, Prepared *prepared, const PgBind *bind, Error *err) {
    Statement *statement = NULL;
    uint32_t wanted = prepared_param_count(prepared);
    if (bind->parameter_count != wanted) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "bind message supplies %u parameters, but prepared statement \"%.*s\" requires %u",
                         bind->parameter_count, STR_ARG(bind->statement), wanted);
    }
    TRY(prepared_open(prepared, &statement, err));
    ErrorCode code = pgwire_formats_check(&bind->result_formats, (uint16_t)statement_column_count(statement), err);
    if (code != ERR_OK) {
        statement_close(statement);
        return code;
    }
    pg__stream_open(&portal->stream, statement, &bind->result_formats);
    portal->is_row_statement = portal->stream.column_count > 0;
    return bind_parameters(c, statement, bind, err);
}

static ErrorCode run_bind(PgConnection *c, Bytes body, Str *text_out, Error *err) {
    PgBind bind;
    Prepared *prepared = NULL;
    PgPortal *portal = NULL;
    TRY(pgwire_read_bind(body, &c->arena, &bind, err));
    TRY(session_implicit_begin(c->session, err));
    TRY(session_prepared_find(c->session, bind.statement, &prepared, err));
    *text_out = prepared_text(prepared);
    TRY(pg__portal_create(c, bind.portal, &portal, err));
    ErrorCode code = fill_portal(c, portal, prepared, &bind, err);
    if (code != ERR_OK) {
        *text_out = arena_str(&c->arena, *text_out);
        pg__portal_drop(c, portal);
        return code;
    }
    pgwire_write_bind_complete(pg__out(c));
    return ERR_OK;
}

/* ---- Describe, Close ---- */

static ErrorCode describe_statement(PgConnection *c, Str name, Error *err) {
    Prepared *prepared = NULL;
    TRY(session_prepared_find(c->session, name, &prepared, err));
    uint32_t count = prepared_param_count(prepared);
    uint32_t *oids = arena_array(&c->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        oids[i] = type_oid_of(prepared_param_type(prepared, i));
    }
    if (session_transaction_failed(c->session) && prepared_column_count(prepared) > 0) {
        return error_set(err, ERR_FAILED_TRANSACTION, ERROR_NO_POSITION, "current transaction is aborted, commands ignored until end of transaction block");
    }
    pgwire_write_parameter_description(pg__out(c), oids, (uint16_t)count);
    if (prepared_column_count(prepared) == 0) {
        pgwire_write_no_data(pg__out(c));
    } else {
        pg__write_row_description(c, prepared_columns(prepared), prepared_column_count(prepared), NULL);
    }
    return ERR_OK;
}

static ErrorCode no_portal(Str name, Error *err) {
    return error_set(err, ERR_UNDEFINED_CURSOR, ERROR_NO_POSITION, "portal \"%.*s\" does not exist", STR_ARG(name));
}

static ErrorCode describe_portal(PgConnection *c, Str name, Error *err) {
    const PgPortal *portal = pg__portal_find(c, name);
    if (portal == NULL) { /* cursors of DECLARE are portals too */
        uint32_t count = 0;
        const RelColumn *columns = session_cursor_columns(c->session, name, &count);
        if (columns == NULL) {
            return no_portal(name, err);
        }
        pg__write_row_description(c, columns, count, NULL);
        return ERR_OK;
    }
    const PgStream *stream = &portal->stream;
    if (stream->column_count == 0) {
        pgwire_write_no_data(pg__out(c));
    } else {
        pg__write_row_description(c, statement_columns(stream->statement), stream->column_count, stream->formats);
    }
    return ERR_OK;
}

static ErrorCode run_describe(PgConnection *c, Bytes body, Error *err) {
    PgTarget target;
    TRY(pgwire_read_target(PG_DESCRIBE, body, &target, err));
    TRY(session_implicit_begin(c->session, err));
    return target.kind == 'S' ? describe_statement(c, target.name, err) : describe_portal(c, target.name, err);
}

static ErrorCode run_close(PgConnection *c, Bytes body, Error *err) {
    PgTarget target;
    TRY(pgwire_read_target(PG_CLOSE, body, &target, err));
    if (target.kind == 'S') {
        (void)session_prepared_drop(c->session, target.name); /* runs of it keep what they need */
    } else {
        PgPortal *portal = pg__portal_find(c, target.name);
        if (portal != NULL) {
            pg__portal_drop(c, portal);
        } else {
            (void)session_cursor_close(c->session, target.name);
        }
    }
    pgwire_write_close_complete(pg__out(c));
    return ERR_OK;
}

/* ---- Execute ---- */

static ErrorCode run_execute(PgConnection *c, Bytes body, Error *err) {
    PgExecute execute;
    TRY(pgwire_read_execute(body, &execute, err));
    PgPortal *portal = pg__portal_find(c, execute.portal);
    if (portal == NULL) {
        return no_portal(execute.portal, err);
    }
    if (portal->started && portal->stream.done && !portal->is_row_statement) {
        return error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "portal \"%.*s\" cannot be run", STR_ARG(execute.portal));
    }
    bool limited = execute.row_max > 0 && portal->is_row_statement;
    portal->started = true;
    portal->stream.window.rows_left = limited ? execute.row_max : UINT64_MAX;
    portal->stream.rows_before = portal->stream.encoder_open ? portal->stream.encoder.row_count : 0;
    c->executing = portal;
    c->activity = PG_ACTIVITY_EXECUTE;
    return ERR_OK;
}

/* Rows of this Execute alone, as PostgreSQL counts a portal that goes on. */
static void write_tag(PgConnection *c, const PgStream *stream) {
    Str tag = statement_tag(stream->statement);
    char text[64];
    StatementKind kind = statement_kind(stream->statement);
    uint64_t rows = stream->encoder_open ? stream->encoder.row_count : 0;
    if (stream->rows_before > 0 && (kind == STATEMENT_SELECT || kind == STATEMENT_FETCH)) {
        int len = snprintf(text, sizeof text, "%s %llu", kind == STATEMENT_SELECT ? "SELECT" : "FETCH", (unsigned long long)(rows - stream->rows_before));
        tag = (Str){text, (size_t)len};
    }
    pgwire_write_command_complete(pg__out(c), tag);
}

static void complete(PgConnection *c, StreamResult result) {
    PgPortal *portal = c->executing;
    c->executing = NULL;
    c->activity = PG_ACTIVITY_NONE;
    pg__write_notices(c);
    if (result == STREAM_SUSPENDED) {
        pgwire_write_portal_suspended(pg__out(c));
    } else if (statement_kind(portal->stream.statement) == STATEMENT_EMPTY) {
        pgwire_write_empty_query(pg__out(c));
    } else {
        write_tag(c, &portal->stream);
    }
}

PgMove pg__execute_run(PgConnection *c, NetWait *wait_out) {
    PgPortal *portal = c->executing;
    StreamResult result = STREAM_DONE;
    Error err;
    error_clear(&err);
    bool copy = pg__is_copy(portal->stream.statement) && !portal->stream.done;
    ErrorCode code = copy ? pg__copy_begin(c, portal->stream.statement, &err) : pg__stream_run(c, &portal->stream, &result, &err);
    if (code == ERR_OK && copy) {
        return PG_MOVE_ON;
    }
    if (code != ERR_OK) {
        Str text = arena_str(&c->arena, statement_text(portal->stream.statement));
        c->executing = NULL;
        c->activity = PG_ACTIVITY_NONE;
        pg__extended_failed(c, &err, text);
        return PG_MOVE_ON;
    }
    if (result == STREAM_WAIT_OUTPUT) {
        *wait_out = (NetWait){.kind = NET_WAIT_OUTPUT};
        return PG_MOVE_WAIT;
    }
    complete(c, result);
    return PG_MOVE_ON;
}

/* ---- errors, Sync ---- */

void pg__extended_failed(PgConnection *c, const Error *err, Str text) {
    session_note_failure(c->session);
    pg__write_notices(c);
    pg__write_error(c, err, text);
    c->skip_to_sync = true;
}

void pg__sync(PgConnection *c) {
    Error err;
    error_clear(&err);
    if (session_implicit_end(c->session, !c->skip_to_sync, &err) != ERR_OK) {
        pg__write_error(c, &err, (Str){0});
    }
    c->skip_to_sync = false;
    pg__portals_sweep(c);
    pg__write_ready(c);
}

void pg__extended(PgConnection *c, const PgMessage *message) {
    Error err;
    Str text = {0};
    ErrorCode code;
    error_clear(&err);
    switch (message->type) {
    case PG_PARSE: code = run_parse(c, message->body, &text, &err); break;
    case PG_BIND: code = run_bind(c, message->body, &text, &err); break;
    case PG_DESCRIBE: code = run_describe(c, message->body, &err); break;
    case PG_CLOSE: code = run_close(c, message->body, &err); break;
    default:
        assert(message->type == PG_EXECUTE);
        code = run_execute(c, message->body, &err);
        break;
    }
    if (code != ERR_OK) {
        pg__extended_failed(c, &err, text);
    }
}
