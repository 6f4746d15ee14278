/* SPDX-License-Identifier: Apache-2.0
 * prepared.c - statements kept by name: PREPARE, EXECUTE, DEALLOCATE, and the prepared statements of doors. Both share one space of names.
 *
 * Tests: test/unit/session/test_session.c, test/sql/session.slt */
#include "session/session_internal.h"

static Prepared *find_prepared(const Session *session, Str name) {
    uint64_t pointer = 0;
    return strmap_get(&session->prepared, name, &pointer) ? (Prepared *)(uintptr_t)pointer : NULL;
}

static void free_prepared(Session *session, Prepared *prepared) {
    Prepared **link = &session->prepared_first;
    while (*link != prepared) {
        link = &(*link)->next;
    }
    *link = prepared->next;
    (void)strmap_remove(&session->prepared, prepared->name);
    compiled__release(prepared->compiled);
    mem_free((void *)(uintptr_t)prepared->name.data);
    mem_free(prepared->parameter_oids);
    mem_free(prepared);
}

bool session_prepared_drop(Session *session, Str name) {
    Prepared *prepared = find_prepared(session, name);
    if (prepared != NULL) {
        free_prepared(session, prepared);
    }
    return prepared != NULL;
}

void session_prepared_drop_all(Session *session) {
    while (session->prepared_first != NULL) {
        free_prepared(session, session->prepared_first);
    }
}

static void keep(Session *session, Str name, Compiled *compiled, bool from_sql) {
    Prepared *prepared = mem_calloc(1, sizeof *prepared);
    char *text = mem_alloc(name.len + 1);
    memcpy(text, name.len > 0 ? name.data : "", name.len);
    *prepared = (Prepared){.name = {text, name.len}, .compiled = compiled, .prepared_micros = session__wall_micros(session), .from_sql = from_sql,
                           .next = session->prepared_first};
    uint32_t count = compiled->bound->param_count;
    prepared->parameter_oids = mem_calloc(count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        prepared->parameter_oids[i] = type_oid((TypeId)compiled->bound->param_types[i].id);
    }
    session->prepared_first = prepared;
    (void)strmap_put(&session->prepared, prepared->name, (uint64_t)(uintptr_t)prepared);
}

static ErrorCode check_name(Session *session, Str name, Error *err) {
    if (name.len > 0 && find_prepared(session, name) != NULL) {
        return error_set(err, ERR_DUPLICATE_STATEMENT, ERROR_NO_POSITION, "prepared statement \"%.*s\" already exists", STR_ARG(name));
    }
    if (session->prepared.count >= PREPARED_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "a session can have at most %d prepared statements", PREPARED_MAX);
    }
    return ERR_OK;
}

static bool is_blank(Str text) {
    Arena arena;
    AstStatement *tree = NULL;
    size_t end = 0;
    arena_init(&arena, 1 << 20);
    bool blank = sql_parse(text, 0, DIALECT_POSTGRES, &arena, &tree, &end, NULL) == ERR_OK && tree == NULL;
    arena_deinit(&arena);
    return blank;
}

/* In the block's transaction, or in one that lasts for the binding only. */
static ErrorCode bind(Session *session, Compiled *compiled, Error *err) {
    if (!compiled->needs_catalog) {
        return ERR_OK;
    }
    if (session->in_block) {
        session->block_used = true;
        session->statement_number++;
        txn_statement_begin(session->txn);
        session__path_use(session, session->txn);
        return compiled__bind(compiled, session->txn, err);
    }
    Txn *txn = NULL;
    TRY(session__engine_begin(session, true, &txn, err));
    session__path_use(session, txn);
    ErrorCode code = compiled__bind(compiled, txn, err);
    txn_rollback(txn);
    return code;
}

static ErrorCode prepare(Session *session, Str name, Str sql, const Type *param_types, uint32_t param_count, bool from_sql, Error *err) {
    Compiled *compiled = NULL;
    size_t used = sql.len;
    TRY(compiled__create(session, sql, param_types, param_count, &compiled, &used, err));
    ErrorCode code = ERR_OK;
    if (used < sql.len && !is_blank(str_slice(sql, used, sql.len))) {
        code = error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "cannot insert multiple commands into a prepared statement");
    }
    code = code == ERR_OK ? check_name(session, name, err) : code;
    code = code == ERR_OK ? bind(session, compiled, err) : code;
    if (code != ERR_OK) {
        compiled__release(compiled);
        return code;
    }
    (void)session_prepared_drop(session, name);
    keep(session, name, compiled, from_sql);
    return ERR_OK;
}

