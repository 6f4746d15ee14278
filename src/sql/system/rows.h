/* SPDX-License-Identifier: Apache-2.0
 * rows.h - rows of a system relation while they are written: one call a value, in the order of the relation's columns.
 *
 * row_begin, put_… for each column from the first on, row_end (columns left over are NULL). Values of columns that the scan did not ask for are
 * dropped. Rows are kept in blocks of BLOCK_ROWS; no limit but memory. */
#pragma once
#include "column/vector.h"
#include "sql/system/system.h"

typedef struct SystemBlock { struct SystemBlock *next; uint32_t row_count; ColumnBuilder columns[]; } SystemBlock;

struct SystemRows {
    const TableDef *table;
    const bool *wanted;         /* one a column of the table */
    SystemBlock *first, *last;
    uint32_t block_count;
    uint64_t row_count;
    uint16_t column;            /* next to be written */
    Arena scratch;
};

void system_rows_init(SystemRows *rows, const TableDef *table, const bool *wanted);
void system_rows_deinit(SystemRows *rows);

void row_begin(SystemRows *rows);
void row_end(SystemRows *rows);
bool is_wanted(const SystemRows *rows);              /* the next column's values are read: what is dear to find may be left out else */
void put_null(SystemRows *rows);
void put_nulls(SystemRows *rows, uint32_t count);
void put_oid(SystemRows *rows, uint32_t value);      /* oid and the reg… types */
void put_bool(SystemRows *rows, bool value);
void put_int(SystemRows *rows, int64_t value);       /* int2, int4, int8, float4, float8, numeric, timestamptz: as the column is typed */
void put_text(SystemRows *rows, Str value);          /* text, name, varchar, json … */
void put_filled(SystemRows *rows, Str value);        /* same, but an empty one stands for null */
void put_c(SystemRows *rows, const char *value);     /* NUL-ended text; NULL = null */
void put_char(SystemRows *rows, char value);         /* "char" */
void put_yes(SystemRows *rows, bool value);          /* information_schema's YES / NO */
/* Arrays of text or name (also aclitem), of oids, of int2 (int2vector too). */
void put_texts(SystemRows *rows, const Str *values, uint32_t count);
void put_oids(SystemRows *rows, const uint32_t *values, uint32_t count);
void put_int2s(SystemRows *rows, const int16_t *values, uint32_t count);
