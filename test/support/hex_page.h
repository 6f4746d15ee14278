/* SPDX-License-Identifier: Apache-2.0
 * hex_page.h - the hex example of a page in docs/format/ as bytes, so that a test decodes what people read. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines "OFFSET BYTES..." (hexadecimal) of the page's code blocks are placed into out, the rest is zero. *len_out = the
 * end of the last line. page: "docs/format/wal.md". false: no such page, no example, or out too small. */
bool hex_page_load(const char *page, uint8_t *out, size_t capacity, size_t *len_out);
