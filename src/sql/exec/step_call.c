/* SPDX-License-Identifier: Apache-2.0
 * step_call.c - one function over its arguments, by the form that they have.
 *
 * Why:        all arguments constant: one row is computed. One argument indexed over a base smaller than the live rows: the base is
 *             computed and the index kept. Everything else is made dense first.
 * Invariants: a strict function never sees a row with a NULL argument in call.rows; rows outside the guard are never in it. */
#include "sql/exec/exec_internal.h"

/* Position is told only for texts that did not read as a value; arithmetic has none, as in PostgreSQL. */
static void place_error(const Step *step, Error *err) {
    if (err == NULL || err->position >= 0 || step->function->arg_count != 1 || err->code == ERR_STRING_TOO_LONG) {
        return;
    }
    bool reads_text = step->function->args[0] == TYPE_UNKNOWN || type_is_text((TypeId)step->function->args[0]);
    err->position = reads_text ? step->position : ERROR_NO_POSITION;
}

static ErrorCode run_kernel(Frame *frame, const Step *step, StepState *state, const Vector *const *args, uint16_t row_count, const uint64_t *rows, Vector *out,
                            Error *err) {
    KernelCall call = {
        .args = args,
        .arg_count = (uint16_t)step->arg_count,
        .row_count = row_count,
        .rows = rows,
        .arena = &frame->scratch,
        .prepared = step->prepared,
        .counter = &state->counter,
        .environment = frame->run->context.environment,
    };
    ErrorCode code = step->function->kernel(&call, out, err);
    if (code != ERR_OK) {
        place_error(step, err);
        return code;
    }
    assert(out->form == VECTOR_FLAT);
    out->row_count = row_count;
    return ERR_OK;
}

static bool is_strict(const Step *step) {
    return (step->function->flags & FN_NOT_STRICT) == 0;
}

static bool constant_null(const Vector *vector) {
    return vector->form == VECTOR_CONSTANT && vector->valid != NULL && !bit_get(vector->valid, 0);
}

static bool any_constant_null(const Vector *const *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (constant_null(args[i])) {
            return true;
        }
    }
    return false;
}

/* AND of the arguments' validity; NULL = none has nulls. */
static const uint64_t *strict_validity(Frame *frame, const Vector *const *args, uint32_t count) {
    const uint64_t *first = NULL;
    uint64_t *both = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->form == VECTOR_CONSTANT || args[i]->valid == NULL || args[i]->valid == first) {
            continue;
        }
        if (first == NULL) {
            first = args[i]->valid;
            continue;
        }
        if (both == NULL) {
            both = frame_words(frame);
            memcpy(both, first, words_for(frame->row_count) * sizeof *both);
        }
        for (size_t w = 0; w < words_for(frame->row_count); w++) {
            both[w] &= args[i]->valid[w];
        }
    }
    return both != NULL ? both : first;
}

static void validity_merge(Frame *frame, Vector *out, const uint64_t *valid, size_t words) {
    if (out->valid == NULL) {
        out->valid = valid;
    } else if (valid != NULL) {
        uint64_t *both = vector_valid(out, &frame->scratch);
        for (size_t w = 0; w < words; w++) {
            both[w] &= valid[w];
        }
    }
    if (out->valid == NULL) {
        out->facts |= FACT_NO_NULLS;
    }
}

static ErrorCode call_constant(Frame *frame, const Step *step, StepState *state, const Vector *const *args, Error *err) {
    if (is_strict(step) && any_constant_null(args, step->arg_count)) {
        frame_null(frame, step);
        return ERR_OK;
    }
    uint64_t rows[BATCH_WORDS] = {1};
    Vector *out = frame_temp(frame, step, true);
    TRY(run_kernel(frame, step, state, args, 1, rows, out, err));
    out->form = VECTOR_CONSTANT;
    out->row_count = frame->row_count;
    return ERR_OK;
}

