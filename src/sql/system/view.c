/* SPDX-License-Identifier: Apache-2.0
 * view.c - wraps a transaction's catalog and storage so that system relations are found, read and protected. */
#include "sql/system/names.h"
#include "sql/system/source.h"

static SystemView *of_catalog(CatalogView *view) { return (SystemView *)view; }
static SystemView *of_storage(Storage *storage) { return (SystemView *)((char *)storage - offsetof(SystemView, storage)); }

/* pg_catalog comes first in every search path, so a bare name may mean one of its relations; all of theirs begin with pg_. */
static const SystemRelation *find_system(Str schema, Str name) {
    if (schema.len == 0 && !str_starts_with(name, STR("pg_"))) {
        return NULL;
    }
    const SystemRelation *relation = system_relation_find(schema.len == 0 ? STR("pg_catalog") : schema, name);
    return relation != NULL && relation->kind != 'f' ? relation : NULL;
}

void system_view_lock(SystemView *view) {
    view->sched->mutex_lock(view->sched, view->lock);
}

void system_view_unlock(SystemView *view) { view->sched->mutex_unlock(view->sched, view->lock); }

static const TableDef *locked_table(SystemView *view, const SystemRelation *relation) {
    system_view_lock(view);
    const TableDef *table = system_table(view, relation);
    system_view_unlock(view);
    return table;
}

static ErrorCode view_table_find(CatalogView *base, Str schema, Str name, const TableDef **table_out, Error *err) {
    SystemView *view = of_catalog(base);
    const SystemRelation *relation = find_system(schema, name);
    if (relation != NULL) {
        *table_out = locked_table(view, relation);
        return ERR_OK;
    }
    if (str_equal(schema, STR("pg_catalog")) || str_equal(schema, STR("information_schema"))) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "relation \"%.*s.%.*s\" does not exist", STR_ARG(schema), STR_ARG(name));
    }
    return view->inner->table_find(view->inner, schema, name, table_out, err);
}

static const TableDef *view_table_by_id(CatalogView *base, uint32_t id) {
    SystemView *view = of_catalog(base);
    if (!table_is_system(id)) {
        return view->inner->table_by_id(view->inner, id);
    }
    const SystemRelation *relation = system_relation_by_oid(oid_of_table(id));
    return relation == NULL ? NULL : locked_table(view, relation);
}

static bool view_table_next(CatalogView *base, size_t *cursor, const TableDef **table_out) {
    CatalogView *inner = of_catalog(base)->inner;
    return inner->table_next(inner, cursor, table_out);
}

static bool view_schema_next(CatalogView *base, size_t *cursor, uint32_t *id_out, Str *name_out) {
    CatalogView *inner = of_catalog(base)->inner;
    return inner->schema_next(inner, cursor, id_out, name_out);
}

static void view_stats(CatalogView *base, const TableDef *table, TableStats *stats_out) {
    enum { SYSTEM_ROWS_GUESSED = 500 };
    CatalogView *inner = of_catalog(base)->inner;
    if (table_is_system(table->id)) {
        *stats_out = (TableStats){.row_count = SYSTEM_ROWS_GUESSED};
        return;
    }
    inner->stats(inner, table, stats_out);
}

static uint64_t view_version(CatalogView *base) {
    CatalogView *inner = of_catalog(base)->inner;
    return inner->version(inner);
}

static const CatalogObject *view_object_find(CatalogView *base, ObjectKind kind, uint32_t scope_id, Str name) {
    CatalogView *inner = of_catalog(base)->inner;
    return inner->object_find(inner, kind, scope_id, name);
}

static const CatalogObject *view_object_by_id(CatalogView *base, uint32_t id) {
    CatalogView *inner = of_catalog(base)->inner;
    return table_is_system(id) ? NULL : inner->object_by_id(inner, id);
}

static bool view_object_next(CatalogView *base, ObjectKind kind, size_t *cursor, const CatalogObject **object_out) {
    CatalogView *inner = of_catalog(base)->inner;
    return inner->object_next(inner, kind, cursor, object_out);
}

/* System relations are no objects of the catalog: table_find has them. */
static const CatalogObject *view_relation_find(CatalogView *base, Str schema, Str name) {
    CatalogView *inner = of_catalog(base)->inner;
    return find_system(schema, name) != NULL ? NULL : inner->relation_find(inner, schema, name);
}

/* ---- regclass and its kin ---- */

static SystemView *of_names(const OidNames *names) { return (SystemView *)((char *)(uintptr_t)names - offsetof(SystemView, names)); }

static bool append_name(const OidNames *names, TypeId type, uint32_t oid, Buffer *out) {
    SystemView *view = of_names(names);
    system_view_lock(view);
    bool found = names_append(view, type, oid, out);
    system_view_unlock(view);
    return found;
}

