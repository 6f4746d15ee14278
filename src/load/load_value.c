/* SPDX-License-Identifier: Apache-2.0
 * load_value.c - one parse function per type, storing straight into the column's batch.
 *
 * Layout:     data holds LOAD_BATCH_ROWS values (bits for booleans, StrRef for text with its bytes in the batch's heap).
 * Why:        a value costs one call and one store; a rejected row is only an index that does not advance.
 * Invariants: values under a null are zero; valid bits past the last row are never handed out.
 * Tests:      test/unit/load/test_values.c */
#include "base/number.h"
#include "column/array.h"
#include "column/jsonb.h"
#include "column/value_text.h"
#include "load/load_internal.h"

/* ---- numbers ---- */

/* Up to eighteen digits with a sign; longer ones by base. */
static inline bool read_integer(Str text, int64_t *value_out) {
    size_t at = text.data[0] == '-' ? 1 : 0, digits = text.len - at;
    if (digits == 0 || digits > 18) {
        bool overflow = false;
        return parse_int64(text, value_out, &overflow);
    }
    int64_t value = 0;
    for (; at < text.len; at++) {
        uint32_t digit = (uint32_t)(uint8_t)text.data[at] - '0';
        if (digit > 9) {
            bool overflow = false;
            return parse_int64(text, value_out, &overflow);
        }
        value = value * 10 + (int64_t)digit;
    }
    *value_out = text.data[0] == '-' ? -value : value;
    return true;
}

static inline bool read_ranged(Str text, int64_t low, int64_t high, int64_t *value_out) {
    return read_integer(text, value_out) && *value_out >= low && *value_out <= high;
}

static bool parse_int1(LoadColumn *column, Str text, uint32_t row) {
    int64_t value = 0;
    bool fine = read_ranged(text, INT8_MIN, INT8_MAX, &value);
    ((int8_t *)column->data)[row] = (int8_t)value;
    return fine;
}

static bool parse_int2(LoadColumn *column, Str text, uint32_t row) {
    int64_t value = 0;
    bool fine = read_ranged(text, INT16_MIN, INT16_MAX, &value);
    ((int16_t *)column->data)[row] = (int16_t)value;
    return fine;
}

static bool parse_int4(LoadColumn *column, Str text, uint32_t row) {
    int64_t value = 0;
    bool fine = read_ranged(text, INT32_MIN, INT32_MAX, &value);
    ((int32_t *)column->data)[row] = (int32_t)value;
    return fine;
}

static bool parse_int8(LoadColumn *column, Str text, uint32_t row) {
    return read_integer(text, &((int64_t *)column->data)[row]);
}

static bool parse_float8(LoadColumn *column, Str text, uint32_t row) {
    double *out = &((double *)column->data)[row];
    return parse_short_double(text, out) || parse_double(text, out);
}

static bool parse_float4(LoadColumn *column, Str text, uint32_t row) {
    return parse_float(text, &((float *)column->data)[row]);
}

static bool parse_decimal(LoadColumn *column, Str text, uint32_t row) {
    Numeric value;
    if (numeric_parse(text, &value, NULL) != ERR_OK || value.kind != NUMERIC_FINITE ||
        numeric_rescale(value, column->type.scale, &value, NULL) != ERR_OK) {
        return false;
    }
    Int128 limit = pow10_int128(column->type.precision);
    if (value.coefficient <= -limit || value.coefficient >= limit) {
        return false;
    }
    if (column->type.id == TYPE_DECIMAL8) {
        ((int64_t *)column->data)[row] = (int64_t)value.coefficient;
    } else {
        memcpy((uint8_t *)column->data + row * sizeof(Int128), &value.coefficient, sizeof(Int128));
    }
    return true;
}

