/* SPDX-License-Identifier: Apache-2.0
 * scope.c - which column or table a name means: exact first, then the only one that differs in case; else the closest name as a hint. */
#include "sql/bind/bind_internal.h"
#include "sql/system/oid.h"

void scope_add(Binder *b, Scope *scope, ScopeColumn column) {
    if (scope->count == scope->capacity) {
        scope->capacity = scope->capacity == 0 ? 16 : scope->capacity * 2;
        ScopeColumn *columns = arena_array(b->arena, ScopeColumn, scope->capacity);
        if (scope->count > 0) {
            memcpy(columns, scope->columns, scope->count * sizeof *columns);
        }
        scope->columns = columns;
    }
    scope->columns[scope->count++] = column;
}

/* ---------------------------------------------------------------- matching */

bool name_same(const AstName *name, Str other) {
    return name->quoted ? str_equal(name->text, other) : str_equal_ignore_case(name->text, other);
}

int name_match(const AstName *name, uint32_t count, Str (*name_at)(const void *context, uint32_t i), const void *context) {
    int exact = -1;
    int near = -1;
    for (uint32_t i = 0; i < count; i++) {
        Str other = name_at(context, i);
        if (str_equal(name->text, other)) {
            exact = exact == -1 ? (int)i : -2;
        } else if (!name->quoted && str_equal_ignore_case(name->text, other)) {
            near = near == -1 ? (int)i : -2;
        }
    }
    return exact != -1 ? exact : near;
}

/* Edit distance of two short names, ignoring case; gives up above `limit`. */
uint32_t name_distance(Str a, Str b, uint32_t limit) {
    uint32_t row[SUGGESTION_BYTES_MAX + 1];
    if (a.len > SUGGESTION_BYTES_MAX || b.len > SUGGESTION_BYTES_MAX || (a.len > b.len ? a.len - b.len : b.len - a.len) > limit) {
        return limit + 1;
    }
    for (uint32_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (uint32_t i = 1; i <= a.len; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b.len; j++) {
            uint32_t above = row[j];
            uint32_t change = (a.data[i - 1] | 0x20) == (b.data[j - 1] | 0x20) ? 0 : 1;
            row[j] = MIN_OF(MIN_OF(above + 1, row[j - 1] + 1), diagonal + change);
            diagonal = above;
        }
    }
    return row[b.len];
}

Str name_closest(Str wanted, uint32_t count, Str (*name_at)(const void *context, uint32_t i), const void *context) {
    uint32_t best = (uint32_t)(wanted.len / 3 + 2);
    best = MIN_OF(best, 4);
    Str closest = {0};
    for (uint32_t i = 0; i < count && i < SUGGESTION_CANDIDATES_MAX; i++) {
        Str name = name_at(context, i);
        uint32_t distance = name_distance(wanted, name, best);
        if (distance < best && distance < wanted.len) {
            best = distance;
            closest = name;
        }
    }
    return closest;
}

/* ---------------------------------------------------------------- columns in scope */

static bool qualifier_matches(const AstNames *names, const ScopeColumn *column) {
    if (names->count == 1) {
        return !column->merged;
    }
    const AstName *table = &names->parts[names->count - 2];
    if (!name_same(table, column->qualifier)) {
        return false;
    }
    return names->count == 2 || name_same(&names->parts[names->count - 3], column->schema);
}

/* NULL: none; *several: more than one. */
static const ScopeColumn *find_column(const Scope *scope, const AstNames *names, bool exact, bool *several) {
    const AstName *name = &names->parts[names->count - 1];
    const ScopeColumn *found = NULL;
    *several = false;
    for (uint32_t i = 0; i < scope->count; i++) {
        const ScopeColumn *column = &scope->columns[i];
        bool same = exact ? str_equal(name->text, column->name) : !name->quoted && str_equal_ignore_case(name->text, column->name);
        if (same && qualifier_matches(names, column)) {
            *several = *several || found != NULL;
            found = column;
        }
    }
    return found;
}

static const ScopeColumn *find_in(const Scope *scope, const AstNames *names, bool *several) {
    const ScopeColumn *found = find_column(scope, names, true, several);
    return found != NULL ? found : find_column(scope, names, false, several);
}

