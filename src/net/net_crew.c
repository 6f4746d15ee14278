/* SPDX-License-Identifier: Apache-2.0
 * net_crew.c - how many workers are awake: as many as run well side by side, and more while some of them are held up.
 *
 * Why:        more awake workers than processors only wake each other up; but a worker that waits for the disk or computes for long must not
 *             hold up the others' requests. So the limit starts at the processors, grows when a run that is looked at has waited for something
 *             (voluntary context switches), shrinks when runs do not wait, and a guard (a timer of the loop thread, active only under
 *             load) calls one more when no run has ended lately. While all are busy it also looks whether a peer has left.
 * Invariants: workers = parked + waiting for events + busy. If nobody waits for events, either a worker is on its way or the guard is on.
 * Threads:    net->lock is held in every call but for the timer's. */
#include <sys/resource.h>
#include "net/net_internal.h"

enum { RUNS_PER_SAMPLE = 16, QUICK_RUNS_TO_SHRINK = 128, GUARD_MS = 2, GUARD_CALM_TICKS = 250, GUARD_LOOK_TICKS = 20, CREW_MIN = 2, WORKER_STACK_BYTES = 8 << 20 };

void net__crew_init(Net *net) {
    net->crew_base = MAX_OF(CREW_MIN, (uint32_t)uv_available_parallelism());
    net->crew_base = MIN_OF(net->crew_base, net->options.workers_max);
    net->crew_limit = net->crew_base;
    uv_cond_init(&net->parked_cond);
}

static void start_one(Net *net) {
    uv_thread_t thread;
    uv_thread_options_t options = {.flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = WORKER_STACK_BYTES};
    if (uv_thread_create_ex(&thread, &options, net__worker_main, net) == 0) {
        pthread_detach(thread);
        net->workers++;
    } else if (net->workers == 0) {
        fatal(ERR_OUT_OF_MEMORY, "the system gave no thread for the first worker");
    }
}

static void call_one(Net *net) {
    if (net->workers_parked > net->parked_called) {
        net->parked_called++;
        uv_cond_signal(&net->parked_cond);
    } else if (net->workers < net->options.workers_max) {
        start_one(net);
    }
}

static void grow(Net *net) {
    net->crew_limit = MIN_OF(net->crew_limit + 1, net->options.workers_max);
    net->quick_runs = 0;
}

void net__crew_keep_watch(Net *net) {
    if (net->workers_idle > 0) {
        return;
    }
    if (net->workers - net->workers_parked + net->parked_called < net->crew_limit) {
        call_one(net);
    } else if (!net->guarded) {
        net->guarded = true;
        uv_async_send(&net->wake);
    }
}

static int64_t voluntary_switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (int64_t)usage.ru_nvcsw : 0;
}

void net__crew_run_begins(CrewSample *sample) {
    sample->taken = sample->runs_left == 0;
    if (sample->taken) {
        sample->switches = voluntary_switches();
    } else {
        sample->runs_left--;
    }
}

bool net__crew_has_waited(CrewSample *sample) {
    bool waited = sample->taken && voluntary_switches() != sample->switches;
    if (sample->taken && !waited) {
        sample->runs_left = RUNS_PER_SAMPLE;
    }
    return waited;
}

void net__crew_run_ended(Net *net, bool waited) {
    net->runs++;
    if (waited) {
        grow(net);
    } else if (++net->quick_runs >= QUICK_RUNS_TO_SHRINK && net->crew_limit > net->crew_base) {
        net->crew_limit--;
        net->quick_runs = 0;
    }
}

bool net__crew_may_wait(Net *net) {
    bool too_many = net->workers - net->workers_parked > net->crew_limit && net->workers_idle > 0;
    if (!too_many || net->workers_end) {
        return true;
    }
    net->workers_parked++;
    int result = 0;
    while (net->parked_called == 0 && result == 0 && !net->workers_end) {
        result = uv_cond_timedwait(&net->parked_cond, &net->lock, (uint64_t)NET_WORKER_IDLE_MS * 1000000);
    }
    net->workers_parked--;
    bool called = net->parked_called > 0;
    net->parked_called -= called;
    return called || net->workers_end;
}

void net__crew_end(Net *net) {
    uv_cond_broadcast(&net->parked_cond);
}

/* ---- the guard: loop thread ---- */

static void on_guard(uv_timer_t *timer) {
    Net *net = timer->data;
    uv_mutex_lock(&net->lock);
    bool watched = net->workers_idle > 0 || net->parked_called > 0;
    if (!watched && net->runs == net->guard_runs) {
        grow(net);
        call_one(net);
    }
    net->guard_runs = net->runs;
    net->guard_calm = watched ? net->guard_calm + 1 : 0;
    net->guard_unwatched = watched ? 0 : net->guard_unwatched + 1;
    bool look = net->guard_unwatched >= GUARD_LOOK_TICKS;
    if (look) {
        net->guard_unwatched = 0;
    }
    if (net->guard_calm > GUARD_CALM_TICKS) {
        net->guarded = false;
        uv_timer_stop(timer);
    }
    uv_mutex_unlock(&net->lock);
    if (look) {
        net__connections_look_if_busy(net); /* a worker whose peer has left is wanted */
    }
}

void net__crew_guard(Net *net) {
    if (net->guarded && !uv_is_active((uv_handle_t *)&net->guard) && !uv_is_closing((uv_handle_t *)&net->guard)) {
        net->guard_calm = 0;
        net->guard_runs = net->runs;
        uv_timer_start(&net->guard, on_guard, GUARD_MS, GUARD_MS);
    }
}
