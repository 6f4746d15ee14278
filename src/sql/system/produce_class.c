/* SPDX-License-Identifier: Apache-2.0
 * produce_class.c - pg_class, pg_attribute, pg_attrdef and the views that list relations: pg_tables, pg_views, statistics of tables. */
#include "sql/system/acl.h"
#include "sql/system/define.h"
#include "sql/system/each.h"
#include "sql/system/produce.h"

enum { PAGE_BYTES = 8192 };

/* Of foreign keys only; Basalt has no other triggers. Both sides of a key have some, as in PostgreSQL. */
static bool has_triggers(SystemView *view, const TableDef *table) {
    const TableDef *other;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (table->constraints[i].kind == CONSTRAINT_FOREIGN_KEY) {
            return true;
        }
    }
    for (size_t cursor = 0; view->inner->table_next(view->inner, &cursor, &other);) {
        for (uint16_t i = 0; i < other->constraint_count; i++) {
            if (other->constraints[i].kind == CONSTRAINT_FOREIGN_KEY && other->constraints[i].referenced_table_id == table->id) {
                return true;
            }
        }
    }
    return false;
}

static int count_checks(const TableDef *table) {
    int count = 0;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        count += table->constraints[i].kind == CONSTRAINT_CHECK;
    }
    return count;
}

static bool has_shown_index(const TableDef *table) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        if (!table->indexes[i].internal) {
            return true;
        }
    }
    return false;
}

static TableStats stats_of(SystemView *view, const AnyRelation *relation) {
    TableStats stats = {0};
    if (relation->def != NULL && relation->kind == 'r' && !relation->is_system) {
        view->inner->stats(view->inner, relation->def, &stats);
    }
    return stats;
}

static uint32_t access_method(const AnyRelation *relation) {
    if (relation->kind == 'i') {
        return str_equal(relation->index->method, STR("hash")) ? OID_AM_HASH : OID_AM_BTREE;
    }
    return relation->kind == 'r' ? OID_AM_HEAP : 0;
}

static bool is_temporary(const AnyRelation *relation) { return str_starts_with(relation->schema_name, STR("pg_temp")); }

static void put_class(SystemView *view, SystemRows *rows, const AnyRelation *relation) {
    const TableDef *users = relation->kind == 'r' && !relation->is_system ? relation->def : NULL;
    TableStats stats = stats_of(view, relation);
    bool has_rows = relation->kind == 'r' || relation->kind == 'v';
    row_begin(rows);
    put_oid(rows, relation->oid);
    put_text(rows, relation->name);
    put_oid(rows, relation->schema_oid);
    put_oid(rows, has_rows ? oid_row_type(relation->oid) : 0);
    put_oid(rows, 0);
    put_oid(rows, relation->owner_oid);
    put_oid(rows, access_method(relation));
    put_oid(rows, relation->kind == 'v' ? 0 : relation->oid);
    put_oid(rows, 0);
    put_int(rows, (int64_t)(stats.bytes_on_disk / PAGE_BYTES));
    put_int(rows, users != NULL ? (int64_t)stats.row_count : relation->kind == 'S' ? 1 : relation->kind == 'i' ? 0 : -1);
    put_int(rows, 0);
    put_oid(rows, 0);
    put_bool(rows, users != NULL && has_shown_index(users));
    put_bool(rows, false);
    put_char(rows, is_temporary(relation) ? 't' : 'p');
    put_char(rows, relation->kind);
    put_int(rows, relation_column_count(relation));
    put_int(rows, users != NULL ? count_checks(users) : 0);
    put_bool(rows, relation->kind == 'v');
    put_bool(rows, users != NULL && is_wanted(rows) && has_triggers(view, users));
    put_bool(rows, false);
    put_bool(rows, false);
    put_bool(rows, false);
    put_bool(rows, true);
    put_char(rows, users != NULL ? 'd' : 'n');
    put_bool(rows, false);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_acl(view, rows, relation->def != NULL && users == NULL ? 0 : relation->oid, relation->kind);
    row_end(rows);
}

