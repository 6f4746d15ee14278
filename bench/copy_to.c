/* SPDX-License-Identifier: Apache-2.0
 * copy_to.c - a COPY ... TO STDOUT through libpq, row by row as any client takes it.
 *
 *     cc -O2 -I$(pg_config --includedir) -o copy_to bench/copy_to.c -lpq
 *     copy_to CONNINFO "COPY t TO STDOUT" [ROUNDS]
 *
 * Prints for each round: messages, bytes, seconds, client CPU seconds. Used by bench/postgres.py. */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void give_up(PGconn *connection) {
    fprintf(stderr, "copy_to: %s", PQerrorMessage(connection));
    exit(1);
}

static void run(PGconn *connection, const char *sql) {
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    long messages = 0, bytes = 0;
    char *row = NULL;
    int len = 0;
    PGresult *result = PQexec(connection, sql);
    if (PQresultStatus(result) != PGRES_COPY_OUT) {
        give_up(connection);
    }
    PQclear(result);
    while ((len = PQgetCopyData(connection, &row, 0)) > 0) {
        messages++;
        bytes += len;
        PQfreemem(row);
    }
    if (len != -1) {
        give_up(connection);
    }
    while ((result = PQgetResult(connection)) != NULL) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            give_up(connection);
        }
        PQclear(result);
    }
    printf("%ld %ld %.4f %.4f\n", messages, bytes, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "copy_to CONNINFO SQL [ROUNDS]\n");
        return 2;
    }
    PGconn *connection = PQconnectdb(argv[1]);
    if (PQstatus(connection) != CONNECTION_OK) {
        give_up(connection);
    }
    for (int round = argc > 3 ? atoi(argv[3]) : 1; round > 0; round--) {
        run(connection, argv[2]);
    }
    PQfinish(connection);
    return 0;
}
