/* SPDX-License-Identifier: Apache-2.0
 * parse_expr.c - expressions by precedence climbing: prefix, then infix operators while they bind tightly enough.
 *
 * Why:        one loop and one table instead of a function per level: 13 levels of calls for `1` would be most of the time.
 * Invariants: AND and OR chains and IN lists become one node each, so their length costs no depth.
 * Tests:      test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"
#include "sql/parse/operators.h"

static NODISCARD ErrorCode parse_prefix(Parser *p, AstExpr **expr_out);
static NODISCARD ErrorCode parse_infix(Parser *p, Power power, AstExpr *left, AstExpr **expr_out);

/* ---------------------------------------------------------------- constructors */

ErrorCode parse__new_expr(Parser *p, AstExprKind kind, Span span, AstExpr **args, uint32_t arg_count, AstExpr **expr_out) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < arg_count; i++) {
        depth = args[i] != NULL && args[i]->depth > depth ? args[i]->depth : depth;
    }
    if (depth + 1 > AST_DEPTH_MAX) {
        return error_set(p->err, ERR_TOO_COMPLEX, span.at, "expression is nested deeper than %d levels", AST_DEPTH_MAX);
    }
    AstExpr *expr = arena_new(p->arena, AstExpr);
    *expr = (AstExpr){.kind = (uint8_t)kind, .depth = (uint16_t)(depth + 1), .span = span, .args = args, .arg_count = arg_count};
    *expr_out = expr;
    return ERR_OK;
}

ErrorCode parse__new_call(Parser *p, Str name, Span span, AstExpr **args, uint32_t arg_count, AstExpr **expr_out) {
    TRY(parse__new_expr(p, AST_CALL, span, args, arg_count, expr_out));
    (*expr_out)->as.text = name;
    return ERR_OK;
}

ErrorCode parse__new_text(Parser *p, AstExprKind kind, Span span, Str text, AstExpr **expr_out) {
    TRY(parse__new_expr(p, kind, span, NULL, 0, expr_out));
    (*expr_out)->as.text = text;
    return ERR_OK;
}

static AstExpr **arg_array(Parser *p, AstExpr *a, AstExpr *b, AstExpr *c) {
    AstExpr **args = arena_array(p->arena, AstExpr *, c != NULL ? 3 : 2);
    args[0] = a;
    args[1] = b;
    if (c != NULL) {
        args[2] = c;
    }
    return args;
}

static ErrorCode new_operator(Parser *p, Str name, Span span, AstExpr *a, AstExpr *b, AstExpr *c, AstExpr **expr_out) {
    uint32_t count = 1u + (b != NULL) + (c != NULL);
    TRY(parse__new_call(p, name, span, arg_array(p, a, b, c), count, expr_out));
    (*expr_out)->flags |= AST_OPERATOR;
    return ERR_OK;
}

/* ---------------------------------------------------------------- which operator stands here */

static Power negated_power(Parser *p) {
    switch (parse__peek(p)->kind == TOKEN_WORD ? (Keyword)parse__peek(p)->keyword : NO_KEYWORD) {
    case KW_BETWEEN:
    case KW_IN:
    case KW_LIKE:
    case KW_ILIKE:
    case KW_SIMILAR: return POWER_PREDICATE;
    default: return POWER_NONE;
    }
}

static Power word_power(Parser *p) {
    switch ((Keyword)p->token.keyword) {
    case KW_OR: return POWER_OR;
    case KW_AND: return POWER_AND;
    case KW_IS:
    case KW_ISNULL:
    case KW_NOTNULL: return POWER_IS;
    case KW_BETWEEN:
    case KW_IN:
    case KW_LIKE:
    case KW_ILIKE: return POWER_PREDICATE;
    case KW_SIMILAR: return parse__peek_keyword(p, KW_TO) ? POWER_PREDICATE : POWER_NONE; /* substring(x SIMILAR ...) is not one */
    case KW_OVERLAPS: return POWER_OTHER;
    case KW_WITHIN: return parse__peek_mark(p, "(") ? POWER_PREDICATE : POWER_NONE;
    case KW_NOT: return negated_power(p);
    case KW_AT: return parse__peek_keyword(p, KW_TIME) || parse__peek_keyword(p, KW_LOCAL) ? POWER_AT : POWER_NONE;
    case KW_COLLATE: return POWER_COLLATE;
    default: return parse__at_word(p, STR("operator")) && parse__peek_mark(p, "(") ? POWER_OTHER : POWER_NONE;
    }
}

