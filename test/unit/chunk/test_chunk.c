/* SPDX-License-Identifier: Apache-2.0
 * test_chunk.c - chunks take rows as they came; placement leaves holes that nobody sees; bits, pool, time order. */
#include "base/random.h"
#include "chunk/chunk.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void no_mutex(Sched *sched, Mutex *mutex) { (void)sched, (void)mutex; }
static Sched SCHED = {.mutex_init = no_mutex, .mutex_deinit = no_mutex, .mutex_lock = no_mutex, .mutex_unlock = no_mutex};

static ChunkLayout *test_layout(void) {
    LayoutColumn columns[4] = {{9, type_of(TYPE_TEXT)}, {2, type_of(TYPE_TIMESTAMP)}, {5, type_of(TYPE_BOOL)}, {7, type_of(TYPE_NUMERIC)}};
    return layout_create(columns, 4, 1);
}

static void layouts_are_sorted_by_id(void **state) {
    (void)state;
    ChunkLayout *layout = test_layout();
    assert_int_equal(layout->columns[0].id, 2);
    assert_int_equal(layout->time_column, 0);
    assert_int_equal(layout_find(layout, 9), 3);
    assert_int_equal(layout_find(layout, 3), -1);
    mem_free(layout);
}

typedef struct Rows {
    int64_t times[64];
    uint64_t flags, valid;
    StrRef texts[64];
    NumericSlot numbers[64];
    Int128 bigs[64];
    ColumnBlock blocks[4];
    const ColumnBlock *columns[4];
} Rows;

static void rows_fill(Rows *rows, int64_t first, uint32_t count) {
    static const char LONG[] = "a text of more than twelve bytes";
    memset(rows, 0, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows->times[i] = first + i;
        rows->flags |= (uint64_t)((first + i) % 3 == 0) << i;
        rows->valid |= (uint64_t)((first + i) % 5 != 0) << i;
        rows->texts[i] = strref_make(LONG, (size_t)(first + i) % 32);
        rows->bigs[i] = (Int128)(first + i) << 80;
        rows->numbers[i] = i % 2 == 0 ? (NumericSlot){.as.coefficient = first + i} : (NumericSlot){.as.big = &rows->bigs[i], .is_big = 1};
    }
    rows->blocks[0] = (ColumnBlock){type_of(TYPE_TIMESTAMP), count, rows->times, NULL};
    rows->blocks[1] = (ColumnBlock){type_of(TYPE_BOOL), count, &rows->flags, NULL};
    rows->blocks[2] = (ColumnBlock){type_of(TYPE_NUMERIC), count, rows->numbers, NULL};
    rows->blocks[3] = (ColumnBlock){type_of(TYPE_TEXT), count, rows->texts, &rows->valid};
    for (int i = 0; i < 4; i++) {
        rows->columns[i] = &rows->blocks[i];
    }
}

static void check_row(const Chunk *chunk, uint32_t row, int64_t n) {
    assert_int_equal(((const int64_t *)chunk->columns[0].data)[row], n);
    assert_int_equal(bit_get(chunk->columns[1].data, row), n % 3 == 0);
    assert_int_equal(bit_get(chunk->columns[3].valid, row), n % 5 != 0);
    Str text = strref_str(&((const StrRef *)chunk->columns[3].data)[row]);
    assert_int_equal(text.len, n % 5 != 0 ? n % 32 : 0);
    const NumericSlot *slot = &((const NumericSlot *)chunk->columns[2].data)[row];
    assert_true(slot->is_big ? *slot->as.big == (Int128)n << 80 : slot->as.coefficient == n);
}

static void append(Chunk *chunk, Rows *rows, uint32_t count, Stamp stamp) {
    ChunkSource source = {rows->columns, 0, count};
    uint8_t *heap = NULL;
    uint32_t first = chunk_reserve(chunk, &source, stamp, chunk_source_heap_bytes(chunk->layout, &source), &heap);
    TimeFacts times = chunk_copy(chunk, &source, first, heap);
    chunk_copy_bits(chunk, &source, first);
    chunk_fill(chunk, first, &times);
}

static void appended_rows_come_back(void **state) {
    (void)state;
    ChunkPool pool;
    chunk_pool_init(&pool, &SCHED, 1 << 20);
    ChunkLayout *layout = test_layout();
    Chunk *chunk = chunk_create(&pool, layout, 0, 1024, false);
    static Rows rows;
    int64_t n = 0;
    while (chunk->reserved + 37 <= chunk->capacity) {
        rows_fill(&rows, n, 37);
        append(chunk, &rows, 37, 1);
        n += 37;
    }
    assert_int_equal(chunk->filled, n);
    assert_true(chunk->times.sorted);
    for (uint32_t i = 0; i < n; i++) {
        check_row(chunk, i, i);
    }
    chunk_destroy(chunk);
    assert_int_equal(chunk_pool_used(&pool), 0);
    mem_free(layout);
    chunk_pool_deinit(&pool);
}