ErrorCode system_rows_pg_class(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        put_class(view, rows, &relation);
    }
    return ERR_OK;
}

static char identity_letter(const ColumnDef *column) {
    return column == NULL || column->identity == IDENTITY_NONE ? 0 : column->identity == IDENTITY_ALWAYS ? 'a' : 'd';
}

static bool has_default(const ColumnDef *column) { return column != NULL && column_has_default(column); }

static void put_attribute(SystemRows *rows, const AnyRelation *relation, uint16_t c) {
    AnyColumn column;
    relation_column(relation, c, &column);
    enum { ENUM_BYTES = 4 }; /* what clients are told */
    ColumnShape shape = declared_shape(&column);
    bool is_enum = column.type.id == TYPE_ENUM;
    row_begin(rows);
    put_oid(rows, relation->oid);
    put_text(rows, column.name);
    put_oid(rows, shape.type_oid);
    put_int(rows, -1);
    put_int(rows, shape.type != NULL ? shape.type->length : is_enum ? ENUM_BYTES : -1);
    put_int(rows, column.number);
    put_int(rows, shape.dims);
    put_int(rows, -1);
    put_int(rows, shape.type_modifier);
    put_bool(rows, is_enum || (shape.type != NULL && shape.type->by_value));
    put_char(rows, shape.type != NULL ? shape.type->alignment : 'i');
    put_char(rows, shape.type != NULL ? shape.type->storage : is_enum ? 'p' : 'x');
    put_char(rows, 0);
    bool fixed = relation->is_system && relation->kind == 'r' && shape.type != NULL && shape.type->length > 0; /* as in PostgreSQL's catalogs */
    put_bool(rows, fixed || relation->kind == 'S' || (column.def != NULL && column.def->not_null));
    put_bool(rows, has_default(column.def));
    put_bool(rows, false);
    put_char(rows, identity_letter(column.def));
    put_char(rows, column.def != NULL && column.def->generated_text.len > 0 ? 's' : 0);
    put_bool(rows, false);
    put_bool(rows, true);
    put_int(rows, 0);
    put_oid(rows, shape.collation);
    row_end(rows);
}

/* What PostgreSQL keeps with each row of a table. Of these Basalt has tableoid; clients expect the others to be listed. */
static void put_row_attributes(SystemRows *rows, const AnyRelation *relation) {
    static const struct { const char *name; uint32_t type; } ROW_ATTRIBUTES[] = {{"ctid", 27}, {"xmin", 28}, {"cmin", 29}, {"xmax", 28}, {"cmax", 29}, {"tableoid", 26}};
    for (size_t i = 0; i < COUNT_OF(ROW_ATTRIBUTES); i++) {
        const BuiltinType *type = builtin_type_by_oid(ROW_ATTRIBUTES[i].type);
        row_begin(rows);
        put_oid(rows, relation->oid);
        put_c(rows, ROW_ATTRIBUTES[i].name);
        put_oid(rows, type->oid);
        put_int(rows, 0);
        put_int(rows, type->length);
        put_int(rows, -1 - (int64_t)i);
        put_int(rows, 0);
        put_int(rows, -1);
        put_int(rows, -1);
        put_bool(rows, type->by_value);
        put_char(rows, type->alignment);
        put_char(rows, type->storage);
        put_char(rows, 0);
        put_bool(rows, true);
        put_bool(rows, false);
        put_bool(rows, false);
        put_char(rows, 0);
        put_char(rows, 0);
        put_bool(rows, false);
        put_bool(rows, true);
        put_int(rows, 0);
        put_oid(rows, 0);
        row_end(rows);
    }
}

