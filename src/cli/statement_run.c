/* SPDX-License-Identifier: Apache-2.0
 * statement_run.c - runs statements on a target and shows results and errors; signals; the terminal.
 *
 * Threads: main thread only. The two file-scope variables are what a signal handler may look at; nothing else reads them.
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "os/os.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---- signals ---- */

static _Atomic(Target *) signal_target;  /* a handler has no argument of its own */
static atomic_bool signal_taken;

static void on_interrupt(int number) {
    (void)number;
    Target *target = atomic_load(&signal_target);
    atomic_store(&signal_taken, true);
    if (target != NULL) {
        target->vtable->cancel(target);
    }
}

void cli__signals_install(void) {
    struct sigaction action = {.sa_handler = on_interrupt}; /* without SA_RESTART: what waits for a key comes back */
    sigaction(SIGINT, &action, NULL);
}

void cli__signals_target(Target *target) {
    atomic_store(&signal_target, target);
}

bool cli__signals_taken(void) {
    return atomic_exchange(&signal_taken, false);
}

/* ---- terminal and files ---- */

uint32_t cli__terminal_width(void) {
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO)) {
        return 0;
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool cli__terminal_is_utf8(void) {
    static const char *const NAMES[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        const char *value = getenv(NAMES[i]);
        if (value != NULL && value[0] != '\0') {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL || strstr(value, "UTF8") != NULL;
        }
    }
    return true; /* nothing says otherwise: today's terminals are */
}

ErrorCode cli__read_file(const char *path, Buffer *out, Error *err) {
    InputFile *input = NULL;
    TRY(os_input_open(path, &input, err));
    ErrorCode code = ERR_OK;
    size_t got = 0;
    do {
        uint8_t *room = buffer_reserve(out, 65536);
        if (room == NULL) {
            code = buffer_check(out, err);
            break;
        }
        code = os_input_read(input, room, 65536, &got, err);
        out->len += code == ERR_OK ? got : 0;
    } while (code == ERR_OK && got > 0);
    os_input_close(input);
    return code;
}

/* ---- errors ---- */

enum { CARET_CONTEXT = 30 };

/* The line of the statement that holds the position, cut to what fits, and a caret below. */
static void print_caret(Str sql, int64_t position) {
    size_t at = MIN_OF((size_t)position, sql.len), start = at, end = at;
    while (start > 0 && sql.data[start - 1] != '\n') {
        start--;
    }
    while (end < sql.len && sql.data[end] != '\n') {
        end++;
    }
    uint32_t width = MAX_OF(cli__terminal_width(), 80U);
    size_t first = start;
    while (text_width(str_slice(sql, first, at)) > width - CARET_CONTEXT) {
        uint32_t c = 0;
        int used = utf8_decode(sql, first, &c);
        first += used > 0 ? (size_t)used : 1;
    }
    size_t last = end;
    while (last > at && text_width(str_slice(sql, first, last)) > width - 4) {
        last--;
    }
    fprintf(stderr, "  %.*s\n  ", (int)(last - first), sql.data + first);
    for (uint32_t i = text_width(str_slice(sql, first, at)); i > 0; i--) {
        fputc(' ', stderr);
    }
    fputs("^\n", stderr);
}

static ExitCode report(Str sql, const Error *err) {
    fflush(stdout);
    fprintf(stderr, "error: %s\n", err->message);
    if (err->position >= 0 && (size_t)err->position <= sql.len) {
        print_caret(sql, err->position);
    }
    static const struct { char field; const char *name; } MORE[] = {{'X', "expected"}, {'D', "detail"}, {'H', "hint"}};
    for (size_t i = 0; i < COUNT_OF(MORE); i++) {
        const char *text = error_field(err, MORE[i].field);
        if (text != NULL) {
            fprintf(stderr, "%s: %s\n", MORE[i].name, text);
        }
    }
    return cli_exit_code(err->code);
}

/* ---- statements ---- */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static ExitCode run_one(SqlRun *run, Str sql) {
    ResultSink *sink = output_open(&run->output);
    ResultSummary summary;
    Error err = {.position = ERROR_NO_POSITION};
    double start = seconds_now();
    cli__signals_target(run->target);
    ErrorCode code = run->target->vtable->run(run->target, sql, sink, &summary, &err);
    cli__signals_target(NULL);
    output_close(sink);
    if (code != ERR_OK) {
        return report(sql, &err);
    }
    fflush(stdout);
    if (!run->quiet && summary.has_rows) {
        fprintf(stderr, "%llu row%s\n", (unsigned long long)summary.rows, summary.rows == 1 ? "" : "s");
    } else if (!run->quiet && summary.tag[0] != '\0') {
        fprintf(stderr, "%s\n", summary.tag);
    }
    if (run->timer) {
        fprintf(stderr, "%.3f ms\n", (seconds_now() - start) * 1000);
    }
    return EXIT_DONE;
}

ExitCode cli__run_text(SqlRun *run, Str text, bool keep_going) {
    ExitCode result = EXIT_DONE;
    while (!statement_is_empty(text)) {
        size_t end = statement_end(text);
        size_t len = end == 0 ? text.len : end;
        Str sql = str_slice(text, 0, len);
        ExitCode code = statement_is_empty(sql) ? EXIT_DONE : run_one(run, sql);
        result = code != EXIT_DONE ? code : result;
        if (code != EXIT_DONE && !keep_going) {
            break;
        }
        text = str_slice(text, len, text.len);
    }
    return result;
}
