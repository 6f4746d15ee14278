/* SPDX-License-Identifier: Apache-2.0
 * bind_sequence.c - sequences in expressions and columns: nextval('s'), serial types, identity columns, what INSERT may give them.
 *
 * Why:   a name in nextval('s') is looked up now, so that the call holds the sequence's oid whatever the search path is later.
 * Tests: test/sql/sequence.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"
#include "sql/system/oid.h"

/* ---------------------------------------------------------------- names in strings */

/* One part of 'a."B c"': folded without quotes. */
static Str take_part(Binder *b, Str text, size_t *at) {
    char *out = arena_alloc_aligned(b->arena, text.len + 1, 1);
    size_t len = 0;
    bool quoted = *at < text.len && text.data[*at] == '"';
    *at += quoted;
    while (*at < text.len) {
        char c = text.data[*at];
        if (quoted && c == '"') {
            if (*at + 1 >= text.len || text.data[*at + 1] != '"') {
                ++*at;
                break;
            }
            ++*at;
        } else if (!quoted && c == '.') {
            break;
        }
        out[len++] = quoted ? c : char_lower(c);
        ++*at;
    }
    return (Str){out, len};
}

const CatalogObject *relation_named(Binder *b, const AstNames *names) {
    CatalogView *catalog = b->context->catalog;
    const AstName *name = &names->parts[names->count - 1];
    if (catalog->relation_find == NULL) {
        return NULL; /* a view of tables alone */
    }
    const CatalogObject *object = catalog->relation_find(catalog, names->count >= 2 ? names->parts[names->count - 2].text : (Str){0}, name->text);
    return object != NULL && name->quoted && !str_equal(object->name, name->text) ? NULL : object;
}

static bool is_blank_name(Str text) {
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        quoted ^= text.data[i] == '"';
        if (!quoted && (text.data[i] == ' ' || text.data[i] == '\t')) {
            return true;
        }
    }
    return text.len == 0;
}

ErrorCode relation_of_text(Binder *b, Str text, int64_t position, const CatalogObject **object_out) {
    enum { PARTS_MAX = 8 };
    AstName parts[PARTS_MAX];
    AstNames names = {.parts = parts};
    const TableDef *indexed = NULL;
    if (is_blank_name(text)) {
        return error_set(b->err, ERR_INVALID_NAME, position, "invalid name syntax");
    }
    for (size_t at = 0; names.count == 0 || (at < text.len && text.data[at] == '.' && names.count < PARTS_MAX); names.count++) {
        at += names.count > 0;
        parts[names.count] = (AstName){.text = take_part(b, text, &at), .quoted = true};
    }
    ErrorCode code = relation_name_parts(&names, b->context->environment->database_name, b->err);
    if (code != ERR_OK) {
        b->err->position = position;
        return code;
    }
    *object_out = relation_named(b, &names);
    if (*object_out != NULL) {
        return ERR_OK;
    }
    if (relation_index_find(b->context->catalog, b->context->environment, &names, &indexed) != NULL) {
        error_ignore(error_set(b->err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "cannot open relation \"%.*s\"", STR_ARG(parts[names.count - 1].text)));
        return error_add(b->err, 'D', "This operation is not supported for indexes.");
    }
    return error_set(b->err, ERR_UNDEFINED_TABLE, position, "relation \"%.*s\" does not exist", STR_ARG(text));
}

static bool constant_text(const Expr *expr, Str *text_out) {
    if (expr->kind == EXPR_CALL && expr->type.id == TYPE_REGCLASS && expr->arg_count == 1) {
        return constant_text(expr->args[0], text_out); /* 's'::regclass */
    }
    bool text = expr->kind == EXPR_CONSTANT && !expr->as.value.is_null && type_physical((TypeId)expr->type.id) == PHYS_STR;
    if (text) {
        *text_out = strref_str(&expr->as.value.as.str);
    }
    return text;
}

/* ---------------------------------------------------------------- calls */

static const Expr *oid_constant(Binder *b, uint32_t id, int64_t position) {
    uint32_t oid = OBJECT_OID_BASE + id;
    Value value = {.type = type_of(TYPE_REGCLASS)};
    memcpy(value.as.bytes, &oid, sizeof oid);
    return expr_constant(b, &value, position);
}

static ErrorCode sequence_argument(Binder *b, const Expr **arg) {
    Str text = {0};
    if (!constant_text(*arg, &text)) {
        return ERR_OK;
    }
    const CatalogObject *object = NULL;
    TRY(relation_of_text(b, text, (*arg)->position, &object));
    if (object->kind != OBJECT_SEQUENCE) {
        error_ignore(error_set(b->err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "cannot open relation \"%.*s\"", STR_ARG(object->name)));
        return error_add(b->err, 'D', "This operation is not supported for %s.", relation_kind_plural(object));
    }
    TRY(check_privilege(b, object, PRIVILEGE_USAGE | PRIVILEGE_UPDATE));
    *arg = oid_constant(b, object->id, (*arg)->position);
    return ERR_OK;
}

