/* SPDX-License-Identifier: Apache-2.0
 * print_query.c - queries of views, laid out as PostgreSQL does: a clause a line, an item of the list a line, deeper queries further in.
 *
 * Layout: `indent` is the column of the query's first letter plus CLAUSE_STEP while its clauses are written; a keyword goes to a line of its own, so many
 *         blanks before it as its clause asks for. */
#include "sql/system/print_internal.h"

enum { CLAUSE_STEP = 8, JOIN_STEP = 4, ITEM_STEP = 4 };

static void trim_blanks(Buffer *out) {
    while (out->len > 0 && out->data[out->len - 1] == ' ') {
        out->len--;
    }
}

void print__keyword(Printer *p, const char *word, int before, int after, int plus) {
    p->indent += before;
    trim_blanks(p->out);
    print_c(p, "\n");
    for (int i = 0; i < p->indent + plus; i++) {
        print_c(p, " ");
    }
    print_c(p, word);
    p->indent += after;
    p->indent = MAX_OF(p->indent, 0);
}

static void print_clause(Printer *p, const char *word, int plus) { print__keyword(p, word, -CLAUSE_STEP, CLAUSE_STEP, plus); }

static void print_any_query(Printer *p, const AstSelect *select);
static PrintScope *scope_of_query(Printer *p, const AstSelect *select);

/* ---- scopes: columns of what stands in FROM ---- */

static Str item_name(const AstSelectItem *item) {
    if (item->alias != NULL) {
        return item->alias->text;
    }
    const AstExpr *expr = item->expr;
    while (expr->kind == AST_CAST || expr->kind == AST_SUBSCRIPT) {
        expr = expr->args[0];
    }
    switch ((AstExprKind)expr->kind) {
    case AST_NAME: return expr->as.names.parts[expr->as.names.count - 1].text;
    case AST_CALL: return (expr->flags & AST_OPERATOR) != 0 ? STR("?column?") : expr->as.text;
    case AST_CALL_SPECIAL: return expr->as.call->name.parts[expr->as.call->name.count - 1].text;
    case AST_CASE: return STR("case");
    case AST_ARRAY: return STR("array");
    default: return STR("?column?");
    }
}

/* The query whose columns a set operation has. */
static const AstSelect *first_arm(const AstSelect *select) {
    while (select->kind == AST_SELECT_SET_OPERATION) {
        select = select->arms[0];
    }
    return select;
}

/* The scope of the query within the one that is there; answers that one, for the way out. */
static const PrintScope *enter(Printer *p, const AstSelect *select) {
    const PrintScope *outer = p->scope;
    PrintScope *scope = scope_of_query(p, select);
    scope->outer = outer;
    p->scope = scope;
    return outer;
}

static uint32_t values_type(Printer *p, const AstSelect *select, uint32_t column);
static void print_values(Printer *p, const AstSelect *select);

static PrintItem item_of_query(Printer *p, const AstSelect *select, Str alias) {
    const AstSelect *first = first_arm(select);
    bool values = first->kind == AST_SELECT_VALUES;
    PrintItem item = {.alias = alias, .count = (uint16_t)(values ? first->rows[0].count : first->kind == AST_SELECT_QUERY ? first->item_count : 0)};
    Str *names = arena_array(&p->arena, Str, item.count + 1u);
    uint32_t *types = arena_array(&p->arena, uint32_t, item.count + 1u);
    const PrintScope *outer = enter(p, first);
    for (uint16_t i = 0; i < item.count; i++) {
        names[i] = values ? arena_format(&p->arena, "column%u", i + 1u) : item_name(&first->items[i]);
        types[i] = values ? values_type(p, first, i) : print__type(p, first->items[i].expr);
        types[i] = types[i] == PG_UNKNOWN ? (uint32_t)PG_TEXT : types[i];
    }
    p->scope = outer;
    item.names = names;
    item.types = types;
    return item;
}

