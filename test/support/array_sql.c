/* SPDX-License-Identifier: Apache-2.0
 * array_sql.c - see array_sql.h. */
#include "array_sql.h"
#include "column/value_text.h"
#include "sql/bind/bind.h"
#include "sql/parse/parse.h"
#include <stdlib.h>

static ArraySql *of_view(CatalogView *view) {
    return (ArraySql *)((char *)view - offsetof(ArraySql, view));
}

static ErrorCode table_find(CatalogView *view, Str schema_name, Str name, const TableDef **table_out, Error *err) {
    (void)schema_name;
    ArrayStorage *storage = of_view(view)->storage;
    for (uint32_t i = 0; i < storage->table_count; i++) {
        if (str_equal_ignore_case(storage->tables[i]->def.name, name)) {
            *table_out = &storage->tables[i]->def;
            return ERR_OK;
        }
    }
    return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "no table %.*s", STR_ARG(name));
}

static const TableDef *table_by_id(CatalogView *view, uint32_t id) {
    ArrayStorage *storage = of_view(view)->storage;
    return id >= 1 && id <= storage->table_count ? &storage->tables[id - 1]->def : NULL;
}

static bool table_next(CatalogView *view, size_t *cursor, const TableDef **table_out) {
    ArrayStorage *storage = of_view(view)->storage;
    if (*cursor >= storage->table_count) {
        return false;
    }
    *table_out = &storage->tables[(*cursor)++]->def;
    return true;
}

static bool schema_next(CatalogView *view, size_t *cursor, uint32_t *id_out, Str *name_out) {
    (void)view;
    *id_out = 1;
    *name_out = STR("public");
    return (*cursor)++ == 0;
}

static void table_stats(CatalogView *view, const TableDef *table, TableStats *stats_out) {
    (void)view;
    (void)table;
    *stats_out = (TableStats){0};
}

static uint64_t version(CatalogView *view) {
    (void)view;
    return 1;
}

/* Tables are all that there is. */
static const CatalogObject *object_find(CatalogView *view, ObjectKind kind, uint32_t scope_id, Str name) {
    (void)view, (void)kind, (void)scope_id, (void)name;
    return NULL;
}

static const CatalogObject *object_by_id(CatalogView *view, uint32_t id) {
    (void)view, (void)id;
    return NULL;
}

static bool object_next(CatalogView *view, ObjectKind kind, size_t *cursor, const CatalogObject **object_out) {
    (void)view, (void)kind, (void)cursor, (void)object_out;
    return false;
}

void array_sql_init(ArraySql *sql, ArrayStorage *storage) {
    memset(sql, 0, sizeof *sql);
    sql->storage = storage;
    sql->view = (CatalogView){.table_find = table_find, .table_by_id = table_by_id, .table_next = table_next, .schema_next = schema_next,
                              .stats = table_stats, .version = version, .object_find = object_find, .object_by_id = object_by_id,
                              .object_next = object_next};
    random_init(&sql->random, 1);
    sql->environment = (FunctionEnvironment){.now_micros = INT64_C(1700000000000000), .random = &sql->random, .user_name = STR("u"),
                                             .database_name = STR("d"), .schema_name = STR("public"), .version_text = STR("v")};
}

static void put_value(Buffer *out, Vector *vector, size_t row) {
    if (vector_is_null(vector, row)) {
        buffer_append_str(out, STR("null"));
        return;
    }
    TextStyle style = {0};
    if (vector->type.id == TYPE_SYMBOL) {
        buffer_append_str(out, vector_text(vector, row));
    } else if (vector->type.id == TYPE_BOOL) {
        buffer_append_str(out, vector_bool(vector, row) ? STR("true") : STR("false"));
    } else {
        value_format(vector->type, vector_value(vector, row), &style, out);
    }
}

static void put_rows(Buffer *out, Batch *batch) {
    for (uint16_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        for (uint16_t c = 0; c < batch->column_count; c++) {
            if (c > 0) {
                buffer_append_char(out, '|');
            }
            put_value(out, &batch->columns[c], row);
        }
        buffer_append_char(out, '\n');
    }
}

