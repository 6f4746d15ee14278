/* SPDX-License-Identifier: Apache-2.0
 * test_crash.c - the log is crashed at every call of the disk; what comes back must be a prefix that holds every
 * acknowledged commit. Then the same test must find each fault that is planted on purpose.
 *
 * Model:      a random run of appends of all durabilities, waits, checkpoints (sync, remember, recycle) and restarts.
 *             value[lsn] is drawn anew each time an LSN is given, so a record of a lost history is told from the new.
 * Rule:       after a crash: records replay_from..k with the values of the model, acknowledged <= k <= assigned, where
 *             after kill -9 all that was published counts as acknowledged, after a power cut only what was durable. */
#include "base/random.h"
#include "mem_io.h"
#include "wal/wal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { LSN_MAX = 4000, STEPS = 26, IMAGES = 6, SEEDS = 6 };

typedef struct Model {
    uint64_t value[LSN_MAX];
    uint32_t bytes[LSN_MAX];
    Lsn assigned, published, durable;
    Lsn checkpoint, older_checkpoint; /* both kept, as the engine keeps them; the log serves either */
    Lsn acknowledged; /* the largest WAL_COMMIT lsn that was published */
    bool is_commit[LSN_MAX];
} Model;

typedef struct Run {
    MemIo *mem;
    MemOs mem_os;
    Os os;
    Wal *wal;
    Random random;
    WalPlant plant;
    bool weak; /* mostly small unsynced groups */
    Model model;
    Lsn replayed_to;
    const char *wrong; /* what broke the rule */
} Run;

static void publish(void *context, Lsn lsn, void *publish_context) {
    (void)publish_context;
    Run *run = context;
    if (lsn != run->model.published + 1) {
        run->wrong = "published out of order";
    }
    run->model.published = lsn;
    if (run->model.is_commit[lsn]) {
        run->model.acknowledged = lsn;
    }
}

static void fill_body(uint8_t *body, uint64_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        body[i] = (uint8_t)(value >> (i % 8 * 8));
    }
}

static ErrorCode redo(void *context, const WalRecord *record, Error *err) {
    (void)err;
    Run *run = context;
    uint8_t want[8192];
    Lsn lsn = record->lsn;
    if (lsn != run->replayed_to + 1 || lsn > run->model.assigned) {
        run->wrong = "a record that nobody appended, or a gap";
        return ERR_OK;
    }
    run->replayed_to = lsn;
    fill_body(want, run->model.value[lsn], run->model.bytes[lsn]);
    if (record->body.len != run->model.bytes[lsn] || memcmp(want, record->body.data, record->body.len) != 0) {
        run->wrong = "a record with another body";
    }
    return ERR_OK;
}

static ErrorCode open_log(Run *run, Error *err) {
    bool older = random_chance(&run->random, 1, 3);
    Lsn from = older ? run->model.older_checkpoint : run->model.checkpoint;
    WalOptions options = {.inline_mode = true,
                          .may_create = run->model.checkpoint == 0,
                          .file_bytes_min = 32 << 10,
                          .replay_from = from + 1,
                          .plant = run->plant,
                          .redo = redo,
                          .publish = publish,
                          .context = run};
    run->replayed_to = from;
    return wal_open(run->os, &options, &run->wal, err);
}

static ErrorCode append_one(Run *run, Error *err) {
    uint8_t body[8192];
    Lsn lsn = run->model.assigned + 1;
    uint64_t value = random_next(&run->random) | 1;
    bool large = random_chance(&run->random, 1, run->weak ? 30 : 6);
    uint32_t bytes = (uint32_t)random_below(&run->random, large ? 8000 : 200);
    assert_true(lsn < LSN_MAX);
    run->model.value[lsn] = value;
    run->model.bytes[lsn] = bytes;
    fill_body(body, value, bytes);
    IoVec part = {body, bytes};
    WalAppend append = {.parts = &part, .part_count = 1, .durability = (WalDurability)random_below(&run->random, 3)};
    if (run->weak && random_chance(&run->random, 3, 4)) {
        append.durability = WAL_OFF;
    }
    run->model.is_commit[lsn] = append.durability == WAL_COMMIT;
    Lsn given = 0;
    TRY(wal_append(run->wal, &append, &given, NULL, err));
    assert_int_equal(given, lsn);
    run->model.assigned = lsn;
    return run->weak && random_chance(&run->random, 2, 3) ? wal_flush(run->wal, err) : ERR_OK;
}

