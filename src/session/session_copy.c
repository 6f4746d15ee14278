/* SPDX-License-Identifier: Apache-2.0
 * session_copy.c - the session's part of COPY: which table and columns or query, and blocks of rows into storage.
 *
 * Why:        what the bytes look like is the door's business (folder copy); here rows are columns already.
 * How:        columns that are not in the list get their default from a query of its own, one row a row of the block.
 * Life cycle: statement_copy_begin -> (FROM: statement_copy_append* -> statement_copy_finish; TO: statement_step* of copy.rows). An
 *             error has undone what the statement did. Tests: test/pg/copying.py */
#include "session/session_internal.h"

static ErrorCode find_table(Statement *statement, const AstNames *names, const TableDef **table_out, Error *err) {
    CatalogView *view = &statement->system.base;
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    ErrorCode code = view->table_find(view, schema, names->parts[names->count - 1].text, table_out, err);
    if (code != ERR_OK && err != NULL) {
        err->position = names->span.at;
    }
    return code;
}

static ErrorCode find_columns(Statement *statement, const AstCopy *ast, StatementCopy *copy, Error *err) {
    const TableDef *table = copy->table;
    copy->column_count = (uint16_t)(ast->column_count > 0 ? ast->column_count : table->column_count);
    copy->columns = arena_array(&statement->arena, uint16_t, copy->column_count);
    for (uint16_t i = 0; i < copy->column_count; i++) {
        int number = ast->column_count > 0 ? table_column_find(table, ast->columns[i].text) : i;
        if (number < 0) {
            return error_set(err, ERR_UNDEFINED_COLUMN, ast->columns[i].span.at, "column \"%.*s\" of relation \"%.*s\" does not exist",
                             STR_ARG(ast->columns[i].text), STR_ARG(table->name));
        }
        for (uint16_t k = 0; k < i; k++) {
            if (copy->columns[k] == number) {
                return error_set(err, ERR_DUPLICATE_COLUMN, ast->columns[i].span.at, "column \"%.*s\" specified more than once", STR_ARG(ast->columns[i].text));
            }
        }
        copy->columns[i] = (uint16_t)number;
    }
    return ERR_OK;
}

/* ---- defaults of columns that the data does not have ---- */

static bool is_given(const StatementCopy *copy, uint16_t column) {
    for (uint16_t i = 0; i < copy->column_count; i++) {
        if (copy->columns[i] == column) {
            return true;
        }
    }
    return false;
}

static void default_query(const StatementCopy *copy, uint32_t rows, Buffer *out) {
    char type[64];
    bool first = true;
    buffer_append_str(out, STR("SELECT "));
    for (uint16_t c = 0; c < copy->table->column_count; c++) {
        const ColumnDef *column = &copy->table->columns[c];
        if (!is_given(copy, c) && column->default_text.len > 0) {
            size_t len = type_format_sql(type, sizeof type, column->type);
            bool symbol = column->type.id == TYPE_SYMBOL;
            buffer_printf(out, "%sCAST((%.*s) AS %.*s)", first ? "" : ", ", STR_ARG(column->default_text), symbol ? 4 : (int)len, symbol ? "text" : type);
            first = false;
        }
    }
    buffer_printf(out, " FROM generate_series(1, %u)", rows);
}

/* Symbols come as texts. */
static ErrorCode take_default(ColumnBuilder *builder, const ColumnDef *column, const Batch *batch, const Vector *vector, Error *err) {
    if (column->type.id != TYPE_SYMBOL) {
        column_builder_batch(builder, vector, batch->live, batch->row_count);
        return ERR_OK;
    }
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        int32_t code = vector_is_null(vector, row) ? -1 : column->symbols->intern(column->symbols, vector_text(vector, row));
        if (code < 0 && !vector_is_null(vector, row)) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "symbol column \"%.*s\" is full", STR_ARG(column->name));
        }
        if (code < 0) {
            column_builder_null(builder);
        } else {
            column_builder_value(builder, &code);
        }
    }
    return ERR_OK;
}

static ErrorCode take_defaults(const StatementCopy *copy, ColumnBuilder *builders, const Batch *batch, Error *err) {
    uint16_t next = 0;
    for (uint16_t c = 0; c < copy->table->column_count; c++) {
        const ColumnDef *column = &copy->table->columns[c];
        if (!is_given(copy, c) && column->default_text.len > 0) {
            TRY(take_default(&builders[c], column, batch, &batch->columns[next++], err));
        }
    }
    return ERR_OK;
}

