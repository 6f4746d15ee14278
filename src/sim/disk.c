/* SPDX-License-Identifier: Apache-2.0
 * disk.c - the simulated disk's own calls: making, counting, faults, damage.
 * Tests: test/unit/sim/test_disk.c */
#include "base/hash.h"
#include "sim/sim_internal.h"

SimDisk *sim_disk_create(void) {
    return mem_calloc(1, sizeof(SimDisk));
}

void sim_disk_destroy(SimDisk *disk) {
    if (disk == NULL) {
        return;
    }
    while (disk->change_count > 0) {
        sim__disk_forget_change(disk, disk->change_count - 1);
    }
    mem_free(disk->changes);
    sim__names_free(&disk->current);
    sim__names_free(&disk->durable);
    mem_free(disk);
}

uint64_t sim_disk_hash(const SimDisk *disk) {
    uint64_t hash = 0; /* a sum, because the order of names means nothing */
    for (size_t i = 0; i < disk->current.count; i++) {
        const SimName *name = &disk->current.items[i];
        uint64_t content = name->inode->is_folder ? 1 : sim__content_hash(&name->inode->current);
        hash += hash_bytes(name->path, strlen(name->path), content);
    }
    return hash;
}

uint64_t sim_disk_pending(const SimDisk *disk) {
    uint64_t count = disk->change_count;
    for (size_t i = 0; i < disk->current.count; i++) {
        count += disk->current.items[i].inode->pending_count;
    }
    return count;
}

uint64_t sim_disk_calls(const SimDisk *disk) {
    return disk->calls;
}

uint64_t sim_disk_used_bytes(const SimDisk *disk) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < disk->current.count; i++) {
        bytes += sim__content_used_bytes(&disk->current.items[i].inode->current);
    }
    return bytes;
}

void sim_disk_limit_bytes(SimDisk *disk, uint64_t bytes) {
    disk->limit_bytes = bytes;
}

void sim_disk_fail_at(SimDisk *disk, uint64_t call, ErrorCode code) {
    assert(code != ERR_OK);
    disk->fail_at = call;
    disk->fail_code = code;
}

void sim_disk_stop_at(SimDisk *disk, uint64_t call) {
    disk->stop_at = call;
}

void sim_disk_watch(SimDisk *disk, SimWatch watch, void *context) {
    disk->watch = watch;
    disk->watch_context = context;
}

void sim_disk_skip(SimDisk *disk, SimSkip kind, const char *part) {
    disk->skip = kind;
    disk->skip_part = part;
}

void sim_disk_damage(SimDisk *disk, const char *path, uint64_t offset, uint8_t flip) {
    SimInode *inode = sim__names_get(&disk->current, path);
    assert(inode != NULL);
    SimContent *contents[] = {&inode->durable, &inode->current};
    for (size_t i = 0; i < COUNT_OF(contents); i++) {
        uint8_t byte;
        if (sim__content_read(contents[i], offset, &byte, 1) == 1) {
            byte ^= flip;
            sim__content_write(contents[i], offset, &byte, 1);
        }
    }
}
