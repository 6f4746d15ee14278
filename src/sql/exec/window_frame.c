/* SPDX-License-Identifier: Apache-2.0
 * window_frame.c - which rows a frame has: by rows, by groups of peers, by the value of the order key; and what EXCLUDE takes out. */
#include "sql/exec/window.h"

static int key_compare(const WindowRows *rows, const PlanWindowItem *item, uint32_t row, uint32_t bound_output, uint32_t of) {
    const Vector *key = window_vector(rows, item->key, row);
    if (vector_is_null(key, row % BATCH_ROWS)) {
        return item->key_nulls_first ? -1 : 1;
    }
    const Vector *bound = window_vector(rows, bound_output, of);
    int order = value_rules((TypeId)key->type.id)->compare(vector_value(key, row % BATCH_ROWS), vector_value(bound, of % BATCH_ROWS));
    return item->key_descending ? -order : order;
}

/* First row of the partition whose key lies at (above) the bound of row `of`. */
static uint32_t search(const WindowRows *rows, const PlanWindowItem *item, const WindowPartition *part, uint32_t output, uint32_t of, bool above) {
    uint32_t low = part->first;
    uint32_t high = part->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = key_compare(rows, item, middle, output, of);
        if (order < 0 || (above && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t clamp(int64_t at, uint32_t low, uint32_t high) {
    return at < (int64_t)low ? low : at > (int64_t)high ? high : (uint32_t)at;
}

static ErrorCode offset_of(const WindowRows *rows, uint32_t output, const char *which, int64_t *offset_out, Error *err) {
    const Value *value = &rows->offsets[output];
    if (value->is_null) {
        return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "frame %s offset must not be null", which);
    }
    if (value->as.i64 < 0) {
        return error_set(err, ERR_INVALID_FRAME_SIZE, ERROR_NO_POSITION, "frame %s offset must not be negative", which);
    }
    *offset_out = MIN_OF(value->as.i64, (int64_t)1 << 40);
    return ERR_OK;
}

typedef struct Edge { uint8_t kind; uint32_t offset; bool end; } Edge;

static uint32_t group_edge(const WindowRows *rows, const WindowPartition *part, int64_t group, bool end) {
    int64_t place = end ? group + 1 : group;
    return rows->group_first[clamp(place, part->group_first, part->group_end)];
}

/* Where the frame begins, or the row behind its end. */
static ErrorCode edge_row(const WindowRows *rows, const PlanWindowItem *item, const WindowPartition *part, uint32_t row, Edge edge, uint32_t *row_out, Error *err) {
    uint32_t group = rows->group_of[row];
    if (edge.kind == EDGE_UNBOUNDED_PRECEDING || edge.kind == EDGE_UNBOUNDED_FOLLOWING) {
        *row_out = edge.kind == EDGE_UNBOUNDED_PRECEDING ? part->first : part->end;
        return ERR_OK;
    }
    if (edge.kind == EDGE_CURRENT) {
        *row_out = item->mode == FRAME_ROWS ? row + (edge.end ? 1 : 0) : group_edge(rows, part, group, edge.end);
        return ERR_OK;
    }
    if (item->mode == FRAME_RANGE) {
        bool null = window_is_null(rows, item->key, row) || window_is_null(rows, edge.offset, row);
        *row_out = null ? group_edge(rows, part, group, edge.end) : search(rows, item, part, edge.offset, row, edge.end);
        return ERR_OK;
    }
    int64_t offset = 0;
    TRY(offset_of(rows, edge.offset, edge.end ? "ending" : "starting", &offset, err));
    offset = edge.kind == EDGE_PRECEDING ? -offset : offset;
    *row_out = item->mode == FRAME_ROWS ? clamp((int64_t)row + offset + (edge.end ? 1 : 0), part->first, part->end)
                                        : group_edge(rows, part, (int64_t)group + offset, edge.end);
    return ERR_OK;
}

ErrorCode window_frame(const WindowRows *rows, const PlanWindowItem *item, const WindowPartition *part, uint32_t row, RowRange *range_out, Error *err) {
    TRY(edge_row(rows, item, part, row, (Edge){item->start, item->start_offset, false}, &range_out->first, err));
    TRY(edge_row(rows, item, part, row, (Edge){item->end, item->end_offset, true}, &range_out->end, err));
    range_out->end = MAX_OF(range_out->first, range_out->end);
    return ERR_OK;
}

static uint32_t add_range(RowRange *ranges, uint32_t count, uint32_t first, uint32_t end) {
    if (first < end) {
        ranges[count++] = (RowRange){first, end};
    }
    return count;
}

uint32_t window_exclude(const WindowRows *rows, const PlanWindowItem *item, uint32_t row, RowRange range, RowRange *ranges) {
    uint32_t first = rows->group_first[rows->group_of[row]];
    uint32_t end = rows->group_first[rows->group_of[row] + 1];
    if (item->exclude == FRAME_EXCLUDE_NONE) {
        return add_range(ranges, 0, range.first, range.end);
    }
    if (item->exclude == FRAME_EXCLUDE_ROW) {
        first = row;
        end = row + 1;
    }
    uint32_t count = add_range(ranges, 0, range.first, MIN_OF(range.end, first));
    if (item->exclude == FRAME_EXCLUDE_TIES && row >= range.first && row < range.end) {
        count = add_range(ranges, count, row, row + 1);
    }
    return add_range(ranges, count, MAX_OF(range.first, end), range.end);
}
