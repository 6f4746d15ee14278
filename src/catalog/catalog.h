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

enum { NAME_BYTES_MAX = 255, TABLES_MAX = 100000, OBJECTS_MAX = 1000000, SYMBOLS_MAX = 1 << 30 };

typedef enum PartitionUnit { PARTITION_NONE, PARTITION_HOUR, PARTITION_DAY, PARTITION_WEEK, PARTITION_MONTH, PARTITION_YEAR } PartitionUnit;
typedef enum Durability { DURABILITY_UNSET, DURABILITY_OFF, DURABILITY_INTERVAL, DURABILITY_COMMIT } Durability; /* rising strength */
enum { DURABILITY_MS_MAX = 3600000 };
/* "commit", "interval", "interval(50)", "off", in any case; *ms_out is 0 where none is named: the database's. false: none of them. */
bool durability_parse(Str text, uint8_t *durability_out, uint32_t *ms_out);
typedef Dialect DialectId;
typedef enum IdentityKind { IDENTITY_NONE, IDENTITY_ALWAYS, IDENTITY_BY_DEFAULT } IdentityKind;

/* Kinds of objects: id as stored (only ever added at the end), name in messages. Table, view and sequence share the names of a schema. */
#define OBJECT_KINDS(X)                                                                                                \
    X(SCHEMA, 1, "schema") X(TABLE, 2, "table") X(VIEW, 3, "view") X(SEQUENCE, 4, "sequence")                          \
    X(TYPE, 5, "type")                 /* enum or domain */                                                            \
    X(ROLE, 6, "role")                                                                                                 \
    X(MEMBERSHIP, 7, "membership")     /* parent: the role; name: the member's id in decimal */                        \
    X(GRANT, 8, "grant")               /* owner and privileges of one object (parent); name empty, or a column's id */ \
    X(DEFAULT_GRANT, 9, "default privilege") /* parent: the role whose new objects it is for; name: "schema id/kind" */ \
    X(COMMENT, 10, "comment")          /* parent: the object; name empty, or a column's id in decimal */               \
    X(EXTENSION, 11, "extension")                                                                                      \
    X(SETTING, 12, "setting")          /* parent: role, 0 = of the database; name of the setting */
typedef enum ObjectKind {
    OBJECT_NONE,
#define X(name, number, text) OBJECT_##name = number,
    OBJECT_KINDS(X)
#undef X
        OBJECT_KIND_COUNT
} ObjectKind;
const char *object_kind_name(uint8_t kind); /* "sequence" */

enum {
    SCHEMA_PUBLIC_ID = 1,
    ROLE_POSTGRES_ID = 2,      /* the first superuser; there from the first start */
    ROLE_PUBLIC_ID = 0,        /* everybody, in grants */
    OBJECT_FIRST_FREE_ID = 16, /* the one counter starts here; ids are never used again */
    OBJECT_OID_BASE = 16384,   /* oid of an object = base + id */
    OBJECT_NEEDS_MAX = 65535
};

/* What an object cannot be without: dropping it is refused (RESTRICT) or drops this one too (CASCADE). */
typedef struct ObjectNeed { uint32_t object_id, column_id; } ObjectNeed; /* column_id: ColumnDef.id, 0 = the object itself */

/* Any object as readers see it. What `body` holds is decided by the kind: catalog/bodies.h. Tables and schemas have no body here. */
typedef struct CatalogObject {
    uint8_t kind;
    uint32_t id;
    uint32_t parent_id;          /* what it belongs to and goes with: a sequence's table, a comment's object; 0 = nothing */
    uint32_t parent_column;      /* ColumnDef.id within the parent, 0 = none */
    uint32_t schema_id;          /* tables, views, sequences, types; else 0 */
    Str name;
    Bytes body;
    const ObjectNeed *needs;
    uint16_t need_count;
} CatalogObject;

