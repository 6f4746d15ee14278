/* SPDX-License-Identifier: Apache-2.0
 * ilp_names.c - which names new tables and columns may have, and the words of `precision`. */
#include "proto/ilp/ilp_internal.h"

bool ilp_name_valid(Str name, bool is_table) {
    static const char FORBIDDEN[] = "?,'\"\\/:)(+*%~";
    if (name.len == 0 || name.len > ILP_NAME_BYTES_MAX || !utf8_valid(name)) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = (uint8_t)name.data[i];
        if (c < 0x20 || c == 0x7f || strchr(FORBIDDEN, c) != NULL || (!is_table && (c == '.' || c == '-'))) {
            return false;
        }
    }
    bool byte_order_mark = str_find(name, STR("\xef\xbb\xbf"), 0) >= 0;
    bool edge = name.data[0] == '.' || name.data[name.len - 1] == '.';
    return !byte_order_mark && !edge;
}

bool ilp_precision_parse(Str text, IlpPrecision *precision_out) {
    static const struct { Str text; IlpPrecision precision; } WORDS[] = {
        {STR(""), ILP_NANOS},    {STR("n"), ILP_NANOS},    {STR("ns"), ILP_NANOS},  {STR("u"), ILP_MICROS},  {STR("us"), ILP_MICROS},
        {STR("ms"), ILP_MILLIS}, {STR("s"), ILP_SECONDS},  {STR("m"), ILP_MINUTES}, {STR("h"), ILP_HOURS},
    };
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (str_equal(text, WORDS[i].text)) {
            *precision_out = WORDS[i].precision;
            return true;
        }
    }
    return false;
}
