/* SPDX-License-Identifier: Apache-2.0
 * missing_column.c - what is said about a column that no scope has: which part of the name is wrong, and what may have been meant.
 *
 * Why:   the PostgreSQL dialect answers in PostgreSQL's words and fields: "t.x" with its table, an alias that hides the table's own name, the
 *        one or two columns that are nearest (by at most three letters, and by no more than half of the name).
 * Tests: test/sql/error_names.slt, test/unit/sql/bind/test_bind.c, test/differential/errors.py */
#include "sql/bind/bind_internal.h"

static const ScopeColumn *find_qualifier(const Scope *scope, const AstName *table) {
    for (uint32_t i = 0; i < scope->count; i++) {
        if (name_same(table, scope->columns[i].qualifier)) {
            return &scope->columns[i];
        }
    }
    return NULL;
}

/* A table of that name that goes by an alias here. */
static const ScopeColumn *find_hidden(Binder *b, const Scope *scope, const AstName *table) {
    CatalogView *catalog = b->context->catalog;
    for (uint32_t i = 0; i < scope->count && catalog->table_by_id != NULL; i++) {
        const TableDef *def = scope->columns[i].table_id == 0 ? NULL : catalog->table_by_id(catalog, scope->columns[i].table_id);
        if (def != NULL && name_same(table, def->name)) {
            return &scope->columns[i];
        }
    }
    return NULL;
}

static ErrorCode no_such_qualifier(Binder *b, const Scope *scope, const AstNames *names) {
    const AstName *table = &names->parts[names->count - 2];
    const ScopeColumn *entry = NULL, *hidden = NULL;
    for (const Scope *s = scope; s != NULL && entry == NULL; s = s->outer) {
        entry = find_qualifier(s, table);
        hidden = hidden != NULL ? hidden : find_hidden(b, s, table);
    }
    if (entry == NULL && hidden == NULL) {
        return error_set(b->err, ERR_UNDEFINED_TABLE, names->span.at, "missing FROM-clause entry for table \"%.*s\"", STR_ARG(table->text));
    }
    error_ignore(error_set(b->err, ERR_UNDEFINED_TABLE, names->span.at, "invalid reference to FROM-clause entry for table \"%.*s\"", STR_ARG(table->text)));
    if (entry == NULL) {
        return error_add(b->err, 'H', "Perhaps you meant to reference the table alias \"%.*s\".", STR_ARG(hidden->qualifier));
    }
    return error_add(b->err, 'D', "There is an entry for table \"%.*s\", but it cannot be referenced from this part of the query.", STR_ARG(table->text));
}

/* ---- near names ---- */

typedef struct Near { uint32_t distance, count; const ScopeColumn *columns[2]; } Near;

static void look_near(const Scope *scope, const AstNames *names, Near *near) {
    Str wanted = names->parts[names->count - 1].text;
    for (uint32_t i = 0; i < scope->count && i < SUGGESTION_CANDIDATES_MAX; i++) {
        const ScopeColumn *column = &scope->columns[i];
        bool theirs = names->count == 1 || name_same(&names->parts[names->count - 2], column->qualifier);
        uint32_t distance = theirs && column->qualifier.len > 0 ? name_distance(wanted, column->name, near->distance) : near->distance + 1;
        distance += distance == 0 && !str_equal(wanted, column->name); /* another case of letters is another name */
        if (distance > near->distance || distance > wanted.len / 2) {
            continue;
        }
        near->count = distance < near->distance ? 0 : near->count;
        near->distance = distance;
        if (near->count < 2) {
            near->columns[near->count] = column;
        }
        near->count++;
    }
}

static ErrorCode hint_near(Binder *b, const Scope *scope, const AstNames *names) {
    Near near = {.distance = 3};
    for (const Scope *s = scope; s != NULL; s = s->outer) {
        look_near(s, names, &near);
    }
    if (near.count == 1) {
        return error_add(b->err, 'H', "Perhaps you meant to reference the column \"%.*s.%.*s\".", STR_ARG(near.columns[0]->qualifier), STR_ARG(near.columns[0]->name));
    }
    if (near.count == 2) {
        return error_add(b->err, 'H', "Perhaps you meant to reference the column \"%.*s.%.*s\" or the column \"%.*s.%.*s\".", STR_ARG(near.columns[0]->qualifier),
                         STR_ARG(near.columns[0]->name), STR_ARG(near.columns[1]->qualifier), STR_ARG(near.columns[1]->name));
    }
    return ERR_UNDEFINED_COLUMN;
}

/* ---- the answers ---- */

static Str scope_name_at(const void *context, uint32_t i) { return ((const Scope *)context)->columns[i].name; }

static ErrorCode no_such_column_questdb(Binder *b, const Scope *scope, const AstNames *names) {
    const AstName *name = &names->parts[names->count - 1];
    if (names->count > 1 && find_qualifier(scope, &names->parts[names->count - 2]) == NULL) {
        return error_set(b->err, ERR_UNDEFINED_TABLE, names->span.at, "missing FROM-clause entry for table \"%.*s\"", STR_ARG(names->parts[names->count - 2].text));
    }
    Str closest = name_closest(name->text, scope->count, scope_name_at, scope);
    if (closest.len > 0) {
        return error_set(b->err, ERR_UNDEFINED_COLUMN, names->span.at, "column \"%.*s\" does not exist; did you mean \"%.*s\"?", STR_ARG(name->text), STR_ARG(closest));
    }
    return error_set(b->err, ERR_UNDEFINED_COLUMN, names->span.at, "column \"%.*s\" does not exist", STR_ARG(name->text));
}

ErrorCode no_such_column(Binder *b, const Scope *scope, const AstNames *names) {
    const AstName *name = &names->parts[names->count - 1];
    if (b->dialect != DIALECT_POSTGRES) {
        return no_such_column_questdb(b, scope, names);
    }
    if (scope->clause != NULL && scope->count == 0 && str_equal(str_from_c(scope->clause), STR("DEFAULT expressions"))) {
        return error_set(b->err, ERR_NOT_SUPPORTED, names->span.at, "cannot use column reference in DEFAULT expression");
    }
    if (names->count == 1) {
        error_ignore(error_set(b->err, ERR_UNDEFINED_COLUMN, names->span.at, "column \"%.*s\" does not exist", STR_ARG(name->text)));
        return hint_near(b, scope, names);
    }
    bool known = false;
    for (const Scope *s = scope; s != NULL && !known; s = s->outer) {
        const ScopeColumn *entry = find_qualifier(s, &names->parts[names->count - 2]);
        known = entry != NULL && (names->count == 2 || name_same(&names->parts[names->count - 3], entry->schema));
    }
    if (!known) {
        return no_such_qualifier(b, scope, names);
    }
    error_ignore(error_set(b->err, ERR_UNDEFINED_COLUMN, names->span.at, "column %.*s.%.*s does not exist", STR_ARG(names->parts[names->count - 2].text), STR_ARG(name->text)));
    return hint_near(b, scope, names);
}
