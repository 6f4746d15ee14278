/* SPDX-License-Identifier: Apache-2.0
 * fuzz_query.c - queries made by a grammar, whose answers must agree with one another.
 *
 * Input:      bytes are the grammar's decisions. So a mutation of the input is a change of the query, and a finding
 *             replays.
 * Check:      for a predicate p over a table: count(*) = those where p + where not p + where p is null (ternary logic
 *             partitioning), and the count where p = the sum over "case when p then 1 else 0" (no optimisation of WHERE
 *             against all of it). A query gives the same rows from memory, after a flush to segments, and after other
 *             rows were added and deleted again.
 * Left out:   a query that fails in one of its forms is not compared: which operand is evaluated is not promised. */
#include "fuzz.h"
#include "sql_world.h"
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_BYTES_MAX = 256, DEPTH_MAX = 4, BATCHES_MAX = 40, SETUP_STATEMENTS = 4, TEXT_BYTES_MAX = 8192, TABLE_IDS_MAX = 64 };

static const char SETUP[] =
    "create table t (ts timestamp not null, s symbol, i int, l bigint, d double precision, v varchar, b boolean) "
    "timestamp(ts) partition by day;"
    "create table u (s symbol, i int, n numeric(10,2), day date);"
    "insert into t select timestamp '2024-01-01' + g * interval '10 minute', "
    "case when g % 7 = 0 then null else 's' || (g % 5)::text end, "
    "case when g % 11 = 0 then null else (g * 7919) % 100 - 50 end, g * 1000000007::bigint % 1000003, "
    "case when g % 13 = 0 then null else (g % 200) / 8.0 - 10 end, "
    "case when g % 3 = 0 then null else 'text ' || (g % 17)::text end, "
    "case when g % 5 = 0 then null else g % 2 = 0 end from generate_series(1, 300) as x(g);"
    "insert into u select case when g % 4 = 0 then null else 's' || (g % 6)::text end, g - 10, "
    "case when g % 5 = 0 then null else g * 1.25 end, date '2024-01-01' + g::int from generate_series(1, 20) as x(g);";

/* ---- the grammar ---- */

typedef struct Grammar {
    Bytes decisions;
    size_t at;
    Buffer *out;
} Grammar;

static uint32_t decide(Grammar *g, uint32_t choices) {
    return g->at < g->decisions.len ? g->decisions.data[g->at++] % choices : 0;
}

static void put(Grammar *g, const char *text) {
    buffer_append_str(g->out, str_from_c(text));
}

static void pick(Grammar *g, const char *const *texts, size_t count) {
    put(g, texts[decide(g, (uint32_t)count)]);
}
#define PICK(g, ...)                                                                                                   \
    do {                                                                                                               \
        static const char *const texts_[] = {__VA_ARGS__};                                                             \
        pick((g), texts_, COUNT_OF(texts_));                                                                           \
    } while (0)

typedef enum Kind { KIND_INTEGER, KIND_REAL, KIND_TEXT, KIND_TIME, KIND_COUNT } Kind;
static void put_value(Grammar *g, Kind kind, int depth);
static void put_predicate(Grammar *g, int depth);

static void put_leaf(Grammar *g, Kind kind) {
    switch (kind) {
    case KIND_INTEGER: PICK(g, "i", "l", "i", "l", "0", "1", "-7", "42", "null::int", "length(v)"); break;
    case KIND_REAL: PICK(g, "d", "d", "d", "0.0", "1.5", "-3.25", "null::double precision", "i * 0.5"); break;
    case KIND_TEXT: PICK(g, "s", "v", "s", "v", "'s1'", "'text 3'", "''", "null::text", "'text 12'"); break;
    default: PICK(g, "ts", "ts", "ts", "timestamp '2024-01-01 12:00'", "timestamp '2024-01-02'", "null::timestamp"); break;
    }
}

static void put_case(Grammar *g, Kind kind, int depth) {
    put(g, "case when ");
    put_predicate(g, depth - 1);
    put(g, " then ");
    put_value(g, kind, depth - 1);
    put(g, " else ");
    put_value(g, kind, depth - 1);
    put(g, " end");
}

