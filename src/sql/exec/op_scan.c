/* SPDX-License-Identifier: Apache-2.0
 * op_scan.c - batches of a table: one scan per plan operator, one cursor per worker, morsels taken by whoever is free.
 *
 * Why:        time bounds are evaluated here, when the run opens, so that one plan prunes with every parameter.
 * Threads:    ScanShared is made by worker 0; next_morsel of the source is thread-safe. */
#include "sql/exec/exec_internal.h"
#include <stdlib.h>

typedef struct ScanShared {
    RowSource *source;
    Scan *scan;
    bool empty;             /* a bound is NULL or ranges do not meet: no row qualifies */
} ScanShared;

typedef struct ScanOperator {
    Operator base;
    ScanShared *shared;
    ScanCursor *cursor;
    bool in_morsel;
    int64_t *refs;          /* row places as INT8 values */
    uint32_t ref_room;
} ScanOperator;

static void shared_close(void *pointer) {
    ScanShared *shared = pointer;
    if (shared->scan != NULL) {
        shared->source->vtable->close(shared->scan);
    }
    mem_free(shared);
}

/* ---- time ranges ---- */
typedef struct RangeList { KeyRange *items; uint32_t count; } RangeList;

static RangeList ranges_meet(Arena *arena, RangeList a, const KeyRange *b, uint32_t b_count) {
    RangeList out = {arena_array(arena, KeyRange, a.count + b_count + 1), 0};
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < a.count && j < b_count) {
        int64_t low = MAX_OF(a.items[i].low, b[j].low);
        int64_t high = MIN_OF(a.items[i].high, b[j].high);
        if (low <= high) {
            out.items[out.count++] = (KeyRange){low, high};
        }
        if (a.items[i].high < b[j].high) {
            i++;
        } else {
            j++;
        }
    }
    return out;
}

static KeyRange bound_range(FilterOp op, int64_t value) {
    switch (op) {
    case FILTER_EQ:
        return (KeyRange){value, value};
    case FILTER_LT:
        return value == INT64_MIN ? (KeyRange){1, 0} : (KeyRange){INT64_MIN, value - 1};
    case FILTER_LE:
        return (KeyRange){INT64_MIN, value};
    case FILTER_GT:
        return value == INT64_MAX ? (KeyRange){1, 0} : (KeyRange){value + 1, INT64_MAX};
    default:
        return (KeyRange){value, INT64_MAX};
    }
}

/* All ranges and bounds intersected; *all_out: nothing restricts. */
static RangeList scan_ranges(const PlanOp *plan, const Value *constants, Arena *arena, bool *all_out) {
    RangeList list = {arena_array(arena, KeyRange, 1), 1};
    list.items[0] = (KeyRange){INT64_MIN, INT64_MAX};
    *all_out = plan->as.scan.bound_count + plan->as.scan.range_count == 0;
    for (uint32_t i = 0; i < plan->as.scan.range_count; i++) {
        list = ranges_meet(arena, list, plan->as.scan.ranges[i].ranges, plan->as.scan.ranges[i].count);
    }
    for (uint32_t i = 0; i < plan->as.scan.bound_count; i++) {
        const Value *value = &constants[plan->as.scan.bounds[i].output];
        KeyRange range = value->is_null ? (KeyRange){1, 0} : bound_range((FilterOp)plan->as.scan.bounds[i].op, value->as.i64);
        list = ranges_meet(arena, list, &range, range.low <= range.high ? 1 : 0);
    }
    return list;
}

/* ---- filters for pruning ---- */
/* False: no row can pass (compared with NULL, or with a text that the dictionary does not have). */
static bool fill_filter(const PlanOp *plan, const PlanFilter *from, Value *value, Arena *arena, ScanFilter *out) {
    if (value->is_null) {
        return false;
    }
    const RelColumn *column = &plan->columns[from->column];
    *out = (ScanFilter){.column = plan->as.scan.numbers[from->column], .op = from->op, .prune_only = from->prune_only, .value_count = 1, .values = value->as.bytes};
    if (column->type.id == TYPE_SYMBOL) {
        int32_t *code = arena_array(arena, int32_t, 4);
        *code = column->symbols->find(column->symbols, strref_str(&value->as.str));
        out->values = code;
        return *code >= 0;
    }
    return true;
}

