/* SPDX-License-Identifier: Apache-2.0
 * sequence.c - CREATE and ALTER SEQUENCE, sequences of serial and identity columns, RESTART.
 *
 * Tests: test/sql/sequence.slt */
#include "ddl/ddl_internal.h"

enum { SEQUENCE_NAME_TRIES_MAX = 10000 };

/* ---- options ---- */

static int64_t type_minimum(uint8_t type) { return type == TYPE_INT2 ? INT16_MIN : type == TYPE_INT4 ? INT32_MIN : INT64_MIN; }
static int64_t type_maximum(uint8_t type) { return type == TYPE_INT2 ? INT16_MAX : type == TYPE_INT4 ? INT32_MAX : INT64_MAX; }
static const char *type_text(uint8_t type) { return type == TYPE_INT2 ? "smallint" : type == TYPE_INT4 ? "integer" : "bigint"; }

static ErrorCode take_type(const AstSequenceOptions *options, uint8_t *type_out, Error *err) {
    static const struct { Str name; TypeId type; } names[] = {
        {{"smallint", 8}, TYPE_INT2}, {{"int2", 4}, TYPE_INT2}, {{"integer", 7}, TYPE_INT4}, {{"int", 3}, TYPE_INT4},
        {{"int4", 4}, TYPE_INT4},     {{"bigint", 6}, TYPE_INT8}, {{"int8", 4}, TYPE_INT8},
    };
    const AstNames *name = &options->type->name;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (str_equal_ignore_case(name->parts[name->count - 1].text, names[i].name)) {
            *type_out = (uint8_t)names[i].type;
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "sequence type must be smallint, integer, or bigint");
}

static void take_bounds(const AstSequenceOptions *options, bool fresh, SequenceBody *body) {
    bool up = body->increment > 0;
    bool no_minimum = (options->given & AST_SEQUENCE_NO_MINIMUM) != 0 || (fresh && (options->given & AST_SEQUENCE_MINIMUM) == 0);
    bool no_maximum = (options->given & AST_SEQUENCE_NO_MAXIMUM) != 0 || (fresh && (options->given & AST_SEQUENCE_MAXIMUM) == 0);
    body->minimum = no_minimum ? up ? 1 : type_minimum(body->type) : body->minimum;
    body->maximum = no_maximum ? up ? type_maximum(body->type) : -1 : body->maximum;
    body->minimum = (options->given & AST_SEQUENCE_MINIMUM) != 0 ? options->minimum : body->minimum;
    body->maximum = (options->given & AST_SEQUENCE_MAXIMUM) != 0 ? options->maximum : body->maximum;
}

static ErrorCode check_bounds(const SequenceBody *body, Error *err) {
    if (body->increment == 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "INCREMENT must not be zero");
    }
    if (body->minimum < type_minimum(body->type) || body->maximum > type_maximum(body->type)) {
        bool low = body->minimum < type_minimum(body->type);
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%s (%lld) is out of range for sequence data type %s", low ? "MINVALUE" : "MAXVALUE",
                         (long long)(low ? body->minimum : body->maximum), type_text(body->type));
    }
    if (body->minimum >= body->maximum) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "MINVALUE (%lld) must be less than MAXVALUE (%lld)", (long long)body->minimum,
                         (long long)body->maximum);
    }
    if (body->start < body->minimum || body->start > body->maximum) {
        bool low = body->start < body->minimum;
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "START value (%lld) cannot be %s than %s (%lld)", (long long)body->start,
                         low ? "less" : "greater", low ? "MINVALUE" : "MAXVALUE", (long long)(low ? body->minimum : body->maximum));
    }
    if (body->cache < 1) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "CACHE (%lld) must be greater than zero", (long long)body->cache);
    }
    return ERR_OK;
}

static ErrorCode take_options(const AstSequenceOptions *options, bool fresh, SequenceBody *body, Error *err) {
    uint8_t old_type = body->type;
    if ((options->given & AST_SEQUENCE_TYPE) != 0) {
        TRY(take_type(options, &body->type, err));
        bool up = body->increment > 0; /* bounds that were the old type's go with it */
        body->maximum = !fresh && up && body->maximum == type_maximum(old_type) ? type_maximum(body->type) : body->maximum;
        body->minimum = !fresh && !up && body->minimum == type_minimum(old_type) ? type_minimum(body->type) : body->minimum;
    }
    body->increment = (options->given & AST_SEQUENCE_INCREMENT) != 0 ? options->increment : body->increment;
    body->cache = (options->given & AST_SEQUENCE_CACHE) != 0 ? options->cache : body->cache;
    body->cycle = (options->given & AST_SEQUENCE_CYCLE) != 0 || (body->cycle && (options->given & AST_SEQUENCE_NO_CYCLE) == 0);
    take_bounds(options, fresh, body);
    if ((options->given & AST_SEQUENCE_START) != 0) {
        body->start = options->start;
    } else if (fresh) {
        body->start = body->increment > 0 ? body->minimum : body->maximum;
    }
    return check_bounds(body, err);
}

