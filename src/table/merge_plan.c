/* SPDX-License-Identifier: Apache-2.0
 * merge_plan.c - which row blocks of some parts must be written again, and which slices of their files stay as they are.
 *
 * Clusters:   all blocks by (first time, arrival); a block that begins no later than an earlier one ends joins its cluster. So clusters share
 *             no time, and each is rewritten or left as a whole without a look at its neighbours: no tie between rows can be decided
 *             wrongly, whatever ranks the pieces get.
 * Rewritten:  a cluster in which a block must be interleaved with an earlier one, and what the scope adds. Short blocks beside it, in
 *             no cluster of their own, join it, so that blocks become full again.
 * Slices:     the blocks that stay, in runs of one part without a block of another between them; so parts that were merged do not
 *             overlap any more, not even as intervals.
 * Indexes:    a table with indexes has a run beside each part, so its parts are rewritten whole or not at all.
 * Limit:      clusters are taken until ROWS_MAX blocks' worth of rows; the rest is left for the next merge.
 * Threads:    no lock, but for new ids; the parts are pinned and busy.
 * Tests:      test/unit/engine/test_merges.c, simulator */
#include "table/table_internal.h"
#include <stdlib.h>

enum { MERGE_BLOCKS_MAX = 128, NO_INPUT = UINT32_MAX };

typedef struct PlanBlock {
    uint32_t input, block;       /* block: number in the file */
    uint32_t rows, arrival, group;
    int64_t min, max;
    bool left;                   /* behind the limit: as if it were not an input */
} PlanBlock;

typedef struct Slice { PartEntry entry; uint64_t switches; bool open; } Slice;

typedef struct Plan {
    Table *table;
    MergeScope scope;
    RewriteInput *inputs;
    uint32_t input_count;
    PlanBlock *blocks;
    uint32_t block_count;
    uint32_t group_count;
    uint64_t rows, rows_max;     /* to be rewritten */
    bool has_time;
} Plan;

bool table__overlap(const Part *older, const Part *newer) {
    return older->has_time && newer->has_time && older->max > newer->min && older->min <= newer->max;
}

static int by_time_and_arrival(const void *a_, const void *b_) {
    const PlanBlock *a = a_, *b = b_;
    if (a->min != b->min) {
        return a->min < b->min ? -1 : 1;
    }
    return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

static ErrorCode list_blocks(Plan *plan, Error *err) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        count += plan->inputs[i].part->block_count;
    }
    plan->blocks = mem_calloc(count + 1u, sizeof *plan->blocks);
    for (uint32_t i = 0; i < plan->input_count; i++) {
        const Part *part = plan->inputs[i].part;
        Segment *segment = NULL;
        TRY(table__segment_open(plan->table, part->file, &segment, err));
        plan->inputs[i].groups = mem_calloc(part->block_count, sizeof(uint32_t));
        for (uint32_t b = part->first_block; b < part->first_block + part->block_count; b++) {
            PlanBlock *block = &plan->blocks[plan->block_count];
            *block = (PlanBlock){.input = i, .block = b, .rows = segment_block_rows(segment, b), .arrival = plan->block_count};
            if (plan->has_time) {
                (void)segment_block_range(segment, b, &block->min, &block->max);
            }
            plan->block_count++;
        }
    }
    if (plan->has_time) {
        qsort(plan->blocks, plan->block_count, sizeof *plan->blocks, by_time_and_arrival);
    }
    return ERR_OK;
}

/* Must rows of the cluster's blocks be interleaved? */
static bool is_tangled(const PlanBlock *blocks, uint32_t count) {
    int64_t max = blocks[0].max;
    uint32_t arrival = blocks[0].arrival;
    for (uint32_t i = 1; i < count; i++) {
        if (blocks[i].min < max || (blocks[i].min == max && blocks[i].arrival < arrival)) {
            return true;
        }
        max = MAX_OF(max, blocks[i].max);
        arrival = MAX_OF(arrival, blocks[i].arrival);
    }
    return false;
}

static uint32_t cluster_count(const Plan *plan, uint32_t first) {
    uint32_t count = 1;
    int64_t max = plan->blocks[first].max;
    while (first + count < plan->block_count && (!plan->has_time || plan->blocks[first + count].min <= max)) {
        max = MAX_OF(max, plan->blocks[first + count].max);
        count++;
    }
    return count;
}

static uint64_t rows_of(const PlanBlock *blocks, uint32_t count) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows += blocks[i].rows;
    }
    return rows;
}

/* Does the cluster go on with the group of the one before it? MERGE_EACH keeps parts apart. */
static bool joins_group(const Plan *plan, uint32_t first) {
    const PlanBlock *before = &plan->blocks[first - (first > 0)];
    bool same_part = before->input == plan->blocks[first].input;
    return first > 0 && before->group != 0 && (plan->scope != MERGE_EACH || same_part);
}

static void take(Plan *plan, uint32_t first, uint32_t count) {
    plan->group_count += !joins_group(plan, first);
    for (uint32_t i = first; i < first + count; i++) {
        plan->blocks[i].group = plan->group_count;
    }
    plan->rows += rows_of(&plan->blocks[first], count);
}

static void choose(Plan *plan) {
    for (uint32_t first = 0, count = 0; first < plan->block_count; first += count) {
        count = cluster_count(plan, first);
        PlanBlock *cluster = &plan->blocks[first];
        bool wanted = plan->scope != MERGE_OVERLAPS || is_tangled(cluster, count);
        bool fits = plan->rows == 0 ? rows_of(cluster, count) <= 2 * plan->rows_max : plan->rows + rows_of(cluster, count) <= plan->rows_max;
        for (uint32_t i = 0; i < count && wanted && !fits; i++) {
            cluster[i].left = true;
        }
        if (wanted && fits) {
            take(plan, first, count);
        }
    }
}