static uint16_t fill_filters(const PlanOp *plan, Value *constants, Arena *arena, ScanFilter *filters, bool *none_out) {
    uint16_t count = 0;
    for (uint16_t i = 0; i < plan->as.scan.filter_count; i++) {
        const PlanFilter *from = &plan->as.scan.filters[i];
        if (!fill_filter(plan, from, &constants[from->output], arena, &filters[count])) {
            *none_out = true;
            return 0;
        }
        count++;
    }
    return count;
}

/* ---- stretches of an index ---- */
static bool is_repeated(const Value *values, const uint32_t *outputs, uint32_t at) {
    const Value *value = &values[outputs[at]];
    const ValueRules *rules = value_rules((TypeId)value->type.id);
    for (uint32_t i = 0; i < at; i++) {
        const Value *other = &values[outputs[i]];
        if (!other->is_null && rules->equal(other->as.bytes, value->as.bytes)) {
            return true;
        }
    }
    return false;
}

/* A bound in the key's own type. Where it is a wider integer and beyond the key's range: -1 below, 1 above. */
static int narrow_bound(const Value *value, uint8_t key_type, Arena *arena, const void **bound_out) {
    bool wider = (key_type == TYPE_INT2 || key_type == TYPE_INT4) && value->type.id != key_type && (value->type.id == TYPE_INT4 || value->type.id == TYPE_INT8);
    *bound_out = value->as.bytes;
    if (!wider) {
        return 0;
    }
    int64_t integer = value->type.id == TYPE_INT4 ? value->as.i32 : value->as.i64, most = key_type == TYPE_INT2 ? INT16_MAX : INT32_MAX;
    if (integer > most || integer < -most - 1) {
        return integer > most ? 1 : -1;
    }
    Value *narrow = arena_new(arena, Value);
    narrow->type = type_of((TypeId)key_type);
    if (key_type == TYPE_INT2) {
        memcpy(narrow->as.bytes, &(int16_t){(int16_t)integer}, sizeof(int16_t));
    } else {
        narrow->as.i32 = (int32_t)integer;
    }
    *bound_out = narrow->as.bytes;
    return 0;
}

/* false: nothing is within the bounds. A bound beyond the key's range bounds nothing, but NULLs stay outside. */
static bool probe_range(const PlanIndex *plan, const Value *constants, Arena *arena, IndexProbe *probe) {
    const void *bound = NULL;
    if ((plan->has_low && constants[plan->low].is_null) || (plan->has_high && constants[plan->high].is_null)) {
        return false;
    }
    if (plan->has_low) {
        int side = narrow_bound(&constants[plan->low], plan->types[plan->equal_count], arena, &bound);
        probe->low = side == 0 ? bound : NULL;
        probe->not_null = side < 0;
        if (side > 0) {
            return false;
        }
    }
    if (plan->has_high) {
        int side = narrow_bound(&constants[plan->high], plan->types[plan->equal_count], arena, &bound);
        probe->high = side == 0 ? bound : NULL;
        probe->not_null = probe->not_null || side > 0;
        if (side < 0) {
            return false;
        }
    }
    return true;
}

