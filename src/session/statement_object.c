/* SPDX-License-Identifier: Apache-2.0
 * statement_object.c - what ddl/ needs of a session: who acts, notices, statements inside of statements; and what nextval asks.
 *
 * Why:   currval and lastval belong to the session, where a sequence stands to the engine.
 * Tests: test/sql/sequence.slt, roles.slt, drop.slt */
#include "session/session_internal.h"
#include <stdio.h>

enum { SEQUENCES_SEEN_MAX = 100000 };

/* ---- who acts ---- */

/* "admin" is the superuser under another name; a role that is gone may nothing. */
uint32_t session__role_id(CatalogView *catalog, Str name) {
    enum { NOBODY = UINT32_MAX };
    const CatalogObject *role = catalog_role_find(catalog, name);
    return role != NULL ? role->id : str_equal(name, STR("admin")) ? ROLE_POSTGRES_ID : (uint32_t)NOBODY;
}

uint32_t session__bind_role(const Session *session, CatalogView *catalog) {
    uint32_t id = session__role_id(catalog, session->acting_user);
    return id == ROLE_POSTGRES_ID || catalog_role_is_superuser(catalog, id) ? 0 : id;
}

ErrorCode session__role_check(Session *session, Str name, bool authorization, Error *err) {
    Txn *txn = NULL;
    TRY(engine_begin(session->engine, NULL, &txn, err));
    CatalogView *catalog = session->in_block ? txn_catalog(session->txn) : txn_catalog(txn);
    uint32_t wanted = session__role_id(catalog, name);
    uint32_t mine = session__role_id(catalog, authorization ? session->options.user_name : session->authorized_user);
    ErrorCode code = ERR_OK;
    if (wanted == UINT32_MAX) {
        code = error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "role \"%.*s\" does not exist", STR_ARG(name));
    } else if (wanted != mine && !catalog_role_is_member(catalog, mine, wanted, MEMBERSHIP_SET)) {
        code = authorization ? error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to set session authorization \"%.*s\"", STR_ARG(name))
                             : error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to set role \"%.*s\"", STR_ARG(name));
    } else if (wanted != mine && authorization && !catalog_role_is_superuser(catalog, mine)) {
        code = error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to set session authorization \"%.*s\"", STR_ARG(name));
    }
    txn_rollback(txn);
    return code;
}

/* Superusers may everything, others what belongs to roles whose privileges they hold. */
ErrorCode session__signal_check(Session *session, Str user_name, bool terminate, Error *err) {
    Txn *txn = NULL;
    TRY(engine_begin(session->engine, NULL, &txn, err));
    CatalogView *catalog = session->in_block ? txn_catalog(session->txn) : txn_catalog(txn);
    uint32_t mine = session__role_id(catalog, session->acting_user);
    uint32_t theirs = session__role_id(catalog, user_name);
    bool super = theirs == ROLE_POSTGRES_ID || catalog_role_is_superuser(catalog, theirs);
    bool may = session__bind_role(session, catalog) == 0 || (!super && catalog_role_is_member(catalog, mine, theirs, MEMBERSHIP_INHERIT));
    txn_rollback(txn);
    if (may) {
        return ERR_OK;
    }
    error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to %s", terminate ? "terminate process" : "cancel query"));
    return super ? error_add(err, 'D', "Only roles with the SUPERUSER attribute may %s of roles with the SUPERUSER attribute.", terminate ? "terminate processes" : "cancel queries")
                 : error_add(err, 'D', "Only roles with privileges of the role whose %s may %s.", terminate ? "process is being terminated" : "query is being canceled",
                             terminate ? "terminate this process" : "cancel this query");
}

/* ---- ddl/ ---- */

static void take_notice(void *context, const char *sqlstate, Str message, Str detail) {
    Session *session = ((Statement *)context)->session;
    bool warning = sqlstate[0] == '0' && sqlstate[1] == '1';
    uint32_t before = session->notice_count;
    session_notice(session, warning ? NOTICE_WARNING : NOTICE_NOTICE, sqlstate, "%.*s", STR_ARG(message));
    if (detail.len > 0 && session->notice_count > before) {
        session->notice_last->notice.detail = arena_str(&session->notice_memory, detail);
    }
}

static ErrorCode step_all(Statement *statement, uint64_t *rows_out, Error *err) {
    Batch *batch = NULL;
    do {
        TRY(statement_step(statement, &batch, err));
        *rows_out += batch == NULL ? 0 : batch->live_count;
    } while (batch != NULL);
    *rows_out += statement->affected;
    return ERR_OK;
}

/* The inner statement runs in the outer one's transaction: for its time that is the session's block. */
static ErrorCode run_inner(void *context, Str sql, uint64_t *rows_out, Error *err) {
    Statement *outer = context;
    Session *session = outer->session;
    Txn *txn = statement__txn(outer);
    bool in_block = session->in_block;
    Txn *block_txn = session->txn;
    session->in_block = true;
    session->txn = txn;
    Statement *inner = NULL;
    size_t used = 0;
    *rows_out = 0;
    ErrorCode code = statement_prepare(session, sql, NULL, 0, &inner, &used, err);
    if (code == ERR_OK) {
        code = step_all(inner, rows_out, err);
        statement_close(inner);
    }
    session->in_block = in_block;
    session->txn = block_txn;
    session->failed = in_block && session->failed;
    return code;
}

