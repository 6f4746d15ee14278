/* SPDX-License-Identifier: Apache-2.0
 * io_linux.c - reading, writing and syncing of open files; the table of the Linux Io.
 *
 * Why:     everything goes through openat below one folder's descriptor, so that moving the process' working folder or a symbolic
 *          link in a path changes nothing. Interrupted and short calls are continued here and seen nowhere else.
 * Threads: any; a descriptor has no state of its own because all reads and writes name their offset.
 * Tests:   test/unit/os/test_io.c */
#include "os/os_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum { VECS_AT_ONCE = 64, FILE_MODE = 0600, ZEROS_BYTES = 65536 };

int os__root_fd(Io *io) {
    assert(io->vtable == &OS__LINUX_IO);
    return ((LinuxOs *)((char *)io - offsetof(LinuxOs, io)))->root_fd;
}

ErrorCode os__error_as(Error *err, ErrorCode code, int error_number, const char *what, const char *path) {
    char room[128];
    const char *text = strerror_r(error_number, room, sizeof room);
    return error_set(err, code, ERROR_NO_POSITION, "cannot %s %s: %s", what, path, text);
}

ErrorCode os__error(Error *err, int error_number, const char *what, const char *path) {
    ErrorCode code = ERR_IO;
    if (error_number == ENOSPC || error_number == EDQUOT) {
        code = ERR_DISK_FULL;
    } else if (error_number == ENOENT) {
        code = ERR_FILE_MISSING;
    } else if (error_number == EEXIST) {
        code = ERR_FILE_EXISTS;
    }
    return os__error_as(err, code, error_number, what, path);
}

static ErrorCode linux_open(Io *io, const char *path, IoOpenMode mode, File **file_out, Error *err) {
    static const int FLAGS[] = {[IO_READ] = O_RDONLY,
                                [IO_READ_WRITE] = O_RDWR,
                                [IO_CREATE] = O_RDWR | O_CREAT | O_EXCL,
                                [IO_CREATE_OR_OPEN] = O_RDWR | O_CREAT};
    assert(path[0] != '/');
    assert(strstr(path, "..") == NULL);
    int fd;
    do {
        fd = openat(os__root_fd(io), path, FLAGS[mode] | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return os__error(err, errno, mode == IO_CREATE ? "create" : "open", path);
    }
    size_t path_bytes = strlen(path) + 1;
    File *file = mem_alloc(sizeof(File) + path_bytes);
    file->fd = fd;
    memcpy(file->path, path, path_bytes);
    *file_out = file;
    return ERR_OK;
}

static void linux_close(Io *io, File *file) {
    (void)io;
    close(file->fd);
    mem_free(file);
}

static ErrorCode linux_size(Io *io, File *file, uint64_t *bytes_out, Error *err) {
    (void)io;
    struct stat status;
    if (fstat(file->fd, &status) != 0) {
        return os__error(err, errno, "find the size of", file->path);
    }
    *bytes_out = (uint64_t)status.st_size;
    return ERR_OK;
}

static ErrorCode linux_pread(Io *io, File *file, void *data, size_t len, uint64_t offset, size_t *read_out, Error *err) {
    (void)io;
    size_t done = 0;
    while (done < len) {
        ssize_t got = pread(file->fd, (char *)data + done, len - done, (off_t)(offset + done));
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return os__error(err, errno, "read", file->path);
        }
        done += got > 0 ? (size_t)got : 0;
    }
    *read_out = done;
    return ERR_OK;
}

/* Writes all of the vectors, which it may change. */
static ErrorCode write_all(File *file, struct iovec *vecs, int count, uint64_t offset, Error *err) {
    while (count > 0) {
        if (vecs->iov_len == 0) {
            vecs++;
            count--;
            continue;
        }
        ssize_t put = pwritev(file->fd, vecs, count, (off_t)offset);
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            return os__error(err, errno, "write", file->path);
        }
        offset += (uint64_t)put;
        size_t left = (size_t)put;
        while (count > 0 && left >= vecs->iov_len) {
            left -= vecs->iov_len;
            vecs++;
            count--;
        }
        if (left > 0) {
            vecs->iov_base = (char *)vecs->iov_base + left;
            vecs->iov_len -= left;
        }
    }
    return ERR_OK;
}

