/* SPDX-License-Identifier: Apache-2.0
 * types_oid.c - types as PostgreSQL's clients and catalogs know them: oids, array oids, lengths, modifiers, format_type.
 *
 * Why: several of our types share an oid (decimals of all widths are 1700); from an oid the row that PostgreSQL means is found. */
#include "column/types.h"

#include <stdio.h>

typedef struct OidRow {
    uint8_t id;
    int16_t length; /* typlen */
    uint32_t array;
} OidRow;

/* The first row of an oid is what the oid means. */
static const OidRow OID_ROWS[] = {
    {TYPE_BOOL, 1, 1000},        {TYPE_INT2, 2, 1005},         {TYPE_INT4, 4, 1007},        {TYPE_INT8, 8, 1016},
    {TYPE_FLOAT4, 4, 1021},      {TYPE_FLOAT8, 8, 1022},       {TYPE_NUMERIC, -1, 1231},    {TYPE_TEXT, -1, 1009},
    {TYPE_VARCHAR, -1, 1015},    {TYPE_BPCHAR, -1, 1014},      {TYPE_BYTEA, -1, 1001},      {TYPE_DATE, 4, 1182},
    {TYPE_TIMESTAMP, 8, 1115},   {TYPE_TIMESTAMPTZ, 8, 1185},  {TYPE_INTERVAL, 16, 1187},   {TYPE_UUID, 16, 2951},
    {TYPE_TIME, 8, 1183},        {TYPE_TIMETZ, 12, 1270},      {TYPE_JSON, -1, 199},        {TYPE_JSONB, -1, 3807},
    {TYPE_OID, 4, 1028},         {TYPE_REGCLASS, 4, 2210},     {TYPE_REGTYPE, 4, 2211},     {TYPE_REGPROC, 4, 1008},
    {TYPE_REGPROCEDURE, 4, 2207}, {TYPE_REGNAMESPACE, 4, 4090}, {TYPE_REGROLE, 4, 4097},    {TYPE_NAME, 64, 1003},
    {TYPE_CHAR1, 1, 1002},       {TYPE_XID, 4, 1011},          {TYPE_CID, 4, 1012},         {TYPE_TID, 6, 1010},
    {TYPE_XID8, 8, 271},         {TYPE_INT2VECTOR, -1, 1006},  {TYPE_OIDVECTOR, -1, 1013},  {TYPE_ACLITEM, 16, 1034},
    {TYPE_NODE_TREE, -1, 0},     {TYPE_VOID, 4, 0},            {TYPE_RECORD, -1, 2287},     {TYPE_UNKNOWN, -2, 0},
    {TYPE_ARRAY, -1, 0},         {TYPE_BYTE, 2, 1005},         {TYPE_DECIMAL8, -1, 1231},   {TYPE_DECIMAL16, -1, 1231},
    {TYPE_SYMBOL, -1, 1015},     {TYPE_CHAR, 1, 1002},         {TYPE_TIMESTAMP_MS, 8, 1115}, {TYPE_TIMESTAMP_NS, 8, 1115},
    {TYPE_FLOAT8_ARRAY, -1, 0},  {TYPE_ENUM, 4, 0},
};
_Static_assert(COUNT_OF(OID_ROWS) == TYPE_COUNT, "every type has its row");

enum {
    TYPMOD_HEADER = 4,           /* what PostgreSQL adds to lengths and precisions */
    TYPMOD_SCALES = 1 << 11,     /* scales take eleven bits, with their sign */
    INTERVAL_FULL_RANGE = 0x7fff,
    INTERVAL_FULL_PRECISION = 0xffff
};

static const OidRow *row_of(TypeId id) {
    for (size_t i = 0; i < COUNT_OF(OID_ROWS); i++) {
        if (OID_ROWS[i].id == id) {
            return &OID_ROWS[i];
        }
    }
    assert(false);
    return &OID_ROWS[0];
}

uint32_t type_array_oid(TypeId element) {
    return row_of(element)->array;
}

uint32_t type_oid_of(Type type) {
    uint32_t object_id = type_enum_object(type);
    if (object_id != 0) {
        return (uint32_t)(type.id == TYPE_ENUM ? TYPE_OBJECT_OID_BASE : TYPE_OBJECT_ARRAY_OID_BASE) + object_id;
    }
    if (type.id != TYPE_ARRAY) {
        return type_oid((TypeId)type.id);
    }
    uint32_t oid = type.precision == TYPE_UNKNOWN ? 0 : type_array_oid((TypeId)type.precision);
    return oid == 0 ? type_oid(TYPE_ARRAY) : oid;
}

