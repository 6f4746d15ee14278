/* SPDX-License-Identifier: Apache-2.0
 * test_sim.c - the log thread, four committers and a checkpointer as fibers on a simulated disk; before every call that
 * changes the disk, the images that a crash could leave are recovered and compared with the model.
 *
 * Rule:       recovered = a prefix of what was assigned, each record with the body that got its LSN; it holds
 *             everything published after a kill, every published WAL_COMMIT record after a power cut.
 * Why:        test_crash.c runs the log alone in one thread; here groups form, threads hand over, files are recycled
 *             while others write. */
#include "sim/sim.h"
#include "wal/wal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { COMMITTERS = 4, COMMITS_EACH = 12, LSN_MAX = 400, IMAGES_PER_CALL = 3, SEEDS = 8 };

typedef struct Model {
    uint32_t identity[LSN_MAX];
    bool commits[LSN_MAX];
    Lsn assigned, published, acknowledged, checkpoint, older_checkpoint;
} Model;
typedef struct Run {
    Os os;
    Wal *wal;
    Model model;
    WalPlant plant;
    uint64_t seed, images;
    uint32_t running, next_identity;
    const char *wrong;
} Run;
typedef struct Assigned {
    Run *run;
    uint32_t identity;
    bool commits;
} Assigned;

/* ---- the recovery of one image, in a world of its own ---- */

typedef struct Recovery {
    Run *run;
    Os os;
    Lsn from, at_least, last;
} Recovery;

static uint32_t body_bytes(uint32_t identity) {
    return 4 + identity * 97 % (identity % 5 == 0 ? 9000 : 300);
}

static ErrorCode redo(void *context, const WalRecord *record, Error *err) {
    (void)err;
    Recovery *recovery = context;
    const Model *model = &recovery->run->model;
    bool fine = record->lsn == recovery->last + 1 && record->lsn <= model->assigned &&
                get_u32le(record->body.data) == model->identity[record->lsn] &&
                record->body.len == body_bytes(model->identity[record->lsn]);
    if (!fine) {
        recovery->run->wrong = "a record that nobody appended there";
    }
    recovery->last = record->lsn;
    return ERR_OK;
}

static ErrorCode open_log(Recovery *recovery, Wal **wal_out, Error *err) {
    recovery->last = recovery->from;
    WalOptions options = {.may_create = recovery->run->model.checkpoint == 0,
                          .file_bytes_min = 32 << 10,
                          .replay_from = recovery->from + 1,
                          .redo = redo,
                          .context = recovery};
    return wal_open(recovery->os, &options, wal_out, err);
}

static void recover_main(void *argument) {
    Recovery *recovery = argument;
    Run *run = recovery->run;
    Wal *wal = NULL;
    Error err = {0};
    if (open_log(recovery, &wal, &err) != ERR_OK) {
        print_message("%s\n", err.message);
        run->wrong = "the log does not open";
        return;
    }
    if (wal_last_lsn(wal) != recovery->last || recovery->last < recovery->at_least) {
        run->wrong = "an acknowledged record is gone";
    }
    wal_close(wal);
}

static void check_image(Run *run, SimDisk *disk, SimProfile profile, uint64_t seed) {
    SimDisk *image = sim_disk_after_crash(disk, profile, seed);
    SimWorld *world = sim_world_create(image, &(SimOptions){.seed = seed});
    const Model *model = &run->model;
    Recovery recovery = {.run = run, .os = sim_world_os(world)};
    recovery.from = seed % 3 == 0 ? model->older_checkpoint : model->checkpoint;
    recovery.at_least = MAX_OF(profile == SIM_KILL ? model->published : model->acknowledged, model->checkpoint);
    sim_world_run(world, recover_main, &recovery);
    sim_world_destroy(world);
    sim_disk_destroy(image);
    run->images++;
}

static void watch(void *context, SimDisk *disk, uint64_t call) {
    Run *run = context;
    for (uint64_t i = 0; i < IMAGES_PER_CALL && run->wrong == NULL; i++) {
        uint64_t seed = run->seed * 1000003 + call * 17 + i;
        check_image(run, disk, i == 0 ? SIM_ADVERSARY : (SimProfile)(seed % SIM_PROFILE_COUNT), seed);
    }
}

/* ---- the run ---- */

static void assigned(void *context, Lsn lsn) {
    Assigned *a = context;
    a->run->model.assigned = lsn;
    a->run->model.identity[lsn] = a->identity;
    a->run->model.commits[lsn] = a->commits;
}

static void publish(void *context, Lsn lsn, void *publish_context) {
    (void)publish_context;
    Run *run = context;
    if (lsn != run->model.published + 1) {
        run->wrong = "published out of order";
    }
    run->model.published = lsn;
    if (run->model.commits[lsn]) {
        run->model.acknowledged = lsn;
    }
}

static ErrorCode commit(Run *run, Error *err) {
    static uint8_t body[16384];
    Assigned a = {.run = run, .identity = run->next_identity++};
    put_u32le(body, a.identity);
    IoVec part = {body, body_bytes(a.identity)};
    WalAppend append = {.parts = &part,
                        .part_count = 1,
                        .durability = (WalDurability)(a.identity % 3),
                        .interval_ms = 1,
                        .waits = a.identity % 2,
                        .assigned = assigned,
                        .assigned_context = &a};
    a.commits = append.durability == WAL_COMMIT;
    WalTicket ticket;
    TRY(wal_append(run->wal, &append, NULL, &ticket, err));
    return a.identity % 4 == 0 ? ERR_OK : wal_wait(run->wal, ticket, err);
}

