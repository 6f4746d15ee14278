/* SPDX-License-Identifier: Apache-2.0
 * statement_own.c - statements that the session does itself, from the tree: SET, RESET, DISCARD, LOCK, ANALYZE, and who acts. */
#include "session/session_internal.h"

/* ---- SET, RESET ---- */

Str session__dotted_name(Arena *arena, const AstNames *names) {
    Str name = names->parts[0].text;
    for (uint32_t i = 1; i < names->count; i++) {
        name = arena_format(arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(names->parts[i].text));
    }
    return name;
}

static ErrorCode value_text(Arena *arena, const AstExpr *ast, Str *text_out, Error *err) {
    switch ((AstExprKind)ast->kind) {
    case AST_STRING:
    case AST_INTEGER:
    case AST_NUMBER: *text_out = ast->as.text; return ERR_OK;
    case AST_BOOLEAN: *text_out = ast->as.boolean ? STR("on") : STR("off"); return ERR_OK;
    case AST_CAST: /* INTERVAL '+05:30' HOUR TO MINUTE */
        if (ast->arg_count == 1 && ast->args[0]->kind == AST_STRING) {
            *text_out = ast->args[0]->as.text;
            return ERR_OK;
        }
        break;
    case AST_CALL: { /* -1; interval(100) */
        bool number = ast->arg_count == 1 && (ast->args[0]->kind == AST_INTEGER || ast->args[0]->kind == AST_NUMBER);
        if (number) {
            bool sign = (ast->flags & AST_OPERATOR) != 0;
            *text_out = arena_format(arena, sign ? "%.*s%.*s" : "%.*s(%.*s)", STR_ARG(ast->as.text), STR_ARG(ast->args[0]->as.text));
            return ERR_OK;
        }
        break;
    }
    default: break;
    }
    return error_set(err, ERR_SYNTAX, ast->span.at, "a setting takes words, numbers and texts");
}

/* A piece of a list, in quotes where it would be read as something else. */
static Str quoted_piece(Arena *arena, Str piece) {
    Buffer out;
    buffer_init(&out, SETTING_BYTES_MAX);
    sql_deparse_name(piece, DIALECT_POSTGRES, &out);
    Str text = arena_str(arena, buffer_str(&out));
    buffer_deinit(&out);
    return text;
}

static bool is_list(Str name) { return str_equal_ignore_case(name, STR("search_path")) || str_equal_ignore_case(name, STR("temp_tablespaces")); }

ErrorCode session__set_text(Arena *arena, const AstSet *set, Str *name_out, Str *text_out, Error *err) {
    Str name = session__dotted_name(arena, &set->name);
    *name_out = name;
    *text_out = (Str){0};
    if (set->value_count > 1 && !is_list(name) && !str_equal_ignore_case(name, STR("datestyle"))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "SET %.*s takes only one argument", STR_ARG(name));
    }
    for (uint32_t i = 0; i < set->value_count; i++) {
        Str piece = {0};
        TRY(value_text(arena, set->values[i], &piece, err));
        piece = is_list(name) ? quoted_piece(arena, piece) : piece;
        *text_out = i == 0 ? piece : arena_format(arena, "%.*s, %.*s", STR_ARG(*text_out), STR_ARG(piece));
    }
    return ERR_OK;
}

static ErrorCode run_set(Statement *statement, Error *err) {
    const AstSet *set = statement->compiled->tree->as.set;
    Session *session = statement->session;
    Str name = {0}, text = {0};
    statement__tag(statement, "SET");
    if (set->local && !session->in_block) {
        session_notice(session, NOTICE_WARNING, "25P01", "SET LOCAL can only be used in transaction blocks");
        return ERR_OK;
    }
    TRY(session__set_text(&statement->arena, set, &name, &text, err));
    if (set->kind == AST_SET_DEFAULT) {
        return session__setting_reset(session, name, set->local, err);
    }
    return session__setting_set(session, name, text, set->local, err);
}

static ErrorCode run_reset(Statement *statement, Error *err) {
    const AstSet *set = statement->compiled->tree->as.set;
    statement__tag(statement, "RESET");
    if (set->kind == AST_RESET_ALL) {
        return session__settings_reset_all(statement->session, err);
    }
    return session__setting_reset(statement->session, session__dotted_name(&statement->arena, &set->name), false, err);
}

/* ---- who acts ---- */

ErrorCode session__role_set(Session *session, Str name, Error *err) {
    bool none = str_equal(name, STR("none"));
    if (!none) {
        TRY(session__role_check(session, name, false, err));
    }
    session->bind_version++;
    session->acting_user = none ? session->authorized_user : arena_str(&session->names, name);
    session->path_known = false;
    return ERR_OK;
}

