/* SPDX-License-Identifier: Apache-2.0
 * key.c - values as bytes in their order: integers with the sign flipped, floats in PostgreSQL's order, texts with an end mark.
 *
 * Layout:  docs/format/index-run.md, "Keys". A key of a column that may be NULL begins with a byte: 0 or 2 for NULL, 1 for a value. All
 *          bytes behind it are inverted for DESC.
 * Tests:   test/unit/index/test_key.c compares with column/value_rules.h. */
#include "column/value_text.h"
#include "index/index.h"

typedef enum KeyClass { KEY_NONE, KEY_BYTE, KEY_I8, KEY_I16, KEY_I32, KEY_I64, KEY_U32, KEY_F32, KEY_F64, KEY_NUMERIC, KEY_TEXT, KEY_PADDED, KEY_BYTES, KEY_SPAN, KEY_RAW16 } KeyClass;

static KeyClass class_of(TypeId type) {
    switch (type) {
    case TYPE_BOOL: return KEY_BYTE;
    case TYPE_BYTE: return KEY_I8;
    case TYPE_INT2: return KEY_I16;
    case TYPE_INT4:
    case TYPE_DATE: return KEY_I32;
    case TYPE_SYMBOL:
    case TYPE_CHAR:
    case TYPE_OID:
    case TYPE_REGCLASS:
    case TYPE_REGTYPE:
    case TYPE_REGPROC:
    case TYPE_REGPROCEDURE:
    case TYPE_REGNAMESPACE:
    case TYPE_REGROLE:
    case TYPE_XID:
    case TYPE_CID: return KEY_U32;
    case TYPE_INT8:
    case TYPE_TIMESTAMP_MS:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
    case TYPE_TIME:
    case TYPE_ENUM: return KEY_I64;
    case TYPE_FLOAT4: return KEY_F32;
    case TYPE_FLOAT8: return KEY_F64;
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16: return KEY_NUMERIC;
    case TYPE_TEXT:
    case TYPE_VARCHAR:
    case TYPE_NAME: return KEY_TEXT;
    case TYPE_BPCHAR: return KEY_PADDED;
    case TYPE_BYTEA: return KEY_BYTES;
    case TYPE_INTERVAL: return KEY_SPAN;
    case TYPE_UUID: return KEY_RAW16;
    default: return KEY_NONE;
    }
}

bool key_type_allowed(TypeId type) { return class_of(type) != KEY_NONE; }
bool key_type_ordered(TypeId type) { return key_type_allowed(type) && type != TYPE_SYMBOL; }

static void put_big_endian(Buffer *out, uint64_t value, int bytes) {
    uint8_t *at = buffer_reserve(out, (size_t)bytes);
    if (at == NULL) {
        return;
    }
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) {
        at[i] = (uint8_t)value;
    }
    out->len += (size_t)bytes;
}

static void put_f64(Buffer *out, double value) {
    uint64_t bits = UINT64_MAX;
    if (value == value) {
        value += 0.0; /* -0 is 0 */
        memcpy(&bits, &value, sizeof bits);
        bits = (bits >> 63) != 0 ? ~bits : bits | (UINT64_C(1) << 63);
    }
    put_big_endian(out, bits, 8);
}

static void put_f32(Buffer *out, float value) {
    uint32_t bits = UINT32_MAX;
    if (value == value) {
        value += 0.0F;
        memcpy(&bits, &value, sizeof bits);
        bits = (bits >> 31) != 0 ? ~bits : bits | (UINT32_C(1) << 31);
    }
    put_big_endian(out, bits, 4);
}

/* Ends with 0 0; a zero byte inside is 0 255. */
static void put_text(Buffer *out, Str text) {
    while (text.len > 0) {
        const char *zero = memchr(text.data, 0, text.len);
        size_t plain = zero == NULL ? text.len : (size_t)(zero - text.data);
        buffer_append(out, text.data, plain);
        if (zero != NULL) {
            buffer_put_u8(out, 0);
            buffer_put_u8(out, 0xff);
            plain++;
        }
        text = (Str){text.data + plain, text.len - plain};
    }
    buffer_put_u8(out, 0);
    buffer_put_u8(out, 0);
}

/* ---- numerics: class, digits before the point, two digits a byte ---- */

enum { NUMERIC_BIAS = 0x8000, DIGITS_ROOM = 48 };
typedef enum NumericClass { CLASS_MINUS_INFINITY = 1, CLASS_NEGATIVE, CLASS_ZERO, CLASS_POSITIVE, CLASS_INFINITY, CLASS_NAN } NumericClass;

