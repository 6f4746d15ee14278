/* SPDX-License-Identifier: Apache-2.0
 * time_pattern.c - compiles a pattern into steps and runs them over a text.
 *
 * Tests: test/unit/text/test_infer.c */
#include "text/time_pattern.h"

static const char *const MONTHS[12] = {"January", "February", "March",     "April",   "May",      "June",
                                       "July",    "August",   "September", "October", "November", "December"};
static const char *const DAYS[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

static bool is_letter(char c) {
    return strchr("yMdHhKkmsSUNEza", c) != NULL && c != '\0';
}

static ErrorCode add_step(TimePattern *pattern, TimeStep step, size_t at, Error *err) {
    if (pattern->step_count == TIME_PATTERN_STEPS_MAX) {
        return error_set(err, ERR_INVALID_PARAMETER, (int64_t)at, "the time pattern is too long");
    }
    pattern->steps[pattern->step_count++] = step;
    return ERR_OK;
}

ErrorCode time_pattern_compile(Str pattern, TimePattern *pattern_out, Error *err) {
    *pattern_out = (TimePattern){0};
    bool quoted = false;
    for (size_t at = 0; at < pattern.len;) {
        char c = pattern.data[at];
        if (c == '\'') {
            quoted = !quoted;
            at++;
        } else if (!quoted && is_letter(c)) {
            size_t end = at + 1;
            while (end < pattern.len && pattern.data[end] == c) {
                end++;
            }
            bool open = end < pattern.len && pattern.data[end] == '+' && strchr("SUN", c) != NULL && end == at + 1;
            size_t count = MIN_OF(end - at, (size_t)9);
            TRY(add_step(pattern_out, (TimeStep){.letter = c, .count = open ? 0 : (uint8_t)count}, at, err));
            at = open ? end + 1 : end;
        } else {
            TRY(add_step(pattern_out, (TimeStep){.literal = c}, at, err));
            at++;
        }
    }
    if (quoted || pattern_out->step_count == 0) {
        return error_set(err, ERR_INVALID_PARAMETER, 0, "the time pattern \"%.*s\" %s", STR_ARG(pattern),
                         quoted ? "has an open quote" : "is empty");
    }
    return ERR_OK;
}

/* The state of one parse. */
typedef struct PatternRun {
    Str text;
    size_t at;
    ParsedTime *parsed;
    int32_t half; /* 0 = none, 1 = AM, 2 = PM */
    bool twelve_hours;
} PatternRun;

static bool take_digits(PatternRun *run, size_t least, size_t most, int32_t *value_out, size_t *digits_out) {
    int32_t value = 0;
    size_t digits = 0;
    while (digits < most && run->at < run->text.len && run->text.data[run->at] >= '0' && run->text.data[run->at] <= '9') {
        value = value * 10 + (run->text.data[run->at] - '0');
        run->at++;
        digits++;
    }
    *value_out = value;
    if (digits_out != NULL) {
        *digits_out = digits;
    }
    return digits >= least;
}

/* A name in full or its first three letters; its index. */
static bool take_name(PatternRun *run, const char *const *names, size_t count, int32_t *index_out) {
    for (size_t i = 0; i < count; i++) {
        size_t lengths[2] = {strlen(names[i]), 3};
        for (size_t j = 0; j < 2; j++) {
            size_t len = lengths[j];
            if (run->at + len <= run->text.len &&
                str_equal_ignore_case(str_slice(run->text, run->at, run->at + len), str_from(names[i], len))) {
                run->at += len;
                *index_out = (int32_t)i;
                return true;
            }
        }
    }
    return false;
}

static bool take_half(PatternRun *run) {
    if (run->at + 2 > run->text.len) {
        return false;
    }
    Str word = str_slice(run->text, run->at, run->at + 2);
    run->at += 2;
    run->half = str_equal_ignore_case(word, STR("AM")) ? 1 : str_equal_ignore_case(word, STR("PM")) ? 2 : 0;
    return run->half != 0;
}

static bool take_zone(PatternRun *run) {
    size_t end = run->at;
    while (end < run->text.len && run->text.data[end] != ' ' && run->text.data[end] != ',') {
        end++;
    }
    Str word = str_slice(run->text, run->at, end);
    run->at = end;
    run->parsed->has_offset = true;
    return zone_parse_offset(word, &run->parsed->offset_seconds);
}

/* S, U and N: `unit` nanoseconds each; an open form (U+) reads digits as the start of the fraction. */
static bool take_fraction(PatternRun *run, const TimeStep *step, size_t open_digits, int32_t unit) {
    static const int32_t POWER[10] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    int32_t value = 0;
    size_t digits = 0;
    if (step->count == 0) {
        if (!take_digits(run, 1, open_digits, &value, &digits)) {
            return false;
        }
        run->parsed->civil.nanos = value * POWER[9 - digits];
        return true;
    }
    size_t most = step->count == 1 ? 3 : MIN_OF((size_t)step->count, (size_t)9);
    if (!take_digits(run, step->count == 1 ? 1 : most, most, &value, &digits)) {
        return false;
    }
    if (step->letter == 'S' && digits != 3) { /* .5 and .500000 are the same half second */
        run->parsed->civil.nanos += value * POWER[9 - digits];
    } else {
        run->parsed->civil.nanos += value * unit;
    }
    return true;
}

static bool take_year(PatternRun *run, const TimeStep *step) {
    int32_t *year = &run->parsed->civil.year;
    if (step->count == 2) {
        bool ok = take_digits(run, 2, 2, year, NULL);
        *year += 2000;
        return ok;
    }
    bool exact = step->count >= 3;
    return take_digits(run, exact ? step->count : 1, exact ? step->count : 5, year, NULL);
}

static bool take_month(PatternRun *run, const TimeStep *step) {
    int32_t index = 0;
    if (step->count < 3) {
        return take_digits(run, step->count == 2 ? 2 : 1, 2, &run->parsed->civil.month, NULL);
    }
    if (!take_name(run, MONTHS, COUNT_OF(MONTHS), &index)) {
        return false;
    }
    run->parsed->civil.month = index + 1;
    return true;
}

static bool take_step(PatternRun *run, const TimeStep *step) {
    CivilTime *civil = &run->parsed->civil;
    size_t least = step->count >= 2 ? 2 : 1;
    int32_t ignored = 0;
    switch (step->letter) {
    case 0:
        return run->at < run->text.len && run->text.data[run->at++] == step->literal;
    case 'y':
        return take_year(run, step);
    case 'M':
        return take_month(run, step);
    case 'd':
        return take_digits(run, least, 2, &civil->day, NULL);
    case 'h':
    case 'K':
        run->twelve_hours = true;
        return take_digits(run, least, 2, &civil->hour, NULL);
    case 'H':
    case 'k':
        return take_digits(run, least, 2, &civil->hour, NULL);
    case 'm':
        return take_digits(run, least, 2, &civil->minute, NULL);
    case 's':
        return take_digits(run, least, 2, &civil->second, NULL);
    case 'S':
        return take_fraction(run, step, 3, 1000000);
    case 'U':
        return take_fraction(run, step, 6, 1000);
    case 'N':
        return take_fraction(run, step, 9, 1);
    case 'E':
        return take_name(run, DAYS, COUNT_OF(DAYS), &ignored);
    case 'a':
        return take_half(run);
    default:
        assert(step->letter == 'z');
        return take_zone(run);
    }
}

static bool apply_half(PatternRun *run) {
    int32_t *hour = &run->parsed->civil.hour;
    if (run->half == 0) {
        return true;
    }
    if (run->twelve_hours && *hour > 12) {
        return false;
    }
    if (*hour == 12) {
        *hour = 0;
    }
    *hour += run->half == 2 ? 12 : 0;
    return true;
}

bool time_pattern_parse(const TimePattern *pattern, Str text, ParsedTime *parsed_out) {
    *parsed_out = (ParsedTime){.civil = {.year = 1970, .month = 1, .day = 1}, .has_time = true};
    PatternRun run = {.text = text, .parsed = parsed_out};
    for (size_t i = 0; i < pattern->step_count; i++) {
        if (!take_step(&run, &pattern->steps[i])) {
            return false;
        }
    }
    const CivilTime *c = &parsed_out->civil;
    if (run.at != text.len || !apply_half(&run) || c->month < 1 || c->month > 12) {
        return false;
    }
    bool day_fine = c->day >= 1 && c->day <= days_in_month(c->year, c->month);
    return day_fine && c->hour < 24 && c->minute < 60 && c->second < 60;
}
