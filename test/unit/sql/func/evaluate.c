/* SPDX-License-Identifier: Apache-2.0
 * evaluate.c - see evaluate.h. */
#include "evaluate.h"

#include "column/value_text.h"

typedef struct Evaluator {
    const char *at;
    const FunctionEnvironment *environment;
    Arena *arena;
    Error *err;
} Evaluator;

static ErrorCode parse_expression(Evaluator *e, Evaluation *out);

static void skip_blanks(Evaluator *e) {
    while (*e->at == ' ') {
        e->at++;
    }
}
static bool word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static bool take(Evaluator *e, const char *text) {
    skip_blanks(e);
    size_t len = strlen(text);
    if (strncmp(e->at, text, len) != 0) {
        return false;
    }
    e->at += len;
    return true;
}

static Evaluation make_constant(Arena *arena, Type type, const void *value) {
    Vector vector = vector_new(arena, type);
    size_t width = physical_bytes(type_physical((TypeId)type.id));
    if (width == 0) {
        ((uint64_t *)vector_data(&vector))[0] = *(const uint8_t *)value;
    } else {
        memcpy(vector_data(&vector), value, width);
    }
    vector.form = VECTOR_CONSTANT;
    vector.row_count = 1;
    return (Evaluation){type, vector};
}

/* ---- running a function ---- */

enum { RUN_ROWS = 70 };

static ErrorCode run_form(Evaluator *e, const Function *f, const Type *types, Evaluation *args, uint16_t count, int form, uint16_t rows, Type result,
                          const void *prepared, Vector *out) {
    const Vector *vectors[CALL_ARGS_MAX];
    Vector copies[CALL_ARGS_MAX];
    uint64_t needed[BATCH_WORDS] = {0};
    bool any_null = false;
    (void)types;
    for (uint16_t i = 0; i < count; i++) {
        copies[i] = args[i].vector;
        copies[i].row_count = rows;
        any_null |= vector_is_null(&copies[i], 0);
        if (form == 1 || (form == 2 && i == 0) || (form == 3 && i != 0)) {
            TRY(vector_flat(&copies[i], e->arena, e->err));
        }
        vectors[i] = &copies[i];
    }
    bool strict = (f->flags & FN_NOT_STRICT) == 0;
    for (uint16_t r = 0; r < rows; r++) {
        if (!(strict && any_null)) {
            bit_set(needed, r);
        }
    }
    *out = vector_new(e->arena, result);
    out->row_count = rows;
    uint64_t counter = 0;
    KernelCall call = {.args = vectors, .arg_count = count, .row_count = rows, .rows = needed, .arena = e->arena, .prepared = prepared,
                       .environment = e->environment, .counter = &counter};
    TRY(f->kernel(&call, out, e->err));
    if (strict && any_null) {
        *out = vector_null(result, rows);
    }
    return ERR_OK;
}

static bool same_value(const Vector *a, size_t row_a, const Vector *b, size_t row_b) {
    if (vector_is_null(a, row_a) || vector_is_null(b, row_b)) {
        return vector_is_null(a, row_a) == vector_is_null(b, row_b);
    }
    Physical physical = type_physical((TypeId)a->type.id);
    if (physical == PHYS_BIT) {
        return vector_bool(a, row_a) == vector_bool(b, row_b);
    }
    if (physical == PHYS_STR) {
        return str_equal(vector_text(a, row_a), vector_text(b, row_b));
    }
    if (a->type.id == TYPE_FLOAT8 || a->type.id == TYPE_FLOAT4) {
        const void *x = vector_value(a, row_a), *y = vector_value(b, row_b);
        bool wide = a->type.id == TYPE_FLOAT8;
        double u = wide ? *(const double *)x : (double)*(const float *)x, v = wide ? *(const double *)y : (double)*(const float *)y;
        return memcmp(&u, &v, sizeof u) == 0 || (u != u && v != v);
    }
    if (a->type.id == TYPE_NUMERIC) {
        return numeric_compare(vector_numeric(a, row_a), vector_numeric(b, row_b)) == 0;
    }
    return memcmp(vector_value(a, row_a), vector_value(b, row_b), physical_bytes(physical)) == 0;
}

