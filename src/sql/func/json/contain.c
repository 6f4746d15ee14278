/* SPDX-License-Identifier: Apache-2.0
 * json/contain.c - what jsonb values have: @> <@ ?| ?&, and their members as arrays (keys, elements), of which json_each and its kin are made. */
#include "sql/func/json/json_internal.h"

/* ---- containment ---- */

static bool contains(Str whole, Str part);

static bool object_contains(Str whole, Str part) {
    JsonWalk w = {part, 0};
    if (!json__enter(&w, '{', '}')) {
        return true;
    }
    bool found = true;
    Buffer name;
    buffer_init(&name, TEXT_RESULT_BYTES_MAX);
    do {
        Str key, value, there;
        json__take_pair(&w, &key, &value);
        buffer_clear(&name);
        found = json_decode_string(key, &name, NULL) == ERR_OK && json__field(whole, buffer_str(&name), &there) && contains(there, value);
    } while (found && json__more(&w));
    buffer_deinit(&name);
    return found;
}

static bool array_has(Str whole, Str value) {
    JsonWalk w = {whole, 0};
    if (!json__enter(&w, '[', ']')) {
        return false;
    }
    do {
        Str there = json__take(&w);
        if (json__is_container(there) == json__is_container(value) && contains(there, value)) {
            return true;
        }
    } while (json__more(&w));
    return false;
}

static bool array_contains(Str whole, Str part) {
    JsonWalk w = {part, 0};
    if (!json__enter(&w, '[', ']')) {
        return true;
    }
    do {
        if (!array_has(whole, json__take(&w))) {
            return false;
        }
    } while (json__more(&w));
    return true;
}

static bool contains(Str whole, Str part) {
    JsonKind kind = json_kind(whole);
    if (kind != json_kind(part)) {
        return false;
    }
    switch (kind) {
    case JSON_OBJECT: return object_contains(whole, part);
    case JSON_ARRAY: return array_contains(whole, part);
    default: return jsonb_compare(whole, part) == 0;
    }
}

static ErrorCode contain_rows(const KernelCall *call, Vector *out, size_t whole) {
    FOR_ROWS(call, row) {
        Str a = vector_text(call->args[whole], row), b = vector_text(call->args[1 - whole], row);
        bool lone = json_kind(a) == JSON_ARRAY && !json__is_container(b); /* an array contains its scalars */
        func__put_bool(out, row, lone ? array_has(a, b) : contains(a, b));
    }
    return ERR_OK;
}

ErrorCode func__jsonb_contains(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return contain_rows(call, out, 0);
}
ErrorCode func__jsonb_contained(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return contain_rows(call, out, 1);
}

/* ---- ?| ?& ---- */

static bool has_key(Str json, Str key) {
    Str value;
    bool found = json_kind(json) == JSON_OBJECT ? json__field(json, key, &value) : false;
    JsonWalk w = {json, 0};
    Buffer scratch;
    buffer_init(&scratch, TEXT_RESULT_BYTES_MAX);
    if (json_kind(json) == JSON_STRING) {
        found = json__key_is(json, key, &scratch);
    } else if (json__enter(&w, '[', ']')) {
        do {
            value = json__take(&w);
            found = json_kind(value) == JSON_STRING && json__key_is(value, key, &scratch);
        } while (!found && json__more(&w));
    }
    buffer_deinit(&scratch);
    return found;
}

static ErrorCode has_rows(const KernelCall *call, Vector *out, bool every, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray keys;
        AnyValue key;
        bool answer = every;
        TRY(func__array_view(call->args[1]->type, vector_text(call->args[1], row), call->arena, &keys, err));
        for (uint32_t i = 0; i < keys.count && answer == every; i++) {
            if (!any_array_is_null(&keys, i)) {
                any_array_value(&keys, i, &key);
                answer = has_key(vector_text(call->args[0], row), strref_str((const StrRef *)(const void *)key.bytes));
            }
        }
        func__put_bool(out, row, answer);
    }
    return ERR_OK;
}

