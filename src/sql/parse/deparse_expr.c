/* SPDX-License-Identifier: Apache-2.0
 * deparse_expr.c - expressions and types back to text, with the parentheses that the operator table asks for.
 *
 * Invariants: parsing the text again gives the same tree; numbers keep their digits, strings are quoted anew.
 * Tests:      test/unit/sql/parse/test_deparse.c */
#include "sql/parse/deparse_internal.h"

static void put_quoted(Buffer *out, Str text, char quote) {
    buffer_append_char(out, quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == quote) {
            buffer_append_char(out, quote);
        }
        buffer_append_char(out, text.data[i]);
    }
    buffer_append_char(out, quote);
}

void deparse__string(Deparser *d, Str text) {
    put_quoted(d->out, text, '\'');
}

void deparse__name(Deparser *d, const AstName *name) {
    if (name->from_string) {
        deparse__string(d, name->text);
    } else if (name->quoted) {
        put_quoted(d->out, name->text, '"');
    } else if (lexer_name_is_plain(name->text, d->dialect) || keyword_find(name->text) != NO_KEYWORD) {
        put_str(d, name->text); /* what was written without quotes may be a keyword in a place that allows it */
    } else if (d->dialect == DIALECT_QUESTDB || memchr(name->text.data, '$', name->text.len) != NULL) {
        put_str(d, name->text);
    } else {
        put_quoted(d->out, name->text, '"');
    }
}

void deparse__names(Deparser *d, const AstNames *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        put(d, i > 0 ? "." : "");
        deparse__name(d, &names->parts[i]);
    }
}

void deparse__name_list(Deparser *d, const AstName *names, uint32_t count) {
    put(d, "(");
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__name(d, &names[i]);
    }
    put(d, ")");
}

void deparse__exprs(Deparser *d, AstExpr *const *exprs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__expr(d, exprs[i]);
    }
}

/* ---------------------------------------------------------------- how tightly a tree binds */

static Power word_operator_power(Str name) {
    if (str_equal(name, STR("or"))) {
        return POWER_OR;
    }
    if (str_equal(name, STR("and"))) {
        return POWER_AND;
    }
    if (str_equal(name, STR("not"))) {
        return POWER_NOT;
    }
    if (str_starts_with(name, STR("is "))) {
        return POWER_IS;
    }
    if (str_equal(name, STR("at time zone"))) {
        return POWER_AT;
    }
    if (str_equal(name, STR("collate"))) {
        return POWER_COLLATE;
    }
    return str_equal(name, STR("overlaps")) ? POWER_OTHER : POWER_PREDICATE;
}

static bool is_word_operator(const AstExpr *expr) {
    return expr->as.text.data[0] >= 'a' && expr->as.text.data[0] <= 'z';
}

static Power expr_power(const AstExpr *expr) {
    bool number = expr->kind == AST_INTEGER || expr->kind == AST_NUMBER;
    if (number && expr->as.text.len > 0 && expr->as.text.data[0] == '-') {
        return POWER_UNARY;
    }
    if (expr->kind != AST_CALL || (expr->flags & AST_OPERATOR) == 0) {
        return POWER_PRIMARY;
    }
    if (is_word_operator(expr)) {
        return word_operator_power(expr->as.text);
    }
    if (expr->arg_count == 1) {
        bool sign = str_equal(expr->as.text, STR("-")) || str_equal(expr->as.text, STR("+"));
        return sign ? POWER_UNARY : POWER_OTHER;
    }
    return operator_power(expr->as.text);
}

/* The tree where only what binds at least as tightly as `least` may stand without parentheses. */
static void put_operand(Deparser *d, const AstExpr *expr, Power least) {
    bool parens = expr_power(expr) < least;
    put(d, parens ? "(" : "");
    deparse__expr(d, expr);
    put(d, parens ? ")" : "");
}

/* ---------------------------------------------------------------- operators */

static void put_chain(Deparser *d, const AstExpr *expr, Power power) {
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (i > 0) {
            put(d, " ");
            buffer_append_upper(d->out, expr->as.text);
            put(d, " ");
        }
        put_operand(d, expr->args[i], (Power)(power + 1));
    }
}

