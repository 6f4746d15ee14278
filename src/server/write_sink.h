/* SPDX-License-Identifier: Apache-2.0
 * write_sink.h - line protocol into the engine: one transaction for the rows, made when the first table is touched. */
#pragma once
#include "server/server_internal.h"

typedef struct WriteSink {
    IlpSink base;
    Engine *engine;
    Txn *txn;        /* NULL until the first table */
    Arena infos;     /* columns of the last IlpTableInfo */
    struct MadeTable *made; /* tables that did not exist before, newest first */
} WriteSink;

void write_sink_init(WriteSink *sink, Engine *engine);
/* Visible, and durable as configured, when it returns ERR_OK. */
NODISCARD ErrorCode write_sink_commit(WriteSink *sink, Error *err);
void write_sink_deinit(WriteSink *sink); /* rolls back what was not committed */
