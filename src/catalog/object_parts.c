/* SPDX-License-Identifier: Apache-2.0
 * object_parts.c - indexes, constraints and computed columns of a table as values: copy, encode, decode.
 *
 * Layout:  docs/format/catalog.md, "Parts of a table". A table without any of them has no such section, as before they existed.
 * Tests:   test/unit/catalog/test_parts.c */
#include "catalog/store.h"

enum { PARTS_FORMAT = 1 };

static uint32_t *ids_copy(Arena *arena, const uint32_t *ids, uint16_t count) {
    uint32_t *copies = arena_array(arena, uint32_t, count + 1u);
    if (count > 0) {
        memcpy(copies, ids, sizeof *copies * count);
    }
    return copies;
}

static IndexKeyDef *keys_copy(Arena *arena, const IndexKeyDef *keys, uint16_t count) {
    IndexKeyDef *copies = arena_array(arena, IndexKeyDef, count + 1u);
    for (uint16_t i = 0; i < count; i++) {
        copies[i] = keys[i];
        copies[i].text = arena_str(arena, keys[i].text);
        copies[i].operator_class = arena_str(arena, keys[i].operator_class);
    }
    return copies;
}

void object_set_indexes(ObjectVersion *object, const IndexDef *indexes, uint16_t index_count) {
    Arena *arena = &object->arena;
    IndexDef *copies = arena_array(arena, IndexDef, index_count + 1u);
    for (uint16_t i = 0; i < index_count; i++) {
        copies[i] = indexes[i];
        copies[i].name = arena_str(arena, indexes[i].name);
        copies[i].method = arena_str(arena, indexes[i].method);
        copies[i].predicate_text = arena_str(arena, indexes[i].predicate_text);
        copies[i].keys = keys_copy(arena, indexes[i].keys, indexes[i].key_count);
        copies[i].include_ids = ids_copy(arena, indexes[i].include_ids, indexes[i].include_count);
    }
    object->table.indexes = copies;
    object->table.index_count = index_count;
}

void object_set_constraints(ObjectVersion *object, const ConstraintDef *constraints, uint16_t constraint_count) {
    Arena *arena = &object->arena;
    ConstraintDef *copies = arena_array(arena, ConstraintDef, constraint_count + 1u);
    for (uint16_t i = 0; i < constraint_count; i++) {
        copies[i] = constraints[i];
        copies[i].name = arena_str(arena, constraints[i].name);
        copies[i].text = arena_str(arena, constraints[i].text);
        copies[i].column_ids = ids_copy(arena, constraints[i].column_ids, constraints[i].column_count);
        bool foreign = constraints[i].kind == CONSTRAINT_FOREIGN_KEY;
        copies[i].referenced_ids = foreign ? ids_copy(arena, constraints[i].referenced_ids, constraints[i].column_count) : NULL;
    }
    object->table.constraints = copies;
    object->table.constraint_count = constraint_count;
}

/* ---- encode ---- */

static void ids_encode(const uint32_t *ids, uint16_t count, Buffer *out) {
    buffer_put_u16le(out, count);
    for (uint16_t i = 0; i < count; i++) {
        buffer_put_u32le(out, ids[i]);
    }
}

static void index_encode(const IndexDef *index, Buffer *out) {
    buffer_put_u32le(out, index->id);
    buffer_put_text(out, index->name);
    buffer_put_text(out, index->method);
    buffer_put_u8(out, (uint8_t)(index->is_unique | index->is_primary << 1 | index->nulls_not_distinct << 2 | index->internal << 3 | index->valid << 4));
    buffer_put_u8(out, index->dialect);
    buffer_put_text(out, index->predicate_text);
    buffer_put_u32le(out, index->predicate_column_id);
    buffer_put_u32le(out, index->constraint_id);
    buffer_put_u16le(out, index->key_count);
    for (uint16_t i = 0; i < index->key_count; i++) {
        const IndexKeyDef *key = &index->keys[i];
        buffer_put_u32le(out, key->column_id);
        buffer_put_text(out, key->text);
        buffer_put_text(out, key->operator_class);
        buffer_put_u8(out, (uint8_t)(key->descending | key->nulls_first << 1));
    }
    ids_encode(index->include_ids, index->include_count, out);
}

