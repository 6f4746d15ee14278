/* SPDX-License-Identifier: Apache-2.0
 * object.c - catalog objects as values: copy, encode, decode.
 *
 * Layout:  docs/format/catalog.md. Integers little-endian, texts u32 length + bytes.
 * Tests:   test/unit/catalog/test_store.c */
#include "catalog/store.h"

enum { OBJECT_BYTES_MAX = 64 << 20, OBJECT_BLOCK_BYTES = 768, COLUMN_HAS_DOMAIN = 0x80 }; /* 10,000 small tables are to be cheap */

ObjectVersion *object_new(ObjectKind kind, uint32_t id) {
    Arena arena;
    arena_init(&arena, OBJECT_BYTES_MAX);
    arena.block_bytes = OBJECT_BLOCK_BYTES;
    ObjectVersion *object = arena_new(&arena, ObjectVersion);
    object->def.kind = (uint8_t)kind;
    object->def.id = id;
    object->next_column_id = 1;
    object->table.designated = -1;
    object->table.id = id;
    object->arena = arena;
    return object;
}

void object_free(ObjectVersion *object) {
    if (object != NULL) {
        Arena arena = object->arena;
        arena_deinit(&arena);
    }
}

const char *object_kind_name(uint8_t kind) {
    static const char *const names[OBJECT_KIND_COUNT] = {
#define X(name, number, text) [OBJECT_##name] = text,
        OBJECT_KINDS(X)
#undef X
    };
    return kind < OBJECT_KIND_COUNT && names[kind] != NULL ? names[kind] : "object";
}

void object_set(ObjectVersion *object, const CatalogObject *def) {
    uint8_t kind = object->def.kind;
    uint32_t id = object->def.id;
    assert(def->need_count <= OBJECT_NEEDS_MAX);
    object->def = *def;
    object->def.kind = kind;
    object->def.id = id;
    object->def.name = arena_str(&object->arena, def->name);
    Str body = arena_str(&object->arena, (Str){(const char *)def->body.data, def->body.len});
    object->def.body = bytes_from(body.data, body.len);
    ObjectNeed *needs = arena_array(&object->arena, ObjectNeed, def->need_count + 1);
    if (def->need_count > 0) {
        memcpy(needs, def->needs, sizeof *needs * def->need_count);
    }
    object->def.needs = needs;
    if (kind == OBJECT_TABLE) {
        object->table.name = object->def.name;
        object->table.schema_id = def->schema_id;
    }
}

static void column_copy(Arena *arena, ColumnDef *to, const ColumnDef *from) {
    *to = *from;
    to->name = arena_str(arena, from->name);
    to->default_text = arena_str(arena, from->default_text);
    to->generated_text = arena_str(arena, from->generated_text);
    if (!from->missing_is_null && type_physical(from->type.id) == PHYS_STR) {
        Str text = arena_str(arena, strref_str(&from->missing_text));
        to->missing_text = strref_make(text.data, text.len);
    }
}

void object_set_all_columns(ObjectVersion *object, const ColumnDef *columns, uint16_t column_count, uint16_t computed_count) {
    ColumnDef *copies = arena_array(&object->arena, ColumnDef, column_count + computed_count);
    for (uint32_t i = 0; i < (uint32_t)column_count + computed_count; i++) {
        column_copy(&object->arena, &copies[i], &columns[i]);
    }
    object->table.columns = copies;
    object->table.column_count = column_count;
    object->table.computed_count = computed_count;
}

void object_set_columns(ObjectVersion *object, const ColumnDef *columns, uint16_t column_count) {
    object_set_all_columns(object, columns, column_count, 0);
}

