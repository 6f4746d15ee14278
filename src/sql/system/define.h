/* SPDX-License-Identifier: Apache-2.0
 * define.h - definitions of objects as SQL text, as PostgreSQL's pg_get_…def functions spell them. */
#pragma once
#include "sql/system/each.h"

enum { DEFINITION_BYTES_MAX = 1 << 20 };
void put_name(Buffer *out, Str name);                                        /* quoted where it must be */
void put_qualified(Buffer *out, Str schema, Str name);
/* CREATE INDEX …; pretty: the schema only where the table is not visible without it. */
void define_index(SystemView *view, const AnyRelation *relation, bool pretty, Buffer *out);
void define_index_key(SystemView *view, const AnyRelation *relation, uint16_t key, bool pretty, Buffer *out); /* one column of it */
/* PRIMARY KEY (…), CHECK ((…)), FOREIGN KEY … */
void define_constraint(SystemView *view, const TableDef *table, const ConstraintDef *constraint, bool pretty, Buffer *out);
void define_default(SystemView *view, const TableDef *table, const ColumnDef *column, Buffer *out);     /* DEFAULT or GENERATED */
void put_default_text(SystemView *view, SystemRows *rows, const TableDef *table, const ColumnDef *column); /* as a value */
void define_view(SystemView *view, const AnyRelation *relation, bool pretty, Buffer *out);              /* with the semicolon */
bool constraint_by_oid(SystemView *view, uint32_t oid, const TableDef **table_out, const ConstraintDef **constraint_out);
