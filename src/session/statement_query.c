/* SPDX-License-Identifier: Apache-2.0
 * statement_query.c - SELECT and its kin (rows from a run), DML (a run into storage), EXPLAIN and SHOW (lines of text). */
#include "base/number.h"
#include "session/session_internal.h"

void statement__tag_count(Statement *statement, const char *verb, uint64_t rows) {
    size_t len = strlen(verb);
    _Static_assert(sizeof "INSERT 0 " + INT64_TEXT_MAX <= sizeof statement->tag, "a tag takes a verb and a number");
    memcpy(statement->tag, verb, len);
    len += format_uint64(statement->tag + len, rows);
    statement->tag[len] = '\0';
}

/* Planned once; runs of the same compiled statement share it. */
ErrorCode statement__unplaced(const Statement *statement, ErrorCode code, Error *err) {
    if (code != ERR_OK && err != NULL && statement->session->dialect == DIALECT_POSTGRES) {
        err->position = ERROR_NO_POSITION;
    }
    return code;
}

ErrorCode statement__plan(Statement *statement, Error *err) {
    Compiled *compiled = statement->compiled;
    if (compiled->plan == NULL) {
        Txn *txn = statement__txn(statement);
        system_view_attach(&compiled->system, txn_catalog(txn), txn_storage(txn), &compiled->environment);
        PlanOptions options = {.environment = &compiled->environment, .catalog = &compiled->system.base,
                               .passes_off = statement->session->passes_off};
        TRY(statement__unplaced(statement, plan_create(statement->bound, &options, &compiled->plan_arena, &compiled->plan, err), err));
    }
    statement->plan = compiled->plan;
    return ERR_OK;
}

RunContext statement__run_context(Statement *statement) {
    Session *session = statement->session;
    return (RunContext){.storage = &statement->system.storage, .catalog = &statement->system.base, .params = statement->params,
                        .param_count = statement->bound->param_count, .environment = &statement->environment, .pool = session__pool(session),
                        .workers = session->workers, .control = &session->control, .memory_limit = session->memory_limit};
}

ErrorCode statement__start_query(Statement *statement, Error *err) {
    TRY(statement__plan(statement, err));
    RunContext context = statement__run_context(statement);
    statement__tag(statement, statement->bound->kind == STATEMENT_SHOW ? "SHOW" : "SELECT 0");
    return statement__unplaced(statement, run_open(statement->plan, &context, &statement->run, err), err);
}

/* What no operator had to look at is still encoded: decoded here, once, for whoever reads the answer. */
static ErrorCode decode_columns(Statement *statement, Batch *batch, Error *err) {
    arena_reset(&statement->batch_arena);
    for (uint16_t c = 0; c < batch->column_count; c++) {
        if (batch->columns[c].form == VECTOR_ENCODED) {
            TRY(vector_dense(&batch->columns[c], &statement->batch_arena, err));
        }
    }
    return ERR_OK;
}

ErrorCode statement__next_batch(Statement *statement, Batch **batch_out, Error *err) {
    TRY(statement__unplaced(statement, run_next(statement->run, batch_out, err), err));
    if (*batch_out != NULL) {
        TRY(decode_columns(statement, *batch_out, err));
        statement->affected += (*batch_out)->live == NULL ? (*batch_out)->row_count : (*batch_out)->live_count;
    } else if (statement->bound->kind == STATEMENT_SELECT) {
        statement__tag_count(statement, "SELECT ", statement->affected);
    }
    return ERR_OK;
}

ErrorCode statement__run_dml(Statement *statement, Error *err) {
    TRY(statement__plan(statement, err));
    RunContext context = statement__run_context(statement);
    const TableDef *table = statement->bound->table;
    DmlKind kind = statement->bound->kind == STATEMENT_INSERT ? DML_INSERT : statement->bound->kind == STATEMENT_UPDATE ? DML_UPDATE : DML_DELETE;
    TRY(statement__unplaced(statement, run_dml(statement->plan, &context, table, kind, &statement->affected, &statement->returned, err), err));
    statement__tag_count(statement, kind == DML_INSERT ? "INSERT 0 " : kind == DML_UPDATE ? "UPDATE " : "DELETE ", statement->affected);
    return ERR_OK;
}

/* ---- lines of text ---- */

static void take_lines(Statement *statement, Str text) {
    uint32_t count = 0;
    Str rest = text, line;
    while (rest.len > 0 && str_split(&rest, '\n', &line)) {
        count++;
    }
    statement->rows.lines = arena_array(&statement->arena, Str, count + 1);
    rest = text;
    while (rest.len > 0 && str_split(&rest, '\n', &line)) {
        statement->rows.lines[statement->rows.count++] = arena_str(&statement->arena, line);
    }
}

