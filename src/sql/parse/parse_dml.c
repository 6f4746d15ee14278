/* SPDX-License-Identifier: Apache-2.0
 * parse_dml.c - INSERT, UPDATE, DELETE with what both languages hang on them.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_returning(Parser *p, AstSelectItem **items_out, uint32_t *count_out) {
    return parse__accept_keyword(p, KW_RETURNING) ? parse__select_items(p, items_out, count_out) : ERR_OK;
}

/* ---------------------------------------------------------------- INSERT */

/* ATOMIC | BATCH n [o3MaxLag v] */
static ErrorCode parse_insert_mode(Parser *p, AstInsert *insert) {
    insert->atomic = parse__accept_keyword(p, KW_ATOMIC);
    if (!parse__accept_keyword(p, KW_BATCH)) {
        return ERR_OK;
    }
    TRY(parse__primary(p, &insert->batch));
    if (parse__accept_keyword(p, KW_O3MAXLAG)) {
        TRY(p->token.kind == TOKEN_SUFFIXED ? parse__span_literal(p, &insert->o3_max_lag, "a span") : parse__primary(p, &insert->o3_max_lag));
    }
    return ERR_OK;
}

enum { INSERT_TARGETS_MAX = 64 };   /* columns of an INSERT in front of the last that has subscripts */

static ErrorCode parse_target_subscripts(Parser *p, const AstName *column, AstExpr **target_out) {
    *target_out = NULL;
    if (!parse__at_mark(p, "[")) {
        return ERR_OK;
    }
    AstExpr *target = arena_new(p->arena, AstExpr);
    *target = (AstExpr){.kind = AST_NAME, .depth = 1, .span = column->span, .as.names = {.parts = parse__new_name(p, *column), .count = 1, .span = column->span}};
    while (parse__at_mark(p, "[")) {
        TRY(parse__subscripts(p, &target));
    }
    *target_out = target;
    return ERR_OK;
}

/* (a, b): a column list, unless a query opens behind the parenthesis. */
static ErrorCode parse_insert_columns(Parser *p, AstInsert *insert) {
    if (!parse__at_mark(p, "(") || parse__at_query(p, true) || parse__peek_mark(p, "(")) {
        return ERR_OK;
    }
    Token open = p->token;
    AstExpr *targets[INSERT_TARGETS_MAX];
    uint32_t count = 0;
    bool any = false;
    parse__advance(p);
    size_t mark = list_begin(p);
    do {
        AstName name = {0};
        AstExpr *target = NULL;
        TRY(parse__name(p, &name, "a column name"));
        TRY(parse_target_subscripts(p, &name, &target));
        if (target != NULL && count >= INSERT_TARGETS_MAX) {
            return error_set(p->err, ERR_TOO_COMPLEX, name.span.at, "subscripts behind more than %d columns of an INSERT", INSERT_TARGETS_MAX);
        }
        any = any || target != NULL;
        targets[MIN_OF(count, INSERT_TARGETS_MAX - 1u)] = target;
        count++;
        list_push(p, &name, sizeof name);
    } while (parse__accept_mark(p, ","));
    insert->columns = list_end(p, mark, AstName, &insert->column_count);
    if (any) {
        insert->targets = arena_array(p->arena, AstExpr *, count);
        memset(insert->targets, 0, count * sizeof *insert->targets);
        memcpy(insert->targets, targets, MIN_OF(count, (uint32_t)INSERT_TARGETS_MAX) * sizeof *targets);
    }
    return parse__expect_close(p, open);
}

static ErrorCode parse_assignment(Parser *p, AstAssignment *assignment) {
    if (parse__at_mark(p, "(")) {
        TRY(parse__name_list(p, &assignment->columns, &assignment->column_count, "a column name"));
    } else {
        AstNames names = {0};
        TRY(parse__names(p, &names, "a column name"));
        bool field = p->dialect == DIALECT_POSTGRES && names.count > 1; /* the column stands first */
        assignment->columns = parse__new_name(p, names.parts[field ? 0 : names.count - 1]);
        assignment->has_field = field;
        assignment->column_count = 1;
    }
    TRY(parse_target_subscripts(p, &assignment->columns[0], &assignment->target));
    if (!parse__at_operator(p, "=")) {
        return parse__expected(p, "=");
    }
    parse__advance(p);
    return parse__expr(p, &assignment->value);
}

static ErrorCode parse_assignments(Parser *p, AstAssignment **list_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        AstAssignment assignment = {0};
        TRY(parse_assignment(p, &assignment));
        list_push(p, &assignment, sizeof assignment);
    } while (parse__accept_mark(p, ","));
    *list_out = list_end(p, mark, AstAssignment, count_out);
    return ERR_OK;
}

static ErrorCode parse_conflict_target(Parser *p, AstOnConflict *conflict) {
    if (parse__accept_keyword(p, KW_ON)) {
        TRY(parse__expect_keyword(p, KW_CONSTRAINT));
        AstName name = {0};
        TRY(parse__name(p, &name, "a constraint name"));
        conflict->constraint = parse__new_name(p, name);
        return ERR_OK;
    }
    if (!parse__at_mark(p, "(")) {
        return ERR_OK;
    }
    Token open = p->token;
    parse__advance(p);
    TRY(parse__expr_list(p, &conflict->targets.items, &conflict->targets.count));
    TRY(parse__expect_close(p, open));
    return parse__accept_keyword(p, KW_WHERE) ? parse__expr(p, &conflict->target_where) : ERR_OK;
}

