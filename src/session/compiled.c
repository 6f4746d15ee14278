/* SPDX-License-Identifier: Apache-2.0
 * compiled.c - what is kept of a statement from run to run: its text, tree, bound form and plan, shared by all that run it.
 *
 * Why:        binding and planning cost several times what a point look-up costs. What they point into (table definitions) lives as long
 *             as the catalog version that they saw is the current one: a run checks that in its own transaction before it uses them.
 * Invariants: bound once and planned once; a change makes a new Compiled, so that runs of the old one go on. */
#include "session/session_internal.h"

/* ---- memory ---- */

static Compiled *take(Session *session) {
    Compiled *compiled = session__take_spare_compiled(session);
    if (compiled == NULL) {
        compiled = mem_calloc(1, sizeof *compiled);
        arena_init(&compiled->arena, STATEMENT_ARENA_BYTES_MAX);
        arena_init(&compiled->plan_arena, STATEMENT_ARENA_BYTES_MAX);
    }
    compiled->session = session;
    compiled->references = 1;
    return compiled;
}

void compiled__release(Compiled *compiled) {
    if (compiled == NULL || --compiled->references > 0) {
        return;
    }
    enum { SPARE_BYTES_MAX = 1 << 20 };
    Session *session = compiled->session;
    Arena arena = compiled->arena, plan_arena = compiled->plan_arena;
    bool keep = session->spare_compiled == NULL && arena.used_bytes + plan_arena.used_bytes < SPARE_BYTES_MAX;
    if (!keep) {
        arena_deinit(&arena);
        arena_deinit(&plan_arena);
        mem_free(compiled);
        return;
    }
    session->spare_compiled_bytes = arena.used_bytes + plan_arena.used_bytes;
    arena_reset(&arena);
    arena_reset(&plan_arena);
    *compiled = (Compiled){.arena = arena, .plan_arena = plan_arena};
    session->spare_compiled = compiled;
}

/* ---- environment ---- */

static int64_t read_clock(void *clock) { return ((Clock *)clock)->wall_micros(clock); }

void session__environment(Session *session, FunctionEnvironment *environment_out) {
    Clock *clock = engine_os(session->engine)->clock;
    *environment_out = (FunctionEnvironment){
        .now_micros = session->in_block ? session->block_micros : session__wall_micros(session),
        .clock_micros = read_clock,
        .clock = clock,
        .zone = session->zone,
        .style = session->style,
        .zone_load = os_zone_load, .zone_find = os_zone_find,
        .random = &session->random,
        .user_name = session->acting_user,
        .session_user_name = session->authorized_user,
        .database_name = session->options.database_name,
        .schema_name = session->path_count > 0 ? session->path[0] : (Str){0},
        .search_path = session->path,
        .search_path_count = session->path_count,
        .temp_schema_name = session->temp_exists ? session->temp_schema : (Str){0},
        .version_text = session->version_text,
        .calls = &SESSION__CALLS,
        .session = session,
        .questdb = session->dialect == DIALECT_QUESTDB,
    };
}

/* ---- kinds ---- */

static StatementKind utility_kind(const AstUtility *utility) {
    if (str_starts_with(utility->what, STR("discard"))) {
        return STATEMENT_DISCARD;
    }
    if (str_equal(utility->what, STR("unlisten"))) {
        return STATEMENT_UNLISTEN;
    }
    if (str_starts_with(utility->what, STR("set constraints"))) {
        return STATEMENT_SET_CONSTRAINTS;
    }
    if (str_starts_with(utility->what, STR("reindex"))) {
        return STATEMENT_REINDEX;
    }
    bool analyze = str_equal(utility->what, STR("analyze")) || str_equal(utility->what, STR("analyse"));
    return analyze ? STATEMENT_ANALYZE : STATEMENT_EMPTY;
}

static StatementKind transaction_kind(const AstTransaction *transaction) {
    switch (transaction->kind) {
    case AST_BEGIN:
    case AST_START_TRANSACTION: return STATEMENT_BEGIN;
    case AST_COMMIT: return STATEMENT_COMMIT;
    case AST_ROLLBACK: return STATEMENT_ROLLBACK;
    case AST_SAVEPOINT: return STATEMENT_SAVEPOINT;
    case AST_RELEASE: return STATEMENT_RELEASE;
    case AST_ROLLBACK_TO: return STATEMENT_ROLLBACK_TO;
    case AST_SET_TRANSACTION: return STATEMENT_SET_TRANSACTION;
    default: return STATEMENT_EMPTY; /* two-phase commit: the binder refuses it */
    }
}

