/* SPDX-License-Identifier: Apache-2.0
 * ask.c - runs an answer for each row of a call, under the view's lock. */
#include "sql/system/ask.h"
#include "sql/system/define.h"

uint32_t ask_oid(const Ask *ask, uint16_t argument) {
    uint32_t value;
    memcpy(&value, vector_value(ask->call->args[argument], ask->row), sizeof value);
    return value;
}

int64_t ask_int(const Ask *ask, uint16_t argument) {
    const Vector *vector = ask->call->args[argument];
    const void *value = vector_value(vector, ask->row);
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (type_physical((TypeId)vector->type.id)) {
    case PHYS_16: memcpy(&i16, value, sizeof i16); return i16;
    case PHYS_32: memcpy(&i32, value, sizeof i32); return i32;
    default: memcpy(&i64, value, sizeof i64); return i64;
    }
}

bool ask_bool(const Ask *ask, uint16_t argument) { return vector_bool(ask->call->args[argument], ask->row); }
Str ask_text(const Ask *ask, uint16_t argument) { return vector_text(ask->call->args[argument], ask->row); }

bool ask_is_text(const Ask *ask, uint16_t argument) {
    const Vector *vector = ask->call->args[argument];
    return vector->type.id == TYPE_SYMBOL || type_physical((TypeId)vector->type.id) == PHYS_STR;
}

void answer_str(Ask *ask, Str text) {
    Str kept = text.len <= STRREF_INLINE ? text : arena_str(ask->call->arena, text);
    ((StrRef *)vector_data(ask->out))[ask->row] = strref_make(kept.data, kept.len);
    ask->answered = true;
}

void answer_buffer(Ask *ask) { answer_str(ask, buffer_str(&ask->text)); }

ErrorCode answer_array(Ask *ask, AnyArrayBuilder *builder, Error *err) {
    ErrorCode code = any_array_end(builder, 0, NULL, NULL, &ask->text, err);
    if (code == ERR_OK) {
        answer_buffer(ask);
    }
    any_array_abandon(builder);
    return code;
}

void answer_bool(Ask *ask, bool value) {
    uint64_t *words = vector_data(ask->out);
    if (value) {
        bit_set(words, ask->row);
    } else {
        bit_clear(words, ask->row);
    }
    ask->answered = true;
}

void answer_oid(Ask *ask, uint32_t value) {
    ((uint32_t *)vector_data(ask->out))[ask->row] = value;
    ask->answered = true;
}

void answer_int4(Ask *ask, int32_t value) {
    ((int32_t *)vector_data(ask->out))[ask->row] = value;
    ask->answered = true;
}

void answer_int8(Ask *ask, int64_t value) {
    ((int64_t *)vector_data(ask->out))[ask->row] = value;
    ask->answered = true;
}

static ErrorCode (*const ANSWERS[SYSTEM_FUNCTION_COUNT])(Ask *ask, Error *err) = {
#define X(name) [SYSTEM_##name] = system_answer_##name,
    SYSTEM_FUNCTIONS(X)
#undef X
};

static ErrorCode answer_rows(Ask *ask, SystemFunction function, Error *err) {
    for (size_t row = 0; row < ask->call->row_count; row++) {
        if (!bit_get(ask->call->rows, row)) {
            continue;
        }
        ask->row = row;
        ask->answered = false;
        buffer_clear(&ask->text);
        TRY(ANSWERS[function](ask, err));
        if (!ask->answered) {
            vector_set_null(ask->out, ask->call->arena, row);
        }
    }
    return ERR_OK;
}

ErrorCode system_call(const SystemCalls *calls, SystemFunction function, const KernelCall *call, Vector *out, Error *err) {
    SystemView *view = (SystemView *)((char *)(uintptr_t)calls - offsetof(SystemView, calls));
    Ask ask = {.view = view, .call = call, .out = out};
    buffer_init(&ask.text, DEFINITION_BYTES_MAX);
    system_view_lock(view);
    ErrorCode code = answer_rows(&ask, function, err);
    system_view_unlock(view);
    buffer_deinit(&ask.text);
    return code;
}
