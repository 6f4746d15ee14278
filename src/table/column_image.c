/* SPDX-License-Identifier: Apache-2.0
 * column_image.c - one column of some rows <-> bytes, for commit records and checkpoints: one pass, no sampling.
 *
 * Layout:     u8 encoding | u8 has nulls | validity bits (bytes) if so | content (docs/format/log-records.md)
 * Why:        narrow integers and short texts triple what fits under one sync; anything dearer belongs to segments.
 * Invariants: decode accepts exactly what encode writes and fails on everything else that is too short or out of range.
 * Tests:      test/unit/table/test_column_image.c */
#include "table/table_internal.h"

typedef enum ImageEncoding { IMAGE_RAW, IMAGE_CONSTANT, IMAGE_FRAME, IMAGE_TEXT, IMAGE_NUMERIC } ImageEncoding;

static bool is_valid(const uint64_t *valid, uint32_t row) { return valid == NULL || bit_get(valid, row); }

static int64_t int_at(const void *data, size_t width, uint32_t row) {
    switch (width) {
    case 1: return ((const int8_t *)data)[row];
    case 2: return ((const int16_t *)data)[row];
    case 4: return ((const int32_t *)data)[row];
    default: return ((const int64_t *)data)[row];
    }
}

/* ---- encode ---- */

static bool encode_valid(const uint64_t *valid, RowSpan rows, Buffer *out) {
    uint32_t count = rows.end - rows.first;
    if (valid == NULL) {
        return false;
    }
    size_t bytes = words_for(count) * 8;
    uint64_t *words = (uint64_t *)(void *)mem_calloc(1, bytes);
    bits_copy(words, 0, valid, rows.first, count);
    bool nulls = bits_count(words, count) != count;
    if (nulls) {
        buffer_append(out, words, (count + 7) / 8);
    }
    mem_free(words);
    return nulls;
}

static void encode_bits(const uint64_t *data, RowSpan rows, Buffer *out) {
    uint32_t count = rows.end - rows.first;
    uint64_t *words = mem_calloc(words_for(count), sizeof *words);
    bits_copy(words, 0, data, rows.first, count);
    buffer_append(out, words, (count + 7) / 8);
    mem_free(words);
}

static void encode_texts(const StrRef *refs, const uint64_t *valid, RowSpan rows, Buffer *out) {
    for (uint32_t row = rows.first; row < rows.end; row++) {
        buffer_put_varint(out, is_valid(valid, row) ? refs[row].len : 0);
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (is_valid(valid, row)) {
            buffer_append_str(out, strref_str(&refs[row]));
        }
    }
}

static void encode_numerics(const NumericSlot *slots, RowSpan rows, Buffer *out) {
    for (uint32_t row = rows.first; row < rows.end; row++) {
        Numeric numeric = numeric_from_slot(&slots[row]);
        buffer_put_u8(out, numeric.kind);
        buffer_put_u16le(out, (uint16_t)numeric.scale);
        buffer_append(out, &numeric.coefficient, sizeof numeric.coefficient);
    }
}

typedef struct IntFrame { int64_t min, max; bool any; } IntFrame;

static IntFrame frame_of(const void *data, size_t width, const uint64_t *valid, RowSpan rows) {
    IntFrame frame = {0, 0, false};
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (!is_valid(valid, row)) {
            continue;
        }
        int64_t value = int_at(data, width, row);
        frame.min = frame.any ? MIN_OF(frame.min, value) : value;
        frame.max = frame.any ? MAX_OF(frame.max, value) : value;
        frame.any = true;
    }
    return frame;
}

static size_t narrow_width(IntFrame frame) {
    uint64_t span = (uint64_t)frame.max - (uint64_t)frame.min;
    return span == 0 ? 0 : span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
}

static void encode_frame(const void *data, size_t width, const uint64_t *valid, RowSpan rows, IntFrame frame, Buffer *out) {
    size_t narrow = narrow_width(frame);
    buffer_put_u64le(out, (uint64_t)frame.min);
    buffer_put_u8(out, (uint8_t)narrow);
    uint8_t *to = buffer_reserve(out, narrow * (rows.end - rows.first));
    if (to == NULL) {
        return;
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint64_t delta = is_valid(valid, row) ? (uint64_t)int_at(data, width, row) - (uint64_t)frame.min : 0;
        memcpy(to, &delta, narrow);
        to += narrow;
    }
    out->len += narrow * (rows.end - rows.first);
}

static bool is_constant(const uint8_t *data, size_t width, RowSpan rows) {
    size_t bytes = width * (rows.end - rows.first - 1);
    return memcmp(data + width * rows.first, data + width * (rows.first + 1), bytes) == 0;
}

static ImageEncoding encode_fixed(const uint8_t *data, size_t width, bool integer, const uint64_t *valid, RowSpan rows, Buffer *out) {
    if (integer && width > 1) {
        IntFrame frame = frame_of(data, width, valid, rows);
        if (narrow_width(frame) < width) {
            encode_frame(data, width, valid, rows, frame, out);
            return IMAGE_FRAME;
        }
    } else if (is_constant(data, width, rows)) {
        buffer_append(out, data + width * rows.first, width);
        return IMAGE_CONSTANT;
    }
    buffer_append(out, data + width * rows.first, width * (rows.end - rows.first));
    return IMAGE_RAW;
}

