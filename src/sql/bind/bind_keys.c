/* SPDX-License-Identifier: Apache-2.0
 * bind_keys.c - constraints and indexes as DDL says them: columns by name, expressions bound once to be checked, kept as text.
 *
 * Why:   columns go by name here and by number at the change itself, because ALTER TABLE may add and drop columns in between.
 * Tests: test/sql/keys.slt, foreign_keys.slt, index.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"

/* ---- expressions over one table's columns ---- */

static void mark_columns(const Rel *rel, const Expr *expr, bool *used) {
    for (uint32_t i = 0; expr->kind == EXPR_COLUMN && i < rel->column_count; i++) {
        used[i] = used[i] || rel->columns[i].id == expr->as.column;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        mark_columns(rel, expr->args[i], used);
    }
}

static ErrorCode bind_over(Binder *b, const TableDef *table, const AstExpr *ast, const char *clause, const char *argument, const Expr **expr_out, bool *used) {
    Rel *rel = NULL;
    Scope scope = {.clause = clause};
    TRY(rel_scan(b, table, false, &rel));
    scope_add_table(b, &scope, rel, table, table->name);
    TRY(bind_expr(b, &scope, ast, expr_out));
    TRY(argument != NULL ? coerce_boolean(b, *expr_out, argument, expr_out) : coerce_known(b, *expr_out, expr_out));
    if (((*expr_out)->flags & EXPR_HAS_SUBQUERY) != 0) {
        return error_set(b->err, ERR_NOT_SUPPORTED, ast->span.at, "cannot use subquery in %.*s", (int)strlen(clause) - 1, clause); /* of one such */
    }
    memset(used, 0, sizeof *used * (table->column_count + 1u));
    mark_columns(rel, *expr_out, used);
    return ERR_OK;
}

/* The table as the statement will have it: with the columns that it makes or adds itself. */
const TableDef *shadow_table(Binder *b, const BoundStatement *bound) {
    TableDef *table = arena_new(b->arena, TableDef);
    if (bound->table == NULL) {
        *table = (TableDef){.name = bound->spec.name, .schema_name = bound->spec.schema_name, .designated = -1, .column_count = bound->spec.column_count};
        table->columns = (ColumnDef *)(uintptr_t)bound->spec.columns;
        return table;
    }
    *table = *bound->table;
    ColumnDef *columns = arena_array(b->arena, ColumnDef, table->column_count + bound->action_count + 1u);
    memcpy(columns, table->columns, sizeof *columns * table->column_count);
    for (uint32_t i = 0; i < bound->action_count; i++) {
        if (bound->actions[i].kind == ALTER_ADD_COLUMN) {
            columns[table->column_count++] = bound->actions[i].column;
        }
    }
    table->columns = columns;
    table->designated = -1;
    return table;
}

static Str column_at(const void *context, uint32_t i) { return ((const TableDef *)context)->columns[i].name; }

static ErrorCode find_columns(Binder *b, const TableDef *table, const AstName *names, uint32_t count, const char *what, Str **names_out) {
    Str *found = arena_array(b->arena, Str, count + 1u);
    if (count > INDEX_KEYS_MAX) {
        return error_set(b->err, ERR_TOO_MANY_COLUMNS, names[0].span.at, "cannot use more than %d columns in %s", INDEX_KEYS_MAX, what);
    }
    for (uint32_t i = 0; i < count; i++) {
        int number = name_match(&names[i], table->column_count, column_at, table);
        if (number < 0) {
            return error_set(b->err, ERR_UNDEFINED_COLUMN, ddl_position(b, names[i].span.at), "column \"%.*s\" named in key does not exist", STR_ARG(names[i].text));
        }
        found[i] = table->columns[number].name;
        for (uint32_t j = 0; j < i; j++) {
            if (str_equal(found[i], found[j])) {
                return error_set(b->err, ERR_DUPLICATE_COLUMN, ddl_position(b, names[i].span.at), "column \"%.*s\" appears twice in %s", STR_ARG(found[i]), what);
            }
        }
    }
    *names_out = found;
    return ERR_OK;
}

/* ---- constraints ---- */