static void constraint_encode(const ConstraintDef *constraint, Buffer *out) {
    buffer_put_u32le(out, constraint->id);
    buffer_put_text(out, constraint->name);
    buffer_put_u8(out, constraint->kind);
    buffer_put_u8(out, constraint->dialect);
    buffer_put_text(out, constraint->text);
    ids_encode(constraint->column_ids, constraint->column_count, out);
    buffer_put_u32le(out, constraint->index_id);
    buffer_put_u32le(out, constraint->child_index_id);
    buffer_put_u32le(out, constraint->referenced_table_id);
    ids_encode(constraint->referenced_ids, constraint->kind == CONSTRAINT_FOREIGN_KEY ? constraint->column_count : 0, out);
    buffer_put_u8(out, constraint->on_delete);
    buffer_put_u8(out, constraint->on_update);
    buffer_put_u8(out, constraint->match);
    buffer_put_u8(out, (uint8_t)(constraint->deferrable | constraint->initially_deferred << 1 | constraint->validated << 2 | constraint->no_inherit << 3));
}

void object__encode_parts(const TableDef *table, Buffer *out) {
    if (table->index_count == 0 && table->constraint_count == 0 && table->computed_count == 0) {
        return;
    }
    buffer_put_u8(out, PARTS_FORMAT);
    buffer_put_u16le(out, table->computed_count);
    for (uint32_t i = 0; i < table->computed_count; i++) {
        object__column_encode(&table->columns[table->column_count + i], out);
    }
    buffer_put_u16le(out, table->index_count);
    for (uint16_t i = 0; i < table->index_count; i++) {
        index_encode(&table->indexes[i], out);
    }
    buffer_put_u16le(out, table->constraint_count);
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        constraint_encode(&table->constraints[i], out);
    }
}

/* ---- decode ---- */

static uint32_t *ids_decode(Reader *reader, Arena *arena, uint16_t *count_out) {
    uint16_t count = reader_u16le(reader);
    if (reader->failed || count > COLUMNS_MAX) {
        reader->failed = true;
        count = 0;
    }
    uint32_t *ids = arena_array(arena, uint32_t, count + 1u);
    for (uint16_t i = 0; i < count; i++) {
        ids[i] = reader_u32le(reader);
    }
    *count_out = count;
    return ids;
}

static void index_decode(Reader *reader, Arena *arena, IndexDef *index) {
    index->id = reader_u32le(reader);
    index->name = arena_str(arena, reader_text(reader));
    index->method = arena_str(arena, reader_text(reader));
    uint8_t flags = reader_u8(reader);
    index->is_unique = (flags & 1) != 0;
    index->is_primary = (flags & 2) != 0;
    index->nulls_not_distinct = (flags & 4) != 0;
    index->internal = (flags & 8) != 0;
    index->valid = (flags & 16) != 0;
    index->dialect = reader_u8(reader);
    index->predicate_text = arena_str(arena, reader_text(reader));
    index->predicate_column_id = reader_u32le(reader);
    index->constraint_id = reader_u32le(reader);
    uint16_t count = reader_u16le(reader);
    if (reader->failed || count == 0 || count > INDEX_KEYS_MAX) {
        reader->failed = true;
        return;
    }
    index->keys = arena_array(arena, IndexKeyDef, count);
    index->key_count = count;
    for (uint16_t i = 0; i < count; i++) {
        IndexKeyDef *key = &index->keys[i];
        key->column_id = reader_u32le(reader);
        key->text = arena_str(arena, reader_text(reader));
        key->operator_class = arena_str(arena, reader_text(reader));
        uint8_t order = reader_u8(reader);
        key->descending = (order & 1) != 0;
        key->nulls_first = (order & 2) != 0;
    }
    index->include_ids = ids_decode(reader, arena, &index->include_count);
}

