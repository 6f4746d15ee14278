/* SPDX-License-Identifier: Apache-2.0
 * labels.c - types that users made as clients see them: their names, labels of enums to values and back.
 *
 * Why:   a value is printed a row at a time, so the bodies of the types that a statement met are kept decoded in its arena. */
#include "catalog/user_type.h"
#include "sql/system/define.h"
#include "sql/system/names.h"

typedef struct KnownEnum KnownEnum;
struct KnownEnum {
    KnownEnum *next;
    uint32_t object_id;
    const uint8_t *bytes;       /* of the body that was decoded: another one is another version */
    TypeBody body;
};

static const TypeBody *known_enum(SystemView *view, uint32_t object_id) {
    const CatalogObject *object = view->inner->object_by_id(view->inner, object_id);
    if (object == NULL || object->kind != OBJECT_TYPE) {
        return NULL;
    }
    KnownEnum *known = view->enums;
    while (known != NULL && (known->object_id != object_id || known->bytes != object->body.data)) {
        known = known->next;
    }
    if (known == NULL) {
        known = arena_new(view->arena, KnownEnum);
        *known = (KnownEnum){.next = view->enums, .object_id = object_id, .bytes = object->body.data};
        if (type_body_decode(object->body, view->arena, &known->body, NULL) != ERR_OK) {
            return NULL;
        }
        view->enums = known;
    }
    return known->body.kind == TYPE_KIND_ENUM ? &known->body : NULL;
}

bool names_append_label(SystemView *view, int64_t value, Buffer *out) {
    const TypeBody *body = known_enum(view, enum_value_object(value));
    int number = body == NULL ? -1 : enum_position_number(body, enum_value_position(value));
    if (number >= 0) {
        buffer_append_str(out, body->labels[number]);
    }
    return number >= 0;
}

ErrorCode names_find_label(SystemView *view, uint32_t object_id, Str label, int64_t *value_out, Error *err) {
    const TypeBody *body = known_enum(view, object_id);
    int number = body == NULL ? -1 : enum_label_number(body, label);
    if (number >= 0) {
        *value_out = enum_value_make(object_id, body->positions[number]);
        return ERR_OK;
    }
    Buffer name;
    buffer_init(&name, 1024);
    names_append_user_type(view, object_id, &name);
    ErrorCode code = error_set(err, ERR_INVALID_TEXT, 0, "invalid input value for enum %.*s: \"%.*s\"", (int)name.len, (const char *)name.data,
                               (int)MIN_OF(label.len, (size_t)200), label.data);
    buffer_deinit(&name);
    return code;
}

bool names_append_values(SystemView *view, uint32_t object_id, Buffer *out) {
    const TypeBody *body = known_enum(view, object_id);
    for (uint16_t i = 0; body != NULL && i < body->label_count; i++) {
        int64_t value = enum_value_make(object_id, body->positions[i]);
        buffer_append(out, &value, sizeof value);
    }
    return body != NULL;
}

const CatalogObject *names_find_user_type(SystemView *view, Str schema, Str name) {
    const FunctionEnvironment *environment = view->environment;
    return catalog_type_find(view->inner, environment->search_path, environment->search_path_count, schema, name, false);
}

bool names_append_user_type(SystemView *view, uint32_t object_id, Buffer *out) {
    const CatalogObject *object = view->inner->object_by_id(view->inner, object_id);
    if (object == NULL || object->kind != OBJECT_TYPE) {
        return false;
    }
    const CatalogObject *first = names_find_user_type(view, (Str){0}, object->name);
    if (first == NULL || first->id != object_id) {
        put_name(out, schema_name(view, object->schema_id));
        buffer_append_char(out, '.');
    }
    put_name(out, object->name);
    return true;
}
