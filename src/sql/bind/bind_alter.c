/* SPDX-License-Identifier: Apache-2.0
 * bind_alter.c - ALTER TABLE and RENAME TABLE: one row of actions each; hints without effect here become ALTER_NOTHING. */
#include "sql/bind/bind_internal.h"

static Str column_name_at(const void *context, uint32_t i) {
    return ((const TableDef *)context)->columns[i].name;
}

/* Columns that earlier actions of the statement added or took away are not in the definition yet. */
static bool pending_column(const BoundStatement *bound, Str name, AlterKind kind) {
    for (uint32_t i = 0; i < bound->action_count; i++) {
        const AlterAction *action = &bound->actions[i];
        bool renamed = action->kind == ALTER_RENAME_COLUMN && kind == ALTER_ADD_COLUMN && str_equal(action->new_name, name);
        bool same = action->kind == kind && str_equal(kind == ALTER_ADD_COLUMN ? action->column.name : action->name, name);
        if (renamed || same) {
            return true;
        }
    }
    return false;
}

static bool column_exists(const BoundStatement *bound, const AstName *name) {
    int found = name_match(name, bound->table->column_count, column_name_at, bound->table);
    if (found != -1 && !pending_column(bound, found >= 0 ? bound->table->columns[found].name : name->text, ALTER_DROP_COLUMN)) {
        return true;
    }
    return pending_column(bound, name->text, ALTER_ADD_COLUMN);
}

static ErrorCode existing_column(Binder *b, const BoundStatement *bound, const AstName *name, Str *name_out) {
    if (pending_column(bound, name->text, ALTER_ADD_COLUMN)) {
        *name_out = name->text;
        return ERR_OK;
    }
    uint16_t number = 0;
    TRY(table_column(b, bound->table, name, &number));
    *name_out = bound->table->columns[number].name;
    return ERR_OK;
}

/* ---------------------------------------------------------------- ADD */

/* What rows of older parts answer: the default's value, computed now. */
static ErrorCode missing_value(Binder *b, const AstAlterAction *ast, ColumnDef *column, bool *fills) {
    const Expr *value = NULL;
    column->missing_is_null = true;
    if (column->default_text.len == 0 && column->domain_id == 0) {
        return ERR_OK;
    }
    TRY(column_default(b, column, ast->span.at, &value));
    *fills = value->kind != EXPR_CONSTANT || (!value->as.value.is_null && column->type.id == TYPE_SYMBOL);
    if (*fills || value->as.value.is_null) {
        return ERR_OK;
    }
    column->missing_is_null = false;
    if (type_physical((TypeId)column->type.id) == PHYS_STR) {
        column->missing_text = value->as.value.as.str;
    } else {
        memcpy(column->missing_value, &value->as.value.as, sizeof column->missing_value);
    }
    return ERR_OK;
}

static ErrorCode duplicate_column(Binder *b, const BoundStatement *bound, int64_t position, Str name) {
    return b->dialect == DIALECT_POSTGRES
               ? error_set(b->err, ERR_DUPLICATE_COLUMN, ddl_position(b, position), "column \"%.*s\" of relation \"%.*s\" already exists", STR_ARG(name), STR_ARG(bound->table->name))
               : error_set(b->err, ERR_DUPLICATE_COLUMN, ddl_position(b, position), "column '%.*s' already exists", STR_ARG(name));
}

/* IF EXISTS, IF NOT EXISTS: a notice instead of the action. */
static ErrorCode skip(Binder *b, const BoundStatement *bound, Str column, const char *why, AlterAction *action) {
    action->kind = ALTER_NOTHING;
    action->notice = arena_format(b->arena, "column \"%.*s\" of relation \"%.*s\" %s, skipping", STR_ARG(column), STR_ARG(bound->table->name), why).data;
    return ERR_OK;
}

