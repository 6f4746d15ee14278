/* SPDX-License-Identifier: Apache-2.0
 * setting_apply.c - what a changed setting does: one function for each that has an effect. Values come in canonical form.
 *
 * Invariants: an apply that fails has changed nothing. */
#include "base/number.h"
#include "session/session_internal.h"

static ErrorCode apply_timezone(Session *session, Str value, Error *err) {
    Str name;
    return session__zone(session, value, &name, &session->zone, err);
}

static ErrorCode apply_durability(Session *session, Str value, Error *err) {
    uint8_t durability = DURABILITY_UNSET;
    uint32_t ms = 0;
    if (!str_equal_ignore_case(value, STR("default")) && !durability_parse(value, &durability, &ms)) {
        (void)setting__bad_value(SETTING_DURABILITY, value, err);
        return error_add(err, 'H', "Available values: default, commit, interval, interval(milliseconds), off.");
    }
    session->durability = durability;
    session->durability_ms = ms;
    return ERR_OK;
}

uint8_t setting__isolation(Str value) {
    return str_equal(value, STR("serializable"))      ? ISOLATION_SERIALIZABLE
           : str_equal(value, STR("repeatable read")) ? ISOLATION_REPEATABLE_READ
                                                      : ISOLATION_READ_COMMITTED;
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
            return setting__bad_value(SETTING_OPTIMIZER_SKIP, piece, err);
        }
        off |= UINT32_C(1) << pass;
    }
    session->passes_off = off;
    return ERR_OK;
}

/* Next name of a list: a word (folded) or "a name". false: not such a list. */
static bool next_name(Str *rest, Arena *arena, Str *name_out) {
    *rest = str_trim(*rest);
    bool quoted = rest->len > 0 && rest->data[0] == '"';
    char *name = arena_alloc_aligned(arena, rest->len + 1, 1);
    size_t len = 0, at = quoted ? 1 : 0;
    for (; at < rest->len; at++) {
        char c = rest->data[at];
        if (quoted && c == '"') {
            if (at + 1 < rest->len && rest->data[at + 1] == '"') {
                at++;
            } else {
                break;
            }
        } else if (!quoted && (c == ',' || c == ' ')) {
            break;
        }
        name[len++] = quoted ? c : char_lower(c);
    }
    if ((quoted && at == rest->len) || (!quoted && len == 0)) {
        return false;
    }
    *rest = str_trim(str_slice(*rest, at + (quoted ? 1 : 0), rest->len));
    *name_out = (Str){name, len};
    return true;
}

static ErrorCode apply_search_path(Session *session, Str value, Error *err) {
    enum { PATH_BYTES_MAX = 1 << 16 };
    Arena arena;
    Str names[SEARCH_PATH_MAX], rest = str_trim(value);
    uint32_t count = 0;
    bool good = true;
    arena_init(&arena, PATH_BYTES_MAX * 4);
    while (good && rest.len > 0) {
        good = count < SEARCH_PATH_MAX && next_name(&rest, &arena, &names[count]);
        count += good;
        bool comma = rest.len > 0 && rest.data[0] == ',';
        good = good && (rest.len == 0 || (comma && rest.len > 1));
        rest = comma ? str_slice(rest, 1, rest.len) : rest;
    }
    if (!good || arena.over_limit) {
        arena_deinit(&arena);
        return setting__bad_value(SETTING_SEARCH_PATH, value, err);
    }
    arena_deinit(&session->path_memory);
    session->path_memory = arena;
    memcpy(session->path_names, names, count * sizeof *names);
    session->path_name_count = count;
    session->path_known = false;
    return ERR_OK;
}

static void apply_message_level(Session *session, Str value) {
    static const struct { Str name; SessionNoticeLevel level; } LEVELS[] = {{{"log", 3}, NOTICE_LOG}, {{"notice", 6}, NOTICE_NOTICE},
                                                                            {{"warning", 7}, NOTICE_WARNING}, {{"error", 5}, NOTICE_NEVER}};
    session->notice_level = NOTICE_DEBUG;
    for (size_t i = 0; i < COUNT_OF(LEVELS); i++) {
        session->notice_level = str_equal(value, LEVELS[i].name) ? LEVELS[i].level : session->notice_level;
    }
}

static void apply_number(Session *session, SettingId id, Str value) {
    int64_t number = setting__number(id, value);
    switch (id) {
    case SETTING_STATEMENT_TIMEOUT: session->timeout_ms = number > 0 ? number : session->options.timeout_ms; break;
    case SETTING_TRANSACTION_TIMEOUT: session->transaction_timeout_ms = number; break;
    case SETTING_LOCK_TIMEOUT: session->lock_timeout_ms = number; break;
    case SETTING_IDLE_IN_TRANSACTION: session->idle_in_transaction_ms = number; break;
    case SETTING_IDLE_SESSION: session->idle_session_ms = number; break;
    case SETTING_QUERY_MEMORY: session->memory_limit = (size_t)number << 10; break;
    default: session->workers = (int)number; break;
    }
}

/* What backslashes in plain strings mean cannot be changed here. */
static ErrorCode apply_only_on(SettingId id, Str value, bool on, Error *err) {
    bool flag = str_equal(value, STR("on"));
    if (flag == on) {
        return ERR_OK;
    }
    return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "parameter \"%s\" can only be %s", setting__row(id)->name, on ? "on" : "off");
}

/* ---- how values are printed ---- */

static size_t place_in(Str value, const char *const *names, size_t count) {
    size_t i = 0;
    while (i + 1 < count && !str_equal(value, str_from_c(names[i]))) {
        i++;
    }
    return i;
}

