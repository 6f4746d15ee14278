/* SPDX-License-Identifier: Apache-2.0
 * page.c - GET /: a page with a query box. It lies inside of the program and asks nobody else for anything. */
#include "server/server_internal.h"

/* page.html, made into a C file by scripts/generate-bytes. */
extern const char SERVER__PAGE[];
extern const size_t SERVER__PAGE_BYTES;

static StepResult page_finish(Request *request) {
    http_response_send(&request->response, 200, STR("text/html; charset=utf-8"),
                       STR("Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
                           "frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"),
                       (Str){SERVER__PAGE, SERVER__PAGE_BYTES});
    return STEP_DONE;
}

const Endpoint ENDPOINT_PAGE = {.path = "/", .methods = METHOD_BIT(GET) | METHOD_BIT(HEAD), .finish = page_finish};
const Endpoint ENDPOINT_PAGE_INDEX = {.path = "/index.html", .methods = METHOD_BIT(GET) | METHOD_BIT(HEAD), .finish = page_finish};
