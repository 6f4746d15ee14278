/* SPDX-License-Identifier: Apache-2.0
 * statement.c - one statement from text to its last batch.
 *
 * States: READY -> RUNNING -> DONE, or BROKEN after an error. Outside a block the statement owns a transaction from prepare on; it
 *         commits at the end and is rolled back by an error or by closing early.
 * Why:    binding and running in one transaction means that both see the same catalog and rows. */
#include "session/session_internal.h"
#include <stdio.h>

static Statement *take_statement(Session *session) {
    Statement *statement = session->spare;
    session->spare = NULL;
    if (statement == NULL) {
        statement = mem_calloc(1, sizeof *statement);
        arena_init(&statement->arena, STATEMENT_ARENA_BYTES_MAX);
        arena_init(&statement->plan_arena, STATEMENT_ARENA_BYTES_MAX);
        arena_init(&statement->batch_arena, STATEMENT_ARENA_BYTES_MAX);
    }
    statement->session = session;
    return statement;
}

static void give_back(Statement *statement) {
    Session *session = statement->session;
    Arena arena = statement->arena, plan_arena = statement->plan_arena, batch_arena = statement->batch_arena;
    arena_reset(&arena);
    arena_reset(&plan_arena);
    arena_reset(&batch_arena);
    *statement = (Statement){.arena = arena, .plan_arena = plan_arena, .batch_arena = batch_arena};
    if (session->spare == NULL) {
        session->spare = statement;
        return;
    }
    arena_deinit(&arena);
    arena_deinit(&plan_arena);
    arena_deinit(&batch_arena);
    mem_free(statement);
}

static int64_t read_clock(void *clock) { return ((Clock *)clock)->wall_micros(clock); }

static void make_environment(Statement *statement) {
    Session *session = statement->session;
    Clock *clock = engine_os(session->engine)->clock;
    statement->environment = (FunctionEnvironment){
        .now_micros = session->in_block ? session->block_micros : session__wall_micros(session),
        .clock_micros = read_clock,
        .clock = clock,
        .zone = session->zone,
        .zone_load = os_zone_load,
        .random = &session->random,
        .user_name = session->options.user_name,
        .database_name = STR("basalt"),
        .schema_name = STR("public"),
        .version_text = STR("PostgreSQL 15.0 (Basalt " BASALT_VERSION ")"),
        .questdb = session->dialect == DIALECT_QUESTDB,
    };
}

static ErrorCode begin_own(Statement *statement, Error *err) {
    Session *session = statement->session;
    if (session->in_block) {
        txn_statement_begin(session->txn);
        return ERR_OK;
    }
    return session__engine_begin(session, false, &statement->own_txn, err);
}

static void end_own(Statement *statement) {
    if (statement->own_txn != NULL) {
        txn_rollback(statement->own_txn);
        statement->own_txn = NULL;
    }
}

static bool allowed_in_failed(StatementKind kind) {
    return kind == STATEMENT_ROLLBACK || kind == STATEMENT_COMMIT || kind == STATEMENT_ROLLBACK_TO || kind == STATEMENT_EMPTY;
}

static ErrorCode check_allowed(const Statement *statement, Error *err) {
    const Session *session = statement->session;
    if (session->failed && !allowed_in_failed(statement->bound->kind)) {
        return error_set(err, ERR_FAILED_TRANSACTION, ERROR_NO_POSITION,
                         "current transaction is aborted, commands ignored until end of transaction block");
    }
    return ERR_OK;
}