ErrorCode func__jsonb_has(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        func__put_bool(out, row, has_key(vector_text(call->args[0], row), vector_text(call->args[1], row)));
    }
    return ERR_OK;
}
ErrorCode func__jsonb_has_any(const KernelCall *call, Vector *out, Error *err) {
    return has_rows(call, out, false, err);
}
ErrorCode func__jsonb_has_all(const KernelCall *call, Vector *out, Error *err) {
    return has_rows(call, out, true, err);
}

/* ---- members as arrays ---- */

typedef enum Members { MEMBER_KEYS, MEMBER_VALUES, MEMBER_ELEMENTS } Members;

static ErrorCode member_add(AnyArrayBuilder *builder, Str value, bool as_text, Buffer *scratch, Error *err) {
    StrRef ref;
    if (as_text && json_kind(value) == JSON_NULL) {
        any_array_add(builder, NULL);
        return ERR_OK;
    }
    if (as_text && json_kind(value) == JSON_STRING) {
        buffer_clear(scratch);
        TRY(json_decode_string(value, scratch, err));
        value = buffer_str(scratch);
    }
    ref = strref_make(value.len == 0 ? "" : value.data, value.len);
    any_array_add(builder, &ref);
    return ERR_OK;
}

static ErrorCode refuse(Members which, JsonKind kind, Error *err) {
    if (which == MEMBER_ELEMENTS) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, kind == JSON_OBJECT ? "cannot extract elements from an object" : "cannot extract elements from a scalar");
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION,
                     which == MEMBER_KEYS ? "cannot call json_object_keys on %s" : "cannot deconstruct %s", kind == JSON_ARRAY ? "an array" : "a scalar");
}

static ErrorCode members_add(Str json, Members which, bool as_text, AnyArrayBuilder *builder, Buffer *scratch, Error *err) {
    JsonKind kind = json_kind(json);
    JsonWalk w = {json, 0};
    bool list = which == MEMBER_ELEMENTS;
    if (kind != (list ? JSON_ARRAY : JSON_OBJECT)) {
        return refuse(which, kind, err);
    }
    if (!json__enter(&w, list ? '[' : '{', list ? ']' : '}')) {
        return ERR_OK;
    }
    do {
        Str key, value;
        json__take_member(&w, !list, &key, &value);
        TRY(member_add(builder, which == MEMBER_KEYS ? key : value, as_text, scratch, err));
    } while (json__more(&w));
    return ERR_OK;
}

static ErrorCode members_row(const KernelCall *call, Vector *out, size_t row, Members which, bool as_text, Error *err) {
    AnyArrayBuilder builder;
    Buffer scratch;
    buffer_init(&scratch, TEXT_RESULT_BYTES_MAX);
    any_array_begin(&builder, as_text ? TYPE_TEXT : (TypeId)call->args[0]->type.id, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = members_add(vector_text(call->args[0], row), which, as_text, &builder, &scratch, err);
    code = code == ERR_OK ? func__put_array(call, out, row, &builder, 0, NULL, NULL, err) : code;
    any_array_abandon(&builder);
    buffer_deinit(&scratch);
    return code;
}

static ErrorCode members_rows(const KernelCall *call, Vector *out, Members which, bool as_text, Error *err) {
    FOR_ROWS(call, row) {
        TRY(members_row(call, out, row, which, as_text, err));
    }
    return ERR_OK;
}

ErrorCode func__json_keys(const KernelCall *call, Vector *out, Error *err) {
    return members_rows(call, out, MEMBER_KEYS, true, err);
}
ErrorCode func__json_values(const KernelCall *call, Vector *out, Error *err) {
    return members_rows(call, out, MEMBER_VALUES, false, err);
}
ErrorCode func__json_values_text(const KernelCall *call, Vector *out, Error *err) {
    return members_rows(call, out, MEMBER_VALUES, true, err);
}
ErrorCode func__json_elements(const KernelCall *call, Vector *out, Error *err) {
    return members_rows(call, out, MEMBER_ELEMENTS, false, err);
}
ErrorCode func__json_elements_text(const KernelCall *call, Vector *out, Error *err) {
    return members_rows(call, out, MEMBER_ELEMENTS, true, err);
}

/* Same elements as the argument's type. */
Type func__type_json_array(const Type *arg_types, uint16_t arg_count) {
    (void)arg_count;
    return type_array(type_of((TypeId)arg_types[0].id));
}
