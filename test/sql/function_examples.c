/* SPDX-License-Identifier: Apache-2.0
 * function_examples.c - the examples of the function table and the cases of test/unit/sql/func as statements, through the library:
 * parser, overload resolution, folding and programs give what the kernels alone give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/basalt.h"
#include "sql/func/func.h"

typedef struct Case {
    const char *text;
    const char *want; /* text, or NULL for an error */
    const char *sqlstate;
    bool questdb;
} Case;
#include "../unit/sql/func/cases.inc"

static int statements, failed;

/* Each expression runs alone (folded at plan time) and over three rows (in a program). */
static void check(BasaltConnection *c, const char *expression, const char *want, bool rows) {
    char sql[2000];
    const char *got = "(nothing)";
    BasaltStatement *s = NULL;
    (void)snprintf(sql, sizeof sql, rows ? "SELECT (%s) FROM long_sequence(3) WHERE x = 2" : "SELECT (%s)", expression);
    if (basalt_prepare(c, sql, strlen(sql), &s, NULL) != BASALT_OK) {
        got = basalt_error(c)->sqlstate;
    } else {
        switch (basalt_row(s)) {
        case BASALT_ROW:
            got = basalt_is_null(s, 0) ? "NULL" : basalt_text(s, 0, NULL);
            break;
        case BASALT_FAILED:
            got = basalt_error(c)->sqlstate;
            break;
        default:
            break;
        }
    }
    if (got == NULL || strcmp(got, want) != 0) {
        printf("%s  gives  %s  not  %s\n", sql, got == NULL ? "(null)" : got, want);
        failed++;
    }
    basalt_finalize(s);
    statements++;
}

int main(int argc, char **argv) {
    BasaltDatabase *database;
    BasaltConnection *connection;
    BasaltError error;
    if (argc < 2 || basalt_open(argv[1], NULL, &database, &error) != BASALT_OK || basalt_connect(database, NULL, &connection, &error) != BASALT_OK) {
        printf("cannot open a folder\n");
        return 1;
    }
    for (size_t i = 0; i < function_count(); i++) {
        const Function *f = function_at(i);
        if (f->example != NULL && (f->flags & FN_QUESTDB) == 0) {
            check(connection, f->example, f->answer, false);
            check(connection, f->example, f->answer, true);
        }
    }
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        if (!CASES[i].questdb) {
            check(connection, CASES[i].text, CASES[i].want != NULL ? CASES[i].want : CASES[i].sqlstate, i % 2 == 0);
        }
    }
    basalt_disconnect(connection);
    basalt_close(database);
    printf("%d statements, %d failed\n", statements, failed);
    return failed == 0 ? 0 : 1;
}
