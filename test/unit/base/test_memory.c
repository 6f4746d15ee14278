/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c - arenas, buffers and readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/memory.h"
#include "base/random.h"

static void arena_hands_out_aligned_room(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, 1 << 20);
    assert_null(arena.head);
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        uint8_t *p = arena_alloc_aligned(&arena, 33, alignment);
        assert_int_equal((uintptr_t)p % alignment, 0);
        memset(p, 0xab, 33);
    }
    assert_int_equal(arena.used_bytes, 33 * 13);
    arena_deinit(&arena);
    arena_deinit(&arena);
}

static void arena_reset_reuses_blocks(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    void *first = arena_alloc_aligned(&arena, 1 << 20, 8);
    memset(first, 1, 1 << 20);
    arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 0);
    assert_ptr_equal(arena_alloc_aligned(&arena, 1 << 20, 8), first);
    assert_null(arena.spare);
    arena_deinit(&arena);
}

static void arena_past_its_limit_serves_and_says_so(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, 100);
    assert_non_null(arena_alloc_aligned(&arena, 100, 1));
    assert_false(arena.over_limit);
    assert_non_null(arena_alloc_aligned(&arena, 1, 1));
    assert_true(arena.over_limit);
    arena_reset(&arena);
    assert_false(arena.over_limit);
    arena_deinit(&arena);
}

static void arena_rewind_frees_what_came_after(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    ArenaMark empty = arena_mark(&arena);
    Str kept = arena_str(&arena, STR("kept"));
    ArenaMark mark = arena_mark(&arena);
    for (int i = 0; i < 100; i++) {
        memset(arena_alloc_aligned(&arena, 1000, 16), i, 1000);
    }
    arena_rewind(&arena, mark);
    assert_int_equal(arena.used_bytes, 4);
    assert_true(str_equal(kept, STR("kept")));
    arena_rewind(&arena, empty);
    assert_null(arena.head);
    assert_int_equal(arena.used_bytes, 0);
    assert_int_equal(*(int *)arena_calloc_bytes(&arena, 4), 0);
    arena_deinit(&arena);
}

