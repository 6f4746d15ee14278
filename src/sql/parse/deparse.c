/* SPDX-License-Identifier: Apache-2.0
 * deparse.c - statements back to text: one function a kind, one table of them.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/deparse_internal.h"

/* ---------------------------------------------------------------- DML */

static void put_returning(Deparser *d, const AstSelectItem *items, uint32_t count) {
    if (count > 0) {
        put(d, " RETURNING ");
        deparse__items(d, items, count);
    }
}

static void put_assignments(Deparser *d, const AstAssignment *set, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        if (set[i].target != NULL) {
            deparse__expr(d, set[i].target);
        } else if (set[i].column_count > 1 || set[i].value->kind == AST_ROW) {
            deparse__name_list(d, set[i].columns, set[i].column_count);
        } else {
            deparse__name(d, set[i].columns);
        }
        put(d, " = ");
        deparse__expr(d, set[i].value);
    }
}

static void put_conflict(Deparser *d, const AstOnConflict *conflict) {
    put(d, " ON CONFLICT");
    if (conflict->constraint != NULL) {
        put(d, " ON CONSTRAINT ");
        deparse__name(d, conflict->constraint);
    } else if (conflict->targets.count > 0) {
        put(d, " (");
        deparse__exprs(d, conflict->targets.items, conflict->targets.count);
        put(d, ")");
    }
    if (conflict->target_where != NULL) {
        put(d, " WHERE ");
        deparse__expr(d, conflict->target_where);
    }
    put(d, conflict->do_update ? " DO UPDATE SET " : " DO NOTHING");
    put_assignments(d, conflict->set, conflict->set_count);
    if (conflict->where != NULL) {
        put(d, " WHERE ");
        deparse__expr(d, conflict->where);
    }
}

static void put_insert_mode(Deparser *d, const AstInsert *insert) {
    put(d, insert->atomic ? "INSERT ATOMIC " : "INSERT ");
    if (insert->batch != NULL) {
        put(d, "BATCH ");
        deparse__expr(d, insert->batch);
        put(d, " ");
    }
    if (insert->o3_max_lag != NULL) {
        put(d, "o3MaxLag ");
        deparse__expr(d, insert->o3_max_lag);
        put(d, " ");
    }
    put(d, "INTO ");
}

static void put_insert_columns(Deparser *d, const AstInsert *insert) {
    if (insert->targets == NULL) {
        deparse__name_list(d, insert->columns, insert->column_count);
        return;
    }
    for (uint32_t i = 0; i < insert->column_count; i++) {
        put(d, i > 0 ? ", " : "(");
        if (insert->targets[i] != NULL) {
            deparse__expr(d, insert->targets[i]);
        } else {
            deparse__name(d, &insert->columns[i]);
        }
    }
    put(d, ")");
}

static void put_insert(Deparser *d, const AstStatement *statement) {
    const AstInsert *insert = statement->as.insert;
    deparse__declares(d, insert->declares, insert->declare_count);
    deparse__with(d, insert->with);
    put_insert_mode(d, insert);
    deparse__names(d, &insert->table);
    if (insert->alias != NULL) {
        put(d, " AS ");
        deparse__name(d, insert->alias);
    }
    if (insert->column_count > 0) {
        put(d, " ");
        put_insert_columns(d, insert);
    }
    put(d, insert->overriding == AST_OVERRIDING_USER ? " OVERRIDING USER VALUE" : insert->overriding == AST_OVERRIDING_SYSTEM ? " OVERRIDING SYSTEM VALUE" : "");
    if (insert->source == NULL) {
        put(d, " DEFAULT VALUES");
    } else {
        put(d, " ");
        deparse__select(d, insert->source);
    }
    if (insert->on_conflict != NULL) {
        put_conflict(d, insert->on_conflict);
    }
    put_returning(d, insert->returning, insert->returning_count);
}

static void put_where(Deparser *d, const AstExpr *where, const AstName *cursor) {
    if (cursor != NULL) {
        put(d, " WHERE CURRENT OF ");
        deparse__name(d, cursor);
    } else if (where != NULL) {
        put(d, " WHERE ");
        deparse__expr(d, where);
    }
}

