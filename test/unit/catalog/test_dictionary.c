/* SPDX-License-Identifier: Apache-2.0
 * test_dictionary.c - codes are dense and stable at ten and at a million entries, and when four threads make them at once. */
#include "catalog/dictionary.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static Str text_of(char *room, int i) {
    int bytes = snprintf(room, 32, i % 3 == 0 ? "%d" : "symbol-%d", i);
    return (Str){room, (size_t)bytes};
}

static Os os;

static void check(SymbolTable *symbols, int count) {
    char room[32];
    assert_int_equal(symbols->count(symbols), count);
    for (int i = 0; i < count; i++) {
        Str text = text_of(room, i);
        int32_t code = symbols->find(symbols, text);
        assert_true(code >= 0);
        assert_true(str_equal(symbols->text(symbols, code), text));
    }
    assert_int_equal(symbols->find(symbols, STR("absent")), -1);
}

static void codes_are_dense(void **state) {
    (void)state;
    int sizes[] = {0, 1, 10, 63, 64, 65, 128, 1000, 300000};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        Dictionary *dictionary = dictionary_create(os.sched);
        SymbolTable *symbols = dictionary_symbols(dictionary);
        char room[32];
        for (int i = 0; i < sizes[s]; i++) {
            assert_int_equal(symbols->intern(symbols, text_of(room, i)), i);
            assert_int_equal(symbols->intern(symbols, text_of(room, i / 2)), i / 2);
        }
        check(symbols, sizes[s]);
        dictionary_destroy(dictionary);
    }
}

static void empty_and_binary_texts_are_texts(void **state) {
    (void)state;
    Dictionary *dictionary = dictionary_create(os.sched);
    SymbolTable *symbols = dictionary_symbols(dictionary);
    assert_int_equal(symbols->intern(symbols, (Str){0}), 0);
    assert_int_equal(symbols->intern(symbols, STR("a\0b")), 1);
    assert_int_equal(symbols->intern(symbols, STR("a")), 2);
    assert_int_equal(symbols->find(symbols, STR("a\0b")), 1);
    assert_int_equal(symbols->text(symbols, 0).len, 0);
    dictionary_destroy(dictionary);
}

static void redo_is_repeatable_and_strict(void **state) {
    (void)state;
    Dictionary *dictionary = dictionary_create(os.sched);
    assert_int_equal(dictionary_place(dictionary, 0, STR("a"), NULL), ERR_OK);
    assert_int_equal(dictionary_place(dictionary, 1, STR("b"), NULL), ERR_OK);
    assert_int_equal(dictionary_place(dictionary, 0, STR("a"), NULL), ERR_OK);
    assert_int_equal(dictionary_place(dictionary, 0, STR("x"), NULL), ERR_DAMAGED);
    assert_int_equal(dictionary_place(dictionary, 3, STR("d"), NULL), ERR_DAMAGED);
    dictionary_set_logged(dictionary, 2);
    dictionary_set_logged(dictionary, 1);
    assert_int_equal(dictionary_logged(dictionary), 2);
    dictionary_destroy(dictionary);
}

typedef struct Worker { SymbolTable *symbols; pthread_t thread; int seed; } Worker;
enum { SHARED_TEXTS = 5000, THREADS = 4 };

static void *intern_main(void *argument) {
    Worker *worker = argument;
    char room[32];
    for (int i = 0; i < SHARED_TEXTS; i++) {
        int n = (i * 7 + worker->seed * 1237) % SHARED_TEXTS;
        Str text = text_of(room, n);
        int32_t code = worker->symbols->intern(worker->symbols, text);
        assert_true(str_equal(worker->symbols->text(worker->symbols, code), text));
    }
    return NULL;
}

static void threads_agree_on_codes(void **state) {
    (void)state;
    Dictionary *dictionary = dictionary_create(os.sched);
    Worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (Worker){.symbols = dictionary_symbols(dictionary), .seed = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, intern_main, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    check(dictionary_symbols(dictionary), SHARED_TEXTS);
    dictionary_destroy(dictionary);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_dense), cmocka_unit_test(empty_and_binary_texts_are_texts),
                                       cmocka_unit_test(redo_is_repeatable_and_strict), cmocka_unit_test(threads_agree_on_codes)};
    char root[] = "/tmp/basalt-dictionary-XXXXXX";
    if (mkdtemp(root) == NULL || os_linux_open(root, true, &os, NULL) != ERR_OK) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    os_linux_close(&os);
    return failed;
}
