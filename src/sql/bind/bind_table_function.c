/* SPDX-License-Identifier: Apache-2.0
 * bind_table_function.c - functions that give rows: in FROM with ordinality, aliases and ROWS FROM; any other function in FROM is one row.
 *
 * Why:   functions whose rows follow from another one's are written in its terms here (generate_subscripts, string_to_table), so the
 *        executor knows series, arrays and lists only. Arguments may read what stands to the left: see LATERAL in bind_from.c.
 * Tests: test/sql/table_functions.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/lexer.h"
#include "sql/system/system.h"

ErrorCode table_call(Binder *b, TableCallId id, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    const TableCall *row = table_call_at(id);
    TRY(rel_new(b, REL_TABLE_CALL, row->column_count, position, rel_out));
    Rel *rel = *rel_out;
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < row->column_count; i++) {
        columns[i].type = type_of((TypeId)row->columns[i].type);
        columns[i].name = str_from_c(row->columns[i].name);
    }
    rel->as.table_call.function = id;
    rel->as.table_call.args = args;
    rel->as.table_call.arg_count = (uint16_t)count;
    if (id == TABLE_CALL_GENERATE_SERIES) {
        columns[0].type = args[0]->type;
    }
    return ERR_OK;
}

/* unnest(a, b): the arrays' elements beside each other. */
static ErrorCode unnest_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    TRY(rel_new(b, REL_TABLE_CALL, count, position, rel_out));
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->type.id == TYPE_UNKNOWN) {
            return error_set(b->err, ERR_AMBIGUOUS_FUNCTION, position, "function unnest(unknown) is not unique");
        }
        if (type_category((TypeId)args[i]->type.id) != CAT_ARRAY) {
            return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "function unnest(%.*s) does not exist", STR_ARG(type_name(b, args[i]->type)));
        }
        rel_columns(*rel_out)[i].type = type_element(args[i]->type);
        rel_columns(*rel_out)[i].name = STR("unnest");
    }
    (*rel_out)->as.table_call.function = TABLE_CALL_UNNEST;
    (*rel_out)->as.table_call.args = args;
    (*rel_out)->as.table_call.arg_count = (uint16_t)count;
    return ERR_OK;
}

static ErrorCode series_arguments(Binder *b, const Expr **args, uint32_t count) {
    bool time = args[0]->type.id != TYPE_UNKNOWN && type_category((TypeId)args[0]->type.id) == CAT_TIME;
    Type type = type_of(time ? TYPE_TIMESTAMP : TYPE_INT8);
    for (uint32_t i = 0; i < count; i++) {
        TypeId id = (TypeId)args[i]->type.id;
        if (type_category(id) == CAT_NUMBER && !type_is_integer(id)) {
            return not_supported(b, args[i]->position, "generate_series over type %.*s", STR_ARG(type_name(b, args[i]->type)));
        }
    }
    if (time && count == 2) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, args[0]->position, "generate_series over timestamps needs a step");
    }
    TRY(coerce(b, args[0], type, CAST_ASSIGNMENT, &args[0]));
    TRY(coerce(b, args[1], type, CAST_ASSIGNMENT, &args[1]));
    if (count < 3) {
        return ERR_OK;
    }
    if (args[2]->type.id == TYPE_INTERVAL || (time && args[2]->type.id == TYPE_UNKNOWN)) {
        return not_supported(b, args[2]->position, "generate_series with an interval as step");
    }
    return coerce(b, args[2], type_of(TYPE_INT8), CAST_ASSIGNMENT, &args[2]);
}

