/* SPDX-License-Identifier: Apache-2.0
 * fuzz_blockfile.c - any bytes as a block file: open, check, dump, read all blocks.
 *
 * Input:      byte 0: bit 0 = repair checksums; bit 1 = the first 64 bytes stand for the header of 4,096. Then the
 *             file.
 * Check:      a file that blockfile_check finds sound can be read block by block. */
#include "base/hash.h"
#include "blockfile/blockfile.h"
#include "fuzz.h"
#include "mem_io.h"
#include "repair.h"

enum { FILE_BYTES_MAX = 1 << 20 };

static const char PATH[] = "a.seg";

static void read_blocks(Io *io, bool sound) {
    BlockFile *file = NULL;
    if (blockfile_open(io, PATH, &(BlockFileExpect){.features_known = UINT64_MAX}, &file, NULL) != ERR_OK) {
        FUZZ_CHECK(!sound);
        return;
    }
    Buffer buffer;
    buffer_init(&buffer, FILE_BYTES_MAX);
    uint32_t extras = 0;
    for (uint32_t i = 0; i < blockfile_block_count(file); i++) {
        ErrorCode code = blockfile_read_buffer(file, i, &buffer, NULL);
        FUZZ_CHECK(!sound || code == ERR_OK);
        uint32_t index = 0;
        BlockEntry entry = blockfile_entry(file, i);
        FUZZ_CHECK(i > 100 || blockfile_find(file, entry.kind, entry.key, &index));
        extras ^= crc32c(0, entry.extra.data, entry.extra.len); /* every byte of it can be read */
    }
    fuzz_use(extras);
    buffer_deinit(&buffer);
    blockfile_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > FILE_BYTES_MAX) {
        return 0;
    }
    uint8_t *file = NULL;
    size_t file_bytes = blockfile_expand(data + 1, size - 1, data[0] & 2, &file);
    if (data[0] & 1) {
        blockfile_repair(file, file_bytes);
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
