/* SPDX-License-Identifier: Apache-2.0
 * fuzz.h - what every target has in common. A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput. */
#pragma once
#include "base/memory.h"

/* Called by libFuzzer, or by replay.c for each file of a corpus. Always returns 0. Must free all it takes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that must hold whatever the input is; ends the process with the text, which libFuzzer keeps as a finding. */
#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fuzz_fail(#condition, __FILE__, __LINE__);                                                                 \
        }                                                                                                              \
    } while (0)
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);
/* Prints something that helps to understand the failure that follows. */
void fuzz_note(Str subject, const char *text);
/* Keeps the compiler from dropping reads whose result nobody needs. */
void fuzz_use(uint64_t value);