static bool parse_numeric(LoadColumn *column, Str text, uint32_t row) {
    Numeric value;
    if (numeric_parse(text, &value, NULL) != ERR_OK || numeric_fit(column->type, value, &value, NULL) != ERR_OK) {
        return false;
    }
    ((NumericSlot *)column->data)[row] = numeric_to_slot(value, column->heap);
    return true;
}

static bool parse_bool(LoadColumn *column, Str text, uint32_t row) {
    static const char *const TRUE_TEXT[] = {"true", "t", "1", "yes", "y", "on"};
    static const char *const FALSE_TEXT[] = {"false", "f", "0", "no", "n", "off"};
    for (size_t i = 0; i < COUNT_OF(TRUE_TEXT); i++) {
        if (str_equal_ignore_case(text, str_from_c(TRUE_TEXT[i]))) {
            bit_set(column->data, row);
            return true;
        }
        if (str_equal_ignore_case(text, str_from_c(FALSE_TEXT[i]))) {
            bit_clear(column->data, row);
            return true;
        }
    }
    return false;
}

/* ---- text ---- */

static bool parse_text(LoadColumn *column, Str text, uint32_t row) {
    if (column->type.length > 0 && utf8_length(text) > (size_t)column->type.length) {
        return false;
    }
    StrRef *out = &((StrRef *)column->data)[row];
    if (text.len > STRREF_INLINE) {
        text = arena_str(column->heap, text);
        *out = strref_make(text.data, text.len);
        return true;
    }
    uint64_t word[2];
    load__pad(text, word);
    out->len = (uint32_t)text.len;
    memcpy(out->prefix, word, 4);
    uint64_t rest = (word[0] >> 32) | (word[1] << 32);
    memcpy(out->as.rest, &rest, 8);
    return true;
}

/* char(n): filled up with blanks, as the type compares. */
static bool parse_padded(LoadColumn *column, Str text, uint32_t row) {
    size_t length = utf8_length(text), want = column->type.length > 0 ? (size_t)column->type.length : 1;
    if (length > want) {
        return false;
    }
    char *padded = arena_alloc_aligned(column->heap, text.len + want - length, 1);
    memcpy(padded, text.data, text.len);
    memset(padded + text.len, ' ', want - length);
    ((StrRef *)column->data)[row] = strref_make(padded, text.len + want - length);
    return true;
}

static bool parse_char(LoadColumn *column, Str text, uint32_t row) {
    uint32_t code_point = 0;
    bool fine = utf8_decode(text, 0, &code_point) == (int)text.len;
    ((uint32_t *)column->data)[row] = code_point;
    return fine;
}

static bool parse_symbol(LoadColumn *column, Str text, uint32_t row) {
    int32_t *out = &((int32_t *)column->data)[row];
    if (text.len > 16) {
        *out = column->symbols->intern(column->symbols, text);
        return *out >= 0;
    }
    uint64_t word[2];
    load__pad(text, word);
    uint64_t hash = (word[0] ^ (word[1] * UINT64_C(0x9e3779b97f4a7c15)) ^ text.len) * UINT64_C(0xff51afd7ed558ccd);
    SymbolCacheSlot *slot = &column->cache[hash >> 54];
    if (slot->word[0] != word[0] || slot->word[1] != word[1] || slot->len_and_one != text.len + 1) {
        int32_t code = column->symbols->intern(column->symbols, text);
        if (code < 0) {
            return false;
        }
        *slot = (SymbolCacheSlot){.word = {word[0], word[1]}, .len_and_one = (uint32_t)text.len + 1, .code = code};
    }
    *out = slot->code;
    return true;
}
_Static_assert(SYMBOL_CACHE_SLOTS == 1 << (64 - 54), "the top ten bits of the hash choose the slot");

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* \x and pairs of hexadecimal digits. */
static bool parse_bytea(LoadColumn *column, Str text, uint32_t row) {
    if (text.len < 2 || text.data[0] != '\\' || text.data[1] != 'x' || text.len % 2 != 0) {
        return false;
    }
    size_t len = text.len / 2 - 1;
    char *bytes = arena_alloc_aligned(column->heap, len + 1, 1);
    for (size_t i = 0; i < len; i++) {
        int high = hex_digit(text.data[2 + 2 * i]), low = hex_digit(text.data[3 + 2 * i]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (char)(high * 16 + low);
    }
    ((StrRef *)column->data)[row] = strref_make(bytes, len);
    return true;
}

static bool parse_uuid(LoadColumn *column, Str text, uint32_t row) {
    uint8_t *out = (uint8_t *)column->data + (size_t)row * sizeof(Uuid);
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = hex_digit(text.data[i]);
        if (digit < 0 && text.data[i] == '-' && digits % 4 == 0) {
            continue;
        }
        if (digit < 0 || digits == 32) {
            return false;
        }
        out[digits / 2] = (uint8_t)(digits % 2 == 0 ? digit << 4 : out[digits / 2] | digit);
        digits++;
    }
    return digits == 32;
}

