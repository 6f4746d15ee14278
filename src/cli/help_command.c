/* SPDX-License-Identifier: Apache-2.0
 * help_command.c - basalt help [TOPIC] and basalt version.
 *
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "cli/version.h"

typedef struct HelpTopic {
    const char *name, *summary, *text;
} HelpTopic;

static const HelpTopic TOPICS[] = {
    {"codes", "exit codes",
     "0   done\n"
     "1   a statement failed\n"
     "2   wrong usage of the command line\n"
     "3   the folder is in use by another process\n"
     "4   the folder was written by a newer version\n"
     "5   a file is damaged\n"
     "6   the disk is full, or reading, writing or syncing failed\n"
     "7   a port is taken\n"
     "70  the program found a fault in itself\n"},
    {"settings", "where settings come from",
     "An option on the command line wins over an environment variable, which wins over DIR/basalt.conf:\n"
     "  --http 0.0.0.0:9000        BASALT_HTTP=0.0.0.0:9000        http = 0.0.0.0:9000\n"
     "Lines of basalt.conf are `name = value`; `#` starts a comment. Names are those of the options, with `_` for `-`.\n"},
};

static ExitCode print_topic(const char *name) {
    const CliCommand *command = cli__find(name);
    if (command != NULL) {
        cli__print_command(stdout, command);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < COUNT_OF(TOPICS); i++) {
        if (strcmp(TOPICS[i].name, name) == 0) {
            fputs(TOPICS[i].text, stdout);
            return EXIT_DONE;
        }
    }
    return cli_usage_error("no help on \"%s\"; `basalt help` lists the topics", name);
}

static ExitCode run_help(const CliArgs *args) {
    if (args->word_count == 1) {
        return print_topic(args->words[0]);
    }
    puts("Basalt, a database for market and sensor data.\n\ncommands:");
    cli__print_commands(stdout);
    puts("\ntopics for `basalt help TOPIC`: every command, and");
    for (size_t i = 0; i < COUNT_OF(TOPICS); i++) {
        printf("  %-15s %s\n", TOPICS[i].name, TOPICS[i].summary);
    }
    return EXIT_DONE;
}

const CliCommand CLI_HELP = {
    .name = "help",
    .summary = "explain a command or topic",
    .usage = "help [TOPIC]",
    .words_max = 1,
    .run = run_help,
};

static ExitCode run_version(const CliArgs *args) {
    (void)args;
    puts("basalt " BASALT_VERSION);
    return EXIT_DONE;
}

const CliCommand CLI_VERSION = {
    .name = "version",
    .summary = "print the version",
    .usage = "version",
    .run = run_version,
};
