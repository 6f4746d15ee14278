/* SPDX-License-Identifier: Apache-2.0
 * aggregates.c - the aggregates of one operator over one table of groups: filters, DISTINCT, update, finish.
 *
 * Why:        DISTINCT works for every aggregate alike: a table of (group, arguments) tells which rows are seen for the first time,
 *             and only those are taken. It sees rows in source order, hence it has one worker. */
#include "sql/exec/dense_sums.h"

static ErrorCode distinct_open(AggregateSet *set, const Program *program, uint32_t a, Error *err) {
    const PlanAggregate *aggregate = &set->aggregates[a];
    Arena *arena = &set->run->arena;
    /* A program as group_spec reads it: the group's number, then the arguments. */
    Register *registers = arena_array(arena, Register, aggregate->arg_count + 1u);
    RegisterNumber *outputs = arena_array(arena, RegisterNumber, aggregate->arg_count + 1u);
    registers[0] = (Register){.type = type_of(TYPE_INT4)};
    for (uint32_t i = 0; i < aggregate->arg_count; i++) {
        registers[i + 1] = program->registers[program->outputs[aggregate->args[i]]];
        outputs[i + 1] = i + 1;
    }
    Program keys = {.registers = registers, .outputs = outputs};
    set->distinct_specs[a] = group_spec(arena, &keys, 0, aggregate->arg_count + 1u, NULL, 0, 0, false);
    return groups_init(&set->distinct[a], set->distinct_specs[a], &set->run->budget, err);
}

ErrorCode aggregates_open(AggregateSet *set, Run *run, const Program *program, const PlanAggregate *aggregates, uint32_t count, Error *err) {
    *set = (AggregateSet){.aggregates = aggregates, .count = count, .run = run};
    set->distinct = mem_calloc(count + 1, sizeof *set->distinct);
    set->distinct_specs = mem_calloc(count + 1, sizeof *set->distinct_specs);
    for (uint32_t a = 0; a < count; a++) {
        if (aggregates[a].distinct) {
            TRY(distinct_open(set, program, a, err));
        }
    }
    return ERR_OK;
}

void aggregates_close(AggregateSet *set) {
    for (uint32_t a = 0; a < set->count && set->distinct != NULL; a++) {
        groups_deinit(&set->distinct[a]);
    }
    dense_sums_close(set);
    mem_free(set->distinct);
    mem_free(set->distinct_specs);
    *set = (AggregateSet){0};
}

static ErrorCode apply_filter(Frame *frame, const PlanAggregate *aggregate, const uint64_t **rows, Error *err) {
    BoolIn filter;
    TRY(frame_bool_in(frame, frame->program->outputs[aggregate->filter], &filter, err));
    uint64_t *kept = frame_words(frame);
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        kept[w] = (*rows)[w] & filter.value[w] & (filter.valid == NULL ? ~UINT64_C(0) : filter.valid[w]);
    }
    *rows = kept;
    return ERR_OK;
}

static ErrorCode apply_distinct(AggregateSet *set, uint32_t a, Frame *frame, const Batch *batch, const AggregateCall *call, const uint32_t *group,
                                uint32_t single, const uint64_t **rows, Error *err) {
    Vector *numbers = arena_new(&frame->scratch, Vector);
    uint32_t one = single;
    *numbers = (Vector){.type = type_of(TYPE_INT4), .form = group == NULL ? VECTOR_CONSTANT : VECTOR_FLAT, .row_count = frame->row_count,
                        .data = group == NULL ? &one : group};
    Vector *keys[5] = {numbers};
    for (uint32_t i = 0; i < call->arg_count; i++) {
        keys[i + 1] = frame->slots[frame->program->outputs[set->aggregates[a].args[i]]];
    }
    uint64_t *fresh = frame_words(frame);
    uint32_t *found = arena_alloc_aligned(&frame->scratch, BATCH_ROWS * sizeof *found, 64);
    TRY(groups_find(&set->distinct[a], keys, *rows, frame->row_count, batch->first, found, fresh, err));
    *rows = fresh;
    return ERR_OK;
}

static ErrorCode update_one(AggregateSet *set, uint32_t a, Frame *frame, const Batch *batch, GroupTable *table, const uint32_t *group,
                            uint32_t single, const uint64_t *rows, Error *err) {
    const PlanAggregate *aggregate = &set->aggregates[a];
    const Vector *args[4] = {0};
    AggregateCall call = {.args = args, .arg_count = aggregate->arg_count, .row_count = frame->row_count, .first = batch->first,
                          .arena = &table->arena, .prepared = aggregate->prepared};
    for (uint32_t i = 0; i < aggregate->arg_count; i++) {
        Vector *arg = NULL;
        TRY(frame_output_dense(frame, aggregate->args[i], &arg, err));
        args[i] = arg;
    }
    call.symbols = aggregate->arg_count > 0 ? args[0]->symbols : NULL;
    if (aggregate->has_filter) {
        TRY(apply_filter(frame, aggregate, &rows, err));
    }
    if (aggregate->distinct) {
        TRY(apply_distinct(set, a, frame, batch, &call, group, single, &rows, err));
    }
    call.rows = rows;
    if (group == NULL) {
        return aggregate->aggregate->update(&call, groups_states(table, single) + aggregate->state_offset, err);
    }
    uint8_t *states = table->rows + table->spec->state_offset + aggregate->state_offset;
    return aggregate->aggregate->update_groups(&call, states, table->spec->stride, group, err);
}

/* Sums of groups by code go beside the states while batches are full enough for a loop over all of their rows. */
static ErrorCode update_dense(AggregateSet *set, Frame *frame, const Batch *batch, GroupTable *table, const uint32_t *group, const uint64_t *rows,
                              bool *taken_out, Error *err) {
    *taken_out = false;
    if (group == NULL || batch->live_count < DENSE_BATCH_ROWS_MIN || batch->live_count < batch->row_count / 4) {
        return ERR_OK;
    }
    if (!set->dense_tried) {
        set->dense_tried = true;
        TRY(dense_sums_open(table, set, &set->dense, err));
    }
    return set->dense == NULL ? ERR_OK : dense_sums_add(set, frame, table, group, rows, taken_out, err);
}

void aggregates_settle(AggregateSet *set, GroupTable *table) { dense_sums_settle(set, table); }

ErrorCode aggregates_update(AggregateSet *set, Frame *frame, const Batch *batch, GroupTable *table, const uint32_t *group, uint32_t single,
                            const uint64_t *rows, Error *err) {
    bool taken = false;
    TRY(update_dense(set, frame, batch, table, group, rows, &taken, err));
    for (uint32_t a = 0; a < set->count; a++) {
        if (taken && dense_sums_has(set->dense, a)) {
            continue;
        }
        TRY(update_one(set, a, frame, batch, table, group, single, rows, err));
    }
    return budget_follow(table->budget, &table->arena, &table->arena_seen, err);
}

ErrorCode aggregates_finish(const GroupTable *table, uint32_t group, uint32_t a, Vector *out, size_t row, Arena *arena, Error *err) {
    const PlanAggregate *aggregate = &table->spec->aggregates[a];
    if (out->symbols == NULL) {
        out->symbols = aggregate->symbols;
    }
    return aggregate->aggregate->finish(groups_states(table, group) + aggregate->state_offset, aggregate->prepared, out, row, arena, err);
}
