/* SPDX-License-Identifier: Apache-2.0
 * test_writer.c - COPY TO: the exact bytes of each format, and that the reader gives the same values back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/random.h"
#include "copy/copy.h"

static const Str NAMES[] = {STR("a"), STR("b,c")};
static const char *const TEXTS[] = {"x", "", "tab\there", "line\nend\r", "back\\slash", "\\.", "say \"hi\", ok", "\\N", "NULL", "a\bb\fc\vd\x01", "a longer text, which is longer than sixteen\tbytes"};

typedef struct World { Arena arena; Batch batch; Vector columns[2]; } World;

static void make(World *world) {
    arena_init(&world->arena, SIZE_MAX);
    world->columns[0] = vector_new(&world->arena, type_of(TYPE_INT4));
    world->columns[1] = vector_new(&world->arena, type_of(TYPE_TEXT));
    for (size_t i = 0; i < COUNT_OF(TEXTS); i++) {
        ((int32_t *)vector_data(&world->columns[0]))[i] = (int32_t)i;
        ((StrRef *)vector_data(&world->columns[1]))[i] = strref_make(TEXTS[i], strlen(TEXTS[i]));
    }
    vector_set_null(&world->columns[0], &world->arena, 1);
    vector_set_null(&world->columns[1], &world->arena, 0);
    world->columns[0].row_count = world->columns[1].row_count = COUNT_OF(TEXTS);
    world->batch = (Batch){.row_count = COUNT_OF(TEXTS), .live_count = COUNT_OF(TEXTS), .column_count = 2, .columns = world->columns};
}

static void write_all(const CopyOptions *options, bool in_messages, Buffer *out) {
    World world;
    CopyWriter writer;
    PgRowWindow window = {.rows_left = UINT64_MAX};
    make(&world);
    assert_int_equal(copy_writer_init(&writer, options, NAMES, 2, in_messages, &(TextStyle){0}, NULL), ERR_OK);
    copy_write_begin(&writer, NAMES, out);
    assert_int_equal(copy_write_rows(&writer, &world.batch, NULL, &window, out, NULL), ERR_OK);
    assert_int_equal(writer.encoder.row_count, COUNT_OF(TEXTS));
    copy_write_end(&writer, out);
    copy_writer_deinit(&writer);
    arena_deinit(&world.arena);
}

static const Str B[] = {STR("b,c")};
static const struct { CopyOptions options; const char *want; } CASES[] = {
    {{.format = COPY_TEXT},
     "0\t\\N\n\\N\t\n2\ttab\\there\n3\tline\\nend\\r\n4\tback\\\\slash\n5\t\\\\.\n6\tsay \"hi\", ok\n7\t\\\\N\n8\tNULL\n9\ta\\bb\\fc\\vd\x01\n"
     "10\ta longer text, which is longer than sixteen\\tbytes\n"},
    {{.format = COPY_TEXT, .header = COPY_HEADER_YES, .delimiter = ',', .null_text = {"NULL", 4}},
     "a,b\\,c\n0,NULL\nNULL,\n2,tab\\there\n3,line\\nend\\r\n4,back\\\\slash\n5,\\\\.\n6,say \"hi\"\\, ok\n7,\\\\N\n8,NULL\n9,a\\bb\\fc\\vd\x01\n"
     "10,a longer text\\, which is longer than sixteen\\tbytes\n"},
    {{.format = COPY_CSV, .header = COPY_HEADER_YES},
     "a,\"b,c\"\n0,\n,\"\"\n2,tab\there\n3,\"line\nend\r\"\n4,back\\slash\n5,\\.\n6,\"say \"\"hi\"\", ok\"\n7,\\N\n8,NULL\n9,a\bb\fc\vd\x01\n"
     "10,\"a longer text, which is longer than sixteen\tbytes\"\n"},
    {{.format = COPY_CSV, .delimiter = ';', .quote = '\'', .escape = '\\', .null_text = {"NULL", 4}, .force_quote = B, .force_quote_count = 1},
     "0;NULL\nNULL;''\n2;'tab\there'\n3;'line\nend\r'\n4;'back\\\\slash'\n5;'\\\\.'\n6;'say \"hi\", ok'\n7;'\\\\N'\n8;'NULL'\n9;'a\bb\fc\vd\x01'\n"
     "10;'a longer text, which is longer than sixteen\tbytes'\n"},
};

static void exact_lines(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        Buffer out;
        buffer_init(&out, 1 << 16);
        write_all(&CASES[i].options, false, &out);
        buffer_append_char(&out, '\0');
        assert_string_equal((const char *)out.data, CASES[i].want);
        buffer_deinit(&out);
    }
}

/* What was written is read again, but for NULL beside a text that looks like it. */
static void the_reader_gives_the_values_back(void **state) {
    (void)state;
    static const CopyOptions OPTIONS[] = {{.format = COPY_TEXT}, {.format = COPY_CSV}, {.format = COPY_BINARY}, {.format = COPY_CSV, .force_quote_all = true},
                                          {.format = COPY_CSV, .quote = '\'', .escape = '\\'}};
    static const FunctionEnvironment ENVIRONMENT = {0};
    for (size_t k = 0; k < COUNT_OF(OPTIONS); k++) {
        CopyColumn columns[] = {{.name = NAMES[0], .type = type_of(TYPE_INT4)}, {.name = NAMES[1], .type = type_of(TYPE_TEXT)}};
        CopyReaderOptions options = {.copy = OPTIONS[k], .table_name = STR("t"), .columns = columns, .column_count = 2, .environment = &ENVIRONMENT};
        CopyReader *reader = NULL;
        size_t used;
        Buffer out;
        buffer_init(&out, 1 << 16);
        write_all(&OPTIONS[k], false, &out);
        assert_int_equal(copy_reader_open(&options, &reader, NULL), ERR_OK);
        assert_int_equal(copy_reader_feed(reader, buffer_bytes(&out), &used, NULL), ERR_OK);
        assert_int_equal(copy_reader_end(reader, NULL), ERR_OK);
        assert_int_equal(copy_reader_rows(reader), COUNT_OF(TEXTS));
        ColumnBlock texts = column_builder_block(copy_reader_builder(reader, 1));
        for (size_t i = 0; i < COUNT_OF(TEXTS); i++) {
            assert_int_equal(bit_get(texts.valid, i), i != 0);
            if (i != 0) {
                assert_true(str_equal(strref_str((const StrRef *)texts.data + i), str_from_c(TEXTS[i])));
            }
        }
        copy_reader_close(reader);
        buffer_deinit(&out);
    }
}

