/* SPDX-License-Identifier: Apache-2.0
 * sink.c - INSERT, UPDATE, DELETE: a plan's rows into storage.
 *
 * Why:        INSERT goes block by block, since the statement's snapshot does not see its own rows. UPDATE and DELETE collect first, so
 *             that no row is met twice; a row that a join offers twice is changed once, by the first offer.
 *             Texts become symbol codes here: constants and dictionaries once, other values with a memo of the last one. */
#include "sql/exec/exec_internal.h"

typedef struct Sink {
    Run *run;
    const RunContext *context;
    const TableDef *table;
    uint32_t skip;              /* columns of the plan before the table's */
    ColumnBuilder *builders;    /* of the block that is filled */
    ColumnBuilder **full;       /* UPDATE: blocks that wait for the end of the scan */
    uint32_t full_count, full_capacity;
    RowRef *refs;
    size_t ref_count, ref_capacity;
    IntMap seen;
    Arena scratch;
    size_t reserved;
    uint64_t rows;
} Sink;

/* ---- symbols ---- */
static ErrorCode intern(const ColumnDef *column, Str text, int32_t *code_out, Error *err) {
    *code_out = column->symbols->intern(column->symbols, text);
    if (*code_out < 0) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "symbol column \"%.*s\" has reached its limit of %d symbols",
                         STR_ARG(column->name), SYMBOLS_MAX);
    }
    return ERR_OK;
}

static ErrorCode intern_flat(const ColumnDef *column, const Vector *from, Vector *codes, Arena *arena, const uint64_t *live, Error *err) {
    int32_t *out = vector_data(codes);
    Str last = {NULL, 0};
    int32_t last_code = -1;
    for (uint16_t r = 0; r < from->row_count; r++) {
        out[r] = 0;
        if (live != NULL && !bit_get(live, r)) {
            continue;
        }
        if (vector_is_null(from, r)) {
            vector_set_null(codes, arena, r);
            continue;
        }
        Str text = vector_text(from, r);
        if (last_code < 0 || !str_equal(text, last)) {
            TRY(intern(column, text, &last_code, err));
            last = text;
        }
        out[r] = last_code;
    }
    return ERR_OK;
}

/* Bits of base places that a live row stands on. */
static uint64_t *used_places(const Vector *indexed, const uint64_t *live, Arena *arena) {
    uint64_t *used = arena_array(arena, uint64_t, words_for(indexed->base_count) + 1);
    for (uint16_t r = 0; r < indexed->row_count; r++) {
        bool counts = (live == NULL || bit_get(live, r)) && (indexed->valid == NULL || bit_get(indexed->valid, r));
        if (counts) {
            bit_set(used, indexed->index[r]);
        }
    }
    return used;
}

static ErrorCode symbol_codes(const ColumnDef *column, Vector *vector, const uint64_t *live, Arena *arena, Error *err) {
    const SymbolTable *own = column->symbols;
    if (vector->type.id == TYPE_SYMBOL && vector->symbols == own) {
        return ERR_OK;
    }
    Vector codes = vector_new(arena, column->type);
    codes.symbols = own;
    if (vector->form == VECTOR_INDEXED && vector->base_count <= BATCH_ROWS) {
        TRY(vector_flat(vector->base, arena, err));
        Vector base = *vector->base;
        base.row_count = (uint16_t)vector->base_count;
        base.symbols = vector->base->symbols != NULL ? vector->base->symbols : vector->symbols;
        TRY(intern_flat(column, &base, &codes, arena, used_places(vector, live, arena), err));
        codes.row_count = base.row_count;
        Vector *new_base = arena_new(arena, Vector);
        *new_base = codes;
        vector->base = new_base;
        vector->type = column->type;
        vector->symbols = own;
        return ERR_OK;
    }
    TRY(vector_dense(vector, arena, err));
    Vector source = *vector;
    source.row_count = vector->form == VECTOR_CONSTANT ? 1 : vector->row_count;
    TRY(intern_flat(column, &source, &codes, arena, vector->form == VECTOR_CONSTANT ? NULL : live, err));
    codes.row_count = vector->row_count;
    codes.form = vector->form;
    *vector = codes;
    return ERR_OK;
}

