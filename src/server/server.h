/* SPDX-License-Identifier: Apache-2.0
 * server.h - the network doors of one engine: HTTP now, others beside it later.
 *
 * Life cycle: server_settings_init -> server_setting_set* -> server_start -> server_stop. The engine must outlive the server.
 * Settings are one table (SERVER_SETTINGS): each row is an option of `basalt serve`, an environment variable and a line of basalt.conf. */
#pragma once
#include "engine/engine.h"

typedef enum SettingKind { SETTING_KIND_TEXT, SETTING_KIND_NUMBER, SETTING_KIND_BYTES, SETTING_KIND_MILLIS, SETTING_KIND_SWITCH } SettingKind;

/* field, name, kind, default, help */
#define SERVER_SETTINGS(X)                                                                                                                     \
    X(http, "http", TEXT, "127.0.0.1:9000", "address of the HTTP door, `off` for none")                                                        \
    X(pg, "pg", TEXT, "127.0.0.1:8812", "address of the PostgreSQL door, `off` for none")                                                      \
    X(pg_connections, "pg-connections", NUMBER, "256", "connections of the PostgreSQL door, at most")                                          \
    X(pg_auth, "pg-auth", TEXT, "auto", "auto (nobody is asked for a password on a loopback address, all others are), trust, or password")         \
    X(pg_require_tls, "pg-require-tls", SWITCH, "off", "with passwords: connections without TLS are refused, those from this machine too")    \
    X(tls_cert, "tls-cert", TEXT, "", "certificate of the PostgreSQL door (PEM, with its chain); read again when it changes")                 \
    X(tls_key, "tls-key", TEXT, "", "key of the certificate (PEM, without a passphrase)")                                                     \
    X(pg_start_timeout, "pg-start-timeout", MILLIS, "60s", "from a connection to its session: start packet, TLS and password")                  \
    X(pg_server_version, "pg-server-version", TEXT, "15.0 (Basalt 0.1.0)", "what the PostgreSQL door says its version is")                      \
    X(ilp, "ilp", TEXT, "off", "address of the line protocol door over TCP, for example 127.0.0.1:9009")                                        \
    X(ilp_commit_interval, "ilp-commit-interval", MILLIS, "200ms", "rows that came over TCP are committed after")                              \
    X(http_workers, "http-workers", NUMBER, "32", "threads that run HTTP requests, at most")                                                   \
    X(http_connections, "http-connections", NUMBER, "256", "open connections, at most")                                                        \
    X(http_allowed_hosts, "http-allowed-hosts", TEXT, "", "host names that requests may ask for on a loopback door, by commas; * = any. IP addresses and names without a dot always may") \
    X(http_cors_origins, "http-cors-origins", TEXT, "", "web origins whose pages may use the server, by commas; * = any")                      \
    X(http_gzip, "http-gzip", SWITCH, "on", "compress answers for clients that ask for it")                                                    \
    X(http_idle_timeout, "http-idle-timeout", MILLIS, "60s", "an idle connection is closed after")                                             \
    X(http_head_timeout, "http-head-timeout", MILLIS, "10s", "from the first byte of a request to the end of its headers")                     \
    X(http_body_timeout, "http-body-timeout", MILLIS, "30s", "longest pause inside of a request body")                                         \
    X(http_send_timeout, "http-send-timeout", MILLIS, "30s", "a client that takes no byte of its answer for so long is dropped")               \
    X(http_form_bytes, "http-form-bytes", BYTES, "16MB", "largest body of a posted query; /write and /imp take any size")                      \
    X(query_timeout, "query-timeout", MILLIS, "0", "longest run of a statement; 0 = no limit. Statement-Timeout of a request may ask for less") \
    X(query_memory, "query-memory", BYTES, "256MB", "memory of one query, at most")                                                            \
    X(query_workers, "query-workers", NUMBER, "0", "threads that one query may use; 0 = all processors")                                       \
    X(durability, "durability", TEXT, "commit", "when a commit is acknowledged: commit (on disk), interval(50) (written, synced within so many ms) or off") \
    X(durability_interval, "durability-interval", MILLIS, "100ms", "time between syncs where durability = interval names no time")              \
    X(ingest_memory, "ingest-memory", BYTES, "256MB", "memory of rows that are not in files yet")                                              \
    X(cache, "cache", BYTES, "32MB", "memory of the block cache")                                                                              \
    X(log_bytes, "log-bytes", BYTES, "1GB", "log files, at most")                                                                              \
    X(checkpoint_interval, "checkpoint-interval", MILLIS, "5min", "time between checkpoints")

typedef struct SettingValue {
    SettingKind kind;
    Str text;        /* as given */
    int64_t number;  /* NUMBER, BYTES, MILLIS, SWITCH (0, 1) */
} SettingValue;

typedef struct ServerSettings {
#define X(field, name, kind, fallback, help) SettingValue field;
    SERVER_SETTINGS(X)
#undef X
    ErrorCode (*read_file)(const char *path, Buffer *out, Error *err); /* for certificates; NULL: there are none */
    void (*say)(const char *line);       /* what whoever runs the server should know; any thread; NULL: nobody */
    Arena texts;
} ServerSettings;

typedef struct ServerSettingRow { const char *name, *fallback, *help; SettingKind kind; size_t offset; } ServerSettingRow;
extern const ServerSettingRow SERVER_SETTING_ROWS[];
extern const size_t SERVER_SETTING_COUNT;
enum { SETTING_ENVIRONMENT_MAX = 64 };
void server_setting_environment(const ServerSettingRow *row, char out[SETTING_ENVIRONMENT_MAX]); /* "BASALT_HTTP_WORKERS" */

void server_settings_init(ServerSettings *settings);   /* all defaults */
void server_settings_deinit(ServerSettings *settings);
/* ERR_UNDEFINED_OBJECT: no such setting (name with - or _ or .); ERR_INVALID_PARAMETER: the value has not its form. */
NODISCARD ErrorCode server_setting_set(ServerSettings *settings, Str name, Str value, Error *err);
/* Text of basalt.conf: lines `name = value`, # begins a comment. The error names the line. */
NODISCARD ErrorCode server_settings_read(ServerSettings *settings, Str text, Error *err);
/* The engine's share of the settings. */
NODISCARD ErrorCode server_engine_options(const ServerSettings *settings, EngineOptions *options_out, Error *err);

typedef struct Server Server;
/* Listens and serves in threads of its own. settings are copied. ERR_OBJECT_IN_USE: the port is taken. */
NODISCARD ErrorCode server_start(Engine *engine, const ServerSettings *settings, Server **server_out, Error *err);
int server_http_port(const Server *server);            /* 0 if there is no HTTP door */
int server_pg_port(const Server *server);              /* 0 if there is no PostgreSQL door */
int server_ilp_port(const Server *server);             /* 0 if there is no door for lines over TCP */
bool server_has_tls(const Server *server);
/* The certificate's files again, for connections from now on. Any thread but one at a time. On an error nothing changed. */
NODISCARD ErrorCode server_tls_reload(Server *server, Error *err);
/* No new requests; running ones have grace_ms; then ends. Frees the server. */
void server_stop(Server *server, int64_t grace_ms);
