/* SPDX-License-Identifier: Apache-2.0
 * pg_binary_numeric.c - numerics in PostgreSQL's binary form, both ways.
 *
 * Layout:     u16 digits | i16 weight | u16 sign | u16 scale | u16 digits in base 10,000, the first one times 10,000^weight */
#include "encode/pg_row_internal.h"

enum {
    GROUP_DIGITS = 4, GROUP = 10000, HEAD_BYTES = 8,
    GROUPS_MAX = 2 + (NUMERIC_DIGITS_MAX + NUMERIC_SCALE_MAX) / GROUP_DIGITS, /* with both sides padded to whole groups */
    SIGN_MINUS = 0x4000, SIGN_NAN = 0xC000, SIGN_INFINITY = 0xD000, SIGN_MINUS_INFINITY = 0xF000,
    WEIGHT_MAX = NUMERIC_DIGITS_MAX / GROUP_DIGITS,  /* a first digit beyond is out of range */
    SCALE_MASK = 0x3FFF
};

/* ---- out ---- */

static size_t put_head(uint8_t *out, size_t groups, int weight, uint16_t sign, int scale) {
    pg__put_u16(out, (uint16_t)groups);
    pg__put_u16(out + 2, (uint16_t)weight);
    pg__put_u16(out + 4, sign);
    pg__put_u16(out + 6, (uint16_t)scale);
    return HEAD_BYTES + groups * 2;
}

/* Groups of value * 10^pad, last one first. Returns how many. */
static size_t split_groups(Uint128 value, int pad, uint16_t *groups) {
    static const uint16_t POWER[GROUP_DIGITS] = {1, 10, 100, 1000};
    uint64_t step = GROUP / POWER[pad]; /* the last group takes fewer of the value's digits */
    size_t count = 0;
    groups[count++] = (uint16_t)((uint64_t)(value % step) * POWER[pad]);
    value /= step;
    while (value > UINT64_MAX) {
        groups[count++] = (uint16_t)(value % GROUP);
        value /= GROUP;
    }
    for (uint64_t rest = (uint64_t)value; rest > 0; rest /= GROUP) {
        groups[count++] = (uint16_t)(rest % GROUP);
    }
    return count;
}

size_t encode__pg_binary_numeric(Numeric value, uint8_t *out) {
    static const uint16_t SIGNS[] = {[NUMERIC_NAN] = SIGN_NAN, [NUMERIC_INFINITY] = SIGN_INFINITY, [NUMERIC_MINUS_INFINITY] = SIGN_MINUS_INFINITY};
    if (value.kind != NUMERIC_FINITE) {
        return put_head(out, 0, 0, SIGNS[value.kind], 0);
    }
    assert(value.scale >= 0);
    if (value.coefficient == 0) {
        return put_head(out, 0, 0, 0, value.scale);
    }
    uint16_t groups[GROUPS_MAX];
    bool negative = value.coefficient < 0;
    Uint128 magnitude = negative ? -(Uint128)value.coefficient : (Uint128)value.coefficient;
    int fraction_groups = (value.scale + GROUP_DIGITS - 1) / GROUP_DIGITS;
    size_t count = split_groups(magnitude, fraction_groups * GROUP_DIGITS - value.scale, groups), zeros = 0;
    assert(count <= GROUPS_MAX);
    while (count > 1 && groups[count - 1] == 0) {
        count--;
    }
    while (zeros < count - 1 && groups[zeros] == 0) {
        zeros++;
    }
    for (size_t i = zeros; i < count; i++) {
        pg__put_u16(out + HEAD_BYTES + (count - 1 - i) * 2, groups[i]);
    }
    return put_head(out, count - zeros, (int)count - 1 - fraction_groups, negative ? SIGN_MINUS : 0, value.scale);
}

/* ---- in ---- */

typedef struct WireNumeric {
    uint16_t group_count, sign, scale;
    int16_t weight;
    const uint8_t *groups;
} WireNumeric;

