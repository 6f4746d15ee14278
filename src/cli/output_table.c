/* SPDX-License-Identifier: Apache-2.0
 * output_table.c - results as a box fitted to the terminal.
 *
 * Why:   widths come from the first TABLE_SAMPLE_ROWS rows; rows behind them are printed as they come, so that a result of any
 *        size needs little memory.
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "cli/target.h"

enum { TABLE_SAMPLE_ROWS = 500, TABLE_COLUMN_WIDTH_MAX = 120, TABLE_NARROW = 8 };

typedef struct TableSink {
    ResultSink base;
    uint32_t width;       /* of the terminal */
    bool ascii, started, records;
    Arena arena;
    ResultColumn *columns;
    uint32_t *widths;
    uint32_t count, kept;
    uint64_t rows;
    ResultCell *sample;   /* TABLE_SAMPLE_ROWS x count, until widths are known */
} TableSink;

/* Wide East Asian characters take two columns, combining marks none. */
static uint32_t code_point_width(uint32_t c) {
    if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0xfe00 && c <= 0xfe0f)) {
        return 0;
    }
    bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
    return wide ? 2 : 1;
}

/* One character of text for a table cell: control characters take one column (they are shown as a blank or a sign). */
static int next_character(Str text, size_t at, uint32_t *width_out) {
    uint32_t c = 0;
    int used = utf8_decode(text, at, &c);
    if (used <= 0) {
        *width_out = 1;
        return 1;
    }
    *width_out = code_point_width(c);
    return used;
}

uint32_t text_width(Str text) {
    uint32_t width = 0, one = 0;
    for (size_t at = 0; at < text.len; at += (size_t)next_character(text, at, &one), width += one) {
    }
    return width;
}

static void repeat(const char *text, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fputs(text, stdout);
    }
}

/* Text cut to `width` columns, blanks around it. */
static void print_cell(const TableSink *sink, Str text, uint32_t width, bool right) {
    uint32_t whole = text_width(text), used = 0, one = 0;
    bool cut = whole > width;
    uint32_t room = cut ? width - 1 : width;
    if (right && !cut) {
        repeat(" ", width - whole);
    }
    for (size_t at = 0; at < text.len;) {
        int bytes = next_character(text, at, &one);
        if (used + one > room) {
            break;
        }
        unsigned char c = (unsigned char)text.data[at];
        if (c < 0x20 || c == 0x7f) {
            putchar(c == '\n' || c == '\t' || c == '\r' ? ' ' : '?');
        } else {
            fwrite(text.data + at, 1, (size_t)bytes, stdout);
        }
        used += one;
        at += (size_t)bytes;
    }
    if (cut) {
        fputs(sink->ascii ? "~" : "…", stdout);
        used++;
    }
    if (!right || cut) {
        repeat(" ", width - used);
    }
}

static void print_rule(const TableSink *sink, const char *left, const char *cross, const char *right) {
    fputs(sink->ascii ? "+" : left, stdout);
    for (uint32_t i = 0; i < sink->count; i++) {
        repeat(sink->ascii ? "-" : "─", sink->widths[i] + 2);
        fputs(sink->ascii ? "+" : i + 1 < sink->count ? cross : right, stdout);
    }
    putchar('\n');
}

static void print_line(const TableSink *sink, const ResultCell *cells) {
    for (uint32_t i = 0; i < sink->count; i++) {
        fputs(sink->ascii ? "| " : "│ ", stdout);
        bool right = sink->columns[i].align_right;
        print_cell(sink, cells != NULL ? cells[i].text : sink->columns[i].name, sink->widths[i], right);
        putchar(' ');
    }
    puts(sink->ascii ? "|" : "│");
}

/* Too many columns for the terminal: one line per value. */
static void print_record(TableSink *sink, const ResultCell *cells) {
    uint32_t name_width = 0;
    for (uint32_t i = 0; i < sink->count; i++) {
        name_width = MAX_OF(name_width, sink->widths[i]);
    }
    printf("row %llu\n", (unsigned long long)++sink->rows);
    for (uint32_t i = 0; i < sink->count; i++) {
        print_cell(sink, sink->columns[i].name, name_width, false);
        fputs(sink->ascii ? " | " : " │ ", stdout);
        print_cell(sink, cells[i].text, MAX_OF(sink->width > name_width + 3 ? sink->width - name_width - 3 : 20, 20U), false);
        putchar('\n');
    }
}

static uint32_t total_width(const TableSink *sink) {
    uint32_t total = 1;
    for (uint32_t i = 0; i < sink->count; i++) {
        total += sink->widths[i] + 3;
    }
    return total;
}

