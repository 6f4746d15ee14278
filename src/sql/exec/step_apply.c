/* SPDX-License-Identifier: Apache-2.0
 * step_apply.c - subqueries that depend on the row: run once for each combination of outer values that is met, the answers remembered.
 *
 * Layout:     ApplyMemo: open addressing from the values to keys[] and results[]. It belongs to the subquery, not to a frame: frames
 *             of a subquery inside a subquery come and go.
 * Why:        a nested loop is the one mechanism that works for every clause; rows of one table repeat their outer values often. The
 *             memo is emptied when it has MEMO_ENTRIES_MAX answers or MEMO_BYTES_MAX bytes, so it never decides about memory.
 * Invariants: rows outside of the guard are not computed and cannot fail. Two NULLs are one value here. */
#include "sql/exec/exec_internal.h"

enum { MEMO_ENTRIES_MAX = 1 << 16, MEMO_BYTES_MAX = 16 << 20, APPLY_DEPTH_MAX = 64 };

typedef struct ApplyMemo {
    Value *keys, *results;      /* width keys an entry */
    uint32_t width, count, capacity;
    uint64_t *slots;            /* entry + 1 */
    size_t slot_count;
    Arena arena;
    uint32_t depth;
} ApplyMemo;

void apply_memo_free(ApplyMemo *memo) {
    if (memo == NULL) {
        return;
    }
    mem_free(memo->keys);
    mem_free(memo->results);
    mem_free(memo->slots);
    arena_deinit(&memo->arena);
    mem_free(memo);
}

static ApplyMemo *memo_of(SubqueryState *state, uint32_t width) {
    if (state->memo == NULL) {
        state->memo = mem_calloc(1, sizeof *state->memo);
        state->memo->width = width;
        arena_init(&state->memo->arena, SIZE_MAX);
    }
    return state->memo;
}

static void memo_clear(ApplyMemo *memo) {
    memo->count = 0;
    memset(memo->slots, 0, memo->slot_count * sizeof *memo->slots);
    arena_reset(&memo->arena);
}

/* ---- keys ---- */
static const void *value_bytes(const Value *value, uint8_t *byte) {
    if (type_physical((TypeId)value->type.id) == PHYS_BIT) {
        *byte = value->as.boolean;
        return byte;
    }
    return value->as.bytes;
}

static uint64_t hash_key(const Value *key, uint32_t width) {
    uint64_t hash = UINT64_C(0x2545f491);
    for (uint32_t i = 0; i < width; i++) {
        uint8_t byte = 0;
        hash = hash_u64(hash * 31 + (key[i].is_null ? 7 : value_rules((TypeId)key[i].type.id)->hash(value_bytes(&key[i], &byte))));
    }
    return hash;
}

static bool key_same(const Value *a, const Value *b, uint32_t width) {
    for (uint32_t i = 0; i < width; i++) {
        uint8_t bytes[2];
        if (a[i].is_null != b[i].is_null) {
            return false;
        }
        if (!a[i].is_null && !value_rules((TypeId)a[i].type.id)->equal(value_bytes(&a[i], &bytes[0]), value_bytes(&b[i], &bytes[1]))) {
            return false;
        }
    }
    return true;
}

static void insert_slot(ApplyMemo *memo, uint32_t entry) {
    size_t at = hash_key(memo->keys + (size_t)entry * memo->width, memo->width) & (memo->slot_count - 1);
    while (memo->slots[at] != 0) {
        at = (at + 1) & (memo->slot_count - 1);
    }
    memo->slots[at] = (uint64_t)entry + 1;
}

static void memo_grow(ApplyMemo *memo) {
    memo->capacity = MAX_OF(64u, memo->capacity * 2);
    memo->keys = mem_realloc(memo->keys, ((size_t)memo->capacity * memo->width + 1) * sizeof *memo->keys);
    memo->results = mem_realloc(memo->results, memo->capacity * sizeof *memo->results);
    mem_free(memo->slots);
    memo->slot_count = (size_t)memo->capacity * 2;
    memo->slots = mem_calloc(memo->slot_count, sizeof *memo->slots);
    for (uint32_t i = 0; i < memo->count; i++) {
        insert_slot(memo, i);
    }
}

static const Value *memo_find(const ApplyMemo *memo, const Value *key) {
    if (memo->slot_count == 0) {
        return NULL;
    }
    size_t at = hash_key(key, memo->width) & (memo->slot_count - 1);
    for (; memo->slots[at] != 0; at = (at + 1) & (memo->slot_count - 1)) {
        size_t entry = (size_t)memo->slots[at] - 1;
        if (key_same(memo->keys + entry * memo->width, key, memo->width)) {
            return &memo->results[entry];
        }
    }
    return NULL;
}

static const Value *memo_put(ApplyMemo *memo, const Value *key, const Value *result) {
    if (memo->count >= MEMO_ENTRIES_MAX || memo->arena.used_bytes > MEMO_BYTES_MAX) {
        memo_clear(memo);
    }
    if (memo->count == memo->capacity) {
        memo_grow(memo);
    }
    for (uint32_t i = 0; i < memo->width; i++) {
        memo->keys[(size_t)memo->count * memo->width + i] = value_keep(&key[i], &memo->arena);
    }
    memo->results[memo->count] = value_keep(result, &memo->arena);
    insert_slot(memo, memo->count);
    return &memo->results[memo->count++];
}

