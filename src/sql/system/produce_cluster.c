/* SPDX-License-Identifier: Apache-2.0
 * produce_cluster.c - what there is one of, or a fixed few: database, tablespaces, access methods, languages, collations, schemas. */
#include "sql/system/acl.h"
#include "sql/system/each.h"
#include "sql/system/produce.h"

enum { ENCODING_UTF8 = 6, FROZEN_XID = 3 };

/* One folder is one database; "postgres" and "qdb" are other names for it at the door, but only one row. */
ErrorCode system_rows_pg_database(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    row_begin(rows);
    put_oid(rows, OID_DATABASE);
    put_text(rows, view->environment->database_name);
    put_oid(rows, OID_ROLE_POSTGRES);
    put_int(rows, ENCODING_UTF8);
    put_char(rows, 'c');
    put_bool(rows, false);
    put_bool(rows, true);
    put_int(rows, -1);
    put_int(rows, FROZEN_XID);
    put_int(rows, 1);
    put_oid(rows, OID_TABLESPACE_DEFAULT);
    put_c(rows, "C.UTF-8");
    put_c(rows, "C.UTF-8");
    row_end(rows);
    return ERR_OK;
}

ErrorCode system_rows_pg_tablespace(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid; const char *name; } SPACES[] = {{OID_TABLESPACE_DEFAULT, "pg_default"}, {OID_TABLESPACE_GLOBAL, "pg_global"}};
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(SPACES); i++) {
        row_begin(rows);
        put_oid(rows, SPACES[i].oid);
        put_c(rows, SPACES[i].name);
        put_oid(rows, OID_ROLE_POSTGRES);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_am(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid; const char *name, *handler; char type; } METHODS[] = {
        {OID_AM_HEAP, "heap", "heap_tableam_handler", 't'}, {OID_AM_BTREE, "btree", "bthandler", 'i'}, {OID_AM_HASH, "hash", "hashhandler", 'i'},
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(METHODS); i++) {
        row_begin(rows);
        put_oid(rows, METHODS[i].oid);
        put_c(rows, METHODS[i].name);
        put_oid(rows, builtin_proc_oid(METHODS[i].handler));
        put_char(rows, METHODS[i].type);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_language(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid; const char *name; bool trusted; } LANGUAGES[] = {
        {OID_LANGUAGE_INTERNAL, "internal", false}, {OID_LANGUAGE_C, "c", false}, {OID_LANGUAGE_SQL, "sql", true},
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(LANGUAGES); i++) {
        row_begin(rows);
        put_oid(rows, LANGUAGES[i].oid);
        put_c(rows, LANGUAGES[i].name);
        put_oid(rows, OID_ROLE_POSTGRES);
        put_bool(rows, false);
        put_bool(rows, LANGUAGES[i].trusted);
        put_oid(rows, 0);
        put_oid(rows, 0);
        put_oid(rows, 0);
        row_end(rows);
    }
    return ERR_OK;
}

/* All text is ordered by bytes, which is code point order; so every collation here is the same one. */
ErrorCode system_rows_pg_collation(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid; const char *name; char provider; const char *locale; } COLLATIONS[] = {
        {OID_COLLATION_DEFAULT, "default", 'd', NULL}, {OID_COLLATION_C, "C", 'c', "C"}, {OID_COLLATION_POSIX, "POSIX", 'c', "POSIX"},
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(COLLATIONS); i++) {
        row_begin(rows);
        put_oid(rows, COLLATIONS[i].oid);
        put_c(rows, COLLATIONS[i].name);
        put_oid(rows, OID_SCHEMA_CATALOG);
        put_oid(rows, OID_ROLE_POSTGRES);
        put_char(rows, COLLATIONS[i].provider);
        put_bool(rows, true);
        put_int(rows, -1);
        put_c(rows, COLLATIONS[i].locale);
        put_c(rows, COLLATIONS[i].locale);
        row_end(rows);
    }
    return ERR_OK;
}

static void put_namespace(SystemView *view, SystemRows *rows, uint32_t oid, Str name, uint32_t id) {
    row_begin(rows);
    put_oid(rows, oid);
    put_text(rows, name);
    put_oid(rows, id == 0 ? (uint32_t)OID_ROLE_POSTGRES : role_oid(catalog_owner(view->inner, id)));
    put_acl(view, rows, id == 0 ? 0 : oid, 'n');
    row_end(rows);
}

ErrorCode system_rows_pg_namespace(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    uint32_t id = 0;
    Str name;
    (void)err;
    put_namespace(view, rows, OID_SCHEMA_CATALOG, STR("pg_catalog"), 0);
    put_namespace(view, rows, OID_SCHEMA_TOAST, STR("pg_toast"), 0);
    put_namespace(view, rows, OID_SCHEMA_INFORMATION, STR("information_schema"), 0);
    while (view->inner->schema_next(view->inner, &cursor, &id, &name)) {
        put_namespace(view, rows, schema_oid(id), name, id);
    }
    return ERR_OK;
}
