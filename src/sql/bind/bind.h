/* SPDX-License-Identifier: Apache-2.0
 * bind.h - from the parser's tree to a bound statement: names to columns, calls to function rows, casts put in, dialect decided.
 *
 * Errors carry the byte offset in the statement text. What Basalt does not do yet is ERR_NOT_SUPPORTED and named; never ignored. */
#pragma once
#include "sql/bind/bound.h"
#include "sql/parse/ast.h"

/* Where a text names types that users made, where it spells their labels, and where it names columns of tables (column_id is not 0): bytes of
 * the text. Gathered while it is bound. */
typedef struct TypeUse { uint32_t object_id, column_id, at, len; bool is_label, is_array_name, qualified; } TypeUse; /* len 0: a literal, to its end */
typedef struct TypeUses { TypeUse *items; uint32_t count, capacity; } TypeUses;

typedef struct BindContext {
    CatalogView *catalog;                    /* of the statement's transaction; table definitions found live as long */
    const FunctionEnvironment *environment;
    Str text;                                /* the statement text that spans point into (column names of the questdb dialect) */
    Dialect dialect;
    const Type *param_types;                 /* declared types by number, TYPE_UNKNOWN = infer; may be NULL */
    uint32_t param_count;
    uint32_t role_id;                        /* whose privileges are checked; 0 = a superuser's: nothing is */
    TypeUses *uses;                          /* NULL: nobody asks */
} BindContext;

/* SQL texts over the columns of one table, as a SELECT of them in the rows' order: checks, index expressions, predicates. */
typedef struct TableExpression { Str text; uint8_t dialect; Type type; int16_t value_column; } TableExpression; /* value_column: number + 1 of what VALUE is */
NODISCARD ErrorCode bind_table_expressions(const BindContext *context, const TableDef *table, const TableExpression *expressions, uint32_t count, Arena *arena,
                                           BoundStatement **bound_out, Error *err);
/* COPY ... FROM ... WHERE: the condition as one boolean a row of the table, in the rows' order. */
NODISCARD ErrorCode bind_copy_condition(const BindContext *context, const TableDef *table, const AstExpr *where, Arena *arena, BoundStatement **bound_out, Error *err);
/* An UPDATE that changes nothing: every row is written anew. */
NODISCARD ErrorCode bind_table_rewrite(const BindContext *context, const TableDef *table, Arena *arena, BoundStatement **bound_out, Error *err);
/* Everything made lives in the arena. What the session does from the tree (SET, transactions, cursors) is refused. */
NODISCARD ErrorCode bind_statement(const AstStatement *statement, const BindContext *context, Arena *arena, BoundStatement **bound_out, Error *err);

/* The text with other names of types, or another label, at its uses: a name of object_id becomes `name` (qualified), a label of it new_label
 * where it is old_label. Empty: stays. With a column_id: the column of that table becomes `name`. */
typedef struct TypeRespelling { uint32_t object_id, column_id; Str schema_name, name, old_label, new_label; } TypeRespelling;
Str bind_respell_types(Str text, Dialect dialect, const TypeUses *uses, const TypeRespelling *respelling, Arena *arena);

/* CREATE and ALTER DOMAIN: texts and types checked and put into the body. The checks that are said come behind those that it has. */
NODISCARD ErrorCode bind_domain(const BindContext *context, const struct AstUserType *ast, Arena *arena, TypeBody *body, Error *err);
/* Types as they are written; "unknown" is TYPE_UNKNOWN. */
NODISCARD ErrorCode bind_types(const BindContext *context, AstType *const *types, uint32_t count, Arena *arena, Type **types_out, Error *err);

/* ---- views ---- */
/* An object or column whose name in the text becomes another. */
typedef struct ViewRename { uint32_t object_id, column_id; Str schema_name, name; } ViewRename; /* column_id: ColumnDef.id, 0 = the object; schema_name of objects */
/* The query of a view bound for its columns and needs, and printed with qualified names and without *. The tree is changed. */
NODISCARD ErrorCode bind_view(const BindContext *context, AstSelect *select, const ViewRename *rename, Arena *arena, ViewBinding *binding_out, Error *err);
/* "nextval('s'::regclass)", as PostgreSQL shows a default: qualified where the schema is not public. */
Str bind_sequence_default(CatalogView *catalog, const CatalogObject *sequence, Arena *arena);

/* ---- names of relations (relation_name.c) ---- */
NODISCARD ErrorCode relation_name_parts(const AstNames *names, Str database, Error *err);  /* 42601 past three parts, 0A000 where the first is another database */
/* 3F000 where the schema is missing (missing_ok: fine), 42501 where the role may not use it; role_id 0: a superuser's. */
NODISCARD ErrorCode relation_schema_check(CatalogView *catalog, uint32_t role_id, const AstNames *names, bool missing_ok, Error *err);
/* In the schema that is named, else along the search path. */
const IndexDef *relation_index_find(CatalogView *catalog, const FunctionEnvironment *environment, const AstNames *names, const TableDef **table_out);
const char *relation_kind_plural(const CatalogObject *object); /* "views"; NULL is an index */
