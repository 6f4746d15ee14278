/* SPDX-License-Identifier: Apache-2.0
 * bind_select.c - one SELECT: FROM, WHERE, LATEST ON, select list, grouping, projection, DISTINCT, ORDER BY, LIMIT, in that order.
 *
 * Why:   everything that may call an aggregate (list, HAVING, ORDER BY) is bound over the input first; then the grouped relation is
 *        built and the bound expressions are rewritten over it (bind_group.c). Expressions are interned, so "is a group" is one compare.
 * Tests: test/unit/sql/bind/ */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- names of columns */

static Str call_name(const AstExpr *ast) {
    if (ast->kind == AST_CALL_SPECIAL) {
        return ast->as.call->name.parts[ast->as.call->name.count - 1].text;
    }
    if ((ast->flags & AST_OPERATOR) == 0) {
        return ast->as.text;
    }
    static const struct { Str written, name; } calls[] = {{{"at time zone", 12}, {"timezone", 8}}, {{"overlaps", 8}, {"overlaps", 8}}}; /* functions to PostgreSQL */
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        if (str_equal(ast->as.text, calls[i].written)) {
            return calls[i].name;
        }
    }
    return STR("?column?");
}

/* What PostgreSQL's grammar makes of a type's words. */
static Str cast_name(const AstType *type) {
    static const struct { Str word, name; } names[] = {
        {{"int", 3}, {"int4", 4}}, {{"integer", 7}, {"int4", 4}}, {{"smallint", 8}, {"int2", 4}}, {{"bigint", 6}, {"int8", 4}}, {{"real", 4}, {"float4", 6}},
        {{"float", 5}, {"float8", 6}}, {{"double precision", 16}, {"float8", 6}}, {{"decimal", 7}, {"numeric", 7}}, {{"dec", 3}, {"numeric", 7}},
        {{"boolean", 7}, {"bool", 4}}, {{"character varying", 17}, {"varchar", 7}}, {{"character", 9}, {"bpchar", 6}}, {{"char", 4}, {"bpchar", 6}},
        {{"timestamp with time zone", 24}, {"timestamptz", 11}}, {{"timestamp without time zone", 27}, {"timestamp", 9}},
        {{"time with time zone", 19}, {"timetz", 6}}, {{"time without time zone", 22}, {"time", 4}}};
    const AstName *last = &type->name.parts[type->name.count - 1];
    for (size_t i = 0; i < COUNT_OF(names) && !last->quoted && type->name.count == 1; i++) {
        if (str_equal_ignore_case(last->text, names[i].word)) {
            return names[i].name;
        }
    }
    return last->text;
}

/* A scalar subquery is called what its column is. */
static Str subquery_name(const AstSelect *select, bool *weak) {
    while (select->kind == AST_SELECT_SET_OPERATION) {
        select = select->arms[0];
    }
    if (select->kind == AST_SELECT_VALUES) {
        return STR("column1");
    }
    if (select->kind != AST_SELECT_QUERY || select->item_count == 0) {
        return STR("?column?");
    }
    const AstSelectItem *item = &select->items[0];
    return item->alias != NULL ? item->alias->text : item->expr->kind == AST_STAR ? STR("?column?") : figured_name(item->expr, weak);
}

