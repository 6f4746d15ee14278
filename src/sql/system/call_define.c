/* SPDX-License-Identifier: Apache-2.0
 * call_define.c - functions that answer SQL text: pg_get_indexdef and its kin, and comments. */
#include "column/any_array.h"
#include "sql/system/ask.h"
#include "sql/system/define.h"
#include "sql/system/names.h"
#include "sql/system/print.h"
#include "sql/system/produce.h"

/* Expressions are kept as text: what PostgreSQL would keep as a tree is printed here. */
ErrorCode system_answer_pg_get_expr(Ask *ask, Error *err) {
    (void)err;
    AnyRelation relation;
    bool pretty = ask->call->arg_count > 2 && ask_bool(ask, 2);
    bool of_table = relation_by_oid(ask->view, ask_oid(ask, 1), &relation) && relation.kind == 'r';
    print_expression(ask->view, &(PrintOptions){.text = ask_text(ask, 0), .dialect = DIALECT_POSTGRES, .table = of_table ? relation.def : NULL, .pretty = pretty}, &ask->text);
    answer_buffer(ask);
    return ERR_OK;
}

ErrorCode system_answer_pg_get_indexdef(Ask *ask, Error *err) {
    AnyRelation relation;
    (void)err;
    if (!relation_by_oid(ask->view, ask_oid(ask, 0), &relation) || relation.kind != 'i') {
        return ERR_OK;
    }
    int64_t column = ask->call->arg_count > 1 ? ask_int(ask, 1) : 0;
    if (column == 0) {
        define_index(ask->view, &relation, ask->call->arg_count > 2 && ask_bool(ask, 2), &ask->text);
    } else if (column > 0 && column <= relation_column_count(&relation)) {
        define_index_key(ask->view, &relation, (uint16_t)(column - 1), ask->call->arg_count > 2 && ask_bool(ask, 2), &ask->text);
    }
    answer_buffer(ask);
    return ERR_OK;
}

ErrorCode system_answer_pg_get_constraintdef(Ask *ask, Error *err) {
    const TableDef *table;
    const ConstraintDef *constraint;
    bool pretty = ask->call->arg_count > 1 && ask_bool(ask, 1);
    (void)err;
    if (constraint_by_oid(ask->view, ask_oid(ask, 0), &table, &constraint)) {
        define_constraint(ask->view, table, constraint, pretty, &ask->text);
        answer_buffer(ask);
    } else if (define_domain_check(ask->view, ask_oid(ask, 0), pretty, &ask->text)) {
        answer_buffer(ask);
    }
    return ERR_OK;
}

static ErrorCode find_named(Ask *ask, uint16_t argument, AnyRelation *relation_out, bool *found_out, Error *err) {
    uint32_t oid = 0;
    if (ask_is_text(ask, argument)) {
        TRY(names_find(ask->view, TYPE_REGCLASS, ask_text(ask, argument), &oid, err));
    } else {
        oid = ask_oid(ask, argument);
    }
    *found_out = relation_by_oid(ask->view, oid, relation_out);
    return ERR_OK;
}

/* The second argument: pretty or not, or after how many columns to break lines, which is pretty. */
static bool ask_is_pretty(const Ask *ask) { return ask->call->args[1]->type.id != TYPE_BOOL || ask_bool(ask, 1); }

ErrorCode system_answer_pg_get_viewdef(Ask *ask, Error *err) {
    AnyRelation relation;
    bool found = false;
    TRY(find_named(ask, 0, &relation, &found, err));
    if (found && relation.kind == 'v' && relation.object != NULL) {
        define_view(ask->view, &relation, ask->call->arg_count > 1 && ask_is_pretty(ask), &ask->text);
        answer_buffer(ask);
    }
    return ERR_OK;
}

ErrorCode system_answer_pg_get_ruledef(Ask *ask, Error *err) {
    size_t cursor = 0;
    const CatalogObject *object;
    (void)err;
    while (ask->view->inner->object_next(ask->view->inner, OBJECT_VIEW, &cursor, &object)) {
        AnyRelation relation;
        if (oid_default(oid_of_object(object->id), 0) != ask_oid(ask, 0) || !relation_by_oid(ask->view, oid_of_object(object->id), &relation)) {
            continue;
        }
        buffer_append_str(&ask->text, STR("CREATE RULE \"_RETURN\" AS\n    ON SELECT TO "));
        put_qualified(&ask->text, relation.schema_name, relation.name);
        buffer_append_str(&ask->text, STR(" DO INSTEAD "));
        define_view(ask->view, &relation, false, &ask->text);
        answer_buffer(ask);
    }
    return ERR_OK;
}

