/* SPDX-License-Identifier: Apache-2.0
 * table_parts.c - constraints and indexes as statements make them: names to numbers, rows that are there looked at, rows written anew for
 *                 index expressions.
 *
 * Tests: test/sql/keys.slt, foreign_keys.slt, index.slt */
#include "session/session_internal.h"
#include <stdio.h>

/* ---- looking at rows ---- */

static ErrorCode plan_expression(Statement *statement, const TableDef *table, const TableExpression *expression, Arena *arena, Plan **plan_out, Error *err) {
    BindContext context = {.catalog = &statement->system.base, .environment = &statement->environment};
    BoundStatement *bound = NULL;
    TRY(bind_table_expressions(&context, table, expression, 1, arena, &bound, err));
    PlanOptions options = {.environment = &statement->environment, .catalog = &statement->system.base};
    return plan_create(bound, &options, arena, plan_out, err);
}

/* *holds_out false: some row says false. */
static ErrorCode holds_for_all(Statement *statement, const TableDef *table, Str text, uint8_t dialect, bool *holds_out, Error *err) {
    TableExpression expression = {text, dialect, type_of(TYPE_BOOL)};
    RunContext context = statement__run_context(statement);
    Arena arena;
    Plan *plan = NULL;
    Run *run = NULL;
    arena_init(&arena, STATEMENT_ARENA_BYTES_MAX);
    *holds_out = true;
    txn_statement_begin(statement__txn(statement)); /* sees what this statement has written so far */
    ErrorCode code = plan_expression(statement, table, &expression, &arena, &plan, err);
    code = code == ERR_OK ? run_open(plan, &context, &run, err) : code;
    while (code == ERR_OK && *holds_out) {
        Batch *batch = NULL;
        code = run_next(run, &batch, err);
        if (code != ERR_OK || batch == NULL) {
            break;
        }
        code = vector_dense(&batch->columns[0], &arena, err);
        for (uint16_t row = 0; row < batch->row_count && code == ERR_OK; row++) {
            bool live = batch->live == NULL || bit_get(batch->live, row);
            *holds_out = *holds_out && (!live || vector_is_null(&batch->columns[0], row) || vector_bool(&batch->columns[0], row));
        }
    }
    run_close(run);
    arena_deinit(&arena);
    return code;
}

static ErrorCode check_not_null(Statement *statement, const TableDef *table, Str column, Error *err) {
    Buffer text;
    bool holds = true;
    buffer_init(&text, 4096);
    sql_deparse_name(column, DIALECT_POSTGRES, &text);
    buffer_append_str(&text, STR(" IS NOT NULL"));
    ErrorCode code = holds_for_all(statement, table, buffer_str(&text), DIALECT_POSTGRES, &holds, err);
    buffer_deinit(&text);
    if (code != ERR_OK || holds) {
        return code;
    }
    code = error_set(err, ERR_NOT_NULL_VIOLATION, ERROR_NO_POSITION, "column \"%.*s\" of relation \"%.*s\" contains null values", STR_ARG(column), STR_ARG(table->name));
    error_ignore(error_add(err, 't', "%.*s", STR_ARG(table->name)));
    error_ignore(error_add(err, 'c', "%.*s", STR_ARG(column)));
    return code;
}

static ErrorCode check_rows(Statement *statement, const TableDef *table, const ConstraintDef *constraint, Error *err) {
    bool holds = true;
    TRY(holds_for_all(statement, table, constraint->text, constraint->dialect, &holds, err));
    if (holds) {
        return ERR_OK;
    }
    ErrorCode code = error_set(err, ERR_CHECK_VIOLATION, ERROR_NO_POSITION, "check constraint \"%.*s\" of relation \"%.*s\" is violated by some row",
                               STR_ARG(constraint->name), STR_ARG(table->name));
    error_ignore(error_add(err, 't', "%.*s", STR_ARG(table->name)));
    error_ignore(error_add(err, 'n', "%.*s", STR_ARG(constraint->name)));
    return code;
}

