/* SPDX-License-Identifier: Apache-2.0
 * group.c - write one group of records, make it durable if a record asks for it, publish in order.
 *
 * Layout:     64-byte header | records, each a 40-byte header and its body, padded to 8 | zeros to the next 4 KiB
 *             block. Bodies up to COPIED_BODY_BYTES_MAX are gathered in the group buffer, larger ones are written from
 *             where they lie: a small group is one piece, a bulk load is not copied.
 * States:     queued -> written -> (records before the first WAL_COMMIT one: published) -> synced -> all published.
 * Invariants: no block is written twice; published follows LSN order; a WAL_COMMIT record is published only after the
 *             sync that covers it returned.
 * Threads:    driver. The append mutex is taken for counters only.
 * Tests:      test/unit/wal/test_wal.c, test_crash.c, test_threads.c */
#include "wal/wal_internal.h"

enum { COPIED_BODY_BYTES_MAX = 64 << 10, PUSH_BYTES = 1 << 20, VECS_PER_WRITE = 512, VECS_FIRST = 16 };
#define NANOS_PER_MILLI INT64_C(1000000)

static const uint8_t ZEROS[WAL_BLOCK_BYTES];

typedef struct Group {
    WalNode *first, *end; /* [first, end) of the list */
    uint32_t records;
    uint64_t bytes;       /* of the records, group header and final padding left out */
    uint64_t buffer_bytes; /* of all that is gathered in the group buffer */
    bool commits;         /* holds a WAL_COMMIT record */
} Group;

static bool is_copied(const WalNode *node) {
    return node->header.body_bytes <= COPIED_BODY_BYTES_MAX;
}

static uint64_t record_bytes(const WalNode *node) {
    return wal__align_record(WAL_RECORD_HEADER_BYTES + (uint64_t)node->header.body_bytes);
}

/* As many records as fit; at least one. */
static Group cut_group(const Wal *wal, WalNode *list) {
    uint64_t most = MIN_OF((uint64_t)WAL_GROUP_BYTES_MAX, wal->options.file_bytes_min - 2 * WAL_BLOCK_BYTES); /* fits each spare */
    Group group = {.first = list, .buffer_bytes = WAL_GROUP_HEADER_BYTES};
    WalNode *node = list;
    for (; node != NULL; node = node->next) {
        uint64_t bytes = record_bytes(node);
        if (group.records > 0 && group.bytes + bytes > most) {
            break;
        }
        group.records++;
        group.bytes += bytes;
        group.buffer_bytes += is_copied(node) ? bytes : WAL_RECORD_HEADER_BYTES;
        group.commits = group.commits || node->durability == WAL_COMMIT;
    }
    group.end = node;
    return group;
}

/* ---- layout ---- */

static void reserve_group(Wal *wal, uint64_t bytes) {
    if (bytes > wal->group_capacity) {
        mem_free(wal->group);
        wal->group_capacity = (size_t)wal__align_block(MAX_OF(bytes, 2 * (uint64_t)wal->group_capacity));
        wal->group = mem_alloc_aligned(wal->group_capacity);
    }
}

static void add_vec(Wal *wal, size_t *count, const void *data, size_t len) {
    if (len == 0) {
        return;
    }
    if (*count == wal->vec_capacity) {
        wal->vec_capacity = wal->vec_capacity == 0 ? VECS_FIRST : 2 * wal->vec_capacity;
        wal->vecs = mem_realloc(wal->vecs, wal->vec_capacity * sizeof *wal->vecs);
    }
    wal->vecs[(*count)++] = (IoVec){data, len};
}

static uint8_t *copy_body(uint8_t *to, const WalNode *node) {
    if (node->part_count == 0) {
        memcpy(to, node->body, node->header.body_bytes);
        return to + node->header.body_bytes;
    }
    for (uint32_t i = 0; i < node->part_count; i++) {
        memcpy(to, node->parts[i].data, node->parts[i].len);
        to += node->parts[i].len;
    }
    return to;
}

