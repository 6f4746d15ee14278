/* SPDX-License-Identifier: Apache-2.0
 * acl.h - privileges as the catalogs show them. What they are is catalog/privilege.h's. */
#pragma once
#include "sql/system/each.h"

uint8_t acl_object_kind(char kind);         /* ObjectKind of a relkind, 'n' schema, 'd' database */
void put_acl_items(SystemView *view, SystemRows *rows, const AclItem *items, uint32_t item_count); /* aclitem[] column */
/* aclitem[] column: NULL while the privileges are the default. oid 0: of the system. */
void put_acl(SystemView *view, SystemRows *rows, uint32_t oid, char kind);
/* The items of the list that an object of a kind (a letter of acldefault()) has until somebody grants or revokes: how many. */
enum { ACL_NO_KIND = UINT16_MAX };
uint32_t acl_default(char kind, Str owner, Arena *arena, Str texts_out[2]);
uint32_t session_role(SystemView *view);    /* id of the role that the statement runs as */
