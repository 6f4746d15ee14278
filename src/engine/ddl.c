/* SPDX-License-Identifier: Apache-2.0
 * ddl.c - transactional changes of schemas and tables: each makes a new version of one object.
 *
 * Conflicts: an object that another transaction is changing is waited for, up to DDL_WAIT_ALONE_MS, or DDL_WAIT_MS by who holds locks of its own (two
 *            may wait for each other); then ERR_OBJECT_IN_USE. One changed since the snapshot is looked at again under READ COMMITTED, and
 *            40001 otherwise.
 * Tests:     test/unit/engine/test_ddl.c */
#include "engine/ddl_internal.h"

ErrorCode ddl__check_name(Str name, const char *what, Error *err) {
    bool bad = name.len == 0 || name.len > NAME_BYTES_MAX || !utf8_valid(name) || memchr(name.data, 0, name.len) != NULL;
    return bad ? error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid %s name \"%.*s\"", what, (int)MIN_OF(name.len, (size_t)60), name.data)
               : ERR_OK;
}

static ErrorCode in_use(Str name, Error *err) {
    return error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "\"%.*s\" is being changed by another transaction", STR_ARG(name));
}

/* Each call below holds ddl_lock from its checks to its new version: what was found free must still be free when it is taken. */
void ddl__lock(Txn *txn) { engine__lock(txn->engine, &txn->engine->ddl_lock); }

ErrorCode ddl__unlock(Txn *txn, ErrorCode code) {
    engine__unlock(txn->engine, &txn->engine->ddl_lock);
    return code;
}

static int64_t lock_timeout(const Txn *txn) {
    return txn->options.lock_timeout_ms != NULL ? txn->options.lock_timeout_ms(txn->options.interrupt_context) : 0;
}

/* Who holds nothing that others wait for, and can be interrupted, may wait for long; but not so many that no thread is left for who is waited for. */
int64_t ddl__deadline(const Txn *txn) {
    Engine *engine = txn->engine;
    bool patient = txn->options.interrupted != NULL && txn->writes.count == 0 && engine->ddl_waiters < DDL_WAITERS_MAX;
    int64_t wait_ms = patient ? DDL_WAIT_ALONE_MS : DDL_WAIT_MS, limit_ms = lock_timeout(txn);
    return engine->os.clock->monotonic_nanos(engine->os.clock) + INT64_C(1000000) * (limit_ms > 0 ? MIN_OF(wait_ms, limit_ms) : wait_ms);
}

ErrorCode ddl__wait(Txn *txn, Str name, int64_t deadline_nanos, Error *err) {
    Engine *engine = txn->engine;
    Sched *sched = engine->os.sched;
    int64_t now = engine->os.clock->monotonic_nanos(engine->os.clock);
    if (now >= deadline_nanos) {
        return lock_timeout(txn) > 0 ? error_set(err, ERR_LOCK_NOT_AVAILABLE, ERROR_NO_POSITION, "canceling statement due to lock timeout") : in_use(name, err);
    }
    int64_t step = now + INT64_C(20000000); /* a change between check and wait is seen after 20 ms at the latest */
    engine->ddl_waiters++;
    (void)sched->cond_wait(sched, &engine->ddl_changed, &engine->ddl_lock, MIN_OF(step, deadline_nanos));
    engine->ddl_waiters--;
    return txn->options.interrupted != NULL ? txn->options.interrupted(txn->options.interrupt_context, err) : ERR_OK;
}

/* Settled changes become visible one after the other, a moment later; not if the log has failed. */
void txn_statement_again(Txn *txn) {
    Engine *engine = txn->engine;
    ddl__lock(txn);
    for (int64_t deadline = ddl__deadline(txn); catalog_changed_lsn(engine->catalog) > engine__visible_lsn(engine);) {
        if (ddl__wait(txn, (Str){0}, deadline, NULL) != ERR_OK) {
            break;
        }
    }
    (void)ddl__unlock(txn, ERR_OK);
    txn_statement_begin(txn);
}

