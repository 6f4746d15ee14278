/* SPDX-License-Identifier: Apache-2.0
 * produce_keys.c - indexes and constraints: pg_index, pg_indexes, pg_constraint and information_schema's views of them. */
#include "sql/system/define.h"
#include "sql/system/each.h"
#include "sql/system/produce.h"
#include <stdio.h>

enum { OPTION_DESCENDING = 1, OPTION_NULLS_FIRST = 2 };

static uint32_t operator_class(uint32_t method, uint32_t type_oid) {
    static const struct { uint32_t oid, method; const char *name; uint32_t family, input; bool is_default; uint32_t key; } CLASSES[] = {
#define K(...) {__VA_ARGS__},
#include "sql/system/builtin_opclasses.h"
#undef K
    };
    enum { OID_TEXT = 25, OID_VARCHAR = 1043, OID_ANYARRAY = 2277 };
    uint32_t wanted = type_oid == OID_VARCHAR ? OID_TEXT : type_oid;
    for (size_t i = 0; i < COUNT_OF(CLASSES); i++) {
        if (CLASSES[i].method == method && CLASSES[i].input == wanted && CLASSES[i].is_default) {
            return CLASSES[i].oid;
        }
    }
    return 0;
}

static void put_key_lists(SystemRows *rows, const AnyRelation *relation, uint32_t method) {
    int16_t numbers[INDEX_KEYS_MAX * 2], options[INDEX_KEYS_MAX];
    uint32_t collations[INDEX_KEYS_MAX], classes[INDEX_KEYS_MAX];
    const IndexDef *index = relation->index;
    uint16_t total = (uint16_t)MIN_OF(relation_column_count(relation), (uint16_t)COUNT_OF(numbers));
    for (uint16_t i = 0; i < total; i++) {
        bool is_key = i < index->key_count;
        uint32_t column_id = is_key ? index->keys[i].column_id : index->include_ids[i - index->key_count];
        bool is_expression = is_key && index->keys[i].text.len > 0;
        numbers[i] = (int16_t)(is_expression ? 0 : table_column_by_id(relation->def, column_id) + 1);
        if (is_key) {
            AnyColumn column;
            relation_column(relation, i, &column);
            ColumnShape shape = column_shape(column.type);
            collations[i] = shape.collation;
            classes[i] = operator_class(method, shape.type_oid);
            options[i] = (int16_t)((index->keys[i].descending ? OPTION_DESCENDING : 0) | (index->keys[i].nulls_first ? OPTION_NULLS_FIRST : 0));
        }
    }
    put_int2s(rows, numbers, total);
    put_oids(rows, collations, index->key_count);
    put_oids(rows, classes, index->key_count);
    put_int2s(rows, options, index->key_count);
}

static void put_index(SystemRows *rows, const AnyRelation *relation) {
    const IndexDef *index = relation->index;
    const ConstraintDef *constraint = table_constraint_by_id(relation->def, index->constraint_id);
    bool has_expression = false;
    row_begin(rows);
    put_oid(rows, relation->oid);
    put_oid(rows, oid_of_table(relation->def->id));
    put_int(rows, relation_column_count(relation));
    put_int(rows, index->key_count);
    put_bool(rows, index->is_unique);
    put_bool(rows, index->nulls_not_distinct);
    put_bool(rows, index->is_primary);
    put_bool(rows, false);
    put_bool(rows, constraint == NULL || !constraint->deferrable);
    put_bool(rows, false);
    put_bool(rows, index->valid);
    put_bool(rows, false);
    put_bool(rows, true);
    put_bool(rows, true);
    put_bool(rows, false);
    put_key_lists(rows, relation, str_equal(index->method, STR("hash")) ? OID_AM_HASH : OID_AM_BTREE);
    Buffer texts;
    buffer_init(&texts, DEFINITION_BYTES_MAX);
    for (uint16_t i = 0; i < index->key_count; i++) {
        if (index->keys[i].text.len > 0) {
            buffer_append_str(&texts, has_expression ? STR(", ") : STR(""));
            buffer_append_str(&texts, index->keys[i].text);
            has_expression = true;
        }
    }
    if (has_expression) {
        put_text(rows, buffer_str(&texts));
    } else {
        put_null(rows);
    }
    buffer_deinit(&texts);
    if (index->predicate_text.len > 0) {
        put_text(rows, index->predicate_text);
    } else {
        put_null(rows);
    }
    row_end(rows);
}