static void add_body_vecs(Wal *wal, size_t *count, const WalNode *node) {
    if (node->part_count == 0) {
        add_vec(wal, count, node->body, node->header.body_bytes);
    }
    for (uint32_t i = 0; i < node->part_count; i++) {
        add_vec(wal, count, node->parts[i].data, node->parts[i].len);
    }
}

/* Fills the group buffer and wal->vecs; returns the number of vecs. */
static size_t lay_out(Wal *wal, const Group *group, uint32_t group_crc) {
    size_t count = 0;
    uint8_t *piece = wal->group; /* begin of what is gathered and not yet a vec */
    uint8_t *at = piece + WAL_GROUP_HEADER_BYTES;
    for (const WalNode *node = group->first; node != group->end; node = node->next) {
        wal__put_record_header(at, &node->header, group_crc);
        at += WAL_RECORD_HEADER_BYTES;
        size_t padding = (size_t)(record_bytes(node) - WAL_RECORD_HEADER_BYTES - node->header.body_bytes);
        if (is_copied(node)) {
            at = copy_body(at, node);
            memset(at, 0, padding);
            at += padding;
        } else {
            add_vec(wal, &count, piece, (size_t)(at - piece));
            piece = at;
            add_body_vecs(wal, &count, node);
            add_vec(wal, &count, ZEROS, padding);
        }
    }
    assert((uint64_t)(at - wal->group) == group->buffer_bytes);
    add_vec(wal, &count, piece, (size_t)(at - piece));
    uint64_t used = WAL_GROUP_HEADER_BYTES + group->bytes;
    add_vec(wal, &count, ZEROS, (size_t)(wal__align_block(used) - used));
    return count;
}

/* ---- writing ---- */

static ErrorCode write_vecs(Wal *wal, size_t count, Error *err) {
    uint64_t offset = wal->offset;
    for (size_t from = 0; from < count; from += VECS_PER_WRITE) {
        size_t n = MIN_OF(count - from, (size_t)VECS_PER_WRITE);
        TRY(io_pwritev(wal->os.io, wal->file, wal->vecs + from, (int)n, offset, err));
        for (size_t i = 0; i < n; i++) {
            offset += wal->vecs[from + i].len;
        }
    }
    return ERR_OK;
}

static ErrorCode rewrite_header(Wal *wal, Error *err) {
    uint8_t block[WAL_BLOCK_BYTES];
    wal__put_file_header(block, &wal->current->header);
    IoVec vec = {block, sizeof block};
    return io_pwritev(wal->os.io, wal->file, &vec, 1, 0, err);
}

static ErrorCode write_records(Wal *wal, const Group *group, Error *err) {
    uint64_t bytes = wal__align_block(WAL_GROUP_HEADER_BYTES + group->bytes);
    if (wal->offset + bytes > wal->current->bytes) {
        TRY(wal__switch_file(wal, bytes, err));
    }
    bool claims_early = wal->options.plant == WAL_PLANT_DURABLE_BELOW_EARLY;
    WalGroupHeader header = {.salt = wal->current->header.salt,
                             .first_lsn = wal->written_lsn + 1,
                             .durable_below = (claims_early ? wal->written_lsn : wal__durable(&wal->progress)) + 1,
                             .bytes = (uint32_t)group->bytes,
                             .records = group->records,
                             .nonce = wal->nonce};
    assert(group->first == NULL || group->first->header.lsn == header.first_lsn);
    reserve_group(wal, group->buffer_bytes);
    wal__put_group_header(wal->group, &header);
    TRY(write_vecs(wal, lay_out(wal, group, header.crc), err));
    if (wal->options.plant == WAL_PLANT_REWRITE_HEADER) {
        TRY(rewrite_header(wal, err));
    }
    wal->offset += bytes;
    wal->unsynced_bytes += bytes;
    wal->written_lsn += group->records;
    wal->last_group_crc = header.crc;
    wal__lock(wal);
    wal->stats.groups++;
    wal->stats.written_bytes += bytes;
    wal->used_bytes += bytes;
    wal->tail_bytes = wal->current->bytes - wal->offset;
    wal__unlock(wal);
    return ERR_OK;
}

/* ---- publishing ---- */

