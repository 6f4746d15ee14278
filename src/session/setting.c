/* SPDX-License-Identifier: Apache-2.0
 * setting.c - SET, RESET, SHOW of the settings of settings_table.h and of custom ones ("prefix.name").
 *
 * Invariants: values are kept in the form that SHOW prints; NULL is the default. SET LOCAL ends with the transaction, SET is undone by
 *             its rollback, both by a rollback to an earlier savepoint: changes in a block go on an undo list, newest first.
 * Tests:      test/unit/session/test_session.c, test/sql/session.slt */
#include "session/session_internal.h"

static char *copy_text(Str text) {
    char *copy = mem_alloc(text.len + 1);
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    copy[text.len] = 0;
    return copy;
}

/* ---- finding ---- */

static bool find_setting(Str name, SettingId *id_out) {
    static const struct { Str alias; SettingId id; } ALIASES[] = {{{"time zone", 9}, SETTING_TIMEZONE}, {{"names", 5}, SETTING_CLIENT_ENCODING},
                                                                  {{"transaction isolation level", 27}, SETTING_TRANSACTION_ISOLATION}};
    for (int id = 0; id < SETTING_COUNT; id++) {
        const char *known = setting__row((SettingId)id)->name;
        bool may_be = name.len > 0 && (known[0] | 0x20) == (name.data[0] | 0x20);
        if (may_be && str_equal_ignore_case(name, str_from_c(known))) {
            *id_out = (SettingId)id;
            return true;
        }
    }
    for (size_t i = 0; i < COUNT_OF(ALIASES); i++) {
        if (str_equal_ignore_case(name, ALIASES[i].alias)) {
            *id_out = ALIASES[i].id;
            return true;
        }
    }
    return false;
}

static CustomSetting *find_custom(const Session *session, Str name) {
    for (CustomSetting *custom = session->custom; custom != NULL; custom = custom->next) {
        if (str_equal_ignore_case(name, custom->name)) {
            return custom;
        }
    }
    return NULL;
}

/* prefix.name, both parts words. */
static bool custom_name_valid(Str name) {
    ptrdiff_t dot = str_find_char(name, '.', 0);
    if (dot <= 0 || (size_t)dot + 1 >= name.len || name.len > NAME_BYTES_MAX) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
        bool starts = i == 0 || name.data[i - 1] == '.';
        if (!word && (starts || !((c >= '0' && c <= '9') || c == '$' || c == '.'))) {
            return false;
        }
    }
    return true;
}

static ErrorCode unknown_setting(Str name, Error *err) {
    if (str_find_char(name, '.', 0) >= 0) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid configuration parameter name \"%.*s\"", (int)MIN_OF(name.len, 200), name.data);
    }
    return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "unrecognized configuration parameter \"%.*s\"", (int)MIN_OF(name.len, 200), name.data);
}

Str setting__value(const Session *session, SettingId id) {
    const char *value = session->settings[id];
    return str_from_c(value != NULL ? value : setting__row(id)->value);
}

/* ---- changing ---- */

static ErrorCode remember(Session *session, SettingId id, CustomSetting *custom, char *value, bool local, Error *err) {
    if (session->undo_count == SETTING_UNDO_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "more than %d settings were changed in one transaction", SETTING_UNDO_MAX);
    }
    SettingUndo *undo = mem_calloc(1, sizeof *undo);
    *undo = (SettingUndo){id, custom, value, local, session->savepoint_count, session->undo};
    session->undo = undo;
    session->undo_count++;
    return ERR_OK;
}

static void note_change(Session *session, SettingId id) {
    unsigned flags = setting__row(id)->flags;
    session->report_version += (flags & SETTING_REPORT) != 0;
    session->bind_version += (flags & SETTING_BINDS) != 0;
}