ErrorCode system_rows_pg_index(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    (void)err;
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind == 'i') {
            put_index(rows, &relation);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_indexes(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation relation;
    Buffer text;
    (void)err;
    buffer_init(&text, DEFINITION_BYTES_MAX);
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind != 'i') {
            continue;
        }
        buffer_clear(&text);
        define_index(view, &relation, false, &text);
        row_begin(rows);
        put_text(rows, relation.schema_name);
        put_text(rows, relation.def->name);
        put_text(rows, relation.name);
        put_null(rows);
        put_text(rows, buffer_str(&text));
        row_end(rows);
    }
    buffer_deinit(&text);
    return ERR_OK;
}

static ErrorCode put_index_stats(SystemView *view, SystemRows *rows) {
    RelationWalk walk = {0};
    AnyRelation relation;
    while (next_relation(view, &walk, &relation)) {
        if (relation.kind != 'i') {
            continue;
        }
        row_begin(rows);
        put_oid(rows, oid_of_table(relation.def->id));
        put_oid(rows, relation.oid);
        put_text(rows, relation.schema_name);
        put_text(rows, relation.def->name);
        put_text(rows, relation.name);
        put_int(rows, 0);
        put_int(rows, 0);
        put_int(rows, 0);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_stat_user_indexes(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    return put_index_stats(view, rows);
}

ErrorCode system_rows_pg_stat_all_indexes(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    return put_index_stats(view, rows);
}

/* ---- constraints ---- */

typedef struct ConstraintWalk { RelationWalk tables; AnyRelation table; uint16_t next; bool has_table; } ConstraintWalk;

static const ConstraintDef *next_constraint(SystemView *view, ConstraintWalk *walk) {
    for (;;) {
        if (walk->has_table && walk->next < walk->table.def->constraint_count) {
            return &walk->table.def->constraints[walk->next++];
        }
        if (!next_user_table(view, &walk->tables, &walk->table)) {
            return NULL;
        }
        walk->has_table = true;
        walk->next = 0;
    }
}

static void put_numbers(SystemRows *rows, const TableDef *table, const uint32_t *ids, uint16_t count) {
    enum { NUMBERS_MAX = 64 };
    int16_t numbers[NUMBERS_MAX];
    uint16_t shown = (uint16_t)MIN_OF(count, (uint16_t)NUMBERS_MAX);
    if (table == NULL || count == 0) {
        put_null(rows);
        return;
    }
    for (uint16_t i = 0; i < shown; i++) {
        numbers[i] = (int16_t)(table_column_by_id(table, ids[i]) + 1);
    }
    put_int2s(rows, numbers, shown);
}

static void put_constraint(SystemView *view, SystemRows *rows, const AnyRelation *table, const ConstraintDef *constraint) {
    bool is_foreign = constraint->kind == CONSTRAINT_FOREIGN_KEY;
    const TableDef *other = is_foreign ? view->inner->table_by_id(view->inner, constraint->referenced_table_id) : NULL;
    row_begin(rows);
    put_oid(rows, oid_of_object(constraint->id));
    put_text(rows, constraint->name);
    put_oid(rows, table->schema_oid);
    put_char(rows, (char)constraint->kind);
    put_bool(rows, constraint->deferrable);
    put_bool(rows, constraint->initially_deferred);
    put_bool(rows, constraint->validated);
    put_oid(rows, table->oid);
    put_oid(rows, 0);
    put_oid(rows, constraint->index_id == 0 ? 0 : oid_of_object(constraint->index_id));
    put_oid(rows, 0);
    put_oid(rows, is_foreign ? oid_of_table(constraint->referenced_table_id) : 0);
    put_char(rows, is_foreign ? (char)constraint->on_update : ' ');
    put_char(rows, is_foreign ? (char)constraint->on_delete : ' ');
    put_char(rows, is_foreign ? (char)constraint->match : ' ');
    put_bool(rows, true);
    put_int(rows, 0);
    put_bool(rows, constraint->no_inherit || constraint->kind != CONSTRAINT_CHECK);
    put_numbers(rows, table->def, constraint->column_ids, constraint->column_count);
    put_numbers(rows, other, constraint->referenced_ids, is_foreign ? constraint->column_count : 0);
    put_nulls(rows, 5);
    if (constraint->kind == CONSTRAINT_CHECK) {
        put_text(rows, constraint->text);
    } else {
        put_null(rows);
    }
    row_end(rows);
}

ErrorCode system_rows_pg_constraint(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        put_constraint(view, rows, &walk.table, constraint);
    }
    put_domain_checks(view, rows);
    return ERR_OK;
}

static void put_constraint_name(SystemView *view, SystemRows *rows, Str schema, Str name) {
    put_catalog(view, rows);
    put_text(rows, schema);
    put_text(rows, name);
}

static const char *kind_text(const ConstraintDef *constraint) {
    switch (constraint->kind) {
    case CONSTRAINT_PRIMARY_KEY: return "PRIMARY KEY";
    case CONSTRAINT_UNIQUE: return "UNIQUE";
    case CONSTRAINT_FOREIGN_KEY: return "FOREIGN KEY";
    default: return "CHECK";
    }
}

static void put_table_constraint(SystemView *view, SystemRows *rows, const AnyRelation *table, Str name, const char *kind, const ConstraintDef *constraint) {
    row_begin(rows);
    put_constraint_name(view, rows, table->schema_name, name);
    put_constraint_name(view, rows, table->schema_name, table->name);
    put_c(rows, kind);
    put_yes(rows, constraint != NULL && constraint->deferrable);
    put_yes(rows, constraint != NULL && constraint->initially_deferred);
    put_yes(rows, true);
    if (constraint != NULL && constraint->kind == CONSTRAINT_UNIQUE) {
        const IndexDef *index = table_index_by_id(table->def, constraint->index_id);
        put_yes(rows, index == NULL || !index->nulls_not_distinct);
    }
    row_end(rows);
}

/* NOT NULL is listed as a check named by numbers, as PostgreSQL does. */
static Str not_null_name(char *out, size_t room, const AnyRelation *table, uint16_t column) {
    int len = snprintf(out, room, "%u_%u_%u_not_null", table->schema_oid, table->oid, column + 1u);
    return str_from(out, (size_t)len);
}
enum { NOT_NULL_NAME_BYTES = 64 };

ErrorCode system_rows_info_table_constraints(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        put_table_constraint(view, rows, &walk.table, constraint->name, kind_text(constraint), constraint);
    }
    RelationWalk tables = {0};
    AnyRelation table;
    while (next_user_table(view, &tables, &table)) {
        for (uint16_t c = 0; c < table.def->column_count; c++) {
            char name[NOT_NULL_NAME_BYTES];
            if (table.def->columns[c].not_null) {
                put_table_constraint(view, rows, &table, not_null_name(name, sizeof name, &table, c), "CHECK", NULL);
            }
        }
    }
    return ERR_OK;
}