static NumericClass numeric_class(const Numeric *value) {
    switch (value->kind) {
    case NUMERIC_NAN: return CLASS_NAN;
    case NUMERIC_INFINITY: return CLASS_INFINITY;
    case NUMERIC_MINUS_INFINITY: return CLASS_MINUS_INFINITY;
    default: return value->coefficient == 0 ? CLASS_ZERO : value->coefficient < 0 ? CLASS_NEGATIVE : CLASS_POSITIVE;
    }
}

/* Digits from the first one on, without zeros at the end; *point_out: how many of them stand before the point. */
static int digits_of(const Numeric *value, uint8_t *digits, int *point_out) {
    __uint128_t rest = value->coefficient < 0 ? -(__uint128_t)value->coefficient : (__uint128_t)value->coefficient;
    uint8_t reversed[DIGITS_ROOM];
    int count = 0;
    for (; rest != 0; rest /= 10) {
        reversed[count++] = (uint8_t)(rest % 10);
    }
    *point_out = count - value->scale;
    for (int i = 0; i < count; i++) {
        digits[i] = reversed[count - 1 - i];
    }
    while (count > 0 && digits[count - 1] == 0) {
        count--;
    }
    return count;
}

static void put_numeric(Buffer *out, Numeric value) {
    NumericClass class = numeric_class(&value);
    buffer_put_u8(out, (uint8_t)class);
    if (class != CLASS_NEGATIVE && class != CLASS_POSITIVE) {
        return;
    }
    uint8_t digits[DIGITS_ROOM + 1] = {0};
    int point = 0;
    int count = digits_of(&value, digits, &point);
    size_t from = out->len;
    put_big_endian(out, (uint64_t)(point + NUMERIC_BIAS), 2);
    for (int i = 0; i < count; i += 2) {
        buffer_put_u8(out, (uint8_t)(digits[i] * 10 + (i + 1 < count ? digits[i + 1] : 0) + 1));
    }
    buffer_put_u8(out, 0);
    for (size_t i = from; class == CLASS_NEGATIVE && i < out->len; i++) {
        out->data[i] = (uint8_t)~out->data[i];
    }
}

static void put_span(Buffer *out, const void *value) {
    Interval interval;
    memcpy(&interval, value, sizeof interval);
    Int128 span = interval_span(interval);
    put_big_endian(out, (uint64_t)(int64_t)(span >> 64) ^ (UINT64_C(1) << 63), 8);
    put_big_endian(out, (uint64_t)span, 8);
}