static ErrorCode call_arguments(Binder *b, TableCallId id, const Expr **args, uint32_t count) {
    if (id == TABLE_CALL_GENERATE_SERIES) {
        return series_arguments(b, args, count);
    }
    Type type = type_of(id == TABLE_CALL_LONG_SEQUENCE ? TYPE_INT8 : TYPE_TEXT);
    for (uint32_t i = 0; i < count; i++) {
        TRY(coerce(b, args[i], type, CAST_ASSIGNMENT, &args[i]));
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- functions in terms of others */

static ErrorCode call_two(Binder *b, const char *name, const Expr *left, const Expr *right, int64_t position, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 2);
    args[0] = left;
    args[1] = right;
    return call_function(b, str_from_c(name), args, 2, position, false, expr_out);
}

/* generate_subscripts(array, dimension) */
static ErrorCode subscripts_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    const Expr **bounds = arena_array(b->arena, const Expr *, 3);
    bool reverse = count == 3 && args[2]->kind == EXPR_CONSTANT && args[2]->type.id == TYPE_BOOL && args[2]->as.value.as.boolean;
    if (count != 2 && (count != 3 || args[2]->kind != EXPR_CONSTANT)) {
        return not_supported(b, position, "generate_subscripts with a third argument that is no constant");
    }
    TRY(call_two(b, "array_lower", args[0], args[1], position, &bounds[reverse]));
    TRY(call_two(b, "array_upper", args[0], args[1], position, &bounds[!reverse]));
    if (reverse) {
        Value step = {.type = type_of(TYPE_INT4)};
        step.as.i32 = -1;
        bounds[2] = expr_constant(b, &step, position);
    }
    return srf_rel(b, STR("generate_series"), bounds, reverse ? 3 : 2, position, rel_out);
}

static ErrorCode split_rel(Binder *b, const char *splitter, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    const Expr **array = arena_array(b->arena, const Expr *, 1);
    TRY(call_function(b, str_from_c(splitter), args, count, position, false, &array[0]));
    return srf_rel(b, STR("unnest"), array, 1, position, rel_out);
}

static ErrorCode string_to_table(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    return split_rel(b, "string_to_array", args, count, position, rel_out);
}

static ErrorCode regexp_split_to_table(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    return split_rel(b, "regexp_split_to_array", args, count, position, rel_out);
}

/* regexp_matches(text, pattern [, flags]): an array a match, cut out of the array of all. */
static ErrorCode regexp_matches(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    const Expr *all = NULL;
    const Expr **bounds = arena_array(b->arena, const Expr *, 2);
    Value one = {.type = type_of(TYPE_INT4)};
    one.as.i32 = 1;
    TRY(call_function(b, STR("regexp_all"), args, count, position, true, &all));
    bounds[0] = expr_constant(b, &one, position);
    TRY(call_two(b, "array_length", all, bounds[0], position, &bounds[1]));
    Rel *rel = NULL;
    TRY(srf_rel(b, STR("generate_series"), bounds, 2, position, &rel));
    const Expr **row = arena_array(b->arena, const Expr *, 2);
    row[0] = all;
    row[1] = rel_column_expr(b, rel, 0);
    const Expr *match = NULL;
    Str name = STR("regexp_matches");
    TRY(call_function(b, STR("array_row"), row, 2, position, true, &match));
    return rel_project(b, rel, &match, &name, 1, rel_out);
}

/* information_schema._pg_expandarray(array): x the elements, n their numbers from 1. */
static ErrorCode expand_array(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    if (count != 1) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "_pg_expandarray takes an array");
    }
    Rel *rel = NULL;
    TRY(srf_rel(b, STR("unnest"), args, 1, position, &rel));
    TRY(rel_numbered(b, rel, STR("n"), &rel));
    const Expr *exprs[2] = {rel_column_expr(b, rel, 0), NULL};
    const Str names[2] = {STR("x"), STR("n")};
    TRY(coerce(b, rel_column_expr(b, rel, 1), type_of(TYPE_INT4), CAST_ASSIGNMENT, &exprs[1]));
    return rel_project(b, rel, exprs, names, 2, rel_out);
}

