/* SPDX-License-Identifier: Apache-2.0
 * sched_linux.c - tasks as POSIX threads.
 *
 * Why:   locks are heap objects behind one pointer, so that the simulator's locks fit the same place. Tasks block all signals: they
 *        belong to the thread that started the program.
 * Tests: test/unit/os/test_sched.c */
#include "os/os_internal.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { THREAD_NAME_BYTES = 16, LOW_PRIORITY_NICE = 10 };

struct Task {
    pthread_t thread;
    TaskMain main;
    void *argument;
    bool low_priority;
    char name[THREAD_NAME_BYTES];
};

static void check(int result) {
    assert(result == 0);
    (void)result;
}

static void *run_task(void *argument) {
    Task *task = argument;
    pthread_setname_np(pthread_self(), task->name);
    if (task->low_priority) {
        (void)setpriority(PRIO_PROCESS, (id_t)gettid(), LOW_PRIORITY_NICE);
    }
    task->main(task->argument);
    return NULL;
}

static ErrorCode task_start(Sched *sched, const char *name, TaskMain main, void *argument, bool low_priority, Task **task_out,
                            Error *err) {
    (void)sched;
    Task *task = mem_calloc(1, sizeof *task);
    task->main = main;
    task->argument = argument;
    task->low_priority = low_priority;
    snprintf(task->name, sizeof task->name, "%s", name);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    check(pthread_sigmask(SIG_SETMASK, &all, &before));
    int result = pthread_create(&task->thread, NULL, run_task, task);
    check(pthread_sigmask(SIG_SETMASK, &before, NULL));
    if (result != 0) {
        mem_free(task);
        return os__error_as(err, ERR_OUT_OF_MEMORY, result, "start thread", name);
    }
    *task_out = task;
    return ERR_OK;
}

static void task_join(Sched *sched, Task *task) {
    (void)sched;
    if (task != NULL) {
        check(pthread_join(task->thread, NULL));
        mem_free(task);
    }
}

static void mutex_init(Sched *sched, Mutex *mutex) {
    (void)sched;
    pthread_mutex_t *state = mem_alloc(sizeof *state);
    check(pthread_mutex_init(state, NULL));
    mutex->state = state;
}

static void mutex_deinit(Sched *sched, Mutex *mutex) {
    (void)sched;
    if (mutex->state != NULL) {
        check(pthread_mutex_destroy(mutex->state));
        mem_free(mutex->state);
        mutex->state = NULL;
    }
}

static void mutex_lock(Sched *sched, Mutex *mutex) {
    (void)sched;
    check(pthread_mutex_lock(mutex->state));
}

static void mutex_unlock(Sched *sched, Mutex *mutex) {
    (void)sched;
    check(pthread_mutex_unlock(mutex->state));
}

static void cond_init(Sched *sched, Cond *cond) {
    (void)sched;
    pthread_condattr_t attributes;
    check(pthread_condattr_init(&attributes));
    check(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    pthread_cond_t *state = mem_alloc(sizeof *state);
    check(pthread_cond_init(state, &attributes));
    check(pthread_condattr_destroy(&attributes));
    cond->state = state;
}

static void cond_deinit(Sched *sched, Cond *cond) {
    (void)sched;
    if (cond->state != NULL) {
        check(pthread_cond_destroy(cond->state));
        mem_free(cond->state);
        cond->state = NULL;
    }
}

static bool cond_wait(Sched *sched, Cond *cond, Mutex *mutex, int64_t deadline_nanos) {
    (void)sched;
    if (deadline_nanos == INT64_MAX) {
        check(pthread_cond_wait(cond->state, mutex->state));
        return true;
    }
    int64_t at = MAX_OF(deadline_nanos, 0);
    struct timespec deadline = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    int result = pthread_cond_timedwait(cond->state, mutex->state, &deadline);
    assert(result == 0 || result == ETIMEDOUT);
    return result == 0;
}

static void cond_signal(Sched *sched, Cond *cond) {
    (void)sched;
    check(pthread_cond_signal(cond->state));
}

static void cond_broadcast(Sched *sched, Cond *cond) {
    (void)sched;
    check(pthread_cond_broadcast(cond->state));
}

static void yield(Sched *sched) {
    (void)sched;
    sched_yield();
}

static int cpu_count(Sched *sched) {
    (void)sched;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        return CPU_COUNT(&allowed);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

const Sched OS__LINUX_SCHED = {
    .task_start = task_start,
    .task_join = task_join,
    .mutex_init = mutex_init,
    .mutex_deinit = mutex_deinit,
    .mutex_lock = mutex_lock,
    .mutex_unlock = mutex_unlock,
    .cond_init = cond_init,
    .cond_deinit = cond_deinit,
    .cond_wait = cond_wait,
    .cond_signal = cond_signal,
    .cond_broadcast = cond_broadcast,
    .yield = yield,
    .cpu_count = cpu_count,
};
