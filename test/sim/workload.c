/* SPDX-License-Identifier: Apache-2.0
 * workload.c - random transactions with all kinds of changes, in clients that are tasks of the simulated world.
 *
 * Why: a client changes the structure of its own two tables only and shares one table of rows with the others, so that what is open at a crash can
 *      be applied in any order. */
#include "workload.h"
#include "catalog/bodies.h"
#include "rows.h"
#include <stdio.h>

/* Row blocks of few rows: flushes cut at partitions and leave tails, merges leave slices. 0 = as in real life. */
static const uint32_t BLOCK_ROWS_CHOICES[] = {0, 8, 16, 40};
enum { ROWS_MAX = 30, WIDE_ROWS = 1500, OPERATIONS_MAX = 4, MAINTENANCE_PAUSE_NANOS = 20000000 };

typedef struct Run {
    Os os;
    Engine *engine;
    Model *model;
    Random random;       /* of the choices that belong to no client */
    int transactions_left, clients_running;
    bool dead;           /* the log failed: nothing more can be done */
    bool faults;
} Run;

typedef struct Client {
    Run *run;
    Random random;
    int number;
    uint64_t next_ident;
    Buffer keys;
} Client;

typedef struct Change {
    Client *client;
    Txn *txn;
    size_t index; /* in the model */
    int64_t value; /* largest that the sequence gave */
    Error err;
} Change;

static uint8_t own_slot(Client *client) {
    return (uint8_t)(2 + client->number * 2 + (int)random_below(&client->random, 2));
}

static bool chance(Client *client, uint32_t one_in) {
    return random_below(&client->random, one_in) == 0;
}

static ErrorCode append(Change *change, const TableDef *table, uint8_t slot, uint32_t count, bool wide) {
    Client *client = change->client;
    uint64_t first = client->next_ident;
    client->next_ident += count;
    TRY(rows_append(change->txn, table, first, count, wide, &change->err));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += ident_hash((first + i) | (uint64_t)wide << 62);
    }
    model_effect(client->run->model, change->index, slot, EFFECT_ROWS, count, sum);
    return ERR_OK;
}

/* Ends some rows; with_new: appends as many (an update). */
static ErrorCode end_some(Change *change, const TableDef *table, uint8_t slot, bool with_new) {
    Client *client = change->client;
    buffer_clear(&client->keys);
    TRY(rows_read(change->txn, table, &client->keys, &change->err));
    size_t count = client->keys.len / sizeof(RowKey);
    RowKey *keys = (RowKey *)(void *)client->keys.data;
    RowRef refs[ROWS_MAX];
    uint32_t ended = 0;
    uint64_t sum = 0;
    size_t step = 1 + (size_t)random_below(&client->random, 40);
    for (size_t i = (size_t)random_below(&client->random, step); i < count && ended < ROWS_MAX; i += step) {
        refs[ended++] = keys[i].ref;
        sum += ident_hash(keys[i].ident);
    }
    if (ended == 0) {
        return ERR_OK;
    }
    Storage *storage = txn_storage(change->txn);
    TRY(storage->end_rows(storage, table->id, refs, ended, &change->err));
    model_effect(client->run->model, change->index, slot, EFFECT_ROWS, -(int64_t)ended, -sum);
    return with_new ? append(change, table, slot, ended, false) : ERR_OK;
}

static ErrorCode create_table(Change *change, uint8_t slot) {
    TRY(table_make(change->txn, slot, DURABILITY_UNSET, &change->err));
    model_effect(change->client->run->model, change->index, slot, EFFECT_CREATE, 0, 0);
    return ERR_OK;
}