int16_t type_length_bytes(Type type) {
    return row_of((TypeId)type.id)->length;
}

int32_t type_typmod(Type type) {
    switch (type.id) {
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        return ((int32_t)type.precision << 16 | type.scale) + TYPMOD_HEADER;
    case TYPE_NUMERIC: return type.length > 0 ? type.length : -1;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
        return type.length > 0 ? type.length + TYPMOD_HEADER : -1;
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        return (int32_t)type.precision - 1;
    case TYPE_INTERVAL: {
        if (type.precision == 0 && type.length == 0) {
            return -1;
        }
        int32_t range = type.length == 0 ? INTERVAL_FULL_RANGE : type.length;
        return range << 16 | (type.precision == 0 ? INTERVAL_FULL_PRECISION : type.precision - 1);
    }
    case TYPE_ARRAY:
        return type.length == 0 || type.precision == TYPE_ENUM ? -1 : type.length;
    default:
        return -1;
    }
}

void type_numeric_modifiers(int32_t typmod, int *precision_out, int *scale_out) {
    int scale = (typmod - TYPMOD_HEADER) & (TYPMOD_SCALES - 1);
    *precision_out = (typmod - TYPMOD_HEADER) >> 16;
    *scale_out = scale >= TYPMOD_SCALES / 2 ? scale - TYPMOD_SCALES : scale;
}

Type type_numeric(int precision, int scale) {
    assert(precision >= 1 && precision <= NUMERIC_TYPE_DIGITS_MAX);
    assert(scale >= -NUMERIC_TYPE_DIGITS_MAX && scale <= NUMERIC_TYPE_DIGITS_MAX);
    if (precision <= NUMERIC_DIGITS_MAX && scale >= 0 && scale <= precision) {
        return type_decimal(precision, scale);
    }
    return (Type){.id = TYPE_NUMERIC, .length = (precision << 16 | (scale & (TYPMOD_SCALES - 1))) + TYPMOD_HEADER};
}

static Type interval_with_typmod(Type type, int32_t typmod) {
    int32_t range = typmod >> 16 & INTERVAL_FULL_RANGE;
    int32_t precision = typmod & INTERVAL_FULL_PRECISION;
    type.length = range == INTERVAL_FULL_RANGE ? 0 : range;
    type.precision = precision <= 6 ? (uint8_t)(precision + 1) : 0;
    return type;
}

Type type_with_typmod(Type type, int32_t typmod) {
    if (typmod < 0) {
        return type;
    }
    switch (type.id) {
    case TYPE_NUMERIC: {
        int precision, scale;
        type_numeric_modifiers(typmod, &precision, &scale);
        return precision >= 1 ? type_numeric(precision, scale) : type;
    }
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
        type.length = typmod > TYPMOD_HEADER ? typmod - TYPMOD_HEADER : 0;
        return type;
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        type.precision = typmod <= 6 ? (uint8_t)(typmod + 1) : 0;
        return type;
    case TYPE_INTERVAL:
        return interval_with_typmod(type, typmod);
    case TYPE_ARRAY:
        type.length = typmod;
        return type;
    default:
        return type;
    }
}

bool type_from_object_oid(uint32_t oid, Type *type_out) {
    bool is_array = oid > TYPE_OBJECT_ARRAY_OID_BASE;
    uint32_t object_id = oid - (uint32_t)(is_array ? TYPE_OBJECT_ARRAY_OID_BASE : TYPE_OBJECT_OID_BASE);
    if (oid <= TYPE_OBJECT_OID_BASE || object_id > ENUM_OBJECT_ID_MAX) {
        return false;
    }
    *type_out = is_array ? type_array(type_enum(object_id)) : type_enum(object_id);
    return true;
}

bool type_from_oid(uint32_t oid, Type *type_out) {
    if (oid == 0) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(OID_ROWS); i++) {
        if (OID_ROWS[i].array == oid) {
            *type_out = (Type){.id = TYPE_ARRAY, .precision = OID_ROWS[i].id};
            return true;
        }
        if (OID_ROWS[i].id != TYPE_ARRAY && type_oid((TypeId)OID_ROWS[i].id) == oid) {
            *type_out = type_of((TypeId)OID_ROWS[i].id);
            return true;
        }
    }
    return false;
}

/* ---- format_type ---- */

static size_t clip(int written, size_t room) {
    assert(written >= 0);
    return (size_t)written < room ? (size_t)written : (room == 0 ? 0 : room - 1);
}

