/* SPDX-License-Identifier: Apache-2.0
 * drop.c - DROP of anything: what is named, what goes with it, and what depends on it.
 *
 * How:     a list of what goes grows while it is walked: parts (a table's own sequences) go without a word; dependents (views, foreign keys
 *          and defaults of other tables) stop a RESTRICT, and are told of by CASCADE. Then everything goes, dependents first.
 * Tests:   test/sql/drop.slt */
#include "catalog/constraint.h"
#include "ddl/ddl_internal.h"

enum { DROP_ITEMS_MAX = 100000, DETAIL_LINES_MAX = 100 };

typedef enum ItemKind { ITEM_OBJECT, ITEM_COLUMN, ITEM_DEFAULT, ITEM_CONSTRAINT } ItemKind;
typedef struct DropItem {
    uint8_t kind;
    uint32_t object_id;          /* the table of a column, default or constraint */
    uint32_t part_id;            /* column id, constraint id; 0 = of an object */
    bool named;                  /* by the statement, or a part of what is named: no word about it */
    Str what, on;                /* "view v", "table t" that it depends on */
} DropItem;

typedef struct DropList { DropItem *items; uint32_t count, capacity; Ddl *ddl; } DropList;

static bool in_list(const DropList *list, ItemKind kind, uint32_t object_id, uint32_t part_id) {
    for (uint32_t i = 0; i < list->count; i++) {
        const DropItem *item = &list->items[i];
        bool whole = item->kind == ITEM_OBJECT && item->object_id == object_id;
        if (whole || (item->kind == kind && item->object_id == object_id && item->part_id == part_id)) {
            return true;
        }
    }
    return false;
}

static ErrorCode add(DropList *list, DropItem item, Error *err) {
    if (in_list(list, (ItemKind)item.kind, item.object_id, item.part_id)) {
        return ERR_OK;
    }
    if (list->count >= DROP_ITEMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "more than %d objects depend on what is dropped", DROP_ITEMS_MAX);
    }
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        DropItem *wider = arena_array(list->ddl->arena, DropItem, list->capacity);
        if (list->count > 0) {
            memcpy(wider, list->items, sizeof *wider * list->count);
        }
        list->items = wider;
    }
    list->items[list->count++] = item;
    return ERR_OK;
}

/* ---- what depends ---- */

static ErrorCode add_needing(DropList *list, DropItem item, Error *err) {
    static const ObjectKind kinds[] = {OBJECT_VIEW, OBJECT_TYPE};
    CatalogView *catalog = list->ddl->catalog;
    const CatalogObject *object = NULL;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (size_t cursor = 0; catalog->object_next(catalog, kinds[k], &cursor, &object);) {
            if (object_needs(object, item.object_id, item.part_id)) {
                TRY(add(list, (DropItem){.kind = ITEM_OBJECT, .object_id = object->id, .what = ddl__describe(list->ddl, object), .on = item.what}, err));
            }
        }
    }
    return ERR_OK;
}

/* Sequences that belong to the table or column. */
static ErrorCode add_parts(DropList *list, DropItem item, Error *err) {
    CatalogView *catalog = list->ddl->catalog;
    const CatalogObject *object = NULL;
    for (size_t cursor = 0; catalog->object_next(catalog, OBJECT_SEQUENCE, &cursor, &object);) {
        bool whole = item.kind == ITEM_OBJECT || object->parent_column == item.part_id;
        if (object->parent_id == item.object_id && whole) {
            TRY(add(list, (DropItem){.kind = ITEM_OBJECT, .object_id = object->id, .named = true, .what = ddl__describe(list->ddl, object)}, err));
        }
    }
    return ERR_OK;
}

static Str table_words(DropList *list, const TableDef *table) {
    const CatalogObject *object = list->ddl->catalog->object_by_id(list->ddl->catalog, table->id);
    return object == NULL ? STR("table") : ddl__describe(list->ddl, object);
}

static ErrorCode add_defaults(DropList *list, DropItem item, Error *err) {
    CatalogView *catalog = list->ddl->catalog;
    const TableDef *table = NULL;
    for (size_t cursor = 0; catalog->table_next(catalog, &cursor, &table);) {
        for (uint16_t i = 0; i < table->column_count; i++) {
            const ColumnDef *column = &table->columns[i];
            if (column->sequence_id != item.object_id) {
                continue;
            }
            Str what = arena_format(list->ddl->arena, "default value for column %.*s of %.*s", STR_ARG(column->name), STR_ARG(table_words(list, table)));
            bool column_goes = in_list(list, ITEM_COLUMN, table->id, column->id);
            if (!column_goes) {
                TRY(add(list, (DropItem){.kind = ITEM_DEFAULT, .object_id = table->id, .part_id = column->id, .what = what, .on = item.what}, err));
            }
        }
    }
    return ERR_OK;
}