static ErrorCode bind_add(Binder *b, const AstAlterAction *ast, BoundStatement *bound, AlterAction *action) {
    action->kind = ALTER_ADD_COLUMN;
    TRY(check_column_name(b, ast->column.text, ERROR_NO_POSITION));
    if (column_exists(bound, &ast->column)) {
        if (ast->if_not_exists) {
            return skip(b, bound, ast->column.text, "already exists", action);
        }
        return duplicate_column(b, bound, ast->column.span.at, ast->column.text);
    }
    uint32_t sequences = bound->sequence_count;
    TRY(bind_column(b, ast->definition, (uint16_t)bound->action_count, bound, &action->column));
    TRY(missing_value(b, ast, &action->column, &action->fills));
    action->fills = action->fills || bound->sequence_count > sequences;
    if (action->column.not_null && action->column.missing_is_null && !action->fills) {
        TableStats stats = {0};
        b->context->catalog->stats(b->context->catalog, bound->table, &stats);
        if (stats.row_count > 0) {
            return error_set(b->err, ERR_NOT_NULL_VIOLATION, ddl_position(b, ast->column.span.at), "column \"%.*s\" of relation \"%.*s\" contains null values",
                             STR_ARG(ast->column.text), STR_ARG(bound->table->name));
        }
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- the rest */

static ErrorCode bind_drop_column(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, AlterAction *action) {
    action->kind = ALTER_DROP_COLUMN;
    action->cascade = ast->cascade;
    if (ast->if_exists && !column_exists(bound, &ast->column)) {
        return skip(b, bound, ast->column.text, "does not exist", action);
    }
    TRY(existing_column(b, bound, &ast->column, &action->name));
    const TableDef *table = bound->table;
    if (table->designated >= 0 && str_equal(table->columns[table->designated].name, action->name)) {
        return error_set(b->err, ERR_DEPENDENT_OBJECTS, ast->column.span.at, "the designated timestamp cannot be dropped");
    }
    return ERR_OK;
}

static ErrorCode bind_rename_column(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, AlterAction *action) {
    action->kind = ALTER_RENAME_COLUMN;
    action->new_name = ast->new_name.text;
    TRY(existing_column(b, bound, &ast->column, &action->name));
    if (!str_equal_ignore_case(action->name, ast->new_name.text) && column_exists(bound, &ast->new_name)) {
        return duplicate_column(b, bound, ast->new_name.span.at, ast->new_name.text);
    }
    return ERR_OK;
}

/* ADD GENERATED … AS IDENTITY, DROP IDENTITY */
static ErrorCode bind_identity_change(Binder *b, const AstAlterAction *ast, BoundStatement *bound, AlterAction *action) {
    bool add = ast->kind == AST_ALTER_COLUMN_ADD_IDENTITY;
    uint16_t number = 0;
    action->kind = add ? ALTER_ADD_IDENTITY : ALTER_DROP_IDENTITY;
    TRY(table_column(b, bound->table, &ast->column, &number));
    action->column = bound->table->columns[number];
    action->name = action->column.name;
    bool is = action->column.identity != IDENTITY_NONE;
    if (!add && !is && ast->if_exists) {
        return skip(b, bound, action->name, "is not an identity column", action);
    }
    if (is == add) {
        return error_set(b->err, ERR_PREREQUISITE_STATE, ddl_position(b, ast->span.at), "column \"%.*s\" of relation \"%.*s\" is %s an identity column", STR_ARG(action->name),
                         STR_ARG(bound->table->name), add ? "already" : "not");
    }
    if (!add) {
        return ERR_OK;
    }
    if (!action->column.not_null) {
        return error_set(b->err, ERR_PREREQUISITE_STATE, ddl_position(b, ast->span.at), "column \"%.*s\" of relation \"%.*s\" must be declared NOT NULL before identity can be added",
                         STR_ARG(action->name), STR_ARG(bound->table->name));
    }
    if (action->column.default_text.len > 0 || action->column.generated_text.len > 0) {
        return error_set(b->err, ERR_PREREQUISITE_STATE, ddl_position(b, ast->span.at), "column \"%.*s\" of relation \"%.*s\" already has a default value", STR_ARG(action->name),
                         STR_ARG(bound->table->name));
    }
    return bind_identity(b, ast->constraint, (uint16_t)bound->action_count, bound, &action->column);
}

/* The column as it was, with the default that is said. */
static ErrorCode bind_set_default(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, AlterAction *action) {
    uint16_t number = 0;
    action->kind = ALTER_SET_DEFAULT;
    TRY(table_column(b, bound->table, &ast->column, &number));
    action->column = bound->table->columns[number];
    action->name = action->column.name;
    if (action->column.identity != IDENTITY_NONE) {
        return error_set(b->err, ERR_SYNTAX, ast->span.at, "column \"%.*s\" of relation \"%.*s\" is an identity column", STR_ARG(action->name),
                         STR_ARG(bound->table->name));
    }
    action->column.default_text = (Str){0};
    action->column.sequence_id = 0;
    return ast->expr == NULL ? ERR_OK : bind_column_default(b, ast->expr, ast->expr_text, &action->column);
}

/* Each value of the old type is one of the new type, stored the same way and of the same place in an order: nothing to write. */
static bool type_widens(Type from, Type to) {
    bool texts = (from.id == TYPE_VARCHAR || from.id == TYPE_TEXT) && (to.id == TYPE_VARCHAR || to.id == TYPE_TEXT);
    if (texts) {
        return to.length == 0 || (from.length > 0 && from.length <= to.length);
    }
    if (from.id == to.id && (to.id == TYPE_DECIMAL8 || to.id == TYPE_DECIMAL16)) {
        return from.scale == to.scale && from.precision <= to.precision;
    }
    return type_equal(from, to);
}

/* USING column or column::type, as programs write it, says nothing new. */
static bool using_is_column(Binder *b, const AstExpr *expr, const ColumnDef *column) {
    Type type;
    if (expr != NULL && expr->kind == AST_CAST && type_from_ast(b, expr->as.type, &type) == ERR_OK && type_equal(type, column->type)) {
        expr = expr->args[0];
    }
    return expr == NULL || (expr->kind == AST_NAME && expr->as.names.count == 1 && name_same(&expr->as.names.parts[0], column->name));
}

/* Index expressions and predicates keep their type; their values are made anew from the new column. */
static ErrorCode check_index_expressions(Binder *b, const TableDef *table, uint16_t number, const AstAlterAction *ast, Type type) {
    TableDef changed = *table;
    changed.columns = arena_array(b->arena, ColumnDef, table->column_count + (size_t)table->computed_count + 1);
    memcpy(changed.columns, table->columns, sizeof(ColumnDef) * (table->column_count + (size_t)table->computed_count));
    changed.columns[number].type = type;
    Rel *rel = NULL;
    Scope scope = {.clause = "an index"};
    TRY(rel_scan(b, &changed, false, &rel));
    scope_add_table(b, &scope, rel, &changed, changed.name);
    for (uint16_t i = 0; i < table->computed_count; i++) {
        const ColumnDef *computed = &table->columns[table->column_count + i];
        const Expr *value = NULL;
        ErrorCode code = bind_stored(b, &scope, computed->default_text, computed->default_dialect, NULL, &value);
        if (code != ERR_OK) {
            b->err->position = ast->span.at;
            return code;
        }
        if (value->type.id != computed->type.id) {
            return not_supported(b, ast->span.at, "ALTER COLUMN TYPE that changes the type of an index expression");
        }
    }
    return ERR_OK;
}

/* The default stays, so it must be one of the new type too; earlier actions of the statement may take it away. */
static ErrorCode check_default(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, const ColumnDef *column) {
    const Expr *value = NULL;
    Scope none = {.clause = "DEFAULT expressions"};
    bool replaced = column->default_text.len == 0 || column->sequence_id != 0 || column->default_dialect != DIALECT_POSTGRES;
    for (uint32_t i = 0; i < bound->action_count; i++) {
        replaced = replaced || (bound->actions[i].kind == ALTER_SET_DEFAULT && str_equal(bound->actions[i].name, column->name));
    }
    if (replaced) {
        return ERR_OK;
    }
    ErrorCode code = bind_stored(b, &none, column->default_text, column->default_dialect, &column->type, &value);
    return code != ERR_DATATYPE_MISMATCH ? code
                                         : error_set(b->err, code, ast->span.at, "default for column \"%.*s\" cannot be cast automatically to type %.*s",
                                                     STR_ARG(column->name), STR_ARG(type_name(b, column->type)));
}

static ErrorCode bind_type(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, AlterAction *action) {
    uint16_t number = 0;
    const TableDef *table = bound->table;
    action->kind = ALTER_TYPE;
    TRY(table_column(b, table, &ast->column, &number));
    action->column = table->columns[number];
    action->name = action->column.name;
    TRY(type_from_ast(b, ast->definition->type, &action->column.type));
    Rel *rel = NULL;
    Scope scope = {.clause = "ALTER COLUMN TYPE"};
    const Expr *value = NULL;
    TRY(rel_scan(b, table, false, &rel));
    scope_add_table(b, &scope, rel, table, table->name);
    if (ast->expr != NULL) {
        TRY(bind_expr(b, &scope, ast->expr, &value));
    } else {
        value = rel_column_expr(b, rel, number);
    }
    ErrorCode code = coerce(b, value, action->column.type, CAST_ASSIGNMENT, &value);
    if (code == ERR_DATATYPE_MISMATCH) {
        error_ignore(error_set(b->err, code, ast->span.at, "column \"%.*s\" cannot be cast automatically to type %.*s", STR_ARG(action->name),
                               STR_ARG(type_name(b, action->column.type))));
        return error_add(b->err, 'H', "You might need to specify \"USING %.*s::%.*s\".", STR_ARG(action->name), STR_ARG(type_name(b, action->column.type)));
    }
    TRY(code);
    if (number == table->designated) {
        return not_supported(b, ast->span.at, "ALTER COLUMN TYPE of the designated timestamp");
    }
    TRY(check_default(b, ast, bound, &action->column));
    TRY(check_index_expressions(b, table, number, ast, action->column.type));
    action->in_place = type_widens(table->columns[number].type, action->column.type) && using_is_column(b, ast->expr, &action->column);
    action->text = ast->expr_text;
    return ERR_OK;
}

static ErrorCode bind_options(Binder *b, const AstAlterAction *ast, AlterAction *action) {
    action->kind = ALTER_NOTHING;
    for (uint32_t i = 0; i < ast->option_count; i++) {
        bool found = false;
        const AstOption *option = &ast->options[i];
        TRY(bind_durability(b, option, &found, &action->durability, &action->durability_ms));
        action->kind = found ? ALTER_SET_DURABILITY : action->kind;
        if (!found && !option_is_tuning(option->name.text)) {
            return not_supported(b, option->name.span.at, "table option %.*s", STR_ARG(option->name.text));
        }
    }
    return ERR_OK;
}

static ErrorCode bind_symbol_hint(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, AlterAction *action) {
    uint16_t number = 0;
    action->kind = ALTER_NOTHING;
    TRY(table_column(b, bound->table, &ast->column, &number));
    if (bound->table->columns[number].type.id != TYPE_SYMBOL) {
        return error_set(b->err, ERR_WRONG_OBJECT_TYPE, ast->column.span.at, "column \"%.*s\" is not a symbol", STR_ARG(ast->column.text));
    }
    if (ast->index != NULL && (ast->index->type.len > 0 || ast->index->include_count > 0)) {
        return not_supported(b, ast->span.at, "this kind of INDEX");
    }
    return ERR_OK;
}

static const char *refused_action(AstAlterKind kind) {
    switch (kind) {
    case AST_ALTER_SET_SCHEMA: return "SET SCHEMA";
    case AST_ALTER_COLUMN_TYPE: return "ALTER COLUMN TYPE";
    case AST_ALTER_COLUMN_DEFAULT: return "ALTER COLUMN SET DEFAULT";
    case AST_ALTER_COLUMN_DROP_DEFAULT: return "ALTER COLUMN DROP DEFAULT";
    case AST_ALTER_DROP_PARTITION: return "DROP PARTITION";
    case AST_ALTER_DETACH_PARTITION: return "DETACH PARTITION";
    case AST_ALTER_ATTACH_PARTITION: return "ATTACH PARTITION";
    case AST_ALTER_CONVERT_PARTITION: return "CONVERT PARTITION";
    case AST_ALTER_SET_TTL: return "SET TTL";
    case AST_ALTER_SET_WAL: return "SET TYPE WAL";
    case AST_ALTER_DEDUP_ENABLE: return "DEDUP";
    case AST_ALTER_DEDUP_DISABLE: return "DEDUP DISABLE";
    case AST_ALTER_SUSPEND_WAL: return "SUSPEND WAL";
    case AST_ALTER_RESUME_WAL: return "RESUME WAL";
    case AST_ALTER_OWNER: return "OWNER TO";
    default: return NULL;
    }
}

static ErrorCode bind_named_constraint(Binder *b, const AstAlterAction *ast, const BoundStatement *bound, AlterAction *action) {
    const TableDef *table = bound->table;
    action->kind = ast->kind == AST_ALTER_DROP_CONSTRAINT ? ALTER_DROP_CONSTRAINT
                   : ast->kind == AST_ALTER_RENAME_CONSTRAINT ? ALTER_RENAME_CONSTRAINT : ALTER_VALIDATE_CONSTRAINT;
    action->cascade = ast->cascade;
    action->new_name = ast->new_name.text;
    const AstName *name = &ast->column;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (name_same(name, table->constraints[i].name)) {
            action->name = table->constraints[i].name;
            return ERR_OK;
        }
    }
    action->name = name->text;
    for (uint32_t i = 0; i < bound->action_count; i++) { /* one that an earlier action adds */
        if (bound->actions[i].kind == ALTER_ADD_CONSTRAINT && str_equal(bound->actions[i].constraint.spec.def.name, name->text)) {
            return ERR_OK;
        }
    }
    if (ast->if_exists) {
        action->kind = ALTER_NOTHING;
        action->notice = arena_format(b->arena, "constraint \"%.*s\" of relation \"%.*s\" does not exist, skipping", STR_ARG(name->text),
                                      STR_ARG(table->name)).data;
        return ERR_OK;
    }
    return error_set(b->err, ERR_UNDEFINED_OBJECT, ddl_position(b, name->span.at), "constraint \"%.*s\" of relation \"%.*s\" does not exist", STR_ARG(name->text),
                     STR_ARG(table->name));
}

/* PRIMARY KEY, CHECK ... behind an added column: actions of their own. */
static ErrorCode bind_added_constraints(Binder *b, const AstAlterAction *ast, BoundStatement *bound) {
    for (uint32_t i = 0; ast->definition != NULL && i < ast->definition->constraint_count; i++) {
        const AstConstraint *constraint = &ast->definition->constraints[i];
        if (is_table_constraint(constraint->kind)) {
            AlterAction *action = &bound->actions[bound->action_count];
            *action = (AlterAction){.kind = ALTER_ADD_CONSTRAINT};
            TRY(bind_table_constraint(b, bound, constraint, &ast->definition->name, &action->constraint));
            bound->action_count++;
        }
    }
    return ERR_OK;
}

static uint32_t action_max(const AstAlterTable *alter) {
    uint32_t count = alter->action_count;
    for (uint32_t i = 0; i < alter->action_count; i++) {
        count += alter->actions[i].definition != NULL ? alter->actions[i].definition->constraint_count : 0;
    }
    return count;
}

static ErrorCode bind_action(Binder *b, const AstAlterAction *ast, BoundStatement *bound, AlterAction *action) {
    action->if_exists = ast->if_exists;
    switch (ast->kind) {
    case AST_ALTER_ADD_COLUMN: return bind_add(b, ast, bound, action);
    case AST_ALTER_DROP_COLUMN: return bind_drop_column(b, ast, bound, action);
    case AST_ALTER_RENAME_COLUMN: return bind_rename_column(b, ast, bound, action);
    case AST_ALTER_RENAME_TABLE:
        action->kind = ALTER_RENAME_TABLE;
        action->new_name = ast->new_name.text;
        return ERR_OK;
    case AST_ALTER_SET_PARAM:
    case AST_ALTER_SET_OPTIONS: return bind_options(b, ast, action);
    case AST_ALTER_COLUMN_DEFAULT:
    case AST_ALTER_COLUMN_DROP_DEFAULT: return bind_set_default(b, ast, bound, action);
    case AST_ALTER_COLUMN_ADD_IDENTITY:
    case AST_ALTER_COLUMN_DROP_IDENTITY: return bind_identity_change(b, ast, bound, action);
    case AST_ALTER_COLUMN_TYPE: return bind_type(b, ast, bound, action);
    case AST_ALTER_COLUMN_SET_NOT_NULL:
    case AST_ALTER_COLUMN_DROP_NOT_NULL:
        action->kind = ast->kind == AST_ALTER_COLUMN_SET_NOT_NULL ? ALTER_SET_NOT_NULL : ALTER_DROP_NOT_NULL;
        return existing_column(b, bound, &ast->column, &action->name);
    case AST_ALTER_ADD_CONSTRAINT:
        action->kind = ALTER_ADD_CONSTRAINT;
        return bind_table_constraint(b, bound, ast->constraint, NULL, &action->constraint);
    case AST_ALTER_DROP_CONSTRAINT:
    case AST_ALTER_RENAME_CONSTRAINT:
    case AST_ALTER_VALIDATE_CONSTRAINT: return bind_named_constraint(b, ast, bound, action);
    case AST_ALTER_SQUASH_PARTITIONS: action->kind = ALTER_NOTHING; return ERR_OK;
    case AST_ALTER_COLUMN_ADD_INDEX:
    case AST_ALTER_COLUMN_DROP_INDEX:
    case AST_ALTER_COLUMN_CACHE:
    case AST_ALTER_COLUMN_NOCACHE:
    case AST_ALTER_COLUMN_CAPACITY: return bind_symbol_hint(b, ast, bound, action);
    default: {
        const char *name = refused_action(ast->kind);
        if (name != NULL) {
            return not_supported(b, ast->span.at, "ALTER TABLE ... %s", name);
        }
        return not_supported(b, ast->span.at, "ALTER TABLE ... %.*s", (int)MIN_OF(ast->what.len, 60), ast->what.data);
    }
    }
}

static const char *action_words(const AstAlterAction *action) {
    switch (action->kind) {
    case AST_ALTER_ADD_COLUMN: return "ADD COLUMN";
    case AST_ALTER_DROP_COLUMN: return "DROP COLUMN";
    case AST_ALTER_COLUMN_TYPE: return "ALTER COLUMN ... SET DATA TYPE";
    case AST_ALTER_COLUMN_SET_NOT_NULL: return "ALTER COLUMN ... SET NOT NULL";
    case AST_ALTER_COLUMN_DROP_NOT_NULL: return "ALTER COLUMN ... DROP NOT NULL";
    case AST_ALTER_COLUMN_ADD_IDENTITY: return "ALTER COLUMN ... ADD IDENTITY";
    case AST_ALTER_COLUMN_DROP_IDENTITY: return "ALTER COLUMN ... DROP IDENTITY";
    case AST_ALTER_ADD_CONSTRAINT: return "ADD CONSTRAINT";
    case AST_ALTER_DROP_CONSTRAINT: return "DROP CONSTRAINT";
    case AST_ALTER_VALIDATE_CONSTRAINT: return "VALIDATE CONSTRAINT";
    default: return "ALTER COLUMN ... SET DEFAULT";
    }
}

static ErrorCode not_alterable(Binder *b, const AstAlterTable *alter) {
    const CatalogObject *object = relation_named(b, &alter->table);
    Str name = alter->table.parts[alter->table.count - 1].text;
    bool rename = alter->actions[0].kind == AST_ALTER_RENAME_COLUMN || alter->actions[0].kind == AST_ALTER_RENAME_CONSTRAINT;
    error_ignore(rename ? error_set(b->err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "cannot rename columns of relation \"%.*s\"", STR_ARG(name))
                        : error_set(b->err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "ALTER action %s cannot be performed on relation \"%.*s\"", action_words(&alter->actions[0]),
                                    STR_ARG(name)));
    return error_add(b->err, 'D', "This operation is not supported for %s.", relation_kind_plural(object));
}

static ErrorCode find_target(Binder *b, const AstAlterTable *alter, BoundStatement *bound) {
    Error reason;
    Error *err = b->err;
    b->err = &reason;
    ErrorCode code = table_find(b, &alter->table, &bound->table);
    b->err = err;
    if (code == ERR_UNDEFINED_TABLE && alter->if_exists) {
        bound->table = NULL;
        bound->name = alter->table.parts[alter->table.count - 1].text;
        return ERR_OK;
    }
    if (code == ERR_WRONG_OBJECT_TYPE && alter->action_count > 0 && b->dialect == DIALECT_POSTGRES) {
        return not_alterable(b, alter);
    }
    return code == ERR_OK ? ERR_OK : error_pass(b->err, &reason);
}

/* What is wrong with the table's parts has no place in the text, as in PostgreSQL; what is wrong with an expression or a type has. */
static void unplace_error(Binder *b, const AstAlterAction *ast) {
    const Span names[] = {ast->span, ast->column.span, ast->new_name.span};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (b->err != NULL && b->err->position == names[i].at) {
            b->err->position = ERROR_NO_POSITION;
        }
    }
}