static ErrorCode find_here(Binder *b, const Scope *scope, const AstNames *names, const ScopeColumn **column_out) {
    assert(names->count > 0);
    const AstName *name = &names->parts[names->count - 1];
    if (names->count > 3) {
        const AstName *parts = names->parts;
        Str last = names->count == 4 ? name->text : (Str){0};
        return last.len > 0 ? error_set(b->err, ERR_NOT_SUPPORTED, names->span.at, "cross-database references are not implemented: %.*s.%.*s.%.*s.%.*s", STR_ARG(parts[0].text),
                                        STR_ARG(parts[1].text), STR_ARG(parts[2].text), STR_ARG(last))
                            : error_set(b->err, ERR_SYNTAX, names->span.at, "improper qualified name (too many dotted names)");
    }
    bool several = false;
    *column_out = find_in(scope, names, &several);
    if (several) {
        return error_set(b->err, ERR_AMBIGUOUS_COLUMN, names->span.at, "column reference \"%.*s\" is ambiguous", STR_ARG(name->text));
    }
    return ERR_OK;
}

ErrorCode scope_find(Binder *b, const Scope *scope, const AstNames *names, const ScopeColumn **column_out) {
    TRY(find_here(b, scope, names, column_out));
    return *column_out != NULL ? ERR_OK : no_such_column(b, scope, names);
}

/* PostgreSQL's system columns: tableoid is the oid of the table that the row comes from, one value for each table of the scope; xmin is known of
 * the catalogs' rows alone, where tools read it. */
static bool resolve_system_column(Binder *b, const Scope *scope, const AstNames *names, const Expr **expr_out) {
    bool xmin = name_same(&names->parts[names->count - 1], STR("xmin"));
    if (!xmin && !name_same(&names->parts[names->count - 1], STR("tableoid"))) {
        return false;
    }
    for (uint32_t i = 0; i < scope->count; i++) {
        const ScopeColumn *column = &scope->columns[i];
        if (column->table_id != 0 && qualifier_matches(names, column) && (!xmin || table_is_system(column->table_id))) {
            Value value = {.type = type_of(xmin ? TYPE_XID : TYPE_OID)};
            value.as.i32 = xmin ? 1 : (int32_t)oid_of_table(column->table_id);
            *expr_out = expr_constant(b, &value, names->span.at);
            return true;
        }
    }
    return false;
}

ErrorCode scope_resolve(Binder *b, const Scope *scope, const AstNames *names, const Expr **expr_out) {
    if (b->domain_value != NULL && names->count == 1 && name_same(&names->parts[0], STR("value"))) {
        *expr_out = b->domain_value;
        return ERR_OK;
    }
    const ScopeColumn *column = NULL;
    TRY(find_here(b, scope, names, &column));
    if (column != NULL) {
        record_column(b, &names->parts[names->count - 1], column->table_id, column->table_column);
        *expr_out = expr_column(b, column->id, column->type, names->span.at);
        return ERR_OK;
    }
    for (const Scope *outer = scope->outer; outer != NULL; outer = outer->outer) {
        TRY(find_here(b, outer, names, &column));
        if (column == NULL) {
            continue;
        }
        record_column(b, &names->parts[names->count - 1], column->table_id, column->table_column);
        if (capture_column(b, outer, column, names->span.at, expr_out)) {
            return ERR_OK;
        }
        return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, names->span.at, "column \"%.*s\" cannot be read from this part of the query",
                         STR_ARG(column->name));
    }
    return resolve_system_column(b, scope, names, expr_out) ? ERR_OK : no_such_column(b, scope, names);
}

/* ---------------------------------------------------------------- tables and their columns */

/* What stands under the name instead of a table. */
static ErrorCode no_such_table(Binder *b, const AstNames *names, int64_t at) {
    const TableDef *indexed = NULL;
    const CatalogObject *object = relation_named(b, names);
    Str name = names->parts[names->count - 1].text;
    Str schema = names->count >= 2 ? names->parts[names->count - 2].text : (Str){0};
    if (object != NULL && (object->kind == OBJECT_VIEW || object->kind == OBJECT_SEQUENCE)) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, at, "\"%.*s\" is not a table", STR_ARG(object->name));
    }
    if (relation_index_find(b->context->catalog, b->context->environment, names, &indexed) != NULL) {
        error_ignore(error_set(b->err, ERR_WRONG_OBJECT_TYPE, at, "cannot open relation \"%.*s\"", STR_ARG(name)));
        return error_add(b->err, 'D', "This operation is not supported for indexes.");
    }
    return error_set(b->err, ERR_UNDEFINED_TABLE, at, "relation \"%.*s%s%.*s\" does not exist", STR_ARG(schema), schema.len > 0 ? "." : "", STR_ARG(name));
}

