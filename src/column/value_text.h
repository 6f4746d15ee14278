/* SPDX-License-Identifier: Apache-2.0
 * value_text.h - one value <-> its text, for the types that base knows nothing of, and one call for all types.
 *
 * Why: the encoders, casts to text, text input and EXPLAIN must all spell a value alike. Two styles: PostgreSQL's output texts
 * and QuestDB's (ISO timestamps with Z, Java doubles). Booleans are "t" / "f" in the first, "true" / "false" in the second. */
#pragma once
#include "base/calendar.h"
#include "base/memory.h"
#include "column/types.h"

/* Objects by oid and by name, for regclass and its kin, and labels of enums: implemented by the session over the catalog. Types need none (types_oid.c).
 * Lives as long as the statement; one thread at a time. */
typedef struct OidNames OidNames;
struct OidNames {
    /* Appends the object's name as PostgreSQL prints it (qualified only if the search path does not find it). false: no such object. */
    bool (*append)(const OidNames *names, TypeId type, uint32_t oid, Buffer *out);
    /* The oid of a name as a user writes it (folded, quoted, qualified, with arguments for regprocedure). ERR_UNDEFINED_… */
    ErrorCode (*find)(const OidNames *names, TypeId type, Str text, uint32_t *oid_out, Error *err);
    /* The label of an enum's value; false: no such type or label. */
    bool (*label)(const OidNames *names, int64_t value, Buffer *out);
    /* The value of a label of the type with that object. ERR_INVALID_TEXT. */
    ErrorCode (*label_find)(const OidNames *names, uint32_t object_id, Str label, int64_t *value_out, Error *err);
    /* Appends the type's values in their order, int64_t after int64_t. false: no such type. */
    bool (*values)(const OidNames *names, uint32_t object_id, Buffer *out);
};

/* The settings of a PostgreSQL session that change how values are printed and read. Zero: ISO, MDY, postgres, hex, shortest floats. */
typedef enum IntervalStyle { INTERVAL_POSTGRES, INTERVAL_VERBOSE, INTERVAL_SQL, INTERVAL_ISO } IntervalStyle;
typedef struct ValueStyle {
    DateStyle date;
    uint8_t interval;        /* IntervalStyle */
    bool bytea_escape;
    bool floats_rounded;     /* to the digits that the type surely holds (15 and 6) + float_digits */
    int8_t float_digits;     /* -15 .. 0 */
} ValueStyle;

typedef struct TextStyle {
    bool questdb;            /* the settings in `value` do not count then */
    bool full_nanos;     /* PostgreSQL style: TIMESTAMP_NS with up to 9 digits; else cut to microseconds */
    const Zone *zone;    /* of TIMESTAMPTZ; NULL = UTC */
    const OidNames *names; /* NULL: regclass and its kin print as numbers, but for regtype */
    ValueStyle value;
} TextStyle;

enum { VALUE_TEXT_MAX = 160 }; /* longest text of a fixed-width value */

/* Any fixed-width type but SYMBOL. value: physical value (BOOL: one byte). Writes at most VALUE_TEXT_MAX bytes, returns how many. */
size_t value_format_fixed(char *out, Type type, const void *value, const TextStyle *style);
/* Any type but SYMBOL: text as it is, bytea as \x hex, arrays in {} or []. Array bytes that are damaged print as empty. */
void value_format(Type type, const void *value, const TextStyle *style, Buffer *out);

enum { UUID_TEXT_LEN = 36 };
void uuid_format(char out[UUID_TEXT_LEN], const Uuid *uuid);
bool uuid_parse(Str text, Uuid *uuid_out);           /* 32 hex digits, hyphens after any group of four, braces */

enum { INTERVAL_TEXT_MAX = 100 };
size_t interval_format(char *out, Interval interval); /* "1 year 2 mons 3 days 04:05:06.5" */
size_t interval_format_styled(char *out, Interval interval, IntervalStyle style);
bool interval_parse(Str text, Interval *interval_out); /* PostgreSQL's forms, ISO 8601 "P1DT2H"; false: not an interval or too large */
/* -1, 0, 1. An infinite interval has all its fields at their ends. */
static inline int interval_is_infinite(Interval i) {
    bool high = i.months == INT32_MAX && i.days == INT32_MAX && i.micros == INT64_MAX;
    bool low = i.months == INT32_MIN && i.days == INT32_MIN && i.micros == INT64_MIN;
    return (int)high - (int)low;
}
static inline Interval interval_infinite(int sign) {
    return sign > 0 ? (Interval){INT32_MAX, INT32_MAX, INT64_MAX} : (Interval){INT32_MIN, INT32_MIN, INT64_MIN};
}
Int128 interval_span(Interval interval);               /* microseconds, a month as 30 days: PostgreSQL's order of intervals */

/* Times of day. */
enum { CLOCK_TEXT_MAX = 32 };
size_t clock_format(char *out, int64_t micros);        /* "04:05:06.5" */
size_t clock_tz_format(char *out, TimeTz time);        /* "04:05:06-08" */
typedef enum ClockParse { CLOCK_OK, CLOCK_INVALID, CLOCK_OUT_OF_RANGE } ClockParse;
typedef struct ParsedClock { int64_t micros; Str date, zone; } ParsedClock; /* date, zone: as written, empty if there is none */
ClockParse clock_parse(Str text, ParsedClock *clock_out);

/* oid and its kin: "-" for 0 but for oid itself, names where style->names knows them. */
void oid_format(TypeId type, uint32_t oid, const TextStyle *style, Buffer *out);

/* The label; where names are missing or know none, the number. */
void enum_format(int64_t value, const TextStyle *style, Buffer *out);

void bytea_format(Str bytes, Buffer *out);             /* "\x6162" */
void bytea_format_escape(Str bytes, Buffer *out);      /* "ab\000" */
bool bytea_parse(Str text, Buffer *out);               /* hex or escape form */
