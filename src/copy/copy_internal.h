/* SPDX-License-Identifier: Apache-2.0
 * copy_internal.h - the state of a reader, shared by the scanners of the three formats and the parsers of fields. */
#pragma once
#include "copy/copy.h"

enum {
    COPY_CHUNK_BYTES = 64 << 10,         /* taken from the caller's piece at once: stays in the cache */
    COPY_SYMBOL_SLOTS = 1024,
    COPY_FIELD_COUNT_MAX = UINT16_MAX
};

typedef struct CopyField CopyField;
/* Appends the text's value to the column. false: not of the short form that this knows; nothing was appended. */
typedef bool (*CopyFast)(CopyReader *reader, CopyField *field, Str text);

typedef struct SymbolSlot { uint64_t word[2]; uint32_t len_and_one; int32_t code; } SymbolSlot;

struct CopyField {
    Str name;
    Type type;
    ColumnBuilder builder;
    CopyFast fast;                       /* NULL: value_parse only */
    bool plain_text;                     /* the text is the value */
    bool force_not_null, force_null;
    SymbolTable *symbols;
    SymbolSlot *symbol_cache;
    uint64_t *defaults;                  /* rows with the DEFAULT marker; NULL: none so far */
    uint64_t date_key[2];                /* the last date's text and day */
    int64_t date_days;
};

/* One field of the row at hand. */
typedef struct CopySpan {
    uint32_t start, len;                 /* from the row's first byte */
    bool escaped;                        /* text: has backslashes */
    bool quoted;                         /* csv: has quotes */
} CopySpan;

/* Where the scanner is: it goes on in the middle of a row when more bytes come, so that every byte is looked at once. */
typedef struct CopyScan {
    size_t row, at;                      /* offsets in reader->input */
    size_t field_start;
    uint32_t field_count;                /* ended fields of the row; those beyond column_count are counted only */
    bool in_quotes, after_escape, field_escaped, field_quoted;
} CopyScan;

typedef enum CopyLineEnd { LINE_END_UNKNOWN, LINE_END_NEWLINE, LINE_END_RETURN, LINE_END_BOTH } CopyLineEnd;
typedef enum CopyStep { COPY_ROW, COPY_MORE, COPY_MARKER, COPY_FAILED } CopyStep;

typedef enum ContextKind { CONTEXT_LINE, CONTEXT_LINE_TEXT, CONTEXT_COLUMN, CONTEXT_COLUMN_VALUE, CONTEXT_COLUMN_NULL } ContextKind;

struct CopyReader {
    CopyOptions copy;
    Arena names;                         /* lives as the reader */
    Str table_name;
    uint16_t column_count;
    CopyField *fields;
    const FunctionEnvironment *environment;
    void (*notice)(void *context, Str message);
    void *notice_context;
    Buffer input;                        /* bytes taken, from the row that is not whole yet */
    CopyScan scan;
    CopySpan *spans;                     /* of column_count + 1 */
    CopyLineEnd line_end;
    bool header_left, begun, ended, ending, failed; /* begun: the binary header was read; ending: no more bytes come */
    size_t binary_need;                  /* bytes of input before it is worth looking again */
    uint64_t line;                       /* of the row at hand, from 1 */
    uint64_t next_line;
    uint32_t row_count;                  /* whole rows in the builders */
    uint64_t row_lines[COPY_BATCH_ROWS];
    uint64_t rejected;
    Arena scratch;                       /* of one row's values */
    Buffer unescaped;
    Buffer context;
};

/* reader.c */
void copy__set_context(CopyReader *reader, ContextKind kind, Str column, Str value);
ErrorCode copy__header_row(CopyReader *reader, Error *err);
void copy__row_done(CopyReader *reader);             /* every builder has one more value */
void copy__row_undo(CopyReader *reader);

/* line_text.c, line_csv.c: the next row of reader->input; on COPY_ROW *end_out is where the row's text ends and *next_out where the
 * next row begins. COPY_MARKER: the end of data. */
CopyStep copy__text_row(CopyReader *reader, size_t *end_out, size_t *next_out, Error *err);
CopyStep copy__csv_row(CopyReader *reader, size_t *end_out, size_t *next_out, Error *err);
/* What a line end at `at` means: COPY_ROW with *next_out, COPY_MORE (a carriage return was the last byte), or an error. */
CopyStep copy__line_end(CopyReader *reader, size_t at, size_t *next_out, Error *err);
void copy__end_field(CopyReader *reader, size_t end);
/* field's text without escapes or quotes; points into the input or reader->unescaped. */
Str copy__text_unescape(CopyReader *reader, Str raw, bool *made_bytes_out);
Str copy__csv_unquote(CopyReader *reader, Str raw);

/* binary_row.c */
CopyStep copy__binary_rows(CopyReader *reader, Error *err); /* COPY_MORE, COPY_FAILED, or COPY_ROW: the batch is full */

/* row.c: a row's fields into the builders. ON_ERROR ignore is dealt with here. */
ErrorCode copy__take_row(CopyReader *reader, Str row, Error *err);
void copy__store(CopyField *field, const void *value);

/* field.c */
CopyFast copy__fast_parser(Type type, const FunctionEnvironment *environment);
bool copy__symbol(CopyField *field, Str text);       /* false: the dictionary is full */

/* ---- bytes, sixteen at a time (vector types of the compiler, no intrinsics) ---- */
typedef uint8_t CopyVector __attribute__((vector_size(16)));
static inline CopyVector copy__splat(char c) { return (CopyVector){0} + (uint8_t)c; }
/* Offset of the first byte that is one of the four, or len. */
static inline size_t copy__find4(const char *data, size_t at, size_t len, char a, char b, char c, char d) {
    const CopyVector va = copy__splat(a), vb = copy__splat(b), vc = copy__splat(c), vd = copy__splat(d);
    while (len - at >= 16) {
        CopyVector v;
        uint64_t hit[2];
        memcpy(&v, data + at, sizeof v);
        CopyVector found = (CopyVector)((v == va) | (v == vb) | (v == vc) | (v == vd));
        memcpy(hit, &found, sizeof hit);
        if ((hit[0] | hit[1]) != 0) {
            return at + (size_t)(hit[0] != 0 ? __builtin_ctzll(hit[0]) / 8 : 8 + __builtin_ctzll(hit[1]) / 8);
        }
        at += 16;
    }
    while (at < len && data[at] != a && data[at] != b && data[at] != c && data[at] != d) {
        at++;
    }
    return at;
}