static ErrorCode change_column(Change *change, const TableDef *table, uint8_t slot) {
    Client *client = change->client;
    char name[32];
    uint64_t number = 1 + random_below(&client->random, 1000000);
    Str text = {name, (size_t)snprintf(name, sizeof name, "x%llu", (unsigned long long)number)};
    const TableDef *after = NULL;
    if (table->column_count <= 5) {
        ColumnDef column = {.name = text, .type = type_of(TYPE_INT8), .missing_is_null = true};
        TRY(txn_column_add(change->txn, table, &column, &after, &change->err));
    } else if (chance(client, 2)) {
        if (str_equal(table->columns[5].name, text)) {
            return ERR_OK;
        }
        TRY(txn_column_rename(change->txn, table, table->columns[5].name, text, &after, &change->err));
    } else {
        TRY(txn_column_drop(change->txn, table, table->columns[5].name, &after, &change->err));
        number = 0;
    }
    model_effect(client->run->model, change->index, slot, EFFECT_COLUMN, 0, number);
    return ERR_OK;
}

static ErrorCode change_structure(Change *change, const TableDef *table, uint8_t slot) {
    Client *client = change->client;
    Model *model = client->run->model;
    switch (random_below(&client->random, 4)) {
    case 0:
        TRY(txn_table_drop(change->txn, table, &change->err));
        model_effect(model, change->index, slot, EFFECT_DROP, 0, 0);
        return ERR_OK;
    case 1:
        TRY(txn_table_truncate(change->txn, table, &change->err));
        model_effect(model, change->index, slot, EFFECT_TRUNCATE, 0, 0);
        return ERR_OK;
    default:
        return change_column(change, table, slot);
    }
}

static ErrorCode one_operation(Change *change) {
    Client *client = change->client;
    uint8_t slot = chance(client, 3) ? (uint8_t)MODEL_SHARED : own_slot(client);
    const TableDef *table = NULL;
    TRY(table_find(change->txn, slot, &table, &change->err));
    if (table == NULL) {
        return create_table(change, slot);
    }
    uint64_t choice = random_below(&client->random, 40);
    if (choice < 22) {
        return append(change, table, slot, 1 + (uint32_t)random_below(&client->random, ROWS_MAX), false);
    }
    if (choice < 23) {
        return append(change, table, slot, WIDE_ROWS, true);
    }
    if (choice < 35 || slot == MODEL_SHARED) {
        return end_some(change, table, slot, chance(client, 2));
    }
    return change_structure(change, table, slot);
}

/* An operation, perhaps inside a savepoint that is rolled back. */
static ErrorCode one_step(Change *change) {
    Client *client = change->client;
    Model *model = client->run->model;
    bool undone = chance(client, 6);
    TxnMark mark = txn_mark(change->txn);
    uint32_t effects = model->items[change->index].effect_count;
    txn_statement_begin(change->txn);
    TRY(one_operation(change));
    if (undone) {
        txn_rollback_to(change->txn, mark);
        model_forget_effects(model, change->index, effects);
    }
    return ERR_OK;
}

static ErrorCode create_sequence(Change *change) {
    Buffer bytes;
    uint32_t id = 0;
    SequenceBody body = {.type = TYPE_INT8, .start = 1, .increment = 1, .minimum = 1, .maximum = INT64_MAX, .cache = 1, .restart = 1};
    body.state_id = txn_object_new_id(change->txn);
    buffer_init(&bytes, 4096);
    sequence_body_encode(&body, &bytes);
    CatalogObject def = {.kind = OBJECT_SEQUENCE, .schema_id = SCHEMA_PUBLIC_ID, .name = STR("sequence"), .body = buffer_bytes(&bytes)};
    ErrorCode code = txn_object_create(change->txn, &def, &id, &change->err);
    buffer_deinit(&bytes);
    return code;
}

/* Some values of the one sequence; they grow. */
static ErrorCode take_values(Change *change) {
    CatalogView *view = txn_catalog(change->txn);
    const CatalogObject *sequence = view->object_find(view, OBJECT_SEQUENCE, SCHEMA_PUBLIC_ID, STR("sequence"));
    uint64_t count = sequence == NULL || !chance(change->client, 3) ? 0 : 1 + random_below(&change->client->random, 20);
    for (uint64_t i = 0; i < count; i++) {
        int64_t value = 0;
        TRY(txn_sequence_next(change->txn, sequence->id, &value, &change->err));
        if (value <= change->value) {
            sim_failed("the sequence gave %lld after %lld", (long long)value, (long long)change->value);
        }
        change->value = value;
    }
    return ERR_OK;
}

