/* SPDX-License-Identifier: Apache-2.0
 * cursor_use.c - a table that an open cursor of the session reads is neither altered nor dropped (55006).
 *
 * Invariants: tables are looked for in the query's relations, not in queries inside of its expressions: those that are missed are read at the
 *             cursor's snapshot all the same.
 * Tests: test/sql/answers.slt */
#include "session/session_internal.h"

typedef struct Wanted { uint32_t id; Str schema, name; } Wanted; /* id 0: by name; an empty schema is any */

static bool reads(const Rel *rel, const Wanted *wanted) {
    if (rel == NULL) {
        return false;
    }
    if (rel->kind == REL_SCAN) {
        const TableDef *table = rel->as.scan.table;
        return wanted->id != 0 ? table->id == wanted->id
                               : str_equal(table->name, wanted->name) && (wanted->schema.len == 0 || str_equal(table->schema_name, wanted->schema));
    }
    for (uint32_t i = 0; rel->kind == REL_UNION_ALL && i < rel->as.union_all.more_count; i++) {
        if (reads(rel->as.union_all.more[i], wanted)) {
            return true;
        }
    }
    return reads(rel->inputs[0], wanted) || reads(rel->inputs[1], wanted);
}

static ErrorCode check(const Session *session, const char *what, const Wanted *wanted, Error *err) {
    for (const Cursor *cursor = session->cursors; cursor != NULL; cursor = cursor->next) {
        bool open = cursor->statement != NULL && cursor->statement->bound != NULL;
        if (open && reads(cursor->statement->bound->rel, wanted)) {
            return error_set(err, ERR_OBJECT_IN_USE, ERROR_NO_POSITION, "cannot %s \"%.*s\" because it is being used by active queries in this session", what,
                             STR_ARG(wanted->name));
        }
    }
    return ERR_OK;
}

static ErrorCode check_table(const Session *session, const char *what, const TableDef *table, Error *err) {
    return check(session, what, &(Wanted){table->id, table->schema_name, table->name}, err);
}

/* DROP TABLE works from the tree: its tables go by name. */
static ErrorCode check_drop(const Session *session, const AstDrop *drop, Error *err) {
    for (uint32_t i = 0; i < drop->count && str_equal_ignore_case(drop->object, STR("table")); i++) {
        const AstNames *names = &drop->names[i];
        Wanted wanted = {.name = names->parts[names->count - 1].text, .schema = names->count > 1 ? names->parts[names->count - 2].text : (Str){0}};
        TRY(check(session, "DROP TABLE", &wanted, err));
    }
    return ERR_OK;
}

static bool only_renames(const BoundStatement *bound) {
    for (uint32_t i = 0; i < bound->action_count; i++) {
        if (bound->actions[i].kind != ALTER_RENAME_TABLE && bound->actions[i].kind != ALTER_NOTHING) {
            return false;
        }
    }
    return true;
}

ErrorCode statement__check_cursors(const Statement *statement, Error *err) {
    const Session *session = statement->session;
    const BoundStatement *bound = statement->bound;
    if (session->cursors == NULL) {
        return ERR_OK;
    }
    switch (bound->kind) {
    case STATEMENT_OBJECT: return bound->tree->kind == AST_DROP_STATEMENT ? check_drop(session, bound->tree->as.drop, err) : ERR_OK;
    case STATEMENT_ALTER_TABLE: return bound->table == NULL || only_renames(bound) ? ERR_OK : check_table(session, "ALTER TABLE", bound->table, err);
    case STATEMENT_CREATE_INDEX: return bound->table == NULL ? ERR_OK : check_table(session, "CREATE INDEX", bound->table, err);
    case STATEMENT_TRUNCATE:
        for (uint32_t i = 0; i < bound->table_count; i++) {
            TRY(check_table(session, "TRUNCATE", bound->tables[i], err));
        }
        return ERR_OK;
    default: return ERR_OK;
    }
}
