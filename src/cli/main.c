/* SPDX-License-Identifier: Apache-2.0
 * main.c - where the program starts. */
#include "cli/cli.h"

int main(int argc, char **argv) {
    return cli_main(argc, argv);
}
