/* SPDX-License-Identifier: Apache-2.0
 * foreign.c - foreign keys: rows that name a parent, parents that go.
 *
 * When:    a referencing row looks for its parent when it is stored; what is missing then is looked for again at the end of the statement
 *          (rows may name one another), or at commit if the constraint is deferred. An ended parent's key is looked for, among parents and
 *          among referencing rows, at the end of the statement or at commit.
 * Races:   both sides change first and look afterwards, at the present and not at a snapshot; so of a row that comes and a parent that goes
 *          at least one sees the other, and gives way with 40001. That holds until the record is in the log, because stamps stay
 *          numbers until then: nothing has to be looked at again.
 * Refused: ON DELETE and ON UPDATE CASCADE, SET NULL, SET DEFAULT with a row that they would change (0A000).
 * Tests:   test/unit/engine/test_keys.c, test/sql/foreign_keys.slt */
#include "column/value_text.h"
#include "engine/engine_internal.h"

enum { FOREIGN_ARENA_BYTES = 1 << 28 };

/* Values of one constraint's columns that are still to be looked at. */
struct ForeignCheck {
    uint32_t child_id, constraint_id;
    bool parent_side;            /* keys of parents that ended */
    bool updated;                /* by UPDATE: ON UPDATE says what follows, else ON DELETE */
    bool deferred;               /* until commit */
    uint16_t count;
    ColumnBuilder *values;       /* in the constraint's order */
    ForeignCheck *next;
};

typedef struct Sides { const TableDef *child, *parent; const ConstraintDef *constraint; const OidNames *names; } Sides;

static bool find_sides(Txn *txn, uint32_t child_id, uint32_t constraint_id, Sides *sides) {
    CatalogView *view = &txn->view.base;
    sides->names = txn->writer.names;
    sides->child = view->table_by_id(view, child_id);
    sides->constraint = sides->child != NULL ? table_constraint_by_id(sides->child, constraint_id) : NULL;
    sides->parent = sides->constraint != NULL ? view->table_by_id(view, sides->constraint->referenced_table_id) : NULL;
    return sides->parent != NULL;
}

/* ---- looking ---- */

/* Is the key among the parents? The index may have its columns in another order. */
static ErrorCode find_parents(Txn *txn, const Sides *sides, const Type *types, const ColumnBlock *values, uint8_t *presence, Error *err) {
    const IndexDef *index = table_index_by_id(sides->parent, sides->constraint->index_id);
    if (index == NULL) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "foreign key \"%.*s\" has lost its index", STR_ARG(sides->constraint->name));
    }
    Type *ordered_types = arena_array(&txn->arena, Type, index->key_count + 1u);
    ColumnBlock *ordered = arena_array(&txn->arena, ColumnBlock, index->key_count + 1u);
    for (uint16_t i = 0; i < index->key_count; i++) {
        for (uint16_t c = 0; c < sides->constraint->column_count; c++) {
            if (sides->constraint->referenced_ids[c] == index->keys[i].column_id) {
                ordered[i] = values[c];
                ordered_types[i] = types[c];
            }
        }
    }
    KeySearch search = {.to = sides->parent, .index = index, .types = ordered_types, .columns = ordered, .count = index->key_count, .own = txn->entry.own};
    return table_keys_find(engine__table(txn->engine, sides->parent->id), &search, presence, err);
}

static ErrorCode find_children(Txn *txn, const Sides *sides, const Type *types, const ColumnBlock *values, uint8_t *presence, Error *err) {
    const IndexDef *index = table_index_by_id(sides->child, sides->constraint->child_index_id);
    if (index == NULL) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "foreign key \"%.*s\" has lost its index", STR_ARG(sides->constraint->name));
    }
    KeySearch search = {.to = sides->child, .index = index, .types = types, .columns = values, .count = sides->constraint->column_count, .own = txn->entry.own};
    return table_keys_find(engine__table(txn->engine, sides->child->id), &search, presence, err);
}

