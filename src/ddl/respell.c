/* SPDX-License-Identifier: Apache-2.0
 * respell.c - texts that follow when a type, a label of an enum or a column gets another name: defaults, generated columns, checks, index
 * expressions and predicates of every table (the column's own), defaults and checks of domains, and views.
 *
 * Order: while the old names still hold, so that the texts can be bound.
 * Tests: test/sql/enum.slt, test/sql/keys.slt */
#include "ddl/ddl_internal.h"

typedef struct Respell {
    Ddl *ddl;
    const TypeRespelling *respelling;
    Str needle;                  /* texts without it are left alone */
    bool changed;                /* of the table at hand */
} Respell;

static bool mentions(Str text, Str needle) {
    for (size_t i = 0; i + needle.len <= text.len; i++) {
        if (str_equal_ignore_case(str_slice(text, i, i + needle.len), needle)) {
            return true;
        }
    }
    return false;
}

static ErrorCode respell_text(Respell *respell, const TableDef *table, Type type, uint8_t dialect, Str *text, Error *err) {
    Ddl *ddl = respell->ddl;
    TypeUses uses = {0};
    if (!mentions(*text, respell->needle)) {
        return ERR_OK;
    }
    BindContext context = {.catalog = ddl->catalog, .environment = ddl->environment, .text = *text, .dialect = (Dialect)dialect, .uses = &uses};
    TableExpression expression = {*text, dialect, type};
    BoundStatement *bound = NULL;
    TRY(bind_table_expressions(&context, table, &expression, 1, ddl->arena, &bound, err));
    Str spelt = bind_respell_types(*text, (Dialect)dialect, &uses, respell->respelling, ddl->arena);
    respell->changed = respell->changed || !str_equal(spelt, *text);
    *text = spelt;
    return ERR_OK;
}

static ErrorCode respell_columns(Respell *respell, const TableDef *table, TableDef *changed, Error *err) {
    changed->columns = ddl__copy_columns(respell->ddl, table);
    for (uint16_t i = 0; i < table_stored_count(table); i++) {
        ColumnDef *column = &changed->columns[i];
        if (column->sequence_id == 0) {
            TRY(respell_text(respell, table, column->type, column->default_dialect, &column->default_text, err));
        }
        TRY(respell_text(respell, table, column->type, column->default_dialect, &column->generated_text, err));
    }
    return ERR_OK;
}

static ErrorCode respell_constraints(Respell *respell, const TableDef *table, TableDef *changed, Error *err) {
    changed->constraints = arena_array(respell->ddl->arena, ConstraintDef, table->constraint_count + 1u);
    if (table->constraint_count > 0) {
        memcpy(changed->constraints, table->constraints, sizeof(ConstraintDef) * table->constraint_count);
    }
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        ConstraintDef *constraint = &changed->constraints[i];
        if (constraint->kind == CONSTRAINT_CHECK) {
            TRY(respell_text(respell, table, type_of(TYPE_BOOL), constraint->dialect, &constraint->text, err));
        }
    }
    return ERR_OK;
}

static Type computed_type(const TableDef *table, uint32_t column_id) {
    int number = table_column_by_id(table, column_id);
    return number < 0 ? type_of(TYPE_TEXT) : table->columns[number].type;
}

static ErrorCode respell_indexes(Respell *respell, const TableDef *table, TableDef *changed, Error *err) {
    changed->indexes = arena_array(respell->ddl->arena, IndexDef, table->index_count + 1u);
    if (table->index_count > 0) {
        memcpy(changed->indexes, table->indexes, sizeof(IndexDef) * table->index_count);
    }
    for (uint16_t i = 0; i < table->index_count; i++) {
        IndexDef *index = &changed->indexes[i];
        IndexKeyDef *keys = arena_array(respell->ddl->arena, IndexKeyDef, index->key_count + 1u);
        memcpy(keys, index->keys, sizeof *keys * index->key_count);
        index->keys = keys;
        for (uint16_t k = 0; k < index->key_count; k++) {
            TRY(respell_text(respell, table, computed_type(table, keys[k].column_id), index->dialect, &keys[k].text, err));
        }
        TRY(respell_text(respell, table, type_of(TYPE_BOOL), index->dialect, &index->predicate_text, err));
    }
    return ERR_OK;
}