ErrorCode session_prepare(Session *session, Str name, Str sql, const Type *param_types, uint32_t param_count, bool from_sql, Error *err) {
    if (name.len == 0) {
        (void)session_prepared_drop(session, name);
    }
    ErrorCode code = prepare(session, name, sql, param_types, param_count, from_sql, err);
    if (code != ERR_OK) {
        session_note_failure(session);
    }
    return code;
}

static ErrorCode refresh(Session *session, Prepared *prepared, Error *err) {
    if (session->in_block) {
        session__path_use(session, session->txn);
        return compiled__refresh(&prepared->compiled, session->txn, err);
    }
    Txn *txn = NULL;
    TRY(session__engine_begin(session, true, &txn, err));
    session__path_use(session, txn);
    ErrorCode code = compiled__refresh(&prepared->compiled, txn, err);
    txn_rollback(txn);
    return code;
}

ErrorCode session_prepared_find(Session *session, Str name, Prepared **prepared_out, Error *err) {
    Prepared *prepared = find_prepared(session, name);
    if (prepared == NULL) {
        return name.len == 0 ? error_set(err, ERR_UNDEFINED_STATEMENT, ERROR_NO_POSITION, "unnamed prepared statement does not exist")
                             : error_set(err, ERR_UNDEFINED_STATEMENT, ERROR_NO_POSITION, "prepared statement \"%.*s\" does not exist", STR_ARG(name));
    }
    *prepared_out = prepared;
    return prepared->compiled->needs_catalog && !session->failed ? refresh(session, prepared, err) : ERR_OK;
}

uint32_t prepared_param_count(const Prepared *prepared) { return prepared->compiled->bound->param_count; }
Str prepared_text(const Prepared *prepared) { return prepared->compiled->text; }

Type prepared_param_type(const Prepared *prepared, uint32_t index) {
    assert(index < prepared_param_count(prepared));
    return prepared->compiled->bound->param_types[index];
}

uint32_t prepared_column_count(const Prepared *prepared) {
    uint32_t count;
    (void)compiled__columns(prepared->compiled, &count);
    return count;
}

const RelColumn *prepared_columns(const Prepared *prepared) {
    uint32_t count;
    return compiled__columns(prepared->compiled, &count);
}

/* ---- PREPARE ---- */

static ErrorCode declared_types(Statement *statement, const AstPrepare *ast, Type **types_out, Error *err) {
    *types_out = arena_array(&statement->arena, Type, ast->type_count);
    for (uint32_t i = 0; i < ast->type_count; i++) {
        const AstType *type = ast->types[i];
        Str name = type->name.parts[type->name.count - 1].text;
        if (type->array_dimensions > 0) {
            name = arena_format(&statement->arena, "%.*s[]", STR_ARG(name));
        }
        if (!str_equal(name, STR("unknown")) && !type_from_name(name, false, &(*types_out)[i])) {
            return error_set(err, ERR_UNDEFINED_OBJECT, type->span.at, "type \"%.*s\" does not exist", STR_ARG(name));
        }
    }
    return ERR_OK;
}

ErrorCode session__prepare_sql(Statement *statement, Error *err) {
    const AstPrepare *ast = statement->compiled->tree->as.prepare;
    Type *types = NULL;
    statement__tag(statement, "PREPARE");
    switch (ast->statement->kind) {
    case AST_SELECT_STATEMENT:
    case AST_INSERT_STATEMENT:
    case AST_UPDATE_STATEMENT:
    case AST_DELETE_STATEMENT: break;
    default: return error_set(err, ERR_SYNTAX, ast->statement->span.at, "only SELECT, INSERT, UPDATE, DELETE and VALUES can be prepared");
    }
    types = statement->bound->declared_types;
    if (types == NULL) {
        TRY(declared_types(statement, ast, &types, err));
    }
    ErrorCode code = prepare(statement->session, ast->name.text, ast->text, types, ast->type_count, true, err);
    if (code != ERR_OK && err != NULL && err->position >= 0) {
        err->position += ast->statement->span.at; /* it is one in the text behind AS */
    }
    return code;
}

