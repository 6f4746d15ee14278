/* SPDX-License-Identifier: Apache-2.0
 * rows.c - a row is made from its ident: ts = spread over days and not in order, sym, n = ident, price and note NULL for some. */
#include "rows.h"
#include "base/hash.h"
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 5, NOTE_BYTES_MAX = 400, WIDE_BYTES = 200 };

static const int64_t TIME_BEGIN = INT64_C(1727740800000000);

typedef struct Row {
    int64_t time;
    int64_t ident;
    double price;
    bool has_price, has_note;
    char symbol[16], note[NOTE_BYTES_MAX];
    size_t symbol_len, note_len;
} Row;

const char *slot_name(uint8_t slot) {
    static const char *const NAMES[MODEL_SLOTS] = {"journal", "shared", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"};
    assert(slot < MODEL_SLOTS);
    return NAMES[slot];
}

/* A wide row carries the highest bit of its ident's hash in the length of its note: whether it is wide is written in the ident's bit 62. */
static void row_make(uint64_t ident, Row *row) {
    uint64_t hash = hash_u64(ident + 77);
    row->ident = (int64_t)ident;
    row->time = TIME_BEGIN + (int64_t)(hash % UINT64_C(400000000000));
    row->has_price = hash % 7 != 0;
    row->price = (double)(hash % 100000) / 100.0;
    row->symbol_len = (size_t)snprintf(row->symbol, sizeof row->symbol, "s%d", (int)(hash % 13));
    row->has_note = hash % 5 != 0;
    row->note_len = (size_t)snprintf(row->note, sizeof row->note, hash % 3 == 0 ? "n%llx" : "a longer note %llx", (unsigned long long)hash);
    if ((ident >> 62 & 1) != 0) {
        memset(row->note + row->note_len, 'w', WIDE_BYTES);
        row->note_len += WIDE_BYTES;
    }
}

/* Rows are found by their idents, which nobody gives twice; and by price. */
static ErrorCode keys_make(Txn *txn, const TableDef *table, Error *err) {
    static const uint16_t IDENT = 2;
    static const int32_t PLACES[1] = {3};
    uint32_t index_id = 0;
    IndexKeyDef keys[1] = {{.descending = true}};
    ConstraintSpec primary = {.def = {.kind = CONSTRAINT_PRIMARY_KEY, .validated = true}, .columns = &IDENT, .column_count = 1};
    IndexSpec index = {.def = {.method = STR("btree"), .keys = keys, .key_count = 1}, .key_columns = PLACES, .predicate_computed = -1};
    TRY(txn_constraint_add(txn, table, &primary, &table, err));
    return txn_index_create(txn, table, &index, &table, &index_id, err);
}

/* The index of idents gives that row, and no other. */
static ErrorCode find_by_key(Txn *txn, const TableDef *table, const RowKey *wanted, Error *err) {
    static const uint16_t IDENT = 2;
    const void *equal[1] = {&wanted->ident};
    IndexProbe probe = {.equal = equal, .equal_count = 1};
    IndexRequest index = {.index_id = table->indexes[0].id, .probes = &probe, .probe_count = 1, .ordered = true};
    ScanRequest request = {.columns = &IDENT, .column_count = 1, .want_refs = true, .index = &index};
    RowSource *source = NULL;
    Scan *scan = NULL;
    ScanCursor *cursor = NULL;
    Morsel morsel;
    Batch batch = {0};
    TRY(txn_storage(txn)->source(txn_storage(txn), table->id, &source, err));
    TRY(source->vtable->open(source, &request, &scan, err));
    ErrorCode code = source->vtable->cursor_open(scan, &cursor, err);
    if (code == ERR_OK && source->vtable->next_morsel(scan, &morsel)) {
        source->vtable->cursor_start(cursor, &morsel);
        code = source->vtable->read(cursor, &batch, err);
    }
    bool good = code != ERR_OK || (batch.row_count == 1 && *(const uint64_t *)vector_value(&batch.columns[0], 0) == wanted->ident);
    if (cursor != NULL) {
        source->vtable->cursor_close(cursor);
    }
    source->vtable->close(scan);
    return good ? code : error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "row %llu is not found by its key", (unsigned long long)wanted->ident);
}

static ErrorCode find_some(Txn *txn, const TableDef *table, const Buffer *keys, size_t from, Error *err) {
    size_t count = keys->len / sizeof(RowKey);
    size_t step = 1 + count / 8;
    for (size_t i = from; i < count && table->index_count > 0; i += step) {
        TRY(find_by_key(txn, table, (const RowKey *)(const void *)keys->data + i, err));
    }
    return ERR_OK;
}