static void refresh(Txn *txn) {
    registry_refresh(&txn->engine->registry, &txn->entry, engine__visible_lsn, txn->engine);
    txn->snapshot.lsn = txn->entry.snapshot_lsn;
}

/* The version to change. Waits, refreshes, or fails as the top comment says. */
ErrorCode ddl__object(Txn *txn, uint32_t id, Str name, const ObjectVersion **object_out, Error *err) {
    TRY(txn__check_writable(txn, err));
    int64_t deadline = ddl__deadline(txn);
    for (;;) {
        Snapshot snapshot = txn__catalog_snapshot(txn);
        CatalogConflict conflict = catalog_check(txn->engine->catalog, id, &snapshot);
        if (conflict == CATALOG_NEWER && txn->options.isolation == ISOLATION_READ_COMMITTED) {
            refresh(txn);
            snapshot = txn__catalog_snapshot(txn);
            /* Settled, but not visible yet: its publisher needs the lock that is held here. */
            TRY(catalog_check(txn->engine->catalog, id, &snapshot) == CATALOG_NEWER ? ddl__wait(txn, name, deadline, err) : ERR_OK);
            continue;
        }
        if (conflict == CATALOG_NEWER) {
            return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "\"%.*s\" was changed by another transaction", STR_ARG(name));
        }
        TRY(conflict == CATALOG_BUSY ? ddl__wait(txn, name, deadline, err) : ERR_OK);
        if (conflict == CATALOG_FREE) {
            CatalogConflict needed = catalog_check_needed(txn->engine->catalog, id, &snapshot);
            if (needed == CATALOG_BUSY) {
                TRY(ddl__wait(txn, name, deadline, err));
                continue;
            }
            TRY(needed == CATALOG_FREE ? ERR_OK : error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "\"%.*s\" got a view by another transaction", STR_ARG(name)));
            *object_out = catalog_by_id(txn->engine->catalog, id, &snapshot);
            return *object_out != NULL ? ERR_OK
                                       : error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "\"%.*s\" does not exist", STR_ARG(name));
        }
    }
}

ErrorCode ddl__object_still(Txn *txn, uint32_t id, Str name, const ObjectVersion **object_out, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    if (catalog_check(txn->engine->catalog, id, &snapshot) != CATALOG_FREE) {
        return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "\"%.*s\" was changed by another transaction", STR_ARG(name));
    }
    *object_out = catalog_by_id(txn->engine->catalog, id, &snapshot);
    return *object_out != NULL ? ERR_OK : error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "\"%.*s\" does not exist", STR_ARG(name));
}

/* The same for what a statement names: another of that name may have its place. */
static ErrorCode named_table(Txn *txn, const TableDef *table, const ObjectVersion **object_out, Error *err) {
    TRY(ddl__object(txn, table->id, table->name, object_out, err));
    bool same = str_equal((*object_out)->def.name, table->name) && (*object_out)->def.schema_id == table->schema_id;
    return same ? ERR_OK : error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table \"%.*s\" was changed by another transaction", STR_ARG(table->name));
}

/* The same for what names columns, indexes or constraints by number or id: those are of the version that the statement was bound to. */
ErrorCode ddl__table(Txn *txn, const TableDef *table, const ObjectVersion **object_out, Error *err) {
    uint64_t version = table->version;
    TRY(ddl__object(txn, table->id, table->name, object_out, err));
    const TableDef *newest = &(*object_out)->table;
    return newest->version == version ? ERR_OK
                                      : error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table \"%.*s\" was changed by another transaction",
                                                  STR_ARG(newest->name));
}

