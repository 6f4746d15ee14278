/* SPDX-License-Identifier: Apache-2.0
 * text/case.c - lower, upper, initcap by Unicode's simple case mappings, the same on every machine and in every locale. */
#include "sql/func/text/text_internal.h"

typedef struct CaseRange {
    uint32_t first, last;
    int32_t delta;
    uint32_t step; /* 2: every other code point */
} CaseRange;

#include "sql/func/text/case_ranges.inc"

static uint32_t map(const CaseRange *ranges, size_t count, uint32_t code_point) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const CaseRange *range = &ranges[middle];
        if (code_point < range->first) {
            high = middle;
        } else if (code_point > range->last) {
            low = middle + 1;
        } else {
            bool in = (code_point - range->first) % range->step == 0;
            return in ? (uint32_t)((int32_t)code_point + range->delta) : code_point;
        }
    }
    return code_point;
}

static uint32_t text__upper(uint32_t code_point) {
    if (code_point < 0x80) {
        return code_point >= 'a' && code_point <= 'z' ? code_point - 32 : code_point;
    }
    return map(TO_UPPER, COUNT_OF(TO_UPPER), code_point);
}

uint32_t text__lower(uint32_t code_point) {
    if (code_point < 0x80) {
        return code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point;
    }
    return map(TO_LOWER, COUNT_OF(TO_LOWER), code_point);
}

static bool text__is_alnum(uint32_t code_point) {
    if (code_point < 0x80) {
        uint32_t letter = code_point | 0x20;
        return (code_point >= '0' && code_point <= '9') || (letter >= 'a' && letter <= 'z');
    }
    if (code_point < 0xc0 || code_point == 0xd7 || code_point == 0xf7) {
        return code_point == 0xaa || code_point == 0xb5 || code_point == 0xba;
    }
    bool mark = (code_point >= 0x2000 && code_point <= 0x206f) || (code_point >= 0x2190 && code_point <= 0x2bff) ||
                (code_point >= 0x3000 && code_point <= 0x3004) || (code_point >= 0x3008 && code_point <= 0x3020) ||
                (code_point >= 0x1f000 && code_point <= 0x1faff);
    return !mark;
}

static void map_row(const KernelCall *call, Vector *out, size_t row, Str text, uint32_t (*mapping)(uint32_t)) {
    char *room = text__room(call, text.len * 2);
    size_t len = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t code_point;
        int used = utf8_decode(text, at, &code_point);
        if (used <= 0) { /* bytes that are no UTF-8 stay */
            room[len++] = text.data[at++];
            continue;
        }
        len += (size_t)utf8_encode(mapping(code_point), room + len);
        at += (size_t)used;
    }
    func__put_text(out, row, str_from(room, len));
}

static ErrorCode map_rows(const KernelCall *call, Vector *out, uint32_t (*mapping)(uint32_t)) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        map_row(call, out, row, func__text(a, row), mapping);
    }
    return ERR_OK;
}

ErrorCode func__lower(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return map_rows(call, out, text__lower);
}

ErrorCode func__upper(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return map_rows(call, out, text__upper);
}

ErrorCode func__initcap(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        char *room = text__room(call, text.len * 2);
        size_t len = 0;
        bool in_word = false;
        for (size_t at = 0; at < text.len;) {
            uint32_t code_point;
            int used = utf8_decode(text, at, &code_point);
            if (used <= 0) {
                room[len++] = text.data[at++];
                continue;
            }
            uint32_t mapped = in_word ? text__lower(code_point) : text__upper(code_point);
            in_word = text__is_alnum(code_point);
            len += (size_t)utf8_encode(mapped, room + len);
            at += (size_t)used;
        }
        func__put_text(out, row, str_from(room, len));
    }
    return ERR_OK;
}
