/* SPDX-License-Identifier: Apache-2.0
 * domain.c - domains: a value is of the type that they are over, a cast to one checks it; definitions of CREATE and ALTER DOMAIN.
 *
 * Why:   VALUE in a check is an expression that is given, not a column, so that a cast can check any expression in place.
 * Tests: test/sql/domain.slt */
#include "catalog/user_type.h"
#include "sql/bind/bind_internal.h"

/* ---- casts ---- */

/* CASE WHEN broken THEN raise ELSE value END */
static ErrorCode guarded(Binder *b, const CatalogObject *domain, Str check, const Expr *broken, const Expr *value, const Expr **expr_out) {
    DomainFailure *failure = arena_new(b->arena, DomainFailure);
    const CatalogObject *schema = b->context->catalog->object_by_id(b->context->catalog, domain->schema_id);
    const Expr **args = arena_array(b->arena, const Expr *, 3);
    const Expr **raised = arena_array(b->arena, const Expr *, 1);
    *failure = (DomainFailure){arena_str(b->arena, schema == NULL ? (Str){0} : schema->name), arena_str(b->arena, domain->name), arena_str(b->arena, check)};
    raised[0] = value;
    args[0] = broken;
    TRY(expr_call(b, function_bound(BOUND_DOMAIN), failure, value->type, raised, 1, value->position, &args[1]));
    args[2] = value;
    return expr_nary(b, EXPR_CASE, value->type, args, 3, value->position, expr_out);
}

static ErrorCode bind_check_text(Binder *b, Str text, uint8_t dialect, const Expr *value, const Expr **expr_out) {
    Scope none = {.clause = "domain constraints"};
    const Expr *outer = b->domain_value;
    b->domain_value = value;
    ErrorCode code = bind_stored(b, &none, text, dialect, NULL, expr_out);
    b->domain_value = outer;
    return code == ERR_OK ? coerce_boolean(b, *expr_out, "CHECK", expr_out) : code;
}

static ErrorCode check_one(Binder *b, const CatalogObject *domain, const TypeBody *body, const Expr *value, const Expr **expr_out) {
    const Expr *broken = NULL;
    for (uint16_t i = 0; i < body->check_count; i++) {
        TRY(bind_check_text(b, body->checks[i].text, body->dialect, value, &broken));
        TRY(expr_not(b, broken, value->position, &broken));
        TRY(guarded(b, domain, body->checks[i].name, broken, *expr_out, expr_out));
    }
    if (body->not_null) {
        TRY(expr_is_null(b, value, value->position, &broken));
        TRY(guarded(b, domain, (Str){0}, broken, *expr_out, expr_out));
    }
    return ERR_OK;
}

ErrorCode domain_checked(Binder *b, uint32_t domain_id, const Expr *value, const Expr **expr_out) {
    const CatalogObject *object = NULL;
    const CatalogObject *domain = b->context->catalog->object_by_id(b->context->catalog, domain_id); /* errors name this one */
    TypeBody body;
    *expr_out = value;
    while (catalog_domain_next(b->context->catalog, &domain_id, b->arena, &body, &object)) {
        TRY(check_one(b, domain, &body, value, expr_out));
    }
    return ERR_OK;
}

/* ---- definitions ---- */

static ErrorCode add_check(Binder *b, const AstConstraint *ast, TypeBody *body) {
    TypeUses uses = {0};
    Scope none = {.clause = "check constraints"};
    const Expr *expr = NULL;
    b->domain_value = expr_null(b, body->base, ast->span.at);
    b->uses = &uses;
    ErrorCode code = bind_expr(b, &none, ast->expr, &expr);
    code = code == ERR_OK ? coerce_boolean(b, expr, "CHECK", &expr) : code;
    b->uses = NULL;
    b->domain_value = NULL;
    TRY(code);
    if ((expr->flags & EXPR_HAS_SUBQUERY) != 0) {
        return error_set(b->err, ERR_NOT_SUPPORTED, ast->expr->span.at, "cannot use subquery in check constraint");
    }
    DomainCheck *checks = arena_array(b->arena, DomainCheck, body->check_count + 1u);
    if (body->check_count > 0) {
        memcpy(checks, body->checks, sizeof *checks * body->check_count);
    }
    checks[body->check_count++] = (DomainCheck){.name = ast->name == NULL ? (Str){0} : ast->name->text, .text = user_types_qualified(b, ast->expr_text, &uses),
                                                .validated = !ast->not_valid};
    body->checks = checks;
    return ERR_OK;
}

static ErrorCode set_default(Binder *b, const AstConstraint *ast, TypeBody *body) {
    ColumnDef column = {.type = body->base};
    TRY(bind_column_default(b, ast->expr, ast->expr_text, &column));
    body->default_text = column.default_text;
    return ERR_OK;
}

static ErrorCode take_constraint(Binder *b, const AstConstraint *ast, TypeBody *body) {
    switch (ast->kind) {
    case AST_CONSTRAINT_CHECK: return add_check(b, ast, body);
    case AST_CONSTRAINT_DEFAULT: return set_default(b, ast, body);
    case AST_CONSTRAINT_NOT_NULL: body->not_null = true; return ERR_OK;
    case AST_CONSTRAINT_NULL: body->not_null = false; return ERR_OK;
    case AST_CONSTRAINT_PRIMARY_KEY: return error_set(b->err, ERR_SYNTAX, ast->span.at, "primary key constraints not possible for domains");
    case AST_CONSTRAINT_UNIQUE: return error_set(b->err, ERR_SYNTAX, ast->span.at, "unique constraints not possible for domains");
    case AST_CONSTRAINT_FOREIGN_KEY: return error_set(b->err, ERR_SYNTAX, ast->span.at, "foreign key constraints not possible for domains");
    default: return error_set(b->err, ERR_SYNTAX, ast->span.at, "this constraint is not possible for domains");
    }
}

static ErrorCode take_base(Binder *b, const AstUserType *ast, TypeBody *body) {
    TRY(type_or_domain(b, ast->base, &body->base, &body->base_domain));
    const CatalogObject *base = b->context->catalog->object_by_id(b->context->catalog, body->base_domain);
    TypeBody over;
    if (base != NULL && type_body_decode(base->body, b->arena, &over, NULL) == ERR_OK) { /* its default is ours until another is said */
        body->default_text = over.default_text;
        body->dialect = over.dialect;
    }
    if (!type_is_stored(body->base) || body->base.id == TYPE_SYMBOL) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->base->span.at, "\"%.*s\" is not a valid base type for a domain", STR_ARG(type_name(b, body->base)));
    }
    return ERR_OK;
}

ErrorCode bind_domain(const BindContext *context, const AstUserType *ast, Arena *arena, TypeBody *body, Error *err) {
    Binder b;
    binder_begin(&b, context, arena, err);
    body->dialect = (uint8_t)b.dialect;
    ErrorCode code = ast->kind == AST_CREATE_DOMAIN ? take_base(&b, ast, body) : ERR_OK;
    for (uint32_t i = 0; i < ast->constraint_count && code == ERR_OK; i++) {
        code = take_constraint(&b, &ast->constraints[i], body);
    }
    binder_end(&b);
    return code;
}
