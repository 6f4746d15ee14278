/* SPDX-License-Identifier: Apache-2.0
 * pg_start.c - from the first byte to the first ReadyForQuery: TLS requests, the start packet, who may come in, the session.
 *
 * States:     START -> (SSLRequest, GSSENCRequest: answered, START again) -> [PASSWORD] -> session -> READY; a cancel request ends the connection.
 * Why:        on loopback nobody is asked for a password, as long as no other address is listened on. A handshake goes on below, in net: the
 *             start packet is what comes out of it. */
#include "base/number.h"
#include "server/pg_internal.h"

/* ---- sessions ---- */

static void session_place(PgConnection *c, Session *session) {
    Sched *sched = c->server->os->sched;
    sched->mutex_lock(sched, &c->lock);
    c->session = session;
    if (session != NULL && c->cancelled) {
        session_cancel(session);
    }
    sched->mutex_unlock(sched, &c->lock);
}

void pg__session_drop(PgConnection *c) {
    Session *session = c->session;
    if (session == NULL) {
        return;
    }
    pg__portals_drop_all(c);
    pg__delist(c);
    session_place(c, NULL);
    session_close(session);
}

static void wake(void *context) { net_wake(((PgConnection *)context)->net); }

/* ---- who, and where to ---- */

/* A role that may log in, or, without a password, its other name. */
ErrorCode pg__check_user(PgConnection *c, Error *err) {
    PgRole role;
    Str user = c->startup.user;
    enum { NAMES_BYTES_MAX = 400 };
    if (str_equal(user, STR("admin"))) {
        return ERR_OK;
    }
    TRY(pg__role_find(c->server->engine, user, &role, err));
    if (role.exists && role.login) {
        return ERR_OK;
    }
    Buffer list;
    buffer_init(&list, NAMES_BYTES_MAX);
    pg__role_names(c->server->engine, &list);
    (void)error_set(err, ERR_INVALID_AUTHORIZATION, ERROR_NO_POSITION, role.exists ? "role \"%.*s\" is not permitted to log in" : "role \"%.*s\" does not exist",
                    (int)MIN_OF(user.len, (size_t)100), user.data);
    ErrorCode code = error_add(err, 'H', "There are: %.*s. Try psql -h 127.0.0.1 -p 8812 -U postgres basalt", STR_ARG(buffer_str(&list)));
    buffer_deinit(&list);
    return code;
}

static ErrorCode check_database(const PgStartup *startup, Error *err) {
    static const Str NAMES[] = {{"basalt", 6}, {"postgres", 8}, {"qdb", 3}};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal(startup->database, NAMES[i])) {
            return ERR_OK;
        }
    }
    if (str_equal(startup->database, startup->user)) { /* none was named */
        return ERR_OK;
    }
    (void)error_set(err, ERR_UNDEFINED_DATABASE, ERROR_NO_POSITION, "database \"%.*s\" does not exist", (int)MIN_OF(startup->database.len, (size_t)100), startup->database.data);
    return error_add(err, 'H', "A folder is one database, named basalt; postgres and qdb reach it too.");
}

static ErrorCode check_room(PgConnection *c, Error *err) {
    if (atomic_fetch_add(&c->server->pg_count, 1) >= (uint64_t)c->server->settings.pg_connections.number) {
        atomic_fetch_sub(&c->server->pg_count, 1);
        return error_set(err, ERR_TOO_MANY_CONNECTIONS, ERROR_NO_POSITION, "sorry, too many clients already");
    }
    c->counted = true;
    return ERR_OK;
}

/* ---- the session ---- */

static void split_peer(Str peer, Str *address_out, int32_t *port_out) {
    size_t colon = peer.len;
    while (colon > 0 && peer.data[colon - 1] != ':') {
        colon--;
    }
    int64_t port = 0;
    bool overflow;
    *address_out = colon > 0 ? str_slice(peer, 0, colon - 1) : peer;
    *port_out = colon > 0 && parse_int64(str_slice(peer, colon, peer.len), &port, &overflow) ? (int32_t)port : 0;
}

static ErrorCode open_session(PgConnection *c, Error *err) {
    const PgStartup *startup = &c->startup;
    const ServerSettings *settings = &c->server->settings;
    SessionOptions options = {.dialect = DIALECT_POSTGRES,
                              .user_name = startup->user,
                              .door = STR("postgres"),
                              .memory_bytes = (size_t)settings->query_memory.number,
                              .timeout_ms = settings->query_timeout.number,
                              .workers = (int)settings->query_workers.number,
                              .server_version = settings->pg_server_version.text};
    split_peer(net_peer(c->net), &options.client_address, &options.client_port);
    Session *session = NULL;
    TRY(session_open(c->server->engine, &options, &session, err));
    c->pid = session_pid(session);
    session_place(c, session);
    TRY(session_start_as_role(session, err));
    for (uint16_t i = 0; i < startup->parameter_count; i++) {
        TRY(session_setting_start(session, startup->parameters[i].name, startup->parameters[i].value, err));
    }
    session_on_terminate(session, wake, c);
    session_on_move(session, pg__portal_move, c);
    return ERR_OK;
}

