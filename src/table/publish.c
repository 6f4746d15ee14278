/* SPDX-License-Identifier: Apache-2.0
 * publish.c - flush and merge as a change of the part list: run, install, settle or abort.
 *
 * Why:        new snapshots read the new parts, old ones the old parts until nobody needs them: parts have begin and end stamps like rows,
 *             so a publish disturbs no reader. Ends that arrive on an old part go on to the new one through its moves.
 * Slices:     row blocks that a merge leaves alone go on as parts of their own, slices of the same file.
 * Invariants: install runs while every earlier commit is settled and no later one can name a row; so the record's ends are complete.
 *             Rows that ended at or below the horizon are left out; nobody can see or end them.
 * Tests:      test/unit/engine/test_segments.c, test_merges.c, test_history.c */
#include "base/plant.h"
#include "table/scan_internal.h"

struct Rewrite {
    Table *table;
    RewriteInput *inputs;
    uint32_t input_count;
    RewriteOutput output;        /* new files, and what stays in memory */
    RewriteOutput slices;        /* of the inputs' files */
    Buffer tail_op;              /* the rows that stay in memory, as an operation */
    Part **parts;                /* new ones once installed: of the output, slices, the tail */
    uint32_t part_count;
    uint32_t rank, tail_id;
    MergeScope scope;
    bool merge;
};

Rewrite *table__rewrite_create(Table *table, Part **parts, uint32_t part_count, bool merge, MergeScope scope) {
    Rewrite *rewrite = mem_calloc(1, sizeof *rewrite);
    rewrite->table = table;
    rewrite->merge = merge;
    rewrite->scope = scope;
    rewrite->inputs = mem_calloc(part_count + 1u, sizeof *rewrite->inputs);
    rewrite->input_count = part_count;
    rewrite->rank = parts[0]->rank;
    buffer_init(&rewrite->tail_op, OP_PAYLOAD_BYTES_MAX);
    for (uint32_t i = 0; i < part_count; i++) {
        rewrite->inputs[i].part = parts[i];
        rewrite->rank = MIN_OF(rewrite->rank, parts[i]->rank);
        parts[i]->busy = true;
        parts[i]->refs++;
    }
    return rewrite;
}

/* ---- which memory part is due ---- */

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

static bool is_flushable(const Part *part) { return part->file == NULL && part->end == STAMP_NEVER && !part->busy && part->row_end > 0; }

/* What the flush may leave in memory comes behind this part and before every later one. */
static void seal(Table *table, Part *part) {
    part->sealed = true;
    part->tail = false;
    part->tail_id = table->next_part_id++;
}

/* A tail goes with the part that follows it, if no part lies between: so its rows make full blocks with that one's. */
static Rewrite *pick_with_tail(Table *table, uint32_t at, bool keep_tail) {
    Part *parts[2] = {table->parts[at], NULL};
    uint32_t next = at + 1;
    while (next < table->part_count && table->parts[next]->end != STAMP_NEVER) {
        next++; /* retired */
    }
    bool together = parts[0]->tail && next < table->part_count && is_flushable(table->parts[next]);
    if (together && !(table->parts[next]->sealed && is_settled(table->parts[next]))) {
        return NULL; /* not yet */
    }
    parts[1] = together ? table->parts[next] : NULL;
    Rewrite *rewrite = table__rewrite_create(table, parts, together ? 2 : 1, false, MERGE_ALL);
    rewrite->tail_id = keep_tail ? parts[together]->tail_id : 0;
    return rewrite;
}

/* Nothing has come behind the tail: it waits. */
static bool waits(const Table *table, uint32_t at) {
    for (uint32_t i = at + 1; i < table->part_count; i++) {
        if (table->parts[i]->end == STAMP_NEVER) {
            return false;
        }
    }
    return table->parts[at]->tail;
}

Rewrite *table_flush_pick(Table *table, const FlushPolicy *policy) {
    Rewrite *rewrite = NULL;
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count && !policy->sealed_only; i++) {
        Part *part = table->parts[i];
        if (is_flushable(part) && !part->sealed && memory_bytes(part) >= policy->seal_bytes) {
            seal(table, part);
        }
    }
    for (uint32_t i = 0; i < table->part_count && rewrite == NULL; i++) {
        Part *part = table->parts[i];
        if (is_flushable(part) && part->sealed && is_settled(part) && !(policy->keep_tail && waits(table, i))) {
            rewrite = pick_with_tail(table, i, policy->keep_tail);
        }
    }
    table__unlock(table);
    return rewrite;
}

