/* SPDX-License-Identifier: Apache-2.0
 * os_internal.h - what the Linux files share. */
#pragma once
#include "os/os.h"

struct File {
    int fd;
    char path[]; /* for messages */
};

typedef struct LinuxOs {
    Io io;
    Clock clock;
    Rand rand;
    Sched sched;
    int root_fd;
    int lock_fd; /* -1: no lock taken */
} LinuxOs;

extern const IoVtable OS__LINUX_IO;
extern const Sched OS__LINUX_SCHED;

/* The root's descriptor of an Io of this folder. */
int os__root_fd(Io *io);
/* Fills err from an errno value: ERR_DISK_FULL, ERR_FILE_MISSING, ERR_FILE_EXISTS or ERR_IO; "cannot <what> <path>: <text>". */
ErrorCode os__error(Error *err, int error_number, const char *what, const char *path);
/* As os__error, but always with this code. */
ErrorCode os__error_as(Error *err, ErrorCode code, int error_number, const char *what, const char *path);

/* The calls that io_linux.c puts into the table and io_linux_names.c implements. */
ErrorCode os__sync_folder(Io *io, const char *path, Error *err);
ErrorCode os__rename(Io *io, const char *from, const char *to, Error *err);
ErrorCode os__unlink(Io *io, const char *path, Error *err);
ErrorCode os__link(Io *io, const char *from, const char *to, Error *err);
ErrorCode os__make_folder(Io *io, const char *path, Error *err);
ErrorCode os__remove_folder(Io *io, const char *path, Error *err);
ErrorCode os__list(Io *io, const char *path, IoListVisit visit, void *context, Error *err);
ErrorCode os__lock(Io *io, const char *path, Str content, Str *holder_out, Arena *arena, Error *err);
