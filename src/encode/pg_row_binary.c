/* SPDX-License-Identifier: Apache-2.0
 * pg_row_binary.c - pass one for binary fields: byte order turned, times counted from 2000. */
#include "encode/pg_row_internal.h"

/* One loop a type: read the value, write its big-endian form. Values under NULL are turned too, which costs less than to ask. */
#define FILL_FIXED(name, Value, bytes, put)                                                                            \
    static void name(PgRun *run, PgField *field) {                                                                     \
        const uint8_t *data = field->cell->data;                                                                       \
        const uint16_t *places = run->places;                                                                          \
        uint8_t *slot = field->slots;                                                                                  \
        for (size_t i = 0; i < run->row_count; i++, slot += PG_SLOT_BYTES) {                                           \
            Value value;                                                                                               \
            memcpy(&value, data + places[i] * sizeof(Value), sizeof value);                                            \
            put;                                                                                                       \
            field->lens[i] = field->lens[i] == PG_NULL ? PG_NULL : (bytes);                                            \
        }                                                                                                              \
    }
FILL_FIXED(fill_1_as_2, int8_t, 2, pg__put_u16(slot, (uint16_t)value))
FILL_FIXED(fill_2, uint16_t, 2, pg__put_u16(slot, value))
FILL_FIXED(fill_4, uint32_t, 4, pg__put_u32(slot, value))
FILL_FIXED(fill_8, uint64_t, 8, pg__put_u64(slot, value))
FILL_FIXED(fill_16, Uuid, 16, memcpy(slot, &value, sizeof value))

static inline int64_t pg_micros(int64_t micros) {
    return micros == INT64_MIN || micros == INT64_MAX ? micros : micros - PG_EPOCH_MICROS;
}
FILL_FIXED(fill_timestamp, int64_t, 8, pg__put_u64(slot, (uint64_t)pg_micros(value)))

static void fill_bool(PgRun *run, PgField *field) {
    for (size_t i = 0; i < run->row_count; i++) {
        *encode__pg_slot(field, i) = bit_get((const uint64_t *)(const void *)field->cell->data, run->places[i]);
        field->lens[i] = field->lens[i] == PG_NULL ? PG_NULL : 1;
    }
}

/* All others of a fixed width. */
static void fill_any(PgRun *run, PgField *field) {
    for (size_t i = 0; i < run->row_count; i++) {
        if (field->lens[i] != PG_NULL) {
            const uint8_t *value = encode__pg_value(run, field, i);
            field->lens[i] = (int32_t)encode__pg_binary_fixed(field->cell->type, value, encode__pg_slot(field, i));
        }
    }
}

/* Values whose binary form has no bound and is not what lies there. */
static void fill_long(PgRun *run, PgField *field) {
    Buffer bytes;
    buffer_init(&bytes, SIZE_MAX);
    for (size_t i = 0; i < run->row_count; i++) {
        if (field->lens[i] == PG_NULL) {
            continue;
        }
        buffer_clear(&bytes);
        error_ignore(pg_binary_put(field->cell->type, encode__pg_value(run, field, i), run->style.names, &bytes, NULL)); /* damaged arrays: an empty field */
        field->as.texts[i] = arena_str(&run->encoder->scratch, buffer_str(&bytes)).data;
        field->lens[i] = (int32_t)bytes.len;
    }
    buffer_deinit(&bytes);
}

bool encode__pg_binary_plan(Type type, PgFieldPlan *plan_out) {
    TypeId id = (TypeId)type.id;
    PgFieldPlan slots = {NULL, PG_FIELD_SLOTS, PG_SLOT_BYTES};
    switch (id) {
    case TYPE_BOOL:
        slots.fill = fill_bool;
        break;
    case TYPE_BYTE:
        slots.fill = fill_1_as_2;
        break;
    case TYPE_INT2:
        slots.fill = fill_2;
        break;
    case TYPE_INT4:
    case TYPE_FLOAT4:
    case TYPE_OID:
        slots.fill = fill_4;
        break;
    case TYPE_INT8:
    case TYPE_FLOAT8:
    case TYPE_TIME:
        slots.fill = fill_8;
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        slots.fill = fill_timestamp;
        break;
    case TYPE_UUID:
        slots.fill = fill_16;
        break;
    case TYPE_SYMBOL:
        *plan_out = (PgFieldPlan){encode__pg_fill_symbols, PG_FIELD_TEXTS, 0};
        return true;
    case TYPE_ENUM:
        *plan_out = (PgFieldPlan){encode__pg_fill_enums, PG_FIELD_TEXTS, 0};
        return true;
    case TYPE_UNKNOWN:
    case TYPE_TEXT:
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_NAME:
    case TYPE_JSON:
    case TYPE_BYTEA:
        *plan_out = (PgFieldPlan){encode__pg_fill_refs, PG_FIELD_REFS, 0};
        return true;
    default:
        if (type_physical(id) == PHYS_STR) {
            *plan_out = (PgFieldPlan){fill_long, PG_FIELD_TEXTS, 0};
        } else {
            *plan_out = (PgFieldPlan){fill_any, PG_FIELD_SLOTS, PG_BINARY_FIXED_MAX};
        }
        return pg_binary_supported(id);
    }
    *plan_out = slots;
    return true;
}
