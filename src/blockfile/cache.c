/* SPDX-License-Identifier: Apache-2.0
 * cache.c - blocks kept in memory under a byte limit, shared by all readers; clock replacement.
 *
 * Layout:     shards by hash of the key; a shard = mutex, map key -> slot, array of slots that the clock hand walks.
 *             key = part << 59 | file id << 24 | block index, exact (a file has at most 2^24 blocks; part 0: the block itself); file ids
 *             from 2^35 on bypass.
 * Invariants: a pinned slot is never freed; a slot that left the map while pinned ("loose") is freed by its last
 *             release. Bytes of slots in the map never exceed the shard's limit.
 * Threads:    each shard's fields are guarded by its mutex. Reading from the file happens outside of it; two threads
 *             that miss the same block both read it, and the second one's copy is dropped.
 * Tests:      test/unit/blockfile/test_cache.c */
#include "blockfile/blockfile_internal.h"

enum { SHARD_COUNT = 8, INDEX_BITS = 24, FILE_ID_BITS = 35, PART_SHIFT = INDEX_BITS + FILE_ID_BITS, SHARE_OF_SHARD_MAX = 4, SLOTS_FIRST = 64 };
_Static_assert(BLOCK_PARTS_MAX + 1 == 1 << (64 - PART_SHIFT), "parts fill the key");
_Static_assert(BLOCKFILE_BLOCKS_MAX == 1 << INDEX_BITS, "a block index fits its part of the key");

typedef struct CacheShard CacheShard;
typedef struct CacheSlot {
    CacheShard *shard;
    uint64_t key;
    uint32_t bytes, pins, position;
    bool loose, used; /* used: touched since the hand passed */
} CacheSlot;          /* the payload follows at BLOCKFILE_ALIGNMENT */
_Static_assert(sizeof(CacheSlot) <= BLOCKFILE_ALIGNMENT, "the payload begins behind the slot");

struct CacheShard {
    Mutex mutex; /* guards all fields below */
    IntMap map;  /* key -> position in slots */
    CacheSlot **slots;
    uint32_t count, capacity, hand;
    uint64_t bytes, limit_bytes;
    uint64_t hits, misses, evictions;
};

struct BlockCache {
    Sched *sched;
    CacheShard shards[SHARD_COUNT];
};

BlockCache *block_cache_create(Sched *sched, uint64_t limit_bytes) {
    BlockCache *cache = mem_calloc(1, sizeof *cache);
    cache->sched = sched;
    for (int i = 0; i < SHARD_COUNT; i++) {
        CacheShard *shard = &cache->shards[i];
        sched->mutex_init(sched, &shard->mutex);
        intmap_init(&shard->map);
        shard->limit_bytes = limit_bytes / SHARD_COUNT;
    }
    return cache;
}

void block_cache_destroy(BlockCache *cache) {
    if (cache == NULL) {
        return;
    }
    for (int i = 0; i < SHARD_COUNT; i++) {
        CacheShard *shard = &cache->shards[i];
        for (uint32_t s = 0; s < shard->count; s++) {
            assert(shard->slots[s]->pins == 0);
            mem_free(shard->slots[s]);
        }
        mem_free(shard->slots);
        intmap_deinit(&shard->map);
        cache->sched->mutex_deinit(cache->sched, &shard->mutex);
    }
    mem_free(cache);
}

static CacheSlot *slot_create(uint64_t key, uint32_t bytes) {
    CacheSlot *slot = mem_alloc_aligned(BLOCKFILE_ALIGNMENT + (size_t)bytes);
    *slot = (CacheSlot){.key = key, .bytes = bytes, .pins = 1, .loose = true, .used = true};
    return slot;
}

static uint8_t *slot_payload(CacheSlot *slot) {
    return (uint8_t *)slot + BLOCKFILE_ALIGNMENT;
}

static void fill_pin(BlockPin *pin, CacheSlot *slot) {
    *pin = (BlockPin){.data = bytes_from(slot_payload(slot), slot->bytes), .slot = slot};
}