/* The definition without the word CHECK. */
static void put_check_clause(SystemView *view, SystemRows *rows, const TableDef *table, const ConstraintDef *constraint) {
    Buffer text;
    buffer_init(&text, DEFINITION_BYTES_MAX);
    define_constraint(view, table, constraint, false, &text);
    put_text(rows, str_slice(buffer_str(&text), sizeof "CHECK " - 1, buffer_str(&text).len));
    buffer_deinit(&text);
}

ErrorCode system_rows_info_check_constraints(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        if (constraint->kind == CONSTRAINT_CHECK) {
            row_begin(rows);
            put_constraint_name(view, rows, walk.table.schema_name, constraint->name);
            put_check_clause(view, rows, walk.table.def, constraint);
            row_end(rows);
        }
    }
    put_domain_check_clauses(view, rows);
    RelationWalk tables = {0};
    AnyRelation table;
    while (next_user_table(view, &tables, &table)) {
        for (uint16_t c = 0; c < table.def->column_count; c++) {
            char name[NOT_NULL_NAME_BYTES], text[NAME_BYTES_MAX + 16];
            if (!table.def->columns[c].not_null) {
                continue;
            }
            snprintf(text, sizeof text, "%.*s IS NOT NULL", STR_ARG(table.def->columns[c].name));
            row_begin(rows);
            put_constraint_name(view, rows, table.schema_name, not_null_name(name, sizeof name, &table, c));
            put_c(rows, text);
            row_end(rows);
        }
    }
    return ERR_OK;
}

static const ConstraintDef *constraint_of_index(const TableDef *table, uint32_t index_id) {
    const IndexDef *index = table_index_by_id(table, index_id);
    return index == NULL ? NULL : table_constraint_by_id(table, index->constraint_id);
}

