/* SPDX-License-Identifier: Apache-2.0
 * parse_sequence.c - CREATE and ALTER SEQUENCE, and the options that identity columns share with them.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "base/number.h"
#include "sql/parse/parse_internal.h"

ErrorCode parse__signed(Parser *p, int64_t *number_out) {
    bool negative = parse__at_operator(p, "-");
    if (negative || parse__at_operator(p, "+")) {
        parse__advance(p);
    }
    if (p->token.kind != TOKEN_INTEGER) {
        return parse__expected(p, "an integer");
    }
    bool overflow = false;
    Str text = negative ? arena_format(p->arena, "-%.*s", STR_ARG(p->token.text)) : p->token.text;
    if (!parse_int64(text, number_out, &overflow)) {
        return error_set(p->err, ERR_OUT_OF_RANGE, p->token.at, "value \"%.*s\" is out of range for type bigint", STR_ARG(text));
    }
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode give_once(Parser *p, AstSequenceOptions *options, uint32_t bits, uint32_t bit) {
    if ((options->given & bits) != 0) {
        return error_set(p->err, ERR_SYNTAX, p->token.at, "conflicting or redundant options");
    }
    options->given |= bit;
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode parse_bound(Parser *p, AstSequenceOptions *options, bool maximum) {
    uint32_t bit = maximum ? AST_SEQUENCE_MAXIMUM : AST_SEQUENCE_MINIMUM;
    TRY(give_once(p, options, bit | bit << 1, bit));
    return parse__signed(p, maximum ? &options->maximum : &options->minimum);
}

/* NO MINVALUE, NO MAXVALUE, NO CYCLE */
static ErrorCode parse_no(Parser *p, AstSequenceOptions *options) {
    parse__advance(p);
    if (parse__at_keyword(p, KW_MINVALUE)) {
        return give_once(p, options, AST_SEQUENCE_MINIMUM | AST_SEQUENCE_NO_MINIMUM, AST_SEQUENCE_NO_MINIMUM);
    }
    if (parse__at_keyword(p, KW_MAXVALUE)) {
        return give_once(p, options, AST_SEQUENCE_MAXIMUM | AST_SEQUENCE_NO_MAXIMUM, AST_SEQUENCE_NO_MAXIMUM);
    }
    if (parse__at_keyword(p, KW_CYCLE)) {
        return give_once(p, options, AST_SEQUENCE_CYCLE | AST_SEQUENCE_NO_CYCLE, AST_SEQUENCE_NO_CYCLE);
    }
    return parse__expected(p, "MINVALUE, MAXVALUE or CYCLE");
}

static ErrorCode parse_restart(Parser *p, AstSequenceOptions *options) {
    TRY(give_once(p, options, AST_SEQUENCE_RESTART, AST_SEQUENCE_RESTART));
    bool with = parse__accept_keyword(p, KW_WITH);
    if (with || p->token.kind == TOKEN_INTEGER || parse__at_operator(p, "-")) {
        options->given |= AST_SEQUENCE_RESTART_WITH;
        return parse__signed(p, &options->restart);
    }
    return ERR_OK;
}

static ErrorCode parse_owned_by(Parser *p, AstSequenceOptions *options) {
    TRY(give_once(p, options, AST_SEQUENCE_OWNED, AST_SEQUENCE_OWNED));
    TRY(parse__expect_keyword(p, KW_BY));
    if (parse__accept_keyword(p, KW_NONE)) {
        return ERR_OK;
    }
    return parse__names(p, &options->owned_by, "a column");
}

static ErrorCode parse_option(Parser *p, AstSequenceOptions *options, bool *found_out) {
    *found_out = true;
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_AS:
        TRY(give_once(p, options, AST_SEQUENCE_TYPE, AST_SEQUENCE_TYPE));
        return parse__type(p, &options->type);
    case KW_INCREMENT:
        TRY(give_once(p, options, AST_SEQUENCE_INCREMENT, AST_SEQUENCE_INCREMENT));
        (void)parse__accept_keyword(p, KW_BY);
        return parse__signed(p, &options->increment);
    case KW_MINVALUE: return parse_bound(p, options, false);
    case KW_MAXVALUE: return parse_bound(p, options, true);
    case KW_NO: return parse_no(p, options);
    case KW_START:
        TRY(give_once(p, options, AST_SEQUENCE_START, AST_SEQUENCE_START));
        (void)parse__accept_keyword(p, KW_WITH);
        return parse__signed(p, &options->start);
    case KW_RESTART: return parse_restart(p, options);
    case KW_CACHE:
        TRY(give_once(p, options, AST_SEQUENCE_CACHE, AST_SEQUENCE_CACHE));
        return parse__signed(p, &options->cache);
    case KW_CYCLE: return give_once(p, options, AST_SEQUENCE_CYCLE | AST_SEQUENCE_NO_CYCLE, AST_SEQUENCE_CYCLE);
    case KW_OWNED: return parse_owned_by(p, options);
    case KW_SEQUENCE: /* SEQUENCE NAME s: of identity columns in dumps */
        TRY(give_once(p, options, AST_SEQUENCE_NAME, AST_SEQUENCE_NAME));
        if (!parse__accept_word(p, STR("name"))) {
            return parse__expected(p, "NAME");
        }
        return parse__names(p, &options->name, "a sequence name");
    default: *found_out = false; return ERR_OK;
    }
}

ErrorCode parse__sequence_options(Parser *p, AstSequenceOptions *options) {
    bool found = true;
    while (found) {
        TRY(parse_option(p, options, &found));
    }
    return ERR_OK;
}

/* Behind CREATE [TEMP] SEQUENCE */
ErrorCode parse__create_sequence(Parser *p, AstSequence *sequence) {
    TRY(parse__if_not_exists(p, &sequence->if_not_exists));
    TRY(parse__names(p, &sequence->name, "a sequence name"));
    return parse__sequence_options(p, &sequence->options);
}
