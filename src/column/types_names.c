/* SPDX-License-Identifier: Apache-2.0
 * types_names.c - the names that types go by in both dialects.
 *
 * Why: PostgreSQL's and QuestDB's names live side by side in one table; the four that mean different things (date, float, char,
 * decimal) have a row for each dialect. */
#include "column/types.h"

enum { IN_BOTH = 0, IN_POSTGRES = 1, IN_QUESTDB = 2 };

typedef struct NameRow {
    const char *name;
    uint8_t dialect;
    Type type;
} NameRow;

#define T(type_name) {.id = TYPE_##type_name}

static const NameRow NAME_ROWS[] = {
    {"bool", IN_BOTH, T(BOOL)},
    {"boolean", IN_BOTH, T(BOOL)},
    {"byte", IN_BOTH, T(BYTE)},
    {"tinyint", IN_BOTH, T(BYTE)},
    {"short", IN_BOTH, T(INT2)},
    {"smallint", IN_BOTH, T(INT2)},
    {"int2", IN_BOTH, T(INT2)},
    {"int", IN_BOTH, T(INT4)},
    {"int4", IN_BOTH, T(INT4)},
    {"integer", IN_BOTH, T(INT4)},
    {"long", IN_BOTH, T(INT8)},
    {"int8", IN_BOTH, T(INT8)},
    {"bigint", IN_BOTH, T(INT8)},
    {"real", IN_BOTH, T(FLOAT4)},
    {"float4", IN_BOTH, T(FLOAT4)},
    {"float", IN_POSTGRES, T(FLOAT8)},
    {"float", IN_QUESTDB, T(FLOAT4)},
    {"float8", IN_BOTH, T(FLOAT8)},
    {"double", IN_BOTH, T(FLOAT8)},
    {"double precision", IN_BOTH, T(FLOAT8)},
    {"numeric", IN_BOTH, T(NUMERIC)},
    {"dec", IN_BOTH, T(NUMERIC)},
    {"decimal", IN_POSTGRES, T(NUMERIC)},
    {"decimal", IN_QUESTDB, {.id = TYPE_DECIMAL8, .precision = 18, .scale = 3}},
    {"symbol", IN_BOTH, T(SYMBOL)},
    {"text", IN_BOTH, T(TEXT)},
    {"string", IN_BOTH, T(VARCHAR)},
    {"name", IN_BOTH, T(NAME)},
    {"varchar", IN_BOTH, T(VARCHAR)},
    {"character varying", IN_BOTH, T(VARCHAR)},
    {"char varying", IN_BOTH, T(VARCHAR)},
    {"bpchar", IN_BOTH, T(BPCHAR)},
    {"character", IN_BOTH, {.id = TYPE_BPCHAR, .length = 1}},
    {"char", IN_POSTGRES, {.id = TYPE_BPCHAR, .length = 1}},
    {"char", IN_QUESTDB, T(CHAR)},
    {"bytea", IN_BOTH, T(BYTEA)},
    {"binary", IN_BOTH, T(BYTEA)},
    {"date", IN_POSTGRES, T(DATE)},
    {"date", IN_QUESTDB, T(TIMESTAMP_MS)},
    {"timestamp_ms", IN_BOTH, T(TIMESTAMP_MS)},
    {"timestamp", IN_BOTH, T(TIMESTAMP)},
    {"timestamp without time zone", IN_BOTH, T(TIMESTAMP)},
    {"timestamp_ns", IN_BOTH, T(TIMESTAMP_NS)},
    {"timestamptz", IN_BOTH, T(TIMESTAMPTZ)},
    {"timestamp with time zone", IN_BOTH, T(TIMESTAMPTZ)},
    {"interval", IN_BOTH, T(INTERVAL)},
    {"uuid", IN_BOTH, T(UUID)},
    {"time", IN_BOTH, T(TIME)},
    {"time without time zone", IN_BOTH, T(TIME)},
    {"timetz", IN_BOTH, T(TIMETZ)},
    {"time with time zone", IN_BOTH, T(TIMETZ)},
    {"json", IN_BOTH, T(JSON)},
    {"jsonb", IN_BOTH, T(JSONB)},
    {"oid", IN_BOTH, T(OID)},
    {"regclass", IN_BOTH, T(REGCLASS)},
    {"regtype", IN_BOTH, T(REGTYPE)},
    {"regproc", IN_BOTH, T(REGPROC)},
    {"regprocedure", IN_BOTH, T(REGPROCEDURE)},
    {"regnamespace", IN_BOTH, T(REGNAMESPACE)},
    {"regrole", IN_BOTH, T(REGROLE)},
    {"\"char\"", IN_BOTH, T(CHAR1)},
    {"xid", IN_BOTH, T(XID)},
    {"cid", IN_BOTH, T(CID)},
    {"tid", IN_BOTH, T(TID)},
    {"xid8", IN_BOTH, T(XID8)},
    {"int2vector", IN_BOTH, T(INT2VECTOR)},
    {"oidvector", IN_BOTH, T(OIDVECTOR)},
    {"aclitem", IN_BOTH, T(ACLITEM)},
    {"pg_node_tree", IN_BOTH, T(NODE_TREE)},
    {"void", IN_BOTH, T(VOID)},
    {"record", IN_BOTH, T(RECORD)},
};
#undef T

static bool name_look_up(Str name, bool questdb, Type *type_out) {
    for (size_t i = 0; i < COUNT_OF(NAME_ROWS); i++) {
        const NameRow *row = &NAME_ROWS[i];
        bool spoken = row->dialect == IN_BOTH || (row->dialect == IN_QUESTDB) == questdb;
        if (spoken && str_equal_ignore_case(str_from_c(row->name), name)) {
            *type_out = row->type;
            return true;
        }
    }
    return false;
}

bool type_from_name(Str name, bool questdb, Type *type_out) {
    int dims = 0;
    while (str_ends_with(name, STR("[]")) && dims <= 32) {
        name = str_trim(str_slice(name, 0, name.len - 2));
        dims++;
    }
    Type type;
    if (!name_look_up(name, questdb, &type)) {
        return false;
    }
    if (dims > 0) {
        bool double_array = type.id == TYPE_FLOAT8 && (questdb || str_equal_ignore_case(name, STR("double")));
        if (dims > (double_array ? 32 : 6) || (!double_array && type_array_oid((TypeId)type.id) == 0)) {
            return false;
        }
        type = double_array ? (Type){.id = TYPE_FLOAT8_ARRAY, .dims = (uint8_t)dims} : type_array(type);
    }
    *type_out = type;
    return true;
}
