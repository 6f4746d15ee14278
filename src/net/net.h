/* SPDX-License-Identifier: Apache-2.0
 * net.h - sockets: worker threads that receive, run the connections and answer; an event loop thread that accepts, keeps time and sends the rest.
 *
 * A connection is an actor. Whatever happens to it (bytes came, the send buffer drained, a deadline passed, the peer left) hands it to
 * a worker, one at a time, which calls `run`, which eats input, fills output and says what it waits for next.
 * A connection that waits holds no thread, so slow peers cost memory only, and that has limits: reading stops at NET_INPUT_BYTES,
 * and a handler should return NET_WAIT_OUTPUT when net_flush leaves more than NET_OUTPUT_BYTES unsent.
 *
 * Life cycle: net_open -> net_listen* -> net_start -> net_stop -> net_close. For a connection: opened -> run* (the last one returns
 * NET_CLOSE) -> closed.
 * Threads: opened, gone and closed on the loop thread (they must not block), run on a worker. Calls on a connection only inside run,
 * where not said otherwise. The library behind it (libuv) shows up nowhere above. */
#pragma once
#include "base/memory.h"

enum {
    NET_INPUT_BYTES = 1 << 20,         /* unread input of a connection at which reading stops */
    NET_INPUT_PADDING = 16,            /* readable bytes behind net_input */
    NET_OUTPUT_BYTES = 1 << 20,        /* unsent output at which a handler should wait */
    NET_OUTPUT_BYTES_MAX = 1 << 30,    /* of one connection's output buffer */
    NET_CONNECTIONS_DEFAULT = 256,
    NET_WORKERS_DEFAULT = 16,
    NET_SEND_STALL_MS_DEFAULT = 30000, /* no byte of pending output was taken for so long: the connection ends */
    NET_FIRST_BYTE_MS = 60000,         /* for a new connection to say something */
    NET_LINGER_MS = 2000,              /* after the last byte was sent: time for the peer to read it and leave */
    NET_GONE_MS = 1000                 /* from the peer's end of stream to `gone` while run is busy (it may only have closed its half) */
};

typedef struct Net Net;
typedef struct NetConnection NetConnection;

typedef enum NetWaitKind { NET_WAIT_INPUT, NET_WAIT_OUTPUT, NET_CLOSE } NetWaitKind;
/* NET_WAIT_INPUT: until bytes come (or the input ends). NET_WAIT_OUTPUT: until less than half of NET_OUTPUT_BYTES is unsent.
 * deadline_ms: by net_now_ms, then run is called with net_timed_out; 0 = none. Who waits for input must have less than NET_INPUT_BYTES
 * unread, and never waits for it after net_input_ended. NET_CLOSE: send what is left, then end. */
typedef struct NetWait {
    NetWaitKind kind;
    int64_t deadline_ms;
} NetWait;

typedef struct NetHandler {
    void *(*opened)(void *context, NetConnection *connection);
    NetWait (*run)(void *state, NetConnection *connection);
    void (*gone)(void *state);   /* the peer left or the server stops, maybe while run is busy: make it return soon */
    void (*closed)(void *state);
} NetHandler;

typedef struct NetOptions {
    uint32_t connections_max, workers_max; /* 0 = defaults */
    int64_t send_stall_ms;
} NetOptions;

typedef struct NetCounters { uint64_t accepted, refused, open, bytes_in, bytes_out, workers; } NetCounters;

NODISCARD ErrorCode net_open(const NetOptions *options, Net **net_out, Error *err);
/* address: "127.0.0.1:9000", "[::1]:9000", "localhost:9000", port 0 = any. refusal: sent to connections beyond the limit (static text).
 * *port_out: the port taken. ERR_OBJECT_IN_USE: the port is taken. */
NODISCARD ErrorCode net_listen(Net *net, const char *address, const NetHandler *handler, void *context, Str refusal, int *port_out, Error *err);
/* The door that net_listen opened last takes at most so many connections and keeps at most so many workers busy at a time, so that it leaves
 * some to other doors; UINT32_MAX: no limit of its own. All doors together have those of the options. */
