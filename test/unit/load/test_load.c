/* SPDX-License-Identifier: Apache-2.0
 * test_load.c - whole loads into a table of arrays: the session, the catalog and the storage here are small stand-ins, so that
 * what is tested is the loader alone. */
#include "load/load.h"
#include "base/number.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- stand-ins ---- */

struct Txn {
    int unused;
};
struct Session {
    Txn txn;
    bool open, committed, rolled_back;
    Arena arena;
    TableDef table;
    bool has_table;
    ColumnDef columns[64];
    Buffer text; /* rows as text */
    CatalogView view;
    Storage storage;
};
static Session *the_session; /* the calls below get a Txn only */

ErrorCode session_begin(Session *session, Error *err) {
    (void)err;
    session->open = true;
    return ERR_OK;
}
ErrorCode session_commit(Session *session, Error *err) {
    (void)err;
    session->open = false;
    session->committed = true;
    return ERR_OK;
}
void session_rollback(Session *session) {
    session->open = false;
    session->rolled_back = true;
}
Txn *session_txn(Session *session) {
    return session->open ? &session->txn : NULL;
}
CatalogView *txn_catalog(Txn *txn) {
    (void)txn;
    return &the_session->view;
}
Storage *txn_storage(Txn *txn) {
    (void)txn;
    return &the_session->storage;
}
static ErrorCode table_find(CatalogView *view, Str schema, Str name, const TableDef **table_out, Error *err) {
    (void)view;
    (void)schema;
    if (!the_session->has_table) {
        return error_set(err, ERR_UNDEFINED_TABLE, -1, "no table %.*s", STR_ARG(name));
    }
    *table_out = &the_session->table;
    return ERR_OK;
}
ErrorCode txn_table_create(Txn *txn, const TableSpec *spec, const TableDef **table_out, Error *err) {
    (void)txn;
    (void)err;
    TableDef *table = &the_session->table;
    *table = (TableDef){.id = 1, .name = arena_str(&the_session->arena, spec->name), .column_count = spec->column_count,
                        .columns = the_session->columns, .designated = spec->designated, .partition = spec->partition};
    for (uint16_t i = 0; i < spec->column_count; i++) {
        the_session->columns[i] = spec->columns[i];
        the_session->columns[i].name = arena_str(&the_session->arena, spec->columns[i].name);
    }
    the_session->has_table = true;
    *table_out = table;
    return ERR_OK;
}
ErrorCode txn_table_drop(Txn *txn, const TableDef *table, Error *err) {
    (void)txn;
    (void)table;
    (void)err;
    the_session->has_table = false;
    buffer_clear(&the_session->text);
    return ERR_OK;
}
ErrorCode txn_column_add(Txn *txn, const TableDef *table, const ColumnDef *column, const TableDef **table_out, Error *err) {
    (void)txn;
    (void)table;
    (void)err;
    ColumnDef *added = &the_session->columns[the_session->table.column_count];
    *added = *column;
    added->name = arena_str(&the_session->arena, column->name);
    the_session->table.column_count++;
    *table_out = &the_session->table;
    return ERR_OK;
}
int table_column_find(const TableDef *table, Str name) {
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (str_equal_ignore_case(table->columns[i].name, name)) {
            return i;
        }
    }
    return -1;
}

static void append_value(Buffer *out, const ColumnBlock *block, uint32_t row) {
    char text[64];
    if (block->valid != NULL && !bit_get(block->valid, row)) {
        buffer_append_str(out, STR("NULL"));
        return;
    }
    switch (type_physical(block->type.id)) {
    case PHYS_BIT:
        buffer_append_char(out, bit_get(block->data, row) ? 't' : 'f');
        break;
    case PHYS_32:
        buffer_printf(out, "%d", ((const int32_t *)block->data)[row]);
        break;
    case PHYS_64:
        buffer_printf(out, "%lld", (long long)((const int64_t *)block->data)[row]);
        break;
    case PHYS_F64:
        buffer_append(out, text, format_double(text, ((const double *)block->data)[row], DOUBLE_POSTGRES));
        break;
    default:
        buffer_append_char(out, '\'');
        buffer_append_str(out, strref_str(&((const StrRef *)block->data)[row]));
        buffer_append_char(out, '\'');
    }
}
static ErrorCode append(Storage *storage, uint32_t table_id, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    (void)storage;
    (void)err;
    assert_int_equal(table_id, 1);
    assert_int_equal(column_count, the_session->table.column_count);
    for (uint32_t row = 0; row < columns[0].row_count; row++) {
        for (uint16_t i = 0; i < column_count; i++) {
            buffer_append_str(&the_session->text, i > 0 ? STR("|") : STR(""));
            append_value(&the_session->text, &columns[i], row);
        }
        buffer_append_char(&the_session->text, '\n');
    }
    return ERR_OK;
}

