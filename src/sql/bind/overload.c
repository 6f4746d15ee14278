/* SPDX-License-Identifier: Apache-2.0
 * overload.c - which row of the function table a call means: PostgreSQL's rules over candidates of that name.
 *
 * Layout:     a candidate is one row; each argument is exact, castable or impossible. Exact rows win; then the most exact arguments; then
 *             the most exact-or-preferred ones; then unknown literals are given the category that the candidates agree on.
 * Why:        one resolver for functions, operators and aggregates.
 * Tests:      test/unit/sql/bind/test_bind.c */
#include "sql/bind/bind_internal.h"

/* An argument of the very type weighs a little more than one that resolves to it (varchar as text). */
enum { CANDIDATES_MAX = 128, EXACT_WEIGHT = CALL_ARGS_MAX + 1 };

typedef struct Candidate {
    const uint8_t *args;
    uint8_t arg_count;
    bool variadic;
    const void *row;
    uint32_t exact, preferred;
} Candidate;

typedef struct Candidates { Candidate items[CANDIDATES_MAX]; uint32_t count; } Candidates;

/* ---------------------------------------------------------------- matching one argument */

/* Types without rows of their own resolve as the type that has them. */
static TypeId resolved_type(TypeId id) {
    switch (id) {
    case TYPE_DECIMAL8:
    case TYPE_DECIMAL16: return TYPE_NUMERIC;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_CHAR:
    case TYPE_NAME:
    case TYPE_SYMBOL: return TYPE_TEXT;
    case TYPE_REGCLASS:
    case TYPE_REGTYPE:
    case TYPE_REGPROC:
    case TYPE_REGPROCEDURE:
    case TYPE_REGNAMESPACE:
    case TYPE_REGROLE: return TYPE_OID;
    default: return id;
    }
}

static uint8_t wanted_at(const Candidate *c, uint32_t i) {
    return c->args[i < c->arg_count ? i : c->arg_count - 1u];
}

static bool takes_any(uint8_t wanted) {
    return wanted >= ARG_ANY;
}

static bool is_array(TypeId id) {
    return type_category(id) == CAT_ARRAY;
}

/* They take subscripts, but an array of them is no array of one dimension more. */
static bool is_vector(TypeId id) {
    return id == TYPE_INT2VECTOR || id == TYPE_OIDVECTOR;
}

static bool is_exact(uint8_t wanted, TypeId given) {
    return wanted == given || (wanted == ARG_ENUM && given == TYPE_ENUM) || (!takes_any(wanted) && wanted == resolved_type(given)) ||
           (wanted == ARG_TEXTS && is_array(given)) || (wanted == ARG_NONARRAY && is_vector(given));
}

static bool is_possible(uint8_t wanted, TypeId given) {
    if (wanted == ARG_ENUM) {
        return given == TYPE_UNKNOWN || given == TYPE_ENUM;
    }
    if (wanted == ARG_ARRAY || wanted == ARG_NONARRAY || wanted == ARG_TEXTS) {
        return given == TYPE_UNKNOWN || is_array(given) == (wanted != ARG_NONARRAY) || (wanted == ARG_NONARRAY && is_vector(given));
    }
    if (takes_any(wanted) || given == TYPE_UNKNOWN || is_exact(wanted, given)) {
        return true;
    }
    return can_coerce(type_of(given), type_of((TypeId)wanted), CAST_IMPLICIT);
}

static bool counts_fit(const Candidate *c, uint32_t count) {
    return c->variadic ? count >= c->arg_count : count == c->arg_count;
}

/* Is the type of the same group as those before it? */
static bool agrees(TypeCategory *category, Type type) {
    TypeCategory before = *category;
    *category = type_group((TypeId)type.id);
    return before == CAT_UNKNOWN || before == *category;
}

/* The arguments that are or hold elements must agree on the element's type. */
static bool elements_possible(const Candidate *c, const Expr *const *args, uint32_t count) {
    TypeCategory category = CAT_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t wanted = wanted_at(c, i);
        if ((wanted != ARG_ARRAY && wanted != ARG_ELEMENT) || args[i]->type.id == TYPE_UNKNOWN) {
            continue;
        }
        if (!agrees(&category, wanted == ARG_ARRAY ? type_element(args[i]->type) : args[i]->type)) {
            return false;
        }
    }
    return true;
}