/* What ALTER ROLE … SET keeps. */
static ErrorCode take_setting(void *context, const AstSet *set, Str *name_out, Str *value_out, Error *err) {
    Statement *statement = context;
    Session *session = statement->session;
    Str name = {0};
    TRY(session__set_text(&statement->arena, set, &name, value_out, err));
    bool from_current = set->kind == AST_SET && set->value_count == 0;
    if (from_current) {
        Str value = {0};
        TRY(session__setting_show(session, name, &name, &value, err));
        *value_out = arena_str(&statement->arena, value);
    }
    return session__setting_check(session, name, set->kind == AST_SET ? value_out : NULL, name_out, err);
}

void statement__ddl(Statement *statement, Ddl *ddl_out) {
    Session *session = statement->session;
    CatalogView *catalog = txn_catalog(statement__txn(statement));
    *ddl_out = (Ddl){.txn = statement__txn(statement),
                     .catalog = catalog,
                     .arena = &statement->arena,
                     .dialect = session->dialect,
                     .text = statement->text,
                     .role_id = session__role_id(catalog, session->acting_user),
                     .session_role_id = session__role_id(catalog, session->authorized_user),
                     .schema_name = statement->environment.schema_name,
                     .environment = &statement->environment,
                     .rand = engine_os(session->engine)->rand,
                     .notice = take_notice,
                     .run = run_inner,
                     .setting = take_setting,
                     .context = statement,
                     .tag = statement->tag,
                     .tag_bytes = sizeof statement->tag};
}

ErrorCode statement__run_object(Statement *statement, Error *err) {
    Ddl ddl;
    statement__ddl(statement, &ddl);
    return ddl_run(&ddl, statement->bound, err);
}

/* ---- sequences ---- */

typedef struct SequenceSeen { uint32_t id; int64_t value; } SequenceSeen;

static SequenceSeen *seen_of(Session *session, uint32_t id) {
    SequenceSeen *seen = (SequenceSeen *)session->sequences_seen;
    for (uint32_t i = 0; i < session->sequence_count; i++) {
        if (seen[i].id == id) {
            return &seen[i];
        }
    }
    return NULL;
}

static ErrorCode remember(Session *session, uint32_t id, int64_t value, Error *err) {
    SequenceSeen *seen = seen_of(session, id);
    if (seen == NULL) {
        if (session->sequence_count >= SEQUENCES_SEEN_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a session uses at most %d sequences", SEQUENCES_SEEN_MAX);
        }
        session->sequences_seen = mem_realloc(session->sequences_seen, sizeof(SequenceSeen) * (session->sequence_count + 1));
        seen = (SequenceSeen *)session->sequences_seen + session->sequence_count++;
    }
    *seen = (SequenceSeen){id, value};
    return ERR_OK;
}

void session__sequences_forget(Session *session) {
    mem_free(session->sequences_seen);
    session->sequences_seen = NULL;
    session->sequence_count = 0;
    session->sequence_last = 0;
}

static Str sequence_name(Txn *txn, uint32_t id) {
    const CatalogObject *object = txn_catalog(txn)->object_by_id(txn_catalog(txn), id);
    return object == NULL ? (Str){0} : object->name;
}

static ErrorCode next_value(Statement *statement, uint32_t id, int64_t *value_out, Error *err) {
    Session *session = statement->session;
    TRY(txn_sequence_next(statement__txn(statement), id, value_out, err));
    session->sequence_last = id;
    return remember(session, id, *value_out, err);
}

static ErrorCode current_value(Statement *statement, uint32_t id, bool last, int64_t *value_out, Error *err) {
    const SequenceSeen *seen = seen_of(statement->session, id);
    if (seen == NULL && last) {
        return error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "lastval is not yet defined in this session");
    }
    if (seen == NULL) {
        return error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "currval of sequence \"%.*s\" is not yet defined in this session",
                         STR_ARG(sequence_name(statement__txn(statement), id)));
    }
    *value_out = seen->value;
    return ERR_OK;
}

static ErrorCode set_value(Statement *statement, const SequenceCall *call, uint32_t id, int64_t *value_out, Error *err) {
    TRY(txn_sequence_set(statement__txn(statement), id, call->value, call->called, err));
    *value_out = call->value;
    return call->called ? remember(statement->session, id, call->value, err) : ERR_OK;
}

ErrorCode statement__sequence(void *context, const SequenceCall *call, int64_t *value_out, Error *err) {
    Statement *statement = context;
    uint32_t id = call->action == SEQUENCE_LAST ? statement->session->sequence_last : call->oid > OBJECT_OID_BASE ? call->oid - OBJECT_OID_BASE : 0;
    bool called = false;
    switch ((SequenceAction)call->action) {
    case SEQUENCE_NEXT: return next_value(statement, id, value_out, err);
    case SEQUENCE_CURRENT: return current_value(statement, id, false, value_out, err);
    case SEQUENCE_LAST: return current_value(statement, id, true, value_out, err);
    case SEQUENCE_SET: return set_value(statement, call, id, value_out, err);
    case SEQUENCE_READ: return txn_sequence_read(statement__txn(statement), id, value_out, &called, err);
    case SEQUENCE_READ_CALLED:
        TRY(txn_sequence_read(statement__txn(statement), id, value_out, &called, err));
        *value_out = called;
        return ERR_OK;
    }
    return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "sequence call %d", call->action);
}
