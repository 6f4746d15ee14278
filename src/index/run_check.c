/* SPDX-License-Identifier: Apache-2.0
 * run_check.c - a run read whole: checksums, order, fences, counts, and that the filter knows every key. */
#include "index/index_internal.h"

static ErrorCode wrong(const IndexRun *run, const char *what, Error *err) {
    return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "%s: %s", blockfile_path(run->file), what);
}

static ErrorCode read_filter(const IndexRun *run, uint8_t *filter, Error *err) {
    Buffer piece;
    buffer_init(&piece, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = ERR_OK;
    for (uint32_t i = 0; i < run->filter_pieces && code == ERR_OK; i++) {
        uint32_t first = i * RUN_FILTER_PIECE;
        size_t bytes = (size_t)MIN_OF(run->filter_blocks - first, (uint32_t)RUN_FILTER_PIECE) * FILTER_BLOCK_BYTES;
        code = blockfile_read_buffer(run->file, run->entry_blocks + i, &piece, err);
        if (code == ERR_OK && piece.len != bytes) {
            code = wrong(run, "a piece of the filter has a wrong size", err);
        }
        if (code == ERR_OK) {
            memcpy(filter + (size_t)first * FILTER_BLOCK_BYTES, piece.data, bytes);
        }
    }
    buffer_deinit(&piece);
    return code;
}

typedef struct Checking { const IndexRun *run; const uint8_t *filter; Buffer block, last; uint32_t last_row; uint64_t count; } Checking;

static ErrorCode check_entry(Checking *checking, Bytes key, uint32_t row, Error *err) {
    int order = checking->count == 0 ? -1 : key_compare(buffer_bytes(&checking->last), key);
    if (order > 0 || (order == 0 && checking->last_row >= row)) {
        return wrong(checking->run, "entries are not in order", err);
    }
    uint64_t hash = filter_hash(key);
    if (!filter_may_hold(checking->filter + (size_t)filter_block_of(hash, checking->run->filter_blocks) * FILTER_BLOCK_BYTES, hash)) {
        return wrong(checking->run, "the filter lacks a key", err);
    }
    buffer_clear(&checking->last);
    buffer_append(&checking->last, key.data, key.len);
    checking->last_row = row;
    checking->count++;
    return ERR_OK;
}

static ErrorCode check_block(Checking *checking, uint32_t number, Error *err) {
    RunBlockView view;
    TRY(blockfile_read_buffer(checking->run->file, number, &checking->block, err));
    if (!run__view(buffer_bytes(&checking->block), &view) || view.count == 0 ||
        key_compare(run__key(&view, 0), run__key(&checking->run->fence_view, number)) != 0) {
        return wrong(checking->run, "a block of entries does not fit its fence", err);
    }
    for (uint32_t i = 0; i < view.count; i++) {
        TRY(check_entry(checking, run__key(&view, i), run__row(&view, i), err));
    }
    return ERR_OK;
}

static ErrorCode check_all(Checking *checking, Error *err) {
    for (uint32_t i = 0; i < checking->run->entry_blocks; i++) {
        TRY(check_block(checking, i, err));
    }
    if (checking->count != checking->run->entry_count) {
        return wrong(checking->run, "the number of entries is wrong", err);
    }
    bool fits = checking->count == 0 || key_compare(buffer_bytes(&checking->last), buffer_bytes(&checking->run->last_key)) == 0;
    return fits ? ERR_OK : wrong(checking->run, "the last key is wrong", err);
}

ErrorCode index_run_check(Io *io, const char *path, const BlockFileExpect *expect, Error *err) {
    IndexRun *run = NULL;
    TRY(index_run_open(io, path, expect, &run, err));
    uint8_t *filter = mem_calloc(run->filter_blocks, FILTER_BLOCK_BYTES);
    Checking checking = {.run = run, .filter = filter};
    buffer_init(&checking.block, BLOCKFILE_BLOCK_BYTES_MAX);
    buffer_init(&checking.last, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = read_filter(run, filter, err);
    code = code == ERR_OK ? check_all(&checking, err) : code;
    buffer_deinit(&checking.block);
    buffer_deinit(&checking.last);
    mem_free(filter);
    index_run_close(run);
    return code;
}