/* Is the name free? *taken_out instead of an error, so that IF NOT EXISTS can look at it. */
ErrorCode ddl__name_free(Txn *txn, ObjectKind kind, uint32_t scope_id, Str name, bool *taken_out, Error *err) {
    int64_t deadline = ddl__deadline(txn);
    for (;;) {
        Snapshot snapshot = txn__catalog_snapshot(txn);
        CatalogConflict conflict = catalog_check_name(txn->engine->catalog, kind, scope_id, name, &snapshot);
        *taken_out = conflict == CATALOG_NEWER;
        if (conflict != CATALOG_BUSY) {
            if (*taken_out && txn->options.isolation == ISOLATION_READ_COMMITTED) {
                refresh(txn);
            }
            return ERR_OK;
        }
        TRY(ddl__wait(txn, name, deadline, err));
    }
}

const ObjectVersion *ddl__put(Txn *txn, ObjectVersion *object) {
    object->begin = txn->snapshot.own | txn->snapshot.command;
    if (object->def.kind == OBJECT_TABLE) {
        object->table.version = catalog_new_version(txn->engine->catalog);
        txn__touch(txn, engine__table(txn->engine, object->def.id));
    }
    catalog_put(txn->engine->catalog, object);
    writes_add(&txn->writes, (Write){WRITE_OBJECT, object->def.id, 0, 0, 0, object});
    txn->ddl_count++;
    return object;
}

/* ---- schemas ---- */

static ErrorCode schema_create(Txn *txn, Str name, bool if_not_exists, Error *err) {
    TRY(txn__check_writable(txn, err));
    TRY(ddl__check_name(name, "schema", err));
    bool taken = false;
    TRY(ddl__name_free(txn, OBJECT_SCHEMA, 0, name, &taken, err));
    if (taken) {
        return if_not_exists ? ERR_OK
                             : error_set(err, ERR_DUPLICATE_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" already exists", STR_ARG(name));
    }
    ObjectVersion *object = object_new(OBJECT_SCHEMA, catalog_new_id(txn->engine->catalog));
    object->def.name = arena_str(&object->arena, name);
    (void)ddl__put(txn, object);
    return ERR_OK;
}

ErrorCode txn_schema_create(Txn *txn, Str name, bool if_not_exists, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, schema_create(txn, name, if_not_exists, err));
}

static ErrorCode find_schema(Txn *txn, Str name, const ObjectVersion **schema_out, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    bool many = false;
    *schema_out = catalog_find(txn->engine->catalog, OBJECT_SCHEMA, 0, name.len == 0 ? STR("public") : name, &snapshot, &many);
    return *schema_out != NULL ? ERR_OK
                               : error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(name));
}

static ErrorCode drop_tables_of(Txn *txn, const ObjectVersion *schema, bool cascade, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = NULL;
    for (size_t cursor = 0; catalog_next(txn->engine->catalog, OBJECT_TABLE, &snapshot, &cursor, &object);) {
        if (object->def.schema_id != schema->def.id) {
            continue;
        }
        if (!cascade) {
            return error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop schema \"%.*s\" because table \"%.*s\" is in it",
                             STR_ARG(schema->def.name), STR_ARG(object->def.name));
        }
        TRY(ddl__table_drop(txn, &object->table, true, err));
    }
    return ERR_OK;
}

static ErrorCode schema_drop(Txn *txn, Str name, bool if_exists, bool cascade, Error *err) {
    const ObjectVersion *schema = NULL;
    ErrorCode code = find_schema(txn, name, &schema, err);
    if (code != ERR_OK) {
        return if_exists ? ERR_OK : code;
    }
    if (schema->def.id < OBJECT_FIRST_FREE_ID) {
        return error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "schema \"%.*s\" cannot be dropped", STR_ARG(name));
    }
    TRY(ddl__object(txn, schema->def.id, name, &schema, err));
    TRY(drop_tables_of(txn, schema, cascade, err));
    TRY(ddl__object_still(txn, schema->def.id, name, &schema, err));
    ObjectVersion *gone = object_copy(schema);
    gone->dropped = true;
    (void)ddl__put(txn, gone);
    return ERR_OK;
}

ErrorCode txn_schema_drop(Txn *txn, Str name, bool if_exists, bool cascade, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, schema_drop(txn, name, if_exists, cascade, err));
}

