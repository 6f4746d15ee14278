/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.c - the whole state at one LSN as one file of operations, and back.
 *
 * What:    a checkpoint is a snapshot read while writers run on. It holds the same operations as the log: catalog objects, symbols,
 *          rows with their places. So loading it is redo.
 * Order:   the log is durable up to C -> file written under a temporary name, synced, renamed -> the log below the older of the two
 *          kept checkpoints is recycled. A damaged newest one costs only a longer replay.
 * Format:  docs/format/checkpoint.md
 * Tests:   test/unit/engine/test_crash.c */
#include "engine/engine_internal.h"
#include "base/number.h"
#include "base/plant.h"
#include <stdio.h>

enum { PATH_BYTES = 64, SECTION_FORMAT = 1 };

static void checkpoint_path(char *path, Lsn lsn) { snprintf(path, PATH_BYTES, "checkpoint-%llu", (unsigned long long)lsn); }

typedef struct Output {
    Engine *engine;
    BlockWriter *writer;
    Buffer buffer;
} Output;

static ErrorCode output_flush(Output *output, Error *err) {
    if (output->buffer.len == 0) {
        return ERR_OK;
    }
    TRY(buffer_check(&output->buffer, err));
    IoVec part = {output->buffer.data, output->buffer.len};
    TRY(blockfile_writer_add(output->writer, &(BlockSpec){.kind = CHECKPOINT_OPS}, &part, 1, NULL, err));
    buffer_clear(&output->buffer);
    return ERR_OK;
}

static ErrorCode output_ops(void *context, Bytes operation, Error *err) {
    Output *output = context;
    if (output->buffer.len > 0 && output->buffer.len + operation.len > CHECKPOINT_BLOCK_BYTES) {
        TRY(output_flush(output, err));
    }
    buffer_append(&output->buffer, operation.data, operation.len);
    return ERR_OK;
}

static ErrorCode write_objects(Output *output, ObjectKind kind, const Snapshot *snapshot, Error *err) {
    const ObjectVersion *object = NULL;
    for (size_t cursor = 0; catalog_next(output->engine->catalog, kind, snapshot, &cursor, &object);) {
        engine__encode_object(object, &output->buffer);
        if (output->buffer.len > CHECKPOINT_BLOCK_BYTES) {
            TRY(output_flush(output, err));
        }
    }
    return ERR_OK;
}

static ErrorCode write_dictionaries(Output *output, const Snapshot *snapshot, Error *err) {
    uint32_t table_id = 0;
    uint32_t column_id = 0;
    Dictionary *dictionary = NULL;
    for (size_t cursor = 0; catalog_next_dictionary(output->engine->catalog, &cursor, &table_id, &column_id, &dictionary);) {
        if (catalog_by_id(output->engine->catalog, table_id, snapshot) != NULL) {
            TRY(engine__dictionary_save(output->engine, dictionary, table_id, column_id, snapshot->lsn, &output->buffer, err));
        }
        if (output->buffer.len > CHECKPOINT_BLOCK_BYTES) {
            TRY(output_flush(output, err));
        }
    }
    return ERR_OK;
}

static ErrorCode write_tables(Output *output, const Snapshot *snapshot, Error *err) {
    const ObjectVersion *object = NULL;
    for (size_t cursor = 0; catalog_next(output->engine->catalog, OBJECT_TABLE, snapshot, &cursor, &object);) {
        Table *table = engine__table_peek(output->engine, object->def.id);
        if (table != NULL) {
            TRY(table_image(table, snapshot, output_ops, output, err));
        }
    }
    return output_flush(output, err);
}

static void write_section(Output *output) {
    Buffer section;
    buffer_init(&section, 4096);
    buffer_put_u32le(&section, SECTION_FORMAT);
    buffer_put_u32le(&section, catalog_next_id(output->engine->catalog));
    buffer_put_u64le(&section, atomic_load(&output->engine->env.next_file_id));
    blockfile_writer_set_section(output->writer, buffer_bytes(&section));
    buffer_deinit(&section);
}

/* Every catalog begins with the schema public: that it was dropped must be said. */
static void write_missing_public(Output *output, const Snapshot *snapshot) {
    if (catalog_by_id(output->engine->catalog, SCHEMA_PUBLIC_ID, snapshot) == NULL) {
        ObjectVersion *gone = object_new(OBJECT_SCHEMA, SCHEMA_PUBLIC_ID);
        object_set(gone, &(CatalogObject){.name = STR("public")});
        gone->dropped = true;
        engine__encode_object(gone, &output->buffer);
        object_free(gone);
    }
}

