/* SPDX-License-Identifier: Apache-2.0
 * session_txn.c - transaction blocks: explicit ones from BEGIN to COMMIT or ROLLBACK, implicit ones of a door's round of messages,
 * savepoints, the failed state (25P02).
 *
 * States: none -> block -> none; block -> failed (an error inside) -> block by ROLLBACK TO, or none by COMMIT / ROLLBACK.
 *         An implicit block is a block with `implicit` set; BEGIN clears it.
 * Tests:  test/sql/transaction.slt, test/unit/session/test_session.c */
#include "session/session_internal.h"
#include <inttypes.h>

static bool default_flag(const Session *session, SettingId id) { return str_equal(setting__value(session, id), STR("on")); }

bool session__read_only(const Session *session) {
    return session->options.read_only || (session->in_block ? session->block_read_only : default_flag(session, SETTING_DEFAULT_READ_ONLY));
}

static int64_t lock_timeout_ms(void *session) { return ((Session *)session)->lock_timeout_ms; }
static ErrorCode interrupted(void *session, Error *err) { return query_control_check(&((Session *)session)->control, err); }

ErrorCode session__engine_begin(Session *session, bool read_only, Txn **txn_out, Error *err) {
    uint8_t isolation = session->in_block ? session->block_isolation : setting__isolation(setting__value(session, SETTING_DEFAULT_ISOLATION));
    TxnOptions options = {.isolation = isolation, .read_only = read_only, .durability = session->durability, .durability_ms = session->durability_ms,
                          .interrupted = interrupted, .lock_timeout_ms = lock_timeout_ms, .interrupt_context = session};
    return engine_begin(session->engine, &options, txn_out, err);
}

static void default_modes(Session *session) {
    session->block_isolation = setting__isolation(setting__value(session, SETTING_DEFAULT_ISOLATION));
    session->block_uncommitted = str_equal(setting__value(session, SETTING_DEFAULT_ISOLATION), STR("read uncommitted"));
    session->block_read_only = default_flag(session, SETTING_DEFAULT_READ_ONLY);
    session->block_deferrable = default_flag(session, SETTING_DEFAULT_DEFERRABLE);
}

/* The modes are in block_*. */
static ErrorCode begin_block(Session *session, bool implicit, Error *err) {
    assert(!session->in_block);
    session->in_block = true;
    ErrorCode code = session__engine_begin(session, session->block_read_only || session->options.read_only, &session->txn, err);
    session->in_block = code == ERR_OK;
    session->implicit = implicit;
    session->failed = session->block_used = false;
    session->block_number++;
    session->block_micros = session__wall_micros(session);
    session->block_nanos = session__nanos(session);
    return code;
}

static void end_block(Session *session, bool committed) {
    session->txn = NULL;
    session->in_block = session->implicit = session->failed = false;
    session->block_number++;
    session->savepoint_count = 0;
    arena_reset(&session->savepoint_names);
    session__settings_end(session, committed);
    session__advisory_end_transaction(session);
}

/* ---- for doors ---- */

void session_note_failure(Session *session) {
    if (session->in_block) {
        session->failed = true;
    }
}

ErrorCode session_begin(Session *session, Error *err) {
    if (session->in_block) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "there is already a transaction in progress");
    }
    default_modes(session);
    return begin_block(session, false, err);
}

ErrorCode session_commit(Session *session, Error *err) {
    if (!session->in_block) {
        return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "there is no transaction in progress");
    }
    if (session->failed) {
        session_rollback(session);
        return error_set(err, ERR_FAILED_TRANSACTION, ERROR_NO_POSITION, "the transaction had failed and was rolled back");
    }
    ErrorCode code = session__cursors_hold(session, err);
    code = code == ERR_OK ? session__temp_commit(session, session->txn, err) : code;
    if (code != ERR_OK) {
        session_rollback(session);
        return code;
    }
    statement__abandon_all(session, 0);
    session__cursors_end(session, true);
    if (txn_has_writes(session->txn)) {
        Lsn lsn;
        code = txn_commit(session->txn, &lsn, err);
    } else {
        txn_rollback(session->txn); /* nothing to log */
    }
    end_block(session, code == ERR_OK);
    return code;
}

