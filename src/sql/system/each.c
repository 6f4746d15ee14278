/* SPDX-License-Identifier: Apache-2.0
 * each.c - relations of every kind, their columns, owners and schemas. */
#include "sql/system/each.h"
#include "base/number.h"

enum { PHASE_TABLES, PHASE_VIEWS, PHASE_SEQUENCES, PHASE_SYSTEM, PHASE_END };

uint32_t schema_oid(uint32_t schema_id) {
    if (table_is_system(schema_id)) {
        return schema_id & ~SYSTEM_TABLE_BIT;
    }
    return schema_id == SCHEMA_PUBLIC_ID ? (uint32_t)OID_SCHEMA_PUBLIC : oid_of_object(schema_id);
}

uint32_t role_oid(uint32_t role_id) { return role_id == ROLE_POSTGRES_ID ? (uint32_t)OID_ROLE_POSTGRES : role_id == ROLE_PUBLIC_ID ? 0 : oid_of_object(role_id); }

uint32_t role_of_oid(uint32_t oid) {
    return oid == OID_ROLE_POSTGRES ? (uint32_t)ROLE_POSTGRES_ID : oid >= OID_FIRST_USER ? oid - OID_FIRST_USER : (uint32_t)ROLE_PUBLIC_ID;
}

Str schema_name(SystemView *view, uint32_t schema_id) {
    if (table_is_system(schema_id)) {
        return schema_oid(schema_id) == OID_SCHEMA_CATALOG ? STR("pg_catalog") : STR("information_schema");
    }
    const CatalogObject *schema = view->inner->object_by_id(view->inner, schema_id);
    return schema == NULL ? (Str){0} : schema->name;
}

uint32_t comment_column(const CatalogObject *comment) {
    uint64_t id = 0;
    bool overflow = false;
    return comment->name.len > 0 && parse_uint64(comment->name, &id, &overflow) ? (uint32_t)id : 0;
}

int32_t column_number(SystemView *view, uint32_t object_id, uint32_t column_id) {
    const TableDef *table = view->inner->table_by_id(view->inner, object_id);
    return column_id == 0 ? 0 : table == NULL ? (int32_t)column_id : table_column_by_id(table, column_id) + 1;
}

bool schema_in_path(SystemView *view, Str name) {
    const FunctionEnvironment *environment = view->environment;
    bool own_temporary = environment->temp_schema_name.len > 0 && str_equal(name, environment->temp_schema_name); /* searched first, unsaid */
    if (own_temporary || str_equal(name, STR("pg_catalog"))) {
        return true;
    }
    for (uint32_t i = 0; i < environment->search_path_count; i++) {
        if (str_equal(environment->search_path[i], name)) {
            return true;
        }
    }
    return environment->search_path == NULL && str_equal(name, STR("public"));
}

/* ---- relations ---- */

static AnyRelation of_table(SystemView *view, const TableDef *def) {
    return (AnyRelation){.kind = 'r', .oid = oid_of_table(def->id), .schema_oid = schema_oid(def->schema_id), .owner_oid = role_oid(catalog_owner(view->inner, def->id)),
                         .name = def->name, .schema_name = def->schema_name, .def = def};
}

static AnyRelation of_index(SystemView *view, const TableDef *def, const IndexDef *index) {
    AnyRelation relation = of_table(view, def);
    relation.kind = 'i';
    relation.oid = oid_of_object(index->id);
    relation.name = index->name;
    relation.index = index;
    return relation;
}

static AnyRelation of_object(SystemView *view, const CatalogObject *object) {
    AnyRelation relation = {.kind = object->kind == OBJECT_VIEW ? 'v' : 'S', .oid = oid_of_object(object->id), .schema_oid = schema_oid(object->schema_id),
                            .owner_oid = role_oid(catalog_owner(view->inner, object->id)), .name = object->name, .schema_name = schema_name(view, object->schema_id),
                            .object = object};
    if (object->kind == OBJECT_VIEW && view_body_decode(object->body, view->arena, &relation.body, NULL) != ERR_OK) {
        relation.body = (ViewBody){0};
    }
    return relation;
}

static AnyRelation of_system(SystemView *view, const SystemRelation *system) {
    const TableDef *def = system_table(view, system);
    return (AnyRelation){.kind = system->kind, .oid = system->oid, .schema_oid = schema_oid(def->schema_id), .owner_oid = OID_ROLE_POSTGRES,
                         .name = def->name, .schema_name = def->schema_name, .def = def, .is_system = true};
}

bool next_user_table(SystemView *view, RelationWalk *walk, AnyRelation *relation_out) {
    const TableDef *def;
    if (!view->inner->table_next(view->inner, &walk->cursor, &def)) {
        return false;
    }
    *relation_out = of_table(view, def);
    return true;
}

static bool next_index(SystemView *view, RelationWalk *walk, AnyRelation *relation_out) {
    while (walk->table != NULL && walk->next_index < walk->table->index_count) {
        const IndexDef *index = &walk->table->indexes[walk->next_index++];
        if (!index->internal) {
            *relation_out = of_index(view, walk->table, index);
            return true;
        }
    }
    return false;
}

