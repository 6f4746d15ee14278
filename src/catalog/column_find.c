/* SPDX-License-Identifier: Apache-2.0
 * column_find.c - columns by name: exact first, then the only case-insensitive match. */
#include "catalog/catalog.h"

int table_column_find(const TableDef *table, Str name) {
    int similar = -1;
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (str_equal(table->columns[i].name, name)) {
            return i;
        }
        if (str_equal_ignore_case(table->columns[i].name, name)) {
            similar = similar == -1 ? i : -2;
        }
    }
    return similar;
}
