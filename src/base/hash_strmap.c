/* SPDX-License-Identifier: Apache-2.0
 * hash_strmap.c - text -> u64, open addressing with linear probing and removal by shifting back.
 *
 * Invariants: capacity is 0 or a power of two; count <= 3/4 capacity; a slot is free where key is NULL; keys live in the map's
 *             own arena and are copied together again when more than half of it is dead.
 * Threads:    one at a time. Tests: test/unit/base/test_hash.c */
#include "base/hash.h"

enum { CAPACITY_MIN = 16, DEAD_BYTES_MIN = 4096 };

struct StrMapSlot {
    const char *key; /* NULL: free */
    uint32_t key_len;
    uint32_t hash;
    uint64_t value;
};

void strmap_init(StrMap *map) {
    *map = (StrMap){0};
    arena_init(&map->keys, SIZE_MAX);
}

void strmap_deinit(StrMap *map) {
    mem_free(map->slots);
    arena_deinit(&map->keys);
    map->slots = NULL;
    map->count = map->capacity = map->removed_bytes = 0;
}

void strmap_clear(StrMap *map) {
    if (map->slots != NULL) {
        memset(map->slots, 0, map->capacity * sizeof(StrMapSlot));
    }
    map->count = 0;
    map->removed_bytes = 0;
    arena_reset(&map->keys);
}

static uint32_t hash_key(Str key) {
    return (uint32_t)hash_bytes(key.data, key.len, 0);
}

/* The slot that holds key, or the free one where it belongs. */
static StrMapSlot *find_slot(const StrMap *map, Str key, uint32_t hash) {
    assert(map->capacity != 0);
    size_t mask = map->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        StrMapSlot *slot = &map->slots[i];
        if (slot->key == NULL) {
            return slot;
        }
        if (slot->hash == hash && slot->key_len == key.len && memcmp(slot->key, key.data, key.len) == 0) {
            return slot;
        }
    }
}

bool strmap_get(const StrMap *map, Str key, uint64_t *value_out) {
    if (map->count == 0) {
        return false;
    }
    const StrMapSlot *slot = find_slot(map, key.data == NULL ? STR("") : key, hash_key(key));
    if (slot->key == NULL) {
        return false;
    }
    *value_out = slot->value;
    return true;
}

static void place(StrMap *map, StrMapSlot moved) {
    size_t mask = map->capacity - 1;
    size_t i = moved.hash & mask;
    while (map->slots[i].key != NULL) {
        i = (i + 1) & mask;
    }
    map->slots[i] = moved;
}

static void grow(StrMap *map) {
    StrMapSlot *old = map->slots;
    size_t old_capacity = map->capacity;
    map->capacity = old_capacity == 0 ? CAPACITY_MIN : old_capacity * 2;
    map->slots = mem_calloc(map->capacity, sizeof(StrMapSlot));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].key != NULL) {
            place(map, old[i]);
        }
    }
    mem_free(old);
}

bool strmap_put(StrMap *map, Str key, uint64_t value) {
    assert(key.len <= UINT32_MAX);
    if (map->count + 1 > map->capacity / 4 * 3) {
        grow(map);
    }
    uint32_t hash = hash_key(key);
    StrMapSlot *slot = find_slot(map, key.data == NULL ? STR("") : key, hash);
    if (slot->key != NULL) {
        slot->value = value;
        return false;
    }
    Str copy = arena_str(&map->keys, key);
    *slot = (StrMapSlot){.key = copy.data, .key_len = (uint32_t)key.len, .hash = hash, .value = value};
    map->count++;
    return true;
}

/* Copies the living keys into a fresh arena when most of the old one belongs to removed keys. */
static void compact_keys(StrMap *map) {
    Arena fresh;
    arena_init(&fresh, SIZE_MAX);
    for (size_t i = 0; i < map->capacity; i++) {
        StrMapSlot *slot = &map->slots[i];
        if (slot->key != NULL) {
            slot->key = arena_str(&fresh, (Str){slot->key, slot->key_len}).data;
        }
    }
    assert(fresh.used_bytes <= map->keys.used_bytes);
    arena_deinit(&map->keys);
    map->keys = fresh;
    map->removed_bytes = 0;
}

/* Moves later members of the probe run back over the hole, so that no tombstones are needed. */
static void close_hole(StrMap *map, size_t hole) {
    size_t mask = map->capacity - 1;
    for (size_t i = (hole + 1) & mask; map->slots[i].key != NULL; i = (i + 1) & mask) {
        size_t home = map->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (StrMapSlot){0};
}

bool strmap_remove(StrMap *map, Str key) {
    if (map->count == 0) {
        return false;
    }
    StrMapSlot *slot = find_slot(map, key.data == NULL ? STR("") : key, hash_key(key));
    if (slot->key == NULL) {
        return false;
    }
    close_hole(map, (size_t)(slot - map->slots));
    map->count--;
    map->removed_bytes += key.len;
    if (map->removed_bytes > DEAD_BYTES_MIN && map->removed_bytes > map->keys.used_bytes / 2) {
        compact_keys(map);
    }
    return true;
}

bool strmap_next(const StrMap *map, size_t *cursor, Str *key_out, uint64_t *value_out) {
    while (*cursor < map->capacity) {
        const StrMapSlot *slot = &map->slots[(*cursor)++];
        if (slot->key != NULL) {
            *key_out = (Str){slot->key, slot->key_len};
            *value_out = slot->value;
            return true;
        }
    }
    return false;
}
