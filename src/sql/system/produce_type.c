/* SPDX-License-Identifier: Apache-2.0
 * produce_type.c - pg_type and what describes types and functions: pg_proc, pg_aggregate, pg_operator, pg_cast, operator classes. */
#include "sql/system/each.h"
#include "sql/system/produce.h"
#include <stdio.h>

static void put_type(SystemRows *rows, const BuiltinType *type) {
    row_begin(rows);
    put_oid(rows, type->oid);
    put_c(rows, type->name);
    put_oid(rows, OID_SCHEMA_CATALOG);
    put_oid(rows, OID_ROLE_POSTGRES);
    put_int(rows, type->length);
    put_bool(rows, type->by_value);
    put_char(rows, type->kind);
    put_char(rows, type->category);
    put_bool(rows, type->preferred);
    put_bool(rows, true);
    put_char(rows, ',');
    put_oid(rows, 0);
    put_oid(rows, builtin_proc_oid(type->subscript));
    put_oid(rows, type->element);
    put_oid(rows, type->array_oid);
    put_oid(rows, builtin_proc_oid(type->input));
    put_oid(rows, builtin_proc_oid(type->output));
    put_oid(rows, builtin_proc_oid(type->receive));
    put_oid(rows, builtin_proc_oid(type->send));
    put_oid(rows, builtin_proc_oid(type->modifier_in));
    put_oid(rows, builtin_proc_oid(type->modifier_out));
    put_oid(rows, 0);
    put_char(rows, type->alignment);
    put_char(rows, type->storage);
    put_bool(rows, false);
    put_oid(rows, 0);
    put_int(rows, -1);
    put_int(rows, 0);
    put_oid(rows, type->collation);
    row_end(rows);
}

/* The row type of a table, or the array of it. */
static void put_row_type(SystemRows *rows, const AnyRelation *table, bool is_array) {
    Buffer name;
    buffer_init(&name, NAME_BYTES_MAX + 1);
    if (is_array) {
        buffer_append_char(&name, '_');
    }
    buffer_append_str(&name, str_from(table->name.data, MIN_OF(table->name.len, (size_t)NAME_BYTES_MAX)));
    const char *stem = is_array ? "array" : "record";
    char function[32];
    row_begin(rows);
    put_oid(rows, is_array ? oid_row_array(table->oid) : oid_row_type(table->oid));
    put_text(rows, buffer_str(&name));
    put_oid(rows, table->schema_oid);
    put_oid(rows, table->owner_oid);
    put_int(rows, -1);
    put_bool(rows, false);
    put_char(rows, is_array ? 'b' : 'c');
    put_char(rows, is_array ? 'A' : 'C');
    put_bool(rows, false);
    put_bool(rows, true);
    put_char(rows, ',');
    put_oid(rows, is_array ? 0 : table->oid);
    put_oid(rows, is_array ? builtin_proc_oid("array_subscript_handler") : 0);
    put_oid(rows, is_array ? oid_row_type(table->oid) : 0);
    put_oid(rows, is_array ? 0 : oid_row_array(table->oid));
    static const char *const ENDS[] = {"in", "out", "recv", "send"};
    for (size_t i = 0; i < COUNT_OF(ENDS); i++) {
        snprintf(function, sizeof function, "%s_%s", stem, ENDS[i]);
        put_oid(rows, builtin_proc_oid(function));
    }
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_char(rows, 'd');
    put_char(rows, 'x');
    put_bool(rows, false);
    put_oid(rows, 0);
    put_int(rows, -1);
    put_int(rows, 0);
    put_oid(rows, 0);
    row_end(rows);
    buffer_deinit(&name);
}

ErrorCode system_rows_pg_type(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    for (size_t i = 0; i < builtin_type_count(); i++) {
        put_type(rows, builtin_type_at(i));
    }
    RelationWalk walk = {0};
    AnyRelation table;
    while (next_relation(view, &walk, &table)) {
        if (table.kind != 'r' && table.kind != 'v') {
            continue;
        }
        put_row_type(rows, &table, false);
        if (!table.is_system) {
            put_row_type(rows, &table, true);
        }
    }
    return ERR_OK;
}

/* ---- functions ---- */

