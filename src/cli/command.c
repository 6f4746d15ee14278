/* SPDX-License-Identifier: Apache-2.0
 * command.c - the table of commands, dispatch, and how errors become exit codes.
 *
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "os/os.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

const CliCommand *cli__find(const char *name) {
    for (size_t i = 0; i < cli__command_count; i++) {
        if (strcmp(cli__commands[i]->name, name) == 0) {
            return cli__commands[i];
        }
    }
    return NULL;
}

void cli__print_commands(FILE *out) {
    for (size_t i = 0; i < cli__command_count; i++) {
        fprintf(out, "  basalt %-8s %s\n", cli__commands[i]->name, cli__commands[i]->summary);
    }
}

enum { OPTION_BYTES_MAX = 64 };

/* `--name VALUE`, `-x VALUE`; returns the columns that it takes on a terminal (a code point each). */
static size_t option_left(const CliOption *option, char left[OPTION_BYTES_MAX]) {
    bool flag = option->kind == CLI_FLAG;
    const char *dashes = option->name[1] == '\0' ? "-" : "--";
    snprintf(left, OPTION_BYTES_MAX, "%s%s%s%s", dashes, option->name, flag ? "" : " ", flag ? "" : option->value_name);
    size_t columns = 0;
    for (const char *at = left; *at != '\0'; at++) {
        columns += ((unsigned char)*at & 0xC0) != 0x80;
    }
    return columns;
}

void cli__print_command(FILE *out, const CliCommand *command) {
    fprintf(out, "basalt %s: %s\n\nusage: basalt %s\n", command->name, command->summary, command->usage);
    char left[OPTION_BYTES_MAX];
    size_t width = 0;
    for (const CliOption *option = command->options; option != NULL && option->name != NULL; option++) {
        width = MAX_OF(width, option_left(option, left));
    }
    for (const CliOption *option = command->options; option != NULL && option->name != NULL; option++) {
        size_t columns = option_left(option, left);
        Str help = str_from_c(option->help);
        help.len -= str_ends_with(help, STR(" (default )")) ? strlen(" (default )") : 0;
        fprintf(out, "  %s%*s  %.*s\n", left, (int)(width - columns), "", STR_ARG(help));
    }
    if (command->details != NULL) {
        fprintf(out, "\n%s", command->details);
    }
}

/* Ends the process for base: the one place below which nothing can go on. */
static void die(ErrorCode code, const char *message) {
    fprintf(stderr, "basalt: %s\n", message);
    fflush(stderr);
    _exit((int)(cli_exit_code(code) == EXIT_DISK ? EXIT_DISK : EXIT_INTERNAL));
}

static bool is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int cli_main(int argc, char **argv) {
    fatal_install(die);
    (void)os_raise_file_limit(); /* each open segment is a file */
    if (argc < 2 || is_help(argv[1])) {
        FILE *out = argc < 2 ? stderr : stdout;
        fprintf(out, "usage: basalt COMMAND ...\n");
        cli__print_commands(out);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    const char *name = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    const CliCommand *command = cli__find(name);
    if (command == NULL) {
        return (int)cli_usage_error("there is no command \"%s\"; `basalt help` lists them", name);
    }
    for (int i = 2; i < argc; i++) {
        if (is_help(argv[i])) {
            cli__print_command(stdout, command);
            return EXIT_DONE;
        }
    }
    char **words = mem_calloc((size_t)argc, sizeof *words);
    CliArgs args = {0};
    ExitCode code = cli__parse(command, argc - 2, argv + 2, words, &args);
    if (code == EXIT_DONE) {
        code = command->run(&args);
    }
    mem_free(words);
    if (fflush(stdout) != 0 && code == EXIT_DONE) {
        code = EXIT_DISK;
    }
    return (int)code;
}

ExitCode cli_exit_code(ErrorCode code) {
    switch (code) {
    case ERR_OK:
        return EXIT_DONE;
    case ERR_FOLDER_IN_USE:
        return EXIT_FOLDER_IN_USE;
    case ERR_NEWER_FORMAT:
        return EXIT_NEWER_FORMAT;
    case ERR_DAMAGED:
        return EXIT_DAMAGED;
    case ERR_IO:
    case ERR_DISK_FULL:
    case ERR_SYNC_FAILED:
        return EXIT_DISK;
    default:
        return EXIT_FAILED;
    }
}

ExitCode cli_report(const Error *err) {
    fprintf(stderr, "basalt: %s\n", err->message);
    return cli_exit_code(err->code);
}

ExitCode cli_usage_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "basalt: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return EXIT_USAGE;
}

ErrorCode cli__write_out(void *context, Bytes piece, Error *err) {
    (void)context;
    if (fwrite(piece.data, 1, piece.len, stdout) != piece.len) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot write to standard output: %s", strerror(errno));
    }
    return ERR_OK;
}