/* PostgreSQL's words for the fields of an interval, by the mask that its typmods hold. */
static const char *interval_fields(int32_t range) {
    static const struct {
        int32_t mask;
        const char *words;
    } FIELDS[] = {{1 << 2, " year"}, {1 << 1, " month"}, {1 << 3, " day"}, {1 << 10, " hour"}, {1 << 11, " minute"}, {1 << 12, " second"},
                  {1 << 2 | 1 << 1, " year to month"}, {1 << 3 | 1 << 10, " day to hour"}, {1 << 3 | 1 << 10 | 1 << 11, " day to minute"},
                  {1 << 3 | 1 << 10 | 1 << 11 | 1 << 12, " day to second"}, {1 << 10 | 1 << 11, " hour to minute"},
                  {1 << 10 | 1 << 11 | 1 << 12, " hour to second"}, {1 << 11 | 1 << 12, " minute to second"}};
    for (size_t i = 0; i < COUNT_OF(FIELDS); i++) {
        if (FIELDS[i].mask == range) {
            return FIELDS[i].words;
        }
    }
    return "";
}

static size_t format_modified(char *out, size_t room, Type type, int32_t typmod) {
    const char *name = type_sql_name((TypeId)type.id);
    switch (type.id) {
    case TYPE_NUMERIC: {
        int precision, scale;
        type_numeric_modifiers(typmod, &precision, &scale);
        return clip(snprintf(out, room, "numeric(%d,%d)", precision, scale), room);
    }
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
        return clip(snprintf(out, room, "%s(%d)", name, (int)typmod - TYPMOD_HEADER), room);
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
        return clip(snprintf(out, room, "%s(%d) without time zone", type.id == TYPE_TIME ? "time" : "timestamp", (int)typmod), room);
    case TYPE_TIMETZ:
    case TYPE_TIMESTAMPTZ:
        return clip(snprintf(out, room, "%s(%d) with time zone", type.id == TYPE_TIMETZ ? "time" : "timestamp", (int)typmod), room);
    case TYPE_INTERVAL: {
        int32_t range = typmod >> 16 & INTERVAL_FULL_RANGE, precision = typmod & INTERVAL_FULL_PRECISION;
        const char *fields = range == INTERVAL_FULL_RANGE ? "" : interval_fields(range);
        if (precision == INTERVAL_FULL_PRECISION) {
            return clip(snprintf(out, room, "interval%s", fields), room);
        }
        return clip(snprintf(out, room, "interval%s(%d)", fields, (int)precision), room);
    }
    default:
        return clip(snprintf(out, room, "%s", name), room);
    }
}

/* What no value has: arguments of built-in functions are of these types. */
static const char *pseudo_type_name(uint32_t oid) {
    static const struct { uint32_t oid; const char *name; } PSEUDO_TYPES[] = {
        {142, "xml"}, {143, "xml[]"}, {1263, "cstring[]"}, {1560, "bit"}, {1561, "bit[]"}, {1562, "bit varying"}, {1563, "bit varying[]"}, {2275, "cstring"}, {2276, "\"any\""}, {2279, "trigger"}, {2281, "internal"}, {2283, "anyelement"}, {2776, "anynonarray"}, {3500, "anyenum"},
        {3831, "anyrange"}, {4537, "anymultirange"}, {4538, "anycompatiblemultirange"}, {5077, "anycompatible"}, {5078, "anycompatiblearray"},
        {5079, "anycompatiblenonarray"}, {5080, "anycompatiblerange"},
    };
    for (size_t i = 0; i < COUNT_OF(PSEUDO_TYPES); i++) {
        if (PSEUDO_TYPES[i].oid == oid) {
            return PSEUDO_TYPES[i].name;
        }
    }
    return NULL;
}

size_t type_format_pg(char *out, size_t room, uint32_t oid, int32_t typmod) {
    Type type;
    if (oid == 0) {
        return clip(snprintf(out, room, "-"), room);
    }
    if (oid == type_oid(TYPE_ARRAY)) {
        return clip(snprintf(out, room, "anyarray"), room);
    }
    if (!type_from_oid(oid, &type)) {
        const char *pseudo = pseudo_type_name(oid);
        return clip(snprintf(out, room, "%s", pseudo != NULL ? pseudo : "???"), room);
    }
    bool array = type.id == TYPE_ARRAY;
    if (array) {
        type = type_of((TypeId)type.precision);
    }
    size_t len = typmod >= 0 ? format_modified(out, room, type, typmod) : clip(snprintf(out, room, "%s", type_sql_name((TypeId)type.id)), room);
    return array ? len + clip(snprintf(out + len, room - len, "[]"), room - len) : len;
}
