/* SPDX-License-Identifier: Apache-2.0
 * test_gen.c - generated data is the same everywhere, in time order, and has the shares it should have. */
#include "base/hash.h"
#include "gen/gen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <stdlib.h>

typedef struct Sink {
    uint32_t crc;
    uint64_t bytes;
} Sink;

static ErrorCode take(void *context, Bytes piece, Error *err) {
    (void)err;
    Sink *sink = context;
    sink->crc = crc32c(sink->crc, piece.data, piece.len);
    sink->bytes += piece.len;
    return ERR_OK;
}

typedef struct Pin {
    const char *kind;
    GenFormat format;
    uint32_t crc;
    uint64_t bytes;
} Pin;
static const Pin PINS[] = {
    {"floorsheet", GEN_CSV, 0x362e8d6c, 731332},
    {"floorsheet", GEN_ILP, 0xfc2b4470, 1241272},
    {"cpu", GEN_CSV, 0xca14be12, 1206727},
    {"cpu", GEN_ILP, 0x821ff015, 3466504},
    {"taq", GEN_CSV, 0xbbfada06, 659346},
    {"taq", GEN_ILP, 0x8b526f5a, 1379263},
    {"taq", GEN_PIPE, 0x00d13494, 779759},
    {"taq-trades", GEN_CSV, 0xd897ad41, 626427},
    {"taq-trades", GEN_ILP, 0xaa2dad89, 1306349},
    {"taq-trades", GEN_PIPE, 0xebf0771f, 706653},
};

static void ten_thousand_rows_have_the_pinned_checksum(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT_OF(PINS); i++) {
        GenOptions options = {.kind = str_from_c(PINS[i].kind), .rows = 10000, .seed = 7, .format = PINS[i].format};
        Sink sink = {0};
        assert_int_equal(gen_run(&options, take, &sink, NULL), ERR_OK);
        if (sink.crc != PINS[i].crc || sink.bytes != PINS[i].bytes) {
            print_message("row %zu: {\"%s\", %s, 0x%08x, %lu}\n", i, PINS[i].kind,
                          PINS[i].format == GEN_CSV ? "GEN_CSV" : PINS[i].format == GEN_PIPE ? "GEN_PIPE" : "GEN_ILP", sink.crc, (unsigned long)sink.bytes);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static Buffer generate(const char *kind, uint64_t rows) {
    Arena arena;
    Buffer out;
    Generator *generator = NULL;
    GenOptions options = {.kind = str_from_c(kind), .rows = rows, .seed = 3};
    arena_init(&arena, SIZE_MAX);
    buffer_init(&out, SIZE_MAX);
    assert_int_equal(generator_open(&options, &arena, &generator, NULL), ERR_OK);
    while (generator_next(generator, &out)) {
    }
    arena_deinit(&arena);
    return out;
}

static void fewer_rows_are_the_head_of_more(void **state) {
    (void)state;
    static const char *const KINDS[] = {"floorsheet", "cpu", "taq", "taq-trades"};
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        Buffer few = generate(KINDS[i], 1500), many = generate(KINDS[i], 4000);
        assert_true(few.len < many.len);
        assert_memory_equal(few.data, many.data, few.len);
        buffer_deinit(&few);
        buffer_deinit(&many);
    }
}

static void rows_come_in_time_order(void **state) {
    (void)state;
    static const char *const KINDS[] = {"floorsheet", "cpu", "taq", "taq-trades"};
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        Buffer out = generate(KINDS[i], 200000);
        Str rest = buffer_str(&out), line, last = STR("");
        uint64_t rows = 0;
        assert_true(str_split(&rest, '\n', &line)); /* the header */
        while (str_split(&rest, '\n', &line) && line.len > 0) {
            Str time = str_slice(line, 0, (size_t)str_find_char(line, ',', 0));
            if (rows > 0) {
                assert_true(time.len == last.len);
                assert_true(str_compare(last, time) <= 0);
            }
            last = time;
            rows++;
        }
        assert_int_equal(rows, 200000);
        buffer_deinit(&out);
    }
}

static int64_t decimal(Str text) { /* hundredths */
    ptrdiff_t point = str_find_char(text, '.', 0);
    int64_t value = strtoll(text.data, NULL, 10) * 100;
    assert_true(point > 0);
    value += (text.data[point + 1] - '0') * 10;
    return (size_t)point + 2 < text.len ? value + (text.data[point + 2] - '0') : value;
}