void session_rollback(Session *session) {
    if (session->in_block) {
        statement__abandon_all(session, 0);
        session__cursors_end(session, false);
        txn_rollback(session->txn);
        end_block(session, false);
    }
}

ErrorCode session_implicit_begin(Session *session, Error *err) {
    if (session->in_block) {
        if (session->implicit) {
            txn_set_fresh(session->txn, false);
        }
        return ERR_OK;
    }
    default_modes(session);
    TRY(begin_block(session, true, err));
    txn_set_fresh(session->txn, true); /* what opens the block looks at data right now; a message that comes later gets a new snapshot */
    return ERR_OK;
}

ErrorCode session_implicit_end(Session *session, bool commit, Error *err) {
    if (!session->in_block || !session->implicit) {
        return ERR_OK;
    }
    if (commit && !session->failed) {
        return session_commit(session, err);
    }
    session_rollback(session);
    return ERR_OK;
}

bool session_in_transaction(const Session *session) { return session->in_block && !session->implicit; }
bool session_transaction_failed(const Session *session) { return session->failed; }
uint64_t session_block_number(const Session *session) { return session->block_number; }

/* ---- modes ---- */

/* Modes of a block that no statement has used yet: the engine's transaction starts again with them. */
static ErrorCode restart(Session *session, uint8_t isolation, bool read_only, Error *err) {
    uint8_t isolation_before = session->block_isolation;
    bool read_only_before = session->block_read_only;
    Txn *txn = NULL;
    session->block_isolation = isolation;
    session->block_read_only = read_only;
    ErrorCode code = session__engine_begin(session, read_only || session->options.read_only, &txn, err);
    if (code != ERR_OK) {
        session->block_isolation = isolation_before;
        session->block_read_only = read_only_before;
        return code;
    }
    txn_rollback(session->txn);
    session->txn = txn;
    return ERR_OK;
}

static ErrorCode change_modes(Session *session, uint8_t isolation, bool read_only, Error *err) {
    if (isolation == session->block_isolation && read_only == session->block_read_only) {
        return ERR_OK;
    }
    if (!session->block_used) {
        return restart(session, isolation, read_only, err);
    }
    if (isolation != session->block_isolation) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "SET TRANSACTION ISOLATION LEVEL must be called before any query");
    }
    if (!read_only) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "transaction read-write mode must be set before any query");
    }
    session->block_read_only = true; /* a block may become stricter at any time */
    return ERR_OK;
}

ErrorCode session__transaction_mode_set(Session *session, SettingId id, Str value, Error *err) {
    if (!session->in_block) {
        return ERR_OK; /* lasts for this statement only */
    }
    session->block_uncommitted = id == SETTING_TRANSACTION_ISOLATION ? str_equal(value, STR("read uncommitted")) : session->block_uncommitted;
    return id == SETTING_TRANSACTION_ISOLATION ? change_modes(session, setting__isolation(value), session->block_read_only, err)
                                               : change_modes(session, session->block_isolation, str_equal(value, STR("on")), err);
}

static uint8_t isolation_of(const AstTransaction *ast, uint8_t otherwise) {
    switch (ast->isolation) {
    case AST_SERIALIZABLE: return ISOLATION_SERIALIZABLE;
    case AST_REPEATABLE_READ: return ISOLATION_REPEATABLE_READ;
    case AST_ISOLATION_UNSAID: return otherwise;
    default: return ISOLATION_READ_COMMITTED;
    }
}

/* READ UNCOMMITTED runs as READ COMMITTED, and is shown as it was asked for. */
static void note_level(Session *session, const AstTransaction *ast) {
    session->block_uncommitted = ast->isolation == AST_ISOLATION_UNSAID ? session->block_uncommitted : ast->isolation == AST_READ_UNCOMMITTED;
}

static bool read_only_of(const AstTransaction *ast, bool otherwise) {
    return ast->access == AST_ACCESS_UNSAID ? otherwise : ast->access == AST_READ_ONLY;
}