/* ---- one indexed argument ---- */
static bool base_pays(const Frame *frame, const Step *step, const Vector *vector) {
    return vector->form == VECTOR_INDEXED && vector->base_count < frame->live_count && vector->base_count <= BATCH_ROWS &&
           (step->function->flags & FN_VOLATILE) == 0 && (is_strict(step) || vector->valid == NULL);
}

/* Places of the base that a guarded row stands on. */
static void base_rows(const Frame *frame, const Step *step, const Vector *vector, uint64_t *rows) {
    const uint64_t *guard = frame->masks[step->guard];
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        uint64_t word = guard[w] & (vector->valid == NULL ? ~UINT64_C(0) : vector->valid[w]);
        for (; word != 0; word &= word - 1) {
            bit_set(rows, vector->index[w * 64 + (size_t)__builtin_ctzll(word)]);
        }
    }
}

static ErrorCode call_on_base(Frame *frame, const Step *step, StepState *state, const Vector **args, uint32_t which, Error *err) {
    const Vector *indexed = args[which];
    TRY(vector_flat(indexed->base, &frame->scratch, err));
    const Vector *base = indexed->base;
    uint64_t *rows = frame_words(frame);
    base_rows(frame, step, indexed, rows);
    size_t words = words_for(indexed->base_count);
    for (size_t w = 0; w < words && is_strict(step) && base->valid != NULL; w++) {
        rows[w] &= base->valid[w];
    }
    if (is_strict(step) && any_constant_null(args, step->arg_count)) {
        frame_null(frame, step);
        return ERR_OK;
    }
    Vector *computed = arena_new(&frame->scratch, Vector);
    *computed = *frame_temp(frame, step, false);
    const Register *reg = &frame->program->registers[step->out];
    args[which] = base;
    TRY(run_kernel(frame, step, state, args, (uint16_t)indexed->base_count, rows, computed, err));
    if (is_strict(step)) {
        validity_merge(frame, computed, base->valid, words);
    }
    frame->own[step->out] = (Vector){
        .type = reg->type,
        .form = VECTOR_INDEXED,
        .row_count = frame->row_count,
        .base_count = indexed->base_count,
        .index = indexed->index,
        .valid = indexed->valid,
        .base = computed,
        .symbols = reg->symbols,
    };
    frame->slots[step->out] = &frame->own[step->out];
    return ERR_OK;
}

/* ---- the usual case ---- */
static ErrorCode call_dense(Frame *frame, const Step *step, StepState *state, const Vector **args, Error *err) {
    for (uint32_t i = 0; i < step->arg_count; i++) {
        TRY(vector_dense(frame->slots[step->args[i]], &frame->scratch, err));
    }
    if (is_strict(step) && any_constant_null(args, step->arg_count)) {
        frame_null(frame, step);
        return ERR_OK;
    }
    const uint64_t *valid = is_strict(step) ? strict_validity(frame, args, step->arg_count) : NULL;
    const uint64_t *rows = frame->masks[step->guard];
    if (valid != NULL) {
        uint64_t *both = frame_words(frame);
        for (size_t w = 0; w < words_for(frame->row_count); w++) {
            both[w] = rows[w] & valid[w];
        }
        rows = both;
    }
    Vector *out = frame_temp(frame, step, false);
    TRY(run_kernel(frame, step, state, args, frame->row_count, rows, out, err));
    if (is_strict(step)) {
        validity_merge(frame, out, valid, words_for(frame->row_count));
    }
    return ERR_OK;
}

ErrorCode step_call(Frame *frame, const Step *step, StepState *state, Error *err) {
    const Vector *args[CALL_ARGS_MAX];
    assert(step->arg_count <= CALL_ARGS_MAX);
    uint32_t varying = 0;
    uint32_t which = 0;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        args[i] = frame->slots[step->args[i]];
        if (args[i]->form != VECTOR_CONSTANT) {
            varying++;
            which = i;
        }
    }
    if (varying == 0 && (step->function->flags & FN_VOLATILE) == 0) {
        return call_constant(frame, step, state, args, err);
    }
    if (varying == 1 && base_pays(frame, step, args[which])) {
        return call_on_base(frame, step, state, args, which, err);
    }
    return call_dense(frame, step, state, args, err);
}
