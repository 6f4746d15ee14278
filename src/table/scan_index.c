/* SPDX-License-Identifier: Apache-2.0
 * scan_index.c - see scan_index.h.
 *
 * Order:   unordered, part after part; ordered, the parts' entries are merged key by key. Stretches come one after the other.
 * Why:     entries of trees are copied a few at a time under the lock, with what the snapshot sees of their rows; a resume begins behind the
 *          last key, so that the tree may change between two helpings.
 * Tests:   test/unit/engine/test_keys.c, test/sql/index.slt */
#include "table/scan_index.h"

enum { HELPING = 256, LAST_KEY_BYTES = 64 /* of 255: above every key */, ROWS_ALWAYS = 512, ROWS_SHARE = 64 };

static bool inside(const KeyStretch *stretch, const BtreeCursor *cursor, bool descending);

/* ---- open ---- */

static ErrorCode pin_parts(Scan *scan, IndexScan *index, Error *err) {
    Table *table = scan->table;
    table__lock(table);
    scan->pins = arena_array(&scan->arena, Part *, table->part_count + 1u);
    index->sources = arena_array(&scan->arena, IndexSource, MAX_OF(table->part_count, 1u));
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        bool seen = stamp_visible(part->begin, &scan->snapshot) && !stamp_visible(part->end, &scan->snapshot);
        if (!seen || (part->file == NULL && part->chunk_count == 0)) {
            continue;
        }
        part->refs++;
        scan->pins[scan->pin_count++] = part;
        index->sources[index->source_count++].part = part;
        if (part->file == NULL) {
            (void)table__tree_fill(part, &index->shape);
        }
    }
    table__unlock(table);
    for (uint32_t i = 0; i < index->source_count; i++) {
        IndexSource *source = &index->sources[i];
        if (source->part->file != NULL) {
            TRY(table__segment_index(table, scan->def, source->part, &index->shape, &source->run, err));
        }
        buffer_init(&source->keys, SIZE_MAX);
        source->key_ends = source->first_ends;
        source->rows = source->first_rows;
        source->live = source->first_live;
        source->room = HELPING_FIRST;
    }
    return ERR_OK;
}

/* Types whose keys are equal only if the values' bytes are. */
static bool key_is_value(TypeId type) {
    switch (type) {
    case TYPE_BYTE:
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
    case TYPE_DATE:
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ: return true;
    default: return false;
    }
}

/* The value that the only probe asks of a column (a number of the definition); NULL: it asks none that is exact. */
static const void *probed_value(const IndexScan *index, const TableDef *def, const IndexRequest *request, uint16_t column) {
    for (uint16_t k = 0; request->probe_count == 1 && k < request->probes[0].equal_count; k++) {
        if (index->shape.columns[k] == column && key_is_value((TypeId)def->columns[column].type.id)) {
            return request->probes[0].equal[k];
        }
    }
    return NULL;
}

/* What the probe says of columns and filters need neither be read nor compared. */
static void use_probe(Scan *scan, IndexScan *index, const IndexRequest *request) {
    index->exact = true;
    for (uint16_t f = 0; f < scan->filter_count && index->exact; f++) {
        const ScanFilter *filter = &scan->filters[f];
        const void *value = probed_value(index, scan->def, request, filter->column);
        size_t width = physical_bytes(type_physical((TypeId)scan->def->columns[filter->column].type.id));
        bool same = value != NULL && filter->op == FILTER_EQ && filter->value_count == 1 && memcmp(value, filter->values, width) == 0;
        index->exact = same || filter->prune_only;
    }
    index->known = (const void **)arena_array(&scan->arena, void *, scan->column_count + 1u);
    for (uint16_t c = 0; c < scan->column_count; c++) {
        const void *value = probed_value(index, scan->def, request, scan->columns[c]);
        if (value != NULL) {
            void *copy = arena_alloc_aligned(&scan->arena, sizeof(uint64_t), sizeof(uint64_t)); /* the caller's lives during open only */
            memcpy(copy, value, physical_bytes(type_physical((TypeId)scan->def->columns[scan->columns[c]].type.id)));
            index->known[c] = copy;
        }
    }
}

