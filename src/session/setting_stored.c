/* SPDX-License-Identifier: Apache-2.0
 * setting_stored.c - what ALTER DATABASE ... SET and ALTER ROLE ... SET keep, applied when a client's session starts; CONNECTION LIMIT of roles.
 *
 * Order: every role, the database, the role, the role in the database: the last word wins, and the client's own start options come after it.
 *        A value that cannot be set any more is a warning, because it must not lock its role out.
 * Tests: test/pg/login.py */
#include "session/session_internal.h"

static void apply(Session *session, const CatalogObject *setting) {
    Error err = {0};
    if (session_setting_start(session, setting_name(setting), body_text(setting->body), &err) != ERR_OK) {
        session_notice(session, NOTICE_WARNING, error_sqlstate(err.code), "%s", err.message);
    }
}

static void apply_scope(Session *session, CatalogView *catalog, uint32_t role_id, bool in_database) {
    const CatalogObject *setting = NULL;
    for (size_t cursor = 0; catalog->object_next(catalog, OBJECT_SETTING, &cursor, &setting);) {
        if (setting->parent_id == role_id && setting_in_database(setting) == in_database) {
            apply(session, setting);
        }
    }
}

/* Sessions of the role that stand in a long-lived door, this one among them. */
static int64_t sessions_of(const Session *self) {
    Hub *hub = self->hub;
    int64_t count = 0;
    hub->sched->mutex_lock(hub->sched, &hub->mutex);
    for (Session *session = hub->first; session != NULL; session = session->next) {
        count += str_equal(session->options.door, self->options.door) && str_equal(session->options.user_name, self->options.user_name);
    }
    hub->sched->mutex_unlock(hub->sched, &hub->mutex);
    return count;
}

static ErrorCode check_connection_limit(const Session *session, CatalogView *catalog, uint32_t role_id, Error *err) {
    RoleBody role;
    const CatalogObject *object = catalog->object_by_id(catalog, role_id);
    bool limited = object != NULL && role_body_decode(object->body, &role, NULL) == ERR_OK && role.connection_limit >= 0 && !role.superuser;
    if (!limited || sessions_of(session) <= role.connection_limit) {
        return ERR_OK;
    }
    return error_set(err, ERR_TOO_MANY_CONNECTIONS, ERROR_NO_POSITION, "too many connections for role \"%.*s\"", STR_ARG(object->name));
}

ErrorCode session_start_as_role(Session *session, Error *err) {
    Txn *txn = NULL;
    assert(!session->in_block);
    TRY(engine_begin(session->engine, &(TxnOptions){.read_only = true}, &txn, err));
    CatalogView *catalog = txn_catalog(txn);
    uint32_t role_id = session__role_id(catalog, session->options.user_name);
    ErrorCode code = check_connection_limit(session, catalog, role_id, err);
    if (code == ERR_OK && (catalog_privileges(catalog, role_id, OBJECT_NONE, 0, false) & PRIVILEGE_CONNECT) == 0) {
        error_ignore(error_set(err, ERR_INSUFFICIENT_PRIVILEGE, ERROR_NO_POSITION, "permission denied for database \"%.*s\"", STR_ARG(session->options.database_name)));
        code = error_add(err, 'D', "User does not have CONNECT privilege.");
    }
    if (code == ERR_OK) {
        apply_scope(session, catalog, 0, false);
        apply_scope(session, catalog, 0, true);
        apply_scope(session, catalog, role_id, false);
        apply_scope(session, catalog, role_id, true);
    }
    txn_rollback(txn);
    return code;
}
