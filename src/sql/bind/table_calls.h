/* SPDX-License-Identifier: Apache-2.0
 * table_calls.h - the table functions: names, argument counts and result columns. Read by the binder, run by sql/exec.
 *
 * Rel REL_TABLE_CALL: as.table_call.function is a TableCallId, args are the call's arguments (expressions without columns).
 * SHOW statements bind to the same rows. To add one: a row here, its columns, and a producer in sql/exec/op_table_call.c.
 * generate_series: two or three arguments; all INT8, or TIMESTAMP, TIMESTAMP, INT8 (microseconds); its column has the type of the
 * first argument (the type below is the usual one). unnest: a column of the elements' type for each argument. The pg_partition_
 * functions give no rows: no table is partitioned as PostgreSQL means it. */
#pragma once
#include "column/types.h"

/* id, name ("" = not callable by name, SHOW only), fewest and most arguments */
#define TABLE_CALLS(X)                                                                                                 \
    X(LONG_SEQUENCE, "long_sequence", 1, 3)                                                                            \
    X(GENERATE_SERIES, "generate_series", 2, 3)                                                                        \
    X(TABLES, "tables", 0, 0)                                                                                          \
    X(ALL_TABLES, "all_tables", 0, 0)                                                                                  \
    X(TABLE_COLUMNS, "table_columns", 1, 1)                                                                            \
    X(FUNCTIONS, "functions", 0, 0)                                                                                    \
    X(SHOW_CREATE_TABLE, "", 1, 1)                                                                                     \
    X(UNNEST, "unnest", 1, 100)                                                                                        \
    X(PARTITION_ANCESTORS, "pg_partition_ancestors", 1, 1)                                                             \
    X(PARTITION_TREE, "pg_partition_tree", 1, 1)

typedef enum TableCallId {
#define X(id, name, least, most) TABLE_CALL_##id,
    TABLE_CALLS(X)
#undef X
        TABLE_CALL_COUNT
} TableCallId;

typedef struct TableCallColumn { const char *name; uint8_t type; } TableCallColumn;
typedef struct TableCall {
    const char *name;
    uint8_t args_least, args_most;
    uint8_t column_count;
    TableCallColumn columns[16];
} TableCall;

static inline const TableCall *table_call_at(TableCallId id) {
    static const TableCall rows[TABLE_CALL_COUNT] = {
#define X(id, name, least, most) [TABLE_CALL_##id] = {name, least, most, TABLE_CALL_COLUMNS_##id},
#define TABLE_CALL_COLUMNS_LONG_SEQUENCE 1, {{"x", TYPE_INT8}}
#define TABLE_CALL_COLUMNS_GENERATE_SERIES 1, {{"generate_series", TYPE_INT8}}
#define TABLE_CALL_COLUMNS_TABLES                                                                                      \
    12, {{"id", TYPE_INT4}, {"table_name", TYPE_TEXT}, {"designatedTimestamp", TYPE_TEXT}, {"partitionBy", TYPE_TEXT}, \
         {"maxUncommittedRows", TYPE_INT4}, {"o3MaxLag", TYPE_INT8}, {"walEnabled", TYPE_BOOL},                        \
         {"directoryName", TYPE_TEXT}, {"dedup", TYPE_BOOL}, {"ttlValue", TYPE_INT4}, {"ttlUnit", TYPE_TEXT},          \
         {"matView", TYPE_BOOL}}
#define TABLE_CALL_COLUMNS_ALL_TABLES 1, {{"table_name", TYPE_TEXT}}
#define TABLE_CALL_COLUMNS_TABLE_COLUMNS                                                                               \
    9, {{"column", TYPE_TEXT}, {"type", TYPE_TEXT}, {"indexed", TYPE_BOOL}, {"indexBlockCapacity", TYPE_INT4},         \
        {"symbolCached", TYPE_BOOL}, {"symbolCapacity", TYPE_INT4}, {"symbolTableSize", TYPE_INT4},                    \
        {"designated", TYPE_BOOL}, {"upsertKey", TYPE_BOOL}}
#define TABLE_CALL_COLUMNS_FUNCTIONS                                                                                   \
    5, {{"name", TYPE_TEXT}, {"signature", TYPE_TEXT}, {"signature_translated", TYPE_TEXT},                            \
        {"runtime_constant", TYPE_BOOL}, {"type", TYPE_TEXT}}
#define TABLE_CALL_COLUMNS_SHOW_CREATE_TABLE 1, {{"ddl", TYPE_TEXT}}
#define TABLE_CALL_COLUMNS_UNNEST 1, {{"unnest", TYPE_TEXT}}
#define TABLE_CALL_COLUMNS_PARTITION_ANCESTORS 1, {{"relid", TYPE_REGCLASS}}
#define TABLE_CALL_COLUMNS_PARTITION_TREE                                                                              \
    4, {{"relid", TYPE_REGCLASS}, {"parentrelid", TYPE_REGCLASS}, {"isleaf", TYPE_BOOL}, {"level", TYPE_INT4}}
        TABLE_CALLS(X)
#undef X
#undef TABLE_CALL_COLUMNS_UNNEST
#undef TABLE_CALL_COLUMNS_PARTITION_ANCESTORS
#undef TABLE_CALL_COLUMNS_PARTITION_TREE
#undef TABLE_CALL_COLUMNS_LONG_SEQUENCE
#undef TABLE_CALL_COLUMNS_GENERATE_SERIES
#undef TABLE_CALL_COLUMNS_TABLES
#undef TABLE_CALL_COLUMNS_ALL_TABLES
#undef TABLE_CALL_COLUMNS_TABLE_COLUMNS
#undef TABLE_CALL_COLUMNS_FUNCTIONS
#undef TABLE_CALL_COLUMNS_SHOW_CREATE_TABLE
    };
    assert(id < TABLE_CALL_COUNT);
    return &rows[id];
}

/* TABLE_CALL_COUNT if there is none of that name. Any case. */
static inline TableCallId table_call_find(Str name) {
    for (int id = 0; id < TABLE_CALL_COUNT; id++) {
        Str row = str_from_c(table_call_at((TableCallId)id)->name);
        if (row.len > 0 && str_equal_ignore_case(row, name)) {
            return (TableCallId)id;
        }
    }
    return TABLE_CALL_COUNT;
}
