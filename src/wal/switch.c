/* SPDX-License-Identifier: Apache-2.0
 * switch.c - the driver's current file: its sync, the change to the next one, spares made ahead.
 *
 * Order:      old file synced -> spare opened and brought to size -> header written and synced -> (new file: folder
 *             synced) -> first group. So an unreadable header never hides records, and only the last file can have a
 *             torn end.
 * Why:        files are reserved before they are needed, because a commit must not be the one that finds the disk full;
 *             room.c refuses what has no reserved room.
 * Threads:    driver; the set is touched under the files mutex.
 * Tests:      test/unit/wal/test_wal.c, test_crash.c */
#include "wal/wal_internal.h"

enum { SPARE_SHARE = 8 }; /* the next file is made when only this part of the current one is left */

static void lock_files(Wal *wal) {
    wal->os.sched->mutex_lock(wal->os.sched, &wal->files);
}

static void unlock_files(Wal *wal) {
    wal->os.sched->mutex_unlock(wal->os.sched, &wal->files);
}

uint64_t wal__file_bytes(Wal *wal) {
    lock_files(wal);
    uint64_t quarter = wal->data_bytes / 4;
    unlock_files(wal);
    uint64_t bytes = MIN_OF(MAX_OF(quarter, wal->options.file_bytes_min), wal->options.file_bytes_max);
    return wal__align_block(bytes);
}

/* The size that is wanted; on a full disk the one it has, if that is enough. */
static ErrorCode resize(Wal *wal, File *file, uint64_t enough, uint64_t *bytes, Error *err) {
    uint64_t has = 0;
    TRY(io_size(wal->os.io, file, &has, err));
    if (has > *bytes) {
        return io_truncate(wal->os.io, file, *bytes, err);
    }
    ErrorCode code = has < *bytes ? io_allocate(wal->os.io, file, *bytes, err) : ERR_OK;
    if (code == ERR_DISK_FULL && has >= enough) {
        *bytes = has;
        return io_truncate(wal->os.io, file, has, err);
    }
    return code;
}

/* Opens (or creates) the file and gives it its size, at least enough. On error nothing stays open. */
static ErrorCode open_sized(Wal *wal, const WalFile *file, uint64_t enough, uint64_t *bytes, File **handle_out, Error *err) {
    char path[WAL_PATH_BYTES_MAX];
    wal__file_path(&wal->set, file, path);
    File *handle = NULL;
    TRY(io_open(wal->os.io, path, IO_CREATE_OR_OPEN, &handle, err));
    ErrorCode code = resize(wal, handle, enough, bytes, err);
    if (code != ERR_OK) {
        io_close(wal->os.io, handle);
        return code;
    }
    *handle_out = handle;
    return ERR_OK;
}

ErrorCode wal__open_current(Wal *wal, WalFile *file, Error *err) {
    char path[WAL_PATH_BYTES_MAX];
    wal__file_path(&wal->set, file, path);
    TRY(io_open(wal->os.io, path, IO_READ_WRITE, &wal->file, err));
    wal->current = file;
    return ERR_OK;
}

static ErrorCode sync_folder(Wal *wal, Error *err) {
    if (wal->options.plant == WAL_PLANT_NO_FOLDER_SYNC) {
        return ERR_OK;
    }
    return io_sync_folder(wal->os.io, wal->folder, err);
}

static ErrorCode write_header(Wal *wal, File *handle, const WalFileHeader *header, Error *err) {
    uint8_t block[WAL_BLOCK_BYTES];
    wal__put_file_header(block, header);
    IoVec vec = {block, sizeof block};
    TRY(io_pwritev(wal->os.io, handle, &vec, 1, 0, err));
    return io_sync(wal->os.io, handle, err);
}

ErrorCode wal__sync_current(Wal *wal, Error *err) {
    bool needed = wal->unsynced_bytes > 0;
    if (needed) {
        ErrorCode code = io_sync(wal->os.io, wal->file, err);
        if (code != ERR_OK && wal->options.plant != WAL_PLANT_SYNC_ERROR_IGNORED) {
            return code;
        }
    }
    wal->unsynced_bytes = 0;
    wal->push_from = wal->offset;
    wal->sync_deadline_nanos = INT64_MAX;
    wal__set_durable(&wal->progress, wal->written_lsn);
    wal__lock(wal);
    wal->stats.syncs += needed;
    wal__unlock(wal);
    return ERR_OK;
}

