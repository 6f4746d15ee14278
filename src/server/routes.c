/* SPDX-License-Identifier: Apache-2.0
 * routes.c - the table of endpoints. One more: a file with an Endpoint, its name in server_internal.h and a row here. */
#include "server/server_internal.h"

static const Endpoint *const ENDPOINTS[] = {
    &ENDPOINT_EXEC,   &ENDPOINT_EXP,     &ENDPOINT_IMP,      &ENDPOINT_WRITE, &ENDPOINT_WRITE_V2,   &ENDPOINT_PING, &ENDPOINT_SETTINGS, &ENDPOINT_CHK,
    &ENDPOINT_HEALTH, &ENDPOINT_METRICS, &ENDPOINT_WARNINGS, &ENDPOINT_PAGE,  &ENDPOINT_PAGE_INDEX,
};

const Endpoint *server__route(Str path) {
    for (size_t i = 0; i < COUNT_OF(ENDPOINTS); i++) {
        if (str_equal(path, str_from_c(ENDPOINTS[i]->path))) {
            return ENDPOINTS[i];
        }
    }
    return NULL;
}
