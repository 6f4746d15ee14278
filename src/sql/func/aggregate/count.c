/* SPDX-License-Identifier: Apache-2.0
 * count.c - count(*), count(x), count_distinct(x). DISTINCT itself is done by the executor before the rows come here. */
#include "sql/func/aggregate/aggregate_internal.h"

typedef struct CountState { int64_t count, unused; } CountState;

static uint64_t all_word(const AggregateCall *call, size_t w) {
    return call->rows[w];
}

static inline void count_step(CountState *state, UNUSED const AggregateCall *call, UNUSED size_t row) {
    state->count++;
}

STEP_LOOPS(count_all, CountState, all_word, count_step)
STEP_LOOPS(count_some, CountState, take_word, count_step)

static ErrorCode count_all(const AggregateCall *call, void *pointer, UNUSED Error *err) {
    ((CountState *)pointer)->count += bits_count(call->rows, call->row_count);
    return ERR_OK;
}

static ErrorCode count_some(const AggregateCall *call, void *pointer, UNUSED Error *err) {
    int64_t count = 0;
    for (size_t w = 0; w < words_for(call->row_count); w++) {
        count += __builtin_popcountll(take_word(call, w));
    }
    ((CountState *)pointer)->count += count;
    return ERR_OK;
}

MERGE(count_merge) {
    ((CountState *)into_pointer)->count += ((const CountState *)from_pointer)->count;
    return ERR_OK;
}

FINISH(count_finish) {
    result_int8(out, row, ((const CountState *)pointer)->count);
    return ERR_OK;
}

static bool count_all_stats(void *pointer, const BlockStats *stats, UNUSED Type argument) {
    ((CountState *)pointer)->count += stats->row_count;
    return true;
}

static bool count_some_stats(void *pointer, const BlockStats *stats, UNUSED Type argument) {
    ((CountState *)pointer)->count += (int64_t)stats->row_count - stats->null_count;
    return true;
}

static DenseSplit count_dense_split(UNUSED const AggregateCall *call, UNUSED DenseScale *scale, UNUSED int64_t *pairs) {
    return DENSE_TAKEN;
}

static void count_dense_settle(void *pointer, UNUSED const DenseScale *scale, UNUSED const int64_t *pair, int64_t count) {
    ((CountState *)pointer)->count += count;
}

#define COUNT_ROW(row_name, extra, example_text, answer_text)                                                          \
    {.name = row_name, .args = {ARG_ANY}, .arg_count = 1, .result = TYPE_INT8, .flags = AGG_EMPTY_ZERO | (extra),      \
     .state_bytes = sizeof(CountState), .update = count_some, .update_groups = count_some_groups, .merge = count_merge, \
     .finish = count_finish, .from_stats = count_some_stats, .dense_split = count_dense_split, .dense_settle = count_dense_settle, .example = example_text, .answer = answer_text}

AggregateFamily aggregate__count_rows(void) {
    (void)count_all_update;
    (void)count_some_update;
    static const Aggregate rows[] = {
        {.name = "count", .arg_count = 0, .result = TYPE_INT8, .flags = AGG_EMPTY_ZERO | AGG_COUNT_NULLS, .state_bytes = sizeof(CountState),
         .update = count_all, .update_groups = count_all_groups, .merge = count_merge, .finish = count_finish, .from_stats = count_all_stats,
         .dense_split = count_dense_split, .dense_settle = count_dense_settle,
         .example = "SELECT count(*) FROM (VALUES (1), (NULL)) t(x)", .answer = "2"},
        COUNT_ROW("count", 0, "SELECT count(x) FROM (VALUES (1), (NULL)) t(x)", "1"),
        COUNT_ROW("count_distinct", AGG_DISTINCT, "SELECT count_distinct(x) FROM (VALUES (1), (1), (2)) t(x)", "2"),
        COUNT_ROW("approx_count_distinct", AGG_DISTINCT, "SELECT approx_count_distinct(x) FROM (VALUES (1), (1), (2)) t(x)", "2"),
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}