static void put_update(Deparser *d, const AstStatement *statement) {
    const AstUpdate *update = statement->as.update;
    deparse__declares(d, update->declares, update->declare_count);
    deparse__with(d, update->with);
    put(d, update->only ? "UPDATE ONLY " : "UPDATE ");
    deparse__names(d, &update->table);
    if (update->alias != NULL) {
        put(d, " AS ");
        deparse__name(d, update->alias);
    }
    put(d, " SET ");
    put_assignments(d, update->set, update->set_count);
    if (update->from_count > 0) {
        put(d, " FROM ");
        deparse__from_list(d, update->from, update->from_count);
    }
    put_where(d, update->where, update->cursor);
    put_returning(d, update->returning, update->returning_count);
}

static void put_delete(Deparser *d, const AstStatement *statement) {
    const AstDelete *delete_ = statement->as.delete_;
    deparse__with(d, delete_->with);
    put(d, delete_->only ? "DELETE FROM ONLY " : "DELETE FROM ");
    deparse__names(d, &delete_->table);
    if (delete_->alias != NULL) {
        put(d, " AS ");
        deparse__name(d, delete_->alias);
    }
    if (delete_->using_count > 0) {
        put(d, " USING ");
        deparse__from_list(d, delete_->using_from, delete_->using_count);
    }
    put_where(d, delete_->where, delete_->cursor);
    put_returning(d, delete_->returning, delete_->returning_count);
}

/* ---------------------------------------------------------------- other objects */

static void put_create_view(Deparser *d, const AstStatement *statement) {
    const AstCreateView *view = statement->as.create_view;
    put(d, view->or_replace ? "CREATE OR REPLACE " : "CREATE ");
    put(d, view->temporary ? "TEMPORARY " : "");
    put(d, view->recursive ? "RECURSIVE " : view->materialized ? "MATERIALIZED " : view->live ? "LIVE " : "");
    put(d, view->if_not_exists ? "VIEW IF NOT EXISTS " : "VIEW ");
    deparse__names(d, &view->name);
    if (view->column_count > 0) {
        put(d, " ");
        deparse__name_list(d, view->columns, view->column_count);
    }
    put(d, " AS (");
    deparse__select(d, view->as);
    put(d, ")");
    if (view->tail.len > 0) {
        put(d, " ");
        put_str(d, view->tail);
    }
}

static void put_create_index(Deparser *d, const AstStatement *statement) {
    const AstCreateIndex *index = statement->as.create_index;
    put(d, index->unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
    put(d, index->concurrently ? "CONCURRENTLY " : "");
    put(d, index->if_not_exists ? "IF NOT EXISTS " : "");
    if (index->name != NULL) {
        deparse__name(d, index->name);
        put(d, " ");
    }
    put(d, "ON ");
    deparse__names(d, &index->table);
    if (index->method != NULL) {
        put(d, " USING ");
        deparse__name(d, index->method);
    }
    put(d, " (");
    for (uint32_t i = 0; i < index->key_count; i++) {
        put_comma(d, i);
        deparse__expr(d, index->keys[i].expr);
        put(d, index->keys[i].descending ? " DESC" : "");
        put(d, index->keys[i].nulls_given ? (index->keys[i].nulls_first ? " NULLS FIRST" : " NULLS LAST") : "");
    }
    put(d, ")");
    if (index->include_count > 0) {
        put(d, " INCLUDE ");
        deparse__name_list(d, index->include, index->include_count);
    }
    put(d, index->nulls_not_distinct ? " NULLS NOT DISTINCT" : "");
    if (index->option_count > 0) {
        put(d, " WITH (");
        deparse__options(d, index->options, index->option_count);
        put(d, ")");
    }
    put_where(d, index->where, NULL);
}

static void put_create_schema(Deparser *d, const AstStatement *statement) {
    const AstCreateSchema *schema = statement->as.create_schema;
    put(d, schema->if_not_exists ? "CREATE SCHEMA IF NOT EXISTS " : "CREATE SCHEMA ");
    deparse__names(d, &schema->name);
    if (schema->owner != NULL) {
        put(d, " AUTHORIZATION ");
        deparse__name(d, schema->owner);
    }
}

static void put_all_names(Deparser *d, const AstNames *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__names(d, &names[i]);
    }
}

