/* SPDX-License-Identifier: Apache-2.0
 * statement_info.c - what a caller may ask of a statement, and its parameters. */
#include "session/session_internal.h"

StatementKind statement_kind(const Statement *statement) { return (StatementKind)statement->bound->kind; }

Str statement_text(const Statement *statement) { return statement->text; }

uint32_t statement_column_count(const Statement *statement) {
    uint32_t count;
    (void)compiled__columns(statement->compiled, &count);
    return count;
}

const RelColumn *statement_columns(const Statement *statement) {
    uint32_t count;
    const RelColumn *columns = compiled__columns(statement->compiled, &count);
    return count == 0 ? NULL : columns;
}

int statement_timestamp_index(const Statement *statement) { return statement->bound->rel != NULL ? statement->bound->timestamp_index : -1; }
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
    if (!value->is_null && type.id == TYPE_NUMERIC && value->as.numeric.is_big) {
        Int128 *big = arena_alloc_aligned(&statement->arena, sizeof *big, 16);
        *big = *value->as.numeric.as.big;
        slot->as.numeric.as.big = big;
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
