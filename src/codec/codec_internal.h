/* SPDX-License-Identifier: Apache-2.0
 * codec_internal.h - what the files of codec/ share: frame layout, packed integers, the scratch of one encoder. */
#pragma once
#include "codec/codec.h"

enum {
    CODEC_HEADER_BYTES = 16,
    CODEC_ALIGN = 64,            /* payload of a block, so that raw values are used in place */
    PACK_UNIT = 1024,            /* values a packed unit */
    PACK_WIDTH_BYTES = 128,      /* bytes of a unit per bit of width */
    VALID_BYTES = GRANULE_ROWS / 8,
    DICTIONARY_MAX = 16384,      /* entries; more distinct values end the attempt */
    SCALE_MAX = 8                /* decimal places a scaled double may have */
};
typedef enum NullKind { NULLS_NONE, NULLS_ALL, NULLS_BITMAP } NullKind;
enum { FRAME_NARROWED = 1 };     /* parameter of ENCODING_FRAME: 16-byte integers stored as eight */

/* ---- packed integers (packed.c over pack.c) ----
 * u8 width | u8 0 | u16 exceptions | u32 0 | units of 128 x width bytes | u16 position per exception, padded to 8 | u64 per exception */
typedef struct PackedPlan {
    uint8_t width;
    uint16_t exceptions;
    size_t bytes;
} PackedPlan;
PackedPlan codec__packed_plan(const uint64_t *values, uint32_t count, bool patches);
void codec__packed_write(Buffer *out, const uint64_t *values, uint32_t count, PackedPlan plan);
/* A packed list in place: checked, not yet read. */
typedef struct PackedView {
    uint32_t width, exceptions, count;
    const uint8_t *units, *positions, *patches;
    size_t bytes;                    /* all of it */
} PackedView;
NODISCARD bool codec__packed_view(Bytes in, uint32_t count, PackedView *view_out);
static inline uint32_t packed_position(const PackedView *view, uint32_t e) { return get_u16le(view->positions + (size_t)e * 2); }
static inline uint64_t packed_patch(const PackedView *view, uint32_t e) { return get_u64le(view->patches + (size_t)e * 8); }
/* The units without their exceptions; room for count rounded up to PACK_UNIT. width <= 32 for u32. */
void codec__packed_units_u32(const PackedView *view, uint32_t *out);
void codec__packed_units_u64(const PackedView *view, uint64_t *out);
/* Sum of the values from where it began up to `end` (rising from call to call); width <= 32. Begins as {.at = first place}. */
typedef struct PackedSum {
    uint64_t sum;
    uint32_t at, unit, patch;        /* next place; 1 + the unit in `values`; next exception */
    _Alignas(64) uint32_t values[PACK_UNIT];
} PackedSum;
uint64_t codec__packed_sum(const PackedView *view, uint32_t end, PackedSum *sum);
/* All values; false = damaged. */
NODISCARD bool codec__packed_read_u64(Bytes in, uint32_t count, uint64_t *out, size_t *used_out);
NODISCARD bool codec__packed_read_u32(Bytes in, uint32_t count, uint32_t *out, size_t *used_out);

/* One unit, lanes interleaved so that value order is kept and each row of lanes is one vector step: value i of a 32-bit unit lies in
 * lane i % 32 at row i / 32; of a 64-bit unit in lane i % 16 at row i / 16. width 0 writes nothing / reads zeroes. */
void codec__pack32(const uint32_t *in, uint32_t width, uint32_t *out);
void codec__pack64(const uint64_t *in, uint32_t width, uint64_t *out);

static inline uint32_t bit_width(uint64_t v) { return v == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(v); }
static inline uint32_t granule_rows_of(uint32_t row_count, uint32_t granule) {
    uint32_t from = granule * GRANULE_ROWS;
    return row_count - from < GRANULE_ROWS ? row_count - from : GRANULE_ROWS;
}
static inline void buffer_align(Buffer *out, size_t alignment) {
    size_t over = out->len % alignment;
    if (over != 0) {
        buffer_append_fill(out, 0, alignment - over);
    }
}

/* ---- encoding ---- */
typedef struct DictionarySlot { uint64_t key; uint32_t code; uint32_t used; } DictionarySlot;
struct EncodeScratch {
    int64_t values[GRANULE_ROWS];        /* the granule widened, nulls filled */
    uint64_t packed[GRANULE_ROWS];       /* offsets or deltas on their way to the packer */
    uint32_t codes[BLOCK_ROWS];          /* dictionary code per row */
    DictionarySlot slots[4 * DICTIONARY_MAX];
    uint64_t entries[DICTIONARY_MAX];    /* dictionary values, or row numbers of first texts */
    Buffer granule, squeezed;
};

/* What one pass over the block found; decides the encoding. */
typedef struct BlockPlan {
    uint8_t encoding, nulls, parameter;
    uint32_t dictionary_count;
} BlockPlan;

