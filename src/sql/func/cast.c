/* SPDX-License-Identifier: Apache-2.0
 * cast.c - the cast table as an array, its look-up, and targets with modifiers.
 *
 * Rows come from casts.h and, for text input and output, from the type table itself. */
#include "sql/func/cast_internal.h"

/* Text output is an assignment cast, text input an explicit one; untyped literals are read implicitly. */
#define FROM_TEXT(source, target, weakest)                                                                             \
    {TYPE_##source, TYPE_##target, weakest, false,                                                                     \
     {#target, {TYPE_##source, ARG_END}, 1, TYPE_##target, FN_FAILS | STABLE(source, target), cast__from_text, NULL, NULL, NULL, NULL}},
#define TO_TEXT(source, target)                                                                                        \
    {TYPE_##source, TYPE_##target, CAST_ASSIGNMENT, false,                                                             \
     {#target, {TYPE_##source, ARG_END}, 1, TYPE_##target, (TYPE_##target == TYPE_TEXT ? 0 : FN_FAILS) | STABLE(source, target), \
      cast__to_text, NULL, NULL, NULL, NULL}},
#define TEXT_INPUT(name, sql, exec, phys, oid, cat, pref)                                                              \
    FROM_TEXT(UNKNOWN, name, CAST_IMPLICIT)                                                                            \
    FROM_TEXT(TEXT, name, CAST_EXPLICIT)                                                                               \
    FROM_TEXT(VARCHAR, name, CAST_EXPLICIT)                                                                            \
    FROM_TEXT(BPCHAR, name, CAST_EXPLICIT)
#define TEXT_OUTPUT(name, sql, exec, phys, oid, cat, pref)                                                             \
    TO_TEXT(name, TEXT)                                                                                                \
    TO_TEXT(name, VARCHAR)                                                                                             \
    TO_TEXT(name, BPCHAR)

/* The first row that fits counts: special rows stand before the general ones. */
static const Cast CASTS[] = {
#define STABLE(from_, to_) (TYPE_##from_ == TYPE_TIMESTAMPTZ || TYPE_##to_ == TYPE_TIMESTAMPTZ ? FN_STABLE : 0)
#define CAST(from_, to_, context_, kernel_)                                                                            \
    {TYPE_##from_, TYPE_##to_, CAST_##context_, false,                                                                 \
     {#to_, {TYPE_##from_, ARG_END}, 1, TYPE_##to_, FN_FAILS | STABLE(from_, to_), cast__##kernel_, NULL, NULL, NULL, NULL}},
#define TOTAL_CAST(from_, to_, context_, kernel_)                                                                      \
    {TYPE_##from_, TYPE_##to_, CAST_##context_, false,                                                                 \
     {#to_, {TYPE_##from_, ARG_END}, 1, TYPE_##to_, 0, cast__##kernel_, NULL, NULL, NULL, NULL}},
#define BINARY_CAST(from_, to_, context_)                                                                              \
    {TYPE_##from_, TYPE_##to_, CAST_##context_, true, {#to_, {TYPE_##from_, ARG_END}, 1, TYPE_##to_, 0, NULL, NULL, NULL, NULL, NULL}},
#include "sql/func/casts.h"
#undef CAST
#undef TOTAL_CAST
#undef BINARY_CAST
    COLUMN_TYPES(TEXT_INPUT) COLUMN_TYPES(TEXT_OUTPUT)
};

/* Where the row of casts.h for a pair lies, +1; 0 = none there. The binder asks for casts all the time. */
enum {
#define CAST(from_, to_, context_, kernel_) CAST_ROW_##from_##_##to_,
#define TOTAL_CAST CAST
#define BINARY_CAST(from_, to_, context_) CAST_ROW_##from_##_##to_,
#include "sql/func/casts.h"
#undef CAST
#undef TOTAL_CAST
#undef BINARY_CAST
    CAST_ROW_COUNT
};
static const uint16_t CAST_PLACES[TYPE_COUNT][TYPE_COUNT] = {
#define CAST(from_, to_, context_, kernel_) [TYPE_##from_][TYPE_##to_] = CAST_ROW_##from_##_##to_ + 1,
#define TOTAL_CAST CAST
#define BINARY_CAST(from_, to_, context_) [TYPE_##from_][TYPE_##to_] = CAST_ROW_##from_##_##to_ + 1,
#include "sql/func/casts.h"
#undef CAST
#undef TOTAL_CAST
#undef BINARY_CAST
};
enum { TEXT_INPUTS = 4, TEXT_OUTPUTS = 3 };
_Static_assert(COUNT_OF(CASTS) == CAST_ROW_COUNT + TYPE_COUNT * (TEXT_INPUTS + TEXT_OUTPUTS), "every type has its rows of text input and output");

const Cast *cast_find(TypeId from, TypeId to) {
    static const TypeId inputs[TEXT_INPUTS] = {TYPE_UNKNOWN, TYPE_TEXT, TYPE_VARCHAR, TYPE_BPCHAR};
    assert(from < TYPE_COUNT);
    assert(to < TYPE_COUNT);
    if (to == TYPE_SYMBOL || to == TYPE_UNKNOWN || (from == to && from == TYPE_TEXT)) {
        return NULL;
    }
    size_t place = CAST_PLACES[from][to];
    for (size_t i = 0; i < TEXT_INPUTS && place == 0; i++) {
        place = inputs[i] == from ? CAST_ROW_COUNT + (size_t)to * TEXT_INPUTS + i + 1 : 0;
    }
    for (size_t i = 1; i < TEXT_INPUTS && place == 0; i++) {
        place = inputs[i] == to ? CAST_ROW_COUNT + (size_t)TYPE_COUNT * TEXT_INPUTS + (size_t)from * TEXT_OUTPUTS + i : 0;
    }
    if (place == 0) {
        return NULL;
    }
    assert(CASTS[place - 1].from == from);
    assert(CASTS[place - 1].to == to);
    return &CASTS[place - 1];
}

const void *cast_prepare(Type from, Type to, CastContext context, Arena *arena) {
    bool decimal = to.id == TYPE_DECIMAL8 || to.id == TYPE_DECIMAL16 || (to.id == TYPE_NUMERIC && to.length > 0);
    bool sized = (to.id == TYPE_VARCHAR || to.id == TYPE_BPCHAR) && to.length > 0;
    bool rounded = to.precision > 0 || (to.id == TYPE_INTERVAL && to.length > 0);
    bool made = to.id == TYPE_ENUM;
    bool array = (to.id == TYPE_ARRAY || to.id == TYPE_FLOAT8_ARRAY) && type_category((TypeId)from.id) == CAT_ARRAY;
    if (!decimal && !sized && !rounded && !made && !array) {
        return NULL;
    }
    CastTarget *target = arena_new(arena, CastTarget);
    *target = (CastTarget){.type = to, .explicit = context == CAST_EXPLICIT};
    if (array) {
        target->from_element = type_element(from);
        target->to_element = type_element(to);
        target->element = cast_find((TypeId)target->from_element.id, (TypeId)target->to_element.id);
        target->element_prepared = cast_prepare(target->from_element, target->to_element, context, arena);
    }
    return target;
}

Type cast__target(const KernelCall *call, const Vector *out) {
    const CastTarget *target = call->prepared;
    return target == NULL ? out->type : target->type;
}

bool cast__is_explicit(const KernelCall *call) {
    const CastTarget *target = call->prepared;
    return target != NULL && target->explicit;
}