static Power infix_power(Parser *p) {
    if (p->token.kind == TOKEN_OPERATOR) {
        return str_equal(p->token.text, STR("=>")) ? POWER_NONE : operator_power(p->token.text);
    }
    return p->token.kind == TOKEN_WORD ? word_power(p) : POWER_NONE;
}

ErrorCode parse__expr(Parser *p, AstExpr **expr_out) {
    return parse__expr_above(p, POWER_OR, expr_out);
}

ErrorCode parse__expr_above(Parser *p, int power_min, AstExpr **expr_out) {
    TRY(parse__enter(p));
    AstExpr *left = NULL;
    TRY(parse_prefix(p, &left));
    for (;;) {
        Power power = infix_power(p);
        if (power == POWER_NONE || (int)power < power_min) {
            break;
        }
        TRY(parse_infix(p, power, left, &left));
    }
    parse__leave(p);
    *expr_out = left;
    return ERR_OK;
}

ErrorCode parse__expr_list(Parser *p, AstExpr ***list_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        AstExpr *expr = NULL;
        TRY(parse__expr(p, &expr));
        list_push(p, &expr, sizeof expr);
    } while (parse__accept_mark(p, ","));
    *list_out = list_end(p, mark, AstExpr *, count_out);
    return ERR_OK;
}

/* ---------------------------------------------------------------- prefix */

static bool is_positive_number(const AstExpr *expr) {
    bool number = expr->kind == AST_INTEGER || expr->kind == AST_NUMBER;
    return number && (expr->flags & AST_PARENS) == 0 && expr->as.text.len > 0 && expr->as.text.data[0] != '-';
}

/* A minus before a number belongs to it, so that the smallest integers can be written. */
static ErrorCode parse_sign(Parser *p, AstExpr **expr_out) {
    Span span = parse__span(p);
    Str sign = p->token.text;
    parse__advance(p);
    AstExpr *operand = NULL;
    TRY(parse__expr_above(p, POWER_UNARY, &operand));
    if (sign.data[0] == '-' && is_positive_number(operand)) {
        operand->as.text = arena_format(p->arena, "-%.*s", STR_ARG(operand->as.text));
        operand->span = (Span){span.at, operand->span.at + operand->span.len - span.at};
        *expr_out = operand;
        return ERR_OK;
    }
    return new_operator(p, sign, span, operand, NULL, NULL, expr_out);
}

static ErrorCode parse_prefix_operator(Parser *p, AstExpr **expr_out) {
    if (p->token.text.data[0] == '#') {
        p->has_ahead = false;
        if (lexer_geohash(&p->lexer, &p->token)) {
            Token token = p->token;
            parse__advance(p);
            return parse__new_text(p, AST_GEOHASH, (Span){token.at, token.len}, token.text, expr_out);
        }
    }
    if (str_equal(p->token.text, STR("-")) || str_equal(p->token.text, STR("+"))) {
        return parse_sign(p, expr_out);
    }
    if (operator_power(p->token.text) != POWER_OTHER || str_equal(p->token.text, STR("=>"))) {
        return parse__expected(p, "an expression");
    }
    Span span = parse__span(p);
    Str name = p->token.text;
    parse__advance(p);
    AstExpr *operand = NULL;
    TRY(parse__expr_above(p, POWER_ADD, &operand));
    return new_operator(p, name, span, operand, NULL, NULL, expr_out);
}