/* Arguments of ARG_ENUM are of one enum, and one of them says which. */
static bool enums_possible(const Candidate *c, const Expr *const *args, uint32_t count) {
    Type type = {0};
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (wanted_at(c, i) != ARG_ENUM) {
            continue;
        }
        any = true;
        if (args[i]->type.id == TYPE_ENUM && type.id == TYPE_ENUM && type.length != args[i]->type.length) {
            return false;
        }
        type = args[i]->type.id == TYPE_ENUM ? args[i]->type : type;
    }
    return !any || type.id == TYPE_ENUM;
}

/* Arguments of ARG_SAME must have a common type. */
static bool same_possible(const Candidate *c, const Expr *const *args, uint32_t count) {
    TypeCategory category = CAT_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        if (wanted_at(c, i) == ARG_SAME && args[i]->type.id != TYPE_UNKNOWN && !agrees(&category, args[i]->type)) {
            return false;
        }
    }
    return true;
}

static bool candidate_fits(Candidate *c, const Expr *const *args, uint32_t count) {
    if (!counts_fit(c, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        TypeId given = (TypeId)args[i]->type.id;
        uint8_t wanted = wanted_at(c, i);
        if (!is_possible(wanted, given) || (wanted == TYPE_FLOAT8_ARRAY && given == TYPE_ARRAY)) {
            return false;
        }
        bool exact = is_exact(wanted, given) && given != TYPE_UNKNOWN;
        bool preferred = !takes_any(wanted) && type_preferred((TypeId)wanted) && given != TYPE_UNKNOWN;
        c->exact += exact ? (wanted == given ? EXACT_WEIGHT + 1 : EXACT_WEIGHT) : 0;
        c->preferred += exact || preferred;
    }
    return same_possible(c, args, count) && elements_possible(c, args, count) && enums_possible(c, args, count);
}

/* ---------------------------------------------------------------- narrowing */

static void keep_best(Candidates *set, bool by_preferred) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        best = MAX_OF(best, by_preferred ? set->items[i].preferred : set->items[i].exact);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if ((by_preferred ? set->items[i].preferred : set->items[i].exact) == best) {
            set->items[kept++] = set->items[i];
        }
    }
    set->count = kept;
}

/* The type of all arguments that have one; TYPE_UNKNOWN: they differ, or none has. */
static TypeId known_type(const Expr *const *args, uint32_t count, bool *any_unknown_out) {
    TypeId known = TYPE_UNKNOWN;
    bool differ = false;
    *any_unknown_out = false;
    for (uint32_t i = 0; i < count; i++) {
        TypeId given = (TypeId)args[i]->type.id;
        *any_unknown_out = *any_unknown_out || given == TYPE_UNKNOWN;
        differ = differ || (given != TYPE_UNKNOWN && known != TYPE_UNKNOWN && given != known);
        known = given != TYPE_UNKNOWN ? given : known;
    }
    return differ ? TYPE_UNKNOWN : known;
}

static void take_one(Candidates *set, uint32_t i) {
    set->items[0] = set->items[i];
    set->count = 1;
}

/* If the known arguments are all of one type, the unknown ones are taken to be of it too; found without looking at casts. */
static bool assume_same(Candidates *set, const Expr *const *args, uint32_t count) {
    bool any_unknown = false;
    TypeId known = known_type(args, count, &any_unknown);
    if (!any_unknown || known == TYPE_UNKNOWN) {
        return false;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        bool fits = counts_fit(&set->items[i], count);
        for (uint32_t a = 0; a < count && fits; a++) {
            uint8_t wanted = wanted_at(&set->items[i], a);
            fits = is_exact(wanted, known) || (wanted == ARG_ARRAY && is_array(known));
        }
        Candidate c = set->items[i];
        if (fits && candidate_fits(&c, args, count)) {
            take_one(set, i);
            return true;
        }
    }
    return false;
}

/* The category an unknown argument should have: text if any candidate takes text there, else what all agree on. */
static bool unknown_category(const Candidates *set, uint32_t arg, TypeCategory *category_out, bool *preferred_out) {
    TypeCategory category = CAT_UNKNOWN;
    bool agree = true;
    bool preferred = false;
    for (uint32_t i = 0; i < set->count; i++) {
        uint8_t wanted = wanted_at(&set->items[i], arg);
        if (takes_any(wanted)) {
            continue;
        }
        TypeCategory next = type_group((TypeId)wanted);
        if (next == CAT_TEXT) {
            *category_out = CAT_TEXT;
            *preferred_out = true;
            return true;
        }
        agree = agree && (category == CAT_UNKNOWN || category == next);
        category = next;
        preferred = preferred || type_preferred((TypeId)wanted);
    }
    *category_out = category;
    *preferred_out = preferred;
    return agree && category != CAT_UNKNOWN;
}

