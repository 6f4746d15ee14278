/* SPDX-License-Identifier: Apache-2.0
 * sample_fill.c - see sample_fill.h.
 *
 * Why:        FILL needs, for each bucket and each key, the cell there, the last one before (PREV, LINEAR) and the next one (LINEAR): four
 *             arrays by key, walked bucket by bucket, so that rows are made one batch at a time and never all held. */
#include "sql/exec/sample_fill.h"

static int64_t bucket_of(const SampleCells *cells, uint32_t group) {
    return (int64_t)get_u64le(groups_row(cells->table, group) + cells->table->spec->keys[0].offset);
}

static void sort_cells(SampleCells *cells, Arena *arena) {
    cells->cells = groups_order(cells->table, arena, &cells->cell_count);
    uint64_t *times = arena_array(arena, uint64_t, cells->cell_count + 1);
    for (uint32_t i = 0; i < cells->cell_count; i++) {
        times[i] = (uint64_t)bucket_of(cells, cells->cells[i]) ^ (UINT64_C(1) << 63);
    }
    groups_sort(times, cells->cells, cells->cell_count, arena);
}

static bool wants_fill(const PlanOp *plan) {
    for (uint32_t a = 0; plan->as.sample.fills != NULL && a < plan->as.sample.aggregate_count; a++) {
        if (plan->as.sample.fills[a].kind != FILL_NONE) {
            return true;
        }
    }
    return false;
}

/* Numbers the keys by first appearance: the cells' key values go through a table of their own. */
static ErrorCode number_keys(SampleCells *cells, Arena *arena, Budget *budget, Error *err) {
    uint32_t keys = cells->plan->as.sample.key_count;
    cells->key_of = arena_array(arena, uint32_t, cells->cell_count + 1);
    if (keys == 0) {
        cells->key_count = 1;
        return ERR_OK;
    }
    GroupTable table;
    GroupSpec *spec = group_spec(arena, cells->plan->program, 1, keys, NULL, 0, 0, false);
    TRY(groups_init(&table, spec, budget, err));
    Arena scratch;
    arena_init(&scratch, SIZE_MAX);
    ErrorCode code = ERR_OK;
    Vector *vectors = arena_array(arena, Vector, keys);
    Vector **pointers = arena_array(arena, Vector *, keys);
    uint64_t all[BATCH_WORDS];
    for (uint32_t from = 0; from < cells->cell_count && code == ERR_OK; from += BATCH_ROWS) {
        uint16_t count = (uint16_t)MIN_OF(cells->cell_count - from, (uint32_t)BATCH_ROWS);
        uint32_t found[BATCH_ROWS];
        arena_reset(&scratch);
        for (uint32_t k = 0; k < keys; k++) {
            vectors[k] = vector_new(&scratch, spec->keys[k].type);
            vectors[k].row_count = count;
            vectors[k].symbols = spec->keys[k].symbols;
            pointers[k] = &vectors[k];
            for (uint16_t r = 0; r < count; r++) {
                groups_key(cells->table, cells->cells[from + r], k + 1, &vectors[k], r, &scratch);
            }
        }
        memset(all, 0, sizeof all);
        for (uint16_t r = 0; r < count; r++) {
            bit_set(all, r);
        }
        code = groups_find(&table, pointers, all, count, (RowPosition){from / BATCH_ROWS, 0}, found, NULL, err);
        memcpy(cells->key_of + from, found, count * sizeof *found);
    }
    cells->key_count = table.count;
    groups_deinit(&table);
    arena_deinit(&scratch);
    return code;
}

static uint32_t *key_array(const SampleCells *cells, Arena *arena) {
    uint32_t *array = arena_array(arena, uint32_t, cells->key_count + 1);
    memset(array, 0xff, (cells->key_count + 1) * sizeof *array);
    return array;
}

static void link_cells(SampleCells *cells, Arena *arena) {
    cells->following = arena_array(arena, uint32_t, cells->cell_count + 1);
    cells->sample_of = key_array(cells, arena);
    cells->previous = key_array(cells, arena);
    cells->current = key_array(cells, arena);
    cells->upcoming = key_array(cells, arena);
    for (uint32_t i = cells->cell_count; i > 0; i--) {
        uint32_t key = cells->key_of[i - 1];
        cells->following[i - 1] = cells->upcoming[key];
        cells->upcoming[key] = i - 1;
        cells->sample_of[key] = i - 1;
    }
}

