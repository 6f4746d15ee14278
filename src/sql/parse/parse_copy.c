/* SPDX-License-Identifier: Apache-2.0
 * parse_copy.c - COPY: its three spellings. The old ones (COPY BINARY t, WITH CSV HEADER FORCE QUOTE a, b) come out as the options of the new one. */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_copy_target(Parser *p, AstCopy *copy) {
    if (parse__accept_keyword(p, KW_STDIN)) {
        copy->target = AST_COPY_STDIN;
        return ERR_OK;
    }
    if (parse__accept_keyword(p, KW_STDOUT)) {
        copy->target = AST_COPY_STDOUT;
        return ERR_OK;
    }
    copy->target = parse__accept_word(p, STR("program")) ? AST_COPY_PROGRAM : AST_COPY_FILE;
    if (p->token.kind != TOKEN_STRING) {
        return parse__expected(p, "STDIN, STDOUT or a file name in quotes");
    }
    copy->path = p->token.text;
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode push_format(Parser *p, Span span, const char *format) {
    AstOption option = {.name = {.text = STR("format"), .span = span}};
    TRY(parse__new_text(p, AST_STRING, span, str_from_c(format), &option.value));
    list_push(p, &option, sizeof option);
    return ERR_OK;
}

/* a, b or *: as a value of the new spelling. */
static ErrorCode parse_columns(Parser *p, AstExpr **value_out) {
    Span span = parse__span(p);
    if (parse__at_operator(p, "*")) {
        parse__advance(p);
        return parse__new_text(p, AST_STRING, span, STR("*"), value_out);
    }
    size_t mark = list_begin(p);
    do {
        AstName name = {0};
        AstExpr *column = NULL;
        TRY(parse__name(p, &name, "a column name"));
        TRY(parse__new_text(p, AST_STRING, name.span, name.text, &column));
        list_push(p, &column, sizeof(AstExpr *));
    } while (parse__accept_mark(p, ","));
    uint32_t count = 0;
    AstExpr **columns = list_end(p, mark, AstExpr *, &count);
    return parse__new_expr(p, AST_ROW, span, columns, count, value_out);
}

/* FORCE QUOTE, FORCE NOT NULL, FORCE NULL with their columns; FORCE was taken. */
static ErrorCode parse_force(Parser *p, AstOption *option) {
    if (parse__accept_word(p, STR("quote"))) {
        option->name.text = STR("force_quote");
    } else if (parse__accept_keyword(p, KW_NOT)) {
        TRY(parse__expect_keyword(p, KW_NULL));
        option->name.text = STR("force_not_null");
    } else {
        TRY(parse__expect_keyword(p, KW_NULL));
        option->name.text = STR("force_null");
    }
    return parse_columns(p, &option->value);
}

/* One word of the old spelling, with the value behind it if it has one. */
static ErrorCode parse_copy_word(Parser *p) {
    AstOption option = {.name = {.span = parse__span(p)}};
    if (parse__accept_word(p, STR("csv"))) {
        return push_format(p, option.name.span, "csv");
    }
    if (parse__accept_keyword(p, KW_BINARY)) {
        return push_format(p, option.name.span, "binary");
    }
    if (parse__accept_word(p, STR("force"))) {
        TRY(parse_force(p, &option));
        list_push(p, &option, sizeof option);
        return ERR_OK;
    }
    TRY(parse__label(p, &option.name, "an option"));
    (void)parse__accept_keyword(p, KW_AS);
    bool flag = str_equal_ignore_case(option.name.text, STR("freeze"));
    if (!flag && p->token.kind != TOKEN_END && !parse__at_mark(p, ";")) {
        bool word = parse__at_label(p);
        if (!word || str_equal_ignore_case(option.name.text, STR("format")) || parse__at_keyword(p, KW_TRUE) || parse__at_keyword(p, KW_FALSE)) {
            TRY(parse__option_value(p, &option.value));
        }
    }
    list_push(p, &option, sizeof option);
    return ERR_OK;
}

static ErrorCode parse_copy_source(Parser *p, AstCopy *copy) {
    if (parse__at_mark(p, "(")) {
        Token open = p->token;
        parse__advance(p);
        TRY(parse__statement(p, &copy->query));
        return parse__expect_close(p, open);
    }
    TRY(parse__table_name(p, &copy->table));
    if (parse__at_mark(p, "(")) {
        return parse__name_list(p, &copy->columns, &copy->column_count, "a column name");
    }
    return ERR_OK;
}

/* What stands behind the target; `binary`: COPY BINARY. */
static ErrorCode parse_copy_options(Parser *p, AstCopy *copy, bool binary, Span binary_span) {
    (void)parse__accept_keyword(p, KW_WITH);
    if (!binary && parse__at_mark(p, "(")) {
        return parse__options(p, &copy->options, &copy->option_count);
    }
    size_t mark = list_begin(p);
    if (binary) {
        TRY(push_format(p, binary_span, "binary"));
    }
    while (parse__at_label(p) && !parse__at_keyword(p, KW_WHERE)) {
        TRY(parse_copy_word(p));
    }
    copy->options = list_end(p, mark, AstOption, &copy->option_count);
    return ERR_OK;
}

ErrorCode parse__copy(Parser *p, AstStatement **statement_out) {
    AstStatement *statement = parse__new_statement(p, AST_COPY_STATEMENT, p->token.at);
    AstCopy *copy = arena_new(p->arena, AstCopy);
    *statement_out = statement;
    statement->as.copy = copy;
    parse__advance(p);
    Span binary_span = parse__span(p);
    bool binary = parse__accept_keyword(p, KW_BINARY);
    TRY(parse_copy_source(p, copy));
    if (parse__accept_keyword(p, KW_CANCEL)) {
        copy->target = AST_COPY_CANCEL;
        return ERR_OK;
    }
    copy->from = copy->query == NULL && parse__accept_keyword(p, KW_FROM); /* a query gives rows, it takes none */
    if (!copy->from) {
        TRY(parse__expect_keyword(p, KW_TO));
    }
    TRY(parse_copy_target(p, copy));
    TRY(parse_copy_options(p, copy, binary, binary_span));
    if (!copy->from && parse__at_keyword(p, KW_WHERE)) {
        return error_set(p->err, ERR_SYNTAX, p->token.at, "WHERE clause not allowed with COPY TO");
    }
    return parse__accept_keyword(p, KW_WHERE) ? parse__expr(p, &copy->where) : ERR_OK;
}
