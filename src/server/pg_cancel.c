/* SPDX-License-Identifier: Apache-2.0
 * pg_cancel.c - cancel requests: a connection of their own that names a process id and proves it by the key that only its client got.
 *
 * Why:     nothing is answered, right or wrong, and keys are compared in constant time: a guess teaches nothing. */
#include "server/pg_internal.h"

void pg__enlist(PgConnection *c) {
    Server *server = c->server;
    Sched *sched = server->os->sched;
    sched->mutex_lock(sched, &server->lock);
    c->next = server->pg_connections;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    server->pg_connections = c;
    c->listed = true;
    sched->mutex_unlock(sched, &server->lock);
}

void pg__delist(PgConnection *c) {
    Server *server = c->server;
    Sched *sched = server->os->sched;
    sched->mutex_lock(sched, &server->lock);
    if (c->listed) {
        if (c->previous != NULL) {
            c->previous->next = c->next;
        } else {
            server->pg_connections = c->next;
        }
        if (c->next != NULL) {
            c->next->previous = c->previous;
        }
        c->listed = false;
    }
    sched->mutex_unlock(sched, &server->lock);
}

static bool same_key(const PgConnection *c, Bytes key) {
    uint8_t difference = 0;
    if (key.len != c->cancel_key_bytes) {
        return false;
    }
    for (size_t i = 0; i < key.len; i++) {
        difference = (uint8_t)(difference | (c->cancel_key[i] ^ key.data[i]));
    }
    return difference == 0;
}

void pg__cancel(Server *server, uint32_t pid, Bytes key) {
    Sched *sched = server->os->sched;
    sched->mutex_lock(sched, &server->lock);
    for (PgConnection *c = server->pg_connections; c != NULL; c = c->next) {
        if ((uint32_t)c->pid != pid || !same_key(c, key)) {
            continue;
        }
        sched->mutex_lock(sched, &c->lock);
        if (c->session != NULL) {
            session_cancel(c->session);
        }
        sched->mutex_unlock(sched, &c->lock);
    }
    sched->mutex_unlock(sched, &server->lock);
}
