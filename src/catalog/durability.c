/* SPDX-License-Identifier: Apache-2.0
 * durability.c - "commit", "interval", "interval(50)", "off": the one way to write when a commit is acknowledged, for databases, tables and sessions.
 *
 * Tests: test/unit/catalog/test_durability.c */
#include "base/number.h"
#include "catalog/catalog.h"

static bool parse_interval(Str text, uint32_t *ms_out) {
    Str name = STR("interval");
    if (!str_equal_ignore_case(str_slice(text, 0, MIN_OF(text.len, name.len)), name)) {
        return false;
    }
    Str rest = str_trim(str_slice(text, name.len, text.len));
    *ms_out = 0;
    if (rest.len == 0) {
        return true;
    }
    if (rest.len < 3 || rest.data[0] != '(' || rest.data[rest.len - 1] != ')') {
        return false;
    }
    int64_t number = 0;
    bool overflow = false;
    Str digits = str_trim(str_slice(rest, 1, rest.len - 1));
    if (!parse_int64(digits, &number, &overflow) || number < 1 || number > DURABILITY_MS_MAX) {
        return false;
    }
    *ms_out = (uint32_t)number;
    return true;
}

bool durability_parse(Str text, uint8_t *durability_out, uint32_t *ms_out) {
    Str word = str_trim(text);
    *ms_out = 0;
    if (str_equal_ignore_case(word, STR("commit"))) {
        *durability_out = DURABILITY_COMMIT;
        return true;
    }
    if (str_equal_ignore_case(word, STR("off"))) {
        *durability_out = DURABILITY_OFF;
        return true;
    }
    if (!parse_interval(word, ms_out)) {
        return false;
    }
    *durability_out = DURABILITY_INTERVAL;
    return true;
}
