/* SPDX-License-Identifier: Apache-2.0
 * cast.c - the cast table as an array, its look-up, and targets with modifiers.
 *
 * Rows come from casts.h and, for text input and output, from the type table itself. */
#include "sql/func/cast_internal.h"

/* Text output is an assignment cast, text input an explicit one; untyped literals are read implicitly. */
#define FROM_TEXT(source, target, weakest)                                                                             \
    {TYPE_##source, TYPE_##target, weakest, false,                                                                     \
     {#target, {TYPE_##source, ARG_END}, 1, TYPE_##target, FN_FAILS, cast__from_text, NULL, NULL, NULL, NULL}},
#define TO_TEXT(source, target)                                                                                        \
    {TYPE_##source, TYPE_##target, CAST_ASSIGNMENT, false,                                                             \
     {#target, {TYPE_##source, ARG_END}, 1, TYPE_##target, FN_FAILS, cast__to_text, NULL, NULL, NULL, NULL}},
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
#define CAST(from_, to_, context_, kernel_)                                                                            \
    {TYPE_##from_, TYPE_##to_, CAST_##context_, false,                                                                 \
     {#to_, {TYPE_##from_, ARG_END}, 1, TYPE_##to_, FN_FAILS, cast__##kernel_, NULL, NULL, NULL, NULL}},
#define BINARY_CAST(from_, to_, context_)                                                                              \
    {TYPE_##from_, TYPE_##to_, CAST_##context_, true, {#to_, {TYPE_##from_, ARG_END}, 1, TYPE_##to_, 0, NULL, NULL, NULL, NULL, NULL}},
#include "sql/func/casts.h"
#undef CAST
#undef BINARY_CAST
    COLUMN_TYPES(TEXT_INPUT) COLUMN_TYPES(TEXT_OUTPUT)
};

const Cast *cast_find(TypeId from, TypeId to) {
    assert(from < TYPE_COUNT);
    assert(to < TYPE_COUNT);
    if (to == TYPE_SYMBOL || to == TYPE_UNKNOWN || (from == to && from == TYPE_TEXT)) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT_OF(CASTS); i++) {
        if (CASTS[i].from == from && CASTS[i].to == to) {
            return &CASTS[i];
        }
    }
    return NULL;
}

const void *cast_prepare(Type from, Type to, CastContext context, Arena *arena) {
    bool decimal = to.id == TYPE_DECIMAL8 || to.id == TYPE_DECIMAL16;
    bool sized = (to.id == TYPE_VARCHAR || to.id == TYPE_BPCHAR) && to.length > 0;
    (void)from;
    if (!decimal && !sized) {
        return NULL;
    }
    CastTarget *target = arena_new(arena, CastTarget);
    *target = (CastTarget){.type = to, .explicit = context == CAST_EXPLICIT};
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
