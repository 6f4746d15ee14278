/* SPDX-License-Identifier: Apache-2.0
 * sim.h - the second implementation of os.h: a disk in memory that crashes, fibers instead of threads, a clock under control, seeded chance.
 *
 * Why:     one seed replays one run, Io call by Io call; a crash is an image of the disk, made at any call while the run goes on, so one run
 *          gives thousands of crash states.
 * Model:   an inode has durable content and a list of pending writes and sizes; names have a durable set and a list of pending changes.
 *          sync makes an inode durable, sync_folder the names of a folder. A crash keeps what is durable and some of what is pending.
 * Threads: everything of one world runs in the thread that calls sim_world_run. */
#pragma once
#include "os/os.h"

typedef struct SimDisk SimDisk;
typedef struct SimWorld SimWorld;

/* What a crash may do to pending state. */
typedef enum SimProfile {
    SIM_KILL,      /* the process only: everything written is there */
    SIM_NOTHING,   /* power: nothing pending survives */
    SIM_EXT4,      /* name changes survive in order, a file's sync takes earlier ones along; writes in order, sizes may grow before the data */
    SIM_ADVERSARY, /* each 512-byte sector old, new, half and half, zeros or garbage; each size old or new; any subset of name changes */
    SIM_PROFILE_COUNT
} SimProfile;

SimDisk *sim_disk_create(void);
void sim_disk_destroy(SimDisk *disk); /* NULL is fine; no file may be open */
/* A new disk with what a crash now would leave. The same disk, profile and seed give the same image. */
SimDisk *sim_disk_after_crash(const SimDisk *disk, SimProfile profile, uint64_t seed);
uint64_t sim_disk_hash(const SimDisk *disk);              /* of names and contents as a reader sees them */
uint64_t sim_disk_pending(const SimDisk *disk);           /* writes, sizes and name changes that a crash could take away */
uint64_t sim_disk_calls(const SimDisk *disk);             /* Io calls that change something, since create */
uint64_t sim_disk_used_bytes(const SimDisk *disk);
void sim_disk_limit_bytes(SimDisk *disk, uint64_t bytes); /* ERR_DISK_FULL beyond; 0 = none */
void sim_disk_fail_at(SimDisk *disk, uint64_t call, ErrorCode code); /* only this call (counted from 1) fails, without effect; a sync loses what was pending */
void sim_disk_stop_at(SimDisk *disk, uint64_t call);      /* power is off from this call on: each fails, the disk stays as it is */
/* Runs before each changing call: the place to take crash images. May not call the disk's Io. */
typedef void (*SimWatch)(void *context, SimDisk *disk, uint64_t call);
void sim_disk_watch(SimDisk *disk, SimWatch watch, void *context);
/* Bugs put in on purpose: calls of this kind on paths that contain `part` succeed without effect (sync, folder sync, truncate). */
typedef enum SimSkip { SIM_SKIP_NOTHING, SIM_SKIP_SYNC, SIM_SKIP_SYNC_FOLDER, SIM_SKIP_TRUNCATE, SIM_SKIP_UNLINK } SimSkip;
void sim_disk_skip(SimDisk *disk, SimSkip kind, const char *part);
void sim_disk_damage(SimDisk *disk, const char *path, uint64_t offset, uint8_t flip); /* flips bits of one byte, durably */

typedef struct SimOptions {
    uint64_t seed;
    uint32_t switch_one_in; /* at each lock and Io call another task may run with this chance; 0 = only where a task must wait */
    int cpu_count;          /* what the scheduler says; 0 = 1 */
} SimOptions;
/* The disk is borrowed; it serves one world at a time. */
SimWorld *sim_world_create(SimDisk *disk, const SimOptions *options);
void sim_world_destroy(SimWorld *world);
Os sim_world_os(SimWorld *world);
/* Runs main as the first task in the caller's own stack; returns when it and all tasks it started are done. Waiting with nobody left to wake
 * up is a fatal error that names the tasks. */
void sim_world_run(SimWorld *world, TaskMain main, void *argument);
void sim_world_advance(SimWorld *world, int64_t nanos);
uint64_t sim_world_trace(const SimWorld *world);          /* hash over all Io calls and task switches so far: equal seeds, equal traces */
