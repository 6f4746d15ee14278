/* SPDX-License-Identifier: Apache-2.0
 * dictionaries.c - dictionaries on disk: files of consecutive codes, written by checkpoints, read when first asked.
 *
 * Files:   small dictionaries lie whole in the checkpoint. From DICTIONARY_FILE_MIN entries on, each checkpoint writes what is new to a
 *          file; trailing files that are not twice as large as what comes behind them are written again with it, so that their number
 *          stays logarithmic and an entry is written a logarithmic number of times.
 * Format:  docs/format/dictionary.md
 * Tests:   test/unit/engine/test_dictionaries.c */
#include "engine/engine_internal.h"

enum { DICTIONARY_FILE_MIN = 4096, DICTIONARY_BLOCK = 1, DICTIONARY_BLOCK_ENTRIES = 65536 };

static ErrorCode write_blocks(BlockWriter *writer, const Dictionary *dictionary, int32_t first, int32_t end, Error *err) {
    Buffer block;
    buffer_init(&block, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = ERR_OK;
    for (int32_t from = first; from < end && code == ERR_OK;) {
        int32_t stop = MIN_OF(end, from + DICTIONARY_BLOCK_ENTRIES);
        buffer_clear(&block);
        buffer_put_u32le(&block, (uint32_t)(stop - from));
        for (int32_t entry = from; entry < stop; entry++) {
            Str text = dictionary_text(dictionary, entry);
            buffer_put_varint(&block, text.len);
            buffer_append_str(&block, text);
        }
        code = buffer_check(&block, err);
        IoVec part = {block.data, block.len};
        BlockSpec spec = {.kind = DICTIONARY_BLOCK, .key = (uint64_t)from};
        code = code == ERR_OK ? blockfile_writer_add(writer, &spec, &part, 1, NULL, err) : code;
        from = stop;
    }
    buffer_deinit(&block);
    return code;
}

static ErrorCode write_file(Engine *engine, const Dictionary *dictionary, uint32_t table_id, DictionaryFile *file, Error *err) {
    char path[TABLE_PATH_BYTES];
    file->file_id = engine__new_file_id(engine);
    table_file_path(path, FILE_DICTIONARY, table_id, file->file_id);
    TRY(table_make_folder(engine__table(engine, table_id), err));
    BlockFileOptions options = {.path = path,
                                .kind = BLOCKFILE_DICTIONARY,
                                .file_id = file->file_id,
                                .engine_id = engine->engine_id,
                                .salt = engine->os.rand->next(engine->os.rand)};
    BlockWriter *writer = NULL;
    TRY(blockfile_writer_open(engine->os.io, &options, &writer, err));
    ErrorCode code = write_blocks(writer, dictionary, file->first, file->first + file->count, err);
    if (code != ERR_OK) {
        blockfile_writer_abort(writer);
        return code;
    }
    BlockFileSummary summary;
    TRY(blockfile_writer_finish(writer, &summary, err));
    file->bytes = summary.bytes;
    file->crc = summary.crc;
    return ERR_OK;
}

/* How many trailing files are written again with the new entries. */
static uint32_t kept_files(const DictionaryFiles *files, int32_t new_count) {
    uint32_t kept = files->count;
    while (kept > 0 && (kept == DICTIONARY_FILES_MAX || files->files[kept - 1].count < new_count * 2)) {
        new_count += files->files[--kept].count;
    }
    return kept;
}

static ErrorCode save_new(Engine *engine, Dictionary *dictionary, uint32_t table_id, Lsn lsn, int32_t saved, int32_t count, Error *err) {
    DictionaryFiles *files = dictionary_files(dictionary);
    uint32_t kept = kept_files(files, count - saved);
    int32_t first = kept < files->count ? files->files[kept].first : saved;
    DictionaryFile file = {.first = first, .count = count - first};
    dictionary_files_reserve(dictionary);
    TRY(write_file(engine, dictionary, table_id, &file, err));
    for (uint32_t i = kept; i < files->count; i++) {
        dead_files_add(&engine->env.dead, (DeadFile){table_id, FILE_DICTIONARY, files->files[i].file_id, lsn});
    }
    files->files[kept] = file;
    files->count = kept + 1;
    return ERR_OK;
}

static void encode_files(const DictionaryFiles *files, uint32_t table_id, uint32_t column_id, Buffer *out) {
    size_t at = op_begin(out, OP_DICTIONARY, table_id);
    buffer_put_u32le(out, column_id);
    buffer_put_u32le(out, files->count);
    for (uint32_t i = 0; i < files->count; i++) {
        buffer_put_u64le(out, files->files[i].file_id);
        buffer_put_u64le(out, files->files[i].bytes);
        buffer_put_u32le(out, files->files[i].crc);
        buffer_put_u32le(out, (uint32_t)files->files[i].first);
        buffer_put_u32le(out, (uint32_t)files->files[i].count);
    }
    op_finish(out, at);
}

static int32_t saved_count(const DictionaryFiles *files) {
    return files->count == 0 ? 0 : files->files[files->count - 1].first + files->files[files->count - 1].count;
}

ErrorCode engine__dictionary_save(Engine *engine, Dictionary *dictionary, uint32_t table_id, uint32_t column_id, Lsn lsn, Buffer *out,
                                  Error *err) {
    DictionaryFiles *files = dictionary_files(dictionary);
    int32_t count = dictionary_count(dictionary);
    if (files->count == 0 && count < DICTIONARY_FILE_MIN) {
        engine__encode_symbols(dictionary, table_id, column_id, 0, count, out);
        return ERR_OK;
    }
    if (count > saved_count(files)) {
        TRY(save_new(engine, dictionary, table_id, lsn, saved_count(files), count, err));
    }
    encode_files(files, table_id, column_id, out);
    return ERR_OK;
}

/* ---- reading ---- */

static ErrorCode read_block(Dictionary *dictionary, const BlockFile *file, uint32_t index, int32_t *next, Error *err) {
    Buffer block;
    buffer_init(&block, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = blockfile_read_buffer(file, index, &block, err);
    Reader reader = reader_from(buffer_bytes(&block));
    uint32_t count = code == ERR_OK ? reader_u32le(&reader) : 0;
    for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
        uint64_t len = reader_varint(&reader);
        Bytes text = reader_bytes(&reader, len);
        code = reader.failed ? error_set(err, ERR_DAMAGED, (int64_t)reader.at, "%s: block %u is cut short", blockfile_path(file), index)
                             : dictionary_place(dictionary, (*next)++, (Str){(const char *)text.data, text.len}, err);
    }
    buffer_deinit(&block);
    return code;
}

typedef struct Attached { Engine *engine; uint32_t table_id; } Attached;

static ErrorCode read_file(const Attached *attached, Dictionary *dictionary, const DictionaryFile *file, Error *err) {
    char path[TABLE_PATH_BYTES];
    table_file_path(path, FILE_DICTIONARY, attached->table_id, file->file_id);
    BlockFileExpect expect = {.kind = BLOCKFILE_DICTIONARY, .file_id = file->file_id, .engine_id = attached->engine->engine_id,
                              .bytes = file->bytes, .crc = file->crc, .has_crc = true};
    BlockFile *open = NULL;
    int32_t next = file->first;
    TRY(blockfile_open(attached->engine->os.io, path, &expect, &open, err));
    ErrorCode code = ERR_OK;
    for (uint32_t i = 0; i < blockfile_block_count(open) && code == ERR_OK; i++) {
        code = read_block(dictionary, open, i, &next, err);
    }
    blockfile_close(open);
    return code;
}

static ErrorCode read_files(void *context, Dictionary *dictionary, Error *err) {
    const DictionaryFiles *files = dictionary_files(dictionary);
    for (uint32_t i = 0; i < files->count; i++) {
        TRY(read_file(context, dictionary, &files->files[i], err));
    }
    return ERR_OK;
}

ErrorCode engine__redo_dictionary(Engine *engine, uint32_t table_id, Bytes payload, Error *err) {
    Reader reader = reader_from(payload);
    Dictionary *dictionary = catalog_dictionary(engine->catalog, table_id, reader_u32le(&reader));
    DictionaryFiles *files = dictionary_files(dictionary);
    uint32_t count = reader_u32le(&reader);
    reader.failed = reader.failed || count == 0 || count > DICTIONARY_FILES_MAX || files->count > 0;
    dictionary_files_reserve(dictionary);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        DictionaryFile *file = &files->files[i];
        file->file_id = reader_u64le(&reader);
        file->bytes = reader_u64le(&reader);
        file->crc = reader_u32le(&reader);
        file->first = (int32_t)reader_u32le(&reader);
        file->count = (int32_t)reader_u32le(&reader);
        bool follows = file->first == (i == 0 ? 0 : file[-1].first + file[-1].count) && file->count > 0 && file->count <= SYMBOLS_MAX - file->first;
        reader.failed = reader.failed || !follows;
        engine__file_id_seen(engine, file->file_id);
    }
    if (reader.failed) {
        return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "files of a dictionary cannot be read");
    }
    files->count = count;
    Attached *attached = arena_new(&engine->arena, Attached);
    *attached = (Attached){engine, table_id};
    dictionary_attach(dictionary, saved_count(files), read_files, attached);
    return ERR_OK;
}

