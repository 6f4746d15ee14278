/* SPDX-License-Identifier: Apache-2.0
 * session_settings.c - SET, SHOW, RESET: one table of settings (session_internal.h), one function for each that has an effect.
 *
 * Invariants: values are kept as text, as written; SET LOCAL ends with the transaction, SET is undone by its rollback. */
#include "base/number.h"
#include "session/session_internal.h"

typedef struct SettingRow { const char *name, *value; bool settable; } SettingRow;
static const SettingRow SETTING_ROWS[SETTING_COUNT] = {
#define X(id, name, value, settable) {name, value, settable},
    SETTINGS(X)
#undef X
};

static char *copy_text(Str text) {
    char *copy = mem_alloc(text.len + 1);
    memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    return copy;
}

static ErrorCode bad_value(SettingId id, Str value, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid value for parameter \"%s\": \"%.*s\"", SETTING_ROWS[id].name, STR_ARG(value));
}

static bool parse_flag(Str value, bool *flag_out) {
    static const char *const ON[] = {"on", "true", "yes", "1"}, *const OFF[] = {"off", "false", "no", "0"};
    for (size_t i = 0; i < COUNT_OF(ON); i++) {
        bool on = str_equal_ignore_case(value, str_from_c(ON[i]));
        if (on || str_equal_ignore_case(value, str_from_c(OFF[i]))) {
            *flag_out = on;
            return true;
        }
    }
    return false;
}

/* "250", "30s", "5min", "1h": milliseconds without a unit. */
static bool parse_millis(Str value, int64_t *ms_out) {
    static const struct { const char *suffix; int64_t ms; } UNITS[] = {{"min", 60000}, {"ms", 1}, {"s", 1000}, {"h", 3600000}, {"", 1}};
    for (size_t i = 0; i < COUNT_OF(UNITS); i++) {
        Str suffix = str_from_c(UNITS[i].suffix);
        bool overflow;
        if (str_ends_with(value, suffix)) {
            Str digits = str_trim(str_slice(value, 0, value.len - suffix.len));
            bool ok = parse_int64(digits, ms_out, &overflow) && *ms_out >= 0 && *ms_out <= INT32_MAX;
            *ms_out = ok ? *ms_out * UNITS[i].ms : 0;
            return ok;
        }
    }
    return false;
}

static bool parse_bytes(Str value, size_t *bytes_out) {
    static const struct { const char *suffix; int64_t unit; } UNITS[] = {{"kB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"", 1}};
    for (size_t i = 0; i < COUNT_OF(UNITS); i++) {
        Str suffix = str_from_c(UNITS[i].suffix);
        int64_t number;
        bool overflow;
        if (str_ends_with(value, suffix) && parse_int64(str_trim(str_slice(value, 0, value.len - suffix.len)), &number, &overflow)) {
            *bytes_out = (size_t)(number * UNITS[i].unit);
            return number > 0 && number < (INT64_C(1) << 33);
        }
    }
    return false;
}

static ErrorCode apply_timezone(Session *session, Str value, Error *err) {
    arena_reset(&session->zone_memory);
    session->zone = NULL;
    bool is_utc = str_equal_ignore_case(value, STR("UTC")) || str_equal_ignore_case(value, STR("GMT")) || str_equal_ignore_case(value, STR("Z"));
    return is_utc ? ERR_OK : os_zone_load(value, &session->zone_memory, &session->zone, err);
}

static ErrorCode apply_dialect(Session *session, Str value, Error *err) {
    bool questdb = str_equal_ignore_case(value, STR("questdb"));
    if (!questdb && !str_equal_ignore_case(value, STR("postgres"))) {
        return bad_value(SETTING_DIALECT, value, err);
    }
    session->dialect = questdb ? DIALECT_QUESTDB : DIALECT_POSTGRES;
    return ERR_OK;
}

static ErrorCode apply_durability(Session *session, Str value, Error *err) {
    static const struct { const char *name; uint8_t durability; } NAMES[] = {
        {"default", DURABILITY_UNSET}, {"commit", DURABILITY_COMMIT}, {"interval", DURABILITY_INTERVAL}, {"off", DURABILITY_OFF}};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal_ignore_case(value, str_from_c(NAMES[i].name))) {
            session->durability = NAMES[i].durability;
            return ERR_OK;
        }
    }
    return bad_value(SETTING_DURABILITY, value, err);
}

