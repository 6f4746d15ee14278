/* SPDX-License-Identifier: Apache-2.0
 * statement.c - one run of a statement, from its compiled form to its last batch.
 *
 * States: READY -> RUNNING -> DONE, or BROKEN after an error, or GONE when its block ended under it. Outside a block the statement owns
 *         a transaction from prepare on; it commits at the end and is rolled back by an error or by closing early.
 * Why:    binding and running in one transaction means that both see the same catalog and rows. */
#include "session/session_internal.h"

/* ---- memory ---- */

/* Takes the reference. */
static Statement *create_statement(Session *session, Compiled *compiled) {
    Statement *statement = session__take_spare(session);
    if (statement == NULL) {
        statement = mem_calloc(1, sizeof *statement);
        arena_init(&statement->arena, STATEMENT_ARENA_BYTES_MAX);
        arena_init(&statement->batch_arena, STATEMENT_ARENA_BYTES_MAX);
    }
    statement->session = session;
    statement->compiled = compiled;
    return statement;
}

static void delist(Statement *statement) {
    if (!statement->listed) {
        return;
    }
    if (statement->running_previous != NULL) {
        statement->running_previous->running_next = statement->running_next;
    } else {
        statement->session->running_first = statement->running_next;
    }
    if (statement->running_next != NULL) {
        statement->running_next->running_previous = statement->running_previous;
    }
    statement->listed = false;
    if (statement->session->running_first == NULL && statement->session->in_block) {
        txn_hold_snapshot(statement->session->txn, false);
    }
}

static void enlist(Statement *statement) {
    Session *session = statement->session;
    if (!session->in_block || statement->listed) {
        return;
    }
    statement->running_previous = NULL;
    statement->running_next = session->running_first;
    if (session->running_first != NULL) {
        session->running_first->running_previous = statement;
    }
    session->running_first = statement;
    statement->savepoint_count = session->savepoint_count;
    statement->listed = true;
    txn_hold_snapshot(session->txn, true);
}

static void end_run(Statement *statement) {
    run_close(statement->run);
    dml_rows_close(statement->returned);
    statement->returned = NULL;
    statement->run = NULL;
    delist(statement);
}

void statement__abandon_all(Session *session, uint32_t savepoint_count) {
    Statement *statement = session->running_first;
    while (statement != NULL) {
        Statement *next = statement->running_next;
        if (statement->savepoint_count >= savepoint_count) {
            end_run(statement);
            statement->state = STATEMENT_GONE;
        }
        statement = next;
    }
}

static void give_back(Statement *statement) {
    enum { SPARE_BYTES_MAX = 1 << 20 };
    Session *session = statement->session;
    compiled__release(statement->compiled);
    Arena arena = statement->arena, batch_arena = statement->batch_arena;
    if (session->spare != NULL || arena.used_bytes + batch_arena.used_bytes > SPARE_BYTES_MAX) {
        arena_deinit(&arena);
        arena_deinit(&batch_arena);
        mem_free(statement);
        return;
    }
    session->spare_bytes = arena.used_bytes + batch_arena.used_bytes;
    arena_reset(&arena);
    arena_reset(&batch_arena);
    *statement = (Statement){.arena = arena, .batch_arena = batch_arena};
    session->spare = statement;
}

/* ---- transaction ---- */

static bool uses_data(const Compiled *compiled) {
    switch (compiled->bound->kind) {
    case STATEMENT_EXECUTE:
    case STATEMENT_FETCH:
    case STATEMENT_MOVE:
    case STATEMENT_DECLARE_CURSOR:
    case STATEMENT_LOCK:
    case STATEMENT_DISCARD:
    case STATEMENT_ANALYZE:
    case STATEMENT_REINDEX:
    case STATEMENT_SET_CONSTRAINTS:
    case STATEMENT_COPY_IN:
    case STATEMENT_COPY_OUT: return true;
    default: return compiled->needs_catalog;
    }
}

