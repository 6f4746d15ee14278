/* SPDX-License-Identifier: Apache-2.0
 * session_txn.c - explicit transaction blocks: BEGIN to COMMIT or ROLLBACK, savepoints, the failed state (25P02).
 *
 * States: none -> block -> none; block -> failed (an error inside) -> block by ROLLBACK TO, or none by COMMIT / ROLLBACK. */
#include "session/session_internal.h"
#include <stdio.h>

ErrorCode session__engine_begin(Session *session, bool read_only, Txn **txn_out, Error *err) {
    TxnOptions options = {.isolation = session->isolation, .read_only = read_only || session->read_only, .durability = session->durability};
    return engine_begin(session->engine, &options, txn_out, err);
}

static ErrorCode session__begin_block(Session *session, const BoundStatement *bound, Error *err) {
    assert(!session->in_block);
    uint8_t isolation = session->isolation;
    if (bound != NULL && bound->has_isolation) {
        session->isolation = bound->isolation;
    }
    ErrorCode code = session__engine_begin(session, bound != NULL && bound->has_read_only && bound->read_only, &session->txn, err);
    session->isolation = isolation;
    session->in_block = code == ERR_OK;
    session->failed = false;
    session->block_micros = session__wall_micros(session);
    return code;
}

static void end_block(Session *session, bool committed) {
    session->txn = NULL;
    session->in_block = session->failed = false;
    session->savepoint_count = 0;
    arena_reset(&session->savepoint_names);
    session__settings_end(session, committed);
}

void session__block_failed(Session *session) {
    if (session->in_block) {
        session->failed = true;
    }
}

ErrorCode session_begin(Session *session, Error *err) {
    if (session->in_block) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "there is already a transaction in progress");
    }
    return session__begin_block(session, NULL, err);
}

ErrorCode session_commit(Session *session, Error *err) {
    if (!session->in_block) {
        return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "there is no transaction in progress");
    }
    if (session->failed) {
        session_rollback(session);
        return error_set(err, ERR_FAILED_TRANSACTION, ERROR_NO_POSITION, "the transaction had failed and was rolled back");
    }
    Lsn lsn;
    ErrorCode code = txn_commit(session->txn, &lsn, err);
    end_block(session, code == ERR_OK);
    return code;
}

void session_rollback(Session *session) {
    if (session->in_block) {
        txn_rollback(session->txn);
        end_block(session, false);
    }
}

static void set_tag(Statement *statement, const char *tag) { snprintf(statement->tag, sizeof statement->tag, "%s", tag); }

static ErrorCode run_begin(Statement *statement, Error *err) {
    set_tag(statement, "BEGIN");
    if (statement->session->in_block) {
        return ERR_OK; /* PostgreSQL: a warning only */
    }
    return session__begin_block(statement->session, statement->bound, err);
}

static ErrorCode run_commit(Statement *statement, Error *err) {
    Session *session = statement->session;
    set_tag(statement, session->failed ? "ROLLBACK" : "COMMIT");
    if (!session->in_block) {
        return ERR_OK;
    }
    if (session->failed) {
        session_rollback(session);
        return ERR_OK;
    }
    return session_commit(session, err);
}

static ErrorCode need_block(const Session *session, const char *what, Error *err) {
    if (session->in_block) {
        return ERR_OK;
    }
    return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "%s can only be used in transaction blocks", what);
}

static ErrorCode run_savepoint(Statement *statement, Error *err) {
    Session *session = statement->session;
    TRY(need_block(session, "SAVEPOINT", err));
    if (session->savepoint_count == SAVEPOINTS_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "more than %d savepoints", SAVEPOINTS_MAX);
    }
    if (session->savepoint_count == session->savepoint_capacity) {
        session->savepoint_capacity = session->savepoint_capacity == 0 ? 8 : session->savepoint_capacity * 2;
        session->savepoints = mem_realloc(session->savepoints, session->savepoint_capacity * sizeof *session->savepoints);
    }
    session->savepoints[session->savepoint_count++] =
        (Savepoint){arena_str(&session->savepoint_names, statement->bound->name), txn_mark(session->txn)};
    set_tag(statement, "SAVEPOINT");
    return ERR_OK;
}

static ErrorCode find_savepoint(const Session *session, Str name, uint32_t *index_out, Error *err) {
    for (uint32_t i = session->savepoint_count; i > 0; i--) {
        if (str_equal(session->savepoints[i - 1].name, name)) {
            *index_out = i - 1;
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INVALID_SAVEPOINT, ERROR_NO_POSITION, "savepoint \"%.*s\" does not exist", STR_ARG(name));
}

static ErrorCode run_release(Statement *statement, Error *err) {
    Session *session = statement->session;
    uint32_t index;
    TRY(need_block(session, "RELEASE SAVEPOINT", err));
    TRY(find_savepoint(session, statement->bound->name, &index, err));
    session->savepoint_count = index;
    set_tag(statement, "RELEASE");
    return ERR_OK;
}

static ErrorCode run_rollback_to(Statement *statement, Error *err) {
    Session *session = statement->session;
    uint32_t index;
    TRY(need_block(session, "ROLLBACK TO SAVEPOINT", err));
    TRY(find_savepoint(session, statement->bound->name, &index, err));
    txn_rollback_to(session->txn, session->savepoints[index].mark);
    session->savepoint_count = index + 1; /* the savepoint itself stays */
    session->failed = false;
    set_tag(statement, "ROLLBACK");
    return ERR_OK;
}

ErrorCode session__control(Statement *statement, Error *err) {
    switch (statement->bound->kind) {
    case STATEMENT_BEGIN: return run_begin(statement, err);
    case STATEMENT_COMMIT: return run_commit(statement, err);
    case STATEMENT_SAVEPOINT: return run_savepoint(statement, err);
    case STATEMENT_RELEASE: return run_release(statement, err);
    case STATEMENT_ROLLBACK_TO: return run_rollback_to(statement, err);
    default:
        assert(statement->bound->kind == STATEMENT_ROLLBACK);
        session_rollback(statement->session);
        set_tag(statement, "ROLLBACK");
        return ERR_OK;
    }
}
