/* SPDX-License-Identifier: Apache-2.0
 * view.c - packed granules read in place: single rows by their number, conditions on the packed integers.
 *
 * Why:        a filter that leaves few rows pays for one column; of the others only the rows that are left are unpacked (about 4 ns each,
 *             against 2 us for a granule). A condition with a constant becomes a range of packed integers, so that nothing is widened.
 * Invariants: exact: the same rows as a comparison of the decoded values in PostgreSQL's order (NaN above all).
 * Tests:      test/unit/codec/test_view.c */
#include "codec/codec_internal.h"
#include "codec/decode_kernels.h"

bool codec__granule_body(const BlockDecoder *decoder, uint32_t granule, Bytes unpacked, const uint64_t **valid_out, Bytes *out) {
    bool squeezed = false;
    if (decoder->encoding == ENCODING_CONSTANT || !codec__granule_stored(decoder, granule, out, &squeezed) || (squeezed && unpacked.len == 0)) {
        return false;
    }
    *out = squeezed ? unpacked : *out;
    if (decoder->nulls == NULLS_BITMAP) {
        if (out->len < VALID_BYTES) {
            return false;
        }
        *valid_out = (const uint64_t *)(const void *)out->data;
        *out = (Bytes){out->data + VALID_BYTES, out->len - VALID_BYTES};
    }
    return true;
}

static bool view_packed(GranuleView *view, Bytes in) {
    PackedView packed;
    if (!codec__packed_view(in, view->row_count, &packed)) {
        return false;
    }
    view->width = packed.width;
    view->patch_count = packed.exceptions;
    view->units = packed.units;
    view->patch_positions = packed.positions;
    view->patches = packed.patches;
    view->packed_bytes = packed.bytes;
    return true;
}

static bool view_scaled(GranuleView *view, const BlockDecoder *decoder, Bytes in) {
    if (in.len < 24 || view->physical != PHYS_F64 || decoder->parameter > SCALE_MAX || !view_packed(view, (Bytes){in.data + 16, in.len - 16})) {
        return false;
    }
    view->base = get_u64le(in.data + 8);
    view->divisor = codec__pow10[decoder->parameter];
    view->double_count = get_u32le(in.data);
    size_t at = 16 + view->packed_bytes;
    size_t position_bytes = ((size_t)view->double_count * 2 + 7) & ~(size_t)7;
    if (view->double_count > view->row_count || in.len - at < position_bytes + (size_t)view->double_count * 8) {
        return false;
    }
    view->double_positions = in.data + at;
    view->doubles = in.data + at + position_bytes;
    return codec__kernels()->rising_u16(view->double_positions, view->double_count, view->row_count);
}

static bool is_integer(uint8_t physical) { return physical == PHYS_8 || physical == PHYS_16 || physical == PHYS_32 || physical == PHYS_64; }

static bool view_delta(GranuleView *view, Bytes in) {
    if (in.len < 24 || !is_integer(view->physical) || !view_packed(view, (Bytes){in.data + 16, in.len - 16})) {
        return false;
    }
    view->base = get_u64le(in.data);
    view->least = get_u64le(in.data + 8);
    view->steps = true;
    return view->width <= 32;
}

static bool view_frame(GranuleView *view, const BlockDecoder *decoder, Bytes in) {
    bool narrowed = decoder->parameter == FRAME_NARROWED;
    bool fits = view->physical == PHYS_128 ? narrowed : is_integer(view->physical) && !narrowed;
    if (!fits || in.len < 16 || !view_packed(view, (Bytes){in.data + 8, in.len - 8})) {
        return false;
    }
    view->base = get_u64le(in.data);
    return true;
}