static bool parse_array(LoadColumn *column, Str text, uint32_t row) {
    Buffer bytes;
    buffer_init(&bytes, (size_t)ARRAY_VALUES_MAX * 8 + 256);
    bool fine = array_parse_text(text, &bytes, NULL) == ERR_OK && !bytes.failed;
    if (fine) {
        Str copy = arena_str(column->heap, buffer_str(&bytes));
        ((StrRef *)column->data)[row] = strref_make(copy.data, copy.len);
    }
    buffer_deinit(&bytes);
    return fine;
}

/* ---- times ---- */

static bool parse_timestamp(LoadColumn *column, Str text, uint32_t row) {
    return load__parse_time(column, text, &((int64_t *)column->data)[row]);
}

static bool parse_date(LoadColumn *column, Str text, uint32_t row) {
    int64_t seconds = 0;
    if (!load__parse_time(column, text, &seconds)) {
        return false;
    }
    int64_t days = floor_div(seconds, 86400);
    ((int32_t *)column->data)[row] = (int32_t)days;
    return days > INT32_MIN && days < INT32_MAX;
}

static bool parse_interval(LoadColumn *column, Str text, uint32_t row) {
    return interval_parse(text, &((Interval *)column->data)[row]);
}

static bool parse_clock(LoadColumn *column, Str text, uint32_t row) {
    ParsedClock clock;
    bool fine = clock_parse(text, &clock) == CLOCK_OK;
    ((int64_t *)column->data)[row] = fine ? clock.micros : 0;
    return fine && clock.zone.len == 0;
}

/* ---- json ---- */

static bool parse_json(LoadColumn *column, Str text, uint32_t row) {
    return json_check(text, NULL) == ERR_OK && parse_text(column, text, row);
}

static bool parse_jsonb(LoadColumn *column, Str text, uint32_t row) {
    Buffer normal;
    buffer_init(&normal, STRREF_BYTES_MAX);
    bool fine = jsonb_normalise(text, &normal, NULL) == ERR_OK && parse_text(column, buffer_str(&normal), row);
    buffer_deinit(&normal);
    return fine;
}

static bool parse_label(LoadColumn *column, Str text, uint32_t row) {
    int number = column->labels == NULL ? -1 : enum_label_number(column->labels, text);
    if (number >= 0) {
        ((int64_t *)column->data)[row] = enum_value_make(type_enum_object(column->type), column->labels->positions[number]);
    }
    return number >= 0;
}

/* ---- columns ---- */

