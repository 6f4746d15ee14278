/* SPDX-License-Identifier: Apache-2.0
 * grant.c - GRANT and REVOKE on objects and roles, ALTER DEFAULT PRIVILEGES.
 *
 * Why:   an object's list is written when something is granted for the first time; until then the kind's default holds.
 * Tests: test/sql/roles.slt */
#include "ddl/ddl_internal.h"

enum { ACL_ITEMS_MAX = 10000 };

/* ---- privileges by name ---- */

static ErrorCode privilege_bit(const AstPrivilege *ast, uint8_t kind, uint32_t *bits, Error *err) {
    static const struct { Str name; uint32_t bit; } names[] = {
#define X(id, letter, bit) {{#id, sizeof #id - 1}, PRIVILEGE_##id},
        PRIVILEGES(X)
#undef X
            {{"temp", 4}, PRIVILEGE_TEMPORARY},
    };
    if (ast->name.len == 0) {
        *bits |= catalog_privileges_of_kind(kind);
        return ERR_OK;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!str_equal_ignore_case(ast->name, names[i].name)) {
            continue;
        }
        if ((names[i].bit & catalog_privileges_of_kind(kind)) == 0) {
            return error_set(err, ERR_INVALID_GRANT, ERROR_NO_POSITION, "invalid privilege type %.*s for %s", STR_ARG(names[i].name),
                             kind == OBJECT_NONE ? "database" : kind == OBJECT_TABLE || kind == OBJECT_VIEW ? "table" : object_kind_name(kind));
        }
        *bits |= names[i].bit;
        return ERR_OK;
    }
    return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "unrecognized privilege type \"%.*s\"", STR_ARG(ast->name));
}

static ErrorCode take_bits(const AstGrant *ast, uint8_t kind, uint32_t *bits_out, Error *err) {
    *bits_out = 0;
    for (uint32_t i = 0; i < ast->privilege_count; i++) {
        if (ast->privileges[i].column_count > 0) {
            return ddl__not_supported(ast->privileges[i].span.at, err, "a privilege on columns");
        }
        TRY(privilege_bit(&ast->privileges[i], kind, bits_out, err));
    }
    return ERR_OK;
}

/* ---- lists ---- */

static void give(AclItem *items, uint16_t *count, uint32_t grantee, uint32_t grantor, uint32_t bits, uint32_t options) {
    for (uint16_t i = 0; i < *count; i++) {
        if (items[i].grantee_id == grantee && items[i].grantor_id == grantor) {
            items[i].privileges |= bits;
            items[i].grant_options |= options;
            return;
        }
    }
    items[(*count)++] = (AclItem){grantee, grantor, bits, options};
}

static void take(AclItem *items, uint16_t *count, uint32_t grantee, uint32_t bits, bool option_only) {
    uint16_t kept = 0;
    for (uint16_t i = 0; i < *count; i++) {
        if (items[i].grantee_id == grantee) {
            items[i].grant_options &= ~bits;
            items[i].privileges &= option_only ? items[i].privileges : ~bits;
        }
        if (items[i].privileges != 0) {
            items[kept++] = items[i];
        }
    }
    *count = kept;
}

static ErrorCode change_list(Ddl *ddl, const AstGrant *ast, uint32_t grantor, uint32_t bits, GrantBody *grant, Error *err) {
    if (grant->item_count + ast->grantee_count > ACL_ITEMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "an object can have at most %d privileges", ACL_ITEMS_MAX);
    }
    AclItem *items = arena_array(ddl->arena, AclItem, grant->item_count + ast->grantee_count + 1u);
    memcpy(items, grant->items, sizeof *items * grant->item_count);
    for (uint32_t i = 0; i < ast->grantee_count; i++) {
        uint32_t grantee = 0;
        TRY(ddl__role(ddl, &ast->grantees[i], &grantee, err));
        if (ast->with_option && grantee == ROLE_PUBLIC_ID) {
            return error_set(err, ERR_INVALID_GRANT, ERROR_NO_POSITION, "grant options can only be granted to roles");
        }
        if (ast->revoke) {
            take(items, &grant->item_count, grantee, bits, ast->option_only);
        } else {
            give(items, &grant->item_count, grantee, grantor, bits, ast->with_option ? bits : 0);
        }
    }
    grant->items = items;
    grant->has_acl = true;
    return ERR_OK;
}

