/* SPDX-License-Identifier: Apache-2.0
 * parse_from.c - what stands behind FROM: tables, functions, queries in parentheses, joins of both languages.
 *
 * Why:   a parenthesis may hold a query, a table that stands for a query (`(trades LATEST ON ts PARTITION BY s)`), or joined tables;
 *        which one is known only behind its first item, so the item is read first and then turned into what it is.
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

static ErrorCode parse__from_joins(Parser *p, AstFrom **item);

static AstFrom *new_from(Parser *p, AstFromKind kind, Span span) {
    AstFrom *from = arena_new(p->arena, AstFrom);
    from->kind = kind;
    from->span = span;
    from->depth = 1;
    return from;
}

static NODISCARD ErrorCode parse_from_primary(Parser *p, AstFrom **item_out);

typedef struct ClauseWord { Keyword first, second; } ClauseWord;
/* Pairs of words that open a clause although the first could be an alias. */
static const ClauseWord clause_words[] = {
    {KW_SAMPLE, KW_BY},   {KW_LATEST, KW_ON},  {KW_LATEST, KW_BY},    {KW_ALIGN, KW_TO},    {KW_ASOF, KW_JOIN},     {KW_LT, KW_JOIN},
    {KW_SPLICE, KW_JOIN}, {KW_HORIZON, KW_JOIN}, {KW_RANGE, KW_BETWEEN}, {KW_RANGE, KW_FROM}, {KW_PARTITION, KW_BY}, {KW_INCLUDE, KW_PREVAILING},
    {KW_EXCLUDE, KW_PREVAILING}, {KW_BYPASS, KW_WAL},
};

bool parse__at_clause(Parser *p) {
    if (p->token.kind != TOKEN_WORD || p->token.keyword == NO_KEYWORD) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(clause_words); i++) {
        if (p->token.keyword == clause_words[i].first && parse__peek_keyword(p, clause_words[i].second)) {
            return true;
        }
    }
    switch ((Keyword)p->token.keyword) {
    case KW_FILL:
    case KW_LIST:
    case KW_TIMESTAMP:
    case KW_PIVOT: return parse__peek_mark(p, "(");
    case KW_TOLERANCE: return parse__peek(p)->kind == TOKEN_SUFFIXED || parse__peek(p)->kind == TOKEN_INTEGER;
    case KW_SET: return true;
    default: return false;
    }
}

/* ---------------------------------------------------------------- primaries */

static ErrorCode take_subquery(Parser *p, AstSelect *select, Span span, AstFrom **item_out) {
    AstFrom *item = new_from(p, AST_FROM_SUBQUERY, span);
    item->as.select = select;
    if (select->depth + 1 > AST_DEPTH_MAX) {
        return error_set(p->err, ERR_TOO_COMPLEX, span.at, "queries are nested deeper than %d levels", AST_DEPTH_MAX);
    }
    item->depth = (uint16_t)(select->depth + 1);
    *item_out = item;
    return ERR_OK;
}

/* Inside a parenthesis, behind its first item: does a query go on with it? */
static bool continues_query(Parser *p) {
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_WHERE:
    case KW_GROUP:
    case KW_HAVING:
    case KW_ORDER:
    case KW_LIMIT:
    case KW_OFFSET:
    case KW_FETCH:
    case KW_UNION:
    case KW_EXCEPT:
    case KW_INTERSECT: return true;
    case KW_SAMPLE:
    case KW_LATEST: return parse__at_clause(p);
    default: return false;
    }
}