static ErrorCode respell_table(Respell *respell, const TableDef *table, Error *err) {
    TableDef changed = *table;
    respell->changed = false;
    TRY(respell_columns(respell, table, &changed, err));
    TRY(respell_constraints(respell, table, &changed, err));
    TRY(respell_indexes(respell, table, &changed, err));
    return respell->changed ? txn_table_replace(respell->ddl->txn, &changed, &table, err) : ERR_OK;
}

/* A type's name in views follows as the names of relations do (view.c); labels are looked for here. */
static ErrorCode respell_view(Respell *respell, const CatalogObject *object, Error *err) {
    Ddl *ddl = respell->ddl;
    ViewBody view;
    TypeUses uses = {0};
    Str printed;
    TRY(view_body_decode(object->body, ddl->arena, &view, err));
    if (!mentions(view.text, respell->needle)) {
        return ERR_OK;
    }
    TRY(ddl__view_bind(ddl, object, &view, NULL, &uses, &printed, err));
    view.text = bind_respell_types(view.text, (Dialect)view.dialect, &uses, respell->respelling, ddl->arena);
    return ddl__view_replace(ddl, object, &view, err);
}

/* VALUE of a check is bound as the only column of a table. */
static ErrorCode respell_domain(Respell *respell, const CatalogObject *object, Error *err) {
    Ddl *ddl = respell->ddl;
    TypeBody body;
    TRY(type_body_decode(object->body, ddl->arena, &body, err));
    ColumnDef value = {.id = 1, .name = STR("value"), .type = body.base, .missing_is_null = true};
    TableDef table = {.name = STR("domain"), .column_count = 1, .columns = &value, .designated = -1};
    DomainCheck *checks = (DomainCheck *)(uintptr_t)body.checks; /* decoded for us */
    respell->changed = false;
    for (uint16_t i = 0; i < body.check_count; i++) {
        TRY(respell_text(respell, &table, type_of(TYPE_BOOL), body.dialect, &checks[i].text, err));
    }
    TRY(respell_text(respell, &table, body.base, body.dialect, &body.default_text, err));
    return respell->changed ? ddl__type_replace(ddl, object, &body, err) : ERR_OK;
}

ErrorCode ddl__respell(Ddl *ddl, const CatalogObject *type, const TypeRespelling *respelling, Error *err) {
    bool label = respelling->old_label.len > 0;
    Respell respell = {.ddl = ddl, .respelling = respelling, .needle = label ? respelling->old_label : type->name};
    const TableDef *table = NULL;
    const CatalogObject *view = NULL;
    for (size_t cursor = 0; ddl->catalog->table_next(ddl->catalog, &cursor, &table);) {
        TRY(respell_table(&respell, table, err));
    }
    const CatalogObject *domain = NULL;
    for (size_t cursor = 0; ddl->catalog->object_next(ddl->catalog, OBJECT_TYPE, &cursor, &domain);) {
        TRY(respell_domain(&respell, domain, err));
    }
    for (size_t cursor = 0; label && ddl->catalog->object_next(ddl->catalog, OBJECT_VIEW, &cursor, &view);) {
        TRY(respell_view(&respell, view, err));
    }
    return ERR_OK;
}

ErrorCode ddl_rename_column_in_texts(Ddl *ddl, const TableDef **table, uint16_t number, Str name, Error *err) {
    const ColumnDef *column = &(*table)->columns[number];
    TypeRespelling respelling = {.object_id = (*table)->id, .column_id = column->id, .name = name};
    Respell respell = {.ddl = ddl, .respelling = &respelling, .needle = column->name};
    TRY(respell_table(&respell, *table, err));
    *table = ddl->catalog->table_by_id(ddl->catalog, respelling.object_id);
    return ERR_OK;
}
