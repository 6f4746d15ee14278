/* SPDX-License-Identifier: Apache-2.0
 * reader.c - walk the groups and records of one log file; tell the end of the log from damage.
 *
 * Invariants: a group is handed out only when every record in it passed its checks: groups are all or nothing.
 * Why:        records of a group share one sync, so none of a torn group was acknowledged; dropping it whole makes the
 *             end of the log a block boundary.
 * End:        the first group with wrong magic, salt, crc, LSN or length, or a record in it that fails. If a later
 *             block of the file bears a valid group header that says durable_below above the missing LSN, it is damage
 *             instead.
 * Memory:     one window over the file, at least READ_BYTES, at most one group; all sizes are checked against the file
 *             before anything is allocated.
 * Tests:      test/unit/wal/test_reader.c, test_crash.c, fuzz/fuzz_wal.c */
#include "wal/wal_internal.h"

enum { READ_BYTES = 1 << 20 };

struct WalReader {
    Io *io;
    File *file;
    char path[WAL_PATH_BYTES_MAX];
    WalPlant plant;
    uint64_t bytes;
    WalFileHeader header;
    uint8_t *window; /* bytes [window_from, window_from + window_len) of the file */
    size_t window_capacity, window_len;
    uint64_t window_from;
    uint64_t offset; /* of the next group */
    Lsn next_lsn;
    uint32_t last_crc;
    /* records of the current group not handed out yet */
    const uint8_t *record;
    uint32_t records_left, group_crc;
};

static ErrorCode load(WalReader *reader, uint64_t offset, uint64_t len, const uint8_t **data_out, Error *err);

/* ---- open, close ---- */

static ErrorCode read_header(WalReader *reader, Error *err) {
    TRY(io_open(reader->io, reader->path, IO_READ, &reader->file, err));
    TRY(io_size(reader->io, reader->file, &reader->bytes, err));
    if (reader->bytes < WAL_BLOCK_BYTES) {
        return wal__damaged(err, reader->path, reader->bytes, "the file is shorter than its header");
    }
    const uint8_t *block = NULL;
    TRY(load(reader, 0, WAL_BLOCK_BYTES, &block, err));
    bool valid = false;
    TRY(wal__get_file_header(block, reader->path, &reader->header, &valid, err));
    return valid ? ERR_OK : wal__damaged(err, reader->path, 0, "no valid file header (a spare log file has none until it is used)");
}

ErrorCode wal__reader_open(Io *io, const char *path, WalPlant plant, WalReader **reader_out, Error *err) {
    if (strlen(path) >= WAL_PATH_BYTES_MAX) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "file name longer than %d bytes", WAL_PATH_BYTES_MAX);
    }
    WalReader *reader = mem_calloc(1, sizeof *reader);
    reader->io = io;
    reader->plant = plant;
    memcpy(reader->path, path, strlen(path) + 1);
    ErrorCode code = read_header(reader, err);
    if (code != ERR_OK) {
        wal_reader_close(reader);
        return code;
    }
    reader->offset = WAL_BLOCK_BYTES;
    reader->next_lsn = reader->header.first_lsn;
    *reader_out = reader;
    return ERR_OK;
}

ErrorCode wal_reader_open(Io *io, const char *path, WalReader **reader_out, Error *err) {
    return wal__reader_open(io, path, WAL_PLANT_NONE, reader_out, err);
}

void wal_reader_close(WalReader *reader) {
    if (reader == NULL) {
        return;
    }
    io_close(reader->io, reader->file);
    mem_free(reader->window);
    mem_free(reader);
}

const WalFileHeader *wal_reader_header(const WalReader *reader) {
    return &reader->header;
}

uint64_t wal__reader_offset(const WalReader *reader) {
    return reader->offset;
}

Lsn wal__reader_next_lsn(const WalReader *reader) {
    return reader->next_lsn;
}

uint32_t wal__reader_last_crc(const WalReader *reader) {
    return reader->last_crc;
}

/* ---- groups ---- */

