/* SPDX-License-Identifier: Apache-2.0
 * bind_session.c - SHOW of tables, EXPLAIN, CHECKPOINT, VACUUM; everything else that parses is refused by name. SET, transactions and what
 *                  else the session does from the tree does not come here. */
#include "sql/bind/bind_internal.h"

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
    return not_supported(b, statement->span.at, "%.*s", STR_ARG(arena_upper(b->arena, utility->what)));
}

ErrorCode bind_session(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    switch (statement->kind) {
    case AST_SHOW_STATEMENT:
        bound->kind = STATEMENT_SHOW;
        return bind_show_rel(b, statement->as.show, &bound->rel);
    case AST_EXPLAIN_STATEMENT: return bind_explain(b, statement, bound);
    case AST_TRANSACTION_STATEMENT: return not_supported(b, statement->span.at, "two-phase commit"); /* the session does the others */
    case AST_UTILITY_STATEMENT: return bind_utility(b, statement, bound);
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
