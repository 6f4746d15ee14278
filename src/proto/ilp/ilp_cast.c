/* SPDX-License-Identifier: Apache-2.0
 * ilp_cast.c - one value into an existing column of any type: what fits goes in exactly, everything else is a cast error.
 *
 * integer -> every number and timestamp type; float -> float, double, decimal; boolean -> numbers (0, 1); string -> text, symbol,
 * char, uuid, decimal, timestamps; tag -> symbol and text; decimal -> decimal, float, double; timestamps -> timestamps; array -> array. */
#include "base/calendar.h"
#include "column/array.h"
#include "proto/ilp/ilp_internal.h"

typedef struct Target {
    IlpTable *table;
    IlpTableColumn *column;
    ColumnBuilder *builder;
    const IlpItem *item;
    const IlpValue *value;
    Error *err;
} Target;

enum { TYPE_TEXT_MAX = 96 };

static void kind_text(const IlpItem *item, char out[TYPE_TEXT_MAX]) {
    static const char *const NAMES[ILP_KIND_COUNT] = {
#define X(name, text) text,
        ILP_KINDS(X)
#undef X
    };
    size_t len = 0;
    const char *name = item->kind == ILP_ARRAY ? "DOUBLE" : NAMES[item->kind];
    for (; name[len] != '\0'; len++) {
        out[len] = name[len];
    }
    for (uint8_t i = 0; item->kind == ILP_ARRAY && i < item->dims && len + 3 < TYPE_TEXT_MAX; i++) {
        out[len++] = '[';
        out[len++] = ']';
    }
    out[len] = '\0';
}

static void type_text(Type type, char out[TYPE_TEXT_MAX]) {
    size_t len = 0;
    if (type.id == TYPE_FLOAT8_ARRAY) {
        IlpItem shape = {.kind = ILP_ARRAY, .dims = type.dims == 0 ? 1 : type.dims};
        kind_text(&shape, out);
        return;
    }
    len = type_format_exec(out, TYPE_TEXT_MAX - 1, type);
    out[len] = '\0';
}

static ErrorCode cast_error(const Target *t) {
    char from[TYPE_TEXT_MAX], to[TYPE_TEXT_MAX];
    kind_text(t->item, from);
    type_text(t->column->type, to);
    return error_set(t->err, ERR_CANNOT_COERCE, ERROR_NO_POSITION,
                     "table: %.*s, column: %.*s; cast error from protocol type: %s to column type: %s", STR_ARG(t->table->name),
                     STR_ARG(t->column->name), from, to);
}

static ErrorCode bounds_error(const Target *t) {
    char to[TYPE_TEXT_MAX];
    type_text(t->column->type, to);
    return error_set(t->err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION,
                     "table: %.*s, column: %.*s; cast error: value %.*s is out of bounds of column type: %s", STR_ARG(t->table->name),
                     STR_ARG(t->column->name), (int)MIN_OF(t->value->text.len, (size_t)60), t->value->text.data, to);
}

static ErrorCode put(const Target *t, const void *value) {
    column_builder_value(t->builder, value);
    return ERR_OK;
}

static ErrorCode put_decimal(const Target *t, Numeric number) {
    Type type = t->column->type;
    if (type.id == TYPE_NUMERIC) {
        if (numeric_fit(type, number, &number, NULL) != ERR_OK) {
            return bounds_error(t);
        }
        NumericSlot slot = numeric_to_slot(number, &t->builder->heap);
        return put(t, &slot);
    }
    Numeric scaled;
    if (number.kind != NUMERIC_FINITE || numeric_rescale(number, type.scale, &scaled, NULL) != ERR_OK ||
        numeric_compare(number, scaled) != 0) {
        return cast_error(t);
    }
    Int128 limit = pow10_int128(type.precision);
    if (scaled.coefficient >= limit || scaled.coefficient <= -limit) {
        return bounds_error(t);
    }
    int64_t narrow = (int64_t)scaled.coefficient;
    return type.id == TYPE_DECIMAL8 ? put(t, &narrow) : put(t, &scaled.coefficient);
}

static ErrorCode put_decimal_text(const Target *t) {
    Numeric number;
    if (t->item->is_null || t->value->text.len == 0) {
        column_builder_null(t->builder);
        return ERR_OK;
    }
    return numeric_parse(t->value->text, &number, NULL) == ERR_OK ? put_decimal(t, number) : cast_error(t);
}

static bool is_decimal(Type type) {
    return type.id == TYPE_NUMERIC || type.id == TYPE_DECIMAL8 || type.id == TYPE_DECIMAL16;
}

