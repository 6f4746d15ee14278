/* SPDX-License-Identifier: Apache-2.0
 * parse_select.c - queries: WITH, DECLARE, the clauses of SELECT, VALUES, set operations; the order of all clauses.
 *
 * Why:        a table name alone is a query (`trades;`, `trades WHERE ...`), so an arm of a query may start with a FROM item.
 * Invariants: arms of one set operation and rows of VALUES are flat lists; INTERSECT binds more tightly than UNION and EXCEPT.
 * Tests:      test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

static NODISCARD ErrorCode parse_arm(Parser *p, AstSelect **select_out);
static NODISCARD ErrorCode parse_select_clauses(Parser *p, AstSelect *select);

static AstSelect *new_select(Parser *p, AstSelectKind kind, Span span) {
    AstSelect *select = arena_new(p->arena, AstSelect);
    select->kind = kind;
    select->span = span;
    select->depth = 1;
    return select;
}

/* ---------------------------------------------------------------- WITH and DECLARE */

static ErrorCode parse_cte(Parser *p, AstCte *cte) {
    TRY(parse__name(p, &cte->name, "the name of a WITH query"));
    if (parse__at_mark(p, "(")) {
        TRY(parse__name_list(p, &cte->columns, &cte->column_count, "a column name"));
    }
    TRY(parse__expect_keyword(p, KW_AS));
    if (parse__accept_keyword(p, KW_NOT)) {
        TRY(parse__expect_keyword(p, KW_MATERIALIZED));
        cte->materialized = AST_NOT_MATERIALIZED;
    } else if (parse__accept_keyword(p, KW_MATERIALIZED)) {
        cte->materialized = AST_MATERIALIZED;
    }
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__statement(p, &cte->statement));
    return parse__expect_close(p, open);
}

ErrorCode parse__with(Parser *p, AstWith **with_out) {
    *with_out = NULL;
    if (!parse__at_keyword(p, KW_WITH)) {
        return ERR_OK;
    }
    AstWith *with = arena_new(p->arena, AstWith);
    with->span = parse__span(p);
    parse__advance(p);
    with->recursive = parse__accept_keyword(p, KW_RECURSIVE);
    size_t mark = list_begin(p);
    do {
        AstCte cte = {0};
        TRY(parse_cte(p, &cte));
        list_push(p, &cte, sizeof cte);
    } while (parse__accept_mark(p, ","));
    with->ctes = list_end(p, mark, AstCte, &with->count);
    *with_out = with;
    return ERR_OK;
}

ErrorCode parse__declares(Parser *p, AstDeclare **declares_out, uint32_t *count_out) {
    *declares_out = NULL;
    *count_out = 0;
    if (!parse__at_keyword(p, KW_DECLARE) || (parse__peek(p)->kind != TOKEN_VARIABLE && !parse__peek_keyword(p, KW_OVERRIDABLE))) {
        return ERR_OK;
    }
    parse__advance(p);
    size_t mark = list_begin(p);
    do {
        AstDeclare declare = {.overridable = parse__accept_keyword(p, KW_OVERRIDABLE)};
        if (p->token.kind != TOKEN_VARIABLE) {
            return parse__expected(p, "a variable such as @v");
        }
        declare.name = (AstName){.text = p->token.text, .span = parse__span(p)};
        parse__advance(p);
        TRY(parse__expect_mark(p, ":="));
        TRY(parse__expr(p, &declare.value));
        list_push(p, &declare, sizeof declare);
    } while (parse__accept_mark(p, ","));
    *declares_out = list_end(p, mark, AstDeclare, count_out);
    return ERR_OK;
}

/* ---------------------------------------------------------------- the select list */

static bool at_bare_label(Parser *p) {
    if (p->token.kind == TOKEN_QUOTED) {
        return true;
    }
    return p->token.kind == TOKEN_WORD && keyword_is_label((Keyword)p->token.keyword) && !parse__at_clause(p) &&
           keyword_class((Keyword)p->token.keyword) != KEYWORD_RESERVED;
}

