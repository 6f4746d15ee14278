/* SPDX-License-Identifier: Apache-2.0
 * test_sequence.c - sequences give no value twice, whatever rolls back, restarts or crashes; other objects come back as they were. */
#include "catalog/bodies.h"
#include "engine_support.h"

static Bytes sequence_bytes(const SequenceBody *body, Buffer *out) {
    buffer_init(out, 4096);
    sequence_body_encode(body, out);
    return buffer_bytes(out);
}

static uint32_t make_sequence(World *world, const char *name, SequenceBody body) {
    Txn *txn = begin(world);
    uint32_t id = 0;
    Buffer out;
    body.state_id = txn_object_new_id(txn);
    CatalogObject def = {.kind = OBJECT_SEQUENCE, .schema_id = SCHEMA_PUBLIC_ID, .name = str_from_c(name), .body = sequence_bytes(&body, &out)};
    GOOD(txn_object_create(txn, &def, &id, &world_err));
    buffer_deinit(&out);
    commit(txn);
    return id;
}

static const SequenceBody PLAIN = {.type = TYPE_INT8, .start = 1, .increment = 1, .minimum = 1, .maximum = INT64_MAX, .cache = 1, .restart = 1};

static int64_t next_value(World *world, uint32_t id) {
    int64_t value = 0;
    Txn *txn = begin(world);
    GOOD(txn_sequence_next(txn, id, &value, &world_err));
    commit(txn);
    return value;
}

static void values_outlive_rollback_and_restart(void **state) {
    (void)state;
    World world;
    world_init(&world);
    uint32_t id = make_sequence(&world, "s", PLAIN);
    assert_int_equal(next_value(&world, id), 1);
    Txn *txn = begin(&world);
    int64_t value = 0;
    GOOD(txn_sequence_next(txn, id, &value, &world_err));
    assert_int_equal(value, 2);
    txn_rollback(txn);
    assert_int_equal(next_value(&world, id), 3);
    world_reopen(&world); /* a clean close leaves no gap */
    assert_int_equal(next_value(&world, id), 4);
    txn = begin(&world);
    GOOD(txn_sequence_set(txn, id, 100, false, &world_err));
    txn_rollback(txn);
    assert_int_equal(next_value(&world, id), 100);
    world_deinit(&world);
}

static void no_value_comes_twice_after_a_crash(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        World world;
        world_init(&world);
        uint32_t id = make_sequence(&world, "s", PLAIN);
        int64_t last = 0;
        for (uint64_t i = 0; i < 1 + seed * 7 % 90; i++) {
            int64_t value = next_value(&world, id);
            assert_true(value > last);
            last = value;
            if ((i + seed) % 11 == 0) {
                GOOD(engine_checkpoint(world.engine, &world_err));
            }
        }
        world_crash(&world, seed % 2 == 0 ? MEM_CRASH_KILL : MEM_CRASH_RANDOM, seed);
        int64_t after = next_value(&world, id);
        assert_true(after > last);
        assert_true(after <= last + 33);
        world_deinit(&world);
    }
}

static void limits_and_cycles(void **state) {
    (void)state;
    World world;
    world_init(&world);
    SequenceBody down = {.type = TYPE_INT2, .start = 3, .increment = -2, .minimum = 1, .maximum = 4, .cache = 1, .restart = 3};
    uint32_t id = make_sequence(&world, "down", down);
    assert_int_equal(next_value(&world, id), 3);
    assert_int_equal(next_value(&world, id), 1);
    Txn *txn = begin(&world);
    int64_t value = 0;
    Error err = {0};
    assert_int_equal(txn_sequence_next(txn, id, &value, &err), ERR_SEQUENCE_LIMIT);
    assert_string_equal(err.message, "nextval: reached minimum value of sequence \"down\" (1)");
    assert_int_equal(txn_sequence_set(txn, id, 5, true, &err), ERR_OUT_OF_RANGE);
    txn_rollback(txn);
    down.cycle = true;
    id = make_sequence(&world, "round", down);
    int64_t want[] = {3, 1, 4, 2, 4, 2};
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_int_equal(next_value(&world, id), want[i]);
    }
    world_deinit(&world);
}

