/* SPDX-License-Identifier: Apache-2.0
 * target.c - a folder through the C API; and the choice between folder and URL.
 *
 * Tests: test/cli */
#include "cli/target.h"
#include "api/basalt.h"
#include "cli/cli_settings.h"
#include <stdio.h>

typedef struct FolderTarget {
    Target base;
    BasaltDatabase *database;
    BasaltConnection *connection;
} FolderTarget;

bool target_is_url(const char *name) {
    return strncmp(name, "http://", 7) == 0 || strncmp(name, "https://", 8) == 0;
}

ErrorCode target_open(const char *name, bool must_exist, Target **target_out, ExitCode *code_out, Error *err) {
    return target_is_url(name) ? target_url_open(name, target_out, code_out, err)
                               : target_folder_open(name, must_exist, target_out, code_out, err);
}

/* The codes of base are not part of the C API: what matters here is exit code, message, position. */
static ErrorCode take_error(const BasaltError *from, ExitCode *code_out, Error *err) {
    static const ErrorCode BY_EXIT[] = {
        [EXIT_FOLDER_IN_USE] = ERR_FOLDER_IN_USE,
        [EXIT_NEWER_FORMAT] = ERR_NEWER_FORMAT,
        [EXIT_DAMAGED] = ERR_DAMAGED,
        [EXIT_DISK] = ERR_IO,
    };
    ErrorCode code = ERR_SYNTAX;
    if (from->exit_code >= EXIT_FOLDER_IN_USE && from->exit_code <= EXIT_DISK) {
        code = BY_EXIT[from->exit_code];
    } else if (strcmp(from->sqlstate, "57014") == 0) {
        code = ERR_CANCELED;
    }
    if (code_out != NULL) {
        *code_out = (ExitCode)from->exit_code;
    }
    return error_set(err, code, from->position, "%s", from->message);
}

static bool type_is_number(BasaltType type, const char *name) {
    return (type >= BASALT_INT8 && type <= BASALT_DOUBLE) || strncmp(name, "numeric", 7) == 0;
}

/* From the first row on, which was fetched already (result). */
static ErrorCode rows_give(FolderTarget *target, BasaltStatement *statement, BasaltResult result, ResultSink *sink, ResultSummary *summary,
                           Error *err) {
    uint32_t count = basalt_column_count(statement);
    ResultCell *cells = mem_calloc(count + 1, sizeof *cells);
    ErrorCode code = ERR_OK;
    for (; code == ERR_OK && result != BASALT_DONE; result = code == ERR_OK ? basalt_row(statement) : result) {
        if (result == BASALT_FAILED) {
            code = take_error(basalt_error(target->connection), NULL, err);
            break;
        }
        for (uint32_t i = 0; i < count; i++) {
            cells[i].is_null = basalt_is_null(statement, i);
            cells[i].text.data = basalt_text(statement, i, &cells[i].text.len);
        }
        summary->rows++;
        code = sink->row(sink, cells, err);
    }
    mem_free(cells);
    return code;
}

static ErrorCode columns_give(BasaltStatement *statement, ResultSink *sink, Error *err) {
    uint32_t count = basalt_column_count(statement);
    ResultColumn *columns = mem_calloc(count + 1, sizeof *columns);
    for (uint32_t i = 0; i < count; i++) {
        BasaltType type = basalt_column_type(statement, i);
        const char *type_name = basalt_column_type_name(statement, i);
        columns[i] = (ResultColumn){
            .name = str_from_c(basalt_column_name(statement, i)),
            .type = str_from_c(type_name),
            .align_right = type_is_number(type, type_name),
            .is_raw_json = type_is_number(type, type_name) || type == BASALT_BOOL,
        };
    }
    ErrorCode code = sink->begin(sink, columns, count, err);
    mem_free(columns);
    return code;
}

static ErrorCode folder_run(Target *base, Str sql, ResultSink *sink, ResultSummary *summary, Error *err) {
    FolderTarget *target = (FolderTarget *)base;
    BasaltStatement *statement = NULL;
    *summary = (ResultSummary){0};
    if (basalt_prepare(target->connection, sql.data, sql.len, &statement, NULL) != BASALT_OK) {
        return take_error(basalt_error(target->connection), NULL, err);
    }
    ErrorCode code = ERR_OK;
    BasaltResult result = basalt_row(statement);
    summary->has_rows = basalt_column_count(statement) > 0;
    if (summary->has_rows && result != BASALT_FAILED) { /* a statement that fails at once shows no header */
        TRY_OR(done, columns_give(statement, sink, err));
    }
    TRY_OR(done, rows_give(target, statement, result, sink, summary, err));
    if (summary->has_rows) {
        TRY_OR(done, sink->end(sink, err));
    }
    snprintf(summary->tag, sizeof summary->tag, "%s", basalt_tag(statement));
done:
    basalt_finalize(statement);
    return code;
}

static void folder_cancel(Target *base) {
    basalt_cancel(((FolderTarget *)base)->connection);
}

static void folder_close(Target *base) {
    FolderTarget *target = (FolderTarget *)base;
    basalt_disconnect(target->connection);
    basalt_close(target->database);
    mem_free(target);
}

static const TargetVtable FOLDER_VTABLE = {folder_run, folder_cancel, folder_close};

/* The folder's basalt.conf and the environment, as `basalt serve` reads them. */
static ErrorCode options_take(const char *folder, BasaltOptions *options, BasaltConnectionOptions *connection, Error *err) {
    static const int DURABILITY[] = {[DURABILITY_UNSET] = 0, [DURABILITY_OFF] = 2, [DURABILITY_INTERVAL] = 1, [DURABILITY_COMMIT] = 0};
    ServerSettings settings;
    EngineOptions engine;
    server_settings_init(&settings);
    ErrorCode code = cli__folder_settings(&settings, folder, &engine, err);
    if (code == ERR_OK) {
        options->ingest_memory_bytes = engine.ingest_memory_bytes;
        options->cache_bytes = engine.cache_bytes;
        options->durability = DURABILITY[engine.durability];
        options->durability_ms = (int)engine.durability_ms;
        connection->memory_bytes = (size_t)settings.query_memory.number;
        connection->timeout_ms = settings.query_timeout.number;
        connection->workers = (int)settings.query_workers.number;
    }
    server_settings_deinit(&settings);
    return code;
}

ErrorCode target_folder_open(const char *folder, bool must_exist, Target **target_out, ExitCode *code_out, Error *err) {
    BasaltOptions options = {.size = sizeof options, .must_exist = must_exist};
    BasaltConnectionOptions connection_options = {.size = sizeof connection_options, .application_name = "basalt sql"};
    BasaltError error = {0};
    *code_out = EXIT_USAGE;
    TRY(options_take(folder, &options, &connection_options, err));
    FolderTarget *target = mem_calloc(1, sizeof *target);
    target->base.vtable = &FOLDER_VTABLE;
    bool fine = basalt_open(folder, &options, &target->database, &error) == BASALT_OK;
    if (fine && basalt_connect(target->database, &connection_options, &target->connection, &error) != BASALT_OK) {
        basalt_close(target->database);
        fine = false;
    }
    if (!fine) {
        mem_free(target);
        return take_error(&error, code_out, err);
    }
    *target_out = &target->base;
    return ERR_OK;
}
