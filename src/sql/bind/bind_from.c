/* SPDX-License-Identifier: Apache-2.0
 * bind_from.c - FROM: tables, WITH queries, subqueries, table functions and joins become relations and fill the scope.
 *
 * Why:   a WITH query is bound anew at each use (its columns need ids of their own), so the number of relations is limited. */
#include "sql/bind/bind_internal.h"
#include "sql/system/oid.h"

static ErrorCode bind_item(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out);

void scope_add_table(Binder *b, Scope *scope, const Rel *rel, const TableDef *table, Str qualifier) {
    if (table != NULL && is_target_view(b, table)) {
        target_scope(b, scope, rel->columns, &b->target->names, table->id, qualifier, false);
        return;
    }
    for (uint32_t i = 0; i < rel->column_count; i++) {
        const RelColumn *column = &rel->columns[i];
        if (table != NULL && column->table_column < 0) {
            continue; /* row_ref has no name */
        }
        scope_add(b, scope, (ScopeColumn){.qualifier = qualifier, .schema = table != NULL ? table->schema_name : (Str){0}, .name = column->name,
                                          .id = column->id, .type = column->type, .symbols = column->symbols, .table_id = column->table_id,
                                          .table_column = column->table_column});
    }
}

/* ---------------------------------------------------------------- names of the item */

/* Two tables of one name are fine as long as their schemas tell them apart. */
static ErrorCode check_unique(Binder *b, const Scope *scope, uint32_t first, int64_t position) {
    Str qualifier = scope->columns[first].qualifier;
    for (uint32_t i = scope->unique_from; i < first && qualifier.len > 0; i++) {
        if (str_equal(scope->columns[i].qualifier, qualifier) && str_equal(scope->columns[i].schema, scope->columns[first].schema)) {
            return error_set(b->err, ERR_DUPLICATE_ALIAS, b->dialect == DIALECT_POSTGRES ? ERROR_NO_POSITION : position, "table name \"%.*s\" specified more than once", STR_ARG(qualifier));
        }
    }
    return ERR_OK;
}

/* (a JOIN b USING (k)) AS j: k is one. */
static void drop_merged(Scope *scope, uint32_t first) {
    uint32_t kept = first;
    for (uint32_t i = first; i < scope->count; i++) {
        if (!scope->columns[i].merged || scope->columns[i].in_star) {
            scope->columns[kept++] = scope->columns[i];
        }
    }
    scope->count = kept;
}

/* alias, alias(a, b), TIMESTAMP(c): names given by the query to what the item produced. */
static ErrorCode apply_alias(Binder *b, const AstFrom *item, Scope *scope, uint32_t first) {
    if (item->kind == AST_FROM_JOIN && item->alias != NULL) {
        drop_merged(scope, first);
    }
    uint32_t count = scope->count - first;
    if (item->column_count > count) {
        Str name = item->alias != NULL ? item->alias->text : count > 0 ? scope->columns[first].qualifier : (Str){0};
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, b->dialect == DIALECT_POSTGRES ? (int64_t)ERROR_NO_POSITION : (int64_t)item->columns[count].span.at,
                         "table \"%.*s\" has %u columns available but %u columns specified", STR_ARG(name), count, item->column_count);
    }
    for (uint32_t i = 0; i < item->column_count; i++) {
        scope->columns[first + i].name = item->columns[i].text;
    }
    for (uint32_t i = first; item->alias != NULL && i < scope->count; i++) {
        scope->columns[i].qualifier = item->alias->text;
        scope->columns[i].schema = (Str){0};
    }
    if (item->timestamp == NULL) {
        return ERR_OK;
    }
    Scope own = {.columns = scope->columns + first, .count = count};
    AstNames names = {.parts = item->timestamp, .count = 1, .span = item->timestamp->span};
    const ScopeColumn *column = NULL;
    TRY(scope_find(b, &own, &names, &column));
    if (!type_is_timestamp((TypeId)column->type.id)) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, item->timestamp->span.at, "column \"%.*s\" is not a timestamp", STR_ARG(column->name));
    }
    scope->timestamp = column->id;
    return ERR_OK;
}

