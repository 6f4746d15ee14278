/* SPDX-License-Identifier: Apache-2.0
 * session_copy.c - the session's part of COPY: which table and columns or query, and blocks of rows into storage.
 *
 * Why:        what the bytes look like is the door's business (folder copy); here rows are columns already.
 * How:        columns that are not in the list get their defaults (copy_defaults.c), then WHERE chooses rows (copy_where.c).
 * Life cycle: statement_copy_begin -> (FROM: statement_copy_append* -> statement_copy_finish; TO: statement_step* of copy.rows). An
 *             error has undone what the statement did. Tests: test/pg/copying.py */
#include "session/session_internal.h"

/* Views and sequences are no tables, whichever way the rows go. */
static ErrorCode check_kind(Statement *statement, const AstCopy *ast, Error *err) {
    CatalogView *catalog = txn_catalog(statement__txn(statement));
    const AstNames *names = &ast->table;
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    const CatalogObject *object = ast->query != NULL ? NULL : catalog->relation_find(catalog, schema, names->parts[names->count - 1].text);
    if (object == NULL || object->kind == OBJECT_TABLE) {
        return ERR_OK;
    }
    ErrorCode code = error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "cannot copy %s %s \"%.*s\"", ast->from ? "to" : "from", object_kind_name(object->kind),
                               STR_ARG(object->name));
    if (object->kind != OBJECT_VIEW) {
        return code;
    }
    return error_add(err, 'H', ast->from ? "To enable copying to a view, provide an INSTEAD OF INSERT trigger." : "Try the COPY (SELECT ...) TO variant.");
}

static ErrorCode check_privilege(Statement *statement, const TableDef *table, Error *err) {
    CatalogView *catalog = txn_catalog(statement__txn(statement));
    uint32_t role = session__bind_role(statement->session, catalog);
    bool may = role == 0 || (catalog_privileges(catalog, role, OBJECT_TABLE, table->id, false) & PRIVILEGE_INSERT) != 0;
    return may ? ERR_OK : error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for table %.*s", STR_ARG(table->name));
}

static ErrorCode find_columns(Statement *statement, const AstCopy *ast, StatementCopy *copy, Error *err) {
    const TableDef *table = copy->table;
    copy->column_count = (uint16_t)(ast->column_count > 0 ? ast->column_count : table->column_count);
    copy->columns = arena_array(&statement->arena, uint16_t, copy->column_count);
    for (uint16_t i = 0; i < copy->column_count; i++) {
        int number = ast->column_count > 0 ? table_column_find(table, ast->columns[i].text) : i;
        if (number < 0) {
            return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" of relation \"%.*s\" does not exist",
                             STR_ARG(ast->columns[i].text), STR_ARG(table->name));
        }
        for (uint16_t k = 0; k < i; k++) {
            if (copy->columns[k] == number) {
                return error_set(err, ERR_DUPLICATE_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" specified more than once", STR_ARG(ast->columns[i].text));
            }
        }
        copy->columns[i] = (uint16_t)number;
    }
    return ERR_OK;
}

/* ---- rows ---- */

/* Columns that are made here: those that the data does not have, and those with DEFAULT markers. */
typedef struct Made { ColumnBuilder *builders; bool *is_made; uint16_t count; } Made;

static void made_open(Made *made, uint16_t count) {
    *made = (Made){mem_calloc(count + 1u, sizeof(ColumnBuilder)), mem_calloc(count + 1u, sizeof(bool)), count};
}

static ColumnBuilder *made_column(Made *made, uint16_t column, Type type) {
    column_builder_init(&made->builders[column], type);
    made->is_made[column] = true;
    return &made->builders[column];
}

static void made_close(Made *made) {
    for (uint16_t c = 0; c < made->count; c++) {
        if (made->is_made[c]) {
            column_builder_deinit(&made->builders[c]);
        }
    }
    mem_free(made->builders);
    mem_free(made->is_made);
}

