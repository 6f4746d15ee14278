/* SPDX-License-Identifier: Apache-2.0
 * writer.c - write one immutable file: blocks through a 1 MiB buffer, then directory and footer, then its final name.
 *
 * Why:        pages of the page cache are dear to write one by one, so small blocks are gathered; blocks from
 *             DIRECT_BYTES on go to the device call as they are, behind what was gathered, without a copy.
 * Invariants: file_offset + gathered bytes = place of the next block, a multiple of 64. The name without ".tmp" exists
 *             only for whole, synced files.
 * Threads:    one.
 * Tests:      test/unit/blockfile/test_blockfile.c */
#include "blockfile/blockfile_internal.h"

enum { WRITE_BYTES = 1 << 20, DIRECT_BYTES = 256 << 10, DIRECT_PARTS_MAX = 62, EXTRA_BYTES_MAX = 64 << 10 };
#define DIRECTORY_BYTES_MAX ((size_t)2 << 30)

static const uint8_t ZEROS[BLOCKFILE_ALIGNMENT];

struct BlockWriter {
    Io *io;
    File *file;
    char path[BLOCKFILE_PATH_BYTES_MAX], tmp_path[BLOCKFILE_PATH_BYTES_MAX];
    uint64_t file_id, lsn;
    uint32_t header_crc, block_count;
    uint64_t file_offset; /* written to the file so far */
    Buffer own;           /* gathered bytes, if the caller gave no scratch */
    Buffer *gathered;
    Buffer entries, extras, section;
    bool not_durable, no_folder_sync;
};

static ErrorCode flush(BlockWriter *writer, Error *err);
static ErrorCode gather(BlockWriter *writer, const void *data, size_t len, Error *err);

static uint64_t next_offset(const BlockWriter *writer) {
    return writer->file_offset + writer->gathered->len;
}

/* A file left by a crash may have the temporary name; nobody else can be writing it. */
static ErrorCode create_file(Io *io, const char *path, File **file_out, Error *err) {
    ErrorCode code = io_open(io, path, IO_CREATE, file_out, err);
    if (code != ERR_FILE_EXISTS) {
        return code;
    }
    TRY(io_unlink(io, path, err));
    return io_open(io, path, IO_CREATE, file_out, err);
}

static BlockWriter *writer_create(Io *io, const BlockFileOptions *options) {
    BlockWriter *writer = mem_calloc(1, sizeof *writer);
    writer->io = io;
    writer->file_id = options->file_id;
    writer->lsn = options->lsn;
    writer->not_durable = options->not_durable;
    writer->no_folder_sync = options->no_folder_sync;
    memcpy(writer->path, options->path, strlen(options->path) + 1);
    memcpy(writer->tmp_path, options->path, strlen(options->path));
    memcpy(writer->tmp_path + strlen(options->path), ".tmp", sizeof ".tmp");
    buffer_init(&writer->own, 2 * WRITE_BYTES);
    buffer_init(&writer->entries, (size_t)BLOCKFILE_BLOCKS_MAX * BLOCKFILE_ENTRY_BYTES);
    buffer_init(&writer->extras, DIRECTORY_BYTES_MAX);
    buffer_init(&writer->section, DIRECTORY_BYTES_MAX);
    writer->gathered = options->scratch != NULL ? options->scratch : &writer->own;
    buffer_clear(writer->gathered);
    return writer;
}

static void writer_destroy(BlockWriter *writer) {
    io_close(writer->io, writer->file);
    buffer_clear(writer->gathered);
    buffer_deinit(&writer->section);
    buffer_deinit(&writer->extras);
    buffer_deinit(&writer->entries);
    buffer_deinit(&writer->own);
    mem_free(writer);
}

ErrorCode blockfile_writer_open(Io *io, const BlockFileOptions *options, BlockWriter **writer_out, Error *err) {
    assert(options->path != NULL);
    assert(options->kind != 0);
    assert(options->scratch == NULL || options->scratch->limit_bytes >= 2 * WRITE_BYTES);
    if (strlen(options->path) + sizeof ".tmp" > BLOCKFILE_PATH_BYTES_MAX) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "file name longer than %d bytes: %.100s...",
                         BLOCKFILE_PATH_BYTES_MAX, options->path);
    }
    BlockWriter *writer = writer_create(io, options);
    ErrorCode code = create_file(io, writer->tmp_path, &writer->file, err);
    if (code != ERR_OK) {
        writer_destroy(writer);
        return code;
    }
    BlockFileHeader header = {.format_version = BLOCKFILE_FORMAT_VERSION,
                              .kind = options->kind,
                              .file_id = options->file_id,
                              .engine_id = options->engine_id,
                              .salt = options->salt,
                              .features_read = options->features_read,
                              .features_write = options->features_write};
    writer->header_crc = blockfile__put_header(buffer_reserve(writer->gathered, BLOCKFILE_HEADER_BYTES), &header);
    writer->gathered->len += BLOCKFILE_HEADER_BYTES;
    *writer_out = writer;
    return ERR_OK;
}

