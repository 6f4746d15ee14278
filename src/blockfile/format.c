/* SPDX-License-Identifier: Apache-2.0
 * format.c - header, footer and directory entry <-> bytes, with their checksums.
 *
 * Layout:     docs/format/blockfile.md; the offsets below are its tables. Magic, crc and format version lie at the same
 *             places in every version to come, so that a newer file is told from a damaged one.
 * Tests:      test/unit/blockfile/test_blockfile.c (hex example of the page, every byte flipped) */
#include "blockfile/blockfile_internal.h"

static const uint8_t HEADER_MAGIC[BLOCKFILE_MAGIC_BYTES] = {'B', 'A', 'S', 'A', 'L', 'T', 'B', 'F'};
static const uint8_t FOOTER_MAGIC[BLOCKFILE_MAGIC_BYTES] = {'B', 'A', 'S', 'A', 'L', 'T', 'F', 'T'};

/* Byte offsets, the same in header and footer up to VERSION_AT. */
enum { CRC_AT = 8, VERSION_AT = 12 };
enum { KIND_AT = 16, FILE_ID_AT = 24, ENGINE_ID_AT = 32, SALT_AT = 40, FEATURES_READ_AT = 48, FEATURES_WRITE_AT = 56 };
enum {
    DIRECTORY_OFFSET_AT = 16,
    DIRECTORY_BYTES_AT = 24,
    DIRECTORY_CRC_AT = 32,
    BLOCK_COUNT_AT = 36,
    EXTRAS_BYTES_AT = 40,
    SECTION_BYTES_AT = 48,
    LSN_AT = 56,
    FOOTER_FILE_ID_AT = 64,
    FILE_CRC_AT = 72
};
enum {
    ENTRY_OFFSET_AT = 0,
    ENTRY_KEY_AT = 8,
    ENTRY_BYTES_AT = 16,
    ENTRY_CRC_AT = 20,
    ENTRY_KIND_AT = 24,
    ENTRY_FLAGS_AT = 26,
    ENTRY_EXTRA_BYTES_AT = 28,
    ENTRY_EXTRA_OFFSET_AT = 32,
    ENTRY_TAG_AT = 48
};
_Static_assert(ENTRY_TAG_AT + BLOCKFILE_TAG_BYTES == BLOCKFILE_ENTRY_BYTES, "the entry ends with room for a tag");

uint32_t blockfile__seed(uint64_t file_id, uint64_t offset) {
    uint8_t place[16];
    put_u64le(place, file_id);
    put_u64le(place + 8, offset);
    return crc32c(0, place, sizeof place);
}

ErrorCode blockfile__damaged(Error *err, const char *path, uint64_t offset, const char *what) {
    return error_set(err, ERR_DAMAGED, (int64_t)offset, "%s is damaged at offset %llu: %s", path,
                     (unsigned long long)offset, what);
}

static ErrorCode check_version(const uint8_t *in, const char *path, uint64_t offset, Error *err) {
    uint32_t version = get_u32le(in + VERSION_AT);
    if (version > BLOCKFILE_FORMAT_VERSION) {
        return error_set(err, ERR_NEWER_FORMAT, (int64_t)offset,
                         "%s has format version %u; this program reads up to version %d", path, version,
                         BLOCKFILE_FORMAT_VERSION);
    }
    return version == 0 ? blockfile__damaged(err, path, offset + VERSION_AT, "format version 0") : ERR_OK;
}

uint32_t blockfile__put_header(uint8_t out[BLOCKFILE_HEADER_BYTES], const BlockFileHeader *header) {
    memset(out, 0, BLOCKFILE_HEADER_BYTES);
    memcpy(out, HEADER_MAGIC, sizeof HEADER_MAGIC);
    put_u32le(out + VERSION_AT, header->format_version);
    put_u16le(out + KIND_AT, (uint16_t)header->kind);
    put_u64le(out + FILE_ID_AT, header->file_id);
    put_u64le(out + ENGINE_ID_AT, header->engine_id);
    put_u64le(out + SALT_AT, header->salt);
    put_u64le(out + FEATURES_READ_AT, header->features_read);
    put_u64le(out + FEATURES_WRITE_AT, header->features_write);
    uint32_t crc = crc32c(0, out + VERSION_AT, BLOCKFILE_HEADER_BYTES - VERSION_AT);
    put_u32le(out + CRC_AT, crc);
    return crc;
}

ErrorCode blockfile__get_header(const uint8_t in[BLOCKFILE_HEADER_BYTES], const char *path, BlockFileHeader *header_out,
                                uint32_t *crc_out, Error *err) {
    if (memcmp(in, HEADER_MAGIC, sizeof HEADER_MAGIC) != 0) {
        return blockfile__damaged(err, path, 0, "the header does not begin with BASALTBF");
    }
    uint32_t crc = crc32c(0, in + VERSION_AT, BLOCKFILE_HEADER_BYTES - VERSION_AT);
    if (crc != get_u32le(in + CRC_AT)) {
        return blockfile__damaged(err, path, 0, "wrong checksum of the header");
    }
    TRY(check_version(in, path, 0, err));
    *header_out = (BlockFileHeader){.format_version = get_u32le(in + VERSION_AT),
                                    .kind = (BlockFileKind)get_u16le(in + KIND_AT),
                                    .file_id = get_u64le(in + FILE_ID_AT),
                                    .engine_id = get_u64le(in + ENGINE_ID_AT),
                                    .salt = get_u64le(in + SALT_AT),
                                    .features_read = get_u64le(in + FEATURES_READ_AT),
                                    .features_write = get_u64le(in + FEATURES_WRITE_AT)};
    *crc_out = crc;
    return ERR_OK;
}