/* Mutex held. */
static CacheSlot *find_slot(CacheShard *shard, uint64_t key) {
    uint64_t position = 0;
    if (!intmap_get(&shard->map, key, &position)) {
        return NULL;
    }
    CacheSlot *slot = shard->slots[position];
    assert(slot->key == key);
    return slot;
}

/* Mutex held. The slot leaves map and array; if nobody holds it, its memory too. */
static void remove_slot(CacheShard *shard, CacheSlot *slot) {
    bool was_there = intmap_remove(&shard->map, slot->key);
    assert(was_there);
    (void)was_there;
    CacheSlot *last = shard->slots[--shard->count];
    shard->slots[slot->position] = last;
    last->position = slot->position;
    if (last != slot) {
        intmap_put(&shard->map, last->key, last->position);
    }
    shard->bytes -= slot->bytes;
    slot->loose = true;
    if (slot->pins == 0) {
        mem_free(slot);
    }
}

/* Mutex held. False if pins leave no room: the block is then not kept. */
static bool make_room(CacheShard *shard, uint64_t bytes) {
    uint64_t steps_left = 2 * (uint64_t)shard->count;
    while (shard->bytes + bytes > shard->limit_bytes) {
        if (steps_left-- == 0) {
            return false;
        }
        shard->hand = shard->hand >= shard->count ? 0 : shard->hand;
        CacheSlot *slot = shard->slots[shard->hand];
        if (slot->pins == 0 && !slot->used) {
            remove_slot(shard, slot);
            shard->evictions++;
            continue; /* the last slot moved to this place */
        }
        slot->used = false;
        shard->hand++;
    }
    return true;
}

/* Mutex held. */
static void insert_slot(CacheShard *shard, CacheSlot *slot) {
    if (shard->count == shard->capacity) {
        shard->capacity = shard->capacity == 0 ? SLOTS_FIRST : 2 * shard->capacity;
        shard->slots = mem_realloc(shard->slots, shard->capacity * sizeof *shard->slots);
    }
    slot->position = shard->count++;
    slot->loose = false;
    shard->slots[slot->position] = slot;
    shard->bytes += slot->bytes;
    intmap_put(&shard->map, slot->key, slot->position);
}

/* Mutex held. Returns the slot to hand out: the new one, kept or not, or the one another thread put there meanwhile. */
static CacheSlot *keep_slot(CacheShard *shard, CacheSlot *slot) {
    CacheSlot *other = find_slot(shard, slot->key);
    if (other != NULL) {
        other->pins++;
        mem_free(slot);
        return other;
    }
    if (slot->bytes <= shard->limit_bytes / SHARE_OF_SHARD_MAX && make_room(shard, slot->bytes)) {
        insert_slot(shard, slot);
    }
    return slot;
}

static ErrorCode read_block(const BlockFile *file, uint32_t index, CacheSlot *slot, Error *err) {
    return blockfile_read(file, index, slot_payload(slot), slot->bytes, err);
}

static uint64_t key_of(uint64_t file_id, uint32_t index, uint32_t part) {
    return (uint64_t)part << PART_SHIFT | file_id << INDEX_BITS | index;
}

static uint64_t file_of(uint64_t key) { return key >> INDEX_BITS & ((UINT64_C(1) << FILE_ID_BITS) - 1); }

/* From the cache: pinned; NULL: it is not there. */
static CacheSlot *take_slot(BlockCache *cache, CacheShard *shard, uint64_t key) {
    cache->sched->mutex_lock(cache->sched, &shard->mutex);
    CacheSlot *slot = find_slot(shard, key);
    if (slot != NULL) {
        slot->pins++;
        slot->used = true;
        shard->hits++;
    } else {
        shard->misses++;
    }
    cache->sched->mutex_unlock(cache->sched, &shard->mutex);
    return slot;
}

