/* SPDX-License-Identifier: Apache-2.0
 * op_join.c - hash join of the right side, and every pair where there are no keys: inner, left, right, full, semi, anti.
 *
 * Layout:     the right side's rows and keys lie in a RowStore; heads[hash] -> first row + 1, next[row] -> next row + 1, rows of one
 *             chain in their own order. Left columns come out as indexes over the left batch, right columns are gathered.
 * Why:        candidate pairs are made up to a batch at a time, so that the condition runs on full batches and the output can stop
 *             anywhere. A left row's matches are known when its last pair has been tried.
 * Threads:    the table is built once by the session's thread (prepare) and only read by probes; right and full joins, which mark the
 *             rows that matched, have one probe. */
#include "sql/exec/exec_internal.h"

typedef struct JoinTable {
    RowStore store;             /* payload columns, then keys */
    RelColumn *columns;
    uint32_t payload, key_count;
    uint32_t *heads, *next;
    uint64_t *hashes;
    size_t head_count;
    uint64_t *matched;          /* right and full: rows that found a partner */
    Budget *budget;
    size_t reserved;
    Arena arena;
    bool built;
} JoinTable;

typedef struct JoinOperator {
    Operator base;
    JoinTable *table;
    Frame *left_frame, *residual;
    Operator *right;            /* worker 0 only, until the table is built */
    Batch *left;                /* batch that is probed; NULL = ask for the next */
    Vector *left_columns;       /* flat twins of it */
    uint64_t *hashes;
    uint16_t left_rows[BATCH_ROWS], left_count, left_at; /* live rows; which one is tried */
    uint32_t chain;             /* next candidate of that row + 1; 0 = row is done */
    bool chain_open;
    uint64_t row_matched[BATCH_WORDS];
    uint16_t *pair_left;
    uint32_t *pair_right;
    uint16_t pair_count;
    bool left_done, unmatched_pending;
    uint32_t morsel, emitted;
    uint64_t right_at;          /* right and full: rows without a partner */
    Vector *key_scratch;
    Arena scratch, left_arena;
} JoinOperator;

static bool kind_is(const JoinOperator *op, JoinKind kind) {
    return op->base.plan->as.join.kind == kind;
}
static bool keeps_left(const JoinOperator *op) {
    return kind_is(op, JOIN_LEFT) || kind_is(op, JOIN_FULL);
}
static bool keeps_right(const JoinOperator *op) {
    return kind_is(op, JOIN_RIGHT) || kind_is(op, JOIN_FULL);
}

/* ---- hashing ---- */
static const uint64_t HASH_SEED = 0x51ed270b;

static const uint8_t *key_value(const Vector *vector, size_t row, uint8_t *byte) {
    if (type_physical((TypeId)vector->type.id) == PHYS_BIT) {
        *byte = vector_bool(vector, row);
        return byte;
    }
    return vector_value(vector, row);
}

/* 0 marks a row with a NULL key: it has no partner. */
static void hash_keys(Vector *const *keys, uint32_t count, uint16_t rows, const uint64_t *live, uint64_t *hashes) {
    for (uint16_t r = 0; r < rows; r++) {
        hashes[r] = live == NULL || bit_get(live, r) ? HASH_SEED : 0;
    }
    for (uint32_t k = 0; k < count; k++) {
        const ValueRules *rules = value_rules((TypeId)keys[k]->type.id);
        for (uint16_t r = 0; r < rows; r++) {
            uint8_t byte = 0;
            if (hashes[r] != 0) {
                hashes[r] = vector_is_null(keys[k], r) ? 0 : hash_u64(hashes[r] * 31 + rules->hash(key_value(keys[k], r, &byte))) | 1;
            }
        }
    }
}

/* ---- build ---- */
static ErrorCode table_reserve(JoinTable *table, size_t bytes, Error *err) {
    TRY(budget_reserve(table->budget, bytes, err));
    table->reserved += bytes;
    return ERR_OK;
}