static ErrorCode put_integer(const Target *t, int64_t v, bool timestamps_too) {
    int8_t v8 = (int8_t)v;
    int16_t v16 = (int16_t)v;
    int32_t v32 = (int32_t)v;
    float f32 = (float)v;
    double f64 = (double)v;
    switch (t->column->type.id) {
    case TYPE_BYTE: return v8 == v ? put(t, &v8) : bounds_error(t);
    case TYPE_INT2: return v16 == v ? put(t, &v16) : bounds_error(t);
    case TYPE_INT4: return v32 == v ? put(t, &v32) : bounds_error(t);
    case TYPE_INT8: return put(t, &v);
    case TYPE_FLOAT4: return put(t, &f32);
    case TYPE_FLOAT8: return put(t, &f64);
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16: return put_decimal(t, numeric_from_int64(v));
    default: return timestamps_too && type_is_timestamp((TypeId)t->column->type.id) ? put(t, &v) : cast_error(t);
    }
}

static ErrorCode put_float(const Target *t) {
    float narrow = (float)t->value->as.f64;
    if (t->column->type.id == TYPE_FLOAT8) {
        return put(t, &t->value->as.f64);
    }
    if (t->column->type.id == TYPE_FLOAT4) {
        return put(t, &narrow);
    }
    if (!is_decimal(t->column->type)) {
        return cast_error(t);
    }
    Numeric number;
    bool binary = t->value->text.len == 0;
    if (binary ? numeric_from_double(t->value->as.f64, &number, NULL) != ERR_OK
               : numeric_parse(t->value->text, &number, NULL) != ERR_OK) {
        return cast_error(t);
    }
    return put_decimal(t, number);
}

static ErrorCode put_boolean(const Target *t) {
    if (t->column->type.id == TYPE_BOOL) {
        column_builder_bool(t->builder, t->value->as.boolean);
        return ERR_OK;
    }
    return is_decimal(t->column->type) ? cast_error(t) : put_integer(t, t->value->as.boolean, false);
}

static ErrorCode put_symbol(const Target *t) {
    bool bad_utf8 = false;
    int32_t code = ilp__symbol_code(t->column, t->value->text, &bad_utf8);
    if (code >= 0) {
        return put(t, &code);
    }
    return error_set(t->err, bad_utf8 ? ERR_INVALID_ENCODING : ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "table: %.*s, column: %.*s; %s",
                     STR_ARG(t->table->name), STR_ARG(t->column->name), bad_utf8 ? "invalid UTF-8" : "too many symbols");
}