static void put_drop(Deparser *d, const AstStatement *statement) {
    const AstDrop *drop = statement->as.drop;
    bool truncate = statement->kind == AST_TRUNCATE_STATEMENT;
    put(d, truncate ? "TRUNCATE " : "DROP ");
    buffer_append_upper(d->out, drop->object);
    put(d, drop->concurrently ? " CONCURRENTLY" : "");
    put(d, drop->if_exists ? " IF EXISTS" : "");
    put(d, drop->only ? " ONLY " : drop->count > 0 ? " " : "");
    put_all_names(d, drop->names, drop->count);
    put(d, drop->restart_identity ? " RESTART IDENTITY" : "");
    put(d, drop->keep_symbol_maps ? " KEEP SYMBOL MAPS" : "");
    put(d, drop->cascade ? " CASCADE" : drop->restrict_given ? " RESTRICT" : "");
}

static void put_create_table(Deparser *d, const AstStatement *statement) {
    deparse__create_table(d, statement->as.create_table);
}

static void put_alter_table(Deparser *d, const AstStatement *statement) {
    deparse__alter(d, statement->as.alter_table);
}

/* ---------------------------------------------------------------- session */

static void put_set(Deparser *d, const AstStatement *statement) {
    const AstSet *set = statement->as.set;
    if (set->kind == AST_RESET || set->kind == AST_RESET_ALL) {
        put(d, set->kind == AST_RESET_ALL ? "RESET ALL" : "RESET ");
        deparse__names(d, &set->name);
        return;
    }
    put(d, set->local ? "SET LOCAL " : set->session ? "SET SESSION " : "SET ");
    deparse__names(d, &set->name);
    put(d, set->kind == AST_SET_DEFAULT ? " TO DEFAULT" : set->value_count == 0 ? " FROM CURRENT" : " TO ");
    deparse__exprs(d, set->values, set->value_count);
}

static void put_show(Deparser *d, const AstStatement *statement) {
    static const char *const heads[] = {"SHOW ", "SHOW ALL", "SHOW TABLES", "SHOW COLUMNS FROM ", "SHOW PARTITIONS FROM ", "SHOW CREATE ", "SHOW PARAMETERS",
                                        "SHOW ", "SHOW "};
    const AstShow *show = statement->as.show;
    put(d, heads[show->kind]);
    if (show->kind == AST_SHOW_CREATE) {
        buffer_append_upper(d->out, show->object);
        put(d, " ");
    }
    deparse__names(d, &show->name);
}

static void put_explain(Deparser *d, const AstStatement *statement) {
    const AstExplain *explain = statement->as.explain;
    put(d, "EXPLAIN ");
    if (explain->option_count > 0) {
        put(d, "(");
        deparse__options(d, explain->options, explain->option_count);
        put(d, ") ");
    } else {
        put(d, explain->analyze ? "ANALYZE " : "");
        put(d, explain->verbose ? "VERBOSE " : "");
    }
    deparse__statement(d, explain->statement);
}

static void put_modes(Deparser *d, const AstTransaction *transaction) {
    static const char *const levels[] = {"", " ISOLATION LEVEL READ UNCOMMITTED", " ISOLATION LEVEL READ COMMITTED", " ISOLATION LEVEL REPEATABLE READ",
                                         " ISOLATION LEVEL SERIALIZABLE"};
    put(d, levels[transaction->isolation]);
    put(d, transaction->access == AST_READ_ONLY ? " READ ONLY" : transaction->access == AST_READ_WRITE ? " READ WRITE" : "");
    put(d, transaction->deferrable == AST_DEFERRABLE ? " DEFERRABLE" : transaction->deferrable == AST_NOT_DEFERRABLE ? " NOT DEFERRABLE" : "");
}

