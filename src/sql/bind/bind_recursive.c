/* SPDX-License-Identifier: Apache-2.0
 * bind_recursive.c - the query of a WITH item, and what its readers get; with RECURSIVE one that may read itself: first rows UNION [ALL] a step.
 *
 * Why:   the step is bound with the item's name standing for the rows of the round before (REL_WORKING), whose types are those of the
 *        first rows. A query that does not read itself is an ordinary one, whatever the word before it says. */
#include "sql/bind/bind_internal.h"

static ErrorCode bind_plain(Binder *b, const CteScope *cte, Query *query_out) {
    CteScope *saved = b->ctes;
    b->ctes = cte->outer;
    ErrorCode code = bind_query(b, cte->cte->statement->as.select, cte->scope, query_out);
    b->ctes = saved;
    return code;
}

/* The arms but the last, as the parser would have made them. */
static AstSelect *first_arms(Binder *b, const AstSelect *select) {
    if (select->arm_count == 2) {
        return select->arms[0];
    }
    AstSelect *first = arena_new(b->arena, AstSelect);
    *first = *select;
    first->with = NULL;
    first->arm_count--;
    first->order_count = 0;
    first->limit = NULL;
    return first;
}

/* Symbols leave the dictionary of their table behind. */
static ErrorCode plain_types(Binder *b, Rel *rel, const Type *types, Rel **rel_out) {
    const Expr **exprs = arena_array(b->arena, const Expr *, rel->column_count + 1u);
    Str *names = arena_array(b->arena, Str, rel->column_count + 1u);
    bool changed = false;
    for (uint32_t c = 0; c < rel->column_count; c++) {
        const Expr *column = rel_column_expr(b, rel, c);
        Type type = types != NULL ? types[c] : column->type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : column->type;
        TRY(coerce(b, column, type, CAST_ASSIGNMENT, &exprs[c]));
        changed = changed || exprs[c] != column;
        names[c] = rel->columns[c].name;
    }
    *rel_out = rel;
    return changed ? rel_project(b, rel, exprs, names, rel->column_count, rel_out) : ERR_OK;
}

static void name_columns(const AstCte *ast, Rel *rel) {
    for (uint32_t i = 0; i < ast->column_count && i < rel->column_count; i++) {
        rel_columns(rel)[i].name = ast->columns[i].text;
    }
}

/* A step may not widen what the first rows are. */
static ErrorCode check_types(Binder *b, const CteScope *self, const AstSelect *select, Rel *first, Rel *step) {
    for (uint32_t c = 0; c < first->column_count; c++) {
        const Expr *pair[] = {rel_column_expr(b, first, c), rel_column_expr(b, step, c)};
        Type common = pair[0]->type;
        if (pair[1]->type.id == TYPE_UNKNOWN || pair[1]->type.id == TYPE_SYMBOL || type_equal(pair[0]->type, pair[1]->type)) {
            continue;
        }
        TRY(common_type(b, pair, 2, "UNION", &common));
        if (!type_equal(common, pair[0]->type)) {
            int64_t position = select->kind == AST_SELECT_QUERY && c < select->item_count ? (int64_t)select->items[c].expr->span.at : ERROR_NO_POSITION;
            error_ignore(error_set(b->err, ERR_DATATYPE_MISMATCH, position,
                                   "recursive query \"%.*s\" column %u has type %.*s in non-recursive term but type %.*s overall",
                                   STR_ARG(self->cte->name.text), c + 1, STR_ARG(type_name(b, pair[0]->type)), STR_ARG(type_name(b, common))));
            return error_add(b->err, 'H', "Cast the output of the non-recursive term to the correct type.");
        }
    }
    return ERR_OK;
}

static ErrorCode bind_step(Binder *b, CteScope *self, const AstSelect *select, Rel *first, Rel **step_out) {
    Query step = {0};
    Type *types = arena_array(b->arena, Type, first->column_count + 1u);
    for (uint32_t c = 0; c < first->column_count; c++) {
        types[c] = first->columns[c].type;
    }
    b->ctes = self;
    TRY(bind_query(b, select->arms[select->arm_count - 1], self->scope, &step));
    if (step.rel->column_count != first->column_count) {
        return error_set(b->err, ERR_SYNTAX, select->span.at, "each UNION query must have the same number of columns");
    }
    TRY(check_types(b, self, select->arms[0], first, step.rel));
    TRY(query_settle(b, &step, types));
    return plain_types(b, step.rel, types, step_out);
}

