/* SPDX-License-Identifier: Apache-2.0
 * world.c - tasks as fibers under a seeded scheduler, with a clock that moves when everybody waits.
 *
 * States:     READY <-> RUNNING -> WAIT_MUTEX | WAIT_COND | WAIT_JOIN -> READY, or -> DONE. One task runs at a time; it gives way where it must wait,
 *             and if switch_one_in is set at any lock, yield or Io call, when the seed says so.
 * Why:        with one thread and seeded choices a run is a function of its seed. Time passes by small seeded steps at each call and by jumps to
 *             the nearest deadline when no task is ready.
 * Invariants: a mutex has an owner or no waiters; a task waits for one thing.
 * Tests:      test/unit/sim/test_world.c */
#include "base/hash.h"
#include "sim/fiber.h"
#include "sim/sim_internal.h"
#include <stdio.h>

enum { CALL_NANOS_MAX = 200000, CLOCK_STEP_NANOS = 100 };
static const int64_t WALL_BEGIN_MICROS = INT64_C(1727740800000000); /* 2024-10-01 */

typedef enum TaskState { TASK_READY, TASK_WAIT_MUTEX, TASK_WAIT_COND, TASK_WAIT_JOIN, TASK_DONE } TaskState;

struct Task {
    SimFiber fiber;
    SimWorld *world;
    Task *next; /* all tasks of the world */
    TaskState state;
    TaskMain main;
    void *argument;
    const void *waits_for; /* mutex state, condition state or task */
    uint64_t wait_order;
    int64_t deadline_nanos;
    bool timed_out;
    char name[16];
};

typedef struct MutexState {
    Task *owner;
} MutexState;

typedef struct CondState {
    uint64_t unused;
} CondState;

struct SimWorld {
    SimIo io;
    Clock clock;
    Rand rand;
    Sched sched;
    SimOptions options;
    Random choices, values;
    int64_t now_nanos;
    uint64_t trace, wait_counter;
    Task *tasks; /* newest first */
    Task *current, *previous;
};

static SimWorld *world_of_sched(Sched *sched) {
    return (SimWorld *)((char *)sched - offsetof(SimWorld, sched));
}

static void trace(SimWorld *world, uint64_t value) {
    world->trace = hash_u64(world->trace ^ value) + 1;
}

/* ---- choosing and switching ---- */

/* A fiber's entry takes no argument as wide as a pointer: it finds its world here, set before each switch. */
static _Thread_local SimWorld *starting_world;

static Task *pick_ready(SimWorld *world) {
    uint64_t ready = 0;
    for (Task *task = world->tasks; task != NULL; task = task->next) {
        ready += task->state == TASK_READY;
    }
    if (ready == 0) {
        return NULL;
    }
    uint64_t chosen = ready == 1 ? 0 : random_below(&world->choices, ready);
    for (Task *task = world->tasks; task != NULL; task = task->next) {
        if (task->state == TASK_READY && chosen-- == 0) {
            return task;
        }
    }
    return NULL;
}

/* Nobody is ready: time moves to the nearest deadline. */
static void wake_by_time(SimWorld *world) {
    Task *first = NULL;
    for (Task *task = world->tasks; task != NULL; task = task->next) {
        bool timed = task->state == TASK_WAIT_COND && task->deadline_nanos != INT64_MAX;
        if (timed && (first == NULL || task->deadline_nanos < first->deadline_nanos)) {
            first = task;
        }
    }
    if (first == NULL) {
        for (Task *task = world->tasks; task != NULL; task = task->next) {
            fprintf(stderr, "sim: task %s is in state %d\n", task->name, (int)task->state);
        }
        fatal(ERR_INTERNAL, "sim: all tasks wait for each other");
    }
    world->now_nanos = MAX_OF(world->now_nanos, first->deadline_nanos);
    first->timed_out = true;
    first->state = TASK_READY;
}

static void switch_to(SimWorld *world, Task *task, bool last) {
    if (task == world->current) {
        return;
    }
    trace(world, hash_bytes(task->name, strlen(task->name), 7));
    world->previous = world->current;
    world->current = task;
    starting_world = world;
    sim__fiber_switch(&world->previous->fiber, &task->fiber, last);
}

/* The running task's state says that it waits (or is done): another one runs. */
static void give_way(SimWorld *world, bool last) {
    Task *next = pick_ready(world);
    while (next == NULL) {
        wake_by_time(world);
        next = pick_ready(world);
    }
    switch_to(world, next, last);
}