uint32_t print__select_type(Printer *p, const AstSelect *select, uint32_t column) {
    if (p->depth >= PRINT_DEPTH_MAX) {
        return 0;
    }
    p->depth++;
    PrintItem item = item_of_query(p, select, (Str){0});
    p->depth--;
    return column < item.count ? item.types[column] : 0;
}

static bool find_from(Printer *p, const AstNames *names, AnyRelation *relation_out) {
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    return names_find_relation(p->view, schema, names->parts[names->count - 1].text, relation_out);
}

static PrintItem item_of_relation(Printer *p, const AstNames *table, Str alias) {
    AnyRelation relation;
    for (const PrintCte *cte = p->ctes; cte != NULL && table->count == 1; cte = cte->next) {
        if (str_equal(cte->name.text, table->parts[0].text)) {
            PrintItem item = cte->item;
            item.alias = alias;
            return item;
        }
    }
    PrintItem item = {.alias = alias};
    if (!find_from(p, table, &relation)) {
        return item;
    }
    item.count = relation_column_count(&relation);
    Str *names = arena_array(&p->arena, Str, item.count + 1u);
    uint32_t *types = arena_array(&p->arena, uint32_t, item.count + 1u);
    for (uint16_t i = 0; i < item.count; i++) {
        AnyColumn column;
        relation_column(&relation, i, &column);
        names[i] = column.name;
        types[i] = column_shape(column.type).type_oid;
    }
    item.names = names;
    item.types = types;
    return item;
}

static void rename_columns(Printer *p, const AstFrom *from, PrintItem *item) {
    Str *names = arena_array(&p->arena, Str, item->count + 1u);
    for (uint16_t i = 0; i < item->count; i++) {
        names[i] = i < from->column_count ? from->columns[i].text : item->names[i];
    }
    item->names = names;
}

/* One column, named as the relation is. */
static PrintItem item_of_function(Printer *p, const AstFrom *from) {
    PrintItem item = {.alias = from->alias != NULL ? from->alias->text : from->as.function->as.text, .count = 1};
    Str *names = arena_array(&p->arena, Str, 1);
    uint32_t *types = arena_array(&p->arena, uint32_t, 1);
    names[0] = item.alias;
    types[0] = print__type(p, from->as.function);
    p->gave_up = p->gave_up || types[0] == 0 || types[0] == PG_RECORD;
    item.names = names;
    item.types = types;
    return item;
}

static void add_items(Printer *p, const AstFrom *from, PrintScope *scope) {
    if (from->kind == AST_FROM_JOIN) {
        add_items(p, from->as.join->left, scope);
        add_items(p, from->as.join->right, scope);
        return;
    }
    PrintItem *items = arena_array(&p->arena, PrintItem, scope->count + 1u);
    if (scope->count > 0) {
        memcpy(items, scope->items, sizeof *items * scope->count);
    }
    PrintItem item = {0};
    if (from->kind == AST_FROM_TABLE) {
        item = item_of_relation(p, &from->as.table, from->alias != NULL ? from->alias->text : from->as.table.parts[from->as.table.count - 1].text);
    } else if (from->kind == AST_FROM_SUBQUERY) {
        item = item_of_query(p, from->as.select, from->alias != NULL ? from->alias->text : (Str){0});
    } else if (from->kind == AST_FROM_FUNCTION && from->as.function->kind == AST_CALL && from->column_count <= 1) {
        item = item_of_function(p, from);
    } else {
        p->gave_up = true;
    }
    rename_columns(p, from, &item);
    items[scope->count++] = item;
    scope->items = items;
}

static PrintScope *scope_of_query(Printer *p, const AstSelect *select) {
    PrintScope *scope = arena_new(&p->arena, PrintScope);
    for (uint32_t i = 0; i < select->from_count && !p->gave_up; i++) {
        add_items(p, select->from[i], scope);
    }
    return scope;
}

/* ---- FROM ---- */

static void print_from(Printer *p, const AstFrom *from);
static void print_in_parentheses(Printer *p, const AstSelect *select, bool names_hidden);

