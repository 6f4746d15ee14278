/* SPDX-License-Identifier: Apache-2.0
 * shell.c - the interactive shell: line editing and history (libedit), statements over several lines, dot commands.
 *
 * States: a statement grows line by line until its semicolon; Ctrl-C drops what was typed or cancels what runs; Ctrl-D leaves.
 * Tests:  test/cli (through a pseudo terminal) */
#include "cli/cli_internal.h"
#include <histedit.h>
#include <stdlib.h>

enum { SHELL_HISTORY_LINES = 2000, SHELL_STATEMENT_BYTES_MAX = 16 << 20 };

typedef struct Shell {
    SqlRun *run;
    EditLine *edit;
    History *history;
    Buffer statement;
    char history_path[1024];
    bool leave;
} Shell;

/* ---- dot commands ---- */

typedef struct DotCommand {
    const char *name, *arguments, *help;
    void (*run)(Shell *shell, Str argument);
} DotCommand;

static void dot_help(Shell *shell, Str argument);

static void dot_quit(Shell *shell, Str argument) {
    (void)argument;
    shell->leave = true;
}

static void dot_tables(Shell *shell, Str argument) {
    (void)argument;
    (void)cli__run_text(shell->run, STR("SHOW TABLES"), true);
}

static void dot_schema(Shell *shell, Str argument) {
    Buffer text;
    if (argument.len == 0) {
        fputs("usage: .schema TABLE\n", stderr);
        return;
    }
    buffer_init(&text, 4096);
    buffer_append_str(&text, STR("SELECT \"column\", type, designated FROM table_columns('"));
    for (size_t i = 0; i < argument.len; i++) {
        if (argument.data[i] == '\'') {
            buffer_append_char(&text, '\'');
        }
        buffer_append_char(&text, argument.data[i]);
    }
    buffer_append_str(&text, STR("')"));
    (void)cli__run_text(shell->run, buffer_str(&text), true);
    buffer_deinit(&text);
}

static void dot_timer(Shell *shell, Str argument) {
    shell->run->timer = str_equal(argument, STR("on")) || (argument.len == 0 && !shell->run->timer);
    fprintf(stderr, "timer is %s\n", shell->run->timer ? "on" : "off");
}

static void dot_mode(Shell *shell, Str argument) {
    char name[16];
    snprintf(name, sizeof name, "%.*s", STR_ARG(argument));
    if (!output_mode_from_name(name, &shell->run->output.mode)) {
        fputs("usage: .mode table|csv|json\n", stderr);
    }
}

static const DotCommand DOT_COMMANDS[] = {
    {".help", "", "this list", dot_help},
    {".tables", "", "names of all tables", dot_tables},
    {".schema", "TABLE", "columns of a table", dot_schema},
    {".timer", "[on|off]", "how long statements take", dot_timer},
    {".mode", "table|csv|json", "how results look", dot_mode},
    {".quit", "", "leave (also Ctrl-D)", dot_quit},
};

static void dot_help(Shell *shell, Str argument) {
    (void)shell;
    (void)argument;
    for (size_t i = 0; i < COUNT_OF(DOT_COMMANDS); i++) {
        fprintf(stderr, "%-8s %-15s %s\n", DOT_COMMANDS[i].name, DOT_COMMANDS[i].arguments, DOT_COMMANDS[i].help);
    }
    fputs("Statements end with a semicolon and may span lines. Ctrl-C cancels the statement.\n", stderr);
}

static void dot_run(Shell *shell, Str line) {
    ptrdiff_t blank = str_find_char(line, ' ', 0);
    Str name = blank < 0 ? line : str_slice(line, 0, (size_t)blank);
    Str argument = blank < 0 ? STR("") : str_trim(str_slice(line, (size_t)blank, line.len));
    if (argument.len > 0 && argument.data[argument.len - 1] == ';') {
        argument.len--;
    }
    for (size_t i = 0; i < COUNT_OF(DOT_COMMANDS); i++) {
        if (str_equal(name, str_from_c(DOT_COMMANDS[i].name))) {
            DOT_COMMANDS[i].run(shell, argument);
            return;
        }
    }
    fprintf(stderr, "unknown command %.*s; .help lists them\n", STR_ARG(name));
}

