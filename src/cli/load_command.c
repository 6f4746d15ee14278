/* SPDX-License-Identifier: Apache-2.0
 * load_command.c - basalt load TARGET TABLE FILE…: files into a table of a folder, or through a server's /imp.
 *
 * Tests: test/cli, test/real */
#include "cli/cli_settings.h"
#include "cli/http_client.h"
#include "cli/json_reader.h"
#include "engine/engine.h"
#include "load/load.h"
#include "os/os.h"
#include <unistd.h>

static const CliOption OPTIONS[] = {
    {"timestamp", CLI_TEXT, "COLUMN", "designated timestamp of a table that is made"},
    {"partition-by", CLI_TEXT, "UNIT", "HOUR, DAY (default with --timestamp), WEEK, MONTH, YEAR or NONE"},
    {"schema", CLI_TEXT, "'COL TYPE, …'", "types of some columns; the others are inferred"},
    {"zone", CLI_TEXT, "ZONE", "zone of times that name none, like Asia/Kathmandu (default UTC)"},
    {"delimiter", CLI_TEXT, "CHAR", "default: the one of , ; tab | that fits"},
    {"header", CLI_TEXT, "yes|no|auto", "whether the first row has names (default auto)"},
    {"null", CLI_TEXT, "TEXT", "text that means NULL, beside the empty field"},
    {"on-error", CLI_TEXT, "MODE", "abort (default), skip-row or skip-column"},
    {"add-columns", CLI_FLAG, NULL, "columns that only the file has are added to the table"},
    {"no-create", CLI_FLAG, NULL, "the table must exist"},
    {"overwrite", CLI_FLAG, NULL, "drop the table first"},
    {"expect-rows", CLI_NUMBER, "N", "draw the progress bar by rows (for input from a pipe)"},
    {"quiet", CLI_FLAG, NULL, "say nothing unless something is wrong"},
    {0},
};

enum { LOAD_PIECE_BYTES = 256 * 1024, SCHEMA_COLUMNS_MAX = 2000, PROGRESS_EVERY = 8, HTTP_STATUS_DISK_FULL = 507 };

/* ---- options ---- */

