/* SPDX-License-Identifier: Apache-2.0
 * test_formats.c - the examples of the format pages are what the program reads and writes. FORMAT_EXAMPLES=1 prints them anew. */
#include "engine_support.h"
#include "catalog/store.h"
#include "hex_page.h"
#include "wal/wal.h"
#include <stdlib.h>

static void print_hex(const char *what, Bytes bytes) {
    if (getenv("FORMAT_EXAMPLES") == NULL) {
        return;
    }
    size_t width = bytes.len % 32 == 0 || bytes.len % 32 > 8 ? 32 : 28; /* a page's line has two groups at least */
    printf("%s\n", what);
    for (size_t at = 0; at < bytes.len; at += width) {
        printf("%04zx", at);
        for (size_t i = 0; i < width && at + i < bytes.len; i++) {
            printf("%s%02x", i % 4 == 0 ? " " : "", bytes.data[at + i]);
        }
        printf("\n");
    }
}

static void check_page(const char *page, Bytes written) {
    static uint8_t shown[8192];
    size_t len = 0;
    print_hex(page, written);
    if (getenv("FORMAT_EXAMPLES") == NULL) {
        assert_true(hex_page_load(page, shown, sizeof shown, &len));
        assert_int_equal(len, written.len);
        assert_memory_equal(shown, written.data, len);
    }
}

/* Two rows of which the first ends, in a table of two columns. */
static void run_example(World *world) {
    ColumnDef columns[2] = {{.name = STR("ts"), .type = type_of(TYPE_TIMESTAMP)}, {.name = STR("sym"), .type = type_of(TYPE_SYMBOL)}};
    TableSpec spec = {.name = STR("t"), .columns = columns, .column_count = 2, .designated = 0, .partition = PARTITION_DAY, .wal = true};
    const TableDef *table = NULL;
    Txn *txn = begin(world);
    GOOD(txn_table_create(txn, &spec, &table, &world_err));
    SymbolTable *symbols = table->columns[1].symbols;
    int64_t times[64] = {1000000, 1000005};
    int32_t codes[64] = {symbols->intern(symbols, STR("NABIL")), symbols->intern(symbols, STR("NICA"))};
    ColumnBlock blocks[2] = {{columns[0].type, 2, times, NULL}, {columns[1].type, 2, codes, NULL}};
    GOOD(txn_storage(txn)->append(txn_storage(txn), table->id, blocks, 2, &world_err));
    RowRef first = {1, 0};
    txn_statement_begin(txn);
    GOOD(txn_storage(txn)->end_rows(txn_storage(txn), table->id, &first, 1, &world_err));
    commit(txn);
}

typedef struct Body { Buffer bytes; } Body;
static ErrorCode keep_body(void *context, const WalRecord *record, Error *err) {
    (void)err;
    Body *body = context;
    buffer_append(&body->bytes, record->body.data, record->body.len);
    return ERR_OK;
}

static void read_first_body(World *world, Body *body) {
    engine_close(world->engine);
    MemIo *after = mem_io_after_crash(world->mem, MEM_CRASH_KILL, 1);
    mem_io_destroy(world->mem);
    world->mem = after;
    world->os = mem_os_init(&world->mem_os, world->mem, 7);
    Bytes version = {0};
    Arena arena;
    arena_init(&arena, 1 << 20);
    GOOD(io_read_whole(world->os.io, "VERSION", &arena, &version, &world_err));
    WalOptions options = {.engine_id = strtoull((const char *)version.data + 9, NULL, 16), .inline_mode = true, .redo = keep_body, .context = body};
    arena_deinit(&arena);
    Wal *wal = NULL;
    GOOD(wal_open(world->os, &options, &wal, &world_err));
    wal_close(wal);
}