/* ---- lines ---- */

static char *prompt(EditLine *edit) {
    static char first[] = "basalt> ", more[] = "   ...> "; /* libedit wants char *; neither is written to */
    Shell *shell = NULL;
    el_get(edit, EL_CLIENTDATA, &shell);
    return shell->statement.len == 0 ? first : more;
}

/* Runs what is complete and keeps the rest. */
static void statements_run(Shell *shell) {
    Str text = buffer_str(&shell->statement);
    size_t end = 0;
    while ((end = statement_end(text)) > 0) {
        Str one = str_slice(text, 0, end);
        if (!statement_is_empty(one)) {
            (void)cli__run_text(shell->run, one, true);
        }
        text = str_slice(text, end, text.len);
    }
    if (statement_is_empty(text)) {
        buffer_clear(&shell->statement);
        return;
    }
    memmove(shell->statement.data, text.data, text.len);
    shell->statement.len = text.len;
}

static void line_take(Shell *shell, Str line) {
    Str trimmed = str_trim(line);
    bool fresh = shell->statement.len == 0;
    HistEvent event;
    if (trimmed.len > 0) {
        char *copy = mem_calloc(line.len + 1, sizeof *copy);
        memcpy(copy, line.data, line.len);
        history(shell->history, &event, H_ENTER, copy);
        mem_free(copy);
    }
    if (fresh && trimmed.len > 0 && trimmed.data[0] == '.') {
        dot_run(shell, trimmed);
        return;
    }
    if (fresh && (str_equal(trimmed, STR("quit")) || str_equal(trimmed, STR("exit")) || str_equal(trimmed, STR("\\q")))) {
        shell->leave = true;
        return;
    }
    buffer_append_str(&shell->statement, line);
    statements_run(shell);
}

static void history_open(Shell *shell) {
    HistEvent event;
    const char *home = getenv("HOME");
    shell->history = history_init();
    history(shell->history, &event, H_SETSIZE, SHELL_HISTORY_LINES);
    history(shell->history, &event, H_SETUNIQUE, 1);
    if (home != NULL) {
        snprintf(shell->history_path, sizeof shell->history_path, "%s/.basalt_history", home);
        history(shell->history, &event, H_LOAD, shell->history_path);
    }
}

static void loop(Shell *shell) {
    while (!shell->leave) {
        int count = 0;
        (void)cli__signals_taken(); /* a Ctrl-C that canceled a statement is used up */
        const char *line = el_gets(shell->edit, &count);
        bool interrupted = cli__signals_taken();
        if (line != NULL && count > 0 && !interrupted) {
            line_take(shell, str_from(line, (size_t)count));
        } else if (interrupted) {
            buffer_clear(&shell->statement);
            fputc('\n', stderr);
            el_reset(shell->edit);
        } else {
            fputc('\n', stderr);
            shell->leave = true;
        }
    }
}

ExitCode cli__shell(SqlRun *run, const char *target_name) {
    Shell shell = {.run = run};
    HistEvent event;
    buffer_init(&shell.statement, SHELL_STATEMENT_BYTES_MAX);
    history_open(&shell);
    shell.edit = el_init("basalt", stdin, stdout, stderr);
    el_set(shell.edit, EL_CLIENTDATA, &shell);
    el_set(shell.edit, EL_PROMPT, prompt);
    el_set(shell.edit, EL_EDITOR, "emacs");
    el_set(shell.edit, EL_SIGNAL, 1);
    el_set(shell.edit, EL_HIST, history, shell.history);
    el_source(shell.edit, NULL);
    fprintf(stderr, "Basalt on %s. Statements end with a semicolon; .help lists commands.\n", target_name);
    loop(&shell);
    if (shell.history_path[0] != '\0') {
        history(shell.history, &event, H_SAVE, shell.history_path);
    }
    el_end(shell.edit);
    history_end(shell.history);
    buffer_deinit(&shell.statement);
    return EXIT_DONE;
}
