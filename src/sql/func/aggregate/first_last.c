/* SPDX-License-Identifier: Apache-2.0
 * first_last.c - first, last and their not-null forms: by position in the source, so that workers and merges do not matter.
 *
 * Why:        in the questdb dialect first() takes the first row even if it is NULL; first_not_null() skips NULLs. PostgreSQL has
 *             no such aggregates, so the rows are the same in both dialects. */
#include "sql/func/aggregate/aggregate_internal.h"

typedef struct PlaceState {
    uint8_t value[16];
    uint64_t position;
    const SymbolTable *symbols;
    bool has, null;
    uint8_t type, unused[13];
} PlaceState;
_Static_assert(sizeof(PlaceState) == 48, "states are multiples of 16 bytes");

static uint64_t any_word(const AggregateCall *call, size_t w) {
    return call->rows[w];
}

static void place_store(PlaceState *state, const AggregateCall *call, size_t row, uint64_t position) {
    const Vector *arg = call->args[0];
    state->has = true;
    state->position = position;
    state->type = arg->type.id;
    state->symbols = call->symbols;
    state->null = ((valid_word(arg, row / 64) >> (row % 64)) & 1) == 0;
    if (state->null) {
        return;
    }
    Physical physical = type_physical((TypeId)arg->type.id);
    if (physical == PHYS_BIT) {
        state->value[0] = bit_get(arg->data, value_index(arg, row));
        return;
    }
    size_t width = physical_bytes(physical);
    memcpy(state->value, value_bytes(arg, row, width), width);
}

/* Texts and big numerics still point into the batch: they are copied once the batch's winner is known. */
static void place_own(PlaceState *state, Arena *arena) {
    if (state->null || !state->has) {
        return;
    }
    if (type_physical((TypeId)state->type) == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, state->value, sizeof ref);
        if (ref.len > STRREF_INLINE) {
            Str copy = arena_str(arena, strref_str(&ref));
            ref = strref_make(copy.data, copy.len);
            memcpy(state->value, &ref, sizeof ref);
        }
    } else if (state->type == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, state->value, sizeof slot);
        if (slot.is_big) {
            slot = numeric_to_slot(numeric_from_slot(&slot), arena);
            memcpy(state->value, &slot, sizeof slot);
        }
    }
}

static uint64_t position_of(const AggregateCall *call, size_t row) {
    return ((uint64_t)call->first.morsel << 32 | call->first.row) + row;
}

static bool owns(const AggregateCall *call) {
    uint8_t type = call->args[0]->type.id;
    return type_physical((TypeId)type) == PHYS_STR || type == TYPE_NUMERIC;
}

static inline void first_step(PlaceState *state, const AggregateCall *call, size_t row) {
    uint64_t position = position_of(call, row);
    if (!state->has || position < state->position) {
        place_store(state, call, row, position);
        if (owns(call)) {
            place_own(state, call->arena);
        }
    }
}

static inline void last_step(PlaceState *state, const AggregateCall *call, size_t row) {
    uint64_t position = position_of(call, row);
    if (!state->has || position >= state->position) {
        place_store(state, call, row, position);
        if (owns(call)) {
            place_own(state, call->arena);
        }
    }
}

STEP_LOOPS(first_any, PlaceState, any_word, first_step)
STEP_LOOPS(last_any, PlaceState, any_word, last_step)
STEP_LOOPS(first_some, PlaceState, take_word, first_step)
STEP_LOOPS(last_some, PlaceState, take_word, last_step)

/* Without groups only one row of a batch counts. */
static ErrorCode take_one(const AggregateCall *call, void *pointer, bool first, bool nulls) {
    size_t words = words_for(call->row_count);
    for (size_t i = 0; i < words; i++) {
        size_t w = first ? i : words - 1 - i;
        uint64_t word = nulls ? call->rows[w] : take_word(call, w);
        if (word == 0) {
            continue;
        }
        if (first) {
            first_step(pointer, call, w * 64 + (size_t)__builtin_ctzll(word));
        } else {
            last_step(pointer, call, w * 64 + 63 - (size_t)__builtin_clzll(word));
        }
        break;
    }
    return ERR_OK;
}

static ErrorCode first_any_all(const AggregateCall *call, void *state, UNUSED Error *err) { return take_one(call, state, true, true); }
static ErrorCode last_any_all(const AggregateCall *call, void *state, UNUSED Error *err) { return take_one(call, state, false, true); }
static ErrorCode first_some_all(const AggregateCall *call, void *state, UNUSED Error *err) { return take_one(call, state, true, false); }
static ErrorCode last_some_all(const AggregateCall *call, void *state, UNUSED Error *err) { return take_one(call, state, false, false); }

MERGE(first_merge) {
    PlaceState *into = into_pointer;
    const PlaceState *from = from_pointer;
    if (from->has && (!into->has || from->position < into->position)) {
        *into = *from;
        place_own(into, arena);
    }
    return ERR_OK;
}

MERGE(last_merge) {
    PlaceState *into = into_pointer;
    const PlaceState *from = from_pointer;
    if (from->has && (!into->has || from->position >= into->position)) {
        *into = *from;
        place_own(into, arena);
    }
    return ERR_OK;
}

FINISH(place_finish) {
    const PlaceState *state = pointer;
    if (!state->has || state->null) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    Physical physical = type_physical((TypeId)state->type);
    if (physical == PHYS_BIT) {
        result_bool(out, row, state->value[0] != 0);
        return ERR_OK;
    }
    size_t width = physical_bytes(physical);
    memcpy((uint8_t *)vector_data(out) + row * width, state->value, width);
    if (state->symbols != NULL) {
        out->symbols = state->symbols;
    }
    return ERR_OK;
}

#define PLACE_ROW(row_name, extra, loops, merge_call, example_text, answer_text)                                       \
    {.name = row_name, .args = {ARG_ANY}, .arg_count = 1, .result = ARG_SAME, .result_type = aggregate__same_type,     \
     .flags = AGG_ORDERED | AGG_TEXT_STATE | (extra), .state_bytes = sizeof(PlaceState), .update = loops##_all,        \
     .update_groups = loops##_groups, .merge = merge_call, .finish = place_finish, .example = example_text, .answer = answer_text}
#define OF(call) "SELECT " call "(x) FROM (VALUES (1), (2)) t(x)"

AggregateFamily aggregate__first_last_rows(void) {
    (void)first_any_update;
    (void)last_any_update;
    (void)first_some_update;
    (void)last_some_update;
    static const Aggregate rows[] = {
        PLACE_ROW("first", AGG_COUNT_NULLS, first_any, first_merge, OF("first"), "1"),
        PLACE_ROW("last", AGG_COUNT_NULLS, last_any, last_merge, OF("last"), "2"),
        PLACE_ROW("first_not_null", 0, first_some, first_merge, OF("first_not_null"), "1"),
        PLACE_ROW("last_not_null", 0, last_some, last_merge, OF("last_not_null"), "2"),
        PLACE_ROW("any_value", 0, first_some, first_merge, OF("any_value"), "1"),
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}
