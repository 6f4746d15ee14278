/* SPDX-License-Identifier: Apache-2.0
 * command_table.c - every command of the program, in the order of `basalt help`. */
#include "cli/cli_internal.h"

const CliCommand *const cli__commands[] = {&CLI_SERVE, &CLI_SQL, &CLI_LOAD, &CLI_CHECK, &CLI_DUMP, &CLI_GEN, &CLI_BENCH, &CLI_VERSION, &CLI_HELP};
const size_t cli__command_count = COUNT_OF(cli__commands);
