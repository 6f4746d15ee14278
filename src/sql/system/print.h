/* SPDX-License-Identifier: Apache-2.0
 * print.h - stored expressions and queries as PostgreSQL prints its own: types of constants, implicit casts, parentheses, line breaks.
 *
 * What:  texts are kept as they were said (names resolved); a reader of pg_get_expr and its kin expects PostgreSQL's form, which names the type of every
 *        constant and every cast that its operators and functions need. Types are found as PostgreSQL finds them, in its operators and functions
 *        (builtin_*.h), so the same text comes out whatever Basalt does with the expression.
 * Files: print_type.c (types, operators, functions), print_expr.c, print_predicate.c, print_query.c.
 * Limits: what has no place in PostgreSQL's grammar, or what the typing does not know, is printed without casts; a query with clauses of the
 *        other dialect as it is stored.
 * Tests: test/sql/definitions.slt */
#pragma once
#include "sql/parse/parse.h"
#include "sql/system/each.h"

/* An expression over the columns of a table (NULL: none). type: what it is assigned to (0: nothing), a constant takes that type. value: the type of
 * VALUE in a domain's check. parens: around a text that cannot be printed. */
typedef struct PrintOptions { Str text; uint8_t dialect; const TableDef *table; uint32_t type, value; bool pretty, parens; } PrintOptions;
void print_expression(SystemView *view, const PrintOptions *options, Buffer *out);
/* The text of a view with a blank before it, as pg_get_viewdef answers, without the semicolon. */
void print_query(SystemView *view, Str text, uint8_t dialect, bool pretty, Buffer *out);