/* ---------------------------------------------------------------- tables, WITH, subqueries */

static CteScope *find_cte(const Binder *b, const AstNames *names) {
    for (CteScope *c = b->ctes; c != NULL && names->count == 1; c = c->outer) {
        if (name_same(&names->parts[0], c->cte->name.text) || str_equal(names->parts[0].text, c->cte->name.text)) {
            return c;
        }
    }
    return NULL;
}

static ErrorCode add_query(Binder *b, Scope *scope, const Query *query, Str qualifier, Rel **rel_out) {
    TRY(query_settle(b, query, NULL));
    scope_add_table(b, scope, query->rel, NULL, qualifier);
    scope->timestamp = query->timestamp;
    *rel_out = query->rel;
    return ERR_OK;
}

static ErrorCode bind_cte(Binder *b, CteScope *cte, const AstFrom *item, Scope *scope, Rel **rel_out) {
    const AstCte *ast = cte->cte;
    if (ast->statement->kind != AST_SELECT_STATEMENT) {
        return not_supported(b, ast->name.span.at, "a data-modifying statement in WITH");
    }
    if (b->depth >= CTE_DEPTH_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, item->span.at, "WITH queries are nested deeper than %d levels", CTE_DEPTH_MAX);
    }
    Query query = {0};
    cte->used = true;
    scope->reads_itself = scope->reads_itself || cte->first != NULL;
    b->depth++;
    ErrorCode code = bind_cte_read(b, cte, &query);
    b->depth--;
    TRY(code);
    uint32_t first = scope->count;
    TRY(add_query(b, scope, &query, ast->name.text, rel_out));
    if (ast->column_count > scope->count - first) {
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, ast->name.span.at, "WITH query \"%.*s\" has %u columns available but %u columns specified",
                         STR_ARG(ast->name.text), scope->count - first, ast->column_count);
    }
    for (uint32_t i = 0; i < ast->column_count; i++) {
        scope->columns[first + i].name = ast->columns[i].text;
    }
    return ERR_OK;
}

