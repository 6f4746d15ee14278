/* SPDX-License-Identifier: Apache-2.0
 * produce_session.c - what sessions know: settings, clients, cursors, prepared statements, advisory locks. Outside of a session the lists are empty. */
#include "sql/parse/lexer.h"
#include "sql/system/acl.h"
#include "sql/system/each.h"
#include "sql/system/produce.h"

static void put_time(SystemRows *rows, int64_t micros) {
    if (micros == 0) {
        put_null(rows);
    } else {
        put_int(rows, micros);
    }
}

static void put_choices(SystemRows *rows, const char *const *choices) {
    enum { CHOICES_MAX = 32 };
    Str texts[CHOICES_MAX];
    uint32_t count = 0;
    if (choices == NULL) {
        put_null(rows);
        return;
    }
    while (choices[count] != NULL && count < CHOICES_MAX) {
        texts[count] = str_from_c(choices[count]);
        count++;
    }
    put_texts(rows, texts, count);
}

ErrorCode system_rows_pg_settings(SystemView *view, SystemRows *rows, Error *err) {
    const FunctionEnvironment *environment = view->environment;
    SessionSetting setting;
    size_t cursor = 0;
    (void)err;
    while (environment->calls != NULL && environment->calls->setting_next(environment->session, &cursor, &setting)) {
        row_begin(rows);
        put_text(rows, setting.name);
        put_text(rows, setting.value);
        put_filled(rows, setting.unit);
        put_text(rows, setting.category);
        put_text(rows, setting.short_description);
        put_null(rows);
        put_text(rows, setting.context);
        put_text(rows, setting.kind);
        put_text(rows, setting.source);
        put_filled(rows, setting.minimum);
        put_filled(rows, setting.maximum);
        put_choices(rows, setting.choices);
        put_text(rows, setting.boot_value);
        put_text(rows, setting.reset_value);
        put_nulls(rows, 2);
        put_bool(rows, false);
        row_end(rows);
    }
    return ERR_OK;
}

typedef struct ActivityRows { SystemView *view; SystemRows *rows; } ActivityRows;

/* What others may know of a client whose role's privileges they do not hold. */
static SessionActivity masked(const SessionActivity *client) {
    return (SessionActivity){.pid = client->pid, .user_name = client->user_name, .database_name = client->database_name, .application_name = client->application_name,
                             .client_port = client->client_port, .query = STR("<insufficient privilege>"), .door = client->door,
                             .backend_start = client->backend_start};
}

static void put_activity(void *context, const SessionActivity *of) {
    SystemView *view = ((ActivityRows *)context)->view;
    SystemRows *rows = ((ActivityRows *)context)->rows;
    const CatalogObject *role = catalog_role_find(view->inner, of->user_name);
    bool may = catalog_role_is_member(view->inner, session_role(view), role != NULL ? role->id : ROLE_POSTGRES_ID, MEMBERSHIP_INHERIT);
    SessionActivity shown = may ? *of : masked(of);
    const SessionActivity *client = &shown;
    row_begin(rows);
    put_oid(rows, OID_DATABASE);
    put_text(rows, client->database_name);
    put_int(rows, client->pid);
    put_null(rows);
    put_oid(rows, role != NULL ? role_oid(role->id) : OID_ROLE_POSTGRES);
    put_text(rows, client->user_name);
    put_text(rows, client->application_name);
    put_filled(rows, client->client_address);
    put_null(rows);
    put_int(rows, client->client_port);
    put_time(rows, client->backend_start);
    put_time(rows, client->transaction_start);
    put_time(rows, client->query_start);
    put_time(rows, client->state_change);
    put_c(rows, client->waits_for_client ? "Client" : NULL);
    put_c(rows, client->waits_for_client ? "ClientRead" : NULL);
    put_filled(rows, client->state);
    put_nulls(rows, 3);
    put_text(rows, client->query);
    put_c(rows, "client backend");
    row_end(rows);
}

