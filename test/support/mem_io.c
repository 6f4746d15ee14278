/* SPDX-License-Identifier: Apache-2.0
 * mem_io.c - see mem_io.h. */
#include "mem_io.h"
#include "base/random.h"
#include <pthread.h>

enum { SECTOR_BYTES = 512, PATH_BYTES = 256 };

typedef struct Inode {
    uint8_t *data, *durable;
    size_t len, capacity, durable_len, durable_capacity;
    size_t dirty_from, dirty_to; /* range that was written since the last sync */
    uint8_t *dirty;              /* a byte for each sector: written since the last sync, even with equal bytes */
    size_t dirty_capacity;
    uint32_t users;              /* names and handles */
} Inode;
struct File {
    Inode *inode;
    bool writable;
};
typedef struct Name {
    char path[PATH_BYTES];
    Inode *inode;
} Name;
typedef struct NameTable {
    Name *names;
    uint32_t count, capacity;
} NameTable;
typedef enum ChangeKind { CHANGE_SET, CHANGE_REMOVE, CHANGE_RENAME } ChangeKind;
typedef struct Change {
    ChangeKind kind;
    char path[PATH_BYTES], to[PATH_BYTES];
    Inode *inode;
} Change;

struct MemIo {
    Io io;
    pthread_mutex_t mutex;
    NameTable visible, durable;
    Change *changes; /* from durable to visible, in order */
    uint32_t change_count, change_capacity;
    uint64_t calls, crash_at, fail_at, limit_bytes, writes;
    ErrorCode fail_code;
};

/* ---- inodes and names ---- */

static void grow(uint8_t **data, size_t *capacity, size_t wanted) {
    if (wanted > *capacity) {
        size_t capacity_new = wanted + wanted / 2 + 64;
        *data = mem_realloc(*data, capacity_new);
        memset(*data + *capacity, 0, capacity_new - *capacity);
        *capacity = capacity_new;
    }
}

static void inode_release(Inode *inode) {
    if (inode != NULL && --inode->users == 0) {
        mem_free(inode->data);
        mem_free(inode->durable);
        mem_free(inode->dirty);
        mem_free(inode);
    }
}

static Name *find_name(const NameTable *table, const char *path) {
    for (uint32_t i = 0; i < table->count; i++) {
        if (strcmp(table->names[i].path, path) == 0) {
            return &table->names[i];
        }
    }
    return NULL;
}

static void set_name(NameTable *table, const char *path, Inode *inode) {
    inode->users++;
    Name *name = find_name(table, path);
    if (name != NULL) {
        inode_release(name->inode);
        name->inode = inode;
        return;
    }
    if (table->count == table->capacity) {
        table->capacity = table->capacity * 2 + 8;
        table->names = mem_realloc(table->names, table->capacity * sizeof(Name));
    }
    name = &table->names[table->count++];
    assert(strlen(path) < PATH_BYTES);
    memcpy(name->path, path, strlen(path) + 1);
    name->inode = inode;
}

static void remove_name(NameTable *table, const char *path) {
    Name *name = find_name(table, path);
    if (name != NULL) {
        inode_release(name->inode);
        *name = table->names[--table->count];
    }
}

static void apply(NameTable *table, const Change *change) {
    switch (change->kind) {
    case CHANGE_SET: set_name(table, change->path, change->inode); break;
    case CHANGE_REMOVE: remove_name(table, change->path); break;
    case CHANGE_RENAME: {
        Name *name = find_name(table, change->path);
        if (name != NULL) {
            set_name(table, change->to, name->inode);
            remove_name(table, change->path);
        }
        break;
    }
    }
}