static void each_row_is_a_message(void **state) {
    (void)state;
    for (int format = COPY_TEXT; format <= COPY_BINARY; format++) {
        CopyOptions options = {.format = (CopyFormat)format};
        Buffer plain, framed, joined;
        buffer_init(&plain, 1 << 16);
        buffer_init(&framed, 1 << 16);
        buffer_init(&joined, 1 << 16);
        write_all(&options, false, &plain);
        write_all(&options, true, &framed);
        size_t messages = 0;
        for (size_t at = 0; at < framed.len; messages++) {
            assert_int_equal(framed.data[at], 'd');
            uint32_t length = __builtin_bswap32(get_u32le(framed.data + at + 1));
            buffer_append(&joined, framed.data + at + 5, length - 4);
            at += 1 + length;
        }
        assert_int_equal(messages, COUNT_OF(TEXTS) + (format == COPY_BINARY ? 1 : 0));
        assert_int_equal(joined.len, plain.len);
        assert_memory_equal(joined.data, plain.data, plain.len);
        buffer_deinit(&plain);
        buffer_deinit(&framed);
        buffer_deinit(&joined);
    }
}

static void forced_columns_must_exist(void **state) {
    (void)state;
    CopyWriter writer;
    static const Str NONE[] = {STR("zzz")};
    CopyOptions options = {.format = COPY_CSV, .force_quote = NONE, .force_quote_count = 1};
    assert_int_equal(copy_writer_init(&writer, &options, NAMES, 2, false, &(TextStyle){0}, NULL), ERR_INVALID_COLUMN_REFERENCE);
}

/* ---- random texts beside a writer of one byte at a time ---- */

static void naive_csv(Str text, Buffer *out) {
    bool quoted = text.len == 0;
    for (size_t i = 0; i < text.len; i++) {
        quoted = quoted || strchr(",\"\n\r", text.data[i]) != NULL;
    }
    if (quoted) {
        buffer_append_char(out, '"');
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"') {
            buffer_append_char(out, '"');
        }
        buffer_append_char(out, text.data[i]);
    }
    if (quoted) {
        buffer_append_char(out, '"');
    }
}

static void naive_text(Str text, Buffer *out) {
    static const char FROM[] = "\b\t\n\v\f\r\\", TO[] = "btnvfr\\";
    for (size_t i = 0; i < text.len; i++) {
        const char *at = strchr(FROM, text.data[i]);
        if (at != NULL) {
            buffer_append_char(out, '\\');
        }
        buffer_append_char(out, at != NULL ? TO[at - FROM] : text.data[i]);
    }
}