/* What a grantee can no more grant, those it granted it to lose too (CASCADE), or nothing changes. */
static ErrorCode drop_dependent(Ddl *ddl, const AstGrant *ast, GrantBody *grant, uint32_t bits, Error *err) {
    AclItem *items = arena_array(ddl->arena, AclItem, grant->item_count + 1u);
    bool changed = true;
    memcpy(items, grant->items, sizeof *items * grant->item_count);
    while (changed) {
        changed = false;
        for (uint16_t i = 0; i < grant->item_count; i++) {
            uint32_t options = items[i].grantor_id == grant->owner_id ? ~UINT32_C(0) : 0;
            for (uint16_t j = 0; j < grant->item_count; j++) {
                options |= items[j].grantee_id == items[i].grantor_id ? items[j].grant_options : 0;
            }
            uint32_t lost = items[i].privileges & bits & ~options;
            if (lost != 0 && !ast->cascade) {
                error_ignore(error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "dependent privileges exist"));
                return error_add(err, 'H', "Use CASCADE to revoke them too.");
            }
            items[i].privileges &= ~lost;
            items[i].grant_options &= ~lost;
            changed = changed || lost != 0;
        }
    }
    uint16_t kept = 0;
    for (uint16_t i = 0; i < grant->item_count; i++) {
        if (items[i].privileges != 0) {
            items[kept++] = items[i];
        }
    }
    grant->items = items;
    grant->item_count = kept;
    return ERR_OK;
}

/* Who may grant nothing of it hears so: as an error if the object is none of its business, as a warning if it holds something. */
static ErrorCode grantable(Ddl *ddl, const AstGrant *ast, uint8_t kind, uint32_t object_id, Str name, uint32_t bits, uint32_t *bits_out, Error *err) {
    uint32_t mine = catalog_privileges(ddl->catalog, ddl->role_id, kind, object_id, true);
    bool all = ast->privilege_count == 1 && ast->privileges[0].name.len == 0;
    if (mine == 0 && catalog_privileges(ddl->catalog, ddl->role_id, kind, object_id, false) == 0) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for %s %.*s", kind == OBJECT_NONE ? "database" : object_kind_name(kind),
                         STR_ARG(name));
    }
    *bits_out = mine & bits;
    const char *sqlstate = ast->revoke ? "01006" : "01007";
    if (*bits_out == 0) {
        ddl_notice(ddl, sqlstate, ast->revoke ? "no privileges could be revoked for \"%.*s\"" : "no privileges were granted for \"%.*s\"", STR_ARG(name));
    } else if (*bits_out != bits && !all) {
        ddl_notice(ddl, sqlstate, ast->revoke ? "not all privileges could be revoked for \"%.*s\"" : "not all privileges were granted for \"%.*s\"", STR_ARG(name));
    }
    return ERR_OK;
}

/* kind OBJECT_NONE, id 0: the database. */
static ErrorCode change_object(Ddl *ddl, const AstGrant *ast, uint8_t kind, uint32_t object_id, Str name, Error *err) {
    uint32_t bits = 0;
    GrantBody grant;
    TRY(take_bits(ast, kind, &bits, err));
    TRY(grantable(ddl, ast, kind, object_id, name, bits, &bits, err));
    if (bits == 0) {
        return ERR_OK;
    }
    catalog_grants(ddl->catalog, kind, object_id, ddl->arena, &grant);
    bool as_owner = ddl__is_superuser(ddl) || catalog_role_is_member(ddl->catalog, ddl->role_id, grant.owner_id, MEMBERSHIP_INHERIT);
    TRY(change_list(ddl, ast, as_owner ? grant.owner_id : ddl->role_id, bits, &grant, err));
    if (ast->revoke) {
        TRY(drop_dependent(ddl, ast, &grant, bits, err));
    }
    return ddl__put_grant(ddl, object_id, &grant, err);
}

/* ---- what is granted on ---- */

static ErrorCode all_in_schema(Ddl *ddl, const AstGrant *ast, const AstNames *names, Error *err) {
    const CatalogObject *schema = NULL;
    const CatalogObject *object = NULL;
    bool sequences = str_equal(ast->object, STR("sequence"));
    TRY(ddl__find(ddl, OBJECT_SCHEMA, names, FIND, &schema, err));
    for (int kind = OBJECT_TABLE; kind <= OBJECT_SEQUENCE; kind++) {
        for (size_t cursor = 0; (kind == OBJECT_SEQUENCE) == sequences && ddl->catalog->object_next(ddl->catalog, (ObjectKind)kind, &cursor, &object);) {
            if (object->schema_id == schema->id) {
                TRY(change_object(ddl, ast, object->kind, object->id, object->name, err));
            }
        }
    }
    return ERR_OK;
}

static bool is_routine(Str object) {
    return str_equal(object, STR("function")) || str_equal(object, STR("routine")) || str_equal(object, STR("procedure")) ||
           str_equal(object, STR("language"));
}

/* Of the built-in ones everybody may make use. */
static ErrorCode on_type(Ddl *ddl, const AstGrant *ast, const AstNames *names, Error *err) {
    const CatalogObject *object = NULL;
    Type builtin;
    bool bare = names->count == 1 || str_equal(names->parts[0].text, STR("pg_catalog"));
    if (bare && type_from_name(names->parts[names->count - 1].text, false, &builtin)) {
        return ERR_OK;
    }
    TRY(ddl__find(ddl, OBJECT_TYPE, names, FIND, &object, err));
    return change_object(ddl, ast, object->kind, object->id, object->name, err);
}

