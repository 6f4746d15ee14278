/* SPDX-License-Identifier: Apache-2.0
 * unique.c - PRIMARY KEY and UNIQUE: rows just appended against everything else that is live; ON CONFLICT's question before that.
 *
 * Tests: test/unit/engine/test_keys.c, test/sql/keys.slt */
#include "base/hash.h"
#include "column/value_text.h"
#include "table/index_part.h"

/* "Key (a, b)=(1, x) already exists." */
static void put_value(Buffer *out, const ColumnDef *column, const KeyColumn *key, uint32_t row, const OidNames *names) {
    uint32_t at = key->constant ? 0 : row;
    if (key->valid != NULL && !bit_get(key->valid, at)) {
        buffer_append_str(out, STR("null"));
        return;
    }
    uint8_t bit = key->physical == PHYS_BIT ? (uint8_t)bit_get(key->data, at) : 0;
    const void *value = key->physical == PHYS_BIT ? &bit : (const uint8_t *)key->data + physical_bytes(key->physical) * at;
    if (column->type.id == TYPE_SYMBOL) {
        int32_t code = 0;
        memcpy(&code, value, sizeof code);
        buffer_append_str(out, column->symbols->text(column->symbols, code));
        return;
    }
    value_format(column->type, value, &(TextStyle){.names = names}, out);
}

static void describe_key(const Prober *prober, const KeyColumn *columns, uint32_t row, Buffer *out) {
    const IndexShape *shape = prober->shape;
    buffer_append_str(out, STR("Key ("));
    for (uint16_t i = 0; i < shape->count; i++) {
        const IndexKeyDef *key = &shape->index->keys[i];
        Str name = key->text.len > 0 ? key->text : shape->def->columns[shape->columns[i]].name;
        buffer_append_str(out, i > 0 ? STR(", ") : (Str){0});
        buffer_append_str(out, name);
    }
    buffer_append_str(out, STR(")=("));
    for (uint16_t i = 0; i < shape->count; i++) {
        buffer_append_str(out, i > 0 ? STR(", ") : (Str){0});
        put_value(out, &shape->def->columns[shape->columns[i]], &columns[i], row, prober->names);
    }
    buffer_append_str(out, STR(")"));
}

static ErrorCode duplicate(const Prober *prober, const KeyColumn *columns, uint32_t row, Error *err) {
    const IndexShape *shape = prober->shape;
    Buffer text;
    buffer_init(&text, 1 << 16);
    describe_key(prober, columns, row, &text);
    ErrorCode code = error_set(err, ERR_UNIQUE_VIOLATION, ERROR_NO_POSITION, "duplicate key value violates unique constraint \"%.*s\"",
                               STR_ARG(shape->index->name));
    code = error_add(err, 'D', "%.*s already exists.", (int)MIN_OF(text.len, (size_t)600), (const char *)text.data);
    error_ignore(error_add(err, 's', "%.*s", STR_ARG(shape->def->schema_name)));
    error_ignore(error_add(err, 't', "%.*s", STR_ARG(shape->def->name)));
    error_ignore(error_add(err, 'n', "%.*s", STR_ARG(shape->index->name)));
    buffer_deinit(&text);
    return code;
}

static ErrorCode pending(const IndexShape *shape, Error *err) {
    return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION,
                     "could not serialize access: another transaction has not ended that has a row with the same key of \"%.*s\"",
                     STR_ARG(shape->index->name));
}

/* ---- rows just appended ---- */

static ErrorCode check_row(Prober *prober, const KeyColumn *columns, uint32_t row, RowRef self, Buffer *key, Error *err) {
    bool has_null = false;
    const IndexShape *shape = prober->shape;
    if (!table__key(shape, columns, row, key, &has_null) || (has_null && !shape->index->nulls_not_distinct)) {
        return ERR_OK;
    }
    KeyQuestion question = {.head = buffer_bytes(key), .whole_key = true, .self = self.part, .self_offset = self.offset};
    KeyOwner owner;
    TRY(table__prober_find(prober, &question, &owner, err));
    if (owner.live) {
        return duplicate(prober, columns, row, err);
    }
    return owner.ended_by != 0 || owner.begun_by != 0 ? pending(shape, err) : ERR_OK;
}

typedef struct Checking { Prober *prober; Part *part; Buffer key; } Checking;

static Chunk *chunk_of(Table *table, Part *part, uint32_t offset) {
    table__lock(table);
    Chunk *chunk = part->chunks[table__chunk_at(part, offset)];
    table__unlock(table);
    return chunk;
}

/* Rows of one chunk. Their values never change; words of bits are shared with other rows and are copied under the lock. */
static ErrorCode check_chunk(Checking *checking, Chunk *chunk, uint32_t first, uint32_t end, Error *err) {
    const IndexShape *shape = checking->prober->shape;
    Table *table = checking->prober->table;
    KeyColumn columns[INDEX_KEYS_MAX + 1];
    Arena arena;
    arena_init(&arena, 1 << 26);
    table__lock(table);
    table__keys_of_chunk(shape, chunk, columns);
    for (uint16_t i = 0; i < shape->column_count; i++) {
        size_t words = words_for(end);
        if (columns[i].valid != NULL && !columns[i].constant) {
            uint64_t *copy = arena_array(&arena, uint64_t, words);
            memcpy(copy + first / 64, columns[i].valid + first / 64, sizeof *copy * (words - first / 64));
            columns[i].valid = copy;
        }
        if (columns[i].physical == PHYS_BIT && !columns[i].constant) {
            uint64_t *copy = arena_array(&arena, uint64_t, words);
            memcpy(copy + first / 64, (const uint64_t *)columns[i].data + first / 64, sizeof *copy * (words - first / 64));
            columns[i].data = copy;
        }
    }
    table__unlock(table);
    ErrorCode code = ERR_OK;
    for (uint32_t row = first; row < end && code == ERR_OK; row++) {
        code = check_row(checking->prober, columns, row, (RowRef){checking->part->id, chunk->first_offset + row}, &checking->key, err);
    }
    arena_deinit(&arena);
    return code;
}

