/* SPDX-License-Identifier: Apache-2.0
 * array_source.c - see array_source.h. Not fast, but every rule of source.h is kept: ranges are exact, order is by time then arrival,
 * batches live until the next read and are overwritten by it, so that a reader who keeps pointers is found out. */
#include "array_source.h"
#include "column/vector.h"

typedef struct ArraySource {
    RowSource base;
    ArrayStorage *storage;
    ArrayTable *table;
} ArraySource;

struct Scan {
    ArraySource *source;
    ScanRequest request;
    uint16_t *columns;
    KeyRange *ranges;
    uint32_t *rows;             /* qualifying rows in order */
    uint32_t row_count;
    uint32_t next_morsel;       /* atomic */
    BlockStats *stats;
};

struct ScanCursor {
    Scan *scan;
    uint32_t at, end, morsel, morsel_at;
    Arena arena;
    Vector *columns;
    RowRef refs[BATCH_ROWS];
    uint64_t live[BATCH_WORDS];
};

/* ---- symbols ---- */
static Str symbols_text(const SymbolTable *table, int32_t code) {
    const ArraySymbols *symbols = (const ArraySymbols *)table;
    assert(code >= 0);
    assert(code < symbols->count);
    return symbols->texts[code];
}

static int32_t symbols_find(const SymbolTable *table, Str text) {
    const ArraySymbols *symbols = (const ArraySymbols *)table;
    for (int32_t i = 0; i < symbols->count; i++) {
        if (str_equal(symbols->texts[i], text)) {
            return i;
        }
    }
    return -1;
}

static int32_t symbols_count(const SymbolTable *table) {
    return ((const ArraySymbols *)table)->count;
}

static int32_t symbols_intern(SymbolTable *table, Str text) {
    ArraySymbols *symbols = (ArraySymbols *)table;
    int32_t found = symbols_find(table, text);
    if (found >= 0) {
        return found;
    }
    if (symbols->count == symbols->capacity) {
        int32_t capacity = symbols->capacity == 0 ? 16 : symbols->capacity * 2;
        Str *texts = arena_array(symbols->arena, Str, capacity);
        if (symbols->count > 0) {
            memcpy(texts, symbols->texts, (size_t)symbols->count * sizeof *texts);
        }
        symbols->texts = texts;
        symbols->capacity = capacity;
    }
    symbols->texts[symbols->count] = arena_str(symbols->arena, text);
    return symbols->count++;
}

ArraySymbols *array_symbols_new(Arena *arena) {
    ArraySymbols *symbols = arena_new(arena, ArraySymbols);
    symbols->table = (SymbolTable){symbols_text, symbols_find, symbols_count, symbols_intern};
    symbols->arena = arena;
    return symbols;
}

/* ---- values ---- */
static bool row_null(const ArrayColumn *column, uint32_t row) {
    return column->nulls != NULL && column->nulls[row];
}

static void put_value(Vector *vector, Arena *arena, size_t at, const ArrayColumn *column, uint32_t row) {
    if (row_null(column, row)) {
        vector_set_null(vector, arena, at);
        return;
    }
    Physical physical = type_physical((TypeId)column->type.id);
    uint8_t *data = vector_data(vector);
    if (physical == PHYS_BIT) {
        if (column->ints[row] != 0) {
            bit_set((uint64_t *)(void *)data, at);
        }
    } else if (physical == PHYS_F64) {
        ((double *)(void *)data)[at] = column->floats[row];
    } else if (physical == PHYS_STR) {
        Str copy = arena_str(arena, column->texts[row]);
        ((StrRef *)(void *)data)[at] = strref_make(copy.len == 0 ? "" : copy.data, copy.len);
    } else {
        size_t width = physical_bytes(physical);
        assert(width <= 8);
        memcpy(data + at * width, &column->ints[row], width);
    }
}

static Vector flat_rows(Arena *arena, const ArrayColumn *column, const uint32_t *rows, uint16_t count) {
    Vector vector = vector_new(arena, column->type);
    size_t width = physical_bytes(type_physical((TypeId)column->type.id));
    memset(vector_data(&vector), 0, width == 0 ? BATCH_ROWS / 8 : width * BATCH_ROWS);
    vector.row_count = count;
    vector.symbols = column->symbols == NULL ? NULL : &column->symbols->table;
    for (uint16_t i = 0; i < count; i++) {
        put_value(&vector, arena, i, column, rows[i]);
    }
    return vector;
}

