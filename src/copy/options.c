/* SPDX-License-Identifier: Apache-2.0
 * options.c - COPY's options out of the parsed statement, checked as PostgreSQL checks them. */
#include "base/number.h"
#include "copy/copy_internal.h"

/* What was given, as far as CopyOptions does not tell it. */
typedef struct OptionReader {
    CopyOptions *options;
    Arena *arena;
    bool from;
    uint32_t given;                      /* a bit an option of the table */
    Str delimiter, quote, escape;
    bool force_quote, force_not_null, force_null;
    Error *err;
} OptionReader;
typedef ErrorCode (*OptionTake)(OptionReader *reader, const AstOption *option);

static ErrorCode refuse(OptionReader *reader, ErrorCode code, const AstOption *option, const char *message) {
    return error_set(reader->err, code, option == NULL ? ERROR_NO_POSITION : (int64_t)option->name.span.at, "%s", message);
}

/* ---- values ---- */

/* A word, a string or a number as text. */
static ErrorCode take_text(OptionReader *reader, const AstOption *option, Str *text_out) {
    const AstExpr *value = option->value;
    if (value == NULL) {
        return error_set(reader->err, ERR_SYNTAX, (int64_t)option->name.span.at, "%.*s requires a parameter", STR_ARG(option->name.text));
    }
    switch ((AstExprKind)value->kind) {
    case AST_STRING:
    case AST_INTEGER:
    case AST_NUMBER:
        *text_out = arena_str(reader->arena, value->as.text);
        return ERR_OK;
    case AST_BOOLEAN:
        *text_out = value->as.boolean ? STR("true") : STR("false");
        return ERR_OK;
    case AST_NAME:
        *text_out = arena_str(reader->arena, value->as.names.parts[value->as.names.count - 1].text);
        return ERR_OK;
    default:
        return error_set(reader->err, ERR_SYNTAX, (int64_t)value->span.at, "%.*s requires a parameter", STR_ARG(option->name.text));
    }
}

static bool read_bool(Str text, bool *value_out) {
    static const Str YES[] = {STR("true"), STR("on"), STR("1")}, NO[] = {STR("false"), STR("off"), STR("0")};
    for (size_t i = 0; i < COUNT_OF(YES); i++) {
        if (str_equal_ignore_case(text, YES[i]) || str_equal_ignore_case(text, NO[i])) {
            *value_out = str_equal_ignore_case(text, YES[i]);
            return true;
        }
    }
    return false;
}

static ErrorCode not_recognised(OptionReader *reader, const AstOption *option, const char *what, Str value) {
    return error_set(reader->err, ERR_INVALID_PARAMETER, (int64_t)option->name.span.at, "COPY %s \"%.*s\" not recognized", what, STR_ARG(value));
}

static ErrorCode take_columns(OptionReader *reader, const AstOption *option, bool *all_out, const Str **names_out, uint32_t *count_out) {
    const AstExpr *value = option->value;
    if (value != NULL && ((value->kind == AST_STRING && str_equal(value->as.text, STR("*"))) || value->kind == AST_STAR)) {
        *all_out = true;
        return ERR_OK;
    }
    bool one = value != NULL && (value->kind == AST_NAME || value->kind == AST_STRING), many = value != NULL && value->kind == AST_ROW;
    uint32_t count = one ? 1 : many ? value->arg_count : 0;
    Str *names = arena_array(reader->arena, Str, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const AstExpr *name = one ? value : value->args[i];
        if (name->kind == AST_NAME && name->as.names.count == 1) {
            names[i] = arena_str(reader->arena, name->as.names.parts[0].text);
        } else if (name->kind == AST_STRING) {
            names[i] = arena_str(reader->arena, name->as.text);
        } else {
            count = 0;
        }
    }
    if (count == 0) {
        return error_set(reader->err, ERR_INVALID_PARAMETER, (int64_t)option->name.span.at, "argument to option \"%.*s\" must be a list of column names",
                         STR_ARG(option->name.text));
    }
    *names_out = names;
    *count_out = count;
    return ERR_OK;
}

/* ---- one function an option ---- */

static ErrorCode take_format(OptionReader *reader, const AstOption *option) {
    Str value;
    TRY(take_text(reader, option, &value));
    if (str_equal_ignore_case(value, STR("text"))) {
        reader->options->format = COPY_TEXT;
    } else if (str_equal_ignore_case(value, STR("csv"))) {
        reader->options->format = COPY_CSV;
    } else if (str_equal_ignore_case(value, STR("binary"))) {
        reader->options->format = COPY_BINARY;
    } else {
        return not_recognised(reader, option, "format", value);
    }
    return ERR_OK;
}

