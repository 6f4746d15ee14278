/* SPDX-License-Identifier: Apache-2.0
 * dialect.h - the two dialects of a statement. What they decide is one table in sql/parse/dialect.h; the catalog keeps the dialect
 * of stored defaults and views, which is why the two names lie this low. The numbers are stored. */
#pragma once

typedef enum Dialect { DIALECT_POSTGRES = 0, DIALECT_QUESTDB = 1, DIALECT_COUNT } Dialect;