/* (a, b), nothing for none */
static void print_names(Printer *p, const char *before, const AstName *names, uint32_t count) {
    print_c(p, count > 0 ? before : "");
    for (uint32_t i = 0; i < count; i++) {
        print_c(p, i > 0 ? ", " : "(");
        put_name(p->out, names[i].text);
    }
    print_c(p, count > 0 ? ")" : "");
}

static void print_alias(Printer *p, const AstFrom *from, Str name) {
    if (from->alias != NULL && (!str_equal(from->alias->text, name) || from->column_count > 0)) {
        print_c(p, " ");
        put_name(p->out, from->alias->text);
    }
    print_names(p, "", from->columns, from->column_count);
}

static void print_join(Printer *p, const AstJoin *join, bool alias) {
    static const char *const WORDS[] = {" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " CROSS JOIN "};
    bool parens = !p->pretty || alias;
    if (join->kind > AST_JOIN_CROSS || join->natural || join->has_range || join->tolerance != NULL || join->using_alias != NULL) {
        p->gave_up = true;
        return;
    }
    print_c(p, parens ? "(" : "");
    print_from(p, join->left);
    print__keyword(p, WORDS[join->kind], -CLAUSE_STEP, CLAUSE_STEP, JOIN_STEP);
    bool right = p->pretty && join->right->kind == AST_FROM_JOIN;
    print_c(p, right ? "(" : "");
    print_from(p, join->right);
    print_c(p, right ? ")" : "");
    print_names(p, " USING ", join->using_columns, join->using_count);
    if (join->on != NULL) {
        print_c(p, " ON ");
        print__open(p);
        print__expr(p, join->on);
        print__close(p);
    }
    print_c(p, parens ? ")" : "");
}

static void print_from(Printer *p, const AstFrom *from) {
    AnyRelation relation;
    bool foreign = from->tablesample != NULL || from->timestamp != NULL || from->with_ordinality || from->only;
    p->gave_up = p->gave_up || foreign;
    if (p->gave_up) {
        return;
    }
    print_c(p, from->lateral ? "LATERAL " : "");
    switch (from->kind) {
    case AST_FROM_TABLE: {
        const AstNames *table = &from->as.table;
        Str last = table->parts[table->count - 1].text;
        if (table->count > 1 && find_from(p, table, &relation)) {
            names_append_relation(p->view, &relation, p->out);
        } else {
            put_name(p->out, last);
        }
        print_alias(p, from, last);
        break;
    }
    case AST_FROM_SUBQUERY:
        print_in_parentheses(p, from->as.select, false);
        print_alias(p, from, (Str){0});
        break;
    case AST_FROM_JOIN: print_join(p, from->as.join, from->alias != NULL); break;
    case AST_FROM_FUNCTION: {
        PrintItem item = item_of_function(p, from);
        print__expr(p, from->as.function);
        print_c(p, " ");
        put_name(p->out, item.alias);
        print_c(p, "(");
        put_name(p->out, from->column_count > 0 ? from->columns[0].text : item.names[0]);
        print_c(p, ")");
        break;
    }
    default: p->gave_up = true; break;
    }
}

/* ---- clauses ---- */

static void print_items(Printer *p, const AstSelect *select) {
    for (uint32_t i = 0; i < select->item_count; i++) {
        const AstSelectItem *item = &select->items[i];
        Str name = item_name(p->names_of != NULL && i < p->names_of->item_count ? &p->names_of->items[i] : item);
        print_c(p, i > 0 ? ", " : " ");
        if (i > 0 && item->expr->kind != AST_CASE) {
            print_clause(p, "", ITEM_STEP);
        }
        bool constant = item->expr->kind == AST_STRING || item->expr->kind == AST_NULL;
        p->gave_up = p->gave_up || item->expr->kind == AST_STAR;
        print__as(p, item->expr, constant ? (uint32_t)PG_TEXT : 0, NULL);
        bool own = item->expr->kind == AST_NAME && str_equal(name, item->expr->as.names.parts[item->expr->as.names.count - 1].text);
        if (!own && !(p->names_hidden && str_equal(name, STR("?column?")))) {
            print_c(p, " AS ");
            put_name(p->out, name);
        }
    }
}

/* An item of GROUP BY and ORDER BY: a number or a name of the list stands for its expression. */
static const AstExpr *output_of(const AstSelect *select, const AstExpr *expr) {
    if (expr->kind == AST_INTEGER && expr->as.text.len == 1) {
        uint32_t number = (uint32_t)(expr->as.text.data[0] - '0');
        return number >= 1 && number <= select->item_count ? select->items[number - 1].expr : expr;
    }
    for (uint32_t i = 0; i < select->item_count && expr->kind == AST_NAME && expr->as.names.count == 1; i++) {
        if (select->items[i].alias != NULL && str_equal(select->items[i].alias->text, expr->as.names.parts[0].text)) {
            return select->items[i].expr;
        }
    }
    return expr;
}

/* PostgreSQL puts in parentheses what could be misread, a call too. */
static void print_sort_item(Printer *p, const AstExpr *expr) {
    bool call = expr->kind == AST_CALL_SPECIAL || (expr->kind == AST_CALL && (expr->flags & AST_OPERATOR) == 0);
    bool parens = expr->kind != AST_NAME && (p->pretty || call);
    print_c(p, parens ? "(" : "");
    print__expr(p, expr);
    print_c(p, parens ? ")" : "");
}

static void print_group(Printer *p, const AstSelect *select) {
    p->gave_up = p->gave_up || select->group_by_all || select->group_by_distinct;
    if (!select->has_group_by || p->gave_up) {
        return;
    }
    print_clause(p, " GROUP BY ", 1);
    for (uint32_t i = 0; i < select->group_count; i++) {
        p->gave_up = p->gave_up || select->group_by[i].kind != AST_GROUP_EXPR;
        print_c(p, i > 0 ? ", " : "");
        if (!p->gave_up) {
            print_sort_item(p, output_of(select, select->group_by[i].expr));
        }
    }
}

static void print_order(Printer *p, const AstSelect *select, bool of_set) {
    if (select->order_count == 0) {
        return;
    }
    print_clause(p, " ORDER BY ", 1);
    for (uint32_t i = 0; i < select->order_count; i++) {
        const AstSortKey *key = &select->order_by[i];
        print_c(p, i > 0 ? ", " : "");
        print_sort_item(p, of_set ? key->expr : output_of(select, key->expr));
        print__sort_order(p, key);
    }
}

static void print_limit(Printer *p, const AstLimit *limit) {
    if (limit == NULL) {
        return;
    }
    p->gave_up = p->gave_up || limit->low != NULL;
    if (limit->offset != NULL && !p->gave_up) {
        print_clause(p, " OFFSET ", 0);
        print__expr(p, limit->offset);
    }
    if (limit->high != NULL && !p->gave_up) {
        print_clause(p, limit->with_ties ? " FETCH FIRST (" : " LIMIT ", 0);
        if (limit->high->kind == AST_NULL && !limit->with_ties) {
            print_c(p, "ALL");
        } else {
            print__expr(p, limit->high);
        }
        print_c(p, limit->with_ties ? ") ROWS WITH TIES" : "");
    }
}

static void print_distinct(Printer *p, const AstSelect *select) {
    print_c(p, select->distinct || select->distinct_on_given ? " DISTINCT" : "");
    if (!select->distinct_on_given) {
        return;
    }
    print_c(p, " ON (");
    for (uint32_t i = 0; i < select->distinct_on_count; i++) {
        print_c(p, i > 0 ? ", " : "");
        print_sort_item(p, output_of(select, select->distinct_on[i]));
    }
    print_c(p, ")");
}

static void print_windows(Printer *p, const AstSelect *select) {
    for (uint32_t i = 0; i < select->window_count && !p->gave_up; i++) {
        if (i == 0) {
            print_clause(p, " WINDOW ", 1);
        }
        print_c(p, i > 0 ? ", " : "");
        put_name(p->out, select->windows[i].name->text);
        print_c(p, " AS ");
        print__window(p, &select->windows[i]);
    }
}

static void print_basic(Printer *p, const AstSelect *select) {
    p->gave_up = p->gave_up || select->kind != AST_SELECT_QUERY || select->sample_by != NULL || select->latest != NULL || select->declare_count > 0 ||
                 select->locking_count > 0 || select->into != NULL;
    p->indent += CLAUSE_STEP;
    print_c(p, " SELECT");
    print_distinct(p, select);
    print_items(p, select);
    for (uint32_t i = 0; i < select->from_count && !p->gave_up; i++) {
        if (i == 0) {
            print_clause(p, " FROM ", 2);
        } else {
            print_c(p, ", ");
            print_clause(p, "", ITEM_STEP);
        }
        print_from(p, select->from[i]);
    }
    if (select->where != NULL && !p->gave_up) {
        print_clause(p, " WHERE ", 1);
        print__expr(p, select->where);
    }
    print_group(p, select);
    if (select->having != NULL && !p->gave_up) {
        print_clause(p, " HAVING ", 0);
        print__expr(p, select->having);
    }
    print_windows(p, select);
    print_order(p, select, false);
    print_limit(p, select->limit);
    p->indent -= CLAUSE_STEP;
}

static uint32_t values_type(Printer *p, const AstSelect *select, uint32_t column) {
    AstExpr **items = arena_array(&p->arena, AstExpr *, select->row_count + 1u);
    for (uint32_t i = 0; i < select->row_count; i++) {
        items[i] = select->rows[i].items[column];
    }
    uint32_t type = print__common_type(p, items, select->row_count);
    return type == PG_UNKNOWN ? (uint32_t)PG_TEXT : type;
}

static void print_values(Printer *p, const AstSelect *select) {
    print_c(p, " VALUES ");
    for (uint32_t i = 0; i < select->row_count && !p->gave_up; i++) {
        print_c(p, i > 0 ? ", (" : "(");
        for (uint32_t c = 0; c < select->rows[i].count && !p->gave_up; c++) {
            const AstExpr *item = select->rows[i].items[c];
            bool constant = item->kind == AST_STRING || item->kind == AST_NULL;
            print_c(p, c > 0 ? "," : "");
            print__as(p, item, constant ? values_type(p, select, c) : 0, NULL);
        }
        print_c(p, ")");
    }
    p->indent += CLAUSE_STEP;
    print_order(p, select, true);
    print_limit(p, select->limit);
    p->indent -= CLAUSE_STEP;
}

/* names_of holds for the arm's own list. */
static void print_arm(Printer *p, const AstSelect *arm) {
    if (arm->kind == AST_SELECT_SET_OPERATION) {
        print_any_query(p, arm);
        return;
    }
    const PrintScope *outer = enter(p, arm);
    if (arm->kind == AST_SELECT_VALUES) {
        print_values(p, arm);
    } else {
        print_basic(p, arm);
    }
    p->scope = outer;
}

static void print_set_operation(Printer *p, const AstSelect *select) {
    bool hidden = p->names_hidden;
    static const char *const WORDS[] = {"UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL"};
    for (uint32_t i = 0; i < select->arm_count && !p->gave_up; i++) {
        const AstSelect *arm = select->arms[i];
        p->gave_up = p->gave_up || arm->order_count > 0 || arm->limit != NULL || arm->with != NULL || (arm->kind == AST_SELECT_SET_OPERATION && i > 0);
        if (i > 0) {
            print__keyword(p, WORDS[select->operation], 0, 0, 0);
            print__keyword(p, "", 0, 0, 0);
        }
        p->names_of = i > 0 ? first_arm(select) : NULL;
        p->names_hidden = hidden || i > 0;
        print_arm(p, arm);
        p->names_hidden = hidden;
        p->names_of = NULL;
    }
    p->indent += CLAUSE_STEP;
    print_order(p, select, true);
    print_limit(p, select->limit);
    p->indent -= CLAUSE_STEP;
}

static void print_with(Printer *p, const AstWith *with) {
    p->indent += CLAUSE_STEP;
    print_c(p, with->recursive ? " WITH RECURSIVE " : " WITH ");
    for (uint32_t i = 0; i < with->count && !p->gave_up; i++) {
        const AstCte *cte = &with->ctes[i];
        if (cte->statement->kind != AST_SELECT_STATEMENT) {
            p->gave_up = true;
            return;
        }
        PrintCte *known = arena_new(&p->arena, PrintCte);
        AstFrom renamed = {.columns = cte->columns, .column_count = cte->column_count};
        *known = (PrintCte){cte->name, item_of_query(p, cte->statement->as.select, cte->name.text), p->ctes};
        rename_columns(p, &renamed, &known->item);
        PrintCte *before = p->ctes;
        p->ctes = with->recursive ? known : before; /* an item may read itself */
        print_c(p, i > 0 ? ", " : "");
        put_name(p->out, cte->name.text);
        print_names(p, "", cte->columns, cte->column_count);
        print_c(p, cte->materialized == AST_MATERIALIZED ? " AS MATERIALIZED (" : cte->materialized == AST_NOT_MATERIALIZED ? " AS NOT MATERIALIZED (" : " AS (");
        print__keyword(p, "", 0, 0, 0);
        bool hidden = p->names_hidden;
        p->names_hidden = false;
        print_any_query(p, cte->statement->as.select);
        p->names_hidden = hidden;
        print__keyword(p, ")", 0, 0, 0);
        p->ctes = known;
    }
    p->indent -= CLAUSE_STEP;
    print__keyword(p, "", 0, 0, 0);
}

static void print_any_query(Printer *p, const AstSelect *select) {
    if (p->gave_up || p->depth >= PRINT_DEPTH_MAX) {
        p->gave_up = true;
        return;
    }
    PrintCte *ctes = p->ctes;
    const AstSelect *names_of = p->names_of;
    bool prefix = p->prefix;
    bool one = select->from_count == 1 && select->from[0]->kind != AST_FROM_JOIN;
    p->names_of = NULL;
    p->depth++;
    if (select->with != NULL) {
        print_with(p, select->with);
    }
    p->prefix = p->depth > 1 || !one; /* a view of one relation needs no names of relations */
    if (select->kind == AST_SELECT_SET_OPERATION) {
        print_set_operation(p, select);
    } else {
        print_arm(p, select);
    }
    p->names_of = names_of;
    p->prefix = prefix;
    p->ctes = ctes;
    p->depth--;
}

static void print_in_parentheses(Printer *p, const AstSelect *select, bool names_hidden) {
    bool hidden = p->names_hidden;
    p->names_hidden = names_hidden;
    print_c(p, "(");
    print_any_query(p, select);
    print_c(p, ")");
    p->names_hidden = hidden;
}

void print__subquery(Printer *p, const AstSelect *select) { print_in_parentheses(p, select, true); }

void print_query(SystemView *view, Str stored, uint8_t dialect, bool pretty, Buffer *out) {
    Buffer text;
    AstStatement *tree = NULL;
    Error ignored = {0};
    size_t end = 0;
    Printer p = {.view = view, .out = &text, .pretty = pretty, .prefix = true};
    arena_init(&p.arena, PRINT_BYTES_MAX * 8);
    buffer_init(&text, PRINT_BYTES_MAX);
    ErrorCode code = sql_parse(stored, 0, (Dialect)dialect, &p.arena, &tree, &end, &ignored);
    bool fine = code == ERR_OK && tree != NULL && tree->kind == AST_SELECT_STATEMENT && dialect == DIALECT_POSTGRES;
    if (fine) {
        print_any_query(&p, tree->as.select);
        fine = !p.gave_up;
    }
    buffer_append_str(out, fine ? buffer_str(&text) : STR(" "));
    buffer_append_str(out, fine ? STR("") : stored);
    buffer_deinit(&text);
    arena_deinit(&p.arena);
}