static void put_list_predicate(Deparser *d, const AstExpr *expr) {
    put_operand(d, expr->args[0], POWER_PREDICATE);
    put(d, " ");
    buffer_append_upper(d->out, expr->as.text);
    if ((expr->flags & AST_BARE) != 0) {
        put(d, " ");
        put_operand(d, expr->args[1], (Power)(POWER_PREDICATE + 1));
        return;
    }
    put(d, " (");
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        put_comma(d, i - 1);
        const AstExpr *item = expr->args[i];
        if (item->kind == AST_SUBQUERY && (item->flags & AST_PARENS) == 0) {
            deparse__select(d, item->as.select);
        } else {
            deparse__expr(d, item);
        }
    }
    put(d, ")");
}

static void put_between(Deparser *d, const AstExpr *expr) {
    put_operand(d, expr->args[0], POWER_PREDICATE);
    put(d, " ");
    buffer_append_upper(d->out, expr->as.text);
    put(d, " ");
    put_operand(d, expr->args[1], (Power)(POWER_PREDICATE + 1));
    put(d, " AND ");
    put_operand(d, expr->args[2], (Power)(POWER_PREDICATE + 1));
}

static bool put_quantified(Deparser *d, const AstExpr *expr) {
    if ((expr->flags & (AST_ANY | AST_ALL)) == 0) {
        return false;
    }
    put(d, (expr->flags & AST_ANY) != 0 ? " ANY (" : " ALL (");
    if (expr->args[1]->kind == AST_SUBQUERY && (expr->args[1]->flags & AST_PARENS) == 0) {
        deparse__select(d, expr->args[1]->as.select);
    } else {
        deparse__expr(d, expr->args[1]);
    }
    put(d, ")");
    return true;
}

static void put_word_operator(Deparser *d, const AstExpr *expr) {
    Power power = word_operator_power(expr->as.text);
    if (power == POWER_OR || power == POWER_AND) {
        put_chain(d, expr, power);
        return;
    }
    if (power == POWER_NOT) {
        put(d, "NOT ");
        put_operand(d, expr->args[0], POWER_NOT);
        return;
    }
    if (str_ends_with(expr->as.text, STR("in"))) {
        put_list_predicate(d, expr);
        return;
    }
    if (str_find(expr->as.text, STR("between"), 0) >= 0) {
        put_between(d, expr);
        return;
    }
    put_operand(d, expr->args[0], power);
    put(d, " ");
    buffer_append_upper(d->out, expr->as.text);
    if (expr->arg_count == 1 || put_quantified(d, expr)) {
        return;
    }
    put(d, " ");
    put_operand(d, expr->args[1], (Power)(power + 1));
    if (expr->arg_count == 3) {
        put(d, " ESCAPE ");
        put_operand(d, expr->args[2], (Power)(power + 1));
    }
}

static void put_operator(Deparser *d, const AstExpr *expr) {
    if (is_word_operator(expr)) {
        put_word_operator(d, expr);
        return;
    }
    Power power = expr_power(expr);
    if (expr->arg_count == 1) {
        put_str(d, expr->as.text);
        put(d, " ");
        /* - 5 would be read as the number -5 */
        bool number = expr->args[0]->kind == AST_INTEGER || expr->args[0]->kind == AST_NUMBER;
        bool parens = (power == POWER_UNARY && number) || expr_power(expr->args[0]) < (power == POWER_UNARY ? POWER_UNARY : POWER_ADD);
        put(d, parens ? "(" : "");
        deparse__expr(d, expr->args[0]);
        put(d, parens ? ")" : "");
        return;
    }
    put_operand(d, expr->args[0], power);
    put(d, " ");
    put_str(d, expr->as.text);
    if (put_quantified(d, expr)) {
        return;
    }
    put(d, " ");
    put_operand(d, expr->args[1], (Power)(power + 1));
}

/* ---------------------------------------------------------------- calls */

static void put_query_call(Deparser *d, const AstExpr *expr) {
    buffer_append_upper(d->out, expr->as.text);
    put(d, "(");
    deparse__select(d, expr->args[0]->as.select);
    put(d, ")");
}

