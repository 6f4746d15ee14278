/* SPDX-License-Identifier: Apache-2.0
 * sim.c - the crash simulator: `sim --seed N` replays one run; without a seed, run after run until enough states or seconds.
 *
 * Options: --seed N, --first N (first seed of many), --states N, --seconds N, --transactions N, --images N (random ones a crash point),
 *          --faults N (runs with a failing call or a full disk after each run).
 * Why:     the whole engine runs on a simulated disk; before each call that changes the disk, images of what a crash would leave are taken, recovered
 *          and compared with the model, while the run goes on. */
#include "base/number.h"
#include "oracle.h"
#include "plant.h"
#include "workload.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct Settings {
    uint64_t seed, first, states, seconds, transactions, images, faults;
} Settings;

/* The state of the run for the report of a failure; only this program reads it. */
static Oracle *current_oracle;
static uint64_t current_run_seed;

static void print_place(FILE *out) {
    static const char *const PROFILES[] = {"process killed", "power cut, nothing pending survived", "power cut, ext4", "power cut, adversary"};
    const Oracle *oracle = current_oracle;
    fprintf(out, "sim: FAILED in the run with --seed %llu", (unsigned long long)current_run_seed);
    if (oracle != NULL) {
        fprintf(out, ", crash before call %llu (%s, image %llu, depth %d)", (unsigned long long)oracle->call,
                oracle->profile < 0 ? "clean close" : PROFILES[oracle->profile], (unsigned long long)oracle->image_seed, oracle->depth);
    }
    fprintf(out, "\n");
}

void sim_failed(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_place(stdout);
    printf("sim: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
    _exit(1);
}

static void on_abort(int signal_number) {
    (void)signal_number;
    print_place(stderr);
    _exit(1);
}

static void on_fatal(ErrorCode code, const char *message) {
    sim_failed("fatal: %s: %s", error_name(code), message);
}

static void before_call(void *context, SimDisk *disk, uint64_t call) {
    Oracle *oracle = context;
    oracle->call = call;
    oracle_crash(oracle, disk, 1);
}

typedef struct Totals {
    uint64_t runs, crash_points, checked, deep, images, calls, faults;
} Totals;

/* The same run with one call that fails, or with a disk that becomes full; then what is on the disk must fit what was acknowledged. */
static void run_fault(uint64_t seed, uint64_t number, uint64_t calls, const Settings *settings, Totals *totals) {
    static const ErrorCode CODES[] = {ERR_IO, ERR_DISK_FULL};
    Model model;
    Oracle oracle;
    Random random;
    SimDisk *disk = sim_disk_create();
    model_init(&model);
    random_init(&random, seed * 1000 + number);
    oracle_init(&oracle, &model, seed, 0);
    current_oracle = &oracle;
    oracle.call = random_between(&random, 1, (int64_t)calls);
    oracle.profile = -1;
    if (number % 4 == 3) {
        oracle.call = 0;
        sim_disk_limit_bytes(disk, (UINT64_C(12) << 20) + random_below(&random, 1 << 20));
    } else {
        sim_disk_fail_at(disk, oracle.call, CODES[random_below(&random, COUNT_OF(CODES))]);
    }
    plant_disk(disk);
    workload_run(disk, &(WorkloadOptions){.seed = seed, .transactions = (int)settings->transactions, .faults = true}, &model);
    sim_disk_limit_bytes(disk, 0);
    sim_disk_fail_at(disk, 0, ERR_IO);
    oracle_reopen(&oracle, disk);
    totals->faults++;
    current_oracle = NULL;
    oracle_deinit(&oracle);
    model_deinit(&model);
    sim_disk_destroy(disk);
}

static void run_seed(uint64_t seed, const Settings *settings, Totals *totals) {
    Model model;
    Oracle oracle;
    SimDisk *disk = sim_disk_create();
    plant_disk(disk);
    model_init(&model);
    oracle_init(&oracle, &model, seed, (int)settings->images);
    current_oracle = &oracle;
    current_run_seed = seed;
    sim_disk_watch(disk, before_call, &oracle);
    workload_run(disk, &(WorkloadOptions){.seed = seed, .transactions = (int)settings->transactions}, &model);
    sim_disk_watch(disk, NULL, NULL);
    oracle_reopen(&oracle, disk);
    totals->runs++;
    totals->crash_points += oracle.crash_points;
    totals->checked += oracle.checked;
    totals->deep += oracle.deep;
    totals->images += oracle.images.count;
    totals->calls += sim_disk_calls(disk);
    uint64_t calls = sim_disk_calls(disk);
    current_oracle = NULL;
    oracle_deinit(&oracle);
    model_deinit(&model);
    sim_disk_destroy(disk);
    for (uint64_t i = 0; i < settings->faults; i++) {
        run_fault(seed, i, calls, settings, totals);
    }
}

static bool take_option(const char *name, const char *value, Settings *settings) {
    const struct { const char *name; uint64_t *target; } OPTIONS[] = {
        {"--seed", &settings->seed},       {"--first", &settings->first},               {"--states", &settings->states},
        {"--seconds", &settings->seconds}, {"--transactions", &settings->transactions}, {"--images", &settings->images},
        {"--faults", &settings->faults},
    };
    bool overflow;
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        if (strcmp(name, OPTIONS[i].name) == 0) {
            return parse_uint64(str_from_c(value), OPTIONS[i].target, &overflow);
        }
    }
    return false;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list-plants") == 0) {
        plant_list();
        return 0;
    }
    Settings settings = {.states = UINT64_MAX, .first = 1, .transactions = 40, .images = 4, .faults = 4};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !take_option(argv[i], argv[i + 1], &settings)) {
            fprintf(stderr, "usage: sim [--seed N | --first N] [--states N] [--seconds N] [--transactions N] [--images N] [--faults N]\n");
            return 2;
        }
    }
    signal(SIGABRT, on_abort);
    signal(SIGSEGV, on_abort);
    fatal_install(on_fatal);
    plant_choose(getenv("BASALT_PLANT"));
    Totals totals = {0};
    time_t begin = time(NULL);
    uint64_t seed = settings.seed != 0 ? settings.seed : settings.first;
    do {
        run_seed(seed++, &settings, &totals);
    } while (settings.seed == 0 && totals.checked < settings.states &&
             (settings.seconds == 0 ? settings.states != UINT64_MAX : (uint64_t)(time(NULL) - begin) < settings.seconds));
    uint64_t elapsed = (uint64_t)MAX_OF(time(NULL) - begin, 1);
    printf("sim: %llu runs, %llu calls, %llu crash points (%llu inside recoveries), %llu states checked, %llu distinct images, %llu states/s,"
           " %llu runs with faults\n",
           (unsigned long long)totals.runs, (unsigned long long)totals.calls, (unsigned long long)totals.crash_points,
           (unsigned long long)totals.deep, (unsigned long long)totals.checked, (unsigned long long)totals.images,
           (unsigned long long)(totals.checked / elapsed),
           (unsigned long long)totals.faults);
    return 0;
}
