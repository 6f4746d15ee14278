/* SPDX-License-Identifier: Apache-2.0
 * produce_info.c - information_schema: schemas, tables and their columns. */
#include "catalog/user_type.h"
#include "sql/system/define.h"
#include "sql/system/each.h"
#include "sql/system/produce.h"
#include <stdio.h>

void put_catalog(SystemView *view, SystemRows *rows) { put_text(rows, view->environment->database_name); }

ErrorCode system_rows_info_information_schema_catalog_name(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    row_begin(rows);
    put_catalog(view, rows);
    row_end(rows);
    return ERR_OK;
}

static void put_schema(SystemView *view, SystemRows *rows, Str name) {
    row_begin(rows);
    put_catalog(view, rows);
    put_text(rows, name);
    put_c(rows, "postgres");
    row_end(rows);
}

ErrorCode system_rows_info_schemata(SystemView *view, SystemRows *rows, Error *err) {
    size_t cursor = 0;
    uint32_t id = 0;
    Str name;
    (void)err;
    put_schema(view, rows, STR("pg_catalog"));
    put_schema(view, rows, STR("information_schema"));
    while (view->inner->schema_next(view->inner, &cursor, &id, &name)) {
        put_schema(view, rows, name);
    }
    return ERR_OK;
}

void put_table_name(SystemView *view, SystemRows *rows, const AnyRelation *table) {
    put_catalog(view, rows);
    put_text(rows, table->schema_name);
    put_text(rows, table->name);
}

ErrorCode system_rows_info_tables(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_relation(view, &walk, &table)) {
        if (table.kind != 'r' && table.kind != 'v') {
            continue;
        }
        row_begin(rows);
        put_table_name(view, rows, &table);
        put_c(rows, table.kind == 'v' ? "VIEW" : "BASE TABLE");
        put_nulls(rows, 5);
        put_yes(rows, relation_takes_changes(view, &table));
        put_yes(rows, false);
        row_end(rows);
    }
    return ERR_OK;
}

/* numeric_precision, radix, scale. */
static void put_numeric_shape(SystemRows *rows, Type type) {
    enum { BITS_INT2 = 16, BITS_INT4 = 32, BITS_INT8 = 64, BITS_FLOAT4 = 24, BITS_FLOAT8 = 53 };
    int bits = 0;
    bool is_integer = type_is_integer((TypeId)type.id);
    switch (type.id) {
    case TYPE_BYTE:
    case TYPE_INT2: bits = BITS_INT2; break;
    case TYPE_INT4: bits = BITS_INT4; break;
    case TYPE_INT8: bits = BITS_INT8; break;
    case TYPE_FLOAT4: bits = BITS_FLOAT4; break;
    case TYPE_FLOAT8: bits = BITS_FLOAT8; break;
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        put_int(rows, type.precision);
        put_int(rows, 10);
        put_int(rows, type.scale);
        return;
    case TYPE_NUMERIC:
        if (type.length > 0) {
            int precision, scale;
            type_numeric_modifiers(type.length, &precision, &scale);
            put_int(rows, precision);
            put_int(rows, 10);
            put_int(rows, scale & 0x7ff); /* as it stands in the typmod: PostgreSQL shows it without its sign */
            return;
        }
        put_null(rows);
        put_int(rows, 10);
        put_null(rows);
        return;
    default: put_nulls(rows, 3); return;
    }
    put_int(rows, bits);
    put_int(rows, 2);
    if (is_integer) {
        put_int(rows, 0);
    } else {
        put_null(rows);
    }
}

static bool is_array_type(Type type) { return type_category((TypeId)type.id) == CAT_ARRAY && type.id != TYPE_INT2VECTOR && type.id != TYPE_OIDVECTOR; }

/* data_type: arrays are ARRAY, modifiers are left out. */
static void put_standard_type(SystemRows *rows, Type type) {
    enum { TYPE_NAME_BYTES = 64 };
    char text[TYPE_NAME_BYTES];
    if (is_array_type(type)) {
        put_c(rows, "ARRAY");
        return;
    }
    if (type_enum_object(type) != 0) {
        put_c(rows, "USER-DEFINED");
        return;
    }
    put_text(rows, str_from(text, type_format_pg(text, sizeof text, type_oid_of(type), -1)));
}