static ErrorCode bind_recursion(Binder *b, CteScope *cte, const AstSelect *select, bool *recursive_out, Query *query_out) {
    CteScope self = *cte;
    Query first = {0};
    Rel *rel = NULL;
    Rel *step = NULL;
    self.first = NULL;
    TRY(with_push(b, select->with, cte->scope));
    self.outer = b->ctes;
    TRY(bind_query(b, first_arms(b, select), cte->scope, &first));
    TRY(query_settle(b, &first, NULL));
    TRY(plain_types(b, first.rel, NULL, &first.rel));
    if (first.rel->kind == REL_SCAN || cte->cte->column_count > 0) { /* names are given: not to a table's own columns */
        const Expr **exprs = arena_array(b->arena, const Expr *, first.rel->column_count + 1u);
        Str *names = arena_array(b->arena, Str, first.rel->column_count + 1u);
        for (uint32_t c = 0; c < first.rel->column_count; c++) {
            exprs[c] = rel_column_expr(b, first.rel, c);
            names[c] = first.rel->columns[c].name;
        }
        TRY(rel_project(b, first.rel, exprs, names, first.rel->column_count, &first.rel));
        name_columns(cte->cte, first.rel);
    }
    self.first = first.rel;
    self.working = b->working_count++;
    self.read = false;
    TRY(bind_step(b, &self, select, first.rel, &step));
    *recursive_out = self.read;
    if (!self.read) {
        return ERR_OK;
    }
    TRY(rel_new(b, REL_RECURSE, first.rel->column_count, select->span.at, &rel));
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        columns[i].type = first.rel->columns[i].type;
        columns[i].name = first.rel->columns[i].name;
    }
    rel->inputs[0] = first.rel;
    rel->inputs[1] = step;
    rel->as.recurse.working = self.working;
    rel->as.recurse.all = select->operation == AST_UNION_ALL;
    *query_out = (Query){.rel = rel};
    return ERR_OK;
}

ErrorCode bind_cte_query(Binder *b, CteScope *cte, Query *query_out) {
    const AstSelect *select = cte->cte->statement->as.select;
    bool is_union = select->kind == AST_SELECT_SET_OPERATION && select->arm_count > 1 && (select->operation == AST_UNION || select->operation == AST_UNION_ALL);
    bool recursive = false;
    if (cte->recursive && is_union && select->declare_count == 0) {
        CteScope *saved = b->ctes;
        b->ctes = cte->outer;
        ErrorCode code = bind_recursion(b, cte, select, &recursive, query_out);
        b->ctes = saved;
        TRY(code);
    }
    return recursive ? ERR_OK : bind_plain(b, cte, query_out);
}

/* ---- readers ---- */

/* Rows that are kept under cte->working, in the columns of `of`; query: what computes them, NULL inside the item's own step. */
static ErrorCode working_rows(Binder *b, CteScope *cte, const Rel *of, Rel *query, Query *query_out) {
    Rel *rel = NULL;
    TRY(rel_new(b, REL_WORKING, of->column_count, ERROR_NO_POSITION, &rel));
    RelColumn *columns = rel_columns(rel);
    *query_out = (Query){.rel = rel};
    for (uint32_t i = 0; i < rel->column_count; i++) {
        columns[i].type = of->columns[i].type;
        columns[i].name = of->columns[i].name;
        query_out->timestamp = of->columns[i].id == cte->shared.timestamp ? columns[i].id : query_out->timestamp;
        rel->order_column = of->columns[i].id == of->order_column ? columns[i].id : rel->order_column;
    }
    rel->order_descending = of->order_descending;
    rel->as.working.number = cte->working;
    rel->as.working.query = query;
    cte->read = true;
    return ERR_OK;
}

/* A query with volatile calls runs once for all its readers, as in PostgreSQL; not if it reads columns of a query around, for whose rows it runs
 * again. */
static bool runs_once(const Binder *b, const CteScope *cte, uint32_t volatile_before, uint32_t captured_before) {
    return b->volatile_calls != volatile_before && (cte->scope == NULL || b->captured_columns == captured_before);
}

ErrorCode bind_cte_read(Binder *b, CteScope *cte, Query *query_out) {
    uint32_t volatile_before = b->volatile_calls, captured_before = b->captured_columns;
    if (cte->first != NULL) {
        return working_rows(b, cte, cte->first, NULL, query_out);
    }
    if (cte->shared.rel == NULL) {
        TRY(bind_cte_query(b, cte, query_out));
        if (!runs_once(b, cte, volatile_before, captured_before)) {
            return ERR_OK;
        }
        TRY(query_settle(b, query_out, NULL));
        cte->shared = *query_out;
        cte->working = b->working_count++;
    }
    return working_rows(b, cte, cte->shared.rel, cte->shared.rel, query_out);
}
