/* SPDX-License-Identifier: Apache-2.0
 * parse_primary.c - what an expression is made of: literals, names, parameters, parentheses, CASE, CAST, ARRAY, casts and subscripts behind.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

static NODISCARD ErrorCode parse_operand(Parser *p, AstExpr **expr_out);
static NODISCARD ErrorCode parse_postfix(Parser *p, AstExpr **expr);

ErrorCode parse__primary(Parser *p, AstExpr **expr_out) {
    TRY(parse_operand(p, expr_out));
    return parse_postfix(p, expr_out);
}

/* ---------------------------------------------------------------- literals and parameters */

static ErrorCode take_literal(Parser *p, AstExprKind kind, AstExpr **expr_out) {
    Span span = parse__span(p);
    Str text = p->token.text;
    parse__advance(p);
    return parse__new_text(p, kind, span, text, expr_out);
}

/* 12.5m and 10L are numbers with a type; other letters behind a number are a slip. */
static ErrorCode take_suffixed(Parser *p, AstExpr **expr_out) {
    Str text = p->token.text;
    char last = text.data[text.len - 1];
    bool one_letter = text.len >= 2 && text.data[text.len - 2] >= '0' && text.data[text.len - 2] <= '9';
    bool dot_letter = text.len >= 2 && text.data[text.len - 2] == '.';
    if ((!one_letter && !dot_letter) || memchr("mMlLdDfF", last, 8) == NULL) {
        return parse__expected(p, "an operator or blank behind the number (trailing junk after numeric literal)");
    }
    TRY(take_literal(p, AST_NUMBER, expr_out));
    (*expr_out)->flags |= AST_SUFFIXED;
    return ERR_OK;
}

static ErrorCode take_param(Parser *p, AstExpr **expr_out) {
    int32_t number = 0;
    for (size_t i = 0; i < p->token.text.len; i++) {
        number = number * 10 + (p->token.text.data[i] - '0');
    }
    if (number < 1 || number > PARAMS_MAX) {
        return error_set(p->err, ERR_UNDEFINED_PARAMETER, p->token.at, "there is no parameter $%d", (int)number);
    }
    TRY(take_literal(p, AST_PARAM, expr_out));
    (*expr_out)->as.text = (Str){0};
    (*expr_out)->as.param = number;
    p->param_max = MAX_OF(p->param_max, number);
    return ERR_OK;
}

/* :name */
static ErrorCode take_named_param(Parser *p, AstExpr **expr_out) {
    uint32_t at = p->token.at;
    parse__advance(p);
    if (p->token.at != at + 1) {
        return parse__expected(p, "an expression");
    }
    AstName name = {0};
    TRY(parse__label(p, &name, "the name of a parameter"));
    name.span = (Span){at, name.span.len + 1};
    TRY(parse__new_expr(p, AST_PARAM, name.span, NULL, 0, expr_out));
    (*expr_out)->flags |= AST_NAMED;
    (*expr_out)->as.name = parse__new_name(p, name);
    const AstName *known = (const AstName *)(const void *)p->named_params.data;
    for (size_t i = 0; i < p->named_params.len / sizeof(AstName); i++) {
        if (str_equal(known[i].text, name.text)) {
            return ERR_OK;
        }
    }
    if (p->named_params.len / sizeof(AstName) >= 1000) {
        return error_set(p->err, ERR_PROGRAM_LIMIT, at, "more than 1000 named parameters");
    }
    buffer_append(&p->named_params, &name, sizeof name);
    return ERR_OK;
}

/* ---------------------------------------------------------------- parentheses */

bool parse__at_query(Parser *p, bool peek) {
    const Token *token = peek ? parse__peek(p) : &p->token;
    if (token->kind != TOKEN_WORD) {
        return false;
    }
    switch ((Keyword)token->keyword) {
    case KW_SELECT:
    case KW_WITH:
    case KW_VALUES:
    case KW_TABLE: return true;
    case KW_DECLARE: return !peek && (parse__peek(p)->kind == TOKEN_VARIABLE || parse__peek_keyword(p, KW_OVERRIDABLE));
    default: return false;
    }
}