static ErrorCode begin_statement(Statement *statement, Error *err) {
    Session *session = statement->session;
    if (!uses_data(statement->compiled)) {
        return ERR_OK;
    }
    if (session->in_block) {
        session->block_used = true;
        statement->begun = ++session->statement_number;
        txn_statement_begin(session->txn);
        session__path_use(session, session->txn);
        return ERR_OK;
    }
    if (statement->own_txn == NULL) {
        TRY(session__engine_begin(session, session__read_only(session), &statement->own_txn, err));
        session__path_use(session, statement->own_txn);
    }
    return ERR_OK;
}

static void end_own(Statement *statement) {
    if (statement->own_txn != NULL) {
        txn_rollback(statement->own_txn);
        statement->own_txn = NULL;
        session__advisory_end_transaction(statement->session);
    }
}

static void take_compiled(Statement *statement) {
    statement->text = statement->compiled->text;
    statement->bound = statement->compiled->bound;
    statement->plan = statement->compiled->plan;
}

static void make_params(Statement *statement) {
    uint32_t count = statement->bound->param_count;
    statement->params = arena_array(&statement->arena, Value, count);
    statement->params_set = arena_array(&statement->arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        statement->params[i].type = statement->bound->param_types[i];
        statement->params[i].is_null = true;
    }
}

/* What the run looks names and relations up in. */
static void look_through(Statement *statement) {
    Txn *txn = statement__txn(statement);
    session__environment(statement->session, &statement->environment);
    statement->environment.sequence = statement__sequence;
    statement->environment.sequence_context = statement;
    if (txn == NULL) {
        return;
    }
    if (statement->system.arena == NULL) {
        system_view_init(&statement->system, &statement->arena, txn_catalog(txn), txn_storage(txn), &statement->environment,
                         statement->session->hub->sched, &statement->session->system_lock);
    } else {
        system_view_attach(&statement->system, txn_catalog(txn), txn_storage(txn), &statement->environment);
    }
    statement->environment.names = &statement->system.names;
    statement->environment.system = &statement->system.calls;
}

/* ---- preparing ---- */

static ErrorCode open_statement(Statement *statement, bool bind, Error *err) {
    TRY(begin_statement(statement, err));
    if (bind) {
        TRY(compiled__bind(statement->compiled, statement__txn(statement), err));
    } else {
        TRY(compiled__refresh(&statement->compiled, statement__txn(statement), err));
    }
    take_compiled(statement);
    make_params(statement);
    look_through(statement);
    return ERR_OK;
}

static ErrorCode finish_open(Statement *statement, ErrorCode code, int64_t start, Statement **statement_out) {
    if (code != ERR_OK) {
        session_note_failure(statement->session);
        end_own(statement);
        give_back(statement);
        return code;
    }
    statement->times.compile_nanos = session__nanos(statement->session) - start;
    *statement_out = statement;
    return ERR_OK;
}

static void set_deadline(Session *session) {
    session->control.deadline_nanos = session->timeout_ms > 0 ? session__nanos(session) + session->timeout_ms * 1000000 : 0;
}

void session_round_begin(Session *session) {
    atomic_store(&session->control.cancel, 0);
    set_deadline(session); /* for portals that go on */
}

ErrorCode statement_prepare(Session *session, Str sql, const Type *param_types, uint32_t param_count, Statement **statement_out, size_t *used_out,
                            Error *err) {
    int64_t start = session__nanos(session);
    Compiled *compiled = NULL;
    Statement *statement = NULL;
    if (!session->implicit) {
        session_round_begin(session); /* from here on: a cancel between prepare and the first step counts */
    }
    *used_out = sql.len;
    ErrorCode code = compiled__create(session, sql, param_types, param_count, &compiled, used_out, err);
    if (code != ERR_OK) {
        session_note_failure(session);
        return code;
    }
    statement = create_statement(session, compiled);
    return finish_open(statement, open_statement(statement, true, err), start, statement_out);
}

