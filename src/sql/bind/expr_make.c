/* SPDX-License-Identifier: Apache-2.0
 * expr_make.c - constructors of bound expressions: equal expressions are one pointer, flags and depth come from the arguments.
 *
 * Why:        GROUP BY matching, common subexpressions and plan equality are pointer compares.
 * Invariants: volatile calls are never merged; depth <= EXPR_DEPTH_MAX. */
#include "sql/bind/bind_internal.h"

struct InternSlot {
    const Expr *expr;
    InternSlot *next;
};

/* ---------------------------------------------------------------- interning */

static uint64_t hash_value(const Value *value, uint64_t seed) {
    uint64_t h = hash_u64(seed ^ (uint64_t)value->is_null);
    if (value->is_null) {
        return h;
    }
    if (type_physical((TypeId)value->type.id) == PHYS_STR) {
        Str text = strref_str(&value->as.str);
        return hash_bytes(text.data, text.len, h);
    }
    return hash_bytes(&value->as, sizeof value->as, h);
}

static bool value_same(const Value *a, const Value *b) {
    if (a->is_null != b->is_null || !type_equal(a->type, b->type)) {
        return false;
    }
    if (a->is_null) {
        return true;
    }
    if (type_physical((TypeId)a->type.id) == PHYS_STR) {
        return str_equal(strref_str(&a->as.str), strref_str(&b->as.str));
    }
    return memcmp(&a->as, &b->as, sizeof a->as) == 0;
}

static uint64_t hash_payload(const Expr *expr, uint64_t h) {
    switch (expr->kind) {
    case EXPR_OUTER:
    case EXPR_COLUMN: return hash_u64(h ^ expr->as.column);
    case EXPR_CONSTANT: return hash_value(&expr->as.value, h);
    case EXPR_PARAM: return hash_u64(h ^ expr->as.param);
    case EXPR_CALL: return hash_u64(h ^ (uintptr_t)expr->as.call.function);
    case EXPR_TIME_IN: return hash_u64(h ^ (uintptr_t)expr->as.time_in.ranges);
    case EXPR_IN_REL:
    case EXPR_SCALAR_REL:
    case EXPR_EXISTS_REL: return hash_u64(h ^ (uintptr_t)expr->as.rel);
    default: return h;
    }
}

static uint64_t hash_expr(const Expr *expr) {
    uint64_t type = 0;
    memcpy(&type, &expr->type, sizeof type);
    uint64_t h = hash_payload(expr, hash_u64(type ^ expr->kind));
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        h = hash_u64(h ^ expr->args[i]->id);
    }
    return h;
}

static bool payload_same(const Expr *a, const Expr *b) {
    switch (a->kind) {
    case EXPR_OUTER:
    case EXPR_COLUMN: return a->as.column == b->as.column;
    case EXPR_CONSTANT: return value_same(&a->as.value, &b->as.value);
    case EXPR_PARAM: return a->as.param == b->as.param;
    case EXPR_CALL: /* prepared states of casts depend on the types alone */
        return a->as.call.function == b->as.call.function && a->as.call.symbols == b->as.call.symbols &&
               ((a->as.call.function->flags & FN_BOUND) == 0 || a->as.call.cast_prepared == b->as.call.cast_prepared);
    case EXPR_TIME_IN: return a->as.time_in.ranges == b->as.time_in.ranges;
    case EXPR_IN_REL:
    case EXPR_SCALAR_REL:
    case EXPR_EXISTS_REL: return a->as.rel == b->as.rel;
    default: return true;
    }
}

static bool expr_same(const Expr *a, const Expr *b) {
    if (a->kind != b->kind || a->arg_count != b->arg_count || !type_equal(a->type, b->type) || !payload_same(a, b)) {
        return false;
    }
    return a->arg_count == 0 || memcmp(a->args, b->args, a->arg_count * sizeof(const Expr *)) == 0;
}