static bool partition_from_name(const char *name, uint8_t *unit_out) {
    static const char *const NAMES[] = {"NONE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (str_equal_ignore_case(str_from_c(name), str_from_c(NAMES[i]))) {
            *unit_out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* 'col type, "another col" type(…), …'. A comma inside brackets belongs to the type. */
static ExitCode schema_parse(Str text, LoadColumnSpec *columns, uint32_t *count_out) {
    uint32_t count = 0;
    while (str_trim(text).len > 0) {
        size_t end = 0;
        int depth = 0;
        bool quoted = false;
        for (; end < text.len && (text.data[end] != ',' || depth > 0 || quoted); end++) {
            quoted ^= text.data[end] == '"';
            depth += text.data[end] == '(' ? 1 : text.data[end] == ')' ? -1 : 0;
        }
        Str part = str_trim(str_slice(text, 0, end));
        text = str_slice(text, MIN_OF(end + 1, text.len), text.len);
        bool in_quotes = part.len > 0 && part.data[0] == '"';
        ptrdiff_t name_end = in_quotes ? str_find_char(part, '"', 1) : str_find_char(part, ' ', 0);
        if (name_end <= 0 || count == SCHEMA_COLUMNS_MAX) {
            return cli_usage_error("--schema: \"%.*s\" is not a column and its type", STR_ARG(part));
        }
        Str type = str_trim(str_slice(part, (size_t)name_end + 1, part.len));
        columns[count].name = str_slice(part, in_quotes ? 1 : 0, (size_t)name_end);
        if (!type_from_name(type, false, &columns[count].type)) {
            return cli_usage_error("--schema: there is no type \"%.*s\"", STR_ARG(type));
        }
        count++;
    }
    *count_out = count;
    return EXIT_DONE;
}

static ExitCode options_take(const CliArgs *args, Arena *arena, LoadOptions *options) {
    static const char *const ON_ERROR[] = {"abort", "skip-row", "skip-column"};
    const char *on_error = cli_text(args, "on-error", "abort"), *header = cli_text(args, "header", "auto");
    const char *delimiter = cli_text(args, "delimiter", ""), *unit = cli_text(args, "partition-by", NULL);
    LoadColumnSpec *columns = arena_array(arena, LoadColumnSpec, SCHEMA_COLUMNS_MAX);
    *options = (LoadOptions){
        .table = str_from_c(args->words[1]),
        .columns = columns,
        .timestamp = str_from_c(cli_text(args, "timestamp", "")),
        .null_text = str_from_c(cli_text(args, "null", "")),
        .add_columns = cli_flag(args, "add-columns"),
        .no_create = cli_flag(args, "no-create"),
        .overwrite = cli_flag(args, "overwrite"),
        .delimiter = strcmp(delimiter, "\\t") == 0 || strcmp(delimiter, "tab") == 0 ? '\t' : delimiter[0],
        .header = strcmp(header, "yes") == 0 ? HEADER_YES : strcmp(header, "no") == 0 ? HEADER_NO : HEADER_AUTO,
    };
    ptrdiff_t point = str_find_char(options->table, '.', 0);
    if (point > 0) {
        options->schema_name = str_slice(options->table, 0, (size_t)point);
        options->table = str_slice(options->table, (size_t)point + 1, options->table.len);
    }
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(ON_ERROR); i++) {
        if (strcmp(on_error, ON_ERROR[i]) == 0) {
            options->on_error = (uint8_t)i;
            known = true;
        }
    }
    if (!known) {
        return cli_usage_error("--on-error is abort, skip-row or skip-column, not \"%s\"", on_error);
    }
    options->partition = options->timestamp.len > 0 ? PARTITION_DAY : PARTITION_NONE;
    if (unit != NULL && !partition_from_name(unit, &options->partition)) {
        return cli_usage_error("--partition-by is HOUR, DAY, WEEK, MONTH, YEAR or NONE, not \"%s\"", unit);
    }
    const char *zone = cli_text(args, "zone", NULL);
    Error err = {0};
    if (zone != NULL && os_zone_load(str_from_c(zone), arena, &options->zone, &err) != ERR_OK) {
        return cli_usage_error("%s", err.message);
    }
    return schema_parse(str_from_c(cli_text(args, "schema", "")), columns, &options->column_count);
}

/* ---- progress ---- */

typedef struct Progress {
    const char *name;
    uint64_t bytes, bytes_total; /* of the file as it lies there */
    uint64_t rows_total;         /* expected, 0 = unknown: then bytes are the measure */
    uint32_t pieces;
    bool shown;
} Progress;

enum { PROGRESS_WIDTH = 30 };

static void progress_show(Progress *progress, uint64_t rows) {
    uint64_t total = progress->rows_total > 0 ? progress->rows_total : progress->bytes_total;
    uint64_t done = progress->rows_total > 0 ? rows : progress->bytes;
    done = MIN_OF(done, total);
    fprintf(stderr, "\r%s", progress->name);
    if (total > 0) {
        char bar[PROGRESS_WIDTH + 1] = "";
        memset(bar, '.', PROGRESS_WIDTH);
        memset(bar, '#', (size_t)(done * PROGRESS_WIDTH / total));
        fprintf(stderr, " [%s] %3llu %%", bar, (unsigned long long)(done * 100 / total));
    }
    if (rows > 0) {
        fprintf(stderr, "  %llu rows", (unsigned long long)rows);
    }
    fflush(stderr);
    progress->shown = true;
}

static void progress_step(Progress *progress, size_t bytes, uint64_t rows) {
    progress->bytes += bytes;
    if (progress->name != NULL && progress->pieces++ % PROGRESS_EVERY == 0) {
        progress_show(progress, rows);
    }
}

static void progress_end(Progress *progress, uint64_t rows) {
    if (progress->shown) {
        progress_show(progress, rows);
        fputc('\n', stderr);
        progress->shown = false;
    }
}

static const char *shown_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "input" : slash != NULL ? slash + 1 : path;
}

/* ---- into a folder ---- */

static void table_show(const LoadReport *report) {
    fprintf(stderr, "made table %.*s (", STR_ARG(report->table));
    for (uint32_t i = 0; i < report->column_count; i++) {
        char type[64];
        size_t len = type_format_sql(type, sizeof type, report->columns[i].type);
        fprintf(stderr, "%s%.*s %.*s", i > 0 ? ", " : "", STR_ARG(report->columns[i].name), (int)len, type);
    }
    fputs(")\n", stderr);
    for (uint32_t i = 0; i < report->column_count && report->timestamp.len == 0; i++) {
        if (report->columns[i].type.id == TYPE_TIMESTAMP || report->columns[i].type.id == TYPE_TIMESTAMP_NS) {
            fprintf(stderr, "note: it has no designated timestamp, which SAMPLE BY and LATEST ON need; --timestamp %.*s makes it one\n",
                    STR_ARG(report->columns[i].name));
            return;
        }
    }
}

