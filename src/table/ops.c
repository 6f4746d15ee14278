/* SPDX-License-Identifier: Apache-2.0
 * ops.c - a table's changes as operations of a log record or a checkpoint. Layout: docs/format/log-records.md.
 *
 * Threads: rows of the caller's own transaction or below a captured count: read without the lock, but for validity and bit columns.
 * Tests:   test/unit/engine/test_formats.c, test_crash.c */
#include "base/plant.h"
#include "table/table_internal.h"

size_t op_begin(Buffer *out, LogOp op, uint32_t table_id) {
    size_t at = out->len;
    buffer_put_u8(out, (uint8_t)op);
    buffer_put_u32le(out, table_id);
    buffer_put_u32le(out, 0);
    return at;
}

void op_finish(Buffer *out, size_t at) {
    if (!out->failed) {
        put_u32le(out->data + at + 5, (uint32_t)(out->len - at - OP_HEADER_BYTES));
    }
}

typedef struct EncodeJob {
    Table *table;
    Part *part;
    Buffer *out;
} EncodeJob;

/* Validity words may be shared with rows that others are writing. */
static const uint64_t *bits_snapshot(Table *table, const uint64_t *words, RowSpan rows, uint64_t *copy) {
    table__lock(table);
    memcpy(copy + rows.first / 64, words + rows.first / 64, sizeof(uint64_t) * (words_for(rows.end) - rows.first / 64));
    table__unlock(table);
    return copy;
}

static void encode_columns(const EncodeJob *job, const Chunk *chunk, RowSpan rows) {
    uint64_t *valid_copy = mem_alloc(sizeof(uint64_t) * words_for(rows.end));
    uint64_t *bits = mem_alloc(sizeof(uint64_t) * words_for(rows.end));
    for (uint16_t i = 0; i < chunk->layout->column_count; i++) {
        const LayoutColumn *column = &chunk->layout->columns[i];
        buffer_put_u32le(job->out, column->id);
        buffer_append(job->out, &column->type, sizeof column->type);
        table__lock(job->table);
        const uint64_t *valid = chunk->columns[i].valid;
        table__unlock(job->table);
        const void *data = chunk->columns[i].data;
        valid = valid != NULL ? bits_snapshot(job->table, valid, rows, valid_copy) : NULL;
        data = type_physical(column->type.id) == PHYS_BIT ? bits_snapshot(job->table, data, rows, bits) : data;
        table__column_encode(column->type, data, valid, rows, job->out);
    }
    mem_free(valid_copy);
    mem_free(bits);
}

/* One APPEND operation: rows of one chunk. */
static void encode_rows(void *context, Chunk *chunk, uint32_t first, uint32_t end) {
    const EncodeJob *job = context;
    size_t at = op_begin(job->out, OP_APPEND, job->table->id);
    const ChunkLayout *layout = chunk->layout;
    buffer_put_u32le(job->out, job->part->id);
    buffer_put_u32le(job->out, chunk->first_offset + first);
    buffer_put_u32le(job->out, end - first);
    buffer_put_u16le(job->out, layout->column_count);
    buffer_put_u32le(job->out, layout->time_column >= 0 ? layout->columns[layout->time_column].id : 0);
    encode_columns(job, chunk, (RowSpan){first, end});
    op_finish(job->out, at);
}

void table__encode_chunk(Table *table, Part *part, Chunk *chunk, Buffer *out) {
    EncodeJob job = {table, part, out};
    encode_rows(&job, chunk, 0, chunk->filled);
}

/* Spans of one part, written as they come; the count is filled in at the end. */
typedef struct SpanOutput { Buffer *out; size_t op_at, count_at; uint32_t part, first, end, count; } SpanOutput;

static void spans_begin(SpanOutput *spans, uint32_t table_id, uint32_t part) {
    spans->op_at = op_begin(spans->out, OP_END, table_id);
    spans->part = part;
    spans->first = spans->end = spans->count = 0;
    buffer_put_u32le(spans->out, part);
    spans->count_at = spans->out->len;
    buffer_put_u32le(spans->out, 0);
}

static void spans_put(SpanOutput *spans) {
    if (spans->end > spans->first) {
        buffer_put_u32le(spans->out, spans->first);
        buffer_put_u32le(spans->out, spans->end - spans->first);
        spans->count++;
    }
}

static void spans_add(SpanOutput *spans, uint32_t offset) {
    if (spans->end == spans->first || offset != spans->end) {
        spans_put(spans);
        spans->first = offset;
    }
    spans->end = offset + 1;
}

