/* SPDX-License-Identifier: Apache-2.0
 * call_updatable.c - which relations take INSERT, UPDATE and DELETE: tables, and views that are plain columns of one relation that does (bind_target.c). */
#include "sql/parse/parse.h"
#include "sql/system/ask.h"
#include "sql/system/define.h"
#include "sql/system/produce.h"

enum { VIEWS_NESTED_MAX = 32, UPDATABLE_EVENTS = 8 | 4 | 16 /* PostgreSQL's bits of INSERT, UPDATE and DELETE */ };

static const AstSelect *query_of(const CatalogObject *object, Arena *arena, ViewBody *body) {
    AstStatement *tree = NULL;
    size_t end = 0;
    Error none = {0};
    if (view_body_decode(object->body, arena, body, &none) != ERR_OK ||
        sql_parse(body->text, 0, (Dialect)body->dialect, arena, &tree, &end, &none) != ERR_OK || tree == NULL || tree->kind != AST_SELECT_STATEMENT) {
        return NULL;
    }
    return tree->as.select;
}

static bool takes_changes(SystemView *view, const CatalogObject *object, Arena *arena, int depth) {
    ViewBody body = {0};
    if (object == NULL || object->kind != OBJECT_VIEW || depth >= VIEWS_NESTED_MAX) {
        return object != NULL && object->kind == OBJECT_TABLE;
    }
    const AstSelect *select = query_of(object, arena, &body);
    if (select == NULL || sql_view_fixed(select) != NULL || select->item_count < body.column_count) {
        return false;
    }
    for (uint32_t i = 0; i < body.column_count; i++) {
        if (select->items[i].expr->kind != AST_NAME) {
            return false;
        }
    }
    const AstNames *names = &select->from[0]->as.table;
    Str schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0};
    return takes_changes(view, view->inner->relation_find(view->inner, schema, names->parts[names->count - 1].text), arena, depth + 1);
}

bool relation_takes_changes(SystemView *view, const AnyRelation *relation) {
    Arena arena;
    if (relation->kind != 'v' || relation->is_system || relation->object == NULL) {
        return relation->kind == 'r' && !relation->is_system;
    }
    arena_init(&arena, DEFINITION_BYTES_MAX);
    bool takes = takes_changes(view, relation->object, &arena, 0);
    arena_deinit(&arena);
    return takes;
}

ErrorCode system_answer_pg_relation_is_updatable(Ask *ask, Error *err) {
    AnyRelation relation;
    (void)err;
    bool found = relation_by_oid(ask->view, ask_oid(ask, 0), &relation);
    answer_int4(ask, found && relation_takes_changes(ask->view, &relation) ? UPDATABLE_EVENTS : 0);
    return ERR_OK;
}

ErrorCode system_answer_pg_column_is_updatable(Ask *ask, Error *err) {
    AnyRelation relation;
    (void)err;
    bool found = ask_int(ask, 1) > 0 && relation_by_oid(ask->view, ask_oid(ask, 0), &relation);
    answer_bool(ask, found && relation_takes_changes(ask->view, &relation));
    return ERR_OK;
}