static ErrorCode set_characteristics(Session *session, const AstTransaction *ast, Error *err) {
    static const Str LEVELS[] = {{"", 0}, {"read uncommitted", 16}, {"read committed", 14}, {"repeatable read", 15}, {"serializable", 12}};
    if (ast->isolation != AST_ISOLATION_UNSAID) {
        TRY(session__setting_set(session, STR("default_transaction_isolation"), LEVELS[ast->isolation], false, err));
    }
    if (ast->access != AST_ACCESS_UNSAID) {
        TRY(session__setting_set(session, STR("default_transaction_read_only"), ast->access == AST_READ_ONLY ? STR("on") : STR("off"), false, err));
    }
    if (ast->deferrable != AST_DEFERRABLE_UNSAID) {
        TRY(session__setting_set(session, STR("default_transaction_deferrable"), ast->deferrable == AST_DEFERRABLE ? STR("on") : STR("off"), false, err));
    }
    return ERR_OK;
}

/* SET TRANSACTION SNAPSHOT 'id' */
static ErrorCode import_snapshot(Session *session, Str id, Error *err) {
    TxnExport snapshot = {0};
    char text[64], again[64];
    if (session->block_isolation == ISOLATION_READ_COMMITTED) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ");
    }
    if (session->block_used) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "SET TRANSACTION SNAPSHOT must be called before any query");
    }
    snprintf(text, sizeof text, "%.*s", STR_ARG(id));
    bool fine = sscanf(text, "%16" SCNx64 "-%16" SCNx64, &snapshot.number, &snapshot.lsn) == 2;
    snprintf(again, sizeof again, SNAPSHOT_ID_FORMAT, snapshot.number, snapshot.lsn);
    if (!fine || !str_equal(id, str_from_c(again))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid snapshot identifier: \"%.*s\"", STR_ARG(id));
    }
    return txn_snapshot_import(session->txn, snapshot)
               ? ERR_OK
               : error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "snapshot \"%.*s\" does not exist", STR_ARG(id));
}

ErrorCode session__set_transaction(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstTransaction *ast = statement->compiled->tree->as.transaction;
    statement__tag(statement, "SET");
    if (ast->session_characteristics) {
        return set_characteristics(session, ast, err);
    }
    if (!session_in_transaction(session)) {
        session_notice(session, NOTICE_WARNING, "25P01", "SET TRANSACTION can only be used in transaction blocks");
        return ERR_OK;
    }
    if (ast->name.text.data != NULL) {
        return import_snapshot(session, ast->name.text, err);
    }
    session->block_deferrable = ast->deferrable == AST_DEFERRABLE;
    note_level(session, ast);
    return change_modes(session, isolation_of(ast, session->block_isolation), read_only_of(ast, session->block_read_only), err);
}

/* ---- statements ---- */

void statement__tag(Statement *statement, const char *tag) {
    size_t len = MIN_OF(strlen(tag), sizeof statement->tag - 1);
    memcpy(statement->tag, tag, len);
    statement->tag[len] = '\0';
}

static ErrorCode run_begin(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstTransaction *ast = statement->compiled->tree->as.transaction;
    statement__tag(statement, ast->kind == AST_START_TRANSACTION ? "START TRANSACTION" : "BEGIN");
    if (session_in_transaction(session)) {
        session_notice(session, NOTICE_WARNING, "25001", "there is already a transaction in progress"); /* its modes count all the same */
        return change_modes(session, isolation_of(ast, session->block_isolation), read_only_of(ast, session->block_read_only), err);
    }
    bool was_implicit = session->implicit;
    if (!was_implicit) {
        default_modes(session);
    }
    session->block_deferrable = ast->deferrable == AST_DEFERRABLE;
    note_level(session, ast);
    uint8_t isolation = isolation_of(ast, session->block_isolation);
    bool read_only = read_only_of(ast, session->block_read_only);
    if (was_implicit) { /* what ran before in this round belongs to the block */
        session->implicit = false;
        return change_modes(session, isolation, read_only, err);
    }
    session->block_isolation = isolation;
    session->block_read_only = read_only;
    return begin_block(session, false, err);
}

