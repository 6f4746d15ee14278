/* SPDX-License-Identifier: Apache-2.0
 * ddl_retype.c - a column of another type takes the place of an old one, with all that leans on it.
 *
 * How:   Parts know columns by their id, so a new type is a new column; the caller has filled it. Here indexes, keys, foreign keys of
 *        both sides, sequences and comments that named the old id get the new one. An index with other values gets an id of its own:
 *        the old one still serves snapshots from before.
 * Tests: test/sql/alter_type.slt */
#include "engine/ddl_internal.h"

typedef struct IndexMove { uint32_t from, to; } IndexMove;
typedef struct Move {
    uint32_t from, to;                    /* the column's ids */
    IndexMove indexes[INDEXES_MAX];
    uint16_t index_count;
} Move;

static void ids_move(uint32_t *ids, uint16_t count, const Move *move) {
    for (uint16_t i = 0; i < count; i++) {
        ids[i] = ids[i] == move->from ? move->to : ids[i];
    }
}

static uint32_t index_moved(const Move *move, uint32_t id) {
    for (uint16_t i = 0; i < move->index_count; i++) {
        if (move->indexes[i].from == id) {
            return move->indexes[i].to;
        }
    }
    return id;
}

static void move_indexes(Txn *txn, TableDef *table, Move *move) {
    for (uint16_t i = 0; i < table->index_count; i++) {
        IndexDef *index = &table->indexes[i];
        bool moved = false;
        ids_move(index->include_ids, index->include_count, move);
        for (uint16_t k = 0; k < index->key_count; k++) {
            moved = moved || index->keys[k].column_id == move->from;
            index->keys[k].column_id = index->keys[k].column_id == move->from ? move->to : index->keys[k].column_id;
        }
        if (moved) {
            move->indexes[move->index_count++] = (IndexMove){index->id, catalog_new_id(txn->engine->catalog)};
            index->id = move->indexes[move->index_count - 1].to;
        }
    }
}

/* Constraints of `table` after the change of table `changed_id`. */
static void move_constraints(TableDef *table, uint32_t changed_id, const Move *move) {
    bool own = table->id == changed_id;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        ConstraintDef *constraint = &table->constraints[i];
        bool foreign = constraint->kind == CONSTRAINT_FOREIGN_KEY, to_changed = foreign && constraint->referenced_table_id == changed_id;
        if (own) {
            ids_move(constraint->column_ids, constraint->column_count, move);
            constraint->child_index_id = index_moved(move, constraint->child_index_id);
        }
        if (to_changed) {
            ids_move(constraint->referenced_ids, constraint->column_count, move);
        }
        constraint->index_id = to_changed || (own && !foreign) ? index_moved(move, constraint->index_id) : constraint->index_id;
    }
}

/* Foreign keys that stand on the column, on either side: their types must still fit, and so must the rows. */
static ErrorCode check_foreign(Txn *txn, const TableDef *child, uint32_t changed_id, const Move *move, Error *err) {
    for (uint16_t i = 0; i < child->constraint_count; i++) {
        const ConstraintDef *constraint = &child->constraints[i];
        bool from = child->id == changed_id && ddl__names_column(constraint->column_ids, constraint->column_count, move->to);
        if (constraint->kind != CONSTRAINT_FOREIGN_KEY) {
            continue;
        }
        bool to = constraint->referenced_table_id == changed_id && ddl__names_column(constraint->referenced_ids, constraint->column_count, move->to);
        if (from || to) {
            const TableDef *parent = txn->view.base.table_by_id(&txn->view.base, constraint->referenced_table_id);
            TRY(ddl__check_foreign_types(child, parent, constraint, err));
            TRY(constraint->validated ? engine__foreign_validate(txn, child, constraint->id, err) : ERR_OK);
        }
    }
    return ERR_OK;
}

static ErrorCode put_referencing(Txn *txn, const TableDef *other, uint32_t changed_id, const Move *move, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__object(txn, other->id, other->name, &object, err));
    ObjectVersion *changed = object_copy(object);
    move_constraints(&changed->table, changed_id, move);
    (void)ddl__put(txn, changed);
    return ERR_OK;
}

static bool references(const TableDef *other, uint32_t changed_id, const Move *move) {
    for (uint16_t i = 0; i < other->constraint_count; i++) {
        const ConstraintDef *constraint = &other->constraints[i];
        if (constraint->kind == CONSTRAINT_FOREIGN_KEY && constraint->referenced_table_id == changed_id &&
            ddl__names_column(constraint->referenced_ids, constraint->column_count, move->from)) {
            return true;
        }
    }
    return false;
}

