/* SPDX-License-Identifier: Apache-2.0
 * schema_json.h - the `schema` part of /imp: [{"name":"a","type":"TIMESTAMP","pattern":"yyyy-MM-dd"},…] */
#pragma once
#include "load/load.h"

/* Texts and the list lie in the arena. ERR_SYNTAX with the byte position, ERR_UNDEFINED_OBJECT for an unknown type. */
NODISCARD ErrorCode schema_json_read(Str text, Arena *arena, LoadColumnSpec **columns_out, uint32_t *count_out, Error *err);