/* Relations of the system that hold passwords: superusers only. */
static ErrorCode check_secret(Binder *b, const TableDef *table) {
    bool roles = str_equal(table->name, STR("pg_authid")), shadow = str_equal(table->name, STR("pg_shadow"));
    if (b->role_id == 0 || (table->id & SYSTEM_TABLE_BIT) == 0 || !(roles || shadow)) {
        return ERR_OK;
    }
    return error_set(b->err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for %s %.*s", roles ? "table" : "view", STR_ARG(table->name));
}

static ErrorCode bind_table(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    CteScope *cte = find_cte(b, &item->as.table);
    if (cte != NULL) {
        return bind_cte(b, cte, item, scope, rel_out);
    }
    const TableDef *table = NULL;
    const CatalogObject *object = relation_named(b, &item->as.table);
    if (object != NULL && object->kind == OBJECT_VIEW) {
        return bind_view_in_from(b, item, object, scope, rel_out);
    }
    if (object != NULL && object->kind == OBJECT_SEQUENCE) {
        TRY(check_privilege(b, object, PRIVILEGE_SELECT));
        TRY(bind_sequence_rel(b, object, item->span.at, rel_out));
        scope_add_table(b, scope, *rel_out, NULL, object->name);
        return ERR_OK;
    }
    TRY(query_table_find(b, &item->as.table, &table));
    TRY(check_secret(b, table));
    if (object != NULL) {
        TRY(check_privilege(b, object, PRIVILEGE_SELECT));
    }
    record_relation(b, item, table->id, table->schema_name, table->name);
    TRY(rel_scan(b, table, false, rel_out));
    scope_add_table(b, scope, *rel_out, table, table->name);
    scope->timestamp = (*rel_out)->order_column;
    return ERR_OK;
}

/* What an item behind LATERAL reads of the items to its left is asked of the join that puts it beside them. */
void note_laterals(Binder *b, const Capture *capture) {
    for (uint32_t i = 0; i < capture->count; i++) {
        bool ours = true;
        for (uint32_t j = 0; capture->outer != NULL && j < capture->outer->count; j++) {
            ours = ours && capture->outer->ids[j] != capture->ids[i]; /* else of a query around */
        }
        if (!ours) {
            continue;
        }
        if (b->lateral_count == b->lateral_capacity) {
            b->lateral_capacity = b->lateral_capacity == 0 ? 16 : b->lateral_capacity * 2;
            ColumnId *wider = arena_array(b->arena, ColumnId, b->lateral_capacity);
            if (b->lateral_count > 0) {
                memcpy(wider, b->laterals, b->lateral_count * sizeof *wider);
            }
            b->laterals = wider;
        }
        b->laterals[b->lateral_count++] = capture->ids[i];
    }
}

static ErrorCode bind_from_subquery(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    Query query = {0};
    if (!item->lateral) {
        TRY(bind_query(b, item->as.select, scope->outer, &query));
        return add_query(b, scope, &query, (Str){0}, rel_out);
    }
    Capture capture;
    capture_push(b, &capture, scope);
    ErrorCode code = bind_query(b, item->as.select, scope, &query);
    capture_pop(b, &capture);
    TRY(code);
    note_laterals(b, &capture);
    return add_query(b, scope, &query, (Str){0}, rel_out);
}

static ErrorCode bind_from_statement(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    const AstStatement *statement = item->as.statement;
    if (statement->kind != AST_SHOW_STATEMENT) {
        return not_supported(b, item->span.at, "EXPLAIN as a table");
    }
    TRY(bind_show_rel(b, statement->as.show, rel_out));
    scope_add_table(b, scope, *rel_out, NULL, (Str){0});
    return ERR_OK;
}

/* ---------------------------------------------------------------- joins */

typedef struct UsingPair { uint32_t left, right; } UsingPair; /* places in the scope */

static bool rel_has(const Rel *rel, ColumnId id) {
    for (uint32_t i = 0; i < rel->column_count; i++) {
        if (rel->columns[i].id == id) {
            return true;
        }
    }
    return false;
}

static bool reads_only(const Expr *expr, const Rel *rel) {
    if (expr->kind == EXPR_COLUMN) {
        return rel_has(rel, expr->as.column);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!reads_only(expr->args[i], rel)) {
            return false;
        }
    }
    return (expr->flags & EXPR_VOLATILE) == 0;
}

typedef struct JoinParts {
    const Expr **left_keys, **right_keys, **rest;
    uint32_t key_count, rest_count;
} JoinParts;

static bool is_equality(const Expr *expr) {
    return expr->kind == EXPR_CALL && expr->arg_count == 2 && strcmp(expr->as.call.function->name, "=") == 0 &&
           expr->args[0]->type.id == expr->args[1]->type.id;
}

static void take_conjunct(JoinParts *parts, const Rel *left, const Rel *right, const Expr *expr) {
    if (is_equality(expr) && expr_has_column(expr->args[0]) && expr_has_column(expr->args[1])) {
        bool straight = reads_only(expr->args[0], left) && reads_only(expr->args[1], right);
        bool crossed = reads_only(expr->args[1], left) && reads_only(expr->args[0], right);
        if (straight || crossed) {
            parts->left_keys[parts->key_count] = expr->args[straight ? 0 : 1];
            parts->right_keys[parts->key_count++] = expr->args[straight ? 1 : 0];
            return;
        }
    }
    parts->rest[parts->rest_count++] = expr;
}

