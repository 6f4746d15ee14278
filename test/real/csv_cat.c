/* SPDX-License-Identifier: Apache-2.0
 * csv_cat.c - prints what the CSV reader makes of standard input: per row "R line problem fields\n", per field "len quoted\n" + bytes
 * + "\n"; last "E code message\n". Arguments: piece size, then a delimiter or nothing to detect it. Used by csv_files.py. */
#include "base/hash.h"
#include "text/csv.h"
#include <stdio.h>
#include <stdlib.h>

static void print_row(FILE *out, const CsvRow *row) {
    fprintf(out, "R %llu %d %u\n", (unsigned long long)row->line, (int)row->problem, row->field_count);
    for (uint32_t i = 0; i < row->field_count; i++) {
        Str text = csv_text(row, i);
        fprintf(out, "%zu %d\n", text.len, row->fields[i].quoted);
        fwrite(text.data, 1, text.len, out);
        fputc('\n', out);
    }
}

int main(int argc, char **argv) {
    size_t piece = argc > 1 ? (size_t)atoll(argv[1]) : 65536, len = 0, capacity = 1 << 26;
    char *data = malloc(capacity);
    len = fread(data, 1, capacity, stdin);
    char delimiter = argc > 2 ? argv[2][0] : csv_detect_delimiter(str_from(data, len < 65536 ? len : 65536), '"');
    CsvReader *reader = csv_open(&(CsvOptions){.delimiter = delimiter});
    const CsvRow *row = NULL;
    Error err = {0};
    ErrorCode code = ERR_OK;
    size_t at = 0;
    bool ended = false;
    printf("D %c\n", delimiter);
    while ((code = csv_next(reader, &row, &err)) == ERR_OK && !(row == NULL && ended)) {
        if (row != NULL) {
            print_row(stdout, row);
        } else if (at == len) {
            csv_end(reader);
            ended = true;
        } else {
            size_t part = piece < len - at ? piece : len - at;
            csv_feed(reader, bytes_from(data + at, part));
            at += part;
        }
    }
    printf("E %d %s\n", (int)code, code == ERR_OK ? "" : err.message);
    csv_close(reader);
    free(data);
    return 0;
}
