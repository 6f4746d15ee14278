/* SPDX-License-Identifier: Apache-2.0
 * load.c - the loop: pieces are unpacked, the sample is planned, rows are parsed into the batch, full batches are appended.
 *
 * States:     sample (until LOAD_SAMPLE_BYTES came or the end) -> rows -> finished.
 * Invariants: batch_rows < LOAD_BATCH_ROWS between rows; a row that is left out does not advance batch_rows.
 * Tests:      test/unit/load, test/real */
#include "load/load_internal.h"
#include <stdio.h>

static ErrorCode take_unpacked(void *context, Bytes piece, Error *err);

static void options_copy(Load *load, const LoadOptions *options) {
    Arena *arena = &load->arena;
    LoadColumnSpec *columns = arena_array(arena, LoadColumnSpec, options->column_count);
    load->options = *options;
    load->options.schema_name = arena_str(arena, options->schema_name);
    load->options.table = arena_str(arena, options->table);
    load->options.timestamp = arena_str(arena, options->timestamp);
    load->options.null_text = arena_str(arena, options->null_text);
    for (uint32_t i = 0; i < options->column_count; i++) {
        columns[i] = options->columns[i];
        columns[i].name = arena_str(arena, options->columns[i].name);
        columns[i].pattern = arena_str(arena, options->columns[i].pattern);
    }
    load->options.columns = columns;
}

ErrorCode load_begin(Session *session, const LoadOptions *options, Load **load_out, Error *err) {
    assert(load_out != NULL);
    if (options->table.len == 0 || options->table.len > NAME_BYTES_MAX) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "the table needs a name of 1 to %d bytes", NAME_BYTES_MAX);
    }
    bool own = session_txn(session) == NULL;
    if (own) {
        TRY(session_begin(session, err));
    }
    Load *load = mem_calloc(1, sizeof *load);
    load->session = session;
    load->own_transaction = own;
    arena_init(&load->arena, SIZE_MAX);
    arena_init(&load->heap, SIZE_MAX);
    buffer_init(&load->sample, SIZE_MAX);
    options_copy(load, options);
    load->report.table = load->options.table;
    load->unpack = unpack_open(take_unpacked, load);
    *load_out = load;
    return ERR_OK;
}

void load_close(Load *load) {
    if (load == NULL) {
        return;
    }
    if (load->own_transaction && !load->finished) {
        session_rollback(load->session);
    }
    for (uint32_t i = 0; i < load->column_count; i++) {
        load__column_deinit(&load->columns[i]);
    }
    csv_close(load->csv);
    unpack_close(load->unpack);
    buffer_deinit(&load->sample);
    arena_deinit(&load->heap);
    arena_deinit(&load->arena);
    mem_free(load);
}

uint64_t load_rows(const Load *load) {
    return load->report.rows + load->batch_rows;
}

const LoadReport *load_report(Load *load) {
    for (uint32_t i = 0; load->field_reports != NULL && i < load->field_count; i++) {
        load->field_reports[i].errors = load->fields[i].errors;
    }
    load->report.columns = load->field_reports;
    load->report.column_count = load->field_reports == NULL ? 0 : load->field_count;
    load->report.problems = load->problems;
    return &load->report;
}

/* ---- batches ---- */

static ErrorCode batch_append(Load *load, Error *err) {
    if (load->batch_rows == 0) {
        return ERR_OK;
    }
    ColumnBlock *blocks = arena_array(&load->heap, ColumnBlock, load->column_count);
    for (uint32_t i = 0; i < load->column_count; i++) {
        blocks[i] = load__column_block(&load->columns[i], load->batch_rows);
    }
    Storage *storage = txn_storage(session_txn(load->session));
    TRY(storage->append(storage, load->table->id, blocks, (uint16_t)load->column_count, err));
    load->report.rows += load->batch_rows;
    load->batch_rows = 0;
    for (uint32_t i = 0; i < load->column_count; i++) {
        load__column_clear(&load->columns[i]);
    }
    arena_reset(&load->heap);
    return ERR_OK;
}

/* ---- wrong rows and values ---- */

