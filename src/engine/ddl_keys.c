/* SPDX-License-Identifier: Apache-2.0
 * ddl_keys.c - indexes and constraints: each call makes a new version of the table; rows that are there are built in or checked.
 *
 * Names:     PostgreSQL's own where none is given: t_pkey, t_a_key, t_a_fkey, t_a_check, t_a_idx, with a number behind if taken.
 * Conflicts: the table is claimed while rows are looked at, so that no other transaction writes meanwhile; a writer that bound its
 *            statement before is sent back (40001) by the table's newer version.
 * Tests:     test/unit/engine/test_keys.c, test/sql/keys.slt */
#include "engine/ddl_internal.h"
#include <stdio.h>

enum { NAME_MADE_MAX = 63 };

static ErrorCode constraint_drop(Txn *txn, const TableDef *table, uint32_t id, bool cascade, const TableDef **table_out, Error *err);

/* ---- names ---- */

static bool relation_taken(Txn *txn, uint32_t schema_id, const TableDef *table, Str name) {
    const TableDef *found = NULL;
    Snapshot snapshot = txn__catalog_snapshot(txn);
    bool many = false;
    const ObjectVersion *object = catalog_find(txn->engine->catalog, OBJECT_NONE, schema_id, name, &snapshot, &many);
    if (object != NULL && str_equal(object->def.name, name)) {
        return true;
    }
    return table_index_find(table, name) != NULL || catalog_view_index_find(&txn->view.base, schema_id, name, &found) != NULL;
}

/* table_columns_label, cut to 63 bytes from the longer of the two first parts; then with 1, 2, … behind the label. */
static Str choose_name(Txn *txn, const TableDef *table, Str columns, const char *label, bool constraint) {
    Arena *arena = &txn->arena;
    for (int number = 0;; number++) {
        char tail[24];
        int tail_len = number == 0 ? snprintf(tail, sizeof tail, "%s", label) : snprintf(tail, sizeof tail, "%s%d", label, number);
        size_t first = table->name.len, second = columns.len;
        while (first + second + (second > 0) + (size_t)tail_len + 1 > NAME_MADE_MAX) {
            if (first > second) {
                first--;
            } else {
                second--;
            }
        }
        Str name = arena_format(arena, "%.*s%s%.*s_%s", (int)first, table->name.data, second > 0 ? "_" : "", (int)second, columns.data != NULL ? columns.data : "", tail);
        bool taken = constraint ? table_constraint_find(table, name) != NULL : false;
        taken = taken || (!constraint && relation_taken(txn, table->schema_id, table, name)) || (!constraint && table_constraint_find(table, name) != NULL);
        if (!taken) {
            return name;
        }
    }
}

static Str joined_names(Txn *txn, const TableDef *table, const uint32_t *column_ids, uint16_t count) {
    Buffer text;
    buffer_init(&text, 1 << 16);
    for (uint16_t i = 0; i < count; i++) {
        int number = table_column_by_id(table, column_ids[i]);
        buffer_append_str(&text, i > 0 ? STR("_") : (Str){0});
        buffer_append_str(&text, table->columns[number].name);
    }
    Str joined = arena_str(&txn->arena, buffer_str(&text));
    buffer_deinit(&text);
    return joined;
}

static Str index_columns(Txn *txn, const TableDef *table, const IndexDef *index) {
    Buffer text;
    buffer_init(&text, 1 << 16);
    for (uint16_t i = 0; i < index->key_count; i++) {
        Str name = table->columns[table_column_by_id(table, index->keys[i].column_id)].name; /* of a computed column: the function's name, or expr */
        int same = 0;
        for (uint16_t j = 0; j < i; j++) {
            same += index->keys[j].column_id == index->keys[i].column_id ? 1 : 0;
        }
        buffer_append_str(&text, i > 0 ? STR("_") : (Str){0});
        buffer_append_str(&text, name);
        if (same > 0) {
            buffer_printf(&text, "%d", same);
        }
    }
    Str joined = arena_str(&txn->arena, buffer_str(&text));
    buffer_deinit(&text);
    return joined;
}

/* ---- making versions ---- */

