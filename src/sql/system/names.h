/* SPDX-License-Identifier: Apache-2.0
 * names.h - oids to names and back for regclass and its kin; see column/value_text.h. */
#pragma once
#include "sql/system/each.h"

void names_append_relation(SystemView *view, const AnyRelation *relation, Buffer *out); /* qualified only if the path does not find it */
bool relation_is_visible(SystemView *view, const AnyRelation *relation);
/* "a", "S"."b": parts unquoted and folded into the arena. Schema is empty if there is one part. false: not a name. */
bool names_split(Str text, Arena *arena, Str *schema_out, Str *name_out);
bool names_find_relation(SystemView *view, Str schema, Str name, AnyRelation *relation_out);
/* ---- labels.c ---- */
bool names_append_label(SystemView *view, int64_t value, Buffer *out);
NODISCARD ErrorCode names_find_label(SystemView *view, uint32_t object_id, Str label, int64_t *value_out, Error *err);
bool names_append_values(SystemView *view, uint32_t object_id, Buffer *out);
const CatalogObject *names_find_user_type(SystemView *view, Str schema, Str name);   /* empty schema: along the path */
bool names_append_user_type(SystemView *view, uint32_t object_id, Buffer *out);
/* format_type(): of built-in types, and of what users made. */
void names_append_type(SystemView *view, uint32_t oid, int32_t modifier, Buffer *out);

bool names_append(SystemView *view, TypeId type, uint32_t oid, Buffer *out);
/* ERR_UNDEFINED_… as PostgreSQL says it. */
NODISCARD ErrorCode names_find(SystemView *view, TypeId type, Str text, uint32_t *oid_out, Error *err);
