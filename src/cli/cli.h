/* SPDX-License-Identifier: Apache-2.0
 * cli.h - the program's commands: exit codes, the table of commands, options.
 *
 * Why:   scripts depend on names and exit codes, so both are fixed in tables. Results go to stdout, everything else to stderr.
 * Tests: test/cli */
#pragma once
#include "base/memory.h"

/* Documented in `basalt help codes`; scripts depend on them. */
typedef enum ExitCode {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,        /* a statement failed */
    EXIT_USAGE = 2,
    EXIT_FOLDER_IN_USE = 3,
    EXIT_NEWER_FORMAT = 4,
    EXIT_DAMAGED = 5,
    EXIT_DISK = 6,          /* disk full, input or output error, failed sync */
    EXIT_PORT_TAKEN = 7,
    EXIT_INTERNAL = 70
} ExitCode;

int cli_main(int argc, char **argv); /* the whole program; returns the exit code */

ExitCode cli_exit_code(ErrorCode code);
/* Prints "basalt: message" (with the SQLSTATE where one helps) to stderr and gives the exit code. */
ExitCode cli_report(const Error *err);
ExitCode cli_usage_error(const char *format, ...) PRINTF_LIKE(1, 2);

/* ---- options ---- */
typedef enum CliOptionKind { CLI_FLAG, CLI_TEXT, CLI_NUMBER } CliOptionKind;
typedef struct CliOption {
    const char *name;       /* without the two dashes */
    CliOptionKind kind;
    const char *value_name; /* for help pages: "N", "FILE" */
    const char *help;
} CliOption;

enum { CLI_OPTIONS_MAX = 64 };
typedef struct CliArgs {
    const CliOption *options; /* of the command; ends with a row without a name */
    Str values[CLI_OPTIONS_MAX];
    bool given[CLI_OPTIONS_MAX];
    char **words;             /* arguments that are no options, in order */
    int word_count;
} CliArgs;
const char *cli_text(const CliArgs *args, const char *name, const char *fallback);
uint64_t cli_number(const CliArgs *args, const char *name, uint64_t fallback); /* checked while parsing */
bool cli_flag(const CliArgs *args, const char *name);                          /* given at all */

/* ---- commands: one row in command.c, one file each ---- */
typedef struct CliCommand {
    const char *name, *summary, *usage;
    const CliOption *options;
    int words_min, words_max;
    ExitCode (*run)(const CliArgs *args);
    const char *details; /* more lines for `basalt help NAME`, may be NULL */
} CliCommand;
