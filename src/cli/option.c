/* SPDX-License-Identifier: Apache-2.0
 * option.c - `--name value`, `--name=value`, `-x value` for one-letter names, `--` ends the options.
 *
 * Tests: test/cli */
#include "base/number.h"
#include "cli/cli_internal.h"

static int option_find(const CliOption *options, const char *name, size_t len) {
    for (int i = 0; options != NULL && options[i].name != NULL; i++) {
        assert(i < CLI_OPTIONS_MAX);
        if (strlen(options[i].name) == len && memcmp(options[i].name, name, len) == 0) {
            return i;
        }
    }
    return -1;
}

static ExitCode check_number(const CliOption *option, Str value) {
    uint64_t number = 0;
    bool overflow = false;
    if (!parse_uint64(value, &number, &overflow)) {
        return cli_usage_error("--%s wants a number, not \"%.*s\"", option->name, STR_ARG(value));
    }
    return EXIT_DONE;
}

/* Reads the option in argv[*at] and its value; *at is left on the last argument used. */
static ExitCode take_option(const CliCommand *command, int argc, char **argv, int *at, CliArgs *args) {
    const char *text = argv[*at];
    const char *name = text[1] == '-' ? text + 2 : text + 1;
    const char *equals = strchr(name, '=');
    size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
    int index = option_find(command->options, name, len);
    if (index < 0) {
        return cli_usage_error("%s has no option %s; see `basalt help %s`", command->name, text, command->name);
    }
    const CliOption *option = &command->options[index];
    args->given[index] = true;
    if (option->kind == CLI_FLAG) {
        return equals == NULL ? EXIT_DONE : cli_usage_error("--%s takes no value", option->name);
    }
    if (equals == NULL && *at + 1 >= argc) {
        return cli_usage_error("--%s wants a value: %s", option->name, option->value_name);
    }
    args->values[index] = str_from_c(equals != NULL ? equals + 1 : argv[++*at]);
    return option->kind == CLI_NUMBER ? check_number(option, args->values[index]) : EXIT_DONE;
}

ExitCode cli__parse(const CliCommand *command, int argc, char **argv, char **words, CliArgs *args_out) {
    bool options_done = false;
    *args_out = (CliArgs){.options = command->options, .words = words};
    for (int i = 0; i < argc; i++) {
        bool is_option = !options_done && argv[i][0] == '-' && argv[i][1] != '\0';
        if (is_option && strcmp(argv[i], "--") == 0) {
            options_done = true;
        } else if (is_option) {
            ExitCode code = take_option(command, argc, argv, &i, args_out);
            if (code != EXIT_DONE) {
                return code;
            }
        } else {
            words[args_out->word_count++] = argv[i];
        }
    }
    if (args_out->word_count < command->words_min || args_out->word_count > command->words_max) {
        return cli_usage_error("usage: basalt %s", command->usage);
    }
    return EXIT_DONE;
}

static int index_of(const CliArgs *args, const char *name) {
    int index = option_find(args->options, name, strlen(name));
    assert(index >= 0);
    return index;
}

const char *cli_text(const CliArgs *args, const char *name, const char *fallback) {
    int index = index_of(args, name);
    return args->given[index] ? args->values[index].data : fallback; /* from argv, so it ends with NUL */
}

uint64_t cli_number(const CliArgs *args, const char *name, uint64_t fallback) {
    int index = index_of(args, name);
    bool overflow = false;
    if (args->given[index] && !parse_uint64(args->values[index], &fallback, &overflow)) {
        assert(false); /* checked by take_option */
    }
    return fallback;
}

bool cli_flag(const CliArgs *args, const char *name) {
    return args->given[index_of(args, name)];
}
