/* SPDX-License-Identifier: Apache-2.0
 * engine.c - opens and closes one data folder; counters.
 *
 * Order of opening: lock -> VERSION -> newest readable checkpoint -> log tail -> ready. Nothing is written before the format is known.
 * Tests:            test/unit/engine/test_engine.c, test_crash.c */
#include "engine/engine_internal.h"
#include "base/number.h"
#include "base/plant.h"
#include <stdio.h>

static ErrorCode take_lock(Engine *engine, Error *err) {
    const char *url = engine->options.url != NULL ? engine->options.url : "";
    Str content = arena_format(&engine->arena, "%d\n%s\n", os_pid(), url);
    Str holder = {0};
    ErrorCode code = engine->os.io->vtable->lock(engine->os.io, "LOCK", content, &holder, &engine->arena, err);
    if (code != ERR_FOLDER_IN_USE) {
        return code;
    }
    Str rest = holder;
    Str pid = {0};
    Str where = {0};
    (void)str_split(&rest, '\n', &pid);
    (void)str_split(&rest, '\n', &where);
    if (where.len == 0) {
        return error_set(err, ERR_FOLDER_IN_USE, ERROR_NO_POSITION, "the data folder is in use by pid %.*s", STR_ARG(pid));
    }
    return error_set(err, ERR_FOLDER_IN_USE, ERROR_NO_POSITION, "the data folder is in use by pid %.*s; try basalt sql %.*s", STR_ARG(pid),
                     STR_ARG(where));
}

/* "basalt <format>\n<engine id in hex>\n" */
static ErrorCode parse_version(Engine *engine, Str text, Error *err) {
    Str line = {0};
    Str id = {0};
    Str word = {0};
    (void)str_split(&text, '\n', &line);
    (void)str_split(&text, '\n', &id);
    int64_t format = 0;
    bool overflow = false;
    bool good = str_split(&line, ' ', &word) && str_equal(word, STR("basalt")) && parse_int64(line, &format, &overflow) &&
                parse_hex64(id, &engine->engine_id);
    if (!good) {
        return error_set(err, ERR_DAMAGED, 0, "VERSION cannot be read: is this a data folder?");
    }
    if (format > ENGINE_FORMAT) {
        return error_set(err, ERR_NEWER_FORMAT, 0, "the data folder has format %d, this program knows %d", (int)format, ENGINE_FORMAT);
    }
    return ERR_OK;
}

static void notice_data(void *context, Str name, bool is_folder) {
    bool data = is_folder ? str_equal(name, STR("wal")) || str_equal(name, STR("table")) : str_starts_with(name, STR("checkpoint-"));
    *(bool *)context = *(bool *)context || data;
}

/* Only a folder without data gets a VERSION: a new one would not fit the files that are there. */
static ErrorCode refuse_data(Engine *engine, Error *err) {
    bool data = false;
    TRY(io_list(engine->os.io, ".", notice_data, &data, err));
    return data ? error_set(err, ERR_DAMAGED, 0, "VERSION is missing, but the folder holds data") : ERR_OK;
}

static ErrorCode read_version(Engine *engine, Error *err) {
    Bytes bytes = {0};
    ErrorCode code = io_read_whole(engine->os.io, "VERSION", &engine->arena, &bytes, err);
    if (code != ERR_FILE_MISSING) {
        return code == ERR_OK ? parse_version(engine, (Str){(const char *)bytes.data, bytes.len}, err) : code;
    }
    TRY(refuse_data(engine, err));
    engine->engine_id = engine->os.rand->next(engine->os.rand);
    Str text = arena_format(&engine->arena, "basalt %d\n%016llx\n", ENGINE_FORMAT, (unsigned long long)engine->engine_id);
    TRY(io_write_whole(engine->os.io, "VERSION", bytes_from(text.data, text.len), err));
    return ERR_OK;
}

static void publish(void *context, Lsn lsn, void *publish_context) {
    (void)context;
    Publication *publication = publish_context;
    if (publication != NULL) {
        publication->settle(publication, lsn);
    }
}

static void log_failed(void *context, const Error *cause) {
    const Engine *engine = context;
    if (engine->options.log_failed != NULL) {
        engine->options.log_failed(cause);
    }
}

