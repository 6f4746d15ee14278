/* SPDX-License-Identifier: Apache-2.0
 * parse_internal.h - the parser's state and the small steps that every parse_*.c is made of.
 *
 * Each parse__x reads one construct that starts at the current token and leaves the token behind it current. Errors are set once,
 * at the token that was not expected; lexer errors come first. Lists are gathered on one byte stack and copied to the arena. */
#pragma once
#include "sql/parse/lexer.h"
#include "sql/parse/parse.h"

enum { PARSE_DEPTH_MAX = AST_DEPTH_MAX, PARAMS_MAX = 65535 };

typedef struct Parser {
    Lexer lexer;
    Token token;               /* current */
    Token ahead;               /* the one behind it, if has_ahead */
    bool has_ahead;
    uint32_t previous_end;     /* offset behind the last token consumed */
    int depth;
    Arena *arena;
    Error *err;
    Dialect dialect;
    bool in_object_setting;    /* behind ALTER ROLE … and ALTER DATABASE …: SET x FROM CURRENT may come */
    int32_t param_max;
    Buffer stack;              /* lists under construction */
    Buffer named_params;       /* AstName each */
} Parser;

/* ---- tokens (parse.c) ---- */
void parse__advance(Parser *p);
const Token *parse__peek(Parser *p);             /* the token behind the current one */
static inline bool parse__at_keyword(const Parser *p, Keyword keyword) {
    return p->token.keyword == keyword && p->token.kind == TOKEN_WORD;
}
static inline bool token_is_keyword(const Token *token, Keyword keyword) {
    return token->keyword == keyword && token->kind == TOKEN_WORD;
}
static inline bool token_is(const Token *token, TokenKind kind, Str text) {
    return token->kind == kind && str_equal(token->text, text);
}
bool parse__at_word(const Parser *p, Str word);  /* any case; words that are no keywords */
/* mark: one or two characters */
static inline bool token_is_mark(const Token *token, const char *mark) {
    return token->kind == TOKEN_PUNCTUATION && token->text.data[0] == mark[0] && token->len == 1u + (mark[1] != 0) &&
           (mark[1] == 0 || token->text.data[1] == mark[1]);
}
static inline bool parse__at_mark(const Parser *p, const char *mark) { return token_is_mark(&p->token, mark); }
bool parse__at_operator(const Parser *p, const char *text);
bool parse__accept_keyword(Parser *p, Keyword keyword);
bool parse__accept_word(Parser *p, Str word);
bool parse__accept_mark(Parser *p, const char *mark);
bool parse__peek_keyword(Parser *p, Keyword keyword);
bool parse__peek_mark(Parser *p, const char *mark);
NODISCARD ErrorCode parse__expect_keyword(Parser *p, Keyword keyword);
NODISCARD ErrorCode parse__expect_mark(Parser *p, const char *mark);
/* Closes what `open` (the token of the opening parenthesis) began: at the end of input the error is at the opening one. */
NODISCARD ErrorCode parse__expect_close(Parser *p, Token open);
/* "syntax error at or near X: expected WHAT". Always fails. */
ErrorCode parse__expected(Parser *p, const char *what);
ErrorCode parse__not_supported(Parser *p, const char *what);
NODISCARD ErrorCode parse__enter(Parser *p);     /* one level of recursion deeper; pair with parse__leave */
static inline void parse__leave(Parser *p) { p->depth--; }
static inline Span parse__span(const Parser *p) { return (Span){p->token.at, p->token.len}; }
static inline Span parse__span_from(const Parser *p, uint32_t at) {
    return (Span){at, p->previous_end > at ? p->previous_end - at : 0};
}
static inline Str parse__source(const Parser *p, uint32_t at) { return str_slice(p->lexer.text, at, p->previous_end > at ? p->previous_end : at); }
Str parse__lower(Parser *p, Str text);           /* ASCII lower case, copied only if needed */

/* ---- lists (parse.c) ---- */
static inline size_t list_begin(const Parser *p) { return p->stack.len; }
static inline void list_push(Parser *p, const void *item, size_t bytes) { buffer_append(&p->stack, item, bytes); }
void *parse__list_end(Parser *p, size_t mark, size_t item_bytes, uint32_t *count_out);
#define list_end(p, mark, Type, count_out) ((Type *)parse__list_end((p), (mark), sizeof(Type), (count_out)))