static ErrorCode write_journal(Change *change) {
    Model *model = change->client->run->model;
    const TableDef *table = NULL;
    uint64_t number = model->items[change->index].number;
    if (change->index == 0) {
        TRY(create_table(change, MODEL_JOURNAL));
        TRY(create_table(change, MODEL_SHARED));
        TRY(create_sequence(change));
    }
    TRY(table_find(change->txn, MODEL_JOURNAL, &table, &change->err));
    TRY(rows_append(change->txn, table, number, 1, false, &change->err));
    model_effect(model, change->index, MODEL_JOURNAL, EFFECT_ROWS, 1, ident_hash(number));
    return ERR_OK;
}

static void finish(Change *change, ErrorCode code, Lsn lsn, bool durable) {
    Run *run = change->client->run;
    switch (code) {
    case ERR_OK:
        model_finish(run->model, change->index, OUTCOME_ACKED, lsn, durable);
        run->model->sequence_max = durable ? MAX_OF(run->model->sequence_max, change->value) : run->model->sequence_max;
        return;
    case ERR_UNKNOWN_OUTCOME:
        run->dead = true;
        model_finish(run->model, change->index, OUTCOME_UNKNOWN, 0, false);
        return;
    case ERR_IO:
    case ERR_SYNC_FAILED:
        run->dead = true;
        break;
    case ERR_SERIALIZATION:
    case ERR_DISK_FULL:
    case ERR_OBJECT_IN_USE:
    case ERR_LOCK_NOT_AVAILABLE:
    case ERR_LIMIT_EXCEEDED:
        break;
    default:
        sim_failed("a transaction failed: %s: %s", error_name(code), change->err.message);
    }
    model_finish(run->model, change->index, OUTCOME_FAILED, 0, false);
}

static void one_transaction(Client *client) {
    Run *run = client->run;
    static const uint8_t DURABILITIES[] = {DURABILITY_UNSET, DURABILITY_COMMIT, DURABILITY_OFF, DURABILITY_INTERVAL, DURABILITY_COMMIT};
    TxnOptions options = {.isolation = chance(client, 2) ? ISOLATION_READ_COMMITTED : ISOLATION_REPEATABLE_READ,
                          .durability = DURABILITIES[random_below(&client->random, COUNT_OF(DURABILITIES))]};
    Change change = {.client = client, .index = model_begin(run->model)};
    ErrorCode code = engine_begin(run->engine, &options, &change.txn, &change.err);
    if (code != ERR_OK) {
        finish(&change, code, 0, false);
        return;
    }
    txn_statement_begin(change.txn);
    code = write_journal(&change);
    code = code == ERR_OK ? take_values(&change) : code;
    int operations = (int)random_below(&client->random, OPERATIONS_MAX + 1);
    for (int i = 0; i < operations && code == ERR_OK; i++) {
        code = one_step(&change);
    }
    if (code != ERR_OK || (change.index != 0 && chance(client, 12))) {
        txn_rollback(change.txn);
        finish(&change, code == ERR_OK ? ERR_SERIALIZATION : code, 0, false);
        return;
    }
    Lsn lsn = 0;
    code = txn_commit(change.txn, &lsn, &change.err);
    finish(&change, code, lsn, options.durability == DURABILITY_UNSET || options.durability == DURABILITY_COMMIT);
}

static void client_main(void *argument) {
    Client *client = argument;
    while (client->run->transactions_left > 0 && !client->run->dead) {
        client->run->transactions_left--;
        one_transaction(client);
    }
    client->run->clients_running--;
}

static void client_init(Client *client, Run *run, int number, uint64_t seed) {
    *client = (Client){.run = run, .number = number, .next_ident = (uint64_t)(number + 1) << 40};
    random_init(&client->random, seed + (uint64_t)number);
    buffer_init(&client->keys, SIZE_MAX);
}

