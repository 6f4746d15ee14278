/* SPDX-License-Identifier: Apache-2.0
 * ddl_internal.h - what the files of this folder share: names to objects, who may, descriptions. */
#pragma once
#include "ddl/ddl.h"
#include "sql/parse/parse.h"

void ddl__tag(Ddl *ddl, const char *format, ...) PRINTF_LIKE(2, 3);
ErrorCode ddl__not_supported(int64_t position, Error *err, const char *format, ...) PRINTF_LIKE(3, 4);
/* Where an object of that name goes: schema (made sure that it exists and may be used) and last part. */
NODISCARD ErrorCode ddl__place(Ddl *ddl, const AstNames *names, uint32_t *schema_id_out, Str *name_out, Error *err);
NODISCARD ErrorCode ddl__check_database(const AstName *name, Error *err); /* 3D000 unless it is a name of the one there is */
/* The object that the names mean. OBJECT_NONE: any of table, view, sequence. IF EXISTS: NULL instead of an error, with a notice. DROP has words of its own. */
typedef enum FindUse { FIND, FIND_IF_EXISTS, FIND_DROP, FIND_DROP_IF_EXISTS } FindUse;
NODISCARD ErrorCode ddl__find(Ddl *ddl, ObjectKind kind, const AstNames *names, FindUse use, const CatalogObject **object_out, Error *err);
NODISCARD ErrorCode ddl__role(Ddl *ddl, const AstName *name, uint32_t *role_id_out, Error *err); /* also current_user, session_user; public is ROLE_PUBLIC_ID */
NODISCARD ErrorCode ddl__role_object(Ddl *ddl, const AstName *name, const CatalogObject **role_out, Error *err); /* same, but public is none */
NODISCARD ErrorCode ddl__must_own(Ddl *ddl, const CatalogObject *object, Error *err);
bool ddl__is_superuser(Ddl *ddl);
bool ddl__may(Ddl *ddl, uint8_t kind, uint32_t object_id, uint32_t privileges);
Str ddl__describe(Ddl *ddl, const CatalogObject *object);                   /* "table s.t" */
/* role_rights.c: who may do what to roles */
bool ddl__role_body(Ddl *ddl, uint32_t role_id, RoleBody *body_out);         /* false: there is no such role; all zero */
bool ddl__may_create_roles(Ddl *ddl);
NODISCARD ErrorCode ddl__check_create_role(Ddl *ddl, const AstRole *ast, Error *err);
NODISCARD ErrorCode ddl__check_alter_role(Ddl *ddl, const CatalogObject *role, const AstRole *ast, Error *err);
NODISCARD ErrorCode ddl__check_role_admin(Ddl *ddl, const CatalogObject *role, const char *action, Error *err); /* "alter", "rename", "drop" */
NODISCARD ErrorCode ddl__check_membership(Ddl *ddl, uint32_t role_id, bool revoke, Error *err);
/* What a statement says of a flag: -1 nothing, 0, 1. */
static inline void ddl__take_flag(int8_t said, bool *flag) { *flag = said < 0 ? *flag : said != 0; }
/* role_member.c */
NODISCARD ErrorCode ddl__join_creator(Ddl *ddl, uint32_t role_id, Error *err); /* ADMIN alone, for who made the role */
NODISCARD ErrorCode ddl__take_members(Ddl *ddl, const AstRole *ast, uint32_t role_id, Error *err);
NODISCARD ErrorCode ddl__grant_roles(Ddl *ddl, const AstGrant *ast, Error *err);
/* owners and privileges (names.c) */
NODISCARD ErrorCode ddl__set_owner(Ddl *ddl, uint8_t kind, uint32_t object_id, uint32_t owner_id, Error *err);
Bytes ddl__grant_bytes(Ddl *ddl, const GrantBody *grant);
NODISCARD ErrorCode ddl__put_grant(Ddl *ddl, uint32_t object_id, const GrantBody *grant, Error *err);
/* Everything that hangs on an object (comment, grant, settings) goes without a word. */
NODISCARD ErrorCode ddl__drop_details(Ddl *ddl, uint32_t object_id, Error *err);
Bytes ddl__bytes(Ddl *ddl, Buffer *buffer);                                  /* to the arena; frees the buffer */
/* In place of `old`, or a new one where that is NULL. */
NODISCARD ErrorCode ddl__put_object(Ddl *ddl, CatalogObject *def, const CatalogObject *old, Error *err);