/* The integer view of a granule: sign-extended, codes and times alike; rows under nulls repeat the value before them. */
void codec__widen(const ColumnBlock *block, uint32_t from, uint32_t count, int64_t *out);
bool codec__fits_int64(const ColumnBlock *block);           /* 16-byte integers all within int64 */
int codec__find_scale(const ColumnBlock *block);            /* decimal places, -1: not such doubles */
/* Distinct values (fixed: by bits; text: by bytes) into scratch->codes / entries; 0 = more than limit. */
uint32_t codec__dictionary_build(const ColumnBlock *block, EncodeScratch *scratch, uint32_t limit);

void codec__write_raw(const ColumnBlock *block, uint32_t from, uint32_t count, Buffer *out);
void codec__write_frame(const ColumnBlock *block, uint32_t from, uint32_t count, bool patches, EncodeScratch *scratch, Buffer *out);
void codec__write_delta(const ColumnBlock *block, uint32_t from, uint32_t count, EncodeScratch *scratch, Buffer *out);
void codec__write_runs(const ColumnBlock *block, uint32_t from, uint32_t count, EncodeScratch *scratch, Buffer *out);
void codec__write_scaled(const ColumnBlock *block, uint32_t from, uint32_t count, int scale, bool patches, EncodeScratch *scratch, Buffer *out);
void codec__write_text(const ColumnBlock *block, uint32_t from, uint32_t count, EncodeScratch *scratch, Buffer *out);
void codec__write_codes(uint32_t from, uint32_t count, uint32_t dictionary_count, EncodeScratch *scratch, Buffer *out);
void codec__write_dictionary(const ColumnBlock *block, uint32_t count, const EncodeScratch *scratch, Buffer *out);

/* ---- decoding ---- */
struct DecodeBuffer {
    uint8_t *values;                     /* GRANULE_ROWS x 16 */
    uint64_t *wide;                      /* GRANULE_ROWS x 8: packed integers on their way */
    uint16_t *index;
    uint8_t *raw;                        /* outer codec's output */
    size_t raw_bytes;
    uint64_t dictionary_identity;
    uint32_t dictionary_count;
    uint8_t *dictionary_bytes;           /* copy of the block's dictionary; texts point into it */
    size_t dictionary_room;
    void *dictionary_values;             /* values or StrRefs, padded to 64 */
    uint64_t zero_word;
    uint8_t constant[16];
};
static inline ErrorCode codec__damaged(Error *err, const char *what) {
    return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "encoded block is damaged: %s", what);
}
static inline int64_t codec__integer_at(Physical physical, const void *value) {
    switch (physical) {
    case PHYS_8: return *(const int8_t *)value;
    case PHYS_16: return *(const int16_t *)value;
    case PHYS_32: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}
/* The granule's bytes inside the outer codec where they are not compressed; squeezed: only its frame, to be unpacked first. */
NODISCARD bool codec__granule_stored(const BlockDecoder *decoder, uint32_t granule, Bytes *out, bool *squeezed_out);
/* A compressed granule into memory of its raw bytes. */
NODISCARD bool codec__unsqueeze(const BlockDecoder *decoder, Bytes in, void *memory, size_t bytes);
/* First place in a rising list of u16 whose position is not below `position`. */
uint32_t codec__lower_place(const uint8_t *positions, uint32_t count, uint32_t position);
NODISCARD bool codec__view_codes(GranuleView *view, Bytes in); /* a dictionary's; row_count and physical are set */
/* The values of a granule behind its validity; `unpacked`: its bytes where they are compressed, may be empty. false: not to be had in place. */
NODISCARD bool codec__granule_body(const BlockDecoder *decoder, uint32_t granule, Bytes unpacked, const uint64_t **valid_out, Bytes *out);
NODISCARD bool codec__view_body(const BlockDecoder *decoder, uint32_t granule, Bytes in, const uint64_t *valid, GranuleView *view_out);
bool codec__read_frame(Bytes in, Type type, uint32_t count, bool narrowed, DecodeBuffer *buffer);
bool codec__read_delta(Bytes in, Type type, uint32_t count, DecodeBuffer *buffer);
bool codec__read_runs(Bytes in, Type type, uint32_t count, DecodeBuffer *buffer);
bool codec__read_scaled(Bytes in, uint32_t count, int scale, DecodeBuffer *buffer);
bool codec__read_text(Bytes in, uint32_t count, DecodeBuffer *buffer);
bool codec__read_codes(Bytes in, uint32_t count, uint32_t dictionary_count, DecodeBuffer *buffer);
bool codec__numeric_slot_sane(const NumericSlot *slot);
bool codec__read_numeric(Bytes in, uint32_t count, DecodeBuffer *buffer);
bool codec__load_dictionary(BlockDecoder *decoder, DecodeBuffer *buffer);
extern const double codec__pow10[SCALE_MAX + 1];
