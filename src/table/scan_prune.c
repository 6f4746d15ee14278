/* SPDX-License-Identifier: Apache-2.0
 * scan_prune.c - leaves out row blocks of segments whose statistics exclude every row of a filter.
 *
 * Invariants: a block is left out only if no value in it, whatever the order of NaN, can satisfy the filter. Symbols have no order by
 *             code: only equality is looked at.
 * Tests:      test/unit/engine/test_segments.c */
#include "table/scan_internal.h"

static bool int_value(Physical physical, const void *values, uint32_t i, int64_t *value_out) {
    switch (physical) {
    case PHYS_8: *value_out = ((const int8_t *)values)[i]; return true;
    case PHYS_16: *value_out = ((const int16_t *)values)[i]; return true;
    case PHYS_32: *value_out = ((const int32_t *)values)[i]; return true;
    case PHYS_64: *value_out = ((const int64_t *)values)[i]; return true;
    default: return false;
    }
}

static bool float_value(Physical physical, const void *values, uint32_t i, double *value_out) {
    if (physical == PHYS_F32) {
        *value_out = (double)((const float *)values)[i];
        return true;
    }
    if (physical == PHYS_F64) {
        *value_out = ((const double *)values)[i];
        return true;
    }
    return false;
}

#define MAY_BE(op, value, min, max)                                                                                    \
    ((op) == FILTER_EQ || (op) == FILTER_IN ? (value) >= (min) && (value) <= (max)                                     \
     : (op) == FILTER_LT                    ? (min) < (value)                                                          \
     : (op) == FILTER_LE                    ? (min) <= (value)                                                         \
     : (op) == FILTER_GT                    ? (max) > (value)                                                          \
     : (op) == FILTER_GE                    ? (max) >= (value)                                                         \
     : (op) == FILTER_NE                    ? !((min) == (max) && (min) == (value))                                    \
                                            : true)

static bool value_may_match(const ScanFilter *filter, Physical physical, const BlockStats *stats, uint32_t i) {
    int64_t whole = 0;
    double real = 0;
    if (int_value(physical, filter->values, i, &whole)) {
        return MAY_BE(filter->op, whole, stats->min.i64, stats->max.i64);
    }
    if (float_value(physical, filter->values, i, &real)) {
        return stats->has_nan || real != real || MAY_BE(filter->op, real, stats->min.f64, stats->max.f64);
    }
    return true;
}

static bool filter_may_match(const ScanFilter *filter, Type type, const BlockStats *stats) {
    if (filter->op == FILTER_IS_NULL) {
        return stats->null_count > 0;
    }
    if (stats->null_count == stats->row_count) {
        return false;
    }
    bool equality = filter->op == FILTER_EQ || filter->op == FILTER_IN;
    if (filter->op == FILTER_NOT_NULL || !stats->has_min_max || (type.id == TYPE_SYMBOL && !equality)) {
        return true;
    }
    for (uint32_t i = 0; i < filter->value_count; i++) {
        if (value_may_match(filter, type_physical(type.id), stats, i)) {
            return true;
        }
    }
    return filter->value_count == 0;
}

bool scan__may_match(const Scan *scan, const ScanBlock *block) {
    for (uint16_t f = 0; f < scan->filter_count; f++) {
        const ScanFilter *filter = &scan->filters[f];
        const ColumnDef *column = &scan->def->columns[filter->column];
        int place = segment_column_index(block->segment, column->id);
        if (place < 0) {
            continue;
        }
        SegmentBlockStats stats;
        segment_block_stats(block->segment, block->segment_block, (uint16_t)place, &stats);
        if (!filter_may_match(filter, column->type, &stats.values)) {
            return false;
        }
    }
    return true;
}

static ErrorCode holds_any(const Scan *scan, const Segment *segment, const ScanFilter *filter, uint16_t place, bool *holds_out, Error *err) {
    SegmentSymbols symbols;
    bool stored = false;
    TRY(segment_symbols(segment, place, scan->table->env->cache, &stored, &symbols, err));
    if (!stored) {
        return ERR_OK;
    }
    bool holds = false;
    for (uint32_t i = 0; i < filter->value_count && !holds; i++) {
        uint32_t last_row = 0;
        holds = segment_symbols_find(&symbols, ((const uint32_t *)filter->values)[i], &last_row);
    }
    block_cache_release(scan->table->env->cache, &symbols.pin);
    *holds_out = holds;
    return ERR_OK;
}

ErrorCode scan__may_hold_symbols(const Scan *scan, const Segment *segment, bool *possible_out, Error *err) {
    *possible_out = true;
    for (uint16_t f = 0; f < scan->filter_count && *possible_out; f++) {
        const ScanFilter *filter = &scan->filters[f];
        const ColumnDef *column = &scan->def->columns[filter->column];
        int place = segment_column_index(segment, column->id);
        bool equality = filter->op == FILTER_EQ || filter->op == FILTER_IN;
        if (column->type.id == TYPE_SYMBOL && equality && filter->value_count > 0 && place >= 0) {
            TRY(holds_any(scan, segment, filter, (uint16_t)place, possible_out, err));
        }
    }
    return ERR_OK;
}