static Type *types_of(Txn *txn, const TableDef *table, const uint32_t *ids, uint16_t count) {
    Type *types = arena_array(&txn->arena, Type, count + 1u);
    for (uint16_t i = 0; i < count; i++) {
        types[i] = table->columns[table_column_by_id(table, ids[i])].type;
    }
    return types;
}

/* ---- saying ---- */

static void put_names(Buffer *out, const TableDef *table, const uint32_t *ids, uint16_t count) {
    for (uint16_t i = 0; i < count; i++) {
        buffer_append_str(out, i > 0 ? STR(", ") : (Str){0});
        buffer_append_str(out, table->columns[table_column_by_id(table, ids[i])].name);
    }
}

static void put_values(Buffer *out, const TableDef *table, const uint32_t *ids, const ColumnBlock *values, uint16_t count, uint32_t row,
                       const OidNames *names) {
    for (uint16_t i = 0; i < count; i++) {
        const ColumnDef *column = &table->columns[table_column_by_id(table, ids[i])];
        buffer_append_str(out, i > 0 ? STR(", ") : (Str){0});
        if (values[i].valid != NULL && !bit_get(values[i].valid, row)) {
            buffer_append_str(out, STR("null"));
        } else if (column->type.id == TYPE_SYMBOL) {
            buffer_append_str(out, column->symbols->text(column->symbols, ((const int32_t *)values[i].data)[row]));
        } else if (type_physical((TypeId)column->type.id) == PHYS_BIT) {
            uint8_t bit = bit_get(values[i].data, row);
            value_format(column->type, &bit, &(TextStyle){.names = names}, out);
        } else {
            value_format(column->type, (const uint8_t *)values[i].data + physical_bytes(type_physical((TypeId)column->type.id)) * row, &(TextStyle){.names = names}, out);
        }
    }
}

static void add_names(Error *err, const Sides *sides) {
    error_ignore(error_add(err, 's', "%.*s", STR_ARG(sides->child->schema_name)));
    error_ignore(error_add(err, 't', "%.*s", STR_ARG(sides->child->name)));
    error_ignore(error_add(err, 'n', "%.*s", STR_ARG(sides->constraint->name)));
}

static ErrorCode no_parent(const Sides *sides, const ColumnBlock *values, uint32_t row, Error *err) {
    Buffer text;
    buffer_init(&text, 1 << 16);
    put_names(&text, sides->child, sides->constraint->column_ids, sides->constraint->column_count);
    buffer_append_str(&text, STR(")=("));
    put_values(&text, sides->child, sides->constraint->column_ids, values, sides->constraint->column_count, row, sides->names);
    ErrorCode code = error_set(err, ERR_FOREIGN_KEY_VIOLATION, ERROR_NO_POSITION, "insert or update on table \"%.*s\" violates foreign key constraint \"%.*s\"",
                               STR_ARG(sides->child->name), STR_ARG(sides->constraint->name));
    error_ignore(error_add(err, 'D', "Key (%.*s) is not present in table \"%.*s\".", (int)MIN_OF(text.len, (size_t)400), (const char *)text.data, STR_ARG(sides->parent->name)));
    add_names(err, sides);
    buffer_deinit(&text);
    return code;
}

static ErrorCode mixed_nulls(const Sides *sides, Error *err) {
    ErrorCode code = error_set(err, ERR_FOREIGN_KEY_VIOLATION, ERROR_NO_POSITION, "insert or update on table \"%.*s\" violates foreign key constraint \"%.*s\"",
                               STR_ARG(sides->child->name), STR_ARG(sides->constraint->name));
    error_ignore(error_add(err, 'D', "MATCH FULL does not allow mixing of null and nonnull key values."));
    add_names(err, sides);
    return code;
}

static bool changes_children(uint8_t action) { return action == FOREIGN_CASCADE || action == FOREIGN_SET_NULL || action == FOREIGN_SET_DEFAULT; }