static ErrorCode find_range(SampleCells *cells, Error *err) {
    bool any = cells->cell_count > 0;
    cells->ended = !any && !(cells->has_from && cells->has_to && cells->plan->as.sample.key_count == 0);
    if (cells->ended) {
        return ERR_OK;
    }
    cells->bucket = cells->has_from ? cells->from : bucket_of(cells, cells->cells[0]);
    if (cells->has_to) {
        cells->last_bucket = cells->to - 1;
    } else {
        cells->last_bucket = bucket_of(cells, cells->cells[cells->cell_count - 1]);
    }
    cells->ended = cells->bucket > cells->last_bucket;
    if (cells->bucketer->by_months) {
        return ERR_OK;
    }
    uint64_t buckets = ((uint64_t)cells->last_bucket - (uint64_t)cells->bucket) / (uint64_t)cells->bucketer->step + 1;
    if (buckets > SAMPLE_ROWS_MAX / cells->key_count) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "FILL would make more than %llu rows", (unsigned long long)SAMPLE_ROWS_MAX);
    }
    return ERR_OK;
}

static ErrorCode check_linear(const SampleCells *cells, Error *err) {
    for (uint32_t a = 0; a < cells->plan->as.sample.aggregate_count; a++) {
        TypeId type = (TypeId)cells->plan->as.sample.aggregates[a].type.id;
        bool can = type == TYPE_FLOAT8 || type == TYPE_FLOAT4 || type_is_integer(type);
        if (cells->plan->as.sample.fills[a].kind == FILL_LINEAR && !can) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "FILL(LINEAR) of type %s is not supported", type_sql_name(type));
        }
    }
    return ERR_OK;
}

ErrorCode sample_cells_open(SampleCells *cells, Arena *arena, Budget *budget, Error *err) {
    sort_cells(cells, arena);
    cells->fill = wants_fill(cells->plan);
    if (!cells->fill) {
        return ERR_OK;
    }
    TRY(check_linear(cells, err));
    TRY(number_keys(cells, arena, budget, err));
    link_cells(cells, arena);
    return find_range(cells, err);
}

/* ---- one row ---- */
typedef struct RowOut { Vector *columns; size_t row; Arena *scratch; } RowOut;

static void put_bucket(const RowOut *out, int64_t bucket) { ((int64_t *)vector_data(&out->columns[0]))[out->row] = bucket; }

static void put_keys(const SampleCells *cells, const RowOut *out, uint32_t group) {
    for (uint32_t k = 0; k < cells->plan->as.sample.key_count; k++) {
        groups_key(cells->table, group, k + 1, &out->columns[k + 1], out->row, out->scratch);
    }
}

static ErrorCode put_aggregate(const SampleCells *cells, const RowOut *out, uint32_t group, uint32_t a, Error *err) {
    Vector *column = &out->columns[cells->plan->as.sample.key_count + 1 + a];
    return aggregates_finish(cells->table, group, a, column, out->row, out->scratch, err);
}

static ErrorCode put_cell(const SampleCells *cells, const RowOut *out, uint32_t group, Error *err) {
    put_bucket(out, bucket_of(cells, group));
    put_keys(cells, out, group);
    for (uint32_t a = 0; a < cells->plan->as.sample.aggregate_count; a++) {
        TRY(put_aggregate(cells, out, group, a, err));
    }
    return ERR_OK;
}

static double number_at(const Vector *vector, size_t row) {
    const void *value = vector_value(vector, row);
    switch (vector->type.id) {
    case TYPE_FLOAT8: return *(const double *)value;
    case TYPE_FLOAT4: return (double)*(const float *)value;
    case TYPE_INT8: return (double)*(const int64_t *)value;
    case TYPE_INT4: return *(const int32_t *)value;
    case TYPE_INT2: return *(const int16_t *)value;
    default: return *(const int8_t *)value;
    }
}

static void set_number(Vector *vector, size_t row, double number) {
    void *data = vector_data(vector);
    switch (vector->type.id) {
    case TYPE_FLOAT8: ((double *)data)[row] = number; break;
    case TYPE_FLOAT4: ((float *)data)[row] = (float)number; break;
    case TYPE_INT8: ((int64_t *)data)[row] = (int64_t)number; break;
    case TYPE_INT4: ((int32_t *)data)[row] = (int32_t)number; break;
    case TYPE_INT2: ((int16_t *)data)[row] = (int16_t)number; break;
    default: ((int8_t *)data)[row] = (int8_t)number; break;
    }
}