/* ---- tables ---- */

static bool is_time(Type type) { return type_is_timestamp(type.id); }

static ErrorCode check_columns(const TableSpec *spec, Error *err) {
    if (spec->column_count > COLUMNS_MAX) {
        return error_set(err, ERR_TOO_MANY_COLUMNS, ERROR_NO_POSITION, "tables can have at most %d columns", COLUMNS_MAX);
    }
    StrMap names;
    strmap_init(&names);
    ErrorCode code = ERR_OK;
    for (uint16_t i = 0; i < spec->column_count && code == ERR_OK; i++) {
        code = ddl__check_name(spec->columns[i].name, "column", err);
        if (code == ERR_OK && !strmap_put(&names, spec->columns[i].name, i)) {
            code = error_set(err, ERR_DUPLICATE_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" specified more than once", STR_ARG(spec->columns[i].name));
        }
    }
    strmap_deinit(&names);
    if (code == ERR_OK && spec->designated >= 0 &&
        (spec->designated >= spec->column_count || !is_time(spec->columns[spec->designated].type))) {
        code = error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "the designated timestamp must be a timestamp column");
    }
    return code;
}

static void fill_table(ObjectVersion *object, const TableSpec *spec, const ObjectVersion *schema) {
    object->def.schema_id = schema->def.id;
    object->def.name = arena_str(&object->arena, spec->name);
    TableDef *table = &object->table;
    table->schema_id = schema->def.id;
    table->schema_name = arena_str(&object->arena, schema->def.name);
    table->name = object->def.name;
    table->designated = spec->designated;
    table->partition = spec->partition;
    table->durability = spec->durability;
    table->durability_ms = spec->durability_ms;
    table->wal = spec->wal;
    object_set_columns(object, spec->columns, spec->column_count);
    for (uint16_t i = 0; i < table->column_count; i++) {
        table->columns[i].id = object->next_column_id++;
        table->columns[i].missing_is_null = true; /* no part is older than the column */
        table->columns[i].not_null = table->columns[i].not_null || i == spec->designated;
    }
}

static ErrorCode create_table(Txn *txn, const TableSpec *spec, const TableDef **table_out, Error *err) {
    TRY(txn__check_writable(txn, err));
    TRY(ddl__check_name(spec->name, "table", err));
    TRY(check_columns(spec, err));
    const ObjectVersion *schema = NULL;
    TRY(find_schema(txn, spec->schema_name, &schema, err));
    bool taken = false;
    TRY(ddl__name_free(txn, OBJECT_TABLE, schema->def.id, spec->name, &taken, err));
    if (taken && spec->if_not_exists) {
        return txn->view.base.table_find(&txn->view.base, spec->schema_name, spec->name, table_out, err);
    }
    if (taken) {
        return error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(spec->name));
    }
    if (catalog_object_count(txn->engine->catalog, OBJECT_TABLE) >= TABLES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a database can have at most %d tables", TABLES_MAX);
    }
    ObjectVersion *object = object_new(OBJECT_TABLE, spec->id != 0 ? spec->id : catalog_new_id(txn->engine->catalog));
    fill_table(object, spec, schema);
    *table_out = &ddl__put(txn, object)->table;
    return ERR_OK;
}

ErrorCode txn_table_create(Txn *txn, const TableSpec *spec, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, create_table(txn, spec, table_out, err));
}

ErrorCode ddl__claim(Txn *txn, uint32_t id, Str name, Error *err) {
    int64_t deadline = ddl__deadline(txn);
    Table *table = engine__table(txn->engine, id);
    txn__touch(txn, table);
    for (;;) {
        ErrorCode code = table_claim(table, &txn->snapshot, err);
        if (code != ERR_OBJECT_IN_USE) {
            return code;
        }
        TRY(ddl__wait(txn, name, deadline, err));
    }
}

