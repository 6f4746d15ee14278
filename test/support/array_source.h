/* SPDX-License-Identifier: Apache-2.0
 * array_source.h - tables of plain arrays as a Storage, for tests of the executor: any batch size, any vector form, any number of morsels.
 *
 * A table is made of columns of int64, double, text or symbol values with nulls; rows are in time order if a column is designated. */
#pragma once
#include "catalog/catalog.h"

typedef enum ArrayForm { ARRAY_FLAT, ARRAY_INDEXED, ARRAY_CONSTANT_RUNS, ARRAY_ENCODED, ARRAY_FORM_COUNT } ArrayForm;

typedef struct ArraySymbols {
    SymbolTable table;
    Str *texts;
    int32_t count, capacity;
    Arena *arena;
} ArraySymbols;
ArraySymbols *array_symbols_new(Arena *arena);

/* One column, values by row; text for PHYS_STR columns. */
typedef struct ArrayColumn {
    const char *name;
    Type type;
    int64_t *ints;          /* all integer, time, bool and symbol types */
    double *floats;
    Str *texts;
    bool *nulls;            /* NULL = none */
    ArraySymbols *symbols;
} ArrayColumn;

typedef struct ArrayTable {
    TableDef def;
    ArrayColumn *columns;
    uint16_t column_count;
    uint32_t row_count, row_capacity;
    bool *ended;            /* rows deleted */
} ArrayTable;

typedef struct ArrayStorage {
    Storage storage;
    Arena *arena;
    ArrayTable *tables[8];
    uint32_t table_count;
    ArrayForm form;
    uint16_t batch_rows;        /* rows a batch; a multiple of 1 up to BATCH_ROWS */
    uint32_t morsel_rows;       /* rows a morsel */
    bool stats, latest;         /* what is offered */
    bool dead_rows;             /* every third row of a batch is a dead copy of its neighbour */
    uint64_t appended;
    uint32_t fail_read_at;      /* the n-th read fails with ERR_IO; 0 = never */
    uint32_t reads;
    int open_scans, open_cursors;
} ArrayStorage;

void array_storage_init(ArrayStorage *storage, Arena *arena);
/* designated: column number or -1. The columns' arrays must have room for row_capacity rows. */
ArrayTable *array_table_add(ArrayStorage *storage, const char *name, ArrayColumn *columns, uint16_t column_count, uint32_t row_count,
                            uint32_t row_capacity, int16_t designated);
