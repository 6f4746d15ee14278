/* SPDX-License-Identifier: Apache-2.0
 * writer_binary.c - rows of COPY's binary format; the layout stands in binary_row.c. */
#include "copy/writer_internal.h"

static inline uint8_t *put_u32(uint8_t *at, uint32_t value) {
    value = __builtin_bswap32(value);
    return copy__put(at, &value, sizeof value);
}

static inline uint8_t *put_u16(uint8_t *at, uint16_t value) {
    value = __builtin_bswap16(value);
    return copy__put(at, &value, sizeof value);
}

uint8_t *copy__put_binary_header(uint8_t *at) { return copy__put(at, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", COPY_SIGNATURE_BYTES); }

uint8_t *copy__put_binary_trailer(uint8_t *at) { return put_u16(at, UINT16_MAX); }

uint8_t *copy__put_binary_row(const CopyWriter *writer, const CopyOut *columns, uint32_t row, uint8_t *at) {
    at = put_u16(at, writer->column_count);
    for (uint16_t c = 0; c < writer->column_count; c++) {
        int32_t len = columns[c].field.lens[row];
        at = put_u32(at, (uint32_t)len); /* NULL: -1 there too */
        at = len > 0 ? copy__put_field(&columns[c].field, row, (size_t)len, at) : at;
    }
    return at;
}