Str figured_name(const AstExpr *ast, bool *weak) {
    *weak = false;
    switch ((AstExprKind)ast->kind) {
    case AST_NAME: return ast->as.names.parts[ast->as.names.count - 1].text;
    case AST_CALL:
        if ((ast->flags & AST_OPERATOR) != 0 && str_equal(ast->as.text, STR("collate"))) {
            return figured_name(ast->args[0], weak);
        }
        return call_name(ast);
    case AST_CALL_SPECIAL: return call_name(ast);
    case AST_CASE: {
        Str name = (ast->flags & AST_HAS_ELSE) != 0 ? figured_name(ast->args[ast->arg_count - 1], weak) : (Str){0};
        bool named = name.len > 0 && !*weak && !str_equal(name, STR("?column?"));
        *weak = !named;
        return named ? name : STR("case");
    }
    case AST_CAST: {
        Str inner = (ast->flags & AST_TYPED_LITERAL) != 0 ? (Str){0} : figured_name(ast->args[0], weak);
        bool unnamed = inner.len == 0 || *weak || str_equal(inner, STR("?column?"));
        *weak = unnamed;
        return unnamed ? cast_name(ast->as.type) : inner;
    }
    case AST_SUBSCRIPT: return figured_name(ast->args[0], weak);
    case AST_FIELD: return str_equal(ast->as.text, STR("*")) ? figured_name(ast->args[0], weak) : ast->as.text;
    case AST_ARRAY: return STR("array");
    case AST_ROW: return STR("row");
    case AST_SUBQUERY: return subquery_name(ast->as.select, weak);
    default: return STR("?column?");
    }
}

static Str postgres_name(const AstExpr *ast) {
    bool weak = false;
    return figured_name(ast, &weak);
}

static Str questdb_name(Binder *b, const AstSelectItem *item) {
    const AstExpr *ast = item->expr;
    if (ast->kind == AST_NAME) {
        return ast->as.names.parts[ast->as.names.count - 1].text;
    }
    if (ast->kind == AST_CALL && (ast->flags & AST_STAR_ARGUMENT) != 0) {
        return arena_format(b->arena, "%.*s()", STR_ARG(ast->as.text));
    }
    size_t end = (size_t)item->span.at + item->span.len;
    return end <= b->context->text.len ? str_slice(b->context->text, item->span.at, end) : STR("column");
}

Str item_name(Binder *b, const AstSelectItem *item) {
    if (item->alias != NULL) {
        return item->alias->text;
    }
    return dialect_has(b->dialect, DIALECT_COLUMN_NAME_IS_SOURCE) ? questdb_name(b, item) : postgres_name(item->expr);
}

/* ---------------------------------------------------------------- the select list */

uint32_t add_item(Binder *b, SelectState *s, OutputItem item) {
    if (s->item_count == s->item_capacity) {
        s->item_capacity = s->item_capacity == 0 ? 16 : s->item_capacity * 2;
        OutputItem *items = arena_array(b->arena, OutputItem, s->item_capacity);
        if (s->item_count > 0) {
            memcpy(items, s->items, s->item_count * sizeof *items);
        }
        s->items = items;
    }
    s->items[s->item_count] = item;
    return s->item_count++;
}

static ErrorCode add_star(Binder *b, SelectState *s, const AstExpr *star) {
    uint32_t before = s->item_count;
    int64_t position = star != NULL ? (int64_t)star->span.at : (int64_t)s->ast->span.at;
    for (uint32_t i = 0; i < s->scope.count; i++) {
        const ScopeColumn *column = &s->scope.columns[i];
        bool qualified = star != NULL && star->as.names.count > 0;
        bool other_schema = qualified && star->as.names.count > 1 && !name_same(&star->as.names.parts[star->as.names.count - 2], column->schema);
        if (other_schema) {
            continue;
        }
        if (qualified ? !name_same(&star->as.names.parts[star->as.names.count - 1], column->qualifier) : column->merged && !column->in_star) {
            continue;
        }
        record_star_column(b, column);
        add_item(b, s, (OutputItem){expr_column(b, column->id, column->type, position), column->name, position});
    }
    if (s->item_count > before) {
        return ERR_OK;
    }
    if (star != NULL && star->as.names.count > 0) {
        Str table = star->as.names.parts[star->as.names.count - 1].text;
        return error_set(b->err, ERR_UNDEFINED_TABLE, position, "missing FROM-clause entry for table \"%.*s\"", STR_ARG(table));
    }
    return s->ast->from_count > 0 ? ERR_OK : error_set(b->err, ERR_SYNTAX, position, "SELECT * with no tables specified is not valid");
}

