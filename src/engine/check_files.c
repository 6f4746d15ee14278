/* SPDX-License-Identifier: Apache-2.0
 * check_files.c - every file of a folder that cannot be written to, one by one: nothing is opened, recovered or locked.
 *
 * Why:   an engine replays the log and tidies up when it opens, so it needs a folder that it may write. Here each block of each file and the
 *        log are checked; what the log says of the files, and parts against row blocks, only the engine knows.
 * Tests: test/cli */
#include "base/number.h"
#include "engine/engine_internal.h"
#include <stdio.h>

enum { CHECK_NAMES_BYTES_MAX = 64 << 20, CHECK_PATH_BYTES = 512 };

typedef struct FileCheck {
    Os os;
    Buffer *report;
    ErrorCode code;              /* of the first damage */
    Error *err;
    Lsn newest;                  /* checkpoint */
} FileCheck;

/* Names of one folder, each ended by NUL. */
typedef struct NameList { Buffer names; bool folders; } NameList;

static void take_name(void *context, Str name, bool is_folder) {
    NameList *list = context;
    if (is_folder == list->folders) {
        buffer_append_str(&list->names, name);
        buffer_append_char(&list->names, '\0');
    }
}

static void note(FileCheck *check, const char *what, ErrorCode code, const Error *error) {
    buffer_printf(check->report, "%s: %s\n", what, code == ERR_OK ? "good" : error->message);
    if (code != ERR_OK && check->code == ERR_OK) {
        check->code = code;
        if (check->err != NULL) {
            *check->err = *error;
        }
    }
}

typedef void (*NameVisit)(FileCheck *check, const char *folder, const char *name);

/* A folder that is not there has no files. */
static void each_name(FileCheck *check, const char *folder, bool folders, NameVisit visit) {
    NameList list = {.folders = folders};
    Error error = {0};
    buffer_init(&list.names, CHECK_NAMES_BYTES_MAX);
    ErrorCode code = io_list(check->os.io, folder, take_name, &list, &error);
    if (code != ERR_OK && code != ERR_FILE_MISSING) {
        note(check, folder, code, &error);
    }
    for (size_t at = 0; at < list.names.len; at += strlen((const char *)list.names.data + at) + 1) {
        visit(check, folder, (const char *)list.names.data + at);
    }
    buffer_deinit(&list.names);
}

static void check_block_file(FileCheck *check, const char *folder, const char *name) {
    char path[CHECK_PATH_BYTES];
    Error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!str_ends_with(str_from_c(name), STR(".tmp"))) { /* left by a crash, to be removed */
        note(check, path, blockfile_check(check->os.io, path, NULL, NULL, &error), &error);
    }
}

static void check_table(FileCheck *check, const char *folder, const char *name) {
    char path[CHECK_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    each_name(check, path, false, check_block_file);
}

static void check_checkpoint(FileCheck *check, const char *folder, const char *name) {
    Error error = {0};
    Str prefix = STR("checkpoint-"), text = str_from_c(name);
    uint64_t lsn = 0;
    bool overflow = false;
    (void)folder;
    if (!str_starts_with(text, prefix) || !parse_uint64(str_slice(text, prefix.len, text.len), &lsn, &overflow)) {
        return;
    }
    ErrorCode code = blockfile_check(check->os.io, name, NULL, NULL, &error);
    check->newest = code == ERR_OK ? MAX_OF(check->newest, lsn) : check->newest;
    note(check, name, code, &error);
}

static void check_log(FileCheck *check) {
    Error error = {0};
    uint64_t records = 0;
    Lsn last = 0;
    char what[96];
    ErrorCode code = wal_check_folder(check->os, "wal", check->newest + 1, &records, &last, &error);
    snprintf(what, sizeof what, "wal: %llu records after the checkpoint, last lsn %llu", (unsigned long long)records, (unsigned long long)last);
    note(check, what, code, &error);
}

ErrorCode engine_check_files(Os os, Buffer *report, Error *err) {
    FileCheck check = {.os = os, .report = report, .err = err};
    Arena arena;
    Bytes version = {0};
    Error error = {0};
    arena_init(&arena, 1 << 20);
    ErrorCode code = io_read_whole(os.io, "VERSION", &arena, &version, &error);
    arena_deinit(&arena);
    note(&check, "VERSION", code, &error);
    each_name(&check, ".", false, check_checkpoint);
    check_log(&check);
    each_name(&check, "table", true, check_table);
    each_name(&check, "body", false, check_block_file);
    return check.code;
}
