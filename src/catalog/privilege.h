/* SPDX-License-Identifier: Apache-2.0
 * privilege.h - who owns an object and who may do what with it, asked of a CatalogView.
 *
 * Rules:   PostgreSQL's. A superuser may everything. The owner holds every privilege until the list says otherwise; members of a role
 *          (that inherit) hold what it holds; everybody holds what ROLE_PUBLIC_ID holds.
 * Cost:    one look at the memberships and one at the object's grant; nothing is cached. */
#pragma once
#include "catalog/bodies.h"

const CatalogObject *catalog_role_find(CatalogView *view, Str name);                    /* NULL: there is none */
bool catalog_role_is_superuser(CatalogView *view, uint32_t role_id);
/* Member of the group, directly or through others, by memberships that count for the use; itself too. Superusers are members of every role. */
typedef enum MembershipUse { MEMBERSHIP_ANY, MEMBERSHIP_INHERIT /* holds its privileges */, MEMBERSHIP_SET /* may SET ROLE to it */ } MembershipUse;
bool catalog_role_is_member(CatalogView *view, uint32_t role_id, uint32_t group_id, MembershipUse use);
bool catalog_role_is_admin(CatalogView *view, uint32_t role_id, uint32_t group_id); /* may grant the group and change it; nobody is of itself */
Str catalog_role_name(CatalogView *view, uint32_t role_id);                             /* empty: gone */

/* Owner of an object; postgres where nothing else is said. */
uint32_t catalog_owner(CatalogView *view, uint32_t object_id);
/* Owner and list of an object (id 0: the database). What was never granted is the kind's default, items and all, made in the arena. */
void catalog_grants(CatalogView *view, uint8_t kind, uint32_t object_id, Arena *arena, GrantBody *grant_out);
AclItem catalog_owner_item(uint8_t kind, uint32_t owner_id);                          /* the owner's item in a default list */
uint32_t catalog_privileges_of_kind(uint8_t kind);                                      /* every bit that means something for it; OBJECT_NONE: the database */
/* Every privilege that the role holds; with_option: only those that it may grant. */
uint32_t catalog_privileges(CatalogView *view, uint32_t role_id, uint8_t kind, uint32_t object_id, bool with_option);
bool catalog_owns(CatalogView *view, uint32_t role_id, uint32_t object_id);      /* owner, member of the owner, or superuser */
