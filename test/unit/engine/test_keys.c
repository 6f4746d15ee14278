/* SPDX-License-Identifier: Apache-2.0
 * test_keys.c - random histories of a table with a primary key and an index against a model: which statements fail, what look-ups find;
 * flushes, merges, crashes between; writers that race for keys. The threads part is meant for the thread sanitizer too. */
#include "engine_support.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { KEYS = 400, STEPS = 900, RACERS = 3, RACE_KEYS = 300, RACE_ROUNDS = 400 };

/* ---- the table: k primary key, v indexed and NULL now and then ---- */

typedef struct KeyRow { int64_t k, v; RowRef ref; } KeyRow; /* v < 0: NULL */

static const TableDef *keyed_make(Txn *txn) {
    ColumnDef columns[2] = {{.name = STR("k"), .type = type_of(TYPE_INT8), .not_null = true, .missing_is_null = true},
                            {.name = STR("v"), .type = type_of(TYPE_INT4), .missing_is_null = true}};
    TableSpec spec = {.name = STR("t"), .columns = columns, .column_count = 2, .designated = -1};
    const TableDef *table = NULL;
    uint16_t key = 0;
    uint32_t index_id = 0;
    int32_t places[2] = {1, 0};
    IndexKeyDef keys[2] = {{.descending = true}, {0}};
    ConstraintSpec primary = {.def = {.kind = CONSTRAINT_PRIMARY_KEY, .validated = true}, .columns = &key, .column_count = 1};
    IndexSpec index = {.def = {.name = STR("t_v"), .method = STR("btree"), .keys = keys, .key_count = 2}, .key_columns = places, .predicate_computed = -1};
    GOOD(txn_table_create(txn, &spec, &table, &world_err));
    GOOD(txn_constraint_add(txn, table, &primary, &table, &world_err));
    GOOD(txn_index_create(txn, table, &index, &table, &index_id, &world_err));
    assert_true(str_equal(table->indexes[0].name, STR("t_pkey")));
    return table;
}

static ErrorCode put(Txn *txn, const TableDef *table, const KeyRow *rows, uint32_t count, Error *err) {
    ColumnBuilder builders[2];
    ColumnBlock blocks[2];
    for (int i = 0; i < 2; i++) {
        column_builder_init(&builders[i], table->columns[i].type);
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t v = (int32_t)rows[i].v;
        column_builder_value(&builders[0], &rows[i].k);
        if (v < 0) {
            column_builder_null(&builders[1]);
        } else {
            column_builder_value(&builders[1], &v);
        }
    }
    for (int i = 0; i < 2; i++) {
        blocks[i] = column_builder_block(&builders[i]);
    }
    ErrorCode code = txn_storage(txn)->append(txn_storage(txn), table->id, blocks, 2, err);
    for (int i = 0; i < 2; i++) {
        column_builder_deinit(&builders[i]);
    }
    return code;
}

/* Rows of an index stretch, or of the whole table. */
static KeyRow *look(Txn *txn, const TableDef *table, const IndexRequest *index, uint32_t *count_out) {
    static const uint16_t NUMBERS[2] = {0, 1};
    ScanRequest request = {.columns = NUMBERS, .column_count = 2, .want_refs = true, .index = index};
    RowSource *source = NULL;
    Scan *scan = NULL;
    ScanCursor *cursor = NULL;
    Arena arena;
    KeyRow *rows = NULL;
    uint32_t count = 0;
    Morsel morsel;
    arena_init(&arena, 1 << 26);
    GOOD(txn_storage(txn)->source(txn_storage(txn), table->id, &source, &world_err));
    ErrorCode code = source->vtable->open(source, &request, &scan, &world_err);
    *count_out = 0;
    if (code != ERR_OK && world_soft) { /* the disk has gone */
        arena_deinit(&arena);
        return NULL;
    }
    GOOD(code);
    GOOD(source->vtable->cursor_open(scan, &cursor, &world_err));
    while (source->vtable->next_morsel(scan, &morsel)) {
        source->vtable->cursor_start(cursor, &morsel);
        for (Batch batch;;) {
            code = source->vtable->read(cursor, &batch, &world_err);
            if (code == ERR_OK && batch.row_count > 0 && world_soft) {
                code = vector_dense(&batch.columns[0], &arena, &world_err);
                code = code == ERR_OK ? vector_dense(&batch.columns[1], &arena, &world_err) : code;
            }
            if (batch.row_count == 0 || (code != ERR_OK && world_soft)) {
                break;
            }
            GOOD(code);
            for (uint16_t c = 0; c < 2; c++) {
                GOOD(vector_dense(&batch.columns[c], &arena, &world_err));
            }
            rows = mem_realloc(rows, sizeof *rows * (count + batch.row_count));
            for (uint16_t i = 0; i < batch.row_count; i++) {
                if (batch.live == NULL || bit_get(batch.live, i)) {
                    bool null = vector_is_null(&batch.columns[1], i);
                    rows[count++] = (KeyRow){*(const int64_t *)vector_value(&batch.columns[0], i),
                                             null ? -1 : *(const int32_t *)vector_value(&batch.columns[1], i), batch.refs[i]};
                }
            }
        }
    }
    source->vtable->cursor_close(cursor);
    source->vtable->close(scan);
    arena_deinit(&arena);
    *count_out = count;
    return rows;
}

