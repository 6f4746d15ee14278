/* SPDX-License-Identifier: Apache-2.0
 * statement_ddl.c - statements that change the catalog: one function a kind, each a call or two to the engine. */
#include "session/session_internal.h"
#include <stdio.h>

/* The table with its sequences; it belongs to who made it. */
static ErrorCode make_table(Statement *statement, const TableDef **table_out, Error *err) {
    Ddl ddl;
    BoundStatement *bound = statement->bound;
    TableSpec spec = bound->spec;
    statement__ddl(statement, &ddl);
    spec.schema_name = spec.schema_name.len > 0 ? spec.schema_name : ddl.schema_name;
    TRY(ddl_check_schema(&ddl, spec.schema_name, err));
    TRY(ddl_table_sequences(&ddl, &spec, bound->sequences, bound->sequence_count, err));
    TRY(txn_table_create(ddl.txn, &spec, table_out, err));
    return ddl_created(&ddl, (*table_out)->id, err);
}

static ErrorCode create_plain(Statement *statement, Error *err) {
    const TableDef *table;
    BoundStatement *bound = statement->bound;
    TRY(make_table(statement, &table, err));
    for (uint32_t i = 0; i < bound->constraint_count; i++) {
        TRY(statement__add_constraint(statement, &table, &bound->constraints[i], true, err));
    }
    session__temp_note(statement->session, table, bound->on_commit);
    return ERR_OK;
}

static ErrorCode create_as(Statement *statement, Error *err) {
    const TableDef *table;
    BoundStatement *bound = statement->bound;
    TRY(statement__plan(statement, err));
    TRY(make_table(statement, &table, err));
    session__temp_note(statement->session, table, bound->on_commit);
    RunContext context = statement__run_context(statement);
    TRY(statement__unplaced(statement, run_insert(statement->plan, &context, table, &statement->affected, err), err));
    if (!bound->with_no_data) {
        statement__tag_count(statement, "SELECT ", statement->affected);
    }
    return ERR_OK;
}

static ErrorCode create_table(Statement *statement, Error *err) {
    const BoundStatement *bound = statement->bound;
    bool as = bound->kind == STATEMENT_CREATE_TABLE_AS;
    statement__tag(statement, as ? "CREATE TABLE AS" : "CREATE TABLE");
    if (bound->already_there) {
        session_notice(statement->session, NOTICE_NOTICE, "42P07", "relation \"%.*s\" already exists, skipping", STR_ARG(bound->spec.name));
        return ERR_OK;
    }
    return as ? create_as(statement, err) : create_plain(statement, err);
}

/* Rows of other tables that name these would name nothing. */
static ErrorCode check_truncate(Statement *statement, Error *err) {
    const BoundStatement *bound = statement->bound;
    CatalogView *view = txn_catalog(statement__txn(statement));
    const TableDef *other = NULL;
    for (size_t cursor = 0; view->table_next(view, &cursor, &other);) {
        for (uint16_t i = 0; i < other->constraint_count && !bound_lists_table(bound, other->id); i++) {
            const ConstraintDef *constraint = &other->constraints[i];
            if (constraint->kind != CONSTRAINT_FOREIGN_KEY || !bound_lists_table(bound, constraint->referenced_table_id)) {
                continue;
            }
            const TableDef *parent = view->table_by_id(view, constraint->referenced_table_id);
            ErrorCode code = error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "cannot truncate a table referenced in a foreign key constraint");
            error_ignore(error_add(err, 'D', "Table \"%.*s\" references \"%.*s\".", STR_ARG(other->name), STR_ARG(parent->name)));
            error_ignore(error_add(err, 'H', "Truncate table \"%.*s\" at the same time, or use TRUNCATE ... CASCADE.", STR_ARG(other->name)));
            return code;
        }
    }
    return ERR_OK;
}

static ErrorCode truncate_tables(Statement *statement, Error *err) {
    const BoundStatement *bound = statement->bound;
    Ddl ddl;
    TRY(check_truncate(statement, err));
    statement__ddl(statement, &ddl);
    for (uint32_t i = bound->named_count; i < bound->table_count; i++) {
        session_notice(statement->session, NOTICE_NOTICE, "00000", "truncate cascades to table \"%.*s\"", STR_ARG(bound->tables[i]->name));
    }
    for (uint32_t i = 0; i < bound->table_count; i++) {
        TRY(txn_table_truncate(ddl.txn, bound->tables[i], err));
        if (bound->restart_identity) {
            TRY(ddl_restart_sequences(&ddl, bound->tables[i], err));
        }
    }
    statement__tag(statement, "TRUNCATE TABLE");
    return ERR_OK;
}

static ErrorCode drop_column(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Ddl ddl;
    TRY(statement__drop_reading_indexes(statement, table, action->name, action->cascade, err));
    statement__ddl(statement, &ddl);
    return ddl_drop_column(&ddl, *table, action->name, action->cascade, table, err);
}

