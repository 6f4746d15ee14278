/* SPDX-License-Identifier: Apache-2.0
 * verifier.c - what is stored of a password: "SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey".
 *
 * Why:        a thief of the catalog can neither log in with it nor read the password; PostgreSQL's form, so that dumps of roles load.
 * Tests:      test/unit/proto/scram/test_scram.c (vectors of RFC 7677) */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stringprep.h>

#include "base/number.h"
#include "proto/scram/scram_internal.h"

enum { PASSWORD_BYTES_MAX = 4096 }; /* longer ones are taken as they are */

/* ---- hashes ---- */

void scram__hmac(const uint8_t key[SCRAM_KEY_BYTES], Bytes data, uint8_t out[SCRAM_KEY_BYTES]) {
    unsigned len = 0;
    const void *done = HMAC(EVP_sha256(), key, SCRAM_KEY_BYTES, data.data, data.len, out, &len);
    if (done == NULL || len != SCRAM_KEY_BYTES) {
        fatal(ERR_INTERNAL, "the cryptographic library has no HMAC-SHA-256");
    }
}

void scram__sha256(Bytes data, uint8_t out[SCRAM_KEY_BYTES]) {
    SHA256(data.data, data.len, out);
}

bool scram__equal(const uint8_t *a, const uint8_t *b, size_t len) {
    return CRYPTO_memcmp(a, b, len) == 0;
}

/* ---- passwords ---- */

/* RFC 4013, as clients do it. What it refuses (control characters, broken UTF-8, unknown characters) is hashed as it is. */
static Str prepare_password(Str password, char room[PASSWORD_BYTES_MAX + 1]) {
    if (password.len == 0 || password.len > PASSWORD_BYTES_MAX / 2 || !utf8_valid(password) || str_find_char(password, '\0', 0) >= 0) {
        return password;
    }
    memcpy(room, password.data, password.len);
    room[password.len] = '\0';
    bool fine = stringprep(room, PASSWORD_BYTES_MAX + 1, STRINGPREP_NO_UNASSIGNED, stringprep_saslprep) == STRINGPREP_OK;
    return fine && room[0] != '\0' ? str_from_c(room) : password;
}

static void salt_password(Str password, Bytes salt, uint32_t iterations, uint8_t out[SCRAM_KEY_BYTES]) {
    char room[PASSWORD_BYTES_MAX + 1];
    Str prepared = prepare_password(password, room);
    int fine = PKCS5_PBKDF2_HMAC(prepared.data == NULL ? "" : prepared.data, (int)prepared.len, salt.data, (int)salt.len, (int)iterations, EVP_sha256(),
                                 SCRAM_KEY_BYTES, out);
    OPENSSL_cleanse(room, sizeof room);
    if (fine != 1) {
        fatal(ERR_INTERNAL, "the cryptographic library cannot hash a password");
    }
}

void scram_verifier_make(Str password, Bytes salt, uint32_t iterations, ScramVerifier *verifier_out) {
    assert(salt.len > 0 && salt.len <= SCRAM_SALT_BYTES_MAX);
    assert(iterations > 0 && iterations <= SCRAM_ITERATIONS_MAX);
    uint8_t salted[SCRAM_KEY_BYTES], client_key[SCRAM_KEY_BYTES];
    *verifier_out = (ScramVerifier){.iterations = iterations, .salt_bytes = (uint32_t)salt.len};
    memcpy(verifier_out->salt, salt.data, salt.len);
    salt_password(password, salt, iterations, salted);
    scram__hmac(salted, bytes_from("Client Key", 10), client_key);
    scram__sha256(bytes_from(client_key, sizeof client_key), verifier_out->stored_key);
    scram__hmac(salted, bytes_from("Server Key", 10), verifier_out->server_key);
    OPENSSL_cleanse(salted, sizeof salted);
    OPENSSL_cleanse(client_key, sizeof client_key);
}

bool scram_verifier_check(const ScramVerifier *verifier, Str password) {
    ScramVerifier made;
    scram_verifier_make(password, bytes_from(verifier->salt, verifier->salt_bytes), verifier->iterations, &made);
    bool equal = scram__equal(made.stored_key, verifier->stored_key, SCRAM_KEY_BYTES);
    OPENSSL_cleanse(&made, sizeof made);
    return equal;
}

/* Salt and keys look like chance to who does not know the secret. */
void scram_verifier_mock(Str user, const uint8_t secret[SCRAM_KEY_BYTES], uint32_t iterations, ScramVerifier *verifier_out) {
    uint8_t hash[SCRAM_KEY_BYTES];
    *verifier_out = (ScramVerifier){.iterations = iterations, .salt_bytes = SCRAM_SALT_BYTES};
    scram__hmac(secret, bytes_from(user.data, user.len), hash);
    memcpy(verifier_out->salt, hash, SCRAM_SALT_BYTES);
    scram__hmac(secret, bytes_from(hash, sizeof hash), verifier_out->stored_key);
    scram__hmac(secret, bytes_from(verifier_out->stored_key, SCRAM_KEY_BYTES), verifier_out->server_key);
}

/* ---- text ---- */

size_t scram_verifier_format(const ScramVerifier *verifier, char *out) {
    char *at = out;
    at += snprintf(at, 40, "SCRAM-SHA-256$%u:", verifier->iterations);
    at += scram__base64_encode(bytes_from(verifier->salt, verifier->salt_bytes), at);
    *at++ = '$';
    at += scram__base64_encode(bytes_from(verifier->stored_key, SCRAM_KEY_BYTES), at);
    *at++ = ':';
    at += scram__base64_encode(bytes_from(verifier->server_key, SCRAM_KEY_BYTES), at);
    assert(at - out <= SCRAM_VERIFIER_TEXT_MAX);
    return (size_t)(at - out);
}

static bool take_until(Str *rest, char end, Str *piece_out) {
    ptrdiff_t at = str_find_char(*rest, end, 0);
    if (at < 0) {
        return false;
    }
    *piece_out = str_slice(*rest, 0, (size_t)at);
    *rest = str_slice(*rest, (size_t)at + 1, rest->len);
    return true;
}

static bool parse_key(Str text, uint8_t key[SCRAM_KEY_BYTES]) {
    size_t len = 0;
    return scram__base64_decode(text, key, SCRAM_KEY_BYTES, &len) && len == SCRAM_KEY_BYTES;
}

bool scram_verifier_parse(Str text, ScramVerifier *verifier_out) {
    Str scheme, iterations, salt, stored;
    ScramVerifier verifier = {0};
    if (!take_until(&text, '$', &scheme) || !str_equal(scheme, SCRAM_MECHANISM) || !take_until(&text, ':', &iterations) ||
        !take_until(&text, '$', &salt) || !take_until(&text, ':', &stored)) {
        return false;
    }
    uint64_t count = 0;
    size_t salt_bytes = 0;
    bool overflow;
    if (!parse_uint64(iterations, &count, &overflow) || count == 0 || count > SCRAM_ITERATIONS_MAX ||
        !scram__base64_decode(salt, verifier.salt, sizeof verifier.salt, &salt_bytes) || salt_bytes == 0) {
        return false;
    }
    verifier.iterations = (uint32_t)count;
    verifier.salt_bytes = (uint32_t)salt_bytes;
    if (!parse_key(stored, verifier.stored_key) || !parse_key(text, verifier.server_key)) {
        return false;
    }
    *verifier_out = verifier;
    return true;
}
