/* SPDX-License-Identifier: Apache-2.0
 * test_row.c - one row out of a packed granule is what decoding gives, for every type, shape and option; damaged bytes stay inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "codec/codec_internal.h"
#include <stdio.h>

typedef enum Shape { SHAPE_CONSTANT, SHAPE_SMALL, SHAPE_RUNS, SHAPE_COUNTED, SHAPE_RISING, SHAPE_JUMPS, SHAPE_FEW, SHAPE_RANDOM, SHAPE_OUTLIERS, SHAPE_COUNT } Shape;

static int64_t shaped(Shape shape, uint32_t i, Random *random) {
    switch (shape) {
    case SHAPE_CONSTANT: return 42;
    case SHAPE_SMALL: return random_between(random, -50, 50);
    case SHAPE_RUNS: return i / 997;
    case SHAPE_COUNTED: return i + 1;
    case SHAPE_RISING: return 1000000 + (int64_t)i * 37 + random_between(random, 0, 30);
    case SHAPE_JUMPS: return (int64_t)i * 3 + (int64_t)(i / 800) * 1000000000;
    case SHAPE_FEW: return (int64_t)(random_below(random, 300) * UINT64_C(123456789));
    case SHAPE_RANDOM: return (int64_t)random_next(random);
    default: return random_below(random, 100) == 0 ? (int64_t)random_next(random) : random_between(random, 0, 30);
    }
}

static void append_value(ColumnBuilder *builder, Shape shape, uint32_t i, Random *random) {
    int64_t v = shaped(shape, i, random);
    double d = shape == SHAPE_RANDOM ? random_unit(random) : (double)v / 100.0;
    float f = (float)d;
    char text[300];
    Int128 wide = shape == SHAPE_RANDOM && random_below(random, 2) == 0 ? ((Int128)v << 60) + 7 : (Int128)v;
    switch (builder->type.id) {
    case TYPE_BOOL: column_builder_bool(builder, v % 2 != 0); break;
    case TYPE_FLOAT8: column_builder_value(builder, &d); break;
    case TYPE_FLOAT4: column_builder_value(builder, &f); break;
    case TYPE_DECIMAL16:
    case TYPE_UUID: column_builder_value(builder, &wide); break;
    case TYPE_NUMERIC: {
        NumericSlot slot = numeric_to_slot((Numeric){.coefficient = wide, .scale = (int16_t)(i % 5)}, &builder->heap);
        column_builder_value(builder, &slot);
        break;
    }
    case TYPE_TEXT:
        snprintf(text, sizeof text, v % 3 == 0 ? "%lld" : v % 11 == 0 ? "%lld %200d" : "a longer text %lld", (long long)v, 1);
        column_builder_text(builder, str_from_c(text));
        break;
    default: column_builder_value(builder, &v); break;
    }
}

static void fill(ColumnBuilder *builder, Shape shape, uint32_t rows, uint32_t null_percent, Random *random) {
    column_builder_clear(builder);
    for (uint32_t i = 0; i < rows; i++) {
        if (random_below(random, 100) < null_percent) {
            column_builder_null(builder);
        } else {
            append_value(builder, shape, i, random);
        }
    }
}

static bool same_value(const ColumnBlock *block, uint32_t row, const RowValue *have) {
    bool is_null = block->valid != NULL && !bit_get(block->valid, row);
    Physical physical = type_physical((TypeId)block->type.id);
    if (is_null || have->is_null) {
        return is_null == have->is_null;
    }
    if (physical == PHYS_BIT) {
        return bit_get(block->data, row) == ((have->value[0] & 1) != 0);
    }
    if (physical == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, have->value, sizeof ref);
        return strref_equal((const StrRef *)block->data + row, &ref);
    }
    if (block->type.id == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, have->value, sizeof slot);
        Numeric a = numeric_from_slot((const NumericSlot *)block->data + row), b = numeric_from_slot(&slot);
        return a.coefficient == b.coefficient && a.scale == b.scale && a.kind == b.kind;
    }
    return memcmp((const uint8_t *)block->data + row * physical_bytes(physical), have->value, physical_bytes(physical)) == 0;
}

/* The granule's bytes as a reader keeps them; empty where they lie in place. */
static Bytes unpack(const BlockDecoder *decoder, uint32_t granule) {
    size_t bytes = 0;
    assert_int_equal(codec_granule_packed(decoder, granule, &bytes, NULL), ERR_OK);
    if (bytes == 0) {
        return (Bytes){0};
    }
    uint8_t *memory = mem_alloc_aligned(bytes);
    assert_int_equal(codec_granule_unpack(decoder, granule, memory, bytes, NULL), ERR_OK);
    return (Bytes){memory, bytes};
}

static void check_rows(const ColumnBlock *block, const BlockDecoder *decoder, uint32_t *encodings, Random *random) {
    for (uint32_t from = 0; from < block->row_count; from += GRANULE_ROWS) {
        uint32_t granule = from / GRANULE_ROWS, count = granule_rows_of(block->row_count, granule);
        Bytes unpacked = unpack(decoder, granule);
        for (uint32_t n = 0; n < 80; n++) {
            uint32_t row = n == 0 ? 0 : n == 1 ? count - 1 : (uint32_t)random_below(random, count);
            RowValue value;
            if (!codec_row(decoder, granule, row, unpacked, &value)) {
                fail_msg("type %s encoding %d: no row", type_sql_name((TypeId)block->type.id), decoder->encoding);
            }
            if (!same_value(block, from + row, &value)) {
                fail_msg("type %s encoding %d row %u", type_sql_name((TypeId)block->type.id), decoder->encoding, from + row);
            }
        }
        mem_free((void *)(uintptr_t)unpacked.data);
    }
    encodings[decoder->encoding]++;
}

