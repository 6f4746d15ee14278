/* SPDX-License-Identifier: Apache-2.0
 * coerce.c - one expression to one type: unknown literals are read, parameters take the type, everything else goes by the cast table.
 *
 * Why:   contexts (implicit, assignment, explicit) are PostgreSQL's; the table of casts lies in sql/func.
 * Tests: test/unit/sql/bind/ */
#include "sql/bind/bind_internal.h"

Str type_name(Binder *b, Type type) {
    uint32_t object_id = type_enum_object(type);
    if (object_id != 0) {
        return arena_format(b->arena, "%.*s%s", STR_ARG(user_type_name(b, object_id)), type.id == TYPE_ARRAY ? "[]" : "");
    }
    char text[64];
    size_t len = b->dialect == DIALECT_QUESTDB ? type_format_exec(text, sizeof text, type) : type_format_sql(text, sizeof text, type);
    return arena_str(b->arena, (Str){text, len});
}

/* ---------------------------------------------------------------- type names */

static ErrorCode modifier_between(Binder *b, const AstExpr *ast, int64_t low, int64_t high, int *number_out) {
    int64_t number = 0;
    bool overflow = false;
    if (ast->kind != AST_INTEGER) {
        return error_set(b->err, ERR_SYNTAX, ast->span.at, "syntax error at or near \"%.*s\"", (int)MIN_OF(ast->span.len, 100u), b->context->text.data + ast->span.at);
    }
    if (!parse_int64(ast->as.text, &number, &overflow) || number < low || number > high) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "type modifier must be a number in range");
    }
    *number_out = (int)number;
    return ERR_OK;
}

enum { MODIFIER_MAX = INT32_MAX };
static ErrorCode modifier_number(Binder *b, const AstExpr *ast, int *number_out) {
    return modifier_between(b, ast, 0, MODIFIER_MAX, number_out);
}

static ErrorCode decimal_type(Binder *b, const AstType *ast, Type *type) {
    int precision = 0;
    int scale = 0;
    TRY(modifier_number(b, ast->modifiers[0], &precision));
    if (ast->modifier_count > 1) {
        TRY(modifier_between(b, ast->modifiers[1], -MODIFIER_MAX, MODIFIER_MAX, &scale));
    }
    int limit = NUMERIC_TYPE_DIGITS_MAX;
    if (precision < 1 || precision > limit) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "NUMERIC precision %d must be between 1 and %d", precision, limit);
    }
    if (scale < -limit || scale > limit) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "NUMERIC scale %d must be between %d and %d", scale, -limit, limit);
    }
    *type = type_numeric(precision, scale);
    return ERR_OK;
}

static ErrorCode text_length(Binder *b, const AstType *ast, Type *type) {
    enum { LENGTH_MAX = 10485760 };
    const char *name = type->id == TYPE_VARCHAR ? "varchar" : "char";
    int length = 0;
    TRY(modifier_number(b, ast->modifiers[0], &length));
    type->length = length;
    if (length < 1) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "length for type %s must be at least 1", name);
    }
    return length <= LENGTH_MAX ? ERR_OK : error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "length for type %s cannot exceed %d", name, LENGTH_MAX);
}

static ErrorCode float_type(Binder *b, const AstType *ast, Type *type) {
    int digits = 0;
    TRY(modifier_number(b, ast->modifiers[0], &digits));
    *type = type_of(digits <= 24 ? TYPE_FLOAT4 : TYPE_FLOAT8);
    if (digits < 1) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->modifiers[0]->span.at, "precision for type float must be at least 1 bit");
    }
    return digits <= 53 ? ERR_OK : error_set(b->err, ERR_INVALID_PARAMETER, ast->modifiers[0]->span.at, "precision for type float must be less than 54 bits");
}

