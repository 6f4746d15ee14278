/* SPDX-License-Identifier: Apache-2.0
 * pg_auth.c - the password: SCRAM messages between the start packet and the session, and how a refusal is told.
 *
 * States:     begin -> client-first -> client-final -> session; or a refusal, told after PG_REFUSAL_DELAY_MS.
 * Why:        a user that does not exist, one without a password and a wrong password take the same messages, the same time and the same
 *             answer. The delay costs a guesser time and the server nothing but a waiting connection. */
#include "proto/scram/scram.h"
#include "server/pg_internal.h"

/* One exchange; made for connections that are asked. */
struct PgAuth {
    ScramServer scram;
    bool first_done;
    Error refusal;          /* code ERR_OK: none */
    int64_t refuse_at_ms;
};

void pg__auth_free(PgConnection *c) {
    if (c->auth != NULL) {
        scram_server_deinit(&c->auth->scram);
        mem_free(c->auth);
        c->auth = NULL;
    }
}

/* That a role may not log in is told behind the right password. */
static bool has_valid_password(const PgConnection *c, const PgRole *role) {
    Clock *clock = c->server->os->clock;
    bool expired = role->has_valid_until && clock->wall_micros(clock) >= role->valid_until;
    return role->exists && role->has_password && !expired;
}

static ErrorCode check_tls(const PgConnection *c, Error *err) {
    bool need = c->server->settings.pg_require_tls.number != 0 || !net_address_is_loopback(net_peer(c->net).data);
    if (!need || net_tls_ready(c->net)) {
        return ERR_OK;
    }
    (void)error_set(err, ERR_INVALID_AUTHORIZATION, ERROR_NO_POSITION, "this server takes connections with TLS only");
    return error_add(err, 'H', "Connect with sslmode=require, or better sslmode=verify-full.");
}

ErrorCode pg__auth_begin(PgConnection *c, Error *err) {
    Str mechanisms[2];
    PgRole role;
    TRY(check_tls(c, err));
    TRY(pg__role_find(c->server->engine, c->startup.user, &role, err));
    bool tls = net_tls_ready(c->net);
    ScramServerOptions options = {.known = has_valid_password(c, &role), .tls = tls};
    if (tls) {
        options.certificate_hash = net_tls_certificate_hash(c->net);
    }
    if (role.has_password) {
        options.verifier = role.verifier;
    } else {
        scram_verifier_mock(c->startup.user, c->server->auth_secret, SCRAM_ITERATIONS_DEFAULT, &options.verifier);
    }
    rand_fill(c->server->os->rand, options.nonce, sizeof options.nonce);
    c->auth = mem_calloc(1, sizeof *c->auth);
    scram_server_init(&c->auth->scram, &options);
    pgwire_frames_init(&c->frames, PG_MESSAGE_BYTES_MAX);
    c->frames.authenticating = true;
    c->frames_open = true;
    pgwire_write_authentication_sasl(pg__out(c), mechanisms, scram_mechanisms(tls, mechanisms));
    c->phase = PG_PHASE_PASSWORD;
    return ERR_OK;
}

static ErrorCode client_first(PgConnection *c, Bytes body, Buffer *reply, Error *err) {
    PgSaslInitial initial;
    TRY(pgwire_read_sasl_initial(body, &initial, err));
    TRY(scram_server_first(&c->auth->scram, initial.mechanism, initial.data, reply, err));
    c->auth->first_done = true;
    pgwire_write_authentication_sasl_continue(pg__out(c), buffer_bytes(reply));
    return ERR_OK;
}

/* A client that sent no first message with its mechanism sends it now. */
static ErrorCode client_next(PgConnection *c, Bytes body, Buffer *reply, bool *in_out, Error *err) {
    ScramServer *scram = &c->auth->scram;
    if (!scram->begun) {
        TRY(scram_server_first(scram, scram->plus ? SCRAM_MECHANISM_PLUS : SCRAM_MECHANISM, body, reply, err));
        pgwire_write_authentication_sasl_continue(pg__out(c), buffer_bytes(reply));
        return ERR_OK;
    }
    TRY(scram_server_final(scram, body, reply, err));
    pgwire_write_authentication_sasl_final(pg__out(c), buffer_bytes(reply));
    *in_out = true;
    return ERR_OK;
}

static ErrorCode take_password(PgConnection *c, Bytes body, bool *in_out, Error *err) {
    Buffer reply;
    buffer_init(&reply, 4 * SCRAM_MESSAGE_BYTES_MAX);
    ErrorCode code = c->auth->first_done ? client_next(c, body, &reply, in_out, err) : client_first(c, body, &reply, err);
    buffer_deinit(&reply);
    if (code == ERR_INVALID_PASSWORD) {
        return error_set(err, code, ERROR_NO_POSITION, "password authentication failed for user \"%.*s\"", (int)MIN_OF(c->startup.user.len, (size_t)100),
                         c->startup.user.data);
    }
    return code;
}

static PgMove refuse_later(PgConnection *c, const Error *err, NetWait *wait_out) {
    c->auth->refusal = *err;
    c->auth->refuse_at_ms = net_now_ms() + (err->code == ERR_INVALID_PASSWORD ? PG_REFUSAL_DELAY_MS : 0);
    *wait_out = (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = c->auth->refuse_at_ms};
    return PG_MOVE_ON;
}

static PgMove wait_to_refuse(PgConnection *c, NetWait *wait_out) {
    net_consume(c->net, net_input(c->net).len); /* nothing more is listened to */
    if (net_input_ended(c->net)) {
        return pg__over(c, wait_out);
    }
    if (net_now_ms() >= c->auth->refuse_at_ms || net_stopping(c->net)) {
        return pg__refuse(c, &c->auth->refusal, wait_out);
    }
    *wait_out = (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = c->auth->refuse_at_ms};
    return PG_MOVE_WAIT;
}

static PgMove take_message(PgConnection *c, const PgMessage *message, NetWait *wait_out) {
    Error err = {0};
    bool in = false;
    if (message->type == PG_TERMINATE) {
        return pg__over(c, wait_out);
    }
    if (take_password(c, message->body, &in, &err) != ERR_OK) {
        return refuse_later(c, &err, wait_out);
    }
    if (!in) {
        return PG_MOVE_ON;
    }
    pg__auth_free(c);
    c->frames.authenticating = false;
    if (pg__check_user(c, &err) != ERR_OK || pg__enter(c, &err) != ERR_OK) {
        return pg__refuse(c, &err, wait_out);
    }
    return PG_MOVE_ON;
}

PgMove pg__auth_run(PgConnection *c, NetWait *wait_out) {
    PgMessage message;
    Error err = {0};
    size_t used = 0;
    if (c->auth->refusal.code != ERR_OK) {
        return wait_to_refuse(c, wait_out);
    }
    PgResult result = pgwire_frames_next(&c->frames, net_input(c->net), &message, &used, &err);
    if (result == PGWIRE_BAD) {
        return refuse_later(c, &err, wait_out);
    }
    if (result == PGWIRE_DONE) {
        PgMove move = take_message(c, &message, wait_out);
        net_consume(c->net, used);
        return move;
    }
    net_consume(c->net, used);
    if (net_input_ended(c->net) || net_stopping(c->net) || net_now_ms() >= c->deadline_ms) {
        return pg__over(c, wait_out);
    }
    *wait_out = (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = c->deadline_ms};
    return used > 0 ? PG_MOVE_ON : PG_MOVE_WAIT;
}