ErrorCode session__authorization_set(Session *session, Str name, Error *err) {
    bool none = str_equal(name, STR("default"));
    if (!none) {
        TRY(session__role_check(session, name, true, err));
    }
    session->bind_version++;
    session->authorized_user = none ? session->options.user_name : arena_str(&session->names, name);
    session->acting_user = session->authorized_user;
    session->path_known = false;
    return ERR_OK;
}

/* ---- DISCARD ---- */

static ErrorCode discard_temp(Statement *statement, Error *err) {
    Session *session = statement->session;
    Txn *txn = statement__txn(statement);
    if (session->temp_used && txn != NULL) {
        TRY(session__drop_schema(txn, session->temp_schema, err));
        session->path_known = false;
    }
    return ERR_OK;
}

static ErrorCode discard_all(Statement *statement, Error *err) {
    Session *session = statement->session;
    if (session_in_transaction(session)) {
        return error_set(err, ERR_ACTIVE_TRANSACTION, ERROR_NO_POSITION, "DISCARD ALL cannot run inside a transaction block");
    }
    bool result = false;
    TRY(session__setting_reset(session, STR("session_authorization"), false, err));
    TRY(session__setting_reset(session, STR("role"), false, err));
    TRY(session__settings_reset_all(session, err));
    session__cursors_close(session);
    session_prepared_drop_all(session);
    TRY(session__advisory(session, &(AdvisoryCall){.action = ADVISORY_UNLOCK_ALL}, &result, err));
    session__sequences_forget(statement->session);
    return discard_temp(statement, err);
}

static ErrorCode run_discard(Statement *statement, Error *err) {
    Str what = statement->compiled->tree->as.utility->what;
    bool all = str_equal(what, STR("discard all"));
    statement__tag(statement, all                                       ? "DISCARD ALL"
                              : str_equal(what, STR("discard plans"))     ? "DISCARD PLANS"
                              : str_equal(what, STR("discard sequences")) ? "DISCARD SEQUENCES"
                                                                          : "DISCARD TEMP");
    if (all) {
        return discard_all(statement, err);
    }
    if (str_equal(what, STR("discard sequences"))) {
        session__sequences_forget(statement->session);
        return ERR_OK;
    }
    return str_equal(what, STR("discard temp")) ? discard_temp(statement, err) : ERR_OK;
}

/* ---- LOCK, ANALYZE ---- */

ErrorCode statement__table_find(Statement *statement, CatalogView *view, const AstNames *names, const TableDef **table_out, Error *err) {
    const AstName *last = &names->parts[names->count - 1];
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    const FunctionEnvironment *environment = &statement->environment;
    const TableDef *indexed = NULL;
    *table_out = NULL;
    TRY(relation_name_parts(names, environment->database_name, err));
    TRY(relation_schema_check(view, session__bind_role(statement->session, view), names, false, err));
    ErrorCode code = view->table_find(view, schema, last->text, table_out, err);
    bool other = code == ERR_OK && last->quoted && !str_equal((*table_out)->name, last->text);
    if (code == ERR_OK && !other) {
        return ERR_OK;
    }
    if (code != ERR_OK && code != ERR_UNDEFINED_TABLE && code != ERR_UNDEFINED_SCHEMA) {
        return code;
    }
    *table_out = NULL;
    if (relation_index_find(view, environment, names, &indexed) != NULL) {
        error_ignore(error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "cannot open relation \"%.*s\"", STR_ARG(last->text)));
        return error_add(err, 'D', "This operation is not supported for indexes.");
    }
    return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "relation \"%.*s%s%.*s\" does not exist", STR_ARG(schema), schema.len > 0 ? "." : "", STR_ARG(last->text));
}

/* Views do not hold what is asked of tables here, and nothing is wrong with naming one. */
static ErrorCode check_tables(Statement *statement, const AstNames *tables, uint32_t count, bool lock, Error *err) {
    CatalogView *view = txn_catalog(statement__txn(statement));
    for (uint32_t i = 0; i < count; i++) {
        const AstNames *names = &tables[i];
        const AstName *last = &names->parts[names->count - 1];
        const TableDef *table = NULL;
        Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
        ErrorCode code = statement__table_find(statement, view, names, &table, err);
        const CatalogObject *object = code == ERR_UNDEFINED_TABLE ? view->relation_find(view, schema, last->text) : NULL;
        if (lock && (code == ERR_WRONG_OBJECT_TYPE || (object != NULL && object->kind == OBJECT_SEQUENCE))) {
            error_ignore(error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "cannot lock relation \"%.*s\"", STR_ARG(last->text)));
            return error_add(err, 'D', "This operation is not supported for %s.", relation_kind_plural(object));
        }
        if (code != ERR_OK && (object == NULL || object->kind == OBJECT_TABLE)) {
            return code;
        }
    }
    return ERR_OK;
}