/* There are no triggers and no partitioned tables in PostgreSQL's sense. */
ErrorCode system_answer_pg_get_triggerdef(Ask *ask, Error *err) {
    (void)ask, (void)err;
    return ERR_OK;
}

ErrorCode system_answer_pg_get_partkeydef(Ask *ask, Error *err) {
    (void)ask, (void)err;
    return ERR_OK;
}

ErrorCode system_answer_pg_get_functiondef(Ask *ask, Error *err) {
    const BuiltinProc *proc = builtin_proc_by_oid(ask_oid(ask, 0));
    if (proc == NULL) {
        return ERR_OK;
    }
    return error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "function \"%s\" is built in and has no definition in SQL", proc->name);
}

static void put_type_name(Buffer *out, uint32_t oid) {
    char text[64];
    buffer_append_str(out, str_from(text, type_format_pg(text, sizeof text, oid, -1)));
}

/* oidvectortypes(proargtypes): "integer, text". */
ErrorCode system_answer_oidvectortypes(Ask *ask, Error *err) {
    AnyArray types;
    TRY(any_array_view(ask_text(ask, 0), &types, err));
    for (uint32_t i = 0; i < types.count; i++) {
        AnyValue value;
        uint32_t oid = 0;
        any_array_value(&types, i, &value);
        memcpy(&oid, &value, sizeof oid);
        buffer_append_str(&ask->text, i > 0 ? STR(", ") : STR(""));
        put_type_name(&ask->text, oid);
    }
    answer_buffer(ask);
    return ERR_OK;
}

ErrorCode system_answer_pg_get_function_arguments(Ask *ask, Error *err) {
    const BuiltinProc *proc = builtin_proc_by_oid(ask_oid(ask, 0));
    uint32_t arguments[CALL_ARGS_MAX];
    (void)err;
    if (proc == NULL) {
        return ERR_OK;
    }
    uint32_t count = builtin_proc_arguments(proc, arguments, COUNT_OF(arguments));
    for (uint32_t i = 0; i < count; i++) {
        buffer_append_str(&ask->text, i > 0 ? STR(", ") : STR(""));
        buffer_append_str(&ask->text, proc->variadic != 0 && i + 1 == count ? STR("VARIADIC ") : STR(""));
        put_type_name(&ask->text, arguments[i]);
    }
    answer_buffer(ask);
    return ERR_OK;
}

ErrorCode system_answer_pg_get_function_result(Ask *ask, Error *err) {
    const BuiltinProc *proc = builtin_proc_by_oid(ask_oid(ask, 0));
    (void)err;
    if (proc != NULL) {
        buffer_append_str(&ask->text, proc->returns_set ? STR("SETOF ") : STR(""));
        put_type_name(&ask->text, proc->result);
        answer_buffer(ask);
    }
    return ERR_OK;
}

/* What an index can do with a column of its keys; INCLUDE columns are only returned. NULL: no such index, column or property. */
ErrorCode system_answer_pg_index_column_has_property(Ask *ask, Error *err) {
    AnyRelation relation;
    int64_t number = ask_int(ask, 1);
    Str property = ask_text(ask, 2);
    (void)err;
    if (!relation_by_oid(ask->view, ask_oid(ask, 0), &relation) || relation.kind != 'i' || relation.index == NULL || number < 1) {
        return ERR_OK;
    }
    bool key = number <= relation.index->key_count, btree = str_equal(relation.index->method, STR("btree"));
    const IndexKeyDef *def = key ? &relation.index->keys[number - 1] : NULL;
    const struct { Str name; bool value, of_order; } properties[] = {
        {STR("asc"), key && !def->descending, true},           {STR("desc"), key && def->descending, true},
        {STR("nulls_first"), key && def->nulls_first, true},   {STR("nulls_last"), key && !def->nulls_first, true},
        {STR("orderable"), key && btree, false},                       {STR("distance_orderable"), false, false},
        {STR("returnable"), btree, false},                     {STR("search_array"), btree, true},
        {STR("search_nulls"), btree, true},
    };
    for (size_t i = 0; i < COUNT_OF(properties) && number <= relation.index->key_count + relation.index->include_count; i++) {
        if (str_equal_ignore_case(property, properties[i].name) && (key || !properties[i].of_order)) {
            answer_bool(ask, properties[i].value && (btree || !properties[i].of_order));
        }
    }
    return ERR_OK;
}

