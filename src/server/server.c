/* SPDX-License-Identifier: Apache-2.0
 * server.c - start and stop. */
#include "session/session.h"
#include "server/line_tcp.h"
#include "server/pg_internal.h"

static const char REFUSAL[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 37\r\n"
                              "Connection: close\r\nRetry-After: 1\r\n\r\n{\"error\":\"too many open connections\"}";

static ErrorCode copy_settings(Server *server, const ServerSettings *settings, Error *err) {
    server_settings_init(&server->settings);
    for (size_t i = 0; i < SERVER_SETTING_COUNT; i++) {
        const ServerSettingRow *row = &SERVER_SETTING_ROWS[i];
        const SettingValue *value = (const SettingValue *)((const char *)settings + row->offset);
        TRY(server_setting_set(&server->settings, str_from_c(row->name), value->text, err));
    }
    server->settings.read_file = settings->read_file;
    server->settings.say = settings->say;
    return ERR_OK;
}

typedef struct Door { const char *option; const SettingValue *address; const NetHandler *handler; Str refusal; uint32_t connections_max, workers_max; } Door;

/* The address is `off` or HOST:PORT. */
static ErrorCode listen_on(Server *server, const Door *door, int *port_out, Error *err) {
    Str address = door->address->text;
    if (str_equal(address, STR("off"))) {
        return ERR_OK;
    }
    Error why = {0};
    ErrorCode code = net_listen(server->net, address.data, door->handler, server, door->refusal, port_out, &why); /* settings end with NUL */
    if (code != ERR_OK) {
        return error_set(err, code, ERROR_NO_POSITION, "%s (option --%s)", why.message, door->option);
    }
    net_limit_last(server->net, door->connections_max, door->workers_max);
    return ERR_OK;
}

static ErrorCode listen_all(Server *server, Error *err) {
    const ServerSettings *settings = &server->settings;
    server->http_loopback = net_address_is_loopback(settings->http.text.data);
    uint32_t connections = (uint32_t)settings->http_connections.number, workers = (uint32_t)settings->http_workers.number;
    uint32_t sessions = (uint32_t)settings->pg_connections.number + PG_CANCELS_MAX;
    Door http = {"http", &settings->http, &SERVER__HTTP_HANDLER, STR(REFUSAL), connections, workers};
    Door pg = {"pg", &settings->pg, &SERVER__PG_HANDLER, STR(""), sessions, UINT32_MAX};
    Door ilp = {"ilp", &settings->ilp, &SERVER__LINE_HANDLER, STR(""), connections, workers};
    TRY(listen_on(server, &http, &server->http_port, err));
    TRY(listen_on(server, &pg, &server->pg_port, err));
    return listen_on(server, &ilp, &server->ilp_port, err);
}

/* A session at the PostgreSQL door may be busy for as long as it likes without holding up others or their cancel requests: there is a worker for
 * each. The other doors have as many as they are told. */
static uint32_t workers_max(const ServerSettings *settings) {
    return (uint32_t)(2 * settings->http_workers.number + settings->pg_connections.number + PG_CANCELS_MAX);
}

static ErrorCode start(Server *server, const ServerSettings *settings, Error *err) {
    TRY(copy_settings(server, settings, err));
    NetOptions options = {.connections_max = (uint32_t)(2 * server->settings.http_connections.number + server->settings.pg_connections.number + PG_CANCELS_MAX),
                          .workers_max = workers_max(&server->settings),
                          .send_stall_ms = server->settings.http_send_timeout.number};
    TRY(server__tls_open(server, err));
    TRY(pg__check_address(server, err));
    TRY(net_open(&options, &server->net, err));
    TRY(listen_all(server, err));
    return net_start(server->net, err);
}

static void free_server(Server *server) {
    net_close(server->net);
    net_tls_close(server->tls);
    for (size_t i = 0; i < WRITERS_KEPT; i++) {
        ilp_parser_destroy(server->writers_free[i]);
    }
    server->os->sched->mutex_deinit(server->os->sched, &server->lock);
    server_settings_deinit(&server->settings);
    mem_free(server);
}

ErrorCode server_start(Engine *engine, const ServerSettings *settings, Server **server_out, Error *err) {
    Server *server = mem_calloc(1, sizeof(Server));
    server->engine = engine;
    session_guard_rows(engine); /* line protocol may come before the first session */
    server->os = engine_os(engine);
    server->error_id_base = server->os->rand->next(server->os->rand);
    rand_fill(server->os->rand, server->auth_secret, sizeof server->auth_secret);
    server->os->sched->mutex_init(server->os->sched, &server->lock);
    ErrorCode code = start(server, settings, err);
    if (code != ERR_OK) {
        free_server(server);
        return code;
    }
    *server_out = server;
    return ERR_OK;
}

int server_http_port(const Server *server) {
    return server->http_port;
}

int server_pg_port(const Server *server) {
    return server->pg_port;
}

int server_ilp_port(const Server *server) {
    return server->ilp_port;
}

void server_stop(Server *server, int64_t grace_ms) {
    if (server != NULL) {
        net_stop(server->net, grace_ms);
        free_server(server);
    }
}
