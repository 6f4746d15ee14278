/* SPDX-License-Identifier: Apache-2.0
 * index_part.c - trees of memory parts, runs of segment parts.
 *
 * Invariants: a tree holds every row below its place that is not dead for all; entries of rows that died later stay until somebody
 *             meets them or their chunk is gone.
 * Tests:      test/unit/engine/test_keys.c */
#include "table/index_part.h"
#include "table/scan_internal.h"

enum { SWEEP_ENTRIES_MIN = 4096 };

static void run_encode(Table *table, const RunEntry *entry, Buffer *out);

PartIndex *table__part_index(Part *part, uint32_t index_id) {
    for (uint32_t i = 0; i < part->index_count; i++) {
        if (part->indexes[i].index_id == index_id) {
            return &part->indexes[i];
        }
    }
    return NULL;
}

static PartIndex *part_index_make(Part *part, uint32_t index_id) {
    PartIndex *found = table__part_index(part, index_id);
    if (found == NULL) {
        part->indexes = mem_realloc(part->indexes, sizeof(PartIndex) * (part->index_count + 1u));
        found = &part->indexes[part->index_count++];
        *found = (PartIndex){.index_id = index_id};
    }
    return found;
}

static void run_release(Table *table, RunFile *file) {
    if (file == NULL || --file->refs > 0) {
        return;
    }
    IndexRun *run = atomic_load(&file->run);
    if (run != NULL) {
        block_cache_forget(table->env->cache, file->file_id);
        index_run_close(run);
    }
    table->env->os.sched->mutex_deinit(table->env->os.sched, &file->open_lock);
    mem_free(file);
}

void table__part_indexes_free(Table *table, Part *part) {
    for (uint32_t i = 0; i < part->index_count; i++) {
        btree_destroy(part->indexes[i].tree);
        mem_free(part->indexes[i].rows);
        run_release(table, part->indexes[i].run);
    }
    mem_free(part->indexes);
    part->indexes = NULL;
    part->index_count = 0;
}

/* ---- trees of memory parts ---- */

static void fill_from_chunk(PartIndex *index, uint32_t number, const IndexShape *shape, const Chunk *chunk, Buffer *key) {
    KeyColumn columns[INDEX_KEYS_MAX + 1];
    bool has_null = false;
    table__keys_of_chunk(shape, chunk, columns);
    for (uint32_t row = index->rows[number]; row < chunk->filled; row++) {
        bool dead = chunk->ends.ended_rows > 0 && ends_get(&chunk->ends, row) == STAMP_ALWAYS;
        if (!dead && table__key(shape, columns, row, key, &has_null)) {
            (void)btree_insert(index->tree, buffer_bytes(key), chunk->first_offset + row);
        }
    }
    index->rows[number] = chunk->filled;
}

static void rows_reserve(PartIndex *index, uint32_t chunk_count) {
    if (index->row_capacity >= chunk_count) {
        return;
    }
    uint32_t capacity = MAX_OF(chunk_count, MAX_OF(4u, index->row_capacity * 2));
    index->rows = mem_realloc(index->rows, sizeof *index->rows * capacity);
    memset(index->rows + index->row_capacity, 0, sizeof *index->rows * (capacity - index->row_capacity));
    index->row_capacity = capacity;
}

/* A chunk that others stand behind takes no more rows, full or not: recovery leaves such ones. */
static bool is_complete(const Part *part, uint32_t number, const PartIndex *index) {
    const Chunk *chunk = part->chunks[number];
    bool last = number + 1 == part->chunk_count;
    return chunk->dropped || index->rows[number] == chunk->capacity || (!last && chunk->filled == chunk->reserved && index->rows[number] == chunk->filled);
}

PartIndex *table__tree_fill(Part *part, const IndexShape *shape) {
    assert(part->file == NULL);
    PartIndex *index = part_index_make(part, shape->index->id);
    if (index->tree == NULL) {
        index->tree = btree_create();
    }
    Buffer key;
    buffer_init(&key, SIZE_MAX);
    rows_reserve(index, part->chunk_count);
    for (uint32_t c = index->chunk; c < part->chunk_count; c++) {
        if (!part->chunks[c]->dropped && index->rows[c] < part->chunks[c]->filled) {
            fill_from_chunk(index, c, shape, part->chunks[c], &key);
        }
        index->chunk += c == index->chunk && is_complete(part, c, index);
    }
    buffer_deinit(&key);
    return index;
}

size_t table__trees_bytes(const Part *part) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < part->index_count; i++) {
        bytes += part->indexes[i].tree != NULL ? btree_bytes(part->indexes[i].tree) : 0;
    }
    return bytes;
}

static bool is_kept(void *context, uint32_t offset) {
    const Part *part = context;
    const Chunk *chunk = part->chunks[table__chunk_at(part, offset)];
    return !chunk->dropped && ends_get(&chunk->ends, offset - chunk->first_offset) != STAMP_ALWAYS;
}

