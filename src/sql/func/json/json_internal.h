/* SPDX-License-Identifier: Apache-2.0
 * json_internal.h - shared by the functions of json: walking over valid texts. */
#pragma once
#include "column/any_array.h"
#include "column/jsonb.h"
#include "sql/func/func_internal.h"

typedef struct JsonWalk { Str text; size_t at; } JsonWalk;

Str json__take(JsonWalk *w);                                /* the next value, from its first to its last byte */
bool json__enter(JsonWalk *w, char open, char close);       /* into an array or object; false: it is empty or something else */
bool json__more(JsonWalk *w);                               /* past the comma; false at the end */
void json__take_pair(JsonWalk *w, Str *key_out, Str *value_out); /* the key with its quotes */
void json__take_member(JsonWalk *w, bool object, Str *key_out, Str *value_out); /* a pair, or an element, whose key is empty */
static inline bool json__is_container(Str json) {
    JsonKind kind = json_kind(json);
    return kind == JSON_ARRAY || kind == JSON_OBJECT;
}
bool json__key_is(Str quoted, Str key, Buffer *scratch);
bool json__field(Str json, Str key, Str *value_out);
int64_t json__element_count(Str json);
bool json__element(Str json, int64_t number, Str *value_out); /* negative numbers count from the end */
/* Appends one row's text. */
typedef ErrorCode (*JsonPut)(const KernelCall *call, size_t row, Buffer *out, Error *err);
/* The rows of a function that makes json or jsonb: what put wrote, as it is for json, in normal form for jsonb. */
NODISCARD ErrorCode json__rows(const KernelCall *call, JsonPut put, Vector *out, Error *err);
/* "text" with its escapes. */
void json__put_string(Str text, Buffer *out);
