/* SPDX-License-Identifier: Apache-2.0
 * time_internal.h - shared by the time functions: instants of any time type as days and nanoseconds of the day, field names. */
#pragma once
#include "sql/func/func_internal.h"

#define NANOS_PER_DAY INT64_C(86400000000000)
#define NANOS_PER_HOUR INT64_C(3600000000000)
#define NANOS_PER_MINUTE INT64_C(60000000000)
#define NANOS_PER_SECOND INT64_C(1000000000)

/* A moment on the wall clock: of the session's zone for timestamptz, else of the value itself. */
typedef struct Wall {
    int64_t days;    /* since 1970-01-01 */
    int64_t nanos;   /* of the day, 0 .. NANOS_PER_DAY - 1 */
    int32_t offset;  /* seconds east, timestamptz only */
    int8_t infinite; /* -1, 0, 1: the rest is meaningless unless 0 */
} Wall;

/* Any type of CAT_TIME. */
Wall time__load(TypeId type, const void *value, const Zone *zone);
/* ERR_DATETIME_OVERFLOW if it does not fit. Infinite walls give the type's infinity. */
NODISCARD ErrorCode time__store(TypeId type, Wall wall, const Zone *zone, void *value_out, Error *err);
NODISCARD ErrorCode time__overflow(TypeId type, Error *err);
static inline const void *time__at(ArgView view, size_t row) {
    return view.data + row * view.step;
}
static inline void *time__slot(Vector *out, size_t row) {
    return (uint8_t *)vector_data(out) + row * physical_bytes(type_physical((TypeId)out->type.id));
}

typedef enum TimeField {
    FIELD_NANOSECOND, FIELD_MICROSECOND, FIELD_MILLISECOND, FIELD_SECOND, FIELD_MINUTE, FIELD_HOUR, FIELD_DAY, FIELD_WEEK,
    FIELD_MONTH, FIELD_QUARTER, FIELD_YEAR, FIELD_DECADE, FIELD_CENTURY, FIELD_MILLENNIUM,
    FIELD_DOW, FIELD_ISODOW, FIELD_DOY, FIELD_ISOYEAR, FIELD_EPOCH, FIELD_JULIAN, FIELD_TIMEZONE, FIELD_TIMEZONE_HOUR,
    FIELD_TIMEZONE_MINUTE, FIELD_UNKNOWN
} TimeField;
TimeField time__field(Str name);  /* "year", "years", "yr"…, any case */
NODISCARD ErrorCode time__unknown_field(Str name, TypeId type, Error *err);

/* ISO week: number of the week and the year it belongs to. */
void time__iso_week(int64_t days, int32_t *year_out, int32_t *week_out);
/* Start of the field's span that the wall lies in; false: the field has no spans (dow…). */
bool time__truncate(Wall *wall, TimeField field);

/* Units of dateadd, datediff, timestamp_floor: n U u T s m h d w M y. */
typedef struct Stride {
    int64_t count;
    char unit;
} Stride;
bool time__stride(Str text, Stride *stride_out);  /* "15m", "h" */
int64_t time__unit_nanos(char unit);              /* 0 for M and y, and for anything else */

/* Any time of type `from` plus (sign 1) or minus an interval, as type `to`. out may be value. */
NODISCARD ErrorCode time__add_interval(TypeId from, TypeId to, const void *value, Interval interval, int sign, const Zone *zone, void *out, Error *err);
/* Adds months (day clipped), then days. */
NODISCARD ErrorCode time__add_months(Wall *wall, int64_t months, TypeId type, Error *err);

NODISCARD ErrorCode time__format_pg(Wall wall, Str format, Str zone_name, Buffer *out, Error *err); /* zone_name: of the wall, empty: none */
NODISCARD ErrorCode time__format_interval(Interval interval, Str format, Buffer *out, Error *err);
NODISCARD ErrorCode time__format_java(Wall wall, Str format, Buffer *out, Error *err);
/* has_offset_out: the wall is UTC. */
NODISCARD ErrorCode time__parse_pg(const KernelCall *call, Str text, Str format, bool date_only, Wall *wall_out, bool *has_offset_out, Error *err);
NODISCARD ErrorCode time__parse_java(Str text, Str format, Wall *wall_out, bool *has_offset_out, Error *err);
extern const char *const time__month_names[12];
extern const char *const time__day_names[7];