/* ---- constraints ---- */

static ErrorCode number_of(const TableDef *table, Str name, int64_t position, uint16_t *number_out, Error *err) {
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (str_equal(table->columns[i].name, name)) {
            *number_out = i;
            return ERR_OK;
        }
    }
    return error_set(err, ERR_UNDEFINED_COLUMN, position, "column \"%.*s\" does not exist", STR_ARG(name));
}

static ErrorCode numbers_of(Statement *statement, const TableDef *table, const Str *names, uint16_t count, int64_t position, const uint16_t **numbers_out, Error *err) {
    uint16_t *numbers = arena_array(&statement->arena, uint16_t, count + 1u);
    for (uint16_t i = 0; i < count; i++) {
        TRY(number_of(table, names[i], position, &numbers[i], err));
    }
    *numbers_out = numbers;
    return ERR_OK;
}

ErrorCode statement__add_constraint(Statement *statement, const TableDef **table, const BoundConstraint *bound, bool fresh, Error *err) {
    ConstraintSpec spec = bound->spec;
    const TableDef *parent = bound->referenced != NULL ? bound->referenced : *table;
    TRY(numbers_of(statement, *table, bound->names, bound->column_count, bound->position, &spec.columns, err));
    TRY(numbers_of(statement, parent, bound->referenced_names, bound->referenced_count, bound->position, &spec.referenced_columns, err));
    spec.column_count = bound->column_count;
    spec.referenced_count = bound->referenced_count;
    spec.referenced_table_id = bound->referenced != NULL ? bound->referenced->id : 0;
    bool looked_at = !fresh && spec.def.kind == CONSTRAINT_PRIMARY_KEY && table_primary_key(*table) == NULL;
    for (uint16_t i = 0; i < spec.column_count && looked_at; i++) {
        TRY(check_not_null(statement, *table, bound->names[i], err));
    }
    uint16_t before = (*table)->constraint_count;
    ErrorCode code = txn_constraint_add(statement__txn(statement), *table, &spec, table, err);
    if (code != ERR_OK && err != NULL && err->position == ERROR_NO_POSITION && code != ERR_UNIQUE_VIOLATION && code != ERR_FOREIGN_KEY_VIOLATION &&
        (statement->session->dialect != DIALECT_POSTGRES || (fresh && code == ERR_INVALID_TABLE_DEFINITION))) {
        err->position = bound->position;
    }
    TRY(code);
    const ConstraintDef *made = &(*table)->constraints[before];
    return made->kind == CONSTRAINT_CHECK && made->validated && !fresh ? check_rows(statement, *table, made, err) : ERR_OK;
}

static ErrorCode find_constraint(const TableDef *table, Str name, const ConstraintDef **constraint_out, Error *err) {
    *constraint_out = table_constraint_find(table, name);
    return *constraint_out != NULL ? ERR_OK
                                   : error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" of relation \"%.*s\" does not exist", STR_ARG(name),
                                               STR_ARG(table->name));
}

static ErrorCode validate(Statement *statement, const TableDef **table, const ConstraintDef *constraint, Error *err) {
    if (constraint->kind == CONSTRAINT_CHECK && !constraint->validated) {
        TRY(check_rows(statement, *table, constraint, err));
    }
    return constraint->validated ? ERR_OK : txn_constraint_validated(statement__txn(statement), *table, constraint->id, table, err);
}

ErrorCode statement__alter_part(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Txn *txn = statement__txn(statement);
    const ConstraintDef *constraint = NULL;
    uint16_t number = 0;
    switch (action->kind) {
    case ALTER_ADD_CONSTRAINT: return statement__add_constraint(statement, table, &action->constraint, false, err);
    case ALTER_SET_NOT_NULL:
    case ALTER_DROP_NOT_NULL:
        TRY(number_of(*table, action->name, ERROR_NO_POSITION, &number, err));
        TRY(txn_column_set_not_null(txn, *table, number, action->kind == ALTER_SET_NOT_NULL, table, err));
        return action->kind == ALTER_SET_NOT_NULL ? check_not_null(statement, *table, action->name, err) : ERR_OK;
    default: break;
    }
    TRY(find_constraint(*table, action->name, &constraint, err));
    switch (action->kind) {
    case ALTER_DROP_CONSTRAINT: return txn_constraint_drop(txn, *table, constraint->id, action->cascade, table, err);
    case ALTER_RENAME_CONSTRAINT: return txn_constraint_rename(txn, *table, constraint->id, action->new_name, table, err);
    default: return validate(statement, table, constraint, err);
    }
}

