/* SPDX-License-Identifier: Apache-2.0
 * metrics.c - GET /metrics: Prometheus text. The server's own counters are the table SERVER_METRICS; the engine's are listed here. */
#include "server/server_internal.h"

enum { ANSWER_BYTES_MAX = 256 << 10 };

/* field, name, counter or gauge, help */
#define ENGINE_METRICS(X)                                                                                              \
    X(rows_appended, "questdb_committed_rows_total", "counter", "rows written by transactions")                        \
    X(segment_bytes_written, "basalt_segment_bytes_written_total", "counter", "bytes of segment files written")        \
    X(commits, "basalt_commits_total", "counter", "transactions committed")                                            \
    X(rollbacks, "questdb_rollbacks_total", "counter", "transactions rolled back")                                     \
    X(rows_ended, "basalt_rows_ended_total", "counter", "rows deleted or replaced")                                    \
    X(log_bytes, "basalt_log_bytes_total", "counter", "bytes written to the log")                                      \
    X(log_syncs, "basalt_log_syncs_total", "counter", "syncs of the log")                                              \
    X(log_groups, "basalt_log_groups_total", "counter", "groups of records written to the log")                        \
    X(segments_written, "basalt_segments_written_total", "counter", "segment files written")                           \
    X(rows_flushed, "basalt_rows_flushed_total", "counter", "rows written into segments by flushes and bulk loads")     \
    X(rows_merged, "basalt_rows_merged_total", "counter", "rows that merges wrote again")                              \
    X(bytes_flushed, "basalt_bytes_flushed_total", "counter", "bytes of segments written by flushes and bulk loads")   \
    X(bytes_merged, "basalt_bytes_merged_total", "counter", "bytes of segments that merges wrote again")               \
    X(merges, "basalt_merges_total", "counter", "merges of segments")                                                  \
    X(flushes, "basalt_flushes_total", "counter", "memory parts written to files")                                     \
    X(checkpoints, "basalt_checkpoints_total", "counter", "checkpoints")                                               \
    X(conflicts, "basalt_conflicts_total", "counter", "transactions refused for conflicts")                            \
    X(memory_bytes, "basalt_ingest_memory_bytes", "gauge", "memory of rows that are not in files yet")                 \
    X(transactions_open, "basalt_transactions_open", "gauge", "open transactions")                                     \
    X(segments, "basalt_segments", "gauge", "segment files")                                                           \
    X(tables, "basalt_tables", "gauge", "tables")                                                                      \
    X(visible_lsn, "basalt_visible_lsn", "gauge", "newest visible commit")                                             \
    X(durable_lsn, "basalt_durable_lsn", "gauge", "newest commit that is on disk")

static void put(Buffer *out, const char *name, const char *kind, const char *help, uint64_t value) {
    buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, kind, name, (unsigned long long)value);
}

static StepResult metrics_finish(Request *request) {
    Server *server = request->server;
    Buffer out;
    buffer_init(&out, ANSWER_BYTES_MAX);
#define X(field, name, help) put(&out, name, "counter", help, atomic_load(&server->counters.field));
    SERVER_METRICS(X)
#undef X
    EngineCounters engine;
    engine_counters(server->engine, &engine);
#define X(field, name, kind, help) put(&out, name, kind, help, engine.field);
    ENGINE_METRICS(X)
#undef X
    NetCounters net;
    net_counters(server->net, &net);
    put(&out, "questdb_http_connections", "gauge", "open HTTP connections", net.open);
    put(&out, "basalt_http_connections_total", "counter", "HTTP connections accepted", net.accepted);
    put(&out, "basalt_http_connections_refused_total", "counter", "HTTP connections refused at the limit", net.refused);
    put(&out, "basalt_http_bytes_in_total", "counter", "bytes received", net.bytes_in);
    put(&out, "basalt_http_bytes_out_total", "counter", "bytes sent", net.bytes_out);
    put(&out, "basalt_http_workers", "gauge", "threads that run requests", net.workers);
    put(&out, "basalt_tls_certificate_stale", "gauge", "1 if the certificate's files hold what cannot be used, so that an older one goes on", atomic_load(&server->tls_stale));
    put(&out, "basalt_resident_bytes", "gauge", "resident memory of the process", (uint64_t)os_resident_bytes());
    http_response_send(&request->response, 200, STR("text/plain; version=0.0.4; charset=utf-8"), STR(""), buffer_str(&out));
    buffer_deinit(&out);
    return STEP_DONE;
}

const Endpoint ENDPOINT_METRICS = {.path = "/metrics", .methods = METHOD_BIT(GET) | METHOD_BIT(HEAD), .finish = metrics_finish};
