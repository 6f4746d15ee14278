/* SPDX-License-Identifier: Apache-2.0
 * bind_ddl.c - CREATE TABLE in both spellings, CTAS, DROP, TRUNCATE: to specs and definitions; what is not there is refused by name. */
#include "base/number.h"
#include "sql/bind/bind_internal.h"
#include <stdio.h>

/* ---------------------------------------------------------------- columns */

static const char *constraint_name(AstConstraintKind kind) {
    switch (kind) {
    case AST_CONSTRAINT_PRIMARY_KEY: return "PRIMARY KEY";
    case AST_CONSTRAINT_UNIQUE: return "UNIQUE";
    case AST_CONSTRAINT_CHECK: return "CHECK";
    case AST_CONSTRAINT_FOREIGN_KEY: return "FOREIGN KEY";
    case AST_CONSTRAINT_GENERATED: return "GENERATED";
    case AST_CONSTRAINT_IDENTITY: return "IDENTITY";
    case AST_CONSTRAINT_EXCLUDE: return "EXCLUDE";
    default: return "this constraint";
    }
}

/* A DEFAULT must bind now: an error in it belongs to the statement that says it. */
ErrorCode bind_column_default(Binder *b, const AstExpr *ast, Str text, ColumnDef *column) {
    Scope none = {.clause = "DEFAULT expressions"};
    const Expr *expr = NULL, *own = NULL;
    TypeUses uses = {0};
    b->uses = &uses;
    ErrorCode code = bind_expr(b, &none, ast, &own);
    expr = own;
    code = code == ERR_OK ? coerce(b, expr, column->type, CAST_ASSIGNMENT, &expr) : code;
    b->uses = NULL;
    TRY(code);
    if ((expr->flags & EXPR_HAS_SUBQUERY) != 0) {
        return error_set(b->err, ERR_NOT_SUPPORTED, ast->span.at, "cannot use subquery in DEFAULT expression");
    }
    column->default_text = uses.count > 0 ? user_types_qualified(b, text, &uses) : default_text_shown(b, ast, own, column->type, text);
    column->default_dialect = (uint8_t)b->dialect;
    column->sequence_id = 0;
    note_default_sequence(b, expr, column);
    return ERR_OK;
}

/* What is said of a column twice, or against itself. */
static ErrorCode check_declarations(Binder *b, const AstColumn *ast, const BoundStatement *bound, bool serial) {
    Str table = bound->table != NULL ? bound->table->name : bound->spec.name;
    bool null = false, not_null = serial, value = serial, identity = false;
    for (uint32_t i = 0; i < ast->constraint_count && b->dialect == DIALECT_POSTGRES; i++) {
        const AstConstraint *constraint = &ast->constraints[i];
        const char *what = NULL;
        null = null || constraint->kind == AST_CONSTRAINT_NULL;
        not_null = not_null || constraint->kind == AST_CONSTRAINT_NOT_NULL;
        bool more_value = constraint->kind == AST_CONSTRAINT_DEFAULT, more_identity = constraint->kind == AST_CONSTRAINT_IDENTITY;
        if (null && not_null) {
            what = "conflicting NULL/NOT NULL declarations";
        } else if (value && more_value) {
            what = "multiple default values specified";
        } else if (identity && more_identity) {
            what = "multiple identity specifications";
        } else if ((value || more_value) && (identity || more_identity)) {
            what = "both default and identity specified";
        }
        value = value || more_value;
        identity = identity || more_identity;
        if (what != NULL) {
            return error_set(b->err, ERR_SYNTAX, serial ? (int64_t)ERROR_NO_POSITION : (int64_t)constraint->span.at, "%s for column \"%.*s\" of table \"%.*s\"", what, STR_ARG(ast->name.text),
                             STR_ARG(table));
        }
    }
    return ERR_OK;
}

static ErrorCode check_system_name(Binder *b, Str name) {
    static const Str NAMES[] = {{"ctid", 4}, {"xmin", 4}, {"cmin", 4}, {"xmax", 4}, {"cmax", 4}, {"tableoid", 8}};
    for (size_t i = 0; i < COUNT_OF(NAMES) && b->dialect == DIALECT_POSTGRES; i++) {
        if (str_equal(name, NAMES[i])) {
            return error_set(b->err, ERR_DUPLICATE_COLUMN, ERROR_NO_POSITION, "column name \"%.*s\" conflicts with a system column name", STR_ARG(name));
        }
    }
    return ERR_OK;
}

