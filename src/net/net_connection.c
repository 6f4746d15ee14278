/* SPDX-License-Identifier: Apache-2.0
 * net_connection.c - one connection: accept, read, send, linger, end; and the calls a handler makes on it.
 *
 * States:     OPEN -> (run said NET_CLOSE) FLUSHING -> (all is sent) LINGERING -> (peer left or time is over) CLOSED -> freed.
 * Why:        a worker sends directly as long as nothing waits before its bytes: no thread is woken for a short answer. What the
 *             socket does not take goes to the loop. Closing with unread input would make the kernel throw the answer away (RST),
 *             hence the lingering.
 * Invariants: bytes leave in the order of net_flush: pending, then queued, then out; direct sending only while the first two are empty. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include "net/net_internal.h"

enum { SHRINK_BYTES = 64 << 10, LINGER_READ_BYTES = 4 << 10, INPUT_LIMIT = NET_INPUT_BYTES + NET_READ_BYTES + NET_INPUT_PADDING };

static void buffers_init(NetConnection *c) {
    buffer_init(&c->work, 2 * (size_t)INPUT_LIMIT);
    buffer_init(&c->input, INPUT_LIMIT);
    buffer_init(&c->out, NET_OUTPUT_BYTES_MAX);
    buffer_init(&c->pending, NET_OUTPUT_BYTES_MAX);
    buffer_init(&c->queued, NET_OUTPUT_BYTES_MAX);
}

static void name_peer(NetConnection *c) {
    struct sockaddr_storage address;
    int len = sizeof address;
    char host[INET6_ADDRSTRLEN] = "?";
    int port = 0;
    if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&address, &len) == 0 && address.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
        uv_ip4_name(v4, host, sizeof host);
        port = ntohs(v4->sin_port);
    } else if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
        uv_ip6_name(v6, host, sizeof host);
        port = ntohs(v6->sin6_port);
    }
    snprintf(c->peer, sizeof c->peer, "%s:%d", host, port);
}

/* Memory of a connection that is over is kept: an event that names it may be in a worker's hands (net_receive.c). */
static NetConnection *take_spare(Net *net) {
    NetConnection *c = net->spare;
    if (c == NULL) {
        c = mem_calloc(1, sizeof(NetConnection));
        uv_mutex_init(&c->lock);
    } else {
        net->spare = c->next;
        uv_mutex_lock(&c->lock);
        memset((char *)c + sizeof c->lock, 0, sizeof *c - sizeof c->lock);
        uv_mutex_unlock(&c->lock);
    }
    c->net = net;
    c->tcp.data = c;
    return c;
}

static void keep_spare(uv_handle_t *handle) {
    NetConnection *c = handle->data;
    c->next = c->net->spare;
    c->net->spare = c;
}

void net__spares_free(Net *net) {
    while (net->spare != NULL) {
        NetConnection *c = net->spare;
        net->spare = c->next;
        uv_mutex_destroy(&c->lock);
        mem_free(c);
    }
}

static void on_closed(uv_handle_t *handle) {
    NetConnection *c = handle->data;
    Net *net = c->net;
    if (c->previous != NULL) {
        c->previous->next = c->next;
    } else {
        net->connections = c->next;
    }
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    net->connection_count--;
    c->listener->connection_count--;
    atomic_fetch_sub(&net->open, 1);
    c->handler->closed(c->state);
    net__tls_free(c);
    buffer_deinit(&c->work);
    buffer_deinit(&c->input);
    buffer_deinit(&c->out);
    buffer_deinit(&c->pending);
    buffer_deinit(&c->queued);
    keep_spare(handle);
    net__end_if_done(net);
}

static void end(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    c->phase = PHASE_CLOSED;
    uv_mutex_unlock(&c->lock);
    if (!uv_is_closing((uv_handle_t *)&c->tcp)) {
        /* The attention list must not hold a connection that is freed. */
        uv_mutex_lock(&c->net->lock);
        for (NetConnection **link = &c->net->attention; c->in_attention && *link != NULL; link = &(*link)->attention_next) {
            if (*link == c) {
                *link = c->attention_next;
                break;
            }
        }
        c->in_attention = false;
        uv_mutex_unlock(&c->net->lock);
        uv_close((uv_handle_t *)&c->tcp, on_closed);
    }
}

