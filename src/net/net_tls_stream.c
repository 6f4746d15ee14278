/* SPDX-License-Identifier: Apache-2.0
 * net_tls_stream.c - TLS of one connection: a filter between the bytes of the socket and those of the handler.
 *
 * States:     HANDSHAKE -> OPEN -> ENDED, or -> FAILED from anywhere.
 * Why:        OpenSSL works on memory only, so the connection's reading and sending stay as they are; everything here runs on the worker
 *             that has the connection, encryption never holds up the loop.
 * Invariants: plain input gathers in connection->work, plain output in session->plain; connection->out holds what goes to the socket. */
#include <openssl/buffer.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include "net/net_internal.h"

enum { CHUNK_BYTES = 64 << 10, READ_BYTES = 16 << 10, FAILURE_BYTES = 160 };

typedef enum TlsState { TLS_HANDSHAKE, TLS_OPEN, TLS_ENDED, TLS_FAILED } TlsState;

struct NetTlsStream {
    SSL *ssl;
    BIO *from_socket, *to_socket;   /* owned by ssl */
    TlsState state;
    bool direct;                    /* ALPN is a must */
    bool more;                      /* input waits inside for room in connection->work */
    Buffer raw;                     /* taken from the connection, given to from_socket at once */
    Buffer plain;                   /* output of the handler, not yet encrypted */
    uint8_t hash[NET_TLS_HASH_MAX];
    uint32_t hash_bytes;
    char failure[FAILURE_BYTES];
};

/* ---- start and end ---- */

ErrorCode net_start_tls(NetConnection *c, NetTls *tls, bool direct, Error *err) {
    assert(c->tls == NULL);
    Bytes unread = net_input(c);
    if (!direct && unread.len > 0) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "received unencrypted data after SSL request");
    }
    net_flush(c); /* what was said so far goes in the clear */
    NetTlsStream *stream = mem_calloc(1, sizeof(NetTlsStream));
    ERR_clear_error();
    stream->ssl = net__tls_new(tls, stream->hash, &stream->hash_bytes);
    stream->from_socket = BIO_new(BIO_s_mem());
    stream->to_socket = BIO_new(BIO_s_mem());
    if (stream->ssl == NULL || stream->from_socket == NULL || stream->to_socket == NULL) {
        fatal(ERR_OUT_OF_MEMORY, "no memory for a TLS connection");
    }
    SSL_set_bio(stream->ssl, stream->from_socket, stream->to_socket);
    SSL_set_accept_state(stream->ssl);
    stream->direct = direct;
    buffer_init(&stream->raw, NET_OUTPUT_BYTES_MAX);
    buffer_init(&stream->plain, NET_OUTPUT_BYTES_MAX);
    (void)BIO_write(stream->from_socket, unread.data, (int)unread.len);
    net_consume(c, unread.len);
    c->tls = stream;
    net__tls_pump(c);
    return ERR_OK;
}

void net__tls_free(NetConnection *c) {
    if (c->tls != NULL) {
        SSL_free(c->tls->ssl);
        buffer_deinit(&c->tls->raw);
        buffer_deinit(&c->tls->plain);
        mem_free(c->tls);
        c->tls = NULL;
    }
}

static void fail(NetTlsStream *stream, const char *what, const char *reason) {
    stream->state = TLS_FAILED;
    snprintf(stream->failure, sizeof stream->failure, "%s: %s", what, reason);
    ERR_clear_error();
}

/* What OpenSSL has for the peer goes to the end of connection->out. */
static void drain(NetConnection *c) {
    size_t waiting = BIO_ctrl_pending(c->tls->to_socket);
    uint8_t *room = waiting == 0 ? NULL : buffer_reserve(&c->out, waiting);
    if (room != NULL) {
        int taken = BIO_read(c->tls->to_socket, room, (int)waiting);
        c->out.len += taken > 0 ? (size_t)taken : 0;
    }
}

/* ---- in ---- */

static void take_raw(NetConnection *c) {
    NetTlsStream *stream = c->tls;
    uv_mutex_lock(&c->lock);
    Buffer came = c->input;
    c->input = stream->raw;
    c->input.limit_bytes = came.limit_bytes;
    atomic_store_explicit(&c->input_waits, c->input.len > 0, memory_order_release);
    stream->raw = came;
    uv_mutex_unlock(&c->lock);
    if (came.len > 0) {
        (void)BIO_write(stream->from_socket, came.data, (int)came.len);
    }
    buffer_clear(&stream->raw);
}

static void shake_hands(NetTlsStream *stream) {
    int result = SSL_do_handshake(stream->ssl);
    int error = SSL_get_error(stream->ssl, result);
    if (result == 1) {
        const unsigned char *protocol;
        unsigned len = 0;
        SSL_get0_alpn_selected(stream->ssl, &protocol, &len);
        stream->state = TLS_OPEN;
        if (stream->direct && len == 0) {
            fail(stream, "TLS handshake failed", "direct TLS connection without the ALPN extension");
        }
    } else if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        fail(stream, "TLS handshake failed", net__tls_error_text());
    }
}

