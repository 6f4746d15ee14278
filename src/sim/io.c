/* SPDX-License-Identifier: Apache-2.0
 * io.c - the Io of the simulated disk.
 *
 * Why:     errors are those of the Linux Io, so that the layers above cannot tell them apart.
 * Threads: fibers of one world; a call is a place where another may run, before it has any effect.
 * Tests:   test/unit/sim/test_disk.c */
#include "base/hash.h"
#include "sim/sim_internal.h"

struct File {
    SimInode *inode;
    bool writable;
    char path[];
};

static SimIo *sim_io(Io *io) {
    return (SimIo *)io;
}

static SimDisk *disk_of(Io *io) {
    return sim_io(io)->disk;
}

static ErrorCode fail(Error *err, ErrorCode code, const char *what, const char *path) {
    return error_set(err, code, ERROR_NO_POSITION, "cannot %s %s: %s", what, path, error_name(code));
}

/* Every call passes here first. */
static ErrorCode enter(Io *io, const char *what, const char *path, uint64_t offset, uint64_t len, Error *err) {
    uint64_t trace = hash_bytes(path, strlen(path), hash_bytes(what, strlen(what), offset ^ len << 40));
    sim__world_call(sim_io(io)->world, trace);
    SimDisk *disk = disk_of(io);
    if (disk->stop_at != 0 && disk->calls + 1 >= disk->stop_at) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "cannot %s %s: the power is off", what, path);
    }
    return ERR_OK;
}

/* Calls that change something are also counted, watched and made to fail. */
static ErrorCode enter_change(Io *io, const char *what, const char *path, uint64_t offset, uint64_t len, Error *err) {
    TRY(enter(io, what, path, offset, len, err));
    SimDisk *disk = disk_of(io);
    disk->calls++;
    if (disk->watch != NULL) {
        disk->watch(disk->watch_context, disk, disk->calls);
    }
    if (disk->fail_at == disk->calls) {
        return fail(err, disk->fail_code, what, path);
    }
    return ERR_OK;
}

static bool skips(const SimDisk *disk, SimSkip kind, const char *path) {
    return disk->skip == kind && (disk->skip_part == NULL || strstr(path, disk->skip_part) != NULL);
}

static bool folder_exists(const SimDisk *disk, Str path) {
    if (str_equal(path, STR(".")) || path.len == 0) {
        return true;
    }
    for (size_t i = 0; i < disk->current.count; i++) {
        if (disk->current.items[i].inode->is_folder && str_equal(str_from_c(disk->current.items[i].path), path)) {
            return true;
        }
    }
    return false;
}

static ErrorCode create_file(Io *io, const char *path, SimInode **inode_out, Error *err) {
    TRY(enter_change(io, "create", path, 0, 0, err));
    SimDisk *disk = disk_of(io);
    if (!folder_exists(disk, sim__parent(path))) {
        return fail(err, ERR_FILE_MISSING, "create", path);
    }
    SimInode *there = sim__names_get(&disk->current, path); /* another task may have been faster */
    if (there == NULL) {
        there = sim__inode_create(false);
        sim__disk_note_change(disk, path, there, NULL, NULL);
    }
    *inode_out = there;
    return ERR_OK;
}

static ErrorCode sim_open(Io *io, const char *path, IoOpenMode mode, File **file_out, Error *err) {
    assert(path[0] != '/');
    assert(strstr(path, "..") == NULL);
    TRY(enter(io, "open", path, 0, 0, err));
    SimInode *inode = sim__names_get(&disk_of(io)->current, path);
    if (inode != NULL && mode == IO_CREATE) {
        return fail(err, ERR_FILE_EXISTS, "create", path);
    }
    if (inode != NULL && inode->is_folder) {
        return fail(err, ERR_IO, "open", path);
    }
    if (inode == NULL) {
        if (mode == IO_READ || mode == IO_READ_WRITE) {
            return fail(err, ERR_FILE_MISSING, "open", path);
        }
        TRY(create_file(io, path, &inode, err));
    }
    size_t path_bytes = strlen(path) + 1;
    File *file = mem_alloc(sizeof(File) + path_bytes);
    file->inode = sim__inode_hold(inode);
    file->writable = mode != IO_READ;
    memcpy(file->path, path, path_bytes);
    *file_out = file;
    return ERR_OK;
}

