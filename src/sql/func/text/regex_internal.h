/* SPDX-License-Identifier: Apache-2.0
 * regex_internal.h - shared by the functions of regular expressions: patterns that are compiled, one run over a batch. */
#pragma once
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "sql/func/text/text_internal.h"

typedef struct Regex {
    Str pattern;
    uint32_t options;
    pcre2_code *code;
    bool longest; /* alternatives: the longest match counts, as in PostgreSQL, not the first that fits */
} Regex;

typedef struct RegexRun {
    const KernelCall *call;
    Regex own;                     /* last pattern compiled for a row */
    const Regex *regex;
    pcre2_match_context *limits;
    pcre2_match_data *data;
} RegexRun;

void regex__begin(RegexRun *run, const KernelCall *call);
/* *groups_out: 0 = no match, else 1 + the highest group that was set. The ends are in run->data. */
NODISCARD ErrorCode regex__match(RegexRun *run, Str text, size_t from, uint32_t options, int *groups_out, Error *err);
/* Pattern and flags of a row: (text, pattern … flags at number, if there are so many arguments). */
NODISCARD ErrorCode regex__row(RegexRun *run, size_t row, uint16_t flags_argument, bool *global_out, Error *err);
NODISCARD ErrorCode regex__refuse_global(const char *function, bool global, Error *err); /* the flag g, where it has no meaning */
size_t regex__next(Str text, const size_t *ends); /* where the search goes on after a match */
/* An argument that counts characters from 1 on, as the byte where that one begins. */
NODISCARD ErrorCode regex__start(const KernelCall *call, size_t argument, size_t row, size_t *from_out, Error *err);
NODISCARD ErrorCode regex__count(const KernelCall *call, size_t argument, int32_t least, const char *name, size_t row, int64_t *count_out, Error *err);
