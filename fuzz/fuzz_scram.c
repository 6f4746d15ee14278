/* SPDX-License-Identifier: Apache-2.0
 * fuzz_scram.c - any bytes as the messages of a SCRAM client, and as stored verifiers.
 *
 * Input:      byte 0: with or without channel binding; first message, newline, second message. "NONCE" in the second stands for the exchange's own.
 * Check:      nobody gets in without the password; a verifier that was read prints to what reads as the same. */
#include "fuzz.h"
#include "proto/scram/scram.h"

static void check_verifier(Str text) {
    ScramVerifier verifier, again;
    char out[SCRAM_VERIFIER_TEXT_MAX];
    if (scram_verifier_parse(text, &verifier)) {
        size_t len = scram_verifier_format(&verifier, out);
        FUZZ_CHECK(scram_verifier_parse(str_from(out, len), &again));
        FUZZ_CHECK(memcmp(&verifier, &again, sizeof verifier) == 0);
    }
}

/* The second message with the exchange's nonce put in. */
static void fill_in(Str message, Str nonce, Buffer *out) {
    ptrdiff_t at = message.len == 0 ? -1 : str_find(message, STR("NONCE"), 0);
    buffer_append(out, message.data, at < 0 ? message.len : (size_t)at);
    if (at >= 0) {
        buffer_append_str(out, nonce);
        buffer_append_str(out, str_slice(message, (size_t)at + 5, message.len));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t SECRET[SCRAM_KEY_BYTES] = {1}, HASH[32] = {2};
    if (size < 2 || size > 16 << 10) {
        return 0;
    }
    Str first = str_from((const char *)data + 1, size - 1), second = {0};
    ptrdiff_t newline = str_find_char(first, '\n', 0);
    if (newline >= 0) {
        second = str_slice(first, (size_t)newline + 1, first.len);
        first = str_slice(first, 0, (size_t)newline);
    }
    check_verifier(first);
    bool tls = (data[0] & 1) != 0;
    ScramServerOptions options = {.known = true, .tls = tls, .certificate_hash = tls ? bytes_from(HASH, sizeof HASH) : (Bytes){0}};
    scram_verifier_mock(STR("user"), SECRET, 4096, &options.verifier); /* a verifier whose password nobody knows */
    ScramServer server;
    Buffer reply, message;
    buffer_init(&reply, 1 << 20);
    buffer_init(&message, 1 << 20);
    scram_server_init(&server, &options);
    Str mechanism = (data[0] & 2) != 0 ? SCRAM_MECHANISM_PLUS : SCRAM_MECHANISM;
    if (scram_server_first(&server, mechanism, bytes_from(first.data, first.len), &reply, NULL) == ERR_OK) {
        FUZZ_CHECK(str_starts_with(buffer_str(&reply), STR("r=")));
        fill_in(second, buffer_str(&server.combined_nonce), &message);
        buffer_clear(&reply);
        FUZZ_CHECK(scram_server_final(&server, buffer_bytes(&message), &reply, NULL) != ERR_OK);
        FUZZ_CHECK(reply.len == 0);
    }
    scram_server_deinit(&server);
    buffer_deinit(&reply);
    buffer_deinit(&message);
    return 0;
}
