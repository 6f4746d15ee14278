/* SPDX-License-Identifier: Apache-2.0
 * value_bytes.h - one value of any stored type as bytes that hold no pointer: what arrays and records are made of.
 *
 * Fixed-width values stand as they are (BOOL one byte), NUMERIC as i16 scale | u8 kind | u8 0 | i128 coefficient, PHYS_STR as its bytes. */
#pragma once
#include "base/memory.h"
#include "column/types.h"

enum { VALUE_NUMERIC_BYTES = 20 };

/* A physical value with the room that its pointers may need. Lives as long as the bytes that it was read from. */
typedef struct AnyValue AnyValue;
struct AnyValue {
    _Alignas(16) uint8_t bytes[16];  /* BOOL: one byte 0/1 */
    Int128 big;
};

size_t value_bytes_width(TypeId type);                               /* 0: as long as it is (PHYS_STR) */
void value_bytes_put(TypeId type, const void *value, Buffer *out);   /* BOOL: one byte */
void value_bytes_get(TypeId type, Bytes bytes, AnyValue *value_out); /* bytes.len >= the width */
