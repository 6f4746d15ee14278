/* SPDX-License-Identifier: Apache-2.0
 * time/datetime_in.h - dates and timestamps as PostgreSQL reads them: any order of fields, names of months, zones, julian days.
 *
 * Layout: datetime_token.c cuts a text into fields and knows the words; datetime_in.c gives the fields their meaning by what came before
 *         them and by DateStyle; zone_abbreviation.c knows EST and its kin. Threads: pure. */
#pragma once
#include "sql/func/time/time_internal.h"

/* ---- zones ---- */

/* A fixed offset, or a zone whose offset depends on the day; abbreviation: which of its offsets. */
typedef struct ZoneMeaning {
    int32_t east;
    const Zone *zone;
    Str abbreviation;
} ZoneMeaning;
bool time__abbreviation(Str name, const FunctionEnvironment *environment, Arena *arena, ZoneMeaning *meaning_out); /* name: lower case */
int32_t time__meaning_east(const ZoneMeaning *meaning, int64_t local_seconds);

NODISCARD ErrorCode time__zone_named(const FunctionEnvironment *environment, Str name, Arena *arena, const Zone **zone_out, Error *err);

/* ---- tokens ---- */

enum { DATETIME_FIELDS_MAX = 25, DATETIME_BYTES_MAX = 150 };

typedef enum DateTimeTokenKind { TOKEN_NUMBER, TOKEN_WORD, TOKEN_DATE, TOKEN_TIME, TOKEN_OFFSET, TOKEN_SIGNED_WORD } DateTimeTokenKind;
typedef struct DateTimeToken {
    DateTimeTokenKind kind;
    Str text; /* lower case */
} DateTimeToken;
typedef struct DateTimeTokens {
    DateTimeToken tokens[DATETIME_FIELDS_MAX];
    size_t count, used;
    char room[DATETIME_BYTES_MAX];
} DateTimeTokens;
bool time__tokenize(Str text, DateTimeTokens *tokens_out); /* false: not a date */

typedef enum DateTimeWordKind {
    WORD_UNKNOWN, WORD_NOW, WORD_TODAY /* value: days from now */, WORD_ALLBALLS, WORD_EPOCH, WORD_INFINITY /* value: sign */, WORD_MONTH, WORD_WEEKDAY,
    WORD_MERIDIAN /* 12: pm */, WORD_ERA /* 1: BC */, WORD_DAYLIGHT, WORD_JULIAN, WORD_UNIT, WORD_TIME_FOLLOWS, WORD_IGNORED
} DateTimeWordKind;
typedef struct DateTimeWord { DateTimeWordKind kind; int value; } DateTimeWord;
DateTimeWord time__word(Str word);
/* The row of a table that is sorted by its words; each row begins with a const char *. NULL: none. */
const void *time__find_word(Str word, const void *rows, size_t count, size_t row_bytes);

/* ---- the whole ---- */

typedef enum DateTimeFault {
    FAULT_NONE, FAULT_FORM, FAULT_FIELD, FAULT_MONTH_OR_DAY /* another DateStyle might help */, FAULT_OFFSET, FAULT_ZONE_NAME
} DateTimeFault;
typedef struct DateTimeIn {
    CivilTime civil;
    int8_t infinite;
    bool epoch, has_zone;
    int32_t east;   /* of has_zone */
    Str zone_name;  /* of FAULT_ZONE_NAME */
} DateTimeIn;
DateTimeFault time__datetime_in(Str text, const FunctionEnvironment *environment, Arena *arena, DateTimeIn *in_out);