ErrorCode engine__dictionaries_load(const TableDef *def, Error *err) {
    for (uint16_t i = 0; i < def->column_count; i++) {
        if (def->columns[i].symbols != NULL) {
            TRY(dictionary_load(dictionary_of(def->columns[i].symbols), err));
        }
    }
    return ERR_OK;
}

bool engine__dictionary_names_file(Engine *engine, uint32_t table_id, uint64_t file_id) {
    uint32_t table = 0;
    uint32_t column = 0;
    Dictionary *dictionary = NULL;
    for (size_t cursor = 0; catalog_next_dictionary(engine->catalog, &cursor, &table, &column, &dictionary);) {
        const DictionaryFiles *files = dictionary_files(dictionary);
        for (uint32_t i = 0; i < files->count && table == table_id; i++) {
            if (files->files[i].file_id == file_id) {
                return true;
            }
        }
    }
    return false;
}

void engine__dictionaries_kill(Engine *engine, uint32_t table_id, Lsn lsn) {
    uint32_t table = 0;
    uint32_t column = 0;
    Dictionary *dictionary = NULL;
    for (size_t cursor = 0; catalog_next_dictionary(engine->catalog, &cursor, &table, &column, &dictionary);) {
        DictionaryFiles *files = dictionary_files(dictionary);
        for (uint32_t i = 0; i < files->count && table == table_id; i++) {
            dead_files_add(&engine->env.dead, (DeadFile){table_id, FILE_DICTIONARY, files->files[i].file_id, lsn});
        }
        files->count = table == table_id ? 0 : files->count;
    }
}
