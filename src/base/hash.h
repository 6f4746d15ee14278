/* SPDX-License-Identifier: Apache-2.0
 * hash.h - CRC-32C, 64-bit hashing, and two hash maps with a byte key or a u64 key. */
#pragma once
#include "base/memory.h"

uint32_t crc32c(uint32_t seed, const void *data, size_t len); /* Castagnoli, RFC 3720; SSE4.2 where the CPU has it; seed 0 to start */
uint64_t hash_bytes(const void *data, size_t len, uint64_t seed); /* not cryptographic; equal on every machine */
static inline uint64_t hash_u64(uint64_t x) { /* murmur3 finaliser */
    x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL; return x ^ (x >> 33);
}

/* Str -> uint64_t. Keys are copied into the map. Grows by doubling; no limit of its own (the owner counts). */
typedef struct StrMapSlot StrMapSlot;
typedef struct StrMap {
    StrMapSlot *slots;
    size_t count, capacity;
    size_t removed_bytes; /* of keys that are still in the arena */
    Arena keys;
} StrMap;
void strmap_init(StrMap *map);
void strmap_deinit(StrMap *map);
void strmap_clear(StrMap *map);
bool strmap_get(const StrMap *map, Str key, uint64_t *value_out); /* false and *value_out untouched if absent */
bool strmap_put(StrMap *map, Str key, uint64_t value);            /* true if new, false if replaced */
bool strmap_remove(StrMap *map, Str key);
/* Walk: for (size_t i = 0; strmap_next(map, &i, &key, &value);) */
bool strmap_next(const StrMap *map, size_t *cursor, Str *key_out, uint64_t *value_out);

typedef struct IntMapSlot IntMapSlot;
typedef struct IntMap { IntMapSlot *slots; size_t count, capacity; } IntMap;
void intmap_init(IntMap *map);
void intmap_deinit(IntMap *map);
bool intmap_get(const IntMap *map, uint64_t key, uint64_t *value_out);
bool intmap_put(IntMap *map, uint64_t key, uint64_t value);
bool intmap_remove(IntMap *map, uint64_t key);
bool intmap_next(const IntMap *map, size_t *cursor, uint64_t *key_out, uint64_t *value_out);
