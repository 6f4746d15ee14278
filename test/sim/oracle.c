/* SPDX-License-Identifier: Apache-2.0
 * oracle.c - every crash image is recovered in a world of its own, beside the run that goes on.
 *
 * Why: an image that was already checked against the same history is skipped. Some recoveries are themselves crashed at each of their calls; some
 *      recovered databases are written to, closed and opened again. */
#include "oracle.h"
#include "rows.h"
#include "workload.h"

enum { DEEP_ONE_IN = 16, WRITE_ONE_IN = 8, CHECK_ONE_IN = 32 };

void oracle_init(Oracle *oracle, const Model *model, uint64_t seed, int images_per_call) {
    *oracle = (Oracle){.model = model, .seed = seed, .images_per_call = images_per_call};
    intmap_init(&oracle->seen);
    intmap_init(&oracle->images);
}

void oracle_deinit(Oracle *oracle) {
    intmap_deinit(&oracle->seen);
    intmap_deinit(&oracle->images);
}

typedef struct Check {
    Oracle *oracle;
    SimWorld *world;
    SimDisk *disk;
    uint64_t choice; /* seeded: what else is done with this image */
    int depth;
} Check;

static Engine *open_engine(Check *check, Error *err) {
    EngineOptions options = {.embedded = true, .no_background = true, .checkpoint_interval_ms = -1};
    Engine *engine = NULL;
    ErrorCode code = engine_open(sim_world_os(check->world), &options, &engine, err);
    if (code != ERR_OK) {
        sim_failed("recovery fails: %s: %s (%s:%d)", error_name(code), err->message, err->file, err->line);
    }
    return engine;
}

/* Reads everything; extra: the number of a transaction that was added after the recovery, 0 = none. */
static void read_and_compare(Check *check, Engine *engine, uint64_t extra) {
    const Model *model = check->oracle->model;
    Error err = {0};
    Found found = {.present_count = model->count + 3};
    found.present = mem_calloc(found.present_count, sizeof *found.present);
    ErrorCode code = database_read(engine, &found, &err);
    if (code == ERR_OK && extra != 0) {
        if (!found.present[extra]) {
            sim_failed("a row that was written after the recovery is lost");
        }
        found.present[extra] = false;
        found.state.slots[MODEL_JOURNAL].count--;
        found.state.slots[MODEL_JOURNAL].sum -= ident_hash(extra);
    }
    if (code == ERR_OK) {
        code = model_compare(model, &found, &err);
    }
    if (code != ERR_OK) {
        sim_failed("%s: %s (%s:%d)", error_name(code), err.message, err.file, err.line);
    }
    mem_free(found.present);
}

/* No value that somebody was given for good comes again. */
static void check_sequence(Check *check, Engine *engine) {
    Txn *txn = NULL;
    Error err = {0};
    ErrorCode code = engine_begin(engine, NULL, &txn, &err);
    if (code != ERR_OK) {
        sim_failed("the recovered database begins no transaction: %s", err.message);
    }
    CatalogView *view = txn_catalog(txn);
    const CatalogObject *sequence = view->object_find(view, OBJECT_SEQUENCE, SCHEMA_PUBLIC_ID, STR("sequence"));
    int64_t last = 0;
    bool called = false;
    if (sequence != NULL && txn_sequence_read(txn, sequence->id, &last, &called, &err) != ERR_OK) {
        sim_failed("the sequence cannot be read: %s", err.message);
    }
    int64_t given = sequence == NULL ? 0 : called ? last : last - 1;
    if (given < check->oracle->model->sequence_max) {
        sim_failed("the sequence stands at %lld, but %lld was given", (long long)given, (long long)check->oracle->model->sequence_max);
    }
    txn_rollback(txn);
}

/* One more transaction; 0 if there is no journal yet. */
static uint64_t write_more(Check *check, Engine *engine) {
    uint64_t number = check->oracle->model->count + 2;
    Error err = {0};
    Txn *txn = NULL;
    const TableDef *table = NULL;
    ErrorCode code = engine_begin(engine, NULL, &txn, &err);
    if (code == ERR_OK) {
        txn_statement_begin(txn);
        code = table_find(txn, MODEL_JOURNAL, &table, &err);
        if (code == ERR_OK && table == NULL) {
            txn_rollback(txn);
            return 0;
        }
    }
    if (code == ERR_OK) {
        code = rows_append(txn, table, number, 1, false, &err);
    }
    if (code == ERR_OK) {
        code = txn_commit(txn, NULL, &err);
    }
    if (code != ERR_OK) {
        sim_failed("the recovered database takes no row: %s: %s", error_name(code), err.message);
    }
    return number;
}

static void check_blocks(Engine *engine) {
    Buffer report;
    Error err = {0};
    buffer_init(&report, 1 << 20);
    ErrorCode code = engine_check(engine, &report, &err);
    if (code != ERR_OK && code != ERR_NOT_SUPPORTED) {
        sim_failed("the recovered database is damaged: %s: %s\n%.*s", error_name(code), err.message, STR_ARG(buffer_str(&report)));
    }
    buffer_deinit(&report);
}

