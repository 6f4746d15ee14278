/* SPDX-License-Identifier: Apache-2.0
 * test_dictionaries.c - large dictionaries go to files, are read when first asked, grow, and are damaged by name. */
#include "engine_support.h"
#include "catalog/dictionary.h"
#include <stdlib.h>

static void make_table(World *world) {
    Txn *txn = begin(world);
    table_make(txn, "t");
    commit(txn);
}

/* Rows of the symbols first .. first + count - 1. */
static void add_symbols(World *world, int32_t first, uint32_t count) {
    Txn *txn = begin(world);
    TestRow *rows = mem_calloc(count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = (TestRow){.time = i, .sym = first + (int32_t)i, .n = first + i, .price = -1, .note = -1};
    }
    GOOD(append_rows(txn, table_get(txn, "t"), rows, count, &world_err));
    mem_free(rows);
    commit(txn);
}

static void check(World *world, int32_t count) {
    Txn *txn = begin(world);
    const TableDef *table = table_get(txn, "t");
    SymbolTable *symbols = table->columns[1].symbols;
    assert_int_equal(symbols->count(symbols), count);
    for (int32_t i = 0; i < count; i++) {
        char text[16];
        Str want = {text, (size_t)snprintf(text, sizeof text, "s%d", i)};
        assert_int_equal(symbols->find(symbols, want), i);
        assert_true(str_equal(symbols->text(symbols, i), want));
    }
    txn_rollback(txn);
}

static uint32_t dictionary_file_count(World *world) {
    Txn *txn = begin(world);
    uint32_t count = dictionary_files(dictionary_of(table_get(txn, "t")->columns[1].symbols))->count;
    txn_rollback(txn);
    return count;
}

static void grows_through_checkpoints_and_starts(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    int32_t count = 0;
    for (int round = 0; round < 14; round++) {
        uint32_t more = round == 4 ? 30000 : round < 4 ? 1500 : 200;
        add_symbols(&world, count, more);
        count += (int32_t)more;
        if (round % 2 == 0) {
            GOOD(engine_checkpoint(world.engine, &world_err));
        }
        world_crash(&world, MEM_CRASH_NOTHING, (uint64_t)round);
        if (round % 3 == 0) {
            check(&world, count);
        }
    }
    check(&world, count);
    assert_true(dictionary_file_count(&world) >= 1);
    assert_true(dictionary_file_count(&world) < 8);
    world_deinit(&world);
}

static void is_read_when_first_asked(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    add_symbols(&world, 0, 10000);
    world_reopen(&world);
    Txn *txn = begin(&world);
    size_t cursor = 0;
    const TableDef *table = NULL;
    assert_true(txn_catalog(txn)->table_next(txn_catalog(txn), &cursor, &table));
    const Dictionary *dictionary = dictionary_of(table->columns[1].symbols);
    assert_false(dictionary_loaded(dictionary));
    assert_int_equal(dictionary_count(dictionary), 10000);
    (void)table_get(txn, "t");
    assert_true(dictionary_loaded(dictionary));
    txn_rollback(txn);
    check(&world, 10000);
    world_deinit(&world);
}

static void damage_is_an_error_with_a_name(void **state) {
    (void)state;
    World world;
    world_init(&world);
    make_table(&world);
    add_symbols(&world, 0, 10000);
    GOOD(engine_checkpoint(world.engine, &world_err));
    Txn *txn = begin(&world);
    const TableDef *table = table_get(txn, "t");
    char path[64];
    snprintf(path, sizeof path, "table/%u/%llu.dict", table->id,
             (unsigned long long)dictionary_files(dictionary_of(table->columns[1].symbols))->files[0].file_id);
    txn_rollback(txn);
    size_t len = 0;
    uint8_t *bytes = mem_io_file(world.mem, path, &len);
    assert_non_null(bytes);
    bytes[6000] ^= 1;
    world_crash(&world, MEM_CRASH_KILL, 1);
    txn = begin(&world);
    Error err;
    assert_int_equal(txn_catalog(txn)->table_find(txn_catalog(txn), (Str){0}, STR("t"), &table, &err), ERR_DAMAGED);
    assert_non_null(strstr(err.message, path));
    txn_rollback(txn);
    world_deinit(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(grows_through_checkpoints_and_starts), cmocka_unit_test(is_read_when_first_asked),
                                       cmocka_unit_test(damage_is_an_error_with_a_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
