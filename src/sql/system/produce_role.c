/* SPDX-License-Identifier: Apache-2.0
 * produce_role.c - roles, memberships and privileges. */
#include "base/number.h"
#include "sql/system/acl.h"
#include "sql/system/each.h"
#include "sql/system/produce.h"

typedef struct AnyRole { uint32_t id; Str name; RoleBody body; } AnyRole;

static bool next_role(SystemView *view, size_t *cursor, AnyRole *role_out) {
    const CatalogObject *object;
    while (view->inner->object_next(view->inner, OBJECT_ROLE, cursor, &object)) {
        *role_out = (AnyRole){.id = object->id, .name = object->name};
        if (role_body_decode(object->body, &role_out->body, NULL) == ERR_OK) {
            return true;
        }
    }
    return false;
}

static void put_valid_until(SystemRows *rows, const RoleBody *body) {
    if (body->has_valid_until) {
        put_int(rows, body->valid_until);
    } else {
        put_null(rows);
    }
}

/* ---- settings ---- */

static bool in_scope(const CatalogObject *setting, uint32_t role_id, bool in_database) {
    return setting->parent_id == role_id && setting_in_database(setting) == in_database;
}

/* "name=value" of one scope, in the order in which they were set; NULL where there are none. */
static void put_config(SystemView *view, SystemRows *rows, uint32_t role_id, bool in_database) {
    enum { SETTINGS_SHOWN_MAX = 1000 };
    const CatalogObject *setting = NULL;
    Str *texts = arena_array(&rows->scratch, Str, SETTINGS_SHOWN_MAX);
    uint32_t count = 0;
    for (size_t cursor = 0; count < SETTINGS_SHOWN_MAX && view->inner->object_next(view->inner, OBJECT_SETTING, &cursor, &setting);) {
        if (in_scope(setting, role_id, in_database)) {
            texts[count++] = arena_format(&rows->scratch, "%.*s=%.*s", STR_ARG(setting_name(setting)), STR_ARG(body_text(setting->body)));
        }
    }
    if (count == 0) {
        put_null(rows);
    } else {
        put_texts(rows, texts, count);
    }
}

static bool is_first_of_scope(SystemView *view, const CatalogObject *setting) {
    const CatalogObject *other = NULL;
    for (size_t cursor = 0; view->inner->object_next(view->inner, OBJECT_SETTING, &cursor, &other);) {
        if (in_scope(other, setting->parent_id, setting_in_database(setting))) {
            return other->id == setting->id;
        }
    }
    return false;
}

ErrorCode system_rows_pg_db_role_setting(SystemView *view, SystemRows *rows, Error *err) {
    const CatalogObject *setting = NULL;
    (void)err;
    for (size_t cursor = 0; view->inner->object_next(view->inner, OBJECT_SETTING, &cursor, &setting);) {
        if (is_first_of_scope(view, setting)) {
            row_begin(rows);
            put_oid(rows, setting_in_database(setting) ? OID_DATABASE : 0);
            put_oid(rows, setting->parent_id == 0 ? 0 : role_oid(setting->parent_id));
            put_config(view, rows, setting->parent_id, setting_in_database(setting));
            row_end(rows);
        }
    }
    return ERR_OK;
}

static void put_role_flags(SystemRows *rows, const RoleBody *body) {
    put_bool(rows, body->superuser);
    put_bool(rows, body->inherit);
    put_bool(rows, body->create_role);
    put_bool(rows, body->create_db);
    put_bool(rows, body->login);
    put_bool(rows, body->replication);
}

ErrorCode system_rows_pg_roles(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    AnyRole role;
    (void)err;
    while (next_role(view, &cursor, &role)) {
        row_begin(rows);
        put_text(rows, role.name);
        put_role_flags(rows, &role.body);
        put_int(rows, role.body.connection_limit);
        put_c(rows, "********");
        put_valid_until(rows, &role.body);
        put_bool(rows, role.body.bypass_rls);
        put_config(view, rows, role.id, false);
        put_oid(rows, role_oid(role.id));
        row_end(rows);
    }
    return ERR_OK;
}

/* Verifiers are shown to superusers alone. */
static void put_verifier(SystemView *view, SystemRows *rows, const RoleBody *body) {
    if (body->password.len > 0 && catalog_role_is_superuser(view->inner, session_role(view))) {
        put_text(rows, body->password);
    } else {
        put_null(rows);
    }
}

