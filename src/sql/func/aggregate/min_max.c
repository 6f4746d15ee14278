/* SPDX-License-Identifier: Apache-2.0
 * min_max.c - min and max. Plain widths have their own loops; everything else is 16 bytes compared by the type's rules.
 *
 * Why:        NaN is the largest float (PostgreSQL's order), so min skips it unless there is nothing else. */
#include "sql/func/aggregate/aggregate_internal.h"

#define PLAIN(name, T, BETTER)                                                                                         \
    typedef struct name##State { T value; bool has; uint8_t unused[15 - sizeof(T)]; } name##State;                     \
    _Static_assert(sizeof(name##State) == 16, "states are multiples of 16 bytes");                                     \
    static inline void name##_take(name##State *state, T value) {                                                      \
        if (!state->has || BETTER(value, state->value)) {                                                              \
            state->value = value;                                                                                      \
            state->has = true;                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_step(name##State *state, const AggregateCall *call, size_t row) {                        \
        name##_take(state, ((const T *)call->args[0]->data)[value_index(call->args[0], row)]);                         \
    }                                                                                                                  \
    STEP_LOOPS(name, name##State, take_word, name##_step)                                                              \
    static T name##_block(const T *values) {                                                                           \
        T best = values[0];                                                                                            \
        for (size_t i = 1; i < 64; i++) {                                                                              \
            best = BETTER(values[i], best) ? values[i] : best;                                                         \
        }                                                                                                              \
        return best;                                                                                                   \
    }                                                                                                                  \
    static ErrorCode name##_all(const AggregateCall *call, void *pointer, Error *err) {                                \
        const Vector *arg = call->args[0];                                                                             \
        if (arg->form == VECTOR_CONSTANT) {                                                                            \
            return name##_update(call, pointer, err);                                                                  \
        }                                                                                                              \
        for (size_t w = 0; w < words_for(call->row_count); w++) {                                                      \
            uint64_t word = take_word(call, w);                                                                        \
            const T *values = (const T *)arg->data + w * 64;                                                           \
            if (word == ~UINT64_C(0)) {                                                                                \
                name##_take(pointer, name##_block(values));                                                            \
                continue;                                                                                              \
            }                                                                                                          \
            for (; word != 0; word &= word - 1) {                                                                      \
                name##_take(pointer, values[__builtin_ctzll(word)]);                                                   \
            }                                                                                                          \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    MERGE(name##_merge) {                                                                                              \
        const name##State *from = from_pointer;                                                                        \
        if (from->has) {                                                                                               \
            name##_take(into_pointer, from->value);                                                                    \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }                                                                                                                  \
    FINISH(name##_finish) {                                                                                            \
        const name##State *state = pointer;                                                                            \
        if (state->has) {                                                                                              \
            ((T *)vector_data(out))[row] = state->value;                                                               \
        } else {                                                                                                       \
            result_null(out, row, arena);                                                                              \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }

#define LESS(a, b) ((a) < (b))
#define MORE(a, b) ((a) > (b))
#define FLOAT_LESS(a, b) ((a) < (b) || ((b) != (b) && (a) == (a)))
#define FLOAT_MORE(a, b) ((a) > (b) || ((a) != (a) && (b) == (b)))
PLAIN(min1, int8_t, LESS)
PLAIN(max1, int8_t, MORE)
PLAIN(min2, int16_t, LESS)
PLAIN(max2, int16_t, MORE)
PLAIN(min4, int32_t, LESS)
PLAIN(max4, int32_t, MORE)
PLAIN(min8, int64_t, LESS)
PLAIN(max8, int64_t, MORE)
PLAIN(min_float4, float, FLOAT_LESS)
PLAIN(max_float4, float, FLOAT_MORE)
PLAIN(min_float8, double, FLOAT_LESS)
PLAIN(max_float8, double, FLOAT_MORE)
#undef PLAIN

/* ---- statistics ---- */
#define STATS(name, T, side)                                                                                           \
    static bool name##_stats(void *pointer, const BlockStats *stats, UNUSED Type argument) {                           \
        if (stats->null_count == stats->row_count) {                                                                   \
            return true;                                                                                               \
        }                                                                                                              \
        if (!stats->has_min_max || stats->has_nan) {                                                                   \
            return false;                                                                                              \
        }                                                                                                              \
        name##_take(pointer, (T)stats->side);                                                                          \
        return true;                                                                                                   \
    }
STATS(min1, int8_t, min.i64)
STATS(max1, int8_t, max.i64)
STATS(min2, int16_t, min.i64)
STATS(max2, int16_t, max.i64)
STATS(min4, int32_t, min.i64)
STATS(max4, int32_t, max.i64)
STATS(min8, int64_t, min.i64)
STATS(max8, int64_t, max.i64)
STATS(min_float4, float, min.f64)
STATS(max_float4, float, max.f64)
STATS(min_float8, double, min.f64)
STATS(max_float8, double, max.f64)
#undef STATS

/* ---- any other type: value and its rules ---- */
typedef struct WideState {
    uint8_t value[16];
    const ValueRules *rules;    /* NULL: nothing yet */
    uint8_t type, unused[7];
} WideState;
_Static_assert(sizeof(WideState) == 32, "states are multiples of 16 bytes");

static void wide_store(WideState *state, const void *value, uint8_t type, Arena *arena) {
    memcpy(state->value, value, physical_bytes(type_physical((TypeId)type)));
    if (type_physical((TypeId)type) == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, value, sizeof ref);
        if (ref.len > STRREF_INLINE) {
            Str copy = arena_str(arena, strref_str(&ref));
            ref = strref_make(copy.data, copy.len);
            memcpy(state->value, &ref, sizeof ref);
        }
    } else if (type == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, value, sizeof slot);
        slot = numeric_to_slot(numeric_from_slot(&slot), arena);
        memcpy(state->value, &slot, sizeof slot);
    }
}

static void wide_take(WideState *state, const void *value, uint8_t type, int sign, Arena *arena) {
    const ValueRules *rules = state->rules == NULL ? value_rules((TypeId)type) : state->rules;
    if (state->rules == NULL || rules->compare(value, state->value) * sign < 0) {
        wide_store(state, value, type, arena);
        state->rules = rules;
        state->type = type;
    }
}

static size_t wide_bytes(const AggregateCall *call) {
    return physical_bytes(type_physical((TypeId)call->args[0]->type.id));
}

static inline void wide_min_step(WideState *state, const AggregateCall *call, size_t row) {
    wide_take(state, value_bytes(call->args[0], row, wide_bytes(call)), call->args[0]->type.id, 1, call->arena);
}
static inline void wide_max_step(WideState *state, const AggregateCall *call, size_t row) {
    wide_take(state, value_bytes(call->args[0], row, wide_bytes(call)), call->args[0]->type.id, -1, call->arena);
}
STEP_LOOPS(wide_min, WideState, take_word, wide_min_step)
STEP_LOOPS(wide_max, WideState, take_word, wide_max_step)

MERGE(wide_min_merge) {
    const WideState *from = from_pointer;
    if (from->rules != NULL) {
        wide_take(into_pointer, from->value, from->type, 1, arena);
    }
    return ERR_OK;
}

MERGE(wide_max_merge) {
    const WideState *from = from_pointer;
    if (from->rules != NULL) {
        wide_take(into_pointer, from->value, from->type, -1, arena);
    }
    return ERR_OK;
}

FINISH(wide_finish) {
    const WideState *state = pointer;
    if (state->rules == NULL) {
        result_null(out, row, arena);
    } else {
        size_t width = physical_bytes(type_physical((TypeId)state->type));
        memcpy((uint8_t *)vector_data(out) + row * width, state->value, width);
    }
    return ERR_OK;
}

/* ---- symbols: order of their texts ---- */
typedef struct SymbolState { const SymbolTable *symbols; int32_t code; uint32_t unused; } SymbolState;

static void symbol_take(SymbolState *state, const SymbolTable *symbols, int32_t code, int sign) {
    if (state->symbols == NULL ||
        (code != state->code && str_compare(symbols->text(symbols, code), state->symbols->text(state->symbols, state->code)) * sign < 0)) {
        state->symbols = symbols;
        state->code = code;
    }
}

static inline void symbol_min_step(SymbolState *state, const AggregateCall *call, size_t row) {
    symbol_take(state, call->symbols, ((const int32_t *)call->args[0]->data)[value_index(call->args[0], row)], 1);
}
static inline void symbol_max_step(SymbolState *state, const AggregateCall *call, size_t row) {
    symbol_take(state, call->symbols, ((const int32_t *)call->args[0]->data)[value_index(call->args[0], row)], -1);
}
STEP_LOOPS(symbol_min, SymbolState, take_word, symbol_min_step)
STEP_LOOPS(symbol_max, SymbolState, take_word, symbol_max_step)

MERGE(symbol_min_merge) {
    const SymbolState *from = from_pointer;
    if (from->symbols != NULL) {
        symbol_take(into_pointer, from->symbols, from->code, 1);
    }
    return ERR_OK;
}

MERGE(symbol_max_merge) {
    const SymbolState *from = from_pointer;
    if (from->symbols != NULL) {
        symbol_take(into_pointer, from->symbols, from->code, -1);
    }
    return ERR_OK;
}

FINISH(symbol_finish) {
    const SymbolState *state = pointer;
    if (state->symbols == NULL) {
        result_null(out, row, arena);
    } else {
        ((int32_t *)vector_data(out))[row] = state->code;
        out->symbols = state->symbols;
    }
    return ERR_OK;
}

#define PLAIN_ROW(row_name, type, loops, example_text, answer_text)                                                    \
    {.name = row_name, .args = {type}, .arg_count = 1, .result = type, .result_type = aggregate__same_type, .state_bytes = 16, \
     .update = loops##_all, .update_groups = loops##_groups, .merge = loops##_merge, .finish = loops##_finish,         \
     .from_stats = loops##_stats, .example = example_text, .answer = answer_text}
#define WIDE_ROW(row_name, type, loops, example_text, answer_text)                                                     \
    {.name = row_name, .args = {type}, .arg_count = 1, .result = type, .result_type = aggregate__same_type, .flags = AGG_TEXT_STATE, \
     .state_bytes = sizeof(WideState), .update = loops##_update, .update_groups = loops##_groups,                      \
     .merge = loops##_merge, .finish = wide_finish, .example = example_text, .answer = answer_text}
#define OF(call, type) "SELECT " call "(x::" type ") FROM (VALUES ('1'), ('2')) t(x)"
#define DAYS(call, type) "SELECT " call "(x::" type ") FROM (VALUES ('2024-01-01'), ('2024-01-02')) t(x)"
#define SPANS(call) "SELECT " call "(x::interval) FROM (VALUES ('1 day'), ('2 days')) t(x)"
#define UUIDS(call) "SELECT " call "(x::uuid) FROM (VALUES ('00000000-0000-0000-0000-000000000001'), ('00000000-0000-0000-0000-000000000002')) t(x)"
#define ROWS_OF(label, low, shown, day, span, wide)                                                                        \
    PLAIN_ROW(label, TYPE_BYTE, low##1, OF(label, "byte"), shown), PLAIN_ROW(label, TYPE_INT2, low##2, OF(label, "int2"), shown), \
        PLAIN_ROW(label, TYPE_INT4, low##4, OF(label, "int4"), shown), PLAIN_ROW(label, TYPE_INT8, low##8, OF(label, "int8"), shown), \
        PLAIN_ROW(label, TYPE_FLOAT4, low##_float4, OF(label, "float4"), shown),                                        \
        PLAIN_ROW(label, TYPE_FLOAT8, low##_float8, OF(label, "float8"), shown),                                        \
        PLAIN_ROW(label, TYPE_DECIMAL8, low##8, OF(label, "numeric(10,0)"), shown),                                     \
        WIDE_ROW(label, TYPE_DECIMAL16, wide, OF(label, "numeric(30,0)"), shown), WIDE_ROW(label, TYPE_NUMERIC, wide, OF(label, "numeric"), shown), \
        {.name = label, .args = {TYPE_SYMBOL}, .arg_count = 1, .result = TYPE_SYMBOL, .result_type = aggregate__same_type,  \
         .state_bytes = sizeof(SymbolState), .update = symbol_##low##_update, .update_groups = symbol_##low##_groups,  \
         .merge = symbol_##low##_merge, .finish = symbol_finish, .example = OF(label, "text"), .answer = shown},       \
        WIDE_ROW(label, TYPE_TEXT, wide, OF(label, "text"), shown), WIDE_ROW(label, TYPE_VARCHAR, wide, OF(label, "varchar"), shown), \
        WIDE_ROW(label, TYPE_BPCHAR, wide, OF(label, "char(1)"), shown), PLAIN_ROW(label, TYPE_CHAR, low##4, OF(label, "text"), shown), \
        WIDE_ROW(label, TYPE_BYTEA, wide, OF(label, "text"), shown), PLAIN_ROW(label, TYPE_DATE, low##4, DAYS(label, "date"), day), \
        PLAIN_ROW(label, TYPE_TIMESTAMP_MS, low##8, DAYS(label, "timestamp_ms"), day " 00:00:00"),                       \
        PLAIN_ROW(label, TYPE_TIMESTAMP, low##8, DAYS(label, "timestamp"), day " 00:00:00"),                             \
        PLAIN_ROW(label, TYPE_TIMESTAMP_NS, low##8, DAYS(label, "timestamp_ns"), day " 00:00:00"),                       \
        PLAIN_ROW(label, TYPE_TIMESTAMPTZ, low##8, DAYS(label, "timestamptz"), day " 00:00:00+00"),                      \
        WIDE_ROW(label, TYPE_TIME, wide, NULL, NULL), WIDE_ROW(label, TYPE_TIMETZ, wide, NULL, NULL), WIDE_ROW(label, TYPE_OID, wide, NULL, NULL), \
        WIDE_ROW(label, TYPE_TID, wide, NULL, NULL), WIDE_ROW(label, TYPE_XID8, wide, NULL, NULL), WIDE_ROW(label, ARG_ARRAY, wide, NULL, NULL), \
        WIDE_ROW(label, TYPE_RECORD, wide, NULL, NULL), WIDE_ROW(label, ARG_ENUM, wide, NULL, NULL),                   \
        WIDE_ROW(label, TYPE_INTERVAL, wide, SPANS(label), span), WIDE_ROW(label, TYPE_UUID, wide, UUIDS(label), \
                 "00000000-0000-0000-0000-00000000000" shown)

AggregateFamily aggregate__min_max_rows(void) {
    static const Aggregate rows[] = {
        ROWS_OF("min", min, "1", "2024-01-01", "1 day", wide_min),
        ROWS_OF("max", max, "2", "2024-01-02", "2 days", wide_max),
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}
