/* SPDX-License-Identifier: Apache-2.0
 * format.c - file header, group header and record header <-> bytes.
 *
 * Layout:     docs/format/wal.md; the offsets below are its tables.
 * Why:        the checksum of a record header begins with that of its group, and the group carries the nonce of the
 *             process that wrote it: after a power cut sectors of two attempts to write the same LSNs at the same place
 *             can lie side by side, and must not pass for one group. The body's checksum stands alone, so that the
 *             committer computes it before it knows its LSN.
 * Tests:      test/unit/wal/test_reader.c decodes the hex example of the page */
#include "wal/wal_internal.h"

static const uint8_t FILE_MAGIC[8] = {'B', 'A', 'S', 'A', 'L', 'T', 'W', 'L'};
#define GROUP_MAGIC UINT32_C(0x50524742) /* "BGRP" */

enum {
    FILE_CRC_AT = 8,
    FILE_VERSION_AT = 12,
    FILE_ENGINE_ID_AT = 16,
    FILE_SALT_AT = 24,
    FILE_SEQUENCE_AT = 32,
    FILE_FIRST_LSN_AT = 40,
    FILE_PREVIOUS_CRC_AT = 48,
    FILE_FEATURES_READ_AT = 56,
    FILE_FEATURES_WRITE_AT = 64
};
enum {
    GROUP_CRC_AT = 4,
    GROUP_SALT_AT = 8,
    GROUP_FIRST_LSN_AT = 16,
    GROUP_DURABLE_BELOW_AT = 24,
    GROUP_BYTES_AT = 32,
    GROUP_RECORDS_AT = 36,
    GROUP_NONCE_AT = 40,
    GROUP_TAG_AT = 48
};
_Static_assert(GROUP_TAG_AT + 16 == WAL_GROUP_HEADER_BYTES, "the group header ends with room for a tag");
enum {
    RECORD_CRC_AT = 4,
    RECORD_BODY_CRC_AT = 8,
    RECORD_TERM_AT = 12,
    RECORD_LSN_AT = 16,
    RECORD_WALL_AT = 24,
    RECORD_KIND_AT = 32,
    RECORD_FLAGS_AT = 34
};

void wal__put_file_header(uint8_t out[WAL_BLOCK_BYTES], const WalFileHeader *header) {
    memset(out, 0, WAL_BLOCK_BYTES);
    memcpy(out, FILE_MAGIC, sizeof FILE_MAGIC);
    put_u32le(out + FILE_VERSION_AT, header->format_version);
    put_u64le(out + FILE_ENGINE_ID_AT, header->engine_id);
    put_u64le(out + FILE_SALT_AT, header->salt);
    put_u64le(out + FILE_SEQUENCE_AT, header->sequence);
    put_u64le(out + FILE_FIRST_LSN_AT, header->first_lsn);
    put_u32le(out + FILE_PREVIOUS_CRC_AT, header->previous_crc);
    put_u32le(out + FILE_CRC_AT, crc32c(0, out + FILE_VERSION_AT, WAL_BLOCK_BYTES - FILE_VERSION_AT));
}

/* Sequences and LSNs count from 1 and never come near the end of their range. */
static bool is_number(uint64_t value) {
    return value > 0 && value < UINT64_C(1) << 62;
}

ErrorCode wal__get_file_header(const uint8_t in[WAL_BLOCK_BYTES], const char *path, WalFileHeader *header_out,
                               bool *valid_out, Error *err) {
    *valid_out = memcmp(in, FILE_MAGIC, sizeof FILE_MAGIC) == 0 &&
                 get_u32le(in + FILE_CRC_AT) == crc32c(0, in + FILE_VERSION_AT, WAL_BLOCK_BYTES - FILE_VERSION_AT);
    if (!*valid_out) {
        return ERR_OK;
    }
    uint32_t version = get_u32le(in + FILE_VERSION_AT);
    uint64_t features = get_u64le(in + FILE_FEATURES_READ_AT) | get_u64le(in + FILE_FEATURES_WRITE_AT);
    if (version > WAL_FORMAT_VERSION || features != 0) {
        return error_set(err, ERR_NEWER_FORMAT, 0,
                         "%s has format version %u (features %llx); this program reads up to version %d", path, version,
                         (unsigned long long)features, WAL_FORMAT_VERSION);
    }
    *header_out = (WalFileHeader){.format_version = version,
                                  .engine_id = get_u64le(in + FILE_ENGINE_ID_AT),
                                  .salt = get_u64le(in + FILE_SALT_AT),
                                  .sequence = get_u64le(in + FILE_SEQUENCE_AT),
                                  .first_lsn = get_u64le(in + FILE_FIRST_LSN_AT),
                                  .previous_crc = get_u32le(in + FILE_PREVIOUS_CRC_AT)};
    *valid_out = is_number(header_out->sequence) && is_number(header_out->first_lsn);
    return ERR_OK;
}

