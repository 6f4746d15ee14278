/* SPDX-License-Identifier: Apache-2.0
 * index_build.c - CREATE INDEX over rows that are there: a run for each segment; memory parts fill their trees when they are asked.
 *
 * Why:   the keys of all parts that are live now are held at once to find equal ones: 24 bytes a row and what is longer than eight bytes.
 * Tests: test/unit/engine/test_keys.c */
#include "table/index_part.h"
#include "table/scan_internal.h"

/* ---- runs ---- */

static ErrorCode build_run(Table *table, TableWriter *writer, const IndexShape *shape, Part *part, Error *err) {
    RunBuilder *builder = run_builder_create();
    RunEntry entry;
    ErrorCode code = table__part_keys(table, shape->def, part, shape, builder, err);
    code = code == ERR_OK ? table__run_write(table, shape->index->id, part->id, builder, false, &entry, err) : code;
    if (code == ERR_OK) {
        table__lock(table);
        table__run_attach(table, part, &entry);
        writes_add(writer->writes, (Write){WRITE_INDEX_RUN, table->id, part->id, shape->index->id, 0, NULL});
        table__unlock(table);
    }
    run_builder_destroy(builder);
    return code;
}

static ErrorCode build_runs(Table *table, TableWriter *writer, const IndexShape *shape, Error *err) {
    table__lock(table);
    uint32_t count = 0;
    Part **parts = mem_alloc(sizeof(Part *) * (table->part_count + 1u));
    for (uint32_t i = 0; i < table->part_count; i++) {
        if (table->parts[i]->file != NULL && table->parts[i]->end == STAMP_NEVER) {
            parts[count++] = table->parts[i];
            table->parts[i]->refs++;
        }
    }
    table__unlock(table);
    ErrorCode code = ERR_OK;
    for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
        code = build_run(table, writer, shape, parts[i], err);
    }
    table__lock(table);
    for (uint32_t i = 0; i < count; i++) {
        table__part_release(table, parts[i]);
    }
    table__unlock(table);
    mem_free(parts);
    return code;
}

/* ---- no two rows are alike ---- */

typedef struct Gathering { RunBuilder *builder; Buffer key; uint32_t rows; } Gathering;

static ErrorCode gather(Scan *scan, ScanCursor *cursor, const IndexShape *shape, Gathering *gathering, Error *err) {
    Vector *vectors = arena_array(&scan->arena, Vector, table_stored_count(scan->def) + 1u);
    Morsel morsel;
    Batch batch;
    while (SCAN_VTABLE.next_morsel(scan, &morsel)) {
        SCAN_VTABLE.cursor_start(cursor, &morsel);
        for (;;) {
            KeyColumn columns[INDEX_KEYS_MAX + 1];
            bool has_null = false;
            TRY(SCAN_VTABLE.read(cursor, &batch, err));
            if (batch.row_count == 0) {
                break;
            }
            for (uint16_t i = 0; i < batch.column_count; i++) {
                TRY(vector_dense(&batch.columns[i], &cursor->scratch, err));
                vectors[scan->columns[i]] = batch.columns[i];
            }
            table__keys_of_vectors(shape, vectors, columns);
            for (uint16_t row = 0; row < batch.row_count; row++) {
                bool live = batch.live == NULL || bit_get(batch.live, row);
                if (live && table__key(shape, columns, row, &gathering->key, &has_null) && (!has_null || shape->index->nulls_not_distinct)) {
                    run_builder_add(gathering->builder, buffer_bytes(&gathering->key), gathering->rows++);
                }
            }
        }
    }
    return ERR_OK;
}

static ErrorCode find_equal(const IndexShape *shape, RunBuilder *builder, Error *err) {
    run_builder_sort(builder);
    for (size_t i = 1; i < run_builder_count(builder); i++) {
        if (run_builder_same_key(builder, i - 1, i)) {
            ErrorCode code = error_set(err, ERR_UNIQUE_VIOLATION, ERROR_NO_POSITION, "could not create unique index \"%.*s\"", STR_ARG(shape->index->name));
            error_ignore(error_add(err, 'n', "%.*s", STR_ARG(shape->index->name)));
            error_ignore(error_add(err, 't', "%.*s", STR_ARG(shape->def->name)));
            error_ignore(error_add(err, 'D', "There are rows with equal keys."));
            return code;
        }
    }
    return ERR_OK;
}

static ErrorCode check_all_rows(Table *table, const Snapshot *snapshot, const IndexShape *shape, Error *err) {
    ScanRequest request = {.columns = shape->columns, .column_count = shape->column_count};
    Scan *scan = scan__create(table, shape->def, snapshot, &request);
    ScanCursor *cursor = NULL;
    Gathering gathering = {.builder = run_builder_create()};
    buffer_init(&gathering.key, SIZE_MAX);
    ErrorCode code = scan__capture(scan, err);
    if (code == ERR_OK) {
        scan__plan(scan);
        code = SCAN_VTABLE.cursor_open(scan, &cursor, err);
    }
    if (code == ERR_OK) {
        code = gather(scan, cursor, shape, &gathering, err);
        SCAN_VTABLE.cursor_close(cursor);
    }
    SCAN_VTABLE.close(scan);
    code = code == ERR_OK ? find_equal(shape, gathering.builder, err) : code;
    buffer_deinit(&gathering.key);
    run_builder_destroy(gathering.builder);
    return code;
}

ErrorCode table_index_build(Table *table, TableWriter *writer, const TableDef *def, const IndexDef *index, Error *err) {
    IndexShape shape;
    table__shape(def, index, &shape);
    if (index->is_unique) {
        Snapshot now = {.lsn = STAMP_NEVER - 1, .own = writer->snapshot.own, .command = TXN_COMMAND_MAX + 1};
        TRY(check_all_rows(table, &now, &shape, err));
    }
    return build_runs(table, writer, &shape, err);
}

/* ---- checking ---- */

ErrorCode table__check_runs(Table *table, Buffer *report, Error *err) {
    RunEntry *entries = NULL;
    uint32_t count = 0;
    table__lock(table);
    for (uint32_t i = 0; i < table->part_count; i++) {
        const Part *part = table->parts[i];
        for (uint32_t n = 0; n < part->index_count && part->end == STAMP_NEVER; n++) {
            const RunFile *file = part->indexes[n].run;
            if (file != NULL) {
                entries = mem_realloc(entries, sizeof *entries * (count + 1u));
                entries[count++] = (RunEntry){part->id, file->index_id, file->crc, file->file_id, file->bytes};
            }
        }
    }
    table__unlock(table);
    ErrorCode first = ERR_OK;
    for (uint32_t i = 0; i < count; i++) {
        char path[TABLE_PATH_BYTES];
        Error error = {0};
        table_file_path(path, FILE_INDEX, table->id, entries[i].file_id);
        BlockFileExpect expect = {.kind = BLOCKFILE_INDEX, .file_id = entries[i].file_id, .engine_id = table->env->engine_id, .bytes = entries[i].bytes,
                                  .crc = entries[i].crc, .has_crc = true};
        ErrorCode code = index_run_check(table->env->os.io, path, &expect, &error);
        buffer_printf(report, "%s: %s\n", path, code == ERR_OK ? "good" : error.message);
        if (code != ERR_OK && first == ERR_OK) {
            first = code;
            if (err != NULL) {
                *err = error;
            }
        }
    }
    mem_free(entries);
    return first;
}
