/* SPDX-License-Identifier: Apache-2.0
 * serve_command.c - basalt serve DIR: settings, the engine, the server, and signals until it ends.
 *
 * Why:     signals are blocked before any thread starts and taken by sigwait here, so that no handler runs in a busy thread.
 * Threads: the main thread waits; engine and server have their own.
 * Tests:   test/cli */
#include "cli/cli_settings.h"
#include "engine/engine.h"
#include "os/os.h"
#include <signal.h>

static const CliOption OPTIONS[] = {
#define X(field, name, kind, fallback, help) {name, CLI_TEXT, "VALUE", help " (default " fallback ")"},
    SERVER_SETTINGS(X)
#undef X
    {"config", CLI_TEXT, "FILE", "settings file (default DIR/basalt.conf)"},
    {0},
};
enum { STOP_GRACE_MS = 5000 };

static void signals_block(sigset_t *set) {
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    static const int NUMBERS[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < COUNT_OF(NUMBERS); i++) {
        signal(NUMBERS[i], SIG_DFL); /* a shell may have made its background jobs ignore them */
    }
    pthread_sigmask(SIG_BLOCK, set, NULL);
}

/* From now on a second Ctrl-C ends the process at once (the log brings back what was acknowledged); scripts that pass a signal on
 * after the terminal did must not, so SIGTERM and SIGHUP mean nothing more. */
static void signals_when_stopping(const sigset_t *signals) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
}

static int host_length(Str address) {
    size_t colon = address.len;
    while (colon > 0 && address.data[colon - 1] != ':') {
        colon--;
    }
    return colon > 0 ? (int)colon - 1 : (int)address.len;
}

static void say_doors(const Server *server, const ServerSettings *settings, const char *folder) {
    int http = server_http_port(server), pg = server_pg_port(server);
    fprintf(stderr, "basalt serves %s", folder);
    if (http > 0) {
        fprintf(stderr, " on http://%.*s:%d", host_length(settings->http.text), settings->http.text.data, http);
    }
    if (pg > 0) {
        fprintf(stderr, "%s postgres://postgres@%.*s:%d/basalt", http > 0 ? " and" : " on", host_length(settings->pg.text), settings->pg.text.data, pg);
    }
    fprintf(stderr, "%s\n", http == 0 && pg == 0 ? ", no door is open" : "");
}

static void say(const char *line) { fprintf(stderr, "%s\n", line); }

/* SIGHUP ends a server on a terminal that goes away; one with a certificate reads it again. */
static void reload_certificate(Server *server) {
    Error err = {0};
    if (server_tls_reload(server, &err) == ERR_OK) {
        fprintf(stderr, "basalt read its certificate again\n");
    } else {
        fprintf(stderr, "basalt: the certificate stays as it was: %s\n", err.message);
    }
}

static ExitCode serve_until_signal(Engine *engine, const ServerSettings *settings, const char *folder, sigset_t *signals) {
    Server *server = NULL;
    Error err = {0};
    int number = 0;
    ErrorCode code = server_start(engine, settings, &server, &err);
    if (code != ERR_OK) {
        fprintf(stderr, "basalt: %s\n", err.message);
        return code == ERR_OBJECT_IN_USE ? EXIT_PORT_TAKEN : code == ERR_INVALID_PARAMETER ? EXIT_USAGE : cli_exit_code(code);
    }
    say_doors(server, settings, folder);
    while (sigwait(signals, &number) == 0 && number == SIGHUP && server_has_tls(server)) {
        reload_certificate(server);
    }
    fprintf(stderr, "basalt stops\n");
    signals_when_stopping(signals);
    server_stop(server, STOP_GRACE_MS);
    return EXIT_DONE;
}

/* Nobody knows what is on the disk after a failed write or sync; a new start reads it and finds every acknowledged commit. */
static void end_without_log(const Error *cause) {
    fatal(cause->code, "the log failed, start again to recover: %s", cause->message);
}

static ExitCode run_with(ServerSettings *settings, const CliArgs *args, sigset_t *signals) {
    Os os;
    Engine *engine = NULL;
    EngineOptions options = {0};
    Error err = {0};
    char url[300];
    ErrorCode code = cli__settings_take(settings, args->words[0], args, &err);
    settings->read_file = cli__read_file;
    settings->say = say;
    code = code == ERR_OK ? server_engine_options(settings, &options, &err) : code;
    if (code != ERR_OK) {
        ExitCode exit_code = cli_report(&err);
        return exit_code == EXIT_FAILED ? EXIT_USAGE : exit_code; /* what settings say is usage, wherever they come from */
    }
    snprintf(url, sizeof url, "http://%.*s", STR_ARG(settings->http.text));
    options.url = url;
    options.log_failed = end_without_log;
    if (os_linux_open(args->words[0], true, &os, &err) != ERR_OK) {
        return cli_report(&err);
    }
    ExitCode exit_code = EXIT_DONE;
    if (engine_open(os, &options, &engine, &err) != ERR_OK) {
        exit_code = cli_report(&err);
    } else {
        exit_code = serve_until_signal(engine, settings, args->words[0], signals);
        engine_close(engine);
    }
    os_linux_close(&os);
    return exit_code;
}

static ExitCode run(const CliArgs *args) {
    ServerSettings settings;
    sigset_t signals;
    signals_block(&signals);
    server_settings_init(&settings);
    ExitCode code = run_with(&settings, args, &signals);
    server_settings_deinit(&settings);
    return code;
}

const CliCommand CLI_SERVE = {
    .name = "serve",
    .summary = "serve a folder over the network",
    .usage = "serve DIR [--http HOST:PORT] [--config FILE] [--SETTING VALUE …]",
    .options = OPTIONS,
    .words_min = 1,
    .words_max = 1,
    .run = run,
    .details = "Ctrl-C (SIGINT) or SIGTERM stops it cleanly. Every option is also a line of DIR/basalt.conf and an environment\n"
               "variable, see `basalt help settings`.\n",
};
