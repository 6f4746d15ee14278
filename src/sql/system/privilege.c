/* SPDX-License-Identifier: Apache-2.0
 * privilege.c - see privilege.h. */
#include "sql/system/privilege.h"
#include "sql/system/acl.h"

enum { MEMBERSHIP_DEPTH_MAX = 32 };

static bool is_superuser(SystemView *view, uint32_t role_id) {
    const CatalogObject *role = view->inner->object_by_id(view->inner, role_id);
    RoleBody body;
    return role != NULL && role->kind == OBJECT_ROLE && role_body_decode(role->body, &body, NULL) == ERR_OK && body.superuser;
}

static bool is_member(SystemView *view, uint32_t role_id, uint32_t of_role_id, int depth) {
    size_t cursor = 0;
    const CatalogObject *object;
    if (role_id == of_role_id) {
        return true;
    }
    while (depth < MEMBERSHIP_DEPTH_MAX && view->inner->object_next(view->inner, OBJECT_MEMBERSHIP, &cursor, &object)) {
        MembershipBody body;
        if (membership_body_decode(object->body, &body, NULL) == ERR_OK && body.member_id == role_id && is_member(view, object->parent_id, of_role_id, depth + 1)) {
            return true;
        }
    }
    return false;
}

bool role_is_member(SystemView *view, uint32_t role_id, uint32_t of_role_id) {
    return is_superuser(view, role_id) || is_member(view, role_id, of_role_id, 0);
}

bool role_may(SystemView *view, uint32_t role_id, uint32_t object_id, char kind, uint32_t privileges) {
    AclItem own;
    if (is_superuser(view, role_id)) {
        return true;
    }
    AclList list = acl_of(view, object_id, kind, &own);
    for (uint16_t i = 0; i < list.count; i++) {
        uint32_t grantee = list.items[i].grantee_id;
        bool applies = grantee == ROLE_PUBLIC_ID || is_member(view, role_id, grantee, 0);
        if (applies && (list.items[i].privileges & privileges) != 0) {
            return true;
        }
    }
    return false;
}