static ErrorCode run_defaults(Statement *statement, const StatementCopy *copy, ColumnBuilder *builders, uint32_t rows, Error *err) {
    enum { QUERY_BYTES_MAX = 1 << 24 };
    Buffer text;
    Statement *query = NULL;
    size_t used = 0;
    Batch *batch = NULL;
    buffer_init(&text, QUERY_BYTES_MAX);
    default_query(copy, rows, &text);
    ErrorCode code = buffer_check(&text, err);
    code = code == ERR_OK ? statement_prepare(statement->session, buffer_str(&text), NULL, 0, &query, &used, err) : code;
    do {
        code = code == ERR_OK ? statement_step(query, &batch, err) : code;
        code = code == ERR_OK && batch != NULL ? take_defaults(copy, builders, batch, err) : code;
    } while (code == ERR_OK && batch != NULL);
    statement_close(query);
    buffer_deinit(&text);
    return code;
}

static bool has_defaults(const StatementCopy *copy) {
    for (uint16_t c = 0; c < copy->table->column_count; c++) {
        if (!is_given(copy, c) && copy->table->columns[c].default_text.len > 0) {
            return true;
        }
    }
    return false;
}

/* ---- rows ---- */

static ErrorCode append(Statement *statement, const StatementCopy *copy, ColumnBuilder *const *builders, uint32_t rows, ColumnBuilder *missing, Error *err) {
    uint16_t count = copy->table->column_count;
    ColumnBlock *blocks = mem_calloc(count + 1u, sizeof *blocks);
    ErrorCode code = has_defaults(copy) ? run_defaults(statement, copy, missing, rows, err) : ERR_OK;
    for (uint16_t c = 0; c < count; c++) {
        if (!is_given(copy, c)) {
            column_builder_nulls(&missing[c], rows - missing[c].row_count);
            blocks[c] = column_builder_block(&missing[c]);
        }
    }
    for (uint16_t i = 0; i < copy->column_count; i++) {
        blocks[copy->columns[i]] = column_builder_block(builders[i]);
    }
    Storage *storage = &statement->system.storage;
    code = code == ERR_OK ? storage->append(storage, copy->table->id, blocks, count, err) : code;
    mem_free(blocks);
    return code;
}

ErrorCode statement_copy_append(Statement *statement, const StatementCopy *copy, ColumnBuilder *const *builders, uint32_t rows, Error *err) {
    uint16_t count = copy->table->column_count;
    ColumnBuilder *missing = mem_calloc(count + 1u, sizeof *missing);
    for (uint16_t c = 0; c < count; c++) {
        if (!is_given(copy, c)) {
            column_builder_init(&missing[c], copy->table->columns[c].type);
        }
    }
    ErrorCode code = append(statement, copy, builders, rows, missing, err);
    for (uint16_t c = 0; c < count; c++) {
        if (!is_given(copy, c)) {
            column_builder_deinit(&missing[c]);
        }
    }
    mem_free(missing);
    if (atomic_load(&statement->session->control.cancel) != 0 && code == ERR_OK) {
        code = error_set(err, ERR_CANCELED, ERROR_NO_POSITION, "canceling statement due to user request");
    }
    statement->affected += rows;
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
    snprintf(statement->tag, sizeof statement->tag, "COPY %llu", (unsigned long long)statement->affected);
    return statement__finish(statement, err);
}

/* ---- begin ---- */

static ErrorCode begin_in(Statement *statement, const AstCopy *ast, StatementCopy *copy, Error *err) {
    TRY(statement__check_writable(statement, err));
    TRY(find_table(statement, &ast->table, &copy->table, err));
    TRY(find_columns(statement, ast, copy, err));
    if (ast->where != NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ast->where->span.at, "COPY ... WHERE is not supported yet");
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
        sql_deparse(ast->query, &text);
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
        if (err != NULL && ast->query != NULL) {
            err->position = ERROR_NO_POSITION; /* of the query's text as it is printed */
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
    snprintf(statement->tag, sizeof statement->tag, "COPY %llu", (unsigned long long)rows);
    return statement__finish(statement, err);
}
