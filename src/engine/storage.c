/* SPDX-License-Identifier: Apache-2.0
 * storage.c - what a running statement may do to tables, bound to its transaction. */
#include "engine/ddl_internal.h"

static Txn *txn_of(Storage *storage) { return ((TxnStorage *)storage)->txn; }

static ErrorCode find_def(Txn *txn, uint32_t id, const TableDef **def_out, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    const ObjectVersion *object = catalog_by_id(txn->engine->catalog, id, &snapshot);
    if (object == NULL || object->def.kind != OBJECT_TABLE) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "table %u does not exist", id);
    }
    *def_out = &object->table;
    return engine__dictionaries_load(*def_out, err);
}

static ErrorCode storage_source(Storage *storage, uint32_t id, RowSource **source_out, Error *err) {
    Txn *txn = txn_of(storage);
    const TableDef *def = NULL;
    TRY(find_def(txn, id, &def, err));
    for (const TxnSource *known = txn->sources; known != NULL; known = known->next) {
        if (known->table_id == id && known->def == def) {
            *source_out = known->source;
            return ERR_OK;
        }
    }
    TxnSource *source = arena_new(&txn->arena, TxnSource);
    source->source = table_source(engine__table(txn->engine, id), def, &txn->snapshot, &txn->arena);
    source->table_id = id;
    source->def = def;
    source->next = txn->sources;
    txn->sources = source;
    *source_out = source->source;
    return ERR_OK;
}

/* A transaction that bound its statement before an index or constraint came would pass it by. */
static ErrorCode check_newest(Txn *txn, const TableDef *def, Error *err) {
    if (catalog_has_parts_of(txn->engine->catalog, def)) {
        return ERR_OK;
    }
    return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table \"%.*s\" was changed by another transaction", STR_ARG(def->name));
}

static bool has_domains(const TableDef *def) {
    for (uint16_t i = 0; i < def->column_count; i++) {
        if (def->columns[i].domain_id != 0) {
            return true;
        }
    }
    return false;
}

static bool needs_guard(const TableDef *def) {
    bool needed = def->computed_count > 0 || has_domains(def);
    for (uint16_t i = 0; i < def->constraint_count; i++) {
        needed = needed || def->constraints[i].kind == CONSTRAINT_CHECK;
    }
    return needed;
}

static ErrorCode guard_of(Txn *txn, const TableDef *def, RowGuard **guard_out, Error *err) {
    RowGuardMaker make = atomic_load(&txn->engine->guard_maker);
    if (txn->guard == NULL && make != NULL) {
        txn->guard = make(txn);
    }
    *guard_out = txn->guard;
    return txn->guard != NULL ? ERR_OK
                              : error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "rows of table \"%.*s\" need SQL to be checked", STR_ARG(def->name));
}

static ErrorCode guarded_append(Txn *txn, Table *table, const TableDef *def, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    ColumnBlock *all = mem_calloc(table_stored_count(def) + 1u, sizeof *all);
    RowGuard *guard = NULL;
    ErrorCode code = ERR_OK;
    if (column_count != def->column_count) {
        code = error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "table has %u columns, not %u", def->column_count, column_count);
    }
    memcpy(all, columns, sizeof *all * MIN_OF(column_count, def->column_count));
    if (code == ERR_OK && needs_guard(def)) {
        code = guard_of(txn, def, &guard, err);
        code = code == ERR_OK ? guard->look(guard, def, columns, all + def->column_count, err) : code;
    }
    code = code == ERR_OK ? table_append(table, &txn->writer, def, all, table_stored_count(def), err) : code;
    code = code == ERR_OK ? engine__foreign_appended(txn, def, columns, err) : code;
    mem_free(all);
    return code;
}

static bool is_changing(Txn *txn, const TableDef *def) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    return catalog_check(txn->engine->catalog, def->id, &snapshot) == CATALOG_BUSY;
}

/* Until the transaction ends that has taken the table alone (an index is built, its rows go). *deadline 0: not waited yet. */
static ErrorCode wait_for_claim(Txn *txn, Str name, int64_t *deadline, Error *err) {
    ddl__lock(txn);
    *deadline = *deadline == 0 ? ddl__deadline(txn) : *deadline;
    return ddl__unlock(txn, ddl__wait(txn, name, *deadline, err));
}

static ErrorCode append(Txn *txn, Table *table, const TableDef *def, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    RowGuard *guard = NULL;
    bool guarded = def->constraint_count > 0 || needs_guard(def);
    ErrorCode code = guarded ? guarded_append(txn, table, def, columns, column_count, err) : table_append(table, &txn->writer, def, columns, column_count, err);
    if (code != ERR_NOT_NULL_VIOLATION || atomic_load(&txn->engine->guard_maker) == NULL) {
        return code;
    }
    TRY(guard_of(txn, def, &guard, err));
    return guard->null_row(guard, def, columns, err);
}

/* Appends again only where nothing was appended: before the first row, a claim is all that stops it. */
static ErrorCode append_in_turn(Txn *txn, Table *table, const TableDef *def, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    for (int64_t deadline = 0;;) {
        ErrorCode code = check_newest(txn, def, err);
        bool waits = code != ERR_OK && is_changing(txn, def);
        if (code == ERR_OK) {
            code = append(txn, table, def, columns, column_count, err);
            waits = code == ERR_OBJECT_IN_USE;
        }
        if (!waits) {
            return code;
        }
        TRY(wait_for_claim(txn, def->name, &deadline, err));
    }
}