ErrorCode bind_alter(Binder *b, const AstAlterTable *alter, BoundStatement *bound) {
    if (str_equal(alter->object, STR("index"))) {
        return bind_alter_index(b, alter, bound);
    }
    bound->kind = STATEMENT_ALTER_TABLE;
    TRY(find_target(b, alter, bound));
    bound->actions = arena_array(b->arena, AlterAction, action_max(alter) + 1u);
    if (bound->table != NULL) {
        TRY(check_table(b, bound->table, 0));
    }
    if (bound->table == NULL) {
        return ERR_OK;
    }
    if (alter->renames_table_statement) {
        bound->kind = STATEMENT_RENAME_TABLE;
        bound->name = alter->actions[0].new_name.text;
        return ERR_OK;
    }
    for (uint32_t i = 0; i < alter->action_count; i++) {
        AlterAction action = {0};
        ErrorCode code = bind_action(b, &alter->actions[i], bound, &action);
        if (code != ERR_OK && code != ERR_NOT_SUPPORTED && b->dialect == DIALECT_POSTGRES) {
            unplace_error(b, &alter->actions[i]);
        }
        TRY(code);
        bound->actions[bound->action_count++] = action;
        if (action.kind == ALTER_ADD_COLUMN) {
            TRY(bind_added_constraints(b, &alter->actions[i], bound));
        }
    }
    return ERR_OK;
}
