/* SPDX-License-Identifier: Apache-2.0
 * object.c - catalog objects as values: copy, encode, decode.
 *
 * Layout:  docs/format/catalog.md. Integers little-endian, texts u32 length + bytes.
 * Tests:   test/unit/catalog/test_store.c */
#include "catalog/store.h"

enum { OBJECT_BYTES_MAX = 64 << 20, OBJECT_BLOCK_BYTES = 768 }; /* 10,000 small tables are to be cheap */

CatalogObject *object_new(ObjectKind kind, uint32_t id) {
    Arena arena;
    arena_init(&arena, OBJECT_BYTES_MAX);
    arena.block_bytes = OBJECT_BLOCK_BYTES;
    CatalogObject *object = arena_new(&arena, CatalogObject);
    object->kind = (uint8_t)kind;
    object->id = id;
    object->next_column_id = 1;
    object->table.designated = -1;
    object->table.id = id;
    object->arena = arena;
    return object;
}

void object_free(CatalogObject *object) {
    if (object != NULL) {
        Arena arena = object->arena;
        arena_deinit(&arena);
    }
}

static void column_copy(Arena *arena, ColumnDef *to, const ColumnDef *from) {
    *to = *from;
    to->name = arena_str(arena, from->name);
    to->default_text = arena_str(arena, from->default_text);
    if (!from->missing_is_null && type_physical(from->type.id) == PHYS_STR) {
        Str text = arena_str(arena, strref_str(&from->missing_text));
        to->missing_text = strref_make(text.data, text.len);
    }
}

void object_set_all_columns(CatalogObject *object, const ColumnDef *columns, uint16_t column_count, uint16_t computed_count) {
    ColumnDef *copies = arena_array(&object->arena, ColumnDef, column_count + computed_count);
    for (uint32_t i = 0; i < (uint32_t)column_count + computed_count; i++) {
        column_copy(&object->arena, &copies[i], &columns[i]);
    }
    object->table.columns = copies;
    object->table.column_count = column_count;
    object->table.computed_count = computed_count;
}

void object_set_columns(CatalogObject *object, const ColumnDef *columns, uint16_t column_count) {
    object_set_all_columns(object, columns, column_count, 0);
}

CatalogObject *object_copy(const CatalogObject *from) {
    CatalogObject *object = object_new(from->kind, from->id);
    object->dropped = from->dropped;
    object->schema_id = from->schema_id;
    object->next_column_id = from->next_column_id;
    object->name = arena_str(&object->arena, from->name);
    object->table = from->table;
    object->table.name = object->name;
    object->table.schema_name = arena_str(&object->arena, from->table.schema_name);
    object_set_all_columns(object, from->table.columns, from->table.column_count, from->table.computed_count);
    object_set_indexes(object, from->table.indexes, from->table.index_count);
    object_set_constraints(object, from->table.constraints, from->table.constraint_count);
    return object;
}

void object__column_encode(const ColumnDef *column, Buffer *out) {
    buffer_put_u32le(out, column->id);
    buffer_put_text(out, column->name);
    buffer_append(out, &column->type, sizeof column->type);
    buffer_put_u8(out, column->not_null);
    buffer_put_text(out, column->default_text);
    buffer_put_u8(out, column->default_dialect);
    buffer_put_u32le(out, column->symbol_capacity);
    buffer_put_u8(out, column->missing_is_null);
    bool text = !column->missing_is_null && type_physical(column->type.id) == PHYS_STR;
    buffer_put_text(out, text ? strref_str(&column->missing_text) : (Str){0});
    buffer_append(out, column->missing_value, sizeof column->missing_value);
}

