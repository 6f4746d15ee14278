/* SPDX-License-Identifier: Apache-2.0
 * cli_settings.c - see cli_settings.h.
 *
 * Tests: test/cli */
#include "cli/cli_settings.h"
#include <stdlib.h>

enum { CONFIG_BYTES_MAX = 1 << 20 };

static ErrorCode config_file(ServerSettings *settings, const char *folder, const char *given, Error *err) {
    Buffer text;
    char path[4096];
    snprintf(path, sizeof path, "%s/basalt.conf", folder);
    buffer_init(&text, CONFIG_BYTES_MAX);
    ErrorCode code = cli__read_file(given != NULL ? given : path, &text, err);
    if (code == ERR_FILE_MISSING && given == NULL) {
        code = ERR_OK;
    } else if (code == ERR_OK) {
        code = server_settings_read(settings, buffer_str(&text), err);
    }
    buffer_deinit(&text);
    return code;
}

ErrorCode cli__settings_take(ServerSettings *settings, const char *folder, const CliArgs *args, Error *err) {
    char name[SETTING_ENVIRONMENT_MAX];
    TRY(config_file(settings, folder, args != NULL && cli_flag(args, "config") ? cli_text(args, "config", "") : NULL, err));
    for (size_t i = 0; i < SERVER_SETTING_COUNT; i++) {
        const ServerSettingRow *row = &SERVER_SETTING_ROWS[i];
        server_setting_environment(row, name);
        const char *value = getenv(name);
        if (value != NULL) {
            TRY(server_setting_set(settings, str_from_c(row->name), str_from_c(value), err));
        }
        if (args != NULL && cli_flag(args, row->name)) {
            TRY(server_setting_set(settings, str_from_c(row->name), str_from_c(cli_text(args, row->name, "")), err));
        }
    }
    return ERR_OK;
}

ErrorCode cli__folder_settings(ServerSettings *settings, const char *folder, EngineOptions *options_out, Error *err) {
    TRY(cli__settings_take(settings, folder, NULL, err));
    TRY(server_engine_options(settings, options_out, err));
    options_out->embedded = true;
    return ERR_OK;
}