static bool find(Txn *txn, const TableDef *table, int64_t k, KeyRow *row_out) {
    const void *equal[1] = {&k};
    IndexProbe probe = {.equal = equal, .equal_count = 1};
    IndexRequest request = {.index_id = table->indexes[0].id, .probes = &probe, .probe_count = 1};
    uint32_t count = 0;
    KeyRow *rows = look(txn, table, &request, &count);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) { /* storage may give more: look at the key, as a filter would */
        if (rows[i].k == k) {
            assert_false(found);
            found = true;
            *row_out = rows[i];
        }
    }
    mem_free(rows);
    return found;
}

/* ---- the model ---- */

typedef struct KeyModel { bool there[KEYS]; int64_t v[KEYS]; } KeyModel;
typedef struct History { World world; KeyModel model; Random random; int64_t next_v; } History;

static uint64_t below(History *h, uint64_t bound) { return random_below(&h->random, bound); }

static void check_point(Txn *txn, const KeyModel *model, int64_t k) {
    KeyRow row;
    assert_int_equal(find(txn, table_get(txn, "t"), k, &row), model->there[k]);
    assert_true(!model->there[k] || row.v == model->v[k]);
}

/* All rows in the order of (v DESC, k): with NULLs last, as the index was made. */
static int by_v(const void *a_, const void *b_) {
    const KeyRow *a = a_, *b = b_;
    if (a->v != b->v) {
        return a->v > b->v ? -1 : 1;
    }
    return (a->k > b->k) - (a->k < b->k);
}

static void check_order(Txn *txn, const KeyModel *model, bool backwards) {
    const TableDef *table = table_get(txn, "t");
    KeyRow want[KEYS];
    uint32_t want_count = 0, count = 0;
    for (int64_t k = 0; k < KEYS; k++) {
        if (model->there[k]) {
            want[want_count++] = (KeyRow){.k = k, .v = model->v[k]};
        }
    }
    qsort(want, want_count, sizeof *want, by_v);
    IndexProbe all = {0};
    IndexRequest request = {.index_id = table->indexes[1].id, .probes = &all, .probe_count = 1, .ordered = true, .descending = backwards};
    KeyRow *rows = look(txn, table, &request, &count);
    assert_int_equal(count, want_count);
    for (uint32_t i = 0; i < count; i++) {
        const KeyRow *row = &rows[backwards ? count - 1 - i : i];
        assert_int_equal(row->k, want[i].k);
        assert_int_equal(row->v, want[i].v);
    }
    mem_free(rows);
}

static void check_all(History *h) {
    Txn *txn = begin(&h->world);
    for (int64_t k = 0; k < KEYS; k++) {
        check_point(txn, &h->model, k);
    }
    check_order(txn, &h->model, false);
    check_order(txn, &h->model, true);
    uint32_t count = 0, want = 0;
    KeyRow *rows = look(txn, table_get(txn, "t"), NULL, &count);
    for (int64_t k = 0; k < KEYS; k++) {
        want += h->model.there[k];
    }
    assert_int_equal(count, want);
    mem_free(rows);
    txn_rollback(txn);
}

/* ---- statements ---- */

