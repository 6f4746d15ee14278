/* SPDX-License-Identifier: Apache-2.0
 * write_rows.c - what describes parameters and rows, and what frames the rows of COPY. */
#include "proto/pgwire/pgwire_internal.h"

void pgwire_write_parameter_description(Buffer *out, const uint32_t *oids, uint16_t count) {
    size_t begin = pgwire__begin(out, 't');
    pgwire__put_u16(out, count);
    for (size_t i = 0; i < count; i++) {
        pgwire__put_u32(out, oids[i]);
    }
    pgwire__end(out, begin);
}

static void put_column(Buffer *out, const PgColumn *column) {
    pgwire__put_text(out, column->name);
    pgwire__put_u32(out, column->table_oid);
    pgwire__put_u16(out, (uint16_t)column->column_number);
    pgwire__put_u32(out, column->type_oid);
    pgwire__put_u16(out, (uint16_t)column->type_bytes);
    pgwire__put_u32(out, (uint32_t)column->type_modifier);
    pgwire__put_u16(out, column->format);
}

void pgwire_write_row_description(Buffer *out, const PgColumn *columns, uint16_t count) {
    size_t begin = pgwire__begin(out, 'T');
    pgwire__put_u16(out, count);
    for (size_t i = 0; i < count; i++) {
        put_column(out, &columns[i]);
    }
    pgwire__end(out, begin);
}

/* All columns of a COPY have the same format here, as in PostgreSQL. */
static void write_copy_start(Buffer *out, char type, bool binary, uint16_t column_count) {
    size_t begin = pgwire__begin(out, type);
    buffer_put_u8(out, binary);
    pgwire__put_u16(out, column_count);
    for (size_t i = 0; i < column_count; i++) {
        pgwire__put_u16(out, binary);
    }
    pgwire__end(out, begin);
}

void pgwire_write_copy_in(Buffer *out, bool binary, uint16_t column_count) {
    write_copy_start(out, 'G', binary, column_count);
}

void pgwire_write_copy_out(Buffer *out, bool binary, uint16_t column_count) {
    write_copy_start(out, 'H', binary, column_count);
}

void pgwire_write_copy_data(Buffer *out, Bytes data) {
    size_t begin = pgwire__begin(out, 'd');
    buffer_append(out, data.data, data.len);
    pgwire__end(out, begin);
}
