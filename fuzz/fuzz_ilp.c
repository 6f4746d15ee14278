/* SPDX-License-Identifier: Apache-2.0
 * fuzz_ilp.c - any bytes as line protocol, whole and in pieces.
 *
 * Input:      byte 0: precision; byte 1: size of the pieces. Then the lines.
 * Check:      both ways store the same rows, or fail in the same line with the same words. */
#include "fuzz.h"
#include "../test/unit/proto/ilp/memory_sink.h"

static void run(Bytes lines, size_t piece, IlpPrecision precision, IlpParser *parser, MemorySink *sink, Error *err) {
    ilp_parser_begin(parser, &sink->base, precision, 77);
    ErrorCode code = ERR_OK;
    for (size_t at = 0; at < lines.len && code == ERR_OK; at += piece) {
        size_t len = MIN_OF(piece, lines.len - at);
        uint8_t *copy = mem_alloc(len + ILP_PADDING_BYTES);
        memcpy(copy, lines.data + at, len);
        memset(copy + len, 0, ILP_PADDING_BYTES);
        code = ilp_parser_feed(parser, bytes_from(copy, len), err);
        mem_free(copy);
    }
    if (code == ERR_OK) {
        code = ilp_parser_end(parser, err);
    }
    err->code = code;
}

static bool too_many(Bytes lines) {
    size_t newlines = 0, equals = 0;
    for (size_t i = 0; i < lines.len; i++) {
        newlines += lines.data[i] == '\n' || lines.data[i] == '\r';
        equals += lines.data[i] == '=';
    }
    return newlines >= SINK_TABLES_MAX - 1 || equals >= SINK_COLUMNS_MAX - 2; /* what the memory sink has room for */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3 || too_many(bytes_from(data + 2, size - 2))) {
        return 0;
    }
    IlpPrecision precision = (IlpPrecision)(data[0] % (ILP_HOURS + 1));
    Bytes lines = {data + 2, size - 2};
    MemorySink *sinks[2] = {sink_new(), sink_new()};
    IlpParser *parsers[2] = {ilp_parser_create(), ilp_parser_create()};
    Error errors[2] = {{0}, {0}};
    run(lines, lines.len, precision, parsers[0], sinks[0], &errors[0]);
    run(lines, (size_t)data[1] + 1, precision, parsers[1], sinks[1], &errors[1]);
    FUZZ_CHECK(errors[0].code == errors[1].code);
    if (errors[0].code == ERR_OK) {
        FUZZ_CHECK(str_equal(buffer_str(&sinks[0]->out), buffer_str(&sinks[1]->out)));
    } else {
        FUZZ_CHECK(ilp_parser_line(parsers[0]) == ilp_parser_line(parsers[1]));
        FUZZ_CHECK(strcmp(errors[0].message, errors[1].message) == 0);
    }
    for (int i = 0; i < 2; i++) {
        ilp_parser_destroy(parsers[i]);
        sink_free(sinks[i]);
    }
    return 0;
}
