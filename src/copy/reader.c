/* SPDX-License-Identifier: Apache-2.0
 * reader.c - COPY FROM: opening, bytes taken in chunks, rows counted, the header line, and where an error was.
 *
 * Life of a byte: the caller's piece -> input (a chunk at a time) -> scanner -> builders. What is left of input is a row that is not whole.
 * Tests:      test/unit/copy/test_reader.c, fuzz/fuzz_copy.c */
#include "copy/copy_internal.h"

/* ---- open and close ---- */

static bool is_among(Str name, const Str *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(names[i], name)) {
            return true;
        }
    }
    return false;
}

static ErrorCode check_forced(const CopyReaderOptions *options, const char *what, const Str *names, uint32_t count, Error *err) {
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;
        for (uint16_t c = 0; c < options->column_count && !found; c++) {
            found = str_equal(options->columns[c].name, names[i]);
        }
        if (!found) {
            return error_set(err, ERR_INVALID_COLUMN_REFERENCE, ERROR_NO_POSITION, "%s column \"%.*s\" not referenced by COPY", what, STR_ARG(names[i]));
        }
    }
    return ERR_OK;
}

static void open_field(CopyReader *reader, CopyField *field, const CopyColumn *column) {
    const CopyOptions *copy = &reader->copy;
    Type type = column->type;
    field->name = arena_str(&reader->names, column->name);
    field->type = type;
    if (type.id == TYPE_SYMBOL) {
        field->symbols = column->symbols;
        field->symbol_cache = column->symbols == NULL ? NULL : mem_calloc(COPY_SYMBOL_SLOTS, sizeof(SymbolSlot));
        type = column->symbols == NULL ? type_of(TYPE_TEXT) : type;
    }
    field->plain_text = type.id == TYPE_TEXT || (type.id == TYPE_VARCHAR && type.length == 0);
    field->fast = copy__fast_parser(type, reader->environment);
    field->force_not_null = copy->force_not_null_all || is_among(column->name, copy->force_not_null, copy->force_not_null_count);
    field->force_null = copy->force_null_all || is_among(column->name, copy->force_null, copy->force_null_count);
    column_builder_init(&field->builder, type);
}

ErrorCode copy_reader_open(const CopyReaderOptions *options, CopyReader **reader_out, Error *err) {
    const CopyOptions *copy = &options->copy;
    TRY(check_forced(options, "FORCE_NOT_NULL", copy->force_not_null, copy->force_not_null_count, err));
    TRY(check_forced(options, "FORCE_NULL", copy->force_null, copy->force_null_count, err));
    CopyReader *reader = mem_calloc(1, sizeof(CopyReader));
    reader->copy = *copy;
    copy_options_complete(&reader->copy);
    arena_init(&reader->names, SIZE_MAX);
    reader->copy.null_text = arena_str(&reader->names, reader->copy.null_text);
    if (reader->copy.default_text.data != NULL) {
        reader->copy.default_text = arena_str(&reader->names, reader->copy.default_text);
    }
    reader->table_name = arena_str(&reader->names, options->table_name);
    reader->environment = options->environment;
    reader->notice = options->notice;
    reader->notice_context = options->notice_context;
    reader->column_count = options->column_count;
    reader->fields = mem_calloc((size_t)options->column_count + 1, sizeof(CopyField));
    reader->spans = mem_calloc((size_t)options->column_count + 1, sizeof(CopySpan));
    reader->header_left = copy->header != COPY_HEADER_NONE;
    reader->next_line = 1;
    buffer_init(&reader->input, (size_t)COPY_ROW_BYTES_MAX + 2 * COPY_CHUNK_BYTES);
    buffer_init(&reader->unescaped, (size_t)COPY_ROW_BYTES_MAX + 2 * COPY_CHUNK_BYTES);
    buffer_init(&reader->context, SIZE_MAX);
    arena_init(&reader->scratch, SIZE_MAX);
    for (uint16_t c = 0; c < options->column_count; c++) {
        open_field(reader, &reader->fields[c], &options->columns[c]);
    }
    *reader_out = reader;
    return ERR_OK;
}

void copy_reader_close(CopyReader *reader) {
    if (reader == NULL) {
        return;
    }
    for (uint16_t c = 0; c < reader->column_count; c++) {
        column_builder_deinit(&reader->fields[c].builder);
        mem_free(reader->fields[c].symbol_cache);
        mem_free(reader->fields[c].defaults);
    }
    mem_free(reader->fields);
    mem_free(reader->spans);
    buffer_deinit(&reader->input);
    buffer_deinit(&reader->unescaped);
    buffer_deinit(&reader->context);
    arena_deinit(&reader->scratch);
    arena_deinit(&reader->names);
    mem_free(reader);
}

/* ---- rows ---- */

void copy__row_done(CopyReader *reader) {
    assert(reader->row_count < COPY_BATCH_ROWS);
    reader->row_lines[reader->row_count++] = reader->line;
}