static void insert_statement(History *h, Txn *txn, KeyModel *model) {
    KeyRow rows[8];
    uint32_t count = 1 + (uint32_t)below(h, 8);
    bool clash = false;
    KeyModel after = *model;
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = (KeyRow){.k = (int64_t)below(h, KEYS), .v = below(h, 10) == 0 ? -1 : h->next_v++ % 50};
        clash = clash || after.there[rows[i].k];
        after.there[rows[i].k] = true;
        after.v[rows[i].k] = rows[i].v;
    }
    TxnMark mark = txn_mark(txn);
    ErrorCode code = put(txn, table_get(txn, "t"), rows, count, &world_err);
    assert_int_equal(code, clash ? ERR_UNIQUE_VIOLATION : ERR_OK);
    if (clash) {
        assert_non_null(error_field(&world_err, 'D'));
        txn_rollback_to(txn, mark);
    } else {
        *model = after;
    }
}

static void end_statement(History *h, Txn *txn, KeyModel *model, bool update) {
    const TableDef *table = table_get(txn, "t");
    for (uint32_t i = 0; i < 4; i++) {
        KeyRow row;
        int64_t k = (int64_t)below(h, KEYS);
        if (!find(txn, table, k, &row) || !model->there[k]) {
            continue;
        }
        GOOD(txn_storage(txn)->end_rows(txn_storage(txn), table->id, &row.ref, 1, &world_err));
        model->there[k] = false;
        int64_t to = below(h, 3) == 0 ? (int64_t)below(h, KEYS) : k;
        if (update && !model->there[to]) {
            row = (KeyRow){.k = to, .v = h->next_v++ % 50};
            GOOD(put(txn, table, &row, 1, &world_err));
            model->there[to] = true;
            model->v[to] = row.v;
        }
        txn_statement_begin(txn);
    }
}

static void run_transaction(History *h) {
    KeyModel model = h->model, saved;
    Txn *txn = begin(&h->world);
    for (uint64_t s = 1 + below(h, 4); s > 0; s--) {
        TxnMark mark = txn_mark(txn);
        saved = model;
        uint64_t what = below(h, 10);
        if (what < 6) {
            insert_statement(h, txn, &model);
        } else {
            end_statement(h, txn, &model, what < 8);
        }
        if (below(h, 5) == 0) {
            txn_rollback_to(txn, mark);
            model = saved;
        }
        txn_statement_begin(txn);
        check_point(txn, &model, (int64_t)below(h, KEYS));
    }
    if (below(h, 6) == 0) {
        txn_rollback(txn);
        return;
    }
    commit(txn);
    h->model = model;
}

/* A key that another transaction has written or ended is nobody's until that one ends. */
static void run_two(History *h) {
    int64_t k = (int64_t)below(h, KEYS);
    KeyRow row = {.k = k, .v = 1}, old;
    Txn *a = begin(&h->world), *b = begin(&h->world);
    const TableDef *table = table_get(a, "t");
    if (h->model.there[k]) {
        assert_true(find(a, table, k, &old));
        GOOD(txn_storage(a)->end_rows(txn_storage(a), table->id, &old.ref, 1, &world_err));
    } else {
        GOOD(put(a, table, &row, 1, &world_err));
    }
    assert_int_equal(put(b, table_get(b, "t"), &row, 1, &world_err), ERR_SERIALIZATION);
    txn_rollback(b);
    if (below(h, 2) == 0) {
        txn_rollback(a);
    } else {
        commit(a);
        h->model.there[k] = !h->model.there[k];
        h->model.v[k] = 1;
    }
}

static void engine_step(History *h) {
    Txn *txn = begin(&h->world);
    uint32_t id = table_get(txn, "t")->id;
    txn_rollback(txn);
    switch (below(h, 6)) {
    case 0: GOOD(engine_run_jobs(h->world.engine, &world_err)); break;
    case 1: GOOD(engine_checkpoint(h->world.engine, &world_err)); break;
    case 2:
    case 3: GOOD(engine_flush_table(h->world.engine, id, &world_err)); break;
    case 4: world_crash(&h->world, MEM_CRASH_NOTHING, below(h, 1000)); break;
    default: world_reopen(&h->world); break;
    }
    check_all(h);
}

static void run_history(uint64_t seed) {
    History *h = mem_calloc(1, sizeof *h);
    world_init(&h->world);
    random_init(&h->random, seed);
    Txn *txn = begin(&h->world);
    (void)keyed_make(txn);
    commit(txn);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t what = below(h, 40);
        if (what < 36) {
            run_transaction(h);
        } else if (what < 38) {
            run_two(h);
        } else {
            engine_step(h);
        }
    }
    check_all(h);
    Buffer report;
    buffer_init(&report, 1 << 20);
    GOOD(engine_check(h->world.engine, &report, &world_err));
    buffer_deinit(&report);
    world_deinit(&h->world);
    mem_free(h);
}

