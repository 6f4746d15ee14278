/* SPDX-License-Identifier: Apache-2.0
 * run_read.c - a run as its readers see it: may it hold a key, first entry at or behind a key, walking both ways.
 *
 * Cost:    open reads the directory and the fences; a search is two binary searches and one cached block; a filter look-up one 64 KiB piece.
 * Checks:  blocks carry checksums; counts and offsets inside are checked besides, so that damaged bytes give ERR_DAMAGED.
 * Tests:   test/unit/index/test_run.c; fuzz/fuzz_index_run.c */
#include "index/index_internal.h"

static ErrorCode damaged(const IndexRun *run, Error *err) {
    return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "%s: index run cannot be read", blockfile_path(run->file));
}

bool run__view(Bytes block, RunBlockView *view_out) {
    if (block.len < RUN_HEAD_BYTES) {
        return false;
    }
    uint32_t count = get_u32le(block.data), width = get_u32le(block.data + 4);
    size_t rest = block.len - RUN_HEAD_BYTES;
    if (count > RUN_BLOCK_ENTRIES * 1024u || (size_t)count * 4 > rest || (width > 0 && (width > INDEX_KEY_BYTES_MAX + 64 || width < INDEX_KEY_BYTES_MIN))) {
        return false;
    }
    RunBlockView view = {.count = count, .width = width, .rows = block.data + RUN_HEAD_BYTES};
    rest -= (size_t)count * 4;
    view.keys = view.rows + (size_t)count * 4;
    if (width == 0) {
        if (((size_t)count + 1) * 4 > rest) {
            return false;
        }
        view.starts = view.keys;
        view.keys += ((size_t)count + 1) * 4;
        rest -= ((size_t)count + 1) * 4;
    }
    view.key_bytes = rest;
    bool fits = width > 0 ? (size_t)count * width == rest : get_u32le(view.starts) == 0 && get_u32le(view.starts + 4 * (size_t)count) == rest;
    for (uint32_t i = 0; i < count && width == 0 && fits; i++) {
        uint32_t from = get_u32le(view.starts + 4 * (size_t)i), to = get_u32le(view.starts + 4 * (size_t)i + 4);
        fits = from <= to && to <= rest && to - from >= INDEX_KEY_BYTES_MIN;
    }
    *view_out = view;
    return fits;
}

Bytes run__key(const RunBlockView *view, uint32_t at) {
    if (view->width > 0) {
        return (Bytes){view->keys + (size_t)at * view->width, view->width};
    }
    uint32_t from = get_u32le(view->starts + 4 * (size_t)at);
    uint32_t to = get_u32le(view->starts + 4 * (size_t)at + 4);
    return (Bytes){view->keys + from, to - from};
}

/* ---- open ---- */

static ErrorCode read_section(IndexRun *run, Error *err) {
    Reader reader = reader_from(blockfile_section(run->file));
    uint32_t format = reader_u32le(&reader);
    if (!reader.failed && format > RUN_FORMAT) {
        return error_set(err, ERR_NEWER_FORMAT, ERROR_NO_POSITION, "%s: index run of format %u", blockfile_path(run->file), format);
    }
    run->table_id = reader_u32le(&reader);
    run->index_id = reader_u32le(&reader);
    run->entry_count = reader_u64le(&reader);
    run->entry_blocks = reader_u32le(&reader);
    run->filter_pieces = reader_u32le(&reader);
    run->filter_blocks = reader_u32le(&reader);
    uint32_t key_bytes = reader_u32le(&reader);
    Bytes last = reader_bytes(&reader, key_bytes);
    uint64_t blocks = (uint64_t)run->entry_blocks + run->filter_pieces + 1;
    bool fits = !reader.failed && reader.at == reader.len && format == RUN_FORMAT && blocks == blockfile_block_count(run->file) &&
                run->filter_blocks > 0 && (run->filter_blocks + RUN_FILTER_PIECE - 1) / RUN_FILTER_PIECE == run->filter_pieces;
    if (!fits) {
        return damaged(run, err);
    }
    buffer_append(&run->last_key, last.data, last.len);
    return ERR_OK;
}

