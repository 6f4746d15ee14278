/* SPDX-License-Identifier: Apache-2.0
 * banned.h - included before every file of the folders above os: calling one of these functions is a compile error that names the replacement.
 *
 * Why:   memory comes from mem_alloc and arenas (limits), files, clock, chance and threads from os.h (the simulator), texts have lengths. The symbols
 *        of the archives are checked too (scripts/check-symbols), for what a macro or a library header might hide. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __clang__ /* wants `error` at the first declaration, which is the system's */
#define BANNED(instead) __attribute__((unavailable(instead)))
#else
#define BANNED(instead) __attribute__((error(instead)))
#endif

BANNED("use mem_alloc or an arena") void *malloc(size_t bytes);
BANNED("use mem_calloc or an arena") void *calloc(size_t count, size_t bytes);
BANNED("use mem_realloc or a Buffer") void *realloc(void *pointer, size_t bytes);
BANNED("use mem_free") void free(void *pointer);
BANNED("use arena_c_text") char *strdup(const char *text);
BANNED("use memcpy with a length, or a Buffer") char *strcpy(char *restrict to, const char *restrict from);
BANNED("use memcpy with a length, or a Buffer") char *strcat(char *restrict to, const char *restrict from);
BANNED("use snprintf or buffer_printf") int sprintf(char *restrict to, const char *restrict format, ...);
BANNED("use str_split") char *strtok(char *restrict text, const char *restrict separators);
BANNED("use Rand of os.h or Random") int rand(void);
BANNED("use Rand of os.h or Random") long random(void);
BANNED("use Clock of os.h") time_t time(time_t *out);
BANNED("use calendar.h") struct tm *localtime(const time_t *at);
BANNED("use calendar.h") struct tm *gmtime(const time_t *at);
BANNED("use Io of os.h") FILE *fopen(const char *restrict path, const char *restrict mode);

#undef BANNED
