/* SPDX-License-Identifier: Apache-2.0
 * sequence.c - nextval, currval, lastval, setval, and where a sequence stands: each asks the session, row by row.
 *
 * Tests: test/sql/sequence.slt */
#include "sql/func/func_internal.h"

static ErrorCode ask(const KernelCall *call, const SequenceCall *question, int64_t *value_out, Error *err) {
    const FunctionEnvironment *environment = call->environment;
    if (environment->sequence == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "sequences are not available here");
    }
    return environment->sequence(environment->sequence_context, question, value_out, err);
}

static ErrorCode ask_rows(const KernelCall *call, SequenceAction action, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        SequenceCall question = {.action = (uint8_t)action};
        if (call->arg_count > 0) {
            question.oid = AT(uint32_t, func__arg(call, 0), row);
        }
        TRY(ask(call, &question, (int64_t *)vector_data(out) + row, err));
    }
    return ERR_OK;
}

ErrorCode func__nextval(const KernelCall *call, Vector *out, Error *err) { return ask_rows(call, SEQUENCE_NEXT, out, err); }
ErrorCode func__currval(const KernelCall *call, Vector *out, Error *err) { return ask_rows(call, SEQUENCE_CURRENT, out, err); }
ErrorCode func__lastval(const KernelCall *call, Vector *out, Error *err) { return ask_rows(call, SEQUENCE_LAST, out, err); }
ErrorCode func__sequence_value(const KernelCall *call, Vector *out, Error *err) { return ask_rows(call, SEQUENCE_READ, out, err); }

ErrorCode func__sequence_called(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int64_t called = 0;
        SequenceCall question = {.action = SEQUENCE_READ_CALLED, .oid = AT(uint32_t, func__arg(call, 0), row)};
        TRY(ask(call, &question, &called, err));
        func__put_bool(out, row, called != 0);
    }
    return ERR_OK;
}

/* pg_sequence_last_value: NULL before the first nextval. */
ErrorCode func__sequence_last_value(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int64_t called = 0;
        SequenceCall question = {.action = SEQUENCE_READ_CALLED, .oid = AT(uint32_t, func__arg(call, 0), row)};
        TRY(ask(call, &question, &called, err));
        if (called == 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        question.action = SEQUENCE_READ;
        TRY(ask(call, &question, (int64_t *)vector_data(out) + row, err));
    }
    return ERR_OK;
}

ErrorCode func__setval(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        SequenceCall question = {.action = SEQUENCE_SET, .oid = AT(uint32_t, func__arg(call, 0), row), .value = AT(int64_t, func__arg(call, 1), row)};
        question.called = call->arg_count < 3 || vector_bool(call->args[2], row);
        TRY(ask(call, &question, (int64_t *)vector_data(out) + row, err));
    }
    return ERR_OK;
}
