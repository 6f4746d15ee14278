/* SPDX-License-Identifier: Apache-2.0
 * parse_call.c - function calls with all that may follow them, and the calls with words inside: EXTRACT(x FROM y), TRIM(BOTH ...).
 *
 * Why: calls with words become plain calls with the arguments in the order of the function behind them, so that the binder sees
 * functions only: extract(field, x), position(needle, haystack), substring(x, from, for), overlay(x, y, from, for), btrim(x, characters).
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* ---------------------------------------------------------------- sort keys and windows */

static ErrorCode parse_sort_key(Parser *p, AstSortKey *key_out) {
    AstSortKey key = {0};
    TRY(parse__expr(p, &key.expr));
    if (parse__accept_keyword(p, KW_USING)) {
        if (p->token.kind != TOKEN_OPERATOR) {
            return parse__expected(p, "an operator");
        }
        key.using_operator = p->token.text;
        parse__advance(p);
    } else if (parse__accept_keyword(p, KW_DESC)) {
        key.descending = true;
    } else {
        (void)parse__accept_keyword(p, KW_ASC);
    }
    if (parse__at_keyword(p, KW_NULLS) && (parse__peek_keyword(p, KW_FIRST) || parse__peek_keyword(p, KW_LAST))) {
        parse__advance(p);
        key.nulls_given = true;
        key.nulls_first = parse__at_keyword(p, KW_FIRST);
        parse__advance(p);
    }
    *key_out = key;
    return ERR_OK;
}

ErrorCode parse__sort_keys(Parser *p, AstSortKey **keys_out, uint32_t *count_out) {
    TRY(parse__expect_keyword(p, KW_BY));
    size_t mark = list_begin(p);
    do {
        AstSortKey key = {0};
        TRY(parse_sort_key(p, &key));
        list_push(p, &key, sizeof key);
    } while (parse__accept_mark(p, ","));
    *keys_out = list_end(p, mark, AstSortKey, count_out);
    return ERR_OK;
}

ErrorCode parse__frame_bound(Parser *p, AstFrameBound *bound_out) {
    AstFrameBound bound = {0};
    if (parse__accept_keyword(p, KW_UNBOUNDED)) {
        bound.kind = parse__at_keyword(p, KW_FOLLOWING) ? AST_UNBOUNDED_FOLLOWING : AST_UNBOUNDED_PRECEDING;
    } else if (parse__accept_keyword(p, KW_CURRENT)) {
        TRY(parse__expect_keyword(p, KW_ROW));
        bound.kind = AST_CURRENT_ROW;
        *bound_out = bound;
        return ERR_OK;
    } else {
        if (p->token.kind == TOKEN_SUFFIXED) {
            TRY(parse__span_literal(p, &bound.offset, "a number"));
        } else {
            TRY(parse__expr_above(p, 5, &bound.offset));
        }
        if (p->token.kind == TOKEN_WORD && !parse__at_keyword(p, KW_PRECEDING) && !parse__at_keyword(p, KW_FOLLOWING)) {
            bound.unit = parse__lower(p, p->token.text);
            parse__advance(p);
        }
        bound.kind = parse__at_keyword(p, KW_FOLLOWING) ? AST_FOLLOWING : AST_PRECEDING;
    }
    if (!parse__accept_keyword(p, KW_PRECEDING) && !parse__accept_keyword(p, KW_FOLLOWING)) {
        return parse__expected(p, "PRECEDING or FOLLOWING");
    }
    *bound_out = bound;
    return ERR_OK;
}

static ErrorCode parse_exclusion(Parser *p, AstWindow *window) {
    if (!parse__accept_keyword(p, KW_EXCLUDE)) {
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_CURRENT)) {
        window->exclude = AST_EXCLUDE_CURRENT_ROW;
        return parse__expect_keyword(p, KW_ROW);
    }
    if (parse__accept_keyword(p, KW_GROUP)) {
        window->exclude = AST_EXCLUDE_GROUP;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_TIES)) {
        window->exclude = AST_EXCLUDE_TIES;
        return ERR_OK;
    }
    window->exclude = AST_EXCLUDE_NO_OTHERS;
    TRY(parse__expect_keyword(p, KW_NO));
    return parse__expect_keyword(p, KW_OTHERS);
}