static ErrorCode split_condition(Binder *b, Rel *join, const Expr *condition) {
    uint32_t count = condition->kind == EXPR_AND ? condition->arg_count : 1;
    JoinParts parts = {.left_keys = arena_array(b->arena, const Expr *, count), .right_keys = arena_array(b->arena, const Expr *, count),
                       .rest = arena_array(b->arena, const Expr *, count)};
    for (uint32_t i = 0; i < count; i++) {
        take_conjunct(&parts, join->inputs[0], join->inputs[1], condition->kind == EXPR_AND ? condition->args[i] : condition);
    }
    join->as.join.left_keys = parts.left_keys;
    join->as.join.right_keys = parts.right_keys;
    join->as.join.key_count = (uint16_t)parts.key_count;
    if (parts.rest_count == 1) {
        join->as.join.residual = parts.rest[0];
    } else if (parts.rest_count > 1) {
        return expr_nary(b, EXPR_AND, type_of(TYPE_BOOL), parts.rest, parts.rest_count, condition->position, &join->as.join.residual);
    }
    return ERR_OK;
}

/* Takes the left columns that items from `first` on read; the others are a join's further out. */
static ErrorCode join_laterals(Binder *b, Rel *join, uint32_t first, int64_t position) {
    ColumnId *ids = arena_array(b->arena, ColumnId, b->lateral_count + 1);
    uint32_t count = 0;
    uint32_t rest = first;
    for (uint32_t i = first; i < b->lateral_count; i++) {
        if (rel_has(join->inputs[0], b->laterals[i])) {
            ids[count++] = b->laterals[i];
        } else {
            b->laterals[rest++] = b->laterals[i];
        }
    }
    b->lateral_count = rest;
    join->as.join.lateral_ids = ids;
    join->as.join.lateral_count = count;
    if (count > 0 && (join->as.join.kind == JOIN_RIGHT || join->as.join.kind == JOIN_FULL)) {
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, position, "the combining JOIN type must be INNER or LEFT for a LATERAL reference");
    }
    return ERR_OK;
}

static ErrorCode join_rel(Binder *b, JoinKind kind, Rel *left, Rel *right, int64_t position, Rel **rel_out) {
    TRY(rel_new(b, REL_JOIN, (uint32_t)left->column_count + right->column_count, position, rel_out));
    Rel *join = *rel_out;
    RelColumn *columns = rel_columns(join);
    memcpy(columns, left->columns, left->column_count * sizeof *columns);
    memcpy(columns + left->column_count, right->columns, right->column_count * sizeof *columns);
    join->inputs[0] = left;
    join->inputs[1] = right;
    join->as.join.kind = (uint8_t)kind;
    join->order_column = left->order_column;
    join->order_descending = left->order_descending;
    return ERR_OK;
}

/* One column of USING: equal on both sides; the right one is then found by its table's name only. */
static ErrorCode using_equality(Binder *b, Scope *scope, uint32_t first, uint32_t middle, AstName *name, bool in_star, UsingPair *pair, const Expr **expr_out) {
    AstNames names = {.parts = name, .count = 1, .span = name->span};
    Scope left = {.columns = scope->columns + first, .count = middle - first};
    Scope right = {.columns = scope->columns + middle, .count = scope->count - middle};
    const ScopeColumn *l = NULL;
    const ScopeColumn *r = NULL;
    TRY(scope_find(b, &left, &names, &l));
    TRY(scope_find(b, &right, &names, &r));
    *pair = (UsingPair){.left = (uint32_t)(l - scope->columns), .right = (uint32_t)(r - scope->columns)};
    ScopeColumn *hidden = &scope->columns[pair->right];
    hidden->merged = true;
    hidden->in_star = in_star;
    return bind_operator(b, STR("="), expr_column(b, l->id, l->type, name->span.at), expr_column(b, r->id, r->type, name->span.at), name->span.at, expr_out);
}

