/* SPDX-License-Identifier: Apache-2.0
 * names.c - see names.h. */
#include "sql/system/names.h"
#include "base/number.h"
#include "sql/system/define.h"

enum { NAME_TEXT_MAX = 4096 };

/* ---- reading names ---- */

static bool read_part(Str text, size_t *at, Buffer *out) {
    size_t from = *at;
    bool quoted = from < text.len && text.data[from] == '"';
    size_t i = quoted ? from + 1 : from;
    for (; i < text.len; i++) {
        char c = text.data[i];
        if (quoted && c == '"') {
            if (i + 1 < text.len && text.data[i + 1] == '"') {
                i++;
            } else {
                break;
            }
        } else if (!quoted && (c == '.' || c == ' ')) {
            break;
        }
        buffer_append_char(out, quoted ? c : char_lower(c));
    }
    bool closed = !quoted || i < text.len;
    *at = quoted && closed ? i + 1 : i;
    return closed && *at > from;
}

bool names_split(Str text, Arena *arena, Str *schema_out, Str *name_out) {
    Buffer part;
    size_t at = 0;
    bool fine = true;
    Str parts[3] = {{0}, {0}, {0}};
    int count = 0;
    text = str_trim(text);
    buffer_init(&part, NAME_TEXT_MAX);
    while (fine && at < text.len) {
        buffer_clear(&part);
        fine = count < 3 && text.len < NAME_TEXT_MAX && read_part(text, &at, &part);
        if (fine) {
            parts[count++] = arena_str(arena, buffer_str(&part));
            fine = at == text.len || (text.data[at] == '.' && at + 1 < text.len);
            at++;
        }
    }
    buffer_deinit(&part);
    *schema_out = count >= 2 ? parts[count - 2] : (Str){0};
    *name_out = parts[count > 0 ? count - 1 : 0]; /* a database before the schema can only be this one */
    return fine && count > 0;
}

/* ---- relations ---- */

static bool find_index(SystemView *view, Str schema, Str name, AnyRelation *relation_out) {
    RelationWalk walk = {0};
    while (next_relation(view, &walk, relation_out)) {
        bool in_schema = schema.len > 0 ? str_equal(relation_out->schema_name, schema) : schema_in_path(view, relation_out->schema_name);
        if (relation_out->kind == 'i' && in_schema && str_equal(relation_out->name, name)) {
            return true;
        }
    }
    return false;
}

bool names_find_relation(SystemView *view, Str schema, Str name, AnyRelation *relation_out) {
    const SystemRelation *system = system_relation_find(schema.len == 0 ? STR("pg_catalog") : schema, name);
    if (system != NULL) {
        return relation_by_oid(view, system->oid, relation_out);
    }
    const CatalogObject *object = view->inner->relation_find(view->inner, schema, name);
    if (object != NULL) {
        return relation_by_oid(view, oid_of_object(object->id), relation_out);
    }
    return find_index(view, schema, name, relation_out);
}

bool relation_is_visible(SystemView *view, const AnyRelation *relation) {
    AnyRelation first;
    if (!schema_in_path(view, relation->schema_name)) {
        return false;
    }
    if (relation->kind == 'i' || relation->is_system) {
        return true;
    }
    const CatalogObject *object = view->inner->relation_find(view->inner, (Str){0}, relation->name);
    (void)first;
    return object != NULL && oid_of_object(object->id) == relation->oid;
}

void names_append_relation(SystemView *view, const AnyRelation *relation, Buffer *out) {
    if (!relation_is_visible(view, relation)) {
        put_name(out, relation->schema_name);
        buffer_append_char(out, '.');
    }
    put_name(out, relation->name);
}

/* ---- oid to name ---- */

static bool append_relation(SystemView *view, uint32_t oid, Buffer *out) {
    AnyRelation relation;
    if (!relation_by_oid(view, oid, &relation)) {
        return false;
    }
    names_append_relation(view, &relation, out);
    return true;
}

static bool append_schema(SystemView *view, uint32_t oid, Buffer *out) {
    uint32_t id = oid == OID_SCHEMA_CATALOG || oid == OID_SCHEMA_INFORMATION ? SYSTEM_TABLE_BIT | oid
                  : oid == OID_SCHEMA_PUBLIC                                 ? (uint32_t)SCHEMA_PUBLIC_ID
                  : oid >= OID_FIRST_USER                                    ? oid - OID_FIRST_USER
                                                                             : 0;
    Str name = schema_name(view, id);
    if (name.len > 0) {
        put_name(out, name);
    }
    return name.len > 0;
}

static bool append_proc(uint32_t oid, bool with_arguments, Buffer *out) {
    const BuiltinProc *proc = builtin_proc_by_oid(oid);
    if (proc == NULL) {
        return false;
    }
    put_name(out, str_from_c(proc->name));
    if (with_arguments) {
        uint32_t arguments[CALL_ARGS_MAX];
        uint32_t count = builtin_proc_arguments(proc, arguments, COUNT_OF(arguments));
        buffer_append_char(out, '(');
        for (uint32_t i = 0; i < count; i++) {
            char text[64];
            buffer_append_str(out, i > 0 ? STR(",") : STR(""));
            buffer_append_str(out, str_from(text, type_format_pg(text, sizeof text, arguments[i], -1)));
        }
        buffer_append_char(out, ')');
    }
    return true;
}

