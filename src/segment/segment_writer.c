/* SPDX-License-Identifier: Apache-2.0
 * segment_writer.c - row blocks in, one block file out.
 *
 * Invariants: every column gives the same rows; sort values never go back; statistics are computed from the very values encoded. */
#include "segment/segment_internal.h"

struct SegmentWriter {
    SegmentOptions options;
    SegmentColumn *columns;
    BlockWriter *file;
    SymbolSet *symbols;                /* one per column, used for SYMBOL columns */
    uint32_t *block_rows;
    uint32_t block_count, block_capacity;
    uint64_t row_count;
    int64_t min_sort, max_sort;
    Buffer own_encode;
    Buffer *encode;
};

static void writer_free(SegmentWriter *writer) {
    for (uint16_t c = 0; c < writer->options.column_count; c++) {
        mem_free(writer->symbols[c].last);
    }
    buffer_deinit(&writer->own_encode);
    mem_free(writer->symbols);
    mem_free(writer->columns);
    mem_free(writer->block_rows);
    mem_free(writer);
}

ErrorCode segment_writer_open(Io *io, const SegmentOptions *options, SegmentWriter **writer_out, Error *err) {
    assert(options->column_count > 0);
    assert(options->sort_column < (int)options->column_count);
    SegmentWriter *writer = mem_calloc(1, sizeof *writer);
    writer->options = *options;
    writer->columns = mem_alloc(options->column_count * sizeof *writer->columns);
    memcpy(writer->columns, options->columns, options->column_count * sizeof *writer->columns);
    writer->options.columns = writer->columns;
    writer->symbols = mem_calloc(options->column_count, sizeof *writer->symbols);
    buffer_init(&writer->own_encode, BLOCKFILE_BLOCK_BYTES_MAX);
    writer->encode = options->encode_buffer != NULL ? options->encode_buffer : &writer->own_encode;
    BlockFileOptions file = {.path = options->path, .kind = BLOCKFILE_SEGMENT, .file_id = options->file_id, .engine_id = options->engine_id,
                             .salt = options->salt, .lsn = options->lsn, .scratch = options->write_buffer, .no_folder_sync = options->no_folder_sync};
    ErrorCode code = blockfile_writer_open(io, &file, &writer->file, err);
    if (code != ERR_OK) {
        writer_free(writer);
        return code;
    }
    *writer_out = writer;
    return ERR_OK;
}

static int64_t sort_value(const ColumnBlock *block, uint32_t row) {
    return type_physical((TypeId)block->type.id) == PHYS_32 ? ((const int32_t *)block->data)[row] : ((const int64_t *)block->data)[row];
}

static void sort_range(SegmentWriter *writer, const ColumnBlock *columns, SegmentBlockStats *stats) {
    if (writer->options.sort_column < 0) {
        return;
    }
    const ColumnBlock *sort = &columns[writer->options.sort_column];
    stats->first_sort = sort_value(sort, 0);
    stats->last_sort = sort_value(sort, sort->row_count - 1);
    assert(stats->first_sort <= stats->last_sort);
    assert(writer->row_count == 0 || writer->max_sort <= stats->first_sort);
}

static ErrorCode write_column(SegmentWriter *writer, uint16_t column, const ColumnBlock *block, SegmentBlockStats *stats, Error *err) {
    buffer_clear(writer->encode);
    TRY(codec_encode(block, &writer->options.codec, writer->options.scratch, writer->encode, err));
    codec_summarise(block, &stats->values);
    uint8_t extra[SEGMENT_STATS_BYTES];
    segment__put_stats(extra, stats);
    BlockSpec spec = {.kind = SEGMENT_BLOCK_COLUMN, .key = segment__key(writer->columns[column].id, writer->block_count),
                      .extra = bytes_from(extra, sizeof extra)};
    IoVec part = {writer->encode->data, writer->encode->len};
    TRY(blockfile_writer_add(writer->file, &spec, &part, 1, NULL, err));
    if (block->type.id == TYPE_SYMBOL) {
        segment__symbols_add(&writer->symbols[column], block, writer->row_count);
    }
    return ERR_OK;
}

static void note_block(SegmentWriter *writer, uint32_t rows, const SegmentBlockStats *stats) {
    if (writer->block_count == writer->block_capacity) {
        writer->block_capacity = writer->block_capacity == 0 ? 16 : writer->block_capacity * 2;
        writer->block_rows = mem_realloc(writer->block_rows, writer->block_capacity * sizeof *writer->block_rows);
    }
    writer->block_rows[writer->block_count++] = rows;
    writer->min_sort = writer->row_count == 0 ? stats->first_sort : writer->min_sort;
    writer->max_sort = stats->last_sort;
    writer->row_count += rows;
}

ErrorCode segment_writer_block(SegmentWriter *writer, const ColumnBlock *columns, Error *err) {
    uint32_t rows = columns[0].row_count;
    assert(rows > 0);
    assert(rows <= BLOCK_ROWS);
    if (writer->block_count == SEGMENT_BLOCKS_MAX || writer->row_count + rows > UINT32_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a segment holds at most %u rows", UINT32_MAX);
    }
    SegmentBlockStats stats = {0};
    sort_range(writer, columns, &stats);
    for (uint16_t c = 0; c < writer->options.column_count; c++) {
        assert(columns[c].row_count == rows);
        assert(columns[c].type.id == writer->columns[c].type.id);
        TRY(write_column(writer, c, &columns[c], &stats, err));
    }
    note_block(writer, rows, &stats);
    return ERR_OK;
}

static ErrorCode write_symbols(SegmentWriter *writer, Error *err) {
    for (uint16_t c = 0; c < writer->options.column_count; c++) {
        const SymbolSet *set = &writer->symbols[c];
        if (writer->columns[c].type.id != TYPE_SYMBOL || set->too_many) {
            continue;
        }
        buffer_clear(writer->encode);
        segment__symbols_write(set, writer->encode);
        BlockSpec spec = {.kind = SEGMENT_BLOCK_SYMBOLS, .key = segment__key(writer->columns[c].id, 0)};
        IoVec part = {writer->encode->data, writer->encode->len};
        TRY(blockfile_writer_add(writer->file, &spec, &part, 1, NULL, err));
    }
    return ERR_OK;
}

ErrorCode segment_writer_finish(SegmentWriter *writer, SegmentSummary *summary_out, Error *err) {
    ErrorCode code;
    BlockFileSummary file;
    TRY_OR(failed, write_symbols(writer, err));
    buffer_clear(writer->encode);
    segment__put_section(writer->encode, &writer->options, writer->block_rows, writer->block_count);
    TRY_OR(failed, buffer_check(writer->encode, err));
    blockfile_writer_set_section(writer->file, buffer_bytes(writer->encode));
    code = blockfile_writer_finish(writer->file, &file, err);
    if (code == ERR_OK) {
        *summary_out = (SegmentSummary){.bytes = file.bytes, .row_count = writer->row_count, .crc = file.crc, .block_count = writer->block_count,
                                        .min_sort = writer->min_sort, .max_sort = writer->max_sort};
    }
    writer_free(writer);
    return code;
failed:
    segment_writer_abort(writer);
    return code;
}

void segment_writer_abort(SegmentWriter *writer) {
    if (writer != NULL) {
        blockfile_writer_abort(writer->file);
        writer_free(writer);
    }
}