static void sim_close(Io *io, File *file) {
    (void)io;
    sim__inode_drop(file->inode);
    mem_free(file);
}

static ErrorCode sim_size(Io *io, File *file, uint64_t *bytes_out, Error *err) {
    TRY(enter(io, "find the size of", file->path, 0, 0, err));
    *bytes_out = file->inode->current.size;
    return ERR_OK;
}

static ErrorCode sim_pread(Io *io, File *file, void *data, size_t len, uint64_t offset, size_t *read_out, Error *err) {
    TRY(enter(io, "read", file->path, offset, len, err));
    *read_out = sim__content_read(&file->inode->current, offset, data, len);
    return ERR_OK;
}

/* Growing to size would go beyond the limit of the disk. */
static bool is_full(const SimDisk *disk, const SimInode *inode, uint64_t size) {
    if (disk->limit_bytes == 0 || size <= inode->current.size) {
        return false;
    }
    return sim_disk_used_bytes(disk) + (size - inode->current.size) > disk->limit_bytes;
}

static ErrorCode sim_pwritev(Io *io, File *file, const IoVec *vecs, int count, uint64_t offset, Error *err) {
    size_t len = 0;
    uint32_t crc = 0;
    for (int i = 0; i < count; i++) {
        len += vecs[i].len;
        crc = vecs[i].len == 0 ? crc : crc32c(crc, vecs[i].data, vecs[i].len);
    }
    TRY(enter_change(io, "write", file->path, offset ^ (uint64_t)crc << 32, len, err));
    if (!file->writable) {
        return fail(err, ERR_IO, "write", file->path);
    }
    if (is_full(disk_of(io), file->inode, offset + len)) {
        return fail(err, ERR_DISK_FULL, "write", file->path);
    }
    for (int i = 0; i < count; i++) {
        if (vecs[i].len > 0) {
            sim__content_write(&file->inode->current, offset, vecs[i].data, vecs[i].len);
            sim__inode_note(file->inode, offset, vecs[i].data, vecs[i].len);
        }
        offset += vecs[i].len;
    }
    return ERR_OK;
}

static ErrorCode resize(Io *io, File *file, const char *what, uint64_t bytes, Error *err) {
    if (!file->writable) {
        return fail(err, ERR_IO, what, file->path);
    }
    if (is_full(disk_of(io), file->inode, bytes)) {
        return fail(err, ERR_DISK_FULL, what, file->path);
    }
    sim__content_resize(&file->inode->current, bytes);
    sim__inode_note(file->inode, bytes, NULL, 0);
    return ERR_OK;
}

static ErrorCode sim_truncate(Io *io, File *file, uint64_t bytes, Error *err) {
    TRY(enter_change(io, "truncate", file->path, bytes, 0, err));
    if (skips(disk_of(io), SIM_SKIP_TRUNCATE, file->path)) {
        return ERR_OK;
    }
    return resize(io, file, "truncate", bytes, err);
}

static ErrorCode sim_allocate(Io *io, File *file, uint64_t bytes, Error *err) {
    TRY(enter_change(io, "reserve room for", file->path, bytes, 0, err));
    if (bytes <= file->inode->current.size) {
        return ERR_OK;
    }
    return resize(io, file, "reserve room for", bytes, err);
}

static ErrorCode sim_sync(Io *io, File *file, Error *err) {
    ErrorCode code = enter_change(io, "sync", file->path, 0, 0, err);
    SimDisk *disk = disk_of(io);
    if (code != ERR_OK) {
        /* What a failed sync could not write is forgotten: it looks written and never will be. */
        if (disk->fail_at == disk->calls) {
            sim__inode_clear_pending(file->inode);
        }
        return fail(err, ERR_SYNC_FAILED, "sync", file->path);
    }
    if (skips(disk, SIM_SKIP_SYNC, file->path)) {
        return ERR_OK;
    }
    if (file->inode->pending_count > 0) {
        sim__content_free(&file->inode->durable);
        sim__content_copy(&file->inode->durable, &file->inode->current);
        sim__inode_clear_pending(file->inode);
    }
    for (size_t i = 0; i < disk->change_count; i++) {
        disk->changes[i].taken_along = true;
    }
    return ERR_OK;
}