static ErrorCode still_referenced(const Sides *sides, const ColumnBlock *values, uint32_t row, bool updated, Error *err) {
    const ConstraintDef *constraint = sides->constraint;
    if (changes_children(updated ? constraint->on_update : constraint->on_delete)) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION,
                         "a change of table \"%.*s\" that foreign key constraint \"%.*s\" on table \"%.*s\" would have to pass on (CASCADE, SET NULL, SET DEFAULT) is not supported yet",
                         STR_ARG(sides->parent->name), STR_ARG(constraint->name), STR_ARG(sides->child->name));
    }
    Buffer text;
    buffer_init(&text, 1 << 16);
    put_names(&text, sides->parent, constraint->referenced_ids, constraint->column_count);
    buffer_append_str(&text, STR(")=("));
    put_values(&text, sides->parent, constraint->referenced_ids, values, constraint->column_count, row, sides->names);
    ErrorCode code = error_set(err, ERR_FOREIGN_KEY_VIOLATION, ERROR_NO_POSITION,
                               "update or delete on table \"%.*s\" violates foreign key constraint \"%.*s\" on table \"%.*s\"", STR_ARG(sides->parent->name),
                               STR_ARG(constraint->name), STR_ARG(sides->child->name));
    error_ignore(error_add(err, 'D', "Key (%.*s) is still referenced from table \"%.*s\".", (int)MIN_OF(text.len, (size_t)400), (const char *)text.data,
                           STR_ARG(sides->child->name)));
    add_names(err, sides);
    buffer_deinit(&text);
    return code;
}

static ErrorCode unsure(const Sides *sides, Error *err) {
    return error_set(err, ERR_SERIALIZATION, ERROR_NO_POSITION,
                     "could not serialize access: another transaction has not ended that changes rows of foreign key constraint \"%.*s\"",
                     STR_ARG(sides->constraint->name));
}

/* ---- what is still to be looked at ---- */

static ForeignCheck *check_for(Txn *txn, const Sides *sides, bool parent_side) {
    bool deferred = sides->constraint->initially_deferred;
    bool updated = parent_side && txn->writer.assigned != NULL && txn->writer.assigned_table == sides->parent->id;
    for (ForeignCheck *check = txn->foreign_checks; check != NULL; check = check->next) {
        bool same = check->child_id == sides->child->id && check->constraint_id == sides->constraint->id && check->parent_side == parent_side;
        if (same && check->deferred == deferred && check->updated == updated && check->values[0].row_count + BATCH_ROWS <= BLOCK_ROWS) {
            return check;
        }
    }
    ForeignCheck *check = mem_calloc(1, sizeof *check);
    const TableDef *table = parent_side ? sides->parent : sides->child;
    const uint32_t *ids = parent_side ? sides->constraint->referenced_ids : sides->constraint->column_ids;
    *check = (ForeignCheck){.child_id = sides->child->id, .constraint_id = sides->constraint->id, .parent_side = parent_side, .deferred = deferred,
                            .updated = updated, .count = sides->constraint->column_count, .next = txn->foreign_checks};
    check->values = mem_calloc(check->count + 1u, sizeof *check->values);
    for (uint16_t i = 0; i < check->count; i++) {
        column_builder_init(&check->values[i], table->columns[table_column_by_id(table, ids[i])].type);
    }
    txn->foreign_checks = check;
    return check;
}

static void check_free(ForeignCheck *check) {
    for (uint16_t i = 0; i < check->count; i++) {
        column_builder_deinit(&check->values[i]);
    }
    mem_free(check->values);
    mem_free(check);
}

static void check_add(ForeignCheck *check, const ColumnBlock *values, uint32_t row) {
    for (uint16_t i = 0; i < check->count; i++) {
        Physical physical = type_physical((TypeId)values[i].type.id);
        if (values[i].valid != NULL && !bit_get(values[i].valid, row)) {
            column_builder_null(&check->values[i]);
        } else if (physical == PHYS_BIT) {
            column_builder_bool(&check->values[i], bit_get(values[i].data, row));
        } else if (physical == PHYS_STR) {
            column_builder_text(&check->values[i], strref_str(&((const StrRef *)values[i].data)[row]));
        } else {
            column_builder_value(&check->values[i], (const uint8_t *)values[i].data + physical_bytes(physical) * row);
        }
    }
}