static void put_call(Grammar *g, Kind kind, int depth) {
    switch (kind) {
    case KIND_INTEGER: PICK(g, "abs(", "(", "(-", "coalesce(0, "); break;
    case KIND_REAL: PICK(g, "abs(", "(", "floor(", "(-"); break;
    case KIND_TEXT: PICK(g, "upper(", "lower(", "(", "coalesce('x', "); break;
    default: PICK(g, "(", "date_trunc('hour', ", "date_trunc('day', ", "("); break;
    }
    put_value(g, kind, depth - 1);
    put(g, ")");
}

static void put_value(Grammar *g, Kind kind, int depth) {
    uint32_t choice = depth <= 0 ? 0 : decide(g, 8);
    if (choice < 4) {
        put_leaf(g, kind);
    } else if (choice == 4) {
        put_case(g, kind, depth);
    } else if (choice == 5) {
        put_call(g, kind, depth);
    } else if (choice == 6) {
        put(g, "coalesce(");
        put_value(g, kind, depth - 1);
        put(g, ", ");
        put_value(g, kind, depth - 1);
        put(g, ")");
    } else if (kind == KIND_TIME) {
        put(g, "(");
        put_value(g, kind, depth - 1);
        PICK(g, " + interval '1 hour')", " - interval '90 minute')");
    } else {
        put(g, "(");
        put_value(g, kind, depth - 1);
        kind == KIND_TEXT ? put(g, " || ") : pick(g, (const char *const[]){" + ", " - ", " * "}, 3);
        put_value(g, kind, depth - 1);
        put(g, ")");
    }
}

static void put_comparison(Grammar *g, int depth) {
    Kind kind = (Kind)decide(g, KIND_COUNT);
    put_value(g, kind, depth - 1);
    switch (decide(g, 8)) {
    case 0: put(g, " is null"); return;
    case 1: put(g, " is not null"); return;
    case 2:
        put(g, " between ");
        put_value(g, kind, depth - 1);
        put(g, " and ");
        break;
    case 3:
        put(g, " in (");
        put_leaf(g, kind);
        put(g, ", ");
        put_leaf(g, kind);
        put(g, ")");
        return;
    case 4:
        if (kind == KIND_TEXT) {
            PICK(g, " like 's%'", " like '%1'", " not like 'text _'", " ilike 'TEXT%'");
            return;
        }
        put(g, " is distinct from ");
        break;
    default: PICK(g, " = ", " <> ", " < ", " <= ", " > ", " >= ", " = ", " < "); break;
    }
    put_value(g, kind, depth - 1);
}

static void put_predicate(Grammar *g, int depth) {
    switch (depth <= 0 ? 3 : decide(g, 8)) {
    case 0:
    case 1:
        put(g, "(");
        put_predicate(g, depth - 1);
        PICK(g, " and ", " or ");
        put_predicate(g, depth - 1);
        put(g, ")");
        break;
    case 2:
        put(g, "not (");
        put_predicate(g, depth - 1);
        put(g, ")");
        break;
    case 3: PICK(g, "b", "b", "true", "false", "b is true", "b is not false", "(b is null)"); break;
    default:
        put(g, "(");
        put_comparison(g, depth);
        put(g, ")");
        break;
    }
}

static void put_query(Grammar *g) {
    switch (decide(g, 6)) {
    case 0:
        put(g, "select s, count(*), sum(i), min(v), max(d), count(distinct l % 10) from t where ");
        put_predicate(g, DEPTH_MAX);
        put(g, " group by s");
        break;
    case 1:
        put(g, "select ");
        put_value(g, (Kind)decide(g, KIND_COUNT), DEPTH_MAX - 1);
        put(g, " as k, count(*) from t group by 1");
        break;
    case 2:
        put(g, "select t.s, t.i, u.n from t ");
        PICK(g, "join", "left join", "right join", "full join");
        PICK(g, " u on t.s = u.s", " u on t.i = u.i", " u on t.s = u.s and t.i = u.i");
        break;
    case 3:
        put(g, "select ");
        PICK(g, "distinct s", "distinct i % 7", "s, i, d, ts", "*");
        put(g, " from t where ");
        put_predicate(g, DEPTH_MAX);
        PICK(g, "", " order by ts", " order by i desc nulls last, ts", " order by v, ts limit 50");
        break;
    case 4:
        put(g, "select ts, s, sum(d), count() from t where ");
        put_predicate(g, DEPTH_MAX - 1);
        PICK(g, " sample by 1h", " sample by 1d", " sample by 35m");
        break;
    default:
        put(g, "select ts, s, row_number() over (partition by s order by ts), sum(i) over (order by ts) from t where ");
        put_predicate(g, DEPTH_MAX - 1);
        break;
    }
}