static ErrorCode bind_action_word(Binder *b, Str word, int64_t at, uint8_t *action_out) {
    static const struct { Str word; uint8_t action; } WORDS[] = {{{"", 0}, FOREIGN_NO_ACTION}, {{"no action", 9}, FOREIGN_NO_ACTION}, {{"restrict", 8}, FOREIGN_RESTRICT},
                                                               {{"cascade", 7}, FOREIGN_CASCADE}, {{"set null", 8}, FOREIGN_SET_NULL}, {{"set default", 11}, FOREIGN_SET_DEFAULT}};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (str_equal_ignore_case(word, WORDS[i].word)) {
            *action_out = WORDS[i].action;
            return ERR_OK;
        }
    }
    return not_supported(b, at, "referential action %.*s", STR_ARG(word));
}

/* Whether the names mean the table that is being made, as they would if it were in the catalog already: by its schema, or where the search path comes to
 * it first. */
static bool means_new_table(Binder *b, const BoundStatement *bound, const AstNames *names) {
    const AstName *last = &names->parts[names->count - 1];
    const FunctionEnvironment *environment = b->context->environment;
    if (bound->table != NULL || !name_same(last, bound->spec.name)) {
        return false;
    }
    Str home = bound->spec.schema_name.len > 0 ? bound->spec.schema_name : environment->schema_name;
    if (names->count >= 2) {
        return str_equal(names->parts[names->count - 2].text, home);
    }
    if (bound->spec.schema_name.len == 0 || str_equal(home, environment->temp_schema_name)) {
        return true;
    }
    for (uint32_t i = 0; i < environment->search_path_count; i++) {
        Str schema = environment->search_path[i];
        const TableDef *earlier = NULL;
        Error none;
        if (str_equal(schema, home)) {
            return true;
        }
        if (b->context->catalog->table_find(b->context->catalog, schema, last->text, &earlier, &none) == ERR_OK) {
            return false;
        }
    }
    return false;
}

static ErrorCode bind_foreign(Binder *b, const BoundStatement *bound, const TableDef *table, const AstConstraint *ast, BoundConstraint *out) {
    bool self = means_new_table(b, bound, &ast->references);
    ConstraintDef *def = &out->spec.def;
    const TableDef *parent = table;
    if (!self) {
        ErrorCode code = table_find(b, &ast->references, &out->referenced);
        const CatalogObject *other = code == ERR_WRONG_OBJECT_TYPE ? relation_named(b, &ast->references) : NULL;
        if (other != NULL) {
            return error_set(b->err, code, ddl_position(b, ast->references.span.at), "referenced relation \"%.*s\" is not a table", STR_ARG(other->name));
        }
        TRY(code);
        parent = out->referenced;
        if (bound->table != NULL && parent->id == bound->table->id) {
            parent = table;
            out->referenced = NULL;
        }
    }
    TRY(bind_action_word(b, ast->on_delete, ast->span.at, &def->on_delete));
    TRY(bind_action_word(b, ast->on_update, ast->span.at, &def->on_update));
    def->match = str_equal_ignore_case(ast->match, STR("full")) ? MATCH_FULL : MATCH_SIMPLE;
    if (str_equal_ignore_case(ast->match, STR("partial"))) {
        return not_supported(b, ast->span.at, "MATCH PARTIAL");
    }
    out->referenced_count = (uint16_t)ast->reference_count;
    if (ast->reference_count > 0 && ast->reference_count != out->column_count) {
        return error_set(b->err, ERR_INVALID_FOREIGN_KEY, ddl_position(b, ast->span.at), "number of referencing and referenced columns for foreign key disagree");
    }
    for (uint32_t i = 0; i < ast->reference_count; i++) {
        if (name_match(&ast->reference_columns[i], parent->column_count, column_at, parent) < 0) {
            return error_set(b->err, ERR_UNDEFINED_COLUMN, ddl_position(b, ast->reference_columns[i].span.at), "column \"%.*s\" referenced in foreign key constraint does not exist",
                             STR_ARG(ast->reference_columns[i].text));
        }
    }
    return find_columns(b, parent, ast->reference_columns, ast->reference_count, "a foreign key constraint", &out->referenced_names);
}