static ErrorCode parse_item_alias(Parser *p, AstSelectItem *item) {
    AstName alias = {0};
    if (parse__accept_keyword(p, KW_AS)) {
        if (p->token.kind == TOKEN_STRING) {
            alias = (AstName){.text = p->token.text, .span = parse__span(p), .from_string = true};
            parse__advance(p);
        } else {
            TRY(parse__label(p, &alias, "a column name"));
        }
    } else if (at_bare_label(p)) {
        TRY(parse__label(p, &alias, "a column name"));
    } else {
        return ERR_OK;
    }
    item->alias = parse__new_name(p, alias);
    return ERR_OK;
}

static ErrorCode parse_select_item(Parser *p, AstSelectItem *item) {
    uint32_t at = p->token.at;
    if (parse__at_operator(p, "*")) {
        TRY(parse__new_expr(p, AST_STAR, parse__span(p), NULL, 0, &item->expr));
        parse__advance(p);
        item->span = parse__span_from(p, at);
        return ERR_OK;
    }
    TRY(parse__expr(p, &item->expr));
    item->span = parse__span_from(p, at);
    return item->expr->kind == AST_STAR ? ERR_OK : parse_item_alias(p, item);
}

ErrorCode parse__select_items(Parser *p, AstSelectItem **items_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        if (p->stack.len > mark && parse__at_keyword(p, KW_FROM)) {
            break; /* SELECT a, FROM t: QuestDB allows the comma */
        }
        AstSelectItem item = {0};
        TRY(parse_select_item(p, &item));
        list_push(p, &item, sizeof item);
    } while (parse__accept_mark(p, ","));
    *items_out = list_end(p, mark, AstSelectItem, count_out);
    return ERR_OK;
}

/* ---------------------------------------------------------------- GROUP BY, WINDOW */

static NODISCARD ErrorCode parse_grouping(Parser *p, AstGrouping *grouping);

static ErrorCode parse_grouping_list(Parser *p, AstGrouping *grouping) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    if (grouping->kind == AST_GROUP_SETS) {
        size_t mark = list_begin(p);
        do {
            AstGrouping set = {0};
            TRY(parse_grouping(p, &set));
            list_push(p, &set, sizeof set);
        } while (parse__accept_mark(p, ","));
        grouping->sets = list_end(p, mark, AstGrouping, &grouping->set_count);
    } else {
        TRY(parse__expr_list(p, &grouping->args, &grouping->arg_count));
    }
    return parse__expect_close(p, open);
}

static ErrorCode parse_grouping(Parser *p, AstGrouping *grouping) {
    TRY(parse__enter(p));
    grouping->span = parse__span(p);
    if ((parse__at_keyword(p, KW_ROLLUP) || parse__at_keyword(p, KW_CUBE)) && parse__peek_mark(p, "(")) {
        grouping->kind = parse__at_keyword(p, KW_CUBE) ? AST_GROUP_CUBE : AST_GROUP_ROLLUP;
        parse__advance(p);
        TRY(parse_grouping_list(p, grouping));
    } else if (parse__at_keyword(p, KW_GROUPING) && parse__peek_keyword(p, KW_SETS)) {
        grouping->kind = AST_GROUP_SETS;
        parse__advance(p);
        parse__advance(p);
        TRY(parse_grouping_list(p, grouping));
    } else if (parse__at_mark(p, "(") && parse__peek_mark(p, ")")) {
        grouping->kind = AST_GROUP_EMPTY;
        parse__advance(p);
        parse__advance(p);
    } else {
        grouping->kind = AST_GROUP_EXPR;
        TRY(parse__expr(p, &grouping->expr));
    }
    parse__leave(p);
    return ERR_OK;
}