static ErrorCode wrap_select(Parser *p, AstSelect *select, Span span, AstExpr **expr_out) {
    if (select->depth + 1 > AST_DEPTH_MAX) {
        return error_set(p->err, ERR_TOO_COMPLEX, span.at, "queries are nested deeper than %d levels", AST_DEPTH_MAX);
    }
    TRY(parse__new_expr(p, AST_SUBQUERY, span, NULL, 0, expr_out));
    (*expr_out)->as.select = select;
    (*expr_out)->depth = (uint16_t)(select->depth + 1);
    return ERR_OK;
}

ErrorCode parse__subquery(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    AstSelect *select = NULL;
    TRY(parse__query(p, &select));
    return wrap_select(p, select, span, expr_out);
}

static bool at_set_operation(const Parser *p) {
    return parse__at_keyword(p, KW_UNION) || parse__at_keyword(p, KW_EXCEPT) || parse__at_keyword(p, KW_INTERSECT) ||
           parse__at_keyword(p, KW_ORDER) || parse__at_keyword(p, KW_LIMIT) || parse__at_keyword(p, KW_OFFSET);
}

static ErrorCode parse_row(Parser *p, Span span, AstExpr *first, Token open, AstExpr **expr_out) {
    size_t mark = list_begin(p);
    list_push(p, &first, sizeof first);
    while (parse__accept_mark(p, ",")) {
        AstExpr *item = NULL;
        TRY(parse__expr(p, &item));
        list_push(p, &item, sizeof item);
    }
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__expect_close(p, open));
    TRY(parse__new_expr(p, AST_ROW, span, args, count, expr_out));
    (*expr_out)->flags |= AST_BARE;
    return ERR_OK;
}

static ErrorCode parse_parens(Parser *p, AstExpr **expr_out) {
    Token open = p->token;
    Span span = parse__span(p);
    parse__advance(p);
    AstExpr *inner = NULL;
    if (parse__at_query(p, false)) {
        TRY(parse__subquery(p, &inner));
    } else {
        TRY(parse__expr(p, &inner));
        if (inner->kind == AST_SUBQUERY && (inner->flags & AST_PARENS) != 0 && at_set_operation(p)) {
            AstSelect *select = NULL; /* ((SELECT 1) UNION SELECT 2) */
            TRY(parse__query_rest(p, inner->as.select, &select));
            TRY(wrap_select(p, select, inner->span, &inner));
        } else if (parse__at_mark(p, ",")) {
            return parse_row(p, span, inner, open, expr_out);
        }
    }
    TRY(parse__expect_close(p, open));
    inner->flags |= AST_PARENS;
    *expr_out = inner;
    return ERR_OK;
}

/* ---------------------------------------------------------------- CASE, CAST, ARRAY, ROW, EXISTS */

static ErrorCode parse_case(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    uint8_t flags = 0;
    parse__advance(p);
    size_t mark = list_begin(p);
    AstExpr *part = NULL;
    if (!parse__at_keyword(p, KW_WHEN)) {
        TRY(parse__expr(p, &part));
        list_push(p, &part, sizeof part);
        flags |= AST_HAS_OPERAND;
    }
    if (!parse__at_keyword(p, KW_WHEN)) {
        return parse__expected(p, "WHEN");
    }
    while (parse__accept_keyword(p, KW_WHEN)) {
        TRY(parse__expr(p, &part));
        list_push(p, &part, sizeof part);
        TRY(parse__expect_keyword(p, KW_THEN));
        TRY(parse__expr(p, &part));
        list_push(p, &part, sizeof part);
    }
    if (parse__accept_keyword(p, KW_ELSE)) {
        TRY(parse__expr(p, &part));
        list_push(p, &part, sizeof part);
        flags |= AST_HAS_ELSE;
    }
    TRY(parse__expect_keyword(p, KW_END));
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__new_expr(p, AST_CASE, span, args, count, expr_out));
    (*expr_out)->flags |= flags;
    return ERR_OK;
}