/* NULL: the plan has none. *none_out: compared with NULL, no row qualifies. */
static const IndexRequest *fill_index(const PlanIndex *plan, const Value *constants, Arena *arena, bool *none_out) {
    if (plan == NULL) {
        return NULL;
    }
    uint32_t probe_max = MAX_OF(plan->in_count, 1u);
    IndexProbe *probes = arena_array(arena, IndexProbe, probe_max);
    IndexRequest *request = arena_new(arena, IndexRequest);
    *request = (IndexRequest){.index_id = plan->index->id, .probes = probes};
    for (uint32_t n = 0; n < probe_max; n++) {
        const void **equal = arena_array(arena, const void *, plan->equal_count + 1u);
        bool null = false;
        for (uint16_t k = 0; k < plan->equal_count; k++) {
            bool listed = plan->in_count > 0 && k + 1 == plan->equal_count;
            const Value *value = &constants[listed ? plan->in[n] : plan->equal[k]];
            null = null || value->is_null || (listed && is_repeated(constants, plan->in, n)) || narrow_bound(value, plan->types[k], arena, &equal[k]) != 0;
        }
        IndexProbe probe = {.equal = equal, .equal_count = plan->equal_count, .low_open = plan->low_open, .high_open = plan->high_open};
        if (!null && probe_range(plan, constants, arena, &probe)) {
            probes[request->probe_count++] = probe;
        }
    }
    *none_out = *none_out || request->probe_count == 0;
    return request;
}

static ErrorCode shared_open(Run *run, const PlanOp *plan, ScanShared *shared, Error *err) {
    Storage *storage = run->context.storage;
    if (storage == NULL) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "the run has no storage to scan");
    }
    Arena *arena = &run->arena;
    TRY(storage->source(storage, plan->as.scan.table->id, &shared->source, err));
    Value *constants = arena_array(arena, Value, plan->constants->output_count + 1);
    if (plan->constants->output_count > 0) {
        TRY(program_constants(run, plan->constants, arena, constants, err));
    }
    bool all = true;
    RangeList ranges = scan_ranges(plan, constants, arena, &all);
    ScanFilter *filters = arena_array(arena, ScanFilter, plan->as.scan.filter_count + 1u);
    uint16_t filter_count = fill_filters(plan, constants, arena, filters, &shared->empty);
    const IndexRequest *index = shared->empty ? NULL : fill_index(plan->as.scan.index, constants, arena, &shared->empty);
    if (shared->empty || ranges.count == 0) {
        shared->empty = true;
        return ERR_OK;
    }
    ScanRequest request = {
        .columns = plan->as.scan.numbers,
        .column_count = plan->as.scan.number_count,
        .ranges = ranges.items,
        .range_count = all ? 0 : ranges.count,
        .filters = filters,
        .filter_count = filter_count,
        .order = (ScanOrder)plan->as.scan.order,
        .want_refs = plan->as.scan.want_refs,
        .want_stats = !plan->as.scan.residual,
        .index = index,
    };
    return shared->source->vtable->open(shared->source, &request, &shared->scan, err);
}

/* ---- reading ---- */
bool scan_take_morsel(Operator *op, Morsel *morsel_out) {
    ScanOperator *scan = (ScanOperator *)op;
    if (scan->shared->empty || !scan->shared->source->vtable->next_morsel(scan->shared->scan, morsel_out)) {
        return false;
    }
    scan->in_morsel = false;
    return true;
}

/* Readable to the next 64 rows, as all vectors are; one row is the most usual number. */
static void refs_room(ScanOperator *scan, uint16_t row_count) {
    uint32_t rows = (row_count + 63u) / 64u * 64u;
    if (rows > scan->ref_room) {
        mem_free(scan->refs);
        scan->refs = mem_alloc_aligned(rows * sizeof *scan->refs);
        memset(scan->refs, 0, rows * sizeof *scan->refs);
        scan->ref_room = rows;
    }
}

static void add_refs(ScanOperator *scan) {
    Batch *batch = &scan->base.batch;
    assert(batch->refs != NULL);
    refs_room(scan, batch->row_count);
    for (uint16_t i = 0; i < batch->row_count; i++) {
        scan->refs[i] = (int64_t)((uint64_t)batch->refs[i].part << 32 | batch->refs[i].offset);
    }
    memcpy(scan->base.columns, batch->columns, batch->column_count * sizeof(Vector));
    scan->base.columns[batch->column_count] =
        (Vector){.type = type_of(TYPE_INT8), .form = VECTOR_FLAT, .facts = FACT_NO_NULLS, .row_count = batch->row_count, .data = scan->refs};
    batch->columns = scan->base.columns;
    batch->column_count++;
}

