/* SPDX-License-Identifier: Apache-2.0
 * part.c - tables and their part lists: create, find, pin, free.
 *
 * Threads: everything under the table's lock, but create and destroy.
 * Tests:   test/unit/engine/test_engine.c, test_history.c */
#include "base/plant.h"
#include "table/table_internal.h"

void table__lock(Table *table) { table->env->os.sched->mutex_lock(table->env->os.sched, &table->lock); }
void table__unlock(Table *table) { table->env->os.sched->mutex_unlock(table->env->os.sched, &table->lock); }

Table *table_create(TableEnv *env, uint32_t id) {
    Table *table = mem_calloc(1, sizeof *table);
    table->env = env;
    table->id = id;
    table->next_part_id = 1;
    env->os.sched->mutex_init(env->os.sched, &table->lock);
    env->os.sched->cond_init(env->os.sched, &table->filled);
    return table;
}

void table_destroy(Table *table) {
    if (table == NULL) {
        return;
    }
    for (uint32_t i = 0; i < table->part_count; i++) {
        assert(table->parts[i]->refs == 1);
        table__part_release(table, table->parts[i]);
    }
    mem_free(table->parts);
    mem_free(table->writers);
    table->env->os.sched->cond_deinit(table->env->os.sched, &table->filled);
    table->env->os.sched->mutex_deinit(table->env->os.sched, &table->lock);
    mem_free(table);
}

uint32_t table_id(const Table *table) { return table->id; }

/* By rank; parts of one rank do not overlap and lie by time. */
static bool lies_before(const Part *a, const Part *b) {
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    if (a->min != b->min || a->max != b->max) {
        return a->min != b->min ? a->min < b->min : a->max < b->max;
    }
    return a->id < b->id;
}

void table__part_insert(Table *table, Part *part) {
    if (table->part_count == table->part_capacity) {
        table->part_capacity = table->part_capacity == 0 ? 4 : table->part_capacity * 2;
        table->parts = mem_realloc(table->parts, sizeof(Part *) * table->part_capacity);
    }
    uint32_t at = table->part_count++;
    for (; at > 0 && lies_before(part, table->parts[at - 1]); at--) {
        table->parts[at] = table->parts[at - 1];
    }
    table->parts[at] = part;
    table->next_part_id = MAX_OF(table->next_part_id, part->id + 1);
    table->changes++;
    if (part->file != NULL) {
        part->file->listed++;
    }
}

Part *table__part_create(Table *table, uint32_t id, ChunkLayout *layout) {
    Part *part = mem_calloc(1, sizeof *part);
    *part = (Part){.id = id, .refs = 1, .rank = id, .end = STAMP_NEVER, .layout = layout};
    table__part_insert(table, part);
    return part;
}

Part *table__part_find(Table *table, uint32_t id) {
    for (uint32_t i = table->part_count; i > 0; i--) { /* the newest parts are asked for most */
        if (table->parts[i - 1]->id == id) {
            return table->parts[i - 1];
        }
    }
    return NULL;
}


void table__part_release(Table *table, Part *part) {
    assert(part->refs > 0);
    if (--part->refs > 0) {
        return;
    }
    for (uint32_t i = 0; i < part->chunk_count; i++) {
        chunk_destroy(part->chunks[i]);
    }
    if (part->file != NULL) {
        table__file_release(table, part->file);
    }
    table__part_indexes_free(table, part);
    table__moves_free(part->moves);
    ends_deinit(&part->ends);
    mem_free(part->chunks);
    mem_free(part->layout);
    mem_free(part);
}

/* A file is dead once no part of the list names it, from the newest record on that took one of its parts out. */
static void unlist_file(Table *table, SegmentFile *file, uint64_t lsn) {
    file->listed--;
    file->dead_lsn = MAX_OF(file->dead_lsn, lsn);
    if (lsn != 0 && (file->listed == 0 || PLANTED(SLICES_KILL_THEIR_FILE))) {
        dead_files_add(&table->env->dead, (DeadFile){table->id, FILE_SEGMENT, file->file_id, file->dead_lsn});
    }
}

void table__part_remove(Table *table, Part *part, uint64_t lsn) {
    table->changes++;
    for (uint32_t i = 0; i < table->part_count; i++) {
        if (table->parts[i] == part) {
            memmove(&table->parts[i], &table->parts[i + 1], sizeof(Part *) * (table->part_count - i - 1));
            table->part_count--;
            break;
        }
    }
    if (part->file != NULL) {
        unlist_file(table, part->file, lsn);
    }
    if (lsn != 0) {
        table__runs_dead(table, part, lsn);
    }
    table__part_release(table, part);
}

