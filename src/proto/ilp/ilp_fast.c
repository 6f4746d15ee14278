/* SPDX-License-Identifier: Apache-2.0
 * ilp_fast.c - lines that look like a line before: compare the bytes between the values, read the values, store.
 *
 * Why:        a sender writes thousands of lines of one shape. The bytes between two values ("…,quantity=") name the column and
 *             the kind of the value, so one compare replaces look-ups of names; a line that differs anywhere takes the full way.
 * Invariants: a newline lies ahead of `at` in the same buffer (ilp_parser.c sees to that) and no prefix holds one, so every loop
 *             that stops at it stays inside; words are loaded up to 8 bytes further (ILP_PADDING_BYTES).
 * Tests:      test/unit/proto/ilp/test_ilp.c compares with the full way on the same lines. */
#include "proto/ilp/ilp_internal.h"
#include "proto/ilp/ilp_number.h"

enum { EXACT_DIGITS = 15, STAMP_DIGITS = 19, INTEGER_DIGITS = 18 };

static bool prefix_matches(const char *at, const char *prefix, size_t len) {
    for (; len >= 8; len -= 8, at += 8, prefix += 8) {
        if (ilp__load64(at) != ilp__load64(prefix)) {
            return false;
        }
    }
    return len == 0 || (ilp__load64(at) ^ ilp__load64(prefix)) << (64 - 8 * len) == 0;
}

static const char *read_tag(const char *at, IlpValue *value) {
    const char *end = at;
    while (ILP__CLASS[(uint8_t)*end] == BYTE_PLAIN) {
        end++;
    }
    value->text = (Str){at, (size_t)(end - at)};
    return end == at ? NULL : end;
}

static const char *read_integer(const char *at, char suffix, IlpValue *value) {
    const char *start = at;
    bool negative = *at == '-';
    at += negative;
    uint64_t magnitude = 0;
    unsigned digits = ilp__digits_read(&at, INTEGER_DIGITS, &magnitude);
    if (digits == 0 || *at != suffix) {
        return NULL;
    }
    value->as.i64 = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    value->text = (Str){start, (size_t)(at - start)};
    return at + 1;
}

