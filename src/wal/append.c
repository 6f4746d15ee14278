/* SPDX-License-Identifier: Apache-2.0
 * append.c - give a record its number and queue it; tickets and the ways to wait for them.
 *
 * Why:        everything that depends on the size of a body (copy, checksum) happens before the mutex, so that giving a
 *             number is O(1). A ticket is the LSN itself: publishing goes in order, so one number tells about all.
 * Threads:    any.
 * Tests:      test/unit/wal/test_wal.c, test_threads.c */
#include "wal/wal_internal.h"

static WalNode *node_create(const WalAppend *append, size_t body_bytes) {
    size_t parts = append->referenced ? (size_t)append->part_count : 0;
    size_t copied = append->referenced ? 0 : body_bytes;
    WalNode *node = mem_alloc(sizeof *node + parts * sizeof(IoVec) + copied);
    *node = (WalNode){.header = {.body_bytes = (uint32_t)body_bytes, .kind = append->kind, .flags = append->flags},
                      .durability = append->durability,
                      .waits = append->waits,
                      .interval_ms = append->interval_ms,
                      .publish_context = append->publish_context,
                      .complete = append->complete,
                      .complete_context = append->complete_context,
                      .part_count = (uint32_t)parts};
    node->body = (uint8_t *)(node->parts + parts);
    size_t at = 0;
    for (int i = 0; i < append->part_count; i++) {
        const IoVec *part = &append->parts[i];
        node->header.body_crc = crc32c(node->header.body_crc, part->data, part->len);
        if (append->referenced) {
            node->parts[i] = *part;
        } else if (part->len > 0) {
            memcpy(node->body + at, part->data, part->len);
        }
        at += part->len;
    }
    return node;
}

void wal__node_free(WalNode *node) {
    mem_free(node);
}

static ErrorCode check_size(const WalAppend *append, size_t *bytes_out, Error *err) {
    assert(append->part_count >= 0);
    assert(append->part_count <= WAL_PARTS_MAX);
    size_t bytes = 0;
    for (int i = 0; i < append->part_count; i++) {
        bytes += append->parts[i].len;
    }
    if (bytes > WAL_BODY_BYTES_MAX) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "log record of %zu bytes; the largest has %d", bytes,
                         WAL_BODY_BYTES_MAX);
    }
    *bytes_out = bytes;
    return ERR_OK;
}

/* Mutex held. */
static ErrorCode check_state(Wal *wal, bool urgent, size_t bytes, Error *err) {
    if (wal__is_failed(&wal->progress)) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "the log has failed: %.400s", wal->cause.message);
    }
    if (urgent) {
        return ERR_OK;
    }
    if (wal->used_bytes + wal->queue_bytes + bytes > wal->options.log_bytes_max) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION,
                         "the log has reached log_bytes_max (%llu bytes); it shrinks with the next checkpoint",
                         (unsigned long long)wal->options.log_bytes_max);
    }
    return ERR_OK;
}

/* Mutex held. */
static void enqueue(Wal *wal, WalNode *node, int64_t wall_micros) {
    wal->last_wall_micros = MAX_OF(wal->last_wall_micros, wall_micros);
    node->header.lsn = wal->next_lsn++;
    node->header.wall_micros = wal->last_wall_micros;
    node->header.term = wal->term;
    if (wal->queue.tail != NULL && wal->queue.head != NULL) {
        wal->queue.tail->next = node;
    } else {
        wal->queue.head = node;
    }
    wal->queue.tail = node;
    wal->queue_bytes += node->header.body_bytes + WAL_RECORD_HEADER_BYTES;
    wal->queue_room += wal__record_room(node->header.body_bytes);
    wal->unattended += !node->waits;
    if (!node->waits && wal->idle && !wal->driving) {
        wal->os.sched->cond_signal(wal->os.sched, &wal->work);
    }
}

/* Mutex held. An appender may hold locks of its caller, so it does not drive, unless there is nobody else. */
static void wait_for_room(Wal *wal) {
    if (wal->options.inline_mode) {
        wal__wait_for_move(wal);
        return;
    }
    wal->waiters++;
    wal->os.sched->cond_wait(wal->os.sched, &wal->moved, &wal->append, INT64_MAX);
    wal->waiters--;
}

ErrorCode wal_append(Wal *wal, const WalAppend *append, Lsn *lsn_out, WalTicket *ticket_out, Error *err) {
    size_t bytes = 0;
    TRY(check_size(append, &bytes, err));
    WalNode *node = node_create(append, bytes);
    if (node->interval_ms == 0) {
        node->interval_ms = wal->options.interval_ms;
    }
    int64_t wall_micros = wal->os.clock->wall_micros(wal->os.clock);
    wal__lock(wal);
    while (wal->queue_bytes + bytes > WAL_QUEUE_BYTES_MAX && !wal__is_failed(&wal->progress)) {
        wait_for_room(wal);
    }
    ErrorCode code = wal__secure_room(wal, wal__record_room(bytes), append->urgent, err);
    code = code == ERR_OK ? check_state(wal, append->urgent, bytes, err) : code;
    if (code != ERR_OK) {
        wal__unlock(wal);
        wal__node_free(node);
        return code;
    }
    enqueue(wal, node, wall_micros);
    Lsn lsn = wal->next_lsn - 1;
    if (append->assigned != NULL) {
        append->assigned(append->assigned_context, lsn);
    }
    wal__unlock(wal); /* from here on the node may be gone */
    if (lsn_out != NULL) {
        *lsn_out = lsn;
    }
    if (ticket_out != NULL) {
        *ticket_out = (WalTicket){lsn};
    }
    return ERR_OK;
}

/* ---- waiting ---- */

static ErrorCode unknown_outcome(const Wal *wal, Lsn lsn, Error *err) {
    return error_set(err, ERR_UNKNOWN_OUTCOME, ERROR_NO_POSITION,
                     "the log failed before commit %llu was acknowledged; it may be there after a restart: %.300s",
                     (unsigned long long)lsn, wal->cause.message);
}

bool wal_ticket_done(const Wal *wal, WalTicket ticket) {
    return wal__published(&wal->progress) >= ticket.lsn;
}

ErrorCode wal_wait(Wal *wal, WalTicket ticket, Error *err) {
    if (wal_ticket_done(wal, ticket)) {
        return ERR_OK;
    }
    ErrorCode code = ERR_OK;
    wal__lock(wal);
    assert(ticket.lsn < wal->next_lsn);
    while (!wal_ticket_done(wal, ticket) && !wal__is_failed(&wal->progress)) {
        wal__wait_for_move(wal);
    }
    if (!wal_ticket_done(wal, ticket)) {
        code = unknown_outcome(wal, ticket.lsn, err);
    }
    wal__unlock(wal);
    return code;
}

ErrorCode wal_flush(Wal *wal, Error *err) {
    return wal_wait(wal, (WalTicket){wal_last_lsn(wal)}, err);
}

ErrorCode wal_sync(Wal *wal, Lsn lsn, Error *err) {
    ErrorCode code = ERR_OK;
    wal__lock(wal);
    assert(lsn < wal->next_lsn);
    wal->sync_wanted = MAX_OF(wal->sync_wanted, lsn);
    while (wal__durable(&wal->progress) < lsn && !wal__is_failed(&wal->progress)) {
        wal__wait_for_move(wal);
    }
    if (wal__durable(&wal->progress) < lsn) {
        code = unknown_outcome(wal, lsn, err);
    }
    wal__unlock(wal);
    return code;
}
