/* SPDX-License-Identifier: Apache-2.0
 * scan_index.h - a scan that reads the rows of some stretches of an index: one morsel, rows fetched by place. */
#pragma once
#include "table/fetch.h"
#include "table/index_part.h"
#include "table/scan_internal.h"

enum { HELPING_FIRST = 8 };

/* What one part has in the current stretch. */
typedef struct IndexSource {
    Part *part;
    struct IndexRun *run;        /* NULL: a tree */
    bool begun, done;
    bool last;                   /* tree: the helping at hand reached the end of the stretch */
    /* tree: entries copied under the lock, key after key; the first helping has room in here */
    Buffer keys;
    uint32_t *key_ends, *rows;   /* of keys; places */
    bool *live;
    uint32_t count, at, room;
    uint32_t first_ends[HELPING_FIRST], first_rows[HELPING_FIRST];
    bool first_live[HELPING_FIRST];
    /* run */
    RunCursor cursor;
} IndexSource;

typedef struct IndexScan {
    IndexShape shape;
    KeyStretch *stretches;
    uint32_t stretch_count;
    bool ordered, descending;
    bool exact;                  /* its rows pass all filters that are not prune_only */
    const void **known;          /* requested column -> the value that all rows have there, because the key does; NULL: it must be read */
    IndexSource *sources;
    uint32_t source_count;
} IndexScan;

NODISCARD ErrorCode scan__index_open(Scan *scan, const IndexRequest *request, Error *err);
void scan__index_close(Scan *scan);
bool scan__index_pays(Scan *scan);   /* few rows, as far as can be told without reading */
void scan__index_leave(Scan *scan);  /* it is a scan of all rows again, to be captured */

/* Of a cursor. */
typedef struct IndexCursor { uint32_t stretch, source; bool started; Fetcher fetcher; const Error *error; } IndexCursor; /* error: what failed, in the cursor's arena */
void scan__index_cursor_close(ScanCursor *cursor);
void scan__index_start(ScanCursor *cursor);
bool scan__index_read(ScanCursor *cursor, Batch *batch);
