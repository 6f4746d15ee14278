/* SPDX-License-Identifier: Apache-2.0
 * check.c - read a whole file and say what is wrong with it (`basalt check`), or what is in it (`basalt dump`).
 *
 * Invariants: together with the checks of open, no byte of a file can change without being noticed here: header,
 *             blocks, directory and footer are under checksums, the padding between them must be zero.
 * Tests:      test/unit/blockfile/test_blockfile.c flips every byte of a file */
#include "blockfile/blockfile_internal.h"

typedef struct Check {
    BlockFile *file;
    BlockDamageVisit visit;
    void *context;
    Buffer block;
} Check;

static bool all_zero(const uint8_t *data, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (data[i] != 0) {
            return false;
        }
    }
    return true;
}

static ErrorCode check_padding(const BlockFile *file, uint64_t end, Error *err) {
    uint8_t padding[BLOCKFILE_ALIGNMENT];
    size_t len = (size_t)(blockfile__align(end) - end);
    size_t got = 0;
    TRY(io_pread(file->io, file->file, padding, len, end, &got, err));
    if (got != len || !all_zero(padding, len)) {
        return blockfile__damaged(err, file->path, end, "the padding is not zero");
    }
    return ERR_OK;
}

static ErrorCode check_block(Check *check, uint32_t index, Error *err) {
    TRY(blockfile_read_buffer(check->file, index, &check->block, err));
    BlockEntry entry = blockfile_entry(check->file, index);
    return check_padding(check->file, entry.offset + entry.bytes, err);
}

/* Damage is handed to the visitor and the walk goes on; other errors, and damage without a visitor, end it. */
static ErrorCode report(const Check *check, ErrorCode code, const Error *found, Error *err) {
    if (code == ERR_DAMAGED && check->visit != NULL) {
        check->visit(check->context, found);
        return ERR_OK;
    }
    if (code != ERR_OK && err != NULL) {
        *err = *found;
    }
    return code;
}

static ErrorCode check_all(Check *check, Error *err) {
    Error found = {0};
    for (uint32_t i = 0; i < blockfile_block_count(check->file); i++) {
        TRY(report(check, check_block(check, i, &found), &found, err));
    }
    const BlockFileFooter *footer = &check->file->footer;
    ErrorCode code = check_padding(check->file, footer->directory_offset + footer->directory_bytes, &found);
    return report(check, code, &found, err);
}

ErrorCode blockfile_check(Io *io, const char *path, BlockDamageVisit visit, void *context, Error *err) {
    Check check = {.visit = visit, .context = context};
    Error found = {0};
    ErrorCode code = blockfile_open(io, path, &(BlockFileExpect){.features_known = UINT64_MAX}, &check.file, &found);
    if (code != ERR_OK) {
        return report(&check, code, &found, err);
    }
    buffer_init(&check.block, BLOCKFILE_BLOCK_BYTES_MAX);
    code = check_all(&check, err);
    buffer_deinit(&check.block);
    blockfile_close(check.file);
    return code;
}

static void dump_header(const BlockFile *file, Buffer *out) {
    const BlockFileHeader *header = &file->header;
    buffer_printf(out, "%s: kind %c, format %u, file id %llu, engine %016llx, salt %016llx, features %llx/%llx\n",
                  file->path, (int)header->kind, header->format_version, (unsigned long long)header->file_id,
                  (unsigned long long)header->engine_id, (unsigned long long)header->salt,
                  (unsigned long long)header->features_read, (unsigned long long)header->features_write);
}

static void dump_blocks(const BlockFile *file, Buffer *out) {
    for (uint32_t i = 0; i < file->footer.block_count; i++) {
        BlockEntry entry = blockfile_entry(file, i);
        buffer_printf(out, "block %u: offset %llu, bytes %u, kind %u, flags %u, key %llu, crc %08x, extra %zu\n", i,
                      (unsigned long long)entry.offset, entry.bytes, entry.kind, entry.flags,
                      (unsigned long long)entry.key, entry.crc, entry.extra.len);
    }
}

ErrorCode blockfile_dump(Io *io, const char *path, Buffer *out, Error *err) {
    BlockFile *file = NULL;
    TRY(blockfile_open(io, path, &(BlockFileExpect){.features_known = UINT64_MAX}, &file, err));
    dump_header(file, out);
    dump_blocks(file, out);
    const BlockFileFooter *footer = &file->footer;
    buffer_printf(out, "directory: offset %llu, bytes %llu, section %llu; lsn %llu, file bytes %llu, crc %08x\n",
                  (unsigned long long)footer->directory_offset, (unsigned long long)footer->directory_bytes,
                  (unsigned long long)footer->section_bytes, (unsigned long long)footer->lsn,
                  (unsigned long long)file->bytes, footer->file_crc);
    blockfile_close(file);
    return buffer_check(out, err);
}