static void maybe_switch(SimWorld *world) {
    uint32_t one_in = world->options.switch_one_in;
    if (one_in != 0 && world->current != NULL && random_chance(&world->choices, 1, one_in)) {
        give_way(world, false);
    }
}

void sim__world_call(SimWorld *world, uint64_t trace_value) {
    if (world == NULL) {
        return;
    }
    trace(world, trace_value);
    world->now_nanos += (int64_t)random_below(&world->choices, CALL_NANOS_MAX);
    maybe_switch(world);
}

/* ---- tasks ---- */

static void run_task(SimWorld *world) {
    Task *task = world->current;
    task->main(task->argument);
    task->state = TASK_DONE;
    for (Task *other = world->tasks; other != NULL; other = other->next) {
        if (other->state == TASK_WAIT_JOIN && other->waits_for == task) {
            other->state = TASK_READY;
        }
    }
    give_way(world, true);
    assert(false);
}

static void fiber_main(void) {
    SimWorld *world = starting_world;
    sim__fiber_entered(&world->previous->fiber);
    run_task(world);
}

static Task *add_task(SimWorld *world, const char *name, TaskMain main, void *argument) {
    Task *task = mem_calloc(1, sizeof *task);
    task->world = world;
    task->main = main;
    task->argument = argument;
    snprintf(task->name, sizeof task->name, "%s", name);
    task->next = world->tasks;
    world->tasks = task;
    return task;
}

static ErrorCode task_start(Sched *sched, const char *name, TaskMain main, void *argument, bool low_priority, Task **task_out,
                            Error *err) {
    (void)low_priority;
    (void)err;
    SimWorld *world = world_of_sched(sched);
    assert(world->current != NULL);
    Task *task = add_task(world, name, main, argument);
    sim__fiber_init(&task->fiber, fiber_main);
    *task_out = task;
    maybe_switch(world);
    return ERR_OK;
}

static void remove_task(SimWorld *world, Task *task) {
    Task **link = &world->tasks;
    while (*link != task) {
        link = &(*link)->next;
    }
    *link = task->next;
    sim__fiber_deinit(&task->fiber);
    mem_free(task);
}

static void task_join(Sched *sched, Task *task) {
    if (task == NULL) {
        return;
    }
    SimWorld *world = world_of_sched(sched);
    while (task->state != TASK_DONE) {
        world->current->waits_for = task;
        world->current->state = TASK_WAIT_JOIN;
        give_way(world, false);
    }
    remove_task(world, task);
}

/* ---- locks ---- */

static void mutex_init(Sched *sched, Mutex *mutex) {
    (void)sched;
    mutex->state = mem_calloc(1, sizeof(MutexState));
}

static void mutex_deinit(Sched *sched, Mutex *mutex) {
    (void)sched;
    MutexState *state = mutex->state;
    assert(state == NULL || state->owner == NULL);
    mem_free(state);
    mutex->state = NULL;
}

static void take_mutex(SimWorld *world, MutexState *state) {
    Task *self = world->current;
    assert(self != NULL);
    assert(state->owner != self);
    while (state->owner != NULL) {
        self->waits_for = state;
        self->state = TASK_WAIT_MUTEX;
        give_way(world, false);
    }
    state->owner = self;
}

static void mutex_lock(Sched *sched, Mutex *mutex) {
    SimWorld *world = world_of_sched(sched);
    maybe_switch(world);
    take_mutex(world, mutex->state);
}

/* All who wait may try again: the seed chooses who is first. */
static void free_mutex(SimWorld *world, MutexState *state) {
    assert(state->owner == world->current);
    state->owner = NULL;
    for (Task *task = world->tasks; task != NULL; task = task->next) {
        if (task->state == TASK_WAIT_MUTEX && task->waits_for == state) {
            task->state = TASK_READY;
        }
    }
}

static void mutex_unlock(Sched *sched, Mutex *mutex) {
    SimWorld *world = world_of_sched(sched);
    free_mutex(world, mutex->state);
    maybe_switch(world);
}

static void cond_init(Sched *sched, Cond *cond) {
    (void)sched;
    cond->state = mem_calloc(1, sizeof(CondState));
}

static void cond_deinit(Sched *sched, Cond *cond) {
    (void)sched;
    mem_free(cond->state);
    cond->state = NULL;
}