static ErrorCode open_log(Engine *engine, Lsn checkpoint, Error *err) {
    WalOptions options = {.engine_id = engine->engine_id,
                          .replay_from = checkpoint + 1,
                          .may_create = checkpoint == 0,
                          .inline_mode = engine->options.embedded,
                          .log_bytes_max = engine->options.log_bytes_max,
                          .interval_ms = engine->options.durability_ms,
                          .redo = engine__redo_record,
                          .plant = (WalPlant)plant_of_log(),
                          .publish = publish,
                          .failed = log_failed,
                          .context = engine};
    return wal_open(engine->os, &options, &engine->wal, err);
}

static void finish_tables(Engine *engine) {
    uint64_t id = 0;
    uint64_t table = 0;
    for (size_t i = 0; intmap_next(&engine->tables, &i, &id, &table);) {
        table_redo_finish((Table *)(uintptr_t)table);
    }
    uint32_t table_id = 0;
    uint32_t column_id = 0;
    Dictionary *dictionary = NULL;
    for (size_t i = 0; catalog_next_dictionary(engine->catalog, &i, &table_id, &column_id, &dictionary);) {
        dictionary_set_logged(dictionary, dictionary_count(dictionary));
    }
}

static uint64_t engine__horizon(void *engine) { return registry_horizon(&((Engine *)engine)->registry, engine__visible_lsn, engine); }

static void note_foreign_keys(Engine *engine) {
    Snapshot now = {.lsn = STAMP_NEVER - 1};
    const ObjectVersion *object = NULL;
    for (size_t cursor = 0; catalog_next(engine->catalog, OBJECT_TABLE, &now, &cursor, &object);) {
        for (uint16_t i = 0; i < object->table.constraint_count; i++) {
            if (object->table.constraints[i].kind == CONSTRAINT_FOREIGN_KEY) {
                atomic_store(&engine->has_foreign_keys, true);
            }
        }
    }
}

static ErrorCode recover(Engine *engine, Error *err) {
    Lsn checkpoint = 0;
    TRY(take_lock(engine, err));
    TRY(read_version(engine, err));
    engine->env.engine_id = engine->engine_id;
    TRY(engine__checkpoint_load(engine, &checkpoint, err));
    TRY(open_log(engine, checkpoint, err));
    finish_tables(engine);
    note_foreign_keys(engine);
    TRY(engine__bodies_sweep(engine, err));
    TRY(engine__files_sweep(engine, err));
    engine->checkpoint_nanos = engine->os.clock->monotonic_nanos(engine->os.clock);
    if (!engine->options.no_background) {
        TRY(engine->os.sched->task_start(engine->os.sched, "jobs", engine__jobs_main, engine, true, &engine->jobs, err));
    }
    return ERR_OK;
}

static void engine_init(Engine *engine, Os os, const EngineOptions *options) {
    Sched *sched = os.sched;
    engine->os = os;
    engine->options = *options;
    arena_init(&engine->arena, 1 << 20);
    engine->env.os = os;
    engine->env.block_rows = options->block_rows;
    chunk_pool_init(&engine->env.pool, sched, POOL_KEPT_BYTES);
    registry_init(&engine->registry, sched);
    intmap_init(&engine->tables);
    Mutex *mutexes[] = {&engine->tables_lock, &engine->ddl_lock,     &engine->checkpoint_lock, &engine->bodies_lock,
                        &engine->jobs_lock,   &engine->publish_gate, &engine->work_lock,       &engine->env.dead.lock};
    for (size_t i = 0; i < COUNT_OF(mutexes); i++) {
        sched->mutex_init(sched, mutexes[i]);
    }
    sched->cond_init(sched, &engine->ddl_changed);
    sched->cond_init(sched, &engine->jobs_wake);
    sched->cond_init(sched, &engine->memory_freed);
    engine->env.dead.sched = sched;
    engine->env.horizon = engine__horizon;
    engine->env.horizon_context = engine;
    engine->env.cache = block_cache_create(sched, options->cache_bytes != 0 ? options->cache_bytes : CACHE_BYTES);
    atomic_store(&engine->env.next_file_id, 1);
    engine->catalog = catalog_create(sched);
    engine->sequences = engine__sequences_create(sched);
}