static ErrorCode parse_frame(Parser *p, AstWindow *window) {
    if (parse__accept_keyword(p, KW_CUMULATIVE)) {
        window->frame = AST_FRAME_CUMULATIVE;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_ROWS)) {
        window->frame = AST_FRAME_ROWS;
    } else if (parse__accept_keyword(p, KW_RANGE)) {
        window->frame = AST_FRAME_RANGE;
    } else if (parse__accept_keyword(p, KW_GROUPS)) {
        window->frame = AST_FRAME_GROUPS;
    } else {
        return ERR_OK;
    }
    window->end.kind = AST_CURRENT_ROW;
    if (parse__accept_keyword(p, KW_BETWEEN)) {
        TRY(parse__frame_bound(p, &window->start));
        TRY(parse__expect_keyword(p, KW_AND));
        TRY(parse__frame_bound(p, &window->end));
    } else {
        TRY(parse__frame_bound(p, &window->start));
    }
    return parse_exclusion(p, window);
}

ErrorCode parse__window(Parser *p, AstWindow *window) {
    Token open = p->token;
    window->span = parse__span(p);
    TRY(parse__expect_mark(p, "("));
    bool opens_clause = parse__at_keyword(p, KW_PARTITION) || parse__at_keyword(p, KW_ROWS) || parse__at_keyword(p, KW_RANGE) ||
                        parse__at_keyword(p, KW_GROUPS) || parse__at_keyword(p, KW_CUMULATIVE);
    if (parse__at_name(p) && !opens_clause) {
        AstName base = {0};
        TRY(parse__name(p, &base, "a window name"));
        window->base = parse__new_name(p, base);
    }
    if (parse__accept_keyword(p, KW_PARTITION)) {
        TRY(parse__expect_keyword(p, KW_BY));
        TRY(parse__expr_list(p, &window->partition_by, &window->partition_count));
    }
    if (parse__accept_keyword(p, KW_ORDER)) {
        TRY(parse__sort_keys(p, &window->order_by, &window->order_count));
    }
    TRY(parse_frame(p, window));
    return parse__expect_close(p, open);
}

static ErrorCode parse_over(Parser *p, AstCall *call) {
    call->over = arena_new(p->arena, AstWindow);
    if (parse__at_mark(p, "(")) {
        return parse__window(p, call->over);
    }
    AstName name = {0};
    TRY(parse__name(p, &name, "( or a window name"));
    call->over->name = parse__new_name(p, name);
    call->over->span = name.span;
    return ERR_OK;
}

/* ---------------------------------------------------------------- plain calls */

typedef struct Arguments {
    AstExpr **items;
    AstName *names; /* NULL: none is named */
    uint32_t count;
    bool variadic;
} Arguments;

/* [VARIADIC] [name =>] expr */
static ErrorCode parse_argument(Parser *p, Arguments *arguments, AstName *name_out, AstExpr **expr_out) {
    arguments->variadic = parse__accept_keyword(p, KW_VARIADIC) || arguments->variadic;
    *name_out = (AstName){0};
    const Token *next = parse__at_name(p) ? parse__peek(p) : &p->token;
    if (token_is(next, TOKEN_OPERATOR, STR("=>")) || token_is(next, TOKEN_PUNCTUATION, STR(":="))) {
        TRY(parse__name(p, name_out, "an argument's name"));
        parse__advance(p);
    }
    return parse__at_query(p, false) ? parse__subquery(p, expr_out) : parse__expr(p, expr_out);
}