ErrorCode system_rows_pg_authid(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    AnyRole role;
    (void)err;
    while (next_role(view, &cursor, &role)) {
        row_begin(rows);
        put_oid(rows, role_oid(role.id));
        put_text(rows, role.name);
        put_role_flags(rows, &role.body);
        put_bool(rows, role.body.bypass_rls);
        put_int(rows, role.body.connection_limit);
        put_verifier(view, rows, &role.body);
        put_valid_until(rows, &role.body);
        row_end(rows);
    }
    return ERR_OK;
}

static void put_users(SystemView *view, SystemRows *rows, bool shadow) {
    size_t cursor = 0;
    AnyRole role;
    while (next_role(view, &cursor, &role)) {
        if (!role.body.login) {
            continue;
        }
        row_begin(rows);
        put_text(rows, role.name);
        put_oid(rows, role_oid(role.id));
        put_bool(rows, role.body.create_db);
        put_bool(rows, role.body.superuser);
        put_bool(rows, role.body.replication);
        put_bool(rows, role.body.bypass_rls);
        if (shadow) {
            put_verifier(view, rows, &role.body);
        } else {
            put_c(rows, "********");
        }
        put_valid_until(rows, &role.body);
        put_config(view, rows, role.id, false);
        row_end(rows);
    }
}

ErrorCode system_rows_pg_user(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    put_users(view, rows, false);
    return ERR_OK;
}

ErrorCode system_rows_pg_shadow(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    put_users(view, rows, true);
    return ERR_OK;
}

