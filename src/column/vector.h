/* SPDX-License-Identifier: Apache-2.0
 * vector.h - data as it moves: Vector (one column of at most 1,024 values), Batch (columns + live rows), ColumnBlock (bulk columns).
 *
 * Rules (docs/design/execution.md): (a) a batch is valid until its producer's next call; who keeps rows copies them. (b) Values under null or
 * dead rows are initialised bytes: kernels run over them. (c) Kernels may read and write up to the next multiple of 64 rows.
 * (d) A batch starts at a multiple of 1,024 of its block; partial ranges are a live mask. (e) facts are proven, never guessed. */
#pragma once
#include "base/memory.h"
#include "column/types.h"

enum { BATCH_ROWS = 1024, BATCH_WORDS = BATCH_ROWS / 64, GRANULE_ROWS = 4096, BLOCK_ROWS = 65536, COLUMNS_MAX = 2000 };

typedef enum VectorForm { VECTOR_FLAT, VECTOR_CONSTANT, VECTOR_INDEXED, VECTOR_ENCODED } VectorForm;
enum { FACT_NO_NULLS = 1, FACT_NO_NAN = 2 };

typedef struct Vector Vector;
/* Turns an ENCODED vector FLAT: fills data/valid from context. Called at most once per vector by vector_flat. */
typedef ErrorCode (*VectorDecode)(void *context, Vector *vector, Error *err);
/* Fills data/valid of *flat with the values of the rows named by flat->index (rising, flat->row_count of them), in arena memory. */
typedef ErrorCode (*VectorPick)(void *context, Vector *flat, Arena *arena, Error *err);

struct Vector {
    Type type;
    uint8_t form;             /* VectorForm */
    uint8_t facts;
    uint16_t row_count;       /* rows of the batch */
    uint32_t base_count;      /* INDEXED: values in base */
    const void *data;         /* FLAT: values (PHYS_BIT: words), 64-byte aligned, readable to the next 64 rows. CONSTANT: one value (bit: first word) */
    const uint64_t *valid;    /* 1 = not null; NULL = no nulls. CONSTANT: bit 0.
                               * INDEXED: one bit a row, beside the base's own nulls (outer joins); the index of such a row is still a place of base */
    const uint16_t *index;    /* INDEXED: row -> place in base */
    Vector *base;             /* INDEXED: FLAT values */
    VectorDecode decode;      /* ENCODED */
    void *decode_context;
    VectorPick pick;          /* ENCODED: for few rows; NULL: not offered */
    const SymbolTable *symbols; /* SYMBOL: the dictionary of the codes */
};

typedef struct RowPosition { uint32_t morsel, row; } RowPosition; /* total order of a source */
typedef struct RowRef { uint32_t part, offset; } RowRef;          /* a row's place in storage */

typedef struct Batch {
    uint16_t row_count, live_count, column_count;
    bool filtered;            /* of a scan: rows that fail its request's filters are not live (source.h) */
    const uint64_t *live;     /* NULL = all rows live; else one bit a row, zero past row_count */
    Vector *columns;
    RowPosition first;        /* of row 0 */
    const RowRef *refs;       /* where asked for (ScanRequest.want_refs), else NULL; one a row */
} Batch;

static inline bool bit_get(const uint64_t *words, size_t i) { return (words[i / 64] >> (i % 64)) & 1; }
static inline void bit_set(uint64_t *words, size_t i) { words[i / 64] |= UINT64_C(1) << (i % 64); }
static inline void bit_clear(uint64_t *words, size_t i) { words[i / 64] &= ~(UINT64_C(1) << (i % 64)); }
static inline size_t words_for(size_t bits) { return (bits + 63) / 64; }
static inline uint64_t tail_mask(size_t rows) { return rows % 64 == 0 ? ~UINT64_C(0) : (UINT64_C(1) << (rows % 64)) - 1; }
/* Number of set bits, in plain arithmetic: without the CPU's instruction the builtin is a call. */
static inline uint32_t word_bits(uint64_t word) {
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}
uint32_t bits_count(const uint64_t *words, size_t bits);