ObjectVersion *object_copy(const ObjectVersion *from) {
    ObjectVersion *object = object_new(from->def.kind, from->def.id);
    object->dropped = from->dropped;
    object->next_column_id = from->next_column_id;
    object->table = from->table;
    object->table.schema_name = arena_str(&object->arena, from->table.schema_name);
    object_set(object, &from->def);
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
    buffer_put_u8(out, (uint8_t)(column->identity | (column->domain_id != 0 ? COLUMN_HAS_DOMAIN : 0)));
    buffer_put_u32le(out, column->sequence_id);
    buffer_put_text(out, column->generated_text);
    if (column->domain_id != 0) {
        buffer_put_u32le(out, column->domain_id);
    }
}

static void def_encode(const CatalogObject *def, Buffer *out) {
    buffer_put_u32le(out, def->parent_id);
    buffer_put_u32le(out, def->parent_column);
    buffer_put_u16le(out, def->need_count);
    for (uint16_t i = 0; i < def->need_count; i++) {
        buffer_put_u32le(out, def->needs[i].object_id);
        buffer_put_u32le(out, def->needs[i].column_id);
    }
    buffer_put_text(out, (Str){(const char *)def->body.data, def->body.len});
}

void object_encode(const ObjectVersion *object, Buffer *out) {
    buffer_put_u8(out, CATALOG_FORMAT);
    buffer_put_u8(out, object->def.kind);
    buffer_put_u8(out, object->dropped);
    buffer_put_u32le(out, object->def.id);
    buffer_put_u32le(out, object->def.schema_id);
    buffer_put_text(out, object->def.name);
    def_encode(&object->def, out);
    if (object->def.kind != OBJECT_TABLE) {
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
    uint8_t flags = reader_u8(reader);
    column->identity = (uint8_t)(flags & ~COLUMN_HAS_DOMAIN);
    column->sequence_id = reader_u32le(reader);
    column->generated_text = arena_str(arena, reader_text(reader));
    column->domain_id = (flags & COLUMN_HAS_DOMAIN) != 0 ? reader_u32le(reader) : 0;
    if (column->type.id >= TYPE_COUNT) {
        reader->failed = true;
    }
}

static void table_decode(Reader *reader, ObjectVersion *object) {
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

static void def_decode(Reader *reader, Arena *arena, CatalogObject *def) {
    def->parent_id = reader_u32le(reader);
    def->parent_column = reader_u32le(reader);
    def->need_count = reader_u16le(reader);
    ObjectNeed *needs = arena_array(arena, ObjectNeed, def->need_count + 1u);
    for (uint16_t i = 0; i < def->need_count && !reader->failed; i++) {
        needs[i].object_id = reader_u32le(reader);
        needs[i].column_id = reader_u32le(reader);
    }
    def->needs = needs;
    Str body = arena_str(arena, reader_text(reader));
    def->body = bytes_from(body.data, body.len);
}

ErrorCode object_decode(Bytes bytes, ObjectVersion **object_out, Error *err) {
    Reader reader = reader_from(bytes);
    uint8_t format = reader_u8(&reader);
    if (format != CATALOG_FORMAT) {
        return error_set(err, ERR_NEWER_FORMAT, 0, "catalog object of format %u", format);
    }
    ObjectVersion *object = object_new(OBJECT_TABLE, 0);
    object->def.kind = reader_u8(&reader);
    object->dropped = reader_u8(&reader) != 0;
    object->def.id = reader_u32le(&reader);
    object->def.schema_id = reader_u32le(&reader);
    object->def.name = arena_str(&object->arena, reader_text(&reader));
    def_decode(&reader, &object->arena, &object->def);
    object->table.id = object->def.id;
    object->table.schema_id = object->def.schema_id;
    object->table.name = object->def.name;
    if (object->def.kind == OBJECT_TABLE) {
        table_decode(&reader, object);
    } else if (object->def.kind == OBJECT_NONE || object->def.kind >= OBJECT_KIND_COUNT) {
        reader.failed = true;
    }
    if (reader.failed || reader.at != reader.len) {
        object_free(object);
        return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "catalog object cannot be read");
    }
    *object_out = object;
    return ERR_OK;
}
