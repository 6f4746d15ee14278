/* SPDX-License-Identifier: Apache-2.0
 * wal_internal.h - structs of the log, shared by its files.
 *
 * Owners:     fields of Wal are grouped by who may touch them: the append mutex, the files mutex, or the driver. The
 *             driver is the one thread that has set `driving`: the log thread or a waiting one.
 * Locks:      append and files are never held together. No I/O happens under append; wal_recycle unlinks under the
 *             files mutex. */
#pragma once
#include "base/hash.h"
#include "wal/wal.h"
#include "wal/wal_progress.h"

enum {
    WAL_BLOCK_BYTES = 4096,
    WAL_GROUP_HEADER_BYTES = 64,
    WAL_RECORD_HEADER_BYTES = 40,
    WAL_PATH_BYTES_MAX = 256,
    WAL_FILES_MAX = 4096,
    WAL_FORMAT_VERSION = 1,
    WAL_UNSYNCED_BYTES_MAX = 16 << 20, /* synced then whatever the durability; bounds what recovery must look through */
    WAL_TAIL_BYTES = WAL_UNSYNCED_BYTES_MAX + 2 * WAL_GROUP_BYTES_MAX
};

static inline uint64_t wal__align_block(uint64_t bytes) {
    return (bytes + WAL_BLOCK_BYTES - 1) & ~(uint64_t)(WAL_BLOCK_BYTES - 1);
}
static inline uint64_t wal__align_record(uint64_t bytes) {
    return (bytes + 7) & ~UINT64_C(7);
}

/* ---- format.c: structs <-> bytes ---- */
typedef struct WalGroupHeader {
    uint64_t salt;
    Lsn first_lsn, durable_below;
    uint32_t bytes, records, nonce;
    uint32_t crc; /* set by put and get */
} WalGroupHeader;
typedef struct WalRecordHeader {
    uint32_t body_bytes, body_crc, term;
    Lsn lsn;
    int64_t wall_micros;
    uint16_t kind, flags;
} WalRecordHeader;
void wal__put_file_header(uint8_t out[WAL_BLOCK_BYTES], const WalFileHeader *header);
/* valid_out false: not a header (an unused or torn one). An error only for a later format version. */
NODISCARD ErrorCode wal__get_file_header(const uint8_t in[WAL_BLOCK_BYTES], const char *path, WalFileHeader *header_out,
                                         bool *valid_out, Error *err);
void wal__put_group_header(uint8_t out[WAL_GROUP_HEADER_BYTES], WalGroupHeader *header);
bool wal__get_group_header(const uint8_t in[WAL_GROUP_HEADER_BYTES], WalGroupHeader *header_out);
/* magic and salt, crc not looked at */
bool wal__has_group_mark(const uint8_t in[WAL_GROUP_HEADER_BYTES], uint64_t salt);
void wal__put_record_header(uint8_t out[WAL_RECORD_HEADER_BYTES], const WalRecordHeader *header, uint32_t group_crc);
bool wal__get_record_header(const uint8_t in[WAL_RECORD_HEADER_BYTES], uint32_t group_crc, WalRecordHeader *header_out);
ErrorCode wal__damaged(Error *err, const char *path, uint64_t offset, const char *what);

/* ---- files.c: the files of one folder ---- */
typedef struct WalFile {
    uint32_t number;      /* of its name */
    uint64_t bytes;
    bool live;            /* holds records that may be needed; otherwise a spare */
    bool has_header;      /* header below was read or written */
    WalFileHeader header;
} WalFile;
typedef struct WalFileSet {
    Io *io;
    const char *folder;
    WalFile **files;      /* owned; sorted by sequence after wal__files_load, later in no order */
    uint32_t count, capacity;
} WalFileSet;
void wal__file_path(const WalFileSet *set, const WalFile *file, char path_out[WAL_PATH_BYTES_MAX]);
void wal__files_init(WalFileSet *set, Io *io, const char *folder);
void wal__files_deinit(WalFileSet *set);
NODISCARD ErrorCode wal__files_load(WalFileSet *set, Error *err);
WalFile *wal__files_add(WalFileSet *set); /* with an unused number; not on disk yet */
void wal__files_remove(WalFileSet *set, WalFile *file);
WalFile *wal__files_by_sequence(const WalFileSet *set, uint64_t sequence);
WalFile *wal__files_take_spare(WalFileSet *set); /* NULL if none; stays in the set, live */
uint64_t wal__files_bytes(const WalFileSet *set);

/* ---- reader.c ---- */
NODISCARD ErrorCode wal__reader_open(Io *io, const char *path, WalPlant plant, WalReader **reader_out, Error *err);
/* Like wal_reader_next_group, but an unreadable group is simply the end: the caller looks further. */
NODISCARD ErrorCode wal__reader_step(WalReader *reader, WalGroup *group_out, bool *found_out, Error *err);
/* Like wal_reader_next_group; at the end, offsets (u64le) of later blocks that bear this file's mark are appended to
 * stale (may be NULL). */
NODISCARD ErrorCode wal__reader_next(WalReader *reader, Buffer *stale, WalGroup *group_out, bool *found_out,
                                     Error *err);
/* For a file without header: ERR_DAMAGED if it has a group that begins at or above next_lsn. */
NODISCARD ErrorCode wal__check_headless(Io *io, const char *path, Lsn next_lsn, Error *err);
uint64_t wal__reader_offset(const WalReader *reader);
Lsn wal__reader_next_lsn(const WalReader *reader);
uint32_t wal__reader_last_crc(const WalReader *reader);

