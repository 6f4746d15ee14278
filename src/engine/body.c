/* SPDX-License-Identifier: Apache-2.0
 * body.c - bodies of large records as files: written and synced before the record that names them.
 *
 * Life:    body/<file id>.body is removed once the older kept checkpoint has passed the record.
 * Tests:   test/unit/engine/test_engine.c */
#include "engine/engine_internal.h"
#include "base/number.h"
#include <stdio.h>

enum { PATH_BYTES = 64, BODY_BLOCK = 1 };

static void body_path(char *path, uint64_t file_id) { snprintf(path, PATH_BYTES, "body/%llu.body", (unsigned long long)file_id); }

static ErrorCode body_write(Engine *engine, Bytes body, Buffer *op_out, uint64_t *file_id_out, Error *err) {
    uint64_t file_id = engine__new_file_id(engine);
    char path[PATH_BYTES];
    body_path(path, file_id);
    TRY(io_make_folder(engine->os.io, "body", err));
    BlockFileOptions options = {.path = path,
                                .kind = BLOCKFILE_BODY,
                                .file_id = file_id,
                                .engine_id = engine->engine_id,
                                .salt = engine->os.rand->next(engine->os.rand)};
    BlockWriter *writer = NULL;
    TRY(blockfile_writer_open(engine->os.io, &options, &writer, err));
    IoVec part = {body.data, body.len};
    ErrorCode code = blockfile_writer_add(writer, &(BlockSpec){.kind = BODY_BLOCK}, &part, 1, NULL, err);
    if (code != ERR_OK) {
        blockfile_writer_abort(writer);
        return code;
    }
    BlockFileSummary summary;
    TRY(blockfile_writer_finish(writer, &summary, err));
    size_t at = op_begin(op_out, OP_BODY, 0);
    buffer_put_u64le(op_out, file_id);
    buffer_put_u64le(op_out, summary.bytes);
    buffer_put_u32le(op_out, summary.crc);
    op_finish(op_out, at);
    *file_id_out = file_id;
    return ERR_OK;
}

/* Replaces a body that is too large for a record by the name of a file that holds it. *file_id_out stays 0 if it is not. */
static ErrorCode body_shorten(Engine *engine, Buffer *body, uint64_t *file_id_out, Error *err) {
    if (body->len <= WAL_BODY_BYTES_MAX) {
        return ERR_OK;
    }
    Buffer name;
    buffer_init(&name, 4096);
    ErrorCode code = body_write(engine, buffer_bytes(body), &name, file_id_out, err);
    if (code == ERR_OK) {
        buffer_deinit(body);
        *body = name;
        return ERR_OK;
    }
    buffer_deinit(&name);
    return code;
}

static void body_add(Engine *engine, uint64_t file_id, Lsn lsn) {
    engine__lock(engine, &engine->bodies_lock);
    if (engine->body_count == engine->body_capacity) {
        engine->body_capacity = engine->body_capacity == 0 ? 8 : engine->body_capacity * 2;
        engine->bodies = mem_realloc(engine->bodies, sizeof(BodyFile) * engine->body_capacity);
    }
    engine->bodies[engine->body_count++] = (BodyFile){lsn, file_id};
    engine__unlock(engine, &engine->bodies_lock);
    engine__file_id_seen(engine, file_id);
}

static void body_remove(Engine *engine, uint64_t file_id) {
    char path[PATH_BYTES];
    body_path(path, file_id);
    error_ignore(io_unlink(engine->os.io, path, NULL)); /* what stays is swept at the next start */
}

ErrorCode engine__body_append(Engine *engine, Buffer *body, const WalAppend *append, Lsn *lsn_out, Error *err) {
    uint64_t file_id = 0;
    TRY(body_shorten(engine, body, &file_id, err));
    IoVec part = {body->data, body->len};
    WalAppend whole = *append;
    whole.parts = &part;
    whole.part_count = 1;
    ErrorCode code = wal_append(engine->wal, &whole, lsn_out, NULL, err);
    if (file_id != 0 && code == ERR_OK) {
        body_add(engine, file_id, *lsn_out);
    } else if (file_id != 0) {
        body_remove(engine, file_id);
    }
    return code;
}

ErrorCode engine__body_redo(Engine *engine, Bytes payload, Lsn lsn, Error *err) {
    Reader reader = reader_from(payload);
    BlockFileExpect expect = {.kind = BLOCKFILE_BODY, .engine_id = engine->engine_id, .has_crc = true};
    expect.file_id = reader_u64le(&reader);
    expect.bytes = reader_u64le(&reader);
    expect.crc = reader_u32le(&reader);
    if (reader.failed) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "the name of a record body cannot be read");
    }
    char path[PATH_BYTES];
    body_path(path, expect.file_id);
    BlockFile *file = NULL;
    TRY(blockfile_open(engine->os.io, path, &expect, &file, err));
    Buffer body;
    buffer_init(&body, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = blockfile_read_buffer(file, 0, &body, err);
    code = code == ERR_OK ? engine__redo_ops(engine, buffer_bytes(&body), lsn, err) : code;
    buffer_deinit(&body);
    blockfile_close(file);
    body_add(engine, expect.file_id, lsn);
    return code;
}

void engine__bodies_forget(Engine *engine, Lsn up_to) {
    engine__lock(engine, &engine->bodies_lock);
    size_t kept = 0;
    for (size_t i = 0; i < engine->body_count; i++) {
        if (engine->bodies[i].lsn <= up_to) {
            body_remove(engine, engine->bodies[i].file_id);
        } else {
            engine->bodies[kept++] = engine->bodies[i];
        }
    }
    engine->body_count = kept;
    engine__unlock(engine, &engine->bodies_lock);
}

typedef struct Sweep { Engine *engine; uint64_t *ids; size_t count, capacity; } Sweep;

static void sweep_visit(void *context, Str name, bool is_folder) {
    Sweep *sweep = context;
    ptrdiff_t dot = str_find_char(name, '.', 0);
    uint64_t id = 0;
    bool overflow = false;
    if (is_folder || dot <= 0 || !parse_uint64(str_slice(name, 0, (size_t)dot), &id, &overflow)) {
        return;
    }
    for (size_t i = 0; i < sweep->engine->body_count; i++) {
        if (sweep->engine->bodies[i].file_id == id) {
            return;
        }
    }
    if (sweep->count == sweep->capacity) {
        sweep->capacity = sweep->capacity == 0 ? 8 : sweep->capacity * 2;
        sweep->ids = mem_realloc(sweep->ids, sizeof(uint64_t) * sweep->capacity);
    }
    sweep->ids[sweep->count++] = id;
}

ErrorCode engine__bodies_sweep(Engine *engine, Error *err) {
    Sweep sweep = {.engine = engine};
    ErrorCode code = io_list(engine->os.io, "body", sweep_visit, &sweep, err);
    if (code == ERR_FILE_MISSING) {
        return ERR_OK;
    }
    for (size_t i = 0; i < sweep.count; i++) {
        body_remove(engine, sweep.ids[i]);
    }
    mem_free(sweep.ids);
    return code;
}
