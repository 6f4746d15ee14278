/* SPDX-License-Identifier: Apache-2.0
 * probe.c - what a key has now, whoever wrote it: for unique indexes, ON CONFLICT and foreign keys.
 *
 * Why:        constraints are about the present, not about a snapshot. A row that another running transaction wrote or ended may come or
 *             go; whoever meets one gives way (40001) until lock waits exist.
 * Order:      a writer's rows are in their chunk before it looks, and so are everybody else's. Of two writers of one key at least one
 *             sees the other; within one part the later place gives way, so that not both do.
 * Tests:      test/unit/engine/test_keys.c */
#include "table/index_part.h"

enum { DEAD_ENTRIES_KEPT = 8, DEAD_ENTRIES_MAX = 256 };

/* ---- parts ---- */

/* Truncated parts of other transactions stay: their rows may come back. */
static bool may_hold_live(const Part *part, Stamp own) {
    bool moved = part->moves != NULL;
    bool ended = part->end != STAMP_NEVER && (stamp_is_settled(part->end) || stamp_owner(part->end) == own);
    return !moved && !ended && (part->file != NULL || part->row_end > 0);
}

static ErrorCode ready_segments(Prober *prober, const TableDef *def, Error *err) {
    for (uint32_t i = 0; i < prober->part_count; i++) {
        if (prober->parts[i]->file != NULL) {
            TRY(table__segment_index(prober->table, def, prober->parts[i], prober->shape, &prober->runs[i], err));
        }
    }
    return ERR_OK;
}

ErrorCode table__prober_open(Table *table, const TableDef *def, const IndexShape *shape, Stamp own, Prober *prober, Error *err) {
    *prober = (Prober){.table = table, .shape = shape, .own = own};
    table__lock(table);
    prober->parts = mem_alloc(sizeof(Part *) * (table->part_count + 1u));
    prober->runs = mem_calloc(table->part_count + 1u, sizeof *prober->runs);
    for (uint32_t i = table->part_count; i > 0; i--) { /* newest first */
        Part *part = table->parts[i - 1];
        if (!may_hold_live(part, own)) {
            continue;
        }
        part->refs++;
        prober->parts[prober->part_count++] = part;
        if (part->file == NULL) {
            (void)table__tree_fill(part, shape);
        }
    }
    table__unlock(table);
    ErrorCode code = ready_segments(prober, def, err);
    if (code != ERR_OK) {
        table__prober_close(prober);
    }
    return code;
}

void table__prober_close(Prober *prober) {
    table__lock(prober->table);
    for (uint32_t i = 0; i < prober->part_count; i++) {
        table__part_release(prober->table, prober->parts[i]);
    }
    table__unlock(prober->table);
    mem_free(prober->parts);
    mem_free(prober->runs);
    prober->runs = NULL;
    prober->part_count = 0;
    prober->parts = NULL;
}

/* ---- rows ---- */

/* Rows that a publish has moved have begun long ago, even while its record is on the way to the disk. */
static Stamp begin_of(const Part *part, uint32_t offset) {
    Stamp begin = part->begin;
    if (part->file == NULL) {
        const Chunk *chunk = part->chunks[table__chunk_at(part, offset)];
        begin = runs_get(&chunk->runs, offset - chunk->first_offset);
    }
    return begin == part->published && begin != 0 ? 1 : begin;
}

/* Dead for everybody from now on: no snapshot sees it, and no rollback brings it back. */
static bool is_garbage(const Part *part, uint32_t offset, Stamp end, uint64_t horizon) {
    return end == STAMP_ALWAYS || (end <= horizon && stamp_is_settled(begin_of(part, offset)));
}

/* Adds one row to the answer; under the lock. */
static void judge(const Prober *prober, Part *part, uint32_t offset, KeyOwner *owner) {
    Stamp end = table__newest_end(prober->table, part, offset);
    if (end == STAMP_ALWAYS) {
        return;
    }
    Stamp begin = begin_of(part, offset);
    if (part->end != STAMP_NEVER && part->moves == NULL && stamp_is_number(part->end)) {
        end = stamp_owner(part->end) == prober->own ? part->end : MIN_OF(end, part->end);
    }
    bool foreign_begin = stamp_is_number(begin) && stamp_owner(begin) != prober->own;
    bool foreign_end = stamp_is_number(end) && stamp_owner(end) != prober->own;
    if (foreign_begin) { /* written and ended by the same one: a rollback to a savepoint may bring it back */
        owner->begun_by = stamp_owner(begin);
        return;
    }
    if (end == STAMP_NEVER) {
        owner->live = true;
        owner->row = (RowRef){part->id, offset};
    } else if (foreign_end) {
        owner->ended_by = stamp_owner(end);
    }
}

