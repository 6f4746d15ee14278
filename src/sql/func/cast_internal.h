/* SPDX-License-Identifier: Apache-2.0
 * cast_internal.h - shared by the cast kernels. */
#pragma once
#include "sql/func/func_internal.h"

/* Prepared state of a cast to a type with modifiers. */
typedef struct CastTarget {
    Type type;
    bool explicit; /* cuts texts that are too long instead of raising */
    Type from_element, to_element; /* arrays: how one element is cast; element NULL: as it is */
    const Cast *element;
    const void *element_prepared;
} CastTarget;

Type cast__target(const KernelCall *call, const Vector *out);
bool cast__is_explicit(const KernelCall *call);
ErrorCode cast__from_text(const KernelCall *call, Vector *out, Error *err);
ErrorCode cast__to_text(const KernelCall *call, Vector *out, Error *err);

/* Rescales to numeric(p,s) and writes the int64 or int128. 22003 "numeric field overflow" if it does not fit. */
NODISCARD ErrorCode cast__store_decimal(Type type, Numeric value, void *value_out, Error *err);
/* Cuts or refuses text longer than type.length characters, pads char(n) with blanks. Result in arena or a part of text. */
NODISCARD ErrorCode cast__fit_text(Type type, Str text, bool explicit, Arena *arena, Str *text_out, Error *err);

/* Rounds to Type.precision - 1 fractional digits (0: as it is), halves away from zero. */
int64_t cast__round_micros(int64_t micros, uint8_t precision);
/* What the precision or the fields of a time, timestamp or interval type leave of a value, in place. */
NODISCARD ErrorCode cast__apply_precision(Type type, void *value, Error *err);
Str cast__cut_name(Str text);
/* Text input of the types of the PostgreSQL door (value_parse_more.c): times of day, oids, json, arrays, vectors, system types. */
NODISCARD ErrorCode cast__parse_more(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *value_out, Error *err);

/* ---- the kernels, one prototype per row of the table ---- */
#define CAST(from_, to_, context_, kernel_) ErrorCode cast__##kernel_(const KernelCall *call, Vector *out, Error *err);
#define TOTAL_CAST CAST
#define BINARY_CAST(from_, to_, context_)
#include "sql/func/casts.h"
#undef CAST
#undef TOTAL_CAST
#undef BINARY_CAST