static bool append_type(SystemView *view, uint32_t oid, Buffer *out) {
    char text[64];
    AnyRelation relation;
    if (oid < OID_FIRST_USER) {
        if (builtin_type_by_oid(oid) == NULL) {
            return false;
        }
        buffer_append_str(out, str_from(text, type_format_pg(text, sizeof text, oid, -1)));
        return true;
    }
    Type type;
    if (type_from_object_oid(oid, &type) && names_append_user_type(view, type_enum_object(type), out)) {
        buffer_append_str(out, type.id == TYPE_ARRAY ? STR("[]") : STR(""));
        return true;
    }
    bool is_array = oid >= OID_ROW_ARRAY_BASE;
    if (oid < OID_ROW_TYPE_BASE || !relation_by_oid(view, oid - (is_array ? OID_ROW_ARRAY_BASE : OID_ROW_TYPE_BASE), &relation)) {
        return false;
    }
    names_append_relation(view, &relation, out);
    buffer_append_str(out, is_array ? STR("[]") : STR(""));
    return true;
}

void names_append_type(SystemView *view, uint32_t oid, int32_t modifier, Buffer *out) {
    char text[64];
    if (oid < OID_FIRST_USER || !append_type(view, oid, out)) {
        buffer_append_str(out, str_from(text, type_format_pg(text, sizeof text, oid, modifier)));
    }
}

bool names_append(SystemView *view, TypeId type, uint32_t oid, Buffer *out) {
    switch (type) {
    case TYPE_REGCLASS: return append_relation(view, oid, out);
    case TYPE_REGNAMESPACE: return append_schema(view, oid, out);
    case TYPE_REGPROC: return append_proc(oid, false, out);
    case TYPE_REGPROCEDURE: return append_proc(oid, true, out);
    case TYPE_REGTYPE: return append_type(view, oid, out);
    case TYPE_REGROLE: {
        Str name = catalog_role_name(view->inner, role_of_oid(oid));
        if (name.len > 0) {
            put_name(out, name);
        }
        return name.len > 0;
    }
    default: return false;
    }
}

/* ---- name to oid ---- */

static ErrorCode find_relation(SystemView *view, Str text, Arena *arena, uint32_t *oid_out, Error *err) {
    Str schema, name;
    AnyRelation relation;
    if (!names_split(text, arena, &schema, &name)) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid name syntax");
    }
    if (!names_find_relation(view, schema, name, &relation)) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "relation \"%.*s%s%.*s\" does not exist", STR_ARG(schema), schema.len > 0 ? "." : "",
                         STR_ARG(name));
    }
    *oid_out = relation.oid;
    return ERR_OK;
}

static ErrorCode find_schema(SystemView *view, Str text, Arena *arena, uint32_t *oid_out, Error *err) {
    Str none, name;
    if (!names_split(text, arena, &none, &name) || none.len > 0) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid name syntax");
    }
    if (str_equal(name, STR("pg_catalog")) || str_equal(name, STR("information_schema"))) {
        *oid_out = str_equal(name, STR("pg_catalog")) ? OID_SCHEMA_CATALOG : OID_SCHEMA_INFORMATION;
        return ERR_OK;
    }
    const CatalogObject *schema = view->inner->object_find(view->inner, OBJECT_SCHEMA, 0, name);
    if (schema == NULL) {
        return error_set(err, ERR_UNDEFINED_SCHEMA, ERROR_NO_POSITION, "schema \"%.*s\" does not exist", STR_ARG(name));
    }
    *oid_out = schema_oid(schema->id);
    return ERR_OK;
}

static ErrorCode find_role(SystemView *view, Str text, Arena *arena, uint32_t *oid_out, Error *err) {
    Str none, name;
    if (!names_split(text, arena, &none, &name) || none.len > 0) {
        return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid name syntax");
    }
    const CatalogObject *role = view->inner->object_find(view->inner, OBJECT_ROLE, 0, name);
    if (role == NULL) {
        return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "role \"%.*s\" does not exist", STR_ARG(name));
    }
    *oid_out = role_oid(role->id);
    return ERR_OK;
}

/* "mood", "mood[]" (array), "_mood" */
static bool find_user_type(SystemView *view, Str schema, Str name, bool array, uint32_t *oid_out) {
    const CatalogObject *made = names_find_user_type(view, schema, name);
    if (made == NULL && !array && name.len > 1 && name.data[0] == '_') {
        made = names_find_user_type(view, schema, str_slice(name, 1, name.len));
        array = true;
    }
    if (made != NULL) {
        *oid_out = array ? (uint32_t)TYPE_OBJECT_ARRAY_OID_BASE + made->id : oid_of_object(made->id);
    }
    return made != NULL;
}