/* ---- trees ---- */

static void remove_dead(Prober *prober, PartIndex *index, Part *part, const uint32_t *rows, uint32_t count, Bytes key) {
    const TableEnv *env = prober->table->env;
    if (count <= DEAD_ENTRIES_KEPT || env->horizon == NULL || part->file != NULL) {
        return;
    }
    uint64_t horizon = env->horizon(env->horizon_context);
    for (uint32_t i = 0; i < count; i++) {
        Stamp end = table__newest_end(prober->table, part, rows[i]);
        if (is_garbage(part, rows[i], end, horizon)) {
            (void)btree_remove(index->tree, key, rows[i]);
        }
    }
}

/* Under the lock. Entries whose rows have ended are remembered, so that a key that changes often does not gather them. */
static void find_in_tree(Prober *prober, Part *part, const KeyQuestion *question, KeyOwner *owner) {
    PartIndex *index = table__part_index(part, prober->shape->index->id);
    if (index == NULL || index->tree == NULL) {
        return;
    }
    uint32_t dead[DEAD_ENTRIES_MAX];
    uint32_t dead_count = 0;
    BtreeCursor cursor;
    bool more = btree_seek(index->tree, question->head, 0, &cursor);
    for (; more && !owner->live && btree_starts_with(&cursor, question->head); more = btree_next(&cursor)) {
        uint32_t offset = btree_row(&cursor);
        if (part->id == question->self && offset >= question->self_offset) {
            continue;
        }
        if (question->whole_key && dead_count < DEAD_ENTRIES_MAX && stamp_is_settled(table__newest_end(prober->table, part, offset))) {
            dead[dead_count++] = offset;
        }
        judge(prober, part, offset, owner);
    }
    if (dead_count > DEAD_ENTRIES_KEPT) {
        Buffer key;
        buffer_init(&key, INDEX_KEY_BYTES_MAX);
        buffer_append(&key, question->head.data, question->head.len);
        key_pad(&key);
        remove_dead(prober, index, part, dead, dead_count, buffer_bytes(&key));
        buffer_deinit(&key);
    }
}

/* ---- runs ---- */

static bool starts_with(Bytes key, Bytes head) { return key.len >= head.len && memcmp(key.data, head.data, head.len) == 0; }

static ErrorCode find_in_run(Prober *prober, Part *part, const IndexRun *run, const KeyQuestion *question, KeyOwner *owner, Error *err) {
    BlockCache *cache = prober->table->env->cache;
    RunCursor cursor = {0};
    if (question->whole_key) {
        uint8_t padded[INDEX_KEY_BYTES_MIN] = {0};
        Bytes key = question->head;
        bool possible = false;
        if (key.len < INDEX_KEY_BYTES_MIN) {
            memcpy(padded, key.data, key.len);
            key = (Bytes){padded, INDEX_KEY_BYTES_MIN};
        }
        TRY(index_run_may_hold(run, cache, key, &possible, err));
        if (!possible) {
            return ERR_OK;
        }
    }
    ErrorCode code = index_run_seek(run, cache, question->head, 0, &cursor, err);
    while (code == ERR_OK && cursor.valid && !owner->live && starts_with(run_cursor_key(&cursor), question->head)) {
        table__lock(prober->table);
        judge(prober, part, run_cursor_row(&cursor), owner);
        table__unlock(prober->table);
        code = run_cursor_next(&cursor, err);
    }
    run_cursor_release(&cursor);
    return code;
}

ErrorCode table__prober_find(Prober *prober, const KeyQuestion *question, KeyOwner *owner_out, Error *err) {
    *owner_out = (KeyOwner){0};
    table__lock(prober->table);
    for (uint32_t i = 0; i < prober->part_count && !owner_out->live; i++) {
        if (prober->runs[i] == NULL) {
            find_in_tree(prober, prober->parts[i], question, owner_out);
        }
    }
    table__unlock(prober->table);
    for (uint32_t i = 0; i < prober->part_count && !owner_out->live; i++) {
        if (prober->runs[i] != NULL) {
            TRY(find_in_run(prober, prober->parts[i], prober->runs[i], question, owner_out, err));
        }
    }
    return ERR_OK;
}
