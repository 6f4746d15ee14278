/* SPDX-License-Identifier: Apache-2.0
 * deparse_internal.h - printing trees: the writer and what the deparse_*.c files share. */
#pragma once
#include "sql/parse/keywords.h"
#include "sql/parse/lexer.h"
#include "sql/parse/operators.h"
#include "sql/parse/parse.h"

typedef struct Deparser {
    Buffer *out;
    Dialect dialect;
} Deparser;

static inline void put(Deparser *d, const char *text) { buffer_append_str(d->out, str_from_c(text)); }
static inline void put_str(Deparser *d, Str text) { buffer_append_str(d->out, text); }
/* Between list items. */
static inline void put_comma(Deparser *d, uint32_t i) { buffer_append_str(d->out, i > 0 ? STR(", ") : (Str){"", 0}); }
void deparse__string(Deparser *d, Str text);
void deparse__name(Deparser *d, const AstName *name);
void deparse__names(Deparser *d, const AstNames *names);
void deparse__name_list(Deparser *d, const AstName *names, uint32_t count);   /* (a, b) */
void deparse__expr(Deparser *d, const AstExpr *expr);
void deparse__exprs(Deparser *d, AstExpr *const *exprs, uint32_t count);
void deparse__type(Deparser *d, const AstType *type);
void deparse__sort_keys(Deparser *d, const AstSortKey *keys, uint32_t count);
void deparse__window(Deparser *d, const AstWindow *window);
void deparse__bound(Deparser *d, const AstFrameBound *bound);
void deparse__select(Deparser *d, const AstSelect *select);
void deparse__items(Deparser *d, const AstSelectItem *items, uint32_t count);
void deparse__with(Deparser *d, const AstWith *with);
void deparse__declares(Deparser *d, const AstDeclare *declares, uint32_t count);
void deparse__from_list(Deparser *d, AstFrom *const *list, uint32_t count);
void deparse__statement(Deparser *d, const AstStatement *statement);
void deparse__options(Deparser *d, const AstOption *options, uint32_t count); /* a = b, c */
void deparse__create_table(Deparser *d, const AstCreateTable *table);
void deparse__alter(Deparser *d, const AstAlterTable *alter);
void deparse__sequence_options(Deparser *d, const AstSequenceOptions *options);
void deparse__sequence(Deparser *d, const AstStatement *statement);
void deparse__role(Deparser *d, const AstStatement *statement);
void deparse__object_setting(Deparser *d, const AstStatement *statement);
void deparse__owned(Deparser *d, const AstStatement *statement);
void deparse__grant(Deparser *d, const AstStatement *statement);
void deparse__constraint(Deparser *d, const AstConstraint *constraint);
void deparse__user_type(Deparser *d, const AstStatement *statement);
void deparse__comment(Deparser *d, const AstStatement *statement);
void deparse__extension(Deparser *d, const AstStatement *statement);