static ErrorCode bind_text(Statement *statement, size_t *used_out, Error *err) {
    AstStatement *tree;
    TRY(sql_parse(statement->text, 0, statement->session->dialect, &statement->arena, &tree, used_out, err));
    if (tree == NULL) {
        statement->bound = arena_new(&statement->arena, BoundStatement);
        statement->bound->kind = STATEMENT_EMPTY;
        statement->bound->timestamp_index = -1;
        return ERR_OK;
    }
    TRY(begin_own(statement, err));
    make_environment(statement);
    Txn *txn = statement__txn(statement);
    system_view_init(&statement->system, &statement->arena, txn_catalog(txn), txn_storage(txn), &statement->environment);
    statement->environment.names = &statement->system.names;
    statement->environment.system = &statement->system.calls;
    BindContext context = {.catalog = &statement->system.base, .environment = &statement->environment, .text = statement->text,
                           .dialect = statement->session->dialect, .param_types = statement->declared, .param_count = statement->declared_count};
    TRY(bind_statement(tree, &context, &statement->arena, &statement->bound, err));
    if (statement->arena.over_limit) {
        return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "the statement needs more than %d bytes to be planned", STATEMENT_ARENA_BYTES_MAX);
    }
    return check_allowed(statement, err);
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

static void note_running(Session *session, Str text, bool active) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    session->running = text;
    session->active = active;
    session->started_micros = session__wall_micros(session);
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}

ErrorCode statement_prepare(Session *session, Str sql, const Type *param_types, uint32_t param_count, Statement **statement_out, size_t *used_out,
                            Error *err) {
    int64_t start = session__nanos(session);
    atomic_store(&session->control.cancel, 0); /* from here on: a cancel between prepare and the first step counts */
    Statement *statement = take_statement(session);
    statement->text = arena_str(&statement->arena, sql);
    statement->declared_count = param_count;
    statement->declared = arena_array(&statement->arena, Type, param_count);
    if (param_count > 0) {
        memcpy(statement->declared, param_types, param_count * sizeof *param_types);
    }
    size_t used = sql.len;
    ErrorCode code = bind_text(statement, &used, err);
    *used_out = used;
    if (code != ERR_OK) {
        session__block_failed(session);
        end_own(statement);
        give_back(statement);
        return code;
    }
    make_params(statement);
    statement->times.compile_nanos = session__nanos(session) - start;
    *statement_out = statement;
    return ERR_OK;
}

/* ---- running ---- */

static ErrorCode commit_own(Statement *statement, Error *err) {
    Txn *txn = statement->own_txn;
    statement->own_txn = NULL;
    if (txn == NULL) {
        return ERR_OK;
    }
    if (!txn_has_writes(txn)) {
        txn_rollback(txn);
        return ERR_OK;
    }
    Lsn lsn;
    return txn_commit(txn, &lsn, err);
}

static ErrorCode run_setting(Statement *statement, Error *err) {
    const BoundStatement *bound = statement->bound;
    snprintf(statement->tag, sizeof statement->tag, "%s", bound->kind == STATEMENT_SET ? "SET" : "RESET");
    return session__setting_set(statement->session, bound->name, bound->text, bound->kind == STATEMENT_RESET || bound->is_default, bound->local, err);
}

static ErrorCode run_maintenance(Statement *statement, Error *err) {
    bool is_vacuum = statement->bound->kind == STATEMENT_VACUUM;
    if (statement->session->in_block) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "%s cannot run inside a transaction block", is_vacuum ? "VACUUM" : "CHECKPOINT");
    }
    end_own(statement);
    snprintf(statement->tag, sizeof statement->tag, "%s", is_vacuum ? "VACUUM" : "CHECKPOINT");
    if (is_vacuum) {
        TRY(engine_run_jobs(statement->session->engine, err));
    }
    return engine_checkpoint(statement->session->engine, err);
}

/* An error undoes what this statement did; in a block the block is failed, but what came before it stays until ROLLBACK. */
static ErrorCode run_writer(Statement *statement, ErrorCode (*run)(Statement *, Error *), Error *err) {
    if (statement->session->read_only) {
        return error_set(err, ERR_READ_ONLY, ERROR_NO_POSITION, "cannot execute this statement in a read-only session");
    }
    Txn *txn = statement__txn(statement);
    TxnMark mark = txn_mark(txn);
    ErrorCode code = run(statement, err);
    if (code != ERR_OK) {
        txn_rollback_to(txn, mark);
    }
    return code;
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
    case STATEMENT_SET:
    case STATEMENT_RESET: return run_setting(statement, err);
    case STATEMENT_CHECKPOINT:
    case STATEMENT_VACUUM: return run_maintenance(statement, err);
    case STATEMENT_BEGIN:
    case STATEMENT_COMMIT:
    case STATEMENT_ROLLBACK:
    case STATEMENT_SAVEPOINT:
    case STATEMENT_RELEASE:
    case STATEMENT_ROLLBACK_TO:
        end_own(statement);
        return session__control(statement, err);
    default: return run_writer(statement, statement__run_ddl, err);
    }
}

