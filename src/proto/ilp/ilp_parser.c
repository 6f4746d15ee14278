/* SPDX-License-Identifier: Apache-2.0
 * ilp_parser.c - chunks to lines: whole lines are read where they lie, the cut one at the end of a chunk is carried over.
 *
 * Why:        binary values may hold newlines, so only the reader knows where a line ends. A carried line is tried again when the
 *             next newline came; if that was not its end, with at least twice the bytes: the work stays linear.
 * Tests:      test/unit/proto/ilp/test_ilp.c (every cut of the same input gives the same columns), fuzz/fuzz_ilp.c */
#include "proto/ilp/ilp_internal.h"

IlpParser *ilp_parser_create(void) {
    IlpParser *parser = mem_calloc(1, sizeof(IlpParser));
    arena_init(&parser->scratch, SIZE_MAX);
    buffer_init(&parser->carry, (size_t)ILP_LINE_BYTES_MAX * 2 + ILP_PADDING_BYTES);
    strmap_init(&parser->table_by_name);
    parser->current.capacity = 64;
    parser->current.items = mem_calloc(parser->current.capacity, sizeof(IlpItem));
    parser->current.values = mem_calloc(parser->current.capacity, sizeof(IlpValue));
    return parser;
}

void ilp_parser_forget(IlpParser *parser) {
    ilp__shapes_forget(parser, NULL);
    for (uint32_t i = 0; i < parser->table_count; i++) {
        mem_free((char *)parser->tables[i]->name.data);
        ilp__table_destroy(parser->tables[i]);
    }
    mem_free(parser->tables);
    strmap_deinit(&parser->table_by_name);
    strmap_init(&parser->table_by_name);
    arena_deinit(&parser->scratch);
    buffer_deinit(&parser->carry);
    parser->tables = NULL;
    parser->table_count = parser->table_capacity = 0;
    parser->table_last = NULL;
}

void ilp_parser_destroy(IlpParser *parser) {
    if (parser == NULL) {
        return;
    }
    ilp_parser_forget(parser);
    strmap_deinit(&parser->table_by_name);
    for (uint32_t i = 0; i < SHAPES_KEPT; i++) {
        mem_free(parser->shapes[i].items);
        mem_free(parser->shapes[i].prefixes);
    }
    mem_free(parser->current.items);
    mem_free(parser->current.values);
    mem_free(parser);
}

void ilp_parser_begin(IlpParser *parser, IlpSink *sink, IlpPrecision precision, int64_t now_micros) {
    assert(sink != NULL);
    ilp__tables_trim(parser);
    for (uint32_t i = 0; i < parser->table_count; i++) {
        if (parser->tables[i]->row_count > 0) {
            ilp__table_clear(parser->tables[i]);
        }
    }
    parser->sink = sink;
    parser->precision = (uint8_t)precision;
    parser->now_micros = now_micros;
    parser->failed = parser->sink_failed = false;
    parser->active = true;
    parser->line = 1;
    parser->rows = 0;
    parser->text_bytes = 0;
    parser->request++;
    buffer_clear(&parser->carry);
}

static ErrorCode fail(IlpParser *parser, ErrorCode code) {
    parser->failed = true;
    return code;
}

static uint64_t newlines_in(const char *from, const char *to) {
    uint64_t count = 0;
    while (from < to && (from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
        count++;
        from++;
    }
    return count;
}

/* One line at *at; moves *at behind it. *done_out = false: the end of the line is not there yet. */
static ErrorCode take_line(IlpParser *parser, const char **at, const char *end, const char *last_newline, bool *done_out, Error *err) {
    const char *next = NULL;
    ErrorCode code = ERR_OK;
    *done_out = true;
    if (*at < last_newline && ilp__fast_line(parser, *at, &next, &code, err)) {
        if (UNLIKELY(code != ERR_OK)) {
            return fail(parser, code);
        }
        *at = next;
        parser->line++;
        return ERR_OK;
    }
    Error local;
    Error *why = err == NULL ? &local : err;
    switch (ilp__line_read(parser, *at, end, &next, why)) {
    case LINE_INCOMPLETE: *done_out = false; return ERR_OK;
    case LINE_ERROR: return fail(parser, why->code);
    case LINE_EMPTY: parser->line += newlines_in(*at, next); break;
    case LINE_DONE:
        while (**at == ' ') {
            (*at)++;
        }
        code = ilp__line_store(parser, *at, err);
        if (code != ERR_OK) {
            return fail(parser, code);
        }
        parser->line++; /* newlines inside of strings and binary values do not count */
        break;
    }
    *at = next;
    return ERR_OK;
}

/* Whole lines of [from, end); *used_out bytes were taken. */
static ErrorCode take_lines(IlpParser *parser, const char *from, const char *end, size_t *used_out, Error *err) {
    const char *last_newline = from == end ? NULL : memrchr(from, '\n', (size_t)(end - from));
    const char *at = from;
    bool done = true;
    while (at < end && done) {
        TRY(take_line(parser, &at, end, last_newline, &done, err));
    }
    *used_out = (size_t)(at - from);
    return ERR_OK;
}

static ErrorCode carry_add(IlpParser *parser, const char *data, size_t len, Error *err) {
    if (parser->carry.len + len > ILP_LINE_BYTES_MAX || buffer_reserve(&parser->carry, len + ILP_PADDING_BYTES) == NULL) {
        return fail(parser, error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "line is longer than %d bytes", ILP_LINE_BYTES_MAX));
    }
    buffer_append(&parser->carry, data, len);
    memset(parser->carry.data + parser->carry.len, 0, ILP_PADDING_BYTES);
    return ERR_OK;
}