static ErrorCode parse_on_conflict(Parser *p, AstInsert *insert) {
    if (!parse__at_keyword(p, KW_ON)) {
        return ERR_OK;
    }
    AstOnConflict *conflict = arena_new(p->arena, AstOnConflict);
    conflict->span = parse__span(p);
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_CONFLICT));
    TRY(parse_conflict_target(p, conflict));
    TRY(parse__expect_keyword(p, KW_DO));
    insert->on_conflict = conflict;
    if (parse__accept_keyword(p, KW_NOTHING)) {
        return ERR_OK;
    }
    conflict->do_update = true;
    TRY(parse__expect_keyword(p, KW_UPDATE));
    TRY(parse__expect_keyword(p, KW_SET));
    TRY(parse_assignments(p, &conflict->set, &conflict->set_count));
    return parse__accept_keyword(p, KW_WHERE) ? parse__expr(p, &conflict->where) : ERR_OK;
}

static ErrorCode parse_insert_source(Parser *p, AstInsert *insert) {
    if (parse__accept_keyword(p, KW_OVERRIDING)) {
        insert->overriding = parse__at_keyword(p, KW_USER) ? AST_OVERRIDING_USER : AST_OVERRIDING_SYSTEM;
        if (!parse__accept_keyword(p, KW_USER) && !parse__accept_keyword(p, KW_SYSTEM)) {
            return parse__expected(p, "SYSTEM or USER");
        }
        if (!parse__accept_word(p, STR("value"))) {
            return parse__expected(p, "VALUE");
        }
    }
    if (parse__at_keyword(p, KW_DEFAULT) && parse__peek_keyword(p, KW_VALUES)) {
        parse__advance(p);
        parse__advance(p);
        return ERR_OK;
    }
    return parse__query(p, &insert->source);
}

ErrorCode parse__insert(Parser *p, AstWith *with, AstInsert **insert_out) {
    AstInsert *insert = arena_new(p->arena, AstInsert);
    insert->with = with;
    parse__advance(p);
    TRY(parse_insert_mode(p, insert));
    TRY(parse__expect_keyword(p, KW_INTO));
    TRY(parse__table_name(p, &insert->table));
    if (parse__accept_keyword(p, KW_AS)) {
        AstName alias = {0};
        TRY(parse__name(p, &alias, "an alias"));
        insert->alias = parse__new_name(p, alias);
    }
    TRY(parse_insert_columns(p, insert));
    TRY(parse_insert_source(p, insert));
    TRY(parse_on_conflict(p, insert));
    TRY(parse_returning(p, &insert->returning, &insert->returning_count));
    *insert_out = insert;
    return ERR_OK;
}

/* ---------------------------------------------------------------- UPDATE, DELETE */

/* WHERE condition | WHERE CURRENT OF cursor */
static ErrorCode parse_where(Parser *p, AstExpr **where_out, AstName **cursor_out) {
    if (!parse__accept_keyword(p, KW_WHERE)) {
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_CURRENT) && parse__peek_keyword(p, KW_OF)) {
        AstName name = {0};
        parse__advance(p);
        parse__advance(p);
        TRY(parse__name(p, &name, "a cursor name"));
        *cursor_out = parse__new_name(p, name);
        return ERR_OK;
    }
    return parse__expr(p, where_out);
}

ErrorCode parse__update(Parser *p, AstWith *with, AstUpdate **update_out) {
    AstUpdate *update = arena_new(p->arena, AstUpdate);
    update->with = with;
    parse__advance(p);
    update->only = parse__accept_keyword(p, KW_ONLY);
    TRY(parse__table_name(p, &update->table));
    TRY(parse__optional_alias(p, &update->alias));
    TRY(parse__expect_keyword(p, KW_SET));
    TRY(parse_assignments(p, &update->set, &update->set_count));
    if (parse__accept_keyword(p, KW_FROM)) {
        TRY(parse__from_list(p, &update->from, &update->from_count));
    }
    TRY(parse_where(p, &update->where, &update->cursor));
    TRY(parse_returning(p, &update->returning, &update->returning_count));
    *update_out = update;
    return ERR_OK;
}

ErrorCode parse__delete(Parser *p, AstWith *with, AstDelete **delete_out) {
    AstDelete *delete = arena_new(p->arena, AstDelete);
    delete->with = with;
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_FROM));
    delete->only = parse__accept_keyword(p, KW_ONLY);
    TRY(parse__table_name(p, &delete->table));
    TRY(parse__optional_alias(p, &delete->alias));
    if (parse__accept_keyword(p, KW_USING)) {
        TRY(parse__from_list(p, &delete->using_from, &delete->using_count));
    }
    TRY(parse_where(p, &delete->where, &delete->cursor));
    TRY(parse_returning(p, &delete->returning, &delete->returning_count));
    *delete_out = delete;
    return ERR_OK;
}
