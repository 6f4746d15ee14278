/* SPDX-License-Identifier: Apache-2.0
 * produce_objects.c - sequences, comments, extensions, rules of views. */
#include "sql/system/each.h"
#include "sql/system/produce.h"
#include <stdio.h>

static uint32_t sequence_type_oid(const SequenceBody *body) { return type_oid((TypeId)body->type); }

ErrorCode system_rows_pg_sequence(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    while (view->inner->object_next(view->inner, OBJECT_SEQUENCE, &cursor, &object)) {
        SequenceBody body;
        TRY(sequence_body_decode(object->body, &body, err));
        row_begin(rows);
        put_oid(rows, oid_of_object(object->id));
        put_oid(rows, sequence_type_oid(&body));
        put_int(rows, body.start);
        put_int(rows, body.increment);
        put_int(rows, body.maximum);
        put_int(rows, body.minimum);
        put_int(rows, body.cache);
        put_bool(rows, body.cycle);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_sequences(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    while (view->inner->object_next(view->inner, OBJECT_SEQUENCE, &cursor, &object)) {
        SequenceBody body;
        TRY(sequence_body_decode(object->body, &body, err));
        row_begin(rows);
        put_text(rows, schema_name(view, object->schema_id));
        put_text(rows, object->name);
        put_text(rows, catalog_role_name(view->inner, catalog_owner(view->inner, object->id)));
        put_oid(rows, sequence_type_oid(&body));
        put_int(rows, body.start);
        put_int(rows, body.minimum);
        put_int(rows, body.maximum);
        put_int(rows, body.increment);
        put_bool(rows, body.cycle);
        put_int(rows, body.cache);
        row_end(rows);
    }
    return ERR_OK;
}

static void put_decimal(SystemRows *rows, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put_c(rows, text);
}

ErrorCode system_rows_info_sequences(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    while (view->inner->object_next(view->inner, OBJECT_SEQUENCE, &cursor, &object)) {
        SequenceBody body;
        TRY(sequence_body_decode(object->body, &body, err));
        if (body.internal) {
            continue;
        }
        row_begin(rows);
        put_catalog(view, rows);
        put_text(rows, schema_name(view, object->schema_id));
        put_text(rows, object->name);
        put_c(rows, type_sql_name((TypeId)body.type));
        put_int(rows, (int64_t)physical_bytes(type_physical((TypeId)body.type)) * 8);
        put_int(rows, 2);
        put_int(rows, 0);
        put_decimal(rows, body.start);
        put_decimal(rows, body.minimum);
        put_decimal(rows, body.maximum);
        put_decimal(rows, body.increment);
        put_yes(rows, body.cycle);
        row_end(rows);
    }
    return ERR_OK;
}

/* ---- comments ---- */

/* The catalog that lists an object of that kind. */
static uint32_t class_of(const CatalogObject *object) {
    if (object == NULL) {
        return 0;
    }
    switch (object->kind) {
    case OBJECT_SCHEMA: return OID_CLASS_NAMESPACE;
    case OBJECT_ROLE: return OID_CLASS_AUTHID;
    case OBJECT_TYPE: return OID_CLASS_TYPE;
    case OBJECT_EXTENSION: return OID_CLASS_EXTENSION;
    default: return OID_CLASS_CLASS;
    }
}

static uint32_t object_oid(const CatalogObject *object, uint32_t id) {
    if (object != NULL && object->kind == OBJECT_SCHEMA) {
        return schema_oid(id);
    }
    return object != NULL && object->kind == OBJECT_ROLE ? role_oid(id) : oid_of_object(id);
}

/* A comment on a constraint or an index has a parent that is no object: found in its table. */
static uint32_t class_of_part(SystemView *view, uint32_t id) {
    size_t cursor = 0;
    const TableDef *table;
    while (view->inner->table_next(view->inner, &cursor, &table)) {
        if (table_constraint_by_id(table, id) != NULL) {
            return OID_CLASS_CONSTRAINT;
        }
    }
    return OID_CLASS_CLASS;
}

static void put_descriptions(SystemView *view, SystemRows *rows, bool shared) {
    bool public_said = shared;
    size_t cursor = 0;
    const CatalogObject *comment;
    while (view->inner->object_next(view->inner, OBJECT_COMMENT, &cursor, &comment)) {
        const CatalogObject *object = view->inner->object_by_id(view->inner, comment->parent_id);
        bool is_database = comment->parent_id == 0;
        bool is_shared = is_database || (object != NULL && object->kind == OBJECT_ROLE);
        if (is_shared != shared) {
            continue;
        }
        public_said = public_said || comment->parent_id == SCHEMA_PUBLIC_ID;
        uint32_t class_oid = is_database ? OID_CLASS_DATABASE : object != NULL ? class_of(object) : class_of_part(view, comment->parent_id);
        row_begin(rows);
        put_oid(rows, is_database ? (uint32_t)OID_DATABASE : object_oid(object, comment->parent_id));
        put_oid(rows, class_oid);
        if (!shared) {
            put_int(rows, column_number(view, comment->parent_id, comment_column(comment)));
        }
        put_text(rows, body_text(comment->body));
        row_end(rows);
    }
    if (!public_said) {
        row_begin(rows);
        put_oid(rows, OID_SCHEMA_PUBLIC);
        put_oid(rows, OID_CLASS_NAMESPACE);
        put_int(rows, 0);
        put_text(rows, COMMENT_OF_PUBLIC);
        row_end(rows);
    }
}

ErrorCode system_rows_pg_description(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    put_descriptions(view, rows, false);
    return ERR_OK;
}

ErrorCode system_rows_pg_shdescription(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    put_descriptions(view, rows, true);
    return ERR_OK;
}

/* ---- extensions ---- */

ErrorCode system_rows_pg_extension(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    (void)err;
    while (view->inner->object_next(view->inner, OBJECT_EXTENSION, &cursor, &object)) {
        row_begin(rows);
        put_oid(rows, oid_of_object(object->id));
        put_text(rows, object->name);
        put_oid(rows, OID_ROLE_POSTGRES);
        put_oid(rows, object->schema_id == 0 ? (uint32_t)OID_SCHEMA_PUBLIC : schema_oid(object->schema_id));
        put_bool(rows, false);
        put_text(rows, body_text(object->body));
        row_end(rows);
    }
    return ERR_OK;
}

/* ---- rules: a view is its relation's _RETURN rule ---- */

ErrorCode system_rows_pg_rewrite(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    (void)err;
    while (view->inner->object_next(view->inner, OBJECT_VIEW, &cursor, &object)) {
        row_begin(rows);
        put_oid(rows, oid_default(oid_of_object(object->id), 0));
        put_c(rows, "_RETURN");
        put_oid(rows, oid_of_object(object->id));
        put_char(rows, '1');
        put_char(rows, 'O');
        put_bool(rows, true);
        put_null(rows);
        put_null(rows);
        row_end(rows);
    }
    return ERR_OK;
}