static ErrorCode apply_modifiers(Binder *b, const AstType *ast, Type *type) {
    switch (type->id) {
    case TYPE_NUMERIC:
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16:
        if (ast->modifier_count <= 2) {
            return decimal_type(b, ast, type);
        }
        break;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
        if (ast->modifier_count == 1) {
            return text_length(b, ast, type);
        }
        break;
    case TYPE_CHAR:
        if (ast->modifier_count == 1) { /* char(n) is PostgreSQL's in both dialects: QuestDB's char has no length */
            *type = type_of(TYPE_BPCHAR);
            return apply_modifiers(b, ast, type);
        }
        break;
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
    case TYPE_INTERVAL: {
        int digits = 0;
        TRY(modifier_number(b, ast->modifiers[0], &digits));
        type->precision = (uint8_t)(MIN_OF(digits, 6) + 1); /* PostgreSQL brings more than 6 down with a warning */
        return ERR_OK;
    }
    case TYPE_FLOAT4:
    case TYPE_FLOAT8: return float_type(b, ast, type);
    default: break;
    }
    Str name = ast->name.parts[ast->name.count - 1].text;
    return error_set(b->err, ERR_SYNTAX, ast->span.at, "type modifier is not allowed for type \"%.*s\"", STR_ARG(name));
}

static ErrorCode unknown_type(Binder *b, const AstType *ast) {
    static const Str later[] = {{"inet", 4}, {"ipv4", 4}, {"cidr", 4}, {"macaddr", 7}, {"money", 5}, {"bit", 3}, {"bit varying", 11}, {"varbit", 6},
        {"xml", 3}, {"tsvector", 8}, {"tsquery", 7}, {"point", 5}, {"geohash", 7}, {"long256", 7}, {"long128", 7}, {"int4range", 9}, {"int8range", 9},
        {"tsrange", 7}, {"hstore", 6}, {"citext", 6}};
    const AstName *name = &ast->name.parts[ast->name.count - 1];
    for (size_t i = 0; i < COUNT_OF(later); i++) {
        if (str_equal_ignore_case(name->text, later[i])) {
            return not_supported(b, ast->span.at, "type %.*s", STR_ARG(name->text));
        }
    }
    Str schema = ast->name.count > 1 ? ast->name.parts[ast->name.count - 2].text : (Str){0};
    return error_set(b->err, ERR_UNDEFINED_OBJECT, ast->span.at, "type \"%.*s%s%.*s%s\" does not exist", STR_ARG(schema), schema.len > 0 ? "." : "", STR_ARG(name->text),
                     ast->array_dimensions > 0 ? "[]" : "");
}

/* PostgreSQL's masks of the fields that an interval type may name. */
static int32_t interval_mask(Str fields) {
    static const struct {
        const char *words;
        int32_t mask;
    } MASKS[] = {{"year", 1 << 2}, {"month", 1 << 1}, {"day", 1 << 3}, {"hour", 1 << 10}, {"minute", 1 << 11}, {"second", 1 << 12},
                 {"year to month", 1 << 2 | 1 << 1}, {"day to hour", 1 << 3 | 1 << 10}, {"day to minute", 1 << 3 | 1 << 10 | 1 << 11},
                 {"day to second", 1 << 3 | 1 << 10 | 1 << 11 | 1 << 12}, {"hour to minute", 1 << 10 | 1 << 11},
                 {"hour to second", 1 << 10 | 1 << 11 | 1 << 12}, {"minute to second", 1 << 11 | 1 << 12}};
    for (size_t i = 0; i < COUNT_OF(MASKS); i++) {
        if (str_equal_ignore_case(fields, str_from_c(MASKS[i].words))) {
            return MASKS[i].mask;
        }
    }
    return 0;
}

/* "char" in quotes is the one-byte type; "_int4" is PostgreSQL's own name of int4[]. */
static bool type_by_name(const Binder *b, const AstName *name, Type *type_out) {
    bool questdb = dialect_has(b->dialect, DIALECT_TYPE_NAMES_QUESTDB);
    if (name->quoted && str_equal(name->text, STR("char"))) {
        *type_out = type_of(TYPE_CHAR1);
        return true;
    }
    if (type_from_name(name->text, questdb, type_out)) {
        return true;
    }
    Str element = name->text.len > 1 && name->text.data[0] == '_' ? str_slice(name->text, 1, name->text.len) : (Str){0};
    if (element.len == 0 || !type_from_name(element, false, type_out) || type_array_oid((TypeId)type_out->id) == 0) {
        return false;
    }
    type_out->length = 0; /* _bpchar */
    *type_out = type_array(*type_out);
    return true;
}

