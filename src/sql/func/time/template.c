/* SPDX-License-Identifier: Apache-2.0
 * time/template.c - cuts a template into patterns, with what stands directly before and behind them, and characters.
 *
 * Patterns are written in capitals or in small letters, names also with one capital (Month); the first of the table that fits is taken.
 * Text in double quotes is characters; a backslash counts in there, and before a double quote. */
#include "sql/func/time/template.h"

const char *const time__roman_months[12] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

typedef struct PatternRow {
    const char *upper, *lower;
    TemplatePattern pattern;
    bool is_number;
    uint8_t calendar;
} PatternRow;

static const PatternRow PATTERNS[] = {
    {"A.D.", "a.d.", P_ERA_DOTS, false, CALENDAR_ANY}, {"A.M.", "a.m.", P_MERIDIEM_DOTS, false, CALENDAR_ANY}, {"AD", "ad", P_ERA, false, CALENDAR_ANY},
    {"AM", "am", P_MERIDIEM, false, CALENDAR_ANY}, {"B.C.", "b.c.", P_ERA_DOTS, false, CALENDAR_ANY}, {"BC", "bc", P_ERA, false, CALENDAR_ANY},
    {"CC", "cc", P_CC, true, CALENDAR_ANY}, {"DAY", "day", P_DAY, false, CALENDAR_ANY}, {"DDD", "ddd", P_DDD, true, CALENDAR_GREGORIAN},
    {"DD", "dd", P_DD, true, CALENDAR_GREGORIAN}, {"DY", "dy", P_DY, false, CALENDAR_ANY}, {"Day", "Day", P_DAY, false, CALENDAR_ANY},
    {"Dy", "Dy", P_DY, false, CALENDAR_ANY}, {"D", "d", P_D, true, CALENDAR_GREGORIAN}, {"FF1", "ff1", P_FF, true, CALENDAR_ANY},
    {"FF2", "ff2", P_FF, true, CALENDAR_ANY}, {"FF3", "ff3", P_FF, true, CALENDAR_ANY}, {"FF4", "ff4", P_FF, true, CALENDAR_ANY},
    {"FF5", "ff5", P_FF, true, CALENDAR_ANY}, {"FF6", "ff6", P_FF, true, CALENDAR_ANY}, {"FX", "fx", P_FX, false, CALENDAR_ANY},
    {"HH24", "hh24", P_HH24, true, CALENDAR_ANY}, {"HH12", "hh12", P_HH12, true, CALENDAR_ANY}, {"HH", "hh", P_HH12, true, CALENDAR_ANY},
    {"IDDD", "iddd", P_IDDD, true, CALENDAR_ISO_WEEK}, {"ID", "id", P_ID, true, CALENDAR_ISO_WEEK}, {"IW", "iw", P_IW, true, CALENDAR_ISO_WEEK},
    {"IYYY", "iyyy", P_IYYY, true, CALENDAR_ISO_WEEK}, {"IYY", "iyy", P_IYY, true, CALENDAR_ISO_WEEK}, {"IY", "iy", P_IY, true, CALENDAR_ISO_WEEK},
    {"I", "i", P_I, true, CALENDAR_ISO_WEEK}, {"J", "j", P_J, true, CALENDAR_ANY}, {"MI", "mi", P_MI, true, CALENDAR_ANY},
    {"MM", "mm", P_MM, true, CALENDAR_GREGORIAN}, {"MONTH", "month", P_MONTH, false, CALENDAR_GREGORIAN}, {"MON", "mon", P_MON, false, CALENDAR_GREGORIAN},
    {"MS", "ms", P_MS, true, CALENDAR_ANY}, {"Month", "Month", P_MONTH, false, CALENDAR_GREGORIAN}, {"Mon", "Mon", P_MON, false, CALENDAR_GREGORIAN},
    {"OF", "of", P_OF, false, CALENDAR_ANY}, {"P.M.", "p.m.", P_MERIDIEM_DOTS, false, CALENDAR_ANY}, {"PM", "pm", P_MERIDIEM, false, CALENDAR_ANY},
    {"Q", "q", P_Q, true, CALENDAR_ANY}, {"RM", "rm", P_RM, false, CALENDAR_GREGORIAN}, {"SSSSS", "sssss", P_SSSS, true, CALENDAR_ANY},
    {"SSSS", "ssss", P_SSSS, true, CALENDAR_ANY}, {"SS", "ss", P_SS, true, CALENDAR_ANY}, {"TZH", "tzh", P_TZH, false, CALENDAR_ANY},
    {"TZM", "tzm", P_TZM, true, CALENDAR_ANY}, {"TZ", "tz", P_TZ, false, CALENDAR_ANY}, {"US", "us", P_US, true, CALENDAR_ANY},
    {"WW", "ww", P_WW, true, CALENDAR_GREGORIAN}, {"W", "w", P_W, true, CALENDAR_GREGORIAN}, {"Y,YYY", "y,yyy", P_YYYY_COMMA, true, CALENDAR_GREGORIAN},
    {"YYYY", "yyyy", P_YYYY, true, CALENDAR_GREGORIAN}, {"YYY", "yyy", P_YYY, true, CALENDAR_GREGORIAN}, {"YY", "yy", P_YY, true, CALENDAR_GREGORIAN},
    {"Y", "y", P_Y, true, CALENDAR_GREGORIAN}};

