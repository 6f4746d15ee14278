/* SPDX-License-Identifier: Apache-2.0
 * hash_intmap.c - u64 -> u64, open addressing with linear probing and removal by shifting back.
 *
 * Invariants: capacity is 0 or a power of two; count <= 3/4 capacity.
 * Threads:    one at a time. Tests: test/unit/base/test_hash.c */
#include "base/hash.h"

enum { CAPACITY_MIN = 16 };

struct IntMapSlot {
    uint64_t key, value;
    bool used;
};

void intmap_init(IntMap *map) {
    *map = (IntMap){0};
}

void intmap_deinit(IntMap *map) {
    mem_free(map->slots);
    *map = (IntMap){0};
}

static IntMapSlot *find_slot(const IntMap *map, uint64_t key) {
    assert(map->capacity != 0);
    size_t mask = map->capacity - 1;
    size_t i = hash_u64(key) & mask;
    while (map->slots[i].used && map->slots[i].key != key) {
        i = (i + 1) & mask;
    }
    return &map->slots[i];
}

bool intmap_get(const IntMap *map, uint64_t key, uint64_t *value_out) {
    if (map->count == 0) {
        return false;
    }
    const IntMapSlot *slot = find_slot(map, key);
    if (!slot->used) {
        return false;
    }
    *value_out = slot->value;
    return true;
}

static void grow(IntMap *map) {
    IntMap old = *map;
    map->capacity = old.capacity == 0 ? CAPACITY_MIN : old.capacity * 2;
    map->slots = mem_calloc(map->capacity, sizeof(IntMapSlot));
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].used) {
            *find_slot(map, old.slots[i].key) = old.slots[i];
        }
    }
    mem_free(old.slots);
}

bool intmap_put(IntMap *map, uint64_t key, uint64_t value) {
    if (map->count + 1 > map->capacity / 4 * 3) {
        grow(map);
    }
    IntMapSlot *slot = find_slot(map, key);
    bool fresh = !slot->used;
    *slot = (IntMapSlot){.key = key, .value = value, .used = true};
    map->count += fresh;
    return fresh;
}

/* Moves later members of the probe run back over the hole, so that no tombstones are needed. */
static void close_hole(IntMap *map, size_t hole) {
    size_t mask = map->capacity - 1;
    for (size_t i = (hole + 1) & mask; map->slots[i].used; i = (i + 1) & mask) {
        size_t home = hash_u64(map->slots[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (IntMapSlot){0};
}

bool intmap_remove(IntMap *map, uint64_t key) {
    if (map->count == 0) {
        return false;
    }
    IntMapSlot *slot = find_slot(map, key);
    if (!slot->used) {
        return false;
    }
    close_hole(map, (size_t)(slot - map->slots));
    map->count--;
    return true;
}

bool intmap_next(const IntMap *map, size_t *cursor, uint64_t *key_out, uint64_t *value_out) {
    while (*cursor < map->capacity) {
        const IntMapSlot *slot = &map->slots[(*cursor)++];
        if (slot->used) {
            *key_out = slot->key;
            *value_out = slot->value;
            return true;
        }
    }
    return false;
}