/* A spare, or a new file in the set. */
static WalFile *take_file(Wal *wal, bool *created_out) {
    lock_files(wal);
    WalFile *file = wal__files_take_spare(&wal->set);
    *created_out = file == NULL;
    int64_t room = file != NULL ? wal__spare_room(file) : 0;
    if (file == NULL) {
        file = wal__files_add(&wal->set);
        file->live = true;
    }
    unlock_files(wal);
    wal__lock(wal);
    wal->spare_bytes -= room;
    wal__unlock(wal);
    return file;
}

static void count_switch(Wal *wal, bool created) {
    wal__lock(wal);
    wal->used_bytes += wal->current != NULL ? wal->current->bytes - wal->offset : 0;
    wal->used_bytes += WAL_BLOCK_BYTES;
    wal->stats.file_switches += wal->current != NULL;
    wal->stats.files_created += created;
    wal__unlock(wal);
}

ErrorCode wal__switch_file(Wal *wal, uint64_t group_bytes, Error *err) {
    bool skip_sync = wal->options.plant == WAL_PLANT_NO_SYNC_AT_SWITCH;
    if (wal->unsynced_bytes > 0 && !skip_sync) {
        TRY(wal__sync_current(wal, err));
    }
    wal->unsynced_bytes = 0;
    uint64_t enough = WAL_BLOCK_BYTES + group_bytes;
    uint64_t bytes = MAX_OF(wal__file_bytes(wal), enough);
    bool created = false;
    WalFile *file = take_file(wal, &created);
    WalFileHeader header = {.format_version = WAL_FORMAT_VERSION,
                            .engine_id = wal->options.engine_id,
                            .salt = wal->os.rand->next(wal->os.rand),
                            .sequence = wal->current != NULL ? wal->current->header.sequence + 1 : 1,
                            .first_lsn = wal->written_lsn + 1,
                            .previous_crc = wal->last_group_crc};
    File *handle = NULL;
    TRY(open_sized(wal, file, enough, &bytes, &handle, err));
    ErrorCode code = write_header(wal, handle, &header, err);
    if (code == ERR_OK && created) {
        code = sync_folder(wal, err);
    }
    if (code != ERR_OK) {
        io_close(wal->os.io, handle);
        return code;
    }
    count_switch(wal, created);
    io_close(wal->os.io, wal->file);
    lock_files(wal);
    file->header = header;
    file->has_header = true;
    file->bytes = bytes;
    wal->current = file;
    unlock_files(wal);
    wal->file = handle;
    wal->offset = WAL_BLOCK_BYTES;
    wal->push_from = wal->offset;
    return ERR_OK;
}

/* One more spare: the name is durable, the room reserved, no header yet. */
ErrorCode wal__create_spare(Wal *wal, uint64_t bytes, Error *err) {
    lock_files(wal);
    WalFile *file = wal__files_add(&wal->set);
    file->live = true; /* nobody takes or removes it before it is there */
    unlock_files(wal);
    File *handle = NULL;
    ErrorCode code = open_sized(wal, file, bytes, &bytes, &handle, err);
    if (code == ERR_OK) {
        io_close(wal->os.io, handle);
        code = sync_folder(wal, err);
    }
    if (code == ERR_DISK_FULL) {
        char path[WAL_PATH_BYTES_MAX];
        wal__file_path(&wal->set, file, path);
        error_ignore(io_unlink(wal->os.io, path, NULL)); /* what was reserved of it is somebody else's room */
    }
    lock_files(wal);
    file->live = false;
    file->bytes = code == ERR_OK ? bytes : 0;
    if (code != ERR_OK) {
        wal__files_remove(&wal->set, file); /* an empty file may stay on disk; its name is used again */
    }
    unlock_files(wal);
    wal__lock(wal);
    wal->spare_bytes += code == ERR_OK ? (int64_t)(bytes - WAL_BLOCK_BYTES) : 0;
    wal->stats.files_created += code == ERR_OK;
    wal__unlock(wal);
    return code;
}