static ErrorCode sim_push(Io *io, File *file, uint64_t offset, uint64_t len, Error *err) {
    return enter_change(io, "write back", file->path, offset, len, err);
}

static bool touches(const SimNameChange *change, Str folder) {
    for (int i = 0; i < change->count; i++) {
        if (str_equal(sim__parent(change->paths[i]), folder)) {
            return true;
        }
    }
    return false;
}

static ErrorCode sim_sync_folder(Io *io, const char *path, Error *err) {
    if (enter_change(io, "sync folder", path, 0, 0, err) != ERR_OK) {
        return fail(err, ERR_SYNC_FAILED, "sync folder", path);
    }
    SimDisk *disk = disk_of(io);
    Str folder = path[0] == '\0' ? STR(".") : str_from_c(path);
    if (!folder_exists(disk, folder)) {
        return fail(err, ERR_FILE_MISSING, "open folder", path);
    }
    if (skips(disk, SIM_SKIP_SYNC_FOLDER, path)) {
        return ERR_OK;
    }
    for (size_t i = 0; i < disk->change_count;) {
        if (touches(&disk->changes[i], folder)) {
            sim__disk_apply(&disk->durable, &disk->changes[i]);
            sim__disk_forget_change(disk, i);
        } else {
            i++;
        }
    }
    return ERR_OK;
}

static ErrorCode sim_rename(Io *io, const char *from, const char *to, Error *err) {
    TRY(enter_change(io, "rename", from, hash_bytes(to, strlen(to), 0), 0, err));
    SimDisk *disk = disk_of(io);
    SimInode *inode = sim__names_get(&disk->current, from);
    if (inode == NULL || !folder_exists(disk, sim__parent(to))) {
        return fail(err, ERR_FILE_MISSING, "rename", from);
    }
    assert(!inode->is_folder);
    sim__disk_note_change(disk, to, inode, from, NULL);
    return ERR_OK;
}

static ErrorCode sim_unlink(Io *io, const char *path, Error *err) {
    TRY(enter_change(io, "remove", path, 0, 0, err));
    SimDisk *disk = disk_of(io);
    SimInode *inode = sim__names_get(&disk->current, path);
    if (inode == NULL || inode->is_folder) {
        return fail(err, inode == NULL ? ERR_FILE_MISSING : ERR_IO, "remove", path);
    }
    if (!skips(disk, SIM_SKIP_UNLINK, path)) {
        sim__disk_note_change(disk, path, NULL, NULL, NULL);
    }
    return ERR_OK;
}

static ErrorCode sim_link(Io *io, const char *from, const char *to, Error *err) {
    TRY(enter_change(io, "link", to, 0, 0, err));
    SimDisk *disk = disk_of(io);
    SimInode *inode = sim__names_get(&disk->current, from);
    if (inode == NULL || !folder_exists(disk, sim__parent(to))) {
        return fail(err, ERR_FILE_MISSING, "link", to);
    }
    if (sim__names_get(&disk->current, to) != NULL) {
        return fail(err, ERR_FILE_EXISTS, "link", to);
    }
    sim__disk_note_change(disk, to, inode, NULL, NULL);
    return ERR_OK;
}

static ErrorCode sim_make_folder(Io *io, const char *path, Error *err) {
    TRY(enter_change(io, "make folder", path, 0, 0, err));
    SimDisk *disk = disk_of(io);
    SimInode *inode = sim__names_get(&disk->current, path);
    if (inode != NULL) {
        return inode->is_folder ? ERR_OK : fail(err, ERR_FILE_EXISTS, "make folder", path);
    }
    if (!folder_exists(disk, sim__parent(path))) {
        return fail(err, ERR_FILE_MISSING, "make folder", path);
    }
    sim__disk_note_change(disk, path, sim__inode_create(true), NULL, NULL);
    return ERR_OK;
}

