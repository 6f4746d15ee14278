/* SPDX-License-Identifier: Apache-2.0
 * settings.c - the table of settings: defaults, values with units, basalt.conf.
 * Tests: test/unit/server/test_settings.c */
#include "base/number.h"
#include "server/server.h"

const ServerSettingRow SERVER_SETTING_ROWS[] = {
#define X(field, name, kind, fallback, help) {name, fallback, help, SETTING_KIND_##kind, offsetof(ServerSettings, field)},
    SERVER_SETTINGS(X)
#undef X
};
const size_t SERVER_SETTING_COUNT = COUNT_OF(SERVER_SETTING_ROWS);

enum { SETTINGS_BYTES_MAX = 1 << 20 };

void server_setting_environment(const ServerSettingRow *row, char out[SETTING_ENVIRONMENT_MAX]) {
    memcpy(out, "BASALT_", 7);
    size_t len = 7;
    for (const char *c = row->name; *c != '\0' && len + 1 < SETTING_ENVIRONMENT_MAX; c++) {
        out[len++] = *c == '-' ? '_' : char_upper(*c);
    }
    out[len] = '\0';
}

typedef struct Unit { const char *name; int64_t factor; } Unit;

/* "16MB" by units; without one the number stands for itself. */
static bool read_number(Str text, const Unit *units, size_t unit_count, int64_t *out) {
    size_t digits = 0;
    while (digits < text.len && text.data[digits] >= '0' && text.data[digits] <= '9') {
        digits++;
    }
    bool overflow = false;
    int64_t number = 0;
    if (digits == 0 || !parse_int64(str_slice(text, 0, digits), &number, &overflow)) {
        return false;
    }
    Str unit = str_trim(str_slice(text, digits, text.len));
    for (size_t i = 0; unit.len > 0 && i < unit_count; i++) {
        if (str_equal_ignore_case(unit, str_from_c(units[i].name))) {
            return !__builtin_mul_overflow(number, units[i].factor, out);
        }
    }
    *out = number;
    return unit.len == 0;
}

static bool read_switch(Str text, int64_t *out) {
    static const struct { Str text; int64_t value; } WORDS[] = {{STR("on"), 1}, {STR("true"), 1}, {STR("1"), 1}, {STR("yes"), 1},
                                                                {STR("off"), 0}, {STR("false"), 0}, {STR("0"), 0}, {STR("no"), 0}};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (str_equal_ignore_case(text, WORDS[i].text)) {
            *out = WORDS[i].value;
            return true;
        }
    }
    return false;
}

