/* SPDX-License-Identifier: Apache-2.0
 * commit.c - a transaction becomes one log record.
 *
 * Order:   symbols above each dictionary's logged mark, then objects, rows and ends in the order they were made. The mark moves when
 *          the record has its place in the log, so that no later record can lack an entry that an earlier one does not hold.
 * Failure: before the record is in the log everything is undone; afterwards only the log decides.
 * Tests:   test/unit/engine/test_engine.c, test_crash.c */
#include "base/plant.h"
#include "engine/engine_internal.h"

/* Takes the stronger of two: the mode, and between intervals the shorter one. */
static void strengthen(Durability durability, uint32_t ms, Durability *strongest, uint32_t *least_ms) {
    if (durability > *strongest) {
        *least_ms = ms;
    } else if (durability == *strongest) {
        *least_ms = MIN_OF(*least_ms, ms);
    }
    *strongest = MAX_OF(durability, *strongest);
}

/* The session's, else the database's; a table that is written to may ask for more. */
static WalDurability effective_durability(const Txn *txn, uint32_t *interval_ms_out) {
    const EngineOptions *options = &txn->engine->options;
    Snapshot snapshot = txn__catalog_snapshot(txn);
    bool own = txn->options.durability != DURABILITY_UNSET;
    uint32_t default_ms = options->durability_ms != 0 ? options->durability_ms : DURABILITY_MS_DEFAULT;
    Durability strongest = (Durability)(own ? txn->options.durability : options->durability);
    strongest = strongest == DURABILITY_UNSET ? DURABILITY_COMMIT : strongest;
    *interval_ms_out = own && txn->options.durability_ms != 0 ? txn->options.durability_ms : default_ms;
    for (const TxnTable *touched = txn->tables; touched != NULL; touched = touched->next) {
        const ObjectVersion *object = catalog_by_id(txn->engine->catalog, table_id(touched->table), &snapshot);
        if (object != NULL) {
            uint32_t ms = object->table.durability_ms != 0 ? object->table.durability_ms : default_ms;
            strengthen((Durability)object->table.durability, ms, &strongest, interval_ms_out);
        }
    }
    return PLANTED(COMMIT_AS_OFF) ? WAL_OFF : (WalDurability)(strongest - DURABILITY_OFF);
}

void engine__encode_symbols(const Dictionary *dictionary, uint32_t table_id, uint32_t column_id, int32_t from, int32_t to, Buffer *out) {
    while (from < to) {
        int32_t stop = MIN_OF(to, from + SYMBOLS_PER_OP);
        size_t at = op_begin(out, OP_SYMBOLS, table_id);
        buffer_put_u32le(out, column_id);
        buffer_put_u32le(out, (uint32_t)from);
        buffer_put_u32le(out, (uint32_t)(stop - from));
        for (; from < stop; from++) {
            Str text = dictionary_text(dictionary, from);
            buffer_put_varint(out, text.len);
            buffer_append_str(out, text);
        }
        op_finish(out, at);
    }
}

void engine__encode_object(const ObjectVersion *object, Buffer *out) {
    size_t at = op_begin(out, OP_DDL, object->def.id);
    object_encode(object, out);
    op_finish(out, at);
}

typedef struct SymbolMark { Dictionary *dictionary; int32_t count; struct SymbolMark *next; } SymbolMark;

static SymbolMark *encode_table_symbols(Txn *txn, const TableDef *def, SymbolMark *marks, Buffer *out) {
    for (uint16_t i = 0; i < def->column_count; i++) {
        if (def->columns[i].symbols == NULL) {
            continue;
        }
        SymbolMark *mark = arena_new(&txn->arena, SymbolMark);
        mark->dictionary = dictionary_of(def->columns[i].symbols);
        mark->count = dictionary_count(mark->dictionary);
        mark->next = marks;
        marks = mark;
        if (!PLANTED(SYMBOLS_NOT_LOGGED)) {
            engine__encode_symbols(mark->dictionary, def->id, def->columns[i].id, dictionary_logged(mark->dictionary), mark->count, out);
        }
    }
    return marks;
}

static SymbolMark *encode_symbols(Txn *txn, Buffer *out) {
    SymbolMark *marks = NULL;
    Snapshot snapshot = txn__catalog_snapshot(txn);
    for (const TxnTable *touched = txn->tables; touched != NULL; touched = touched->next) {
        const ObjectVersion *object = catalog_by_id(txn->engine->catalog, table_id(touched->table), &snapshot);
        if (object != NULL) {
            marks = encode_table_symbols(txn, &object->table, marks, out);
        }
    }
    return marks;
}

static void encode_writes(Txn *txn, Buffer *out) {
    for (size_t i = 0; i < txn->writes.count; i++) {
        const Write *write = &txn->writes.writes[i];
        if (write->kind == WRITE_OBJECT) {
            engine__encode_object(write->object, out);
        } else {
            table_encode_write(engine__table(txn->engine, write->table), write, out);
        }
    }
}

/* Drops and truncates only: what gives room back may use the log's last room. */
static bool frees_room(const Txn *txn) {
    for (size_t i = 0; i < txn->writes.count; i++) {
        const Write *write = &txn->writes.writes[i];
        bool drops = write->kind == WRITE_OBJECT && ((const ObjectVersion *)write->object)->dropped;
        if (!drops && write->kind != WRITE_PARTS_END) {
            return false;
        }
    }
    return true;
}

