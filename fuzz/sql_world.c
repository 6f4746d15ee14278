/* SPDX-License-Identifier: Apache-2.0
 * sql_world.c - see sql_world.h. */
#include "sql_world.h"
#include "base/hash.h"
#include "encode/encode.h"
#include "fuzz.h"

enum { MEMORY_BYTES = 64 << 20, TIMEOUT_MS = 300, BATCHES_MAX = 64, TEXT_BYTES_MAX = 16 << 20 };
#define NANOS_PER_LOOK INT64_C(1000000)

static int64_t wall(Clock *clock) {
    return INT64_C(1704067200000000) + ((SqlWorld *)clock)->now_nanos / 1000;
}

static int64_t monotonic(Clock *clock) {
    SqlWorld *world = (SqlWorld *)clock;
    world->now_nanos += NANOS_PER_LOOK;
    return world->now_nanos;
}

/* ---- the world ---- */

static void run_in_world(void *argument) {
    SqlWorld *world = argument;
    Error err = {0};
    EngineOptions options = {.embedded = true, .no_background = true, .checkpoint_interval_ms = -1};
    FUZZ_CHECK(engine_open(world->os, &options, &world->engine, &err) == ERR_OK);
    world->main(world);
    FUZZ_CHECK(world->session == NULL);
    Buffer report;
    buffer_init(&report, 1 << 20);
    ErrorCode code = engine_check(world->engine, &report, &err);
    if (code != ERR_OK) {
        fuzz_note(buffer_str(&report), err.message);
    }
    FUZZ_CHECK(code == ERR_OK);
    buffer_deinit(&report);
    engine_close(world->engine);
}

void sql_world_run(Bytes input, void (*main)(SqlWorld *world)) {
    SimDisk *disk = sim_disk_create();
    SimWorld *sim = sim_world_create(disk, &(SimOptions){.seed = 1});
    SqlWorld world = {.clock = {wall, monotonic}, .os = sim_world_os(sim), .input = input, .main = main};
    world.os.clock = &world.clock;
    sim_world_run(sim, run_in_world, &world);
    sim_world_destroy(sim);
    sim_disk_destroy(disk);
}

void sql_world_open_session(SqlWorld *world, Dialect dialect) {
    SessionOptions options = {.dialect = dialect, .memory_bytes = MEMORY_BYTES, .timeout_ms = TIMEOUT_MS, .workers = 1};
    FUZZ_CHECK(session_open(world->engine, &options, &world->session, NULL) == ERR_OK);
}

void sql_world_close_session(SqlWorld *world) {
    session_close(world->session);
    world->session = NULL;
}

/* ---- statements ---- */

/* Writes the rows in every form, so that each value is looked at; one line of CSV is one row. */
static void take_batch(Encoder *encoder, Batch *batch, SqlRows *rows) {
    Buffer json, copy, csv;
    buffer_init(&json, TEXT_BYTES_MAX);
    buffer_init(&copy, TEXT_BYTES_MAX);
    buffer_init(&csv, TEXT_BYTES_MAX);
    (void)(json_encode_rows(encoder, batch, NULL, &json, NULL) + copy_encode_rows(encoder, batch, NULL, &copy, NULL));
    if (csv_encode_rows(encoder, batch, NULL, &csv, NULL) == ERR_OK) {
        Str rest = buffer_str(&csv), line;
        while (rest.len > 0 && str_split(&rest, '\n', &line)) {
            if (rows->rows++ == 0) {
                size_t len = MIN_OF(line.len, sizeof rows->first - 1);
                memcpy(rows->first, line.data, len);
                rows->first[len] = '\0';
            }
            rows->hash += hash_bytes(line.data, line.len, 1);
        }
    }
    buffer_deinit(&csv);
    buffer_deinit(&copy);
    buffer_deinit(&json);
}

static SqlRows run_statement(Statement *statement, int batches_max) {
    SqlRows rows = {0};
    Encoder encoder;
    encoder_init(&encoder, (uint16_t)statement_column_count(statement), &(EncoderOptions){0});
    for (int i = 0; i < batches_max && rows.code == ERR_OK && !rows.whole; i++) {
        Batch *batch = NULL;
        rows.code = statement_step(statement, &batch, NULL);
        rows.whole = rows.code == ERR_OK && batch == NULL;
        if (rows.code == ERR_OK && batch != NULL && statement_column_count(statement) > 0) {
            take_batch(&encoder, batch, &rows);
        }
    }
    encoder_deinit(&encoder);
    return rows;
}

static SqlRows run_first(SqlWorld *world, Str text, int batches_max, size_t *used_out) {
    Statement *statement = NULL;
    SqlRows rows = {.whole = true};
    *used_out = 0;
    rows.code = statement_prepare(world->session, text, NULL, 0, &statement, used_out, NULL);
    if (rows.code != ERR_OK || statement == NULL) {
        return rows;
    }
    FUZZ_CHECK(*used_out <= text.len);
    rows = run_statement(statement, batches_max);
    statement_close(statement);
    return rows;
}

bool sql_world_run_text(SqlWorld *world, Str text, int statements_max) {
    for (int i = 0; i < statements_max && text.len > 0; i++) {
        size_t used = 0;
        SqlRows rows = run_first(world, text, BATCHES_MAX, &used);
        if (used == 0 || rows.code != ERR_OK) {
            return false;
        }
        text = str_slice(text, used, text.len);
    }
    return true;
}

SqlRows sql_world_query(SqlWorld *world, Str text, int batches_max) {
    size_t used = 0;
    return run_first(world, text, batches_max, &used);
}