static void report_show(const char *path, const LoadReport *report) {
    if (report->created) {
        table_show(report);
    }
    for (uint32_t i = 0; i < report->problem_count && report->rejected > 0; i++) {
        fprintf(stderr, "%s: %.*s\n", shown_name(path), STR_ARG(report->problems[i].message));
    }
    uint64_t errors = 0;
    for (uint32_t i = 0; i < report->column_count; i++) {
        errors += report->columns[i].errors;
    }
    fprintf(stderr, "%s: %llu rows into %.*s", shown_name(path), (unsigned long long)report->rows, STR_ARG(report->table));
    if (report->rejected > 0) {
        fprintf(stderr, ", %llu rows left out", (unsigned long long)report->rejected);
    }
    if (errors > 0) {
        fprintf(stderr, ", %llu wrong values", (unsigned long long)errors);
    }
    fputc('\n', stderr);
}

static ErrorCode file_feed(Load *load, InputFile *input, Progress *progress, Error *err) {
    uint8_t *piece = mem_alloc(LOAD_PIECE_BYTES);
    ErrorCode code = ERR_OK;
    size_t got = 0;
    do {
        code = os_input_read(input, piece, LOAD_PIECE_BYTES, &got, err);
        if (code == ERR_OK && got > 0) {
            code = load_feed(load, bytes_from(piece, got), err);
            progress_step(progress, got, load_rows(load));
        }
    } while (code == ERR_OK && got > 0);
    mem_free(piece);
    return code;
}

/* Messages about a file that could not be opened name it already. */
static void failure_show(const InputFile *input, const char *path, const Error *err) {
    fprintf(stderr, "basalt: %s%s%s\n", input != NULL ? shown_name(path) : "", input != NULL ? ": " : "", err->message);
}

static ExitCode file_load(const CliArgs *args, Session *session, const LoadOptions *options, const char *path, bool quiet) {
    bool bar = !quiet && isatty(STDERR_FILENO);
    InputFile *input = NULL;
    Load *load = NULL;
    Error err = {0};
    ErrorCode code = ERR_OK;
    Progress progress = {.name = bar ? shown_name(path) : NULL, .rows_total = cli_number(args, "expect-rows", 0)};
    TRY_OR(done, os_input_open(path, &input, &err));
    progress.bytes_total = os_input_size(input);
    TRY_OR(done, load_begin(session, options, &load, &err));
    TRY_OR(done, file_feed(load, input, &progress, &err));
    TRY_OR(done, load_finish(load, &err));
    progress_end(&progress, load_rows(load));
    if (!quiet || load_report(load)->rejected > 0) {
        report_show(path, load_report(load));
    }
done:
    if (code != ERR_OK) {
        progress_end(&progress, load != NULL ? load_rows(load) : 0);
        failure_show(input, path, &err);
    }
    load_close(load);
    os_input_close(input);
    return cli_exit_code(code);
}

static ExitCode folder_load(const CliArgs *args, LoadOptions *options, bool quiet, const ServerSettings *settings, const EngineOptions *engine_options) {
    Os os;
    Engine *engine = NULL;
    Session *session = NULL;
    Error err = {0};
    ErrorCode code = ERR_OK;
    ExitCode exit_code = EXIT_DONE;
    if (os_linux_open(args->words[0], true, &os, &err) != ERR_OK) {
        return cli_report(&err);
    }
    TRY_OR(done, engine_open(os, engine_options, &engine, &err));
    SessionOptions session_options = {.user_name = STR("postgres"), .application_name = STR("basalt load"), .door = STR("api"),
                                      .memory_bytes = (size_t)settings->query_memory.number};
    TRY_OR(done, session_open(engine, &session_options, &session, &err));
    for (int i = 2; i < args->word_count && exit_code == EXIT_DONE; i++) {
        exit_code = file_load(args, session, options, args->words[i], quiet);
        options->overwrite = false; /* the files after the first add to it */
    }
done:
    if (code != ERR_OK) {
        exit_code = cli_report(&err);
    }
    if (session != NULL) {
        session_close(session);
    }
    if (engine != NULL) {
        engine_close(engine);
    }
    os_linux_close(&os);
    return exit_code;
}

static ExitCode folder_load_as_set(const CliArgs *args, LoadOptions *options, bool quiet) {
    ServerSettings settings;
    EngineOptions engine_options;
    Error err = {0};
    server_settings_init(&settings);
    ErrorCode code = cli__folder_settings(&settings, args->words[0], &engine_options, &err);
    ExitCode exit_code = code == ERR_OK ? folder_load(args, options, quiet, &settings, &engine_options) : cli_report(&err);
    server_settings_deinit(&settings);
    return code != ERR_OK && exit_code == EXIT_FAILED ? EXIT_USAGE : exit_code;
}