/* At most 15 digits: both they and the power of ten are exact doubles, so one division rounds correctly. */
static const char *read_float(const char *at, IlpValue *value) {
    static const double POWERS[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *start = at;
    bool negative = *at == '-';
    at += negative;
    uint64_t magnitude = 0;
    unsigned whole = ilp__digits_read(&at, EXACT_DIGITS, &magnitude);
    unsigned fraction = 0;
    if (*at == '.') {
        at++;
        fraction = ilp__digits_read(&at, EXACT_DIGITS - whole, &magnitude);
    }
    if (whole == 0 || ilp__is_digit(*at)) {
        return NULL;
    }
    double number = fraction == 0 ? (double)magnitude : (double)magnitude / POWERS[fraction];
    value->as.f64 = negative ? -number : number;
    value->text = (Str){start, (size_t)(at - start)};
    return at;
}

static const char *read_string(const char *at, IlpValue *value) {
    if (*at != '"') {
        return NULL;
    }
    const char *start = ++at;
    uint8_t all = 0;
    while (*at != '"' && *at != '\\' && *at != '\n') {
        all |= (uint8_t)*at++;
    }
    value->text = (Str){start, (size_t)(at - start)};
    return *at == '"' && (all < 0x80 || utf8_valid(value->text)) ? at + 1 : NULL;
}

static const char *read_boolean(const char *at, IlpValue *value) {
    const char *start = at;
    while (ILP__CLASS[(uint8_t)*at] == BYTE_PLAIN) {
        at++;
    }
    IlpItem item;
    return ilp__value_read((Str){start, (size_t)(at - start)}, &item, value) && item.kind == ILP_BOOLEAN ? at : NULL;
}

static const char *read_value(const char *at, uint8_t kind, IlpValue *value) {
    switch (kind) {
    case ILP_TAG: return read_tag(at, value);
    case ILP_INTEGER: return read_integer(at, 'i', value);
    case ILP_FLOAT: return read_float(at, value);
    case ILP_STRING: return read_string(at, value);
    case ILP_BOOLEAN: return read_boolean(at, value);
    case ILP_TIMESTAMP: return read_integer(at, 't', value);
    case ILP_TIMESTAMP_NS: return read_integer(at, 'n', value);
    default: return NULL;
    }
}

/* What follows the last value: " 1727…\n" or "\n". NULL: something else. */
static const char *read_stamp(const char *at, IlpLine *line) {
    line->stamp_unit = STAMP_NONE;
    if (*at == ' ') {
        at++;
        uint64_t stamp = 0;
        unsigned digits = ilp__digits_read(&at, STAMP_DIGITS, &stamp);
        if (digits == 0 || stamp > INT64_MAX) {
            return NULL;
        }
        line->stamp = (int64_t)stamp;
        line->stamp_unit = *at == 't' ? STAMP_MICROS : *at == 'n' ? STAMP_NANOS : STAMP_PLAIN;
        at += line->stamp_unit != STAMP_PLAIN;
    }
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

/* Stages the line in parser->current; behind its newline, or NULL if it is not of this shape. */
static const char *read_line(IlpParser *parser, const IlpShape *shape, const char *at) {
    IlpValue *values = parser->current.values;
    for (uint32_t i = 0; i < shape->count; i++) {
        const ShapeItem *item = &shape->items[i];
        if (i > 0 && !prefix_matches(at, shape->prefixes + item->prefix_offset, item->prefix_len)) {
            return NULL;
        }
        at = read_value(at + item->prefix_len, item->kind, &values[i]);
        if (UNLIKELY(at == NULL)) {
            return NULL;
        }
    }
    return read_stamp(at, &parser->current);
}

static ErrorCode store_symbol(IlpTable *table, IlpTableColumn *column, Str text, Error *err) {
    bool bad_utf8 = false;
    int32_t code = ilp__symbol_code(column, text, &bad_utf8);
    if (UNLIKELY(code < 0)) {
        if (bad_utf8) {
            return error_set(err, ERR_INVALID_ENCODING, ERROR_NO_POSITION, "table: %.*s, column: %.*s; invalid UTF-8",
                             STR_ARG(table->name), STR_ARG(column->name));
        }
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "table: %.*s, column: %.*s; too many symbols",
                         STR_ARG(table->name), STR_ARG(column->name));
    }
    ilp__append_i32(&column->builder, code);
    return ERR_OK;
}

static ErrorCode store_items(IlpParser *parser, const IlpShape *shape, Error *err) {
    IlpTable *table = shape->table;
    const IlpValue *values = parser->current.values;
    for (uint32_t i = 0; i < shape->count; i++) {
        const ShapeItem *item = &shape->items[i];
        if (item->op == STORE_SKIP) {
            continue;
        }
        IlpTableColumn *column = &table->columns[item->column];
        ilp__backfill(table, column);
        switch ((StoreOp)item->op) {
        case STORE_CODE: TRY(store_symbol(table, column, values[i].text, err)); break;
        case STORE_I64: ilp__append_i64(&column->builder, values[i].as.i64); break;
        case STORE_F64: ilp__append_f64(&column->builder, values[i].as.f64); break;
        case STORE_TEXT:
            column_builder_text(&column->builder, values[i].text);
            parser->text_bytes += values[i].text.len;
            break;
        default: {
            IlpItem full = {.name = column->name, .kind = item->kind, .column = item->column};
            TRY(ilp__store_cast(table, column, &full, &values[i], err));
        }
        }
    }
    return ilp__store_stamp(parser, table, parser->current.stamp_unit, parser->current.stamp, err);
}

static ErrorCode store_values(IlpParser *parser, const IlpShape *shape, Error *err) {
    ErrorCode code = store_items(parser, shape, err);
    if (UNLIKELY(code != ERR_OK)) {
        ilp__row_undo(shape->table);
        return code;
    }
    return ilp__row_end(parser, shape->table, err);
}

bool ilp__fast_line(IlpParser *parser, const char *at, const char **next_out, ErrorCode *code_out, Error *err) {
    for (uint32_t k = 0; k < SHAPES_KEPT; k++) {
        uint32_t number = (parser->shape_last + k) % SHAPES_KEPT;
        IlpShape *shape = &parser->shapes[number];
        if (shape->table == NULL || shape->table->request != parser->request ||
            !prefix_matches(at, shape->prefixes, shape->items[0].prefix_len)) {
            continue;
        }
        const char *next = read_line(parser, shape, at);
        if (next != NULL) {
            parser->shape_last = number;
            *next_out = next;
            *code_out = store_values(parser, shape, err);
            return true;
        }
    }
    return false;
}

/* ---- learning ---- */

static void shape_reserve(IlpShape *shape, uint32_t count) {
    if (shape->capacity < count) {
        mem_free(shape->items);
        shape->items = mem_calloc(count, sizeof(ShapeItem));
        shape->capacity = count;
    }
}

static bool can_recur(const IlpLine *line, const char *line_start, size_t *bytes_out) {
    if (line->has_binary || line->count == 0) {
        return false;
    }
    uint32_t from = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < line->count; i++) {
        const IlpItem *item = &line->items[i];
        uint32_t len = item->raw_offset - from;
        if (len > UINT16_MAX || memchr(line_start + from, '\n', len) != NULL) {
            return false;
        }
        bytes += (len + 15) / 8 * 8;
        from = item->raw_offset + item->raw_len;
    }
    *bytes_out = bytes;
    return bytes <= SHAPE_BYTES_MAX;
}

void ilp__shape_learn(IlpParser *parser, IlpTable *table, const char *line_start) {
    const IlpLine *line = &parser->current;
    size_t bytes = 0;
    if (!can_recur(line, line_start, &bytes)) {
        return;
    }
    uint32_t number = parser->shape_next++ % SHAPES_KEPT;
    IlpShape *shape = &parser->shapes[number];
    shape_reserve(shape, line->count);
    if (shape->prefix_capacity < bytes) {
        mem_free(shape->prefixes);
        shape->prefixes = mem_calloc(1, bytes);
        shape->prefix_capacity = bytes;
    }
    uint32_t from = 0, offset = 0;
    for (uint32_t i = 0; i < line->count; i++) {
        const IlpItem *item = &line->items[i];
        uint32_t len = item->raw_offset - from;
        memcpy(shape->prefixes + offset, line_start + from, len);
        shape->items[i] = (ShapeItem){offset, (uint16_t)len, item->column, item->kind, item->op};
        offset += (len + 15) / 8 * 8;
        from = item->raw_offset + item->raw_len;
    }
    shape->count = line->count;
    shape->prefix_bytes = bytes;
    shape->table = table;
    parser->shape_last = number;
}

void ilp__shapes_forget(IlpParser *parser, const IlpTable *table) {
    for (uint32_t i = 0; i < SHAPES_KEPT; i++) {
        if (table == NULL || parser->shapes[i].table == table) {
            parser->shapes[i].table = NULL;
        }
    }
}
