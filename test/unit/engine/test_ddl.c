/* SPDX-License-Identifier: Apache-2.0
 * test_ddl.c - schemas, tables and columns change transactionally, conflicts are told, everything is there after a restart. */
#include "engine_support.h"
#include <stdlib.h>

static ErrorCode find(Txn *txn, const char *name) {
    const TableDef *table = NULL;
    return txn_catalog(txn)->table_find(txn_catalog(txn), (Str){0}, str_from_c(name), &table, NULL);
}

static void add_rows(Txn *txn, const char *name, int64_t first, uint32_t count) {
    TestRow rows[100];
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = (TestRow){.time = first + i, .sym = 1, .price = 1, .note = first + i, .n = first + i};
    }
    GOOD(append_rows(txn, table_get(txn, name), rows, count, &world_err));
}

static uint32_t rows_in(Txn *txn, const char *name) {
    uint32_t count = 0;
    mem_free(scan_rows(txn, table_get(txn, name), SCAN_ANY, NULL, 0, &count));
    return count;
}

static void tables_appear_with_their_transaction(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *maker = begin(&world);
    Txn *other = begin(&world);
    uint64_t version = txn_catalog(maker)->version(txn_catalog(maker));
    table_make(maker, "t");
    assert_true(txn_catalog(maker)->version(txn_catalog(maker)) != version);
    add_rows(maker, "t", 0, 10);
    assert_int_equal(find(maker, "T"), ERR_OK);
    assert_int_equal(find(other, "t"), ERR_UNDEFINED_TABLE);
    commit(maker);
    assert_int_equal(find(other, "t"), ERR_UNDEFINED_TABLE);
    txn_statement_begin(other);
    assert_int_equal(find(other, "t"), ERR_OK);
    txn_rollback(other);
    Txn *dropper = begin(&world);
    GOOD(txn_table_drop(dropper, table_get(dropper, "t"), &world_err));
    assert_int_equal(find(dropper, "t"), ERR_UNDEFINED_TABLE);
    table_make(dropper, "t");
    txn_rollback(dropper);
    Txn *reader = begin(&world);
    assert_int_equal(rows_in(reader, "t"), 10);
    txn_rollback(reader);
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    reader = begin(&world);
    assert_int_equal(rows_in(reader, "t"), 10);
    txn_rollback(reader);
    world_deinit(&world);
}

static void names_clash(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *first = begin(&world);
    Txn *second = begin(&world);
    ColumnDef column = {.name = STR("a"), .type = type_of(TYPE_INT4)};
    TableSpec spec = {.name = STR("t"), .columns = &column, .column_count = 1, .designated = -1};
    const TableDef *table = NULL;
    GOOD(txn_table_create(first, &spec, &table, &world_err));
    assert_int_equal(txn_table_create(second, &spec, &table, NULL), ERR_OBJECT_IN_USE);
    commit(first);
    assert_int_equal(txn_table_create(second, &spec, &table, NULL), ERR_DUPLICATE_TABLE);
    spec.if_not_exists = true;
    GOOD(txn_table_create(second, &spec, &table, &world_err));
    spec = (TableSpec){.name = STR(""), .columns = &column, .column_count = 1, .designated = -1};
    assert_int_equal(txn_table_create(second, &spec, &table, NULL), ERR_INVALID_NAME);
    spec = (TableSpec){.name = STR("u"), .columns = &column, .column_count = 1, .designated = 0};
    assert_int_equal(txn_table_create(second, &spec, &table, NULL), ERR_INVALID_TABLE_DEFINITION);
    ColumnDef twice[2] = {column, column};
    spec = (TableSpec){.name = STR("u"), .columns = twice, .column_count = 2, .designated = -1};
    assert_int_equal(txn_table_create(second, &spec, &table, NULL), ERR_DUPLICATE_COLUMN);
    spec = (TableSpec){.schema_name = STR("none"), .name = STR("u"), .columns = &column, .column_count = 1, .designated = -1};
    assert_int_equal(txn_table_create(second, &spec, &table, NULL), ERR_UNDEFINED_SCHEMA);
    txn_rollback(second);
    world_deinit(&world);
}

