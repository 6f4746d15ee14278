/* SPDX-License-Identifier: Apache-2.0
 * txn.c - begin, statements, savepoints, rollback.
 *
 * Tests: test/unit/engine/test_engine.c, test_history.c */
#include "engine/engine_internal.h"

static void txn__settle(Publication *publication, Lsn lsn);

ErrorCode engine_begin(Engine *engine, const TxnOptions *options, Txn **txn_out, Error *err) {
    if (wal_failed(engine->wal)) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "the log has failed; the database must be started again");
    }
    Txn *txn = mem_calloc(1, sizeof *txn);
    txn->publication.settle = txn__settle;
    txn->engine = engine;
    txn->options = options != NULL ? *options : (TxnOptions){0};
    arena_init(&txn->arena, TXN_ARENA_BYTES_MAX);
    registry_begin(&engine->registry, &txn->entry, engine__visible_lsn, engine);
    txn->snapshot = (Snapshot){txn->entry.snapshot_lsn, txn->entry.own, 1};
    txn->writer.writes = &txn->writes;
    catalog_labels_init(&txn->labels, &txn->view.base);
    txn->writer.names = &txn->labels.names;
    txn__view_init(txn);
    txn__storage_init(txn);
    *txn_out = txn;
    return ERR_OK;
}

uint8_t txn_isolation(const Txn *txn) { return txn->options.isolation; }

Lsn txn_catalog_lsn(const Txn *txn) { return MIN_OF(catalog_changed_lsn(txn->engine->catalog), txn->snapshot.lsn); }

void txn_statement_begin(Txn *txn) {
    assert(txn->snapshot.command < TXN_COMMAND_MAX);
    txn->snapshot.command++;
    if (txn->options.isolation == ISOLATION_READ_COMMITTED || !txn->statement_seen) {
        if (txn->fresh) {
            assert(txn->snapshot.lsn == txn->entry.snapshot_lsn);
        } else if (!txn->snapshot_held && !txn->snapshot_exported) {
            registry_refresh(&txn->engine->registry, &txn->entry, engine__visible_lsn, txn->engine);
            txn->snapshot.lsn = txn->entry.snapshot_lsn;
        } else { /* the entry holds an older LSN, and with it all that is newer */
            txn->snapshot.lsn = engine__visible_lsn(txn->engine);
        }
    }
    txn->statement_seen = true;
    txn->fresh = false;
}

void txn_set_fresh(Txn *txn, bool fresh) { txn->fresh = fresh; }

void txn_hold_snapshot(Txn *txn, bool hold) { txn->snapshot_held = hold; }

TxnExport txn_snapshot_export(Txn *txn) {
    if (!txn->snapshot_held) { /* then what the entry holds is this statement's own */
        txn->snapshot_exported = true;
    }
    return (TxnExport){registry_number(&txn->entry), txn->entry.snapshot_lsn};
}

bool txn_snapshot_import(Txn *txn, TxnExport snapshot) {
    assert(!txn->statement_seen || txn->options.isolation != ISOLATION_READ_COMMITTED);
    if (!registry_adopt(&txn->engine->registry, &txn->entry, snapshot.number, snapshot.lsn)) {
        return false;
    }
    txn->snapshot.lsn = snapshot.lsn;
    txn->statement_seen = true;
    return true;
}

Snapshot txn__catalog_snapshot(const Txn *txn) {
    Snapshot snapshot = txn->snapshot;
    snapshot.command = TXN_COMMAND_MAX + 1;
    return snapshot;
}

void txn__touch(Txn *txn, Table *table) {
    for (const TxnTable *touched = txn->tables; touched != NULL; touched = touched->next) {
        if (touched->table == table) {
            return;
        }
    }
    TxnTable *touched = arena_new(&txn->arena, TxnTable);
    *touched = (TxnTable){table, txn->tables};
    txn->tables = touched;
}

TxnMark txn_mark(Txn *txn) { return (TxnMark){writes_mark(&txn->writes)}; }

/* Rows that a scan of an open cursor still reads stay: their ends would hide them from it. Constraints look at rows by their places. */
static bool may_spill(const Txn *txn, Table *table, const ObjectVersion *object) {
    bool plain = object != NULL && object->table.constraint_count == 0;
    return plain && table_rows_written(table, &txn->writes, txn->writes.sealed) >= SPILL_ROWS_MIN &&
           !table_rows_pinned(table, &txn->writes, txn->writes.sealed);
}