static ErrorCode parse_prefix(Parser *p, AstExpr **expr_out) {
    if (p->token.kind == TOKEN_OPERATOR) {
        return parse_prefix_operator(p, expr_out);
    }
    if (!parse__at_keyword(p, KW_NOT)) {
        return parse__primary(p, expr_out);
    }
    Span span = parse__span(p);
    parse__advance(p);
    AstExpr *operand = NULL;
    TRY(parse__expr_above(p, POWER_NOT, &operand));
    return new_operator(p, STR("not"), span, operand, NULL, NULL, expr_out);
}

/* ---------------------------------------------------------------- infix */

/* a AND b AND c: one node of three. */
static ErrorCode parse_chain(Parser *p, Keyword keyword, Power power, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    size_t mark = list_begin(p);
    list_push(p, &left, sizeof left);
    while (parse__accept_keyword(p, keyword)) {
        AstExpr *right = NULL;
        TRY(parse__expr_above(p, (int)power + 1, &right));
        list_push(p, &right, sizeof right);
    }
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__new_call(p, keyword_text(keyword), span, args, count, expr_out));
    (*expr_out)->flags |= AST_OPERATOR;
    return ERR_OK;
}

typedef struct IsTest { Keyword keyword; Str name, negated; } IsTest;
static const IsTest is_tests[] = {
    {KW_NULL, {"is null", 7}, {"is not null", 11}},       {KW_TRUE, {"is true", 7}, {"is not true", 11}},
    {KW_FALSE, {"is false", 8}, {"is not false", 12}},    {KW_UNKNOWN, {"is unknown", 10}, {"is not unknown", 14}},
    {KW_NORMALIZE, {"is normalized", 13}, {"is not normalized", 17}},
};

/* IS [NOT] JSON [VALUE | ARRAY | OBJECT | SCALAR] [WITH | WITHOUT UNIQUE [KEYS]] */
static ErrorCode parse_is_json(Parser *p, bool negated, Span span, AstExpr *left, AstExpr **expr_out) {
    static const Str kinds[] = {{"value", 5}, {"array", 5}, {"object", 6}, {"scalar", 6}};
    parse__advance(p);
    const char *kind = "", *unique = "";
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (parse__accept_word(p, kinds[i])) {
            kind = i == 0 ? "" : kinds[i].data;
            break;
        }
    }
    bool with = parse__at_keyword(p, KW_WITH);
    if ((with || parse__at_keyword(p, KW_WITHOUT)) && parse__peek_keyword(p, KW_UNIQUE)) {
        parse__advance(p);
        parse__advance(p);
        (void)parse__accept_word(p, STR("keys"));
        unique = with ? " with unique keys" : "";
    }
    Str name = arena_format(p->arena, "is %sjson%s%s%s", negated ? "not " : "", kind[0] != '\0' ? " " : "", kind, unique);
    return new_operator(p, name, span, left, NULL, NULL, expr_out);
}

