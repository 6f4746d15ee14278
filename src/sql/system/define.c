/* SPDX-License-Identifier: Apache-2.0
 * define.c - see define.h. */
#include "sql/system/define.h"
#include "sql/system/names.h"
#include "sql/system/print.h"

void put_name(Buffer *out, Str name) { sql_deparse_name(name, DIALECT_POSTGRES, out); }

void put_qualified(Buffer *out, Str schema, Str name) {
    put_name(out, schema);
    buffer_append_char(out, '.');
    put_name(out, name);
}

static void put_column_name(Buffer *out, const TableDef *table, uint32_t column_id) {
    int number = table_column_by_id(table, column_id);
    put_name(out, number < 0 ? STR("?") : table->columns[number].name);
}

static void put_column_list(Buffer *out, const TableDef *table, const uint32_t *ids, uint16_t count) {
    buffer_append_char(out, '(');
    for (uint16_t i = 0; i < count; i++) {
        buffer_append_str(out, i > 0 ? STR(", ") : STR(""));
        put_column_name(out, table, ids[i]);
    }
    buffer_append_char(out, ')');
}

/* A call stands for itself; any other expression of an index is put in parentheses. */
static bool is_call(Str text) {
    size_t i = 0;
    while (i < text.len && ((text.data[i] >= 'a' && text.data[i] <= 'z') || text.data[i] == '_' || text.data[i] == '"' || (text.data[i] >= '0' && text.data[i] <= '9'))) {
        i++;
    }
    if (i == 0 || i == text.len || text.data[i] != '(') {
        return false;
    }
    int depth = 0;
    for (; i < text.len; i++) {
        depth += text.data[i] == '(' ? 1 : text.data[i] == ')' ? -1 : 0;
        if (depth == 0) {
            return i + 1 == text.len;
        }
    }
    return false;
}

void define_default(SystemView *view, const TableDef *table, const ColumnDef *column, Buffer *out) {
    bool generated = column->generated_text.len > 0;
    print_expression(view, &(PrintOptions){.text = generated ? column->generated_text : column->default_text, .dialect = column->default_dialect,
                                           .table = generated ? table : NULL, .type = column_shape(column->type).type_oid}, out);
}

void put_default_text(SystemView *view, SystemRows *rows, const TableDef *table, const ColumnDef *column) {
    if (!is_wanted(rows)) {
        put_null(rows);
        return;
    }
    Buffer text;
    buffer_init(&text, DEFINITION_BYTES_MAX);
    define_default(view, table, column, &text);
    put_text(rows, buffer_str(&text));
    buffer_deinit(&text);
}

void define_view(SystemView *view, const AnyRelation *relation, bool pretty, Buffer *out) {
    print_query(view, relation->body.text, relation->body.dialect, pretty, out);
    buffer_append_char(out, ';');
}

void define_index_key(SystemView *view, const AnyRelation *relation, uint16_t key, bool pretty, Buffer *out) {
    const IndexDef *index = relation->index;
    if (key >= index->key_count) {
        put_column_name(out, relation->def, index->include_ids[key - index->key_count]);
    } else if (index->keys[key].text.len > 0) {
        Buffer text;
        buffer_init(&text, DEFINITION_BYTES_MAX);
        print_expression(view, &(PrintOptions){.text = index->keys[key].text, .dialect = index->dialect, .table = relation->def, .pretty = pretty}, &text);
        bool bare = is_call(buffer_str(&text));
        buffer_append_str(out, bare ? STR("") : STR("("));
        buffer_append_str(out, buffer_str(&text));
        buffer_append_str(out, bare ? STR("") : STR(")"));
        buffer_deinit(&text);
    } else {
        put_column_name(out, relation->def, index->keys[key].column_id);
    }
}

static void put_key(SystemView *view, const AnyRelation *relation, uint16_t key, bool pretty, Buffer *out) {
    const IndexKeyDef *def = &relation->index->keys[key];
    define_index_key(view, relation, key, pretty, out);
    if (def->operator_class.len > 0) {
        buffer_append_char(out, ' ');
        buffer_append_str(out, def->operator_class);
    }
    if (def->descending) {
        buffer_append_str(out, def->nulls_first ? STR(" DESC") : STR(" DESC NULLS LAST"));
    } else if (def->nulls_first) {
        buffer_append_str(out, STR(" NULLS FIRST"));
    }
}