static void committer_main(void *argument) {
    Run *run = argument;
    Error err = {0};
    for (int i = 0; i < COMMITS_EACH; i++) {
        if (commit(run, &err) != ERR_OK) {
            run->wrong = "a commit failed";
        }
    }
    run->running--;
}

static void checkpointer_main(void *argument) {
    Run *run = argument;
    Error err = {0};
    while (run->running > 0) {
        Lsn lsn = wal_published_lsn(run->wal);
        if (lsn >= run->model.checkpoint + 8) {
            if (wal_sync(run->wal, lsn, &err) != ERR_OK) {
                run->wrong = "a sync failed";
            }
            run->model.older_checkpoint = run->model.checkpoint;
            run->model.checkpoint = lsn;
            if (wal_recycle(run->wal, run->model.older_checkpoint + 1, &err) != ERR_OK) {
                run->wrong = "a recycle failed";
            }
        }
        run->os.sched->yield(run->os.sched);
    }
}

static void run_main(void *argument) {
    Run *run = argument;
    Error err = {0};
    Sched *sched = run->os.sched;
    WalOptions options = {
        .may_create = true, .file_bytes_min = 32 << 10, .plant = run->plant, .publish = publish, .context = run};
    if (wal_open(run->os, &options, &run->wal, &err) != ERR_OK) {
        run->wrong = "the log cannot be made";
        return;
    }
    Task *tasks[COMMITTERS + 1];
    run->running = COMMITTERS;
    for (int i = 0; i <= COMMITTERS; i++) {
        TaskMain task_main = i < COMMITTERS ? committer_main : checkpointer_main;
        ErrorCode code = sched->task_start(sched, "committer", task_main, run, false, &tasks[i], &err);
        assert_int_equal(code, ERR_OK);
    }
    for (int i = 0; i <= COMMITTERS; i++) {
        sched->task_join(sched, tasks[i]);
    }
    wal_close(run->wal);
    run->wal = NULL;
}

static uint64_t run_seed(uint64_t seed, WalPlant plant, uint64_t *images, const char **wrong) {
    SimDisk *disk = sim_disk_create();
    SimWorld *world = sim_world_create(disk, &(SimOptions){.seed = seed, .switch_one_in = 4, .cpu_count = 2});
    Run *run = mem_calloc(1, sizeof *run);
    run->os = sim_world_os(world);
    run->seed = seed;
    run->plant = plant;
    sim_disk_watch(disk, watch, run);
    sim_world_run(world, run_main, run);
    if (run->wrong == NULL && run->model.published != COMMITTERS * COMMITS_EACH) {
        run->wrong = "not all was published";
    }
    *images += run->images;
    *wrong = run->wrong;
    uint64_t trace = sim_world_trace(world);
    sim_disk_watch(disk, NULL, NULL);
    sim_world_destroy(world);
    sim_disk_destroy(disk);
    mem_free(run);
    return trace;
}

static void every_crash_under_concurrency_leaves_a_prefix(void **state) {
    (void)state;
    const char *text = getenv("BASALT_SEEDS");
    uint64_t seeds = text != NULL ? strtoull(text, NULL, 10) : SEEDS;
    uint64_t images = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        const char *wrong = NULL;
        run_seed(seed, WAL_PLANT_NONE, &images, &wrong);
        if (wrong != NULL) {
            print_message("seed %llu: %s\n", (unsigned long long)seed, wrong);
        }
        assert_null(wrong);
    }
    print_message("%llu images\n", (unsigned long long)images);
}

static void a_seed_replays_the_same_run(void **state) {
    (void)state;
    uint64_t images = 0;
    const char *wrong = NULL;
    uint64_t first = run_seed(3, WAL_PLANT_NONE, &images, &wrong);
    assert_int_equal(run_seed(3, WAL_PLANT_NONE, &images, &wrong), first);
    assert_int_not_equal(run_seed(4, WAL_PLANT_NONE, &images, &wrong), first);
}

static void planted_faults_are_found(void **state) {
    (void)state;
    static const WalPlant PLANTS[] = {
        WAL_PLANT_SKIP_SYNC,      WAL_PLANT_PUBLISH_EARLY,  WAL_PLANT_NO_SYNC_AT_SWITCH,  WAL_PLANT_RECYCLE_TOO_MUCH,
        WAL_PLANT_NO_FOLDER_SYNC, WAL_PLANT_REWRITE_HEADER, WAL_PLANT_DURABLE_BELOW_EARLY};
    for (size_t i = 0; i < COUNT_OF(PLANTS); i++) {
        uint64_t images = 0, seed = 0;
        const char *wrong = NULL;
        while (wrong == NULL && seed < 100) {
            run_seed(++seed, PLANTS[i], &images, &wrong);
        }
        print_message("plant %d: %s after %llu images\n", (int)PLANTS[i], wrong != NULL ? wrong : "NOT FOUND",
                      (unsigned long long)images);
        assert_non_null(wrong);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_crash_under_concurrency_leaves_a_prefix),
                                       cmocka_unit_test(a_seed_replays_the_same_run),
                                       cmocka_unit_test(planted_faults_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
