/* SPDX-License-Identifier: Apache-2.0
 * fuzz_copy.c - any bytes as the data of COPY FROM in each format; what was read is written and read again.
 *
 * Input:      byte 0: format and options; byte 1: size of the pieces; byte 2: which columns. Then the bytes.
 * Check:      the same rows, or the same error with the same context, whole and in pieces; rows that were written come back equal. */
#include "copy/copy.h"
#include "fuzz.h"

enum { OUT_BYTES_MAX = 256 << 20, COLUMNS_MAX_HERE = 3 };
static const FunctionEnvironment ENVIRONMENT = {0};
static const Str NAMES[COLUMNS_MAX_HERE] = {STR("a"), STR("b"), STR("c")};

typedef struct Setting {
    CopyOptions copy;
    CopyColumn columns[COLUMNS_MAX_HERE];
    uint16_t column_count;
} Setting;

static Setting choose(uint8_t options, uint8_t columns) {
    static const TypeId TYPES[] = {TYPE_TEXT, TYPE_INT4, TYPE_FLOAT8, TYPE_TIMESTAMP, TYPE_NUMERIC, TYPE_BOOL, TYPE_DATE, TYPE_BYTEA};
    Setting setting = {.copy = {.format = (CopyFormat)(options % 3)}, .column_count = (uint16_t)(1 + columns % COLUMNS_MAX_HERE)};
    for (uint16_t c = 0; c < setting.column_count; c++) {
        setting.columns[c] = (CopyColumn){.name = NAMES[c], .type = type_of(TYPES[(columns >> (2 + c)) % COUNT_OF(TYPES)])};
    }
    bool csv = setting.copy.format == COPY_CSV, text = setting.copy.format == COPY_TEXT;
    setting.copy.on_error_ignore = (options & 4) != 0 && setting.copy.format != COPY_BINARY;
    setting.copy.header = (options & 8) != 0 && (csv || text) ? COPY_HEADER_YES : COPY_HEADER_NONE;
    setting.copy.delimiter = (options & 16) != 0 && (csv || text) ? '|' : 0;
    setting.copy.escape = (options & 32) != 0 && csv ? '\\' : 0;
    setting.copy.force_null_all = (options & 64) != 0 && csv;
    setting.copy.force_not_null_all = (options & 128) != 0 && csv;
    return setting;
}

/* Rows of the builders into out, by the writer. */
static void write_rows(CopyReader *reader, const Setting *setting, CopyWriter *writer, Buffer *out) {
    Arena arena;
    arena_init(&arena, OUT_BYTES_MAX);
    uint32_t row_count = copy_reader_rows(reader);
    for (uint32_t first = 0; first < row_count; first += BATCH_ROWS) {
        uint16_t count = (uint16_t)MIN_OF((uint32_t)BATCH_ROWS, row_count - first);
        Vector vectors[COLUMNS_MAX_HERE];
        for (uint16_t c = 0; c < setting->column_count; c++) {
            ColumnBlock block = column_builder_block(copy_reader_builder(reader, c));
            size_t width = physical_bytes(type_physical((TypeId)block.type.id));
            const uint8_t *data = (const uint8_t *)block.data + (width == 0 ? first / 8 : first * width);
            vectors[c] = (Vector){.type = block.type, .form = VECTOR_FLAT, .row_count = count, .data = data,
                                  .valid = block.valid == NULL ? NULL : block.valid + first / 64};
        }
        Batch batch = {.row_count = count, .live_count = count, .column_count = setting->column_count, .columns = vectors};
        PgRowWindow window = {.rows_left = UINT64_MAX};
        FUZZ_CHECK(copy_write_rows(writer, &batch, NULL, &window, out, NULL) == ERR_OK);
    }
    arena_deinit(&arena);
}

/* The rows written again, or an error's text. true: no error. */
static bool read_all(const Setting *setting, Bytes input, size_t piece, Buffer *out) {
    CopyReader *reader = NULL;
    CopyWriter writer;
    Error err = {0};
    CopyReaderOptions options = {.copy = setting->copy, .table_name = STR("t"), .columns = setting->columns, .column_count = setting->column_count,
                                 .environment = &ENVIRONMENT};
    CopyOptions written = {.format = setting->copy.format};
    FUZZ_CHECK(copy_reader_open(&options, &reader, NULL) == ERR_OK);
    FUZZ_CHECK(copy_writer_init(&writer, &written, NAMES, setting->column_count, false, &(TextStyle){0}, NULL) == ERR_OK);
    copy_write_begin(&writer, NAMES, out);
    ErrorCode code = ERR_OK;
    for (size_t at = 0; at < input.len && code == ERR_OK;) {
        size_t used = 0;
        code = copy_reader_feed(reader, bytes_from(input.data + at, MIN_OF(piece, input.len - at)), &used, &err);
        FUZZ_CHECK(code != ERR_OK || used > 0 || copy_reader_rows(reader) > 0);
        at += used;
        if (code == ERR_OK) {
            write_rows(reader, setting, &writer, out);
            copy_reader_clear(reader);
        }
    }
    while (code == ERR_OK) {
        code = copy_reader_end(reader, &err);
        if (code == ERR_OK) {
            uint32_t rows = copy_reader_rows(reader);
            write_rows(reader, setting, &writer, out);
            copy_reader_clear(reader);
            if (rows < COPY_BATCH_ROWS) {
                break;
            }
        }
    }
    copy_write_end(&writer, out);
    if (code != ERR_OK) {
        buffer_clear(out);
        buffer_printf(out, "%s %s %.*s", error_sqlstate(code), err.message, STR_ARG(copy_reader_context(reader)));
    }
    copy_reader_close(reader);
    copy_writer_deinit(&writer);
    return code == ERR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4 || size > 64 << 10) {
        return 0;
    }
    Setting setting = choose(data[0], data[2]), again = {0};
    Bytes input = bytes_from(data + 3, size - 3);
    Buffer whole, pieces, back;
    buffer_init(&whole, OUT_BYTES_MAX);
    buffer_init(&pieces, OUT_BYTES_MAX);
    buffer_init(&back, OUT_BYTES_MAX);
    bool fine = read_all(&setting, input, input.len, &whole);
    FUZZ_CHECK(read_all(&setting, input, (size_t)data[1] + 1, &pieces) == fine);
    FUZZ_CHECK(str_equal(buffer_str(&whole), buffer_str(&pieces)));
    if (fine) {
        again = setting;
        again.copy = (CopyOptions){.format = setting.copy.format};
        FUZZ_CHECK(read_all(&again, buffer_bytes(&whole), whole.len + 1, &back));
        FUZZ_CHECK(str_equal(buffer_str(&whole), buffer_str(&back)));
    }
    buffer_deinit(&whole);
    buffer_deinit(&pieces);
    buffer_deinit(&back);
    return 0;
}
