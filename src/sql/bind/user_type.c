/* SPDX-License-Identifier: Apache-2.0
 * user_type.c - type names that the catalog knows: enums and domains.
 *
 * Tests: test/sql/enum.slt, test/sql/domain.slt */
#include "catalog/user_type.h"
#include "sql/bind/bind_internal.h"

static const CatalogObject *find_named(Binder *b, Str schema, const AstName *name, Str text) {
    const FunctionEnvironment *environment = b->context->environment;
    return catalog_type_find(b->context->catalog, environment->search_path, environment->search_path_count, schema, text, !name->quoted);
}

ErrorCode user_type_find(Binder *b, const AstType *ast, bool *found_out, Type *type_out, uint32_t *domain_out) {
    const AstName *name = &ast->name.parts[ast->name.count - 1];
    Str schema = ast->name.count > 1 ? ast->name.parts[ast->name.count - 2].text : (Str){0};
    *found_out = false;
    if (ast->name.count > 2) {
        return ERR_OK;
    }
    if (schema.len > 0 && !str_equal(schema, STR("pg_catalog")) &&
        b->context->catalog->object_find(b->context->catalog, OBJECT_SCHEMA, 0, schema) == NULL) {
        return error_set(b->err, ERR_UNDEFINED_SCHEMA, ast->span.at, "schema \"%.*s\" does not exist", STR_ARG(schema));
    }
    const CatalogObject *object = find_named(b, schema, name, name->text);
    if (object == NULL && schema.len == 0) { /* stored texts leave public out, and a path may too */
        object = find_named(b, STR("public"), name, name->text);
    }
    bool array = object == NULL && name->text.len > 1 && name->text.data[0] == '_';
    if (array) { /* PostgreSQL's own name of the array */
        object = find_named(b, schema, name, str_slice(name->text, 1, name->text.len));
    }
    TypeBody body;
    if (object == NULL || type_body_decode(object->body, b->arena, &body, NULL) != ERR_OK) {
        return ERR_OK;
    }
    bool domain = body.kind == TYPE_KIND_DOMAIN;
    if (domain && (array || ast->array_dimensions > 0)) {
        return not_supported(b, ast->span.at, "an array of a domain");
    }
    record_type(b, ast, object, array);
    note_type(b, ast, object->id, array);
    Type type = domain ? body.base : type_enum(object->id);
    *type_out = array ? type_array(type) : type;
    *domain_out = domain ? object->id : 0;
    *found_out = true;
    return ERR_OK;
}

Str user_type_name(Binder *b, uint32_t object_id) {
    CatalogView *catalog = b->context->catalog;
    const FunctionEnvironment *environment = b->context->environment;
    const CatalogObject *object = catalog->object_by_id(catalog, object_id);
    if (object == NULL) {
        return STR("???");
    }
    const CatalogObject *first = catalog_type_find(catalog, environment->search_path, environment->search_path_count, (Str){0}, object->name, false);
    const CatalogObject *schema = catalog->object_by_id(catalog, object->schema_id);
    bool bare = schema == NULL || (first != NULL && first->id == object_id);
    return bare ? object->name : arena_format(b->arena, "%.*s.%.*s", STR_ARG(schema->name), STR_ARG(object->name));
}

ErrorCode bind_types(const BindContext *context, AstType *const *types, uint32_t count, Arena *arena, Type **types_out, Error *err) {
    Binder b;
    ErrorCode code = ERR_OK;
    binder_begin(&b, context, arena, err);
    *types_out = arena_array(arena, Type, count + 1);
    for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
        const AstNames *name = &types[i]->name;
        bool unknown = name->count == 1 && str_equal(name->parts[0].text, STR("unknown"));
        code = unknown ? ERR_OK : type_from_ast(&b, types[i], &(*types_out)[i]);
    }
    binder_end(&b);
    return code;
}

ErrorCode user_type_check(Binder *b, int64_t position, Type *type) {
    uint32_t object_id = type_enum_object(*type);
    TypeBody body;
    if (type->id == TYPE_ENUM && catalog_type_body(b->context->catalog, object_id, TYPE_KIND_DOMAIN, b->arena, &body)) {
        *type = body.base;
        return ERR_OK;
    }
    if (object_id == 0 || catalog_type_body(b->context->catalog, object_id, TYPE_KIND_ENUM, b->arena, &body)) {
        return ERR_OK;
    }
    return error_set(b->err, ERR_UNDEFINED_OBJECT, position, "type with OID %u does not exist", type_oid_of(*type));
}