/* value NULL: the default. Takes value. */
static ErrorCode store(Session *session, SettingId id, char *value, bool local, Error *err) {
    char *before = session->settings[id];
    if (session->in_block) {
        ErrorCode code = remember(session, id, NULL, before, local, err);
        if (code != ERR_OK) {
            mem_free(value);
            return code;
        }
    } else {
        mem_free(before);
    }
    session->settings[id] = value;
    note_change(session, id);
    return ERR_OK;
}

static ErrorCode set_custom(Session *session, Str name, const Str *value, bool local, Error *err) {
    if (!custom_name_valid(name)) {
        return unknown_setting(name, err);
    }
    CustomSetting *custom = find_custom(session, name);
    if (custom == NULL) {
        if (session->custom_count == SETTINGS_CUSTOM_MAX) {
            return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "a session can have at most %d settings of its own", SETTINGS_CUSTOM_MAX);
        }
        custom = mem_calloc(1, sizeof *custom);
        custom->name = (Str){copy_text(name), name.len};
        custom->next = session->custom;
        session->custom = custom;
        session->custom_count++;
    }
    char *before = custom->value;
    if (session->in_block) {
        TRY(remember(session, SETTING_COUNT, custom, before, local, err));
    } else {
        mem_free(before);
    }
    custom->value = value != NULL ? copy_text(*value) : custom->start != NULL ? copy_text(str_from_c(custom->start)) : NULL;
    return ERR_OK;
}

static ErrorCode check_settable(SettingId id, Error *err) {
    const SettingRow *row = setting__row(id);
    if ((row->flags & SETTING_INTERNAL) != 0) {
        return error_set(err, ERR_CANNOT_CHANGE_NOW, ERROR_NO_POSITION, "parameter \"%s\" cannot be changed", row->name);
    }
    if ((row->flags & SETTING_SERVER) != 0) {
        return error_set(err, ERR_CANNOT_CHANGE_NOW, ERROR_NO_POSITION, "parameter \"%s\" cannot be changed without restarting the server", row->name);
    }
    return ERR_OK;
}

/* Takes the canonical value of the settings that have an effect into it, then keeps it. reset: back to the session's start value. */
static ErrorCode change(Session *session, SettingId id, Str canonical, bool reset, bool local, Error *err) {
    TRY(setting__apply(session, id, canonical, err));
    const char *start = session->setting_resets[id];
    bool is_default = str_equal(canonical, str_from_c(setting__row(id)->value)) && start == NULL;
    char *value = reset ? (start == NULL ? NULL : copy_text(str_from_c(start))) : is_default ? NULL : copy_text(canonical);
    return store(session, id, value, local, err);
}

ErrorCode session__setting_set(Session *session, Str name, Str value, bool local, Error *err) {
    SettingId id;
    if (!find_setting(name, &id)) {
        return set_custom(session, name, &value, local, err);
    }
    Arena scratch;
    Str canonical = {0};
    TRY(check_settable(id, err));
    arena_init(&scratch, SETTING_BYTES_MAX);
    ErrorCode code = setting__canonical(session, id, value, &scratch, &canonical, err);
    if (code == ERR_OK && (session->in_block || !local)) { /* what is local to a statement of its own is over with it */
        code = change(session, id, canonical, false, local, err);
    }
    arena_deinit(&scratch);
    return code;
}

static ErrorCode reset_one(Session *session, SettingId id, bool local, Error *err) {
    const char *start = session->setting_resets[id];
    if (session->settings[id] == NULL && start == NULL) {
        return ERR_OK;
    }
    return change(session, id, str_from_c(start != NULL ? start : setting__row(id)->value), true, local, err);
}

ErrorCode session__setting_reset(Session *session, Str name, bool local, Error *err) {
    SettingId id;
    if (!find_setting(name, &id)) {
        return set_custom(session, name, NULL, local, err);
    }
    TRY(check_settable(id, err));
    return reset_one(session, id, local, err);
}

