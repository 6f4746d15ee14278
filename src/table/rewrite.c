/* SPDX-License-Identifier: Apache-2.0
 * rewrite.c - the rows of a scan, in its order, into segments of at most SEGMENT_ROWS_CUT rows; where each row went is noted.
 *
 * Why:     flush, merge and bulk by reference are one operation with different inputs: memory parts, segments, a transaction's rows.
 * Blocks:  a row block is closed when the next batch would not fit; batches of full windows fill it exactly.
 * Threads: no lock is held; the inputs are pinned by the scan.
 * Tests:   test/unit/engine/test_segments.c, test_history.c */
#include "table/index_part.h"
#include "table/scan_internal.h"
#include <stdio.h>

enum { SEGMENT_ROWS_CUT = 16 * BLOCK_ROWS, BLOCK_BYTES_MAX = 32 << 20, BLOCKS_CUT = 4096 };

typedef struct Writing {
    Table *table;
    Scan *scan;
    uint32_t rank;
    RewriteInput *inputs;
    uint32_t input_count;
    RewriteOutput *output;
    SegmentColumn *columns;
    ColumnBuilder *builders;
    ColumnBlock *blocks;
    EncodeScratch *scratch;
    SegmentWriter *writer;
    PartEntry current;
    uint32_t block_number;
    uint64_t rows;
    uint32_t block_rows_max;     /* of a wide table fewer than BLOCK_ROWS, so that a block's values fit into memory */
    Buffer encode_buffer, write_buffer;
    IndexShape *shapes;          /* one an index of the definition */
    RunBuilder **runs;
    uint16_t index_count;
    Buffer key;
    Arena arena;                 /* of the current batch */
} Writing;

void table__moves_free(PartMoves *moves) {
    if (moves != NULL) {
        mem_free(moves->bases);
        mem_free(moves->to);
        mem_free(moves);
    }
}

PartMoves *table__moves_create(const Part *part) {
    PartMoves *moves = mem_calloc(1, sizeof *moves);
    uint32_t rows = 0;
    if (part->file == NULL) {
        moves->bases = mem_calloc(part->chunk_count + 1u, sizeof *moves->bases);
        for (uint32_t i = 0; i < part->chunk_count; i++) {
            moves->bases[i] = rows;
            rows += part->chunks[i]->capacity;
        }
    } else {
        const Segment *segment = atomic_load(&part->file->segment);
        moves->bases = mem_calloc(part->first_block + part->block_count + 1u, sizeof *moves->bases);
        for (uint32_t i = part->first_block; i < part->first_block + part->block_count; i++) {
            moves->bases[i] = rows;
            rows += segment_block_rows(segment, i);
        }
    }
    moves->to = mem_calloc(rows + 1u, sizeof *moves->to);
    return moves;
}

ErrorCode table_make_folder(Table *table, Error *err) {
    Io *io = table->env->os.io;
    char path[TABLE_PATH_BYTES];
    table__lock(table);
    bool made = table->folder_made;
    table__unlock(table);
    if (made) {
        return ERR_OK;
    }
    snprintf(path, sizeof path, "table/%u", table->id);
    TRY(io_make_folder(io, "table", err));
    TRY(io_sync_folder(io, ".", err));
    TRY(io_make_folder(io, path, err));
    TRY(io_sync_folder(io, "table", err));
    table__lock(table);
    table->folder_made = true;
    table__unlock(table);
    return ERR_OK;
}

static ErrorCode open_writer(Writing *writing, Error *err) {
    Table *table = writing->table;
    TRY(table_make_folder(table, err));
    table__lock(table);
    writing->current = (PartEntry){.part = table->next_part_id++, .rank = writing->rank};
    table__unlock(table);
    writing->current.rank = writing->rank != 0 ? writing->rank : writing->current.part;
    writing->current.file_id = atomic_fetch_add(&table->env->next_file_id, 1);
    char path[TABLE_PATH_BYTES];
    table_file_path(path, FILE_SEGMENT, table->id, writing->current.file_id);
    SegmentOptions options = {.path = path,
                              .file_id = writing->current.file_id,
                              .engine_id = table->env->engine_id,
                              .salt = table->env->os.rand->next(table->env->os.rand),
                              .table_id = table->id,
                              .columns = writing->columns,
                              .column_count = writing->scan->column_count,
                              .sort_column = writing->scan->def->designated,
                              .codec = {.outer = OUTER_AUTO},
                              .scratch = writing->scratch,
                              .encode_buffer = &writing->encode_buffer,
                              .write_buffer = &writing->write_buffer};
    writing->block_number = 0;
    writing->rows = 0;
    return segment_writer_open(table->env->os.io, &options, &writing->writer, err);
}

