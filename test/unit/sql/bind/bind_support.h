/* SPDX-License-Identifier: Apache-2.0
 * bind_support.h - a catalog of a few tables without storage, and bound trees as one line of text. */
#pragma once
#include "sql/bind/bind.h"
#include "sql/bind/table_calls.h"
#include "sql/parse/parse.h"
#include <stdio.h>

/* ---------------------------------------------------------------- the catalog */

static int32_t dictionary_count(const SymbolTable *table) { (void)table; return 0; }
static SymbolTable dictionaries[8] = {[0 ... 7] = {.count = dictionary_count}};

static ColumnDef trades_columns[] = {
    {.id = 1, .name = {"ts", 2}, .type = {.id = TYPE_TIMESTAMP}, .not_null = true}, {.id = 2, .name = {"sym", 3}, .type = {.id = TYPE_SYMBOL}, .symbols = &dictionaries[0]},
    {.id = 3, .name = {"px", 2}, .type = {.id = TYPE_FLOAT8}}, {.id = 4, .name = {"qty", 3}, .type = {.id = TYPE_INT8}},
    {.id = 5, .name = {"venue", 5}, .type = {.id = TYPE_VARCHAR}}, {.id = 6, .name = {"side", 4}, .type = {.id = TYPE_SYMBOL}, .symbols = &dictionaries[1]},
};
static ColumnDef bag_columns[] = {
    {.id = 1, .name = {"a", 1}, .type = {.id = TYPE_INT4}}, {.id = 2, .name = {"b", 1}, .type = {.id = TYPE_FLOAT8}},
    {.id = 3, .name = {"c", 1}, .type = {.id = TYPE_TEXT}, .default_text = {"'none'", 6}}, {.id = 4, .name = {"d", 1}, .type = {.id = TYPE_DECIMAL8, .precision = 10, .scale = 2}},
    {.id = 5, .name = {"Upper", 5}, .type = {.id = TYPE_BOOL}}, {.id = 6, .name = {"g", 1}, .type = {.id = TYPE_SYMBOL}, .symbols = &dictionaries[2]},
    {.id = 7, .name = {"s", 1}, .type = {.id = TYPE_INT2}}, {.id = 8, .name = {"t", 1}, .type = {.id = TYPE_TIMESTAMPTZ}}, {.id = 9, .name = {"dt", 2}, .type = {.id = TYPE_DATE}},
};
static ColumnDef quotes_columns[] = {
    {.id = 1, .name = {"ts", 2}, .type = {.id = TYPE_TIMESTAMP}, .not_null = true}, {.id = 2, .name = {"sym", 3}, .type = {.id = TYPE_SYMBOL}, .symbols = &dictionaries[3]},
    {.id = 3, .name = {"bid", 3}, .type = {.id = TYPE_FLOAT8}},
};
static const TableDef tables[] = {
    {.id = 1, .schema_name = {"public", 6}, .name = {"trades", 6}, .column_count = 6, .columns = trades_columns, .designated = 0, .partition = PARTITION_DAY, .wal = true},
    {.id = 2, .schema_name = {"public", 6}, .name = {"bag", 3}, .column_count = 9, .columns = bag_columns, .designated = -1},
    {.id = 3, .schema_name = {"public", 6}, .name = {"quotes", 6}, .column_count = 3, .columns = quotes_columns, .designated = 0, .partition = PARTITION_DAY},
};

static ErrorCode fake_find(CatalogView *view, Str schema, Str name, const TableDef **table_out, Error *err) {
    (void)view;
    if (schema.len > 0 && !str_equal(schema, STR("public"))) {
        return error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(schema));
    }
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        if (str_equal_ignore_case(tables[i].name, name)) {
            *table_out = &tables[i];
            return ERR_OK;
        }
    }
    return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "table does not exist [table=%.*s]", STR_ARG(name));
}
static void fake_stats(CatalogView *view, const TableDef *table, TableStats *stats) {
    (void)view;
    (void)table;
    *stats = (TableStats){0};
}
static const CatalogObject *fake_object_find(CatalogView *view, ObjectKind kind, uint32_t scope_id, Str name) {
    (void)view, (void)kind, (void)scope_id, (void)name;
    return NULL;
}