/* ---- blocks ---- */
static void builders_open(Sink *sink) {
    sink->builders = mem_calloc(sink->table->column_count + 1u, sizeof *sink->builders);
    for (uint16_t c = 0; c < sink->table->column_count; c++) {
        column_builder_init(&sink->builders[c], sink->table->columns[c].type);
    }
}

static void builders_close(const Sink *sink, ColumnBuilder *builders) {
    for (uint16_t c = 0; builders != NULL && c < sink->table->column_count; c++) {
        column_builder_deinit(&builders[c]);
    }
    mem_free(builders);
}

static ErrorCode append_block(Sink *sink, ColumnBuilder *builders, Error *err) {
    uint16_t count = sink->table->column_count;
    ColumnBlock *blocks = mem_calloc(count + 1u, sizeof *blocks);
    for (uint16_t c = 0; c < count; c++) {
        blocks[c] = column_builder_block(&builders[c]);
    }
    Storage *storage = sink->context->storage;
    ErrorCode code = ERR_OK;
    if (count > 0 && blocks[0].row_count > 0) {
        code = storage->append(storage, sink->table->id, blocks, count, err);
    }
    mem_free(blocks);
    return code;
}

static ErrorCode block_full(Sink *sink, bool collect, Error *err) {
    if (!collect) {
        TRY(append_block(sink, sink->builders, err));
        for (uint16_t c = 0; c < sink->table->column_count; c++) {
            column_builder_clear(&sink->builders[c]);
        }
        return ERR_OK;
    }
    if (sink->full_count == sink->full_capacity) {
        sink->full_capacity = MAX_OF(16u, sink->full_capacity * 2);
        sink->full = mem_realloc(sink->full, sink->full_capacity * sizeof *sink->full);
    }
    sink->full[sink->full_count++] = sink->builders;
    builders_open(sink);
    return ERR_OK;
}

static uint32_t builder_rows(const Sink *sink) {
    return sink->table->column_count == 0 ? 0 : sink->builders[0].row_count;
}

static ErrorCode take_columns(Sink *sink, Batch *batch, bool collect, Error *err) {
    if (builder_rows(sink) + batch->live_count > BLOCK_ROWS) {
        TRY(block_full(sink, collect, err));
    }
    size_t bytes = 0;
    for (uint16_t c = 0; c < sink->table->column_count; c++) {
        Vector *vector = &batch->columns[sink->skip + c];
        const ColumnDef *column = &sink->table->columns[c];
        vector->row_count = batch->row_count;
        if (vector->form == VECTOR_ENCODED) {
            TRY(vector_flat(vector, &sink->scratch, err));
        }
        if (column->type.id == TYPE_SYMBOL) {
            TRY(symbol_codes(column, vector, batch->live, &sink->scratch, err));
        }
        column_builder_batch(&sink->builders[c], vector, batch->live, batch->row_count);
        bytes += (size_t)batch->live_count * (physical_bytes(type_physical((TypeId)column->type.id)) + 1);
    }
    sink->rows += batch->live_count;
    if (collect) {
        TRY(budget_reserve(&sink->run->budget, bytes, err));
        sink->reserved += bytes;
    }
    return ERR_OK;
}

/* ---- row places ---- */
static ErrorCode take_refs(Sink *sink, Batch *batch, Error *err) {
    Vector *vector = &batch->columns[0];
    TRY(vector_flat(vector, &sink->scratch, err));
    const int64_t *places = vector->data;
    uint64_t kept[BATCH_WORDS] = {0};
    uint16_t picked[BATCH_ROWS];
    uint16_t count = batch_live_rows(batch, picked);
    for (uint16_t i = 0; i < count; i++) {
        uint64_t place = (uint64_t)places[picked[i]];
        if (vector_is_null(vector, picked[i]) || !intmap_put(&sink->seen, place, 1)) {
            continue;
        }
        bit_set(kept, picked[i]);
        if (sink->ref_count == sink->ref_capacity) {
            size_t capacity = MAX_OF((size_t)1024, sink->ref_capacity * 2);
            TRY(budget_reserve(&sink->run->budget, capacity * 24, err));
            sink->reserved += capacity * 24;
            sink->refs = mem_realloc(sink->refs, capacity * sizeof *sink->refs);
            sink->ref_capacity = capacity;
        }
        sink->refs[sink->ref_count++] = (RowRef){(uint32_t)(place >> 32), (uint32_t)place};
    }
    batch_filter(batch, kept, &sink->scratch);
    return ERR_OK;
}

