/* SPDX-License-Identifier: Apache-2.0
 * pg_row_text.c - pass one for text fields: a loop for each form of value. */
#include "base/hash.h"
#include "base/number.h"
#include "encode/pg_row_internal.h"

#define YEAR_ONE_MICROS INT64_C(-62135596800000000) /* 0001-01-01 */
#define FOR_VALUES(run, field, i)                                                                                      \
    for (size_t i = 0; i < (run)->row_count; i++)                                                                      \
        if ((field)->lens[i] != PG_NULL)

void encode__pg_fill_refs(PgRun *run, PgField *field) {
    FOR_VALUES(run, field, i) {
        const StrRef *ref = (const StrRef *)(const void *)encode__pg_value(run, field, i);
        field->as.refs[i] = ref;
        field->lens[i] = (int32_t)ref->len;
    }
}

static void keep_text(Buffer *out, Str text) {
    buffer_append_str(out, text);
}

/* Kept in the cache for the next time, while that has room. */
static Str fresh_symbol(Encoder *encoder, SymbolCache *cache, int32_t code) {
    if (code < SYMBOL_CACHE_CODES) {
        Buffer text;
        buffer_init(&text, SIZE_MAX);
        encode__symbol(encoder, cache, code, keep_text, &text);
        buffer_deinit(&text);
    }
    return cache->symbols->text(cache->symbols, code);
}

void encode__pg_fill_symbols(PgRun *run, PgField *field) {
    SymbolCache *cache = field->cell->cache;
    FOR_VALUES(run, field, i) {
        int32_t code = *(const int32_t *)(const void *)encode__pg_value(run, field, i);
        Str text = encode__symbol_cached(cache, code);
        if (UNLIKELY(text.data == NULL)) {
            text = fresh_symbol(run->encoder, cache, code);
        }
        field->as.texts[i] = text.data;
        field->lens[i] = (int32_t)text.len;
    }
}

static void fill_bool(PgRun *run, PgField *field) {
    FOR_VALUES(run, field, i) {
        bool value = bit_get((const uint64_t *)(const void *)field->cell->data, run->places[i]);
        *encode__pg_slot(field, i) = value ? 't' : 'f';
        field->lens[i] = 1;
    }
}

static inline __attribute__((always_inline)) void fill_integers(PgRun *run, PgField *field, TypeId id) {
    FOR_VALUES(run, field, i) {
        char *slot = (char *)encode__pg_slot(field, i);
        field->lens[i] = (int32_t)(encode__int(slot, encode__load_int(id, encode__pg_value(run, field, i))) - slot);
    }
}

static void fill_byte(PgRun *run, PgField *field) { fill_integers(run, field, TYPE_BYTE); }
static void fill_int2(PgRun *run, PgField *field) { fill_integers(run, field, TYPE_INT2); }
static void fill_int4(PgRun *run, PgField *field) { fill_integers(run, field, TYPE_INT4); }
static void fill_int8(PgRun *run, PgField *field) { fill_integers(run, field, TYPE_INT8); }

static void fill_float8(PgRun *run, PgField *field) {
    FOR_VALUES(run, field, i) {
        double value;
        memcpy(&value, encode__pg_value(run, field, i), sizeof value);
        field->lens[i] = (int32_t)format_double((char *)encode__pg_slot(field, i), value, DOUBLE_POSTGRES);
    }
}

/* UTC microseconds in PostgreSQL's form; days are remembered, zeros at the end of the fraction go. */
static inline size_t format_timestamp(PgRun *run, char *out, int64_t micros, bool with_zone) {
    if (UNLIKELY(micros < YEAR_ONE_MICROS || micros == INT64_MAX)) { /* years BC, infinities */
        return timestamp_format_pg(out, micros, with_zone, 0);
    }
    size_t len = encode__iso_time(&run->dates, out, micros, 6);
    if (UNLIKELY(len != sizeof "2024-01-05T09:00:00.000000Z" - 1 || out[10] != 'T')) { /* far years have other lengths */
        return timestamp_format_pg(out, micros, with_zone, 0);
    }
    out[10] = ' ';
    len--;
    while (out[len - 1] == '0') {
        len--;
    }
    len -= out[len - 1] == '.';
    if (with_zone) {
        memcpy(out + len, "+00", 3);
        len += 3;
    }
    return len;
}

static inline __attribute__((always_inline)) void fill_timestamps(PgRun *run, PgField *field, bool with_zone) {
    FOR_VALUES(run, field, i) {
        int64_t micros;
        memcpy(&micros, encode__pg_value(run, field, i), sizeof micros);
        field->lens[i] = (int32_t)format_timestamp(run, (char *)encode__pg_slot(field, i), micros, with_zone);
    }
}

static void fill_timestamp(PgRun *run, PgField *field) { fill_timestamps(run, field, false); }
static void fill_timestamptz_utc(PgRun *run, PgField *field) { fill_timestamps(run, field, true); }

