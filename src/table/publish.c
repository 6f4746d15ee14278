/* SPDX-License-Identifier: Apache-2.0
 * publish.c - flush and merge as a change of the part list: run, install, settle or abort; and their redo.
 *
 * Why:        new snapshots read the new parts, old ones the old parts until nobody needs them: parts have begin and end stamps like rows,
 *             so a publish disturbs no reader. Ends that arrive on an old part go on to the new one through its moves.
 * Invariants: install runs while every earlier commit is settled and no later one can name a row; so the record's ends are complete.
 *             Rows that ended at or below the horizon are left out; nobody can see or end them.
 * Tests:      test/unit/engine/test_segments.c, test_history.c */
#include "table/scan_internal.h"

struct Rewrite {
    Table *table;
    RewriteInput *inputs;
    uint32_t input_count;
    RewriteOutput output;
    Part **parts;                /* of the output once installed */
    uint32_t rank;
    bool merge;
};

static Rewrite *rewrite_create(Table *table, Part **parts, uint32_t part_count, bool merge) {
    Rewrite *rewrite = mem_calloc(1, sizeof *rewrite);
    rewrite->table = table;
    rewrite->merge = merge;
    rewrite->inputs = mem_calloc(part_count, sizeof *rewrite->inputs);
    rewrite->input_count = part_count;
    rewrite->rank = parts[0]->rank;
    for (uint32_t i = 0; i < part_count; i++) {
        rewrite->inputs[i].part = parts[i];
        rewrite->rank = MIN_OF(rewrite->rank, parts[i]->rank);
        parts[i]->busy = true;
        parts[i]->refs++;
    }
    return rewrite;
}

/* ---- what is due ---- */

static size_t memory_bytes(const Part *part) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        bytes += part->chunks[c]->bytes;
    }
    bytes += table__trees_bytes(part);
    return bytes;
}

static bool is_settled(const Part *part) {
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        const Chunk *chunk = part->chunks[c];
        if (chunk->filled != chunk->reserved || !runs_all_settled(&chunk->runs)) {
            return false;
        }
    }
    return true;
}

Rewrite *table_flush_pick(Table *table, const FlushPolicy *policy) {
    Rewrite *rewrite = NULL;
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count && rewrite == NULL; i++) {
        Part *part = table->parts[i];
        if (part->file != NULL || part->end != STAMP_NEVER || part->busy || part->row_end == 0) {
            continue;
        }
        if (!part->sealed && !policy->sealed_only && memory_bytes(part) >= policy->seal_bytes) {
            part->sealed = true;
        }
        if (part->sealed && is_settled(part)) {
            rewrite = rewrite_create(table, &part, 1, false);
        }
    }
    table__unlock(table);
    return rewrite;
}

/* Parts of one rank came from one rewrite: disjoint in time, one level of the merge tree. */
typedef struct Level { uint32_t first, count; uint64_t rows; int64_t min, max; bool has_time; } Level;
enum { LEVELS_MAX = 4096, MERGE_FAN_IN = 4, MERGE_FAN_IN_MAX = 8, TIER_ROWS = 32768, MERGE_ROWS_JOIN = 1 << 20, MERGE_ROWS_MAX = 8 << 20, PARTS_MAX = 256 };

static int tier_of(uint64_t rows) {
    int tier = 0;
    for (uint64_t bound = TIER_ROWS; rows > bound; bound *= 4) {
        tier++;
    }
    return tier;
}

static bool is_mergeable(const Part *part) {
    return part->file != NULL && part->end == STAMP_NEVER && stamp_is_settled(part->begin) && !part->busy;
}

static uint32_t levels_of(const Table *table, Level *levels) {
    uint32_t count = 0;
    bool fresh = true;
    for (uint32_t i = 0; i < table->part_count && count < LEVELS_MAX; i++) {
        const Part *part = table->parts[i];
        if (part->end != STAMP_NEVER) {
            continue; /* retired */
        }
        if (!is_mergeable(part)) {
            levels[count++] = (Level){.first = i, .count = 0}; /* a border */
            fresh = true;
            continue;
        }
        if (fresh || table->parts[levels[count - 1].first]->rank != part->rank) {
            levels[count++] = (Level){.first = i, .min = part->min, .max = part->max, .has_time = part->has_time};
            fresh = false;
        }
        Level *level = &levels[count - 1];
        level->count = i - level->first + 1;
        level->rows += part->rows;
        level->min = MIN_OF(level->min, part->min);
        level->max = MAX_OF(level->max, part->max);
    }
    return count;
}