static ErrorCode sequence_call(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    if (count > 0) {
        TRY(sequence_argument(b, &args[0]));
    }
    return call_function(b, name, args, count, position, false, expr_out);
}

ErrorCode call_nextval(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return sequence_call(b, STR("nextval"), args, count, position, expr_out);
}

ErrorCode call_currval(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return sequence_call(b, STR("currval"), args, count, position, expr_out);
}

ErrorCode call_setval(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    return sequence_call(b, STR("setval"), args, count, position, expr_out);
}

ErrorCode sequence_next(Binder *b, uint32_t sequence_id, int64_t position, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = oid_constant(b, sequence_id, position);
    return call_function(b, STR("nextval"), args, 1, position, false, expr_out);
}

/* SELECT ... FROM a sequence: one row. */
ErrorCode bind_sequence_rel(Binder *b, const CatalogObject *sequence, int64_t position, Rel **rel_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    const Expr **cells = arena_array(b->arena, const Expr *, 3);
    args[0] = oid_constant(b, sequence->id, position);
    TRY(call_function(b, STR("sequence_value"), args, 1, position, false, &cells[0]));
    Value zero = {.type = type_of(TYPE_INT8)};
    cells[1] = expr_constant(b, &zero, position);
    TRY(call_function(b, STR("sequence_called"), args, 1, position, false, &cells[2]));
    TRY(rel_new(b, REL_VALUES, 3, position, rel_out));
    static const Str names[] = {{"last_value", 10}, {"log_cnt", 7}, {"is_called", 9}};
    RelColumn *out = rel_columns(*rel_out);
    for (int i = 0; i < 3; i++) {
        out[i].type = cells[i]->type;
        out[i].name = names[i];
    }
    (*rel_out)->as.values.exprs = cells;
    (*rel_out)->as.values.row_count = 1;
    return ERR_OK;
}

/* ---------------------------------------------------------------- columns */

static void add_sequence(Binder *b, BoundStatement *bound, ColumnSequence sequence) {
    ColumnSequence *wider = arena_array(b->arena, ColumnSequence, bound->sequence_count + 1);
    if (bound->sequence_count > 0) {
        memcpy(wider, bound->sequences, sizeof *wider * bound->sequence_count);
    }
    wider[bound->sequence_count++] = sequence;
    bound->sequences = wider;
}

bool bind_serial(Binder *b, const AstType *ast, uint16_t number, BoundStatement *bound, ColumnDef *column) {
    static const struct { Str name; TypeId type; } names[] = {
        {{"serial", 6}, TYPE_INT4},    {{"serial4", 7}, TYPE_INT4},     {{"bigserial", 9}, TYPE_INT8},
        {{"serial8", 7}, TYPE_INT8},   {{"smallserial", 11}, TYPE_INT2}, {{"serial2", 7}, TYPE_INT2},
    };
    for (size_t i = 0; ast->name.count == 1 && ast->array_dimensions == 0 && i < COUNT_OF(names); i++) {
        if (str_equal_ignore_case(ast->name.parts[0].text, names[i].name)) {
            column->type = type_of(names[i].type);
            column->not_null = true;
            add_sequence(b, bound, (ColumnSequence){.column = number, .type = (uint8_t)names[i].type});
            return true;
        }
    }
    return false;
}

ErrorCode bind_identity(Binder *b, const AstConstraint *constraint, uint16_t number, BoundStatement *bound, ColumnDef *column) {
    if (column->type.id != TYPE_INT2 && column->type.id != TYPE_INT4 && column->type.id != TYPE_INT8) {
        return error_set(b->err, ERR_INVALID_PARAMETER, constraint->span.at, "identity column type must be smallint, integer, or bigint");
    }
    column->identity = constraint->always ? IDENTITY_ALWAYS : IDENTITY_BY_DEFAULT;
    column->not_null = true;
    add_sequence(b, bound, (ColumnSequence){.column = number, .type = column->type.id, .identity = true, .options = constraint->sequence});
    return ERR_OK;
}

Str bind_sequence_default(CatalogView *catalog, const CatalogObject *sequence, Arena *arena) {
    Buffer text;
    buffer_init(&text, 4096);
    buffer_append_str(&text, STR("nextval('"));
    const CatalogObject *schema = catalog->object_by_id(catalog, sequence->schema_id);
    if (schema != NULL && schema->id != SCHEMA_PUBLIC_ID) {
        sql_deparse_name(schema->name, DIALECT_POSTGRES, &text);
        buffer_append_str(&text, STR("."));
    }
    sql_deparse_name(sequence->name, DIALECT_POSTGRES, &text);
    buffer_append_str(&text, STR("'::regclass)"));
    Str copy = arena_str(arena, buffer_str(&text));
    buffer_deinit(&text);
    return copy;
}

