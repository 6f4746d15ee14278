/* SPDX-License-Identifier: Apache-2.0
 * literal.c - constants as they are written: the smallest integer type that holds them, numeric or float8 by dialect, unknown text. */
#include "base/number.h"
#include "sql/bind/bind_internal.h"

static const Expr *integer_constant(Binder *b, int64_t number, int64_t position) {
    Value value = {.type = type_of(number >= INT32_MIN && number <= INT32_MAX ? TYPE_INT4 : TYPE_INT8)};
    if (value.type.id == TYPE_INT4) {
        value.as.i32 = (int32_t)number;
    } else {
        value.as.i64 = number;
    }
    return expr_constant(b, &value, position);
}

static ErrorCode float8_constant(Binder *b, Str text, int64_t position, const Expr **expr_out) {
    Value value = {.type = type_of(TYPE_FLOAT8)};
    if (!parse_double(text, &value.as.f64)) {
        return error_set(b->err, ERR_OUT_OF_RANGE, position, "\"%.*s\" is out of range for type double precision", STR_ARG(text));
    }
    *expr_out = expr_constant(b, &value, position);
    return ERR_OK;
}

/* Written with an exponent: what no numeric of ours holds, such as 1e-320, is meant as a float. */
static bool is_scientific(Str text) {
    return str_find_char(text, 'e', 0) >= 0 || str_find_char(text, 'E', 0) >= 0;
}

static ErrorCode numeric_constant(Binder *b, Str text, int64_t position, const Expr **expr_out) {
    Numeric number = {0};
    Error reason;
    ErrorCode code = numeric_parse(text, &number, &reason);
    if (code == ERR_OUT_OF_RANGE && is_scientific(text)) {
        return coerce(b, expr_text(b, text, TYPE_UNKNOWN, position), type_of(TYPE_FLOAT8), CAST_EXPLICIT, expr_out);
    }
    if (code != ERR_OK) {
        return error_set(b->err, code, position, "%s", reason.message);
    }
    Value value = {.type = type_of(TYPE_NUMERIC)};
    value.as.numeric = numeric_to_slot(number, b->arena);
    *expr_out = expr_constant(b, &value, position);
    return ERR_OK;
}

/* 0x1f, 0o17, 0b01, perhaps with a sign in front. */
static bool radix_number(Str text, int64_t *number_out, bool *is_radix) {
    bool negative = text.len > 0 && text.data[0] == '-';
    Str digits = str_slice(text, negative ? 1 : 0, text.len);
    *is_radix = digits.len > 2 && digits.data[0] == '0' && digits.data[1] > '9';
    if (!*is_radix) {
        return false;
    }
    uint32_t shift = (digits.data[1] | 0x20) == 'x' ? 4 : (digits.data[1] | 0x20) == 'o' ? 3 : 1;
    uint64_t number = 0;
    for (size_t i = 2; i < digits.len; i++) {
        uint32_t c = (uint8_t)digits.data[i];
        uint32_t digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        if (number >> (64 - shift) != 0) {
            return false;
        }
        number = number << shift | digit;
    }
    if (number > INT64_MAX) {
        return false;
    }
    *number_out = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static ErrorCode bind_integer(Binder *b, Str text, int64_t position, const Expr **expr_out) {
    int64_t number = 0;
    bool flag = false;
    if (radix_number(text, &number, &flag) || (!flag && parse_int64(text, &number, &flag))) {
        *expr_out = integer_constant(b, number, position);
        return ERR_OK;
    }
    return numeric_constant(b, text, position, expr_out);
}

/* 12.5m: a decimal of just these digits; 10L: int8; 1.5f, 1.5d: floats. */
static ErrorCode bind_suffixed(Binder *b, Str text, int64_t position, const Expr **expr_out) {
    Str number = str_slice(text, 0, text.len - 1);
    const Expr *expr = NULL;
    switch (text.data[text.len - 1] | 0x20) {
    case 'm': {
        TRY(numeric_constant(b, number, position, &expr));
        int digits = 0;
        for (size_t i = 0; i < number.len; i++) {
            digits += number.data[i] >= '0' && number.data[i] <= '9';
        }
        ptrdiff_t point = str_find_char(number, '.', 0);
        int scale = point < 0 ? 0 : (int)(number.len - (size_t)point - 1);
        return coerce(b, expr, type_decimal(MIN_OF(MAX_OF(digits, 1), NUMERIC_DIGITS_MAX), scale), CAST_EXPLICIT, expr_out);
    }
    case 'l':
        TRY(bind_integer(b, number, position, &expr));
        return coerce(b, expr, type_of(TYPE_INT8), CAST_EXPLICIT, expr_out);
    case 'd': return float8_constant(b, number, position, expr_out);
    default:
        TRY(float8_constant(b, number, position, &expr));
        return coerce(b, expr, type_of(TYPE_FLOAT4), CAST_EXPLICIT, expr_out);
    }
}

ErrorCode bind_literal(Binder *b, const AstExpr *ast, const Expr **expr_out) {
    int64_t position = ast->span.at;
    switch (ast->kind) {
    case AST_NULL: *expr_out = expr_null(b, type_of(TYPE_UNKNOWN), position); return ERR_OK;
    case AST_BOOLEAN: *expr_out = expr_bool(b, ast->as.boolean, position); return ERR_OK;
    case AST_STRING: *expr_out = expr_text(b, ast->as.text, TYPE_UNKNOWN, position); return ERR_OK;
    case AST_INTEGER: return bind_integer(b, ast->as.text, position, expr_out);
    case AST_NUMBER:
        if ((ast->flags & AST_SUFFIXED) != 0) {
            return bind_suffixed(b, ast->as.text, position, expr_out);
        }
        return dialect_has(b->dialect, DIALECT_DECIMAL_LITERAL_IS_FLOAT8) ? float8_constant(b, ast->as.text, position, expr_out)
                                                                         : numeric_constant(b, ast->as.text, position, expr_out);
    case AST_BIT_STRING: return not_supported(b, position, "a bit string");
    default: assert(ast->kind == AST_GEOHASH); return not_supported(b, position, "a geohash");
    }
}
