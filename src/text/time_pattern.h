/* SPDX-License-Identifier: Apache-2.0
 * time_pattern.h - reads times by a pattern such as `dd/MM/yyyy HH:mm:ss.SSS z`, the letters that QuestDB's importer knows.
 *
 * y yy yyyy (y: any digits; yy: 2000 + two digits), M MM (number), MMM MMMM (English month), d dd, H HH (0-23), h hh K KK k kk
 * (with a), a (AM, PM), m mm, s ss, S (1-3 digits of a second), SSS, U UUU (microseconds behind SSS), U+ (1-6 digits), N NNN
 * (nanoseconds behind UUU), N+ (1-9 digits), E EE EEE EEEE (weekday, read over), z (Z, UTC, GMT, +05:45, -0800).
 * Other characters and text in '…' stand for themselves. A single letter takes one digit or two, a doubled one exactly two. */
#pragma once
#include "base/calendar.h"

enum { TIME_PATTERN_STEPS_MAX = 48 };

typedef struct TimeStep {
    char letter;  /* 0 = a character that must be there */
    uint8_t count;/* letters in a row; 0 = followed by '+' */
    char literal;
} TimeStep;
typedef struct TimePattern {
    TimeStep steps[TIME_PATTERN_STEPS_MAX];
    uint8_t step_count;
} TimePattern;

NODISCARD ErrorCode time_pattern_compile(Str pattern, TimePattern *pattern_out, Error *err); /* ERR_INVALID_PARAMETER */
/* Whole text. Missing parts are 1970, January, first, midnight. False: does not match or no such day. */
bool time_pattern_parse(const TimePattern *pattern, Str text, ParsedTime *parsed_out);