ErrorCode prepared_open(Prepared *prepared, Statement **statement_out, Error *err) {
    Session *session = prepared->compiled->session;
    int64_t start = session__nanos(session);
    Statement *statement = NULL;
    ErrorCode code = compiled__check_allowed(prepared->compiled, err);
    if (code != ERR_OK) {
        session_note_failure(session);
        return code;
    }
    prepared->compiled->references++;
    statement = create_statement(session, prepared->compiled);
    code = open_statement(statement, false, err);
    if (code == ERR_OK && statement->compiled != prepared->compiled) { /* bound anew: the next run shall have it too */
        compiled__release(prepared->compiled);
        prepared->compiled = statement->compiled;
        prepared->compiled->references++;
    }
    return finish_open(statement, code, start, statement_out);
}

/* ---- running ---- */

static ErrorCode commit_own(Statement *statement, Error *err) {
    Txn *txn = statement->own_txn;
    statement->own_txn = NULL;
    if (txn == NULL) {
        return ERR_OK;
    }
    session__advisory_end_transaction(statement->session);
    if (!txn_has_writes(txn)) {
        txn_rollback(txn);
        return ERR_OK;
    }
    ErrorCode code = session__temp_commit(statement->session, txn, err);
    if (code != ERR_OK) {
        txn_rollback(txn);
        return code;
    }
    Lsn lsn;
    return txn_commit(txn, &lsn, err);
}

static const char *verb_of(StatementKind kind) {
    switch (kind) {
    case STATEMENT_INSERT: return "INSERT";
    case STATEMENT_UPDATE: return "UPDATE";
    case STATEMENT_DELETE: return "DELETE";
    case STATEMENT_CREATE_TABLE: return "CREATE TABLE";
    case STATEMENT_CREATE_TABLE_AS: return "CREATE TABLE AS";
    case STATEMENT_TRUNCATE: return "TRUNCATE TABLE";
    case STATEMENT_ALTER_TABLE: return "ALTER TABLE";
    case STATEMENT_COPY_IN: return "COPY FROM";
    default: return "this statement";
    }
}

ErrorCode statement__check_writable(const Statement *statement, Error *err) {
    const Session *session = statement->session;
    if (session->options.read_only) {
        return error_set(err, ERR_READ_ONLY, ERROR_NO_POSITION, "cannot execute this statement in a read-only session");
    }
    if (session__read_only(session)) {
        return error_set(err, ERR_READ_ONLY, ERROR_NO_POSITION, "cannot execute %s in a read-only transaction", verb_of(statement_kind(statement)));
    }
    return ERR_OK;
}

/* VACUUM and CHECKPOINT work on their own: alone in their round of messages an implicit block gives way. */
static ErrorCode run_maintenance(Statement *statement, Error *err) {
    Session *session = statement->session;
    bool is_vacuum = statement->bound->kind == STATEMENT_VACUUM;
    if (session->in_block && (!session->implicit || txn_has_writes(session->txn))) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "%s cannot run inside a transaction block", is_vacuum ? "VACUUM" : "CHECKPOINT");
    }
    if (!is_vacuum && session__bind_role(session, txn_catalog(statement__txn(statement))) != 0) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to execute CHECKPOINT command");
    }
    end_own(statement);
    TRY(session_implicit_end(session, true, err));
    statement__tag(statement, is_vacuum ? "VACUUM" : "CHECKPOINT");
    if (is_vacuum) {
        TRY(engine_run_jobs(session->engine, err));
    }
    return engine_checkpoint(session->engine, err);
}

/* The catalog changed since the statement was bound: READ COMMITTED looks again, as if the statement had come later. *again_out: it is bound
 * to another state of the catalog now. */
static ErrorCode bind_to_newest(Statement *statement, Lsn bound_to, bool *again_out, Error *err) {
    Txn *txn = statement__txn(statement);
    if (txn_isolation(txn) == ISOLATION_READ_COMMITTED) {
        txn_statement_again(txn);
        *again_out = txn_catalog_lsn(txn) != bound_to;
    }
    if (*again_out) {
        TRY(compiled__refresh(&statement->compiled, txn, err));
        take_compiled(statement);
        look_through(statement);
    }
    return ERR_OK;
}

