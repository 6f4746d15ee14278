/* SPDX-License-Identifier: Apache-2.0
 * scram_internal.h - shared inside proto/scram: base64, hashes, the client's messages taken apart. */
#pragma once
#include "proto/scram/scram.h"

static inline size_t scram__base64_bytes(size_t len) { return (len + 2) / 3 * 4; }
size_t scram__base64_encode(Bytes bytes, char *out);           /* with padding; returns bytes written */
/* Strict: whole groups, right padding, no bits behind the last byte. false also if it takes more than room. */
bool scram__base64_decode(Str text, uint8_t *out, size_t room, size_t *len_out);

void scram__hmac(const uint8_t key[SCRAM_KEY_BYTES], Bytes data, uint8_t out[SCRAM_KEY_BYTES]);
void scram__sha256(Bytes data, uint8_t out[SCRAM_KEY_BYTES]);
bool scram__equal(const uint8_t *a, const uint8_t *b, size_t len); /* constant time */

typedef struct ClientFirst {
    char binding_flag;      /* 'n', 'y', 'p' */
    Str binding_type;       /* of 'p' */
    Str gs2_header;         /* with its last comma */
    Str bare;               /* what follows it */
    Str nonce;
} ClientFirst;
typedef struct ClientFinal {
    Str binding, nonce, proof;  /* binding and proof in base64 */
    Str without_proof;
} ClientFinal;
ErrorCode scram__read_client_first(Str message, ClientFirst *first_out, Error *err);
ErrorCode scram__read_client_final(Str message, ClientFinal *final_out, Error *err);
