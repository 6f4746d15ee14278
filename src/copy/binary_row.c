/* SPDX-License-Identifier: Apache-2.0
 * binary_row.c - COPY's binary format.
 *
 * Layout:     "PGCOPY\n\377\r\n\0" | u32 flags | u32 length of an extension, its bytes | rows | i16 -1
 *             row = i16 fields | (i32 length, -1 = NULL | bytes) x fields */
#include "copy/copy_internal.h"

enum { SIGNATURE_BYTES = 11, HEADER_BYTES = SIGNATURE_BYTES + 8, FLAG_OIDS = 1 << 16, NULL_SIZE = -1 };
static const uint8_t SIGNATURE[SIGNATURE_BYTES] = "PGCOPY\n\377\r\n"; /* with the NUL of the literal */

static uint32_t get_u32be(const uint8_t *p) {
    return __builtin_bswap32(get_u32le(p));
}

static int16_t get_i16be(const uint8_t *p) {
    return (int16_t)__builtin_bswap16(get_u16le(p));
}

static CopyStep fail(CopyReader *reader, const char *what, Error *err) {
    copy__set_context(reader, CONTEXT_LINE, (Str){0}, (Str){0});
    error_ignore(error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "%s", what));
    return COPY_FAILED;
}

/* The input is too short; at its end that is an error. */
static CopyStep more(CopyReader *reader, size_t need, Error *err) {
    reader->binary_need = need;
    if (need > COPY_ROW_BYTES_MAX) {
        return fail(reader, "invalid field size", err);
    }
    return reader->ending ? fail(reader, "unexpected EOF in COPY data", err) : COPY_MORE;
}

static CopyStep take_header(CopyReader *reader, Error *err) {
    const uint8_t *data = reader->input.data;
    size_t have = reader->input.len;
    if (have > 0 && memcmp(data, SIGNATURE, MIN_OF(have, (size_t)SIGNATURE_BYTES)) != 0) {
        return fail(reader, "COPY file signature not recognized", err);
    }
    if (have < HEADER_BYTES) {
        return reader->ending ? fail(reader, have < SIGNATURE_BYTES ? "COPY file signature not recognized" : "invalid COPY file header (missing flags)", err)
                              : more(reader, HEADER_BYTES, err);
    }
    uint32_t flags = get_u32be(data + SIGNATURE_BYTES), extension = get_u32be(data + SIGNATURE_BYTES + 4);
    if ((flags & FLAG_OIDS) != 0) {
        return fail(reader, "invalid COPY file header (WITH OIDS)", err);
    }
    if (flags >> 16 != 0) {
        return fail(reader, "unrecognized critical flags in COPY file header", err);
    }
    if (extension > INT32_MAX) {
        return fail(reader, "invalid COPY file header (missing length)", err);
    }
    if (have - HEADER_BYTES < extension) {
        return reader->ending ? fail(reader, "invalid COPY file header (wrong length)", err) : more(reader, HEADER_BYTES + (size_t)extension, err);
    }
    reader->begun = true;
    reader->scan.row = HEADER_BYTES + (size_t)extension;
    return COPY_ROW;
}

/* Is the row whole? Then *len_out is its length. */
static CopyStep measure_row(CopyReader *reader, Bytes rest, size_t *len_out, Error *err) {
    size_t at = 2;
    for (uint16_t c = 0; c < reader->column_count; c++) {
        if (rest.len < at + 4) {
            return more(reader, at + 4, err);
        }
        int32_t size = (int32_t)get_u32be(rest.data + at);
        if (size < NULL_SIZE) {
            copy__set_context(reader, CONTEXT_COLUMN, reader->fields[c].name, (Str){0});
            error_ignore(error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "invalid field size"));
            return COPY_FAILED;
        }
        at += 4 + (size_t)MAX_OF(size, 0);
    }
    *len_out = at;
    return rest.len < at ? more(reader, at, err) : COPY_ROW;
}

static ErrorCode store_value(CopyReader *reader, CopyField *field, Bytes bytes, Error *err) {
    _Alignas(16) uint8_t value[16] = {0};
    TRY(pg_binary_read(field->type, bytes, reader->environment == NULL ? NULL : reader->environment->names, &reader->scratch, value, err));
    if (field->symbols == NULL) {
        copy__store(field, value);
        return ERR_OK;
    }
    StrRef text;
    memcpy(&text, value, sizeof text);
    return copy__symbol(field, strref_str(&text)) ? ERR_OK : error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "the dictionary is full");
}

static CopyStep take_fields(CopyReader *reader, const uint8_t *at, Error *err) {
    for (uint16_t c = 0; c < reader->column_count; c++) {
        CopyField *field = &reader->fields[c];
        int32_t size = (int32_t)get_u32be(at);
        at += 4;
        if (size == NULL_SIZE) {
            column_builder_null(&field->builder);
            continue;
        }
        if (store_value(reader, field, bytes_from(at, (size_t)size), err) != ERR_OK) {
            copy__set_context(reader, CONTEXT_COLUMN, field->name, (Str){0});
            copy__row_undo(reader);
            return COPY_FAILED;
        }
        at += size;
    }
    copy__row_done(reader);
    return COPY_ROW;
}

static CopyStep take_row(CopyReader *reader, Error *err) {
    Bytes rest = bytes_from(reader->input.data + reader->scan.row, reader->input.len - reader->scan.row);
    size_t len = 0;
    reader->line = reader->next_line;
    if (rest.len < 2 && reader->ending) { /* the trailer may be missing */
        reader->ended = true;
        return COPY_MARKER;
    }
    if (rest.len < 2) {
        return more(reader, 2, err);
    }
    int16_t count = get_i16be(rest.data);
    if (count == -1) {
        reader->ended = true;
        reader->scan.row += 2;
        return rest.len > 2 ? fail(reader, "received copy data after EOF marker", err) : COPY_MARKER;
    }
    if (count != (int16_t)reader->column_count) {
        copy__set_context(reader, CONTEXT_LINE, (Str){0}, (Str){0});
        error_ignore(error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "row field count is %d, expected %d", count, reader->column_count));
        return COPY_FAILED;
    }
    CopyStep step = measure_row(reader, rest, &len, err);
    if (step != COPY_ROW) {
        return step;
    }
    step = take_fields(reader, rest.data + 2, err);
    reader->scan.row += len;
    reader->next_line++;
    arena_reset(&reader->scratch);
    return step;
}

CopyStep copy__binary_rows(CopyReader *reader, Error *err) {
    CopyStep step = COPY_ROW;
    if (reader->input.len - reader->scan.row < reader->binary_need && !reader->ending) {
        return COPY_MORE;
    }
    reader->binary_need = 0;
    if (!reader->begun && !reader->ended) {
        step = take_header(reader, err);
    }
    while (step == COPY_ROW && reader->row_count < COPY_BATCH_ROWS && !reader->ended) {
        step = take_row(reader, err);
    }
    reader->scan.at = reader->scan.field_start = reader->scan.row;
    return step;
}