static void engine_free(Engine *engine) {
    Sched *sched = engine->os.sched;
    wal_close(engine->wal);
    uint64_t id = 0;
    uint64_t table = 0;
    for (size_t i = 0; intmap_next(&engine->tables, &i, &id, &table);) {
        table_destroy((Table *)(uintptr_t)table);
    }
    intmap_deinit(&engine->tables);
    catalog_destroy(engine->catalog);
    engine__sequences_destroy(engine->sequences, sched);
    registry_deinit(&engine->registry);
    chunk_pool_deinit(&engine->env.pool);
    mem_free(engine->bodies);
    mem_free(engine->env.dead.files);
    block_cache_destroy(engine->env.cache);
    Mutex *mutexes[] = {&engine->tables_lock, &engine->ddl_lock,     &engine->checkpoint_lock, &engine->bodies_lock,
                        &engine->jobs_lock,   &engine->publish_gate, &engine->work_lock,       &engine->env.dead.lock};
    for (size_t i = 0; i < COUNT_OF(mutexes); i++) {
        sched->mutex_deinit(sched, mutexes[i]);
    }
    sched->cond_deinit(sched, &engine->ddl_changed);
    sched->cond_deinit(sched, &engine->jobs_wake);
    sched->cond_deinit(sched, &engine->memory_freed);
    arena_deinit(&engine->arena);
    mem_free(engine);
}

ErrorCode engine_open(Os os, const EngineOptions *options, Engine **engine_out, Error *err) {
    if (options->read_only) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "opening a data folder read-only");
    }
    Engine *engine = mem_calloc(1, sizeof *engine);
    engine_init(engine, os, options);
    ErrorCode code = recover(engine, err);
    if (code != ERR_OK) {
        engine_free(engine);
        return code;
    }
    *engine_out = engine;
    return ERR_OK;
}

void engine_close(Engine *engine) {
    if (engine == NULL) {
        return;
    }
    if (engine->attachment != NULL) {
        engine->attachment_destroy(engine->attachment);
    }
    if (engine->jobs != NULL) {
        engine__lock(engine, &engine->jobs_lock);
        engine->stopping = true;
        atomic_store(&engine->env.closing, true);
        engine->os.sched->cond_broadcast(engine->os.sched, &engine->jobs_wake);
        engine__unlock(engine, &engine->jobs_lock);
        engine->os.sched->task_join(engine->os.sched, engine->jobs);
        atomic_store(&engine->env.closing, false);
    }
    if (!wal_failed(engine->wal) && wal_flush(engine->wal, NULL) == ERR_OK) {
        engine__sequences_settle(engine);
        error_ignore(engine_checkpoint(engine, NULL)); /* without it the next start reads the log instead */
    }
    engine_free(engine);
}

void *engine_attachment(Engine *engine, void *(*create)(Engine *engine), void (*destroy)(void *attachment)) {
    engine__lock(engine, &engine->jobs_lock);
    if (engine->attachment == NULL) {
        engine->attachment = create(engine);
        engine->attachment_destroy = destroy;
    }
    void *attachment = engine->attachment;
    engine__unlock(engine, &engine->jobs_lock);
    return attachment;
}

Os *engine_os(Engine *engine) { return &engine->os; }
uint64_t engine__visible_lsn(void *engine) { return wal_published_lsn(((const Engine *)engine)->wal); }
uint64_t engine__new_file_id(Engine *engine) { return atomic_fetch_add(&engine->env.next_file_id, 1); }

void engine__file_id_seen(Engine *engine, uint64_t file_id) {
    uint64_t next = atomic_load(&engine->env.next_file_id);
    while (next <= file_id && !atomic_compare_exchange_weak(&engine->env.next_file_id, &next, file_id + 1)) {
    }
}

Table *engine__table_peek(Engine *engine, uint32_t id) {
    uint64_t found = 0;
    engine__lock(engine, &engine->tables_lock);
    (void)intmap_get(&engine->tables, id, &found);
    engine__unlock(engine, &engine->tables_lock);
    return (Table *)(uintptr_t)found;
}