/* part NULL: the block itself. */
static ErrorCode read_or_make(BlockCache *cache, const BlockFile *file, uint32_t index, const BlockPart *part, BlockPin *pin_out, Error *err) {
    uint64_t file_id = blockfile_header(file)->file_id;
    uint64_t key = key_of(file_id, index, part == NULL ? 0 : part->part + 1);
    CacheShard *shard = &cache->shards[hash_u64(key) % SHARD_COUNT];
    bool cachable = file_id >> FILE_ID_BITS == 0;
    CacheSlot *slot = cachable ? take_slot(cache, shard, key) : NULL;
    if (slot == NULL) {
        slot = slot_create(key, part == NULL ? blockfile_entry(file, index).bytes : part->bytes);
        ErrorCode code = part == NULL ? read_block(file, index, slot, err) : part->make(part->context, slot_payload(slot), part->bytes, err);
        if (code != ERR_OK) {
            mem_free(slot);
            return code;
        }
        slot->shard = shard;
        if (cachable) {
            cache->sched->mutex_lock(cache->sched, &shard->mutex);
            slot = keep_slot(shard, slot);
            cache->sched->mutex_unlock(cache->sched, &shard->mutex);
        }
    }
    fill_pin(pin_out, slot);
    return ERR_OK;
}

ErrorCode block_cache_read(BlockCache *cache, const BlockFile *file, uint32_t index, BlockPin *pin_out, Error *err) {
    return read_or_make(cache, file, index, NULL, pin_out, err);
}

ErrorCode block_cache_part(BlockCache *cache, const BlockFile *file, uint32_t index, const BlockPart *part, BlockPin *pin_out, Error *err) {
    assert(part->part < BLOCK_PARTS_MAX);
    return read_or_make(cache, file, index, part, pin_out, err);
}

void block_cache_release(BlockCache *cache, BlockPin *pin) {
    CacheSlot *slot = pin->slot;
    if (slot == NULL) {
        return;
    }
    CacheShard *shard = slot->shard;
    cache->sched->mutex_lock(cache->sched, &shard->mutex);
    assert(slot->pins > 0);
    bool unused = --slot->pins == 0 && slot->loose;
    cache->sched->mutex_unlock(cache->sched, &shard->mutex);
    if (unused) {
        mem_free(slot);
    }
    *pin = (BlockPin){0};
}

void block_cache_forget(BlockCache *cache, uint64_t file_id) {
    for (int i = 0; i < SHARD_COUNT; i++) {
        CacheShard *shard = &cache->shards[i];
        cache->sched->mutex_lock(cache->sched, &shard->mutex);
        for (uint32_t s = shard->count; s-- > 0;) {
            if (file_of(shard->slots[s]->key) == file_id) {
                remove_slot(shard, shard->slots[s]);
            }
        }
        cache->sched->mutex_unlock(cache->sched, &shard->mutex);
    }
}

void block_cache_stats(BlockCache *cache, BlockCacheStats *stats_out) {
    *stats_out = (BlockCacheStats){0};
    for (int i = 0; i < SHARD_COUNT; i++) {
        CacheShard *shard = &cache->shards[i];
        cache->sched->mutex_lock(cache->sched, &shard->mutex);
        stats_out->hits += shard->hits;
        stats_out->misses += shard->misses;
        stats_out->evictions += shard->evictions;
        stats_out->bytes += shard->bytes;
        stats_out->blocks += shard->count;
        cache->sched->mutex_unlock(cache->sched, &shard->mutex);
    }
}

uint64_t block_cache_limit(const BlockCache *cache) {
    return cache->shards[0].limit_bytes * SHARD_COUNT;
}

void block_cache_clear(BlockCache *cache) {
    for (int i = 0; i < SHARD_COUNT; i++) {
        CacheShard *shard = &cache->shards[i];
        cache->sched->mutex_lock(cache->sched, &shard->mutex);
        for (uint32_t s = shard->count; s-- > 0;) {
            if (shard->slots[s]->pins == 0) {
                remove_slot(shard, shard->slots[s]);
            }
        }
        cache->sched->mutex_unlock(cache->sched, &shard->mutex);
    }
}
