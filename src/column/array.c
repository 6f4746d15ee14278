/* SPDX-License-Identifier: Apache-2.0
 * array.c - double[] values: check and view the bytes, read and write their text.
 *
 * Text: nested lists in braces (PostgreSQL) or brackets (JSON, QuestDB), an optional ARRAY in front, NULL read as NaN.
 * Invariants: all lists at one depth have the same length; depth at most ARRAY_DIMS_MAX. The parser keeps its own stack. */
#include "column/array.h"
#include "base/number.h"

ErrorCode array_view(Str bytes, ArrayView *view_out, Error *err) {
    const uint8_t *data = (const uint8_t *)bytes.data;
    if (bytes.len < 1 || data[0] > ARRAY_DIMS_MAX || bytes.len < 1 + 4 * (size_t)data[0]) {
        return error_set(err, ERR_DAMAGED, 0, "array value of %zu bytes has no valid header", bytes.len);
    }
    ArrayView view = {.dims = data[0], .values = data + 1 + 4 * (size_t)data[0]};
    uint64_t count = view.dims == 0 ? 0 : 1;
    for (uint32_t d = 0; d < view.dims; d++) {
        view.lengths[d] = get_u32le(data + 1 + 4 * (size_t)d);
        count *= view.lengths[d];
        if (count > ARRAY_VALUES_MAX) {
            return error_set(err, ERR_DAMAGED, 1, "array has more than %d values", ARRAY_VALUES_MAX);
        }
    }
    view.count = (uint32_t)count;
    if (bytes.len != 1 + 4 * (size_t)view.dims + 8 * (size_t)count) {
        return error_set(err, ERR_DAMAGED, 1, "array of %u values has %zu bytes", view.count, bytes.len);
    }
    *view_out = view;
    return ERR_OK;
}

double array_value(const ArrayView *view, uint32_t index) {
    assert(index < view->count);
    double value;
    memcpy(&value, view->values + 8 * (size_t)index, 8);
    return value;
}

/* ---- text in ---- */

typedef struct ArrayParser {
    Str text;
    size_t at;
    Buffer *out;
    size_t start;                      /* of the value's bytes in out */
    int depth, leaf_depth;             /* leaf_depth: depth of the numbers, 0 until the first one is met */
    uint32_t counts[ARRAY_DIMS_MAX];   /* elements of the open list at each depth */
    uint32_t lengths[ARRAY_DIMS_MAX];  /* of the first closed list at each depth */
    bool closed[ARRAY_DIMS_MAX];
    uint32_t total;
} ArrayParser;

static ErrorCode malformed(const ArrayParser *p, const char *what, Error *err) {
    return error_set(err, ERR_INVALID_TEXT, (int64_t)p->at, "malformed array literal: %s", what);
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(ArrayParser *p) {
    while (p->at < p->text.len && is_blank(p->text.data[p->at])) {
        p->at++;
    }
}

static bool ends_value(char c) {
    return c == ',' || c == ']' || c == '}' || is_blank(c);
}

static ErrorCode parse_number(ArrayParser *p, Error *err) {
    size_t from = p->at;
    while (p->at < p->text.len && !ends_value(p->text.data[p->at])) {
        p->at++;
    }
    Str word = str_slice(p->text, from, p->at);
    if (word.len >= 2 && word.data[0] == '"' && word.data[word.len - 1] == '"') {
        word = str_slice(word, 1, word.len - 1);
    }
    double value = __builtin_nan("");
    if (!str_equal_ignore_case(word, STR("null")) && !parse_double(word, &value)) {
        p->at = from;
        return malformed(p, "a number is expected", err);
    }
    if (p->leaf_depth == 0) {
        p->leaf_depth = p->depth;
    }
    if (p->leaf_depth != p->depth) {
        return malformed(p, "lists of one level differ in depth", err);
    }
    if (++p->total > ARRAY_VALUES_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, (int64_t)from, "array has more than %d values", ARRAY_VALUES_MAX);
    }
    buffer_append(p->out, &value, sizeof value);
    p->counts[p->depth - 1]++;
    return ERR_OK;
}

static ErrorCode open_list(ArrayParser *p, Error *err) {
    if (p->depth == ARRAY_DIMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, (int64_t)p->at, "array has more than %d dimensions", ARRAY_DIMS_MAX);
    }
    if (p->leaf_depth != 0 && p->depth >= p->leaf_depth) {
        return malformed(p, "lists of one level differ in depth", err);
    }
    p->counts[p->depth++] = 0;
    p->at++;
    return ERR_OK;
}

static ErrorCode close_list(ArrayParser *p, Error *err) {
    int level = p->depth - 1;
    uint32_t count = p->counts[level];
    if (p->closed[level] && p->lengths[level] != count) {
        return malformed(p, "lists of one level differ in length", err);
    }
    p->closed[level] = true;
    p->lengths[level] = count;
    p->depth--;
    p->at++;
    if (p->depth > 0) {
        p->counts[p->depth - 1]++;
    }
    return ERR_OK;
}