static ErrorCode take_right(JoinOperator *op, Frame *frame, Batch *in, size_t *capacity, Error *err) {
    JoinTable *table = op->table;
    TRY(frame_run(frame, in, err));
    Vector **keys = arena_array(&frame->scratch, Vector *, table->key_count + 1);
    Vector *columns = arena_array(&frame->scratch, Vector, table->payload + table->key_count + 1);
    memcpy(columns, in->columns, table->payload * sizeof *columns);
    for (uint32_t k = 0; k < table->key_count; k++) {
        TRY(frame_output_dense(frame, k, &keys[k], err));
        columns[table->payload + k] = *keys[k];
        columns[table->payload + k].row_count = in->row_count;
    }
    uint64_t hashes[BATCH_ROWS];
    hash_keys(keys, table->key_count, in->row_count, in->live, hashes);
    size_t before = table->store.row_count;
    Batch batch = *in;
    batch.columns = columns;
    batch.column_count = (uint16_t)(table->payload + table->key_count);
    TRY(rowstore_append(&table->store, &batch, &frame->scratch, table->budget, err));
    if (table->store.row_count > *capacity) {
        size_t wider = MAX_OF((size_t)4096, *capacity * 2);
        TRY(table_reserve(table, (wider - *capacity) * sizeof(uint64_t), err));
        table->hashes = mem_realloc(table->hashes, wider * sizeof(uint64_t));
        *capacity = wider;
    }
    uint16_t picked[BATCH_ROWS];
    uint16_t count = batch_live_rows(in, picked);
    for (uint16_t i = 0; i < count; i++) {
        table->hashes[before + i] = hashes[picked[i]];
    }
    return ERR_OK;
}

static ErrorCode link_rows(JoinTable *table, Error *err) {
    size_t rows = table->store.row_count;
    table->head_count = 64;
    while (table->head_count < rows * 2) {
        table->head_count *= 2;
    }
    TRY(table_reserve(table, (table->head_count + rows) * sizeof(uint32_t), err));
    table->heads = mem_calloc(table->head_count, sizeof(uint32_t));
    table->next = mem_calloc(rows + 1, sizeof(uint32_t));
    for (size_t r = rows; r-- > 0;) { /* backward, so that a chain is in the rows' order */
        if (table->hashes[r] != 0) {
            uint32_t *head = &table->heads[table->hashes[r] & (table->head_count - 1)];
            table->next[r] = *head;
            *head = (uint32_t)r + 1;
        }
    }
    return ERR_OK;
}

static ErrorCode build(JoinOperator *op, Error *err) {
    JoinTable *table = op->table;
    Frame *frame = NULL;
    size_t capacity = 0;
    ErrorCode code = frame_open(op->base.run, op->base.plan->as.join.right_program, &frame, err);
    TRY(code);
    for (;;) {
        Batch *in = NULL;
        TRY_OR(done, operator_next(op->right, &in, err));
        if (in == NULL) {
            break;
        }
        TRY_OR(done, take_right(op, frame, in, &capacity, err));
    }
    if (table->key_count > 0) {
        TRY_OR(done, link_rows(table, err));
    }
    if (keeps_right(op)) {
        table->matched = mem_calloc(words_for(table->store.row_count) + 1, sizeof(uint64_t));
    }
    table->built = true;
done:
    frame_close(frame);
    return code;
}

static ErrorCode join_prepare(Operator *base, Error *err) {
    JoinOperator *op = (JoinOperator *)base;
    if (op->table->built) {
        return ERR_OK;
    }
    TRY(operator_prepare(op->right, err));
    TRY(build(op, err));
    operator_close(op->right);
    op->right = NULL;
    return ERR_OK;
}

/* ---- probe ---- */
static ErrorCode next_left(JoinOperator *op, Error *err) {
    TRY(operator_next(op->base.inputs[0], &op->left, err));
    if (op->left == NULL) {
        op->left_done = true;
        return ERR_OK;
    }
    Batch *left = op->left;
    arena_reset(&op->left_arena);
    TRY(frame_run(op->left_frame, left, err));
    Vector **keys = arena_array(&op->left_arena, Vector *, op->table->key_count + 1);
    for (uint32_t k = 0; k < op->table->key_count; k++) {
        TRY(frame_output_dense(op->left_frame, k, &keys[k], err));
        op->key_scratch[k] = *keys[k];
    }
    hash_keys(keys, op->table->key_count, left->row_count, left->live, op->hashes);
    TRY(batch_dense(left, op->left_columns, &op->left_arena, err));
    op->left_count = batch_live_rows(left, op->left_rows);
    op->left_at = 0;
    op->chain_open = false;
    memset(op->row_matched, 0, sizeof op->row_matched);
    op->unmatched_pending = keeps_left(op) || kind_is(op, JOIN_ANTI) || kind_is(op, JOIN_SEMI);
    if (left->first.morsel != op->morsel) {
        op->morsel = left->first.morsel;
        op->emitted = 0;
    }
    return ERR_OK;
}

