/* SPDX-License-Identifier: Apache-2.0
 * test_sched.c - tasks, locks and conditions as threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "os/os.h"

enum { TASKS = 4, ITEMS = 20000 };

/* A queue of one place between producers and consumers. */
typedef struct Place {
    Os os;
    Mutex mutex;
    Cond changed;
    int value; /* 0: empty */
    int64_t taken_sum;
    int taken;
} Place;

static void produce(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    for (int i = 1; i <= ITEMS; i++) {
        s->mutex_lock(s, &p->mutex);
        while (p->value != 0) {
            assert(s->cond_wait(s, &p->changed, &p->mutex, INT64_MAX));
        }
        p->value = i;
        s->cond_broadcast(s, &p->changed);
        s->mutex_unlock(s, &p->mutex);
    }
}

static void consume(void *argument) {
    Place *p = argument;
    Sched *s = p->os.sched;
    for (int i = 1; i <= ITEMS; i++) {
        s->mutex_lock(s, &p->mutex);
        while (p->value == 0) {
            assert(s->cond_wait(s, &p->changed, &p->mutex, INT64_MAX));
        }
        p->taken_sum += p->value;
        p->taken++;
        p->value = 0;
        s->cond_broadcast(s, &p->changed);
        s->mutex_unlock(s, &p->mutex);
    }
}

static void producers_and_consumers_meet(void **state) {
    (void)state;
    Place p = {0};
    assert_int_equal(os_linux_open("/tmp", false, &p.os, NULL), ERR_OK);
    Sched *s = p.os.sched;
    s->mutex_init(s, &p.mutex);
    s->cond_init(s, &p.changed);
    Task *tasks[TASKS];
    for (int i = 0; i < TASKS; i++) {
        assert_int_equal(s->task_start(s, "a name beyond the limit", i % 2 ? produce : consume, &p, i == 0, &tasks[i], NULL), ERR_OK);
    }
    for (int i = 0; i < TASKS; i++) {
        s->task_join(s, tasks[i]);
    }
    s->task_join(s, NULL);
    assert_int_equal(p.taken, ITEMS * TASKS / 2);
    assert_true(p.taken_sum == (int64_t)ITEMS * (ITEMS + 1) / 2 * (TASKS / 2));
    assert_true(s->cpu_count(s) >= 1);
    s->yield(s);
    s->cond_deinit(s, &p.changed);
    s->mutex_deinit(s, &p.mutex);
    s->mutex_deinit(s, &p.mutex);
    os_linux_close(&p.os);
}

static void waiting_ends_at_the_deadline(void **state) {
    (void)state;
    Place p = {0};
    assert_int_equal(os_linux_open("/tmp", false, &p.os, NULL), ERR_OK);
    Sched *s = p.os.sched;
    s->mutex_init(s, &p.mutex);
    s->cond_init(s, &p.changed);
    s->mutex_lock(s, &p.mutex);
    int64_t deadline = p.os.clock->monotonic_nanos(p.os.clock) + 2000000;
    while (s->cond_wait(s, &p.changed, &p.mutex, deadline)) {
    }
    assert_true(p.os.clock->monotonic_nanos(p.os.clock) >= deadline);
    assert_false(s->cond_wait(s, &p.changed, &p.mutex, INT64_MIN));
    s->mutex_unlock(s, &p.mutex);
    s->cond_deinit(s, &p.changed);
    s->mutex_deinit(s, &p.mutex);
    os_linux_close(&p.os);
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(producers_and_consumers_meet),
        cmocka_unit_test(waiting_ends_at_the_deadline),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
