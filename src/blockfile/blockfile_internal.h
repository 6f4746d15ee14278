/* SPDX-License-Identifier: Apache-2.0
 * blockfile_internal.h - the bytes of header, directory entry and footer as structs, shared by writer, reader and
 * check.
 *
 * Structs are never cast from bytes; format.c puts and gets each field. */
#pragma once
#include "base/hash.h"
#include "blockfile/blockfile.h"

enum { BLOCKFILE_MAGIC_BYTES = 8, BLOCKFILE_TAG_BYTES = 16 };

typedef struct BlockFileFooter {
    uint64_t directory_offset, directory_bytes; /* entries, extras, section; without padding */
    uint32_t directory_crc;
    uint32_t block_count;
    uint64_t extras_bytes, section_bytes;
    uint64_t lsn, file_id;
    uint32_t file_crc;
} BlockFileFooter;

struct BlockFile {
    Io *io;
    File *file;
    char path[BLOCKFILE_PATH_BYTES_MAX];
    uint64_t bytes;
    BlockFileHeader header;
    uint32_t header_crc;
    BlockFileFooter footer;
    uint8_t *directory; /* footer.directory_bytes */
};

static inline uint64_t blockfile__align(uint64_t offset) {
    return (offset + BLOCKFILE_ALIGNMENT - 1) & ~(uint64_t)(BLOCKFILE_ALIGNMENT - 1);
}
/* Seed of every checksum inside a file: bytes moved to another place or another file do not match. */
uint32_t blockfile__seed(uint64_t file_id, uint64_t offset);
/* Fills *err with path and offset in the message, offset also as position. Always ERR_DAMAGED. */
ErrorCode blockfile__damaged(Error *err, const char *path, uint64_t offset, const char *what);

/* returns its crc */
uint32_t blockfile__put_header(uint8_t out[BLOCKFILE_HEADER_BYTES], const BlockFileHeader *header);
NODISCARD ErrorCode blockfile__get_header(const uint8_t in[BLOCKFILE_HEADER_BYTES], const char *path,
                                          BlockFileHeader *header_out, uint32_t *crc_out, Error *err);
void blockfile__put_footer(uint8_t out[BLOCKFILE_FOOTER_BYTES], BlockFileFooter *footer, uint32_t header_crc);
NODISCARD ErrorCode blockfile__get_footer(const uint8_t in[BLOCKFILE_FOOTER_BYTES], const char *path, uint64_t offset,
                                          uint32_t header_crc, BlockFileFooter *footer_out, Error *err);
void blockfile__put_entry(uint8_t out[BLOCKFILE_ENTRY_BYTES], const BlockEntry *entry, uint32_t extra_offset);
/* extra.data is left NULL, its len set; the caller adds extras + *extra_offset_out. */
BlockEntry blockfile__get_entry(const uint8_t in[BLOCKFILE_ENTRY_BYTES], uint32_t *extra_offset_out);
