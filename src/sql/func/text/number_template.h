/* SPDX-License-Identifier: Apache-2.0
 * text/number_template.h - PostgreSQL's templates of numbers ("FM9,990.00MI"), cut into nodes and summed up. Threads: pure. */
#pragma once
#include "sql/func/text/text_internal.h"

enum { NUMBER_NODES_MAX = 1000, ROMAN_LEN_MAX = 15, ROMAN_VALUE_MAX = 3999 };

typedef enum NumberPattern {
    NUMBER_TEXT, /* no pattern: a character */
    NUMBER_9, NUMBER_0, NUMBER_POINT, NUMBER_LOCAL_POINT, NUMBER_COMMA, NUMBER_GROUP, NUMBER_CURRENCY, NUMBER_ROMAN, NUMBER_ORDINAL, NUMBER_MINUS, NUMBER_PLUS,
    NUMBER_SIGN_HERE, NUMBER_SIGN, NUMBER_BRACKETS, NUMBER_FILL, NUMBER_SHIFT, NUMBER_SCIENTIFIC, NUMBER_BLANK, NUMBER_IGNORED
} NumberPattern;

typedef enum SignPlace { SIGN_NOWHERE, SIGN_BEFORE, SIGN_BEHIND } SignPlace; /* of S */

typedef struct NumberNode {
    uint8_t pattern;
    bool upper;
    uint8_t len;
    char text[4]; /* of NUMBER_TEXT: one character */
} NumberNode;

typedef struct NumberTemplate {
    int before, after, shift;    /* digits left and right of the point; digits behind V */
    int zero_start, zero_end;    /* first 0 of the left side counted from 1, 0 = none; last 0 of all */
    int before_at_sign;          /* digits that stood before S */
    bool point, local_point, fill_mode, sign, brackets, minus, plus, shifted, blank, roman, scientific, zero;
    SignPlace sign_place;
    uint32_t count;
    NumberNode nodes[NUMBER_NODES_MAX];
} NumberTemplate;

NODISCARD ErrorCode text__number_template(Str format, NumberTemplate *template_out, Error *err);
size_t text__roman(int64_t value, char out[ROMAN_LEN_MAX + 1]); /* fifteen # for what has no numeral */
