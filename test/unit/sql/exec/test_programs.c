/* SPDX-License-Identifier: Apache-2.0
 * test_programs.c - random typed expressions: the program against an interpreter that walks the bound tree row by row and evaluates
 * only what SQL's order asks for. Same values; an error exactly if some row has one. A failure prints the seed's expression. */
#include "exec_tables.h"
#include "column/value_rules.h"
#include "column/value_text.h"
#include "sql/bind/bind.h"
#include "sql/parse/parse.h"
#include "sql/plan/program_value.h"

enum { EXPRESSIONS = 400, DEPTH = 4 };

/* ---- making expressions ---- */
typedef struct Maker { Random random; Buffer *out; } Maker;

static void make_int(Maker *m, int depth);
static void make_bool(Maker *m, int depth);
static void make_text(Maker *m, int depth);

static int roll(Maker *m, int sides) {
    return (int)random_below(&m->random, (uint64_t)sides);
}

static void put(Maker *m, const char *text) {
    buffer_append_str(m->out, str_from_c(text));
}

static void make_two(Maker *m, int depth, void (*left)(Maker *, int), const char *between, void (*right)(Maker *, int)) {
    put(m, "(");
    left(m, depth);
    put(m, between);
    right(m, depth);
    put(m, ")");
}

static void make_case(Maker *m, int depth, void (*value)(Maker *, int)) {
    put(m, "CASE WHEN ");
    make_bool(m, depth);
    put(m, " THEN ");
    value(m, depth);
    if (roll(m, 2) == 0) {
        put(m, " WHEN ");
        make_bool(m, depth);
        put(m, " THEN ");
        value(m, depth);
    }
    put(m, " ELSE ");
    value(m, depth);
    put(m, " END");
}

static void make_int(Maker *m, int depth) {
    static const char *const leaves[] = {"i", "z", "l", "0", "1", "7", "-3", "NULL::int", "i", "l"};
    static const char *const operators[] = {" + ", " - ", " * ", " / ", " % "};
    if (depth == 0) {
        put(m, leaves[roll(m, COUNT_OF(leaves))]);
        return;
    }
    switch (roll(m, 8)) {
    case 0:
        make_case(m, depth - 1, make_int);
        return;
    case 1:
        put(m, "coalesce(");
        make_int(m, depth - 1);
        put(m, ", ");
        make_int(m, depth - 1);
        put(m, ")");
        return;
    case 2:
        put(m, "length(");
        make_text(m, depth - 1);
        put(m, ")");
        return;
    case 3:
        put(m, "nullif(");
        make_int(m, depth - 1);
        put(m, ", ");
        make_int(m, depth - 1);
        put(m, ")");
        return;
    case 4:
        make_int(m, 0);
        return;
    default:
        make_two(m, depth - 1, make_int, operators[roll(m, COUNT_OF(operators))], make_int);
        return;
    }
}

static void make_bool(Maker *m, int depth) {
    static const char *const leaves[] = {"b", "true", "false", "NULL::boolean", "i > 0", "sym = 'S3'", "s IS NULL", "sym IN ('S1', 'S4')",
                                         "s LIKE 't%'", "i IN (1, 2, NULL)", "l NOT IN (3, 4)", "sym LIKE 'S1%'", "sym <> s", "d > 0"};
    static const char *const compare[] = {" < ", " = ", " <> ", " >= "};
    if (depth == 0) {
        put(m, leaves[roll(m, COUNT_OF(leaves))]);
        return;
    }
    switch (roll(m, 8)) {
    case 0:
    case 1:
        make_two(m, depth - 1, make_bool, " AND ", make_bool);
        return;
    case 2:
    case 3:
        make_two(m, depth - 1, make_bool, " OR ", make_bool);
        return;
    case 4:
        put(m, "(NOT ");
        make_bool(m, depth - 1);
        put(m, ")");
        return;
    case 5:
        make_two(m, depth - 1, make_text, " = ", make_text);
        return;
    case 6:
        make_case(m, depth - 1, make_bool);
        return;
    default:
        make_two(m, depth - 1, make_int, compare[roll(m, COUNT_OF(compare))], make_int);
        return;
    }
}