static void add_index(Txn *txn, ObjectVersion *object, const IndexDef *index) {
    TableDef *table = &object->table;
    IndexDef *indexes = arena_array(&txn->arena, IndexDef, table->index_count + 1u);
    memcpy(indexes, table->indexes, sizeof *indexes * table->index_count);
    indexes[table->index_count] = *index;
    object_set_indexes(object, indexes, (uint16_t)(table->index_count + 1));
}

static void add_constraint(Txn *txn, ObjectVersion *object, const ConstraintDef *constraint) {
    TableDef *table = &object->table;
    ConstraintDef *constraints = arena_array(&txn->arena, ConstraintDef, table->constraint_count + 1u);
    memcpy(constraints, table->constraints, sizeof *constraints * table->constraint_count);
    constraints[table->constraint_count] = *constraint;
    object_set_constraints(object, constraints, (uint16_t)(table->constraint_count + 1));
}

static bool is_computed_for(const TableDef *table, uint32_t column_id) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        bool used = table->indexes[i].predicate_column_id == column_id;
        for (uint16_t k = 0; k < table->indexes[i].key_count && !used; k++) {
            used = table->indexes[i].keys[k].column_id == column_id;
        }
        if (used) {
            return true;
        }
    }
    return false;
}

/* Values of expressions that no index has any more are no longer computed. */
static void remove_unused_computed(TableDef *table) {
    for (uint16_t i = 0; i < table->computed_count;) {
        ColumnDef *column = &table->columns[table->column_count + i];
        if (is_computed_for(table, column->id)) {
            i++;
            continue;
        }
        memmove(column, column + 1, sizeof *column * (table->computed_count - i - 1u));
        table->computed_count--;
    }
}

static void remove_index(ObjectVersion *object, uint32_t index_id) {
    TableDef *table = &object->table;
    for (uint16_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].id == index_id) {
            memmove(&table->indexes[i], &table->indexes[i + 1], sizeof *table->indexes * (table->index_count - i - 1u));
            table->index_count--;
            remove_unused_computed(table);
            return;
        }
    }
}

static void remove_constraint(ObjectVersion *object, uint32_t id) {
    TableDef *table = &object->table;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (table->constraints[i].id == id) {
            memmove(&table->constraints[i], &table->constraints[i + 1], sizeof *table->constraints * (table->constraint_count - i - 1u));
            table->constraint_count--;
            return;
        }
    }
}

/* Expressions' values become columns behind the others; ids of the keys are filled in. */
static ErrorCode add_computed(ObjectVersion *object, const IndexSpec *spec, IndexDef *index, Arena *arena, Error *err) {
    TableDef *table = &object->table;
    uint32_t total = table_stored_count(table);
    ColumnDef *columns = arena_array(arena, ColumnDef, total + spec->computed_count + 1u);
    if (table->column_count + table->computed_count + (size_t)spec->computed_count > COLUMNS_MAX) {
        return error_set(err, ERR_TOO_MANY_COLUMNS, ERROR_NO_POSITION, "a table has at most %d columns, index expressions included", COLUMNS_MAX);
    }
    memcpy(columns, table->columns, sizeof *columns * total);
    for (uint16_t i = 0; i < spec->computed_count; i++) {
        ColumnDef *column = &columns[total + i];
        *column = spec->computed[i];
        column->id = object->next_column_id++;
        column->not_null = false;
        column->missing_is_null = true;
    }
    for (uint16_t i = 0; i < index->key_count; i++) {
        if (spec->key_columns[i] < 0) {
            index->keys[i].column_id = columns[total + (uint32_t)(-spec->key_columns[i] - 1)].id;
        } else {
            index->keys[i].column_id = columns[spec->key_columns[i]].id;
        }
    }
    if (spec->predicate_computed >= 0) {
        index->predicate_column_id = columns[total + (uint32_t)spec->predicate_computed].id;
    }
    uint16_t visible = table->column_count, computed = (uint16_t)(table->computed_count + spec->computed_count);
    object_set_all_columns(object, columns, visible, computed);
    return ERR_OK;
}

static ErrorCode check_index_room(const TableDef *table, Error *err) {
    return table->index_count < INDEXES_MAX ? ERR_OK
                                            : error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a table can have at most %d indexes", INDEXES_MAX);
}

