/* SPDX-License-Identifier: Apache-2.0
 * fuzz_codec.c - any bytes as an encoded column block; and any values encoded and decoded.
 *
 * Input:      byte 0: type; byte 1: bit 0 = the rest is an encoded block, else values; bits 1-3 = options. Then the
 *             bytes.
 * Check:      a decoder gives an error or whole granules; encoded values come back equal. */
#include "codec/codec.h"
#include "fuzz.h"

enum { INPUT_BYTES_MAX = 2048, ROWS_MAX = 4300 };

static uint64_t touch(const GranuleData *granule, Type type) {
    uint64_t sum = 0;
    for (uint32_t window = 0; window * BATCH_ROWS < granule->row_count; window++) {
        Vector vector;
        granule_window(granule, type, window, &vector);
        size_t rows = MIN_OF((size_t)BATCH_ROWS, granule->row_count - window * (size_t)BATCH_ROWS);
        for (size_t row = 0; row < rows; row++) {
            if (vector_is_null(&vector, row)) {
                continue;
            }
            if (type_physical(type.id) == PHYS_STR) {
                Str text = vector_text(&vector, row);
                sum += text.len > 0 ? (uint8_t)text.data[0] + (uint8_t)text.data[text.len - 1] : 1;
            } else if (type_physical(type.id) == PHYS_BIT) {
                sum += vector_bool(&vector, row);
            } else if (type.id == TYPE_NUMERIC) {
                sum += (uint64_t)vector_numeric(&vector, row).coefficient; /* follows the slot's pointer */
            } else {
                const uint8_t *value = vector_value(&vector, row);
                sum += value[0] + (uint64_t)value[physical_bytes(type_physical(type.id)) - 1];
            }
        }
    }
    return sum;
}

static void decode_any(Bytes input, Type type) {
    uint8_t *aligned = mem_alloc_aligned(input.len);
    memcpy(aligned, input.data, input.len);
    BlockDecoder decoder;
    if (codec_decoder_open(bytes_from(aligned, input.len), type, &decoder, NULL) == ERR_OK) {
        DecodeBuffer *buffer = decode_buffer_create();
        for (uint32_t i = 0; i * GRANULE_ROWS < decoder.row_count && i < 32; i++) {
            GranuleData granule;
            if (codec_decode_granule(&decoder, i, buffer, &granule, NULL) == ERR_OK) {
                fuzz_use(touch(&granule, type));
            }
        }
        Buffer out;
        buffer_init(&out, 1 << 16);
        codec_describe(&decoder, input.len, &out);
        buffer_deinit(&out);
        decode_buffer_destroy(buffer);
    }
    mem_free(aligned);
}

/* Values drawn from the input: a byte tells how the next value follows from the last, so that every encoding occurs. */
static void fill(ColumnBuilder *builder, Bytes input) {
    int64_t value = 0;
    for (size_t i = 0; i < input.len && builder->row_count < ROWS_MAX; i++) {
        uint8_t step = input.data[i];
        value += step < 128 ? step : (int64_t)(step - 128) << (step % 56);
        uint32_t repeat = step % 16 == 3 ? 100 : 1;
        for (uint32_t r = 0; r < repeat && builder->row_count < ROWS_MAX; r++) {
            if (step == 255) {
                column_builder_null(builder);
            } else if (type_physical(builder->type.id) == PHYS_STR) {
                size_t len = MIN_OF((size_t)(step % 40), input.len - i);
                column_builder_text(builder, (Str){(const char *)input.data + i, len});
            } else if (builder->type.id == TYPE_BOOL) {
                column_builder_bool(builder, step & 1);
            } else if (builder->type.id == TYPE_FLOAT8) {
                double real = (double)value / (step % 3 == 0 ? 100 : 7);
                column_builder_value(builder, &real);
            } else {
                uint8_t wide[16] = {0}; /* as a numeric slot: a coefficient of scale 0 */
                memcpy(wide, &value, sizeof value);
                column_builder_value(builder, wide);
            }
        }
    }
}

static bool same_value(const Vector *vector, size_t row, const ColumnBlock *block, uint32_t at) {
    bool null = block->valid != NULL && !bit_get(block->valid, at);
    if (null || vector_is_null(vector, row)) {
        return null == vector_is_null(vector, row);
    }
    Physical physical = type_physical(block->type.id);
    if (physical == PHYS_STR) {
        return str_equal(vector_text(vector, row), strref_str((const StrRef *)block->data + at));
    }
    if (physical == PHYS_BIT) {
        return vector_bool(vector, row) == bit_get(block->data, at);
    }
    size_t bytes = physical_bytes(physical);
    return memcmp(vector_value(vector, row), (const uint8_t *)block->data + at * bytes, bytes) == 0;
}

static void compare(BlockDecoder *decoder, const ColumnBlock *block) {
    DecodeBuffer *buffer = decode_buffer_create();
    uint32_t at = 0;
    for (uint32_t i = 0; at < block->row_count; i++) { /* a constant block has no granules, but answers for each */
        GranuleData granule;
        FUZZ_CHECK(codec_decode_granule(decoder, i, buffer, &granule, NULL) == ERR_OK);
        Vector vector = {0};
        for (uint32_t row = 0; row < granule.row_count; row++, at++) {
            if (row % BATCH_ROWS == 0) {
                granule_window(&granule, block->type, row / BATCH_ROWS, &vector);
            }
            FUZZ_CHECK(same_value(&vector, row % BATCH_ROWS, block, at));
        }
    }
    FUZZ_CHECK(at == block->row_count);
    decode_buffer_destroy(buffer);
}

static void encode_any(Bytes input, Type type, uint8_t flags) {
    ColumnBuilder builder;
    column_builder_init(&builder, type);
    fill(&builder, input);
    if (builder.row_count > 0) {
        ColumnBlock block = column_builder_block(&builder);
        CodecOptions options = {.fast = flags & 2, .outer = (uint8_t)(flags >> 2 & 3)};
        EncodeScratch *scratch = encode_scratch_create();
        Buffer out;
        buffer_init(&out, 64 << 20);
        FUZZ_CHECK(codec_encode(&block, &options, scratch, &out, NULL) == ERR_OK);
        uint8_t *aligned = mem_alloc_aligned(out.len);
        memcpy(aligned, out.data, out.len);
        BlockDecoder decoder;
        FUZZ_CHECK(codec_decoder_open(bytes_from(aligned, out.len), type, &decoder, NULL) == ERR_OK);
        FUZZ_CHECK(decoder.row_count == block.row_count);
        compare(&decoder, &block);
        mem_free(aligned);
        buffer_deinit(&out);
        encode_scratch_destroy(scratch);
    }
    column_builder_deinit(&builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const TypeId TYPES[] = {TYPE_BOOL, TYPE_INT4,      TYPE_INT8,  TYPE_FLOAT8,      TYPE_SYMBOL,
                                   TYPE_TEXT, TYPE_TIMESTAMP, TYPE_BYTEA, TYPE_NUMERIC,     TYPE_DECIMAL16,
                                   TYPE_BYTE, TYPE_FLOAT4,    TYPE_UUID,  TYPE_FLOAT8_ARRAY};
    if (size < 3 || size > INPUT_BYTES_MAX) {
        return 0;
    }
    Type type = type_of(TYPES[data[0] % COUNT_OF(TYPES)]);
    Bytes input = bytes_from(data + 2, size - 2);
    if (data[1] & 1) {
        decode_any(input, type);
    } else {
        encode_any(input, type, data[1]);
    }
    return 0;
}