void table__trees_sweep(Part *part) {
    size_t dropped = 0;
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        dropped += part->chunks[c]->dropped ? part->chunks[c]->capacity : 0;
    }
    for (uint32_t i = 0; i < part->index_count; i++) {
        PartIndex *index = &part->indexes[i];
        if (index->tree == NULL || part->file != NULL || dropped < index->dropped_rows + MAX_OF((size_t)SWEEP_ENTRIES_MIN, btree_count(index->tree) / 2)) {
            continue;
        }
        index->dropped_rows = dropped;
        btree_compact(index->tree, is_kept, part);
    }
}

/* ---- runs ---- */

void table__run_attach(Table *table, Part *part, const RunEntry *entry) {
    PartIndex *index = part_index_make(part, entry->index_id);
    RunFile *file = mem_calloc(1, sizeof *file);
    file->index_id = entry->index_id;
    file->crc = entry->crc;
    file->file_id = entry->file_id;
    file->bytes = entry->bytes;
    file->refs = 1;
    table->env->os.sched->mutex_init(table->env->os.sched, &file->open_lock);
    run_release(table, index->run);
    index->run = file;
}

void table__run_undo(Table *table, Part *part, uint32_t index_id) {
    PartIndex *index = part != NULL ? table__part_index(part, index_id) : NULL;
    if (index != NULL && index->run != NULL) {
        char path[TABLE_PATH_BYTES];
        table_file_path(path, FILE_INDEX, table->id, index->run->file_id);
        run_release(table, index->run);
        index->run = NULL;
        error_ignore(io_unlink(table->env->os.io, path, NULL)); /* what stays is swept at the next start */
    }
}

/* A part that a merge has replaced meanwhile needs no run any more. */
void table__run_encode_write(Table *table, const Write *write, Buffer *out) {
    table__lock(table);
    Part *part = table__part_find(table, write->part);
    const PartIndex *index = part != NULL && part->end == STAMP_NEVER ? table__part_index(part, write->first) : NULL;
    if (index != NULL && index->run != NULL) {
        RunEntry entry = {part->id, index->run->index_id, index->run->crc, index->run->file_id, index->run->bytes};
        run_encode(table, &entry, out);
    }
    table__unlock(table);
}

static void run_encode(Table *table, const RunEntry *entry, Buffer *out) {
    size_t at = op_begin(out, OP_INDEX_RUN, table->id);
    buffer_put_u32le(out, entry->part);
    buffer_put_u32le(out, entry->index_id);
    buffer_put_u64le(out, entry->file_id);
    buffer_put_u64le(out, entry->bytes);
    buffer_put_u32le(out, entry->crc);
    op_finish(out, at);
}

void table__runs_encode(Table *table, const Part *part, Buffer *out) {
    for (uint32_t i = 0; i < part->index_count; i++) {
        const RunFile *file = part->indexes[i].run;
        if (file != NULL) {
            RunEntry entry = {part->id, file->index_id, file->crc, file->file_id, file->bytes};
            run_encode(table, &entry, out);
        }
    }
}

void table__runs_dead(Table *table, const Part *part, uint64_t lsn) {
    for (uint32_t i = 0; i < part->index_count; i++) {
        if (part->indexes[i].run != NULL) {
            dead_files_add(&table->env->dead, (DeadFile){table->id, FILE_INDEX, part->indexes[i].run->file_id, lsn});
        }
    }
}

bool table__names_run(const Part *part, uint64_t file_id) {
    for (uint32_t i = 0; i < part->index_count; i++) {
        if (part->indexes[i].run != NULL && part->indexes[i].run->file_id == file_id) {
            return true;
        }
    }
    return false;
}

ErrorCode table_redo_index_run(Table *table, Bytes payload, Error *err) {
    Reader reader = reader_from(payload);
    RunEntry entry = {.part = reader_u32le(&reader), .index_id = reader_u32le(&reader)};
    entry.file_id = reader_u64le(&reader);
    entry.bytes = reader_u64le(&reader);
    entry.crc = reader_u32le(&reader);
    Part *part = reader.failed ? NULL : table__part_find(table, entry.part);
    if (part == NULL || part->file == NULL || part->index_count > INDEXES_MAX) {
        return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "operation on table %u cannot be applied", table->id);
    }
    table__run_attach(table, part, &entry);
    uint64_t next = atomic_load(&table->env->next_file_id);
    atomic_store(&table->env->next_file_id, MAX_OF(next, entry.file_id + 1)); /* one thread */
    return ERR_OK;
}

