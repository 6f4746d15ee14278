/* SPDX-License-Identifier: Apache-2.0
 * bench_command.c - basalt bench TARGET: how long statements take, minimum, median and maximum of several runs.
 *
 * Why:   one run says little; the minimum is what the machine can do, the distance to the median how quiet it was.
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include <stdlib.h>
#include <time.h>

static const CliOption OPTIONS[] = {
    {"f", CLI_TEXT, "FILE", "statements from FILE (- = standard input)"},
    {"runs", CLI_NUMBER, "N", "runs of each statement (default 5)"},
    {0},
};
enum { BENCH_RUNS_MAX = 10000 };

static ErrorCode ignore_begin(ResultSink *sink, const ResultColumn *columns, uint32_t count, Error *err) {
    (void)sink;
    (void)columns;
    (void)count;
    (void)err;
    return ERR_OK;
}
static ErrorCode ignore_row(ResultSink *sink, const ResultCell *cells, Error *err) {
    (void)sink;
    (void)cells;
    (void)err;
    return ERR_OK;
}
static ErrorCode ignore_end(ResultSink *sink, Error *err) {
    (void)sink;
    (void)err;
    return ERR_OK;
}

static double millis_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static ExitCode measure(Target *target, Str sql, size_t runs, double *millis) {
    ResultSink sink = {ignore_begin, ignore_row, ignore_end};
    ResultSummary summary = {0};
    Error err = {.position = ERROR_NO_POSITION};
    cli__signals_target(target);
    for (size_t i = 0; i < runs; i++) {
        double start = millis_now();
        if (target->vtable->run(target, sql, &sink, &summary, &err) != ERR_OK) {
            cli__signals_target(NULL);
            return cli_report(&err);
        }
        millis[i] = millis_now() - start;
    }
    cli__signals_target(NULL);
    qsort(millis, runs, sizeof *millis, compare);
    Str shown = str_trim(sql);
    printf("%9.3f %9.3f %9.3f %10llu  ", millis[0], millis[runs / 2], millis[runs - 1], (unsigned long long)summary.rows);
    for (size_t i = 0; i < shown.len; i++) {
        putchar(shown.data[i] == '\n' ? ' ' : shown.data[i]);
    }
    putchar('\n');
    return EXIT_DONE;
}

static ExitCode measure_all(Target *target, Str text, size_t runs) {
    double *millis = mem_calloc(runs, sizeof *millis);
    ExitCode code = EXIT_DONE;
    puts("  min ms    median       max       rows  statement");
    while (code == EXIT_DONE && !statement_is_empty(text)) {
        size_t end = statement_end(text);
        size_t len = end == 0 ? text.len : end;
        code = measure(target, str_slice(text, 0, len), runs, millis);
        text = str_slice(text, len, text.len);
    }
    mem_free(millis);
    return code;
}

static ExitCode run(const CliArgs *args) {
    Target *target = NULL;
    Buffer text;
    Error err = {0};
    ExitCode code = EXIT_FAILED;
    uint64_t runs = cli_number(args, "runs", 5);
    if (runs == 0 || runs > BENCH_RUNS_MAX || (args->word_count == 1 && !cli_flag(args, "f"))) {
        return cli_usage_error("bench wants a statement or -f FILE, and 1 to %d runs", BENCH_RUNS_MAX);
    }
    buffer_init(&text, 1 << 26);
    if (args->word_count == 2) {
        buffer_append_str(&text, str_from_c(args->words[1]));
    } else if (cli__read_file(cli_text(args, "f", "-"), &text, &err) != ERR_OK) {
        buffer_deinit(&text);
        return cli_report(&err);
    }
    if (target_open(args->words[0], true, &target, &code, &err) != ERR_OK) {
        (void)cli_report(&err);
    } else {
        cli__signals_install();
        code = measure_all(target, buffer_str(&text), (size_t)runs);
        target->vtable->close(target);
    }
    buffer_deinit(&text);
    return code;
}

const CliCommand CLI_BENCH = {
    .name = "bench",
    .summary = "time statements",
    .usage = "bench DIR|http://HOST:PORT [STATEMENT] [-f FILE] [--runs N]",
    .options = OPTIONS,
    .words_min = 1,
    .words_max = 2,
    .run = run,
    .details = "Prints minimum, median and maximum in milliseconds and the number of rows of each statement.\n",
};