/* Checks the record at data (room bytes left in the group); its padded size, or 0 if it is not valid. */
static uint64_t check_record(const WalReader *reader, const uint8_t *data, uint64_t room, uint32_t group_crc, Lsn lsn) {
    WalRecordHeader header;
    if (room < WAL_RECORD_HEADER_BYTES || !wal__get_record_header(data, group_crc, &header) || header.lsn != lsn) {
        return 0;
    }
    uint64_t bytes = wal__align_record(WAL_RECORD_HEADER_BYTES + (uint64_t)header.body_bytes);
    if (bytes > room) {
        return 0;
    }
    bool body_fits = crc32c(0, data + WAL_RECORD_HEADER_BYTES, header.body_bytes) == header.body_crc;
    return body_fits || reader->plant == WAL_PLANT_NO_BODY_CRC ? bytes : 0;
}

static bool check_records(const WalReader *reader, const uint8_t *records, const WalGroupHeader *header) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < header->records; i++) {
        uint64_t bytes = check_record(reader, records + at, header->bytes - at, header->crc, header->first_lsn + i);
        if (bytes == 0) {
            return false;
        }
        at += bytes;
    }
    return at == header->bytes;
}

static bool header_follows(const WalReader *reader, const uint8_t *data, WalGroupHeader *header_out) {
    if (!wal__get_group_header(data, header_out)) {
        return false;
    }
    return header_out->salt == reader->header.salt && header_out->first_lsn == reader->next_lsn &&
           header_out->bytes <= reader->bytes - reader->offset - WAL_GROUP_HEADER_BYTES;
}

ErrorCode wal__reader_step(WalReader *reader, WalGroup *group_out, bool *found_out, Error *err) {
    *found_out = false;
    reader->records_left = 0;
    if (reader->offset + WAL_BLOCK_BYTES > reader->bytes) {
        return ERR_OK;
    }
    const uint8_t *data = NULL;
    WalGroupHeader header;
    TRY(load(reader, reader->offset, WAL_BLOCK_BYTES, &data, err));
    if (!header_follows(reader, data, &header)) {
        return ERR_OK;
    }
    TRY(load(reader, reader->offset, WAL_GROUP_HEADER_BYTES + (uint64_t)header.bytes, &data, err));
    if (!check_records(reader, data + WAL_GROUP_HEADER_BYTES, &header)) {
        return ERR_OK;
    }
    *group_out = (WalGroup){.offset = reader->offset,
                            .bytes = header.bytes,
                            .records = header.records,
                            .first_lsn = header.first_lsn,
                            .durable_below = header.durable_below};
    *found_out = true;
    reader->record = data + WAL_GROUP_HEADER_BYTES;
    reader->records_left = header.records;
    reader->group_crc = header.crc;
    reader->last_crc = header.crc;
    reader->next_lsn += header.records;
    reader->offset = wal__align_block(reader->offset + WAL_GROUP_HEADER_BYTES + header.bytes);
    return ERR_OK;
}

/* ---- beyond the end ---- */

static ErrorCode check_tail_block(const WalReader *reader, const uint8_t *block, Error *err) {
    WalGroupHeader header;
    if (!wal__get_group_header(block, &header) || header.salt != reader->header.salt ||
        header.durable_below <= reader->next_lsn || reader->plant == WAL_PLANT_DAMAGE_IS_END) {
        return ERR_OK;
    }
    return wal__damaged(err, reader->path, reader->offset, "a group that was durable cannot be read");
}

/* Offsets of blocks that bear this file's mark go to stale (may be NULL). */
static ErrorCode scan_tail(WalReader *reader, Buffer *stale, Error *err) {
    uint64_t end = MIN_OF(reader->bytes, reader->offset + WAL_TAIL_BYTES);
    for (uint64_t at = reader->offset; at + WAL_BLOCK_BYTES <= end; at += WAL_BLOCK_BYTES) {
        const uint8_t *block = NULL;
        TRY(load(reader, at, WAL_BLOCK_BYTES, &block, err));
        if (!wal__has_group_mark(block, reader->header.salt)) {
            continue;
        }
        TRY(check_tail_block(reader, block, err));
        if (stale != NULL) {
            buffer_put_u64le(stale, at);
        }
    }
    return ERR_OK;
}

/* ---- walking ---- */