ErrorCode ddl__index_build(Txn *txn, const TableDef *table, uint32_t index_id, Error *err) {
    txn->writer.snapshot = txn->snapshot;
    return table_index_build(engine__table(txn->engine, table->id), &txn->writer, table, table_index_by_id(table, index_id), err);
}

/* ---- indexes ---- */

static void key_defs(Txn *txn, const IndexSpec *spec, IndexDef *index, const TableDef *table) {
    *index = spec->def;
    index->valid = true;
    index->keys = arena_array(&txn->arena, IndexKeyDef, spec->def.key_count + 1u);
    memcpy(index->keys, spec->def.keys, sizeof *index->keys * spec->def.key_count);
    index->include_ids = arena_array(&txn->arena, uint32_t, spec->def.include_count + 1u);
    for (uint16_t i = 0; i < spec->def.include_count; i++) {
        index->include_ids[i] = table->columns[spec->include_columns[i]].id;
    }
}

static ErrorCode index_create(Txn *txn, const TableDef *table, const IndexSpec *spec, const TableDef **table_out, uint32_t *index_id_out, Error *err) {
    const ObjectVersion *object = NULL;
    IndexDef index;
    TRY(ddl__table(txn, table, &object, err));
    TRY(ddl__claim(txn, table->id, table->name, err));
    TRY(ddl__table(txn, table, &object, err)); /* the wait let others in */
    TRY(check_index_room(&object->table, err));
    ObjectVersion *changed = object_copy(object);
    key_defs(txn, spec, &index, &object->table);
    ErrorCode code = add_computed(changed, spec, &index, &txn->arena, err);
    if (code == ERR_OK && index.name.len > 0) {
        code = ddl__check_name(index.name, "index", err);
        if (code == ERR_OK && relation_taken(txn, object->table.schema_id, &object->table, index.name)) {
            code = error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(index.name));
        }
    } else if (code == ERR_OK) {
        index.name = choose_name(txn, &changed->table, index_columns(txn, &changed->table, &index), "idx", false);
    }
    if (code != ERR_OK) {
        object_free(changed);
        return code;
    }
    index.id = catalog_new_id(txn->engine->catalog);
    add_index(txn, changed, &index);
    *table_out = &ddl__put(txn, changed)->table;
    *index_id_out = index.id;
    return spec->computed_count > 0 ? ERR_OK : ddl__index_build(txn, *table_out, index.id, err); /* else the caller writes all rows anew */
}

ErrorCode txn_index_create(Txn *txn, const TableDef *table, const IndexSpec *spec, const TableDef **table_out, uint32_t *index_id_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, index_create(txn, table, spec, table_out, index_id_out, err));
}

/* Does a foreign key of any table stand on the index? */
static const TableDef *leaning_table(Txn *txn, uint32_t index_id, const ConstraintDef **constraint_out) {
    const TableDef *table = NULL;
    for (size_t cursor = 0; txn->view.base.table_next(&txn->view.base, &cursor, &table);) {
        for (uint16_t i = 0; i < table->constraint_count; i++) {
            if (table->constraints[i].kind == CONSTRAINT_FOREIGN_KEY && table->constraints[i].index_id == index_id) {
                *constraint_out = &table->constraints[i];
                return table;
            }
        }
    }
    return NULL;
}

static ErrorCode check_leaning(Txn *txn, const TableDef *table, uint32_t index_id, Str name, bool cascade, const char *what, Error *err) {
    const ConstraintDef *constraint = NULL;
    const TableDef *leaning = leaning_table(txn, index_id, &constraint);
    if (leaning == NULL) {
        return ERR_OK;
    }
    if (!cascade) {
        ErrorCode code = error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop %s %.*s%s%.*s because other objects depend on it", what,
                                   STR_ARG(name), table != NULL ? " on table " : "", table != NULL ? (int)table->name.len : 0, table != NULL ? table->name.data : "");
        error_ignore(error_add(err, 'D', "constraint %.*s on table %.*s depends on %s %.*s", STR_ARG(constraint->name), STR_ARG(leaning->name), what, STR_ARG(name)));
        return error_add(err, 'H', "Use DROP ... CASCADE to drop the dependent objects too.") == ERR_OK ? code : code;
    }
    const TableDef *after = NULL;
    TRY(constraint_drop(txn, leaning, constraint->id, true, &after, err));
    return check_leaning(txn, table, index_id, name, cascade, what, err);
}