static ErrorCode parse_group_by(Parser *p, AstSelect *select) {
    if (!parse__at_keyword(p, KW_GROUP)) {
        return ERR_OK;
    }
    select->group_span = parse__span(p);
    select->has_group_by = true;
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_BY));
    select->group_by_distinct = parse__accept_keyword(p, KW_DISTINCT);
    if (!select->group_by_distinct && parse__accept_keyword(p, KW_ALL) && !parse__at_label(p)) {
        select->group_by_all = true;
        return ERR_OK;
    }
    size_t mark = list_begin(p);
    do {
        AstGrouping grouping = {0};
        TRY(parse_grouping(p, &grouping));
        list_push(p, &grouping, sizeof grouping);
    } while (parse__accept_mark(p, ","));
    select->group_by = list_end(p, mark, AstGrouping, &select->group_count);
    return ERR_OK;
}

static ErrorCode parse_windows(Parser *p, AstSelect *select) {
    if (!parse__at_keyword(p, KW_WINDOW)) {
        return ERR_OK;
    }
    parse__advance(p);
    size_t mark = list_begin(p);
    do {
        AstWindow window = {0};
        AstName name = {0};
        TRY(parse__name(p, &name, "a window name"));
        TRY(parse__expect_keyword(p, KW_AS));
        TRY(parse__window(p, &window));
        window.name = parse__new_name(p, name);
        list_push(p, &window, sizeof window);
    } while (parse__accept_mark(p, ","));
    select->windows = list_end(p, mark, AstWindow, &select->window_count);
    return ERR_OK;
}

/* ---------------------------------------------------------------- SELECT */

static ErrorCode parse_distinct(Parser *p, AstSelect *select) {
    if (parse__accept_keyword(p, KW_ALL) || !parse__accept_keyword(p, KW_DISTINCT)) {
        return ERR_OK;
    }
    select->distinct = true;
    if (!parse__accept_keyword(p, KW_ON)) {
        return ERR_OK;
    }
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    select->distinct_on_given = true;
    TRY(parse__expr_list(p, &select->distinct_on, &select->distinct_on_count));
    return parse__expect_close(p, open);
}

static bool at_latest(Parser *p) {
    return parse__at_keyword(p, KW_LATEST) && (parse__peek_keyword(p, KW_ON) || parse__peek_keyword(p, KW_BY));
}

static bool at_sample(Parser *p) {
    return parse__at_keyword(p, KW_SAMPLE) && parse__peek_keyword(p, KW_BY);
}

static ErrorCode parse_latest_clause(Parser *p, AstSelect *select, bool before_where) {
    if (select->latest != NULL || !at_latest(p)) {
        return ERR_OK;
    }
    TRY(parse__latest(p, &select->latest));
    select->latest->before_where = before_where && parse__at_keyword(p, KW_WHERE);
    return ERR_OK;
}

static ErrorCode parse_sample_clause(Parser *p, AstSelect *select) {
    return select->sample_by == NULL && at_sample(p) ? parse__sample_by(p, &select->sample_by) : ERR_OK;
}

/* WHERE, LATEST ON, SAMPLE BY, GROUP BY, HAVING, WINDOW; SAMPLE BY may also stand behind GROUP BY. */
static ErrorCode parse_select_clauses(Parser *p, AstSelect *select) {
    TRY(parse_latest_clause(p, select, true));
    if (parse__accept_keyword(p, KW_WHERE)) {
        TRY(parse__expr(p, &select->where));
    }
    TRY(parse_latest_clause(p, select, false));
    TRY(parse_sample_clause(p, select));
    TRY(parse_group_by(p, select));
    if (parse__accept_keyword(p, KW_HAVING)) {
        TRY(parse__expr(p, &select->having));
    }
    TRY(parse_windows(p, select));
    return parse_sample_clause(p, select);
}

static ErrorCode parse_into(Parser *p, AstSelect *select) {
    if (!parse__accept_keyword(p, KW_INTO)) {
        return ERR_OK;
    }
    (void)(parse__accept_keyword(p, KW_TEMPORARY) || parse__accept_keyword(p, KW_TEMP) || parse__accept_keyword(p, KW_UNLOGGED));
    (void)parse__accept_keyword(p, KW_TABLE);
    select->into = arena_new(p->arena, AstNames);
    return parse__names(p, select->into, "a table name");
}