static ErrorCode parse_arguments(Parser *p, Arguments *arguments) {
    size_t names_mark = 0;
    Buffer names;
    buffer_init(&names, SQL_TEXT_BYTES_MAX);
    bool named = false;
    size_t mark = list_begin(p);
    ErrorCode code = ERR_OK;
    do {
        AstName name = {0};
        AstExpr *item = NULL;
        TRY_OR(done, parse_argument(p, arguments, &name, &item));
        named = named || name.text.len > 0;
        if (named) { /* names are rare: earlier arguments get empty ones when the first appears */
            for (size_t i = names.len / sizeof name; i < (p->stack.len - mark) / sizeof item; i++) {
                buffer_append(&names, &(AstName){0}, sizeof name);
            }
            buffer_append(&names, &name, sizeof name);
        }
        list_push(p, &item, sizeof item);
    } while (parse__accept_mark(p, ","));
    arguments->items = list_end(p, mark, AstExpr *, &arguments->count);
    if (named) {
        names_mark = list_begin(p);
        list_push(p, names.data, names.len);
        uint32_t count = 0;
        arguments->names = list_end(p, names_mark, AstName, &count);
    }
done:
    buffer_deinit(&names);
    return code;
}

/* What stands between the parentheses. *star_out: count(*) */
static ErrorCode parse_call_inside(Parser *p, AstCall *call, Arguments *arguments) {
    if (parse__at_operator(p, "*") && parse__peek_mark(p, ")")) {
        parse__advance(p);
        call->star = true;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_DISTINCT)) {
        call->distinct = true;
    } else {
        (void)parse__accept_keyword(p, KW_ALL);
    }
    if (!parse__at_mark(p, ")")) {
        TRY(parse_arguments(p, arguments));
    }
    if (parse__accept_keyword(p, KW_ORDER)) {
        TRY(parse__sort_keys(p, &call->order_by, &call->order_count));
    }
    return ERR_OK;
}

static ErrorCode parse_within_group(Parser *p, AstCall *call) {
    if (!parse__at_keyword(p, KW_WITHIN) || !parse__peek_keyword(p, KW_GROUP)) {
        return ERR_OK;
    }
    parse__advance(p);
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__expect_keyword(p, KW_ORDER));
    TRY(parse__sort_keys(p, &call->order_by, &call->order_count));
    call->within_group = true;
    return parse__expect_close(p, open);
}

static ErrorCode parse_call_filter(Parser *p, AstCall *call) {
    if (!parse__at_keyword(p, KW_FILTER) || !parse__peek_mark(p, "(")) {
        return ERR_OK;
    }
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__expect_keyword(p, KW_WHERE));
    TRY(parse__expr(p, &call->filter));
    return parse__expect_close(p, open);
}

/* WITHIN GROUP, FILTER, IGNORE NULLS, OVER */
static ErrorCode parse_call_tail(Parser *p, AstCall *call) {
    TRY(parse_within_group(p, call));
    TRY(parse_call_filter(p, call));
    if ((parse__at_keyword(p, KW_IGNORE) || parse__at_keyword(p, KW_RESPECT)) && parse__peek_keyword(p, KW_NULLS)) {
        call->ignore_nulls = parse__at_keyword(p, KW_IGNORE);
        call->respect_nulls = !call->ignore_nulls;
        parse__advance(p);
        parse__advance(p);
    }
    const Token *next = parse__at_keyword(p, KW_OVER) ? parse__peek(p) : &p->token;
    if (parse__at_keyword(p, KW_OVER) && (token_is(next, TOKEN_PUNCTUATION, STR("(")) || next->kind == TOKEN_WORD || next->kind == TOKEN_QUOTED)) {
        parse__advance(p);
        TRY(parse_over(p, call));
    }
    return ERR_OK;
}

static bool is_plain_call(const AstCall *call, const Arguments *arguments) {
    return call->name.count == 1 && !call->name.parts[0].quoted && !call->distinct && call->order_count == 0 && call->filter == NULL &&
           call->over == NULL && !call->ignore_nulls && !call->respect_nulls && arguments->names == NULL && !arguments->variadic;
}

