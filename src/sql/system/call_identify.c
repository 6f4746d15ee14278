/* SPDX-License-Identifier: Apache-2.0
 * call_identify.c - what objects and rights are, in words: the parts of pg_identify_object, the entries of aclexplode.
 *
 * Both give records in PostgreSQL; the binder makes those of the answers here. An entry is "grantor,grantee,PRIVILEGE,grantable". */
#include "sql/system/acl.h"
#include "sql/system/ask.h"
#include "sql/system/define.h"
#include "sql/system/names.h"

enum { ENTRIES_BYTES_MAX = 1 << 20 };

/* ---- pg_identify_object ---- */

/* The schema is empty where the name has none. */
typedef struct Identity { const char *type; Str schema, name, inner; } Identity;

static bool identify_relation(SystemView *view, uint32_t oid, int64_t column, Identity *identity_out) {
    AnyRelation relation;
    if (!relation_by_oid(view, oid, &relation) || column < 0 || column > relation_column_count(&relation)) {
        return false;
    }
    const char *type = relation.kind == 'v' ? "view" : relation.kind == 'i' ? "index" : relation.kind == 'S' ? "sequence" : "table";
    *identity_out = (Identity){.type = type, .schema = relation.schema_name, .name = relation.name};
    if (column > 0) {
        AnyColumn found;
        relation_column(&relation, (uint16_t)(column - 1), &found);
        identity_out->type = relation.kind == 'v' ? "view column" : "table column";
        identity_out->inner = found.name;
    }
    return true;
}

static bool identify_type(SystemView *view, uint32_t oid, Identity *identity_out) {
    Type type;
    const BuiltinType *builtin = builtin_type_by_oid(oid);
    const CatalogObject *object = type_from_object_oid(oid, &type) ? view->inner->object_by_id(view->inner, type_enum_object(type)) : NULL;
    if (builtin == NULL && (object == NULL || object->kind != OBJECT_TYPE)) {
        return false;
    }
    *identity_out = builtin != NULL ? (Identity){"type", STR("pg_catalog"), str_from_c(builtin->name), (Str){0}}
                                    : (Identity){"type", schema_name(view, object->schema_id), object->name, (Str){0}};
    return true;
}

static bool identify_constraint(SystemView *view, uint32_t oid, Identity *identity_out) {
    const TableDef *table;
    const ConstraintDef *constraint;
    if (!constraint_by_oid(view, oid, &table, &constraint)) {
        return false;
    }
    *identity_out = (Identity){"table constraint", table->schema_name, table->name, constraint->name};
    return true;
}

static bool identify(SystemView *view, uint32_t class_oid, uint32_t oid, int64_t part, Identity *identity_out) {
    switch (class_oid) {
    case OID_CLASS_CLASS: return identify_relation(view, oid, part, identity_out);
    case OID_CLASS_TYPE: return identify_type(view, oid, identity_out);
    case OID_CLASS_CONSTRAINT: return identify_constraint(view, oid, identity_out);
    case OID_CLASS_AUTHID: *identity_out = (Identity){.type = "role", .name = catalog_role_name(view->inner, role_of_oid(oid))}; break;
    case OID_CLASS_DATABASE: *identity_out = (Identity){.type = "database", .name = oid == OID_DATABASE ? view->environment->database_name : (Str){0}}; break;
    case OID_CLASS_NAMESPACE: {
        size_t cursor = 0;
        uint32_t id;
        Str name;
        while (view->inner->schema_next(view->inner, &cursor, &id, &name)) {
            if (schema_oid(id) == oid) {
                *identity_out = (Identity){.type = "schema", .name = name};
                return true;
            }
        }
        return false;
    }
    default: return false;
    }
    return identity_out->name.len > 0;
}