/* "SQL, DMY" */
static void apply_datestyle(Session *session, Str value) {
    static const char *const FORMS[] = {[DATE_FORM_ISO] = "ISO", [DATE_FORM_POSTGRES] = "Postgres", [DATE_FORM_SQL] = "SQL", [DATE_FORM_GERMAN] = "German"};
    static const char *const ORDERS[] = {[DATE_ORDER_MDY] = "MDY", [DATE_ORDER_DMY] = "DMY", [DATE_ORDER_YMD] = "YMD"};
    Str form;
    (void)str_split(&value, ',', &form);
    session->style.date = (DateStyle){(uint8_t)place_in(form, FORMS, COUNT_OF(FORMS)), (uint8_t)place_in(str_trim(value), ORDERS, COUNT_OF(ORDERS))};
}

static void apply_style(Session *session, SettingId id, Str value) {
    static const char *const INTERVALS[] = {[INTERVAL_POSTGRES] = "postgres", [INTERVAL_VERBOSE] = "postgres_verbose", [INTERVAL_SQL] = "sql_standard", [INTERVAL_ISO] = "iso_8601"};
    int64_t digits;
    switch (id) {
    case SETTING_DATESTYLE: apply_datestyle(session, value); break;
    case SETTING_INTERVAL_STYLE: session->style.interval = (uint8_t)place_in(value, INTERVALS, COUNT_OF(INTERVALS)); break;
    case SETTING_BYTEA_OUTPUT: session->style.bytea_escape = str_equal(value, STR("escape")); break;
    default:
        assert(id == SETTING_EXTRA_FLOAT_DIGITS);
        digits = setting__number(id, value);
        session->style.floats_rounded = digits <= 0;
        session->style.float_digits = (int8_t)MIN_OF(digits, 0);
        break;
    }
}

ErrorCode setting__apply(Session *session, SettingId id, Str value, Error *err) {
    switch (id) {
    case SETTING_DATESTYLE:
    case SETTING_INTERVAL_STYLE:
    case SETTING_BYTEA_OUTPUT:
    case SETTING_EXTRA_FLOAT_DIGITS: apply_style(session, id, value); return ERR_OK;
    case SETTING_TIMEZONE: return apply_timezone(session, value, err);
    case SETTING_DIALECT: session->dialect = str_equal(value, STR("questdb")) ? DIALECT_QUESTDB : DIALECT_POSTGRES; return ERR_OK;
    case SETTING_DURABILITY: return apply_durability(session, value, err);
    case SETTING_OPTIMIZER_SKIP: return apply_passes(session, value, err);
    case SETTING_STATEMENT_TIMEOUT:
    case SETTING_TRANSACTION_TIMEOUT:
    case SETTING_LOCK_TIMEOUT:
    case SETTING_IDLE_IN_TRANSACTION:
    case SETTING_IDLE_SESSION:
    case SETTING_QUERY_MEMORY:
    case SETTING_WORKERS: apply_number(session, id, value); return ERR_OK;
    case SETTING_SEARCH_PATH: return apply_search_path(session, value, err);
    case SETTING_CLIENT_MIN_MESSAGES: apply_message_level(session, value); return ERR_OK;
    case SETTING_CONFORMING_STRINGS: return apply_only_on(id, value, true, err);
    case SETTING_DEFAULT_WITH_OIDS: return apply_only_on(id, value, false, err);
    case SETTING_APPLICATION_NAME: session__shown_application(session, value); return ERR_OK;
    case SETTING_ROLE: return session__role_set(session, value, err);
    case SETTING_SESSION_AUTHORIZATION: return session__authorization_set(session, value, err);
    case SETTING_TRANSACTION_ISOLATION:
    case SETTING_TRANSACTION_READ_ONLY: return session__transaction_mode_set(session, id, value, err);
    default: return ERR_OK;
    }
}

/* What SHOW prints: some values belong to the running transaction. */
Str setting__shown(const Session *session, SettingId id) {
    static const char *const LEVELS[] = {"read committed", "repeatable read", "serializable"};
    switch (id) {
    case SETTING_TRANSACTION_ISOLATION:
        if (session->in_block && session->block_uncommitted && session->block_isolation == ISOLATION_READ_COMMITTED) {
            return STR("read uncommitted");
        }
        return session->in_block ? str_from_c(LEVELS[session->block_isolation]) : setting__value(session, SETTING_DEFAULT_ISOLATION);
    case SETTING_TRANSACTION_READ_ONLY:
        return session->in_block ? (session->block_read_only ? STR("on") : STR("off")) : setting__value(session, SETTING_DEFAULT_READ_ONLY);
    default: return setting__value(session, id);
    }
}

/* "15.0 (Basalt 0.1)" -> 150000. */
void setting__number_version(Session *session) {
    Str version = setting__value(session, SETTING_SERVER_VERSION);
    unsigned major = 0, minor = 0;
    size_t at = 0;
    for (; at < version.len && version.data[at] >= '0' && version.data[at] <= '9'; at++) {
        major = major * 10 + (unsigned)(version.data[at] - '0');
    }
    for (at++; at < version.len && version.data[at] >= '0' && version.data[at] <= '9'; at++) {
        minor = minor * 10 + (unsigned)(version.data[at] - '0');
    }
    char text[16];
    int len = snprintf(text, sizeof text, "%u", major * 10000 + minor);
    setting__force(session, SETTING_SERVER_VERSION_NUM, (Str){text, (size_t)len});
}