/* ---- after the last answer ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    (void)suggested;
    NetConnection *c = handle->data;
    buffer_clear(&c->input);
    *out = uv_buf_init((char *)buffer_reserve(&c->input, LINGER_READ_BYTES), LINGER_READ_BYTES);
}

/* What still comes is thrown away. */
static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *data) {
    (void)data;
    if (count < 0) {
        end(stream->data);
    }
}

/* ---- accepting ---- */

static void on_refused(uv_handle_t *handle) {
    mem_free(handle);
}

static void refuse(NetListener *listener) {
    uv_tcp_t *tcp = mem_calloc(1, sizeof(uv_tcp_t));
    atomic_fetch_add(&listener->net->refused, 1);
    uv_tcp_init(&listener->net->loop, tcp);
    if (uv_accept((uv_stream_t *)&listener->tcp, (uv_stream_t *)tcp) == 0) {
        uv_buf_t text = uv_buf_init((char *)listener->refusal.data, (unsigned)listener->refusal.len);
        (void)uv_try_write((uv_stream_t *)tcp, &text, 1);
    }
    uv_close((uv_handle_t *)tcp, on_refused);
}

/* From here on workers see the connection. */
static void begin(NetConnection *c) {
    net__workers_begin(c->net);
    uv_mutex_lock(&c->lock);
    c->phase = PHASE_OPEN;
    if (!net__events_add(c)) {
        c->input_ended = c->gone = true; /* the system has no room for one more watched socket */
        net__schedule(c);
    }
    uv_mutex_unlock(&c->lock);
}

void net__accept(uv_stream_t *server, int status) {
    NetListener *listener = server->data;
    Net *net = listener->net;
    if (status < 0) {
        return; /* out of descriptors, most likely: the listener goes on */
    }
    if (net->connection_count >= net->options.connections_max || listener->connection_count >= listener->connections_max || net->stop_deadline_ms != 0) {
        refuse(listener);
        return;
    }
    NetConnection *c = take_spare(net);
    c->handler = listener->handler;
    c->listener = listener;
    uv_tcp_init(&net->loop, &c->tcp);
    if (uv_accept(server, (uv_stream_t *)&c->tcp) != 0 || uv_fileno((uv_handle_t *)&c->tcp, &c->fd) != 0) {
        uv_close((uv_handle_t *)&c->tcp, keep_spare);
        return;
    }
    buffers_init(c);
    uv_tcp_nodelay(&c->tcp, 1);
    uv_tcp_keepalive(&c->tcp, 1, 60);
    name_peer(c);
    c->wait = NET_WAIT_INPUT;
    c->send_stall_ms = net->options.send_stall_ms;
    c->progress_ms = net_now_ms();
    c->next = net->connections;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    net->connections = c;
    net__clock_start(net);
    net->connection_count++;
    listener->connection_count++;
    atomic_fetch_add(&net->accepted, 1);
    atomic_fetch_add(&net->open, 1);
    c->deadline_ms = c->progress_ms + NET_FIRST_BYTE_MS;
    c->state = c->handler->opened(listener->context, c);
    begin(c);
}

/* ---- sending ---- */

static void on_shutdown(uv_shutdown_t *request, int status) {
    NetConnection *c = request->data;
    if (status != 0 || c->input_ended) {
        end(c);
    }
}

static void linger(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    bool gone = c->gone;
    c->phase = PHASE_LINGERING;
    uv_mutex_unlock(&c->lock);
    c->linger_deadline_ms = net_now_ms() + NET_LINGER_MS;
    c->shutdown.data = c;
    net__events_remove(c);
    if (gone || uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) != 0 ||
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0) {
        end(c);
    }
}

static void on_written(uv_write_t *request, int status);

static void write_pending(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    bool start = !c->writing && c->pending.len > c->pending_start && !c->gone;
    c->writing |= start;
    uv_buf_t data = uv_buf_init((char *)c->pending.data + c->pending_start, (unsigned)(c->pending.len - c->pending_start));
    uv_mutex_unlock(&c->lock);
    if (start) {
        c->write.data = c;
        int result = uv_write(&c->write, (uv_stream_t *)&c->tcp, &data, 1, on_written);
        if (result != 0) {
            on_written(&c->write, result);
        }
    }
}