ErrorCode parse__function_call(Parser *p, AstNames names, AstExpr **expr_out) {
    AstCall call = {.name = names};
    Arguments arguments = {0};
    Token open = p->token;
    Span span = names.span;
    TRY(parse__expect_mark(p, "("));
    TRY(parse_call_inside(p, &call, &arguments));
    TRY(parse__expect_close(p, open));
    TRY(parse_call_tail(p, &call));
    if (is_plain_call(&call, &arguments)) {
        Str name = parse__lower(p, names.parts[0].text);
        TRY(parse__new_call(p, name, span, arguments.items, arguments.count, expr_out));
        (*expr_out)->flags |= call.star ? AST_STAR_ARGUMENT : 0;
        return ERR_OK;
    }
    call.argument_names = arguments.names;
    TRY(parse__new_expr(p, AST_CALL_SPECIAL, span, arguments.items, arguments.count, expr_out));
    AstCall *copy = arena_new(p->arena, AstCall);
    *copy = call;
    (*expr_out)->as.call = copy;
    (*expr_out)->flags |= arguments.variadic ? AST_VARIADIC : 0;
    return ERR_OK;
}

/* ---------------------------------------------------------------- calls with words inside */

static ErrorCode finish_call(Parser *p, Str name, Span span, size_t mark, Token open, AstExpr **expr_out) {
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__expect_close(p, open));
    return parse__new_call(p, name, span, args, count, expr_out);
}

static ErrorCode push_expr(Parser *p, int power) {
    AstExpr *expr = NULL;
    TRY(parse__expr_above(p, power, &expr));
    list_push(p, &expr, sizeof expr);
    return ERR_OK;
}

/* EXTRACT(field FROM x); the plain call extract('year', x) is also taken. */
static ErrorCode parse_extract(Parser *p, Span span, Token open, AstExpr **expr_out) {
    size_t mark = list_begin(p);
    AstExpr *field = NULL;
    bool word = parse__at_label(p) && parse__peek_keyword(p, KW_FROM);
    bool string = p->token.kind == TOKEN_STRING && parse__peek_keyword(p, KW_FROM);
    if (word || string) {
        TRY(parse__new_text(p, AST_STRING, parse__span(p), word ? parse__lower(p, p->token.text) : p->token.text, &field));
        parse__advance(p);
        parse__advance(p);
    } else {
        TRY(parse__expr(p, &field));
        TRY(parse__expect_mark(p, ","));
    }
    list_push(p, &field, sizeof field);
    TRY(push_expr(p, 1));
    return finish_call(p, STR("extract"), span, mark, open, expr_out);
}

static ErrorCode parse_position(Parser *p, Span span, Token open, AstExpr **expr_out) {
    size_t mark = list_begin(p);
    TRY(push_expr(p, 7)); /* binds tighter than IN */
    if (!parse__accept_keyword(p, KW_IN)) {
        TRY(parse__expect_mark(p, ","));
    }
    TRY(push_expr(p, 7));
    return finish_call(p, STR("position"), span, mark, open, expr_out);
}

static ErrorCode push_integer(Parser *p, Str text) {
    AstExpr *expr = NULL;
    TRY(parse__new_text(p, AST_INTEGER, parse__span(p), text, &expr));
    list_push(p, &expr, sizeof expr);
    return ERR_OK;
}

static ErrorCode push_list_rest(Parser *p) {
    while (parse__accept_mark(p, ",")) {
        TRY(push_expr(p, 1));
    }
    return ERR_OK;
}

static ErrorCode parse_substring(Parser *p, Span span, Token open, AstExpr **expr_out) {
    size_t mark = list_begin(p);
    TRY(push_expr(p, 1));
    if (parse__accept_keyword(p, KW_FROM)) {
        TRY(push_expr(p, 1));
        if (parse__accept_keyword(p, KW_FOR)) {
            TRY(push_expr(p, 1));
        }
    } else if (parse__accept_keyword(p, KW_FOR)) {
        TRY(push_integer(p, STR("1")));
        TRY(push_expr(p, 1));
    } else if (parse__accept_keyword(p, KW_SIMILAR)) {
        TRY(push_expr(p, 1));
        TRY(parse__expect_keyword(p, KW_ESCAPE));
        TRY(push_expr(p, 1));
    } else {
        TRY(push_list_rest(p));
    }
    return finish_call(p, STR("substring"), span, mark, open, expr_out);
}