enum { RANDOM_TEXT_MAX = 40 };
typedef struct RandomRows { char texts[BATCH_ROWS][RANDOM_TEXT_MAX]; Vector columns[3]; } RandomRows;

/* Texts of all lengths with a special byte here and there; a number of few values; NULLs among them. */
static void make_random(RandomRows *rows, Arena *arena, Random *random) {
    static const char SPECIAL[] = "\t\n\r\\\",;x\x01\x7f\xc3", USUAL[] = "abcdefghij 0123-.";
    rows->columns[0] = vector_new(arena, type_of(TYPE_TEXT));
    rows->columns[1] = vector_new(arena, type_of(TYPE_INT4));
    rows->columns[2] = vector_new(arena, type_of(TYPE_TEXT));
    for (size_t i = 0; i < BATCH_ROWS; i++) {
        size_t len = random_below(random, RANDOM_TEXT_MAX + 1);
        for (size_t k = 0; k < len; k++) {
            rows->texts[i][k] = random_below(random, 30) == 0 ? SPECIAL[random_below(random, sizeof SPECIAL - 1)] : USUAL[random_below(random, sizeof USUAL - 1)];
        }
        ((StrRef *)vector_data(&rows->columns[0]))[i] = strref_make(rows->texts[i], len);
        ((int32_t *)vector_data(&rows->columns[1]))[i] = (int32_t)random_between(random, -5000, 5000);
        ((StrRef *)vector_data(&rows->columns[2]))[i] = strref_make("last", 4);
    }
    for (size_t i = 0; i < BATCH_ROWS; i++) {
        if (random_below(random, 8) == 0) {
            vector_set_null(&rows->columns[random_below(random, 3)], arena, (uint32_t)i);
        }
    }
    for (size_t c = 0; c < 3; c++) {
        rows->columns[c].row_count = BATCH_ROWS;
    }
}

static void naive_rows(const RandomRows *rows, bool csv, Buffer *out) {
    for (size_t i = 0; i < BATCH_ROWS; i++) {
        for (size_t c = 0; c < 3; c++) {
            if (c > 0) {
                buffer_append_char(out, csv ? ',' : '\t');
            }
            if (vector_is_null(&rows->columns[c], i)) {
                buffer_append_str(out, csv ? STR("") : STR("\\N"));
            } else if (c == 1) {
                buffer_printf(out, "%d", ((const int32_t *)rows->columns[c].data)[i]);
            } else if (csv) {
                naive_csv(vector_text(&rows->columns[c], i), out);
            } else {
                naive_text(vector_text(&rows->columns[c], i), out);
            }
        }
        buffer_append_char(out, '\n');
    }
}

static void random_rows_are_what_a_byte_wise_writer_gives(void **state) {
    (void)state;
    static const Str COLUMNS[] = {STR("a"), STR("b"), STR("c")};
    RandomRows *rows = mem_alloc(sizeof *rows);
    Random random;
    random_init(&random, 77);
    for (int round = 0; round < 40; round++) {
        Arena arena;
        Buffer have, want;
        CopyWriter writer;
        PgRowWindow window = {.rows_left = UINT64_MAX};
        bool csv = round % 2 == 0;
        arena_init(&arena, SIZE_MAX);
        buffer_init(&have, 1 << 24);
        buffer_init(&want, 1 << 24);
        make_random(rows, &arena, &random);
        Batch batch = {.row_count = BATCH_ROWS, .live_count = BATCH_ROWS, .column_count = 3, .columns = rows->columns};
        assert_int_equal(copy_writer_init(&writer, &(CopyOptions){.format = csv ? COPY_CSV : COPY_TEXT}, COLUMNS, 3, false, &(TextStyle){0}, NULL), ERR_OK);
        assert_int_equal(copy_write_rows(&writer, &batch, NULL, &window, &have, NULL), ERR_OK);
        naive_rows(rows, csv, &want);
        assert_int_equal(have.len, want.len);
        assert_memory_equal(have.data, want.data, want.len);
        copy_writer_deinit(&writer);
        buffer_deinit(&have);
        buffer_deinit(&want);
        arena_deinit(&arena);
    }
    mem_free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_lines),
        cmocka_unit_test(random_rows_are_what_a_byte_wise_writer_gives), cmocka_unit_test(the_reader_gives_the_values_back),
        cmocka_unit_test(each_row_is_a_message),
        cmocka_unit_test(forced_columns_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
