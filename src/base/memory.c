/* SPDX-License-Identifier: Apache-2.0
 * memory.c - plain allocation that never fails, and the fatal handler.
 *
 * Why: below every limit of the program a failing malloc means that the machine is in a state nobody has tested; ending the
 * process and recovering from the log is the tested way out. The handler is the one mutable file-scope variable of base. */
#include "base/memory.h"
#include <stdarg.h>
#include <stdio.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT_BYTES = 64, FATAL_EXIT_CODE = 70, FATAL_DISK_EXIT_CODE = 6, CACHED_BYTES_MAX = 1024 };

static FatalHandler fatal_handler;

void fatal_install(FatalHandler handler) {
    fatal_handler = handler;
}

void fatal(ErrorCode code, const char *format, ...) {
    char message[ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (fatal_handler != NULL) {
        fatal_handler(code, message);
    }
    fprintf(stderr, "basalt: fatal: %s\n", message);
    bool disk = code == ERR_SYNC_FAILED || code == ERR_IO || code == ERR_DISK_FULL;
    _Exit(disk ? FATAL_DISK_EXIT_CODE : FATAL_EXIT_CODE);
}

static void *checked(void *pointer, size_t bytes) {
    if (UNLIKELY(pointer == NULL)) {
        fatal(ERR_OUT_OF_MEMORY, "the system gave no memory for %zu bytes", bytes);
    }
    return pointer;
}

void *mem_alloc(size_t bytes) {
    return checked(malloc(bytes == 0 ? 1 : bytes), bytes);
}

void *mem_calloc(size_t count, size_t bytes) {
    bool empty = count == 0 || bytes == 0;
    if (!empty && count <= CACHED_BYTES_MAX && bytes <= CACHED_BYTES_MAX / count) { /* calloc passes by the thread's cache of small pieces */
        return memset(mem_alloc(count * bytes), 0, count * bytes);
    }
    return checked(calloc(empty ? 1 : count, empty ? 1 : bytes), bytes);
}

void *mem_realloc(void *pointer, size_t bytes) {
    return checked(realloc(pointer, bytes == 0 ? 1 : bytes), bytes);
}

void *mem_alloc_aligned(size_t bytes) {
    assert(bytes <= SIZE_MAX - ALIGNMENT_BYTES);
    size_t rounded = (bytes + ALIGNMENT_BYTES - 1) & ~(size_t)(ALIGNMENT_BYTES - 1);
    return checked(aligned_alloc(ALIGNMENT_BYTES, rounded == 0 ? ALIGNMENT_BYTES : rounded), bytes);
}

void mem_trim(void) {
    (void)malloc_trim(0);
}

void mem_free(void *pointer) {
    free(pointer);
}
