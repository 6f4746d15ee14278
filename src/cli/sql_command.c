/* SPDX-License-Identifier: Apache-2.0
 * sql_command.c - basalt sql TARGET [STATEMENT]: one text of statements, a file, or the shell.
 *
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include <unistd.h>

static const CliOption OPTIONS[] = {
    {"f", CLI_TEXT, "FILE", "read statements from FILE (- = standard input)"},
    {"mode", CLI_TEXT, "table|csv|json", "how results look (default: table on a terminal, else csv)"},
    {"timer", CLI_FLAG, NULL, "say how long each statement took"},
    {"keep-going", CLI_FLAG, NULL, "go on after a statement that fails"},
    {"create", CLI_FLAG, NULL, "make the folder if it does not exist"},
    {0},
};

static ExitCode run_given(SqlRun *run, const CliArgs *args) {
    Error err = {0};
    bool keep_going = cli_flag(args, "keep-going");
    const char *file = cli_text(args, "f", args->word_count == 1 ? "-" : NULL);
    if (args->word_count == 2) {
        ExitCode code = cli__run_text(run, str_from_c(args->words[1]), keep_going);
        if (code != EXIT_DONE || !cli_flag(args, "f")) {
            return code;
        }
    }
    Buffer text;
    buffer_init(&text, 1 << 30);
    ExitCode code = cli__read_file(file, &text, &err) == ERR_OK ? cli__run_text(run, buffer_str(&text), keep_going) : cli_report(&err);
    buffer_deinit(&text);
    return code;
}

static ExitCode open_failed(const CliArgs *args, ExitCode code, const Error *err) {
    const char *name = args->words[0];
    (void)cli_report(err);
    if (code == EXIT_FAILED && !cli_flag(args, "create") && strstr(name, "://") == NULL && access(name, F_OK) != 0) {
        fputs("`basalt sql --create` makes the folder\n", stderr);
    }
    return code;
}

static ExitCode run(const CliArgs *args) {
    uint32_t width = cli__terminal_width();
    SqlRun sql_run = {
        .output = {.mode = width > 0 ? OUTPUT_TABLE : OUTPUT_CSV, .width = width, .ascii = !cli__terminal_is_utf8()},
        .timer = cli_flag(args, "timer"),
    };
    const char *mode = cli_text(args, "mode", NULL);
    if (mode != NULL && !output_mode_from_name(mode, &sql_run.output.mode)) {
        return cli_usage_error("--mode is table, csv or json, not \"%s\"", mode);
    }
    Error err = {0};
    ExitCode code = EXIT_FAILED;
    bool shell = args->word_count == 1 && !cli_flag(args, "f") && isatty(STDIN_FILENO);
    if (target_open(args->words[0], !cli_flag(args, "create"), &sql_run.target, &code, &err) != ERR_OK) {
        return open_failed(args, code, &err);
    }
    cli__signals_install();
    sql_run.quiet = !shell && width == 0;
    code = shell ? cli__shell(&sql_run, args->words[0]) : run_given(&sql_run, args);
    sql_run.target->vtable->close(sql_run.target);
    return code;
}

const CliCommand CLI_SQL = {
    .name = "sql",
    .summary = "run statements on a folder or a server, or open a shell",
    .usage = "sql DIR|http://HOST:PORT [STATEMENT] [-f FILE] [--mode table|csv|json] [--timer]",
    .options = OPTIONS,
    .words_min = 1,
    .words_max = 2,
    .run = run,
    .details = "Without a statement and with a terminal it is a shell; `.help` there lists what it knows.\n"
               "A folder that a server holds cannot be opened; ask the server: basalt sql http://127.0.0.1:9000\n"
               "  basalt sql ./data \"SELECT count(*) FROM trades\"\n"
               "  basalt sql ./data -f report.sql --mode json\n",
};