static ErrorCode parse_select_core(Parser *p, AstSelect **select_out) {
    AstSelect *select = new_select(p, AST_SELECT_QUERY, parse__span(p));
    parse__advance(p);
    TRY(parse_distinct(p, select));
    if (!parse__at_keyword(p, KW_FROM) && !parse__at_mark(p, ";") && p->token.kind != TOKEN_END && !parse__at_mark(p, ")")) {
        TRY(parse__select_items(p, &select->items, &select->item_count));
    } else if (!parse__at_keyword(p, KW_FROM) && (select->distinct || p->dialect == DIALECT_QUESTDB)) {
        return parse__expected(p, "an expression");
    }
    TRY(parse_into(p, select));
    if (parse__accept_keyword(p, KW_FROM)) {
        TRY(parse__from_list(p, &select->from, &select->from_count));
    }
    TRY(parse_select_clauses(p, select));
    *select_out = select;
    return ERR_OK;
}

static ErrorCode parse_values(Parser *p, AstSelect **select_out) {
    AstSelect *select = new_select(p, AST_SELECT_VALUES, parse__span(p));
    parse__advance(p);
    size_t mark = list_begin(p);
    do {
        AstExprList row = {0};
        Token open = p->token;
        TRY(parse__expect_mark(p, "("));
        TRY(parse__expr_list(p, &row.items, &row.count));
        row.end = p->token.at;
        TRY(parse__expect_close(p, open));
        list_push(p, &row, sizeof row);
    } while (parse__accept_mark(p, ","));
    select->rows = list_end(p, mark, AstExprList, &select->row_count);
    *select_out = select;
    return ERR_OK;
}

ErrorCode parse__query_from_item(Parser *p, AstFrom *item, AstSelect **select_out) {
    AstSelect *select = new_select(p, AST_SELECT_TABLE, item->span);
    select->from = arena_array(p->arena, AstFrom *, 1);
    select->from[0] = item;
    select->from_count = 1;
    TRY(parse_select_clauses(p, select));
    *select_out = select;
    return ERR_OK;
}

/* An arm that starts with a parenthesis or a name: a query in parentheses, or a table that stands for SELECT * FROM it. */
static ErrorCode parse_from_arm(Parser *p, AstSelect **select_out) {
    Token first = p->token;
    bool plain = !parse__at_mark(p, "(");
    AstFrom *item = NULL;
    TRY(parse__from_item(p, &item));
    bool more = parse__at_keyword(p, KW_WHERE) || at_latest(p) || at_sample(p) || parse__at_keyword(p, KW_GROUP);
    if (item->kind == AST_FROM_SUBQUERY && item->alias == NULL && item->timestamp == NULL && !more) {
        *select_out = item->as.select;
        return ERR_OK;
    }
    TRY(parse__query_from_item(p, item, select_out));
    bool ends = p->token.kind == TOKEN_END || p->token.kind == TOKEN_PUNCTUATION || p->token.kind == TOKEN_WORD;
    if (plain && !ends && p->depth <= 2) { /* `frob 1`: the first word was meant to be another */
        p->token = first;
        return parse__expected(p, "a statement");
    }
    return ERR_OK;
}

static ErrorCode parse_arm(Parser *p, AstSelect **select_out) {
    if (parse__at_keyword(p, KW_SELECT)) {
        return parse_select_core(p, select_out);
    }
    if (parse__at_keyword(p, KW_VALUES)) {
        return parse_values(p, select_out);
    }
    if (parse__accept_keyword(p, KW_TABLE)) {
        AstFrom *item = NULL;
        TRY(parse__from_item(p, &item));
        return parse__query_from_item(p, item, select_out);
    }
    if (parse__at_mark(p, "(") || parse__at_name(p) || p->token.kind == TOKEN_STRING) {
        return parse_from_arm(p, select_out);
    }
    return parse__expected(p, "a query");
}

/* ---------------------------------------------------------------- set operations */

