/* SPDX-License-Identifier: Apache-2.0
 * fuzz_wal.c - any bytes as a log file: walk it, dump it, open a log on it, append, open again.
 *
 * Input:      byte 0: bit 0 = repair checksums, so that what is behind them is reached; bit 1 = each 512 bytes stand
 *             for a block of 4,096 (the rest zero), so that inputs stay small. Then the file.
 * Check:      what wal_open accepted takes a record, and a second wal_open finds exactly one record more. */
#include "fuzz.h"
#include "mem_io.h"
#include <stdio.h>
#include "wal/wal_internal.h"

enum { SHORT_BLOCK_BYTES = 512, FILE_BYTES_MAX = 1 << 20 };

static const char PATH[] = "wal/000001.wal";

static size_t expand(const uint8_t *data, size_t size, bool short_blocks, uint8_t **out) {
    if (!short_blocks) {
        *out = mem_alloc(size + 1);
        memcpy(*out, data, size);
        return size;
    }
    size_t blocks = (size + SHORT_BLOCK_BYTES - 1) / SHORT_BLOCK_BYTES;
    *out = mem_calloc(blocks + 1, WAL_BLOCK_BYTES);
    for (size_t i = 0; i < blocks; i++) {
        size_t len = MIN_OF((size_t)SHORT_BLOCK_BYTES, size - i * SHORT_BLOCK_BYTES);
        memcpy(*out + i * WAL_BLOCK_BYTES, data + i * SHORT_BLOCK_BYTES, len);
    }
    return blocks * WAL_BLOCK_BYTES;
}

/* Gives the group at data the checksums of its content; returns where the next one begins. */
static size_t repair_group(uint8_t *data, size_t room, uint64_t salt) {
    put_u32le(data, 0x50524742);
    put_u64le(data + 8, salt);
    uint32_t crc = crc32c(0, data + 8, WAL_GROUP_HEADER_BYTES - 8);
    put_u32le(data + 4, crc);
    uint64_t end = MIN_OF((uint64_t)room, WAL_GROUP_HEADER_BYTES + (uint64_t)get_u32le(data + 32));
    uint64_t at = WAL_GROUP_HEADER_BYTES;
    while (at + WAL_RECORD_HEADER_BYTES <= end) {
        uint8_t *record = data + at;
        uint32_t body_bytes = get_u32le(record);
        if (body_bytes > end - at - WAL_RECORD_HEADER_BYTES) {
            break;
        }
        put_u32le(record + 8, crc32c(0, record + WAL_RECORD_HEADER_BYTES, body_bytes));
        put_u32le(record + 4, crc32c(crc32c(crc, record, 4), record + 8, WAL_RECORD_HEADER_BYTES - 8));
        at += wal__align_record(WAL_RECORD_HEADER_BYTES + (uint64_t)body_bytes);
    }
    return (size_t)wal__align_block(end);
}

static void repair(uint8_t *file, size_t size) {
    if (size < WAL_BLOCK_BYTES) {
        return;
    }
    memcpy(file, "BASALTWL", 8);
    put_u32le(file + 8, crc32c(0, file + 12, WAL_BLOCK_BYTES - 12));
    for (size_t at = WAL_BLOCK_BYTES; at + WAL_BLOCK_BYTES <= size;) {
        at += repair_group(file + at, size - at, get_u64le(file + 24));
    }
}

static void walk(Io *io) {
    WalReader *reader = NULL;
    if (wal_reader_open(io, PATH, &reader, NULL) != ERR_OK) {
        return;
    }
    WalGroup group;
    bool found = true;
    while (found && wal_reader_next_group(reader, &group, &found, NULL) == ERR_OK) {
        WalRecord record;
        uint32_t count = 0;
        while (found && wal_reader_next_record(reader, &record)) {
            FUZZ_CHECK(record.lsn == group.first_lsn + count);
            count++;
        }
        FUZZ_CHECK(!found || count == group.records);
    }
    wal_reader_close(reader);
}

static ErrorCode count_record(void *context, const WalRecord *record, Error *err) {
    (void)err;
    uint64_t sum = 0;
    for (size_t i = 0; i < record->body.len; i++) {
        sum += record->body.data[i];
    }
    fuzz_use(sum);
    ++*(uint64_t *)context;
    return ERR_OK;
}

static bool append_one(Wal *wal) {
    IoVec part = {"x", 1};
    WalTicket ticket;
    WalAppend append = {.parts = &part, .part_count = 1, .durability = WAL_COMMIT};
    return wal_append(wal, &append, NULL, &ticket, NULL) == ERR_OK && wal_wait(wal, ticket, NULL) == ERR_OK;
}

static void open_twice(Os os, Lsn replay_from) {
    uint64_t first = 0, second = 0;
    Wal *wal = NULL;
    WalOptions options = {.inline_mode = true,
                          .replay_from = replay_from,
                          .file_bytes_min = 64 << 10,
                          .redo = count_record,
                          .context = &first};
    Error err = {0};
    if (wal_open(os, &options, &wal, &err) != ERR_OK) {
        return;
    }
    Lsn last = wal_last_lsn(wal);
    if (last < UINT64_MAX / 2) {
        FUZZ_CHECK(append_one(wal));
        wal_close(wal);
        options.context = &second;
        ErrorCode code = wal_open(os, &options, &wal, &err);
        if (code != ERR_OK) { fprintf(stderr, "%s\n", err.message); }
        FUZZ_CHECK(code == ERR_OK);
        FUZZ_CHECK(wal_last_lsn(wal) == last + 1);
        FUZZ_CHECK(second == first + 1);
    }
    wal_close(wal);
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
    MemOs mem_os;
    Os os = mem_os_init(&mem_os, mem, 1);
    mem_io_put_file(mem, PATH, file, file_bytes);
    walk(os.io);
    Buffer out;
    buffer_init(&out, 1 << 20);
    ErrorCode code = wal_dump_file(os.io, PATH, NULL, &out, NULL);
    (void)code;
    buffer_deinit(&out);
    open_twice(os, file_bytes >= WAL_BLOCK_BYTES ? MAX_OF(get_u64le(file + 40), 1) : 1);
    mem_io_destroy(mem);
    mem_free(file);
    return 0;
}
