/* SPDX-License-Identifier: Apache-2.0
 * parse.h - SQL text to Ast, one statement at a time, and Ast back to text.
 *
 * Both languages' clauses are always legal; the dialect only decides how unquoted names fold. What the parser accepts but
 * Basalt does not do yet is refused by the binder with ERR_NOT_SUPPORTED; what it cannot even read is ERR_SYNTAX with the byte
 * offset and what was expected. Depth beyond AST_DEPTH_MAX is ERR_TOO_COMPLEX. Threads: pure, no state kept. */
#pragma once
#include "sql/parse/ast.h"

/* Reads the statement that starts at byte `from` of text. *end_out = offset behind its semicolon (or text.len), so that a text of
 * several statements is a loop from *end_out on. *statement_out = NULL where only blanks, comments and semicolons were left
 * (then *end_out = text.len). The tree lives in the arena and points into text: both must outlive it. text must be UTF-8. */
NODISCARD ErrorCode sql_parse(Str text, size_t from, Dialect dialect, Arena *arena, AstStatement **statement_out,
                              size_t *end_out, Error *err);

/* One expression and nothing behind it: stored defaults and checks. */
NODISCARD ErrorCode sql_parse_expression(Str text, Dialect dialect, Arena *arena, AstExpr **expr_out, Error *err);

/* The text with values[n - 1] where $n stood; in the arena. */
NODISCARD ErrorCode sql_replace_params(Str text, Dialect dialect, const Str *values, uint32_t count, Arena *arena, Str *text_out, Error *err);

/* One type name and nothing behind it: "numeric(10,2)", "timestamp with time zone". */
NODISCARD ErrorCode sql_parse_type(Str text, Dialect dialect, Arena *arena, AstType **type_out, Error *err);

/* Canonical text of a tree: keywords in upper case, names quoted where they must be, parentheses where they are needed.
 * Parsing it again with the same dialect gives the same tree. */
void sql_deparse(const AstStatement *statement, Buffer *out);
void sql_deparse_select(const AstSelect *select, Dialect dialect, Buffer *out);
void sql_deparse_expr(const AstExpr *expr, Dialect dialect, Buffer *out);
void sql_deparse_type(const AstType *type, Dialect dialect, Buffer *out);
/* Appends a name, quoted where a plain word would fold to something else or be a keyword. */
void sql_deparse_name(Str name, Dialect dialect, Buffer *out);
/* Appends a literal: backslashes are plain, standard_conforming_strings is on. */
void sql_deparse_string(Str text, Buffer *out);
/* Why the view of this query takes no changes, in PostgreSQL's words; NULL: by its form it may (its columns must be plain, too). */
const char *sql_view_fixed(const AstSelect *select);