static void put_length(SystemRows *rows, Type type) {
    enum { BYTES_PER_CHARACTER = 4, TEXT_OCTETS = 1 << 30 };
    bool has_length = (type.id == TYPE_VARCHAR || type.id == TYPE_BPCHAR) && type.length > 0;
    if (has_length) {
        put_int(rows, type.length);
        put_int(rows, (int64_t)type.length * BYTES_PER_CHARACTER);
    } else if (type_category((TypeId)type.id) == CAT_TEXT && type.id != TYPE_NAME && type.id != TYPE_CHAR1) {
        put_null(rows);
        put_int(rows, TEXT_OCTETS);
    } else {
        put_nulls(rows, 2);
    }
}

static void put_time_precision(SystemRows *rows, Type type) {
    enum { MICROSECONDS = 6 };
    TypeId id = (TypeId)type.id;
    if (type_is_timestamp(id) || id == TYPE_INTERVAL || id == TYPE_TIME || id == TYPE_TIMETZ) {
        put_int(rows, type.precision == 0 ? MICROSECONDS : type.precision - 1);
    } else if (id == TYPE_DATE) {
        put_int(rows, 0);
    } else {
        put_null(rows);
    }
}

/* interval_type, the fields of INTERVAL DAY TO SECOND(3), and interval_precision, which PostgreSQL leaves empty too. */
static void put_interval_type(SystemRows *rows, Type type) {
    char name[80], *fields = name + sizeof "interval";
    size_t len = type.id == TYPE_INTERVAL ? type_format_pg(name, sizeof name - 1, type_oid_of(type), type_typmod(type)) : 0;
    if (len <= sizeof "interval" || name[sizeof "interval" - 1] != ' ') {
        put_nulls(rows, 2);
        return;
    }
    name[len] = 0;
    for (char *c = fields; *c != 0; c++) {
        *c = char_upper(*c);
    }
    put_c(rows, fields);
    put_null(rows);
}

static void put_number_text(SystemRows *rows, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put_c(rows, text);
}

/* is_identity, identity_generation, …_start, …_increment, …_maximum, …_minimum, …_cycle. */
static void put_identity(SystemView *view, SystemRows *rows, const ColumnDef *column) {
    SequenceBody body;
    const CatalogObject *sequence = NULL;
    bool is_identity = column != NULL && column->identity != IDENTITY_NONE;
    if (is_identity) {
        sequence = view->inner->object_by_id(view->inner, column->sequence_id);
    }
    put_yes(rows, is_identity);
    put_c(rows, !is_identity ? NULL : column->identity == IDENTITY_ALWAYS ? "ALWAYS" : "BY DEFAULT");
    if (sequence == NULL || sequence_body_decode(sequence->body, &body, NULL) != ERR_OK) {
        put_nulls(rows, 4);
        put_yes(rows, false);
        return;
    }
    put_number_text(rows, body.start);
    put_number_text(rows, body.increment);
    put_number_text(rows, body.maximum);
    put_number_text(rows, body.minimum);
    put_yes(rows, body.cycle);
}

static void put_default(SystemView *view, SystemRows *rows, const AnyRelation *table, const ColumnDef *column) {
    bool shown = column != NULL && column->default_text.len > 0 && column->identity == IDENTITY_NONE;
    if (shown) {
        put_default_text(view, rows, table->def, column);
    } else {
        put_null(rows);
    }
}

void put_udt(SystemView *view, SystemRows *rows, Type type) {
    const BuiltinType *builtin = builtin_type_by_oid(type_oid_of(type));
    const CatalogObject *made = view->inner->object_by_id(view->inner, type_enum_object(type));
    if (made == NULL) {
        put_c(rows, "pg_catalog");
        put_c(rows, builtin != NULL ? builtin->name : NULL);
        return;
    }
    put_text(rows, schema_name(view, made->schema_id));
    put_object_type_name(rows, made, type.id == TYPE_ARRAY);
}

/* Of domains: character sets and collations stand between the lengths and the numbers. */
void put_type_shape(SystemRows *rows, Type type) {
    put_standard_type(rows, type);
    put_length(rows, type);
    put_nulls(rows, 3 + 3);
    put_numeric_shape(rows, type);
    put_time_precision(rows, type);
    put_interval_type(rows, type);
}

