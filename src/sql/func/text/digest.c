/* SPDX-License-Identifier: Apache-2.0
 * text/digest.c - md5, sha1 and the SHA-2 family of texts and bytes, by libcrypto. Checksums of content, not for passwords. */
#include <openssl/evp.h>
#include "sql/func/text/text_internal.h"

typedef struct Digester {
    EVP_MD *kind;
    EVP_MD_CTX *context;
} Digester;

static ErrorCode digester_open(Digester *digester, const char *name, Error *err) {
    *digester = (Digester){EVP_MD_fetch(NULL, name, NULL), EVP_MD_CTX_new()};
    if (digester->kind != NULL && digester->context != NULL) {
        return ERR_OK;
    }
    EVP_MD_free(digester->kind);
    EVP_MD_CTX_free(digester->context);
    return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "this system's libcrypto has no %s", name);
}

static Str digest_of(Digester *digester, Str bytes, uint8_t out[EVP_MAX_MD_SIZE]) {
    unsigned len = 0;
    bool done = EVP_DigestInit_ex2(digester->context, digester->kind, NULL) == 1 &&
                EVP_DigestUpdate(digester->context, bytes.data, bytes.len) == 1 && EVP_DigestFinal_ex(digester->context, out, &len) == 1;
    if (!done) {
        fatal(ERR_INTERNAL, "libcrypto failed in a digest");
    }
    return str_from((const char *)out, len);
}

static void digester_close(Digester *digester) {
    EVP_MD_CTX_free(digester->context);
    EVP_MD_free(digester->kind);
}

static Str to_hex(Str bytes, char text[2 * EVP_MAX_MD_SIZE]) {
    static const char HEX[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.len; i++) {
        text[2 * i] = HEX[(uint8_t)bytes.data[i] >> 4];
        text[2 * i + 1] = HEX[(uint8_t)bytes.data[i] & 15];
    }
    return str_from(text, 2 * bytes.len);
}

static ErrorCode digest_rows(const KernelCall *call, Vector *out, const char *name, bool hex, Error *err) {
    Digester digester;
    ArgView a = func__arg(call, 0);
    TRY(digester_open(&digester, name, err));
    FOR_ROWS(call, row) {
        uint8_t bytes[EVP_MAX_MD_SIZE];
        char text[2 * EVP_MAX_MD_SIZE];
        Str digest = digest_of(&digester, func__text(a, row), bytes);
        func__put_copy(call, out, row, hex ? to_hex(digest, text) : digest);
    }
    digester_close(&digester);
    return ERR_OK;
}

/* The three that answer with a text. */
ErrorCode func__md5(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "MD5", true, err); }
ErrorCode func__sha1(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "SHA1", true, err); }
ErrorCode func__sha256(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "SHA256", true, err); }

/* sha224(bytea) and its kin are bytea in PostgreSQL. */
ErrorCode func__sha224_bytea(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "SHA224", false, err); }
ErrorCode func__sha256_bytea(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "SHA256", false, err); }
ErrorCode func__sha384(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "SHA384", false, err); }
ErrorCode func__sha512(const KernelCall *call, Vector *out, Error *err) { return digest_rows(call, out, "SHA512", false, err); }
