/* SPDX-License-Identifier: Apache-2.0
 * server.c - the exchange: client-first -> server-first -> client-final -> server-final.
 *
 * Why:        the proof is checked whoever the user is, and `known` is looked at last, so that an unknown user takes the same time.
 * Tests:      test/unit/proto/scram/test_scram.c, fuzz/fuzz_scram.c */
#include <openssl/crypto.h>

#include "proto/scram/scram_internal.h"

enum { BUFFER_BYTES_MAX = 2 * SCRAM_MESSAGE_BYTES_MAX, BINDING_BYTES_MAX = SCRAM_MESSAGE_BYTES_MAX };

void scram_server_init(ScramServer *server, const ScramServerOptions *options) {
    assert(options->certificate_hash.len <= SCRAM_CERTIFICATE_HASH_MAX);
    assert(!options->tls || options->certificate_hash.len > 0);
    *server = (ScramServer){.verifier = options->verifier, .known = options->known, .tls = options->tls,
                            .certificate_hash_bytes = options->certificate_hash.len};
    if (options->certificate_hash.len > 0) {
        memcpy(server->certificate_hash, options->certificate_hash.data, options->certificate_hash.len);
    }
    memcpy(server->nonce, options->nonce, sizeof server->nonce);
    buffer_init(&server->client_first_bare, BUFFER_BYTES_MAX);
    buffer_init(&server->server_first, BUFFER_BYTES_MAX);
    buffer_init(&server->gs2_header, BUFFER_BYTES_MAX);
    buffer_init(&server->combined_nonce, BUFFER_BYTES_MAX);
}

void scram_server_deinit(ScramServer *server) {
    buffer_deinit(&server->client_first_bare);
    buffer_deinit(&server->server_first);
    buffer_deinit(&server->gs2_header);
    buffer_deinit(&server->combined_nonce);
    OPENSSL_cleanse(&server->verifier, sizeof server->verifier);
}

/* ---- client-first ---- */

static ErrorCode pick_mechanism(ScramServer *server, Str mechanism, Error *err) {
    server->plus = str_equal(mechanism, SCRAM_MECHANISM_PLUS);
    if (!str_equal(mechanism, SCRAM_MECHANISM) && !(server->plus && server->tls)) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "client selected an invalid SASL authentication mechanism");
    }
    return ERR_OK;
}

static ErrorCode check_binding_flag(const ScramServer *server, const ClientFirst *first, Error *err) {
    if (server->plus != (first->binding_flag == 'p')) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION,
                         server->plus ? "malformed SCRAM message (SCRAM-SHA-256-PLUS was selected, but there is no channel binding data)"
                                      : "malformed SCRAM message (SCRAM-SHA-256 was selected, but there is channel binding data)");
    }
    if (first->binding_flag == 'y' && server->tls) {
        return error_set(err, ERR_INVALID_AUTHORIZATION, ERROR_NO_POSITION,
                         "SCRAM channel binding negotiation error: the client thinks that this server does not support channel binding");
    }
    if (server->plus && !str_equal(first->binding_type, STR("tls-server-end-point"))) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "unsupported SCRAM channel-binding type \"%.*s\"", STR_ARG(first->binding_type));
    }
    return ERR_OK;
}

static void append_base64(Buffer *out, Bytes bytes) {
    uint8_t *room = buffer_reserve(out, scram__base64_bytes(bytes.len));
    if (room != NULL) {
        out->len += scram__base64_encode(bytes, (char *)room);
    }
}

static void write_server_first(ScramServer *server, Str client_nonce) {
    buffer_append_str(&server->combined_nonce, client_nonce);
    append_base64(&server->combined_nonce, bytes_from(server->nonce, sizeof server->nonce));
    Buffer *out = &server->server_first;
    buffer_append_str(out, STR("r="));
    buffer_append_str(out, buffer_str(&server->combined_nonce));
    buffer_append_str(out, STR(",s="));
    append_base64(out, bytes_from(server->verifier.salt, server->verifier.salt_bytes));
    buffer_printf(out, ",i=%u", server->verifier.iterations);
}

