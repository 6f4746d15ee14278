/* SPDX-License-Identifier: Apache-2.0
 * bind_session.c - SET, RESET, SHOW, EXPLAIN, transactions, CHECKPOINT, VACUUM; everything else that parses is refused by name. */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- SET, RESET */

static ErrorCode value_text(Binder *b, const AstExpr *ast, Str *text_out) {
    switch ((AstExprKind)ast->kind) {
    case AST_STRING:
    case AST_INTEGER:
    case AST_NUMBER: *text_out = ast->as.text; return ERR_OK;
    case AST_BOOLEAN: *text_out = ast->as.boolean ? STR("on") : STR("off"); return ERR_OK;
    case AST_CALL: /* interval(100) */
        if (ast->arg_count == 1 && ast->args[0]->kind == AST_INTEGER && (ast->flags & AST_OPERATOR) == 0) {
            *text_out = arena_format(b->arena, "%.*s(%.*s)", STR_ARG(ast->as.text), STR_ARG(ast->args[0]->as.text));
            return ERR_OK;
        }
        break;
    default: break;
    }
    return error_set(b->err, ERR_SYNTAX, ast->span.at, "a setting takes words, numbers and texts");
}

static Str dotted_name(Binder *b, const AstNames *names) {
    Str name = names->parts[0].text;
    for (uint32_t i = 1; i < names->count; i++) {
        name = arena_format(b->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(names->parts[i].text));
    }
    return name;
}