static ErrorCode apply_isolation(Session *session, SettingId id, Str value, Error *err) {
    static const struct { const char *name; uint8_t isolation; } NAMES[] = {{"read committed", ISOLATION_READ_COMMITTED},
                                                                            {"read uncommitted", ISOLATION_READ_COMMITTED},
                                                                            {"repeatable read", ISOLATION_REPEATABLE_READ},
                                                                            {"serializable", ISOLATION_SERIALIZABLE}};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal_ignore_case(value, str_from_c(NAMES[i].name))) {
            session->isolation = NAMES[i].isolation;
            return ERR_OK;
        }
    }
    return bad_value(id, value, err);
}

static ErrorCode apply_passes(Session *session, Str value, Error *err) {
    static const char *const NAMES[PASS_COUNT] = {
#define X(id, name, text) name,
        PLAN_PASSES(X)
#undef X
    };
    uint32_t off = 0;
    Str piece;
    while (value.len > 0 && str_split(&value, ',', &piece)) {
        uint32_t pass = 0;
        piece = str_trim(piece);
        while (pass < PASS_COUNT && !str_equal(piece, str_from_c(NAMES[pass]))) {
            pass++;
        }
        if (pass == PASS_COUNT) {
            return bad_value(SETTING_OPTIMIZER_SKIP, piece, err);
        }
        off |= UINT32_C(1) << pass;
    }
    session->passes_off = off;
    return ERR_OK;
}

static ErrorCode apply_number(Session *session, SettingId id, Str value, Error *err) {
    int64_t number = 0;
    bool overflow;
    if (id == SETTING_STATEMENT_TIMEOUT || id == SETTING_LOCK_TIMEOUT) {
        if (!parse_millis(value, &number)) {
            return bad_value(id, value, err);
        }
        session->timeout_ms = id == SETTING_STATEMENT_TIMEOUT ? number : session->timeout_ms;
        return ERR_OK;
    }
    if (id == SETTING_QUERY_MEMORY) {
        return parse_bytes(value, &session->memory_limit) ? ERR_OK : bad_value(id, value, err);
    }
    if (!parse_int64(value, &number, &overflow) || number < 0 || number > 1024) {
        return bad_value(id, value, err);
    }
    session->workers = (int)number;
    return ERR_OK;
}

static ErrorCode apply_read_only(Session *session, SettingId id, Str value, Error *err) {
    bool flag;
    if (!parse_flag(value, &flag)) {
        return bad_value(id, value, err);
    }
    session->read_only = flag || session->options.read_only;
    return ERR_OK;
}

static ErrorCode apply_encoding(Str value, Error *err) {
    bool utf8 = str_equal_ignore_case(value, STR("UTF8")) || str_equal_ignore_case(value, STR("UTF-8")) || str_equal_ignore_case(value, STR("unicode"));
    return utf8 ? ERR_OK : bad_value(SETTING_CLIENT_ENCODING, value, err);
}

static ErrorCode apply(Session *session, SettingId id, Str value, Error *err) {
    switch (id) {
    case SETTING_TIMEZONE: return apply_timezone(session, value, err);
    case SETTING_DIALECT: return apply_dialect(session, value, err);
    case SETTING_DURABILITY: return apply_durability(session, value, err);
    case SETTING_DEFAULT_ISOLATION:
    case SETTING_TRANSACTION_ISOLATION: return apply_isolation(session, id, value, err);
    case SETTING_OPTIMIZER_SKIP: return apply_passes(session, value, err);
    case SETTING_STATEMENT_TIMEOUT:
    case SETTING_LOCK_TIMEOUT:
    case SETTING_QUERY_MEMORY:
    case SETTING_WORKERS: return apply_number(session, id, value, err);
    case SETTING_DEFAULT_READ_ONLY:
    case SETTING_TRANSACTION_READ_ONLY: return apply_read_only(session, id, value, err);
    case SETTING_CLIENT_ENCODING: return apply_encoding(value, err);
    default: return ERR_OK;
    }
}