static void keep_category(Candidates *set, uint32_t arg, TypeCategory category, bool preferred) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint8_t wanted = wanted_at(&set->items[i], arg);
        bool fits = !takes_any(wanted) && type_group((TypeId)wanted) == category && (!preferred || type_preferred((TypeId)wanted));
        if (fits) {
            set->items[kept++] = set->items[i];
        }
    }
    if (kept > 0) {
        set->count = kept;
    }
}

/* PostgreSQL narrows by the unknown arguments only if each of them has a category. */
static void resolve_unknowns(Candidates *set, const Expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TypeCategory category = CAT_UNKNOWN;
        bool preferred = false;
        if (args[i]->type.id == TYPE_UNKNOWN && !unknown_category(set, i, &category, &preferred)) {
            return;
        }
    }
    for (uint32_t i = 0; i < count && set->count > 1; i++) {
        TypeCategory category = CAT_UNKNOWN;
        bool preferred = false;
        if (args[i]->type.id == TYPE_UNKNOWN && unknown_category(set, i, &category, &preferred)) {
            keep_category(set, i, category, preferred);
        }
    }
}

/* The last resort: unknown arguments are of the type that the known ones are, if that makes one candidate fit. */
static void assume_known_type(Candidates *set, const Expr *const *args, uint32_t count) {
    bool any_unknown = false;
    TypeId known = known_type(args, count, &any_unknown);
    uint32_t fitting = 0, last = 0;
    for (uint32_t i = 0; i < set->count && known != TYPE_UNKNOWN; i++) {
        bool fits = true;
        for (uint32_t a = 0; a < count; a++) {
            fits = fits && is_possible(wanted_at(&set->items[i], a), known);
        }
        fitting += fits;
        last = fits ? i : last;
    }
    if (fitting == 1) {
        take_one(set, last);
    }
}

/* Rows that name their types win over rows that take anything. */
static void keep_specific(Candidates *set, uint32_t count) {
    uint32_t best = UINT32_MAX;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            uint32_t loose = set->items[i].variadic;
            for (uint32_t a = 0; a < count; a++) {
                loose += takes_any(wanted_at(&set->items[i], a)) ? 2 : 0;
            }
            best = pass == 0 ? MIN_OF(best, loose) : best;
            if (pass == 1 && loose == best) {
                set->items[kept++] = set->items[i];
            }
        }
        set->count = pass == 1 ? kept : set->count;
    }
}

/* The row whose types are those of the arguments, which beats all others; the usual case, found without looking at casts. */
static bool take_exact(Candidates *set, const Expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < set->count; i++) {
        const Candidate *c = &set->items[i];
        bool exact = count > 0 && c->arg_count == count && !c->variadic;
        for (uint32_t a = 0; a < count && exact; a++) {
            exact = c->args[a] == args[a]->type.id && args[a]->type.id != TYPE_UNKNOWN;
        }
        if (exact) {
            take_one(set, i);
            return true;
        }
    }
    return false;
}

/* Narrows set to the one that is meant, to none, or leaves several: ambiguous. */
static void choose(Candidates *set, const Expr *const *args, uint32_t count) {
    uint32_t kept = 0;
    if (take_exact(set, args, count) || assume_same(set, args, count)) {
        return;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        Candidate c = set->items[i];
        if (candidate_fits(&c, args, count)) {
            set->items[kept++] = c;
        }
    }
    set->count = kept;
    if (set->count > 1) {
        keep_best(set, false);
        keep_best(set, true);
        resolve_unknowns(set, args, count);
        if (set->count > 1) {
            keep_specific(set, count);
        }
        if (set->count > 1) {
            assume_known_type(set, args, count);
        }
    }
}

/* ---------------------------------------------------------------- errors */

static Str argument_types(Binder *b, const Expr *const *args, uint32_t count) {
    Str list = {0};
    for (uint32_t i = 0; i < count && i < 10; i++) {
        Str name = type_name(b, args[i]->type);
        list = i == 0 ? name : arena_format(b->arena, "%.*s, %.*s", STR_ARG(list), STR_ARG(name));
    }
    return list;
}