/* The running transaction's own settings, and who acts, stay as they are. */
ErrorCode session__settings_reset_all(Session *session, Error *err) {
    for (int i = 0; i < SETTING_COUNT; i++) {
        SettingId id = (SettingId)i;
        bool kept = (setting__row(id)->flags & (SETTING_INTERNAL | SETTING_SERVER | SETTING_HIDDEN)) != 0 || id == SETTING_ROLE || id == SETTING_SESSION_AUTHORIZATION;
        if (!kept) {
            TRY(reset_one(session, id, false, err));
        }
    }
    for (CustomSetting *custom = session->custom; custom != NULL; custom = custom->next) {
        TRY(set_custom(session, custom->name, NULL, false, err));
    }
    return ERR_OK;
}

ErrorCode session_setting_start(Session *session, Str name, Str value, Error *err) {
    assert(!session->in_block);
    SettingId id;
    TRY(session__setting_set(session, name, value, false, err));
    if (find_setting(name, &id)) {
        mem_free(session->setting_resets[id]);
        session->setting_resets[id] = copy_text(setting__value(session, id));
        return ERR_OK;
    }
    CustomSetting *custom = find_custom(session, name);
    mem_free(custom->start);
    custom->start = copy_text(value);
    return ERR_OK;
}

/* What the value would do is tried, where trying is harmless, and undone. */
static ErrorCode try_value(Session *session, SettingId id, Str canonical, Error *err) {
    if (id == SETTING_ROLE || id == SETTING_SESSION_AUTHORIZATION || id == SETTING_TRANSACTION_ISOLATION || id == SETTING_TRANSACTION_READ_ONLY) {
        return ERR_OK;
    }
    TRY(setting__apply(session, id, canonical, err));
    return setting__apply(session, id, setting__value(session, id), err);
}

ErrorCode session__setting_check(Session *session, Str name, const Str *value, Str *name_out, Error *err) {
    SettingId id;
    *name_out = name;
    if (!find_setting(name, &id)) {
        return custom_name_valid(name) ? ERR_OK : unknown_setting(name, err);
    }
    *name_out = str_from_c(setting__row(id)->name);
    TRY(check_settable(id, err));
    if (value == NULL) {
        return ERR_OK;
    }
    Arena scratch;
    Str canonical = {0};
    arena_init(&scratch, SETTING_BYTES_MAX);
    ErrorCode code = setting__canonical(session, id, *value, &scratch, &canonical, err);
    if (code == ERR_OK) {
        code = try_value(session, id, canonical, err);
    }
    arena_deinit(&scratch);
    return code;
}

void setting__force(Session *session, SettingId id, Str value) {
    if (str_equal(setting__value(session, id), value)) {
        return;
    }
    mem_free(session->settings[id]);
    session->settings[id] = copy_text(value);
    note_change(session, id);
}

/* ---- showing ---- */

bool session__setting_find(const Session *session, Str name, Str *value_out) {
    SettingId id;
    if (find_setting(name, &id)) {
        *value_out = setting__shown(session, id);
        return true;
    }
    const CustomSetting *custom = find_custom(session, name);
    if (custom == NULL || (custom->value == NULL && !custom->was_set)) {
        return false;
    }
    *value_out = custom->value == NULL ? STR("") : str_from_c(custom->value);
    return true;
}

ErrorCode session__setting_show(const Session *session, Str name, Str *name_out, Str *value_out, Error *err) {
    SettingId id;
    if (!session__setting_find(session, name, value_out)) {
        return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "unrecognized configuration parameter \"%.*s\"", (int)MIN_OF(name.len, 200), name.data);
    }
    *name_out = find_setting(name, &id) ? str_from_c(setting__row(id)->name) : name;
    return ERR_OK;
}

uint64_t session_reported_version(const Session *session) { return session->report_version; }

bool session_reported_next(const Session *session, uint32_t *cursor, Str *name_out, Str *value_out) {
    while (*cursor < SETTING_COUNT) {
        SettingId id = (SettingId)(*cursor)++;
        if ((setting__row(id)->flags & SETTING_REPORT) != 0) {
            *name_out = str_from_c(setting__row(id)->name);
            *value_out = setting__shown(session, id);
            return true;
        }
    }
    return false;
}