static bool keys_equal(const JoinOperator *op, uint16_t left_row, uint32_t right_row) {
    const RowChunk *chunk = &op->table->store.chunks[right_row / BATCH_ROWS];
    for (uint32_t k = 0; k < op->table->key_count; k++) {
        uint8_t bytes[2];
        const Vector *right = &chunk->columns[op->table->payload + k];
        if (!value_rules((TypeId)right->type.id)->equal(key_value(&op->key_scratch[k], left_row, &bytes[0]),
                                                        key_value(right, right_row % BATCH_ROWS, &bytes[1]))) {
            return false;
        }
    }
    return true;
}

/* First candidate of a left row + 1. Without keys all rows are candidates, in order. */
static uint32_t first_candidate(const JoinOperator *op, uint16_t left_row) {
    const JoinTable *table = op->table;
    if (table->key_count == 0) {
        return table->store.row_count > 0 ? 1 : 0;
    }
    uint64_t hash = op->hashes[left_row];
    return hash == 0 ? 0 : table->heads[hash & (table->head_count - 1)];
}

static uint32_t following_candidate(const JoinOperator *op, uint32_t candidate) {
    if (op->table->key_count == 0) {
        return candidate < op->table->store.row_count ? candidate + 1 : 0;
    }
    return op->table->next[candidate - 1];
}

/* Fills the pair arrays with candidates; true if the left batch is used up. */
static bool make_pairs(JoinOperator *op) {
    op->pair_count = 0;
    bool first_is_enough = op->residual == NULL && (kind_is(op, JOIN_SEMI) || kind_is(op, JOIN_ANTI));
    while (op->left_at < op->left_count) {
        uint16_t row = op->left_rows[op->left_at];
        if (!op->chain_open) {
            op->chain = first_candidate(op, row);
            op->chain_open = true;
        }
        while (op->chain != 0) {
            if (op->pair_count == BATCH_ROWS) {
                return false;
            }
            uint32_t candidate = op->chain;
            op->chain = following_candidate(op, candidate);
            bool hit = op->table->key_count == 0 || (op->table->hashes[candidate - 1] == op->hashes[row] && keys_equal(op, row, candidate - 1));
            if (hit) {
                op->pair_left[op->pair_count] = row;
                op->pair_right[op->pair_count++] = candidate - 1;
                op->chain = first_is_enough ? 0 : op->chain;
            }
        }
        op->chain_open = false;
        op->left_at++;
    }
    return true;
}

/* ---- output ---- */
static void left_output(JoinOperator *op, const uint16_t *rows, uint16_t count, bool none) {
    uint16_t *index = arena_alloc_aligned(&op->scratch, BATCH_ROWS * sizeof *index, 64);
    if (!none) {
        memcpy(index, rows, count * sizeof *index);
    }
    uint32_t columns = op->base.inputs[0]->plan->column_count;
    for (uint32_t c = 0; c < columns; c++) {
        Vector *out = &op->base.columns[c];
        Vector *base = &op->left_columns[c];
        if (none) {
            *out = vector_null(op->base.plan->columns[c].type, count);
            out->symbols = op->base.plan->columns[c].symbols;
        } else if (base->form == VECTOR_CONSTANT) {
            *out = *base;
            out->row_count = count;
        } else {
            *out = (Vector){.type = base->type, .form = VECTOR_INDEXED, .facts = base->facts, .row_count = count, .base_count = base->row_count,
                            .index = index, .base = base, .symbols = base->symbols};
        }
    }
}

static void right_output(JoinOperator *op, const uint32_t *rows, uint16_t count) {
    uint32_t left = op->base.inputs[0]->plan->column_count;
    uint32_t payload = op->table->payload;
    if (op->base.plan->column_count == left) {
        return; /* semi, anti without condition */
    }
    Vector *all = arena_array(&op->scratch, Vector, payload + op->table->key_count + 1);
    if (rows == NULL) {
        for (uint32_t c = 0; c < payload; c++) {
            all[c] = vector_null(op->table->columns[c].type, count);
            all[c].symbols = op->table->columns[c].symbols;
        }
    } else {
        rowstore_gather_some(&op->table->store, rows, count, payload, all, &op->scratch);
    }
    memcpy(op->base.columns + left, all, payload * sizeof *all);
}