static ErrorCode take_header(OptionReader *reader, const AstOption *option) {
    Str value = STR("true");
    bool on;
    if (option->value != NULL) {
        TRY(take_text(reader, option, &value));
    }
    if (str_equal_ignore_case(value, STR("match"))) {
        reader->options->header = COPY_HEADER_MATCH;
        return reader->from ? ERR_OK : refuse(reader, ERR_NOT_SUPPORTED, option, "cannot use \"match\" with HEADER in COPY TO");
    }
    if (!read_bool(value, &on)) {
        return refuse(reader, ERR_SYNTAX, option, "header requires a Boolean value or \"match\"");
    }
    reader->options->header = on ? COPY_HEADER_YES : COPY_HEADER_NONE;
    return ERR_OK;
}

static ErrorCode take_freeze(OptionReader *reader, const AstOption *option) {
    Str value = STR("true");
    if (option->value != NULL) {
        TRY(take_text(reader, option, &value));
    }
    return read_bool(value, &reader->options->freeze) ? ERR_OK : refuse(reader, ERR_SYNTAX, option, "freeze requires a Boolean value");
}

static ErrorCode take_delimiter(OptionReader *reader, const AstOption *option) { return take_text(reader, option, &reader->delimiter); }
static ErrorCode take_null(OptionReader *reader, const AstOption *option) { return take_text(reader, option, &reader->options->null_text); }
static ErrorCode take_default(OptionReader *reader, const AstOption *option) { return take_text(reader, option, &reader->options->default_text); }
static ErrorCode take_quote(OptionReader *reader, const AstOption *option) { return take_text(reader, option, &reader->quote); }
static ErrorCode take_escape(OptionReader *reader, const AstOption *option) { return take_text(reader, option, &reader->escape); }

static ErrorCode take_force_quote(OptionReader *reader, const AstOption *option) {
    CopyOptions *o = reader->options;
    reader->force_quote = true;
    return take_columns(reader, option, &o->force_quote_all, &o->force_quote, &o->force_quote_count);
}

static ErrorCode take_force_not_null(OptionReader *reader, const AstOption *option) {
    CopyOptions *o = reader->options;
    reader->force_not_null = true;
    return take_columns(reader, option, &o->force_not_null_all, &o->force_not_null, &o->force_not_null_count);
}

static ErrorCode take_force_null(OptionReader *reader, const AstOption *option) {
    CopyOptions *o = reader->options;
    reader->force_null = true;
    return take_columns(reader, option, &o->force_null_all, &o->force_null, &o->force_null_count);
}

static ErrorCode take_encoding(OptionReader *reader, const AstOption *option) {
    static const Str KNOWN[] = {STR("utf8"), STR("utf-8"), STR("unicode"), STR("sql_ascii")};
    Str value;
    TRY(take_text(reader, option, &value));
    for (size_t i = 0; i < COUNT_OF(KNOWN); i++) {
        if (str_equal_ignore_case(value, KNOWN[i])) {
            return ERR_OK;
        }
    }
    return error_set(reader->err, ERR_NOT_SUPPORTED, (int64_t)option->name.span.at, "COPY knows the encoding UTF8 only, not \"%.*s\"", STR_ARG(value));
}

static ErrorCode take_on_error(OptionReader *reader, const AstOption *option) {
    Str value;
    TRY(take_text(reader, option, &value));
    if (!reader->from) {
        return refuse(reader, ERR_INVALID_PARAMETER, option, "COPY ON_ERROR cannot be used with COPY TO");
    }
    reader->options->on_error_ignore = str_equal_ignore_case(value, STR("ignore"));
    return reader->options->on_error_ignore || str_equal_ignore_case(value, STR("stop")) ? ERR_OK : not_recognised(reader, option, "ON_ERROR", value);
}

static ErrorCode take_log_verbosity(OptionReader *reader, const AstOption *option) {
    Str value;
    TRY(take_text(reader, option, &value));
    reader->options->log_silent = str_equal_ignore_case(value, STR("silent"));
    reader->options->log_verbose = str_equal_ignore_case(value, STR("verbose"));
    bool fine = reader->options->log_silent || reader->options->log_verbose || str_equal_ignore_case(value, STR("default"));
    return fine ? ERR_OK : not_recognised(reader, option, "LOG_VERBOSITY", value);
}

