/* SPDX-License-Identifier: Apache-2.0
 * test_codec.c - every type and shape of data round-trips through every choice of options; damaged bytes give errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "codec/codec.h"
#include "codec/decode_kernels.h"
#include <math.h>
#include <stdio.h>

typedef enum Shape { SHAPE_CONSTANT, SHAPE_SMALL, SHAPE_RUNS, SHAPE_RISING, SHAPE_FEW, SHAPE_RANDOM, SHAPE_OUTLIERS, SHAPE_COUNT } Shape;

static int64_t shaped(Shape shape, uint32_t i, Random *random) {
    switch (shape) {
    case SHAPE_CONSTANT: return 42;
    case SHAPE_SMALL: return random_between(random, -50, 50);
    case SHAPE_RUNS: return i / 997;
    case SHAPE_RISING: return INT64_C(1700000000000000) + (int64_t)i * 1000 + random_between(random, 0, 900);
    case SHAPE_FEW: return (int64_t)(random_below(random, 7) * UINT64_C(123456789123));
    case SHAPE_RANDOM: return (int64_t)random_next(random);
    default: return random_below(random, 100) == 0 ? (int64_t)random_next(random) : random_between(random, 0, 30);
    }
}

static void append_value(ColumnBuilder *builder, Shape shape, uint32_t i, Random *random) {
    int64_t v = shaped(shape, i, random);
    double d = shape == SHAPE_RANDOM ? random_unit(random) : (double)v / 100.0;
    float f = (float)d;
    char text[64];
    Int128 wide = shape == SHAPE_RANDOM ? ((Int128)v << 60) + 7 : (Int128)v;
    switch (builder->type.id) {
    case TYPE_BOOL: column_builder_bool(builder, v % 2 != 0); break;
    case TYPE_FLOAT8: column_builder_value(builder, &d); break;
    case TYPE_FLOAT4: column_builder_value(builder, &f); break;
    case TYPE_DECIMAL16:
    case TYPE_UUID: column_builder_value(builder, &wide); break;
    case TYPE_NUMERIC: {
        Arena arena;
        arena_init(&arena, 1 << 20);
        NumericSlot slot = numeric_to_slot((Numeric){.coefficient = wide, .scale = (int16_t)(i % 5)}, &builder->heap);
        column_builder_value(builder, &slot);
        arena_deinit(&arena);
        break;
    }
    case TYPE_TEXT:
        snprintf(text, sizeof text, i % 3 == 0 ? "%lld" : "a longer text %lld", (long long)v);
        column_builder_text(builder, str_from_c(text));
        break;
    default: column_builder_value(builder, &v); break;
    }
}

static void fill(ColumnBuilder *builder, Shape shape, uint32_t rows, int null_percent, Random *random) {
    for (uint32_t i = 0; i < rows; i++) {
        if (random_below(random, 100) < (uint64_t)null_percent) {
            column_builder_null(builder);
        } else {
            append_value(builder, shape, i, random);
        }
    }
}

static bool same_value(const ColumnBlock *block, uint32_t row, const Vector *vector, uint32_t i) {
    bool is_null = block->valid != NULL && !bit_get(block->valid, row);
    if (is_null || vector_is_null(vector, i)) {
        return is_null == vector_is_null(vector, i);
    }
    Physical physical = type_physical((TypeId)block->type.id);
    if (physical == PHYS_BIT) {
        return bit_get(block->data, row) == vector_bool(vector, i);
    }
    if (physical == PHYS_STR) {
        return str_equal(strref_str((const StrRef *)block->data + row), vector_text(vector, i));
    }
    if (block->type.id == TYPE_NUMERIC) {
        Numeric want = numeric_from_slot((const NumericSlot *)block->data + row), have = vector_numeric(vector, i);
        return want.coefficient == have.coefficient && want.scale == have.scale && want.kind == have.kind;
    }
    size_t width = physical_bytes(physical);
    return memcmp((const uint8_t *)block->data + row * width, vector_value(vector, i), width) == 0;
}

static void check_block(const ColumnBlock *block, const Buffer *encoded, DecodeBuffer *buffer) {
    Error err;
    BlockDecoder decoder;
    assert_int_equal(codec_decoder_open(buffer_bytes(encoded), block->type, &decoder, &err), ERR_OK);
    assert_int_equal(decoder.row_count, block->row_count);
    for (uint32_t from = 0; from < block->row_count; from += GRANULE_ROWS) {
        GranuleData granule;
        assert_int_equal(codec_decode_granule(&decoder, from / GRANULE_ROWS, buffer, &granule, &err), ERR_OK);
        for (uint32_t i = 0; i < granule.row_count; i++) {
            Vector vector;
            granule_window(&granule, block->type, i / BATCH_ROWS, &vector);
            if (!same_value(block, from + i, &vector, i % BATCH_ROWS)) {
                fail_msg("type %s row %u encoding %d", type_sql_name((TypeId)block->type.id), from + i, decoder.encoding);
            }
        }
    }
}

static const uint8_t TYPES[] = {TYPE_BOOL, TYPE_BYTE, TYPE_INT2, TYPE_INT4, TYPE_INT8, TYPE_FLOAT4, TYPE_FLOAT8, TYPE_NUMERIC, TYPE_DECIMAL8, TYPE_DECIMAL16,
                                TYPE_SYMBOL, TYPE_TEXT, TYPE_TIMESTAMP, TYPE_UUID};
static const uint32_t ROWS[] = {1, 63, 64, 1000, 1025, 4096, 4097, 9000, 65536};
static const CodecOptions OPTIONS[] = {{0}, {.fast = true}, {.outer = OUTER_AUTO}, {.outer = OUTER_LZ4}, {.fast = true, .outer = OUTER_ZSTD, .level = 1}};

static void every_type_and_shape_round_trips(void **state) {
    (void)state;
    Random random;
    random_init(&random, 7);
    EncodeScratch *scratch = encode_scratch_create();
    DecodeBuffer *buffer = decode_buffer_create();
    Buffer out;
    buffer_init(&out, 1 << 28);
    for (size_t t = 0; t < COUNT_OF(TYPES); t++) {
        ColumnBuilder builder;
        column_builder_init(&builder, type_of((TypeId)TYPES[t]));
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            for (size_t r = 0; r < COUNT_OF(ROWS); r++) {
                int nulls = (int[]){0, 10, 100}[random_below(&random, 3)];
                column_builder_clear(&builder);
                fill(&builder, (Shape)shape, ROWS[r], nulls, &random);
                ColumnBlock block = column_builder_block(&builder);
                const CodecOptions *options = &OPTIONS[random_below(&random, COUNT_OF(OPTIONS))];
                buffer_clear(&out);
                assert_int_equal(codec_encode(&block, options, scratch, &out, NULL), ERR_OK);
                check_block(&block, &out, buffer);
            }
        }
        column_builder_deinit(&builder);
    }
    buffer_deinit(&out);
    decode_buffer_destroy(buffer);
    encode_scratch_destroy(scratch);
}

/* Flipped and cut bytes may decode to other values or be refused; they must not be read outside (ASan run). */
static void damaged_blocks_do_not_crash(void **state) {
    (void)state;
    Random random;
    random_init(&random, 11);
    EncodeScratch *scratch = encode_scratch_create();
    DecodeBuffer *buffer = decode_buffer_create();
    Buffer out;
    buffer_init(&out, 1 << 28);
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
        ColumnBuilder builder;
        column_builder_init(&builder, type_of((TypeId)TYPES[random_below(&random, COUNT_OF(TYPES))]));
        fill(&builder, (Shape)random_below(&random, SHAPE_COUNT), (uint32_t)random_between(&random, 1, 1300), (int)random_below(&random, 30), &random);
        ColumnBlock block = column_builder_block(&builder);
        buffer_clear(&out);
        assert_int_equal(codec_encode(&block, &OPTIONS[random_below(&random, COUNT_OF(OPTIONS))], scratch, &out, NULL), ERR_OK);
        size_t len = random_chance(&random, 1, 4) ? random_below(&random, out.len) : out.len;
        uint8_t *copy = mem_alloc_aligned(len + 64);
        memcpy(copy, out.data, len);
        for (uint64_t flips = random_below(&random, 4); flips > 0 && len > 0; flips--) {
            copy[random_below(&random, random_chance(&random, 1, 2) ? MIN_OF(len, (size_t)100) : len)] = (uint8_t)random_next(&random);
        }
        BlockDecoder decoder;
        if (codec_decoder_open(bytes_from(copy, len), block.type, &decoder, NULL) != ERR_OK) {
            refused++;
        } else {
            for (uint32_t from = 0; from < decoder.row_count; from += GRANULE_ROWS) {
                GranuleData granule;
                refused += codec_decode_granule(&decoder, from / GRANULE_ROWS, buffer, &granule, NULL) != ERR_OK;
            }
        }
        mem_free(copy);
        column_builder_deinit(&builder);
    }
    assert_true(refused > 100);
    buffer_deinit(&out);
    decode_buffer_destroy(buffer);
    encode_scratch_destroy(scratch);
}

