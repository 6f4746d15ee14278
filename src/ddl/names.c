/* SPDX-License-Identifier: Apache-2.0
 * names.c - names to objects, objects to words, who may do what. */
#include "catalog/user_type.h"
#include "ddl/ddl_internal.h"
#include "sql/bind/bind.h"
#include <stdarg.h>
#include <stdio.h>

void ddl__tag(Ddl *ddl, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(ddl->tag, ddl->tag_bytes, format, args);
    va_end(args);
}

void ddl_notice(Ddl *ddl, const char *sqlstate, const char *format, ...) {
    char text[ERROR_MESSAGE_BYTES];
    if (ddl->notice == NULL) {
        return;
    }
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ddl->notice(ddl->context, sqlstate, (Str){text, (size_t)MIN_OF(MAX_OF(len, 0), (int)sizeof text - 1)}, (Str){0});
}

ErrorCode ddl__not_supported(int64_t position, Error *err, const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(err, ERR_NOT_SUPPORTED, position, "%s is not supported", text);
}

Bytes ddl__bytes(Ddl *ddl, Buffer *buffer) {
    Str copy = arena_str(ddl->arena, buffer_str(buffer));
    buffer_deinit(buffer);
    return bytes_from(copy.data, copy.len);
}

ErrorCode ddl__put_object(Ddl *ddl, CatalogObject *def, const CatalogObject *old, Error *err) {
    uint32_t id = 0;
    if (old == NULL) {
        return txn_object_create(ddl->txn, def, &id, err);
    }
    def->id = old->id;
    return txn_object_replace(ddl->txn, def, err);
}

/* ---- who may ---- */

bool ddl__is_superuser(Ddl *ddl) { return catalog_role_is_superuser(ddl->catalog, ddl->role_id); }

bool ddl__may(Ddl *ddl, uint8_t kind, uint32_t object_id, uint32_t privileges) {
    return (catalog_privileges(ddl->catalog, ddl->role_id, kind, object_id, false) & privileges) == privileges;
}

ErrorCode ddl__must_own(Ddl *ddl, const CatalogObject *object, Error *err) {
    if (catalog_owns(ddl->catalog, ddl->role_id, object->id)) {
        return ERR_OK;
    }
    return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "must be owner of %s %.*s", object_kind_name(object->kind), STR_ARG(object->name));
}

ErrorCode ddl__role(Ddl *ddl, const AstName *name, uint32_t *role_id_out, Error *err) {
    if (!name->quoted && str_equal_ignore_case(name->text, STR("public"))) {
        *role_id_out = ROLE_PUBLIC_ID;
        return ERR_OK;
    }
    bool current = !name->quoted && (str_equal_ignore_case(name->text, STR("current_user")) || str_equal_ignore_case(name->text, STR("current_role")));
    if (current || (!name->quoted && str_equal_ignore_case(name->text, STR("session_user")))) {
        *role_id_out = current ? ddl->role_id : ddl->session_role_id;
        return ERR_OK;
    }
    const CatalogObject *role = catalog_role_find(ddl->catalog, name->text);
    if (role == NULL) {
        return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "role \"%.*s\" does not exist", STR_ARG(name->text));
    }
    *role_id_out = role->id;
    return ERR_OK;
}

ErrorCode ddl__role_object(Ddl *ddl, const AstName *name, const CatalogObject **role_out, Error *err) {
    uint32_t id = 0;
    TRY(ddl__role(ddl, name, &id, err));
    *role_out = ddl->catalog->object_by_id(ddl->catalog, id);
    bool is_role = *role_out != NULL && (*role_out)->kind == OBJECT_ROLE;
    return is_role ? ERR_OK : error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "role \"%.*s\" does not exist", STR_ARG(name->text));
}

/* ---- names ---- */

ErrorCode ddl__place(Ddl *ddl, const AstNames *names, uint32_t *schema_id_out, Str *name_out, Error *err) {
    TRY(relation_name_parts(names, ddl->environment->database_name, err));
    Str schema_name = names->count > 1 ? names->parts[names->count - 2].text : ddl->schema_name.len > 0 ? ddl->schema_name : STR("public");
    const CatalogObject *schema = ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, schema_name);
    if (schema == NULL) {
        return error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(schema_name));
    }
    if (!ddl__may(ddl, OBJECT_SCHEMA, schema->id, PRIVILEGE_CREATE)) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for schema %.*s", STR_ARG(schema->name));
    }
    *schema_id_out = schema->id;
    *name_out = names->parts[names->count - 1].text;
    return ERR_OK;
}

ErrorCode ddl_check_schema(Ddl *ddl, Str schema_name, Error *err) {
    const CatalogObject *schema = ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, schema_name.len > 0 ? schema_name : STR("public"));
    bool temporary = str_starts_with(schema_name, STR("pg_temp"));
    if (schema == NULL || temporary || ddl__may(ddl, OBJECT_SCHEMA, schema->id, PRIVILEGE_CREATE)) {
        return ERR_OK; /* that it is missing is said by the call that needs it */
    }
    return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for schema %.*s", STR_ARG(schema->name));
}

