/* SPDX-License-Identifier: Apache-2.0
 * step_symbol.c - expressions over one symbol column, computed per code and not per row.
 *
 * Why:        a symbol column has few distinct texts. `sym = 'x'` is a compare of 32-bit codes; any other pure expression runs over
 *             the codes that a batch has. Truth values are remembered per code for the life of the frame, so that a dictionary of
 *             millions costs only the codes that are met.
 * Invariants: codes are dense from 0; place 0 of the memo is the null symbol, code c has place c + 1. */
#include "kernels/kernels.h"
#include "sql/exec/exec_internal.h"

static bool constant_is_null(const Vector *vector) {
    return vector->valid != NULL && !bit_get(vector->valid, 0);
}

ErrorCode step_symbol_equal(Frame *frame, const Step *step, Error *err) {
    Vector *column = NULL;
    const Vector *text = frame->slots[step->args[1]];
    assert(text->form == VECTOR_CONSTANT);
    TRY(frame_flat(frame, step->args[0], &column, err));
    const SymbolTable *symbols = column->symbols != NULL ? column->symbols : frame->program->registers[step->args[0]].symbols;
    assert(symbols != NULL);
    BoolOut out = frame_bool(frame, step);
    size_t words = words_for(frame->row_count);
    if (constant_is_null(text)) {
        memset(out.valid, 0, BATCH_WORDS * sizeof(uint64_t));
        memset(out.value, 0, BATCH_WORDS * sizeof(uint64_t));
        return ERR_OK;
    }
    int32_t wanted = symbols->find(symbols, strref_str(text->data));
    if (wanted < 0) {
        memset(out.value, 0, BATCH_WORDS * sizeof(uint64_t));
    } else {
        kernels_pick()->eq_vc_i32(out.value, column->data, wanted, frame->row_count);
    }
    if (column->valid == NULL) {
        frame->slots[step->out]->valid = NULL;
    } else {
        memcpy(out.valid, column->valid, words * sizeof(uint64_t));
    }
    return ERR_OK;
}

/* ---- per-code evaluation ---- */
static size_t place_of(const Vector *column, size_t row) {
    if (column->valid != NULL && !bit_get(column->valid, row)) {
        return 0;
    }
    return (size_t)(uint32_t)((const int32_t *)column->data)[row] + 1;
}

static void *grow_zeroed(void *items, size_t old_count, size_t new_count, size_t bytes) {
    uint8_t *wider = mem_realloc(items, new_count * bytes);
    memset(wider + old_count * bytes, 0, (new_count - old_count) * bytes);
    return wider;
}

static ErrorCode ready(Frame *frame, const Step *step, StepState *state, Error *err) {
    if (!state->ready) {
        TRY(frame_open(frame->run, step->as.sub, &state->sub, err));
        state->ready = true;
    }
    return ERR_OK;
}

static size_t place_count(const SymbolTable *symbols) {
    return (size_t)symbols->count(symbols) + 1;
}

/* Runs the sub-program over the given places; its output is dense, one row a place. */
static ErrorCode run_places(Frame *frame, StepState *state, const Vector *column, const size_t *places, uint16_t count, Vector **out, Error *err) {
    Vector *codes = arena_new(&frame->scratch, Vector);
    *codes = vector_new(&frame->scratch, column->type);
    codes->row_count = count;
    codes->symbols = column->symbols;
    int32_t *values = vector_data(codes);
    memset(values, 0, (((size_t)count + 63) / 64) * 64 * sizeof *values);
    for (uint16_t i = 0; i < count; i++) {
        values[i] = places[i] == 0 ? 0 : (int32_t)(places[i] - 1);
        if (places[i] == 0) {
            vector_set_null(codes, &frame->scratch, i);
        }
    }
    Batch batch = {.row_count = count, .live_count = count, .column_count = 1, .columns = codes};
    TRY(frame_run(state->sub, &batch, err));
    return frame_output_dense(state->sub, 0, out, err);
}

enum { MEMO_UNKNOWN, MEMO_FALSE, MEMO_TRUE, MEMO_NULL, MEMO_PENDING };

static ErrorCode memo_fill(Frame *frame, StepState *state, const Vector *column, const size_t *places, uint16_t count, Error *err) {
    Vector *out = NULL;
    TRY(run_places(frame, state, column, places, count, &out, err));
    for (uint16_t i = 0; i < count; i++) {
        state->memo[places[i]] = vector_is_null(out, i) ? MEMO_NULL : vector_bool(out, i) ? MEMO_TRUE : MEMO_FALSE;
    }
    return ERR_OK;
}