static Str function_name_at(const void *context, uint32_t i) {
    (void)context;
    return str_from_c(function_at(i)->name);
}

/* PostgreSQL's hints, which its clients show. */
static ErrorCode with_hint(Binder *b, ErrorCode code, bool is_operator, bool ambiguous, uint32_t count) {
    const char *what = is_operator ? "operator" : "function";
    if (b->dialect == DIALECT_POSTGRES && is_operator && !ambiguous && count == 1) {
        return error_add(b->err, 'H', "No operator matches the given name and argument type. You might need to add an explicit type cast.");
    }
    if (b->dialect == DIALECT_POSTGRES && b->err != NULL) {
        error_ignore(ambiguous ? error_add(b->err, 'H', "Could not choose a best candidate %s. You might need to add explicit type casts.", what)
                               : error_add(b->err, 'H', "No %s matches the given name and argument types. You might need to add explicit type casts.", what));
    }
    return code;
}

static ErrorCode no_such_call(Binder *b, Str name, const Expr *const *args, uint32_t count, int64_t position, bool is_operator, bool known, bool ambiguous) {
    Str types = argument_types(b, args, count);
    ErrorCode code = ambiguous ? ERR_AMBIGUOUS_FUNCTION : ERR_UNDEFINED_FUNCTION;
    const char *problem = ambiguous ? "is not unique" : "does not exist";
    if (is_operator) {
        bool binary = count == 2;
        error_ignore(error_set(b->err, code, position, "operator %s: %.*s%s%.*s %.*s", problem, STR_ARG(binary ? type_name(b, args[0]->type) : (Str){0}),
                               binary ? " " : "", STR_ARG(name), STR_ARG(type_name(b, args[count - 1]->type))));
        return with_hint(b, code, true, ambiguous, count);
    }
    if (known || ambiguous) {
        error_ignore(error_set(b->err, code, position, "function %.*s(%.*s) %s%s", STR_ARG(name), STR_ARG(types), problem,
                               ambiguous || b->dialect == DIALECT_POSTGRES ? "" : "; no row of that name takes these arguments"));
        return with_hint(b, code, false, ambiguous, count);
    }
    Str closest = b->dialect == DIALECT_POSTGRES ? (Str){0} : name_closest(name, (uint32_t)function_count(), function_name_at, NULL);
    if (closest.len > 0) {
        return error_set(b->err, code, position, "function %.*s(%.*s) does not exist; did you mean %.*s?", STR_ARG(name), STR_ARG(types), STR_ARG(closest));
    }
    error_ignore(error_set(b->err, code, position, "function %.*s(%.*s) does not exist", STR_ARG(name), STR_ARG(types)));
    return with_hint(b, code, false, false, count);
}

/* ---------------------------------------------------------------- functions */

/* The element type that the arguments agree on; false: nothing tells it. */
static ErrorCode element_type(Binder *b, const Candidate *c, const Expr *const *args, uint32_t count, bool *known_out, Type *type_out) {
    const Expr **elements = arena_array(b->arena, const Expr *, count + 1);
    uint32_t element_count = 0;
    bool known = false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t wanted = wanted_at(c, i);
        if (wanted != ARG_ARRAY && wanted != ARG_ELEMENT) {
            continue;
        }
        bool unknown = args[i]->type.id == TYPE_UNKNOWN;
        known = known || !unknown;
        if (wanted == ARG_ELEMENT) {
            elements[element_count++] = args[i];
        } else if (!unknown) {
            elements[element_count++] = expr_null(b, type_element(args[i]->type), args[i]->position);
        }
    }
    *known_out = known;
    return known ? common_type(b, elements, element_count, "ARRAY", type_out) : ERR_OK;
}

/* Arrays and elements of one call come to one element type. */
static ErrorCode coerce_elements(Binder *b, const Candidate *c, const Expr **args, uint32_t count, int64_t position, Type *element_out) {
    bool known = false;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any = any || wanted_at(c, i) == ARG_ARRAY || wanted_at(c, i) == ARG_ELEMENT;
    }
    if (!any) {
        return ERR_OK;
    }
    TRY(element_type(b, c, args, count, &known, element_out));
    if (!known) {
        return error_set(b->err, ERR_DATATYPE_MISMATCH, position, "could not determine polymorphic type because input has type unknown");
    }
    *element_out = type_element(type_array(*element_out));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t wanted = wanted_at(c, i);
        if (wanted == ARG_ELEMENT) {
            TRY(coerce(b, args[i], *element_out, CAST_IMPLICIT, &args[i]));
        } else if (wanted == ARG_ARRAY) {
            bool fits = args[i]->type.id != TYPE_UNKNOWN && args[i]->type.id != TYPE_FLOAT8_ARRAY && type_element(args[i]->type).id == element_out->id;
            if (!fits) {
                TRY(coerce(b, args[i], type_array(*element_out), CAST_IMPLICIT, &args[i]));
            }
        }
    }
    return ERR_OK;
}

