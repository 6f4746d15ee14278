/* SPDX-License-Identifier: Apache-2.0
 * net_internal.h - what the files of net share.
 *
 * Locks:      net->lock guards the ready queue, the attention list and the counters; connection->lock guards what its comment names.
 *             Order: connection->lock before net->lock. Neither is held while a handler runs. */
#pragma once
#include <stdatomic.h>
#include <uv.h>
#include "net/net.h"

enum { NET_LISTENERS_MAX = 8, NET_READ_BYTES = 256 << 10, NET_TICK_MS = 250, NET_WORKER_IDLE_MS = 30000, NET_PEER_BYTES = 64 };

/* Connections by ready_next, first in first out. */
typedef struct ReadyList { NetConnection *first, *last; } ReadyList;

typedef struct NetListener {
    uv_tcp_t tcp;
    Net *net;
    const NetHandler *handler;
    void *context;
    Str refusal;
    uint32_t connection_count, connections_max; /* loop thread */
    bool open;
    uint32_t workers_max;           /* fixed */
    uint32_t workers;               /* net->lock: that run connections of this door */
    ReadyList held;                 /* net->lock: ready, but all workers of this door are busy */
} NetListener;

typedef struct NetTlsStream NetTlsStream;
/* PHASE_NONE: memory that no connection uses */
typedef enum ConnectionPhase { PHASE_NONE, PHASE_OPEN, PHASE_FLUSHING, PHASE_LINGERING, PHASE_CLOSED } ConnectionPhase;

struct NetConnection {
    uv_mutex_t lock;                /* first: it lives on when a connection's memory serves the next one */
    /* loop thread */
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    Net *net;
    const NetHandler *handler;
    NetListener *listener;
    NetConnection *previous, *next; /* all connections; next: of the spare ones */
    bool told_gone;
    int64_t linger_deadline_ms;
    size_t queue_bytes;             /* unsent inside of libuv at the last tick */
    /* fixed */
    void *state;
    int fd;
    char peer[NET_PEER_BYTES];
    int64_t send_stall_ms;
    /* worker while it runs; else nobody */
    Buffer work;                    /* input handed to run; `work_start` bytes are eaten */
    size_t work_start;
    Buffer out;
    NetTlsStream *tls;              /* NULL: plain */
    bool run_timed_out, shrink;
    bool padded;                    /* work has zeros behind it */
    /* connection->lock */
    Buffer input;                   /* came, not yet handed over */
    Buffer pending;                 /* `pending_start` bytes are sent; the loop's uv_write holds it while `writing` */
    Buffer queued;                  /* behind pending, while writing */
    size_t pending_start;
    bool writing, scheduled, again, woken, timed_out;
    /* changed under connection->lock, read by the worker without it: each only says whether to take the lock, or to stop soon */
    atomic_bool input_waits, input_ended, gone, stopping;
    bool watched;                   /* an event will come */
    uint8_t phase, wait;
    int64_t deadline_ms, progress_ms, ended_at_ms;
    /* net->lock */
    NetConnection *ready_next, *attention_next;
    bool in_attention;
};

struct Net {
    NetOptions options;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t timer, guard;
    uv_thread_t loop_thread;
    NetListener listeners[NET_LISTENERS_MAX];
    uint32_t listener_count;
    int events_fd, call_fd;          /* net_receive.c */
    NetConnection *connections, *spare; /* loop thread */
    uint32_t connection_count;       /* loop thread */
    char *scratch;                   /* loop thread; of net__look_if_busy */
    bool started, loop_closed;
    int64_t stop_deadline_ms;        /* loop thread; 0 = not stopping */
    uv_mutex_t lock;
    uv_cond_t worker_gone, parked_cond;
    ReadyList ready;
    NetConnection *attention;
    uint32_t workers, workers_idle, workers_parked, parked_called; /* idle: they wait for events */
    uint32_t crew_base, crew_limit, quick_runs, guard_calm, guard_unwatched; /* net_crew.c */
    uint64_t runs, guard_runs;
    bool guarded;
    bool workers_end, stop_asked;
    int64_t stop_grace_ms;
    atomic_uint_fast64_t accepted, refused, open, bytes_in, bytes_out;
};