ErrorCode ddl__table_drop(Txn *txn, const TableDef *table, bool cascade, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__references_drop(txn, table, cascade, err));
    TRY(named_table(txn, table, &object, err));
    TRY(ddl__claim(txn, table->id, table->name, err));
    TRY(named_table(txn, table, &object, err)); /* the wait let others in */
    ObjectVersion *gone = object_copy(object);
    gone->dropped = true;
    (void)ddl__put(txn, gone);
    return ERR_OK;
}

ErrorCode txn_table_drop(Txn *txn, const TableDef *table, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, ddl__table_drop(txn, table, false, err));
}

ErrorCode txn_table_drop_cascade(Txn *txn, const TableDef *table, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, ddl__table_drop(txn, table, true, err));
}

static ErrorCode truncate_rows(Txn *txn, const TableDef *table, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(named_table(txn, table, &object, err));
    TRY(ddl__claim(txn, table->id, table->name, err));
    TRY(named_table(txn, table, &object, err)); /* the wait let others in */
    txn->writer.snapshot = txn->snapshot;
    return table_truncate(engine__table(txn->engine, table->id), &txn->writer, err);
}

ErrorCode txn_table_truncate(Txn *txn, const TableDef *table, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, truncate_rows(txn, table, err));
}

static ErrorCode table_rename(Txn *txn, const TableDef *table, Str new_name, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__check_name(new_name, "table", err));
    TRY(named_table(txn, table, &object, err));
    bool taken = false;
    TRY(ddl__name_free(txn, OBJECT_TABLE, object->def.schema_id, new_name, &taken, err));
    if (taken) {
        return error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(new_name));
    }
    TRY(ddl__object_still(txn, table->id, table->name, &object, err));
    ObjectVersion *renamed = object_copy(object);
    renamed->def.name = renamed->table.name = arena_str(&renamed->arena, new_name);
    (void)ddl__put(txn, renamed);
    return ERR_OK;
}

ErrorCode txn_table_rename(Txn *txn, const TableDef *table, Str new_name, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, table_rename(txn, table, new_name, err));
}

static ErrorCode table_replace(Txn *txn, const TableDef *def, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__check_name(def->name, "table", err));
    TRY(ddl__table(txn, def, &object, err));
    uint64_t version = object->table.version; /* before the wait */
    if (!str_equal(object->def.name, def->name) || object->def.schema_id != def->schema_id) {
        bool taken = false;
        TRY(ddl__name_free(txn, OBJECT_TABLE, def->schema_id, def->name, &taken, err));
        if (taken) {
            return error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(def->name));
        }
        TRY(ddl__object_still(txn, def->id, def->name, &object, err));
        if (object->table.version != version) {
            return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table \"%.*s\" was changed by another transaction", STR_ARG(def->name));
        }
    }
    ObjectVersion *changed = object_copy(object);
    CatalogObject next = object->def;
    next.name = def->name;
    next.schema_id = def->schema_id;
    object_set(changed, &next);
    changed->table.schema_name = arena_str(&changed->arena, def->schema_name);
    changed->table.designated = def->designated;
    object_set_all_columns(changed, def->columns, def->column_count, def->computed_count);
    object_set_indexes(changed, def->indexes, def->index_count);
    object_set_constraints(changed, def->constraints, def->constraint_count);
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_table_replace(Txn *txn, const TableDef *def, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, table_replace(txn, def, table_out, err));
}

static ErrorCode table_set_durability(Txn *txn, const TableDef *table, uint8_t durability, uint32_t durability_ms, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__object(txn, table->id, table->name, &object, err));
    ObjectVersion *changed = object_copy(object);
    changed->table.durability = durability;
    changed->table.durability_ms = durability_ms;
    (void)ddl__put(txn, changed);
    return ERR_OK;
}

ErrorCode txn_table_set_durability(Txn *txn, const TableDef *table, uint8_t durability, uint32_t durability_ms, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, table_set_durability(txn, table, durability, durability_ms, err));
}

ErrorCode ddl__check_column_name(Str name, Error *err) { return ddl__check_name(name, "column", err); }