static ErrorCode bind_constraint(Binder *b, const AstConstraint *constraint, uint16_t number, BoundStatement *bound, ColumnDef *column) {
    switch (constraint->kind) {
    case AST_CONSTRAINT_IDENTITY: return bind_identity(b, constraint, number, bound, column);
    case AST_CONSTRAINT_NOT_NULL: column->not_null = true; return ERR_OK;
    case AST_CONSTRAINT_NULL: return ERR_OK;
    case AST_CONSTRAINT_DEFAULT: return bind_column_default(b, constraint->expr, constraint->expr_text, column);
    default:
        column->not_null = column->not_null || constraint->kind == AST_CONSTRAINT_PRIMARY_KEY;
        return is_table_constraint(constraint->kind) ? ERR_OK : not_supported(b, constraint->span.at, "%s", constraint_name(constraint->kind));
    }
}

static ErrorCode bind_capacity(Binder *b, const AstExpr *ast, uint32_t *capacity_out) {
    int64_t number = 0;
    bool overflow = false;
    if (ast->kind != AST_INTEGER || !parse_int64(ast->as.text, &number, &overflow) || number < 1 || number > SYMBOLS_MAX) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "symbol capacity must be a number from 1 to %d", SYMBOLS_MAX);
    }
    *capacity_out = (uint32_t)number;
    return ERR_OK;
}

static ErrorCode bind_column_tail(Binder *b, const AstColumn *ast, ColumnDef *column) {
    bool symbol = column->type.id == TYPE_SYMBOL;
    if (ast->symbol_capacity != NULL) {
        if (!symbol) {
            return error_set(b->err, ERR_SYNTAX, ast->symbol_capacity->span.at, "CAPACITY belongs to a symbol column");
        }
        TRY(bind_capacity(b, ast->symbol_capacity, &column->symbol_capacity));
    }
    if ((ast->cache || ast->no_cache) && !symbol) {
        return error_set(b->err, ERR_SYNTAX, ast->name.span.at, "CACHE and NOCACHE belong to a symbol column");
    }
    if (ast->index != NULL && (!symbol || ast->index->type.len > 0 || ast->index->include_count > 0)) {
        return not_supported(b, ast->index->span.at, symbol ? "this kind of INDEX" : "INDEX on a column that is no symbol");
    }
    if (ast->parquet != NULL) {
        return not_supported(b, ast->parquet->span.at, "PARQUET(...)");
    }
    if (ast->dedup_key) {
        return not_supported(b, ast->name.span.at, "DEDUP");
    }
    if (ast->collation != NULL) {
        Str name = ast->collation->parts[ast->collation->count - 1].text;
        if (!str_equal_ignore_case(name, STR("c")) && !str_equal_ignore_case(name, STR("posix")) && !str_equal_ignore_case(name, STR("default"))) {
            return not_supported(b, ast->collation->span.at, "collation \"%.*s\"", STR_ARG(name));
        }
    }
    if (ast->compression.len > 0 || ast->storage.len > 0) {
        return not_supported(b, ast->name.span.at, "COMPRESSION or STORAGE of a column");
    }
    return ERR_OK;
}

static ErrorCode check_storable(Binder *b, Type type, int64_t position) {
    if (!type_is_stored(type)) {
        return error_set(b->err, ERR_INVALID_TABLE_DEFINITION, ddl_position(b, position), "column has pseudo-type %.*s", STR_ARG(type_name(b, type)));
    }
    return ERR_OK;
}

static ErrorCode check_name(Binder *b, const AstName *name) {
    TRY(check_system_name(b, name->text));
    if (name->text.len > NAME_BYTES_MAX) {
        return error_set(b->err, ERR_INVALID_NAME, name->span.at, "a name has at most %d bytes", NAME_BYTES_MAX);
    }
    return ERR_OK;
}

