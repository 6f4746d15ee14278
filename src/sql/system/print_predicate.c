/* SPDX-License-Identifier: Apache-2.0
 * print_predicate.c - operators that are words. PostgreSQL keeps few of them: LIKE is ~~, BETWEEN two comparisons, IN an = ANY of an array. */
#include "sql/system/print_internal.h"

static void print_chain(Printer *p, const AstExpr *expr) {
    print__open(p);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (i > 0) {
            print_c(p, " ");
            buffer_append_upper(p->out, expr->as.text);
            print_c(p, " ");
        }
        print__operand(p, expr->args[i], expr);
    }
    print__close(p);
}

/* x IS NULL, x IS NOT TRUE … */
static void print_test(Printer *p, const AstExpr *expr) {
    print__open(p);
    print__operand(p, expr->args[0], expr);
    print_c(p, " ");
    buffer_append_upper(p->out, expr->as.text);
    if (expr->arg_count == 2) {
        print_c(p, " ");
        print__as(p, expr->args[1], print__type(p, expr->args[0]), expr);
    }
    print__close(p);
}

static void print_between(Printer *p, const AstExpr *expr) {
    bool negated = str_starts_with(expr->as.text, STR("not"));
    AstExpr compare = {.kind = AST_CALL, .flags = AST_OPERATOR, .as.text = STR("<"), .arg_count = 2};
    print__open(p);
    print__binary(p, &compare, negated ? STR("<") : STR(">="), expr->args[0], expr->args[1]);
    print_c(p, negated ? " OR " : " AND ");
    print__binary(p, &compare, negated ? STR(">") : STR("<="), expr->args[0], expr->args[2]);
    print__close(p);
}

static void print_in_query(Printer *p, const AstExpr *expr, bool negated) {
    print_c(p, "(");
    if (negated) {
        print_c(p, "NOT (");
    }
    print__operand(p, expr->args[0], expr);
    print_c(p, " IN ");
    print__subquery(p, expr->args[1]->as.select);
    print_c(p, negated ? ")" : "");
    print_c(p, ")");
}

/* The array has the common type; where the operator takes another one (text for varchar), the array is cast. */
static void print_in_list(Printer *p, const AstExpr *expr, bool negated) {
    PrintCall call;
    Str name = negated ? STR("<>") : STR("=");
    uint32_t common = print__common_type(p, expr->args, expr->arg_count);
    uint32_t want = print__operator(name, common, common, &call) ? call.arguments[0] : common;
    const BuiltinType *array = builtin_type_by_oid(want);
    bool cast = want != common && array != NULL;
    print__open(p);
    print__as(p, expr->args[0], want, expr);
    buffer_printf(p->out, " %.*s %s (", STR_ARG(name), negated ? "ALL" : "ANY");
    bool parens = cast && !p->pretty;
    print_c(p, parens ? "(ARRAY[" : "ARRAY[");
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        print_c(p, i > 1 ? ", " : "");
        print__as(p, expr->args[i], common, NULL);
    }
    print_c(p, parens ? "])::" : cast ? "]::" : "]");
    if (cast) {
        print__type_name(p, array->array_oid);
    }
    print_c(p, ")");
    print__close(p);
}

static void print_in(Printer *p, const AstExpr *expr) {
    bool negated = str_starts_with(expr->as.text, STR("not"));
    if ((expr->flags & AST_BARE) != 0) {
        p->gave_up = true;
    } else if (expr->arg_count == 2 && expr->args[1]->kind == AST_SUBQUERY && (expr->args[1]->flags & AST_PARENS) == 0) {
        print_in_query(p, expr, negated);
    } else if (expr->arg_count == 2) {
        print__binary(p, expr, negated ? STR("<>") : STR("="), expr->args[0], expr->args[1]);
    } else {
        print_in_list(p, expr, negated);
    }
}

static void print_quantified(Printer *p, const AstExpr *expr) {
    print__open(p);
    print__operand(p, expr->args[0], expr);
    buffer_printf(p->out, " %.*s %s ", STR_ARG(expr->as.text), (expr->flags & AST_ANY) != 0 ? "ANY" : "ALL");
    if (expr->args[1]->kind == AST_SUBQUERY && (expr->args[1]->flags & AST_PARENS) == 0) {
        print__subquery(p, expr->args[1]->as.select);
    } else {
        uint32_t element = print__type(p, expr->args[0]);
        const BuiltinType *type = builtin_type_by_oid(element);
        print_c(p, "(");
        print__as(p, expr->args[1], expr->args[1]->kind == AST_STRING && type != NULL ? type->array_oid : 0, NULL);
        print_c(p, ")");
    }
    print__close(p);
}

static void print_zone(Printer *p, const AstExpr *expr) {
    print_c(p, "(");
    print__operand(p, expr->args[0], expr);
    print_c(p, " AT TIME ZONE ");
    print__as(p, expr->args[1], expr->args[1]->kind == AST_STRING ? PG_TEXT : 0, expr);
    print_c(p, ")");
}

static void print_collate(Printer *p, const AstExpr *expr) {
    p->gave_up = p->gave_up || expr->args[1]->kind != AST_NAME;
    print__open(p);
    print__operand(p, expr->args[0], expr);
    print_c(p, " COLLATE ");
    if (!p->gave_up) {
        buffer_printf(p->out, "\"%.*s\"", STR_ARG(expr->args[1]->as.names.parts[expr->args[1]->as.names.count - 1].text));
    }
    print__close(p);
}

bool print__predicate(Printer *p, const AstExpr *expr) {
    Str word = expr->as.text;
    Str like = print__like_operator(word);
    if ((expr->flags & (AST_ANY | AST_ALL)) != 0) {
        print_quantified(p, expr);
    } else if (like.len > 0 && expr->arg_count == 2) {
        print__binary(p, expr, like, expr->args[0], expr->args[1]);
    } else if (word.data[0] < 'a' || word.data[0] > 'z') {
        return false;
    } else if (str_equal(word, STR("and")) || str_equal(word, STR("or"))) {
        print_chain(p, expr);
    } else if (str_equal(word, STR("not"))) {
        print__open(p);
        print_c(p, "NOT ");
        print__operand(p, expr->args[0], expr);
        print__close(p);
    } else if (str_starts_with(word, STR("is "))) {
        print_test(p, expr);
    } else if (str_equal(word, STR("between")) || str_equal(word, STR("not between"))) {
        print_between(p, expr);
    } else if (str_equal(word, STR("in")) || str_equal(word, STR("not in"))) {
        print_in(p, expr);
    } else if (str_equal(word, STR("at time zone"))) {
        print_zone(p, expr);
    } else if (str_equal(word, STR("collate"))) {
        print_collate(p, expr);
    } else {
        p->gave_up = true;
    }
    return true;
}
