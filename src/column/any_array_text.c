/* SPDX-License-Identifier: Apache-2.0
 * any_array_text.c - arrays of any element type <-> PostgreSQL's text: "{1,NULL,\"a b\"}", "[0:1]={7,8}", "{{1,2},{3,4}}".
 *
 * Invariants: all lists at one depth have the same length; depth at most ANY_ARRAY_DIMS_MAX. The parser keeps its own stack. */
#include "column/any_array.h"

enum { ARRAY_TEXT_BYTES_MAX = 1 << 30 };

typedef struct ArrayReader {
    Str text;
    size_t at;
    AnyArrayBuilder builder;
    AnyArrayRead read;
    void *context;
    Buffer word;
    int depth, leaf_depth;                 /* leaf_depth: depth of the values, 0 until the first one is met */
    uint32_t counts[ANY_ARRAY_DIMS_MAX];   /* of the open list at each depth */
    uint32_t lengths[ANY_ARRAY_DIMS_MAX];  /* of the first closed list at each depth */
    bool closed[ANY_ARRAY_DIMS_MAX];
    bool has_bounds;
    uint8_t bound_dims;
    int32_t lowers[ANY_ARRAY_DIMS_MAX];
    int64_t bound_lengths[ANY_ARRAY_DIMS_MAX];
} ArrayReader;

static ErrorCode malformed(const ArrayReader *r, const char *detail, Error *err) {
    error_ignore(error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "malformed array literal: \"%.*s\"", (int)MIN_OF(r->text.len, 200), r->text.data));
    if (detail[0] != '\0') {
        error_ignore(error_add(err, 'D', "%s", detail));
    }
    return ERR_INVALID_TEXT;
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char peek(const ArrayReader *r) {
    return r->at < r->text.len ? r->text.data[r->at] : '\0';
}

static void skip_blanks(ArrayReader *r) {
    while (r->at < r->text.len && is_blank(r->text.data[r->at])) {
        r->at++;
    }
}

/* ---- [lower:upper]... = ---- */

static bool read_bound(ArrayReader *r, int64_t *bound_out) {
    size_t from = r->at;
    int64_t sign = peek(r) == '-' ? -1 : 1, bound = 0;
    r->at += peek(r) == '-' || peek(r) == '+';
    size_t digits = r->at;
    while (peek(r) >= '0' && peek(r) <= '9' && r->at - digits < 12) {
        bound = bound * 10 + (r->text.data[r->at++] - '0');
    }
    *bound_out = sign * bound;
    return r->at > digits && r->at - from < 14;
}

static ErrorCode read_bounds(ArrayReader *r, Error *err) {
    while (skip_blanks(r), peek(r) == '[') {
        int64_t lower = 1, upper = 0;
        r->at++;
        if (r->bound_dims == ANY_ARRAY_DIMS_MAX) {
            return error_set(err, ERR_PROGRAM_LIMIT, 0, "number of array dimensions exceeds the maximum allowed (%d)", ANY_ARRAY_DIMS_MAX);
        }
        if (!read_bound(r, &upper)) {
            return malformed(r, "\"[\" must introduce explicitly-specified array dimensions.", err);
        }
        if (peek(r) == ':') {
            lower = upper;
            r->at++;
            if (!read_bound(r, &upper)) {
                return malformed(r, "Missing array dimension value.", err);
            }
        }
        if (peek(r) != ']') {
            return malformed(r, "Missing \"]\" after array dimensions.", err);
        }
        r->at++;
        if (lower < INT32_MIN || lower > INT32_MAX || upper < INT32_MIN || upper >= INT32_MAX) {
            return error_set(err, ERR_OUT_OF_RANGE, 0, "array bound is out of integer range");
        }
        if (upper < lower) {
            return error_set(err, ERR_ARRAY_SUBSCRIPT, 0, "upper bound cannot be less than lower bound");
        }
        r->lowers[r->bound_dims] = (int32_t)lower;
        r->bound_lengths[r->bound_dims++] = upper - lower + 1;
    }
    if (r->bound_dims == 0) {
        return ERR_OK;
    }
    r->has_bounds = true;
    if (peek(r) != '=') {
        return malformed(r, "Missing \"=\" after array dimensions.", err);
    }
    r->at++;
    skip_blanks(r);
    return ERR_OK;
}

/* ---- elements ---- */

static ErrorCode read_quoted(ArrayReader *r, Error *err) {
    r->at++;
    while (r->at < r->text.len && r->text.data[r->at] != '"') {
        if (r->text.data[r->at] == '\\') {
            r->at++;
        }
        if (r->at < r->text.len) {
            buffer_append_char(&r->word, r->text.data[r->at++]);
        }
    }
    if (r->at >= r->text.len) {
        return malformed(r, "Unexpected end of input.", err);
    }
    r->at++;
    return ERR_OK;
}

