/* SPDX-License-Identifier: Apache-2.0
 * sim_internal.h - structures of the simulated disk and the calls between its files. */
#pragma once
#include "base/random.h"
#include "sim/sim.h"

enum { SIM_PAGE_BYTES = 4096, SIM_SECTOR_BYTES = 512, SIM_NAME_ASSIGNMENTS = 2 };

/* Pages are shared by contents and copied on write; NULL is a page of zeros. */
typedef struct SimPage {
    uint32_t references;
    bool hashed;
    uint64_t hash;
    uint8_t bytes[SIM_PAGE_BYTES];
} SimPage;

typedef struct SimContent {
    SimPage **pages;
    size_t page_count;
    uint64_t size;
} SimContent;

void sim__content_copy(SimContent *to, const SimContent *from); /* to is empty */
void sim__content_free(SimContent *content);
void sim__content_resize(SimContent *content, uint64_t size);   /* growing gives zeros, shrinking forgets */
void sim__content_write(SimContent *content, uint64_t offset, const void *data, size_t len); /* extends */
size_t sim__content_read(const SimContent *content, uint64_t offset, void *data, size_t len);
uint64_t sim__content_hash(const SimContent *content);
uint64_t sim__content_used_bytes(const SimContent *content);

typedef struct SimPending {
    uint64_t offset;
    size_t len;
    uint8_t *data; /* NULL: the size becomes offset */
} SimPending;

typedef struct SimInode {
    uint32_t references; /* names, name changes and handles */
    bool is_folder;
    SimContent durable, current;
    SimPending *pending;
    size_t pending_count, pending_capacity;
} SimInode;

SimInode *sim__inode_create(bool is_folder);
SimInode *sim__inode_hold(SimInode *inode); /* NULL is fine */
void sim__inode_drop(SimInode *inode);
void sim__inode_note(SimInode *inode, uint64_t offset, const void *data, size_t len); /* one more pending change */
void sim__inode_clear_pending(SimInode *inode);

typedef struct SimName {
    char *path;
    SimInode *inode;
} SimName;

typedef struct SimNames {
    SimName *items;
    size_t count, capacity;
} SimNames;

SimInode *sim__names_get(const SimNames *names, const char *path);
void sim__names_set(SimNames *names, const char *path, SimInode *inode); /* NULL removes */
void sim__names_free(SimNames *names);
Str sim__parent(const char *path); /* "." for the root's children */

/* One change of names, atomic: up to two assignments (a rename has two). */
typedef struct SimNameChange {
    char *paths[SIM_NAME_ASSIGNMENTS];
    SimInode *inodes[SIM_NAME_ASSIGNMENTS];
    int count;
    bool taken_along; /* a file was synced after it: EXT4 keeps it */
} SimNameChange;

struct SimDisk {
    SimNames current, durable;
    SimNameChange *changes;
    size_t change_count, change_capacity;
    uint64_t calls, limit_bytes, fail_at, stop_at;
    ErrorCode fail_code;
    bool locked;
    char lock_content[256];
    SimWatch watch;
    void *watch_context;
    SimSkip skip;
    const char *skip_part;
};

void sim__disk_apply(SimNames *names, const SimNameChange *change);
void sim__disk_forget_change(SimDisk *disk, size_t index);
void sim__disk_note_change(SimDisk *disk, const char *path_a, SimInode *inode_a, const char *path_b, SimInode *inode_b);

/* The Io of a world over a disk. world may be NULL: then nobody is told. */
typedef struct SimIo {
    Io io;
    SimDisk *disk;
    SimWorld *world;
} SimIo;
extern const IoVtable SIM__IO;
/* A call happens: time passes, it goes into the trace, and another task may run. */
void sim__world_call(SimWorld *world, uint64_t trace_value);
