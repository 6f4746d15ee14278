/* SPDX-License-Identifier: Apache-2.0
 * bind_named.c - calls with named arguments, f(a => 1): brought into the order of the function's parameters.
 *
 * Why:   rows of the function table have no names; PostgreSQL's functions that do are few, and fewer arguments mean the first names.
 * Tests: test/sql/answers.slt */
#include "sql/bind/bind_internal.h"

enum { NAMES_MAX = 8 };
typedef struct NamedFunction {
    Str name;
    const char *names[NAMES_MAX];
    bool zero_defaults;      /* what is left out is 0 */
} NamedFunction;

#define NAMED(text, ...) {.name = {text, sizeof text - 1}, .names = {__VA_ARGS__}}
static const NamedFunction named_functions[] = {
    {.name = {"make_interval", 13}, .names = {"years", "months", "weeks", "days", "hours", "mins", "secs"}, .zero_defaults = true},
    NAMED("make_date", "year", "month", "day"),
    NAMED("make_time", "hour", "min", "sec"),
    NAMED("make_timestamp", "year", "month", "mday", "hour", "min", "sec"),
    NAMED("make_timestamptz", "year", "month", "mday", "hour", "min", "sec", "timezone"),
    NAMED("random", "min", "max"),
    NAMED("array_sort", "array", "descending", "nulls_first"),
    NAMED("regexp_match", "string", "pattern", "flags"),
    NAMED("regexp_matches", "string", "pattern", "flags"),
    NAMED("regexp_like", "string", "pattern", "flags"),
    NAMED("regexp_split_to_table", "string", "pattern", "flags"),
    NAMED("regexp_split_to_array", "string", "pattern", "flags"),
    NAMED("regexp_count", "string", "pattern", "start", "flags"),
    NAMED("regexp_instr", "string", "pattern", "start", "N", "endoption", "flags", "subexpr"),
    NAMED("regexp_substr", "string", "pattern", "start", "N", "flags", "subexpr"),
    NAMED("json_each", "from_json"),
    NAMED("jsonb_each", "from_json"),
    NAMED("json_each_text", "from_json"),
    NAMED("jsonb_each_text", "from_json"),
    NAMED("json_array_elements", "from_json"),
    NAMED("jsonb_array_elements", "from_json"),
    NAMED("json_array_elements_text", "from_json"),
    NAMED("jsonb_array_elements_text", "from_json"),
    NAMED("jsonb_set", "jsonb_in", "path", "replacement", "create_if_missing"),
    NAMED("jsonb_insert", "jsonb_in", "path", "replacement", "insert_after"),
    NAMED("json_strip_nulls", "target", "strip_in_arrays"),
    NAMED("jsonb_strip_nulls", "target", "strip_in_arrays"),
    NAMED("uuidv7", "shift"),
};
#undef NAMED
/* Behind three arguments regexp_replace has either flags or a start. */
static const NamedFunction replace_flags = {.name = {"regexp_replace", 14}, .names = {"string", "pattern", "replacement", "flags"}};
static const NamedFunction replace_start = {.name = {"regexp_replace", 14}, .names = {"string", "pattern", "replacement", "start", "N", "flags"}};

static const NamedFunction *find_named(const AstExpr *ast, Str name) {
    if (str_equal_ignore_case(name, replace_flags.name)) {
        for (uint32_t i = 0; i < ast->arg_count; i++) {
            if (str_equal(ast->as.call->argument_names[i].text, STR("start"))) {
                return &replace_start;
            }
        }
        return &replace_flags;
    }
    for (size_t i = 0; i < COUNT_OF(named_functions); i++) {
        if (str_equal_ignore_case(named_functions[i].name, name)) {
            return &named_functions[i];
        }
    }
    return NULL;
}

static ErrorCode no_such(Binder *b, const AstExpr *ast, Str name) {
    Str list = {0};
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        const AstName *argument = &ast->as.call->argument_names[i];
        Str text = argument->text.len > 0 ? arena_format(b->arena, "%.*s => ...", STR_ARG(argument->text)) : STR("...");
        list = i == 0 ? text : arena_format(b->arena, "%.*s, %.*s", STR_ARG(list), STR_ARG(text));
    }
    return error_set(b->err, ERR_UNDEFINED_FUNCTION, ast->span.at, "function %.*s(%.*s) does not exist", STR_ARG(name), STR_ARG(list));
}

/* Where the argument goes; NAMES_MAX: the function has no such parameter. */
static uint32_t place_of(const NamedFunction *function, const AstName *name) {
    uint32_t place = 0;
    while (place < NAMES_MAX && function->names[place] != NULL && !name_same(name, str_from_c(function->names[place]))) {
        place++;
    }
    return place < NAMES_MAX && function->names[place] != NULL ? place : NAMES_MAX;
}

static ErrorCode place_arguments(Binder *b, const AstExpr *ast, Str name, const NamedFunction *function, AstExpr **placed, uint32_t *count_out) {
    bool named = false;
    for (uint32_t i = 0; i < ast->arg_count; i++) {
        const AstName *argument = &ast->as.call->argument_names[i];
        if (named && argument->text.len == 0) {
            return error_set(b->err, ERR_SYNTAX, ast->args[i]->span.at, "positional argument cannot follow named argument");
        }
        named = named || argument->text.len > 0;
        uint32_t place = !named ? i : function != NULL ? place_of(function, argument) : NAMES_MAX;
        for (uint32_t k = 0; named && k < i; k++) {
            if (ast->as.call->argument_names[k].text.len > 0 && str_equal(ast->as.call->argument_names[k].text, argument->text)) {
                return error_set(b->err, ERR_SYNTAX, argument->span.at, "argument name \"%.*s\" used more than once", STR_ARG(argument->text));
            }
        }
        if (place >= NAMES_MAX || placed[place] != NULL) {
            return no_such(b, ast, name);
        }
        placed[place] = ast->args[i];
        *count_out = MAX_OF(*count_out, place + 1);
    }
    return ERR_OK;
}

ErrorCode named_arguments(Binder *b, const AstExpr *ast, const AstExpr **ast_out) {
    const AstCall *call = ast->as.call;
    Str name = call->name.parts[call->name.count - 1].text;
    const NamedFunction *function = find_named(ast, name);
    AstExpr **placed = arena_array(b->arena, AstExpr *, NAMES_MAX);
    AstExpr *ordered = arena_new(b->arena, AstExpr);
    AstCall *plain = arena_new(b->arena, AstCall);
    uint32_t count = 0;
    if (is_aggregate_name(name)) {
        return error_set(b->err, ERR_NOT_SUPPORTED, ast->span.at, "aggregates cannot use named arguments");
    }
    TRY(place_arguments(b, ast, name, function, placed, &count));
    for (uint32_t i = 0; i < count; i++) {
        if (placed[i] == NULL && (function == NULL || !function->zero_defaults)) {
            return no_such(b, ast, name);
        }
        if (placed[i] == NULL) {
            placed[i] = ast_make(b, ast, AST_INTEGER, STR("0"));
        }
    }
    *plain = *call;
    plain->argument_names = NULL;
    *ordered = *ast;
    ordered->args = placed;
    ordered->arg_count = count;
    ordered->as.call = plain;
    *ast_out = ordered;
    return ERR_OK;
}
