/* SPDX-License-Identifier: Apache-2.0
 * reader.c - open an immutable file, look up its directory, read and check single blocks.
 *
 * Invariants: after open every directory entry lies inside the block area, entries follow one another without gaps, and
 *             extras lie inside the directory: later code needs no range checks of its own. No allocation is larger
 *             than the file.
 * Threads:    a BlockFile is immutable after open; pread needs no position.
 * Tests:      test/unit/blockfile/test_blockfile.c, fuzz/fuzz_blockfile.c */
#include "blockfile/blockfile_internal.h"

static ErrorCode read_exactly(const BlockFile *file, void *data, size_t len, uint64_t offset, Error *err) {
    size_t got = 0;
    TRY(io_pread(file->io, file->file, data, len, offset, &got, err));
    return got == len ? ERR_OK : blockfile__damaged(err, file->path, offset + got, "the file ends too early");
}

static ErrorCode check_features(const BlockFile *file, uint64_t known, Error *err) {
    uint64_t unknown = file->header.features_read & ~known;
    if (unknown != 0) {
        return error_set(err, ERR_NEWER_FORMAT, 0, "%s uses features (mask %llx) that this program does not know",
                         file->path, (unsigned long long)unknown);
    }
    return ERR_OK;
}

static ErrorCode read_header(BlockFile *file, const BlockFileExpect *expect, Error *err) {
    uint8_t bytes[BLOCKFILE_HEADER_BYTES];
    TRY(read_exactly(file, bytes, sizeof bytes, 0, err));
    TRY(blockfile__get_header(bytes, file->path, &file->header, &file->header_crc, err));
    TRY(check_features(file, expect->features_known, err));
    if (expect->kind != 0 && expect->kind != file->header.kind) {
        return blockfile__damaged(err, file->path, 0, "it is a file of another kind than its place says");
    }
    if (expect->file_id != 0 && expect->file_id != file->header.file_id) {
        return blockfile__damaged(err, file->path, 0, "its file id is not the one of its name");
    }
    if (expect->engine_id != 0 && expect->engine_id != file->header.engine_id) {
        return blockfile__damaged(err, file->path, 0, "it belongs to another database");
    }
    return ERR_OK;
}

static ErrorCode read_footer(BlockFile *file, const BlockFileExpect *expect, Error *err) {
    uint64_t offset = file->bytes - BLOCKFILE_FOOTER_BYTES;
    uint8_t bytes[BLOCKFILE_FOOTER_BYTES];
    TRY(read_exactly(file, bytes, sizeof bytes, offset, err));
    BlockFileFooter *footer = &file->footer;
    TRY(blockfile__get_footer(bytes, file->path, offset, file->header_crc, footer, err));
    if (footer->file_id != file->header.file_id) {
        return blockfile__damaged(err, file->path, offset, "header and footer name different file ids");
    }
    uint64_t room = offset - BLOCKFILE_HEADER_BYTES; /* for blocks and directory */
    uint64_t entries_bytes = (uint64_t)footer->block_count * BLOCKFILE_ENTRY_BYTES;
    bool sizes_fit = footer->block_count <= BLOCKFILE_BLOCKS_MAX && footer->extras_bytes <= room &&
                     footer->section_bytes <= room && footer->directory_bytes <= room &&
                     footer->directory_bytes == entries_bytes + footer->extras_bytes + footer->section_bytes &&
                     footer->directory_offset == offset - blockfile__align(footer->directory_bytes) &&
                     footer->directory_offset % BLOCKFILE_ALIGNMENT == 0 &&
                     footer->directory_offset >= BLOCKFILE_HEADER_BYTES;
    if (!sizes_fit) {
        return blockfile__damaged(err, file->path, offset, "the footer's sizes do not fit the file");
    }
    if (expect->has_crc && expect->crc != footer->file_crc) {
        return blockfile__damaged(err, file->path, offset, "it is not the file that was published under this name");
    }
    return ERR_OK;
}

static ErrorCode check_entries(const BlockFile *file, Error *err) {
    uint64_t offset = BLOCKFILE_HEADER_BYTES;
    for (uint32_t i = 0; i < file->footer.block_count; i++) {
        uint32_t extra_offset = 0;
        BlockEntry entry = blockfile__get_entry(file->directory + (size_t)i * BLOCKFILE_ENTRY_BYTES, &extra_offset);
        bool fits = entry.offset == offset && entry.bytes <= BLOCKFILE_BLOCK_BYTES_MAX &&
                    (uint64_t)extra_offset + entry.extra.len <= file->footer.extras_bytes;
        if (!fits) {
            return blockfile__damaged(err, file->path, file->footer.directory_offset + i * BLOCKFILE_ENTRY_BYTES,
                                      "a directory entry does not fit the file");
        }
        offset = blockfile__align(offset + entry.bytes);
    }
    if (offset != file->footer.directory_offset) {
        return blockfile__damaged(err, file->path, offset, "the blocks do not end where the directory begins");
    }
    return ERR_OK;
}

static ErrorCode read_directory(BlockFile *file, Error *err) {
    const BlockFileFooter *footer = &file->footer;
    file->directory = mem_alloc((size_t)footer->directory_bytes + 1); /* never of size 0 */
    TRY(read_exactly(file, file->directory, (size_t)footer->directory_bytes, footer->directory_offset, err));
    uint32_t crc = crc32c(blockfile__seed(file->header.file_id, footer->directory_offset), file->directory,
                          (size_t)footer->directory_bytes);
    if (crc != footer->directory_crc) {
        return blockfile__damaged(err, file->path, footer->directory_offset, "wrong checksum of the directory");
    }
    return check_entries(file, err);
}

