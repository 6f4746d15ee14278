/* SPDX-License-Identifier: Apache-2.0
 * io_util.c - small files as a whole, over any Io.
 *
 * Why:   a file that is replaced is written beside its old version, synced, renamed over it, and the folder is synced; a crash at any
 *        step leaves the old or the new content.
 * Tests: test/unit/os/test_io.c, test/unit/sim/test_disk.c */
#include "os/os.h"

enum { WHOLE_FILE_BYTES_MAX = 1 << 30, PATH_BYTES_MAX = 1024 };

ErrorCode io_read_whole(Io *io, const char *path, Arena *arena, Bytes *bytes_out, Error *err) {
    File *file = NULL;
    TRY(io_open(io, path, IO_READ, &file, err));
    ErrorCode code;
    uint64_t size;
    TRY_OR(done, io_size(io, file, &size, err));
    if (size > WHOLE_FILE_BYTES_MAX) {
        code = error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "%s has %llu bytes, more than %d", path,
                         (unsigned long long)size, WHOLE_FILE_BYTES_MAX);
        goto done;
    }
    uint8_t *data = arena_alloc_aligned(arena, (size_t)size, 16);
    size_t read;
    TRY_OR(done, io_pread(io, file, data, (size_t)size, 0, &read, err));
    *bytes_out = (Bytes){data, read};
done:
    io_close(io, file);
    return code;
}

static ErrorCode write_beside(Io *io, const char *path, Bytes bytes, Error *err) {
    File *file = NULL;
    TRY(io_open(io, path, IO_CREATE_OR_OPEN, &file, err));
    ErrorCode code;
    IoVec vec = {bytes.data, bytes.len};
    TRY_OR(done, io_truncate(io, file, 0, err));
    TRY_OR(done, io_pwritev(io, file, &vec, 1, 0, err));
    TRY_OR(done, io_sync(io, file, err));
done:
    io_close(io, file);
    return code;
}

ErrorCode io_write_whole(Io *io, const char *path, Bytes bytes, Error *err) {
    char beside[PATH_BYTES_MAX];
    size_t len = strlen(path);
    assert(len + sizeof ".tmp" <= sizeof beside);
    memcpy(beside, path, len);
    memcpy(beside + len, ".tmp", sizeof ".tmp");
    ErrorCode code = write_beside(io, beside, bytes, err);
    if (code != ERR_OK) {
        (void)!io_unlink(io, beside, NULL);
        return code;
    }
    TRY(io_rename(io, beside, path, err));
    char *slash = strrchr(beside, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return io_sync_folder(io, slash == NULL ? "." : beside, err);
}

bool io_exists(Io *io, const char *path) {
    File *file = NULL;
    if (io_open(io, path, IO_READ, &file, NULL) != ERR_OK) {
        return false;
    }
    io_close(io, file);
    return true;
}