static void spans_finish(SpanOutput *spans) {
    spans_put(spans);
    if (!spans->out->failed) {
        put_u32le(spans->out->data + spans->count_at, spans->count);
    }
    op_finish(spans->out, spans->op_at);
}

/* Rows are named where they are now: under the engine's publish gate a move cannot come between this and the record's place. */
static void encode_ends(Table *table, const Write *write, Buffer *out) {
    SpanOutput spans = {.out = out};
    table__lock(table);
    for (uint32_t i = 0; i < write->count; i++) {
        Part *part = table__part_find(table, write->part);
        uint32_t offset = write->first + i;
        while (table__moved(table, part, offset, &part, &offset)) {
        }
        if (spans.part != part->id) {
            if (spans.part != 0) {
                spans_finish(&spans);
            }
            spans_begin(&spans, table->id, part->id);
        }
        spans_add(&spans, offset);
    }
    spans_finish(&spans);
    table__unlock(table);
}

static void add_ends(SpanOutput *spans, const Table *table, const Part *part, const EndMap *ends, uint32_t base, Stamp newest) {
    uint32_t row = 0;
    Stamp stamp = 0;
    for (uint32_t at = 0; ends_next(ends, &at, &row, &stamp);) {
        if (stamp > newest) {
            continue;
        }
        if (spans->part == 0) {
            spans_begin(spans, table->id, part->id);
        }
        spans_add(spans, base + row);
    }
}

void table__encode_settled_ends(const Table *table, const Part *part, Stamp newest, Buffer *out) {
    SpanOutput spans = {.out = out};
    add_ends(&spans, table, part, &part->ends, 0, newest);
    for (uint32_t c = 0; c < part->chunk_count; c++) {
        add_ends(&spans, table, part, &part->chunks[c]->ends, part->chunks[c]->first_offset, newest);
    }
    if (spans.part != 0) {
        spans_finish(&spans);
    }
}

static void encode_segment(Table *table, const Part *part, Buffer *out) {
    size_t at = op_begin(out, OP_SEGMENT, table->id);
    PartEntry entry = table__entry_of(part);
    table__entry_encode(&entry, out);
    op_finish(out, at);
}

static void encode_new_segment(Table *table, const Write *write, Buffer *out) {
    table__lock(table);
    encode_segment(table, table__part_find(table, write->part), out);
    table__runs_encode(table, table__part_find(table, write->part), out);
    table__unlock(table);
}

static void encode_part_end(const Table *table, const Write *write, Buffer *out) {
    size_t at = op_begin(out, OP_PARTS, table->id);
    buffer_put_u8(out, 0);
    buffer_put_u32le(out, write->part);
    op_finish(out, at);
}

void table_encode_write(Table *table, const Write *write, Buffer *out) {
    if (write->kind == WRITE_ENDS) {
        encode_ends(table, write, out);
        return;
    }
    if (write->kind == WRITE_PARTS_END) {
        encode_part_end(table, write, out);
        return;
    }
    if (write->kind == WRITE_SEGMENT) {
        encode_new_segment(table, write, out);
        return;
    }
    if (write->kind == WRITE_INDEX_RUN) {
        table__run_encode_write(table, write, out);
        return;
    }
    assert(write->kind == WRITE_ROWS);
    table__lock(table);
    Part *part = table__part_find(table, write->part);
    assert(part != NULL);
    part->refs++;
    Chunk **chunks = part->chunks; /* the list may move while others append; its entries do not */
    uint32_t at = table__chunk_at(part, write->first);
    uint32_t count = table__chunk_at(part, write->first + write->count - 1) - at + 1;
    Chunk **own = mem_alloc(sizeof(Chunk *) * count);
    memcpy(own, chunks + at, sizeof(Chunk *) * count);
    table__unlock(table);
    EncodeJob job = {table, part, out};
    uint32_t first = write->first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stop = MIN_OF(write->first + write->count, own[i]->first_offset + own[i]->capacity);
        encode_rows(&job, own[i], first - own[i]->first_offset, stop - own[i]->first_offset);
        first = stop;
    }
    mem_free(own);
    table__lock(table);
    table__part_release(table, part);
    table__unlock(table);
}

/* ---- images ---- */

typedef struct ImagePiece { Part *part; Chunk *chunk; RowSpan rows; } ImagePiece;
typedef struct ImagePlan { ImagePiece *pieces; uint32_t count, capacity; } ImagePlan;

static void plan_add(ImagePlan *plan, Part *part, Chunk *chunk, RowSpan rows) {
    if (plan->count == plan->capacity) {
        plan->capacity = plan->capacity == 0 ? 16 : plan->capacity * 2;
        plan->pieces = mem_realloc(plan->pieces, sizeof(ImagePiece) * plan->capacity);
    }
    plan->pieces[plan->count++] = (ImagePiece){part, chunk, rows};
    part->refs++;
}

