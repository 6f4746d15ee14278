/* SPDX-License-Identifier: Apache-2.0
 * index_internal.h - the blocks of a run as bytes, shared by the files that write and read them. */
#pragma once
#include "index/index.h"

enum { RUN_FORMAT = 1, RUN_SECTION_BYTES = 48, RUN_HEAD_BYTES = 8 };
typedef enum RunBlockKind { RUN_ENTRIES = 1, RUN_FILTER = 2, RUN_FENCES = 3 } RunBlockKind;

/* Directory: entry blocks 0..entry_blocks-1, then the filter's pieces, then one block of fences. */
struct IndexRun {
    BlockFile *file;
    uint32_t table_id, index_id, entry_blocks, filter_pieces, filter_blocks;
    uint64_t entry_count;
    Buffer fences;               /* the block's bytes: first key of each entry block, row = its number */
    RunBlockView fence_view;
    Buffer last_key;
};

/* false: the bytes cannot be a block of entries. */
bool run__view(Bytes block, RunBlockView *view_out);
static inline uint32_t run__row(const RunBlockView *view, uint32_t at) { return get_u32le(view->rows + 4 * (size_t)at); }
Bytes run__key(const RunBlockView *view, uint32_t at);
