/* SPDX-License-Identifier: Apache-2.0
 * scan_latest.c - the newest visible row of each symbol, newest blocks first (RowSource.latest).
 *
 * Why:        a segment stores the last row of each of its symbols. For a row block of a segment in which nothing has ended, the rows wanted
 *             are those whose symbol was not found yet: nothing else of the block is read, and a block without such a symbol costs a walk
 *             over the segment's list. In memory the codes alone are looked at. Merged or partly ended blocks are read backward.
 * Invariants: morsels are visited in descending time; within one the newest row comes first, so the first row of a symbol is its newest.
 *             NULL is a symbol of its own.
 * Tests:      test/sql/timeseries.slt and latest.slt (variants) */
#include "table/scan_internal.h"

struct LatestState {
    uint16_t column;             /* place among the requested columns */
    uint64_t *found;             /* a bit a code, then one for NULL */
    uint32_t code_count;
    uint32_t next_morsel;
    bool reading;                /* the current morsel is read row by row */
    uint16_t *picks;             /* rows of the current block */
    uint32_t pick_count, next_pick;
};

static struct LatestState *state_create(ScanCursor *cursor, uint16_t symbol) {
    const Scan *scan = cursor->scan;
    struct LatestState *state = arena_new(&cursor->arena, struct LatestState);
    while (state->column < scan->column_count && scan->columns[state->column] != symbol) {
        state->column++;
    }
    assert(state->column < scan->column_count); /* the key is one of the columns asked for */
    const SymbolTable *symbols = scan->def->columns[symbol].symbols;
    state->code_count = (uint32_t)symbols->count(symbols); /* after the capture: every visible row's code is below */
    state->found = arena_array(&cursor->arena, uint64_t, words_for(state->code_count + 1u));
    state->picks = arena_array(&cursor->arena, uint16_t, BLOCK_ROWS);
    return state;
}

static bool take_new(struct LatestState *state, uint32_t code) {
    if (bit_get(state->found, code)) {
        return false;
    }
    bit_set(state->found, code);
    return true;
}

/* May the symbol list answer for the loaded block? */
static bool listed(const ScanCursor *cursor, const struct LatestState *state, uint16_t *place_out) {
    const LoadedBlock *loaded = &cursor->members[0];
    const ScanBlock *block = loaded->block;
    if (cursor->member_count != 1 || block->segment == NULL || loaded->live != NULL || cursor->morsel->ranged || block->map[state->column] < 0) {
        return false;
    }
    SegmentBlockStats stats;
    *place_out = (uint16_t)block->map[state->column];
    segment_block_stats(block->segment, block->segment_block, *place_out, &stats);
    return stats.values.null_count == 0 || bit_get(state->found, state->code_count);
}

/* A symbol not found yet whose last row lies in a later block of the file: that row has ended or moved, so an earlier one may count. */
static bool list_is_stale(const struct LatestState *state, const SegmentSymbols *symbols, uint64_t block_end) {
    for (uint32_t i = 0; i < symbols->count; i++) {
        if (symbols->last_rows[i] >= block_end && symbols->codes[i] < state->code_count && !bit_get(state->found, symbols->codes[i])) {
            return true;
        }
    }
    return false;
}

static void mark_listed(ScanCursor *cursor, struct LatestState *state, const SegmentSymbols *symbols, uint64_t first, uint64_t end) {
    for (uint32_t i = 0; i < symbols->count; i++) {
        bool here = symbols->last_rows[i] >= first && symbols->last_rows[i] < end;
        if (here && symbols->codes[i] < state->code_count && take_new(state, symbols->codes[i])) {
            bit_set(cursor->latest_rows, symbols->last_rows[i] - first);
        }
    }
}

static ErrorCode pick_listed(ScanCursor *cursor, struct LatestState *state, uint16_t place, bool *usable_out, Error *err) {
    const ScanBlock *block = cursor->members[0].block;
    BlockCache *cache = cursor->scan->table->env->cache;
    SegmentSymbols symbols;
    TRY(segment_symbols(block->segment, place, cache, usable_out, &symbols, err));
    uint64_t first = segment_block_first_row(block->segment, block->segment_block);
    *usable_out = *usable_out && !list_is_stale(state, &symbols, first + block->row_count);
    if (*usable_out) {
        mark_listed(cursor, state, &symbols, first, first + block->row_count);
    }
    block_cache_release(cache, &symbols.pin);
    return ERR_OK;
}

/* Rows marked in latest_rows become picks, ascending. */
static void collect_picks(ScanCursor *cursor, struct LatestState *state) {
    state->pick_count = state->next_pick = 0;
    for (uint32_t w = 0; w < BLOCK_WORDS; w++) {
        for (uint64_t word = cursor->latest_rows[w]; word != 0; word &= word - 1) {
            state->picks[state->pick_count++] = (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(word));
        }
        cursor->latest_rows[w] = 0;
    }
}

