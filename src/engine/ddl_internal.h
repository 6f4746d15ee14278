/* SPDX-License-Identifier: Apache-2.0
 * ddl_internal.h - what ddl.c and ddl_column.c share. */
#pragma once
#include "engine/engine_internal.h"

void ddl__lock(Txn *txn);
ErrorCode ddl__unlock(Txn *txn, ErrorCode code); /* passes code through */
NODISCARD ErrorCode ddl__object(Txn *txn, uint32_t id, Str name, const CatalogObject **object_out, Error *err);
const CatalogObject *ddl__put(Txn *txn, CatalogObject *object); /* takes it */
NODISCARD ErrorCode ddl__check_column_name(Str name, Error *err);
