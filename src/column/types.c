/* SPDX-License-Identifier: Apache-2.0
 * types.c - look-ups in the type table. */
#include "column/source.h"
#include "column/array.h"

typedef struct TypeRow {
    const char *sql, *exec;
    uint32_t oid;
    uint8_t physical, category;
    bool preferred;
} TypeRow;

static const TypeRow TYPE_ROWS[TYPE_COUNT] = {
#define X(name, sql, exec, phys, oid, cat, pref) {sql, exec, oid, phys, cat, pref},
    COLUMN_TYPES(X)
#undef X
};

const char *type_sql_name(TypeId id) {
    assert(id < TYPE_COUNT);
    return TYPE_ROWS[id].sql;
}

Physical type_physical(TypeId id) {
    assert(id < TYPE_COUNT);
    return (Physical)TYPE_ROWS[id].physical;
}

TypeCategory type_category(TypeId id) {
    assert(id < TYPE_COUNT);
    return (TypeCategory)TYPE_ROWS[id].category;
}

bool type_preferred(TypeId id) {
    assert(id < TYPE_COUNT);
    return TYPE_ROWS[id].preferred;
}

uint32_t type_oid(TypeId id) {
    assert(id < TYPE_COUNT);
    return TYPE_ROWS[id].oid;
}