static void session_make(Session *session) {
    *session = (Session){0};
    session->view.table_find = table_find;
    session->storage.append = append;
    arena_init(&session->arena, SIZE_MAX);
    buffer_init(&session->text, SIZE_MAX);
    the_session = session;
}
static void session_free(Session *session) {
    arena_deinit(&session->arena);
    buffer_deinit(&session->text);
}

/* ---- one load ---- */

typedef struct Outcome {
    ErrorCode code;
    Error err;
    uint64_t rows, rejected;
    char text[512], types[256];
} Outcome;

static Outcome load_text(Session *session, Str input, LoadOptions options) {
    Outcome outcome = {0};
    Load *load = NULL;
    options.table = STR("t");
    outcome.code = load_begin(session, &options, &load, &outcome.err);
    assert_int_equal(outcome.code, ERR_OK);
    for (size_t at = 0; at < input.len && outcome.code == ERR_OK; at += 7) {
        outcome.code = load_feed(load, bytes_from(input.data + at, MIN_OF((size_t)7, input.len - at)), &outcome.err);
    }
    if (outcome.code == ERR_OK) {
        outcome.code = load_finish(load, &outcome.err);
    }
    const LoadReport *report = load_report(load);
    outcome.rows = report->rows;
    outcome.rejected = report->rejected;
    for (uint32_t i = 0; i < report->column_count; i++) {
        char name[64];
        name[type_format_exec(name, sizeof name - 1, report->columns[i].type)] = '\0';
        size_t used = strlen(outcome.types);
        snprintf(outcome.types + used, sizeof outcome.types - used, "%s%.*s %s", i > 0 ? "," : "", STR_ARG(report->columns[i].name), name);
    }
    load_close(load);
    snprintf(outcome.text, sizeof outcome.text, "%.*s", STR_ARG(buffer_str(&session->text)));
    return outcome;
}

typedef struct LoadCase {
    const char *name, *input, *want_types, *want_rows;
    ErrorCode code;
    const char *message; /* part of it */
    LoadOptions options;
} LoadCase;

