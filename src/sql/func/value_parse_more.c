/* SPDX-License-Identifier: Apache-2.0
 * value_parse_more.c - text input of times of day, oids and object names, json, arrays and the catalog's own types. */
#include <stdio.h>

#include "column/any_array.h"
#include "column/jsonb.h"
#include "sql/func/cast_internal.h"
#include "sql/func/time/time_internal.h"

static ErrorCode invalid(Type type, Str text, ErrorCode code, Error *err) {
    char name[100];
    size_t len = type.id == TYPE_TIME ? (size_t)snprintf(name, sizeof name, "time") : type_format_sql(name, sizeof name, type); /* PostgreSQL's short name here */
    return error_set(err, code, 0, "invalid input syntax for type %.*s: \"%.*s\"", (int)len, name, (int)MIN_OF(text.len, 200), text.data);
}

static ErrorCode out_of_range(Type type, Str text, Error *err) {
    return error_set(err, ERR_OUT_OF_RANGE, 0, "value \"%.*s\" is out of range for type %s", (int)MIN_OF(text.len, 200), text.data,
                     type_sql_name((TypeId)type.id));
}

static void put_text(Str text, void *out) {
    StrRef ref = strref_make(text.len == 0 ? "" : text.data, text.len);
    memcpy(out, &ref, sizeof ref);
}

/* ---- times of day ---- */