static void on_written(uv_write_t *request, int status) {
    NetConnection *c = request->data;
    uv_mutex_lock(&c->lock);
    c->writing = false;
    c->progress_ms = net_now_ms();
    atomic_fetch_add(&c->net->bytes_out, c->pending.len - c->pending_start);
    buffer_clear(&c->pending);
    c->pending_start = 0;
    Buffer empty = c->pending;
    c->pending = c->queued;
    c->queued = empty;
    c->gone = c->gone || status != 0;
    if (c->phase == PHASE_OPEN && !c->scheduled && (status != 0 || (c->wait == NET_WAIT_OUTPUT && c->pending.len <= NET_OUTPUT_BYTES / 2))) {
        net__schedule(c);
    }
    uv_mutex_unlock(&c->lock);
    net__connection_look(c);
}

static void tell_gone(NetConnection *c) {
    if (!c->told_gone) {
        c->told_gone = true;
        c->handler->gone(c->state);
    }
}

void net__connection_look(NetConnection *c) {
    write_pending(c);
    uv_mutex_lock(&c->lock);
    bool unsent = c->writing || (c->pending.len > c->pending_start && !c->gone);
    bool gone = c->gone;
    uint8_t phase = c->phase;
    uv_mutex_unlock(&c->lock);
    if (phase == PHASE_FLUSHING && !unsent) {
        linger(c);
    } else if (phase == PHASE_OPEN && gone) {
        tell_gone(c);
    }
}

/* ---- time ---- */

void net__connection_gone(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    bool was_open = c->phase == PHASE_OPEN;
    c->gone = true;
    if (was_open) {
        net__schedule(c);
    }
    uv_mutex_unlock(&c->lock);
    if (was_open) {
        tell_gone(c);
    } else {
        end(c);
    }
}

void net__connection_stop(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    c->stopping = true;
    if (c->phase == PHASE_OPEN) {
        net__schedule(c);
    }
    uv_mutex_unlock(&c->lock);
}

void net__connection_tick(NetConnection *c, int64_t now_ms) {
    uv_mutex_lock(&c->lock);
    bool unsent = c->pending.len > c->pending_start;
    size_t queue_bytes = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp);
    if (queue_bytes != c->queue_bytes) {
        c->queue_bytes = queue_bytes;
        c->progress_ms = now_ms;
    }
    bool stalled = unsent && now_ms - c->progress_ms > c->send_stall_ms;
    bool left = c->input_ended && c->scheduled && c->phase == PHASE_OPEN && now_ms - c->ended_at_ms > NET_GONE_MS;
    bool lingered = c->phase == PHASE_LINGERING && now_ms > c->linger_deadline_ms;
    if (c->phase == PHASE_OPEN && !c->scheduled && c->deadline_ms != 0 && now_ms >= c->deadline_ms) {
        c->timed_out = true;
        c->deadline_ms = 0;
        net__schedule(c);
    }
    net__look_if_busy(c); /* it may run for long, and its peer leave */
    uv_mutex_unlock(&c->lock);
    if (lingered) {
        end(c);
    } else if (stalled || left) {
        net__connection_gone(c);
    }
}

void net__connections_look_if_busy(Net *net) {
    for (NetConnection *c = net->connections; c != NULL; c = c->next) {
        uv_mutex_lock(&c->lock);
        net__look_if_busy(c);
        uv_mutex_unlock(&c->lock);
    }
}

/* ---- what handlers call ---- */

static void make_readable_behind(Buffer *buffer) {
    if (buffer_reserve(buffer, NET_INPUT_PADDING) != NULL) {
        memset(buffer->data + buffer->len, 0, NET_INPUT_PADDING);
    }
}

static void take_input(NetConnection *c) {
    if (!c->input_waits) {
        return;
    }
    uv_mutex_lock(&c->lock);
    c->padded = false;
    if (c->input.len > 0 && c->work_start == c->work.len) {
        buffer_clear(&c->work);
        Buffer empty = c->work;
        c->work = c->input;
        c->input = empty;
        c->input.limit_bytes = INPUT_LIMIT;
        c->work.limit_bytes = 2 * (size_t)INPUT_LIMIT;
        c->work_start = 0;
    } else if (c->input.len > 0 && c->work.len - c->work_start < NET_INPUT_BYTES) {
        memmove(c->work.data, c->work.data + c->work_start, c->work.len - c->work_start);
        c->work.len -= c->work_start;
        c->work_start = 0;
        buffer_append(&c->work, c->input.data, c->input.len);
        assert(!c->work.failed);
        buffer_clear(&c->input);
    }
    atomic_store_explicit(&c->input_waits, c->input.len > 0, memory_order_release);
    uv_mutex_unlock(&c->lock);
}