static void output_add_run(RewriteOutput *output, RunEntry entry) {
    if (output->run_count == output->run_capacity) {
        output->run_capacity = output->run_capacity == 0 ? 4 : output->run_capacity * 2;
        output->runs = mem_realloc(output->runs, sizeof(RunEntry) * output->run_capacity);
    }
    output->runs[output->run_count++] = entry;
}

ErrorCode table__run_write(Table *table, uint32_t index_id, uint32_t part, RunBuilder *builder, bool no_folder_sync, RunEntry *entry_out, Error *err) {
    char path[TABLE_PATH_BYTES];
    RunEntry entry = {.part = part, .index_id = index_id, .file_id = atomic_fetch_add(&table->env->next_file_id, 1)};
    table_file_path(path, FILE_INDEX, table->id, entry.file_id);
    RunOptions options = {.path = path, .file_id = entry.file_id, .engine_id = table->env->engine_id, .salt = table->env->os.rand->next(table->env->os.rand),
                          .table_id = table->id, .index_id = index_id, .no_folder_sync = no_folder_sync};
    BlockFileSummary summary;
    TRY(run_builder_write(builder, table->env->os.io, &options, &summary, err));
    entry.bytes = summary.bytes;
    entry.crc = summary.crc;
    *entry_out = entry;
    return ERR_OK;
}

/* Before the segment, whose folder sync names them all. */
static ErrorCode write_runs(Writing *writing, Error *err) {
    for (uint16_t i = 0; i < writing->index_count; i++) {
        RunEntry entry;
        TRY(table__run_write(writing->table, writing->shapes[i].index->id, writing->current.part, writing->runs[i], true, &entry, err));
        output_add_run(writing->output, entry);
        run_builder_clear(writing->runs[i]);
    }
    return ERR_OK;
}

static void note_keys(Writing *writing, const Batch *batch, uint32_t first_row) {
    for (uint16_t n = 0; n < writing->index_count; n++) {
        KeyColumn columns[INDEX_KEYS_MAX + 1];
        uint32_t place = writing->block_number << 16 | first_row;
        bool has_null = false;
        table__keys_of_vectors(&writing->shapes[n], batch->columns, columns);
        for (uint16_t row = 0; row < batch->row_count; row++) {
            if (batch->live != NULL && !bit_get(batch->live, row)) {
                continue;
            }
            if (table__key(&writing->shapes[n], columns, row, &writing->key, &has_null)) {
                run_builder_add(writing->runs[n], buffer_bytes(&writing->key), place);
            }
            place++;
        }
    }
}

static ErrorCode close_writer(Writing *writing, Error *err) {
    if (writing->writer == NULL) {
        return ERR_OK;
    }
    SegmentSummary summary;
    TRY(write_runs(writing, err));
    ErrorCode code = segment_writer_finish(writing->writer, &summary, err);
    writing->writer = NULL;
    TRY(code);
    PartEntry *entry = &writing->current;
    entry->crc = summary.crc;
    entry->bytes = summary.bytes;
    entry->rows = summary.row_count;
    entry->block_count = writing->block_number; /* row blocks; the summary counts blocks of the file */
    entry->has_time = writing->scan->def->designated >= 0;
    entry->min = summary.min_sort;
    entry->max = summary.max_sort;
    RewriteOutput *output = writing->output;
    if (output->count == output->capacity) {
        output->capacity = output->capacity == 0 ? 4 : output->capacity * 2;
        output->entries = mem_realloc(output->entries, sizeof(PartEntry) * output->capacity);
    }
    output->entries[output->count++] = *entry;
    atomic_fetch_add(&writing->table->env->segments_written, 1);
    atomic_fetch_add(&writing->table->env->segment_bytes_written, summary.bytes);
    return ERR_OK;
}

