/* SPDX-License-Identifier: Apache-2.0
 * net_loop.c - the loop thread: listeners, output that waits for room, wake-ups from workers, the clock tick, the end.
 *
 * Stopping:   net_stop asks; the loop closes its listeners and tells every connection; those that are busy have grace_ms; then all are
 *             gone. The loop ends when no connection is left, the workers after it. */
#include <stdio.h>
#include <stdlib.h>
#include "net/net_internal.h"

enum { BACKLOG = 512, HOST_BYTES = 256 };

static void on_wake(uv_async_t *async);
static void on_tick(uv_timer_t *timer);

static void raise_defaults(NetOptions *options) {
    options->connections_max = options->connections_max == 0 ? NET_CONNECTIONS_DEFAULT : options->connections_max;
    options->workers_max = options->workers_max == 0 ? NET_WORKERS_DEFAULT : options->workers_max;
    options->send_stall_ms = options->send_stall_ms == 0 ? NET_SEND_STALL_MS_DEFAULT : options->send_stall_ms;
}

ErrorCode net_open(const NetOptions *options, Net **net_out, Error *err) {
    Net *net = mem_calloc(1, sizeof(Net));
    net->options = *options;
    raise_defaults(&net->options);
    bool events = net__events_open(net);
    int result = events ? uv_loop_init(&net->loop) : UV_EMFILE;
    if (result != 0) {
        net__events_close(net);
        mem_free(net);
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot make an event loop: %s", uv_strerror(result));
    }
    uv_async_init(&net->loop, &net->wake, on_wake);
    uv_timer_init(&net->loop, &net->timer);
    uv_timer_init(&net->loop, &net->guard);
    net->wake.data = net->timer.data = net->guard.data = net;
    uv_mutex_init(&net->lock);
    uv_cond_init(&net->worker_gone);
    net__crew_init(net);
    *net_out = net;
    return ERR_OK;
}

/* "host:port", "[v6]:port" -> host and port. */
static bool split_address(const char *address, char host[HOST_BYTES], int *port_out) {
    const char *colon = strrchr(address, ':');
    size_t len = colon == NULL ? 0 : (size_t)(colon - address);
    const char *from = address;
    if (len >= 2 && address[0] == '[' && address[len - 1] == ']') {
        from++;
        len -= 2;
    }
    if (colon == NULL || len == 0 || len >= HOST_BYTES) {
        return false;
    }
    memcpy(host, from, len);
    host[len] = '\0';
    char *rest = NULL;
    long port = strtol(colon + 1, &rest, 10);
    *port_out = (int)port;
    return rest != colon + 1 && *rest == '\0' && port >= 0 && port <= 65535;
}

bool net_address_is_loopback(const char *address) {
    char host[HOST_BYTES];
    int port = 0;
    return split_address(address, host, &port) &&
           (strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 || strcmp(host, "localhost") == 0);
}

