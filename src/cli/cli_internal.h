/* SPDX-License-Identifier: Apache-2.0
 * cli_internal.h - the commands, and output that several of them share. */
#pragma once
#include "cli/cli.h"
#include "cli/target.h"
#include <stdio.h>

extern const CliCommand *const cli__commands[];
extern const size_t cli__command_count;
extern const CliCommand CLI_SERVE, CLI_SQL, CLI_LOAD, CLI_CHECK, CLI_DUMP, CLI_GEN, CLI_BENCH, CLI_VERSION, CLI_HELP;

/* Parses argv[0..argc) against the command's options. Prints what is wrong and returns EXIT_USAGE, or EXIT_DONE. words: room for argc. */
ExitCode cli__parse(const CliCommand *command, int argc, char **argv, char **words, CliArgs *args_out);
const CliCommand *cli__find(const char *name); /* NULL: no such command */
void cli__print_commands(FILE *out);
void cli__print_command(FILE *out, const CliCommand *command);
/* Writes all of it to standard output; ERR_IO names the reason. */
NODISCARD ErrorCode cli__write_out(void *context, Bytes piece, Error *err);

/* ---- sinks, see target.h ---- */
ResultSink *cli__output_text_open(OutputMode mode);
void cli__output_text_close(ResultSink *sink);

/* ---- statements ---- */
typedef struct SqlRun {
    Target *target;
    OutputOptions output;
    bool timer;
    bool quiet;       /* no tags and row counts */
} SqlRun;
/* Runs every statement of text; stops at the first that fails (or goes on if keep_going). Reports errors with a caret. */
ExitCode cli__run_text(SqlRun *run, Str text, bool keep_going);
ExitCode cli__shell(SqlRun *run, const char *target_name);
/* While a statement runs, SIGINT cancels it. Else it only interrupts what waits for input. */
void cli__signals_install(void);
void cli__signals_target(Target *target);  /* NULL: nothing runs */
bool cli__signals_taken(void);             /* a SIGINT came since the last call */
uint32_t cli__terminal_width(void);        /* 0: stdout is no terminal */
bool cli__terminal_is_utf8(void);
/* The whole of a file ("-" = standard input) into the buffer. */
NODISCARD ErrorCode cli__read_file(const char *path, Buffer *out, Error *err);
