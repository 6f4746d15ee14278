/* SPDX-License-Identifier: Apache-2.0
 * parse_limit.c - what may stand behind ORDER BY: LIMIT, OFFSET, FETCH, FOR UPDATE.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

static ErrorCode parse_limit_value(Parser *p, AstExpr **expr_out) {
    *expr_out = NULL;
    return parse__accept_keyword(p, KW_ALL) ? ERR_OK : parse__expr(p, expr_out);
}

static ErrorCode parse_limit(Parser *p, AstLimit *limit) {
    limit->limit_span = parse__span(p);
    limit->has_limit = true;
    parse__advance(p);
    TRY(parse_limit_value(p, &limit->high));
    if (parse__accept_mark(p, ",")) {
        limit->low = limit->high;
        TRY(parse_limit_value(p, &limit->high));
    }
    return ERR_OK;
}

static ErrorCode parse_offset(Parser *p, AstLimit *limit) {
    limit->offset_span = parse__span(p);
    parse__advance(p);
    TRY(parse__expr(p, &limit->offset));
    (void)(parse__accept_keyword(p, KW_ROW) || parse__accept_keyword(p, KW_ROWS));
    return ERR_OK;
}

/* FETCH FIRST|NEXT [n] ROW|ROWS ONLY | WITH TIES */
static ErrorCode parse_fetch(Parser *p, AstLimit *limit) {
    limit->limit_span = parse__span(p);
    limit->has_limit = true;
    parse__advance(p);
    if (!parse__accept_keyword(p, KW_FIRST) && !parse__accept_keyword(p, KW_NEXT)) {
        return parse__expected(p, "FIRST or NEXT");
    }
    if (parse__at_keyword(p, KW_ROW) || parse__at_keyword(p, KW_ROWS)) {
        TRY(parse__new_text(p, AST_INTEGER, parse__span(p), STR("1"), &limit->high));
    } else {
        TRY(parse__primary(p, &limit->high));
    }
    if (!parse__accept_keyword(p, KW_ROW) && !parse__accept_keyword(p, KW_ROWS)) {
        return parse__expected(p, "ROW or ROWS");
    }
    if (parse__accept_keyword(p, KW_WITH)) {
        limit->with_ties = true;
        return parse__expect_keyword(p, KW_TIES);
    }
    return parse__expect_keyword(p, KW_ONLY);
}

ErrorCode parse__limits(Parser *p, AstSelect *select) {
    AstLimit limit = {0};
    for (;;) {
        if (parse__at_keyword(p, KW_LIMIT) && !limit.has_limit) {
            TRY(parse_limit(p, &limit));
        } else if (parse__at_keyword(p, KW_OFFSET) && limit.offset == NULL) {
            TRY(parse_offset(p, &limit));
        } else if (parse__at_keyword(p, KW_FETCH) && !limit.has_limit) {
            TRY(parse_fetch(p, &limit));
        } else {
            break;
        }
    }
    if (limit.has_limit || limit.offset != NULL) {
        select->limit = arena_new(p->arena, AstLimit);
        *select->limit = limit;
    }
    return ERR_OK;
}

/* FOR UPDATE | NO KEY UPDATE | SHARE | KEY SHARE [OF t, ...] [NOWAIT | SKIP LOCKED] */
static ErrorCode parse_locking(Parser *p, AstLocking *locking) {
    locking->span = parse__span(p);
    parse__advance(p);
    if (parse__accept_keyword(p, KW_NO)) {
        TRY(parse__expect_keyword(p, KW_KEY));
        locking->no_key = true;
    } else if (parse__accept_keyword(p, KW_KEY)) {
        locking->key = true;
    }
    if (parse__accept_keyword(p, KW_SHARE)) {
        locking->share = true;
    } else if (!parse__accept_keyword(p, KW_UPDATE)) {
        return parse__expected(p, "UPDATE or SHARE");
    }
    if (parse__accept_keyword(p, KW_OF)) {
        do {
            AstNames names = {0};
            TRY(parse__names(p, &names, "a table name"));
        } while (parse__accept_mark(p, ","));
    }
    if (parse__accept_keyword(p, KW_NOWAIT)) {
        locking->nowait = true;
    } else if (parse__accept_keyword(p, KW_SKIP)) {
        locking->skip_locked = true;
        return parse__expect_keyword(p, KW_LOCKED);
    }
    return ERR_OK;
}

ErrorCode parse__lockings(Parser *p, AstSelect *select) {
    size_t mark = list_begin(p);
    while (parse__at_keyword(p, KW_FOR)) {
        AstLocking locking = {0};
        TRY(parse_locking(p, &locking));
        list_push(p, &locking, sizeof locking);
    }
    select->locking = list_end(p, mark, AstLocking, &select->locking_count);
    return ERR_OK;
}