ErrorCode bind_column(Binder *b, const AstColumn *ast, uint16_t number, BoundStatement *bound, ColumnDef *column) {
    *column = (ColumnDef){.name = ast->name.text, .missing_is_null = true};
    TRY(check_name(b, &ast->name));
    bool serial = bind_serial(b, ast->type, number, bound, column);
    TRY(check_declarations(b, ast, bound, serial));
    if (!serial) {
        TRY(type_or_domain(b, ast->type, &column->type, &column->domain_id));
    }
    TRY(check_storable(b, column->type, ast->type->span.at));
    for (uint32_t i = 0; i < ast->constraint_count; i++) {
        TRY(bind_constraint(b, &ast->constraints[i], number, bound, column));
    }
    return bind_column_tail(b, ast, column);
}

/* ---------------------------------------------------------------- options of a table */

/* durability = commit | off | interval(100) | 'interval(100)' | default */
ErrorCode bind_durability(Binder *b, const AstOption *option, bool *found_out, uint8_t *durability_out, uint32_t *ms_out) {
    *found_out = str_equal_ignore_case(option->name.text, STR("durability"));
    if (!*found_out) {
        return ERR_OK;
    }
    const AstExpr *value = option->value;
    bool is_call = value != NULL && value->kind == AST_CALL && value->arg_count == 1 && value->args[0]->kind == AST_INTEGER;
    bool is_text = value != NULL && (value->kind == AST_STRING || value->kind == AST_CALL);
    char room[64];
    Str text = is_text ? value->as.text : (Str){0};
    if (is_call) {
        int bytes = snprintf(room, sizeof room, "%.*s(%.*s)", STR_ARG(text), STR_ARG(value->args[0]->as.text));
        text = (Str){room, MIN_OF((size_t)bytes, sizeof room - 1)};
    }
    if (str_equal_ignore_case(text, STR("default"))) {
        *durability_out = DURABILITY_UNSET;
        *ms_out = 0;
        return ERR_OK;
    }
    if (!durability_parse(text, durability_out, ms_out)) {
        return error_set(b->err, ERR_INVALID_PARAMETER, option->name.span.at, "durability is commit, interval(milliseconds), off or default");
    }
    return ERR_OK;
}

/* Tuning of QuestDB's writer and of PostgreSQL's storage that has nothing to tune here. */
bool option_is_tuning(Str name) {
    static const Str NAMES[] = {STR("maxuncommittedrows"), STR("o3maxlag"), STR("fillfactor"), STR("parallel_workers"), STR("toast_tuple_target"),
                                STR("vacuum_truncate"), STR("vacuum_index_cleanup"), STR("log_autovacuum_min_duration"), STR("user_catalog_table")};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal_ignore_case(name, NAMES[i])) {
            return true;
        }
    }
    return str_starts_with(name, STR("autovacuum_")) || str_starts_with(name, STR("toast."));
}

static ErrorCode bind_table_options(Binder *b, const AstCreateTable *ast, TableSpec *spec) {
    for (uint32_t i = 0; i < ast->option_count; i++) {
        bool found = false;
        TRY(bind_durability(b, &ast->options[i], &found, &spec->durability, &spec->durability_ms));
        if (!found && !option_is_tuning(ast->options[i].name.text)) {
            return not_supported(b, ast->options[i].name.span.at, "table option %.*s", STR_ARG(ast->options[i].name.text));
        }
    }
    return ERR_OK;
}