static ErrorCode resolve(const char *address, struct sockaddr_storage *out, Error *err) {
    char host[HOST_BYTES];
    int port = 0;
    if (split_address(address, host, &port)) {
        const char *name = strcmp(host, "localhost") == 0 ? "127.0.0.1" : strcmp(host, "*") == 0 ? "0.0.0.0" : host;
        if (uv_ip4_addr(name, port, (struct sockaddr_in *)out) == 0 || uv_ip6_addr(name, port, (struct sockaddr_in6 *)out) == 0) {
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "'%s' is no address; write 127.0.0.1:9000 or [::1]:9000", address);
}

static int port_of(uv_tcp_t *tcp) {
    struct sockaddr_storage address;
    int len = sizeof address;
    if (uv_tcp_getsockname(tcp, (struct sockaddr *)&address, &len) != 0) {
        return 0;
    }
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
    return ntohs(address.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
}

ErrorCode net_listen(Net *net, const char *address, const NetHandler *handler, void *context, Str refusal, int *port_out, Error *err) {
    assert(!net->started);
    assert(net->listener_count < NET_LISTENERS_MAX);
    struct sockaddr_storage where;
    TRY(resolve(address, &where, err));
    NetListener *listener = &net->listeners[net->listener_count];
    *listener = (NetListener){.net = net, .handler = handler, .context = context, .refusal = refusal, .connections_max = UINT32_MAX, .workers_max = UINT32_MAX};
    uv_tcp_init(&net->loop, &listener->tcp);
    listener->tcp.data = listener;
    net->listener_count++;
    int result = uv_tcp_bind(&listener->tcp, (const struct sockaddr *)&where, 0);
    if (result == 0) {
        result = uv_listen((uv_stream_t *)&listener->tcp, BACKLOG, net__accept);
    }
    if (result != 0) {
        ErrorCode code = result == UV_EADDRINUSE || result == UV_EACCES ? ERR_OBJECT_IN_USE : ERR_IO;
        return error_set(err, code, ERROR_NO_POSITION, "cannot listen on %s: %s", address, uv_strerror(result));
    }
    listener->open = true;
    *port_out = port_of(&listener->tcp);
    return ERR_OK;
}

void net_limit_last(Net *net, uint32_t connections_max, uint32_t workers_max) {
    assert(!net->started);
    assert(net->listener_count > 0);
    assert(workers_max > 0);
    NetListener *listener = &net->listeners[net->listener_count - 1];
    listener->connections_max = connections_max;
    listener->workers_max = workers_max;
}

void net__attention(NetConnection *connection) {
    Net *net = connection->net;
    uv_mutex_lock(&net->lock);
    if (!connection->in_attention) {
        connection->in_attention = true;
        connection->attention_next = net->attention;
        net->attention = connection;
    }
    uv_mutex_unlock(&net->lock);
    uv_async_send(&net->wake);
}

static NetConnection *attention_take(Net *net) {
    uv_mutex_lock(&net->lock);
    NetConnection *connection = net->attention;
    if (connection != NULL) {
        net->attention = connection->attention_next;
        connection->in_attention = false;
    }
    uv_mutex_unlock(&net->lock);
    return connection;
}

static void close_listeners(Net *net) {
    for (uint32_t i = 0; i < net->listener_count; i++) {
        if (!uv_is_closing((uv_handle_t *)&net->listeners[i].tcp)) {
            uv_close((uv_handle_t *)&net->listeners[i].tcp, NULL);
        }
    }
}

static void begin_stop(Net *net, int64_t grace_ms) {
    net->stop_deadline_ms = net_now_ms() + grace_ms;
    net__clock_start(net);
    close_listeners(net);
    for (NetConnection *c = net->connections; c != NULL; c = c->next) {
        net__connection_stop(c);
    }
}

void net__end_if_done(Net *net) {
    if (net->stop_deadline_ms != 0 && net->connection_count == 0 && !net->loop_closed) {
        net->loop_closed = true;
        uv_close((uv_handle_t *)&net->wake, NULL);
        uv_close((uv_handle_t *)&net->timer, NULL);
        uv_close((uv_handle_t *)&net->guard, NULL);
    }
}

static void on_wake(uv_async_t *async) {
    Net *net = async->data;
    for (NetConnection *c = attention_take(net); c != NULL; c = attention_take(net)) {
        net__connection_look(c);
    }
    uv_mutex_lock(&net->lock);
    bool stop = net->stop_asked && net->stop_deadline_ms == 0;
    int64_t grace_ms = net->stop_grace_ms;
    net__crew_guard(net);
    uv_mutex_unlock(&net->lock);
    if (stop) {
        begin_stop(net, grace_ms);
    }
    net__end_if_done(net);
}

static void on_tick(uv_timer_t *timer) {
    Net *net = timer->data;
    int64_t now_ms = net_now_ms();
    bool over = net->stop_deadline_ms != 0 && now_ms >= net->stop_deadline_ms;
    for (NetConnection *c = net->connections, *next; c != NULL; c = next) {
        next = c->next;
        net__connection_tick(c, now_ms);
        if (over) {
            net__connection_gone(c);
        }
    }
    net__end_if_done(net);
    if (net->connection_count == 0 && net->stop_deadline_ms == 0) {
        uv_timer_stop(timer); /* an idle server sleeps */
    }
}

void net__clock_start(Net *net) {
    if (!uv_is_active((uv_handle_t *)&net->timer)) {
        uv_timer_start(&net->timer, on_tick, NET_TICK_MS, NET_TICK_MS);
    }
}

static void loop_main(void *argument) {
    Net *net = argument;
    uv_run(&net->loop, UV_RUN_DEFAULT);
}

ErrorCode net_start(Net *net, Error *err) {
    assert(!net->started);
    int result = uv_thread_create(&net->loop_thread, loop_main, net);
    if (result != 0) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot start the network thread: %s", uv_strerror(result));
    }
    net->started = true;
    return ERR_OK;
}

void net_stop(Net *net, int64_t grace_ms) {
    if (!net->started) {
        return;
    }
    uv_mutex_lock(&net->lock);
    net->stop_asked = true;
    net->stop_grace_ms = grace_ms;
    uv_mutex_unlock(&net->lock);
    uv_async_send(&net->wake);
    uv_thread_join(&net->loop_thread);
    net__workers_end(net);
    net->started = false;
}

void net_close(Net *net) {
    if (net == NULL) {
        return;
    }
    assert(!net->started);
    if (!net->loop_closed) {
        close_listeners(net);
        uv_close((uv_handle_t *)&net->wake, NULL);
        uv_close((uv_handle_t *)&net->timer, NULL);
        uv_close((uv_handle_t *)&net->guard, NULL);
        uv_run(&net->loop, UV_RUN_DEFAULT);
    }
    uv_loop_close(&net->loop);
    uv_cond_destroy(&net->worker_gone);
    uv_cond_destroy(&net->parked_cond);
    uv_mutex_destroy(&net->lock);
    net__spares_free(net);
    net__events_close(net);
    mem_free(net->scratch);
    mem_free(net);
}

void net_counters(Net *net, NetCounters *counters_out) {
    uv_mutex_lock(&net->lock);
    uint32_t workers = net->workers;
    uv_mutex_unlock(&net->lock);
    *counters_out = (NetCounters){.accepted = atomic_load(&net->accepted),
                                  .refused = atomic_load(&net->refused),
                                  .open = atomic_load(&net->open),
                                  .bytes_in = atomic_load(&net->bytes_in),
                                  .bytes_out = atomic_load(&net->bytes_out),
                                  .workers = workers};
}
