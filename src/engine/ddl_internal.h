/* SPDX-License-Identifier: Apache-2.0
 * ddl_internal.h - what ddl.c, ddl_column.c and ddl_object.c share. */
#pragma once
#include "engine/engine_internal.h"

void ddl__lock(Txn *txn);
ErrorCode ddl__unlock(Txn *txn, ErrorCode code); /* passes code through */
/* Until when to wait for others; sleeps, without the lock, until some transaction with DDL or a claim ends, or an error. Both under the lock. */
int64_t ddl__deadline(const Txn *txn);
NODISCARD ErrorCode ddl__wait(Txn *txn, Str name, int64_t deadline_nanos, Error *err); /* ERR_OBJECT_IN_USE behind the deadline; what the caller's interrupt says */
NODISCARD ErrorCode ddl__object(Txn *txn, uint32_t id, Str name, const ObjectVersion **object_out, Error *err);
/* The version to change behind a wait for something else, which let others in: does not wait, so that nothing comes between it and ddl__put. */
NODISCARD ErrorCode ddl__object_still(Txn *txn, uint32_t id, Str name, const ObjectVersion **object_out, Error *err);
NODISCARD ErrorCode ddl__table(Txn *txn, const TableDef *table, const ObjectVersion **object_out, Error *err);
const ObjectVersion *ddl__put(Txn *txn, ObjectVersion *object); /* takes it */
NODISCARD ErrorCode ddl__check_column_name(Str name, Error *err);
NODISCARD ErrorCode ddl__check_name(Str name, const char *what, Error *err);
/* Is the name free? *taken_out instead of an error, so that IF NOT EXISTS can look at it. */
NODISCARD ErrorCode ddl__name_free(Txn *txn, ObjectKind kind, uint32_t scope_id, Str name, bool *taken_out, Error *err);
NODISCARD ErrorCode ddl__table_drop(Txn *txn, const TableDef *table, bool cascade, Error *err);
NODISCARD ErrorCode ddl__claim(Txn *txn, uint32_t id, Str name, Error *err); /* the table's rows alone, waiting for other writers to end */
/* ddl_keys.c */
NODISCARD ErrorCode ddl__references_drop(Txn *txn, const TableDef *table, bool cascade, Error *err);
bool ddl__names_column(const uint32_t *ids, uint16_t count, uint32_t column_id);
NODISCARD ErrorCode ddl__column_parts_drop(Txn *txn, const TableDef *table, uint32_t column_id, bool cascade, const TableDef **table_out, Error *err);
NODISCARD ErrorCode ddl__index_build(Txn *txn, const TableDef *table, uint32_t index_id, Error *err); /* from the rows that are there */
NODISCARD ErrorCode ddl__check_foreign_types(const TableDef *table, const TableDef *parent, const ConstraintDef *constraint, Error *err);