/* ---- run ---- */

/* Inputs that the plan leaves alone are given back. */
static void drop_untouched(Rewrite *rewrite) {
    uint32_t count = 0;
    table__lock(rewrite->table);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        RewriteInput *input = &rewrite->inputs[i];
        if (input->groups != NULL) {
            rewrite->inputs[count++] = *input;
        } else {
            input->part->busy = false;
            table__part_release(rewrite->table, input->part);
        }
    }
    rewrite->input_count = count;
    table__unlock(rewrite->table);
}

static ErrorCode make_plan(Rewrite *rewrite, const TableDef *def, Error *err) {
    bool changes = false;
    TRY(table__merge_plan(rewrite->table, rewrite->scope, rewrite->inputs, rewrite->input_count, def, &rewrite->slices, &changes, err));
    drop_untouched(rewrite);
    if (!changes) { /* what was looked for is not there: not again before something changes */
        table__lock(rewrite->table);
        rewrite->table->nothing_at = rewrite->table->changes;
        table__unlock(rewrite->table);
    }
    return changes ? ERR_OK : error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "there is nothing to merge");
}

/* Where slices have taken blocks over. */
static void note_slices(const Rewrite *rewrite, RewriteInput *input) {
    const Part *part = input->part;
    for (uint32_t s = 0; s < rewrite->slices.count && part->file != NULL; s++) {
        const PartEntry *slice = &rewrite->slices.entries[s];
        bool inside = slice->file_id == part->file->file_id && slice->first_block >= part->first_block &&
                      slice->first_block < part->first_block + part->block_count;
        for (uint32_t b = 0; inside && b < slice->block_count; b++) {
            input->moves->slices[slice->first_block + b] = slice->part;
        }
    }
}

static void make_moves(Rewrite *rewrite) {
    table__lock(rewrite->table);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        rewrite->inputs[i].moves = table__moves_create(&rewrite->inputs[i]);
        note_slices(rewrite, &rewrite->inputs[i]);
    }
    table__unlock(rewrite->table);
}

static ErrorCode run_scan(Rewrite *rewrite, Scan *scan, Error *err) {
    RewriteTarget target = {.rank = rewrite->rank, .inputs = rewrite->inputs, .input_count = rewrite->input_count,
                            .merge = rewrite->merge, .tail_id = rewrite->tail_id};
    TRY(scan__capture_inputs(scan, rewrite->inputs, rewrite->input_count, err));
    scan__plan(scan);
    TRY(table__write_segments(rewrite->table, scan, &target, &rewrite->output, err));
    Part *tail = rewrite->output.tail;
    if (tail != NULL) {
        table__encode_chunk(rewrite->table, tail, tail->chunks[0], &rewrite->tail_op);
    }
    return buffer_check(&rewrite->tail_op, err);
}

ErrorCode table_rewrite_run(Rewrite *rewrite, const TableDef *def, uint64_t horizon, Error *err) {
    if (rewrite->merge) {
        TRY(make_plan(rewrite, def, err));
    }
    make_moves(rewrite);
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

static Part *new_part(const Rewrite *rewrite, uint32_t id) {
    for (uint32_t i = 0; i < rewrite->part_count; i++) {
        if (rewrite->parts[i]->id == id) {
            return rewrite->parts[i];
        }
    }
    return NULL;
}

static void copy_ends(const Rewrite *rewrite, const RewriteInput *input, const EndMap *ends, uint32_t base) {
    uint32_t row = 0;
    Stamp stamp = 0;
    Part *part = NULL;
    for (uint32_t at = 0; ends_next(ends, &at, &row, &stamp);) {
        RowRef to = table__moves_find(input->part, input->moves, base + row);
        EndPlace place;
        if (to.part == 0) {
            continue;
        }
        part = part != NULL && part->id == to.part ? part : new_part(rewrite, to.part);
        bool found = part != NULL && table__end_place(part, to.offset, &place);
        assert(found);
        ends_set(place.map, place.row_count, place.row, stamp);
    }
}

static void encode_publish(const Rewrite *rewrite, Buffer *out) {
    size_t at = op_begin(out, OP_PUBLISH, rewrite->table->id);
    buffer_put_u32le(out, rewrite->input_count);
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        buffer_put_u32le(out, rewrite->inputs[i].part->id);
    }
    buffer_put_u32le(out, rewrite->output.count + rewrite->slices.count);
    for (uint32_t i = 0; i < rewrite->output.count; i++) {
        table__entry_encode(&rewrite->output.entries[i], out);
    }
    for (uint32_t i = 0; i < rewrite->slices.count; i++) {
        table__entry_encode(&rewrite->slices.entries[i], out);
    }
    op_finish(out, at);
    buffer_append(out, rewrite->tail_op.data, rewrite->tail_op.len);
    for (uint32_t i = 0; i < rewrite->part_count && !PLANTED(PUBLISH_FORGETS_ENDS); i++) {
        table__runs_encode(rewrite->table, rewrite->parts[i], out);
        table__encode_settled_ends(rewrite->table, rewrite->parts[i], STAMP_NEVER - 1, out);
    }
}