static ErrorCode run(Evaluator *e, const Function *f, const Type *types, Evaluation *args, uint16_t count, Type result, const void *prepared,
                     Evaluation *out) {
    Vector first;
    TRY(run_form(e, f, types, args, count, 0, 1, result, prepared, &first));
    for (int form = 0; form < 4 && (f->flags & FN_VOLATILE) == 0; form++) {
        Vector other;
        TRY(run_form(e, f, types, args, count, form, RUN_ROWS, result, prepared, &other));
        for (size_t row = 0; row < RUN_ROWS; row++) {
            if (!same_value(&first, 0, &other, row)) {
                return error_set(e->err, ERR_INTERNAL, ERROR_NO_POSITION, "%s: form %d differs at row %zu", f->name, form, row);
            }
        }
    }
    first.form = VECTOR_CONSTANT;
    first.row_count = 1;
    *out = (Evaluation){result, first};
    return ERR_OK;
}

/* ---- casts ---- */

static ErrorCode cast_to(Evaluator *e, Evaluation *value, Type to, CastContext context) {
    if (value->type.id == to.id && (to.length == 0 && to.precision == 0)) {
        return ERR_OK;
    }
    if (vector_is_null(&value->vector, 0)) {
        *value = (Evaluation){to, vector_null(to, 1)};
        return ERR_OK;
    }
    if (value->type.id == to.id && to.id == TYPE_TEXT) {
        return ERR_OK;
    }
    const Cast *cast = cast_find((TypeId)value->type.id, (TypeId)to.id);
    if (cast == NULL || cast->context > context) {
        return error_set(e->err, ERR_CANNOT_COERCE, ERROR_NO_POSITION, "cannot cast %s to %s", type_sql_name((TypeId)value->type.id),
                         type_sql_name((TypeId)to.id));
    }
    if (cast->binary) {
        value->type = to;
        value->vector.type = to;
        return ERR_OK;
    }
    const void *prepared = cast_prepare(value->type, to, context, e->arena);
    Evaluation in = *value;
    return run(e, &cast->function, &in.type, &in, 1, to, prepared, value);
}

/* ---- overloads ---- */

static uint8_t arg_of(const Function *f, size_t i) {
    return f->args[i < f->arg_count ? i : (size_t)f->arg_count - 1];
}

static TypeId resolved(TypeId id) {
    if (id == TYPE_DECIMAL8 || id == TYPE_DECIMAL16) {
        return TYPE_NUMERIC;
    }
    return id == TYPE_VARCHAR || id == TYPE_CHAR || id == TYPE_SYMBOL ? TYPE_TEXT : id;
}

/* -1: does not fit; else how well. */
static int fitness(const Function *f, const Evaluation *args, size_t count, bool questdb) {
    bool variadic = (f->flags & FN_VARIADIC) != 0;
    if (count < f->arg_count ? true : count > f->arg_count && !variadic) {
        return -1;
    }
    if ((f->flags & (questdb ? FN_POSTGRES : FN_QUESTDB)) != 0) {
        return -1;
    }
    int exact = 0, preferred = 0, text = 0, own = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t want = arg_of(f, i);
        TypeId have = (TypeId)args[i].type.id;
        if (want == have) {
            exact++;
            own++;
        } else if (want == ARG_ARRAY || want == ARG_ELEMENT) { /* the binder's affair: tested by SQL files */
            return -1;
        } else if (want >= ARG_ANY) {
            continue;
        } else if (want == resolved(have)) {
            exact++;
        } else if (have == TYPE_UNKNOWN) {
            text += want == TYPE_TEXT;
        } else {
            const Cast *cast = cast_find(have, (TypeId)want);
            if (cast == NULL || cast->context != CAST_IMPLICIT) {
                return -1;
            }
            preferred += type_preferred((TypeId)want);
        }
    }
    return exact * 1000 + own * 100 + preferred * 10 + text;
}

static int number_rank(TypeId id) {
    static const TypeId ORDER[] = {TYPE_BYTE, TYPE_INT2, TYPE_INT4, TYPE_INT8, TYPE_NUMERIC, TYPE_FLOAT4, TYPE_FLOAT8};
    for (int i = 0; i < (int)COUNT_OF(ORDER); i++) {
        if (ORDER[i] == id) {
            return i;
        }
    }
    return -1;
}

static Type common_type(const Evaluation *args, size_t count) {
    Type best = type_of(TYPE_TEXT);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (args[i].type.id != TYPE_UNKNOWN && (!any || number_rank((TypeId)args[i].type.id) > number_rank((TypeId)best.id))) {
            best = args[i].type;
            any = true;
        }
    }
    return best;
}