static ErrorCode write_block(Writing *writing, Error *err) {
    uint16_t column_count = writing->scan->column_count;
    if (column_count == 0 || writing->builders[0].row_count == 0) {
        return ERR_OK;
    }
    for (uint16_t i = 0; i < column_count; i++) {
        writing->blocks[i] = column_builder_block(&writing->builders[i]);
    }
    TRY(segment_writer_block(writing->writer, writing->blocks, err));
    writing->rows += writing->blocks[0].row_count;
    writing->block_number++;
    for (uint16_t i = 0; i < column_count; i++) {
        column_builder_clear(&writing->builders[i]);
    }
    return writing->rows >= SEGMENT_ROWS_CUT || writing->block_number >= BLOCKS_CUT ? close_writer(writing, err) : ERR_OK;
}

static void note_moves(Writing *writing, const Batch *batch, uint32_t first_row) {
    RewriteInput *input = NULL;
    for (uint16_t i = 0; i < batch->row_count && writing->input_count > 0; i++) {
        if (batch->live != NULL && !bit_get(batch->live, i)) {
            continue;
        }
        RowRef ref = batch->refs[i];
        for (uint32_t n = 0; n < writing->input_count && (input == NULL || input->part->id != ref.part); n++) {
            input = writing->inputs[n].part->id == ref.part ? &writing->inputs[n] : input;
        }
        assert(input != NULL);
        const Part *part = input->part;
        uint32_t block = part->file != NULL ? ref.offset >> 16 : table__chunk_at(part, ref.offset);
        uint32_t row = part->file != NULL ? ref.offset & 0xffff : ref.offset - part->chunks[block]->first_offset;
        input->moves->to[input->moves->bases[block] + row] = (RowRef){writing->current.part, writing->block_number << 16 | first_row++};
    }
}

static ErrorCode add_batch(Writing *writing, Batch *batch, Error *err) {
    uint16_t column_count = writing->scan->column_count;
    if (writing->builders[0].row_count + batch->live_count > writing->block_rows_max) {
        TRY(write_block(writing, err));
    }
    if (writing->writer == NULL) {
        TRY(open_writer(writing, err));
    }
    note_moves(writing, batch, writing->builders[0].row_count);
    arena_reset(&writing->arena);
    for (uint16_t i = 0; i < column_count; i++) {
        TRY(vector_dense(&batch->columns[i], &writing->arena, err));
    }
    note_keys(writing, batch, writing->builders[0].row_count);
    for (uint16_t i = 0; i < column_count; i++) {
        column_builder_batch(&writing->builders[i], &batch->columns[i], batch->live, batch->row_count);
    }
    return ERR_OK;
}

static ErrorCode copy_rows(Writing *writing, ScanCursor *cursor, Error *err) {
    Morsel morsel;
    while (SCAN_VTABLE.next_morsel(writing->scan, &morsel)) {
        SCAN_VTABLE.cursor_start(cursor, &morsel);
        for (;;) {
            Batch batch;
            TRY(SCAN_VTABLE.read(cursor, &batch, err));
            if (batch.row_count == 0) {
                break;
            }
            TRY(add_batch(writing, &batch, err));
        }
    }
    TRY(write_block(writing, err));
    return close_writer(writing, err);
}

