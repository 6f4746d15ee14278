/* SPDX-License-Identifier: Apache-2.0
 * record.h - a row as one value, of expressions only: ROW(1, 'a'), a table's row, (x).n.
 *
 * Layout: u16 fields | per field: Type (8 bytes) | u32 length, 0xffffffff = NULL | bytes (value_bytes.h). */
#pragma once
#include "column/value_bytes.h"
#include "column/value_text.h"

enum { RECORD_FIELDS_MAX = 1664 };

typedef struct RecordReader {
    Reader reader;
    uint16_t left;
} RecordReader;

void record_begin(Buffer *out, uint16_t field_count);
void record_add(Buffer *out, Type type, const void *value);   /* NULL pointer: SQL NULL. BOOL: one byte */
bool record_open(Str bytes, RecordReader *reader_out);        /* false: damaged */
/* The next field; false at the end (or damage). */
bool record_next(RecordReader *reader, Type *type_out, bool *null_out, AnyValue *value_out);
void record_format(Str bytes, const TextStyle *style, Buffer *out); /* "(1,\"a b\",)" */
int record_compare(Str a, Str b);                             /* field by field, NULL largest */
uint64_t record_hash(Str bytes);