void engine__foreign_forget(Txn *txn, bool deferred_too) {
    ForeignCheck **link = &txn->foreign_checks;
    while (*link != NULL) {
        ForeignCheck *check = *link;
        if (check->deferred && !deferred_too) {
            link = &check->next;
            continue;
        }
        *link = check->next;
        check_free(check);
    }
}

/* ---- rows that come ---- */

/* PostgreSQL's MATCH SIMPLE: a NULL anywhere and the row is free; FULL: all or none. */
static ErrorCode check_match(const Sides *sides, const ColumnBlock *values, uint32_t row, Error *err) {
    if (sides->constraint->match != MATCH_FULL) {
        return ERR_OK;
    }
    for (uint16_t i = 0; i < sides->constraint->column_count; i++) {
        if (values[i].valid == NULL || bit_get(values[i].valid, row)) {
            return mixed_nulls(sides, err);
        }
    }
    return ERR_OK;
}

/* Rows whose parent is not there, or not for sure, go to `later` if there is one. */
static ErrorCode check_children(Txn *txn, const Sides *sides, const ColumnBlock *values, bool later, Error *err) {
    uint32_t rows = values[0].row_count;
    uint8_t *presence = mem_calloc(rows + 1u, 1);
    Type *types = types_of(txn, sides->child, sides->constraint->column_ids, sides->constraint->column_count);
    ErrorCode code = find_parents(txn, sides, types, values, presence, err);
    for (uint32_t row = 0; row < rows && code == ERR_OK; row++) {
        if (presence[row] == KEY_HAS_NULL) {
            code = check_match(sides, values, row, err);
        } else if (presence[row] != KEY_PRESENT && later) {
            check_add(check_for(txn, sides, false), values, row);
        } else if (presence[row] == KEY_UNSURE) {
            code = unsure(sides, err);
        } else if (presence[row] == KEY_ABSENT) {
            code = no_parent(sides, values, row, err);
        }
    }
    mem_free(presence);
    return code;
}

static bool may_change(const Txn *txn, const TableDef *table, const uint32_t *ids, uint16_t count) {
    bool may = false;
    for (uint16_t i = 0; i < count && !may; i++) {
        may = writer_may_change(&txn->writer, table, (uint32_t)table_column_by_id(table, ids[i]));
    }
    return may;
}

ErrorCode engine__foreign_appended(Txn *txn, const TableDef *table, const ColumnBlock *columns, Error *err) {
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        Sides sides;
        if (table->constraints[i].kind != CONSTRAINT_FOREIGN_KEY || !find_sides(txn, table->id, table->constraints[i].id, &sides)) {
            continue;
        }
        if (!may_change(txn, table, sides.constraint->column_ids, sides.constraint->column_count)) {
            continue;
        }
        ColumnBlock *values = arena_array(&txn->arena, ColumnBlock, sides.constraint->column_count + 1u);
        for (uint16_t c = 0; c < sides.constraint->column_count; c++) {
            values[c] = columns[table_column_by_id(table, sides.constraint->column_ids[c])];
        }
        TRY(check_children(txn, &sides, values, true, err));
    }
    return ERR_OK;
}

/* ---- parents that go ---- */

static ErrorCode note_parents(Txn *txn, const Sides *sides, const RowRef *rows, uint16_t count, Error *err) {
    uint16_t columns[INDEX_KEYS_MAX];
    Vector vectors[INDEX_KEYS_MAX];
    ColumnBlock values[INDEX_KEYS_MAX];
    uint16_t column_count = sides->constraint->column_count;
    Arena arena;
    arena_init(&arena, FOREIGN_ARENA_BYTES);
    for (uint16_t c = 0; c < column_count; c++) {
        columns[c] = (uint16_t)table_column_by_id(sides->parent, sides->constraint->referenced_ids[c]);
    }
    ErrorCode code = table_fetch_columns(engine__table(txn->engine, sides->parent->id), sides->parent, rows, count, columns, column_count, vectors, &arena, err);
    for (uint16_t c = 0; c < column_count && code == ERR_OK; c++) {
        values[c] = (ColumnBlock){.type = vectors[c].type, .row_count = count, .data = vectors[c].data, .valid = vectors[c].valid};
    }
    for (uint16_t row = 0; row < count && code == ERR_OK; row++) {
        check_add(check_for(txn, sides, true), values, row);
    }
    arena_deinit(&arena);
    return code;
}