bool table__end_place(Part *part, uint32_t offset, EndPlace *place_out) {
    if (offset >= part->row_end) {
        return false;
    }
    if (part->file != NULL) {
        *place_out = (EndPlace){&part->ends, offset, part->row_end};
        return true;
    }
    Chunk *chunk = part->chunks[table__chunk_at(part, offset)];
    *place_out = (EndPlace){&chunk->ends, offset - chunk->first_offset, chunk->capacity};
    return place_out->row < chunk->reserved;
}

bool table__moved(Table *table, const Part *part, uint32_t offset, Part **part_out, uint32_t *offset_out) {
    if (part->moves == NULL) {
        return false;
    }
    RowRef to = table__moves_find(part, part->moves, offset);
    *part_out = to.part != 0 ? table__part_find(table, to.part) : NULL;
    *offset_out = to.offset;
    return *part_out != NULL;
}

uint32_t table__chunk_at(const Part *part, uint32_t offset) {
    assert(part->chunk_count > 0);
    uint32_t low = 0;
    uint32_t high = part->chunk_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (part->chunks[middle]->first_offset <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

Chunk *table__chunk_add(Table *table, Part *part, uint32_t capacity, bool to_be_placed) {
    const Chunk *last = part->chunk_count > 0 ? part->chunks[part->chunk_count - 1] : NULL;
    uint32_t first_offset = last == NULL ? 0 : last->first_offset + last->capacity;
    if (part->chunk_count == part->chunk_capacity) {
        part->chunk_capacity = part->chunk_capacity == 0 ? 4 : part->chunk_capacity * 2;
        part->chunks = mem_realloc(part->chunks, sizeof(Chunk *) * part->chunk_capacity);
    }
    Chunk *chunk = chunk_create(&table->env->pool, part->layout, first_offset, capacity, to_be_placed);
    part->chunks[part->chunk_count++] = chunk;
    return chunk;
}

void table__visit_rows(Part *part, uint32_t first, uint32_t count, ChunkVisit visit, void *context) {
    uint32_t end = first + count;
    for (uint32_t at = table__chunk_at(part, first); first < end; at++) {
        assert(at < part->chunk_count);
        Chunk *chunk = part->chunks[at];
        uint32_t stop = MIN_OF(end, chunk->first_offset + chunk->capacity);
        visit(context, chunk, first - chunk->first_offset, stop - chunk->first_offset);
        first = stop;
    }
}

ChunkLayout *table__layout_of(const TableDef *def) {
    uint16_t count = table_stored_count(def);
    LayoutColumn *columns = mem_calloc(count + 1u, sizeof *columns);
    for (uint16_t i = 0; i < count; i++) {
        columns[i] = (LayoutColumn){def->columns[i].id, def->columns[i].type};
    }
    ChunkLayout *layout = layout_create(columns, count, def->designated);
    mem_free(columns);
    return layout;
}

/* ---- who writes ---- */

static bool is_writer(const Table *table, Stamp own) {
    for (uint32_t i = table->writer_count; i > 0; i--) {
        if (table->writers[i - 1] == own) {
            return true;
        }
    }
    return false;
}

bool table__writer_add(Table *table, Stamp own) {
    if ((table->claim != 0 && table->claim != own) || (table->writer_count == TABLE_WRITERS_MAX && !is_writer(table, own))) {
        return false;
    }
    if (is_writer(table, own)) {
        return true;
    }
    if (table->writer_count == table->writer_capacity) {
        table->writer_capacity = table->writer_capacity == 0 ? 4 : table->writer_capacity * 2;
        table->writers = mem_realloc(table->writers, sizeof(Stamp) * table->writer_capacity);
    }
    table->writers[table->writer_count++] = own;
    return true;
}

ErrorCode table_claim(Table *table, const Snapshot *snapshot, Error *err) {
    table__lock(table);
    bool others = table->claim != 0 && table->claim != snapshot->own;
    for (uint32_t i = 0; i < table->writer_count; i++) {
        others = others || table->writers[i] != snapshot->own;
    }
    if (!others) {
        table->claim = snapshot->own;
    }
    table__unlock(table);
    return others ? error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "another transaction is writing to the table") : ERR_OK;
}

void table_writer_end(Table *table, Stamp own) {
    table__lock(table);
    for (uint32_t i = 0; i < table->writer_count; i++) {
        if (table->writers[i] == own) {
            table->writers[i] = table->writers[--table->writer_count];
            break;
        }
    }
    if (table->claim == own) {
        table->claim = 0;
    }
    table__unlock(table);
}

static void chunk_figures(const Chunk *chunk, TableFigures *figures) {
    figures->rows += chunk->filled - MIN_OF(chunk->filled, chunk->ends.ended_rows);
    figures->memory_bytes += chunk->bytes;
    if (chunk->times.any) {
        figures->min_time = figures->has_time ? MIN_OF(figures->min_time, chunk->times.min) : chunk->times.min;
        figures->max_time = figures->has_time ? MAX_OF(figures->max_time, chunk->times.max) : chunk->times.max;
        figures->has_time = true;
    }
}

static void segment_figures(const Part *part, uint64_t round, TableFigures *figures) {
    if (part->file->figure_round != round) { /* slices of one file count once */
        part->file->figure_round = round;
        figures->segments++;
        figures->disk_bytes += part->file->bytes;
    }
    figures->rows += part->rows - MIN_OF(part->rows, (uint64_t)part->ends.ended_rows);
    if (part->has_time) {
        figures->min_time = figures->has_time ? MIN_OF(figures->min_time, part->min) : part->min;
        figures->max_time = figures->has_time ? MAX_OF(figures->max_time, part->max) : part->max;
        figures->has_time = true;
    }
}

void table_figures(Table *table, TableFigures *figures_out) {
    table__lock(table);
    *figures_out = (TableFigures){.written = table->written};
    uint64_t round = ++table->figure_round;
    for (uint32_t i = 0; i < table->part_count; i++) {
        const Part *part = table->parts[i];
        figures_out->parts++;
        if (part->end != STAMP_NEVER) {
            continue;
        }
        if (part->file != NULL) {
            segment_figures(part, round, figures_out);
        }
        for (uint32_t c = 0; c < part->chunk_count; c++) {
            chunk_figures(part->chunks[c], figures_out);
        }
    }
    table__unlock(table);
}

/* A chunk all of whose rows are dead for everybody gives its memory back; scans that are open may still touch it. */
static void drop_dead_chunks(Part *part, bool all) {
    for (uint32_t c = 0; c < part->chunk_count && part->refs == 1; c++) {
        Chunk *chunk = part->chunks[c];
        bool dead = chunk->filled == chunk->capacity && ends_all_old(&chunk->ends, chunk->capacity);
        if (all || dead) {
            chunk_drop_rows(chunk);
        }
    }
}

/* Sealed and without a live row: nothing in the log needs it either, for a replay finds the same rows dead. */
static bool is_empty(const Part *part) {
    bool empty = part->file == NULL && part->sealed && part->refs == 1 && !part->busy && part->end == STAMP_NEVER;
    for (uint32_t c = 0; c < part->chunk_count && empty; c++) {
        const Chunk *chunk = part->chunks[c];
        empty = chunk->filled == chunk->reserved && (chunk->filled == 0 || (chunk->ends.ended_rows == chunk->filled && runs_all_settled(&chunk->runs)));
    }
    return empty;
}

static bool all_ends_old(const Part *part, uint64_t horizon) {
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        uint32_t row = 0;
        Stamp stamp = 0;
        for (uint32_t at = 0; ends_next(&part->chunks[c]->ends, &at, &row, &stamp);) {
            if (stamp > horizon) {
                return false;
            }
        }
    }
    return true;
}