static void random_histories_equal_the_model(void **state) {
    (void)state;
    const char *text = getenv("HISTORY_SEED");
    uint64_t first = text != NULL ? (uint64_t)atoll(text) : 1;
    uint64_t count = text != NULL ? 1 : 4;
    for (uint64_t seed = first; seed < first + count; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        run_history(seed);
    }
}

/* A row that changes ten thousand times does not make its key dear: ended entries go as they are met. */
static void hot_rows_stay_cheap(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *txn = begin(&world);
    const TableDef *table = keyed_make(txn);
    KeyRow row = {.k = 7, .v = 0};
    GOOD(put(txn, table, &row, 1, &world_err));
    commit(txn);
    for (int i = 1; i <= 10000; i++) {
        txn = begin(&world);
        table = table_get(txn, "t");
        assert_true(find(txn, table, 7, &row));
        GOOD(txn_storage(txn)->end_rows(txn_storage(txn), table->id, &row.ref, 1, &world_err));
        row.v = i % 100;
        GOOD(put(txn, table, &row, 1, &world_err));
        commit(txn);
    }
    txn = begin(&world);
    assert_true(find(txn, table_get(txn, "t"), 7, &row));
    txn_rollback(txn);
    world_deinit(&world);
}

/* ---- power cuts ---- */

enum { CUT_TXNS = 12, CUT_ROWS = 30 };

/* Transaction i takes its keys, gives back half of those of the one before, and changes the other half. */
static ErrorCode cut_txn(World *world, int i) {
    Error err;
    Txn *txn = NULL;
    ErrorCode code = engine_begin(world->engine, NULL, &txn, &err);
    if (code != ERR_OK) {
        return code;
    }
    txn_statement_begin(txn);
    const TableDef *table = table_get(txn, "t");
    KeyRow rows[CUT_ROWS], old;
    for (int n = 0; n < CUT_ROWS; n++) {
        rows[n] = (KeyRow){.k = (int64_t)i * CUT_ROWS + (n * 7) % CUT_ROWS, .v = n % 5 == 0 ? -1 : n};
    }
    code = put(txn, table, rows, CUT_ROWS, &err);
    world_soft = true;
    for (int n = 0; n < 6 && code == ERR_OK && i > 0; n++) {
        int64_t k = (int64_t)(i - 1) * CUT_ROWS + n;
        if (!find(txn, table, k, &old)) {
            continue;
        }
        code = txn_storage(txn)->end_rows(txn_storage(txn), table->id, &old.ref, 1, &err);
        old.v = 90 + n;
        code = code == ERR_OK && n % 2 == 0 ? put(txn, table, &old, 1, &err) : code;
    }
    world_soft = false;
    if (code != ERR_OK) {
        txn_rollback(txn);
        return code;
    }
    return txn_commit(txn, NULL, &err);
}

static void cut_run(World *world) {
    for (int i = 0; i < CUT_TXNS; i++) {
        ErrorCode code = cut_txn(world, i);
        if (code == ERR_OK && i % 3 == 2) {
            Txn *txn = NULL;
            code = engine_begin(world->engine, NULL, &txn, NULL);
            if (code == ERR_OK) {
                uint32_t id = table_get(txn, "t")->id;
                txn_rollback(txn);
                code = engine_flush_table(world->engine, id, NULL);
            }
        }
        code = code == ERR_OK && i % 5 == 4 ? engine_checkpoint(world->engine, NULL) : code;
        if (code != ERR_OK) {
            return;
        }
    }
}

/* Whatever is left: each row is found by its key, once, and its key is taken. */
static void cut_check(World *world) {
    uint32_t count = 0;
    Txn *txn = begin(world);
    const TableDef *table = table_get(txn, "t");
    KeyRow *rows = look(txn, table, NULL, &count), row;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(find(txn, table, rows[i].k, &row));
        assert_int_equal(row.v, rows[i].v);
        for (uint32_t n = 0; n < i; n++) {
            assert_true(rows[n].k != rows[i].k);
        }
    }
    for (uint32_t i = 0; i < count; i += 13) {
        TxnMark mark = txn_mark(txn);
        assert_int_equal(put(txn, table, &rows[i], 1, &world_err), ERR_UNIQUE_VIOLATION);
        txn_rollback_to(txn, mark);
        table = table_get(txn, "t");
    }
    mem_free(rows);
    txn_rollback(txn);
    Buffer report;
    buffer_init(&report, 1 << 20);
    GOOD(engine_check(world->engine, &report, &world_err));
    buffer_deinit(&report);
}