/* ---- replay.c ---- */
typedef struct WalReplay {
    WalFileSet *set;
    uint64_t engine_id; /* 0 = any */
    Lsn replay_from;
    WalRedo redo; /* may be NULL */
    void *context;
    WalPlant plant;
    /* results */
    bool empty;    /* no file with a header: nothing was replayed */
    WalFile *last; /* the file to go on in */
    uint64_t offset;
    Lsn next_lsn;
    uint32_t last_group_crc;
    int64_t last_wall_micros;
    Buffer stale; /* u64le offsets in `last` */
    uint64_t records, bytes;
} WalReplay;
/* Call wal__replay_deinit afterwards. Files that belong to the log become live, the others stay spares. */
NODISCARD ErrorCode wal__replay(WalReplay *replay, Error *err);
void wal__replay_deinit(WalReplay *replay);

/* ---- the open log ---- */
typedef struct WalNode {
    struct WalNode *next;
    WalRecordHeader header;
    WalDurability durability;
    bool waits;
    uint32_t interval_ms;
    void *publish_context;
    WalComplete complete;
    void *complete_context;
    uint32_t part_count; /* > 0: the body is referenced by parts; 0: it follows the node */
    uint8_t *body;
    IoVec parts[];
} WalNode;
typedef struct WalQueue {
    WalNode *head, *tail;
} WalQueue;

struct Wal {
    Os os;
    WalOptions options; /* defaults filled in; constant after open */
    char folder[WAL_PATH_BYTES_MAX];
    Task *task; /* the log thread, NULL in inline mode */
    WalProgress progress;

    Mutex append; /* guards this block */
    Cond work;    /* the log thread waits here */
    Cond moved;   /* progress was made, or the log died: waiters and blocked appenders */
    WalQueue queue;
    Lsn next_lsn;
    Lsn sync_wanted; /* wal_sync: durable up to here, please */
    int64_t last_wall_micros;
    uint32_t term;
    uint32_t waiters;
    uint32_t unattended;  /* queued records for which no thread waits: the log thread's */
    uint64_t queue_bytes; /* of records not yet published */
    uint64_t queue_room;  /* what those records take in files at most */
    uint64_t used_bytes;  /* of live files, up to the write position */
    uint64_t tail_bytes;  /* left in the current file */
    int64_t spare_bytes;  /* left in spares; two threads may count the same spare in the wrong order for a moment */
    bool closing, driving;
    bool idle;   /* the log thread waits on `work` */
    Error cause; /* why the log died; valid once progress.failed is set */
    WalStats stats;

    Mutex files; /* guards the set and the wish for the size of files */
    WalFileSet set;
    uint64_t data_bytes;

    /* Driver only. */
    WalFile *current;
    File *file; /* handle of current */
    uint64_t offset;
    uint64_t unsynced_bytes; /* written to current since its last sync */
    uint64_t push_from;      /* write-back was started below this offset */
    Lsn written_lsn;
    uint32_t nonce, last_group_crc;
    int64_t sync_deadline_nanos; /* INT64_MAX = none */
    bool appended;               /* since open: wal_close then writes a seal */
    uint8_t *group;              /* group buffer, 64-byte aligned */
    size_t group_capacity;
    IoVec *vecs;
    size_t vec_capacity;
};

static inline void wal__lock(Wal *wal) {
    wal->os.sched->mutex_lock(wal->os.sched, &wal->append);
}
static inline void wal__unlock(Wal *wal) {
    wal->os.sched->mutex_unlock(wal->os.sched, &wal->append);
}

/* ---- switch.c: the driver's current file ---- */
/* Calls below are the driver's, or wal_open's and wal_close's. */
NODISCARD ErrorCode wal__open_current(Wal *wal, WalFile *file, Error *err);
NODISCARD ErrorCode wal__switch_file(Wal *wal, uint64_t group_bytes, Error *err);
NODISCARD ErrorCode wal__create_spares(Wal *wal, Error *err);
NODISCARD ErrorCode wal__prepare_spare(Wal *wal, Error *err); /* makes one early when the current file is nearly full */
NODISCARD ErrorCode wal__sync_current(Wal *wal, Error *err);  /* everything written becomes durable */
uint64_t wal__file_bytes(Wal *wal);                           /* size of the next file */

/* ---- room.c: no record is taken for which there may be no room in a file ---- */
/* What a record of so many bytes takes at most, as a group of its own. */
uint64_t wal__record_room(uint64_t body_bytes);
/* With the append mutex held, which may be released meanwhile. ERR_DISK_FULL, ERR_LIMIT_EXCEEDED (log_bytes_max). */
NODISCARD ErrorCode wal__secure_room(Wal *wal, uint64_t record_room, bool urgent, Error *err);
int64_t wal__spare_room(const WalFile *file);
NODISCARD ErrorCode wal__create_spare(Wal *wal, uint64_t bytes, Error *err); /* any thread, no mutex held */

/* ---- group.c, drive.c ---- */
/* Writes as many records of list as fit one group and sets *rest_out to the first that is not in it. */
NODISCARD ErrorCode wal__write_group(Wal *wal, WalNode *list, WalNode **rest_out, Error *err);
NODISCARD ErrorCode wal__write_seal(Wal *wal, Error *err);
/* With the append mutex held and not driving: takes all that is pending, releases the mutex, works, takes it again. */
void wal__drive(Wal *wal);
void wal__log_thread(void *wal);
/* With the append mutex held: moves something, or blocks until somebody moved it. */
void wal__wait_for_move(Wal *wal);
bool wal__has_work(Wal *wal); /* append mutex held, nobody driving */
void wal__node_free(WalNode *node);