/* object_part(class, object, column, 0 type, 1 schema, 2 name, 3 identity) */
ErrorCode system_answer_object_part(Ask *ask, Error *err) {
    enum { PART_TYPE, PART_SCHEMA, PART_NAME };
    Identity identity = {0};
    (void)err;
    if (!identify(ask->view, ask_oid(ask, 0), ask_oid(ask, 1), ask_int(ask, 2), &identity)) {
        return ERR_OK;
    }
    switch (ask_int(ask, 3)) {
    case PART_TYPE: answer_str(ask, str_from_c(identity.type)); return ERR_OK;
    case PART_SCHEMA:
        if (identity.schema.len > 0) {
            answer_str(ask, identity.schema);
        }
        return ERR_OK;
    case PART_NAME:
        if (identity.inner.len == 0 || !str_equal(str_from_c(identity.type), STR("table constraint"))) { /* its name is unique in its table only */
            put_name(&ask->text, identity.name);
            answer_buffer(ask);
        }
        return ERR_OK;
    default: break;
    }
    bool constraint = str_equal(str_from_c(identity.type), STR("table constraint"));
    if (constraint) {
        put_name(&ask->text, identity.inner);
        buffer_append_str(&ask->text, STR(" on "));
    }
    if (identity.schema.len > 0) {
        put_name(&ask->text, identity.schema);
        buffer_append_char(&ask->text, '.');
    }
    put_name(&ask->text, identity.name);
    if (identity.inner.len > 0 && !constraint) {
        buffer_append_char(&ask->text, '.');
        put_name(&ask->text, identity.inner);
    }
    answer_buffer(ask);
    return ERR_OK;
}

/* ---- aclexplode ---- */

static const char *privilege_word(char letter) {
    static const struct { char letter; const char *word; } WORDS[] = {
#define X(name, letter, number) {letter, #name},
        PRIVILEGES(X)
#undef X
            {'s', "SET"}, {'A', "ALTER SYSTEM"},
    };
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (WORDS[i].letter == letter) {
            return WORDS[i].word;
        }
    }
    return NULL;
}

/* A role's name from `at` on, in quotes or up to the sign; 0: nobody's or not there. */
static uint32_t read_role(Ask *ask, Str text, size_t *at, char sign) {
    size_t from = *at;
    bool quoted = false;
    Str none, name;
    for (; *at < text.len && (quoted || text.data[*at] != sign); (*at)++) {
        quoted = quoted != (text.data[*at] == '"');
    }
    if (*at == from || !names_split(str_slice(text, from, *at), ask->call->arena, &none, &name)) {
        return 0;
    }
    const CatalogObject *role = catalog_role_find(ask->view->inner, name);
    return role == NULL ? 0 : role_oid(role->id);
}

/* "reader=ar*" and "/owner" */
static void add_entries(Ask *ask, Str text, AnyArrayBuilder *builder) {
    size_t at = 0;
    uint32_t grantee = read_role(ask, text, &at, '=');
    size_t letters = at + 1, end = letters;
    while (end < text.len && text.data[end] != '/') {
        end++;
    }
    at = end + 1;
    uint32_t grantor = at < text.len ? read_role(ask, text, &at, 0) : 0;
    for (size_t i = letters; i < end; i++) {
        const char *word = privilege_word(text.data[i]);
        if (word != NULL) {
            bool grantable = i + 1 < end && text.data[i + 1] == '*';
            Str entry = arena_format(ask->call->arena, "%u,%u,%s,%s", grantor, grantee, word, grantable ? "t" : "f");
            StrRef kept = strref_make(entry.data, entry.len);
            any_array_add(builder, &kept);
        }
    }
}

ErrorCode system_answer_acl_entries(Ask *ask, Error *err) {
    AnyArray items;
    AnyArrayBuilder builder;
    TRY(any_array_view(ask_text(ask, 0), &items, err));
    any_array_begin(&builder, TYPE_TEXT, ENTRIES_BYTES_MAX);
    for (uint32_t i = 0; i < items.count; i++) {
        AnyValue value;
        if (!any_array_is_null(&items, i)) {
            any_array_value(&items, i, &value);
            add_entries(ask, strref_str((const StrRef *)(const void *)&value), &builder);
        }
    }
    return answer_array(ask, &builder, err);
}
