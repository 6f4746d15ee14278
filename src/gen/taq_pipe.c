/* SPDX-License-Identifier: Apache-2.0
 * taq_pipe.c - times and the last line of the tape's daily files.
 *
 * Tests: test/unit/gen/test_gen.c */
#include "base/calendar.h"
#include "gen/taq_internal.h"

static char *put_digits(char *out, uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return out + digits;
}

char *gen__put_tape_time(char *out, int64_t nanos_utc) {
    const int64_t second = INT64_C(1000000000);
    int64_t local = nanos_utc - TAQ_NEW_YORK_SECONDS * second;
    int64_t of_day = local - floor_div(local, 86400 * second) * 86400 * second;
    int64_t seconds = of_day / second;
    out = put_digits(out, (uint64_t)(seconds / 3600), 2);
    out = put_digits(out, (uint64_t)(seconds / 60 % 60), 2);
    out = put_digits(out, (uint64_t)(seconds % 60), 2);
    return put_digits(out, (uint64_t)(of_day % second), 9);
}

char *gen__put_tape_trailer(char *out, uint64_t rows, uint32_t columns) {
    int32_t year = 0, month = 0, day = 0;
    civil_from_days(TAQ_FIRST_DAY, &year, &month, &day);
    out = GEN_PUT(out, "END|");
    out = put_digits(out, (uint64_t)year, 4);
    out = put_digits(out, (uint64_t)month, 2);
    out = put_digits(out, (uint64_t)day, 2);
    *out++ = '|';
    out = gen__put_uint(out, rows);
    for (uint32_t i = 3; i < columns; i++) {
        *out++ = '|';
    }
    *out++ = '\n';
    return out;
}
