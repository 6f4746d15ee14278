/* SPDX-License-Identifier: Apache-2.0
 * ask.h - one row of a call to a function that asks the catalog: arguments in, one answer out.
 *
 * An answer that gives nothing is NULL. Files: call_define.c, call_identify.c, call_names.c, call_privilege.c, call_shape.c, call_updatable.c. */
#pragma once
#include "column/any_array.h"
#include "sql/system/each.h"

typedef struct Ask {
    SystemView *view;
    const KernelCall *call;
    Vector *out;
    size_t row;
    Buffer text;              /* for an answer that is text */
    bool answered;
} Ask;

uint32_t ask_oid(const Ask *ask, uint16_t argument);
int64_t ask_int(const Ask *ask, uint16_t argument);
bool ask_bool(const Ask *ask, uint16_t argument);
Str ask_text(const Ask *ask, uint16_t argument);
bool ask_is_text(const Ask *ask, uint16_t argument);
void answer_buffer(Ask *ask);           /* ask->text */
void answer_str(Ask *ask, Str text);
NODISCARD ErrorCode answer_array(Ask *ask, AnyArrayBuilder *builder, Error *err); /* one dimension from 1 on; the builder is freed */
void answer_bool(Ask *ask, bool value);
void answer_oid(Ask *ask, uint32_t value);
void answer_int4(Ask *ask, int32_t value);
void answer_int8(Ask *ask, int64_t value);

#define X(name) ErrorCode system_answer_##name(Ask *ask, Error *err);
SYSTEM_FUNCTIONS(X)
#undef X
