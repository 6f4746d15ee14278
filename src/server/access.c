/* SPDX-License-Identifier: Apache-2.0
 * access.c - who may ask: the Host of a loopback server, and the origin of web pages.
 *
 * Why:        a page on the web can make a browser send requests to 127.0.0.1. Under a name of its own that it points there (DNS
 *             rebinding) it could read the answers, hence the Host check; without it, it can still send GET /exec?query=drop…, hence
 *             requests of foreign origin only read (their session is read-only, endpoints that write refuse them). */
#include "server/server_internal.h"

/* "name:9000", "[::1]:9000" -> name. */
static Str host_name(Str host) {
    if (host.len > 0 && host.data[0] == '[') {
        ptrdiff_t end = str_find_char(host, ']', 0);
        return end < 0 ? host : str_slice(host, 0, (size_t)end + 1);
    }
    ptrdiff_t colon = str_find_char(host, ':', 0);
    return colon < 0 ? host : str_slice(host, 0, (size_t)colon);
}

static bool is_ip_address(Str name) {
    if (name.len > 0 && name.data[0] == '[') {
        return true;
    }
    for (size_t i = 0; i < name.len; i++) {
        if ((name.data[i] < '0' || name.data[i] > '9') && name.data[i] != '.') {
            return false;
        }
    }
    return true;
}

static bool is_listed(Str list, Str item) {
    Str piece;
    while (list.len > 0 && str_split(&list, ',', &piece)) {
        piece = str_trim(piece);
        if (str_equal(piece, STR("*")) || str_equal_ignore_case(piece, item)) {
            return true;
        }
    }
    return false;
}

static bool host_is_known(const Request *request) {
    const Server *server = request->server;
    Str name = host_name(request->head.host);
    bool harmless = is_ip_address(name) || str_find_char(name, '.', 0) < 0 || str_ends_with(name, STR(".localhost"));
    return !server->http_loopback || harmless || is_listed(server->settings.http_allowed_hosts.text, name);
}

static bool is_own_origin(Str origin, Str host) {
    ptrdiff_t slashes = str_find(origin, STR("://"), 0);
    return slashes > 0 && str_equal_ignore_case(str_slice(origin, (size_t)slashes + 3, origin.len), host);
}

static void judge_origin(Request *request) {
    Str origin = http_header(&request->head, STR("origin"));
    Str site = http_header(&request->head, STR("sec-fetch-site"));
    if (origin.data == NULL) {
        request->foreign = str_equal(site, STR("cross-site")) && !is_listed(request->server->settings.http_cors_origins.text, STR("*"));
        return;
    }
    if (is_own_origin(origin, request->head.host)) {
        return;
    }
    request->foreign = !is_listed(request->server->settings.http_cors_origins.text, origin);
    if (!request->foreign) {
        request->response.extra_headers = arena_format(&request->arena,
            "Access-Control-Allow-Origin: %.*s\r\nAccess-Control-Allow-Credentials: true\r\nVary: Origin\r\n", STR_ARG(origin));
    }
}

bool server__access(Request *request) {
    if (request->head.host.len > 0 && !host_is_known(request)) {
        answer_json(request, 403, STR("{\"error\":\"this Host is not known here, see setting http-allowed-hosts\"}"));
        return false;
    }
    judge_origin(request);
    if (request->foreign && request->endpoint->writes) {
        answer_json(request, 403, STR("{\"error\":\"pages of this origin may not write, see setting http-cors-origins\"}"));
        return false;
    }
    return true;
}

static Str method_list(const Request *request, const Endpoint *endpoint) {
    Buffer list;
    buffer_init(&list, 256);
    for (int i = 0; i < HTTP_OTHER; i++) {
        if ((endpoint->methods | METHOD_BIT(OPTIONS)) >> i & 1) {
            buffer_printf(&list, "%s%s", list.len > 0 ? ", " : "", http_method_name((HttpMethod)i));
        }
    }
    Str text = arena_str((Arena *)&request->arena, buffer_str(&list));
    buffer_deinit(&list);
    return text;
}

static void answer_preflight(Request *request, const Endpoint *endpoint) {
    judge_origin(request);
    Str methods = method_list(request, endpoint);
    Str headers = arena_format(&request->arena, "Allow: %.*s\r\n", STR_ARG(methods));
    if (request->response.extra_headers.len > 0) {
        headers = arena_format(&request->arena,
            "Allow: %.*s\r\nAccess-Control-Allow-Methods: %.*s\r\n"
            "Access-Control-Allow-Headers: Content-Type, Content-Encoding, Statement-Timeout, Authorization\r\nAccess-Control-Max-Age: 600\r\n",
            STR_ARG(methods), STR_ARG(methods));
    }
    http_response_send(&request->response, 204, STR(""), headers, STR(""));
}

void server__answer_method(Request *request, const Endpoint *endpoint) {
    if (request->head.method == HTTP_OPTIONS) {
        answer_preflight(request, endpoint);
        return;
    }
    COUNT(request, http_errors);
    Str methods = method_list(request, endpoint);
    http_response_send(&request->response, 405, STR("application/json; charset=utf-8"),
                       arena_format(&request->arena, "Allow: %.*s\r\n", STR_ARG(methods)), STR("{\"error\":\"method not allowed\"}"));
}
