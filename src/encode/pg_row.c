/* SPDX-License-Identifier: Apache-2.0
 * pg_row.c - DataRow messages out of batches: which rows, passes over them, rows put together.
 *
 * Layout:     'D' | u32 length | u16 columns | per column: i32 length (-1 NULL), bytes (docs/format/pgwire.md)
 * Tests:      test/unit/encode/test_pg_row.c */
#include "encode/pg_row_internal.h"

enum { ROW_HEAD_BYTES = 7 };

/* ---- what columns need ---- */

static ErrorCode plan_fields(PgRun *run, const Cell *cells, const uint8_t *formats, PgField **fields_out, Error *err) {
    uint16_t count = run->encoder->column_count;
    Arena *scratch = &run->encoder->scratch;
    PgField *fields = arena_array(scratch, PgField, count + 1);
    for (uint16_t c = 0; c < count; c++) {
        Type type = cells[c].type;
        PgFieldPlan plan = {0};
        if (formats == NULL || formats[c] == PG_FORMAT_TEXT) {
            plan = encode__pg_text_plan(type, &run->style);
        } else if (!encode__pg_binary_plan(type, &plan)) {
            return error_set(err, ERR_UNDEFINED_FUNCTION, ERROR_NO_POSITION, "no binary output function available for type %s",
                             type_sql_name((TypeId)type.id));
        }
        fields[c] = (PgField){.cell = &cells[c], .fill = plan.fill, .kind = plan.kind, .slot_width = plan.slot_width};
        fields[c].lens = arena_alloc_aligned(scratch, run->room * sizeof(int32_t), PG_SLOT_BYTES);
        if (plan.kind == PG_FIELD_SLOTS) {
            assert(plan.slot_width % PG_SLOT_BYTES == 0);
            fields[c].slots = arena_alloc_aligned(scratch, (size_t)run->room * plan.slot_width, PG_SLOT_BYTES);
        } else {
            fields[c].as.texts = arena_alloc_aligned(scratch, run->room * sizeof(char *), PG_SLOT_BYTES);
        }
    }
    *fields_out = fields;
    return ERR_OK;
}

/* ---- which rows ---- */

/* The next live rows from `row` on, at most `max`. Returns where to go on. */
static uint32_t pick_rows(PgRun *run, const Batch *batch, uint32_t row, uint64_t max) {
    uint16_t count = 0, most = (uint16_t)MIN_OF(max, (uint64_t)run->room);
    if (batch->live == NULL) {
        run->row_count = (uint16_t)MIN_OF((uint32_t)most, batch->row_count - row);
        for (size_t i = 0; i < run->row_count; i++) {
            run->rows[i] = (uint16_t)(row + i);
        }
        return row + run->row_count;
    }
    for (; row < batch->row_count && count < most; row++) {
        run->rows[count] = (uint16_t)row;
        count += (uint16_t)bit_get(batch->live, row);
    }
    run->row_count = count;
    return row;
}

/* ---- pass one ---- */

static void find_places(PgRun *run, const Cell *cell) {
    run->places = run->rows;
    if (cell->index == NULL) {
        return;
    }
    for (size_t i = 0; i < run->row_count; i++) {
        run->index_places[i] = cell->index[run->rows[i]];
    }
    run->places = run->index_places;
}

static void find_nulls(const PgRun *run, const Cell *cell, int32_t *lens) {
    if (cell->valid == NULL && cell->row_valid == NULL) {
        memset(lens, 0, run->row_count * sizeof lens[0]);
        return;
    }
    for (size_t i = 0; i < run->row_count; i++) {
        lens[i] = encode__is_null(cell, run->rows[i], run->places[i]) ? PG_NULL : 0;
    }
}

/* One value for all rows is made once. */
static void fill_constant(PgRun *run, PgField *field) {
    uint16_t row_count = run->row_count, first = run->rows[0];
    run->row_count = 1;
    run->rows[0] = 0;
    run->places = run->rows;
    find_nulls(run, field->cell, field->lens);
    field->fill(run, field);
    run->row_count = row_count;
    run->rows[0] = first;
    field->slot_bytes = 0;
    for (size_t i = 1; i < row_count; i++) {
        field->lens[i] = field->lens[0];
        if (field->kind != PG_FIELD_SLOTS) {
            field->as.texts[i] = field->as.texts[0];
        }
    }
}

/* Bytes of the column's fields, at most. */
static size_t field_bytes(const PgRun *run, const PgField *field) {
    size_t bytes = 0;
    if (field->kind == PG_FIELD_SLOTS) { /* more than it will be, but nothing to add up */
        return (size_t)run->row_count * field->slot_width;
    }
    for (size_t i = 0; i < run->row_count; i++) {
        bytes += (size_t)MAX_OF(field->lens[i], 0);
    }
    return bytes;
}

/* Bytes of the column's fields, with their lengths, at most. */
static size_t fill_field(PgRun *run, PgField *field) {
    const Cell *cell = field->cell;
    if (cell->constant) {
        fill_constant(run, field);
    } else {
        find_places(run, cell);
        find_nulls(run, cell, field->lens);
        field->fill(run, field);
        field->slot_bytes = field->slot_width;
    }
    field->bytes = field_bytes(run, field);
    return field->bytes + (size_t)run->row_count * 4;
}

