/* SPDX-License-Identifier: Apache-2.0
 * time/format.c - to_char, to_timestamp, to_date with PostgreSQL's template patterns; to_str and to_timestamp with Java's. */
#include "sql/func/time/time_internal.h"

static Str zone_name(TypeId type, const Wall *wall, const Zone *zone) {
    if (type != TYPE_TIMESTAMPTZ) {
        return (Str){0};
    }
    int64_t utc_seconds = wall->days * 86400 + wall->nanos / NANOS_PER_SECOND - wall->offset;
    return zone == NULL ? STR("UTC") : zone_abbreviation_at_utc(zone, utc_seconds);
}

static ErrorCode format_rows(const KernelCall *call, Vector *out, bool java, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    TypeId type = (TypeId)call->args[0]->type.id;
    const Zone *zone = type == TYPE_TIMESTAMPTZ ? func__zone(call) : NULL;
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        if (func__is_null(a, row) || func__is_null(b, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        Wall wall = time__load(type, time__at(a, row), zone);
        Str format = func__text(b, row);
        if (wall.infinite != 0 || (!java && format.len == 0)) { /* no fields to show; PostgreSQL answers NULL to '' too */
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY_OR(done, java ? time__format_java(wall, format, &buffer, err)
                          : time__format_pg(wall, format, zone_name(type, &wall, zone), &buffer, err));
        func__put_copy(call, out, row, buffer_str(&buffer));
        buffer_clear(&buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

ErrorCode func__to_char_time(const KernelCall *call, Vector *out, Error *err) {
    return format_rows(call, out, false, err);
}
ErrorCode func__to_str(const KernelCall *call, Vector *out, Error *err) {
    return format_rows(call, out, true, err);
}

static ErrorCode parse_rows(const KernelCall *call, Vector *out, bool java, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Wall wall = {0};
        bool has_offset = false;
        Str text = func__text(a, row), format = func__text(b, row);
        TRY(java ? time__parse_java(text, format, &wall, &has_offset, err) : time__parse_pg(call, text, format, out->type.id == TYPE_DATE, &wall, &has_offset, err));
        const Zone *zone = func__zone(call);
        if (has_offset) { /* the wall is UTC already */
            zone = NULL;
        }
        TRY(time__store((TypeId)out->type.id, wall, zone, time__slot(out, row), err));
    }
    return ERR_OK;
}

ErrorCode func__to_time_pg(const KernelCall *call, Vector *out, Error *err) {
    return parse_rows(call, out, false, err);
}
ErrorCode func__to_time_java(const KernelCall *call, Vector *out, Error *err) {
    return parse_rows(call, out, true, err);
}