/* Kinds that the session does from the tree, without the binder; EMPTY: not one of them. */
static StatementKind own_kind(const AstStatement *tree) {
    switch (tree->kind) {
    case AST_TRANSACTION_STATEMENT: return transaction_kind(tree->as.transaction);
    case AST_SET_STATEMENT: return tree->as.set->kind == AST_RESET || tree->as.set->kind == AST_RESET_ALL ? STATEMENT_RESET : STATEMENT_SET;
    case AST_SHOW_STATEMENT: return tree->as.show->kind == AST_SHOW_SETTING || tree->as.show->kind == AST_SHOW_ALL ? STATEMENT_SHOW : STATEMENT_EMPTY;
    case AST_PREPARE_STATEMENT: return STATEMENT_PREPARE;
    case AST_EXECUTE_STATEMENT: return STATEMENT_EXECUTE;
    case AST_DEALLOCATE_STATEMENT: return STATEMENT_DEALLOCATE;
    case AST_DECLARE_CURSOR_STATEMENT: return STATEMENT_DECLARE_CURSOR;
    case AST_FETCH_STATEMENT: return tree->as.cursor->move ? STATEMENT_MOVE : STATEMENT_FETCH;
    case AST_CLOSE_STATEMENT: return STATEMENT_CLOSE_CURSOR;
    case AST_LOCK_STATEMENT: return STATEMENT_LOCK;
    case AST_COPY_STATEMENT: return tree->as.copy->target == AST_COPY_CANCEL ? STATEMENT_EMPTY : tree->as.copy->from ? STATEMENT_COPY_IN : STATEMENT_COPY_OUT;
    case AST_UTILITY_STATEMENT: return utility_kind(tree->as.utility);
    default: return STATEMENT_EMPTY;
    }
}

static bool allowed_in_failed(const Compiled *compiled) {
    StatementKind kind = (StatementKind)compiled->bound->kind;
    return kind == STATEMENT_ROLLBACK || kind == STATEMENT_COMMIT || kind == STATEMENT_ROLLBACK_TO || (kind == STATEMENT_EMPTY && compiled->tree == NULL);
}

ErrorCode compiled__check_allowed(const Compiled *compiled, Error *err) {
    if (compiled->session->failed && !allowed_in_failed(compiled)) {
        return error_set(err, ERR_FAILED_TRANSACTION, ERROR_NO_POSITION,
                         "current transaction is aborted, commands ignored until end of transaction block");
    }
    return ERR_OK;
}

/* ---- rows that the session answers itself ---- */

static RelColumn text_column(Str name) { return (RelColumn){.type = type_of(TYPE_TEXT), .name = name, .table_column = -1}; }

static ErrorCode show_columns(Compiled *compiled, const AstShow *show, Error *err) {
    Str value, name, all[] = {STR("name"), STR("setting"), STR("description")};
    compiled->column_count = show->kind == AST_SHOW_ALL ? 3 : 1;
    compiled->columns = arena_array(&compiled->arena, RelColumn, compiled->column_count);
    for (uint32_t i = 0; i < compiled->column_count; i++) {
        compiled->columns[i] = text_column(all[i]);
    }
    if (show->kind == AST_SHOW_ALL) {
        return ERR_OK;
    }
    compiled->bound->name = session__dotted_name(&compiled->arena, &show->name);
    TRY(session__setting_show(compiled->session, compiled->bound->name, &name, &value, err));
    compiled->columns[0].name = arena_str(&compiled->arena, name);
    return ERR_OK;
}

static void copy_columns(Compiled *compiled, const RelColumn *columns, uint32_t count) {
    compiled->column_count = count;
    compiled->columns = arena_array(&compiled->arena, RelColumn, count);
    for (uint32_t i = 0; i < count; i++) {
        compiled->columns[i] = columns[i];
        compiled->columns[i].name = arena_str(&compiled->arena, columns[i].name);
    }
}

static ErrorCode own_columns(Compiled *compiled, Error *err) {
    const AstStatement *tree = compiled->tree;
    switch (compiled->bound->kind) {
    case STATEMENT_SHOW: return show_columns(compiled, tree->as.show, err);
    case STATEMENT_EXECUTE: {
        Prepared *prepared = NULL;
        TRY(session_prepared_find(compiled->session, tree->as.execute->name.text, &prepared, err));
        copy_columns(compiled, prepared_columns(prepared), prepared_column_count(prepared));
        return ERR_OK;
    }
    case STATEMENT_FETCH: {
        const Cursor *cursor = session__cursor_find(compiled->session, tree->as.cursor->name.text);
        if (cursor == NULL) {
            return error_set(err, ERR_UNDEFINED_CURSOR, ERROR_NO_POSITION, "cursor \"%.*s\" does not exist", STR_ARG(tree->as.cursor->name.text));
        }
        copy_columns(compiled, cursor->columns, cursor->column_count);
        return ERR_OK;
    }
    default: return ERR_OK;
    }
}

/* ---- parse, bind ---- */

