/* SPDX-License-Identifier: Apache-2.0
 * os.h - the only way to files, clock, chance and threads. Linux implements it here, the simulator in sim/.
 *
 * Paths are relative to the Io's root folder ("wal/000001.wal"); never absolute, never ".."; the root itself is ".".
 * User text never becomes a path. Calls may come from any thread; one File must not be closed while another call uses it.
 * Errors: ERR_IO, ERR_DISK_FULL (ENOSPC, EDQUOT), ERR_FILE_MISSING, ERR_FILE_EXISTS, ERR_SYNC_FAILED; the message names path and errno. */
#pragma once
#include "base/calendar.h"
#include "base/error.h"
#include "base/memory.h"

struct Zone; /* base/calendar.h */

/* ---- files ---- */
typedef struct Io Io;
typedef struct File File;           /* opaque handle of the implementation */
typedef enum IoOpenMode { IO_READ, IO_READ_WRITE, IO_CREATE /* read-write, must not exist */, IO_CREATE_OR_OPEN } IoOpenMode;
typedef struct IoVec { const void *data; size_t len; } IoVec;
typedef void (*IoListVisit)(void *context, Str name, bool is_folder);

typedef struct IoVtable {
    ErrorCode (*open)(Io *io, const char *path, IoOpenMode mode, File **file_out, Error *err);
    void (*close)(Io *io, File *file);
    ErrorCode (*size)(Io *io, File *file, uint64_t *bytes_out, Error *err);
    ErrorCode (*pread)(Io *io, File *file, void *data, size_t len, uint64_t offset, size_t *read_out, Error *err); /* short only at the end of file */
    ErrorCode (*pwritev)(Io *io, File *file, const IoVec *vecs, int count, uint64_t offset, Error *err); /* all or an error */
    ErrorCode (*truncate)(Io *io, File *file, uint64_t bytes, Error *err);
    ErrorCode (*allocate)(Io *io, File *file, uint64_t bytes, Error *err); /* reserve and extend size with zeros */
    ErrorCode (*sync)(Io *io, File *file, Error *err);                      /* fdatasync; failure is ERR_SYNC_FAILED, never retry */
    ErrorCode (*push)(Io *io, File *file, uint64_t offset, uint64_t len, Error *err); /* start writing back, no wait (sync_file_range) */
    ErrorCode (*sync_folder)(Io *io, const char *path, Error *err);
    ErrorCode (*rename)(Io *io, const char *from, const char *to, Error *err);
    ErrorCode (*unlink)(Io *io, const char *path, Error *err);
    ErrorCode (*link)(Io *io, const char *from, const char *to, Error *err);
    ErrorCode (*make_folder)(Io *io, const char *path, Error *err);         /* fine if it exists */
    ErrorCode (*remove_folder)(Io *io, const char *path, Error *err);       /* must be empty */
    ErrorCode (*list)(Io *io, const char *path, IoListVisit visit, void *context, Error *err);
    ErrorCode (*lock)(Io *io, const char *path, Str content, Str *holder_out, Arena *arena, Error *err); /* exclusive lock file; ERR_FOLDER_IN_USE + its content */
    ErrorCode (*free_space)(Io *io, uint64_t *bytes_out, Error *err);
} IoVtable;
struct Io { const IoVtable *vtable; };

/* Thin inline calls: io_open(io, ...) == io->vtable->open(io, ...). */
static inline NODISCARD ErrorCode io_open(Io *io, const char *path, IoOpenMode mode, File **file_out, Error *err) { return io->vtable->open(io, path, mode, file_out, err); }
static inline void io_close(Io *io, File *file) { if (file != NULL) { io->vtable->close(io, file); } }
static inline NODISCARD ErrorCode io_size(Io *io, File *file, uint64_t *bytes_out, Error *err) { return io->vtable->size(io, file, bytes_out, err); }
static inline NODISCARD ErrorCode io_pread(Io *io, File *file, void *data, size_t len, uint64_t offset, size_t *read_out, Error *err) { return io->vtable->pread(io, file, data, len, offset, read_out, err); }
static inline NODISCARD ErrorCode io_pwritev(Io *io, File *file, const IoVec *vecs, int count, uint64_t offset, Error *err) { return io->vtable->pwritev(io, file, vecs, count, offset, err); }
static inline NODISCARD ErrorCode io_truncate(Io *io, File *file, uint64_t bytes, Error *err) { return io->vtable->truncate(io, file, bytes, err); }
static inline NODISCARD ErrorCode io_allocate(Io *io, File *file, uint64_t bytes, Error *err) { return io->vtable->allocate(io, file, bytes, err); }
static inline NODISCARD ErrorCode io_sync(Io *io, File *file, Error *err) { return io->vtable->sync(io, file, err); }
static inline NODISCARD ErrorCode io_push(Io *io, File *file, uint64_t offset, uint64_t len, Error *err) { return io->vtable->push(io, file, offset, len, err); }
static inline NODISCARD ErrorCode io_sync_folder(Io *io, const char *path, Error *err) { return io->vtable->sync_folder(io, path, err); }
static inline NODISCARD ErrorCode io_rename(Io *io, const char *from, const char *to, Error *err) { return io->vtable->rename(io, from, to, err); }
static inline NODISCARD ErrorCode io_unlink(Io *io, const char *path, Error *err) { return io->vtable->unlink(io, path, err); }
static inline NODISCARD ErrorCode io_make_folder(Io *io, const char *path, Error *err) { return io->vtable->make_folder(io, path, err); }
static inline NODISCARD ErrorCode io_remove_folder(Io *io, const char *path, Error *err) { return io->vtable->remove_folder(io, path, err); }
static inline NODISCARD ErrorCode io_list(Io *io, const char *path, IoListVisit visit, void *context, Error *err) { return io->vtable->list(io, path, visit, context, err); }
static inline NODISCARD ErrorCode io_link(Io *io, const char *from, const char *to, Error *err) { return io->vtable->link(io, from, to, err); }
static inline NODISCARD ErrorCode io_lock(Io *io, const char *path, Str content, Str *holder_out, Arena *arena, Error *err) { return io->vtable->lock(io, path, content, holder_out, arena, err); }
static inline NODISCARD ErrorCode io_free_space(Io *io, uint64_t *bytes_out, Error *err) { return io->vtable->free_space(io, bytes_out, err); }
/* Helpers over the vtable (os/io_util.c). */
NODISCARD ErrorCode io_read_whole(Io *io, const char *path, Arena *arena, Bytes *bytes_out, Error *err);
NODISCARD ErrorCode io_write_whole(Io *io, const char *path, Bytes bytes, Error *err); /* tmp + sync + rename + folder sync */
bool io_exists(Io *io, const char *path);

