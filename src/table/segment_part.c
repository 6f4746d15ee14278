/* SPDX-License-Identifier: Apache-2.0
 * segment_part.c - parts that are slices of immutable files: their entries in the log, opening on demand, files without readers.
 *
 * Threads: lists under the table's lock; opening has a lock of its own, because it reads the disk.
 * Tests:   test/unit/engine/test_segments.c */
#include "table/table_internal.h"
#include <stdio.h>

void table_file_path(char *path, FileKind kind, uint32_t id, uint64_t file_id) {
    const char *suffix = kind == FILE_SEGMENT ? "seg" : kind == FILE_INDEX ? "idx" : "dict";
    snprintf(path, TABLE_PATH_BYTES, "table/%u/%llu.%s", id, (unsigned long long)file_id, suffix);
}

void table__entry_encode(const PartEntry *entry, Buffer *out) {
    buffer_put_u32le(out, entry->part);
    buffer_put_u32le(out, entry->rank);
    buffer_put_u64le(out, entry->file_id);
    buffer_put_u64le(out, entry->bytes);
    buffer_put_u32le(out, entry->crc);
    buffer_put_u64le(out, entry->rows);
    buffer_put_u32le(out, entry->first_block);
    buffer_put_u32le(out, entry->block_count);
    buffer_put_u8(out, entry->has_time);
    buffer_put_u64le(out, (uint64_t)entry->min);
    buffer_put_u64le(out, (uint64_t)entry->max);
}

PartEntry table__entry_decode(Reader *reader) {
    PartEntry entry = {0};
    entry.part = reader_u32le(reader);
    entry.rank = reader_u32le(reader);
    entry.file_id = reader_u64le(reader);
    entry.bytes = reader_u64le(reader);
    entry.crc = reader_u32le(reader);
    entry.rows = reader_u64le(reader);
    entry.first_block = reader_u32le(reader);
    entry.block_count = reader_u32le(reader);
    entry.has_time = reader_u8(reader) != 0;
    entry.min = (int64_t)reader_u64le(reader);
    entry.max = (int64_t)reader_u64le(reader);
    bool fits = entry.part > 0 && entry.block_count > 0 && entry.block_count < BLOCK_ROWS && entry.first_block < BLOCK_ROWS - entry.block_count &&
                entry.rows <= (uint64_t)entry.block_count * BLOCK_ROWS;
    reader->failed = reader->failed || !fits;
    return entry;
}

PartEntry table__entry_of(const Part *part) {
    return (PartEntry){.part = part->id, .rank = part->rank, .crc = part->file->crc, .first_block = part->first_block,
                       .block_count = part->block_count, .file_id = part->file->file_id, .bytes = part->file->bytes, .rows = part->rows,
                       .has_time = part->has_time, .min = part->min, .max = part->max};
}

static SegmentFile *file_for(Table *table, const PartEntry *entry) {
    for (uint32_t i = 0; i < table->part_count; i++) {
        SegmentFile *known = table->parts[i]->file;
        if (known != NULL && known->file_id == entry->file_id) {
            known->refs++;
            return known;
        }
    }
    SegmentFile *file = mem_calloc(1, sizeof *file);
    file->file_id = entry->file_id;
    file->bytes = entry->bytes;
    file->crc = entry->crc;
    file->table_id = table->id;
    file->refs = 1;
    table->env->os.sched->mutex_init(table->env->os.sched, &file->open_lock);
    return file;
}

Part *table__segment_part_create(Table *table, const PartEntry *entry, Stamp begin) {
    Part *part = mem_calloc(1, sizeof *part);
    *part = (Part){.id = entry->part, .refs = 1, .rank = entry->rank, .sealed = true, .begin = begin, .end = STAMP_NEVER};
    part->file = file_for(table, entry);
    part->first_block = entry->first_block;
    part->block_count = entry->block_count;
    part->row_end = (entry->first_block + entry->block_count) << 16;
    part->rows = entry->rows;
    part->has_time = entry->has_time;
    part->min = entry->min;
    part->max = entry->max;
    table__part_insert(table, part);
    return part;
}

ErrorCode table__segment_open(Table *table, SegmentFile *file, Segment **segment_out, Error *err) {
    Sched *sched = table->env->os.sched;
    ErrorCode code = ERR_OK;
    Segment *segment = atomic_load_explicit(&file->segment, memory_order_acquire);
    if (segment == NULL) {
        char path[TABLE_PATH_BYTES];
        table_file_path(path, FILE_SEGMENT, table->id, file->file_id);
        BlockFileExpect expect = {.kind = BLOCKFILE_SEGMENT, .file_id = file->file_id, .engine_id = table->env->engine_id,
                                  .bytes = file->bytes, .crc = file->crc, .has_crc = true};
        sched->mutex_lock(sched, &file->open_lock);
        segment = atomic_load(&file->segment);
        if (segment == NULL) {
            code = segment_open(table->env->os.io, path, &expect, &segment, err);
            atomic_store_explicit(&file->segment, code == ERR_OK ? segment : NULL, memory_order_release);
        }
        sched->mutex_unlock(sched, &file->open_lock);
    }
    *segment_out = segment;
    return code;
}

void table__file_release(Table *table, SegmentFile *file) {
    assert(file->refs > 0);
    if (--file->refs > 0) {
        return;
    }
    Segment *segment = atomic_load(&file->segment);
    if (segment != NULL) {
        block_cache_forget(table->env->cache, file->file_id);
        segment_close(segment);
    }
    table->env->os.sched->mutex_deinit(table->env->os.sched, &file->open_lock);
    mem_free(file);
}

void dead_files_add(DeadFiles *dead, DeadFile file) {
    dead->sched->mutex_lock(dead->sched, &dead->lock);
    if (dead->count == dead->capacity) {
        dead->capacity = dead->capacity == 0 ? 8 : dead->capacity * 2;
        dead->files = mem_realloc(dead->files, sizeof(DeadFile) * dead->capacity);
    }
    dead->files[dead->count++] = file;
    dead->sched->mutex_unlock(dead->sched, &dead->lock);
}