static ErrorCode checkpoint(Run *run, Error *err) {
    TRY(wal_flush(run->wal, err));
    Lsn lsn = wal_published_lsn(run->wal);
    TRY(wal_sync(run->wal, lsn, err));
    run->model.older_checkpoint = run->model.checkpoint;
    run->model.checkpoint = lsn;
    return wal_recycle(run->wal, run->model.older_checkpoint + 1, err);
}

static void check_recovered(Run *run, Lsn at_least) {
    Lsn end = wal_last_lsn(run->wal);
    if (end < at_least) {
        run->wrong = "an acknowledged record is gone";
    } else if (end > run->model.assigned) {
        run->wrong = "more records than were appended";
    } else if (run->replayed_to != end) {
        run->wrong = "not all records were replayed";
    }
    run->model.assigned = end;
    run->model.published = end;
    run->model.durable = end;
    run->model.acknowledged = end;
}

static ErrorCode restart(Run *run, Error *err) {
    wal_close(run->wal); /* may fail in silence: what was published is in the page cache */
    run->wal = NULL;
    TRY(open_log(run, err));
    check_recovered(run, run->model.published);
    return ERR_OK;
}

static ErrorCode step(Run *run, Error *err) {
    switch (random_below(&run->random, 12)) {
    case 0:
    case 1:
    case 2: return wal_flush(run->wal, err);
    case 3: return random_chance(&run->random, 1, 2) ? checkpoint(run, err) : wal_flush(run->wal, err);
    case 4:
        if (random_chance(&run->random, 1, 3)) {
            return restart(run, err);
        }
        return append_one(run, err);
    default: return append_one(run, err);
    }
}

static void take_progress(Run *run) {
    if (run->wal != NULL) {
        run->model.durable = MAX_OF(run->model.durable, wal_durable_lsn(run->wal));
    }
}

/* Steps until one fails (the crash) or all are done. */
static ErrorCode run_steps(Run *run, int steps) {
    Error err = {0};
    for (int i = 0; i < steps; i++) {
        ErrorCode code = step(run, &err);
        take_progress(run);
        if (code != ERR_OK) {
            return code;
        }
    }
    return wal_flush(run->wal, &err);
}

/* Crashes the disk, reopens; a second crash during the recovery itself if `again` says at which call. */
static void crash_and_recover(Run *run, MemCrash crash, uint64_t seed, uint64_t again) {
    Lsn at_least = crash == MEM_CRASH_KILL ? run->model.published : run->model.acknowledged;
    at_least = MAX_OF(at_least, run->model.checkpoint);
    MemIo *old = run->mem;
    wal_close(run->wal);
    run->wal = NULL;
    run->mem = mem_io_after_crash(old, crash, seed);
    mem_io_destroy(old);
    run->os.io = mem_io_io(run->mem);
    Error err = {0};
    if (again != 0) {
        mem_io_crash_at(run->mem, again);
        if (open_log(run, &err) != ERR_OK) {
            run->wal = NULL;
            crash_and_recover(run, MEM_CRASH_RANDOM, seed + 1, 0);
            return;
        }
        mem_io_crash_at(run->mem, 0);
    } else if (open_log(run, &err) != ERR_OK) {
        run->wrong = "the log does not open";
        print_message("%s\n", err.message);
        run->wal = NULL;
        return;
    }
    check_recovered(run, at_least);
}

