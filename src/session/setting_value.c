/* SPDX-License-Identifier: Apache-2.0
 * setting_value.c - the value of a setting, checked by its kind and brought to the form that SHOW prints.
 *
 * Tests: test/unit/session/test_session.c */
#include <math.h>
#include <stdio.h>
#include "base/number.h"
#include "session/session_internal.h"

static const SettingRow ROWS[SETTING_COUNT] = {
#define X(id, name, kind, value, flags, unit, low, high) {name, value, unit, SETTING_FORM_##kind, flags, low, high},
    SETTINGS(X)
#undef X
};

const SettingRow *setting__row(SettingId id) {
    assert(id < SETTING_COUNT);
    return &ROWS[id];
}

static const char *const LEVELS[] = {"debug5", "debug4", "debug3", "debug2", "debug1", "debug", "log", "notice", "warning", "error", NULL};
static const char *const LOG_LEVELS[] = {"debug5", "debug4", "debug3", "debug2", "debug1", "debug", "info", "notice", "warning", "error", "log", "fatal", "panic", NULL};
static const char *const ISOLATIONS[] = {"serializable", "repeatable read", "read committed", "read uncommitted", NULL};
static const struct { SettingId id; const char *const choices[8]; const char *const *list; } CHOICES[] = {
    {SETTING_BACKSLASH_QUOTE, {"safe_encoding", "on", "off"}, NULL},
    {SETTING_BYTEA_OUTPUT, {"escape", "hex"}, NULL},
    {SETTING_CLIENT_MIN_MESSAGES, {0}, LEVELS},
    {SETTING_COMPUTE_QUERY_ID, {"auto", "on", "off", "regress"}, NULL},
    {SETTING_CONSTRAINT_EXCLUSION, {"partition", "on", "off"}, NULL},
    {SETTING_DEFAULT_TOAST, {"pglz", "lz4"}, NULL},
    {SETTING_DEFAULT_ISOLATION, {0}, ISOLATIONS},
    {SETTING_DIALECT, {"postgres", "questdb"}, NULL},
    {SETTING_INTERVAL_STYLE, {"postgres", "postgres_verbose", "sql_standard", "iso_8601"}, NULL},
    {SETTING_LOG_ERROR_VERBOSITY, {"terse", "default", "verbose"}, NULL},
    {SETTING_LOG_MIN_ERROR, {0}, LOG_LEVELS},
    {SETTING_LOG_MIN_MESSAGES, {0}, LOG_LEVELS},
    {SETTING_LOG_STATEMENT, {"none", "ddl", "mod", "all"}, NULL},
    {SETTING_PASSWORD_ENCRYPTION, {"md5", "scram-sha-256"}, NULL},
    {SETTING_PLAN_CACHE_MODE, {"auto", "force_generic_plan", "force_custom_plan"}, NULL},
    {SETTING_REPLICATION_ROLE, {"origin", "replica", "local"}, NULL},
    {SETTING_SYNCHRONOUS_COMMIT, {"local", "remote_write", "remote_apply", "on", "off"}, NULL},
    {SETTING_TRANSACTION_ISOLATION, {0}, ISOLATIONS},
    {SETTING_WAL_LEVEL, {"minimal", "replica", "logical"}, NULL},
    {SETTING_XMLBINARY, {"base64", "hex"}, NULL},
    {SETTING_XMLOPTION, {"content", "document"}, NULL},
};

const char *const *setting__choices(SettingId id) {
    for (size_t i = 0; i < COUNT_OF(CHOICES); i++) {
        if (CHOICES[i].id == id) {
            return CHOICES[i].list != NULL ? CHOICES[i].list : CHOICES[i].choices;
        }
    }
    return NULL;
}

ErrorCode setting__bad_value(SettingId id, Str value, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid value for parameter \"%s\": \"%.*s\"", ROWS[id].name,
                     (int)MIN_OF(value.len, 200), value.data);
}

/* ---- booleans and choices ---- */