static ErrorCode index_drop(Txn *txn, const TableDef *table, uint32_t index_id, bool cascade, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__table(txn, table, &object, err));
    const IndexDef *index = table_index_by_id(&object->table, index_id);
    assert(index != NULL);
    if (index->constraint_id != 0) {
        return error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop index %.*s because constraint %.*s on table %.*s requires it",
                         STR_ARG(index->name), STR_ARG(index->name), STR_ARG(table->name));
    }
    TRY(check_leaning(txn, NULL, index_id, index->name, cascade, "index", err));
    ObjectVersion *changed = object_copy(object);
    remove_index(changed, index_id);
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_index_drop(Txn *txn, const TableDef *table, uint32_t index_id, bool cascade, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, index_drop(txn, table, index_id, cascade, table_out, err));
}

static ErrorCode index_rename(Txn *txn, const TableDef *table, uint32_t index_id, Str new_name, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__check_name(new_name, "index", err));
    TRY(ddl__table(txn, table, &object, err));
    if (relation_taken(txn, object->table.schema_id, &object->table, new_name)) {
        return error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(new_name));
    }
    ObjectVersion *changed = object_copy(object);
    Str name = arena_str(&changed->arena, new_name);
    for (uint16_t i = 0; i < changed->table.index_count; i++) {
        IndexDef *index = &changed->table.indexes[i];
        if (index->id != index_id) {
            continue;
        }
        index->name = name;
        for (uint16_t c = 0; c < changed->table.constraint_count && index->constraint_id != 0; c++) {
            ConstraintDef *constraint = &changed->table.constraints[c];
            constraint->name = constraint->id == index->constraint_id ? name : constraint->name;
        }
    }
    (void)ddl__put(txn, changed);
    return ERR_OK;
}

ErrorCode txn_index_rename(Txn *txn, const TableDef *table, uint32_t index_id, Str new_name, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, index_rename(txn, table, index_id, new_name, err));
}

/* ---- constraints ---- */

static uint32_t *ids_of(Txn *txn, const TableDef *table, const uint16_t *columns, uint16_t count) {
    uint32_t *ids = arena_array(&txn->arena, uint32_t, count + 1u);
    for (uint16_t i = 0; i < count; i++) {
        ids[i] = table->columns[columns[i]].id;
    }
    return ids;
}

static ErrorCode name_constraint(Txn *txn, const TableDef *table, ConstraintDef *constraint, Error *err) {
    bool key = constraint->kind == CONSTRAINT_PRIMARY_KEY || constraint->kind == CONSTRAINT_UNIQUE;
    if (constraint->name.len > 0) {
        TRY(ddl__check_name(constraint->name, "constraint", err));
        if (key && relation_taken(txn, table->schema_id, table, constraint->name)) {
            return error_set(err, ERR_DUPLICATE_TABLE, ERROR_NO_POSITION, "relation \"%.*s\" already exists", STR_ARG(constraint->name));
        }
        if (table_constraint_find(table, constraint->name) != NULL) {
            return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" for relation \"%.*s\" already exists",
                             STR_ARG(constraint->name), STR_ARG(table->name));
        }
        return ERR_OK;
    }
    bool named = constraint->kind != CONSTRAINT_PRIMARY_KEY && (constraint->kind != CONSTRAINT_CHECK || constraint->column_count == 1);
    Str columns = named ? joined_names(txn, table, constraint->column_ids, constraint->column_count) : (Str){0};
    const char *label = constraint->kind == CONSTRAINT_PRIMARY_KEY ? "pkey" : constraint->kind == CONSTRAINT_UNIQUE ? "key"
                        : constraint->kind == CONSTRAINT_FOREIGN_KEY ? "fkey" : "check";
    constraint->name = choose_name(txn, table, columns, label, !key);
    return ERR_OK;
}

