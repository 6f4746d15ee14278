/* SPDX-License-Identifier: Apache-2.0
 * writer_binary.c - rows of COPY's binary format; the layout stands in binary_row.c. */
#include "copy/writer_internal.h"

static void append_u32(Buffer *out, uint32_t value) {
    value = __builtin_bswap32(value);
    buffer_append(out, &value, sizeof value);
}

static void append_u16(Buffer *out, uint16_t value) {
    value = __builtin_bswap16(value);
    buffer_append(out, &value, sizeof value);
}

void copy__write_binary_header(Buffer *out) {
    buffer_append(out, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
}

void copy__write_binary_trailer(Buffer *out) {
    append_u16(out, UINT16_MAX);
}

void copy__write_binary_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out) {
    append_u16(out, writer->column_count);
    for (uint16_t c = 0; c < writer->column_count; c++) {
        Str field = pg_run_field(run, c, row);
        append_u32(out, field.data == NULL ? UINT32_MAX : (uint32_t)field.len);
        buffer_append(out, field.data, field.len);
    }
}
