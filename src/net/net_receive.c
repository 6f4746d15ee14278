/* SPDX-License-Identifier: Apache-2.0
 * net_receive.c - input: the workers wait for it themselves, so that a request costs one wake-up, not two.
 *
 * Why:        epoll hands a connection's event to the worker that asked last; it receives, runs and answers. The loop thread is not asked.
 * Layout:     one epoll set for all connections and for an eventfd that calls a worker to the ready queue. A connection is watched for one
 *             event at a time (`watched`): while it runs nobody is woken for what comes; the loop thread looks at those that
 *             run for long, from time to time, so that a peer that leaves is noticed even when all workers are busy.
 * Invariants: an OPEN connection that nobody runs, has room for input and no end of it, is watched. An event may name a connection that
 *             ended meanwhile, or its memory's next one: connections are kept for reuse, never freed before net_close, and receiving is
 *             harmless at any time while one is OPEN.
 * Threads:    any worker, under connection->lock. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "net/net_internal.h"

bool net__events_open(Net *net) {
    net->events_fd = epoll_create1(EPOLL_CLOEXEC);
    net->call_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    return net->events_fd >= 0 && net->call_fd >= 0 && epoll_ctl(net->events_fd, EPOLL_CTL_ADD, net->call_fd, &event) == 0;
}

void net__events_close(Net *net) {
    if (net->events_fd >= 0) {
        close(net->events_fd);
    }
    if (net->call_fd >= 0) {
        close(net->call_fd);
    }
}

void net__events_call(Net *net) {
    /* Each write is an edge, and an edge wakes one waiting worker; nobody needs the count, which cannot overflow in a server's life. */
    ssize_t written = write(net->call_fd, &(uint64_t){1}, sizeof(uint64_t));
    assert(written == sizeof(uint64_t));
    (void)written;
}

bool net__events_add(NetConnection *c) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = c};
    c->watched = epoll_ctl(c->net->events_fd, EPOLL_CTL_ADD, c->fd, &event) == 0;
    return c->watched;
}

void net__events_remove(NetConnection *c) {
    (void)epoll_ctl(c->net->events_fd, EPOLL_CTL_DEL, c->fd, NULL); /* it is not there if its adding failed */
}

void net__watch(NetConnection *c) {
    if (!c->watched && !c->input_ended && !c->gone && c->input.len < NET_INPUT_BYTES / 2) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = c};
        c->watched = epoll_ctl(c->net->events_fd, EPOLL_CTL_MOD, c->fd, &event) == 0;
    }
}

static void input_over(NetConnection *c, bool broken) {
    c->input_ended = true;
    c->ended_at_ms = net_now_ms();
    c->gone = c->gone || broken;
    if (broken) {
        net__attention(c); /* the loop thread tells the handler */
    }
}

void net__receive(NetConnection *c, char *scratch, bool to_the_end) {
    while (!c->input_ended && c->input.len < NET_INPUT_BYTES) {
        ssize_t count = recv(c->fd, scratch, NET_READ_BYTES, MSG_DONTWAIT);
        if (count > 0) {
            atomic_fetch_add(&c->net->bytes_in, (uint64_t)count);
            buffer_append(&c->input, scratch, (size_t)count);
            atomic_store_explicit(&c->input_waits, true, memory_order_release);
            assert(!c->input.failed);
            if (count < NET_READ_BYTES && !to_the_end) {
                return; /* most likely all: if not, the next event comes at once */
            }
        } else if (count == 0) {
            input_over(c, false);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR) {
            input_over(c, true);
        }
    }
}

void net__look_if_busy(NetConnection *c) {
    if (!c->scheduled || c->phase != PHASE_OPEN) {
        return;
    }
    if (c->net->scratch == NULL) {
        c->net->scratch = mem_alloc(NET_READ_BYTES);
    }
    size_t before = c->input.len;
    net__receive(c, c->net->scratch, true);
    c->again |= c->input.len > before || c->input_ended;
}

/* Is the connection the caller's to run now? */
static bool take_event(NetConnection *c, const struct epoll_event *event, char *scratch) {
    if (c->phase != PHASE_OPEN) {
        return false;
    }
    c->watched = false;
    net__receive(c, scratch, (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    if (c->scheduled) {
        c->again = true;
        return false;
    }
    c->scheduled = c->input_ended || (c->wait == NET_WAIT_INPUT && c->input.len > 0);
    if (!c->scheduled) {
        net__watch(c);
    }
    return c->scheduled;
}

bool net__events_wait(Net *net, char *scratch, NetConnection **connection_out) {
    struct epoll_event event;
    int count = epoll_wait(net->events_fd, &event, 1, NET_WORKER_IDLE_MS);
    *connection_out = NULL;
    if (count > 0 && event.data.ptr != NULL) { /* NULL: a call to the ready queue */
        NetConnection *c = event.data.ptr;
        uv_mutex_lock(&c->lock);
        *connection_out = take_event(c, &event, scratch) ? c : NULL;
        uv_mutex_unlock(&c->lock);
    }
    return count != 0;
}
