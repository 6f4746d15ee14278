/* SPDX-License-Identifier: Apache-2.0
 * program_value.c - single values as CONSTANT vectors and back; folding of calls with constant arguments. */
#include "sql/plan/plan_internal.h"
#include "sql/plan/program_value.h"

Value value_null(Type type) {
    Value value;
    memset(&value, 0, sizeof value);
    value.type = type;
    value.is_null = true;
    return value;
}

Vector program_value_vector(const Value *value, uint64_t *word, uint16_t row_count) {
    if (value->is_null) {
        return vector_null(value->type, row_count);
    }
    Vector vector = {.type = value->type, .form = VECTOR_CONSTANT, .row_count = row_count, .data = value->as.bytes, .facts = FACT_NO_NULLS};
    if (type_physical((TypeId)value->type.id) == PHYS_BIT) {
        *word = value->as.boolean ? 1 : 0;
        vector.data = word;
    }
    return vector;
}

Value program_vector_value(const Vector *vector, size_t row) {
    Value value = value_null(vector->type);
    if (vector_is_null(vector, row)) {
        return value;
    }
    value.is_null = false;
    Physical physical = type_physical((TypeId)vector->type.id);
    if (physical == PHYS_BIT) {
        value.as.boolean = vector_bool(vector, row);
    } else {
        memcpy(value.as.bytes, vector_value(vector, row), physical_bytes(physical));
    }
    return value;
}

/* True if the strict function sees a NULL: its answer is NULL without a call. */
static bool strict_null(const Function *function, const Register *const *args, uint32_t arg_count) {
    for (uint32_t i = 0; i < arg_count && (function->flags & FN_NOT_STRICT) == 0; i++) {
        if (args[i]->value.is_null) {
            return true;
        }
    }
    return false;
}

bool program_fold_call(PlanContext *context, const Function *function, const void *prepared, const Register *const *args, uint32_t arg_count,
                       Type type, Value *value_out) {
    assert((function->flags & (FN_VOLATILE | FN_STABLE)) == 0);
    if (strict_null(function, args, arg_count)) {
        *value_out = value_null(type);
        return true;
    }
    Arena *arena = context->arena;
    Vector *vectors = arena_array(arena, Vector, arg_count + 1);
    const Vector **pointers = arena_array(arena, const Vector *, arg_count + 1);
    uint64_t *words = arena_array(arena, uint64_t, arg_count + 1);
    for (uint32_t i = 0; i < arg_count; i++) {
        vectors[i] = program_value_vector(&args[i]->value, &words[i], 1);
        vectors[i].symbols = args[i]->symbols;
        pointers[i] = &vectors[i];
    }
    uint64_t rows[BATCH_WORDS] = {1};
    KernelCall call = {.args = pointers, .arg_count = (uint16_t)arg_count, .row_count = 1, .rows = rows, .arena = arena,
                       .prepared = prepared, .environment = context->options->environment};
    Vector out = vector_new(arena, type);
    out.row_count = 1;
    if (function->kernel(&call, &out, NULL) != ERR_OK) {
        return false;
    }
    *value_out = program_vector_value(&out, 0);
    return true;
}