static ErrorCode parse_inside_parens(Parser *p, Span span, AstFrom **item_out) {
    if (parse__at_query(p, false)) {
        AstSelect *select = NULL;
        TRY(parse__query(p, &select));
        return take_subquery(p, select, span, item_out);
    }
    if (parse__at_keyword(p, KW_SHOW) || parse__at_keyword(p, KW_EXPLAIN)) {
        *item_out = new_from(p, AST_FROM_STATEMENT, span);
        return parse__statement(p, &(*item_out)->as.statement);
    }
    AstFrom *inner = NULL;
    TRY(parse__from_item(p, &inner));
    if (!continues_query(p)) {
        *item_out = inner; /* ((SELECT ...)), (a JOIN b ON ...), (t) */
        return ERR_OK;
    }
    AstSelect *select = inner->as.select;
    if (inner->kind != AST_FROM_SUBQUERY || inner->alias != NULL || inner->timestamp != NULL || parse__at_keyword(p, KW_WHERE) ||
        parse__at_clause(p) || parse__at_keyword(p, KW_GROUP)) {
        TRY(parse__query_from_item(p, inner, &select));
    }
    TRY(parse__query_rest(p, select, &select));
    return take_subquery(p, select, span, item_out);
}

static ErrorCode parse_parens(Parser *p, AstFrom **item_out) {
    TRY(parse__enter(p));
    Token open = p->token;
    Span span = parse__span(p);
    parse__advance(p);
    TRY(parse_inside_parens(p, span, item_out));
    TRY(parse__expect_close(p, open));
    parse__leave(p);
    return ERR_OK;
}

static void parse_ordinality(Parser *p, AstFrom *item) {
    if (parse__at_keyword(p, KW_WITH) && parse__peek_keyword(p, KW_ORDINALITY)) {
        parse__advance(p);
        parse__advance(p);
        item->with_ordinality = true;
    }
}

/* ROWS FROM (f(), g()): a call of that name with the calls as arguments. */
static ErrorCode parse_rows_from(Parser *p, AstFrom **item_out) {
    Span span = parse__span(p);
    parse__advance(p);
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    size_t mark = list_begin(p);
    do {
        AstExpr *call = NULL;
        int64_t at = p->token.at;
        TRY(parse__expr(p, &call));
        if (call->kind != AST_CALL && call->kind != AST_CALL_SPECIAL) {
            return error_set(p->err, ERR_SYNTAX, at, "syntax error: expected a function call");
        }
        list_push(p, &call, sizeof call);
    } while (parse__accept_mark(p, ","));
    AstExpr **calls = NULL;
    uint32_t count = 0;
    calls = list_end(p, mark, AstExpr *, &count);
    TRY(parse__expect_close(p, open));
    *item_out = new_from(p, AST_FROM_FUNCTION, span);
    TRY(parse__new_call(p, STR("rows from"), span, calls, count, &(*item_out)->as.function));
    parse_ordinality(p, *item_out);
    return ERR_OK;
}

static ErrorCode parse_named(Parser *p, AstFrom **item_out) {
    AstNames names = {0};
    Span span = parse__span(p);
    if (p->token.kind == TOKEN_VARIABLE) {
        return parse__not_supported(p, "a variable as a table");
    }
    if (p->token.kind != TOKEN_STRING && !parse__at_name(p) && !parse__peek_mark(p, "(")) {
        return parse__expected(p, "a table name");
    }
    if (p->token.kind == TOKEN_WORD && !parse__at_name(p)) { /* a function such as left(...), current_schema() */
        AstExpr *call = NULL;
        TRY(parse__expr(p, &call));
        if (call->kind != AST_CALL && call->kind != AST_CALL_SPECIAL) {
            return error_set(p->err, ERR_SYNTAX, span.at, "syntax error: expected a table name");
        }
        *item_out = new_from(p, AST_FROM_FUNCTION, span);
        (*item_out)->as.function = call;
        parse_ordinality(p, *item_out);
        return ERR_OK;
    }
    TRY(parse__table_name(p, &names));
    if (parse__at_mark(p, "(") && !names.parts[0].from_string) {
        *item_out = new_from(p, AST_FROM_FUNCTION, span);
        TRY(parse__function_call(p, names, &(*item_out)->as.function));
        parse_ordinality(p, *item_out);
        return ERR_OK;
    }
    *item_out = new_from(p, AST_FROM_TABLE, names.span);
    (*item_out)->as.table = names;
    return ERR_OK;
}

