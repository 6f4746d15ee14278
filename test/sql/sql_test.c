/* SPDX-License-Identifier: Apache-2.0
 * sql_test.c - runs SQL text files in the sqllogictest form against the library, in one of several variants.
 *
 *   sql_test [--variant NAME] [--verbose] FILE...     prints `ok FILE` or each failing record, last `N passed, N failed`
 *
 * Records: statement ok | statement error [SQLSTATE] | statement count N | query TYPES [rowsort], rows after ----, columns by tab.
 *          Directives of our own, one word a line: `dialect questdb|postgres`, `flush` (memory parts to segments), `restart` (close
 *          and open the folder), `connection NAME`, `skipif basalt`, `onlyif basalt`, `halt`,
 *          `keep sessions` (the restart variant leaves the file alone: it is about what a session keeps).
 * Variants: plain; segments (flush after every change); restart (close and open after every change); one thread; two threads; each
 *          optimizer pass off. Answers must be the same: hash order is made comparable by `rowsort` in the file.
 * Why C:   the library is driven without a server, so a variant costs no start. */
#include "base/number.h"
#include "encode/encode.h"
#include "session/session.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 8, FAILURES_SHOWN_MAX = 20 };

typedef struct Variant { const char *name; bool flush, restart; int workers; const char *skip; } Variant;
static const Variant VARIANTS[] = {
    {"plain", .workers = 0},
    {"segments", .flush = true},
    {"restart", .restart = true},
    {"one-thread", .workers = 1},
    {"two-threads", .workers = 2, .flush = true},
    {"no-fold", .skip = "fold"},
    {"no-push", .skip = "push_filters"},
    {"no-limits", .skip = "limits"},
    {"no-drop", .skip = "drop_unused"},
    {"no-order", .skip = "order_use"},
    {"no-stats", .skip = "stats_answers", .flush = true},
    {"no-index", .skip = "index_use", .flush = true},
    {"no-array-groups", .skip = "array_groups"},
    {"no-latest", .skip = "latest_index", .flush = true},
};

typedef struct Connection { char name[64]; Session *session; } Connection;
typedef struct Runner {
    const Variant *variant;
    char folder[64];
    Os os;
    Engine *engine;
    Connection connections[CONNECTIONS_MAX];
    int connection_count, current;
    Dialect dialect;
    const char *file;
    int line, passed, failed;
    bool verbose;
    Buffer rows;           /* rows of the last query, LF after each */
    uint64_t affected;
    Error err;
    bool keep_sessions;
} Runner;

static void die(const char *what, const Error *err) {
    fprintf(stderr, "sql_test: %s: %s\n", what, err == NULL ? "" : err->message);
    exit(2);
}

static void open_engine(Runner *runner) {
    EngineOptions options = {.embedded = true, .no_background = true, .durability = DURABILITY_OFF, .checkpoint_interval_ms = -1};
    if (engine_open(runner->os, &options, &runner->engine, &runner->err) != ERR_OK) {
        die("cannot open the folder", &runner->err);
    }
}

static Session *connection_of(Runner *runner, int index) {
    Connection *connection = &runner->connections[index];
    if (connection->session == NULL) {
        SessionOptions options = {.dialect = runner->dialect, .workers = runner->variant->workers, .door = STR("test")};
        if (session_open(runner->engine, &options, &connection->session, &runner->err) != ERR_OK) {
            die("cannot open a session", &runner->err);
        }
    }
    return connection->session;
}

static void close_sessions(Runner *runner) {
    for (int i = 0; i < runner->connection_count; i++) {
        session_close(runner->connections[i].session);
        runner->connections[i].session = NULL;
    }
}

static void restart(Runner *runner) {
    close_sessions(runner);
    engine_close(runner->engine);
    os_linux_close(&runner->os); /* the folder's lock goes with it */
    if (os_linux_open(runner->folder, false, &runner->os, &runner->err) != ERR_OK) {
        die("cannot open the folder again", &runner->err);
    }
    open_engine(runner);
}

static bool any_block(const Runner *runner) {
    for (int i = 0; i < runner->connection_count; i++) {
        if (runner->connections[i].session != NULL && session_in_transaction(runner->connections[i].session)) {
            return true;
        }
    }
    return false;
}