static ErrorCode new_cast(Parser *p, Span span, AstExpr *value, AstType *type, AstExpr **expr_out) {
    AstExpr **args = arena_array(p->arena, AstExpr *, 1);
    args[0] = value;
    TRY(parse__new_expr(p, AST_CAST, span, args, 1, expr_out));
    (*expr_out)->as.type = type;
    return ERR_OK;
}

static ErrorCode parse_cast(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    AstExpr *value = NULL;
    AstType *type = NULL;
    TRY(parse__expr(p, &value));
    TRY(parse__expect_keyword(p, KW_AS));
    TRY(parse__type(p, &type));
    TRY(parse__expect_close(p, open));
    return new_cast(p, span, value, type, expr_out);
}

static ErrorCode parse_array_elements(Parser *p, AstExpr **expr_out) {
    TRY(parse__enter(p));
    Span span = parse__span(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "["));
    size_t mark = list_begin(p);
    while (!parse__at_mark(p, "]")) {
        AstExpr *item = NULL;
        TRY(parse__at_mark(p, "[") ? parse_array_elements(p, &item) : parse__expr(p, &item));
        list_push(p, &item, sizeof item);
        if (!parse__accept_mark(p, ",")) {
            break;
        }
    }
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__expect_close(p, open));
    parse__leave(p);
    return parse__new_expr(p, AST_ARRAY, span, args, count, expr_out);
}

/* name (query): EXISTS, ARRAY */
static ErrorCode parse_query_call(Parser *p, Str name, Span span, AstExpr **expr_out) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    AstExpr **args = arena_array(p->arena, AstExpr *, 1);
    if (parse__at_query(p, false)) {
        TRY(parse__subquery(p, &args[0]));
    } else {
        TRY(parse__expr(p, &args[0]));
        if (args[0]->kind != AST_SUBQUERY) {
            return error_set(p->err, ERR_SYNTAX, args[0]->span.at, "syntax error: expected a query");
        }
    }
    TRY(parse__expect_close(p, open));
    return parse__new_call(p, name, span, args, 1, expr_out);
}

static ErrorCode parse_array(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    if (parse__at_mark(p, "(")) {
        return parse_query_call(p, STR("array"), span, expr_out);
    }
    TRY(parse_array_elements(p, expr_out));
    (*expr_out)->span = span;
    return ERR_OK;
}

static ErrorCode parse_exists(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    return parse_query_call(p, STR("exists"), span, expr_out);
}

static ErrorCode parse_row_word(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    AstExpr **args = NULL;
    uint32_t count = 0;
    if (!parse__at_mark(p, ")")) {
        TRY(parse__expr_list(p, &args, &count));
    }
    TRY(parse__expect_close(p, open));
    return parse__new_expr(p, AST_ROW, span, args, count, expr_out);
}

/* ---------------------------------------------------------------- names, typed literals */

static Str interval_field(Parser *p) {
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_YEAR:
    case KW_MONTH:
    case KW_DAY:
    case KW_HOUR:
    case KW_MINUTE:
    case KW_SECOND: {
        Str field = keyword_text((Keyword)p->token.keyword);
        parse__advance(p);
        return field;
    }
    default: return (Str){0};
    }
}

/* INTERVAL '1' DAY TO SECOND: the fields stand behind the string. */
static void parse_interval_fields(Parser *p, AstType *type) {
    Str first = interval_field(p);
    type->interval_fields = first;
    if (first.len > 0 && parse__accept_keyword(p, KW_TO)) {
        Str last = interval_field(p);
        type->interval_fields = arena_format(p->arena, "%.*s to %.*s", STR_ARG(first), STR_ARG(last));
    }
}

static ErrorCode typed_literal(Parser *p, AstType *type, AstExpr **expr_out) {
    AstExpr *value = NULL;
    TRY(take_literal(p, AST_STRING, &value));
    if (type->name.count == 1 && str_equal(type->name.parts[0].text, STR("interval"))) {
        parse_interval_fields(p, type);
        if (type->interval_fields.len > 0) {
            TRY(parse__type_modifiers(p, type)); /* SECOND(2) */
        }
    }
    TRY(new_cast(p, type->span, value, type, expr_out));
    (*expr_out)->flags |= AST_TYPED_LITERAL;
    return ERR_OK;
}