static ErrorCode run_open(Table *table, RunFile *file, IndexRun **run_out, Error *err) {
    Sched *sched = table->env->os.sched;
    ErrorCode code = ERR_OK;
    IndexRun *run = atomic_load_explicit(&file->run, memory_order_acquire);
    if (run == NULL) {
        char path[TABLE_PATH_BYTES];
        table_file_path(path, FILE_INDEX, table->id, file->file_id);
        BlockFileExpect expect = {.kind = BLOCKFILE_INDEX, .file_id = file->file_id, .engine_id = table->env->engine_id, .bytes = file->bytes,
                                  .crc = file->crc, .has_crc = true};
        sched->mutex_lock(sched, &file->open_lock);
        run = atomic_load(&file->run);
        if (run == NULL) {
            code = index_run_open(table->env->os.io, path, &expect, &run, err);
            atomic_store_explicit(&file->run, code == ERR_OK ? run : NULL, memory_order_release);
        }
        sched->mutex_unlock(sched, &file->open_lock);
    }
    *run_out = run;
    return code;
}

/* ---- a tree for a segment part without a run ---- */

static ErrorCode keys_of_morsels(Scan *scan, ScanCursor *cursor, const IndexShape *shape, RunBuilder *builder, Error *err) {
    /* The scan's columns are the shape's, in its order; the shape names them by number. */
    Vector *vectors = arena_array(&scan->arena, Vector, (uint32_t)scan->def->column_count + scan->def->computed_count + 1u);
    Buffer key;
    Morsel morsel;
    Batch batch;
    ErrorCode code = ERR_OK;
    buffer_init(&key, SIZE_MAX);
    while (code == ERR_OK && SCAN_VTABLE.next_morsel(scan, &morsel)) {
        SCAN_VTABLE.cursor_start(cursor, &morsel);
        for (;;) {
            KeyColumn columns[INDEX_KEYS_MAX + 1];
            bool has_null = false;
            code = SCAN_VTABLE.read(cursor, &batch, err);
            if (code != ERR_OK || batch.row_count == 0) {
                break;
            }
            for (uint16_t i = 0; i < batch.column_count && code == ERR_OK; i++) {
                code = vector_dense(&batch.columns[i], &cursor->scratch, err);
                vectors[scan->columns[i]] = batch.columns[i];
            }
            table__keys_of_vectors(shape, vectors, columns);
            for (uint16_t row = 0; row < batch.row_count && code == ERR_OK; row++) {
                bool live = batch.live == NULL || bit_get(batch.live, row);
                if (live && table__key(shape, columns, row, &key, &has_null)) {
                    run_builder_add(builder, buffer_bytes(&key), batch.refs[row].offset);
                }
            }
        }
    }
    buffer_deinit(&key);
    return code;
}

ErrorCode table__part_keys(Table *table, const TableDef *def, Part *part, const IndexShape *shape, RunBuilder *builder, Error *err) {
    ScanRequest request = {.columns = shape->columns, .column_count = shape->column_count, .want_refs = true};
    Snapshot nothing_ended = {0};
    Scan *scan = scan__create(table, def, &nothing_ended, &request);
    ScanCursor *cursor = NULL;
    ErrorCode code = scan__capture_parts(scan, &part, 1, err);
    if (code == ERR_OK) {
        scan__plan(scan);
        code = SCAN_VTABLE.cursor_open(scan, &cursor, err);
    }
    if (code == ERR_OK) {
        code = keys_of_morsels(scan, cursor, shape, builder, err);
        SCAN_VTABLE.cursor_close(cursor);
    }
    SCAN_VTABLE.close(scan);
    return code;
}

static Btree *tree_of(RunBuilder *builder) {
    Btree *tree = btree_create();
    Buffer key;
    buffer_init(&key, SIZE_MAX);
    run_builder_sort(builder);
    for (size_t i = 0; i < run_builder_count(builder); i++) {
        uint32_t row = run_builder_entry(builder, i, &key);
        (void)btree_insert(tree, buffer_bytes(&key), row);
    }
    buffer_deinit(&key);
    return tree;
}

static ErrorCode make_tree(Table *table, const TableDef *def, Part *part, const IndexShape *shape, Error *err) {
    RunBuilder *builder = run_builder_create();
    ErrorCode code = table__part_keys(table, def, part, shape, builder, err);
    if (code == ERR_OK) {
        Btree *tree = tree_of(builder);
        table__lock(table);
        PartIndex *index = part_index_make(part, shape->index->id);
        if (index->tree == NULL && index->run == NULL) {
            index->tree = tree;
            tree = NULL;
        }
        table__unlock(table);
        btree_destroy(tree);
    }
    run_builder_destroy(builder);
    return code;
}

ErrorCode table__segment_index(Table *table, const TableDef *def, Part *part, const IndexShape *shape, IndexRun **run_out, Error *err) {
    *run_out = NULL;
    table__lock(table);
    const PartIndex *index = table__part_index(part, shape->index->id);
    RunFile *file = index != NULL ? index->run : NULL;
    bool ready = index != NULL && (index->run != NULL || index->tree != NULL);
    table__unlock(table);
    if (!ready) {
        return make_tree(table, def, part, shape, err);
    }
    return file != NULL ? run_open(table, file, run_out, err) : ERR_OK;
}
