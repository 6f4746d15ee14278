/* SPDX-License-Identifier: Apache-2.0
 * cli_settings.h - what every command that opens a folder does with the settings: options, environment, basalt.conf. */
#pragma once
#include "cli/cli_internal.h"
#include "server/server.h"

/* Weakest first: DIR/basalt.conf (or --config), environment variables BASALT_…, options of the command line. args may be NULL: no options. */
NODISCARD ErrorCode cli__settings_take(ServerSettings *settings, const char *folder, const CliArgs *args, Error *err);
/* For commands without these options: the folder's file and the environment. */
NODISCARD ErrorCode cli__folder_settings(ServerSettings *settings, const char *folder, EngineOptions *options_out, Error *err);
