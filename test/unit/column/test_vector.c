/* SPDX-License-Identifier: Apache-2.0
 * test_vector.c - every form gives the same values as FLAT; compaction and filters keep rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/vector.h"

static const TypeId TYPES[] = {TYPE_BOOL, TYPE_BYTE, TYPE_INT2, TYPE_INT4, TYPE_INT8, TYPE_FLOAT8, TYPE_TEXT, TYPE_UUID};

/* Row r of every test vector: null where r % 7 == 3, else a value made of r. */
static void set_row(Vector *vector, Arena *arena, size_t row) {
    Physical physical = type_physical((TypeId)vector->type.id);
    size_t width = physical_bytes(physical);
    if (physical == PHYS_BIT) {
        if (row % 3 == 1) {
            bit_set(vector_data(vector), row);
        }
    } else if (physical == PHYS_STR) {
        Str text = arena_format(arena, row % 2 == 0 ? "%zu" : "a rather long text %zu", row);
        ((StrRef *)vector_data(vector))[row] = strref_make(text.data, text.len);
    } else {
        uint64_t words[2] = {row * UINT64_C(0x9e3779b97f4a7c15), row};
        memcpy((uint8_t *)vector_data(vector) + row * width, words, width);
    }
    if (row % 7 == 3) {
        vector_set_null(vector, arena, row);
    }
}

static Vector make_vector(Arena *arena, TypeId id, uint16_t rows) {
    Vector vector = vector_new(arena, type_of(id));
    vector.row_count = rows;
    for (size_t row = 0; row < rows; row++) {
        set_row(&vector, arena, row);
    }
    return vector;
}

static void assert_same(const Vector *a, size_t row_a, const Vector *b, size_t row_b) {
    assert_int_equal(vector_is_null(a, row_a), vector_is_null(b, row_b));
    if (vector_is_null(a, row_a)) {
        return;
    }
    Physical physical = type_physical((TypeId)a->type.id);
    if (physical == PHYS_BIT) {
        assert_int_equal(vector_bool(a, row_a), vector_bool(b, row_b));
    } else if (physical == PHYS_STR) {
        assert_true(str_equal(vector_text(a, row_a), vector_text(b, row_b)));
    } else {
        assert_memory_equal(vector_value(a, row_a), vector_value(b, row_b), (int)physical_bytes(physical));
    }
}

static void gather_equals_the_source(void **state) {
    Arena *arena = *state;
    for (size_t t = 0; t < COUNT_OF(TYPES); t++) {
        Vector base = make_vector(arena, TYPES[t], 100);
        uint16_t *index = arena_array(arena, uint16_t, BATCH_ROWS);
        for (size_t i = 0; i < 333; i++) {
            index[i] = (uint16_t)(i * 31 % 100);
        }
        uint64_t *own_nulls = arena_array(arena, uint64_t, BATCH_WORDS);
        memset(own_nulls, 0xff, BATCH_WORDS * sizeof *own_nulls);
        bit_clear(own_nulls, 5);
        Vector indexed = {.type = base.type, .form = VECTOR_INDEXED, .row_count = 333, .base_count = 100, .index = index,
                          .base = &base, .valid = own_nulls};
        Vector flat = indexed;
        assert_int_equal(vector_flat(&flat, arena, NULL), ERR_OK);
        assert_int_equal(flat.form, VECTOR_FLAT);
        assert_true(vector_is_null(&flat, 5));
        for (size_t i = 0; i < 333; i++) {
            assert_same(&flat, i, &indexed, i);
            if (i != 5) {
                assert_same(&flat, i, &base, index[i]);
            }
        }
    }
}

static void constants_expand(void **state) {
    Arena *arena = *state;
    for (size_t t = 0; t < COUNT_OF(TYPES); t++) {
        Vector one = make_vector(arena, TYPES[t], 1);
        one.form = VECTOR_CONSTANT;
        one.row_count = 130;
        Vector flat = one;
        assert_int_equal(vector_dense(&flat, arena, NULL), ERR_OK);
        assert_int_equal(flat.form, VECTOR_CONSTANT);
        assert_int_equal(vector_flat(&flat, arena, NULL), ERR_OK);
        assert_int_equal(flat.form, VECTOR_FLAT);
        for (size_t i = 0; i < 130; i++) {
            assert_same(&flat, i, &one, 99);
        }
        Vector null = vector_null(type_of(TYPES[t]), 70);
        assert_true(vector_is_null(&null, 69));
        assert_int_equal(vector_flat(&null, arena, NULL), ERR_OK);
        assert_true(vector_is_null(&null, 69));
    }
}

static ErrorCode decode_once(void *context, Vector *vector, Error *err) {
    (void)err;
    const Vector *source = context;
    vector->data = source->data;
    vector->valid = source->valid;
    return ERR_OK;
}

