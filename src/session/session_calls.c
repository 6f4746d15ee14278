/* SPDX-License-Identifier: Apache-2.0
 * session_calls.c - the session behind the table that functions call (sql/func/session_calls.h). */
#include "session/session_internal.h"
#include <inttypes.h>

static bool setting_get(void *session, Str name, Arena *arena, Str *value_out) {
    Str value;
    if (!session__setting_find(session, name, &value)) {
        return false;
    }
    *value_out = arena_str(arena, value);
    return true;
}

static ErrorCode setting_set(void *session, Str name, Str value, bool local, Arena *arena, Str *value_out, Error *err) {
    Str now = {0};
    TRY(session__setting_set(session, name, value, local, err));
    (void)session__setting_find(session, name, &now);
    *value_out = arena_str(arena, now);
    return ERR_OK;
}

static Str kind_name(uint8_t kind) {
    static const Str NAMES[] = {{"bool", 4}, {"integer", 7}, {"real", 4}, {"string", 6}, {"enum", 4}};
    return NAMES[kind];
}

static bool setting_next(void *context, size_t *cursor, SessionSetting *setting_out) {
    const Session *session = context;
    while (*cursor < SETTING_COUNT && (setting__row((SettingId)*cursor)->flags & SETTING_HIDDEN) != 0) {
        ++*cursor;
    }
    if (*cursor >= SETTING_COUNT) {
        return false;
    }
    SettingId id = (SettingId)(*cursor)++;
    const SettingRow *row = setting__row(id);
    const char *start = session->setting_resets[id];
    bool fixed = (row->flags & SETTING_INTERNAL) != 0, server = (row->flags & SETTING_SERVER) != 0;
    *setting_out = (SessionSetting){
        .name = str_from_c(row->name), .value = setting__shown(session, id), .unit = str_from_c(row->unit), .kind = kind_name(row->kind),
        .context = fixed ? STR("internal") : server ? STR("postmaster") : STR("user"),
        .boot_value = str_from_c(row->value), .reset_value = str_from_c(start != NULL ? start : row->value),
        .source = session->settings[id] == NULL ? STR("default") : start != NULL && strcmp(start, session->settings[id]) == 0 ? STR("client") : STR("session"),
        .choices = row->kind == SETTING_FORM_ENUM ? setting__choices(id) : NULL};
    return true;
}

static int32_t backend_pid(void *session) { return session_pid(session); }

/* Numbers of transactions are not kept: the block's number is unique within the session, the session's within the engine. */
static uint64_t transaction_id(void *context) {
    const Session *session = context;
    return (session->id << 24) + session->block_number;
}

static Str snapshot_export(void *context, Arena *arena) {
    const Session *session = context;
    if (session->txn == NULL) {
        return (Str){0};
    }
    TxnExport snapshot = txn_snapshot_export(session->txn);
    return arena_format(arena, SNAPSHOT_ID_FORMAT, snapshot.number, snapshot.lsn);
}

static void activity(void *session, void (*visit)(void *context, const SessionActivity *row), void *context) { session__activity(session, visit, context); }
static ErrorCode signal_client(void *session, int32_t pid, bool terminate, bool *found_out, Error *err) {
    return session__signal(session, pid, terminate, found_out, err);
}
static ErrorCode advisory(void *session, const AdvisoryCall *call, bool *result_out, Error *err) { return session__advisory(session, call, result_out, err); }
static void locks(void *session, void (*visit)(void *context, const SessionLock *lock), void *context) { session__locks(session, visit, context); }

/* In short steps, so that a cancel ends it soon. */
static ErrorCode sleep_for(void *context, double seconds, Error *err) {
    enum { STEP_NANOS = 10000000 };
    Session *session = context;
    Sched *sched = session->hub->sched;
    Mutex mutex = {0};
    Cond cond = {0};
    ErrorCode code = ERR_OK;
    int64_t now = session__nanos(session), until = seconds <= 0 ? now : seconds > 1e9 ? INT64_MAX : now + (int64_t)(seconds * 1e9);
    sched->mutex_init(sched, &mutex);
    sched->cond_init(sched, &cond);
    sched->mutex_lock(sched, &mutex);
    for (; now < until && code == ERR_OK; now = session__nanos(session)) {
        (void)sched->cond_wait(sched, &cond, &mutex, MIN_OF(until, now + STEP_NANOS));
        code = query_control_check(&session->control, err);
    }
    sched->mutex_unlock(sched, &mutex);
    sched->cond_deinit(sched, &cond);
    sched->mutex_deinit(sched, &mutex);
    return code;
}

static bool prepared_next(void *context, size_t *cursor, SessionPrepared *row_out) {
    const Session *session = context;
    const Prepared *prepared = session->prepared_first;
    for (size_t i = 0; prepared != NULL && (i < *cursor || prepared->name.len == 0); prepared = prepared->next) {
        i += prepared->name.len > 0;
    }
    if (prepared == NULL) {
        return false;
    }
    ++*cursor;
    *row_out = (SessionPrepared){.name = prepared->name, .statement = str_trim(prepared->compiled->text), .prepared_at = prepared->prepared_micros,
                                 .parameter_oids = prepared->parameter_oids, .parameter_count = prepared_param_count(prepared), .from_sql = prepared->from_sql};
    return true;
}

static bool cursor_next(void *context, size_t *cursor, SessionCursor *row_out) {
    const Session *session = context;
    const Cursor *at = session->cursors;
    for (size_t i = 0; at != NULL && i < *cursor; i++) {
        at = at->next;
    }
    if (at == NULL) {
        return false;
    }
    ++*cursor;
    *row_out = (SessionCursor){.name = at->name, .statement = at->text, .is_holdable = at->hold, .is_binary = at->binary, .is_scrollable = at->scroll,
                               .creation_time = at->created_micros};
    return true;
}

const SessionCalls SESSION__CALLS = {setting_get, setting_set, setting_next, backend_pid, transaction_id, snapshot_export, activity,
                                     signal_client, advisory, locks, sleep_for, prepared_next, cursor_next};
