/* SPDX-License-Identifier: Apache-2.0
 * domain.c - CREATE DOMAIN, ALTER DOMAIN: defaults, NOT NULL, checks.
 *
 * Why:   a column keeps the id of its domain and stores values of the type that it is over, so a change of the domain writes no rows; what
 *        the rows hold is looked at by a cast to the changed domain.
 * Tests: test/sql/domain.slt */
#include "catalog/user_type.h"
#include "ddl/ddl_internal.h"

static int check_number(const TypeBody *body, Str name) {
    for (uint16_t i = 0; i < body->check_count; i++) {
        if (str_equal(body->checks[i].name, name)) {
            return i;
        }
    }
    return -1;
}

/* Names and ids for checks from `first` on: domain_check, domain_check1, … where none is said. */
static ErrorCode name_checks(Ddl *ddl, Str domain, TypeBody *body, uint16_t first, Error *err) {
    DomainCheck *checks = (DomainCheck *)(uintptr_t)body->checks; /* the binder's, made for us */
    uint16_t count = body->check_count;
    for (uint16_t i = first; i < count; i++) {
        body->check_count = i;
        Str name = checks[i].name.len > 0 ? checks[i].name : arena_format(ddl->arena, "%.*s_check", STR_ARG(domain));
        for (uint32_t n = 1; checks[i].name.len == 0 && check_number(body, name) >= 0; n++) {
            name = arena_format(ddl->arena, "%.*s_check%u", STR_ARG(domain), n);
        }
        if (check_number(body, name) >= 0) {
            return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" for domain \"%.*s\" already exists", STR_ARG(name), STR_ARG(domain));
        }
        checks[i].name = name;
        checks[i].id = txn_object_new_id(ddl->txn);
    }
    body->check_count = count;
    return ERR_OK;
}

static ErrorCode bind(Ddl *ddl, const AstUserType *ast, TypeBody *body, Error *err) {
    BindContext context = {.catalog = ddl->catalog, .environment = ddl->environment, .text = ddl->text, .dialect = ddl->dialect};
    return bind_domain(&context, ast, ddl->arena, body, err);
}

/* ---- CREATE ---- */

static ErrorCode create_domain(Ddl *ddl, const AstUserType *ast, Error *err) {
    CatalogObject def = {.kind = OBJECT_TYPE};
    TypeBody body = {.kind = TYPE_KIND_DOMAIN};
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE DOMAIN");
    TRY(ddl__type_place(ddl, &ast->name, &def, err));
    TRY(bind(ddl, ast, &body, err));
    TRY(name_checks(ddl, def.name, &body, 0, err));
    ObjectNeed over = {.object_id = body.base_domain != 0 ? body.base_domain : type_enum_object(body.base)};
    def.needs = &over;
    def.need_count = over.object_id != 0;
    def.body = ddl__type_bytes(ddl, &body);
    TRY(txn_object_create(ddl->txn, &def, &id, err));
    return ddl_created(ddl, id, err);
}

/* ---- ALTER ---- */

static bool is_over(Ddl *ddl, uint32_t domain_id, uint32_t over_id) {
    TypeBody body;
    const CatalogObject *object = NULL;
    while (domain_id != 0) {
        if (domain_id == over_id) {
            return true;
        }
        if (!catalog_domain_next(ddl->catalog, &domain_id, ddl->arena, &body, &object)) {
            return false;
        }
    }
    return false;
}

/* Rows of a column against the domain as it is now. */
static ErrorCode check_rows(Ddl *ddl, const TableDef *table, const ColumnDef *column, Error *err) {
    const CatalogObject *domain = ddl->catalog->object_by_id(ddl->catalog, column->domain_id);
    const CatalogObject *schema = ddl->catalog->object_by_id(ddl->catalog, domain->schema_id);
    Buffer sql;
    uint64_t rows = 0;
    buffer_init(&sql, 1 << 20);
    buffer_append_str(&sql, STR("SELECT count(CAST("));
    sql_deparse_name(column->name, ddl->dialect, &sql);
    buffer_append_str(&sql, STR(" AS "));
    sql_deparse_name(schema->name, ddl->dialect, &sql);
    buffer_append_char(&sql, '.');
    sql_deparse_name(domain->name, ddl->dialect, &sql);
    buffer_append_str(&sql, STR(")) FROM "));
    sql_deparse_name(table->schema_name, ddl->dialect, &sql);
    buffer_append_char(&sql, '.');
    sql_deparse_name(table->name, ddl->dialect, &sql);
    Error reason = {0};
    ErrorCode code = ddl->run(ddl->context, arena_str(ddl->arena, buffer_str(&sql)), &rows, &reason);
    buffer_deinit(&sql);
    if (code == ERR_NOT_NULL_VIOLATION || code == ERR_CHECK_VIOLATION) {
        error_ignore(error_set(err, code, ERROR_NO_POSITION, "column \"%.*s\" of table \"%.*s\" contains %s", STR_ARG(column->name), STR_ARG(table->name),
                         code == ERR_CHECK_VIOLATION ? "values that violate the new constraint" : "null values"));
        error_ignore(error_add(err, 's', "%.*s", STR_ARG(table->schema_name)));
        error_ignore(error_add(err, 't', "%.*s", STR_ARG(table->name)));
        return error_add(err, 'c', "%.*s", STR_ARG(column->name));
    }
    return code == ERR_OK ? ERR_OK : error_set(err, code, ERROR_NO_POSITION, "%s", reason.message);
}