static ErrorCode call_function(Evaluator *e, Str name, Evaluation *args, uint16_t count, Evaluation *out) {
    size_t rows;
    const Function *all = function_lookup(name, &rows), *best = NULL;
    int best_fitness = -1;
    for (size_t i = 0; i < rows; i++) {
        int fit = fitness(&all[i], args, count, e->environment->questdb);
        if (fit > best_fitness) {
            best = &all[i];
            best_fitness = fit;
        }
    }
    if (best == NULL) {
        return error_set(e->err, ERR_UNDEFINED_FUNCTION, ERROR_NO_POSITION, "no function %.*s with %u arguments", STR_ARG(name), count);
    }
    Type same = common_type(args, count);
    const Vector *constants[CALL_ARGS_MAX];
    Type types[CALL_ARGS_MAX];
    for (uint16_t i = 0; i < count; i++) {
        uint8_t want = arg_of(best, i);
        if (want == ARG_SAME || (want >= ARG_ANY && args[i].type.id == TYPE_UNKNOWN)) {
            TRY(cast_to(e, &args[i], want == ARG_SAME ? same : type_of(TYPE_TEXT), CAST_IMPLICIT));
        } else if (want < ARG_ANY) {
            TRY(cast_to(e, &args[i], type_of((TypeId)want), CAST_IMPLICIT));
        }
        constants[i] = &args[i].vector;
        types[i] = args[i].type;
    }
    const void *prepared = NULL;
    if (best->prepare != NULL) {
        PrepareCall prepare = {constants, types, count, e->arena, e->environment};
        TRY(best->prepare(&prepare, &prepared, e->err));
    }
    Type result = best->result == ARG_SAME ? same : type_of((TypeId)best->result);
    TRY(run(e, best, types, args, count, result, prepared, out));
    if (best->prepare != NULL) { /* without the prepared state the answer must be the same */
        Evaluation plain;
        TRY(run(e, best, types, args, count, result, NULL, &plain));
        if (!same_value(&plain.vector, 0, &out->vector, 0)) {
            return error_set(e->err, ERR_INTERNAL, ERROR_NO_POSITION, "%s: differs when prepared", best->name);
        }
    }
    return ERR_OK;
}

/* ---- parsing ---- */

static ErrorCode parse_arguments(Evaluator *e, Evaluation *args, uint16_t *count) {
    *count = 0;
    if (take(e, ")")) {
        return ERR_OK;
    }
    do {
        TRY(parse_expression(e, &args[(*count)++]));
    } while (take(e, ","));
    return take(e, ")") ? ERR_OK : error_set(e->err, ERR_SYNTAX, ERROR_NO_POSITION, ") expected at '%s'", e->at);
}

static ErrorCode parse_string(Evaluator *e, Evaluation *out) {
    Buffer buffer;
    buffer_init(&buffer, SIZE_MAX);
    for (e->at++; *e->at != '\0'; e->at++) {
        if (*e->at == '\'' && *++e->at != '\'') {
            break;
        }
        buffer_append_char(&buffer, *e->at);
    }
    Str text = arena_str(e->arena, buffer_str(&buffer));
    buffer_deinit(&buffer);
    StrRef ref = strref_make(text.len == 0 ? "" : text.data, text.len);
    *out = make_constant(e->arena, type_of(TYPE_UNKNOWN), &ref);
    return ERR_OK;
}

static ErrorCode parse_number(Evaluator *e, Evaluation *out) {
    const char *from = e->at;
    bool decimal = false;
    while ((*e->at >= '0' && *e->at <= '9') || *e->at == '.') {
        decimal |= *e->at++ == '.';
    }
    Str text = {from, (size_t)(e->at - from)};
    Type type = type_of(decimal ? (e->environment->questdb ? TYPE_FLOAT8 : TYPE_NUMERIC) : text.len < 10 ? TYPE_INT4 : text.len < 19 ? TYPE_INT8 : TYPE_NUMERIC);
    char value[16];
    TRY(value_parse(type, text, e->environment, e->arena, value, e->err));
    *out = make_constant(e->arena, type, value);
    return ERR_OK;
}

static ErrorCode parse_name(Evaluator *e, Evaluation *out) {
    const char *from = e->at;
    while (word_char(*e->at)) {
        e->at++;
    }
    Str name = {from, (size_t)(e->at - from)};
    if (take(e, "(")) {
        Evaluation args[CALL_ARGS_MAX];
        uint16_t count;
        TRY(parse_arguments(e, args, &count));
        return call_function(e, name, args, count, out);
    }
    if (str_equal_ignore_case(name, STR("null"))) {
        *out = (Evaluation){type_of(TYPE_UNKNOWN), vector_null(type_of(TYPE_UNKNOWN), 1)};
        return ERR_OK;
    }
    uint8_t truth = str_equal(name, STR("true"));
    if (!truth && !str_equal(name, STR("false"))) {
        return error_set(e->err, ERR_SYNTAX, ERROR_NO_POSITION, "unknown word %.*s", STR_ARG(name));
    }
    *out = make_constant(e->arena, type_of(TYPE_BOOL), &truth);
    return ERR_OK;
}

