/* SPDX-License-Identifier: Apache-2.0
 * input_check.c - pg_input_is_valid and pg_input_error_info: would a text be a value of a type, and what is said if not?
 *
 * Why:   texts become values when a statement is bound, so both are answered then, of constants; the executor has no errors that it could catch.
 * Tests: test/sql/table_functions.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"

static ErrorCode constant_text(Binder *b, const Expr *arg, int64_t position, Str *text_out, bool *null_out) {
    TRY(coerce(b, arg, type_of(TYPE_TEXT), CAST_IMPLICIT, &arg));
    if (arg->kind != EXPR_CONSTANT) {
        return not_supported(b, position, "a check of input that is not constant");
    }
    *null_out = arg->as.value.is_null;
    *text_out = *null_out ? (Str){0} : strref_str(&arg->as.value.as.str);
    return ERR_OK;
}

/* Errors in data are what is asked for; any other is an error of the statement. */
static bool is_data_error(ErrorCode code) {
    const char *state = error_sqlstate(code);
    return state[0] == '2' && (state[1] == '2' || state[1] == '3');
}

/* varchar(n) and char(n): blanks at the end do not count. */
static bool is_checked_for_length(Binder *b, Str text, Type type, Error *found) {
    if ((type.id != TYPE_VARCHAR && type.id != TYPE_BPCHAR) || type.length == 0) {
        return false;
    }
    size_t length = utf8_length(text);
    while (length > (size_t)type.length && text.data[text.len - 1] == ' ') {
        text.len--;
        length--;
    }
    if (length > (size_t)type.length) {
        error_ignore(error_set(found, ERR_STRING_TOO_LONG, ERROR_NO_POSITION, "value too long for type %.*s", STR_ARG(type_name(b, type))));
    }
    return true;
}

/* found_out->code: ERR_OK, or what is wrong with the text. */
static ErrorCode check_input(Binder *b, const Expr **args, uint32_t count, int64_t position, bool *null_out, Error *found_out) {
    Str text, type_text;
    bool no_type = false;
    AstType *ast = NULL;
    Type type;
    const Expr *value = NULL;
    error_clear(found_out);
    if (count != 2) {
        return error_set(b->err, ERR_UNDEFINED_FUNCTION, position, "a check of input takes a text and the name of a type");
    }
    TRY(constant_text(b, args[0], position, &text, null_out));
    TRY(constant_text(b, args[1], position, &type_text, &no_type));
    *null_out = *null_out || no_type;
    if (*null_out) {
        return ERR_OK;
    }
    TRY(sql_parse_type(type_text, b->dialect, b->arena, &ast, b->err));
    uint32_t domain = 0;
    ErrorCode code = type_or_domain(b, ast, &type, &domain);
    if (code != ERR_OK) {
        b->err->position = ERROR_NO_POSITION; /* it lies in another text */
        return code;
    }
    if (domain != 0) {
        return not_supported(b, position, "a check of input of a domain");
    }
    if (is_checked_for_length(b, text, type, found_out)) {
        return ERR_OK;
    }
    Error *err = b->err;
    b->err = found_out;
    code = coerce(b, expr_text(b, text, TYPE_UNKNOWN, position), type, CAST_ASSIGNMENT, &value);
    b->err = err;
    if (code != ERR_OK && !is_data_error(code)) {
        *err = *found_out;
        return code;
    }
    return code == ERR_OK && value->kind != EXPR_CONSTANT ? not_supported(b, position, "a check of input of type %.*s", STR_ARG(type_name(b, type))) : ERR_OK;
}

ErrorCode call_input_is_valid(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out) {
    Error found;
    bool null = false;
    TRY(check_input(b, args, count, position, &null, &found));
    *expr_out = null ? expr_null(b, type_of(TYPE_BOOL), position) : expr_bool(b, found.code == ERR_OK, position);
    return ERR_OK;
}

ErrorCode input_error_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out) {
    static const char *const NAMES[] = {"message", "detail", "hint", "sql_error_code"};
    Error found;
    bool null = false;
    TRY(check_input(b, args, count, position, &null, &found));
    TRY(rel_new(b, REL_VALUES, COUNT_OF(NAMES), position, rel_out));
    bool wrong = !null && found.code != ERR_OK;
    const char *texts[] = {found.message, error_field(&found, 'D'), error_field(&found, 'H'), error_sqlstate(found.code)};
    const Expr **cells = arena_array(b->arena, const Expr *, COUNT_OF(NAMES));
    for (uint32_t c = 0; c < COUNT_OF(NAMES); c++) {
        bool has = wrong && texts[c] != NULL;
        cells[c] = has ? expr_text(b, arena_str(b->arena, str_from_c(texts[c])), TYPE_TEXT, position) : expr_null(b, type_of(TYPE_TEXT), position);
        rel_columns(*rel_out)[c].type = type_of(TYPE_TEXT);
        rel_columns(*rel_out)[c].name = str_from_c(NAMES[c]);
    }
    (*rel_out)->as.values.exprs = cells;
    (*rel_out)->as.values.row_count = 1;
    return ERR_OK;
}
