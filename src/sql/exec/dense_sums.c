/* SPDX-License-Identifier: Apache-2.0
 * dense_sums.c - see dense_sums.h. */
#include "sql/exec/dense_sums.h"
#include "kernels/kernels.h"

static bool takes_part(const PlanAggregate *aggregate) {
    return aggregate->aggregate->dense_split != NULL && !aggregate->distinct && !aggregate->has_filter;
}

static void *zeroed(size_t bytes) {
    void *memory = mem_alloc_aligned(bytes);
    memset(memory, 0, bytes);
    return memory;
}

/* Integers of one copy of a group in an aggregate's sums. */
static size_t places(const DenseSums *dense, uint32_t a) { return a == dense->counter ? 4 : 2; }

static size_t sums_bytes(const DenseSums *dense, uint32_t a) { return (size_t)dense->codes * GROUP_COPIES * places(dense, a) * sizeof(int64_t); }

static void arrays_make(DenseSums *dense, const AggregateSet *set) {
    for (uint32_t a = 0; a < set->count; a++) {
        if (takes_part(&set->aggregates[a])) {
            dense->sums[a] = zeroed(sums_bytes(dense, a));
            dense->pairs[a] = zeroed(BATCH_ROWS * 2 * sizeof(int64_t));
        }
    }
    if (dense->counter == UINT32_MAX) {
        dense->counts = zeroed((size_t)dense->codes * GROUP_COPIES * sizeof *dense->counts);
    }
}

ErrorCode dense_sums_open(const GroupTable *table, const AggregateSet *set, DenseSums **dense_out, Error *err) {
    const GroupSpec *spec = table->spec;
    uint32_t parts = 0, counter = UINT32_MAX;
    for (uint32_t a = 0; a < set->count; a++) {
        parts += takes_part(&set->aggregates[a]);
        counter = counter == UINT32_MAX && takes_part(&set->aggregates[a]) && set->aggregates[a].arg_count > 0 ? a : counter;
    }
    *dense_out = NULL;
    if (!spec->by_code || spec->codes > DENSE_CODES_MAX || parts == 0) {
        return ERR_OK;
    }
    size_t bytes = (size_t)spec->codes * GROUP_COPIES * (parts + 1) * 2 * sizeof(int64_t) + parts * (size_t)BATCH_ROWS * 2 * sizeof(int64_t);
    TRY(budget_reserve(&set->run->budget, bytes, err));
    DenseSums *dense = mem_calloc(1, sizeof *dense);
    dense->codes = spec->codes;
    dense->counter = counter;
    dense->reserved = bytes;
    dense->sums = mem_calloc(set->count, sizeof *dense->sums);
    dense->pairs = mem_calloc(set->count, sizeof *dense->pairs);
    dense->scales = mem_calloc(set->count, sizeof *dense->scales);
    arrays_make(dense, set);
    *dense_out = dense;
    return ERR_OK;
}

void dense_sums_close(AggregateSet *set) {
    DenseSums *dense = set->dense;
    if (dense == NULL) {
        return;
    }
    for (uint32_t a = 0; a < set->count; a++) {
        mem_free(dense->sums[a]);
        mem_free(dense->pairs[a]);
    }
    budget_release(&set->run->budget, dense->reserved);
    mem_free(dense->counts);
    mem_free(dense->sums);
    mem_free(dense->pairs);
    mem_free(dense->scales);
    mem_free(dense);
    set->dense = NULL;
}

static DenseSplit split(AggregateSet *set, uint32_t a, const AggregateCall *call, GroupTable *table) {
    const Aggregate *aggregate = set->aggregates[a].aggregate;
    DenseSums *dense = set->dense;
    DenseSplit answer = aggregate->dense_split(call, &dense->scales[a], dense->pairs[a]);
    if (answer == DENSE_RESCALE) {
        dense_sums_settle(set, table);
        answer = aggregate->dense_split(call, &dense->scales[a], dense->pairs[a]);
        assert(answer != DENSE_RESCALE);
    }
    return answer;
}

