/* SPDX-License-Identifier: Apache-2.0
 * pg_connection.c - one connection of the PostgreSQL door as an actor: messages in, one after the other, and what it waits for.
 *
 * States:     START -> READY -> OVER; in READY an activity (query string, execute, copy) that is not finished goes first.
 * Deadlines:  the start packet; idle in a transaction (25P03), idle at all (57P05 as 57P01), a transaction's length (25P04). */
#include "server/pg_internal.h"

static void *pg_opened(void *context, NetConnection *net) {
    PgConnection *c = mem_calloc(1, sizeof *c);
    c->server = context;
    c->net = net;
    Sched *sched = c->server->os->sched;
    sched->mutex_init(sched, &c->lock);
    arena_init(&c->arena, PG_MESSAGE_ARENA_BYTES_MAX);
    arena_init(&c->start_arena, PG_MESSAGE_ARENA_BYTES_MAX);
    net_set_send_stall(net, PG_SEND_STALL_MS);
    c->deadline_ms = net_now_ms() + c->server->settings.pg_start_timeout.number;
    net_set_deadline(net, c->deadline_ms);
    return c;
}

static void pg_gone(void *state) {
    PgConnection *c = state;
    Sched *sched = c->server->os->sched;
    sched->mutex_lock(sched, &c->lock);
    c->cancelled = true;
    if (c->session != NULL) {
        session_cancel(c->session);
    }
    sched->mutex_unlock(sched, &c->lock);
}

static void pg_closed(void *state) {
    PgConnection *c = state;
    Sched *sched = c->server->os->sched;
    assert(c->session == NULL);
    sched->mutex_deinit(sched, &c->lock);
    arena_deinit(&c->arena);
    arena_deinit(&c->start_arena);
    mem_free(c);
}

/* ---- messages ---- */

PgMove pg__over(PgConnection *c, NetWait *wait_out) {
    c->phase = PG_PHASE_OVER;
    *wait_out = (NetWait){.kind = NET_CLOSE};
    return PG_MOVE_WAIT;
}

PgMove pg__refuse(PgConnection *c, const Error *err, NetWait *wait_out) {
    PgReport report = pgwire_report(STR("FATAL"), err, (Str){0});
    pgwire_write_error(pg__out(c), &report);
    return pg__over(c, wait_out);
}

static void refuse_call(PgConnection *c) {
    Error err;
    (void)error_set(&err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "function calls by message are not supported");
    pg__write_error(c, &err, (Str){0});
    session_note_failure(c->session);
    pg__write_ready(c);
}

static void round_open(PgConnection *c) {
    if (!c->in_round) {
        session_round_begin(c->session);
        c->in_round = true;
    }
}

static PgMove take_message(PgConnection *c, const PgMessage *message, NetWait *wait_out) {
    arena_reset(&c->arena);
    if (c->activity == PG_ACTIVITY_COPY_IN && message->type != PG_TERMINATE) {
        pg__copy_message(c, message);
        return PG_MOVE_ON;
    }
    if (c->skip_to_sync && message->type != PG_SYNC && message->type != PG_TERMINATE) {
        return PG_MOVE_ON;
    }
    switch (message->type) {
    case PG_QUERY: pg__query_begin(c, message->body); return PG_MOVE_ON;
    case PG_SYNC:
        pg__sync(c);
        c->in_round = false;
        return PG_MOVE_ON;
    case PG_FLUSH: (void)net_flush(c->net); return PG_MOVE_ON;
    case PG_TERMINATE: return pg__over(c, wait_out);
    case PG_FUNCTION_CALL: refuse_call(c); return PG_MOVE_ON;
    case PG_COPY_DATA:
    case PG_COPY_DONE:
    case PG_COPY_FAIL: return PG_MOVE_ON; /* the rest of a COPY that has failed */
    case PG_PASSWORD: break;
    default:
        round_open(c);
        pg__extended(c, message);
        return PG_MOVE_ON;
    }
    Error err;
    (void)error_set(&err, ERR_PROTOCOL, ERROR_NO_POSITION, "a password was sent that nobody asked for");
    return pg__refuse(c, &err, wait_out);
}

/* ---- waiting ---- */

