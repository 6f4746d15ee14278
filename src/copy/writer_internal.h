/* SPDX-License-Identifier: Apache-2.0
 * writer_internal.h - shared by the writers of the three formats: rows are put together in room that is there already.
 *
 * Invariants: a field takes at most COPY_FIELD_GROWTH times its bytes, and COPY_FIELD_EXTRA more; copies may write PG_SLACK_BYTES behind a row. */
#pragma once
#include "copy/copy_internal.h"

enum { COPY_FIELD_GROWTH = 2, COPY_FIELD_EXTRA = 8 };

/* A column of the run at hand. */
typedef struct CopyOut {
    PgRunField field;
    bool plain;                  /* its texts are never quoted or escaped */
    bool quoted;                 /* FORCE_QUOTE */
} CopyOut;

/* Rows and fields at `at`; each returns where the next byte goes. */
uint8_t *copy__put_text_row(const CopyWriter *writer, const CopyOut *columns, uint32_t row, uint8_t *at);
uint8_t *copy__put_csv_row(const CopyWriter *writer, const CopyOut *columns, uint32_t row, uint8_t *at);
uint8_t *copy__put_binary_row(const CopyWriter *writer, const CopyOut *columns, uint32_t row, uint8_t *at);
uint8_t *copy__put_text(const CopyWriter *writer, Str text, uint8_t *at);             /* escaped */
uint8_t *copy__put_csv(const CopyWriter *writer, Str text, bool quoted, uint8_t *at); /* quoted where it must be */
enum { COPY_SIGNATURE_BYTES = 19, COPY_TRAILER_BYTES = 2 };
uint8_t *copy__put_binary_header(uint8_t *at);
uint8_t *copy__put_binary_trailer(uint8_t *at);

static inline uint8_t *copy__put(uint8_t *at, const void *bytes, size_t len) {
    memcpy(at, bytes, len);
    return at + len;
}

static inline Str copy__field(const PgRunField *field, uint32_t row, size_t len) {
    switch ((PgFieldKind)field->kind) {
    case PG_FIELD_SLOTS: return str_from((const char *)field->slots + (size_t)row * field->slot_bytes, len);
    case PG_FIELD_REFS: return strref_str(field->refs[row]);
    default: return str_from(field->texts[row], len);
    }
}

/* A field's bytes as they are. */
static inline uint8_t *copy__put_field(const PgRunField *field, uint32_t row, size_t len, uint8_t *at) {
    switch ((PgFieldKind)field->kind) {
    case PG_FIELD_SLOTS: return pg_put_slot(at, field->slots + (size_t)row * field->slot_bytes, len);
    case PG_FIELD_REFS: return pg_put_ref(at, field->refs[row], len);
    default: return copy__put(at, field->texts[row], len);
    }
}

/* ---- eight bytes at once: is one of them special? ---- */
#define COPY_ONES UINT64_C(0x0101010101010101)
static inline uint64_t copy__is_zero(uint64_t word) { return (word - COPY_ONES) & ~word & COPY_ONES * 0x80; }
static inline uint64_t copy__is_byte(uint64_t word, char c) { return copy__is_zero(word ^ COPY_ONES * (uint8_t)c); }

/* Calls test(writer, word) for words that together hold all bytes of the text and no others. */
typedef bool (*CopyWordTest)(const CopyWriter *writer, uint64_t word);
static inline __attribute__((always_inline)) bool copy__any_word(const CopyWriter *writer, const char *data, size_t len, CopyWordTest test) {
    uint64_t word;
    if (len < 4) {
        uint32_t three = (uint32_t)((uint8_t)data[0] | (uint8_t)data[len / 2] << 8 | (uint8_t)data[len - 1] << 16);
        return test(writer, (uint64_t)(uint8_t)data[0] * (COPY_ONES << 24) | three);
    }
    if (len < 8) {
        uint32_t low, high;
        memcpy(&low, data, sizeof low);
        memcpy(&high, data + len - sizeof high, sizeof high);
        return test(writer, low | (uint64_t)high << 32);
    }
    for (size_t i = 0; i + sizeof word < len; i += sizeof word) {
        memcpy(&word, data + i, sizeof word);
        if (UNLIKELY(test(writer, word))) {
            return true;
        }
    }
    memcpy(&word, data + len - sizeof word, sizeof word);
    return test(writer, word);
}