static const Expr *intern(Binder *b, const Expr *prototype) {
    bool literal = b->uses != NULL && prototype->kind == EXPR_CONSTANT && prototype->type.id == TYPE_UNKNOWN; /* each has its own place */
    bool merge = (prototype->flags & EXPR_VOLATILE) == 0 && !b->merge_off && !literal;
    uint64_t hash = merge ? hash_expr(prototype) : 0;
    uint64_t found = 0;
    InternSlot *slot = NULL;
    if (merge && intmap_get(&b->interned, hash, &found)) {
        slot = (InternSlot *)(uintptr_t)found;
        for (InternSlot *s = slot; s != NULL; s = s->next) {
            if (expr_same(s->expr, prototype)) {
                return s->expr;
            }
        }
    }
    Expr *expr = arena_new(b->arena, Expr);
    *expr = *prototype;
    expr->id = ++b->expr_count;
    if (merge) {
        InternSlot *made = arena_new(b->arena, InternSlot);
        *made = (InternSlot){expr, slot};
        (void)intmap_put(&b->interned, hash, (uintptr_t)made);
    }
    return expr;
}

static ErrorCode finish(Binder *b, Expr *prototype, const Expr **args, uint32_t count, const Expr **expr_out) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        depth = MAX_OF(depth, args[i]->depth);
        prototype->flags |= args[i]->flags;
    }
    if (depth + 1 > EXPR_DEPTH_MAX) {
        return error_set(b->err, ERR_TOO_COMPLEX, prototype->position, "expression is nested deeper than %d levels", EXPR_DEPTH_MAX);
    }
    prototype->depth = (uint16_t)(depth + 1);
    prototype->args = args;
    prototype->arg_count = count;
    *expr_out = intern(b, prototype);
    return ERR_OK;
}

/* ---------------------------------------------------------------- leaves */

const Expr *expr_column(Binder *b, ColumnId id, Type type, int64_t position) {
    Expr prototype = {.kind = EXPR_COLUMN, .depth = 1, .type = type, .position = position, .as.column = id};
    return intern(b, &prototype);
}

const Expr *expr_outer(Binder *b, ColumnId id, Type type, int64_t position) {
    Expr prototype = {.kind = EXPR_OUTER, .flags = EXPR_HAS_OUTER, .depth = 1, .type = type, .position = position, .as.column = id};
    return intern(b, &prototype);
}

const Expr *expr_constant(Binder *b, const Value *value, int64_t position) {
    Expr prototype = {.kind = EXPR_CONSTANT, .depth = 1, .type = value->type, .position = position, .as.value = *value};
    return intern(b, &prototype);
}

const Expr *expr_null(Binder *b, Type type, int64_t position) {
    Value value = {.type = type, .is_null = true};
    return expr_constant(b, &value, position);
}

const Expr *expr_bool(Binder *b, bool value, int64_t position) {
    Value constant = {.type = type_of(TYPE_BOOL)};
    constant.as.boolean = value;
    return expr_constant(b, &constant, position);
}

const Expr *expr_text(Binder *b, Str text, TypeId type, int64_t position) {
    Value constant = {.type = type_of(type)};
    constant.as.str = strref_make(text.len == 0 ? "" : text.data, text.len);
    return expr_constant(b, &constant, position);
}

const Expr *expr_param(Binder *b, uint32_t number, Type type, int64_t position) {
    Expr prototype = {.kind = EXPR_PARAM, .depth = 1, .type = type, .position = position, .as.param = number};
    return intern(b, &prototype);
}

/* ---------------------------------------------------------------- nodes */

ErrorCode expr_nary(Binder *b, ExprKind kind, Type type, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    Expr prototype = {.kind = (uint8_t)kind, .type = type, .position = position};
    return finish(b, &prototype, args, count, expr_out);
}

static uint8_t call_flags(const Function *function) {
    uint8_t flags = 0;
    flags |= (function->flags & FN_FAILS) != 0 ? EXPR_FAILS : 0;
    flags |= (function->flags & FN_VOLATILE) != 0 ? EXPR_VOLATILE : 0;
    flags |= (function->flags & FN_EXPENSIVE) != 0 ? EXPR_EXPENSIVE : 0;
    flags |= (function->flags & FN_STABLE) != 0 ? EXPR_STABLE : 0;
    return flags;
}

