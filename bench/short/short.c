/* SPDX-License-Identifier: Apache-2.0
 * short.c - what a short statement costs in process: a point look-up, prepared or as a new text each time.
 *
 *     bench-short prepared|text [STATEMENTS]
 *
 * Prints CPU time a statement. bench/short/guard counts instructions under callgrind and compares them with bench/short/recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "os/os.h"
#include "session/session.h"

enum { ROWS = 10000 };

static _Noreturn void give_up(const Error *err) {
    fprintf(stderr, "bench-short: %s\n", err->message);
    exit(1);
}

static void run(Session *session, Str sql) {
    Statement *statement = NULL;
    Batch *batch = NULL;
    Error err;
    size_t used;
    if (statement_prepare(session, sql, NULL, 0, &statement, &used, &err) != ERR_OK) {
        give_up(&err);
    }
    do {
        if (statement_step(statement, &batch, &err) != ERR_OK) {
            give_up(&err);
        }
    } while (batch != NULL);
    statement_close(statement);
}

/* One look-up as the PostgreSQL door does it: a block of its own, bind, rows, end. */
static void look_up(Session *session, int64_t key) {
    Prepared *prepared = NULL;
    Statement *statement = NULL;
    Batch *batch = NULL;
    Error err;
    uint32_t rows = 0;
    bool good = session_implicit_begin(session, &err) == ERR_OK && session_prepared_find(session, STR("p"), &prepared, &err) == ERR_OK &&
                prepared_open(prepared, &statement, &err) == ERR_OK &&
                statement_bind(statement, 0, &(Value){.type = type_of(TYPE_INT8), .as.i64 = key}, &err) == ERR_OK;
    do {
        good = good && statement_step(statement, &batch, &err) == ERR_OK;
        rows += batch != NULL ? batch->live_count : 0;
    } while (good && batch != NULL);
    statement_close(statement);
    if (!good || session_implicit_end(session, true, &err) != ERR_OK) {
        give_up(&err);
    }
    if (rows != 1) {
        fprintf(stderr, "bench-short: %u rows for one key\n", rows);
        exit(1);
    }
}

static void fill(Session *session) {
    Error err;
    Type type = type_of(TYPE_INT8);
    run(session, STR("CREATE TABLE t (a int8 PRIMARY KEY, b text, c int4, d float8)"));
    run(session, STR("INSERT INTO t SELECT x, 'row ' || x, x % 100, x / 2.0 FROM generate_series(1, 10000) x"));
    if (session_prepare(session, STR("p"), STR("SELECT b, c, d FROM t WHERE a = $1"), &type, 1, false, &err) != ERR_OK) {
        give_up(&err);
    }
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void work(Session *session, bool prepared, long count) {
    char text[128];
    for (long i = 0; i < count; i++) {
        int64_t key = 1 + i * 7919 % ROWS;
        if (prepared) {
            look_up(session, key);
        } else {
            int len = snprintf(text, sizeof text, "SELECT b, c, d FROM t WHERE a = %lld", (long long)key);
            run(session, (Str){text, (size_t)len});
        }
    }
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/basalt-short-XXXXXX", command[64];
    Os os;
    Engine *engine = NULL;
    Session *session = NULL;
    Error err;
    EngineOptions options = {.embedded = true, .no_background = true, .durability = DURABILITY_OFF};
    SessionOptions who = {.door = STR("bench"), .workers = 1};
    bool prepared = argc > 1 && strcmp(argv[1], "text") != 0;
    long count = argc > 2 ? atol(argv[2]) : 20000;
    if (mkdtemp(folder) == NULL || os_linux_open(folder, true, &os, &err) != ERR_OK || engine_open(os, &options, &engine, &err) != ERR_OK ||
        session_open(engine, &who, &session, &err) != ERR_OK) {
        give_up(&err);
    }
    fill(session);
    work(session, prepared, 100);
    double from = cpu_seconds();
    work(session, prepared, count);
    printf("%s: %.2f us of CPU a statement\n", prepared ? "prepared" : "text", (cpu_seconds() - from) / (double)count * 1e6);
    session_close(session);
    engine_close(engine);
    os_linux_close(&os);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