typedef struct Encoded { Arena *arena; const ArrayColumn *column; uint32_t *rows; uint16_t count; } Encoded;

static ErrorCode decode(void *context, Vector *vector, Error *err) {
    (void)err;
    const Encoded *encoded = context;
    Vector flat = flat_rows(encoded->arena, encoded->column, encoded->rows, encoded->count);
    vector->data = flat.data;
    vector->valid = flat.valid;
    return ERR_OK;
}

static Vector indexed_rows(Arena *arena, const ArrayColumn *column, const uint32_t *rows, uint16_t count) {
    /* Base: the batch's rows in reverse, so that the index is not the identity. */
    uint32_t *reversed = arena_array(arena, uint32_t, count + 1u);
    uint16_t *index = arena_array(arena, uint16_t, BATCH_ROWS);
    for (uint16_t i = 0; i < count; i++) {
        reversed[i] = rows[count - 1 - i];
        index[i] = (uint16_t)(count - 1 - i);
    }
    Vector *base = arena_new(arena, Vector);
    *base = flat_rows(arena, column, reversed, count);
    return (Vector){.type = column->type, .form = VECTOR_INDEXED, .row_count = count, .base_count = count, .index = index, .base = base,
                    .symbols = base->symbols};
}

static bool same_value(const ArrayColumn *column, uint32_t a, uint32_t b) {
    if (row_null(column, a) || row_null(column, b)) {
        return row_null(column, a) && row_null(column, b);
    }
    Physical physical = type_physical((TypeId)column->type.id);
    if (physical == PHYS_F64) {
        return memcmp(&column->floats[a], &column->floats[b], sizeof(double)) == 0;
    }
    return physical == PHYS_STR ? str_equal(column->texts[a], column->texts[b]) : column->ints[a] == column->ints[b];
}

static Vector column_rows(const ArrayStorage *storage, Arena *arena, const ArrayColumn *column, uint32_t *rows, uint16_t count) {
    switch (storage->form) {
    case ARRAY_INDEXED:
        return indexed_rows(arena, column, rows, count);
    case ARRAY_ENCODED: {
        Encoded *encoded = arena_new(arena, Encoded);
        *encoded = (Encoded){arena, column, rows, count};
        return (Vector){.type = column->type, .form = VECTOR_ENCODED, .row_count = count, .decode = decode, .decode_context = encoded,
                        .symbols = column->symbols == NULL ? NULL : &column->symbols->table};
    }
    case ARRAY_CONSTANT_RUNS: {
        bool same = true;
        for (uint16_t i = 1; i < count && same; i++) {
            same = same_value(column, rows[0], rows[i]);
        }
        Vector flat = flat_rows(arena, column, rows, count);
        flat.form = same ? VECTOR_CONSTANT : VECTOR_FLAT;
        return flat;
    }
    default:
        return flat_rows(arena, column, rows, count);
    }
}

/* ---- scan ---- */
static bool in_ranges(const Scan *scan, uint32_t row) {
    const ArrayTable *table = scan->source->table;
    if (scan->request.range_count == 0) {
        return true;
    }
    int64_t time = table->columns[table->def.designated].ints[row];
    for (uint32_t i = 0; i < scan->request.range_count; i++) {
        if (time >= scan->ranges[i].low && time <= scan->ranges[i].high) {
            return true;
        }
    }
    return false;
}

static void scan_stats(Scan *scan) {
    const ArrayStorage *storage = scan->source->storage;
    uint32_t morsels = (scan->row_count + storage->morsel_rows - 1) / storage->morsel_rows;
    uint16_t columns = scan->request.column_count;
    scan->stats = mem_calloc((size_t)morsels * columns + 1, sizeof *scan->stats);
    for (uint32_t i = 0; i < scan->row_count; i++) {
        for (uint16_t c = 0; c < columns; c++) {
            const ArrayColumn *column = &scan->source->table->columns[scan->columns[c]];
            BlockStats *stats = &scan->stats[(size_t)(i / storage->morsel_rows) * columns + c];
            uint32_t row = scan->rows[i];
            stats->row_count++;
            if (row_null(column, row)) {
                stats->null_count++;
            } else if (column->ints != NULL) {
                int64_t value = column->ints[row];
                stats->min.i64 = !stats->has_min_max || value < stats->min.i64 ? value : stats->min.i64;
                stats->max.i64 = !stats->has_min_max || value > stats->max.i64 ? value : stats->max.i64;
                stats->sum_int += value;
                stats->has_min_max = stats->has_sum = true;
            }
        }
    }
}

