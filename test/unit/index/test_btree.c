/* SPDX-License-Identifier: Apache-2.0
 * test_btree.c - random inserts, removals and searches against a sorted array; ordered inserts fill their nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/random.h"
#include "index/index.h"
#include <stdlib.h>

typedef struct Pair { uint8_t key[16]; size_t len; uint32_t row; } Pair;
typedef struct Model { Pair *pairs; size_t count; } Model;

static Bytes key_of(const Pair *pair) { return (Bytes){pair->key, pair->len}; }

static int compare(const Pair *a, const Pair *b) {
    int order = key_compare(key_of(a), key_of(b));
    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static size_t place_of(const Model *model, const Pair *pair) {
    size_t low = 0, high = model->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare(&model->pairs[middle], pair) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static Pair random_pair(Random *random, bool longer) {
    Pair pair = {.len = 8, .row = (uint32_t)random_below(random, 4)};
    pair.key[6] = (uint8_t)random_below(random, 40);
    pair.key[7] = (uint8_t)random_below(random, 256);
    if (longer && random_below(random, 2) == 0) { /* the end mark keeps it from being the beginning of another */
        pair.key[5] = 1;
        pair.len = 10 + random_below(random, 6);
        for (size_t i = 8; i < pair.len; i++) {
            pair.key[i] = i + 1 == pair.len ? 1 : (uint8_t)(2 + random_below(random, 3));
        }
    }
    return pair;
}

static void check_walk(const Btree *tree, const Model *model) {
    BtreeCursor cursor;
    Buffer key;
    buffer_init(&key, 1000);
    bool more = btree_seek(tree, (Bytes){0}, 0, &cursor);
    for (size_t i = 0; i < model->count; i++) {
        assert_true(more);
        buffer_clear(&key);
        btree_key(&cursor, &key);
        assert_int_equal(key_compare(buffer_bytes(&key), key_of(&model->pairs[i])), 0);
        assert_int_equal(btree_row(&cursor), model->pairs[i].row);
        assert_true(btree_starts_with(&cursor, (Bytes){model->pairs[i].key, MIN_OF(model->pairs[i].len, (size_t)9)}));
        more = btree_next(&cursor);
    }
    assert_false(more);
    buffer_deinit(&key);
}

static void check_seek(const Btree *tree, const Model *model, const Pair *pair) {
    BtreeCursor cursor;
    size_t at = place_of(model, pair);
    bool found = btree_seek(tree, key_of(pair), pair->row, &cursor);
    assert_int_equal(found, at < model->count);
    if (found) {
        assert_int_equal(btree_compare(&cursor, key_of(&model->pairs[at])), 0);
        assert_int_equal(btree_row(&cursor), model->pairs[at].row);
    }
    found = btree_seek_before(tree, key_of(pair), pair->row, &cursor);
    assert_int_equal(found, at > 0);
    if (found) {
        assert_int_equal(btree_row(&cursor), model->pairs[at - 1].row);
    }
}

static void model_insert(Model *model, const Pair *pair, size_t at) {
    memmove(&model->pairs[at + 1], &model->pairs[at], sizeof(Pair) * (model->count - at));
    model->pairs[at] = *pair;
    model->count++;
}

static bool row_is_odd(void *context, uint32_t row) {
    (void)context;
    return (row & 1) != 0;
}

static void run_history(uint64_t seed, bool longer, uint32_t steps) {
    Random random;
    random_init(&random, seed);
    Model model = {.pairs = malloc(sizeof(Pair) * (steps + 1))};
    Btree *tree = btree_create();
    for (uint32_t i = 0; i < steps; i++) {
        Pair pair = random_pair(&random, longer);
        size_t at = place_of(&model, &pair);
        bool present = at < model.count && compare(&model.pairs[at], &pair) == 0;
        bool removing = random_below(&random, 10) < (i / 4096 % 2 == 0 ? 2U : 7U);
        if (removing) {
            assert_int_equal(btree_remove(tree, key_of(&pair), pair.row), present);
            if (present) {
                memmove(&model.pairs[at], &model.pairs[at + 1], sizeof(Pair) * (model.count - at - 1));
                model.count--;
            }
        } else {
            assert_int_equal(btree_insert(tree, key_of(&pair), pair.row), !present);
            if (!present) {
                model_insert(&model, &pair, at);
            }
        }
        assert_int_equal(btree_count(tree), model.count);
        if (i % 16 == 0) {
            check_seek(tree, &model, &pair);
        }
        if (i % 5000 == 4999) {
            check_walk(tree, &model);
        }
    }
    btree_compact(tree, row_is_odd, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < model.count; i++) {
        if ((model.pairs[i].row & 1) != 0) {
            model.pairs[kept++] = model.pairs[i];
        }
    }
    model.count = kept;
    check_walk(tree, &model);
    btree_destroy(tree);
    free(model.pairs);
}

static void random_histories_equal_a_sorted_array(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run_history(seed, seed % 2 == 0, 20000);
    }
}

static void ordered_inserts_fill_the_nodes(void **state) {
    (void)state;
    enum { COUNT = 300000 };
    Btree *tree = btree_create();
    uint8_t key[8];
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t word = __builtin_bswap64(i);
        memcpy(key, &word, sizeof key);
        assert_true(btree_insert(tree, (Bytes){key, 8}, (uint32_t)i));
    }
    assert_true(btree_bytes(tree) / COUNT <= 18);
    for (uint64_t i = 0; i < COUNT; i += 7) {
        uint64_t word = __builtin_bswap64(i);
        memcpy(key, &word, sizeof key);
        BtreeCursor cursor;
        assert_true(btree_seek(tree, (Bytes){key, 8}, 0, &cursor));
        assert_int_equal(btree_row(&cursor), i);
    }
    btree_destroy(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_histories_equal_a_sorted_array), cmocka_unit_test(ordered_inserts_fill_the_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
