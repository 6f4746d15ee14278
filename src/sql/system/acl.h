/* SPDX-License-Identifier: Apache-2.0
 * acl.h - privileges as the catalogs show them. */
#pragma once
#include "sql/system/each.h"

typedef struct AclList { uint32_t owner_id; const AclItem *items; uint16_t count; bool is_default; } AclList;
/* Of an object (kind: relkind, 'n' schema, 'd' database). Without grants: the owner's own, written to *own. */
AclList acl_of(SystemView *view, uint32_t object_id, char kind, AclItem *own);
/* aclitem[] column: NULL while the privileges are the default. oid 0: of the system. */
void put_acl(SystemView *view, SystemRows *rows, uint32_t oid, char kind);
bool role_is_superuser(SystemView *view);   /* the session's */
