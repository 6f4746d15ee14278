/* SPDX-License-Identifier: Apache-2.0
 * user_type.c - see user_type.h. */
#include "catalog/user_type.h"

/* ---- finding ---- */

static const CatalogObject *find_in(CatalogView *view, Str schema_name, Str name, bool fold) {
    const CatalogObject *schema = view->object_find(view, OBJECT_SCHEMA, 0, schema_name);
    const CatalogObject *type = schema == NULL ? NULL : view->object_find(view, OBJECT_TYPE, schema->id, name);
    return type != NULL && (fold || str_equal(type->name, name)) ? type : NULL;
}

const CatalogObject *catalog_type_find(CatalogView *view, const Str *path, uint32_t path_count, Str schema_name, Str name, bool fold) {
    if (schema_name.len > 0) {
        return find_in(view, schema_name, name, fold);
    }
    if (path == NULL) {
        return find_in(view, STR("public"), name, fold);
    }
    const CatalogObject *type = NULL;
    for (uint32_t i = 0; i < path_count && type == NULL; i++) {
        type = find_in(view, path[i], name, fold);
    }
    return type;
}

bool catalog_type_body(CatalogView *view, uint32_t object_id, TypeKind kind, Arena *arena, TypeBody *body_out) {
    const CatalogObject *object = view->object_by_id(view, object_id);
    return object != NULL && object->kind == OBJECT_TYPE && type_body_decode(object->body, arena, body_out, NULL) == ERR_OK && body_out->kind == kind;
}

bool catalog_domain_next(CatalogView *view, uint32_t *id, Arena *arena, TypeBody *body_out, const CatalogObject **object_out) {
    *object_out = *id == 0 ? NULL : view->object_by_id(view, *id);
    if (*object_out == NULL || !catalog_type_body(view, *id, TYPE_KIND_DOMAIN, arena, body_out)) {
        return false;
    }
    *id = body_out->base_domain;
    return true;
}

/* ---- labels ---- */

int enum_label_number(const TypeBody *body, Str label) {
    for (uint16_t i = 0; i < body->label_count; i++) {
        if (str_equal(body->labels[i], label)) {
            return i;
        }
    }
    return -1;
}

int enum_position_number(const TypeBody *body, uint64_t position) {
    int low = 0, high = body->label_count - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (body->positions[middle] == position) {
            return middle;
        }
        if (body->positions[middle] < position) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

static bool no_name(const OidNames *names, TypeId type, uint32_t oid, Buffer *out) {
    (void)names, (void)type, (void)oid, (void)out;
    return false;
}

static bool append_label(const OidNames *names, int64_t value, Buffer *out) {
    enum { LABELS_ARENA_BYTES = 64 << 20 };
    CatalogView *view = ((const CatalogLabels *)(const void *)names)->view;
    Arena arena;
    TypeBody body;
    arena_init(&arena, LABELS_ARENA_BYTES);
    bool known = catalog_type_body(view, enum_value_object(value), TYPE_KIND_ENUM, &arena, &body);
    int number = known ? enum_position_number(&body, enum_value_position(value)) : -1;
    if (number >= 0) {
        buffer_append_str(out, body.labels[number]);
    }
    arena_deinit(&arena);
    return number >= 0;
}

void catalog_labels_init(CatalogLabels *labels, CatalogView *view) {
    *labels = (CatalogLabels){.names = {.append = no_name, .label = append_label}, .view = view};
}

/* ---- positions ---- */

/* From the middle of the range on, so that there is room at both ends. */
void enum_positions_spread(uint64_t *positions, uint16_t count) {
    uint64_t fit = ENUM_POSITION_END / 2 / (count + 1u);
    uint64_t gap = MIN_OF(ENUM_POSITION_GAP, fit);
    for (uint16_t i = 0; i < count; i++) {
        positions[i] = ENUM_POSITION_END / 4 + i * gap;
    }
}

bool enum_position_add(const TypeBody *body, uint16_t at, uint64_t *position_out) {
    uint64_t low = at == 0 ? 0 : body->positions[at - 1];
    uint64_t high = at == body->label_count ? ENUM_POSITION_END : body->positions[at];
    uint64_t room = high - low;
    if (body->label_count == 0) {
        *position_out = ENUM_POSITION_END / 4;
    } else if (at == body->label_count && room > ENUM_POSITION_GAP * 2) {
        *position_out = low + ENUM_POSITION_GAP;
    } else if (at == 0 && room > ENUM_POSITION_GAP * 2) {
        *position_out = high - ENUM_POSITION_GAP;
    } else {
        *position_out = low + room / 2;
    }
    return *position_out > low && *position_out < high;
}