static bool read_value(SettingKind kind, Str text, int64_t *out) {
    static const Unit BYTES[] = {{"B", 1}, {"kB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", INT64_C(1) << 40},
                                 {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
    static const Unit MILLIS[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {"m", 60000}, {"h", 3600000}};
    switch (kind) {
    case SETTING_KIND_TEXT: return true;
    case SETTING_KIND_NUMBER: return read_number(text, NULL, 0, out);
    case SETTING_KIND_BYTES: return read_number(text, BYTES, COUNT_OF(BYTES), out);
    case SETTING_KIND_MILLIS: return read_number(text, MILLIS, COUNT_OF(MILLIS), out);
    case SETTING_KIND_SWITCH: return read_switch(text, out);
    }
    return false;
}

/* The least value of settings of which less makes no server. */
static int64_t least_of(const char *name) {
    static const struct { const char *name; int64_t least; } LEAST[] = {
        {"http-workers", 1}, {"http-connections", 1}, {"pg-connections", 1}, {"durability-interval", 1}, {"ilp-commit-interval", 1}};
    for (size_t i = 0; i < COUNT_OF(LEAST); i++) {
        if (strcmp(LEAST[i].name, name) == 0) {
            return LEAST[i].least;
        }
    }
    return 0;
}

static const char *form_of(SettingKind kind) {
    static const char *const FORMS[] = {[SETTING_KIND_TEXT] = "a text",
                                        [SETTING_KIND_NUMBER] = "a number",
                                        [SETTING_KIND_BYTES] = "bytes such as 64MB",
                                        [SETTING_KIND_MILLIS] = "a time such as 500ms, 10s, 5min",
                                        [SETTING_KIND_SWITCH] = "on or off"};
    return FORMS[kind];
}

static bool names_equal(Str given, const char *name) {
    size_t len = strlen(name);
    if (given.len != len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        char c = given.data[i] == '_' || given.data[i] == '.' ? '-' : given.data[i];
        if (c != name[i]) {
            return false;
        }
    }
    return true;
}

ErrorCode server_setting_set(ServerSettings *settings, Str name, Str value, Error *err) {
    for (size_t i = 0; i < SERVER_SETTING_COUNT; i++) {
        const ServerSettingRow *row = &SERVER_SETTING_ROWS[i];
        if (!names_equal(name, row->name)) {
            continue;
        }
        int64_t number = 0;
        if (!read_value(row->kind, value, &number)) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "setting %s: '%.*s' is not %s", row->name, STR_ARG(value),
                             form_of(row->kind));
        }
        if (number < least_of(row->name)) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "setting %s: '%.*s' is less than %lld", row->name, STR_ARG(value),
                             (long long)least_of(row->name));
        }
        SettingValue *to = (SettingValue *)((char *)settings + row->offset);
        *to = (SettingValue){.kind = row->kind, .text = arena_format(&settings->texts, "%.*s", STR_ARG(value)), .number = number};
        return ERR_OK;
    }
    return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "there is no setting '%.*s'", STR_ARG(name));
}

void server_settings_init(ServerSettings *settings) {
    *settings = (ServerSettings){0};
    arena_init(&settings->texts, SETTINGS_BYTES_MAX);
    for (size_t i = 0; i < SERVER_SETTING_COUNT; i++) {
        const ServerSettingRow *row = &SERVER_SETTING_ROWS[i];
        ErrorCode code = server_setting_set(settings, str_from_c(row->name), str_from_c(row->fallback), NULL);
        assert(code == ERR_OK);
        (void)code;
    }
}

void server_settings_deinit(ServerSettings *settings) {
    arena_deinit(&settings->texts);
}

static ErrorCode read_line(ServerSettings *settings, Str line, int number, Error *err) {
    line = str_trim(line);
    if (line.len == 0 || line.data[0] == '#') {
        return ERR_OK;
    }
    ptrdiff_t equals = str_find_char(line, '=', 0);
    if (equals < 0) {
        return error_set(err, ERR_SYNTAX, number, "basalt.conf, line %d: write name = value", number);
    }
    Error why = {0};
    Str value = str_trim(str_slice(line, (size_t)equals + 1, line.len));
    ErrorCode code = server_setting_set(settings, str_trim(str_slice(line, 0, (size_t)equals)), value, &why);
    return code == ERR_OK ? code : error_set(err, code, number, "basalt.conf, line %d: %s", number, why.message);
}

ErrorCode server_settings_read(ServerSettings *settings, Str text, Error *err) {
    Str line;
    for (int number = 1; text.len > 0 && str_split(&text, '\n', &line); number++) {
        TRY(read_line(settings, line, number, err));
    }
    return ERR_OK;
}

ErrorCode server_engine_options(const ServerSettings *settings, EngineOptions *options_out, Error *err) {
    *options_out = (EngineOptions){
        .ingest_memory_bytes = (size_t)settings->ingest_memory.number,
        .cache_bytes = (size_t)settings->cache.number,
        .log_bytes_max = (uint64_t)settings->log_bytes.number,
        .checkpoint_interval_ms = settings->checkpoint_interval.number,
        .durability_ms = (uint32_t)settings->durability_interval.number,
    };
    uint32_t ms = 0;
    if (durability_parse(settings->durability.text, &options_out->durability, &ms)) {
        options_out->durability_ms = ms != 0 ? ms : options_out->durability_ms;
        return ERR_OK;
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "setting durability: '%.*s' is not commit, interval, interval(milliseconds) or off",
                     STR_ARG(settings->durability.text));
}
