/* SPDX-License-Identifier: Apache-2.0
 * segment.h - immutable column files: all columns of some rows of one table, in blocks of at most 65,536 rows, sorted by the
 * designated timestamp where the table has one.
 *
 * Layout:  a block file of kind S (blockfile.h). One block per row block and column: kind 1, key = column id << 32 | row block,
 *          payload = codec.h bytes, extra = statistics. Per symbol column one block of kind 2: the codes that occur and the last
 *          row of each. The section names table, columns, sort column, rows per block. docs/format/segment.md.
 * Threads: a Segment is immutable after open and may be read by any number of threads, each with its own SegmentBuffer. */
#pragma once
#include "blockfile/blockfile.h"
#include "codec/codec.h"

enum { SEGMENT_BLOCK_COLUMN = 1, SEGMENT_BLOCK_SYMBOLS = 2 };
enum { SEGMENT_SYMBOLS_MAX = 65536 };             /* more distinct codes in one segment: no symbol block for the column */
enum { SEGMENT_COLUMN_BEGIN = UINT32_MAX };       /* id of the hidden column of begin stamps */

typedef struct SegmentColumn { uint32_t id; Type type; } SegmentColumn;

/* ---- writer ---- */
typedef struct SegmentOptions {
    const char *path;
    uint64_t file_id, engine_id, salt, lsn;
    uint32_t table_id;
    const SegmentColumn *columns;                  /* copied */
    uint16_t column_count;
    int16_t sort_column;                           /* index into columns, -1 = arrival order */
    CodecOptions codec;
    EncodeScratch *scratch;                        /* of the calling thread */
    Buffer *encode_buffer, *write_buffer;          /* reused from file to file; NULL = the writer's own */
    bool no_folder_sync;
} SegmentOptions;
typedef struct SegmentSummary {
    uint64_t bytes, row_count;
    uint32_t crc, block_count;
    int64_t min_sort, max_sort;                    /* of the sort column; 0 without one */
} SegmentSummary;
typedef struct SegmentWriter SegmentWriter;
NODISCARD ErrorCode segment_writer_open(Io *io, const SegmentOptions *options, SegmentWriter **writer_out, Error *err);
/* One row block: a ColumnBlock per column, all of the same 1..65,536 rows; sorted by the sort column across calls (asserted). */
NODISCARD ErrorCode segment_writer_block(SegmentWriter *writer, const ColumnBlock *columns, Error *err);
/* Directory, section and footer; syncs and gives the file its name. After an error there is no file. */
NODISCARD ErrorCode segment_writer_finish(SegmentWriter *writer, SegmentSummary *summary_out, Error *err); /* frees the writer */
void segment_writer_abort(SegmentWriter *writer);

/* ---- reader ---- */
typedef struct Segment Segment;
typedef struct SegmentBlockStats {
    BlockStats values;
    int64_t first_sort, last_sort;                 /* of the row block: first and last value of the sort column */
} SegmentBlockStats;
NODISCARD ErrorCode segment_open(Io *io, const char *path, const BlockFileExpect *expect, Segment **segment_out, Error *err);
void segment_close(Segment *segment);
const char *segment_path(const Segment *segment);
uint64_t segment_file_id(const Segment *segment);
uint64_t segment_bytes(const Segment *segment);
uint64_t segment_row_count(const Segment *segment);
uint32_t segment_block_count(const Segment *segment);
uint32_t segment_block_rows(const Segment *segment, uint32_t block);
uint64_t segment_block_first_row(const Segment *segment, uint32_t block); /* offset of its row 0 in the segment */
uint16_t segment_column_count(const Segment *segment);
SegmentColumn segment_column(const Segment *segment, uint16_t index);
int segment_column_index(const Segment *segment, uint32_t column_id);      /* -1: older than the column */
int segment_sort_column(const Segment *segment);
/* Sort range of a row block (min = first, max = last); false without a sort column. */
bool segment_block_range(const Segment *segment, uint32_t block, int64_t *first_out, int64_t *last_out);
/* Lives as long as the segment; decoded from the directory on each call (about 100 ns). */
void segment_block_stats(const Segment *segment, uint32_t block, uint16_t column, SegmentBlockStats *stats_out);
uint32_t segment_block_bytes(const Segment *segment, uint32_t block, uint16_t column);

/* Reads and checks one encoded column block into the buffer and opens its decoder. The decoder lives until the buffer's next use. */
typedef struct SegmentBuffer { uint8_t *data; size_t capacity; } SegmentBuffer;
void segment_buffer_deinit(SegmentBuffer *buffer);
NODISCARD ErrorCode segment_read_block(const Segment *segment, uint32_t block, uint16_t column, SegmentBuffer *buffer, BlockDecoder *decoder_out,
                                       Error *err);
/* The same through the cache: the block stays in memory, checked, for the next reader. The decoder lives until *pin is released. */
NODISCARD ErrorCode segment_read_block_cached(const Segment *segment, uint32_t block, uint16_t column, BlockCache *cache, BlockPin *pin_out,
                                              BlockDecoder *decoder_out, Error *err);
/* One row of a block that is open through the cache (codec_row). A granule that must be unpacked first is kept in the cache too, and in *unpacked
 * (zeroed at first; released by the caller) for the next row. found_out false: the granule must be decoded. */
typedef struct UnpackedGranule { BlockPin pin; uint32_t granule; } UnpackedGranule;
NODISCARD ErrorCode segment_row_cached(const Segment *segment, uint32_t block, uint16_t column, BlockCache *cache, const BlockDecoder *decoder,
                                       uint32_t row, UnpackedGranule *unpacked, RowValue *row_out, bool *found_out, Error *err);
/* Codes that occur in a symbol column (ascending) and the last row (offset in the segment) of each. found_out false: not stored.
 * Points into the pin; release with block_cache_release. */
typedef struct SegmentSymbols { uint32_t count; const uint32_t *codes, *last_rows; BlockPin pin; } SegmentSymbols;
NODISCARD ErrorCode segment_symbols(const Segment *segment, uint16_t column, BlockCache *cache, bool *found_out, SegmentSymbols *symbols_out, Error *err);
bool segment_symbols_find(const SegmentSymbols *symbols, uint32_t code, uint32_t *last_row_out);

/* Every block read, decoded, and compared with its statistics. ERR_DAMAGED names path, block and column. */
NODISCARD ErrorCode segment_check(Io *io, const char *path, const BlockFileExpect *expect, Error *err);
NODISCARD ErrorCode segment_dump(Io *io, const char *path, Buffer *out, Error *err);
