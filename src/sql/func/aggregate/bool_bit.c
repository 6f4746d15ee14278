/* SPDX-License-Identifier: Apache-2.0
 * bool_bit.c - bool_and, bool_or, every, bit_and, bit_or, bit_xor. */
#include "sql/func/aggregate/aggregate_internal.h"

typedef struct BitState { int64_t value; bool has; uint8_t unused[7]; } BitState;

static inline void bit_take(BitState *state, int64_t value, char op) {
    if (!state->has) {
        state->value = value;
        state->has = true;
    } else {
        state->value = op == '&' ? state->value & value : op == '|' ? state->value | value : state->value ^ value;
    }
}

#define BIT_LOOPS(name, T, op)                                                                                         \
    static inline void name##_step(BitState *state, const AggregateCall *call, size_t row) {                           \
        bit_take(state, ((const T *)call->args[0]->data)[value_index(call->args[0], row)], op);                        \
    }                                                                                                                  \
    STEP_LOOPS(name, BitState, take_word, name##_step)
BIT_LOOPS(and2, int16_t, '&')
BIT_LOOPS(or2, int16_t, '|')
BIT_LOOPS(xor2, int16_t, '^')
BIT_LOOPS(and4, int32_t, '&')
BIT_LOOPS(or4, int32_t, '|')
BIT_LOOPS(xor4, int32_t, '^')
BIT_LOOPS(and8, int64_t, '&')
BIT_LOOPS(or8, int64_t, '|')
BIT_LOOPS(xor8, int64_t, '^')

static inline void bool_and_step(BitState *state, const AggregateCall *call, size_t row) {
    bit_take(state, bit_get(call->args[0]->data, value_index(call->args[0], row)), '&');
}
static inline void bool_or_step(BitState *state, const AggregateCall *call, size_t row) {
    bit_take(state, bit_get(call->args[0]->data, value_index(call->args[0], row)), '|');
}
STEP_LOOPS(bool_and, BitState, take_word, bool_and_step)
STEP_LOOPS(bool_or, BitState, take_word, bool_or_step)

#define BIT_MERGE(name, op)                                                                                            \
    MERGE(name) {                                                                                                      \
        const BitState *from = from_pointer;                                                                           \
        if (from->has) {                                                                                               \
            bit_take(into_pointer, from->value, op);                                                                   \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
BIT_MERGE(and_merge, '&')
BIT_MERGE(or_merge, '|')
BIT_MERGE(xor_merge, '^')

FINISH(bit_finish) {
    const BitState *state = pointer;
    if (!state->has) {
        result_null(out, row, arena);
        return ERR_OK;
    }
    switch ((TypeId)out->type.id) {
    case TYPE_BOOL:
        result_bool(out, row, state->value != 0);
        break;
    case TYPE_INT2:
        ((int16_t *)vector_data(out))[row] = (int16_t)state->value;
        break;
    case TYPE_INT4:
        ((int32_t *)vector_data(out))[row] = (int32_t)state->value;
        break;
    default:
        result_int8(out, row, state->value);
        break;
    }
    return ERR_OK;
}

#define BIT_ROW(row_name, type, loops, merge_call, example_text, answer_text)                                          \
    {.name = row_name, .args = {type}, .arg_count = 1, .result = type, .state_bytes = sizeof(BitState), .update = loops##_update, \
     .update_groups = loops##_groups, .merge = merge_call, .finish = bit_finish, .example = example_text, .answer = answer_text}
#define OF(call, type) "SELECT " call "(x::" type ") FROM (VALUES (1), (3)) t(x)"
#define BOOLS(call) "SELECT " call "(x) FROM (VALUES (true), (false)) t(x)"

AggregateFamily aggregate__bool_bit_rows(void) {
    static const Aggregate rows[] = {
        BIT_ROW("bool_and", TYPE_BOOL, bool_and, and_merge, BOOLS("bool_and"), "f"),
        BIT_ROW("every", TYPE_BOOL, bool_and, and_merge, BOOLS("every"), "f"),
        BIT_ROW("bool_or", TYPE_BOOL, bool_or, or_merge, BOOLS("bool_or"), "t"),
        BIT_ROW("bit_and", TYPE_INT2, and2, and_merge, OF("bit_and", "int2"), "1"),
        BIT_ROW("bit_and", TYPE_INT4, and4, and_merge, OF("bit_and", "int4"), "1"),
        BIT_ROW("bit_and", TYPE_INT8, and8, and_merge, OF("bit_and", "int8"), "1"),
        BIT_ROW("bit_or", TYPE_INT2, or2, or_merge, OF("bit_or", "int2"), "3"),
        BIT_ROW("bit_or", TYPE_INT4, or4, or_merge, OF("bit_or", "int4"), "3"),
        BIT_ROW("bit_or", TYPE_INT8, or8, or_merge, OF("bit_or", "int8"), "3"),
        BIT_ROW("bit_xor", TYPE_INT2, xor2, xor_merge, OF("bit_xor", "int2"), "2"),
        BIT_ROW("bit_xor", TYPE_INT4, xor4, xor_merge, OF("bit_xor", "int4"), "2"),
        BIT_ROW("bit_xor", TYPE_INT8, xor8, xor_merge, OF("bit_xor", "int8"), "2"),
    };
    return (AggregateFamily){rows, COUNT_OF(rows)};
}
