/* SPDX-License-Identifier: Apache-2.0
 * summarise.c - a block's statistics: what zone maps hold and aggregates may answer from.
 *
 * Invariants: float sums are double-double over the rows in order; integers sum in 128 bits; NaN takes no part in min and max. */
#include "codec/codec.h"
#include <math.h>

static bool is_valid(const ColumnBlock *block, uint32_t row) { return block->valid == NULL || bit_get(block->valid, row); }

static void add_integer(BlockStats *stats, int64_t value) {
    if (!stats->has_min_max) {
        stats->min.i64 = stats->max.i64 = value;
        stats->has_min_max = true;
    }
    stats->min.i64 = value < stats->min.i64 ? value : stats->min.i64;
    stats->max.i64 = value > stats->max.i64 ? value : stats->max.i64;
    stats->sum_int += value;
}

/* Knuth's two-sum, the error gathered in sum_low. */
static void add_float_sum(BlockStats *stats, double value) {
    double sum = stats->sum_high + value;
    double part = sum - stats->sum_high;
    double error = (stats->sum_high - (sum - part)) + (value - part);
    stats->sum_high = sum;
    stats->sum_low += isfinite(sum) ? error : 0; /* infinities and NaN stay in the high part */
}

static void add_float(BlockStats *stats, double value) {
    add_float_sum(stats, value);
    if (isnan(value)) {
        stats->has_nan = true;
        return;
    }
    if (!stats->has_min_max) {
        stats->min.f64 = stats->max.f64 = value;
        stats->has_min_max = true;
    }
    stats->min.f64 = value < stats->min.f64 ? value : stats->min.f64;
    stats->max.f64 = value > stats->max.f64 ? value : stats->max.f64;
}

#define SUMMARISE(ctype, add)                                                                                                    \
    for (uint32_t i = 0; i < block->row_count; i++) {                                                                            \
        if (is_valid(block, i)) {                                                                                                \
            add(stats_out, ((const ctype *)block->data)[i]);                                                                     \
        }                                                                                                                        \
    }

static void summarise_int64(const int64_t *values, uint32_t count, BlockStats *stats) {
    int64_t least = values[0], most = values[0];
    Int128 sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
        sum += values[i];
    }
    stats->min.i64 = least;
    stats->max.i64 = most;
    stats->sum_int = sum;
    stats->has_min_max = true;
}

static void renormalise(BlockStats *stats) {
    double sum = stats->sum_high + stats->sum_low;
    stats->sum_low = isfinite(sum) ? (stats->sum_high - sum) + stats->sum_low : 0;
    stats->sum_high = sum;
}

void codec_summarise(const ColumnBlock *block, BlockStats *stats_out) {
    *stats_out = (BlockStats){.row_count = block->row_count};
    stats_out->null_count = block->valid == NULL ? 0 : block->row_count - bits_count(block->valid, block->row_count);
    if (block->row_count == stats_out->null_count) {
        return;
    }
    Physical physical = type_physical((TypeId)block->type.id);
    stats_out->has_sum = physical != PHYS_BIT && physical != PHYS_STR && physical != PHYS_128;
    switch (physical) {
    case PHYS_8: SUMMARISE(int8_t, add_integer) break;
    case PHYS_16: SUMMARISE(int16_t, add_integer) break;
    case PHYS_32: SUMMARISE(int32_t, add_integer) break;
    case PHYS_64:
        if (block->valid == NULL) {
            summarise_int64(block->data, block->row_count, stats_out);
        } else {
            SUMMARISE(int64_t, add_integer)
        }
        break;
    case PHYS_F32: SUMMARISE(float, add_float) break;
    case PHYS_F64: SUMMARISE(double, add_float) break;
    default: break;
    }
    if (physical == PHYS_F32 || physical == PHYS_F64) {
        renormalise(stats_out);
    }
}
