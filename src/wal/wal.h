/* SPDX-License-Identifier: Apache-2.0
 * wal.h - the log: opaque records in one order, written in groups, acknowledged by tickets, replayed after a crash.
 *
 * Model:      an LSN is the number of a record; the first is 1; there are no gaps. The log knows no meaning of a
 *             record: kind, flags and body belong to the caller. docs/format/wal.md fixes the bytes.
 * Life cycle: wal_open (replays) -> wal_append / wal_wait / wal_recycle ... -> wal_close. Before wal_open returns, only
 *             redo is called.
 * Progress:   a record is assigned (has its LSN), written (the operating system has it), durable (the device has it),
 *             published (its publish callback has run; wal_published_lsn >= its LSN). Publishing goes in LSN order
 *             without exception. A WAL_COMMIT record is published once it and everything before it is durable;
 *             WAL_INTERVAL and WAL_OFF records once they are written, unless an earlier WAL_COMMIT record is not
 *             durable yet: then they wait for it.
 * Threads:    one driver at a time writes, syncs, publishes: the log thread (a task of os.sched), or a thread inside
 *             wal_wait, wal_flush or wal_sync that finds no driver: it would only sleep, and a hand-over costs more
 *             than the work. In inline mode there is no log thread. wal_append, wal_wait and all getters may be called
 *             by any thread; a waiting thread must hold no lock that the callbacks take.
 * Failure:    after a failed write or sync the log is dead: nothing is published any more, waiters get
 *             ERR_UNKNOWN_OUTCOME, appends ERR_IO, and the failed callback runs once. Only a restart helps; a sync is
 *             never repeated.
 * Limits:     WAL_BODY_BYTES_MAX a record, WAL_GROUP_BYTES_MAX a group, WAL_QUEUE_BYTES_MAX pending (then wal_append
 *             blocks), log_bytes_max. */
#pragma once
#include "os/os.h"

typedef uint64_t Lsn; /* 0 = none */

enum {
    WAL_FILE_COUNT_MIN = 3,
    WAL_BODY_BYTES_MAX = 4 << 20,   /* larger bodies go to a file of their own, which the record then names */
    WAL_GROUP_BYTES_MAX = 4 << 20,
    WAL_QUEUE_BYTES_MAX = 64 << 20,
    WAL_PARTS_MAX = 64              /* IoVecs of one body */
};

/* From weak to strong, so that the stronger of two is the larger. */
typedef enum WalDurability { WAL_OFF, WAL_INTERVAL, WAL_COMMIT } WalDurability;

typedef struct WalRecord {
    Lsn lsn;
    int64_t wall_micros;  /* when it was appended; never smaller than that of the record before */
    uint32_t term;
    uint16_t kind, flags; /* the caller's; a kind that must be understood and is not is refused by redo */
    Bytes body;           /* 8-byte aligned, valid during the call only */
} WalRecord;

/* Redo must be repeatable. Its error ends wal_open with that error. */
typedef ErrorCode (*WalRedo)(void *context, const WalRecord *record, Error *err);
/* Called in LSN order, before wal_published_lsn reaches lsn and before the record's ticket is done. Must not block
 * and must not call wal_wait. */
typedef void (*WalPublish)(void *context, Lsn lsn, void *publish_context);
/* After the last publish of a group: all up to lsn are published and their tickets done. The place to wake event
 * loops, once per group. */
typedef void (*WalGroupDone)(void *context, Lsn lsn);
typedef void (*WalFailed)(void *context, const Error *cause);
/* For one record: ERR_OK after it was published, ERR_UNKNOWN_OUTCOME when the log died. Runs in the driver. */
typedef void (*WalComplete)(void *complete_context, Lsn lsn, ErrorCode outcome);
/* For one record, under the append mutex, right after the LSN was given; O(1), no locks, no calls into wal. */
typedef void (*WalAssigned)(void *assigned_context, Lsn lsn);

