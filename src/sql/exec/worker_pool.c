/* SPDX-License-Identifier: Apache-2.0
 * worker_pool.c - helper threads that share the morsels of a running query.
 *
 * States:     a job is posted by a session's thread, joined by idle helpers until its owner closes it, and is done when no helper
 *             works on it any more. The owner always works too, so a busy pool only means less help.
 * Threads:    jobs and their fields are guarded by pool->mutex. */
#include "sql/exec/exec_internal.h"

typedef struct Job Job;
struct Job {
    Job *next;
    WorkerMain main;
    void *argument;
    uint32_t next_worker, worker_count, running;
    ErrorCode code;
    Error error;
};

struct WorkerPool {
    Sched *sched;
    Mutex mutex;
    Cond work, done;
    Job *jobs;
    Task *tasks[WORKERS_MAX];
    uint32_t task_count;
    bool closing;
};

uint32_t worker_pool_helpers(const WorkerPool *pool) {
    return pool->task_count;
}

static Job *open_job(WorkerPool *pool) {
    for (Job *job = pool->jobs; job != NULL; job = job->next) {
        if (job->next_worker < job->worker_count) {
            return job;
        }
    }
    return NULL;
}

static void note_error(Job *job, ErrorCode code, const Error *error) {
    if (code != ERR_OK && job->code == ERR_OK) {
        job->code = code;
        job->error = *error;
    }
}

static void helper_main(void *argument) {
    WorkerPool *pool = argument;
    Sched *sched = pool->sched;
    sched->mutex_lock(sched, &pool->mutex);
    while (!pool->closing) {
        Job *job = open_job(pool);
        if (job == NULL) {
            (void)sched->cond_wait(sched, &pool->work, &pool->mutex, INT64_MAX);
            continue;
        }
        uint32_t worker = job->next_worker++;
        job->running++;
        sched->mutex_unlock(sched, &pool->mutex);
        Error error = {.position = ERROR_NO_POSITION};
        ErrorCode code = job->main(job->argument, worker, &error);
        sched->mutex_lock(sched, &pool->mutex);
        note_error(job, code, &error);
        job->running--;
        sched->cond_broadcast(sched, &pool->done);
    }
    sched->mutex_unlock(sched, &pool->mutex);
}

ErrorCode worker_pool_open(Sched *sched, int helper_count, WorkerPool **pool_out, Error *err) {
    WorkerPool *pool = mem_calloc(1, sizeof *pool);
    pool->sched = sched;
    sched->mutex_init(sched, &pool->mutex);
    sched->cond_init(sched, &pool->work);
    sched->cond_init(sched, &pool->done);
    for (int i = 0; i < helper_count && i < WORKERS_MAX - 1; i++) {
        ErrorCode code = sched->task_start(sched, "query-helper", helper_main, pool, false, &pool->tasks[i], err);
        if (code != ERR_OK) {
            worker_pool_close(pool);
            return code;
        }
        pool->task_count++;
    }
    *pool_out = pool;
    return ERR_OK;
}

void worker_pool_close(WorkerPool *pool) {
    if (pool == NULL) {
        return;
    }
    Sched *sched = pool->sched;
    sched->mutex_lock(sched, &pool->mutex);
    assert(pool->jobs == NULL);
    pool->closing = true;
    sched->cond_broadcast(sched, &pool->work);
    sched->mutex_unlock(sched, &pool->mutex);
    for (uint32_t i = 0; i < pool->task_count; i++) {
        sched->task_join(sched, pool->tasks[i]);
    }
    sched->cond_deinit(sched, &pool->done);
    sched->cond_deinit(sched, &pool->work);
    sched->mutex_deinit(sched, &pool->mutex);
    mem_free(pool);
}

static void job_remove(WorkerPool *pool, Job *job) {
    Job **link = &pool->jobs;
    while (*link != job) {
        link = &(*link)->next;
    }
    *link = job->next;
}

ErrorCode worker_pool_run(WorkerPool *pool, uint32_t count, WorkerMain main, void *argument, Error *err) {
    if (pool == NULL || count <= 1) {
        return main(argument, 0, err);
    }
    Sched *sched = pool->sched;
    Job job = {.main = main, .argument = argument, .next_worker = 1, .worker_count = count};
    sched->mutex_lock(sched, &pool->mutex);
    job.next = pool->jobs;
    pool->jobs = &job;
    sched->cond_broadcast(sched, &pool->work);
    sched->mutex_unlock(sched, &pool->mutex);
    Error error = {.position = ERROR_NO_POSITION};
    ErrorCode code = main(argument, 0, &error);
    sched->mutex_lock(sched, &pool->mutex);
    note_error(&job, code, &error);
    job.worker_count = job.next_worker; /* closed: nobody joins now */
    while (job.running > 0) {
        (void)sched->cond_wait(sched, &pool->done, &pool->mutex, INT64_MAX);
    }
    job_remove(pool, &job);
    sched->mutex_unlock(sched, &pool->mutex);
    if (job.code != ERR_OK && err != NULL) {
        *err = job.error;
    }
    return job.code;
}
