/* SPDX-License-Identifier: Apache-2.0
 * evaluate.h - a small evaluator of expressions over the function and cast tables, for tests: no parser, no binder, no executor.
 *
 * Understands literals, (x), x::type, unary and binary operators (one a level; parenthesise more), name(args). Overloads are chosen by
 * most exact arguments, then preferred types. Each call runs with constant, flat and mixed arguments, which must agree. */
#pragma once
#include "sql/func/func.h"

typedef struct Evaluation {
    Type type;
    Vector vector; /* CONSTANT, one row */
} Evaluation;

ErrorCode evaluate(const char *text, const FunctionEnvironment *environment, Arena *arena, Evaluation *out, Error *err);
/* The value as PostgreSQL (or QuestDB, by the environment) prints it; "NULL" for NULL. In arena, NUL-ended. */
const char *evaluation_text(const Evaluation *value, const FunctionEnvironment *environment, Arena *arena);