ColumnDef *ddl__copy_columns(Ddl *ddl, const TableDef *table);                /* to change some; computed ones too */
NODISCARD ErrorCode ddl__column_sequence(Ddl *ddl, const ColumnSequence *sequence, CatalogObject *def, Str table_name, ColumnDef *column, Error *err);

/* views: view.c */
/* The stored text bound, maybe with another name, and printed from what was bound. uses: where it names types, may be NULL. */
NODISCARD ErrorCode ddl__view_bind(Ddl *ddl, const CatalogObject *object, const ViewBody *view, const ViewRename *rename, TypeUses *uses, Str *text_out,
                                   Error *err);
NODISCARD ErrorCode ddl__view_replace(Ddl *ddl, const CatalogObject *object, const ViewBody *view, Error *err);
/* types: user_type.c, domain.c, respell.c */
/* Schema and name of a new type; the name must be free, of rows of relations too. */
NODISCARD ErrorCode ddl__type_place(Ddl *ddl, const AstNames *names, CatalogObject *def, Error *err);
Bytes ddl__type_bytes(Ddl *ddl, const TypeBody *body);
NODISCARD ErrorCode ddl__type_replace(Ddl *ddl, const CatalogObject *object, const TypeBody *body, Error *err);
NODISCARD ErrorCode ddl__must_be_domain(Ddl *ddl, const CatalogObject *object, Error *err);
/* Stored texts get the new names of a type or its label, while the old ones still hold. */
NODISCARD ErrorCode ddl__respell(Ddl *ddl, const CatalogObject *type, const TypeRespelling *respelling, Error *err);

/* one a kind of statement */
NODISCARD ErrorCode ddl__domain(Ddl *ddl, const AstUserType *ast, Error *err);
NODISCARD ErrorCode ddl__user_type(Ddl *ddl, const AstUserType *ast, Error *err);
NODISCARD ErrorCode ddl__sequence(Ddl *ddl, const AstSequence *ast, Error *err);
NODISCARD ErrorCode ddl__create_role(Ddl *ddl, const AstRole *ast, Error *err);
NODISCARD ErrorCode ddl__alter_role(Ddl *ddl, const AstRole *ast, Error *err);
NODISCARD ErrorCode ddl__rename_role(Ddl *ddl, const AstAlterTable *ast, Error *err);
NODISCARD ErrorCode ddl__drop_roles(Ddl *ddl, const AstDrop *ast, Error *err);
NODISCARD ErrorCode ddl__object_setting(Ddl *ddl, const AstObjectSetting *ast, Error *err);
NODISCARD ErrorCode ddl__owned(Ddl *ddl, const AstOwned *ast, Error *err);
NODISCARD ErrorCode ddl__grant(Ddl *ddl, const AstGrant *ast, Error *err);
NODISCARD ErrorCode ddl__comment(Ddl *ddl, const AstComment *ast, Error *err);
NODISCARD ErrorCode ddl__extension(Ddl *ddl, const AstExtension *ast, Error *err);
NODISCARD ErrorCode ddl__drop_statement(Ddl *ddl, const AstDrop *ast, Error *err);
NODISCARD ErrorCode ddl__create_view(Ddl *ddl, const AstCreateView *ast, const BoundStatement *bound, Error *err);
NODISCARD ErrorCode ddl__alter(Ddl *ddl, const AstAlterTable *ast, Error *err);   /* of views, sequences, schemas, indexes, roles */