static ErrorCode storage_append(Storage *storage, uint32_t id, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    Txn *txn = txn_of(storage);
    const TableDef *def = NULL;
    TRY(txn__check_writable(txn, err));
    TRY(find_def(txn, id, &def, err));
    TRY(engine__wait_for_memory(txn->engine, err));
    Table *table = engine__table(txn->engine, id);
    txn__touch(txn, table);
    txn->writer.snapshot = txn->snapshot;
    TRY(append_in_turn(txn, table, def, columns, column_count, err));
    if (txn->writer.bytes_unspilled < SPILL_BYTES) {
        return ERR_OK;
    }
    txn->writer.bytes_unspilled = 0; /* rows before a mark stay; looked at again after as much more */
    if (table_rows_written(table, &txn->writes, txn->writes.sealed) < SPILL_ROWS_MIN) {
        return ERR_OK;
    }
    return table_spill(table, &txn->writer, def, txn->writes.sealed, err);
}

static ErrorCode end_in_turn(Txn *txn, uint32_t id, Table *table, const RowRef *rows, uint32_t row_count, Error *err) {
    for (int64_t deadline = 0;;) {
        ErrorCode code = table_end_rows(table, &txn->writer, rows, row_count, err);
        if (code != ERR_OBJECT_IN_USE) {
            return code;
        }
        const TableDef *def = NULL;
        TRY(find_def(txn, id, &def, err));
        TRY(wait_for_claim(txn, def->name, &deadline, err));
    }
}

static ErrorCode storage_end_rows(Storage *storage, uint32_t id, const RowRef *rows, uint32_t row_count, Error *err) {
    Txn *txn = txn_of(storage);
    TRY(txn__check_writable(txn, err));
    Table *table = engine__table(txn->engine, id);
    txn__touch(txn, table);
    txn->writer.snapshot = txn->snapshot;
    ErrorCode code = end_in_turn(txn, id, table, rows, row_count, err);
    if (code == ERR_SERIALIZATION) {
        atomic_fetch_add(&txn->engine->conflicts, 1);
    }
    const TableDef *def = NULL;
    if (code == ERR_OK && atomic_load(&txn->engine->has_foreign_keys) && find_def(txn, id, &def, err) == ERR_OK) {
        code = engine__foreign_ended(txn, def, rows, row_count, err);
    }
    return code;
}

static ErrorCode storage_conflicts(Storage *storage, uint32_t id, uint32_t index_id, const ColumnBlock *columns, uint16_t column_count, RowRef *rows_out,
                                   Error *err) {
    Txn *txn = txn_of(storage);
    const TableDef *def = NULL;
    TRY(find_def(txn, id, &def, err));
    ColumnBlock *all = mem_calloc(table_stored_count(def) + 1u, sizeof *all);
    RowGuard *guard = NULL;
    ErrorCode code = ERR_OK;
    memcpy(all, columns, sizeof *all * MIN_OF(column_count, def->column_count));
    if (def->computed_count > 0) {
        code = guard_of(txn, def, &guard, err);
        code = code == ERR_OK ? guard->look(guard, def, columns, all + def->column_count, err) : code;
    }
    code = code == ERR_OK ? table_conflicts(engine__table(txn->engine, id), def, txn->entry.own, index_id, all, rows_out, err) : code;
    if (code == ERR_SERIALIZATION) {
        atomic_fetch_add(&txn->engine->conflicts, 1);
    }
    mem_free(all);
    return code;
}

static ErrorCode storage_fetch(Storage *storage, uint32_t id, const RowRef *rows, uint16_t row_count, Vector *columns_out, Arena *arena, Error *err) {
    Txn *txn = txn_of(storage);
    const TableDef *def = NULL;
    TRY(find_def(txn, id, &def, err));
    return table_fetch(engine__table(txn->engine, id), def, rows, row_count, columns_out, arena, err);
}

static void storage_assigned(Storage *storage, uint32_t id, const bool *columns) {
    Txn *txn = txn_of(storage);
    txn->writer.assigned = columns;
    txn->writer.assigned_table = id;
}

static ErrorCode storage_statement_end(Storage *storage, Error *err) {
    Txn *txn = txn_of(storage);
    txn->writer.assigned = NULL;
    return txn->foreign_checks == NULL ? ERR_OK : engine__foreign_check(txn, false, err);
}

ErrorCode txn_check_deferred(Txn *txn, Error *err) { return engine__foreign_check(txn, true, err); }

void engine_set_guard_maker(Engine *engine, RowGuard *(*make)(Txn *txn)) { atomic_store(&engine->guard_maker, make); }

static uint64_t storage_rows_appended(Storage *storage) { return txn_of(storage)->writer.rows_appended; }

void txn__storage_init(Txn *txn) {
    txn->storage = (TxnStorage){{storage_source, storage_append, storage_end_rows, storage_rows_appended, storage_conflicts, storage_fetch, storage_assigned, storage_statement_end}, txn};
}