static void run_init(Run *run, WalPlant plant, uint64_t seed) {
    memset(run, 0, sizeof *run);
    run->mem = mem_io_create();
    run->os = mem_os_init(&run->mem_os, run->mem, seed);
    run->plant = plant;
    run->weak = seed % 2 == 0;
    random_init(&run->random, seed);
}

static void run_deinit(Run *run) {
    wal_close(run->wal);
    mem_io_destroy(run->mem);
}

/* One history: crash at call `call` (0: none), look at what is left, go on, crash again, look again. */
static const char *one_history(WalPlant plant, uint64_t seed, uint64_t call, uint64_t image, bool *ended_out) {
    static Run run;
    run_init(&run, plant, seed);
    Error err = {0};
    uint64_t fail_seed = seed * 1000003 + call * 101 + image;
    if (image == IMAGES - 1) {
        mem_io_fail_at(run.mem, call, call % 2 ? ERR_SYNC_FAILED : ERR_IO); /* one call fails, the power comes after */
    } else {
        mem_io_crash_at(run.mem, call);
    }
    ErrorCode code = open_log(&run, &err);
    code = code == ERR_OK ? run_steps(&run, STEPS) : code;
    *ended_out = code == ERR_OK && call > mem_io_calls(run.mem);
    MemCrash crash = image == 0 ? MEM_CRASH_KILL : image == 1 ? MEM_CRASH_NOTHING : MEM_CRASH_RANDOM;
    crash_and_recover(&run, crash, fail_seed, image == 2 ? 1 + fail_seed % 9 : 0);
    for (int round = 0; round < 2 && run.wal != NULL && run.wrong == NULL; round++) {
        mem_io_crash_at(run.mem, mem_io_calls(run.mem) + 5 + fail_seed % 23);
        code = run_steps(&run, STEPS / 2);
        crash_and_recover(&run, round == 0 ? MEM_CRASH_KILL : MEM_CRASH_RANDOM, fail_seed + 7, 0);
    }
    const char *wrong = run.wrong;
    run_deinit(&run);
    return wrong;
}

static const char *all_histories(WalPlant plant, uint64_t seeds, uint64_t *count_out) {
    *count_out = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        bool ended = false;
        for (uint64_t call = 1; !ended; call++) {
            for (uint64_t image = 0; image < IMAGES; image++) {
                const char *wrong = one_history(plant, seed, call, image, &ended);
                (*count_out)++;
                if (wrong != NULL) {
                    print_message("seed %llu, call %llu, image %llu: %s\n", (unsigned long long)seed,
                                  (unsigned long long)call, (unsigned long long)image, wrong);
                    return wrong;
                }
            }
        }
    }
    return NULL;
}

static void every_crash_leaves_a_prefix_with_all_acknowledged_commits(void **state) {
    (void)state;
    uint64_t count = 0;
    const char *seeds = getenv("BASALT_SEEDS"); /* the long run asks for more */
    const char *wrong = all_histories(WAL_PLANT_NONE, seeds != NULL ? strtoull(seeds, NULL, 10) : SEEDS, &count);
    print_message("%llu histories\n", (unsigned long long)count);
    assert_null(wrong);
}

static void every_planted_fault_is_found(void **state) {
    (void)state;
    static const char *const NAMES[] = {"NONE",
#define X(name) #name,
                                        WAL_PLANTS(X)
#undef X
    };
    bool all = true;
    for (int plant = 1; plant < WAL_PLANT_COUNT; plant++) {
        uint64_t count = 0;
        if (plant == WAL_PLANT_DAMAGE_IS_END) {
            continue; /* no crash of this disk damages what was synced: test_reader.c finds it */
        }
        const char *wrong = all_histories((WalPlant)plant, 8 * SEEDS, &count);
        print_message("%-20s %s after %llu histories\n", NAMES[plant], wrong != NULL ? "found" : "NOT FOUND",
                      (unsigned long long)count);
        all = all && wrong != NULL;
    }
    assert_true(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_crash_leaves_a_prefix_with_all_acknowledged_commits),
                                       cmocka_unit_test(every_planted_fault_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