static ErrorCode sim_remove_folder(Io *io, const char *path, Error *err) {
    TRY(enter_change(io, "remove folder", path, 0, 0, err));
    SimDisk *disk = disk_of(io);
    SimInode *inode = sim__names_get(&disk->current, path);
    if (inode == NULL || !inode->is_folder) {
        return fail(err, inode == NULL ? ERR_FILE_MISSING : ERR_IO, "remove folder", path);
    }
    for (size_t i = 0; i < disk->current.count; i++) {
        if (str_equal(sim__parent(disk->current.items[i].path), str_from_c(path))) {
            return fail(err, ERR_IO, "remove folder", path);
        }
    }
    sim__disk_note_change(disk, path, NULL, NULL, NULL);
    return ERR_OK;
}

/* Visits copies, because the visitor may change names. */
static ErrorCode sim_list(Io *io, const char *path, IoListVisit visit, void *context, Error *err) {
    TRY(enter(io, "list", path, 0, 0, err));
    const SimDisk *disk = disk_of(io);
    Str folder = path[0] == '\0' ? STR(".") : str_from_c(path);
    if (!folder_exists(disk, folder)) {
        return fail(err, ERR_FILE_MISSING, "open folder", path);
    }
    Buffer names;
    buffer_init(&names, SIZE_MAX);
    for (size_t i = 0; i < disk->current.count; i++) {
        const SimName *name = &disk->current.items[i];
        if (str_equal(sim__parent(name->path), folder)) {
            const char *slash = strrchr(name->path, '/');
            buffer_put_u8(&names, name->inode->is_folder);
            buffer_put_text(&names, str_from_c(slash == NULL ? name->path : slash + 1));
        }
    }
    Reader reader = reader_from(buffer_bytes(&names));
    while (reader.at < reader.len) {
        bool is_folder = reader_u8(&reader) != 0;
        visit(context, reader_text(&reader), is_folder);
    }
    buffer_deinit(&names);
    return ERR_OK;
}

static ErrorCode sim_lock(Io *io, const char *path, Str content, Str *holder_out, Arena *arena, Error *err) {
    TRY(enter(io, "lock", path, 0, 0, err));
    SimDisk *disk = disk_of(io);
    if (disk->locked) {
        *holder_out = arena_str(arena, str_from_c(disk->lock_content));
        return error_set(err, ERR_FOLDER_IN_USE, ERROR_NO_POSITION, "the folder is in use by another process (%s)", disk->lock_content);
    }
    disk->locked = true;
    size_t len = MIN_OF(content.len, sizeof disk->lock_content - 1);
    if (len > 0) {
        memcpy(disk->lock_content, content.data, len);
    }
    disk->lock_content[len] = '\0';
    return ERR_OK;
}

static ErrorCode sim_free_space(Io *io, uint64_t *bytes_out, Error *err) {
    TRY(enter(io, "find the free space of", ".", 0, 0, err));
    const SimDisk *disk = disk_of(io);
    uint64_t used = sim_disk_used_bytes(disk);
    uint64_t limit = disk->limit_bytes == 0 ? UINT64_C(1) << 40 : disk->limit_bytes;
    *bytes_out = limit > used ? limit - used : 0;
    return ERR_OK;
}

const IoVtable SIM__IO = {
    .open = sim_open,
    .close = sim_close,
    .size = sim_size,
    .pread = sim_pread,
    .pwritev = sim_pwritev,
    .truncate = sim_truncate,
    .allocate = sim_allocate,
    .sync = sim_sync,
    .push = sim_push,
    .sync_folder = sim_sync_folder,
    .rename = sim_rename,
    .unlink = sim_unlink,
    .link = sim_link,
    .make_folder = sim_make_folder,
    .remove_folder = sim_remove_folder,
    .list = sim_list,
    .lock = sim_lock,
    .free_space = sim_free_space,
};
