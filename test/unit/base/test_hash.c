/* SPDX-License-Identifier: Apache-2.0
 * test_hash.c - CRC-32C against RFC 3720 and a bit-by-bit version; hash quality; maps against a plain model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "base/hash.h"
#include "base/random.h"

static uint32_t slow_crc(uint32_t seed, const uint8_t *data, size_t len) {
    uint32_t crc = ~seed;
    for (size_t i = 0; i < len; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
        }
    }
    return ~crc;
}

static void crc_matches_rfc_3720(void **state) {
    (void)state;
    uint8_t bytes[32] = {0};
    assert_int_equal(crc32c(0, bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_int_equal(crc32c(0, bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) {
        bytes[i] = (uint8_t)i;
    }
    assert_int_equal(crc32c(0, bytes, 32), 0x46dd794e);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, NULL, 0), 0);
}

static void crc_matches_slow_version_in_pieces(void **state) {
    (void)state;
    Random random;
    random_init(&random, 3);
    uint8_t bytes[600];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)random_next(&random);
    }
    for (size_t len = 0; len < 300; len++) {
        size_t at = (size_t)random_below(&random, 300);
        size_t cut = (size_t)random_below(&random, len + 1);
        uint32_t want = slow_crc(0, bytes + at, len);
        assert_int_equal(crc32c(0, bytes + at, len), want);
        assert_int_equal(crc32c(crc32c(0, bytes + at, cut), bytes + at + cut, len - cut), want);
    }
}

static void hash_spreads_small_changes(void **state) {
    (void)state;
    uint8_t bytes[40] = {0};
    uint64_t total = 0;
    int count = 0;
    for (size_t len = 1; len <= sizeof bytes; len++) {
        uint64_t before = hash_bytes(bytes, len, 0);
        assert_true(before != hash_bytes(bytes, len - 1, 0));
        assert_true(before != hash_bytes(bytes, len, 1));
        for (size_t bit = 0; bit < len * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            total += (uint64_t)__builtin_popcountll(before ^ hash_bytes(bytes, len, 0));
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            count++;
        }
    }
    double mean = (double)total / count;
    assert_true(mean > 31.5 && mean < 32.5);
}

static void hash_of_counting_texts_rarely_collides(void **state) {
    (void)state;
    enum { COUNT = 200000, BUCKETS = 1 << 18 };
    uint8_t *buckets = mem_calloc(BUCKETS, 1);
    int full = 0;
    for (int i = 0; i < COUNT; i++) {
        char text[16];
        int len = snprintf(text, sizeof text, "k%d", i);
        uint64_t hash = hash_bytes(text, (size_t)len, 0) % BUCKETS;
        full += buckets[hash] == 0;
        buckets[hash] = 1;
    }
    /* 2^18 (1 - e^(-200000/2^18)) = 139,900 expected */
    assert_in_range(full, 139000, 140900);
    mem_free(buckets);
}

static void hash_is_pinned(void **state) {
    (void)state;
    /* Files may hold these values: a change of the function is a change of a format. */
    assert_true(hash_bytes("", 0, 0) == hash_bytes(NULL, 0, 0));
    assert_true(hash_bytes("basalt", 6, 0) == 0x67df3e0f09ce9394ULL);
    assert_true(hash_bytes("a longer text than sixteen bytes", 32, 42) == 0xcc0253f7ccf8d6feULL);
}

static void strmap_behaves_like_an_array(void **state) {
    (void)state;
    enum { KEYS = 500 };
    bool present[KEYS] = {false};
    uint64_t values[KEYS] = {0};
    size_t count = 0;
    Random random;
    random_init(&random, 11);
    StrMap map;
    strmap_init(&map);
    for (int step = 0; step < 200000; step++) {
        size_t k = (size_t)random_below(&random, KEYS);
        char text[40];
        Str key = {text, (size_t)snprintf(text, sizeof text, "%s%zu", k % 3 == 0 ? "a rather long prefix of a key " : "", k)};
        uint64_t value = random_next(&random);
        switch (random_below(&random, 3)) {
        case 0:
            assert_int_equal(strmap_put(&map, key, value), !present[k]);
            count += !present[k];
            present[k] = true;
            values[k] = value;
            break;
        case 1:
            assert_int_equal(strmap_remove(&map, key), present[k]);
            count -= present[k];
            present[k] = false;
            break;
        default:
            value = 0;
            assert_int_equal(strmap_get(&map, key, &value), present[k]);
            assert_true(!present[k] || value == values[k]);
        }
        assert_int_equal(map.count, count);
    }
    assert_true(map.keys.used_bytes < 100000);
    size_t walked = 0;
    Str key;
    uint64_t value;
    for (size_t i = 0; strmap_next(&map, &i, &key, &value);) {
        walked++;
    }
    assert_int_equal(walked, count);
    strmap_clear(&map);
    assert_false(strmap_get(&map, STR("1"), &value));
    assert_true(strmap_put(&map, (Str){NULL, 0}, 5));
    assert_true(strmap_get(&map, STR(""), &value));
    assert_true(value == 5);
    strmap_deinit(&map);
}

static void intmap_behaves_like_an_array(void **state) {
    (void)state;
    enum { KEYS = 500 };
    bool present[KEYS] = {false};
    uint64_t values[KEYS] = {0};
    size_t count = 0;
    Random random;
    random_init(&random, 12);
    IntMap map;
    intmap_init(&map);
    for (int step = 0; step < 200000; step++) {
        size_t k = (size_t)random_below(&random, KEYS);
        uint64_t key = k == 0 ? UINT64_MAX : (k - 1) << (k % 50);
        for (size_t other = 0; other < k; other++) {
            /* shifting makes some keys equal; skip those */
            key = other != 0 && ((other - 1) << (other % 50)) == key ? k + (1ULL << 60) : key;
        }
        uint64_t value = random_next(&random);
        switch (random_below(&random, 3)) {
        case 0:
            assert_int_equal(intmap_put(&map, key, value), !present[k]);
            count += !present[k];
            present[k] = true;
            values[k] = value;
            break;
        case 1:
            assert_int_equal(intmap_remove(&map, key), present[k]);
            count -= present[k];
            present[k] = false;
            break;
        default:
            value = 0;
            assert_int_equal(intmap_get(&map, key, &value), present[k]);
            assert_true(!present[k] || value == values[k]);
        }
        assert_int_equal(map.count, count);
    }
    size_t walked = 0;
    uint64_t key;
    uint64_t value;
    for (size_t i = 0; intmap_next(&map, &i, &key, &value);) {
        walked++;
    }
    assert_int_equal(walked, count);
    intmap_deinit(&map);
    assert_false(intmap_remove(&map, 1));
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(crc_matches_rfc_3720),
        cmocka_unit_test(crc_matches_slow_version_in_pieces),
        cmocka_unit_test(hash_spreads_small_changes),
        cmocka_unit_test(hash_of_counting_texts_rarely_collides),
        cmocka_unit_test(hash_is_pinned),
        cmocka_unit_test(strmap_behaves_like_an_array),
        cmocka_unit_test(intmap_behaves_like_an_array),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