static const CatalogObject *find_type(Ddl *ddl, Str schema, Str name) {
    return catalog_type_find(ddl->catalog, ddl->environment->search_path, ddl->environment->search_path_count, schema, name, true);
}

static bool is_relation(ObjectKind kind) { return kind == OBJECT_NONE || kind == OBJECT_TABLE || kind == OBJECT_VIEW || kind == OBJECT_SEQUENCE; }

/* DROP names the kind that it looked for and no schema, everything else a relation. */
static ErrorCode missing(Ddl *ddl, ObjectKind kind, const AstNames *names, FindUse use, Error *err) {
    bool relation = is_relation(kind);
    bool dropped = use == FIND_DROP || use == FIND_DROP_IF_EXISTS;
    const char *what = kind == OBJECT_NONE || (relation && !dropped) ? "relation" : object_kind_name((uint8_t)kind);
    Str name = names->parts[names->count - 1].text;
    Str schema = names->count == 2 ? names->parts[0].text : (Str){0};
    bool schema_missing = names->count == 2 && ddl->catalog->object_find(ddl->catalog, OBJECT_SCHEMA, 0, schema) == NULL;
    if (use == FIND_IF_EXISTS || use == FIND_DROP_IF_EXISTS) {
        if (schema_missing) {
            ddl_notice(ddl, "00000", "schema \"%.*s\" does not exist, skipping", STR_ARG(schema));
        } else {
            ddl_notice(ddl, "00000", "%s \"%.*s\" does not exist, skipping", what, STR_ARG(name));
        }
        return ERR_OK;
    }
    ErrorCode code = relation ? ERR_UNDEFINED_TABLE : kind == OBJECT_SCHEMA ? ERR_UNDEFINED_SCHEMA : ERR_UNDEFINED_OBJECT;
    bool bare = schema.len == 0 || (dropped && relation);
    int64_t position = ddl->dialect == DIALECT_POSTGRES ? ERROR_NO_POSITION : (int64_t)names->span.at; /* as each dialect's own server has it */
    return bare ? error_set(err, code, position, "%s \"%.*s\" does not exist", what, STR_ARG(name))
                : error_set(err, code, position, "%s \"%.*s.%.*s\" does not exist", what, STR_ARG(schema), STR_ARG(name));
}

