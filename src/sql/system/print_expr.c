/* SPDX-License-Identifier: Apache-2.0
 * print_expr.c - expressions as PostgreSQL prints them. Not pretty: every operator in parentheses; pretty: only where they are needed.
 *
 * A constant in quotes is shown with the type that its place gives it, and what an operator or function casts by itself with that cast. */
#include "base/number.h"
#include "sql/system/print_internal.h"

void print__open(Printer *p) { print_c(p, p->pretty ? "" : "("); }
void print__close(Printer *p) { print_c(p, p->pretty ? "" : ")"); }

void print__type_name(Printer *p, uint32_t oid) {
    if (oid == PG_BPCHAR) {
        print_c(p, "bpchar"); /* "character" alone would be one of length 1 */
    } else if (!names_append(p->view, TYPE_REGTYPE, oid, p->out)) {
        p->gave_up = true;
    }
}

/* ---- constants ---- */

/* A relation's name in quotes follows the reader's search path. */
static void print_regclass(Printer *p, Str text) {
    Str schema, name;
    AnyRelation relation;
    if (names_split(text, &p->arena, &schema, &name) && names_find_relation(p->view, schema.len > 0 ? schema : STR("public"), name, &relation)) {
        print_c(p, "'");
        names_append_relation(p->view, &relation, p->out);
        print_c(p, "'::regclass");
    } else {
        sql_deparse_string(text, p->out);
        print_c(p, "::regclass");
    }
}

/* Numbers that the parser would give the same type stand without quotes. */
static bool is_plain_number(Str text, uint32_t type) {
    bool digit = text.len > 0 && text.data[0] >= '0' && text.data[0] <= '9';
    int64_t value = 0;
    bool overflow = false;
    if (type == PG_INT4) {
        return digit && parse_int64(text, &value, &overflow);
    }
    return type == PG_NUMERIC && digit && (str_find(text, STR("."), 0) >= 0 || str_find(text, STR("e"), 0) >= 0);
}

static void print_constant(Printer *p, const AstExpr *expr, uint32_t type) {
    if (expr->kind == AST_STRING && is_plain_number(expr->as.text, type)) {
        print_str(p, expr->as.text);
        return;
    }
    if (expr->kind == AST_NULL) {
        print_c(p, "NULL");
    } else if (type == PG_REGCLASS) {
        print_regclass(p, expr->as.text);
        return;
    } else if (type == PG_BOOL) {
        bool yes = expr->as.text.len > 0 && (expr->as.text.data[0] | 0x20) != 'f' && (expr->as.text.data[0] | 0x20) != 'n' && expr->as.text.data[0] != '0';
        print_c(p, yes ? "true" : "false");
        return;
    } else {
        sql_deparse_string(expr->as.text, p->out);
    }
    if (type != 0 && type != PG_UNKNOWN) {
        print_c(p, "::");
        print__type_name(p, type);
    }
}

static void print_number(Printer *p, const AstExpr *expr) {
    uint32_t type = print__type(p, expr);
    bool negative = expr->as.text.len > 0 && expr->as.text.data[0] == '-';
    if (type == 0) {
        p->gave_up = true;
    }
    if (!negative && type != PG_INT8) {
        print_str(p, expr->as.text);
        return;
    }
    sql_deparse_string(expr->as.text, p->out);
    print_c(p, "::");
    print__type_name(p, type);
}

/* ---- parentheses of pretty printing ---- */

static char arithmetic(const AstExpr *expr) {
    bool is = expr->kind == AST_CALL && (expr->flags & AST_OPERATOR) != 0 && expr->arg_count == 2 && expr->as.text.len == 1;
    return is && memchr("+-*/%", expr->as.text.data[0], 5) != NULL ? expr->as.text.data[0] : 0;
}

static bool is_operator(const AstExpr *expr) { return expr->kind == AST_CALL && (expr->flags & AST_OPERATOR) != 0; }

static bool is_boolean(const AstExpr *expr) {
    return is_operator(expr) && (str_equal(expr->as.text, STR("and")) || str_equal(expr->as.text, STR("or")) || str_equal(expr->as.text, STR("not")));
}

static bool simple_beside(const AstExpr *expr, const AstExpr *parent) {
    char own = arithmetic(expr), other = arithmetic(parent);
    bool low = own == '+' || own == '-', low_parent = other == '+' || other == '-';
    if (own == 0 || other == 0) {
        return false;
    }
    return (!low && low_parent) || (low == low_parent && parent->args[0] == expr);
}

