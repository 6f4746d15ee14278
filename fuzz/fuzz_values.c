/* SPDX-License-Identifier: Apache-2.0
 * fuzz_values.c - texts of numbers, times and numerics: what is read and written reads back the same.
 *
 * Input:      any text; its first 8 bytes are also taken as an integer and a double. */
#include "base/calendar.h"
#include "base/number.h"
#include "base/numeric.h"
#include "fuzz.h"
#include <math.h>

enum { INPUT_BYTES_MAX = 256 };

static void check_double(double value) {
    for (int style = DOUBLE_POSTGRES; style <= DOUBLE_JAVA; style++) {
        char text[DOUBLE_TEXT_MAX];
        size_t len = format_double(text, value, (DoubleStyle)style);
        FUZZ_CHECK(len <= DOUBLE_TEXT_MAX);
        double back = 0;
        FUZZ_CHECK(parse_double((Str){text, len}, &back));
        FUZZ_CHECK((isnan(value) && isnan(back)) || memcmp(&value, &back, sizeof value) == 0);
    }
}

static void check_integer(int64_t value) {
    char text[INT64_TEXT_MAX];
    size_t len = format_int64(text, value);
    int64_t back = 0;
    bool overflow = false;
    FUZZ_CHECK(len <= INT64_TEXT_MAX);
    FUZZ_CHECK(parse_int64((Str){text, len}, &back, &overflow));
    FUZZ_CHECK(back == value);
}

static void check_micros(int64_t micros) {
    char text[TIMESTAMP_TEXT_MAX];
    size_t len = timestamp_format_iso(text, micros, 6);
    FUZZ_CHECK(len <= TIMESTAMP_TEXT_MAX);
    int64_t back = 0;
    if (timestamp_parse_micros((Str){text, len}, &back)) {
        FUZZ_CHECK(back == micros);
    }
    FUZZ_CHECK(timestamp_format_pg(text, micros, false, 0) <= TIMESTAMP_TEXT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > INPUT_BYTES_MAX) {
        return 0;
    }
    Str text = {(const char *)data, size};
    double real = 0;
    int64_t integer = 0;
    bool overflow = false;
    if (parse_double(text, &real)) {
        check_double(real);
    }
    if (parse_int64(text, &integer, &overflow)) {
        check_integer(integer);
    }
    if (timestamp_parse_micros(text, &integer)) {
        check_micros(integer);
    }
    ParsedTime parsed;
    int32_t days = 0;
    (void)timestamp_parse(text, &parsed);
    (void)date_parse(text, &days);
    if (size >= sizeof real) {
        memcpy(&real, data, sizeof real);
        memcpy(&integer, data, sizeof integer);
        check_double(real);
        check_integer(integer);
        check_micros(integer);
    }
    return 0;
}