ErrorCode table_make(Txn *txn, uint8_t slot, uint8_t durability, Error *err) {
    ColumnDef columns[COLUMNS] = {
        {.name = STR("ts"), .type = type_of(TYPE_TIMESTAMP)}, {.name = STR("sym"), .type = type_of(TYPE_SYMBOL)},
        {.name = STR("n"), .type = type_of(TYPE_INT8), .not_null = true}, {.name = STR("price"), .type = type_of(TYPE_FLOAT8)},
        {.name = STR("note"), .type = type_of(TYPE_TEXT)},
    };
    TableSpec spec = {.name = str_from_c(slot_name(slot)),
                      .columns = columns,
                      .column_count = COLUMNS,
                      .designated = slot % 3 == 2 ? -1 : 0,
                      .partition = slot % 3 == 2 ? PARTITION_NONE : PARTITION_DAY,
                      .durability = durability,
                      .wal = true};
    const TableDef *table = NULL;
    TRY(txn_table_create(txn, &spec, &table, err));
    return slot % 4 == 3 ? ERR_OK : keys_make(txn, table, err);
}

ErrorCode table_find(Txn *txn, uint8_t slot, const TableDef **table_out, Error *err) {
    CatalogView *view = txn_catalog(txn);
    *table_out = NULL;
    ErrorCode code = view->table_find(view, (Str){0}, str_from_c(slot_name(slot)), table_out, err);
    return code == ERR_UNDEFINED_TABLE ? ERR_OK : code;
}

static void put_row(ColumnBuilder *builders, const TableDef *table, const Row *row) {
    SymbolTable *symbols = table->columns[1].symbols;
    int32_t code = symbols->intern(symbols, (Str){row->symbol, row->symbol_len});
    column_builder_value(&builders[0], &row->time);
    column_builder_value(&builders[1], &code);
    column_builder_value(&builders[2], &row->ident);
    if (row->has_price) {
        column_builder_value(&builders[3], &row->price);
    } else {
        column_builder_null(&builders[3]);
    }
    if (row->has_note) {
        column_builder_text(&builders[4], (Str){row->note, row->note_len});
    } else {
        column_builder_null(&builders[4]);
    }
    for (uint16_t c = COLUMNS; c < table->column_count; c++) {
        column_builder_value(&builders[c], &row->ident);
    }
}

ErrorCode rows_append(Txn *txn, const TableDef *table, uint64_t first, uint32_t count, bool wide, Error *err) {
    ColumnBuilder builders[COLUMNS + 1];
    ColumnBlock blocks[COLUMNS + 1];
    assert(table->column_count <= COLUMNS + 1);
    for (uint16_t c = 0; c < table->column_count; c++) {
        column_builder_init(&builders[c], table->columns[c].type);
    }
    for (uint32_t i = 0; i < count; i++) {
        Row row;
        row_make((first + i) | (uint64_t)wide << 62, &row);
        put_row(builders, table, &row);
    }
    for (uint16_t c = 0; c < table->column_count; c++) {
        blocks[c] = column_builder_block(&builders[c]);
    }
    Storage *storage = txn_storage(txn);
    ErrorCode code = storage->append(storage, table->id, blocks, table->column_count, err);
    for (uint16_t c = 0; c < table->column_count; c++) {
        column_builder_deinit(&builders[c]);
    }
    return code;
}

static bool text_is(Vector *vector, size_t i, bool wanted, const char *text, size_t len) {
    if (vector_is_null(vector, i)) {
        return !wanted;
    }
    return wanted && str_equal(vector_text(vector, i), (Str){text, len});
}

static ErrorCode check_row(Batch *batch, size_t i, uint64_t *ident_out, int64_t *time_out, Error *err) {
    Vector *columns = batch->columns;
    Row row;
    uint64_t ident = *(const uint64_t *)vector_value(&columns[2], i);
    row_make(ident, &row);
    int64_t time = *(const int64_t *)vector_value(&columns[0], i);
    bool price_null = vector_is_null(&columns[3], i);
    bool good = !vector_is_null(&columns[2], i) && time == row.time && text_is(&columns[1], i, true, row.symbol, row.symbol_len) &&
                price_null == !row.has_price && (price_null || *(const double *)vector_value(&columns[3], i) == row.price) &&
                text_is(&columns[4], i, row.has_note, row.note, row.note_len);
    if (!good) {
        return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "row %llu is not what was written", (unsigned long long)ident);
    }
    *ident_out = ident;
    *time_out = time;
    return ERR_OK;
}

static ErrorCode take_batch(Batch *batch, bool ordered, int64_t *last_time, Arena *arena, Buffer *keys, Error *err) {
    for (uint16_t c = 0; c < batch->column_count; c++) {
        TRY(vector_dense(&batch->columns[c], arena, err));
    }
    for (size_t i = 0; i < batch->row_count; i++) {
        if (batch->live != NULL && !bit_get(batch->live, i)) {
            continue;
        }
        RowKey key = {.ref = batch->refs[i]};
        int64_t time = 0;
        TRY(check_row(batch, i, &key.ident, &time, err));
        if (ordered && time < *last_time) {
            return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "row %llu comes after a later one", (unsigned long long)key.ident);
        }
        *last_time = time;
        buffer_append(keys, &key, sizeof key);
    }
    return ERR_OK;
}