static void constraint_decode(Reader *reader, Arena *arena, ConstraintDef *constraint) {
    uint16_t referenced = 0;
    constraint->id = reader_u32le(reader);
    constraint->name = arena_str(arena, reader_text(reader));
    constraint->kind = reader_u8(reader);
    constraint->dialect = reader_u8(reader);
    constraint->text = arena_str(arena, reader_text(reader));
    constraint->column_ids = ids_decode(reader, arena, &constraint->column_count);
    constraint->index_id = reader_u32le(reader);
    constraint->child_index_id = reader_u32le(reader);
    constraint->referenced_table_id = reader_u32le(reader);
    constraint->referenced_ids = ids_decode(reader, arena, &referenced);
    constraint->on_delete = reader_u8(reader);
    constraint->on_update = reader_u8(reader);
    constraint->match = reader_u8(reader);
    uint8_t flags = reader_u8(reader);
    constraint->deferrable = (flags & 1) != 0;
    constraint->initially_deferred = (flags & 2) != 0;
    constraint->validated = (flags & 4) != 0;
    constraint->no_inherit = (flags & 8) != 0;
    bool foreign = constraint->kind == CONSTRAINT_FOREIGN_KEY;
    reader->failed = reader->failed || referenced != (foreign ? constraint->column_count : 0);
}

static void computed_decode(Reader *reader, ObjectVersion *object, uint16_t count) {
    TableDef *table = &object->table;
    if (count == 0) {
        return;
    }
    ColumnDef *columns = arena_array(&object->arena, ColumnDef, table->column_count + (uint32_t)count);
    memcpy(columns, table->columns, sizeof *columns * table->column_count);
    for (uint32_t i = 0; i < count; i++) {
        object__column_decode(reader, &object->arena, &columns[table->column_count + i]);
    }
    table->columns = columns;
    table->computed_count = count;
}

/* Every column that an index or constraint names must be there. */
static bool parts_fit(const TableDef *table) {
    bool fit = true;
    for (uint16_t i = 0; i < table->index_count && fit; i++) {
        const IndexDef *index = &table->indexes[i];
        fit = index->predicate_column_id == 0 || table_column_by_id(table, index->predicate_column_id) >= 0;
        for (uint16_t k = 0; k < index->key_count && fit; k++) {
            fit = table_column_by_id(table, index->keys[k].column_id) >= 0;
        }
    }
    for (uint16_t i = 0; i < table->constraint_count && fit; i++) {
        for (uint16_t k = 0; k < table->constraints[i].column_count && fit; k++) {
            fit = table_column_by_id(table, table->constraints[i].column_ids[k]) >= 0;
        }
    }
    return fit;
}

void object__decode_parts(Reader *reader, ObjectVersion *object) {
    TableDef *table = &object->table;
    if (reader->failed || reader->at == reader->len) {
        return;
    }
    uint8_t format = reader_u8(reader);
    uint16_t computed = reader_u16le(reader);
    if (reader->failed || format != PARTS_FORMAT || computed > COLUMNS_MAX) {
        reader->failed = true;
        return;
    }
    computed_decode(reader, object, computed);
    uint16_t indexes = reader_u16le(reader);
    if (reader->failed || indexes > INDEXES_MAX) {
        reader->failed = true;
        return;
    }
    table->indexes = arena_array(&object->arena, IndexDef, indexes + 1u);
    for (; table->index_count < indexes && !reader->failed; table->index_count++) {
        index_decode(reader, &object->arena, &table->indexes[table->index_count]);
    }
    uint16_t constraints = reader_u16le(reader);
    if (reader->failed || constraints > CONSTRAINTS_MAX) {
        reader->failed = true;
        return;
    }
    table->constraints = arena_array(&object->arena, ConstraintDef, constraints + 1u);
    for (; table->constraint_count < constraints && !reader->failed; table->constraint_count++) {
        constraint_decode(reader, &object->arena, &table->constraints[table->constraint_count]);
    }
    reader->failed = reader->failed || !parts_fit(table);
}