ErrorCode scram_server_first(ScramServer *server, Str mechanism, Bytes data, Buffer *reply, Error *err) {
    assert(!server->begun);
    ClientFirst first;
    TRY(pick_mechanism(server, mechanism, err));
    if (data.data == NULL) { /* no initial response: an empty challenge asks for it */
        return ERR_OK;
    }
    TRY(scram__read_client_first(str_from((const char *)data.data, data.len), &first, err));
    TRY(check_binding_flag(server, &first, err));
    server->begun = true;
    buffer_append_str(&server->gs2_header, first.gs2_header);
    buffer_append_str(&server->client_first_bare, first.bare);
    write_server_first(server, first.nonce);
    buffer_append_str(reply, buffer_str(&server->server_first));
    return buffer_check(reply, err);
}

/* ---- client-final ---- */

/* c= must be the header that the client began with, and with PLUS this server's certificate. */
static ErrorCode check_binding(const ScramServer *server, Str binding, Error *err) {
    uint8_t got[BINDING_BYTES_MAX], want[BINDING_BYTES_MAX + SCRAM_CERTIFICATE_HASH_MAX];
    size_t got_bytes = 0, want_bytes = server->gs2_header.len;
    memcpy(want, server->gs2_header.data, want_bytes);
    if (server->plus) {
        memcpy(want + want_bytes, server->certificate_hash, server->certificate_hash_bytes);
        want_bytes += server->certificate_hash_bytes;
    }
    bool decoded = scram__base64_decode(binding, got, sizeof got, &got_bytes);
    if (!decoded || got_bytes != want_bytes || !scram__equal(got, want, want_bytes)) {
        return server->plus ? error_set(err, ERR_INVALID_AUTHORIZATION, ERROR_NO_POSITION, "SCRAM channel binding check failed")
                            : error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "unexpected SCRAM channel-binding attribute in client-final-message");
    }
    return ERR_OK;
}

static void write_auth_message(const ScramServer *server, Str without_proof, Buffer *out) {
    buffer_init(out, 4 * BUFFER_BYTES_MAX);
    buffer_append_str(out, buffer_str(&server->client_first_bare));
    buffer_append_char(out, ',');
    buffer_append_str(out, buffer_str(&server->server_first));
    buffer_append_char(out, ',');
    buffer_append_str(out, without_proof);
    assert(!out->failed);
}

/* H(proof XOR HMAC(StoredKey, message)) must be StoredKey. */
static bool check_proof(const ScramServer *server, const uint8_t proof[SCRAM_KEY_BYTES], Bytes auth_message) {
    uint8_t signature[SCRAM_KEY_BYTES], client_key[SCRAM_KEY_BYTES], stored[SCRAM_KEY_BYTES];
    scram__hmac(server->verifier.stored_key, auth_message, signature);
    for (size_t i = 0; i < SCRAM_KEY_BYTES; i++) {
        client_key[i] = proof[i] ^ signature[i];
    }
    scram__sha256(bytes_from(client_key, sizeof client_key), stored);
    OPENSSL_cleanse(client_key, sizeof client_key);
    return scram__equal(stored, server->verifier.stored_key, SCRAM_KEY_BYTES);
}

ErrorCode scram_server_final(ScramServer *server, Bytes data, Buffer *reply, Error *err) {
    assert(server->begun);
    ClientFinal final;
    uint8_t proof[SCRAM_KEY_BYTES], signature[SCRAM_KEY_BYTES];
    size_t proof_bytes = 0;
    TRY(scram__read_client_final(str_from((const char *)data.data, data.len), &final, err));
    if (!str_equal(final.nonce, buffer_str(&server->combined_nonce))) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "invalid SCRAM response (nonce does not match)");
    }
    TRY(check_binding(server, final.binding, err));
    if (!scram__base64_decode(final.proof, proof, sizeof proof, &proof_bytes) || proof_bytes != SCRAM_KEY_BYTES) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "malformed SCRAM message (malformed proof in client-final-message)");
    }
    Buffer message;
    write_auth_message(server, final.without_proof, &message);
    bool right = check_proof(server, proof, buffer_bytes(&message));
    scram__hmac(server->verifier.server_key, buffer_bytes(&message), signature);
    buffer_deinit(&message);
    if (!right || !server->known) {
        return error_set(err, ERR_INVALID_PASSWORD, ERROR_NO_POSITION, "password authentication failed");
    }
    buffer_append_str(reply, STR("v="));
    append_base64(reply, bytes_from(signature, sizeof signature));
    return buffer_check(reply, err);
}
