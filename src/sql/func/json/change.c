/* SPDX-License-Identifier: Apache-2.0
 * json/change.c - jsonb values made of others: || - #- jsonb_set, jsonb_insert, strip_nulls, jsonb_pretty.
 *
 * Why:   a changed text is written in any form and brought into the normal form at its end (json__rows): keys find their places there. */
#include "sql/func/json/json_internal.h"

static void put_comma(Buffer *out, bool *first) {
    buffer_append_str(out, *first ? STR("") : STR(", "));
    *first = false;
}

/* ---- || ---- */

static void put_members(Str json, Buffer *out) {
    buffer_append_str(out, json__is_container(json) ? str_slice(json, 1, json.len - 1) : json);
}

static bool is_empty(Str json) {
    return json.len == 2 && (json.data[0] == '[' || json.data[0] == '{');
}

static ErrorCode put_concat(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    (void)err;
    Str a = vector_text(call->args[0], row), b = vector_text(call->args[1], row);
    bool objects = json_kind(a) == JSON_OBJECT && json_kind(b) == JSON_OBJECT;
    bool a_list = json_kind(a) == JSON_ARRAY, b_list = json_kind(b) == JSON_ARRAY;
    bool gap = !((objects || a_list) && is_empty(a)) && !((objects || b_list) && is_empty(b));
    buffer_append_char(out, objects ? '{' : '[');
    if (objects || a_list) {
        put_members(a, out);
    } else {
        buffer_append_str(out, a);
    }
    buffer_append_str(out, gap ? STR(", ") : STR(""));
    if (objects || b_list) {
        put_members(b, out);
    } else {
        buffer_append_str(out, b);
    }
    buffer_append_char(out, objects ? '}' : ']');
    return ERR_OK;
}

ErrorCode func__jsonb_concat(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_concat, out, err); }

/* ---- deletion of members ---- */

typedef struct Unwanted {
    const Str *keys;
    uint32_t key_count;
    bool by_number;
    int64_t number;
    Buffer scratch;
} Unwanted;

static bool is_unwanted(Unwanted *u, Str quoted) {
    for (uint32_t i = 0; i < u->key_count; i++) {
        if (quoted.data[0] == '"' && json__key_is(quoted, u->keys[i], &u->scratch)) {
            return true;
        }
    }
    return false;
}

static ErrorCode delete_from(Str json, Unwanted *u, Buffer *out, Error *err) {
    JsonKind kind = json_kind(json);
    JsonWalk w = {json, 0};
    if (kind != JSON_ARRAY && kind != JSON_OBJECT) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot delete from scalar");
    }
    if (u->by_number && kind == JSON_OBJECT) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot delete from object using integer index");
    }
    bool object = kind == JSON_OBJECT, first = true;
    int64_t number = u->number < 0 ? u->number + (u->by_number ? json__element_count(json) : 0) : u->number;
    buffer_append_char(out, object ? '{' : '[');
    if (json__enter(&w, object ? '{' : '[', object ? '}' : ']')) {
        int64_t i = 0;
        do {
            Str key, value;
            json__take_member(&w, object, &key, &value);
            if (u->by_number ? i++ == number : is_unwanted(u, object ? key : value)) {
                continue;
            }
            put_comma(out, &first);
            buffer_append_str(out, key);
            buffer_append_str(out, object ? STR(": ") : STR(""));
            buffer_append_str(out, value);
        } while (json__more(&w));
    }
    buffer_append_char(out, object ? '}' : ']');
    return ERR_OK;
}

/* The second argument, an array of texts. */
static ErrorCode text_array(const KernelCall *call, size_t row, AnyArray *array_out, Error *err) {
    return func__array_view(call->args[1]->type, vector_text(call->args[1], row), call->arena, array_out, err);
}

/* The texts of an array, without its NULLs. */
static const Str *array_texts(const AnyArray *array, Arena *arena, uint32_t *count_out) {
    AnyValue value;
    Str *texts = arena_array(arena, Str, array->count + 1);
    *count_out = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        if (!any_array_is_null(array, i)) {
            any_array_value(array, i, &value);
            texts[(*count_out)++] = arena_str(arena, strref_str((const StrRef *)(const void *)value.bytes));
        }
    }
    return texts;
}

static ErrorCode unwanted_of(const KernelCall *call, size_t row, Unwanted *u, Error *err) {
    if (type_category((TypeId)call->args[1]->type.id) == CAT_ARRAY) {
        AnyArray array;
        TRY(text_array(call, row, &array, err));
        u->keys = array_texts(&array, call->arena, &u->key_count);
        return ERR_OK;
    }
    u->by_number = call->args[1]->type.id == TYPE_INT4;
    if (u->by_number) {
        u->number = AT(int32_t, func__arg(call, 1), row);
        return ERR_OK;
    }
    Str *key = arena_array(call->arena, Str, 1);
    *key = vector_text(call->args[1], row);
    u->keys = key;
    u->key_count = 1;
    return ERR_OK;
}

