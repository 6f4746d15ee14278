/* SPDX-License-Identifier: Apache-2.0
 * line_tcp.c - line protocol over TCP: lines in, nothing out.
 *
 * Rules:      rows are committed when LINE_COMMIT_ROWS wait, when the oldest waits for the setting ilp-commit-interval, and when the
 *             sender ends. A line at fault ends the connection; the lines before it are kept. What was sent after it is lost, as the
 *             protocol has no answer: senders that must know use HTTP.
 * Threads:    a connection belongs to one worker at a time. */
#include <stdio.h>
#include "server/line_tcp.h"
#include "server/write_sink.h"

enum { LINE_COMMIT_ROWS = 500000 };

typedef struct LineConnection {
    Server *server;
    NetConnection *net;
    WriteSink sink;
    IlpParser *parser;
    uint64_t rows_committed;
    int64_t waiting_since_ms;  /* the oldest row without commit; 0 = none */
} LineConnection;

static void *line_opened(void *context, NetConnection *net) {
    LineConnection *connection = mem_calloc(1, sizeof(LineConnection));
    connection->server = context;
    connection->net = net;
    return connection;
}

static void line_gone(void *state) {
    (void)state; /* parsing never waits for the peer */
}

static void line_closed(void *state) {
    mem_free(state);
}

static void begin(LineConnection *connection) {
    if (connection->parser == NULL) {
        Clock *clock = connection->server->os->clock;
        write_sink_init(&connection->sink, connection->server->engine);
        connection->parser = ilp_parser_create();
        ilp_parser_begin(connection->parser, &connection->sink.base, ILP_NANOS, clock->wall_micros(clock));
    }
}

/* All whole lines so far. */
static ErrorCode commit(LineConnection *connection, Error *err) {
    uint64_t rows = ilp_parser_rows(connection->parser) - connection->rows_committed;
    connection->waiting_since_ms = 0;
    TRY(ilp_parser_flush(connection->parser, err));
    TRY(write_sink_commit(&connection->sink, err));
    connection->rows_committed += rows;
    atomic_fetch_add(&connection->server->counters.line_rows, rows);
    Clock *clock = connection->server->os->clock;
    ilp_parser_renew(connection->parser, clock->wall_micros(clock));
    return ERR_OK;
}

static NetWait finish(LineConnection *connection) {
    if (connection->parser != NULL) {
        write_sink_deinit(&connection->sink);
        ilp_parser_destroy(connection->parser);
        connection->parser = NULL;
    }
    return (NetWait){.kind = NET_CLOSE};
}

/* A line at fault: what came before it stays. */
static NetWait fail(LineConnection *connection, const Error *err) {
    Error ignored;
    Str peer = net_peer(connection->net);
    atomic_fetch_add(&connection->server->counters.line_errors, 1);
    fprintf(stderr, "basalt: line protocol from %.*s, line %llu: %s\n", STR_ARG(peer), (unsigned long long)ilp_parser_line(connection->parser),
            err->message);
    if (ilp_parser_fault_is_line(connection->parser)) {
        (void)commit(connection, &ignored);
    }
    return finish(connection);
}

static ErrorCode take_input(LineConnection *connection, Error *err) {
    for (Bytes input = net_input(connection->net); input.len > 0; input = net_input(connection->net)) {
        begin(connection);
        ErrorCode code = ilp_parser_feed(connection->parser, input, err);
        net_consume(connection->net, input.len);
        TRY(code);
        uint64_t rows = ilp_parser_rows(connection->parser) - connection->rows_committed;
        if (rows > 0 && connection->waiting_since_ms == 0) {
            connection->waiting_since_ms = net_now_ms();
        }
        if (rows >= LINE_COMMIT_ROWS) {
            TRY(commit(connection, err));
        }
    }
    return ERR_OK;
}

static NetWait line_run(void *state, NetConnection *net) {
    LineConnection *connection = state;
    Error err = {0};
    if (take_input(connection, &err) != ERR_OK) {
        return fail(connection, &err);
    }
    if (net_input_ended(net) || net_gone(net) || net_stopping(net)) {
        /* A line without its end may lack digits: it is not stored. */
        bool fine = connection->parser == NULL || commit(connection, &err) == ERR_OK;
        return fine ? finish(connection) : fail(connection, &err);
    }
    int64_t interval_ms = connection->server->settings.ilp_commit_interval.number;
    bool waits = connection->waiting_since_ms != 0;
    if (waits && net_now_ms() - connection->waiting_since_ms >= interval_ms) {
        if (commit(connection, &err) != ERR_OK) {
            return fail(connection, &err);
        }
        waits = false;
    }
    return (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = waits ? connection->waiting_since_ms + interval_ms : 0};
}

const NetHandler SERVER__LINE_HANDLER = {line_opened, line_run, line_gone, line_closed};
