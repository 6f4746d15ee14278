/* SPDX-License-Identifier: Apache-2.0
 * test_view.c - packed granules read in place give the rows and the answers that decoded ones give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "codec/codec.h"
#include "codec/codec_internal.h"
#include "codec/decode_kernels.h"
#include <math.h>

enum { ROWS = 9000 };

typedef struct Fixture {
    ColumnBuilder builder;
    Buffer bytes;
    EncodeScratch *scratch;
    DecodeBuffer *decode;
    BlockDecoder decoder;
} Fixture;

typedef enum Shape { SHAPE_SMALL, SHAPE_WIDE, SHAPE_OUTLIERS, SHAPE_NEGATIVE, SHAPE_RISING, SHAPE_ALMOST_CONSTANT, SHAPE_COUNT } Shape;

static int64_t integer(Shape shape, uint32_t i, Random *random) {
    switch (shape) {
    case SHAPE_RISING: return INT64_C(1700000000000000) + (int64_t)i * 5000 + (int64_t)random_below(random, 3000) + (random_below(random, 60) == 0 ? 1 << 30 : 0);
    case SHAPE_ALMOST_CONSTANT: return random_below(random, 60) == 0 ? random_between(random, -9000, 9000) : 7;
    case SHAPE_SMALL: return random_between(random, 100, 131);
    case SHAPE_WIDE: return random_between(random, -30000, 30000);
    case SHAPE_OUTLIERS: return random_below(random, 50) == 0 ? (int64_t)random_next(random) >> random_below(random, 60) : random_between(random, 0, 9);
    default: return random_between(random, -90, -60);
    }
}

/* Decimals, among them numbers that are none: NaN, infinity, -0.0, a third. */
static double decimal(Shape shape, uint32_t i, Random *random) {
    static const double ODD[] = {-0.0, 1.0 / 3, 1e300, INFINITY, -INFINITY};
    if (random_below(random, 100) == 0) {
        size_t at = random_below(random, COUNT_OF(ODD) + 1);
        return at == COUNT_OF(ODD) ? (double)NAN : ODD[at];
    }
    return (double)(integer(shape, i, random) % 1000000) / 100.0;
}

static void fixture_fill(Fixture *f, TypeId type, Shape shape, uint32_t null_percent, Random *random) {
    column_builder_init(&f->builder, type_of(type));
    for (uint32_t i = 0; i < ROWS; i++) {
        int64_t value = integer(shape, i, random);
        double real = decimal(shape, i, random);
        if (random_below(random, 100) < null_percent) {
            column_builder_null(&f->builder);
        } else {
            column_builder_value(&f->builder, type == TYPE_FLOAT8 ? (const void *)&real : (const void *)&value);
        }
    }
    Error error;
    ColumnBlock block = column_builder_block(&f->builder);
    buffer_init(&f->bytes, 1 << 24);
    f->scratch = encode_scratch_create();
    f->decode = decode_buffer_create();
    assert_int_equal(codec_encode(&block, &(CodecOptions){0}, f->scratch, &f->bytes, &error), ERR_OK);
    assert_int_equal(codec_decoder_open(bytes_from(f->bytes.data, f->bytes.len), block.type, &f->decoder, &error), ERR_OK);
}

static void fixture_free(Fixture *f) {
    column_builder_deinit(&f->builder);
    buffer_deinit(&f->bytes);
    encode_scratch_destroy(f->scratch);
    decode_buffer_destroy(f->decode);
}

static int order_of(TypeId type, const void *a, const void *b) {
    int64_t x = 0, y = 0;
    if (type == TYPE_FLOAT8) {
        double p, q;
        memcpy(&p, a, sizeof p);
        memcpy(&q, b, sizeof q);
        return p != p || q != q ? (p != p) - (q != q) : (p > q) - (p < q);
    }
    switch (physical_bytes(type_physical(type))) {
    case 2: x = *(const int16_t *)a; y = *(const int16_t *)b; break;
    case 4: x = *(const int32_t *)a; y = *(const int32_t *)b; break;
    default: x = *(const int64_t *)a; y = *(const int64_t *)b; break;
    }
    return (x > y) - (x < y);
}

