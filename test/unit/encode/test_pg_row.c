/* SPDX-License-Identifier: Apache-2.0
 * test_pg_row.c - DataRow messages: forms of vectors, NULLs, live rows, windows. Values themselves: test_pg_binary.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "encode/pg_row.h"

typedef struct World {
    Arena arena;
    Encoder encoder;
    Buffer out;
} World;

static int begin(void **state) {
    World *world = mem_calloc(1, sizeof *world);
    arena_init(&world->arena, SIZE_MAX);
    buffer_init(&world->out, 1 << 24);
    *state = world;
    return 0;
}

static int end(void **state) {
    World *world = *state;
    arena_deinit(&world->arena);
    buffer_deinit(&world->out);
    mem_free(world);
    return 0;
}

static Vector ints(World *world, size_t count) {
    Vector v = vector_new(&world->arena, type_of(TYPE_INT4));
    v.row_count = (uint16_t)count;
    for (size_t i = 0; i < count; i++) {
        ((int32_t *)vector_data(&v))[i] = (int32_t)i * 10 - 10;
    }
    return v;
}

static Vector texts(World *world, size_t count) {
    static const char *const TEXTS[] = {"", "short", "exactly12chr", "one byte more", "a text that is a good deal longer than a slot"};
    Vector v = vector_new(&world->arena, type_of(TYPE_TEXT));
    v.row_count = (uint16_t)count;
    for (size_t i = 0; i < count; i++) {
        Str text = str_from_c(TEXTS[i % COUNT_OF(TEXTS)]);
        ((StrRef *)vector_data(&v))[i] = strref_make(text.data, text.len);
    }
    return v;
}

static void encode(World *world, Vector *columns, uint16_t column_count, const uint64_t *live, const uint8_t *formats, PgRowWindow *window) {
    Batch batch = {.row_count = columns[0].row_count, .live_count = columns[0].row_count, .column_count = column_count, .columns = columns, .live = live};
    assert_int_equal(pg_encode_rows(&world->encoder, &batch, NULL, formats, window, &world->out, NULL), ERR_OK);
}

/* The messages as text: fields by |, ~ for NULL, rows by newline; binary int4 as #value. */
static Str show(World *world, const uint8_t *formats, uint16_t column_count) {
    Buffer text;
    buffer_init(&text, 1 << 24);
    const uint8_t *at = world->out.data, *stop = at + world->out.len;
    while (at < stop) {
        assert_int_equal(at[0], 'D');
        const uint8_t *row_end = at + 1 + __builtin_bswap32(get_u32le(at + 1));
        assert_int_equal(__builtin_bswap16(get_u16le(at + 5)), column_count);
        at += 7;
        for (uint16_t c = 0; c < column_count; c++) {
            int32_t len = (int32_t)__builtin_bswap32(get_u32le(at));
            at += 4;
            buffer_append_str(&text, c > 0 ? STR("|") : STR(""));
            if (len < 0) {
                buffer_append_char(&text, '~');
                continue;
            }
            if (formats != NULL && formats[c] == PG_FORMAT_BINARY && len == 4) {
                buffer_printf(&text, "#%d", (int32_t)__builtin_bswap32(get_u32le(at)));
            } else {
                buffer_append(&text, at, (size_t)len);
            }
            at += len;
        }
        assert_ptr_equal(at, row_end);
        buffer_append_char(&text, '\n');
    }
    Str shown = arena_str(&world->arena, buffer_str(&text));
    buffer_deinit(&text);
    return shown;
}

static void assert_shown(World *world, const uint8_t *formats, uint16_t column_count, const char *want) {
    Str shown = show(world, formats, column_count);
    assert_string_equal(arena_c_text(&world->arena, shown), want);
    buffer_clear(&world->out);
}

static void rows_are_whole_messages(void **state) {
    World *world = *state;
    encoder_init(&world->encoder, 2, NULL);
    Vector columns[2] = {ints(world, 3), texts(world, 3)};
    vector_set_null(&columns[0], &world->arena, 1);
    encode(world, columns, 2, NULL, NULL, &(PgRowWindow){.rows_left = UINT64_MAX});
    static const uint8_t FIRST[] = {'D', 0, 0, 0, 17, 0, 2, 0, 0, 0, 3, '-', '1', '0', 0, 0, 0, 0};
    assert_memory_equal(world->out.data, FIRST, sizeof FIRST);
    assert_shown(world, NULL, 2, "-10|\n~|short\n10|exactly12chr\n");
    assert_int_equal(world->encoder.row_count, 3);
    encoder_deinit(&world->encoder);
}