static CatalogView fake_catalog = {.table_find = fake_find, .stats = fake_stats, .object_find = fake_object_find};

/* ---------------------------------------------------------------- bound trees as text */

typedef struct Dump { Buffer *out; const Rel *root; } Dump;
static void dump_rel(Dump *d, const Rel *rel);

static void dump_value(Dump *d, const Value *value) {
    if (value->is_null) {
        buffer_append_str(d->out, STR("NULL"));
    } else if (value->type.id == TYPE_BOOL) {
        buffer_append_str(d->out, value->as.boolean ? STR("true") : STR("false"));
    } else if (type_physical((TypeId)value->type.id) == PHYS_STR) {
        buffer_printf(d->out, "'%.*s'", STR_ARG(strref_str(&value->as.str)));
    } else if (value->type.id == TYPE_FLOAT8) {
        buffer_printf(d->out, "%g", value->as.f64);
    } else if (value->type.id == TYPE_NUMERIC) {
        char text[NUMERIC_TEXT_MAX];
        buffer_append(d->out, text, numeric_format(text, numeric_from_slot(&value->as.numeric)));
    } else if (value->type.id == TYPE_INT4 || value->type.id == TYPE_DATE) {
        buffer_printf(d->out, "%d", value->as.i32);
    } else if (value->type.id == TYPE_INT2) {
        int16_t number = 0;
        memcpy(&number, value->as.bytes, sizeof number);
        buffer_printf(d->out, "%d", number);
    } else {
        buffer_printf(d->out, "%lld", (long long)value->as.i64);
    }
    char type[64];
    buffer_append_str(d->out, STR(":"));
    buffer_append(d->out, type, type_format_sql(type, sizeof type, value->type));
}

static void dump_expr(Dump *d, const Expr *expr) {
    static const char *const names[] = {"col", "const", "$", "call", "case", "and", "or", "not", "isnull", "coalesce", "in", "timein", "inrel", "scalar", "exists"};
    switch (expr->kind) {
    case EXPR_COLUMN: buffer_printf(d->out, "#%u", expr->as.column); return;
    case EXPR_OUTER: buffer_printf(d->out, "outer#%u", expr->as.column); return;
    case EXPR_CONSTANT: dump_value(d, &expr->as.value); return;
    case EXPR_PARAM: {
        char type[64];
        buffer_printf(d->out, "$%u:", expr->as.param + 1);
        buffer_append(d->out, type, type_format_sql(type, sizeof type, expr->type));
        return;
    }
    case EXPR_CALL: buffer_append_str(d->out, str_from_c(expr->as.call.function->name)); break;
    default: buffer_append_str(d->out, str_from_c(names[expr->kind]));
    }
    if (expr->kind == EXPR_CALL && expr->arg_count == 1 && strchr(expr->as.call.function->name, '(') == NULL && cast_find((TypeId)expr->args[0]->type.id, (TypeId)expr->type.id) != NULL &&
        expr->as.call.function == &cast_find((TypeId)expr->args[0]->type.id, (TypeId)expr->type.id)->function) {
        char type[64];
        buffer_append_str(d->out, STR("->"));
        buffer_append(d->out, type, type_format_sql(type, sizeof type, expr->type));
    }
    buffer_append_char(d->out, '(');
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        buffer_append_str(d->out, i > 0 ? STR(" ") : STR(""));
        dump_expr(d, expr->args[i]);
    }
    if (expr->kind == EXPR_TIME_IN) {
        for (uint32_t i = 0; i < expr->as.time_in.range_count; i++) {
            buffer_printf(d->out, " %lld..%lld", (long long)expr->as.time_in.ranges[i].low, (long long)expr->as.time_in.ranges[i].high);
        }
    }
    if (expr->kind == EXPR_IN_REL || expr->kind == EXPR_SCALAR_REL || expr->kind == EXPR_EXISTS_REL) {
        buffer_append_char(d->out, ' ');
        dump_rel(d, expr->as.rel);
    }
    buffer_append_char(d->out, ')');
}

