/* SPDX-License-Identifier: Apache-2.0
 * ddl.h - statements that change the catalog beyond tables' columns: sequences, views, schemas, roles, grants, comments, extensions,
 * renames, owners, and dropping anything with what depends on it.
 *
 * Why:     these statements are done from their trees; nothing is planned. Everything happens in the statement's transaction.
 * Texts:   errors, details, hints and notices are PostgreSQL's.
 * Threads: as the transaction. Tests: test/sql/{sequence,view,drop,schema,roles,alter,dump}.slt */
#pragma once
#include "catalog/privilege.h"
#include "engine/engine.h"
#include "sql/bind/bind.h"

typedef struct Ddl {
    Txn *txn;
    CatalogView *catalog;        /* the transaction's */
    Arena *arena;                /* of the statement */
    Dialect dialect;
    Str text;                    /* of the statement: spans point into it */
    uint32_t role_id, session_role_id; /* who acts, who connected */
    Str schema_name;             /* where objects without a schema go; empty: public */
    const FunctionEnvironment *environment;
    Rand *rand;                  /* for salts */
    void (*notice)(void *context, const char *sqlstate, Str message, Str detail); /* NULL: nobody listens */
    /* Runs a statement in the same transaction; *rows_out: rows answered or changed. */
    ErrorCode (*run)(void *context, Str sql, uint64_t *rows_out, Error *err);
    /* Of SET in ALTER ROLE and ALTER DATABASE: name as SHOW prints it, value as it is kept; an unknown name and a bad value are errors. */
    ErrorCode (*setting)(void *context, const AstSet *set, Str *name_out, Str *value_out, Error *err);
    void *context;               /* first argument of the three */
    char *tag;
    size_t tag_bytes;
} Ddl;

/* A statement of kind STATEMENT_OBJECT. */
NODISCARD ErrorCode ddl_run(Ddl *ddl, const BoundStatement *bound, Error *err);
/* Before CREATE TABLE: the sequences of serial and identity columns; spec->id is taken, spec->columns is copied and changed. */
NODISCARD ErrorCode ddl_table_sequences(Ddl *ddl, TableSpec *spec, const ColumnSequence *sequences, uint32_t count, Error *err);
/* 42501 unless tables may be made there; an empty name is where objects without a schema go. */
NODISCARD ErrorCode ddl_check_schema(Ddl *ddl, Str schema_name, Error *err);
/* ALTER TABLE: ADD COLUMN with values for the rows that are there, SET and DROP DEFAULT, TYPE. */
NODISCARD ErrorCode ddl_fill_column(Ddl *ddl, const AlterAction *action, const ColumnSequence *sequence, const TableDef **table, Error *err);
NODISCARD ErrorCode ddl_set_default(Ddl *ddl, const AlterAction *action, const TableDef **table, Error *err);
NODISCARD ErrorCode ddl_set_type(Ddl *ddl, const AlterAction *action, const TableDef **table, Error *err);
NODISCARD ErrorCode ddl_add_identity(Ddl *ddl, const AlterAction *action, const ColumnSequence *sequence, const TableDef **table, Error *err);
NODISCARD ErrorCode ddl_drop_identity(Ddl *ddl, const AlterAction *action, const TableDef **table, Error *err);
/* After CREATE of anything: it belongs to who made it. */
NODISCARD ErrorCode ddl_created(Ddl *ddl, uint32_t object_id, Error *err);
/* Objects with what depends on them: an error that names it, or all goes (cascade). */
NODISCARD ErrorCode ddl_drop(Ddl *ddl, const uint32_t *ids, uint32_t count, bool cascade, Error *err);
/* A column with what depends on it. */
NODISCARD ErrorCode ddl_drop_column(Ddl *ddl, const TableDef *table, Str name, bool cascade, const TableDef **table_out, Error *err);
/* Views that read the object (or the column) get its new name. While the old name still holds. */
NODISCARD ErrorCode ddl_rename_in_views(Ddl *ddl, const ViewRename *rename, Error *err);
/* Checks, index expressions and predicates of the table that read the column get its new name. While the old name still holds. */
NODISCARD ErrorCode ddl_rename_column_in_texts(Ddl *ddl, const TableDef **table, uint16_t number, Str name, Error *err);
/* TRUNCATE ... RESTART IDENTITY */
NODISCARD ErrorCode ddl_restart_sequences(Ddl *ddl, const TableDef *table, Error *err);
void ddl_notice(Ddl *ddl, const char *sqlstate, const char *format, ...) PRINTF_LIKE(3, 4);