static ErrorCode array_of(Binder *b, const AstType *ast, Type *type) {
    bool questdb = dialect_has(b->dialect, DIALECT_TYPE_NAMES_QUESTDB) || str_equal_ignore_case(ast->name.parts[ast->name.count - 1].text, STR("double"));
    if (type->id == TYPE_FLOAT8 && questdb) {
        *type = (Type){.id = TYPE_FLOAT8_ARRAY, .dims = ast->array_dimensions};
        return ERR_OK;
    }
    if (type->id != TYPE_ARRAY && type->id != TYPE_ENUM && type_array_oid((TypeId)type->id) == 0) {
        return error_set(b->err, ERR_UNDEFINED_OBJECT, ast->span.at, "type \"%.*s[]\" does not exist", STR_ARG(type_name(b, *type)));
    }
    *type = type_array(*type);
    return ERR_OK;
}

ErrorCode type_from_ast(Binder *b, const AstType *ast, Type *type_out) {
    uint32_t domain = 0;
    return type_or_domain(b, ast, type_out, &domain);
}

ErrorCode type_or_domain(Binder *b, const AstType *ast, Type *type_out, uint32_t *domain_out) {
    const AstName *name = &ast->name.parts[ast->name.count - 1];
    bool builtin_schema = ast->name.count == 1 || str_equal(ast->name.parts[0].text, STR("pg_catalog"));
    bool found = builtin_schema && type_by_name(b, name, type_out);
    *domain_out = 0;
    if (!found) {
        TRY(user_type_find(b, ast, &found, type_out, domain_out));
    }
    if (!found) {
        return unknown_type(b, ast);
    }
    if (ast->modifier_count > 0) {
        TRY(apply_modifiers(b, ast, type_out));
    }
    if (type_out->id == TYPE_INTERVAL && ast->interval_fields.len > 0) {
        type_out->length = interval_mask(ast->interval_fields);
    }
    return ast->array_dimensions > 0 ? array_of(b, ast, type_out) : ERR_OK;
}

/* ---------------------------------------------------------------- which casts are there */

/* Texts into a dictionary are interned where they are stored: in expressions a symbol target stays text. */
static Type target_of(Type type) {
    return type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : type;
}

static bool has_modifiers(Type type) {
    return type.id != TYPE_ENUM && (type.length > 0 || (type.precision > 0 && type.id != TYPE_ARRAY));
}

/* Two enums that are not the same type, though their values look alike. */
static bool other_enum(Type from, Type to) {
    return from.id == TYPE_ENUM && to.id == TYPE_ENUM && from.length != to.length;
}

/* double[] is what the questdb dialect makes of arrays: only numbers become one. */
static bool array_can_coerce(Type from, Type to, CastContext context) {
    Type element = type_element(from), wanted = type_element(to);
    if (element.id == TYPE_VOID || (element.id == wanted.id && !other_enum(element, wanted))) { /* an empty ARRAY[] is told its type */
        return true;
    }
    const Cast *cast = cast_find((TypeId)element.id, (TypeId)wanted.id);
    return cast != NULL && cast->context <= context;
}

static bool both_arrays(Type from, Type to) {
    return type_category((TypeId)from.id) == CAT_ARRAY && (to.id == TYPE_ARRAY || to.id == TYPE_FLOAT8_ARRAY);
}

static bool text_like(TypeId id) {
    return type_is_text(id) || id == TYPE_SYMBOL;
}