static ErrorCode check_key_columns(const TableDef *table, const ConstraintDef *constraint, Error *err) {
    if (constraint->kind == CONSTRAINT_PRIMARY_KEY && table_primary_key(table) != NULL) {
        return error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "multiple primary keys for table \"%.*s\" are not allowed", STR_ARG(table->name));
    }
    return check_index_room(table, err);
}

/* Columns of a primary key take no NULL; rows that are there are looked at by the caller. */
static void set_not_null(ObjectVersion *object, const ConstraintDef *constraint) {
    for (uint16_t i = 0; i < constraint->column_count && constraint->kind == CONSTRAINT_PRIMARY_KEY; i++) {
        object->table.columns[table_column_by_id(&object->table, constraint->column_ids[i])].not_null = true;
    }
}

static ErrorCode add_key(Txn *txn, ObjectVersion *changed, const ConstraintSpec *spec, ConstraintDef *constraint, Error *err) {
    IndexKeyDef *keys = arena_array(&txn->arena, IndexKeyDef, constraint->column_count + 1u);
    TRY(check_key_columns(&changed->table, constraint, err));
    for (uint16_t i = 0; i < constraint->column_count; i++) {
        keys[i] = (IndexKeyDef){.column_id = constraint->column_ids[i]};
    }
    IndexDef index = {.id = catalog_new_id(txn->engine->catalog), .name = constraint->name, .method = STR("btree"), .keys = keys,
                      .key_count = constraint->column_count, .is_unique = true, .is_primary = constraint->kind == CONSTRAINT_PRIMARY_KEY,
                      .nulls_not_distinct = spec->nulls_not_distinct, .valid = true, .dialect = spec->def.dialect, .constraint_id = constraint->id};
    constraint->index_id = index.id;
    set_not_null(changed, constraint);
    add_index(txn, changed, &index);
    return ERR_OK;
}

/* A unique index of exactly these columns, in any order, that is not partial. */
static const IndexDef *index_of_columns(const TableDef *table, const uint32_t *ids, uint16_t count) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        const IndexDef *index = &table->indexes[i];
        bool fits = index->is_unique && index->predicate_column_id == 0 && index->key_count == count;
        for (uint16_t k = 0; k < count && fits; k++) {
            bool found = false;
            for (uint16_t c = 0; c < count; c++) {
                found = found || index->keys[k].column_id == ids[c];
            }
            fits = found && index->keys[k].text.len == 0;
        }
        if (fits) {
            return index;
        }
    }
    return NULL;
}

/* An index of the referencing table that begins with the columns in their order. */
static const IndexDef *child_index(const TableDef *table, const ConstraintDef *constraint) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        const IndexDef *index = &table->indexes[i];
        bool fits = index->key_count >= constraint->column_count && index->predicate_column_id == 0 && !index->is_primary;
        for (uint16_t k = 0; k < constraint->column_count && fits; k++) {
            fits = index->keys[k].column_id == constraint->column_ids[k] && index->keys[k].text.len == 0;
        }
        if (fits) {
            return index;
        }
    }
    return NULL;
}

ErrorCode ddl__check_foreign_types(const TableDef *table, const TableDef *parent, const ConstraintDef *constraint, Error *err) {
    for (uint16_t i = 0; i < constraint->column_count; i++) {
        const ColumnDef *from = &table->columns[table_column_by_id(table, constraint->column_ids[i])];
        const ColumnDef *to = &parent->columns[table_column_by_id(parent, constraint->referenced_ids[i])];
        if (!table_key_types_comparable(from, to)) {
            char from_name[80], to_name[80];
            int from_len = (int)type_format_sql(from_name, sizeof from_name, from->type), to_len = (int)type_format_sql(to_name, sizeof to_name, to->type);
            ErrorCode code = error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "foreign key constraint \"%.*s\" cannot be implemented",
                                       STR_ARG(constraint->name));
            error_ignore(error_add(err, 'D', "Key columns \"%.*s\" of the referencing table and \"%.*s\" of the referenced table are of incompatible types: %.*s and %.*s.", STR_ARG(from->name), STR_ARG(to->name),
                                   from_len, from_name, to_len, to_name));
            return code;
        }
    }
    return ERR_OK;
}