static void writing_init(Writing *writing) {
    const Scan *scan = writing->scan;
    arena_init(&writing->arena, SCAN_MEMORY_MAX);
    buffer_init(&writing->encode_buffer, BLOCKFILE_BLOCK_BYTES_MAX);
    buffer_init(&writing->write_buffer, BLOCKFILE_BLOCK_BYTES_MAX);
    writing->columns = mem_calloc(scan->column_count + 1u, sizeof *writing->columns);
    writing->builders = mem_calloc(scan->column_count + 1u, sizeof *writing->builders);
    writing->blocks = mem_calloc(scan->column_count + 1u, sizeof *writing->blocks);
    writing->scratch = encode_scratch_create();
    writing->index_count = scan->def->index_count;
    writing->shapes = mem_calloc(writing->index_count + 1u, sizeof *writing->shapes);
    writing->runs = mem_calloc(writing->index_count + 1u, sizeof(RunBuilder *));
    buffer_init(&writing->key, SIZE_MAX);
    for (uint16_t i = 0; i < writing->index_count; i++) {
        table__shape(scan->def, &scan->def->indexes[i], &writing->shapes[i]);
        writing->runs[i] = run_builder_create();
    }
    size_t row_bytes = 1;
    for (uint16_t i = 0; i < scan->column_count; i++) {
        const ColumnDef *column = &scan->def->columns[scan->columns[i]];
        row_bytes += physical_bytes(type_physical(column->type.id));
        writing->columns[i] = (SegmentColumn){column->id, column->type};
        column_builder_init(&writing->builders[i], column->type);
    }
    writing->block_rows_max = BLOCK_ROWS;
    while (writing->block_rows_max > GRANULE_ROWS && writing->block_rows_max * row_bytes > BLOCK_BYTES_MAX) {
        writing->block_rows_max /= 2;
    }
}

static void writing_deinit(Writing *writing) {
    segment_writer_abort(writing->writer);
    for (uint16_t i = 0; i < writing->scan->column_count; i++) {
        column_builder_deinit(&writing->builders[i]);
    }
    encode_scratch_destroy(writing->scratch);
    for (uint16_t i = 0; i < writing->index_count; i++) {
        run_builder_destroy(writing->runs[i]);
    }
    mem_free(writing->runs);
    mem_free(writing->shapes);
    buffer_deinit(&writing->key);
    mem_free(writing->columns);
    mem_free(writing->builders);
    mem_free(writing->blocks);
    buffer_deinit(&writing->encode_buffer);
    buffer_deinit(&writing->write_buffer);
    arena_deinit(&writing->arena);
}

ErrorCode table__write_segments(Table *table, Scan *scan, uint32_t rank, RewriteInput *inputs, uint32_t input_count, RewriteOutput *output,
                                Error *err) {
    Writing writing = {.table = table, .scan = scan, .rank = rank, .inputs = inputs, .input_count = input_count, .output = output};
    ScanCursor *cursor = NULL;
    TRY(SCAN_VTABLE.cursor_open(scan, &cursor, err));
    writing_init(&writing);
    ErrorCode code = copy_rows(&writing, cursor, err);
    writing_deinit(&writing);
    SCAN_VTABLE.cursor_close(cursor);
    if (code != ERR_OK) {
        table__unlink_outputs(table, output);
        output->count = output->run_count = 0;
    }
    return code;
}

static void unlink_run(Table *table, uint64_t file_id) {
    char path[TABLE_PATH_BYTES];
    table_file_path(path, FILE_INDEX, table->id, file_id);
    error_ignore(io_unlink(table->env->os.io, path, NULL)); /* what stays is swept at the next start */
}

void table__unlink_runs(Table *table, const Part *part) {
    for (uint32_t i = 0; i < part->index_count; i++) {
        if (part->indexes[i].run != NULL) {
            unlink_run(table, part->indexes[i].run->file_id);
        }
    }
}

void table__output_free(RewriteOutput *output) {
    mem_free(output->entries);
    mem_free(output->runs);
    *output = (RewriteOutput){0};
}

void table__output_attach(Table *table, const RewriteOutput *output, Part *part) {
    for (uint32_t i = 0; i < output->run_count; i++) {
        if (output->runs[i].part == part->id) {
            table__run_attach(table, part, &output->runs[i]);
        }
    }
}

void table__unlink_outputs(Table *table, const RewriteOutput *output) {
    for (uint32_t i = 0; i < output->run_count; i++) {
        unlink_run(table, output->runs[i].file_id);
    }
    for (uint32_t i = 0; i < output->count; i++) {
        char path[TABLE_PATH_BYTES];
        table_file_path(path, FILE_SEGMENT, table->id, output->entries[i].file_id);
        error_ignore(io_unlink(table->env->os.io, path, NULL)); /* what stays is swept at the next start */
    }
}
