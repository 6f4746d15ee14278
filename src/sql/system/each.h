/* SPDX-License-Identifier: Apache-2.0
 * each.h - walks that several producers share: relations of every kind and their columns; built-in types and functions by oid and by name. */
#pragma once
#include "catalog/privilege.h"
#include "sql/system/rows.h"

/* ---- relations: what pg_class lists ---- */
typedef struct AnyRelation {
    char kind;                      /* relkind: 'r' table, 'v' view, 'S' sequence, 'i' index */
    uint32_t oid, schema_oid, owner_oid;
    Str name, schema_name;
    const TableDef *def;            /* table, system view; index: its table */
    const IndexDef *index;
    const CatalogObject *object;    /* users' view, sequence */
    ViewBody body;                  /* users' view */
    bool is_system;
} AnyRelation;

typedef struct RelationWalk { size_t cursor, system_index; uint16_t next_index; uint8_t phase; const TableDef *table; } RelationWalk;
/* Tables each followed by its indexes, then views, sequences, then the system's. */
bool next_relation(SystemView *view, RelationWalk *walk, AnyRelation *relation_out);
bool next_user_table(SystemView *view, RelationWalk *walk, AnyRelation *relation_out);  /* tables alone */
bool relation_by_oid(SystemView *view, uint32_t oid, AnyRelation *relation_out);

typedef struct AnyColumn {
    Str name;
    Type type;
    int16_t number;                 /* from 1 */
    const ColumnDef *def;           /* NULL: of a view or sequence */
} AnyColumn;
uint16_t relation_column_count(const AnyRelation *relation);
void relation_column(const AnyRelation *relation, uint16_t index, AnyColumn *column_out);

bool column_has_default(const ColumnDef *column);   /* a row of pg_attrdef: DEFAULT or GENERATED */

/* ---- other objects ---- */
uint32_t schema_oid(uint32_t schema_id);
uint32_t role_oid(uint32_t role_id);
uint32_t role_of_oid(uint32_t oid);
Str schema_name(SystemView *view, uint32_t schema_id);
uint32_t comment_column(const CatalogObject *comment);           /* ColumnDef.id (a view's: the place from 1), 0 = the object itself */
int32_t column_number(SystemView *view, uint32_t object_id, uint32_t column_id); /* such an id to attnum; 0 = the object itself */
#define COMMENT_OF_PUBLIC STR("standard public schema")          /* until it gets another one */
bool schema_in_path(SystemView *view, Str name);                /* pg_catalog too */

/* A row of builtin_types.h. */
typedef struct BuiltinType {
    uint32_t oid;
    const char *name;
    int16_t length;
    bool by_value, preferred;
    char kind, category, alignment, storage;
    uint32_t array_oid, collation, element;
    const char *subscript, *input, *output, *receive, *send, *modifier_in, *modifier_out;
} BuiltinType;
size_t builtin_type_count(void);
const BuiltinType *builtin_type_at(size_t index);
const BuiltinType *builtin_type_by_oid(uint32_t oid);     /* NULL: none */
const BuiltinType *builtin_type_by_name(Str name);

/* A row of builtin_procs.inc. */
typedef struct BuiltinProc {
    uint32_t oid;
    const char *name;
    uint32_t result;
    const char *arguments;      /* oids separated by blanks */
    char kind, volatility;
    bool strict, returns_set;
    uint32_t variadic;
} BuiltinProc;
size_t builtin_proc_count(void);
const BuiltinProc *builtin_proc_at(size_t index);
const BuiltinProc *builtin_proc_by_oid(uint32_t oid);
uint32_t builtin_proc_oid(const char *name);              /* the first of that name, 0: none */
bool builtin_proc_exists(const BuiltinProc *proc);        /* Basalt has a function of that name */
uint32_t builtin_proc_arguments(const BuiltinProc *proc, uint32_t *oids, uint32_t room); /* how many */

/* How a column of a table is seen by clients. */
typedef struct ColumnShape { uint32_t type_oid; int32_t type_modifier; uint32_t collation; int16_t dims; const BuiltinType *type; } ColumnShape;
ColumnShape column_shape(Type type);
ColumnShape declared_shape(const AnyColumn *column);