/* Takes columns away from the widest until the box fits. */
static void fit_widths(TableSink *sink) {
    while (sink->width > 0 && total_width(sink) > sink->width) {
        uint32_t widest = 0;
        for (uint32_t i = 1; i < sink->count; i++) {
            widest = sink->widths[i] > sink->widths[widest] ? i : widest;
        }
        if (sink->widths[widest] <= TABLE_NARROW) {
            sink->records = true;
            break;
        }
        sink->widths[widest]--;
    }
    for (uint32_t i = 0; sink->records && i < sink->count; i++) {
        sink->widths[i] = MIN_OF(text_width(sink->columns[i].name), 40U);
    }
}

static void start(TableSink *sink) {
    for (uint32_t i = 0; i < sink->count; i++) {
        uint32_t width = text_width(sink->columns[i].name);
        for (uint32_t row = 0; row < sink->kept; row++) {
            uint32_t cell = text_width(sink->sample[row * sink->count + i].text);
            width = MAX_OF(width, cell);
        }
        sink->widths[i] = MAX_OF(MIN_OF(width, (uint32_t)TABLE_COLUMN_WIDTH_MAX), 1U);
    }
    fit_widths(sink);
    sink->started = true;
    if (!sink->records) {
        print_rule(sink, "┌", "┬", "┐");
        print_line(sink, NULL);
        print_rule(sink, "├", "┼", "┤");
    }
    for (uint32_t row = 0; row < sink->kept; row++) {
        const ResultCell *cells = sink->sample + row * sink->count;
        if (sink->records) {
            print_record(sink, cells);
        } else {
            print_line(sink, cells);
        }
    }
}

static ErrorCode table_begin(ResultSink *base, const ResultColumn *columns, uint32_t count, Error *err) {
    TableSink *sink = (TableSink *)base;
    (void)err;
    arena_reset(&sink->arena);
    sink->count = count;
    sink->kept = 0;
    sink->rows = 0;
    sink->started = sink->records = false;
    sink->columns = arena_array(&sink->arena, ResultColumn, count);
    sink->widths = arena_array(&sink->arena, uint32_t, count);
    sink->sample = arena_array(&sink->arena, ResultCell, (size_t)count * TABLE_SAMPLE_ROWS);
    for (uint32_t i = 0; i < count; i++) {
        sink->columns[i] = columns[i];
        sink->columns[i].name = arena_str(&sink->arena, columns[i].name);
    }
    return ERR_OK;
}

static ErrorCode table_row(ResultSink *base, const ResultCell *cells, Error *err) {
    TableSink *sink = (TableSink *)base;
    if (sink->started) {
        if (sink->records) {
            print_record(sink, cells);
        } else {
            print_line(sink, cells);
        }
        return ferror(stdout) ? error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot write to standard output") : ERR_OK;
    }
    ResultCell *kept = sink->sample + (size_t)sink->kept * sink->count;
    for (uint32_t i = 0; i < sink->count; i++) {
        kept[i].is_null = cells[i].is_null;
        kept[i].text = arena_str(&sink->arena, cells[i].text);
    }
    if (++sink->kept == TABLE_SAMPLE_ROWS) {
        start(sink);
    }
    return ERR_OK;
}

static ErrorCode table_end(ResultSink *base, Error *err) {
    TableSink *sink = (TableSink *)base;
    if (!sink->started) {
        start(sink);
    }
    if (!sink->records) {
        print_rule(sink, "└", "┴", "┘");
    }
    return ferror(stdout) ? error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot write to standard output") : ERR_OK;
}

static ResultSink *table_open(uint32_t width, bool ascii) {
    TableSink *sink = mem_calloc(1, sizeof *sink);
    arena_init(&sink->arena, SIZE_MAX);
    sink->base = (ResultSink){table_begin, table_row, table_end};
    sink->width = width;
    sink->ascii = ascii;
    return &sink->base;
}

static void table_close(ResultSink *base) {
    TableSink *sink = (TableSink *)base;
    arena_deinit(&sink->arena);
    mem_free(sink);
}

/* ---- the choice of a mode ---- */

bool output_mode_from_name(const char *name, OutputMode *mode_out) {
    static const char *const NAMES[] = {"table", "csv", "json"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *mode_out = (OutputMode)i;
            return true;
        }
    }
    return false;
}

ResultSink *output_open(const OutputOptions *options) {
    return options->mode == OUTPUT_TABLE ? table_open(options->width, options->ascii) : cli__output_text_open(options->mode);
}

void output_close(ResultSink *sink) {
    if (sink != NULL && sink->row == table_row) {
        table_close(sink);
    } else if (sink != NULL) {
        cli__output_text_close(sink);
    }
}