/* Stands without parentheses inside of the parent. */
static bool is_simple(const AstExpr *expr, const AstExpr *parent) {
    if (expr->kind == AST_CAST) {
        return is_simple(expr->args[0], expr) || expr->args[0]->kind != AST_CALL;
    }
    if (!is_operator(expr) && expr->kind != AST_SUBQUERY) {
        return true;
    }
    if (parent == NULL) {
        return true;
    }
    bool of_array = (expr->flags & (AST_ANY | AST_ALL)) != 0 || (expr->arg_count > 2 && (str_equal(expr->as.text, STR("in")) || str_equal(expr->as.text, STR("not in"))));
    if (is_operator(expr) && of_array) {
        return false;
    }
    if (is_boolean(expr)) {
        bool either = str_equal(expr->as.text, STR("or"));
        return is_boolean(parent) ? !str_equal(parent->as.text, STR("not")) && (!either || str_equal(parent->as.text, STR("or"))) : !is_operator(parent) && parent->kind != AST_CAST;
    }
    if (is_operator(parent) && !is_boolean(parent)) {
        return simple_beside(expr, parent);
    }
    return parent->kind != AST_CAST;
}

void print__operand(Printer *p, const AstExpr *expr, const AstExpr *parent) {
    bool parens = p->pretty && !is_simple(expr, parent);
    print_c(p, parens ? "(" : "");
    print__expr(p, expr);
    print_c(p, parens ? ")" : "");
}

/* ---- casts ---- */

static void print_cast(Printer *p, const AstExpr *expr, const AstExpr *parent, uint32_t type, const AstType *modifiers) {
    bool constant = expr->kind == AST_STRING || expr->kind == AST_NULL;
    if (constant) {
        print_constant(p, expr, type);
    } else {
        print__open(p);
        print__operand(p, expr, parent);
        print__close(p);
        print_c(p, "::");
        if (type == PG_BPCHAR && modifiers != NULL && modifiers->modifier_count > 0) {
            print_c(p, "character");
        } else {
            print__type_name(p, type);
        }
    }
    for (uint32_t i = 0; modifiers != NULL && i < modifiers->modifier_count; i++) {
        print_c(p, i > 0 ? "," : "(");
        print_str(p, modifiers->modifiers[i]->as.text);
        print_c(p, i + 1 == modifiers->modifier_count ? ")" : "");
    }
}

void print__as(Printer *p, const AstExpr *expr, uint32_t type, const AstExpr *parent) {
    uint32_t have = type == 0 ? 0 : print__type(p, expr);
    if (type == 0 || have == 0 || have == type || type == PG_UNKNOWN) {
        print__operand(p, expr, parent);
        return;
    }
    AstExpr cast = {.kind = AST_CAST};
    print_cast(p, expr, &cast, type, NULL);
}

static void print_explicit_cast(Printer *p, const AstExpr *expr) {
    uint32_t type = print__type_named(p, expr->as.type);
    if (type == 0) {
        p->gave_up = true;
    } else if (print__type(p, expr->args[0]) == type && expr->as.type->modifier_count == 0) {
        print__expr(p, expr->args[0]);
    } else {
        print_cast(p, expr->args[0], expr, type, expr->as.type);
    }
}

/* ---- operators ---- */

void print__binary(Printer *p, const AstExpr *expr, Str name, const AstExpr *left, const AstExpr *right) {
    PrintCall call = {0};
    if (!print__operator(name, print__type(p, left), print__type(p, right), &call)) {
        call = (PrintCall){0};
    }
    print__open(p);
    print__as(p, left, call.arguments[0], expr);
    print_c(p, " ");
    print_str(p, str_equal(name, STR("!=")) ? STR("<>") : name);
    print_c(p, " ");
    print__as(p, right, call.arguments[1], expr);
    print__close(p);
}

static void print_operator(Printer *p, const AstExpr *expr) {
    if (print__predicate(p, expr)) {
        return;
    }
    if (expr->arg_count == 2) {
        print__binary(p, expr, expr->as.text, expr->args[0], expr->args[1]);
        return;
    }
    print__open(p);
    print_str(p, expr->as.text);
    print_c(p, " ");
    print__operand(p, expr->args[0], expr);
    print__close(p);
}

/* ---- calls ---- */