/* Tables with columns of the domain: their rows are looked at, and they get a new version, so that nobody goes on with the old checks. */
static ErrorCode renew_tables(Ddl *ddl, uint32_t domain_id, bool look, Error *err) {
    const TableDef *table = NULL;
    for (size_t cursor = 0; ddl->catalog->table_next(ddl->catalog, &cursor, &table);) {
        bool used = false;
        for (uint16_t i = 0; i < table->column_count; i++) {
            bool mine = is_over(ddl, table->columns[i].domain_id, domain_id);
            used = used || mine;
            TRY(mine && look ? check_rows(ddl, table, &table->columns[i], err) : ERR_OK);
        }
        if (used) {
            TableDef same = *table;
            TRY(txn_table_replace(ddl->txn, &same, &table, err));
        }
    }
    return ERR_OK;
}

static ErrorCode no_constraint(Ddl *ddl, const AstUserType *ast, Str domain, Error *err) {
    if (ast->if_exists) {
        ddl_notice(ddl, "00000", "constraint \"%.*s\" of domain \"%.*s\" does not exist, skipping", STR_ARG(ast->constraint.text), STR_ARG(domain));
        return ERR_OK;
    }
    return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" of domain \"%.*s\" does not exist", STR_ARG(ast->constraint.text),
                     STR_ARG(domain));
}

static ErrorCode change_constraint(Ddl *ddl, const AstUserType *ast, Str domain, TypeBody *body, bool *look_out, Error *err) {
    int number = check_number(body, ast->constraint.text);
    DomainCheck *checks = (DomainCheck *)(uintptr_t)body->checks; /* decoded for us */
    if (number < 0) {
        return no_constraint(ddl, ast, domain, err);
    }
    if (ast->kind == AST_DOMAIN_VALIDATE) {
        checks[number].validated = true;
        *look_out = true;
    } else if (ast->kind == AST_DOMAIN_DROP) {
        memmove(checks + number, checks + number + 1, sizeof *checks * (size_t)(body->check_count - number - 1));
        body->check_count--;
    } else if (check_number(body, ast->new_name.text) >= 0) {
        return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" for domain \"%.*s\" already exists", STR_ARG(ast->new_name.text),
                         STR_ARG(domain));
    } else {
        checks[number].name = ast->new_name.text;
    }
    return ERR_OK;
}

static ErrorCode change_body(Ddl *ddl, const AstUserType *ast, Str domain, TypeBody *body, bool *look_out, Error *err) {
    uint16_t first = body->check_count;
    bool was_not_null = body->not_null;
    switch (ast->kind) {
    case AST_DOMAIN_DROP_DEFAULT: body->default_text = (Str){0}; return ERR_OK;
    case AST_DOMAIN_SET_NOT_NULL: body->not_null = true; break;
    case AST_DOMAIN_DROP_NOT_NULL: body->not_null = false; break;
    case AST_DOMAIN_SET_DEFAULT:
    case AST_DOMAIN_ADD:
        TRY(bind(ddl, ast, body, err));
        TRY(name_checks(ddl, domain, body, first, err));
        *look_out = body->check_count > first && body->checks[first].validated;
        break;
    default: return change_constraint(ddl, ast, domain, body, look_out, err);
    }
    *look_out = *look_out || (body->not_null && !was_not_null);
    return ERR_OK;
}

static ErrorCode alter_domain(Ddl *ddl, const AstUserType *ast, Error *err) {
    const CatalogObject *object = NULL;
    TypeBody body;
    bool look = false;
    ddl__tag(ddl, "ALTER DOMAIN");
    TRY(ddl__find(ddl, OBJECT_TYPE, &ast->name, FIND, &object, err));
    TRY(ddl__must_own(ddl, object, err));
    TRY(ddl__must_be_domain(ddl, object, err));
    TRY(type_body_decode(object->body, ddl->arena, &body, err));
    TRY(change_body(ddl, ast, object->name, &body, &look, err));
    TRY(ddl__type_replace(ddl, object, &body, err));
    return renew_tables(ddl, object->id, look, err);
}

ErrorCode ddl__must_be_domain(Ddl *ddl, const CatalogObject *object, Error *err) {
    TypeBody body;
    bool domain = catalog_type_body(ddl->catalog, object->id, TYPE_KIND_DOMAIN, ddl->arena, &body);
    return domain ? ERR_OK : error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not a domain", STR_ARG(object->name));
}

ErrorCode ddl__domain(Ddl *ddl, const AstUserType *ast, Error *err) {
    return ast->kind == AST_CREATE_DOMAIN ? create_domain(ddl, ast, err) : alter_domain(ddl, ast, err);
}
