/* SPDX-License-Identifier: Apache-2.0
 * pg_query.c - the simple protocol: a string of statements, each answered in turn, ReadyForQuery once at the end.
 *
 * Why:        the whole string is parsed before its first statement runs, so a syntax error runs nothing. Several statements are one
 *             implicit transaction; a statement alone is its own.
 * States:     begin -> run (may stop at a slow client, or wait for COPY data) -> end. */
#include "server/pg_internal.h"
#include "sql/parse/parse.h"

static Str text_of(const PgConnection *c) { return buffer_str(&c->query.text); }

/* Errors of a statement carry offsets in its own text. */
static void write_error(PgConnection *c, const Error *err) {
    Error shifted = *err;
    if (shifted.position >= 0) {
        shifted.position += (int64_t)c->query.statement_at;
    }
    pg__write_notices(c);
    pg__write_error(c, &shifted, text_of(c));
}

static ErrorCode check_syntax(PgConnection *c, uint32_t *count_out, Error *err) {
    enum { SYNTAX_ARENA_BYTES_MAX = 1 << 30 };
    Str text = text_of(c);
    Arena arena;
    ErrorCode code = ERR_OK;
    arena_init(&arena, SYNTAX_ARENA_BYTES_MAX);
    *count_out = 0;
    for (size_t at = 0; at < text.len && code == ERR_OK;) {
        AstStatement *tree = NULL;
        arena_reset(&arena);
        code = sql_parse(text, at, session_dialect(c->session), &arena, &tree, &at, err);
        *count_out += tree != NULL;
    }
    arena_deinit(&arena);
    return code;
}

/* A string without a semicolon but at its end is one statement: preparing it parses it all. */
static bool may_be_several(Str text) {
    text = str_trim(text);
    return text.len > 1 && str_find_char(str_slice(text, 0, text.len - 1), ';', 0) >= 0;
}

static ErrorCode begin(PgConnection *c, Bytes body, Error *err) {
    PgQuery query;
    uint32_t count = 1;
    TRY(pgwire_read_query(body, &query, err));
    buffer_append_str(&c->query.text, query.text);
    TRY(buffer_check(&c->query.text, err));
    if (may_be_several(query.text)) {
        TRY(check_syntax(c, &count, err));
    }
    c->query.several = count > 1;
    return ERR_OK;
}

static void query_end(PgConnection *c) {
    pg__stream_close(&c->query.stream);
    buffer_deinit(&c->query.text);
    c->activity = PG_ACTIVITY_NONE;
}

/* The string is over: what it did stays or goes. */
static void finish(PgConnection *c, bool failed) {
    Error err;
    error_clear(&err);
    pg__stream_close(&c->query.stream);
    if (session_implicit_end(c->session, !failed, &err) != ERR_OK) {
        pg__write_error(c, &err, (Str){0});
    } else if (!failed && !c->query.any) {
        pgwire_write_empty_query(pg__out(c));
    }
    query_end(c);
    pg__portals_sweep(c);
    pg__write_ready(c);
}

void pg__query_begin(PgConnection *c, Bytes body) {
    Error err;
    error_clear(&err);
    session_round_begin(c->session);
    (void)session_prepared_drop(c->session, STR(""));
    PgPortal *unnamed = pg__portal_find(c, STR(""));
    if (unnamed != NULL) {
        pg__portal_drop(c, unnamed);
    }
    buffer_init(&c->query.text, PG_MESSAGE_BYTES_MAX);
    c->query.at = c->query.statement_at = 0;
    c->query.any = c->query.several = false;
    c->activity = PG_ACTIVITY_QUERY;
    if (begin(c, body, &err) != ERR_OK) {
        session_note_failure(c->session);
        write_error(c, &err);
        finish(c, true);
    }
}

static ErrorCode open_next(PgConnection *c, Error *err) {
    PgQueryRun *query = &c->query;
    Str rest = str_slice(text_of(c), query->at, query->text.len);
    Statement *statement = NULL;
    size_t used = rest.len;
    query->statement_at = query->at;
    if (query->several) {
        TRY(session_implicit_begin(c->session, err));
    }
    TRY(statement_prepare(c->session, rest, NULL, 0, &statement, &used, err));
    query->at += used;
    pg__stream_open(&query->stream, statement, NULL);
    if (statement_param_count(statement) > 0) {
        return error_set(err, ERR_UNDEFINED_PARAMETER, ERROR_NO_POSITION, "there is no parameter $1");
    }
    uint32_t count = statement_column_count(statement);
    if (count > 0) {
        pg__write_row_description(c, statement_columns(statement), count, NULL);
    }
    return ERR_OK;
}

static void close_one(PgConnection *c) {
    PgStream *stream = &c->query.stream;
    if (statement_kind(stream->statement) != STATEMENT_EMPTY) {
        c->query.any = true;
        pg__write_notices(c);
        pgwire_write_command_complete(pg__out(c), statement_tag(stream->statement));
    }
    pg__stream_close(stream);
}

static ErrorCode run(PgConnection *c, StreamResult *result_out, Error *err) {
    PgQueryRun *query = &c->query;
    *result_out = STREAM_DONE;
    while (query->stream.statement != NULL || query->at < query->text.len) {
        if (query->stream.statement == NULL) {
            TRY(open_next(c, err));
        }
        if (pg__is_copy(query->stream.statement) && !query->stream.done) {
            return pg__copy_begin(c, query->stream.statement, err);
        }
        TRY(pg__stream_run(c, &query->stream, result_out, err));
        if (*result_out == STREAM_WAIT_OUTPUT) {
            return ERR_OK;
        }
        close_one(c);
    }
    return ERR_OK;
}

void pg__query_failed(PgConnection *c, const Error *err) {
    write_error(c, err);
    finish(c, true);
}

PgMove pg__query_run(PgConnection *c, NetWait *wait_out) {
    StreamResult result;
    Error err;
    error_clear(&err);
    if (run(c, &result, &err) != ERR_OK) {
        write_error(c, &err);
        finish(c, true);
        return PG_MOVE_ON;
    }
    if (result == STREAM_WAIT_OUTPUT) {
        *wait_out = (NetWait){.kind = NET_WAIT_OUTPUT};
        return PG_MOVE_WAIT;
    }
    if (c->activity != PG_ACTIVITY_QUERY) {
        return PG_MOVE_ON; /* COPY */
    }
    finish(c, false);
    return PG_MOVE_ON;
}
