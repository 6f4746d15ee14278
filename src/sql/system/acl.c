/* SPDX-License-Identifier: Apache-2.0
 * acl.c - see acl.h. */
#include "sql/system/acl.h"
#include "sql/system/define.h"

uint8_t acl_object_kind(char kind) {
    switch (kind) {
    case 'S': return OBJECT_SEQUENCE;
    case 'v': return OBJECT_VIEW;
    case 'n': return OBJECT_SCHEMA;
    case 'd': return OBJECT_NONE;
    default: return OBJECT_TABLE;
    }
}

uint32_t session_role(SystemView *view) {
    const CatalogObject *role = catalog_role_find(view->inner, view->environment->user_name);
    return role == NULL ? (uint32_t)ROLE_POSTGRES_ID : role->id;
}

static void format_item(SystemView *view, const AclItem *item, Buffer *out) {
    static const struct { char letter; uint32_t bit; } LETTERS[] = {
#define X(name, letter, number) {letter, UINT32_C(1) << (number)},
        PRIVILEGES(X)
#undef X
    };
    if (item->grantee_id != ROLE_PUBLIC_ID) {
        put_name(out, catalog_role_name(view->inner, item->grantee_id));
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
    put_name(out, catalog_role_name(view->inner, item->grantor_id));
}

/* PostgreSQL's own lists by kind of object: letters of everybody, then of the owner. */
static const struct { char kind; const char *everybody, *owner; } DEFAULTS[] = {
    {'c', "", ""}, {'r', "", "arwdDxtm"}, {'s', "", "rwU"}, {'d', "Tc", "CTc"}, {'f', "X", "X"}, {'l', "U", "U"}, {'L', "", "rw"},
    {'n', "", "UC"}, {'p', "", "sA"}, {'t', "", "C"}, {'F', "", "U"}, {'S', "", "U"}, {'T', "U", "U"},
};

uint32_t acl_default(char kind, Str owner, Arena *arena, Str texts_out[2]) {
    uint32_t count = 0;
    for (size_t i = 0; i < COUNT_OF(DEFAULTS); i++) {
        if (DEFAULTS[i].kind != kind) {
            continue;
        }
        if (DEFAULTS[i].everybody[0] != 0) {
            texts_out[count++] = arena_format(arena, "=%s/%.*s", DEFAULTS[i].everybody, STR_ARG(owner));
        }
        if (DEFAULTS[i].owner[0] != 0) {
            texts_out[count++] = arena_format(arena, "%.*s=%s/%.*s", STR_ARG(owner), DEFAULTS[i].owner, STR_ARG(owner));
        }
        return count;
    }
    return ACL_NO_KIND;
}

void put_acl_items(SystemView *view, SystemRows *rows, const AclItem *items, uint32_t item_count) {
    enum { ACL_ITEMS_MAX = 1000 };
    uint32_t count = MIN_OF(item_count, (uint32_t)ACL_ITEMS_MAX);
    Str *texts = arena_array(&rows->scratch, Str, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        Buffer text;
        buffer_init(&text, DEFINITION_BYTES_MAX);
        format_item(view, &items[i], &text);
        texts[i] = arena_str(&rows->scratch, buffer_str(&text));
        buffer_deinit(&text);
    }
    put_texts(rows, texts, count);
}

void put_acl(SystemView *view, SystemRows *rows, uint32_t oid, char kind) {
    GrantBody grant = {0};
    if (oid != 0) {
        uint32_t id = kind == 'n' && oid == OID_SCHEMA_PUBLIC ? (uint32_t)SCHEMA_PUBLIC_ID : kind == 'd' ? 0 : oid - OID_FIRST_USER;
        catalog_grants(view->inner, acl_object_kind(kind), id, &rows->scratch, &grant);
    }
    bool shown = kind == 'n' && oid == OID_SCHEMA_PUBLIC; /* its default is not that of other schemas: everybody may use it */
    if (!grant.has_acl && !shown) {
        put_null(rows);
        return;
    }
    put_acl_items(view, rows, grant.items, grant.item_count);
}