/* on, off, true, false, yes, no, 1, 0, and beginnings that mean one of them only. */
static bool parse_flag(Str value, bool *flag_out) {
    static const struct { Str word; size_t least; bool on; } WORDS[] = {{{"true", 4}, 1, true}, {{"false", 5}, 1, false}, {{"yes", 3}, 1, true},
        {{"no", 2}, 1, false}, {{"on", 2}, 2, true}, {{"off", 3}, 2, false}, {{"1", 1}, 1, true}, {{"0", 1}, 1, false}};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        bool fits = value.len >= WORDS[i].least && value.len <= WORDS[i].word.len;
        if (fits && str_equal_ignore_case(value, str_slice(WORDS[i].word, 0, value.len))) {
            *flag_out = WORDS[i].on;
            return true;
        }
    }
    return false;
}

static ErrorCode canonical_bool(SettingId id, Str value, Str *value_out, Error *err) {
    bool on = false;
    if (!parse_flag(value, &on)) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "parameter \"%s\" requires a Boolean value", ROWS[id].name);
    }
    *value_out = on ? STR("on") : STR("off");
    return ERR_OK;
}

static ErrorCode canonical_enum(SettingId id, Str value, Str *value_out, Error *err) {
    const char *const *choices = setting__choices(id);
    char hint[200];
    size_t len = 0;
    bool flag = false, is_flag = parse_flag(value, &flag);
    for (const char *const *choice = choices; *choice != NULL; choice++) {
        Str text = str_from_c(*choice);
        if (str_equal_ignore_case(value, text) || (is_flag && str_equal(text, flag ? STR("on") : STR("off")))) {
            *value_out = text;
            return ERR_OK;
        }
        len += (size_t)snprintf(hint + len, sizeof hint - len, "%s%s", len == 0 ? "" : ", ", *choice);
        len = MIN_OF(len, sizeof hint - 1);
    }
    (void)setting__bad_value(id, value, err);
    return error_add(err, 'H', "Available values: %s.", hint);
}

/* ---- numbers ---- */

typedef struct SettingUnit { const char *name; double factor; } SettingUnit; /* of the base unit; largest first */
static const SettingUnit TIME_UNITS[] = {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}, {"us", 0.001}, {NULL, 0}};
static const SettingUnit BYTE_UNITS[] = {{"TB", 1073741824}, {"GB", 1048576}, {"MB", 1024}, {"kB", 1}, {"B", 1.0 / 1024}, {NULL, 0}};

/* Units of a setting's family, and how many of the family's base (ms, kB) its own unit has. */
static const SettingUnit *units_of(const char *unit, double *own_out) {
    *own_out = strcmp(unit, "s") == 0 ? 1000 : strcmp(unit, "min") == 0 ? 60000 : strcmp(unit, "8kB") == 0 ? 8 : strcmp(unit, "MB") == 0 ? 1024 : 1;
    return unit[0] == 0 ? NULL : strchr(unit, 'B') != NULL ? BYTE_UNITS : TIME_UNITS;
}

static size_t number_length(Str value) {
    size_t len = 0;
    while (len < value.len && (value.data[len] == '.' || value.data[len] == '-' || value.data[len] == '+' || (value.data[len] >= '0' && value.data[len] <= '9') ||
                               (len > 0 && (value.data[len] == 'e' || value.data[len] == 'E')))) {
        len++;
    }
    return len;
}

/* "250", "30s", "1.5h" in the setting's own unit. */
static bool parse_number(SettingId id, Str value, double *number_out) {
    value = str_trim(value);
    size_t digits = number_length(value);
    Str unit = str_trim(str_slice(value, digits, value.len));
    double own = 1;
    const SettingUnit *units = units_of(ROWS[id].unit, &own);
    if (!parse_double(str_slice(value, 0, digits), number_out) || !isfinite(*number_out)) {
        return false;
    }
    if (unit.len == 0) {
        return true;
    }
    for (; units != NULL && units->name != NULL; units++) {
        if (str_equal(unit, str_from_c(units->name))) {
            *number_out = *number_out * units->factor / own;
            return true;
        }
    }
    return false;
}