/* (record).* */
static ErrorCode add_fields(Binder *b, SelectState *s, const AstExpr *ast) {
    const Expr *record = NULL;
    TRY(bind_expr(b, &s->scope, ast->args[0], &record));
    const RecordShape *shape = record_shape(b, record);
    if (shape == NULL) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->span.at, "type %.*s is not composite", STR_ARG(type_name(b, record->type)));
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        const Expr *field = NULL;
        TRY(record_field(b, record, i, ast->span.at, &field));
        add_item(b, s, (OutputItem){field, shape->names[i], ast->span.at});
    }
    return ERR_OK;
}

static ErrorCode bind_items(Binder *b, SelectState *s) {
    s->scope.clause = "SELECT";
    s->scope.aggregates = &s->aggregates;
    s->windows.select = s->ast;
    s->scope.windows = &s->windows;
    s->scope.srfs = &s->srfs;
    uint32_t stars = record_stars(b);
    if (s->ast->kind == AST_SELECT_TABLE) {
        TRY(add_star(b, s, NULL));
        record_star(b, s->ast, 0, stars);
        return ERR_OK;
    }
    for (uint32_t i = 0; i < s->ast->item_count; i++) {
        const AstSelectItem *item = &s->ast->items[i];
        if (item->expr->kind == AST_STAR) {
            uint32_t before = s->item_count;
            TRY(add_star(b, s, item->expr));
            record_star(b, s->ast, i, stars);
            i += b->record != NULL ? s->item_count - before - 1 : 0; /* the star has become its columns */
            continue;
        }
        if (item->expr->kind == AST_FIELD && str_equal(item->expr->as.text, STR("*"))) {
            TRY(add_fields(b, s, item->expr));
            continue;
        }
        const Expr *expr = NULL;
        TRY(bind_expr(b, &s->scope, item->expr, &expr));
        add_item(b, s, (OutputItem){expr, item_name(b, item), item->expr->span.at});
    }
    return ERR_OK;
}

static bool name_taken(const SelectState *s, uint32_t count, Str name) {
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal_ignore_case(s->items[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* QuestDB tells columns of one name apart by a number behind them: ts, ts1. */
static void number_names(Binder *b, SelectState *s) {
    if (!dialect_has(b->dialect, DIALECT_COLUMN_NAME_IS_SOURCE)) {
        return;
    }
    for (uint32_t i = 1; i < s->visible_count; i++) {
        Str name = s->items[i].name;
        for (uint32_t n = 1; name_taken(s, i, name) && n < COLUMNS_MAX; n++) {
            name = arena_format(b->arena, "%.*s%u", STR_ARG(s->items[i].name), n);
        }
        s->items[i].name = name;
    }
}

/* ---------------------------------------------------------------- WHERE, LATEST ON */

static ErrorCode apply_where(Binder *b, SelectState *s) {
    if (s->ast->where == NULL) {
        return ERR_OK;
    }
    const Expr *condition = NULL;
    s->scope.aggregates = NULL;
    s->scope.windows = NULL;
    s->scope.srfs = NULL;
    TRY(bind_condition(b, &s->scope, s->ast->where, "WHERE", &condition));
    return rel_filter(b, s->rel, condition, &s->rel);
}

static ErrorCode latest_timestamp(Binder *b, SelectState *s, const AstLatest *ast, const Expr **expr_out) {
    if (ast->timestamp == NULL) {
        if (s->scope.timestamp == 0) {
            return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->span.at, "LATEST BY needs a table with a designated timestamp");
        }
        for (uint32_t i = 0; i < s->scope.count; i++) {
            if (s->scope.columns[i].id == s->scope.timestamp) {
                *expr_out = expr_column(b, s->scope.timestamp, s->scope.columns[i].type, ast->span.at);
            }
        }
        return ERR_OK;
    }
    TRY(bind_expr(b, &s->scope, ast->timestamp, expr_out));
    if ((*expr_out)->kind != EXPR_COLUMN || !type_is_timestamp((TypeId)(*expr_out)->type.id)) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->timestamp->span.at, "LATEST ON needs a timestamp column");
    }
    return ERR_OK;
}

