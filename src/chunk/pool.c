/* SPDX-License-Identifier: Apache-2.0
 * pool.c - memory of chunks, kept for reuse, because the first touch of a fresh page costs more than filling it.
 *
 * Why:     chunk columns have power-of-two sizes, so one free list per size serves all tables.
 * Tests:   test/unit/chunk/test_chunk.c */
#include "chunk/chunk.h"

void chunk_pool_init(ChunkPool *pool, Sched *sched, size_t kept_max) {
    *pool = (ChunkPool){.sched = sched, .kept_max = kept_max};
    sched->mutex_init(sched, &pool->lock);
}

void chunk_pool_deinit(ChunkPool *pool) {
    chunk_pool_trim(pool, 0);
    assert(pool->used_bytes == 0);
    pool->sched->mutex_deinit(pool->sched, &pool->lock);
}

/* -1: too small or too large to be kept. */
static int class_of(size_t bytes, size_t *class_bytes_out) {
    int bits = POOL_CLASS_MIN_BITS;
    while (bits <= POOL_CLASS_MAX_BITS && ((size_t)1 << bits) < bytes) {
        bits++;
    }
    bool kept = bytes > ((size_t)1 << (POOL_CLASS_MIN_BITS - 1)) && bits <= POOL_CLASS_MAX_BITS;
    *class_bytes_out = kept ? (size_t)1 << bits : bytes;
    return kept ? bits - POOL_CLASS_MIN_BITS : -1;
}

void *chunk_pool_acquire(ChunkPool *pool, size_t bytes) {
    size_t class_bytes = 0;
    int class = class_of(bytes, &class_bytes);
    void *memory = NULL;
    pool->sched->mutex_lock(pool->sched, &pool->lock);
    pool->used_bytes += class_bytes;
    if (class >= 0 && pool->free[class] != NULL) {
        memory = pool->free[class];
        memcpy(&pool->free[class], memory, sizeof(void *));
        pool->kept_bytes -= class_bytes;
    }
    pool->sched->mutex_unlock(pool->sched, &pool->lock);
    return memory != NULL ? memory : mem_alloc_aligned(class_bytes);
}

void chunk_pool_release(ChunkPool *pool, void *memory, size_t bytes) {
    if (memory == NULL) {
        return;
    }
    size_t class_bytes = 0;
    int class = class_of(bytes, &class_bytes);
    pool->sched->mutex_lock(pool->sched, &pool->lock);
    assert(pool->used_bytes >= class_bytes);
    pool->used_bytes -= class_bytes;
    bool keep = class >= 0 && pool->kept_bytes + class_bytes <= pool->kept_max;
    if (keep) {
        memcpy(memory, &pool->free[class], sizeof(void *));
        pool->free[class] = memory;
        pool->kept_bytes += class_bytes;
    }
    pool->sched->mutex_unlock(pool->sched, &pool->lock);
    if (!keep) {
        mem_free(memory);
    }
}

void chunk_pool_trim(ChunkPool *pool, size_t keep_bytes) {
    pool->sched->mutex_lock(pool->sched, &pool->lock);
    for (int class = POOL_CLASSES - 1; class >= 0; class--) {
        while (pool->free[class] != NULL && pool->kept_bytes > keep_bytes) {
            void *memory = pool->free[class];
            memcpy(&pool->free[class], memory, sizeof(void *));
            pool->kept_bytes -= (size_t)1 << (class + POOL_CLASS_MIN_BITS);
            mem_free(memory);
        }
    }
    pool->sched->mutex_unlock(pool->sched, &pool->lock);
}

size_t chunk_pool_used(ChunkPool *pool) {
    pool->sched->mutex_lock(pool->sched, &pool->lock);
    size_t used = pool->used_bytes;
    pool->sched->mutex_unlock(pool->sched, &pool->lock);
    return used;
}
