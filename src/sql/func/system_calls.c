/* SPDX-License-Identifier: Apache-2.0
 * system_calls.c - kernels of the functions that ask the catalog: each hands its call to the environment's SystemCalls. */
#include "sql/func/func_internal.h"

static ErrorCode ask(SystemFunction function, const char *name, const KernelCall *call, Vector *out, Error *err) {
    const SystemCalls *calls = call->environment == NULL ? NULL : call->environment->system;
    if (calls == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "%s() needs a session", name);
    }
    return calls->call(calls, function, call, out, err);
}

#define X(name) \
    ErrorCode func__system_##name(const KernelCall *call, Vector *out, Error *err) { return ask(SYSTEM_##name, #name, call, out, err); }
SYSTEM_FUNCTIONS(X)
#undef X

Type func__aclitems(const Type *arg_types, uint16_t arg_count) {
    (void)arg_types, (void)arg_count;
    return type_array(type_of(TYPE_ACLITEM));
}
