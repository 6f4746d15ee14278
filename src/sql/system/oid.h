/* SPDX-License-Identifier: Apache-2.0
 * oid.h - object ids as PostgreSQL's clients see them.
 *
 * Objects of the catalog: 16384 + their id, so they are unique and survive a restart. Objects that have no id of their own take derived ones: row
 * types, array types of row types, defaults of columns and foreign keys' triggers do not meet, because each kind has its own range above 2^28. System relations
 * have PostgreSQL's oids; their tables are known to binder and executor by SYSTEM_TABLE_BIT | oid. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define SYSTEM_TABLE_BIT UINT32_C(0x80000000)

enum {
    OID_FIRST_USER = 16384,
    OID_SCHEMA_CATALOG = 11, OID_SCHEMA_TOAST = 99, OID_SCHEMA_PUBLIC = 2200, OID_SCHEMA_INFORMATION = 13183,
    OID_ROLE_POSTGRES = 10,
    OID_DATABASE = 5,            /* the one database */
    OID_TABLESPACE_DEFAULT = 1663, OID_TABLESPACE_GLOBAL = 1664,
    OID_AM_HEAP = 2, OID_AM_BTREE = 403, OID_AM_HASH = 405,
    OID_COLLATION_DEFAULT = 100, OID_COLLATION_C = 950, OID_COLLATION_POSIX = 951,
    OID_LANGUAGE_INTERNAL = 12, OID_LANGUAGE_C = 13, OID_LANGUAGE_SQL = 14,
    OID_CLASS_TYPE = 1247, OID_CLASS_ATTRIBUTE = 1249, OID_CLASS_PROC = 1255, OID_CLASS_CLASS = 1259, OID_CLASS_AUTHID = 1260,
    OID_CLASS_DATABASE = 1262, OID_CLASS_CONSTRAINT = 2606, OID_CLASS_NAMESPACE = 2615, OID_CLASS_ATTRDEF = 2604, OID_CLASS_REWRITE = 2618,
    OID_CLASS_EXTENSION = 3079
};

#define OID_ROW_TYPE_BASE (UINT32_C(1) << 28)
#define OID_ROW_ARRAY_BASE (UINT32_C(2) << 28)
#define OID_DEFAULT_BASE (UINT32_C(3) << 28)

#define OID_ENUM_LABEL_BASE (UINT32_C(5) << 28) /* 4: arrays of types that users made, column/types.h */

static inline uint32_t oid_of_object(uint32_t id) { return OID_FIRST_USER + id; } /* schemas and roles: see schema_oid, role_oid of each.h */
/* A table id of a TableDef, system relations included. */
static inline uint32_t oid_of_table(uint32_t table_id) {
    return (table_id & SYSTEM_TABLE_BIT) != 0 ? table_id & ~SYSTEM_TABLE_BIT : oid_of_object(table_id);
}
static inline uint32_t table_of_oid(uint32_t oid) { return oid >= OID_FIRST_USER ? oid - OID_FIRST_USER : SYSTEM_TABLE_BIT | oid; }
static inline bool table_is_system(uint32_t table_id) { return (table_id & SYSTEM_TABLE_BIT) != 0; }
static inline uint32_t oid_row_type(uint32_t table_oid) { return OID_ROW_TYPE_BASE + table_oid; }
static inline uint32_t oid_row_array(uint32_t table_oid) { return OID_ROW_ARRAY_BASE + table_oid; }
/* Folded like the next; by place, so a label added in between moves those behind it. Nothing refers to them. */
static inline uint32_t oid_enum_label(uint32_t type_id, uint16_t number) { return OID_ENUM_LABEL_BASE + (type_id & 0xffff) * 4096 + (number & 4095u); }
/* Tables have up to 2,000 columns ever: the pair is folded; two tables could only meet beyond 131,072 objects. */
static inline uint32_t oid_default(uint32_t table_oid, uint32_t column_id) {
    return OID_DEFAULT_BASE + (table_oid & 0x1ffff) * 2048 + (column_id & 2047);
}
