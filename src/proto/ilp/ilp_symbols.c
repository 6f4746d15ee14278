/* SPDX-License-Identifier: Apache-2.0
 * ilp_symbols.c - text -> code of one symbol column, without asking the dictionary (and its lock) for each row.
 *
 * Why: codes of a dictionary never change, so the cache never goes stale; texts of at most 8 bytes are compared as one word. */
#include "proto/ilp/ilp_internal.h"
#include "proto/ilp/ilp_number.h"

enum { CACHE_CAPACITY_MIN = 64, SHORT_BYTES = 8 };

static uint64_t short_key(Str text) {
    assert_slow(text.len > 0);
    return ilp__load64(text.data) & (UINT64_MAX >> (64 - 8 * text.len));
}

static uint64_t slot_of(uint64_t key, size_t len) {
    return ((key ^ len) * 0x9e3779b97f4a7c15ULL) >> 32;
}

static bool entry_is(const SymbolEntry *entry, uint64_t key, Str text) {
    return entry->key == key && entry->len == text.len &&
           (text.len <= SHORT_BYTES || memcmp(entry->text, text.data, text.len) == 0);
}

static SymbolEntry *find(SymbolCache *cache, uint64_t key, Str text) {
    uint64_t mask = cache->capacity - 1;
    for (uint64_t i = slot_of(key, text.len) & mask;; i = (i + 1) & mask) {
        SymbolEntry *entry = &cache->entries[i];
        if (entry->code < 0 || entry_is(entry, key, text)) {
            return entry;
        }
    }
}

static void allocate(SymbolCache *cache, uint32_t capacity) {
    cache->entries = mem_alloc(capacity * sizeof(SymbolEntry));
    for (uint32_t i = 0; i < capacity; i++) {
        cache->entries[i].code = -1;
    }
    cache->capacity = capacity;
}

void ilp__symbols_clear(SymbolCache *cache) {
    mem_free(cache->entries);
    arena_deinit(&cache->texts);
    *cache = (SymbolCache){0};
}

static void make_room(SymbolCache *cache) {
    if (cache->capacity == 0) {
        arena_init(&cache->texts, SIZE_MAX);
        allocate(cache, CACHE_CAPACITY_MIN);
    } else if (cache->count >= cache->capacity / 2 && cache->capacity >= SYMBOL_CACHE_MAX) {
        ilp__symbols_clear(cache);
        allocate(cache, CACHE_CAPACITY_MIN);
    } else if (cache->count >= cache->capacity / 2) {
        SymbolEntry *old = cache->entries;
        uint32_t old_capacity = cache->capacity;
        allocate(cache, old_capacity * 2);
        for (uint32_t i = 0; i < old_capacity; i++) {
            if (old[i].code >= 0) {
                *find(cache, old[i].key, (Str){old[i].text, old[i].len}) = old[i];
            }
        }
        mem_free(old);
    }
}

int32_t ilp__symbol_code(IlpTableColumn *column, Str text, bool *bad_utf8_out) {
    SymbolCache *cache = &column->cache;
    if (text.len == 0) {
        return column->symbols->intern(column->symbols, text);
    }
    uint64_t key = text.len <= SHORT_BYTES ? short_key(text) : hash_bytes(text.data, text.len, 0);
    if (cache->capacity != 0) {
        const SymbolEntry *entry = find(cache, key, text);
        if (LIKELY(entry->code >= 0)) {
            return entry->code;
        }
    }
    if (!utf8_valid(text)) {
        *bad_utf8_out = true;
        return -1;
    }
    int32_t code = column->symbols->intern(column->symbols, text);
    if (code < 0) {
        return code;
    }
    make_room(cache);
    const char *copy = text.len <= SHORT_BYTES ? NULL : arena_str(&cache->texts, text).data;
    *find(cache, key, text) = (SymbolEntry){.key = key, .text = copy, .len = (uint32_t)text.len, .code = code};
    cache->count++;
    return code;
}