static void tail_stamp(const Rewrite *rewrite, Stamp stamp) {
    Part *tail = rewrite->output.tail;
    if (tail != NULL) {
        runs_set(&tail->chunks[0]->runs, (RowSpan){0, tail->row_end}, stamp);
    }
}

static void install_parts(Rewrite *rewrite, Stamp stamp) {
    Table *table = rewrite->table;
    rewrite->parts = mem_calloc(rewrite->output.count + rewrite->slices.count + 1u, sizeof(Part *));
    for (uint32_t i = 0; i < rewrite->output.count; i++) {
        rewrite->parts[rewrite->part_count] = table__segment_part_create(table, &rewrite->output.entries[i], stamp);
        table__output_attach(table, &rewrite->output, rewrite->parts[rewrite->part_count++]);
    }
    for (uint32_t i = 0; i < rewrite->slices.count; i++) {
        rewrite->parts[rewrite->part_count++] = table__segment_part_create(table, &rewrite->slices.entries[i], stamp);
    }
    if (rewrite->output.tail != NULL) {
        tail_stamp(rewrite, stamp);
        table__part_insert(table, rewrite->output.tail);
        rewrite->parts[rewrite->part_count++] = rewrite->output.tail;
    }
}

static void retire_input(const Rewrite *rewrite, RewriteInput *input, Stamp stamp) {
    Part *part = input->part;
    copy_ends(rewrite, input, &part->ends, 0);
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        copy_ends(rewrite, input, &part->chunks[c]->ends, part->chunks[c]->first_offset);
    }
    part->end = stamp;
    part->moves = input->moves;
}

static void note_published(const Rewrite *rewrite, Stamp stamp) {
    for (uint32_t i = 0; i < rewrite->part_count; i++) {
        rewrite->parts[i]->published = stamp;
    }
    if (rewrite->output.tail != NULL) {
        rewrite->output.tail->published = stamp;
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
        install_parts(rewrite, stamp);
        note_published(rewrite, stamp);
        for (uint32_t i = 0; i < rewrite->input_count; i++) {
            retire_input(rewrite, &rewrite->inputs[i], stamp);
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
        mem_free(rewrite->inputs[i].groups);
    }
    rewrite->input_count = 0;
}

/* A tail behind which nothing has come takes the rows that follow. */
static void tail_settle(Rewrite *rewrite, uint64_t lsn) {
    Table *table = rewrite->table;
    Part *tail = rewrite->output.tail;
    tail_stamp(rewrite, lsn);
    if (tail != NULL && table->parts[table->part_count - 1] == tail) {
        tail->sealed = tail->tail = false;
    }
    rewrite->output.tail = NULL; /* the list's */
}

void table_rewrite_settle(Rewrite *rewrite, uint64_t lsn) {
    table__lock(rewrite->table);
    for (uint32_t i = 0; i < rewrite->part_count; i++) {
        rewrite->parts[i]->begin = rewrite->parts[i]->file != NULL ? lsn : 0;
    }
    for (uint32_t i = 0; i < rewrite->input_count; i++) {
        rewrite->inputs[i].part->end = lsn;
    }
    tail_settle(rewrite, lsn);
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
    for (uint32_t i = 0; i < rewrite->part_count; i++) {
        table__part_remove(rewrite->table, rewrite->parts[i], 0);
    }
    if (rewrite->parts == NULL) {
        table__tail_destroy(rewrite->table, rewrite->output.tail);
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
    table__output_free(&rewrite->slices);
    mem_free(rewrite->parts);
    buffer_deinit(&rewrite->tail_op);
    mem_free(rewrite);
}