/* Any form -> FLAT (CONSTANT is expanded too), in arena memory. Does nothing on FLAT. Cost: one decode or gather. */
NODISCARD ErrorCode vector_flat(Vector *vector, Arena *arena, Error *err);
/* ENCODED / INDEXED -> FLAT; FLAT and CONSTANT stay: what kernels accept. */
NODISCARD ErrorCode vector_dense(Vector *vector, Arena *arena, Error *err);
bool vector_is_null(const Vector *vector, size_t row);           /* not ENCODED */
const void *vector_value(const Vector *vector, size_t row);      /* not ENCODED, not PHYS_BIT; address of the value */
bool vector_bool(const Vector *vector, size_t row);              /* PHYS_BIT; false if null */
Str vector_text(const Vector *vector, size_t row);               /* PHYS_STR or SYMBOL */
Numeric vector_numeric(const Vector *vector, size_t row);        /* NUMERIC, DECIMAL8, DECIMAL16 */
/* Fresh FLAT vector with room for BATCH_ROWS, data zeroed only if asked; valid = NULL. */
Vector vector_new(Arena *arena, Type type);
Vector vector_new_rows(Arena *arena, Type type, uint16_t row_count); /* room for row_count rows up to the next multiple of 64, zeroed */
void *vector_data(Vector *vector);                                /* writable data of a vector made by vector_new */
uint64_t *vector_valid(Vector *vector, Arena *arena);             /* writable validity, made all-valid on first call */
void vector_set_null(Vector *vector, Arena *arena, size_t row);
/* All rows NULL / the same value, as CONSTANT. */
Vector vector_null(Type type, uint16_t row_count);
NumericSlot numeric_to_slot(Numeric value, Arena *arena);

/* live_count <= 1/4 of row_count: one shared index, every column INDEXED, row_count = live_count, live = NULL. No value moves. ENCODED columns
 * that offer it stay ENCODED and unpack the rows that are left when somebody looks. */
NODISCARD ErrorCode batch_compact(Batch *batch, Arena *arena, Error *err);
/* Restricts live to mask (BATCH_WORDS words) and recounts. */
void batch_filter(Batch *batch, const uint64_t *mask, Arena *arena);
/* Keeps `take` live rows behind the first `skip` live ones (LIMIT, result windows). */
void batch_limit(Batch *batch, uint32_t skip, uint32_t take, Arena *arena);

/* ---- bulk columns: what doors fill and storage takes; also one block of a codec ---- */
typedef struct ColumnBlock {
    Type type;
    uint32_t row_count;      /* <= BLOCK_ROWS */
    const void *data;        /* FLAT values, padded to a multiple of 64 rows; SYMBOL: codes of the table's dictionary */
    const uint64_t *valid;   /* NULL = no nulls */
} ColumnBlock;

/* Growing column: append values one by one, then view as a ColumnBlock. Text bytes are copied into the builder's heap.
 * Reused after column_builder_clear (memory kept). At most BLOCK_ROWS rows. */
typedef struct ColumnBuilder {
    Type type;
    uint32_t row_count, capacity;
    void *data;
    uint64_t *valid;
    void *memory;               /* both lie in it */
    uint32_t null_count;
    Arena heap;
} ColumnBuilder;
void column_builder_init(ColumnBuilder *builder, Type type);
void column_builder_deinit(ColumnBuilder *builder);
void column_builder_clear(ColumnBuilder *builder);
void column_builder_null(ColumnBuilder *builder);
void column_builder_nulls(ColumnBuilder *builder, uint32_t count);          /* back-fill for a column that appears late */
void column_builder_value(ColumnBuilder *builder, const void *value);       /* fixed width, from any alignment */
void column_builder_bool(ColumnBuilder *builder, bool value);
void column_builder_text(ColumnBuilder *builder, Str text);                 /* PHYS_STR; copied */
void column_builder_batch(ColumnBuilder *builder, const Vector *vector, const uint64_t *live, uint16_t row_count); /* copies live rows; vector FLAT/CONSTANT/INDEXED */
void column_builder_truncate(ColumnBuilder *builder, uint32_t row_count);   /* drop rows from the end */
ColumnBlock column_builder_block(const ColumnBuilder *builder);             /* valid until the next append or clear */
