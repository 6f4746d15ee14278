/* SPDX-License-Identifier: Apache-2.0
 * order.c - the comparing function of each type. */
#include "sql/func/order.h"
#include "column/value_rules.h"
#include "sql/func/func_internal.h"

#define ORDER(name, T)                                                                                                 \
    static int order_##name(const void *a, const void *b) {                                                            \
        T x, y;                                                                                                        \
        memcpy(&x, a, sizeof x);                                                                                       \
        memcpy(&y, b, sizeof y);                                                                                       \
        if (x != x || y != y) {                                                                                        \
            return (x != x) - (y != y);                                                                                \
        }                                                                                                              \
        return (x > y) - (x < y);                                                                                      \
    }
ORDER(i8, int8_t)
ORDER(i16, int16_t)
ORDER(i32, int32_t)
ORDER(i64, int64_t)
ORDER(i128, Int128)
ORDER(f32, float)
ORDER(f64, double)

ValueOrder func__order(TypeId type) {
    switch (type) {
    case TYPE_NUMERIC:
        return func__order_numeric;
    case TYPE_BPCHAR:
        return func__order_bpchar;
    case TYPE_INTERVAL:
        return func__order_interval;
    case TYPE_UUID:
        return func__order_uuid;
    case TYPE_FLOAT8_ARRAY:
        return func__order_array;
    default:
        break;
    }
    if (type_category(type) >= CAT_CLOCK || type_is_any_array(type) || type == TYPE_CHAR1) {
        return value_rules(type)->compare;
    }
    switch (type_physical(type)) {
    case PHYS_8:
        return order_i8;
    case PHYS_16:
        return order_i16;
    case PHYS_32:
        return order_i32;
    case PHYS_64:
        return order_i64;
    case PHYS_128:
        return order_i128;
    case PHYS_F32:
        return order_f32;
    case PHYS_F64:
        return order_f64;
    default:
        assert(type_physical(type) == PHYS_STR);
        return func__order_text;
    }
}