static ErrorCode apply_latest(Binder *b, SelectState *s, bool before_where) {
    const AstLatest *ast = s->ast->latest;
    if (ast == NULL || ast->before_where != before_where) {
        return ERR_OK;
    }
    const Expr *timestamp = NULL;
    const Expr **keys = NULL;
    s->scope.aggregates = NULL;
    s->scope.clause = "LATEST ON";
    TRY(latest_timestamp(b, s, ast, &timestamp));
    TRY(bind_exprs(b, &s->scope, ast->partition_by, ast->partition_count, &keys));
    Rel *rel = NULL;
    TRY(rel_like(b, REL_LATEST, s->rel, &rel));
    rel->as.latest.timestamp = timestamp;
    rel->as.latest.keys = keys;
    rel->as.latest.key_count = (uint16_t)ast->partition_count;
    s->rel = rel;
    return ERR_OK;
}

/* ---------------------------------------------------------------- projection, DISTINCT, order */

static bool is_identity(const SelectState *s) {
    if (s->item_count != s->rel->column_count || s->grouped) {
        return false;
    }
    for (uint32_t i = 0; i < s->item_count; i++) {
        const Expr *expr = s->items[i].expr;
        if (expr->kind != EXPR_COLUMN || expr->as.column != s->rel->columns[i].id || !str_equal(s->items[i].name, s->rel->columns[i].name)) {
            return false;
        }
    }
    return true;
}

static ErrorCode project_items(Binder *b, SelectState *s, uint32_t count) {
    const Expr **exprs = arena_array(b->arena, const Expr *, count + 1);
    Str *names = arena_array(b->arena, Str, count + 1);
    bool settle = s->ast->distinct || s->order_count > 0;
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = s->items[i].expr;
        if (settle) {
            TRY(coerce_known(b, exprs[i], &exprs[i]));
        }
        names[i] = s->items[i].name;
    }
    if (is_identity(s)) {
        return ERR_OK;
    }
    ColumnId timestamp = 0;
    Rel *rel = NULL;
    TRY(rel_project(b, s->rel, exprs, names, count, &rel));
    for (uint32_t i = count; i-- > 0;) {
        timestamp = exprs[i]->kind == EXPR_COLUMN && exprs[i]->as.column == s->timestamp && s->timestamp != 0 ? rel->columns[i].id : timestamp;
    }
    s->rel = rel;
    s->timestamp = timestamp;
    return ERR_OK;
}

static ErrorCode apply_distinct_on(Binder *b, SelectState *s) {
    if (!s->ast->distinct_on_given) {
        return ERR_OK;
    }
    const Expr **on = arena_array(b->arena, const Expr *, s->distinct_on_count + 1);
    for (uint32_t i = 0; i < s->distinct_on_count; i++) {
        on[i] = rel_column_expr(b, s->rel, s->distinct_on[i]);
    }
    Rel *rel = NULL;
    TRY(rel_like(b, REL_DISTINCT, s->rel, &rel));
    rel->as.distinct.on = on;
    rel->as.distinct.on_count = (uint16_t)s->distinct_on_count;
    s->rel = rel;
    return ERR_OK;
}

static ErrorCode apply_distinct(Binder *b, SelectState *s) {
    if (!s->ast->distinct || s->ast->distinct_on_given) {
        return ERR_OK;
    }
    s->timestamp = 0;
    return rel_distinct(b, s->rel, &s->rel);
}