static const uint8_t TYPES[] = {TYPE_BOOL, TYPE_BYTE, TYPE_INT2, TYPE_INT4, TYPE_INT8, TYPE_FLOAT4, TYPE_FLOAT8, TYPE_NUMERIC, TYPE_DECIMAL8, TYPE_DECIMAL16,
                                TYPE_SYMBOL, TYPE_TEXT, TYPE_TIMESTAMP, TYPE_UUID};
static const CodecOptions OPTIONS[] = {{0}, {.fast = true}, {.outer = OUTER_AUTO}, {.outer = OUTER_LZ4}, {.outer = OUTER_ZSTD, .level = 1}};

/* Random integers of more than 32 bits may stand in steps, which are decoded: of them no row is asked. */
static bool is_read(const BlockDecoder *decoder, Shape shape) { return decoder->encoding != ENCODING_DELTA || shape != SHAPE_RANDOM; }

static void a_row_is_what_was_stored(void **state) {
    (void)state;
    static const uint32_t ROWS[] = {1, 64, 1000, 1025, 4097, 9000};
    uint32_t encodings[ENCODING_COUNT] = {0};
    Random random;
    random_init(&random, 17);
    EncodeScratch *scratch = encode_scratch_create();
    Buffer out;
    buffer_init(&out, 1 << 28);
    for (size_t round = 0; round < COUNT_OF(TYPES) * SHAPE_COUNT * 8; round++) {
        ColumnBuilder builder;
        Shape shape = (Shape)(round / COUNT_OF(TYPES) % SHAPE_COUNT);
        column_builder_init(&builder, type_of((TypeId)TYPES[round % COUNT_OF(TYPES)]));
        fill(&builder, shape, ROWS[random_below(&random, COUNT_OF(ROWS))], (uint32_t[]){0, 0, 10, 100}[random_below(&random, 4)], &random);
        ColumnBlock block = column_builder_block(&builder);
        BlockDecoder decoder;
        buffer_clear(&out);
        assert_int_equal(codec_encode(&block, &OPTIONS[random_below(&random, COUNT_OF(OPTIONS))], scratch, &out, NULL), ERR_OK);
        assert_int_equal(codec_decoder_open(buffer_bytes(&out), block.type, &decoder, NULL), ERR_OK);
        if (is_read(&decoder, shape)) {
            check_rows(&block, &decoder, encodings, &random);
        }
        column_builder_deinit(&builder);
    }
    for (int e = 0; e < ENCODING_COUNT; e++) {
        assert_true(encodings[e] > 5);
    }
    buffer_deinit(&out);
    encode_scratch_destroy(scratch);
}

/* Any byte may be wrong: the row is refused or read within the bytes (which the address sanitizer watches). */
static void damaged_bytes_stay_inside(void **state) {
    (void)state;
    Random random;
    random_init(&random, 23);
    EncodeScratch *scratch = encode_scratch_create();
    for (size_t round = 0; round < COUNT_OF(TYPES) * SHAPE_COUNT; round++) {
        ColumnBuilder builder;
        Buffer out;
        buffer_init(&out, 1 << 24);
        column_builder_init(&builder, type_of((TypeId)TYPES[round % COUNT_OF(TYPES)]));
        fill(&builder, (Shape)(round / COUNT_OF(TYPES)), 1500, 5, &random);
        ColumnBlock block = column_builder_block(&builder);
        assert_int_equal(codec_encode(&block, &OPTIONS[round % COUNT_OF(OPTIONS)], scratch, &out, NULL), ERR_OK);
        uint8_t *bytes = mem_alloc_aligned(out.len);
        for (int n = 0; n < 200; n++) {
            memcpy(bytes, out.data, out.len);
            bytes[random_below(&random, n % 2 == 0 ? MIN_OF(out.len, (size_t)200) : out.len)] = (uint8_t)random_next(&random);
            BlockDecoder decoder;
            size_t packed = 0;
            RowValue value;
            if (codec_decoder_open((Bytes){bytes, out.len}, block.type, &decoder, NULL) != ERR_OK || codec_granule_packed(&decoder, 0, &packed, NULL) != ERR_OK ||
                packed > out.len * 100) {
                continue;
            }
            uint8_t *memory = mem_alloc_aligned(packed + 1);
            if (packed == 0 || codec_granule_unpack(&decoder, 0, memory, packed, NULL) == ERR_OK) {
                (void)codec_row(&decoder, 0, (uint32_t)random_below(&random, granule_rows_of(decoder.row_count, 0)), (Bytes){memory, packed}, &value);
            }
            mem_free(memory);
        }
        mem_free(bytes);
        buffer_deinit(&out);
        column_builder_deinit(&builder);
    }
    encode_scratch_destroy(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_row_is_what_was_stored), cmocka_unit_test(damaged_bytes_stay_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