ErrorCode scan__index_open(Scan *scan, const IndexRequest *request, Error *err) {
    const IndexDef *def = table_index_by_id(scan->def, request->index_id);
    if (def == NULL) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "index %u is not there", request->index_id);
    }
    IndexScan *index = arena_new(&scan->arena, IndexScan);
    table__shape(scan->def, def, &index->shape);
    index->ordered = request->ordered;
    index->descending = request->ordered && request->descending;
    index->stretches = arena_array(&scan->arena, KeyStretch, MAX_OF(request->probe_count, 1u));
    for (uint32_t i = 0; i < request->probe_count; i++) {
        table__stretch(&index->shape, &request->probes[i], &index->stretches[index->stretch_count++]);
    }
    use_probe(scan, index, request);
    scan->index = index;
    scan->morsel_count = 1;
    return pin_parts(scan, index, err);
}

/* ---- is it worth while? ---- */

static uint64_t tree_estimate(const Btree *tree, const KeyStretch *stretch, uint64_t limit) {
    BtreeCursor cursor;
    uint64_t count = 0;
    bool more = tree != NULL && btree_seek(tree, buffer_bytes(&stretch->from), 0, &cursor);
    for (; more && count < limit && inside(stretch, &cursor, false); more = btree_next(&cursor)) {
        count++;
    }
    return count;
}

/* Many rows one by one cost more than all of them side by side. */
bool scan__index_pays(Scan *scan) {
    const IndexScan *index = scan->index;
    uint64_t rows = 0, found = 0;
    if (index->shape.index->is_unique && index->stretch_count == 1 && index->stretches[0].whole_key) {
        return true;
    }
    table__lock(scan->table);
    for (uint32_t i = 0; i < index->source_count; i++) {
        const Part *part = index->sources[i].part;
        rows += part->file != NULL ? part->rows : part->row_end;
    }
    uint64_t limit = MAX_OF((uint64_t)ROWS_ALWAYS, rows / ROWS_SHARE);
    for (uint32_t i = 0; i < index->source_count && found <= limit; i++) {
        const IndexSource *source = &index->sources[i];
        const PartIndex *own = table__part_index(source->part, index->shape.index->id);
        for (uint32_t n = 0; n < index->stretch_count && found <= limit && !index->stretches[n].nothing; n++) {
            const KeyStretch *stretch = &index->stretches[n];
            found += source->run != NULL ? index_run_estimate(source->run, buffer_bytes(&stretch->from), buffer_bytes(&stretch->to), stretch->endless)
                                         : tree_estimate(own != NULL ? own->tree : NULL, stretch, limit + 1);
        }
    }
    table__unlock(scan->table);
    return found <= limit;
}

/* Back to a scan of all rows. */
void scan__index_leave(Scan *scan) {
    scan__index_close(scan);
    table__lock(scan->table);
    for (uint32_t i = 0; i < scan->pin_count; i++) {
        table__part_release(scan->table, scan->pins[i]);
    }
    table__unlock(scan->table);
    scan->pin_count = 0;
    scan->morsel_count = 0;
    scan->index = NULL;
}

void scan__index_close(Scan *scan) {
    IndexScan *index = scan->index;
    for (uint32_t i = 0; i < index->stretch_count; i++) {
        table__stretch_deinit(&index->stretches[i]);
    }
    for (uint32_t i = 0; i < index->source_count; i++) {
        run_cursor_release(&index->sources[i].cursor);
        buffer_deinit(&index->sources[i].keys);
    }
}

/* ---- entries ---- */

static bool row_visible(const Part *part, uint32_t offset, const Snapshot *snapshot) {
    if (part->file != NULL) {
        return !stamp_visible(ends_get(&part->ends, offset), snapshot);
    }
    const Chunk *chunk = part->chunks[table__chunk_at(part, offset)];
    uint32_t row = offset - chunk->first_offset;
    return !chunk->dropped && stamp_visible(runs_get(&chunk->runs, row), snapshot) && !stamp_visible(ends_get(&chunk->ends, row), snapshot);
}

