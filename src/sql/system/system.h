/* SPDX-License-Identifier: Apache-2.0
 * system.h - pg_catalog and information_schema as relations that scan, filter and join like any table.
 *
 * What:       one row in relations.h a relation: schema, name, oid, columns, and a producer that writes its rows when a scan opens. A relation is shown to
 *             the binder as a TableDef (id = SYSTEM_TABLE_BIT | oid) and to the executor as a RowSource.
 * How:        SystemView wraps a transaction's CatalogView and Storage: names in pg_catalog are found first, then the wrapped view is asked. Changes to a
 *             system relation are refused (42501).
 * Life cycle: system_view_init in a statement's arena; lives as long as the arena and the wrapped objects; system_view_attach points it to
 *             another transaction.
 * Threads:    binding and opening of scans by one at a time; calls, names and reading of an open scan by many. The lock guards the arena.
 * Tests:      test/sql/pg_catalog.slt, test/unit/sql/system */
#pragma once
#include "catalog/catalog.h"
#include "column/value_text.h"
#include "os/os.h"
#include "sql/func/func.h"
#include "sql/system/oid.h"

typedef struct SystemRows SystemRows;

typedef struct SystemView {
    CatalogView base;
    Storage storage;
    CatalogView *inner;
    Storage *inner_storage;
    const FunctionEnvironment *environment;
    Arena *arena;
    struct SystemTable *tables;          /* made so far */
    struct KnownEnum *enums;             /* whose labels were asked for (labels.c) */
    OidNames names;                      /* for the environment: regclass and its kin, labels */
    SystemCalls calls;                   /* same: functions that ask the catalog */
    Sched *sched;
    Mutex *lock;                         /* the session's: what the view makes, and whom it asks */
} SystemView;

/* environment: search path and the session's calls (settings, clients, cursors …). Everything made lives in the arena. lock: one for all views of a
 * session, live as long as they. */
void system_view_init(SystemView *view, Arena *arena, CatalogView *inner, Storage *inner_storage, const FunctionEnvironment *environment, Sched *sched,
                      Mutex *lock);
void system_view_attach(SystemView *view, CatalogView *inner, Storage *inner_storage, const FunctionEnvironment *environment);

void system_view_lock(SystemView *view);      /* around all that uses the arena: calls and names run on any thread of the statement */
void system_view_unlock(SystemView *view);
ErrorCode system_call(const SystemCalls *calls, SystemFunction function, const KernelCall *call, Vector *out, Error *err);

typedef struct SystemRelation SystemRelation;
struct SystemRelation {
    const char *schema, *name;
    uint32_t oid;
    char kind;                           /* 'r', 'v'; 'f': a function in FROM */
    ErrorCode (*produce)(SystemView *view, SystemRows *rows, Error *err);  /* NULL: always empty */
    const char *columns;
};
size_t system_relation_count(void);
const SystemRelation *system_relation_at(size_t index);       /* by schema, name */
const SystemRelation *system_relation_find(Str schema, Str name);  /* NULL: none */
const SystemRelation *system_relation_by_oid(uint32_t oid);
/* A function that lists things, as FROM calls it; NULL: none of the name. Its arguments, if any, choose among nothing: they are ignored. */
const TableDef *system_function(CatalogView *view, Str name);
/* The relation as a table definition, made in the view's arena on first use. */
const TableDef *system_table(SystemView *view, const SystemRelation *relation);