ErrorCode wal__create_spares(Wal *wal, Error *err) {
    while (wal->set.count < WAL_FILE_COUNT_MIN) {
        TRY(wal__create_spare(wal, wal__file_bytes(wal), err));
    }
    return ERR_OK;
}

static bool spare_is_due(Wal *wal) {
    if (wal->offset < wal->current->bytes - wal->current->bytes / SPARE_SHARE) {
        return false;
    }
    bool has_spare = false;
    lock_files(wal);
    for (uint32_t i = 0; i < wal->set.count; i++) {
        has_spare = has_spare || !wal->set.files[i]->live;
    }
    bool room = wal->set.count < WAL_FILES_MAX && wal__files_bytes(&wal->set) < wal->options.log_bytes_max;
    unlock_files(wal);
    return !has_spare && room;
}

ErrorCode wal__prepare_spare(Wal *wal, Error *err) {
    if (!spare_is_due(wal)) {
        return ERR_OK;
    }
    Error full;
    ErrorCode code = wal__create_spare(wal, wal__file_bytes(wal), &full);
    if (code != ERR_OK && code != ERR_DISK_FULL && err != NULL) {
        *err = full;
    }
    return code == ERR_DISK_FULL ? ERR_OK : code;
}

/* Files below below_lsn become spares; spares beyond the usual number leave the set. Their names go to removed. */
static uint64_t free_files(Wal *wal, Lsn below_lsn, Buffer *removed, int64_t *room_out) {
    uint64_t freed_bytes = 0;
    WalFileSet *set = &wal->set;
    for (uint32_t i = 0; i < set->count; i++) {
        WalFile *file = set->files[i];
        const WalFile *next = file->live ? wal__files_by_sequence(set, file->header.sequence + 1) : NULL;
        bool planted = wal->options.plant == WAL_PLANT_RECYCLE_TOO_MUCH && file != wal->current;
        bool all_below = next != NULL && file->has_header && (next->header.first_lsn <= below_lsn || planted);
        if (all_below) {
            file->live = false;
            freed_bytes += file->bytes;
            *room_out += wal__spare_room(file);
        }
    }
    for (uint32_t i = set->count; i-- > 0 && set->count > WAL_FILE_COUNT_MIN;) {
        WalFile *file = set->files[i];
        if (!file->live) {
            char path[WAL_PATH_BYTES_MAX];
            wal__file_path(set, file, path);
            buffer_append(removed, path, strlen(path) + 1);
            *room_out -= wal__spare_room(file);
            wal__files_remove(set, file);
        }
    }
    return freed_bytes;
}

ErrorCode wal_recycle(Wal *wal, Lsn below_lsn, Error *err) {
    Buffer removed;
    buffer_init(&removed, (size_t)WAL_FILES_MAX * WAL_PATH_BYTES_MAX);
    lock_files(wal);
    int64_t room = 0;
    uint64_t freed_bytes = free_files(wal, below_lsn, &removed, &room);
    uint64_t removed_count = 0;
    ErrorCode code = ERR_OK;
    /* Unlinked under the files mutex: a name must not be used again before it is gone. Only a switch can wait for
     * it. */
    for (size_t at = 0; at < removed.len && code == ERR_OK; at += strlen((char *)removed.data + at) + 1) {
        code = io_unlink(wal->os.io, (const char *)removed.data + at, err);
        removed_count++;
    }
    unlock_files(wal);
    buffer_deinit(&removed);
    wal__lock(wal);
    wal->used_bytes -= freed_bytes;
    wal->spare_bytes += room;
    wal->stats.files_removed += removed_count;
    wal__unlock(wal);
    return code;
}

void wal_set_data_bytes(Wal *wal, uint64_t data_bytes) {
    lock_files(wal);
    wal->data_bytes = data_bytes;
    unlock_files(wal);
}
