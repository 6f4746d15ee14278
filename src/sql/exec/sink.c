/* SPDX-License-Identifier: Apache-2.0
 * sink.c - INSERT, UPDATE, DELETE: a plan's rows into storage.
 *
 * Why:        INSERT goes block by block, since the statement's snapshot does not see its own rows. UPDATE and DELETE collect first, so
 *             that no row is met twice; a row that a join offers twice is changed once, by the first offer.
 *             Texts become symbol codes here: constants and dictionaries once, other values with a memo of the last one. */
#include "sql/exec/exec_internal.h"

struct DmlRows {
    Run *run;
    RowStore store;
    uint32_t next;
    Batch batch;
};

typedef struct Sink {
    Run *run;
    const RunContext *context;
    const TableDef *table;
    const PlanDml *dml;         /* or NULL */
    DmlKind kind;
    uint32_t skip;              /* columns of the plan before the table's */
    uint32_t stored, total;     /* columns that are stored; and with those that only RETURNING reads */
    DmlRows *returned;
    Frame *returning, *set;
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
static Type type_at(const Sink *sink, uint32_t column) {
    return column < sink->stored ? sink->table->columns[column].type : sink->dml->rows[column].type;
}

static const SymbolTable *symbols_at(const Sink *sink, uint32_t column) {
    return column < sink->stored ? sink->table->columns[column].symbols : sink->dml->rows[column].symbols;
}

static ColumnBuilder *builders_new(const Sink *sink, uint32_t count) {
    ColumnBuilder *builders = mem_calloc(count + 1u, sizeof *builders);
    for (uint32_t c = 0; c < count; c++) {
        column_builder_init(&builders[c], type_at(sink, c));
    }
    return builders;
}

static void builders_open(Sink *sink) { sink->builders = builders_new(sink, sink->total); }

static void builders_free(ColumnBuilder *builders, uint32_t count) {
    for (uint32_t c = 0; builders != NULL && c < count; c++) {
        column_builder_deinit(&builders[c]);
    }
    mem_free(builders);
}

static void builders_close(const Sink *sink, ColumnBuilder *builders) { builders_free(builders, sink->total); }

/* ---- RETURNING ---- */
/* Rows [at, at + count) of blocks as a batch; at is a multiple of 1,024. */
static void slice(const Sink *sink, const ColumnBlock *blocks, uint32_t column_count, uint32_t at, uint16_t count, Vector *vectors, Batch *batch_out) {
    for (uint32_t c = 0; c < column_count; c++) {
        size_t width = physical_bytes(type_physical((TypeId)blocks[c].type.id));
        vectors[c] = (Vector){.type = blocks[c].type, .form = VECTOR_FLAT, .row_count = count, .symbols = symbols_at(sink, c),
                              .data = (const uint8_t *)blocks[c].data + (width == 0 ? at / 8 : width * at),
                              .valid = blocks[c].valid != NULL ? blocks[c].valid + at / 64 : NULL};
    }
    *batch_out = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)column_count, .columns = vectors};
}

static ErrorCode return_batch(Sink *sink, Batch *batch, Error *err) {
    TRY(frame_run(sink->returning, batch, err));
    uint32_t count = sink->dml->returned_count;
    Vector *vectors = arena_array(&sink->scratch, Vector, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        Vector *vector = NULL;
        TRY(frame_output_dense(sink->returning, i, &vector, err));
        vectors[i] = *vector;
        vectors[i].row_count = batch->row_count;
    }
    Batch out = {.row_count = batch->row_count, .live_count = batch->row_count, .column_count = (uint16_t)count, .columns = vectors};
    return rowstore_append(&sink->returned->store, &out, &sink->scratch, &sink->run->budget, err);
}

