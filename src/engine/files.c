/* SPDX-License-Identifier: Apache-2.0
 * files.c - segment files that nothing names any more: kept while an older checkpoint may need them, then unlinked.
 *
 * Why:     a record takes a file out of a part list at LSN r. Until the OLDER kept checkpoint has passed r, a start that falls back to it
 *          replays the log from before r and needs the file. The list of dead files is part of each checkpoint.
 * Low room: when the disk is nearly full, the files of parts go as soon as the record that took them out is durable. Every start replays
 *          that record, whatever checkpoint it begins with, and never opens a part's file before it; so only a log that loses what was
 *          synced could miss them. Dictionaries are read by redo: they always wait.
 * Sweep:   after a start, a file that no part and no dead entry names was left by a crash between its sync and its record.
 * Tests:   test/unit/engine/test_segments.c */
#include "engine/engine_internal.h"
#include "base/number.h"
#include <stdio.h>

void engine__encode_dead_files(Engine *engine, Buffer *out) {
    DeadFiles *dead = &engine->env.dead;
    engine__lock(engine, &dead->lock);
    if (dead->count > 0) {
        size_t at = op_begin(out, OP_FILES, 0);
        buffer_put_u32le(out, (uint32_t)dead->count);
        for (size_t i = 0; i < dead->count; i++) {
            buffer_put_u32le(out, dead->files[i].table_id);
            buffer_put_u8(out, dead->files[i].kind);
            buffer_put_u64le(out, dead->files[i].file_id);
            buffer_put_u64le(out, dead->files[i].lsn);
        }
        op_finish(out, at);
    }
    engine__unlock(engine, &dead->lock);
}

ErrorCode engine__redo_dead_files(Engine *engine, Bytes payload, Error *err) {
    Reader reader = reader_from(payload);
    uint32_t count = reader_u32le(&reader);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        DeadFile file = {0};
        file.table_id = reader_u32le(&reader);
        file.kind = reader_u8(&reader);
        file.file_id = reader_u64le(&reader);
        file.lsn = reader_u64le(&reader);
        if (!reader.failed) {
            dead_files_add(&engine->env.dead, file);
            engine__file_id_seen(engine, file.file_id);
        }
    }
    return reader.failed ? error_set(err, ERR_DAMAGED, (int64_t)reader.at, "list of files cannot be read") : ERR_OK;
}

void engine__files_unlink_dead(Engine *engine, Lsn kept) {
    DeadFiles *dead = &engine->env.dead;
    engine__lock(engine, &dead->lock);
    size_t left = 0;
    for (size_t i = 0; i < dead->count; i++) {
        char path[TABLE_PATH_BYTES];
        table_file_path(path, (FileKind)dead->files[i].kind, dead->files[i].table_id, dead->files[i].file_id);
        if (dead->files[i].lsn <= kept) {
            error_ignore(io_unlink(engine->os.io, path, NULL)); /* gone already, or swept at the next start */
        } else {
            dead->files[left++] = dead->files[i];
        }
    }
    dead->count = left;
    engine__unlock(engine, &dead->lock);
}

static bool is_low(Engine *engine) {
    uint64_t free_bytes = 0;
    return io_free_space(engine->os.io, &free_bytes, NULL) == ERR_OK && free_bytes < LOW_ROOM_BYTES;
}

void engine__files_relieve(Engine *engine) {
    DeadFiles *dead = &engine->env.dead;
    Lsn durable = wal_durable_lsn(engine->wal);
    engine__lock(engine, &dead->lock);
    size_t left = 0;
    bool low = dead->count > 0 && is_low(engine);
    for (size_t i = 0; i < dead->count; i++) {
        char path[TABLE_PATH_BYTES];
        DeadFile *file = &dead->files[i];
        table_file_path(path, (FileKind)file->kind, file->table_id, file->file_id);
        bool goes = low && file->kind != FILE_DICTIONARY && file->lsn <= durable;
        if (!goes || io_unlink(engine->os.io, path, NULL) != ERR_OK) {
            dead->files[left++] = *file;
        }
    }
    dead->count = left;
    engine__unlock(engine, &dead->lock);
}

typedef struct FileName { uint64_t id; FileKind kind; } FileName;
typedef struct Names { FileName *names; size_t count, capacity; bool folders; Buffer strays; uint32_t table_id; } Names;

static void names_visit(void *context, Str name, bool is_folder) {
    Names *names = context;
    ptrdiff_t dot = str_find_char(name, '.', 0);
    uint64_t id = 0;
    bool overflow = false;
    Str number = dot >= 0 ? str_slice(name, 0, (size_t)dot) : name;
    if (is_folder != names->folders || !parse_uint64(number, &id, &overflow)) {
        return;
    }
    if (str_ends_with(name, STR(".tmp"))) {
        buffer_printf(&names->strays, "table/%u/%.*s", names->table_id, STR_ARG(name));
        buffer_append_char(&names->strays, '\0');
        return;
    }
    if (names->count == names->capacity) {
        names->capacity = names->capacity == 0 ? 16 : names->capacity * 2;
        names->names = mem_realloc(names->names, sizeof(FileName) * names->capacity);
    }
    names->names[names->count++] = (FileName){id, str_ends_with(name, STR(".dict"))  ? FILE_DICTIONARY
                                                   : str_ends_with(name, STR(".idx")) ? FILE_INDEX
                                                                                      : FILE_SEGMENT};
}

static bool is_dead(Engine *engine, uint64_t file_id) {
    for (size_t i = 0; i < engine->env.dead.count; i++) {
        if (engine->env.dead.files[i].file_id == file_id) {
            return true;
        }
    }
    return false;
}

static ErrorCode sweep_table(Engine *engine, uint32_t table_id, Error *err) {
    char path[TABLE_PATH_BYTES];
    Names files = {.table_id = table_id};
    buffer_init(&files.strays, 1 << 20);
    snprintf(path, sizeof path, "table/%u", table_id);
    ErrorCode code = io_list(engine->os.io, path, names_visit, &files, err);
    Table *table = engine__table_peek(engine, table_id);
    for (size_t i = 0; i < files.count && code == ERR_OK; i++) {
        uint64_t id = files.names[i].id;
        bool named = (table != NULL && table_names_file(table, id)) || is_dead(engine, id) || engine__dictionary_names_file(engine, table_id, id);
        table_file_path(path, files.names[i].kind, table_id, id);
        if (!named) {
            code = io_unlink(engine->os.io, path, err);
        }
    }
    for (size_t at = 0; at < files.strays.len; at += strlen((const char *)files.strays.data + at) + 1) {
        error_ignore(io_unlink(engine->os.io, (const char *)files.strays.data + at, NULL));
    }
    mem_free(files.names);
    buffer_deinit(&files.strays);
    return code == ERR_FILE_MISSING ? ERR_OK : code;
}

ErrorCode engine__files_sweep(Engine *engine, Error *err) {
    Names folders = {.folders = true};
    ErrorCode code = io_list(engine->os.io, "table", names_visit, &folders, err);
    for (size_t i = 0; i < folders.count && code == ERR_OK; i++) {
        code = sweep_table(engine, (uint32_t)folders.names[i].id, err);
    }
    mem_free(folders.names);
    return code == ERR_FILE_MISSING ? ERR_OK : code;
}
