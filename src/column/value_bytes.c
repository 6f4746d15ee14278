/* SPDX-License-Identifier: Apache-2.0
 * value_bytes.c - see value_bytes.h. */
#include "column/value_bytes.h"

size_t value_bytes_width(TypeId type) {
    Physical physical = type_physical(type);
    if (physical == PHYS_STR) {
        return 0;
    }
    if (type == TYPE_NUMERIC) {
        return VALUE_NUMERIC_BYTES;
    }
    return physical == PHYS_BIT ? 1 : physical_bytes(physical);
}

void value_bytes_put(TypeId type, const void *value, Buffer *out) {
    if (type_physical(type) == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, value, sizeof ref);
        buffer_append_str(out, strref_str(&ref));
    } else if (type == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, value, sizeof slot);
        Numeric number = numeric_from_slot(&slot);
        buffer_put_u16le(out, (uint16_t)number.scale);
        buffer_put_u8(out, number.kind);
        buffer_put_u8(out, 0);
        buffer_append(out, &number.coefficient, sizeof number.coefficient);
    } else {
        buffer_append(out, value, value_bytes_width(type));
    }
}

static void get_numeric(const uint8_t *bytes, AnyValue *value) {
    NumericSlot slot = {.scale = (int16_t)get_u16le(bytes), .kind = bytes[2]};
    memcpy(&value->big, bytes + 4, sizeof value->big);
    if (value->big >= INT64_MIN && value->big <= INT64_MAX) {
        slot.as.coefficient = (int64_t)value->big;
    } else {
        slot.as.big = &value->big;
        slot.is_big = 1;
    }
    memcpy(value->bytes, &slot, sizeof slot);
}

void value_bytes_get(TypeId type, Bytes bytes, AnyValue *value_out) {
    assert(bytes.len >= value_bytes_width(type));
    memset(value_out->bytes, 0, sizeof value_out->bytes);
    if (type_physical(type) == PHYS_STR) {
        StrRef ref = strref_make(bytes.len == 0 ? "" : (const char *)bytes.data, bytes.len);
        memcpy(value_out->bytes, &ref, sizeof ref);
    } else if (type == TYPE_NUMERIC) {
        get_numeric(bytes.data, value_out);
    } else {
        memcpy(value_out->bytes, bytes.data, value_bytes_width(type));
    }
}