bool codec__view_body(const BlockDecoder *decoder, uint32_t granule, Bytes in, const uint64_t *valid, GranuleView *view_out) {
    *view_out = (GranuleView){.row_count = granule_rows_of(decoder->row_count, granule), .valid = valid};
    view_out->physical = (uint8_t)type_physical((TypeId)decoder->type.id);
    switch (decoder->encoding) {
    case ENCODING_SCALED: return view_scaled(view_out, decoder, in);
    case ENCODING_DELTA: return view_delta(view_out, in);
    case ENCODING_FRAME: return view_frame(view_out, decoder, in);
    default: return false;
    }
}

bool codec__view_codes(GranuleView *view, Bytes in) { return view_packed(view, in) && view->width <= 32; }

bool codec_view_granule(const BlockDecoder *decoder, uint32_t granule, GranuleView *view_out) {
    assert(granule * GRANULE_ROWS < decoder->row_count);
    const uint64_t *valid = NULL;
    Bytes in;
    return codec__granule_body(decoder, granule, (Bytes){0}, &valid, &in) && codec__view_body(decoder, granule, in, valid, view_out);
}

/* ---- single rows ---- */

static inline uint64_t packed_at(const GranuleView *view, uint32_t position) {
    const uint8_t *unit = view->units + (size_t)(position / PACK_UNIT) * view->width * PACK_WIDTH_BYTES;
    uint32_t at = position % PACK_UNIT;
    if (view->width == 0) {
        return 0; /* nothing is stored */
    }
    if (view->width <= 32) {
        uint32_t bit = at / 32 * view->width;
        const uint8_t *word = unit + (size_t)(bit / 32 * 32 + at % 32) * 4;
        uint64_t low = get_u32le(word);
        uint64_t high = bit % 32 + view->width > 32 ? get_u32le(word + 32 * 4) : 0;
        return ((low | high << 32) >> bit % 32) & ((UINT64_C(1) << view->width) - 1);
    }
    uint32_t bit = at / 16 * view->width;
    const uint8_t *word = unit + (size_t)(bit / 64 * 16 + at % 16) * 8;
    uint64_t value = get_u64le(word) >> bit % 64;
    if (bit % 64 + view->width > 64) {
        value |= get_u64le(word + 16 * 8) << (64 - bit % 64);
    }
    return view->width == 64 ? value : value & ((UINT64_C(1) << view->width) - 1);
}

static void store_value(const GranuleView *view, uint64_t packed, uint32_t i, void *out) {
    uint64_t value = view->base + packed;
    switch (view->physical) {
    case PHYS_8: ((uint8_t *)out)[i] = (uint8_t)value; break;
    case PHYS_16: ((uint16_t *)out)[i] = (uint16_t)value; break;
    case PHYS_32: ((uint32_t *)out)[i] = (uint32_t)value; break;
    case PHYS_F64: ((double *)out)[i] = (double)(int64_t)value / view->divisor; break;
    case PHYS_128: ((Int128 *)out)[i] = (int64_t)value; break;
    default: ((uint64_t *)out)[i] = value; break;
    }
}

uint32_t codec__lower_place(const uint8_t *positions, uint32_t count, uint32_t position) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (get_u16le(positions + (size_t)middle * 2) < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Calls for every listed position that is among the rows: rows and positions rise. */
typedef void (*ListedStore)(const GranuleView *view, uint32_t place, uint32_t i, void *out);
static void store_listed(const GranuleView *view, const uint8_t *positions, uint32_t list_count, const uint16_t *rows, uint32_t count, uint32_t first,
                         ListedStore store, void *out) {
    uint32_t place = list_count == 0 || count == 0 ? list_count : codec__lower_place(positions, list_count, first + rows[0]);
    for (uint32_t i = 0; i < count && place < list_count;) {
        uint32_t row = first + rows[i], position = get_u16le(positions + (size_t)place * 2);
        if (row == position) {
            store(view, place, i, out);
        }
        i += row <= position;
        place += row >= position;
    }
}

static void store_patch(const GranuleView *view, uint32_t place, uint32_t i, void *out) {
    store_value(view, get_u64le(view->patches + (size_t)place * 8), i, out);
}

static void store_double(const GranuleView *view, uint32_t place, uint32_t i, void *out) {
    memcpy((double *)out + i, view->doubles + (size_t)place * 8, sizeof(double));
}

/* Row r of steps = first value + r * least + the packed steps 1..r. Those between two rows that are asked for are only added up. */
static void step_rows(const GranuleView *view, uint32_t first, const uint16_t *rows, uint32_t count, void *out) {
    PackedView packed = {.width = view->width, .exceptions = view->patch_count, .count = view->row_count, .units = view->units,
                         .positions = view->patch_positions, .patches = view->patches};
    PackedSum sum;
    sum.sum = sum.unit = sum.patch = 0;
    sum.at = 1; /* place 0 stands for the first value */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = first + rows[i];
        assert_slow(row < view->row_count);
        store_value(view, codec__packed_sum(&packed, row + 1, &sum) + (uint64_t)row * view->least, i, out);
    }
}