/* When the wait that begins now is too long; 0: never. *err, unless NULL: what to say then. */
static int64_t idle_deadline(const PgConnection *c, Error *err) {
    SessionTimeouts timeouts = session_timeouts(c->session);
    bool in_transaction = session_in_transaction(c->session);
    int64_t idle = in_transaction ? timeouts.idle_in_transaction_ms : timeouts.idle_session_ms;
    int64_t deadline = idle > 0 ? net_now_ms() + idle : 0;
    int64_t whole = in_transaction && timeouts.transaction_ms > 0 ? timeouts.transaction_began_ms + timeouts.transaction_ms : 0;
    bool whole_first = whole != 0 && (deadline == 0 || whole < deadline);
    if (whole_first) {
        (void)error_set(err, ERR_TRANSACTION_TIMEOUT, ERROR_NO_POSITION, "terminating connection due to transaction timeout");
    } else if (in_transaction) {
        (void)error_set(err, ERR_IDLE_IN_TRANSACTION, ERROR_NO_POSITION, "terminating connection due to idle-in-transaction timeout");
    } else {
        (void)error_set(err, ERR_SHUTDOWN, ERROR_NO_POSITION, "terminating connection due to idle-session timeout");
    }
    return whole_first ? whole : deadline;
}

static PgMove wait_for_message(PgConnection *c, NetWait *wait_out) {
    Error err;
    if (net_input_ended(c->net)) {
        return pg__over(c, wait_out);
    }
    if (net_timed_out(c->net) && c->deadline_ms != 0 && net_now_ms() >= c->deadline_ms) {
        (void)idle_deadline(c, &err);
        return pg__refuse(c, &err, wait_out);
    }
    if (net_stopping(c->net)) {
        (void)error_set(&err, ERR_SHUTDOWN, ERROR_NO_POSITION, "terminating connection because the server stops");
        return pg__refuse(c, &err, wait_out);
    }
    c->deadline_ms = idle_deadline(c, NULL);
    net_shrink(c->net);
    *wait_out = (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = c->deadline_ms};
    return PG_MOVE_WAIT;
}

static PgMove next_message(PgConnection *c, NetWait *wait_out) {
    PgMessage message;
    Error err;
    size_t used = 0;
    error_clear(&err);
    if (pg__out(c)->len > PG_FLUSH_BYTES && net_flush(c->net) > NET_OUTPUT_BYTES) { /* answers to pipelined messages that nobody reads */
        *wait_out = (NetWait){.kind = NET_WAIT_OUTPUT};
        return PG_MOVE_WAIT;
    }
    Bytes input = net_input(c->net);
    PgResult result = pgwire_frames_next(&c->frames, input, &message, &used, &err);
    if (result == PGWIRE_BAD) {
        return pg__refuse(c, &err, wait_out);
    }
    if (result == PGWIRE_DONE) {
        c->deadline_ms = 0;
        PgMove move = take_message(c, &message, wait_out);
        net_consume(c->net, used);
        return move;
    }
    net_consume(c->net, used);
    return used > 0 ? PG_MOVE_ON : wait_for_message(c, wait_out);
}

static PgMove ready(PgConnection *c, NetWait *wait_out) {
    if (session_terminate_asked(c->session)) {
        Error err;
        (void)error_set(&err, ERR_SHUTDOWN, ERROR_NO_POSITION, "terminating connection due to administrator command");
        return pg__refuse(c, &err, wait_out);
    }
    switch (c->activity) {
    case PG_ACTIVITY_QUERY: return pg__query_run(c, wait_out);
    case PG_ACTIVITY_EXECUTE: return pg__execute_run(c, wait_out);
    case PG_ACTIVITY_COPY_OUT: return pg__copy_out_run(c, wait_out);
    default: return next_message(c, wait_out);
    }
}

static NetWait finish(PgConnection *c) {
    pg__copy_close(c);
    if (c->session != NULL && c->query.stream.statement != NULL) {
        pg__stream_close(&c->query.stream);
    }
    buffer_deinit(&c->query.text);
    pg__session_drop(c);
    pg__auth_free(c);
    if (c->frames_open) {
        pgwire_frames_deinit(&c->frames);
        c->frames_open = false;
    }
    if (c->counted) {
        atomic_fetch_sub(&c->server->pg_count, 1);
        c->counted = false;
    }
    return (NetWait){.kind = NET_CLOSE};
}

static NetWait pg_run(void *state, NetConnection *net) {
    PgConnection *c = state;
    NetWait wait = {.kind = NET_CLOSE};
    PgMove move = PG_MOVE_ON;
    while (move == PG_MOVE_ON && !net_gone(net)) {
        switch ((PgPhase)c->phase) {
        case PG_PHASE_START: move = pg__start(c, &wait); break;
        case PG_PHASE_PASSWORD: move = pg__auth_run(c, &wait); break;
        case PG_PHASE_READY: move = ready(c, &wait); break;
        default: move = PG_MOVE_WAIT; break;
        }
    }
    return net_gone(net) || wait.kind == NET_CLOSE ? finish(c) : wait;
}

const NetHandler SERVER__PG_HANDLER = {pg_opened, pg_run, pg_gone, pg_closed};
