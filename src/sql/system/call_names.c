/* SPDX-License-Identifier: Apache-2.0
 * call_names.c - names of types, roles and encodings; to_reg…; visibility; sizes. */
#include "sql/system/ask.h"
#include "sql/system/define.h"
#include "sql/system/names.h"

ErrorCode system_answer_format_type(Ask *ask, Error *err) {
    uint32_t oid = ask_oid(ask, 0);
    const Vector *modifier = ask->call->args[1];
    int32_t typmod = vector_is_null(modifier, ask->row) ? -1 : (int32_t)ask_int(ask, 1);
    (void)err;
    if (vector_is_null(ask->call->args[0], ask->row)) {
        return ERR_OK;
    }
    names_append_type(ask->view, oid, typmod, &ask->text);
    answer_buffer(ask);
    return ERR_OK;
}

ErrorCode system_answer_pg_get_userbyid(Ask *ask, Error *err) {
    Str name = catalog_role_name(ask->view->inner, role_of_oid(ask_oid(ask, 0)));
    (void)err;
    if (name.len == 0) {
        buffer_printf(&ask->text, "unknown (OID=%u)", ask_oid(ask, 0));
        answer_buffer(ask);
    } else {
        answer_str(ask, name);
    }
    return ERR_OK;
}

ErrorCode system_answer_pg_encoding_to_char(Ask *ask, Error *err) {
    enum { ENCODING_SQL_ASCII = 0, ENCODING_UTF8 = 6 };
    int64_t encoding = ask_int(ask, 0);
    (void)err;
    answer_str(ask, encoding == ENCODING_UTF8 ? STR("UTF8") : encoding == ENCODING_SQL_ASCII ? STR("SQL_ASCII") : STR(""));
    return ERR_OK;
}

ErrorCode system_answer_pg_tablespace_location(Ask *ask, Error *err) {
    (void)err;
    answer_str(ask, STR(""));
    return ERR_OK;
}

/* ---- to_reg…: NULL instead of an error ---- */

static ErrorCode answer_found(Ask *ask, TypeId type) {
    uint32_t oid = 0;
    Error ignored = {0};
    if (names_find(ask->view, type, ask_text(ask, 0), &oid, &ignored) == ERR_OK) {
        answer_oid(ask, oid);
    }
    return ERR_OK;
}

ErrorCode system_answer_to_regclass(Ask *ask, Error *err) { return (void)err, answer_found(ask, TYPE_REGCLASS); }
ErrorCode system_answer_to_regtype(Ask *ask, Error *err) { return (void)err, answer_found(ask, TYPE_REGTYPE); }
ErrorCode system_answer_to_regnamespace(Ask *ask, Error *err) { return (void)err, answer_found(ask, TYPE_REGNAMESPACE); }
ErrorCode system_answer_to_regrole(Ask *ask, Error *err) { return (void)err, answer_found(ask, TYPE_REGROLE); }
ErrorCode system_answer_to_regproc(Ask *ask, Error *err) { return (void)err, answer_found(ask, TYPE_REGPROC); }

/* ---- visibility ---- */

ErrorCode system_answer_pg_table_is_visible(Ask *ask, Error *err) {
    AnyRelation relation;
    (void)err;
    if (relation_by_oid(ask->view, ask_oid(ask, 0), &relation)) {
        answer_bool(ask, relation_is_visible(ask->view, &relation));
    }
    return ERR_OK;
}

ErrorCode system_answer_pg_type_is_visible(Ask *ask, Error *err) {
    uint32_t oid = ask_oid(ask, 0);
    AnyRelation relation;
    Type type;
    (void)err;
    if (oid < OID_FIRST_USER) {
        if (builtin_type_by_oid(oid) != NULL) {
            answer_bool(ask, true);
        }
    } else if (type_from_object_oid(oid, &type)) {
        const CatalogObject *object = ask->view->inner->object_by_id(ask->view->inner, type_enum_object(type));
        if (object != NULL && object->kind == OBJECT_TYPE) {
            answer_bool(ask, names_find_user_type(ask->view, (Str){0}, object->name) == object);
        }
    } else if (oid >= OID_ROW_TYPE_BASE && relation_by_oid(ask->view, oid & (OID_ROW_TYPE_BASE - 1), &relation)) {
        answer_bool(ask, relation_is_visible(ask->view, &relation));
    }
    return ERR_OK;
}

/* Functions, operators, collations, operator classes and their kin are all in pg_catalog. */
ErrorCode system_answer_pg_function_is_visible(Ask *ask, Error *err) {
    (void)err;
    answer_bool(ask, true);
    return ERR_OK;
}

ErrorCode system_answer_pg_relation_is_publishable(Ask *ask, Error *err) {
    (void)err;
    answer_bool(ask, false);
    return ERR_OK;
}