static ErrorCode bind_check(Binder *b, const TableDef *table, const AstConstraint *ast, BoundConstraint *out) {
    bool *used = arena_array(b->arena, bool, table->column_count + 1u);
    const Expr *expr = NULL;
    TypeUses uses = {0};
    b->uses = &uses;
    ErrorCode code = bind_over(b, table, ast->expr, "check constraints", "CHECK", &expr, used);
    b->uses = NULL;
    TRY(code);
    out->names = arena_array(b->arena, Str, table->column_count + 1u);
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (used[i]) {
            out->names[out->column_count++] = table->columns[i].name;
        }
    }
    out->spec.def.text = user_types_qualified(b, ast->expr_text, &uses);
    return ERR_OK;
}

static ErrorCode bind_key(Binder *b, const TableDef *table, const AstConstraint *ast, const BoundConstraint *out) {
    for (uint16_t i = 0; i < out->column_count; i++) {
        for (uint16_t c = 0; c < table->column_count; c++) {
            const ColumnDef *column = &table->columns[c];
            if (str_equal(column->name, out->names[i]) && !type_is_indexable((TypeId)column->type.id)) {
                return error_set(b->err, ERR_UNDEFINED_OBJECT, ddl_position(b, ast->span.at), "data type %.*s has no default operator class for access method \"btree\"",
                                 STR_ARG(type_name(b, column->type)));
            }
        }
    }
    return ERR_OK;
}

/* column: the one that the constraint stands on, NULL = a table constraint. */
ErrorCode bind_table_constraint(Binder *b, const BoundStatement *bound, const AstConstraint *ast, const AstName *column, BoundConstraint *out) {
    const TableDef *table = shadow_table(b, bound);
    *out = (BoundConstraint){.position = ast->span.at};
    ConstraintDef *def = &out->spec.def;
    *def = (ConstraintDef){.name = ast->name != NULL ? ast->name->text : (Str){0}, .dialect = (uint8_t)b->dialect, .validated = !ast->not_valid,
                           .deferrable = ast->deferrable || ast->initially_deferred, .initially_deferred = ast->initially_deferred, .no_inherit = ast->no_inherit,
                           .on_delete = FOREIGN_NO_ACTION, .on_update = FOREIGN_NO_ACTION, .match = MATCH_SIMPLE};
    out->spec.nulls_not_distinct = ast->nulls_not_distinct;
    const AstName *names = column != NULL ? column : ast->columns;
    uint32_t count = column != NULL ? 1 : ast->column_count;
    if (ast->kind == AST_CONSTRAINT_CHECK) {
        def->kind = CONSTRAINT_CHECK;
        return bind_check(b, table, ast, out);
    }
    if (count == 0) {
        return not_supported(b, ast->span.at, "a constraint USING INDEX");
    }
    out->column_count = (uint16_t)count;
    switch (ast->kind) {
    case AST_CONSTRAINT_PRIMARY_KEY:
        def->kind = CONSTRAINT_PRIMARY_KEY;
        TRY(find_columns(b, table, names, count, "primary key constraint", &out->names));
        return bind_key(b, table, ast, out);
    case AST_CONSTRAINT_UNIQUE:
        def->kind = CONSTRAINT_UNIQUE;
        TRY(find_columns(b, table, names, count, "unique constraint", &out->names));
        return bind_key(b, table, ast, out);
    case AST_CONSTRAINT_FOREIGN_KEY:
        def->kind = CONSTRAINT_FOREIGN_KEY;
        TRY(find_columns(b, table, names, count, "foreign key constraint", &out->names));
        TRY(bind_key(b, table, ast, out));
        return bind_foreign(b, bound, table, ast, out);
    default: return not_supported(b, ast->span.at, "EXCLUDE");
    }
}

bool is_table_constraint(AstConstraintKind kind) {
    return kind == AST_CONSTRAINT_PRIMARY_KEY || kind == AST_CONSTRAINT_UNIQUE || kind == AST_CONSTRAINT_CHECK || kind == AST_CONSTRAINT_FOREIGN_KEY;
}