bool can_coerce(Type from, Type to, CastContext context) {
    to = target_of(to);
    if (both_arrays(from, to) && from.id != TYPE_UNKNOWN) {
        return array_can_coerce(from, to, context);
    }
    if (from.id == to.id || from.id == TYPE_UNKNOWN) {
        return !other_enum(from, to);
    }
    const Cast *cast = cast_find((TypeId)from.id, (TypeId)to.id);
    return cast != NULL && cast->context <= context;
}

/* ---------------------------------------------------------------- unknown literals and parameters */

static ErrorCode read_literal(Binder *b, const Expr *expr, Type type, const Expr **expr_out) {
    if (expr->as.value.is_null) {
        *expr_out = expr_null(b, type, expr->position);
        return ERR_OK;
    }
    Str text = strref_str(&expr->as.value.as.str);
    if (type.id == TYPE_TEXT || (type.id == TYPE_VARCHAR && type.length == 0)) {
        *expr_out = expr_text(b, text, (TypeId)type.id, expr->position);
        return ERR_OK;
    }
    Value value = {.type = type};
    Error reason;
    ErrorCode code = value_parse(type, text, b->context->environment, b->arena, &value.as, &reason);
    if (code != ERR_OK) {
        bool fits_not = code == ERR_OUT_OF_RANGE && error_field(&reason, 'D') != NULL; /* numeric(4,2): the value is read, its length is not */
        reason.position = fits_not && b->dialect == DIALECT_POSTGRES ? ERROR_NO_POSITION : expr->position;
        if (b->err != NULL) {
            *b->err = reason; /* with its hint */
        }
        return code;
    }
    note_label(b, type, expr->position);
    *expr_out = expr_constant(b, &value, expr->position);
    return ERR_OK;
}

static ErrorCode type_param(Binder *b, const Expr *expr, Type type, const Expr **expr_out) {
    Type *known = &b->param_types[expr->as.param];
    if (known->id == TYPE_UNKNOWN) {
        *known = type;
    }
    *expr_out = expr_param(b, expr->as.param, *known, expr->position);
    return ERR_OK;
}

static bool is_unknown_param(const Expr *expr) {
    return expr->kind == EXPR_PARAM && expr->type.id == TYPE_UNKNOWN;
}

/* A parameter's type has no modifiers: varchar(5) = $1 asks for varchar. */
Type type_bare(Type type) {
    if (type.id == TYPE_DECIMAL8 || type.id == TYPE_DECIMAL16) {
        return type_of(TYPE_NUMERIC);
    }
    return (Type){.id = type.id, .precision = type.id == TYPE_ARRAY ? type.precision : 0, .dims = type.dims, .length = (int32_t)type_enum_object(type)};
}

/* ---------------------------------------------------------------- coerce */

static ErrorCode refuse_cast(Binder *b, const Expr *expr, Type type, CastContext context, const Cast *cast) {
    Str from = type_name(b, expr->type);
    Str to = type_name(b, type);
    if (context == CAST_EXPLICIT) {
        return error_set(b->err, ERR_CANNOT_COERCE, expr->position, "cannot cast type %.*s to %.*s", STR_ARG(from), STR_ARG(to));
    }
    const char *hint = cast != NULL ? ": an explicit cast is needed" : "";
    return error_set(b->err, ERR_DATATYPE_MISMATCH, expr->position, "expression is of type %.*s where %.*s is expected%s", STR_ARG(from), STR_ARG(to), hint);
}

static ErrorCode cast_with(Binder *b, const Cast *cast, const Expr *expr, Type type, CastContext context, const Expr **expr_out) {
    const Expr **args = arena_array(b->arena, const Expr *, 1);
    args[0] = expr;
    const void *prepared = cast_prepare(expr->type, type, context, b->arena);
    return expr_call(b, &cast->function, prepared, type, args, 1, expr->position, expr_out);
}

