/* SPDX-License-Identifier: Apache-2.0
 * room.c - a record is taken only if the files have room for it: a log that finds the disk full while it writes is dead.
 *
 * Why:        a group lies in one file, so each file may end with a hole. Of two neighbouring files the records fill more
 *             than one, so twice the size of what is pending always fits. On a disk with plenty of room nothing is
 *             reserved ahead of need.
 * Urgent:     records that free room (drops, publishes of rewritten parts) may use the last part, which others leave.
 *             Beyond that they are refused too: a publish that fails is tried again.
 * Threads:    any; files are made without the append mutex.
 * Tests:      test/unit/wal/test_wal.c, test/http/full_disk.py */
#include "wal/wal_internal.h"

enum { URGENT_SHARE = 8, ROOM_TRIES_MAX = 64 };
#define PLENTY_BYTES (UINT64_C(256) << 20) /* far more than other writers take between this check and the write */

uint64_t wal__record_room(uint64_t body_bytes) {
    return wal__align_block(WAL_GROUP_HEADER_BYTES + wal__align_record(WAL_RECORD_HEADER_BYTES + body_bytes));
}

int64_t wal__spare_room(const WalFile *file) {
    return file->bytes > WAL_BLOCK_BYTES ? (int64_t)(file->bytes - WAL_BLOCK_BYTES) : 0;
}

/* Mutex held. */
static uint64_t wanted_room(const Wal *wal, uint64_t record_room, bool urgent) {
    return 2 * (wal->queue_room + record_room) + (urgent ? 0 : wal->options.file_bytes_min / URGENT_SHARE);
}

/* Mutex held. */
static bool has_room(const Wal *wal, uint64_t record_room, bool urgent) {
    int64_t room = (int64_t)wal->tail_bytes + wal->spare_bytes;
    return room > 0 && (uint64_t)room >= wanted_room(wal, record_room, urgent);
}

static bool disk_has_plenty(Wal *wal, uint64_t wanted) {
    uint64_t free_bytes = 0;
    return io_free_space(wal->os.io, &free_bytes, NULL) == ERR_OK && free_bytes >= wanted + PLENTY_BYTES;
}

static ErrorCode add_spare(Wal *wal, uint64_t record_room, bool urgent, Error *err) {
    wal->os.sched->mutex_lock(wal->os.sched, &wal->files);
    bool room = wal->set.count < WAL_FILES_MAX && (urgent || wal__files_bytes(&wal->set) < wal->options.log_bytes_max);
    wal->os.sched->mutex_unlock(wal->os.sched, &wal->files);
    if (!room) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "the log has reached log_bytes_max; it shrinks with the next checkpoint");
    }
    uint64_t least = MAX_OF(wal->options.file_bytes_min, WAL_BLOCK_BYTES + record_room);
    uint64_t usual = MAX_OF(wal__file_bytes(wal), least);
    ErrorCode code = wal__create_spare(wal, usual, err);
    if (code == ERR_DISK_FULL && usual > least) {
        code = wal__create_spare(wal, least, err);
    }
    return code == ERR_DISK_FULL ? error_set(err, code, ERROR_NO_POSITION, "no room on disk for another log file") : code;
}

ErrorCode wal__secure_room(Wal *wal, uint64_t record_room, bool urgent, Error *err) {
    for (int tries = 0; !has_room(wal, record_room, urgent); tries++) {
        uint64_t wanted = wanted_room(wal, record_room, urgent);
        wal__unlock(wal);
        bool plenty = disk_has_plenty(wal, wanted);
        ErrorCode code = plenty ? ERR_OK : add_spare(wal, record_room, urgent, err);
        wal__lock(wal);
        if (code == ERR_OK && !plenty && tries == ROOM_TRIES_MAX) {
            code = error_set(err, ERR_DISK_FULL, ERROR_NO_POSITION, "others take the room of the log as fast as it is made");
        }
        if (code != ERR_OK || plenty) {
            return code;
        }
    }
    return ERR_OK;
}
