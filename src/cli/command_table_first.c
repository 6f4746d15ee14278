/* SPDX-License-Identifier: Apache-2.0
 * command_table_first.c - the commands that need no engine, while the folders that the others stand on are not complete. */
#include "cli/cli_internal.h"

const CliCommand *const cli__commands[] = {&CLI_GEN, &CLI_VERSION, &CLI_HELP};
const size_t cli__command_count = COUNT_OF(cli__commands);