ErrorCode expr_call(Binder *b, const Function *function, const void *cast_prepared, Type type, const Expr **args, uint32_t count,
                    int64_t position, const Expr **expr_out) {
    Expr prototype = {.kind = EXPR_CALL, .flags = call_flags(function), .type = type, .position = position};
    b->volatile_calls += (function->flags & FN_VOLATILE) != 0 ? 1 : 0;
    prototype.as.call.function = function;
    prototype.as.call.cast_prepared = cast_prepared;
    return finish(b, &prototype, args, count, expr_out);
}

static const Expr **one(Binder *b, const Expr *arg) {
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = arg;
    return args;
}

ErrorCode expr_not(Binder *b, const Expr *arg, int64_t position, const Expr **expr_out) {
    return expr_nary(b, EXPR_NOT, type_of(TYPE_BOOL), one(b, arg), 1, position, expr_out);
}

ErrorCode expr_is_null(Binder *b, const Expr *arg, int64_t position, const Expr **expr_out) {
    return expr_nary(b, EXPR_IS_NULL, type_of(TYPE_BOOL), one(b, arg), 1, position, expr_out);
}

ErrorCode expr_rel(Binder *b, ExprKind kind, Type type, const Expr *left, Rel *rel, const Capture *capture, int64_t position, const Expr **expr_out) {
    uint32_t outer = capture != NULL ? capture->count : 0;
    uint32_t first = left != NULL ? 1 : 0;
    const Expr **args = arena_array(b->arena, const Expr *, first + outer + 1);
    args[0] = left;
    if (outer > 0) {
        const Expr **values = NULL;
        TRY(capture_values(b, capture, &values));
        memcpy(args + first, values, outer * sizeof *args);
    }
    Expr prototype = {.kind = (uint8_t)kind, .flags = EXPR_HAS_SUBQUERY | EXPR_FAILS, .type = type, .position = position};
    prototype.flags |= outer > 0 && capture->has_volatile ? EXPR_VOLATILE : 0; /* without outer columns it runs once */
    prototype.as.subquery.rel = rel;
    prototype.as.subquery.outer_ids = outer > 0 ? capture->ids : NULL;
    prototype.as.subquery.outer_count = outer;
    return finish(b, &prototype, args, first + outer, expr_out);
}

ErrorCode expr_rel_again(Binder *b, const Expr *expr, const Expr **args, const Expr **expr_out) {
    Expr prototype = {.kind = expr->kind, .flags = (uint8_t)(EXPR_HAS_SUBQUERY | EXPR_FAILS | (expr->flags & EXPR_VOLATILE)), .type = expr->type, .position = expr->position, .as = expr->as};
    return finish(b, &prototype, args, expr->arg_count, expr_out);
}

ErrorCode expr_time_in(Binder *b, const Expr *time, const KeyRange *ranges, uint32_t count, int64_t position, const Expr **expr_out) {
    Expr prototype = {.kind = EXPR_TIME_IN, .type = type_of(TYPE_BOOL), .position = position};
    prototype.as.time_in.ranges = ranges;
    prototype.as.time_in.range_count = count;
    return finish(b, &prototype, one(b, time), 1, expr_out);
}

/* ---------------------------------------------------------------- questions */

const SymbolTable *expr_symbols(const Binder *b, const Expr *expr) {
    if (expr->type.id != TYPE_SYMBOL) {
        return NULL;
    }
    if (expr->kind == EXPR_COLUMN) {
        return expr->as.column < b->column_capacity ? b->column_symbols[expr->as.column] : NULL;
    }
    return expr->kind == EXPR_CALL ? expr->as.call.symbols : NULL;
}

bool expr_has_column(const Expr *expr) {
    if (expr->kind == EXPR_COLUMN) {
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (expr_has_column(expr->args[i])) {
            return true;
        }
    }
    return false;
}