/* Whatever has a fixed width: in slots of VALUE_TEXT_MAX. */
static void fill_fixed(PgRun *run, PgField *field) {
    FOR_VALUES(run, field, i) {
        char *slot = (char *)encode__pg_slot(field, i);
        field->lens[i] = (int32_t)value_format_fixed(slot, field->cell->type, encode__pg_value(run, field, i), &run->style);
    }
}

/* Values whose text has no bound and is not what lies there: bytes as hex, arrays. */
static void fill_long(PgRun *run, PgField *field) {
    Buffer text;
    buffer_init(&text, SIZE_MAX);
    FOR_VALUES(run, field, i) {
        buffer_clear(&text);
        value_format(field->cell->type, encode__pg_value(run, field, i), &run->style, &text);
        field->as.texts[i] = arena_str(&run->encoder->scratch, buffer_str(&text)).data;
        field->lens[i] = (int32_t)text.len;
    }
    buffer_deinit(&text);
}

/* The label, in both formats. The catalog is asked once a run for each of the few labels that it holds. */
void encode__pg_fill_enums(PgRun *run, PgField *field) {
    enum { KNOWN_LABELS = 16 };
    struct { int64_t value; const char *text; int32_t len; } known[KNOWN_LABELS] = {{0}};
    Buffer text;
    buffer_init(&text, SIZE_MAX);
    FOR_VALUES(run, field, i) {
        int64_t value;
        memcpy(&value, encode__pg_value(run, field, i), sizeof value);
        size_t slot = hash_u64((uint64_t)value) % KNOWN_LABELS;
        if (known[slot].text == NULL || known[slot].value != value) {
            buffer_clear(&text);
            enum_format(value, &run->style, &text);
            known[slot].value = value;
            known[slot].text = arena_str(&run->encoder->scratch, buffer_str(&text)).data;
            known[slot].len = (int32_t)text.len;
        }
        field->as.texts[i] = known[slot].text;
        field->lens[i] = known[slot].len;
    }
    buffer_deinit(&text);
}

/* Names of objects may be longer than a slot. */
static bool type_has_long_text(TypeId id) {
    return type_physical(id) == PHYS_STR || type_category(id) == CAT_OID;
}

/* Settings that print this type in another way than the fast loops do. */
static bool is_styled(TypeId id, const TextStyle *style) {
    bool time = id == TYPE_TIMESTAMP || id == TYPE_TIMESTAMPTZ;
    return (time && style->value.date.form != DATE_FORM_ISO) || (id == TYPE_FLOAT8 && style->value.floats_rounded);
}

PgFieldPlan encode__pg_text_plan(Type type, const TextStyle *style) {
    if (UNLIKELY(is_styled((TypeId)type.id, style))) {
        return (PgFieldPlan){fill_fixed, PG_FIELD_SLOTS, VALUE_TEXT_MAX};
    }
    switch ((TypeId)type.id) {
    case TYPE_BOOL:
        return (PgFieldPlan){fill_bool, PG_FIELD_SLOTS, 16};
    case TYPE_BYTE:
        return (PgFieldPlan){fill_byte, PG_FIELD_SLOTS, 16};
    case TYPE_INT2:
        return (PgFieldPlan){fill_int2, PG_FIELD_SLOTS, 16};
    case TYPE_INT4:
        return (PgFieldPlan){fill_int4, PG_FIELD_SLOTS, 16};
    case TYPE_INT8:
        return (PgFieldPlan){fill_int8, PG_FIELD_SLOTS, 32};
    case TYPE_FLOAT8:
        return (PgFieldPlan){fill_float8, PG_FIELD_SLOTS, DOUBLE_TEXT_MAX};
    case TYPE_TIMESTAMP:
        return (PgFieldPlan){fill_timestamp, PG_FIELD_SLOTS, 48};
    case TYPE_TIMESTAMPTZ:
        return style->zone == NULL ? (PgFieldPlan){fill_timestamptz_utc, PG_FIELD_SLOTS, 48} : (PgFieldPlan){fill_fixed, PG_FIELD_SLOTS, 48};
    case TYPE_SYMBOL:
        return (PgFieldPlan){encode__pg_fill_symbols, PG_FIELD_TEXTS, 0};
    case TYPE_ENUM:
        return (PgFieldPlan){encode__pg_fill_enums, PG_FIELD_TEXTS, 0};
    case TYPE_UNKNOWN:
    case TYPE_TEXT:
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_NAME:
    case TYPE_JSON:
    case TYPE_JSONB:
    case TYPE_ACLITEM:
    case TYPE_NODE_TREE:
    case TYPE_VOID:
        return (PgFieldPlan){encode__pg_fill_refs, PG_FIELD_REFS, 0};
    default:
        return type_has_long_text((TypeId)type.id) ? (PgFieldPlan){fill_long, PG_FIELD_TEXTS, 0}
                                                          : (PgFieldPlan){fill_fixed, PG_FIELD_SLOTS, VALUE_TEXT_MAX};
    }
}