/* aclexplode(rights): a row for each right, from texts "grantor,grantee,right,grantable". */
static ErrorCode acl_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    static const struct { Str name; uint8_t type; } COLUMNS[] = {
        {{"grantor", 7}, TYPE_OID}, {{"grantee", 7}, TYPE_OID}, {{"privilege_type", 14}, TYPE_TEXT}, {{"is_grantable", 12}, TYPE_BOOL}};
    const Expr **entries = arena_array(b->arena, const Expr *, 1);
    const Expr *exprs[COUNT_OF(COLUMNS)];
    Str names[COUNT_OF(COLUMNS)];
    Rel *rel = NULL;
    TRY(call_function(b, STR("acl entries"), args, count, position, true, &entries[0]));
    TRY(srf_rel(b, STR("unnest"), entries, 1, position, &rel));
    for (uint32_t i = 0; i < COUNT_OF(COLUMNS); i++) {
        const Expr **parts = arena_array(b->arena, const Expr *, 3);
        Value number = {.type = type_of(TYPE_INT4)};
        number.as.i32 = (int32_t)i + 1;
        parts[0] = rel_column_expr(b, rel, 0);
        parts[1] = expr_text(b, STR(","), TYPE_TEXT, position);
        parts[2] = expr_constant(b, &number, position);
        TRY(call_function(b, STR("split_part"), parts, 3, position, false, &exprs[i]));
        TRY(coerce(b, exprs[i], type_of((TypeId)COLUMNS[i].type), CAST_EXPLICIT, &exprs[i]));
        names[i] = COLUMNS[i].name;
    }
    return rel_project(b, rel, exprs, names, COUNT_OF(COLUMNS), rel_out);
}

static const char *keyword_description(KeywordClass word_class) {
    switch (word_class) {
    case KEYWORD_UNRESERVED: return "unreserved";
    case KEYWORD_COLUMN_NAME: return "unreserved (cannot be function or type name)";
    case KEYWORD_TYPE_FUNCTION: return "reserved (can be function or type name)";
    case KEYWORD_RESERVED: return "reserved";
    }
    return "";
}

static ErrorCode keywords_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    static const char letters[] = {[KEYWORD_UNRESERVED] = 'U', [KEYWORD_COLUMN_NAME] = 'C', [KEYWORD_TYPE_FUNCTION] = 'T', [KEYWORD_RESERVED] = 'R'};
    static const char *const names[] = {"word", "catcode", "barelabel", "catdesc", "baredesc"};
    (void)args;
    if (count != 0) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "pg_get_keywords takes no arguments");
    }
    TRY(rel_new(b, REL_VALUES, 5, position, rel_out));
    const Expr **cells = arena_array(b->arena, const Expr *, (size_t)KEYWORD_COUNT * 5);
    uint32_t rows = 0;
    for (int k = 1; k < KEYWORD_COUNT; k++) {
        KeywordClass word_class = keyword_class((Keyword)k);
        bool label = keyword_is_label((Keyword)k);
        const Expr **row = cells + (size_t)rows++ * 5;
        row[0] = expr_text(b, keyword_text((Keyword)k), TYPE_TEXT, position);
        row[1] = expr_text(b, (Str){&letters[word_class], 1}, TYPE_TEXT, position);
        row[2] = expr_bool(b, label, position);
        row[3] = expr_text(b, str_from_c(keyword_description(word_class)), TYPE_TEXT, position);
        row[4] = expr_text(b, label ? STR("can be bare label") : STR("requires AS"), TYPE_TEXT, position);
    }
    for (uint32_t c = 0; c < 5; c++) {
        rel_columns(*rel_out)[c].type = type_of(c == 2 ? TYPE_BOOL : TYPE_TEXT);
        rel_columns(*rel_out)[c].name = str_from_c(names[c]);
    }
    (*rel_out)->as.values.exprs = cells;
    (*rel_out)->as.values.row_count = rows;
    return ERR_OK;
}

typedef struct DerivedRow {
    Str name;
    ErrorCode (*rel)(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out);
} DerivedRow;
static const DerivedRow derived_rows[] = {
    {{"generate_subscripts", 19}, subscripts_rel}, {{"string_to_table", 15}, string_to_table},
    {{"regexp_split_to_table", 21}, regexp_split_to_table}, {{"regexp_matches", 14}, regexp_matches}, {{"_pg_expandarray", 15}, expand_array}, {{"pg_get_keywords", 15}, keywords_rel},
    {{"aclexplode", 10}, acl_rel}, {{"pg_input_error_info", 19}, input_error_rel},
};

static const DerivedRow *find_derived(Str name) {
    for (size_t i = 0; i < COUNT_OF(derived_rows); i++) {
        if (str_equal_ignore_case(name, derived_rows[i].name)) {
            return &derived_rows[i];
        }
    }
    return NULL;
}