/* A chunk of memory by itself: its codes lie there, and are looked at from the newest row back. */
static bool is_chunk(const ScanCursor *cursor) {
    return cursor->member_count == 1 && cursor->members[0].block->chunk != NULL && !cursor->morsel->ranged;
}

static void pick_chunk(ScanCursor *cursor, struct LatestState *state) {
    const LoadedBlock *loaded = &cursor->members[0];
    const LoadedColumn *symbols = &loaded->columns[state->column];
    for (uint32_t position = loaded->to; position-- > loaded->from;) {
        uint32_t row = scan__row_at(loaded, position), place = symbols->constant ? 0 : row;
        if (loaded->live != NULL && !bit_get(loaded->live, row)) {
            continue;
        }
        bool is_null = symbols->valid != NULL && !bit_get(symbols->valid, place);
        uint32_t code = is_null ? state->code_count : ((const uint32_t *)symbols->data)[place];
        if (code <= state->code_count && take_new(state, code)) {
            bit_set(cursor->latest_rows, row);
        }
    }
    atomic_fetch_add_explicit(&cursor->scan->rows_read, loaded->to - loaded->from, memory_order_relaxed);
}

static ErrorCode start_morsel(ScanCursor *cursor, struct LatestState *state, Error *err) {
    Morsel morsel = {.number = state->next_morsel++};
    uint16_t place = 0;
    bool usable = false;
    scan__cursor_start(cursor, &morsel);
    state->reading = true;
    if (cursor->code == ERR_OK && is_chunk(cursor)) {
        state->reading = false;
        pick_chunk(cursor, state);
        collect_picks(cursor, state);
        return ERR_OK;
    }
    if (cursor->member_count == 0 || cursor->code != ERR_OK || !listed(cursor, state, &place)) {
        return ERR_OK;
    }
    TRY(pick_listed(cursor, state, place, &usable, err));
    state->reading = !usable;
    collect_picks(cursor, state);
    return ERR_OK;
}

static bool emit_picks(ScanCursor *cursor, struct LatestState *state, Batch *batch) {
    uint32_t count = MIN_OF(state->pick_count - state->next_pick, (uint32_t)BATCH_ROWS);
    if (count == 0) {
        return false;
    }
    memcpy(cursor->index, state->picks + state->next_pick, count * sizeof *cursor->index);
    state->next_pick += count;
    cursor->cached = true; /* whatever the table's size: only blocks that hold somebody's last row are read */
    if (cursor->members[0].block->segment != NULL) {
        scan__emit_rows(cursor, count, batch);
    } else {
        scan__emit_index(cursor, count, batch);
    }
    return true;
}

/* Keeps the rows of a batch (newest first) whose symbol is new. */
static ErrorCode keep_new(ScanCursor *cursor, struct LatestState *state, Batch *batch, Error *err) {
    Vector codes = batch->columns[state->column];
    TRY(vector_flat(&codes, &cursor->scratch, err));
    uint64_t kept[BATCH_WORDS] = {0};
    for (uint16_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        bool is_null = codes.valid != NULL && !bit_get(codes.valid, row);
        uint32_t code = is_null ? state->code_count : ((const uint32_t *)codes.data)[row];
        if (code <= state->code_count && take_new(state, code)) {
            bit_set(kept, row);
        }
    }
    batch_filter(batch, kept, &cursor->scratch);
    return ERR_OK;
}

ErrorCode scan__latest(Scan *scan, uint16_t symbol, ScanCursor *cursor, Batch *batch_out, Error *err) {
    assert(scan->order == SCAN_DESCENDING);
    if (cursor->latest == NULL) {
        cursor->latest = state_create(cursor, symbol);
        cursor->latest_rows = arena_array(&cursor->arena, uint64_t, BLOCK_WORDS);
    }
    struct LatestState *state = cursor->latest;
    for (;;) {
        if (state->reading) {
            TRY(scan__cursor_read(cursor, batch_out, err));
            if (batch_out->row_count > 0) {
                TRY(keep_new(cursor, state, batch_out, err));
                if (batch_out->live_count > 0) {
                    return ERR_OK;
                }
                continue;
            }
        } else {
            *batch_out = (Batch){.columns = cursor->vectors, .column_count = scan->column_count};
            arena_reset(&cursor->scratch);
            if (emit_picks(cursor, state, batch_out)) {
                return scan__cursor_code(cursor, err);
            }
        }
        if (state->next_morsel == scan->morsel_count) {
            *batch_out = (Batch){0};
            return ERR_OK;
        }
        TRY(start_morsel(cursor, state, err));
    }
}
