/* SPDX-License-Identifier: Apache-2.0
 * gen_util.c - weighted choice, logarithms by table and text writing for the generators.
 *
 * Why:   libm and printf differ between systems in the last digit and cost 300 ns a number; tables of 65 integers do not.
 * Tests: test/unit/gen/test_gen.c */
#include "base/calendar.h"
#include "gen/gen_internal.h"

/* log2(1 + i/64) and 2^(i/64), both times 65,536. */
static const uint32_t LOG2_TABLE[65] = {
    0, 1466, 2909, 4331, 5732, 7112, 8473, 9814, 11136, 12440, 13727, 14996, 16248, 17484, 18704, 19909, 21098,
    22272, 23433, 24579, 25711, 26830, 27936, 29029, 30109, 31178, 32234, 33279, 34312, 35334, 36346, 37346, 38336,
    39316, 40286, 41246, 42196, 43137, 44068, 44990, 45904, 46809, 47705, 48593, 49472, 50344, 51207, 52063, 52911,
    53751, 54584, 55410, 56229, 57040, 57845, 58643, 59434, 60219, 60997, 61769, 62534, 63294, 64047, 64794, 65536,
};
static const uint32_t EXP2_TABLE[65] = {
    65536, 66250, 66971, 67700, 68438, 69183, 69936, 70698, 71468, 72246, 73032, 73828, 74632, 75444, 76266, 77096,
    77936, 78785, 79642, 80510, 81386, 82273, 83169, 84074, 84990, 85915, 86851, 87796, 88752, 89719, 90696, 91684,
    92682, 93691, 94711, 95743, 96785, 97839, 98905, 99982, 101070, 102171, 103283, 104408, 105545, 106694, 107856,
    109031, 110218, 111418, 112631, 113858, 115098, 116351, 117618, 118899, 120194, 121502, 122825, 124163, 125515,
    126882, 128263, 129660, 131072,
};

uint32_t gen__neg_log2(uint64_t random) {
    uint64_t value = random | 1;
    int zeros = __builtin_clzll(value);
    uint64_t mantissa = value << zeros << 1; /* the bits behind the leading one */
    uint32_t slot = (uint32_t)(mantissa >> 58);
    uint32_t rest = (uint32_t)(mantissa >> 42) & 0xffff;
    uint32_t low = LOG2_TABLE[slot], high = LOG2_TABLE[slot + 1];
    uint32_t log2 = low + (uint32_t)(((uint64_t)(high - low) * rest) >> 16);
    return (uint32_t)(zeros + 1) * 65536 - log2;
}

uint64_t gen__exp2(int32_t power_16) {
    assert(power_16 >= 0);
    assert(power_16 < 47 * 65536);
    uint32_t whole = (uint32_t)power_16 >> 16;
    uint32_t slot = ((uint32_t)power_16 >> 10) & 63;
    uint32_t rest = (uint32_t)power_16 & 1023;
    uint64_t low = EXP2_TABLE[slot], high = EXP2_TABLE[slot + 1];
    uint64_t mantissa = low + (((high - low) * rest) >> 10);
    return (mantissa << whole) >> 16;
}

void gen__choice_init(GenChoice *choice, uint32_t count, Arena *arena) {
    assert(count > 0);
    assert(count <= GEN_CHOICES_MAX);
    choice->count = count;
    choice->threshold = arena_array(arena, uint32_t, count);
    choice->other = arena_array(arena, uint16_t, count);
}

/* Vose's way: slots with less than their share take the rest from one with more. Order of the lists is fixed, so is the result. */
void gen__choice_fill(GenChoice *choice, const uint32_t *weights, Arena *scratch) {
    uint32_t count = choice->count, small_count = 0, large_count = 0;
    uint64_t total = 0;
    uint64_t *share = arena_array(scratch, uint64_t, count); /* weight x count: `total` is one slot full */
    uint16_t *small = arena_array(scratch, uint16_t, count), *large = arena_array(scratch, uint16_t, count);
    for (uint32_t i = 0; i < count; i++) {
        total += weights[i];
        share[i] = (uint64_t)weights[i] * count;
    }
    assert(total > 0);
    for (uint32_t i = 0; i < count; i++) {
        choice->threshold[i] = UINT32_MAX;
        choice->other[i] = (uint16_t)i;
        if (share[i] < total) {
            small[small_count++] = (uint16_t)i;
        } else {
            large[large_count++] = (uint16_t)i;
        }
    }
    while (small_count > 0 && large_count > 0) {
        uint16_t poor = small[--small_count], rich = large[large_count - 1];
        choice->threshold[poor] = (uint32_t)(((Uint128)share[poor] << 32) / total);
        choice->other[poor] = rich;
        share[rich] -= total - share[poor];
        if (share[rich] < total) {
            large_count--;
            small[small_count++] = rich;
        }
    }
}

char *gen__put_uint(char *out, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return gen__put_text(out, digits + at, sizeof digits - at);
}

static char *put_padded(char *out, uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return out + digits;
}

char *gen__put_hundredths(char *out, uint64_t value) {
    uint32_t cents = (uint32_t)(value % 100);
    out = gen__put_uint(out, value / 100);
    *out++ = '.';
    *out++ = (char)('0' + cents / 10);
    if (cents % 10 != 0) {
        *out++ = (char)('0' + cents % 10);
    }
    return out;
}

static void cache_second(GenTime *cache, int64_t second) {
    int32_t year = 0, month = 0, day = 0;
    int64_t days = floor_div(second, 86400);
    uint32_t of_day = (uint32_t)(second - days * 86400);
    civil_from_days(days, &year, &month, &day);
    char *out = put_padded(cache->text, (uint64_t)year, 4);
    *out++ = '-';
    out = put_padded(out, (uint64_t)month, 2);
    *out++ = '-';
    out = put_padded(out, (uint64_t)day, 2);
    *out++ = 'T';
    out = put_padded(out, of_day / 3600, 2);
    *out++ = ':';
    out = put_padded(out, of_day / 60 % 60, 2);
    *out++ = ':';
    out = put_padded(out, of_day % 60, 2);
    *out = '.';
    cache->second = second;
}

char *gen__put_time(GenTime *cache, char *out, int64_t nanos, int fraction_digits) {
    assert(nanos >= 0);
    static const uint32_t DIVISOR[10] = {1000000000, 0, 0, 1000000, 0, 0, 1000, 0, 0, 1};
    int64_t second = nanos / 1000000000;
    if (second != cache->second) {
        cache_second(cache, second);
    }
    out = gen__put_text(out, cache->text, fraction_digits > 0 ? sizeof cache->text : sizeof cache->text - 1);
    uint64_t fraction = (uint64_t)(nanos - second * 1000000000) / DIVISOR[fraction_digits];
    out = put_padded(out, fraction, fraction_digits);
    *out++ = 'Z';
    return out;
}
