/* SPDX-License-Identifier: Apache-2.0
 * net_tls.c - certificates: PEM bytes into a context of OpenSSL, replaced while connections go on with theirs.
 *
 * Threads:    tls->lock guards the context and the hash; a connection takes its own reference and copy when it starts. */
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include "net/net_internal.h"

enum { PROTOCOL_BYTES_MAX = 32 };

struct NetTls {
    uv_mutex_t lock;
    SSL_CTX *context;
    uint8_t hash[NET_TLS_HASH_MAX];      /* tls-server-end-point of the certificate */
    uint32_t hash_bytes;
    uint8_t protocol[PROTOCOL_BYTES_MAX + 1]; /* ALPN's form: length byte, name. Fixed from net_tls_open on */
};

const char *net__tls_error_text(void) {
    unsigned long code = ERR_get_error();
    const char *reason = code == 0 ? NULL : ERR_reason_error_string(code);
    return reason == NULL ? "unknown reason" : reason;
}

static ErrorCode tls_error(const char *what, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%s: %s", what, net__tls_error_text());
}

/* The client's list of protocols must hold ours; one that sends no list is asked nothing. */
static int on_protocols(SSL *ssl, const unsigned char **out, unsigned char *out_len, const unsigned char *in, unsigned in_len, void *context) {
    const NetTls *tls = context;
    (void)ssl;
    for (unsigned at = 0; at < in_len; at += in[at] + 1u) {
        if (in[at] == tls->protocol[0] && in_len - at > in[at] && memcmp(in + at + 1, tls->protocol + 1, in[at]) == 0) {
            *out = in + at + 1;
            *out_len = in[at];
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* ---- PEM ---- */

static BIO *pem_open(Str pem) {
    return pem.len == 0 || pem.len > NET_TLS_PEM_BYTES_MAX ? NULL : BIO_new_mem_buf(pem.data, (int)pem.len);
}

/* The certificates behind the first one. */
static bool add_chain(SSL_CTX *context, BIO *pem) {
    X509 *next;
    while ((next = PEM_read_bio_X509(pem, NULL, NULL, NULL)) != NULL) {
        if (SSL_CTX_add0_chain_cert(context, next) != 1) {
            X509_free(next);
            return false;
        }
    }
    ERR_clear_error(); /* the end of the file is an error of the reader */
    return true;
}

static ErrorCode use_certificate(SSL_CTX *context, Str pem_text, Error *err) {
    BIO *pem = pem_open(pem_text);
    X509 *certificate = pem == NULL ? NULL : PEM_read_bio_X509(pem, NULL, NULL, NULL);
    bool fine = certificate != NULL && SSL_CTX_use_certificate(context, certificate) == 1 && add_chain(context, pem);
    X509_free(certificate);
    BIO_free(pem);
    return fine ? ERR_OK : tls_error("cannot read the certificate", err);
}

/* A key under a passphrase would ask the terminal. */
static int no_passphrase(char *out, int room, int writing, void *context) {
    (void)out;
    (void)room;
    (void)writing;
    (void)context;
    return -1;
}

static ErrorCode use_key(SSL_CTX *context, Str pem_text, Error *err) {
    BIO *pem = pem_open(pem_text);
    EVP_PKEY *key = pem == NULL ? NULL : PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, NULL);
    bool fine = key != NULL && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    BIO_free(pem);
    return fine ? ERR_OK : tls_error("cannot use the certificate's key", err);
}

/* RFC 5929: the hash of the certificate's own signature, but never one weaker than SHA-256. */
static bool hash_certificate(const X509 *certificate, uint8_t out[NET_TLS_HASH_MAX], uint32_t *len_out) {
    int digest_id = NID_undef;
    const EVP_MD *digest = NULL;
    unsigned len = 0;
    if (X509_get_signature_info((X509 *)certificate, &digest_id, NULL, NULL, NULL) == 1 && digest_id != NID_md5 && digest_id != NID_sha1 &&
        digest_id != NID_undef) {
        digest = EVP_get_digestbynid(digest_id);
    }
    bool fine = X509_digest(certificate, digest == NULL ? EVP_sha256() : digest, out, &len) == 1;
    *len_out = len;
    return fine;
}

/* ---- contexts ---- */

static void set_rules(SSL_CTX *context, NetTls *tls) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_SINGLE_ECDH_USE);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_cipher_list(context, "HIGH:!aNULL:!3DES:!MD5");
    if (tls->protocol[0] > 0) {
        SSL_CTX_set_alpn_select_cb(context, on_protocols, tls);
    }
}

static ErrorCode make_context(NetTls *tls, const NetTlsOptions *options, SSL_CTX **context_out, Error *err) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) {
        return tls_error("cannot make a TLS context", err);
    }
    set_rules(context, tls);
    ErrorCode code = use_certificate(context, options->certificate_pem, err);
    if (code == ERR_OK) {
        code = use_key(context, options->key_pem, err);
    }
    if (code != ERR_OK) {
        SSL_CTX_free(context);
        return code;
    }
    *context_out = context;
    return ERR_OK;
}

ErrorCode net_tls_reload(NetTls *tls, const NetTlsOptions *options, Error *err) {
    SSL_CTX *context = NULL;
    uint8_t hash[NET_TLS_HASH_MAX];
    uint32_t hash_bytes = 0;
    TRY(make_context(tls, options, &context, err));
    if (!hash_certificate(SSL_CTX_get0_certificate(context), hash, &hash_bytes)) {
        SSL_CTX_free(context);
        return tls_error("cannot hash the certificate", err);
    }
    uv_mutex_lock(&tls->lock);
    SSL_CTX *old = tls->context;
    tls->context = context;
    memcpy(tls->hash, hash, sizeof hash);
    tls->hash_bytes = hash_bytes;
    uv_mutex_unlock(&tls->lock);
    SSL_CTX_free(old);
    return ERR_OK;
}

ErrorCode net_tls_open(const NetTlsOptions *options, NetTls **tls_out, Error *err) {
    assert(options->protocol.len <= PROTOCOL_BYTES_MAX);
    NetTls *tls = mem_calloc(1, sizeof(NetTls));
    uv_mutex_init(&tls->lock);
    tls->protocol[0] = (uint8_t)options->protocol.len;
    if (options->protocol.len > 0) {
        memcpy(tls->protocol + 1, options->protocol.data, options->protocol.len);
    }
    ErrorCode code = net_tls_reload(tls, options, err);
    if (code != ERR_OK) {
        net_tls_close(tls);
        return code;
    }
    *tls_out = tls;
    return ERR_OK;
}

void net_tls_close(NetTls *tls) {
    if (tls != NULL) {
        SSL_CTX_free(tls->context);
        uv_mutex_destroy(&tls->lock);
        mem_free(tls);
    }
}

void net__tls_thread_end(void) { OPENSSL_thread_stop(); }

struct ssl_st *net__tls_new(NetTls *tls, uint8_t hash_out[NET_TLS_HASH_MAX], uint32_t *hash_bytes_out) {
    uv_mutex_lock(&tls->lock);
    SSL *ssl = SSL_new(tls->context);
    memcpy(hash_out, tls->hash, sizeof tls->hash);
    *hash_bytes_out = tls->hash_bytes;
    uv_mutex_unlock(&tls->lock);
    return ssl;
}
