/* SPDX-License-Identifier: Apache-2.0
 * fuzz_segment.c - any bytes as a segment: open, check, dump.
 *
 * Input:      as fuzz_blockfile.c; checksums are always repaired, for what is behind them is the point here.
 * Check:      a segment that segment_check finds sound gives its statistics and blocks. */
#include "fuzz.h"
#include "mem_io.h"
#include "repair.h"
#include "segment/segment.h"

enum { FILE_BYTES_MAX = 1 << 20 };

static const char PATH[] = "table/1/2.seg";

static void read_all(const Segment *segment, bool sound) {
    SegmentBuffer buffer = {0};
    for (uint32_t block = 0; block < segment_block_count(segment) && block < 16; block++) {
        for (uint16_t column = 0; column < segment_column_count(segment) && column < 16; column++) {
            SegmentBlockStats stats;
            segment_block_stats(segment, block, column, &stats);
            BlockDecoder decoder;
            ErrorCode code = segment_read_block(segment, block, column, &buffer, &decoder, NULL);
            FUZZ_CHECK(!sound || code == ERR_OK);
        }
    }
    segment_buffer_deinit(&buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > FILE_BYTES_MAX) {
        return 0;
    }
    uint8_t *file = NULL;
    size_t file_bytes = blockfile_expand(data + 1, size - 1, data[0] & 2, &file);
    blockfile_repair(file, file_bytes);
    MemIo *mem = mem_io_create();
    mem_io_put_file(mem, PATH, file, file_bytes);
    bool sound = segment_check(mem_io_io(mem), PATH, NULL, NULL) == ERR_OK;
    Segment *segment = NULL;
    if (segment_open(mem_io_io(mem), PATH, NULL, &segment, NULL) == ERR_OK) {
        read_all(segment, sound);
        segment_close(segment);
    } else {
        FUZZ_CHECK(!sound);
    }
    Buffer out;
    buffer_init(&out, 1 << 20);
    ErrorCode code = segment_dump(mem_io_io(mem), PATH, &out, NULL);
    (void)code;
    buffer_deinit(&out);
    mem_io_destroy(mem);
    mem_free(file);
    return 0;
}