/* Which set operation stands here, if any; tight: INTERSECT only, else UNION and EXCEPT. */
static bool at_set_operation(Parser *p, bool tight, AstSetOperation *operation_out) {
    Keyword keyword = p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD;
    bool found = tight ? keyword == KW_INTERSECT : keyword == KW_UNION || keyword == KW_EXCEPT;
    if (!found) {
        return false;
    }
    bool all = parse__peek_keyword(p, KW_ALL);
    *operation_out = keyword == KW_UNION       ? (all ? AST_UNION_ALL : AST_UNION)
                     : keyword == KW_EXCEPT    ? (all ? AST_EXCEPT_ALL : AST_EXCEPT)
                                               : (all ? AST_INTERSECT_ALL : AST_INTERSECT);
    return true;
}

static void take_set_operation(Parser *p) {
    parse__advance(p);
    if (!parse__accept_keyword(p, KW_ALL)) {
        (void)parse__accept_keyword(p, KW_DISTINCT);
    }
}

static ErrorCode set_depth(Parser *p, AstSelect *select) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < select->arm_count; i++) {
        depth = MAX_OF(depth, select->arms[i]->depth);
    }
    if (depth + 1 > AST_DEPTH_MAX) {
        return error_set(p->err, ERR_TOO_COMPLEX, select->span.at, "set operations are nested deeper than %d levels", AST_DEPTH_MAX);
    }
    select->depth = (uint16_t)(depth + 1);
    return ERR_OK;
}

/* left op arm op arm ...: one node while the operation stays the same. */
static ErrorCode parse_chain(Parser *p, bool tight, AstSelect *left, AstSelect **select_out) {
    AstSetOperation operation = AST_UNION;
    while (at_set_operation(p, tight, &operation)) {
        AstSelect *node = new_select(p, AST_SELECT_SET_OPERATION, parse__span(p));
        node->operation = operation;
        size_t mark = list_begin(p);
        list_push(p, &left, sizeof left);
        AstSetOperation next = operation;
        while (at_set_operation(p, tight, &next) && next == operation) {
            AstSelect *arm = NULL;
            take_set_operation(p);
            TRY(parse_arm(p, &arm));
            if (!tight) {
                TRY(parse_chain(p, true, arm, &arm));
            }
            list_push(p, &arm, sizeof arm);
        }
        node->arms = list_end(p, mark, AstSelect *, &node->arm_count);
        TRY(set_depth(p, node));
        left = node;
    }
    *select_out = left;
    return ERR_OK;
}

/* ---------------------------------------------------------------- the whole query */

/* A set operation with one arm: a query whose clauses are taken gets a node for more of them. */
static AstSelect *wrapped(Parser *p, AstSelect *select) {
    AstSelect *wrapper = new_select(p, AST_SELECT_SET_OPERATION, select->span);
    wrapper->arms = arena_array(p->arena, AstSelect *, 1);
    wrapper->arms[0] = select;
    wrapper->arm_count = 1;
    wrapper->operation = AST_UNION_ALL;
    return wrapper;
}

static ErrorCode clause_twice(Parser *p, uint32_t at, const char *clause) {
    return error_set(p->err, ERR_SYNTAX, at, "multiple %s clauses not allowed", clause);
}

/* (SELECT ... LIMIT 5) OFFSET 2: to PostgreSQL the clauses behind the parenthesis are the query's own, each of them once. */
static ErrorCode parse_more_limits(Parser *p, AstSelect *select) {
    AstSelect outer = {0};
    TRY(parse__limits(p, &outer));
    if (outer.limit == NULL) {
        return ERR_OK;
    }
    AstLimit *limit = select->limit, *more = outer.limit;
    bool limits = more->has_limit || more->high != NULL;
    if (limits && (limit->has_limit || limit->high != NULL)) {
        return clause_twice(p, more->high != NULL ? more->high->span.at : more->limit_span.at, "LIMIT");
    }
    if (more->offset != NULL && limit->offset != NULL) {
        return clause_twice(p, more->offset->span.at, "OFFSET");
    }
    AstLimit *both = arena_new(p->arena, AstLimit);
    *both = limits ? *more : *limit;
    both->offset = limit->offset != NULL ? limit->offset : more->offset;
    both->offset_span = limit->offset != NULL ? limit->offset_span : more->offset_span;
    select->limit = both;
    return ERR_OK;
}