/* Columns of a type that goes, or of arrays of it. */
static ErrorCode add_typed_columns(DropList *list, DropItem item, Error *err) {
    CatalogView *catalog = list->ddl->catalog;
    const TableDef *table = NULL;
    for (size_t cursor = 0; catalog->table_next(catalog, &cursor, &table);) {
        for (uint16_t i = 0; i < table->column_count; i++) {
            const ColumnDef *column = &table->columns[i];
            if (type_enum_object(column->type) != item.object_id && column->domain_id != item.object_id) {
                continue;
            }
            Str what = arena_format(list->ddl->arena, "column %.*s of %.*s", STR_ARG(column->name), STR_ARG(table_words(list, table)));
            Str on = column->type.id == TYPE_ARRAY ? arena_format(list->ddl->arena, "%.*s[]", STR_ARG(item.what)) : item.what;
            TRY(add(list, (DropItem){.kind = ITEM_COLUMN, .object_id = table->id, .part_id = column->id, .what = what, .on = on}, err));
        }
    }
    return ERR_OK;
}

static bool constraint_needs(const ConstraintDef *constraint, const TableDef *table, const DropItem *item) {
    if (constraint->kind != CONSTRAINT_FOREIGN_KEY || constraint->referenced_table_id != item->object_id) {
        return false;
    }
    bool column = item->kind == ITEM_OBJECT;
    for (uint16_t i = 0; i < constraint->column_count && !column; i++) {
        column = constraint->referenced_ids[i] == item->part_id;
    }
    return column && (table->id != item->object_id || item->kind == ITEM_COLUMN);
}

static ErrorCode add_foreign_keys(DropList *list, DropItem item, Error *err) {
    CatalogView *catalog = list->ddl->catalog;
    const TableDef *table = NULL;
    for (size_t cursor = 0; catalog->table_next(catalog, &cursor, &table);) {
        for (uint16_t i = 0; i < table->constraint_count; i++) {
            const ConstraintDef *constraint = &table->constraints[i];
            if (!constraint_needs(constraint, table, &item)) {
                continue;
            }
            Str what = arena_format(list->ddl->arena, "constraint %.*s on %.*s", STR_ARG(constraint->name), STR_ARG(table_words(list, table)));
            TRY(add(list, (DropItem){.kind = ITEM_CONSTRAINT, .object_id = table->id, .part_id = constraint->id, .what = what, .on = item.what}, err));
        }
    }
    return ERR_OK;
}

static ErrorCode add_contents(DropList *list, DropItem schema, Error *err) {
    static const ObjectKind kinds[] = {OBJECT_TABLE, OBJECT_VIEW, OBJECT_SEQUENCE, OBJECT_TYPE};
    CatalogView *catalog = list->ddl->catalog;
    const CatalogObject *object = NULL;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (size_t cursor = 0; catalog->object_next(catalog, kinds[k], &cursor, &object);) {
            bool part = object->kind == OBJECT_SEQUENCE && object->parent_id != 0; /* comes with its table */
            if (object->schema_id == schema.object_id && !part) {
                TRY(add(list, (DropItem){.kind = ITEM_OBJECT, .object_id = object->id, .what = ddl__describe(list->ddl, object), .on = schema.what}, err));
            }
        }
    }
    return ERR_OK;
}

static ErrorCode grow(DropList *list, Error *err) {
    for (uint32_t i = 0; i < list->count; i++) {
        DropItem item = list->items[i];
        const CatalogObject *object = list->ddl->catalog->object_by_id(list->ddl->catalog, item.object_id);
        if (object == NULL || item.kind == ITEM_DEFAULT || item.kind == ITEM_CONSTRAINT) {
            continue;
        }
        if (object->kind == OBJECT_SCHEMA) {
            TRY(add_contents(list, item, err));
            continue;
        }
        if (object->kind == OBJECT_TABLE) {
            TRY(add_parts(list, item, err));
            TRY(add_foreign_keys(list, item, err));
        }
        if (object->kind == OBJECT_SEQUENCE) {
            TRY(add_defaults(list, item, err));
        }
        if (object->kind == OBJECT_TYPE) {
            TRY(add_typed_columns(list, item, err));
        }
        TRY(add_needing(list, item, err));
    }
    return ERR_OK;
}

/* ---- words ---- */

static uint32_t count_dependents(const DropList *list) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        count += !list->items[i].named;
    }
    return count;
}

/* A default or constraint whose table goes too is no news. */
static void name_covered(DropList *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        DropItem *item = &list->items[i];
        for (uint32_t j = 0; j < list->count && item->kind != ITEM_OBJECT; j++) {
            const DropItem *other = &list->items[j];
            item->named = item->named || (other->kind == ITEM_OBJECT && other->object_id == item->object_id) ||
                          (other->kind == ITEM_COLUMN && item->kind == ITEM_DEFAULT && other->object_id == item->object_id && other->part_id == item->part_id);
        }
    }
}