static void flush_all(Runner *runner) {
    Session *session = connection_of(runner, 0);
    if (session_begin(session, &runner->err) != ERR_OK) {
        return;
    }
    CatalogView *view = txn_catalog(session_txn(session));
    uint32_t ids[4096];
    uint32_t count = 0;
    size_t cursor = 0;
    const TableDef *table;
    while (view->table_next(view, &cursor, &table) && count < COUNT_OF(ids)) {
        ids[count++] = table->id;
    }
    session_rollback(session);
    for (uint32_t i = 0; i < count; i++) {
        if (engine_flush_table(runner->engine, ids[i], &runner->err) != ERR_OK) {
            die("flush", &runner->err);
        }
    }
}

/* ---- one statement ---- */

static void take_batch(Runner *runner, const Statement *statement, Batch *batch) {
    TextStyle style = {.names = statement_oid_names(statement)};
    for (uint16_t r = 0; r < batch->row_count; r++) {
        if (batch->live != NULL && !bit_get(batch->live, r)) {
            continue;
        }
        for (uint16_t c = 0; c < batch->column_count; c++) {
            size_t before = runner->rows.len;
            if (c > 0) {
                buffer_append_char(&runner->rows, '\t');
                before++;
            }
            if (!pg_text_value(&batch->columns[c], r, &style, &runner->rows)) {
                buffer_append_str(&runner->rows, STR("NULL"));
            } else if (runner->rows.len == before) {
                buffer_append_str(&runner->rows, STR("(empty)"));
            }
        }
        buffer_append_char(&runner->rows, '\n');
    }
}

static ErrorCode run_one(Runner *runner, Session *session, Str *sql) {
    Statement *statement;
    size_t used = 0;
    TRY(statement_prepare(session, *sql, NULL, 0, &statement, &used, &runner->err));
    *sql = str_slice(*sql, used, sql->len);
    Batch *batch = NULL;
    ErrorCode code;
    do {
        code = statement_step(statement, &batch, &runner->err);
        if (code == ERR_OK && batch != NULL) {
            take_batch(runner, statement, batch);
        }
    } while (code == ERR_OK && batch != NULL);
    runner->affected = statement_affected_rows(statement);
    statement_close(statement);
    return code;
}

static ErrorCode run_text(Runner *runner, Str sql) {
    Session *session = connection_of(runner, runner->current);
    buffer_clear(&runner->rows);
    if (runner->variant->skip != NULL) {
        Str set = STR("SET optimizer_skip = "), rest;
        char text[128];
        snprintf(text, sizeof text, "%.*s'%s'", STR_ARG(set), runner->variant->skip);
        rest = str_from_c(text);
        (void)!run_one(runner, session, &rest);
        buffer_clear(&runner->rows);
    }
    while (str_trim(sql).len > 0) {
        TRY(run_one(runner, session, &sql));
    }
    return ERR_OK;
}

static void after_change(Runner *runner) {
    if (any_block(runner)) {
        return;
    }
    if (runner->variant->flush) {
        flush_all(runner);
    }
    if (runner->variant->restart && !runner->keep_sessions && runner->connection_count == 1) {
        restart(runner);
    }
}

/* ---- comparing ---- */

static bool same_value(Str want, Str have) {
    double a, b;
    if (str_equal(want, have)) {
        return true;
    }
    bool both = parse_double(want, &a) && parse_double(have, &b);
    return both && (a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)));
}

static bool same_line(Str want, Str have) {
    Str a, b;
    for (;;) {
        bool more_a = str_split(&want, '\t', &a), more_b = str_split(&have, '\t', &b);
        if (!more_a || !more_b) {
            return more_a == more_b;
        }
        if (!same_value(a, b)) {
            return false;
        }
    }
}

static int by_text(const void *a, const void *b) { return str_compare(*(const Str *)a, *(const Str *)b); }

static size_t split_lines(Str text, Str **lines_out) {
    size_t count = 0, capacity = 16;
    Str *lines = malloc(capacity * sizeof *lines), line;
    while (text.len > 0 && str_split(&text, '\n', &line)) {
        if (count == capacity) {
            lines = realloc(lines, (capacity *= 2) * sizeof *lines);
        }
        lines[count++] = line;
    }
    *lines_out = lines;
    return count;
}

static bool same_rows(Str want, Str have, bool sort) {
    Str *a, *b;
    size_t count_a = split_lines(want, &a), count_b = split_lines(have, &b);
    bool same = count_a == count_b;
    if (same && sort) {
        qsort(a, count_a, sizeof *a, by_text);
        qsort(b, count_b, sizeof *b, by_text);
    }
    for (size_t i = 0; same && i < count_a; i++) {
        same = same_line(a[i], b[i]);
    }
    free(a);
    free(b);
    return same;
}

