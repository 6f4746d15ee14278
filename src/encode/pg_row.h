/* SPDX-License-Identifier: Apache-2.0
 * pg_row.h - values as PostgreSQL's wire carries them: DataRow messages out of batches, binary values in and out.
 *
 * Text forms are those of value_text.h; binary forms are big-endian and listed in docs/format/pgwire.md. Threads: as encode.h. */
#pragma once
#include "encode/encode.h"

enum { PG_FORMAT_TEXT = 0, PG_FORMAT_BINARY = 1 };

/* Which rows of the batch are to be written, and how far it went; so a portal with a row limit is a window that goes on later. */
typedef struct PgRowWindow {
    uint32_t row;          /* first row to look at; set to the row behind the last one written (batch->row_count: the batch is done) */
    uint64_t rows_left;    /* live rows still to be written, counted down; UINT64_MAX = all */
    size_t out_bytes;      /* stop after the row with which out->len reached this; 0 = never */
} PgRowWindow;

/* One DataRow ('D') per live row. columns: as in encode.h. formats: PG_FORMAT_* a column, NULL = text. encoder->row_count counts the rows.
 * ERR_UNDEFINED_FUNCTION (42883): a type without a binary form, before anything is written. */
NODISCARD ErrorCode pg_encode_rows(Encoder *encoder, Batch *batch, const uint16_t *columns, const uint8_t *formats, PgRowWindow *window,
                                   Buffer *out, Error *err);

/* The same fields one by one, for formats that put rows together in another way. Lives in encoder's scratch: until its next call. */
typedef struct PgRun PgRun;
NODISCARD ErrorCode pg_run_begin(Encoder *encoder, Batch *batch, const uint16_t *columns, const uint8_t *formats, PgRun **run_out, Error *err);
/* The next rows of the window, at most PG_RUN_ROWS; 0 at its end. window->rows_left counts down, out_bytes is the caller's business. */
enum { PG_RUN_ROWS = 256 };
uint32_t pg_run_next(PgRun *run, PgRowWindow *window);

/* A column's fields of the run at hand as they lie there, for loops that put whole rows together. */
enum { PG_NULL = -1, PG_SLOT_BYTES = 16, PG_SLACK_BYTES = 2 * PG_SLOT_BYTES };
typedef enum PgFieldKind {
    PG_FIELD_SLOTS,            /* bytes of row i at slots + i * slot_bytes; PG_SLOT_BYTES may be read from the start of each PG_SLOT_BYTES of them */
    PG_FIELD_REFS,             /* refs[i] points at the StrRef */
    PG_FIELD_TEXTS             /* texts[i] points at the bytes */
} PgFieldKind;
typedef struct PgRunField {
    Type type;
    uint8_t kind;
    size_t slot_bytes;
    const uint8_t *slots;
    const StrRef *const *refs;
    const char *const *texts;
    const int32_t *lens;       /* PG_NULL: NULL */
    size_t bytes;              /* of all fields of the run, at most */
} PgRunField;
PgRunField pg_run_column(const PgRun *run, uint16_t column);
/* A field's bytes to `at`; returns what is behind them, where up to 15 more bytes may be written: PG_SLACK_BYTES of room behind the last row do. */
static inline uint8_t *pg_put_slot(uint8_t *at, const uint8_t *slot, size_t len) {
    memcpy(at, slot, PG_SLOT_BYTES);
    for (size_t done = PG_SLOT_BYTES; UNLIKELY(done < len); done += PG_SLOT_BYTES) {
        memcpy(at + done, slot + done, PG_SLOT_BYTES);
    }
    return at + len;
}
static inline uint8_t *pg_put_ref(uint8_t *at, const StrRef *ref, size_t len) {
    if (len <= STRREF_INLINE) {
        memcpy(at, (const uint8_t *)ref + offsetof(StrRef, prefix), STRREF_INLINE);
    } else {
        memcpy(at, ref->as.data, len);
    }
    return at + len;
}

/* One value in its binary form, without a length in front. value: physical value (BOOL: one byte); not SYMBOL. names: for labels of enums, which
 * is what an enum's binary form is; may be NULL where there are none. */
NODISCARD ErrorCode pg_binary_put(Type type, const void *value, const OidNames *names, Buffer *out, Error *err);
/* A parameter or COPY field in binary form. value_out: room for 16 bytes, filled as value_parse of sql/func does: the physical value,
 * BOOL one byte, SYMBOL and texts a StrRef that points into bytes where it can, else into arena. ERR_PROTOCOL (08P01) "insufficient data left in message",
 * ERR_INVALID_BINARY (22P03) "incorrect binary data format", ERR_INVALID_ENCODING (22021), ERR_OUT_OF_RANGE (22003), ERR_DATETIME_OVERFLOW
 * (22008), ERR_UNDEFINED_FUNCTION (42883): the type has no binary form. The message names no parameter; the caller knows its number. */
NODISCARD ErrorCode pg_binary_read(Type type, Bytes bytes, const OidNames *names, Arena *arena, void *value_out, Error *err);
bool pg_binary_supported(TypeId id);