static ErrorCode check_params(const Statement *statement, Error *err) {
    for (uint32_t i = 0; i < statement->bound->param_count; i++) {
        if (!statement->params_set[i]) {
            return error_set(err, ERR_UNDEFINED_PARAMETER, ERROR_NO_POSITION, "there is no value for parameter $%u", i + 1);
        }
    }
    return ERR_OK;
}

static ErrorCode start_running(Statement *statement, Error *err) {
    Session *session = statement->session;
    TRY(check_params(statement, err));
    note_running(session, statement->text, true);
    session->control.deadline_nanos = session->timeout_ms > 0 ? session__nanos(session) + session->timeout_ms * 1000000 : 0;
    statement->state = STATEMENT_RUNNING;
    return start(statement, err);
}

static ErrorCode next_rows(Statement *statement, Batch **batch_out, Error *err) {
    if (statement->rows.lines != NULL) {
        statement__next_text(statement, batch_out);
        return ERR_OK;
    }
    return statement->run != NULL ? statement__next_batch(statement, batch_out, err) : ERR_OK;
}

static ErrorCode finish(Statement *statement, Error *err) {
    statement->state = STATEMENT_DONE;
    run_close(statement->run);
    statement->run = NULL;
    note_running(statement->session, (Str){0}, false);
    return commit_own(statement, err);
}

static ErrorCode step(Statement *statement, Batch **batch_out, Error *err) {
    if (statement->state == STATEMENT_READY) {
        TRY(start_running(statement, err));
    }
    TRY(next_rows(statement, batch_out, err));
    return *batch_out == NULL ? finish(statement, err) : ERR_OK;
}

ErrorCode statement_step(Statement *statement, Batch **batch_out, Error *err) {
    *batch_out = NULL;
    if (statement->state == STATEMENT_DONE) {
        return ERR_OK;
    }
    if (statement->state == STATEMENT_BROKEN) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "the statement has failed; reset it first");
    }
    int64_t from = session__nanos(statement->session);
    ErrorCode code = step(statement, batch_out, err);
    statement->times.execute_nanos += session__nanos(statement->session) - from;
    if (code != ERR_OK) {
        statement->state = STATEMENT_BROKEN;
        run_close(statement->run);
        statement->run = NULL;
        end_own(statement);
        session__block_failed(statement->session);
        note_running(statement->session, (Str){0}, false);
    }
    return code;
}

ErrorCode statement_reset(Statement *statement, Error *err) {
    atomic_store(&statement->session->control.cancel, 0);
    run_close(statement->run);
    end_own(statement);
    Value *params = statement->params;
    bool *params_set = statement->params_set;
    uint32_t count = statement->bound->param_count;
    arena_reset(&statement->plan_arena);
    statement->run = NULL;
    statement->plan = NULL;
    statement->rows = (TextRows){0};
    statement->affected = 0;
    statement->state = STATEMENT_BROKEN; /* until it is bound again */
    size_t used;
    TRY(bind_text(statement, &used, err));
    if (statement->bound->param_count != count) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "the statement's parameters changed");
    }
    statement->params = params;
    statement->params_set = params_set;
    statement->state = STATEMENT_READY;
    return ERR_OK;
}

void statement_close(Statement *statement) {
    if (statement == NULL) {
        return;
    }
    run_close(statement->run);
    end_own(statement);
    if (statement->state == STATEMENT_RUNNING) {
        note_running(statement->session, (Str){0}, false);
    }
    give_back(statement);
}