static Type enum_argument(const Expr *const *args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->type.id == TYPE_ENUM) {
            return args[i]->type;
        }
    }
    return type_of(TYPE_ENUM);
}

/* Brings arguments to the types of the chosen row; ARG_SAME ones to their common type. */
static ErrorCode coerce_arguments(Binder *b, const Candidate *c, const Expr **args, uint32_t count, bool keep_symbol, int64_t position, Type *same_out, Type *element_out) {
    TRY(coerce_elements(b, c, args, count, position, element_out));
    const Expr **same = arena_array(b->arena, const Expr *, count + 1);
    uint32_t same_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t wanted = wanted_at(c, i);
        if (wanted == ARG_SAME) {
            same[same_count++] = args[i];
        } else if (wanted == ARG_ENUM) {
            TRY(coerce(b, args[i], enum_argument(args, count), CAST_IMPLICIT, &args[i]));
        } else if (wanted == ARG_ARRAY || wanted == ARG_ELEMENT) {
            continue; /* done before */
        } else if (wanted == ARG_TEXTS) {
            TRY(coerce(b, args[i], type_array(type_of(TYPE_TEXT)), CAST_IMPLICIT, &args[i]));
        } else if ((wanted == ARG_ANY || wanted == ARG_NONARRAY) && args[i]->kind == EXPR_PARAM && b->dialect == DIALECT_POSTGRES) {
            continue; /* anything: it says nothing of the parameter's type */
        } else if (wanted == ARG_ANY || wanted == ARG_NONARRAY) {
            TRY(coerce_known(b, args[i], &args[i]));
        } else if (args[i]->type.id != wanted) {
            TRY(coerce(b, args[i], type_of((TypeId)wanted), CAST_IMPLICIT, &args[i]));
        }
    }
    *same_out = type_of(TYPE_TEXT);
    if (same_count == 0) {
        return ERR_OK;
    }
    TRY(common_type(b, same, same_count, "argument", same_out));
    if (same_count == 1 && keep_symbol && same_out->id == TYPE_SYMBOL) {
        return ERR_OK; /* max(symbol) works on codes and answers one */
    }
    *same_out = same_out->id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : *same_out;
    for (uint32_t i = 0; i < count; i++) {
        if (wanted_at(c, i) == ARG_SAME) {
            TRY(coerce(b, args[i], *same_out, CAST_IMPLICIT, &args[i]));
        }
    }
    return ERR_OK;
}

static Type result_of(uint8_t result, ResultType result_type, const Expr *const *args, uint32_t count, Type same, Type element) {
    Type types[CALL_ARGS_MAX];
    for (uint32_t i = 0; i < count && i < CALL_ARGS_MAX; i++) {
        types[i] = args[i]->type;
    }
    if (result_type != NULL) {
        return result_type(types, (uint16_t)MIN_OF(count, CALL_ARGS_MAX));
    }
    if (result == ARG_ENUM) {
        return enum_argument(args, count);
    }
    if (result == ARG_ARRAY || result == ARG_ELEMENT) {
        return result == ARG_ARRAY ? type_array(element) : element;
    }
    return result == ARG_SAME || result == ARG_ANY ? same : type_of((TypeId)result);
}

static bool of_other_dialect(const Binder *b, uint32_t flags, uint32_t postgres, uint32_t questdb) {
    return (flags & (b->dialect == DIALECT_QUESTDB ? postgres : questdb)) != 0;
}

static void gather_functions(Binder *b, Str name, bool is_operator, Candidates *set) {
    size_t row_count = 0;
    const Function *rows = function_lookup(name, &row_count);
    set->count = 0;
    for (size_t i = 0; i < row_count && set->count < CANDIDATES_MAX; i++) {
        bool hidden = of_other_dialect(b, rows[i].flags, FN_POSTGRES, FN_QUESTDB) || (!is_operator && (rows[i].flags & FN_OPERATOR) != 0);
        if (!hidden) {
            set->items[set->count++] = (Candidate){rows[i].args, rows[i].arg_count, (rows[i].flags & FN_VARIADIC) != 0, &rows[i], 0, 0};
        }
    }
}