static ErrorCode parse_type(Evaluator *e, Type *type_out) {
    const char *from = e->at;
    while (word_char(*e->at) || *e->at == '[' || *e->at == ']') {
        e->at++;
    }
    Str name = {from, (size_t)(e->at - from)};
    Type type;
    if (!type_from_name(name, e->environment->questdb, &type)) {
        return error_set(e->err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "no type %.*s", STR_ARG(name));
    }
    int first = 0, second = 0;
    if (*e->at == '(') {
        for (e->at++; *e->at >= '0' && *e->at <= '9'; e->at++) {
            first = first * 10 + (*e->at - '0');
        }
        if (*e->at == ',') {
            for (e->at++; *e->at >= '0' && *e->at <= '9'; e->at++) {
                second = second * 10 + (*e->at - '0');
            }
        }
        e->at++;
        if (type.id == TYPE_NUMERIC || type.id == TYPE_DECIMAL8) {
            type = type_decimal(first, second);
        } else {
            type.length = first;
        }
    }
    *type_out = type;
    return ERR_OK;
}

static ErrorCode parse_operand(Evaluator *e, Evaluation *out) {
    skip_blanks(e);
    if (*e->at == '-' || *e->at == '+' || *e->at == '~') {
        Str name = {e->at++, 1};
        Evaluation argument;
        TRY(parse_operand(e, &argument));
        return call_function(e, name, &argument, 1, out);
    }
    if (take(e, "(")) {
        TRY(parse_expression(e, out));
        if (!take(e, ")")) {
            return error_set(e->err, ERR_SYNTAX, ERROR_NO_POSITION, ") expected at '%s'", e->at);
        }
    } else if (*e->at == '\'') {
        TRY(parse_string(e, out));
    } else if (*e->at >= '0' && *e->at <= '9') {
        TRY(parse_number(e, out));
    } else {
        TRY(parse_name(e, out));
    }
    while (take(e, "::")) {
        Type type;
        TRY(parse_type(e, &type));
        TRY(cast_to(e, out, type, CAST_EXPLICIT));
    }
    return ERR_OK;
}

static ErrorCode parse_expression(Evaluator *e, Evaluation *out) {
    static const char *const WORDS[] = {"like", "ilike", "is distinct from", "is not distinct from", "at time zone"};
    TRY(parse_operand(e, out));
    skip_blanks(e);
    Str name = {e->at, 0};
    for (size_t i = 0; i < COUNT_OF(WORDS) && name.len == 0; i++) {
        if (take(e, WORDS[i])) {
            name = str_from_c(WORDS[i]);
        }
    }
    if (name.len == 0) {
        while (*e->at != '\0' && strchr("<>=!~*+-/%^&|#@", *e->at) != NULL) {
            e->at++;
            name.len++;
        }
    }
    if (name.len == 0) {
        return ERR_OK;
    }
    Evaluation args[2] = {*out};
    TRY(parse_operand(e, &args[1]));
    return call_function(e, name, args, 2, out);
}

ErrorCode evaluate(const char *text, const FunctionEnvironment *environment, Arena *arena, Evaluation *out, Error *err) {
    Evaluator e = {text, environment, arena, err};
    TRY(parse_expression(&e, out));
    skip_blanks(&e);
    return *e.at == '\0' ? ERR_OK : error_set(err, ERR_SYNTAX, ERROR_NO_POSITION, "left over: '%s'", e.at);
}

const char *evaluation_text(const Evaluation *value, const FunctionEnvironment *environment, Arena *arena) {
    if (vector_is_null(&value->vector, 0)) {
        return "NULL";
    }
    Buffer buffer;
    buffer_init(&buffer, SIZE_MAX);
    TextStyle style = {.questdb = environment->questdb, .zone = environment->zone};
    if (value->type.id == TYPE_BOOL) {
        buffer_append_char(&buffer, vector_bool(&value->vector, 0) ? 't' : 'f');
    } else {
        value_format(value->type, vector_value(&value->vector, 0), &style, &buffer);
    }
    const char *text = arena_c_text(arena, buffer_str(&buffer));
    buffer_deinit(&buffer);
    return text;
}