/* The header's checksum and the footer's fields up to the file id; the directory's checksum, and through it that of
 * every block, is among them. So the whole file is covered without a second pass over it. */
static uint32_t file_crc(const uint8_t *footer, uint32_t header_crc) {
    uint8_t first[4];
    put_u32le(first, header_crc);
    return crc32c(crc32c(0, first, sizeof first), footer + VERSION_AT, FILE_CRC_AT - VERSION_AT);
}

void blockfile__put_footer(uint8_t out[BLOCKFILE_FOOTER_BYTES], BlockFileFooter *footer, uint32_t header_crc) {
    memset(out, 0, BLOCKFILE_FOOTER_BYTES);
    memcpy(out, FOOTER_MAGIC, sizeof FOOTER_MAGIC);
    put_u32le(out + VERSION_AT, BLOCKFILE_FORMAT_VERSION);
    put_u64le(out + DIRECTORY_OFFSET_AT, footer->directory_offset);
    put_u64le(out + DIRECTORY_BYTES_AT, footer->directory_bytes);
    put_u32le(out + DIRECTORY_CRC_AT, footer->directory_crc);
    put_u32le(out + BLOCK_COUNT_AT, footer->block_count);
    put_u64le(out + EXTRAS_BYTES_AT, footer->extras_bytes);
    put_u64le(out + SECTION_BYTES_AT, footer->section_bytes);
    put_u64le(out + LSN_AT, footer->lsn);
    put_u64le(out + FOOTER_FILE_ID_AT, footer->file_id);
    footer->file_crc = file_crc(out, header_crc);
    put_u32le(out + FILE_CRC_AT, footer->file_crc);
    put_u32le(out + CRC_AT, crc32c(0, out + VERSION_AT, BLOCKFILE_FOOTER_BYTES - VERSION_AT));
}

ErrorCode blockfile__get_footer(const uint8_t in[BLOCKFILE_FOOTER_BYTES], const char *path, uint64_t offset,
                                uint32_t header_crc, BlockFileFooter *footer_out, Error *err) {
    if (memcmp(in, FOOTER_MAGIC, sizeof FOOTER_MAGIC) != 0) {
        return blockfile__damaged(err, path, offset, "no footer at the end of the file (cut off?)");
    }
    if (crc32c(0, in + VERSION_AT, BLOCKFILE_FOOTER_BYTES - VERSION_AT) != get_u32le(in + CRC_AT)) {
        return blockfile__damaged(err, path, offset, "wrong checksum of the footer");
    }
    TRY(check_version(in, path, offset, err));
    *footer_out = (BlockFileFooter){.directory_offset = get_u64le(in + DIRECTORY_OFFSET_AT),
                                    .directory_bytes = get_u64le(in + DIRECTORY_BYTES_AT),
                                    .directory_crc = get_u32le(in + DIRECTORY_CRC_AT),
                                    .block_count = get_u32le(in + BLOCK_COUNT_AT),
                                    .extras_bytes = get_u64le(in + EXTRAS_BYTES_AT),
                                    .section_bytes = get_u64le(in + SECTION_BYTES_AT),
                                    .lsn = get_u64le(in + LSN_AT),
                                    .file_id = get_u64le(in + FOOTER_FILE_ID_AT),
                                    .file_crc = get_u32le(in + FILE_CRC_AT)};
    if (footer_out->file_crc != file_crc(in, header_crc)) {
        return blockfile__damaged(err, path, offset, "header and footer do not belong together");
    }
    return ERR_OK;
}

void blockfile__put_entry(uint8_t out[BLOCKFILE_ENTRY_BYTES], const BlockEntry *entry, uint32_t extra_offset) {
    memset(out, 0, BLOCKFILE_ENTRY_BYTES);
    put_u64le(out + ENTRY_OFFSET_AT, entry->offset);
    put_u64le(out + ENTRY_KEY_AT, entry->key);
    put_u32le(out + ENTRY_BYTES_AT, entry->bytes);
    put_u32le(out + ENTRY_CRC_AT, entry->crc);
    put_u16le(out + ENTRY_KIND_AT, entry->kind);
    put_u16le(out + ENTRY_FLAGS_AT, entry->flags);
    put_u32le(out + ENTRY_EXTRA_BYTES_AT, (uint32_t)entry->extra.len);
    put_u32le(out + ENTRY_EXTRA_OFFSET_AT, extra_offset);
}

BlockEntry blockfile__get_entry(const uint8_t in[BLOCKFILE_ENTRY_BYTES], uint32_t *extra_offset_out) {
    *extra_offset_out = get_u32le(in + ENTRY_EXTRA_OFFSET_AT);
    return (BlockEntry){.offset = get_u64le(in + ENTRY_OFFSET_AT),
                        .key = get_u64le(in + ENTRY_KEY_AT),
                        .bytes = get_u32le(in + ENTRY_BYTES_AT),
                        .crc = get_u32le(in + ENTRY_CRC_AT),
                        .kind = get_u16le(in + ENTRY_KIND_AT),
                        .flags = get_u16le(in + ENTRY_FLAGS_AT),
                        .extra = {NULL, get_u32le(in + ENTRY_EXTRA_BYTES_AT)}};
}