static ErrorCode refuse_clauses(Binder *b, const AstCreateTable *ast) {
    const AstNames *name = &ast->name;
    if (ast->dedup) {
        return not_supported(b, ast->dedup_span.at, "DEDUP");
    }
    if (ast->ttl != NULL) {
        return not_supported(b, ast->ttl->span.at, "TTL");
    }
    if (ast->postgres_partition != NULL) {
        return not_supported(b, ast->partition_span.at, "PARTITION BY a list of expressions");
    }
    if (ast->volume != NULL) {
        return not_supported(b, ast->volume->span.at, "IN VOLUME");
    }
    if (ast->owner != NULL) {
        return not_supported(b, ast->owner->span.at, "OWNED BY");
    }
    if (ast->tablespace != NULL || ast->access_method != NULL) {
        return not_supported(b, name->span.at, "TABLESPACE or USING");
    }
    if (ast->format.len > 0 && !str_equal(ast->format, STR("native"))) {
        return not_supported(b, name->span.at, "FORMAT PARQUET");
    }
    if (ast->as_statement != NULL) {
        return not_supported(b, name->span.at, "CREATE TABLE AS EXECUTE");
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- the spec */

static Str spec_column_at(const void *context, uint32_t i) {
    return ((const TableSpec *)context)->columns[i].name;
}

static ErrorCode find_spec_column(Binder *b, const TableSpec *spec, const AstName *name, uint16_t *number_out) {
    int found = name_match(name, spec->column_count, spec_column_at, spec);
    if (found < 0) {
        return error_set(b->err, ERR_UNDEFINED_COLUMN, ddl_position(b, name->span.at), "column \"%.*s\" does not exist", STR_ARG(name->text));
    }
    *number_out = (uint16_t)found;
    return ERR_OK;
}

static ErrorCode bind_partition(Binder *b, const AstCreateTable *ast, TableSpec *spec) {
    static const Str units[] = {[PARTITION_NONE] = {"none", 4}, [PARTITION_HOUR] = {"hour", 4}, [PARTITION_DAY] = {"day", 3},
                                [PARTITION_WEEK] = {"week", 4}, [PARTITION_MONTH] = {"month", 5}, [PARTITION_YEAR] = {"year", 4}};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        spec->partition = str_equal(ast->partition_by, units[i]) ? (uint8_t)i : spec->partition;
    }
    if (spec->partition != PARTITION_NONE && spec->designated < 0) {
        return error_set(b->err, ERR_INVALID_TABLE_DEFINITION, ast->partition_span.at, "partitioning is possible only on tables with designated timestamps");
    }
    spec->wal = ast->wal != AST_BYPASS_WAL && spec->partition != PARTITION_NONE;
    return ERR_OK;
}

static ErrorCode bind_designated(Binder *b, const AstCreateTable *ast, TableSpec *spec, ColumnDef *columns) {
    if (ast->timestamp == NULL) {
        return ERR_OK;
    }
    uint16_t number = 0;
    TRY(find_spec_column(b, spec, ast->timestamp, &number));
    if (columns[number].type.id != TYPE_TIMESTAMP && columns[number].type.id != TYPE_TIMESTAMP_NS && columns[number].type.id != TYPE_TIMESTAMPTZ) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->timestamp->span.at, "the designated timestamp must be a timestamp column, not %.*s",
                         STR_ARG(type_name(b, columns[number].type)));
    }
    columns[number].not_null = true;
    spec->designated = (int16_t)number;
    return ERR_OK;
}

ErrorCode check_column_name(Binder *b, Str name, int64_t position) {
    static const Str system_columns[] = {{"tableoid", 8}, {"xmin", 4}, {"cmin", 4}, {"xmax", 4}, {"cmax", 4}, {"ctid", 4}};
    for (size_t i = 0; b->dialect == DIALECT_POSTGRES && i < COUNT_OF(system_columns); i++) {
        if (str_equal(name, system_columns[i])) {
            return error_set(b->err, ERR_DUPLICATE_COLUMN, position, "column name \"%.*s\" conflicts with a system column name", STR_ARG(name));
        }
    }
    return ERR_OK;
}

static ErrorCode check_unique(Binder *b, const AstCreateTable *ast, const TableSpec *spec) {
    for (uint32_t i = 0; i < spec->column_count; i++) {
        TRY(check_column_name(b, spec->columns[i].name, ERROR_NO_POSITION));
        for (uint32_t j = 0; j < i; j++) {
            if (str_equal_ignore_case(spec->columns[i].name, spec->columns[j].name)) {
                int64_t at = i < ast->column_count ? (int64_t)ast->columns[i].name.span.at : (int64_t)ast->name.span.at;
                return error_set(b->err, ERR_DUPLICATE_COLUMN, ddl_position(b, at), "column \"%.*s\" specified more than once", STR_ARG(spec->columns[i].name));
            }
        }
    }
    return ERR_OK;
}

static ErrorCode check_indexes(Binder *b, const AstCreateTable *ast, const TableSpec *spec) {
    for (uint32_t i = 0; i < ast->index_count; i++) {
        uint16_t number = 0;
        TRY(find_spec_column(b, spec, &ast->indexes[i].column, &number));
        if (spec->columns[number].type.id != TYPE_SYMBOL || ast->indexes[i].type.len > 0 || ast->indexes[i].include_count > 0) {
            return not_supported(b, ast->indexes[i].span.at, "this kind of INDEX");
        }
    }
    return ERR_OK;
}