/* Words that can only open a type in front of a string: DATE '...' is a plain name, TIMESTAMP WITH TIME ZONE '...' is not. */
static bool at_type_words(Parser *p) {
    switch ((Keyword)p->token.keyword) {
    case KW_TIMESTAMP:
    case KW_TIME: return parse__peek_keyword(p, KW_WITH) || parse__peek_keyword(p, KW_WITHOUT);
    default: return false;
    }
}

static ErrorCode parse_name_or_call(Parser *p, AstExpr **expr_out) {
    KeywordClass word_class = p->token.kind == TOKEN_WORD ? keyword_class((Keyword)p->token.keyword) : KEYWORD_UNRESERVED;
    if (word_class == KEYWORD_RESERVED || (word_class == KEYWORD_TYPE_FUNCTION && !parse__peek_mark(p, "(") && !parse__peek_mark(p, "."))) {
        return parse__expected(p, "an expression");
    }
    if (parse__peek(p)->kind == TOKEN_STRING || at_type_words(p)) {
        AstType *type = NULL;
        TRY(parse__type(p, &type));
        return typed_literal(p, type, expr_out);
    }
    AstNames names = {0};
    uint32_t at = p->token.at;
    AstName first = {.text = p->token.text, .span = parse__span(p), .quoted = p->token.kind == TOKEN_QUOTED};
    size_t mark = list_begin(p);
    list_push(p, &first, sizeof first);
    parse__advance(p);
    while (parse__at_mark(p, ".")) {
        parse__advance(p);
        if (parse__at_operator(p, "*")) {
            parse__advance(p);
            names.parts = list_end(p, mark, AstName, &names.count);
            TRY(parse__new_expr(p, AST_STAR, parse__span_from(p, at), NULL, 0, expr_out));
            (*expr_out)->as.names = names;
            return ERR_OK;
        }
        AstName part = {0};
        TRY(parse__label(p, &part, "a name behind the dot"));
        list_push(p, &part, sizeof part);
    }
    names.parts = list_end(p, mark, AstName, &names.count);
    names.span = parse__span_from(p, at);
    if (parse__at_mark(p, "(")) {
        return parse__function_call(p, names, expr_out);
    }
    if (p->token.kind == TOKEN_STRING && names.count > 1) { /* pg_catalog.int4 '1' */
        AstType *type = arena_new(p->arena, AstType);
        *type = (AstType){.name = names, .span = names.span};
        return typed_literal(p, type, expr_out);
    }
    TRY(parse__new_expr(p, AST_NAME, names.span, NULL, 0, expr_out));
    (*expr_out)->as.names = names;
    return ERR_OK;
}

static ErrorCode parse_word(Parser *p, AstExpr **expr_out) {
    switch ((Keyword)p->token.keyword) {
    case KW_NULL: return take_literal(p, AST_NULL, expr_out);
    case KW_TRUE:
    case KW_FALSE: {
        bool value = p->token.keyword == KW_TRUE;
        TRY(take_literal(p, AST_BOOLEAN, expr_out));
        (*expr_out)->as.boolean = value;
        return ERR_OK;
    }
    case KW_DEFAULT: return take_literal(p, AST_DEFAULT, expr_out);
    case KW_CASE: return parse_case(p, expr_out);
    case KW_CAST: return parse_cast(p, expr_out);
    case KW_ARRAY: return parse_array(p, expr_out);
    case KW_ROW: return parse__peek_mark(p, "(") ? parse_row_word(p, expr_out) : parse_name_or_call(p, expr_out);
    case KW_EXISTS: return parse__peek_mark(p, "(") ? parse_exists(p, expr_out) : parse_name_or_call(p, expr_out);
    default: break;
    }
    bool found = false;
    TRY(parse__special_call(p, &found, expr_out));
    return found ? ERR_OK : parse_name_or_call(p, expr_out);
}

