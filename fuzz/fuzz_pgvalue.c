/* SPDX-License-Identifier: Apache-2.0
 * fuzz_pgvalue.c - any bytes as a parameter of any type, in binary and in text form.
 *
 * Input:      byte 0: type; byte 1: form, element type of arrays, scale of decimals. Then the value.
 * Check:      a value that was read is written to a form that reads as the same value. */
#include "encode/pg_row.h"
#include "fuzz.h"
#include "sql/func/func.h"

enum { BYTES_MAX = 64 << 20 };

static Type choose_type(uint8_t which, uint8_t detail) {
    Type type = type_of((TypeId)(which % TYPE_COUNT));
    if (type.id == TYPE_DECIMAL8 || type.id == TYPE_DECIMAL16) {
        type.precision = type.id == TYPE_DECIMAL8 ? 18 : 38;
        type.scale = (uint8_t)((detail >> 1) % 10);
    } else if (type.id == TYPE_ARRAY) {
        static const TypeId ELEMENTS[] = {TYPE_INT4, TYPE_TEXT, TYPE_BOOL, TYPE_NUMERIC, TYPE_TIMESTAMPTZ, TYPE_FLOAT8, TYPE_JSONB, TYPE_UUID};
        type = type_array(type_of(ELEMENTS[(detail >> 1) % COUNT_OF(ELEMENTS)]));
    }
    return type;
}

static void check_binary(Type type, Bytes bytes, Arena *arena, Buffer *once, Buffer *twice) {
    _Alignas(16) uint8_t value[16] = {0}, again[16] = {0};
    if (pg_binary_read(type, bytes, NULL, arena, value, NULL) != ERR_OK) {
        return;
    }
    ErrorCode code = pg_binary_put(type, value, NULL, once, NULL);
    FUZZ_CHECK(code == ERR_OK);
    FUZZ_CHECK(pg_binary_read(type, buffer_bytes(once), NULL, arena, again, NULL) == ERR_OK);
    FUZZ_CHECK(pg_binary_put(type, again, NULL, twice, NULL) == ERR_OK);
    FUZZ_CHECK(str_equal(buffer_str(once), buffer_str(twice)));
}

/* Text that was read has a binary form too, which reads as the same. */
static void check_text(Type type, Str text, Arena *arena, Buffer *once, Buffer *twice) {
    static const FunctionEnvironment ENVIRONMENT = {0};
    _Alignas(16) uint8_t value[16] = {0};
    bool symbol = type.id == TYPE_SYMBOL;
    if (symbol || !utf8_valid(text) || value_parse(type, text, &ENVIRONMENT, arena, value, NULL) != ERR_OK || !pg_binary_supported((TypeId)type.id)) {
        return;
    }
    FUZZ_CHECK(pg_binary_put(type, value, NULL, once, NULL) == ERR_OK);
    fuzz_use(twice->len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 4096) {
        return 0;
    }
    Arena arena;
    Buffer once, twice;
    arena_init(&arena, BYTES_MAX);
    buffer_init(&once, BYTES_MAX);
    buffer_init(&twice, BYTES_MAX);
    Type type = choose_type(data[0], data[1]);
    if (type.id != TYPE_SYMBOL && (data[1] & 1) == 0) {
        check_binary(type, bytes_from(data + 2, size - 2), &arena, &once, &twice);
    } else {
        check_text(type, str_from((const char *)data + 2, size - 2), &arena, &once, &twice);
    }
    arena_deinit(&arena);
    buffer_deinit(&once);
    buffer_deinit(&twice);
    return 0;
}