void net_limit_last(Net *net, uint32_t connections_max, uint32_t workers_max);
NODISCARD ErrorCode net_start(Net *net, Error *err);
/* No new connections; those at rest end, busy ones have grace_ms before they are told that they are gone. Waits for all. Any thread. */
void net_stop(Net *net, int64_t grace_ms);
void net_close(Net *net);                               /* after net_stop, or instead of net_start */
void net_counters(Net *net, NetCounters *counters_out); /* any thread */
bool net_address_is_loopback(const char *address);      /* host part: 127.…, ::1, localhost */

Bytes net_input(NetConnection *connection);             /* all unread bytes; valid until net_consume or run's end */
void net_consume(NetConnection *connection, size_t bytes);
bool net_input_ended(const NetConnection *connection);  /* no more will come */
bool net_gone(const NetConnection *connection);         /* nobody reads the answer: clean up and return NET_CLOSE */
bool net_timed_out(const NetConnection *connection);    /* this run is for the deadline */
bool net_stopping(const NetConnection *connection);
Buffer *net_output(NetConnection *connection);          /* append to it, then flush */
size_t net_flush(NetConnection *connection);            /* sends what the socket takes; bytes that are still unsent */
void net_shrink(NetConnection *connection);             /* between requests: gives back buffers that grew */
int64_t net_now_ms(void);                               /* monotonic */
/* "127.0.0.1:51342" of the peer; lives as the connection. */
Str net_peer(const NetConnection *connection);
void net_set_deadline(NetConnection *connection, int64_t deadline_ms); /* for the first run, instead of NET_FIRST_BYTE_MS; in opened */
void net_set_send_stall(NetConnection *connection, int64_t stall_ms); /* instead of the option; in opened or run */
void net_wake(NetConnection *connection);               /* any thread, from opened to closed: run is called soon, whatever it waits for */

/* ---- TLS ---- */
/* A certificate with its key, and what connections need of it. Shared by connections; calls from any thread. TLS 1.2 and newer. */
typedef struct NetTls NetTls;
enum { NET_TLS_HASH_MAX = 64, NET_TLS_PEM_BYTES_MAX = 1 << 20 };
typedef struct NetTlsOptions {
    Str certificate_pem;   /* the server's certificate first, then those of its chain */
    Str key_pem;           /* not encrypted */
    Str protocol;          /* of ALPN, "postgresql": taken if the client offers it, a client that only offers others is refused */
} NetTlsOptions;
/* ERR_INVALID_PARAMETER: not PEM, the key is not the certificate's; the message is OpenSSL's reason. */
NODISCARD ErrorCode net_tls_open(const NetTlsOptions *options, NetTls **tls_out, Error *err);
/* For connections that start from now on; others keep what they have. On an error nothing changed. */
NODISCARD ErrorCode net_tls_reload(NetTls *tls, const NetTlsOptions *options, Error *err);
void net_tls_close(NetTls *tls);                        /* when no connection may start any more */

/* In run: what is in the output is sent plain, everything behind it is encrypted; net_input then gives plain text. The handshake goes on
 * between runs: return NET_WAIT_INPUT; the next run has input, or net_input_ended after a failed handshake. direct: the connection began
 * with the handshake (those bytes are still in net_input), and ALPN is a must. Else unread input was sent before the handshake and is refused:
 * ERR_PROTOCOL "received unencrypted data after SSL request"; end the connection then. */
NODISCARD ErrorCode net_start_tls(NetConnection *connection, NetTls *tls, bool direct, Error *err);
bool net_tls_ready(const NetConnection *connection);    /* the handshake is done: everything read and written is encrypted */
Str net_tls_failure(const NetConnection *connection);   /* why the handshake or the stream failed; empty: it did not */
Str net_tls_version(const NetConnection *connection);   /* "TLSv1.3"; empty without TLS */
Str net_tls_cipher(const NetConnection *connection);    /* "TLS_AES_256_GCM_SHA384" */
int net_tls_bits(const NetConnection *connection);
/* tls-server-end-point (RFC 5929) of the certificate that this connection got; empty without TLS. */
Bytes net_tls_certificate_hash(const NetConnection *connection);
