/* SPDX-License-Identifier: Apache-2.0
 * relation_name.c - what is the matter with the name of a relation: its parts, its schema, an index that has it.
 *
 * Why:   PostgreSQL answers 42P01 where a query names a relation in a schema that is not there, and 3F000 where any other statement does. Queries
 *        ask table_find and change that one answer; everybody else comes here first. Positions are the caller's.
 * Tests: test/sql/error_names.slt, test/differential/errors.py */
#include "sql/bind/bind_internal.h"
#include <stdio.h>

static Str dotted(const AstNames *names, char *room, size_t room_bytes) {
    size_t len = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        Str part = names->parts[i].text;
        int more = snprintf(room + len, room_bytes - len, "%s%.*s", i > 0 ? "." : "", STR_ARG(part));
        len = MIN_OF(len + (size_t)MAX_OF(more, 0), room_bytes - 1);
    }
    return (Str){room, len};
}

ErrorCode relation_name_parts(const AstNames *names, Str database, Error *err) {
    char room[ERROR_MESSAGE_BYTES / 2];
    Str text = dotted(names, room, sizeof room);
    if (names->count > 3) {
        return error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "improper qualified name (too many dotted names): %.*s", STR_ARG(text));
    }
    if (names->count == 3 && !str_equal(names->parts[0].text, database)) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "cross-database references are not implemented: \"%.*s\"", STR_ARG(text));
    }
    return ERR_OK;
}

ErrorCode relation_schema_check(CatalogView *catalog, uint32_t role_id, const AstNames *names, bool missing_ok, Error *err) {
    Str name = names->count < 2 ? (Str){0} : names->parts[names->count - 2].text;
    bool built_in = name.len == 0 || catalog->object_find == NULL || /* a view of tables alone */ str_equal(name, STR("pg_catalog")) || str_equal(name, STR("information_schema"));
    const CatalogObject *schema = built_in ? NULL : catalog->object_find(catalog, OBJECT_SCHEMA, 0, name);
    if (schema == NULL && !built_in && !missing_ok && !str_equal(name, STR("pg_temp"))) {
        return error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(name));
    }
    bool temporary = str_starts_with(name, STR("pg_temp"));
    if (schema != NULL && !temporary && role_id != 0 && (catalog_privileges(catalog, role_id, OBJECT_SCHEMA, schema->id, false) & PRIVILEGE_USAGE) == 0) {
        return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for schema %.*s", STR_ARG(name));
    }
    return ERR_OK;
}

static const IndexDef *index_in_schema(CatalogView *catalog, Str schema, const AstName *name, const TableDef **table_out) {
    const TableDef *table = NULL;
    for (size_t cursor = 0; catalog->table_next != NULL && catalog->table_next(catalog, &cursor, &table);) {
        bool here = str_equal(table->schema_name, schema);
        for (uint16_t i = 0; i < table->index_count && here; i++) {
            if (!table->indexes[i].internal && name_same(name, table->indexes[i].name)) {
                *table_out = table;
                return &table->indexes[i];
            }
        }
    }
    return NULL;
}

/* Temporary relations come first, as everywhere. */
const IndexDef *relation_index_find(CatalogView *catalog, const FunctionEnvironment *environment, const AstNames *names, const TableDef **table_out) {
    const AstName *last = &names->parts[names->count - 1];
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    Str temporary = environment == NULL ? (Str){0} : environment->temp_schema_name;
    bool path = environment != NULL && environment->search_path_count > 0;
    const IndexDef *found = NULL;
    if (schema.len > 0) {
        bool own = str_equal(schema, STR("pg_temp")) && temporary.len > 0;
        return index_in_schema(catalog, own ? temporary : schema, last, table_out);
    }
    found = temporary.len > 0 ? index_in_schema(catalog, temporary, last, table_out) : NULL;
    for (uint32_t s = 0; path && s < environment->search_path_count && found == NULL; s++) {
        found = index_in_schema(catalog, environment->search_path[s], last, table_out);
    }
    return found == NULL && !path ? index_in_schema(catalog, STR("public"), last, table_out) : found;
}

const char *relation_kind_plural(const CatalogObject *object) {
    return object == NULL ? "indexes" : object->kind == OBJECT_VIEW ? "views" : object->kind == OBJECT_SEQUENCE ? "sequences" : "tables";
}