static ErrorCode find_name(const OidNames *names, TypeId type, Str text, uint32_t *oid_out, Error *err) {
    SystemView *view = of_names(names);
    system_view_lock(view);
    ErrorCode code = names_find(view, type, text, oid_out, err);
    system_view_unlock(view);
    return code;
}

static bool append_label(const OidNames *names, int64_t value, Buffer *out) {
    SystemView *view = of_names(names);
    system_view_lock(view);
    bool found = names_append_label(view, value, out);
    system_view_unlock(view);
    return found;
}

static ErrorCode find_label(const OidNames *names, uint32_t object_id, Str label, int64_t *value_out, Error *err) {
    SystemView *view = of_names(names);
    system_view_lock(view);
    ErrorCode code = names_find_label(view, object_id, label, value_out, err);
    system_view_unlock(view);
    return code;
}

static bool append_values(const OidNames *names, uint32_t object_id, Buffer *out) {
    SystemView *view = of_names(names);
    system_view_lock(view);
    bool found = names_append_values(view, object_id, out);
    system_view_unlock(view);
    return found;
}

/* ---- storage ---- */

static ErrorCode refuse(uint32_t table_id, Error *err) {
    const SystemRelation *relation = system_relation_by_oid(oid_of_table(table_id));
    return error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied: \"%s\" is a system catalog",
                     relation == NULL ? "?" : relation->name);
}

static ErrorCode storage_source(Storage *base, uint32_t table_id, RowSource **source_out, Error *err) {
    SystemView *view = of_storage(base);
    if (!table_is_system(table_id)) {
        return view->inner_storage->source(view->inner_storage, table_id, source_out, err);
    }
    const SystemRelation *relation = system_relation_by_oid(oid_of_table(table_id));
    if (relation == NULL) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "system relation %u does not exist", oid_of_table(table_id));
    }
    system_view_lock(view);
    *source_out = system_source(view, relation);
    system_view_unlock(view);
    return ERR_OK;
}

static ErrorCode storage_append(Storage *base, uint32_t table_id, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    SystemView *view = of_storage(base);
    return table_is_system(table_id) ? refuse(table_id, err) : view->inner_storage->append(view->inner_storage, table_id, columns, column_count, err);
}

static ErrorCode storage_end_rows(Storage *base, uint32_t table_id, const RowRef *rows, uint32_t row_count, Error *err) {
    SystemView *view = of_storage(base);
    return table_is_system(table_id) ? refuse(table_id, err) : view->inner_storage->end_rows(view->inner_storage, table_id, rows, row_count, err);
}

static uint64_t storage_rows_appended(Storage *base) {
    SystemView *view = of_storage(base);
    return view->inner_storage->rows_appended(view->inner_storage);
}

const TableDef *system_function(CatalogView *base, Str name) {
    const SystemRelation *relation = system_relation_find(STR("pg_function"), name);
    return relation == NULL || base->table_find != view_table_find ? NULL : locked_table(of_catalog(base), relation);
}

static ErrorCode storage_conflicts(Storage *base, uint32_t table_id, uint32_t index_id, const ColumnBlock *columns, uint16_t column_count, RowRef *rows_out,
                                   Error *err) {
    Storage *inner = of_storage(base)->inner_storage;
    return inner->conflicts(inner, table_id, index_id, columns, column_count, rows_out, err);
}

static ErrorCode storage_fetch(Storage *base, uint32_t table_id, const RowRef *rows, uint16_t row_count, Vector *columns_out, Arena *arena, Error *err) {
    Storage *inner = of_storage(base)->inner_storage;
    return inner->fetch(inner, table_id, rows, row_count, columns_out, arena, err);
}

static void storage_assigned(Storage *base, uint32_t table_id, const bool *columns) {
    Storage *inner = of_storage(base)->inner_storage;
    inner->assigned(inner, table_id, columns);
}

static ErrorCode storage_statement_end(Storage *base, Error *err) {
    Storage *inner = of_storage(base)->inner_storage;
    return inner->statement_end(inner, err);
}

void system_view_attach(SystemView *view, CatalogView *inner, Storage *inner_storage, const FunctionEnvironment *environment) {
    view->inner = inner;
    view->inner_storage = inner_storage;
    view->environment = environment;
    view->enums = NULL;
}

void system_view_init(SystemView *view, Arena *arena, CatalogView *inner, Storage *inner_storage, const FunctionEnvironment *environment, Sched *sched,
                      Mutex *lock) {
    *view = (SystemView){.arena = arena, .names = {append_name, find_name, append_label, find_label, append_values}, .calls = {system_call}, .sched = sched, .lock = lock};
    view->base = (CatalogView){view_table_find, view_table_by_id, view_table_next, view_schema_next, view_stats, view_version, view_object_find,
                               view_object_by_id, view_object_next, view_relation_find};
    view->storage = (Storage){storage_source, storage_append, storage_end_rows, storage_rows_appended, storage_conflicts, storage_fetch, storage_assigned, storage_statement_end};
    system_view_attach(view, inner, inner_storage, environment);
}