static void note_change(MemIo *mem, ChangeKind kind, const char *path, const char *to, Inode *inode) {
    if (mem->change_count == mem->change_capacity) {
        mem->change_capacity = mem->change_capacity * 2 + 8;
        mem->changes = mem_realloc(mem->changes, mem->change_capacity * sizeof(Change));
    }
    Change *change = &mem->changes[mem->change_count++];
    *change = (Change){.kind = kind, .inode = inode};
    memcpy(change->path, path, strlen(path) + 1);
    memcpy(change->to, to, strlen(to) + 1);
    if (inode != NULL) {
        inode->users++;
    }
    apply(&mem->visible, change);
}

static bool in_folder(const char *path, const char *folder) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return strcmp(folder, ".") == 0 || folder[0] == '\0';
    }
    return strlen(folder) == (size_t)(slash - path) && memcmp(path, folder, strlen(folder)) == 0;
}

/* ---- faults ---- */

static ErrorCode count_call(MemIo *mem, Error *err) {
    mem->calls++;
    if (mem->crash_at != 0 && mem->calls >= mem->crash_at) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "the power is off");
    }
    if (mem->fail_at != 0 && mem->calls == mem->fail_at) {
        return error_set(err, mem->fail_code, ERROR_NO_POSITION, "planned failure of call %llu",
                         (unsigned long long)mem->calls);
    }
    return ERR_OK;
}

static uint64_t total_bytes(const MemIo *mem) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < mem->visible.count; i++) {
        bytes += mem->visible.names[i].inode->len;
    }
    return bytes;
}

static ErrorCode check_room(const MemIo *mem, const Inode *inode, uint64_t len, Error *err) {
    if (mem->limit_bytes != 0 && len > inode->len && total_bytes(mem) + len - inode->len > mem->limit_bytes) {
        return error_set(err, ERR_DISK_FULL, ERROR_NO_POSITION, "the disk is full");
    }
    return ERR_OK;
}

static void mark_dirty(Inode *inode, size_t from, size_t to) {
    if (inode->dirty_from >= inode->dirty_to) {
        inode->dirty_from = from;
        inode->dirty_to = to;
    }
    inode->dirty_from = MIN_OF(inode->dirty_from, from);
    inode->dirty_to = MAX_OF(inode->dirty_to, to);
    grow(&inode->dirty, &inode->dirty_capacity, to / SECTOR_BYTES + 1);
    for (size_t at = from / SECTOR_BYTES; from < to && at <= (to - 1) / SECTOR_BYTES; at++) {
        inode->dirty[at] = 1;
    }
}

static void set_len(Inode *inode, size_t len) {
    grow(&inode->data, &inode->capacity, len);
    if (len < inode->len) {
        memset(inode->data + len, 0, inode->len - len);
    }
    mark_dirty(inode, MIN_OF(len, inode->len), MAX_OF(len, inode->len));
    inode->len = len;
}

/* ---- the vtable ---- */

static ErrorCode open_locked(MemIo *mem, const char *path, IoOpenMode mode, File **file_out, Error *err) {
    TRY(count_call(mem, err));
    Name *name = find_name(&mem->visible, path);
    if (name == NULL && (mode == IO_READ || mode == IO_READ_WRITE)) {
        return error_set(err, ERR_FILE_MISSING, ERROR_NO_POSITION, "%s is missing", path);
    }
    if (name != NULL && mode == IO_CREATE) {
        return error_set(err, ERR_FILE_EXISTS, ERROR_NO_POSITION, "%s exists", path);
    }
    if (name == NULL) {
        note_change(mem, CHANGE_SET, path, "", mem_calloc(1, sizeof(Inode)));
        name = find_name(&mem->visible, path);
    }
    File *file = mem_calloc(1, sizeof *file);
    file->inode = name->inode;
    file->inode->users++;
    file->writable = mode != IO_READ;
    *file_out = file;
    return ERR_OK;
}

static ErrorCode mem_open(Io *io, const char *path, IoOpenMode mode, File **file_out, Error *err) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = open_locked(mem, path, mode, file_out, err);
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static void mem_close(Io *io, File *file) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    inode_release(file->inode);
    mem_free(file);
    pthread_mutex_unlock(&mem->mutex);
}

