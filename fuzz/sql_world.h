/* SPDX-License-Identifier: Apache-2.0
 * sql_world.h - a database on the simulated disk and scheduler, made anew for each input of the SQL targets.
 *
 * The clock that statements see runs 1 ms at each look, so a statement ends by its timeout after some hundred batches. */
#pragma once
#include "session/session.h"
#include "sim/sim.h"

typedef struct SqlWorld {
    Clock clock;
    int64_t now_nanos;
    Os os;
    Engine *engine;
    Session *session;
    Bytes input;
    void (*main)(struct SqlWorld *world);
} SqlWorld;

/* Runs main inside a world with an open engine and no session; afterwards checks the engine and closes it. */
void sql_world_run(Bytes input, void (*main)(SqlWorld *world));
void sql_world_open_session(SqlWorld *world, Dialect dialect);
void sql_world_close_session(SqlWorld *world);
/* Runs the text's statements one after another (at most statements_max), stops at the first error. True if all ran. */
bool sql_world_run_text(SqlWorld *world, Str text, int statements_max);

typedef struct SqlRows {
    ErrorCode code;
    bool whole;              /* read to the end */
    uint64_t rows;
    uint64_t hash;           /* of the rows in any order */
    char first[64];          /* text of the first value, "" if NULL or none */
} SqlRows;
/* Runs one statement (at most batches_max batches). */
SqlRows sql_world_query(SqlWorld *world, Str text, int batches_max);