static ErrorCode write_once(Statement *statement, ErrorCode (*run)(Statement *, Error *), Error *err) {
    Session *session = statement->session;
    Txn *txn = statement__txn(statement);
    TxnMark mark = txn_mark(txn);
    ErrorCode code = run(statement, err);
    if (code != ERR_OK) {
        txn_rollback_to(txn, mark);
    } else if (txn == session->txn) {
        uint32_t savepoints = session->savepoint_count;
        txn_marks_end(txn, savepoints > 0 ? session->savepoints[savepoints - 1].mark : (TxnMark){0});
    }
    return code;
}

/* An error undoes what this statement did; in a block the block is failed, but what came before it stays until ROLLBACK. */
static ErrorCode run_writer(Statement *statement, ErrorCode (*run)(Statement *, Error *), Error *err) {
    TRY(statement__check_writable(statement, err));
    for (uint32_t tries = 1;; tries++) {
        Lsn bound_to = txn_catalog_lsn(statement__txn(statement));
        ErrorCode code = write_once(statement, run, err);
        bool again = false;
        if (code == ERR_SERIALIZATION && tries < CATALOG_TRIES_MAX) {
            TRY(bind_to_newest(statement, bound_to, &again, err));
        }
        if (!again) {
            return code;
        }
    }
}

static ErrorCode start(Statement *statement, Error *err) {
    switch (statement->bound->kind) {
    case STATEMENT_EMPTY: return ERR_OK;
    case STATEMENT_SELECT: return statement__start_query(statement, err);
    case STATEMENT_EXPLAIN: return statement__start_text(statement, err);
    case STATEMENT_SHOW: return statement->bound->rel != NULL ? statement__start_query(statement, err) : statement__start_text(statement, err);
    case STATEMENT_INSERT:
    case STATEMENT_UPDATE:
    case STATEMENT_DELETE: return run_writer(statement, statement__run_dml, err);
    case STATEMENT_CHECKPOINT:
    case STATEMENT_VACUUM: return run_maintenance(statement, err);
    case STATEMENT_BEGIN:
    case STATEMENT_COMMIT:
    case STATEMENT_ROLLBACK:
    case STATEMENT_SAVEPOINT:
    case STATEMENT_RELEASE:
    case STATEMENT_ROLLBACK_TO: return session__control(statement, err);
    default: return statement->compiled->own ? statement__run_own(statement, err) : run_writer(statement, statement__run_ddl, err);
    }
}

static ErrorCode check_params(const Statement *statement, Error *err) {
    for (uint32_t i = 0; i < statement->bound->param_count; i++) {
        if (!statement->params_set[i]) {
            return error_set(err, ERR_UNDEFINED_PARAMETER, ERROR_NO_POSITION, "there is no parameter $%u", i + 1);
        }
    }
    return ERR_OK;
}

static ErrorCode make_ready(Statement *statement, Error *err) {
    Session *session = statement->session;
    TRY(compiled__check_allowed(statement->compiled, err));
    TRY(check_params(statement, err));
    if (session->in_block && statement->begun != session->statement_number) { /* others ran since it was bound: a new look at the catalog */
        TRY(begin_statement(statement, err));
        TRY(compiled__refresh(&statement->compiled, statement__txn(statement), err));
        take_compiled(statement);
    }
    look_through(statement);
    statement->state = STATEMENT_RUNNING;
    return ERR_OK;
}

ErrorCode statement__start_copy(Statement *statement, Error *err) {
    session__note_running(statement->session, statement->text, true);
    set_deadline(statement->session);
    return make_ready(statement, err);
}

