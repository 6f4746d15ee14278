/* SPDX-License-Identifier: Apache-2.0
 * groups.h - key values -> group numbers -> rows {hash, first position, keys, states}. For GROUP BY, SAMPLE BY, DISTINCT, LATEST ON.
 *
 * Layout:     by hash: directory of u64 = 32-bit salt | group + 1, linear probing; dense rows, all states of a group adjacent.
 *             by code: the row's number is the code itself (several keys: mixed radix), no hash, keys are not stored.
 * Invariants: a row's first position (stored + 1; 0 = never touched) is the smallest of its rows; output goes by it, so that the order
 *             depends neither on workers nor on which of the two layouts was taken.
 * Threads:    a table belongs to one worker; groups_merge runs after the workers ended. */
#pragma once
#include "sql/exec/exec_internal.h"

enum { GROUP_CODES_MAX = 1 << 18, GROUP_HEADER_BYTES = 16 };
#define GROUP_CODE_BYTES_MAX ((size_t)64 << 20)

typedef struct GroupKey {
    Type type;
    uint32_t width, offset;         /* in the row */
    bool by_bytes;                  /* equal values have equal bytes */
    const ValueRules *rules;
    const SymbolTable *symbols;
    uint32_t domain;                /* by code: number of codes, NULL included (code 0) */
} GroupKey;

typedef struct GroupSpec {
    GroupKey *keys;
    uint32_t key_count;
    const PlanAggregate *aggregates;
    uint32_t aggregate_count;
    uint32_t null_offset, state_offset, stride;
    bool by_code;
    uint32_t codes;                 /* by code: number of rows */
} GroupSpec;

typedef struct GroupTable {
    const GroupSpec *spec;
    Budget *budget;
    Arena arena;                    /* texts of keys, what states own */
    uint8_t *rows;
    uint64_t *slots;
    size_t slot_count;
    uint8_t *seen;                  /* by code: 1 = touched, kept apart from the rows because every row of a batch asks */
    uint32_t seen_count;            /* by code: touched ones other than code 0 */
    uint32_t count, capacity;
    size_t reserved, arena_seen;
    /* one batch */
    uint64_t *hashes;
    uint8_t *bool_bytes;
} GroupTable;

/* Keys' types from a program's outputs first..first+count-1; by_code_wanted: take codes if the product of domains is small. */
GroupSpec *group_spec(Arena *arena, const Program *program, uint32_t first, uint32_t count, const PlanAggregate *aggregates,
                      uint32_t aggregate_count, uint32_t state_bytes, bool by_code_wanted);
NODISCARD ErrorCode groups_init(GroupTable *table, const GroupSpec *spec, Budget *budget, Error *err);
void groups_deinit(GroupTable *table);
/* keys: dense vectors. group[r] for each row set in rows. fresh: bits of rows that made their group, or NULL. */
NODISCARD ErrorCode groups_find(GroupTable *table, Vector *const *keys, const uint64_t *rows, uint16_t row_count, RowPosition first, uint32_t *group,
                                uint64_t *fresh, Error *err);
/* For keys (instant, codes): rows of one time follow each other, so a code's group is nearly always that of its last row. */
typedef struct GroupCache {
    uint32_t codes;                 /* product of the domains of keys 1.., 1 without any; 0: the keys are no codes, the cache is off */
    int64_t *instants;              /* code -> instant of its last row, valid where groups[code] is */
    uint32_t *groups;               /* UINT32_MAX: none yet */
    uint32_t *code;                 /* one batch */
} GroupCache;
NODISCARD ErrorCode groups_cache_init(GroupCache *cache, GroupTable *table, Error *err);
void groups_cache_deinit(GroupCache *cache);
/* groups_find for such keys; keys[0] is FLAT INT8 without NULLs. */
NODISCARD ErrorCode groups_find_cached(GroupTable *table, GroupCache *cache, Vector *const *keys, const uint64_t *rows, uint16_t row_count,
                                       RowPosition first, uint32_t *group, Error *err);
/* Into takes over from's groups; texts stay in from's arena, which must live on. */
NODISCARD ErrorCode groups_merge(GroupTable *into, const GroupTable *from, Error *err);
/* Touched groups in order of first position; count in *count_out. Memory in arena. */
uint32_t *groups_order(const GroupTable *table, Arena *arena, uint32_t *count_out);
/* Key number k of a group into row of a fresh vector. Texts stay in the table. */
void groups_key(const GroupTable *table, uint32_t group, uint32_t k, Vector *out, size_t row, Arena *arena);
static inline uint8_t *groups_row(const GroupTable *table, uint32_t group) { return table->rows + (size_t)group * table->spec->stride; }
static inline uint8_t *groups_states(const GroupTable *table, uint32_t group) { return groups_row(table, group) + table->spec->state_offset; }
static inline uint64_t groups_first(const GroupTable *table, uint32_t group) { /* position + 1, 0 = untouched */
    return get_u64le(groups_row(table, group) + 8);
}
void groups_sort(uint64_t *keys, uint32_t *numbers, uint32_t count, Arena *arena); /* radix, stable, both arrays */

/* ---- the aggregates over one table ---- */
typedef struct DenseSums DenseSums; /* dense_sums.h */
typedef struct AggregateSet {
    const PlanAggregate *aggregates;
    uint32_t count;
    GroupTable *distinct;           /* one per aggregate with DISTINCT, else unused */
    GroupSpec **distinct_specs;
    DenseSums *dense;               /* made by the first batch that it is worth while for */
    bool dense_tried;
    Run *run;
} AggregateSet;
NODISCARD ErrorCode aggregates_open(AggregateSet *set, Run *run, const Program *program, const PlanAggregate *aggregates, uint32_t count, Error *err);
void aggregates_close(AggregateSet *set);
/* group NULL: all rows go to group `single`. */
NODISCARD ErrorCode aggregates_update(AggregateSet *set, Frame *frame, const Batch *batch, GroupTable *table, const uint32_t *group, uint32_t single,
                                      const uint64_t *rows, Error *err);
/* After the last update, before states are merged or read: what is kept beside them comes in. */
void aggregates_settle(AggregateSet *set, GroupTable *table);
/* Writes aggregate a of a group into row of out. */
NODISCARD ErrorCode aggregates_finish(const GroupTable *table, uint32_t group, uint32_t a, Vector *out, size_t row, Arena *arena, Error *err);