static void make_text(Maker *m, int depth) {
    static const char *const leaves[] = {"s", "sym::text", "'abc'", "''", "NULL::text", "s"};
    if (depth == 0) {
        put(m, leaves[roll(m, COUNT_OF(leaves))]);
        return;
    }
    switch (roll(m, 5)) {
    case 0:
        put(m, "upper(");
        make_text(m, depth - 1);
        put(m, ")");
        return;
    case 1:
        make_two(m, depth - 1, make_text, " || ", make_text);
        return;
    case 2:
        put(m, "substr(");
        make_text(m, depth - 1);
        put(m, ", ");
        make_int(m, 0);
        put(m, "::int, 2)");
        return;
    case 3:
        make_case(m, depth - 1, make_text);
        return;
    default:
        make_text(m, 0);
        return;
    }
}

/* ---- the interpreter ---- */
typedef struct Oracle {
    Arena *arena;
    const FunctionEnvironment *environment;
    const ArrayTable *table;
    const Rel *scan;
    uint32_t row;
} Oracle;

static ErrorCode evaluate(Oracle *o, const Expr *expr, Value *out);

static Value null_of(Type type) {
    Value value;
    memset(&value, 0, sizeof value);
    value.type = type;
    value.is_null = true;
    return value;
}

static void column_value(const Oracle *o, const Expr *expr, Value *out) {
    const RelColumn *found = NULL;
    for (uint32_t i = 0; i < o->scan->column_count; i++) {
        found = o->scan->columns[i].id == expr->as.column ? &o->scan->columns[i] : found;
    }
    assert_non_null(found);
    const ArrayColumn *column = &o->table->columns[found->table_column];
    *out = null_of(expr->type);
    if (column->nulls != NULL && column->nulls[o->row]) {
        return;
    }
    out->is_null = false;
    if (column->type.id == TYPE_BOOL) {
        out->as.boolean = column->ints[o->row] != 0;
    } else if (column->type.id == TYPE_FLOAT8) {
        out->as.f64 = column->floats[o->row];
    } else if (column->type.id == TYPE_TEXT) {
        out->as.str = strref_make(column->texts[o->row].data, column->texts[o->row].len);
    } else {
        memcpy(out->as.bytes, &column->ints[o->row], physical_bytes(type_physical((TypeId)column->type.id)));
    }
}

static const SymbolTable *symbols_of(const Oracle *o, const Expr *expr) {
    for (uint32_t i = 0; expr->kind == EXPR_COLUMN && i < o->scan->column_count; i++) {
        if (o->scan->columns[i].id == expr->as.column) {
            return o->scan->columns[i].symbols;
        }
    }
    return NULL;
}

/* A strict call of a NULL constant is NULL before anything is evaluated, as in PostgreSQL. */
static bool always_null(const Expr *expr) {
    if (expr->kind == EXPR_CONSTANT) {
        return expr->as.value.is_null;
    }
    bool null = false;
    bool strict = expr->kind == EXPR_CALL && (expr->as.call.function->flags & FN_NOT_STRICT) == 0;
    for (uint32_t i = 0; strict && i < expr->arg_count; i++) {
        null = null || always_null(expr->args[i]);
    }
    return null;
}

static ErrorCode call_value(Oracle *o, const Expr *expr, Value *out) {
    const Function *function = expr->as.call.function;
    if (always_null(expr)) {
        *out = null_of(expr->type);
        return ERR_OK;
    }
    Vector vectors[8];
    const Vector *args[8];
    const Vector *constants[8] = {0};
    Type types[8];
    Value *values = arena_array(o->arena, Value, 8);
    uint64_t words[8];
    bool any_null = false;
    assert_true(expr->arg_count <= 8);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        TRY(evaluate(o, expr->args[i], &values[i]));
        any_null = any_null || values[i].is_null;
        vectors[i] = program_value_vector(&values[i], &words[i], 1);
        vectors[i].symbols = symbols_of(o, expr->args[i]);
        args[i] = &vectors[i];
        types[i] = expr->args[i]->type;
        constants[i] = expr->args[i]->kind == EXPR_CONSTANT ? &vectors[i] : NULL;
    }
    if (function->kernel == NULL) {
        *out = values[0];
        out->type = expr->type;
        return ERR_OK;
    }
    if (any_null && (function->flags & FN_NOT_STRICT) == 0) {
        *out = null_of(expr->type);
        return ERR_OK;
    }
    const void *prepared = expr->as.call.cast_prepared;
    if (prepared == NULL && function->prepare != NULL) {
        PrepareCall prepare = {.constants = constants, .arg_types = types, .arg_count = (uint16_t)expr->arg_count, .arena = o->arena,
                               .environment = o->environment};
        TRY(function->prepare(&prepare, &prepared, NULL));
    }
    uint64_t rows[BATCH_WORDS] = {1};
    KernelCall call = {.args = args, .arg_count = (uint16_t)expr->arg_count, .row_count = 1, .rows = rows, .arena = o->arena, .prepared = prepared,
                       .environment = o->environment};
    Vector result = vector_new(o->arena, expr->type);
    result.row_count = 1;
    TRY(function->kernel(&call, &result, NULL));
    *out = program_vector_value(&result, 0);
    return ERR_OK;
}