static int hex_value(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool uuid_read(Str text, Uuid *uuid_out) {
    if (text.len != 36) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < sizeof uuid_out->bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            if (text.data[at++] != '-') {
                return false;
            }
        }
        int high = hex_value(text.data[at]), low = hex_value(text.data[at + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        uuid_out->bytes[i] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return true;
}

static ErrorCode put_char(const Target *t) {
    uint32_t code_point = 0;
    int used = utf8_decode(t->value->text, 0, &code_point);
    if (used == 0) {
        column_builder_null(t->builder);
        return ERR_OK;
    }
    return used > 0 && (size_t)used == t->value->text.len ? put(t, &code_point) : cast_error(t);
}

static ErrorCode put_timestamp_text(const Target *t) {
    int64_t units = 0;
    bool nanos = t->column->type.id == TYPE_TIMESTAMP_NS;
    if (nanos ? !timestamp_parse_nanos(t->value->text, &units) : !timestamp_parse_micros(t->value->text, &units)) {
        return cast_error(t);
    }
    units = t->column->type.id == TYPE_TIMESTAMP_MS ? floor_div(units, 1000) : units;
    return put(t, &units);
}

static ErrorCode put_text(const Target *t) {
    Str text = t->value->text;
    Uuid uuid;
    TypeId id = (TypeId)t->column->type.id;
    if (id == TYPE_SYMBOL) {
        return put_symbol(t);
    }
    if (type_is_text(id)) {
        if (t->column->type.length > 0 && utf8_length(text) > (size_t)t->column->type.length) {
            return cast_error(t);
        }
        column_builder_text(t->builder, text);
        return ERR_OK;
    }
    if (t->item->kind == ILP_TAG) {
        return cast_error(t);
    }
    if (type_is_timestamp(id)) {
        return put_timestamp_text(t);
    }
    switch (id) {
    case TYPE_CHAR: return put_char(t);
    case TYPE_UUID: return uuid_read(text, &uuid) ? put(t, &uuid) : cast_error(t);
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16: return put_decimal_text(t);
    default: return cast_error(t);
    }
}

/* Between units of timestamps; false: out of range. */
static bool convert(int64_t value, int64_t from_nanos, int64_t to_nanos, int64_t *out) {
    if (from_nanos < to_nanos) {
        int64_t by = to_nanos / from_nanos;
        *out = by == 1000 ? value / 1000 - (value % 1000 < 0) : floor_div(value, by);
        return true;
    }
    return !__builtin_mul_overflow(value, from_nanos / to_nanos, out);
}

static int64_t nanos_per_unit(Type type) {
    return INT64_C(1000000000) / type_timestamp_units((TypeId)type.id);
}

static ErrorCode put_timestamp(const Target *t, int64_t value, int64_t from_nanos) {
    int64_t units = 0;
    if (!type_is_timestamp((TypeId)t->column->type.id)) {
        return cast_error(t);
    }
    return convert(value, from_nanos, nanos_per_unit(t->column->type), &units) ? put(t, &units) : bounds_error(t);
}

static ErrorCode put_decimal_value(const Target *t) {
    Numeric number;
    if (is_decimal(t->column->type)) {
        return put_decimal_text(t);
    }
    bool floating = t->column->type.id == TYPE_FLOAT8 || t->column->type.id == TYPE_FLOAT4;
    if (!floating || numeric_parse(t->value->text, &number, NULL) != ERR_OK) {
        return cast_error(t);
    }
    double wide = numeric_to_double(number);
    float narrow = (float)wide;
    return t->column->type.id == TYPE_FLOAT8 ? put(t, &wide) : put(t, &narrow);
}

static ErrorCode put_array(const Target *t) {
    Type type = t->column->type;
    if (type.id != TYPE_FLOAT8_ARRAY || (type.dims != 0 && type.dims != t->item->dims)) {
        return cast_error(t);
    }
    column_builder_text(t->builder, t->value->text);
    return ERR_OK;
}

ErrorCode ilp__store_cast(IlpTable *table, IlpTableColumn *column, const IlpItem *item, const IlpValue *value, Error *err) {
    Target t = {table, column, &column->builder, item, value, err};
    switch ((IlpKind)item->kind) {
    case ILP_TAG:
    case ILP_STRING: return put_text(&t);
    case ILP_INTEGER: return put_integer(&t, value->as.i64, true);
    case ILP_FLOAT: return put_float(&t);
    case ILP_BOOLEAN: return put_boolean(&t);
    case ILP_TIMESTAMP: return put_timestamp(&t, value->as.i64, 1000);
    case ILP_TIMESTAMP_NS: return put_timestamp(&t, value->as.i64, 1);
    case ILP_ARRAY: return put_array(&t);
    case ILP_DECIMAL: return put_decimal_value(&t);
    default: return cast_error(&t);
    }
}

/* ---- the designated timestamp ---- */

static const int64_t PRECISION_NANOS[] = {[ILP_NANOS] = 1,
                                          [ILP_MICROS] = 1000,
                                          [ILP_MILLIS] = 1000000,
                                          [ILP_SECONDS] = 1000000000,
                                          [ILP_MINUTES] = INT64_C(60000000000),
                                          [ILP_HOURS] = INT64_C(3600000000000)};

static int stamp_column(const IlpTable *table, uint8_t unit) {
    if (table->designated >= 0 || unit == STAMP_NONE) {
        return table->designated;
    }
    int place = ilp__table_column((IlpTable *)table, STR("timestamp"), 0);
    return place >= 0 && type_is_timestamp((TypeId)table->columns[place].type.id) ? place : -1;
}

ErrorCode ilp__store_stamp(IlpParser *parser, IlpTable *table, uint8_t unit, int64_t stamp, Error *err) {
    int place = stamp_column(table, unit);
    if (place < 0) {
        return unit == STAMP_NONE ? ERR_OK
                                  : error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION,
                                              "table: %.*s; the table has no column for the timestamp", STR_ARG(table->name));
    }
    IlpTableColumn *column = &table->columns[place];
    ilp__backfill(table, column);
    if (column->builder.row_count > table->row_count) {
        return ERR_OK; /* given as a field */
    }
    int64_t from_nanos = PRECISION_NANOS[parser->precision];
    if (unit != STAMP_PLAIN) {
        from_nanos = unit == STAMP_NANOS ? 1 : 1000;
        stamp = unit == STAMP_NONE ? parser->now_micros : stamp;
    }
    int64_t units = 0;
    if (!convert(stamp, from_nanos, nanos_per_unit(column->type), &units)) {
        return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "table: %.*s; timestamp out of range: %lld",
                         STR_ARG(table->name), (long long)stamp);
    }
    ilp__append_i64(&column->builder, units);
    return ERR_OK;
}
