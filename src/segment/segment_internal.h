/* SPDX-License-Identifier: Apache-2.0
 * segment_internal.h - the section and the statistics of a block, as bytes. */
#pragma once
#include "segment/segment.h"

enum { SEGMENT_STATS_BYTES = 88, SEGMENT_SECTION_VERSION = 1, SEGMENT_BLOCKS_MAX = 1 << 20 };

struct Segment {
    BlockFile *file;
    uint32_t table_id;
    uint16_t column_count;
    int16_t sort_column;
    SegmentColumn *columns;
    uint32_t block_count;
    uint64_t *first_rows;              /* block_count + 1 */
    int64_t *ranges;                   /* first, last per block; NULL without a sort column */
    int32_t *symbol_blocks;            /* per column: index of its symbol block, -1 = none */
};

static inline uint64_t segment__key(uint32_t column_id, uint32_t block) { return (uint64_t)column_id << 32 | block; }
void segment__put_stats(uint8_t out[SEGMENT_STATS_BYTES], const SegmentBlockStats *stats);
void segment__get_stats(const uint8_t *in, SegmentBlockStats *stats_out);
void segment__put_section(Buffer *out, const SegmentOptions *options, const uint32_t *block_rows, uint32_t block_count);
NODISCARD ErrorCode segment__get_section(Segment *segment, Error *err);

/* Symbols met so far in one column of a segment being written (segment_symbols.c). */
typedef struct SymbolSet { uint32_t *last; size_t capacity; uint32_t distinct; bool too_many; } SymbolSet; /* last[code] = row + 1, 0 = absent */
void segment__symbols_add(SymbolSet *set, const ColumnBlock *block, uint64_t first_row);
void segment__symbols_write(const SymbolSet *set, Buffer *out);