static void truncate_and_drop_wait_for_writers(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *txn = begin(&world);
    table_make(txn, "t");
    add_rows(txn, "t", 0, 10);
    commit(txn);
    Txn *writer = begin(&world);
    add_rows(writer, "t", 100, 5);
    Txn *truncater = begin(&world);
    assert_int_equal(txn_table_truncate(truncater, table_get(truncater, "t"), NULL), ERR_OBJECT_IN_USE);
    commit(writer);
    GOOD(txn_table_truncate(truncater, table_get(truncater, "t"), &world_err));
    writer = begin(&world);
    TestRow row = {.n = 1};
    assert_int_equal(append_rows(writer, table_get(writer, "t"), &row, 1, NULL), ERR_OBJECT_IN_USE);
    assert_int_equal(rows_in(writer, "t"), 15);
    add_rows(truncater, "t", 200, 3);
    txn_statement_begin(truncater);
    assert_int_equal(rows_in(truncater, "t"), 3);
    TxnMark mark = txn_mark(truncater);
    GOOD(txn_table_truncate(truncater, table_get(truncater, "t"), &world_err));
    txn_statement_begin(truncater);
    assert_int_equal(rows_in(truncater, "t"), 0);
    txn_rollback_to(truncater, mark);
    txn_statement_begin(truncater);
    assert_int_equal(rows_in(truncater, "t"), 3);
    commit(truncater);
    assert_int_equal(rows_in(writer, "t"), 15);
    txn_rollback(writer);
    for (int round = 0; round < 3; round++) {
        txn = begin(&world);
        assert_int_equal(rows_in(txn, "t"), 3);
        txn_rollback(txn);
        if (round == 0) {
            world_crash(&world, MEM_CRASH_NOTHING, 1);
        } else {
            world_reopen(&world);
        }
    }
    txn = begin(&world);
    GOOD(txn_table_drop(txn, table_get(txn, "t"), &world_err));
    commit(txn);
    GOOD(engine_run_jobs(world.engine, &world_err));
    world_crash(&world, MEM_CRASH_NOTHING, 1);
    txn = begin(&world);
    assert_int_equal(find(txn, "t"), ERR_UNDEFINED_TABLE);
    txn_rollback(txn);
    world_deinit(&world);
}

static void columns_change(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *txn = begin(&world);
    table_make(txn, "t");
    add_rows(txn, "t", 0, 10);
    commit(txn);
    txn = begin(&world);
    const TableDef *table = NULL;
    ColumnDef symbol = {.name = STR("kind"), .type = type_of(TYPE_SYMBOL), .missing_text = strref_make("fresh", 5)};
    GOOD(txn_column_add(txn, table_get(txn, "t"), &symbol, &table, &world_err));
    assert_int_equal(txn_column_add(txn, table, &symbol, &table, NULL), ERR_DUPLICATE_COLUMN);
    ColumnDef strict = {.name = STR("strict"), .type = type_of(TYPE_INT4), .not_null = true, .missing_is_null = true};
    assert_int_equal(txn_column_add(txn, table, &strict, &table, NULL), ERR_NOT_NULL_VIOLATION);
    GOOD(txn_column_rename(txn, table_get(txn, "t"), STR("note"), STR("remark"), &table, &world_err));
    assert_int_equal(txn_column_drop(txn, table, STR("ts"), &table, NULL), ERR_DEPENDENT_OBJECTS);
    assert_int_equal(txn_column_drop(txn, table_get(txn, "t"), STR("note"), &table, NULL), ERR_UNDEFINED_COLUMN);
    GOOD(txn_column_drop(txn, table_get(txn, "t"), STR("price"), &table, &world_err));
    commit(txn);
    for (int round = 0; round < 3; round++) {
        txn = begin(&world);
        table = table_get(txn, "t");
        assert_int_equal(table->column_count, 6);
        assert_true(table_column_find(table, STR("remark")) >= 0);
        int at = table_column_find(table, STR("KIND"));
        assert_true(at >= 0);
        int32_t code = 0;
        memcpy(&code, table->columns[at].missing_value, sizeof code);
        assert_true(str_equal(table->columns[at].symbols->text(table->columns[at].symbols, code), STR("fresh")));
        txn_rollback(txn);
        if (round == 0) {
            world_crash(&world, MEM_CRASH_NOTHING, 1);
        } else {
            world_reopen(&world);
        }
    }
    world_deinit(&world);
}

static void schemas_hold_tables(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Txn *txn = begin(&world);
    GOOD(txn_schema_create(txn, STR("app"), false, &world_err));
    assert_int_equal(txn_schema_create(txn, STR("app"), false, NULL), ERR_DUPLICATE_SCHEMA);
    GOOD(txn_schema_create(txn, STR("app"), true, &world_err));
    ColumnDef column = {.name = STR("a"), .type = type_of(TYPE_INT4)};
    TableSpec spec = {.schema_name = STR("app"), .name = STR("t"), .columns = &column, .column_count = 1, .designated = -1};
    const TableDef *table = NULL;
    GOOD(txn_table_create(txn, &spec, &table, &world_err));
    commit(txn);
    world_reopen(&world);
    txn = begin(&world);
    GOOD(txn_catalog(txn)->table_find(txn_catalog(txn), STR("app"), STR("t"), &table, &world_err));
    assert_int_equal(find(txn, "t"), ERR_UNDEFINED_TABLE);
    assert_int_equal(txn_schema_drop(txn, STR("app"), false, false, NULL), ERR_DEPENDENT_OBJECTS);
    assert_int_equal(txn_schema_drop(txn, STR("public"), false, true, NULL), ERR_DEPENDENT_OBJECTS);
    GOOD(txn_schema_drop(txn, STR("app"), false, true, &world_err));
    GOOD(txn_schema_drop(txn, STR("app"), true, true, &world_err));
    assert_int_equal(txn_catalog(txn)->table_find(txn_catalog(txn), STR("app"), STR("t"), &table, NULL), ERR_UNDEFINED_SCHEMA);
    commit(txn);
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_appear_with_their_transaction), cmocka_unit_test(names_clash),
        cmocka_unit_test(truncate_and_drop_wait_for_writers), cmocka_unit_test(columns_change), cmocka_unit_test(schemas_hold_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
