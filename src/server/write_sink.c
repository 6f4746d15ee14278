/* SPDX-License-Identifier: Apache-2.0
 * write_sink.c - see write_sink.h.
 *
 * Why:        tables and columns that the lines ask for are made in transactions of their own: two clients that bring the same new table
 *             at once then share it, instead of one of them failing at its commit. A table that was made for rows which are then refused, or whose
 *             client vanished, is dropped again if it is still as it was made: empty, and nobody has written to it or changed it. */
#include "server/write_sink.h"

struct MadeTable { uint32_t id; uint64_t version; struct MadeTable *next; };

enum { CREATE_WAIT_MS = 10000, CREATE_PAUSE_MS = 2, INFO_BYTES_MAX = 64 << 20 };

static ErrorCode begin_rows(WriteSink *sink, Error *err) {
    if (sink->txn != NULL) {
        txn_statement_begin(sink->txn); /* what others committed meanwhile counts */
        return ERR_OK;
    }
    return engine_begin(sink->engine, &(TxnOptions){.isolation = ISOLATION_READ_COMMITTED}, &sink->txn, err);
}

static void describe(WriteSink *sink, const TableDef *table, IlpTableInfo *info_out) {
    arena_reset(&sink->infos);
    IlpColumn *columns = arena_array(&sink->infos, IlpColumn, table->column_count);
    for (uint16_t i = 0; i < table->column_count; i++) {
        columns[i] = (IlpColumn){.name = table->columns[i].name, .type = table->columns[i].type, .symbols = table->columns[i].symbols};
    }
    *info_out = (IlpTableInfo){.id = table->id, .version = table->version, .columns = columns, .column_count = table->column_count,
                               .designated = table->designated};
}

static ErrorCode table_find(IlpSink *base, Str name, bool *found_out, IlpTableInfo *info_out, Error *err) {
    WriteSink *sink = (WriteSink *)base;
    const TableDef *table = NULL;
    Error why = {0};
    TRY(begin_rows(sink, err));
    txn_statement_begin(sink->txn); /* what another request has just made is seen */
    CatalogView *catalog = txn_catalog(sink->txn);
    ErrorCode code = catalog->table_find(catalog, STR(""), name, &table, &why);
    *found_out = code == ERR_OK;
    if (code == ERR_OK) {
        describe(sink, table, info_out);
        return ERR_OK;
    }
    return code == ERR_UNDEFINED_TABLE ? ERR_OK : error_set(err, code, why.position, "%s", why.message);
}

static ErrorCode create_once(WriteSink *sink, const TableSpec *spec, Error *err) {
    Txn *txn = NULL;
    TRY(engine_begin(sink->engine, &(TxnOptions){.isolation = ISOLATION_READ_COMMITTED}, &txn, err));
    const TableDef *table = NULL;
    ErrorCode code = txn_table_create(txn, spec, &table, err);
    if (code != ERR_OK) {
        txn_rollback(txn);
        return code;
    }
    struct MadeTable like = {.id = table->id, .version = table->version};
    Lsn lsn = 0;
    TRY(txn_commit(txn, &lsn, err));
    struct MadeTable *made = mem_calloc(1, sizeof *made);
    *made = like;
    made->next = sink->made;
    sink->made = made;
    return ERR_OK;
}

static int64_t deadline_of(const WriteSink *sink, int64_t wait_ms) {
    Clock *clock = engine_os(sink->engine)->clock;
    return clock->monotonic_nanos(clock) + wait_ms * 1000000;
}

/* Another client's commit is on its way to the disk: it will be visible soon. false: the deadline has passed. */
static bool pause_until(const WriteSink *sink, int64_t deadline_nanos) {
    Sched *sched = engine_os(sink->engine)->sched;
    int64_t until = deadline_of(sink, CREATE_PAUSE_MS);
    Mutex mutex;
    Cond cond;
    sched->mutex_init(sched, &mutex);
    sched->cond_init(sched, &cond);
    sched->mutex_lock(sched, &mutex);
    (void)sched->cond_wait(sched, &cond, &mutex, until);
    sched->mutex_unlock(sched, &mutex);
    sched->cond_deinit(sched, &cond);
    sched->mutex_deinit(sched, &mutex);
    return until < deadline_nanos;
}

/* Somebody else did the same at the same time, or is at it. */
static bool is_race(ErrorCode code) {
    return code == ERR_DUPLICATE_TABLE || code == ERR_DUPLICATE_COLUMN || code == ERR_SERIALIZATION || code == ERR_OBJECT_IN_USE;
}

static ErrorCode table_create(IlpSink *base, Str name, const IlpColumn *columns, uint16_t column_count, IlpTableInfo *info_out, Error *err) {
    WriteSink *sink = (WriteSink *)base;
    ColumnDef *defs = mem_calloc(column_count, sizeof(ColumnDef));
    for (uint16_t i = 0; i < column_count; i++) {
        defs[i] = (ColumnDef){.name = columns[i].name, .type = columns[i].type, .missing_is_null = true};
    }
    defs[column_count - 1].not_null = true;
    TableSpec spec = {.name = name, .columns = defs, .column_count = column_count, .designated = (int16_t)(column_count - 1),
                      .partition = PARTITION_DAY, .wal = true};
    ErrorCode code = ERR_OK;
    bool found = false;
    int64_t deadline = deadline_of(sink, CREATE_WAIT_MS);
    do {
        code = create_once(sink, &spec, err);
        if (code != ERR_OK && !is_race(code)) {
            break;
        }
        code = table_find(base, name, &found, info_out, err);
    } while (code == ERR_OK && !found && pause_until(sink, deadline));
    mem_free(defs);
    if (code == ERR_OK && !found) {
        return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table: %.*s; others are making or dropping it", STR_ARG(name));
    }
    return code;
}

