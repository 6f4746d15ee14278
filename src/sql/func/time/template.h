/* SPDX-License-Identifier: Apache-2.0
 * time/template.h - PostgreSQL's templates of times ("FMMonth DDth, YYYY"), cut into nodes. Threads: pure. */
#pragma once
#include "sql/func/time/time_internal.h"

typedef enum TemplatePattern {
    P_MERIDIEM, P_MERIDIEM_DOTS, P_ERA, P_ERA_DOTS, P_CC, P_DAY, P_DY, P_DDD, P_DD, P_D, P_FF, P_FX, P_HH24, P_HH12, P_IDDD, P_ID, P_IW, P_J, P_MI, P_MM,
    P_MONTH, P_MON, P_MS, P_OF, P_Q, P_RM, P_SSSS, P_SS, P_TZH, P_TZM, P_TZ, P_US, P_WW, P_W, P_YYYY_COMMA, P_YYYY, P_YYY, P_YY, P_Y, P_IYYY, P_IYY, P_IY, P_I
} TemplatePattern;

typedef enum TemplateCalendar { CALENDAR_ANY, CALENDAR_GREGORIAN, CALENDAR_ISO_WEEK } TemplateCalendar;
typedef enum TemplateNodeKind { NODE_END, NODE_PATTERN, NODE_CHAR, NODE_SEPARATOR, NODE_SPACE } TemplateNodeKind;

typedef struct TemplateNode {
    TemplateNodeKind kind;
    TemplatePattern pattern;
    TemplateCalendar calendar;
    bool is_number;         /* in texts that are read */
    bool fill_mode, locale; /* FM, TM in front */
    bool ordinal, upper;    /* th or TH behind */
    Str text;               /* the pattern as it stands there, or the character */
} TemplateNode;

typedef struct TemplateReader {
    Str format;
    size_t at;
    bool quoted;
} TemplateReader;

TemplateNode time__template_next(TemplateReader *reader);
bool time__template_separator(char c); /* what parts fields and matches any other of its kind */
extern const char *const time__roman_months[12];