static ErrorCode apply_order(Binder *b, SelectState *s) {
    if (s->order_count == 0) {
        return ERR_OK;
    }
    for (uint32_t i = 0; i < s->order_count; i++) { /* item numbers were left in the keys */
        s->order[i].expr = rel_column_expr(b, s->rel, (uint32_t)(uintptr_t)s->order[i].expr);
        if (s->order[i].expr->type.id == TYPE_JSON && i < s->ast->order_count) {
            error_ignore(error_set(b->err, ERR_UNDEFINED_FUNCTION, s->ast->order_by[i].expr->span.at, "could not identify an ordering operator for type json"));
            return error_add(b->err, 'H', "Use an explicit ordering operator or modify the query.");
        }
    }
    Rel *rel = NULL;
    TRY(rel_like(b, REL_SORT, s->rel, &rel));
    rel->as.sort.keys = s->order;
    rel->as.sort.key_count = (uint16_t)s->order_count;
    const Expr *first = s->order[0].expr;
    bool by_time = s->timestamp != 0 && first->kind == EXPR_COLUMN && first->as.column == s->timestamp;
    rel->order_column = by_time ? s->timestamp : 0;
    rel->order_descending = by_time && s->order[0].descending;
    s->timestamp = by_time ? s->timestamp : 0;
    s->rel = rel;
    return ERR_OK;
}

/* Columns that were there for ORDER BY only go away again. */
static ErrorCode drop_hidden(Binder *b, SelectState *s, Query *query) {
    if (s->item_count == s->visible_count) {
        return ERR_OK;
    }
    Rel *input = query->rel;
    const Expr **exprs = arena_array(b->arena, const Expr *, s->visible_count + 1);
    Str *names = arena_array(b->arena, Str, s->visible_count + 1);
    rel_column_exprs(b, input, s->visible_count, exprs, names);
    ColumnId timestamp = 0;
    TRY(rel_project(b, input, exprs, names, s->visible_count, &query->rel));
    for (uint32_t i = 0; i < s->visible_count; i++) {
        timestamp = query->timestamp != 0 && input->columns[i].id == query->timestamp ? query->rel->columns[i].id : timestamp;
    }
    query->timestamp = timestamp;
    return ERR_OK;
}

/* ---------------------------------------------------------------- SELECT */

static ErrorCode check_clauses(Binder *b, const AstSelect *ast) {
    if (ast->into != NULL) {
        return not_supported(b, ast->into->span.at, "SELECT INTO");
    }
    if (ast->sample_by != NULL && ast->has_group_by) {
        return not_supported(b, ast->group_span.at, "GROUP BY beside SAMPLE BY");
    }
    return ERR_OK;
}

static ErrorCode bind_input(Binder *b, SelectState *s) {
    TRY(bind_from_list(b, s->ast->from, s->ast->from_count, &s->scope, &s->rel));
    TRY(bind_items(b, s)); /* before WHERE, as in both languages: the first error in the text is the first told */
    TRY(apply_latest(b, s, true));
    TRY(apply_where(b, s));
    TRY(apply_latest(b, s, false));
    s->timestamp = s->scope.timestamp;
    return ERR_OK;
}

static ErrorCode bind_outputs(Binder *b, SelectState *s) {
    s->scope.aggregates = &s->aggregates;
    s->scope.windows = NULL;
    s->scope.srfs = NULL;
    s->visible_count = s->item_count;
    s->implied_groups = s->aggregates.count > 0;
    number_names(b, s);
    if (s->ast->having != NULL) {
        TRY(bind_condition(b, &s->scope, s->ast->having, "HAVING", &s->having));
    }
    TRY(bind_order_by(b, s));
    return s->ast->distinct_on_given ? bind_distinct_on(b, s) : ERR_OK;
}