static ErrorCode written_columns(Binder *b, const AstCreateTable *ast, BoundStatement *bound, ColumnDef **columns_out) {
    TableSpec *spec = &bound->spec;
    ColumnDef *columns = arena_array(b->arena, ColumnDef, ast->column_count + 1);
    for (uint32_t i = 0; i < ast->column_count; i++) {
        if (ast->columns[i].type == NULL) {
            return error_set(b->err, ERR_SYNTAX, ast->columns[i].name.span.at, "column \"%.*s\" needs a type", STR_ARG(ast->columns[i].name.text));
        }
        TRY(bind_column(b, &ast->columns[i], (uint16_t)i, bound, &columns[i]));
    }
    spec->column_count = (uint16_t)ast->column_count;
    spec->columns = columns;
    *columns_out = columns;
    return ERR_OK;
}

static ErrorCode like_columns(Binder *b, const AstCreateTable *ast, TableSpec *spec, ColumnDef **columns_out) {
    const TableDef *table = NULL;
    if (ast->like_count > 1 || ast->column_count > 0) {
        return not_supported(b, ast->like[0].span.at, "LIKE beside other columns");
    }
    TRY(query_table_find(b, &ast->like[0], &table));
    TRY(check_table(b, table, PRIVILEGE_SELECT));
    ColumnDef *columns = arena_array(b->arena, ColumnDef, table->column_count + 1);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const ColumnDef *from = &table->columns[i];
        columns[i] = (ColumnDef){.name = from->name, .type = from->type, .not_null = from->not_null, .symbol_capacity = from->symbol_capacity, .missing_is_null = true};
    }
    spec->columns = columns;
    spec->column_count = table->column_count;
    spec->designated = table->designated;
    spec->partition = table->partition;
    spec->wal = table->wal;
    spec->durability = table->durability;
    spec->durability_ms = table->durability_ms;
    *columns_out = columns;
    return ERR_OK;
}

/* ---------------------------------------------------------------- CREATE TABLE AS */

static ErrorCode cast_columns(Binder *b, const AstCreateTable *ast, TableSpec *spec, ColumnDef *columns) {
    for (uint32_t i = 0; i < ast->cast_count; i++) {
        const AstCastColumn *cast = &ast->casts[i];
        uint16_t number = 0;
        TRY(find_spec_column(b, spec, &cast->column, &number));
        TRY(type_from_ast(b, cast->type, &columns[number].type));
        TRY(check_storable(b, columns[number].type, cast->type->span.at));
        if (cast->symbol_capacity != NULL) {
            TRY(bind_capacity(b, cast->symbol_capacity, &columns[number].symbol_capacity));
        }
    }
    return ERR_OK;
}

static ErrorCode project_as(Binder *b, const AstCreateTable *ast, Rel *rel, const ColumnDef *columns, Rel **rel_out) {
    const Expr **exprs = arena_array(b->arena, const Expr *, rel->column_count + 1);
    Str *names = arena_array(b->arena, Str, rel->column_count + 1);
    bool changed = false;
    for (uint32_t i = 0; i < rel->column_count; i++) {
        const Expr *column = expr_column(b, rel->columns[i].id, rel->columns[i].type, ast->name.span.at);
        exprs[i] = column;
        if (columns[i].type.id != TYPE_SYMBOL || column->type.id != TYPE_SYMBOL) {
            TRY(coerce(b, column, columns[i].type, CAST_EXPLICIT, &exprs[i]));
        }
        changed = changed || exprs[i] != column;
        names[i] = columns[i].name;
    }
    *rel_out = rel;
    return changed ? rel_project(b, rel, exprs, names, rel->column_count, rel_out) : ERR_OK;
}