static bool put_word_call(Deparser *d, const AstExpr *expr) {
    bool extract = str_equal(expr->as.text, STR("extract")) && expr->arg_count == 2 && expr->args[0]->kind == AST_STRING;
    bool position = str_equal(expr->as.text, STR("position")) && expr->arg_count == 2;
    if (!extract && !position) {
        return false;
    }
    put_str(d, expr->as.text);
    put(d, "(");
    put_operand(d, expr->args[0], position ? POWER_OTHER : POWER_OR);
    put(d, position ? " IN " : " FROM ");
    put_operand(d, expr->args[1], position ? POWER_OTHER : POWER_OR);
    put(d, ")");
    return true;
}

static void put_call(Deparser *d, const AstExpr *expr) {
    if ((expr->flags & AST_OPERATOR) != 0) {
        put_operator(d, expr);
        return;
    }
    bool query = expr->arg_count == 1 && expr->args[0]->kind == AST_SUBQUERY && (expr->args[0]->flags & AST_PARENS) == 0;
    if (query && (str_equal(expr->as.text, STR("exists")) || str_equal(expr->as.text, STR("array")))) {
        put_query_call(d, expr);
        return;
    }
    if (put_word_call(d, expr)) {
        return;
    }
    AstName name = {.text = expr->as.text};
    deparse__name(d, &name);
    if ((expr->flags & AST_BARE) != 0) {
        return;
    }
    put(d, (expr->flags & AST_STAR_ARGUMENT) != 0 ? "(*" : "(");
    deparse__exprs(d, expr->args, expr->arg_count);
    put(d, ")");
}

static void put_arguments(Deparser *d, const AstExpr *expr) {
    const AstCall *call = expr->as.call;
    put(d, call->distinct ? "(DISTINCT " : "(");
    put(d, call->star ? "*" : "");
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        put_comma(d, i);
        put(d, (expr->flags & AST_VARIADIC) != 0 && i + 1 == expr->arg_count ? "VARIADIC " : "");
        if (call->argument_names != NULL && call->argument_names[i].text.len > 0) {
            deparse__name(d, &call->argument_names[i]);
            put(d, " => ");
        }
        deparse__expr(d, expr->args[i]);
    }
    if (call->order_count > 0 && !call->within_group) {
        put(d, " ");
        deparse__sort_keys(d, call->order_by, call->order_count);
    }
    put(d, ")");
}

static void put_special_call(Deparser *d, const AstExpr *expr) {
    const AstCall *call = expr->as.call;
    deparse__names(d, &call->name);
    put_arguments(d, expr);
    if (call->within_group) {
        put(d, " WITHIN GROUP (");
        deparse__sort_keys(d, call->order_by, call->order_count);
        put(d, ")");
    }
    if (call->filter != NULL) {
        put(d, " FILTER (WHERE ");
        deparse__expr(d, call->filter);
        put(d, ")");
    }
    put(d, call->ignore_nulls ? " IGNORE NULLS" : call->respect_nulls ? " RESPECT NULLS" : "");
    if (call->over != NULL) {
        put(d, " OVER ");
        if (call->over->name != NULL) {
            deparse__name(d, call->over->name);
        } else {
            deparse__window(d, call->over);
        }
    }
}

/* ---------------------------------------------------------------- windows and sort keys */

void deparse__sort_keys(Deparser *d, const AstSortKey *keys, uint32_t count) {
    put(d, "ORDER BY ");
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__expr(d, keys[i].expr);
        if (keys[i].using_operator.len > 0) {
            put(d, " USING ");
            put_str(d, keys[i].using_operator);
        }
        put(d, keys[i].descending ? " DESC" : "");
        put(d, keys[i].nulls_given ? (keys[i].nulls_first ? " NULLS FIRST" : " NULLS LAST") : "");
    }
}