static void bound_own(Compiled *compiled, StatementKind kind) {
    compiled->bound = arena_new(&compiled->arena, BoundStatement);
    compiled->bound->kind = (uint8_t)kind;
    compiled->bound->timestamp_index = -1;
}

/* PREPARE with a type that only the catalog knows. */
static bool declares_user_type(const AstStatement *tree) {
    Type type;
    for (uint32_t i = 0; tree->kind == AST_PREPARE_STATEMENT && i < tree->as.prepare->type_count; i++) {
        const AstNames *name = &tree->as.prepare->types[i]->name;
        Str text = name->parts[name->count - 1].text;
        if (!str_equal(text, STR("unknown")) && !type_from_name(text, false, &type)) {
            return true;
        }
    }
    return false;
}

static ErrorCode parse(Compiled *compiled, Str sql, size_t *used_out, Error *err) {
    compiled->text = arena_str(&compiled->arena, sql);
    TRY(sql_parse(compiled->text, 0, compiled->session->dialect, &compiled->arena, &compiled->tree, used_out, err));
    compiled->text = str_slice(compiled->text, 0, *used_out);
    TRY(compiled__expand_explain(compiled, err));
    StatementKind kind = compiled->tree == NULL ? STATEMENT_EMPTY : own_kind(compiled->tree);
    compiled->own = kind != STATEMENT_EMPTY;
    compiled->needs_catalog = compiled->tree != NULL && (!compiled->own || kind == STATEMENT_DECLARE_CURSOR || declares_user_type(compiled->tree));
    bound_own(compiled, kind);
    if (compiled->needs_catalog && !compiled->own) {
        compiled->bound->kind = STATEMENT_SELECT; /* until it is bound: nothing that a failed block allows */
    }
    TRY(compiled__check_allowed(compiled, err));
    return own_columns(compiled, err);
}

ErrorCode compiled__create(Session *session, Str sql, const Type *param_types, uint32_t param_count, Compiled **compiled_out, size_t *used_out, Error *err) {
    Compiled *compiled = take(session);
    compiled->declared_count = param_count;
    compiled->declared = arena_array(&compiled->arena, Type, param_count);
    if (param_count > 0) {
        memcpy(compiled->declared, param_types, param_count * sizeof *param_types);
    }
    ErrorCode code = parse(compiled, sql, used_out, err);
    if (code != ERR_OK) {
        compiled__release(compiled);
        return code;
    }
    *compiled_out = compiled;
    return ERR_OK;
}

/* The query of DECLARE is bound for its parameters; the cursor binds it again. Of PREPARE only the types are. */
static ErrorCode bind_declared(Compiled *compiled, const BindContext *context, Error *err) {
    if (compiled->tree->kind == AST_PREPARE_STATEMENT) {
        const AstPrepare *prepare = compiled->tree->as.prepare;
        return bind_types(context, prepare->types, prepare->type_count, &compiled->arena, &compiled->bound->declared_types, err);
    }
    AstStatement *query = compiled->tree->as.cursor->query;
    BoundStatement *bound = NULL;
    if (query->kind != AST_SELECT_STATEMENT) {
        return error_set(err, ERR_INVALID_CURSOR_DEFINITION, query->span.at, "DECLARE CURSOR takes a query");
    }
    query->param_max = compiled->tree->param_max;
    TRY(bind_statement(query, context, &compiled->arena, &bound, err));
    compiled->bound->param_types = bound->param_types;
    compiled->bound->param_count = bound->param_count;
    return ERR_OK;
}

/* The schema of temporary objects is made before the first of them is bound. */
static ErrorCode make_temp_schema(const Compiled *compiled, Txn *txn, Error *err) {
    const AstStatement *tree = compiled->tree;
    bool temporary = (tree->kind == AST_CREATE_TABLE_STATEMENT && tree->as.create_table->temporary) ||
                     (tree->kind == AST_CREATE_VIEW_STATEMENT && tree->as.create_view->temporary) ||
                     (tree->kind == AST_SEQUENCE_STATEMENT && tree->as.sequence->temporary);
    Str name;
    return temporary ? session__temp_schema(compiled->session, txn, &name, err) : ERR_OK;
}

/* A lone word is QuestDB's spelling of a query. In PostgreSQL's dialect one that names no table is no word of the language. */
static ErrorCode lone_word(const Compiled *compiled, ErrorCode code, Error *err) {
    const AstStatement *tree = compiled->tree;
    bool lone = code == ERR_UNDEFINED_TABLE && tree->kind == AST_SELECT_STATEMENT && tree->as.select->kind == AST_SELECT_TABLE &&
                compiled->session->dialect == DIALECT_POSTGRES && tree->span.at == tree->as.select->from[0]->span.at;
    Str word = lone ? str_slice(compiled->text, tree->span.at, tree->span.at + tree->span.len) : (Str){0};
    if (!lone || str_find_char(word, ' ', 0) >= 0) {
        return code;
    }
    return error_set(err, ERR_SYNTAX, tree->span.at, "syntax error at or near \"%.*s\"", (int)MIN_OF(word.len, (size_t)100), word.data);
}