/* Publishes and frees [*list, end). */
static void publish_until(Wal *wal, WalNode **list, const WalNode *end) {
    if (*list == end) {
        return;
    }
    uint64_t records = 0, body_bytes = 0, room = 0;
    Lsn lsn = 0;
    while (*list != end) {
        WalNode *node = *list;
        lsn = node->header.lsn;
        records++;
        body_bytes += node->header.body_bytes;
        room += wal__record_room(node->header.body_bytes);
        if (wal->options.publish != NULL) {
            wal->options.publish(wal->options.context, lsn, node->publish_context);
        }
        wal__set_published(&wal->progress, lsn);
        if (node->complete != NULL) {
            node->complete(node->complete_context, lsn, ERR_OK);
        }
        *list = node->next;
        wal__node_free(node);
    }
    wal__lock(wal);
    wal->stats.records += records;
    wal->stats.body_bytes += body_bytes;
    wal->queue_bytes -= body_bytes + records * WAL_RECORD_HEADER_BYTES;
    wal->queue_room -= room;
    if (wal->waiters > 0) {
        wal->os.sched->cond_broadcast(wal->os.sched, &wal->moved);
    }
    wal__unlock(wal);
    if (wal->options.group_done != NULL) {
        wal->options.group_done(wal->options.context, lsn);
    }
}

static const WalNode *first_commit(const Group *group) {
    const WalNode *node = group->first;
    while (node != group->end && node->durability != WAL_COMMIT) {
        node = node->next;
    }
    return node;
}

static void note_deadlines(Wal *wal, const Group *group) {
    bool any = false;
    uint32_t least_ms = UINT32_MAX;
    for (const WalNode *node = group->first; node != group->end; node = node->next) {
        if (node->durability == WAL_INTERVAL) {
            any = true;
            least_ms = MIN_OF(least_ms, node->interval_ms);
        }
    }
    if (any) {
        int64_t now = wal->os.clock->monotonic_nanos(wal->os.clock);
        wal->sync_deadline_nanos = MIN_OF(wal->sync_deadline_nanos, now + least_ms * NANOS_PER_MILLI);
    }
}

/* Weak records only: start write-back early, so that a durable neighbour never pays for much of them. */
static ErrorCode push_unsynced(Wal *wal, Error *err) {
    if (wal->unsynced_bytes >= WAL_UNSYNCED_BYTES_MAX) {
        return wal__sync_current(wal, err);
    }
    if (wal->offset - wal->push_from < PUSH_BYTES) {
        return ERR_OK;
    }
    TRY(io_push(wal->os.io, wal->file, wal->push_from, wal->offset - wal->push_from, err));
    wal->push_from = wal->offset;
    wal__lock(wal);
    wal->stats.pushes++;
    wal__unlock(wal);
    return ERR_OK;
}

ErrorCode wal__write_group(Wal *wal, WalNode *list, WalNode **rest_out, Error *err) {
    *rest_out = list;
    Group group = cut_group(wal, list);
    wal->appended = true;
    note_deadlines(wal, &group);
    TRY(write_records(wal, &group, err));
    if (wal->options.plant == WAL_PLANT_PUBLISH_EARLY) {
        publish_until(wal, rest_out, group.end);
        return group.commits ? wal__sync_current(wal, err) : ERR_OK;
    }
    publish_until(wal, rest_out, first_commit(&group));
    if (group.commits && wal->options.plant != WAL_PLANT_SKIP_SYNC) {
        TRY(wal__sync_current(wal, err));
    } else {
        TRY(push_unsynced(wal, err));
    }
    publish_until(wal, rest_out, group.end);
    return ERR_OK;
}

/* An empty group whose header says that all before it is durable: damage to the last records of a stopped database is
 * then noticed too. Everything must be synced before; the seal itself need not be. */
ErrorCode wal__write_seal(Wal *wal, Error *err) {
    assert(wal->unsynced_bytes == 0);
    if (wal->offset + WAL_BLOCK_BYTES > wal->current->bytes) {
        return ERR_OK;
    }
    Group group = {.buffer_bytes = WAL_GROUP_HEADER_BYTES};
    return write_records(wal, &group, err);
}
