/* SPDX-License-Identifier: Apache-2.0
 * encode_internal.h - shared inside encode: a batch's columns ready to be read row by row, and the row loop's writer. */
#pragma once
#include "encode/encode.h"

/* One column of the batch at hand, whatever its form. */
typedef struct Cell {
    Type type;
    uint8_t width;             /* bytes a value, 0 = bits */
    bool constant;
    const uint8_t *data;
    const uint64_t *valid;     /* by place; NULL = none is null */
    const uint64_t *row_valid; /* by row, beside valid */
    const uint16_t *index;     /* row -> place, or NULL */
    SymbolCache *cache;        /* SYMBOL only */
} Cell;

/* The day of the last printed timestamp: rows come in time order, so the date part is nearly always the same. */
typedef struct DateCache {
    int64_t day;
    char text[11];             /* "2024-01-05T" */
    bool known;
} DateCache;

/* Fills cells for the batch; decodes ENCODED columns into the encoder's scratch arena. */
NODISCARD ErrorCode encode__cells(Encoder *encoder, Batch *batch, const uint16_t *columns, Cell **cells_out, Error *err);

static inline size_t encode__place(const Cell *cell, size_t row) {
    return cell->constant ? 0 : cell->index != NULL ? cell->index[row] : row;
}
static inline bool encode__is_null(const Cell *cell, size_t row, size_t place) {
    return (cell->valid != NULL && !bit_get(cell->valid, place)) || (cell->row_valid != NULL && !bit_get(cell->row_valid, row));
}

/* Escapes text into out; the escaper is json_append_text or csv_append_text. Kept by code while the cache has room. */
typedef void (*TextEscaper)(Buffer *out, Str text);
void encode__symbol(Encoder *encoder, SymbolCache *cache, int32_t code, TextEscaper escape, Buffer *out);

/* "2024-01-05T09:00:00.000000Z"; digits 3, 6 or 9, value in units of 10^-digits seconds. At most TIMESTAMP_TEXT_MAX bytes. */
size_t encode__iso_time(DateCache *cache, char *out, int64_t value, int digits);

/* Numbers that both JSON and CSV write alike (integers, floats in Java form); room for VALUE_TEXT_MAX. */
size_t encode__number(char *out, TypeId id, const void *value);

/* Bytes that need no reservation of their own: fields up to this length are covered by the row's reservation. */
enum { ENCODE_FIELD_MAX = 192 };
