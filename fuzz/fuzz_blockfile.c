/* SPDX-License-Identifier: Apache-2.0
 * fuzz_blockfile.c - any bytes as a block file: open, check, dump, read all blocks.
 *
 * Input:      byte 0: bit 0 = repair checksums; bit 1 = the first 64 bytes stand for the header of 4,096. Then the
 *             file.
 * Check:      a file that blockfile_check finds sound can be read block by block. */
#include "base/hash.h"
#include "blockfile/blockfile_internal.h"
#include "fuzz.h"
#include "mem_io.h"

enum { FILE_BYTES_MAX = 1 << 20, SHORT_HEADER_BYTES = 64 };

static const char PATH[] = "a.seg";

static size_t expand(const uint8_t *data, size_t size, bool short_header, uint8_t **out) {
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

static void repair(uint8_t *file, size_t size) {
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

static void read_blocks(Io *io, bool sound) {
    BlockFile *file = NULL;
    if (blockfile_open(io, PATH, &(BlockFileExpect){.features_known = UINT64_MAX}, &file, NULL) != ERR_OK) {
        FUZZ_CHECK(!sound);
        return;
    }
    Buffer buffer;
    buffer_init(&buffer, FILE_BYTES_MAX);
    volatile uint32_t extras = 0;
    for (uint32_t i = 0; i < blockfile_block_count(file); i++) {
        ErrorCode code = blockfile_read_buffer(file, i, &buffer, NULL);
        FUZZ_CHECK(!sound || code == ERR_OK);
        uint32_t index = 0;
        BlockEntry entry = blockfile_entry(file, i);
        FUZZ_CHECK(i > 100 || blockfile_find(file, entry.kind, entry.key, &index));
        extras ^= crc32c(0, entry.extra.data, entry.extra.len); /* every byte of it can be read */
    }
    buffer_deinit(&buffer);
    blockfile_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > FILE_BYTES_MAX) {
        return 0;
    }
    uint8_t *file = NULL;
    size_t file_bytes = expand(data + 1, size - 1, data[0] & 2, &file);
    if (data[0] & 1) {
        repair(file, file_bytes);
    }
    MemIo *mem = mem_io_create();
    mem_io_put_file(mem, PATH, file, file_bytes);
    bool sound = blockfile_check(mem_io_io(mem), PATH, NULL, NULL, NULL) == ERR_OK;
    read_blocks(mem_io_io(mem), sound);
    Buffer out;
    buffer_init(&out, 1 << 20);
    ErrorCode code = blockfile_dump(mem_io_io(mem), PATH, &out, NULL);
    (void)code;
    buffer_deinit(&out);
    mem_io_destroy(mem);
    mem_free(file);
    return 0;
}