static ErrorCode read_all_but_blocks(BlockFile *file, const BlockFileExpect *expect, Error *err) {
    TRY(io_open(file->io, file->path, IO_READ, &file->file, err));
    TRY(io_size(file->io, file->file, &file->bytes, err));
    if (file->bytes < BLOCKFILE_HEADER_BYTES + BLOCKFILE_FOOTER_BYTES) {
        return blockfile__damaged(err, file->path, file->bytes, "the file is too short");
    }
    TRY(read_header(file, expect, err));
    if (expect->bytes != 0 && expect->bytes != file->bytes) {
        return blockfile__damaged(err, file->path, file->bytes, "its size is not the one that was published");
    }
    TRY(read_footer(file, expect, err));
    return read_directory(file, err);
}

ErrorCode blockfile_open(Io *io, const char *path, const BlockFileExpect *expect, BlockFile **file_out, Error *err) {
    static const BlockFileExpect ANYTHING = {0};
    if (strlen(path) >= BLOCKFILE_PATH_BYTES_MAX) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "file name longer than %d bytes: %.100s...",
                         BLOCKFILE_PATH_BYTES_MAX, path);
    }
    BlockFile *file = mem_calloc(1, sizeof *file);
    file->io = io;
    memcpy(file->path, path, strlen(path) + 1);
    ErrorCode code = read_all_but_blocks(file, expect != NULL ? expect : &ANYTHING, err);
    if (code != ERR_OK) {
        blockfile_close(file);
        bool published = expect != NULL && expect->has_crc;
        return published && code == ERR_FILE_MISSING ? error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "%s is missing", path) : code;
    }
    *file_out = file;
    return ERR_OK;
}

void blockfile_close(BlockFile *file) {
    if (file == NULL) {
        return;
    }
    io_close(file->io, file->file);
    mem_free(file->directory);
    mem_free(file);
}

const BlockFileHeader *blockfile_header(const BlockFile *file) {
    return &file->header;
}

const char *blockfile_path(const BlockFile *file) {
    return file->path;
}

uint64_t blockfile_bytes(const BlockFile *file) {
    return file->bytes;
}

uint64_t blockfile_memory_bytes(const BlockFile *file) {
    return sizeof *file + file->footer.directory_bytes;
}

uint64_t blockfile_lsn(const BlockFile *file) {
    return file->footer.lsn;
}

uint32_t blockfile_crc(const BlockFile *file) {
    return file->footer.file_crc;
}

Bytes blockfile_section(const BlockFile *file) {
    size_t len = (size_t)file->footer.section_bytes;
    return bytes_from(file->directory + file->footer.directory_bytes - len, len);
}

uint32_t blockfile_block_count(const BlockFile *file) {
    return file->footer.block_count;
}

BlockEntry blockfile_entry(const BlockFile *file, uint32_t index) {
    assert(index < file->footer.block_count);
    uint32_t extra_offset = 0;
    BlockEntry entry = blockfile__get_entry(file->directory + (size_t)index * BLOCKFILE_ENTRY_BYTES, &extra_offset);
    entry.extra.data = file->directory + (size_t)file->footer.block_count * BLOCKFILE_ENTRY_BYTES + extra_offset;
    return entry;
}

bool blockfile_find(const BlockFile *file, uint16_t kind, uint64_t key, uint32_t *index_out) {
    for (uint32_t i = 0; i < file->footer.block_count; i++) {
        BlockEntry entry = blockfile_entry(file, i);
        if (entry.kind == kind && entry.key == key) {
            *index_out = i;
            return true;
        }
    }
    return false;
}

static ErrorCode check_block(const BlockFile *file, const BlockEntry *entry, const void *payload, Error *err) {
    uint32_t crc = crc32c(blockfile__seed(file->header.file_id, entry->offset), payload, entry->bytes);
    return crc == entry->crc ? ERR_OK
                             : blockfile__damaged(err, file->path, entry->offset, "wrong checksum of a block");
}

ErrorCode blockfile_read(const BlockFile *file, uint32_t index, void *memory, size_t capacity, Error *err) {
    BlockEntry entry = blockfile_entry(file, index);
    assert(capacity >= entry.bytes);
    (void)capacity;
    TRY(read_exactly(file, memory, entry.bytes, entry.offset, err));
    return check_block(file, &entry, memory, err);
}

ErrorCode blockfile_read_buffer(const BlockFile *file, uint32_t index, Buffer *buffer, Error *err) {
    BlockEntry entry = blockfile_entry(file, index);
    buffer_clear(buffer);
    uint8_t *memory = buffer_reserve(buffer, entry.bytes);
    if (memory == NULL) {
        return error_set(err, ERR_TOO_LARGE, (int64_t)entry.offset, "%s: a block of %u bytes is larger than its buffer",
                         file->path, entry.bytes);
    }
    TRY(blockfile_read(file, index, memory, entry.bytes, err));
    buffer->len = entry.bytes;
    return ERR_OK;
}

uint64_t blockfile_span(const BlockFile *file, uint32_t index, uint32_t count) {
    assert(count > 0);
    BlockEntry first = blockfile_entry(file, index);
    BlockEntry last = blockfile_entry(file, index + count - 1);
    return last.offset + last.bytes - first.offset;
}

ErrorCode blockfile_read_span(const BlockFile *file, uint32_t index, uint32_t count, void *memory, size_t capacity,
                              Error *err) {
    uint64_t span = blockfile_span(file, index, count);
    assert(capacity >= span);
    (void)capacity;
    uint64_t from = blockfile_entry(file, index).offset;
    TRY(read_exactly(file, memory, (size_t)span, from, err));
    for (uint32_t i = index; i < index + count; i++) {
        BlockEntry entry = blockfile_entry(file, i);
        TRY(check_block(file, &entry, (const uint8_t *)memory + (entry.offset - from), err));
    }
    return ERR_OK;
}
