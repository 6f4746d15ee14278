/* SPDX-License-Identifier: Apache-2.0
 * part.c - tables and their part lists: create, find, pin, free.
 *
 * Threads: everything under the table's lock, but create and destroy.
 * Tests:   test/unit/table/test_table.c */
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
        table__part_release(table->parts[i]);
    }
    mem_free(table->parts);
    mem_free(table->writers);
    table->env->os.sched->cond_deinit(table->env->os.sched, &table->filled);
    table->env->os.sched->mutex_deinit(table->env->os.sched, &table->lock);
    mem_free(table);
}

uint32_t table_id(const Table *table) { return table->id; }

static void list_add(Table *table, Part *part) {
    if (table->part_count == table->part_capacity) {
        table->part_capacity = table->part_capacity == 0 ? 4 : table->part_capacity * 2;
        table->parts = mem_realloc(table->parts, sizeof(Part *) * table->part_capacity);
    }
    table->parts[table->part_count++] = part;
}

Part *table__part_create(Table *table, uint32_t id, ChunkLayout *layout) {
    Part *part = mem_calloc(1, sizeof *part);
    *part = (Part){.id = id, .refs = 1, .rank = id, .end = STAMP_NEVER, .layout = layout};
    table->next_part_id = MAX_OF(table->next_part_id, id + 1);
    list_add(table, part);
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

void table__part_release(Part *part) {
    assert(part->refs > 0);
    if (--part->refs > 0) {
        return;
    }
    for (uint32_t i = 0; i < part->chunk_count; i++) {
        chunk_destroy(part->chunks[i]);
    }
    mem_free(part->chunks);
    mem_free(part->layout);
    mem_free(part);
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

Chunk *table__chunk_add(Table *table, Part *part, uint32_t capacity, bool zeroed) {
    const Chunk *last = part->chunk_count > 0 ? part->chunks[part->chunk_count - 1] : NULL;
    uint32_t first_offset = last == NULL ? 0 : last->first_offset + last->capacity;
    if (part->chunk_count == part->chunk_capacity) {
        part->chunk_capacity = part->chunk_capacity == 0 ? 4 : part->chunk_capacity * 2;
        part->chunks = mem_realloc(part->chunks, sizeof(Chunk *) * part->chunk_capacity);
    }
    Chunk *chunk = chunk_create(&table->env->pool, part->layout, first_offset, capacity, zeroed);
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
    LayoutColumn *columns = mem_calloc(def->column_count, sizeof *columns);
    for (uint16_t i = 0; i < def->column_count; i++) {
        columns[i] = (LayoutColumn){def->columns[i].id, def->columns[i].type};
    }
    ChunkLayout *layout = layout_create(columns, def->column_count, def->designated);
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

void table_figures(Table *table, TableFigures *figures_out) {
    *figures_out = (TableFigures){0};
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count; i++) {
        const Part *part = table->parts[i];
        figures_out->parts++;
        for (uint32_t c = 0; c < part->chunk_count && part->end == STAMP_NEVER; c++) {
            chunk_figures(part->chunks[c], figures_out);
        }
    }
    table__unlock(table);
}

void table_collect(Table *table, uint64_t horizon) {
    table__lock(table);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        for (uint32_t c = 0; c < part->chunk_count; c++) {
            runs_collapse(&part->chunks[c]->runs, horizon);
            ends_collapse(&part->chunks[c]->ends, horizon);
        }
        if (part->end <= horizon) {
            table__part_release(part);
        } else {
            table->parts[kept++] = part;
        }
    }
    table->part_count = kept;
    table__unlock(table);
}
