/* SPDX-License-Identifier: Apache-2.0
 * parse_name.c - identifiers, qualified names, lists of them, aliases: which keyword may stand where. */
#include "sql/parse/parse_internal.h"

static bool word_is_name(const Token *token) {
    KeywordClass word_class = keyword_class((Keyword)token->keyword);
    return word_class == KEYWORD_UNRESERVED || word_class == KEYWORD_COLUMN_NAME;
}

bool parse__at_name(const Parser *p) {
    return p->token.kind == TOKEN_QUOTED || (p->token.kind == TOKEN_WORD && word_is_name(&p->token));
}

bool parse__at_label(const Parser *p) {
    return p->token.kind == TOKEN_QUOTED || p->token.kind == TOKEN_WORD;
}

static void take_name(Parser *p, AstName *name_out) {
    *name_out = (AstName){.text = p->token.text, .span = parse__span(p), .quoted = p->token.kind == TOKEN_QUOTED,
                          .from_string = p->token.kind == TOKEN_STRING};
    parse__advance(p);
}

ErrorCode parse__name(Parser *p, AstName *name_out, const char *what) {
    if (!parse__at_name(p)) {
        return parse__expected(p, what);
    }
    take_name(p, name_out);
    return ERR_OK;
}

ErrorCode parse__label(Parser *p, AstName *name_out, const char *what) {
    if (!parse__at_label(p)) {
        return parse__expected(p, what);
    }
    take_name(p, name_out);
    return ERR_OK;
}

AstName *parse__new_name(Parser *p, AstName name) {
    AstName *copy = arena_new(p->arena, AstName);
    *copy = name;
    return copy;
}

/* .b.c behind the first part that was taken already */
static ErrorCode names_rest(Parser *p, AstName first, AstNames *names_out) {
    size_t mark = list_begin(p);
    list_push(p, &first, sizeof first);
    while (parse__at_mark(p, ".") && !token_is(parse__peek(p), TOKEN_OPERATOR, STR("*"))) {
        parse__advance(p);
        AstName part = {0};
        TRY(parse__label(p, &part, "a name behind the dot"));
        list_push(p, &part, sizeof part);
    }
    names_out->parts = list_end(p, mark, AstName, &names_out->count);
    names_out->span = parse__span_from(p, first.span.at);
    return ERR_OK;
}

ErrorCode parse__names(Parser *p, AstNames *names_out, const char *what) {
    AstName first = {0};
    TRY(parse__name(p, &first, what));
    return names_rest(p, first, names_out);
}

ErrorCode parse__table_name(Parser *p, AstNames *names_out) {
    if (p->token.kind != TOKEN_STRING) {
        return parse__names(p, names_out, "a table name");
    }
    AstName name = {0};
    take_name(p, &name);
    return names_rest(p, name, names_out);
}

ErrorCode parse__name_list(Parser *p, AstName **names_out, uint32_t *count_out, const char *what) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    size_t mark = list_begin(p);
    do {
        AstName name = {0};
        TRY(parse__name(p, &name, what));
        list_push(p, &name, sizeof name);
    } while (parse__accept_mark(p, ","));
    *names_out = list_end(p, mark, AstName, count_out);
    return parse__expect_close(p, open);
}

ErrorCode parse__optional_alias(Parser *p, AstName **alias_out) {
    *alias_out = NULL;
    AstName name = {0};
    if (parse__accept_keyword(p, KW_AS)) {
        if (p->token.kind != TOKEN_STRING && !parse__at_name(p)) {
            return parse__expected(p, "an alias");
        }
    } else if (!(parse__at_name(p) || p->token.kind == TOKEN_STRING) || parse__at_clause(p)) {
        return ERR_OK;
    }
    take_name(p, &name);
    *alias_out = parse__new_name(p, name);
    return ERR_OK;
}