static void log_record_page_is_true(void **state) {
    (void)state;
    World world;
    world_init(&world);
    run_example(&world);
    Body body;
    buffer_init(&body.bytes, 1 << 20);
    read_first_body(&world, &body);
    check_page("docs/format/log-records.md", buffer_bytes(&body.bytes));
    Buffer text;
    buffer_init(&text, 1 << 20);
    GOOD(engine_dump_operations(buffer_bytes(&body.bytes), &text, &world_err));
    Str want = STR("symbols table 16 column 2 from 0 count 2: NABIL NICA\n"
                   "object table 16 table \"t\" (1 ts timestamp without time zone, 2 sym symbol)\n"
                   "append table 16 part 1 rows 0..1 columns 2\n"
                   "end table 16 part 1 0+1 (1 spans)\n");
    assert_int_equal(text.len, want.len);
    assert_memory_equal(text.data, want.data, want.len);
    buffer_deinit(&text);
    buffer_deinit(&body.bytes);
    mem_io_destroy(world.mem);
}

static void checkpoint_page_is_true(void **state) {
    (void)state;
    World world;
    world_init(&world);
    run_example(&world);
    GOOD(engine_checkpoint(world.engine, &world_err));
    Buffer text;
    buffer_init(&text, 1 << 20);
    GOOD(engine_dump_checkpoint(world.os.io, "checkpoint-1", &text, &world_err));
    Str want = STR("checkpoint lsn 1 format 1 next object 17 next file 2\n"
                   "object table 1 schema \"public\"\n"
                   "object table 16 table \"t\" (1 ts timestamp without time zone, 2 sym symbol)\n"
                   "object table 2 role \"postgres\"\n"
                   "symbols table 16 column 2 from 0 count 2: NABIL NICA\n"
                   "parts table 16 next 2\n"
                   "append table 16 part 1 rows 1..1 columns 2\n");
    assert_int_equal(text.len, want.len);
    assert_memory_equal(text.data, want.data, want.len);
    buffer_deinit(&text);
    size_t len = 0;
    const uint8_t *bytes = mem_io_file(world.mem, "checkpoint-1", &len);
    assert_true(len > 4096);
    Reader reader = reader_from(bytes_from(bytes + 4096, len - 4096)); /* the first block; its operations follow one another */
    size_t ops = 0;
    for (int i = 0; i < 5; i++) {
        (void)reader_u8(&reader);
        (void)reader_u32le(&reader);
        (void)reader_bytes(&reader, reader_u32le(&reader));
        ops = reader.at;
    }
    check_page("docs/format/checkpoint.md", bytes_from(bytes + 4096, ops));
    world_deinit(&world);
}

static void catalog_page_is_true(void **state) {
    (void)state;
    ColumnDef columns[2] = {{.id = 1, .name = STR("ts"), .type = type_of(TYPE_TIMESTAMP), .not_null = true, .missing_is_null = true},
                            {.id = 3, .name = STR("price"), .type = type_decimal(10, 2), .default_text = STR("0.00"), .missing_is_null = true}};
    ObjectVersion *object = object_new(OBJECT_TABLE, 16);
    object->def.schema_id = SCHEMA_PUBLIC_ID;
    object->def.name = STR("t");
    object->next_column_id = 4;
    object->table.schema_name = STR("public");
    object->table.version = 2;
    object->table.designated = 0;
    object->table.partition = PARTITION_MONTH;
    object->table.durability = DURABILITY_INTERVAL;
    object->table.durability_ms = 50;
    object->table.wal = true;
    object_set_columns(object, columns, 2);
    Buffer bytes;
    buffer_init(&bytes, 1 << 20);
    object_encode(object, &bytes);
    check_page("docs/format/catalog.md", buffer_bytes(&bytes));
    buffer_deinit(&bytes);
    object_free(object);
}

static void dictionary_page_is_true(void **state) {
    (void)state;
    Buffer bytes;
    buffer_init(&bytes, 1 << 20);
    buffer_put_u32le(&bytes, 3);
    Str texts[3] = {STR("NABIL"), STR(""), STR("NICA")};
    for (int i = 0; i < 3; i++) {
        buffer_put_varint(&bytes, texts[i].len);
        buffer_append_str(&bytes, texts[i]);
    }
    check_page("docs/format/dictionary.md", buffer_bytes(&bytes));
    buffer_deinit(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(log_record_page_is_true), cmocka_unit_test(checkpoint_page_is_true),
                                       cmocka_unit_test(catalog_page_is_true), cmocka_unit_test(dictionary_page_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
