/* SPDX-License-Identifier: Apache-2.0
 * ddl_object.c - objects that are no tables: created, replaced, dropped, whatever their bodies hold.
 *
 * Tests: test/unit/engine/test_ddl.c */
#include "engine/ddl_internal.h"

static bool is_relation(uint8_t kind) { return kind == OBJECT_TABLE || kind == OBJECT_VIEW || kind == OBJECT_SEQUENCE; }
static uint32_t scope_of(const CatalogObject *def) { return def->schema_id != 0 ? def->schema_id : def->parent_id; }

static bool has_free_name(uint8_t kind) { return kind != OBJECT_MEMBERSHIP && kind != OBJECT_GRANT && kind != OBJECT_COMMENT; }

static ErrorCode check_free(Txn *txn, const CatalogObject *def, Error *err) {
    bool taken = false;
    if (has_free_name(def->kind)) {
        TRY(ddl__check_name(def->name, object_kind_name(def->kind), err));
    }
    TRY(ddl__name_free(txn, (ObjectKind)def->kind, scope_of(def), def->name, &taken, err));
    if (!taken) {
        return ERR_OK;
    }
    return is_relation(def->kind)
               ? error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(def->name))
               : error_set(err, def->kind == OBJECT_SCHEMA ? ERR_DUPLICATE_SCHEMA : ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "%s \"%.*s\" already exists",
                           object_kind_name(def->kind), STR_ARG(def->name));
}

/* What a view reads must be as it was when the view was bound. */
static ErrorCode check_needs(Txn *txn, const CatalogObject *def, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    for (uint16_t i = 0; i < def->need_count && def->kind == OBJECT_VIEW; i++) {
        if (catalog_check(txn->engine->catalog, def->needs[i].object_id, &snapshot) != CATALOG_FREE) {
            return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "what view \"%.*s\" reads was changed by another transaction", STR_ARG(def->name));
        }
    }
    return ERR_OK;
}

/* Others that change what a view reads end first. */
static ErrorCode wait_for_needs(Txn *txn, const CatalogObject *def, Error *err) {
    int64_t deadline = ddl__deadline(txn);
    for (uint16_t i = 0; i < def->need_count && def->kind == OBJECT_VIEW; i++) {
        Snapshot snapshot = txn__catalog_snapshot(txn);
        while (catalog_check(txn->engine->catalog, def->needs[i].object_id, &snapshot) == CATALOG_BUSY) {
            TRY(ddl__wait(txn, def->name, deadline, err));
        }
    }
    return ERR_OK;
}

static ErrorCode object_create(Txn *txn, const CatalogObject *def, uint32_t *id_out, Error *err) {
    TRY(txn__check_writable(txn, err));
    TRY(wait_for_needs(txn, def, err));
    TRY(check_free(txn, def, err));
    if (catalog_object_count(txn->engine->catalog, (ObjectKind)def->kind) >= OBJECTS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a database can have at most %d objects of a kind", OBJECTS_MAX);
    }
    TRY(check_needs(txn, def, err));
    ObjectVersion *object = object_new((ObjectKind)def->kind, catalog_new_id(txn->engine->catalog));
    object_set(object, def);
    *id_out = object->def.id;
    (void)ddl__put(txn, object);
    return ERR_OK;
}

ErrorCode txn_object_create(Txn *txn, const CatalogObject *def, uint32_t *id_out, Error *err) {
    assert(def->kind != OBJECT_TABLE && def->kind != OBJECT_NONE);
    ddl__lock(txn);
    return ddl__unlock(txn, object_create(txn, def, id_out, err));
}

static ErrorCode object_replace(Txn *txn, const CatalogObject *def, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(wait_for_needs(txn, def, err));
    TRY(ddl__object(txn, def->id, def->name, &object, err));
    assert(object->def.kind == def->kind);
    if (!str_equal(object->def.name, def->name) || scope_of(&object->def) != scope_of(def)) {
        TRY(check_free(txn, def, err));
        TRY(ddl__object_still(txn, def->id, def->name, &object, err));
    }
    TRY(check_needs(txn, def, err));
    ObjectVersion *changed = object_copy(object);
    object_set(changed, def);
    (void)ddl__put(txn, changed);
    return ERR_OK;
}

ErrorCode txn_object_replace(Txn *txn, const CatalogObject *def, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, object_replace(txn, def, err));
}

static ErrorCode object_drop(Txn *txn, uint32_t id, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__object(txn, id, STR("object"), &object, err));
    if (object->def.kind == OBJECT_TABLE) {
        return ddl__table_drop(txn, &object->table, true, err);
    }
    ObjectVersion *gone = object_copy(object);
    gone->dropped = true;
    (void)ddl__put(txn, gone);
    return ERR_OK;
}

ErrorCode txn_object_drop(Txn *txn, uint32_t id, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, object_drop(txn, id, err));
}

uint32_t txn_object_new_id(Txn *txn) { return catalog_new_id(txn->engine->catalog); }
