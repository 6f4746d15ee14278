/* SPDX-License-Identifier: Apache-2.0
 * query_stream.h - one statement of /exec or /exp: parameters, preparing, rows in pieces with limit and counting. */
#pragma once
#include "server/server_internal.h"

typedef struct RowLimit {
    uint64_t skip, rows;      /* rows before the first one, rows from it on; UINT64_MAX = all */
    uint64_t seen, sent;
    bool from_end;            /* the last `rows` rows: skip is known after a first run */
} RowLimit;

/* "n" the first n, "lo,hi" rows lo to hi from 1, "-n" the last n; anything else is ignored. */
RowLimit row_limit_parse(Str text);

typedef struct QueryStream {
    Session *session;
    Statement *statement;
    Str sql;
    RowLimit limit;
    bool count_all;           /* rows past the limit are counted too */
    bool drained;
    uint16_t column_count;
    uint16_t *columns;        /* of the batch, in the order asked for */
    EncodedColumn *encoded;
    Encoder encoder;
    bool encoder_open;
    uint64_t live[BATCH_WORDS];
    Batch *next;              /* computed, not sent yet */
    Batch batch;              /* the part of the statement's batch that the limit lets through */
} QueryStream;

/* Prepares; on an error nothing is open. *empty_out: there is no statement in the text. */
NODISCARD ErrorCode query_stream_open(QueryStream *stream, Request *request, Str sql, Dialect dialect, bool *empty_out, Error *err);
void query_stream_close(QueryStream *stream, Request *request);
/* cols=: fills columns and encoded. ERR_UNDEFINED_COLUMN without position. */
NODISCARD ErrorCode query_stream_columns(QueryStream *stream, Request *request, Str wanted, Error *err);
/* Computes the first rows; nothing is sent yet, so an error can still be answered as such. */
NODISCARD ErrorCode query_stream_start(QueryStream *stream, const EncoderOptions *options, Error *err);
typedef ErrorCode (*EncodeRows)(Encoder *encoder, Batch *batch, const uint16_t *columns, Buffer *out, Error *err);
/* Rows into the started answer, until all are sent (STEP_DONE) or the client is slow (STEP_WAIT_OUTPUT: call again). */
NODISCARD ErrorCode query_stream_write(QueryStream *stream, Request *request, EncodeRows encode, StepResult *result_out, Error *err);
uint64_t query_stream_count(const QueryStream *stream); /* for "count" */
bool query_stream_has_rows(const QueryStream *stream);