/* Constants of the usual number types change at once: VALUES lists hold many of them. false: left to the cast. */
static bool fold_number(Binder *b, const Expr *expr, Type type, const Expr **expr_out) {
    if (expr->kind != EXPR_CONSTANT || expr->as.value.is_null) {
        return false;
    }
    const Value *from = &expr->as.value;
    bool integer = from->type.id == TYPE_INT4 || from->type.id == TYPE_INT8;
    int64_t number = from->type.id == TYPE_INT4 ? from->as.i32 : integer ? from->as.i64 : 0;
    Value to = {.type = type};
    if (type.id == TYPE_INT8 && integer) {
        to.as.i64 = number;
    } else if (type.id == TYPE_INT4 && integer && number >= INT32_MIN && number <= INT32_MAX) {
        to.as.i32 = (int32_t)number;
    } else if (type.id == TYPE_FLOAT8 && integer) {
        to.as.f64 = (double)number;
    } else if (type.id == TYPE_FLOAT8 && from->type.id == TYPE_NUMERIC) {
        to.as.f64 = numeric_to_double(numeric_from_slot(&from->as.numeric));
    } else {
        return false;
    }
    *expr_out = expr_constant(b, &to, expr->position);
    return true;
}

/* PostgreSQL knows booleans and int4 only. */
static bool is_questdb_cast(const Cast *cast) {
    TypeId other = (TypeId)(cast->from == TYPE_BOOL ? cast->to : cast->from);
    return (cast->from == TYPE_BOOL || cast->to == TYPE_BOOL) && type_category(other) == CAT_NUMBER && other != TYPE_INT4 && other != TYPE_BYTE;
}

/* A name is cast as the text that it is, and anything to one by its text. */
static bool goes_by_text(const Binder *b, const Expr *expr, Type type, CastContext context) {
    return b->dialect == DIALECT_POSTGRES && context == CAST_EXPLICIT && expr->type.id != type.id && expr->type.id != TYPE_TEXT && type.id != TYPE_TEXT &&
           (expr->type.id == TYPE_NAME || type.id == TYPE_NAME);
}

/* A number becomes a timestamp by itself in the questdb dialect only; PostgreSQL has no such cast, ours is explicit. */
static CastContext weakest_context(const Binder *b, const Cast *cast) {
    bool number_to_time = type_category((TypeId)cast->from) == CAT_NUMBER && type_category((TypeId)cast->to) == CAT_TIME;
    return number_to_time && b->dialect != DIALECT_QUESTDB ? CAST_EXPLICIT : (CastContext)cast->context;
}

/* Elements that are texts are read as the others, and others are written as texts. */
static bool elements_go_by_text(Type from, Type to) {
    TypeId a = (TypeId)type_element(from).id, c = (TypeId)type_element(to).id;
    return a != c && (type_category(a) == CAT_TEXT || type_category(c) == CAT_TEXT);
}

static ErrorCode through_text(Binder *b, const Expr *expr, Type type, const Expr **expr_out) {
    const Expr *text = NULL;
    TRY(coerce(b, expr, type_of(TYPE_TEXT), CAST_EXPLICIT, &text));
    return coerce(b, text, type, CAST_EXPLICIT, expr_out);
}

static ErrorCode coerce_array(Binder *b, const Expr *expr, Type type, CastContext context, const Cast *cast, const Expr **expr_out) {
    bool same_elements = expr->type.id == type.id && expr->type.precision == type.precision && (type.length == 0 || type.length == expr->type.length);
    if (same_elements) { /* double[] of another number of dimensions is checked nowhere */
        *expr_out = expr;
        return ERR_OK;
    }
    bool can = cast != NULL && array_can_coerce(expr->type, type, context);
    if (!can && context == CAST_EXPLICIT && elements_go_by_text(expr->type, type)) {
        return through_text(b, expr, type, expr_out);
    }
    if (!can) {
        return refuse_cast(b, expr, type, context, NULL);
    }
    return cast_with(b, cast, expr, type, context, expr_out);
}

