/* SPDX-License-Identifier: Apache-2.0
 * fuzz_csv.c - any bytes as CSV: rows, detection, inference.
 *
 * Input: byte 0 = options (bits 0-1 delimiter, 2 quote ', 3 backslash, 4 strict, 5 keep blank lines, 6 no quotes, 7 small field limit),
 *        byte 1 = piece size less one. Then the file.
 * Check: pieces of any size give the same rows as the whole; every row without a problem, written with all fields quoted, reads
 *        back equal. */
#include "base/hash.h"
#include "fuzz.h"
#include "text/csv.h"
#include "text/infer.h"

enum { INPUT_BYTES_MAX = 1 << 16, GUESSES = 8, SMALL_LIMIT = 64 };

typedef struct Reading {
    uint32_t crc;
    uint64_t rows;
    ErrorCode code;
} Reading;

static void row_reads_back(const CsvRow *row) {
    Buffer text;
    const CsvRow *again = NULL;
    buffer_init(&text, SIZE_MAX);
    for (uint32_t i = 0; i < row->field_count; i++) {
        Str field = csv_text(row, i);
        buffer_append_str(&text, i > 0 ? STR(",\"") : STR("\""));
        for (size_t at = 0; at < field.len; at++) {
            buffer_append_str(&text, field.data[at] == '"' ? STR("\"") : STR(""));
            buffer_append_char(&text, field.data[at]);
        }
        buffer_append_char(&text, '"');
    }
    CsvReader *reader = csv_open(&(CsvOptions){.strict = true});
    csv_feed(reader, buffer_bytes(&text));
    csv_end(reader);
    FUZZ_CHECK(csv_next(reader, &again, NULL) == ERR_OK && again != NULL);
    FUZZ_CHECK(again->field_count == row->field_count && again->problem == CSV_FINE);
    for (uint32_t i = 0; i < row->field_count; i++) {
        FUZZ_CHECK(str_equal(csv_text(again, i), csv_text(row, i)));
    }
    csv_close(reader);
    buffer_deinit(&text);
}

static void take_row(Reading *reading, const CsvRow *row, ColumnGuess *guesses, bool check) {
    reading->rows++;
    reading->crc = crc32c(reading->crc, &row->line, sizeof row->line);
    reading->crc = crc32c(reading->crc, &row->problem, sizeof row->problem);
    for (uint32_t i = 0; i < row->field_count; i++) {
        Str text = csv_text(row, i);
        uint32_t len = (uint32_t)text.len;
        reading->crc = crc32c(crc32c(reading->crc, &len, sizeof len), text.data, text.len);
        if (check && i < GUESSES && text.len < 100) {
            guess_value(&guesses[i], text);
        }
    }
    if (check && row->problem == CSV_FINE && row->field_count < 64 && reading->rows < 64) {
        row_reads_back(row);
    }
}

static Reading read_all(Str input, const CsvOptions *options, size_t piece, bool check) {
    Reading reading = {0};
    ColumnGuess guesses[GUESSES];
    const CsvRow *row = NULL;
    bool ended = false;
    for (size_t i = 0; i < GUESSES; i++) {
        guess_init(&guesses[i]);
    }
    CsvReader *reader = csv_open(options);
    while ((reading.code = csv_next(reader, &row, NULL)) == ERR_OK && !(row == NULL && ended)) {
        if (row != NULL) {
            take_row(&reading, row, guesses, check);
        } else if (input.len == 0) {
            csv_end(reader);
            ended = true;
        } else {
            size_t part = MIN_OF(piece, input.len);
            csv_feed(reader, bytes_from(input.data, part));
            input = str_slice(input, part, input.len);
        }
    }
    csv_close(reader);
    for (size_t i = 0; i < GUESSES; i++) {
        (void)guess_type(&guesses[i], &(InferOptions){0});
        (void)guess_pattern(&guesses[i]);
    }
    return reading;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > INPUT_BYTES_MAX) {
        return 0;
    }
    static const char DELIMITERS[4] = {',', ';', '\t', '|'};
    CsvOptions options = {
        .delimiter = DELIMITERS[data[0] & 3],
        .quote = (data[0] & 4) != 0 ? '\'' : '"',
        .backslash = (data[0] & 8) != 0,
        .strict = (data[0] & 16) != 0,
        .keep_blank_lines = (data[0] & 32) != 0,
        .no_quotes = (data[0] & 64) != 0,
        .field_bytes_max = (data[0] & 128) != 0 ? SMALL_LIMIT : 0,
    };
    Str input = {(const char *)data + 2, size - 2};
    Reading whole = read_all(input, &options, input.len + 1, true);
    Reading pieces = read_all(input, &options, (size_t)data[1] + 1, false);
    if (options.field_bytes_max == 0) { /* else the limit may end a whole piece sooner or later */
        FUZZ_CHECK(whole.crc == pieces.crc && whole.rows == pieces.rows && whole.code == pieces.code);
    }
    (void)csv_detect_delimiter(str_slice(input, 0, MIN_OF(input.len, (size_t)4096)), options.quote);
    return 0;
}
