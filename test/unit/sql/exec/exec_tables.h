/* SPDX-License-Identifier: Apache-2.0
 * exec_tables.h - the fixture of the executor's tests: the tables of array_tables.h and a way to ask them. */
#pragma once
#include "array_sql.h"
#include "array_tables.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena arena;
    ArrayStorage storage;
    ArraySql sql;
    Buffer out, want;
    Error err;
} Fixture;

static int setup(void **state) {
    Fixture *f = mem_calloc(1, sizeof *f);
    arena_init(&f->arena, SIZE_MAX);
    array_storage_init(&f->storage, &f->arena);
    array_tables_make(&f->storage);
    array_sql_init(&f->sql, &f->storage);
    buffer_init(&f->out, SIZE_MAX / 2);
    buffer_init(&f->want, SIZE_MAX / 2);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    Fixture *f = *state;
    assert_int_equal(f->storage.open_scans, 0);
    assert_int_equal(f->storage.open_cursors, 0);
    buffer_deinit(&f->out);
    buffer_deinit(&f->want);
    arena_deinit(&f->arena);
    mem_free(f);
    return 0;
}