static void dump_exprs(Dump *d, const Expr *const *exprs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        buffer_append_str(d->out, i > 0 ? STR(", ") : STR(""));
        dump_expr(d, exprs[i]);
    }
}

static void dump_columns(Dump *d, const Rel *rel) {
    buffer_append_char(d->out, '[');
    for (uint32_t i = 0; i < rel->column_count; i++) {
        char type[64];
        size_t len = type_format_sql(type, sizeof type, rel->columns[i].type);
        buffer_printf(d->out, "%s#%u %.*s %.*s", i > 0 ? ", " : "", rel->columns[i].id, STR_ARG(rel->columns[i].name), (int)len, type);
    }
    buffer_append_char(d->out, ']');
}

static void dump_aggregates(Dump *d, const AggregateExpr *items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(d->out, "%s%s(%s", i > 0 ? ", " : "", items[i].aggregate->name, items[i].distinct ? "distinct " : "");
        dump_exprs(d, items[i].args, items[i].arg_count);
        if (items[i].filter != NULL) {
            buffer_append_str(d->out, STR(" filter "));
            dump_expr(d, items[i].filter);
        }
        buffer_append_char(d->out, ')');
    }
}

static void dump_sample(Dump *d, const Rel *rel) {
    static const char *const fills[] = {"none", "null", "prev", "linear", "value"};
    buffer_printf(d->out, "sample %lld unit %d of ", (long long)rel->as.sample.step, rel->as.sample.unit);
    dump_expr(d, rel->as.sample.timestamp);
    buffer_append_str(d->out, STR(" keys "));
    dump_exprs(d, rel->as.sample.keys, rel->as.sample.key_count);
    buffer_append_str(d->out, STR(" aggs "));
    dump_aggregates(d, rel->as.sample.aggregates, rel->as.sample.aggregate_count);
    for (uint32_t i = 0; rel->as.sample.fills != NULL && i < rel->as.sample.aggregate_count; i++) {
        buffer_printf(d->out, " fill %s", fills[rel->as.sample.fills[i].kind]);
    }
    if (rel->as.sample.first_observation) {
        buffer_append_str(d->out, STR(" first"));
    }
    if (rel->as.sample.offset_micros != 0) {
        buffer_printf(d->out, " offset %lld", (long long)rel->as.sample.offset_micros);
    }
    dump_columns(d, rel);
}

