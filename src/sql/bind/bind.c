/* SPDX-License-Identifier: Apache-2.0
 * bind.c - the binder's entry: one statement, its parameters, and the column that is the designated timestamp of the answer.
 *
 * Threads: pure; the catalog view and the environment are the caller's. Tests: test/unit/sql/bind/ */
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"

/* ---------------------------------------------------------------- parameters */

static ErrorCode init_params(Binder *b, const AstStatement *statement, const BindContext *context) {
    uint32_t count = (uint32_t)statement->param_max + statement->named_param_count;
    b->param_count = MAX_OF(count, context->param_types != NULL ? context->param_count : 0);
    b->param_types = arena_array(b->arena, Type, b->param_count + 1);
    b->param_positions = arena_array(b->arena, int64_t, b->param_count + 1);
    for (uint32_t i = 0; i < b->param_count; i++) {
        b->param_positions[i] = ERROR_NO_POSITION;
    }
    for (uint32_t i = 0; context->param_types != NULL && i < context->param_count; i++) {
        b->param_types[i] = context->param_types[i];
        TRY(user_type_check(b, ERROR_NO_POSITION, &b->param_types[i]));
    }
    return ERR_OK;
}

static ErrorCode finish_params(Binder *b) {
    uint32_t used = (uint32_t)b->statement->param_max;
    for (uint32_t i = 0; i < b->param_count; i++) {
        if (b->param_types[i].id != TYPE_UNKNOWN) {
            continue;
        }
        if (i < used || i >= used + b->statement->named_param_count || b->statement->named_param_count == 0) {
            return error_set(b->err, ERR_INDETERMINATE_TYPE, b->param_positions[i], "could not determine data type of parameter $%u", i + 1);
        }
        return error_set(b->err, ERR_INDETERMINATE_TYPE, b->statement->named_params[i - used].span.at, "could not determine data type of parameter :%.*s",
                         STR_ARG(b->statement->named_params[i - used].text));
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- statements */

/* SELECT ... INTO t is CREATE TABLE t AS SELECT ... */
static ErrorCode bind_select_into(Binder *b, const AstSelect *select, BoundStatement *bound) {
    AstCreateTable *create = arena_new(b->arena, AstCreateTable);
    AstSelect *query = arena_new(b->arena, AstSelect);
    *query = *select;
    query->into = NULL;
    create->name = *select->into;
    create->as = query;
    return bind_create_table(b, create, bound);
}

static ErrorCode bind_select_statement(Binder *b, const AstSelect *select, BoundStatement *bound) {
    if (select->kind == AST_SELECT_QUERY && select->into != NULL) {
        return bind_select_into(b, select, bound);
    }
    Query query = {0};
    TRY(bind_query(b, select, NULL, &query));
    TRY(query_settle(b, &query, NULL));
    bound->kind = STATEMENT_SELECT;
    bound->rel = query.rel;
    for (uint32_t i = query.rel->column_count; i-- > 0 && query.timestamp != 0;) {
        bound->timestamp_index = query.rel->columns[i].id == query.timestamp ? (int16_t)i : bound->timestamp_index;
    }
    return ERR_OK;
}

/* Done from the tree, by ddl/. */
static ErrorCode bind_object(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    (void)b;
    bound->kind = STATEMENT_OBJECT;
    bound->tree = statement;
    return ERR_OK;
}

static ErrorCode bind_create_view(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    const AstCreateView *view = statement->as.create_view;
    if (view->materialized || view->live) {
        return not_supported(b, view->name.span.at, view->materialized ? "CREATE MATERIALIZED VIEW" : "CREATE LIVE VIEW");
    }
    TRY(record_view(b, view->as, NULL, &bound->view));
    return bind_object(b, statement, bound);
}

/* DROP of what ddl/ knows; OWNER TO, SET SCHEMA, RENAME TO of anything, and every ALTER of what is no table. */
static bool is_object_statement(const AstStatement *statement) {
    static const Str dropped[] = {{"table", 5}, {"view", 4}, {"sequence", 8}, {"schema", 6}, {"extension", 9}, {"role", 4}, {"user", 4}, {"group", 5}, {"type", 4}, {"domain", 6}};
    if (statement->kind == AST_DROP_STATEMENT) {
        for (size_t i = 0; i < COUNT_OF(dropped); i++) {
            if (str_equal(statement->as.drop->object, dropped[i])) {
                return true;
            }
        }
        return false;
    }
    const AstAlterTable *alter = statement->as.alter_table;
    if (statement->kind != AST_ALTER_TABLE_STATEMENT || alter->renames_table_statement) {
        return false;
    }
    AstAlterKind first = alter->actions[0].kind;
    bool generic = first == AST_ALTER_OWNER || first == AST_ALTER_SET_SCHEMA || first == AST_ALTER_RENAME_TABLE;
    if (str_equal(alter->object, STR("index"))) {
        return false;
    }
    return !str_equal(alter->object, STR("table")) || (generic && alter->action_count == 1);
}

static ErrorCode bind_kind(Binder *b, const AstStatement *statement, BoundStatement *bound) {
    if (is_object_statement(statement)) {
        return bind_object(b, statement, bound);
    }
    switch (statement->kind) {
    case AST_SELECT_STATEMENT: return bind_select_statement(b, statement->as.select, bound);
    case AST_INSERT_STATEMENT: return bind_insert(b, statement->as.insert, bound);
    case AST_UPDATE_STATEMENT: return bind_update(b, statement->as.update, bound);
    case AST_DELETE_STATEMENT: return bind_delete(b, statement->as.delete_, bound);
    case AST_CREATE_TABLE_STATEMENT: return bind_create_table(b, statement->as.create_table, bound);
    case AST_DROP_STATEMENT: return bind_drop(b, statement->as.drop, bound);
    case AST_TRUNCATE_STATEMENT: return bind_truncate(b, statement->as.drop, bound);
    case AST_ALTER_TABLE_STATEMENT: return bind_alter(b, statement->as.alter_table, bound);
    case AST_CREATE_VIEW_STATEMENT: return bind_create_view(b, statement, bound);
    case AST_CREATE_SCHEMA_STATEMENT:
    case AST_SEQUENCE_STATEMENT:
    case AST_USER_TYPE_STATEMENT:
    case AST_ROLE_STATEMENT:
    case AST_GRANT_STATEMENT:
    case AST_COMMENT_STATEMENT:
    case AST_EXTENSION_STATEMENT:
    case AST_OBJECT_SETTING_STATEMENT:
    case AST_OWNED_STATEMENT: return bind_object(b, statement, bound);
    default: return bind_session(b, statement, bound);
    }
}

void binder_begin(Binder *b, const BindContext *context, Arena *arena, Error *err) {
    *b = (Binder){.context = context, .arena = arena, .err = err, .dialect = context->dialect, .role_id = context->role_id, .uses = context->uses};
    intmap_init(&b->interned);
    intmap_init(&b->column_shapes);
    intmap_init(&b->expr_shapes);
}

void binder_end(Binder *b) {
    intmap_deinit(&b->interned);
    intmap_deinit(&b->column_shapes);
    intmap_deinit(&b->expr_shapes);
}

ErrorCode bind_statement(const AstStatement *statement, const BindContext *context, Arena *arena, BoundStatement **bound_out, Error *err) {
    assert(statement != NULL);
    assert(context->catalog != NULL);
    Error local;
    Binder b;
    binder_begin(&b, context, arena, err != NULL ? err : &local);
    b.statement = statement;
    BoundStatement *bound = arena_new(arena, BoundStatement);
    bound->timestamp_index = -1;
    ErrorCode code = init_params(&b, statement, context);
    if (code == ERR_OK) {
        code = bind_kind(&b, statement, bound);
    }
    if (code == ERR_OK) {
        code = finish_params(&b);
    }
    if (code == ERR_OK && arena->over_limit) {
        code = error_set(b.err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "statement needs more than %zu bytes", arena->limit_bytes);
    }
    bound->param_types = b.param_types;
    bound->param_count = b.param_count;
    bound->working_count = b.working_count;
    binder_end(&b);
    *bound_out = bound;
    return code;
}

ErrorCode bind_view(const BindContext *context, AstSelect *select, const ViewRename *rename, Arena *arena, ViewBinding *binding_out, Error *err) {
    Error local;
    Binder b;
    binder_begin(&b, context, arena, err != NULL ? err : &local);
    ErrorCode code = record_view(&b, select, rename, binding_out);
    binder_end(&b);
    return code;
}
