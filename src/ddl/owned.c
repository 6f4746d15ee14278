/* SPDX-License-Identifier: Apache-2.0
 * owned.c - REASSIGN OWNED, DROP OWNED.
 *
 * Tests: test/sql/roles.slt */
#include "ddl/ddl_internal.h"

static ErrorCode reassign(Ddl *ddl, uint32_t from, uint32_t to, Error *err) {
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        const CatalogObject *object = ddl->catalog->object_by_id(ddl->catalog, grant->parent_id);
        if (object != NULL && catalog_owner(ddl->catalog, object->id) == from) {
            TRY(ddl__set_owner(ddl, object->kind, object->id, to, err));
        }
    }
    return ERR_OK;
}

/* The list without the role; false: it was not in it. */
static bool without_role(Ddl *ddl, GrantBody *body, uint32_t role_id) {
    AclItem *items = arena_array(ddl->arena, AclItem, body->item_count + 1u);
    uint16_t kept = 0;
    for (uint16_t i = 0; i < body->item_count; i++) {
        if (body->items[i].grantee_id != role_id && (body->items[i].grantor_id != role_id || body->owner_id == role_id)) {
            items[kept++] = body->items[i];
        }
    }
    bool changed = kept < body->item_count;
    body->items = items;
    body->item_count = kept;
    return changed;
}

static ErrorCode revoke_defaults(Ddl *ddl, uint32_t role_id, Error *err) {
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_DEFAULT_GRANT, &cursor, &grant);) {
        GrantBody body;
        TRY(grant_body_decode(grant->body, ddl->arena, &body, err));
        bool changed = without_role(ddl, &body, role_id);
        if (grant->parent_id == role_id || (changed && body.item_count == 0)) {
            TRY(txn_object_drop(ddl->txn, grant->id, err));
        } else if (changed) {
            CatalogObject def = *grant;
            def.body = ddl__grant_bytes(ddl, &body);
            TRY(txn_object_replace(ddl->txn, &def, err));
        }
    }
    return ERR_OK;
}

/* Takes the role out of every list. */
static ErrorCode revoke_everything(Ddl *ddl, uint32_t role_id, Error *err) {
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        GrantBody body;
        TRY(grant_body_decode(grant->body, ddl->arena, &body, err));
        if (without_role(ddl, &body, role_id)) {
            TRY(ddl__put_grant(ddl, grant->parent_id, &body, err));
        }
    }
    return revoke_defaults(ddl, role_id, err);
}

static ErrorCode drop_owned(Ddl *ddl, uint32_t role_id, bool cascade, Error *err) {
    uint32_t count = 0;
    const CatalogObject *grant = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        count++;
    }
    uint32_t *ids = arena_array(ddl->arena, uint32_t, count + 1);
    count = 0;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_GRANT, &cursor, &grant);) {
        if (grant->parent_id >= OBJECT_FIRST_FREE_ID && catalog_owner(ddl->catalog, grant->parent_id) == role_id) {
            ids[count++] = grant->parent_id;
        }
    }
    TRY(ddl_drop(ddl, ids, count, cascade, err));
    return revoke_everything(ddl, role_id, err);
}

ErrorCode ddl__owned(Ddl *ddl, const AstOwned *ast, Error *err) {
    ddl__tag(ddl, ast->drop ? "DROP OWNED" : "REASSIGN OWNED");
    uint32_t to = 0;
    if (!ast->drop) {
        TRY(ddl__role(ddl, &ast->to, &to, err));
    }
    for (uint32_t i = 0; i < ast->role_count; i++) {
        uint32_t from = 0;
        TRY(ddl__role(ddl, &ast->roles[i], &from, err));
        if (!catalog_role_is_member(ddl->catalog, ddl->role_id, from, MEMBERSHIP_INHERIT)) {
            error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to %s objects", ast->drop ? "drop" : "reassign"));
            return error_add(err, 'D', ast->drop ? "Only roles with privileges of role \"%.*s\" may drop objects owned by it."
                                                 : "Only roles with privileges of role \"%.*s\" may reassign objects owned by it.",
                             STR_ARG(catalog_role_name(ddl->catalog, from)));
        }
        TRY(ast->drop ? drop_owned(ddl, from, ast->cascade, err) : reassign(ddl, from, to, err));
    }
    return ERR_OK;
}
