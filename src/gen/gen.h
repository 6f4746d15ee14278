/* SPDX-License-Identifier: Apache-2.0
 * gen.h - generated market and sensor data: the same bytes for the same options on every machine.
 *
 * Why:        demos, benchmarks and tests need data that looks real, is as large as asked and needs no download.
 * Invariants: integers only (prices in hundredths, times in ns, logarithms by table), so no machine rounds differently; the
 *             first n rows do not depend on how many rows are asked for; rows come in time order.
 * Threads:    a generator belongs to one thread.
 * Tests:      test/unit/gen (checksums of 10,000 rows of each kind, order, shares). */
#pragma once
#include "base/memory.h"

typedef enum GenFormat { GEN_CSV, GEN_ILP, GEN_PIPE } GenFormat;

typedef struct GenOptions {
    Str kind;         /* "floorsheet", "cpu", "taq" (quotes) or "taq-trades" */
    uint64_t rows;    /* lines of data, without the header */
    uint64_t seed;
    GenFormat format; /* CSV has a header line; ILP is line protocol with timestamps in ns; PIPE: the tape's daily file with a last line END|… */
    Str table;        /* measurement name in ILP; empty: the kind's own ("trades", "cpu", "quotes") */
    uint32_t hosts;   /* cpu: number of hosts, 0 = 4,000 */
} GenOptions;

typedef struct Generator Generator;

/* Makes a generator in the arena. ERR_INVALID_PARAMETER: unknown kind, too many hosts, or rows that no daily file holds. */
NODISCARD ErrorCode generator_open(const GenOptions *options, Arena *arena, Generator **generator_out, Error *err);
/* Appends the next rows (at most GEN_CHUNK_ROWS, whole lines) to the buffer. False when all rows were given and nothing was
 * appended. The buffer needs GEN_CHUNK_BYTES_MAX of free room. */
bool generator_next(Generator *generator, Buffer *out);

enum { GEN_CHUNK_ROWS = 1024, GEN_ROW_BYTES_MAX = 512, GEN_CHUNK_BYTES_MAX = (GEN_CHUNK_ROWS + 1) * GEN_ROW_BYTES_MAX };
enum { GEN_HOSTS_MAX = 1000000, GEN_HOSTS_DEFAULT = 4000 };

/* Takes a piece of output; an error stops gen_run. */
typedef ErrorCode (*GenWrite)(void *context, Bytes piece, Error *err);
/* Runs a generator to its end and hands the output on in pieces of about GEN_PIECE_BYTES. */
NODISCARD ErrorCode gen_run(const GenOptions *options, GenWrite write, void *context, Error *err);
enum { GEN_PIECE_BYTES = 256 * 1024 };

