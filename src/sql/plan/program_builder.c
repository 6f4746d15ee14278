/* SPDX-License-Identifier: Apache-2.0
 * program_builder.c - see program_builder.h. */
#include "sql/plan/program_builder.h"

static uint32_t add_mask(Builder *b, uint32_t parent);

void builder_begin(Builder *b) {
    intmap_init(&b->memo);
    intmap_init(&b->contents);
    intmap_init(&b->columns);
    (void)add_mask(b, MASK_LIVE);
}

void builder_end(Builder *b) {
    intmap_deinit(&b->memo);
    intmap_deinit(&b->contents);
    intmap_deinit(&b->columns);
}

/* ---- growing arrays in the plan's arena ---- */
void *builder_grown(Builder *b, void *items, uint32_t count, uint32_t *capacity, size_t bytes) {
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity == 0 ? 4 : *capacity * 2;
    void *wider = arena_calloc_bytes(b->context->arena, *capacity * bytes);
    if (count > 0) {
        memcpy(wider, items, count * bytes);
    }
    return wider;
}

ErrorCode builder_add_register(Builder *b, Register reg, RegisterNumber *out, Error *err) {
    if (b->register_count >= PROGRAM_REGISTERS_MAX) {
        return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "expression needs more than %d registers", PROGRAM_REGISTERS_MAX);
    }
    b->registers = builder_grown(b, b->registers, b->register_count, &b->register_capacity, sizeof(Register));
    b->registers[b->register_count] = reg;
    *out = b->register_count++;
    return ERR_OK;
}

ErrorCode builder_add_constant(Builder *b, const Value *value, RegisterNumber *out, Error *err) {
    return builder_add_register(b, (Register){.kind = REGISTER_CONSTANT, .type = value->type, .value = *value}, out, err);
}

static uint32_t add_mask(Builder *b, uint32_t parent) {
    b->mask_parents = builder_grown(b, b->mask_parents, b->mask_count, &b->mask_capacity, sizeof(uint32_t));
    b->mask_parents[b->mask_count] = parent;
    return b->mask_count++;
}

const RegisterNumber *builder_copy_numbers(Builder *b, const uint32_t *numbers, uint32_t count) {
    uint32_t *copy = arena_array(b->context->arena, uint32_t, count + 1);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

/* ---- common subexpressions ---- */
static uint64_t memo_key(const Expr *expr, uint32_t guard) {
    return ((uint64_t)((uintptr_t)expr >> 3) << 19) | guard; /* pointers have 48 bits, masks at most 19 */
}

bool builder_memo_find(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out) {
    uint64_t found = 0;
    for (uint32_t g = guard;; g = b->mask_parents[g]) {
        if (intmap_get(&b->memo, memo_key(expr, g), &found)) {
            *out = (RegisterNumber)found;
            return true;
        }
        if (g == MASK_LIVE) {
            return false;
        }
    }
}

void builder_memo_put(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber reg) {
    intmap_put(&b->memo, memo_key(expr, guard), reg);
}

static uint64_t step_hash(const Step *step) {
    uint64_t h = hash_u64(step->kind * 131u + step->guard);
    h = hash_u64(h ^ (uintptr_t)step->function);
    h = hash_u64(h ^ (uintptr_t)step->prepared);
    h = hash_u64(h ^ (uintptr_t)step->as.time_in.ranges);
    for (uint32_t i = 0; i < step->arg_count; i++) {
        h = hash_u64(h ^ (step->args[i] + 1));
    }
    return h | 1;
}

static bool step_same(const Step *a, const Step *b) {
    return a->kind == b->kind && a->guard == b->guard && a->function == b->function && a->prepared == b->prepared &&
           a->arg_count == b->arg_count && memcmp(&a->as, &b->as, sizeof a->as) == 0 &&
           memcmp(a->args, b->args, a->arg_count * sizeof *a->args) == 0;
}

static ErrorCode push_step(Builder *b, const Step *step) {
    b->steps = builder_grown(b, b->steps, b->step_count, &b->step_capacity, sizeof(Step));
    b->steps[b->step_count++] = *step;
    return ERR_OK;
}

ErrorCode builder_add_step(Builder *b, Step step, Type type, const SymbolTable *symbols, bool shareable, RegisterNumber *out, Error *err) {
    uint64_t found = 0;
    uint64_t hash = step_hash(&step);
    shareable = shareable && step.masks == NULL;
    if (shareable && intmap_get(&b->contents, hash, &found) && step_same(&b->steps[found - 1], &step)) {
        *out = b->steps[found - 1].out;
        return ERR_OK;
    }
    TRY(builder_add_register(b, (Register){.kind = REGISTER_TEMP, .type = type, .symbols = symbols}, &step.out, err));
    TRY(push_step(b, &step));
    if (shareable) {
        intmap_put(&b->contents, hash, b->step_count);
    }
    *out = step.out;
    return ERR_OK;
}

ErrorCode builder_add_mask_step(Builder *b, StepKind kind, uint32_t guard, RegisterNumber condition, uint32_t *mask_out, Error *err) {
    if (b->mask_count >= PROGRAM_MASKS_MAX) {
        return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "expression needs more than %d masks", PROGRAM_MASKS_MAX);
    }
    Step step = {.kind = (uint8_t)kind, .guard = guard, .arg_count = 1, .args = builder_copy_numbers(b, &condition, 1), .position = -1};
    step.out = add_mask(b, guard);
    *mask_out = step.out;
    return push_step(b, &step);
}

/* ---- constants among registers ---- */
bool builder_is_true(const Builder *b, RegisterNumber reg) {
    return builder_is_constant(b, reg) && !b->registers[reg].value.is_null && b->registers[reg].value.as.boolean;
}

bool builder_is_false(const Builder *b, RegisterNumber reg) {
    return builder_is_constant(b, reg) && !b->registers[reg].value.is_null && !b->registers[reg].value.as.boolean;
}

ErrorCode builder_add_bool(Builder *b, bool is_null, bool value, RegisterNumber *out, Error *err) {
    Value constant = value_null(type_of(TYPE_BOOL));
    constant.is_null = is_null;
    constant.as.boolean = value;
    return builder_add_constant(b, &constant, out, err);
}