/* Faults put in on purpose by tests that must find them (0 = none). */
#define WAL_PLANTS(X)                                                                                                  \
    X(SKIP_SYNC)            /* commit records are published without a sync */                                          \
    X(PUBLISH_EARLY)        /* published before the sync returns */                                                    \
    X(SYNC_ERROR_IGNORED)   /* a failed sync is taken for a good one */                                                \
    X(DURABLE_BELOW_EARLY)  /* a group claims that what lies before it is durable when it is only written */           \
    X(NO_ERASE)             /* groups beyond the end stay in the file after recovery */                                \
    X(NO_FOLDER_SYNC)       /* a new file's name is not made durable */                                                \
    X(REWRITE_HEADER)       /* a block that was synced (the file's header) is written again with each group */         \
    X(NO_BODY_CRC)          /* replay does not check bodies */                                                         \
    X(NO_SYNC_AT_SWITCH)    /* the old file is not synced before the next one begins */                                \
    X(RECYCLE_TOO_MUCH)     /* the file that holds below_lsn is recycled too */                                        \
    X(SKIP_FIRST)           /* replay begins one record too late */                                                    \
    X(DAMAGE_IS_END)        /* a damaged group below a durable one is taken for the end */
typedef enum WalPlant {
    WAL_PLANT_NONE,
#define X(name) WAL_PLANT_##name,
    WAL_PLANTS(X)
#undef X
        WAL_PLANT_COUNT
} WalPlant;

typedef struct WalOptions {
    const char *folder;          /* NULL = "wal"; made if missing */
    uint64_t engine_id;          /* identity of the database; a log of another one is ERR_DAMAGED */
    Lsn replay_from;             /* first record that redo gets: newest checkpoint + 1; 0 = 1 */
    bool may_create;             /* an empty folder starts a new log at replay_from; otherwise it is ERR_FILE_MISSING */
    bool inline_mode;            /* no log thread */
    uint64_t file_bytes_min;     /* 0 = 4 MiB and a little */
    uint64_t file_bytes_max;     /* 0 = 64 MiB */
    uint64_t log_bytes_max;      /* 0 = 1 GiB; all files together; beyond it only urgent records are taken */
    uint32_t interval_ms;        /* 0 = 200: for WAL_INTERVAL records that name none */
    uint32_t term;               /* written into records */
    WalPlant plant;
    WalRedo redo;                /* NULL only if nothing is to be replayed */
    WalPublish publish;          /* may be NULL */
    WalGroupDone group_done;     /* may be NULL */
    WalFailed failed;            /* may be NULL */
    void *context;               /* first argument of the four */
} WalOptions;

typedef struct Wal Wal;

/* Opens or creates the log, replays, and is ready for records. *wal_out is set only on success; free with wal_close.
 * ERR_DAMAGED names file and offset: a record that was durable cannot be read. ERR_NEWER_FORMAT: a file of a later
 * version. */
NODISCARD ErrorCode wal_open(Os os, const WalOptions *options, Wal **wal_out, Error *err);
/* Writes, syncs and publishes what is pending, then frees. No other call may be running. wal_close(NULL) is fine. */
void wal_close(Wal *wal);

typedef struct WalAppend {
    const IoVec *parts;          /* the body in pieces; at most WAL_PARTS_MAX, together at most WAL_BODY_BYTES_MAX */
    int part_count;
    uint16_t kind, flags;
    WalDurability durability;
    uint32_t interval_ms;        /* WAL_INTERVAL: sync within this time; 0 = the log's default */
    bool urgent;                 /* taken beyond log_bytes_max and when the disk is full: for records that free space */
    /* parts stay valid and unchanged until the record is published (or failed): saves a copy of large bodies */
    bool referenced;
    bool waits;                  /* this thread calls wal_wait for it very soon: the log thread is not woken */
    void *publish_context;
    WalAssigned assigned;        /* may be NULL */
    void *assigned_context;
    WalComplete complete;        /* may be NULL */
    void *complete_context;
} WalAppend;

typedef struct WalTicket { Lsn lsn; } WalTicket;

/* Gives the record its LSN and queues it. Copies the body and computes its checksum before it takes the mutex. An
 * error means that the record has
 * no LSN and will never be in the log: ERR_TOO_LARGE, ERR_LIMIT_EXCEEDED (log_bytes_max; a checkpoint is due),
 * ERR_DISK_FULL, ERR_IO (dead).
 * lsn_out and ticket_out may be NULL. In inline mode nothing is written before wal_wait or wal_flush. */
