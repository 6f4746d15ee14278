/* SPDX-License-Identifier: Apache-2.0
 * gen_internal.h - what the generators share: the table of kinds, weighted choice, integer logarithms, writing of text. */
#pragma once
#include "base/random.h"
#include "gen/gen.h"

/* One row per kind in gen.c. write_rows appends exactly `count` lines at out and returns the new end. */
typedef struct GenKind {
    const char *name, *table, *csv_header;
    const char *pipe_header;       /* NULL: the kind has no daily files */
    uint64_t pipe_rows_max;        /* of one */
    char *(*pipe_trailer)(uint64_t rows, char *out);
    void *(*open)(const GenOptions *options, Arena *arena);
    char *(*write_rows)(void *state, uint32_t count, char *out);
} GenKind;

extern const GenKind GEN_FLOORSHEET, GEN_CPU, GEN_TAQ, GEN_TAQ_TRADES;

/* ---- weighted choice in constant time (alias method, Walker 1977; integer thresholds) ---- */
enum { GEN_CHOICES_MAX = 8192 };
typedef struct GenChoice {
    uint32_t *threshold; /* below it: the slot itself, else other[slot] */
    uint16_t *other;
    uint32_t count;
} GenChoice;
void gen__choice_init(GenChoice *choice, uint32_t count, Arena *arena);
void gen__choice_fill(GenChoice *choice, const uint32_t *weights, Arena *scratch); /* weights: `count` numbers, some > 0 */
static inline uint32_t gen__choose(const GenChoice *choice, uint64_t random) {
    uint32_t slot = (uint32_t)(((random >> 32) * choice->count) >> 32);
    return (uint32_t)random < choice->threshold[slot] ? slot : choice->other[slot];
}

/* ---- fixed point, 16 fraction bits ---- */
uint32_t gen__neg_log2(uint64_t random);        /* -log2 of random/2^64: exponential with mean 1.44; 0 to 64 */
uint64_t gen__exp2(int32_t power_16);           /* 2^power, rounded down; power 0 to 46 */
/* Sum of four uniform 16-bit numbers, centred: close to normal, mean 0, deviation 65536 / sqrt(3) = 37,837. */
static inline int32_t gen__normal(uint64_t random) {
    uint32_t sum = (uint32_t)(random & 0xffff) + (uint32_t)((random >> 16) & 0xffff) + (uint32_t)((random >> 32) & 0xffff) +
                   (uint32_t)(random >> 48);
    return (int32_t)sum - 2 * 65535;
}

/* ---- text: all write at out and return the new end ---- */
char *gen__put_uint(char *out, uint64_t value);
char *gen__put_hundredths(char *out, uint64_t value); /* 80410 -> 804.1, 80500 -> 805.0, 1195 -> 11.95 */
static inline char *gen__put_text(char *out, const char *text, size_t len) {
    memcpy(out, text, len);
    return out + len;
}
#define GEN_PUT(out, literal) gen__put_text((out), (literal), sizeof(literal) - 1)

/* Writes times; keeps the text of the last second, because rows come in time order. */
typedef struct GenTime {
    int64_t second; /* of the cached text; INT64_MIN at first */
    char text[20];  /* 2024-10-01T05:15:00. */
} GenTime;
char *gen__put_time(GenTime *cache, char *out, int64_t nanos, int fraction_digits); /* ISO with Z; 0, 3, 6 or 9 digits */