static void scope_insert(Binder *b, Scope *scope, uint32_t at, ScopeColumn column) {
    scope_add(b, scope, column);
    memmove(&scope->columns[at + 1], &scope->columns[at], (scope->count - 1 - at) * sizeof column);
    scope->columns[at] = column;
}

/* The columns of USING come first in *, in its order: the left ones, or in an outer join whose left side may be NULL the right ones, or
 * both. They stand at the front under no table; both sides are found by their tables' names. */
static ErrorCode merge_columns(Binder *b, Scope *scope, uint32_t first, const UsingPair *pairs, uint32_t count, const AstJoin *join, Rel **rel) {
    ScopeColumn *merged = arena_array(b->arena, ScopeColumn, count + 1);
    const Expr **values = arena_array(b->arena, const Expr *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        ScopeColumn *l = &scope->columns[pairs[i].left];
        ScopeColumn *r = &scope->columns[pairs[i].right];
        merged[i] = join->kind == AST_JOIN_RIGHT ? *r : *l;
        if (join->kind == AST_JOIN_FULL) {
            const Expr **both = arena_array(b->arena, const Expr *, 2);
            both[0] = expr_column(b, l->id, l->type, ERROR_NO_POSITION);
            both[1] = expr_column(b, r->id, r->type, ERROR_NO_POSITION);
            TRY(coalesce_of(b, both, 2, ERROR_NO_POSITION, &values[i]));
        }
        merged[i].qualifier = merged[i].schema = (Str){0};
        merged[i].merged = merged[i].in_star = false;
        l->merged = r->merged = true;
        l->in_star = r->in_star = false;
    }
    if (join->kind == AST_JOIN_FULL) {
        ColumnId *ids = arena_array(b->arena, ColumnId, count + 1);
        for (uint32_t i = 0; i < count; i++) {
            ids[i] = merged[i].id = column_new(b, NULL);
            merged[i].type = values[i]->type;
            merged[i].symbols = NULL;
            merged[i].table_id = 0;
            merged[i].table_column = -1;
        }
        TRY(rel_add_values(b, *rel, ids, values, count, rel));
    }
    for (uint32_t i = 0; i < count; i++) {
        scope_insert(b, scope, first + i, merged[i]);
        if (join->using_alias != NULL) {
            ScopeColumn named = merged[i];
            named.qualifier = join->using_alias->text;
            named.merged = true;
            scope_add(b, scope, named);
        }
    }
    return ERR_OK;
}

static ErrorCode conjunction(Binder *b, const Expr **items, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count == 1) {
        *expr_out = items[0];
        return ERR_OK;
    }
    return expr_nary(b, EXPR_AND, type_of(TYPE_BOOL), items, count, position, expr_out);
}

/* ON (sym), ON (a, b) of QuestDB: names, same as USING. */
static const AstExpr *on_names(const AstExpr *on, uint32_t *count_out) {
    bool one = on->kind == AST_NAME && on->as.names.count == 1;
    *count_out = one ? 1 : 0;
    if (on->kind == AST_ROW) {
        for (uint32_t i = 0; i < on->arg_count; i++) {
            if (on->args[i]->kind != AST_NAME || on->args[i]->as.names.count != 1) {
                return NULL;
            }
        }
        *count_out = on->arg_count;
        return on;
    }
    return one ? on : NULL;
}

/* The names that both sides have, in the order of the left side. */
static void natural_names(Binder *b, const Scope *scope, uint32_t first, uint32_t middle, AstName **names_out, uint32_t *count_out) {
    AstName *names = arena_array(b->arena, AstName, middle - first + 1);
    uint32_t count = 0;
    for (uint32_t l = first; l < middle; l++) {
        bool found = false;
        for (uint32_t r = middle; r < scope->count && !scope->columns[l].merged; r++) {
            found = found || (!scope->columns[r].merged && str_equal(scope->columns[r].name, scope->columns[l].name));
        }
        if (found) {
            names[count++] = (AstName){.text = scope->columns[l].name, .quoted = true};
        }
    }
    *names_out = names;
    *count_out = count;
}

