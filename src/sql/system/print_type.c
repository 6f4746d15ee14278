/* SPDX-License-Identifier: Apache-2.0
 * print_type.c - types of expressions by PostgreSQL's rules: exact operator, else the one that most arguments fit without a cast, constants last. */
#include "base/number.h"
#include "sql/system/print_internal.h"

typedef struct OperatorRow { const char *name; uint32_t left, right, result; } OperatorRow;
static const OperatorRow OPERATORS[] = {
#define O(oid, name, kind, left, right, result, commutator, negator, function, merges, hashes) {name, left, right, result},
#include "sql/system/builtin_operators.h"
#undef O
};
typedef struct CastRow { uint32_t source, target; char context; } CastRow;
static const CastRow CASTS[] = {
#define C(oid, source, target, function, context, method) {source, target, context},
#include "sql/system/builtin_casts.h"
#undef C
};

static bool is_polymorphic(uint32_t oid) { return oid == 2276 || oid == 2277 || oid == 2283 || oid == 2776 || oid == 3500 || (oid >= 5077 && oid <= 5080); }

static bool casts_implicitly(uint32_t from, uint32_t to) {
    for (size_t i = 0; i < COUNT_OF(CASTS); i++) {
        if (CASTS[i].source == from && CASTS[i].target == to) {
            return CASTS[i].context == 'i';
        }
    }
    return false;
}

enum { EXACT = 100 }; /* more than any number of casts */
/* 0: does not fit; EXACT; 2 the preferred type of its kind, or text for a constant in quotes; 1 by a cast. */
static int fit(uint32_t have, uint32_t want) {
    const BuiltinType *type = builtin_type_by_oid(want);
    bool preferred = type != NULL && type->preferred;
    if (have == want) {
        return EXACT;
    }
    if (have == PG_UNKNOWN) {
        return want == PG_TEXT ? 2 : 1;
    }
    if (is_polymorphic(want)) {
        return 1;
    }
    return casts_implicitly(have, want) ? (preferred ? 2 : 1) : 0;
}

static const OperatorRow *exact_operator(Str name, uint32_t left, uint32_t right) {
    for (size_t i = 0; i < COUNT_OF(OPERATORS); i++) {
        if (OPERATORS[i].left == left && OPERATORS[i].right == right && str_equal(str_from_c(OPERATORS[i].name), name)) {
            return &OPERATORS[i];
        }
    }
    return NULL;
}

static const OperatorRow *best_operator(Str name, uint32_t left, uint32_t right) {
    const OperatorRow *best = NULL;
    int best_score = 0;
    for (size_t i = 0; i < COUNT_OF(OPERATORS); i++) {
        const OperatorRow *row = &OPERATORS[i];
        if ((row->left == 0) != (left == 0) || !str_equal(str_from_c(row->name), name)) {
            continue;
        }
        int on_left = left == 0 ? EXACT : fit(left, row->left), on_right = fit(right, row->right);
        if (on_left > 0 && on_right > 0 && on_left + on_right > best_score) {
            best = row;
            best_score = on_left + on_right;
        }
    }
    return best;
}

static uint32_t concrete(uint32_t declared, uint32_t have, uint32_t other) {
    return !is_polymorphic(declared) ? declared : have != PG_UNKNOWN ? have : other;
}

bool print__operator(Str name, uint32_t left, uint32_t right, PrintCall *call_out) {
    *call_out = (PrintCall){.count = 2};
    if ((left == 0 && right == PG_UNKNOWN) || right == 0) {
        return false;
    }
    uint32_t known = left == PG_UNKNOWN ? right : left;
    bool constant = left == PG_UNKNOWN || right == PG_UNKNOWN;
    const OperatorRow *row = exact_operator(name, left, right);
    row = row == NULL && constant && left != 0 ? exact_operator(name, known == PG_UNKNOWN ? PG_TEXT : known, known == PG_UNKNOWN ? PG_TEXT : known) : row;
    row = row == NULL ? best_operator(name, left, right) : row;
    if (row == NULL) {
        return false;
    }
    call_out->arguments[0] = concrete(row->left, left, right);
    call_out->arguments[1] = concrete(row->right, right, left);
    call_out->result = is_polymorphic(row->result) ? known : row->result;
    return true;
}

