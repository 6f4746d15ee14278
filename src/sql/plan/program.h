/* SPDX-License-Identifier: Apache-2.0
 * program.h - expressions as a flat register program: what program_build makes and sql/exec runs.
 *
 * Layout:     registers hold one vector each (input columns, constants, parameters, results of subqueries, temporaries); a step
 *             computes one register from others. Masks are a second file of bitmaps: mask 0 = the batch's live rows.
 * Guards:     a step has the mask of the rows for which its value is needed. Parts that may raise or are dear get the mask of their
 *             branch; cheap total steps run under mask 0 and are shared. A step whose mask is empty is not run.
 * Why:        value numbering at build time gives common subexpressions; constants are folded while building, and a folding that
 *             fails leaves the call in place, so that it raises only if a row reaches it.
 * Threads:    immutable; each worker has its own frame. */
#pragma once
#include "sql/bind/bound.h"
#include "sql/plan/plan.h"

enum { PROGRAM_REGISTERS_MAX = 1 << 20, PROGRAM_MASKS_MAX = 1 << 19, MASK_LIVE = 0 };
typedef uint32_t RegisterNumber;

typedef enum RegisterKind { REGISTER_INPUT, REGISTER_CONSTANT, REGISTER_PARAM, REGISTER_SUBQUERY, REGISTER_OUTER, REGISTER_TEMP } RegisterKind;
typedef struct Register {
    uint8_t kind;
    uint32_t number;            /* INPUT: column position; PARAM: parameter; SUBQUERY: place in Program.subqueries; OUTER: place in Run.outer */
    Type type;
    Value value;                /* CONSTANT */
    const SymbolTable *symbols; /* SYMBOL typed */
} Register;

typedef enum StepKind {
    STEP_CALL,          /* function over args */
    STEP_AND, STEP_OR,  /* n-ary, three-valued */
    STEP_NOT, STEP_IS_NULL,
    STEP_RETYPE,        /* same physical value under another type */
    STEP_BLEND,         /* CASE, COALESCE: arm i's value where masks[i] is set, else NULL */
    STEP_IN_LIST,       /* args[0] in set (constants) or in args[1..] */
    STEP_TIME_IN,       /* args[0] in ranges */
    STEP_IN_REL,        /* args[0] in subquery `number` */
    STEP_SUBQUERY_CHECK, /* raises what subquery `number`, which ran before the rows, raised */
    STEP_APPLY,         /* subquery `number` run for each row of the guard: args are [left of IN,] values for its slots; remembered by value */
    STEP_SYMBOL_EQUAL,  /* args[0] a symbol column, args[1] a constant text: code compare */
    STEP_SYMBOL_MAP,    /* pure function of one symbol column: `sub` runs over the codes met */
    STEP_MASK_TRUE,     /* mask out = guard & args[0] is true */
    STEP_MASK_NOT_TRUE, STEP_MASK_NOT_FALSE,
    STEP_MASK_NULL, STEP_MASK_NOT_NULL
} StepKind;

typedef struct InSet { const Value *values; uint32_t count; bool has_null; } InSet;

typedef struct Program Program;
typedef struct Step {
    uint8_t kind;
    RegisterNumber out;             /* a mask's number for STEP_MASK_… */
    uint32_t guard;                 /* mask */
    uint32_t arg_count;
    const RegisterNumber *args;
    const uint32_t *masks;          /* BLEND: one per argument */
    const Function *function;       /* CALL */
    const void *prepared;           /* CALL */
    union {
        const InSet *set;           /* IN_LIST */
        struct { const KeyRange *ranges; uint32_t count; } time_in;
        uint32_t subquery;          /* IN_REL, APPLY */
        const Program *sub;         /* SYMBOL_MAP: one input, one output */
    } as;
    int64_t position;               /* in the statement, -1 = none */
} Step;

struct PlanOp;
typedef enum SubqueryKind { SUBQUERY_SCALAR, SUBQUERY_EXISTS, SUBQUERY_SET } SubqueryKind;
typedef struct Subquery {
    uint8_t kind;
    bool each_row;                  /* lazy: holds a volatile call, so answers are not remembered */
    bool lazy;                      /* run by STEP_APPLY, when a row needs it; else once before the rows */
    Type type;
    const struct PlanOp *op;
    uint32_t id;                    /* within the plan */
    const SymbolTable *symbols;
    const uint32_t *slots;          /* lazy: Run.outer places that the last slot_count args of the step go to */
    uint32_t slot_count;
} Subquery;

struct Program {
    const Register *registers;
    const Step *steps;
    const RegisterNumber *outputs;
    const Subquery *subqueries;
    uint32_t register_count, step_count, output_count, subquery_count, mask_count, input_count;
    bool reads_outer;               /* some register is REGISTER_OUTER */
    bool is_volatile;               /* some step is, or runs a subquery: runs on the session's thread, and row by row of its input */
};