/* The blocks of all of the table's columns. */
static ErrorCode whole_rows(Statement *statement, const StatementCopy *copy, const CopyRows *rows, Made *made, ColumnBlock *blocks, Error *err) {
    uint16_t count = copy->table->column_count;
    for (uint16_t i = 0; i < copy->column_count; i++) {
        uint16_t column = copy->columns[i];
        blocks[column] = column_builder_block(rows->builders[i]);
        if (rows->defaults != NULL && rows->defaults[i] != NULL) {
            ColumnBuilder *filled = made_column(made, column, copy->table->columns[column].type);
            TRY(copy_defaults__fill(statement, &copy->table->columns[column], &blocks[column], rows->defaults[i], filled, err));
            blocks[column] = column_builder_block(filled);
        }
    }
    for (uint16_t c = 0; c < count; c++) {
        if (!copy__is_given(copy, c)) {
            (void)made_column(made, c, copy->table->columns[c].type);
        }
    }
    TRY(copy_defaults__missing(statement, copy, made->builders, rows->count, err));
    for (uint16_t c = 0; c < count; c++) {
        if (!copy__is_given(copy, c)) {
            column_builder_nulls(&made->builders[c], rows->count - made->builders[c].row_count);
            blocks[c] = column_builder_block(&made->builders[c]);
        }
    }
    return ERR_OK;
}

static ErrorCode store(Statement *statement, const StatementCopy *copy, const ColumnBlock *blocks, uint32_t rows, Error *err) {
    Storage *storage = &statement->system.storage;
    statement->affected += rows;
    return rows == 0 ? ERR_OK : storage->append(storage, copy->table->id, blocks, copy->table->column_count, err);
}

static ErrorCode store_what_passes(Statement *statement, const StatementCopy *copy, ColumnBlock *blocks, Error *err) {
    Made kept;
    uint32_t rows = 0;
    made_open(&kept, copy->table->column_count);
    for (uint16_t c = 0; c < kept.count; c++) {
        (void)made_column(&kept, c, copy->table->columns[c].type);
    }
    ErrorCode code = copy_where__filter(copy->where, blocks, kept.builders, &rows, err);
    for (uint16_t c = 0; c < kept.count; c++) {
        blocks[c] = column_builder_block(&kept.builders[c]);
    }
    code = code == ERR_OK ? store(statement, copy, blocks, rows, err) : code;
    made_close(&kept);
    return code;
}

ErrorCode statement_copy_append(Statement *statement, const StatementCopy *copy, const CopyRows *rows, Error *err) {
    Made made;
    ColumnBlock *blocks = mem_calloc(copy->table->column_count + 1u, sizeof *blocks);
    made_open(&made, copy->table->column_count);
    ErrorCode code = whole_rows(statement, copy, rows, &made, blocks, err);
    if (code == ERR_OK) {
        code = copy->where != NULL ? store_what_passes(statement, copy, blocks, err) : store(statement, copy, blocks, rows->count, err);
    }
    made_close(&made);
    mem_free(blocks);
    if (atomic_load(&statement->session->control.cancel) != 0 && code == ERR_OK) {
        code = error_set(err, ERR_CANCELED, ERROR_NO_POSITION, "canceling statement due to user request");
    }
    return code;
}

void statement_copy_fail(Statement *statement, const StatementCopy *copy) {
    if (statement__txn(statement) != NULL) {
        txn_rollback_to(statement__txn(statement), copy->mark);
    }
    statement__fail(statement);
}

ErrorCode statement_copy_finish(Statement *statement, const StatementCopy *copy, Error *err) {
    Storage *storage = &statement->system.storage;
    ErrorCode code = storage->statement_end != NULL ? storage->statement_end(storage, err) : ERR_OK;
    if (code != ERR_OK) {
        statement_copy_fail(statement, copy);
        return code;
    }
    statement__tag_count(statement, "COPY ", statement->affected);
    return statement__finish(statement, err);
}

