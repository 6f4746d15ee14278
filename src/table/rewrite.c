/* SPDX-License-Identifier: Apache-2.0
 * rewrite.c - the rows of a scan, in its order, into segment files; where each row went is noted.
 *
 * Why:     flush, merge and bulk by reference are one operation with different inputs: memory parts, row blocks, a transaction's rows.
 * Cuts:    a row block ends when it is full, at a partition's border and between groups of blocks that are merged apart. A part is what lies
 *          between borders: a slice of the file. A few rows alone in their partition share the block with what follows, so that a row a
 *          partition does not make a block a row. A file ends behind SEGMENT_BLOCKS_CUT blocks, but not between equal times: parts of
 *          one rank never share a time, so nothing but time orders them.
 * Threads: no lock is held; the inputs are pinned by the scan.
 * Tests:   test/unit/engine/test_segments.c, test_merges.c, test_history.c */
#include "table/index_part.h"
#include "table/scan_internal.h"
#include <stdio.h>

enum { SEGMENT_BLOCKS_CUT = 16, BLOCK_BYTES_MAX = 32 << 20, BLOCKS_CUT = 4096, BORDER_BLOCK_FRACTION = 64 };

typedef struct Writing {
    Table *table;
    Scan *scan;
    const RewriteTarget *target;
    RewriteOutput *output;
    SegmentColumn *columns;
    ColumnBuilder *builders;
    ColumnBlock *blocks;
    EncodeScratch *scratch;
    SegmentWriter *writer;
    PartEntry current;           /* the part that is written, if part_open */
    bool part_open;
    uint32_t rank;               /* of the new parts; 0 until the first is opened */
    uint32_t file_first;         /* place in the output of the open file's first part */
    uint32_t block_number;       /* of the open file: the block that is filled */
    uint64_t file_rows;
    uint32_t group;
    int64_t border;              /* the current partition ends before it */
    int64_t last_time;
    uint32_t block_rows_max;     /* of a wide table fewer than BLOCK_ROWS, so that a block's values fit into memory */
    Buffer encode_buffer, write_buffer;
    IndexShape *shapes;          /* one an index of the definition */
    RunBuilder **runs;           /* of the part that is written */
    uint16_t index_count;
    Buffer key;
    Arena arena;                 /* of the current batch */
} Writing;

uint32_t table__block_rows(const Table *table) { return table->env->block_rows != 0 ? table->env->block_rows : BLOCK_ROWS; }

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

/* ---- files and parts ---- */

static ErrorCode open_file(Writing *writing, Error *err) {
    Table *table = writing->table;
    TRY(table_make_folder(table, err));
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
    writing->file_rows = 0;
    writing->file_first = writing->output->count;
    return segment_writer_open(table->env->os.io, &options, &writing->writer, err);
}

void table__output_add(RewriteOutput *output, const PartEntry *entry) {
    if (output->count == output->capacity) {
        output->capacity = output->capacity == 0 ? 4 : output->capacity * 2;
        output->entries = mem_realloc(output->entries, sizeof(PartEntry) * output->capacity);
    }
    output->entries[output->count++] = *entry;
}

static void open_part(Writing *writing) {
    Table *table = writing->table;
    table__lock(table);
    uint32_t id = table->next_part_id++;
    table__unlock(table);
    writing->rank = writing->rank != 0 ? writing->rank : id;
    writing->current = (PartEntry){.part = id, .rank = writing->rank, .file_id = writing->current.file_id, .first_block = writing->block_number};
    writing->current.has_time = writing->scan->def->designated >= 0;
    writing->part_open = true;
}

/* ---- runs of indexes ---- */

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

/* A run a part and index, before the segment, whose folder sync names them all. */
static ErrorCode write_runs(Writing *writing, Error *err) {
    for (uint16_t i = 0; i < writing->index_count; i++) {
        RunEntry entry;
        TRY(table__run_write(writing->table, writing->shapes[i].index->id, writing->current.part, writing->runs[i], true, &entry, err));
        output_add_run(writing->output, entry);
        run_builder_clear(writing->runs[i]);
    }
    return ERR_OK;
}