/* net_worker.c */
void net__schedule(NetConnection *connection);         /* any thread, connection->lock held */
void net__workers_begin(Net *net);                     /* for the first connection */
void net__workers_end(Net *net);
void net__worker_main(void *net);
/* net_crew.c: a worker looks at one run of many, at each while they wait */
typedef struct CrewSample { uint32_t runs_left; bool taken; int64_t switches; } CrewSample;
void net__crew_run_begins(CrewSample *sample);
bool net__crew_has_waited(CrewSample *sample);         /* at the end of the run */
/* net->lock is held */
void net__crew_init(Net *net);
void net__crew_keep_watch(Net *net);                   /* somebody shall wait for events now or soon */
void net__crew_run_ended(Net *net, bool waited);
bool net__crew_may_wait(Net *net);                     /* worker: parks as long as there are too many; false: it shall leave */
void net__crew_guard(Net *net);                        /* loop thread: starts the guard if it was asked for */
void net__crew_end(Net *net);
/* net_receive.c */
bool net__events_open(Net *net);
void net__events_close(Net *net);
void net__events_call(Net *net);                       /* any thread: a worker shall look at the ready queue */
bool net__events_add(NetConnection *connection);
void net__events_remove(NetConnection *connection);
/* Takes what the socket holds, up to the limit of unread input; connection->lock is held. scratch: NET_READ_BYTES. to_the_end: the peer may
 * have closed its half. */
void net__receive(NetConnection *connection, char *scratch, bool to_the_end);
void net__watch(NetConnection *connection);            /* the next input is an event, if there is room for it; connection->lock is held */
void net__look_if_busy(NetConnection *connection);     /* loop thread: for input of one that runs; connection->lock is held */
/* Worker: false if nothing came in NET_WORKER_IDLE_MS. *connection_out: to be run by the caller, or NULL. */
bool net__events_wait(Net *net, char *scratch, NetConnection **connection_out);
/* net_loop.c */
void net__attention(NetConnection *connection);        /* any thread: the loop shall look at this connection */
void net__end_if_done(Net *net);                       /* loop thread */
void net__clock_start(Net *net);                       /* loop thread: it ticks while there are connections */
/* net_connection.c: loop thread */
void net__accept(uv_stream_t *server, int status);
void net__connection_look(NetConnection *connection);  /* writes, reads, closes as its state asks for */
void net__spares_free(Net *net);
void net__connections_look_if_busy(Net *net);
void net__shrink_shared(NetConnection *connection);    /* worker, connection->lock held: what net_shrink could not give back */
void net__connection_tick(NetConnection *connection, int64_t now_ms);
void net__connection_stop(NetConnection *connection);
void net__connection_gone(NetConnection *connection);
/* net_tls.c */
struct ssl_st;
struct ssl_st *net__tls_new(NetTls *tls, uint8_t hash_out[NET_TLS_HASH_MAX], uint32_t *hash_bytes_out); /* NULL: no memory */
const char *net__tls_error_text(void);                 /* OpenSSL's newest reason; static text */
/* net_tls_stream.c: the worker that has the connection; connection->tls is set, where not said otherwise */
void net__tls_pump(NetConnection *connection);         /* what came is decrypted into work; what OpenSSL answers goes to out */
bool net__tls_has_input(const NetConnection *connection); /* plain input, or its end: something for the handler */
bool net__tls_due(const NetConnection *connection);    /* input that found no room in work, or its end; false without TLS */
bool net__tls_input_over(const NetConnection *connection, bool socket_ended);
Buffer *net__tls_output(NetConnection *connection);
void net__tls_encrypt(NetConnection *connection);      /* the handler's output into out */
void net__tls_say_goodbye(NetConnection *connection);  /* does nothing without TLS */
void net__tls_shrink(NetConnection *connection);       /* does nothing without TLS */
void net__tls_free(NetConnection *connection);         /* does nothing without TLS */
void net__tls_thread_end(void);                        /* a worker's last call: gives back what OpenSSL keeps for the thread */
