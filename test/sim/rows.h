/* SPDX-License-Identifier: Apache-2.0
 * rows.h - the simulator's tables through the engine's API: make them, fill them, read them whole. */
#pragma once
#include "engine/engine.h"
#include "model.h"

typedef struct RowKey {
    uint64_t ident;
    RowRef ref;
} RowKey;

/* "journal", "shared" or "t<slot>" */
const char *slot_name(uint8_t slot);
NODISCARD ErrorCode table_make(Txn *txn, uint8_t slot, uint8_t durability, Error *err);
NODISCARD ErrorCode table_find(Txn *txn, uint8_t slot, const TableDef **table_out, Error *err); /* *table_out NULL: it does not exist */
/* Rows first, first + 1, ...; wide: with long texts. */
NODISCARD ErrorCode rows_append(Txn *txn, const TableDef *table, uint64_t first, uint32_t count, bool wide, Error *err);
/* Idents and places of all rows, in the table's order; checks that each row is what its ident makes and that times ascend. keys: RowKey. */
NODISCARD ErrorCode rows_read(Txn *txn, const TableDef *table, Buffer *keys, Error *err);
/* Everything that there is. present of *found is given with room by the caller. */
NODISCARD ErrorCode database_read(Engine *engine, Found *found, Error *err);