static ErrorCode put_remaining(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    Unwanted u = {0};
    TRY(unwanted_of(call, row, &u, err));
    buffer_init(&u.scratch, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = delete_from(vector_text(call->args[0], row), &u, out, err);
    buffer_deinit(&u.scratch);
    return code;
}

ErrorCode func__jsonb_delete(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_remaining, out, err); }

/* ---- changes along a path ---- */

typedef enum PathAction { PATH_DELETE, PATH_SET, PATH_INSERT } PathAction;
typedef struct PathChange {
    PathAction action;
    const Str *path;
    uint32_t path_count;
    Str value;
    bool create;             /* PATH_SET: what is missing is added */
    bool after;              /* PATH_INSERT: behind the place */
    Buffer scratch;
    Error *err;
} PathChange;

static ErrorCode change_value(PathChange *c, Str json, uint32_t level, Buffer *out);

static ErrorCode change_object(PathChange *c, Str json, uint32_t level, Buffer *out) {
    JsonWalk w = {json, 0};
    bool last = level + 1 == c->path_count, first = true, found = false;
    buffer_append_char(out, '{');
    if (json__enter(&w, '{', '}')) {
        do {
            Str key, value;
            json__take_pair(&w, &key, &value);
            bool here = json__key_is(key, c->path[level], &c->scratch);
            found = found || here;
            if (here && last && c->action == PATH_DELETE) {
                continue;
            }
            if (here && last && c->action == PATH_INSERT) {
                return error_set(c->err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot replace existing key");
            }
            put_comma(out, &first);
            buffer_append_str(out, key);
            buffer_append_str(out, STR(": "));
            if (here && last) {
                buffer_append_str(out, c->value);
            } else if (here) {
                TRY(change_value(c, value, level + 1, out));
            } else {
                buffer_append_str(out, value);
            }
        } while (json__more(&w));
    }
    if (!found && last && (c->action == PATH_INSERT || (c->action == PATH_SET && c->create))) {
        put_comma(out, &first);
        json__put_string(c->path[level], out);
        buffer_append_str(out, STR(": "));
        buffer_append_str(out, c->value);
    }
    buffer_append_char(out, '}');
    return ERR_OK;
}

static ErrorCode change_element(PathChange *c, Str value, uint32_t level, bool *first, Buffer *out) {
    bool last = level + 1 == c->path_count;
    if (last && c->action == PATH_DELETE) {
        return ERR_OK;
    }
    put_comma(out, first);
    if (!last) {
        return change_value(c, value, level + 1, out);
    }
    Str before = c->action == PATH_INSERT && c->after ? value : c->value, behind = c->action == PATH_INSERT && c->after ? c->value : value;
    buffer_append_str(out, before);
    if (c->action == PATH_INSERT) {
        put_comma(out, first);
        buffer_append_str(out, behind);
    }
    return ERR_OK;
}

static ErrorCode change_array(PathChange *c, Str json, uint32_t level, Buffer *out) {
    JsonWalk w = {json, 0};
    int64_t number = 0, count = json__element_count(json);
    bool overflow = false, first = true, last = level + 1 == c->path_count;
    bool adds = last && c->action != PATH_DELETE && (c->action == PATH_INSERT || c->create);
    if (!parse_int64(c->path[level], &number, &overflow)) {
        return error_set(c->err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "path element at position %u is not an integer: \"%.*s\"", level + 1,
                         STR_ARG(c->path[level]));
    }
    number += number < 0 ? count : 0;
    buffer_append_char(out, '[');
    if (number < 0 && adds) {
        put_comma(out, &first);
        buffer_append_str(out, c->value);
    }
    if (json__enter(&w, '[', ']')) {
        int64_t i = 0;
        do {
            Str value = json__take(&w);
            if (i++ == number) {
                TRY(change_element(c, value, level, &first, out));
            } else {
                put_comma(out, &first);
                buffer_append_str(out, value);
            }
        } while (json__more(&w));
    }
    if (number >= count && adds) {
        put_comma(out, &first);
        buffer_append_str(out, c->value);
    }
    buffer_append_char(out, ']');
    return ERR_OK;
}

static ErrorCode change_value(PathChange *c, Str json, uint32_t level, Buffer *out) {
    switch (json_kind(json)) {
    case JSON_OBJECT: return change_object(c, json, level, out);
    case JSON_ARRAY: return change_array(c, json, level, out);
    default: buffer_append_str(out, json); return ERR_OK;
    }
}

static ErrorCode read_path(const KernelCall *call, size_t row, PathChange *c, Error *err) {
    AnyArray array;
    TRY(text_array(call, row, &array, err));
    if (array.dims > 1) {
        return error_set(err, ERR_ARRAY_SUBSCRIPT, ERROR_NO_POSITION, "wrong number of array subscripts");
    }
    for (uint32_t i = 0; i < array.count; i++) {
        if (any_array_is_null(&array, i)) {
            return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "path element at position %u is null", i + 1);
        }
    }
    c->path = array_texts(&array, call->arena, &c->path_count);
    return ERR_OK;
}