static ErrorCode move_referencing(Txn *txn, uint32_t changed_id, const Move *move, Error *err) {
    const TableDef *other = NULL;
    for (size_t cursor = 0; txn->view.base.table_next(&txn->view.base, &cursor, &other);) {
        if (other->id != changed_id && references(other, changed_id, move)) {
            TRY(put_referencing(txn, other, changed_id, move, err));
        }
    }
    return ERR_OK;
}

/* Sequences that the column owns, comments on it and on its indexes. */
static ErrorCode move_hanging(Txn *txn, ObjectKind kind, uint32_t table_id, const Move *move, Error *err) {
    const CatalogObject *hanging = NULL;
    for (size_t cursor = 0; txn->view.base.object_next(&txn->view.base, kind, &cursor, &hanging);) {
        const ObjectVersion *object = NULL;
        bool column = hanging->parent_id == table_id && hanging->parent_column == move->from;
        bool index = kind == OBJECT_COMMENT && index_moved(move, hanging->parent_id) != hanging->parent_id;
        if (!column && !index) {
            continue;
        }
        TRY(ddl__object(txn, hanging->id, STR("object"), &object, err));
        ObjectVersion *changed = object_copy(object);
        CatalogObject def = object->def;
        def.parent_id = index_moved(move, def.parent_id);
        if (def.parent_id == table_id && def.parent_column == move->from) {
            def.parent_column = move->to;
            def.name = kind == OBJECT_COMMENT ? arena_format(&txn->arena, "%u", move->to) : def.name;
        }
        object_set(changed, &def);
        (void)ddl__put(txn, changed);
    }
    return ERR_OK;
}

/* The column in its new place: name, default and the like are the old one's. */
static void move_column(TableDef *table, uint16_t old, uint16_t fresh) {
    ColumnDef column = table->columns[fresh];
    const ColumnDef *was = &table->columns[old];
    column.name = was->name;
    column.not_null = was->not_null;
    column.default_text = was->default_text;
    column.default_dialect = was->default_dialect;
    column.generated_text = was->generated_text;
    column.sequence_id = was->sequence_id;
    column.identity = was->identity;
    table->columns[old] = column;
    memmove(&table->columns[fresh], &table->columns[fresh + 1], sizeof column * (size_t)(table_stored_count(table) - fresh - 1));
    table->column_count--;
}

static ErrorCode build_moved(Txn *txn, const TableDef *table, const Move *move, Error *err) {
    for (uint16_t i = 0; i < move->index_count; i++) {
        TRY(ddl__index_build(txn, table, move->indexes[i].to, err));
    }
    return ERR_OK;
}

static ErrorCode take_place(Txn *txn, const TableDef *table, uint16_t old, uint16_t fresh, const TableDef **table_out, Error *err) {
    const ObjectVersion *object = NULL;
    TRY(ddl__table(txn, table, &object, err));
    TRY(ddl__claim(txn, table->id, table->name, err));
    TRY(ddl__table(txn, table, &object, err)); /* the wait let others in */
    Move move = {.from = table->columns[old].id, .to = table->columns[fresh].id};
    ObjectVersion *changed = object_copy(object);
    move_column(&changed->table, old, fresh);
    move_indexes(txn, &changed->table, &move);
    move_constraints(&changed->table, table->id, &move);
    *table_out = &ddl__put(txn, changed)->table;
    TRY(move_referencing(txn, table->id, &move, err));
    TRY(move_hanging(txn, OBJECT_SEQUENCE, table->id, &move, err));
    TRY(move_hanging(txn, OBJECT_COMMENT, table->id, &move, err));
    TRY(build_moved(txn, *table_out, &move, err));
    const TableDef *child = NULL;
    for (size_t cursor = 0; txn->view.base.table_next(&txn->view.base, &cursor, &child);) {
        TRY(check_foreign(txn, child, table->id, &move, err));
    }
    return ERR_OK;
}

ErrorCode txn_column_take_place(Txn *txn, const TableDef *table, uint16_t old, uint16_t fresh, const TableDef **table_out, Error *err) {
    ddl__lock(txn);
    return ddl__unlock(txn, take_place(txn, table, old, fresh, table_out, err));
}