bool is_srf_name(Str name) {
    return table_call_find(name) != TABLE_CALL_COUNT || find_derived(name) != NULL || is_json_rows(name);
}

/* PostgreSQL's rows of generate_series: integers are counted, numerics and times come as an array. int4 gives int4. */
static ErrorCode series_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    const Expr *series = NULL;
    const Expr *column = NULL;
    Str name = STR("generate_series");
    ErrorCode code = call_function(b, STR("series"), args, count, position, true, &series);
    if (code == ERR_UNDEFINED_FUNCTION || code == ERR_AMBIGUOUS_FUNCTION) {
        return error_set(b->err, code, position, "function generate_series %s", code == ERR_AMBIGUOUS_FUNCTION ? "is not unique" : "with such arguments does not exist");
    }
    TRY(code);
    TypeId type = (TypeId)args[0]->type.id;
    if (type != TYPE_INT4 && type != TYPE_INT8) {
        const Expr **array = arena_array(b->arena, const Expr *, 1);
        array[0] = series;
        TRY(unnest_rel(b, array, 1, position, rel_out));
        column = rel_column_expr(b, *rel_out, 0);
        return rel_project(b, *rel_out, &column, &name, 1, rel_out);
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(coerce(b, args[i], type_of(TYPE_INT8), CAST_IMPLICIT, &args[i]));
    }
    TRY(table_call(b, TABLE_CALL_GENERATE_SERIES, args, count, position, rel_out));
    if (type == TYPE_INT8) {
        return ERR_OK;
    }
    TRY(coerce(b, rel_column_expr(b, *rel_out, 0), type_of(TYPE_INT4), CAST_ASSIGNMENT, &column));
    return rel_project(b, *rel_out, &column, &name, 1, rel_out);
}

ErrorCode srf_rel(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    if (is_json_rows(name)) {
        return json_rows_rel(b, name, args, count, position, rel_out);
    }
    const DerivedRow *derived = find_derived(name);
    TableCallId id = table_call_find(name);
    if (derived != NULL) {
        return derived->rel(b, args, count, position, rel_out);
    }
    if (id == TABLE_CALL_COUNT) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "table function %.*s does not exist", STR_ARG(name));
    }
    const TableCall *row = table_call_at(id);
    if (count < row->args_least || count > row->args_most) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "%s takes %u to %u arguments", row->name, row->args_least, row->args_most);
    }
    if (id == TABLE_CALL_UNNEST) {
        return unnest_rel(b, args, count, position, rel_out);
    }
    if (id == TABLE_CALL_GENERATE_SERIES && b->dialect == DIALECT_POSTGRES) {
        return series_rel(b, args, count, position, rel_out);
    }
    TRY(call_arguments(b, id, args, count));
    TRY(table_call(b, id, args, count, position, rel_out));
    return ERR_OK;
}

/* ---------------------------------------------------------------- beside each other */

ErrorCode rel_numbered(Binder *b, Rel *rel, Str name, Rel **rel_out) {
    WindowExpr *item = arena_array(b->arena, WindowExpr, 1);
    *item = (WindowExpr){.kind = WINDOW_ROW_NUMBER, .call.type = type_of(TYPE_INT8), .frame = {.mode = FRAME_RANGE, .end = EDGE_UNBOUNDED_FOLLOWING}};
    TRY(rel_new(b, REL_WINDOW, rel->column_count + 1u, ERROR_NO_POSITION, rel_out));
    RelColumn *columns = rel_columns(*rel_out);
    memcpy(columns, rel->columns, rel->column_count * sizeof *columns);
    columns[rel->column_count].type = type_of(TYPE_INT8);
    columns[rel->column_count].name = name;
    (*rel_out)->inputs[0] = rel;
    (*rel_out)->as.window.items = item;
    (*rel_out)->as.window.item_count = 1;
    return ERR_OK;
}

