/* SPDX-License-Identifier: Apache-2.0
 * types.h - the type table: one row a type gives every name, width and code that the layers need.
 *
 * NULL is a validity bit for every type; INT64_MIN, NaN and infinities are values. Names inside the code are PostgreSQL's
 * (INT8 = eight bytes). Physical forms are few, so that storage, codecs and gathers know widths, not types. */
#pragma once
#include "base/error.h"
#include "base/numeric.h"
#include "base/str.h"

typedef enum Physical {
    PHYS_BIT,   /* one bit in uint64_t words, row r = word r/64, bit r%64 */
    PHYS_8, PHYS_16, PHYS_32, PHYS_64, PHYS_128, /* fixed width values, little-endian */
    PHYS_F32, PHYS_F64,
    PHYS_STR    /* 16-byte StrRef: text, bytes, serialised arrays */
} Physical;

typedef enum TypeCategory {
    CAT_BOOL, CAT_NUMBER, CAT_TEXT, CAT_TIME, CAT_INTERVAL, CAT_BYTES, CAT_UUID, CAT_ARRAY, CAT_UNKNOWN,
    CAT_CLOCK,  /* times of day */
    CAT_OID,    /* unsigned 32 bits that name objects; the reg types print as names */
    CAT_JSON,
    CAT_SYSTEM, /* values of the catalog that users do not make */
    CAT_ENUM,
    CAT_PSEUDO  /* never stored */
} TypeCategory;