static bool cond_wait(Sched *sched, Cond *cond, Mutex *mutex, int64_t deadline_nanos) {
    SimWorld *world = world_of_sched(sched);
    Task *self = world->current;
    if (deadline_nanos <= world->now_nanos) {
        mutex_unlock(sched, mutex);
        take_mutex(world, mutex->state);
        return false;
    }
    self->waits_for = cond->state;
    self->wait_order = world->wait_counter++;
    self->deadline_nanos = deadline_nanos;
    self->timed_out = false;
    self->state = TASK_WAIT_COND;
    free_mutex(world, mutex->state);
    give_way(world, false);
    bool timed_out = self->timed_out;
    take_mutex(world, mutex->state);
    return !timed_out;
}

static void cond_wake(Sched *sched, Cond *cond, bool all) {
    SimWorld *world = world_of_sched(sched);
    Task *oldest = NULL;
    for (Task *task = world->tasks; task != NULL; task = task->next) {
        if (task->state != TASK_WAIT_COND || task->waits_for != cond->state) {
            continue;
        }
        if (all) {
            task->state = TASK_READY;
        } else if (oldest == NULL || task->wait_order < oldest->wait_order) {
            oldest = task;
        }
    }
    if (oldest != NULL) {
        oldest->state = TASK_READY;
    }
}

static void cond_signal(Sched *sched, Cond *cond) {
    cond_wake(sched, cond, false);
}

static void cond_broadcast(Sched *sched, Cond *cond) {
    cond_wake(sched, cond, true);
}

static void yield(Sched *sched) {
    give_way(world_of_sched(sched), false);
}

static int cpu_count(Sched *sched) {
    int count = world_of_sched(sched)->options.cpu_count;
    return count == 0 ? 1 : count;
}

/* ---- clock, chance, the world itself ---- */

static int64_t monotonic_nanos(Clock *clock) {
    SimWorld *world = (SimWorld *)((char *)clock - offsetof(SimWorld, clock));
    world->now_nanos += CLOCK_STEP_NANOS;
    return world->now_nanos;
}

static int64_t wall_micros(Clock *clock) {
    return WALL_BEGIN_MICROS + monotonic_nanos(clock) / 1000;
}

static uint64_t rand_next(Rand *rand) {
    SimWorld *world = (SimWorld *)((char *)rand - offsetof(SimWorld, rand));
    return random_next(&world->values);
}

SimWorld *sim_world_create(SimDisk *disk, const SimOptions *options) {
    SimWorld *world = mem_calloc(1, sizeof *world);
    world->io = (SimIo){.io = {.vtable = &SIM__IO}, .disk = disk, .world = world};
    world->clock = (Clock){.wall_micros = wall_micros, .monotonic_nanos = monotonic_nanos};
    world->rand = (Rand){.next = rand_next};
    world->sched = (Sched){
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
    world->options = *options;
    random_init(&world->choices, options->seed);
    random_init(&world->values, options->seed ^ UINT64_C(0x5eed));
    world->now_nanos = 1000000000;
    return world;
}

void sim_world_destroy(SimWorld *world) {
    if (world == NULL) {
        return;
    }
    assert(world->current == NULL);
    world->io.disk->locked = false;
    mem_free(world);
}

Os sim_world_os(SimWorld *world) {
    return (Os){.io = &world->io.io, .clock = &world->clock, .rand = &world->rand, .sched = &world->sched};
}

static bool others_run(const SimWorld *world) {
    for (const Task *task = world->tasks; task != NULL; task = task->next) {
        if (task != world->current && task->state != TASK_DONE) {
            return true;
        }
    }
    return false;
}

static bool others_ready(const SimWorld *world) {
    for (const Task *task = world->tasks; task != NULL; task = task->next) {
        if (task != world->current && task->state == TASK_READY) {
            return true;
        }
    }
    return false;
}

void sim_world_run(SimWorld *world, TaskMain main, void *argument) {
    assert(world->current == NULL);
    Task *own = add_task(world, "main", main, argument);
    sim__fiber_init_own(&own->fiber);
    world->current = own;
    main(argument);
    while (others_run(world)) {
        if (others_ready(world)) {
            give_way(world, false);
        } else {
            wake_by_time(world);
        }
    }
    world->current = NULL;
    while (world->tasks != NULL) {
        remove_task(world, world->tasks);
    }
}

void sim_world_advance(SimWorld *world, int64_t nanos) {
    assert(nanos >= 0);
    world->now_nanos += nanos;
}

uint64_t sim_world_trace(const SimWorld *world) {
    return world->trace;
}
