/* SPDX-License-Identifier: Apache-2.0
 * infer.h - what type a column of text has, and whether the first row is a header.
 *
 * Empty fields are NULL and say nothing. A type is chosen only if every value of the sample has its form; else varchar.
 * Rules that keep data whole: integers with leading zeros (postal codes) and integers past 64 bits stay text; a day that could
 * be the month (03/04/2024 in all rows) stays text; `nan` alone makes no column a number. */
#pragma once
#include "column/types.h"
#include "text/time_pattern.h"

/* Time forms that are tried; INFER_ISO is what timestamp_parse of base reads. */
typedef enum InferTime {
    INFER_ISO,
    INFER_PATTERN_FIRST /* then one per row of the table in infer.c */
} InferTime;
enum { INFER_TIMES_MAX = 32 };

typedef struct ColumnGuess {
    uint32_t kinds;        /* bit set of forms that all values had so far */
    uint32_t times;        /* bit set of time forms */
    uint32_t values;       /* not empty */
    uint32_t longest;
    bool has_number;       /* one that is not nan or inf */
    bool fits_int4, has_time_of_day, has_offset, has_nanos;
} ColumnGuess;

typedef struct InferOptions {
    bool questdb;          /* days become timestamp_ms (QuestDB's DATE), else date */
    bool narrow_integers;  /* int4 where all values fit: only right when the sample is the whole file */
} InferOptions;

void guess_init(ColumnGuess *guess);
void guess_value(ColumnGuess *guess, Str text);
Type guess_type(const ColumnGuess *guess, const InferOptions *options);
/* Time columns: the pattern to read them by; empty = timestamp_parse reads them. */
Str guess_pattern(const ColumnGuess *guess);

typedef enum HeaderMode { HEADER_AUTO, HEADER_YES, HEADER_NO, HEADER_STRICT /* only if types tell (QuestDB's rule) */ } HeaderMode;
/* Whether `first` are names: guesses are those of the rows behind it (values = 0 if there are none). */
bool infer_header(const Str *first, const ColumnGuess *guesses, uint32_t count, HeaderMode mode);
