/* SPDX-License-Identifier: Apache-2.0
 * produce_usage.c - views of information_schema that say what uses what: types of columns, tables and columns that views read. */
#include "sql/system/produce.h"

ErrorCode system_rows_info_column_udt_usage(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        bool shown = relation.kind == 'r' || relation.kind == 'v';
        for (uint16_t c = 0; shown && c < relation_column_count(&relation); c++) {
            AnyColumn column;
            relation_column(&relation, c, &column);
            row_begin(rows);
            put_catalog(view, rows);
            put_udt(view, rows, column.type);
            put_table_name(view, rows, &relation);
            put_text(rows, column.name);
            row_end(rows);
        }
    }
    return ERR_OK;
}

/* The name of what a view needs, by the number that dependencies have: a column's id, of a view's column its place. */
static bool needed_column(const AnyRelation *relation, uint32_t column_id, AnyColumn *column_out) {
    int number = relation->kind == 'r' ? table_column_by_id(relation->def, column_id) : (int)column_id - 1;
    if (column_id == 0 || number < 0 || number >= relation_column_count(relation)) {
        return false;
    }
    relation_column(relation, (uint16_t)number, column_out);
    return true;
}

static void put_needs(SystemView *view, SystemRows *rows, const AnyRelation *reader, bool columns) {
    const CatalogObject *object = reader->object;
    for (uint16_t i = 0; i < object->need_count; i++) {
        AnyRelation relation;
        AnyColumn column;
        bool again = false;
        for (uint16_t j = 0; j < i; j++) {
            again = again || (object->needs[j].object_id == object->needs[i].object_id && (!columns || object->needs[j].column_id == object->needs[i].column_id));
        }
        if (again || !relation_by_oid(view, oid_of_object(object->needs[i].object_id), &relation) || (relation.kind != 'r' && relation.kind != 'v')) {
            continue;
        }
        if (columns && !needed_column(&relation, object->needs[i].column_id, &column)) {
            continue;
        }
        row_begin(rows);
        put_table_name(view, rows, reader);
        put_table_name(view, rows, &relation);
        if (columns) {
            put_text(rows, column.name);
        }
        row_end(rows);
    }
}

static ErrorCode put_usage(SystemView *view, SystemRows *rows, bool columns) {
    RelationWalk walk = {0};
    AnyRelation relation;
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind == 'v' && relation.object != NULL) {
            put_needs(view, rows, &relation, columns);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_info_view_table_usage(SystemView *view, SystemRows *rows, Error *err) { return (void)err, put_usage(view, rows, false); }
ErrorCode system_rows_info_view_column_usage(SystemView *view, SystemRows *rows, Error *err) { return (void)err, put_usage(view, rows, true); }