static ErrorCode append_record(Txn *txn, Buffer *body, Lsn *lsn_out, Error *err) {
    Engine *engine = txn->engine;
    TRY(buffer_check(body, err));
    uint32_t interval_ms = 0;
    WalAppend append = {.kind = RECORD_COMMIT, .publish_context = &txn->publication};
    append.waits = true;
    append.urgent = frees_room(txn);
    append.referenced = true; /* the body lives until wal_wait has returned */
    append.durability = effective_durability(txn, &interval_ms);
    append.interval_ms = interval_ms;
    return engine__body_append(engine, body, &append, lsn_out, err);
}

static void count_commit(Txn *txn) {
    atomic_fetch_add(&txn->engine->commits, 1);
    atomic_fetch_add(&txn->engine->rows_appended, txn->writer.rows_appended);
    atomic_fetch_add(&txn->engine->rows_ended, txn->writer.rows_ended);
}

/* Records that name rows must have their place in the log before a publish moves those rows. */
static bool names_rows(const Txn *txn) {
    for (size_t i = 0; i < txn->writes.count; i++) {
        if (txn->writes.writes[i].kind == WRITE_ENDS || txn->writes.writes[i].kind == WRITE_PARTS_END ||
            txn->writes.writes[i].kind == WRITE_INDEX_RUN) {
            return true;
        }
    }
    return false;
}

/* Big loads: the rows are written as segments, the record only names them. */
static ErrorCode spill_large(Txn *txn, Error *err) {
    Snapshot snapshot = txn__catalog_snapshot(txn);
    for (const TxnTable *touched = txn->tables; touched != NULL; touched = touched->next) {
        uint64_t rows = table_rows_written(touched->table, &txn->writes, 0);
        const ObjectVersion *object = catalog_by_id(txn->engine->catalog, table_id(touched->table), &snapshot);
        bool many = rows >= REFERENCE_ROWS_MIN && txn->writer.bytes_appended >= REFERENCE_BYTES_MIN;
        bool large = rows >= SPILL_ROWS_MIN && txn->writer.bytes_appended >= REFERENCE_BYTES_LARGE;
        if (object != NULL && (many || large)) {
            TRY(table_spill(touched->table, &txn->writer, &object->table, 0, err));
        }
    }
    return ERR_OK;
}

/* Builds the record and gives it its place in the log. */
static ErrorCode log_writes(Txn *txn, Buffer *body, Lsn *lsn_out, SymbolMark **marks_out, Error *err) {
    Engine *engine = txn->engine;
    TRY(engine__foreign_check(txn, false, err)); /* of doors that store rows without a statement's end */
    TRY(engine__foreign_check(txn, true, err));
    TRY(spill_large(txn, err));
    *marks_out = encode_symbols(txn, body);
    bool gate = names_rows(txn);
    if (gate) {
        engine__lock(engine, &engine->publish_gate);
    }
    encode_writes(txn, body);
    ErrorCode code = append_record(txn, body, lsn_out, err);
    if (gate) {
        engine__unlock(engine, &engine->publish_gate);
    }
    return code;
}

static ErrorCode commit_writes(Txn *txn, Lsn *lsn_out, Error *err) {
    SymbolMark *marks = NULL;
    Buffer body;
    buffer_init(&body, COMMIT_BODY_BYTES_MAX);
    ErrorCode code = log_writes(txn, &body, lsn_out, &marks, err);
    if (code != ERR_OK) {
        buffer_deinit(&body);
        txn_rollback(txn);
        return code;
    }
    for (const SymbolMark *mark = marks; mark != NULL; mark = mark->next) {
        dictionary_set_logged(mark->dictionary, mark->count);
    }
    code = wal_wait(txn->engine->wal, (WalTicket){*lsn_out}, err);
    buffer_deinit(&body);
    if (code == ERR_OK) {
        count_commit(txn);
    }
    txn__free(txn); /* if the log died, nobody settles: the rows stay invisible until the next start decides */
    return code;
}

/* Values that were given without anything being written: no commit record stands behind their reservation. */
static ErrorCode sync_sequences(const Txn *txn, Error *err) {
    uint32_t interval_ms = 0;
    bool needed = txn->sequence_lsn != 0 && effective_durability(txn, &interval_ms) == WAL_COMMIT;
    return needed ? wal_sync(txn->engine->wal, txn->sequence_lsn, err) : ERR_OK;
}

ErrorCode txn_commit(Txn *txn, Lsn *lsn_out, Error *err) {
    Lsn lsn = 0;
    if (txn->writes.count == 0) {
        ErrorCode code = sync_sequences(txn, err);
        txn_rollback(txn);
        TRY(code);
    } else {
        Engine *engine = txn->engine;
        bool frees = frees_room(txn);
        TRY(commit_writes(txn, &lsn, err));
        if (frees) {
            engine__room_freed(engine);
        }
    }
    if (lsn_out != NULL) {
        *lsn_out = lsn;
    }
    return ERR_OK;
}
