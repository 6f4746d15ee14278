/* SPDX-License-Identifier: Apache-2.0
 * memory_arena.c - arenas: allocation by moving a pointer, freed all at once.
 *
 * Layout:     a list of blocks, newest first; each block is a header and, from the next multiple of 64 on, its room. Blocks double from
 *             4 KiB to 1 MiB; a request larger than that gets a block of its own size.
 * Why:        blocks come from malloc, whose cache of small pieces aligned allocation does not use. A reset keeps the blocks in `spare`, because the first touch of a fresh page costs far more than its use.
 * Invariants: next <= end; both lie in the head block (or are NULL); used_bytes counts what callers asked for.
 * Threads:    one at a time. Tests: test/unit/base/test_memory.c */
#include "base/memory.h"
#include <stdarg.h>
#include <stdio.h>

#ifdef MEMORY_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { BLOCK_BYTES_MIN = 1024, BLOCK_BYTES_MAX = 1 << 20, HEADER_BYTES = 64, BLOCK_ALIGNMENT = 64 };

struct ArenaBlock {
    ArenaBlock *older;
    size_t bytes; /* with the header */
};
_Static_assert(sizeof(ArenaBlock) == 16, "malloc gives 16-byte alignment: header and gap before aligned room take HEADER_BYTES at most");

static uint8_t *block_begin(ArenaBlock *block) {
    uint8_t *behind = (uint8_t *)block + sizeof(ArenaBlock);
    return behind + (-(uintptr_t)behind & (BLOCK_ALIGNMENT - 1));
}

static uint8_t *block_end(ArenaBlock *block) {
    return (uint8_t *)block + block->bytes;
}

void arena_init(Arena *arena, size_t limit_bytes) {
    assert(arena != NULL);
    *arena = (Arena){.limit_bytes = limit_bytes, .block_bytes = BLOCK_BYTES_MIN};
}

static void free_list(ArenaBlock *block) {
    while (block != NULL) {
        ArenaBlock *older = block->older;
        ASAN_UNPOISON_MEMORY_REGION(block, block->bytes);
        mem_free(block);
        block = older;
    }
}

void arena_deinit(Arena *arena) {
    free_list(arena->head);
    free_list(arena->spare);
    *arena = (Arena){.limit_bytes = arena->limit_bytes, .block_bytes = BLOCK_BYTES_MIN};
}

static void retire_head(Arena *arena) {
    ArenaBlock *block = arena->head;
    assert(block != NULL);
    ASAN_POISON_MEMORY_REGION(block_begin(block), (size_t)(block_end(block) - block_begin(block)));
    arena->head = block->older;
    block->older = arena->spare;
    arena->spare = block;
}

void arena_reset(Arena *arena) {
    while (arena->head != NULL) {
        retire_head(arena);
    }
    arena->next = arena->end = NULL;
    arena->used_bytes = 0;
    arena->over_limit = false;
}

/* The first spare block with enough room, taken out of the list; NULL if there is none. */
static ArenaBlock *take_spare(Arena *arena, size_t bytes) {
    for (ArenaBlock **link = &arena->spare; *link != NULL; link = &(*link)->older) {
        ArenaBlock *block = *link;
        if (block->bytes >= bytes) {
            *link = block->older;
            return block;
        }
    }
    return NULL;
}

static ArenaBlock *new_block(Arena *arena, size_t bytes) {
    if (arena->block_bytes == 0) {
        arena->block_bytes = BLOCK_BYTES_MIN; /* a zeroed Arena */
    }
    size_t want = MAX_OF(bytes, arena->block_bytes);
    if (arena->block_bytes < BLOCK_BYTES_MAX) {
        arena->block_bytes *= 2;
    }
    ArenaBlock *block = mem_alloc(want);
    block->bytes = want;
    ASAN_POISON_MEMORY_REGION(block_begin(block), (size_t)(block_end(block) - block_begin(block)));
    return block;
}

static void push_block(Arena *arena, size_t bytes, size_t alignment) {
    size_t slack = alignment > HEADER_BYTES ? alignment : 0;
    assert(bytes <= SIZE_MAX / 2);
    size_t need = bytes + slack + HEADER_BYTES;
    ArenaBlock *block = take_spare(arena, need);
    if (block == NULL) {
        block = new_block(arena, need);
    }
    block->older = arena->head;
    arena->head = block;
    arena->next = block_begin(block);
    arena->end = block_end(block);
}

static uint8_t *align_up(uint8_t *pointer, size_t alignment) {
    return pointer + (-(uintptr_t)pointer & (alignment - 1));
}

void *arena_alloc_slowly(Arena *arena, size_t bytes, size_t alignment) {
    assert(alignment != 0);
    assert((alignment & (alignment - 1)) == 0);
    uint8_t *at = arena->next == NULL ? NULL : align_up(arena->next, alignment);
    if (UNLIKELY(at == NULL || at > arena->end || bytes > (size_t)(arena->end - at))) {
        push_block(arena, bytes, alignment);
        at = align_up(arena->next, alignment);
    }
    arena->next = at + bytes;
    assert(arena->next <= arena->end);
    arena->used_bytes += bytes;
    arena->over_limit |= arena->used_bytes > arena->limit_bytes;
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    return at;
}

ArenaMark arena_mark(const Arena *arena) {
    return (ArenaMark){.head = arena->head, .next = arena->next, .used_bytes = arena->used_bytes};
}

void arena_rewind(Arena *arena, ArenaMark mark) {
    while (arena->head != mark.head) {
        retire_head(arena);
    }
    arena->next = mark.next;
    arena->end = mark.head == NULL ? NULL : block_end(mark.head);
    arena->used_bytes = mark.used_bytes;
    arena->over_limit = arena->used_bytes > arena->limit_bytes;
    if (arena->next != NULL) {
        ASAN_POISON_MEMORY_REGION(arena->next, (size_t)(arena->end - arena->next));
    }
}

Str arena_str(Arena *arena, Str s) {
    char *copy = arena_alloc_aligned(arena, s.len, 1);
    if (s.len != 0) {
        memcpy(copy, s.data, s.len);
    }
    return (Str){copy, s.len};
}

const char *arena_c_text(Arena *arena, Str s) {
    char *copy = arena_alloc_aligned(arena, s.len + 1, 1);
    if (s.len != 0) {
        memcpy(copy, s.data, s.len);
    }
    copy[s.len] = '\0';
    return copy;
}

Str arena_upper(Arena *arena, Str s) {
    char *copy = arena_alloc_aligned(arena, s.len + 1, 1);
    for (size_t i = 0; i < s.len; i++) {
        copy[i] = char_upper(s.data[i]);
    }
    copy[s.len] = '\0';
    return (Str){copy, s.len};
}

Str arena_format(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(len >= 0);
    char *text = arena_alloc_aligned(arena, (size_t)len + 1, 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return (Str){text, (size_t)len};
}