static bool is_comparison(Str name) {
    static const Str names[] = {{"=", 1}, {"<>", 2}, {"<", 1}, {"<=", 2}, {">", 1}, {">=", 2}, {"is distinct from", 16}};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (str_equal(name, names[i])) {
            return true;
        }
    }
    return false;
}

ErrorCode compare_as_text(Binder *b, const Expr **args, uint32_t count) {
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        TypeId id = (TypeId)args[i]->type.id;
        any = any || id == TYPE_BPCHAR;
        if (id != TYPE_BPCHAR && id != TYPE_VARCHAR && id != TYPE_UNKNOWN) {
            return ERR_OK;
        }
    }
    for (uint32_t i = 0; any && i < count; i++) {
        if (args[i]->type.id != TYPE_BPCHAR) {
            TRY(coerce(b, args[i], type_of(TYPE_BPCHAR), CAST_IMPLICIT, &args[i]));
        }
        TRY(coerce(b, args[i], type_of(TYPE_TEXT), CAST_IMPLICIT, &args[i]));
    }
    return ERR_OK;
}

ErrorCode call_function(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, bool is_operator, const Expr **expr_out) {
    Candidates set;
    if (count > CALL_ARGS_MAX) {
        return error_set(b->err, ERR_PROGRAM_LIMIT, position, "a call has at most %d arguments", CALL_ARGS_MAX);
    }
    if (is_operator && count == 2 && is_comparison(name)) {
        TRY(compare_as_text(b, args, count));
    }
    gather_functions(b, name, is_operator, &set);
    bool known = set.count > 0;
    choose(&set, args, count);
    if (set.count != 1) {
        return no_such_call(b, name, args, count, position, is_operator, known, set.count > 1);
    }
    const Function *function = set.items[0].row;
    Type same = {0}, element = {0};
    TRY(coerce_arguments(b, &set.items[0], args, count, false, position, &same, &element));
    Type type = result_of(function->result, function->result_type, args, count, same, element);
    return expr_call(b, function, NULL, type, args, count, position, expr_out);
}

/* ---------------------------------------------------------------- aggregates */

bool is_aggregate_name(Str name) {
    if (is_json_aggregate(name)) {
        return true;
    }
    size_t count = 0;
    const Aggregate *rows = aggregate_lookup(name, &count);
    for (size_t i = 0; i < count; i++) {
        if ((rows[i].flags & AGG_HIDDEN) == 0) {
            return true;
        }
    }
    return false;
}

ErrorCode find_aggregate(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, const Aggregate **aggregate_out, Type *type_out) {
    Candidates set = {.count = 0};
    size_t row_count = 0;
    const Aggregate *rows = aggregate_lookup(name, &row_count);
    for (size_t i = 0; i < row_count && set.count < CANDIDATES_MAX; i++) {
        bool hidden = (rows[i].flags & AGG_HIDDEN) != 0 || of_other_dialect(b, rows[i].flags, AGG_POSTGRES, AGG_QUESTDB);
        if (!hidden) {
            set.items[set.count++] = (Candidate){rows[i].args, rows[i].arg_count, false, &rows[i], 0, 0};
        }
    }
    choose(&set, args, count);
    if (set.count != 1) {
        return no_such_call(b, name, args, count, position, false, true, set.count > 1);
    }
    *aggregate_out = set.items[0].row;
    Type same = {0}, element = {0};
    TRY(coerce_arguments(b, &set.items[0], args, count, true, position, &same, &element));
    *type_out = result_of((*aggregate_out)->result, (*aggregate_out)->result_type, args, count, same, element);
    bool of_text = b->dialect == DIALECT_POSTGRES && type_out->id == TYPE_VARCHAR && (str_equal_ignore_case(name, STR("min")) || str_equal_ignore_case(name, STR("max")));
    if (of_text) { /* PostgreSQL has min(text), none of varchar */
        TRY(coerce(b, args[0], type_of(TYPE_TEXT), CAST_IMPLICIT, &args[0]));
        *type_out = type_of(TYPE_TEXT);
    }
    return ERR_OK;
}