static ErrorCode one_target(Ddl *ddl, const AstGrant *ast, const AstNames *names, Error *err) {
    const CatalogObject *object = NULL;
    if (str_equal(ast->object, STR("database"))) {
        TRY(ddl__check_database(&names->parts[0], err));
        return change_object(ddl, ast, OBJECT_NONE, 0, STR("basalt"), err);
    }
    if (ast->in_schemas) {
        return is_routine(ast->object) ? ERR_OK : all_in_schema(ddl, ast, names, err);
    }
    bool schema = str_equal(ast->object, STR("schema"));
    bool sequence = str_equal(ast->object, STR("sequence"));
    if (str_equal(ast->object, STR("type")) || str_equal(ast->object, STR("domain"))) {
        return on_type(ddl, ast, names, err);
    }
    if (!schema && !sequence && !str_equal(ast->object, STR("table"))) {
        return ddl__not_supported(names->span.at, err, "GRANT on a %.*s", STR_ARG(ast->object));
    }
    TRY(ddl__find(ddl, schema ? OBJECT_SCHEMA : sequence ? OBJECT_SEQUENCE : OBJECT_NONE, names, FIND, &object, err));
    return change_object(ddl, ast, object->kind, object->id, object->name, err);
}

/* ---- ALTER DEFAULT PRIVILEGES ---- */

static ErrorCode change_defaults(Ddl *ddl, const AstGrant *ast, uint32_t role_id, uint32_t schema_id, uint8_t kind, Error *err) {
    uint32_t bits = 0;
    GrantBody grant = {.owner_id = role_id};
    Str name = arena_format(ddl->arena, "%u/%u", schema_id, kind);
    TRY(take_bits(ast, kind, &bits, err));
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_DEFAULT_GRANT, role_id, name);
    AclItem none = {0};
    grant.items = &none;
    if (old != NULL) {
        TRY(grant_body_decode(old->body, ddl->arena, &grant, err));
    }
    TRY(change_list(ddl, ast, role_id, bits, &grant, err));
    if (grant.item_count == 0) {
        return old == NULL ? ERR_OK : txn_object_drop(ddl->txn, old->id, err);
    }
    CatalogObject def = {.kind = OBJECT_DEFAULT_GRANT, .parent_id = role_id, .name = name, .body = ddl__grant_bytes(ddl, &grant)};
    return ddl__put_object(ddl, &def, old, err);
}

static ErrorCode defaults_of_role(Ddl *ddl, const AstGrant *ast, uint32_t role_id, Error *err) {
    uint8_t kind = str_equal(ast->object, STR("sequence")) ? OBJECT_SEQUENCE : str_equal(ast->object, STR("schema")) ? OBJECT_SCHEMA : OBJECT_TABLE;
    if (!catalog_role_is_member(ddl->catalog, ddl->role_id, role_id, MEMBERSHIP_INHERIT)) {
        error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to change default privileges"));
        return error_add(err, 'D', "Only roles with privileges of role \"%.*s\" may change its default privileges.", STR_ARG(catalog_role_name(ddl->catalog, role_id)));
    }
    for (uint32_t i = 0; i < ast->object_count; i++) {
        const CatalogObject *schema = NULL;
        TRY(ddl__find(ddl, OBJECT_SCHEMA, &ast->objects[i], FIND, &schema, err));
        TRY(change_defaults(ddl, ast, role_id, schema->id, kind, err));
    }
    return ast->in_schemas ? ERR_OK : change_defaults(ddl, ast, role_id, 0, kind, err);
}

static ErrorCode default_privileges(Ddl *ddl, const AstGrant *ast, Error *err) {
    ddl__tag(ddl, "ALTER DEFAULT PRIVILEGES");
    if (is_routine(ast->object) || str_equal(ast->object, STR("type"))) {
        return ERR_OK; /* functions and types are there for everybody */
    }
    for (uint32_t i = 0; i < ast->for_role_count; i++) {
        uint32_t role = 0;
        TRY(ddl__role(ddl, &ast->for_roles[i], &role, err));
        TRY(defaults_of_role(ddl, ast, role, err));
    }
    return ast->for_role_count > 0 ? ERR_OK : defaults_of_role(ddl, ast, ddl->role_id, err);
}

ErrorCode ddl__grant(Ddl *ddl, const AstGrant *ast, Error *err) {
    if (ast->defaults) {
        return default_privileges(ddl, ast, err);
    }
    ddl__tag(ddl, ast->of_roles ? ast->revoke ? "REVOKE ROLE" : "GRANT ROLE" : ast->revoke ? "REVOKE" : "GRANT");
    if (ast->of_roles) {
        return ddl__grant_roles(ddl, ast, err);
    }
    if (is_routine(ast->object) && !ast->in_schemas) {
        return ERR_OK;
    }
    for (uint32_t i = 0; i < ast->object_count; i++) {
        TRY(one_target(ddl, ast, &ast->objects[i], err));
    }
    return ERR_OK;
}