static void objects_come_back(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *txn = begin(&world);
    uint32_t role = 0;
    uint32_t comment = 0;
    RoleBody body = {.login = true, .connection_limit = 3, .password = STR("SCRAM-SHA-256$4096:c2FsdA==$YQ==:Yg==")};
    Buffer bytes;
    buffer_init(&bytes, 4096);
    role_body_encode(&body, &bytes);
    GOOD(txn_object_create(txn, &(CatalogObject){.kind = OBJECT_ROLE, .name = STR("bob"), .body = buffer_bytes(&bytes)}, &role, &world_err));
    buffer_deinit(&bytes);
    ObjectNeed need = {role, 0};
    CatalogObject note = {.kind = OBJECT_COMMENT, .parent_id = role, .body = bytes_from("hello", 5), .needs = &need, .need_count = 1};
    GOOD(txn_object_create(txn, &note, &comment, &world_err));
    Error err = {0};
    uint32_t again = 0;
    assert_int_equal(txn_object_create(txn, &(CatalogObject){.kind = OBJECT_ROLE, .name = STR("bob")}, &again, &err), ERR_DUPLICATE_OBJECT);
    assert_string_equal(err.message, "role \"bob\" already exists");
    commit(txn);
    for (int round = 0; round < 3; round++) {
        txn = begin(&world);
        CatalogView *view = txn_catalog(txn);
        const CatalogObject *found = view->object_find(view, OBJECT_ROLE, 0, STR("bob"));
        assert_non_null(found);
        assert_int_equal(found->id, role);
        GOOD(role_body_decode(found->body, &body, &world_err));
        assert_true(body.login && !body.superuser && body.connection_limit == 3);
        found = view->object_find(view, OBJECT_COMMENT, role, (Str){0});
        assert_non_null(found);
        assert_true(str_equal(body_text(found->body), STR("hello")));
        assert_int_equal(found->needs[0].object_id, role);
        txn_rollback(txn);
        if (round == 0) {
            world_crash(&world, MEM_CRASH_KILL, 3);
        } else {
            world_reopen(&world);
        }
    }
    txn = begin(&world);
    GOOD(txn_object_drop(txn, role, &world_err));
    assert_null(txn_catalog(txn)->object_by_id(txn_catalog(txn), role));
    txn_rollback(txn);
    txn = begin(&world);
    assert_non_null(txn_catalog(txn)->object_by_id(txn_catalog(txn), role));
    assert_non_null(txn_catalog(txn)->object_find(txn_catalog(txn), OBJECT_ROLE, 0, STR("postgres")));
    assert_true(txn_object_new_id(txn) > comment);
    txn_rollback(txn);
    world_deinit(&world);
}

/* Tables, views and sequences of a schema share their names. */
static void relations_share_names(void **state) {
    (void)state;
    World world;
    world_init(&world);
    uint32_t id = make_sequence(&world, "thing", PLAIN);
    Txn *txn = begin(&world);
    ColumnDef column = {.name = STR("a"), .type = type_of(TYPE_INT4)};
    TableSpec spec = {.name = STR("thing"), .columns = &column, .column_count = 1, .designated = -1};
    const TableDef *table = NULL;
    Error err = {0};
    assert_int_equal(txn_table_create(txn, &spec, &table, &err), ERR_DUPLICATE_TABLE);
    assert_int_equal(txn_catalog(txn)->table_find(txn_catalog(txn), (Str){0}, STR("thing"), &table, &err), ERR_UNDEFINED_TABLE);
    const CatalogObject *found = txn_catalog(txn)->relation_find(txn_catalog(txn), (Str){0}, STR("THING"));
    assert_non_null(found);
    assert_int_equal(found->id, id);
    txn_rollback(txn);
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_outlive_rollback_and_restart), cmocka_unit_test(no_value_comes_twice_after_a_crash),
        cmocka_unit_test(limits_and_cycles),                   cmocka_unit_test(objects_come_back),
        cmocka_unit_test(relations_share_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