static ErrorCode take_reject_limit(OptionReader *reader, const AstOption *option) {
    Str value;
    bool overflow;
    TRY(take_text(reader, option, &value));
    if (!parse_int64(value, &reader->options->reject_limit, &overflow)) {
        return refuse(reader, ERR_SYNTAX, option, "reject_limit requires a numeric value");
    }
    if (reader->options->reject_limit <= 0) {
        return error_set(reader->err, ERR_INVALID_PARAMETER, (int64_t)option->name.span.at, "REJECT_LIMIT (%ld) must be greater than zero",
                         (long)reader->options->reject_limit);
    }
    return ERR_OK;
}

static const struct { const char *name; OptionTake take; } OPTIONS[] = {
    {"format", take_format}, {"freeze", take_freeze}, {"delimiter", take_delimiter}, {"null", take_null},
    {"default", take_default}, {"header", take_header}, {"quote", take_quote}, {"escape", take_escape},
    {"force_quote", take_force_quote}, {"force_not_null", take_force_not_null}, {"force_null", take_force_null}, {"encoding", take_encoding},
    {"on_error", take_on_error}, {"log_verbosity", take_log_verbosity}, {"reject_limit", take_reject_limit},
};

static ErrorCode take_option(OptionReader *reader, const AstOption *option) {
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        if (!str_equal_ignore_case(option->name.text, str_from_c(OPTIONS[i].name))) {
            continue;
        }
        if ((reader->given & 1u << i) != 0) {
            return refuse(reader, ERR_SYNTAX, option, "conflicting or redundant options");
        }
        reader->given |= 1u << i;
        return OPTIONS[i].take(reader, option);
    }
    return error_set(reader->err, ERR_SYNTAX, (int64_t)option->name.span.at, "option \"%.*s\" not recognized", STR_ARG(option->name.text));
}

/* ---- all of them together ---- */

static bool has_char(Str text, char c) {
    return text.len > 0 && str_find_char(text, c, 0) >= 0;
}

static bool has_line_end(Str text) {
    return has_char(text, '\n') || has_char(text, '\r');
}

/* One byte, or the error's message. */
static ErrorCode one_byte(OptionReader *reader, Str text, char *byte_out, const char *message) {
    if (text.data == NULL) {
        return ERR_OK;
    }
    if (text.len != 1 || (uint8_t)text.data[0] >= 0x80) {
        return refuse(reader, ERR_NOT_SUPPORTED, NULL, message);
    }
    *byte_out = text.data[0];
    return ERR_OK;
}

static ErrorCode check_binary(OptionReader *reader) {
    const CopyOptions *o = reader->options;
    if (o->format != COPY_BINARY) {
        return ERR_OK;
    }
    const char *what = reader->delimiter.data != NULL ? "cannot specify DELIMITER in BINARY mode"
                       : o->null_text.data != NULL    ? "cannot specify NULL in BINARY mode"
                       : o->default_text.data != NULL ? "cannot specify DEFAULT in BINARY mode"
                       : o->header != COPY_HEADER_NONE ? "cannot specify HEADER in BINARY mode"
                       : o->on_error_ignore           ? "only ON_ERROR STOP is allowed in BINARY mode"
                                                      : NULL;
    return what == NULL ? ERR_OK : refuse(reader, o->header != COPY_HEADER_NONE ? ERR_NOT_SUPPORTED : ERR_SYNTAX, NULL, what);
}

static ErrorCode check_csv_only(OptionReader *reader) {
    if (reader->options->format == COPY_CSV) {
        return ERR_OK;
    }
    const char *what = reader->quote.data != NULL    ? "COPY QUOTE requires CSV mode"
                       : reader->escape.data != NULL ? "COPY ESCAPE requires CSV mode"
                       : reader->force_quote         ? "COPY FORCE_QUOTE requires CSV mode"
                       : reader->force_not_null      ? "COPY FORCE_NOT_NULL requires CSV mode"
                       : reader->force_null          ? "COPY FORCE_NULL requires CSV mode"
                                                     : NULL;
    return what == NULL ? ERR_OK : refuse(reader, ERR_NOT_SUPPORTED, NULL, what);
}