ErrorCode wal__reader_next(WalReader *reader, Buffer *stale, WalGroup *group_out, bool *found_out, Error *err) {
    TRY(wal__reader_step(reader, group_out, found_out, err));
    if (*found_out) {
        return ERR_OK;
    }
    ErrorCode code = scan_tail(reader, stale, err);
    if (code != ERR_DAMAGED) {
        return code;
    }
    /* Is somebody writing this file? Then the group may have been half there when it was read, and is whole by now. */
    reader->window_len = 0;
    TRY(wal__reader_step(reader, group_out, found_out, err));
    return *found_out ? ERR_OK : code;
}

ErrorCode wal_reader_next_group(WalReader *reader, WalGroup *group_out, bool *found_out, Error *err) {
    return wal__reader_next(reader, NULL, group_out, found_out, err);
}

bool wal_reader_next_record(WalReader *reader, WalRecord *record_out) {
    if (reader->records_left == 0) {
        return false;
    }
    WalRecordHeader header;
    bool valid = wal__get_record_header(reader->record, reader->group_crc, &header);
    assert(valid); /* it was, when the group was read */
    (void)valid;
    *record_out = (WalRecord){.lsn = header.lsn,
                              .wall_micros = header.wall_micros,
                              .term = header.term,
                              .kind = header.kind,
                              .flags = header.flags,
                              .body = {reader->record + WAL_RECORD_HEADER_BYTES, header.body_bytes}};
    reader->record += wal__align_record(WAL_RECORD_HEADER_BYTES + (uint64_t)header.body_bytes);
    reader->records_left--;
    return true;
}

/* ---- a file without header ---- */

/* The file may have come into use since its header was read, if a log is open on the folder. */
static bool has_header_now(WalReader *reader) {
    const uint8_t *block = NULL;
    WalFileHeader header;
    bool valid = false;
    reader->window_len = 0;
    return load(reader, 0, WAL_BLOCK_BYTES, &block, NULL) == ERR_OK &&
           wal__get_file_header(block, reader->path, &header, &valid, NULL) == ERR_OK && valid;
}

static ErrorCode check_headless(WalReader *reader, Lsn next_lsn, Error *err) {
    TRY(io_open(reader->io, reader->path, IO_READ, &reader->file, err));
    TRY(io_size(reader->io, reader->file, &reader->bytes, err));
    for (uint64_t at = WAL_BLOCK_BYTES; at + WAL_BLOCK_BYTES <= reader->bytes; at += WAL_BLOCK_BYTES) {
        const uint8_t *block = NULL;
        TRY(load(reader, at, WAL_BLOCK_BYTES, &block, err));
        WalGroupHeader header;
        if (wal__get_group_header(block, &header) && header.first_lsn >= next_lsn) {
            return has_header_now(reader)
                       ? ERR_OK
                       : wal__damaged(err, reader->path, 0,
                                      "the file header is unreadable, but records of the log follow it");
        }
    }
    return ERR_OK;
}

ErrorCode wal__check_headless(Io *io, const char *path, Lsn next_lsn, Error *err) {
    WalReader *reader = mem_calloc(1, sizeof *reader);
    reader->io = io;
    memcpy(reader->path, path, strlen(path) + 1);
    ErrorCode code = check_headless(reader, next_lsn, err);
    wal_reader_close(reader);
    return code;
}

/* ---- the window ---- */

/* Makes [offset, offset + len) readable at *data_out until the next call. The range lies inside the file. */
static ErrorCode load(WalReader *reader, uint64_t offset, uint64_t len, const uint8_t **data_out, Error *err) {
    assert(offset + len <= reader->bytes);
    if (offset < reader->window_from || offset + len > reader->window_from + reader->window_len) {
        uint64_t wanted = MIN_OF(MAX_OF(len, (uint64_t)READ_BYTES), reader->bytes - offset);
        if (wanted > reader->window_capacity) {
            mem_free(reader->window);
            reader->window = mem_alloc_aligned((size_t)wanted);
            reader->window_capacity = (size_t)wanted;
        }
        size_t got = 0;
        reader->window_len = 0;
        TRY(io_pread(reader->io, reader->file, reader->window, (size_t)wanted, offset, &got, err));
        if (got < len) {
            return wal__damaged(err, reader->path, offset + got, "the file ends too early");
        }
        reader->window_from = offset;
        reader->window_len = got;
    }
    *data_out = reader->window + (offset - reader->window_from);
    return ERR_OK;
}