static ErrorCode carry_take(IlpParser *parser, Error *err) {
    size_t used = 0;
    const char *data = (const char *)parser->carry.data;
    TRY(take_lines(parser, data, data + parser->carry.len, &used, err));
    memmove(parser->carry.data, data + used, parser->carry.len - used);
    parser->carry.len -= used;
    return ERR_OK;
}

/* Completes the carried line; *at moves over what was taken from the chunk. */
static ErrorCode carry_complete(IlpParser *parser, const char **at, const char *end, Error *err) {
    size_t least = 0;
    while (parser->carry.len > 0 && *at < end) {
        size_t room = (size_t)(end - *at);
        size_t len = MIN_OF(room, least);
        const char *newline = len == room ? NULL : memchr(*at + len, '\n', room - len);
        len = newline == NULL ? room : (size_t)(newline + 1 - *at);
        TRY(carry_add(parser, *at, len, err));
        *at += len;
        if (newline == NULL && memchr(*at - len, '\n', len) == NULL) {
            return ERR_OK; /* no end of a line in sight */
        }
        TRY(carry_take(parser, err));
        least = MAX_OF(least * 2, parser->carry.len);
    }
    return ERR_OK;
}

ErrorCode ilp_parser_feed(IlpParser *parser, Bytes chunk, Error *err) {
    assert(parser->active);
    assert(!parser->failed);
    if (chunk.len == 0) {
        return ERR_OK;
    }
    const char *at = (const char *)chunk.data;
    const char *end = at + chunk.len;
    TRY(carry_complete(parser, &at, end, err));
    size_t used = 0;
    TRY(take_lines(parser, at, end, &used, err));
    return used == (size_t)(end - at) ? ERR_OK : carry_add(parser, at + used, (size_t)(end - at) - used, err);
}

ErrorCode ilp_parser_flush(IlpParser *parser, Error *err) {
    for (uint32_t i = 0; i < parser->table_count; i++) {
        if (parser->tables[i]->row_count > 0) {
            TRY(ilp__table_flush(parser, parser->tables[i], err));
        }
    }
    parser->text_bytes = 0;
    return ERR_OK;
}

void ilp_parser_renew(IlpParser *parser, int64_t now_micros) {
    parser->request++;
    parser->now_micros = now_micros;
}

ErrorCode ilp_parser_end(IlpParser *parser, Error *err) {
    assert(parser->active);
    assert(!parser->failed);
    if (parser->carry.len > 0) {
        TRY(carry_add(parser, "\n", 1, err));
        TRY(carry_take(parser, err));
        if (parser->carry.len > 0) {
            return fail(parser, error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "Could not parse entire line, it is not complete"));
        }
    }
    parser->active = false;
    return ilp_parser_flush(parser, err);
}

uint64_t ilp_parser_line(const IlpParser *parser) {
    return parser->line;
}

bool ilp_parser_fault_is_line(const IlpParser *parser) {
    return parser->failed && !parser->sink_failed;
}

uint64_t ilp_parser_rows(const IlpParser *parser) {
    return parser->rows;
}

size_t ilp_parser_memory(const IlpParser *parser) {
    size_t bytes = parser->carry.capacity;
    for (uint32_t i = 0; i < parser->table_count; i++) {
        const IlpTable *table = parser->tables[i];
        for (uint16_t c = 0; c < table->column_count; c++) {
            const IlpTableColumn *column = &table->columns[c];
            size_t width = MAX_OF(physical_bytes(type_physical((TypeId)column->type.id)), (size_t)1);
            bytes += column->builder.capacity * width + column->cache.capacity * sizeof(SymbolEntry) + column->builder.heap.used_bytes;
        }
    }
    return bytes;
}