/* Pairs of every aggregate that takes part; false: one of them cannot have this batch. */
static ErrorCode split_all(AggregateSet *set, Frame *frame, GroupTable *table, const uint64_t *rows, bool *taken_out, Error *err) {
    *taken_out = false;
    for (uint32_t a = 0; a < set->count; a++) {
        if (!dense_sums_has(set->dense, a)) {
            continue;
        }
        const PlanAggregate *aggregate = &set->aggregates[a];
        Vector *arg = NULL;
        const Vector *args[1] = {NULL};
        AggregateCall call = {.args = args, .arg_count = aggregate->arg_count, .row_count = frame->row_count, .rows = rows};
        if (aggregate->arg_count > 0) {
            TRY(frame_output_dense(frame, aggregate->args[0], &arg, err));
            if (arg->form != VECTOR_FLAT || arg->valid != NULL) {
                return ERR_OK;
            }
            args[0] = arg;
        }
        if (split(set, a, &call, table) != DENSE_TAKEN) {
            return ERR_OK;
        }
    }
    *taken_out = true;
    return ERR_OK;
}

ErrorCode dense_sums_add(AggregateSet *set, Frame *frame, GroupTable *table, const uint32_t *group, const uint64_t *rows, bool *taken_out, Error *err) {
    DenseSums *dense = set->dense;
    const Kernels *kernels = kernels_pick();
    assert(dense != NULL);
    *taken_out = false;
    if (dense->refusals > DENSE_REFUSALS_MAX) {
        return ERR_OK;
    }
    if (dense->rows > DENSE_ROWS_MAX - BATCH_ROWS) {
        dense_sums_settle(set, table);
    }
    TRY(split_all(set, frame, table, rows, taken_out, err));
    dense->refusals = *taken_out ? 0 : dense->refusals + 1;
    if (!*taken_out) {
        return ERR_OK;
    }
    if (dense->counter == UINT32_MAX) {
        kernels->count_groups(dense->counts, group, rows, frame->row_count);
    }
    for (uint32_t a = 0; a < set->count; a++) {
        if (dense_sums_has(dense, a) && set->aggregates[a].arg_count > 0) {
            (a == dense->counter ? kernels->add_counted : kernels->add_pairs)(dense->sums[a], group, dense->pairs[a], rows, frame->row_count);
            dense->scales[a].used = true;
        }
    }
    dense->rows += frame->row_count;
    return ERR_OK;
}

static void settle_group(AggregateSet *set, GroupTable *table, uint32_t group, int64_t count) {
    DenseSums *dense = set->dense;
    for (uint32_t a = 0; a < set->count; a++) {
        if (!dense_sums_has(dense, a)) {
            continue;
        }
        int64_t pair[2] = {0, 0};
        size_t step = places(dense, a);
        int64_t *sums = dense->sums[a] + (size_t)group * GROUP_COPIES * step;
        for (size_t copy = 0; copy < GROUP_COPIES; copy++) {
            pair[0] += sums[copy * step];
            pair[1] += sums[copy * step + 1];
        }
        memset(sums, 0, GROUP_COPIES * step * sizeof *sums);
        set->aggregates[a].aggregate->dense_settle(groups_states(table, group) + set->aggregates[a].state_offset, &dense->scales[a], pair, count);
    }
}

static int64_t take_count(DenseSums *dense, uint32_t group) {
    int64_t count = 0;
    for (size_t copy = 0; copy < GROUP_COPIES; copy++) {
        size_t place = (size_t)group * GROUP_COPIES + copy;
        if (dense->counter != UINT32_MAX) {
            count += dense->sums[dense->counter][place * 4 + 2];
        } else {
            count += dense->counts[place];
            dense->counts[place] = 0;
        }
    }
    return count;
}

void dense_sums_settle(AggregateSet *set, GroupTable *table) {
    DenseSums *dense = set->dense;
    if (dense == NULL || dense->rows == 0) {
        return;
    }
    for (uint32_t group = 0; group < dense->codes; group++) {
        int64_t count = take_count(dense, group);
        if (count > 0) {
            settle_group(set, table, group, count);
        }
    }
    for (uint32_t a = 0; a < set->count; a++) {
        dense->scales[a].used = false;
    }
    dense->rows = 0;
}