static ErrorCode memo_learn(Frame *frame, const Step *step, StepState *state, const Vector *column, Error *err) {
    size_t *unknown = arena_alloc_aligned(&frame->scratch, BATCH_ROWS * sizeof *unknown, 64);
    uint16_t count = 0;
    const uint64_t *guard = frame->masks[step->guard];
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        for (uint64_t word = guard[w]; word != 0; word &= word - 1) {
            size_t place = place_of(column, w * 64 + (size_t)__builtin_ctzll(word));
            if (state->memo[place] == MEMO_UNKNOWN) {
                state->memo[place] = MEMO_PENDING;
                unknown[count++] = place;
            }
        }
    }
    if (count == 0) {
        return ERR_OK;
    }
    ErrorCode code = memo_fill(frame, state, column, unknown, count, err);
    for (uint16_t i = 0; i < count && code != ERR_OK; i++) {
        state->memo[unknown[i]] = MEMO_UNKNOWN;
    }
    return code;
}

static ErrorCode map_to_bool(Frame *frame, const Step *step, StepState *state, const Vector *column, Error *err) {
    size_t places = place_count(column->symbols);
    if (state->memo_count < places) {
        TRY(budget_reserve(&frame->run->budget, places - state->memo_count, err));
        frame->budget_seen_keep += places - state->memo_count;
        state->memo = grow_zeroed(state->memo, state->memo_count, places, 1);
        state->memo_count = places;
    }
    TRY(memo_learn(frame, step, state, column, err));
    BoolOut out = frame_bool(frame, step);
    uint64_t all_valid = ~UINT64_C(0);
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        size_t rows = MIN_OF((size_t)64, frame->row_count - w * 64);
        uint64_t value = 0;
        uint64_t null = 0;
        for (size_t i = 0; i < rows; i++) {
            size_t place = place_of(column, w * 64 + i); /* dead rows may hold any code */
            uint8_t known = place < state->memo_count ? state->memo[place] : MEMO_FALSE;
            value |= (uint64_t)(known == MEMO_TRUE) << i;
            null |= (uint64_t)(known == MEMO_NULL) << i;
        }
        out.value[w] = value;
        out.valid[w] = ~null;
        all_valid &= ~null;
    }
    if (all_valid == ~UINT64_C(0)) {
        frame->slots[step->out]->valid = NULL;
    }
    return ERR_OK;
}

/* The distinct places of the guarded rows, and the index row -> number among them. */
static uint16_t distinct_places(Frame *frame, const Step *step, StepState *state, const Vector *column, size_t *distinct, uint16_t *index) {
    uint16_t count = 0;
    const uint64_t *guard = frame->masks[step->guard];
    state->stamp++;
    memset(index, 0, BATCH_ROWS * sizeof *index);
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        for (uint64_t word = guard[w]; word != 0; word &= word - 1) {
            size_t row = w * 64 + (size_t)__builtin_ctzll(word);
            size_t place = place_of(column, row);
            if (state->stamps[place] != state->stamp) {
                state->stamps[place] = state->stamp;
                state->places[place] = count;
                distinct[count++] = place;
            }
            index[row] = state->places[place];
        }
    }
    return count;
}

static ErrorCode map_to_index(Frame *frame, const Step *step, StepState *state, const Vector *column, Error *err) {
    size_t places = place_count(column->symbols);
    if (state->place_count < places) {
        size_t bytes = (places - state->place_count) * (sizeof(uint16_t) + sizeof(uint32_t));
        TRY(budget_reserve(&frame->run->budget, bytes, err));
        frame->budget_seen_keep += bytes;
        state->places = grow_zeroed(state->places, state->place_count, places, sizeof(uint16_t));
        state->stamps = grow_zeroed(state->stamps, state->place_count, places, sizeof(uint32_t));
        state->place_count = places;
    }
    size_t *distinct = arena_alloc_aligned(&frame->scratch, BATCH_ROWS * sizeof *distinct, 64);
    uint16_t *index = arena_alloc_aligned(&frame->scratch, BATCH_ROWS * sizeof *index, 64);
    uint16_t count = distinct_places(frame, step, state, column, distinct, index);
    Vector *out = NULL;
    TRY(run_places(frame, state, column, distinct, count, &out, err));
    Vector *base = arena_new(&frame->scratch, Vector);
    *base = *out;
    TRY(vector_flat(base, &frame->scratch, err));
    frame->own[step->out] = (Vector){
        .type = base->type,
        .form = VECTOR_INDEXED,
        .row_count = frame->row_count,
        .base_count = count,
        .index = index,
        .base = base,
    };
    frame->slots[step->out] = &frame->own[step->out];
    return ERR_OK;
}

ErrorCode step_symbol_map(Frame *frame, const Step *step, StepState *state, Error *err) {
    Vector *column = NULL;
    TRY(ready(frame, step, state, err));
    TRY(frame_flat(frame, step->args[0], &column, err));
    if (column->symbols == NULL) {
        column->symbols = frame->program->registers[step->args[0]].symbols;
    }
    assert(column->symbols != NULL);
    if (frame->program->registers[step->out].type.id == TYPE_BOOL) {
        return map_to_bool(frame, step, state, column, err);
    }
    return map_to_index(frame, step, state, column, err);
}
