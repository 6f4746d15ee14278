/* SPDX-License-Identifier: Apache-2.0
 * scram.h - SCRAM-SHA-256 and SCRAM-SHA-256-PLUS (RFC 5802, 7677), the server's side: messages in, messages out.
 *
 * Life cycle: scram_server_init -> scram_server_first -> scram_server_final -> scram_server_deinit. Chance comes from the caller (nonce, salt).
 * An unknown user goes through the same exchange with a verifier made from its name (scram_verifier_mock) and `known` false, so that
 * nothing but the last answer differs from a wrong password. Secrets are compared in constant time and wiped.
 * Threads: an object belongs to one thread at a time. Hashing a password costs iterations x 1 us: not on a loop's thread. */
#pragma once
#include "base/memory.h"

enum {
    SCRAM_KEY_BYTES = 32, SCRAM_NONCE_BYTES = 18,
    SCRAM_SALT_BYTES = 16, SCRAM_SALT_BYTES_MAX = 64,
    SCRAM_ITERATIONS_DEFAULT = 4096, SCRAM_ITERATIONS_MAX = 10000000,
    SCRAM_VERIFIER_TEXT_MAX = 256,
    SCRAM_MESSAGE_BYTES_MAX = 4096,     /* of a client's message */
    SCRAM_CERTIFICATE_HASH_MAX = 64
};
#define SCRAM_MECHANISM STR("SCRAM-SHA-256")
#define SCRAM_MECHANISM_PLUS STR("SCRAM-SHA-256-PLUS")

typedef struct ScramVerifier {
    uint32_t iterations;
    uint32_t salt_bytes;
    uint8_t salt[SCRAM_SALT_BYTES_MAX];
    uint8_t stored_key[SCRAM_KEY_BYTES], server_key[SCRAM_KEY_BYTES];
} ScramVerifier;

/* From a password as the client would prepare it (SASLprep; as it is if that refuses it). salt: chance, SCRAM_SALT_BYTES of it. */
void scram_verifier_make(Str password, Bytes salt, uint32_t iterations, ScramVerifier *verifier_out);
size_t scram_verifier_format(const ScramVerifier *verifier, char *out); /* "SCRAM-SHA-256$4096:salt$StoredKey:ServerKey", at most SCRAM_VERIFIER_TEXT_MAX */
bool scram_verifier_parse(Str text, ScramVerifier *verifier_out);       /* false: not a verifier, so a plain password */
/* Same salt for the same user each time; secret: chance that the server keeps as long as it runs. */
void scram_verifier_mock(Str user, const uint8_t secret[SCRAM_KEY_BYTES], uint32_t iterations, ScramVerifier *verifier_out);
bool scram_verifier_check(const ScramVerifier *verifier, Str password); /* for cleartext passwords; constant time in the comparison */

typedef struct ScramServerOptions {
    ScramVerifier verifier;
    bool known;                         /* false: the verifier is a mock, the exchange fails at its end */
    bool tls;                           /* the PLUS mechanism was offered: a client that says "you do not offer it" is refused */
    Bytes certificate_hash;             /* tls-server-end-point data; needed with tls */
    uint8_t nonce[SCRAM_NONCE_BYTES];   /* chance */
} ScramServerOptions;
typedef struct ScramServer {
    ScramVerifier verifier;
    bool known, tls, plus, begun;
    uint8_t certificate_hash[SCRAM_CERTIFICATE_HASH_MAX];
    size_t certificate_hash_bytes;
    uint8_t nonce[SCRAM_NONCE_BYTES];
    Buffer client_first_bare, server_first, gs2_header, combined_nonce;
} ScramServer;
/* Mechanisms to offer, best first; returns how many. */
static inline size_t scram_mechanisms(bool tls, Str out[2]) {
    size_t count = 0;
    if (tls) { out[count++] = SCRAM_MECHANISM_PLUS; }
    out[count++] = SCRAM_MECHANISM;
    return count;
}
void scram_server_init(ScramServer *server, const ScramServerOptions *options);
void scram_server_deinit(ScramServer *server);
/* SASLInitialResponse: its mechanism and data -> *reply gets server-first (AuthenticationSASLContinue). ERR_PROTOCOL (08P01): malformed, or an unknown
 * mechanism; ERR_INVALID_AUTHORIZATION (28000): channel binding that does not fit what was offered (downgrade). */
NODISCARD ErrorCode scram_server_first(ScramServer *server, Str mechanism, Bytes data, Buffer *reply, Error *err);
/* SASLResponse -> *reply gets server-final (AuthenticationSASLFinal). ERR_PROTOCOL; ERR_INVALID_PASSWORD (28P01): wrong proof or unknown user: the caller
 * words the message ("password authentication failed for user …"). */
NODISCARD ErrorCode scram_server_final(ScramServer *server, Bytes data, Buffer *reply, Error *err);