static ErrorCode return_rows(Sink *sink, const ColumnBlock *blocks, uint32_t row_count, Error *err) {
    if (sink->returning == NULL) {
        return ERR_OK;
    }
    for (uint32_t at = 0; at < row_count; at += BATCH_ROWS) {
        Batch batch;
        arena_reset(&sink->scratch);
        Vector *vectors = arena_array(&sink->scratch, Vector, sink->total + 1u);
        slice(sink, blocks, sink->total, at, (uint16_t)MIN_OF(row_count - at, (uint32_t)BATCH_ROWS), vectors, &batch);
        TRY(return_batch(sink, &batch, err));
    }
    return ERR_OK;
}

/* ---- storing ---- */
static ErrorCode store_blocks(Sink *sink, const ColumnBlock *blocks, Error *err) {
    Storage *storage = sink->context->storage;
    if (blocks[0].row_count == 0) {
        return ERR_OK;
    }
    if (sink->stored > 0) {
        TRY(storage->append(storage, sink->table->id, blocks, (uint16_t)sink->stored, err));
    }
    return return_rows(sink, blocks, blocks[0].row_count, err);
}

static void view_blocks(const ColumnBuilder *builders, uint32_t count, ColumnBlock *blocks) {
    for (uint32_t c = 0; c < count; c++) {
        blocks[c] = column_builder_block(&builders[c]);
    }
}

static ErrorCode store_builders(Sink *sink, const ColumnBuilder *builders, Error *err) {
    ColumnBlock *blocks = mem_calloc(sink->total + 1u, sizeof *blocks);
    view_blocks(builders, sink->total, blocks);
    ErrorCode code = store_blocks(sink, blocks, err);
    mem_free(blocks);
    return code;
}

/* ---- ON CONFLICT ---- */
/* Rows that the mask names, block by block of 1,024, behind what the builders have. */
static ErrorCode take_masked(Sink *sink, const ColumnBlock *blocks, const uint64_t *mask, ColumnBuilder *builders, Error *err) {
    for (uint32_t at = 0; at < blocks[0].row_count; at += BATCH_ROWS) {
        Batch batch;
        arena_reset(&sink->scratch);
        Vector *vectors = arena_array(&sink->scratch, Vector, sink->total + 1u);
        slice(sink, blocks, sink->total, at, (uint16_t)MIN_OF(blocks[0].row_count - at, (uint32_t)BATCH_ROWS), vectors, &batch);
        for (uint32_t c = 0; c < sink->total; c++) {
            column_builder_batch(&builders[c], &vectors[c], mask + at / 64, batch.row_count);
        }
    }
    (void)err;
    return ERR_OK;
}

static ErrorCode second_time(Error *err) {
    ErrorCode code = error_set(err, ERR_CARDINALITY, ERROR_NO_POSITION, "ON CONFLICT DO UPDATE command cannot affect row a second time");
    error_ignore(error_add(err, 'H', "Ensure that no rows proposed for insertion within the same command have duplicate constrained values."));
    return code;
}