static bool find_setting(Str name, SettingId *id_out) {
    static const struct { const char *alias; SettingId id; } ALIASES[] = {{"time zone", SETTING_TIMEZONE}, {"time.zone", SETTING_TIMEZONE},
                                                                          {"names", SETTING_CLIENT_ENCODING},
                                                                          {"transaction isolation level", SETTING_TRANSACTION_ISOLATION}};
    for (int id = 0; id < SETTING_COUNT; id++) {
        if (str_equal_ignore_case(name, str_from_c(SETTING_ROWS[id].name))) {
            *id_out = (SettingId)id;
            return true;
        }
    }
    for (size_t i = 0; i < COUNT_OF(ALIASES); i++) {
        if (str_equal_ignore_case(name, str_from_c(ALIASES[i].alias))) {
            *id_out = ALIASES[i].id;
            return true;
        }
    }
    return false;
}

static void remember(Session *session, SettingId id, bool local) {
    SettingUndo *undo = mem_calloc(1, sizeof *undo);
    *undo = (SettingUndo){id, session->settings[id], local, session->undo};
    session->undo = undo;
}

static ErrorCode unknown_setting(Str name, Error *err) {
    return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "unrecognized configuration parameter \"%.*s\"", STR_ARG(name));
}

ErrorCode session__setting_set(Session *session, Str name, Str value, bool is_default, bool local, Error *err) {
    SettingId id;
    if (!find_setting(name, &id)) {
        return unknown_setting(name, err);
    }
    if (!SETTING_ROWS[id].settable) {
        return error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "parameter \"%s\" cannot be changed", SETTING_ROWS[id].name);
    }
    Str text = is_default ? str_from_c(SETTING_ROWS[id].value) : value;
    TRY(apply(session, id, text, err));
    char *fresh = copy_text(text);
    if (session->in_block) {
        remember(session, id, local);
    } else {
        mem_free(session->settings[id]);
    }
    session->settings[id] = fresh;
    return ERR_OK;
}

ErrorCode session__setting_show(const Session *session, Str name, Str *value_out, Error *err) {
    SettingId id;
    if (!find_setting(name, &id)) {
        return unknown_setting(name, err);
    }
    *value_out = str_from_c(session->settings[id]);
    return ERR_OK;
}

void session__settings_end(Session *session, bool committed) {
    while (session->undo != NULL) { /* newest first */
        SettingUndo *undo = session->undo;
        session->undo = undo->next;
        if (undo->local || !committed) {
            mem_free(session->settings[undo->id]);
            session->settings[undo->id] = undo->value;
            ErrorCode code = apply(session, undo->id, str_from_c(undo->value), NULL);
            assert(code == ERR_OK); /* it held before */
        } else {
            mem_free(undo->value);
        }
        mem_free(undo);
    }
}

ErrorCode session__settings_init(Session *session, Error *err) {
    for (int id = 0; id < SETTING_COUNT; id++) {
        session->settings[id] = copy_text(str_from_c(SETTING_ROWS[id].value));
    }
    if (session->options.application_name.len > 0) {
        TRY(session__setting_set(session, STR("application_name"), session->options.application_name, false, false, err));
    }
    return session__setting_set(session, STR("dialect"), dialect_name(session->dialect), false, false, err);
}

void session__settings_deinit(Session *session) {
    session__settings_end(session, false);
    for (int id = 0; id < SETTING_COUNT; id++) {
        mem_free(session->settings[id]);
    }
}