static Str lines(const DropList *list, bool restricted) {
    Buffer out;
    buffer_init(&out, 1 << 20);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const DropItem *item = &list->items[i];
        if (item->named) {
            continue;
        }
        if (++count > DETAIL_LINES_MAX) {
            buffer_printf(&out, "\nand %u other objects (see server log for list)", count_dependents(list) - DETAIL_LINES_MAX);
            break;
        }
        buffer_append_str(&out, count > 1 ? STR("\n") : (Str){"", 0});
        if (restricted) {
            buffer_printf(&out, "%.*s depends on %.*s", STR_ARG(item->what), STR_ARG(item->on));
        } else {
            buffer_printf(&out, "drop cascades to %.*s", STR_ARG(item->what));
        }
    }
    Str text = arena_str(list->ddl->arena, buffer_str(&out));
    buffer_deinit(&out);
    return text;
}

static ErrorCode refuse(const DropList *list, uint32_t named, Error *err) {
    if (named == 1) {
        error_ignore(error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop %.*s because other objects depend on it", STR_ARG(list->items[0].what)));
    } else {
        error_ignore(error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop desired object(s) because other objects depend on them"));
    }
    error_ignore(error_add(err, 'D', "%.*s", STR_ARG(lines(list, true))));
    return error_add(err, 'H', "Use DROP ... CASCADE to drop the dependent objects too.");
}

static void tell(const DropList *list) {
    uint32_t count = count_dependents(list);
    Ddl *ddl = list->ddl;
    if (count == 0 || ddl->notice == NULL) {
        return;
    }
    Str detail = lines(list, false);
    if (count == 1) {
        ddl->notice(ddl->context, "00000", detail, (Str){0});
    } else {
        ddl->notice(ddl->context, "00000", arena_format(ddl->arena, "drop cascades to %u other objects", count), detail);
    }
}

/* ---- doing it ---- */

ErrorCode ddl__drop_details(Ddl *ddl, uint32_t object_id, Error *err) {
    static const ObjectKind kinds[] = {OBJECT_COMMENT, OBJECT_GRANT, OBJECT_SETTING, OBJECT_DEFAULT_GRANT};
    const CatalogObject *object = NULL;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, kinds[k], &cursor, &object);) {
            if (object->parent_id == object_id) {
                TRY(txn_object_drop(ddl->txn, object->id, err));
            }
        }
    }
    return ERR_OK;
}

static ErrorCode clear_default(Ddl *ddl, const DropItem *item, Error *err) {
    const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, item->object_id);
    TableDef changed = *table;
    changed.columns = ddl__copy_columns(ddl, table);
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (changed.columns[i].id == item->part_id) {
            changed.columns[i].default_text = (Str){0};
            changed.columns[i].sequence_id = 0;
        }
    }
    return txn_table_replace(ddl->txn, &changed, &table, err);
}

static ErrorCode drop_constraint(Ddl *ddl, const DropItem *item, Error *err) {
    const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, item->object_id);
    TRY(ddl__drop_details(ddl, item->part_id, err));
    return txn_constraint_drop(ddl->txn, table, item->part_id, false, &table, err);
}

static ErrorCode drop_column(Ddl *ddl, const DropItem *item, Error *err) {
    const TableDef *table = ddl->catalog->table_by_id(ddl->catalog, item->object_id);
    int number = table_column_by_id(table, item->part_id);
    return number < 0 ? ERR_OK : txn_column_drop_cascade(ddl->txn, table, table->columns[number].name, &table, err);
}

static ErrorCode drop_item(Ddl *ddl, const DropItem *item, Error *err) {
    const CatalogObject *object = ddl->catalog->object_by_id(ddl->catalog, item->object_id);
    if (object == NULL || (item->kind == ITEM_COLUMN && item->named)) {
        return ERR_OK; /* gone with something else, or the caller's */
    }
    if (item->kind == ITEM_COLUMN) {
        return drop_column(ddl, item, err);
    }
    if (item->kind == ITEM_DEFAULT) {
        return clear_default(ddl, item, err);
    }
    if (item->kind == ITEM_CONSTRAINT) {
        return drop_constraint(ddl, item, err);
    }
    TRY(ddl__drop_details(ddl, object->id, err));
    if (object->kind == OBJECT_TABLE) { /* what refers to it is in the list and goes too */
        return txn_table_drop_cascade(ddl->txn, ddl->catalog->table_by_id(ddl->catalog, object->id), err);
    }
    return txn_object_drop(ddl->txn, object->id, err);
}