void table__drop_dead_chunks(Table *table) {
    for (uint32_t i = 0; i < table->part_count; i++) {
        drop_dead_chunks(table->parts[i], false);
    }
}

static void collect_part(Part *part, uint64_t horizon) {
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        runs_collapse(&part->chunks[c]->runs, horizon);
        ends_collapse(&part->chunks[c]->ends, horizon);
    }
    ends_collapse(&part->ends, horizon);
    drop_dead_chunks(part, part->end <= horizon);
    table__trees_sweep(part);
}

void table_collect(Table *table, uint64_t horizon, uint64_t begin_horizon) {
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count;) {
        Part *part = table->parts[i];
        collect_part(part, horizon);
        if (is_empty(part) && all_ends_old(part, horizon)) {
            part->end = STAMP_ALWAYS;
        }
        if (part->end <= begin_horizon && !part->busy) {
            table__part_remove(table, part, part->end);
        } else {
            i++;
        }
    }
    table__unlock(table);
}

void table_kill_files(Table *table, uint64_t lsn) {
    table__lock(table);
    uint64_t round = ++table->figure_round;
    for (uint32_t i = 0; i < table->part_count; i++) {
        SegmentFile *file = table->parts[i]->file;
        if (file != NULL && file->figure_round != round) {
            file->figure_round = round;
            dead_files_add(&table->env->dead, (DeadFile){table->id, FILE_SEGMENT, file->file_id, lsn});
        }
        table__runs_dead(table, table->parts[i], lsn);
    }
    table__unlock(table);
}

bool table_names_file(Table *table, uint64_t file_id) {
    bool found = false;
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count && !found; i++) {
        found = (table->parts[i]->file != NULL && table->parts[i]->file->file_id == file_id) || table__names_run(table->parts[i], file_id);
    }
    table__unlock(table);
    return found;
}
