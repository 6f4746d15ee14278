/* SPDX-License-Identifier: Apache-2.0
 * role_member.c - memberships of roles: GRANT and REVOKE of roles, members named by CREATE and ALTER ROLE.
 *
 * Why:   a membership is kept once, whoever granted it; the last grantor is shown. PostgreSQL keeps one a grantor.
 * Tests: test/sql/roles.slt, role_rights.slt */
#include "ddl/ddl_internal.h"

static const CatalogObject *membership_find(Ddl *ddl, uint32_t role_id, uint32_t member_id) {
    return ddl->catalog->object_find(ddl->catalog, OBJECT_MEMBERSHIP, role_id, arena_format(ddl->arena, "%u", member_id));
}

static Bytes encode(Ddl *ddl, const MembershipBody *body) {
    Buffer out;
    buffer_init(&out, 4096);
    membership_body_encode(body, &out);
    return ddl__bytes(ddl, &out);
}

static void take_options(const AstMembership *wish, MembershipBody *body) {
    ddl__take_flag(wish->admin, &body->admin);
    ddl__take_flag(wish->inherit, &body->inherit);
    ddl__take_flag(wish->set, &body->set);
}

/* Who grants is the superuser behind all of them, or the role itself. */
static uint32_t grantor_of(Ddl *ddl) { return ddl__is_superuser(ddl) ? ROLE_POSTGRES_ID : ddl->role_id; }

static ErrorCode put(Ddl *ddl, uint32_t role_id, const MembershipBody *body, const CatalogObject *old, Error *err) {
    CatalogObject def = {.kind = OBJECT_MEMBERSHIP, .parent_id = role_id, .name = arena_format(ddl->arena, "%u", body->member_id), .body = encode(ddl, body)};
    return ddl__put_object(ddl, &def, old, err);
}

static bool same_options(const MembershipBody *a, const MembershipBody *b) { return a->admin == b->admin && a->inherit == b->inherit && a->set == b->set; }

static ErrorCode check_ring(Ddl *ddl, uint32_t role_id, uint32_t member_id, int64_t position, Error *err) {
    if (role_id == ROLE_PUBLIC_ID || member_id == ROLE_PUBLIC_ID) {
        return error_set(err, ERR_UNDEFINED_OBJECT, position, "role \"public\" does not exist");
    }
    if (catalog_role_is_member(ddl->catalog, role_id, member_id, MEMBERSHIP_ANY) && !catalog_role_is_superuser(ddl->catalog, role_id)) {
        return error_set(err, ERR_INVALID_GRANT, position, "role \"%.*s\" is a member of role \"%.*s\"", STR_ARG(catalog_role_name(ddl->catalog, role_id)),
                         STR_ARG(catalog_role_name(ddl->catalog, member_id)));
    }
    return ERR_OK;
}

static ErrorCode join(Ddl *ddl, uint32_t role_id, uint32_t member_id, const AstMembership *wish, int64_t position, Error *err) {
    TRY(check_ring(ddl, role_id, member_id, position, err));
    const CatalogObject *old = membership_find(ddl, role_id, member_id);
    RoleBody member;
    (void)ddl__role_body(ddl, member_id, &member);
    uint32_t grantor = grantor_of(ddl);
    MembershipBody body = {.member_id = member_id, .grantor_id = grantor, .inherit = member.inherit, .set = true};
    MembershipBody before = body;
    if (old != NULL) {
        TRY(membership_body_decode(old->body, &before, err));
        bool granted_again = before.grantor_id == grantor;
        body.admin = before.admin;
        body.inherit = granted_again ? before.inherit : body.inherit || before.inherit;
        body.set = granted_again ? before.set : true;
    }
    take_options(wish, &body);
    if (old != NULL && before.grantor_id == grantor && same_options(&before, &body)) {
        ddl_notice(ddl, "00000", "role \"%.*s\" has already been granted membership in role \"%.*s\" by role \"%.*s\"", STR_ARG(catalog_role_name(ddl->catalog, member_id)),
                   STR_ARG(catalog_role_name(ddl->catalog, role_id)), STR_ARG(catalog_role_name(ddl->catalog, grantor)));
        return ERR_OK;
    }
    return put(ddl, role_id, &body, old, err);
}