static ErrorCode check_direction(OptionReader *reader) {
    const CopyOptions *o = reader->options;
    const char *what = reader->from && reader->force_quote       ? "COPY FORCE_QUOTE cannot be used with COPY FROM"
                       : !reader->from && reader->force_not_null ? "COPY FORCE_NOT_NULL cannot be used with COPY TO"
                       : !reader->from && reader->force_null     ? "COPY FORCE_NULL cannot be used with COPY TO"
                       : !reader->from && o->freeze              ? "COPY FREEZE cannot be used with COPY TO"
                       : !reader->from && o->default_text.data != NULL ? "COPY DEFAULT cannot be used with COPY TO"
                       : o->reject_limit > 0 && !o->on_error_ignore ? "COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"
                                                                 : NULL;
    bool unsupported = (reader->from && reader->force_quote) || (!reader->from && o->default_text.data != NULL);
    return what == NULL ? ERR_OK : refuse(reader, unsupported ? ERR_NOT_SUPPORTED : ERR_INVALID_PARAMETER, NULL, what);
}

/* Of the marker's text, when all else is fine. */
static ErrorCode check_default_text(OptionReader *reader, bool csv) {
    const CopyOptions *o = reader->options;
    const char *what = has_char(o->default_text, o->delimiter)      ? "COPY delimiter character must not appear in the DEFAULT specification"
                       : csv && has_char(o->default_text, o->quote) ? "CSV quote character must not appear in the DEFAULT specification"
                       : o->default_text.data != NULL && str_equal(o->default_text, o->null_text)
                           ? "NULL specification and DEFAULT specification cannot be the same"
                           : NULL;
    return what == NULL ? ERR_OK : refuse(reader, ERR_NOT_SUPPORTED, NULL, what);
}

static ErrorCode check_characters(OptionReader *reader) {
    CopyOptions *o = reader->options;
    if (o->format == COPY_BINARY) {
        return ERR_OK;
    }
    bool csv = o->format == COPY_CSV;
    if (o->delimiter == '\n' || o->delimiter == '\r') {
        return refuse(reader, ERR_INVALID_PARAMETER, NULL, "COPY delimiter cannot be newline or carriage return");
    }
    if (!csv && has_char(STR("\\.abcdefghijklmnopqrstuvwxyz0123456789"), o->delimiter)) {
        return error_set(reader->err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "COPY delimiter cannot be \"%c\"", o->delimiter);
    }
    const char *what = has_line_end(o->null_text)              ? "COPY null representation cannot use newline or carriage return"
                       : has_line_end(o->default_text)         ? "COPY default representation cannot use newline or carriage return"
                       : csv && o->delimiter == o->quote       ? "COPY delimiter and quote must be different"
                       : has_char(o->null_text, o->delimiter)  ? "COPY delimiter character must not appear in the NULL specification"
                       : csv && has_char(o->null_text, o->quote) ? "CSV quote character must not appear in the NULL specification"
                       : NULL;
    return what == NULL ? check_default_text(reader, csv) : refuse(reader, ERR_INVALID_PARAMETER, NULL, what);
}

void copy_options_complete(CopyOptions *options) {
    bool csv = options->format == COPY_CSV;
    options->delimiter = options->delimiter != 0 ? options->delimiter : csv ? ',' : '\t';
    options->quote = options->quote != 0 ? options->quote : '"';
    options->escape = options->escape != 0 ? options->escape : options->quote;
    if (options->null_text.data == NULL) {
        options->null_text = csv ? STR("") : STR("\\N");
    }
}

ErrorCode copy_options_read(const AstCopy *copy, Arena *arena, CopyOptions *options_out, Error *err) {
    *options_out = (CopyOptions){0};
    OptionReader reader = {.options = options_out, .arena = arena, .from = copy->from, .err = err};
    for (uint32_t i = 0; i < copy->option_count; i++) {
        TRY(take_option(&reader, &copy->options[i]));
    }
    TRY(check_binary(&reader));
    TRY(one_byte(&reader, reader.delimiter, &options_out->delimiter, "COPY delimiter must be a single one-byte character"));
    TRY(check_csv_only(&reader));
    TRY(one_byte(&reader, reader.quote, &options_out->quote, "COPY quote must be a single one-byte character"));
    TRY(one_byte(&reader, reader.escape, &options_out->escape, "COPY escape must be a single one-byte character"));
    TRY(check_direction(&reader));
    copy_options_complete(options_out);
    return check_characters(&reader);
}