/* ---- through a server ---- */

static void path_parameter(Buffer *path, const char *name, Str value) {
    if (value.len > 0) {
        buffer_printf(path, "%s%s=", path->data[path->len - 1] == '?' ? "" : "&", name);
        http_url_escape(path, value);
    }
}

static void imp_path(const CliArgs *args, const LoadOptions *options, Buffer *path) {
    static const char *const ATOMICITY[] = {"abort", "skipRow", "skipCol"};
    static const char *const UNITS[] = {"NONE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR"};
    buffer_append_str(path, STR("/imp?"));
    path_parameter(path, "name", options->table);
    path_parameter(path, "fmt", STR("json"));
    path_parameter(path, "atomicity", str_from_c(ATOMICITY[options->on_error]));
    path_parameter(path, "timestamp", options->timestamp);
    path_parameter(path, "partitionBy", options->timestamp.len > 0 ? str_from_c(UNITS[options->partition]) : STR(""));
    path_parameter(path, "overwrite", options->overwrite ? STR("true") : STR(""));
    path_parameter(path, "create", options->no_create ? STR("false") : STR(""));
    path_parameter(path, "forceHeader", options->header == HEADER_YES ? STR("true") : STR(""));
    path_parameter(path, "delimiter", options->delimiter != 0 ? (Str){&options->delimiter, 1} : STR(""));
    path_parameter(path, "zone", str_from_c(cli_text(args, "zone", "")));
    path_parameter(path, "null", options->null_text);
    path_parameter(path, "addColumns", options->add_columns ? STR("true") : STR(""));
}

/* {"status":"OK","location":t,"rowsRejected":n,"rowsImported":n,…}: in one line for people. */
static void answer_show(const char *path, Str answer) {
    JsonReader reader = {.text = answer};
    Buffer texts;
    Str table = STR("?"), rejected = STR("0"), imported = STR("?");
    buffer_init(&texts, 1 << 20);
    (void)buffer_reserve(&texts, answer.len); /* texts must not move */
    for (json_enter(&reader, '{'); json_next(&reader, '}');) {
        Str key = json_string(&reader, &texts);
        json_colon(&reader);
        if (str_equal(key, STR("location"))) {
            table = json_string(&reader, &texts);
        } else if (str_equal(key, STR("rowsRejected"))) {
            rejected = json_raw(&reader);
        } else if (str_equal(key, STR("rowsImported"))) {
            imported = json_raw(&reader);
        } else {
            json_skip(&reader);
        }
    }
    fprintf(stderr, "%s: %.*s rows into %.*s", shown_name(path), STR_ARG(imported), STR_ARG(table));
    if (!str_equal(rejected, STR("0"))) {
        fprintf(stderr, ", %.*s rows left out", STR_ARG(rejected));
    }
    fputc('\n', stderr);
    buffer_deinit(&texts);
}

/* The schema part: [{"name":…,"type":…},…]. */
static void imp_schema(const LoadOptions *options, Buffer *body) {
    char type[64];
    if (options->column_count == 0) {
        return;
    }
    buffer_append_str(body, STR("--basaltpart\r\nContent-Disposition: form-data; name=\"schema\"\r\n\r\n["));
    for (uint32_t i = 0; i < options->column_count; i++) {
        size_t len = type_format_exec(type, sizeof type, options->columns[i].type);
        buffer_printf(body, "%s{\"name\":\"%.*s\",\"type\":\"%.*s\"}", i > 0 ? "," : "", STR_ARG(options->columns[i].name), (int)len, type);
    }
    buffer_append_str(body, STR("]\r\n"));
}

/* What the server says went wrong: {"status":"…"}, else the whole answer. */
static ErrorCode answer_fail(int status, Str answer, Error *err) {
    ErrorCode code = status == HTTP_STATUS_DISK_FULL ? ERR_DISK_FULL : ERR_BAD_COPY;
    JsonReader reader = {.text = answer};
    Buffer texts;
    Str message = answer;
    buffer_init(&texts, 1 << 24);
    (void)buffer_reserve(&texts, answer.len); /* texts must not move */
    for (json_enter(&reader, '{'); json_next(&reader, '}');) {
        Str key = json_string(&reader, &texts);
        json_colon(&reader);
        if (str_equal(key, STR("status"))) {
            message = json_string(&reader, &texts);
        } else {
            json_skip(&reader);
        }
    }
    error_set(err, code, ERROR_NO_POSITION, "%.*s", (int)MIN_OF(message.len, (size_t)400), message.data);
    buffer_deinit(&texts);
    return code;
}

