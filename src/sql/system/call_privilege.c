/* SPDX-License-Identifier: Apache-2.0
 * call_privilege.c - has_…_privilege, pg_has_role, acldefault: may a role do something to an object.
 *
 * Forms: (object, privilege) for the session's role, (role, object, privilege); roles and objects by name or oid. Several privileges are separated by
 * commas: one of them is enough. */
#include "sql/system/acl.h"
#include "sql/system/ask.h"
#include "sql/system/define.h"
#include "sql/system/names.h"

static ErrorCode read_role(Ask *ask, bool has_role, uint32_t *role_out, Error *err) {
    if (!has_role) {
        *role_out = session_role(ask->view);
        return ERR_OK;
    }
    if (!ask_is_text(ask, 0)) {
        *role_out = role_of_oid(ask_oid(ask, 0));
        return ERR_OK;
    }
    if (str_equal(ask_text(ask, 0), STR("public"))) {
        *role_out = ROLE_PUBLIC_ID;
        return ERR_OK;
    }
    const CatalogObject *role = catalog_role_find(ask->view->inner, ask_text(ask, 0));
    if (role == NULL) {
        return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "role \"%.*s\" does not exist", STR_ARG(ask_text(ask, 0)));
    }
    *role_out = role->id;
    return ERR_OK;
}

/* "SELECT, INSERT WITH GRANT OPTION" */
static ErrorCode read_privileges(Str text, uint32_t *bits_out, Error *err) {
    static const struct { const char *name; uint32_t bit; } NAMES[] = {
#define X(name, letter, number) {#name, UINT32_C(1) << (number)},
        PRIVILEGES(X)
#undef X
        {"TEMP", PRIVILEGE_TEMPORARY},
    };
    static const char GRANT_OPTION[] = " WITH GRANT OPTION";
    Str piece;
    *bits_out = 0;
    while (text.len > 0 && str_split(&text, ',', &piece)) {
        uint32_t bit = 0;
        piece = str_trim(piece);
        size_t tail = sizeof GRANT_OPTION - 1;
        if (piece.len > tail && str_equal_ignore_case(str_from(piece.data + piece.len - tail, tail), str_from_c(GRANT_OPTION))) {
            piece.len -= tail;
        }
        for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
            bit |= str_equal_ignore_case(piece, str_from_c(NAMES[i].name)) ? NAMES[i].bit : 0;
        }
        if (bit == 0) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unrecognized privilege type: \"%.*s\"", STR_ARG(piece));
        }
        *bits_out |= bit;
    }
    return ERR_OK;
}

typedef struct Question { uint32_t role_id, object_oid, bits; } Question;

/* The three arguments from the end: [role,] object[, column], privilege. */
static ErrorCode read_question(Ask *ask, TypeId object_type, uint16_t middle, Question *question, Error *err) {
    uint16_t count = ask->call->arg_count;
    bool has_role = count == middle + 2;
    uint16_t object = has_role ? 1 : 0;
    TRY(read_role(ask, has_role, &question->role_id, err));
    TRY(read_privileges(ask_text(ask, (uint16_t)(count - 1)), &question->bits, err));
    if (ask_is_text(ask, object)) {
        return names_find(ask->view, object_type, ask_text(ask, object), &question->object_oid, err);
    }
    question->object_oid = ask_oid(ask, object);
    return ERR_OK;
}

/* Has one of the privileges. */
static bool may(const Ask *ask, uint32_t role_id, uint8_t kind, uint32_t object_id, uint32_t bits) {
    return (catalog_privileges(ask->view->inner, role_id, kind, object_id, false) & bits) != 0;
}

/* System relations are everybody's to read and a superuser's alone to do more with. */
static bool may_system(const Ask *ask, uint32_t role_id, bool readable) { return readable || catalog_role_is_superuser(ask->view->inner, role_id); }

static ErrorCode answer_relation(Ask *ask, uint16_t middle, Error *err) {
    Question question = {0};
    AnyRelation relation;
    TRY(read_question(ask, TYPE_REGCLASS, middle, &question, err));
    if (relation_by_oid(ask->view, question.object_oid, &relation)) {
        bool has = relation.is_system ? may_system(ask, question.role_id, (question.bits & PRIVILEGE_SELECT) != 0)
                                      : may(ask, question.role_id, acl_object_kind(relation.kind), relation.oid - OID_FIRST_USER, question.bits);
        answer_bool(ask, has);
    }
    return ERR_OK;
}

ErrorCode system_answer_has_table_privilege(Ask *ask, Error *err) { return answer_relation(ask, 1, err); }
ErrorCode system_answer_has_sequence_privilege(Ask *ask, Error *err) { return answer_relation(ask, 1, err); }
ErrorCode system_answer_has_any_column_privilege(Ask *ask, Error *err) { return answer_relation(ask, 1, err); }
ErrorCode system_answer_has_column_privilege(Ask *ask, Error *err) { return answer_relation(ask, 2, err); }

