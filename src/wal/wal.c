/* SPDX-License-Identifier: Apache-2.0
 * wal.c - open, close and the getters of the log.
 *
 * Why:        after replay the file is synced before the first record is published: after kill -9 the records that were
 *             just replayed may be in the page cache only, and readers are about to see them.
 * Threads:    wal_open and wal_close run alone.
 * Tests:      test/unit/wal/test_wal.c, test_crash.c */
#include "wal/wal_internal.h"

/* The smallest file holds the largest group. */
enum { FILE_BYTES_MIN_DEFAULT = (4 << 20) + (64 << 10), FILE_BYTES_MAX_DEFAULT = 64 << 20, INTERVAL_MS_DEFAULT = 200 };
#define LOG_BYTES_MAX_DEFAULT (UINT64_C(1) << 30)

static uint64_t or_default(uint64_t value, uint64_t standard) {
    return value != 0 ? value : standard;
}

static Wal *wal_create(Os os, const WalOptions *options) {
    Wal *wal = mem_calloc(1, sizeof *wal);
    wal->os = os;
    wal->options = *options;
    WalOptions *set = &wal->options;
    set->replay_from = or_default(set->replay_from, 1);
    set->file_bytes_min = or_default(set->file_bytes_min, FILE_BYTES_MIN_DEFAULT);
    set->file_bytes_max = MAX_OF(or_default(set->file_bytes_max, FILE_BYTES_MAX_DEFAULT), set->file_bytes_min);
    set->log_bytes_max = or_default(set->log_bytes_max, LOG_BYTES_MAX_DEFAULT);
    set->interval_ms = (uint32_t)or_default(set->interval_ms, INTERVAL_MS_DEFAULT);
    const char *folder = set->folder != NULL ? set->folder : "wal";
    assert(strlen(folder) + 16 < WAL_PATH_BYTES_MAX);
    memcpy(wal->folder, folder, strlen(folder) + 1);
    wal->term = set->term;
    wal->sync_deadline_nanos = INT64_MAX;
    os.sched->mutex_init(os.sched, &wal->append);
    os.sched->mutex_init(os.sched, &wal->files);
    os.sched->cond_init(os.sched, &wal->work);
    os.sched->cond_init(os.sched, &wal->moved);
    wal__files_init(&wal->set, os.io, wal->folder);
    return wal;
}

static void wal_destroy(Wal *wal) {
    Sched *sched = wal->os.sched;
    io_close(wal->os.io, wal->file);
    wal__files_deinit(&wal->set);
    mem_free(wal->group);
    mem_free(wal->vecs);
    sched->cond_deinit(sched, &wal->moved);
    sched->cond_deinit(sched, &wal->work);
    sched->mutex_deinit(sched, &wal->files);
    sched->mutex_deinit(sched, &wal->append);
    mem_free(wal);
}

/* ---- open ---- */

/* The folder's own name. */
static ErrorCode sync_parent(Wal *wal, Error *err) {
    char parent[WAL_PATH_BYTES_MAX] = ".";
    const char *slash = strrchr(wal->folder, '/');
    if (slash != NULL) {
        memcpy(parent, wal->folder, (size_t)(slash - wal->folder));
        parent[slash - wal->folder] = '\0';
    }
    return io_sync_folder(wal->os.io, parent, err);
}

static ErrorCode begin_new_log(Wal *wal, Error *err) {
    if (!wal->options.may_create) {
        ErrorCode code = wal->set.count == 0 ? ERR_FILE_MISSING : ERR_DAMAGED;
        return error_set(err, code, ERROR_NO_POSITION, "there is no readable log file in %s", wal->folder);
    }
    TRY(wal__switch_file(wal, WAL_BLOCK_BYTES, err));
    return sync_parent(wal, err);
}

/* Groups beyond the end would follow new ones of the same LSNs; their marks are wiped. */
static ErrorCode erase_tail(Wal *wal, const Buffer *stale, Error *err) {
    static const uint8_t ZEROS[WAL_BLOCK_BYTES];
    if (wal->options.plant == WAL_PLANT_NO_ERASE) {
        return ERR_OK;
    }
    for (size_t i = 0; i + sizeof(uint64_t) <= stale->len; i += sizeof(uint64_t)) {
        IoVec vec = {ZEROS, sizeof ZEROS};
        TRY(io_pwritev(wal->os.io, wal->file, &vec, 1, get_u64le(stale->data + i), err));
    }
    return ERR_OK;
}

static ErrorCode go_on(Wal *wal, const WalReplay *replay, Error *err) {
    TRY(buffer_check(&replay->stale, err));
    TRY(wal__open_current(wal, replay->last, err));
    wal->offset = replay->offset;
    wal->push_from = replay->offset;
    wal->last_group_crc = replay->last_group_crc;
    TRY(erase_tail(wal, &replay->stale, err));
    return io_sync(wal->os.io, wal->file, err);
}