static void note_keys(Writing *writing) {
    for (uint16_t n = 0; n < writing->index_count; n++) {
        KeyColumn columns[INDEX_KEYS_MAX + 1];
        bool has_null = false;
        table__keys_of_blocks(&writing->shapes[n], writing->blocks, columns);
        for (uint32_t row = 0; row < writing->blocks[0].row_count; row++) {
            if (table__key(&writing->shapes[n], columns, row, &writing->key, &has_null)) {
                run_builder_add(writing->runs[n], buffer_bytes(&writing->key), writing->block_number << 16 | row);
            }
        }
    }
}

static ErrorCode close_part(Writing *writing, Error *err) {
    PartEntry *entry = &writing->current;
    entry->block_count = writing->block_number - entry->first_block; /* row blocks; the file counts blocks of columns */
    if (writing->part_open && entry->block_count > 0) {
        TRY(write_runs(writing, err));
        table__output_add(writing->output, entry);
    }
    writing->part_open = false;
    return ERR_OK;
}

static void count_file(const Writing *writing, const SegmentSummary *summary) {
    Table *table = writing->table;
    bool merge = writing->target->merge;
    table__lock(table);
    *(merge ? &table->written.rows_merged : &table->written.rows_flushed) += summary->row_count;
    *(merge ? &table->written.bytes_merged : &table->written.bytes_flushed) += summary->bytes;
    table__unlock(table);
    atomic_fetch_add(merge ? &table->env->rows_merged : &table->env->rows_flushed, summary->row_count);
    atomic_fetch_add(merge ? &table->env->bytes_merged : &table->env->bytes_flushed, summary->bytes);
    atomic_fetch_add(&table->env->segments_written, 1);
    atomic_fetch_add(&table->env->segment_bytes_written, summary->bytes);
}

static ErrorCode close_file(Writing *writing, Error *err) {
    if (writing->writer == NULL) {
        return ERR_OK;
    }
    SegmentSummary summary;
    TRY(close_part(writing, err));
    ErrorCode code = segment_writer_finish(writing->writer, &summary, err);
    writing->writer = NULL;
    TRY(code);
    for (uint32_t i = writing->file_first; i < writing->output->count; i++) {
        writing->output->entries[i].crc = summary.crc;
        writing->output->entries[i].bytes = summary.bytes;
    }
    count_file(writing, &summary);
    return ERR_OK;
}

/* ---- blocks ---- */

static void note_range(Writing *writing) {
    PartEntry *entry = &writing->current;
    int16_t designated = writing->scan->def->designated;
    if (designated >= 0) {
        const int64_t *times = writing->blocks[designated].data;
        entry->min = entry->rows == 0 ? times[0] : entry->min;
        entry->max = times[writing->blocks[designated].row_count - 1];
    }
    entry->rows += writing->blocks[0].row_count;
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
    note_range(writing);
    note_keys(writing);
    writing->file_rows += writing->blocks[0].row_count;
    writing->block_number++;
    for (uint16_t i = 0; i < column_count; i++) {
        column_builder_clear(&writing->builders[i]);
    }
    return ERR_OK;
}

static ErrorCode end_group(Writing *writing, Error *err) {
    TRY(write_block(writing, err));
    writing->border = INT64_MIN;
    return close_part(writing, err);
}

static bool is_behind(const Writing *writing, int64_t time) { return writing->border < INT64_MAX && time >= writing->border; }

/* The next row is of another partition. */
static ErrorCode cross_border(Writing *writing, int64_t time, Error *err) {
    const TableDef *def = writing->scan->def;
    bool any_block = writing->part_open && writing->block_number > writing->current.first_block;
    if (any_block || writing->builders[0].row_count >= writing->block_rows_max / BORDER_BLOCK_FRACTION) {
        TRY(writing->index_count == 0 ? end_group(writing, err) : write_block(writing, err)); /* runs are dear: one part a file */
    }
    writing->border = table__partition_end((PartitionUnit)def->partition, def->columns[def->designated].type.id, time);
    return ERR_OK;
}

static bool is_file_full(const Writing *writing, bool same_time) {
    if (writing->builders[0].row_count > 0 || writing->writer == NULL || writing->block_number == 0) {
        return false;
    }
    bool large = writing->block_number >= SEGMENT_BLOCKS_CUT && writing->file_rows >= (uint64_t)SEGMENT_BLOCKS_CUT * writing->block_rows_max;
    return (large && !same_time) || writing->block_number >= BLOCKS_CUT;
}