/* Where a referenced column stands in the unique constraint that is referenced. */
static void put_position(SystemView *view, SystemRows *rows, const ConstraintDef *constraint, uint16_t i) {
    const TableDef *other = constraint->kind == CONSTRAINT_FOREIGN_KEY ? view->inner->table_by_id(view->inner, constraint->referenced_table_id) : NULL;
    const ConstraintDef *unique = other == NULL ? NULL : constraint_of_index(other, constraint->index_id);
    for (uint16_t k = 0; unique != NULL && k < unique->column_count; k++) {
        if (unique->column_ids[k] == constraint->referenced_ids[i]) {
            put_int(rows, k + 1);
            return;
        }
    }
    put_null(rows);
}

ErrorCode system_rows_info_key_column_usage(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        for (uint16_t i = 0; constraint->kind != CONSTRAINT_CHECK && i < constraint->column_count; i++) {
            int number = table_column_by_id(walk.table.def, constraint->column_ids[i]);
            row_begin(rows);
            put_constraint_name(view, rows, walk.table.schema_name, constraint->name);
            put_constraint_name(view, rows, walk.table.schema_name, walk.table.name);
            put_text(rows, number < 0 ? (Str){0} : walk.table.def->columns[number].name);
            put_int(rows, i + 1);
            put_position(view, rows, constraint, i);
            row_end(rows);
        }
    }
    return ERR_OK;
}

/* The columns that a constraint stands on: a foreign key's are those it references. */
static void put_usage(SystemView *view, SystemRows *rows, const AnyRelation *table, const ConstraintDef *constraint, bool columns) {
    bool is_foreign = constraint->kind == CONSTRAINT_FOREIGN_KEY;
    const TableDef *other = is_foreign ? view->inner->table_by_id(view->inner, constraint->referenced_table_id) : table->def;
    const uint32_t *ids = is_foreign ? constraint->referenced_ids : constraint->column_ids;
    for (uint16_t i = 0; other != NULL && i < (columns ? constraint->column_count : 1); i++) {
        row_begin(rows);
        put_constraint_name(view, rows, other->schema_name, other->name);
        if (columns) {
            int number = table_column_by_id(other, ids[i]);
            put_text(rows, number < 0 ? (Str){0} : other->columns[number].name);
        }
        put_constraint_name(view, rows, table->schema_name, constraint->name);
        row_end(rows);
    }
}

ErrorCode system_rows_info_constraint_column_usage(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        put_usage(view, rows, &walk.table, constraint, true);
    }
    return ERR_OK;
}

ErrorCode system_rows_info_constraint_table_usage(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        if (constraint->kind != CONSTRAINT_CHECK) { /* which PostgreSQL shows by column alone */
            put_usage(view, rows, &walk.table, constraint, false);
        }
    }
    return ERR_OK;
}

static const char *action_text(uint8_t action) {
    switch (action) {
    case FOREIGN_RESTRICT: return "RESTRICT";
    case FOREIGN_CASCADE: return "CASCADE";
    case FOREIGN_SET_NULL: return "SET NULL";
    case FOREIGN_SET_DEFAULT: return "SET DEFAULT";
    default: return "NO ACTION";
    }
}

ErrorCode system_rows_info_referential_constraints(SystemView *view, SystemRows *rows, Error *err) {
    ConstraintWalk walk = {0};
    const ConstraintDef *constraint;
    (void)err;
    while ((constraint = next_constraint(view, &walk)) != NULL) {
        if (constraint->kind != CONSTRAINT_FOREIGN_KEY) {
            continue;
        }
        const TableDef *other = view->inner->table_by_id(view->inner, constraint->referenced_table_id);
        const ConstraintDef *unique = other == NULL ? NULL : constraint_of_index(other, constraint->index_id);
        row_begin(rows);
        put_constraint_name(view, rows, walk.table.schema_name, constraint->name);
        if (unique != NULL) {
            put_constraint_name(view, rows, other->schema_name, unique->name);
        } else {
            put_nulls(rows, 3);
        }
        put_c(rows, constraint->match == MATCH_FULL ? "FULL" : constraint->match == MATCH_PARTIAL ? "PARTIAL" : "NONE");
        put_c(rows, action_text(constraint->on_update));
        put_c(rows, action_text(constraint->on_delete));
        row_end(rows);
    }
    return ERR_OK;
}