/* ---- pass two ---- */

static inline uint8_t *put_field(uint8_t *at, const PgField *field, size_t i) {
    int32_t len = field->lens[i];
    pg__put_u32(at, (uint32_t)len);
    at += 4;
    if (len <= 0) {
        return at;
    }
    switch ((PgFieldKind)field->kind) {
    case PG_FIELD_SLOTS: return pg_put_slot(at, field->slots + i * field->slot_bytes, (size_t)len);
    case PG_FIELD_REFS: return pg_put_ref(at, field->as.refs[i], (size_t)len);
    case PG_FIELD_TEXTS: memcpy(at, field->as.texts[i], (size_t)len); break;
    }
    return at + len;
}

static inline uint8_t *put_row(uint8_t *start, const PgField *fields, uint16_t column_count, size_t i) {
    uint8_t *at = start + ROW_HEAD_BYTES;
    for (size_t c = 0; c < column_count; c++) {
        at = put_field(at, &fields[c], i);
    }
    start[0] = 'D';
    pg__put_u32(start + 1, (uint32_t)(at - start - 1));
    pg__put_u16(start + 5, column_count);
    return at;
}

/* false: stopped at the window's byte count or at the buffer's limit. */
static bool put_rows(const PgRun *run, const PgField *fields, size_t bytes, PgRowWindow *window, Buffer *out) {
    uint8_t *at = buffer_reserve(out, bytes + PG_SLACK_BYTES);
    if (at == NULL) {
        return false;
    }
    for (size_t i = 0; i < run->row_count; i++) {
        at = put_row(at, fields, run->encoder->column_count, i);
        window->rows_left -= window->rows_left != UINT64_MAX;
        run->encoder->row_count++;
        if (UNLIKELY(window->out_bytes > 0 && (size_t)(at - out->data) >= window->out_bytes)) {
            window->row = run->rows[i] + 1u;
            out->len = (size_t)(at - out->data);
            return false;
        }
    }
    out->len = (size_t)(at - out->data);
    return true;
}

/* ---- runs ---- */

ErrorCode pg_run_begin(Encoder *encoder, Batch *batch, const uint16_t *columns, const uint8_t *formats, PgRun **run_out, Error *err) {
    Cell *cells = NULL;
    TRY(encode__cells(encoder, batch, columns, &cells, err));
    PgRun *run = arena_new(&encoder->scratch, PgRun);
    run->encoder = encoder;
    run->batch = batch;
    run->room = (uint16_t)MIN_OF(MAX_OF(batch->row_count, 1), PG_RUN_ROWS);
    run->rows = arena_alloc_aligned(&encoder->scratch, 2 * run->room * sizeof *run->rows, PG_SLOT_BYTES);
    run->index_places = run->rows + run->room;
    run->style = encoder->options.text;
    run->style.questdb = false;
    TRY(plan_fields(run, cells, formats, &run->fields, err));
    run->mark = arena_mark(&encoder->scratch);
    *run_out = run;
    return ERR_OK;
}

/* Rows from window->row on, with their fields made; *next_out: where the window goes on behind them. */
static size_t fill_run(PgRun *run, const PgRowWindow *window, uint32_t *next_out) {
    size_t bytes = 0;
    arena_rewind(&run->encoder->scratch, run->mark);
    *next_out = pick_rows(run, run->batch, window->row, window->rows_left);
    for (uint16_t c = 0; c < run->encoder->column_count && run->row_count > 0; c++) {
        bytes += fill_field(run, &run->fields[c]);
    }
    return bytes + (size_t)run->row_count * ROW_HEAD_BYTES;
}

uint32_t pg_run_next(PgRun *run, PgRowWindow *window) {
    (void)fill_run(run, window, &window->row);
    window->rows_left -= window->rows_left == UINT64_MAX ? 0 : run->row_count;
    return run->row_count;
}

PgRunField pg_run_column(const PgRun *run, uint16_t column) {
    const PgField *field = &run->fields[column];
    PgRunField out = {.type = field->cell->type, .kind = field->kind, .slot_bytes = field->slot_bytes, .slots = field->slots, .lens = field->lens};
    out.bytes = field->bytes;
    if (field->kind == PG_FIELD_REFS) {
        out.refs = field->as.refs;
    } else if (field->kind == PG_FIELD_TEXTS) {
        out.texts = field->as.texts;
    }
    return out;
}

ErrorCode pg_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, const uint8_t *formats, PgRowWindow *window, Buffer *out,
                         Error *err) {
    PgRun *run = NULL;
    uint32_t next = 0;
    TRY(pg_run_begin(encoder, batch, columns, formats, &run, err));
    while (window->row < batch->row_count && window->rows_left > 0) {
        size_t bytes = fill_run(run, window, &next);
        if (!put_rows(run, run->fields, bytes, window, out)) {
            break;
        }
        window->row = next;
    }
    return buffer_check(out, err);
}
