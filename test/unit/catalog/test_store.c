/* SPDX-License-Identifier: Apache-2.0
 * test_store.c - objects through their bytes and back; versions, names, conflicts. */
#include "catalog/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void no_mutex(Sched *sched, Mutex *mutex) { (void)sched, (void)mutex; }
static Sched SCHED = {.mutex_init = no_mutex, .mutex_deinit = no_mutex, .mutex_lock = no_mutex, .mutex_unlock = no_mutex};
static const Stamp ONE = STAMP_OWN_BIT | 1 << TXN_COMMAND_BITS;
static const Stamp TWO = STAMP_OWN_BIT | 2 << TXN_COMMAND_BITS;

static ObjectVersion *table_object(uint32_t id, const char *name, Stamp begin) {
    ObjectVersion *object = object_new(OBJECT_TABLE, id);
    ColumnDef columns[3] = {{.id = 1, .name = STR("ts"), .type = type_of(TYPE_TIMESTAMP), .not_null = true, .missing_is_null = true},
                            {.id = 4, .name = STR("sym"), .type = type_of(TYPE_SYMBOL), .symbol_capacity = 256, .missing_is_null = true},
                            {.id = 6, .name = STR("note"), .type = type_of(TYPE_VARCHAR), .default_text = STR("'x' || 'y'"), .default_dialect = 1,
                             .missing_text = strref_make("a longer default text", 21)}};
    object->def.schema_id = SCHEMA_PUBLIC_ID;
    object->def.name = object->table.name = arena_str(&object->arena, str_from_c(name));
    object->table.schema_name = STR("public");
    object->table.schema_id = SCHEMA_PUBLIC_ID;
    object->table.designated = 0;
    object->table.partition = PARTITION_MONTH;
    object->table.durability = DURABILITY_INTERVAL;
    object->table.durability_ms = 50;
    object->table.version = 3;
    object->next_column_id = 7;
    object->begin = begin;
    object_set_columns(object, columns, 3);
    return object;
}

static void objects_survive_their_bytes(void **state) {
    (void)state;
    ObjectVersion *object = table_object(20, "t", 5);
    Buffer bytes;
    buffer_init(&bytes, 1 << 20);
    object_encode(object, &bytes);
    ObjectVersion *copy = NULL;
    assert_int_equal(object_decode(buffer_bytes(&bytes), &copy, NULL), ERR_OK);
    assert_int_equal(copy->def.id, 20);
    assert_int_equal(copy->next_column_id, 7);
    assert_int_equal(copy->table.partition, PARTITION_MONTH);
    assert_int_equal(copy->table.durability_ms, 50);
    assert_int_equal(copy->table.columns[1].id, 4);
    assert_true(str_equal(copy->table.columns[2].default_text, STR("'x' || 'y'")));
    assert_true(str_equal(strref_str(&copy->table.columns[2].missing_text), STR("a longer default text")));
    assert_true(copy->table.columns[0].not_null);
    object_free(copy);
    for (size_t len = 0; len < bytes.len; len++) { /* every shorter text is refused */
        assert_true(object_decode(bytes_from(bytes.data, len), &copy, NULL) != ERR_OK);
    }
    bytes.data[0] = CATALOG_FORMAT + 1;
    assert_int_equal(object_decode(buffer_bytes(&bytes), &copy, NULL), ERR_NEWER_FORMAT);
    buffer_deinit(&bytes);
    object_free(object);
}

static void versions_are_seen_by_their_snapshots(void **state) {
    (void)state;
    Catalog *catalog = catalog_create(&SCHED);
    bool many = false;
    catalog_put(catalog, table_object(20, "t", 5));
    ObjectVersion *renamed = table_object(20, "u", ONE | 1);
    catalog_put(catalog, renamed);
    Snapshot old = {.lsn = 9};
    Snapshot own = {9, ONE, 2};
    Snapshot other = {9, TWO, 2};
    assert_null(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("u"), &old, &many));
    assert_non_null(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("t"), &other, &many));
    assert_null(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("t"), &own, &many));
    assert_ptr_equal(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("U"), &own, &many), renamed);
    assert_int_equal(catalog_check(catalog, 20, &own), CATALOG_FREE);
    assert_int_equal(catalog_check(catalog, 20, &other), CATALOG_BUSY);
    assert_int_equal(catalog_check_name(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("t"), &other), CATALOG_BUSY);
    assert_int_equal(catalog_check_name(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("t"), &own), CATALOG_FREE);
    catalog_settle(catalog, renamed, 10);
    assert_int_equal(catalog_check(catalog, 20, &other), CATALOG_NEWER);
    assert_int_equal(catalog_changed_lsn(catalog), 10);
    assert_non_null(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("t"), &old, &many));
    catalog_collect(catalog, 10);
    assert_null(catalog_by_id(catalog, 20, &old));
    assert_non_null(catalog_by_id(catalog, 20, &(Snapshot){.lsn = 10}));
    catalog_destroy(catalog);
}

static void names_match_exactly_first(void **state) {
    (void)state;
    Catalog *catalog = catalog_create(&SCHED);
    Snapshot now = {.lsn = 9};
    bool many = false;
    catalog_put(catalog, table_object(20, "Trades", 5));
    catalog_put(catalog, table_object(21, "TRADES", 5));
    assert_int_equal(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("TRADES"), &now, &many)->def.id, 21);
    assert_null(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("trades"), &now, &many));
    assert_true(many);
    ObjectVersion *gone = table_object(21, "TRADES", 6);
    gone->dropped = true;
    catalog_put(catalog, gone);
    assert_int_equal(catalog_find(catalog, OBJECT_TABLE, SCHEMA_PUBLIC_ID, STR("trades"), &now, &many)->def.id, 20);
    size_t cursor = 0;
    const ObjectVersion *object = NULL;
    assert_true(catalog_next(catalog, OBJECT_TABLE, &now, &cursor, &object));
    assert_int_equal(object->def.id, 20);
    assert_false(catalog_next(catalog, OBJECT_TABLE, &now, &cursor, &object));
    catalog_destroy(catalog);
}

/* After a crash the log alone says which ids are taken: those of indexes and constraints are, too. */
static void ids_of_parts_are_taken(void **state) {
    (void)state;
    Catalog *catalog = catalog_create(&SCHED);
    ObjectVersion *table = table_object(20, "t", 5);
    IndexDef index = {.id = 31, .name = STR("t_i"), .valid = true};
    ConstraintDef constraint = {.id = 33, .name = STR("t_c"), .kind = CONSTRAINT_CHECK, .text = STR("true")};
    object_set_indexes(table, &index, 1);
    object_set_constraints(table, &constraint, 1);
    catalog_put(catalog, table);
    assert_int_equal(catalog_next_id(catalog), 34);
    catalog_destroy(catalog);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(objects_survive_their_bytes), cmocka_unit_test(versions_are_seen_by_their_snapshots),
                                       cmocka_unit_test(names_match_exactly_first), cmocka_unit_test(ids_of_parts_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
