/* SPDX-License-Identifier: Apache-2.0
 * session_path.c - where names are looked up: the search path with what exists of it, and the schema of temporary tables and views.
 *
 * Why:     temporary tables are tables of a schema of the session's own, pg_temp_<number>; it is dropped when the session ends, and what
 *          a crash left behind when the next run's first session begins.
 * Tests:   test/sql/session.slt, test/unit/session/test_session.c */
#include "session/session_internal.h"

static bool schema_exists(CatalogView *view, Str name) {
    size_t cursor = 0;
    uint32_t id;
    Str found;
    bool built_in = str_equal(name, STR("pg_catalog")) || str_equal(name, STR("information_schema"));
    while (!built_in && view->schema_next(view, &cursor, &id, &found)) {
        if (str_equal(name, found)) {
            return true;
        }
    }
    return built_in;
}

static void find_path(Session *session, CatalogView *view) {
    arena_reset(&session->path_known_memory);
    session->temp_exists = session->temp_schema.len > 0 && schema_exists(view, session->temp_schema);
    session->lookup[0] = session->temp_schema;
    session->path = session->lookup + (session->temp_exists ? 1 : 0);
    session->path_count = 0;
    for (uint32_t i = 0; i < session->path_name_count; i++) {
        Str name = session->path_names[i];
        name = str_equal(name, STR("$user")) ? session->acting_user : name;
        bool temp = str_equal(name, STR("pg_temp"));
        if (!temp && schema_exists(view, name)) {
            session->path[session->path_count++] = arena_str(&session->path_known_memory, name);
        }
    }
}

void session__path_use(Session *session, Txn *txn) {
    static const Str NOWHERE = {"pg_catalog", 10};
    CatalogView *view = txn_catalog(txn);
    uint64_t version = view->version(view);
    if (!session->path_known || session->path_catalog_version != version) {
        find_path(session, view);
        session->path_catalog_version = version;
        session->path_known = true;
    }
    uint32_t count = session->path_count + (session->temp_exists ? 1 : 0);
    const Str *names = session->temp_exists ? session->lookup : session->path;
    txn_set_search_path(txn, count > 0 ? names : &NOWHERE, MAX_OF(count, 1u), session->temp_exists ? session->temp_schema : (Str){0});
}

static ErrorCode check_temporary(const Session *session, CatalogView *catalog, Error *err) {
    uint32_t role = session__bind_role(session, catalog);
    bool may = role == 0 || (catalog_privileges(catalog, role, OBJECT_NONE, 0, false) & PRIVILEGE_TEMPORARY) != 0;
    return may ? ERR_OK : error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied to create temporary tables in database \"%.*s\"",
                                    STR_ARG(session->options.database_name));
}

ErrorCode session__temp_schema(Session *session, Txn *txn, Str *name_out, Error *err) {
    TRY(check_temporary(session, txn_catalog(txn), err));
    if (session->temp_schema.len == 0) {
        session->temp_schema = arena_format(&session->names, "pg_temp_%llu", (unsigned long long)session->id);
    }
    TRY(txn_schema_create(txn, session->temp_schema, true, err));
    session->temp_used = true;
    session->path_known = false;
    session__path_use(session, txn);
    *name_out = session->temp_schema;
    return ERR_OK;
}

void session__temp_note(Session *session, const TableDef *table, uint8_t on_commit) {
    if (on_commit != ON_COMMIT_NOTHING) {
        TempTable *temp = mem_calloc(1, sizeof *temp);
        *temp = (TempTable){table->id, on_commit, session->temp_tables};
        session->temp_tables = temp;
    }
}

ErrorCode session__temp_commit(Session *session, Txn *txn, Error *err) {
    CatalogView *view = txn_catalog(txn);
    TempTable **link = &session->temp_tables;
    while (*link != NULL) {
        TempTable *temp = *link;
        const TableDef *table = view->table_by_id(view, temp->id);
        if (table != NULL && temp->on_commit == ON_COMMIT_DELETE_ROWS) {
            TRY(txn_has_writes(txn) ? txn_table_truncate(txn, table, err) : ERR_OK);
            link = &temp->next;
            continue;
        }
        if (table != NULL) {
            TRY(txn_table_drop(txn, table, err));
        }
        *link = temp->next;
        mem_free(temp);
    }
    return ERR_OK;
}

ErrorCode session__drop_schema(Txn *txn, Str name, Error *err) {
    CatalogView *view = txn_catalog(txn);
    const CatalogObject *schema = view->object_find(view, OBJECT_SCHEMA, 0, name);
    if (schema == NULL) {
        return ERR_OK;
    }
    Arena arena;
    arena_init(&arena, STATEMENT_ARENA_BYTES_MAX);
    FunctionEnvironment nowhere = {0}; /* no search path: it is only asked how to call what goes, and nobody hears that */
    Ddl ddl = {.txn = txn, .catalog = view, .arena = &arena, .environment = &nowhere};
    ErrorCode code = ddl_drop(&ddl, &schema->id, 1, true, err);
    arena_deinit(&arena);
    return code;
}

static void drop_schemas(Engine *engine, bool (*wanted)(const Session *session, Str name), const Session *session) {
    Txn *txn = NULL;
    Error ignored;
    bool dropped = false;
    if (engine_begin(engine, NULL, &txn, &ignored) != ERR_OK) {
        return; /* the log has failed: the next start cleans up */
    }
    CatalogView *view = txn_catalog(txn);
    size_t cursor = 0;
    uint32_t id;
    Str name;
    while (view->schema_next(view, &cursor, &id, &name)) {
        if (wanted(session, name)) {
            dropped |= session__drop_schema(txn, name, &ignored) == ERR_OK;
        }
    }
    if (!dropped) {
        txn_rollback(txn);
        return;
    }
    Lsn lsn;
    error_ignore(txn_commit(txn, &lsn, &ignored)); /* the next start tries again */
}

static bool is_own(const Session *session, Str name) { return str_equal(name, session->temp_schema); }
static bool is_temporary(const Session *session, Str name) {
    (void)session;
    return str_starts_with(name, STR("pg_temp_"));
}

void session__temp_drop(Session *session) {
    assert(!session->in_block);
    if (session->temp_used) {
        drop_schemas(session->engine, is_own, session);
        session->temp_used = false;
        while (session->temp_tables != NULL) {
            TempTable *temp = session->temp_tables;
            session->temp_tables = temp->next;
            mem_free(temp);
        }
        session->path_known = false;
    }
}

void session__temp_clean(Session *session) {
    Hub *hub = session->hub;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    if (!hub->cleaned) {
        drop_schemas(session->engine, is_temporary, session);
        hub->cleaned = true;
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
}