void wal__put_group_header(uint8_t out[WAL_GROUP_HEADER_BYTES], WalGroupHeader *header) {
    memset(out, 0, WAL_GROUP_HEADER_BYTES);
    put_u32le(out, GROUP_MAGIC);
    put_u64le(out + GROUP_SALT_AT, header->salt);
    put_u64le(out + GROUP_FIRST_LSN_AT, header->first_lsn);
    put_u64le(out + GROUP_DURABLE_BELOW_AT, header->durable_below);
    put_u32le(out + GROUP_BYTES_AT, header->bytes);
    put_u32le(out + GROUP_RECORDS_AT, header->records);
    put_u32le(out + GROUP_NONCE_AT, header->nonce);
    header->crc = crc32c(0, out + GROUP_SALT_AT, WAL_GROUP_HEADER_BYTES - GROUP_SALT_AT);
    put_u32le(out + GROUP_CRC_AT, header->crc);
}

bool wal__has_group_mark(const uint8_t in[WAL_GROUP_HEADER_BYTES], uint64_t salt) {
    return get_u32le(in) == GROUP_MAGIC && get_u64le(in + GROUP_SALT_AT) == salt;
}

bool wal__get_group_header(const uint8_t in[WAL_GROUP_HEADER_BYTES], WalGroupHeader *header_out) {
    if (get_u32le(in) != GROUP_MAGIC) {
        return false;
    }
    *header_out = (WalGroupHeader){.salt = get_u64le(in + GROUP_SALT_AT),
                                   .first_lsn = get_u64le(in + GROUP_FIRST_LSN_AT),
                                   .durable_below = get_u64le(in + GROUP_DURABLE_BELOW_AT),
                                   .bytes = get_u32le(in + GROUP_BYTES_AT),
                                   .records = get_u32le(in + GROUP_RECORDS_AT),
                                   .nonce = get_u32le(in + GROUP_NONCE_AT),
                                   .crc = get_u32le(in + GROUP_CRC_AT)};
    return header_out->crc == crc32c(0, in + GROUP_SALT_AT, WAL_GROUP_HEADER_BYTES - GROUP_SALT_AT);
}

static uint32_t record_crc(const uint8_t *header, uint32_t group_crc) {
    return crc32c(crc32c(group_crc, header, RECORD_CRC_AT), header + RECORD_BODY_CRC_AT,
                  WAL_RECORD_HEADER_BYTES - RECORD_BODY_CRC_AT);
}

void wal__put_record_header(uint8_t out[WAL_RECORD_HEADER_BYTES], const WalRecordHeader *header, uint32_t group_crc) {
    memset(out, 0, WAL_RECORD_HEADER_BYTES);
    put_u32le(out, header->body_bytes);
    put_u32le(out + RECORD_BODY_CRC_AT, header->body_crc);
    put_u32le(out + RECORD_TERM_AT, header->term);
    put_u64le(out + RECORD_LSN_AT, header->lsn);
    put_u64le(out + RECORD_WALL_AT, (uint64_t)header->wall_micros);
    put_u16le(out + RECORD_KIND_AT, header->kind);
    put_u16le(out + RECORD_FLAGS_AT, header->flags);
    put_u32le(out + RECORD_CRC_AT, record_crc(out, group_crc));
}

bool wal__get_record_header(const uint8_t in[WAL_RECORD_HEADER_BYTES], uint32_t group_crc,
                            WalRecordHeader *header_out) {
    if (get_u32le(in + RECORD_CRC_AT) != record_crc(in, group_crc)) {
        return false;
    }
    *header_out = (WalRecordHeader){.body_bytes = get_u32le(in),
                                    .body_crc = get_u32le(in + RECORD_BODY_CRC_AT),
                                    .term = get_u32le(in + RECORD_TERM_AT),
                                    .lsn = get_u64le(in + RECORD_LSN_AT),
                                    .wall_micros = (int64_t)get_u64le(in + RECORD_WALL_AT),
                                    .kind = get_u16le(in + RECORD_KIND_AT),
                                    .flags = get_u16le(in + RECORD_FLAGS_AT)};
    return true;
}

ErrorCode wal__damaged(Error *err, const char *path, uint64_t offset, const char *what) {
    return error_set(err, ERR_DAMAGED, (int64_t)offset, "%s is damaged at offset %llu: %s", path,
                     (unsigned long long)offset, what);
}
