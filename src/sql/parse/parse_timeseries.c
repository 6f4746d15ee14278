/* SPDX-License-Identifier: Apache-2.0
 * parse_timeseries.c - QuestDB's clauses: SAMPLE BY, LATEST ON, spans such as 5m.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* [-] 5m, 5, -10s: AST_NUMBER with AST_SUFFIXED, or a plain integer. */
ErrorCode parse__span_literal(Parser *p, AstExpr **number_out, const char *what) {
    uint32_t at = p->token.at;
    bool negative = parse__at_operator(p, "-");
    if (negative) {
        parse__advance(p);
    }
    bool suffixed = p->token.kind == TOKEN_SUFFIXED;
    if (!suffixed && p->token.kind != TOKEN_INTEGER) {
        return parse__expected(p, what);
    }
    Str text = negative ? arena_format(p->arena, "-%.*s", STR_ARG(p->token.text)) : p->token.text;
    parse__advance(p);
    TRY(parse__new_text(p, suffixed ? AST_NUMBER : AST_INTEGER, parse__span_from(p, at), text, number_out));
    (*number_out)->flags |= suffixed ? AST_SUFFIXED : 0;
    return ERR_OK;
}

/* ---------------------------------------------------------------- SAMPLE BY */

static bool is_unit(Str text) {
    return text.len == 1 && memchr("nUTsmhdwMy", text.data[0], 10) != NULL;
}

/* The unit is case sensitive (m and M), so it is taken from the source, not from the folded word. */
static Str source_word(const Parser *p) {
    return str_slice(p->lexer.text, p->token.at, p->token.at + p->token.len);
}

static ErrorCode bad_unit(Parser *p, int64_t at, Str unit) {
    return error_set(p->err, ERR_SYNTAX, at, "unknown unit \"%.*s\": expected one of n, U, T, s, m, h, d, w, M, y", (int)MIN_OF(unit.len, 20), unit.data);
}

/* 5m, m, 5 m, $1 m, (expr) m */
static ErrorCode parse_step(Parser *p, AstSampleBy *sample) {
    Span span = parse__span(p);
    if (p->token.kind == TOKEN_SUFFIXED) {
        Str text = p->token.text;
        size_t digits = 0;
        while (digits < text.len && text.data[digits] >= '0' && text.data[digits] <= '9') {
            digits++;
        }
        sample->unit = str_slice(text, digits, text.len);
        if (!is_unit(sample->unit)) {
            return bad_unit(p, span.at + (int64_t)digits, sample->unit);
        }
        sample->unit_span = (Span){(uint32_t)(span.at + digits), 1};
        parse__advance(p);
        TRY(parse__new_text(p, AST_NUMBER, span, text, &sample->step));
        sample->step->flags |= AST_SUFFIXED;
        return ERR_OK;
    }
    if (p->token.kind == TOKEN_WORD && is_unit(source_word(p))) {
        sample->unit = source_word(p);
        sample->unit_span = span;
        parse__advance(p);
        TRY(parse__new_text(p, AST_NUMBER, span, arena_format(p->arena, "1%.*s", STR_ARG(sample->unit)), &sample->step));
        sample->step->flags |= AST_SUFFIXED;
        return ERR_OK;
    }
    TRY(parse__primary(p, &sample->step));
    if (p->token.kind != TOKEN_WORD || !is_unit(source_word(p))) {
        return p->token.kind == TOKEN_WORD ? bad_unit(p, p->token.at, source_word(p)) : parse__expected(p, "a unit: n, U, T, s, m, h, d, w, M or y");
    }
    sample->unit = source_word(p);
    sample->unit_span = parse__span(p);
    parse__advance(p);
    return ERR_OK;
}

static ErrorCode parse_fill_value(Parser *p, AstExpr **value_out) {
    bool word = parse__at_keyword(p, KW_NONE) || parse__at_keyword(p, KW_PREV) || parse__at_keyword(p, KW_LINEAR);
    if (!word || parse__peek_mark(p, "(")) {
        return parse__expr(p, value_out);
    }
    AstName name = {.text = keyword_text((Keyword)p->token.keyword), .span = parse__span(p)};
    parse__advance(p);
    TRY(parse__new_expr(p, AST_NAME, name.span, NULL, 0, value_out));
    (*value_out)->as.names = (AstNames){.parts = parse__new_name(p, name), .count = 1, .span = name.span};
    return ERR_OK;
}

static ErrorCode parse_fill(Parser *p, AstSampleBy *sample) {
    if (!parse__at_keyword(p, KW_FILL)) {
        return ERR_OK;
    }
    sample->fill_span = parse__span(p);
    sample->has_fill = true;
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    size_t mark = list_begin(p);
    do {
        AstExpr *value = NULL;
        TRY(parse_fill_value(p, &value));
        list_push(p, &value, sizeof value);
    } while (parse__accept_mark(p, ","));
    sample->fill = list_end(p, mark, AstExpr *, &sample->fill_count);
    return parse__expect_close(p, open);
}

static ErrorCode parse_align(Parser *p, AstSampleBy *sample) {
    if (!parse__accept_keyword(p, KW_ALIGN)) {
        return ERR_OK;
    }
    TRY(parse__expect_keyword(p, KW_TO));
    if (parse__accept_keyword(p, KW_FIRST)) {
        sample->align = AST_ALIGN_FIRST_OBSERVATION;
        return parse__expect_keyword(p, KW_OBSERVATION);
    }
    if (!parse__accept_keyword(p, KW_CALENDAR)) {
        return parse__expected(p, "CALENDAR or FIRST OBSERVATION");
    }
    sample->align = AST_ALIGN_CALENDAR;
    if (parse__accept_keyword(p, KW_TIME)) {
        TRY(parse__expect_keyword(p, KW_ZONE));
        TRY(parse__primary(p, &sample->time_zone));
    }
    if (parse__accept_keyword(p, KW_WITH)) {
        TRY(parse__expect_keyword(p, KW_OFFSET));
        TRY(parse__primary(p, &sample->offset));
    }
    return ERR_OK;
}

ErrorCode parse__sample_by(Parser *p, AstSampleBy **sample_out) {
    AstSampleBy *sample = arena_new(p->arena, AstSampleBy);
    sample->span = parse__span(p);
    parse__advance(p);
    parse__advance(p);
    TRY(parse_step(p, sample));
    if (parse__accept_keyword(p, KW_FROM)) {
        TRY(parse__expr(p, &sample->from));
    }
    if (parse__accept_keyword(p, KW_TO)) {
        TRY(parse__expr(p, &sample->to));
    }
    TRY(parse_fill(p, sample));
    TRY(parse_align(p, sample));
    if (!sample->has_fill) { /* the other order is taken too */
        TRY(parse_fill(p, sample));
    }
    *sample_out = sample;
    return ERR_OK;
}

/* ---------------------------------------------------------------- LATEST ON */

ErrorCode parse__latest(Parser *p, AstLatest **latest_out) {
    AstLatest *latest = arena_new(p->arena, AstLatest);
    latest->span = parse__span(p);
    parse__advance(p);
    if (parse__accept_keyword(p, KW_ON)) {
        TRY(parse__expr(p, &latest->timestamp));
        TRY(parse__expect_keyword(p, KW_PARTITION));
    }
    TRY(parse__expect_keyword(p, KW_BY));
    TRY(parse__expr_list(p, &latest->partition_by, &latest->partition_count));
    *latest_out = latest;
    return ERR_OK;
}
