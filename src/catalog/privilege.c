/* SPDX-License-Identifier: Apache-2.0
 * privilege.c - roles, their memberships, and lists of privileges.
 *
 * Tests: test/sql/roles.slt */
#include "catalog/privilege.h"

enum { MEMBERSHIP_DEPTH_MAX = 64, PRIVILEGE_ARENA_BYTES_MAX = 1 << 20 };

const CatalogObject *catalog_role_find(CatalogView *view, Str name) {
    const CatalogObject *role = view->object_find(view, OBJECT_ROLE, 0, name);
    return role != NULL && str_equal(role->name, name) ? role : NULL;
}

bool catalog_role_is_superuser(CatalogView *view, uint32_t role_id) {
    RoleBody body;
    const CatalogObject *role = view->object_by_id(view, role_id);
    return role != NULL && role->kind == OBJECT_ROLE && role_body_decode(role->body, &body, NULL) == ERR_OK && body.superuser;
}

Str catalog_role_name(CatalogView *view, uint32_t role_id) {
    const CatalogObject *role = view->object_by_id(view, role_id);
    return role == NULL || role->kind != OBJECT_ROLE ? (Str){0} : role->name;
}

/* Depth first; a ring cannot be made (GRANT refuses it), the depth bounds a damaged one. */
static bool is_member(CatalogView *view, uint32_t role_id, uint32_t group_id, MembershipUse use, int depth) {
    if (role_id == group_id) {
        return true;
    }
    const CatalogObject *membership = NULL;
    for (size_t cursor = 0; depth < MEMBERSHIP_DEPTH_MAX && view->object_next(view, OBJECT_MEMBERSHIP, &cursor, &membership);) {
        MembershipBody body;
        bool mine = membership_body_decode(membership->body, &body, NULL) == ERR_OK && body.member_id == role_id;
        bool counts = use == MEMBERSHIP_INHERIT ? body.inherit : use == MEMBERSHIP_SET ? body.set : true;
        if (mine && counts && is_member(view, membership->parent_id, group_id, use, depth + 1)) {
            return true;
        }
    }
    return false;
}

bool catalog_role_is_member(CatalogView *view, uint32_t role_id, uint32_t group_id, MembershipUse use) {
    return catalog_role_is_superuser(view, role_id) || is_member(view, role_id, group_id, use, 0);
}

bool catalog_role_is_admin(CatalogView *view, uint32_t role_id, uint32_t group_id) {
    const CatalogObject *membership = NULL;
    bool is_admin = catalog_role_is_superuser(view, role_id);
    for (size_t cursor = 0; !is_admin && role_id != group_id && view->object_next(view, OBJECT_MEMBERSHIP, &cursor, &membership);) {
        MembershipBody body;
        bool gives = membership->parent_id == group_id && membership_body_decode(membership->body, &body, NULL) == ERR_OK && body.admin;
        is_admin = gives && is_member(view, role_id, body.member_id, MEMBERSHIP_ANY, 0);
    }
    return is_admin;
}

uint32_t catalog_privileges_of_kind(uint8_t kind) {
    switch (kind) {
    case OBJECT_TABLE:
    case OBJECT_VIEW: return PRIVILEGE_ALL_RELATION;
    case OBJECT_SEQUENCE: return PRIVILEGE_ALL_SEQUENCE;
    case OBJECT_SCHEMA: return PRIVILEGE_ALL_SCHEMA;
    case OBJECT_TYPE: return PRIVILEGE_USAGE;
    case OBJECT_NONE: return PRIVILEGE_ALL_DATABASE;
    default: return 0;
    }
}

AclItem catalog_owner_item(uint8_t kind, uint32_t owner_id) { return (AclItem){owner_id, owner_id, catalog_privileges_of_kind(kind), 0}; }

static uint32_t public_default(uint8_t kind, uint32_t object_id) {
    if (kind == OBJECT_NONE) {
        return PRIVILEGE_CONNECT | PRIVILEGE_TEMPORARY;
    }
    if (kind == OBJECT_TYPE) {
        return PRIVILEGE_USAGE;
    }
    return kind == OBJECT_SCHEMA && object_id == SCHEMA_PUBLIC_ID ? PRIVILEGE_USAGE : 0;
}

static const CatalogObject *grant_of(CatalogView *view, uint32_t object_id) {
    return view->object_find(view, OBJECT_GRANT, object_id, (Str){0});
}

void catalog_grants(CatalogView *view, uint8_t kind, uint32_t object_id, Arena *arena, GrantBody *grant_out) {
    const CatalogObject *grant = grant_of(view, object_id);
    *grant_out = (GrantBody){.owner_id = ROLE_POSTGRES_ID};
    if (grant != NULL && grant_body_decode(grant->body, arena, grant_out, NULL) != ERR_OK) {
        *grant_out = (GrantBody){.owner_id = ROLE_POSTGRES_ID};
    }
    if (grant_out->has_acl) {
        return;
    }
    AclItem *items = arena_array(arena, AclItem, 2);
    items[0] = catalog_owner_item(kind, grant_out->owner_id);
    items[1] = (AclItem){ROLE_PUBLIC_ID, grant_out->owner_id, public_default(kind, object_id), 0};
    grant_out->items = items;
    grant_out->item_count = items[1].privileges != 0 ? 2 : 1;
}

uint32_t catalog_owner(CatalogView *view, uint32_t object_id) {
    const CatalogObject *grant = grant_of(view, object_id);
    Reader reader = reader_from(grant != NULL ? grant->body : (Bytes){0});
    uint32_t owner = grant != NULL ? reader_u32le(&reader) : ROLE_POSTGRES_ID;
    return reader.failed ? ROLE_POSTGRES_ID : owner;
}

bool catalog_owns(CatalogView *view, uint32_t role_id, uint32_t object_id) {
    return catalog_role_is_member(view, role_id, catalog_owner(view, object_id), MEMBERSHIP_INHERIT);
}

uint32_t catalog_privileges(CatalogView *view, uint32_t role_id, uint8_t kind, uint32_t object_id, bool with_option) {
    if (catalog_role_is_superuser(view, role_id)) {
        return catalog_privileges_of_kind(kind);
    }
    Arena arena;
    arena_init(&arena, PRIVILEGE_ARENA_BYTES_MAX);
    GrantBody grant;
    catalog_grants(view, kind, object_id, &arena, &grant);
    uint32_t held = 0;
    for (uint16_t i = 0; i < grant.item_count; i++) {
        const AclItem *item = &grant.items[i];
        if (item->grantee_id == ROLE_PUBLIC_ID || catalog_role_is_member(view, role_id, item->grantee_id, MEMBERSHIP_INHERIT)) {
            held |= with_option ? item->grant_options : item->privileges;
        }
    }
    if (with_option && catalog_role_is_member(view, role_id, grant.owner_id, MEMBERSHIP_INHERIT)) {
        held |= catalog_privileges_of_kind(kind); /* the owner may always grant */
    }
    arena_deinit(&arena);
    return held;
}