/* Joining is worth while if the levels overlap in time, or are small. */
static bool worth_joining(const Level *levels, uint32_t count) {
    uint64_t rows = 0;
    bool overlap = false;
    for (uint32_t i = 0; i < count; i++) {
        rows += levels[i].rows;
        for (uint32_t n = 0; n < i; n++) {
            overlap = overlap || (levels[i].has_time && levels[i].min < levels[n].max && levels[n].min < levels[i].max);
        }
    }
    return rows <= MERGE_ROWS_JOIN || (overlap && rows <= MERGE_ROWS_MAX);
}

static uint32_t parts_of(const Table *table, const Level *levels, uint32_t count, Part **parts) {
    uint32_t part_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t n = 0; n < levels[i].count && part_count < PARTS_MAX; n++) {
            Part *part = table->parts[levels[i].first + n];
            if (is_mergeable(part)) {
                parts[part_count++] = part;
            }
        }
    }
    return part_count;
}

static Rewrite *pick_levels(Table *table, const Level *levels, uint32_t level_count) {
    Part *parts[PARTS_MAX];
    for (uint32_t at = 0; at < level_count; at++) {
        uint32_t run = 0;
        while (at + run < level_count && run < MERGE_FAN_IN_MAX && levels[at + run].count > 0 && tier_of(levels[at + run].rows) <= tier_of(levels[at].rows)) {
            run++;
        }
        if (run >= MERGE_FAN_IN && worth_joining(&levels[at], run)) {
            return rewrite_create(table, parts, parts_of(table, &levels[at], run, parts), true);
        }
    }
    return NULL;
}

static uint64_t dead_rows(const Part *part, uint64_t horizon) {
    uint64_t count = 0;
    uint32_t row = 0;
    Stamp stamp = 0;
    for (uint32_t at = 0; ends_next(&part->ends, &at, &row, &stamp);) {
        count += stamp <= horizon;
    }
    return count;
}

/* A segment a fifth of whose rows are garbage. */
static Rewrite *pick_garbage(Table *table, uint64_t horizon) {
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        if (is_mergeable(part) && (uint64_t)part->ends.ended_rows * 5 > part->rows && dead_rows(part, horizon) * 5 > part->rows) {
            return rewrite_create(table, &part, 1, true);
        }
    }
    return NULL;
}

/* Cheap, because it is asked for every table twice a second. Under the lock. */
static bool may_merge(const Table *table) {
    uint32_t segments = 0;
    bool ended = false;
    for (uint32_t i = 0; i < table->part_count; i++) {
        segments += table->parts[i]->file != NULL && table->parts[i]->end == STAMP_NEVER;
        ended = ended || table->parts[i]->ends.ended_rows > 0;
    }
    return segments >= MERGE_FAN_IN || ended;
}

Rewrite *table_merge_pick(Table *table, uint64_t horizon) {
    table__lock(table);
    bool possible = may_merge(table);
    table__unlock(table);
    if (!possible) {
        return NULL;
    }
    Level *levels = mem_calloc(LEVELS_MAX, sizeof *levels);
    table__lock(table);
    uint32_t level_count = levels_of(table, levels);
    Rewrite *rewrite = pick_levels(table, levels, level_count);
    rewrite = rewrite != NULL ? rewrite : pick_garbage(table, horizon);
    table__unlock(table);
    mem_free(levels);
    return rewrite;
}

/* ---- run ---- */

static ErrorCode make_moves(Rewrite *rewrite, Error *err) {
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        Part *part = rewrite->inputs[i].part;
        Segment *segment = NULL;
        if (part->file != NULL) {
            TRY(table__segment_open(rewrite->table, part->file, &segment, err));
        }
        table__lock(rewrite->table);
        rewrite->inputs[i].moves = table__moves_create(part);
        table__unlock(rewrite->table);
    }
    return ERR_OK;
}

static ErrorCode run_scan(Rewrite *rewrite, Scan *scan, Error *err) {
    Part **parts = arena_array(&scan->arena, Part *, rewrite->input_count);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        parts[i] = rewrite->inputs[i].part;
    }
    TRY(scan__capture_parts(scan, parts, rewrite->input_count, err));
    scan__plan(scan);
    return table__write_segments(rewrite->table, scan, rewrite->rank, rewrite->inputs, rewrite->input_count, &rewrite->output, err);
}

ErrorCode table_rewrite_run(Rewrite *rewrite, const TableDef *def, uint64_t horizon, Error *err) {
    TRY(make_moves(rewrite, err));
    uint16_t count = table_stored_count(def);
    uint16_t *columns = mem_calloc(count + 1u, sizeof *columns);
    for (uint16_t i = 0; i < count; i++) {
        columns[i] = i;
    }
    ScanRequest request = {.columns = columns, .column_count = count, .order = SCAN_ASCENDING, .want_refs = true};
    Snapshot snapshot = {.lsn = horizon};
    Scan *scan = scan__create(rewrite->table, def, &snapshot, &request);
    ErrorCode code = run_scan(rewrite, scan, err);
    SCAN_VTABLE.close(scan);
    mem_free(columns);
    return code;
}

