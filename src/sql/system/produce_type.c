/* SPDX-License-Identifier: Apache-2.0
 * produce_type.c - pg_type and what describes types and functions: pg_proc, pg_aggregate, pg_operator, pg_cast, operator classes. */
#include "sql/system/each.h"
#include "sql/system/produce.h"

static void put_proc_oid(SystemRows *rows, const char *name) { put_oid(rows, is_wanted(rows) ? builtin_proc_oid(name) : 0); }

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
    put_proc_oid(rows, type->subscript);
    put_oid(rows, type->element);
    put_oid(rows, type->array_oid);
    put_proc_oid(rows, type->input);
    put_proc_oid(rows, type->output);
    put_proc_oid(rows, type->receive);
    put_proc_oid(rows, type->send);
    put_proc_oid(rows, type->modifier_in);
    put_proc_oid(rows, type->modifier_out);
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

static void put_type_name(SystemRows *rows, Str name, bool is_array) {
    Buffer text;
    buffer_init(&text, NAME_BYTES_MAX + 1);
    if (is_array) {
        buffer_append_char(&text, '_');
    }
    buffer_append_str(&text, str_from(name.data, MIN_OF(name.len, (size_t)NAME_BYTES_MAX)));
    put_text(rows, buffer_str(&text));
    buffer_deinit(&text);
}

void put_object_type_name(SystemRows *rows, const CatalogObject *type, bool is_array) { put_type_name(rows, type->name, is_array); }

/* typinput to typsend of a family of functions, and what subscripts an array: there are two types a table. */
static const uint32_t ARRAY_ENDS[] = {750, 751, 2400, 2401}, RECORD_ENDS[] = {2290, 2291, 2402, 2403}, ENUM_ENDS[] = {3506, 3507, 3532, 3533};
enum { OID_ARRAY_SUBSCRIPT = 6179 };

static void put_ends(SystemRows *rows, const uint32_t ends[4]) {
    for (size_t i = 0; i < 4; i++) {
        put_oid(rows, ends[i]);
    }
}

/* What pg_type says of a type that a domain is over; the array of anything. */
typedef struct TypeFigures { int16_t length; bool by_value; char kind, category, alignment, storage; uint32_t collation; } TypeFigures;

static TypeFigures figures_of(const TypeBody *body) {
    if (body->kind == TYPE_KIND_ENUM) {
        return (TypeFigures){4, true, 'e', 'E', 'i', 'p', 0};
    }
    const BuiltinType *base = builtin_type_by_oid(type_oid_of(body->base));
    if (base == NULL) { /* over an enum or an array of one */
        bool array = body->base.id == TYPE_ARRAY;
        return (TypeFigures){array ? -1 : 4, !array, 'd', array ? 'A' : 'E', 'i', array ? 'x' : 'p', 0};
    }
    return (TypeFigures){base->length, base->by_value, 'd', base->category, base->alignment, base->storage, base->collation};
}

static void put_functions(SystemRows *rows, const TypeBody *body) {
    const BuiltinType *base = body->kind == TYPE_KIND_DOMAIN ? builtin_type_by_oid(type_oid_of(body->base)) : NULL;
    if (body->kind == TYPE_KIND_ENUM) {
        put_ends(rows, ENUM_ENDS);
    } else {
        put_proc_oid(rows, "domain_in");
        put_proc_oid(rows, base == NULL ? "enum_out" : base->output);
        put_proc_oid(rows, "domain_recv");
        put_proc_oid(rows, base == NULL ? "enum_send" : base->send);
    }
}

/* typnotnull to the end */
static void put_domain_tail(SystemRows *rows, const TypeBody *body, uint32_t collation) {
    bool domain = body->kind == TYPE_KIND_DOMAIN;
    put_bool(rows, domain && body->not_null);
    put_oid(rows, !domain ? 0 : body->base_domain != 0 ? oid_of_object(body->base_domain) : type_oid_of(body->base));
    put_int(rows, domain ? type_typmod(body->base) : -1);
    put_int(rows, domain && body->base.id == TYPE_ARRAY ? 1 : 0);
    put_oid(rows, collation);
    put_filled(rows, domain ? body->default_text : (Str){0}); /* typdefaultbin, for pg_get_expr */
    put_filled(rows, domain ? body->default_text : (Str){0});
}