static void fill_waits_for_the_rows_before(void **state) {
    (void)state;
    ChunkPool pool;
    chunk_pool_init(&pool, &SCHED, 0);
    ChunkLayout *layout = test_layout();
    Chunk *chunk = chunk_create(&pool, layout, 0, 64, false);
    static Rows rows;
    rows_fill(&rows, 0, 10);
    ChunkSource source = {rows.columns, 0, 10};
    uint8_t *heap = NULL;
    uint32_t first = chunk_reserve(chunk, &source, 1, chunk_source_heap_bytes(layout, &source), &heap);
    append(chunk, &rows, 10, 2);
    assert_int_equal(chunk->filled, 0);
    TimeFacts times = chunk_copy(chunk, &source, first, heap);
    chunk_copy_bits(chunk, &source, first);
    chunk_fill(chunk, first, &times);
    assert_int_equal(chunk->filled, 20);
    assert_false(chunk->times.sorted);
    chunk_destroy(chunk);
    mem_free(layout);
    chunk_pool_deinit(&pool);
}

static void placed_rows_leave_holes_nobody_sees(void **state) {
    (void)state;
    ChunkPool pool;
    chunk_pool_init(&pool, &SCHED, 0);
    ChunkLayout *layout = test_layout();
    Chunk *chunk = chunk_create(&pool, layout, 0, 256, true);
    static Rows rows;
    rows_fill(&rows, 100, 20);
    chunk_place(chunk, &(ChunkSource){rows.columns, 0, 20}, 100, 7);
    rows_fill(&rows, 10, 20);
    chunk_place(chunk, &(ChunkSource){rows.columns, 0, 20}, 10, 9);
    chunk_settle_holes(chunk);
    assert_int_equal(chunk->filled, 120);
    assert_true(chunk->times.sorted);
    uint64_t live[4] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    (void)ends_apply(&chunk->ends, 0, 120, &(Snapshot){.lsn = 9}, live);
    for (uint32_t row = 0; row < 120; row++) {
        bool placed = (row >= 10 && row < 30) || row >= 100;
        assert_int_equal(bit_get(live, row), placed);
        if (placed) {
            check_row(chunk, row, row);
        }
    }
    chunk_destroy(chunk);
    mem_free(layout);
    chunk_pool_deinit(&pool);
}

static void order_is_by_time_then_arrival(void **state) {
    (void)state;
    Random random;
    random_init(&random, 4);
    enum { ROWS = 20000 };
    static int64_t times[ROWS];
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < ROWS; i++) {
            times[i] = round == 0 ? 5 : round < 3 ? random_between(&random, -50, 50) : (int64_t)random_next(&random) >> (round * 10);
        }
        ChunkOrder *order = chunk_order_create(times, ROWS);
        for (int i = 1; i < ROWS; i++) {
            int64_t a = times[order->rows[i - 1]];
            int64_t b = times[order->rows[i]];
            assert_true(a < b || (a == b && order->rows[i - 1] < order->rows[i]));
        }
        chunk_order_release(order);
    }
}

static void bits_are_copied_at_any_offset(void **state) {
    (void)state;
    Random random;
    random_init(&random, 8);
    for (int round = 0; round < 2000; round++) {
        uint64_t from[5];
        uint64_t to[5];
        uint64_t want[5];
        for (int i = 0; i < 5; i++) {
            from[i] = random_next(&random);
            want[i] = to[i] = random_next(&random);
        }
        size_t count = random_below(&random, 200);
        size_t from_bit = random_below(&random, 320 - count);
        size_t to_bit = random_below(&random, 320 - count);
        for (size_t i = 0; i < count; i++) {
            bit_clear(want, to_bit + i);
            if (bit_get(from, from_bit + i)) {
                bit_set(want, to_bit + i);
            }
        }
        bits_copy(to, to_bit, from, from_bit, count);
        assert_memory_equal(to, want, sizeof to);
    }
}

static void pool_recycles_and_trims(void **state) {
    (void)state;
    ChunkPool pool;
    chunk_pool_init(&pool, &SCHED, 1 << 20);
    void *a = chunk_pool_acquire(&pool, 300000);
    assert_int_equal(chunk_pool_used(&pool), 1 << 19);
    chunk_pool_release(&pool, a, 300000);
    assert_ptr_equal(chunk_pool_acquire(&pool, 400000), a);
    chunk_pool_release(&pool, a, 400000);
    assert_int_equal(pool.kept_bytes, 1 << 19);
    chunk_pool_trim(&pool, 0);
    assert_int_equal(pool.kept_bytes, 0);
    chunk_pool_deinit(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_sorted_by_id),      cmocka_unit_test(appended_rows_come_back),
        cmocka_unit_test(fill_waits_for_the_rows_before), cmocka_unit_test(placed_rows_leave_holes_nobody_sees),
        cmocka_unit_test(order_is_by_time_then_arrival), cmocka_unit_test(bits_are_copied_at_any_offset),
        cmocka_unit_test(pool_recycles_and_trims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