/* ---- the checks ---- */

static SqlRows ask(SqlWorld *world, Buffer *text) {
    return sql_world_query(world, buffer_str(text), BATCHES_MAX);
}

static bool usable(const SqlRows *rows) {
    return rows->code == ERR_OK && rows->whole;
}

static bool ask_number(SqlWorld *world, const char *before, Str predicate, const char *behind, int64_t *number_out) {
    Buffer text;
    buffer_init(&text, TEXT_BYTES_MAX);
    buffer_printf(&text, "%s%.*s%s", before, STR_ARG(predicate), behind);
    SqlRows rows = ask(world, &text);
    buffer_deinit(&text);
    char *end = rows.first;
    *number_out = 0;
    for (; *end >= '0' && *end <= '9'; end++) {
        *number_out = *number_out * 10 + (*end - '0');
    }
    return usable(&rows) && rows.rows == 1;
}

static void check_partitions(SqlWorld *world, Str predicate) {
    int64_t all, yes, no, unknown, summed;
    bool fine = ask_number(world, "select count(*) from t", STR(""), "", &all) &&
                ask_number(world, "select count(*) from t where ", predicate, "", &yes) &&
                ask_number(world, "select count(*) from t where not (", predicate, ")", &no) &&
                ask_number(world, "select count(*) from t where (", predicate, ") is null", &unknown) &&
                ask_number(world, "select sum(case when ", predicate, " then 1 else 0 end) from t", &summed);
    if (fine && (yes + no + unknown != all || summed != yes)) {
        char text[160];
        snprintf(text, sizeof text, "all %lld, yes %lld, no %lld, unknown %lld, summed %lld", (long long)all,
                 (long long)yes, (long long)no, (long long)unknown, (long long)summed);
        fuzz_note(predicate, text);
        FUZZ_CHECK(yes + no + unknown == all);
        FUZZ_CHECK(summed == yes);
    }
}

static void check_same(const SqlRows *first, const SqlRows *second, Str query, const char *when) {
    if (!usable(first) || !usable(second)) {
        return;
    }
    if (first->rows != second->rows || first->hash != second->hash) {
        fuzz_note(query, when);
    }
    FUZZ_CHECK(first->rows == second->rows);
    FUZZ_CHECK(first->hash == second->hash);
}

static void flush(SqlWorld *world) {
    for (uint32_t id = 0; id < TABLE_IDS_MAX; id++) {
        FUZZ_CHECK(engine_flush_table(world->engine, id, NULL) == ERR_OK);
    }
    EngineCounters counters;
    engine_counters(world->engine, &counters);
    FUZZ_CHECK(counters.segments > 0);
}

static void run(SqlWorld *world) {
    Buffer query, predicate;
    buffer_init(&query, TEXT_BYTES_MAX);
    buffer_init(&predicate, TEXT_BYTES_MAX);
    Grammar grammar = {.decisions = world->input, .out = &query};
    put_query(&grammar);
    grammar.out = &predicate;
    put_predicate(&grammar, DEPTH_MAX);
    if (getenv("BASALT_FUZZ_SHOW") != NULL) {
        fuzz_note(buffer_str(&query), "");
        fuzz_note(buffer_str(&predicate), "");
    }
    sql_world_open_session(world, DIALECT_POSTGRES);
    FUZZ_CHECK(sql_world_run_text(world, STR(SETUP), SETUP_STATEMENTS));
    SqlRows memory = ask(world, &query);
    check_partitions(world, buffer_str(&predicate));
    flush(world);
    SqlRows segments = ask(world, &query);
    check_same(&memory, &segments, buffer_str(&query), "differs after the flush");
    check_partitions(world, buffer_str(&predicate));
    FUZZ_CHECK(sql_world_run_text(world,
                                  STR("insert into t select ts, s, i, -5, d, v, b from t where l % 3 = 0; "
                                      "delete from t where l = -5;"),
                                  2));
    SqlRows mixed = ask(world, &query);
    check_same(&memory, &mixed, buffer_str(&query), "differs after rows were added and deleted");
    check_partitions(world, buffer_str(&predicate));
    sql_world_close_session(world);
    buffer_deinit(&predicate);
    buffer_deinit(&query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4 || size > INPUT_BYTES_MAX) {
        return 0;
    }
    sql_world_run(bytes_from(data, size), run);
    return 0;
}