static void power_cuts_leave_indexes_true(void **state) {
    (void)state;
    uint64_t calls = 0;
    for (uint64_t call = 0; call == 0 || call < calls; call += 5) {
        World world;
        world_init(&world);
        Txn *txn = begin(&world);
        (void)keyed_make(txn);
        commit(txn);
        uint64_t before = mem_io_calls(world.mem);
        if (call > 0) {
            mem_io_crash_at(world.mem, before + call);
        }
        cut_run(&world);
        calls = call == 0 ? mem_io_calls(world.mem) - before : calls;
        world_crash(&world, call % 2 == 0 ? MEM_CRASH_RANDOM : MEM_CRASH_NOTHING, call + 1);
        cut_check(&world);
        GOOD(engine_run_jobs(world.engine, &world_err));
        world_reopen(&world);
        cut_check(&world);
        world_deinit(&world);
    }
}

/* ---- races ---- */

typedef struct Race { Engine *engine; _Atomic uint64_t stored, refused, retried; } Race;
typedef struct Racer { Race *race; pthread_t thread; uint64_t seed; } Racer;

static void *race_main(void *argument) {
    Racer *racer = argument;
    Random random;
    random_init(&random, racer->seed);
    for (int round = 0; round < RACE_ROUNDS; round++) {
        Error err;
        Txn *txn = NULL;
        assert_int_equal(engine_begin(racer->race->engine, &(TxnOptions){.durability = DURABILITY_OFF}, &txn, &err), ERR_OK);
        txn_statement_begin(txn);
        KeyRow rows[3];
        for (int i = 0; i < 3; i++) {
            rows[i] = (KeyRow){.k = (int64_t)random_below(&random, RACE_KEYS / 3) * 3 + i, .v = round};
        }
        ErrorCode code = put(txn, table_get(txn, "t"), rows, 3, &err);
        if (code == ERR_OK) {
            assert_int_equal(txn_commit(txn, NULL, &err), ERR_OK);
            atomic_fetch_add(&racer->race->stored, 3);
            continue;
        }
        assert_true(code == ERR_UNIQUE_VIOLATION || code == ERR_SERIALIZATION);
        atomic_fetch_add(code == ERR_SERIALIZATION ? &racer->race->retried : &racer->race->refused, 1);
        txn_rollback(txn);
    }
    return NULL;
}

static void racing_writers_never_share_a_key(void **state) {
    (void)state;
    char folder[] = "/tmp/basalt_keys_XXXXXX";
    Race race = {0};
    Racer racers[RACERS];
    Os os;
    assert_non_null(mkdtemp(folder));
    GOOD(os_linux_open(folder, true, &os, &world_err));
    GOOD(engine_open(os, &(EngineOptions){.durability = DURABILITY_OFF}, &race.engine, &world_err));
    Txn *txn = NULL;
    GOOD(engine_begin(race.engine, NULL, &txn, &world_err));
    txn_statement_begin(txn);
    (void)keyed_make(txn);
    GOOD(txn_commit(txn, NULL, &world_err));
    for (uint64_t i = 0; i < RACERS; i++) {
        racers[i] = (Racer){.race = &race, .seed = i + 1};
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race_main, &racers[i]), 0);
    }
    for (int i = 0; i < 20; i++) {
        Txn *reader = NULL;
        GOOD(engine_begin(race.engine, NULL, &reader, &world_err));
        txn_statement_begin(reader);
        uint32_t id = table_get(reader, "t")->id;
        txn_rollback(reader);
        GOOD(engine_flush_table(race.engine, id, &world_err));
        usleep(2000);
    }
    for (int i = 0; i < RACERS; i++) {
        pthread_join(racers[i].thread, NULL);
    }
    static int seen[RACE_KEYS];
    uint32_t count = 0;
    GOOD(engine_begin(race.engine, NULL, &txn, &world_err));
    txn_statement_begin(txn);
    KeyRow *rows = look(txn, table_get(txn, "t"), NULL, &count);
    assert_int_equal(count, atomic_load(&race.stored));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(seen[rows[i].k]++, 0);
    }
    mem_free(rows);
    txn_rollback(txn);
    engine_close(race.engine);
    os_linux_close(&os);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_histories_equal_the_model), cmocka_unit_test(hot_rows_stay_cheap),
                                       cmocka_unit_test(power_cuts_leave_indexes_true),
                                       cmocka_unit_test(racing_writers_never_share_a_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
