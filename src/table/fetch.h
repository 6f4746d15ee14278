/* SPDX-License-Identifier: Apache-2.0
 * fetch.h - values of rows by their places: some hundred rows here and there, not a scan. */
#pragma once
#include "table/table_internal.h"

/* Readers of segment columns: the last granule of each column stays decoded (or unpacked, where single rows are read), so that neighbouring rows
 * cost one. */
typedef struct FetchColumn {
    const Segment *segment;
    uint32_t block;
    uint16_t place;
    int64_t granule_number;
    BlockPin pin;
    BlockDecoder decoder;
    DecodeBuffer *buffer;
    GranuleData granule;
    UnpackedGranule unpacked;
} FetchColumn;
typedef struct Fetcher {
    Table *table;
    const TableDef *def;
    const uint16_t *columns;     /* numbers; the caller's */
    uint16_t column_count;
    const void *const *known;    /* column -> the value of every row in it, of fixed width, or NULL; NULL = none is known */
    FetchColumn *readers;        /* one a column, made when first needed */
} Fetcher;
typedef struct FetchRow { Part *part; uint32_t offset; } FetchRow; /* part: pinned by the caller */
void table__fetcher_init(Fetcher *fetcher, Table *table, const TableDef *def, const uint16_t *columns, uint16_t column_count);
void table__fetcher_deinit(Fetcher *fetcher);
/* At most BATCH_ROWS rows into FLAT vectors of the arena, in the order given. No lock is held. */
NODISCARD ErrorCode table__fetch(Fetcher *fetcher, const FetchRow *rows, uint16_t row_count, Vector *vectors_out, Arena *arena, Error *err);