static ErrorCode check_piece(Checking *checking, const AppendedRows *piece, Error *err) {
    Table *table = checking->prober->table;
    table__lock(table);
    checking->part = table__part_find(table, piece->part);
    table__unlock(table);
    uint32_t end = piece->first + piece->count;
    for (uint32_t at = piece->first; at < end;) {
        Chunk *chunk = chunk_of(table, checking->part, at);
        uint32_t stop = MIN_OF(end, chunk->first_offset + chunk->capacity);
        TRY(check_chunk(checking, chunk, at - chunk->first_offset, stop - chunk->first_offset, err));
        at = stop;
    }
    return ERR_OK;
}

static ErrorCode check_index(Table *table, const TableDef *def, const IndexDef *index, const TableWriter *writer, const AppendedRows *pieces, uint32_t piece_count,
                             Error *err) {
    IndexShape shape;
    Prober prober;
    table__shape(def, index, &shape);
    TRY(table__prober_open(table, def, &shape, writer->snapshot.own, &prober, err));
    prober.names = writer->names;
    Checking checking = {.prober = &prober};
    buffer_init(&checking.key, SIZE_MAX);
    ErrorCode code = ERR_OK;
    for (uint32_t i = 0; i < piece_count && code == ERR_OK; i++) {
        code = check_piece(&checking, &pieces[i], err);
    }
    buffer_deinit(&checking.key);
    table__prober_close(&prober);
    return code;
}

/* A row that comes again with its old key meets nobody: until now it was the key's owner. */
static bool key_may_change(const TableDef *def, const TableWriter *writer, const IndexDef *index) {
    bool may = index->predicate_column_id != 0;
    for (uint16_t k = 0; k < index->key_count && !may; k++) {
        may = writer_may_change(writer, def, (uint32_t)table_column_by_id(def, index->keys[k].column_id));
    }
    return may;
}

ErrorCode table__check_unique(Table *table, const TableDef *def, const TableWriter *writer, const AppendedRows *pieces, uint32_t piece_count, Error *err) {
    for (uint16_t i = 0; i < def->index_count; i++) {
        if (def->indexes[i].is_unique && key_may_change(def, writer, &def->indexes[i])) {
            TRY(check_index(table, def, &def->indexes[i], writer, pieces, piece_count, err));
        }
    }
    return ERR_OK;
}

/* ---- ON CONFLICT ---- */

static ErrorCode find_conflicts(Prober *prober, const ColumnBlock *blocks, RowRef *rows, Error *err) {
    const IndexShape *shape = prober->shape;
    KeyColumn columns[INDEX_KEYS_MAX + 1];
    StrMap seen; /* keys of these rows themselves */
    Buffer key;
    ErrorCode code = ERR_OK;
    table__keys_of_blocks(shape, blocks, columns);
    strmap_init(&seen);
    buffer_init(&key, SIZE_MAX);
    for (uint32_t row = 0; row < blocks[0].row_count && code == ERR_OK; row++) {
        bool has_null = false;
        uint64_t earlier = 0;
        if (rows[row].part != 0 || !table__key(shape, columns, row, &key, &has_null) || (has_null && !shape->index->nulls_not_distinct)) {
            continue;
        }
        KeyQuestion question = {.head = buffer_bytes(&key), .whole_key = true};
        KeyOwner owner;
        code = table__prober_find(prober, &question, &owner, err);
        if (code == ERR_OK && owner.live) {
            rows[row] = owner.row;
        } else if (code == ERR_OK && (owner.ended_by != 0 || owner.begun_by != 0)) {
            code = pending(shape, err);
        }
        if (code == ERR_OK && rows[row].part == 0 && strmap_get(&seen, buffer_str(&key), &earlier)) {
            rows[row] = (RowRef){UINT32_MAX, (uint32_t)earlier};
        } else if (code == ERR_OK && rows[row].part == 0) {
            (void)strmap_put(&seen, buffer_str(&key), row);
        }
    }
    buffer_deinit(&key);
    strmap_deinit(&seen);
    return code;
}

ErrorCode table_conflicts(Table *table, const TableDef *def, Stamp own, uint32_t index_id, const ColumnBlock *blocks, RowRef *rows_out, Error *err) {
    memset(rows_out, 0, sizeof *rows_out * blocks[0].row_count);
    for (uint16_t i = 0; i < def->index_count; i++) {
        const IndexDef *index = &def->indexes[i];
        if (!index->is_unique || (index_id != 0 && index->id != index_id)) {
            continue;
        }
        IndexShape shape;
        Prober prober;
        table__shape(def, index, &shape);
        TRY(table__prober_open(table, def, &shape, own, &prober, err));
        ErrorCode code = find_conflicts(&prober, blocks, rows_out, err);
        table__prober_close(&prober);
        TRY(code);
    }
    return ERR_OK;
}