/* Does it need the object, or that column of it (0: whatever of it)? */
static inline bool object_needs(const CatalogObject *object, uint32_t needed_id, uint32_t column_id) {
    for (uint16_t i = 0; i < object->need_count; i++) {
        if (object->needs[i].object_id == needed_id && (column_id == 0 || object->needs[i].column_id == column_id)) {
            return true;
        }
    }
    return false;
}

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
    uint8_t identity;            /* IdentityKind */
    uint32_t sequence_id;        /* the sequence behind an identity column or a serial default, 0 = none */
    uint32_t domain_id;          /* declared with a domain: its object; `type` is what it is over. 0 = none */
    Str generated_text;          /* SQL of GENERATED ALWAYS AS (...) STORED, in default_dialect; empty = none */
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
    uint32_t durability_ms;      /* INTERVAL; 0 = the database's */
    bool wal;                    /* as declared (BYPASS WAL = false); shown, without effect */
    uint16_t index_count, constraint_count;
    IndexDef *indexes;           /* some are internal: not to be shown */
    ConstraintDef *constraints;
} TableDef;

/* What CREATE TABLE gives. Names and text are copied. */
typedef struct TableSpec {
    uint32_t id;                 /* taken from the counter before, so that sequences can name it; 0 = a new one */
    Str schema_name, name;       /* empty schema = public */
    const ColumnDef *columns;    /* id, symbols ignored */
    uint16_t column_count;
    int16_t designated;
    uint8_t partition, durability;
    uint32_t durability_ms;
    bool wal, if_not_exists;
} TableSpec;

/* What CREATE INDEX gives: def with id 0; keys in order; columns by number. Texts are copied. */
typedef struct IndexSpec {
    IndexDef def;                /* name empty = one is made; column ids and include_ids are not looked at */
    const int32_t *key_columns;  /* one a key: a column's number, or -1 - place in computed */
    const uint16_t *include_columns;
    const ColumnDef *computed;   /* expressions' values: name (for the index's name), type, default_text */
    uint16_t computed_count;
    int16_t predicate_computed;  /* place in computed, -1 = all rows */
} IndexSpec;
typedef struct ConstraintSpec {
    ConstraintDef def;           /* name empty = one is made; ids are not looked at. validated false: NOT VALID */
    const uint16_t *columns;     /* numbers */
    uint16_t column_count;
    bool nulls_not_distinct;
    uint32_t referenced_table_id; /* 0 = the table itself */
    const uint16_t *referenced_columns; /* numbers there; none = its primary key */
    uint16_t referenced_count;
} ConstraintSpec;

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
    /* Objects of every kind, tables and schemas among them. scope: the schema's id, else the parent's, else 0. NULL: none (or several
     * that differ in case only). */
    const CatalogObject *(*object_find)(CatalogView *view, ObjectKind kind, uint32_t scope_id, Str name);
    const CatalogObject *(*object_by_id)(CatalogView *view, uint32_t id);                /* NULL: gone */
    bool (*object_next)(CatalogView *view, ObjectKind kind, size_t *cursor, const CatalogObject **object_out); /* by id */
    /* A table, view or sequence: in the schema, or with an empty schema name the first along the search path (as table_find looks). NULL:
     * there is none, or no such schema. */
    const CatalogObject *(*relation_find)(CatalogView *view, Str schema_name, Str name);
};
int table_column_find(const TableDef *table, Str name);  /* column number, -1 absent, -2 several case-insensitive matches */
static inline uint16_t table_stored_count(const TableDef *table) { return (uint16_t)(table->column_count + table->computed_count); }
int table_column_by_id(const TableDef *table, uint32_t column_id); /* number, computed columns too; -1: no such column */
const IndexDef *table_index_by_id(const TableDef *table, uint32_t index_id);        /* NULL: absent */
const IndexDef *table_index_find(const TableDef *table, Str name);                  /* exact; NULL: absent */
const ConstraintDef *table_constraint_by_id(const TableDef *table, uint32_t id);
const ConstraintDef *table_constraint_find(const TableDef *table, Str name);
const IndexDef *table_primary_key(const TableDef *table);                           /* NULL: none */
/* The index of that name in a schema, with its table; a walk over all tables. */
const IndexDef *catalog_view_index_find(CatalogView *view, uint32_t schema_id, Str name, const TableDef **table_out);
