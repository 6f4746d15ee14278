/* SPDX-License-Identifier: Apache-2.0
 * api_internal.h - what hides behind the opaque types of basalt.h. */
#pragma once
#include "api/basalt.h"
#include "encode/encode.h"
#include "base/number.h"
#include "os/os.h"
#include "session/session.h"

enum { API_RESULT_BYTES_MAX = 1 << 30 };

struct BasaltDatabase {
    Os os;
    Engine *engine;
};

struct BasaltConnection {
    BasaltDatabase *database;
    Session *session;
    BasaltError error;
};

struct BasaltStatement {
    BasaltConnection *connection;
    Statement *statement;
    Arena names;                /* column names and type names, NUL-ended */
    const char **column_names, **type_names;
    BasaltType *types;
    uint32_t column_count;
    /* the batch at hand */
    Batch *batch;
    Arena batch_arena;          /* reset with each batch */
    BasaltBatch public_batch;
    /* the row at hand */
    int32_t row;                /* in the batch, -1 = before the first */
    Buffer *texts;              /* one per column */
    char *tag;
    bool done;
};

/* Copies the error for the caller and gives BASALT_FAILED. */
BasaltResult api__fail(BasaltConnection *connection, const Error *err);
/* api_batch.c: the session's batch as arrays of plain C types, dead rows left out. */
NODISCARD ErrorCode api__batch_export(BasaltStatement *statement, Error *err);
BasaltType api__type(TypeId id);
