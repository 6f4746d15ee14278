/* SPDX-License-Identifier: Apache-2.0
 * names.c - sets of names and the changes that wait to become durable. A database has few files, so sets are plain arrays.
 * Tests: test/unit/sim/test_disk.c */
#include "sim/sim_internal.h"

static size_t find(const SimNames *names, const char *path) {
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i].path, path) == 0) {
            return i;
        }
    }
    return names->count;
}

static char *copy_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

SimInode *sim__names_get(const SimNames *names, const char *path) {
    size_t at = find(names, path);
    return at == names->count ? NULL : names->items[at].inode;
}

void sim__names_set(SimNames *names, const char *path, SimInode *inode) {
    sim__inode_hold(inode);
    size_t at = find(names, path);
    if (at < names->count) {
        sim__inode_drop(names->items[at].inode);
        names->items[at].inode = inode;
        if (inode == NULL) {
            mem_free(names->items[at].path);
            names->items[at] = names->items[--names->count];
        }
        return;
    }
    if (inode == NULL) {
        return;
    }
    if (names->count == names->capacity) {
        names->capacity = names->capacity == 0 ? 16 : names->capacity * 2;
        names->items = mem_realloc(names->items, names->capacity * sizeof *names->items);
    }
    names->items[names->count++] = (SimName){copy_text(path), inode};
}

void sim__names_free(SimNames *names) {
    for (size_t i = 0; i < names->count; i++) {
        sim__inode_drop(names->items[i].inode);
        mem_free(names->items[i].path);
    }
    mem_free(names->items);
    *names = (SimNames){0};
}

Str sim__parent(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? STR(".") : (Str){path, (size_t)(slash - path)};
}

void sim__disk_apply(SimNames *names, const SimNameChange *change) {
    for (int i = 0; i < change->count; i++) {
        sim__names_set(names, change->paths[i], change->inodes[i]);
    }
}

void sim__disk_forget_change(SimDisk *disk, size_t index) {
    SimNameChange *change = &disk->changes[index];
    for (int i = 0; i < change->count; i++) {
        mem_free(change->paths[i]);
        sim__inode_drop(change->inodes[i]);
    }
    disk->change_count--;
    memmove(change, change + 1, (disk->change_count - index) * sizeof *change);
}

void sim__disk_note_change(SimDisk *disk, const char *path_a, SimInode *inode_a, const char *path_b, SimInode *inode_b) {
    if (disk->change_count == disk->change_capacity) {
        disk->change_capacity = disk->change_capacity == 0 ? 16 : disk->change_capacity * 2;
        disk->changes = mem_realloc(disk->changes, disk->change_capacity * sizeof *disk->changes);
    }
    SimNameChange *change = &disk->changes[disk->change_count++];
    *change = (SimNameChange){.count = path_b == NULL ? 1 : 2};
    change->paths[0] = copy_text(path_a);
    change->inodes[0] = sim__inode_hold(inode_a);
    if (path_b != NULL) {
        change->paths[1] = copy_text(path_b);
        change->inodes[1] = sim__inode_hold(inode_b);
    }
    sim__disk_apply(&disk->current, change);
}