static ErrorCode coerce_typed(Binder *b, const Expr *expr, Type type, CastContext context, const Expr **expr_out) {
    const Cast *cast = cast_find((TypeId)expr->type.id, (TypeId)type.id);
    if (other_enum(expr->type, type)) {
        return refuse_cast(b, expr, type, context, NULL);
    }
    if (both_arrays(expr->type, type)) {
        return coerce_array(b, expr, type, context, cast, expr_out);
    }
    if (expr->type.id == type.id && (cast == NULL || (!has_modifiers(type) && type.dims == 0) || (type.id == TYPE_FLOAT8_ARRAY))) {
        *expr_out = expr;
        return ERR_OK;
    }
    if (type.id == TYPE_NUMERIC && type.length > 0 && expr->type.id != TYPE_NUMERIC) { /* one cast fits, the others only widen */
        const Expr *plain = NULL;
        TRY(coerce(b, expr, type_of(TYPE_NUMERIC), context, &plain));
        return coerce_typed(b, plain, type, context, expr_out);
    }
    if (cast == NULL && goes_by_text(b, expr, type, context)) {
        return through_text(b, expr, type, expr_out);
    }
    if (cast == NULL || weakest_context(b, cast) > context || (b->dialect == DIALECT_POSTGRES && is_questdb_cast(cast))) {
        return refuse_cast(b, expr, type, context, cast);
    }
    if (fold_number(b, expr, type, expr_out)) {
        return ERR_OK;
    }
    return cast_with(b, cast, expr, type, context, expr_out);
}

ErrorCode coerce(Binder *b, const Expr *expr, Type type, CastContext context, const Expr **expr_out) {
    type = target_of(type);
    if (type_equal(expr->type, type)) {
        *expr_out = expr;
        return ERR_OK;
    }
    if (expr_is_null_constant(expr) && (expr->type.id == TYPE_UNKNOWN || can_coerce(expr->type, type, context))) {
        *expr_out = expr_null(b, type, expr->position);
        return ERR_OK;
    }
    if (is_unknown_param(expr)) {
        const Expr *param = NULL;
        TRY(type_param(b, expr, type_bare(type), &param));
        return coerce(b, param, type, context == CAST_IMPLICIT ? CAST_ASSIGNMENT : context, expr_out);
    }
    if (expr->type.id != TYPE_UNKNOWN) {
        return coerce_typed(b, expr, type, context, expr_out);
    }
    assert(expr->kind == EXPR_CONSTANT);
    if ((type.id == TYPE_VARCHAR || type.id == TYPE_BPCHAR) && type.length > 0) { /* the cast knows whether to cut or to refuse */
        const Expr *text = NULL;
        TRY(read_literal(b, expr, type_of(TYPE_TEXT), &text));
        return coerce_typed(b, text, type, context == CAST_IMPLICIT ? CAST_ASSIGNMENT : context, expr_out);
    }
    if (type.id == TYPE_ARRAY && type.length > 0 && type_is_text((TypeId)type.precision) && context == CAST_EXPLICIT) { /* as do its elements */
        Type plain = type;
        const Expr *array = NULL;
        plain.length = 0;
        TRY(read_literal(b, expr, plain, &array));
        return coerce_typed(b, array, type, context, expr_out);
    }
    return read_literal(b, expr, type, expr_out);
}

ErrorCode coerce_known(Binder *b, const Expr *expr, const Expr **expr_out) {
    return expr->type.id == TYPE_UNKNOWN ? coerce(b, expr, type_of(TYPE_TEXT), CAST_IMPLICIT, expr_out) : (*expr_out = expr, ERR_OK);
}

ErrorCode coerce_boolean(Binder *b, const Expr *expr, const char *clause, const Expr **expr_out) {
    if (expr->type.id == TYPE_UNKNOWN || expr->type.id == TYPE_BOOL) {
        return coerce(b, expr, type_of(TYPE_BOOL), CAST_IMPLICIT, expr_out);
    }
    return error_set(b->err, ERR_DATATYPE_MISMATCH, expr->position, "argument of %s must be type boolean, not type %.*s", clause,
                     STR_ARG(type_name(b, expr->type)));
}