/* Up to 1,024 rows that are there: those that WHERE wants end and come again as SET says. */
static ErrorCode update_some(Sink *sink, const ColumnBlock *blocks, const uint32_t *rows, const RowRef *refs, uint16_t count, Error *err) {
    Storage *storage = sink->context->storage;
    uint32_t columns = sink->table->column_count;
    arena_reset(&sink->scratch);
    Vector *vectors = arena_array(&sink->scratch, Vector, 2 * (size_t)columns + 1);
    TRY(storage->fetch(storage, sink->table->id, refs, count, vectors, &sink->scratch, err));
    for (uint32_t c = 0; c < columns; c++) {
        Vector *to = &vectors[columns + c];
        *to = vector_new(&sink->scratch, blocks[c].type);
        to->row_count = count;
        to->symbols = symbols_at(sink, c);
        size_t width = physical_bytes(type_physical((TypeId)blocks[c].type.id));
        memset(vector_data(to), 0, width == 0 ? BATCH_ROWS / 8 : width * ((count + 63u) / 64 * 64));
        for (uint16_t i = 0; i < count; i++) {
            if (blocks[c].valid != NULL && !bit_get(blocks[c].valid, rows[i])) {
                vector_set_null(to, &sink->scratch, i);
            } else if (width == 0) {
                if (bit_get(blocks[c].data, rows[i])) {
                    bit_set(vector_data(to), i);
                }
            } else {
                memcpy((uint8_t *)vector_data(to) + width * i, (const uint8_t *)blocks[c].data + width * rows[i], width);
            }
        }
    }
    Batch batch = {.row_count = count, .live_count = count, .column_count = (uint16_t)(2 * columns), .columns = vectors};
    TRY(frame_run(sink->set, &batch, err));
    uint64_t mask[BATCH_WORDS] = {0};
    Vector *where = NULL;
    if (sink->dml->has_where) {
        TRY(frame_output_dense(sink->set, 0, &where, err));
    }
    RowRef kept[BATCH_ROWS];
    uint32_t kept_count = 0;
    for (uint16_t i = 0; i < count; i++) {
        if (where == NULL || (!vector_is_null(where, i) && vector_bool(where, i))) {
            bit_set(mask, i);
            kept[kept_count++] = refs[i];
        }
    }
    if (kept_count == 0) {
        return ERR_OK;
    }
    TRY(storage->end_rows(storage, sink->table->id, kept, kept_count, err));
    ColumnBuilder *builders = builders_new(sink, sink->total);
    ErrorCode code = ERR_OK;
    for (uint32_t c = 0; c < columns && code == ERR_OK; c++) {
        Vector *vector = NULL;
        code = frame_output_dense(sink->set, c + sink->dml->has_where, &vector, err);
        if (code != ERR_OK) {
            break;
        }
        Vector value = *vector;
        value.row_count = count;
        if (sink->table->columns[c].type.id == TYPE_SYMBOL) {
            code = symbol_codes(&sink->table->columns[c], &value, mask, &sink->scratch, err);
        }
        if (code == ERR_OK) {
            column_builder_batch(&builders[c], &value, mask, count);
        }
    }
    code = code == ERR_OK ? store_builders(sink, builders, err) : code;
    sink->rows += code == ERR_OK ? kept_count : 0;
    builders_close(sink, builders);
    return code;
}

static ErrorCode update_conflicts(Sink *sink, const ColumnBlock *blocks, const RowRef *found, Error *err) {
    uint32_t rows[BATCH_ROWS];
    RowRef refs[BATCH_ROWS];
    uint16_t count = 0;
    for (uint32_t row = 0; row < blocks[0].row_count; row++) {
        if (found[row].part == 0) {
            continue;
        }
        if (found[row].part == UINT32_MAX || !intmap_put(&sink->seen, (uint64_t)found[row].part << 32 | found[row].offset, 1)) {
            return second_time(err);
        }
        rows[count] = row;
        refs[count++] = found[row];
        if (count == BATCH_ROWS) {
            TRY(update_some(sink, blocks, rows, refs, count, err));
            count = 0;
        }
    }
    return count > 0 ? update_some(sink, blocks, rows, refs, count, err) : ERR_OK;
}

/* Rows whose key is free are stored; the others are left out, or change the rows that have it. */
static ErrorCode store_or_conflict(Sink *sink, const ColumnBlock *blocks, Error *err) {
    Storage *storage = sink->context->storage;
    uint32_t rows = blocks[0].row_count;
    RowRef *found = mem_calloc(rows + 1u, sizeof *found);
    uint64_t *fresh = mem_calloc(words_for(rows) + BATCH_WORDS, sizeof *fresh);
    uint32_t fresh_count = 0;
    ErrorCode code = storage->conflicts(storage, sink->table->id, sink->dml->index_id, blocks, (uint16_t)sink->stored, found, err);
    for (uint32_t row = 0; row < rows && code == ERR_OK; row++) {
        if (found[row].part == 0) {
            bit_set(fresh, row);
            fresh_count++;
        }
    }
    if (code == ERR_OK && sink->dml->update && fresh_count < rows) {
        code = update_conflicts(sink, blocks, found, err);
    }
    if (code == ERR_OK && fresh_count == rows) {
        code = store_blocks(sink, blocks, err);
    } else if (code == ERR_OK && fresh_count > 0) {
        ColumnBuilder *builders = builders_new(sink, sink->total);
        code = take_masked(sink, blocks, fresh, builders, err);
        code = code == ERR_OK ? store_builders(sink, builders, err) : code;
        builders_close(sink, builders);
    }
    sink->rows += fresh_count;
    mem_free(found);
    mem_free(fresh);
    return code;
}