/* name, SQL name, /exec name, physical, PostgreSQL oid, category, preferred in its category */
#define COLUMN_TYPES(X)                                                                                                \
    X(UNKNOWN, "unknown", "STRING", PHYS_STR, 705, CAT_UNKNOWN, 0) /* untyped literal or NULL; never stored */          \
    X(BOOL, "boolean", "BOOLEAN", PHYS_BIT, 16, CAT_BOOL, 1)                                                           \
    X(BYTE, "byte", "BYTE", PHYS_8, 21, CAT_NUMBER, 0)                                                                 \
    X(INT2, "smallint", "SHORT", PHYS_16, 21, CAT_NUMBER, 0)                                                           \
    X(INT4, "integer", "INT", PHYS_32, 23, CAT_NUMBER, 0)                                                              \
    X(INT8, "bigint", "LONG", PHYS_64, 20, CAT_NUMBER, 0)                                                              \
    X(FLOAT4, "real", "FLOAT", PHYS_F32, 700, CAT_NUMBER, 0)                                                           \
    X(FLOAT8, "double precision", "DOUBLE", PHYS_F64, 701, CAT_NUMBER, 1)                                              \
    X(NUMERIC, "numeric", "DECIMAL", PHYS_128, 1700, CAT_NUMBER, 0)   /* NumericSlot: any scale */                     \
    X(DECIMAL8, "numeric", "DECIMAL", PHYS_64, 1700, CAT_NUMBER, 0)   /* numeric(p<=18,s): int64 x 10^-scale */        \
    X(DECIMAL16, "numeric", "DECIMAL", PHYS_128, 1700, CAT_NUMBER, 0) /* numeric(p<=38,s): int128 x 10^-scale */       \
    X(SYMBOL, "symbol", "SYMBOL", PHYS_32, 1043, CAT_TEXT, 0)         /* int32 code into the column's dictionary */    \
    X(TEXT, "text", "VARCHAR", PHYS_STR, 25, CAT_TEXT, 1)                                                              \
    X(VARCHAR, "character varying", "VARCHAR", PHYS_STR, 1043, CAT_TEXT, 0)                                            \
    X(BPCHAR, "character", "VARCHAR", PHYS_STR, 1042, CAT_TEXT, 0)    /* char(n), blank padded */                      \
    X(CHAR, "char", "CHAR", PHYS_32, 18, CAT_TEXT, 0)                 /* QuestDB's one character: a code point */      \
    X(BYTEA, "bytea", "BINARY", PHYS_STR, 17, CAT_BYTES, 1)                                                            \
    X(DATE, "date", "DATE", PHYS_32, 1082, CAT_TIME, 0)               /* days since 1970-01-01 */                      \
    X(TIMESTAMP_MS, "timestamp_ms", "DATE", PHYS_64, 1114, CAT_TIME, 0)                                                \
    X(TIMESTAMP, "timestamp without time zone", "TIMESTAMP", PHYS_64, 1114, CAT_TIME, 0) /* microseconds UTC */        \
    X(TIMESTAMP_NS, "timestamp_ns", "TIMESTAMP_NS", PHYS_64, 1114, CAT_TIME, 0)                                        \
    X(TIMESTAMPTZ, "timestamp with time zone", "TIMESTAMP", PHYS_64, 1184, CAT_TIME, 1)                                \
    X(INTERVAL, "interval", "INTERVAL", PHYS_128, 1186, CAT_INTERVAL, 1)                                           \
    X(UUID, "uuid", "UUID", PHYS_128, 2950, CAT_UUID, 1)              /* 16 bytes in text order */                     \
    X(FLOAT8_ARRAY, "double precision[]", "ARRAY", PHYS_STR, 1022, CAT_ARRAY, 1) /* serialised, see array.h */         \
    X(TIME, "time without time zone", "VARCHAR", PHYS_64, 1083, CAT_CLOCK, 0) /* microseconds, 0..24:00:00 */          \
    X(TIMETZ, "time with time zone", "VARCHAR", PHYS_128, 1266, CAT_CLOCK, 1) /* TimeTz */                             \
    X(JSON, "json", "VARCHAR", PHYS_STR, 114, CAT_JSON, 0)            /* the text as it was written */                 \
    X(JSONB, "jsonb", "VARCHAR", PHYS_STR, 3802, CAT_JSON, 1)         /* the text in its normal form, see jsonb.h */   \
    X(OID, "oid", "VARCHAR", PHYS_32, 26, CAT_OID, 1)                 /* unsigned, as all of CAT_OID */                \
    X(REGCLASS, "regclass", "VARCHAR", PHYS_32, 2205, CAT_OID, 0)                                                      \
    X(REGTYPE, "regtype", "VARCHAR", PHYS_32, 2206, CAT_OID, 0)                                                        \
    X(REGPROC, "regproc", "VARCHAR", PHYS_32, 24, CAT_OID, 0)                                                          \
    X(REGPROCEDURE, "regprocedure", "VARCHAR", PHYS_32, 2202, CAT_OID, 0)                                              \
    X(REGNAMESPACE, "regnamespace", "VARCHAR", PHYS_32, 4089, CAT_OID, 0)                                              \
    X(REGROLE, "regrole", "VARCHAR", PHYS_32, 4096, CAT_OID, 0)                                                        \
    X(NAME, "name", "VARCHAR", PHYS_STR, 19, CAT_TEXT, 0)             /* at most NAME_TYPE_BYTES_MAX bytes */          \
    X(CHAR1, "\"char\"", "VARCHAR", PHYS_8, 18, CAT_TEXT, 0)          /* one byte, 0 = empty */                        \
    X(XID, "xid", "VARCHAR", PHYS_32, 28, CAT_OID, 0)                                                                  \
    X(CID, "cid", "VARCHAR", PHYS_32, 29, CAT_OID, 0)                                                                  \
    X(TID, "tid", "VARCHAR", PHYS_64, 27, CAT_SYSTEM, 0)              /* block << 16 | place */                        \
    X(XID8, "xid8", "VARCHAR", PHYS_64, 5069, CAT_SYSTEM, 0)          /* unsigned */                                   \
    X(INT2VECTOR, "int2vector", "VARCHAR", PHYS_STR, 22, CAT_ARRAY, 0) /* AnyArray from 0 on, as the next */           \
    X(OIDVECTOR, "oidvector", "VARCHAR", PHYS_STR, 30, CAT_ARRAY, 0)                                                   \
    X(ACLITEM, "aclitem", "VARCHAR", PHYS_STR, 1033, CAT_SYSTEM, 0)   /* its text */                                   \
    X(NODE_TREE, "pg_node_tree", "VARCHAR", PHYS_STR, 194, CAT_SYSTEM, 0) /* SQL text of an expression */              \
    X(VOID, "void", "VARCHAR", PHYS_STR, 2278, CAT_PSEUDO, 0)         /* empty text */                                 \
    X(RECORD, "record", "VARCHAR", PHYS_STR, 2249, CAT_PSEUDO, 0)     /* see record.h */                               \
    X(ARRAY, "anyarray", "ARRAY", PHYS_STR, 2277, CAT_ARRAY, 0)       /* AnyArray, element type in Type.precision */   \
    X(ENUM, "anyenum", "SYMBOL", PHYS_64, 3500, CAT_ENUM, 0)          /* which one: Type.length; enum_value_make */

typedef enum TypeId {
#define X(name, sql, exec, phys, oid, cat, pref) TYPE_##name,
    COLUMN_TYPES(X)
#undef X
        TYPE_COUNT
} TypeId;