/* ---- records ---- */

static void report(Runner *runner, bool ok, Str sql, const char *why, Str want) {
    runner->passed += ok;
    runner->failed += !ok;
    if (ok || runner->failed > FAILURES_SHOWN_MAX) {
        return;
    }
    printf("FAIL %s:%d [%s] %s\n%.*s\n", runner->file, runner->line, runner->variant->name, why, STR_ARG(sql));
    if (want.len > 0) {
        printf("---- wanted\n%.*s---- got\n%.*s", STR_ARG(want), STR_ARG(buffer_str(&runner->rows)));
    }
}

static void statement_record(Runner *runner, Str head, Str sql) {
    Str word = {0}, more = {0};
    (void)!str_split(&head, ' ', &word); /* "statement" */
    (void)!str_split(&head, ' ', &word);
    (void)!str_split(&head, ' ', &more);
    ErrorCode code = run_text(runner, sql);
    char why[ERROR_MESSAGE_BYTES + 64] = "";
    bool ok = code == ERR_OK;
    if (str_equal(word, STR("error"))) {
        ok = code != ERR_OK && code != ERR_INTERNAL && (more.len == 0 || str_equal(more, str_from_c(error_sqlstate(code))));
        snprintf(why, sizeof why, "wanted error %.*s, got %s %s", STR_ARG(more), error_sqlstate(code), code == ERR_OK ? "" : runner->err.message);
    } else if (code != ERR_OK) {
        snprintf(why, sizeof why, "%s %s (at %lld)", error_sqlstate(code), runner->err.message, (long long)runner->err.position);
    } else if (str_equal(word, STR("count"))) {
        char text[32];
        size_t len = format_uint64(text, runner->affected);
        ok = str_equal(more, str_from(text, len));
        snprintf(why, sizeof why, "wanted %.*s rows, got %.*s", STR_ARG(more), (int)len, text);
    }
    report(runner, ok, sql, why, (Str){0});
    after_change(runner);
}

static void query_record(Runner *runner, Str head, Str sql, Str want) {
    bool sort = str_find(head, STR("rowsort"), 0) >= 0;
    ErrorCode code = run_text(runner, sql);
    if (code != ERR_OK) {
        char why[ERROR_MESSAGE_BYTES + 64];
        snprintf(why, sizeof why, "%s %s (at %lld)", error_sqlstate(code), runner->err.message, (long long)runner->err.position);
        report(runner, false, sql, why, (Str){0});
        return;
    }
    report(runner, same_rows(want, buffer_str(&runner->rows), sort), sql, "answer", want);
}

static void connect_to(Runner *runner, Str name) {
    for (int i = 0; i < runner->connection_count; i++) {
        if (str_equal(name, str_from_c(runner->connections[i].name))) {
            runner->current = i;
            return;
        }
    }
    if (runner->connection_count == CONNECTIONS_MAX) {
        die("too many connections in a file", NULL);
    }
    runner->current = runner->connection_count++;
    snprintf(runner->connections[runner->current].name, sizeof runner->connections[0].name, "%.*s", STR_ARG(name));
}

static bool directive(Runner *runner, Str line) {
    if (str_starts_with(line, STR("dialect "))) {
        close_sessions(runner);
        runner->dialect = str_ends_with(line, STR("questdb")) ? DIALECT_QUESTDB : DIALECT_POSTGRES;
    } else if (str_equal(line, STR("flush"))) {
        flush_all(runner);
    } else if (str_equal(line, STR("restart"))) {
        restart(runner);
    } else if (str_equal(line, STR("keep sessions"))) {
        runner->keep_sessions = true;
    } else {
        return false;
    }
    return true;
}

/* Collects lines up to an empty one; what follows ---- goes to *rows_out. Both point into the text. */
static void collect(Str *rest, int *line_number, Str *sql_out, Str *rows_out) {
    const char *sql_from = rest->data, *sql_to = rest->data, *rows_from = NULL;
    Str line;
    while (rest->len > 0 && str_split(rest, '\n', &line)) {
        (*line_number)++;
        if (line.len == 0) {
            break;
        }
        if (rows_from == NULL && str_equal(line, STR("----"))) {
            rows_from = line.data + line.len + 1;
            *rows_out = str_from(rows_from, 0);
        } else if (rows_from == NULL) {
            sql_to = line.data + line.len;
        } else {
            *rows_out = str_from(rows_from, (size_t)(line.data + line.len + 1 - rows_from));
        }
    }
    *sql_out = str_from(sql_from, (size_t)(sql_to - sql_from));
}

