/* SPDX-License-Identifier: Apache-2.0
 * csv_detect.c - which of , ; tab | separates the fields.
 *
 * Why:   the best delimiter splits most rows into the same number of fields, more than one; ties go to the larger number.
 * Tests: test/unit/text/test_csv.c */
#include "text/csv.h"

enum { DETECT_ROWS_MAX = 200 };

typedef struct Split {
    uint32_t rows, same, fields; /* rows with the commonest number of fields, that number */
} Split;

static Split try_delimiter(CsvReader *reader, Str sample, char delimiter, char quote) {
    uint32_t counts[DETECT_ROWS_MAX];
    Split split = {0};
    const CsvRow *row = NULL;
    csv_reset(reader, &(CsvOptions){.delimiter = delimiter, .quote = quote});
    csv_feed(reader, bytes_from(sample.data, sample.len));
    while (split.rows < DETECT_ROWS_MAX && csv_next(reader, &row, NULL) == ERR_OK && row != NULL) {
        counts[split.rows++] = row->field_count;
    }
    if (split.rows == 0) { /* one line without an end */
        csv_end(reader);
        if (csv_next(reader, &row, NULL) == ERR_OK && row != NULL) {
            counts[split.rows++] = row->field_count;
        }
    }
    for (uint32_t i = 0; i < split.rows; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < split.rows; j++) {
            same += counts[j] == counts[i];
        }
        if (counts[i] > 1 && (same > split.same || (same == split.same && counts[i] > split.fields))) {
            split.same = same;
            split.fields = counts[i];
        }
    }
    return split;
}

char csv_detect_delimiter(Str sample, char quote) {
    static const char CANDIDATES[] = {',', ';', '\t', '|'};
    CsvReader *reader = csv_open(NULL);
    char best = ',';
    Split best_split = {0};
    for (size_t i = 0; i < COUNT_OF(CANDIDATES); i++) {
        Split split = try_delimiter(reader, sample, CANDIDATES[i], quote);
        /* share of even rows first (in tenths, so that one odd row decides nothing), then the number of fields */
        uint32_t share = split.rows == 0 ? 0 : split.same * 10 / split.rows;
        uint32_t best_share = best_split.rows == 0 ? 0 : best_split.same * 10 / best_split.rows;
        if (split.fields > 1 && (share > best_share || (share == best_share && split.fields > best_split.fields))) {
            best = CANDIDATES[i];
            best_split = split;
        }
    }
    csv_close(reader);
    return best;
}