void deparse__bound(Deparser *d, const AstFrameBound *bound) {
    static const char *const texts[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW", " FOLLOWING", "UNBOUNDED FOLLOWING"};
    if (bound->offset != NULL) {
        put_operand(d, bound->offset, POWER_COMPARE);
        if (bound->unit.len > 0) {
            put(d, " ");
            put_str(d, bound->unit);
        }
    }
    put(d, texts[bound->kind]);
}

void deparse__window(Deparser *d, const AstWindow *window) {
    static const char *const frames[] = {"", "ROWS BETWEEN ", "RANGE BETWEEN ", "GROUPS BETWEEN ", "CUMULATIVE"};
    static const char *const exclusions[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS"};
    const char *blank = "";
    put(d, "(");
    if (window->base != NULL) {
        deparse__name(d, window->base);
        blank = " ";
    }
    if (window->partition_count > 0) {
        put(d, blank);
        put(d, "PARTITION BY ");
        deparse__exprs(d, window->partition_by, window->partition_count);
        blank = " ";
    }
    if (window->order_count > 0) {
        put(d, blank);
        deparse__sort_keys(d, window->order_by, window->order_count);
        blank = " ";
    }
    put(d, window->frame != AST_FRAME_NONE ? blank : "");
    put(d, frames[window->frame]);
    if (window->frame != AST_FRAME_NONE && window->frame != AST_FRAME_CUMULATIVE) {
        deparse__bound(d, &window->start);
        put(d, " AND ");
        deparse__bound(d, &window->end);
    }
    put(d, exclusions[window->exclude]);
    put(d, ")");
}

/* ---------------------------------------------------------------- types */

void deparse__type(Deparser *d, const AstType *type) {
    const AstName *last = &type->name.parts[type->name.count - 1];
    static const Str zones[] = {{" with time zone", 15}, {" without time zone", 18}};
    for (uint32_t i = 0; i + 1 < type->name.count; i++) {
        deparse__name(d, &type->name.parts[i]);
        put(d, ".");
    }
    Str word = last->text;
    Str zone = {0};
    for (size_t i = 0; i < COUNT_OF(zones); i++) { /* the modifier stands before the zone: timestamp(3) with time zone */
        if (!last->quoted && str_ends_with(word, zones[i])) {
            zone = zones[i];
            word = str_slice(word, 0, word.len - zones[i].len);
        }
    }
    if (last->quoted) {
        put_quoted(d->out, word, '"');
    } else {
        put_str(d, word);
    }
    if (type->interval_fields.len > 0) {
        put(d, " ");
        buffer_append_upper(d->out, type->interval_fields);
    }
    if (type->modifier_count > 0) {
        put(d, "(");
        deparse__exprs(d, type->modifiers, type->modifier_count);
        put(d, ")");
    }
    put_str(d, zone);
    for (int i = 0; i < type->array_dimensions; i++) {
        put(d, "[]");
    }
}

static void put_cast(Deparser *d, const AstExpr *expr) {
    if ((expr->flags & AST_TYPED_LITERAL) != 0) {
        AstType plain = *expr->as.type;
        plain.interval_fields = (Str){0};
        deparse__type(d, &plain);
        put(d, " ");
        deparse__string(d, expr->args[0]->as.text);
        if (expr->as.type->interval_fields.len > 0) {
            put(d, " ");
            buffer_append_upper(d->out, expr->as.type->interval_fields);
        }
        return;
    }
    put_operand(d, expr->args[0], POWER_PRIMARY);
    put(d, "::");
    deparse__type(d, expr->as.type);
}

/* ---------------------------------------------------------------- the rest */

static void put_case(Deparser *d, const AstExpr *expr) {
    uint32_t at = 0;
    uint32_t end = expr->arg_count - ((expr->flags & AST_HAS_ELSE) != 0 ? 1 : 0);
    put(d, "CASE");
    if ((expr->flags & AST_HAS_OPERAND) != 0) {
        put(d, " ");
        deparse__expr(d, expr->args[at++]);
    }
    for (; at < end; at += 2) {
        put(d, " WHEN ");
        deparse__expr(d, expr->args[at]);
        put(d, " THEN ");
        deparse__expr(d, expr->args[at + 1]);
    }
    if ((expr->flags & AST_HAS_ELSE) != 0) {
        put(d, " ELSE ");
        deparse__expr(d, expr->args[end]);
    }
    put(d, " END");
}

static void put_array(Deparser *d, const AstExpr *expr, bool outer) {
    put(d, outer ? "ARRAY[" : "[");
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        put_comma(d, i);
        if (expr->args[i]->kind == AST_ARRAY) {
            put_array(d, expr->args[i], false);
        } else {
            deparse__expr(d, expr->args[i]);
        }
    }
    put(d, "]");
}

static void put_slice(Deparser *d, const AstExpr *expr) {
    if (expr->args[0] != NULL) {
        deparse__expr(d, expr->args[0]);
    }
    put(d, ":");
    if (expr->args[1] != NULL) {
        deparse__expr(d, expr->args[1]);
    }
}

static void put_subscript(Deparser *d, const AstExpr *expr) {
    put_operand(d, expr->args[0], POWER_PRIMARY);
    put(d, "[");
    deparse__exprs(d, expr->args + 1, expr->arg_count - 1);
    put(d, "]");
}

static void put_field(Deparser *d, const AstExpr *expr) {
    AstName name = {.text = expr->as.text};
    put(d, "(");
    deparse__expr(d, expr->args[0]);
    put(d, ").");
    if (str_equal(expr->as.text, STR("*"))) {
        put(d, "*");
    } else {
        deparse__name(d, &name);
    }
}

static void put_param(Deparser *d, const AstExpr *expr) {
    if ((expr->flags & AST_NAMED) != 0) {
        put(d, ":");
        deparse__name(d, expr->as.name);
    } else {
        buffer_printf(d->out, "$%d", (int)expr->as.param);
    }
}

static void put_row(Deparser *d, const AstExpr *expr) {
    put(d, (expr->flags & AST_BARE) != 0 ? "(" : "ROW(");
    deparse__exprs(d, expr->args, expr->arg_count);
    put(d, ")");
}

static void put_star(Deparser *d, const AstExpr *expr) {
    deparse__names(d, &expr->as.names);
    put(d, expr->as.names.count > 0 ? ".*" : "*");
}

static void put_subquery(Deparser *d, const AstExpr *expr) {
    put(d, "(");
    deparse__select(d, expr->as.select);
    put(d, ")");
}

void deparse__expr(Deparser *d, const AstExpr *expr) {
    switch ((AstExprKind)expr->kind) {
    case AST_NULL: put(d, "NULL"); break;
    case AST_BOOLEAN: put(d, expr->as.boolean ? "true" : "false"); break;
    case AST_INTEGER:
    case AST_NUMBER:
    case AST_BIT_STRING:
    case AST_GEOHASH: put_str(d, expr->as.text); break;
    case AST_STRING: deparse__string(d, expr->as.text); break;
    case AST_PARAM: put_param(d, expr); break;
    case AST_VARIABLE:
        put(d, "@");
        put_str(d, expr->as.text);
        break;
    case AST_NAME: deparse__names(d, &expr->as.names); break;
    case AST_STAR: put_star(d, expr); break;
    case AST_DEFAULT: put(d, "DEFAULT"); break;
    case AST_CALL: put_call(d, expr); break;
    case AST_CALL_SPECIAL: put_special_call(d, expr); break;
    case AST_CASE: put_case(d, expr); break;
    case AST_CAST: put_cast(d, expr); break;
    case AST_SUBQUERY: put_subquery(d, expr); break;
    case AST_ARRAY: put_array(d, expr, true); break;
    case AST_ROW: put_row(d, expr); break;
    case AST_FIELD: put_field(d, expr); break;
    case AST_SUBSCRIPT: put_subscript(d, expr); break;
    case AST_SLICE: put_slice(d, expr); break;
    }
}

/* ---------------------------------------------------------------- entries */

void sql_deparse_expr(const AstExpr *expr, Dialect dialect, Buffer *out) {
    deparse__expr(&(Deparser){out, dialect}, expr);
}

void sql_deparse_type(const AstType *type, Dialect dialect, Buffer *out) {
    deparse__type(&(Deparser){out, dialect}, type);
}

void sql_deparse_name(Str name, Dialect dialect, Buffer *out) {
    Deparser d = {out, dialect};
    if (lexer_name_is_plain(name, dialect)) {
        put_str(&d, name);
    } else {
        put_quoted(out, name, '"');
    }
}

void sql_deparse_string(Str text, Buffer *out) { put_quoted(out, text, '\''); }
