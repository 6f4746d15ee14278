/* SPDX-License-Identifier: Apache-2.0
 * copy_defaults.c - COPY ... FROM: values of columns that the data does not have, and of fields that hold the DEFAULT marker.
 *
 * How:   defaults are asked of a query of their own, one row a row that needs them, so that sequences count as in an INSERT.
 * Tests: test/pg/copying.py */
#include "session/session_internal.h"

enum { QUERY_BYTES_MAX = 1 << 24 };

/* Columns whose defaults are asked for, and where they go. */
typedef struct Wanted { Statement *statement; const ColumnDef **columns; ColumnBuilder **builders; uint16_t count; } Wanted;

bool statement_copy_has_default(const ColumnDef *column) { return column->default_text.len > 0 || (column->identity != IDENTITY_NONE && column->sequence_id != 0); }

/* An identity column takes its sequence's next value. */
static Str default_text(const Wanted *wanted, const ColumnDef *column) {
    CatalogView *catalog = txn_catalog(statement__txn(wanted->statement));
    const CatalogObject *sequence = column->default_text.len > 0 ? NULL : catalog->object_by_id(catalog, column->sequence_id);
    return sequence == NULL ? column->default_text : bind_sequence_default(catalog, sequence, &wanted->statement->arena);
}

static void default_query(const Wanted *wanted, uint32_t rows, Buffer *out) {
    buffer_append_str(out, STR("SELECT "));
    for (uint16_t i = 0; i < wanted->count; i++) {
        const ColumnDef *column = wanted->columns[i];
        Str value = default_text(wanted, column);
        buffer_printf(out, "%sCAST((%.*s) AS ", i == 0 ? "" : ", ", STR_ARG(value));
        session__append_type(column->type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : column->type, wanted->statement->environment.names, out);
        buffer_append_char(out, ')');
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

static ErrorCode ask(const Wanted *wanted, uint32_t rows, Error *err) {
    Buffer text;
    Statement *query = NULL;
    size_t used = 0;
    Batch *batch = NULL;
    buffer_init(&text, QUERY_BYTES_MAX);
    default_query(wanted, rows, &text);
    ErrorCode code = buffer_check(&text, err);
    code = code == ERR_OK ? statement_prepare(wanted->statement->session, buffer_str(&text), NULL, 0, &query, &used, err) : code;
    do {
        code = code == ERR_OK ? statement_step(query, &batch, err) : code;
        for (uint16_t i = 0; code == ERR_OK && batch != NULL && i < wanted->count; i++) {
            code = take_default(wanted->builders[i], wanted->columns[i], batch, &batch->columns[i], err);
        }
    } while (code == ERR_OK && batch != NULL);
    statement_close(query);
    buffer_deinit(&text);
    return code;
}

/* ---- columns that the data does not have ---- */

bool copy__is_given(const StatementCopy *copy, uint16_t column) {
    for (uint16_t i = 0; i < copy->column_count; i++) {
        if (copy->columns[i] == column) {
            return true;
        }
    }
    return false;
}

ErrorCode copy_defaults__missing(Statement *statement, const StatementCopy *copy, ColumnBuilder *builders, uint32_t rows, Error *err) {
    uint16_t count = copy->table->column_count;
    Wanted wanted = {statement, mem_calloc(count + 1u, sizeof *wanted.columns), mem_calloc(count + 1u, sizeof *wanted.builders), 0};
    for (uint16_t c = 0; c < count; c++) {
        if (!copy__is_given(copy, c) && statement_copy_has_default(&copy->table->columns[c])) {
            wanted.columns[wanted.count] = &copy->table->columns[c];
            wanted.builders[wanted.count++] = &builders[c];
        }
    }
    ErrorCode code = wanted.count > 0 ? ask(&wanted, rows, err) : ERR_OK;
    mem_free(wanted.columns);
    mem_free(wanted.builders);
    return code;
}

/* ---- DEFAULT markers ---- */

/* Copies one row of a block. */
static void put_row(const ColumnBlock *block, uint32_t row, ColumnBuilder *out) {
    uint64_t live[BATCH_WORDS] = {0};
    uint32_t at = row - row % BATCH_ROWS;
    uint16_t rows = (uint16_t)MIN_OF(block->row_count - at, (uint32_t)BATCH_ROWS);
    Vector vector = session__block_vector(block, at, rows);
    bit_set(live, row - at);
    column_builder_batch(out, &vector, live, rows);
}

ErrorCode copy_defaults__fill(Statement *statement, const ColumnDef *column, const ColumnBlock *block, const uint64_t *marked, ColumnBuilder *out, Error *err) {
    ColumnBuilder defaults;
    column_builder_init(&defaults, column->type);
    Wanted wanted = {statement, &column, (ColumnBuilder *[]){&defaults}, 1};
    ErrorCode code = ask(&wanted, bits_count(marked, block->row_count), err);
    if (code == ERR_OK) {
        ColumnBlock values = column_builder_block(&defaults);
        uint32_t next = 0;
        for (uint32_t row = 0; row < block->row_count; row++) {
            if (bit_get(marked, row)) {
                put_row(&values, next++, out);
            } else {
                put_row(block, row, out);
            }
        }
    }
    column_builder_deinit(&defaults);
    return code;
}
