/* SPDX-License-Identifier: Apache-2.0
 * privilege.h - what a role may do, by ownership, grants and memberships. */
#pragma once
#include "sql/system/each.h"

bool role_is_member(SystemView *view, uint32_t role_id, uint32_t of_role_id); /* itself too; superusers are in every role */
/* Has one of the privileges (Privilege bits). kind: relkind, 'n', 'd'. */
bool role_may(SystemView *view, uint32_t role_id, uint32_t object_id, char kind, uint32_t privileges);
