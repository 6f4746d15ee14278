/* SPDX-License-Identifier: Apache-2.0
 * print_internal.h - what the print_*.c files share. */
#pragma once
#include "sql/system/define.h"
#include "sql/system/names.h"
#include "sql/system/print.h"

enum {
    PG_UNKNOWN = 705, PG_BOOL = 16, PG_INT2 = 21, PG_INT4 = 23, PG_INT8 = 20, PG_NUMERIC = 1700, PG_FLOAT4 = 700, PG_FLOAT8 = 701, PG_TEXT = 25, PG_VARCHAR = 1043,
    PG_BPCHAR = 1042, PG_NAME = 19, PG_REGCLASS = 2205, PG_RECORD = 2249,
    PRINT_BYTES_MAX = 1 << 20, PRINT_DEPTH_MAX = 200
};

/* What names of columns may mean: relations in FROM, the innermost query first. */
typedef struct PrintItem { Str alias; const Str *names; const uint32_t *types; uint16_t count; } PrintItem;
typedef struct PrintScope { PrintItem *items; uint32_t count; const struct PrintScope *outer; } PrintScope;
typedef struct PrintCte { AstName name; PrintItem item; struct PrintCte *next; } PrintCte;

typedef struct Printer {
    SystemView *view;
    Arena arena;
    Buffer *out;
    const PrintScope *scope;
    PrintCte *ctes;
    const AstSelect *names_of; /* the arm of a set operation whose names its other arms have; NULL: its own */
    bool pretty, prefix;       /* prefix: columns are shown with their relation */
    bool names_hidden;         /* nobody reads the names of the list: "?column?" is not shown */
    int indent, depth;
    bool gave_up;              /* something has no PostgreSQL form: the stored text is shown */
} Printer;

static inline void print_c(Printer *p, const char *text) { buffer_append_str(p->out, str_from_c(text)); }
static inline void print_str(Printer *p, Str text) { buffer_append_str(p->out, text); }

/* ---- types: oids as PostgreSQL has them, 0 = not known, PG_UNKNOWN = a constant in quotes ---- */
uint32_t print__type(Printer *p, const AstExpr *expr);
uint32_t print__type_named(Printer *p, const AstType *type);
uint32_t print__select_type(Printer *p, const AstSelect *select, uint32_t column);
/* What the operator takes; false: not known. left 0: prefix. */
typedef struct PrintCall { uint32_t arguments[8]; uint32_t count, result; } PrintCall;
bool print__operator(Str name, uint32_t left, uint32_t right, PrintCall *call_out);
bool print__function(Printer *p, Str name, AstExpr *const *args, uint32_t count, PrintCall *call_out);
uint32_t print__common_type(Printer *p, AstExpr *const *args, uint32_t count);
bool print__takes_common_type(Str name);                   /* COALESCE and its kin: no functions, their arguments have one type */
Str print__like_operator(Str word);                        /* "like" -> "~~"; empty: none of them */
const PrintItem *print__column(const Printer *p, const AstNames *names, uint16_t *column_out);

/* ---- expressions ---- */
void print__expr(Printer *p, const AstExpr *expr);
void print__as(Printer *p, const AstExpr *expr, uint32_t type, const AstExpr *parent); /* with the cast that makes it one; 0: as it is */
void print__operand(Printer *p, const AstExpr *expr, const AstExpr *parent);           /* in parentheses if the parent needs them */
void print__type_name(Printer *p, uint32_t oid);
void print__window(Printer *p, const AstWindow *window);     /* (PARTITION BY ...) */
void print__sort_order(Printer *p, const AstSortKey *key); /* DESC, NULLS FIRST */
bool print__predicate(Printer *p, const AstExpr *expr);    /* operators that are words; false: another one */
void print__binary(Printer *p, const AstExpr *expr, Str name, const AstExpr *left, const AstExpr *right);
void print__open(Printer *p);                              /* what is in parentheses unless it is pretty */
void print__close(Printer *p);

/* ---- queries ---- */
void print__subquery(Printer *p, const AstSelect *select); /* in parentheses */
void print__keyword(Printer *p, const char *word, int before, int after, int plus); /* on a line of its own */