static ErrorCode bad_number(SettingId id, Str value, Error *err) {
    (void)setting__bad_value(id, value, err);
    if (ROWS[id].unit[0] == 0) {
        return err == NULL ? ERR_INVALID_PARAMETER : err->code;
    }
    double own = 1;
    bool bytes = units_of(ROWS[id].unit, &own) == BYTE_UNITS;
    (void)error_add(err, 'H', "Valid units for this parameter are %s.",
                    bytes ? "\"B\", \"kB\", \"MB\", \"GB\", and \"TB\"" : "\"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\"");
    return ERR_INVALID_PARAMETER;
}

static Str show_integer(SettingId id, int64_t number, Arena *arena) {
    double own = 1;
    const SettingUnit *units = units_of(ROWS[id].unit, &own);
    int64_t base = number * (int64_t)own;
    for (; number > 0 && units != NULL && units->name != NULL; units++) {
        int64_t factor = (int64_t)units->factor;
        if (factor >= 1 && base % factor == 0) {
            return arena_format(arena, "%lld%s", (long long)(base / factor), units->name);
        }
    }
    return arena_format(arena, "%lld", (long long)number);
}

static ErrorCode canonical_number(SettingId id, Str value, Arena *arena, Str *value_out, Error *err) {
    const SettingRow *row = &ROWS[id];
    double number = 0;
    if (!parse_number(id, value, &number)) {
        return bad_number(id, value, err);
    }
    number = row->kind == SETTING_FORM_INT ? rint(number) : number;
    if (number < (double)row->low || number > (double)row->high) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%.15g%s%s is outside the valid range for parameter \"%s\" (%lld .. %lld)", number,
                         row->unit[0] != 0 ? " " : "", row->unit, row->name, (long long)row->low, (long long)row->high);
    }
    *value_out = row->kind == SETTING_FORM_INT ? show_integer(id, (int64_t)number, arena) : arena_format(arena, "%.15g", number);
    return ERR_OK;
}

int64_t setting__number(SettingId id, Str canonical) {
    double number = 0;
    bool ok = parse_number(id, canonical, &number);
    assert(ok);
    return ok ? (int64_t)rint(number) : 0;
}

/* ---- texts with a form ---- */

typedef struct DateStyleWord { Str word; bool beginning; const char *style, *order; } DateStyleWord; /* beginning: what follows does not count */

static const DateStyleWord *datestyle_word(Str text) {
    static const DateStyleWord WORDS[] = {{{"iso", 3}, false, "ISO", NULL}, {{"sql", 3}, false, "SQL", NULL}, {{"postgres", 8}, true, "Postgres", NULL},
        {{"german", 6}, false, "German", NULL}, {{"ymd", 3}, false, NULL, "YMD"}, {{"dmy", 3}, false, NULL, "DMY"}, {{"euro", 4}, true, NULL, "DMY"},
        {{"mdy", 3}, false, NULL, "MDY"}, {{"us", 2}, false, NULL, "MDY"}, {{"noneuro", 7}, true, NULL, "MDY"}};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        Str compared = WORDS[i].beginning ? str_slice(text, 0, MIN_OF(text.len, WORDS[i].word.len)) : text;
        if (str_equal_ignore_case(compared, WORDS[i].word)) {
            return &WORDS[i];
        }
    }
    return NULL;
}

