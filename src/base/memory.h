/* SPDX-License-Identifier: Apache-2.0
 * memory.h - arenas, growing buffers, plain allocation. malloc and friends are used in base/memory*.c only.
 *
 * Why: three lifetimes (database, statement, batch); freeing = resetting an arena. Each arena and buffer has a byte limit
 * from birth. An arena past its limit keeps serving and sets over_limit; the executor turns that into ERR_OUT_OF_MEMORY at
 * its next check, so callers need no NULL checks. A failing malloc ends the process (recovery is the log's work).
 * Threads: an arena or buffer belongs to one thread at a time. */
#pragma once
#include "base/error.h"
#include "base/str.h"

/* Database-lifetime allocation. Never NULL. mem_calloc zeroes. mem_free(NULL) is fine. 64-byte alignment by mem_alloc_aligned. */
void *mem_alloc(size_t bytes);
void *mem_calloc(size_t count, size_t bytes);
void *mem_realloc(void *pointer, size_t bytes);
void *mem_alloc_aligned(size_t bytes); /* aligned to 64, rounded up to 64; free with mem_free */
void mem_free(void *pointer);
void mem_trim(void); /* gives freed memory back to the operating system; milliseconds, for idle moments */
/* Ends the process; the cli installs the handler that prints and exits with the documented code (6 for disk, else 70). */
typedef void (*FatalHandler)(ErrorCode code, const char *message);
void fatal_install(FatalHandler handler); /* once, at start, before threads */
_Noreturn void fatal(ErrorCode code, const char *format, ...) PRINTF_LIKE(2, 3);

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_POISONS 1 /* free room of arenas is marked as such */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMORY_POISONS 1
#endif
#endif

typedef struct ArenaBlock ArenaBlock;
typedef struct Arena {
    ArenaBlock *head;       /* newest block */
    ArenaBlock *spare;      /* blocks kept by arena_reset for reuse */
    uint8_t *next, *end;    /* free room of the head block */
    size_t used_bytes;      /* handed out since the last reset */
    size_t limit_bytes;
    size_t block_bytes;     /* next block's size, doubles to 1 MiB */
    bool over_limit;
} Arena;
typedef struct ArenaMark {
    ArenaBlock *head;
    uint8_t *next;
    size_t used_bytes;
} ArenaMark;

void arena_init(Arena *arena, size_t limit_bytes); /* no memory until first use */
void arena_deinit(Arena *arena);                   /* frees all; a zeroed Arena is fine */
void arena_reset(Arena *arena);                    /* forgets all, keeps the blocks */
void *arena_alloc_slowly(Arena *arena, size_t bytes, size_t alignment);  /* what arena_alloc_aligned calls when its block is full */
/* Not zeroed; lives until reset. */
static inline void *arena_alloc_aligned(Arena *arena, size_t bytes, size_t alignment) {
#ifndef MEMORY_POISONS
    uint8_t *next = arena->next;
    size_t gap = -(uintptr_t)next & (alignment - 1);
    if (LIKELY(next != NULL && bytes <= (size_t)(arena->end - next) && gap <= (size_t)(arena->end - next) - bytes)) {
        arena->next = next + gap + bytes;
        arena->used_bytes += bytes;
        arena->over_limit |= arena->used_bytes > arena->limit_bytes;
        return next + gap;
    }
#endif
    return arena_alloc_slowly(arena, bytes, alignment);
}
/* Zeroed, 16-byte aligned. */
static inline void *arena_calloc_bytes(Arena *arena, size_t bytes) { return memset(arena_alloc_aligned(arena, bytes, 16), 0, bytes); }
ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);   /* frees what came after the mark */
#define arena_new(arena, Type) ((Type *)arena_calloc_bytes((arena), sizeof(Type)))
#define arena_array(arena, Type, count) ((Type *)arena_calloc_bytes((arena), sizeof(Type) * (size_t)(count)))
Str arena_str(Arena *arena, Str s);                /* copy */
Str arena_upper(Arena *arena, Str s);              /* copy, a to z in upper case; also NUL-ended behind len */
Str arena_format(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3); /* also NUL-ended behind len */
const char *arena_c_text(Arena *arena, Str s);     /* NUL-ended copy */

/* Growing bytes. After the limit is hit, `failed` is set, appends do nothing and buffer_check reports ERR_TOO_LARGE. */
typedef struct Buffer {
    uint8_t *data;
    size_t len, capacity, limit_bytes;
    bool failed;
} Buffer;
void buffer_init(Buffer *buffer, size_t limit_bytes);
void buffer_deinit(Buffer *buffer);
static inline void buffer_clear(Buffer *buffer) { buffer->len = 0; buffer->failed = false; }
uint8_t *buffer_reserve(Buffer *buffer, size_t bytes); /* room for bytes at data+len, or NULL past the limit; then set len yourself */
void buffer_append_slowly(Buffer *buffer, const void *data, size_t len); /* what buffer_append calls when the room at hand does not do */
static inline void buffer_append(Buffer *buffer, const void *data, size_t len) {
    if (LIKELY(!buffer->failed && buffer->data != NULL && len <= buffer->capacity - buffer->len && buffer->len + len <= buffer->limit_bytes)) {
        if (len != 0) {
            memcpy(buffer->data + buffer->len, data, len);
            buffer->len += len;
        }
        return;
    }
    buffer_append_slowly(buffer, data, len);
}
void buffer_append_str(Buffer *buffer, Str s);
void buffer_append_char(Buffer *buffer, char c);
void buffer_append_upper(Buffer *buffer, Str s);     /* a to z in upper case */
void buffer_append_fill(Buffer *buffer, int byte, size_t count);
void buffer_printf(Buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_put_u8(Buffer *buffer, uint8_t v);
void buffer_put_u16le(Buffer *buffer, uint16_t v);
void buffer_put_u32le(Buffer *buffer, uint32_t v);
void buffer_put_u64le(Buffer *buffer, uint64_t v);
void buffer_put_varint(Buffer *buffer, uint64_t v);    /* LEB128 */
void buffer_put_text(Buffer *buffer, Str s);           /* u32le length + bytes */
NODISCARD ErrorCode buffer_check(const Buffer *buffer, Error *err);
static inline Str buffer_str(const Buffer *b) { return (Str){(const char *)b->data, b->len}; }
static inline Bytes buffer_bytes(const Buffer *b) { return (Bytes){b->data, b->len}; }

/* Bounded reader over bytes: after an over-read `failed` is set and every further read gives 0 / empty. Check once at the end. */
typedef struct Reader {
    const uint8_t *data;
    size_t len, at;
    bool failed;
} Reader;
static inline Reader reader_from(Bytes b) { return (Reader){b.data, b.len, 0, false}; }
uint8_t reader_u8(Reader *r);
uint16_t reader_u16le(Reader *r);
uint32_t reader_u32le(Reader *r);
uint64_t reader_u64le(Reader *r);
uint64_t reader_varint(Reader *r);
Str reader_text(Reader *r);                            /* u32le length + bytes; points into data */
Bytes reader_bytes(Reader *r, size_t len);