static ErrorCode parse_operand(Parser *p, AstExpr **expr_out) {
    switch (p->token.kind) {
    case TOKEN_INTEGER: return take_literal(p, AST_INTEGER, expr_out);
    case TOKEN_NUMBER: return take_literal(p, AST_NUMBER, expr_out);
    case TOKEN_SUFFIXED: return take_suffixed(p, expr_out);
    case TOKEN_STRING: return take_literal(p, AST_STRING, expr_out);
    case TOKEN_BIT_STRING: return take_literal(p, AST_BIT_STRING, expr_out);
    case TOKEN_PARAM: return take_param(p, expr_out);
    case TOKEN_VARIABLE: return take_literal(p, AST_VARIABLE, expr_out);
    case TOKEN_QUOTED: return parse_name_or_call(p, expr_out);
    case TOKEN_WORD: return parse_word(p, expr_out);
    default: break;
    }
    if (parse__at_mark(p, "(")) {
        return parse_parens(p, expr_out);
    }
    if (parse__at_mark(p, ":")) {
        return take_named_param(p, expr_out);
    }
    return parse__expected(p, "an expression");
}

/* ---------------------------------------------------------------- casts, subscripts and fields behind */

static ErrorCode parse_subscript(Parser *p, AstExpr **item_out) {
    AstExpr *low = NULL;
    AstExpr *high = NULL;
    Span span = parse__span(p);
    if (!parse__at_mark(p, ":")) {
        TRY(parse__expr(p, &low));
    }
    if (!parse__accept_mark(p, ":")) {
        *item_out = low;
        return ERR_OK;
    }
    if (!parse__at_mark(p, "]") && !parse__at_mark(p, ",")) {
        TRY(parse__expr(p, &high));
    }
    AstExpr **args = arena_array(p->arena, AstExpr *, 2);
    args[0] = low;
    args[1] = high;
    return parse__new_expr(p, AST_SLICE, span, args, 2, item_out);
}

ErrorCode parse__subscripts(Parser *p, AstExpr **expr) {
    Span span = parse__span(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "["));
    size_t mark = list_begin(p);
    list_push(p, expr, sizeof *expr);
    do {
        AstExpr *item = NULL;
        TRY(parse_subscript(p, &item));
        list_push(p, &item, sizeof item);
    } while (parse__accept_mark(p, ","));
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__expect_close(p, open));
    return parse__new_expr(p, AST_SUBSCRIPT, span, args, count, expr);
}

static ErrorCode parse_field(Parser *p, AstExpr **expr) {
    Span span = parse__span(p);
    parse__advance(p);
    AstExpr **args = arena_array(p->arena, AstExpr *, 1);
    args[0] = *expr;
    Str field = STR("*");
    if (parse__at_operator(p, "*")) {
        parse__advance(p);
    } else {
        AstName name = {0};
        TRY(parse__label(p, &name, "a field name"));
        field = name.text;
        span = name.span;
    }
    TRY(parse__new_expr(p, AST_FIELD, span, args, 1, expr));
    (*expr)->as.text = field;
    return ERR_OK;
}

/* PostgreSQL takes no subscript behind ARRAY[...] without parentheses. */
static bool is_bare_array(const Parser *p, const AstExpr *expr) {
    return p->dialect == DIALECT_POSTGRES && expr->kind == AST_ARRAY && (expr->flags & AST_PARENS) == 0;
}

static ErrorCode parse_postfix(Parser *p, AstExpr **expr) {
    for (;;) {
        if (parse__at_mark(p, "::")) {
            Span span = parse__span(p);
            AstType *type = NULL;
            parse__advance(p);
            TRY(parse__type(p, &type));
            TRY(new_cast(p, span, *expr, type, expr));
        } else if (parse__at_mark(p, "[") && !is_bare_array(p, *expr)) {
            TRY(parse__subscripts(p, expr));
        } else if (parse__at_mark(p, ".") && ((*expr)->flags & AST_PARENS) != 0) {
            TRY(parse_field(p, expr));
        } else {
            return ERR_OK;
        }
    }
}
