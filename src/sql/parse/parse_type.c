/* SPDX-License-Identifier: Apache-2.0
 * parse_type.c - type names of both languages: many words joined to one name, modifiers, array marks.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_modifier(Parser *p, AstExpr **expr_out) {
    if (p->token.kind == TOKEN_SUFFIXED) { /* geohash(6c) */
        return parse__span_literal(p, expr_out, "a number");
    }
    return parse__expr(p, expr_out);
}

ErrorCode parse__type_modifiers(Parser *p, AstType *type) {
    if (!parse__at_mark(p, "(")) {
        return ERR_OK;
    }
    Token open = p->token;
    parse__advance(p);
    size_t mark = list_begin(p);
    do {
        AstExpr *modifier = NULL;
        TRY(parse_modifier(p, &modifier));
        list_push(p, &modifier, sizeof modifier);
    } while (parse__accept_mark(p, ","));
    type->modifiers = list_end(p, mark, AstExpr *, &type->modifier_count);
    return parse__expect_close(p, open);
}

static void set_name(Parser *p, AstType *type, Str text, uint32_t at) {
    AstName name = {.text = text, .span = parse__span_from(p, at)};
    type->name = (AstNames){.parts = parse__new_name(p, name), .count = 1, .span = name.span};
}

/* TIMESTAMP [(p)] [WITH|WITHOUT TIME ZONE], TIME likewise */
static ErrorCode parse_time_type(Parser *p, AstType *type, uint32_t at) {
    bool timestamp = parse__at_keyword(p, KW_TIMESTAMP);
    parse__advance(p);
    TRY(parse__type_modifiers(p, type));
    bool with = parse__at_keyword(p, KW_WITH);
    if ((!with && !parse__at_keyword(p, KW_WITHOUT)) || !parse__peek_keyword(p, KW_TIME)) {
        set_name(p, type, timestamp ? STR("timestamp") : STR("time"), at);
        return ERR_OK;
    }
    parse__advance(p);
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_ZONE));
    Str name = timestamp ? (with ? STR("timestamp with time zone") : STR("timestamp without time zone"))
                         : (with ? STR("time with time zone") : STR("time without time zone"));
    set_name(p, type, name, at);
    return ERR_OK;
}

/* CHARACTER, CHAR, NCHAR, NATIONAL CHARACTER [VARYING] */
static ErrorCode parse_character_type(Parser *p, AstType *type, uint32_t at) {
    bool national = parse__accept_keyword(p, KW_NATIONAL);
    bool is_char = parse__at_keyword(p, KW_CHAR);
    if (!is_char && !parse__at_keyword(p, KW_CHARACTER) && !parse__at_keyword(p, KW_NCHAR)) {
        return parse__expected(p, "CHARACTER");
    }
    parse__advance(p);
    bool varying = parse__accept_keyword(p, KW_VARYING);
    Str name = varying ? STR("character varying") : is_char && !national ? STR("char") : STR("character");
    set_name(p, type, name, at);
    return parse__type_modifiers(p, type);
}

static ErrorCode parse_bit_type(Parser *p, AstType *type, uint32_t at) {
    parse__advance(p);
    bool varying = parse__accept_keyword(p, KW_VARYING);
    set_name(p, type, varying ? STR("bit varying") : STR("bit"), at);
    return parse__type_modifiers(p, type);
}

static Str take_field(Parser *p) {
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_YEAR:
    case KW_MONTH:
    case KW_DAY:
    case KW_HOUR:
    case KW_MINUTE:
    case KW_SECOND: {
        Str text = keyword_text((Keyword)p->token.keyword);
        parse__advance(p);
        return text;
    }
    default: return (Str){0};
    }
}

static ErrorCode parse_interval_type(Parser *p, AstType *type, uint32_t at) {
    parse__advance(p);
    set_name(p, type, STR("interval"), at);
    Str first = take_field(p);
    type->interval_fields = first;
    if (first.len > 0 && parse__accept_keyword(p, KW_TO)) {
        Str last = take_field(p);
        if (last.len == 0) {
            return parse__expected(p, "a field of interval");
        }
        type->interval_fields = arena_format(p->arena, "%.*s to %.*s", STR_ARG(first), STR_ARG(last));
    }
    return parse__type_modifiers(p, type);
}

static ErrorCode parse_named_type(Parser *p, AstType *type, uint32_t at) {
    KeywordClass word_class = p->token.kind == TOKEN_WORD ? keyword_class((Keyword)p->token.keyword) : KEYWORD_UNRESERVED;
    if (!parse__at_label(p) || word_class == KEYWORD_RESERVED) {
        return parse__expected(p, "a type name");
    }
    if (p->token.kind == TOKEN_WORD && parse__at_word(p, STR("double")) && token_is_keyword(parse__peek(p), KW_PRECISION)) {
        parse__advance(p);
        parse__advance(p);
        set_name(p, type, STR("double precision"), at);
        return ERR_OK;
    }
    size_t mark = list_begin(p);
    do {
        AstName part = {0};
        TRY(parse__label(p, &part, "a type name"));
        if (!part.quoted) {
            part.text = parse__lower(p, part.text);
        }
        list_push(p, &part, sizeof part);
    } while (parse__accept_mark(p, "."));
    type->name.parts = list_end(p, mark, AstName, &type->name.count);
    type->name.span = parse__span_from(p, at);
    return parse__type_modifiers(p, type);
}

static ErrorCode parse_base_type(Parser *p, AstType *type, uint32_t at) {
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_TIMESTAMP:
    case KW_TIME: return parse_time_type(p, type, at);
    case KW_NATIONAL:
    case KW_NCHAR:
    case KW_CHARACTER:
    case KW_CHAR: return parse_character_type(p, type, at);
    case KW_BIT: return parse_bit_type(p, type, at);
    case KW_INTERVAL: return parse_interval_type(p, type, at);
    default: return parse_named_type(p, type, at);
    }
}

static ErrorCode parse_array_marks(Parser *p, AstType *type) {
    bool word = parse__accept_keyword(p, KW_ARRAY);
    if (word) {
        type->array_dimensions = 1;
        if (!parse__at_mark(p, "[")) {
            return ERR_OK;
        }
        type->array_dimensions = 0;
    }
    while (parse__at_mark(p, "[")) {
        Token open = p->token;
        if (type->array_dimensions >= 32) {
            return error_set(p->err, ERR_PROGRAM_LIMIT, open.at, "an array has at most 32 dimensions");
        }
        parse__advance(p);
        if (p->token.kind == TOKEN_INTEGER) {
            parse__advance(p);
        }
        TRY(parse__expect_close(p, open));
        type->array_dimensions++;
    }
    return ERR_OK;
}

ErrorCode parse__type(Parser *p, AstType **type_out) {
    AstType *type = arena_new(p->arena, AstType);
    uint32_t at = p->token.at;
    if (parse__at_keyword(p, KW_SETOF)) {
        return parse__not_supported(p, "SETOF");
    }
    TRY(parse_base_type(p, type, at));
    TRY(parse_array_marks(p, type));
    type->span = parse__span_from(p, at);
    *type_out = type;
    return ERR_OK;
}