static ErrorCode source_open(RowSource *base, const ScanRequest *request, Scan **scan_out, Error *err) {
    (void)err;
    ArraySource *source = (ArraySource *)base;
    const ArrayTable *table = source->table;
    Scan *scan = mem_calloc(1, sizeof *scan);
    scan->source = source;
    scan->request = *request;
    scan->columns = mem_calloc(request->column_count + 1u, sizeof *scan->columns);
    memcpy(scan->columns, request->columns, request->column_count * sizeof *scan->columns);
    scan->ranges = mem_calloc(request->range_count + 1, sizeof *scan->ranges);
    memcpy(scan->ranges, request->ranges, request->range_count * sizeof *scan->ranges);
    scan->rows = mem_calloc(table->row_count + 1, sizeof *scan->rows);
    for (uint32_t i = 0; i < table->row_count; i++) {
        uint32_t row = request->order == SCAN_DESCENDING ? table->row_count - 1 - i : i;
        if (!table->ended[row] && in_ranges(scan, row)) {
            scan->rows[scan->row_count++] = row;
        }
    }
    if (source->storage->stats && request->want_stats) {
        scan_stats(scan);
    }
    __atomic_add_fetch(&source->storage->open_scans, 1, __ATOMIC_RELAXED);
    *scan_out = scan;
    return ERR_OK;
}

static bool source_next_morsel(Scan *scan, Morsel *morsel_out) {
    const ArrayStorage *storage = scan->source->storage;
    uint32_t number = __atomic_fetch_add(&scan->next_morsel, 1, __ATOMIC_RELAXED);
    uint64_t at = (uint64_t)number * storage->morsel_rows;
    if (at >= scan->row_count) {
        return false;
    }
    uint64_t end = MIN_OF(at + storage->morsel_rows, (uint64_t)scan->row_count);
    *morsel_out = (Morsel){.number = number, .row_estimate = (uint32_t)(end - at), .place = {at, end}};
    if (scan->stats != NULL) {
        morsel_out->stats = &scan->stats[(size_t)number * scan->request.column_count];
        morsel_out->stats_exact = true;
    }
    return true;
}

static ErrorCode source_cursor_open(Scan *scan, ScanCursor **cursor_out, Error *err) {
    (void)err;
    ScanCursor *cursor = mem_calloc(1, sizeof *cursor);
    cursor->scan = scan;
    arena_init(&cursor->arena, SIZE_MAX);
    cursor->columns = mem_calloc(scan->request.column_count + 1u, sizeof *cursor->columns);
    __atomic_add_fetch(&scan->source->storage->open_cursors, 1, __ATOMIC_RELAXED);
    *cursor_out = cursor;
    return ERR_OK;
}

static void source_cursor_start(ScanCursor *cursor, const Morsel *morsel) {
    cursor->at = (uint32_t)morsel->place[0];
    cursor->end = (uint32_t)morsel->place[1];
    cursor->morsel = morsel->number;
    cursor->morsel_at = cursor->at;
}

/* With dead rows: each live row is followed, as far as there is room, by a dead copy. */
static uint16_t pick_rows(ScanCursor *cursor, uint32_t *rows, uint16_t *live_out) {
    const ArrayStorage *storage = cursor->scan->source->storage;
    uint16_t count = 0;
    uint16_t live = 0;
    memset(cursor->live, 0, sizeof cursor->live);
    while (cursor->at < cursor->end && count < storage->batch_rows) {
        bit_set(cursor->live, count);
        rows[count++] = cursor->scan->rows[cursor->at++];
        live++;
        if (storage->dead_rows && count < storage->batch_rows && live % 2 == 0) {
            rows[count] = rows[count - 1];
            count++;
        }
    }
    *live_out = live;
    return count;
}