static ErrorCode write_all(Output *output, const Snapshot *snapshot, Error *err) {
    write_missing_public(output, snapshot);
    TRY(write_objects(output, OBJECT_SCHEMA, snapshot, err));
    TRY(write_objects(output, OBJECT_TABLE, snapshot, err));
    for (int kind = OBJECT_TABLE + 1; kind < OBJECT_KIND_COUNT; kind++) {
        TRY(write_objects(output, (ObjectKind)kind, snapshot, err));
    }
    TRY(write_dictionaries(output, snapshot, err));
    TRY(write_tables(output, snapshot, err));
    engine__sequences_encode(output->engine, snapshot, &output->buffer);
    engine__encode_dead_files(output->engine, &output->buffer);
    TRY(output_flush(output, err));
    write_section(output);
    return ERR_OK;
}

static ErrorCode write_file(Engine *engine, const Snapshot *snapshot, uint64_t *bytes_out, Error *err) {
    char path[PATH_BYTES];
    checkpoint_path(path, snapshot->lsn + PLANTED(CHECKPOINT_SKIPS_RECORD));
    BlockFileOptions options = {.path = path,
                                .kind = BLOCKFILE_CHECKPOINT,
                                .file_id = engine__new_file_id(engine),
                                .engine_id = engine->engine_id,
                                .salt = engine->os.rand->next(engine->os.rand),
                                .lsn = snapshot->lsn};
    Output output = {.engine = engine};
    TRY(blockfile_writer_open(engine->os.io, &options, &output.writer, err));
    buffer_init(&output.buffer, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = write_all(&output, snapshot, err);
    buffer_deinit(&output.buffer);
    if (code != ERR_OK) {
        blockfile_writer_abort(output.writer);
        return code;
    }
    BlockFileSummary summary;
    TRY(blockfile_writer_finish(output.writer, &summary, err));
    *bytes_out = summary.bytes;
    return ERR_OK;
}

/* The new one is kept, and the newest before it; the log and bodies below the older one are not needed any more. */
static ErrorCode forget_older(Engine *engine, Lsn lsn, Error *err) {
    Lsn oldest = engine->checkpoints[CHECKPOINTS_KEPT - 1];
    memmove(&engine->checkpoints[1], &engine->checkpoints[0], sizeof(Lsn) * (CHECKPOINTS_KEPT - 1));
    engine->checkpoints[0] = lsn;
    Lsn kept = engine->checkpoints[CHECKPOINTS_KEPT - 1];
    if (oldest != 0) {
        char path[PATH_BYTES];
        checkpoint_path(path, oldest);
        error_ignore(io_unlink(engine->os.io, path, NULL));
    }
    if (kept == 0) {
        return ERR_OK;
    }
    engine__bodies_forget(engine, kept);
    engine__files_unlink_dead(engine, kept);
    return wal_recycle(engine->wal, kept + 1, err);
}

static ErrorCode checkpoint_at(Engine *engine, const Snapshot *snapshot, Error *err) {
    uint64_t bytes = 0;
    WalStats stats;
    wal_stats(engine->wal, &stats);
    if (!PLANTED(CHECKPOINT_NO_LOG_SYNC)) {
        TRY(wal_sync(engine->wal, snapshot->lsn, err));
    }
    TRY(write_file(engine, snapshot, &bytes, err));
    engine->checkpoint_bytes = bytes;
    engine->checkpoint_log_bytes = stats.written_bytes;
    engine->checkpoint_switches = stats.file_switches;
    atomic_fetch_add(&engine->checkpoint_count, 1);
    wal_set_data_bytes(engine->wal, engine__data_bytes(engine));
    return forget_older(engine, snapshot->lsn, err);
}

ErrorCode engine_checkpoint(Engine *engine, Error *err) {
    TxnEntry entry;
    FlushPolicy policy = {.seal_bytes = engine__flush_bytes(engine, CHECKPOINT_FLUSH_BYTES), .keep_tail = true};
    ErrorCode code = engine__flush_all(engine, &policy, err);
    if (code != ERR_OK) {
        return code;
    }
    engine__lock(engine, &engine->checkpoint_lock);
    registry_begin(&engine->registry, &entry, engine__visible_lsn, engine);
    Snapshot snapshot = {.lsn = entry.snapshot_lsn};
    if (snapshot.lsn != engine->checkpoints[0]) {
        code = checkpoint_at(engine, &snapshot, err);
    }
    engine->checkpoint_nanos = engine->os.clock->monotonic_nanos(engine->os.clock);
    registry_end(&engine->registry, &entry);
    engine__unlock(engine, &engine->checkpoint_lock);
    return code;
}

bool engine__checkpoint_due(Engine *engine) {
    int64_t interval_ms = engine->options.checkpoint_interval_ms;
    if (interval_ms < 0) {
        return false;
    }
    WalStats stats;
    wal_stats(engine->wal, &stats);
    engine__lock(engine, &engine->checkpoint_lock);
    uint64_t since = stats.written_bytes - engine->checkpoint_log_bytes;
    uint64_t limit = MAX_OF(stats.file_bytes, engine->checkpoint_bytes * 2);
    int64_t age = engine->os.clock->monotonic_nanos(engine->os.clock) - engine->checkpoint_nanos;
    bool old = age > (interval_ms == 0 ? INT64_C(300000) : interval_ms) * INT64_C(1000000);
    bool changed = engine__visible_lsn(engine) != engine->checkpoints[0];
    /* Right behind a change of files, so that two checkpoints' log fits the three files that are kept. */
    bool full = limit == stats.file_bytes && stats.file_switches != engine->checkpoint_switches;
    engine__unlock(engine, &engine->checkpoint_lock);
    return changed && (since > limit || full || old);
}

/* ---- loading ---- */

typedef struct Found { Lsn lsns[64]; size_t count; } Found;

static void found_visit(void *context, Str name, bool is_folder) {
    Found *found = context;
    uint64_t lsn = 0;
    bool overflow = false;
    Str prefix = STR("checkpoint-");
    if (is_folder || !str_starts_with(name, prefix) || !parse_uint64(str_slice(name, prefix.len, name.len), &lsn, &overflow)) {
        return;
    }
    size_t at = MIN_OF(found->count, COUNT_OF(found->lsns) - 1);
    for (; at > 0 && found->lsns[at - 1] < lsn; at--) {
        found->lsns[at] = found->lsns[at - 1];
    }
    found->lsns[at] = lsn;
    found->count = MIN_OF(found->count + 1, COUNT_OF(found->lsns));
}

static ErrorCode read_section(Engine *engine, const BlockFile *file, Error *err) {
    Reader reader = reader_from(blockfile_section(file));
    uint32_t format = reader_u32le(&reader);
    uint32_t next_object = reader_u32le(&reader);
    uint64_t next_file = reader_u64le(&reader);
    if (reader.failed || format != SECTION_FORMAT) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "%s: section of format %u", blockfile_path(file), format);
    }
    catalog_reserve_ids(engine->catalog, next_object);
    engine__file_id_seen(engine, next_file - 1);
    return ERR_OK;
}

