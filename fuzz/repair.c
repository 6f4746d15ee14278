/* SPDX-License-Identifier: Apache-2.0
 * repair.c - see repair.h. */
#include "repair.h"
#include "base/hash.h"
#include "blockfile/blockfile_internal.h"

enum { SHORT_HEADER_BYTES = 64 };

size_t blockfile_expand(const uint8_t *data, size_t size, bool short_header, uint8_t **out) {
    if (!short_header || size < SHORT_HEADER_BYTES) {
        *out = mem_alloc(size + 1);
        memcpy(*out, data, size);
        return size;
    }
    size_t rest = size - SHORT_HEADER_BYTES;
    *out = mem_calloc(1, BLOCKFILE_HEADER_BYTES + rest);
    memcpy(*out, data, SHORT_HEADER_BYTES);
    memcpy(*out + BLOCKFILE_HEADER_BYTES, data + SHORT_HEADER_BYTES, rest);
    return BLOCKFILE_HEADER_BYTES + rest;
}

static void repair_blocks(uint8_t *file, uint64_t file_id, uint64_t directory, uint64_t entries, uint64_t end) {
    for (uint64_t i = 0; i < entries && directory + (i + 1) * BLOCKFILE_ENTRY_BYTES <= end; i++) {
        uint8_t *entry = file + directory + i * BLOCKFILE_ENTRY_BYTES;
        uint64_t offset = get_u64le(entry);
        uint64_t bytes = get_u32le(entry + 16);
        if (offset <= end && bytes <= end - offset) {
            put_u32le(entry + 20, crc32c(blockfile__seed(file_id, offset), file + offset, (size_t)bytes));
        }
    }
}

void blockfile_repair(uint8_t *file, size_t size) {
    if (size < BLOCKFILE_HEADER_BYTES + BLOCKFILE_FOOTER_BYTES) {
        return;
    }
    uint64_t end = size - BLOCKFILE_FOOTER_BYTES;
    uint8_t *footer = file + end;
    uint64_t file_id = get_u64le(file + 24);
    uint64_t directory = get_u64le(footer + 16), bytes = get_u64le(footer + 24);
    memcpy(file, "BASALTBF", 8);
    put_u32le(file + 8, crc32c(0, file + 12, BLOCKFILE_HEADER_BYTES - 12));
    put_u64le(footer + 64, file_id);
    if (directory <= end && bytes <= end - directory) {
        repair_blocks(file, file_id, directory, get_u32le(footer + 36), end);
        put_u32le(footer + 32, crc32c(blockfile__seed(file_id, directory), file + directory, (size_t)bytes));
    }
    memcpy(footer, "BASALTFT", 8);
    put_u32le(footer + 72, crc32c(crc32c(0, file + 8, 4), footer + 12, 60));
    put_u32le(footer + 8, crc32c(0, footer + 12, BLOCKFILE_FOOTER_BYTES - 12));
}