static bool passes(FilterOp op, int order) {
    switch (op) {
    case FILTER_EQ: return order == 0;
    case FILTER_NE: return order != 0;
    case FILTER_LT: return order < 0;
    case FILTER_LE: return order <= 0;
    case FILTER_GT: return order > 0;
    default: return order >= 0;
    }
}

/* A constant near the data: one of its values, or beside it. */
static void any_constant(const Fixture *f, TypeId type, Random *random, void *out) {
    size_t width = physical_bytes(type_physical(type));
    memcpy(out, (const uint8_t *)f->builder.data + random_below(random, ROWS) * width, width);
    if (random_below(random, 3) == 0 && type == TYPE_FLOAT8) {
        *(double *)out = random_below(random, 2) == 0 ? nextafter(*(double *)out, INFINITY) : *(double *)out + 0.005;
    } else if (random_below(random, 3) == 0) {
        ((int16_t *)out)[0] = (int16_t)(((int16_t *)out)[0] + random_between(random, -2, 2));
    }
}

static uint32_t check_filters(Fixture *f, TypeId type, uint32_t granule, const GranuleView *view, Random *random) {
    size_t width = physical_bytes(type_physical(type));
    uint32_t done = 0;
    for (int op = FILTER_EQ; op <= FILTER_GE; op++) {
        uint64_t constant = 0, rows[GRANULE_ROWS / 64], before[GRANULE_ROWS / 64];
        any_constant(f, type, random, &constant);
        for (size_t w = 0; w < COUNT_OF(rows); w++) {
            rows[w] = before[w] = random_next(random) | random_next(random);
        }
        if (!codec_view_filter(view, (FilterOp)op, &constant, rows)) {
            assert_memory_equal(rows, before, sizeof rows);
            continue;
        }
        done++;
        for (uint32_t i = 0; i < view->row_count; i++) {
            uint32_t row = granule * GRANULE_ROWS + i;
            bool valid = f->builder.null_count == 0 || bit_get(f->builder.valid, row);
            bool want = valid && bit_get(before, i) && passes((FilterOp)op, order_of(type, (const uint8_t *)f->builder.data + row * width, &constant));
            assert_int_equal(bit_get(rows, i), want);
        }
    }
    return done;
}

static void check_rows(const Fixture *f, TypeId type, uint32_t granule, const GranuleView *view, Random *random) {
    static _Alignas(64) uint64_t values[GRANULE_ROWS];
    size_t width = physical_bytes(type_physical(type));
    uint16_t rows[GRANULE_ROWS];
    uint32_t count = 0, first = random_below(random, 2) == 0 ? 0 : MIN_OF(1024u, view->row_count - 1), step = 1 + (uint32_t)random_below(random, 90);
    for (uint32_t at = (uint32_t)random_below(random, step); first + at < view->row_count; at += 1 + (uint32_t)random_below(random, step)) {
        rows[count++] = (uint16_t)at;
    }
    codec_view_rows(view, first, rows, count, values);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = granule * GRANULE_ROWS + first + rows[i];
        assert_int_equal(view->valid == NULL || bit_get(view->valid, first + rows[i]), f->builder.null_count == 0 || bit_get(f->builder.valid, row));
        if (f->builder.null_count == 0 || bit_get(f->builder.valid, row)) {
            assert_memory_equal((const uint8_t *)values + i * width, (const uint8_t *)f->builder.data + row * width, width);
        }
    }
}

static void a_view_tells_what_decoding_tells(void **state) {
    (void)state;
    static const TypeId TYPES[] = {TYPE_INT2, TYPE_INT4, TYPE_INT8, TYPE_TIMESTAMP, TYPE_FLOAT8};
    Random random;
    uint32_t viewed = 0, filtered = 0;
    random_init(&random, 5);
    for (size_t round = 0; round < COUNT_OF(TYPES) * SHAPE_COUNT * 3; round++) {
        TypeId type = TYPES[round % COUNT_OF(TYPES)];
        Fixture f;
        fixture_fill(&f, type, (Shape)(round / COUNT_OF(TYPES) % SHAPE_COUNT), (uint32_t)(round % 3) * 20, &random);
        for (uint32_t g = 0; g * GRANULE_ROWS < ROWS; g++) {
            GranuleView view;
            if (codec_view_granule(&f.decoder, g, &view)) {
                viewed++;
                filtered += check_filters(&f, type, g, &view, &random);
                check_rows(&f, type, g, &view, &random);
            }
        }
        fixture_free(&f);
    }
    assert_true(viewed > 100);
    assert_true(filtered > 500);
}