ErrorCode system_rows_pg_attribute(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind == 'r') {
            put_row_attributes(rows, &relation);
        }
        for (uint16_t c = 0; c < relation_column_count(&relation); c++) {
            put_attribute(rows, &relation, c);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_attrdef(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_user_table(view, &walk, &table)) {
        for (uint16_t c = 0; c < table.def->column_count; c++) {
            const ColumnDef *column = &table.def->columns[c];
            if (!has_default(column)) {
                continue;
            }
            row_begin(rows);
            put_oid(rows, oid_default(table.oid, column->id));
            put_oid(rows, table.oid);
            put_int(rows, c + 1);
            put_default_text(view, rows, table.def, column);
            row_end(rows);
        }
    }
    return ERR_OK;
}

/* ---- views that list relations ---- */

static Str owner_name(SystemView *view, const AnyRelation *relation) { return catalog_role_name(view->inner, role_of_oid(relation->owner_oid)); }

ErrorCode system_rows_pg_tables(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_relation(view, &walk, &table)) {
        if (table.kind != 'r') {
            continue;
        }
        row_begin(rows);
        put_text(rows, table.schema_name);
        put_text(rows, table.name);
        put_text(rows, owner_name(view, &table));
        put_null(rows);
        put_bool(rows, !table.is_system && has_shown_index(table.def));
        put_bool(rows, false);
        put_bool(rows, !table.is_system && has_triggers(view, table.def));
        put_bool(rows, false);
        row_end(rows);
    }
    return ERR_OK;
}

/* The text of a view; the system's own are written in C and have none. */
static void put_view_text(SystemView *view, SystemRows *rows, const AnyRelation *relation) {
    if (relation->object == NULL || !is_wanted(rows)) {
        put_null(rows);
        return;
    }
    Buffer text;
    buffer_init(&text, DEFINITION_BYTES_MAX);
    define_view(view, relation, false, &text);
    put_text(rows, buffer_str(&text));
    buffer_deinit(&text);
}

ErrorCode system_rows_pg_views(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind != 'v') {
            continue;
        }
        row_begin(rows);
        put_text(rows, relation.schema_name);
        put_text(rows, relation.name);
        put_text(rows, owner_name(view, &relation));
        put_view_text(view, rows, &relation);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_info_views(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind != 'v') {
            continue;
        }
        row_begin(rows);
        put_table_name(view, rows, &relation);
        put_view_text(view, rows, &relation);
        put_c(rows, "NONE");
        bool changes = relation_takes_changes(view, &relation);
        for (int i = 0; i < 5; i++) {
            put_yes(rows, i < 2 && changes); /* updatable, insertable into; the others are by triggers */
        }
        row_end(rows);
    }
    return ERR_OK;
}

/* The engine counts rows, not reads by table: those columns are zero. */
static ErrorCode put_table_stats(SystemView *view, SystemRows *rows) {
    RelationWalk walk = {0};
    AnyRelation table;
    while (next_user_table(view, &walk, &table)) {
        row_begin(rows);
        put_oid(rows, table.oid);
        put_text(rows, table.schema_name);
        put_text(rows, table.name);
        for (int i = 0; i < 8; i++) {
            put_int(rows, 0);
        }
        put_int(rows, (int64_t)stats_of(view, &table).row_count);
        for (int i = 0; i < 3; i++) {
            put_int(rows, 0);
        }
        put_nulls(rows, 4);
        for (int i = 0; i < 4; i++) {
            put_int(rows, 0);
        }
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_stat_user_tables(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    return put_table_stats(view, rows);
}

ErrorCode system_rows_pg_stat_all_tables(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    return put_table_stats(view, rows);
}

/* Reads are not counted by table: who asks wants to know which tables there are. */
ErrorCode system_rows_pg_statio_tables(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_user_table(view, &walk, &table)) {
        row_begin(rows);
        put_oid(rows, table.oid);
        put_text(rows, table.schema_name);
        put_text(rows, table.name);
        for (int i = 0; i < 8; i++) {
            put_int(rows, 0);
        }
        row_end(rows);
    }
    return ERR_OK;
}