ErrorCode bind_create_constraints(Binder *b, const AstCreateTable *ast, BoundStatement *bound) {
    uint32_t count = ast->constraint_count;
    for (uint32_t i = 0; i < ast->column_count; i++) {
        count += ast->columns[i].constraint_count;
    }
    bound->constraints = arena_array(b->arena, BoundConstraint, count + 1u);
    for (int keys = 1; keys >= 0; keys--) { /* foreign keys to the table itself need its keys */
        for (uint32_t i = 0; i < ast->column_count; i++) {
            for (uint32_t c = 0; c < ast->columns[i].constraint_count; c++) {
                const AstConstraint *constraint = &ast->columns[i].constraints[c];
                if (is_table_constraint(constraint->kind) && (constraint->kind != AST_CONSTRAINT_FOREIGN_KEY) == keys) {
                    TRY(bind_table_constraint(b, bound, constraint, &ast->columns[i].name, &bound->constraints[bound->constraint_count]));
                    bound->constraint_count++;
                }
            }
        }
        for (uint32_t i = 0; i < ast->constraint_count; i++) {
            if ((ast->constraints[i].kind != AST_CONSTRAINT_FOREIGN_KEY) == keys) {
                TRY(bind_table_constraint(b, bound, &ast->constraints[i], NULL, &bound->constraints[bound->constraint_count]));
                bound->constraint_count++;
            }
        }
    }
    return ERR_OK;
}

/* ---- indexes ---- */

typedef struct IndexBinding { IndexSpec *spec; int32_t *key_columns; IndexKeyDef *keys; ColumnDef *computed; } IndexBinding;

static Str index_key_name(const TableDef *table, const IndexBinding *binding, uint16_t i) {
    int32_t number = binding->key_columns[i];
    return number >= 0 ? table->columns[number].name : binding->computed[-1 - number].name;
}

/* As a column of a query would be called, else "expr"; with a number where an earlier key has the name. */
static Str expression_name(Binder *b, const TableDef *table, const IndexBinding *binding, uint16_t before, const AstExpr *ast) {
    bool weak = false;
    Str figured = figured_name(ast, &weak), base = str_equal(figured, STR("?column?")) || figured.len == 0 ? STR("expr") : figured, name = base;
    uint16_t i = 0;
    for (int number = 1; i < before;) {
        if (str_equal(index_key_name(table, binding, i), name)) {
            name = arena_format(b->arena, "%.*s%d", STR_ARG(base), number++);
            i = 0;
        } else {
            i++;
        }
    }
    return name;
}

Str expression_text(Binder *b, const AstExpr *ast) {
    Buffer text;
    buffer_init(&text, 1 << 20);
    sql_deparse_expr(ast, b->dialect, &text);
    Str copy = arena_str(b->arena, buffer_str(&text));
    buffer_deinit(&text);
    return copy;
}

static ErrorCode add_computed(Binder *b, const TableDef *table, const AstExpr *ast, bool condition, IndexBinding *binding) {
    Str name = condition ? STR("expr") : expression_name(b, table, binding, binding->spec->def.key_count, ast);
    bool *used = arena_array(b->arena, bool, table->column_count + 1u);
    const Expr *expr = NULL;
    TRY(bind_over(b, table, ast, condition ? "index predicates" : "index expressions", condition ? "WHERE" : NULL, &expr, used));
    if ((expr->flags & (EXPR_VOLATILE | EXPR_STABLE)) != 0) {
        return error_set(b->err, ERR_INVALID_OBJECT_DEFINITION, ddl_position(b, ast->span.at), "functions in index %s must be marked IMMUTABLE", condition ? "predicate" : "expression");
    }
    if (!condition && !type_is_indexable((TypeId)expr->type.id)) {
        return error_set(b->err, ERR_UNDEFINED_OBJECT, ddl_position(b, ast->span.at), "data type %.*s has no default operator class for access method \"btree\"",
                         STR_ARG(type_name(b, expr->type)));
    }
    Type type = expr->type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : expr->type;
    binding->computed[binding->spec->computed_count++] = (ColumnDef){.name = name, .type = type, .default_text = expression_text(b, ast),
                                                                     .default_dialect = (uint8_t)b->dialect, .missing_is_null = true};
    return ERR_OK;
}