static void put_transaction(Deparser *d, const AstStatement *statement) {
    static const char *const words[] = {"BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT ", "RELEASE ", "ROLLBACK TO ", "PREPARE TRANSACTION ",
                                        "COMMIT PREPARED ", "ROLLBACK PREPARED ", "SET TRANSACTION"};
    const AstTransaction *transaction = statement->as.transaction;
    put(d, transaction->session_characteristics ? "SET SESSION CHARACTERISTICS AS TRANSACTION" : words[transaction->kind]);
    if (transaction->name.text.data != NULL) {
        put(d, transaction->kind == AST_SET_TRANSACTION ? " SNAPSHOT " : "");
        deparse__name(d, &transaction->name);
    }
    put_modes(d, transaction);
    put(d, transaction->chain ? " AND CHAIN" : "");
}

static void put_prepare(Deparser *d, const AstStatement *statement) {
    const AstPrepare *prepare = statement->as.prepare;
    put(d, "PREPARE ");
    deparse__name(d, &prepare->name);
    for (uint32_t i = 0; i < prepare->type_count; i++) {
        put(d, i == 0 ? " (" : ", ");
        deparse__type(d, prepare->types[i]);
    }
    put(d, prepare->type_count > 0 ? ") AS " : " AS ");
    deparse__statement(d, prepare->statement);
}

static void put_execute(Deparser *d, const AstStatement *statement) {
    const AstExecute *execute = statement->as.execute;
    put(d, "EXECUTE ");
    deparse__name(d, &execute->name);
    if (execute->arg_count > 0) {
        put(d, "(");
        deparse__exprs(d, execute->args, execute->arg_count);
        put(d, ")");
    }
}

static void put_deallocate(Deparser *d, const AstStatement *statement) {
    put(d, statement->as.deallocate->all ? "DEALLOCATE ALL" : "DEALLOCATE ");
    if (!statement->as.deallocate->all) {
        deparse__name(d, &statement->as.deallocate->name);
    }
}

static void put_copy(Deparser *d, const AstStatement *statement) {
    const AstCopy *copy = statement->as.copy;
    put(d, copy->binary ? "COPY BINARY " : "COPY ");
    if (copy->query != NULL) {
        put(d, "(");
        deparse__statement(d, copy->query);
        put(d, ")");
    } else {
        deparse__names(d, &copy->table);
    }
    if (copy->column_count > 0) {
        put(d, " ");
        deparse__name_list(d, copy->columns, copy->column_count);
    }
    if (copy->target == AST_COPY_CANCEL) {
        put(d, " CANCEL");
        return;
    }
    put(d, copy->from ? " FROM " : " TO ");
    put(d, copy->target == AST_COPY_STDIN ? "STDIN" : copy->target == AST_COPY_STDOUT ? "STDOUT" : copy->target == AST_COPY_PROGRAM ? "PROGRAM " : "");
    if (copy->target == AST_COPY_FILE || copy->target == AST_COPY_PROGRAM) {
        deparse__string(d, copy->path);
    }
    if (copy->option_count > 0) {
        put(d, " WITH (");
        deparse__options(d, copy->options, copy->option_count);
        put(d, ")");
    }
    put_where(d, copy->where, NULL);
}

static void put_utility(Deparser *d, const AstStatement *statement) {
    const AstUtility *utility = statement->as.utility;
    buffer_append_upper(d->out, utility->what);
    if (utility->option_count > 0) {
        put(d, " (");
        deparse__options(d, utility->options, utility->option_count);
        put(d, ")");
    }
    put(d, utility->count > 0 ? " " : "");
    put_all_names(d, utility->names, utility->count);
    if (utility->argument != NULL) {
        put(d, utility->count > 0 ? ", " : " ");
        deparse__expr(d, utility->argument);
    }
}

static void put_declare_cursor(Deparser *d, const AstStatement *statement) {
    const AstCursor *cursor = statement->as.cursor;
    put(d, "DECLARE ");
    deparse__name(d, &cursor->name);
    put(d, cursor->binary ? " BINARY" : "");
    put(d, cursor->scroll ? " SCROLL" : cursor->no_scroll ? " NO SCROLL" : "");
    put(d, cursor->hold ? " CURSOR WITH HOLD FOR " : " CURSOR FOR ");
    deparse__statement(d, cursor->query);
}

