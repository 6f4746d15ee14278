/* SPDX-License-Identifier: Apache-2.0
 * acl.c - see acl.h. */
#include "sql/system/acl.h"
#include "sql/system/define.h"

static uint32_t all_privileges(char kind) {
    switch (kind) {
    case 'S': return PRIVILEGE_ALL_SEQUENCE;
    case 'n': return PRIVILEGE_ALL_SCHEMA;
    case 'd': return PRIVILEGE_ALL_DATABASE;
    default: return PRIVILEGE_ALL_RELATION;
    }
}

AclList acl_of(SystemView *view, uint32_t object_id, char kind, AclItem *own) {
    const CatalogObject *grant = view->inner->object_find(view->inner, OBJECT_GRANT, object_id, (Str){0});
    GrantBody body = {.owner_id = ROLE_POSTGRES_ID};
    if (grant != NULL && grant_body_decode(grant->body, view->arena, &body, NULL) == ERR_OK && body.has_acl) {
        return (AclList){body.owner_id, body.items, body.item_count, false};
    }
    *own = (AclItem){.grantee_id = body.owner_id, .grantor_id = body.owner_id, .privileges = all_privileges(kind)};
    return (AclList){body.owner_id, own, 1, true};
}

static void format_item(SystemView *view, const AclItem *item, Buffer *out) {
    static const struct { char letter; uint32_t bit; } LETTERS[] = {
#define X(name, letter, number) {letter, UINT32_C(1) << (number)},
        PRIVILEGES(X)
#undef X
    };
    if (item->grantee_id != ROLE_PUBLIC_ID) {
        put_name(out, role_name(view, item->grantee_id));
    }
    buffer_append_char(out, '=');
    for (size_t i = 0; i < COUNT_OF(LETTERS); i++) {
        if ((item->privileges & LETTERS[i].bit) != 0) {
            buffer_append_char(out, LETTERS[i].letter);
            if ((item->grant_options & LETTERS[i].bit) != 0) {
                buffer_append_char(out, '*');
            }
        }
    }
    buffer_append_char(out, '/');
    put_name(out, role_name(view, item->grantor_id));
}

void put_acl(SystemView *view, SystemRows *rows, uint32_t oid, char kind) {
    enum { ACL_ITEMS_MAX = 1000 };
    AclItem own;
    AclList list = {.is_default = true};
    if (oid != 0) {
        list = acl_of(view, kind == 'n' && oid == OID_SCHEMA_PUBLIC ? (uint32_t)SCHEMA_PUBLIC_ID : kind == 'd' ? 0 : oid - OID_FIRST_USER, kind, &own);
    }
    if (list.is_default) {
        put_null(rows);
        return;
    }
    uint32_t count = MIN_OF((uint32_t)list.count, (uint32_t)ACL_ITEMS_MAX);
    Str *texts = arena_array(&rows->scratch, Str, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        Buffer text;
        buffer_init(&text, DEFINITION_BYTES_MAX);
        format_item(view, &list.items[i], &text);
        texts[i] = arena_str(&rows->scratch, buffer_str(&text));
        buffer_deinit(&text);
    }
    put_texts(rows, texts, count);
}

bool role_is_superuser(SystemView *view) {
    const CatalogObject *role = view->inner->object_find(view->inner, OBJECT_ROLE, 0, view->environment->user_name);
    RoleBody body;
    return role != NULL && role_body_decode(role->body, &body, NULL) == ERR_OK && body.superuser;
}
