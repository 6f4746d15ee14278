/* SPDX-License-Identifier: Apache-2.0
 * array_tables.h - the tables of the executor's tests: t (1,000 rows in time order with nulls), u (a small one to join), e (empty). */
#pragma once
#include "array_source.h"

enum { T_ROWS = 1000, U_ROWS = 37, TABLE_ROOM = 4000 };
void array_tables_make(ArrayStorage *storage);
