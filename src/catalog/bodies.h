/* SPDX-License-Identifier: Apache-2.0
 * bodies.h - what the body of each kind of catalog object holds: structs, to bytes and back.
 *
 * Decoding points into the body (texts) and the arena (lists); both must live as long as the struct is used.
 * Format: docs/format/catalog.md. To add a field: append it, and let a shorter body mean its zero. */
#pragma once
#include "catalog/catalog.h"

/* OBJECT_VIEW. The text has every name qualified, so that it means the same under any search path. */
typedef struct ViewColumn { Str name; Type type; } ViewColumn;
typedef struct ViewBody {
    Str text;                  /* the query */
    uint8_t dialect;
    bool temporary;
    uint8_t check_option;      /* 0 none, 1 local, 2 cascaded */
    uint16_t column_count;
    const ViewColumn *columns;
} ViewBody;
void view_body_encode(const ViewBody *view, Buffer *out);
NODISCARD ErrorCode view_body_decode(Bytes body, Arena *arena, ViewBody *view_out, Error *err);

/* OBJECT_SEQUENCE. Where it stands is not part of the object: engine.h, txn_sequence_... */
typedef struct SequenceBody {
    uint8_t type;              /* TypeId: INT2, INT4 or INT8 */
    bool cycle;
    int64_t start, increment, minimum, maximum, cache;
    int64_t restart;           /* the state `state_id` began with this value; restart_called: it counts as given */
    bool restart_called;
    uint32_t state_id;         /* a new one with each RESTART, so that a rollback brings the old state back */
    bool internal;             /* made for an identity column */
} SequenceBody;
void sequence_body_encode(const SequenceBody *sequence, Buffer *out);
NODISCARD ErrorCode sequence_body_decode(Bytes body, SequenceBody *sequence_out, Error *err);

/* OBJECT_ROLE */
typedef struct RoleBody {
    bool superuser, inherit, create_role, create_db, login, replication, bypass_rls;
    int32_t connection_limit;  /* -1 = none */
    bool has_valid_until;
    int64_t valid_until;       /* microseconds from 1970 */
    Str password;              /* SCRAM verifier as text, empty = none */
} RoleBody;
void role_body_encode(const RoleBody *role, Buffer *out);
NODISCARD ErrorCode role_body_decode(Bytes body, RoleBody *role_out, Error *err);

/* OBJECT_MEMBERSHIP: the member (name of the object in decimal) is in the role that is the object's parent. */
typedef struct MembershipBody { uint32_t member_id, grantor_id; bool admin, inherit, set; } MembershipBody;
void membership_body_encode(const MembershipBody *membership, Buffer *out);
NODISCARD ErrorCode membership_body_decode(Bytes body, MembershipBody *membership_out, Error *err);

/* name, letter in aclitem, bit; the order is PostgreSQL's */
#define PRIVILEGES(X)                                                                                                  \
    X(INSERT, 'a', 0) X(SELECT, 'r', 1) X(UPDATE, 'w', 2) X(DELETE, 'd', 3) X(TRUNCATE, 'D', 4) X(REFERENCES, 'x', 5)    \
    X(TRIGGER, 't', 6) X(EXECUTE, 'X', 7) X(USAGE, 'U', 8) X(CREATE, 'C', 9) X(TEMPORARY, 'T', 10) X(CONNECT, 'c', 11) \
    X(MAINTAIN, 'm', 12)
typedef enum Privilege {
#define X(name, letter, bit) PRIVILEGE_##name = 1 << (bit),
    PRIVILEGES(X)
#undef X
        PRIVILEGE_ALL_RELATION = 0x107f, /* INSERT to TRIGGER, MAINTAIN */
        PRIVILEGE_ALL_SEQUENCE = 0x106,  /* SELECT, UPDATE, USAGE */
        PRIVILEGE_ALL_SCHEMA = 0x300,    /* USAGE, CREATE */
        PRIVILEGE_ALL_DATABASE = 0xe00   /* CREATE, TEMPORARY, CONNECT */
} Privilege;

/* OBJECT_GRANT: owner and privileges of its parent (parent 0: of the database). An object without one belongs to postgres. */
typedef struct AclItem { uint32_t grantee_id /* ROLE_PUBLIC_ID = everybody */, grantor_id, privileges, grant_options; } AclItem;
typedef struct GrantBody {
    uint32_t owner_id;
    bool has_acl;              /* false: PostgreSQL's default for the kind */
    uint16_t item_count;
    const AclItem *items;
} GrantBody;
void grant_body_encode(const GrantBody *grant, Buffer *out);
NODISCARD ErrorCode grant_body_decode(Bytes body, Arena *arena, GrantBody *grant_out, Error *err);

/* OBJECT_COMMENT, OBJECT_SETTING: the body is the text. OBJECT_EXTENSION: the body is the version. */
static inline Str body_text(Bytes body) { return (Str){(const char *)body.data, body.len}; }

/* Settings of roles and of the database. Parent: the role, 0 = every role. Its name is the setting's, with '/' in front where the scope is the
 * less usual one: for a role, in the database; for every role, wherever (ALTER ROLE ALL). */
static inline bool setting_is_marked(const CatalogObject *setting) { return setting->name.len > 0 && setting->name.data[0] == '/'; }
static inline bool setting_in_database(const CatalogObject *setting) { return setting_is_marked(setting) == (setting->parent_id != 0); }
static inline Str setting_name(const CatalogObject *setting) { return str_slice(setting->name, setting_is_marked(setting) ? 1 : 0, setting->name.len); }
static inline Str setting_object_name(Arena *arena, uint32_t role_id, bool in_database, Str name) {
    return in_database == (role_id != 0) ? arena_format(arena, "/%.*s", STR_ARG(name)) : name;
}

/* OBJECT_TYPE */
typedef struct DomainCheck { uint32_t id; Str name, text; bool validated; } DomainCheck; /* text: the condition over VALUE */
typedef enum TypeKind { TYPE_KIND_ENUM = 1, TYPE_KIND_DOMAIN = 2 } TypeKind;
typedef struct TypeBody {
    uint8_t kind;              /* TypeKind */
    uint16_t label_count;      /* enum: in order */
    const Str *labels;
    const uint64_t *positions; /* of the labels, rising; they never change: values hold them (user_type.h) */
    Type base;                 /* domain: what its values are stored as */
    uint32_t base_domain;      /* domain over a domain: that one; its checks hold too. 0: none */
    bool not_null;
    Str default_text;
    uint8_t dialect;           /* of the texts */
    uint16_t check_count;
    const DomainCheck *checks;
} TypeBody;
void type_body_encode(const TypeBody *type, Buffer *out);
NODISCARD ErrorCode type_body_decode(Bytes body, Arena *arena, TypeBody *type_out, Error *err);