static Str text_of(const void *value, bool padded) {
    Str text = strref_str(value);
    while (padded && text.len > 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

#define FLIPPED(T, bits)                                                                                               \
    T number = 0;                                                                                                      \
    memcpy(&number, value, sizeof number);                                                                             \
    put_big_endian(out, (uint64_t)(int64_t)number ^ (UINT64_C(1) << ((bits) - 1)), (bits) / 8)

static void put_integer(Buffer *out, KeyClass class, const void *value) {
    switch (class) {
    case KEY_I8: { FLIPPED(int8_t, 8); break; }
    case KEY_I16: { FLIPPED(int16_t, 16); break; }
    case KEY_I32: { FLIPPED(int32_t, 32); break; }
    default: { FLIPPED(int64_t, 64); break; }
    }
}
#undef FLIPPED

static void put_value(Buffer *out, Type type, const void *value) {
    KeyClass class = class_of((TypeId)type.id);
    float narrow = 0;
    double wide = 0;
    uint32_t word = 0;
    switch (class) {
    case KEY_BYTE: buffer_put_u8(out, *(const uint8_t *)value); break;
    case KEY_U32: memcpy(&word, value, sizeof word); put_big_endian(out, word, 4); break;
    case KEY_F32: memcpy(&narrow, value, sizeof narrow); put_f32(out, narrow); break;
    case KEY_F64: memcpy(&wide, value, sizeof wide); put_f64(out, wide); break;
    case KEY_NUMERIC: put_numeric(out, numeric_from_value(type, value)); break;
    case KEY_TEXT:
    case KEY_BYTES: put_text(out, text_of(value, false)); break;
    case KEY_PADDED: put_text(out, text_of(value, true)); break;
    case KEY_SPAN: put_span(out, value); break;
    case KEY_RAW16: buffer_append(out, value, 16); break;
    default: put_integer(out, class, value); break;
    }
}

void key_put(Buffer *out, const KeyPart *part, const void *value) {
    assert(key_type_allowed((TypeId)part->type.id));
    assert(value != NULL || !part->never_null);
    if (!part->never_null) {
        buffer_put_u8(out, value != NULL ? 1 : part->nulls_first ? 0 : 2);
    }
    if (value == NULL) {
        return;
    }
    size_t from = out->len;
    put_value(out, part->type, value);
    for (size_t i = from; part->descending && i < out->len; i++) {
        out->data[i] = (uint8_t)~out->data[i];
    }
}

static bool is_integer_class(KeyClass class) { return class == KEY_I8 || class == KEY_I16 || class == KEY_I32 || class == KEY_I64; }

/* Texts of all kinds are one class here; char(n) leaves its blanks out on both sides. */
static KeyClass family_of(TypeId type) {
    KeyClass class = class_of(type);
    return is_integer_class(class) && type_is_integer(type) ? KEY_I64 : class == KEY_PADDED ? KEY_TEXT : class;
}

bool key_types_comparable(TypeId from, TypeId to) {
    bool widened = family_of(from) == KEY_I64 && type_is_integer(from) && family_of(to) == KEY_NUMERIC;
    bool same = family_of(from) == family_of(to) && type_is_integer(from) == type_is_integer(to);
    bool times = type_is_timestamp(from) || type_is_timestamp(to);
    return key_type_allowed(from) && key_type_allowed(to) && (widened || (same && (!times || from == to)));
}

static int64_t integer_of(Type type, const void *value) {
    int8_t i8 = 0;
    int16_t i16 = 0;
    int32_t i32 = 0;
    int64_t i64 = 0;
    switch (class_of((TypeId)type.id)) {
    case KEY_I8: memcpy(&i8, value, sizeof i8); return i8;
    case KEY_I16: memcpy(&i16, value, sizeof i16); return i16;
    case KEY_I32: memcpy(&i32, value, sizeof i32); return i32;
    default: memcpy(&i64, value, sizeof i64); return i64;
    }
}

static bool put_narrowed(Buffer *out, const KeyPart *part, int64_t number) {
    static const int BITS[] = {[KEY_I8] = 8, [KEY_I16] = 16, [KEY_I32] = 32, [KEY_I64] = 64};
    int bits = BITS[class_of((TypeId)part->type.id)];
    int64_t limit = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    if (number > limit || number < -limit - 1) {
        return false;
    }
    key_put(out, part, &number); /* little-endian: the low bytes are the narrow number */
    return true;
}

bool key_put_as(Buffer *out, const KeyPart *part, Type from, const void *value) {
    KeyPart as = *part;
    if (value == NULL) {
        key_put(out, part, NULL);
        return true;
    }
    if (type_is_integer((TypeId)from.id) && type_is_integer((TypeId)part->type.id)) {
        return put_narrowed(out, part, integer_of(from, value));
    }
    if (type_is_integer((TypeId)from.id)) {
        NumericSlot slot = {.as.coefficient = integer_of(from, value)};
        as.type = type_of(TYPE_NUMERIC);
        key_put(out, &as, &slot);
        return true;
    }
    if (class_of((TypeId)part->type.id) == KEY_PADDED || class_of((TypeId)part->type.id) == KEY_TEXT) {
        as.type = class_of((TypeId)from.id) == KEY_PADDED ? from : part->type;
        key_put(out, &as, value);
        return true;
    }
    as.type = from; /* numerics are read as what they are; the bytes are the same */
    key_put(out, &as, value);
    return true;
}

void key_pad(Buffer *out) {
    if (out->len < INDEX_KEY_BYTES_MIN) {
        buffer_append_fill(out, 0, INDEX_KEY_BYTES_MIN - out->len);
    }
}

uint64_t key_prefix(Bytes key) {
    uint64_t word = 0;
    if (key.len >= 8) {
        memcpy(&word, key.data, sizeof word);
        return __builtin_bswap64(word);
    }
    for (size_t i = 0; i < 8; i++) {
        word = word << 8 | (i < key.len ? key.data[i] : 0);
    }
    return word;
}

int key_compare(Bytes a, Bytes b) {
    size_t shared = MIN_OF(a.len, b.len);
    int order = shared == 0 ? 0 : memcmp(a.data, b.data, shared);
    if (order != 0 || a.len == b.len) {
        return order;
    }
    Bytes longer = a.len > b.len ? a : b;
    for (size_t i = shared; i < longer.len; i++) {
        if (longer.data[i] != 0) {
            return a.len > b.len ? 1 : -1;
        }
    }
    return 0;
}
