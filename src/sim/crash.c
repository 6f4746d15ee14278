/* SPDX-License-Identifier: Apache-2.0
 * crash.c - the image that a crash leaves: durable state and, of the pending changes, what the profile and the seed say.
 *
 * Why:   each image is drawn either in whole changes (each write there or not) or in sectors; the first finds wrong orders, the second torn
 *        writes. A write that is half there may also lie behind a size that did not grow.
 * Tests: test/unit/sim/test_disk.c */
#include "sim/sim_internal.h"

typedef struct Draw {
    SimProfile profile;
    bool whole_changes; /* else sector by sector */
    Random random;
} Draw;

/* One sector of a write that may be torn. */
static void write_sector(SimContent *content, uint64_t offset, const uint8_t *data, size_t len, Random *random) {
    uint64_t fate = random_below(random, 16);
    if (fate < 6) {
        return; /* old */
    }
    if (fate < 12) {
        sim__content_write(content, offset, data, len);
        return;
    }
    if (fate < 14) { /* half and half */
        size_t half = len / 2;
        size_t from = fate == 12 ? 0 : half;
        sim__content_write(content, offset + from, data + from, fate == 12 ? half : len - half);
        return;
    }
    uint8_t sector[SIM_SECTOR_BYTES] = {0};
    if (fate == 15) {
        for (size_t i = 0; i < sizeof sector; i += 8) {
            put_u64le(sector + i, random_next(random));
        }
    }
    uint64_t begin = offset / SIM_SECTOR_BYTES * SIM_SECTOR_BYTES;
    size_t in_file = (size_t)MIN_OF((uint64_t)SIM_SECTOR_BYTES, MAX_OF(content->size, offset + len) - begin);
    sim__content_write(content, begin, sector, in_file);
}

static void write_torn(SimContent *content, const SimPending *pending, Random *random) {
    uint64_t at = pending->offset;
    size_t done = 0;
    while (done < pending->len) {
        size_t now = MIN_OF(pending->len - done, (size_t)(SIM_SECTOR_BYTES - at % SIM_SECTOR_BYTES));
        write_sector(content, at, pending->data + done, now, random);
        at += now;
        done += now;
    }
}

static void apply_adversary(SimContent *content, const SimInode *inode, Draw *draw) {
    for (size_t i = 0; i < inode->pending_count; i++) {
        const SimPending *pending = &inode->pending[i];
        if (pending->data != NULL && !draw->whole_changes) {
            write_torn(content, pending, &draw->random);
        } else if (random_chance(&draw->random, 1, 2)) {
            if (pending->data == NULL) {
                sim__content_resize(content, pending->offset);
            } else {
                sim__content_write(content, pending->offset, pending->data, pending->len);
            }
        }
    }
    switch (random_below(&draw->random, 3)) {
    case 0:
        sim__content_resize(content, inode->durable.size);
        break;
    case 1:
        sim__content_resize(content, inode->current.size);
        break;
    default:
        break;
    }
}

/* The first few changes are there; the size may already be that of later ones. */
static void apply_in_order(SimContent *content, const SimInode *inode, Draw *draw) {
    size_t kept = (size_t)random_below(&draw->random, inode->pending_count + 1);
    for (size_t i = 0; i < kept; i++) {
        const SimPending *pending = &inode->pending[i];
        if (pending->data == NULL) {
            sim__content_resize(content, pending->offset);
        } else {
            sim__content_write(content, pending->offset, pending->data, pending->len);
        }
    }
    if (kept < inode->pending_count && inode->current.size > content->size && random_chance(&draw->random, 1, 2)) {
        sim__content_resize(content, inode->current.size);
    }
}

static SimInode *crashed_inode(const SimInode *inode, Draw *draw) {
    SimInode *after = sim__inode_create(inode->is_folder);
    sim__content_copy(&after->durable, draw->profile == SIM_KILL ? &inode->current : &inode->durable);
    if (draw->profile == SIM_ADVERSARY && inode->pending_count > 0) {
        apply_adversary(&after->durable, inode, draw);
    } else if (draw->profile == SIM_EXT4 && inode->pending_count > 0) {
        apply_in_order(&after->durable, inode, draw);
    }
    sim__content_copy(&after->current, &after->durable);
    return after;
}

/* Which names there are: inodes of the crashed disk. */
static void crashed_names(const SimDisk *disk, Draw *draw, SimNames *names) {
    const SimNames *base = draw->profile == SIM_KILL ? &disk->current : &disk->durable;
    for (size_t i = 0; i < base->count; i++) {
        sim__names_set(names, base->items[i].path, base->items[i].inode);
    }
    if (draw->profile == SIM_KILL || draw->profile == SIM_NOTHING) {
        return;
    }
    size_t in_order = (size_t)random_below(&draw->random, disk->change_count + 1);
    for (size_t i = 0; i < disk->change_count; i++) {
        bool kept = draw->profile == SIM_ADVERSARY ? random_chance(&draw->random, 1, 2) : i < in_order || disk->changes[i].taken_along;
        if (kept) {
            sim__disk_apply(names, &disk->changes[i]);
        }
    }
}

static bool parent_exists(const SimNames *names, const char *path) {
    Str parent = sim__parent(path);
    if (str_equal(parent, STR("."))) {
        return true;
    }
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].inode->is_folder && str_equal(str_from_c(names->items[i].path), parent)) {
            return true;
        }
    }
    return false;
}

/* Two names of one inode (links) share the new inode too. */
static SimInode *inode_after(const SimNames *old, SimDisk *after, size_t index, Draw *draw) {
    for (size_t i = 0; i < index; i++) {
        if (old->items[i].inode == old->items[index].inode) {
            SimInode *made = sim__names_get(&after->durable, old->items[i].path);
            if (made != NULL) {
                return made;
            }
        }
    }
    return crashed_inode(old->items[index].inode, draw);
}

SimDisk *sim_disk_after_crash(const SimDisk *disk, SimProfile profile, uint64_t seed) {
    Draw draw = {.profile = profile};
    random_init(&draw.random, seed);
    draw.whole_changes = random_chance(&draw.random, 1, 2);
    SimNames names = {0};
    crashed_names(disk, &draw, &names);
    SimDisk *after = sim_disk_create();
    for (size_t i = 0; i < names.count; i++) {
        if (parent_exists(&names, names.items[i].path)) {
            SimInode *inode = inode_after(&names, after, i, &draw);
            sim__names_set(&after->durable, names.items[i].path, inode);
            sim__names_set(&after->current, names.items[i].path, inode);
        }
    }
    sim__names_free(&names);
    return after;
}