static ErrorCode bind_groups(Binder *b, SelectState *s) {
    if (s->ast->sample_by != NULL) {
        TRY(sample_query(b, s));
    } else if (s->ast->has_group_by || s->aggregates.count + s->aggregates.grouping_count > 0 || s->having != NULL) {
        TRY(group_query(b, s));
    }
    return s->having != NULL ? rel_filter(b, s->rel, s->having, &s->rel) : ERR_OK;
}

static ErrorCode bind_core(Binder *b, const AstSelect *ast, Scope *outer, Query *query) {
    SelectState s = {.ast = ast, .scope = {.outer = outer}};
    TRY(check_clauses(b, ast));
    TRY(bind_input(b, &s));
    TRY(bind_outputs(b, &s));
    TRY(bind_groups(b, &s));
    if (ast->locking_count > 0 && s.grouped) {
        return error_set(b->err, ERR_NOT_SUPPORTED, ast->locking[0].span.at, "FOR UPDATE is not allowed with aggregate functions");
    }
    TRY(apply_windows(b, &s));
    TRY(apply_srfs(b, &s));
    TRY(project_items(b, &s, s.item_count));
    TRY(apply_distinct(b, &s));
    TRY(apply_order(b, &s));
    TRY(apply_distinct_on(b, &s));
    *query = (Query){s.rel, s.timestamp};
    TRY(bind_limit(b, ast->limit, query));
    return drop_hidden(b, &s, query);
}

/* ---------------------------------------------------------------- queries */

ErrorCode with_push(Binder *b, const AstWith *with, Scope *outer) {
    if (with == NULL) {
        return ERR_OK;
    }
    uint32_t *order = arena_array(b->arena, uint32_t, with->count);
    for (uint32_t i = 0; i < with->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (str_equal(with->ctes[i].name.text, with->ctes[j].name.text)) {
                return error_set(b->err, ERR_DUPLICATE_ALIAS, with->ctes[i].name.span.at, "WITH query name \"%.*s\" specified more than once", STR_ARG(with->ctes[i].name.text));
            }
        }
    }
    TRY(check_recursion(b, with, order));
    for (uint32_t i = 0; i < with->count; i++) {
        CteScope *scope = arena_new(b->arena, CteScope);
        *scope = (CteScope){.cte = &with->ctes[order[i]], .outer = b->ctes, .scope = outer, .recursive = with->recursive};
        b->ctes = scope;
    }
    return ERR_OK;
}

ErrorCode with_check(Binder *b, const CteScope *until) {
    for (CteScope *cte = b->ctes; cte != until; cte = cte->outer) {
        if (cte->used) {
            continue;
        }
        const AstCte *ast = cte->cte;
        if (ast->statement->kind != AST_SELECT_STATEMENT) {
            return not_supported(b, ast->name.span.at, "a data-modifying statement in WITH");
        }
        Query query = {0};
        TRY(bind_cte_query(b, cte, &query));
    }
    return ERR_OK;
}

void declare_push(Binder *b, const AstDeclare *declares, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        VariableScope *scope = arena_new(b->arena, VariableScope);
        *scope = (VariableScope){&declares[i], b->variables};
        b->variables = scope;
    }
}

/* FOR UPDATE and its kin: rows are read at the statement's snapshot and not locked; the second writer of a row gets 40001 (docs/locks.md).
 * Where PostgreSQL could not lock rows it is refused. */
static ErrorCode check_locking(Binder *b, const AstSelect *select) {
    const char *what = select->kind == AST_SELECT_VALUES          ? "VALUES"
                       : select->kind == AST_SELECT_SET_OPERATION && select->arm_count > 1 ? "UNION/INTERSECT/EXCEPT"
                       : select->distinct                         ? "DISTINCT clause"
                       : select->has_group_by                     ? "GROUP BY clause"
                       : select->having != NULL                   ? "HAVING clause"
                                                                  : NULL;
    if (what == NULL) {
        return ERR_OK;
    }
    return error_set(b->err, ERR_NOT_SUPPORTED, select->locking[0].span.at, "FOR %s is not allowed with %s", select->locking[0].share ? "SHARE" : "UPDATE", what);
}