ErrorCode engine__foreign_ended(Txn *txn, const TableDef *table, const RowRef *rows, uint32_t row_count, Error *err) {
    const TableDef *other = NULL;
    for (size_t cursor = 0; txn->view.base.table_next(&txn->view.base, &cursor, &other);) {
        for (uint16_t i = 0; i < other->constraint_count; i++) {
            const ConstraintDef *constraint = &other->constraints[i];
            if (constraint->kind != CONSTRAINT_FOREIGN_KEY || constraint->referenced_table_id != table->id) {
                continue;
            }
            if (!may_change(txn, table, constraint->referenced_ids, constraint->column_count)) {
                continue;
            }
            Sides sides = {other, table, constraint, txn->writer.names};
            for (uint32_t at = 0; at < row_count; at += BATCH_ROWS) {
                TRY(note_parents(txn, &sides, rows + at, (uint16_t)MIN_OF(row_count - at, (uint32_t)BATCH_ROWS), err));
            }
        }
    }
    return ERR_OK;
}

static ErrorCode check_parents(Txn *txn, const Sides *sides, const ColumnBlock *values, bool updated, Error *err) {
    uint32_t rows = values[0].row_count;
    uint8_t *here = mem_calloc(2 * (size_t)rows + 1, 1), *referenced = here + rows;
    Type *types = types_of(txn, sides->parent, sides->constraint->referenced_ids, sides->constraint->column_count);
    ErrorCode code = find_parents(txn, sides, types, values, here, err);
    code = code == ERR_OK ? find_children(txn, sides, types, values, referenced, err) : code;
    for (uint32_t row = 0; row < rows && code == ERR_OK; row++) {
        if (here[row] == KEY_PRESENT || here[row] == KEY_HAS_NULL) {
            continue;
        }
        if (referenced[row] == KEY_PRESENT) {
            code = still_referenced(sides, values, row, updated, err);
        } else if (referenced[row] == KEY_UNSURE) {
            code = unsure(sides, err);
        }
    }
    mem_free(here);
    return code;
}

/* ---- statement's end, commit ---- */

/* Rows that are gone again, ended or rolled back, need no parent. */
static ErrorCode check_remaining_children(Txn *txn, const Sides *sides, const ColumnBlock *values, Error *err) {
    uint32_t rows = values[0].row_count;
    uint8_t *there = mem_calloc(2 * (size_t)rows + 1, 1), *parents = there + rows;
    Type *types = types_of(txn, sides->child, sides->constraint->column_ids, sides->constraint->column_count);
    ErrorCode code = find_children(txn, sides, types, values, there, err);
    code = code == ERR_OK ? find_parents(txn, sides, types, values, parents, err) : code;
    for (uint32_t row = 0; row < rows && code == ERR_OK; row++) {
        if (there[row] == KEY_PRESENT && parents[row] == KEY_ABSENT) {
            code = no_parent(sides, values, row, err);
        } else if (there[row] == KEY_PRESENT && parents[row] == KEY_UNSURE) {
            code = unsure(sides, err);
        }
    }
    mem_free(there);
    return code;
}

