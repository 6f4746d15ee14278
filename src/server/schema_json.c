/* SPDX-License-Identifier: Apache-2.0
 * schema_json.c - just the JSON that a schema part is made of: one list of flat objects with text values. */
#include "server/schema_json.h"
#include "base/number.h"

typedef struct Json {
    Str text;
    size_t at;
    Arena *arena;
    Error *err;
} Json;

static void skip_space(Json *json) {
    while (json->at < json->text.len && strchr(" \t\r\n", json->text.data[json->at]) != NULL && json->text.data[json->at] != '\0') {
        json->at++;
    }
}

static bool take(Json *json, char c) {
    skip_space(json);
    bool there = json->at < json->text.len && json->text.data[json->at] == c;
    json->at += there;
    return there;
}

static ErrorCode expected(Json *json, const char *what) {
    return error_set(json->err, ERR_SYNTAX, (int64_t)json->at, "schema: %s expected at %zu", what, json->at);
}

static ErrorCode read_escape(Json *json, char *out, size_t *len) {
    static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
    if (json->at >= json->text.len) {
        return expected(json, "the rest of an escape");
    }
    char c = json->text.data[json->at++];
    uint64_t code = 0;
    if (c == 'u' && json->at + 4 <= json->text.len && parse_hex64(str_slice(json->text, json->at, json->at + 4), &code) &&
        (code < 0xd800 || code > 0xdfff)) {
        json->at += 4;
        *len += (size_t)utf8_encode((uint32_t)code, out + *len);
        return ERR_OK;
    }
    const char *found = c == '\0' ? NULL : strchr(FROM, c);
    if (found == NULL) {
        return expected(json, "an escape");
    }
    out[(*len)++] = TO[found - FROM];
    return ERR_OK;
}

static ErrorCode read_text(Json *json, Str *out) {
    if (!take(json, '"')) {
        return expected(json, "a text");
    }
    char *data = arena_alloc_aligned(json->arena, json->text.len - json->at + 1, 1);
    size_t len = 0;
    while (json->at < json->text.len && json->text.data[json->at] != '"') {
        char c = json->text.data[json->at++];
        if (c == '\\') {
            TRY(read_escape(json, data, &len));
        } else {
            data[len++] = c;
        }
    }
    *out = (Str){data, len};
    return take(json, '"') ? ERR_OK : expected(json, "the end of a text");
}

static ErrorCode set_member(Json *json, Str key, Str value, LoadColumnSpec *column) {
    if (str_equal(key, STR("name"))) {
        column->name = value;
    } else if (str_equal(key, STR("pattern"))) {
        column->pattern = value;
    } else if (str_equal(key, STR("type")) && !type_from_name(value, true, &column->type)) {
        return error_set(json->err, ERR_UNDEFINED_OBJECT, (int64_t)json->at, "schema: unknown type %.*s", STR_ARG(value));
    }
    return ERR_OK; /* other members (upsert, …) have no meaning here */
}

static ErrorCode read_column(Json *json, LoadColumnSpec *column) {
    *column = (LoadColumnSpec){0};
    if (!take(json, '{')) {
        return expected(json, "{");
    }
    bool more = !take(json, '}');
    while (more) {
        Str key, value;
        TRY(read_text(json, &key));
        if (!take(json, ':')) {
            return expected(json, ":");
        }
        TRY(read_text(json, &value));
        TRY(set_member(json, key, value, column));
        more = take(json, ',');
        if (!more && !take(json, '}')) {
            return expected(json, "}");
        }
    }
    return column->name.len > 0 ? ERR_OK : expected(json, "a member \"name\"");
}

ErrorCode schema_json_read(Str text, Arena *arena, LoadColumnSpec **columns_out, uint32_t *count_out, Error *err) {
    Json json = {.text = text, .arena = arena, .err = err};
    LoadColumnSpec *columns = arena_array(arena, LoadColumnSpec, LOAD_COLUMNS_MAX);
    uint32_t count = 0;
    if (!utf8_valid(text)) {
        return error_set(err, ERR_INVALID_ENCODING, ERROR_NO_POSITION, "schema is not UTF-8");
    }
    if (!take(&json, '[')) {
        return expected(&json, "[");
    }
    bool more = !take(&json, ']');
    while (more) {
        if (count == LOAD_COLUMNS_MAX) {
            return error_set(err, ERR_TOO_MANY_COLUMNS, ERROR_NO_POSITION, "schema: more than %d columns", LOAD_COLUMNS_MAX);
        }
        TRY(read_column(&json, &columns[count++]));
        more = take(&json, ',');
        if (!more && !take(&json, ']')) {
            return expected(&json, "]");
        }
    }
    *columns_out = columns;
    *count_out = count;
    return ERR_OK;
}