static bool inside(const KeyStretch *stretch, const BtreeCursor *cursor, bool descending) {
    if (descending) {
        return btree_compare(cursor, buffer_bytes(&stretch->from)) >= 0;
    }
    return stretch->endless || btree_compare(cursor, buffer_bytes(&stretch->to)) < 0;
}

/* The first entry of the stretch, or the one behind the last helping's. */
static bool tree_start(const IndexScan *index, const IndexSource *source, const KeyStretch *stretch, const Btree *tree, BtreeCursor *cursor) {
    if (source->begun) {
        uint32_t from = source->count > 1 ? source->key_ends[source->count - 2] : 0;
        Bytes last = {source->keys.data + from, source->key_ends[source->count - 1] - from};
        uint32_t row = source->rows[source->count - 1];
        return index->descending ? btree_seek_before(tree, last, row, cursor) : btree_seek(tree, last, row + 1, cursor);
    }
    if (!index->descending) {
        return btree_seek(tree, buffer_bytes(&stretch->from), 0, cursor);
    }
    if (!stretch->endless) {
        return btree_seek_before(tree, buffer_bytes(&stretch->to), 0, cursor);
    }
    uint8_t last[LAST_KEY_BYTES];
    memset(last, 0xff, sizeof last);
    return btree_seek_before(tree, (Bytes){last, sizeof last}, UINT32_MAX, cursor);
}

/* Room for a larger helping. The scan's arena has no other user then: an index is one morsel, hence one cursor. The last entry is still needed. */
static void source_grow(Scan *scan, IndexSource *source) {
    uint32_t *key_ends = arena_array(&scan->arena, uint32_t, HELPING), *rows = arena_array(&scan->arena, uint32_t, HELPING);
    memcpy(key_ends, source->key_ends, source->count * sizeof *key_ends);
    memcpy(rows, source->rows, source->count * sizeof *rows);
    source->key_ends = key_ends;
    source->rows = rows;
    source->live = arena_array(&scan->arena, bool, HELPING);
    source->room = HELPING;
}

static void tree_help(ScanCursor *cursor, IndexSource *source, const KeyStretch *stretch) {
    Scan *scan = cursor->scan;
    const IndexScan *index = scan->index;
    BtreeCursor at;
    if (source->begun && source->room < HELPING) {
        source_grow(scan, source);
    }
    table__lock(scan->table);
    const PartIndex *own = table__part_index(source->part, index->shape.index->id);
    const Btree *tree = own != NULL ? own->tree : NULL;
    uint32_t room = source->room;
    bool more = tree != NULL && tree_start(index, source, stretch, tree, &at);
    uint32_t count = 0;
    buffer_clear(&source->keys);
    for (; more && count < room && inside(stretch, &at, index->descending); more = index->descending ? btree_previous(&at) : btree_next(&at)) {
        btree_key(&at, &source->keys);
        source->key_ends[count] = (uint32_t)source->keys.len;
        source->rows[count] = btree_row(&at);
        source->live[count] = row_visible(source->part, source->rows[count], &scan->snapshot);
        count++;
    }
    table__unlock(scan->table);
    source->count = count;
    source->at = 0;
    source->begun = true;
    source->last = count < room;
    source->done = count == 0;
}

static bool run_inside(const IndexScan *index, const KeyStretch *stretch, const RunCursor *at) {
    if (index->descending) {
        return key_compare(run_cursor_key(at), buffer_bytes(&stretch->from)) >= 0;
    }
    return stretch->endless || key_compare(run_cursor_key(at), buffer_bytes(&stretch->to)) < 0;
}