/* Room for the next row, whose time is given (NULL: the table has none). */
static ErrorCode make_room(Writing *writing, const int64_t *time, Error *err) {
    if (writing->builders[0].row_count == writing->block_rows_max) {
        TRY(write_block(writing, err));
    }
    if (time != NULL && is_behind(writing, *time)) {
        TRY(cross_border(writing, *time, err));
    }
    if (is_file_full(writing, time != NULL && *time == writing->last_time)) {
        TRY(close_file(writing, err));
    }
    if (writing->writer == NULL) {
        TRY(open_file(writing, err));
    }
    if (!writing->part_open) {
        open_part(writing);
    }
    return ERR_OK;
}

/* ---- rows ---- */

static bool is_live(const Batch *batch, uint16_t row) { return batch->live == NULL || bit_get(batch->live, row); }

static void note_moves(Writing *writing, const Batch *batch, uint16_t from, uint16_t end, uint32_t first_row) {
    const RewriteTarget *target = writing->target;
    const RewriteInput *input = NULL;
    for (uint16_t i = from; i < end && target->input_count > 0; i++) {
        if (!is_live(batch, i)) {
            continue;
        }
        RowRef ref = batch->refs[i];
        for (uint32_t n = 0; n < target->input_count && (input == NULL || input->part->id != ref.part); n++) {
            input = target->inputs[n].part->id == ref.part ? &target->inputs[n] : input;
        }
        assert(input != NULL);
        *table__moves_place(input, ref.offset) = (RowRef){writing->current.part, writing->block_number << 16 | first_row++};
    }
}

static void add_piece(Writing *writing, const Batch *batch, uint16_t from, uint16_t end) {
    uint64_t mask[BATCH_WORDS] = {0};
    const uint64_t *live = batch->live;
    if (from > 0 || end < batch->row_count) {
        bits_fill(mask, from, (size_t)(end - from), true);
        for (size_t w = 0; live != NULL && w < BATCH_WORDS && w < words_for(batch->row_count); w++) {
            mask[w] &= live[w];
        }
        live = mask;
    }
    note_moves(writing, batch, from, end, writing->builders[0].row_count);
    for (uint16_t i = 0; i < writing->scan->column_count; i++) {
        column_builder_batch(&writing->builders[i], &batch->columns[i], live, batch->row_count);
    }
}

static const int64_t *time_at(const Writing *writing, const Batch *batch, uint16_t row) {
    int16_t designated = writing->scan->def->designated;
    return designated >= 0 ? vector_value(&batch->columns[designated], row) : NULL;
}

/* Rows from `from` on that fit into the block and lie before the border. */
static uint16_t piece_end(const Writing *writing, const Batch *batch, uint16_t from) {
    uint32_t room = writing->block_rows_max - writing->builders[0].row_count;
    const int64_t *last = time_at(writing, batch, (uint16_t)(batch->row_count - 1));
    if ((uint32_t)(batch->row_count - from) <= room && (last == NULL || !is_behind(writing, *last))) {
        return batch->row_count;
    }
    uint16_t row = from;
    for (; row < batch->row_count && room > 0; row++) {
        const int64_t *time = time_at(writing, batch, row);
        if (time != NULL && is_behind(writing, *time)) {
            break;
        }
        room -= is_live(batch, row);
    }
    return row;
}

static ErrorCode add_batch(Writing *writing, Batch *batch, Error *err) {
    arena_reset(&writing->arena);
    for (uint16_t i = 0; i < writing->scan->column_count; i++) {
        TRY(vector_dense(&batch->columns[i], &writing->arena, err));
    }
    for (uint16_t from = 0; from < batch->row_count;) {
        if (!is_live(batch, from)) {
            from++;
            continue;
        }
        TRY(make_room(writing, time_at(writing, batch, from), err));
        uint16_t end = piece_end(writing, batch, from);
        add_piece(writing, batch, from, end);
        const int64_t *last = time_at(writing, batch, (uint16_t)(end - 1));
        writing->last_time = last != NULL ? *last : 0;
        from = end;
    }
    return ERR_OK;
}

/* ---- the rows that stay in memory ---- */

static bool is_newest_partition(const Writing *writing) {
    Table *table = writing->table;
    bool newest = true;
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count && writing->scan->def->designated >= 0 && newest; i++) {
        const Part *part = table->parts[i];
        newest = part->end != STAMP_NEVER || part->file == NULL || !part->has_time || !is_behind(writing, part->max);
        for (uint32_t c = 0; part->end == STAMP_NEVER && c < part->chunk_count && newest; c++) {
            newest = !part->chunks[c]->times.any || !is_behind(writing, part->chunks[c]->times.max);
        }
    }
    table__unlock(table);
    return newest;
}

