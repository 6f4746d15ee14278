/* SPDX-License-Identifier: Apache-2.0
 * array_sql.h - SQL text over array_source.h's tables: parse, bind, plan, run, and the rows as text. */
#pragma once
#include "array_source.h"
#include "sql/exec/exec.h"

typedef struct ArraySql {
    ArrayStorage *storage;
    CatalogView view;
    FunctionEnvironment environment;
    Random random;
    bool questdb;
    uint32_t passes_off;
    WorkerPool *pool;
    int workers;
    size_t memory_limit;
    QueryControl *control;
    uint32_t stop_after;        /* batches, then the run is closed; 0 = never */
    const Value *params;
    uint32_t param_count;
    const Type *param_types;
} ArraySql;

void array_sql_init(ArraySql *sql, ArrayStorage *storage);
/* Rows as lines of values with '|' between, NULL as "null"; DML: "rows N". Sorted lines if sorted. The error's code is returned. */
NODISCARD ErrorCode array_sql_run(ArraySql *sql, const char *text, bool sorted, Buffer *out, Error *err);