static ErrorCode parse_is(Parser *p, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    bool negated = parse__accept_keyword(p, KW_NOT);
    if (parse__accept_keyword(p, KW_DISTINCT)) {
        TRY(parse__expect_keyword(p, KW_FROM));
        AstExpr *right = NULL;
        TRY(parse__expr_above(p, POWER_IS + 1, &right));
        return new_operator(p, negated ? STR("is not distinct from") : STR("is distinct from"), span, left, right, NULL, expr_out);
    }
    for (size_t i = 0; i < COUNT_OF(is_tests); i++) {
        if (parse__accept_keyword(p, is_tests[i].keyword)) {
            return new_operator(p, negated ? is_tests[i].negated : is_tests[i].name, span, left, NULL, NULL, expr_out);
        }
    }
    if (parse__at_word(p, STR("json"))) {
        return parse_is_json(p, negated, span, left, expr_out);
    }
    return parse__expected(p, "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
}

static ErrorCode parse_between(Parser *p, bool negated, Span span, AstExpr *left, AstExpr **expr_out) {
    parse__advance(p);
    bool symmetric = parse__accept_keyword(p, KW_SYMMETRIC);
    if (!symmetric) {
        (void)parse__accept_keyword(p, KW_ASYMMETRIC);
    }
    AstExpr *low = NULL;
    AstExpr *high = NULL;
    TRY(parse__expr_above(p, POWER_PREDICATE + 1, &low));
    TRY(parse__expect_keyword(p, KW_AND));
    TRY(parse__expr_above(p, POWER_PREDICATE + 1, &high));
    Str name = negated ? (symmetric ? STR("not between symmetric") : STR("not between"))
                       : (symmetric ? STR("between symmetric") : STR("between"));
    return new_operator(p, name, span, left, low, high, expr_out);
}

/* x name (a, b, ...): one node with x in front */
static ErrorCode parse_list_predicate(Parser *p, Str name, Span span, AstExpr *left, AstExpr **expr_out) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    size_t mark = list_begin(p);
    list_push(p, &left, sizeof left);
    do {
        AstExpr *item = NULL;
        TRY(parse__at_query(p, false) ? parse__subquery(p, &item) : parse__expr(p, &item));
        list_push(p, &item, sizeof item);
    } while (parse__accept_mark(p, ","));
    uint32_t count = 0;
    AstExpr **args = list_end(p, mark, AstExpr *, &count);
    TRY(parse__expect_close(p, open));
    TRY(parse__new_call(p, name, span, args, count, expr_out));
    (*expr_out)->flags |= AST_OPERATOR;
    return ERR_OK;
}

static ErrorCode parse_in(Parser *p, bool negated, Span span, AstExpr *left, AstExpr **expr_out) {
    parse__advance(p);
    Str name = negated ? STR("not in") : STR("in");
    if (parse__at_mark(p, "(")) {
        return parse_list_predicate(p, name, span, left, expr_out);
    }
    AstExpr *right = NULL;
    TRY(parse__expr_above(p, POWER_PREDICATE + 1, &right));
    TRY(new_operator(p, name, span, left, right, NULL, expr_out));
    (*expr_out)->flags |= AST_BARE;
    return ERR_OK;
}

/* ANY/SOME/ALL ( ... ) behind an operator. Leaves *quantifier_out 0 if there is none. */
static ErrorCode parse_quantified(Parser *p, uint8_t *quantifier_out, AstExpr **right_out) {
    bool any = parse__at_keyword(p, KW_ANY) || parse__at_keyword(p, KW_SOME);
    bool all = parse__at_keyword(p, KW_ALL);
    *quantifier_out = 0;
    if ((!any && !all) || !parse__peek_mark(p, "(")) {
        return ERR_OK;
    }
    *quantifier_out = any ? AST_ANY : AST_ALL;
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__at_query(p, false) ? parse__subquery(p, right_out) : parse__expr(p, right_out));
    return parse__expect_close(p, open);
}

static ErrorCode parse_like(Parser *p, bool negated, Span span, AstExpr *left, AstExpr **expr_out) {
    Keyword keyword = (Keyword)p->token.keyword;
    parse__advance(p);
    if (keyword == KW_SIMILAR) {
        TRY(parse__expect_keyword(p, KW_TO));
    }
    Str name = keyword == KW_LIKE    ? (negated ? STR("not like") : STR("like"))
               : keyword == KW_ILIKE ? (negated ? STR("not ilike") : STR("ilike"))
                                     : (negated ? STR("not similar to") : STR("similar to"));
    AstExpr *pattern = NULL;
    AstExpr *escape = NULL;
    uint8_t quantifier = 0;
    TRY(parse_quantified(p, &quantifier, &pattern));
    if (quantifier == 0) {
        TRY(parse__expr_above(p, POWER_PREDICATE + 1, &pattern));
        if (parse__accept_keyword(p, KW_ESCAPE)) {
            TRY(parse__expr_above(p, POWER_PREDICATE + 1, &escape));
        }
    }
    TRY(new_operator(p, name, span, left, pattern, escape, expr_out));
    (*expr_out)->flags |= quantifier;
    return ERR_OK;
}