static ErrorCode bind_index_key(Binder *b, const TableDef *table, const AstSortKey *ast, IndexBinding *binding) {
    IndexSpec *spec = binding->spec;
    IndexKeyDef *key = &binding->keys[spec->def.key_count];
    *key = (IndexKeyDef){.descending = ast->descending, .nulls_first = ast->nulls_given ? ast->nulls_first : ast->descending};
    int number = ast->expr->kind == AST_NAME && ast->expr->as.names.count == 1 ? name_match(&ast->expr->as.names.parts[0], table->column_count, column_at, table) : -1;
    if (number < 0) {
        if (ast->expr->kind == AST_NAME) {
            return error_set(b->err, ERR_UNDEFINED_COLUMN, ddl_position(b, ast->expr->span.at), "column \"%.*s\" does not exist", STR_ARG(ast->expr->as.names.parts[0].text));
        }
        key->text = expression_text(b, ast->expr);
        TRY(add_computed(b, table, ast->expr, false, binding));
        binding->key_columns[spec->def.key_count++] = -(int32_t)spec->computed_count;
        return ERR_OK;
    }
    if (!type_is_indexable((TypeId)table->columns[number].type.id)) {
        return error_set(b->err, ERR_UNDEFINED_OBJECT, ddl_position(b, ast->expr->span.at), "data type %.*s has no default operator class for access method \"btree\"",
                         STR_ARG(type_name(b, table->columns[number].type)));
    }
    binding->key_columns[spec->def.key_count++] = number;
    return ERR_OK;
}

/* Every method has the order of a btree; gin, gist and their kin answer questions that it cannot. */
static ErrorCode check_method(Binder *b, const AstCreateIndex *ast) {
    Str name = ast->method != NULL ? ast->method->text : STR("btree");
    if (str_equal_ignore_case(name, STR("btree")) || str_equal_ignore_case(name, STR("hash")) || str_equal_ignore_case(name, STR("brin"))) {
        return ERR_OK;
    }
    return not_supported(b, ast->method->span.at, "index method %.*s", STR_ARG(name));
}

ErrorCode bind_create_index(Binder *b, const AstCreateIndex *ast, BoundStatement *bound) {
    bound->kind = STATEMENT_CREATE_INDEX;
    TRY(table_find_to(b, &ast->table, "cannot create index on relation", &bound->table));
    TRY(check_table(b, bound->table, 0));
    TRY(check_method(b, ast));
    const TableDef *table = bound->table, *other = NULL;
    if (ast->if_not_exists && ast->name == NULL) {
        return error_set(b->err, ERR_SYNTAX, ast->table.span.at, "IF NOT EXISTS needs the name of the index");
    }
    if (ast->name != NULL && catalog_view_index_find(b->context->catalog, table->schema_id, ast->name->text, &other) != NULL) {
        bound->already_there = true;
        return ast->if_not_exists ? ERR_OK : error_set(b->err, ERR_DUPLICATE_TABLE, ddl_position(b, ast->name->span.at), "relation \"%.*s\" already exists", STR_ARG(ast->name->text));
    }
    if (ast->key_count > INDEX_KEYS_MAX || ast->include_count > INDEX_KEYS_MAX) {
        return error_set(b->err, ERR_TOO_MANY_COLUMNS, ast->table.span.at, "cannot use more than %d columns in an index", INDEX_KEYS_MAX);
    }
    IndexSpec *spec = &bound->index;
    IndexBinding binding = {.spec = spec, .key_columns = arena_array(b->arena, int32_t, ast->key_count + 1u), .keys = arena_array(b->arena, IndexKeyDef, ast->key_count + 1u),
                            .computed = arena_array(b->arena, ColumnDef, ast->key_count + 2u)};
    *spec = (IndexSpec){.predicate_computed = -1, .key_columns = binding.key_columns, .computed = binding.computed};
    spec->def = (IndexDef){.name = ast->name != NULL ? ast->name->text : (Str){0}, .method = ast->method != NULL ? ast->method->text : STR("btree"), .keys = binding.keys,
                           .is_unique = ast->unique, .nulls_not_distinct = ast->nulls_not_distinct, .dialect = (uint8_t)b->dialect, .valid = true};
    for (uint32_t i = 0; i < ast->key_count; i++) {
        TRY(bind_index_key(b, table, &ast->keys[i], &binding));
    }
    uint16_t *include = arena_array(b->arena, uint16_t, ast->include_count + 1u);
    for (uint32_t i = 0; i < ast->include_count; i++) {
        TRY(table_column(b, table, &ast->include[i], &include[i]));
    }
    spec->include_columns = include;
    spec->def.include_count = (uint16_t)ast->include_count;
    if (ast->where != NULL) {
        spec->predicate_computed = (int16_t)spec->computed_count;
        spec->def.predicate_text = expression_text(b, ast->where);
        TRY(add_computed(b, table, ast->where, true, &binding));
    }
    return ERR_OK;
}