static ErrorCode run_analyzed(Statement *statement, Buffer *out, Error *err) {
    RunContext context = statement__run_context(statement);
    context.analyze_clock = engine_os(session_engine(statement->session))->clock;
    Run *run;
    Batch *batch = NULL;
    TRY(run_open(statement->plan, &context, &run, err));
    ErrorCode code;
    do {
        code = run_next(run, &batch, err);
    } while (code == ERR_OK && batch != NULL);
    if (code == ERR_OK) {
        run_explain(run, out);
    }
    run_close(run);
    return code;
}

static ErrorCode explain(Statement *statement, Buffer *out, Error *err) {
    TRY(statement__plan(statement, err));
    if (statement->bound->analyze) {
        return run_analyzed(statement, out, err);
    }
    plan_explain(statement->plan, statement->bound->verbose, out);
    return ERR_OK;
}

/* ---- SHOW ---- */

static ErrorCode show_one(Statement *statement, Error *err) {
    Str value, name;
    TRY(session__setting_show(statement->session, statement->bound->name, &name, &value, err));
    statement->rows.lines = arena_array(&statement->arena, Str, 1);
    statement->rows.lines[0] = arena_str(&statement->arena, value);
    statement->rows.count = 1;
    return ERR_OK;
}

static void show_all(Statement *statement) {
    TextRows *rows = &statement->rows;
    rows->lines = arena_array(&statement->arena, Str, 3 * (size_t)SETTING_COUNT);
    for (int i = 0; i < SETTING_COUNT; i++) {
        const SettingRow *row = setting__row((SettingId)i);
        if ((row->flags & SETTING_HIDDEN) == 0) {
            rows->lines[3 * rows->count] = str_from_c(row->name);
            rows->lines[3 * rows->count + 1] = arena_str(&statement->arena, setting__shown(statement->session, (SettingId)i));
            rows->count++;
        }
    }
}

ErrorCode statement__start_text(Statement *statement, Error *err) {
    statement->rows.column_count = statement->compiled->column_count;
    if (statement->bound->kind == STATEMENT_SHOW) {
        statement__tag(statement, "SHOW");
        if (statement->rows.column_count == 1) {
            return show_one(statement, err);
        }
        show_all(statement);
        return ERR_OK;
    }
    enum { EXPLAIN_BYTES_MAX = 16 << 20 };
    Buffer out;
    buffer_init(&out, EXPLAIN_BYTES_MAX);
    ErrorCode code = explain(statement, &out, err);
    if (code == ERR_OK && statement->bound->as_json) {
        Buffer json;
        buffer_init(&json, EXPLAIN_BYTES_MAX);
        plan_explain_json(buffer_str(&out), &json);
        take_lines(statement, buffer_str(&json));
        buffer_deinit(&json);
    } else if (code == ERR_OK) {
        take_lines(statement, buffer_str(&out));
    }
    buffer_deinit(&out);
    statement->rows.column_count = 1;
    statement__tag(statement, "EXPLAIN");
    return code;
}

void statement__next_text(Statement *statement, Batch **batch_out) {
    TextRows *rows = &statement->rows;
    uint32_t columns = rows->column_count, count = MIN_OF(rows->count - rows->next, (uint32_t)BATCH_ROWS);
    if (count == 0) {
        return;
    }
    if (statement->refs == NULL) {
        statement->refs = arena_alloc_aligned(&statement->arena, columns * BATCH_ROWS * sizeof(StrRef), 64);
        statement->row_vectors = arena_array(&statement->arena, Vector, columns);
    }
    for (uint32_t c = 0; c < columns; c++) {
        StrRef *refs = statement->refs + (size_t)c * BATCH_ROWS;
        for (uint32_t i = 0; i < count; i++) {
            Str line = rows->lines[(size_t)(rows->next + i) * columns + c];
            refs[i] = strref_make(line.data == NULL ? "" : line.data, line.len);
        }
        statement->row_vectors[c] = (Vector){.type = type_of(TYPE_TEXT), .form = VECTOR_FLAT, .row_count = (uint16_t)count, .data = refs};
    }
    rows->next += count;
    statement->batch = (Batch){.row_count = (uint16_t)count, .live_count = (uint16_t)count, .column_count = (uint16_t)columns, .columns = statement->row_vectors};
    *batch_out = &statement->batch;
}