static void check_maintenance(Run *run, ErrorCode code, const Error *err) {
    bool known = code == ERR_OK || code == ERR_NOT_SUPPORTED || code == ERR_DISK_FULL || code == ERR_SERIALIZATION || code == ERR_OBJECT_IN_USE;
    bool failed_disk = code == ERR_IO || code == ERR_SYNC_FAILED || code == ERR_UNKNOWN_OUTCOME;
    if (!known && !(run->faults && failed_disk)) {
        sim_failed("maintenance failed: %s: %s", error_name(code), err->message);
    }
}

static void flush_some_table(Run *run) {
    Txn *txn = NULL;
    Error err;
    if (engine_begin(run->engine, NULL, &txn, &err) != ERR_OK) {
        return;
    }
    const TableDef *table = NULL;
    txn_statement_begin(txn);
    ErrorCode code = table_find(txn, (uint8_t)random_below(&run->random, MODEL_SLOTS), &table, &err);
    uint32_t id = table == NULL ? 0 : table->id;
    txn_rollback(txn);
    if (code == ERR_OK && table != NULL) {
        code = engine_flush_table(run->engine, id, &err);
        check_maintenance(run, code == ERR_UNDEFINED_TABLE ? ERR_OK : code, &err);
    }
}

/* While clients work: checkpoints, flushes, merges, pauses. */
static void maintain(Run *run) {
    Error err;
    while (run->clients_running > 0) {
        uint64_t choice = random_below(&run->random, 12);
        if (choice == 0) {
            check_maintenance(run, engine_checkpoint(run->engine, &err), &err);
        } else if (choice <= 2) {
            flush_some_table(run);
        } else if (choice <= 4) {
            check_maintenance(run, engine_run_jobs(run->engine, &err), &err);
        }
        for (uint64_t pause = random_below(&run->random, 12); pause > 0 && run->clients_running > 0; pause--) {
            run->os.sched->yield(run->os.sched);
        }
    }
}

typedef struct Arguments {
    SimWorld *world;
    const WorkloadOptions *options;
    Model *model;
} Arguments;

static void run_main(void *argument) {
    Arguments *arguments = argument;
    Run run = {.os = sim_world_os(arguments->world), .model = arguments->model, .transactions_left = arguments->options->transactions};
    run.faults = arguments->options->faults;
    random_init(&run.random, arguments->options->seed * 3 + 1);
    EngineOptions options = {.checkpoint_interval_ms = -1, .no_background = random_chance(&run.random, 2, 3)};
    int clients = (int)random_between(&run.random, 1, 3);
    options.embedded = random_chance(&run.random, 1, 3);
    options.block_rows = BLOCK_ROWS_CHOICES[random_below(&run.random, COUNT_OF(BLOCK_ROWS_CHOICES))];
    Error err;
    ErrorCode code = engine_open(run.os, &options, &run.engine, &err);
    if (code != ERR_OK && run.faults) {
        return;
    }
    if (code != ERR_OK) {
        sim_failed("the engine does not open: %s: %s", error_name(code), err.message);
    }
    static Client room[MODEL_CLIENTS_MAX];
    Task *tasks[MODEL_CLIENTS_MAX];
    for (int i = 0; i < clients; i++) {
        client_init(&room[i], &run, i, arguments->options->seed * 1000);
    }
    one_transaction(&room[0]); /* the first makes the journal */
    run.clients_running = clients;
    for (int i = 0; i < clients; i++) {
        (void)!run.os.sched->task_start(run.os.sched, "client", client_main, &room[i], false, &tasks[i], NULL);
    }
    maintain(&run);
    for (int i = 0; i < clients; i++) {
        run.os.sched->task_join(run.os.sched, tasks[i]);
        buffer_deinit(&room[i].keys);
    }
    engine_close(run.engine);
}

void workload_run(SimDisk *disk, const WorkloadOptions *options, Model *model) {
    static const uint32_t CHANCES[] = {0, 2, 4, 2};
    SimWorld *world = sim_world_create(disk, &(SimOptions){.seed = options->seed, .switch_one_in = CHANCES[options->seed % COUNT_OF(CHANCES)]});
    Arguments arguments = {world, options, model};
    sim_world_run(world, run_main, &arguments);
    sim_world_destroy(world);
}