/* ---- names (parse_name.c) ---- */
bool parse__at_name(const Parser *p);            /* ColId: may name a column or table */
bool parse__at_label(const Parser *p);           /* ColLabel: any word */
NODISCARD ErrorCode parse__name(Parser *p, AstName *name_out, const char *what);
NODISCARD ErrorCode parse__label(Parser *p, AstName *name_out, const char *what);
NODISCARD ErrorCode parse__names(Parser *p, AstNames *names_out, const char *what);          /* a.b.c */
NODISCARD ErrorCode parse__table_name(Parser *p, AstNames *names_out);                       /* also 'a' */
NODISCARD ErrorCode parse__name_list(Parser *p, AstName **names_out, uint32_t *count_out, const char *what); /* (a, b) with parentheses */
NODISCARD ErrorCode parse__optional_alias(Parser *p, AstName **alias_out);                   /* of tables */
AstName *parse__new_name(Parser *p, AstName name);

/* ---- expressions (parse_expr.c, parse_call.c, parse_type.c) ---- */
NODISCARD ErrorCode parse__expr(Parser *p, AstExpr **expr_out);
NODISCARD ErrorCode parse__expr_above(Parser *p, int power, AstExpr **expr_out);
NODISCARD ErrorCode parse__subscripts(Parser *p, AstExpr **expr); /* [i, j] or [i:j] behind *expr */
NODISCARD ErrorCode parse__primary(Parser *p, AstExpr **expr_out);
NODISCARD ErrorCode parse__expr_list(Parser *p, AstExpr ***list_out, uint32_t *count_out);   /* a, b: at least one */
NODISCARD ErrorCode parse__new_expr(Parser *p, AstExprKind kind, Span span, AstExpr **args, uint32_t arg_count, AstExpr **expr_out);
NODISCARD ErrorCode parse__new_call(Parser *p, Str name, Span span, AstExpr **args, uint32_t arg_count, AstExpr **expr_out);
NODISCARD ErrorCode parse__new_text(Parser *p, AstExprKind kind, Span span, Str text, AstExpr **expr_out);
NODISCARD ErrorCode parse__function_call(Parser *p, AstNames names, AstExpr **expr_out);     /* current token: ( */
NODISCARD ErrorCode parse__special_call(Parser *p, bool *found_out, AstExpr **expr_out);     /* EXTRACT(...), TRIM(...), CURRENT_DATE ... */
NODISCARD ErrorCode parse__type(Parser *p, AstType **type_out);
NODISCARD ErrorCode parse__type_modifiers(Parser *p, AstType *type); /* "(10, 2)", if it stands there */
bool parse__at_query(Parser *p, bool peek);      /* SELECT, WITH, VALUES, TABLE, DECLARE (of the next token if peek) */
NODISCARD ErrorCode parse__subquery(Parser *p, AstExpr **expr_out);                          /* query without its parentheses */
NODISCARD ErrorCode parse__sort_keys(Parser *p, AstSortKey **keys_out, uint32_t *count_out); /* behind ORDER BY */
NODISCARD ErrorCode parse__window(Parser *p, AstWindow *window_out);                         /* ( ... ) of OVER and WINDOW */
NODISCARD ErrorCode parse__frame_bound(Parser *p, AstFrameBound *bound_out);

/* ---- queries (parse_select.c, parse_limit.c, parse_from.c, parse_timeseries.c) ---- */
NODISCARD ErrorCode parse__query(Parser *p, AstSelect **select_out);
NODISCARD ErrorCode parse__definition_query(Parser *p, AstSelect **select_out); /* behind AS of CREATE: what follows a parenthesis is not the query's */
NODISCARD ErrorCode parse__query_rest(Parser *p, AstSelect *first, AstSelect **select_out);  /* set operations, ORDER BY, LIMIT behind the first arm */
NODISCARD ErrorCode parse__query_from_item(Parser *p, AstFrom *item, AstSelect **select_out); /* clauses behind a table that stands for SELECT * FROM it */
NODISCARD ErrorCode parse__limits(Parser *p, AstSelect *select);   /* LIMIT, OFFSET, FETCH in any order, none is fine */
NODISCARD ErrorCode parse__lockings(Parser *p, AstSelect *select); /* FOR UPDATE ..., none is fine */
NODISCARD ErrorCode parse__with(Parser *p, AstWith **with_out);
NODISCARD ErrorCode parse__declares(Parser *p, AstDeclare **declares_out, uint32_t *count_out);
NODISCARD ErrorCode parse__select_items(Parser *p, AstSelectItem **items_out, uint32_t *count_out);
NODISCARD ErrorCode parse__from_list(Parser *p, AstFrom ***list_out, uint32_t *count_out);
NODISCARD ErrorCode parse__from_item(Parser *p, AstFrom **item_out);
bool parse__at_clause(Parser *p);                /* a word that opens a clause, though it could be a name: SAMPLE BY, ASOF JOIN ... */
NODISCARD ErrorCode parse__sample_by(Parser *p, AstSampleBy **sample_out);
NODISCARD ErrorCode parse__latest(Parser *p, AstLatest **latest_out);
NODISCARD ErrorCode parse__span_literal(Parser *p, AstExpr **number_out, const char *what);  /* 5m */