static const LoadCase CASES[] = {
    {"types", "a,b,c\n1,x,1.5\n2,y,2.5\n", "a LONG,b VARCHAR,c DOUBLE", "1|'x'|1.5\n2|'y'|2.5\n", ERR_OK, NULL, {.delimiter = 0}},
    {"QuestDB's types", "a,b\n1,2024-01-05\n", "a INT,b DATE", "1|1704412800000\n", ERR_OK, NULL, {.questdb = true}},
    {"no header", "1,2.5\n2,3.5\n", "f0 LONG,f1 DOUBLE", "1|2.5\n2|3.5\n", ERR_OK, NULL, {.delimiter = 0}},
    {"empty fields", "a,b,c\n1,,2.5\n2,yy,\n", "a LONG,b VARCHAR,c DOUBLE", "1|NULL|2.5\n2|'yy'|NULL\n", ERR_OK, NULL, {.delimiter = 0}},
    {"quoted empty", "a,b\n1,\"\"\n2,x\n", "a LONG,b VARCHAR", "1|''\n2|'x'\n", ERR_OK, NULL, {.delimiter = 0}},
    {"empty column", "a,b\n1,\n", "a LONG,b VARCHAR", "1|NULL\n", ERR_OK, NULL, {.delimiter = 0}},
    {"null text", "a,b\n1,NA\n2,7\n", "a LONG,b LONG", "1|NULL\n2|7\n", ERR_OK, NULL, {.null_text = {"NA", 2}}},
    {"semicolon", "a;b\n1;2,5\n3;4,5\n", "a LONG,b VARCHAR", "1|'2,5'\n3|'4,5'\n", ERR_OK, NULL, {.delimiter = 0}},
    {"same names", "a,a\n1,2\n", "a LONG,a_2 LONG", "1|2\n", ERR_OK, NULL, {.header = HEADER_YES}},
    {"long row", "a,b\n1,2\n3,4,5\n", NULL, "", ERR_BAD_COPY, "line 3: 3 fields, the file has 2 columns", {.delimiter = 0}},
    {"long row skipped", "a,b\n1,2\n3,4,5\n6,7\n", NULL, "1|2\n6|7\n", ERR_OK, NULL, {.skip_long_rows = true}},
    {"short row", "a,b\n1,2\n3\n", NULL, "", ERR_BAD_COPY, "line 3: 1 fields", {.delimiter = 0}},
    {"short row filled", "a,b\n1,2\n3\n", NULL, "1|2\n3|NULL\n", ERR_OK, NULL, {.on_error = LOAD_SKIP_COLUMN}},
    {"latin-1", "a,b\nx,y\nz,\xe4\n", NULL, "", ERR_INVALID_ENCODING, "line 3, column b: invalid UTF-8", {.delimiter = 0}},
    {"latin-1 left out", "a,b\nx,y\nz,\xe4\n", NULL, "'x'|'y'\n", ERR_OK, NULL, {.on_error = LOAD_SKIP_ROW}},
    {"open quote", "a,b\n1,\"x\n", NULL, "", ERR_BAD_COPY, "line 2: a quote is never closed", {.delimiter = 0}},
    {"nothing", "", NULL, "", ERR_BAD_COPY, "no rows", {.delimiter = 0}},
    {"designated", "t,v\n2024-01-01T00:00:00Z,1\n", "t TIMESTAMP,v LONG", "1704067200000000|1\n", ERR_OK, NULL,
     {.timestamp = {"t", 1}, .partition = PARTITION_DAY}},
    {"day as designated", "t,v\n2024-01-01,1\n", "t TIMESTAMP,v LONG", "1704067200000000|1\n", ERR_OK, NULL, {.timestamp = {"T", 1}}},
    {"epoch as designated", "t,v\n1704067200000,1\n", "t TIMESTAMP,v LONG", "1704067200000000|1\n", ERR_OK, NULL, {.timestamp = {"t", 1}}},
    {"no such designated", "t,v\n2024-01-01,1\n", NULL, "", ERR_UNDEFINED_COLUMN, "\"x\"", {.timestamp = {"x", 1}}},
    {"text as designated", "t,v\nabc,1\n", NULL, "", ERR_DATATYPE_MISMATCH, "cannot be the designated timestamp", {.timestamp = {"t", 1}}},
    {"partition without time", "t,v\n2024-01-01,1\n", NULL, "", ERR_INVALID_PARAMETER, "designated", {.partition = PARTITION_DAY}},
    {"NULL in the designated", "t,v\n2024-01-01,1\n,2\n", NULL, "", ERR_NOT_NULL_VIOLATION, "line 3, column t", {.timestamp = {"t", 1}}},
    {"no create", "a\n1\n", NULL, "", ERR_UNDEFINED_TABLE, "does not exist", {.no_create = true}},
};

static void loads_give_these_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const LoadCase *c = &CASES[i];
        Session session;
        session_make(&session);
        Outcome got = load_text(&session, str_from_c(c->input), c->options);
        bool fine = got.code == c->code && (c->code != ERR_OK || strcmp(got.text, c->want_rows) == 0) &&
                    (c->want_types == NULL || strcmp(got.types, c->want_types) == 0) &&
                    (c->message == NULL || strstr(got.err.message, c->message) != NULL);
        if (!fine) {
            print_message("%s: %s \"%s\"\ntypes: %s\nrows:\n%s", c->name, error_name(got.code), got.err.message, got.types, got.text);
            fail();
        }
        assert_int_equal(session.committed, c->code == ERR_OK);
        assert_int_equal(session.rolled_back, c->code != ERR_OK);
        session_free(&session);
    }
}

static void bad_values_follow_the_mode(void **state) {
    (void)state;
    static const struct {
        LoadOnError mode;
        const char *want;
        ErrorCode code;
        uint64_t rejected;
    } ROWS[] = {
        {LOAD_SKIP_COLUMN, "1|1.5\nNULL|2.5\n3|3.5\n", ERR_OK, 0},
        {LOAD_SKIP_ROW, "1|1.5\n3|3.5\n", ERR_OK, 1},
        {LOAD_ABORT, "", ERR_INVALID_TEXT, 1},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Session session;
        session_make(&session);
        ColumnDef columns[2] = {{.name = STR("a"), .type = {.id = TYPE_INT4}}, {.name = STR("b"), .type = {.id = TYPE_FLOAT8}}};
        const TableDef *table = NULL;
        assert_int_equal(txn_table_create(NULL, &(TableSpec){.name = STR("t"), .columns = columns, .column_count = 2, .designated = -1},
                                          &table, NULL),
                         ERR_OK);
        Outcome got = load_text(&session, STR("a,b\n1,1.5\nbad,2.5\n3,3.5\n"), (LoadOptions){.on_error = (uint8_t)ROWS[i].mode});
        assert_int_equal(got.code, ROWS[i].code);
        if (got.code == ERR_OK) {
            assert_string_equal(got.text, ROWS[i].want);
            assert_int_equal(got.rejected, ROWS[i].rejected);
        } else {
            assert_non_null(strstr(got.err.message, "line 3, column a: \"bad\" is no integer"));
            assert_int_equal(got.err.position, 10);
        }
        session_free(&session);
    }
}