static bool stands_at(Str format, size_t at, const char *text) {
    size_t len = strlen(text);
    return format.len - at >= len && memcmp(format.data + at, text, len) == 0;
}

static const PatternRow *pattern_at(Str format, size_t at) {
    for (size_t i = 0; i < COUNT_OF(PATTERNS); i++) {
        if (stands_at(format, at, PATTERNS[i].upper) || stands_at(format, at, PATTERNS[i].lower)) {
            return &PATTERNS[i];
        }
    }
    return NULL;
}

bool time__template_separator(char c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
    return c > ' ' && c < 0x7f && !letter && !digit;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static TemplateNode character(TemplateReader *r, TemplateNodeKind kind) {
    size_t from = r->at++;
    while (r->at < r->format.len && ((uint8_t)r->format.data[r->at] & 0xc0) == 0x80) { /* the rest of a character in UTF-8 */
        r->at++;
    }
    return (TemplateNode){.kind = kind, .text = str_slice(r->format, from, r->at)};
}

static TemplateNode pattern_node(TemplateReader *r, const PatternRow *row, bool fill_mode, bool locale) {
    Str f = r->format;
    TemplateNode node = {.kind = NODE_PATTERN, .pattern = row->pattern, .calendar = row->calendar, .is_number = row->is_number, .fill_mode = fill_mode, .locale = locale};
    size_t len = strlen(row->upper);
    node.text = str_slice(f, r->at, r->at + len);
    r->at += len;
    bool upper = stands_at(f, r->at, "TH");
    if (upper || stands_at(f, r->at, "th")) {
        node.ordinal = true;
        node.upper = upper;
        r->at += 2;
    } else if (stands_at(f, r->at, "SP")) { /* spelled out: read and not done */
        r->at += 2;
    }
    return node;
}

TemplateNode time__template_next(TemplateReader *r) {
    Str f = r->format;
    for (;;) {
        if (r->at < f.len && f.data[r->at] == '"') {
            r->quoted = !r->quoted;
            r->at++;
        } else if (r->quoted && r->at < f.len) {
            r->at += f.data[r->at] == '\\' && r->at + 1 < f.len;
            return character(r, NODE_CHAR);
        } else {
            break;
        }
    }
    bool fill_mode = stands_at(f, r->at, "FM") || stands_at(f, r->at, "fm");
    bool locale = stands_at(f, r->at, "TM") || stands_at(f, r->at, "tm");
    r->at += fill_mode || locale ? 2 : 0;
    const PatternRow *row = r->at < f.len ? pattern_at(f, r->at) : NULL;
    if (row != NULL) {
        return pattern_node(r, row, fill_mode, locale);
    }
    if (r->at >= f.len) {
        return (TemplateNode){.kind = NODE_END};
    }
    if (f.data[r->at] == '"') {
        return time__template_next(r);
    }
    r->at += f.data[r->at] == '\\' && r->at + 1 < f.len && f.data[r->at + 1] == '"';
    char c = f.data[r->at];
    return character(r, time__template_separator(c) ? NODE_SEPARATOR : is_blank(c) ? NODE_SPACE : NODE_CHAR);
}