static ErrorCode read_fences(IndexRun *run, Error *err) {
    TRY(blockfile_read_buffer(run->file, run->entry_blocks + run->filter_pieces, &run->fences, err));
    bool fits = run__view(buffer_bytes(&run->fences), &run->fence_view) && run->fence_view.count == run->entry_blocks;
    return fits ? ERR_OK : damaged(run, err);
}

ErrorCode index_run_open(Io *io, const char *path, const BlockFileExpect *expect, IndexRun **run_out, Error *err) {
    IndexRun *run = mem_calloc(1, sizeof *run);
    buffer_init(&run->fences, BLOCKFILE_BLOCK_BYTES_MAX);
    buffer_init(&run->last_key, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = blockfile_open(io, path, expect, &run->file, err);
    code = code == ERR_OK ? read_section(run, err) : code;
    code = code == ERR_OK ? read_fences(run, err) : code;
    if (code != ERR_OK) {
        index_run_close(run);
        return code;
    }
    *run_out = run;
    return ERR_OK;
}

void index_run_close(IndexRun *run) {
    if (run != NULL) {
        blockfile_close(run->file);
        buffer_deinit(&run->fences);
        buffer_deinit(&run->last_key);
        mem_free(run);
    }
}

uint64_t index_run_count(const IndexRun *run) { return run->entry_count; }
uint32_t index_run_index_id(const IndexRun *run) { return run->index_id; }
uint32_t index_run_table_id(const IndexRun *run) { return run->table_id; }

ErrorCode index_run_may_hold(const IndexRun *run, BlockCache *cache, Bytes key, bool *possible_out, Error *err) {
    *possible_out = false;
    if (run->entry_blocks == 0 || key_compare(key, run__key(&run->fence_view, 0)) < 0 || key_compare(key, buffer_bytes(&run->last_key)) > 0) {
        return ERR_OK;
    }
    uint64_t hash = filter_hash(key);
    uint32_t block = filter_block_of(hash, run->filter_blocks);
    BlockPin pin;
    TRY(block_cache_read(cache, run->file, run->entry_blocks + block / RUN_FILTER_PIECE, &pin, err));
    size_t at = (size_t)(block % RUN_FILTER_PIECE) * FILTER_BLOCK_BYTES;
    ErrorCode code = at + FILTER_BLOCK_BYTES <= pin.data.len ? ERR_OK : damaged(run, err);
    *possible_out = code == ERR_OK && filter_may_hold(pin.data.data + at, hash);
    block_cache_release(cache, &pin);
    return code;
}

/* ---- cursors ---- */

void run_cursor_release(RunCursor *cursor) {
    if (cursor->cache != NULL) {
        block_cache_release(cursor->cache, &cursor->pin);
    }
    cursor->valid = false;
}

static ErrorCode load_block(RunCursor *cursor, uint32_t block, Error *err) {
    block_cache_release(cursor->cache, &cursor->pin);
    cursor->valid = false;
    cursor->block = block;
    TRY(block_cache_read(cursor->cache, cursor->run->file, block, &cursor->pin, err));
    if (!run__view(cursor->pin.data, &cursor->view) || cursor->view.count == 0) {
        return damaged(cursor->run, err);
    }
    cursor->valid = true;
    return ERR_OK;
}

static int compare_at(const RunBlockView *view, uint32_t at, Bytes key) { return key_compare(run__key(view, at), key); }

/* The same where all keys are one word; key has at most its bytes. */
static uint32_t lower_bound_words(const RunBlockView *view, uint64_t key, uint32_t row, bool with_row) {
    uint32_t low = 0, high = view->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t at = key_prefix((Bytes){view->keys + (size_t)middle * sizeof at, sizeof at});
        if (at < key || (at == key && with_row && run__row(view, middle) < row)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* First place whose (key, row) is not below; rows count only if with_row. */
static uint32_t lower_bound(const RunBlockView *view, Bytes key, uint32_t row, bool with_row) {
    if (view->width == sizeof(uint64_t) && key.len <= sizeof(uint64_t)) {
        return lower_bound_words(view, key_prefix(key), row, with_row);
    }
    uint32_t low = 0, high = view->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = compare_at(view, middle, key);
        if (order < 0 || (order == 0 && with_row && run__row(view, middle) < row)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void cursor_start(const IndexRun *run, BlockCache *cache, RunCursor *cursor) {
    *cursor = (RunCursor){.run = run, .cache = cache};
}

/* The first block may hold equal keys at its end: the search begins before the first fence at or above the key. */
ErrorCode index_run_seek(const IndexRun *run, BlockCache *cache, Bytes key, uint32_t row, RunCursor *cursor, Error *err) {
    cursor_start(run, cache, cursor);
    if (run->entry_blocks == 0) {
        return ERR_OK;
    }
    uint32_t fence = lower_bound(&run->fence_view, key, 0, false);
    TRY(load_block(cursor, fence > 0 ? fence - 1 : 0, err));
    cursor->at = lower_bound(&cursor->view, key, row, true);
    while (cursor->at == cursor->view.count) {
        if (cursor->block + 1 == run->entry_blocks) {
            run_cursor_release(cursor);
            return ERR_OK;
        }
        TRY(load_block(cursor, cursor->block + 1, err));
        cursor->at = lower_bound(&cursor->view, key, row, true);
    }
    return ERR_OK;
}

ErrorCode index_run_seek_before(const IndexRun *run, BlockCache *cache, Bytes key, uint32_t row, RunCursor *cursor, Error *err) {
    TRY(index_run_seek(run, cache, key, row, cursor, err));
    if (cursor->valid) {
        return run_cursor_previous(cursor, err);
    }
    if (run->entry_blocks == 0) {
        return ERR_OK;
    }
    TRY(load_block(cursor, run->entry_blocks - 1, err));
    cursor->at = cursor->view.count - 1;
    return ERR_OK;
}

ErrorCode run_cursor_next(RunCursor *cursor, Error *err) {
    assert(cursor->valid);
    if (++cursor->at < cursor->view.count) {
        return ERR_OK;
    }
    if (cursor->block + 1 == cursor->run->entry_blocks) {
        run_cursor_release(cursor);
        return ERR_OK;
    }
    cursor->at = 0;
    return load_block(cursor, cursor->block + 1, err);
}

ErrorCode run_cursor_previous(RunCursor *cursor, Error *err) {
    assert(cursor->valid);
    if (cursor->at > 0) {
        cursor->at--;
        return ERR_OK;
    }
    if (cursor->block == 0) {
        run_cursor_release(cursor);
        return ERR_OK;
    }
    TRY(load_block(cursor, cursor->block - 1, err));
    cursor->at = cursor->view.count - 1;
    return ERR_OK;
}

Bytes run_cursor_key(const RunCursor *cursor) {
    assert(cursor->valid);
    return run__key(&cursor->view, cursor->at);
}

uint32_t run_cursor_row(const RunCursor *cursor) {
    assert(cursor->valid);
    return run__row(&cursor->view, cursor->at);
}

uint64_t index_run_estimate(const IndexRun *run, Bytes from, Bytes to, bool endless) {
    uint32_t first = lower_bound(&run->fence_view, from, 0, false);
    uint32_t last = endless ? run->entry_blocks : lower_bound(&run->fence_view, to, 0, false);
    return last > first ? (uint64_t)(last - first) * (run->entry_count / MAX_OF(run->entry_blocks, 1u)) : 0;
}