static ErrorCode run_start(Scan *scan, IndexSource *source, const KeyStretch *stretch, Error *err) {
    const IndexScan *index = scan->index;
    BlockCache *cache = scan->table->env->cache;
    source->begun = true;
    run_cursor_release(&source->cursor);
    source->cursor = (RunCursor){0};
    if (stretch->whole_key && index->source_count > 1) { /* the only run is where the key is, most likely */
        Buffer key;
        bool possible = false;
        buffer_init(&key, SIZE_MAX);
        buffer_append(&key, stretch->from.data, stretch->from.len);
        key_pad(&key);
        ErrorCode code = index_run_may_hold(source->run, cache, buffer_bytes(&key), &possible, err);
        buffer_deinit(&key);
        TRY(code);
        if (!possible) {
            return ERR_OK;
        }
    }
    if (!index->descending) {
        return index_run_seek(source->run, cache, buffer_bytes(&stretch->from), 0, &source->cursor, err);
    }
    uint8_t last[LAST_KEY_BYTES];
    memset(last, 0xff, sizeof last);
    Bytes end = stretch->endless ? (Bytes){last, sizeof last} : buffer_bytes(&stretch->to);
    return index_run_seek_before(source->run, cache, end, stretch->endless ? UINT32_MAX : 0, &source->cursor, err);
}

/* Steps to the next entry whose row the snapshot sees. */
static ErrorCode run_settle(Scan *scan, IndexSource *source, const KeyStretch *stretch, Error *err) {
    const IndexScan *index = scan->index;
    while (source->cursor.valid && run_inside(index, stretch, &source->cursor)) {
        table__lock(scan->table);
        bool visible = row_visible(source->part, run_cursor_row(&source->cursor), &scan->snapshot);
        table__unlock(scan->table);
        if (visible) {
            return ERR_OK;
        }
        TRY(index->descending ? run_cursor_previous(&source->cursor, err) : run_cursor_next(&source->cursor, err));
    }
    source->done = true;
    return ERR_OK;
}

/* After it the source stands on a visible entry, or is done. */
static ErrorCode source_settle(ScanCursor *cursor, IndexSource *source, const KeyStretch *stretch, Error *err) {
    if (source->run != NULL) {
        if (!source->begun) {
            TRY(run_start(cursor->scan, source, stretch, err));
        }
        return source->done ? ERR_OK : run_settle(cursor->scan, source, stretch, err);
    }
    while (!source->done) {
        while (source->begun && source->at < source->count && !source->live[source->at]) {
            source->at++;
        }
        if (source->begun && source->at < source->count) {
            return ERR_OK;
        }
        if (source->begun && source->last) { /* what is put into the stretch from now on the snapshot does not see */
            source->done = true;
            return ERR_OK;
        }
        tree_help(cursor, source, stretch);
    }
    return ERR_OK;
}

static ErrorCode source_step(const IndexScan *index, IndexSource *source, Error *err) {
    if (source->run == NULL) {
        source->at++;
        return ERR_OK;
    }
    return index->descending ? run_cursor_previous(&source->cursor, err) : run_cursor_next(&source->cursor, err);
}

static Bytes source_key(const IndexSource *source) {
    if (source->run != NULL) {
        return run_cursor_key(&source->cursor);
    }
    uint32_t from = source->at > 0 ? source->key_ends[source->at - 1] : 0;
    return (Bytes){source->keys.data + from, source->key_ends[source->at] - from};
}

static uint32_t source_row(const IndexSource *source) {
    return source->run != NULL ? run_cursor_row(&source->cursor) : source->rows[source->at];
}

/* ---- rows ---- */

/* Equal keys: the older part first, as rows arrived. */
static ErrorCode pick_ordered(ScanCursor *cursor, const KeyStretch *stretch, IndexSource **source_out, Error *err) {
    IndexScan *index = cursor->scan->index;
    IndexSource *best = NULL;
    for (uint32_t i = 0; i < index->source_count; i++) {
        IndexSource *source = &index->sources[i];
        TRY(source_settle(cursor, source, stretch, err));
        if (source->done) {
            continue;
        }
        int order = best == NULL ? -1 : key_compare(source_key(source), source_key(best));
        if (best == NULL || (index->descending ? order > 0 : order < 0)) {
            best = source;
        }
    }
    *source_out = best;
    return ERR_OK;
}