static int compare_lines(const void *a, const void *b) {
    return str_compare(*(const Str *)a, *(const Str *)b);
}

static void sort_lines(Buffer *out) {
    Str *lines = mem_calloc(out->len + 1, sizeof *lines);
    size_t count = 0;
    Str rest = buffer_str(out);
    while (rest.len > 0) {
        ptrdiff_t end = str_find_char(rest, '\n', 0);
        lines[count++] = str_slice(rest, 0, (size_t)end + 1);
        rest = str_slice(rest, (size_t)end + 1, rest.len);
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    Buffer sorted;
    buffer_init(&sorted, SIZE_MAX / 2);
    for (size_t i = 0; i < count; i++) {
        buffer_append_str(&sorted, lines[i]);
    }
    buffer_clear(out);
    buffer_append_str(out, buffer_str(&sorted));
    buffer_deinit(&sorted);
    mem_free(lines);
}

static ErrorCode select_rows(ArraySql *sql, const Plan *plan, const RunContext *context, Buffer *out, Error *err) {
    Run *run = NULL;
    ErrorCode code = run_open(plan, context, &run, err);
    TRY(code);
    for (uint32_t batches = 0;; batches++) {
        Batch *batch = NULL;
        TRY_OR(done, run_next(run, &batch, err));
        if (batch == NULL || (sql->stop_after != 0 && batches >= sql->stop_after)) {
            break;
        }
        assert(batch->column_count == plan_column_count(plan));
        put_rows(out, batch);
    }
done:
    run_close(run);
    return code;
}

static ErrorCode run_bound(ArraySql *sql, const BoundStatement *bound, Arena *arena, Buffer *out, Error *err) {
    PlanOptions options = {.environment = &sql->environment, .catalog = &sql->view, .passes_off = sql->passes_off};
    RunContext context = {.storage = &sql->storage->storage, .catalog = &sql->view, .params = sql->params, .param_count = sql->param_count,
                          .environment = &sql->environment, .pool = sql->pool, .workers = sql->workers, .control = sql->control,
                          .memory_limit = sql->memory_limit};
    Plan *plan = NULL;
    uint64_t rows = 0;
    if (bound->rel == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "these tests run queries and changes only");
    }
    TRY(plan_create(bound, &options, arena, &plan, err));
    switch (bound->kind) {
    case STATEMENT_EXPLAIN:
        plan_explain(plan, bound->verbose, out);
        return ERR_OK;
    case STATEMENT_INSERT:
        TRY(run_insert(plan, &context, bound->table, &rows, err));
        break;
    case STATEMENT_UPDATE:
        TRY(run_update(plan, &context, bound->table, &rows, err));
        break;
    case STATEMENT_DELETE:
        TRY(run_delete(plan, &context, bound->table, &rows, err));
        break;
    default:
        return select_rows(sql, plan, &context, out, err);
    }
    buffer_printf(out, "rows %llu\n", (unsigned long long)rows);
    return ERR_OK;
}

ErrorCode array_sql_run(ArraySql *sql, const char *text, bool sorted, Buffer *out, Error *err) {
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    Dialect dialect = sql->questdb ? DIALECT_QUESTDB : DIALECT_POSTGRES;
    sql->environment.questdb = sql->questdb;
    random_init(&sql->random, 1);
    BindContext context = {.catalog = &sql->view, .environment = &sql->environment, .text = str_from_c(text), .dialect = dialect,
                           .param_types = sql->param_types, .param_count = sql->param_count};
    AstStatement *statement = NULL;
    BoundStatement *bound = NULL;
    size_t end = 0;
    buffer_clear(out);
    ErrorCode code = sql_parse(str_from_c(text), 0, dialect, &arena, &statement, &end, err);
    TRY_OR(done, code);
    if (statement == NULL) {
        goto done; /* blanks and comments */
    }
    TRY_OR(done, bind_statement(statement, &context, &arena, &bound, err));
    TRY_OR(done, run_bound(sql, bound, &arena, out, err));
    if (sorted) {
        sort_lines(out);
    }
done:
    arena_deinit(&arena);
    return code;
}