static ErrorCode run_check(Txn *txn, const ForeignCheck *check, Error *err) {
    Sides sides;
    if (check->values[0].row_count == 0 || !find_sides(txn, check->child_id, check->constraint_id, &sides)) {
        return ERR_OK; /* dropped meanwhile */
    }
    ColumnBlock *values = arena_array(&txn->arena, ColumnBlock, check->count + 1u);
    for (uint16_t i = 0; i < check->count; i++) {
        values[i] = column_builder_block(&check->values[i]);
    }
    if (check->parent_side) {
        return check_parents(txn, &sides, values, check->updated, err);
    }
    return check_remaining_children(txn, &sides, values, err);
}

ErrorCode engine__foreign_check(Txn *txn, bool deferred, Error *err) {
    ErrorCode code = ERR_OK;
    for (ForeignCheck *check = txn->foreign_checks; check != NULL && code == ERR_OK; check = check->next) {
        if (check->deferred == deferred) {
            code = run_check(txn, check, err);
        }
    }
    engine__foreign_forget(txn, deferred);
    return code;
}

/* ---- rows that are there: ADD CONSTRAINT, VALIDATE ---- */

static ErrorCode validate_batch(Txn *txn, const Sides *sides, Batch *batch, Arena *arena, Error *err) {
    ColumnBlock values[INDEX_KEYS_MAX] = {{{0}}};
    ColumnBuilder builders[INDEX_KEYS_MAX];
    uint16_t count = sides->constraint->column_count;
    ErrorCode code = ERR_OK;
    for (uint16_t c = 0; c < count; c++) {
        column_builder_init(&builders[c], batch->columns[c].type);
        code = code == ERR_OK ? vector_dense(&batch->columns[c], arena, err) : code;
        if (code == ERR_OK) {
            column_builder_batch(&builders[c], &batch->columns[c], batch->live, batch->row_count);
        }
        values[c] = column_builder_block(&builders[c]);
    }
    if (code == ERR_OK && values[0].row_count > 0) {
        code = check_children(txn, sides, values, false, err);
    }
    for (uint16_t c = 0; c < count; c++) {
        column_builder_deinit(&builders[c]);
    }
    return code;
}

static ErrorCode validate_scan(Txn *txn, const Sides *sides, RowSource *source, Scan *scan, Arena *arena, Error *err) {
    ScanCursor *cursor = NULL;
    Morsel morsel;
    TRY(source->vtable->cursor_open(scan, &cursor, err));
    ErrorCode code = ERR_OK;
    while (code == ERR_OK && source->vtable->next_morsel(scan, &morsel)) {
        source->vtable->cursor_start(cursor, &morsel);
        for (Batch batch;;) {
            code = source->vtable->read(cursor, &batch, err);
            if (code != ERR_OK || batch.row_count == 0) {
                break;
            }
            arena_reset(arena);
            code = validate_batch(txn, sides, &batch, arena, err);
            if (code != ERR_OK) {
                break;
            }
        }
    }
    source->vtable->cursor_close(cursor);
    return code;
}

ErrorCode engine__foreign_validate(Txn *txn, const TableDef *table, uint32_t constraint_id, Error *err) {
    Sides sides;
    uint16_t columns[INDEX_KEYS_MAX];
    Scan *scan = NULL;
    if (!find_sides(txn, table->id, constraint_id, &sides)) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "a foreign key names a table that is not there");
    }
    for (uint16_t c = 0; c < sides.constraint->column_count; c++) {
        columns[c] = (uint16_t)table_column_by_id(sides.child, sides.constraint->column_ids[c]);
    }
    Snapshot now = {.lsn = STAMP_NEVER - 1, .own = txn->entry.own, .command = TXN_COMMAND_MAX + 1};
    Arena arena;
    arena_init(&arena, FOREIGN_ARENA_BYTES);
    RowSource *source = table_source(engine__table(txn->engine, table->id), sides.child, &now, &txn->arena);
    ScanRequest request = {.columns = columns, .column_count = sides.constraint->column_count};
    ErrorCode code = source->vtable->open(source, &request, &scan, err);
    if (code == ERR_OK) {
        code = validate_scan(txn, &sides, source, scan, &arena, err);
        source->vtable->close(scan);
    }
    arena_deinit(&arena);
    return code;
}