void copy__row_undo(CopyReader *reader) {
    for (uint16_t c = 0; c < reader->column_count; c++) {
        CopyField *field = &reader->fields[c];
        if (field->builder.row_count > reader->row_count) {
            column_builder_truncate(&field->builder, reader->row_count);
        }
        if (field->defaults != NULL) {
            bit_clear(field->defaults, reader->row_count);
        }
    }
}

static Str header_field(CopyReader *reader, Str row, uint32_t number) {
    bool ignored;
    const CopySpan *span = &reader->spans[number];
    Str raw = str_from(row.data + span->start, span->len);
    return reader->copy.format == COPY_CSV ? copy__csv_unquote(reader, raw) : copy__text_unescape(reader, raw, &ignored);
}

static ErrorCode match_header(CopyReader *reader, Str row, Error *err) {
    uint32_t count = reader->scan.field_count;
    if (count != reader->column_count) {
        return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "wrong number of fields in header line: got %u, expected %u", count, reader->column_count);
    }
    for (uint16_t c = 0; c < reader->column_count; c++) {
        Str got = header_field(reader, row, c);
        if (!str_equal(got, reader->fields[c].name)) {
            return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "column name mismatch in header line field %u: got \"%.*s\", expected \"%.*s\"", c + 1u,
                             STR_ARG(got), STR_ARG(reader->fields[c].name));
        }
    }
    return ERR_OK;
}

static ErrorCode take_line(CopyReader *reader, size_t end, Error *err) {
    Str row = str_slice(buffer_str(&reader->input), reader->scan.row, end);
    reader->line = reader->next_line++;
    if (UNLIKELY(reader->header_left)) {
        reader->header_left = false;
        copy__set_context(reader, CONTEXT_LINE_TEXT, (Str){0}, row);
        return reader->copy.header == COPY_HEADER_MATCH ? match_header(reader, row, err) : ERR_OK;
    }
    return copy__take_row(reader, row, err);
}

/* Line breaks inside of quotes are lines of the file too. */
static void count_inner_lines(CopyReader *reader, size_t end) {
    const char *data = (const char *)reader->input.data;
    char line_end = reader->line_end == LINE_END_RETURN ? '\r' : '\n';
    for (const char *at = data + reader->scan.row; (at = memchr(at, line_end, (size_t)(data + end - at))) != NULL; at++) {
        reader->next_line++;
    }
}

static void scan_next(CopyReader *reader, size_t at) {
    reader->scan = (CopyScan){.row = at, .at = at, .field_start = at};
}

static CopyStep next_line(CopyReader *reader, Error *err) {
    size_t end = 0, next = 0;
    bool csv = reader->copy.format == COPY_CSV;
    CopyStep step = csv ? copy__csv_row(reader, &end, &next, err) : copy__text_row(reader, &end, &next, err);
    if (step == COPY_FAILED) {
        reader->line = reader->next_line;
        copy__set_context(reader, CONTEXT_LINE_TEXT, (Str){0}, str_slice(buffer_str(&reader->input), reader->scan.row, reader->scan.at));
    }
    if (step != COPY_ROW) {
        return step;
    }
    if (take_line(reader, end, err) != ERR_OK) {
        return COPY_FAILED;
    }
    if (csv) {
        count_inner_lines(reader, end);
    }
    scan_next(reader, next);
    arena_reset(&reader->scratch);
    return COPY_ROW;
}

/* Rows of what lies in input, until it or the batch is used up. */
static ErrorCode read_lines(CopyReader *reader, Error *err) {
    while (reader->row_count < COPY_BATCH_ROWS && !reader->ended) {
        switch (next_line(reader, err)) {
        case COPY_ROW:
            break;
        case COPY_MARKER:
            reader->ended = true;
            break;
        case COPY_MORE:
            return ERR_OK;
        case COPY_FAILED:
            reader->failed = true;
            return err == NULL ? ERR_BAD_COPY : err->code;
        }
    }
    return ERR_OK;
}

static ErrorCode read_rows(CopyReader *reader, Error *err) {
    if (reader->copy.format != COPY_BINARY) {
        return read_lines(reader, err);
    }
    if (copy__binary_rows(reader, err) == COPY_FAILED) {
        reader->failed = true;
        return err->code;
    }
    return ERR_OK;
}

/* ---- bytes ---- */

/* Rows that were read make room; offsets go along. */
static void drop_read_part(CopyReader *reader) {
    size_t read = reader->scan.row;
    if (read == 0) {
        return;
    }
    memmove(reader->input.data, reader->input.data + read, reader->input.len - read);
    reader->input.len -= read;
    reader->scan.row = 0;
    reader->scan.at -= read;
    reader->scan.field_start -= read;
}

static ErrorCode take_chunk(CopyReader *reader, Bytes chunk, Error *err) {
    drop_read_part(reader);
    if (reader->input.len > COPY_ROW_BYTES_MAX) {
        reader->line = reader->next_line;
        copy__set_context(reader, CONTEXT_LINE, (Str){0}, (Str){0});
        reader->failed = true;
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "a row of COPY has more than %d bytes", COPY_ROW_BYTES_MAX);
    }
    buffer_append(&reader->input, chunk.data, chunk.len);
    return buffer_check(&reader->input, err);
}

