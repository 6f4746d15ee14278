/* SPDX-License-Identifier: Apache-2.0
 * jobs.c - background work: flush, merge, checkpoint, freeing; and the memory limit that makes writers wait for it.
 *
 * Publish:   run without locks -> gate -> wait until the log has published everything -> install and append the record -> gate open ->
 *            the record's publish step settles the parts. Commits that name rows wait at the gate meanwhile: one sync at most.
 * Pressure:  at 75 % of ingest_memory_bytes the largest memory parts are flushed first; at 100 % writers wait, then get 53200.
 * Threads:   one flush or merge at a time (work_lock); the jobs task or whoever calls engine_run_jobs.
 * Tests:     test/unit/engine/test_segments.c, test_threads.c */
#include "engine/engine_internal.h"

typedef struct RewriteJob {
    Publication publication;
    Rewrite *rewrite;
} RewriteJob;

static void job_settle(Publication *publication, Lsn lsn) { table_rewrite_settle(((RewriteJob *)publication)->rewrite, lsn); }

/* The record; its body, if it is large, in a file of its own. */
static ErrorCode append_body(Engine *engine, RewriteJob *job, Buffer *body, Lsn *lsn_out, Error *err) {
    TRY(buffer_check(body, err));
    WalAppend append = {.kind = RECORD_COMMIT, .durability = WAL_OFF, .urgent = true,
                        .publish_context = &job->publication};
    return engine__body_append(engine, body, &append, lsn_out, err);
}

/* Under the gate. */
static ErrorCode append_publish(Engine *engine, RewriteJob *job, Stamp stamp, Lsn *lsn_out, Error *err) {
    Buffer body;
    buffer_init(&body, COMMIT_BODY_BYTES_MAX);
    TRY(wal_wait(engine->wal, (WalTicket){wal_last_lsn(engine->wal)}, err));
    ErrorCode code = ERR_OK;
    if (!table_rewrite_install(job->rewrite, stamp, &body)) {
        code = error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "a part was truncated while it was rewritten");
    }
    code = code == ERR_OK ? append_body(engine, job, &body, lsn_out, err) : code;
    buffer_deinit(&body);
    return code;
}

static ErrorCode publish_job(Engine *engine, RewriteJob *job, Stamp stamp, Error *err) {
    Lsn lsn = 0;
    engine__lock(engine, &engine->publish_gate);
    ErrorCode code = append_publish(engine, job, stamp, &lsn, err);
    engine__unlock(engine, &engine->publish_gate);
    if (code != ERR_OK) {
        table_rewrite_abort(job->rewrite);
        return code;
    }
    code = wal_wait(engine->wal, (WalTicket){lsn}, err);
    if (code != ERR_OK) {
        table_rewrite_abandon(job->rewrite);
    }
    return code;
}

/* Runs one picked rewrite to its end. Takes it. ERR_OBJECT_IN_USE: it cannot be done now, and would be picked again at once. */
static ErrorCode run_job(Engine *engine, uint32_t table_id, Rewrite *rewrite, Error *err) {
    TxnEntry entry;
    RewriteJob job = {{job_settle}, rewrite};
    registry_begin(&engine->registry, &entry, engine__visible_lsn, engine);
    uint64_t horizon = registry_horizon(&engine->registry, engine__visible_lsn, engine);
    const ObjectVersion *object = catalog_by_id(engine->catalog, table_id, &(Snapshot){.lsn = entry.snapshot_lsn});
    ErrorCode code = ERR_OBJECT_IN_USE;
    if (object == NULL) {
        table_rewrite_abort(rewrite); /* dropped meanwhile */
    } else {
        code = table_rewrite_run(rewrite, &object->table, horizon, err);
        if (code == ERR_OK) {
            code = publish_job(engine, &job, entry.own | 1, err);
        } else {
            table_rewrite_abort(rewrite);
        }
    }
    registry_end(&engine->registry, &entry);
    table_rewrite_free(rewrite);
    return code;
}