static ErrorCode source_read(ScanCursor *cursor, Batch *batch_out, Error *err) {
    ArrayStorage *storage = cursor->scan->source->storage;
    uint32_t reads = __atomic_add_fetch(&storage->reads, 1, __ATOMIC_RELAXED);
    if (storage->fail_read_at != 0 && reads >= storage->fail_read_at) {
        return error_set(err, ERR_IO, ERROR_NO_POSITION, "read %u fails as told", reads);
    }
    arena_reset(&cursor->arena);
    memset(batch_out, 0, sizeof *batch_out);
    uint32_t first = cursor->at - cursor->morsel_at;
    uint32_t *rows = arena_array(&cursor->arena, uint32_t, BATCH_ROWS);
    uint16_t live = 0;
    uint16_t count = pick_rows(cursor, rows, &live);
    const ScanRequest *request = &cursor->scan->request;
    for (uint16_t c = 0; c < request->column_count; c++) {
        const ArrayColumn *column = &cursor->scan->source->table->columns[cursor->scan->columns[c]];
        cursor->columns[c] = column_rows(storage, &cursor->arena, column, rows, count);
    }
    for (uint16_t i = 0; i < count; i++) {
        cursor->refs[i] = (RowRef){1, rows[i]};
    }
    batch_out->row_count = count;
    batch_out->live_count = live;
    batch_out->column_count = request->column_count;
    batch_out->columns = cursor->columns;
    batch_out->live = live == count ? NULL : cursor->live;
    batch_out->first = (RowPosition){cursor->morsel, first * 2};
    batch_out->refs = request->want_refs ? cursor->refs : NULL;
    return ERR_OK;
}

static void source_cursor_close(ScanCursor *cursor) {
    __atomic_sub_fetch(&cursor->scan->source->storage->open_cursors, 1, __ATOMIC_RELAXED);
    arena_deinit(&cursor->arena);
    mem_free(cursor->columns);
    mem_free(cursor);
}

static ErrorCode source_latest(Scan *scan, uint16_t symbol, ScanCursor *cursor, Batch *batch_out, Error *err) {
    (void)err;
    const ArrayTable *table = scan->source->table;
    const ArrayColumn *column = &table->columns[symbol];
    uint32_t *rows = arena_array(&cursor->arena, uint32_t, BATCH_ROWS);
    uint16_t count = 0;
    memset(batch_out, 0, sizeof *batch_out);
    if (cursor->at == UINT32_MAX) {
        return ERR_OK;
    }
    for (int32_t code = -1; code < column->symbols->count; code++) {
        uint32_t found = UINT32_MAX;
        for (uint32_t row = 0; row < table->row_count; row++) {
            bool match = code < 0 ? row_null(column, row) : !row_null(column, row) && column->ints[row] == code;
            found = match && !table->ended[row] ? row : found;
        }
        if (found != UINT32_MAX) {
            rows[count++] = found;
        }
    }
    for (uint16_t c = 0; c < scan->request.column_count; c++) {
        cursor->columns[c] = flat_rows(&cursor->arena, &table->columns[scan->columns[c]], rows, count);
    }
    cursor->at = UINT32_MAX;
    batch_out->row_count = batch_out->live_count = count;
    batch_out->column_count = scan->request.column_count;
    batch_out->columns = cursor->columns;
    return ERR_OK;
}

static void source_close(Scan *scan) {
    __atomic_sub_fetch(&scan->source->storage->open_scans, 1, __ATOMIC_RELAXED);
    mem_free(scan->stats);
    mem_free(scan->columns);
    mem_free(scan->ranges);
    mem_free(scan->rows);
    mem_free(scan);
}

static void source_counters(Scan *scan, ScanCounters *counters_out) {
    *counters_out = (ScanCounters){.rows_read = scan->row_count};
}

static uint64_t source_row_estimate(RowSource *source) {
    return (uint64_t)((ArraySource *)source)->table->row_count * 1000; /* small tests are to run with helpers */
}

/* ---- storage ---- */
static ArrayTable *find_table(ArrayStorage *storage, uint32_t id) {
    for (uint32_t i = 0; i < storage->table_count; i++) {
        if (storage->tables[i]->def.id == id) {
            return storage->tables[i];
        }
    }
    return NULL;
}

static ErrorCode storage_source(Storage *base, uint32_t table_id, RowSource **source_out, Error *err) {
    static const RowSourceVtable plain = {source_open, source_next_morsel, source_cursor_open, source_cursor_start, source_read,
                                          source_cursor_close, NULL, source_counters, source_close, source_row_estimate};
    static const RowSourceVtable with_latest = {source_open, source_next_morsel, source_cursor_open, source_cursor_start, source_read,
                                                source_cursor_close, source_latest, source_counters, source_close, source_row_estimate};
    ArrayStorage *storage = (ArrayStorage *)base;
    ArraySource *source = arena_new(storage->arena, ArraySource);
    source->base.vtable = storage->latest ? &with_latest : &plain;
    source->storage = storage;
    source->table = find_table(storage, table_id);
    if (source->table == NULL) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "no table %u", table_id);
    }
    *source_out = &source->base;
    return ERR_OK;
}