/* (SELECT ... LIMIT 5) LIMIT 2, in the questdb dialect: the outer clauses need a node of their own. */
static AstSelect *wrap_ordered(Parser *p, AstSelect *select) {
    bool more = parse__at_keyword(p, KW_ORDER) || parse__at_keyword(p, KW_LIMIT) || parse__at_keyword(p, KW_OFFSET) || parse__at_keyword(p, KW_FETCH);
    if (p->dialect == DIALECT_POSTGRES || !more || (select->order_count == 0 && select->limit == NULL && select->with == NULL)) {
        return select;
    }
    return wrapped(p, select);
}

ErrorCode parse__query_rest(Parser *p, AstSelect *first, AstSelect **select_out) {
    AstSelect *select = NULL;
    TRY(parse_chain(p, true, first, &select));
    TRY(parse_chain(p, false, select, &select));
    select = wrap_ordered(p, select);
    if (select->kind == AST_SELECT_SET_OPERATION) {
        TRY(set_depth(p, select));
    }
    if (parse__at_keyword(p, KW_ORDER)) {
        bool twice = select->order_count > 0;
        select->order_span = parse__span(p);
        parse__advance(p);
        TRY(parse__sort_keys(p, &select->order_by, &select->order_count));
        if (twice) {
            return clause_twice(p, select->order_by[0].expr->span.at, "ORDER BY");
        }
    }
    if (select->locking_count == 0) {
        TRY(parse__lockings(p, select));
    }
    TRY(select->limit == NULL ? parse__limits(p, select) : p->dialect == DIALECT_POSTGRES ? parse_more_limits(p, select) : ERR_OK);
    if (select->locking_count == 0) {
        TRY(parse__lockings(p, select));
    }
    *select_out = select;
    return ERR_OK;
}

ErrorCode parse__query(Parser *p, AstSelect **select_out) {
    TRY(parse__enter(p));
    AstDeclare *declares = NULL;
    uint32_t declare_count = 0;
    AstWith *with = NULL;
    AstSelect *first = NULL;
    TRY(parse__declares(p, &declares, &declare_count));
    TRY(parse__with(p, &with));
    if (declare_count == 0) {
        TRY(parse__declares(p, &declares, &declare_count));
    }
    TRY(parse_arm(p, &first));
    AstSelect *select = NULL;
    TRY(parse__query_rest(p, first, &select));
    if (with != NULL || declare_count > 0) {
        if (select->with != NULL && with != NULL && p->dialect == DIALECT_POSTGRES) {
            return clause_twice(p, with->span.at, "WITH");
        }
        if (select->with != NULL || select->declare_count > 0) { /* WITH a AS (...) (WITH b AS (...) SELECT ...) */
            select = wrapped(p, select);
            TRY(set_depth(p, select));
        }
        select->with = with;
        select->declares = declares;
        select->declare_count = declare_count;
    }
    parse__leave(p);
    *select_out = select;
    return ERR_OK;
}

/* CREATE TABLE t AS (SELECT ...) TIMESTAMP(ts): the words behind the parenthesis belong to the table, unless a set operation goes on. */
ErrorCode parse__definition_query(Parser *p, AstSelect **select_out) {
    if (!parse__at_mark(p, "(")) {
        return parse__query(p, select_out);
    }
    TRY(parse__enter(p));
    Token open = p->token;
    parse__advance(p);
    TRY(parse__definition_query(p, select_out));
    TRY(parse__expect_close(p, open));
    parse__leave(p);
    AstSetOperation operation = AST_UNION;
    bool more = at_set_operation(p, true, &operation) || at_set_operation(p, false, &operation) || parse__at_keyword(p, KW_ORDER) || parse__at_keyword(p, KW_LIMIT);
    return more ? parse__query_rest(p, *select_out, select_out) : ERR_OK;
}