static void fresh_body(Ddl *ddl, uint8_t type, SequenceBody *body) {
    *body = (SequenceBody){.type = type, .increment = 1, .cache = 1, .state_id = txn_object_new_id(ddl->txn)};
}

static Bytes encode(Ddl *ddl, const SequenceBody *body) {
    Buffer out;
    buffer_init(&out, 4096);
    sequence_body_encode(body, &out);
    return ddl__bytes(ddl, &out);
}

/* ---- OWNED BY ---- */

static ErrorCode take_owner(Ddl *ddl, const AstSequenceOptions *options, CatalogObject *def, Error *err) {
    const AstNames *names = &options->owned_by;
    if ((options->given & AST_SEQUENCE_OWNED) == 0) {
        return ERR_OK;
    }
    def->parent_id = def->parent_column = 0;
    if (names->count == 0) {
        return ERR_OK;
    }
    if (names->count < 2) {
        error_ignore(error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "invalid OWNED BY option"));
        return error_add(err, 'H', "Specify OWNED BY table.column or OWNED BY NONE.");
    }
    AstNames table_name = {names->parts, names->count - 1, names->span};
    const CatalogObject *object = NULL;
    TRY(ddl__find(ddl, OBJECT_TABLE, &table_name, FIND, &object, err));
    const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, object->id);
    Str column = names->parts[names->count - 1].text;
    int number = table_column_find(table, column);
    if (number < 0) {
        return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" of relation \"%.*s\" does not exist", STR_ARG(column), STR_ARG(table->name));
    }
    if (object->schema_id != def->schema_id) {
        return error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "sequence must be in same schema as table it is linked to");
    }
    def->parent_id = table->id;
    def->parent_column = table->columns[number].id;
    return ERR_OK;
}

/* ---- statements ---- */

/* Into the session's own schema. */
static ErrorCode place_temporary(Ddl *ddl, const AstNames *names, CatalogObject *def, Error *err) {
    Str temp_name = ddl->environment->temp_schema_name;
    const CatalogObject *temp = temp_name.len == 0 ? NULL : ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, temp_name);
    if (temp == NULL) {
        return ddl__not_supported(names->span.at, err, "a TEMPORARY sequence without a session");
    }
    if (names->count > 1 && !str_equal(names->parts[names->count - 2].text, STR("pg_temp")) && !str_equal(names->parts[names->count - 2].text, temp_name)) {
        return error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "cannot create temporary relation in non-temporary schema");
    }
    def->schema_id = temp->id;
    def->name = names->parts[names->count - 1].text;
    return ERR_OK;
}

static ErrorCode create_sequence(Ddl *ddl, const AstSequence *ast, Error *err) {
    CatalogObject def = {.kind = OBJECT_SEQUENCE};
    SequenceBody body;
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE SEQUENCE");
    TRY(ast->temporary ? place_temporary(ddl, &ast->name, &def, err) : ddl__place(ddl, &ast->name, &def.schema_id, &def.name, err));
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_NONE, def.schema_id, def.name);
    if (old != NULL && ast->if_not_exists) {
        ddl_notice(ddl, "42P07", "relation \"%.*s\" already exists, skipping", STR_ARG(def.name));
        return ERR_OK;
    }
    fresh_body(ddl, TYPE_INT8, &body);
    TRY(take_options(&ast->options, true, &body, err));
    body.restart = body.start;
    TRY(take_owner(ddl, &ast->options, &def, err));
    def.body = encode(ddl, &body);
    TRY(txn_object_create(ddl->txn, &def, &id, err));
    return ddl_created(ddl, id, err);
}

/* New bounds must hold the value that was given last. */
static ErrorCode check_place(const SequenceBody *body, int64_t last, Error *err) {
    if (last >= body->minimum && last <= body->maximum) {
        return ERR_OK;
    }
    bool low = last < body->minimum;
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "RESTART value (%lld) cannot be %s than %s (%lld)", (long long)last, low ? "less" : "greater",
                     low ? "MINVALUE" : "MAXVALUE", (long long)(low ? body->minimum : body->maximum));
}

static ErrorCode alter_sequence(Ddl *ddl, const AstSequence *ast, Error *err) {
    const CatalogObject *object = NULL;
    SequenceBody body;
    int64_t last = 0;
    bool called = false;
    ddl__tag(ddl, "ALTER SEQUENCE");
    TRY(ddl__find(ddl, OBJECT_SEQUENCE, &ast->name, ast->if_exists ? FIND_IF_EXISTS : FIND, &object, err));
    if (object == NULL) {
        return ERR_OK;
    }
    TRY(ddl__must_own(ddl, object, err));
    TRY(sequence_body_decode(object->body, &body, err));
    TRY(txn_sequence_read(ddl->txn, object->id, &last, &called, err));
    TRY(take_options(&ast->options, false, &body, err));
    CatalogObject def = *object;
    TRY(take_owner(ddl, &ast->options, &def, err));
    if ((ast->options.given & AST_SEQUENCE_RESTART) != 0) {
        body.restart = (ast->options.given & AST_SEQUENCE_RESTART_WITH) != 0 ? ast->options.restart : body.start;
        body.restart_called = false;
        body.state_id = txn_object_new_id(ddl->txn);
        last = body.restart;
    }
    TRY(check_place(&body, last, err));
    def.body = encode(ddl, &body);
    return txn_object_replace(ddl->txn, &def, err);
}

