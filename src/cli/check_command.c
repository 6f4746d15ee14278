/* SPDX-License-Identifier: Apache-2.0
 * check_command.c - basalt check DIR: walks every block and invariant.
 *
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "engine/engine.h"
#include "os/os.h"

#include <unistd.h>

enum { CHECK_REPORT_BYTES_MAX = 64 << 20 };

static ExitCode run(const CliArgs *args) {
    Os os;
    Engine *engine = NULL;
    Buffer report;
    Error err = {0};
    if (os_linux_open(args->words[0], false, &os, &err) != ERR_OK) {
        return cli_report(&err);
    }
    buffer_init(&report, CHECK_REPORT_BYTES_MAX);
    ErrorCode code = ERR_OK;
    if (access(args->words[0], W_OK) != 0) {
        fputs("the folder cannot be written to: each file is checked by itself, the log is not applied\n", stderr);
        code = engine_check_files(os, &report, &err);
        fwrite(report.data, 1, report.len, stdout);
        os_linux_close(&os);
        buffer_deinit(&report);
        return code == ERR_OK ? EXIT_DONE : cli_report(&err);
    }
    code = engine_open(os, &(EngineOptions){.embedded = true, .no_background = true}, &engine, &err);
    if (code == ERR_OK) {
        code = engine_check(engine, &report, &err);
        fwrite(report.data, 1, report.len, stdout);
        engine_close(engine);
    }
    os_linux_close(&os);
    buffer_deinit(&report);
    return code == ERR_OK ? EXIT_DONE : cli_report(&err);
}

const CliCommand CLI_CHECK = {
    .name = "check",
    .summary = "check every file of a folder",
    .usage = "check DIR",
    .words_min = 1,
    .words_max = 1,
    .run = run,
    .details = "A folder that cannot be written to is checked file by file, without applying its log.\n"
               "Prints what it looked at. Exit code 5: something is damaged; the message names file and offset.\n",
};