/* Everything gathered, then parts and padding, in one call. */
static ErrorCode write_direct(BlockWriter *writer, const IoVec *parts, int part_count, size_t bytes, Error *err) {
    IoVec vecs[DIRECT_PARTS_MAX + 2];
    int count = 0;
    if (writer->gathered->len > 0) {
        vecs[count++] = (IoVec){writer->gathered->data, writer->gathered->len};
    }
    for (int i = 0; i < part_count; i++) {
        if (parts[i].len > 0) {
            vecs[count++] = parts[i];
        }
    }
    size_t padding = (size_t)(blockfile__align(bytes) - bytes);
    if (padding > 0) {
        vecs[count++] = (IoVec){ZEROS, padding};
    }
    TRY(io_pwritev(writer->io, writer->file, vecs, count, writer->file_offset, err));
    writer->file_offset += writer->gathered->len + bytes + padding;
    buffer_clear(writer->gathered);
    return ERR_OK;
}

static ErrorCode write_gathered(BlockWriter *writer, const IoVec *parts, int part_count, size_t bytes, Error *err) {
    for (int i = 0; i < part_count; i++) {
        TRY(gather(writer, parts[i].data, parts[i].len, err));
    }
    return gather(writer, ZEROS, (size_t)(blockfile__align(bytes) - bytes), err);
}

static ErrorCode check_block(const BlockWriter *writer, const BlockSpec *spec, const IoVec *parts, int part_count,
                             size_t *bytes_out, Error *err) {
    size_t bytes = 0;
    for (int i = 0; i < part_count; i++) {
        bytes += parts[i].len;
    }
    if (bytes > BLOCKFILE_BLOCK_BYTES_MAX || writer->block_count >= BLOCKFILE_BLOCKS_MAX ||
        spec->extra.len > EXTRA_BYTES_MAX || writer->extras.len + spec->extra.len > UINT32_MAX) {
        return error_set(err, ERR_TOO_LARGE, (int64_t)next_offset(writer),
                         "%s: block %u of %zu bytes with %zu extra bytes is beyond the limits of the file format",
                         writer->path, writer->block_count, bytes, spec->extra.len);
    }
    *bytes_out = bytes;
    return ERR_OK;
}

ErrorCode blockfile_writer_add(BlockWriter *writer, const BlockSpec *spec, const IoVec *parts, int part_count,
                               uint32_t *index_out, Error *err) {
    assert(part_count >= 0);
    size_t bytes = 0;
    TRY(check_block(writer, spec, parts, part_count, &bytes, err));
    BlockEntry entry = {.offset = next_offset(writer),
                        .key = spec->key,
                        .bytes = (uint32_t)bytes,
                        .crc = blockfile__seed(writer->file_id, next_offset(writer)),
                        .kind = spec->kind,
                        .flags = spec->flags,
                        .extra = spec->extra};
    assert(entry.offset % BLOCKFILE_ALIGNMENT == 0);
    for (int i = 0; i < part_count; i++) {
        entry.crc = crc32c(entry.crc, parts[i].data, parts[i].len);
    }
    bool direct = bytes >= DIRECT_BYTES && part_count <= DIRECT_PARTS_MAX;
    TRY(direct ? write_direct(writer, parts, part_count, bytes, err)
               : write_gathered(writer, parts, part_count, bytes, err));
    uint8_t packed[BLOCKFILE_ENTRY_BYTES];
    blockfile__put_entry(packed, &entry, (uint32_t)writer->extras.len);
    buffer_append(&writer->entries, packed, sizeof packed);
    buffer_append(&writer->extras, spec->extra.data, spec->extra.len);
    if (index_out != NULL) {
        *index_out = writer->block_count;
    }
    writer->block_count++;
    return ERR_OK;
}