void codec_view_rows(const GranuleView *view, uint32_t first, const uint16_t *rows, uint32_t count, void *out) {
    if (view->steps) {
        step_rows(view, first, rows, count, out);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_slow(first + rows[i] < view->row_count);
        store_value(view, packed_at(view, first + rows[i]), i, out);
    }
    store_listed(view, view->patch_positions, view->patch_count, rows, count, first, store_patch, out);
    store_listed(view, view->double_positions, view->double_count, rows, count, first, store_double, out);
}

/* ---- conditions ---- */

/* The integers that satisfy it: low..high, or all others; none if high < low. */
typedef struct IntegerRange { int64_t low, high; bool inverted; } IntegerRange;

static IntegerRange integer_range(FilterOp op, int64_t value) {
    static const IntegerRange NONE = {1, 0, false};
    switch (op) {
    case FILTER_LT: return value == INT64_MIN ? NONE : (IntegerRange){INT64_MIN, value - 1, false};
    case FILTER_LE: return (IntegerRange){INT64_MIN, value, false};
    case FILTER_GT: return value == INT64_MAX ? NONE : (IntegerRange){value + 1, INT64_MAX, false};
    case FILTER_GE: return (IntegerRange){value, INT64_MAX, false};
    default: return (IntegerRange){value, value, op == FILTER_NE};
    }
}

/* The least integer n with n / divisor >= value (or > value). |value * divisor| is below 2^52: three steps from the rounded product. */
static int64_t least_scaled(double value, double divisor, bool above) {
    int64_t n = (int64_t)(value * divisor) - 3;
    while (above ? (double)n / divisor <= value : (double)n / divisor < value) {
        n++;
    }
    return n;
}

/* false: no such range of integers. NaN and infinities lie beyond all scaled values. */
static bool scaled_range(FilterOp op, double value, double divisor, IntegerRange *range_out) {
    static const IntegerRange ALL = {INT64_MIN, INT64_MAX, false}, NONE = {1, 0, false};
    if (value != value || value - value != 0) {
        bool beyond = value != value || value > 0;
        bool all = op == FILTER_NE || (beyond ? op == FILTER_LT || op == FILTER_LE : op == FILTER_GT || op == FILTER_GE);
        *range_out = all ? ALL : NONE;
        return true;
    }
    double product = value * divisor;
    if (!(product > -4503599627370496.0 && product < 4503599627370496.0)) {
        return false;
    }
    int64_t from = least_scaled(value, divisor, false), after = least_scaled(value, divisor, true);
    switch (op) {
    case FILTER_LT: *range_out = (IntegerRange){INT64_MIN, from - 1, false}; break;
    case FILTER_LE: *range_out = (IntegerRange){INT64_MIN, after - 1, false}; break;
    case FILTER_GT: *range_out = (IntegerRange){after, INT64_MAX, false}; break;
    case FILTER_GE: *range_out = (IntegerRange){from, INT64_MAX, false}; break;
    default: *range_out = (IntegerRange){from, after - 1, op == FILTER_NE}; break;
    }
    return true;
}