static ErrorCode append_block(Sink *sink, ColumnBuilder *builders, Error *err) {
    if (sink->total == 0 || builders[0].row_count == 0) {
        return ERR_OK;
    }
    if (sink->dml == NULL || !sink->dml->conflict) {
        return store_builders(sink, builders, err);
    }
    ColumnBlock *blocks = mem_calloc(sink->total + 1u, sizeof *blocks);
    view_blocks(builders, sink->total, blocks);
    ErrorCode code = store_or_conflict(sink, blocks, err);
    mem_free(blocks);
    return code;
}

static ErrorCode block_full(Sink *sink, bool collect, Error *err) {
    if (!collect) {
        TRY(append_block(sink, sink->builders, err));
        for (uint32_t c = 0; c < sink->total; c++) {
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
    return sink->total == 0 ? 0 : sink->builders[0].row_count;
}

static ErrorCode take_columns(Sink *sink, Batch *batch, bool collect, Error *err) {
    if (builder_rows(sink) + batch->live_count > BLOCK_ROWS) {
        TRY(block_full(sink, collect, err));
    }
    size_t bytes = 0;
    for (uint32_t c = 0; c < sink->total; c++) {
        Vector *vector = &batch->columns[sink->skip + c];
        vector->row_count = batch->row_count;
        if (vector->form == VECTOR_ENCODED) {
            TRY(vector_flat(vector, &sink->scratch, err));
        }
        if (c < sink->stored && sink->table->columns[c].type.id == TYPE_SYMBOL) {
            TRY(symbol_codes(&sink->table->columns[c], vector, batch->live, &sink->scratch, err));
        }
        column_builder_batch(&sink->builders[c], vector, batch->live, batch->row_count);
        bytes += (size_t)batch->live_count * (physical_bytes(type_physical((TypeId)type_at(sink, c).id)) + 1);
    }
    sink->rows += sink->dml != NULL && sink->dml->conflict ? 0 : batch->live_count;
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
static ErrorCode take_batch(Sink *sink, Batch *batch, Error *err) {
    arena_reset(&sink->scratch);
    if (sink->kind != DML_INSERT) {
        TRY(take_refs(sink, batch, err));
    }
    if (sink->total == 0 || batch->live_count == 0) {
        return ERR_OK;
    }
    return take_columns(sink, batch, sink->kind != DML_INSERT, err);
}

static ErrorCode finish(Sink *sink, Error *err) {
    Storage *storage = sink->context->storage;
    if (sink->dml != NULL && sink->dml->assigned != NULL && storage->assigned != NULL) {
        storage->assigned(storage, sink->table->id, sink->dml->assigned);
    }
    if (sink->kind != DML_INSERT) {
        TRY(end_refs(sink, err));
    }
    for (uint32_t i = 0; i < sink->full_count; i++) {
        TRY(append_block(sink, sink->full[i], err));
    }
    TRY(append_block(sink, sink->builders, err));
    sink->rows = sink->kind == DML_DELETE ? sink->ref_count : sink->rows;
    return storage->statement_end != NULL ? storage->statement_end(storage, err) : ERR_OK;
}

static ErrorCode drive(Sink *sink, Error *err) {
    for (;;) {
        Batch *batch = NULL;
        TRY(run_next(sink->run, &batch, err));
        if (batch == NULL) {
            return finish(sink, err);
        }
        TRY(take_batch(sink, batch, err));
    }
}

static ErrorCode open_programs(Sink *sink, Error *err) {
    const PlanDml *dml = sink->dml;
    if (dml != NULL && dml->returning != NULL) {
        sink->returned = mem_calloc(1, sizeof *sink->returned);
        rowstore_init(&sink->returned->store, dml->returned, dml->returned_count);
        TRY(program_subqueries(sink->run, dml->returning, err));
        TRY(frame_open(sink->run, dml->returning, &sink->returning, err));
    }
    if (dml != NULL && dml->set != NULL) {
        TRY(program_subqueries(sink->run, dml->set, err));
        TRY(frame_open(sink->run, dml->set, &sink->set, err));
    }
    return ERR_OK;
}

static void sink_init(Sink *sink, const Plan *plan, const RunContext *context, const TableDef *table, DmlKind kind) {
    *sink = (Sink){.context = context, .table = table, .dml = plan->dml, .kind = kind, .skip = kind == DML_INSERT ? 0 : 1};
    sink->stored = kind == DML_DELETE ? 0 : table->column_count;
    sink->total = sink->dml != NULL ? MAX_OF(sink->dml->row_count, sink->stored) : sink->stored;
    assert(plan_column_count(plan) == sink->total + sink->skip);
    assert(context->storage != NULL);
    arena_init(&sink->scratch, SIZE_MAX);
    intmap_init(&sink->seen);
    builders_open(sink);
}

static void sink_deinit(Sink *sink) {
    for (uint32_t i = 0; i < sink->full_count; i++) {
        builders_close(sink, sink->full[i]);
    }
    builders_close(sink, sink->builders);
    mem_free(sink->full);
    mem_free(sink->refs);
    intmap_deinit(&sink->seen);
    arena_deinit(&sink->scratch);
    frame_close(sink->returning);
    frame_close(sink->set);
}

ErrorCode run_dml(const Plan *plan, const RunContext *context, const TableDef *table, DmlKind kind, uint64_t *rows_out, DmlRows **returned_out, Error *err) {
    Sink sink;
    ErrorCode code = ERR_OK;
    *returned_out = NULL;
    sink_init(&sink, plan, context, table, kind);
    TRY_OR(done, run_open(plan, context, &sink.run, err));
    TRY_OR(done, open_programs(&sink, err));
    TRY_OR(done, drive(&sink, err));
    *rows_out = sink.rows;
done:
    sink_deinit(&sink);
    if (sink.returned != NULL) {
        sink.returned->run = sink.run;
    } else {
        run_close(sink.run);
    }
    if (code != ERR_OK) {
        dml_rows_close(sink.returned);
        return code;
    }
    *returned_out = sink.returned;
    return ERR_OK;
}

Batch *dml_rows_next(DmlRows *rows) {
    if (rows->next == rows->store.chunk_count) {
        return NULL;
    }
    RowChunk *chunk = &rows->store.chunks[rows->next++];
    for (uint32_t c = 0; c < rows->store.column_count; c++) {
        chunk->columns[c].row_count = chunk->row_count;
    }
    rows->batch = (Batch){.row_count = chunk->row_count, .live_count = chunk->row_count, .column_count = (uint16_t)rows->store.column_count, .columns = chunk->columns};
    return &rows->batch;
}

void dml_rows_close(DmlRows *rows) {
    if (rows != NULL) {
        rowstore_deinit(&rows->store, &rows->run->budget);
        run_close(rows->run);
        mem_free(rows);
    }
}

static ErrorCode run_plain(const Plan *plan, const RunContext *context, const TableDef *table, DmlKind kind, uint64_t *rows_out, Error *err) {
    DmlRows *returned = NULL;
    ErrorCode code = run_dml(plan, context, table, kind, rows_out, &returned, err);
    dml_rows_close(returned);
    return code;
}

ErrorCode run_insert(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err) {
    return run_plain(plan, context, table, DML_INSERT, rows_out, err);
}

ErrorCode run_update(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err) {
    return run_plain(plan, context, table, DML_UPDATE, rows_out, err);
}

ErrorCode run_delete(const Plan *plan, const RunContext *context, const TableDef *table, uint64_t *rows_out, Error *err) {
    return run_plain(plan, context, table, DML_DELETE, rows_out, err);
}