Bytes net_input(NetConnection *c) {
    if (c->tls != NULL) {
        net__tls_pump(c);
        c->padded = false;
    } else {
        take_input(c);
    }
    if (!c->padded) {
        make_readable_behind(&c->work);
        c->padded = true;
    }
    return bytes_from(c->work.data + c->work_start, c->work.len - c->work_start);
}

void net_consume(NetConnection *c, size_t bytes) {
    assert(bytes <= c->work.len - c->work_start);
    c->work_start += bytes;
}

bool net_input_ended(const NetConnection *connection) {
    NetConnection *c = (NetConnection *)connection;
    bool ended = c->input_ended && !c->input_waits; /* what came before the end was there before the end was told */
    return c->tls == NULL ? ended : net__tls_input_over(c, ended);
}

bool net_gone(const NetConnection *connection) {
    return connection->gone;
}

bool net_timed_out(const NetConnection *connection) {
    return connection->run_timed_out;
}

bool net_stopping(const NetConnection *connection) {
    return connection->stopping;
}

Buffer *net_output(NetConnection *connection) {
    return connection->tls == NULL ? &connection->out : net__tls_output(connection);
}

/* Sends from out while the socket takes it; returns how much was sent. */
static size_t send_directly(NetConnection *c) {
    size_t sent = 0;
    while (sent < c->out.len && !c->gone) {
        ssize_t count = send(c->fd, c->out.data + sent, c->out.len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) {
            sent += (size_t)count;
        } else if (errno != EINTR) {
            c->gone = c->gone || (errno != EAGAIN && errno != EWOULDBLOCK);
            break;
        }
    }
    atomic_fetch_add(&c->net->bytes_out, sent);
    return sent;
}

size_t net_flush(NetConnection *c) {
    if (c->tls != NULL) {
        net__tls_encrypt(c);
    }
    uv_mutex_lock(&c->lock);
    if (c->out.failed) {
        c->gone = true; /* the answer is past every limit: it cannot be completed */
    }
    bool first = !c->writing && c->pending.len == c->pending_start;
    size_t sent = first ? send_directly(c) : 0;
    if (c->gone) {
        buffer_clear(&c->out);
    } else if (first && sent < c->out.len) {
        Buffer empty = c->pending;
        buffer_clear(&empty);
        c->pending = c->out;
        c->pending_start = sent;
        c->out = empty;
        c->progress_ms = net_now_ms();
    } else if (!first && c->out.len > 0) {
        buffer_append(&c->queued, c->out.data, c->out.len);
        c->gone = c->gone || c->queued.failed;
        buffer_clear(&c->out);
    } else {
        buffer_clear(&c->out);
    }
    size_t unsent = c->gone ? 0 : c->pending.len - c->pending_start + c->queued.len;
    bool wake = unsent > 0 && !c->writing;
    uv_mutex_unlock(&c->lock);
    if (wake) {
        net__attention(c);
    }
    return unsent;
}

static void give_back(Buffer *buffer) {
    if (buffer->len == 0 && buffer->capacity > SHRINK_BYTES) {
        buffer_deinit(buffer);
    }
}

void net__shrink_shared(NetConnection *c) {
    give_back(&c->input);
    if (!c->writing && c->pending.len == 0) {
        give_back(&c->pending);
        give_back(&c->queued);
    }
}

void net_shrink(NetConnection *c) {
    c->shrink = true; /* the rest when the run is over and has the lock */
    if (c->work_start == c->work.len) {
        buffer_clear(&c->work);
        c->work_start = 0;
        c->padded = false;
        give_back(&c->work);
    }
    give_back(&c->out);
    net__tls_shrink(c);
}

Str net_peer(const NetConnection *connection) {
    return str_from_c(connection->peer);
}

int64_t net_now_ms(void) {
    return (int64_t)(uv_hrtime() / 1000000);
}

void net_set_deadline(NetConnection *c, int64_t deadline_ms) {
    uv_mutex_lock(&c->lock);
    c->deadline_ms = deadline_ms;
    uv_mutex_unlock(&c->lock);
}

void net_set_send_stall(NetConnection *c, int64_t stall_ms) {
    uv_mutex_lock(&c->lock);
    c->send_stall_ms = stall_ms;
    uv_mutex_unlock(&c->lock);
}

void net_wake(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    if (c->phase == PHASE_OPEN) {
        c->woken = true;
        net__schedule(c);
    }
    uv_mutex_unlock(&c->lock);
}
