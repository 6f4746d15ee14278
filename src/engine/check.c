/* SPDX-License-Identifier: Apache-2.0
 * check.c - reads everything the folder's state rests on: checkpoints, log, segments, dictionaries; goes on after damage.
 *
 * Tests: test/unit/engine/test_segments.c */
#include "engine/engine_internal.h"
#include <stdio.h>

typedef struct Check {
    Engine *engine;
    Buffer *report;
    ErrorCode code;              /* of the first damage */
    Error *err;
} Check;

static void note(Check *check, const char *what, ErrorCode code, const Error *error) {
    buffer_printf(check->report, "%s: %s\n", what, code == ERR_OK ? "good" : error->message);
    if (code != ERR_OK && check->code == ERR_OK) {
        check->code = code;
        if (check->err != NULL) {
            *check->err = *error;
        }
    }
}

static void check_file(Check *check, const char *path) {
    Error error = {0};
    ErrorCode code = blockfile_check(check->engine->os.io, path, NULL, NULL, &error);
    if (code == ERR_FILE_MISSING) { /* something names it */
        code = error_set(&error, ERR_DAMAGED, ERROR_NO_POSITION, "%s is missing", path);
    }
    note(check, path, code, &error);
}

static Lsn check_checkpoints(Check *check) {
    Lsn lsns[CHECKPOINTS_KEPT];
    engine__lock(check->engine, &check->engine->checkpoint_lock);
    memcpy(lsns, check->engine->checkpoints, sizeof lsns);
    engine__unlock(check->engine, &check->engine->checkpoint_lock);
    for (int i = 0; i < CHECKPOINTS_KEPT; i++) {
        char path[64];
        snprintf(path, sizeof path, "checkpoint-%llu", (unsigned long long)lsns[i]);
        if (lsns[i] != 0) {
            check_file(check, path);
        }
    }
    return lsns[0];
}

static void check_log(Check *check, Lsn checkpoint) {
    Error error = {0};
    uint64_t records = 0;
    Lsn last = 0;
    ErrorCode code = wal_flush(check->engine->wal, &error);
    code = code == ERR_OK ? wal_check_folder(check->engine->os, "wal", checkpoint + 1, &records, &last, &error) : code;
    char what[96];
    snprintf(what, sizeof what, "wal: %llu records after the checkpoint, last lsn %llu", (unsigned long long)records, (unsigned long long)last);
    note(check, what, code, &error);
}

static void check_tables(Check *check) {
    const ObjectVersion *object = NULL;
    Snapshot snapshot = {.lsn = engine__visible_lsn(check->engine)};
    for (size_t cursor = 0; catalog_next(check->engine->catalog, OBJECT_TABLE, &snapshot, &cursor, &object);) {
        Table *table = engine__table_peek(check->engine, object->def.id);
        ErrorCode code = table != NULL ? table_check(table, check->report, check->code == ERR_OK ? check->err : NULL) : ERR_OK;
        check->code = check->code == ERR_OK ? code : check->code;
    }
}

static void check_dictionaries(Check *check) {
    uint32_t table_id = 0;
    uint32_t column_id = 0;
    Dictionary *dictionary = NULL;
    engine__lock(check->engine, &check->engine->checkpoint_lock); /* files change in checkpoints only */
    for (size_t cursor = 0; catalog_next_dictionary(check->engine->catalog, &cursor, &table_id, &column_id, &dictionary);) {
        const DictionaryFiles *files = dictionary_files(dictionary);
        for (uint32_t i = 0; i < files->count; i++) {
            char path[TABLE_PATH_BYTES];
            table_file_path(path, FILE_DICTIONARY, table_id, files->files[i].file_id);
            check_file(check, path);
        }
    }
    engine__unlock(check->engine, &check->engine->checkpoint_lock);
}

/* Merges would take files away under the check: the work lock keeps them off. */
ErrorCode engine_check(Engine *engine, Buffer *report, Error *err) {
    Check check = {engine, report, ERR_OK, err};
    engine__lock(engine, &engine->work_lock);
    Lsn checkpoint = check_checkpoints(&check);
    check_log(&check, checkpoint);
    check_tables(&check);
    check_dictionaries(&check);
    engine__unlock(engine, &engine->work_lock);
    return check.code;
}