static ErrorCode bind_set(Binder *b, const AstSet *set, BoundStatement *bound) {
    bool reset = set->kind == AST_RESET || set->kind == AST_RESET_ALL;
    bound->kind = reset ? STATEMENT_RESET : STATEMENT_SET;
    bound->is_default = set->kind != AST_SET;
    bound->local = set->local;
    bound->name = set->kind == AST_RESET_ALL ? STR("all") : dotted_name(b, &set->name);
    for (uint32_t i = 0; i < set->value_count; i++) {
        Str text = {0};
        TRY(value_text(b, set->values[i], &text));
        bound->text = i == 0 ? text : arena_format(b->arena, "%.*s, %.*s", STR_ARG(bound->text), STR_ARG(text));
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- SHOW */

static ErrorCode show_table(Binder *b, TableCallId id, const AstNames *names, Rel **rel_out) {
    const TableDef *table = NULL;
    TRY(table_find(b, names, &table));
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    Str name = names->count > 1 ? arena_format(b->arena, "%.*s.%.*s", STR_ARG(table->schema_name), STR_ARG(table->name)) : table->name;
    args[0] = expr_text(b, name, TYPE_TEXT, names->span.at);
    return table_call(b, id, args, 1, names->span.at, rel_out);
}

ErrorCode bind_show_rel(Binder *b, const AstShow *show, Rel **rel_out) {
    int64_t at = show->name.span.at;
    switch (show->kind) {
    case AST_SHOW_TABLES: return table_call(b, TABLE_CALL_ALL_TABLES, NULL, 0, at, rel_out);
    case AST_SHOW_COLUMNS: return show_table(b, TABLE_CALL_TABLE_COLUMNS, &show->name, rel_out);
    case AST_SHOW_CREATE:
        if (!str_equal(show->object, STR("table"))) {
            return not_supported(b, at, "SHOW CREATE of a view");
        }
        return show_table(b, TABLE_CALL_SHOW_CREATE_TABLE, &show->name, rel_out);
    case AST_SHOW_PARTITIONS: return not_supported(b, at, "SHOW PARTITIONS");
    case AST_SHOW_PARAMETERS: return not_supported(b, at, "SHOW PARAMETERS");
    case AST_SHOW_ALL: return not_supported(b, at, "SHOW ALL");
    default: return not_supported(b, at, "SHOW of a setting as a table");
    }
}

static ErrorCode bind_show(Binder *b, const AstShow *show, BoundStatement *bound) {
    bound->kind = STATEMENT_SHOW;
    if (show->kind == AST_SHOW_SETTING) {
        bound->name = dotted_name(b, &show->name);
        return ERR_OK;
    }
    return bind_show_rel(b, show, &bound->rel);
}

/* ---------------------------------------------------------------- transactions */

static void transaction_modes(const AstTransaction *ast, BoundStatement *bound) {
    enum { READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE }; /* as the engine numbers them */
    bound->has_isolation = ast->isolation != AST_ISOLATION_UNSAID;
    bound->isolation = ast->isolation == AST_SERIALIZABLE ? SERIALIZABLE : ast->isolation == AST_REPEATABLE_READ ? REPEATABLE_READ : READ_COMMITTED;
    bound->has_read_only = ast->access != AST_ACCESS_UNSAID;
    bound->read_only = ast->access == AST_READ_ONLY;
}

static ErrorCode set_transaction(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    const AstTransaction *ast = statement->as.transaction;
    static const char *const levels[] = {"", "read uncommitted", "read committed", "repeatable read", "serializable"};
    if (ast->isolation == AST_ISOLATION_UNSAID || ast->access != AST_ACCESS_UNSAID) {
        return not_supported(b, statement->span.at, "SET TRANSACTION with other modes than ISOLATION LEVEL");
    }
    bound->kind = STATEMENT_SET;
    bound->local = !ast->session_characteristics;
    bound->name = ast->session_characteristics ? STR("default_transaction_isolation") : STR("transaction_isolation");
    bound->text = str_from_c(levels[ast->isolation]);
    return ERR_OK;
}

static ErrorCode bind_transaction(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    const AstTransaction *ast = statement->as.transaction;
    bound->name = ast->name.text;
    bound->chain = ast->chain;
    transaction_modes(ast, bound);
    if (ast->chain) {
        return not_supported(b, statement->span.at, "AND CHAIN");
    }
    switch (ast->kind) {
    case AST_BEGIN:
    case AST_START_TRANSACTION: bound->kind = STATEMENT_BEGIN; return ERR_OK;
    case AST_COMMIT: bound->kind = STATEMENT_COMMIT; return ERR_OK;
    case AST_ROLLBACK: bound->kind = STATEMENT_ROLLBACK; return ERR_OK;
    case AST_SAVEPOINT: bound->kind = STATEMENT_SAVEPOINT; return ERR_OK;
    case AST_RELEASE: bound->kind = STATEMENT_RELEASE; return ERR_OK;
    case AST_ROLLBACK_TO: bound->kind = STATEMENT_ROLLBACK_TO; return ERR_OK;
    case AST_SET_TRANSACTION: return set_transaction(b, statement, bound);
    default: return not_supported(b, statement->span.at, "two-phase commit");
    }
}

/* ---------------------------------------------------------------- EXPLAIN, utilities */

static ErrorCode bind_inner(Binder *b, const AstStatement *inner, BoundStatement *bound) {
    switch (inner->kind) {
    case AST_SELECT_STATEMENT: {
        Query query = {0};
        TRY(bind_query(b, inner->as.select, NULL, &query));
        bound->rel = query.rel;
        return query_settle(b, &query, NULL);
    }
    case AST_INSERT_STATEMENT: return bind_insert(b, inner->as.insert, bound);
    case AST_UPDATE_STATEMENT: return bind_update(b, inner->as.update, bound);
    case AST_DELETE_STATEMENT: return bind_delete(b, inner->as.delete_, bound);
    default: return not_supported(b, inner->span.at, "EXPLAIN of this statement");
    }
}

static ErrorCode bind_explain(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    const AstExplain *explain = statement->as.explain;
    bool json = str_equal(explain->format, STR("json"));
    if (explain->format.len > 0 && !json && !str_equal(explain->format, STR("text"))) {
        return not_supported(b, statement->span.at, "EXPLAIN with FORMAT %.*s", STR_ARG(explain->format));
    }
    bool writes = explain->statement->kind != AST_SELECT_STATEMENT;
    if (explain->analyze && writes) {
        return not_supported(b, explain->statement->span.at, "EXPLAIN ANALYZE of a statement that writes");
    }
    TRY(bind_inner(b, explain->statement, bound));
    bound->kind = STATEMENT_EXPLAIN;
    bound->analyze = explain->analyze;
    bound->verbose = explain->verbose && !json;
    bound->as_json = json;
    return ERR_OK;
}

static ErrorCode bind_utility(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    const AstUtility *utility = statement->as.utility;
    if (str_equal(utility->what, STR("checkpoint"))) {
        bound->kind = STATEMENT_CHECKPOINT;
        return ERR_OK;
    }
    if (str_equal(utility->what, STR("vacuum"))) {
        const TableDef *table = NULL;
        for (uint32_t i = 0; i < utility->count; i++) {
            TRY(table_find(b, &utility->names[i], &table));
        }
        bound->kind = STATEMENT_VACUUM;
        return ERR_OK;
    }
    char what[40];
    size_t len = MIN_OF(utility->what.len, sizeof what - 1);
    for (size_t i = 0; i < len; i++) {
        char c = utility->what.data[i];
        what[i] = (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    what[len] = 0;
    return not_supported(b, statement->span.at, "%s", what);
}

ErrorCode bind_session(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    switch (statement->kind) {
    case AST_SET_STATEMENT: return bind_set(b, statement->as.set, bound);
    case AST_SHOW_STATEMENT: return bind_show(b, statement->as.show, bound);
    case AST_EXPLAIN_STATEMENT: return bind_explain(b, statement, bound);
    case AST_TRANSACTION_STATEMENT: return bind_transaction(b, statement, bound);
    case AST_UTILITY_STATEMENT: return bind_utility(b, statement, bound);
    case AST_PREPARE_STATEMENT: return not_supported(b, statement->span.at, "PREPARE");
    case AST_EXECUTE_STATEMENT: return not_supported(b, statement->span.at, "EXECUTE");
    case AST_DEALLOCATE_STATEMENT: return not_supported(b, statement->span.at, "DEALLOCATE");
    case AST_COPY_STATEMENT: return not_supported(b, statement->span.at, "COPY");
    case AST_DECLARE_CURSOR_STATEMENT: return not_supported(b, statement->span.at, "DECLARE CURSOR");
    case AST_FETCH_STATEMENT: return not_supported(b, statement->span.at, "FETCH");
    case AST_CLOSE_STATEMENT: return not_supported(b, statement->span.at, "CLOSE");
    case AST_LOCK_STATEMENT: return not_supported(b, statement->span.at, "LOCK TABLE");
    case AST_CREATE_INDEX_STATEMENT: return bind_create_index(b, statement->as.create_index, bound);
    default: {
        static const char *const names[AST_STATEMENT_COUNT] = {
#define X(name, text) [AST_##name##_STATEMENT] = text,
            AST_STATEMENTS(X)
#undef X
        };
        return not_supported(b, statement->span.at, "%s", names[statement->kind]);
    }
    }
}