/* ---- clock, chance ---- */
typedef struct Clock Clock;
struct Clock {
    int64_t (*wall_micros)(Clock *clock);       /* since 1970 UTC */
    int64_t (*monotonic_nanos)(Clock *clock);
};
typedef struct Rand Rand;
struct Rand { uint64_t (*next)(Rand *rand); };  /* salts, ids; os: getrandom */
static inline void rand_fill(Rand *rand, uint8_t *out, size_t bytes) {
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t bits = rand->next(rand);
        memcpy(out + i, &bits, MIN_OF(sizeof bits, bytes - i));
    }
}

/* ---- tasks: threads on Linux, fibers in the simulator ---- */
typedef struct Sched Sched;
typedef struct Mutex { void *state; } Mutex;    /* zero is not initialised: mutex_init */
typedef struct Cond { void *state; } Cond;
typedef struct Task Task;
typedef void (*TaskMain)(void *argument);
struct Sched {
    ErrorCode (*task_start)(Sched *sched, const char *name, TaskMain main, void *argument, bool low_priority, Task **task_out, Error *err);
    void (*task_join)(Sched *sched, Task *task);
    void (*mutex_init)(Sched *sched, Mutex *mutex);
    void (*mutex_deinit)(Sched *sched, Mutex *mutex);
    void (*mutex_lock)(Sched *sched, Mutex *mutex);
    void (*mutex_unlock)(Sched *sched, Mutex *mutex);
    void (*cond_init)(Sched *sched, Cond *cond);
    void (*cond_deinit)(Sched *sched, Cond *cond);
    bool (*cond_wait)(Sched *sched, Cond *cond, Mutex *mutex, int64_t deadline_nanos); /* monotonic, INT64_MAX = none; false on time-out */
    void (*cond_signal)(Sched *sched, Cond *cond);
    void (*cond_broadcast)(Sched *sched, Cond *cond);
    void (*yield)(Sched *sched);
    int (*cpu_count)(Sched *sched);
};

/* ---- the bundle that every engine gets ---- */
typedef struct Os { Io *io; Clock *clock; Rand *rand; Sched *sched; } Os;

/* Linux. root is an absolute or relative folder path, made (0700) if create is set. The Os lives until os_linux_close. */
NODISCARD ErrorCode os_linux_open(const char *root, bool create, Os *os_out, Error *err);
void os_linux_close(Os *os);
/* Outside a data folder, for cli only: read a file or pipe anywhere ("-" = stdin), TZif by zone name. */
typedef struct InputFile InputFile;
NODISCARD ErrorCode os_input_open(const char *path, InputFile **input_out, Error *err);
NODISCARD ErrorCode os_input_read(InputFile *input, void *data, size_t len, size_t *read_out, Error *err); /* *read_out 0 = end */
uint64_t os_input_size(const InputFile *input);          /* 0 if unknown */
void os_input_close(InputFile *input);
/* As PostgreSQL reads names of zones: of a file in any case, else a POSIX rule ("EST5EDT", "UTC+5": west). name_out: as the file is spelled; in the arena. */
NODISCARD ErrorCode os_zone_find(Str name, Arena *arena, Str *name_out, const Zone **zone_out, Error *err);
NODISCARD ErrorCode os_zone_load(Str name, Arena *arena, const Zone **zone_out, Error *err); /* IANA name or offset; ERR_INVALID_PARAMETER */
int64_t os_resident_bytes(void);                         /* of this process */
int os_pid(void);
/* Programs of ours, at their start: as many open files as the system allows (each segment is one). Returns the limit now in force. */
int os_raise_file_limit(void);