static ErrorCode change_row(const KernelCall *call, size_t row, PathChange *c, Buffer *text) {
    Str json = vector_text(call->args[0], row);
    JsonKind kind = json_kind(json);
    TRY(read_path(call, row, c, c->err));
    if (kind != JSON_OBJECT && kind != JSON_ARRAY) {
        return error_set(c->err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot %s path in scalar", c->action == PATH_DELETE ? "delete" : "set");
    }
    if (c->path_count == 0) {
        buffer_append_str(text, json);
        return ERR_OK;
    }
    if (c->action != PATH_DELETE) {
        c->value = vector_text(call->args[2], row);
        bool flag = call->arg_count > 3 ? vector_bool(call->args[3], row) : c->action == PATH_SET;
        c->create = flag;
        c->after = flag;
    }
    return change_value(c, json, 0, text);
}

static ErrorCode put_changed(const KernelCall *call, size_t row, PathAction action, Buffer *out, Error *err) {
    PathChange change = {.action = action, .err = err};
    buffer_init(&change.scratch, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = change_row(call, row, &change, out);
    buffer_deinit(&change.scratch);
    return code;
}

static ErrorCode put_deleted(const KernelCall *call, size_t row, Buffer *out, Error *err) { return put_changed(call, row, PATH_DELETE, out, err); }
static ErrorCode put_set(const KernelCall *call, size_t row, Buffer *out, Error *err) { return put_changed(call, row, PATH_SET, out, err); }
static ErrorCode put_inserted(const KernelCall *call, size_t row, Buffer *out, Error *err) { return put_changed(call, row, PATH_INSERT, out, err); }

ErrorCode func__jsonb_delete_path(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_deleted, out, err); }
ErrorCode func__jsonb_set(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_set, out, err); }
ErrorCode func__jsonb_insert(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_inserted, out, err); }

/* ---- other forms ---- */

static void strip_nulls(Str json, Buffer *out) {
    JsonWalk w = {json, 0};
    JsonKind kind = json_kind(json);
    bool object = kind == JSON_OBJECT, first = true;
    if (!object && kind != JSON_ARRAY) {
        buffer_append_str(out, str_trim(json));
        return;
    }
    buffer_append_char(out, object ? '{' : '[');
    if (json__enter(&w, object ? '{' : '[', object ? '}' : ']')) {
        do {
            Str key, value;
            json__take_member(&w, object, &key, &value);
            if (object && json_kind(value) == JSON_NULL) {
                continue;
            }
            buffer_append_str(out, first ? STR("") : STR(","));
            buffer_append_str(out, key);
            buffer_append_str(out, object ? STR(":") : STR(""));
            strip_nulls(value, out);
            first = false;
        } while (json__more(&w));
    }
    buffer_append_char(out, object ? '}' : ']');
}

static ErrorCode put_stripped(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    (void)err;
    strip_nulls(vector_text(call->args[0], row), out);
    return ERR_OK;
}

ErrorCode func__json_strip_nulls(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_stripped, out, err); }

static void put_line(Buffer *out, int depth) {
    buffer_append_char(out, '\n');
    buffer_append_fill(out, ' ', (size_t)depth * 4);
}

static void pretty(Str json, int depth, Buffer *out) {
    JsonWalk w = {json, 0};
    JsonKind kind = json_kind(json);
    bool object = kind == JSON_OBJECT, first = true;
    if (!object && kind != JSON_ARRAY) {
        buffer_append_str(out, json);
        return;
    }
    buffer_append_char(out, object ? '{' : '[');
    if (json__enter(&w, object ? '{' : '[', object ? '}' : ']')) {
        do {
            buffer_append_str(out, first ? STR("") : STR(","));
            put_line(out, depth + 1);
            Str key, value;
            json__take_member(&w, object, &key, &value);
            buffer_append_str(out, key);
            buffer_append_str(out, object ? STR(": ") : STR(""));
            pretty(value, depth + 1, out);
            first = false;
        } while (json__more(&w));
    }
    put_line(out, depth);
    buffer_append_char(out, object ? '}' : ']');
}

static ErrorCode put_pretty(const KernelCall *call, size_t row, Buffer *out, Error *err) {
    (void)err;
    pretty(vector_text(call->args[0], row), 0, out);
    return ERR_OK;
}

ErrorCode func__jsonb_pretty(const KernelCall *call, Vector *out, Error *err) { return json__rows(call, put_pretty, out, err); }