void txn_marks_end(Txn *txn, TxnMark newest) {
    assert(newest.value <= txn->writes.count);
    if (txn->writer.bytes_appended - txn->bytes_at_spill < SPILL_BYTES) {
        return;
    }
    Snapshot snapshot = txn__catalog_snapshot(txn);
    txn->bytes_at_spill = txn->writer.bytes_appended;
    txn->writes.sealed = newest.value;
    for (const TxnTable *touched = txn->tables; touched != NULL; touched = touched->next) {
        const ObjectVersion *object = catalog_by_id(txn->engine->catalog, table_id(touched->table), &snapshot);
        if (may_spill(txn, touched->table, object)) {
            txn->writer.snapshot = txn->snapshot;
            error_ignore(table_spill(touched->table, &txn->writer, &object->table, txn->writes.sealed, NULL));
        }
    }
}

static void undo_write(Txn *txn, const Write *write) {
    if (write->kind == WRITE_OBJECT) {
        catalog_undo(txn->engine->catalog, write->object);
        return;
    }
    table_undo(engine__table(txn->engine, write->table), write, &txn->snapshot);
}

/* Sources may name definitions that are undone. */
void txn_rollback_to(Txn *txn, TxnMark mark) {
    assert(mark.value <= txn->writes.count);
    while (txn->writes.count > mark.value) {
        txn->writes.count--;
        undo_write(txn, &txn->writes.writes[txn->writes.count]);
    }
    txn->writes.sealed = MIN_OF(txn->writes.sealed, txn->writes.count);
    txn->writer.assigned = NULL;
    txn->ddl_count++;
    txn->sources = NULL;
}

static void tables_end(Txn *txn) {
    for (const TxnTable *touched = txn->tables; touched != NULL; touched = touched->next) {
        table_writer_end(touched->table, txn->entry.own);
    }
    if (txn->tables != NULL || txn->ddl_count > 0) {
        engine__lock(txn->engine, &txn->engine->ddl_lock);
        txn->engine->os.sched->cond_broadcast(txn->engine->os.sched, &txn->engine->ddl_changed);
        engine__unlock(txn->engine, &txn->engine->ddl_lock);
    }
}

/* In the log's publish step: every stamp of the transaction becomes the LSN, then the LSN becomes visible. */
static void txn__settle(Publication *publication, Lsn lsn) {
    Txn *txn = (Txn *)publication;
    for (size_t i = 0; i < txn->writes.count; i++) {
        const Write *write = &txn->writes.writes[i];
        if (write->kind == WRITE_OBJECT) {
            catalog_settle(txn->engine->catalog, write->object, lsn);
        } else {
            table_settle(engine__table(txn->engine, write->table), write, lsn);
        }
    }
    tables_end(txn);
}

void txn__free(Txn *txn) {
    registry_end(&txn->engine->registry, &txn->entry);
    engine__foreign_forget(txn, true);
    if (txn->guard != NULL) {
        txn->guard->destroy(txn->guard);
    }
    writes_deinit(&txn->writes);
    arena_deinit(&txn->arena);
    mem_free(txn);
}

void txn_rollback(Txn *txn) {
    if (txn_has_writes(txn)) {
        atomic_fetch_add(&txn->engine->rollbacks, 1);
    }
    if (txn->writes.count > 0) { /* a reader waits for nobody, and nobody for it */
        txn_rollback_to(txn, (TxnMark){0});
    }
    tables_end(txn);
    txn__free(txn);
}

Engine *txn_engine(const Txn *txn) { return txn->engine; }
bool txn_has_writes(const Txn *txn) { return txn->writes.count > 0 || txn->sequence_lsn != 0; }
CatalogView *txn_catalog(Txn *txn) { return &txn->view.base; }
Storage *txn_storage(Txn *txn) { return &txn->storage.base; }

ErrorCode txn__check_writable(const Txn *txn, Error *err) {
    return txn->options.read_only ? error_set(err, ERR_READ_ONLY, ERROR_NO_POSITION, "cannot execute in a read-only transaction") : ERR_OK;
}
