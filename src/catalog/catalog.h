/* SPDX-License-Identifier: Apache-2.0
 * catalog.h - schemas, tables and columns as immutable objects with versions; what the binder may look at.
 *
 * A TableDef never changes after it was published; DDL makes a new one with the same id and a higher version. Look-ups go
 * through a CatalogView (a transaction's snapshot plus its own DDL). Pointers from a view live until the view's transaction ends.
 * Column ids are never reused; older parts answer the default stored with the column. */
#pragma once
#include "base/dialect.h"
#include "base/memory.h"
#include "catalog/constraint.h"
#include "column/source.h"

enum { NAME_BYTES_MAX = 255, TABLES_MAX = 100000, SYMBOLS_MAX = 1 << 30 };

typedef enum PartitionUnit { PARTITION_NONE, PARTITION_HOUR, PARTITION_DAY, PARTITION_WEEK, PARTITION_MONTH, PARTITION_YEAR } PartitionUnit;
typedef enum Durability { DURABILITY_UNSET, DURABILITY_OFF, DURABILITY_INTERVAL, DURABILITY_COMMIT } Durability; /* rising strength */
typedef Dialect DialectId;

typedef struct ColumnDef {
    uint32_t id;                 /* within the table, never reused */
    Str name;
    Type type;
    bool not_null;
    bool dropped;                /* kept in the object so that old parts can be read; never shown by a view */
    Str default_text;            /* SQL of DEFAULT, empty = none */
    uint8_t default_dialect;     /* DialectId it was written in */
    SymbolTable *symbols;        /* SYMBOL columns: the dictionary (lazy: costs nothing until asked) */
    uint32_t symbol_capacity;    /* as declared, 0 = default; shown by SHOW CREATE TABLE */
    /* value that parts older than the column answer: constant of the type, or NULL */
    bool missing_is_null;
    StrRef missing_text;
    uint8_t missing_value[16];
} ColumnDef;

typedef struct TableDef {
    uint32_t id;                 /* unique in the database, never reused */
    uint32_t schema_id;
    Str schema_name, name;
    uint64_t version;            /* LSN-like, rises with each DDL on the table */
    uint16_t column_count;       /* visible columns; numbers used by ScanRequest and append are 0..column_count-1 */
    uint16_t computed_count;     /* behind them in `columns`: values of index expressions and predicates; default_text is the expression */
    ColumnDef *columns;
    int16_t designated;          /* column number of the designated timestamp, -1 = none */
    uint8_t partition;           /* PartitionUnit */
    uint8_t durability;          /* Durability, UNSET = session's or database's */
    uint32_t durability_ms;      /* INTERVAL */
    bool wal;                    /* as declared (BYPASS WAL = false); shown, without effect */
    uint16_t index_count, constraint_count;
    IndexDef *indexes;           /* some are internal: not to be shown */
    ConstraintDef *constraints;
} TableDef;

/* What CREATE TABLE gives. Names and text are copied. */
typedef struct TableSpec {
    Str schema_name, name;       /* empty schema = public */
    const ColumnDef *columns;    /* id, symbols ignored */
    uint16_t column_count;
    int16_t designated;
    uint8_t partition, durability;
    uint32_t durability_ms;
    bool wal, if_not_exists;
} TableSpec;

typedef struct TableStats { uint64_t row_count, bytes_on_disk; int64_t min_time, max_time; } TableStats; /* approximate; times valid if row_count > 0 and designated */

/* Read side, implemented over a transaction by engine. Names: exact first, then the only case-insensitive match. */
typedef struct CatalogView CatalogView;
struct CatalogView {
    ErrorCode (*table_find)(CatalogView *view, Str schema_name, Str name, const TableDef **table_out, Error *err); /* ERR_UNDEFINED_TABLE, ERR_UNDEFINED_SCHEMA; empty schema = search path */
    const TableDef *(*table_by_id)(CatalogView *view, uint32_t id);                      /* NULL: gone */
    bool (*table_next)(CatalogView *view, size_t *cursor, const TableDef **table_out);   /* all visible, by id */
    bool (*schema_next)(CatalogView *view, size_t *cursor, uint32_t *id_out, Str *name_out);
    void (*stats)(CatalogView *view, const TableDef *table, TableStats *stats_out);
    uint64_t (*version)(CatalogView *view);                                              /* changes whenever any object changed */
};
int table_column_find(const TableDef *table, Str name);  /* column number, -1 absent, -2 several case-insensitive matches */
int table_column_by_id(const TableDef *table, uint32_t column_id); /* number, computed columns too; -1: no such column */
const IndexDef *table_index_by_id(const TableDef *table, uint32_t index_id);        /* NULL: absent */
const IndexDef *table_index_find(const TableDef *table, Str name);                  /* exact; NULL: absent */
const ConstraintDef *table_constraint_by_id(const TableDef *table, uint32_t id);
const ConstraintDef *table_constraint_find(const TableDef *table, Str name);
const IndexDef *table_primary_key(const TableDef *table);                           /* NULL: none */
/* The index of that name in a schema, with its table; a walk over all tables. */
const IndexDef *catalog_view_index_find(CatalogView *view, uint32_t schema_id, Str name, const TableDef **table_out);