/* ---- the end of transactions ---- */

static bool settled(SettingUndo *const *kept, uint32_t count, const SettingUndo *undo) {
    for (uint32_t i = 0; i < count; i++) {
        if (kept[i]->id == undo->id && kept[i]->custom == undo->custom) {
            return true;
        }
    }
    return false;
}

static void put_back(Session *session, SettingUndo *undo) {
    if (undo->custom != NULL) {
        mem_free(undo->custom->value);
        undo->custom->value = undo->value;
        undo->custom->was_set = undo->custom->was_set || undo->value == NULL; /* shows as empty from now on */
        return;
    }
    mem_free(session->settings[undo->id]);
    session->settings[undo->id] = undo->value;
    note_change(session, undo->id);
    ErrorCode code = setting__apply(session, undo->id, setting__value(session, undo->id), NULL);
    (void)code; /* it held before; a role may have gone meanwhile */
}

/* committed: a SET that no later change of the same setting undid stays, and with it all that came before it. */
void session__settings_end(Session *session, bool committed) {
    SettingUndo **kept = committed && session->undo_count > 0 ? mem_alloc(session->undo_count * sizeof *kept) : NULL;
    uint32_t kept_count = 0;
    for (SettingUndo *undo = session->undo; undo != NULL; undo = undo->next) { /* newest first */
        bool stays = committed && (settled(kept, kept_count, undo) || !undo->local);
        if (!stays) {
            put_back(session, undo);
            continue;
        }
        mem_free(undo->value);
        kept[kept_count++] = undo;
    }
    mem_free(kept);
    while (session->undo != NULL) {
        SettingUndo *undo = session->undo;
        session->undo = undo->next;
        mem_free(undo);
    }
    session->undo_count = 0;
}

void session__settings_rollback_to(Session *session, uint32_t savepoint_count) {
    while (session->undo != NULL && session->undo->savepoint_count >= savepoint_count) {
        SettingUndo *undo = session->undo;
        session->undo = undo->next;
        session->undo_count--;
        put_back(session, undo);
        mem_free(undo);
    }
}

void session__settings_release(Session *session, uint32_t savepoint_count) {
    for (SettingUndo *undo = session->undo; undo != NULL && undo->savepoint_count > savepoint_count; undo = undo->next) {
        undo->savepoint_count = savepoint_count;
    }
}

/* ---- start and end of a session ---- */

ErrorCode session__settings_init(Session *session, Error *err) {
    session->settings[SETTING_SESSION_AUTHORIZATION] = copy_text(session->options.user_name);
    session->setting_resets[SETTING_SESSION_AUTHORIZATION] = copy_text(session->options.user_name);
    if (session->options.server_version.len > 0) {
        setting__force(session, SETTING_SERVER_VERSION, session->options.server_version);
    }
    setting__number_version(session);
    TRY(setting__apply(session, SETTING_SEARCH_PATH, setting__value(session, SETTING_SEARCH_PATH), err));
    TRY(setting__apply(session, SETTING_CLIENT_MIN_MESSAGES, setting__value(session, SETTING_CLIENT_MIN_MESSAGES), err));
    if (session->options.application_name.len > 0) {
        TRY(session_setting_start(session, STR("application_name"), session->options.application_name, err));
    }
    return session_setting_start(session, STR("dialect"), dialect_name(session->dialect), err);
}

void session__settings_deinit(Session *session) {
    session__settings_end(session, false);
    for (int id = 0; id < SETTING_COUNT; id++) {
        mem_free(session->settings[id]);
        mem_free(session->setting_resets[id]);
    }
    while (session->custom != NULL) {
        CustomSetting *custom = session->custom;
        session->custom = custom->next;
        mem_free((void *)(uintptr_t)custom->name.data);
        mem_free(custom->value);
        mem_free(custom->start);
        mem_free(custom);
    }
}
