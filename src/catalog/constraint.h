/* SPDX-License-Identifier: Apache-2.0
 * constraint.h - indexes and constraints of a table: arrays of its TableDef, versioned with it.
 *
 * Columns go by id, because numbers move when a column is dropped. Texts are SQL in the dialect that stands beside them. Ids come from
 * the one counter of catalog objects. A foreign key is kept with the referencing table; the other side is found by a reverse look-up.
 * Values of index expressions and of predicates are columns too: the table's computed columns, stored but never shown. */
#pragma once
#include "column/types.h"

enum { INDEXES_MAX = 255, CONSTRAINTS_MAX = 1000, INDEX_KEYS_MAX = 32 };

typedef struct IndexKeyDef {
    uint32_t column_id;          /* a column, or the computed column that holds the expression's value */
    Str text;                    /* SQL of the expression; empty: a plain column */
    Str operator_class;          /* as declared; empty if unsaid */
    bool descending, nulls_first;
} IndexKeyDef;

typedef struct IndexDef {
    uint32_t id;
    Str name, method;            /* "btree", "hash": as declared */
    IndexKeyDef *keys;
    uint16_t key_count;
    uint32_t *include_ids;       /* INCLUDE (…): stored here only to be shown */
    uint16_t include_count;
    bool is_unique, is_primary;
    bool nulls_not_distinct;
    bool internal;               /* serves a foreign key: never shown, goes with it */
    bool valid;                  /* always true so far */
    uint8_t dialect;             /* of the texts */
    Str predicate_text;          /* WHERE of a partial index; empty = all rows */
    uint32_t predicate_column_id; /* computed column with its value; 0 = all rows */
    uint32_t constraint_id;      /* of the PRIMARY KEY or UNIQUE that it serves, or the FOREIGN KEY if internal; 0 = made by CREATE INDEX */
} IndexDef;

/* Letters of pg_constraint. */
typedef enum ConstraintKind { CONSTRAINT_CHECK = 'c', CONSTRAINT_FOREIGN_KEY = 'f', CONSTRAINT_PRIMARY_KEY = 'p', CONSTRAINT_UNIQUE = 'u' } ConstraintKind;
typedef enum ForeignAction { FOREIGN_NO_ACTION = 'a', FOREIGN_RESTRICT = 'r', FOREIGN_CASCADE = 'c', FOREIGN_SET_NULL = 'n', FOREIGN_SET_DEFAULT = 'd' } ForeignAction;
typedef enum ForeignMatch { MATCH_SIMPLE = 's', MATCH_FULL = 'f', MATCH_PARTIAL = 'p' } ForeignMatch;

typedef struct ConstraintDef {
    uint32_t id;
    Str name;
    uint8_t kind;                /* ConstraintKind */
    uint8_t dialect;
    Str text;                    /* CHECK: the condition, without parentheses around it */
    uint32_t *column_ids;        /* in the order declared; CHECK: those that it reads */
    uint16_t column_count;
    uint32_t index_id;           /* PRIMARY KEY, UNIQUE: of this table; FOREIGN KEY: the referenced table's unique index */
    uint32_t child_index_id;     /* FOREIGN KEY: the index of this table by which referencing rows are found */
    uint32_t referenced_table_id;
    uint32_t *referenced_ids;    /* columns there, one per column */
    uint8_t on_delete, on_update; /* ForeignAction */
    uint8_t match;               /* ForeignMatch */
    bool deferrable, initially_deferred, no_inherit;
    bool validated;              /* false: NOT VALID, rows from before may break it */
} ConstraintDef;