static void choose_whole(Plan *plan) {
    uint64_t rows = rows_of(plan->blocks, plan->block_count);
    for (uint32_t i = 0; i < plan->block_count; i++) {
        plan->blocks[i].group = rows <= 2 * plan->rows_max ? 1 : 0;
        plan->blocks[i].left = plan->blocks[i].group == 0;
    }
}

/* A short block that stands alone beside a group, in the same partition, joins it. */
static bool joins_neighbour(const Plan *plan, const TableDef *def, uint32_t at, uint32_t group_at) {
    const PlanBlock *block = &plan->blocks[at], *other = &plan->blocks[group_at];
    PartitionUnit unit = (PartitionUnit)def->partition;
    TypeId type = def->columns[def->designated].type.id;
    bool alone = (at == 0 || plan->blocks[at - 1].max < block->min) && (at + 1 == plan->block_count || plan->blocks[at + 1].min > block->max);
    bool free = block->group == 0 && !block->left && other->group != 0 && block->rows < table__block_rows(plan->table) / 2;
    return alone && free && table__partition_end(unit, type, block->max) == table__partition_end(unit, type, other->min);
}

static void add_short_blocks(Plan *plan, const TableDef *def) {
    for (uint32_t i = 1; i < plan->block_count; i++) {
        if (joins_neighbour(plan, def, i, i - 1)) {
            plan->blocks[i].group = plan->blocks[i - 1].group;
        }
    }
    for (uint32_t i = plan->block_count - 1; i > 0; i--) {
        if (joins_neighbour(plan, def, i - 1, i)) {
            plan->blocks[i - 1].group = plan->blocks[i].group;
        }
    }
}

/* ---- what stays ---- */

static void close_slice(const Plan *plan, Slice *slice, RewriteOutput *slices) {
    if (slice->open) {
        table__lock(plan->table);
        slice->entry.part = plan->table->next_part_id++;
        table__unlock(plan->table);
        table__output_add(slices, &slice->entry);
        slice->open = false;
    }
}

static void extend_slice(const Plan *plan, Slice *slice, const PlanBlock *block) {
    if (!slice->open) {
        slice->entry = table__entry_of(plan->inputs[block->input].part);
        slice->entry.first_block = block->block;
        slice->entry.block_count = 0;
        slice->entry.rows = 0;
        slice->entry.min = block->min;
        slice->open = true;
    }
    slice->entry.block_count++;
    slice->entry.rows += block->rows;
    slice->entry.max = block->max;
}

/* Walks the blocks by time. `switches` rises with each block that a slice of another part must not reach across. */
static void make_slices(Plan *plan, RewriteOutput *slices) {
    Slice *open = mem_calloc(plan->input_count, sizeof *open);
    uint64_t switches = 0;
    for (uint32_t i = 0; i < plan->block_count; i++) {
        const PlanBlock *block = &plan->blocks[i];
        Slice *slice = &open[block->input];
        if (block->group != 0) {
            switches++;
            continue;
        }
        bool follows = slice->open && slice->entry.first_block + slice->entry.block_count == block->block && slice->switches == switches;
        if (!follows) {
            close_slice(plan, slice, slices);
        }
        switches += !block->left;
        extend_slice(plan, slice, block);
        slice->switches = switches;
    }
    for (uint32_t i = 0; i < plan->input_count; i++) {
        close_slice(plan, &open[i], slices);
    }
    mem_free(open);
}

/* A part that stays whole stays itself: its slice is taken back, and it is no input. */
static bool stays(const Plan *plan, uint32_t input, RewriteOutput *slices) {
    const Part *part = plan->inputs[input].part;
    for (uint32_t i = 0; i < slices->count; i++) {
        const PartEntry *slice = &slices->entries[i];
        if (slice->file_id == part->file->file_id && slice->first_block == part->first_block && slice->block_count == part->block_count) {
            slices->entries[i] = slices->entries[--slices->count];
            return true;
        }
    }
    return false;
}

static bool write_back(Plan *plan, RewriteOutput *slices) {
    bool changes = false;
    for (uint32_t i = 0; i < plan->block_count; i++) {
        RewriteInput *input = &plan->inputs[plan->blocks[i].input];
        input->groups[plan->blocks[i].block - input->part->first_block] = plan->blocks[i].group;
    }
    make_slices(plan, slices);
    for (uint32_t i = 0; i < plan->input_count; i++) {
        if (stays(plan, i, slices)) {
            mem_free(plan->inputs[i].groups);
            plan->inputs[i].groups = NULL;
        } else {
            changes = true;
        }
    }
    return changes;
}

ErrorCode table__merge_plan(Table *table, MergeScope scope, RewriteInput *inputs, uint32_t input_count, const TableDef *def,
                            RewriteOutput *slices, bool *changes_out, Error *err) {
    Plan plan = {.table = table, .scope = scope, .inputs = inputs, .input_count = input_count, .has_time = def->designated >= 0};
    plan.rows_max = (uint64_t)MERGE_BLOCKS_MAX * table__block_rows(table);
    for (uint32_t i = 0; i < input_count; i++) {
        plan.has_time = plan.has_time && inputs[i].part->has_time;
    }
    ErrorCode code = list_blocks(&plan, err);
    if (code == ERR_OK && def->index_count > 0) {
        choose_whole(&plan);
        *changes_out = write_back(&plan, slices);
    } else if (code == ERR_OK) {
        choose(&plan);
        if (plan.has_time && scope == MERGE_OVERLAPS) {
            add_short_blocks(&plan, def);
        }
        *changes_out = write_back(&plan, slices);
    }
    mem_free(plan.blocks);
    return code;
}