static const LoadParse PARSE[TYPE_COUNT] = {
    [TYPE_BOOL] = parse_bool,
    [TYPE_BYTE] = parse_int1,
    [TYPE_INT2] = parse_int2,
    [TYPE_INT4] = parse_int4,
    [TYPE_INT8] = parse_int8,
    [TYPE_FLOAT4] = parse_float4,
    [TYPE_FLOAT8] = parse_float8,
    [TYPE_NUMERIC] = parse_numeric,
    [TYPE_DECIMAL8] = parse_decimal,
    [TYPE_DECIMAL16] = parse_decimal,
    [TYPE_SYMBOL] = parse_symbol,
    [TYPE_TEXT] = parse_text,
    [TYPE_VARCHAR] = parse_text,
    [TYPE_BPCHAR] = parse_padded,
    [TYPE_CHAR] = parse_char,
    [TYPE_BYTEA] = parse_bytea,
    [TYPE_DATE] = parse_date,
    [TYPE_TIMESTAMP_MS] = parse_timestamp,
    [TYPE_TIMESTAMP] = parse_timestamp,
    [TYPE_TIMESTAMP_NS] = parse_timestamp,
    [TYPE_TIMESTAMPTZ] = parse_timestamp,
    [TYPE_UUID] = parse_uuid,
    [TYPE_FLOAT8_ARRAY] = parse_array,
    [TYPE_INTERVAL] = parse_interval,
    [TYPE_TIME] = parse_clock,
    [TYPE_JSON] = parse_json,
    [TYPE_JSONB] = parse_jsonb,
    [TYPE_ENUM] = parse_label,
};

ErrorCode load__column_init(LoadColumn *column, const ColumnDef *def, Str pattern, const Zone *zone, Arena *heap, Error *err) {
    Physical physical = type_physical(def->type.id);
    size_t bytes = physical == PHYS_BIT ? LOAD_BATCH_ROWS / 8 : physical_bytes(physical) * LOAD_BATCH_ROWS;
    *column = (LoadColumn){
        .type = def->type,
        .parse = PARSE[def->type.id],
        .width = (uint32_t)physical_bytes(physical),
        .not_null = def->not_null,
        .is_text = type_is_text(def->type.id) || def->type.id == TYPE_SYMBOL,
        .heap = heap,
        .symbols = def->symbols,
        .zone = zone,
        .units = type_is_timestamp(def->type.id) ? type_timestamp_units(def->type.id) : 1,
        .zone_slot = INT64_MIN,
    };
    if (column->parse == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "column %.*s: loading %s is not supported", STR_ARG(def->name),
                         type_sql_name(def->type.id));
    }
    if (def->type.id == TYPE_DATE) {
        column->zone = NULL; /* a day is a day everywhere */
    }
    if (def->type.id == TYPE_SYMBOL) {
        assert(def->symbols != NULL);
        column->cache = mem_calloc(SYMBOL_CACHE_SLOTS, sizeof *column->cache);
    }
    if (pattern.len > 0) {
        TRY(time_pattern_compile(pattern, &column->pattern, err));
        column->has_pattern = true;
    }
    column->data = mem_alloc_aligned(bytes);
    memset(column->data, 0, bytes);
    column->valid = mem_alloc_aligned(LOAD_BATCH_ROWS / 8);
    load__column_clear(column);
    return ERR_OK;
}

void load__column_clear(LoadColumn *column) {
    memset(column->valid, 0xff, LOAD_BATCH_ROWS / 8);
    column->null_count = 0;
}

void load__column_deinit(LoadColumn *column) {
    mem_free(column->data);
    mem_free(column->valid);
    mem_free(column->cache);
}

void load__column_null(LoadColumn *column, uint32_t row) {
    size_t bytes = column->width;
    bit_clear(column->valid, row);
    column->null_count++;
    if (bytes == 0) {
        bit_clear(column->data, row);
    } else {
        memset((uint8_t *)column->data + (size_t)row * bytes, 0, bytes);
    }
}

ColumnBlock load__column_block(LoadColumn *column, uint32_t rows) {
    if (rows % 64 != 0 && column->null_count > 0) {
        column->valid[rows / 64] &= tail_mask(rows);
    }
    return (ColumnBlock){
        .type = column->type,
        .row_count = rows,
        .data = column->data,
        .valid = column->null_count > 0 ? column->valid : NULL,
    };
}
