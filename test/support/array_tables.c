/* SPDX-License-Identifier: Apache-2.0
 * array_tables.c - see array_tables.h. The values are the same on every machine. */
#include "array_tables.h"
#include "base/random.h"

static ArrayColumn int_column(Arena *arena, const char *name, TypeId type) {
    return (ArrayColumn){.name = name, .type = type_of(type), .ints = arena_array(arena, int64_t, TABLE_ROOM), .nulls = arena_array(arena, bool, TABLE_ROOM)};
}

static ArrayColumn symbol_column(Arena *arena, const char *name) {
    ArrayColumn column = int_column(arena, name, TYPE_SYMBOL);
    column.symbols = array_symbols_new(arena);
    return column;
}

static ArrayColumn float_column(Arena *arena, const char *name) {
    return (ArrayColumn){.name = name, .type = type_of(TYPE_FLOAT8), .floats = arena_array(arena, double, TABLE_ROOM), .nulls = arena_array(arena, bool, TABLE_ROOM)};
}

static ArrayColumn text_column(Arena *arena, const char *name) {
    return (ArrayColumn){.name = name, .type = type_of(TYPE_TEXT), .texts = arena_array(arena, Str, TABLE_ROOM), .nulls = arena_array(arena, bool, TABLE_ROOM)};
}

static int64_t intern(ArrayColumn *column, Str text) {
    return column->symbols->table.intern(&column->symbols->table, text);
}

static void make_t(ArrayStorage *storage) {
    Arena *arena = storage->arena;
    Random random;
    random_init(&random, 7);
    ArrayColumn *c = arena_array(arena, ArrayColumn, 8);
    c[0] = int_column(arena, "ts", TYPE_TIMESTAMP);
    c[1] = symbol_column(arena, "sym");
    c[2] = int_column(arena, "i", TYPE_INT4);
    c[3] = int_column(arena, "l", TYPE_INT8);
    c[4] = float_column(arena, "d");
    c[5] = text_column(arena, "s");
    c[6] = int_column(arena, "b", TYPE_BOOL);
    c[7] = int_column(arena, "z", TYPE_INT2);
    int64_t time = INT64_C(1704067200000000);
    for (uint32_t r = 0; r < T_ROWS; r++) {
        time += random_chance(&random, 1, 4) ? 0 : random_between(&random, 1, 90000000);
        c[0].ints[r] = time;
        c[1].ints[r] = intern(&c[1], arena_format(arena, "S%d", (int)random_below(&random, 12)));
        c[1].nulls[r] = random_chance(&random, 1, 20);
        c[2].ints[r] = random_between(&random, -50, 50);
        c[2].nulls[r] = random_chance(&random, 1, 10);
        c[3].ints[r] = random_chance(&random, 1, 100) ? INT64_MAX - (int64_t)random_below(&random, 3) : random_between(&random, -1000000, 1000000);
        c[3].nulls[r] = random_chance(&random, 1, 15);
        c[4].floats[r] = random_unit(&random) * (random_chance(&random, 1, 2) ? 1e12 : -1e-3);
        c[4].nulls[r] = random_chance(&random, 1, 8);
        c[5].texts[r] = arena_format(arena, random_chance(&random, 1, 3) ? "a long text of more than twelve bytes %d" : "t%d", (int)random_below(&random, 40));
        c[5].nulls[r] = random_chance(&random, 1, 9);
        c[6].ints[r] = random_chance(&random, 1, 2);
        c[6].nulls[r] = random_chance(&random, 1, 11);
        c[7].ints[r] = 7;
    }
    array_table_add(storage, "t", c, 8, T_ROWS, TABLE_ROOM, 0);
}

static void make_u(ArrayStorage *storage, const char *name, uint32_t rows) {
    Arena *arena = storage->arena;
    Random random;
    random_init(&random, 11);
    ArrayColumn *c = arena_array(arena, ArrayColumn, 3);
    c[0] = int_column(arena, "k", TYPE_INT4);
    c[1] = symbol_column(arena, "sym");
    c[2] = text_column(arena, "name");
    for (uint32_t r = 0; r < rows; r++) {
        c[0].ints[r] = random_between(&random, -10, 10);
        c[0].nulls[r] = random_chance(&random, 1, 7);
        c[1].ints[r] = intern(&c[1], arena_format(arena, "S%d", (int)random_below(&random, 20)));
        c[2].texts[r] = arena_format(arena, "name number %u", r);
    }
    array_table_add(storage, name, c, 3, rows, TABLE_ROOM, -1);
}

void array_tables_make(ArrayStorage *storage) {
    make_t(storage);
    make_u(storage, "u", U_ROWS);
    make_u(storage, "e", 0);
}
