/* SPDX-License-Identifier: Apache-2.0
 * dialect.h - the points on which PostgreSQL and QuestDB answer the same text differently; read by lexer and binder only.
 *
 * Why: a clause is never a mode. Both languages are always understood; where one text has two meanings, the statement's
 * dialect chooses, and every such choice is a row here (at most 20). Stored views, defaults and checks carry their dialect.
 * A row names the QuestDB behaviour: `dialect_has(dialect, POINT)` is true where the statement follows it. */
#pragma once
#include "base/compiler.h"
#include "base/dialect.h"
#include "base/str.h"

/* name, postgres, questdb, what the point decides (see the dialect table of the manual) */
#define DIALECT_POINTS(X)                                                                                              \
    X(NULL_LITERAL_EQUALS, 0, 1, "x = NULL with a literal NULL means IS NULL; x != NULL means IS NOT NULL")            \
    X(CONCAT_SKIPS_NULL, 0, 1, "'a' || NULL is 'a', not NULL")                                                         \
    X(NULLS_SMALLEST, 0, 1, "without NULLS FIRST/LAST a null sorts as the smallest value")                             \
    X(FLOAT_DIVISION_BY_ZERO, 0, 1, "1.0 / 0 is Infinity or NaN, no error")                                            \
    X(CASTS_TRUNCATE, 0, 1, "1.9::int8 is 1, not 2")                                                                   \
    X(CARET_IS_XOR, 0, 1, "a ^ b is exclusive or, not power")                                                          \
    X(DECIMAL_LITERAL_IS_FLOAT8, 0, 1, "literal 1.5 is float8, not numeric")                                           \
    X(SUM_INT8_IS_INT8, 0, 1, "sum(int8) is int8, avg of integers is float8; else numeric")                            \
    X(NAMES_KEEP_CASE, 0, 1, "unquoted identifiers are kept as written, not folded to lower case")                     \
    X(COLUMN_NAME_IS_SOURCE, 0, 1, "an unnamed column is called by its source text")                                   \
    X(TYPE_NAMES_QUESTDB, 0, 1, "date, float, char and decimal name QuestDB's types")                                  \
    X(TIMESTAMP_OFFSET_CONVERTS, 0, 1, "text with an offset read as timestamp is converted to UTC")                    \
    X(NOW_IS_TIMESTAMP, 0, 1, "now() is timestamp, not timestamptz")                                                   \
    X(STRING_NAMES_TABLE, 0, 1, "FROM 'name' names a table")                                                           \
    X(GROUPS_ARE_IMPLIED, 0, 1, "SELECT x, max(y) FROM t without GROUP BY groups by x; else an error")                  \
    X(INSERT_NEEDS_ALL_VALUES, 0, 1, "INSERT without a column list gives a value for every column")

typedef enum DialectPoint {
#define X(name, postgres, questdb, note) DIALECT_##name,
    DIALECT_POINTS(X)
#undef X
        DIALECT_POINT_COUNT
} DialectPoint;
_Static_assert(DIALECT_POINT_COUNT <= 20, "the dialect table has at most 20 rows");

static inline bool dialect_has(Dialect dialect, DialectPoint point) {
    static const uint8_t table[DIALECT_POINT_COUNT][DIALECT_COUNT] = {
#define X(name, postgres, questdb, note) {postgres, questdb},
        DIALECT_POINTS(X)
#undef X
    };
    assert(dialect < DIALECT_COUNT);
    assert(point < DIALECT_POINT_COUNT);
    return table[point][dialect] != 0;
}

static inline Str dialect_name(Dialect dialect) {
    return dialect == DIALECT_QUESTDB ? STR("questdb") : STR("postgres");
}
