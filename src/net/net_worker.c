/* SPDX-License-Identifier: Apache-2.0
 * net_worker.c - the worker threads: they serve the ready queue first, then wait for input.
 *
 * Why:        how many there are is net_crew.c's business; those without work for half a minute leave. The ready queue holds what no input announces: deadlines, room in the send buffer, wake-ups.
 * Doors:      one with a limit of its own holds connections back while so many of its runs go on; a run that ends lets the next one go.
 * Invariants: a connection is in the queue, held back or in one worker's hands exactly while `scheduled` is set; what happens meanwhile
 *             sets `again`. */
#include "net/net_internal.h"

enum { WORKERS_KEPT = 1, RUNS_IN_A_ROW = 16 };

void net__workers_begin(Net *net) {
    uv_mutex_lock(&net->lock);
    net__crew_keep_watch(net);
    uv_mutex_unlock(&net->lock);
}

/* net->lock is held for both. */
static void list_append(ReadyList *list, NetConnection *connection) {
    connection->ready_next = NULL;
    if (list->first == NULL) {
        list->first = connection;
    } else {
        list->last->ready_next = connection;
    }
    list->last = connection;
}

static NetConnection *list_take(ReadyList *list) {
    NetConnection *connection = list->first;
    if (connection != NULL) {
        list->first = connection->ready_next;
    }
    return connection;
}

static void enqueue(NetConnection *connection) {
    Net *net = connection->net;
    uv_mutex_lock(&net->lock);
    list_append(&net->ready, connection);
    bool call = net->workers_idle > 0; /* else a worker looks at the queue before it waits */
    uv_mutex_unlock(&net->lock);
    if (call) {
        net__events_call(net);
    }
}

void net__schedule(NetConnection *connection) {
    if (connection->scheduled) {
        connection->again = true;
        return;
    }
    connection->scheduled = true;
    enqueue(connection);
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

/* True: there is more to do for it at once. */
static bool run_once(NetConnection *c, char *scratch) {
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
    if (c->shrink) {
        c->shrink = false;
        net__shrink_shared(c);
    }
    c->wait = (uint8_t)wait.kind;
    c->deadline_ms = wait.deadline_ms;
    bool due = false;
    if (wait.kind == NET_CLOSE) {
        c->phase = PHASE_FLUSHING;
    } else {
        net__receive(c, scratch, false); /* the next request of a quick peer: cheaper than an event for it */
        due = is_due(c);
    }
    c->scheduled = due;
    if (!due && wait.kind != NET_CLOSE) {
        net__watch(c);
    }
    if (unsent > 0 || wait.kind == NET_CLOSE) {
        net__attention(c); /* under the lock: once it is released the loop may end the connection */
    }
    uv_mutex_unlock(&c->lock);
    return due;
}

static bool others_may_wait(Net *net) {
    uv_mutex_lock(&net->lock);
    bool may = net->ready.first != NULL || net->workers_idle == 0;
    uv_mutex_unlock(&net->lock);
    return may;
}

/* A connection that always has more to do goes behind the others from time to time. */
static void run(NetConnection *c, char *scratch) {
    for (int runs = 1; run_once(c, scratch); runs++) {
        if (runs % RUNS_IN_A_ROW == 0 && others_may_wait(c->net)) {
            enqueue(c);
            return;
        }
    }
}

/* The next connection to run; NULL with *leave_out: the worker shall go. net->lock is held, but not while waiting. */
static NetConnection *next_connection(Net *net, char *scratch, bool *leave_out) {
    NetConnection *connection = list_take(&net->ready);
    if (connection != NULL) {
        if (net->ready.first != NULL && net->workers_idle > 0) {
            net__events_call(net); /* the call for the next one may have gone to this worker */
        }
        return connection;
    }
    *leave_out = !net__crew_may_wait(net) || net->workers_end;
    if (*leave_out || net->ready.first != NULL) {
        return NULL;
    }
    net->workers_idle++;
    uv_mutex_unlock(&net->lock);
    bool came = net__events_wait(net, scratch, &connection);
    uv_mutex_lock(&net->lock);
    net->workers_idle--;
    *leave_out = !came && net->workers_idle >= WORKERS_KEPT;
    return connection;
}

/* False: it is held back until a run of its door ends. net->lock is held. */
static bool door_enter(NetConnection *connection) {
    NetListener *door = connection->listener;
    if (door->workers < door->workers_max) {
        door->workers++;
        return true;
    }
    list_append(&door->held, connection);
    return false;
}

/* The worker looks at the ready queue next. net->lock is held. */
static void door_leave(Net *net, NetListener *door) {
    NetConnection *next = list_take(&door->held);
    door->workers--;
    if (next != NULL) {
        list_append(&net->ready, next);
    }
}

void net__worker_main(void *argument) {
    Net *net = argument;
    char *scratch = mem_alloc(NET_READ_BYTES);
    CrewSample sample = {0};
    bool leave = false;
    uv_mutex_lock(&net->lock);
    while (!leave) {
        NetConnection *connection = next_connection(net, scratch, &leave);
        if (connection != NULL && door_enter(connection)) {
            NetListener *door = connection->listener; /* the connection may be over after its run */
            net__crew_keep_watch(net);
            uv_mutex_unlock(&net->lock);
            net__crew_run_begins(&sample);
            run(connection, scratch);
            bool waited = net__crew_has_waited(&sample);
            uv_mutex_lock(&net->lock);
            door_leave(net, door);
            net__crew_run_ended(net, waited);
        }
    }
    mem_free(scratch);
    net__tls_thread_end(); /* nobody joins the thread, so the process may end before the thread's destructors ran */
    net->workers--;
    uv_cond_signal(&net->worker_gone);
    uv_mutex_unlock(&net->lock);
}

void net__workers_end(Net *net) {
    uv_mutex_lock(&net->lock);
    net->workers_end = true;
    net__crew_end(net);
    while (net->workers > 0) {
        net__events_call(net); /* one call wakes one worker */
        uv_cond_wait(&net->worker_gone, &net->lock);
    }
    uv_mutex_unlock(&net->lock);
}
