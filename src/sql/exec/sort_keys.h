/* SPDX-License-Identifier: Apache-2.0
 * sort_keys.h - ORDER BY keys as 64-bit words whose unsigned order is the keys' order.
 *
 * Layout:     every key has 1-3 words: rank of NULL first (0, 1 or 2), then the value with sign flipped, inverted for DESC. Texts keep
 *             15 bytes, numerics their double; where those tie the values themselves decide (`ties`).
 * Invariants: the order of rows with equal keys is that of their numbers. */
#pragma once
#include "sql/exec/groups.h"

typedef struct SortKeyShape {
    PlanSortKey key;
    Type stored;                /* type as kept: symbols become texts */
    uint32_t word, word_count;
    bool ties;
    uint32_t tie_column;        /* in the store, behind the payload */
} SortKeyShape;

typedef struct SortKeys {
    SortKeyShape *shapes;
    uint32_t key_count, word_count, tie_count;
    Budget *budget;
    uint64_t *words;            /* row-major */
    size_t row_count, capacity, reserved;
} SortKeys;

void sort_keys_init(SortKeys *keys, const PlanSortKey *plan, uint32_t count, uint32_t payload_columns, Arena *arena, Budget *budget);
void sort_keys_deinit(SortKeys *keys);
/* Words of all rows of the frame's batch, row-major, in scratch; tie_vectors: one FLAT or CONSTANT vector per tie column. */
NODISCARD ErrorCode sort_keys_compute(const SortKeys *keys, Frame *frame, uint64_t **words_out, Vector *tie_vectors, Error *err);
NODISCARD ErrorCode sort_keys_append(SortKeys *keys, const uint64_t *words, const uint16_t *picked, uint16_t count, Error *err);
/* Sorts row numbers; store has the tie columns. */
NODISCARD ErrorCode sort_keys_sort(const SortKeys *keys, const RowStore *store, uint32_t *numbers, uint32_t count, Run *run, Error *err);