static void make_key(PgConnection *c) {
    c->cancel_key_bytes = c->version >= PGWIRE_VERSION_3_2 ? PG_CANCEL_KEY_BYTES : PGWIRE_CANCEL_KEY_MIN;
    rand_fill(c->server->os->rand, c->cancel_key, PG_CANCEL_KEY_BYTES);
}

ErrorCode pg__enter(PgConnection *c, Error *err) {
    TRY(check_database(&c->startup, err));
    TRY(check_room(c, err));
    TRY(open_session(c, err));
    c->version = c->startup.version_used;
    make_key(c);
    pg__enlist(c);
    pgwire_write_authentication_ok(pg__out(c));
    c->reported_version = UINT64_MAX;
    pg__write_changes(c);
    pgwire_write_backend_key(pg__out(c), (uint32_t)c->pid, bytes_from(c->cancel_key, c->cancel_key_bytes));
    pg__write_ready(c);
    if (!c->frames_open) {
        pgwire_frames_init(&c->frames, PG_MESSAGE_BYTES_MAX);
        c->frames_open = true;
    }
    c->frames.copy_pieces = true;
    c->phase = PG_PHASE_READY;
    c->deadline_ms = 0;
    c->startup = (PgStartup){0};
    arena_deinit(&c->start_arena);
    return ERR_OK;
}

static ErrorCode begin(PgConnection *c, Error *err) {
    if (pg__asks_password(c->server)) {
        return pg__auth_begin(c, err);
    }
    TRY(pg__check_user(c, err));
    return pg__enter(c, err);
}

/* ---- packets before the session ---- */

/* From here on everything is encrypted; the start packet comes next. */
static PgMove begin_tls(PgConnection *c, bool direct, NetWait *wait_out) {
    Error err = {0};
    if (c->tls_begun) {
        (void)error_set(&err, ERR_PROTOCOL, ERROR_NO_POSITION, "TLS was begun already");
        return pg__refuse(c, &err, wait_out);
    }
    server__tls_look(c->server);
    if (!direct) {
        buffer_append_char(pg__out(c), PGWIRE_SSL_YES);
    }
    if (net_start_tls(c->net, c->server->tls, direct, &err) != ERR_OK) {
        return pg__refuse(c, &err, wait_out);
    }
    c->tls_begun = true;
    return PG_MOVE_ON;
}

static PgMove answer_packet(PgConnection *c, NetWait *wait_out) {
    const PgStartup *startup = &c->startup;
    Error err = {0};
    bool has_tls = c->server->tls != NULL;
    switch (startup->kind) {
    case PG_START_TLS: return has_tls ? begin_tls(c, true, wait_out) : pg__over(c, wait_out); /* its client would not understand an error */
    case PG_START_SSL:
        if (has_tls) {
            return begin_tls(c, false, wait_out);
        }
        buffer_append_char(pg__out(c), PGWIRE_SSL_NO);
        return PG_MOVE_ON;
    case PG_START_GSS: buffer_append_char(pg__out(c), PGWIRE_SSL_NO); return PG_MOVE_ON;
    case PG_START_CANCEL: pg__cancel(c->server, startup->cancel_pid, startup->cancel_key); return pg__over(c, wait_out);
    default: break;
    }
    if (startup->negotiate) {
        pgwire_write_negotiate_version(pg__out(c), startup);
    }
    return begin(c, &err) == ERR_OK ? PG_MOVE_ON : pg__refuse(c, &err, wait_out);
}

PgMove pg__start(PgConnection *c, NetWait *wait_out) {
    Error err = {0};
    size_t used = 0;
    arena_reset(&c->start_arena);
    PgResult result = pgwire_startup_read(&c->startup, net_input(c->net), &c->start_arena, &used, &err);
    if (result == PGWIRE_BAD) {
        return pg__refuse(c, &err, wait_out);
    }
    if (result == PGWIRE_DONE) {
        net_consume(c->net, used);
        return answer_packet(c, wait_out);
    }
    int64_t now = net_now_ms();
    if (net_input_ended(c->net) || net_stopping(c->net) || now >= c->deadline_ms) {
        return pg__over(c, wait_out);
    }
    *wait_out = (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = c->deadline_ms};
    return PG_MOVE_WAIT;
}
