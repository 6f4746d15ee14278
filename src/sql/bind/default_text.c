/* SPDX-License-Identifier: Apache-2.0
 * default_text.c - the text of a DEFAULT as PostgreSQL shows it: constants with their types, '{}'::jsonb, 5, true.
 *
 * Why:   programs that read a schema parse what pg_get_expr says; a bare '5' or TRUE is no default to them. What is no constant stays as written.
 * Tests: test/sql/default_text.slt */
#include "column/value_text.h"
#include "sql/bind/bind_internal.h"
#include "sql/parse/parse.h"

enum { DEFAULT_TEXT_BYTES_MAX = 1 << 20 };

static void put_labelled(Buffer *out, Str value, Type type) {
    char name[80];
    size_t len = type_format_pg(name, sizeof name, type_oid_of(type), -1);
    sql_deparse_string(value, out);
    buffer_append_str(out, STR("::"));
    buffer_append_str(out, type.id == TYPE_BPCHAR ? STR("bpchar") : (Str){name, len});
}

/* Of a numeric only one that would be read as a numeric again stands without quotes. */
static bool is_plain(Type type, Str value) {
    bool digit = value.len > 0 && value.data[0] >= '0' && value.data[0] <= '9', point = false;
    for (size_t i = 0; i < value.len; i++) {
        point = point || value.data[i] == '.' || value.data[i] == 'e' || value.data[i] == 'E';
    }
    bool decimal = type.id == TYPE_NUMERIC || type.id == TYPE_DECIMAL8 || type.id == TYPE_DECIMAL16;
    return digit && ((type.id == TYPE_INT4) || (decimal && point));
}

static bool has_plain_text(Type type) {
    TypeCategory category = type_category((TypeId)type.id);
    return type_enum_object(type) == 0 && type.id != TYPE_SYMBOL && type.id != TYPE_CHAR && type_is_stored(type) && (category != CAT_OID || type.id == TYPE_OID) && category != CAT_UNKNOWN;
}

/* What was put together, or `text` if it is too long. */
static Str taken(Binder *b, Buffer *out, Str text) {
    Str shown = out->failed ? text : arena_str(b->arena, buffer_str(out));
    buffer_deinit(out);
    return shown;
}

static Str constant_text(Binder *b, const Value *value, Str text) {
    Buffer raw;
    if (value->is_null || !has_plain_text(value->type)) {
        return text;
    }
    if (value->type.id == TYPE_BOOL) {
        return value->as.boolean ? STR("true") : STR("false");
    }
    buffer_init(&raw, DEFAULT_TEXT_BYTES_MAX);
    value_format(value->type, &value->as, &(TextStyle){0}, &raw);
    if (raw.failed || is_plain(value->type, buffer_str(&raw))) {
        return taken(b, &raw, text);
    }
    Buffer out;
    buffer_init(&out, 2 * DEFAULT_TEXT_BYTES_MAX);
    put_labelled(&out, buffer_str(&raw), value->type);
    buffer_deinit(&raw);
    return taken(b, &out, text);
}

/* Zones and the day are of the session: such a text keeps what it says. */
static bool depends_on_session(Type type) { return type.id == TYPE_TIMESTAMPTZ || type.id == TYPE_TIMETZ || type_category((TypeId)type.id) == CAT_ARRAY; }

static Str string_text(Binder *b, const AstExpr *ast, const Expr *own, Type type, Str text) {
    const Expr *value = NULL;
    Type base = type_bare(type);
    Error ignored = {0};
    Error *err = b->err;
    b->err = &ignored;
    bool known = coerce(b, own, base, CAST_ASSIGNMENT, &value) == ERR_OK && value->kind == EXPR_CONSTANT;
    b->err = err;
    if (!known) {
        return text;
    }
    if (!depends_on_session(base)) {
        return constant_text(b, &value->as.value, text);
    }
    Buffer out;
    buffer_init(&out, DEFAULT_TEXT_BYTES_MAX);
    put_labelled(&out, ast->as.text, type);
    return taken(b, &out, text);
}

static bool is_negative_number(const AstExpr *ast) {
    return ast->kind == AST_CALL && (ast->flags & AST_OPERATOR) != 0 && ast->arg_count == 1 && str_equal(ast->as.text, STR("-")) &&
           (ast->args[0]->kind == AST_INTEGER || ast->args[0]->kind == AST_NUMBER) && (ast->args[0]->flags & AST_SUFFIXED) == 0;
}

static Str negative_text(Binder *b, const AstExpr *ast, Str text) {
    int64_t number = 0;
    bool overflow = false, integer = ast->args[0]->kind == AST_INTEGER;
    Str digits = ast->args[0]->as.text;
    if (integer && (!parse_int64(digits, &number, &overflow) || overflow)) {
        return text;
    }
    const char *type = !integer ? "numeric" : number <= INT32_MAX ? "integer" : "bigint";
    return arena_format(b->arena, "'-%.*s'::%s", STR_ARG(digits), type);
}

Str default_text_shown(Binder *b, const AstExpr *ast, const Expr *own, Type type, Str text) {
    if (b->dialect != DIALECT_POSTGRES) {
        return text;
    }
    switch (ast->kind) {
    case AST_NULL: return (Str){0};
    case AST_STRING: return string_text(b, ast, own, type, text);
    case AST_NUMBER: return text.len > 0 && text.data[0] == '-' ? arena_format(b->arena, "'%.*s'::numeric", STR_ARG(text)) : text;
    case AST_INTEGER:
    case AST_BOOLEAN: return own->kind == EXPR_CONSTANT ? constant_text(b, &own->as.value, text) : text;
    case AST_CAST: return own->kind == EXPR_CONSTANT && !depends_on_session(own->type) ? constant_text(b, &own->as.value, text) : text;
    case AST_CALL: break;
    default: return text;
    }
    if (is_negative_number(ast)) {
        return negative_text(b, ast, text);
    }
    if ((ast->flags & AST_BARE) != 0 && ast->arg_count == 0) {
        return arena_upper(b->arena, ast->as.text); /* CURRENT_TIMESTAMP and its kin are words of the language */
    }
    if ((ast->flags & AST_OPERATOR) == 0 && ast->arg_count == 0) {
        return arena_format(b->arena, "%.*s()", STR_ARG(ast->as.text));
    }
    bool call = (ast->flags & (AST_OPERATOR | AST_PARENS)) == AST_PARENS && text.len > 2 && text.data[0] == '(' && text.data[text.len - 1] == ')';
    return call ? (Str){text.data + 1, text.len - 2} : text;
}