static void put_domain_name(SystemView *view, SystemRows *rows, const ColumnDef *column) {
    const CatalogObject *domain = column == NULL || column->domain_id == 0 ? NULL : view->inner->object_by_id(view->inner, column->domain_id);
    if (domain == NULL) {
        put_nulls(rows, 3);
        return;
    }
    put_catalog(view, rows);
    put_text(rows, schema_name(view, domain->schema_id));
    put_text(rows, domain->name);
}

/* By itself or by its domain, not by those that the domain is over. */
static bool takes_null(SystemView *view, const ColumnDef *column) {
    TypeBody body;
    if (column == NULL || column->not_null) {
        return column == NULL;
    }
    return column->domain_id == 0 || !catalog_type_body(view->inner, column->domain_id, TYPE_KIND_DOMAIN, view->arena, &body) || !body.not_null;
}

static void put_column(SystemView *view, SystemRows *rows, const AnyRelation *table, uint16_t c, bool changes) {
    AnyColumn column;
    relation_column(table, c, &column);
    row_begin(rows);
    put_table_name(view, rows, table);
    put_text(rows, column.name);
    put_int(rows, column.number);
    put_default(view, rows, table, column.def);
    put_yes(rows, takes_null(view, column.def));
    put_standard_type(rows, column.type);
    put_length(rows, column.type);
    put_numeric_shape(rows, column.type);
    put_time_precision(rows, column.type);
    put_interval_type(rows, column.type);
    put_nulls(rows, 3); /* character set */
    if (column.type.id == TYPE_NAME) { /* the only one whose collation is not the database's */
        put_catalog(view, rows);
        put_c(rows, "pg_catalog");
        put_c(rows, "C");
    } else {
        put_nulls(rows, 3);
    }
    put_domain_name(view, rows, column.def);
    put_catalog(view, rows);
    put_udt(view, rows, column.type);
    put_nulls(rows, 4);
    put_number_text(rows, column.number);
    put_yes(rows, false);
    put_identity(view, rows, column.def);
    bool is_generated = column.def != NULL && column.def->generated_text.len > 0;
    put_c(rows, is_generated ? "ALWAYS" : "NEVER");
    put_filled(rows, is_generated ? column.def->generated_text : (Str){0});
    put_yes(rows, changes);
    row_end(rows);
}

static void put_element(SystemView *view, SystemRows *rows, const AnyRelation *table, const AnyColumn *column) {
    char number[16];
    Type element = type_element(column->type);
    row_begin(rows);
    put_table_name(view, rows, table);
    put_c(rows, "TABLE");
    put_number_text(rows, column->number);
    put_standard_type(rows, element);
    put_nulls(rows, 2 + 3 + 3 + 3 + 1 + 2 + 1); /* what modifiers say is not told of elements */
    put_catalog(view, rows);
    put_udt(view, rows, element);
    put_nulls(rows, 3 + 1);
    snprintf(number, sizeof number, "a%d", column->number);
    put_c(rows, number);
    row_end(rows);
}

ErrorCode system_rows_info_element_types(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_relation(view, &walk, &table)) {
        bool has_columns = (table.kind == 'r' || table.kind == 'v') && !table.is_system;
        for (uint16_t c = 0; has_columns && c < relation_column_count(&table); c++) {
            AnyColumn column;
            relation_column(&table, c, &column);
            if (is_array_type(column.type)) {
                put_element(view, rows, &table, &column);
            }
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_info_columns(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_relation(view, &walk, &table)) {
        bool has_columns = table.kind == 'r' || table.kind == 'v';
        bool changes = has_columns && relation_takes_changes(view, &table);
        for (uint16_t c = 0; has_columns && c < relation_column_count(&table); c++) {
            put_column(view, rows, &table, c, changes);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_info_character_sets(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    row_begin(rows);
    put_nulls(rows, 2);
    put_c(rows, "UTF8");
    put_c(rows, "UCS");
    put_c(rows, "UTF8");
    put_catalog(view, rows);
    put_c(rows, "pg_catalog");
    put_c(rows, "default");
    row_end(rows);
    return ERR_OK;
}