static ErrorCode read_morsels(RowSource *source, Scan *scan, ScanCursor *cursor, bool ordered, Buffer *keys, Error *err) {
    Arena arena;
    arena_init(&arena, SIZE_MAX);
    Morsel morsel;
    ErrorCode code = ERR_OK;
    int64_t last_time = INT64_MIN;
    while (code == ERR_OK && source->vtable->next_morsel(scan, &morsel)) {
        source->vtable->cursor_start(cursor, &morsel);
        for (;;) {
            Batch batch;
            code = source->vtable->read(cursor, &batch, err);
            if (code != ERR_OK || batch.row_count == 0) {
                break;
            }
            code = take_batch(&batch, ordered, &last_time, &arena, keys, err);
            arena_reset(&arena);
            if (code != ERR_OK) {
                break;
            }
        }
    }
    arena_deinit(&arena);
    return code;
}

ErrorCode rows_read(Txn *txn, const TableDef *table, Buffer *keys, Error *err) {
    static const char *const NAMES[COLUMNS] = {"ts", "sym", "n", "price", "note"};
    uint16_t numbers[COLUMNS];
    size_t before = keys->len / sizeof(RowKey);
    for (int i = 0; i < COLUMNS; i++) {
        int number = table_column_find(table, str_from_c(NAMES[i]));
        if (number < 0) {
            return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "table %.*s has no column %s", STR_ARG(table->name), NAMES[i]);
        }
        numbers[i] = (uint16_t)number;
    }
    bool ordered = table->designated >= 0;
    ScanRequest request = {.columns = numbers, .column_count = COLUMNS, .order = ordered ? SCAN_ASCENDING : SCAN_ANY, .want_refs = true};
    Storage *storage = txn_storage(txn);
    RowSource *source = NULL;
    Scan *scan = NULL;
    ScanCursor *cursor = NULL;
    ErrorCode code;
    TRY(storage->source(storage, table->id, &source, err));
    TRY(source->vtable->open(source, &request, &scan, err));
    TRY_OR(done, source->vtable->cursor_open(scan, &cursor, err));
    code = read_morsels(source, scan, cursor, ordered, keys, err);
done:
    if (cursor != NULL) {
        source->vtable->cursor_close(cursor);
    }
    source->vtable->close(scan);
    return code == ERR_OK ? find_some(txn, table, keys, before, err) : code;
}

/* The journal's idents are transaction numbers. */
static ErrorCode note_present(const Buffer *keys, Found *found, Error *err) {
    const RowKey *key = (const RowKey *)(const void *)keys->data;
    for (size_t i = 0; i < keys->len / sizeof *key; i++) {
        if (key[i].ident >= found->present_count || found->present[key[i].ident]) {
            return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "transaction %llu is there twice or never was", (unsigned long long)key[i].ident);
        }
        found->present[key[i].ident] = true;
    }
    return ERR_OK;
}

static ErrorCode read_slot(Txn *txn, uint8_t number, Buffer *keys, Found *found, Error *err) {
    const TableDef *table = NULL;
    TRY(table_find(txn, number, &table, err));
    SlotState *slot = &found->state.slots[number];
    *slot = (SlotState){.exists = table != NULL};
    if (table == NULL) {
        return ERR_OK;
    }
    buffer_clear(keys);
    TRY(rows_read(txn, table, keys, err));
    slot->count = (int64_t)(keys->len / sizeof(RowKey));
    for (int64_t i = 0; i < slot->count; i++) {
        slot->sum += ident_hash(((const RowKey *)(const void *)keys->data)[i].ident);
    }
    if (table->column_count > COLUMNS) {
        char name[32];
        Str extra = table->columns[COLUMNS].name;
        snprintf(name, sizeof name, "%.*s", (int)MIN_OF(extra.len, sizeof name - 1), extra.data);
        slot->column = (uint64_t)strtoull(name + 1, NULL, 10);
    }
    return number == MODEL_JOURNAL ? note_present(keys, found, err) : ERR_OK;
}

ErrorCode database_read(Engine *engine, Found *found, Error *err) {
    Txn *txn = NULL;
    TRY(engine_begin(engine, &(TxnOptions){.isolation = ISOLATION_REPEATABLE_READ, .read_only = true}, &txn, err));
    txn_statement_begin(txn);
    Buffer keys;
    buffer_init(&keys, SIZE_MAX);
    ErrorCode code = ERR_OK;
    for (uint8_t slot = 0; slot < MODEL_SLOTS && code == ERR_OK; slot++) {
        code = read_slot(txn, slot, &keys, found, err);
    }
    buffer_deinit(&keys);
    txn_rollback(txn);
    return code;
}