void object_encode(const CatalogObject *object, Buffer *out) {
    buffer_put_u8(out, CATALOG_FORMAT);
    buffer_put_u8(out, object->kind);
    buffer_put_u8(out, object->dropped);
    buffer_put_u32le(out, object->id);
    buffer_put_u32le(out, object->schema_id);
    buffer_put_text(out, object->name);
    if (object->kind != OBJECT_TABLE) {
        return;
    }
    const TableDef *table = &object->table;
    buffer_put_text(out, table->schema_name);
    buffer_put_u64le(out, table->version);
    buffer_put_u32le(out, object->next_column_id);
    buffer_put_u16le(out, (uint16_t)table->designated);
    buffer_put_u8(out, table->partition);
    buffer_put_u8(out, table->durability);
    buffer_put_u32le(out, table->durability_ms);
    buffer_put_u8(out, table->wal);
    buffer_put_u16le(out, table->column_count);
    for (uint16_t i = 0; i < table->column_count; i++) {
        object__column_encode(&table->columns[i], out);
    }
    object__encode_parts(table, out);
}

void object__column_decode(Reader *reader, Arena *arena, ColumnDef *column) {
    column->id = reader_u32le(reader);
    column->name = arena_str(arena, reader_text(reader));
    Bytes type = reader_bytes(reader, sizeof column->type);
    if (type.len == sizeof column->type) {
        memcpy(&column->type, type.data, sizeof column->type);
    }
    column->not_null = reader_u8(reader) != 0;
    column->default_text = arena_str(arena, reader_text(reader));
    column->default_dialect = reader_u8(reader);
    column->symbol_capacity = reader_u32le(reader);
    column->missing_is_null = reader_u8(reader) != 0;
    Str text = arena_str(arena, reader_text(reader));
    column->missing_text = strref_make(text.data, text.len);
    Bytes value = reader_bytes(reader, sizeof column->missing_value);
    if (value.len == sizeof column->missing_value) {
        memcpy(column->missing_value, value.data, value.len);
    }
    if (column->type.id >= TYPE_COUNT) {
        reader->failed = true;
    }
}

static void table_decode(Reader *reader, CatalogObject *object) {
    TableDef *table = &object->table;
    table->schema_name = arena_str(&object->arena, reader_text(reader));
    table->version = reader_u64le(reader);
    object->next_column_id = reader_u32le(reader);
    table->designated = (int16_t)reader_u16le(reader);
    table->partition = reader_u8(reader);
    table->durability = reader_u8(reader);
    table->durability_ms = reader_u32le(reader);
    table->wal = reader_u8(reader) != 0;
    table->column_count = reader_u16le(reader);
    if (reader->failed || table->column_count > COLUMNS_MAX || table->designated < -1 || table->designated >= table->column_count) {
        reader->failed = true;
        table->column_count = 0;
        return;
    }
    table->columns = arena_array(&object->arena, ColumnDef, table->column_count);
    for (uint16_t i = 0; i < table->column_count; i++) {
        object__column_decode(reader, &object->arena, &table->columns[i]);
    }
    object__decode_parts(reader, object);
    if (table->designated >= 0 && !type_is_timestamp(table->columns[table->designated].type.id)) {
        reader->failed = true;
    }
}

ErrorCode object_decode(Bytes bytes, CatalogObject **object_out, Error *err) {
    Reader reader = reader_from(bytes);
    uint8_t format = reader_u8(&reader);
    if (format != CATALOG_FORMAT) {
        return error_set(err, ERR_NEWER_FORMAT, 0, "catalog object of format %u", format);
    }
    CatalogObject *object = object_new(OBJECT_TABLE, 0);
    object->kind = reader_u8(&reader);
    object->dropped = reader_u8(&reader) != 0;
    object->id = reader_u32le(&reader);
    object->schema_id = reader_u32le(&reader);
    object->name = arena_str(&object->arena, reader_text(&reader));
    object->table.id = object->id;
    object->table.schema_id = object->schema_id;
    object->table.name = object->name;
    if (object->kind == OBJECT_TABLE) {
        table_decode(&reader, object);
    } else if (object->kind != OBJECT_SCHEMA) {
        reader.failed = true;
    }
    if (reader.failed || reader.at != reader.len) {
        object_free(object);
        return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "catalog object cannot be read");
    }
    *object_out = object;
    return ERR_OK;
}