static ErrorCode find_table(Binder *b, const AstNames *names, bool query, int64_t at, const TableDef **table_out) {
    CatalogView *catalog = b->context->catalog;
    const AstName *name = &names->parts[names->count - 1];
    Str schema = names->count >= 2 ? names->parts[names->count - 2].text : (Str){0};
    Error reason;
    ErrorCode code = relation_name_parts(names, b->context->environment->database_name, b->err);
    if (code != ERR_OK) {
        b->err->position = code == ERR_SYNTAX ? names->span.at : at;
        return code;
    }
    if (name->from_string && !dialect_has(b->dialect, DIALECT_STRING_NAMES_TABLE)) {
        return error_set(b->err, ERR_SYNTAX, name->span.at, "syntax error at or near \"%.*s\"", (int)name->span.len, b->context->text.data + name->span.at);
    }
    code = catalog->table_find(catalog, schema, name->text, table_out, &reason);
    if (code == ERR_OK && (!name->quoted || str_equal((*table_out)->name, name->text))) {
        return ERR_OK;
    }
    if (code != ERR_OK && code != ERR_UNDEFINED_SCHEMA && (code != ERR_UNDEFINED_TABLE || b->dialect != DIALECT_POSTGRES)) {
        return error_set(b->err, code, at, "%s", reason.message);
    }
    code = relation_schema_check(catalog, b->role_id, names, query, b->err);
    if (code != ERR_OK) {
        b->err->position = at;
        return code;
    }
    return no_such_table(b, names, at);
}

ErrorCode table_find(Binder *b, const AstNames *names, const TableDef **table_out) {
    return find_table(b, names, false, b->dialect == DIALECT_POSTGRES ? ERROR_NO_POSITION : (int64_t)names->span.at, table_out);
}

/* what: said of a view or sequence instead, with its name behind. */
ErrorCode table_find_to(Binder *b, const AstNames *names, const char *what, const TableDef **table_out) {
    ErrorCode code = table_find(b, names, table_out);
    const CatalogObject *object = code == ERR_WRONG_OBJECT_TYPE ? relation_named(b, names) : NULL;
    if (object == NULL) {
        return code;
    }
    error_ignore(error_set(b->err, code, b->dialect == DIALECT_POSTGRES ? ERROR_NO_POSITION : (int64_t)names->span.at, "%s \"%.*s\"", what, STR_ARG(object->name)));
    return error_add(b->err, 'D', "This operation is not supported for %s.", relation_kind_plural(object));
}

ErrorCode query_table_find(Binder *b, const AstNames *names, const TableDef **table_out) { return find_table(b, names, true, names->span.at, table_out); }

int64_t ddl_position(const Binder *b, int64_t at) {
    if (b->dialect != DIALECT_POSTGRES || b->statement == NULL) {
        return at;
    }
    switch (b->statement->kind) {
    case AST_CREATE_TABLE_STATEMENT:
    case AST_CREATE_INDEX_STATEMENT:
    case AST_ALTER_TABLE_STATEMENT:
    case AST_DROP_STATEMENT: return ERROR_NO_POSITION;
    default: return at;
    }
}

static Str table_name_at(const void *context, uint32_t i) {
    return ((const TableDef *)context)->columns[i].name;
}

static Str target_name_at(const void *context, uint32_t i) { return ((const TargetNames *)context)->names[i]; }

ErrorCode table_column(Binder *b, const TableDef *table, const AstName *name, uint16_t *number_out) {
    const TargetNames *shown = is_target_view(b, table) ? &b->target->names : NULL; /* what a view does not show cannot be named */
    int found = shown != NULL ? name_match(name, shown->count, target_name_at, shown) : name_match(name, table->column_count, table_name_at, table);
    if (found >= 0) {
        *number_out = shown != NULL ? shown->numbers[found] : (uint16_t)found;
        return ERR_OK;
    }
    if (found == -2) {
        return error_set(b->err, ERR_AMBIGUOUS_COLUMN, name->span.at, "column name \"%.*s\" is ambiguous", STR_ARG(name->text));
    }
    Str closest = shown != NULL || b->dialect == DIALECT_POSTGRES ? (Str){0} : name_closest(name->text, table->column_count, table_name_at, table);
    if (closest.len > 0) {
        return error_set(b->err, ERR_UNDEFINED_COLUMN, name->span.at, "column \"%.*s\" of relation \"%.*s\" does not exist; did you mean \"%.*s\"?",
                         STR_ARG(name->text), STR_ARG(table->name), STR_ARG(closest));
    }
    return error_set(b->err, ERR_UNDEFINED_COLUMN, ddl_position(b, name->span.at), "column \"%.*s\" of relation \"%.*s\" does not exist", STR_ARG(name->text),
                     STR_ARG(table->name));
}