ErrorCode session__deallocate(Statement *statement, Error *err) {
    const AstDeallocate *ast = statement->compiled->tree->as.deallocate;
    statement__tag(statement, ast->all ? "DEALLOCATE ALL" : "DEALLOCATE");
    if (ast->all) {
        session_prepared_drop_all(statement->session);
        return ERR_OK;
    }
    if (!session_prepared_drop(statement->session, ast->name.text)) {
        return error_set(err, ERR_UNDEFINED_STATEMENT, ERROR_NO_POSITION, "prepared statement \"%.*s\" does not exist", STR_ARG(ast->name.text));
    }
    return ERR_OK;
}

/* ---- EXECUTE ---- */

void session__append_type(Type type, const OidNames *names, Buffer *out) {
    char text[64];
    if (type_enum_object(type) == 0 || names == NULL || !names->append(names, TYPE_REGTYPE, type_oid_of(type), out)) {
        buffer_append_str(out, str_from(text, type_format_sql(text, sizeof text, type)));
    }
}

/* The arguments are computed by a query of their own, cast to the parameters' types. */
static void argument_query(const AstExecute *ast, const Statement *inner, Dialect dialect, Buffer *out) {
    buffer_append_str(out, STR("SELECT "));
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        buffer_append_str(out, i == 0 ? STR("CAST((") : STR(", CAST(("));
        sql_deparse_expr(ast->args[i], dialect, out);
        buffer_append_str(out, STR(") AS "));
        session__append_type(statement_param_type(inner, i), inner->environment.names, out);
        buffer_append_char(out, ')');
    }
}

static ErrorCode bind_row(Statement *inner, const Batch *batch, Error *err) {
    for (uint32_t i = 0; i < batch->column_count; i++) {
        const Vector *vector = &batch->columns[i];
        Value value = {.type = vector->type, .is_null = vector_is_null(vector, 0)};
        if (!value.is_null && type_physical((TypeId)vector->type.id) == PHYS_BIT) {
            value.as.boolean = vector_bool(vector, 0);
        } else if (!value.is_null) {
            memcpy(value.as.bytes, vector_value(vector, 0), physical_bytes(type_physical((TypeId)vector->type.id)));
        }
        TRY(statement_bind(inner, i, &value, err));
    }
    return ERR_OK;
}

static ErrorCode bind_arguments(Statement *statement, const AstExecute *ast, Error *err) {
    enum { ARGUMENT_BYTES_MAX = 64 << 20 };
    Session *session = statement->session;
    Buffer text;
    Statement *query = NULL;
    Batch *batch = NULL;
    size_t used = 0;
    buffer_init(&text, ARGUMENT_BYTES_MAX);
    argument_query(ast, statement->inner, session->dialect, &text);
    ErrorCode code = buffer_check(&text, err);
    code = code == ERR_OK ? statement_prepare(session, buffer_str(&text), NULL, 0, &query, &used, err) : code;
    code = code == ERR_OK ? statement_step(query, &batch, err) : code;
    if (code == ERR_OK && batch != NULL) {
        code = bind_row(statement->inner, batch, err);
    }
    statement_close(query);
    buffer_deinit(&text);
    return code;
}

ErrorCode session__execute(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstExecute *ast = statement->compiled->tree->as.execute;
    Prepared *prepared = NULL;
    TRY(session_prepared_find(session, ast->name.text, &prepared, err));
    TRY(prepared_open(prepared, &statement->inner, err));
    if (statement_param_count(statement->inner) != ast->arg_count) {
        (void)error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "wrong number of parameters for prepared statement \"%.*s\"", STR_ARG(ast->name.text));
        return error_add(err, 'D', "Expected %u parameters but got %u.", statement_param_count(statement->inner), ast->arg_count);
    }
    if (ast->arg_count > 0) {
        TRY(bind_arguments(statement, ast, err));
    }
    Batch *none = NULL;
    if (statement_column_count(statement->inner) == 0) {
        return statement_step(statement->inner, &none, err); /* DML: all its work now */
    }
    return ERR_OK;
}