static void problem_keep(Load *load, uint64_t line, uint32_t field, const char *message) {
    if (load->report.problem_count < LOAD_PROBLEMS_KEPT) {
        load->problems[load->report.problem_count++] = (LoadProblem){
            .line = line,
            .field = field,
            .message = arena_str(&load->arena, str_from_c(message)),
        };
    }
}

/* Nulls that the row put down before it was found wrong are taken back. */
static void row_undo(Load *load) {
    for (uint32_t i = 0; i < load->column_count; i++) {
        if (!bit_get(load->columns[i].valid, load->batch_rows)) {
            bit_set(load->columns[i].valid, load->batch_rows);
            load->columns[i].null_count--;
        }
    }
}

static ErrorCode row_reject(Load *load, const CsvRow *row, uint32_t field, ErrorCode code, const char *message, Error *err) {
    problem_keep(load, row->line, field, message);
    if (load->options.on_error == LOAD_ABORT) {
        return error_set(err, code, (int64_t)row->offset, "%s", message);
    }
    row_undo(load);
    load->report.rejected++;
    return ERR_OK;
}

static void describe_value(Load *load, const CsvRow *row, uint32_t field, char *out, size_t room) {
    const LoadColumn *column = &load->columns[load->fields[field].column];
    Str text = csv_text(row, field);
    char type[64];
    type[type_format_sql(type, sizeof type - 1, column->type)] = '\0';
    snprintf(out, room, "line %llu, column %.*s: %s%.*s%s is no %s", (unsigned long long)row->line,
             STR_ARG(load->field_reports[field].name), text.len > 40 ? "a text that begins with " : "\"", (int)MIN_OF(text.len, (size_t)40),
             text.data, text.len > 40 ? "" : "\"", type);
}

/* Stores one field. *fine_out: the row may stay. */
static ErrorCode value_store(Load *load, const CsvRow *row, uint32_t field, bool *fine_out, Error *err) {
    LoadColumn *column = &load->columns[load->fields[field].column];
    const CsvField *place = &row->fields[field];
    Str text = csv_text(row, field);
    bool is_null = (text.len == 0 && !(place->quoted && column->is_text)) ||
                   (load->options.null_text.len > 0 && !place->quoted && str_equal(text, load->options.null_text));
    *fine_out = true;
    char message[ERROR_MESSAGE_BYTES];
    if (!is_null) {
        if (LIKELY(column->parse(column, text, load->batch_rows))) {
            return ERR_OK;
        }
        load->fields[field].errors++;
        if (load->options.on_error != LOAD_SKIP_COLUMN || column->not_null) {
            *fine_out = false;
            describe_value(load, row, field, message, sizeof message);
            return row_reject(load, row, field, ERR_INVALID_TEXT, message, err);
        }
    }
    if (column->not_null) {
        *fine_out = false;
        load->fields[field].errors++;
        snprintf(message, sizeof message, "line %llu, column %.*s: NULL is not allowed", (unsigned long long)row->line,
                 STR_ARG(load->field_reports[field].name));
        return row_reject(load, row, field, ERR_NOT_NULL_VIOLATION, message, err);
    }
    load__column_null(column, load->batch_rows);
    return ERR_OK;
}

/* A row with another number of fields than the file's. *fine_out: it may stay (missing fields become NULL). */
static ErrorCode row_check(Load *load, const CsvRow *row, bool *fine_out, Error *err) {
    char message[ERROR_MESSAGE_BYTES];
    *fine_out = false;
    if (row->problem != CSV_FINE) {
        snprintf(message, sizeof message, "line %llu, column %.*s: %s", (unsigned long long)row->line,
                 row->problem_field < load->field_count ? (int)load->field_reports[row->problem_field].name.len : 1,
                 row->problem_field < load->field_count ? load->field_reports[row->problem_field].name.data : "?",
                 csv_problem_text(row->problem));
        return row_reject(load, row, row->problem_field, ERR_INVALID_ENCODING, message, err);
    }
    if (row->field_count > load->field_count && load->options.skip_long_rows) {
        load->report.rejected++;
        return ERR_OK;
    }
    if (row->field_count < load->field_count && load->options.on_error == LOAD_SKIP_COLUMN) {
        *fine_out = true;
        return ERR_OK;
    }
    snprintf(message, sizeof message, "line %llu: %u fields, the file has %u columns", (unsigned long long)row->line, row->field_count,
             load->field_count);
    ErrorCode code = row_reject(load, row, 0, ERR_BAD_COPY, message, err);
    if (code == ERR_OK && row->field_count > load->field_count && load->options.on_error == LOAD_SKIP_COLUMN) {
        return error_set(err, ERR_BAD_COPY, (int64_t)row->offset, "%s", message); /* skipLev=false: extra values end the load */
    }
    return code;
}