/* Modes that conflict with none that can be taken here hold without anything being done. */
static ErrorCode run_lock(Statement *statement, Error *err) {
    const AstLock *lock = statement->compiled->tree->as.lock;
    const Session *session = statement->session;
    statement__tag(statement, "LOCK TABLE");
    if (!session->in_block) {
        return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "LOCK TABLE can only be used in transaction blocks");
    }
    TRY(check_tables(statement, lock->tables, lock->table_count, true, err));
    bool weak = str_equal(lock->mode, STR("access share")) || str_equal(lock->mode, STR("row share")) || str_equal(lock->mode, STR("row exclusive"));
    return weak ? ERR_OK : error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "LOCK TABLE in %.*s mode is not supported yet", STR_ARG(lock->mode));
}

static ErrorCode run_analyze(Statement *statement, Error *err) {
    const AstUtility *utility = statement->compiled->tree->as.utility;
    statement__tag(statement, "ANALYZE");
    return check_tables(statement, utility->names, utility->count, false, err);
}

/* Indexes are never out of step with their rows: what there is to do is to read them, and say if one is damaged. */
static ErrorCode run_reindex(Statement *statement, Error *err) {
    const AstUtility *utility = statement->compiled->tree->as.utility;
    CatalogView *view = txn_catalog(statement__txn(statement));
    const TableDef *table = NULL;
    Buffer report;
    statement__tag(statement, "REINDEX");
    if (str_equal(utility->what, STR("reindex table"))) {
        TRY(check_tables(statement, utility->names, utility->count, false, err));
    }
    for (uint32_t i = 0; str_equal(utility->what, STR("reindex index")) && i < utility->count; i++) {
        const AstNames *names = &utility->names[i];
        if (relation_index_find(view, &statement->environment, names, &table) == NULL) {
            TRY(statement__table_find(statement, view, names, &table, err));
            return error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not an index", STR_ARG(table->name));
        }
    }
    buffer_init(&report, 16 << 20);
    ErrorCode code = engine_check(session_engine(statement->session), &report, err);
    buffer_deinit(&report);
    return code;
}

/* Only constraints that are INITIALLY DEFERRED wait for the commit; the others are looked at with each statement whatever is said here. */
static ErrorCode run_set_constraints(Statement *statement, Error *err) {
    const AstUtility *utility = statement->compiled->tree->as.utility;
    statement__tag(statement, "SET CONSTRAINTS");
    bool immediate = str_equal(utility->what, STR("set constraints immediate"));
    return immediate ? txn_check_deferred(statement__txn(statement), err) : ERR_OK;
}

ErrorCode statement__run_own(Statement *statement, Error *err) {
    switch (statement->bound->kind) {
    case STATEMENT_SET: return run_set(statement, err);
    case STATEMENT_RESET: return run_reset(statement, err);
    case STATEMENT_SET_TRANSACTION: return session__set_transaction(statement, err);
    case STATEMENT_PREPARE: return session__prepare_sql(statement, err);
    case STATEMENT_EXECUTE: return session__execute(statement, err);
    case STATEMENT_DEALLOCATE: return session__deallocate(statement, err);
    case STATEMENT_DECLARE_CURSOR: return session__declare(statement, err);
    case STATEMENT_FETCH:
    case STATEMENT_MOVE: return session__fetch(statement, err);
    case STATEMENT_CLOSE_CURSOR: return session__close_cursor(statement, err);
    case STATEMENT_DISCARD: return run_discard(statement, err);
    case STATEMENT_LOCK: return run_lock(statement, err);
    case STATEMENT_ANALYZE: return run_analyze(statement, err);
    case STATEMENT_REINDEX: return run_reindex(statement, err);
    case STATEMENT_SET_CONSTRAINTS: return run_set_constraints(statement, err);
    case STATEMENT_UNLISTEN: statement__tag(statement, "UNLISTEN"); return ERR_OK;
    case STATEMENT_COPY_IN:
    case STATEMENT_COPY_OUT: return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "COPY works through the PostgreSQL door only");
    default: return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "statement kind %d is not known here", statement->bound->kind);
    }
}
