/* SPDX-License-Identifier: Apache-2.0
 * hex_page.c - see hex_page.h. */
#include "hex_page.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_example_line(const char *line) {
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)line[i])) {
            return false;
        }
    }
    return line[4] == ' ' && isxdigit((unsigned char)line[5]) && isxdigit((unsigned char)line[12]) && line[13] == ' ';
}

static bool place_line(const char *line, uint8_t *out, size_t capacity, size_t *len_out) {
    char *rest = NULL;
    size_t at = strtoull(line, &rest, 16);
    while (*rest != '\0') {
        if (!isxdigit((unsigned char)rest[0]) || !isxdigit((unsigned char)rest[1])) {
            rest++;
            continue;
        }
        char digits[3] = {rest[0], rest[1], '\0'};
        if (at >= capacity) {
            return false;
        }
        out[at++] = (uint8_t)strtoul(digits, NULL, 16);
        rest += 2;
    }
    *len_out = at > *len_out ? at : *len_out;
    return true;
}

bool hex_page_load(const char *page, uint8_t *out, size_t capacity, size_t *len_out) {
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/%s", SOURCE_ROOT, page);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    memset(out, 0, capacity);
    *len_out = 0;
    bool fits = true;
    while (fits && fgets(line, sizeof line, file) != NULL) {
        fits = !is_example_line(line) || place_line(line, out, capacity, len_out);
    }
    fclose(file);
    return fits && *len_out > 0;
}
