/* SPDX-License-Identifier: Apache-2.0
 * functions.c - the table of functions.inc as an array, and its look-up. */
#include "sql/func/func_internal.h"

#define TYPE_ANY ARG_ANY
#define TYPE_SAME ARG_SAME
#define TYPE_ANYARRAY ARG_ARRAY
#define TYPE_ELEMENT ARG_ELEMENT
#define TYPE_NONARRAY ARG_NONARRAY
#define TYPE_ANYENUM ARG_ENUM
#define TYPE_TEXTS ARG_TEXTS

#define NO_ARGS {ARG_END}, 0
#define ARGS1(a) {TYPE_##a, ARG_END}, 1
#define ARGS2(a, b) {TYPE_##a, TYPE_##b, ARG_END}, 2
#define ARGS3(a, b, c) {TYPE_##a, TYPE_##b, TYPE_##c, ARG_END}, 3
#define ARGS4(a, b, c, d) {TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, ARG_END}, 4
#define ARGS5(a, b, c, d, e) {TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e, ARG_END}, 5
#define ARGS6(a, b, c, d, e, f) {TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e, TYPE_##f, ARG_END}, 6
#define ARGS7(a, b, c, d, e, f, g) {TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e, TYPE_##f, TYPE_##g, ARG_END}, 7
#define ARGS_PICK(a, b, c, d, e, f, g, macro, ...) macro
#define ARGS(...) ARGS_PICK(__VA_ARGS__, ARGS7, ARGS6, ARGS5, ARGS4, ARGS3, ARGS2, ARGS1, )(__VA_ARGS__)

static const Function FUNCTIONS[] = {
#define FN(name, args, result, kernel, flags, prepare, result_type, example, answer)                                   \
    {name, args, TYPE_##result, flags, func__##kernel, prepare, result_type, example, answer},
#include "sql/func/functions.inc"
#undef FN
};

/* Names in the table are in lower case but for none: comparing folds the asked name only. */
static int compare_name(Str asked, const char *row_name) {
    size_t i = 0;
    for (; i < asked.len && row_name[i] != '\0'; i++) {
        unsigned char c = (unsigned char)char_lower(asked.data[i]);
        if (c != (unsigned char)row_name[i]) {
            return c < (unsigned char)row_name[i] ? -1 : 1;
        }
    }
    return i < asked.len ? 1 : row_name[i] != '\0' ? -1 : 0;
}

const Function *function_lookup(Str name, size_t *count_out) {
    size_t low = 0, high = COUNT_OF(FUNCTIONS);
    while (low < high) { /* the first row that is not before the name */
        size_t middle = (low + high) / 2;
        if (compare_name(name, FUNCTIONS[middle].name) > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t count = 0;
    while (low + count < COUNT_OF(FUNCTIONS) && compare_name(name, FUNCTIONS[low + count].name) == 0) {
        count++;
    }
    *count_out = count;
    return count == 0 ? NULL : &FUNCTIONS[low];
}

size_t function_count(void) {
    return COUNT_OF(FUNCTIONS);
}

const Function *function_at(size_t index) {
    assert(index < COUNT_OF(FUNCTIONS));
    return &FUNCTIONS[index];
}
