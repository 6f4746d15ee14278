/* SPDX-License-Identifier: Apache-2.0
 * os_linux.c - the bundle for a data folder: files, clock, chance, threads; and facts about the process.
 * Tests: test/unit/os/test_io.c, test_sched.c */
#include "os/os_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER_MODE = 0700, OPEN_FILES_WANTED = 1 << 20 };

static int64_t wall_micros(Clock *clock) {
    (void)clock;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static int64_t monotonic_nanos(Clock *clock) {
    (void)clock;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static uint64_t rand_next(Rand *rand) {
    (void)rand;
    uint64_t value;
    while (getrandom(&value, sizeof value, 0) != sizeof value) {
        if (errno != EINTR) {
            fatal(ERR_IO, "the system gives no random numbers: errno %d", errno);
        }
    }
    return value;
}

ErrorCode os_linux_open(const char *root, bool create, Os *os_out, Error *err) {
    if (create && mkdir(root, FOLDER_MODE) != 0 && errno != EEXIST) {
        return os__error(err, errno, "make folder", root);
    }
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return os__error(err, errno, "open folder", root);
    }
    LinuxOs *os = mem_calloc(1, sizeof *os);
    os->root_fd = fd;
    os->lock_fd = -1;
    os->io.vtable = &OS__LINUX_IO;
    os->clock = (Clock){.wall_micros = wall_micros, .monotonic_nanos = monotonic_nanos};
    os->rand = (Rand){.next = rand_next};
    os->sched = OS__LINUX_SCHED;
    *os_out = (Os){.io = &os->io, .clock = &os->clock, .rand = &os->rand, .sched = &os->sched};
    return ERR_OK;
}

void os_linux_close(Os *os) {
    if (os->io == NULL) {
        return;
    }
    assert(os->io->vtable == &OS__LINUX_IO);
    LinuxOs *linux_os = (LinuxOs *)((char *)os->io - offsetof(LinuxOs, io));
    if (linux_os->lock_fd >= 0) {
        close(linux_os->lock_fd);
    }
    close(linux_os->root_fd);
    mem_free(linux_os);
    *os = (Os){0};
}

int64_t os_resident_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) {
        return 0;
    }
    long long total;
    long long resident = 0;
    int fields = fscanf(file, "%lld %lld", &total, &resident);
    fclose(file);
    return fields == 2 ? resident * sysconf(_SC_PAGESIZE) : 0;
}

int os_pid(void) {
    return (int)getpid();
}

int os_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = {.rlim_cur = MIN_OF(limit.rlim_max, (rlim_t)OPEN_FILES_WANTED), .rlim_max = limit.rlim_max};
        if (raised.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            limit = raised;
        }
    }
    return (int)MIN_OF(limit.rlim_cur, (rlim_t)INT32_MAX);
}
