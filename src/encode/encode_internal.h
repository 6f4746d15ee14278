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
/* The escaped text if it is cached; data NULL: not yet. */
static inline Str encode__symbol_cached(const SymbolCache *cache, int32_t code) {
    return (uint32_t)code < cache->capacity ? cache->texts[code] : (Str){0};
}

/* "2024-01-05T09:00:00.000000Z"; digits 3, 6 or 9, value in units of 10^-digits seconds. At most TIMESTAMP_TEXT_MAX bytes. */
size_t encode__iso_time(DateCache *cache, char *out, int64_t value, int digits);

/* ---- the row loop's writer ----
 * Room for the worst case of a row's bounded fields is reserved once a row; fields without a bound (long texts, arrays) go through the
 * buffer's own calls and reserve again after that. A buffer past its limit writes into nowhere: `at` is NULL and rows are given up. */
enum {
    FIELD_BYTES_MAX = VALUE_TEXT_MAX + 4,   /* any fixed-width value, quotes and comma */
    SHORT_TEXT_MAX = 64,                    /* texts up to this length are escaped in place */
    SHORT_TEXT_BYTES = 6 * SHORT_TEXT_MAX + 20
};
typedef struct RowWriter {
    Encoder *encoder;
    Buffer *out;
    char *at, *end;         /* free room of out */
    size_t row_bytes;       /* worst case of a row */
    DateCache dates;
} RowWriter;

/* Makes room for a row at w->at. false: the buffer is over its limit. */
bool encode__reserve(RowWriter *w);
/* A value of PostgreSQL's types alone, as the text that PostgreSQL prints. false: no room. */
bool encode__made_text(RowWriter *w, void (*append)(Buffer *out, Str text), Type type, const void *value);
void encode__writer_begin(RowWriter *w, Encoder *encoder, const Cell *cells, Buffer *out);
static inline bool encode__row_room(RowWriter *w) {
    return LIKELY((size_t)(w->end - w->at) >= w->row_bytes) || encode__reserve(w);
}
/* Hands what was written to the buffer, for its own calls; encode__reserve takes it back. */
static inline void encode__sync(RowWriter *w) {
    w->out->len = (size_t)(w->at - (char *)w->out->data);
}
static inline void encode__put(RowWriter *w, Str text) {
    memcpy(w->at, text.data, text.len);
    w->at += text.len;
}
/* A symbol's escaped text: from the cache into the row's room, else through the buffer. false: the buffer is full. */
static inline bool encode__put_symbol(RowWriter *w, SymbolCache *cache, int32_t code, TextEscaper escape) {
    Str cached = encode__symbol_cached(cache, code);
    if (LIKELY(cached.data != NULL && cached.len <= SHORT_TEXT_BYTES - 4)) {
        encode__put(w, cached);
        return true;
    }
    encode__sync(w);
    w->at = NULL;
    encode__symbol(w->encoder, cache, code, escape, w->out);
    return encode__reserve(w);
}
/* Writes the batch's live rows by put_row (false: the buffer is full). Inline, so that put_row is. */
typedef bool (*RowPut)(RowWriter *w, const Cell *cells, size_t row);
static inline ErrorCode encode__rows(Encoder *encoder, Batch *batch, const uint16_t *columns, RowPut put_row, Buffer *out, Error *err) {
    Cell *cells;
    RowWriter w;
    TRY(encode__cells(encoder, batch, columns, &cells, err));
    encode__writer_begin(&w, encoder, cells, out);
    for (size_t row = 0; row < batch->row_count; row++) {
        if ((batch->live == NULL || bit_get(batch->live, row)) && !put_row(&w, cells, row)) {
            break;
        }
    }
    if (w.at != NULL) {
        encode__sync(&w);
    }
    return buffer_check(out, err);
}
/* -, digits: two at a time. Room for INT64_TEXT_MAX. */
static inline char *encode__int(char *out, int64_t value) {
    static const char PAIRS[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051"
                                   "525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[20];
    char *p = digits + sizeof digits;
    while (rest >= 100) {
        p -= 2;
        memcpy(p, PAIRS + rest % 100 * 2, 2);
        rest /= 100;
    }
    if (rest >= 10) {
        p -= 2;
        memcpy(p, PAIRS + rest * 2, 2);
    } else {
        *--p = (char)('0' + rest);
    }
    if (value < 0) {
        *out++ = '-';
    }
    size_t len = (size_t)(digits + sizeof digits - p);
    memcpy(out, p, len);
    return out + len;
}
int64_t encode__load_int(TypeId id, const void *value); /* BYTE INT2 INT4 INT8 */

/* ---- JSON strings, 8 bytes at a time: exact tests for "some byte is below 0x20, a quote or a backslash" ---- */
static inline uint64_t json__needs_escape(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = UINT64_C(0x8080808080808080);
    uint64_t control = (word - ones * 0x20) & ~word & highs;
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
    return control | ((quote - ones) & ~quote & highs) | ((slash - ones) & ~slash & highs);
}
char *json__escape(char *out, unsigned char c); /* at most 6 bytes */