static ErrorCode end_refs(Sink *sink, Error *err) {
    Storage *storage = sink->context->storage;
    for (size_t at = 0; at < sink->ref_count; at += BLOCK_ROWS) {
        uint32_t count = (uint32_t)MIN_OF(sink->ref_count - at, (size_t)BLOCK_ROWS);
        TRY(storage->end_rows(storage, sink->table->id, sink->refs + at, count, err));
    }
    return ERR_OK;
}

/* ---- the three statements ---- */
typedef enum SinkKind { SINK_INSERT, SINK_UPDATE, SINK_DELETE } SinkKind;

static ErrorCode take_batch(Sink *sink, SinkKind kind, Batch *batch, Error *err) {
    arena_reset(&sink->scratch);
    if (kind != SINK_INSERT) {
        TRY(take_refs(sink, batch, err));
    }
    if (kind == SINK_DELETE || batch->live_count == 0) {
        return ERR_OK;
    }
    return take_columns(sink, batch, kind == SINK_UPDATE, err);
}

static ErrorCode finish(Sink *sink, SinkKind kind, Error *err) {
    if (kind != SINK_INSERT) {
        TRY(end_refs(sink, err));
    }
    for (uint32_t i = 0; i < sink->full_count; i++) {
        TRY(append_block(sink, sink->full[i], err));
    }
    if (kind == SINK_DELETE) {
        sink->rows = sink->ref_count;
        return ERR_OK;
    }
    return append_block(sink, sink->builders, err);
}

static ErrorCode drive(Sink *sink, SinkKind kind, Error *err) {
    for (;;) {
        Batch *batch = NULL;
        TRY(run_next(sink->run, &batch, err));
        if (batch == NULL) {
            return finish(sink, kind, err);
        }
        TRY(take_batch(sink, kind, batch, err));
    }
}

static ErrorCode run_sink(const Plan *plan, const RunContext *context, const TableDef *table, SinkKind kind, uint64_t *rows_out, Error *err) {
    Sink sink = {.context = context, .table = table, .skip = kind == SINK_INSERT ? 0 : 1};
    assert(kind == SINK_DELETE || plan_column_count(plan) == table->column_count + sink.skip);
    assert(context->storage != NULL);
    arena_init(&sink.scratch, SIZE_MAX);
    intmap_init(&sink.seen);
    builders_open(&sink);
    ErrorCode code = ERR_OK;
    TRY_OR(done, run_open(plan, context, &sink.run, err));
    TRY_OR(done, drive(&sink, kind, err));
    if (context->storage->statement_end != NULL) {
        TRY_OR(done, context->storage->statement_end(context->storage, err));
    }
    *rows_out = sink.rows;
done:
    for (uint32_t i = 0; i < sink.full_count; i++) {
        builders_close(&sink, sink.full[i]);
    }
    builders_close(&sink, sink.builders);
    mem_free(sink.full);
    mem_free(sink.refs);
    intmap_deinit(&sink.seen);
    arena_deinit(&sink.scratch);
    run_close(sink.run);
    return code;
}

ErrorCode run_insert(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err) {
    return run_sink(plan, context, table, SINK_INSERT, rows_out, err);
}

ErrorCode run_update(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err) {
    return run_sink(plan, context, table, SINK_UPDATE, rows_out, err);
}

ErrorCode run_delete(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err) {
    return run_sink(plan, context, table, SINK_DELETE, rows_out, err);
}
