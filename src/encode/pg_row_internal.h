/* SPDX-License-Identifier: Apache-2.0
 * pg_row_internal.h - DataRow in two passes over up to PG_RUN_ROWS rows: each column gets the bytes of its fields ready, then rows are
 * put together.
 *
 * Why: the first pass is a loop per type without branches on types, the second knows lengths and copies only; both stay in the L1
 * and L2 caches. */
#pragma once
#include "encode/encode_internal.h"
#include "encode/pg_row.h"

typedef struct PgField PgField;
struct PgField {
    const Cell *cell;
    void (*fill)(PgRun *run, PgField *field); /* pass one */
    uint8_t kind, slot_bytes;  /* slot_bytes 0: one slot for all rows */
    uint8_t slot_width;        /* what fill writes by */
    uint8_t *slots;
    union { const StrRef **refs; const char **texts; } as;
    int32_t *lens;             /* of run->room; PG_NULL */
    size_t bytes;              /* of all fields of the run, at most */
};

struct PgRun {
    Encoder *encoder;
    Batch *batch;
    PgField *fields;
    ArenaMark mark;            /* behind it lie texts of the run at hand */
    TextStyle style;
    uint16_t row_count;        /* rows of this run */
    uint16_t room;                /* rows at most: PG_RUN_ROWS, or all of a smaller batch */
    uint16_t *rows;               /* their numbers in the batch */
    const uint16_t *places;       /* of the field at hand: where each row's value lies in the cell's data; rows or the next */
    uint16_t *index_places;
    DateCache dates;
};

/* How a column is to be written: the fill function, its kind and slot width. false: the type has no binary form. */
typedef struct PgFieldPlan { void (*fill)(PgRun *run, PgField *field); uint8_t kind, slot_width; } PgFieldPlan;
PgFieldPlan encode__pg_text_plan(Type type, const TextStyle *style);
bool encode__pg_binary_plan(Type type, PgFieldPlan *plan_out);
/* Fills shared by both formats: texts that are sent as they lie there, symbols. */
void encode__pg_fill_refs(PgRun *run, PgField *field);
void encode__pg_fill_symbols(PgRun *run, PgField *field);
void encode__pg_fill_enums(PgRun *run, PgField *field);

static inline const uint8_t *encode__pg_value(const PgRun *run, const PgField *field, size_t i) {
    return field->cell->data + (size_t)run->places[i] * field->cell->width;
}
static inline uint8_t *encode__pg_slot(const PgField *field, size_t i) { return field->slots + i * field->slot_width; }

static inline void pg__put_u16(void *out, uint16_t value) { value = __builtin_bswap16(value); memcpy(out, &value, sizeof value); }
static inline void pg__put_u32(void *out, uint32_t value) { value = __builtin_bswap32(value); memcpy(out, &value, sizeof value); }
static inline void pg__put_u64(void *out, uint64_t value) { value = __builtin_bswap64(value); memcpy(out, &value, sizeof value); }
static inline uint16_t pg__get_u16(const void *p) { uint16_t v; memcpy(&v, p, sizeof v); return __builtin_bswap16(v); }
static inline uint32_t pg__get_u32(const void *p) { uint32_t v; memcpy(&v, p, sizeof v); return __builtin_bswap32(v); }
static inline uint64_t pg__get_u64(const void *p) { uint64_t v; memcpy(&v, p, sizeof v); return __builtin_bswap64(v); }

/* ---- binary forms (pg_binary.c, pg_binary_numeric.c) ---- */
#define PG_EPOCH_DAYS 10957                        /* 2000-01-01 */
#define PG_EPOCH_MICROS (PG_EPOCH_DAYS * MICROS_PER_DAY)
enum { PG_NUMERIC_BYTES_MAX = 48, PG_BINARY_FIXED_MAX = PG_NUMERIC_BYTES_MAX };
/* Any fixed-width type that has a binary form, but SYMBOL. Returns the bytes written, at most PG_BINARY_FIXED_MAX. */
size_t encode__pg_binary_fixed(Type type, const void *value, uint8_t *out);
size_t encode__pg_binary_numeric(Numeric value, uint8_t *out);
ErrorCode encode__pg_binary_numeric_read(Type type, Bytes bytes, Arena *arena, void *value_out, Error *err);
/* Arrays: the binary form appended. */
ErrorCode encode__pg_binary_array(Type type, Str serialised, Buffer *out, Error *err);
ErrorCode encode__pg_binary_array_read(Type type, Bytes bytes, Arena *arena, void *value_out, Error *err);
ErrorCode encode__pg_binary_any_array(Type type, Str serialised, const OidNames *names, Buffer *out, Error *err);
ErrorCode encode__pg_binary_any_array_read(Type type, Bytes bytes, const OidNames *names, Arena *arena, void *value_out, Error *err);
ErrorCode encode__pg_binary_record(Str serialised, const OidNames *names, Buffer *out, Error *err);
