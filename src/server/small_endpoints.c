/* SPDX-License-Identifier: Apache-2.0
 * small_endpoints.c - answers without rows: /ping /health /settings /warnings /chk. */
#include "server/server_internal.h"

enum { ANSWER_BYTES_MAX = 16 << 10 };
#define BASALT_LEVEL "9.3.4" /* of QuestDB's protocol: clients gate features on it */

static StepResult ping_finish(Request *request) {
    http_response_send(&request->response, 204, STR(""), STR("X-Influxdb-Version: v2.2.2\r\n"), STR(""));
    return STEP_DONE;
}

static StepResult health_finish(Request *request) {
    answer_json(request, 200, STR("{\"name\":\"basalt\",\"status\":\"pass\",\"message\":\"Status: Healthy\"}"));
    return STEP_DONE;
}

static StepResult settings_finish(Request *request) {
    answer_json(request, 200,
                STR("{\"config\":{\"release.type\":\"OSS\",\"release.version\":\"" BASALT_LEVEL "\",\"basalt.version\":\"0.1.0\","
                    "\"http.settings.readonly\":true,\"accepting.writes\":[\"http\",\"tcp\"],\"line.proto.support.versions\":[1,2,3],"
                    "\"ilp.proto.transports\":[\"tcp\",\"http\"],\"posthog.enabled\":false,\"posthog.api.key\":null,\"cairo.max.file.name.length\":127},"
                    "\"preferences.version\":0,\"preferences\":{}}"));
    return STEP_DONE;
}

static StepResult warnings_finish(Request *request) {
    bool stale = atomic_load(&request->server->tls_stale);
    answer_json(request, 200, stale ? STR("[{\"tag\":\"TLS CERTIFICATE\",\"warning\":\"The certificate's files cannot be used, an older certificate goes on.\"}]") : STR("[]"));
    return STEP_DONE;
}

/* ---- /chk?j=table&f=json ---- */

static ErrorCode table_status(Request *request, Str name, const char **status_out, Error *err) {
    *status_out = "Reserved name";
    if (!ilp_name_valid(name, true)) {
        return ERR_OK;
    }
    Txn *txn = NULL;
    TRY(engine_begin(request->server->engine, &(TxnOptions){.read_only = true}, &txn, err));
    CatalogView *catalog = txn_catalog(txn);
    const TableDef *table = NULL;
    bool exists = catalog->table_find(catalog, STR(""), name, &table, NULL) == ERR_OK;
    txn_rollback(txn);
    *status_out = exists ? "Exists" : "Does not exist";
    return ERR_OK;
}

static StepResult chk_finish(Request *request) {
    Str name = request_parameter(request, "j");
    const char *status = "table name missing";
    Error err = {0};
    int code = 400;
    if (name.len > 0) {
        code = 200;
        if (table_status(request, name, &status, &err) != ERR_OK) {
            code = error_http_status(err.code);
            status = err.message;
        }
    }
    Buffer out;
    buffer_init(&out, ANSWER_BYTES_MAX);
    if (str_equal(request_parameter(request, "f"), STR("json"))) {
        buffer_append_str(&out, STR("{\"status\":"));
        json_append_text(&out, str_from_c(status));
        buffer_append_char(&out, '}');
        answer_json(request, code, buffer_str(&out));
    } else {
        buffer_printf(&out, "%s\r\n", status);
        buffer_append_char(&out, '\0');
        answer_text(request, code, (const char *)out.data);
    }
    buffer_deinit(&out);
    return STEP_DONE;
}

#define READING (METHOD_BIT(GET) | METHOD_BIT(HEAD))
const Endpoint ENDPOINT_PING = {.path = "/ping", .methods = READING, .finish = ping_finish};
const Endpoint ENDPOINT_HEALTH = {.path = "/health", .methods = READING, .finish = health_finish};
const Endpoint ENDPOINT_SETTINGS = {.path = "/settings", .methods = READING, .finish = settings_finish};
const Endpoint ENDPOINT_WARNINGS = {.path = "/warnings", .methods = READING, .finish = warnings_finish};
const Endpoint ENDPOINT_CHK = {.path = "/chk", .methods = READING, .finish = chk_finish};
