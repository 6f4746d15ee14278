/* SPDX-License-Identifier: Apache-2.0
 * hex.h - messages as text in tables: hex digits, blanks for the eye, and 'text' in quotes. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include "base/memory.h"

static inline size_t from_hex(const char *text, uint8_t *out) {
    size_t len = 0;
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            for (text++; *text != '\''; text++) {
                out[len++] = (uint8_t)*text;
            }
        } else if (*text != ' ') {
            unsigned byte = 0;
            if (sscanf(text, "%2x", &byte) != 1) {
                abort();
            }
            out[len++] = (uint8_t)byte;
            text++;
        }
    }
    return len;
}