static ErrorCode pick_any(ScanCursor *cursor, const KeyStretch *stretch, IndexSource **source_out, Error *err) {
    IndexScan *index = cursor->scan->index;
    *source_out = NULL;
    for (; cursor->index_cursor->source < index->source_count; cursor->index_cursor->source++) {
        IndexSource *source = &index->sources[cursor->index_cursor->source];
        TRY(source_settle(cursor, source, stretch, err));
        if (!source->done) {
            *source_out = source;
            return ERR_OK;
        }
    }
    return ERR_OK;
}

static void stretch_begin(IndexScan *index, IndexCursor *own) {
    own->source = 0;
    own->started = true;
    for (uint32_t i = 0; i < index->source_count; i++) {
        index->sources[i].begun = index->sources[i].done = false;
        index->sources[i].count = index->sources[i].at = 0;
    }
}

static ErrorCode gather(ScanCursor *cursor, FetchRow *rows, uint16_t *count_out, Error *err) {
    IndexScan *index = cursor->scan->index;
    IndexCursor *own = cursor->index_cursor;
    uint16_t count = 0;
    while (count < BATCH_ROWS && own->stretch < index->stretch_count) {
        uint32_t number = index->descending ? index->stretch_count - 1 - own->stretch : own->stretch;
        const KeyStretch *stretch = &index->stretches[number];
        IndexSource *source = NULL;
        if (!own->started) {
            stretch_begin(index, own);
        }
        if (!stretch->nothing) {
            TRY(index->ordered ? pick_ordered(cursor, stretch, &source, err) : pick_any(cursor, stretch, &source, err));
        }
        if (source == NULL) {
            own->stretch++;
            own->started = false;
            continue;
        }
        rows[count++] = (FetchRow){source->part, source_row(source)};
        TRY(source_step(index, source, err));
    }
    *count_out = count;
    return ERR_OK;
}

void scan__index_start(ScanCursor *cursor) {
    IndexCursor *own = cursor->index_cursor;
    if (own == NULL) {
        own = cursor->index_cursor = arena_new(&cursor->arena, IndexCursor);
        table__fetcher_init(&own->fetcher, cursor->scan->table, cursor->scan->def, cursor->scan->columns, cursor->scan->column_count);
        own->fetcher.known = cursor->scan->index->known;
    }
    own->stretch = own->source = 0;
    own->started = false;
}

void scan__index_cursor_close(ScanCursor *cursor) {
    if (cursor->index_cursor != NULL) {
        table__fetcher_deinit(&cursor->index_cursor->fetcher);
    }
}

bool scan__index_read(ScanCursor *cursor, Batch *batch) {
    FetchRow rows[BATCH_ROWS];
    uint16_t count = 0;
    Error error;
    cursor->code = gather(cursor, rows, &count, &error);
    if (cursor->code == ERR_OK && count > 0) {
        cursor->code = table__fetch(&cursor->index_cursor->fetcher, rows, count, cursor->vectors, &cursor->scratch, &error);
    }
    if (cursor->code != ERR_OK) {
        Error *kept = arena_new(&cursor->arena, Error);
        *kept = error;
        cursor->index_cursor->error = kept;
    }
    if (cursor->code != ERR_OK || count == 0) {
        return false;
    }
    cursor->refs = cursor->scan->want_refs ? arena_array(&cursor->scratch, RowRef, count) : NULL;
    for (uint16_t i = 0; i < count && cursor->refs != NULL; i++) {
        cursor->refs[i] = (RowRef){rows[i].part->id, rows[i].offset};
    }
    *batch = (Batch){.row_count = count, .live_count = count, .filtered = cursor->scan->index->exact, .column_count = cursor->scan->column_count, .columns = cursor->vectors,
                     .first = {cursor->morsel_number, cursor->row_number}, .refs = cursor->refs};
    cursor->row_number += count;
    return true;
}