int64_t cast__round_micros(int64_t micros, uint8_t precision) {
    static const int64_t UNITS[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    if (precision == 0 || precision > 6) {
        return micros;
    }
    int64_t unit = UNITS[precision - 1], half = unit / 2;
    return micros < 0 ? -((-micros + half) / unit * unit) : (micros + half) / unit * unit;
}

/* Seconds east of the zone named behind a time; today's offset of a named zone without a date, as PostgreSQL. */
static ErrorCode zone_east(Type type, Str text, const ParsedClock *clock, const FunctionEnvironment *environment, Arena *arena, int32_t *east_out, Error *err) {
    int64_t instant = environment == NULL ? 0 : environment->now_micros;
    const Zone *zone = environment == NULL ? NULL : environment->zone;
    ParsedTime date;
    if (clock->date.len > 0 && timestamp_parse(clock->date, &date) && date.infinite == 0) {
        instant = days_from_civil(date.civil.year, date.civil.month, date.civil.day) * MICROS_PER_DAY + clock->micros;
    }
    if (clock->zone.len == 0) {
        *east_out = zone == NULL ? 0 : zone_offset_at_utc(zone, floor_div(instant, MICROS_PER_SECOND));
        return ERR_OK;
    }
    bool named_offset = (clock->zone.data[0] | 0x20) >= 'a' && (str_find_char(clock->zone, '+', 0) > 0 || str_find_char(clock->zone, '-', 0) > 0); /* GMT+3: west */
    if (!named_offset && zone_parse_offset(clock->zone, east_out)) {
        return ERR_OK;
    }
    char sign = clock->zone.data[0];
    if ((sign == '+' || sign == '-') && clock->zone.len > 1 && clock->zone.data[1] >= '0' && clock->zone.data[1] <= '9') {
        return error_set(err, ERR_ZONE_DISPLACEMENT, 0, "time zone displacement out of range: \"%.*s\"", (int)MIN_OF(text.len, 200), text.data);
    }
    if (func__zone_find(environment, clock->zone, true, arena, &zone, NULL) != ERR_OK) {
        return invalid(type, text, ERR_INVALID_DATETIME, err);
    }
    *east_out = zone_offset_at_utc(zone, floor_div(instant, MICROS_PER_SECOND));
    return ERR_OK;
}

static bool special_clock(Str text, const FunctionEnvironment *environment, int64_t *micros_out) {
    if (environment == NULL || !str_equal_ignore_case(str_trim(text), STR("now"))) {
        return false;
    }
    Wall wall = time__load(TYPE_TIMESTAMPTZ, &environment->now_micros, environment->zone);
    *micros_out = wall.nanos / 1000;
    return true;
}

static ErrorCode parse_clock(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *out, Error *err) {
    ParsedClock clock = {0};
    int32_t east = 0;
    if (!special_clock(text, environment, &clock.micros)) {
        ClockParse state = clock_parse(text, &clock);
        if (state == CLOCK_OUT_OF_RANGE) {
            return error_set(err, ERR_DATETIME_OVERFLOW, 0, "date/time field value out of range: \"%.*s\"", (int)MIN_OF(text.len, 200), text.data);
        }
        if (state == CLOCK_INVALID) {
            return invalid(type_of((TypeId)type.id), text, ERR_INVALID_DATETIME, err);
        }
    }
    int64_t micros = cast__round_micros(clock.micros, type.precision);
    if (type.id == TYPE_TIMETZ || clock.zone.len > 0) {
        TRY(zone_east(type_of((TypeId)type.id), text, &clock, environment, arena, &east, err));
    }
    if (type.id == TYPE_TIME) { /* a zone is read and dropped */
        memcpy(out, &micros, sizeof micros);
        return ERR_OK;
    }
    TimeTz time = {.micros = micros, .zone_west = -east};
    memcpy(out, &time, sizeof time);
    return ERR_OK;
}

/* ---- oids ---- */

static bool is_number(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

static ErrorCode parse_unsigned(Type type, Str text, uint32_t *oid_out, Error *err) {
    int64_t value;
    bool overflow = false;
    Str number = str_trim(text);
    if (!parse_int64(number, &value, &overflow)) {
        return overflow ? out_of_range(type, text, err) : invalid(type, text, ERR_INVALID_TEXT, err);
    }
    if (value < INT32_MIN || value > UINT32_MAX) {
        return out_of_range(type, text, err);
    }
    *oid_out = (uint32_t)value;
    return ERR_OK;
}

/* regtype: type names need no catalog. "pg_catalog.int4", "int4[]", "_int4", "character varying(10)". */
static bool type_by_name(Str text, uint32_t *oid_out) {
    Type type;
    Str name = str_trim(text);
    if (str_starts_with(name, STR("pg_catalog."))) {
        name = str_slice(name, 11, name.len);
    }
    ptrdiff_t open = str_find_char(name, '(', 0), close = str_find_char(name, ')', 0);
    char plain[128];
    if (open > 0 && close > open && name.len < sizeof plain) { /* the modifier says nothing here */
        size_t head = (size_t)open, tail = name.len - (size_t)close - 1;
        memcpy(plain, name.data, head);
        memcpy(plain + head, name.data + close + 1, tail);
        name = str_from(plain, head + tail);
    }
    if (str_equal(name, STR("unknown"))) {
        *oid_out = type_oid(TYPE_UNKNOWN);
        return true;
    }
    if (str_equal(name, STR("anyarray"))) {
        *oid_out = type_oid(TYPE_ARRAY);
        return true;
    }
    bool quoted = name.len > 2 && name.data[0] == '"' && name.data[name.len - 1] == '"' && !str_equal(name, STR("\"char\""));
    name = quoted ? str_slice(name, 1, name.len - 1) : name;
    if (name.len > 1 && name.data[0] == '_' && type_from_name(str_slice(name, 1, name.len), false, &type) && type.id != TYPE_ARRAY) {
        *oid_out = type_array_oid((TypeId)type.id);
        return *oid_out != 0;
    }
    if (!type_from_name(name, false, &type)) {
        return false;
    }
    *oid_out = type.id == TYPE_FLOAT8_ARRAY ? 1022 : type_oid_of(type);
    return true;
}

static ErrorCode find_object(Type type, Str text, const OidNames *names, uint32_t *oid_out, Error *err) {
    Str name = str_trim(text);
    if (str_equal(name, STR("-"))) {
        *oid_out = 0;
        return ERR_OK;
    }
    if (is_number(name)) {
        return parse_unsigned(type_of(TYPE_OID), name, oid_out, err);
    }
    if (type.id == TYPE_REGTYPE && type_by_name(name, oid_out)) {
        return ERR_OK;
    }
    if (names != NULL) {
        return names->find(names, (TypeId)type.id, name, oid_out, err);
    }
    if (type.id == TYPE_REGTYPE) {
        return error_set(err, ERR_UNDEFINED_OBJECT, 0, "type \"%.*s\" does not exist", (int)MIN_OF(name.len, 200), name.data);
    }
    return error_set(err, ERR_NOT_SUPPORTED, 0, "text input of %s by name is not supported here", type_sql_name((TypeId)type.id));
}

static ErrorCode parse_oid(Type type, Str text, const FunctionEnvironment *environment, void *out, Error *err) {
    uint32_t oid = 0;
    if (type.id == TYPE_OID || type.id == TYPE_XID || type.id == TYPE_CID) {
        TRY(parse_unsigned(type, text, &oid, err));
    } else {
        TRY(find_object(type, text, environment == NULL ? NULL : environment->names, &oid, err));
    }
    memcpy(out, &oid, sizeof oid);
    return ERR_OK;
}

/* "(block,place)" */
static ErrorCode parse_tid(Type type, Str text, void *out, Error *err) {
    Str inner = str_trim(text);
    ptrdiff_t comma = str_find_char(inner, ',', 0);
    uint64_t block = 0, place = 0;
    bool overflow = false;
    bool shaped = inner.len > 4 && comma > 1 && inner.data[0] == '(' && inner.data[inner.len - 1] == ')';
    if (!shaped || !parse_uint64(str_slice(inner, 1, (size_t)comma), &block, &overflow) ||
        !parse_uint64(str_slice(inner, (size_t)comma + 1, inner.len - 1), &place, &overflow) || block > UINT32_MAX || place > UINT16_MAX) {
        return invalid(type, text, ERR_INVALID_TEXT, err);
    }
    uint64_t word = block << 16 | place;
    memcpy(out, &word, sizeof word);
    return ERR_OK;
}

static ErrorCode parse_xid8(Type type, Str text, void *out, Error *err) {
    uint64_t word = 0;
    bool overflow = false;
    if (!parse_uint64(str_trim(text), &word, &overflow)) {
        return overflow ? out_of_range(type, text, err) : invalid(type, text, ERR_INVALID_TEXT, err);
    }
    memcpy(out, &word, sizeof word);
    return ERR_OK;
}

static ErrorCode parse_enum(Type type, Str text, const FunctionEnvironment *environment, void *out, Error *err) {
    int64_t value = 0;
    if (type.length == 0) {
        return error_set(err, ERR_NOT_SUPPORTED, 0, "cannot accept a value of type anyenum");
    }
    if (environment == NULL || environment->names == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, 0, "text input of an enum is not supported here");
    }
    TRY(environment->names->label_find(environment->names, (uint32_t)type.length, text, &value, err));
    memcpy(out, &value, sizeof value);
    return ERR_OK;
}

/* ---- texts ---- */

static ErrorCode parse_jsonb(Str text, Arena *arena, void *out, Error *err) {
    Buffer normal;
    buffer_init(&normal, STRREF_BYTES_MAX);
    ErrorCode code = jsonb_normalise(text, &normal, err);
    if (code == ERR_OK) {
        put_text(arena_str(arena, buffer_str(&normal)), out);
    }
    buffer_deinit(&normal);
    return code;
}

/* At most 63 bytes, cut at the end of a character. */
Str cast__cut_name(Str text) {
    if (text.len <= NAME_TYPE_BYTES_MAX) {
        return text;
    }
    size_t end = NAME_TYPE_BYTES_MAX;
    while (end > 0 && ((uint8_t)text.data[end] & 0xc0) == 0x80) {
        end--;
    }
    return str_slice(text, 0, end);
}

/* One byte, or \ooo. */
static void parse_char1(Str text, void *out) {
    uint8_t byte = text.len == 0 ? 0 : (uint8_t)text.data[0];
    bool octal = text.len == 4 && text.data[0] == '\\';
    for (size_t i = 1; octal && i < 4; i++) {
        octal = text.data[i] >= '0' && text.data[i] <= '7';
    }
    if (octal) {
        byte = (uint8_t)((text.data[1] - '0') << 6 | (text.data[2] - '0') << 3 | (text.data[3] - '0'));
    }
    memcpy(out, &byte, 1);
}

/* ---- arrays ---- */

typedef struct ElementContext {
    Type element;
    const FunctionEnvironment *environment;
    Arena *arena;
} ElementContext;

static ErrorCode read_element(void *context, Str text, AnyArrayBuilder *builder, Error *err) {
    const ElementContext *c = context;
    _Alignas(16) uint8_t value[16] = {0};
    TRY(value_parse(c->element, text, c->environment, c->arena, value, err));
    if (builder->element == TYPE_NUMERIC && c->element.id != TYPE_NUMERIC) {
        Numeric number = {.scale = c->element.scale};
        int64_t narrow;
        memcpy(&narrow, value, sizeof narrow);
        number.coefficient = narrow;
        if (c->element.id == TYPE_DECIMAL16) {
            memcpy(&number.coefficient, value, sizeof number.coefficient);
        }
        NumericSlot slot = numeric_to_slot(number, c->arena);
        memcpy(value, &slot, sizeof slot);
    }
    any_array_add(builder, value);
    return ERR_OK;
}

static ErrorCode finish_array(ErrorCode code, Buffer *bytes, Arena *arena, void *out) {
    if (code == ERR_OK) {
        put_text(arena_str(arena, buffer_str(bytes)), out);
    }
    buffer_deinit(bytes);
    return code;
}

static ErrorCode parse_array(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *out, Error *err) {
    Buffer bytes;
    ElementContext context = {.element = type_element(type), .environment = environment, .arena = arena};
    buffer_init(&bytes, STRREF_BYTES_MAX);
    return finish_array(any_array_parse(text, (TypeId)type.precision, read_element, &context, &bytes, err), &bytes, arena, out);
}

/* "1 2 3": counted from 0. */
static ErrorCode read_vector(Type type, Str text, Arena *arena, AnyArrayBuilder *builder, Buffer *bytes, Error *err) {
    ElementContext context = {.element = type_element(type), .arena = arena};
    size_t at = 0;
    while (at < text.len) {
        size_t from = at;
        while (at < text.len && text.data[at] != ' ') {
            at++;
        }
        if (at > from) {
            TRY(read_element(&context, str_slice(text, from, at), builder, err));
        }
        at++;
    }
    return any_array_end(builder, 1, &builder->count, &(int32_t){0}, bytes, err);
}

static ErrorCode parse_vector(Type type, Str text, Arena *arena, void *out, Error *err) {
    Buffer bytes;
    AnyArrayBuilder builder;
    buffer_init(&bytes, STRREF_BYTES_MAX);
    any_array_begin(&builder, (TypeId)type_element(type).id, STRREF_BYTES_MAX);
    ErrorCode code = read_vector(type, text, arena, &builder, &bytes, err);
    any_array_abandon(&builder);
    return finish_array(code, &bytes, arena, out);
}

/* ---- all ---- */

ErrorCode cast__parse_more(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *value_out, Error *err) {
    switch (type.id) {
    case TYPE_TIME:
    case TYPE_TIMETZ:
        return parse_clock(type, text, environment, arena, value_out, err);
    case TYPE_JSON:
        TRY(json_check(text, err));
        put_text(text, value_out);
        return ERR_OK;
    case TYPE_JSONB:
        return parse_jsonb(text, arena, value_out, err);
    case TYPE_NAME:
        put_text(cast__cut_name(text), value_out);
        return ERR_OK;
    case TYPE_CHAR1:
        parse_char1(text, value_out);
        return ERR_OK;
    case TYPE_TID:
        return parse_tid(type, text, value_out, err);
    case TYPE_XID8:
        return parse_xid8(type, text, value_out, err);
    case TYPE_ARRAY:
        return parse_array(type, text, environment, arena, value_out, err);
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
        return parse_vector(type, text, arena, value_out, err);
    case TYPE_ACLITEM:
    case TYPE_NODE_TREE:
    case TYPE_VOID:
        put_text(text, value_out);
        return ERR_OK;
    case TYPE_ENUM:
        return parse_enum(type, text, environment, value_out, err);
    case TYPE_RECORD:
        return error_set(err, ERR_NOT_SUPPORTED, 0, "input of anonymous composite types is not implemented");
    default:
        return parse_oid(type, text, environment, value_out, err);
    }
}
