/* SPDX-License-Identifier: Apache-2.0
 * statement_info.c - what a caller may ask of a statement, and its parameters. */
#include "session/session_internal.h"

StatementKind statement_kind(const Statement *statement) { return (StatementKind)statement->bound->kind; }

static bool answers_text(const Statement *statement) {
    return statement->bound->kind == STATEMENT_EXPLAIN || (statement->bound->kind == STATEMENT_SHOW && statement->bound->rel == NULL);
}

static bool answers_rel(const Statement *statement) {
    return statement->bound->kind == STATEMENT_SELECT || (statement->bound->kind == STATEMENT_SHOW && statement->bound->rel != NULL);
}

uint32_t statement_column_count(const Statement *statement) {
    if (answers_text(statement)) {
        return 1;
    }
    return answers_rel(statement) ? statement->bound->rel->column_count : 0;
}

const RelColumn *statement_columns(const Statement *statement) {
    static const RelColumn EXPLAIN_COLUMN = {.type = {.id = TYPE_TEXT}, .name = {"QUERY PLAN", 10}, .table_column = -1};
    if (statement->bound->kind == STATEMENT_EXPLAIN) {
        return &EXPLAIN_COLUMN;
    }
    if (answers_text(statement)) {
        Statement *owner = (Statement *)(uintptr_t)statement; /* filled lazily; a statement belongs to one thread */
        owner->rows.column = (RelColumn){.type = type_of(TYPE_TEXT), .name = statement->bound->name, .table_column = -1};
        return &owner->rows.column;
    }
    return answers_rel(statement) ? statement->bound->rel->columns : NULL;
}

int statement_timestamp_index(const Statement *statement) { return answers_rel(statement) ? statement->bound->timestamp_index : -1; }
uint32_t statement_param_count(const Statement *statement) { return statement->bound->param_count; }

const OidNames *statement_oid_names(const Statement *statement) { return &statement->system.names; }

Type statement_param_type(const Statement *statement, uint32_t index) {
    assert(index < statement->bound->param_count);
    return statement->bound->param_types[index];
}

uint64_t statement_affected_rows(const Statement *statement) { return statement->affected; }
Str statement_tag(const Statement *statement) { return str_from_c(statement->tag); }
StatementTimes statement_times(const Statement *statement) { return statement->times; }

static ErrorCode check_index(const Statement *statement, uint32_t index, Error *err) {
    if (index < statement->bound->param_count) {
        return ERR_OK;
    }
    return error_set(err, ERR_UNDEFINED_PARAMETER, ERROR_NO_POSITION, "there is no parameter $%u", index + 1);
}

ErrorCode statement_bind(Statement *statement, uint32_t index, const Value *value, Error *err) {
    TRY(check_index(statement, index, err));
    Value *slot = &statement->params[index];
    if (!value->is_null && value->type.id != slot->type.id) {
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "parameter $%u is of type %s, not %s", index + 1,
                         type_sql_name((TypeId)slot->type.id), type_sql_name((TypeId)value->type.id));
    }
    Type type = slot->type;
    *slot = *value;
    slot->type = type;
    if (!value->is_null && type_physical((TypeId)type.id) == PHYS_STR) {
        Str copy = arena_str(&statement->arena, strref_str(&value->as.str));
        slot->as.str = strref_make(copy.data, copy.len);
    }
    statement->params_set[index] = true;
    return ERR_OK;
}

ErrorCode statement_bind_text(Statement *statement, uint32_t index, Str text, Error *err) {
    TRY(check_index(statement, index, err));
    Value *slot = &statement->params[index];
    Str copy = arena_str(&statement->arena, text);
    TRY(value_parse(slot->type, copy, &statement->environment, &statement->arena, slot->as.bytes, err));
    slot->is_null = false;
    statement->params_set[index] = true;
    return ERR_OK;
}