typedef struct JoinNames {
    const AstJoin *join;
    uint32_t first, middle;     /* of the left, the right side's columns in the scope */
    int64_t position;
    UsingPair *pairs;
    uint32_t pair_count;
} JoinNames;

static ErrorCode join_condition(Binder *b, JoinNames *n, Scope *scope, const Expr **expr_out) {
    const AstJoin *join = n->join;
    uint32_t count = join->using_count;
    AstName *using_columns = join->using_columns;
    const AstExpr *names = join->on != NULL ? on_names(join->on, &count) : NULL;
    *expr_out = NULL;
    if (names == NULL && join->on != NULL) {
        Scope both = {.columns = scope->columns + n->first, .count = scope->count - n->first, .outer = scope->outer, .clause = "JOIN conditions"};
        return bind_condition(b, &both, join->on, "JOIN/ON", expr_out);
    }
    if (join->natural) {
        natural_names(b, scope, n->first, n->middle, &using_columns, &count);
    }
    const Expr **items = arena_array(b->arena, const Expr *, count + 1);
    n->pairs = arena_array(b->arena, UsingPair, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        AstName *name = names == NULL ? &using_columns[i] : names->kind == AST_ROW ? names->args[i]->as.names.parts : names->as.names.parts;
        TRY(using_equality(b, scope, n->first, n->middle, name, names != NULL, &n->pairs[i], &items[i]));
    }
    n->pair_count = names == NULL ? count : 0; /* ON (name) of QuestDB: * shows both columns */
    return count > 0 ? conjunction(b, items, count, n->position, expr_out) : ERR_OK;
}

static const char *const join_names[] = {
    [AST_JOIN_INNER] = "INNER JOIN", [AST_JOIN_LEFT] = "LEFT JOIN", [AST_JOIN_RIGHT] = "RIGHT JOIN", [AST_JOIN_FULL] = "FULL JOIN",
    [AST_JOIN_CROSS] = "CROSS JOIN", [AST_JOIN_ASOF] = "ASOF JOIN", [AST_JOIN_LT] = "LT JOIN", [AST_JOIN_SPLICE] = "SPLICE JOIN",
    [AST_JOIN_WINDOW] = "WINDOW JOIN", [AST_JOIN_HORIZON] = "HORIZON JOIN",
};

static ErrorCode check_join(Binder *b, const AstFrom *item) {
    const AstJoin *join = item->as.join;
    if (join->kind > AST_JOIN_CROSS) {
        return not_supported(b, item->span.at, "%s", join_names[join->kind]);
    }
    if (join->tolerance != NULL || join->has_range) {
        return error_set(b->err, ERR_SYNTAX, item->span.at, "TOLERANCE and RANGE belong to ASOF, LT and WINDOW JOIN");
    }
    return ERR_OK;
}

static JoinKind join_kind(const AstJoin *join, const Expr *condition) {
    switch (join->kind) {
    case AST_JOIN_LEFT: return JOIN_LEFT;
    case AST_JOIN_RIGHT: return JOIN_RIGHT;
    case AST_JOIN_FULL: return JOIN_FULL;
    default: return condition == NULL ? JOIN_CROSS : JOIN_INNER;
    }
}

static void mark_filled(Scope *scope, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        scope->columns[i].filled = true;
    }
}