static void put_proc(SystemRows *rows, const BuiltinProc *proc) {
    uint32_t arguments[CALL_ARGS_MAX];
    uint32_t count = builtin_proc_arguments(proc, arguments, COUNT_OF(arguments));
    row_begin(rows);
    put_oid(rows, proc->oid);
    put_c(rows, proc->name);
    put_oid(rows, OID_SCHEMA_CATALOG);
    put_oid(rows, OID_ROLE_POSTGRES);
    put_oid(rows, OID_LANGUAGE_INTERNAL);
    put_int(rows, 1);
    put_int(rows, proc->returns_set ? 1000 : 0);
    put_oid(rows, proc->variadic);
    put_oid(rows, 0);
    put_char(rows, proc->kind);
    put_bool(rows, false);
    put_bool(rows, false);
    put_bool(rows, proc->strict);
    put_bool(rows, proc->returns_set);
    put_char(rows, proc->volatility);
    put_char(rows, 's');
    put_int(rows, count);
    put_int(rows, 0);
    put_oid(rows, proc->result);
    put_oids(rows, arguments, count);
    put_nulls(rows, 5);
    put_c(rows, proc->name);
    row_end(rows);
}

ErrorCode system_rows_pg_proc(SystemView *view, SystemRows *rows, Error *err) {
    (void)view, (void)err;
    for (size_t i = 0; i < builtin_proc_count(); i++) {
        const BuiltinProc *proc = builtin_proc_at(i);
        if (builtin_proc_exists(proc)) {
            put_proc(rows, proc);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_aggregate(SystemView *view, SystemRows *rows, Error *err) {
    (void)view, (void)err;
    for (size_t i = 0; i < builtin_proc_count(); i++) {
        const BuiltinProc *proc = builtin_proc_at(i);
        if (proc->kind != 'a' || !builtin_proc_exists(proc)) {
            continue;
        }
        row_begin(rows);
        put_oid(rows, proc->oid);
        put_char(rows, 'n');
        put_int(rows, 0);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_operator(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid; const char *name; char kind; uint32_t left, right, result, commutator, negator, code; bool merges, hashes; } OPERATORS[] = {
#define O(...) {__VA_ARGS__},
#include "sql/system/builtin_operators.h"
#undef O
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(OPERATORS); i++) {
        row_begin(rows);
        put_oid(rows, OPERATORS[i].oid);
        put_c(rows, OPERATORS[i].name);
        put_oid(rows, OID_SCHEMA_CATALOG);
        put_oid(rows, OID_ROLE_POSTGRES);
        put_char(rows, OPERATORS[i].kind);
        put_bool(rows, OPERATORS[i].merges);
        put_bool(rows, OPERATORS[i].hashes);
        put_oid(rows, OPERATORS[i].left);
        put_oid(rows, OPERATORS[i].right);
        put_oid(rows, OPERATORS[i].result);
        put_oid(rows, OPERATORS[i].commutator);
        put_oid(rows, OPERATORS[i].negator);
        put_oid(rows, OPERATORS[i].code);
        put_oid(rows, 0);
        put_oid(rows, 0);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_cast(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid, source, target, function; char context, method; } CASTS[] = {
#define C(...) {__VA_ARGS__},
#include "sql/system/builtin_casts.h"
#undef C
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(CASTS); i++) {
        row_begin(rows);
        put_oid(rows, CASTS[i].oid);
        put_oid(rows, CASTS[i].source);
        put_oid(rows, CASTS[i].target);
        put_oid(rows, CASTS[i].function);
        put_char(rows, CASTS[i].context);
        put_char(rows, CASTS[i].method);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_opfamily(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid, method; const char *name; } FAMILIES[] = {
#define F(...) {__VA_ARGS__},
#include "sql/system/builtin_opclasses.h"
#undef F
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(FAMILIES); i++) {
        row_begin(rows);
        put_oid(rows, FAMILIES[i].oid);
        put_oid(rows, FAMILIES[i].method);
        put_c(rows, FAMILIES[i].name);
        put_oid(rows, OID_SCHEMA_CATALOG);
        put_oid(rows, OID_ROLE_POSTGRES);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_pg_opclass(SystemView *view, SystemRows *rows, Error *err) {
    static const struct { uint32_t oid, method; const char *name; uint32_t family, input; bool is_default; uint32_t key; } CLASSES[] = {
#define K(...) {__VA_ARGS__},
#include "sql/system/builtin_opclasses.h"
#undef K
    };
    (void)view, (void)err;
    for (size_t i = 0; i < COUNT_OF(CLASSES); i++) {
        row_begin(rows);
        put_oid(rows, CLASSES[i].oid);
        put_oid(rows, CLASSES[i].method);
        put_c(rows, CLASSES[i].name);
        put_oid(rows, OID_SCHEMA_CATALOG);
        put_oid(rows, OID_ROLE_POSTGRES);
        put_oid(rows, CLASSES[i].family);
        put_oid(rows, CLASSES[i].input);
        put_bool(rows, CLASSES[i].is_default);
        put_oid(rows, CLASSES[i].key);
        row_end(rows);
    }
    return ERR_OK;
}
