/* SPDX-License-Identifier: Apache-2.0
 * test_world.c - tasks, locks, deadlines and replay in the simulated world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "sim/sim.h"

enum { TASKS = 4, ITEMS = 300 };

typedef struct Place {
    Os os;
    Mutex mutex;
    Cond changed;
    int value, taken;
    int64_t taken_sum;
    bool timed_out;
} Place;

static void produce(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    for (int i = 1; i <= ITEMS; i++) {
        s->mutex_lock(s, &p->mutex);
        while (p->value != 0) {
            assert_true(s->cond_wait(s, &p->changed, &p->mutex, INT64_MAX));
        }
        p->value = i;
        s->cond_broadcast(s, &p->changed);
        s->mutex_unlock(s, &p->mutex);
        assert_true(!io_exists(p->os.io, "x"));
    }
}

static void consume(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    for (int i = 1; i <= ITEMS; i++) {
        s->mutex_lock(s, &p->mutex);
        while (p->value == 0) {
            assert_true(s->cond_wait(s, &p->changed, &p->mutex, INT64_MAX));
        }
        p->taken_sum += p->value;
        p->taken++;
        p->value = 0;
        s->cond_broadcast(s, &p->changed);
        s->mutex_unlock(s, &p->mutex);
    }
}

static void start_all(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    s->mutex_init(s, &p->mutex);
    s->cond_init(s, &p->changed);
    Task *tasks[TASKS];
    for (int i = 0; i < TASKS; i++) {
        assert_int_equal(s->task_start(s, i % 2 ? "produce" : "consume", i % 2 ? produce : consume, p, false, &tasks[i], NULL), ERR_OK);
    }
    for (int i = 0; i < TASKS; i++) {
        s->task_join(s, tasks[i]);
    }
    s->cond_deinit(s, &p->changed);
    s->mutex_deinit(s, &p->mutex);
}

static uint64_t run_once(uint64_t seed, TaskMain main, Place *p) {
    SimDisk *disk = sim_disk_create();
    SimWorld *world = sim_world_create(disk, &(SimOptions){.seed = seed, .switch_one_in = 4});
    *p = (Place){.os = sim_world_os(world)};
    sim_world_run(world, main, p);
    uint64_t trace = sim_world_trace(world);
    sim_world_destroy(world);
    sim_disk_destroy(disk);
    return trace;
}

static void same_seed_same_trace(void **state) {
    (void)state;
    Place p;
    for (uint64_t seed = 1; seed < 20; seed++) {
        uint64_t trace = run_once(seed, start_all, &p);
        assert_int_equal(p.taken, ITEMS * TASKS / 2);
        assert_true(p.taken_sum == (int64_t)ITEMS * (ITEMS + 1) / 2 * (TASKS / 2));
        assert_true(trace == run_once(seed, start_all, &p));
        assert_true(trace != run_once(seed + 100, start_all, &p));
    }
}

static void sleep_long(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    Clock *c = p->os.clock;
    s->mutex_init(s, &p->mutex);
    s->cond_init(s, &p->changed);
    s->mutex_lock(s, &p->mutex);
    int64_t hour = INT64_C(3600000000000);
    int64_t begin = c->monotonic_nanos(c);
    p->timed_out = !s->cond_wait(s, &p->changed, &p->mutex, begin + hour);
    assert_true(c->monotonic_nanos(c) >= begin + hour);
    assert_false(s->cond_wait(s, &p->changed, &p->mutex, begin));
    s->mutex_unlock(s, &p->mutex);
    s->cond_deinit(s, &p->changed);
    s->mutex_deinit(s, &p->mutex);
    assert_true(c->wall_micros(c) > INT64_C(1727740800000000));
    assert_int_equal(s->cpu_count(s), 1);
    s->yield(s);
}

static void waiting_an_hour_takes_no_time(void **state) {
    (void)state;
    Place p;
    (void)run_once(5, sleep_long, &p);
    assert_true(p.timed_out);
}

static void nest(void *argument) {
    Place *outer = argument;
    Place inner;
    (void)run_once(3, start_all, &inner);
    outer->taken += inner.taken;
    outer->os.sched->yield(outer->os.sched);
}

static void nest_in_tasks(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    Task *tasks[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s->task_start(s, "nest", nest, p, false, &tasks[i], NULL), ERR_OK);
    }
    nest(p);
    for (int i = 0; i < 3; i++) {
        s->task_join(s, tasks[i]);
    }
}

static void worlds_nest(void **state) {
    (void)state;
    Place p;
    (void)run_once(8, nest_in_tasks, &p);
    assert_int_equal(p.taken, 4 * ITEMS * TASKS / 2);
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(same_seed_same_trace),
        cmocka_unit_test(waiting_an_hour_takes_no_time),
        cmocka_unit_test(worlds_nest),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
