/* SPDX-License-Identifier: Apache-2.0
 * net_worker.c - the ready queue and the threads that serve it.
 *
 * Why:        threads are made when work waits and nobody is free, and leave after half a minute without work: an idle server has none.
 * Invariants: a connection is in the queue or in one worker's hands exactly while `scheduled` is set; what happens meanwhile sets
 *             `again`. */
#include "net/net_internal.h"

enum { WORKER_STACK_BYTES = 8 << 20 };

static void worker_main(void *argument);

static void worker_start(Net *net) {
    uv_thread_t thread;
    uv_thread_options_t options = {.flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = WORKER_STACK_BYTES};
    if (uv_thread_create_ex(&thread, &options, worker_main, net) == 0) {
        pthread_detach(thread);
        net->workers++;
    } else if (net->workers == 0) {
        fatal(ERR_OUT_OF_MEMORY, "the system gave no thread for the first worker");
    }
}

void net__schedule(NetConnection *connection) {
    if (connection->scheduled) {
        connection->again = true;
        return;
    }
    Net *net = connection->net;
    connection->scheduled = true;
    connection->ready_next = NULL;
    uv_mutex_lock(&net->lock);
    if (net->ready_last == NULL) {
        net->ready_first = connection;
    } else {
        net->ready_last->ready_next = connection;
    }
    net->ready_last = connection;
    net->ready_count++;
    /* An idle worker that was called for another connection counts as idle until it wakes up; what it takes may keep it for long. */
    if (net->ready_count > net->workers_idle && net->workers < net->options.workers_max) {
        worker_start(net);
    } else {
        uv_cond_signal(&net->ready_cond);
    }
    uv_mutex_unlock(&net->lock);
}

/* Next connection to run, or NULL: the worker shall leave. net->lock is held. */
static NetConnection *take(Net *net) {
    while (net->ready_first == NULL) {
        if (net->workers_end) {
            return NULL;
        }
        net->workers_idle++;
        int result = uv_cond_timedwait(&net->ready_cond, &net->lock, (uint64_t)NET_WORKER_IDLE_MS * 1000000);
        net->workers_idle--;
        if (result != 0 && net->ready_first == NULL) {
            return NULL;
        }
    }
    NetConnection *connection = net->ready_first;
    net->ready_first = connection->ready_next;
    net->ready_count--;
    if (net->ready_first == NULL) {
        net->ready_last = NULL;
    }
    return connection;
}

/* Is what the connection waits for already there? */
static bool is_due(const NetConnection *c) {
    size_t unsent = c->pending.len - c->pending_start + c->queued.len;
    bool input = c->wait == NET_WAIT_INPUT && (c->input.len > 0 || c->input_ended || net__tls_due(c));
    bool output = c->wait == NET_WAIT_OUTPUT && unsent <= NET_OUTPUT_BYTES / 2;
    return c->again || input || output || c->gone;
}

/* Bytes of a handshake, or part of a record, are no business of the handler. */
static bool tls_has_work(NetConnection *c) {
    if (c->tls == NULL) {
        return true;
    }
    net__tls_pump(c);
    return net__tls_has_input(c);
}

static void run_once(NetConnection *c) {
    uv_mutex_lock(&c->lock);
    c->again = false;
    c->run_timed_out = c->timed_out;
    c->timed_out = false;
    int64_t deadline_ms = c->deadline_ms;
    c->deadline_ms = 0;
    bool told = c->run_timed_out || c->woken || c->stopping || c->gone || c->input_ended || c->wait == NET_WAIT_OUTPUT;
    c->woken = false;
    uv_mutex_unlock(&c->lock);

    NetWait wait = {NET_WAIT_INPUT, deadline_ms};
    if (told || tls_has_work(c)) {
        wait = c->handler->run(c->state, c);
    }
    if (wait.kind == NET_CLOSE) {
        net__tls_say_goodbye(c);
    }
    size_t unsent = net_flush(c);

    uv_mutex_lock(&c->lock);
    c->scheduled = false;
    c->wait = (uint8_t)wait.kind;
    c->deadline_ms = wait.deadline_ms;
    bool attention = unsent > 0 || c->input.len < NET_INPUT_BYTES / 2;
    if (wait.kind == NET_CLOSE) {
        c->phase = PHASE_FLUSHING;
        attention = true;
    } else if (is_due(c)) {
        net__schedule(c);
    }
    if (attention) {
        net__attention(c); /* under the lock: once it is released the loop may free the connection */
    }
    uv_mutex_unlock(&c->lock);
}

static void worker_main(void *argument) {
    Net *net = argument;
    uv_mutex_lock(&net->lock);
    for (;;) {
        NetConnection *connection = take(net);
        if (connection == NULL) {
            break;
        }
        uv_mutex_unlock(&net->lock);
        run_once(connection);
        uv_mutex_lock(&net->lock);
    }
    net__tls_thread_end(); /* nobody joins the thread, so the process may end before the thread's destructors ran */
    net->workers--;
    uv_cond_signal(&net->worker_gone);
    uv_mutex_unlock(&net->lock);
}

void net__workers_end(Net *net) {
    uv_mutex_lock(&net->lock);
    net->workers_end = true;
    uv_cond_broadcast(&net->ready_cond);
    while (net->workers > 0) {
        uv_cond_wait(&net->worker_gone, &net->lock);
    }
    uv_mutex_unlock(&net->lock);
}