static void put_fetch(Deparser *d, const AstStatement *statement) {
    static const char *const DIRECTIONS[] = {"FORWARD", "BACKWARD", "ABSOLUTE", "RELATIVE"};
    const AstCursor *cursor = statement->as.cursor;
    buffer_printf(d->out, "%s %s ", cursor->move ? "MOVE" : "FETCH", DIRECTIONS[cursor->direction]);
    if (cursor->count == INT64_MAX) {
        put(d, "ALL");
    } else {
        buffer_printf(d->out, "%lld", (long long)cursor->count);
    }
    put(d, " FROM ");
    deparse__name(d, &cursor->name);
}

static void put_close(Deparser *d, const AstStatement *statement) {
    put(d, statement->as.cursor->all ? "CLOSE ALL" : "CLOSE ");
    if (!statement->as.cursor->all) {
        deparse__name(d, &statement->as.cursor->name);
    }
}

static void put_lock(Deparser *d, const AstStatement *statement) {
    const AstLock *lock = statement->as.lock;
    put(d, "LOCK TABLE ");
    put_all_names(d, lock->tables, lock->table_count);
    put(d, " IN ");
    buffer_append_upper(d->out, lock->mode);
    put(d, lock->nowait ? " MODE NOWAIT" : " MODE");
}

static void put_select(Deparser *d, const AstStatement *statement) {
    deparse__select(d, statement->as.select);
}

/* ---------------------------------------------------------------- the table */

typedef void (*StatementPut)(Deparser *d, const AstStatement *statement);
static const StatementPut statement_puts[AST_STATEMENT_COUNT] = {
    [AST_SELECT_STATEMENT] = put_select, [AST_INSERT_STATEMENT] = put_insert, [AST_UPDATE_STATEMENT] = put_update, [AST_DELETE_STATEMENT] = put_delete,
    [AST_CREATE_TABLE_STATEMENT] = put_create_table, [AST_CREATE_VIEW_STATEMENT] = put_create_view, [AST_CREATE_INDEX_STATEMENT] = put_create_index,
    [AST_CREATE_SCHEMA_STATEMENT] = put_create_schema, [AST_DROP_STATEMENT] = put_drop, [AST_TRUNCATE_STATEMENT] = put_drop,
    [AST_ALTER_TABLE_STATEMENT] = put_alter_table, [AST_SET_STATEMENT] = put_set, [AST_SHOW_STATEMENT] = put_show, [AST_EXPLAIN_STATEMENT] = put_explain,
    [AST_TRANSACTION_STATEMENT] = put_transaction, [AST_PREPARE_STATEMENT] = put_prepare, [AST_EXECUTE_STATEMENT] = put_execute,
    [AST_DEALLOCATE_STATEMENT] = put_deallocate, [AST_COPY_STATEMENT] = put_copy, [AST_UTILITY_STATEMENT] = put_utility,
    [AST_DECLARE_CURSOR_STATEMENT] = put_declare_cursor, [AST_FETCH_STATEMENT] = put_fetch, [AST_CLOSE_STATEMENT] = put_close, [AST_LOCK_STATEMENT] = put_lock,
    [AST_SEQUENCE_STATEMENT] = deparse__sequence, [AST_ROLE_STATEMENT] = deparse__role, [AST_GRANT_STATEMENT] = deparse__grant,
    [AST_USER_TYPE_STATEMENT] = deparse__user_type, [AST_COMMENT_STATEMENT] = deparse__comment, [AST_EXTENSION_STATEMENT] = deparse__extension,
    [AST_OBJECT_SETTING_STATEMENT] = deparse__object_setting, [AST_OWNED_STATEMENT] = deparse__owned,
};

void deparse__statement(Deparser *d, const AstStatement *statement) {
    assert(statement->kind < AST_STATEMENT_COUNT);
    statement_puts[statement->kind](d, statement);
}

void sql_deparse(const AstStatement *statement, Buffer *out) {
    deparse__statement(&(Deparser){out, statement->dialect}, statement);
}