NODISCARD ErrorCode wal_append(Wal *wal, const WalAppend *append, Lsn *lsn_out, WalTicket *ticket_out, Error *err);
/* Blocks until the record is published. ERR_UNKNOWN_OUTCOME if the log died first. */
NODISCARD ErrorCode wal_wait(Wal *wal, WalTicket ticket, Error *err);
bool wal_ticket_done(const Wal *wal, WalTicket ticket);           /* published */
/* Everything assigned before the call is written and published afterwards; the inline mode's way to finish without a
 * ticket. */
NODISCARD ErrorCode wal_flush(Wal *wal, Error *err);
/* Makes all records up to lsn durable whatever their mode. A checkpoint at lsn must call it before it becomes valid. */
NODISCARD ErrorCode wal_sync(Wal *wal, Lsn lsn, Error *err);

/* Files that hold only records below below_lsn may be reused. Call after a checkpoint, with the older kept one's LSN
 * + 1. */
NODISCARD ErrorCode wal_recycle(Wal *wal, Lsn below_lsn, Error *err);
/* Live data of the database: the size of log files from the next one on is a quarter of it, within the options'
 * bounds. */
void wal_set_data_bytes(Wal *wal, uint64_t data_bytes);
void wal_set_term(Wal *wal, uint32_t term);

Lsn wal_last_lsn(Wal *wal);              /* newest assigned */
Lsn wal_published_lsn(const Wal *wal);   /* the snapshot clock: acquire load, no lock */
Lsn wal_durable_lsn(const Wal *wal);
bool wal_failed(const Wal *wal);

typedef struct WalStats {
    uint64_t records, body_bytes;  /* published since open */
    uint64_t groups, syncs;
    /* To the files, padding included, plus what was replayed: the measure of "log since the last checkpoint". */
    uint64_t written_bytes;
    uint64_t pushes;               /* write-back started early for unsynced bytes */
    uint64_t file_switches;        /* a checkpoint after each one keeps the log at three files */
    uint64_t files_created, files_removed;
    uint64_t replayed_records, replayed_bytes;
    uint64_t log_bytes;            /* size of all files now */
    uint32_t file_count;           /* now, spares included */
    uint64_t file_bytes;           /* size of the next file */
    uint64_t queue_bytes;          /* pending now */
} WalStats;
void wal_stats(Wal *wal, WalStats *stats_out);

/* ---- reading a file without an open log: `basalt dump wal`, `basalt check`, archives ---- */
typedef struct WalFileHeader {
    uint32_t format_version;
    uint64_t engine_id, salt, sequence;
    Lsn first_lsn;
    uint32_t previous_crc;  /* crc of the last group header of the file before; 0 in the first */
} WalFileHeader;
typedef struct WalGroup {
    uint64_t offset;        /* of its header in the file */
    uint32_t bytes, records;
    Lsn first_lsn, durable_below;
} WalGroup;
typedef struct WalReader WalReader;
/* Checks the file header. Memory of the reader: one group. */
NODISCARD ErrorCode wal_reader_open(Io *io, const char *path, WalReader **reader_out, Error *err);
void wal_reader_close(WalReader *reader);
const WalFileHeader *wal_reader_header(const WalReader *reader);
/* Next whole group; *found_out false at the end of the log in this file. ERR_DAMAGED if a durable group is
 * unreadable (later ones prove it). */
NODISCARD ErrorCode wal_reader_next_group(WalReader *reader, WalGroup *group_out, bool *found_out, Error *err);
/* Next record of the current group; false after its last. Its body stays valid until the next call of next_group. */
bool wal_reader_next_record(WalReader *reader, WalRecord *record_out);
/* Text for people: one line for the file, each group and each record; kinds as numbers. Stops at damage with its
 * error after what was readable. `body` (may be NULL) adds what a record says: its text
 * is indented below the record; its errors are text too. */
typedef ErrorCode (*WalDumpBody)(const WalRecord *record, Buffer *out, Error *err);
NODISCARD ErrorCode wal_dump_file(Io *io, const char *path, WalDumpBody body, Buffer *out, Error *err);
/* Reads all files of the folder as wal_open would, from replay_from on, without changing anything; a log may be open on
 * it (but no wal_recycle beyond replay_from meanwhile). records_out, last_lsn_out may be NULL. */
NODISCARD ErrorCode wal_check_folder(Os os, const char *folder, Lsn replay_from, uint64_t *records_out,
                                     Lsn *last_lsn_out, Error *err);