static ErrorCode parse_lists(ArrayParser *p, char open, char close, Error *err) {
    bool value_next = true; /* a value or an opening mark is due, not a comma */
    do {
        skip_blanks(p);
        char c = p->at < p->text.len ? p->text.data[p->at] : '\0';
        bool first = p->depth > 0 && p->counts[p->depth - 1] == 0;
        if (value_next && c == open) {
            TRY(open_list(p, err));
        } else if (c == close && p->depth > 0 && (!value_next || first)) {
            TRY(close_list(p, err));
            value_next = false;
        } else if (!value_next && c == ',') {
            p->at++;
            value_next = true;
            skip_blanks(p);
            if (p->at < p->text.len && p->text.data[p->at] == close) {
                return malformed(p, "a value is missing", err);
            }
        } else if (value_next && c != '\0') {
            TRY(parse_number(p, err));
            value_next = false;
        } else {
            return malformed(p, "unexpected end or mark", err);
        }
    } while (p->depth > 0);
    return ERR_OK;
}

/* Empty lists beside full ones would give lengths that do not fit the number of values. */
static ErrorCode check_lengths(const ArrayParser *p, Error *err) {
    uint64_t product = p->leaf_depth == 0 ? 0 : 1;
    for (int d = 0; d < p->leaf_depth; d++) {
        product *= p->lengths[d];
        if (product > p->total) {
            break;
        }
    }
    return product == p->total ? ERR_OK : malformed(p, "lists of one level differ in length", err);
}

/* The values were written behind room for the widest header; the true header takes its place. */
static void finish_header(ArrayParser *p) {
    int dims = p->total == 0 ? 0 : p->leaf_depth;
    size_t widest = 1 + 4 * (size_t)ARRAY_DIMS_MAX;
    size_t header = 1 + 4 * (size_t)dims;
    if (p->out->failed) {
        return;
    }
    uint8_t *bytes = p->out->data + p->start;
    bytes[0] = (uint8_t)dims;
    for (int d = 0; d < dims; d++) {
        put_u32le(bytes + 1 + 4 * (size_t)d, p->lengths[d]);
    }
    size_t value_bytes = 8 * (size_t)p->total;
    memmove(bytes + header, bytes + widest, value_bytes);
    p->out->len = p->start + header + value_bytes;
}

ErrorCode array_parse_text(Str text, Buffer *out, Error *err) {
    ArrayParser p = {.text = text, .out = out, .start = out->len};
    buffer_append_fill(out, 0, 1 + 4 * (size_t)ARRAY_DIMS_MAX);
    skip_blanks(&p);
    if (text.len - p.at > 5 && str_equal_ignore_case(str_slice(text, p.at, p.at + 5), STR("array"))) {
        p.at += 5;
        skip_blanks(&p);
    }
    char mark = p.at < text.len ? text.data[p.at] : '\0';
    if (mark != '{' && mark != '[') {
        return malformed(&p, "it starts with neither { nor [", err);
    }
    TRY(parse_lists(&p, mark, mark == '{' ? '}' : ']', err));
    skip_blanks(&p);
    if (p.at < text.len) {
        return malformed(&p, "text behind the closing mark", err);
    }
    TRY(check_lengths(&p, err));
    finish_header(&p);
    return buffer_check(out, err);
}

/* ---- text out ---- */

static void format_value(double value, bool json, Buffer *out) {
    if (json && !__builtin_isfinite(value)) {
        buffer_append_str(out, STR("null"));
        return;
    }
    uint8_t *room = buffer_reserve(out, DOUBLE_TEXT_MAX);
    if (room != NULL) {
        out->len += format_double((char *)room, value, json ? DOUBLE_JAVA : DOUBLE_POSTGRES);
    }
}

void array_format_text(const ArrayView *view, char open, char close, Buffer *out) {
    if (view->count == 0) {
        buffer_append_char(out, open);
        buffer_append_char(out, close);
        return;
    }
    uint32_t inner[ARRAY_DIMS_MAX]; /* values in one list of each level */
    uint32_t values = 1;
    for (int d = view->dims - 1; d >= 0; d--) {
        values *= view->lengths[d];
        inner[d] = values;
    }
    for (uint32_t i = 0; i < view->count; i++) {
        if (i > 0) {
            buffer_append_char(out, ',');
        }
        for (int d = 0; d < view->dims; d++) {
            if (i % inner[d] == 0) {
                buffer_append_char(out, open);
            }
        }
        format_value(array_value(view, i), open == '[', out);
        for (int d = view->dims - 1; d >= 0; d--) {
            if ((i + 1) % inner[d] == 0) {
                buffer_append_char(out, close);
            }
        }
    }
}