ErrorCode rel_add_values(Binder *b, Rel *input, const ColumnId *ids, const Expr *const *values, uint32_t count, Rel **rel_out) {
    uint32_t before = input->column_count;
    Rel *rel = NULL;
    TRY(rel_new(b, REL_PROJECT, before + count, ERROR_NO_POSITION, &rel));
    const Expr **exprs = arena_array(b->arena, const Expr *, before + count + 1);
    RelColumn *columns = rel_columns(rel);
    for (uint32_t i = 0; i < before; i++) {
        columns[i] = input->columns[i];
        exprs[i] = rel_column_expr(b, input, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        exprs[before + i] = values[i];
        columns[before + i] = (RelColumn){.id = ids[i], .type = values[i]->type, .name = STR("value"), .table_column = -1};
    }
    rel->inputs[0] = input;
    rel->order_column = input->order_column;
    rel->order_descending = input->order_descending;
    rel->as.project.exprs = exprs;
    *rel_out = rel;
    return ERR_OK;
}

/* left FULL JOIN right by number: rows of both come first, in order, then the rest of the longer one. */
static ErrorCode zip_two(Binder *b, Rel *left, Rel *right, Rel **rel_out) {
    uint32_t l = left->column_count;
    uint32_t r = right->column_count;
    const Expr **keys = arena_array(b->arena, const Expr *, 2);
    const Expr **both = arena_array(b->arena, const Expr *, 2);
    Rel *join = NULL;
    TRY(rel_new(b, REL_JOIN, l + r, ERROR_NO_POSITION, &join));
    memcpy(rel_columns(join), left->columns, l * sizeof(RelColumn));
    memcpy(rel_columns(join) + l, right->columns, r * sizeof(RelColumn));
    keys[0] = both[0] = rel_column_expr(b, left, l - 1);
    keys[1] = both[1] = rel_column_expr(b, right, r - 1);
    join->inputs[0] = left;
    join->inputs[1] = right;
    join->as.join.kind = JOIN_FULL;
    join->as.join.left_keys = keys;
    join->as.join.right_keys = keys + 1;
    join->as.join.key_count = 1;
    const Expr **exprs = arena_array(b->arena, const Expr *, l + r);
    Str *names = arena_array(b->arena, Str, l + r);
    uint32_t count = 0;
    Rel *rel = NULL;
    TRY(rel_new(b, REL_PROJECT, l + r - 1, ERROR_NO_POSITION, &rel));
    for (uint32_t i = 0; i < l + r; i++) {
        if (i != l - 1 && i != l + r - 1) {
            rel_columns(rel)[count] = join->columns[i]; /* callers know them by id */
            names[count] = join->columns[i].name;
            exprs[count++] = rel_column_expr(b, join, i);
        }
    }
    TRY(coalesce_of(b, both, 2, ERROR_NO_POSITION, &exprs[count]));
    rel_columns(rel)[count].type = type_of(TYPE_INT8);
    rel_columns(rel)[count].name = STR("ordinality");
    rel->inputs[0] = join;
    rel->as.project.exprs = exprs;
    *rel_out = rel;
    return ERR_OK;
}

ErrorCode rel_zip(Binder *b, Rel **rels, uint32_t count, Rel **rel_out) {
    *rel_out = rels[0];
    if (count == 1) {
        return ERR_OK;
    }
    TRY(rel_numbered(b, rels[0], STR("ordinality"), rel_out));
    for (uint32_t i = 1; i < count; i++) {
        Rel *right = NULL;
        TRY(rel_numbered(b, rels[i], STR("ordinality"), &right));
        TRY(zip_two(b, *rel_out, right, rel_out));
    }
    Rel *input = *rel_out; /* without the number */
    TRY(rel_like(b, REL_PROJECT, input, rel_out));
    (*rel_out)->column_count--;
    const Expr **exprs = arena_array(b->arena, const Expr *, input->column_count);
    for (uint32_t i = 0; i + 1 < input->column_count; i++) {
        exprs[i] = rel_column_expr(b, input, i);
    }
    (*rel_out)->as.project.exprs = exprs;
    return ERR_OK;
}

/* ---------------------------------------------------------------- in FROM */

static Str function_name(const AstExpr *ast) {
    if (ast->kind == AST_CALL_SPECIAL) {
        return ast->as.call->name.parts[ast->as.call->name.count - 1].text;
    }
    return ast->kind == AST_CALL ? ast->as.text : STR("function");
}

static bool is_rows_from(const AstExpr *ast) {
    return ast->kind == AST_CALL && str_equal(ast->as.text, STR("rows from"));
}

/* A record whose fields are known is a row of them. */
static ErrorCode record_rel(Binder *b, Rel *row, const Expr *value, const RecordShape *shape, Rel **rel_out) {
    const Expr **fields = arena_array(b->arena, const Expr *, shape->count + 1u);
    for (uint32_t i = 0; i < shape->count; i++) {
        TRY(record_field(b, value, i, value->position, &fields[i]));
    }
    return rel_project(b, row, fields, shape->names, shape->count, rel_out);
}

/* A function that is none of those above: one row with its value. */
static ErrorCode scalar_rel(Binder *b, Scope *scope, const AstExpr *ast, Rel **rel_out) {
    Rel *row = NULL;
    const Expr *value = NULL;
    Str name = function_name(ast);
    size_t rows = 0;
    (void)function_lookup(name, &rows);
    if (ast->kind == AST_CALL && rows == 0 && !is_form_name(name)) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, ast->span.at, "table function %.*s does not exist", STR_ARG(name));
    }
    TRY(bind_expr(b, scope, ast, &value));
    TRY(coerce_known(b, value, &value));
    TRY(rel_new(b, REL_VALUES, 0, ast->span.at, &row));
    row->as.values.row_count = 1;
    const RecordShape *shape = value->type.id == TYPE_RECORD ? record_shape(b, value) : NULL;
    return shape != NULL ? record_rel(b, row, value, shape, rel_out) : rel_project(b, row, &value, &name, 1, rel_out);
}