static void summary_matches_a_plain_loop(void **state) {
    (void)state;
    Random random;
    random_init(&random, 3);
    ColumnBuilder builder;
    column_builder_init(&builder, type_of(TYPE_INT8));
    fill(&builder, SHAPE_OUTLIERS, 5000, 10, &random);
    ColumnBlock block = column_builder_block(&builder);
    BlockStats stats;
    codec_summarise(&block, &stats);
    Int128 sum = 0;
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint32_t nulls = 0;
    for (uint32_t i = 0; i < block.row_count; i++) {
        int64_t v = ((const int64_t *)block.data)[i];
        if (block.valid != NULL && !bit_get(block.valid, i)) {
            nulls++;
            continue;
        }
        sum += v;
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    assert_int_equal(stats.null_count, nulls);
    assert_true(stats.sum_int == sum);
    assert_true(stats.min.i64 == least);
    assert_true(stats.max.i64 == most);
    column_builder_deinit(&builder);
}

static void scaled_doubles_are_small(void **state) {
    (void)state;
    Random random;
    random_init(&random, 5);
    ColumnBuilder builder;
    column_builder_init(&builder, type_of(TYPE_FLOAT8));
    for (int i = 0; i < 65536; i++) {
        double price = (double)random_between(&random, 1000, 90000) / 100.0;
        column_builder_value(&builder, &price);
    }
    ColumnBlock block = column_builder_block(&builder);
    EncodeScratch *scratch = encode_scratch_create();
    Buffer out;
    buffer_init(&out, 1 << 28);
    assert_int_equal(codec_encode(&block, &(CodecOptions){0}, scratch, &out, NULL), ERR_OK);
    assert_in_range(out.len, 1, 65536 * 17 / 8 + 2048); /* 17 bits a price */
    buffer_deinit(&out);
    encode_scratch_destroy(scratch);
    column_builder_deinit(&builder);
}

/* Every level gives the bits of the division. */
static void scaled_division_is_exact(void **state) {
    (void)state;
    static const double DIVISORS[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    Random random;
    random_init(&random, 21);
    static uint32_t in[4096];
    static double out[4096];
    for (int round = 0; round < 2000; round++) {
        double divisor = DIVISORS[random_below(&random, COUNT_OF(DIVISORS))];
        double base = (double)random_between(&random, -(INT64_C(1) << random_below(&random, 52)), INT64_C(1) << random_below(&random, 52));
        for (size_t i = 0; i < COUNT_OF(in); i++) {
            in[i] = (uint32_t)(random_next(&random) >> (33 + random_below(&random, 31)));
        }
        codec__kernels()->scale_u31(in, base, divisor, COUNT_OF(in), out);
        for (size_t i = 0; i < COUNT_OF(in); i++) {
            double want = (base + (double)in[i]) / divisor;
            if (memcmp(&want, &out[i], sizeof want) != 0) {
                fail_msg("%.17g + %u over %g", base, in[i], divisor);
            }
        }
    }
}

/* The example of docs/format/codec.md: three int4 values in a frame. */
static void format_example(void **state) {
    (void)state;
    static const uint8_t HEAD[20] = {4, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x10, 1, 0, 0};
    _Alignas(64) uint8_t bytes[64 + 272] = {0};
    memcpy(bytes, HEAD, sizeof HEAD);
    bytes[64] = 7;
    bytes[72] = 2;
    bytes[84] = 1;
    bytes[88] = 3;
    BlockDecoder decoder;
    GranuleData granule;
    DecodeBuffer *buffer = decode_buffer_create();
    assert_int_equal(codec_decoder_open(bytes_from(bytes, sizeof bytes), type_of(TYPE_INT4), &decoder, NULL), ERR_OK);
    assert_int_equal(codec_decode_granule(&decoder, 0, buffer, &granule, NULL), ERR_OK);
    assert_memory_equal(granule.data, ((int32_t[]){7, 8, 10}), 12);
    decode_buffer_destroy(buffer);
    int32_t values[64] = {7, 8, 10};
    ColumnBlock block = {.type = type_of(TYPE_INT4), .row_count = 3, .data = values};
    EncodeScratch *scratch = encode_scratch_create();
    Buffer out;
    buffer_init(&out, 1 << 20);
    assert_int_equal(codec_encode(&block, &(CodecOptions){.fast = true}, scratch, &out, NULL), ERR_OK);
    assert_int_equal(out.len, sizeof bytes);
    assert_memory_equal(out.data, bytes, sizeof bytes);
    buffer_deinit(&out);
    encode_scratch_destroy(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_shape_round_trips),
        cmocka_unit_test(damaged_blocks_do_not_crash),
        cmocka_unit_test(summary_matches_a_plain_loop),
        cmocka_unit_test(scaled_doubles_are_small),
        cmocka_unit_test(scaled_division_is_exact),
        cmocka_unit_test(format_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