ErrorCode system_answer_row_security_active(Ask *ask, Error *err) {
    (void)err;
    answer_bool(ask, false);
    return ERR_OK;
}

/* ---- sizes ---- */

static void answer_size(Ask *ask) {
    AnyRelation relation;
    TableStats stats = {0};
    if (!relation_by_oid(ask->view, ask_oid(ask, 0), &relation)) {
        return;
    }
    if (relation.kind == 'r' && !relation.is_system) {
        ask->view->inner->stats(ask->view->inner, relation.def, &stats);
    }
    answer_int8(ask, (int64_t)stats.bytes_on_disk);
}

ErrorCode system_answer_pg_relation_size(Ask *ask, Error *err) { return (void)err, answer_size(ask), ERR_OK; }
ErrorCode system_answer_pg_table_size(Ask *ask, Error *err) { return (void)err, answer_size(ask), ERR_OK; }
ErrorCode system_answer_pg_total_relation_size(Ask *ask, Error *err) { return (void)err, answer_size(ask), ERR_OK; }

/* Index runs are counted with their table. */
ErrorCode system_answer_pg_indexes_size(Ask *ask, Error *err) {
    (void)err;
    answer_int8(ask, 0);
    return ERR_OK;
}

ErrorCode system_answer_pg_database_size(Ask *ask, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    int64_t total = 0;
    (void)err;
    while (next_user_table(ask->view, &walk, &table)) {
        TableStats stats;
        ask->view->inner->stats(ask->view->inner, table.def, &stats);
        total += (int64_t)stats.bytes_on_disk;
    }
    answer_int8(ask, total);
    return ERR_OK;
}

ErrorCode system_answer_pg_relation_filenode(Ask *ask, Error *err) {
    (void)err;
    answer_oid(ask, ask_oid(ask, 0));
    return ERR_OK;
}

/* ---- what there is only one answer to ---- */

ErrorCode system_answer_pg_is_in_recovery(Ask *ask, Error *err) { return (void)err, answer_bool(ask, false), ERR_OK; }

ErrorCode system_answer_pg_is_wal_replay_paused(Ask *ask, Error *err) {
    (void)ask;
    return error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "recovery is not in progress");
}

/* Nobody waits for a lock. */
ErrorCode system_answer_pg_blocking_pids(Ask *ask, Error *err) {
    AnyArrayBuilder builder;
    any_array_begin(&builder, TYPE_INT4, 1 << 10);
    return answer_array(ask, &builder, err);
}

ErrorCode system_answer_pg_is_other_temp_schema(Ask *ask, Error *err) {
    size_t cursor = 0;
    uint32_t id;
    Str name;
    (void)err;
    while (ask->view->inner->schema_next(ask->view->inner, &cursor, &id, &name)) {
        if (schema_oid(id) == ask_oid(ask, 0)) {
            answer_bool(ask, str_starts_with(name, STR("pg_temp_")) && !str_equal(name, ask->view->environment->temp_schema_name));
            return ERR_OK;
        }
    }
    answer_bool(ask, false);
    return ERR_OK;
}

ErrorCode system_answer_pg_not_counted(Ask *ask, Error *err) { return (void)err, answer_int8(ask, 0), ERR_OK; }

/* Everything lies in the one that is the default. */
ErrorCode system_answer_pg_tablespace_size(Ask *ask, Error *err) {
    bool found = ask_is_text(ask, 0) ? str_equal(ask_text(ask, 0), STR("pg_default")) : ask_oid(ask, 0) == OID_TABLESPACE_DEFAULT;
    if (!found) {
        return answer_int8(ask, 0), ERR_OK;
    }
    return system_answer_pg_database_size(ask, err);
}

ErrorCode system_answer_pg_my_temp_schema(Ask *ask, Error *err) {
    uint32_t oid = 0;
    Str name = ask->view->environment->temp_schema_name;
    (void)err;
    if (name.len > 0 && names_find(ask->view, TYPE_REGNAMESPACE, name, &oid, NULL) != ERR_OK) {
        oid = 0;
    }
    answer_oid(ask, oid);
    return ERR_OK;
}

/* Texts of objects that Basalt does not have (partitions' bounds, extended statistics): NULL. */
ErrorCode system_answer_pg_null_text(Ask *ask, Error *err) {
    (void)ask, (void)err;
    return ERR_OK;
}

ErrorCode system_answer_pg_char_to_encoding(Ask *ask, Error *err) {
    enum { ENCODING_UTF8 = 6 };
    (void)err;
    ((int32_t *)vector_data(ask->out))[ask->row] = str_equal_ignore_case(ask_text(ask, 0), STR("utf8")) ? ENCODING_UTF8 : -1;
    ask->answered = true;
    return ERR_OK;
}

ErrorCode system_answer_getdatabaseencoding(Ask *ask, Error *err) {
    (void)err;
    answer_str(ask, STR("UTF8"));
    return ERR_OK;
}