/* "ISO", "German", "YMD, SQL": one style and one order, either may be left out; German means DMY unless told otherwise. */
static ErrorCode canonical_datestyle(Str value, Str now, Arena *arena, Str *value_out, Error *err) {
    ptrdiff_t comma = str_find_char(now, ',', 0);
    assert(comma > 0);
    Str style = str_slice(now, 0, (size_t)comma), order = str_trim(str_slice(now, (size_t)comma + 1, now.len));
    const char *new_style = NULL, *new_order = NULL;
    Str rest = value, piece;
    bool fine = true;
    while (fine && rest.len > 0 && str_split(&rest, ',', &piece)) {
        piece = str_trim(piece);
        if (str_equal_ignore_case(piece, STR("default"))) {
            new_style = new_style == NULL ? "ISO" : new_style;
            new_order = new_order == NULL ? "MDY" : new_order;
            continue;
        }
        const DateStyleWord *word = datestyle_word(piece);
        bool clash = word != NULL && ((word->style != NULL && new_style != NULL && strcmp(word->style, new_style) != 0) ||
                                      (word->order != NULL && new_order != NULL && strcmp(word->order, new_order) != 0));
        fine = word != NULL && !clash;
        new_style = fine && word->style != NULL ? word->style : new_style;
        new_order = fine && word->order != NULL ? word->order : new_order;
    }
    if (!fine) {
        return setting__bad_value(SETTING_DATESTYLE, value, err);
    }
    style = new_style != NULL ? str_from_c(new_style) : style;
    bool german = new_style != NULL && strcmp(new_style, "German") == 0;
    order = new_order != NULL ? str_from_c(new_order) : german ? STR("DMY") : order;
    *value_out = arena_format(arena, "%.*s, %.*s", STR_ARG(style), STR_ARG(order));
    return ERR_OK;
}

static bool same_encoding(Str a, const char *name) { /* letters and digits count, in any case */
    size_t at = 0, len = strlen(name);
    for (size_t i = 0; i < a.len; i++) {
        char c = char_lower(a.data[i]);
        bool counts = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (counts && (at == len || name[at++] != c)) {
            return false;
        }
    }
    return at == len;
}

/* Other encodings are known by name, but texts are UTF-8 here. */
static ErrorCode canonical_encoding(Str value, Str *value_out, Error *err) {
    if (same_encoding(value, "utf8") || same_encoding(value, "unicode")) {
        *value_out = STR("UTF8");
        return ERR_OK;
    }
    if (same_encoding(value, "sqlascii")) {
        *value_out = STR("SQL_ASCII");
        return ERR_OK;
    }
    static const char *const KNOWN[] = {"latin1", "latin2", "latin9", "win1250", "win1251", "win1252", "eucjp", "sjis", "gbk", "gb18030", "big5", "koi8r", "iso88591"};
    for (size_t i = 0; i < COUNT_OF(KNOWN); i++) {
        if (same_encoding(value, KNOWN[i])) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "client_encoding \"%.*s\" is not supported, only UTF8", STR_ARG(value));
        }
    }
    return setting__bad_value(SETTING_CLIENT_ENCODING, value, err);
}

ErrorCode setting__canonical(Session *session, SettingId id, Str value, Arena *arena, Str *value_out, Error *err) {
    if (value.len > SETTING_BYTES_MAX / 4) {
        return setting__bad_value(id, value, err);
    }
    if (memchr(value.data == NULL ? "" : value.data, 0, value.len) != NULL || !utf8_valid(value)) {
        return setting__bad_value(id, STR(""), err);
    }
    switch (ROWS[id].kind) {
    case SETTING_FORM_BOOL: return canonical_bool(id, value, value_out, err);
    case SETTING_FORM_ENUM: return canonical_enum(id, value, value_out, err);
    case SETTING_FORM_INT:
    case SETTING_FORM_REAL: return canonical_number(id, value, arena, value_out, err);
    default: break;
    }
    const Zone *zone;
    *value_out = value;
    switch (id) {
    case SETTING_DATESTYLE: return canonical_datestyle(value, setting__value(session, id), arena, value_out, err);
    case SETTING_TIMEZONE: return session__zone(session, value, value_out, &zone, err);
    case SETTING_CLIENT_ENCODING: return canonical_encoding(value, value_out, err);
    default: return ERR_OK;
    }
}
