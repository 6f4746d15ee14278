/* SPDX-License-Identifier: Apache-2.0
 * fuzz_sql.c - any text as statements on a small database: binder, planner, executor, storage, encoders.
 *
 * Input:      byte 0: bit 0 = dialect, bit 1 = the rows lie in a checkpoint and segments. Then statements.
 * Check:      no statement breaks anything: afterwards the database passes engine_check. */
#include "fuzz.h"
#include "sql_world.h"

enum { TEXT_BYTES_MAX = 2048, STATEMENTS_MAX = 8, SETUP_TABLES = 2, SETUP_ROWS = 8 };

static const char SETUP[] =
    "create table t (ts timestamp not null, s symbol, i int, l bigint, d double precision, v varchar, b boolean) "
    "timestamp(ts) partition by day;"
    "create table u (id int, name text, amount numeric(10,2), day date);"
    "insert into t values "
    "('2024-01-01T00:00:00', 'a', 1, 10, 1.5, 'one', true), ('2024-01-01T00:00:01', 'b', 2, 20, -2.5, 'two', false),"
    "('2024-01-01T00:00:02', 'a', null, -30, 'NaN', null, null), ('2024-01-02T12:00:00', null, 4, null, null, '', true),"
    "('2024-01-02T12:00:00', 'c', 2147483647, 9223372036854775807, 1e30, 'a longer text than sixteen', false);"
    "insert into u values (1, 'x', 10.25, '2024-01-01'), (2, 'y', null, '2024-02-29'), (3, null, -0.01, null);";

static void run(SqlWorld *world) {
    sql_world_open_session(world, DIALECT_POSTGRES);
    FUZZ_CHECK(sql_world_run_text(world, STR(SETUP), STATEMENTS_MAX));
    sql_world_close_session(world);
    EngineCounters counters;
    engine_counters(world->engine, &counters);
    FUZZ_CHECK(counters.tables == SETUP_TABLES);
    FUZZ_CHECK(counters.rows_appended == SETUP_ROWS);
    if (world->input.data[0] & 2) {
        FUZZ_CHECK(engine_checkpoint(world->engine, NULL) == ERR_OK);
    }
    sql_world_open_session(world, world->input.data[0] & 1 ? DIALECT_QUESTDB : DIALECT_POSTGRES);
    (void)sql_world_run_text(world, (Str){(const char *)world->input.data + 1, world->input.len - 1}, STATEMENTS_MAX);
    sql_world_close_session(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > TEXT_BYTES_MAX || !utf8_valid((Str){(const char *)data + 1, size - 1})) {
        return 0;
    }
    sql_world_run(bytes_from(data, size), run);
    return 0;
}