static ErrorCode flush_table(Engine *engine, Table *table, const FlushPolicy *policy, Error *err) {
    for (;;) {
        Rewrite *rewrite = table_flush_pick(table, policy);
        if (rewrite == NULL) {
            return ERR_OK;
        }
        ErrorCode code = run_job(engine, table_id(table), rewrite, err);
        if (code != ERR_OK) {
            return code == ERR_OBJECT_IN_USE ? ERR_OK : code;
        }
    }
}

static ErrorCode merge_table(Engine *engine, Table *table, Error *err) {
    for (;;) {
        Rewrite *rewrite = table_merge_pick(table, registry_horizon(&engine->registry, engine__visible_lsn, engine));
        if (rewrite == NULL) {
            return ERR_OK;
        }
        ErrorCode code = run_job(engine, table_id(table), rewrite, err);
        if (code != ERR_OK) {
            return code == ERR_OBJECT_IN_USE ? ERR_OK : code;
        }
    }
}

typedef ErrorCode (*TableJob)(Engine *engine, Table *table, const FlushPolicy *policy, Error *err);

static ErrorCode merge_job(Engine *engine, Table *table, const FlushPolicy *policy, Error *err) {
    (void)policy;
    return merge_table(engine, table, err);
}

/* Tables are destroyed under the work lock only, so pointers stay good. */
static ErrorCode each_table(Engine *engine, TableJob job, const FlushPolicy *policy, Error *err) {
    const ObjectVersion *object = NULL;
    Snapshot snapshot = {.lsn = engine__visible_lsn(engine)};
    for (size_t cursor = 0; catalog_next(engine->catalog, OBJECT_TABLE, &snapshot, &cursor, &object);) {
        Table *table = engine__table_peek(engine, object->def.id);
        if (table != NULL) {
            TRY(job(engine, table, policy, err));
        }
    }
    return ERR_OK;
}

ErrorCode engine__flush_all(Engine *engine, const FlushPolicy *policy, Error *err) {
    engine__lock(engine, &engine->work_lock);
    ErrorCode code = each_table(engine, flush_table, policy, err);
    engine__unlock(engine, &engine->work_lock);
    return code;
}

ErrorCode engine_flush_table(Engine *engine, uint32_t id, Error *err) {
    Table *table = engine__table_peek(engine, id);
    FlushPolicy all = {.seal_bytes = 0};
    if (table == NULL) {
        return ERR_OK; /* nothing was ever written to it */
    }
    engine__lock(engine, &engine->work_lock);
    ErrorCode code = flush_table(engine, table, &all, err);
    code = code == ERR_OK ? merge_table(engine, table, err) : code;
    engine__unlock(engine, &engine->work_lock);
    return code;
}

size_t engine__flush_bytes(const Engine *engine, size_t bytes) {
    return engine->env.block_rows == 0 ? bytes : MAX_OF(bytes / BLOCK_ROWS * engine->env.block_rows, (size_t)1);
}

static size_t ingest_limit(const Engine *engine) {
    return engine->options.ingest_memory_bytes != 0 ? engine->options.ingest_memory_bytes : (size_t)INGEST_BYTES;
}

/* After a DROP or TRUNCATE: its room is given back soon, not at the next period. */
void engine__room_freed(Engine *engine) {
    if (engine->jobs == NULL) {
        engine__collect(engine);
        engine__files_relieve(engine);
        return;
    }
    engine__lock(engine, &engine->jobs_lock);
    engine->work_asked = true;
    engine->os.sched->cond_signal(engine->os.sched, &engine->jobs_wake);
    engine__unlock(engine, &engine->jobs_lock);
}

static void wake_writers(Engine *engine) {
    engine__lock(engine, &engine->jobs_lock);
    engine->os.sched->cond_broadcast(engine->os.sched, &engine->memory_freed);
    engine__unlock(engine, &engine->jobs_lock);
}

/* Halves the size from which parts are flushed until memory is below three quarters of its limit. */
static ErrorCode relieve_memory(Engine *engine, Error *err) {
    size_t bound = ingest_limit(engine) / 4 * 3;
    for (size_t bytes = FLUSH_BYTES; chunk_pool_used(&engine->env.pool) > bound && bytes > 0; bytes /= 4) {
        FlushPolicy policy = {.seal_bytes = bytes};
        TRY(engine__flush_all(engine, &policy, err));
        engine__collect(engine);
        wake_writers(engine);
    }
    return ERR_OK;
}