static void print_function_name(Printer *p, Str name) {
    static const Str KEYWORDS[] = {{"left", 4}, {"right", 5}, {"substring", 9}, {"overlay", 7}, {"position", 8}, {"trim", 4}, {"char", 4}, {"time", 4}, {"timestamp", 9}, {"interval", 8}};
    for (size_t i = 0; i < COUNT_OF(KEYWORDS); i++) {
        if (str_equal(name, KEYWORDS[i])) {
            buffer_printf(p->out, "\"%.*s\"", STR_ARG(name));
            return;
        }
    }
    if (print__takes_common_type(name)) {
        buffer_append_upper(p->out, name);
        return;
    }
    put_name(p->out, name);
}

static void print_arguments(Printer *p, Str name, const AstExpr *expr) {
    PrintCall call = {0};
    bool alike = print__takes_common_type(name);
    bool known = !alike && print__function(p, name, expr->args, expr->arg_count, &call);
    uint32_t common = alike ? print__common_type(p, expr->args, expr->arg_count) : 0;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        print_c(p, i > 0 ? ", " : "");
        uint32_t type = known && i < call.count ? call.arguments[i] : common;
        bool constant = expr->args[i]->kind == AST_STRING && type == 0;
        print__as(p, expr->args[i], constant ? (uint32_t)PG_TEXT : type, NULL);
    }
}

static bool print_word_call(Printer *p, const AstExpr *expr) {
    bool query = expr->arg_count == 1 && expr->args[0]->kind == AST_SUBQUERY && (expr->args[0]->flags & AST_PARENS) == 0;
    if (query && str_equal(expr->as.text, STR("exists"))) {
        print_c(p, "(EXISTS ");
        print__subquery(p, expr->args[0]->as.select);
        print_c(p, ")");
        return true;
    }
    if (query && str_equal(expr->as.text, STR("array"))) {
        print_c(p, "ARRAY");
        print__subquery(p, expr->args[0]->as.select);
        return true;
    }
    if (str_equal(expr->as.text, STR("extract")) && expr->arg_count == 2 && expr->args[0]->kind == AST_STRING) {
        buffer_printf(p->out, "EXTRACT(%.*s FROM ", STR_ARG(expr->args[0]->as.text));
        print__expr(p, expr->args[1]);
        print_c(p, ")");
        return true;
    }
    return false;
}

static void print_call(Printer *p, const AstExpr *expr) {
    if ((expr->flags & AST_OPERATOR) != 0) {
        print_operator(p, expr);
        return;
    }
    if (print_word_call(p, expr)) {
        return;
    }
    if ((expr->flags & AST_BARE) != 0) {
        buffer_append_upper(p->out, expr->as.text);
        return;
    }
    print_function_name(p, expr->as.text);
    print_c(p, (expr->flags & AST_STAR_ARGUMENT) != 0 ? "(*" : "(");
    print_arguments(p, expr->as.text, expr);
    print_c(p, ")");
}

static void print_sort_keys(Printer *p, const AstSortKey *keys, uint32_t count);

