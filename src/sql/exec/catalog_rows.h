/* SPDX-License-Identifier: Apache-2.0
 * catalog_rows.h - rows about the catalog: tables(), table_columns(), SHOW CREATE TABLE, functions(). */
#pragma once
#include "sql/exec/exec_internal.h"

enum { CATALOG_COLUMNS_MAX = 16 };
typedef struct CatalogRows {
    ColumnBuilder columns[CATALOG_COLUMNS_MAX];
    uint32_t column_count;
} CatalogRows;

/* Rows of one table function of table_calls.h as the run's catalog sees them now. table_name: its argument, if it has one. */
NODISCARD ErrorCode catalog_rows_make(CatalogRows *rows, Run *run, uint32_t function, Str table_name, Error *err);
void catalog_rows_deinit(CatalogRows *rows);
/* Up to BATCH_ROWS rows from `from` (a multiple of BATCH_ROWS); 0 at the end. The vectors point into rows. */
uint16_t catalog_rows_batch(const CatalogRows *rows, uint32_t from, Vector *columns_out);
