/* SPDX-License-Identifier: Apache-2.0
 * output_text.c - results as CSV and as JSON, row by row as they come.
 *
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "cli/target.h"

typedef struct TextSink {
    ResultSink base;
    ResultColumn *columns;
    uint32_t count;
    uint64_t rows;
    Arena names;
} TextSink;

static ErrorCode written(Error *err) {
    return ferror(stdout) ? error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot write to standard output") : ERR_OK;
}

static void columns_keep(TextSink *sink, const ResultColumn *columns, uint32_t count) {
    arena_reset(&sink->names);
    sink->columns = arena_array(&sink->names, ResultColumn, count);
    sink->count = count;
    sink->rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        sink->columns[i] = columns[i];
        sink->columns[i].name = arena_str(&sink->names, columns[i].name);
    }
}

static void print_text(Str text) {
    fwrite(text.data, 1, text.len, stdout);
}

/* ---- CSV ---- */

static void print_csv(Str text, bool force_quotes) {
    bool quotes = force_quotes;
    for (size_t i = 0; i < text.len && !quotes; i++) {
        quotes = text.data[i] == ',' || text.data[i] == '"' || text.data[i] == '\n' || text.data[i] == '\r';
    }
    if (!quotes) {
        print_text(text);
        return;
    }
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"') {
            putchar('"');
        }
        putchar(text.data[i]);
    }
    putchar('"');
}

static ErrorCode csv_begin(ResultSink *base, const ResultColumn *columns, uint32_t count, Error *err) {
    columns_keep((TextSink *)base, columns, count);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", stdout);
        print_csv(columns[i].name, false);
    }
    putchar('\n');
    return written(err);
}

/* NULL is an empty field, an empty text is "". */
static ErrorCode csv_row(ResultSink *base, const ResultCell *cells, Error *err) {
    TextSink *sink = (TextSink *)base;
    for (uint32_t i = 0; i < sink->count; i++) {
        fputs(i > 0 ? "," : "", stdout);
        if (!cells[i].is_null) {
            print_csv(cells[i].text, cells[i].text.len == 0);
        }
    }
    putchar('\n');
    return written(err);
}

static ErrorCode csv_end(ResultSink *base, Error *err) {
    (void)base;
    return written(err);
}

/* ---- JSON: an array of objects, one a line ---- */

static void print_json_text(Str text) {
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') {
            putchar('\\');
            putchar(c);
        } else if (c == '\n') {
            fputs("\\n", stdout);
        } else if (c < 0x20) {
            printf("\\u%04x", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

static void print_json(const ResultColumn *column, const ResultCell *cell) {
    Str text = cell->text;
    bool odd_number = column->align_right && text.len > 0 && (text.data[text.len - 1] > '9' || text.data[text.len - 1] < '0');
    if (cell->is_null) {
        fputs("null", stdout);
    } else if (!column->is_raw_json || odd_number) { /* NaN and Infinity are no JSON numbers */
        print_json_text(text);
    } else if (!column->align_right) {
        fputs(text.len > 0 && text.data[0] == 't' ? "true" : "false", stdout);
    } else {
        print_text(text);
    }
}

static ErrorCode json_begin(ResultSink *base, const ResultColumn *columns, uint32_t count, Error *err) {
    columns_keep((TextSink *)base, columns, count);
    fputs("[", stdout);
    return written(err);
}

static ErrorCode json_row(ResultSink *base, const ResultCell *cells, Error *err) {
    TextSink *sink = (TextSink *)base;
    fputs(sink->rows++ > 0 ? ",\n {" : "{", stdout);
    for (uint32_t i = 0; i < sink->count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_json_text(sink->columns[i].name);
        fputs(": ", stdout);
        print_json(&sink->columns[i], &cells[i]);
    }
    putchar('}');
    return written(err);
}

static ErrorCode json_end(ResultSink *base, Error *err) {
    (void)base;
    fputs("]\n", stdout);
    return written(err);
}

ResultSink *cli__output_text_open(OutputMode mode) {
    TextSink *sink = mem_calloc(1, sizeof *sink);
    arena_init(&sink->names, SIZE_MAX);
    sink->base = mode == OUTPUT_JSON ? (ResultSink){json_begin, json_row, json_end} : (ResultSink){csv_begin, csv_row, csv_end};
    return &sink->base;
}

void cli__output_text_close(ResultSink *base) {
    TextSink *sink = (TextSink *)base;
    arena_deinit(&sink->names);
    mem_free(sink);
}