static ErrorCode bind_kind(Binder *b, const AstSelect *select, Scope *outer, Query *query) {
    if (select->locking_count > 0) {
        TRY(check_locking(b, select));
    }
    if (select->kind == AST_SELECT_QUERY || select->kind == AST_SELECT_TABLE) {
        return bind_core(b, select, outer, query);
    }
    return bind_set_operation(b, select, outer, query);
}

ErrorCode bind_query(Binder *b, const AstSelect *select, Scope *outer, Query *query_out) {
    CteScope *ctes = b->ctes;
    VariableScope *variables = b->variables;
    declare_push(b, select->declares, select->declare_count);
    TRY(with_push(b, select->with, outer));
    TRY(bind_kind(b, select, outer, query_out));
    TRY(with_check(b, ctes));
    b->ctes = ctes;
    b->variables = variables;
    return ERR_OK;
}

/* A parameter that nothing asks for here becomes text: elsewhere in the statement it may not have become something else. */
static ErrorCode check_param(Binder *b, const Expr *expr, Type type) {
    if (expr->kind != EXPR_PARAM || expr->type.id != TYPE_UNKNOWN || b->dialect != DIALECT_POSTGRES) {
        return ERR_OK;
    }
    Type known = b->param_types[expr->as.param];
    if (known.id == TYPE_UNKNOWN || known.id == type.id) {
        return ERR_OK;
    }
    ErrorCode code = error_set(b->err, ERR_AMBIGUOUS_PARAMETER, expr->position, "inconsistent types deduced for parameter $%u", expr->as.param + 1);
    (void)error_add(b->err, 'D', "%.*s versus %.*s", STR_ARG(type_name(b, known)), STR_ARG(type_name(b, type)));
    return code;
}

/* A literal without a type in a select list gets one from whoever reads the query: a UNION, an INSERT, else text. */
static ErrorCode settle_column(Binder *b, Rel *rel, uint32_t i, Type type) {
    while (rel->kind == REL_SORT || rel->kind == REL_LIMIT || rel->kind == REL_FILTER || (rel->kind == REL_DISTINCT && rel->as.distinct.on_count > 0)) {
        rel = rel->inputs[0];
    }
    if (rel->columns[i].type.id != TYPE_UNKNOWN) {
        return ERR_OK;
    }
    assert(rel->kind == REL_PROJECT);
    const Expr **exprs = (const Expr **)(uintptr_t)rel->as.project.exprs;
    TRY(check_param(b, exprs[i], type));
    TRY(coerce(b, exprs[i], type, CAST_ASSIGNMENT, &exprs[i]));
    rel_columns(rel)[i].type = exprs[i]->type;
    return ERR_OK;
}

ErrorCode query_settle(Binder *b, const Query *query, const Type *types) {
    for (uint32_t i = 0; i < query->rel->column_count; i++) {
        if (query->rel->columns[i].type.id == TYPE_UNKNOWN) {
            TRY(settle_column(b, query->rel, i, types != NULL ? types[i] : type_of(TYPE_TEXT)));
        }
    }
    return ERR_OK;
}

ErrorCode bind_subselect(Binder *b, const AstSelect *select, Scope *outer, const char *what, const Type *type, Query *query_out) {
    TRY(bind_query(b, select, outer, query_out));
    if (query_out->rel->column_count != 1) {
        bool compared = str_equal(str_from_c(what), STR("IN (subquery)"));
        bool postgres = b->dialect == DIALECT_POSTGRES;
        return error_set(b->err, ERR_SYNTAX, select->span.at, postgres && compared ? "subquery has too many columns" : "%s must return only one column", postgres ? "subquery" : what);
    }
    return type != NULL && type->id != TYPE_UNKNOWN ? query_settle(b, query_out, type) : query_settle(b, query_out, NULL);
}