static ErrorCode decode_fails(void *context, Vector *vector, Error *err) {
    (void)context;
    (void)vector;
    return error_set(err, ERR_DAMAGED, 0, "damaged");
}

static void filters_and_compaction_keep_rows(void **state) {
    Arena *arena = *state;
    enum { ROWS = 1000 };
    Vector original[4] = {make_vector(arena, TYPE_INT8, ROWS), make_vector(arena, TYPE_TEXT, ROWS),
                          make_vector(arena, TYPE_BOOL, 1), make_vector(arena, TYPE_INT4, ROWS)};
    original[2].form = VECTOR_CONSTANT;
    original[2].row_count = ROWS;
    RowRef refs[ROWS];
    uint64_t mask[BATCH_WORDS] = {0};
    uint16_t kept[ROWS], kept_count = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        refs[i] = (RowRef){1, i};
        if (i % 11 == 2 || i == 999) {
            bit_set(mask, i);
            kept[kept_count++] = (uint16_t)i;
        }
    }
    memset((uint8_t *)mask + ROWS / 8, 0xff, sizeof mask - ROWS / 8); /* junk past the end must not count */
    Vector columns[4];
    memcpy(columns, original, sizeof columns);
    columns[3].form = VECTOR_ENCODED;
    columns[3].decode = decode_once;
    columns[3].decode_context = &original[3];
    columns[3].data = NULL;
    Batch batch = {.row_count = ROWS, .live_count = ROWS, .column_count = 4, .columns = columns, .refs = refs};
    batch_filter(&batch, mask, arena);
    assert_int_equal(batch.live_count, kept_count);
    assert_int_equal(batch_compact(&batch, arena, NULL), ERR_OK);
    assert_null(batch.live);
    assert_int_equal(batch.row_count, kept_count);
    for (size_t i = 0; i < kept_count; i++) {
        for (size_t c = 0; c < 4; c++) {
            assert_same(&columns[c], i, &original[c], kept[i]);
        }
        assert_int_equal(batch.refs[i].offset, kept[i]);
    }
    /* again, on INDEXED columns */
    uint64_t second[BATCH_WORDS] = {0};
    bit_set(second, 4);
    bit_set(second, 70);
    batch_filter(&batch, second, arena);
    assert_int_equal(batch_compact(&batch, arena, NULL), ERR_OK);
    assert_int_equal(batch.row_count, 2);
    for (size_t c = 0; c < 4; c++) {
        assert_int_equal(vector_flat(&columns[c], arena, NULL), ERR_OK);
        assert_same(&columns[c], 0, &original[c], kept[4]);
        assert_same(&columns[c], 1, &original[c], kept[70]);
    }
}

static void a_full_mask_is_no_mask(void **state) {
    Arena *arena = *state;
    uint64_t mask[BATCH_WORDS];
    memset(mask, 0xff, sizeof mask);
    Batch batch = {.row_count = 77, .live_count = 77};
    batch_filter(&batch, mask, arena);
    assert_null(batch.live);
    assert_int_equal(batch.live_count, 77);
}

static void decode_errors_come_up(void **state) {
    Arena *arena = *state;
    Vector vector = {.type = type_of(TYPE_INT8), .form = VECTOR_ENCODED, .row_count = 5, .decode = decode_fails};
    Error err = {0};
    assert_int_equal(vector_flat(&vector, arena, &err), ERR_DAMAGED);
    assert_int_equal(vector.form, VECTOR_ENCODED);
}

static void numerics_go_through_slots(void **state) {
    Arena *arena = *state;
    Numeric big = {.coefficient = (Int128)INT64_MAX * 1000, .scale = 3};
    NumericSlot slot = numeric_to_slot(big, arena);
    assert_true(slot.is_big);
    assert_true(numeric_from_slot(&slot).coefficient == big.coefficient);
    slot = numeric_to_slot((Numeric){.coefficient = -15, .scale = 1, .kind = NUMERIC_FINITE}, arena);
    assert_false(slot.is_big);
    assert_int_equal(slot.as.coefficient, -15);
    assert_int_equal(numeric_from_slot(&slot).scale, 1);
}

static int setup(void **state) {
    static Arena arena;
    arena_init(&arena, SIZE_MAX);
    *state = &arena;
    return 0;
}

static int teardown(void **state) {
    arena_deinit(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gather_equals_the_source),
        cmocka_unit_test(constants_expand),
        cmocka_unit_test(filters_and_compaction_keep_rows),
        cmocka_unit_test(a_full_mask_is_no_mask),
        cmocka_unit_test(decode_errors_come_up),
        cmocka_unit_test(numerics_go_through_slots),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
