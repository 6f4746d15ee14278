/* SPDX-License-Identifier: Apache-2.0
 * json/is_json.c - x IS JSON [ARRAY | OBJECT | SCALAR] [WITH UNIQUE KEYS].
 *
 * Why: the normal form of jsonb keeps one member of each name, so keys are unique when it has as many members as the text. */
#include "sql/func/json/json_internal.h"

static size_t count_members(Str text) {
    size_t members = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\\' && quoted) {
            i++;
        } else if (text.data[i] == '"') {
            quoted = !quoted;
        } else {
            members += text.data[i] == ':' && !quoted;
        }
    }
    return members;
}

static bool has_unique_keys(Str text) {
    Buffer normal;
    buffer_init(&normal, TEXT_RESULT_BYTES_MAX);
    bool unique = jsonb_normalise(text, &normal, NULL) == ERR_OK && count_members(buffer_str(&normal)) == count_members(text);
    buffer_deinit(&normal);
    return unique;
}

static bool is_json(Str text, Str test) {
    if (json_check(text, NULL) != ERR_OK) {
        return false;
    }
    JsonKind kind = json_kind(str_trim(text));
    bool right = str_find(test, STR(" array"), 0) >= 0    ? kind == JSON_ARRAY
                 : str_find(test, STR(" object"), 0) >= 0 ? kind == JSON_OBJECT
                 : str_find(test, STR(" scalar"), 0) >= 0 ? kind != JSON_ARRAY && kind != JSON_OBJECT
                                                          : true;
    return right && (str_find(test, STR(" unique"), 0) < 0 || has_unique_keys(text));
}

/* (text, the predicate as the parser names it) */
ErrorCode func__is_json(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        func__put_bool(out, row, is_json(func__text(a, row), func__text(b, row)));
    }
    return ERR_OK;
}