static ErrorCode row_store(Load *load, const CsvRow *row, Error *err) {
    bool fine = true;
    if (UNLIKELY(row->field_count != load->field_count || row->problem != CSV_FINE)) {
        TRY(row_check(load, row, &fine, err));
        if (!fine) {
            return ERR_OK;
        }
    }
    uint32_t count = MIN_OF(row->field_count, load->field_count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(value_store(load, row, i, &fine, err));
        if (!fine) {
            return ERR_OK;
        }
    }
    for (uint32_t i = count; i < load->field_count; i++) {
        load__column_null(&load->columns[load->fields[i].column], load->batch_rows);
    }
    for (uint32_t i = 0; i < load->absent_count; i++) {
        load__column_null(&load->columns[load->absent[i]], load->batch_rows);
    }
    if (++load->batch_rows == LOAD_BATCH_ROWS) {
        return batch_append(load, err);
    }
    return ERR_OK;
}

/* ---- the loop ---- */

static ErrorCode rows_take(Load *load, Error *err) {
    const CsvRow *row = NULL;
    for (;;) {
        TRY(csv_next(load->csv, &row, err));
        if (row == NULL) {
            return ERR_OK;
        }
        if (load->header_due) {
            load->header_due = false;
            continue;
        }
        TRY(row_store(load, row, err));
    }
}

/* The sample is complete: plan, then read it again as rows. */
static ErrorCode sample_end(Load *load, bool sample_is_all, Error *err) {
    TRY(load__plan(load, sample_is_all, err));
    load->planned = true;
    load->csv = csv_open(&(CsvOptions){.delimiter = load->options.delimiter});
    csv_feed(load->csv, buffer_bytes(&load->sample));
    buffer_deinit(&load->sample);
    buffer_init(&load->sample, SIZE_MAX);
    return rows_take(load, err);
}

/* Enough bytes, and the first row is among them (or too long to wait for). */
static bool sample_suffices(const Buffer *sample) {
    if (sample->len < LOAD_SAMPLE_BYTES) {
        return false;
    }
    return sample->len >= CSV_FIELD_BYTES_DEFAULT || memchr(sample->data, '\n', sample->len) != NULL ||
           memchr(sample->data, '\r', sample->len) != NULL;
}

static ErrorCode take_unpacked(void *context, Bytes piece, Error *err) {
    Load *load = context;
    if (!load->planned) {
        buffer_append(&load->sample, piece.data, piece.len);
        return sample_suffices(&load->sample) ? sample_end(load, false, err) : ERR_OK;
    }
    while (piece.len > 0) {
        size_t part = MIN_OF(piece.len, (size_t)LOAD_SAMPLE_BYTES);
        csv_feed(load->csv, bytes_from(piece.data, part));
        TRY(rows_take(load, err));
        piece.data += part;
        piece.len -= part;
    }
    return ERR_OK;
}

ErrorCode load_feed(Load *load, Bytes piece, Error *err) {
    assert(!load->finished);
    return unpack_feed(load->unpack, piece, err);
}

ErrorCode load_finish(Load *load, Error *err) {
    assert(!load->finished);
    TRY(unpack_finish(load->unpack, err));
    if (!load->planned) {
        TRY(sample_end(load, true, err));
    }
    csv_end(load->csv);
    TRY(rows_take(load, err));
    TRY(batch_append(load, err));
    if (load->own_transaction) {
        load->finished = true; /* also if the commit fails: the session rolled it back */
        return session_commit(load->session, err);
    }
    load->finished = true;
    return ERR_OK;
}