static void floorsheet_has_exact_amounts_and_real_shares(void **state) {
    (void)state;
    Buffer out = generate("floorsheet", 100000);
    Str rest = buffer_str(&out), line;
    uint32_t self = 0, tens = 0, nabil = 0, single_day = 0;
    assert_true(str_split(&rest, '\n', &line));
    while (str_split(&rest, '\n', &line) && line.len > 0) {
        Str field[8], tail = line;
        for (size_t i = 0; i < 8; i++) {
            assert_true(str_split(&tail, ',', &field[i]));
        }
        int64_t quantity = strtoll(field[5].data, NULL, 10);
        assert_true(quantity >= 10);
        assert_int_equal(quantity * decimal(field[6]), decimal(field[7]));
        self += str_equal(field[2], field[3]);
        tens += quantity == 10;
        nabil += str_equal(field[1], STR("NABIL"));
        single_day += str_starts_with(line, STR("2024-10-01T"));
    }
    assert_in_range(self, 1500, 4500);     /* 2.7 % measured */
    assert_in_range(tens, 20000, 32000);   /* 24 % measured */
    assert_in_range(nabil, 150, 3000);
    assert_in_range(single_day, 30000, 80000);
    buffer_deinit(&out);
}

static void thirty_days_are_exactly_the_demo(void **state) {
    (void)state;
    Buffer out = generate("floorsheet", 1537201);
    size_t end = out.len - 1, start = end;
    while (out.data[start - 1] != '\n') {
        start--;
    }
    size_t before_end = start - 1, before = before_end;
    while (out.data[before - 1] != '\n') {
        before--;
    }
    assert_memory_equal(out.data + start, "2024-11-12T", 11); /* the first trade of day 31 */
    assert_memory_equal(out.data + before, "2024-11-11T", 11);
    buffer_deinit(&out);
}

static void unknown_kinds_are_refused(void **state) {
    (void)state;
    GenOptions options = {.kind = STR("weather"), .rows = 1};
    Error err = {0};
    Sink sink = {0};
    assert_int_equal(gen_run(&options, take, &sink, &err), ERR_INVALID_PARAMETER);
    assert_non_null(strstr(err.message, "weather"));
    assert_int_equal(sink.bytes, 0);
}

/* Shares of the trades, and the form of a daily file: every line has the header's columns, the last one says how many there were. */
static void trades_have_the_shares_of_a_tape(void **state) {
    (void)state;
    enum { ROWS = 200000 };
    Sink ignored = {0};
    Error err = {0};
    Arena arena;
    Buffer out;
    Generator *generator = NULL;
    GenOptions options = {.kind = STR("taq-trades"), .rows = ROWS, .seed = 3, .format = GEN_PIPE};
    arena_init(&arena, SIZE_MAX);
    buffer_init(&out, SIZE_MAX);
    assert_int_equal(generator_open(&options, &arena, &generator, NULL), ERR_OK);
    while (generator_next(generator, &out)) {
    }
    Str rest = buffer_str(&out), line, field, last_time = STR(""), last = STR("");
    uint32_t rows = 0, odd = 0, same_time = 0, repeats = 0, empty = 0;
    assert_true(str_split(&rest, '\n', &line)); /* the header */
    while (str_split(&rest, '\n', &line) && !str_starts_with(line, STR("END|"))) {
        Str columns[15], parts = line;
        for (int i = 0; i < 15; i++) {
            assert_true(str_split(&parts, '|', &field));
            columns[i] = field;
        }
        assert_int_equal(columns[0].len, 15);
        assert_true(str_compare(last_time, columns[0]) <= 0);
        odd += strtol(columns[4].data, NULL, 10) < 100;
        empty += columns[3].len == 0;
        same_time += str_equal(last_time, columns[0]);
        repeats += str_equal(last, line);
        last_time = columns[0];
        last = line;
        rows++;
    }
    assert_int_equal(rows, ROWS);
    assert_true(str_starts_with(line, STR("END|20250102|200000|")));
    assert_in_range(odd * 100 / ROWS, 44, 48);
    assert_in_range(empty * 100 / ROWS, 31, 35);
    assert_in_range(same_time * 100 / ROWS, 50, 62);
    assert_in_range(repeats * 100 / ROWS, 7, 9);
    options.rows = 3000000; /* more than a day */
    assert_int_equal(gen_run(&options, take, &ignored, &err), ERR_INVALID_PARAMETER);
    options = (GenOptions){.kind = STR("cpu"), .rows = 1, .format = GEN_PIPE};
    assert_int_equal(gen_run(&options, take, &ignored, &err), ERR_INVALID_PARAMETER);
    buffer_deinit(&out);
    arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_rows_have_the_pinned_checksum),
        cmocka_unit_test(fewer_rows_are_the_head_of_more),
        cmocka_unit_test(rows_come_in_time_order), cmocka_unit_test(trades_have_the_shares_of_a_tape),
        cmocka_unit_test(floorsheet_has_exact_amounts_and_real_shares),
        cmocka_unit_test(thirty_days_are_exactly_the_demo),
        cmocka_unit_test(unknown_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