static ErrorCode add_foreign(Txn *txn, ObjectVersion *changed, const ConstraintSpec *spec, ConstraintDef *constraint, bool *built_out, Error *err) {
    TableDef *table = &changed->table;
    bool self = spec->referenced_table_id == 0 || spec->referenced_table_id == table->id;
    const TableDef *parent = self ? table : txn->view.base.table_by_id(&txn->view.base, spec->referenced_table_id);
    if (parent == NULL) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "referenced table does not exist");
    }
    constraint->referenced_table_id = parent->id;
    if (spec->referenced_count == 0) {
        const IndexDef *primary = table_primary_key(parent);
        if (primary == NULL) {
            return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "there is no primary key for referenced table \"%.*s\"", STR_ARG(parent->name));
        }
        constraint->referenced_ids = arena_array(&txn->arena, uint32_t, primary->key_count + 1u);
        for (uint16_t i = 0; i < primary->key_count; i++) {
            constraint->referenced_ids[i] = primary->keys[i].column_id;
        }
        if (primary->key_count != constraint->column_count) {
            return error_set(err, ERR_INVALID_FOREIGN_KEY, ERROR_NO_POSITION, "number of referencing and referenced columns for foreign key disagree");
        }
        constraint->index_id = primary->id;
    } else {
        constraint->referenced_ids = ids_of(txn, parent, spec->referenced_columns, spec->referenced_count);
        const IndexDef *index = index_of_columns(parent, constraint->referenced_ids, spec->referenced_count);
        if (index == NULL) {
            return error_set(err, ERR_INVALID_FOREIGN_KEY, ERROR_NO_POSITION, "there is no unique constraint matching given keys for referenced table \"%.*s\"",
                             STR_ARG(parent->name));
        }
        constraint->index_id = index->id;
    }
    TRY(ddl__check_foreign_types(table, parent, constraint, err));
    const IndexDef *own = child_index(table, constraint);
    constraint->child_index_id = own != NULL ? own->id : catalog_new_id(txn->engine->catalog);
    *built_out = own == NULL;
    if (own != NULL) {
        return ERR_OK;
    }
    TRY(check_index_room(table, err));
    IndexKeyDef *keys = arena_array(&txn->arena, IndexKeyDef, constraint->column_count + 1u);
    for (uint16_t i = 0; i < constraint->column_count; i++) {
        keys[i] = (IndexKeyDef){.column_id = constraint->column_ids[i]};
    }
    IndexDef index = {.id = constraint->child_index_id, .name = arena_format(&txn->arena, "%.*s internal", STR_ARG(constraint->name)), .method = STR("btree"),
                      .keys = keys, .key_count = constraint->column_count, .internal = true, .valid = true, .constraint_id = constraint->id};
    add_index(txn, changed, &index);
    return ERR_OK;
}

static ErrorCode constraint_add(Txn *txn, const TableDef *table, const ConstraintSpec *spec, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    ConstraintDef constraint = spec->def;
    bool build_child = false;
    TRY(ddl__table(txn, table, &object, err));
    TRY(ddl__claim(txn, table->id, table->name, err));
    TRY(ddl__table(txn, table, &object, err)); /* the wait let others in */
    if (object->table.constraint_count >= CONSTRAINTS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a table can have at most %d constraints", CONSTRAINTS_MAX);
    }
    constraint.id = catalog_new_id(txn->engine->catalog);
    constraint.column_ids = ids_of(txn, &object->table, spec->columns, spec->column_count);
    constraint.column_count = spec->column_count;
    TRY(name_constraint(txn, &object->table, &constraint, err));
    ObjectVersion *changed = object_copy(object);
    ErrorCode code = ERR_OK;
    if (constraint.kind == CONSTRAINT_PRIMARY_KEY || constraint.kind == CONSTRAINT_UNIQUE) {
        code = add_key(txn, changed, spec, &constraint, err);
    } else if (constraint.kind == CONSTRAINT_FOREIGN_KEY) {
        code = add_foreign(txn, changed, spec, &constraint, &build_child, err);
    }
    if (code != ERR_OK) {
        object_free(changed);
        return code;
    }
    add_constraint(txn, changed, &constraint);
    *table_out = &ddl__put(txn, changed)->table;
    if (constraint.kind == CONSTRAINT_PRIMARY_KEY || constraint.kind == CONSTRAINT_UNIQUE) {
        return ddl__index_build(txn, *table_out, constraint.index_id, err);
    }
    if (constraint.kind != CONSTRAINT_FOREIGN_KEY) {
        return ERR_OK;
    }
    atomic_store(&txn->engine->has_foreign_keys, true);
    if (build_child) {
        TRY(ddl__index_build(txn, *table_out, constraint.child_index_id, err));
    }
    return constraint.validated ? engine__foreign_validate(txn, *table_out, constraint.id, err) : ERR_OK;
}