/* ---- functions ---- */

static int score_of(const uint32_t *have, const uint32_t *want, uint32_t count) {
    int score = 1;
    for (uint32_t i = 0; i < count; i++) {
        int one = have[i] == 0 ? 1 : fit(have[i], want[i]);
        if (one == 0) {
            return 0;
        }
        score += one;
    }
    return score;
}

bool print__function(Printer *p, Str name, AstExpr *const *args, uint32_t count, PrintCall *call_out) {
    uint32_t have[COUNT_OF(call_out->arguments)], want[CALL_ARGS_MAX];
    int best = 0;
    if (count > COUNT_OF(have)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        have[i] = print__type(p, args[i]);
    }
    for (size_t i = 0; i < builtin_proc_count(); i++) {
        const BuiltinProc *proc = builtin_proc_at(i);
        if (!str_equal(str_from_c(proc->name), name) || builtin_proc_arguments(proc, want, COUNT_OF(want)) != count || proc->variadic != 0) {
            continue;
        }
        int score = score_of(have, want, count);
        if (score > best) {
            best = score;
            *call_out = (PrintCall){.count = count, .result = is_polymorphic(proc->result) ? (count > 0 && have[0] != PG_UNKNOWN ? have[0] : 0) : proc->result};
            for (uint32_t a = 0; a < count; a++) {
                call_out->arguments[a] = is_polymorphic(want[a]) ? 0 : want[a];
            }
        }
    }
    return best > 0;
}

/* ---- names of columns ---- */

const PrintItem *print__column(const Printer *p, const AstNames *names, uint16_t *column_out) {
    Str name = names->parts[names->count - 1].text;
    Str table = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    for (const PrintScope *scope = p->scope; scope != NULL; scope = scope->outer) {
        for (uint32_t i = 0; i < scope->count; i++) {
            const PrintItem *item = &scope->items[i];
            for (uint16_t c = 0; c < item->count && (table.len == 0 || str_equal(table, item->alias)); c++) {
                if (str_equal(item->names[c], name)) {
                    *column_out = c;
                    return item;
                }
            }
        }
    }
    return NULL;
}

/* ---- expressions ---- */

uint32_t print__type_named(Printer *p, const AstType *type) {
    Buffer text;
    uint32_t oid = 0;
    Error ignored = {0};
    AstType plain = *type;
    plain.modifiers = NULL;
    plain.modifier_count = 0;
    buffer_init(&text, PRINT_BYTES_MAX);
    sql_deparse_type(&plain, DIALECT_POSTGRES, &text);
    Error *err = &ignored;
    bool found = names_find(p->view, TYPE_REGTYPE, buffer_str(&text), &oid, err) == ERR_OK;
    buffer_deinit(&text);
    return found ? oid : 0;
}

static uint32_t number_type(const AstExpr *expr) {
    int64_t value = 0;
    bool overflow = false;
    if ((expr->flags & AST_SUFFIXED) != 0) {
        return 0;
    }
    if (expr->kind == AST_NUMBER || !parse_int64(expr->as.text, &value, &overflow)) {
        return PG_NUMERIC;
    }
    return value >= INT32_MIN && value <= INT32_MAX ? PG_INT4 : PG_INT8;
}

uint32_t print__common_type(Printer *p, AstExpr *const *args, uint32_t count) {
    uint32_t common = 0;
    bool constants = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t type = args[i]->kind == AST_NULL ? PG_UNKNOWN : print__type(p, args[i]);
        if (type == PG_UNKNOWN) {
            constants = true;
        } else if (type == 0) {
            return 0;
        } else if (common == 0 || (common != type && casts_implicitly(common, type) && !casts_implicitly(type, common))) {
            common = type;
        }
    }
    return common == 0 && constants ? PG_TEXT : common;
}

bool print__takes_common_type(Str name) {
    return str_equal(name, STR("coalesce")) || str_equal(name, STR("nullif")) || str_equal(name, STR("greatest")) || str_equal(name, STR("least"));
}