ErrorCode ddl__join_creator(Ddl *ddl, uint32_t role_id, Error *err) {
    return put(ddl, role_id, &(MembershipBody){.member_id = ddl->role_id, .grantor_id = ROLE_POSTGRES_ID, .admin = true}, NULL, err);
}

static ErrorCode leave(Ddl *ddl, uint32_t role_id, uint32_t member_id, const AstMembership *wish, Error *err) {
    const CatalogObject *old = membership_find(ddl, role_id, member_id);
    MembershipBody body;
    if (old == NULL) {
        ddl_notice(ddl, "01000", "role \"%.*s\" has not been granted membership in role \"%.*s\" by role \"%.*s\"", STR_ARG(catalog_role_name(ddl->catalog, member_id)),
                   STR_ARG(catalog_role_name(ddl->catalog, role_id)), STR_ARG(catalog_role_name(ddl->catalog, grantor_of(ddl))));
        return ERR_OK;
    }
    if (wish->admin < 0 && wish->inherit < 0 && wish->set < 0) {
        return txn_object_drop(ddl->txn, old->id, err);
    }
    TRY(membership_body_decode(old->body, &body, err));
    take_options(wish, &body);
    return put(ddl, role_id, &body, old, err);
}

static ErrorCode join_all(Ddl *ddl, uint32_t role_id, const AstName *members, uint32_t count, const AstMembership *wish, Error *err) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t member = 0;
        TRY(ddl__role(ddl, &members[i], &member, err));
        TRY(join(ddl, role_id, member, wish, members[i].span.at, err));
    }
    return ERR_OK;
}

static bool named_before(const AstName *names, uint32_t place) {
    for (uint32_t i = 0; i < place; i++) {
        if (str_equal(names[i].text, names[place].text)) {
            return true;
        }
    }
    return false;
}

ErrorCode ddl__take_members(Ddl *ddl, const AstRole *ast, uint32_t id, Error *err) {
    static const AstMembership plain = {-1, -1, -1}, admin = {1, -1, -1};
    for (uint32_t i = 0; i < ast->in_role_count; i++) {
        uint32_t role = 0;
        TRY(ddl__role(ddl, &ast->in_roles[i], &role, err));
        TRY(ddl__check_membership(ddl, role, false, err));
        TRY(join(ddl, role, id, &plain, ast->in_roles[i].span.at, err));
    }
    TRY(join_all(ddl, id, ast->members, ast->drops_members ? 0 : ast->member_count, &plain, err));
    TRY(join_all(ddl, id, ast->admins, ast->admin_count, &admin, err));
    for (uint32_t i = 0; ast->drops_members && i < ast->member_count; i++) {
        uint32_t member = 0;
        TRY(ddl__role(ddl, &ast->members[i], &member, err));
        if (!named_before(ast->members, i)) {
            TRY(leave(ddl, id, member, &plain, err));
        }
    }
    return ERR_OK;
}

ErrorCode ddl__grant_roles(Ddl *ddl, const AstGrant *ast, Error *err) {
    for (uint32_t i = 0; i < ast->privilege_count; i++) {
        uint32_t role = 0;
        AstName name = {.text = ast->privileges[i].name, .span = ast->privileges[i].span};
        TRY(ddl__role(ddl, &name, &role, err));
        TRY(ddl__check_membership(ddl, role, ast->revoke, err));
        for (uint32_t j = 0; j < ast->grantee_count; j++) {
            uint32_t member = 0;
            TRY(ddl__role(ddl, &ast->grantees[j], &member, err));
            TRY(ast->revoke ? leave(ddl, role, member, &ast->membership, err)
                            : join(ddl, role, member, &ast->membership, ast->grantees[j].span.at, err));
        }
    }
    return ERR_OK;
}
