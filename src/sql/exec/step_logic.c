/* SPDX-License-Identifier: Apache-2.0
 * step_logic.c - AND, OR, NOT, IS NULL on bitmaps, and the blend of CASE and COALESCE by masks.
 *
 * Why:        three-valued logic on (value, valid) costs a few word operations per 64 rows. A bit of `value` under a cleared bit of
 *             `valid` may be anything, and the formulas hold for both. */
#include "sql/exec/exec_internal.h"

static void logic_words(bool is_and, BoolOut into, const BoolIn *with, size_t words, bool into_valid) {
    for (size_t w = 0; w < words; w++) {
        uint64_t a = into.value[w];
        uint64_t b = with->value[w];
        uint64_t va = into_valid ? ~UINT64_C(0) : into.valid[w];
        uint64_t vb = with->valid == NULL ? ~UINT64_C(0) : with->valid[w];
        if (is_and) {
            into.valid[w] = (va & vb) | (va & ~a) | (vb & ~b);
            into.value[w] = (a | ~va) & (b | ~vb);
        } else {
            into.valid[w] = (va & vb) | (va & a) | (vb & b);
            into.value[w] = (a & va) | (b & vb);
        }
    }
}

static void plain_words(bool is_and, uint64_t *into, const uint64_t *with, size_t words) {
    for (size_t w = 0; w < words; w++) {
        into[w] = is_and ? into[w] & with[w] : into[w] | with[w];
    }
}

static ErrorCode step_and_or(Frame *frame, const Step *step, Error *err) {
    bool is_and = step->kind == STEP_AND;
    size_t words = words_for(frame->row_count);
    BoolIn in;
    TRY(frame_bool_in(frame, step->args[0], &in, err));
    BoolOut out = frame_bool(frame, step);
    Vector *vector = frame->slots[step->out];
    bool no_nulls = in.valid == NULL;
    memcpy(out.value, in.value, words * sizeof(uint64_t));
    if (!no_nulls) {
        memcpy(out.valid, in.valid, words * sizeof(uint64_t));
    }
    for (uint32_t i = 1; i < step->arg_count; i++) {
        TRY(frame_bool_in(frame, step->args[i], &in, err));
        if (no_nulls && in.valid == NULL) {
            plain_words(is_and, out.value, in.value, words);
            continue;
        }
        logic_words(is_and, out, &in, words, no_nulls);
        no_nulls = false;
    }
    if (no_nulls) {
        vector->valid = NULL;
    }
    return ERR_OK;
}

static ErrorCode step_not(Frame *frame, const Step *step, Error *err) {
    BoolIn in;
    TRY(frame_bool_in(frame, step->args[0], &in, err));
    BoolOut out = frame_bool(frame, step);
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        out.value[w] = ~in.value[w];
    }
    if (in.valid == NULL) {
        frame->slots[step->out]->valid = NULL;
    } else {
        memcpy(out.valid, in.valid, words_for(frame->row_count) * sizeof(uint64_t));
    }
    return ERR_OK;
}

static ErrorCode step_is_null(Frame *frame, const Step *step, Error *err) {
    Vector *arg = frame->slots[step->args[0]];
    TRY(vector_dense(arg, &frame->scratch, err));
    BoolOut out = frame_bool(frame, step);
    frame->slots[step->out]->valid = NULL;
    bool constant = arg->form == VECTOR_CONSTANT;
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        if (arg->valid == NULL) {
            out.value[w] = 0;
        } else if (constant) {
            out.value[w] = bit_get(arg->valid, 0) ? 0 : ~UINT64_C(0);
        } else {
            out.value[w] = ~arg->valid[w];
        }
    }
    return ERR_OK;
}

ErrorCode step_logic(Frame *frame, const Step *step, Error *err) {
    switch ((StepKind)step->kind) {
    case STEP_AND:
    case STEP_OR:
        return step_and_or(frame, step, err);
    case STEP_NOT:
        return step_not(frame, step, err);
    default:
        return step_is_null(frame, step, err);
    }
}

/* ---- blend ---- */
#define BLEND(T)                                                                                                       \
    do {                                                                                                               \
        T *to = data;                                                                                                  \
        const T *from = arm->data;                                                                                     \
        for (size_t w = 0; w < words; w++) {                                                                           \
            for (uint64_t word = mask[w]; word != 0; word &= word - 1) {                                               \
                size_t row = w * 64 + (size_t)__builtin_ctzll(word);                                                   \
                to[row] = from[constant ? 0 : row];                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

typedef struct Pair { uint64_t words[2]; } Pair;

static void blend_bits(uint64_t *to, const Vector *arm, const uint64_t *mask, size_t words) {
    bool constant = arm->form == VECTOR_CONSTANT;
    const uint64_t *from = arm->data;
    for (size_t w = 0; w < words; w++) {
        uint64_t value = constant ? (uint64_t)-(int64_t)(from[0] & 1) : from[w];
        to[w] = (to[w] & ~mask[w]) | (value & mask[w]);
    }
}

static void blend_values(void *data, const Vector *arm, const uint64_t *mask, size_t words) {
    Physical physical = type_physical((TypeId)arm->type.id);
    bool constant = arm->form == VECTOR_CONSTANT;
    switch (physical_bytes(physical)) {
    case 0:
        blend_bits(data, arm, mask, words);
        return;
    case 1:
        BLEND(uint8_t);
        return;
    case 2:
        BLEND(uint16_t);
        return;
    case 4:
        BLEND(uint32_t);
        return;
    case 8:
        BLEND(uint64_t);
        return;
    default:
        BLEND(Pair);
        return;
    }
}
#undef BLEND

/* One arm takes all live rows: the result is that arm, no value moves. */
static bool blend_is_one_arm(Frame *frame, const Step *step) {
    for (uint32_t i = 0; i < step->arg_count; i++) {
        if (memcmp(frame->masks[step->masks[i]], frame->masks[MASK_LIVE], sizeof *frame->masks) == 0) {
            Vector *arm = frame->slots[step->args[i]];
            if (arm->form == VECTOR_ENCODED) {
                return false;
            }
            frame->own[step->out] = *arm;
            frame->own[step->out].type = frame->program->registers[step->out].type;
            frame->own[step->out].row_count = frame->row_count;
            frame->slots[step->out] = &frame->own[step->out];
            return true;
        }
    }
    return false;
}

ErrorCode step_blend(Frame *frame, const Step *step, Error *err) {
    if (blend_is_one_arm(frame, step)) {
        return ERR_OK;
    }
    size_t words = words_for(frame->row_count);
    Vector *out = frame_temp(frame, step, false);
    void *data = vector_data(out);
    uint64_t *valid = frame_words(frame);
    for (uint32_t i = 0; i < step->arg_count; i++) {
        const uint64_t *mask = frame->masks[step->masks[i]];
        if (frame->mask_empty[step->masks[i]]) {
            continue;
        }
        Vector *arm = frame->slots[step->args[i]];
        TRY(vector_dense(arm, &frame->scratch, err));
        if (out->symbols == NULL) {
            out->symbols = arm->symbols;
        }
        if (arm->form == VECTOR_CONSTANT && arm->valid != NULL && !bit_get(arm->valid, 0)) {
            continue;
        }
        blend_values(data, arm, mask, words);
        bool all_valid = arm->valid == NULL || arm->form == VECTOR_CONSTANT;
        for (size_t w = 0; w < words; w++) {
            valid[w] |= mask[w] & (all_valid ? ~UINT64_C(0) : arm->valid[w]);
        }
    }
    out->valid = valid;
    return ERR_OK;
}