ErrorCode txn_constraint_add(Txn *txn, const TableDef *table, const ConstraintSpec *spec, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, constraint_add(txn, table, spec, table_out, err));
}

static ErrorCode constraint_drop(Txn *txn, const TableDef *table, uint32_t id, bool cascade, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__table(txn, table, &object, err));
    const ConstraintDef *constraint = table_constraint_by_id(&object->table, id);
    assert(constraint != NULL);
    bool key = constraint->kind == CONSTRAINT_PRIMARY_KEY || constraint->kind == CONSTRAINT_UNIQUE;
    if (key) {
        TRY(check_leaning(txn, &object->table, constraint->index_id, constraint->name, cascade, "constraint", err));
        Snapshot snapshot = txn__catalog_snapshot(txn);
        object = catalog_by_id(txn->engine->catalog, table->id, &snapshot); /* a foreign key to itself may have gone */
        constraint = table_constraint_by_id(&object->table, id);
    }
    ObjectVersion *changed = object_copy(object);
    const IndexDef *child = constraint->kind == CONSTRAINT_FOREIGN_KEY ? table_index_by_id(&object->table, constraint->child_index_id) : NULL;
    if (key) {
        remove_index(changed, constraint->index_id);
    } else if (child != NULL && child->internal && child->constraint_id == id) {
        remove_index(changed, child->id);
    }
    remove_constraint(changed, id);
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_constraint_drop(Txn *txn, const TableDef *table, uint32_t id, bool cascade, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, constraint_drop(txn, table, id, cascade, table_out, err));
}

static ErrorCode constraint_change(Txn *txn, const TableDef *table, uint32_t id, Str new_name, bool validate, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__table(txn, table, &object, err));
    if (new_name.len > 0) {
        TRY(ddl__check_name(new_name, "constraint", err));
    }
    if (new_name.len > 0 && table_constraint_find(&object->table, new_name) != NULL) {
        return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "constraint \"%.*s\" for relation \"%.*s\" already exists", STR_ARG(new_name),
                         STR_ARG(table->name));
    }
    ObjectVersion *changed = object_copy(object);
    Str name = arena_str(&changed->arena, new_name);
    for (uint16_t i = 0; i < changed->table.constraint_count; i++) {
        ConstraintDef *constraint = &changed->table.constraints[i];
        if (constraint->id != id) {
            continue;
        }
        constraint->validated = constraint->validated || validate;
        constraint->name = name.len > 0 ? name : constraint->name;
        for (uint16_t n = 0; n < changed->table.index_count && name.len > 0; n++) {
            IndexDef *index = &changed->table.indexes[n];
            index->name = index->constraint_id == id && !index->internal ? name : index->name;
        }
    }
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_constraint_rename(Txn *txn, const TableDef *table, uint32_t id, Str new_name, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, constraint_change(txn, table, id, new_name, false, table_out, err));
}

static ErrorCode constraint_validated(Txn *txn, const TableDef *table, uint32_t id, const TableDef **table_out, Error *err) {
    const ConstraintDef *constraint = table_constraint_by_id(table, id);
    TRY(ddl__claim(txn, table->id, table->name, err));
    if (constraint->kind == CONSTRAINT_FOREIGN_KEY) {
        TRY(engine__foreign_validate(txn, table, id, err));
    }
    return constraint_change(txn, table, id, (Str){0}, true, table_out, err);
}