ErrorCode ddl__sequence(Ddl *ddl, const AstSequence *ast, Error *err) {
    return ast->alter ? alter_sequence(ddl, ast, err) : create_sequence(ddl, ast, err);
}

/* ---- columns ---- */

/* table_column_seq, cut to 63 bytes as PostgreSQL does, with a number behind it where that is taken. */
static Str free_name(Ddl *ddl, uint32_t schema_id, Str table, Str column) {
    enum { NAME_BYTES = 63, TAIL_BYTES = 5 };
    for (int i = 0; i < SEQUENCE_NAME_TRIES_MAX; i++) {
        Str tail = i == 0 ? STR("seq") : arena_format(ddl->arena, "seq%d", i);
        size_t room = NAME_BYTES - 2 - tail.len;
        size_t table_len = table.len, column_len = column.len;
        while (table_len + column_len > room) { /* the longer one gives way */
            *(table_len > column_len ? &table_len : &column_len) -= 1;
        }
        Str name = arena_format(ddl->arena, "%.*s_%.*s_%.*s", (int)table_len, table.data, (int)column_len, column.data, STR_ARG(tail));
        if (ddl->catalog->object_find(ddl->catalog, OBJECT_NONE, schema_id, name) == NULL) {
            return name;
        }
    }
    return arena_format(ddl->arena, "seq_%u", txn_object_new_id(ddl->txn));
}

ErrorCode ddl__column_sequence(Ddl *ddl, const ColumnSequence *sequence, CatalogObject *def, Str table_name, ColumnDef *column, Error *err) {
    static const AstSequenceOptions no_options = {0};
    SequenceBody body;
    const AstSequenceOptions *options = sequence->options != NULL ? sequence->options : &no_options;
    fresh_body(ddl, sequence->type, &body);
    body.internal = sequence->identity;
    TRY(take_options(options, true, &body, err));
    body.restart = body.start;
    def->body = encode(ddl, &body);
    bool named = (options->given & AST_SEQUENCE_NAME) != 0;
    def->name = named ? options->name.parts[options->name.count - 1].text : free_name(ddl, def->schema_id, table_name, column->name);
    uint32_t id = 0;
    TRY(txn_object_create(ddl->txn, def, &id, err));
    TRY(ddl_created(ddl, id, err));
    column->sequence_id = id;
    const CatalogObject *made = ddl->catalog->object_by_id(ddl->catalog, id);
    column->default_text = sequence->identity ? (Str){0} : bind_sequence_default(ddl->catalog, made, ddl->arena);
    column->default_dialect = DIALECT_POSTGRES;
    return ERR_OK;
}

ErrorCode ddl_table_sequences(Ddl *ddl, TableSpec *spec, const ColumnSequence *sequences, uint32_t count, Error *err) {
    if (count == 0) {
        return ERR_OK;
    }
    Str schema_name = spec->schema_name.len > 0 ? spec->schema_name : STR("public");
    const CatalogObject *schema = ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, schema_name);
    if (schema == NULL) {
        return error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(schema_name));
    }
    ColumnDef *columns = arena_array(ddl->arena, ColumnDef, spec->column_count);
    memcpy(columns, spec->columns, sizeof *columns * spec->column_count);
    spec->id = txn_object_new_id(ddl->txn);
    for (uint32_t i = 0; i < count; i++) {
        CatalogObject def = {.kind = OBJECT_SEQUENCE, .schema_id = schema->id, .parent_id = spec->id, .parent_column = sequences[i].column + 1u};
        TRY(ddl__column_sequence(ddl, &sequences[i], &def, spec->name, &columns[sequences[i].column], err));
    }
    spec->columns = columns;
    return ERR_OK;
}

ErrorCode ddl_restart_sequences(Ddl *ddl, const TableDef *table, Error *err) {
    const CatalogObject *sequence = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_SEQUENCE, &cursor, &sequence);) {
        SequenceBody body;
        if (sequence->parent_id != table->id) {
            continue;
        }
        TRY(sequence_body_decode(sequence->body, &body, err));
        body.restart = body.start;
        body.restart_called = false;
        body.state_id = txn_object_new_id(ddl->txn);
        CatalogObject def = *sequence;
        def.body = encode(ddl, &body);
        TRY(txn_object_replace(ddl->txn, &def, err));
    }
    return ERR_OK;
}