void table__column_encode(Type type, const void *data, const uint64_t *valid, RowSpan rows, Buffer *out) {
    assert(rows.first < rows.end);
    size_t at = out->len;
    buffer_put_u8(out, IMAGE_RAW);
    buffer_put_u8(out, 0);
    bool nulls = encode_valid(valid, rows, out);
    const uint64_t *mask = nulls ? valid : NULL;
    Physical physical = type_physical(type.id);
    ImageEncoding encoding = IMAGE_RAW;
    if (physical == PHYS_BIT) {
        encode_bits(data, rows, out);
    } else if (physical == PHYS_STR) {
        encode_texts(data, mask, rows, out);
        encoding = IMAGE_TEXT;
    } else if (type.id == TYPE_NUMERIC) {
        encode_numerics(data, rows, out);
        encoding = IMAGE_NUMERIC;
    } else {
        bool integer = physical == PHYS_16 || physical == PHYS_32 || physical == PHYS_64;
        encoding = encode_fixed(data, physical_bytes(physical), integer, mask, rows, out);
    }
    if (!out->failed) {
        out->data[at] = (uint8_t)encoding;
        out->data[at + 1] = nulls;
    }
}

/* ---- decode ---- */

static ErrorCode damaged(const Reader *reader, Error *err) {
    return error_set(err, ERR_DAMAGED, (int64_t)reader->at, "column image cannot be read");
}

static void *room(Arena *arena, size_t width, uint32_t row_count) {
    return arena_calloc_bytes(arena, width * (words_for(row_count) * 64));
}

static uint64_t *decode_bits(Reader *reader, uint32_t row_count, Arena *arena) {
    Bytes bytes = reader_bytes(reader, (row_count + 7) / 8);
    uint64_t *words = arena_array(arena, uint64_t, words_for(row_count));
    if (!reader->failed) {
        memcpy(words, bytes.data, bytes.len);
    }
    return words;
}

static void decode_texts(Reader *reader, uint32_t row_count, StrRef *refs, Arena *arena) {
    uint32_t *lengths = arena_array(arena, uint32_t, row_count);
    for (uint32_t row = 0; row < row_count; row++) {
        uint64_t length = reader_varint(reader);
        if (length > STRREF_BYTES_MAX) {
            reader->failed = true;
            return;
        }
        lengths[row] = (uint32_t)length;
    }
    for (uint32_t row = 0; row < row_count && !reader->failed; row++) {
        Bytes text = reader_bytes(reader, lengths[row]);
        if (!reader->failed) {
            refs[row] = strref_make((const char *)text.data, text.len);
        }
    }
}

static void decode_numerics(Reader *reader, uint32_t row_count, NumericSlot *slots, Arena *arena) {
    for (uint32_t row = 0; row < row_count && !reader->failed; row++) {
        Numeric numeric = {0};
        numeric.kind = reader_u8(reader);
        numeric.scale = (int16_t)reader_u16le(reader);
        Bytes coefficient = reader_bytes(reader, sizeof numeric.coefficient);
        if (!reader->failed && numeric.kind <= NUMERIC_MINUS_INFINITY) {
            memcpy(&numeric.coefficient, coefficient.data, sizeof numeric.coefficient);
            slots[row] = numeric_to_slot(numeric, arena);
        } else {
            reader->failed = true;
        }
    }
}

static void decode_frame(Reader *reader, size_t width, uint32_t row_count, uint8_t *to) {
    uint64_t base = reader_u64le(reader);
    size_t narrow = reader_u8(reader);
    if (narrow != 0 && narrow != 1 && narrow != 2 && narrow != 4) {
        reader->failed = true;
        return;
    }
    Bytes values = reader_bytes(reader, narrow * row_count);
    for (uint32_t row = 0; row < row_count && !reader->failed; row++) {
        uint64_t delta = 0;
        memcpy(&delta, values.data + narrow * row, narrow);
        uint64_t value = base + delta;
        memcpy(to + width * row, &value, width);
    }
}

static void decode_fixed(Reader *reader, ImageEncoding encoding, size_t width, uint32_t row_count, uint8_t *to) {
    if (encoding == IMAGE_FRAME && width <= 8) {
        decode_frame(reader, width, row_count, to);
    } else if (encoding == IMAGE_CONSTANT) {
        Bytes value = reader_bytes(reader, width);
        for (uint32_t row = 0; row < row_count && !reader->failed; row++) {
            memcpy(to + width * row, value.data, width);
        }
    } else if (encoding == IMAGE_RAW) {
        Bytes values = reader_bytes(reader, width * row_count);
        if (!reader->failed) {
            memcpy(to, values.data, values.len);
        }
    } else {
        reader->failed = true;
    }
}

ErrorCode table__column_decode(Type type, uint32_t row_count, Reader *reader, Arena *arena, ColumnBlock *block_out, Error *err) {
    assert(row_count > 0);
    *block_out = (ColumnBlock){.type = type, .row_count = row_count};
    ImageEncoding encoding = (ImageEncoding)reader_u8(reader);
    bool nulls = reader_u8(reader) != 0;
    block_out->valid = nulls ? decode_bits(reader, row_count, arena) : NULL;
    Physical physical = type_physical(type.id);
    size_t width = physical_bytes(physical);
    if (physical == PHYS_BIT) {
        block_out->data = decode_bits(reader, row_count, arena);
        return reader->failed || encoding != IMAGE_RAW ? damaged(reader, err) : ERR_OK;
    }
    void *values = room(arena, width, row_count);
    block_out->data = values;
    if (physical == PHYS_STR && encoding == IMAGE_TEXT) {
        decode_texts(reader, row_count, values, arena);
    } else if (type.id == TYPE_NUMERIC && encoding == IMAGE_NUMERIC) {
        decode_numerics(reader, row_count, values, arena);
    } else if (physical != PHYS_STR && type.id != TYPE_NUMERIC) {
        decode_fixed(reader, encoding, width, row_count, values);
    } else {
        reader->failed = true;
    }
    return reader->failed ? damaged(reader, err) : ERR_OK;
}
