/* SPDX-License-Identifier: Apache-2.0
 * codec.h - one column block (at most 65,536 rows) <-> bytes, readable granule by granule (4,096 rows).
 *
 * Encodings: raw, constant, run length, dictionary, frame of reference and delta (bit-packed in 1,024-value units, with patches),
 * doubles that are decimals of few places as scaled integers, text with packed lengths; lz4 or zstd over a granule on top.
 * Chosen per block from exact counts of one pass. Format: docs/format/codec.md. Every byte read is checked: damaged bytes give
 * ERR_DAMAGED, never a crash. Threads: a decoder, a DecodeBuffer and an EncodeScratch belong to one thread. */
#pragma once
#include "column/source.h"

typedef enum Encoding { ENCODING_RAW, ENCODING_CONSTANT, ENCODING_RUNS, ENCODING_DICTIONARY, ENCODING_FRAME, ENCODING_DELTA, ENCODING_SCALED, ENCODING_TEXT, ENCODING_COUNT } Encoding;
typedef enum OuterCodec { OUTER_NONE, OUTER_LZ4, OUTER_ZSTD, OUTER_AUTO /* options only */ } OuterCodec;

typedef struct CodecOptions {
    bool fast;        /* the log: one pass, raw / constant / frame / scaled / text only, no outer codec unless asked */
    uint8_t outer;    /* OuterCodec; zero = none. AUTO: kept only where it saves 1/8 of the granules */
    int8_t level;     /* zstd level, 0 = 3 */
} CodecOptions;

typedef struct EncodeScratch EncodeScratch; /* reusable working memory, a few hundred KiB */
EncodeScratch *encode_scratch_create(void);
void encode_scratch_destroy(EncodeScratch *scratch);

/* Appends the encoded block to out (its start is at out->len, which must be a multiple of 64 for in-place raw reading). Values under
 * nulls may be anything. Fails only when out's limit is hit. ~2-5 ns/value, fast ~1. */
NODISCARD ErrorCode codec_encode(const ColumnBlock *block, const CodecOptions *options, EncodeScratch *scratch, Buffer *out, Error *err);

/* Statistics of a block: rows, nulls, min, max, sum, NaN; integers, times, codes, DECIMAL8 in i64 / int128, floats as double-double. */
void codec_summarise(const ColumnBlock *block, BlockStats *stats_out);

typedef struct BlockDecoder {
    Type type;
    uint8_t encoding, outer, nulls, parameter;
    uint32_t row_count, granule_count;
    Bytes header;              /* dictionary, constant */
    const uint8_t *ends;       /* u32le per granule */
    Bytes payload;
    uint32_t dictionary_count;
    uint64_t identity;         /* hash of the dictionary once it was decoded: a DecodeBuffer keeps the last one it read */
} BlockDecoder;
/* bytes must stay alive and be 64-byte aligned. Checks the frame, not yet the granules. */
NODISCARD ErrorCode codec_decoder_open(Bytes bytes, Type type, BlockDecoder *decoder_out, Error *err);

/* One decoded granule: FLAT (data), CONSTANT (data = one value) or INDEXED (index into base). Lives until the buffer is used again. */
typedef struct GranuleData {
    uint8_t form;
    uint32_t row_count;
    const void *data;
    const uint64_t *valid;     /* NULL = no nulls */
    const uint16_t *index;
    Vector base;               /* INDEXED */
} GranuleData;
typedef struct DecodeBuffer DecodeBuffer;   /* values, texts and dictionary of one column's current granule; ~128 KiB once used */
DecodeBuffer *decode_buffer_create(void);
void decode_buffer_destroy(DecodeBuffer *buffer);
NODISCARD ErrorCode codec_decode_granule(BlockDecoder *decoder, uint32_t granule, DecodeBuffer *buffer, GranuleData *granule_out, Error *err);
/* Batch `window` (0..3) of a granule as a vector; *vector_out may point to granule->base. */
void granule_window(const GranuleData *granule, Type type, uint32_t window, Vector *vector_out);
/* ---- packed granules in place (view.c): for few rows of a granule, and for conditions ---- */
typedef struct GranuleView {
    uint32_t row_count, width, patch_count, double_count;
    uint8_t physical;
    bool steps;                /* a row is the sum of those before it: rows by number cost a pass over the granule */
    uint64_t base, least;
    double divisor;            /* scaled doubles */
    const uint64_t *valid;     /* NULL = no nulls */
    const uint8_t *units, *patch_positions, *patches, *double_positions, *doubles;
    size_t packed_bytes;
} GranuleView;
/* false: an encoding that cannot be read so, or damage (which decoding the granule will name). Lives as long as the block's bytes. */
bool codec_view_granule(const BlockDecoder *decoder, uint32_t granule, GranuleView *view_out);
/* Values of rows first + rows[i] (rising), in the column's physical form. Rows under nulls: any value. */
void codec_view_rows(const GranuleView *view, uint32_t first, const uint16_t *rows, uint32_t count, void *out);
/* Clears the bits of rows that fail `column op value` (NULLs fail); op is EQ..GE, value as in ScanFilter. false: not done. */
bool codec_view_filter(const GranuleView *view, FilterOp op, const void *value, uint64_t *rows);
/* ---- one row (row.c): for look-ups by key, at a cost that does not grow with the granule ---- */
typedef struct RowValue {
    _Alignas(16) uint8_t value[16]; /* in the column's physical form; a boolean in bit 0. Texts and wide numerics point into the granule's bytes or `wide` */
    Int128 wide;
    bool is_null;
} RowValue;
/* A granule under an outer codec is unpacked once for many rows: the bytes that takes, 0 = it lies there as it is. ERR_DAMAGED. */
NODISCARD ErrorCode codec_granule_packed(const BlockDecoder *decoder, uint32_t granule, size_t *bytes_out, Error *err);
NODISCARD ErrorCode codec_granule_unpack(const BlockDecoder *decoder, uint32_t granule, void *memory, size_t bytes, Error *err);
/* `unpacked`: from codec_granule_unpack where that is needed, 64-byte aligned, else empty. false: the granule must be decoded (or is damaged,
 * which decoding it will name). */
bool codec_row(const BlockDecoder *decoder, uint32_t granule, uint32_t row, Bytes unpacked, RowValue *row_out);
/* Human-readable one-liner of a block's frame ("frame, 65536 rows, no nulls, 98304 bytes"), for dump. */
void codec_describe(const BlockDecoder *decoder, size_t encoded_bytes, Buffer *out);