static Batch *finish_batch(JoinOperator *op, uint16_t count) {
    Operator *base = &op->base;
    base->batch = (Batch){.row_count = count, .live_count = count, .column_count = (uint16_t)base->plan->column_count, .columns = base->columns,
                          .first = {op->morsel, op->emitted}};
    op->emitted += count;
    return &base->batch;
}

/* Runs the condition over the candidate pairs; *mask_out: the pairs that hold. */
static ErrorCode check_pairs(JoinOperator *op, uint64_t *mask_out, Error *err) {
    if (op->residual == NULL) {
        memset(mask_out, 0xff, BATCH_WORDS * sizeof *mask_out);
        return ERR_OK;
    }
    uint32_t left = op->base.inputs[0]->plan->column_count;
    Vector *all = arena_array(&op->scratch, Vector, left + op->table->payload + op->table->key_count + 1);
    memcpy(all, op->base.columns, left * sizeof *all);
    rowstore_gather_some(&op->table->store, op->pair_right, op->pair_count, op->table->payload, all + left, &op->scratch);
    Batch candidates = {.row_count = op->pair_count, .live_count = op->pair_count, .column_count = (uint16_t)(left + op->table->payload), .columns = all};
    BoolIn condition;
    TRY(frame_run(op->residual, &candidates, err));
    TRY(frame_bool_in(op->residual, op->residual->program->outputs[0], &condition, err));
    for (size_t w = 0; w < words_for(op->pair_count); w++) {
        mask_out[w] = condition.value[w] & (condition.valid == NULL ? ~UINT64_C(0) : condition.valid[w]);
    }
    return ERR_OK;
}

static void mark_pairs(JoinOperator *op, const uint64_t *mask) {
    for (uint16_t i = 0; i < op->pair_count; i++) {
        if (bit_get(mask, i)) {
            bit_set(op->row_matched, op->pair_left[i]);
            if (op->table->matched != NULL) {
                bit_set(op->table->matched, op->pair_right[i]);
            }
        }
    }
}

/* A batch of pairs that hold; NULL if there are none or the kind does not show pairs. */
static ErrorCode emit_pairs(JoinOperator *op, Batch **batch_out, Error *err) {
    *batch_out = NULL;
    if (op->pair_count == 0) {
        return ERR_OK;
    }
    uint64_t mask[BATCH_WORDS];
    arena_reset(&op->scratch);
    left_output(op, op->pair_left, op->pair_count, false);
    TRY(check_pairs(op, mask, err));
    mark_pairs(op, mask);
    if (kind_is(op, JOIN_SEMI) || kind_is(op, JOIN_ANTI)) {
        return ERR_OK;
    }
    right_output(op, op->pair_right, op->pair_count);
    Batch *batch = finish_batch(op, op->pair_count);
    if (op->residual != NULL) {
        batch_filter(batch, mask, &op->scratch);
    }
    *batch_out = batch->live_count > 0 ? batch : NULL;
    return ERR_OK;
}

/* Left rows by whether they found a partner: outer rows with NULLs, semi and anti rows. */
static Batch *emit_left_rows(JoinOperator *op) {
    bool wanted = kind_is(op, JOIN_SEMI);
    uint16_t rows[BATCH_ROWS];
    uint16_t count = 0;
    op->unmatched_pending = false;
    for (uint16_t i = 0; i < op->left_count; i++) {
        if (bit_get(op->row_matched, op->left_rows[i]) == wanted) {
            rows[count++] = op->left_rows[i];
        }
    }
    if (count == 0) {
        return NULL;
    }
    arena_reset(&op->scratch);
    left_output(op, rows, count, false);
    right_output(op, NULL, count);
    return finish_batch(op, count);
}

static Batch *emit_right_rows(JoinOperator *op) {
    uint32_t rows[BATCH_ROWS];
    uint16_t count = 0;
    while (op->right_at < op->table->store.row_count && count < BATCH_ROWS) {
        if (!bit_get(op->table->matched, op->right_at)) {
            rows[count++] = (uint32_t)op->right_at;
        }
        op->right_at++;
    }
    if (count == 0) {
        return NULL;
    }
    arena_reset(&op->scratch);
    left_output(op, NULL, count, true);
    right_output(op, rows, count);
    return finish_batch(op, count);
}

/* Pairs in the order of left rows, but a left batch's rows without a partner come behind its pairs: to keep the left order, the
 * outer rows are put in when their place comes, which needs the condition's answer for all of a row's pairs; so order is by batch. */