/* A type with its modifiers. Plain value; compare with type_equal. Zero modifiers = none. */
typedef struct Type {
    uint8_t id;        /* TypeId */
    uint8_t precision; /* DECIMAL8/16; ARRAY: TypeId of the elements; times and INTERVAL: fractional digits + 1, 0 = six */
    uint8_t scale;     /* DECIMAL8/16 */
    uint8_t dims;      /* FLOAT8_ARRAY: 0 = any */
    int32_t length;    /* VARCHAR(n), BPCHAR(n): n characters; 0 = no limit. INTERVAL: fields as PostgreSQL's range mask, 0 = all.
                        * ARRAY: the elements' modifier as PostgreSQL's typmod, 0 = none. NUMERIC: its own. ENUM, and ARRAY of it: the id of the type's object */
} Type;
_Static_assert(sizeof(Type) == 8, "Type is passed by value and stored in formats");

static inline Type type_of(TypeId id) { return (Type){.id = (uint8_t)id}; }
static inline bool type_equal(Type a, Type b) { return memcmp(&a, &b, sizeof a) == 0; }
Type type_decimal(int precision, int scale);          /* DECIMAL8 or DECIMAL16 by precision, 1..38; scale 0..precision */
/* numeric(precision, scale) as PostgreSQL has it, 1..1000 and -1000..1000: DECIMAL8 or DECIMAL16 where these can, else NUMERIC with the typmod. */
enum { NUMERIC_TYPE_DIGITS_MAX = 1000 };
Type type_numeric(int precision, int scale);
void type_numeric_modifiers(int32_t typmod, int *precision_out, int *scale_out);
/* Rounds and checks what goes into a NUMERIC that has a typmod; any other comes out as it is. ERR_OUT_OF_RANGE "numeric field overflow". */
NODISCARD ErrorCode numeric_fit(Type type, Numeric value, Numeric *value_out, Error *err);
const char *type_sql_name(TypeId id);
Physical type_physical(TypeId id);
TypeCategory type_category(TypeId id);
bool type_preferred(TypeId id);
uint32_t type_oid(TypeId id);
/* ARRAY of `element`. Elements are stored by value: numeric(p,s) as NUMERIC with its typmod, SYMBOL as TEXT. */
Type type_array(Type element);
Type type_element(Type array);                        /* any of CAT_ARRAY; with the elements' modifiers */
static inline Type type_enum(uint32_t object_id) { return (Type){.id = TYPE_ENUM, .length = (int32_t)object_id}; }
/* An enum or an array of one: which object of the catalog it is of; 0: neither. */
static inline uint32_t type_enum_object(Type type) {
    return type.id == TYPE_ENUM || (type.id == TYPE_ARRAY && type.precision == TYPE_ENUM) ? (uint32_t)type.length : 0;
}
static inline bool type_stacks(TypeId id) { return id == TYPE_ARRAY || id == TYPE_FLOAT8_ARRAY; } /* an array of them has one dimension more */
static inline bool type_is_any_array(TypeId id) { return id == TYPE_ARRAY || id == TYPE_INT2VECTOR || id == TYPE_OIDVECTOR; }
bool type_is_stored(Type type);                       /* may be the type of a column */
static inline bool type_is_text(TypeId id) { return id == TYPE_TEXT || id == TYPE_VARCHAR || id == TYPE_BPCHAR; }
bool type_is_integer(TypeId id);                      /* BYTE INT2 INT4 INT8 */
bool type_is_indexable(TypeId id);                    /* index/key.c has an order for it */
bool type_is_timestamp(TypeId id);                    /* TIMESTAMP_MS TIMESTAMP TIMESTAMP_NS TIMESTAMPTZ */
int64_t type_timestamp_units(TypeId id);              /* units per second: 1000, 1000000, 1000000000 */
size_t physical_bytes(Physical physical);             /* bytes a value; 0 for PHYS_BIT */

/* ---- PostgreSQL's numbers and names (types_oid.c) ---- */
uint32_t type_oid_of(Type type);                      /* as type_oid, arrays by their elements */
uint32_t type_array_oid(TypeId element);              /* 0: no array of it */
int32_t type_typmod(Type type);                       /* -1 = none */
int16_t type_length_bytes(Type type);                 /* typlen: -1 variable */
bool type_from_oid(uint32_t oid, Type *type_out);     /* of types and arrays; false: unknown. 18 is CHAR1, 1043 VARCHAR, 1114 TIMESTAMP */
/* Types that users made: 16384 + the id of their object; arrays of them have a range of their own. Whether there is such an object, and of
 * which kind, only the catalog knows: the answers are an enum or an array of it. */
enum { TYPE_OBJECT_OID_BASE = 16384, TYPE_OBJECT_ARRAY_OID_BASE = 1 << 30 };
bool type_from_object_oid(uint32_t oid, Type *type_out);
Type type_with_typmod(Type type, int32_t typmod);     /* -1 or one that says nothing: the type as it is */
size_t type_format_pg(char *out, size_t room, uint32_t oid, int32_t typmod); /* format_type(); "???" for unknown oids; typmod -1 = none */