static void columns_go_by_name_and_missing_ones_are_null(void **state) {
    (void)state;
    Session session;
    session_make(&session);
    Outcome got = load_text(&session, STR("a,b\n1,x\n"), (LoadOptions){0});
    assert_int_equal(got.code, ERR_OK);
    got = load_text(&session, STR("B\ny\n"), (LoadOptions){0});
    assert_int_equal(got.code, ERR_OK);
    assert_string_equal(got.text, "1|'x'\nNULL|'y'\n");
    got = load_text(&session, STR("a,c\n1,2\n"), (LoadOptions){0});
    assert_int_equal(got.code, ERR_UNDEFINED_COLUMN);
    assert_non_null(strstr(got.err.message, "--add-columns"));
    got = load_text(&session, STR("c,a\n2.5,7\n"), (LoadOptions){.add_columns = true});
    assert_int_equal(got.code, ERR_OK);
    assert_string_equal(got.text, "1|'x'\nNULL|'y'\n7|NULL|2.5\n");
    got = load_text(&session, STR("x\n9\n"), (LoadOptions){.overwrite = true});
    assert_string_equal(got.text, "9\n");
    session_free(&session);
}

static void given_types_and_patterns_win(void **state) {
    (void)state;
    Session session;
    session_make(&session);
    LoadColumnSpec specs[2] = {{.name = STR("a"), .type = {.id = TYPE_VARCHAR}},
                               {.name = STR("b"), .type = {.id = TYPE_TIMESTAMP}, .pattern = STR("dd.MM.yyyy")}};
    Outcome got = load_text(&session, STR("a,b\n7,02.01.1970\n"), (LoadOptions){.columns = specs, .column_count = 2});
    assert_int_equal(got.code, ERR_OK);
    assert_string_equal(got.text, "'7'|86400000000\n");
    session_free(&session);
    session_make(&session);
    specs[0].name = STR("z");
    got = load_text(&session, STR("a,b\n7,02.01.1970\n"), (LoadOptions){.columns = specs, .column_count = 2});
    assert_int_equal(got.code, ERR_UNDEFINED_COLUMN);
    session_free(&session);
}

static void many_rows_fill_many_batches(void **state) {
    (void)state;
    Session session;
    Buffer input;
    session_make(&session);
    buffer_init(&input, SIZE_MAX);
    buffer_append_str(&input, STR("n,text\n"));
    for (int i = 0; i < 100000; i++) {
        buffer_printf(&input, "%d,%s\n", i, i % 3 == 0 ? "a text that is longer than twelve bytes" : "");
    }
    Outcome got = load_text(&session, buffer_str(&input), (LoadOptions){0});
    assert_int_equal(got.code, ERR_OK);
    assert_int_equal(got.rows, 100000);
    Str rest = buffer_str(&session.text), line;
    for (int i = 0; i < 100000; i++) {
        char want[64];
        snprintf(want, sizeof want, "%d|%s", i, i % 3 == 0 ? "'a text that is longer than twelve bytes'" : "NULL");
        assert_true(str_split(&rest, '\n', &line));
        assert_true(str_equal(line, str_from_c(want)));
    }
    buffer_deinit(&input);
    session_free(&session);
}

static void an_open_transaction_stays_open(void **state) {
    (void)state;
    Session session;
    session_make(&session);
    assert_int_equal(session_begin(&session, NULL), ERR_OK);
    Outcome got = load_text(&session, STR("a\n1\n"), (LoadOptions){0});
    assert_int_equal(got.code, ERR_OK);
    assert_true(session.open);
    assert_false(session.committed);
    session_free(&session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_give_these_rows),
        cmocka_unit_test(bad_values_follow_the_mode),
        cmocka_unit_test(columns_go_by_name_and_missing_ones_are_null),
        cmocka_unit_test(given_types_and_patterns_win),
        cmocka_unit_test(many_rows_fill_many_batches),
        cmocka_unit_test(an_open_transaction_stays_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
