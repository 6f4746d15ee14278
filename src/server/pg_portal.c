/* SPDX-License-Identifier: Apache-2.0
 * pg_portal.c - portals: statements that are bound and may be under way, by name.
 *
 * States:  bound -> started -> suspended* -> done; gone when their block has ended. */
#include "server/pg_internal.h"

PgPortal *pg__portal_find(PgConnection *c, Str name) {
    uint64_t block = session_block_number(c->session);
    for (PgPortal *portal = c->portals; portal != NULL; portal = portal->next) {
        if (str_equal(portal->name, name)) {
            return portal->block_number == block ? portal : NULL;
        }
    }
    return NULL;
}

void pg__portal_drop(PgConnection *c, PgPortal *portal) {
    PgPortal **link = &c->portals;
    while (*link != portal) {
        link = &(*link)->next;
    }
    *link = portal->next;
    c->portal_count--;
    pg__stream_close(&portal->stream);
    mem_free(portal);
}

void pg__portals_sweep(PgConnection *c) {
    uint64_t block = session_block_number(c->session);
    PgPortal *portal = c->portals;
    while (portal != NULL) {
        PgPortal *next = portal->next;
        if (portal->block_number != block) {
            pg__portal_drop(c, portal);
        }
        portal = next;
    }
}

void pg__portals_drop_all(PgConnection *c) {
    while (c->portals != NULL) {
        pg__portal_drop(c, c->portals);
    }
}

ErrorCode pg__portal_create(PgConnection *c, Str name, PgPortal **portal_out, Error *err) {
    PgPortal *before = NULL;
    for (PgPortal *portal = c->portals; portal != NULL && before == NULL; portal = portal->next) {
        before = str_equal(portal->name, name) ? portal : NULL;
    }
    if (before != NULL && name.len > 0 && before->block_number == session_block_number(c->session)) {
        return error_set(err, ERR_DUPLICATE_CURSOR, ERROR_NO_POSITION, "cursor \"%.*s\" already exists", STR_ARG(name));
    }
    if (before != NULL) {
        pg__portal_drop(c, before);
    }
    if (c->portal_count >= PG_PORTALS_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "a connection can have at most %d portals", PG_PORTALS_MAX);
    }
    PgPortal *portal = mem_calloc(1, sizeof *portal + name.len + 1);
    char *text = (char *)(portal + 1);
    memcpy(text, name.len > 0 ? name.data : "", name.len);
    portal->name = (Str){text, name.len};
    portal->block_number = session_block_number(c->session);
    portal->next = c->portals;
    c->portals = portal;
    c->portal_count++;
    *portal_out = portal;
    return ERR_OK;
}

/* Live rows of the batch from window.row on are passed over, at most `count`. */
static uint64_t skip_rows(PgStream *stream, uint64_t count) {
    uint64_t skipped = 0;
    const Batch *batch = stream->batch;
    while (stream->window.row < batch->row_count && skipped < count) {
        skipped += batch->live == NULL || bit_get(batch->live, stream->window.row);
        stream->window.row++;
    }
    return skipped;
}

ErrorCode pg__portal_move(void *context, Str name, uint64_t count, bool *found_out, uint64_t *moved_out, Error *err) {
    PgConnection *c = context;
    PgPortal *portal = pg__portal_find(c, name);
    *found_out = portal != NULL && portal->is_row_statement;
    *moved_out = 0;
    if (!*found_out) {
        return ERR_OK;
    }
    PgStream *stream = &portal->stream;
    portal->started = true;
    while (!stream->done && *moved_out < count) {
        if (stream->batch == NULL) {
            TRY(statement_step(stream->statement, &stream->batch, err));
            stream->window.row = 0;
            stream->done = stream->batch == NULL;
            continue;
        }
        *moved_out += skip_rows(stream, count - *moved_out);
        if (stream->window.row >= stream->batch->row_count) {
            stream->batch = NULL;
        }
    }
    return ERR_OK;
}