Table *engine__table(Engine *engine, uint32_t id) {
    uint64_t found = 0;
    engine__lock(engine, &engine->tables_lock);
    if (!intmap_get(&engine->tables, id, &found)) {
        found = (uintptr_t)table_create(&engine->env, id);
        (void)intmap_put(&engine->tables, id, found);
    }
    engine__unlock(engine, &engine->tables_lock);
    return (Table *)(uintptr_t)found;
}

/* Frees what no transaction can see any more: catalog versions, parts, dropped tables. */
void engine__collect(Engine *engine) {
    uint64_t horizon = registry_horizon(&engine->registry, engine__visible_lsn, engine);
    uint64_t begin_horizon = registry_begin_horizon(&engine->registry, engine__visible_lsn, engine);
    engine__lock(engine, &engine->work_lock); /* jobs hold pointers to tables */
    catalog_collect(engine->catalog, begin_horizon);
    engine__lock(engine, &engine->tables_lock);
    uint64_t id = 0;
    uint64_t table = 0;
    uint64_t gone[64];
    size_t gone_count = 0;
    for (size_t i = 0; intmap_next(&engine->tables, &i, &id, &table);) {
        const ObjectVersion *newest = catalog_newest(engine->catalog, (uint32_t)id);
        bool dropped = newest != NULL && newest->dropped && newest->begin <= begin_horizon;
        if (dropped && gone_count < COUNT_OF(gone)) {
            gone[gone_count++] = id;
        } else if (!dropped) {
            table_collect((Table *)(uintptr_t)table, horizon, begin_horizon);
        }
    }
    for (size_t i = 0; i < gone_count; i++) {
        (void)intmap_get(&engine->tables, gone[i], &table);
        (void)intmap_remove(&engine->tables, gone[i]);
        Lsn lsn = catalog_newest(engine->catalog, (uint32_t)gone[i])->begin;
        table_kill_files((Table *)(uintptr_t)table, lsn);
        engine__dictionaries_kill(engine, (uint32_t)gone[i], lsn);
        table_destroy((Table *)(uintptr_t)table);
    }
    engine__unlock(engine, &engine->tables_lock);
    engine__unlock(engine, &engine->work_lock);
}

static TableFigures all_figures(Engine *engine) {
    TableFigures all = {0};
    uint64_t id = 0;
    uint64_t table = 0;
    engine__lock(engine, &engine->tables_lock);
    for (size_t i = 0; intmap_next(&engine->tables, &i, &id, &table);) {
        TableFigures figures;
        table_figures((Table *)(uintptr_t)table, &figures);
        all.segments += figures.segments;
        all.disk_bytes += figures.disk_bytes;
        all.memory_bytes += figures.memory_bytes;
    }
    engine__unlock(engine, &engine->tables_lock);
    return all;
}

uint64_t engine__data_bytes(Engine *engine) {
    TableFigures all = all_figures(engine);
    return all.disk_bytes + all.memory_bytes;
}

void engine_counters(Engine *engine, EngineCounters *counters_out) {
    WalStats stats;
    wal_stats(engine->wal, &stats);
    *counters_out = (EngineCounters){
        .log_bytes = stats.written_bytes,
        .log_syncs = stats.syncs,
        .log_groups = stats.groups,
        .segments = all_figures(engine).segments,
        .memory_bytes = chunk_pool_used(&engine->env.pool),
        .transactions_open = registry_open_count(&engine->registry),
        .tables = catalog_object_count(engine->catalog, OBJECT_TABLE),
        .visible_lsn = wal_published_lsn(engine->wal),
        .durable_lsn = wal_durable_lsn(engine->wal),
        .segments_written = atomic_load(&engine->env.segments_written),
        .segment_bytes_written = atomic_load(&engine->env.segment_bytes_written),
        .rows_flushed = atomic_load(&engine->env.rows_flushed),
        .rows_merged = atomic_load(&engine->env.rows_merged),
        .bytes_flushed = atomic_load(&engine->env.bytes_flushed),
        .bytes_merged = atomic_load(&engine->env.bytes_merged),
        .merges = atomic_load(&engine->env.merges),
        .flushes = atomic_load(&engine->env.flushes),
        .checkpoints = atomic_load(&engine->checkpoint_count),
    };
#define X(name) counters_out->name = atomic_load(&engine->name);
    ENGINE_TALLIES(X)
#undef X
}