static ErrorCode bind_join(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    const AstJoin *join = item->as.join;
    TRY(check_join(b, item));
    JoinNames names = {.join = join, .first = scope->count, .position = item->span.at};
    Rel *left = NULL;
    Rel *right = NULL;
    TRY(bind_item(b, join->left, scope, &left));
    ColumnId timestamp = scope->timestamp;
    names.middle = scope->count;
    uint32_t laterals = b->lateral_count;
    TRY(bind_item(b, join->right, scope, &right));
    scope->timestamp = timestamp;
    const Expr *condition = NULL;
    TRY(join_condition(b, &names, scope, &condition));
    if (join->kind == AST_JOIN_CROSS && condition != NULL) {
        return error_set(b->err, ERR_SYNTAX, item->span.at, "CROSS JOIN takes no condition");
    }
    TRY(join_rel(b, join_kind(join, condition), left, right, item->span.at, rel_out));
    TRY(join_laterals(b, *rel_out, laterals, item->span.at));
    if (condition != NULL) {
        TRY(split_condition(b, *rel_out, condition));
    }
    mark_filled(scope, names.first, join->kind == AST_JOIN_RIGHT || join->kind == AST_JOIN_FULL ? names.middle : names.first);
    mark_filled(scope, names.middle, join->kind == AST_JOIN_LEFT || join->kind == AST_JOIN_FULL ? scope->count : names.middle);
    return names.pair_count > 0 ? merge_columns(b, scope, names.first, names.pairs, names.pair_count, join, rel_out) : ERR_OK;
}

/* ---------------------------------------------------------------- items and lists */

static ErrorCode bind_kind(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    switch (item->kind) {
    case AST_FROM_TABLE: return bind_table(b, item, scope, rel_out);
    case AST_FROM_SUBQUERY: return bind_from_subquery(b, item, scope, rel_out);
    case AST_FROM_FUNCTION: return bind_table_function(b, item, scope, rel_out);
    case AST_FROM_JOIN: return bind_join(b, item, scope, rel_out);
    case AST_FROM_STATEMENT: return bind_from_statement(b, item, scope, rel_out);
    case AST_FROM_PIVOT: return not_supported(b, item->span.at, "PIVOT");
    }
    return error_set(b->err, ERR_INTERNAL, item->span.at, "FROM item of kind %d", item->kind);
}

static ErrorCode bind_item(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    uint32_t first = scope->count;
    if (item->tablesample != NULL) {
        return not_supported(b, item->tablesample->span.at, "TABLESAMPLE");
    }
    scope->timestamp = 0;
    bool hides = item->kind == AST_FROM_JOIN && item->alias != NULL;
    uint32_t unique_from = scope->unique_from;
    scope->unique_from = hides ? first : unique_from;
    TRY(bind_kind(b, item, scope, rel_out));
    scope->unique_from = unique_from;
    TRY(apply_alias(b, item, scope, first));
    if ((item->kind == AST_FROM_JOIN && !hides) || scope->count == first) {
        return ERR_OK;
    }
    return check_unique(b, scope, first, item->alias != NULL ? item->alias->span.at : item->span.at);
}

/* Items behind a relation that the scope already knows: the rest of a FROM list, UPDATE ... FROM, DELETE ... USING. */
ErrorCode bind_from_behind(Binder *b, AstFrom *const *list, uint32_t count, Scope *scope, Rel *rel, Rel **rel_out) {
    ColumnId timestamp = scope->timestamp;
    *rel_out = rel;
    for (uint32_t i = 0; i < count; i++) {
        Rel *right = NULL;
        uint32_t laterals = b->lateral_count;
        TRY(bind_item(b, list[i], scope, &right));
        TRY(join_rel(b, JOIN_CROSS, *rel_out, right, list[i]->span.at, rel_out));
        TRY(join_laterals(b, *rel_out, laterals, list[i]->span.at));
    }
    scope->timestamp = timestamp;
    return ERR_OK;
}

ErrorCode bind_from_list(Binder *b, AstFrom *const *list, uint32_t count, Scope *scope, Rel **rel_out) {
    if (count == 0) {
        TRY(rel_new(b, REL_VALUES, 0, ERROR_NO_POSITION, rel_out));
        (*rel_out)->as.values.row_count = 1;
        return ERR_OK;
    }
    TRY(bind_item(b, list[0], scope, rel_out));
    return bind_from_behind(b, list + 1, count - 1, scope, *rel_out, rel_out);
}