/* Adds those columns that are not there yet. */
static ErrorCode add_once(WriteSink *sink, Str name, const IlpColumn *columns, uint16_t column_count, Error *err) {
    Txn *txn = NULL;
    TRY(engine_begin(sink->engine, &(TxnOptions){.isolation = ISOLATION_READ_COMMITTED}, &txn, err));
    CatalogView *catalog = txn_catalog(txn);
    const TableDef *table = NULL;
    ErrorCode code = catalog->table_find(catalog, STR(""), name, &table, err);
    for (uint16_t i = 0; i < column_count && code == ERR_OK; i++) {
        if (table_column_find(table, columns[i].name) < 0) {
            ColumnDef def = {.name = columns[i].name, .type = columns[i].type, .missing_is_null = true};
            code = txn_column_add(txn, table, &def, &table, err);
        }
    }
    if (code != ERR_OK) {
        txn_rollback(txn);
        return code;
    }
    Lsn lsn = 0;
    return txn_commit(txn, &lsn, err);
}

static ErrorCode columns_add(IlpSink *base, const IlpTableInfo *old, Str name, const IlpColumn *columns, uint16_t column_count,
                             IlpTableInfo *info_out, Error *err) {
    WriteSink *sink = (WriteSink *)base;
    int64_t deadline = deadline_of(sink, CREATE_WAIT_MS);
    ErrorCode code = add_once(sink, name, columns, column_count, err);
    while (is_race(code) && pause_until(sink, deadline)) {
        code = add_once(sink, name, columns, column_count, err);
    }
    bool found = false;
    TRY(code);
    TRY(table_find(base, name, &found, info_out, err));
    if (!found || info_out->id != old->id) {
        return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION, "table: %.*s; it was dropped while it was written", STR_ARG(name));
    }
    for (struct MadeTable *made = sink->made; made != NULL; made = made->next) {
        made->version = made->id == info_out->id ? info_out->version : made->version;
    }
    return ERR_OK;
}

static ErrorCode append(IlpSink *base, uint64_t table_id, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    WriteSink *sink = (WriteSink *)base;
    assert(sink->txn != NULL);
    Storage *storage = txn_storage(sink->txn);
    return storage->append(storage, (uint32_t)table_id, columns, column_count, err);
}

void write_sink_init(WriteSink *sink, Engine *engine) {
    *sink = (WriteSink){.base = {table_find, table_create, columns_add, append}, .engine = engine};
    arena_init(&sink->infos, INFO_BYTES_MAX);
}

/* ---- tables made for nothing ---- */

static void forget_made(WriteSink *sink) {
    while (sink->made != NULL) {
        struct MadeTable *next = sink->made->next;
        mem_free(sink->made);
        sink->made = next;
    }
}

/* Rows of others count even before they are committed; and whoever has written holds the table against a drop. */
static bool is_untouched(Txn *txn, const TableDef *table) {
    RowSource *source = NULL;
    Error ignored;
    Storage *storage = txn_storage(txn);
    return storage->source(storage, table->id, &source, &ignored) == ERR_OK && source->vtable->row_estimate(source) == 0;
}

static void drop_made(WriteSink *sink, const struct MadeTable *made) {
    Txn *txn = NULL;
    const TableDef *table = NULL;
    Error ignored;
    Lsn lsn = 0;
    if (engine_begin(sink->engine, &(TxnOptions){.isolation = ISOLATION_READ_COMMITTED}, &txn, &ignored) != ERR_OK) {
        return;
    }
    txn_statement_begin(txn);
    CatalogView *catalog = txn_catalog(txn);
    table = catalog->table_by_id(catalog, made->id);
    if (table != NULL && table->version == made->version && is_untouched(txn, table) && txn_table_drop(txn, table, &ignored) == ERR_OK) {
        error_ignore(txn_commit(txn, &lsn, &ignored)); /* what stays is an empty table */
    } else {
        txn_rollback(txn);
    }
}

ErrorCode write_sink_commit(WriteSink *sink, Error *err) {
    Txn *txn = sink->txn;
    sink->txn = NULL;
    if (txn == NULL) {
        return ERR_OK;
    }
    Lsn lsn = 0;
    TRY(txn_commit(txn, &lsn, err));
    forget_made(sink);
    return ERR_OK;
}

void write_sink_deinit(WriteSink *sink) {
    if (sink->txn != NULL) {
        txn_rollback(sink->txn);
        sink->txn = NULL;
    }
    for (const struct MadeTable *made = sink->made; made != NULL; made = made->next) {
        drop_made(sink, made);
    }
    forget_made(sink);
    arena_deinit(&sink->infos);
}