ErrorCode system_rows_pg_auth_members(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    while (view->inner->object_next(view->inner, OBJECT_MEMBERSHIP, &cursor, &object)) {
        MembershipBody body;
        TRY(membership_body_decode(object->body, &body, err));
        row_begin(rows);
        put_oid(rows, role_oid(object->parent_id));
        put_oid(rows, role_oid(body.member_id));
        put_oid(rows, role_oid(body.grantor_id));
        put_bool(rows, body.admin);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_info_enabled_roles(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    AnyRole role;
    (void)err;
    while (next_role(view, &cursor, &role)) {
        row_begin(rows);
        put_text(rows, role.name);
        row_end(rows);
    }
    return ERR_OK;
}

/* ---- default privileges ---- */

/* "schema/kind", as ddl/ names them */
static bool read_default_name(Str name, uint32_t *schema_id_out, uint32_t *kind_out) {
    int64_t schema = 0, kind = 0;
    bool overflow;
    Str first;
    bool read = str_split(&name, '/', &first) && parse_int64(first, &schema, &overflow) && parse_int64(name, &kind, &overflow);
    *schema_id_out = (uint32_t)schema;
    *kind_out = (uint32_t)kind;
    return read;
}

ErrorCode system_rows_pg_default_acl(SystemView *view, SystemRows *rows, Error *err) {
    const CatalogObject *object = NULL;
    for (size_t cursor = 0; view->inner->object_next(view->inner, OBJECT_DEFAULT_GRANT, &cursor, &object);) {
        GrantBody body;
        uint32_t schema_id = 0, kind = 0;
        TRY(grant_body_decode(object->body, &rows->scratch, &body, err));
        if (!read_default_name(object->name, &schema_id, &kind)) {
            continue;
        }
        AclItem *items = arena_array(&rows->scratch, AclItem, body.item_count + 1u);
        uint32_t count = 0;
        if (schema_id == 0) { /* for all schemas the list begins with the owner's own */
            items[count++] = catalog_owner_item((uint8_t)kind, object->parent_id);
        }
        memcpy(items + count, body.items, sizeof *items * body.item_count);
        row_begin(rows);
        put_oid(rows, oid_of_object(object->id));
        put_oid(rows, role_oid(object->parent_id));
        put_oid(rows, schema_id == 0 ? 0 : schema_oid(schema_id));
        put_char(rows, kind == OBJECT_SEQUENCE ? 'S' : kind == OBJECT_SCHEMA ? 'n' : 'r');
        put_acl_items(view, rows, items, count + body.item_count);
        row_end(rows);
    }
    return ERR_OK;
}

/* ---- privileges of tables ---- */

/* column: NULL for the relation itself. */
static void put_grant(SystemView *view, SystemRows *rows, const AnyRelation *table, const Str *column, const AclItem *item, const char *privilege, bool grantable,
                      bool hierarchy) {
    Str grantee = item->grantee_id == ROLE_PUBLIC_ID ? STR("PUBLIC") : catalog_role_name(view->inner, item->grantee_id);
    row_begin(rows);
    put_text(rows, catalog_role_name(view->inner, item->grantor_id));
    put_text(rows, grantee);
    put_catalog(view, rows);
    put_text(rows, table->schema_name);
    put_text(rows, table->name);
    if (column != NULL) {
        put_text(rows, *column);
    }
    put_c(rows, privilege);
    put_yes(rows, grantable);
    if (column == NULL) {
        put_yes(rows, hierarchy);
    }
    row_end(rows);
}

static void put_grants(SystemView *view, SystemRows *rows, const AnyRelation *table) {
    static const struct { const char *name; uint32_t bit; } TABLE_PRIVILEGES[] = {
        {"INSERT", PRIVILEGE_INSERT}, {"SELECT", PRIVILEGE_SELECT}, {"UPDATE", PRIVILEGE_UPDATE}, {"DELETE", PRIVILEGE_DELETE},
        {"TRUNCATE", PRIVILEGE_TRUNCATE}, {"REFERENCES", PRIVILEGE_REFERENCES}, {"TRIGGER", PRIVILEGE_TRIGGER},
    };
    GrantBody list;
    catalog_grants(view->inner, acl_object_kind(table->kind), table->oid - OID_FIRST_USER, &rows->scratch, &list);
    for (uint16_t i = 0; i < list.item_count; i++) {
        bool is_owner = list.items[i].grantee_id == list.owner_id;
        for (size_t p = 0; p < COUNT_OF(TABLE_PRIVILEGES); p++) {
            if ((list.items[i].privileges & TABLE_PRIVILEGES[p].bit) != 0) {
                bool grantable = is_owner || (list.items[i].grant_options & TABLE_PRIVILEGES[p].bit) != 0;
                put_grant(view, rows, table, NULL, &list.items[i], TABLE_PRIVILEGES[p].name, grantable, TABLE_PRIVILEGES[p].bit == PRIVILEGE_SELECT);
            }
        }
    }
}

/* ---- privileges of columns: those that their table gives ---- */

static void put_column_grants(SystemView *view, SystemRows *rows, const AnyRelation *table) {
    static const struct { const char *name; uint32_t bit; } COLUMN_PRIVILEGES[] = {
        {"INSERT", PRIVILEGE_INSERT}, {"SELECT", PRIVILEGE_SELECT}, {"UPDATE", PRIVILEGE_UPDATE}, {"REFERENCES", PRIVILEGE_REFERENCES}};
    GrantBody list;
    catalog_grants(view->inner, acl_object_kind(table->kind), table->oid - OID_FIRST_USER, &rows->scratch, &list);
    for (uint32_t i = 0; i < (uint32_t)list.item_count * COUNT_OF(COLUMN_PRIVILEGES); i++) {
        const AclItem *item = &list.items[i / COUNT_OF(COLUMN_PRIVILEGES)];
        size_t p = i % COUNT_OF(COLUMN_PRIVILEGES);
        bool grantable = item->grantee_id == list.owner_id || (item->grant_options & COLUMN_PRIVILEGES[p].bit) != 0;
        for (uint16_t c = 0; c < relation_column_count(table) && (item->privileges & COLUMN_PRIVILEGES[p].bit) != 0; c++) {
            AnyColumn column;
            relation_column(table, c, &column);
            put_grant(view, rows, table, &column.name, item, COLUMN_PRIVILEGES[p].name, grantable, false);
        }
    }
}

/* ---- the four views of both ---- */

static ErrorCode each_granted(SystemView *view, SystemRows *rows, void (*put)(SystemView *, SystemRows *, const AnyRelation *)) {
    RelationWalk walk = {0};
    AnyRelation relation;
    while (next_relation(view, &walk, &relation)) {
        if (!relation.is_system && (relation.kind == 'r' || relation.kind == 'v')) {
            put(view, rows, &relation);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_info_role_table_grants(SystemView *view, SystemRows *rows, Error *err) { return (void)err, each_granted(view, rows, put_grants); }
ErrorCode system_rows_info_table_privileges(SystemView *view, SystemRows *rows, Error *err) { return (void)err, each_granted(view, rows, put_grants); }
ErrorCode system_rows_info_column_privileges(SystemView *view, SystemRows *rows, Error *err) { return (void)err, each_granted(view, rows, put_column_grants); }
ErrorCode system_rows_info_role_column_grants(SystemView *view, SystemRows *rows, Error *err) { return (void)err, each_granted(view, rows, put_column_grants); }