/* ---- one execution ---- */
typedef struct Answer {
    const Subquery *subquery;
    const Value *left;          /* of IN */
    Arena *arena;
    Value value;
    bool has_row, done;
} Answer;

static ErrorCode take_row(Answer *answer, const Vector *vector, size_t row, Error *err) {
    Value value = program_vector_value(vector, row);
    if (answer->subquery->kind == SUBQUERY_SCALAR) {
        if (answer->has_row) {
            return error_set(err, ERR_CARDINALITY, ERROR_NO_POSITION, "more than one row returned by a subquery used as an expression");
        }
        answer->value = value_keep(&value, answer->arena);
        answer->has_row = true;
        return ERR_OK;
    }
    if (value.is_null || answer->left->is_null) {
        answer->value.is_null = true;
        return ERR_OK;
    }
    uint8_t bytes[2];
    if (value_rules((TypeId)value.type.id)->equal(value_bytes(&value, &bytes[0]), value_bytes(answer->left, &bytes[1]))) {
        answer->value.is_null = false;
        answer->value.as.boolean = true;
        answer->done = true;
    }
    return ERR_OK;
}

static ErrorCode take_batch(Answer *answer, Batch *batch, Arena *scratch, Error *err) {
    if (answer->subquery->kind == SUBQUERY_EXISTS) {
        answer->value.as.boolean = true;
        answer->done = true;
        return ERR_OK;
    }
    TRY(vector_dense(&batch->columns[0], scratch, err));
    for (uint16_t row = 0; row < batch->row_count && !answer->done; row++) {
        if (batch->live == NULL || bit_get(batch->live, row)) {
            TRY(take_row(answer, &batch->columns[0], row, err));
        }
    }
    return ERR_OK;
}

ErrorCode subquery_value(Run *run, const Subquery *subquery, const Value *left, Arena *arena, Value *value_out, Error *err) {
    Answer answer = {.subquery = subquery, .left = left, .arena = arena};
    bool scalar = subquery->kind == SUBQUERY_SCALAR;
    answer.value.type = scalar ? subquery->type : type_of(TYPE_BOOL);
    answer.value.is_null = scalar;
    Arena own;
    Arena scratch;
    arena_init(&own, SIZE_MAX);
    arena_init(&scratch, SIZE_MAX);
    Subplan subplan;
    ErrorCode code = subplan_open(run, subquery->op, &own, &subplan, err);
    while (code == ERR_OK && !answer.done) {
        Batch *batch = NULL;
        code = subplan_next(run, &subplan, &batch, err);
        if (code != ERR_OK || batch == NULL) {
            break;
        }
        arena_reset(&scratch);
        code = take_batch(&answer, batch, &scratch, err);
    }
    subplan_close(run, &subplan);
    arena_deinit(&own);
    arena_deinit(&scratch);
    *value_out = answer.value;
    return code;
}

/* ---- the step ---- */
static void write_value(Vector *out, Arena *arena, size_t row, const Value *value) {
    if (value->is_null) {
        vector_set_null(out, arena, row);
        return;
    }
    uint64_t word = 0;
    Vector one = program_value_vector(value, &word, 1);
    vector_copy_value(out, arena, row, &one, 0);
}

static ErrorCode answer_row(Frame *frame, const Step *step, const Subquery *subquery, Value *key, Vector *out, size_t row, Error *err) {
    Run *run = frame->run;
    ApplyMemo *memo = run->subqueries[subquery->id].memo;
    uint32_t first = step->arg_count - subquery->slot_count;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        key[i] = program_vector_value(frame->slots[step->args[i]], row);
        key[i].type = frame->program->registers[step->args[i]].type;
    }
    const Value *known = subquery->each_row ? NULL : memo_find(memo, key);
    if (known == NULL) {
        if (memo->depth >= APPLY_DEPTH_MAX) {
            return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "subqueries run inside each other deeper than %d levels", APPLY_DEPTH_MAX);
        }
        for (uint32_t i = 0; i < subquery->slot_count; i++) {
            run->outer[subquery->slots[i]] = key[first + i];
        }
        Value result;
        memo->depth++;
        ErrorCode code = subquery_value(run, subquery, first > 0 ? &key[0] : NULL, &frame->scratch, &result, err);
        memo->depth--;
        TRY(code);
        known = memo_put(memo, key, &result);
    }
    write_value(out, &frame->scratch, row, known);
    return ERR_OK;
}

ErrorCode step_apply(Frame *frame, const Step *step, Error *err) {
    const Subquery *subquery = &frame->program->subqueries[step->as.subquery];
    (void)memo_of(&frame->run->subqueries[subquery->id], step->arg_count);
    for (uint32_t i = 0; i < step->arg_count; i++) {
        TRY(vector_dense(frame->slots[step->args[i]], &frame->scratch, err));
    }
    Vector *out = frame_temp(frame, step, false);
    out->valid = NULL;
    if (type_physical((TypeId)out->type.id) == PHYS_BIT) {
        memset(vector_data(out), 0, BATCH_WORDS * sizeof(uint64_t));
    }
    Value *key = arena_array(&frame->scratch, Value, step->arg_count + 1);
    const uint64_t *guard = frame->masks[step->guard];
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        for (uint64_t word = guard[w]; word != 0; word &= word - 1) {
            TRY(answer_row(frame, step, subquery, key, out, w * 64 + (size_t)__builtin_ctzll(word), err));
        }
    }
    return ERR_OK;
}
