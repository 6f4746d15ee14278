/* SPDX-License-Identifier: Apache-2.0
 * step_in.c - membership: in a list, in time ranges, in the result of a subquery. NULL when nothing matched and a NULL was met. */
#include "sql/exec/exec_internal.h"

enum { INTS_BY_LOOP_MAX = 8 };

/* Value at row as 16 bytes that value_rules read: booleans become a byte. */
static const void *value_at(const Vector *vector, size_t row, uint8_t *byte) {
    if (type_physical((TypeId)vector->type.id) == PHYS_BIT) {
        *byte = bit_get(vector->data, vector->form == VECTOR_CONSTANT ? 0 : row) ? 1 : 0;
        return byte;
    }
    return vector_value(vector, row);
}

static void set_build(StepState *state, const InSet *set, const ValueRules *rules) {
    size_t count = 16;
    while (count < set->count * (size_t)2) {
        count *= 2;
    }
    state->set_slots = mem_calloc(count, sizeof(uint64_t));
    state->set_slot_count = count;
    for (uint32_t i = 0; i < set->count; i++) {
        const void *value = set->values[i].as.bytes;
        size_t at = rules->hash(value) & (count - 1);
        while (state->set_slots[at] != 0 && !rules->equal(set->values[state->set_slots[at] - 1].as.bytes, value)) {
            at = (at + 1) & (count - 1);
        }
        if (state->set_slots[at] == 0) {
            state->set_slots[at] = i + 1;
        }
    }
}

static bool slots_have(const uint64_t *slots, size_t slot_count, const Value *values, const ValueRules *rules, const void *value) {
    size_t at = rules->hash(value) & (slot_count - 1);
    while (slots[at] != 0) {
        if (rules->equal(values[slots[at] - 1].as.bytes, value)) {
            return true;
        }
        at = (at + 1) & (slot_count - 1);
    }
    return false;
}

#define MATCH_INTS(T)                                                                                                  \
    do {                                                                                                               \
        const T *values = vector->data;                                                                                \
        for (size_t w = 0; w < words; w++) {                                                                           \
            uint64_t bits = 0;                                                                                         \
            for (size_t i = 0; i < 64; i++) {                                                                          \
                bits |= (uint64_t)(values[w * 64 + i] == (T)wanted) << i;                                              \
            }                                                                                                          \
            out[w] |= bits;                                                                                            \
        }                                                                                                              \
    } while (0)

static void match_int(uint64_t *out, const Vector *vector, size_t words, int64_t wanted, size_t width) {
    switch (width) {
    case 1:
        MATCH_INTS(int8_t);
        return;
    case 2:
        MATCH_INTS(int16_t);
        return;
    case 4:
        MATCH_INTS(int32_t);
        return;
    default:
        MATCH_INTS(int64_t);
        return;
    }
}
#undef MATCH_INTS

static bool few_ints(const Vector *vector, const InSet *set) {
    Physical physical = type_physical((TypeId)vector->type.id);
    return vector->form == VECTOR_FLAT && physical >= PHYS_8 && physical <= PHYS_64 && set->count <= INTS_BY_LOOP_MAX;
}

static int64_t read_int(const Value *value, size_t width) {
    int64_t wide = 0;
    memcpy(&wide, value->as.bytes, width);
    return wide;
}

static void match_set(Frame *frame, const Step *step, StepState *state, const Vector *vector, uint64_t *out) {
    const InSet *set = step->as.set;
    size_t words = words_for(frame->row_count);
    if (set->count == 0) {
        return;
    }
    if (few_ints(vector, set)) {
        size_t width = physical_bytes(type_physical((TypeId)vector->type.id));
        for (uint32_t i = 0; i < set->count; i++) {
            match_int(out, vector, words, read_int(&set->values[i], width), width);
        }
        return;
    }
    const ValueRules *rules = value_rules((TypeId)vector->type.id);
    if (!state->ready) {
        set_build(state, set, rules);
        state->ready = true;
    }
    const uint64_t *guard = frame->masks[step->guard];
    for (size_t w = 0; w < words; w++) {
        for (uint64_t word = guard[w]; word != 0; word &= word - 1) {
            size_t row = w * 64 + (size_t)__builtin_ctzll(word);
            uint8_t byte = 0;
            if (!vector_is_null(vector, row) && slots_have(state->set_slots, state->set_slot_count, set->values, rules, value_at(vector, row, &byte))) {
                bit_set(out, row);
            }
        }
    }
}

/* The list's items that are not constant: compared row by row. nulls collects rows that met a NULL item. */
static ErrorCode match_items(Frame *frame, const Step *step, const Vector *vector, uint64_t *out, uint64_t *nulls, Error *err) {
    const ValueRules *rules = value_rules((TypeId)vector->type.id);
    const uint64_t *guard = frame->masks[step->guard];
    for (uint32_t i = 1; i < step->arg_count; i++) {
        Vector *item = frame->slots[step->args[i]];
        TRY(vector_dense(item, &frame->scratch, err));
        for (size_t w = 0; w < words_for(frame->row_count); w++) {
            for (uint64_t word = guard[w] & ~out[w]; word != 0; word &= word - 1) {
                size_t row = w * 64 + (size_t)__builtin_ctzll(word);
                uint8_t bytes[2] = {0};
                if (vector_is_null(item, row)) {
                    bit_set(nulls, row);
                } else if (!vector_is_null(vector, row) &&
                           rules->equal(value_at(vector, row, &bytes[0]), value_at(item, row, &bytes[1]))) {
                    bit_set(out, row);
                }
            }
        }
    }
    return ERR_OK;
}