static void set_position(Wal *wal, const WalReplay *replay) {
    Lsn last = replay->next_lsn - 1;
    wal->next_lsn = replay->next_lsn;
    wal->written_lsn = last;
    wal__set_published(&wal->progress, last);
    wal__set_durable(&wal->progress, last);
    wal->last_wall_micros = replay->last_wall_micros;
    wal->stats.replayed_records = replay->records;
    wal->stats.replayed_bytes = replay->bytes;
    wal->stats.written_bytes = replay->bytes + replay->records * WAL_RECORD_HEADER_BYTES;
    wal->nonce = (uint32_t)wal->os.rand->next(wal->os.rand);
}

static uint64_t bytes_in_use(const Wal *wal) {
    uint64_t bytes = wal->offset;
    for (uint32_t i = 0; i < wal->set.count; i++) {
        const WalFile *file = wal->set.files[i];
        bytes += file->live && file != wal->current ? file->bytes : 0;
    }
    return bytes;
}

static ErrorCode open_files(Wal *wal, WalReplay *replay, Error *err) {
    TRY(io_make_folder(wal->os.io, wal->folder, err));
    TRY(wal__replay(replay, err));
    set_position(wal, replay);
    TRY(replay->empty ? begin_new_log(wal, err) : go_on(wal, replay, err));
    wal->used_bytes = bytes_in_use(wal);
    wal->tail_bytes = wal->current->bytes - wal->offset;
    for (uint32_t i = 0; i < wal->set.count; i++) {
        wal->spare_bytes += wal->set.files[i]->live ? 0 : wal__spare_room(wal->set.files[i]);
    }
    return wal__create_spares(wal, err);
}

ErrorCode wal_open(Os os, const WalOptions *options, Wal **wal_out, Error *err) {
    Wal *wal = wal_create(os, options);
    WalReplay replay = {.set = &wal->set,
                        .engine_id = options->engine_id,
                        .replay_from = wal->options.replay_from,
                        .redo = options->redo,
                        .context = options->context,
                        .plant = options->plant};
    ErrorCode code = open_files(wal, &replay, err);
    wal__replay_deinit(&replay);
    if (code == ERR_OK && !options->inline_mode) {
        code = os.sched->task_start(os.sched, "log", wal__log_thread, wal, false, &wal->task, err);
    }
    if (code != ERR_OK) {
        wal_destroy(wal);
        return code;
    }
    *wal_out = wal;
    return ERR_OK;
}

/* ---- close ---- */

static void stop(Wal *wal) {
    wal__lock(wal);
    wal->closing = true;
    while (wal->options.inline_mode && wal__has_work(wal)) {
        wal__drive(wal);
    }
    wal->os.sched->cond_signal(wal->os.sched, &wal->work);
    wal__unlock(wal);
    if (wal->task != NULL) {
        wal->os.sched->task_join(wal->os.sched, wal->task);
    }
}

/* Everything acknowledged is safe by its own mode; a failure here only costs the weaker modes' last interval. */
static void seal(Wal *wal) {
    Error ignored;
    if (wal__is_failed(&wal->progress) || !wal->appended) {
        return;
    }
    bool synced = wal__sync_current(wal, &ignored) == ERR_OK;
    ErrorCode code = synced ? wal__write_seal(wal, &ignored) : ERR_OK;
    (void)code;
}

void wal_close(Wal *wal) {
    if (wal == NULL) {
        return;
    }
    stop(wal);
    seal(wal);
    wal_destroy(wal);
}

/* ---- getters ---- */

void wal_set_term(Wal *wal, uint32_t term) {
    wal__lock(wal);
    wal->term = term;
    wal__unlock(wal);
}

Lsn wal_last_lsn(Wal *wal) {
    wal__lock(wal);
    Lsn lsn = wal->next_lsn - 1;
    wal__unlock(wal);
    return lsn;
}

Lsn wal_published_lsn(const Wal *wal) {
    return wal__published(&wal->progress);
}

Lsn wal_durable_lsn(const Wal *wal) {
    return wal__durable(&wal->progress);
}

bool wal_failed(const Wal *wal) {
    return wal__is_failed(&wal->progress);
}

void wal_stats(Wal *wal, WalStats *stats_out) {
    uint64_t file_bytes = wal__file_bytes(wal);
    wal->os.sched->mutex_lock(wal->os.sched, &wal->files);
    uint64_t log_bytes = wal__files_bytes(&wal->set);
    uint32_t file_count = wal->set.count;
    wal->os.sched->mutex_unlock(wal->os.sched, &wal->files);
    wal__lock(wal);
    *stats_out = wal->stats;
    stats_out->queue_bytes = wal->queue_bytes;
    wal__unlock(wal);
    stats_out->file_bytes = file_bytes;
    stats_out->log_bytes = log_bytes;
    stats_out->file_count = file_count;
}
