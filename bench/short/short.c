/* SPDX-License-Identifier: Apache-2.0
 * short.c - what a short statement costs in process: look-ups by key, prepared or as a new text each time, and changes of one row.
 *
 *     bench-short CASE[:STATE] [STATEMENTS]        CASE: a row of CASES; STATE: memory (default), segments (flushed), reopened (after a restart)
 *
 * Prints CPU time a statement. bench/short/guard counts instructions under callgrind and compares them with bench/short/recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "os/os.h"
#include "session/session.h"

enum { ROWS = 10000, PARAMETERS_MAX = 2 };
typedef enum CaseKey { KEY_PRESENT, KEY_FRESH } CaseKey;

typedef struct Case {
    const char *name, *sql;  /* $1: the key; without `prepared` it is written behind the text */
    bool prepared;
    CaseKey key;
    int parameters;          /* $2: a small number */
    TypeId key_type;
} Case;

/* accounts is pgbench's table; mixed has one column for each way that a value may be packed. */
static const Case CASES[] = {
    {"prepared", "SELECT b, c, d FROM t WHERE a = $1", true, KEY_PRESENT, 1, TYPE_INT8},
    {"text", "SELECT b, c, d FROM t WHERE a = ", false, KEY_PRESENT, 0, TYPE_INT8},
    {"accounts", "SELECT abalance FROM accounts WHERE aid = $1", true, KEY_PRESENT, 1, TYPE_INT4},
    {"accounts-text", "SELECT abalance FROM accounts WHERE aid = ", false, KEY_PRESENT, 0, TYPE_INT8},
    {"accounts-all", "SELECT * FROM accounts WHERE aid = $1", true, KEY_PRESENT, 1, TYPE_INT4},
    {"mixed", "SELECT * FROM mixed WHERE a = $1", true, KEY_PRESENT, 1, TYPE_INT4},
    {"update", "UPDATE accounts SET abalance = abalance + $2 WHERE aid = $1", true, KEY_PRESENT, 2, TYPE_INT4},
    {"insert", "INSERT INTO accounts (aid, bid, abalance, filler) VALUES ($1, 1, $2, '')", true, KEY_FRESH, 2, TYPE_INT4},
};

static const char *const SET_UP[] = {
    "CREATE TABLE t (a int8 PRIMARY KEY, b text, c int4, d float8)",
    "INSERT INTO t SELECT x, 'row ' || x, x % 100, x / 2.0 FROM generate_series(1, 10000) x",
    "CREATE TABLE accounts (aid int4 PRIMARY KEY, bid int4, abalance int4, filler char(84))",
    "INSERT INTO accounts SELECT x, 1, 0, '' FROM generate_series(1, 10000) x",
    "CREATE TABLE mixed (a int4 PRIMARY KEY, word text, name text, flag bool, amount numeric(12, 2), wide numeric(30, 4), plain numeric, "
    "rate float4, share float8, at timestamptz, steps int8, runs int8)",
    "INSERT INTO mixed SELECT x, 'word ' || x % 37, 'a name of more than twelve bytes ' || x * 7919 % 1000003, x % 3 = 0, x / 8.0, x * 1000003.5, "
    "x / 7.0, x / 3.0, x / 7.0, timestamptz '2026-01-01 00:00:00Z' + x * interval '1.25 s', x * 17 + x % 5, x / 700 FROM generate_series(1, 10000) x",
};

typedef struct Bench {
    char folder[32];
    Os os;
    Engine *engine;
    Session *session;
} Bench;

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

/* One run as the PostgreSQL door does it: a block of its own, bind, rows, end. */
static void run_prepared(Session *session, const Case *what, int64_t key, int32_t number) {
    Prepared *prepared = NULL;
    Statement *statement = NULL;
    Batch *batch = NULL;
    Error err;
    Value values[PARAMETERS_MAX] = {{.type = type_of(what->key_type), .as.i64 = key}, {.type = type_of(TYPE_INT4), .as.i64 = number}};
    uint32_t rows = 0;
    bool good = session_implicit_begin(session, &err) == ERR_OK && session_prepared_find(session, STR("p"), &prepared, &err) == ERR_OK &&
                prepared_open(prepared, &statement, &err) == ERR_OK;
    for (uint16_t i = 0; i < what->parameters && good; i++) {
        good = statement_bind(statement, i, &values[i], &err) == ERR_OK;
    }
    do {
        good = good && statement_step(statement, &batch, &err) == ERR_OK;
        rows += batch != NULL ? batch->live_count : 0;
    } while (good && batch != NULL);
    statement_close(statement);
    if (!good || session_implicit_end(session, true, &err) != ERR_OK) {
        give_up(&err);
    }
    if (rows != (strncmp(what->sql, "SELECT", 6) == 0)) {
        fprintf(stderr, "bench-short: %u rows for one key\n", rows);
        exit(1);
    }
}