/* Rows noted as part of the block that is not written after all. */
static void move_to_tail(const Writing *writing, uint32_t tail_id) {
    for (uint32_t n = 0; n < writing->target->input_count; n++) {
        const RewriteInput *input = &writing->target->inputs[n];
        uint32_t last = input->part->chunk_count;
        uint32_t rows = last == 0 ? 0 : input->moves->bases[last - 1] + input->part->chunks[last - 1]->capacity;
        for (uint32_t i = 0; i < rows; i++) {
            RowRef *to = &input->moves->to[i];
            if (to->part == writing->current.part && to->offset >> 16 == writing->block_number) {
                *to = (RowRef){tail_id, to->offset & 0xffff};
            }
        }
    }
}

static void keep_tail(Writing *writing) {
    uint32_t rows = writing->builders[0].row_count;
    bool any_block = writing->output->count > 0 || (writing->writer != NULL && writing->block_number > 0);
    if (writing->target->tail_id == 0 || rows == 0 || rows >= writing->block_rows_max || !any_block || !is_newest_partition(writing)) {
        return;
    }
    for (uint16_t i = 0; i < writing->scan->column_count; i++) {
        writing->blocks[i] = column_builder_block(&writing->builders[i]);
    }
    writing->output->tail = table__tail_create(writing->table, writing->scan->def, writing->blocks, writing->target->tail_id);
    if (writing->output->tail != NULL) {
        move_to_tail(writing, writing->target->tail_id);
        for (uint16_t i = 0; i < writing->scan->column_count; i++) {
            column_builder_clear(&writing->builders[i]);
        }
    }
}

static ErrorCode check_closing(const Writing *writing, Error *err) {
    return atomic_load(&writing->table->env->closing) ? error_set(err, ERR_CANCELED, ERROR_NO_POSITION, "rewriting a part gives way to the end of the server") : ERR_OK;
}

static ErrorCode copy_rows(Writing *writing, ScanCursor *cursor, Error *err) {
    Morsel morsel;
    while (SCAN_VTABLE.next_morsel(writing->scan, &morsel)) {
        const Scan *scan = writing->scan;
        uint32_t group = scan->blocks[scan->morsels[morsel.number].first_block].group;
        if (group != writing->group) {
            TRY(end_group(writing, err));
            writing->group = group;
        }
        SCAN_VTABLE.cursor_start(cursor, &morsel);
        for (;;) {
            Batch batch;
            TRY(SCAN_VTABLE.read(cursor, &batch, err));
            if (batch.row_count == 0) {
                break;
            }
            TRY(check_closing(writing, err));
            TRY(add_batch(writing, &batch, err));
        }
    }
    keep_tail(writing);
    TRY(write_block(writing, err));
    if (writing->writer != NULL && writing->block_number == 0) { /* only the tail was meant for it */
        segment_writer_abort(writing->writer);
        writing->writer = NULL;
    }
    return close_file(writing, err);
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
    writing->border = scan->def->designated >= 0 ? INT64_MIN : INT64_MAX;
    writing->rank = writing->target->rank;
    writing->block_rows_max = table__block_rows(writing->table);
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

ErrorCode table__write_segments(Table *table, Scan *scan, const RewriteTarget *target, RewriteOutput *output, Error *err) {
    Writing writing = {.table = table, .scan = scan, .target = target, .output = output};
    ScanCursor *cursor = NULL;
    TRY(SCAN_VTABLE.cursor_open(scan, &cursor, err));
    writing_init(&writing);
    ErrorCode code = copy_rows(&writing, cursor, err);
    writing_deinit(&writing);
    SCAN_VTABLE.cursor_close(cursor);
    if (code != ERR_OK) {
        table__unlink_outputs(table, output);
        output->count = output->run_count = 0;
        table__tail_destroy(table, output->tail);
        output->tail = NULL;
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
        if (i == 0 || output->entries[i].file_id != output->entries[i - 1].file_id) {
            error_ignore(io_unlink(table->env->os.io, path, NULL)); /* what stays is swept at the next start */
        }
    }
}