/* Blanks at the end do not count unless they were escaped. */
static ErrorCode read_bare(ArrayReader *r, bool *escaped_out, Error *err) {
    size_t solid = 0;
    *escaped_out = false;
    while (r->at < r->text.len && peek(r) != ',' && peek(r) != '}' && peek(r) != '{') {
        char c = r->text.data[r->at++];
        if (c == '"') {
            return malformed(r, "Incorrectly quoted array element.", err);
        }
        bool escape = c == '\\';
        if (escape) {
            if (r->at >= r->text.len) {
                return malformed(r, "Unexpected end of input.", err);
            }
            c = r->text.data[r->at++];
            *escaped_out = true;
        }
        buffer_append_char(&r->word, c);
        if (escape || !is_blank(c)) {
            solid = r->word.len;
        }
    }
    if (peek(r) == '{') {
        return malformed(r, "Unexpected \"{\" character.", err);
    }
    r->word.len = MIN_OF(solid, r->word.len);
    return r->at < r->text.len ? ERR_OK : malformed(r, "Unexpected end of input.", err);
}

static ErrorCode read_element(ArrayReader *r, Error *err) {
    bool quoted = peek(r) == '"', escaped = false;
    buffer_clear(&r->word);
    TRY(quoted ? read_quoted(r, err) : read_bare(r, &escaped, err));
    if (r->leaf_depth == 0) {
        r->leaf_depth = r->depth;
    }
    if (r->leaf_depth != r->depth) {
        return malformed(r, "Multidimensional arrays must have sub-arrays with matching dimensions.", err);
    }
    skip_blanks(r);
    if (peek(r) != ',' && peek(r) != '}') {
        return malformed(r, quoted ? "Incorrectly quoted array element." : "Unexpected array element.", err);
    }
    TRY(buffer_check(&r->word, err));
    r->counts[r->depth - 1]++;
    Str word = buffer_str(&r->word);
    if (!quoted && !escaped && str_equal_ignore_case(word, STR("null"))) {
        any_array_add(&r->builder, NULL);
        return ERR_OK;
    }
    return r->read(r->context, word.len == 0 ? STR("") : word, &r->builder, err);
}

/* ---- lists ---- */

static ErrorCode open_list(ArrayReader *r, Error *err) {
    if (r->depth == ANY_ARRAY_DIMS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, 0, "number of array dimensions exceeds the maximum allowed (%d)", ANY_ARRAY_DIMS_MAX);
    }
    if (r->leaf_depth != 0 && r->depth >= r->leaf_depth) {
        return malformed(r, "Multidimensional arrays must have sub-arrays with matching dimensions.", err);
    }
    r->counts[r->depth++] = 0;
    r->at++;
    return ERR_OK;
}

static ErrorCode close_list(ArrayReader *r, Error *err) {
    int level = r->depth - 1;
    uint32_t count = r->counts[level];
    if (r->closed[level] && r->lengths[level] != count) {
        return malformed(r, "Multidimensional arrays must have sub-arrays with matching dimensions.", err);
    }
    r->closed[level] = true;
    r->lengths[level] = count;
    r->depth--;
    r->at++;
    if (r->depth > 0) {
        r->counts[r->depth - 1]++;
    }
    return ERR_OK;
}

static ErrorCode read_lists(ArrayReader *r, Error *err) {
    bool value_next = true; /* a value or an opening mark is due, not a comma */
    bool after_comma = false;
    do {
        skip_blanks(r);
        char c = peek(r);
        if (r->at >= r->text.len) {
            return malformed(r, "Unexpected end of input.", err);
        }
        if (value_next && c == '{') {
            TRY(open_list(r, err));
            after_comma = false;
        } else if (c == '}' && !after_comma) {
            TRY(close_list(r, err));
            value_next = false;
        } else if (!value_next && c == ',') {
            r->at++;
            value_next = after_comma = true;
        } else if (value_next && c != ',' && c != '}') {
            TRY(read_element(r, err));
            value_next = after_comma = false;
        } else {
            char detail[40] = "Unexpected \"x\" character.";
            detail[12] = c;
            return malformed(r, detail, err);
        }
    } while (r->depth > 0);
    return ERR_OK;
}

static ErrorCode check_bounds(ArrayReader *r, Error *err) {
    if (!r->has_bounds) {
        return ERR_OK;
    }
    bool same = r->builder.count > 0 && r->leaf_depth == r->bound_dims;
    for (int d = 0; same && d < r->leaf_depth; d++) {
        same = r->bound_lengths[d] == r->lengths[d];
    }
    return same ? ERR_OK : malformed(r, "Specified array dimensions do not match array contents.", err);
}