static ErrorCode check_file(Engine *engine, Lsn lsn, BlockFile **file_out, Error *err) {
    char path[PATH_BYTES];
    checkpoint_path(path, lsn);
    TRY(blockfile_check(engine->os.io, path, NULL, NULL, err));
    BlockFileExpect expect = {.kind = BLOCKFILE_CHECKPOINT, .engine_id = engine->engine_id};
    return blockfile_open(engine->os.io, path, &expect, file_out, err);
}

static ErrorCode load_file(Engine *engine, const BlockFile *file, Lsn lsn, Error *err) {
    Buffer buffer;
    buffer_init(&buffer, BLOCKFILE_BLOCK_BYTES_MAX);
    ErrorCode code = read_section(engine, file, err);
    for (uint32_t i = 0; i < blockfile_block_count(file) && code == ERR_OK; i++) {
        code = blockfile_read_buffer(file, i, &buffer, err);
        code = code == ERR_OK ? engine__redo_ops(engine, buffer_bytes(&buffer), lsn, err) : code;
    }
    buffer_deinit(&buffer);
    engine->checkpoint_bytes = blockfile_bytes(file);
    return code;
}

/* The newest one whose every block is good. */
ErrorCode engine__checkpoint_load(Engine *engine, Lsn *lsn_out, Error *err) {
    Found found = {.count = 0};
    BlockFile *file = NULL;
    size_t at = 0;
    ErrorCode code = ERR_OK;
    TRY(io_list(engine->os.io, ".", found_visit, &found, err));
    for (; at < found.count; at++) {
        code = check_file(engine, found.lsns[at], &file, err);
        if (code == ERR_OK || code == ERR_NEWER_FORMAT) {
            break;
        }
    }
    TRY(code);
    if (at == found.count) {
        return ERR_OK;
    }
    *lsn_out = found.lsns[at];
    for (size_t i = 0; i < CHECKPOINTS_KEPT && at + i < found.count; i++) {
        engine->checkpoints[i] = found.lsns[at + i];
    }
    code = load_file(engine, file, *lsn_out, err);
    blockfile_close(file);
    return code;
}