static void arena_random_allocations_do_not_overlap(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static uint8_t *at[COUNT];
    static size_t len[COUNT];
    Random random;
    random_init(&random, 1);
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            len[i] = (size_t)random_below(&random, i % 100 == 0 ? 100000 : 200);
            at[i] = arena_alloc_aligned(&arena, len[i], (size_t)1 << random_below(&random, 8));
            memset(at[i], i & 0xff, len[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            for (size_t k = 0; k < len[i]; k++) {
                assert_int_equal(at[i][k], i & 0xff);
            }
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
}

static void arena_texts(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    Str s = arena_format(&arena, "%d-%s", 42, "x");
    assert_true(str_equal(s, STR("42-x")));
    assert_int_equal(s.data[s.len], 0);
    assert_string_equal(arena_c_text(&arena, STR("abc")), "abc");
    assert_string_equal(arena_c_text(&arena, (Str){NULL, 0}), "");
    assert_int_equal(arena_str(&arena, (Str){NULL, 0}).len, 0);
    assert_string_equal(arena_upper(&arena, STR("az {`AZ")).data, "AZ {`AZ");
    assert_string_equal(arena_upper(&arena, (Str){NULL, 0}).data, "");
    assert_ptr_equal(*arena_array(&arena, void *, 3), NULL);
    arena_deinit(&arena);
}

static void buffer_stops_at_its_limit(void **state) {
    (void)state;
    Buffer buffer;
    buffer_init(&buffer, 1000);
    buffer_append_fill(&buffer, 'x', 999);
    assert_int_equal(buffer_check(&buffer, NULL), ERR_OK);
    buffer_append_char(&buffer, 'y');
    assert_int_equal(buffer.len, 1000);
    assert_int_equal(buffer_check(&buffer, NULL), ERR_OK);
    assert_null(buffer_reserve(&buffer, 1));
    buffer_append_str(&buffer, STR(""));
    Error err;
    assert_int_equal(buffer_check(&buffer, &err), ERR_TOO_LARGE);
    assert_int_equal(buffer.len, 1000);
    buffer_clear(&buffer);
    buffer_append_str(&buffer, STR("again"));
    assert_true(str_equal(buffer_str(&buffer), STR("again")));
    buffer_deinit(&buffer);
}

static void buffer_prints_into_exact_room(void **state) {
    (void)state;
    for (size_t limit = 0; limit < 20; limit++) {
        Buffer buffer;
        buffer_init(&buffer, limit);
        buffer_printf(&buffer, "%s", "0123456789");
        assert_int_equal(buffer.failed, limit < 10);
        assert_int_equal(buffer.len, limit < 10 ? 0 : 10);
        buffer_deinit(&buffer);
    }
}

static void buffer_upper(void **state) {
    (void)state;
    Buffer buffer;
    buffer_init(&buffer, 100);
    buffer_append_upper(&buffer, STR("not null_1"));
    assert_true(str_equal(buffer_str(&buffer), STR("NOT NULL_1")));
    buffer_deinit(&buffer);
}

static void reader_reads_what_buffer_put(void **state) {
    (void)state;
    static const uint64_t VALUES[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX};
    Buffer buffer;
    buffer_init(&buffer, SIZE_MAX);
    buffer_put_u8(&buffer, 0xfe);
    buffer_put_u16le(&buffer, 0xfedc);
    buffer_put_u32le(&buffer, 0xfedcba98);
    buffer_put_u64le(&buffer, 0xfedcba9876543210);
    buffer_put_text(&buffer, STR("text"));
    for (size_t i = 0; i < COUNT_OF(VALUES); i++) {
        buffer_put_varint(&buffer, VALUES[i]);
    }
    Reader r = reader_from(buffer_bytes(&buffer));
    assert_int_equal(reader_u8(&r), 0xfe);
    assert_int_equal(reader_u16le(&r), 0xfedc);
    assert_int_equal(reader_u32le(&r), 0xfedcba98);
    assert_true(reader_u64le(&r) == 0xfedcba9876543210);
    assert_true(str_equal(reader_text(&r), STR("text")));
    for (size_t i = 0; i < COUNT_OF(VALUES); i++) {
        assert_true(reader_varint(&r) == VALUES[i]);
    }
    assert_false(r.failed);
    assert_int_equal(r.at, r.len);
    assert_int_equal(reader_u8(&r), 0);
    assert_true(r.failed);
    buffer_deinit(&buffer);
}

static void reader_refuses_over_reads_and_wide_varints(void **state) {
    (void)state;
    static const uint8_t LONG_TEXT[] = {5, 0, 0, 0, 'a', 'b'};
    Reader r = reader_from((Bytes){LONG_TEXT, sizeof LONG_TEXT});
    assert_int_equal(reader_text(&r).len, 0);
    assert_true(r.failed);
    assert_int_equal(reader_u8(&r), 0);
    static const uint8_t WIDE[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
    r = reader_from((Bytes){WIDE, sizeof WIDE});
    assert_true(reader_varint(&r) == 0);
    assert_true(r.failed);
    static const uint8_t ENDLESS[] = {0x80, 0x80};
    r = reader_from((Bytes){ENDLESS, sizeof ENDLESS});
    assert_true(reader_varint(&r) == 0);
    assert_true(r.failed);
    r = reader_from((Bytes){NULL, 0});
    assert_int_equal(reader_bytes(&r, 0).len, 0);
    assert_int_equal(reader_bytes(&r, SIZE_MAX).len, 0);
    assert_true(r.failed);
}

static void plain_allocation(void **state) {
    (void)state;
    void *p = mem_alloc(0);
    assert_non_null(p);
    p = mem_realloc(p, 100);
    mem_free(p);
    mem_free(NULL);
    p = mem_alloc_aligned(65);
    assert_int_equal((uintptr_t)p % 64, 0);
    memset(p, 1, 128);
    mem_free(p);
    uint64_t *zeros = mem_calloc(10, 8);
    assert_true(zeros[9] == 0);
    mem_free(zeros);
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(arena_hands_out_aligned_room),
        cmocka_unit_test(arena_reset_reuses_blocks),
        cmocka_unit_test(arena_past_its_limit_serves_and_says_so),
        cmocka_unit_test(arena_rewind_frees_what_came_after),
        cmocka_unit_test(arena_random_allocations_do_not_overlap),
        cmocka_unit_test(arena_texts),
        cmocka_unit_test(buffer_stops_at_its_limit),
        cmocka_unit_test(buffer_prints_into_exact_room),
        cmocka_unit_test(buffer_upper),
        cmocka_unit_test(reader_reads_what_buffer_put),
        cmocka_unit_test(reader_refuses_over_reads_and_wide_varints),
        cmocka_unit_test(plain_allocation),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