static ErrorCode one_function(Binder *b, Scope *inside, const AstExpr *ast, Rel **rel_out) {
    Str name = function_name(ast);
    bool special = ast->kind == AST_CALL_SPECIAL;
    if (special && ast->as.call->argument_names != NULL) {
        TRY(named_arguments(b, ast, &ast));
    }
    const TableDef *list = is_srf_name(name) ? NULL : system_function(b->context->catalog, name);
    if (list != NULL) {
        return rel_scan(b, list, false, rel_out);
    }
    if (!is_srf_name(name)) {
        return scalar_rel(b, inside, ast, rel_out);
    }
    if (special && (ast->as.call->over != NULL || ast->as.call->distinct || ast->as.call->filter != NULL || ast->as.call->order_count > 0)) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->span.at, "%.*s is not an aggregate function", STR_ARG(name));
    }
    const Expr **args = NULL;
    TRY(bind_exprs(b, inside, ast->args, ast->arg_count, &args));
    return srf_rel(b, name, args, ast->arg_count, ast->span.at, rel_out);
}

static ErrorCode all_functions(Binder *b, Scope *scope, const AstExpr *ast, Rel **rel_out) {
    Scope inside = {.outer = scope, .clause = "functions in FROM"};
    if (!is_rows_from(ast)) {
        return one_function(b, &inside, ast, rel_out);
    }
    Rel **rels = arena_array(b->arena, Rel *, ast->arg_count);
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        TRY(one_function(b, &inside, ast->args[i], &rels[i]));
    }
    return rel_zip(b, rels, ast->arg_count, rel_out);
}

ErrorCode bind_table_function(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out) {
    const AstExpr *ast = item->as.function;
    Capture capture;
    capture_push(b, &capture, scope);
    ErrorCode code = all_functions(b, scope, ast, rel_out);
    capture_pop(b, &capture);
    TRY(code);
    note_laterals(b, &capture);
    bool one = (*rel_out)->column_count == 1;
    uint32_t first = scope->count;
    if (item->with_ordinality) {
        TRY(rel_numbered(b, *rel_out, STR("ordinality"), rel_out));
    }
    scope_add_table(b, scope, *rel_out, NULL, is_rows_from(ast) ? (Str){0} : function_name(ast));
    if (one && item->alias != NULL && !has_column_name(function_name(ast)) && item->column_count == 0 && b->dialect == DIALECT_POSTGRES) {
        scope->columns[first].name = item->alias->text; /* generate_series(1, 3) AS n has the column n */
    }
    return ERR_OK;
}