/* Views and the table's own texts that read the column follow. */
static ErrorCode rename_column(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Ddl ddl;
    statement__ddl(statement, &ddl);
    int number = table_column_find(*table, action->name);
    if (number >= 0) {
        ViewRename rename = {.object_id = (*table)->id, .column_id = (*table)->columns[number].id, .name = action->new_name};
        TRY(ddl_rename_in_views(&ddl, &rename, err));
        TRY(ddl_rename_column_in_texts(&ddl, table, (uint16_t)number, action->new_name, err));
    }
    return txn_column_rename(ddl.txn, *table, action->name, action->new_name, table, err);
}

static ErrorCode rename_relation(Statement *statement, const TableDef *table, Str name, Error *err) {
    Ddl ddl;
    statement__ddl(statement, &ddl);
    ViewRename rename = {.object_id = table->id, .schema_name = table->schema_name, .name = name};
    TRY(ddl_rename_in_views(&ddl, &rename, err));
    return txn_table_rename(ddl.txn, table, name, err);
}

/* The sequence that an action brings, NULL: none. */
static const ColumnSequence *sequence_of(const BoundStatement *bound, const AlterAction *action) {
    const ColumnSequence *sequence = NULL;
    for (uint32_t i = 0; i < bound->sequence_count; i++) {
        sequence = &bound->actions[bound->sequences[i].column] == action ? &bound->sequences[i] : sequence;
    }
    return sequence;
}

static ErrorCode add_column(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Ddl ddl;
    if (!action->fills) {
        return txn_column_add(statement__txn(statement), *table, &action->column, table, err);
    }
    statement__ddl(statement, &ddl);
    return ddl_fill_column(&ddl, action, sequence_of(statement->bound, action), table, err);
}

static ErrorCode change_column(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Ddl ddl;
    statement__ddl(statement, &ddl);
    switch (action->kind) {
    case ALTER_TYPE: break;
    case ALTER_ADD_IDENTITY: return ddl_add_identity(&ddl, action, sequence_of(statement->bound, action), table, err);
    case ALTER_DROP_IDENTITY: return ddl_drop_identity(&ddl, action, table, err);
    default: return ddl_set_default(&ddl, action, table, err);
    }
    TRY(ddl_set_type(&ddl, action, table, err));
    return action->in_place ? ERR_OK : statement__column_retyped(statement, *table, action->name, err);
}

static ErrorCode alter_one(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Txn *txn = statement__txn(statement);
    switch (action->kind) {
    case ALTER_ADD_COLUMN: return add_column(statement, table, action, err);
    case ALTER_SET_DEFAULT:
    case ALTER_ADD_IDENTITY:
    case ALTER_DROP_IDENTITY:
    case ALTER_TYPE: return change_column(statement, table, action, err);
    case ALTER_DROP_COLUMN: return drop_column(statement, table, action, err);
    case ALTER_RENAME_COLUMN: return rename_column(statement, table, action, err);
    case ALTER_RENAME_TABLE: return rename_relation(statement, *table, action->new_name, err);
    case ALTER_SET_DURABILITY: return txn_table_set_durability(txn, *table, action->durability, action->durability_ms, err);
    case ALTER_NOTHING:
        if (action->notice != NULL) {
            session_notice(statement->session, NOTICE_NOTICE, "00000", "%s", action->notice);
        }
        return ERR_OK;
    default: return statement__alter_part(statement, table, action, err);
    }
}

static ErrorCode alter_table(Statement *statement, Error *err) {
    const TableDef *table = statement->bound->table;
    statement__tag(statement, "ALTER TABLE");
    if (table == NULL) {
        session_notice(statement->session, NOTICE_NOTICE, "00000", "relation \"%.*s\" does not exist, skipping", STR_ARG(statement->bound->name));
        return ERR_OK;
    }
    for (uint32_t i = 0; i < statement->bound->action_count && table != NULL; i++) {
        TRY(alter_one(statement, &table, &statement->bound->actions[i], err));
    }
    return table != NULL ? statement__check_texts(statement, table, err) : ERR_OK;
}

static ErrorCode rename_table(Statement *statement, Error *err) {
    statement__tag(statement, "RENAME TABLE");
    return rename_relation(statement, statement->bound->table, statement->bound->name, err);
}

ErrorCode statement__run_ddl(Statement *statement, Error *err) {
    BoundStatement *bound = statement->bound;
    TRY(statement__check_cursors(statement, err));
    switch (bound->kind) {
    case STATEMENT_CREATE_TABLE:
    case STATEMENT_CREATE_TABLE_AS: return create_table(statement, err);
    case STATEMENT_OBJECT: return statement__run_object(statement, err);
    case STATEMENT_TRUNCATE: return truncate_tables(statement, err);
    case STATEMENT_CREATE_INDEX: return statement__create_index(statement, err);
    case STATEMENT_DROP_INDEX: return statement__drop_index(statement, err);
    case STATEMENT_ALTER_INDEX: return statement__alter_index(statement, err);
    case STATEMENT_ALTER_TABLE: return alter_table(statement, err);
    case STATEMENT_RENAME_TABLE: return rename_table(statement, err);
    default: return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "statement kind %d is not known here", bound->kind);
    }
}
