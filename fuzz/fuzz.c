/* SPDX-License-Identifier: Apache-2.0
 * fuzz.c - see fuzz.h. */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>

void fuzz_fail(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: this must hold: %s\n", file, line, condition);
    abort();
}

void fuzz_note(Str subject, const char *text) {
    fprintf(stderr, "%.*s\n  %s\n", STR_ARG(subject), text);
}

void fuzz_use(uint64_t value) {
    volatile uint64_t sink = value;
    (void)sink;
}