static ErrorCode need_block(const Session *session, const char *what, Error *err) {
    if (session_in_transaction(session)) {
        return ERR_OK;
    }
    return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "%s can only be used in transaction blocks", what);
}

/* COMMIT and ROLLBACK outside of a block only warn, but for those that chain. */
static ErrorCode check_end(Session *session, const AstTransaction *ast, const char *chained, Error *err) {
    if (ast->chain) {
        return need_block(session, chained, err);
    }
    if (!session_in_transaction(session)) {
        session_notice(session, NOTICE_WARNING, "25P01", "there is no transaction in progress");
    }
    return ERR_OK;
}

/* The next block of AND CHAIN has the modes of the one that ended, but for one that had failed: the default ones. */
static ErrorCode chain(Session *session, const AstTransaction *ast, bool had_failed, Error *err) {
    if (had_failed) {
        default_modes(session);
    }
    return ast->chain ? begin_block(session, false, err) : ERR_OK;
}

static ErrorCode run_commit(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstTransaction *ast = statement->compiled->tree->as.transaction;
    statement__tag(statement, session->failed ? "ROLLBACK" : "COMMIT");
    TRY(check_end(session, ast, "COMMIT AND CHAIN", err));
    if (!session->in_block) {
        return ERR_OK;
    }
    if (session->failed) {
        session_rollback(session);
        return chain(session, ast, true, err);
    }
    TRY(session_commit(session, err));
    return chain(session, ast, false, err);
}

static ErrorCode run_rollback(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstTransaction *ast = statement->compiled->tree->as.transaction;
    statement__tag(statement, "ROLLBACK");
    TRY(check_end(session, ast, "ROLLBACK AND CHAIN", err));
    bool had_failed = session->failed;
    session_rollback(session);
    return chain(session, ast, had_failed, err);
}

static ErrorCode run_savepoint(Statement *statement, Error *err) {
    Session *session = statement->session;
    statement__tag(statement, "SAVEPOINT");
    TRY(need_block(session, "SAVEPOINT", err));
    if (session->savepoint_count == SAVEPOINTS_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "more than %d savepoints", SAVEPOINTS_MAX);
    }
    if (session->savepoint_count == session->savepoint_capacity) {
        session->savepoint_capacity = session->savepoint_capacity == 0 ? 8 : session->savepoint_capacity * 2;
        session->savepoints = mem_realloc(session->savepoints, session->savepoint_capacity * sizeof *session->savepoints);
    }
    session->block_used = true;
    session->savepoints[session->savepoint_count++] =
        (Savepoint){arena_str(&session->savepoint_names, statement->compiled->tree->as.transaction->name.text), txn_mark(session->txn)};
    return ERR_OK;
}

/* The savepoint that the statement names. what: for errors. */
static ErrorCode find_savepoint(const Statement *statement, const char *what, uint32_t *index_out, Error *err) {
    const Session *session = statement->session;
    Str name = statement->compiled->tree->as.transaction->name.text;
    TRY(need_block(session, what, err));
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
    statement__tag(statement, "RELEASE");
    TRY(find_savepoint(statement, "RELEASE SAVEPOINT", &index, err));
    session->savepoint_count = index;
    session__settings_release(session, index);
    session__cursors_release(session, index);
    return ERR_OK;
}

static ErrorCode run_rollback_to(Statement *statement, Error *err) {
    Session *session = statement->session;
    uint32_t index;
    statement__tag(statement, "ROLLBACK");
    TRY(find_savepoint(statement, "ROLLBACK TO SAVEPOINT", &index, err));
    statement__abandon_all(session, index + 1);
    session__cursors_rollback_to(session, index + 1);
    txn_rollback_to(session->txn, session->savepoints[index].mark);
    session->savepoint_count = index + 1; /* the savepoint itself stays */
    session__settings_rollback_to(session, index + 1);
    session->failed = false;
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
        return run_rollback(statement, err);
    }
}