static ErrorCode read_all(ArrayReader *r, Error *err) {
    skip_blanks(r);
    TRY(read_bounds(r, err));
    if (peek(r) != '{') {
        return malformed(r, r->has_bounds ? "Array contents must start with \"{\"." : "Array value must start with \"{\" or dimension information.", err);
    }
    TRY(read_lists(r, err));
    skip_blanks(r);
    if (r->at < r->text.len) {
        return malformed(r, "Junk after closing right brace.", err);
    }
    uint64_t product = r->leaf_depth == 0 ? 0 : 1;
    for (int d = 0; d < r->leaf_depth; d++) {
        product *= r->lengths[d];
    }
    if (product != r->builder.count) { /* empty lists beside full ones */
        return malformed(r, "Multidimensional arrays must have sub-arrays with matching dimensions.", err);
    }
    return check_bounds(r, err);
}

ErrorCode any_array_parse(Str text, TypeId element, AnyArrayRead read, void *context, Buffer *out, Error *err) {
    ArrayReader r = {.text = text, .read = read, .context = context};
    any_array_begin(&r.builder, element, ARRAY_TEXT_BYTES_MAX);
    buffer_init(&r.word, ARRAY_TEXT_BYTES_MAX);
    ErrorCode code = read_all(&r, err);
    if (code == ERR_OK) {
        code = any_array_end(&r.builder, (uint8_t)r.leaf_depth, r.lengths, r.has_bounds ? r.lowers : NULL, out, err);
    }
    any_array_abandon(&r.builder);
    buffer_deinit(&r.word);
    return code;
}

/* ---- out ---- */

static bool needs_quotes(Str text) {
    if (text.len == 0 || str_equal_ignore_case(text, STR("null"))) {
        return true;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '{' || c == '}' || c == ',' || c == '"' || c == '\\' || is_blank(c)) {
            return true;
        }
    }
    return false;
}

static void append_quoted(Str text, Buffer *out) {
    buffer_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\') {
            buffer_append_char(out, '\\');
        }
        buffer_append_char(out, text.data[i]);
    }
    buffer_append_char(out, '"');
}

static void format_element(const AnyArray *array, uint32_t index, const TextStyle *style, Buffer *scratch, Buffer *out) {
    AnyValue value;
    if (any_array_is_null(array, index)) {
        buffer_append_str(out, STR("NULL"));
        return;
    }
    any_array_value(array, index, &value);
    buffer_clear(scratch);
    value_format(type_of((TypeId)array->element), value.bytes, style, scratch);
    Str text = buffer_str(scratch);
    if (needs_quotes(text)) {
        append_quoted(text, out);
    } else {
        buffer_append_str(out, text);
    }
}

static void format_bounds(const AnyArray *array, Buffer *out) {
    bool plain = true;
    for (uint8_t d = 0; d < array->dims; d++) {
        plain = plain && array->lowers[d] == 1;
    }
    for (uint8_t d = 0; d < array->dims && !plain; d++) {
        buffer_printf(out, "[%d:%d]", (int)array->lowers[d], (int)(array->lowers[d] + (int32_t)array->lengths[d] - 1));
    }
    if (!plain) {
        buffer_append_char(out, '=');
    }
}

void any_array_format(const AnyArray *array, const TextStyle *style, Buffer *out) {
    uint32_t inner[ANY_ARRAY_DIMS_MAX]; /* values in one list of each level */
    uint32_t values = 1;
    Buffer scratch;
    if (array->count == 0) {
        buffer_append_str(out, STR("{}"));
        return;
    }
    for (int d = array->dims - 1; d >= 0; d--) {
        values *= array->lengths[d];
        inner[d] = values;
    }
    TextStyle plain = *style;
    plain.questdb = false;
    buffer_init(&scratch, ARRAY_TEXT_BYTES_MAX);
    format_bounds(array, out);
    for (uint32_t i = 0; i < array->count; i++) {
        if (i > 0) {
            buffer_append_char(out, ',');
        }
        for (int d = 0; d < array->dims; d++) {
            if (i % inner[d] == 0) {
                buffer_append_char(out, '{');
            }
        }
        format_element(array, i, &plain, &scratch, out);
        for (int d = array->dims - 1; d >= 0; d--) {
            if ((i + 1) % inner[d] == 0) {
                buffer_append_char(out, '}');
            }
        }
    }
    buffer_deinit(&scratch);
}

void any_vector_format(const AnyArray *array, const TextStyle *style, Buffer *out) {
    for (uint32_t i = 0; i < array->count; i++) {
        AnyValue value;
        if (i > 0) {
            buffer_append_char(out, ' ');
        }
        if (!any_array_is_null(array, i)) {
            any_array_value(array, i, &value);
            value_format(type_of((TypeId)array->element), value.bytes, style, out);
        }
    }
}
