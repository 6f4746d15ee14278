/* SPDX-License-Identifier: Apache-2.0
 * test_parts.c - indexes, constraints and computed columns through their bytes and back. */
#include "catalog/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static ObjectVersion *keyed_table(void) {
    ObjectVersion *object = object_new(OBJECT_TABLE, 30);
    ColumnDef columns[3] = {{.id = 1, .name = STR("a"), .type = type_of(TYPE_INT8), .not_null = true, .missing_is_null = true},
                            {.id = 2, .name = STR("b"), .type = type_of(TYPE_TEXT), .missing_is_null = true},
                            {.id = 3, .name = STR("lower(b)"), .type = type_of(TYPE_TEXT), .default_text = STR("lower(b)"), .missing_is_null = true}};
    IndexKeyDef primary = {.column_id = 1};
    IndexKeyDef mixed[2] = {{.column_id = 3, .text = STR("lower(b)"), .descending = true, .nulls_first = true}, {.column_id = 1}};
    uint32_t include[1] = {2};
    IndexDef indexes[2] = {{.id = 31, .name = STR("t_pkey"), .method = STR("btree"), .keys = &primary, .key_count = 1, .is_unique = true, .is_primary = true,
                            .valid = true, .constraint_id = 32},
                           {.id = 33, .name = STR("t_lower_a_idx"), .method = STR("hash"), .keys = mixed, .key_count = 2, .include_ids = include,
                            .include_count = 1, .predicate_text = STR("a > 0"), .valid = true}};
    uint32_t ids[1] = {1}, referenced[1] = {9};
    ConstraintDef constraints[3] = {
        {.id = 32, .name = STR("t_pkey"), .kind = CONSTRAINT_PRIMARY_KEY, .column_ids = ids, .column_count = 1, .index_id = 31, .validated = true},
        {.id = 34, .name = STR("t_a_check"), .kind = CONSTRAINT_CHECK, .text = STR("a > 0"), .column_ids = ids, .column_count = 1, .no_inherit = true},
        {.id = 35, .name = STR("t_a_fkey"), .kind = CONSTRAINT_FOREIGN_KEY, .column_ids = ids, .column_count = 1, .referenced_table_id = 20,
         .referenced_ids = referenced, .index_id = 22, .on_delete = FOREIGN_CASCADE, .on_update = FOREIGN_NO_ACTION, .match = MATCH_SIMPLE,
         .deferrable = true, .initially_deferred = true, .validated = true}};
    object->def.name = object->table.name = STR("t");
    object_set_all_columns(object, columns, 2, 1);
    object_set_indexes(object, indexes, 2);
    object_set_constraints(object, constraints, 3);
    return object;
}

static void check(const TableDef *table) {
    assert_int_equal(table->column_count, 2);
    assert_int_equal(table->computed_count, 1);
    assert_true(str_equal(table->columns[2].default_text, STR("lower(b)")));
    const IndexDef *index = table_index_find(table, STR("t_lower_a_idx"));
    assert_non_null(index);
    assert_int_equal(index->key_count, 2);
    assert_true(index->keys[0].descending && index->keys[0].nulls_first && !index->keys[1].descending);
    assert_true(str_equal(index->predicate_text, STR("a > 0")));
    assert_int_equal(index->include_ids[0], 2);
    assert_int_equal(table_primary_key(table)->id, 31);
    const ConstraintDef *foreign = table_constraint_find(table, STR("t_a_fkey"));
    assert_int_equal(foreign->referenced_ids[0], 9);
    assert_int_equal(foreign->on_delete, FOREIGN_CASCADE);
    assert_true(foreign->initially_deferred);
    assert_true(table_constraint_by_id(table, 34)->no_inherit);
    assert_int_equal(table_column_by_id(table, 3), 2);
}

static void parts_survive_their_bytes_and_a_copy(void **state) {
    (void)state;
    ObjectVersion *object = keyed_table();
    ObjectVersion *twin = object_copy(object);
    object_free(object);
    check(&twin->table);
    Buffer bytes;
    buffer_init(&bytes, 1 << 20);
    object_encode(twin, &bytes);
    object_free(twin);
    ObjectVersion *read = NULL;
    assert_int_equal(object_decode(buffer_bytes(&bytes), &read, NULL), ERR_OK);
    check(&read->table);
    object_free(read);
    buffer_deinit(&bytes);
}

static void damaged_parts_are_refused(void **state) {
    (void)state;
    ObjectVersion *object = keyed_table();
    Buffer bytes;
    buffer_init(&bytes, 1 << 20);
    object_encode(object, &bytes);
    size_t whole = bytes.len;
    object->table.index_count = object->table.constraint_count = object->table.computed_count = 0;
    buffer_clear(&bytes);
    object_encode(object, &bytes);
    size_t bare = bytes.len;
    object_free(object);
    object = keyed_table();
    buffer_clear(&bytes);
    object_encode(object, &bytes);
    object_free(object);
    assert_int_equal(bytes.len, whole);
    for (size_t len = bare + 1; len < whole; len++) {
        ObjectVersion *read = NULL;
        assert_int_equal(object_decode(bytes_from(bytes.data, len), &read, NULL), ERR_DAMAGED);
    }
    for (size_t at = bare; at < whole; at++) { /* any byte may be wrong: an error or an object, never a crash */
        ObjectVersion *read = NULL;
        bytes.data[at] ^= 0x5a;
        if (object_decode(buffer_bytes(&bytes), &read, NULL) == ERR_OK) {
            object_free(read);
        }
        bytes.data[at] ^= 0x5a;
    }
    buffer_deinit(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_survive_their_bytes_and_a_copy), cmocka_unit_test(damaged_parts_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