static bool next_of_phase(SystemView *view, RelationWalk *walk, AnyRelation *relation_out) {
    const CatalogObject *object;
    switch (walk->phase) {
    case PHASE_TABLES:
        if (next_index(view, walk, relation_out)) {
            return true;
        }
        walk->next_index = 0;
        if (!next_user_table(view, walk, relation_out)) {
            return false;
        }
        walk->table = relation_out->def;
        return true;
    case PHASE_VIEWS:
    case PHASE_SEQUENCES:
        if (!view->inner->object_next(view->inner, walk->phase == PHASE_VIEWS ? OBJECT_VIEW : OBJECT_SEQUENCE, &walk->cursor, &object)) {
            return false;
        }
        *relation_out = of_object(view, object);
        return true;
    default:
        if (walk->system_index == system_relation_count() || system_relation_at(walk->system_index)->kind == 'f') {
            return false; /* functions come last */
        }
        *relation_out = of_system(view, system_relation_at(walk->system_index++));
        return true;
    }
}

bool next_relation(SystemView *view, RelationWalk *walk, AnyRelation *relation_out) {
    for (; walk->phase < PHASE_END; walk->phase++) {
        if (next_of_phase(view, walk, relation_out)) {
            return true;
        }
        walk->cursor = 0;
    }
    return false;
}

static bool index_by_id(SystemView *view, uint32_t id, AnyRelation *relation_out) {
    size_t cursor = 0;
    const TableDef *def;
    while (view->inner->table_next(view->inner, &cursor, &def)) {
        const IndexDef *index = table_index_by_id(def, id);
        if (index != NULL) {
            *relation_out = of_index(view, def, index);
            return true;
        }
    }
    return false;
}

bool relation_by_oid(SystemView *view, uint32_t oid, AnyRelation *relation_out) {
    if (oid < OID_FIRST_USER) {
        const SystemRelation *system = system_relation_by_oid(oid);
        if (system != NULL) {
            *relation_out = of_system(view, system);
        }
        return system != NULL;
    }
    uint32_t id = oid - OID_FIRST_USER;
    const TableDef *def = view->inner->table_by_id(view->inner, id);
    if (def != NULL) {
        *relation_out = of_table(view, def);
        return true;
    }
    const CatalogObject *object = view->inner->object_by_id(view->inner, id);
    if (object != NULL && (object->kind == OBJECT_VIEW || object->kind == OBJECT_SEQUENCE)) {
        *relation_out = of_object(view, object);
        return true;
    }
    return object == NULL && index_by_id(view, id, relation_out);
}

/* ---- columns ---- */

static const struct { const char *name; TypeId type; } SEQUENCE_COLUMNS[] = {{"last_value", TYPE_INT8}, {"log_cnt", TYPE_INT8}, {"is_called", TYPE_BOOL}};

uint16_t relation_column_count(const AnyRelation *relation) {
    switch (relation->kind) {
    case 'i': return (uint16_t)(relation->index->key_count + relation->index->include_count);
    case 'S': return COUNT_OF(SEQUENCE_COLUMNS);
    default: return relation->def != NULL ? relation->def->column_count : relation->body.column_count;
    }
}

static void index_column(const AnyRelation *relation, uint16_t i, AnyColumn *column_out) {
    const IndexDef *index = relation->index;
    bool is_key = i < index->key_count;
    int number = table_column_by_id(relation->def, is_key ? index->keys[i].column_id : index->include_ids[i - index->key_count]);
    const ColumnDef *column = number < 0 ? NULL : &relation->def->columns[number];
    *column_out = (AnyColumn){.name = column == NULL ? STR("expr") : column->name,
                              .type = column == NULL ? type_of(TYPE_TEXT) : column->type, .number = (int16_t)(i + 1)};
}

void relation_column(const AnyRelation *relation, uint16_t i, AnyColumn *column_out) {
    assert(i < relation_column_count(relation));
    if (relation->kind == 'i') {
        index_column(relation, i, column_out);
    } else if (relation->kind == 'S') {
        *column_out = (AnyColumn){str_from_c(SEQUENCE_COLUMNS[i].name), type_of(SEQUENCE_COLUMNS[i].type), (int16_t)(i + 1), NULL};
    } else if (relation->def != NULL) {
        const ColumnDef *column = &relation->def->columns[i];
        *column_out = (AnyColumn){column->name, column->type, (int16_t)(i + 1), column};
    } else {
        *column_out = (AnyColumn){relation->body.columns[i].name, relation->body.columns[i].type, (int16_t)(i + 1), NULL};
    }
}

bool column_has_default(const ColumnDef *column) {
    return (column->default_text.len > 0 && column->identity == IDENTITY_NONE) || column->generated_text.len > 0;
}

/* A column of a domain is of it, whatever it is stored as. */
ColumnShape declared_shape(const AnyColumn *column) {
    ColumnShape shape = column_shape(column->type);
    if (column->def != NULL && column->def->domain_id != 0) {
        shape.type_oid = oid_of_object(column->def->domain_id);
        shape.type_modifier = -1;
    }
    return shape;
}

ColumnShape column_shape(Type type) {
    ColumnShape shape = {.type_oid = type_oid_of(type), .type_modifier = type_typmod(type)};
    shape.type = builtin_type_by_oid(shape.type_oid);
    shape.collation = shape.type != NULL ? shape.type->collation : 0;
    shape.dims = (int16_t)(type_category((TypeId)type.id) == CAT_ARRAY ? MAX_OF(type.dims, 1) : 0);
    return shape;
}