/* DEFAULT nextval('s') keeps the sequence's id beside the text. */
void note_default_sequence(Binder *b, const Expr *expr, ColumnDef *column) {
    while (expr->kind == EXPR_CALL && expr->arg_count == 1 && str_equal(str_from_c(expr->as.call.function->name), STR("nextval")) == false &&
           expr->args[0]->kind == EXPR_CALL) {
        expr = expr->args[0]; /* the cast to the column's type */
    }
    bool next = expr->kind == EXPR_CALL && str_equal(str_from_c(expr->as.call.function->name), STR("nextval"));
    if (!next || expr->args[0]->kind != EXPR_CONSTANT) {
        return;
    }
    uint32_t oid = 0;
    memcpy(&oid, expr->args[0]->as.value.as.bytes, sizeof oid);
    CatalogView *catalog = b->context->catalog;
    const CatalogObject *sequence = oid > OBJECT_OID_BASE ? catalog->object_by_id(catalog, oid - OBJECT_OID_BASE) : NULL;
    if (sequence != NULL) {
        column->sequence_id = sequence->id;
        column->default_text = bind_sequence_default(catalog, sequence, b->arena);
        column->default_dialect = DIALECT_POSTGRES;
    }
}

/* ---------------------------------------------------------------- INSERT and UPDATE of identity columns */

ErrorCode check_privilege(Binder *b, const CatalogObject *object, uint32_t privileges) {
    CatalogView *catalog = b->context->catalog;
    if (b->role_id == 0) {
        return ERR_OK;
    }
    const CatalogObject *schema = object->schema_id == 0 ? NULL : catalog->object_by_id(catalog, object->schema_id);
    if (schema != NULL && !str_starts_with(schema->name, STR("pg_temp_")) &&
        (catalog_privileges(catalog, b->role_id, OBJECT_SCHEMA, schema->id, false) & PRIVILEGE_USAGE) == 0) {
        return error_set(b->err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for schema %.*s", STR_ARG(schema->name));
    }
    if ((catalog_privileges(catalog, b->role_id, object->kind, object->id, false) & privileges) != 0) {
        return ERR_OK;
    }
    return error_set(b->err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for %s %.*s", object_kind_name(object->kind), STR_ARG(object->name));
}

ErrorCode check_table(Binder *b, const TableDef *table, uint32_t privileges) {
    CatalogView *catalog = b->context->catalog;
    const CatalogObject *object = b->role_id == 0 ? NULL : catalog->object_by_id(catalog, table->id);
    if (table_is_system(table->id) && privileges != PRIVILEGE_SELECT) {
        return error_set(b->err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied: \"%.*s\" is a system catalog", STR_ARG(table->name));
    }
    if (object == NULL) {
        return ERR_OK; /* a superuser, or a relation of the system */
    }
    if (privileges != 0) {
        return check_privilege(b, object, privileges);
    }
    return catalog_owns(catalog, b->role_id, object->id)
               ? ERR_OK
               : error_set(b->err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be owner of table %.*s", STR_ARG(object->name));
}

ErrorCode check_identity(Binder *b, const ColumnDef *column, const AstExpr *value, bool overriding, int64_t position) {
    if (column->identity != IDENTITY_ALWAYS || overriding || (value != NULL && value->kind == AST_DEFAULT)) {
        return ERR_OK;
    }
    error_ignore(error_set(b->err, ERR_GENERATED_ALWAYS, b->dialect == DIALECT_POSTGRES ? ERROR_NO_POSITION : position, "cannot insert a non-DEFAULT value into column \"%.*s\"", STR_ARG(column->name)));
    error_ignore(error_add(b->err, 'D', "Column \"%.*s\" is an identity column defined as GENERATED ALWAYS.", STR_ARG(column->name)));
    return error_add(b->err, 'H', "Use OVERRIDING SYSTEM VALUE to override.");
}

ErrorCode check_identity_update(Binder *b, const ColumnDef *column, const AstExpr *value) {
    if (column->identity != IDENTITY_ALWAYS || value->kind == AST_DEFAULT) {
        return ERR_OK;
    }
    error_ignore(error_set(b->err, ERR_GENERATED_ALWAYS, b->dialect == DIALECT_POSTGRES ? (int64_t)ERROR_NO_POSITION : (int64_t)value->span.at, "column \"%.*s\" can only be updated to DEFAULT", STR_ARG(column->name)));
    return error_add(b->err, 'D', "Column \"%.*s\" is an identity column defined as GENERATED ALWAYS.", STR_ARG(column->name));
}