static ErrorCode imp_send(HttpClient *client, InputFile *input, const LoadOptions *options, Progress *progress, Error *err) {
    Buffer head;
    uint8_t *piece = mem_alloc(LOAD_PIECE_BYTES);
    ErrorCode code = ERR_OK;
    size_t got = 0;
    buffer_init(&head, 1 << 20);
    imp_schema(options, &head);
    buffer_append_str(&head, STR("--basaltpart\r\nContent-Disposition: form-data; name=\"data\"; filename=\"data.csv\"\r\n\r\n"));
    code = http_client_piece(client, buffer_bytes(&head), err);
    while (code == ERR_OK && (code = os_input_read(input, piece, LOAD_PIECE_BYTES, &got, err)) == ERR_OK && got > 0) {
        code = http_client_piece(client, bytes_from(piece, got), err);
        progress_step(progress, got, 0);
    }
    if (code == ERR_OK) {
        Str end = STR("\r\n--basaltpart--\r\n");
        code = http_client_piece(client, bytes_from(end.data, end.len), err);
    }
    buffer_deinit(&head);
    mem_free(piece);
    return code;
}

static ExitCode file_send(const CliArgs *args, const LoadOptions *options, const char *path, bool quiet) {
    HttpClient client;
    InputFile *input = NULL;
    Buffer url, answer;
    Error err = {0};
    int status = 0;
    Progress progress = {.name = !quiet && isatty(STDERR_FILENO) ? shown_name(path) : NULL};
    buffer_init(&url, 65536);
    buffer_init(&answer, 1 << 24);
    imp_path(args, options, &url);
    ErrorCode code = http_client_init(&client, args->words[0], &err);
    TRY_OR(done, code);
    TRY_OR(done, os_input_open(path, &input, &err));
    progress.bytes_total = os_input_size(input);
    TRY_OR(done, http_client_begin(&client, "POST", buffer_str(&url), "Content-Type: multipart/form-data; boundary=basaltpart\r\n", true, &err));
    code = imp_send(&client, input, options, &progress, &err);
    if (http_client_finish(&client, code == ERR_OK, &status, &answer, code == ERR_OK ? &err : NULL) == ERR_OK) {
        code = ERR_OK; /* an answer counts more than that the server stopped reading */
    }
    if (code == ERR_OK && (status != 200 || str_find(buffer_str(&answer), STR("\"status\":\"OK\""), 0) < 0)) {
        code = answer_fail(status, buffer_str(&answer), &err);
    }
done:
    if (progress.shown) {
        fputc('\n', stderr);
    }
    if (code != ERR_OK) {
        failure_show(input, path, &err);
    } else if (!quiet) {
        answer_show(path, buffer_str(&answer));
    }
    os_input_close(input);
    http_client_close(&client);
    buffer_deinit(&url);
    buffer_deinit(&answer);
    return cli_exit_code(code);
}

static ExitCode url_load(const CliArgs *args, LoadOptions *options, bool quiet) {
    for (int i = 2; i < args->word_count; i++) {
        ExitCode code = file_send(args, options, args->words[i], quiet);
        if (code != EXIT_DONE) {
            return code;
        }
        options->overwrite = false;
    }
    return EXIT_DONE;
}

static ExitCode run(const CliArgs *args) {
    Arena arena;
    LoadOptions options;
    arena_init(&arena, SIZE_MAX);
    ExitCode code = options_take(args, &arena, &options);
    bool quiet = cli_flag(args, "quiet");
    if (code == EXIT_DONE) {
        code = target_is_url(args->words[0]) ? url_load(args, &options, quiet) : folder_load_as_set(args, &options, quiet);
    }
    arena_deinit(&arena);
    return code;
}

const CliCommand CLI_LOAD = {
    .name = "load",
    .summary = "load CSV files (also .gz and .zst) into a table",
    .usage = "load DIR|http://HOST:PORT TABLE FILE… [--timestamp COLUMN] [--schema 'COL TYPE, …']",
    .options = OPTIONS,
    .words_min = 3,
    .words_max = 1 << 20,
    .run = run,
    .details = "Columns are matched by the names in the first row. A table that does not exist is made; its types come from the data.\n"
               "Each file is one transaction: it is loaded whole or not at all.\n"
               "  basalt load ./data trades trades.csv.gz --timestamp ts --schema 'symbol symbol, venue symbol'\n",
};