static void print_bound(Printer *p, const AstFrameBound *bound) {
    static const char *const WORDS[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW", " FOLLOWING", "UNBOUNDED FOLLOWING"};
    p->gave_up = p->gave_up || bound->unit.len > 0;
    if (bound->offset != NULL) {
        print__expr(p, bound->offset);
    }
    print_c(p, WORDS[bound->kind]);
}

static void print_frame(Printer *p, const AstWindow *window) {
    static const char *const FRAMES[] = {"", "ROWS BETWEEN ", "RANGE BETWEEN ", "GROUPS BETWEEN ", ""};
    static const char *const EXCLUDED[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", ""};
    p->gave_up = p->gave_up || window->frame == AST_FRAME_CUMULATIVE;
    if (window->frame == AST_FRAME_NONE || p->gave_up) {
        return;
    }
    print_c(p, FRAMES[window->frame]);
    print_bound(p, &window->start);
    print_c(p, " AND ");
    print_bound(p, &window->end);
    print_c(p, EXCLUDED[window->exclude]);
}

void print__window(Printer *p, const AstWindow *window) {
    const char *blank = "";
    print_c(p, "(");
    if (window->base != NULL) {
        put_name(p->out, window->base->text);
        blank = " ";
    }
    for (uint32_t i = 0; i < window->partition_count; i++) {
        print_c(p, i > 0 ? ", " : blank);
        print_c(p, i > 0 ? "" : "PARTITION BY ");
        print__expr(p, window->partition_by[i]);
        blank = " ";
    }
    if (window->order_count > 0) {
        print_c(p, blank);
        print_c(p, "ORDER BY ");
        print_sort_keys(p, window->order_by, window->order_count);
        blank = " ";
    }
    print_c(p, window->frame != AST_FRAME_NONE ? blank : "");
    print_frame(p, window);
    print_c(p, ")");
}

static void print_over(Printer *p, const AstWindow *window) {
    print_c(p, " OVER ");
    if (window->name != NULL) {
        put_name(p->out, window->name->text);
        return;
    }
    print__window(p, window);
}

static void print_special_call(Printer *p, const AstExpr *expr) {
    const AstCall *call = expr->as.call;
    Str name = call->name.parts[call->name.count - 1].text;
    if (call->argument_names != NULL || call->within_group || call->ignore_nulls || call->respect_nulls || (expr->flags & AST_VARIADIC) != 0) {
        p->gave_up = true;
        return;
    }
    print_function_name(p, name);
    print_c(p, call->distinct ? "(DISTINCT " : "(");
    print_c(p, call->star ? "*" : "");
    print_arguments(p, name, expr);
    if (call->order_count > 0) {
        print_c(p, " ORDER BY ");
        print_sort_keys(p, call->order_by, call->order_count);
    }
    print_c(p, ")");
    if (call->filter != NULL) {
        print_c(p, " FILTER (WHERE ");
        print__expr(p, call->filter);
        print_c(p, ")");
    }
    if (call->over != NULL) {
        print_over(p, call->over);
    }
}

void print__sort_order(Printer *p, const AstSortKey *key) {
    print_c(p, key->descending ? " DESC" : "");
    if (key->nulls_given && key->nulls_first != key->descending) {
        print_c(p, key->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    p->gave_up = p->gave_up || key->using_operator.len > 0;
}

static void print_sort_keys(Printer *p, const AstSortKey *keys, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        print_c(p, i > 0 ? ", " : "");
        print__expr(p, keys[i].expr);
        print__sort_order(p, &keys[i]);
    }
}

/* ---- the rest ---- */

static void print_column(Printer *p, const AstNames *names) {
    uint16_t column = 0;
    const PrintItem *item = print__column(p, names, &column);
    Str table = item != NULL && p->prefix ? item->alias : item == NULL && names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    if (table.len > 0) {
        put_name(p->out, table);
        print_c(p, ".");
    }
    const AstName *last = &names->parts[names->count - 1];
    bool domain_value = !last->quoted && names->count == 1 && str_equal_ignore_case(last->text, STR("value")) && (item == NULL || item->alias.len == 0);
    if (domain_value) {
        print_c(p, "VALUE");
        return;
    }
    put_name(p->out, item != NULL ? item->names[column] : last->text);
}

static void print_case(Printer *p, const AstExpr *expr) {
    enum { STEP = 4 };
    uint32_t common = print__type(p, expr), at = 0;
    uint32_t end = expr->arg_count - ((expr->flags & AST_HAS_ELSE) != 0 ? 1 : 0);
    print__keyword(p, "CASE", 0, STEP, 0);
    if ((expr->flags & AST_HAS_OPERAND) != 0) {
        print_c(p, " ");
        print__expr(p, expr->args[at++]);
    }
    uint32_t operand = at > 0 ? print__type(p, expr->args[0]) : 0;
    for (; at < end; at += 2) {
        print__keyword(p, "WHEN ", 0, 0, 0);
        print__as(p, expr->args[at], operand, NULL);
        print_c(p, " THEN ");
        print__as(p, expr->args[at + 1], common, NULL);
    }
    print__keyword(p, "ELSE ", 0, 0, 0);
    if ((expr->flags & AST_HAS_ELSE) != 0) {
        print__as(p, expr->args[end], common, NULL);
    } else {
        AstExpr null = {.kind = AST_NULL};
        print__as(p, &null, common, NULL);
    }
    print__keyword(p, "END", -STEP, 0, 0);
}

static void print_list(Printer *p, const AstExpr *expr, uint32_t type, const char *open, const char *close) {
    print_c(p, open);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        print_c(p, i > 0 ? ", " : "");
        print__as(p, expr->args[i], type, NULL);
    }
    print_c(p, close);
}

static void print_subscript(Printer *p, const AstExpr *expr) {
    bool name = expr->args[0]->kind == AST_NAME;
    print_c(p, name ? "" : "(");
    print__expr(p, expr->args[0]);
    print_c(p, name ? "" : ")");
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        p->gave_up = p->gave_up || expr->args[i]->kind == AST_SLICE;
        print_c(p, "[");
        if (expr->args[i]->kind != AST_SLICE) {
            print__expr(p, expr->args[i]);
        }
        print_c(p, "]");
    }
}

static void print_kind(Printer *p, const AstExpr *expr) {
    switch ((AstExprKind)expr->kind) {
    case AST_NULL:
    case AST_STRING: print_constant(p, expr, PG_UNKNOWN); break;
    case AST_BOOLEAN: print_c(p, expr->as.boolean ? "true" : "false"); break;
    case AST_INTEGER:
    case AST_NUMBER: print_number(p, expr); break;
    case AST_NAME: print_column(p, &expr->as.names); break;
    case AST_CALL: print_call(p, expr); break;
    case AST_CALL_SPECIAL: print_special_call(p, expr); break;
    case AST_CASE: print_case(p, expr); break;
    case AST_CAST: print_explicit_cast(p, expr); break;
    case AST_SUBQUERY: print__subquery(p, expr->as.select); break;
    case AST_ARRAY: print_list(p, expr, print__common_type(p, expr->args, expr->arg_count), "ARRAY[", "]"); break;
    case AST_ROW: print_list(p, expr, 0, (expr->flags & AST_BARE) != 0 ? "(" : "ROW(", ")"); break;
    case AST_SUBSCRIPT: print_subscript(p, expr); break;
    default: p->gave_up = true; break;
    }
}

void print__expr(Printer *p, const AstExpr *expr) {
    if (p->gave_up || p->depth >= PRINT_DEPTH_MAX) {
        p->gave_up = true;
        return;
    }
    p->depth++;
    print_kind(p, expr);
    p->depth--;
}

/* ---- entry ---- */

static PrintScope scope_of_table(Printer *p, const TableDef *table) {
    uint16_t count = table == NULL ? 0 : table->column_count;
    Str *names = arena_array(&p->arena, Str, count + 1u);
    uint32_t *types = arena_array(&p->arena, uint32_t, count + 1u);
    PrintItem *item = arena_new(&p->arena, PrintItem);
    for (uint16_t i = 0; i < count; i++) {
        names[i] = table->columns[i].name;
        types[i] = column_shape(table->columns[i].type).type_oid;
    }
    *item = (PrintItem){table == NULL ? (Str){0} : table->name, names, types, count};
    return (PrintScope){item, 1, NULL};
}

/* VALUE stands for a column of a relation without a name. */
static PrintScope scope_of_domain(Printer *p, uint32_t type) {
    static const Str VALUE[] = {{"value", 5}};
    uint32_t *types = arena_new(&p->arena, uint32_t);
    PrintItem *item = arena_new(&p->arena, PrintItem);
    *types = type;
    *item = (PrintItem){.names = VALUE, .types = types, .count = 1};
    return (PrintScope){item, 1, NULL};
}

void print_expression(SystemView *view, const PrintOptions *options, Buffer *out) {
    Buffer text;
    AstExpr *expr = NULL;
    Error ignored = {0};
    Printer p = {.view = view, .out = &text, .pretty = options->pretty};
    arena_init(&p.arena, PRINT_BYTES_MAX * 4);
    buffer_init(&text, PRINT_BYTES_MAX);
    ErrorCode code = sql_parse_expression(options->text, (Dialect)options->dialect, &p.arena, &expr, &ignored);
    if (code == ERR_OK && expr != NULL && options->dialect == DIALECT_POSTGRES) {
        PrintScope scope = options->value != 0 ? scope_of_domain(&p, options->value) : scope_of_table(&p, options->table);
        p.scope = &scope;
        bool constant = expr->kind == AST_STRING || expr->kind == AST_NULL;
        print__as(&p, expr, constant ? options->type : 0, NULL);
    }
    bool fine = code == ERR_OK && !p.gave_up && buffer_str(&text).len > 0;
    bool parens = !fine && options->parens;
    buffer_append_str(out, parens ? STR("(") : STR(""));
    buffer_append_str(out, fine ? buffer_str(&text) : options->text);
    buffer_append_str(out, parens ? STR(")") : STR(""));
    buffer_deinit(&text);
    arena_deinit(&p.arena);
}
