/* SPDX-License-Identifier: Apache-2.0
 * parts_find.c - columns, indexes and constraints of a table by id and by name. */
#include "catalog/catalog.h"

int table_column_by_id(const TableDef *table, uint32_t column_id) {
    for (uint32_t i = 0; i < (uint32_t)table->column_count + table->computed_count; i++) {
        if (table->columns[i].id == column_id) {
            return (int)i;
        }
    }
    return -1;
}

const IndexDef *table_index_by_id(const TableDef *table, uint32_t index_id) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].id == index_id) {
            return &table->indexes[i];
        }
    }
    return NULL;
}

const IndexDef *table_index_find(const TableDef *table, Str name) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        if (str_equal(table->indexes[i].name, name)) {
            return &table->indexes[i];
        }
    }
    return NULL;
}

const ConstraintDef *table_constraint_by_id(const TableDef *table, uint32_t id) {
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (table->constraints[i].id == id) {
            return &table->constraints[i];
        }
    }
    return NULL;
}

const ConstraintDef *table_constraint_find(const TableDef *table, Str name) {
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (str_equal(table->constraints[i].name, name)) {
            return &table->constraints[i];
        }
    }
    return NULL;
}

const IndexDef *table_primary_key(const TableDef *table) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].is_primary) {
            return &table->indexes[i];
        }
    }
    return NULL;
}

const IndexDef *catalog_view_index_find(CatalogView *view, uint32_t schema_id, Str name, const TableDef **table_out) {
    const TableDef *table = NULL;
    for (size_t cursor = 0; view->table_next(view, &cursor, &table);) {
        const IndexDef *index = table->schema_id == schema_id ? table_index_find(table, name) : NULL;
        if (index != NULL && !index->internal) {
            *table_out = table;
            return index;
        }
    }
    return NULL;
}
