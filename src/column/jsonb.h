/* SPDX-License-Identifier: Apache-2.0
 * jsonb.h - json texts: checking them, and the normal form that jsonb is stored in.
 *
 * Normal form: PostgreSQL's output of jsonb: one blank behind ':' and ',', keys by length and then by bytes, the last of equal keys,
 *              numbers as numeric prints them, strings with the fewest escapes. Order: PostgreSQL's order of jsonb values. */
#pragma once
#include "base/memory.h"

enum { JSON_DEPTH_MAX = 1000 };

NODISCARD ErrorCode json_check(Str text, Error *err);                       /* json: ERR_INVALID_TEXT; ERR_TOO_COMPLEX past the depth */
NODISCARD ErrorCode jsonb_normalise(Str text, Buffer *out, Error *err);     /* appends */
int jsonb_compare(Str a, Str b);                                            /* both in normal form */
uint64_t jsonb_hash(Str text);                                              /* equal values hash alike: 1.0 and 1.00 */
/* The content of a string with its quotes; appends. */
NODISCARD ErrorCode json_decode_string(Str quoted, Buffer *out, Error *err);
typedef enum JsonKind { JSON_NULL, JSON_STRING, JSON_NUMBER, JSON_BOOL, JSON_ARRAY, JSON_OBJECT } JsonKind;
JsonKind json_kind(Str text);                                               /* of a valid text */