static void put_head(SystemView *view, SystemRows *rows, const CatalogObject *type, bool is_array) {
    put_oid(rows, is_array ? (uint32_t)TYPE_OBJECT_ARRAY_OID_BASE + type->id : oid_of_object(type->id));
    put_type_name(rows, type->name, is_array);
    put_oid(rows, schema_oid(type->schema_id));
    put_oid(rows, role_oid(catalog_owner(view->inner, type->id)));
}

static void put_user_type(SystemView *view, SystemRows *rows, const CatalogObject *type, const TypeBody *body) {
    TypeFigures figures = figures_of(body);
    row_begin(rows);
    put_head(view, rows, type, false);
    put_int(rows, figures.length);
    put_bool(rows, figures.by_value);
    put_char(rows, figures.kind);
    put_char(rows, figures.category);
    put_bool(rows, false);
    put_bool(rows, true);
    put_char(rows, ',');
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, (uint32_t)TYPE_OBJECT_ARRAY_OID_BASE + type->id);
    put_functions(rows, body);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_char(rows, figures.alignment);
    put_char(rows, figures.storage);
    put_domain_tail(rows, body, figures.collation);
    row_end(rows);
}

static void put_user_array(SystemView *view, SystemRows *rows, const CatalogObject *type) {
    row_begin(rows);
    put_head(view, rows, type, true);
    put_int(rows, -1);
    put_bool(rows, false);
    put_char(rows, 'b');
    put_char(rows, 'A');
    put_bool(rows, false);
    put_bool(rows, true);
    put_char(rows, ',');
    put_oid(rows, 0);
    put_oid(rows, (uint32_t)OID_ARRAY_SUBSCRIPT);
    put_oid(rows, oid_of_object(type->id));
    put_oid(rows, 0);
    put_ends(rows, ARRAY_ENDS);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_char(rows, 'i');
    put_char(rows, 'x');
    put_domain_tail(rows, &(TypeBody){.kind = TYPE_KIND_ENUM}, 0);
    row_end(rows);
}

static void put_user_types(SystemView *view, SystemRows *rows) {
    const CatalogObject *type = NULL;
    for (size_t cursor = 0; view->inner->object_next(view->inner, OBJECT_TYPE, &cursor, &type);) {
        TypeBody body;
        if (type_body_decode(type->body, view->arena, &body, NULL) == ERR_OK) {
            put_user_type(view, rows, type, &body);
            put_user_array(view, rows, type);
        }
    }
}

ErrorCode system_rows_pg_enum(SystemView *view, SystemRows *rows, Error *err) {
    const CatalogObject *type = NULL;
    for (size_t cursor = 0; view->inner->object_next(view->inner, OBJECT_TYPE, &cursor, &type);) {
        TypeBody body;
        TRY(type_body_decode(type->body, view->arena, &body, err));
        for (uint16_t i = 0; i < body.label_count; i++) {
            row_begin(rows);
            put_oid(rows, oid_enum_label(type->id, i));
            put_oid(rows, oid_of_object(type->id));
            put_int(rows, i + 1);
            put_text(rows, body.labels[i]);
            row_end(rows);
        }
    }
    return ERR_OK;
}

/* The row type of a table, or the array of it. */
static void put_row_type(SystemRows *rows, const AnyRelation *table, bool is_array) {
    row_begin(rows);
    put_oid(rows, is_array ? oid_row_array(table->oid) : oid_row_type(table->oid));
    put_type_name(rows, table->name, is_array);
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
    put_oid(rows, is_array ? (uint32_t)OID_ARRAY_SUBSCRIPT : 0);
    put_oid(rows, is_array ? oid_row_type(table->oid) : 0);
    put_oid(rows, is_array ? 0 : oid_row_array(table->oid));
    put_ends(rows, is_array ? ARRAY_ENDS : RECORD_ENDS);
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
}

ErrorCode system_rows_pg_type(SystemView *view, SystemRows *rows, Error *err) {
    (void)err;
    for (size_t i = 0; i < builtin_type_count(); i++) {
        put_type(rows, builtin_type_at(i));
    }
    put_user_types(view, rows);
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
