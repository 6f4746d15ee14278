/* SPDX-License-Identifier: Apache-2.0
 * program_builder.h - a program while it is built: registers, masks, steps and the maps that find equal ones.
 *
 * Why:        two maps give common subexpressions: pointer + guard (the binder interns), and the step's own content (rewritten
 *             expressions are not interned). A value made under a mask may be used under any mask that lies inside it.
 * Life cycle: builder_begin, build, builder_end; everything but the maps lies in the plan's arena.
 * Errors:     ERR_TOO_COMPLEX past PROGRAM_REGISTERS_MAX or PROGRAM_MASKS_MAX. */
#pragma once
#include "base/hash.h"
#include "sql/plan/plan_internal.h"
#include "sql/plan/program_value.h"

typedef struct Builder {
    PlanContext *context;
    const RelColumn *inputs;
    uint32_t input_count;
    bool inside_symbol;             /* building a SYMBOL_MAP's sub-program */
    Register *registers;
    Step *steps;
    uint32_t *mask_parents;
    Subquery *subqueries;
    uint32_t register_count, register_capacity, step_count, step_capacity, mask_count, mask_capacity, subquery_count, subquery_capacity;
    IntMap memo;                    /* hash of (expr, guard) -> register */
    IntMap contents;                /* hash of a step -> step + 1 */
    IntMap columns;                 /* column id -> register */
    bool is_volatile, reads_outer;
} Builder;

void builder_begin(Builder *b);
void builder_end(Builder *b);

/* Room for one more item of an array in the plan's arena. */
void *builder_grown(Builder *b, void *items, uint32_t count, uint32_t *capacity, size_t bytes);
const RegisterNumber *builder_copy_numbers(Builder *b, const uint32_t *numbers, uint32_t count);
NODISCARD ErrorCode builder_add_register(Builder *b, Register reg, RegisterNumber *out, Error *err);
NODISCARD ErrorCode builder_add_constant(Builder *b, const Value *value, RegisterNumber *out, Error *err);
NODISCARD ErrorCode builder_add_bool(Builder *b, bool is_null, bool value, RegisterNumber *out, Error *err);
/* Appends the step with a fresh register, or finds an equal one. */
NODISCARD ErrorCode builder_add_step(Builder *b, Step step, Type type, const SymbolTable *symbols, bool shareable, RegisterNumber *out, Error *err);
/* A new mask inside guard. */
NODISCARD ErrorCode builder_add_mask_step(Builder *b, StepKind kind, uint32_t guard, RegisterNumber condition, uint32_t *mask_out, Error *err);

/* The register that holds expr under guard or a mask around it. */
bool builder_memo_find(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber *out);
void builder_memo_put(Builder *b, const Expr *expr, uint32_t guard, RegisterNumber reg);

static inline bool builder_is_constant(const Builder *b, RegisterNumber reg) { return b->registers[reg].kind == REGISTER_CONSTANT; }
bool builder_is_true(const Builder *b, RegisterNumber reg);  /* the constant true */
bool builder_is_false(const Builder *b, RegisterNumber reg); /* the constant false */