static ErrorCode logic_value(Oracle *o, const Expr *expr, Value *out) {
    bool decides = expr->kind == EXPR_OR; /* the value that settles it */
    bool unknown = false;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        Value value;
        TRY(evaluate(o, expr->args[i], &value));
        if (!value.is_null && value.as.boolean == decides) {
            *out = value;
            return ERR_OK;
        }
        unknown = unknown || value.is_null;
    }
    *out = null_of(type_of(TYPE_BOOL));
    out->is_null = unknown;
    out->as.boolean = !decides;
    return ERR_OK;
}

static ErrorCode case_value(Oracle *o, const Expr *expr, Value *out) {
    for (uint32_t i = 0; i + 1 < expr->arg_count; i += 2) {
        Value condition;
        TRY(evaluate(o, expr->args[i], &condition));
        if (!condition.is_null && condition.as.boolean) {
            return evaluate(o, expr->args[i + 1], out);
        }
    }
    if (expr->arg_count % 2 == 1) {
        return evaluate(o, expr->args[expr->arg_count - 1], out);
    }
    *out = null_of(expr->type);
    return ERR_OK;
}

static ErrorCode in_value(Oracle *o, const Expr *expr, Value *out) {
    Value needle;
    TRY(evaluate(o, expr->args[0], &needle));
    bool unknown = needle.is_null;
    bool found = false;
    for (uint32_t i = 1; i < expr->arg_count; i++) {
        Value item;
        TRY(evaluate(o, expr->args[i], &item));
        unknown = unknown || item.is_null;
        found = found || (!needle.is_null && !item.is_null && value_rules((TypeId)needle.type.id)->equal(needle.as.bytes, item.as.bytes));
    }
    *out = null_of(type_of(TYPE_BOOL));
    out->is_null = !found && unknown;
    out->as.boolean = found;
    return ERR_OK;
}

static ErrorCode evaluate(Oracle *o, const Expr *expr, Value *out) {
    switch ((ExprKind)expr->kind) {
    case EXPR_COLUMN:
        column_value(o, expr, out);
        return ERR_OK;
    case EXPR_CONSTANT:
        *out = expr->as.value;
        return ERR_OK;
    case EXPR_CALL:
        return call_value(o, expr, out);
    case EXPR_AND:
    case EXPR_OR:
        return logic_value(o, expr, out);
    case EXPR_CASE:
        return case_value(o, expr, out);
    case EXPR_IN_LIST:
        return in_value(o, expr, out);
    case EXPR_NOT:
        TRY(evaluate(o, expr->args[0], out));
        out->as.boolean = !out->as.boolean;
        return ERR_OK;
    case EXPR_IS_NULL: {
        Value value;
        TRY(evaluate(o, expr->args[0], &value));
        *out = null_of(type_of(TYPE_BOOL));
        out->is_null = false;
        out->as.boolean = value.is_null;
        return ERR_OK;
    }
    case EXPR_COALESCE:
        for (uint32_t i = 0; i < expr->arg_count; i++) {
            TRY(evaluate(o, expr->args[i], out));
            if (!out->is_null) {
                return ERR_OK;
            }
        }
        return ERR_OK;
    default:
        fail_msg("expression kind %u", expr->kind);
        return ERR_INTERNAL;
    }
}

static void put_oracle_value(Buffer *out, const Value *value) {
    TextStyle style = {0};
    if (value->is_null) {
        buffer_append_str(out, STR("null\n"));
        return;
    }
    if (value->type.id == TYPE_BOOL) {
        buffer_append_str(out, value->as.boolean ? STR("true") : STR("false"));
    } else {
        value_format(value->type, value->as.bytes, &style, out);
    }
    buffer_append_char(out, '\n');
}