static ErrorCode parse_overlay(Parser *p, Span span, Token open, AstExpr **expr_out) {
    size_t mark = list_begin(p);
    TRY(push_expr(p, 1));
    if (parse__accept_keyword(p, KW_PLACING)) {
        TRY(push_expr(p, 1));
        TRY(parse__expect_keyword(p, KW_FROM));
        TRY(push_expr(p, 1));
        if (parse__accept_keyword(p, KW_FOR)) {
            TRY(push_expr(p, 1));
        }
    } else {
        TRY(push_list_rest(p));
    }
    return finish_call(p, STR("overlay"), span, mark, open, expr_out);
}

/* TRIM([BOTH|LEADING|TRAILING] [characters] FROM x), TRIM(x, characters) */
static ErrorCode parse_trim(Parser *p, Span span, Token open, AstExpr **expr_out) {
    Str name = STR("btrim");
    if (parse__accept_keyword(p, KW_LEADING)) {
        name = STR("ltrim");
    } else if (parse__accept_keyword(p, KW_TRAILING)) {
        name = STR("rtrim");
    } else {
        (void)parse__accept_keyword(p, KW_BOTH);
    }
    AstExpr *first = NULL;
    size_t mark = list_begin(p);
    if (parse__accept_keyword(p, KW_FROM)) {
        TRY(push_expr(p, 1));
        TRY(push_list_rest(p));
        return finish_call(p, name, span, mark, open, expr_out);
    }
    TRY(parse__expr(p, &first));
    if (parse__accept_keyword(p, KW_FROM)) {
        TRY(push_expr(p, 1));
        list_push(p, &first, sizeof first);
    } else {
        list_push(p, &first, sizeof first);
        TRY(push_list_rest(p));
    }
    return finish_call(p, name, span, mark, open, expr_out);
}

typedef ErrorCode (*SpecialParse)(Parser *p, Span span, Token open, AstExpr **expr_out);
typedef struct SpecialRow { Keyword keyword; SpecialParse parse; } SpecialRow;
static const SpecialRow special_rows[] = {
    {KW_EXTRACT, parse_extract}, {KW_POSITION, parse_position}, {KW_SUBSTRING, parse_substring}, {KW_OVERLAY, parse_overlay}, {KW_TRIM, parse_trim},
};
/* Functions that are called without parentheses. */
static const Keyword bare_rows[] = {
    KW_CURRENT_CATALOG, KW_CURRENT_DATE, KW_CURRENT_ROLE, KW_CURRENT_TIME, KW_CURRENT_TIMESTAMP, KW_CURRENT_USER, KW_LOCALTIME,
    KW_LOCALTIMESTAMP, KW_SESSION_USER, KW_SYSTEM_USER, KW_USER, KW_CURRENT_SCHEMA,
};

static ErrorCode parse_bare_call(Parser *p, AstExpr **expr_out) {
    Str name = keyword_text((Keyword)p->token.keyword);
    Span span = parse__span(p);
    parse__advance(p);
    AstExpr **args = NULL;
    uint32_t count = 0;
    uint8_t flags = AST_BARE;
    if (parse__at_mark(p, "(")) { /* CURRENT_TIMESTAMP(3), current_schema() */
        Token open = p->token;
        parse__advance(p);
        if (!parse__at_mark(p, ")")) {
            TRY(parse__expr_list(p, &args, &count));
        }
        TRY(parse__expect_close(p, open));
        flags = 0;
    }
    TRY(parse__new_call(p, name, span, args, count, expr_out));
    (*expr_out)->flags |= flags;
    return ERR_OK;
}

ErrorCode parse__special_call(Parser *p, bool *found_out, AstExpr **expr_out) {
    Keyword keyword = (Keyword)p->token.keyword;
    *found_out = false;
    if (keyword == NO_KEYWORD) {
        return ERR_OK;
    }
    for (size_t i = 0; i < COUNT_OF(special_rows); i++) {
        if (keyword == special_rows[i].keyword && parse__peek_mark(p, "(")) {
            Span span = parse__span(p);
            *found_out = true;
            parse__advance(p);
            Token open = p->token;
            parse__advance(p);
            return special_rows[i].parse(p, span, open, expr_out);
        }
    }
    for (size_t i = 0; i < COUNT_OF(bare_rows); i++) {
        if (keyword == bare_rows[i]) {
            *found_out = true;
            return parse_bare_call(p, expr_out);
        }
    }
    return ERR_OK;
}