/* ---- begin ---- */

static ErrorCode begin_in(Statement *statement, const AstCopy *ast, StatementCopy *copy, Error *err) {
    TRY(statement__check_writable(statement, err));
    TRY(statement__table_find(statement, &statement->system.base, &ast->table, &copy->table, err));
    TRY(find_columns(statement, ast, copy, err));
    TRY(check_privilege(statement, copy->table, err));
    if (ast->where != NULL) {
        TRY(copy_where__open(statement, copy->table, ast->where, &copy->where, err));
    }
    copy->mark = txn_mark(statement__txn(statement));
    return ERR_OK;
}

static void table_query(const AstCopy *ast, Dialect dialect, Buffer *out) {
    buffer_append_str(out, STR("SELECT "));
    for (uint32_t i = 0; i < ast->column_count; i++) {
        buffer_append_str(out, i == 0 ? STR("") : STR(", "));
        sql_deparse_name(ast->columns[i].text, dialect, out);
    }
    buffer_append_str(out, ast->column_count == 0 ? STR("* FROM ") : STR(" FROM "));
    for (uint32_t i = 0; i < ast->table.count; i++) {
        buffer_append_str(out, i == 0 ? STR("") : STR("."));
        sql_deparse_name(ast->table.parts[i].text, dialect, out);
    }
}

static ErrorCode begin_out(Statement *statement, const AstCopy *ast, StatementCopy *copy, Error *err) {
    enum { QUERY_BYTES_MAX = 64 << 20 };
    Buffer text;
    size_t used = 0;
    buffer_init(&text, QUERY_BYTES_MAX);
    if (ast->query != NULL) {
        buffer_append_str(&text, str_slice(statement->text, ast->query->span.at, ast->query->span.at + ast->query->span.len));
    } else {
        table_query(ast, statement->session->dialect, &text);
    }
    ErrorCode code = buffer_check(&text, err);
    code = code == ERR_OK ? statement_prepare(statement->session, buffer_str(&text), NULL, 0, &copy->rows, &used, err) : code;
    buffer_deinit(&text);
    if (code == ERR_OK && statement_column_count(copy->rows) == 0) {
        code = error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "COPY query must have a RETURNING clause");
    }
    if (code != ERR_OK) {
        statement_close(copy->rows);
        copy->rows = NULL;
        if (err != NULL) { /* of the query's own text; a table's is made here */
            err->position = ast->query != NULL && err->position >= 0 ? err->position + ast->query->span.at : ERROR_NO_POSITION;
        }
    }
    return code;
}

ErrorCode statement_copy_begin(Statement *statement, StatementCopy *copy_out, Error *err) {
    const AstCopy *ast = statement->compiled->tree->as.copy;
    *copy_out = (StatementCopy){.ast = ast, .environment = &statement->environment};
    ErrorCode code = statement__start_copy(statement, err);
    if (code == ERR_OK && (ast->target == AST_COPY_FILE || ast->target == AST_COPY_PROGRAM)) {
        code = error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "COPY with a file or program of the server is not supported; use STDIN, STDOUT or \\copy");
    }
    code = code == ERR_OK ? check_kind(statement, ast, err) : code;
    if (code == ERR_OK) {
        code = statement_kind(statement) == STATEMENT_COPY_IN ? begin_in(statement, ast, copy_out, err) : begin_out(statement, ast, copy_out, err);
    }
    if (code != ERR_OK) {
        statement__fail(statement);
    }
    return code;
}

/* TO: the rows have been read to their end. */
ErrorCode statement_copy_sent(Statement *statement, StatementCopy *copy, uint64_t rows, Error *err) {
    statement_close(copy->rows);
    copy->rows = NULL;
    statement__tag_count(statement, "COPY ", rows);
    return statement__finish(statement, err);
}