static ErrorCode wire_read(Bytes bytes, WireNumeric *wire, Error *err) {
    if (bytes.len < HEAD_BYTES) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "insufficient data left in message");
    }
    *wire = (WireNumeric){.group_count = pg__get_u16(bytes.data), .weight = (int16_t)pg__get_u16(bytes.data + 2),
                          .sign = pg__get_u16(bytes.data + 4), .scale = pg__get_u16(bytes.data + 6), .groups = bytes.data + HEAD_BYTES};
    size_t rest = bytes.len - HEAD_BYTES;
    if (rest < (size_t)wire->group_count * 2) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "insufficient data left in message");
    }
    if (rest > (size_t)wire->group_count * 2) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "incorrect binary data format");
    }
    if (wire->sign != 0 && wire->sign != SIGN_MINUS && wire->sign != SIGN_NAN && wire->sign != SIGN_INFINITY && wire->sign != SIGN_MINUS_INFINITY) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "invalid sign in external \"numeric\" value");
    }
    if ((wire->scale & SCALE_MASK) != wire->scale) {
        return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "invalid scale in external \"numeric\" value");
    }
    for (size_t i = 0; i < wire->group_count; i++) {
        if (pg__get_u16(wire->groups + i * 2) >= GROUP) {
            return error_set(err, ERR_INVALID_BINARY, ERROR_NO_POSITION, "invalid digit in external \"numeric\" value");
        }
    }
    return ERR_OK;
}

/* The group of weight w; 0 outside of those that came. */
static uint32_t group_at(const WireNumeric *wire, int weight) {
    int index = wire->weight - weight;
    return index < 0 || index >= wire->group_count ? 0 : pg__get_u16(wire->groups + (size_t)index * 2);
}

/* Leading zero groups say nothing; numbers of PostgreSQL have none. */
static void wire_trim(WireNumeric *wire) {
    while (wire->group_count > 0 && pg__get_u16(wire->groups) == 0) {
        wire->groups += 2;
        wire->group_count--;
        wire->weight--;
    }
}

/* As decimal text, cut to the scale; it is short, as the weight is in range. */
static void wire_text(const WireNumeric *wire, Buffer *text) {
    if (wire->sign == SIGN_MINUS) {
        buffer_append_char(text, '-');
    }
    for (int weight = MAX_OF((int)wire->weight, 0); weight >= 0; weight--) {
        buffer_printf(text, "%04u", group_at(wire, weight));
    }
    if (wire->scale == 0) {
        return;
    }
    buffer_append_char(text, '.');
    size_t end = text->len + wire->scale;
    for (int weight = -1; text->len < end; weight--) {
        buffer_printf(text, "%04u", group_at(wire, weight));
    }
    text->len = end;
}

static ErrorCode wire_value(WireNumeric *wire, Numeric *value_out, Error *err) {
    *value_out = (Numeric){.kind = wire->sign == SIGN_NAN ? NUMERIC_NAN : wire->sign == SIGN_INFINITY ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY};
    if (wire->sign != 0 && wire->sign != SIGN_MINUS) {
        return ERR_OK;
    }
    wire_trim(wire);
    if (wire->group_count > 0 && wire->weight > WEIGHT_MAX) {
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value overflows numeric format");
    }
    wire->scale = MIN_OF(wire->scale, (uint16_t)(NUMERIC_SCALE_MAX * 2)); /* digits beyond are rounded away below */
    Buffer text;
    buffer_init(&text, SIZE_MAX);
    wire_text(wire, &text);
    ErrorCode code = numeric_parse(buffer_str(&text), value_out, err);
    buffer_deinit(&text);
    return code;
}

/* numeric(p,s): rounded to the scale, then checked against the precision. */
static ErrorCode store_decimal(Type type, Numeric value, void *value_out, Error *err) {
    Int128 limit = pow10_int128(type.precision);
    if (value.kind != NUMERIC_FINITE || numeric_rescale(value, type.scale, &value, NULL) != ERR_OK || value.coefficient <= -limit ||
        value.coefficient >= limit) {
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "numeric field overflow");
    }
    if (type.id == TYPE_DECIMAL8) {
        int64_t coefficient = (int64_t)value.coefficient;
        memcpy(value_out, &coefficient, sizeof coefficient);
    } else {
        memcpy(value_out, &value.coefficient, sizeof value.coefficient);
    }
    return ERR_OK;
}

ErrorCode encode__pg_binary_numeric_read(Type type, Bytes bytes, Arena *arena, void *value_out, Error *err) {
    WireNumeric wire = {0};
    Numeric value = {0};
    TRY(wire_read(bytes, &wire, err));
    TRY(wire_value(&wire, &value, err));
    if (type.id != TYPE_NUMERIC) {
        return store_decimal(type, value, value_out, err);
    }
    TRY(numeric_fit(type, value, &value, err));
    NumericSlot slot = numeric_to_slot(value, arena);
    memcpy(value_out, &slot, sizeof slot);
    return ERR_OK;
}
