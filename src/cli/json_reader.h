/* SPDX-License-Identifier: Apache-2.0
 * json_reader.h - walks a JSON text that is wholly in memory. After something unexpected `failed` is set and every call gives nothing.
 *
 * for (json_enter(&r, '{'); json_next(&r, '}');) { Str key = json_string(&r, &buffer); json_colon(&r); … json_skip(&r); } */
#pragma once
#include "base/memory.h"

typedef struct JsonReader {
    Str text;
    size_t at;
    bool failed, first;
} JsonReader;

char json_peek(JsonReader *reader);                 /* first character of what comes, '\0' at the end */
void json_enter(JsonReader *reader, char open);     /* steps over [ or { */
bool json_next(JsonReader *reader, char close);     /* false: stepped over the closing one; true: another element (or key) comes */
void json_colon(JsonReader *reader);
/* Appends the text to buffer and gives it; valid while the buffer is not touched. */
Str json_string(JsonReader *reader, Buffer *buffer);
Str json_raw(JsonReader *reader);                   /* number, true, false, null, or a whole nested value, as written */
void json_skip(JsonReader *reader);