ErrorCode system_rows_pg_stat_activity(SystemView *view, SystemRows *rows, Error *err) {
    const FunctionEnvironment *environment = view->environment;
    (void)err;
    if (environment->calls != NULL) {
        environment->calls->activity(environment->session, put_activity, &(ActivityRows){view, rows});
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_cursors(SystemView *view, SystemRows *rows, Error *err) {
    const FunctionEnvironment *environment = view->environment;
    SessionCursor row;
    size_t cursor = 0;
    (void)err;
    while (environment->calls != NULL && environment->calls->cursor_next(environment->session, &cursor, &row)) {
        row_begin(rows);
        put_text(rows, row.name);
        put_text(rows, row.statement);
        put_bool(rows, row.is_holdable);
        put_bool(rows, row.is_binary);
        put_bool(rows, row.is_scrollable);
        put_time(rows, row.creation_time);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_prepared_statements(SystemView *view, SystemRows *rows, Error *err) {
    const FunctionEnvironment *environment = view->environment;
    SessionPrepared row;
    size_t cursor = 0;
    (void)err;
    while (environment->calls != NULL && environment->calls->prepared_next(environment->session, &cursor, &row)) {
        row_begin(rows);
        put_text(rows, row.name);
        put_text(rows, row.statement);
        put_time(rows, row.prepared_at);
        put_oids(rows, row.parameter_oids, row.parameter_count);
        put_bool(rows, row.from_sql);
        put_int(rows, 0);
        put_int(rows, 0);
        row_end(rows);
    }
    return ERR_OK;
}

static void put_lock(void *context, const SessionLock *lock) {
    SystemRows *rows = context;
    row_begin(rows);
    put_c(rows, "advisory");
    put_oid(rows, OID_DATABASE);
    put_nulls(rows, 5);
    put_oid(rows, (uint32_t)((uint64_t)lock->key.key >> 32));
    put_oid(rows, (uint32_t)lock->key.key);
    put_int(rows, lock->key.is_pair ? 2 : 1);
    put_null(rows);
    put_int(rows, lock->pid);
    put_c(rows, lock->shared ? "ShareLock" : "ExclusiveLock");
    put_bool(rows, true);
    put_bool(rows, false);
    row_end(rows);
}

/* Advisory locks alone: rows are guarded by versions, relations by their definitions. */
ErrorCode system_rows_pg_locks(SystemView *view, SystemRows *rows, Error *err) {
    const FunctionEnvironment *environment = view->environment;
    (void)err;
    if (environment->calls != NULL) {
        environment->calls->locks(environment->session, put_lock, rows);
    }
    return ERR_OK;
}

/* One row: the engine's counters are at /metrics, by name. */
ErrorCode system_rows_pg_stat_database(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    row_begin(rows);
    put_oid(rows, OID_DATABASE);
    put_text(rows, view->environment->database_name);
    for (int i = 0; i < 15; i++) {
        put_int(rows, 0);
    }
    row_end(rows);
    return ERR_OK;
}

ErrorCode system_rows_pg_get_keywords(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { char code; const char *text; } CLASSES[] = {
        [KEYWORD_UNRESERVED] = {'U', "unreserved"},
        [KEYWORD_COLUMN_NAME] = {'C', "unreserved (cannot be function or type name)"},
        [KEYWORD_TYPE_FUNCTION] = {'T', "reserved (can be function or type name)"},
        [KEYWORD_RESERVED] = {'R', "reserved"},
    };
    (void)view, (void)err;
    for (int k = NO_KEYWORD + 1; k < KEYWORD_COUNT; k++) {
        KeywordClass class = keyword_class((Keyword)k);
        bool is_label = keyword_is_label((Keyword)k);
        row_begin(rows);
        put_text(rows, keyword_text((Keyword)k));
        put_char(rows, CLASSES[class].code);
        put_bool(rows, is_label);
        put_c(rows, CLASSES[class].text);
        put_c(rows, is_label ? "can be bare label" : "requires AS");
        row_end(rows);
    }
    return ERR_OK;
}