/* Live rows of the span as runs. */
static void plan_live(ImagePlan *plan, Part *part, Chunk *chunk, RowSpan span, const uint64_t *live) {
    for (uint32_t row = span.first; row < span.end;) {
        if (!bit_get(live, row)) {
            row++;
            continue;
        }
        uint32_t first = row;
        while (row < span.end && bit_get(live, row)) {
            row++;
        }
        plan_add(plan, part, chunk, (RowSpan){first, row});
    }
}

static void plan_chunk(ImagePlan *plan, Part *part, Chunk *chunk, const Snapshot *snapshot) {
    uint32_t count = runs_visible(&chunk->runs, snapshot, chunk->filled, NULL, 0);
    RowSpan *spans = mem_alloc(sizeof(RowSpan) * (count + 1));
    (void)runs_visible(&chunk->runs, snapshot, chunk->filled, spans, count);
    uint64_t *live = mem_alloc(sizeof(uint64_t) * (words_for(chunk->filled) + 1));
    memset(live, 0xff, sizeof(uint64_t) * words_for(chunk->filled));
    if (!PLANTED(IMAGE_FORGETS_ENDS)) {
        (void)ends_apply(&chunk->ends, 0, chunk->filled, snapshot, live);
    }
    for (uint32_t i = 0; i < count; i++) {
        plan_live(plan, part, chunk, spans[i], live);
    }
    mem_free(spans);
    mem_free(live);
}

static void plan_table(ImagePlan *plan, Table *table, const Snapshot *snapshot) {
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count; i++) {
        Part *part = table->parts[i];
        for (uint32_t c = 0; c < part->chunk_count && !stamp_visible(part->end, snapshot); c++) {
            if (part->chunks[c]->filled > 0 && !part->chunks[c]->dropped) {
                plan_chunk(plan, part, part->chunks[c], snapshot);
            }
        }
    }
    table__unlock(table);
}

/* Keeps part ids from being used again even if no row of the newest part is left. */
static ErrorCode emit_next_part(Table *table, TableEmit emit, void *context, Buffer *buffer, Error *err) {
    buffer_clear(buffer);
    size_t at = op_begin(buffer, OP_PARTS, table->id);
    buffer_put_u8(buffer, 1);
    table__lock(table);
    buffer_put_u32le(buffer, table->next_part_id);
    table__unlock(table);
    op_finish(buffer, at);
    return emit(context, buffer_bytes(buffer), err);
}

/* Segments that the snapshot reads, with the ends that it sees. */
static ErrorCode emit_segments(Table *table, const Snapshot *snapshot, TableEmit emit, void *context, Buffer *buffer, Error *err) {
    buffer_clear(buffer);
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count; i++) {
        const Part *part = table->parts[i];
        if (part->file != NULL && stamp_visible(part->begin, snapshot) && !stamp_visible(part->end, snapshot)) {
            encode_segment(table, part, buffer);
            table__runs_encode(table, part, buffer);
            if (!PLANTED(IMAGE_FORGETS_SEGMENT_ENDS)) {
                table__encode_settled_ends(table, part, snapshot->lsn, buffer);
            }
        }
    }
    table__unlock(table);
    TRY(buffer_check(buffer, err));
    return buffer->len > 0 ? emit(context, buffer_bytes(buffer), err) : ERR_OK;
}

ErrorCode table_image(Table *table, const Snapshot *snapshot, TableEmit emit, void *context, Error *err) {
    ImagePlan plan = {0};
    plan_table(&plan, table, snapshot);
    Buffer buffer;
    buffer_init(&buffer, OP_PAYLOAD_BYTES_MAX);
    ErrorCode code = emit_next_part(table, emit, context, &buffer, err);
    code = code == ERR_OK ? emit_segments(table, snapshot, emit, context, &buffer, err) : code;
    for (uint32_t i = 0; i < plan.count && code == ERR_OK; i++) {
        buffer_clear(&buffer);
        EncodeJob job = {table, plan.pieces[i].part, &buffer};
        encode_rows(&job, plan.pieces[i].chunk, plan.pieces[i].rows.first, plan.pieces[i].rows.end);
        code = buffer_check(&buffer, err);
        code = code == ERR_OK ? emit(context, buffer_bytes(&buffer), err) : code;
    }
    table__lock(table);
    for (uint32_t i = 0; i < plan.count; i++) {
        table__part_release(table, plan.pieces[i].part);
    }
    table__unlock(table);
    mem_free(plan.pieces);
    buffer_deinit(&buffer);
    return code;
}