/* Checks, index expressions and predicates are kept as text: whatever was done to the columns, they can still be bound. */
ErrorCode statement__check_texts(Statement *statement, const TableDef *table, Error *err) {
    BindContext context = {.catalog = &statement->system.base, .environment = &statement->environment};
    Arena arena;
    ErrorCode code = ERR_OK;
    arena_init(&arena, STATEMENT_ARENA_BYTES_MAX);
    uint32_t count = (uint32_t)table->constraint_count + table->computed_count;
    for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
        bool check = i < table->constraint_count;
        const ColumnDef *column = check ? NULL : &table->columns[table->column_count + i - table->constraint_count];
        if (check && table->constraints[i].kind != CONSTRAINT_CHECK) {
            continue;
        }
        TableExpression expression = check ? (TableExpression){table->constraints[i].text, table->constraints[i].dialect, type_of(TYPE_BOOL)}
                                           : (TableExpression){column->default_text, column->default_dialect, column->type};
        BoundStatement *bound = NULL;
        Error reason = {0};
        if (bind_table_expressions(&context, table, &expression, 1, &arena, &bound, &reason) != ERR_OK) {
            code = error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "changing a column that a check or an index expression reads (%.*s) is not supported",
                             (int)MIN_OF(expression.text.len, (size_t)100), expression.text.data);
        }
    }
    arena_deinit(&arena);
    return code;
}

/* ---- indexes ---- */

/* Each row ends and comes again, with the values of its index expressions. */
static ErrorCode write_rows_anew(Statement *statement, const TableDef *table, Error *err) {
    BindContext context = {.catalog = &statement->system.base, .environment = &statement->environment};
    RunContext run = statement__run_context(statement);
    BoundStatement *bound = NULL;
    Plan *plan = NULL;
    uint64_t rows = 0;
    Arena arena;
    arena_init(&arena, STATEMENT_ARENA_BYTES_MAX);
    txn_statement_begin(statement__txn(statement));
    ErrorCode code = bind_table_rewrite(&context, table, &arena, &bound, err);
    PlanOptions options = {.environment = &statement->environment, .catalog = &statement->system.base};
    code = code == ERR_OK ? plan_create(bound, &options, &arena, &plan, err) : code;
    code = code == ERR_OK ? run_update(plan, &run, table, &rows, err) : code;
    arena_deinit(&arena);
    return code;
}

static bool text_binds(Statement *statement, const TableDef *table, Str text, uint8_t dialect, Type type, Arena *arena) {
    BindContext context = {.catalog = &statement->system.base, .environment = &statement->environment};
    TableExpression expression = {text, dialect, type};
    BoundStatement *bound = NULL;
    Error reason = {0};
    return text.len == 0 || bind_table_expressions(&context, table, &expression, 1, arena, &bound, &reason) == ERR_OK;
}

/* Does an expression or the predicate of the index read what `without` lacks? */
static bool index_reads_more(Statement *statement, const TableDef *without, const IndexDef *index, Arena *arena) {
    bool binds = text_binds(statement, without, index->predicate_text, index->dialect, type_of(TYPE_BOOL), arena);
    for (uint16_t k = 0; k < index->key_count && binds; k++) {
        int number = table_column_by_id(without, index->keys[k].column_id);
        binds = index->keys[k].text.len == 0 || text_binds(statement, without, index->keys[k].text, index->dialect, without->columns[number].type, arena);
    }
    return !binds;
}