ErrorCode system_answer_has_schema_privilege(Ask *ask, Error *err) {
    Question question = {0};
    TRY(read_question(ask, TYPE_REGNAMESPACE, 1, &question, err));
    uint32_t oid = question.object_oid;
    if (oid == OID_SCHEMA_CATALOG || oid == OID_SCHEMA_INFORMATION) {
        answer_bool(ask, may_system(ask, question.role_id, (question.bits & PRIVILEGE_USAGE) != 0));
    } else if (oid == OID_SCHEMA_PUBLIC || oid >= OID_FIRST_USER) {
        uint32_t id = oid == OID_SCHEMA_PUBLIC ? (uint32_t)SCHEMA_PUBLIC_ID : oid - OID_FIRST_USER;
        answer_bool(ask, may(ask, question.role_id, OBJECT_SCHEMA, id, question.bits));
    }
    return ERR_OK;
}

ErrorCode system_answer_has_database_privilege(Ask *ask, Error *err) {
    uint16_t count = ask->call->arg_count;
    uint32_t role = 0, bits = 0;
    TRY(read_role(ask, count == 3, &role, err));
    TRY(read_privileges(ask_text(ask, (uint16_t)(count - 1)), &bits, err));
    answer_bool(ask, may(ask, role, OBJECT_NONE, 0, bits));
    return ERR_OK;
}

/* Built-in functions and types are everybody's. */
ErrorCode system_answer_has_function_privilege(Ask *ask, Error *err) { return (void)err, answer_bool(ask, true), ERR_OK; }
ErrorCode system_answer_has_type_privilege(Ask *ask, Error *err) { return (void)err, answer_bool(ask, true), ERR_OK; }

/* MEMBER, USAGE or SET, each maybe WITH ADMIN OPTION. */
static ErrorCode membership_answer(Ask *ask, Str word, uint32_t role, uint32_t other, bool *answer_out, Error *err) {
    static const struct { Str word; MembershipUse use; } USES[] = {{{"member", 6}, MEMBERSHIP_ANY}, {{"usage", 5}, MEMBERSHIP_INHERIT}, {{"set", 3}, MEMBERSHIP_SET}};
    static const Str OPTIONS[] = {{" with admin option", 18}, {" with grant option", 18}};
    Str plain = word;
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        bool ends = plain.len > OPTIONS[i].len && str_equal_ignore_case(str_slice(plain, plain.len - OPTIONS[i].len, plain.len), OPTIONS[i]);
        plain = ends ? str_slice(plain, 0, plain.len - OPTIONS[i].len) : plain;
    }
    for (size_t i = 0; i < COUNT_OF(USES); i++) {
        if (str_equal_ignore_case(plain, USES[i].word)) {
            *answer_out = plain.len < word.len ? catalog_role_is_admin(ask->view->inner, role, other) : catalog_role_is_member(ask->view->inner, role, other, USES[i].use);
            return ERR_OK;
        }
    }
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unrecognized privilege type: \"%.*s\"", STR_ARG(word));
}

ErrorCode system_answer_pg_has_role(Ask *ask, Error *err) {
    uint16_t count = ask->call->arg_count, object = count == 3 ? 1 : 0;
    uint32_t role = 0, other = 0;
    TRY(read_role(ask, count == 3, &role, err));
    if (ask_is_text(ask, object)) {
        TRY(names_find(ask->view, TYPE_REGROLE, ask_text(ask, object), &other, err));
        other = role_of_oid(other);
    } else {
        other = role_of_oid(ask_oid(ask, object));
    }
    Str words = ask_text(ask, (uint16_t)(count - 1)), word;
    bool has = false;
    while (words.len > 0 && str_split(&words, ',', &word)) {
        bool one = false;
        TRY(membership_answer(ask, str_trim(word), role, other, &one, err));
        has = has || one;
    }
    answer_bool(ask, has);
    return ERR_OK;
}

ErrorCode system_answer_acldefault(Ask *ask, Error *err) {
    enum { ACL_BYTES_MAX = 4096 };
    Str texts[2];
    Buffer owner;
    char kind = *(const char *)vector_value(ask->call->args[0], ask->row);
    buffer_init(&owner, ACL_BYTES_MAX);
    put_name(&owner, catalog_role_name(ask->view->inner, role_of_oid(ask_oid(ask, 1))));
    uint32_t count = acl_default(kind, buffer_str(&owner), ask->call->arena, texts);
    buffer_deinit(&owner);
    if (count == ACL_NO_KIND) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unrecognized object type abbreviation: %c", kind);
    }
    AnyArrayBuilder builder;
    any_array_begin(&builder, TYPE_ACLITEM, ACL_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        StrRef text = strref_make(texts[i].data, texts[i].len);
        any_array_add(&builder, &text);
    }
    return answer_array(ask, &builder, err);
}