static ErrorCode as_columns(Binder *b, const AstCreateTable *ast, TableSpec *spec, BoundStatement *bound, ColumnDef **columns_out) {
    Query query = {0};
    TRY(bind_query(b, ast->as, NULL, &query));
    TRY(query_settle(b, &query, NULL));
    Rel *rel = query.rel;
    if (ast->column_count > rel->column_count) {
        return error_set(b->err, ERR_SYNTAX, ast->columns[rel->column_count].name.span.at, "too many column names were specified");
    }
    ColumnDef *columns = arena_array(b->arena, ColumnDef, rel->column_count + 1);
    for (uint32_t i = 0; i < rel->column_count; i++) {
        Str name = i < ast->column_count ? ast->columns[i].name.text : rel->columns[i].name;
        columns[i] = (ColumnDef){.name = name, .type = rel->columns[i].type, .missing_is_null = true};
        if (i < ast->column_count && ast->columns[i].type != NULL) {
            return error_set(b->err, ERR_SYNTAX, ast->columns[i].name.span.at, "columns of CREATE TABLE AS have no types of their own");
        }
        TRY(check_storable(b, columns[i].type, ast->as->span.at));
    }
    spec->columns = columns;
    spec->column_count = rel->column_count;
    *columns_out = columns;
    TRY(cast_columns(b, ast, spec, columns));
    TRY(project_as(b, ast, rel, columns, &bound->rel));
    bound->with_no_data = ast->with_no_data;
    if (ast->with_no_data) {
        Rel *none = NULL;
        TRY(rel_filter(b, bound->rel, expr_bool(b, false, ERROR_NO_POSITION), &none));
        bound->rel = none;
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- CREATE TABLE */

static ErrorCode check_exists(Binder *b, const AstCreateTable *ast, BoundStatement *bound) {
    const TableSpec *spec = &bound->spec;
    const TableDef *table = NULL;
    Error reason;
    CatalogView *catalog = b->context->catalog;
    if (catalog->table_find(catalog, spec->schema_name, spec->name, &table, &reason) != ERR_OK) {
        return reason.code == ERR_UNDEFINED_SCHEMA ? error_set(b->err, reason.code, ast->name.span.at, "%s", reason.message) : ERR_OK;
    }
    if (!str_equal_ignore_case(table->name, spec->name)) {
        return ERR_OK;
    }
    if (ast->if_not_exists) {
        bound->already_there = true;
        return ERR_OK;
    }
    return b->dialect == DIALECT_POSTGRES ? error_set(b->err, ERR_DUPLICATE_TABLE, ddl_position(b, ast->name.span.at), "relation \"%.*s\" already exists", STR_ARG(spec->name))
                                          : error_set(b->err, ERR_DUPLICATE_TABLE, ddl_position(b, ast->name.span.at), "table already exists [table=%.*s]", STR_ARG(spec->name));
}

/* A temporary table is one of the session's own schema, which the session has made by now. */
static ErrorCode bind_temporary(Binder *b, const AstCreateTable *ast, BoundStatement *bound) {
    const FunctionEnvironment *environment = b->context->environment;
    if (!ast->temporary) {
        return ast->on_commit.len == 0 ? ERR_OK
                                       : error_set(b->err, ERR_INVALID_TABLE_DEFINITION, ddl_position(b, ast->name.span.at), "ON COMMIT can only be used on temporary tables");
    }
    if (environment == NULL || environment->temp_schema_name.len == 0) {
        return not_supported(b, ast->name.span.at, "a TEMPORARY table without a session");
    }
    Str named = bound->spec.schema_name;
    if (named.len > 0 && !str_equal(named, STR("pg_temp")) && !str_equal(named, environment->temp_schema_name)) {
        return error_set(b->err, ERR_INVALID_TABLE_DEFINITION, ddl_position(b, ast->name.span.at), "cannot create temporary relation in non-temporary schema");
    }
    bound->spec.schema_name = environment->temp_schema_name;
    bound->on_commit = str_equal(ast->on_commit, STR("drop")) ? ON_COMMIT_DROP : str_equal(ast->on_commit, STR("delete rows")) ? ON_COMMIT_DELETE_ROWS : ON_COMMIT_NOTHING;
    return ERR_OK;
}

ErrorCode bind_create_table(Binder *b, const AstCreateTable *ast, BoundStatement *bound) {
    TableSpec *spec = &bound->spec;
    ColumnDef *columns = NULL;
    const AstName *name = &ast->name.parts[ast->name.count - 1];
    TRY(check_name(b, name));
    if (ast->name.count > 2) {
        return not_supported(b, ast->name.span.at, "a table name with a database in front");
    }
    *spec = (TableSpec){.name = name->text, .designated = -1, .if_not_exists = ast->if_not_exists};
    spec->schema_name = ast->name.count == 2 ? ast->name.parts[0].text : (Str){0};
    bound->kind = ast->as != NULL ? STATEMENT_CREATE_TABLE_AS : STATEMENT_CREATE_TABLE;
    TRY(refuse_clauses(b, ast));
    TRY(bind_temporary(b, ast, bound));
    TRY(check_exists(b, ast, bound));
    if (ast->as != NULL) {
        TRY(as_columns(b, ast, spec, bound, &columns));
    } else {
        TRY(ast->like_count > 0 ? like_columns(b, ast, spec, &columns) : written_columns(b, ast, bound, &columns));
    }
    if (spec->column_count > COLUMNS_MAX) {
        return error_set(b->err, ERR_TOO_MANY_COLUMNS, name->span.at, "tables can have at most %d columns", COLUMNS_MAX);
    }
    TRY(check_unique(b, ast, spec));
    TRY(bind_designated(b, ast, spec, columns));
    TRY(check_indexes(b, ast, spec));
    if (ast->like_count == 0 || ast->partition_by.len > 0) {
        TRY(bind_partition(b, ast, spec));
    }
    TRY(bind_create_constraints(b, ast, bound));
    return bind_table_options(b, ast, spec);
}

/* ---------------------------------------------------------------- DROP, TRUNCATE */

static bool references_listed(const BoundStatement *bound, const TableDef *table) {
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (table->constraints[i].kind == CONSTRAINT_FOREIGN_KEY && bound_lists_table(bound, table->constraints[i].referenced_table_id)) {
            return true;
        }
    }
    return false;
}

/* TRUNCATE ... CASCADE: tables that name rows of the listed ones, and those that name theirs. */
static ErrorCode add_referencing(Binder *b, BoundStatement *bound) {
    CatalogView *view = b->context->catalog;
    const TableDef *table = NULL;
    uint32_t room = bound->table_count, before = 0;
    for (size_t cursor = 0; view->table_next(view, &cursor, &table);) {
        room++;
    }
    const TableDef **tables = arena_array(b->arena, const TableDef *, room + 1u);
    memcpy(tables, bound->tables, sizeof(const TableDef *) * bound->table_count);
    bound->tables = tables;
    bound->named_count = bound->table_count;
    while (before != bound->table_count) {
        before = bound->table_count;
        for (size_t cursor = 0; view->table_next(view, &cursor, &table);) {
            if (!bound_lists_table(bound, table->id) && references_listed(bound, table)) {
                TRY(check_table(b, table, PRIVILEGE_TRUNCATE));
                bound->tables[bound->table_count++] = table;
            }
        }
    }
    return ERR_OK;
}

ErrorCode bind_truncate(Binder *b, const AstDrop *drop, BoundStatement *bound) {
    bound->kind = STATEMENT_TRUNCATE;
    bound->restart_identity = drop->restart_identity;
    bound->tables = arena_array(b->arena, const TableDef *, drop->count);
    for (uint32_t i = 0; i < drop->count; i++) {
        const TableDef *table = NULL;
        Error reason;
        Error *err = b->err;
        b->err = &reason;
        ErrorCode code = table_find(b, &drop->names[i], &table);
        b->err = err;
        if (code == ERR_WRONG_OBJECT_TYPE) {
            return error_set(b->err, code, reason.position, "\"%.*s\" is not a table", STR_ARG(drop->names[i].parts[drop->names[i].count - 1].text));
        }
        if (code == ERR_OK) {
            TRY(check_table(b, table, PRIVILEGE_TRUNCATE));
            bound->tables[bound->table_count++] = table;
        } else if (!drop->if_exists || (code != ERR_UNDEFINED_TABLE && code != ERR_UNDEFINED_SCHEMA)) {
            return error_pass(b->err, &reason);
        }
    }
    bound->named_count = bound->table_count;
    return drop->cascade ? add_referencing(b, bound) : ERR_OK;
}

/* What ddl/ does not drop from the tree. */
ErrorCode bind_drop(Binder *b, const AstDrop *drop, BoundStatement *bound) {
    if (str_equal(drop->object, STR("index"))) {
        return bind_drop_index(b, drop, bound);
    }
    return not_supported(b, drop->count > 0 ? (int64_t)drop->names[0].span.at : 0, "DROP %.*s", STR_ARG(arena_upper(b->arena, drop->object)));
}