ErrorCode engine_run_jobs(Engine *engine, Error *err) {
    FlushPolicy policy = {.seal_bytes = engine__flush_bytes(engine, FLUSH_BYTES), .keep_tail = true};
    engine__collect(engine);
    engine__files_relieve(engine);
    TRY(engine__flush_all(engine, &policy, err));
    if (engine->jobs != NULL) { /* what was sealed just now waits for its writers; most end within milliseconds */
        engine->os.sched->yield(engine->os.sched);
        TRY(engine__flush_all(engine, &policy, err));
    }
    engine__collect(engine);
    wake_writers(engine);
    TRY(relieve_memory(engine, err));
    engine__lock(engine, &engine->work_lock);
    ErrorCode code = each_table(engine, merge_job, NULL, err);
    engine__unlock(engine, &engine->work_lock);
    TRY(code);
    atomic_store(&engine->memory_after_work, chunk_pool_used(&engine->env.pool));
    return engine__checkpoint_due(engine) ? engine_checkpoint(engine, err) : ERR_OK;
}

/* An idle server gives its recycled memory back. */
static void trim_when_idle(Engine *engine, size_t *used_before) {
    size_t used = chunk_pool_used(&engine->env.pool);
    engine->idle_periods = used == *used_before ? engine->idle_periods + 1 : 0;
    *used_before = used;
    if (engine->idle_periods == POOL_IDLE_PERIODS) {
        chunk_pool_trim(&engine->env.pool, 0);
        block_cache_clear(engine->env.cache);
        mem_trim();
    }
}

void engine__jobs_main(void *argument) {
    Engine *engine = argument;
    Sched *sched = engine->os.sched;
    size_t used_before = 0;
    engine__lock(engine, &engine->jobs_lock);
    while (!engine->stopping) {
        int64_t now = engine->os.clock->monotonic_nanos(engine->os.clock);
        if (!engine->work_asked) {
            (void)sched->cond_wait(sched, &engine->jobs_wake, &engine->jobs_lock, now + INT64_C(1000000) * JOB_PERIOD_MS);
        }
        engine->work_asked = false;
        if (engine->stopping) {
            break;
        }
        engine__unlock(engine, &engine->jobs_lock);
        error_ignore(engine_run_jobs(engine, NULL)); /* what fails now is tried again; a dead log speaks through commits */
        trim_when_idle(engine, &used_before);
        engine__lock(engine, &engine->jobs_lock);
    }
    engine__unlock(engine, &engine->jobs_lock);
}

static ErrorCode no_memory(Error *err) {
    return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "ingest_memory_bytes is used up; flushing does not keep up");
}

/* Asks for work from three quarters on, so that writers seldom have to wait. */
ErrorCode engine__wait_for_memory(Engine *engine, Error *err) {
    Sched *sched = engine->os.sched;
    size_t limit = ingest_limit(engine);
    size_t used = chunk_pool_used(&engine->env.pool);
    bool grown = used > atomic_load(&engine->memory_after_work) + WORK_BYTES;
    if (used < limit / 4 * 3 && !(grown && !engine->options.no_background)) {
        return ERR_OK;
    }
    if (engine->options.no_background) {
        TRY(used < limit ? ERR_OK : engine_run_jobs(engine, err));
        return chunk_pool_used(&engine->env.pool) < limit ? ERR_OK : no_memory(err);
    }
    int64_t deadline = engine->os.clock->monotonic_nanos(engine->os.clock) + INT64_C(1000000) * INGEST_WAIT_MS;
    bool timely = true;
    engine__lock(engine, &engine->jobs_lock);
    engine->work_asked = true;
    atomic_store(&engine->memory_after_work, used); /* asked once for this growth */
    sched->cond_signal(sched, &engine->jobs_wake);
    while (timely && !engine->stopping && chunk_pool_used(&engine->env.pool) >= limit) {
        timely = sched->cond_wait(sched, &engine->memory_freed, &engine->jobs_lock, deadline);
    }
    engine__unlock(engine, &engine->jobs_lock);
    return timely ? ERR_OK : no_memory(err);
}
