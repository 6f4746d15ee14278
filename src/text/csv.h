/* SPDX-License-Identifier: Apache-2.0
 * csv.h - comma separated values: bytes in at any boundaries, rows of fields out; delimiter, header and type detection.
 *
 * Life cycle: csv_open -> (csv_feed | csv_room + csv_added -> csv_next*)* -> csv_end -> csv_next* -> csv_close.
 * Rows follow RFC 4180. What files do beyond it is read leniently: lines end in LF, CRLF or CR; a quote inside an unquoted field is
 * text; text behind a closing quote belongs to the field; blank lines are skipped; a byte-order mark is skipped. With
 * `strict` quotes where RFC 4180 has none are a problem of the row.
 * A row that has a problem is handed out with it; reading goes on after it. Only what makes the rest unreadable is an error:
 * a field or row past its limit, a quote that never closes, UTF-16.
 * Threads: a reader belongs to one thread. Cost: no allocation per row or field once the buffers have grown. */
#pragma once
#include "base/memory.h"

enum {
    CSV_FIELD_BYTES_DEFAULT = 16 << 20, /* CsvOptions.field_bytes_max */
    CSV_FIELDS_MAX = 65536,             /* fields of a row */
    CSV_PIECE_BYTES = 256 << 10         /* room that csv_room gives at least */
};

typedef struct CsvOptions {
    char delimiter;         /* 0 = ',' */
    char quote;             /* 0 = '"' */
    bool no_quotes;         /* quotes are ordinary text */
    bool backslash;         /* inside quotes \" is a quote and \\ a backslash */
    bool strict;
    bool keep_blank_lines;  /* a blank line is a row with one empty field */
    size_t field_bytes_max; /* 0 = CSV_FIELD_BYTES_DEFAULT */
} CsvOptions;

typedef enum CsvProblem {
    CSV_FINE,
    CSV_NUL_BYTE,           /* a field holds a NUL */
    CSV_NOT_UTF8,
    CSV_STRAY_QUOTE,        /* strict only: a quote inside an unquoted field or text behind a closing quote */
    CSV_FIELD_TOO_LONG
} CsvProblem;

typedef struct CsvField {
    uint32_t start, len;    /* from CsvRow.text; unescaped, without quotes. Use csv_text */
    bool quoted;            /* "" differs from nothing */
    bool escaped, stray;    /* the reader's own */
} CsvField;

typedef struct CsvRow {
    const char *text;       /* valid until the next csv_next, csv_feed or csv_room */
    const CsvField *fields; /* same */
    uint32_t field_count;
    CsvProblem problem;
    uint32_t problem_field; /* number of the field, from 0 */
    uint64_t line;          /* where the row begins, from 1; line breaks inside quotes count */
    uint64_t offset;        /* of the row's first byte in the input */
} CsvRow;

typedef struct CsvReader CsvReader;
CsvReader *csv_open(const CsvOptions *options); /* NULL = defaults; owned by the caller until csv_close */
void csv_close(CsvReader *reader);
void csv_reset(CsvReader *reader, const CsvOptions *options); /* as after csv_open; memory is kept */
void csv_feed(CsvReader *reader, Bytes piece);                /* copies; keep pieces small, all of it is held until it was read */
/* Without the copy: at least CSV_PIECE_BYTES of room for the caller to write to, then how many bytes were written. */
uint8_t *csv_room(CsvReader *reader, size_t *room_out);
void csv_added(CsvReader *reader, size_t len);
void csv_end(CsvReader *reader);                              /* no more bytes come */
/* Next row. *row_out = NULL: more bytes are needed, or (after csv_end) that was all. ERR_LIMIT_EXCEEDED, ERR_BAD_COPY,
 * ERR_INVALID_ENCODING: position = byte offset in the input, the message names the line; the reader gives nothing more. */
NODISCARD ErrorCode csv_next(CsvReader *reader, const CsvRow **row_out, Error *err);
const char *csv_problem_text(CsvProblem problem);             /* "invalid UTF-8"; static text */

static inline Str csv_text(const CsvRow *row, uint32_t field) {
    assert(field < row->field_count);
    return (Str){row->text + row->fields[field].start, row->fields[field].len};
}

/* The delimiter of , ; tab | that splits the first rows of the sample most evenly into more than one field; ',' if none does. */
char csv_detect_delimiter(Str sample, char quote);
