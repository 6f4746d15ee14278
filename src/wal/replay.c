/* SPDX-License-Identifier: Apache-2.0
 * replay.c - put the files of the folder in order, hand every record from replay_from on to redo, find the end.
 *
 * States:     files sorted by sequence -> the last whose first LSN is <= replay_from is the start -> each file up to
 *             its end; the next must begin exactly there -> the end of the last file is the end of the log.
 * Why:        a file is synced whole before the next one's header is written, so a gap between files is damage, and
 *             only the last file can have a torn end.
 * Invariants: redo sees LSNs without gaps, each once, only from groups that are whole.
 * Threads:    runs alone, inside wal_open or wal_check_folder.
 * Tests:      test/unit/wal/test_wal.c, test_crash.c */
#include "wal/wal_internal.h"

static ErrorCode check_headers(WalReplay *replay, uint32_t *start_out, Error *err) {
    const WalFileSet *set = replay->set;
    bool found = false, any = false;
    char path[WAL_PATH_BYTES_MAX];
    for (uint32_t i = 0; i < set->count; i++) {
        const WalFile *file = set->files[i];
        if (!file->has_header) {
            continue;
        }
        any = true;
        wal__file_path(set, file, path);
        if (replay->engine_id != 0 && file->header.engine_id != replay->engine_id) {
            return wal__damaged(err, path, 0, "it belongs to another database");
        }
        if (file->header.first_lsn <= replay->replay_from) {
            *start_out = i;
            found = true;
        }
    }
    replay->empty = !any;
    if (any && !found) {
        return error_set(err, ERR_DAMAGED, 0, "the log in %s begins after LSN %llu, where the newest checkpoint ends",
                         set->folder, (unsigned long long)replay->replay_from);
    }
    return ERR_OK;
}

static ErrorCode replay_group(WalReplay *replay, WalReader *reader, Error *err) {
    WalRecord record;
    Lsn from = replay->replay_from + (replay->plant == WAL_PLANT_SKIP_FIRST);
    while (wal_reader_next_record(reader, &record)) {
        if (record.lsn < from) {
            continue;
        }
        replay->last_wall_micros = record.wall_micros;
        replay->records++;
        replay->bytes += record.body.len;
        if (replay->redo != NULL) {
            TRY(replay->redo(replay->context, &record, err));
        }
    }
    return ERR_OK;
}

static ErrorCode check_place(const WalReplay *replay, const WalFile *file, const char *path, Error *err) {
    const WalFile *before = replay->last;
    if (before == NULL) {
        return ERR_OK;
    }
    if (file->header.sequence != before->header.sequence + 1) {
        return wal__damaged(err, path, 0, "the file before it in the log is missing");
    }
    if (file->header.first_lsn != replay->next_lsn || file->header.previous_crc != replay->last_group_crc) {
        char before_path[WAL_PATH_BYTES_MAX];
        wal__file_path(replay->set, before, before_path);
        return wal__damaged(err, before_path, replay->offset, "the next file of the log does not begin where it ends");
    }
    return ERR_OK;
}

static ErrorCode replay_groups(WalReplay *replay, WalReader *reader, bool is_last, Error *err) {
    for (;;) {
        WalGroup group;
        bool found = false;
        TRY(is_last ? wal__reader_next(reader, &replay->stale, &group, &found, err)
                    : wal__reader_step(reader, &group, &found, err));
        if (!found) {
            return ERR_OK;
        }
        TRY(replay_group(replay, reader, err));
    }
}

static ErrorCode replay_file(WalReplay *replay, WalFile *file, bool is_last, Error *err) {
    char path[WAL_PATH_BYTES_MAX];
    wal__file_path(replay->set, file, path);
    TRY(check_place(replay, file, path, err));
    WalReader *reader = NULL;
    TRY(wal__reader_open(replay->set->io, path, replay->plant, &reader, err));
    ErrorCode code = replay_groups(replay, reader, is_last, err);
    replay->last = file;
    replay->offset = wal__reader_offset(reader);
    replay->next_lsn = wal__reader_next_lsn(reader);
    if (wal__reader_last_crc(reader) != 0) {
        replay->last_group_crc = wal__reader_last_crc(reader);
    } else {
        replay->last_group_crc = file->header.previous_crc; /* a file without a group hands on what it was told */
    }
    file->live = true;
    wal_reader_close(reader);
    return code;
}

/* Files right before the start stay live until wal_recycle says otherwise: an older checkpoint may need them. */
static void keep_older_files(const WalReplay *replay, uint32_t start) {
    WalFile **files = replay->set->files;
    for (uint32_t i = start; i > 0; i--) {
        bool follows = files[i - 1]->has_header && files[i - 1]->header.sequence + 1 == files[i]->header.sequence;
        if (!follows) {
            return;
        }
        files[i - 1]->live = true;
    }
}

/* A header that cannot be read belongs to a file never used, torn while it was made the next one, or damaged. */
static ErrorCode check_headless_files(const WalReplay *replay, Error *err) {
    for (uint32_t i = 0; i < replay->set->count; i++) {
        const WalFile *file = replay->set->files[i];
        if (!file->has_header && file->bytes > WAL_BLOCK_BYTES && replay->plant != WAL_PLANT_DAMAGE_IS_END) {
            char path[WAL_PATH_BYTES_MAX];
            wal__file_path(replay->set, file, path);
            TRY(wal__check_headless(replay->set->io, path, replay->next_lsn, err));
        }
    }
    return ERR_OK;
}

static ErrorCode replay_all(WalReplay *replay, Error *err) {
    uint32_t start = 0;
    TRY(check_headers(replay, &start, err));
    replay->next_lsn = replay->replay_from;
    if (!replay->empty) {
        for (uint32_t i = start; i < replay->set->count; i++) {
            TRY(replay_file(replay, replay->set->files[i], i + 1 == replay->set->count, err));
        }
        keep_older_files(replay, start);
        if (replay->next_lsn < replay->replay_from) {
            char path[WAL_PATH_BYTES_MAX];
            wal__file_path(replay->set, replay->last, path);
            return wal__damaged(err, path, replay->offset, "the log ends before the newest checkpoint");
        }
    }
    return check_headless_files(replay, err);
}

ErrorCode wal__replay(WalReplay *replay, Error *err) {
    assert(replay->replay_from > 0);
    buffer_init(&replay->stale, WAL_TAIL_BYTES / WAL_BLOCK_BYTES * sizeof(uint64_t) + sizeof(uint64_t));
    TRY(wal__files_load(replay->set, err));
    return replay_all(replay, err);
}

void wal__replay_deinit(WalReplay *replay) {
    buffer_deinit(&replay->stale);
}

ErrorCode wal_check_folder(Os os, const char *folder, Lsn replay_from, uint64_t *records_out, Lsn *last_lsn_out,
                           Error *err) {
    WalFileSet set;
    wal__files_init(&set, os.io, folder != NULL ? folder : "wal");
    WalReplay replay = {.set = &set, .replay_from = replay_from == 0 ? 1 : replay_from};
    ErrorCode code = wal__replay(&replay, err);
    if (code == ERR_OK && replay.empty) {
        code = error_set(err, ERR_FILE_MISSING, ERROR_NO_POSITION, "there is no log in %s", set.folder);
    }
    if (code == ERR_OK && records_out != NULL) {
        *records_out = replay.records;
    }
    if (code == ERR_OK && last_lsn_out != NULL) {
        *last_lsn_out = replay.next_lsn - 1;
    }
    wal__replay_deinit(&replay);
    wal__files_deinit(&set);
    return code;
}
