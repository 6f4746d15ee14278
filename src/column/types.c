/* SPDX-License-Identifier: Apache-2.0
 * types.c - look-ups in the type table, and how types are spelt. Names of both dialects are in types_names.c. */
#include "column/types.h"

#include <stdio.h>

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

bool type_is_integer(TypeId id) {
    return id == TYPE_BYTE || id == TYPE_INT2 || id == TYPE_INT4 || id == TYPE_INT8;
}

bool type_is_timestamp(TypeId id) {
    return id == TYPE_TIMESTAMP_MS || id == TYPE_TIMESTAMP || id == TYPE_TIMESTAMP_NS || id == TYPE_TIMESTAMPTZ;
}

int64_t type_timestamp_units(TypeId id) {
    assert(type_is_timestamp(id));
    switch (id) {
    case TYPE_TIMESTAMP_MS:
        return 1000;
    case TYPE_TIMESTAMP_NS:
        return 1000000000;
    default:
        return 1000000;
    }
}

size_t physical_bytes(Physical physical) {
    static const uint8_t BYTES[] = {
        [PHYS_BIT] = 0, [PHYS_8] = 1,    [PHYS_16] = 2,  [PHYS_32] = 4,   [PHYS_64] = 8,
        [PHYS_128] = 16, [PHYS_F32] = 4, [PHYS_F64] = 8, [PHYS_STR] = 16,
    };
    assert(physical < COUNT_OF(BYTES));
    return BYTES[physical];
}

Type type_decimal(int precision, int scale) {
    assert(precision >= 1 && precision <= NUMERIC_DIGITS_MAX);
    assert(scale >= 0 && scale <= precision);
    TypeId id = precision <= 18 ? TYPE_DECIMAL8 : TYPE_DECIMAL16;
    return (Type){.id = (uint8_t)id, .precision = (uint8_t)precision, .scale = (uint8_t)scale};
}

static bool type_is_decimal(TypeId id) {
    return id == TYPE_DECIMAL8 || id == TYPE_DECIMAL16;
}

static size_t clip(int written, size_t room) {
    assert(written >= 0);
    return (size_t)written < room ? (size_t)written : (room == 0 ? 0 : room - 1);
}

Type type_array(Type element) {
    Type type = {.id = TYPE_ARRAY, .precision = element.id};
    if (type_is_decimal((TypeId)element.id)) {
        type.precision = TYPE_NUMERIC;
    } else if (element.id == TYPE_SYMBOL || element.id == TYPE_UNKNOWN) {
        type.precision = TYPE_TEXT;
    } else if (element.id == TYPE_ARRAY) { /* arrays of arrays are arrays */
        return element;
    }
    int32_t typmod = element.id == TYPE_ENUM ? element.length : type_typmod(element);
    type.length = typmod < 0 ? 0 : typmod;
    return type;
}

Type type_element(Type array) {
    switch (array.id) {
    case TYPE_FLOAT8_ARRAY:
        return type_of(TYPE_FLOAT8);
    case TYPE_INT2VECTOR:
        return type_of(TYPE_INT2);
    case TYPE_OIDVECTOR:
        return type_of(TYPE_OID);
    default:
        assert(array.id == TYPE_ARRAY);
        if (array.precision == TYPE_ENUM) {
            return type_enum((uint32_t)array.length);
        }
        return type_with_typmod(type_of((TypeId)array.precision), array.length == 0 ? -1 : array.length);
    }
}

bool type_is_stored(Type type) {
    TypeCategory category = type_category((TypeId)type.id);
    bool any_enum = type.length == 0 && (type.id == TYPE_ENUM || (type.id == TYPE_ARRAY && type.precision == TYPE_ENUM));
    return !any_enum && category != CAT_PSEUDO && category != CAT_UNKNOWN && (type.id != TYPE_ARRAY || type.precision != TYPE_RECORD);
}

size_t type_format_sql(char *out, size_t room, Type type) {
    const char *name = type_sql_name((TypeId)type.id);
    if (type.id == TYPE_ARRAY) {
        return type_format_pg(out, room, type_oid_of(type), type_typmod(type));
    }
    if (type.precision > 0 && !type_is_decimal((TypeId)type.id)) {
        return type_format_pg(out, room, type_oid_of(type), type_typmod(type));
    }
    if (type.id == TYPE_NUMERIC && type.length > 0) {
        return type_format_pg(out, room, type_oid_of(type), type_typmod(type));
    }
    if (type_is_decimal((TypeId)type.id)) {
        return clip(snprintf(out, room, "%s(%u,%u)", name, type.precision, type.scale), room);
    }
    if (type.id == TYPE_FLOAT8_ARRAY) {
        size_t len = clip(snprintf(out, room, "double precision"), room);
        for (int i = 0; i < MAX_OF(type.dims, 1) && len + 3 < room; i++) {
            len += clip(snprintf(out + len, room - len, "[]"), room - len);
        }
        return len;
    }
    if ((type.id == TYPE_VARCHAR || type.id == TYPE_BPCHAR) && type.length > 0) {
        return clip(snprintf(out, room, "%s(%d)", name, (int)type.length), room);
    }
    return clip(snprintf(out, room, "%s", name), room);
}

size_t type_format_exec(char *out, size_t room, Type type) {
    const char *name = TYPE_ROWS[type.id].exec;
    if (type_is_decimal((TypeId)type.id)) {
        return clip(snprintf(out, room, "%s(%u,%u)", name, type.precision, type.scale), room);
    }
    return clip(snprintf(out, room, "%s", name), room);
}

int strref_compare(const StrRef *a, const StrRef *b) {
    int prefix = memcmp(a->prefix, b->prefix, sizeof a->prefix);
    if (prefix != 0 && a->len >= 4 && b->len >= 4) {
        return prefix;
    }
    return str_compare(strref_str(a), strref_str(b));
}

Numeric numeric_from_slot(const NumericSlot *slot) {
    return (Numeric){
        .coefficient = slot->is_big ? *slot->as.big : slot->as.coefficient,
        .scale = slot->scale,
        .kind = slot->kind,
    };
}

Numeric numeric_from_value(Type type, const void *value) {
    Numeric numeric = {.scale = type.scale};
    if (type.id == TYPE_DECIMAL8) {
        int64_t coefficient;
        memcpy(&coefficient, value, sizeof coefficient);
        numeric.coefficient = coefficient;
    } else if (type.id == TYPE_DECIMAL16) {
        memcpy(&numeric.coefficient, value, sizeof numeric.coefficient);
    } else {
        NumericSlot slot;
        assert(type.id == TYPE_NUMERIC);
        memcpy(&slot, value, sizeof slot);
        numeric = numeric_from_slot(&slot);
    }
    return numeric;
}

bool type_is_indexable(TypeId id) {
    switch (type_category(id)) {
    case CAT_BOOL:
    case CAT_NUMBER:
    case CAT_TIME:
    case CAT_INTERVAL:
    case CAT_BYTES:
    case CAT_UUID:
    case CAT_ENUM:
    case CAT_OID: return true;
    case CAT_CLOCK: return id == TYPE_TIME;
    case CAT_TEXT: return id != TYPE_CHAR1;
    default: return false;
    }
}