/* ---- DROP INDEX, ALTER INDEX, REINDEX ---- */

/* The index of the name, which the role owns; NULL where there is none. object_out: what has the name instead. */
static ErrorCode find_index(Binder *b, const AstNames *names, bool missing_ok, const TableDef **table_out, const IndexDef **index_out, const CatalogObject **object_out) {
    CatalogView *catalog = b->context->catalog;
    *object_out = NULL;
    *index_out = NULL;
    TRY(relation_name_parts(names, b->context->environment->database_name, b->err));
    TRY(relation_schema_check(catalog, b->role_id, names, missing_ok, b->err));
    *index_out = relation_index_find(catalog, b->context->environment, names, table_out);
    *object_out = *index_out == NULL ? relation_named(b, names) : NULL;
    if (*index_out != NULL && b->role_id != 0 && !catalog_owns(catalog, b->role_id, (*table_out)->id)) {
        return error_set(b->err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be owner of index %.*s", STR_ARG((*index_out)->name));
    }
    return ERR_OK;
}

static ErrorCode no_such_index(Binder *b, const AstNames *names, const CatalogObject *object) {
    Str name = names->parts[names->count - 1].text;
    if (object == NULL) {
        return error_set(b->err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "index \"%.*s\" does not exist", STR_ARG(name));
    }
    const char *kind = object->kind == OBJECT_VIEW ? "VIEW" : object->kind == OBJECT_SEQUENCE ? "SEQUENCE" : "TABLE";
    error_ignore(error_set(b->err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not an index", STR_ARG(name)));
    return error_add(b->err, 'H', "Use DROP %s to remove a %s.", kind, object_kind_name(object->kind));
}

ErrorCode bind_drop_index(Binder *b, const AstDrop *drop, BoundStatement *bound) {
    bound->kind = STATEMENT_DROP_INDEX;
    bound->cascade = drop->cascade;
    bound->tables = arena_array(b->arena, const TableDef *, drop->count + 1u);
    bound->index_ids = arena_array(b->arena, uint32_t, drop->count + 1u);
    for (uint32_t i = 0; i < drop->count; i++) {
        const TableDef *table = NULL;
        const IndexDef *index = NULL;
        const CatalogObject *object = NULL;
        TRY(find_index(b, &drop->names[i], drop->if_exists, &table, &index, &object));
        if (index == NULL && (object != NULL || !drop->if_exists)) {
            return no_such_index(b, &drop->names[i], object);
        }
        if (index != NULL) {
            bound->tables[bound->table_count] = table;
            bound->index_ids[bound->table_count++] = index->id;
        }
    }
    return ERR_OK;
}

ErrorCode bind_alter_index(Binder *b, const AstAlterTable *alter, BoundStatement *bound) {
    bound->kind = STATEMENT_ALTER_INDEX;
    const TableDef *table = NULL;
    const IndexDef *index = NULL;
    const CatalogObject *object = NULL;
    bound->name = alter->table.parts[alter->table.count - 1].text;
    TRY(find_index(b, &alter->table, alter->if_exists, &table, &index, &object));
    if (object != NULL) {
        return not_supported(b, alter->table.span.at, "ALTER INDEX of a %s", object_kind_name(object->kind));
    }
    if (index == NULL) {
        const AstNames *names = &alter->table;
        Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
        return alter->if_exists ? ERR_OK
                                : error_set(b->err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "relation \"%.*s%s%.*s\" does not exist", STR_ARG(schema), schema.len > 0 ? "." : "",
                                            STR_ARG(names->parts[names->count - 1].text));
    }
    if (alter->action_count != 1 || alter->actions[0].kind != AST_ALTER_RENAME_TABLE) {
        return not_supported(b, alter->table.span.at, "ALTER INDEX other than RENAME TO");
    }
    bound->table = table;
    bound->index_ids = arena_array(b->arena, uint32_t, 1);
    bound->index_ids[0] = index->id;
    bound->name = alter->actions[0].new_name.text;
    return ERR_OK;
}