static void add_symbols(const PlanOp *plan, Batch *batch) {
    for (uint16_t i = 0; i < batch->column_count; i++) {
        batch->columns[i].row_count = batch->row_count;
        if (batch->columns[i].symbols == NULL) {
            batch->columns[i].symbols = plan->columns[i].symbols;
        }
    }
}

ErrorCode scan_read_morsel(Operator *op, Batch **batch_out, Error *err) {
    ScanOperator *scan = (ScanOperator *)op;
    *batch_out = NULL;
    memset(&op->batch, 0, sizeof op->batch);
    TRY(scan->shared->source->vtable->read(scan->cursor, &op->batch, err));
    if (op->batch.row_count == 0) {
        scan->in_morsel = false;
        return ERR_OK;
    }
    if (op->plan->as.scan.want_refs) {
        add_refs(scan);
    }
    assert(op->batch.column_count == op->plan->column_count);
    add_symbols(op->plan, &op->batch);
    *batch_out = &op->batch;
    return ERR_OK;
}

void scan_start_morsel(Operator *op, const Morsel *morsel) {
    ScanOperator *scan = (ScanOperator *)op;
    scan->shared->source->vtable->cursor_start(scan->cursor, morsel);
    scan->in_morsel = true;
}

static ErrorCode scan_next(Operator *op, Batch **batch_out, Error *err) {
    ScanOperator *scan = (ScanOperator *)op;
    for (;;) {
        if (!scan->in_morsel) {
            Morsel morsel;
            if (!scan_take_morsel(op, &morsel)) {
                *batch_out = NULL;
                return ERR_OK;
            }
            scan_start_morsel(op, &morsel);
        }
        TRY(scan_read_morsel(op, batch_out, err));
        if (*batch_out != NULL) {
            return ERR_OK;
        }
    }
}

static void scan_close(Operator *op) {
    ScanOperator *scan = (ScanOperator *)op;
    if (scan->cursor != NULL) {
        scan->shared->source->vtable->cursor_close(scan->cursor);
    }
    mem_free(scan->refs);
}

ScanCursor *scan_cursor(Operator *op, Scan **scan_out, RowSource **source_out) {
    ScanOperator *scan = (ScanOperator *)op;
    *scan_out = scan->shared->scan;
    *source_out = scan->shared->source;
    return scan->shared->empty ? NULL : scan->cursor;
}

void scan_explain(const Run *run, const PlanOp *plan, Buffer *out) {
    const ScanShared *shared = run->shared[plan->id];
    if (shared == NULL || shared->scan == NULL) {
        buffer_append_str(out, STR(" no row can qualify"));
        return;
    }
    ScanCounters counters = {0};
    if (shared->source->vtable->counters != NULL) {
        shared->source->vtable->counters(shared->scan, &counters);
    }
    buffer_printf(out, " parts=%llu (pruned %llu) blocks=%llu (pruned %llu) rows read=%llu", (unsigned long long)counters.parts,
                  (unsigned long long)counters.parts_pruned, (unsigned long long)counters.blocks, (unsigned long long)counters.blocks_pruned,
                  (unsigned long long)counters.rows_read);
}

static const OperatorType SCAN_TYPE = {"scan", NULL, scan_next, scan_close};

ErrorCode op_scan_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    if (run->shared[plan->id] == NULL) {
        ScanShared *shared = mem_calloc(1, sizeof *shared);
        run->shared[plan->id] = shared;
        run->shared_close[plan->id] = shared_close;
        TRY(shared_open(run, plan, shared, err));
    }
    ScanOperator *scan = operator_new(ScanOperator, run, plan, worker, &SCAN_TYPE);
    scan->shared = run->shared[plan->id];
    *op_out = &scan->base;
    if (scan->shared->empty) {
        return ERR_OK;
    }
    return scan->shared->source->vtable->cursor_open(scan->shared->scan, &scan->cursor, err);
}