ErrorCode statement__drop_reading_indexes(Statement *statement, const TableDef **table, Str name, bool cascade, Error *err) {
    int number = table_column_find(*table, name);
    if (number < 0 || (*table)->computed_count == 0) {
        return ERR_OK;
    }
    Arena arena;
    arena_init(&arena, STATEMENT_ARENA_BYTES_MAX);
    TableDef without = **table;
    uint32_t stored = (uint32_t)without.column_count + without.computed_count;
    without.columns = arena_array(&arena, ColumnDef, stored + 1);
    memcpy(without.columns, (*table)->columns, sizeof(ColumnDef) * (size_t)number);
    memcpy(without.columns + number, (*table)->columns + number + 1, sizeof(ColumnDef) * (stored - (size_t)number - 1));
    without.column_count--;
    without.designated = -1;
    uint32_t reading = 0;
    for (uint16_t i = 0; i < without.index_count && reading == 0; i++) {
        const IndexDef *index = &without.indexes[i];
        reading = index->constraint_id == 0 && index_reads_more(statement, &without, index, &arena) ? index->id : 0;
    }
    arena_deinit(&arena);
    if (reading == 0) {
        return ERR_OK;
    }
    TRY(txn_index_drop(statement__txn(statement), *table, reading, cascade, table, err));
    return statement__drop_reading_indexes(statement, table, name, cascade, err); /* of the version that it made */
}

/* Checks and index expressions read the column: rows are looked at with its new values, and written with new values of the expressions. */
ErrorCode statement__column_retyped(Statement *statement, const TableDef *table, Str name, Error *err) {
    uint16_t number = 0;
    TRY(number_of(table, name, ERROR_NO_POSITION, &number, err));
    TRY(statement__check_texts(statement, table, err));
    TRY(table->computed_count > 0 ? write_rows_anew(statement, table, err) : ERR_OK);
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        const ConstraintDef *constraint = &table->constraints[i];
        bool reads = false;
        for (uint16_t k = 0; k < constraint->column_count; k++) {
            reads = reads || constraint->column_ids[k] == table->columns[number].id;
        }
        TRY(reads && constraint->kind == CONSTRAINT_CHECK && constraint->validated ? check_rows(statement, table, constraint, err) : ERR_OK);
    }
    return ERR_OK;
}

ErrorCode statement__create_index(Statement *statement, Error *err) {
    BoundStatement *bound = statement->bound;
    const TableDef *table = bound->table;
    uint32_t index_id = 0;
    statement__tag(statement, "CREATE INDEX");
    if (bound->already_there) {
        return ERR_OK;
    }
    TRY(txn_index_create(statement__txn(statement), table, &bound->index, &table, &index_id, err));
    return bound->index.computed_count > 0 ? write_rows_anew(statement, table, err) : ERR_OK;
}

ErrorCode statement__drop_index(Statement *statement, Error *err) {
    BoundStatement *bound = statement->bound;
    Txn *txn = statement__txn(statement);
    statement__tag(statement, "DROP INDEX");
    for (uint32_t i = 0; i < bound->table_count; i++) {
        const TableDef *table = txn_catalog(txn)->table_by_id(txn_catalog(txn), bound->tables[i]->id);
        if (table == NULL) {
            return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "a table was dropped by another transaction");
        }
        if (table_index_by_id(table, bound->index_ids[i]) != NULL) { /* else it stood twice in the list */
            TRY(txn_index_drop(txn, table, bound->index_ids[i], bound->cascade, &table, err));
        }
    }
    return ERR_OK;
}

ErrorCode statement__alter_index(Statement *statement, Error *err) {
    BoundStatement *bound = statement->bound;
    statement__tag(statement, "ALTER INDEX");
    if (bound->table == NULL) {
        session_notice(statement->session, NOTICE_NOTICE, "00000", "relation \"%.*s\" does not exist, skipping", STR_ARG(bound->name));
        return ERR_OK;
    }
    return txn_index_rename(statement__txn(statement), bound->table, bound->index_ids[0], bound->name, err);
}
