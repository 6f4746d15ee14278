/* SPDX-License-Identifier: Apache-2.0
 * choose.c - which encoding a block gets: sizes are counted, not sampled, so the choice is exact up to the outer codec. */
#include "codec/choose.h"

static bool all_equal(const ColumnBlock *block) {
    Physical physical = type_physical((TypeId)block->type.id);
    if (block->valid != NULL) {
        return false; /* mixed nulls: another encoding carries the bitmap */
    }
    if (physical == PHYS_BIT) {
        uint32_t ones = bits_count(block->data, block->row_count);
        return ones == 0 || ones == block->row_count;
    }
    if (physical == PHYS_STR) {
        const StrRef *texts = block->data;
        for (uint32_t i = 1; i < block->row_count; i++) {
            if (!strref_equal(&texts[0], &texts[i])) {
                return false;
            }
        }
        return true;
    }
    size_t width = physical_bytes(physical);
    const uint8_t *bytes = block->data;
    return memcmp(bytes, bytes + width, (block->row_count - 1) * width) == 0;
}

typedef struct Sizes { size_t frame, delta, runs, run_count; } Sizes;

static void measure_granule(const int64_t *values, uint32_t count, EncodeScratch *scratch, Sizes *sizes) {
    int64_t least = values[0];
    uint32_t runs = 1;
    for (uint32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        runs += values[i] != values[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        scratch->packed[i] = (uint64_t)values[i] - (uint64_t)least;
    }
    sizes->frame += 8 + codec__packed_plan(scratch->packed, count, true).bytes;
    int64_t smallest = INT64_MAX;
    for (uint32_t i = 1; i < count; i++) {
        int64_t step = (int64_t)((uint64_t)values[i] - (uint64_t)values[i - 1]);
        smallest = step < smallest ? step : smallest;
    }
    scratch->packed[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        scratch->packed[i] = (uint64_t)values[i] - (uint64_t)values[i - 1] - (uint64_t)smallest;
    }
    sizes->delta += 16 + codec__packed_plan(scratch->packed, count, true).bytes;
    sizes->runs += 8 + (size_t)runs * 10;
    sizes->run_count += runs;
}

static Sizes measure(const ColumnBlock *block, EncodeScratch *scratch) {
    Sizes sizes = {0};
    for (uint32_t from = 0; from < block->row_count; from += GRANULE_ROWS) {
        uint32_t count = MIN_OF(block->row_count - from, (uint32_t)GRANULE_ROWS);
        codec__widen(block, from, count, scratch->values);
        measure_granule(scratch->values, count, scratch, &sizes);
    }
    return sizes;
}

static size_t dictionary_bytes(uint32_t rows, uint32_t entries, size_t entry_bytes) {
    return rows * (size_t)bit_width(entries - 1) / 8 + entries * entry_bytes;
}

/* Integers: frame, delta (its prefix sum costs a little: 5 % handicap), runs, dictionary. */
static void choose_integer(const ColumnBlock *block, EncodeScratch *scratch, BlockPlan *plan) {
    Sizes sizes = measure(block, scratch);
    size_t best = sizes.frame;
    plan->encoding = ENCODING_FRAME;
    if (sizes.delta + sizes.delta / 20 < best) {
        best = sizes.delta;
        plan->encoding = ENCODING_DELTA;
    }
    if (sizes.runs < best) {
        best = sizes.runs;
        plan->encoding = ENCODING_RUNS;
    }
    size_t width = physical_bytes(type_physical((TypeId)block->type.id));
    bool may_repeat = best > block->row_count && (width == 4 || width == 8);
    if (!may_repeat) { /* under a byte a row: a dictionary cannot win by much */
        return;
    }
    uint32_t entries = codec__dictionary_build(block, scratch, 4096);
    if (entries != 0 && dictionary_bytes(block->row_count, entries, 8) < best - best / 10) {
        plan->encoding = ENCODING_DICTIONARY;
        plan->dictionary_count = entries;
    }
}

static void choose_float(const ColumnBlock *block, const CodecOptions *options, EncodeScratch *scratch, BlockPlan *plan) {
    int scale = type_physical((TypeId)block->type.id) == PHYS_F64 ? codec__find_scale(block) : -1;
    if (scale >= 0) {
        plan->encoding = ENCODING_SCALED;
        plan->parameter = (uint8_t)scale;
        return;
    }
    plan->encoding = ENCODING_RAW;
    if (options->fast) {
        return;
    }
    uint32_t entries = codec__dictionary_build(block, scratch, 4096);
    if (entries != 0 && entries <= block->row_count / 4) {
        plan->encoding = ENCODING_DICTIONARY;
        plan->dictionary_count = entries;
    }
}

static void choose_text(const ColumnBlock *block, const CodecOptions *options, EncodeScratch *scratch, BlockPlan *plan) {
    plan->encoding = ENCODING_TEXT;
    if (options->fast) {
        return;
    }
    uint32_t entries = codec__dictionary_build(block, scratch, MIN_OF((uint32_t)DICTIONARY_MAX, block->row_count / 2 + 1));
    if (entries != 0) {
        plan->encoding = ENCODING_DICTIONARY;
        plan->dictionary_count = entries;
    }
}

static void choose_wide(const ColumnBlock *block, BlockPlan *plan) {
    bool narrowed = block->type.id == TYPE_DECIMAL16 && codec__fits_int64(block);
    plan->encoding = narrowed ? ENCODING_FRAME : ENCODING_RAW;
    plan->parameter = narrowed ? FRAME_NARROWED : 0;
}

static NullKind null_kind(const ColumnBlock *block) {
    if (block->valid == NULL) {
        return NULLS_NONE;
    }
    uint32_t valid = bits_count(block->valid, block->row_count);
    return valid == block->row_count ? NULLS_NONE : valid == 0 ? NULLS_ALL : NULLS_BITMAP;
}

BlockPlan codec__choose(ColumnBlock *block, const CodecOptions *options, EncodeScratch *scratch) {
    BlockPlan plan = {.nulls = (uint8_t)null_kind(block)};
    if (plan.nulls == NULLS_NONE) {
        block->valid = NULL;
    }
    if (plan.nulls == NULLS_ALL || all_equal(block)) {
        plan.encoding = ENCODING_CONSTANT;
        return plan;
    }
    switch (type_physical((TypeId)block->type.id)) {
    case PHYS_BIT: plan.encoding = ENCODING_RAW; break;
    case PHYS_STR: choose_text(block, options, scratch, &plan); break;
    case PHYS_128: choose_wide(block, &plan); break;
    case PHYS_F32:
    case PHYS_F64: choose_float(block, options, scratch, &plan); break;
    default:
        if (options->fast) {
            plan.encoding = ENCODING_FRAME;
        } else {
            choose_integer(block, scratch, &plan);
        }
    }
    return plan;
}
