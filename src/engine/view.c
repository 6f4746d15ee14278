/* SPDX-License-Identifier: Apache-2.0
 * view.c - the catalog as a transaction sees it. */
#include "engine/engine_internal.h"

static Txn *txn_of(CatalogView *view) { return ((TxnView *)view)->txn; }

static const ObjectVersion *schema_peek(Txn *txn, Str name, const Snapshot *snapshot) {
    bool many = false;
    Str real = str_equal(name, STR("pg_temp")) && txn->temp_schema.len > 0 ? txn->temp_schema : name;
    return catalog_find(txn->engine->catalog, OBJECT_SCHEMA, 0, real, snapshot, &many);
}

static const ObjectVersion *relation_in(Txn *txn, ObjectKind kind, uint32_t schema_id, Str name, const Snapshot *snapshot, bool *many) {
    bool several = false;
    const ObjectVersion *object = catalog_find(txn->engine->catalog, kind, schema_id, name, snapshot, &several);
    *many |= several;
    return object;
}

/* The first schema of the path that has such a table (OBJECT_NONE: or view, or sequence). */
static const ObjectVersion *relation_on_path(Txn *txn, ObjectKind kind, Str name, const Snapshot *snapshot, bool *many) {
    if (txn->search_path_count == 0) {
        const ObjectVersion *schema = schema_peek(txn, STR("public"), snapshot);
        return schema == NULL ? NULL : relation_in(txn, kind, schema->def.id, name, snapshot, many);
    }
    const ObjectVersion *object = NULL;
    for (uint32_t i = 0; i < txn->search_path_count && object == NULL; i++) {
        const ObjectVersion *schema = schema_peek(txn, txn->search_path[i], snapshot);
        object = schema == NULL ? NULL : relation_in(txn, kind, schema->def.id, name, snapshot, many);
    }
    return object;
}

static ErrorCode relation_lookup(Txn *txn, ObjectKind kind, Str schema_name, Str name, const Snapshot *snapshot, const ObjectVersion **object_out, bool *many, Error *err) {
    if (schema_name.len == 0) {
        *object_out = relation_on_path(txn, kind, name, snapshot, many);
        return ERR_OK;
    }
    const ObjectVersion *schema = schema_peek(txn, schema_name, snapshot);
    if (schema == NULL) {
        return error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(schema_name));
    }
    *object_out = relation_in(txn, kind, schema->def.id, name, snapshot, many);
    return ERR_OK;
}

void txn_set_search_path(Txn *txn, const Str *schemas, uint32_t count, Str temp_schema) {
    assert(schemas != NULL || count == 0);
    txn->search_path = schemas;
    txn->search_path_count = count;
    txn->temp_schema = temp_schema;
}

static ErrorCode view_table_find(CatalogView *view, Str schema_name, Str name, const TableDef **table_out, Error *err) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = NULL;
    bool many = false;
    TRY(relation_lookup(txn, OBJECT_TABLE, schema_name, name, &snapshot, &object, &many, err));
    if (object == NULL && many) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "several tables are named like \"%.*s\"; quote the exact name",
                         STR_ARG(name));
    }
    if (object == NULL) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "relation \"%.*s%s%.*s\" does not exist", STR_ARG(schema_name), schema_name.len > 0 ? "." : "",
                         STR_ARG(name));
    }
    *table_out = &object->table;
    return engine__dictionaries_load(*table_out, err);
}

static const TableDef *view_table_by_id(CatalogView *view, uint32_t id) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = catalog_by_id(txn->engine->catalog, id, &snapshot);
    return object == NULL || object->def.kind != OBJECT_TABLE ? NULL : &object->table;
}

static bool view_table_next(CatalogView *view, size_t *cursor, const TableDef **table_out) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = NULL;
    if (!catalog_next(txn->engine->catalog, OBJECT_TABLE, &snapshot, cursor, &object)) {
        return false;
    }
    *table_out = &object->table;
    return true;
}

static bool view_schema_next(CatalogView *view, size_t *cursor, uint32_t *id_out, Str *name_out) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = NULL;
    if (!catalog_next(txn->engine->catalog, OBJECT_SCHEMA, &snapshot, cursor, &object)) {
        return false;
    }
    *id_out = object->def.id;
    *name_out = object->def.name;
    return true;
}

static void view_stats(CatalogView *view, const TableDef *table, TableStats *stats_out) {
    *stats_out = (TableStats){0};
    Table *rows = engine__table_peek(txn_of(view)->engine, table->id);
    if (rows != NULL) {
        TableFigures figures;
        table_figures(rows, &figures);
        *stats_out = (TableStats){figures.rows, figures.disk_bytes, figures.min_time, figures.max_time};
    }
}

/* Own DDL has numbers that no LSN has. */
static uint64_t view_version(CatalogView *view) {
    const Txn *txn = txn_of(view);
    if (txn->ddl_count > 0) {
        return txn->entry.own + txn->ddl_count;
    }
    return txn_catalog_lsn(txn);
}

static const CatalogObject *view_object_find(CatalogView *view, ObjectKind kind, uint32_t scope_id, Str name) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    bool many = false;
    const ObjectVersion *object = catalog_find(txn->engine->catalog, kind, scope_id, name, &snapshot, &many);
    return object == NULL ? NULL : &object->def;
}

static const CatalogObject *view_object_by_id(CatalogView *view, uint32_t id) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = catalog_by_id(txn->engine->catalog, id, &snapshot);
    return object == NULL ? NULL : &object->def;
}

static bool view_object_next(CatalogView *view, ObjectKind kind, size_t *cursor, const CatalogObject **object_out) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = NULL;
    if (!catalog_next(txn->engine->catalog, kind, &snapshot, cursor, &object)) {
        return false;
    }
    *object_out = &object->def;
    return true;
}

static const CatalogObject *view_relation_find(CatalogView *view, Str schema_name, Str name) {
    Txn *txn = txn_of(view);
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = NULL;
    bool many = false;
    if (relation_lookup(txn, OBJECT_NONE, schema_name, name, &snapshot, &object, &many, NULL) != ERR_OK) {
        return NULL;
    }
    return object == NULL ? NULL : &object->def;
}

void txn__view_init(Txn *txn) {
    txn->view = (TxnView){{.table_find = view_table_find,
                           .table_by_id = view_table_by_id,
                           .table_next = view_table_next,
                           .schema_next = view_schema_next,
                           .stats = view_stats,
                           .version = view_version,
                           .object_find = view_object_find,
                           .object_by_id = view_object_by_id,
                           .object_next = view_object_next,
                           .relation_find = view_relation_find},
                          txn};
}
