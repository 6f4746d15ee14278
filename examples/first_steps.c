/* SPDX-License-Identifier: Apache-2.0
 * first_steps.c - Basalt as a library: make a table, insert with parameters, read rows, read batches.
 *
 * Build after `make install`: cc first_steps.c -lbasalt -lcrypto -lpcre2-8 -llz4 -lzstd -lz -lm -lpthread      Run: ./a.out FOLDER */
#include <basalt.h>
#include <stdio.h>
#include <stdlib.h>

static void die(const BasaltError *error) {
    fprintf(stderr, "%s (SQLSTATE %s)\n", error->message, error->sqlstate);
    exit(error->exit_code);
}

static BasaltStatement *prepare(BasaltConnection *connection, const char *sql) {
    BasaltStatement *statement = NULL;
    if (basalt_prepare(connection, sql, BASALT_TO_NUL, &statement, NULL) != BASALT_OK) {
        die(basalt_error(connection));
    }
    return statement;
}

static void run(BasaltConnection *connection, const char *sql) {
    if (basalt_execute(connection, sql, BASALT_TO_NUL) != BASALT_OK) {
        die(basalt_error(connection));
    }
}

/* One statement, many rows: bind, step to the end, reset. All of them are one transaction. */
static void insert_trades(BasaltConnection *connection) {
    static const char *const SYMBOLS[] = {"NABIL", "NTC", "HRL"};
    run(connection, "BEGIN");
    BasaltStatement *insert = prepare(connection, "INSERT INTO trades VALUES ($1, $2, $3, $4)");
    for (int i = 0; i < 3000; i++) {
        basalt_bind_timestamp(insert, 0, INT64_C(1727759700000000) + i * INT64_C(1000000)); /* a trade a second */
        basalt_bind_text(insert, 1, SYMBOLS[i % 3], BASALT_TO_NUL);
        basalt_bind_int64(insert, 2, 10 + i % 100);
        basalt_bind_double(insert, 3, 500.0 + i % 7);
        if (basalt_step(insert, NULL) != BASALT_DONE || basalt_reset(insert) != BASALT_OK) {
            die(basalt_error(connection));
        }
    }
    basalt_finalize(insert);
    run(connection, "COMMIT");
}

static void print_totals(BasaltConnection *connection) {
    BasaltStatement *query = prepare(connection, "SELECT symbol, count(*), sum(quantity) FROM trades GROUP BY symbol ORDER BY symbol");
    BasaltResult result;
    while ((result = basalt_row(query)) == BASALT_ROW) {
        printf("%-6s %lld trades, %lld shares\n", basalt_text(query, 0, NULL), (long long)basalt_int64(query, 1),
               (long long)basalt_int64(query, 2));
    }
    if (result == BASALT_FAILED) {
        die(basalt_error(connection));
    }
    basalt_finalize(query);
}

/* Whole columns at a time: what a program that computes wants. */
static void print_turnover(BasaltConnection *connection) {
    BasaltStatement *query = prepare(connection, "SELECT quantity, rate FROM trades WHERE symbol = $1");
    const BasaltBatch *batch = NULL;
    double turnover = 0;
    basalt_bind_text(query, 0, "NABIL", BASALT_TO_NUL);
    while (basalt_step(query, &batch) == BASALT_ROW) {
        const int64_t *quantity = batch->columns[0].values;
        const double *rate = batch->columns[1].values;
        for (uint32_t i = 0; i < batch->row_count; i++) {
            turnover += (double)quantity[i] * rate[i];
        }
    }
    basalt_finalize(query);
    printf("NABIL turnover %.1f\n", turnover);
}

int main(int argc, char **argv) {
    BasaltDatabase *database = NULL;
    BasaltConnection *connection = NULL;
    BasaltError error;
    if (argc != 2) {
        fprintf(stderr, "usage: first_steps FOLDER\n");
        return 2;
    }
    if (basalt_open(argv[1], NULL, &database, &error) != BASALT_OK || basalt_connect(database, NULL, &connection, &error) != BASALT_OK) {
        die(&error);
    }
    run(connection, "DROP TABLE IF EXISTS trades;"
                    "CREATE TABLE trades (ts TIMESTAMP, symbol SYMBOL, quantity BIGINT, rate DOUBLE PRECISION) TIMESTAMP(ts) PARTITION BY DAY");
    insert_trades(connection);
    print_totals(connection);
    print_turnover(connection);
    basalt_disconnect(connection);
    basalt_close(database);
    return 0;
}