/* ---------------------------------------------------------------- one type for several */

static Type merge_same_id(Type a, Type b) {
    if (type_equal(a, b)) {
        return a;
    }
    if (a.id == TYPE_FLOAT8_ARRAY) {
        return type_of(TYPE_FLOAT8_ARRAY);
    }
    if (a.id == TYPE_ARRAY && a.precision != b.precision) {
        bool forward = can_coerce(a, b, CAST_IMPLICIT);
        return type_bare(forward && (!can_coerce(b, a, CAST_IMPLICIT) || type_preferred((TypeId)b.precision)) ? b : a);
    }
    if (a.id == TYPE_BPCHAR) { /* without the padding, that values of different lengths can be equal */
        return type_of(TYPE_TEXT);
    }
    return type_bare(a);
}

static bool is_decimal(TypeId id) {
    return id == TYPE_NUMERIC || id == TYPE_DECIMAL8 || id == TYPE_DECIMAL16;
}

/* PostgreSQL's categories, where ours are finer. */
TypeCategory type_group(TypeId id) {
    TypeCategory category = type_category(id);
    return category == CAT_OID && id != TYPE_XID && id != TYPE_CID ? CAT_NUMBER : category == CAT_CLOCK ? CAT_TIME : category;
}

static bool element_is_other_enum(Type a, Type b) {
    return other_enum(a, b) || (a.id == TYPE_ARRAY && b.id == TYPE_ARRAY && other_enum(type_element(a), type_element(b)));
}

/* The type for both, or false if there is none. */
static bool merge_types(Dialect dialect, Type a, Type b, Type *type_out) {
    if (element_is_other_enum(a, b)) {
        return false;
    }
    if (a.id == b.id) {
        *type_out = merge_same_id(a, b);
        return true;
    }
    if (is_decimal((TypeId)a.id) && is_decimal((TypeId)b.id)) {
        *type_out = type_of(TYPE_NUMERIC);
        return true;
    }
    if (type_group((TypeId)a.id) != type_group((TypeId)b.id)) {
        return false;
    }
    a = type_bare(a);
    b = type_bare(b);
    bool forward = can_coerce(a, b, CAST_IMPLICIT);
    bool backward = can_coerce(b, a, CAST_IMPLICIT);
    if (text_like((TypeId)a.id) && text_like((TypeId)b.id)) {
        bool keeps = dialect == DIALECT_POSTGRES && a.id == TYPE_VARCHAR && b.id == TYPE_TEXT; /* each becomes the other: the first counts */
        *type_out = keeps ? a : type_of(TYPE_TEXT);
        return true;
    }
    bool better = type_preferred((TypeId)b.id) && a.id != TYPE_NAME; /* a name beside a text stays a name */
    if (forward && (!backward || better)) {
        *type_out = b;
        return true;
    }
    *type_out = a;
    return backward;
}

/* A length or a scale is common only if all have it: beside varchar(3) the literal 'abcd' makes the type varchar. */
ErrorCode common_type(Binder *b, const Expr *const *exprs, uint32_t count, const char *what, Type *type_out) {
    Type type = type_of(TYPE_UNKNOWN);
    bool literals = false;
    for (uint32_t i = 0; i < count; i++) {
        Type next = exprs[i]->type;
        if (next.id == TYPE_UNKNOWN) {
            literals = literals || !expr_is_null_constant(exprs[i]);
            continue;
        }
        if (type.id == TYPE_UNKNOWN) {
            type = next;
        } else if (!merge_types(b->dialect, type, next, &type)) {
            return error_set(b->err, ERR_DATATYPE_MISMATCH, exprs[i]->position, "%s types %.*s and %.*s cannot be matched", what,
                             STR_ARG(type_name(b, type)), STR_ARG(type_name(b, next)));
        }
    }
    *type_out = type.id == TYPE_UNKNOWN ? type_of(TYPE_TEXT) : literals ? type_bare(type) : type;
    return ERR_OK;
}