ErrorCode txn_constraint_validated(Txn *txn, const TableDef *table, uint32_t id, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, constraint_validated(txn, table, id, table_out, err));
}

static ErrorCode column_set_not_null(Txn *txn, const TableDef *table, uint16_t column, bool not_null, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__table(txn, table, &object, err));
    const IndexDef *primary = table_primary_key(&object->table);
    for (uint16_t i = 0; primary != NULL && !not_null && i < primary->key_count; i++) {
        if (primary->keys[i].column_id == object->table.columns[column].id) {
            return error_set(err, ERR_INVALID_TABLE_DEFINITION, ERROR_NO_POSITION, "column \"%.*s\" is in a primary key", STR_ARG(object->table.columns[column].name));
        }
    }
    if (not_null) {
        TRY(ddl__claim(txn, table->id, table->name, err)); /* rows are looked at by the caller */
        TRY(ddl__table(txn, table, &object, err));
    }
    ObjectVersion *changed = object_copy(object);
    changed->table.columns[column].not_null = not_null || column == object->table.designated;
    *table_out = &ddl__put(txn, changed)->table;
    return ERR_OK;
}

ErrorCode txn_column_set_not_null(Txn *txn, const TableDef *table, uint16_t column, bool not_null, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, column_set_not_null(txn, table, column, not_null, table_out, err));
}

/* ---- what goes with a table or a column ---- */

/* Foreign keys of other tables that name this one: refused, or dropped with CASCADE. */
ErrorCode ddl__references_drop(Txn *txn, const TableDef *table, bool cascade, Error *err) {
    const TableDef *other = NULL;
    for (size_t cursor = 0; txn->view.base.table_next(&txn->view.base, &cursor, &other);) {
        for (uint16_t i = 0; i < other->constraint_count && other->id != table->id; i++) {
            const ConstraintDef *constraint = &other->constraints[i];
            if (constraint->kind != CONSTRAINT_FOREIGN_KEY || constraint->referenced_table_id != table->id) {
                continue;
            }
            if (!cascade) {
                ErrorCode code = error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop table %.*s because other objects depend on it", STR_ARG(table->name));
                error_ignore(error_add(err, 'D', "constraint %.*s on table %.*s depends on table %.*s", STR_ARG(constraint->name), STR_ARG(other->name), STR_ARG(table->name)));
                error_ignore(error_add(err, 'H', "Use DROP ... CASCADE to drop the dependent objects too."));
                return code;
            }
            const TableDef *after = NULL;
            TRY(constraint_drop(txn, other, constraint->id, true, &after, err));
            return ddl__references_drop(txn, table, cascade, err);
        }
    }
    return ERR_OK;
}

bool ddl__names_column(const uint32_t *ids, uint16_t count, uint32_t column_id) {
    for (uint16_t i = 0; i < count; i++) {
        if (ids[i] == column_id) {
            return true;
        }
    }
    return false;
}

/* Indexes and constraints that read a column go with it, as in PostgreSQL; a foreign key of another table that names it refuses. */
ErrorCode ddl__column_parts_drop(Txn *txn, const TableDef *table, uint32_t column_id, bool cascade, const TableDef **table_out, Error *err) {
    *table_out = table;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (ddl__names_column(table->constraints[i].column_ids, table->constraints[i].column_count, column_id)) {
            TRY(constraint_drop(txn, table, table->constraints[i].id, cascade, table_out, err));
            return ddl__column_parts_drop(txn, *table_out, column_id, cascade, table_out, err);
        }
    }
    for (uint16_t i = 0; i < table->index_count; i++) {
        const IndexDef *index = &table->indexes[i];
        bool reads = ddl__names_column(index->include_ids, index->include_count, column_id);
        for (uint16_t k = 0; k < index->key_count; k++) {
            reads = reads || index->keys[k].column_id == column_id;
        }
        if (reads && index->constraint_id == 0) {
            TRY(index_drop(txn, table, index->id, cascade, table_out, err));
            return ddl__column_parts_drop(txn, *table_out, column_id, cascade, table_out, err);
        }
    }
    return ERR_OK;
}
