/* SPDX-License-Identifier: Apache-2.0
 * mem_io.h - a small disk in memory for unit tests and fuzz targets: what was synced, what was not, and what a power
 * cut may leave of it.
 *
 * Why:        storage tests need a disk that crashes at every call, cheaply; the simulator adds time, tasks and
 *             profiles.
 * Model:      a file has durable bytes and visible bytes, a folder durable names and a list of name changes. A crash
 *             keeps durable state and, of the rest, nothing, everything, or a random part (sectors of 512 bytes each
 *             old, new, zero or garbage; each name change done or not; the size old or new).
 * Threads:    calls lock; crash and access functions run alone. */
#pragma once
#include "os/os.h"

typedef struct MemIo MemIo;
typedef enum MemCrash { MEM_CRASH_KILL /* process only */, MEM_CRASH_NOTHING, MEM_CRASH_RANDOM } MemCrash;

MemIo *mem_io_create(void);
void mem_io_destroy(MemIo *mem);
Io *mem_io_io(MemIo *mem);
/* A new disk with what the crash left of this one. */
MemIo *mem_io_after_crash(const MemIo *mem, MemCrash crash, uint64_t seed);

uint64_t mem_io_calls(const MemIo *mem);                    /* since create, close and list not counted */
/* this call (from 1) and all later ones fail; a write may half happen */
void mem_io_crash_at(MemIo *mem, uint64_t call);
void mem_io_fail_at(MemIo *mem, uint64_t call, ErrorCode code); /* only this call fails, without effect */
void mem_io_limit_bytes(MemIo *mem, uint64_t bytes);        /* ERR_DISK_FULL beyond; 0 = none */
uint64_t mem_io_total_bytes(const MemIo *mem);              /* of all files */
uint64_t mem_io_writes(const MemIo *mem);                   /* pwritev calls */

/* Direct access, for damage. NULL if there is no such file. */
uint8_t *mem_io_file(MemIo *mem, const char *path, size_t *len_out);
void mem_io_put_file(MemIo *mem, const char *path, const void *data, size_t len); /* durable */
uint32_t mem_io_file_count(const MemIo *mem);

/* An Os over the disk: a clock that advances by 1 us each time it is read, seeded chance, and no threads: waiting is
 * a failed assertion. Use inline modes with it. */
typedef struct MemOs {
    Clock clock;
    Rand rand;
    Sched sched;
    int64_t now_nanos;
    uint64_t random_state;
} MemOs;
Os mem_os_init(MemOs *mem_os, MemIo *mem, uint64_t seed);