/* valid = the argument is not null, and (matched or no NULL was met). An empty list is never NULL. */
static void finish_validity(Frame *frame, const Step *step, const Vector *vector, const BoolOut *out, const uint64_t *nulls, bool all_nulls) {
    bool any = vector->valid != NULL || nulls != NULL || all_nulls;
    if (!any) {
        frame->slots[step->out]->valid = NULL;
        return;
    }
    bool constant = vector->form == VECTOR_CONSTANT;
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        uint64_t valid = ~UINT64_C(0);
        if (vector->valid != NULL) {
            valid = !constant ? vector->valid[w] : bit_get(vector->valid, 0) ? ~UINT64_C(0) : 0;
        }
        uint64_t met = all_nulls ? ~UINT64_C(0) : nulls == NULL ? 0 : nulls[w];
        out->valid[w] = valid & (out->value[w] | ~met);
    }
}

ErrorCode step_in_list(Frame *frame, const Step *step, StepState *state, Error *err) {
    Vector *vector = frame->slots[step->args[0]];
    TRY(vector_dense(vector, &frame->scratch, err));
    BoolOut out = frame_bool(frame, step);
    memset(out.value, 0, BATCH_WORDS * sizeof(uint64_t));
    match_set(frame, step, state, vector, out.value);
    uint64_t *nulls = NULL;
    if (step->arg_count > 1) {
        nulls = frame_words(frame);
        TRY(match_items(frame, step, vector, out.value, nulls, err));
    }
    if (vector->form == VECTOR_FLAT && vector->valid != NULL) {
        for (size_t w = 0; w < words_for(frame->row_count); w++) {
            out.value[w] &= vector->valid[w];
        }
    }
    finish_validity(frame, step, vector, &out, nulls, step->as.set->has_null);
    return ERR_OK;
}

/* ---- time ranges ---- */
static bool in_ranges(const KeyRange *ranges, uint32_t count, int64_t value) {
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranges[middle].high < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && ranges[low].low <= value;
}

ErrorCode step_time_in(Frame *frame, const Step *step, Error *err) {
    Vector *vector = NULL;
    TRY(frame_flat(frame, step->args[0], &vector, err));
    BoolOut out = frame_bool(frame, step);
    const KeyRange *ranges = step->as.time_in.ranges;
    uint32_t count = step->as.time_in.count;
    assert(physical_bytes(type_physical((TypeId)vector->type.id)) == sizeof(int64_t));
    const int64_t *values = vector->data;
    for (size_t w = 0; w < words_for(frame->row_count); w++) {
        uint64_t bits = 0;
        size_t last = MIN_OF((size_t)64, frame->row_count - w * 64);
        for (size_t i = 0; i < last; i++) {
            int64_t value = values[w * 64 + i];
            bool inside = count == 1 ? value >= ranges[0].low && value <= ranges[0].high : in_ranges(ranges, count, value);
            bits |= (uint64_t)inside << i;
        }
        out.value[w] = bits;
    }
    if (vector->valid == NULL) {
        frame->slots[step->out]->valid = NULL;
    } else {
        memcpy(out.valid, vector->valid, words_for(frame->row_count) * sizeof(uint64_t));
    }
    return ERR_OK;
}

/* ---- subquery ---- */
ErrorCode step_in_rel(Frame *frame, const Step *step, Error *err) {
    Vector *vector = NULL;
    TRY(frame_flat(frame, step->args[0], &vector, err));
    const SubqueryState *state = &frame->run->subqueries[frame->program->subqueries[step->as.subquery].id];
    assert(state->done);
    TRY(subquery_check(state, err));
    BoolOut out = frame_bool(frame, step);
    memset(out.value, 0, BATCH_WORDS * sizeof(uint64_t));
    if (state->value_count == 0 && !state->has_null) {
        frame->slots[step->out]->valid = NULL; /* x IN (nothing) is false even for a NULL x */
        return ERR_OK;
    }
    const ValueRules *rules = value_rules((TypeId)vector->type.id);
    const uint64_t *guard = frame->masks[step->guard];
    for (size_t w = 0; w < words_for(frame->row_count) && state->value_count > 0; w++) {
        for (uint64_t word = guard[w]; word != 0; word &= word - 1) {
            size_t row = w * 64 + (size_t)__builtin_ctzll(word);
            uint8_t byte = 0;
            if (!vector_is_null(vector, row) && slots_have(state->slots, state->slot_count, state->values, rules, value_at(vector, row, &byte))) {
                bit_set(out.value, row);
            }
        }
    }
    finish_validity(frame, step, vector, &out, NULL, state->has_null);
    return ERR_OK;
}