static ErrorCode drop_list(DropList *list, uint32_t named, bool cascade, Error *err) {
    TRY(grow(list, err));
    name_covered(list);
    if (!cascade && count_dependents(list) > 0) {
        return refuse(list, named, err);
    }
    tell(list);
    for (uint32_t i = list->count; i-- > 0;) {
        TRY(drop_item(list->ddl, &list->items[i], err));
    }
    return ERR_OK;
}

ErrorCode ddl_drop(Ddl *ddl, const uint32_t *ids, uint32_t count, bool cascade, Error *err) {
    DropList list = {.ddl = ddl};
    for (uint32_t i = 0; i < count; i++) {
        const CatalogObject *object = ddl->catalog->object_by_id(ddl->catalog, ids[i]);
        if (object != NULL) {
            TRY(add(&list, (DropItem){.kind = ITEM_OBJECT, .object_id = object->id, .named = true, .what = ddl__describe(ddl, object)}, err));
        }
    }
    return drop_list(&list, list.count, cascade, err);
}

ErrorCode ddl_drop_column(Ddl *ddl, const TableDef *table, Str name, bool cascade, const TableDef **table_out, Error *err) {
    DropList list = {.ddl = ddl};
    int number = table_column_find(table, name);
    if (number >= 0) {
        Str what = arena_format(ddl->arena, "column %.*s of %.*s", STR_ARG(table->columns[number].name), STR_ARG(table_words(&list, table)));
        DropItem item = {.kind = ITEM_COLUMN, .object_id = table->id, .part_id = table->columns[number].id, .named = true, .what = what};
        TRY(add(&list, item, err));
        TRY(drop_list(&list, 1, cascade, err));
        table = ddl->catalog->table_by_id(ddl->catalog, table->id);
    }
    return (cascade ? txn_column_drop_cascade : txn_column_drop)(ddl->txn, table, name, table_out, err);
}

/* ---- the statement ---- */

static ErrorCode kind_of(const AstDrop *ast, ObjectKind *kind_out, const char **tag_out, Error *err) {
    static const struct { Str word; ObjectKind kind; const char *tag; } kinds[] = {
        {{"table", 5}, OBJECT_TABLE, "DROP TABLE"},       {{"view", 4}, OBJECT_VIEW, "DROP VIEW"},     {{"sequence", 8}, OBJECT_SEQUENCE, "DROP SEQUENCE"},
        {{"schema", 6}, OBJECT_SCHEMA, "DROP SCHEMA"},    {{"extension", 9}, OBJECT_EXTENSION, "DROP EXTENSION"}, {{"type", 4}, OBJECT_TYPE, "DROP TYPE"},
        {{"domain", 6}, OBJECT_TYPE, "DROP DOMAIN"},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (str_equal(ast->object, kinds[i].word)) {
            *kind_out = kinds[i].kind;
            *tag_out = kinds[i].tag;
            return ERR_OK;
        }
    }
    Str object = ast->object;
    return ddl__not_supported(ast->count > 0 ? (int64_t)ast->names[0].span.at : ERROR_NO_POSITION, err, "DROP %.*s", STR_ARG(object));
}

ErrorCode ddl__drop_statement(Ddl *ddl, const AstDrop *ast, Error *err) {
    ObjectKind kind = OBJECT_NONE;
    const char *tag = "";
    uint32_t count = 0;
    if (str_equal(ast->object, STR("role")) || str_equal(ast->object, STR("user")) || str_equal(ast->object, STR("group"))) {
        return ddl__drop_roles(ddl, ast, err);
    }
    TRY(kind_of(ast, &kind, &tag, err));
    ddl__tag(ddl, "%s", tag);
    uint32_t *ids = arena_array(ddl->arena, uint32_t, ast->count + 1);
    for (uint32_t i = 0; i < ast->count; i++) {
        const CatalogObject *object = NULL;
        TRY(ddl__find(ddl, kind, &ast->names[i], ast->if_exists ? FIND_DROP_IF_EXISTS : FIND_DROP, &object, err));
        if (object == NULL) {
            continue;
        }
        bool schema_owner = object->schema_id != 0 && catalog_owns(ddl->catalog, ddl->role_id, object->schema_id);
        if (kind != OBJECT_EXTENSION && !schema_owner) {
            TRY(ddl__must_own(ddl, object, err));
        }
        if (kind == OBJECT_SCHEMA && str_starts_with(object->name, STR("pg_"))) {
            return error_set(err, ERR_DEPENDENT_OBJECTS, ERROR_NO_POSITION, "cannot drop schema %.*s because it is required by the database system", STR_ARG(object->name));
        }
        if (str_equal(ast->object, STR("domain"))) {
            TRY(ddl__must_be_domain(ddl, object, err));
        }
        ids[count++] = object->id;
    }
    return ddl_drop(ddl, ids, count, ast->cascade, err);
}
