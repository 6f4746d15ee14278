/* SPDX-License-Identifier: Apache-2.0
 * cli_internal.h - the commands, and output that several of them share. */
#pragma once
#include "cli/cli.h"
#include <stdio.h>

extern const CliCommand CLI_GEN, CLI_VERSION, CLI_HELP;

/* Parses argv[0..argc) against the command's options. Prints what is wrong and returns EXIT_USAGE, or EXIT_DONE. words: room for argc. */
ExitCode cli__parse(const CliCommand *command, int argc, char **argv, char **words, CliArgs *args_out);
const CliCommand *cli__find(const char *name); /* NULL: no such command */
void cli__print_commands(FILE *out);
void cli__print_command(FILE *out, const CliCommand *command);
/* Writes all of it to standard output; ERR_IO names the reason. */
NODISCARD ErrorCode cli__write_out(void *context, Bytes piece, Error *err);