ErrorCode compiled__bind(Compiled *compiled, Txn *txn, Error *err) {
    Session *session = compiled->session;
    if (!compiled->needs_catalog) {
        return ERR_OK;
    }
    assert(txn != NULL);
    TRY(make_temp_schema(compiled, txn, err));
    session__environment(session, &compiled->environment);
    CatalogView *catalog = txn_catalog(txn);
    system_view_init(&compiled->system, &compiled->arena, catalog, txn_storage(txn), &compiled->environment, compiled->session->hub->sched,
                     &compiled->session->system_lock);
    compiled->environment.names = &compiled->system.names;
    compiled->environment.system = &compiled->system.calls;
    BindContext context = {.catalog = &compiled->system.base, .environment = &compiled->environment, .text = compiled->text, .dialect = session->dialect,
                           .param_types = compiled->declared, .param_count = compiled->declared_count,
                           .role_id = session__bind_role(session, catalog)};
    compiled->catalog_version = catalog->version(catalog);
    compiled->bind_version = session->bind_version;
    ErrorCode code = compiled->own ? bind_declared(compiled, &context, err) : bind_statement(compiled->tree, &context, &compiled->arena, &compiled->bound, err);
    if (code != ERR_OK) {
        return lone_word(compiled, code, err);
    }
    if (compiled->arena.over_limit) {
        return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "the statement needs more than %d bytes to be planned", STATEMENT_ARENA_BYTES_MAX);
    }
    return ERR_OK;
}

/* ---- binding again ---- */

const RelColumn *compiled__columns(const Compiled *compiled, uint32_t *count_out) {
    static const RelColumn EXPLAIN_COLUMN = {.type = {.id = TYPE_TEXT}, .name = {"QUERY PLAN", 10}, .table_column = -1};
    static const RelColumn JSON_COLUMN = {.type = {.id = TYPE_JSON}, .name = {"QUERY PLAN", 10}, .table_column = -1};
    const BoundStatement *bound = compiled->bound;
    if (bound->kind == STATEMENT_EXPLAIN) {
        *count_out = 1;
        return bound->as_json ? &JSON_COLUMN : &EXPLAIN_COLUMN;
    }
    if (bound->returning_count > 0) {
        *count_out = bound->returning_count;
        return bound->returning_columns;
    }
    if ((bound->kind == STATEMENT_SELECT || bound->kind == STATEMENT_SHOW) && bound->rel != NULL) {
        *count_out = bound->rel->column_count;
        return bound->rel->columns;
    }
    *count_out = compiled->column_count;
    return compiled->columns;
}

/* Names of the old one are not looked at: their memory may be gone. */
static bool same_shape(const Compiled *before, const Compiled *after) {
    uint32_t a_count, b_count;
    const RelColumn *a = compiled__columns(before, &a_count), *b = compiled__columns(after, &b_count);
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++) {
        same = a[i].type.id == b[i].type.id && a[i].type.length == b[i].type.length && a[i].type.precision == b[i].type.precision &&
               a[i].type.scale == b[i].type.scale;
    }
    return same;
}

static ErrorCode bind_anew(const Compiled *before, Txn *txn, Compiled **after_out, Error *err) {
    size_t used = 0;
    TRY(compiled__create(before->session, before->text, before->bound->param_types, before->bound->param_count, after_out, &used, err));
    ErrorCode code = compiled__bind(*after_out, txn, err);
    if (code == ERR_OK && !same_shape(before, *after_out)) {
        code = error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "cached plan must not change result type");
        (void)error_add(err, 'R', "RevalidateCachedQuery"); /* what drivers look for before they prepare again */
    }
    if (code != ERR_OK) {
        compiled__release(*after_out);
    }
    return code;
}

ErrorCode compiled__refresh(Compiled **compiled, Txn *txn, Error *err) {
    const Compiled *now = *compiled;
    bool own = !now->needs_catalog && (now->bound->kind == STATEMENT_EXECUTE || now->bound->kind == STATEMENT_FETCH);
    if (now->needs_catalog) {
        CatalogView *catalog = txn_catalog(txn);
        if (LIKELY(now->catalog_version == catalog->version(catalog) && now->bind_version == now->session->bind_version)) {
            return ERR_OK;
        }
    } else if (!own) {
        return ERR_OK;
    }
    Compiled *after = NULL;
    TRY(bind_anew(now, txn, &after, err));
    compiled__release(*compiled);
    *compiled = after;
    return ERR_OK;
}