static ErrorCode join_next(Operator *base, Batch **batch_out, Error *err) {
    JoinOperator *op = (JoinOperator *)base;
    for (;;) {
        *batch_out = NULL;
        if (op->left_done) {
            *batch_out = op->table->matched != NULL ? emit_right_rows(op) : NULL;
            return ERR_OK;
        }
        if (op->left == NULL) {
            TRY(next_left(op, err));
            continue;
        }
        TRY(run_check(base->run, err));
        bool used_up = make_pairs(op);
        TRY(emit_pairs(op, batch_out, err));
        if (*batch_out != NULL) {
            return ERR_OK;
        }
        if (used_up && op->unmatched_pending) {
            *batch_out = emit_left_rows(op);
        }
        if (used_up) {
            op->left = NULL;
        }
        if (*batch_out != NULL) {
            return ERR_OK;
        }
    }
}

/* ---- life ---- */
static void table_close(void *pointer) {
    JoinTable *table = pointer;
    budget_release(table->budget, table->reserved);
    rowstore_deinit(&table->store, table->budget);
    mem_free(table->heads);
    mem_free(table->next);
    mem_free(table->hashes);
    mem_free(table->matched);
    arena_deinit(&table->arena);
    mem_free(table);
}

static void join_close(Operator *base) {
    JoinOperator *op = (JoinOperator *)base;
    frame_close(op->left_frame);
    frame_close(op->residual);
    operator_close(op->right);
    mem_free(op->left_columns);
    mem_free(op->hashes);
    mem_free(op->pair_left);
    mem_free(op->pair_right);
    mem_free(op->key_scratch);
    arena_deinit(&op->scratch);
    arena_deinit(&op->left_arena);
}

static void table_open(Run *run, const PlanOp *plan) {
    JoinTable *table = mem_calloc(1, sizeof *table);
    const PlanOp *right = plan->inputs[1];
    arena_init(&table->arena, SIZE_MAX);
    table->budget = &run->budget;
    table->payload = right->column_count;
    table->key_count = plan->as.join.key_count;
    table->columns = arena_array(&table->arena, RelColumn, table->payload + table->key_count + 1);
    memcpy(table->columns, right->columns, table->payload * sizeof(RelColumn));
    for (uint32_t k = 0; k < table->key_count; k++) {
        table->columns[table->payload + k] = (RelColumn){.type = plan->as.join.key_types[k]};
    }
    rowstore_init(&table->store, table->columns, table->payload + table->key_count);
    run->shared[plan->id] = table;
    run->shared_close[plan->id] = table_close;
}

static ErrorCode open_parts(JoinOperator *op, uint32_t worker, Error *err) {
    const PlanOp *plan = op->base.plan;
    Run *run = op->base.run;
    if (worker == 0) {
        TRY(program_subqueries(run, plan->as.join.right_program, err));
        TRY(program_subqueries(run, plan->as.join.residual, err));
    }
    TRY(frame_open(run, plan->program, &op->left_frame, err));
    if (plan->as.join.residual != NULL) {
        TRY(frame_open(run, plan->as.join.residual, &op->residual, err));
    }
    if (!op->table->built) {
        TRY(operator_open(run, plan->inputs[1], 0, &op->right, err));
    }
    return operator_open(run, plan->inputs[0], worker, &op->base.inputs[0], err);
}

static const OperatorType JOIN_TYPE = {"join", join_prepare, join_next, join_close};

ErrorCode op_join_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    if (run->shared[plan->id] == NULL) {
        table_open(run, plan);
    }
    JoinOperator *op = operator_new(JoinOperator, run, plan, worker, &JOIN_TYPE);
    *op_out = &op->base;
    op->table = run->shared[plan->id];
    op->morsel = UINT32_MAX;
    arena_init(&op->scratch, SIZE_MAX);
    arena_init(&op->left_arena, SIZE_MAX);
    op->left_columns = mem_calloc(plan->inputs[0]->column_count + 1, sizeof(Vector));
    op->hashes = mem_calloc(BATCH_ROWS, sizeof(uint64_t));
    op->pair_left = mem_calloc(BATCH_ROWS, sizeof(uint16_t));
    op->pair_right = mem_calloc(BATCH_ROWS, sizeof(uint32_t));
    op->key_scratch = mem_calloc(plan->as.join.key_count + 1, sizeof(Vector));
    return open_parts(op, worker, err);
}