static void open_folder(Bench *bench) {
    Error err;
    EngineOptions options = {.embedded = true, .no_background = true, .durability = DURABILITY_OFF};
    SessionOptions who = {.door = STR("bench"), .workers = 1};
    if (os_linux_open(bench->folder, true, &bench->os, &err) != ERR_OK || engine_open(bench->os, &options, &bench->engine, &err) != ERR_OK || session_open(bench->engine, &who, &bench->session, &err) != ERR_OK) {
        give_up(&err);
    }
}

static void close_folder(Bench *bench) {
    session_close(bench->session);
    engine_close(bench->engine);
    os_linux_close(&bench->os);
}

static void flush_tables(Bench *bench) {
    enum { BENCH_TABLES = 8 };
    uint32_t ids[BENCH_TABLES], count = 0;
    size_t cursor = 0;
    const TableDef *table = NULL;
    Error err;
    if (session_begin(bench->session, &err) != ERR_OK) {
        give_up(&err);
    }
    CatalogView *view = txn_catalog(session_txn(bench->session));
    while (count < BENCH_TABLES && view->table_next(view, &cursor, &table)) {
        ids[count++] = table->id;
    }
    session_rollback(bench->session);
    for (uint32_t i = 0; i < count; i++) {
        if (engine_flush_table(bench->engine, ids[i], &err) != ERR_OK) {
            give_up(&err);
        }
    }
    if (engine_checkpoint(bench->engine, &err) != ERR_OK) {
        give_up(&err);
    }
}

static void fill(Bench *bench, const char *state) {
    for (size_t i = 0; i < sizeof SET_UP / sizeof SET_UP[0]; i++) {
        run(bench->session, str_from_c(SET_UP[i]));
    }
    if (strcmp(state, "memory") != 0) {
        flush_tables(bench);
    }
    if (strcmp(state, "reopened") == 0) {
        close_folder(bench);
        open_folder(bench);
    }
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void work(Session *session, const Case *what, long from, long to) {
    char text[128];
    for (long i = from; i < to; i++) {
        int64_t key = what->key == KEY_FRESH ? ROWS + 1 + i : 1 + i * 7919 % ROWS;
        if (what->prepared) {
            run_prepared(session, what, key, (int32_t)(i % 100));
        } else {
            int len = snprintf(text, sizeof text, "%s%lld", what->sql, (long long)key);
            run(session, (Str){text, (size_t)len});
        }
    }
}

static const Case *find_case(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        if (strlen(CASES[i].name) == len && strncmp(CASES[i].name, name, len) == 0) {
            return &CASES[i];
        }
    }
    fprintf(stderr, "bench-short: no such case: %s\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    enum { WARM = 100 };
    Bench bench = {.folder = "/tmp/basalt-short-XXXXXX"};
    char command[64];
    Error err;
    const char *name = argc > 1 ? argv[1] : "prepared", *colon = strchr(name, ':');
    const Case *what = find_case(name, colon != NULL ? (size_t)(colon - name) : strlen(name));
    long count = argc > 2 ? atol(argv[2]) : 20000;
    if (mkdtemp(bench.folder) == NULL) {
        perror("bench-short");
        return 1;
    }
    open_folder(&bench);
    fill(&bench, colon != NULL ? colon + 1 : "memory");
    Type types[PARAMETERS_MAX] = {type_of(what->key_type), type_of(TYPE_INT4)};
    if (what->prepared && session_prepare(bench.session, STR("p"), str_from_c(what->sql), types, (uint16_t)what->parameters, false, &err) != ERR_OK) {
        give_up(&err);
    }
    work(bench.session, what, 0, WARM);
    double from = cpu_seconds();
    work(bench.session, what, WARM, WARM + count);
    printf("%s: %.2f us of CPU a statement\n", name, (cpu_seconds() - from) / (double)count * 1e6);
    close_folder(&bench);
    snprintf(command, sizeof command, "rm -rf %s", bench.folder);
    return system(command);
}