Str print__like_operator(Str word) {
    static const struct { Str word, sign; } LIKES[] = {
        {{"like", 4}, {"~~", 2}}, {{"not like", 8}, {"!~~", 3}}, {{"ilike", 5}, {"~~*", 3}}, {{"not ilike", 9}, {"!~~*", 4}},
    };
    for (size_t i = 0; i < COUNT_OF(LIKES); i++) {
        if (str_equal(word, LIKES[i].word)) {
            return LIKES[i].sign;
        }
    }
    return (Str){0};
}

static uint32_t operator_type(Printer *p, const AstExpr *expr) {
    PrintCall call;
    char first = expr->as.text.data[0];
    if (str_equal(expr->as.text, STR("collate"))) {
        return print__type(p, expr->args[0]);
    }
    if (str_equal(expr->as.text, STR("at time zone"))) {
        uint32_t inner = print__type(p, expr->args[0]);
        return inner == 1184 ? 1114 : inner == 1114 ? 1184 : 0;
    }
    if ((first >= 'a' && first <= 'z') || (expr->flags & (AST_ANY | AST_ALL)) != 0) {
        return PG_BOOL;
    }
    uint32_t left = expr->arg_count == 2 ? print__type(p, expr->args[0]) : 0, right = print__type(p, expr->args[expr->arg_count - 1]);
    bool known = (expr->arg_count == 1 || left != 0) && print__operator(expr->as.text, left, right, &call);
    return known ? call.result : 0;
}

static uint32_t call_type(Printer *p, Str name, const AstExpr *expr) {
    PrintCall call;
    if ((expr->flags & AST_OPERATOR) != 0 && expr->kind == AST_CALL) {
        return operator_type(p, expr);
    }
    if (print__takes_common_type(name)) {
        return print__common_type(p, expr->args, expr->arg_count);
    }
    if (str_equal(name, STR("exists"))) {
        return PG_BOOL;
    }
    if (str_equal(name, STR("extract"))) {
        return PG_NUMERIC;
    }
    if (str_equal(name, STR("count"))) {
        return PG_INT8;
    }
    return print__function(p, name, expr->args, expr->arg_count, &call) ? call.result : 0;
}

static uint32_t case_type(Printer *p, const AstExpr *expr) {
    AstExpr *values[64];
    uint32_t count = 0, at = (expr->flags & AST_HAS_OPERAND) != 0 ? 1 : 0;
    for (; at < expr->arg_count && count < COUNT_OF(values); at += 2) {
        values[count++] = expr->args[MIN_OF(at + 1, expr->arg_count - 1)];
    }
    return print__common_type(p, values, count);
}

static uint32_t array_type(Printer *p, const AstExpr *expr) {
    uint32_t element = print__common_type(p, expr->args, expr->arg_count);
    const BuiltinType *type = builtin_type_by_oid(element);
    return type != NULL ? type->array_oid : 0;
}

static uint32_t subscript_type(Printer *p, const AstExpr *expr) {
    const BuiltinType *array = builtin_type_by_oid(print__type(p, expr->args[0]));
    return array != NULL && expr->args[1]->kind != AST_SLICE ? array->element : 0;
}

uint32_t print__type(Printer *p, const AstExpr *expr) {
    uint16_t column = 0;
    if (p->depth > PRINT_DEPTH_MAX) {
        return 0;
    }
    p->depth++;
    uint32_t type = 0;
    switch ((AstExprKind)expr->kind) {
    case AST_NULL:
    case AST_STRING: type = PG_UNKNOWN; break;
    case AST_BOOLEAN: type = PG_BOOL; break;
    case AST_INTEGER:
    case AST_NUMBER: type = number_type(expr); break;
    case AST_NAME: {
        const PrintItem *item = print__column(p, &expr->as.names, &column);
        type = item != NULL ? item->types[column] : 0;
        break;
    }
    case AST_CALL: type = call_type(p, expr->as.text, expr); break;
    case AST_CALL_SPECIAL: type = call_type(p, expr->as.call->name.parts[expr->as.call->name.count - 1].text, expr); break;
    case AST_CASE: type = case_type(p, expr); break;
    case AST_CAST: type = print__type_named(p, expr->as.type); break;
    case AST_SUBQUERY: type = print__select_type(p, expr->as.select, 0); break;
    case AST_ARRAY: type = array_type(p, expr); break;
    case AST_SUBSCRIPT: type = subscript_type(p, expr); break;
    default: break;
    }
    p->depth--;
    return type;
}