static ErrorCode linux_pwritev(Io *io, File *file, const IoVec *vecs, int count, uint64_t offset, Error *err) {
    (void)io;
    struct iovec room[VECS_AT_ONCE];
    while (count > 0) {
        int now = MIN_OF(count, VECS_AT_ONCE);
        uint64_t bytes = 0;
        for (int i = 0; i < now; i++) {
            room[i] = (struct iovec){(void *)(uintptr_t)vecs[i].data, vecs[i].len};
            bytes += vecs[i].len;
        }
        TRY(write_all(file, room, now, offset, err));
        offset += bytes;
        vecs += now;
        count -= now;
    }
    return ERR_OK;
}

static ErrorCode linux_truncate(Io *io, File *file, uint64_t bytes, Error *err) {
    (void)io;
    int result;
    do {
        result = ftruncate(file->fd, (off_t)bytes);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? ERR_OK : os__error(err, errno, "truncate", file->path);
}

/* For file systems that cannot reserve: zeros behind the end. */
static ErrorCode extend_by_writing(Io *io, File *file, uint64_t bytes, Error *err) {
    static const char ZEROS[ZEROS_BYTES];
    uint64_t at;
    TRY(linux_size(io, file, &at, err));
    while (at < bytes) {
        IoVec vec = {ZEROS, (size_t)MIN_OF(bytes - at, (uint64_t)ZEROS_BYTES)};
        TRY(linux_pwritev(io, file, &vec, 1, at, err));
        at += vec.len;
    }
    return ERR_OK;
}

static ErrorCode linux_allocate(Io *io, File *file, uint64_t bytes, Error *err) {
    if (bytes == 0) {
        return ERR_OK;
    }
    int result;
    do {
        result = fallocate(file->fd, 0, 0, (off_t)bytes);
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
        return ERR_OK;
    }
    if (errno == EOPNOTSUPP || errno == ENOSYS) {
        return extend_by_writing(io, file, bytes, err);
    }
    return os__error(err, errno, "reserve room for", file->path);
}

static ErrorCode linux_sync(Io *io, File *file, Error *err) {
    (void)io;
    return fdatasync(file->fd) == 0 ? ERR_OK : os__error_as(err, ERR_SYNC_FAILED, errno, "sync", file->path);
}

/* A hint: a file system that does not know it loses nothing but speed. */
static ErrorCode linux_push(Io *io, File *file, uint64_t offset, uint64_t len, Error *err) {
    (void)io;
    int result = sync_file_range(file->fd, (off_t)offset, (off_t)len, SYNC_FILE_RANGE_WRITE);
    if (result == 0 || errno == ENOSYS || errno == EINVAL || errno == ESPIPE || errno == EINTR) {
        return ERR_OK;
    }
    return os__error_as(err, ERR_SYNC_FAILED, errno, "write back", file->path);
}

static ErrorCode linux_free_space(Io *io, uint64_t *bytes_out, Error *err) {
    struct statvfs status;
    if (fstatvfs(os__root_fd(io), &status) != 0) {
        return os__error(err, errno, "find the free space of", "the data folder");
    }
    *bytes_out = (uint64_t)status.f_bavail * status.f_frsize;
    return ERR_OK;
}

const IoVtable OS__LINUX_IO = {
    .open = linux_open,
    .close = linux_close,
    .size = linux_size,
    .pread = linux_pread,
    .pwritev = linux_pwritev,
    .truncate = linux_truncate,
    .allocate = linux_allocate,
    .sync = linux_sync,
    .push = linux_push,
    .sync_folder = os__sync_folder,
    .rename = os__rename,
    .unlink = os__unlink,
    .link = os__link,
    .make_folder = os__make_folder,
    .remove_folder = os__remove_folder,
    .list = os__list,
    .lock = os__lock,
    .free_space = linux_free_space,
};
