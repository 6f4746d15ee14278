/* SPDX-License-Identifier: Apache-2.0
 * write_authentication.c - the requests of type 'R'. */
#include "proto/pgwire/pgwire_internal.h"

enum { REQUEST_OK = 0, REQUEST_CLEARTEXT = 3, REQUEST_SASL = 10, REQUEST_SASL_CONTINUE = 11, REQUEST_SASL_FINAL = 12 };

static void write_request(Buffer *out, uint32_t request, Bytes data) {
    size_t begin = pgwire__begin(out, 'R');
    pgwire__put_u32(out, request);
    buffer_append(out, data.data, data.len);
    pgwire__end(out, begin);
}

void pgwire_write_authentication_ok(Buffer *out) {
    write_request(out, REQUEST_OK, (Bytes){0});
}

void pgwire_write_authentication_cleartext(Buffer *out) {
    write_request(out, REQUEST_CLEARTEXT, (Bytes){0});
}

void pgwire_write_authentication_sasl(Buffer *out, const Str *mechanisms, size_t mechanism_count) {
    size_t begin = pgwire__begin(out, 'R');
    pgwire__put_u32(out, REQUEST_SASL);
    for (size_t i = 0; i < mechanism_count; i++) {
        pgwire__put_text(out, mechanisms[i]);
    }
    buffer_append_char(out, '\0');
    pgwire__end(out, begin);
}

void pgwire_write_authentication_sasl_continue(Buffer *out, Bytes data) {
    write_request(out, REQUEST_SASL_CONTINUE, data);
}

void pgwire_write_authentication_sasl_final(Buffer *out, Bytes data) {
    write_request(out, REQUEST_SASL_FINAL, data);
}