void define_index(SystemView *view, const AnyRelation *relation, bool pretty, Buffer *out) {
    const IndexDef *index = relation->index;
    buffer_append_str(out, index->is_unique ? STR("CREATE UNIQUE INDEX ") : STR("CREATE INDEX "));
    put_name(out, index->name);
    buffer_append_str(out, STR(" ON "));
    AnyRelation table;
    if (pretty && relation_by_oid(view, oid_of_table(relation->def->id), &table)) {
        names_append_relation(view, &table, out);
    } else {
        put_qualified(out, relation->schema_name, relation->def->name);
    }
    buffer_printf(out, " USING %.*s (", STR_ARG(index->method.len > 0 ? index->method : STR("btree")));
    for (uint16_t k = 0; k < index->key_count; k++) {
        buffer_append_str(out, k > 0 ? STR(", ") : STR(""));
        put_key(view, relation, k, pretty, out);
    }
    buffer_append_char(out, ')');
    if (index->include_count > 0) {
        buffer_append_str(out, STR(" INCLUDE "));
        put_column_list(out, relation->def, index->include_ids, index->include_count);
    }
    buffer_append_str(out, index->nulls_not_distinct ? STR(" NULLS NOT DISTINCT") : STR(""));
    if (index->predicate_text.len > 0) {
        buffer_append_str(out, STR(" WHERE "));
        print_expression(view, &(PrintOptions){.text = index->predicate_text, .dialect = index->dialect, .table = relation->def, .pretty = pretty}, out);
    }
}

static void put_action(Buffer *out, const char *event, uint8_t action) {
    const char *text = action == FOREIGN_RESTRICT  ? "RESTRICT"
                       : action == FOREIGN_CASCADE ? "CASCADE"
                       : action == FOREIGN_SET_NULL ? "SET NULL"
                       : action == FOREIGN_SET_DEFAULT ? "SET DEFAULT" : NULL;
    if (text != NULL) {
        buffer_printf(out, " ON %s %s", event, text);
    }
}

static void define_foreign_key(SystemView *view, const TableDef *table, const ConstraintDef *constraint, Buffer *out) {
    const TableDef *other = view->inner->table_by_id(view->inner, constraint->referenced_table_id);
    buffer_append_str(out, STR("FOREIGN KEY "));
    put_column_list(out, table, constraint->column_ids, constraint->column_count);
    buffer_append_str(out, STR(" REFERENCES "));
    if (other != NULL) {
        if (!schema_in_path(view, other->schema_name)) {
            put_name(out, other->schema_name);
            buffer_append_char(out, '.');
        }
        put_name(out, other->name);
        put_column_list(out, other, constraint->referenced_ids, constraint->column_count);
    }
    buffer_append_str(out, constraint->match == MATCH_FULL ? STR(" MATCH FULL") : STR(""));
    put_action(out, "UPDATE", constraint->on_update);
    put_action(out, "DELETE", constraint->on_delete);
}

static void define_check(SystemView *view, const TableDef *table, const ConstraintDef *constraint, bool pretty, Buffer *out) {
    buffer_append_str(out, STR("CHECK ("));
    print_expression(view, &(PrintOptions){.text = constraint->text, .dialect = constraint->dialect, .table = table, .pretty = pretty, .parens = !pretty}, out);
    buffer_append_char(out, ')');
}

void define_constraint(SystemView *view, const TableDef *table, const ConstraintDef *constraint, bool pretty, Buffer *out) {
    const IndexDef *index = table_index_by_id(table, constraint->index_id);
    switch (constraint->kind) {
    case CONSTRAINT_FOREIGN_KEY: define_foreign_key(view, table, constraint, out); break;
    case CONSTRAINT_CHECK: define_check(view, table, constraint, pretty, out); break;
    default:
        buffer_append_str(out, constraint->kind == CONSTRAINT_PRIMARY_KEY ? STR("PRIMARY KEY ") : STR("UNIQUE "));
        buffer_append_str(out, index != NULL && index->nulls_not_distinct ? STR("NULLS NOT DISTINCT ") : STR(""));
        put_column_list(out, table, constraint->column_ids, constraint->column_count);
        if (index != NULL && index->include_count > 0) {
            buffer_append_str(out, STR(" INCLUDE "));
            put_column_list(out, table, index->include_ids, index->include_count);
        }
    }
    buffer_append_str(out, constraint->no_inherit && constraint->kind == CONSTRAINT_CHECK ? STR(" NO INHERIT") : STR(""));
    buffer_append_str(out, constraint->deferrable ? STR(" DEFERRABLE") : STR(""));
    buffer_append_str(out, constraint->initially_deferred ? STR(" INITIALLY DEFERRED") : STR(""));
    buffer_append_str(out, constraint->validated ? STR("") : STR(" NOT VALID"));
}

bool constraint_by_oid(SystemView *view, uint32_t oid, const TableDef **table_out, const ConstraintDef **constraint_out) {
    size_t cursor = 0;
    while (oid >= OID_FIRST_USER && view->inner->table_next(view->inner, &cursor, table_out)) {
        *constraint_out = table_constraint_by_id(*table_out, oid - OID_FIRST_USER);
        if (*constraint_out != NULL) {
            return true;
        }
    }
    return false;
}