static void run_records(Runner *runner, Str text) {
    Str line;
    int number = 0;
    bool skip = false;
    while (text.len > 0 && str_split(&text, '\n', &line)) {
        runner->line = ++number;
        if (line.len == 0 || line.data[0] == '#' || directive(runner, line)) {
            continue;
        }
        if (str_equal(line, STR("halt"))) {
            return;
        }
        if (str_starts_with(line, STR("connection "))) {
            connect_to(runner, str_slice(line, 11, line.len));
            continue;
        }
        if (str_starts_with(line, STR("skipif ")) || str_starts_with(line, STR("onlyif "))) {
            bool names_us = str_equal(str_slice(line, 7, line.len), STR("basalt")) || str_equal(str_slice(line, 7, line.len), STR("postgresql"));
            skip = skip || (line.data[0] == 's' ? names_us : !names_us);
            continue;
        }
        Str sql = {0}, rows = {0};
        collect(&text, &number, &sql, &rows);
        if (!skip && str_starts_with(line, STR("statement"))) {
            statement_record(runner, line, sql);
        } else if (!skip && str_starts_with(line, STR("query"))) {
            query_record(runner, line, sql, rows);
        } else if (!skip) {
            report(runner, false, line, "not a record", (Str){0});
        }
        skip = false;
        runner->current = 0;
    }
}

static void run_file(Runner *runner, const char *path) {
    Error err;
    InputFile *input;
    Buffer text;
    buffer_init(&text, 64 << 20);
    if (os_input_open(path, &input, &err) != ERR_OK) {
        die(path, &err);
    }
    size_t got;
    do {
        uint8_t *room = buffer_reserve(&text, 65536);
        if (room == NULL || os_input_read(input, room, 65536, &got, &err) != ERR_OK) {
            die(path, &err);
        }
        text.len += got;
    } while (got > 0);
    os_input_close(input);

    strcpy(runner->folder, "/tmp/basalt-sql-XXXXXX");
    if (mkdtemp(runner->folder) == NULL || os_linux_open(runner->folder, true, &runner->os, &err) != ERR_OK) {
        die("temporary folder", &err);
    }
    open_engine(runner);
    runner->file = path;
    runner->dialect = DIALECT_POSTGRES;
    runner->connection_count = 1;
    runner->keep_sessions = false;
    runner->current = 0;
    runner->connections[0] = (Connection){.name = "default"};
    int failed = runner->failed;
    run_records(runner, buffer_str(&text));
    close_sessions(runner);
    engine_close(runner->engine);
    os_linux_close(&runner->os);
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", runner->folder);
    if (system(command) != 0) {
        die("rm", NULL);
    }
    buffer_deinit(&text);
    if (runner->failed == failed && runner->verbose) {
        printf("ok %s [%s]\n", path, runner->variant->name);
    }
}

static const Variant *find_variant(const char *name) {
    for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
        if (strcmp(VARIANTS[i].name, name) == 0) {
            return &VARIANTS[i];
        }
    }
    fprintf(stderr, "sql_test: variants:");
    for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
        fprintf(stderr, " %s", VARIANTS[i].name);
    }
    fprintf(stderr, "\n");
    exit(2);
}

int main(int argc, char **argv) {
    Runner runner = {.variant = &VARIANTS[0]};
    buffer_init(&runner.rows, 256 << 20);
    bool all = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--variant") == 0 && i + 1 < argc) {
            all = strcmp(argv[++i], "all") == 0;
            runner.variant = all ? &VARIANTS[0] : find_variant(argv[i]);
        } else if (strcmp(argv[i], "--verbose") == 0) {
            runner.verbose = true;
        } else if (all) {
            for (size_t v = 0; v < COUNT_OF(VARIANTS); v++) {
                runner.variant = &VARIANTS[v];
                run_file(&runner, argv[i]);
            }
        } else {
            run_file(&runner, argv[i]);
        }
    }
    buffer_deinit(&runner.rows);
    printf("%d passed, %d failed\n", runner.passed, runner.failed);
    return runner.failed == 0 ? 0 : 1;
}
