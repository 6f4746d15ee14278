/* SPDX-License-Identifier: Apache-2.0
 * io_linux_names.c - folders, names, and the lock file.
 *
 * Why:   the lock is an "open file description" lock: it ends with the process however that dies, and a second open in the same
 *        process conflicts with it too. The file's content tells the second process who holds the folder.
 * Tests: test/unit/os/test_io.c */
#include "os/os_internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0700, FILE_MODE = 0600, LOCK_CONTENT_BYTES_MAX = 4096 };

static int open_folder(Io *io, const char *path) {
    int fd;
    do {
        fd = openat(os__root_fd(io), path[0] == '\0' ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

ErrorCode os__sync_folder(Io *io, const char *path, Error *err) {
    int fd = open_folder(io, path);
    if (fd < 0) {
        return os__error(err, errno, "open folder", path);
    }
    int result = fsync(fd);
    int error_number = errno;
    close(fd);
    return result == 0 ? ERR_OK : os__error_as(err, ERR_SYNC_FAILED, error_number, "sync folder", path);
}

ErrorCode os__rename(Io *io, const char *from, const char *to, Error *err) {
    int root = os__root_fd(io);
    return renameat(root, from, root, to) == 0 ? ERR_OK : os__error(err, errno, "rename", from);
}

ErrorCode os__unlink(Io *io, const char *path, Error *err) {
    return unlinkat(os__root_fd(io), path, 0) == 0 ? ERR_OK : os__error(err, errno, "remove", path);
}

ErrorCode os__link(Io *io, const char *from, const char *to, Error *err) {
    int root = os__root_fd(io);
    return linkat(root, from, root, to, 0) == 0 ? ERR_OK : os__error(err, errno, "link", to);
}

ErrorCode os__make_folder(Io *io, const char *path, Error *err) {
    if (mkdirat(os__root_fd(io), path, FOLDER_MODE) == 0) {
        return ERR_OK;
    }
    int error_number = errno;
    struct stat status;
    bool there = error_number == EEXIST && fstatat(os__root_fd(io), path, &status, AT_SYMLINK_NOFOLLOW) == 0;
    return there && S_ISDIR(status.st_mode) ? ERR_OK : os__error(err, error_number, "make folder", path);
}

ErrorCode os__remove_folder(Io *io, const char *path, Error *err) {
    return unlinkat(os__root_fd(io), path, AT_REMOVEDIR) == 0 ? ERR_OK : os__error(err, errno, "remove folder", path);
}

static bool entry_is_folder(int folder_fd, const struct dirent *entry) {
    if (entry->d_type != DT_UNKNOWN) {
        return entry->d_type == DT_DIR;
    }
    struct stat status;
    return fstatat(folder_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

ErrorCode os__list(Io *io, const char *path, IoListVisit visit, void *context, Error *err) {
    int fd = open_folder(io, path);
    if (fd < 0) {
        return os__error(err, errno, "open folder", path);
    }
    DIR *folder = fdopendir(fd);
    if (folder == NULL) {
        int error_number = errno;
        close(fd);
        return os__error(err, error_number, "list folder", path);
    }
    ErrorCode code = ERR_OK;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            code = errno == 0 ? ERR_OK : os__error(err, errno, "list folder", path);
            break;
        }
        Str name = str_from_c(entry->d_name);
        if (!str_equal(name, STR(".")) && !str_equal(name, STR(".."))) {
            visit(context, name, entry_is_folder(fd, entry));
        }
    }
    closedir(folder);
    return code;
}

/* Who holds the lock, from the file's content; empty if it cannot be read. */
static Str read_holder(int fd, Arena *arena) {
    char text[LOCK_CONTENT_BYTES_MAX];
    ssize_t len = pread(fd, text, sizeof text, 0);
    return len > 0 ? arena_str(arena, (Str){text, (size_t)len}) : STR("");
}

static ErrorCode write_content(int fd, const char *path, Str content, Error *err) {
    if (ftruncate(fd, 0) != 0) {
        return os__error(err, errno, "truncate", path);
    }
    ssize_t put = pwrite(fd, content.data, content.len, 0);
    if (put != (ssize_t)content.len) {
        return os__error(err, put < 0 ? errno : ENOSPC, "write", path);
    }
    return ERR_OK;
}

ErrorCode os__lock(Io *io, const char *path, Str content, Str *holder_out, Arena *arena, Error *err) {
    LinuxOs *os = (LinuxOs *)((char *)io - offsetof(LinuxOs, io));
    assert(content.len <= LOCK_CONTENT_BYTES_MAX);
    assert(os->lock_fd < 0);
    int fd = openat(os->root_fd, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0) {
        return os__error(err, errno, "open lock file", path);
    }
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &whole) != 0) {
        int error_number = errno;
        Str holder = read_holder(fd, arena);
        close(fd);
        if (error_number != EAGAIN && error_number != EACCES) {
            return os__error(err, error_number, "lock", path);
        }
        *holder_out = holder;
        return error_set(err, ERR_FOLDER_IN_USE, ERROR_NO_POSITION, "the folder is in use by another process (%.*s)",
                         STR_ARG(str_trim(holder)));
    }
    ErrorCode code = write_content(fd, path, content, err);
    if (code != ERR_OK) {
        close(fd);
        return code;
    }
    os->lock_fd = fd;
    return ERR_OK;
}