/* Plain bytes into connection->work, up to the limit of unread input. */
static void decrypt(NetConnection *c) {
    NetTlsStream *stream = c->tls;
    stream->more = false;
    for (;;) {
        if (c->work.len - c->work_start >= NET_INPUT_BYTES) {
            stream->more = true;
            return;
        }
        uint8_t *room = buffer_reserve(&c->work, READ_BYTES);
        assert(room != NULL);
        size_t count = 0;
        int result = SSL_read_ex(stream->ssl, room, READ_BYTES, &count);
        if (result == 1) {
            c->work.len += count;
            continue;
        }
        int error = SSL_get_error(stream->ssl, result);
        if (error == SSL_ERROR_ZERO_RETURN) {
            stream->state = TLS_ENDED;
        } else if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
            fail(stream, "TLS connection failed", net__tls_error_text());
        }
        return;
    }
}

static void drop_read_part(NetConnection *c) {
    if (c->work_start > 0) {
        memmove(c->work.data, c->work.data + c->work_start, c->work.len - c->work_start);
        c->work.len -= c->work_start;
        c->work_start = 0;
    }
}

void net__tls_pump(NetConnection *c) {
    NetTlsStream *stream = c->tls;
    if (stream->state == TLS_FAILED || stream->state == TLS_ENDED) {
        return;
    }
    drop_read_part(c);
    if (c->work.len < NET_INPUT_BYTES) {
        take_raw(c);
    }
    ERR_clear_error();
    if (stream->state == TLS_HANDSHAKE) {
        shake_hands(stream);
    }
    if (stream->state == TLS_OPEN) {
        c->work.limit_bytes = SIZE_MAX;
        decrypt(c);
    }
    drain(c);
}

bool net__tls_has_input(const NetConnection *c) {
    const NetTlsStream *stream = c->tls;
    return c->work.len > c->work_start || stream->state == TLS_FAILED || stream->state == TLS_ENDED;
}

bool net__tls_due(const NetConnection *c) {
    return c->tls != NULL && (c->tls->more || c->tls->state == TLS_FAILED || c->tls->state == TLS_ENDED);
}

bool net__tls_input_over(const NetConnection *c, bool socket_ended) {
    const NetTlsStream *stream = c->tls;
    return stream->state == TLS_FAILED || stream->state == TLS_ENDED || (socket_ended && !stream->more);
}

/* ---- out ---- */

Buffer *net__tls_output(NetConnection *c) {
    return &c->tls->plain;
}

void net__tls_encrypt(NetConnection *c) {
    NetTlsStream *stream = c->tls;
    if (stream->plain.failed) {
        c->out.failed = true; /* the answer is past every limit */
    }
    size_t done = 0;
    ERR_clear_error();
    while ((stream->state == TLS_OPEN || stream->state == TLS_ENDED) && done < stream->plain.len) {
        size_t count = 0;
        if (SSL_write_ex(stream->ssl, stream->plain.data + done, MIN_OF(stream->plain.len - done, (size_t)CHUNK_BYTES), &count) != 1) {
            fail(stream, "TLS connection failed", net__tls_error_text());
        }
        done += count;
        drain(c);
    }
    if (stream->state != TLS_HANDSHAKE) {
        buffer_clear(&stream->plain);
    }
    drain(c);
}

void net__tls_say_goodbye(NetConnection *c) {
    if (c->tls != NULL && c->tls->state != TLS_FAILED && c->tls->state != TLS_HANDSHAKE) {
        net__tls_encrypt(c);
        ERR_clear_error();
        (void)SSL_shutdown(c->tls->ssl);
        drain(c);
    }
}

/* A memory BIO keeps the room of its largest content; an empty one that grew is to be replaced. */
static bool has_grown(BIO *bio) {
    BUF_MEM *memory = NULL;
    BIO_get_mem_ptr(bio, &memory);
    return memory != NULL && memory->max > CHUNK_BYTES && BIO_ctrl_pending(bio) == 0;
}

void net__tls_shrink(NetConnection *c) {
    NetTlsStream *stream = c->tls;
    if (stream == NULL || stream->plain.len > 0) {
        return;
    }
    buffer_deinit(&stream->plain);
    buffer_deinit(&stream->raw);
    BIO *from = has_grown(stream->from_socket) ? BIO_new(BIO_s_mem()) : NULL;
    if (from != NULL) {
        stream->from_socket = from;
        SSL_set0_rbio(stream->ssl, from);
    }
    BIO *to = has_grown(stream->to_socket) ? BIO_new(BIO_s_mem()) : NULL;
    if (to != NULL) {
        stream->to_socket = to;
        SSL_set0_wbio(stream->ssl, to);
    }
}

/* ---- questions ---- */

bool net_tls_ready(const NetConnection *connection) {
    return connection->tls != NULL && connection->tls->state == TLS_OPEN;
}

Str net_tls_failure(const NetConnection *connection) {
    return connection->tls == NULL ? STR("") : str_from_c(connection->tls->failure);
}

Str net_tls_version(const NetConnection *connection) {
    return net_tls_ready(connection) ? str_from_c(SSL_get_version(connection->tls->ssl)) : STR("");
}

Str net_tls_cipher(const NetConnection *connection) {
    return net_tls_ready(connection) ? str_from_c(SSL_get_cipher_name(connection->tls->ssl)) : STR("");
}

int net_tls_bits(const NetConnection *connection) {
    return net_tls_ready(connection) ? SSL_get_cipher_bits(connection->tls->ssl, NULL) : 0;
}

Bytes net_tls_certificate_hash(const NetConnection *connection) {
    return connection->tls == NULL ? (Bytes){0} : bytes_from(connection->tls->hash, connection->tls->hash_bytes);
}
