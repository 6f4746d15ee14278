/* SPDX-License-Identifier: Apache-2.0
 * statement_ddl.c - statements that change the catalog: one function a kind, each a call or two to the engine. */
#include "session/session_internal.h"
#include <stdio.h>

static ErrorCode create_table(Statement *statement, Error *err) {
    const TableDef *table;
    BoundStatement *bound = statement->bound;
    snprintf(statement->tag, sizeof statement->tag, "CREATE TABLE");
    if (bound->already_there) {
        return ERR_OK;
    }
    TRY(txn_table_create(statement__txn(statement), &bound->spec, &table, err));
    for (uint32_t i = 0; i < bound->constraint_count; i++) {
        TRY(statement__add_constraint(statement, &table, &bound->constraints[i], true, err));
    }
    session__temp_note(statement->session, table, bound->on_commit);
    return ERR_OK;
}

static ErrorCode create_table_as(Statement *statement, Error *err) {
    const TableDef *table;
    BoundStatement *bound = statement->bound;
    snprintf(statement->tag, sizeof statement->tag, "CREATE TABLE AS");
    if (bound->already_there) {
        return ERR_OK;
    }
    TRY(statement__plan(statement, err));
    TRY(txn_table_create(statement__txn(statement), &bound->spec, &table, err));
    session__temp_note(statement->session, table, bound->on_commit);
    RunContext context = statement__run_context(statement);
    TRY(run_insert(statement->plan, &context, table, &statement->affected, err));
    snprintf(statement->tag, sizeof statement->tag, "SELECT %llu", (unsigned long long)statement->affected);
    return ERR_OK;
}

static ErrorCode each_table(Statement *statement, ErrorCode (*change)(Txn *, const TableDef *, Error *), const char *tag, Error *err) {
    for (uint32_t i = 0; i < statement->bound->table_count; i++) {
        TRY(change(statement__txn(statement), statement->bound->tables[i], err));
    }
    snprintf(statement->tag, sizeof statement->tag, "%s", tag);
    return ERR_OK;
}

/* Tables of one statement may name one another: foreign keys among them go first. */
static bool is_listed(const BoundStatement *bound, uint32_t table_id) {
    for (uint32_t i = 0; i < bound->table_count; i++) {
        if (bound->tables[i]->id == table_id) {
            return true;
        }
    }
    return false;
}

static ErrorCode drop_keys_among(Statement *statement, Error *err) {
    const BoundStatement *bound = statement->bound;
    Txn *txn = statement__txn(statement);
    for (uint32_t i = 0; i < bound->table_count; i++) {
        const TableDef *table = bound->tables[i];
        for (uint16_t c = 0; c < bound->tables[i]->constraint_count; c++) {
            const ConstraintDef *constraint = &bound->tables[i]->constraints[c];
            bool inside = constraint->kind == CONSTRAINT_FOREIGN_KEY && constraint->referenced_table_id != table->id && is_listed(bound, constraint->referenced_table_id);
            if (inside) {
                TRY(txn_constraint_drop(txn, table, constraint->id, false, &table, err));
            }
        }
    }
    return ERR_OK;
}

static ErrorCode drop_tables(Statement *statement, Error *err) {
    if (statement->bound->table_count > 1) {
        TRY(drop_keys_among(statement, err));
    }
    return each_table(statement, statement->bound->cascade ? txn_table_drop_cascade : txn_table_drop, "DROP TABLE", err);
}

static ErrorCode alter_one(Statement *statement, const TableDef **table, const AlterAction *action, Error *err) {
    Txn *txn = statement__txn(statement);
    switch (action->kind) {
    case ALTER_ADD_COLUMN: return txn_column_add(txn, *table, &action->column, table, err);
    case ALTER_DROP_COLUMN: return (action->cascade ? txn_column_drop_cascade : txn_column_drop)(txn, *table, action->name, table, err);
    case ALTER_RENAME_COLUMN: return txn_column_rename(txn, *table, action->name, action->new_name, table, err);
    case ALTER_RENAME_TABLE: return txn_table_rename(txn, *table, action->new_name, err);
    case ALTER_SET_DURABILITY: return txn_table_set_durability(txn, *table, action->durability, action->durability_ms, err);
    case ALTER_NOTHING: return ERR_OK;
    default: return statement__alter_part(statement, table, action, err);
    }
}

static ErrorCode alter_table(Statement *statement, Error *err) {
    const TableDef *table = statement->bound->table;
    snprintf(statement->tag, sizeof statement->tag, "ALTER TABLE");
    for (uint32_t i = 0; i < statement->bound->action_count && table != NULL; i++) {
        TRY(alter_one(statement, &table, &statement->bound->actions[i], err));
    }
    return ERR_OK;
}

static ErrorCode rename_table(Statement *statement, Error *err) {
    snprintf(statement->tag, sizeof statement->tag, "RENAME TABLE");
    return txn_table_rename(statement__txn(statement), statement->bound->table, statement->bound->name, err);
}

ErrorCode statement__run_ddl(Statement *statement, Error *err) {
    BoundStatement *bound = statement->bound;
    Txn *txn = statement__txn(statement);
    switch (bound->kind) {
    case STATEMENT_CREATE_TABLE: return create_table(statement, err);
    case STATEMENT_CREATE_TABLE_AS: return create_table_as(statement, err);
    case STATEMENT_DROP_TABLE: return drop_tables(statement, err);
    case STATEMENT_CREATE_INDEX: return statement__create_index(statement, err);
    case STATEMENT_DROP_INDEX: return statement__drop_index(statement, err);
    case STATEMENT_ALTER_INDEX: return statement__alter_index(statement, err);
    case STATEMENT_TRUNCATE: return each_table(statement, txn_table_truncate, "TRUNCATE TABLE", err);
    case STATEMENT_ALTER_TABLE: return alter_table(statement, err);
    case STATEMENT_RENAME_TABLE: return rename_table(statement, err);
    case STATEMENT_CREATE_SCHEMA:
        snprintf(statement->tag, sizeof statement->tag, "CREATE SCHEMA");
        return txn_schema_create(txn, bound->name, bound->if_not_exists, err);
    case STATEMENT_DROP_SCHEMA:
        snprintf(statement->tag, sizeof statement->tag, "DROP SCHEMA");
        return txn_schema_drop(txn, bound->name, bound->if_exists, bound->cascade, err);
    default: return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "statement kind %d is not known here", bound->kind);
    }
}