static ErrorCode mem_size(Io *io, File *file, uint64_t *bytes_out, Error *err) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = count_call(mem, err);
    *bytes_out = file->inode->len;
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode mem_pread(Io *io, File *file, void *data, size_t len, uint64_t offset, size_t *read_out, Error *err) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = count_call(mem, err);
    size_t got = 0;
    if (code == ERR_OK && offset < file->inode->len) {
        got = MIN_OF(len, file->inode->len - (size_t)offset);
        memcpy(data, file->inode->data + offset, got);
    }
    *read_out = got;
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static void write_vecs(Inode *inode, const IoVec *vecs, int count, uint64_t offset) {
    for (int i = 0; i < count; i++) {
        if (vecs[i].len > 0) {
            memcpy(inode->data + offset, vecs[i].data, vecs[i].len);
        }
        offset += vecs[i].len;
    }
}

static ErrorCode write_locked(MemIo *mem, Inode *inode, const IoVec *vecs, int count, uint64_t offset, Error *err) {
    uint64_t end = offset;
    for (int i = 0; i < count; i++) {
        end += vecs[i].len;
    }
    mem->writes++;
    ErrorCode code = count_call(mem, err);
    bool power_cut = code != ERR_OK && mem->crash_at != 0 && mem->calls == mem->crash_at;
    if (code != ERR_OK && !power_cut) {
        return code;
    }
    TRY(check_room(mem, inode, end, err));
    if (end > inode->len) {
        set_len(inode, (size_t)end);
    }
    mark_dirty(inode, (size_t)offset, (size_t)end);
    write_vecs(inode, vecs, count, offset);
    return code; /* a write that was under way when the power went may be found afterwards, whole or in part */
}