size_t type_format_sql(char *out, size_t room, Type type);  /* "numeric(10,2)"; returns bytes */
size_t type_format_exec(char *out, size_t room, Type type); /* "DECIMAL(10,2)", "TIMESTAMP_NS" */

/* Names of both dialects ("int", "int4", "long", "double", "varchar", "string", "timestamptz", "double[]", "decimal"…), any case,
 * words separated by one blank. questdb: QuestDB's meaning of the four that differ (date, float, char, decimal). false: unknown. */
bool type_from_name(Str name, bool questdb, Type *type_out);

/* ---- values ---- */
/* Text or bytes: inline to 12 bytes, else prefix + pointer. Zero value = empty text. */
typedef struct StrRef {
    uint32_t len;
    char prefix[4];
    union { char rest[8]; const char *data; } as;
} StrRef;
_Static_assert(sizeof(StrRef) == 16, "StrRef is two words");
enum { STRREF_INLINE = 12, STRREF_BYTES_MAX = 1 << 30 };
static inline StrRef strref_make(const char *data, size_t len) { /* data must outlive the ref when len > 12 */
    StrRef ref = {.len = (uint32_t)len};
    if (len <= STRREF_INLINE) {
        if (len > 0) { memcpy(ref.prefix, data, len < 4 ? len : 4); } /* data of nothing may be NULL */
        if (len > 4) { memcpy(ref.as.rest, data + 4, len - 4); }
    } else {
        memcpy(ref.prefix, data, 4);
        ref.as.data = data;
    }
    return ref;
}
static inline Str strref_str(const StrRef *ref) { return (Str){ref->len <= STRREF_INLINE ? ref->prefix : ref->as.data, ref->len}; }
static inline bool strref_equal(const StrRef *a, const StrRef *b) {
    if (memcmp(a, b, 8) != 0) { return false; }
    return a->len <= STRREF_INLINE ? memcmp(a->as.rest, b->as.rest, 8) == 0 : memcmp(a->as.data, b->as.data, a->len) == 0;
}
int strref_compare(const StrRef *a, const StrRef *b); /* bytewise (UTF-8 order = code point order) */

/* Plain numeric in 16 bytes: coefficient inline while it fits int64, else a pointer to an Int128 that lives as the batch does. */
typedef struct NumericSlot {
    union { int64_t coefficient; const Int128 *big; } as;
    int16_t scale;
    uint8_t kind;   /* NumericKind */
    uint8_t is_big;
    uint32_t zero;
} NumericSlot;
_Static_assert(sizeof(NumericSlot) == 16, "NumericSlot is two words");
struct Arena;
Numeric numeric_from_slot(const NumericSlot *slot);
Numeric numeric_from_value(Type type, const void *value); /* a stored NUMERIC, DECIMAL8 or DECIMAL16, from any alignment */

typedef struct Interval { int32_t months, days; int64_t micros; } Interval;
_Static_assert(sizeof(Interval) == 16, "Interval is two words");
typedef struct Uuid { uint8_t bytes[16]; } Uuid;
typedef struct TimeTz { int64_t micros; int32_t zone_west; int32_t zero; } TimeTz; /* seconds west of UTC, as PostgreSQL counts */
_Static_assert(sizeof(TimeTz) == 16, "TimeTz is two words");
enum { NAME_TYPE_BYTES_MAX = 63 };

/* A value of an enum: its type's object above the position of its label. So values order as integers, in the declared order whatever was
 * added in between, and say by themselves whose they are. Positions are given by catalog/enum_labels.h and never change. */
enum { ENUM_POSITION_BITS = 36, ENUM_OBJECT_ID_MAX = (1 << 27) - 1 };
static inline int64_t enum_value_make(uint32_t object_id, uint64_t position) { return (int64_t)((uint64_t)object_id << ENUM_POSITION_BITS | position); }
static inline uint32_t enum_value_object(int64_t value) { return (uint32_t)((uint64_t)value >> ENUM_POSITION_BITS); }
static inline uint64_t enum_value_position(int64_t value) { return (uint64_t)value & ((UINT64_C(1) << ENUM_POSITION_BITS) - 1); }

/* ---- symbols ---- */
/* A column's dictionary as readers see it; implemented by catalog. Codes are dense from 0. Texts live as long as the table's
 * definition that the reader holds. Calls are thread-safe and take no long lock. */
typedef struct SymbolTable SymbolTable;
struct SymbolTable {
    Str (*text)(const SymbolTable *table, int32_t code);
    int32_t (*find)(const SymbolTable *table, Str text);   /* -1 if absent */
    int32_t (*count)(const SymbolTable *table);            /* codes 0..count-1 exist */
    int32_t (*intern)(SymbolTable *table, Str text);       /* code of text, made if new; -1: dictionary full (limit) */
};