static ErrorCode parse_predicate(Parser *p, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    bool negated = parse__accept_keyword(p, KW_NOT);
    switch ((Keyword)p->token.keyword) {
    case KW_BETWEEN: return parse_between(p, negated, span, left, expr_out);
    case KW_IN: return parse_in(p, negated, span, left, expr_out);
    case KW_WITHIN: parse__advance(p); return parse_list_predicate(p, STR("within"), span, left, expr_out);
    default: return parse_like(p, negated, span, left, expr_out);
    }
}

static ErrorCode parse_at_time_zone(Parser *p, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    AstExpr *zone = NULL;
    if (parse__accept_keyword(p, KW_LOCAL)) { /* the session's zone */
        AstExpr *name = NULL;
        TRY(parse__new_text(p, AST_STRING, span, STR("timezone"), &name));
        TRY(parse__new_call(p, STR("current_setting"), span, arg_array(p, name, NULL, NULL), 1, &zone));
        return new_operator(p, STR("at time zone"), span, left, zone, NULL, expr_out);
    }
    TRY(parse__expect_keyword(p, KW_TIME));
    TRY(parse__expect_keyword(p, KW_ZONE));
    TRY(parse__expr_above(p, POWER_AT + 1, &zone));
    return new_operator(p, STR("at time zone"), span, left, zone, NULL, expr_out);
}

static ErrorCode parse_collate(Parser *p, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    parse__advance(p);
    AstNames names = {0};
    Span at = parse__span(p);
    TRY(parse__names(p, &names, "a collation"));
    AstExpr *collation = NULL;
    TRY(parse__new_expr(p, AST_NAME, at, NULL, 0, &collation));
    collation->as.names = names;
    return new_operator(p, STR("collate"), span, left, collation, NULL, expr_out);
}

/* OPERATOR(schema.+): the schema says nothing here, for operators lie in one name space. */
static ErrorCode parse_operator_name(Parser *p, Str *name_out) {
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    while (parse__at_label(p)) {
        parse__advance(p);
        TRY(parse__expect_mark(p, "."));
    }
    if (p->token.kind != TOKEN_OPERATOR) {
        return parse__expected(p, "an operator");
    }
    *name_out = p->token.text;
    parse__advance(p);
    return parse__expect_close(p, open);
}

static ErrorCode parse_binary(Parser *p, Power power, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    Str name = p->token.text;
    if (p->token.kind == TOKEN_WORD && !parse__at_keyword(p, KW_OVERLAPS)) {
        TRY(parse_operator_name(p, &name));
    } else {
        name = parse__at_keyword(p, KW_OVERLAPS) ? STR("overlaps") : name;
        parse__advance(p);
    }
    AstExpr *right = NULL;
    uint8_t quantifier = 0;
    TRY(parse_quantified(p, &quantifier, &right));
    if (quantifier == 0) {
        TRY(parse__expr_above(p, (int)power + 1, &right));
    }
    TRY(new_operator(p, name, span, left, right, NULL, expr_out));
    (*expr_out)->flags |= quantifier;
    return ERR_OK;
}

static ErrorCode parse_null_test(Parser *p, AstExpr *left, AstExpr **expr_out) {
    Span span = parse__span(p);
    Str name = parse__at_keyword(p, KW_ISNULL) ? STR("is null") : STR("is not null");
    parse__advance(p);
    return new_operator(p, name, span, left, NULL, NULL, expr_out);
}

static ErrorCode parse_infix(Parser *p, Power power, AstExpr *left, AstExpr **expr_out) {
    switch (power) {
    case POWER_OR: return parse_chain(p, KW_OR, power, left, expr_out);
    case POWER_AND: return parse_chain(p, KW_AND, power, left, expr_out);
    case POWER_IS: return parse__at_keyword(p, KW_IS) ? parse_is(p, left, expr_out) : parse_null_test(p, left, expr_out);
    case POWER_PREDICATE: return parse_predicate(p, left, expr_out);
    case POWER_AT: return parse_at_time_zone(p, left, expr_out);
    case POWER_COLLATE: return parse_collate(p, left, expr_out);
    default: return parse_binary(p, power, left, expr_out);
    }
}