/* real: what has the name, as a word. */
static ErrorCode wrong_kind(ObjectKind kind, Str name, const char *real, FindUse use, Error *err) {
    if (kind == OBJECT_NONE) {
        return error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is an %s", STR_ARG(name), real);
    }
    error_ignore(error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not a %s", STR_ARG(name), object_kind_name((uint8_t)kind)));
    bool dropped = use == FIND_DROP || use == FIND_DROP_IF_EXISTS;
    return dropped ? error_add(err, 'H', "Use DROP %s to remove %s %s.", str_equal(str_from_c(real), STR("index")) ? "INDEX" : str_equal(str_from_c(real), STR("table")) ? "TABLE" : str_equal(str_from_c(real), STR("view")) ? "VIEW" : "SEQUENCE",
                               str_equal(str_from_c(real), STR("index")) ? "an" : "a", real)
                   : ERR_WRONG_OBJECT_TYPE;
}

static ErrorCode check_name(Ddl *ddl, ObjectKind kind, const AstNames *names, FindUse use, Error *err) {
    bool missing_ok = use == FIND_IF_EXISTS || use == FIND_DROP_IF_EXISTS;
    if (kind != OBJECT_TYPE && !is_relation(kind)) {
        return names->count == 1 ? ERR_OK : error_set(err, ERR_SYNTAX, names->span.at, "syntax error at or near \".\"");
    }
    TRY(relation_name_parts(names, ddl->environment->database_name, err));
    return relation_schema_check(ddl->catalog, ddl->role_id, names, missing_ok, err);
}

ErrorCode ddl__find(Ddl *ddl, ObjectKind kind, const AstNames *names, FindUse use, const CatalogObject **object_out, Error *err) {
    const AstName *last = &names->parts[names->count - 1];
    const TableDef *indexed = NULL;
    *object_out = NULL;
    TRY(check_name(ddl, kind, names, use, err));
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    const CatalogObject *found = is_relation(kind)     ? ddl->catalog->relation_find(ddl->catalog, schema, last->text)
                                 : kind == OBJECT_TYPE ? find_type(ddl, schema, last->text)
                                                       : ddl->catalog->object_find(ddl->catalog, kind, 0, last->text);
    if (found == NULL || (last->quoted && !str_equal(found->name, last->text))) {
        bool index = is_relation(kind) && relation_index_find(ddl->catalog, ddl->environment, names, &indexed) != NULL;
        return index ? wrong_kind(kind, last->text, "index", use, err) : missing(ddl, kind, names, use, err);
    }
    if (kind != OBJECT_NONE && found->kind != kind) {
        return wrong_kind(kind, found->name, object_kind_name(found->kind), use, err);
    }
    *object_out = found;
    return ERR_OK;
}

static void put_name(Buffer *out, Str name) { sql_deparse_name(name, DIALECT_POSTGRES, out); }

static Str qualified_name(Ddl *ddl, const CatalogObject *object) {
    Buffer out;
    buffer_init(&out, 4096);
    const CatalogObject *first = object->kind == OBJECT_TYPE ? find_type(ddl, (Str){0}, object->name)
                                 : object->schema_id != 0    ? ddl->catalog->relation_find(ddl->catalog, (Str){0}, object->name)
                                                             : object;
    const CatalogObject *schema = first == NULL || first->id != object->id ? ddl->catalog->object_by_id(ddl->catalog, object->schema_id) : NULL;
    if (schema != NULL) {
        put_name(&out, schema->name);
        buffer_append_str(&out, STR("."));
    }
    put_name(&out, object->name);
    Str name = arena_str(ddl->arena, buffer_str(&out));
    buffer_deinit(&out);
    return name;
}

Str ddl__describe(Ddl *ddl, const CatalogObject *object) {
    return arena_format(ddl->arena, "%s %.*s", object_kind_name(object->kind), STR_ARG(qualified_name(ddl, object)));
}

/* ---- owners ---- */

Bytes ddl__grant_bytes(Ddl *ddl, const GrantBody *grant) {
    Buffer body;
    buffer_init(&body, 1 << 20);
    grant_body_encode(grant, &body);
    return ddl__bytes(ddl, &body);
}

ErrorCode ddl__put_grant(Ddl *ddl, uint32_t object_id, const GrantBody *grant, Error *err) {
    CatalogObject def = {.kind = OBJECT_GRANT, .parent_id = object_id, .body = ddl__grant_bytes(ddl, grant)};
    const CatalogObject *old = ddl->catalog->object_find(ddl->catalog, OBJECT_GRANT, object_id, (Str){0});
    return ddl__put_object(ddl, &def, old, err);
}

ErrorCode ddl__set_owner(Ddl *ddl, uint8_t kind, uint32_t object_id, uint32_t owner_id, Error *err) {
    GrantBody grant;
    catalog_grants(ddl->catalog, kind, object_id, ddl->arena, &grant);
    uint32_t old_owner = grant.owner_id;
    AclItem *items = arena_array(ddl->arena, AclItem, grant.item_count + 1);
    for (uint16_t i = 0; i < grant.item_count; i++) { /* what the old owner held and granted is the new one's */
        items[i] = grant.items[i];
        items[i].grantee_id = items[i].grantee_id == old_owner ? owner_id : items[i].grantee_id;
        items[i].grantor_id = items[i].grantor_id == old_owner ? owner_id : items[i].grantor_id;
    }
    grant.items = items;
    grant.item_count = grant.has_acl ? grant.item_count : 0;
    grant.owner_id = owner_id;
    return ddl__put_grant(ddl, object_id, &grant, err);
}

/* Privileges that ALTER DEFAULT PRIVILEGES of the creator adds: for the schema, and for all schemas. */
static void add_defaults(Ddl *ddl, const CatalogObject *object, GrantBody *grant) {
    uint32_t schemas[2] = {0, object->schema_id};
    for (int i = 0; i < 2; i++) {
        Str name = arena_format(ddl->arena, "%u/%u", schemas[i], object->kind == OBJECT_VIEW ? OBJECT_TABLE : object->kind);
        const CatalogObject *defaults = ddl->catalog->object_find(ddl->catalog, OBJECT_DEFAULT_GRANT, ddl->role_id, name);
        GrantBody more = {0};
        if (defaults == NULL || grant_body_decode(defaults->body, ddl->arena, &more, NULL) != ERR_OK) {
            continue;
        }
        uint16_t kept = grant->has_acl ? grant->item_count : 0;
        AclItem *items = arena_array(ddl->arena, AclItem, kept + more.item_count + 1u);
        memcpy(items, grant->items, sizeof *items * kept);
        if (!grant->has_acl) {
            items[kept++] = catalog_owner_item(object->kind, ddl->role_id);
        }
        for (uint16_t j = 0; j < more.item_count; j++) {
            items[kept++] = more.items[j];
        }
        grant->items = items;
        grant->item_count = kept;
        grant->has_acl = true;
    }
}

ErrorCode ddl_created(Ddl *ddl, uint32_t object_id, Error *err) {
    const CatalogObject *object = ddl->catalog->object_by_id(ddl->catalog, object_id);
    AclItem none = {0};
    GrantBody grant = {.owner_id = ddl->role_id, .items = &none};
    assert(object != NULL);
    add_defaults(ddl, object, &grant);
    return ddl->role_id == ROLE_POSTGRES_ID && !grant.has_acl ? ERR_OK : ddl__put_grant(ddl, object_id, &grant, err);
}