/* pg_get_serial_sequence(table, column): the sequence that the column owns. */
ErrorCode system_answer_pg_get_serial_sequence(Ask *ask, Error *err) {
    uint32_t oid = 0;
    AnyRelation table;
    TRY(names_find(ask->view, TYPE_REGCLASS, ask_text(ask, 0), &oid, err));
    if (!relation_by_oid(ask->view, oid, &table) || table.kind != 'r') {
        return ERR_OK;
    }
    int number = table_column_find(table.def, ask_text(ask, 1));
    if (number < 0) {
        return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" of relation \"%.*s\" does not exist", STR_ARG(ask_text(ask, 1)),
                         STR_ARG(table.name));
    }
    AnyRelation sequence;
    uint32_t id = table.def->columns[number].sequence_id;
    if (id != 0 && relation_by_oid(ask->view, oid_of_object(id), &sequence)) {
        put_qualified(&ask->text, sequence.schema_name, sequence.name);
        answer_buffer(ask);
        return ERR_OK;
    }
    size_t cursor = 0;
    const CatalogObject *object;
    while (ask->view->inner->object_next(ask->view->inner, OBJECT_SEQUENCE, &cursor, &object)) {
        if (object->parent_id == table.def->id && object->parent_column == table.def->columns[number].id) {
            put_qualified(&ask->text, schema_name(ask->view, object->schema_id), object->name);
            answer_buffer(ask);
            return ERR_OK;
        }
    }
    return ERR_OK;
}

/* ---- comments ---- */

static void answer_comment(Ask *ask, uint32_t id, uint32_t column_id) {
    size_t cursor = 0;
    const CatalogObject *comment;
    while (ask->view->inner->object_next(ask->view->inner, OBJECT_COMMENT, &cursor, &comment)) {
        if (comment->parent_id == id && comment_column(comment) == column_id) {
            answer_str(ask, body_text(comment->body));
            return;
        }
    }
}

static uint32_t id_of_oid(uint32_t oid) {
    return oid == OID_SCHEMA_PUBLIC ? (uint32_t)SCHEMA_PUBLIC_ID : oid == OID_ROLE_POSTGRES ? (uint32_t)ROLE_POSTGRES_ID : oid - OID_FIRST_USER;
}

ErrorCode system_answer_obj_description(Ask *ask, Error *err) {
    uint32_t oid = ask_oid(ask, 0);
    (void)err;
    if (oid >= OID_FIRST_USER || oid == OID_SCHEMA_PUBLIC) {
        answer_comment(ask, id_of_oid(oid), 0);
    }
    if (oid == OID_SCHEMA_PUBLIC && !ask->answered) {
        answer_str(ask, COMMENT_OF_PUBLIC);
    }
    return ERR_OK;
}

ErrorCode system_answer_col_description(Ask *ask, Error *err) {
    AnyRelation relation;
    int64_t number = ask_int(ask, 1);
    (void)err;
    if (!relation_by_oid(ask->view, ask_oid(ask, 0), &relation) || number < 1 || number > relation_column_count(&relation)) {
        return ERR_OK;
    }
    AnyColumn column;
    relation_column(&relation, (uint16_t)(number - 1), &column);
    answer_comment(ask, relation.oid - OID_FIRST_USER, column.def != NULL ? column.def->id : (uint32_t)number);
    return ERR_OK;
}

ErrorCode system_answer_shobj_description(Ask *ask, Error *err) {
    uint32_t oid = ask_oid(ask, 0);
    (void)err;
    answer_comment(ask, str_equal(ask_text(ask, 1), STR("pg_database")) ? 0 : id_of_oid(oid), 0);
    return ERR_OK;
}