static ErrorCode next_rows(Statement *statement, Batch **batch_out, Error *err) {
    if (statement->rows.lines != NULL) {
        statement__next_text(statement, batch_out);
        return ERR_OK;
    }
    if (statement->cursor != NULL) {
        return session__fetch_next(statement, batch_out, err);
    }
    if (statement->inner != NULL) {
        return statement_step(statement->inner, batch_out, err);
    }
    if (statement->returned != NULL) {
        *batch_out = dml_rows_next(statement->returned);
        return ERR_OK;
    }
    return statement->run != NULL ? statement__next_batch(statement, batch_out, err) : ERR_OK;
}

ErrorCode statement__finish(Statement *statement, Error *err) {
    statement->state = STATEMENT_DONE;
    end_run(statement);
    if (statement->inner != NULL) {
        statement->affected = statement->inner->affected;
        memcpy(statement->tag, statement->inner->tag, sizeof statement->tag);
    }
    return commit_own(statement, err);
}

/* What a started query reads is settled: no write of its own transaction changes it from here on. */
ErrorCode statement__start(Statement *statement, Error *err) {
    TRY(make_ready(statement, err));
    TRY(start(statement, err));
    if (statement->run != NULL) {
        enlist(statement);
    }
    return ERR_OK;
}

static ErrorCode step(Statement *statement, Batch **batch_out, Error *err) {
    if (statement->state == STATEMENT_READY) {
        TRY(statement__start(statement, err));
    }
    TRY(next_rows(statement, batch_out, err));
    return *batch_out == NULL ? statement__finish(statement, err) : ERR_OK;
}

void statement__fail(Statement *statement) {
    statement->state = STATEMENT_BROKEN;
    end_run(statement);
    statement_close(statement->inner);
    statement->inner = NULL;
    statement->cursor = NULL;
    end_own(statement);
    session_note_failure(statement->session);
}

ErrorCode statement_step(Statement *statement, Batch **batch_out, Error *err) {
    Session *session = statement->session;
    *batch_out = NULL;
    if (statement->state == STATEMENT_DONE) {
        return ERR_OK;
    }
    if (statement->state >= STATEMENT_BROKEN) {
        return statement->state == STATEMENT_GONE ? error_set(err, ERR_UNDEFINED_CURSOR, ERROR_NO_POSITION, "the statement's transaction has ended")
                                                  : error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "the statement has failed; reset it first");
    }
    int64_t from = session__nanos(session);
    bool outer = session->execute_depth == 0;
    session->execute_depth++;
    if (outer) {
        if (statement->state != STATEMENT_RUNNING || session->noted != statement || !session->active) { /* not again with each batch */
            session__note_running(session, statement->text, true);
            session->noted = statement;
        }
        if (statement->state == STATEMENT_READY) {
            set_deadline(session);
        }
    }
    ErrorCode code = step(statement, batch_out, err);
    session->execute_depth--;
    statement->times.execute_nanos += session__nanos(session) - from;
    if (code != ERR_OK) {
        statement__fail(statement);
    }
    if (outer && (code != ERR_OK || *batch_out == NULL)) {
        session__note_running(session, statement->text, false);
    }
    return code;
}

ErrorCode statement_reset(Statement *statement, Error *err) {
    Session *session = statement->session;
    session_round_begin(session);
    end_run(statement);
    end_own(statement);
    statement_close(statement->inner);
    statement->inner = NULL;
    statement->cursor = NULL;
    statement->rows = (TextRows){0};
    statement->affected = 0;
    statement->state = STATEMENT_BROKEN; /* until it is bound again */
    uint32_t count = statement->bound->param_count;
    TRY(begin_statement(statement, err));
    TRY(compiled__refresh(&statement->compiled, statement__txn(statement), err));
    take_compiled(statement);
    if (statement->bound->param_count != count) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "the statement's parameters changed");
    }
    statement->state = STATEMENT_READY;
    return ERR_OK;
}

void statement_close(Statement *statement) {
    if (statement == NULL) {
        return;
    }
    end_run(statement);
    statement_close(statement->inner);
    end_own(statement);
    if (statement->state == STATEMENT_RUNNING) {
        session__note_running(statement->session, (Str){0}, false);
    }
    give_back(statement);
}