/* ---- statements ---- */
NODISCARD ErrorCode parse__statement(Parser *p, AstStatement **statement_out);
AstStatement *parse__new_statement(Parser *p, AstStatementKind kind, uint32_t at);
NODISCARD ErrorCode parse__insert(Parser *p, AstWith *with, AstInsert **insert_out);
NODISCARD ErrorCode parse__update(Parser *p, AstWith *with, AstUpdate **update_out);
NODISCARD ErrorCode parse__delete(Parser *p, AstWith *with, AstDelete **delete_out);
NODISCARD ErrorCode parse__create(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__create_table(Parser *p, AstCreateTable *table);                   /* behind CREATE ... TABLE */
NODISCARD ErrorCode parse__column(Parser *p, AstColumn *column_out);
NODISCARD ErrorCode parse__set_constraints(Parser *p, AstUtility *utility); /* CONSTRAINTS ALL | a, b DEFERRED | IMMEDIATE */
NODISCARD ErrorCode parse__identity(Parser *p, AstConstraint *constraint); /* ... AS IDENTITY [(options)], behind GENERATED */
NODISCARD ErrorCode parse__constraint(Parser *p, bool of_table, bool *found_out, AstConstraint *constraint_out);
NODISCARD ErrorCode parse__symbol_tail(Parser *p, AstColumn *column);
NODISCARD ErrorCode parse__index_spec(Parser *p, AstIndexSpec *index);
NODISCARD ErrorCode parse__ttl(Parser *p, AstTtl **ttl_out);
NODISCARD ErrorCode parse__options(Parser *p, AstOption **options_out, uint32_t *count_out); /* ( a = b, c ) */
NODISCARD ErrorCode parse__bare_options(Parser *p, AstOption **options_out, uint32_t *count_out); /* a = b, c = d */
NODISCARD ErrorCode parse__option_value(Parser *p, AstExpr **value_out);
NODISCARD ErrorCode parse__alter(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__alter_actions(Parser *p, Str object, AstName name, AstStatement *statement); /* RENAME TO, OWNER TO ... behind the name */
NODISCARD ErrorCode parse__signed(Parser *p, int64_t *number_out);                           /* 12, -3 */
NODISCARD ErrorCode parse__sequence_options(Parser *p, AstSequenceOptions *options);
NODISCARD ErrorCode parse__create_sequence(Parser *p, AstSequence *sequence);                /* behind CREATE SEQUENCE */
NODISCARD ErrorCode parse__role_name(Parser *p, AstName *name_out);
NODISCARD ErrorCode parse__role_names(Parser *p, AstName **names_out, uint32_t *count_out);
NODISCARD ErrorCode parse__create_role(Parser *p, Str object, AstStatement *statement);      /* behind CREATE ROLE, USER, GROUP */
NODISCARD ErrorCode parse__alter_role(Parser *p, Str object, AstStatement *statement);
NODISCARD ErrorCode parse__alter_database(Parser *p, AstStatement *statement);
NODISCARD ErrorCode parse__owned(Parser *p, bool drop, AstStatement *statement);
NODISCARD ErrorCode parse__grant(Parser *p, AstStatement **statement_out);                   /* GRANT and REVOKE */
NODISCARD ErrorCode parse__default_privileges(Parser *p, AstStatement *statement);           /* behind ALTER DEFAULT */
NODISCARD ErrorCode parse__comment(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__create_type(Parser *p, AstStatement *statement);                    /* behind CREATE TYPE */
NODISCARD ErrorCode parse__create_domain(Parser *p, AstStatement *statement);
NODISCARD ErrorCode parse__alter_domain(Parser *p, AstNames name, AstStatement *statement, bool *found_out);
NODISCARD ErrorCode parse__alter_type(Parser *p, AstNames name, AstStatement *statement, bool *found_out);
NODISCARD ErrorCode parse__create_extension(Parser *p, AstStatement *statement);
NODISCARD ErrorCode parse__drop(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__truncate(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__rename(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__if_exists(Parser *p, bool *found_out);
NODISCARD ErrorCode parse__if_not_exists(Parser *p, bool *found_out);
NODISCARD ErrorCode parse__set(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__reset(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__show(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__explain(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__transaction(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__prepare(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__execute(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__deallocate(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__declare_cursor(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__fetch(Parser *p, AstStatement **statement_out);                   /* FETCH and MOVE */
NODISCARD ErrorCode parse__close_cursor(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__lock(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__copy(Parser *p, AstStatement **statement_out);
NODISCARD ErrorCode parse__utility(Parser *p, bool *found_out, AstStatement **statement_out);
NODISCARD ErrorCode parse__quoted_id(Parser *p, const char *what, AstName *name_out);
NODISCARD ErrorCode parse__transaction_modes(Parser *p, AstTransaction *transaction);