static bool in_range(const IntegerRange *range, int64_t value) { return (value >= range->low && value <= range->high) != range->inverted; }

static bool double_passes(FilterOp op, double a, double b) {
    int order = a != a || b != b ? (a != a) - (b != b) : (a > b) - (a < b);
    switch (op) {
    case FILTER_LT: return order < 0;
    case FILTER_LE: return order <= 0;
    case FILTER_GT: return order > 0;
    case FILTER_GE: return order >= 0;
    case FILTER_NE: return order != 0;
    default: return order == 0;
    }
}

/* The range in packed integers; false: none of them is in it. */
static bool packed_range(const GranuleView *view, const IntegerRange *range, uint32_t *low_out, uint32_t *span_out) {
    int64_t base = (int64_t)view->base;
    uint64_t most = (UINT64_C(1) << view->width) - 1;
    uint64_t low = range->low <= base ? 0 : (uint64_t)range->low - view->base;
    uint64_t high = (uint64_t)range->high - view->base;
    if (range->high < range->low || range->high < base || low > most) {
        return false;
    }
    high = high < most ? high : most;
    *low_out = (uint32_t)low;
    *span_out = (uint32_t)(high - low);
    return true;
}

static void range_words(const GranuleView *view, const IntegerRange *range, uint64_t *words) {
    const DecodeKernels *kernels = codec__kernels();
    uint32_t low = 0, span = 0;
    uint64_t flip = range->inverted ? ~UINT64_C(0) : 0;
    bool some = packed_range(view, range, &low, &span);
    if (!some || view->width == 0) { /* width 0: every packed value is 0, and in the range if there is one */
        memset(words, some != range->inverted ? 0xff : 0, GRANULE_ROWS / 8);
        return;
    }
    for (uint32_t unit = 0; unit * PACK_UNIT < view->row_count; unit++) {
        const void *packed = view->units + (size_t)unit * view->width * PACK_WIDTH_BYTES;
        kernels->range_u31(packed, view->width, low, span, flip, words + unit * (PACK_UNIT / 64));
    }
}

static void put_bit(uint64_t *words, uint32_t position, bool value) {
    words[position / 64] = (words[position / 64] & ~(UINT64_C(1) << position % 64)) | (uint64_t)value << position % 64;
}

bool codec_view_filter(const GranuleView *view, FilterOp op, const void *value, uint64_t *rows) {
    IntegerRange range;
    double constant = 0;
    uint64_t words[GRANULE_ROWS / 64];
    if (view->width > 31 || view->steps || op > FILTER_GE || view->physical == PHYS_128) {
        return false;
    }
    if (view->physical == PHYS_F64) {
        memcpy(&constant, value, sizeof constant);
        if (!scaled_range(op, constant, view->divisor, &range)) {
            return false;
        }
    } else {
        range = integer_range(op, codec__integer_at((Physical)view->physical, value));
    }
    range_words(view, &range, words);
    bool zero = in_range(&range, (int64_t)view->base); /* what the words say of a patched value, which is packed as zero */
    for (uint32_t e = 0; e < view->patch_count; e++) {
        uint32_t position = get_u16le(view->patch_positions + (size_t)e * 2);
        if (in_range(&range, (int64_t)(view->base + get_u64le(view->patches + (size_t)e * 8))) != zero) {
            words[position / 64] ^= UINT64_C(1) << position % 64;
        }
    }
    for (uint32_t e = 0; e < view->double_count; e++) {
        double held;
        memcpy(&held, view->doubles + (size_t)e * 8, sizeof held);
        put_bit(words, get_u16le(view->double_positions + (size_t)e * 2), double_passes(op, held, constant));
    }
    for (size_t w = 0; w < words_for(view->row_count); w++) {
        rows[w] &= view->valid == NULL ? words[w] : words[w] & view->valid[w];
    }
    return true;
}