/* ---- the comparison ---- */
/* Wanted rows into want; the first error of any row, ERR_OK if there is none. */
static ErrorCode interpret(Fixture *f, const char *text, Arena *arena, Buffer *want) {
    BindContext context = {.catalog = &f->sql.view, .environment = &f->sql.environment, .text = str_from_c(text), .dialect = DIALECT_POSTGRES};
    AstStatement *statement = NULL;
    BoundStatement *bound = NULL;
    size_t end = 0;
    ErrorCode code = sql_parse(str_from_c(text), 0, DIALECT_POSTGRES, arena, &statement, &end, &f->err);
    if (code == ERR_OK) {
        code = bind_statement(statement, &context, arena, &bound, &f->err);
    }
    if (code != ERR_OK) {
        fail_msg("%s\n%s", text, f->err.message);
    }
    const Rel *project = bound->rel;
    assert_int_equal(project->kind, REL_PROJECT);
    assert_int_equal(project->inputs[0]->kind, REL_SCAN);
    Oracle oracle = {.arena = arena, .environment = &f->sql.environment, .table = f->storage.tables[0], .scan = project->inputs[0]};
    buffer_clear(want);
    ErrorCode first = ERR_OK;
    for (oracle.row = 0; oracle.row < T_ROWS; oracle.row++) {
        Value value;
        code = evaluate(&oracle, project->as.project.exprs[0], &value);
        if (code != ERR_OK) {
            first = first == ERR_OK ? code : first;
        } else {
            put_oracle_value(want, &value);
        }
    }
    return first;
}

static void check_program(Fixture *f, const char *text, ErrorCode wanted, const char *variant) {
    ErrorCode code = array_sql_run(&f->sql, text, false, &f->out, &f->err);
    if ((code == ERR_OK) != (wanted == ERR_OK)) {
        fail_msg("%s\n[%s] gave %s (%s), a row alone gives %s", text, variant, error_name(code), code == ERR_OK ? "" : f->err.message,
                 error_name(wanted));
    }
    if (code == ERR_OK && !str_equal(buffer_str(&f->out), buffer_str(&f->want))) {
        size_t at = 0;
        size_t line = 1;
        while (at < f->out.len && at < f->want.len && f->out.data[at] == f->want.data[at]) {
            line += f->out.data[at++] == '\n';
        }
        fail_msg("%s\n[%s] differs at row %zu: want %.40s got %.40s", text, variant, line, (const char *)f->want.data + at,
                 (const char *)f->out.data + at);
    }
}

static void programs_agree_with_row_by_row(void **state) {
    static const uint16_t batch_sizes[] = {1, 3, 64, BATCH_ROWS};
    Fixture *f = *state;
    const char *given = getenv("BASALT_SEED");
    uint64_t seed = given == NULL ? 20261130 : strtoull(given, NULL, 10);
    uint32_t failing = 0;
    for (uint32_t n = 0; n < EXPRESSIONS; n++) {
        Buffer text;
        buffer_init(&text, 1 << 20);
        Maker maker = {.out = &text};
        random_init(&maker.random, seed + n);
        put(&maker, "SELECT ");
        void (*const makers[])(Maker *, int) = {make_int, make_bool, make_text, make_bool};
        makers[n % COUNT_OF(makers)](&maker, 1 + roll(&maker, DEPTH));
        put(&maker, " AS x FROM t");
        buffer_append_char(&text, 0);
        Arena arena;
        arena_init(&arena, SIZE_MAX);
        ErrorCode wanted = interpret(f, (const char *)text.data, &arena, &f->want);
        failing += wanted != ERR_OK;
        for (size_t v = 0; v < COUNT_OF(batch_sizes); v++) {
            char variant[64];
            f->storage.batch_rows = batch_sizes[v];
            f->storage.form = (ArrayForm)((n + v) % ARRAY_FORM_COUNT);
            f->storage.dead_rows = (n + v) % 3 == 1 && batch_sizes[v] > 1;
            f->sql.passes_off = v == 2 ? 1u << PASS_FOLD : 0;
            snprintf(variant, sizeof variant, "seed %llu batch %u form %d", (unsigned long long)(seed + n), batch_sizes[v], (int)f->storage.form);
            check_program(f, (const char *)text.data, wanted, variant);
        }
        arena_deinit(&arena);
        buffer_deinit(&text);
    }
    assert_true(failing > 5);
    assert_true(failing < EXPRESSIONS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_agree_with_row_by_row, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