static ErrorCode parse_column_aliases(Parser *p, AstFrom *item) {
    Token open = p->token;
    parse__advance(p);
    size_t mark = list_begin(p);
    do {
        AstName name = {0};
        TRY(parse__name(p, &name, "a column name"));
        list_push(p, &name, sizeof name);
        if (!parse__at_mark(p, ",") && !parse__at_mark(p, ")")) { /* f(...) AS t(a int, b text) */
            AstType *type = NULL;
            TRY(parse__type(p, &type));
        }
    } while (parse__accept_mark(p, ","));
    item->columns = list_end(p, mark, AstName, &item->column_count);
    return parse__expect_close(p, open);
}

static ErrorCode parse_timestamp(Parser *p, AstFrom *item) {
    if (item->timestamp != NULL || !parse__at_keyword(p, KW_TIMESTAMP) || !parse__peek_mark(p, "(")) {
        return ERR_OK;
    }
    parse__advance(p);
    Token open = p->token;
    parse__advance(p);
    AstName name = {0};
    TRY(parse__name(p, &name, "a column name"));
    item->timestamp = parse__new_name(p, name);
    return parse__expect_close(p, open);
}

static ErrorCode parse_tablesample(Parser *p, AstFrom *item) {
    if (!parse__accept_keyword(p, KW_TABLESAMPLE)) {
        return ERR_OK;
    }
    AstNames names = {0};
    TRY(parse__names(p, &names, "a sampling method"));
    if (!parse__at_mark(p, "(")) {
        return parse__expected(p, "(");
    }
    TRY(parse__function_call(p, names, &item->tablesample));
    if (parse__accept_keyword(p, KW_REPEATABLE)) {
        Token open = p->token;
        AstExpr *seed = NULL;
        TRY(parse__expect_mark(p, "("));
        TRY(parse__expr(p, &seed));
        TRY(parse__expect_close(p, open));
    }
    return ERR_OK;
}

static ErrorCode parse__from_tail(Parser *p, AstFrom *item) {
    TRY(parse_timestamp(p, item));
    if (item->alias == NULL) {
        TRY(parse__optional_alias(p, &item->alias));
        if (item->alias != NULL && parse__at_mark(p, "(")) {
            TRY(parse_column_aliases(p, item));
        }
    }
    TRY(parse_timestamp(p, item));
    return parse_tablesample(p, item);
}

/* PIVOT ( ... ): read over; the binder refuses it by name. */
static ErrorCode parse_pivot(Parser *p, AstFrom **item) {
    AstFrom *pivot = new_from(p, AST_FROM_PIVOT, parse__span(p));
    pivot->as.pivot = *item;
    pivot->depth = (uint16_t)((*item)->depth + 1);
    parse__advance(p);
    Token open = p->token;
    parse__advance(p);
    for (size_t depth = 1; depth > 0;) {
        if (p->token.kind == TOKEN_END) {
            return parse__expect_close(p, open);
        }
        depth += parse__at_mark(p, "(");
        depth -= parse__at_mark(p, ")");
        parse__advance(p);
    }
    *item = pivot;
    return parse__from_tail(p, pivot);
}

