/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sql_run.c - any text as SQL over three small tables: parse, bind, plan, run to the end or to a limit.
 *
 * Input:      byte 0: bit 0 = dialect, bits 1-2 = vector form, bit 3 = all passes off, bits 4-5 = batch size. Then one statement.
 * Check:      it ends with rows or with an error that has a message; all scans and cursors are closed; asserts and sanitizers do the rest.
 * Limits:     memory 16 MiB; a clock that goes on by one at each look ends runs that would not end. */
#include "array_sql.h"
#include "array_tables.h"
#include "fuzz.h"

enum { TEXT_BYTES_MAX = 2048, LOOKS_MAX = 3000 };
#define RUN_BYTES ((size_t)16 << 20)

typedef struct CountingClock {
    Clock base;
    int64_t looks;
} CountingClock;

static int64_t count_look(Clock *clock) {
    return ++((CountingClock *)clock)->looks;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint16_t batch_sizes[] = {1024, 1, 7, 64};
    if (size < 2 || size > TEXT_BYTES_MAX || memchr(data + 1, 0, size - 1) != NULL || !utf8_valid((Str){(const char *)data + 1, size - 1})) {
        return 0;
    }
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    ArrayStorage storage;
    ArraySql sql;
    Buffer out;
    array_storage_init(&storage, &arena);
    array_tables_make(&storage);
    array_sql_init(&sql, &storage);
    buffer_init(&out, (size_t)64 << 20);
    CountingClock clock = {.base = {.wall_micros = count_look, .monotonic_nanos = count_look}};
    QueryControl control = {.deadline_nanos = LOOKS_MAX, .clock = &clock.base};
    sql.control = &control;
    sql.memory_limit = RUN_BYTES;
    sql.questdb = (data[0] & 1) != 0;
    storage.form = (ArrayForm)(data[0] >> 1 & 3);
    sql.passes_off = (data[0] & 8) != 0 ? ~UINT32_C(0) : 0;
    storage.batch_rows = batch_sizes[data[0] >> 4 & 3];
    Error err = {.position = ERROR_NO_POSITION};
    const char *text = arena_c_text(&arena, (Str){(const char *)data + 1, size - 1});
    ErrorCode code = array_sql_run(&sql, text, false, &out, &err);
    FUZZ_CHECK(code == ERR_OK || err.message[0] != 0);
    FUZZ_CHECK(storage.open_scans == 0);
    FUZZ_CHECK(storage.open_cursors == 0);
    buffer_deinit(&out);
    arena_deinit(&arena);
    return 0;
}
