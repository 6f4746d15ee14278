/* SPDX-License-Identifier: Apache-2.0
 * acl.h - privileges as the catalogs show them. What they are is catalog/privilege.h's. */
#pragma once
#include "sql/system/each.h"

uint8_t acl_object_kind(char kind);         /* ObjectKind of a relkind, 'n' schema, 'd' database */
/* aclitem[] column: NULL while the privileges are the default. oid 0: of the system. */
void put_acl(SystemView *view, SystemRows *rows, uint32_t oid, char kind);
uint32_t session_role(SystemView *view);    /* id of the role that the statement runs as */