/* A type that no value has, as it is printed: "bit varying", "anyarray". */
static bool builtin_type_formatted(Str text, uint32_t *oid_out) {
    enum { TYPE_NAME_BYTES = 64 };
    char name[TYPE_NAME_BYTES];
    for (size_t i = 0; i < builtin_type_count(); i++) {
        const BuiltinType *type = builtin_type_at(i);
        if (str_equal_ignore_case(str_from(name, type_format_pg(name, sizeof name, type->oid, -1)), text)) {
            *oid_out = type->oid;
            return true;
        }
    }
    return false;
}

/* "text", "pg_catalog.int4", "numeric(10,2)", "int[]", what users made, a table's row type. */
static ErrorCode find_type(SystemView *view, Str text, Arena *arena, uint32_t *oid_out, Error *err) {
    Type type;
    Str schema, name;
    AnyRelation relation;
    bool array = str_ends_with(text, STR("[]"));
    bool split = names_split(array ? str_trim(str_slice(text, 0, text.len - 2)) : text, arena, &schema, &name);
    bool builtin_schema = split && !array && (schema.len == 0 || str_equal(schema, STR("pg_catalog")));
    const BuiltinType *builtin = builtin_schema ? builtin_type_by_name(name) : NULL;
    Str bare = str_starts_with(text, STR("pg_catalog.")) ? str_from(text.data + 11, text.len - 11) : text;
    if (builtin != NULL) {
        *oid_out = builtin->oid;
    } else if (type_from_name(bare, false, &type)) {
        *oid_out = type_oid_of(type);
    } else if (builtin_type_formatted(text, oid_out)) {
        return ERR_OK;
    } else if (split && find_user_type(view, schema, name, array, oid_out)) {
        return ERR_OK;
    } else if (split && !array && names_find_relation(view, schema, name, &relation) && (relation.kind == 'r' || relation.kind == 'v')) {
        *oid_out = oid_row_type(relation.oid);
    } else {
        return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "type \"%.*s\" does not exist", STR_ARG(text));
    }
    return ERR_OK;
}

static bool arguments_match(const BuiltinProc *proc, Str list) {
    uint32_t arguments[CALL_ARGS_MAX];
    uint32_t count = builtin_proc_arguments(proc, arguments, COUNT_OF(arguments)), seen = 0;
    Str piece;
    while (list.len > 0 && str_split(&list, ',', &piece)) {
        Type type;
        const BuiltinType *builtin = builtin_type_by_name(str_trim(piece));
        uint32_t oid = builtin != NULL ? builtin->oid : type_from_name(str_trim(piece), false, &type) ? type_oid_of(type) : 0;
        if (seen == count || arguments[seen++] != oid) {
            return false;
        }
    }
    return seen == count;
}

static ErrorCode find_proc(Str text, bool with_arguments, Arena *arena, uint32_t *oid_out, Error *err) {
    size_t open = 0;
    Str schema, name;
    uint32_t found = 0, matches = 0;
    while (open < text.len && text.data[open] != '(') {
        open++;
    }
    Str list = open + 1 < text.len ? str_from(text.data + open + 1, text.len - open - 2) : (Str){0};
    bool fine = names_split(str_from(text.data, open), arena, &schema, &name) && (open < text.len) == with_arguments;
    for (size_t i = 0; fine && i < builtin_proc_count(); i++) {
        const BuiltinProc *proc = builtin_proc_at(i);
        if (str_equal(str_from_c(proc->name), name) && builtin_proc_exists(proc) && (!with_arguments || arguments_match(proc, list))) {
            found = proc->oid;
            matches++;
        }
    }
    if (matches == 0) {
        return error_set(err, ERR_UNDEFINED_FUNCTION, ERROR_NO_POSITION, "function \"%.*s\" does not exist", STR_ARG(text));
    }
    if (matches > 1) {
        return error_set(err, ERR_AMBIGUOUS_FUNCTION, ERROR_NO_POSITION, "more than one function named \"%.*s\"", STR_ARG(text));
    }
    *oid_out = found;
    return ERR_OK;
}

static ErrorCode find_in(SystemView *view, TypeId type, Str text, Arena *arena, uint32_t *oid_out, Error *err) {
    switch (type) {
    case TYPE_REGCLASS: return find_relation(view, text, arena, oid_out, err);
    case TYPE_REGNAMESPACE: return find_schema(view, text, arena, oid_out, err);
    case TYPE_REGROLE: return find_role(view, text, arena, oid_out, err);
    case TYPE_REGPROC: return find_proc(text, false, arena, oid_out, err);
    case TYPE_REGPROCEDURE: return find_proc(text, true, arena, oid_out, err);
    default: return find_type(view, text, arena, oid_out, err);
    }
}

ErrorCode names_find(SystemView *view, TypeId type, Str text, uint32_t *oid_out, Error *err) {
    Arena arena;
    arena_init(&arena, NAME_TEXT_MAX * 4);
    ErrorCode code = find_in(view, type, str_trim(text), &arena, oid_out, err);
    arena_deinit(&arena);
    return code;
}