static ErrorCode parse_from_primary(Parser *p, AstFrom **item_out) {
    bool lateral = parse__accept_keyword(p, KW_LATERAL);
    bool only = parse__accept_keyword(p, KW_ONLY);
    if (parse__at_mark(p, "(")) {
        TRY(parse_parens(p, item_out));
    } else if (parse__at_keyword(p, KW_ROWS) && parse__peek_keyword(p, KW_FROM)) {
        TRY(parse_rows_from(p, item_out));
    } else {
        TRY(parse_named(p, item_out));
    }
    (*item_out)->lateral = lateral;
    (*item_out)->only = only;
    TRY(parse__from_tail(p, *item_out));
    while (parse__at_keyword(p, KW_PIVOT) && parse__peek_mark(p, "(")) {
        TRY(parse_pivot(p, item_out));
        if ((*item_out)->depth >= AST_DEPTH_MAX) {
            return error_set(p->err, ERR_TOO_COMPLEX, p->token.at, "too many PIVOT clauses");
        }
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- joins */

typedef struct JoinWord { Keyword keyword; AstJoinKind kind; bool outer; } JoinWord;
static const JoinWord join_words[] = {
    {KW_INNER, AST_JOIN_INNER, false}, {KW_LEFT, AST_JOIN_LEFT, true},     {KW_RIGHT, AST_JOIN_RIGHT, true},
    {KW_FULL, AST_JOIN_FULL, true},    {KW_CROSS, AST_JOIN_CROSS, false},  {KW_ASOF, AST_JOIN_ASOF, false},
    {KW_LT, AST_JOIN_LT, false},       {KW_SPLICE, AST_JOIN_SPLICE, false}, {KW_WINDOW, AST_JOIN_WINDOW, false},
    {KW_HORIZON, AST_JOIN_HORIZON, false},
};

/* Takes [NATURAL] [kind [OUTER]] JOIN. *found_out false: no join stands here. */
static ErrorCode take_join_words(Parser *p, AstJoin *join, bool *found_out) {
    *found_out = false;
    if (parse__accept_keyword(p, KW_NATURAL)) {
        join->natural = true;
        *found_out = true;
    }
    for (size_t i = 0; i < COUNT_OF(join_words); i++) {
        const JoinWord *word = &join_words[i];
        if (!parse__at_keyword(p, word->keyword)) {
            continue;
        }
        bool join_follows = parse__peek_keyword(p, KW_JOIN) || (word->outer && parse__peek_keyword(p, KW_OUTER));
        if (!join_follows && (word->kind > AST_JOIN_CROSS)) {
            return ERR_OK; /* WINDOW w AS, or a name */
        }
        *found_out = true;
        join->kind = word->kind;
        parse__advance(p);
        if (word->outer) {
            (void)parse__accept_keyword(p, KW_OUTER);
        }
        return parse__expect_keyword(p, KW_JOIN);
    }
    if (parse__at_keyword(p, KW_JOIN) || join->natural) {
        *found_out = true;
        return parse__expect_keyword(p, KW_JOIN);
    }
    return ERR_OK;
}

static ErrorCode parse_join_condition(Parser *p, AstJoin *join) {
    if (parse__accept_keyword(p, KW_ON)) {
        return parse__expr(p, &join->on);
    }
    if (!parse__accept_keyword(p, KW_USING)) {
        return ERR_OK;
    }
    TRY(parse__name_list(p, &join->using_columns, &join->using_count, "a column name"));
    if (parse__accept_keyword(p, KW_AS)) {
        AstName alias = {0};
        TRY(parse__name(p, &alias, "an alias"));
        join->using_alias = parse__new_name(p, alias);
    }
    return ERR_OK;
}

/* RANGE BETWEEN a AND b [INCLUDE|EXCLUDE PREVAILING] */
static ErrorCode parse_window_range(Parser *p, AstJoin *join) {
    if (!parse__at_keyword(p, KW_RANGE) || !parse__peek_keyword(p, KW_BETWEEN)) {
        return ERR_OK;
    }
    parse__advance(p);
    parse__advance(p);
    join->has_range = true;
    TRY(parse__frame_bound(p, &join->range_start));
    TRY(parse__expect_keyword(p, KW_AND));
    TRY(parse__frame_bound(p, &join->range_end));
    if (parse__at_keyword(p, KW_INCLUDE) || parse__at_keyword(p, KW_EXCLUDE)) {
        join->exclude_prevailing = parse__at_keyword(p, KW_EXCLUDE);
        parse__advance(p);
        return parse__expect_keyword(p, KW_PREVAILING);
    }
    return ERR_OK;
}

/* HORIZON JOIN: RANGE FROM a TO b STEP s AS h, or LIST (a, b, ...) AS h */
static ErrorCode parse_horizon_range(Parser *p, AstJoin *join) {
    bool range = parse__at_keyword(p, KW_RANGE) && parse__peek_keyword(p, KW_FROM);
    bool list = parse__at_keyword(p, KW_LIST) && parse__peek_mark(p, "(");
    if (!range && !list) {
        return ERR_OK;
    }
    parse__advance(p);
    Token open = p->token;
    parse__advance(p);
    if (range) {
        TRY(parse__span_literal(p, &join->from, "an offset such as -5s"));
        TRY(parse__expect_keyword(p, KW_TO));
        TRY(parse__span_literal(p, &join->to, "an offset such as 5s"));
        TRY(parse__expect_keyword(p, KW_STEP));
        TRY(parse__span_literal(p, &join->step, "a step such as 1s"));
    } else {
        size_t mark = list_begin(p);
        do {
            AstExpr *offset = NULL;
            TRY(parse__span_literal(p, &offset, "an offset such as 5s"));
            list_push(p, &offset, sizeof offset);
        } while (parse__accept_mark(p, ","));
        join->list = list_end(p, mark, AstExpr *, &join->list_count);
        TRY(parse__expect_close(p, open));
    }
    TRY(parse__expect_keyword(p, KW_AS));
    AstName alias = {0};
    TRY(parse__name(p, &alias, "an alias"));
    join->horizon_alias = parse__new_name(p, alias);
    return ERR_OK;
}

static ErrorCode parse_join_tail(Parser *p, AstJoin *join) {
    TRY(parse_join_condition(p, join));
    if (parse__at_keyword(p, KW_TOLERANCE)) {
        parse__advance(p);
        TRY(parse__span_literal(p, &join->tolerance, "a span such as 5s"));
    }
    TRY(parse_window_range(p, join));
    return parse_horizon_range(p, join);
}

static bool needs_condition(const AstJoin *join) {
    return !join->natural && (join->kind == AST_JOIN_LEFT || join->kind == AST_JOIN_RIGHT || join->kind == AST_JOIN_FULL);
}

/* a JOIN b JOIN c ON ... ON ...: the condition of the outer join stands behind that of the inner one. */
static ErrorCode parse_join_right(Parser *p, AstJoin *join) {
    TRY(parse_from_primary(p, &join->right));
    TRY(parse_join_tail(p, join));
    if (join->on != NULL || join->using_count > 0 || !needs_condition(join) || join->right->lateral) {
        return ERR_OK;
    }
    TRY(parse__enter(p));
    TRY(parse__from_joins(p, &join->right));
    parse__leave(p);
    TRY(parse_join_tail(p, join));
    if (join->on == NULL && join->using_count == 0) {
        return parse__expected(p, "ON or USING");
    }
    return ERR_OK;
}

static ErrorCode parse__from_joins(Parser *p, AstFrom **item) {
    for (;;) {
        AstJoin join = {.left = *item};
        bool found = false;
        Span span = parse__span(p);
        TRY(take_join_words(p, &join, &found));
        if (!found) {
            return ERR_OK;
        }
        TRY(parse_join_right(p, &join));
        uint32_t depth = 1u + MAX_OF(join.left->depth, join.right->depth);
        if (depth > AST_DEPTH_MAX) {
            return error_set(p->err, ERR_TOO_COMPLEX, span.at, "more than %d joins in one FROM item", AST_DEPTH_MAX);
        }
        AstFrom *from = new_from(p, AST_FROM_JOIN, span);
        from->as.join = arena_new(p->arena, AstJoin);
        *from->as.join = join;
        from->depth = (uint16_t)depth;
        *item = from;
    }
}

ErrorCode parse__from_item(Parser *p, AstFrom **item_out) {
    TRY(parse__enter(p));
    TRY(parse_from_primary(p, item_out));
    TRY(parse__from_joins(p, item_out));
    parse__leave(p);
    return ERR_OK;
}

ErrorCode parse__from_list(Parser *p, AstFrom ***list_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        AstFrom *item = NULL;
        TRY(parse__from_item(p, &item));
        list_push(p, &item, sizeof item);
    } while (parse__accept_mark(p, ","));
    *list_out = list_end(p, mark, AstFrom *, count_out);
    return ERR_OK;
}