static void append_value(ArrayStorage *storage, ArrayColumn *column, uint32_t to, const ColumnBlock *block, uint32_t from) {
    if (block->valid != NULL && !bit_get(block->valid, from)) {
        assert(column->nulls != NULL);
        column->nulls[to] = true;
        return;
    }
    Physical physical = type_physical((TypeId)column->type.id);
    if (physical == PHYS_BIT) {
        column->ints[to] = bit_get(block->data, from);
    } else if (physical == PHYS_F64) {
        column->floats[to] = ((const double *)block->data)[from];
    } else if (physical == PHYS_STR) {
        column->texts[to] = arena_str(storage->arena, strref_str(&((const StrRef *)block->data)[from]));
    } else {
        size_t width = physical_bytes(physical);
        int64_t wide = 0;
        memcpy(&wide, (const uint8_t *)block->data + from * width, width);
        column->ints[to] = width == 4 ? (int32_t)wide : width == 2 ? (int16_t)wide : width == 1 ? (int8_t)wide : wide;
    }
}

static ErrorCode storage_append(Storage *base, uint32_t table_id, const ColumnBlock *columns, uint16_t column_count, Error *err) {
    ArrayStorage *storage = (ArrayStorage *)base;
    ArrayTable *table = find_table(storage, table_id);
    assert(table != NULL);
    assert(column_count == table->column_count);
    for (uint16_t c = 0; c < column_count; c++) {
        assert(columns[c].row_count == columns[0].row_count);
        assert(columns[c].type.id == table->columns[c].type.id);
        for (uint32_t i = 0; table->def.columns[c].not_null && i < columns[c].row_count; i++) {
            if (columns[c].valid != NULL && !bit_get(columns[c].valid, i)) {
                return error_set(err, ERR_NOT_NULL_VIOLATION, ERROR_NO_POSITION, "null in column %s", table->columns[c].name);
            }
        }
    }
    if (table->row_count + columns[0].row_count > table->row_capacity) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "table of %u rows is full", table->row_capacity);
    }
    for (uint32_t i = 0; i < columns[0].row_count; i++) {
        for (uint16_t c = 0; c < column_count; c++) {
            append_value(storage, &table->columns[c], table->row_count, &columns[c], i);
        }
        table->row_count++;
    }
    storage->appended += columns[0].row_count;
    return ERR_OK;
}

static ErrorCode storage_end_rows(Storage *base, uint32_t table_id, const RowRef *rows, uint32_t row_count, Error *err) {
    (void)err;
    ArrayTable *table = find_table((ArrayStorage *)base, table_id);
    assert(table != NULL);
    for (uint32_t i = 0; i < row_count; i++) {
        assert(rows[i].part == 1);
        assert(!table->ended[rows[i].offset]);
        table->ended[rows[i].offset] = true;
    }
    return ERR_OK;
}

static uint64_t storage_appended(Storage *base) {
    return ((ArrayStorage *)base)->appended;
}

void array_storage_init(ArrayStorage *storage, Arena *arena) {
    *storage = (ArrayStorage){.storage = {storage_source, storage_append, storage_end_rows, storage_appended}, .arena = arena,
                              .batch_rows = BATCH_ROWS, .morsel_rows = BLOCK_ROWS};
}

ArrayTable *array_table_add(ArrayStorage *storage, const char *name, ArrayColumn *columns, uint16_t column_count, uint32_t row_count,
                            uint32_t row_capacity, int16_t designated) {
    assert(storage->table_count < COUNT_OF(storage->tables));
    Arena *arena = storage->arena;
    ArrayTable *table = arena_new(arena, ArrayTable);
    table->columns = columns;
    table->column_count = column_count;
    table->row_count = row_count;
    table->row_capacity = row_capacity;
    table->ended = arena_array(arena, bool, row_capacity + 1);
    table->def = (TableDef){.id = storage->table_count + 1, .name = str_from_c(name), .schema_name = STR("public"), .version = 1,
                            .column_count = column_count, .designated = designated,
                            .columns = arena_array(arena, ColumnDef, column_count + 1u)};
    for (uint16_t c = 0; c < column_count; c++) {
        table->def.columns[c] = (ColumnDef){.id = c + 1u, .name = str_from_c(columns[c].name), .type = columns[c].type,
                                            .symbols = columns[c].symbols == NULL ? NULL : &columns[c].symbols->table,
                                            .not_null = designated == (int16_t)c};
    }
    storage->tables[storage->table_count++] = table;
    return table;
}