/* As a kill: nothing that closing would write reaches the disk. */
static void drop_engine(Check *check, Engine *engine) {
    sim_disk_stop_at(check->disk, 1);
    engine_close(engine);
    sim_disk_stop_at(check->disk, 0);
}

static void check_main(void *argument) {
    Check *check = argument;
    Error err = {0};
    Engine *engine = open_engine(check, &err);
    sim_disk_watch(check->disk, NULL, NULL);
    read_and_compare(check, engine, 0);
    check_sequence(check, engine);
    if (check->choice % CHECK_ONE_IN == 0) {
        check_blocks(engine);
    }
    if (check->choice / CHECK_ONE_IN % WRITE_ONE_IN == 0) {
        uint64_t extra = write_more(check, engine);
        if (check->choice % 2 == 0 && engine_checkpoint(engine, &err) != ERR_OK) {
            sim_failed("the recovered database takes no checkpoint: %s", err.message);
        }
        drop_engine(check, engine);
        sim_world_advance(check->world, 1000000);
        check->disk = NULL;
        check->choice = extra;
        return;
    }
    drop_engine(check, engine);
    check->choice = UINT64_MAX;
}

static void crash_in_recovery(void *context, SimDisk *disk, uint64_t call) {
    Check *check = context;
    (void)call;
    check->oracle->deep++;
    oracle_crash(check->oracle, disk, check->depth - 1);
}

static void reopen_main(void *argument) {
    Check *check = argument;
    Error err = {0};
    Engine *engine = open_engine(check, &err);
    read_and_compare(check, engine, check->choice);
    drop_engine(check, engine);
}

/* Takes the disk. */
static void check_disk(Oracle *oracle, SimDisk *disk, uint64_t choice, int depth) {
    Check check = {.oracle = oracle, .disk = disk, .choice = choice, .depth = depth};
    if (depth > 0) {
        sim_disk_watch(disk, crash_in_recovery, &check);
    }
    check.world = sim_world_create(disk, &(SimOptions){.seed = choice});
    sim_world_run(check.world, check_main, &check);
    sim_world_destroy(check.world);
    if (check.choice != UINT64_MAX) { /* it was written to: the same again from what a power cut leaves of it */
        SimDisk *after = sim_disk_after_crash(disk, SIM_NOTHING, choice);
        check.disk = after;
        check.world = sim_world_create(after, &(SimOptions){.seed = choice});
        sim_world_run(check.world, reopen_main, &check);
        sim_world_destroy(check.world);
        sim_disk_destroy(after);
    }
    oracle->checked++;
    sim_disk_destroy(disk);
}

/* What the comparison depends on beside the image. */
static uint64_t model_hash(const Model *model) {
    uint64_t hash = model->count;
    for (size_t i = 0; i < model->count; i++) {
        hash += hash_u64((uint64_t)model->items[i].outcome + i * 8);
    }
    return hash;
}

static void check_image(Oracle *oracle, const SimDisk *disk, SimProfile profile, uint64_t seed, int depth) {
    oracle->profile = (int)profile;
    oracle->image_seed = seed;
    oracle->depth = depth;
    SimDisk *after = sim_disk_after_crash(disk, profile, seed);
    uint64_t hash = sim_disk_hash(after);
    (void)intmap_put(&oracle->images, hash, 1);
    if (!intmap_put(&oracle->seen, hash ^ hash_u64(model_hash(oracle->model)), 1)) {
        sim_disk_destroy(after);
        return;
    }
    uint64_t choice = hash_u64(hash ^ oracle->seed);
    bool deep = depth > 0 && choice % DEEP_ONE_IN == 0;
    check_disk(oracle, after, hash_u64(choice), deep ? depth : 0);
}

void oracle_crash(Oracle *oracle, const SimDisk *disk, int depth) {
    uint64_t call = oracle->call;
    uint64_t seed = hash_u64(oracle->seed ^ call << 20) + (uint64_t)(depth == 0) * sim_disk_calls(disk);
    oracle->crash_points++;
    check_image(oracle, disk, SIM_NOTHING, 0, depth);
    if (sim_disk_pending(disk) == 0) {
        return;
    }
    check_image(oracle, disk, SIM_KILL, 0, depth);
    for (int i = 0; i < oracle->images_per_call; i++) {
        check_image(oracle, disk, i % 4 == 3 ? SIM_EXT4 : SIM_ADVERSARY, seed + (uint64_t)i, depth);
    }
}

void oracle_reopen(Oracle *oracle, const SimDisk *disk) {
    static const SimProfile PROFILES[] = {SIM_NOTHING, SIM_KILL, SIM_ADVERSARY};
    oracle->profile = -1;
    for (size_t i = 0; i < COUNT_OF(PROFILES); i++) {
        check_disk(oracle, sim_disk_after_crash(disk, PROFILES[i], oracle->seed), 1, 0);
    }
}