static ErrorCode mem_pwritev(Io *io, File *file, const IoVec *vecs, int count, uint64_t offset, Error *err) {
    MemIo *mem = (MemIo *)io;
    assert(file->writable);
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = write_locked(mem, file->inode, vecs, count, offset, err);
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode mem_truncate(Io *io, File *file, uint64_t bytes, Error *err) {
    MemIo *mem = (MemIo *)io;
    assert(file->writable);
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = count_call(mem, err);
    code = code == ERR_OK ? check_room(mem, file->inode, bytes, err) : code;
    if (code == ERR_OK) {
        set_len(file->inode, (size_t)bytes);
    }
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode mem_sync(Io *io, File *file, Error *err) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = count_call(mem, err);
    Inode *inode = file->inode;
    if (code == ERR_OK) {
        grow(&inode->durable, &inode->durable_capacity, inode->len);
        size_t to = MIN_OF(inode->dirty_to, inode->len);
        if (inode->dirty_from < to) {
            memcpy(inode->durable + inode->dirty_from, inode->data + inode->dirty_from, to - inode->dirty_from);
        }
        inode->durable_len = inode->len;
        if (inode->dirty_capacity > 0) {
            size_t last = MIN_OF(inode->dirty_to / SECTOR_BYTES + 1, inode->dirty_capacity);
            memset(inode->dirty + inode->dirty_from / SECTOR_BYTES, 0, last - inode->dirty_from / SECTOR_BYTES);
        }
        inode->dirty_from = inode->dirty_to = 0;
    }
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode mem_push(Io *io, File *file, uint64_t offset, uint64_t len, Error *err) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    assert(offset + len <= file->inode->len);
    ErrorCode code = count_call(mem, err);
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode mem_sync_folder(Io *io, const char *path, Error *err) {
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = count_call(mem, err);
    uint32_t kept = 0;
    for (uint32_t i = 0; code == ERR_OK && i < mem->change_count; i++) {
        Change *change = &mem->changes[i];
        if (in_folder(change->path, path)) {
            apply(&mem->durable, change);
            inode_release(change->inode);
        } else {
            mem->changes[kept++] = *change;
        }
    }
    mem->change_count = code == ERR_OK ? kept : mem->change_count;
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode change_name(MemIo *mem, ChangeKind kind, const char *path, const char *to, Error *err) {
    pthread_mutex_lock(&mem->mutex);
    ErrorCode code = count_call(mem, err);
    if (code == ERR_OK && find_name(&mem->visible, path) == NULL) {
        code = error_set(err, ERR_FILE_MISSING, ERROR_NO_POSITION, "%s is missing", path);
    }
    if (code == ERR_OK) {
        note_change(mem, kind, path, to, NULL);
    }
    pthread_mutex_unlock(&mem->mutex);
    return code;
}

static ErrorCode mem_rename(Io *io, const char *from, const char *to, Error *err) {
    return change_name((MemIo *)io, CHANGE_RENAME, from, to, err);
}

static ErrorCode mem_unlink(Io *io, const char *path, Error *err) {
    return change_name((MemIo *)io, CHANGE_REMOVE, path, "", err);
}

static ErrorCode mem_make_folder(Io *io, const char *path, Error *err) {
    (void)io;
    (void)path;
    (void)err;
    return ERR_OK; /* folders are parts of names here */
}

static ErrorCode mem_list(Io *io, const char *path, IoListVisit visit, void *context, Error *err) {
    MemIo *mem = (MemIo *)io;
    (void)err;
    pthread_mutex_lock(&mem->mutex);
    for (uint32_t i = 0; i < mem->visible.count; i++) {
        const char *name = mem->visible.names[i].path;
        if (in_folder(name, path)) {
            const char *slash = strrchr(name, '/');
            visit(context, str_from_c(slash != NULL ? slash + 1 : name), false);
        }
    }
    pthread_mutex_unlock(&mem->mutex);
    return ERR_OK;
}

/* One process only: the lock is always free. */
static ErrorCode mem_lock(Io *io, const char *path, Str content, Str *holder_out, Arena *arena, Error *err) {
    (void)io, (void)path, (void)content, (void)arena, (void)err;
    *holder_out = (Str){0};
    return ERR_OK;
}

static ErrorCode mem_free_space(Io *io, uint64_t *bytes_out, Error *err) {
    (void)err;
    MemIo *mem = (MemIo *)io;
    pthread_mutex_lock(&mem->mutex);
    uint64_t used = total_bytes(mem);
    *bytes_out = mem->limit_bytes == 0 ? UINT64_MAX / 2 : mem->limit_bytes > used ? mem->limit_bytes - used : 0;
    pthread_mutex_unlock(&mem->mutex);
    return ERR_OK;
}

static const IoVtable MEM_VTABLE = {.open = mem_open,
                                    .close = mem_close,
                                    .size = mem_size,
                                    .pread = mem_pread,
                                    .pwritev = mem_pwritev,
                                    .truncate = mem_truncate,
                                    .allocate = mem_truncate,
                                    .sync = mem_sync,
                                    .push = mem_push,
                                    .sync_folder = mem_sync_folder,
                                    .rename = mem_rename,
                                    .unlink = mem_unlink,
                                    .make_folder = mem_make_folder,
                                    .list = mem_list,
                                    .lock = mem_lock,
                                    .free_space = mem_free_space};

/* ---- life, access ---- */

MemIo *mem_io_create(void) {
    MemIo *mem = mem_calloc(1, sizeof *mem);
    mem->io.vtable = &MEM_VTABLE;
    pthread_mutex_init(&mem->mutex, NULL);
    return mem;
}

static void table_deinit(NameTable *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        inode_release(table->names[i].inode);
    }
    mem_free(table->names);
}

void mem_io_destroy(MemIo *mem) {
    for (uint32_t i = 0; i < mem->change_count; i++) {
        inode_release(mem->changes[i].inode);
    }
    mem_free(mem->changes);
    table_deinit(&mem->visible);
    table_deinit(&mem->durable);
    pthread_mutex_destroy(&mem->mutex);
    mem_free(mem);
}

Io *mem_io_io(MemIo *mem) {
    return &mem->io;
}

uint64_t mem_io_calls(const MemIo *mem) {
    return mem->calls;
}

void mem_io_crash_at(MemIo *mem, uint64_t call) {
    mem->crash_at = call;
}

void mem_io_fail_at(MemIo *mem, uint64_t call, ErrorCode code) {
    mem->fail_at = call;
    mem->fail_code = code;
}

void mem_io_limit_bytes(MemIo *mem, uint64_t bytes) {
    mem->limit_bytes = bytes;
}

uint64_t mem_io_total_bytes(const MemIo *mem) {
    return total_bytes(mem);
}

uint64_t mem_io_writes(const MemIo *mem) {
    return mem->writes;
}

uint8_t *mem_io_file(MemIo *mem, const char *path, size_t *len_out) {
    Name *name = find_name(&mem->visible, path);
    if (name == NULL) {
        return NULL;
    }
    *len_out = name->inode->len;
    return name->inode->data;
}

void mem_io_put_file(MemIo *mem, const char *path, const void *data, size_t len) {
    Inode *inode = mem_calloc(1, sizeof *inode);
    grow(&inode->data, &inode->capacity, len);
    grow(&inode->durable, &inode->durable_capacity, len);
    if (len > 0) {
        memcpy(inode->data, data, len);
        memcpy(inode->durable, data, len);
    }
    inode->len = inode->durable_len = len;
    inode->users = 1;
    set_name(&mem->visible, path, inode);
    set_name(&mem->durable, path, inode);
    inode_release(inode);
}

uint32_t mem_io_file_count(const MemIo *mem) {
    return mem->visible.count;
}

/* ---- crash ---- */

/* One sector of a crashed file: old, new, zeros or garbage. */
static void crash_sector(Random *random, uint8_t *out, const uint8_t *old_bytes, const uint8_t *new_bytes, size_t len) {
    uint64_t draw = random_below(random, 16);
    if (draw < 8) {
        memcpy(out, new_bytes, len);
    } else if (draw < 14) {
        memcpy(out, old_bytes, len);
    } else if (draw == 14) {
        memset(out, 0, len);
    } else {
        for (size_t i = 0; i < len; i++) {
            out[i] = (uint8_t)random_next(random);
        }
    }
}

static void crash_bytes(Inode *inode, Random *random, uint8_t **out, size_t *len_out) {
    size_t longest = MAX_OF(inode->len, inode->durable_len);
    grow(&inode->data, &inode->capacity, longest);
    grow(&inode->durable, &inode->durable_capacity, longest);
    *len_out = random_chance(random, 1, 2) ? inode->len : inode->durable_len;
    *out = mem_calloc(longest + 1, 1);
    for (size_t at = 0; at < longest; at += SECTOR_BYTES) {
        size_t len = MIN_OF((size_t)SECTOR_BYTES, longest - at);
        const uint8_t *old_bytes = inode->durable + at, *new_bytes = inode->data + at;
        if (at / SECTOR_BYTES >= inode->dirty_capacity || !inode->dirty[at / SECTOR_BYTES]) {
            memcpy(*out + at, new_bytes, len);
        } else {
            crash_sector(random, *out + at, old_bytes, new_bytes, len);
        }
    }
}

static void names_after_crash(const MemIo *mem, MemCrash crash, Random *random, NameTable *names) {
    const NameTable *from = crash == MEM_CRASH_KILL ? &mem->visible : &mem->durable;
    for (uint32_t i = 0; i < from->count; i++) {
        set_name(names, from->names[i].path, from->names[i].inode);
    }
    for (uint32_t i = 0; crash == MEM_CRASH_RANDOM && i < mem->change_count; i++) {
        if (random_chance(random, 1, 2)) {
            apply(names, &mem->changes[i]);
        }
    }
}

MemIo *mem_io_after_crash(const MemIo *mem, MemCrash crash, uint64_t seed) {
    Random random;
    random_init(&random, seed);
    MemIo *after = mem_io_create();
    NameTable names = {0};
    names_after_crash(mem, crash, &random, &names);
    for (uint32_t i = 0; i < names.count; i++) {
        Inode *inode = names.names[i].inode;
        if (crash == MEM_CRASH_RANDOM) {
            uint8_t *data = NULL;
            size_t len = 0;
            crash_bytes(inode, &random, &data, &len);
            mem_io_put_file(after, names.names[i].path, data, len);
            mem_free(data);
        } else if (crash == MEM_CRASH_KILL) {
            mem_io_put_file(after, names.names[i].path, inode->data, inode->len);
            Inode *copy = find_name(&after->visible, names.names[i].path)->inode;
            copy->durable_len = MIN_OF(inode->durable_len, copy->durable_capacity); /* the page cache lives on */
            if (inode->durable_len > 0) {
                memcpy(copy->durable, inode->durable, copy->durable_len);
            }
            for (size_t s = 0; s < inode->dirty_capacity; s++) {
                if (inode->dirty[s]) {
                    mark_dirty(copy, s * SECTOR_BYTES, (s + 1) * SECTOR_BYTES);
                }
            }
        } else {
            mem_io_put_file(after, names.names[i].path, inode->durable, inode->durable_len);
        }
    }
    table_deinit(&names);
    return after;
}

/* ---- the Os over it ---- */

static int64_t clock_wall(Clock *clock) {
    MemOs *mem_os = (MemOs *)clock;
    mem_os->now_nanos += 1000;
    return INT64_C(1700000000000000) + mem_os->now_nanos / 1000;
}

static int64_t clock_monotonic(Clock *clock) {
    MemOs *mem_os = (MemOs *)clock;
    mem_os->now_nanos += 1000;
    return mem_os->now_nanos;
}

static uint64_t rand_next(Rand *rand) {
    MemOs *mem_os = (MemOs *)((char *)rand - offsetof(MemOs, rand));
    return splitmix64(&mem_os->random_state);
}

static ErrorCode no_task(Sched *sched, const char *name, TaskMain task_main, void *argument, bool low, Task **task_out,
                         Error *err) {
    (void)sched, (void)task_main, (void)argument, (void)low, (void)task_out;
    return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "no task %s: this Os has no threads", name);
}

static void no_mutex(Sched *sched, Mutex *mutex) {
    (void)sched, (void)mutex;
}

static void no_cond(Sched *sched, Cond *cond) {
    (void)sched, (void)cond;
}

static bool no_wait(Sched *sched, Cond *cond, Mutex *mutex, int64_t deadline_nanos) {
    (void)cond, (void)mutex;
    assert(deadline_nanos != INT64_MAX); /* nobody could ever wake this wait */
    MemOs *mem_os = (MemOs *)((char *)sched - offsetof(MemOs, sched));
    mem_os->now_nanos = MAX_OF(mem_os->now_nanos, deadline_nanos);
    return false;
}

static void no_yield(Sched *sched) {
    (void)sched;
}

static int one_cpu(Sched *sched) {
    (void)sched;
    return 1;
}

Os mem_os_init(MemOs *mem_os, MemIo *mem, uint64_t seed) {
    *mem_os = (MemOs){.clock = {clock_wall, clock_monotonic},
                      .rand = {rand_next},
                      .sched = {.task_start = no_task,
                                .mutex_init = no_mutex,
                                .mutex_deinit = no_mutex,
                                .mutex_lock = no_mutex,
                                .mutex_unlock = no_mutex,
                                .cond_init = no_cond,
                                .cond_deinit = no_cond,
                                .cond_wait = no_wait,
                                .cond_signal = no_cond,
                                .cond_broadcast = no_cond,
                                .yield = no_yield,
                                .cpu_count = one_cpu},
                      .random_state = seed};
    return (Os){.io = mem_io_io(mem), .clock = &mem_os->clock, .rand = &mem_os->rand, .sched = &mem_os->sched};
}