static void formats_go_by_column(void **state) {
    World *world = *state;
    static const uint8_t FORMATS[] = {PG_FORMAT_BINARY, PG_FORMAT_BINARY, PG_FORMAT_TEXT};
    encoder_init(&world->encoder, 3, NULL);
    Vector columns[3] = {ints(world, 5), texts(world, 5), ints(world, 5)};
    vector_set_null(&columns[1], &world->arena, 4);
    encode(world, columns, 3, NULL, FORMATS, &(PgRowWindow){.rows_left = UINT64_MAX});
    assert_shown(world, FORMATS, 3, "#-10||-10\n#0|short|0\n#10|exactly12chr|10\n#20|one byte more|20\n#30|~|30\n");
    encoder_deinit(&world->encoder);
}

static void vectors_of_any_form(void **state) {
    World *world = *state;
    static const uint16_t INDEX[] = {2, 0, 2, 1};
    encoder_init(&world->encoder, 3, NULL);
    Vector base = ints(world, 3), one = texts(world, 2), none = vector_null(type_of(TYPE_INT4), 4);
    vector_set_null(&base, &world->arena, 1);
    Vector indexed = {.type = base.type, .form = VECTOR_INDEXED, .row_count = 4, .base_count = 3, .index = INDEX, .base = &base};
    Vector constant = {.type = one.type, .form = VECTOR_CONSTANT, .row_count = 4, .data = (const StrRef *)one.data + 1};
    Vector columns[3] = {indexed, constant, none};
    uint64_t live[BATCH_WORDS] = {0xD};
    encode(world, columns, 3, live, NULL, &(PgRowWindow){.rows_left = UINT64_MAX});
    assert_shown(world, NULL, 3, "10|short|~\n10|short|~\n~|short|~\n");
    encoder_deinit(&world->encoder);
}

/* A portal that takes rows a few at a time gets each once. */
static void windows_go_on_where_they_stopped(void **state) {
    World *world = *state;
    encoder_init(&world->encoder, 2, NULL);
    Vector columns[2] = {ints(world, BATCH_ROWS), texts(world, BATCH_ROWS)};
    encode(world, columns, 2, NULL, NULL, &(PgRowWindow){.rows_left = UINT64_MAX});
    Str whole = show(world, NULL, 2);
    buffer_clear(&world->out);
    PgRowWindow window = {0};
    for (uint64_t take = 1; window.row < BATCH_ROWS; take = take * 2 + 1) {
        window.rows_left = take;
        encode(world, columns, 2, NULL, NULL, &window);
        assert_true(window.rows_left == 0 || window.row == BATCH_ROWS);
    }
    assert_true(str_equal(show(world, NULL, 2), whole));
    Buffer pieces = world->out;
    buffer_init(&world->out, 1 << 24);
    window = (PgRowWindow){.rows_left = UINT64_MAX, .out_bytes = 100};
    while (window.row < BATCH_ROWS) {
        encode(world, columns, 2, NULL, NULL, &window);
        window.out_bytes = world->out.len + 100;
    }
    assert_int_equal(pieces.len, world->out.len);
    assert_memory_equal(pieces.data, world->out.data, pieces.len);
    buffer_deinit(&pieces);
    encoder_deinit(&world->encoder);
}

static void a_full_buffer_is_an_error(void **state) {
    World *world = *state;
    Buffer small;
    buffer_init(&small, 100);
    encoder_init(&world->encoder, 1, NULL);
    Vector column = ints(world, 100);
    Batch batch = {.row_count = 100, .live_count = 100, .column_count = 1, .columns = &column};
    PgRowWindow window = {.rows_left = UINT64_MAX};
    assert_int_equal(pg_encode_rows(&world->encoder, &batch, NULL, NULL, &window, &small, NULL), ERR_TOO_LARGE);
    buffer_deinit(&small);
    encoder_deinit(&world->encoder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_whole_messages, begin, end),
        cmocka_unit_test_setup_teardown(formats_go_by_column, begin, end),
        cmocka_unit_test_setup_teardown(vectors_of_any_form, begin, end),
        cmocka_unit_test_setup_teardown(windows_go_on_where_they_stopped, begin, end),
        cmocka_unit_test_setup_teardown(a_full_buffer_is_an_error, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