ErrorCode copy_reader_feed(CopyReader *reader, Bytes piece, size_t *used_out, Error *err) {
    Error own = {0};
    Error *filled = err == NULL ? &own : err; /* the code is read back from it */
    size_t used = 0;
    assert(!reader->failed);
    *used_out = 0;
    TRY(read_rows(reader, filled)); /* what a full batch left over */
    while (used < piece.len && reader->row_count < COPY_BATCH_ROWS && !reader->ended) {
        size_t take = MIN_OF(piece.len - used, (size_t)COPY_CHUNK_BYTES);
        TRY(take_chunk(reader, bytes_from(piece.data + used, take), filled));
        used += take;
        TRY(read_rows(reader, filled));
    }
    *used_out = reader->ended ? piece.len : used;
    return ERR_OK;
}

/* The last row may lack its line end. */
static ErrorCode last_line(CopyReader *reader, Error *err) {
    CopyScan *scan = &reader->scan;
    if (reader->ended || reader->row_count == COPY_BATCH_ROWS || scan->row == reader->input.len) {
        return ERR_OK;
    }
    if (scan->in_quotes) {
        reader->line = reader->next_line;
        reader->failed = true;
        copy__set_context(reader, CONTEXT_LINE_TEXT, (Str){0}, str_slice(buffer_str(&reader->input), scan->row, reader->input.len));
        return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "unterminated CSV quoted field");
    }
    char line_end = reader->line_end == LINE_END_RETURN ? '\r' : '\n';
    buffer_append_str(&reader->input, reader->line_end == LINE_END_BOTH ? STR("\r\n") : str_from(&line_end, 1));
    TRY(buffer_check(&reader->input, err));
    return read_lines(reader, err);
}

ErrorCode copy_reader_end(CopyReader *reader, Error *err) {
    Error own = {0};
    Error *filled = err == NULL ? &own : err;
    assert(!reader->failed);
    reader->ending = true;
    TRY(read_rows(reader, filled));
    return reader->copy.format == COPY_BINARY ? ERR_OK : last_line(reader, filled);
}

/* ---- questions ---- */

uint32_t copy_reader_rows(const CopyReader *reader) {
    return reader->row_count;
}

ColumnBuilder *copy_reader_builder(CopyReader *reader, uint16_t column) {
    assert(column < reader->column_count);
    return &reader->fields[column].builder;
}

const uint64_t *copy_reader_defaults(const CopyReader *reader, uint16_t column) {
    assert(column < reader->column_count);
    const uint64_t *defaults = reader->fields[column].defaults;
    return defaults == NULL || bits_count(defaults, COPY_BATCH_ROWS) == 0 ? NULL : defaults;
}

uint64_t copy_reader_line(const CopyReader *reader, uint32_t row) {
    assert(row < reader->row_count);
    return reader->row_lines[row];
}

void copy_reader_clear(CopyReader *reader) {
    for (uint16_t c = 0; c < reader->column_count; c++) {
        column_builder_clear(&reader->fields[c].builder);
        if (reader->fields[c].defaults != NULL) {
            memset(reader->fields[c].defaults, 0, words_for(COPY_BATCH_ROWS) * sizeof(uint64_t));
        }
    }
    reader->row_count = 0;
}

uint64_t copy_reader_rejected(const CopyReader *reader) {
    return reader->rejected;
}

/* ---- where ---- */

/* A value in quotes, cut at a whole character. */
static void append_shown(Buffer *out, Str value) {
    size_t len = MIN_OF(value.len, (size_t)COPY_VALUE_SHOWN_MAX);
    while (len < value.len && len > 0 && ((uint8_t)value.data[len] & 0xC0) == 0x80) {
        len--;
    }
    buffer_append_str(out, STR(": \""));
    buffer_append(out, value.data, len);
    buffer_append_str(out, len < value.len ? STR("...\"") : STR("\""));
}

void copy__set_context(CopyReader *reader, ContextKind kind, Str column, Str value) {
    Buffer *out = &reader->context;
    buffer_clear(out);
    buffer_printf(out, "COPY %.*s, line %lu", STR_ARG(reader->table_name), (unsigned long)reader->line);
    if (kind == CONTEXT_COLUMN || kind == CONTEXT_COLUMN_VALUE || kind == CONTEXT_COLUMN_NULL) {
        buffer_printf(out, ", column %.*s", STR_ARG(column));
    }
    if (kind == CONTEXT_COLUMN_NULL) {
        buffer_append_str(out, STR(": null input"));
    }
    if (kind == CONTEXT_LINE_TEXT || kind == CONTEXT_COLUMN_VALUE) {
        append_shown(out, value);
    }
}

Str copy_reader_context(const CopyReader *reader) {
    return buffer_str(&reader->context);
}

Str copy_reader_row_context(CopyReader *reader, uint32_t row) {
    reader->line = copy_reader_line(reader, row);
    copy__set_context(reader, CONTEXT_LINE, (Str){0}, (Str){0});
    return copy_reader_context(reader);
}