/* On the straight line between the cells before and after; NULL at the ends and beside NULLs. */
static ErrorCode put_linear(const SampleCells *cells, const RowOut *out, uint32_t key, uint32_t a, Error *err) {
    Vector *column = &out->columns[cells->plan->as.sample.key_count + 1 + a];
    uint32_t before = cells->previous[key], after = cells->upcoming[key];
    if (before == UINT32_MAX || after == UINT32_MAX) {
        vector_set_null(column, out->scratch, out->row);
        return ERR_OK;
    }
    Vector ends = vector_new(out->scratch, column->type);
    ends.row_count = 2;
    TRY(aggregates_finish(cells->table, cells->cells[before], a, &ends, 0, out->scratch, err));
    TRY(aggregates_finish(cells->table, cells->cells[after], a, &ends, 1, out->scratch, err));
    if (vector_is_null(&ends, 0) || vector_is_null(&ends, 1)) {
        vector_set_null(column, out->scratch, out->row);
        return ERR_OK;
    }
    double from = (double)bucket_of(cells, cells->cells[before]), to = (double)bucket_of(cells, cells->cells[after]);
    double low = number_at(&ends, 0), high = number_at(&ends, 1);
    set_number(column, out->row, low + (high - low) * (((double)cells->bucket - from) / (to - from)));
    return ERR_OK;
}

static ErrorCode put_filled(const SampleCells *cells, const RowOut *out, uint32_t key, uint32_t a, Error *err) {
    const PlanFill *fill = &cells->plan->as.sample.fills[a];
    Vector *column = &out->columns[cells->plan->as.sample.key_count + 1 + a];
    uint32_t before = cells->previous[key];
    if (fill->kind == FILL_LINEAR) {
        return put_linear(cells, out, key, a, err);
    }
    if (fill->kind == FILL_PREV && before != UINT32_MAX) {
        return put_aggregate(cells, out, cells->cells[before], a, err);
    }
    if (fill->kind == FILL_VALUE && !cells->constants[fill->output].is_null) {
        uint64_t word;
        Vector constant = program_value_vector(&cells->constants[fill->output], &word, 1);
        vector_copy_value(column, out->scratch, out->row, &constant, 0);
        return ERR_OK;
    }
    vector_set_null(column, out->scratch, out->row);
    return ERR_OK;
}

static ErrorCode put_missing(const SampleCells *cells, const RowOut *out, uint32_t key, Error *err) {
    put_bucket(out, cells->bucket);
    if (cells->plan->as.sample.key_count > 0) {
        put_keys(cells, out, cells->cells[cells->sample_of[key]]);
    }
    for (uint32_t a = 0; a < cells->plan->as.sample.aggregate_count; a++) {
        TRY(put_filled(cells, out, key, a, err));
    }
    return ERR_OK;
}

/* ---- walking the buckets ---- */
static void enter_bucket(SampleCells *cells) {
    memset(cells->current, 0xff, cells->key_count * sizeof *cells->current);
    while (cells->next_cell < cells->cell_count && bucket_of(cells, cells->cells[cells->next_cell]) <= cells->bucket) {
        uint32_t key = cells->key_of[cells->next_cell];
        cells->current[key] = cells->next_cell;
        cells->upcoming[key] = cells->following[cells->next_cell];
        cells->next_cell++;
    }
    cells->next_key = 0;
    cells->in_bucket = true;
}

static void leave_bucket(SampleCells *cells) {
    cells->in_bucket = false;
    cells->bucket = bucketer_next(cells->bucketer, cells->bucket);
    cells->ended = cells->bucket > cells->last_bucket;
}

static ErrorCode next_filled(SampleCells *cells, const RowOut *out, Error *err) {
    uint32_t key = cells->next_key++;
    if (cells->current[key] == UINT32_MAX) {
        return put_missing(cells, out, key, err);
    }
    cells->previous[key] = cells->current[key];
    return put_cell(cells, out, cells->cells[cells->current[key]], err);
}

static bool more(SampleCells *cells) {
    if (!cells->fill) {
        return cells->next_cell < cells->cell_count;
    }
    if (cells->in_bucket && cells->next_key == cells->key_count) {
        leave_bucket(cells);
    }
    if (cells->ended) {
        return false;
    }
    if (!cells->in_bucket) {
        enter_bucket(cells);
    }
    return true;
}

ErrorCode sample_cells_next(SampleCells *cells, Vector *columns, Arena *scratch, uint16_t *count_out, Error *err) {
    RowOut out = {.columns = columns, .scratch = scratch};
    for (uint32_t c = 0; c < cells->plan->column_count; c++) {
        columns[c] = vector_new(scratch, cells->plan->columns[c].type);
        columns[c].symbols = cells->plan->columns[c].symbols;
    }
    while (out.row < BATCH_ROWS && more(cells)) {
        if (cells->fill) {
            TRY(next_filled(cells, &out, err));
        } else {
            TRY(put_cell(cells, &out, cells->cells[cells->next_cell++], err));
        }
        out.row++;
    }
    for (uint32_t c = 0; c < cells->plan->column_count; c++) {
        columns[c].row_count = (uint16_t)out.row;
    }
    *count_out = (uint16_t)out.row;
    return ERR_OK;
}
