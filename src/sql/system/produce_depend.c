/* SPDX-License-Identifier: Apache-2.0
 * produce_depend.c - pg_depend: who must come after whom in a dump, and what goes with what.
 *
 * As PostgreSQL has them: relations on their schema, row types and defaults on their table, sequences on the column that owns them, indexes
 * and constraints on columns, foreign keys on what they refer to, views on the columns that they read. Built-in objects have none. */
#include "sql/system/each.h"
#include "sql/system/produce.h"

typedef struct Dependency { uint32_t class_oid, oid; int32_t column; } Dependency;

static void put_depend(SystemRows *rows, Dependency object, Dependency needed, char kind) {
    row_begin(rows);
    put_oid(rows, object.class_oid);
    put_oid(rows, object.oid);
    put_int(rows, object.column);
    put_oid(rows, needed.class_oid);
    put_oid(rows, needed.oid);
    put_int(rows, needed.column);
    put_char(rows, kind);
    row_end(rows);
}

static Dependency of_class(uint32_t oid, int32_t column) { return (Dependency){OID_CLASS_CLASS, oid, column}; }
static int32_t number_in(const TableDef *table, uint32_t id) { return table_column_by_id(table, id) + 1; }

static void put_row_types(SystemRows *rows, const AnyRelation *relation) {
    Dependency row = {OID_CLASS_TYPE, oid_row_type(relation->oid), 0};
    put_depend(rows, row, of_class(relation->oid, 0), 'i');
    put_depend(rows, (Dependency){OID_CLASS_TYPE, oid_row_array(relation->oid), 0}, row, 'i');
}

static void put_defaults(SystemRows *rows, const AnyRelation *table) {
    for (uint16_t c = 0; c < table->def->column_count; c++) {
        const ColumnDef *column = &table->def->columns[c];
        Dependency value = {OID_CLASS_ATTRDEF, oid_default(table->oid, column->id), 0};
        if (!column_has_default(column)) {
            continue;
        }
        put_depend(rows, value, of_class(table->oid, c + 1), column->generated_text.len > 0 ? 'i' : 'a');
        if (column->sequence_id != 0) {
            put_depend(rows, value, of_class(oid_of_object(column->sequence_id), 0), 'n');
        }
    }
}

static void put_foreign_key(SystemView *view, SystemRows *rows, const ConstraintDef *constraint) {
    const TableDef *other = view->inner->table_by_id(view->inner, constraint->referenced_table_id);
    Dependency key = {OID_CLASS_CONSTRAINT, oid_of_object(constraint->id), 0};
    for (uint16_t i = 0; other != NULL && i < constraint->column_count; i++) {
        put_depend(rows, key, of_class(oid_of_table(other->id), number_in(other, constraint->referenced_ids[i])), 'n');
    }
    if (other != NULL && constraint->index_id != 0) {
        put_depend(rows, key, of_class(oid_of_object(constraint->index_id), 0), 'n');
    }
}

static void put_constraints(SystemView *view, SystemRows *rows, const AnyRelation *table) {
    for (uint16_t i = 0; i < table->def->constraint_count; i++) {
        const ConstraintDef *constraint = &table->def->constraints[i];
        Dependency self = {OID_CLASS_CONSTRAINT, oid_of_object(constraint->id), 0};
        for (uint16_t c = 0; c < constraint->column_count; c++) {
            put_depend(rows, self, of_class(table->oid, number_in(table->def, constraint->column_ids[c])), 'a');
        }
        if (constraint->column_count == 0) {
            put_depend(rows, self, of_class(table->oid, 0), 'a');
        }
        if (constraint->kind == CONSTRAINT_FOREIGN_KEY) {
            put_foreign_key(view, rows, constraint);
        }
    }
}

static void put_index(SystemRows *rows, const AnyRelation *index) {
    const IndexDef *def = index->index;
    bool on_column = false;
    if (def->constraint_id != 0) {
        put_depend(rows, of_class(index->oid, 0), (Dependency){OID_CLASS_CONSTRAINT, oid_of_object(def->constraint_id), 0}, 'i');
        return;
    }
    for (uint16_t k = 0; k < def->key_count; k++) {
        if (def->keys[k].text.len == 0) {
            put_depend(rows, of_class(index->oid, 0), of_class(oid_of_table(index->def->id), number_in(index->def, def->keys[k].column_id)), 'a');
            on_column = true;
        }
    }
    if (!on_column) {
        put_depend(rows, of_class(index->oid, 0), of_class(oid_of_table(index->def->id), 0), 'a');
    }
}

static void put_sequence_owner(SystemView *view, SystemRows *rows, const AnyRelation *sequence) {
    const CatalogObject *object = sequence->object;
    const TableDef *table = object->parent_id == 0 ? NULL : view->inner->table_by_id(view->inner, object->parent_id);
    SequenceBody body;
    if (table != NULL && sequence_body_decode(object->body, &body, NULL) == ERR_OK) {
        put_depend(rows, of_class(sequence->oid, 0), of_class(oid_of_table(table->id), number_in(table, object->parent_column)), body.internal ? 'i' : 'a');
    }
}

static void put_view_needs(SystemView *view, SystemRows *rows, const AnyRelation *relation) {
    const CatalogObject *object = relation->object;
    Dependency rule = {OID_CLASS_REWRITE, oid_default(relation->oid, 0), 0};
    put_depend(rows, rule, of_class(relation->oid, 0), 'i');
    put_depend(rows, rule, of_class(relation->oid, 0), 'n');
    for (uint16_t i = 0; i < object->need_count; i++) {
        int32_t column = column_number(view, object->needs[i].object_id, object->needs[i].column_id);
        put_depend(rows, rule, of_class(oid_of_object(object->needs[i].object_id), column), 'n');
    }
}

static void put_relation(SystemView *view, SystemRows *rows, const AnyRelation *relation) {
    if (relation->kind != 'i') {
        put_depend(rows, of_class(relation->oid, 0), (Dependency){OID_CLASS_NAMESPACE, relation->schema_oid, 0}, 'n');
    }
    switch (relation->kind) {
    case 'r':
        put_row_types(rows, relation);
        put_defaults(rows, relation);
        put_constraints(view, rows, relation);
        break;
    case 'v':
        put_row_types(rows, relation);
        put_view_needs(view, rows, relation);
        break;
    case 'S': put_sequence_owner(view, rows, relation); break;
    default: put_index(rows, relation); break;
    }
}

ErrorCode system_rows_pg_depend(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        if (!relation.is_system) {
            put_relation(view, rows, &relation);
        }
    }
    return ERR_OK;
}