/* Both CPU levels, beside plain loops. */
static void kernels_agree(void **state) {
    (void)state;
    static _Alignas(64) uint32_t values[PACK_UNIT], packed[PACK_UNIT];
    const DecodeKernels *levels[] = {&codec__kernels_baseline, codec__kernels()};
    Random random;
    random_init(&random, 3);
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t width = 1 + round % 31, most = (UINT32_C(1) << width) - 1;
        uint32_t low = (uint32_t)random_next(&random) & most, span = (uint32_t)random_below(&random, (uint64_t)most - low + 1);
        uint32_t count = (uint32_t)random_below(&random, PACK_UNIT + 1), from = (uint32_t)random_below(&random, count + 1);
        uint64_t flip = round % 2 == 0 ? 0 : ~UINT64_C(0), sum = 0;
        uint8_t positions[200];
        bool rising = true;
        for (uint32_t i = 0; i < PACK_UNIT; i++) {
            values[i] = (uint32_t)random_next(&random) & most;
            sum += i >= from && i < count ? values[i] : 0;
        }
        for (uint32_t i = 0; i < 100; i++) {
            put_u16le(positions + (size_t)i * 2, (uint16_t)(i * 600 + random_below(&random, round % 3 == 0 ? 605 : 600)));
            rising = rising && (i == 0 || get_u16le(positions + (size_t)i * 2) > get_u16le(positions + (size_t)(i - 1) * 2));
        }
        codec__pack32(values, width, packed);
        for (size_t l = 0; l < COUNT_OF(levels); l++) {
            uint64_t words[PACK_UNIT / 64];
            levels[l]->range_u31(packed, width, low, span, flip, words);
            for (uint32_t i = 0; i < PACK_UNIT; i++) {
                assert_int_equal(bit_get(words, i), (values[i] >= low && values[i] - low <= span) != (flip != 0));
            }
            assert_true(levels[l]->sum_u32(values + from, count - from, width <= 22) == sum);
            assert_int_equal(levels[l]->rising_u16(positions, 100, 65535), rising);
            assert_false(levels[l]->rising_u16(positions, 100, get_u16le(positions + 198)));
        }
    }
}

/* Any byte of the block may be wrong: the view is refused or reads within the block (which the address sanitizer watches). */
static void damaged_bytes_stay_inside(void **state) {
    (void)state;
    static _Alignas(64) uint64_t values[GRANULE_ROWS];
    Random random;
    random_init(&random, 11);
    Fixture f;
    fixture_fill(&f, TYPE_FLOAT8, SHAPE_OUTLIERS, 10, &random);
    uint8_t *bytes = mem_alloc_aligned(f.bytes.len);
    for (int round = 0; round < 3000; round++) {
        memcpy(bytes, f.bytes.data, f.bytes.len);
        size_t at = random_below(&random, 2) == 0 ? random_below(&random, 200) : random_below(&random, f.bytes.len);
        bytes[at] = (uint8_t)random_next(&random);
        BlockDecoder decoder;
        GranuleView view;
        Error error;
        if (codec_decoder_open(bytes_from(bytes, f.bytes.len), type_of(TYPE_FLOAT8), &decoder, &error) != ERR_OK || decoder.granule_count == 0 ||
            !codec_view_granule(&decoder, 0, &view)) {
            continue;
        }
        uint16_t rows[] = {0, 5, (uint16_t)(view.row_count - 1)};
        uint64_t mask[GRANULE_ROWS / 64] = {0};
        double constant = 3;
        codec_view_rows(&view, 0, rows, view.row_count > 5 ? 3 : 1, values);
        codec_view_filter(&view, FILTER_LT, &constant, mask);
    }
    mem_free(bytes);
    fixture_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_view_tells_what_decoding_tells), cmocka_unit_test(kernels_agree),
                                       cmocka_unit_test(damaged_bytes_stay_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