static void dump_node(Dump *d, const Rel *rel) {
    static const char *const joins[] = {"inner", "left", "cross", "right", "full", "semi", "anti"};
    switch (rel->kind) {
    case REL_SCAN: buffer_printf(d->out, "scan %.*s#%u", STR_ARG(rel->as.scan.table->name), rel->columns[0].id); break;
    case REL_VALUES:
        buffer_printf(d->out, "values %u ", rel->as.values.row_count);
        dump_exprs(d, rel->as.values.exprs, rel->as.values.row_count * rel->column_count);
        break;
    case REL_TABLE_CALL:
        buffer_printf(d->out, "%s(", table_call_at((TableCallId)rel->as.table_call.function)->name);
        dump_exprs(d, rel->as.table_call.args, rel->as.table_call.arg_count);
        buffer_printf(d->out, ")#%u", rel->columns[0].id);
        break;
    case REL_FILTER:
        buffer_append_str(d->out, STR("filter "));
        dump_expr(d, rel->as.filter.condition);
        break;
    case REL_PROJECT:
        buffer_append_str(d->out, STR("project "));
        dump_exprs(d, rel->as.project.exprs, rel->column_count);
        dump_columns(d, rel);
        break;
    case REL_JOIN:
        buffer_printf(d->out, "%s join ", joins[rel->as.join.kind]);
        dump_exprs(d, rel->as.join.left_keys, rel->as.join.key_count);
        buffer_append_str(d->out, STR(" = "));
        dump_exprs(d, rel->as.join.right_keys, rel->as.join.key_count);
        if (rel->as.join.residual != NULL) {
            buffer_append_str(d->out, STR(" and "));
            dump_expr(d, rel->as.join.residual);
        }
        break;
    case REL_AGGREGATE:
        buffer_append_str(d->out, STR("aggregate "));
        dump_exprs(d, rel->as.aggregate.groups, rel->as.aggregate.group_count);
        buffer_append_str(d->out, STR(" : "));
        dump_aggregates(d, rel->as.aggregate.aggregates, rel->as.aggregate.aggregate_count);
        dump_columns(d, rel);
        break;
    case REL_SAMPLE: dump_sample(d, rel); break;
    case REL_LATEST:
        buffer_append_str(d->out, STR("latest "));
        dump_expr(d, rel->as.latest.timestamp);
        buffer_append_str(d->out, STR(" by "));
        dump_exprs(d, rel->as.latest.keys, rel->as.latest.key_count);
        break;
    case REL_SORT:
        buffer_append_str(d->out, STR("sort"));
        for (uint32_t i = 0; i < rel->as.sort.key_count; i++) {
            buffer_append_char(d->out, ' ');
            dump_expr(d, rel->as.sort.keys[i].expr);
            buffer_printf(d->out, "%s%s", rel->as.sort.keys[i].descending ? " desc" : "", rel->as.sort.keys[i].nulls_first ? " nulls first" : "");
        }
        break;
    case REL_LIMIT: {
        const Expr *parts[3] = {rel->as.limit.low, rel->as.limit.high, rel->as.limit.offset};
        buffer_append_str(d->out, rel->as.limit.range ? STR("range") : STR("limit"));
        for (size_t i = 0; i < 3; i++) {
            buffer_append_char(d->out, ' ');
            if (parts[i] != NULL) {
                dump_expr(d, parts[i]);
            } else {
                buffer_append_char(d->out, '-');
            }
        }
        break;
    }
    case REL_DISTINCT:
        buffer_append_str(d->out, STR("distinct"));
        dump_columns(d, rel);
        break;
    case REL_UNION_ALL:
        buffer_append_str(d->out, STR("union"));
        dump_columns(d, rel);
        break;
    default: buffer_append_str(d->out, STR("?")); break;
    }
}

/* Root first, inputs behind it in braces. */
static void dump_rel(Dump *d, const Rel *rel) {
    buffer_append_char(d->out, '{');
    dump_node(d, rel);
    for (int i = 0; i < 2; i++) {
        if (rel->inputs[i] != NULL) {
            buffer_append_char(d->out, ' ');
            dump_rel(d, rel->inputs[i]);
        }
    }
    for (uint32_t i = 0; rel->kind == REL_UNION_ALL && i < rel->as.union_all.more_count; i++) {
        buffer_append_char(d->out, ' ');
        dump_rel(d, rel->as.union_all.more[i]);
    }
    buffer_append_char(d->out, '}');
}

/* Parses and binds sql; text_out gets the tree. */
static inline ErrorCode bind_text(Dialect dialect, const char *sql, Arena *arena, BoundStatement **bound_out, Error *err) {
    static const FunctionEnvironment postgres = {.questdb = false};
    static const FunctionEnvironment questdb = {.questdb = true};
    AstStatement *statement = NULL;
    size_t end = 0;
    Str text = str_from_c(sql);
    TRY(sql_parse(text, 0, dialect, arena, &statement, &end, err));
    BindContext context = {.catalog = &fake_catalog, .environment = dialect == DIALECT_QUESTDB ? &questdb : &postgres, .text = text, .dialect = dialect};
    return bind_statement(statement, &context, arena, bound_out, err);
}