void blockfile_writer_set_section(BlockWriter *writer, Bytes section) {
    buffer_clear(&writer->section);
    buffer_append(&writer->section, section.data, section.len);
}

void blockfile_writer_set_lsn(BlockWriter *writer, uint64_t lsn) {
    writer->lsn = lsn;
}

uint64_t blockfile_writer_bytes(const BlockWriter *writer) {
    return next_offset(writer);
}

uint32_t blockfile_writer_block_count(const BlockWriter *writer) {
    return writer->block_count;
}

static ErrorCode write_directory(BlockWriter *writer, BlockFileFooter *footer, Error *err) {
    TRY(buffer_check(&writer->entries, err));
    TRY(buffer_check(&writer->extras, err));
    TRY(buffer_check(&writer->section, err));
    *footer = (BlockFileFooter){.directory_offset = next_offset(writer),
                                .directory_bytes = writer->entries.len + writer->extras.len + writer->section.len,
                                .directory_crc = blockfile__seed(writer->file_id, next_offset(writer)),
                                .block_count = writer->block_count,
                                .extras_bytes = writer->extras.len,
                                .section_bytes = writer->section.len,
                                .lsn = writer->lsn,
                                .file_id = writer->file_id};
    const Buffer *pieces[] = {&writer->entries, &writer->extras, &writer->section};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        footer->directory_crc = crc32c(footer->directory_crc, pieces[i]->data, pieces[i]->len);
        TRY(gather(writer, pieces[i]->data, pieces[i]->len, err));
    }
    size_t padding = (size_t)(blockfile__align(footer->directory_bytes) - footer->directory_bytes);
    TRY(gather(writer, ZEROS, padding, err));
    uint8_t packed[BLOCKFILE_FOOTER_BYTES];
    blockfile__put_footer(packed, footer, writer->header_crc);
    TRY(gather(writer, packed, sizeof packed, err));
    return flush(writer, err);
}

static ErrorCode sync_parent_folder(Io *io, const char *path, Error *err) {
    char folder[BLOCKFILE_PATH_BYTES_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
    }
    return io_sync_folder(io, folder, err);
}

static ErrorCode finish(BlockWriter *writer, BlockFileSummary *summary, Error *err) {
    BlockFileFooter footer;
    TRY(write_directory(writer, &footer, err));
    if (!writer->not_durable) {
        TRY(io_sync(writer->io, writer->file, err));
    }
    io_close(writer->io, writer->file);
    writer->file = NULL;
    TRY(io_rename(writer->io, writer->tmp_path, writer->path, err));
    if (!writer->not_durable && !writer->no_folder_sync) {
        TRY(sync_parent_folder(writer->io, writer->path, err));
    }
    *summary =
        (BlockFileSummary){.bytes = writer->file_offset, .blocks = writer->block_count, .crc = footer.file_crc};
    return ERR_OK;
}

ErrorCode blockfile_writer_finish(BlockWriter *writer, BlockFileSummary *summary_out, Error *err) {
    BlockFileSummary summary;
    ErrorCode code = finish(writer, &summary, err);
    if (code != ERR_OK) {
        blockfile_writer_abort(writer);
        return code;
    }
    writer_destroy(writer);
    if (summary_out != NULL) {
        *summary_out = summary;
    }
    return ERR_OK;
}

void blockfile_writer_abort(BlockWriter *writer) {
    if (writer == NULL) {
        return;
    }
    io_close(writer->io, writer->file);
    writer->file = NULL;
    Error ignored; /* the first error is the one to report; a file that stays is removed when its name is used again */
    ErrorCode code = io_unlink(writer->io, writer->tmp_path, &ignored);
    (void)code;
    writer_destroy(writer);
}

static ErrorCode flush(BlockWriter *writer, Error *err) {
    return writer->gathered->len > 0 ? write_direct(writer, NULL, 0, 0, err) : ERR_OK;
}

/* Appends to the gathered bytes and writes them each time they reach WRITE_BYTES. */
static ErrorCode gather(BlockWriter *writer, const void *data, size_t len, Error *err) {
    const uint8_t *from = data;
    while (len > 0) {
        size_t piece = MIN_OF(len, (size_t)WRITE_BYTES - writer->gathered->len);
        buffer_append(writer->gathered, from, piece);
        from += piece;
        len -= piece;
        if (writer->gathered->len == WRITE_BYTES) {
            TRY(flush(writer, err));
        }
    }
    return ERR_OK;
}
