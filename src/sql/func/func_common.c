/* SPDX-License-Identifier: Apache-2.0
 * func_common.c - errors and small helpers that several families share. */
#include "sql/func/time/datetime_in.h"

ErrorCode func__check_text_bytes(uint64_t bytes, Error *err) {
    if (bytes > TEXT_RESULT_BYTES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "requested length too large");
    }
    return ERR_OK;
}

ErrorCode func__division_by_zero(Error *err) {
    return error_set(err, ERR_DIVISION_BY_ZERO, ERROR_NO_POSITION, "division by zero");
}

ErrorCode func__out_of_range(TypeId type, Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "%s out of range", type_sql_name(type));
}

int64_t func__to_wall(const Zone *zone, int64_t utc_micros) {
    if (zone == NULL || func__infinite(utc_micros)) {
        return utc_micros;
    }
    return utc_micros + zone_offset_at_utc(zone, floor_div(utc_micros, MICROS_PER_SECOND)) * MICROS_PER_SECOND;
}

int64_t func__from_wall(const Zone *zone, int64_t wall_micros) {
    if (zone == NULL || func__infinite(wall_micros)) {
        return wall_micros;
    }
    int64_t seconds = floor_div(wall_micros, MICROS_PER_SECOND);
    return zone_to_utc(zone, seconds) * MICROS_PER_SECOND + (wall_micros - seconds * MICROS_PER_SECOND);
}

ErrorCode func__zone_find(const FunctionEnvironment *environment, Str name, bool posix, Arena *arena, const Zone **zone_out, Error *err) {
    int32_t offset;
    if (posix && environment != NULL && environment->zone_find != NULL) {
        return time__zone_named(environment, name, arena, zone_out, err);
    }
    if (zone_parse_offset(name, &offset)) {
        *zone_out = zone_fixed(arena, posix ? -offset : offset);
        return ERR_OK;
    }
    if (environment == NULL || environment->zone_load == NULL) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "time zone \"%.*s\" not recognized", STR_ARG(name));
    }
    return environment->zone_load(name, arena, zone_out, err);
}

Type func__type_int4_array(const Type *arg_types, uint16_t arg_count) {
    (void)arg_types;
    (void)arg_count;
    return type_array(type_of(TYPE_INT4));
}
Type func__type_text_array(const Type *arg_types, uint16_t arg_count) {
    (void)arg_types;
    (void)arg_count;
    return type_array(type_of(TYPE_TEXT));
}