/* ---- install ---- */

static void copy_ends(Rewrite *rewrite, const RewriteInput *input, const EndMap *ends, uint32_t base) {
    uint32_t row = 0;
    Stamp stamp = 0;
    for (uint32_t at = 0; ends_next(ends, &at, &row, &stamp);) {
        uint32_t place = input->part->file != NULL ? input->moves->bases[row >> 16] + (row & 0xffff) : base + row;
        RowRef to = input->moves->to[place];
        for (uint32_t n = 0; n < rewrite->output.count && to.part != 0; n++) {
            if (rewrite->parts[n]->id == to.part) {
                ends_set(&rewrite->parts[n]->ends, rewrite->parts[n]->row_end, to.offset, stamp);
            }
        }
    }
}

static void encode_publish(const Rewrite *rewrite, Buffer *out) {
    size_t at = op_begin(out, OP_PUBLISH, rewrite->table->id);
    buffer_put_u32le(out, rewrite->input_count);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        buffer_put_u32le(out, rewrite->inputs[i].part->id);
    }
    buffer_put_u32le(out, rewrite->output.count);
    for (uint32_t i = 0; i < rewrite->output.count; i++) {
        table__entry_encode(&rewrite->output.entries[i], out);
    }
    op_finish(out, at);
    for (uint32_t i = 0; i < rewrite->output.count; i++) {
        table__runs_encode(rewrite->table, rewrite->parts[i], out);
        table__encode_settled_ends(rewrite->table, rewrite->parts[i], STAMP_NEVER - 1, out);
    }
}

bool table_rewrite_install(Rewrite *rewrite, Stamp stamp, Buffer *out) {
    Table *table = rewrite->table;
    bool good = true;
    table__lock(table);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        good = good && rewrite->inputs[i].part->end == STAMP_NEVER;
    }
    if (good) {
        rewrite->parts = mem_calloc(rewrite->output.count + 1u, sizeof(Part *));
        for (uint32_t i = 0; i < rewrite->output.count; i++) {
            rewrite->parts[i] = table__segment_part_create(table, &rewrite->output.entries[i], stamp);
            table__output_attach(table, &rewrite->output, rewrite->parts[i]);
        }
        for (uint32_t i = 0; i < rewrite->input_count; i++) {
            Part *part = rewrite->inputs[i].part;
            copy_ends(rewrite, &rewrite->inputs[i], &part->ends, 0);
            for (uint32_t c = 0; c < part->chunk_count; c++) {
                copy_ends(rewrite, &rewrite->inputs[i], &part->chunks[c]->ends, rewrite->inputs[i].moves->bases[c]);
            }
            part->end = stamp;
            part->moves = rewrite->inputs[i].moves;
        }
        encode_publish(rewrite, out);
    }
    table__unlock(table);
    return good;
}

static void inputs_release(Rewrite *rewrite) {
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        rewrite->inputs[i].part->busy = false;
        table__part_release(rewrite->table, rewrite->inputs[i].part);
    }
    rewrite->input_count = 0;
}

void table_rewrite_settle(Rewrite *rewrite, uint64_t lsn) {
    table__lock(rewrite->table);
    for (uint32_t i = 0; i < rewrite->output.count; i++) {
        rewrite->parts[i]->begin = lsn;
    }
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        rewrite->inputs[i].part->end = lsn;
    }
    inputs_release(rewrite);
    table__unlock(rewrite->table);
    atomic_fetch_add(rewrite->merge ? &rewrite->table->env->merges : &rewrite->table->env->flushes, 1);
}

void table_rewrite_abort(Rewrite *rewrite) {
    table__lock(rewrite->table);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        Part *part = rewrite->inputs[i].part;
        if (rewrite->parts != NULL) {
            part->end = STAMP_NEVER;
            part->moves = NULL;
        }
        table__moves_free(rewrite->inputs[i].moves);
    }
    for (uint32_t i = 0; i < rewrite->output.count && rewrite->parts != NULL; i++) {
        table__part_remove(rewrite->table, rewrite->parts[i], 0);
    }
    inputs_release(rewrite);
    table__unlock(rewrite->table);
    table__unlink_outputs(rewrite->table, &rewrite->output);
}

void table_rewrite_abandon(Rewrite *rewrite) {
    table__lock(rewrite->table);
    inputs_release(rewrite);
    table__unlock(rewrite->table);
}

void table_rewrite_free(Rewrite *rewrite) {
    assert(rewrite->input_count == 0); /* settled or aborted */
    mem_free(rewrite->inputs);
    table__output_free(&rewrite->output);
    mem_free(rewrite->parts);
    mem_free(rewrite);
}
