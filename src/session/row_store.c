/* SPDX-License-Identifier: Apache-2.0
 * row_store.c - rows of a cursor kept in memory, read by position.
 *
 * Layout: chunks of one ColumnBuilder a column, BATCH_ROWS rows each but the last; symbols become texts, as their dictionary may go. */
#include "session/session_internal.h"

RowStore *row_store__create(uint16_t column_count) {
    RowStore *store = mem_calloc(1, sizeof *store);
    arena_init(&store->arena, STATEMENT_ARENA_BYTES_MAX);
    store->column_count = column_count;
    store->vectors = arena_array(&store->arena, Vector, column_count);
    return store;
}

void row_store__destroy(RowStore *store) {
    if (store == NULL) {
        return;
    }
    for (RowChunk *chunk = store->chunks; chunk != NULL; chunk = chunk->next) {
        for (uint16_t c = 0; c < store->column_count; c++) {
            column_builder_deinit(&chunk->builders[c]);
        }
    }
    arena_deinit(&store->arena);
    mem_free(store);
}

static RowChunk *new_chunk(RowStore *store, const Batch *batch) {
    RowChunk *chunk = arena_new(&store->arena, RowChunk);
    chunk->builders = arena_array(&store->arena, ColumnBuilder, store->column_count);
    chunk->first = store->row_count;
    for (uint16_t c = 0; c < store->column_count; c++) {
        Type type = batch->columns[c].type;
        column_builder_init(&chunk->builders[c], type.id == TYPE_SYMBOL ? type_of(TYPE_VARCHAR) : type);
    }
    if (store->last != NULL) {
        store->last->next = chunk;
    } else {
        store->chunks = chunk;
    }
    store->last = chunk;
    return chunk;
}

static void add_symbols(ColumnBuilder *builder, const Batch *batch, const Vector *vector) {
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        if (vector_is_null(vector, row)) {
            column_builder_null(builder);
        } else {
            column_builder_text(builder, vector_text(vector, row));
        }
    }
}

ErrorCode row_store__add(RowStore *store, Batch *batch, size_t bytes_max, Error *err) {
    uint32_t live = batch->live == NULL ? batch->row_count : batch->live_count;
    RowChunk *chunk = store->last;
    if (live == 0) {
        return ERR_OK;
    }
    if (chunk == NULL || chunk->row_count + live > BATCH_ROWS) {
        chunk = new_chunk(store, batch);
    }
    for (uint16_t c = 0; c < store->column_count; c++) {
        size_t before = chunk->builders[c].heap.used_bytes;
        if (batch->columns[c].type.id == TYPE_SYMBOL) {
            add_symbols(&chunk->builders[c], batch, &batch->columns[c]);
        } else {
            column_builder_batch(&chunk->builders[c], &batch->columns[c], batch->live, batch->row_count);
        }
        store->bytes += chunk->builders[c].heap.used_bytes - before + (size_t)live * 16;
    }
    chunk->row_count += live;
    store->row_count += live;
    if (store->bytes > bytes_max) {
        return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "the rows of the cursor need more than %zu bytes (setting query_memory)", bytes_max);
    }
    return ERR_OK;
}

Batch *row_store__window(RowStore *store, uint64_t first, uint64_t count, Arena *arena, uint32_t *taken_out) {
    RowChunk *chunk = store->chunks;
    while (chunk != NULL && first >= chunk->first + chunk->row_count) {
        chunk = chunk->next;
    }
    *taken_out = 0;
    if (chunk == NULL || count == 0) {
        return NULL;
    }
    uint32_t skip = (uint32_t)(first - chunk->first), take = (uint32_t)MIN_OF(count, (uint64_t)(chunk->row_count - skip));
    for (uint16_t c = 0; c < store->column_count; c++) {
        ColumnBlock block = column_builder_block(&chunk->builders[c]);
        store->vectors[c] = (Vector){.type = block.type, .form = VECTOR_FLAT, .row_count = (uint16_t)chunk->row_count, .data = block.data, .valid = block.valid};
    }
    store->batch = (Batch){.row_count = (uint16_t)chunk->row_count, .live_count = (uint16_t)chunk->row_count, .column_count = store->column_count,
                           .columns = store->vectors};
    batch_limit(&store->batch, skip, take, arena);
    *taken_out = take;
    return &store->batch;
}
