/* SPDX-License-Identifier: Apache-2.0
 * session_functions.c - functions that read or change the session: settings, process ids, advisory locks, pg_sleep.
 *
 * Why: they ask the table of calls that the session hands down; without a session (library tests) they are refused. All are volatile, so
 * they run on the session's thread and are never computed ahead.
 * Tests: test/sql/session.slt */
#include "sql/func/func_internal.h"

static ErrorCode calls_of(const KernelCall *call, const SessionCalls **calls_out, Error *err) {
    *calls_out = call->environment->calls;
    return *calls_out != NULL ? ERR_OK : error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "the function needs a session");
}

/* ---- settings ---- */

ErrorCode func__current_setting(const KernelCall *call, Vector *out, Error *err) {
    const SessionCalls *calls;
    ArgView name = func__arg(call, 0);
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        Str asked = func__text(name, row), value = {0};
        if (calls->setting_get(call->environment->session, asked, call->arena, &value)) {
            func__put_text(out, row, value);
        } else if (call->arg_count > 1 && func__bool(func__arg(call, 1), row)) {
            vector_set_null(out, call->arena, row);
        } else {
            return error_set(err, ERR_UNDEFINED_OBJECT, ERROR_NO_POSITION, "unrecognized configuration parameter \"%.*s\"", STR_ARG(asked));
        }
    }
    return ERR_OK;
}

ErrorCode func__set_config(const KernelCall *call, Vector *out, Error *err) {
    const SessionCalls *calls;
    ArgView name = func__arg(call, 0), value = func__arg(call, 1), local = func__arg(call, 2);
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        if (func__is_null(name, row)) {
            return error_set(err, ERR_NULL_NOT_ALLOWED, ERROR_NO_POSITION, "SET requires parameter name");
        }
        Str now = {0}, text = func__is_null(value, row) ? STR("") : func__text(value, row);
        bool is_local = !func__is_null(local, row) && func__bool(local, row);
        TRY(calls->setting_set(call->environment->session, func__text(name, row), text, is_local, call->arena, &now, err));
        func__put_text(out, row, now);
    }
    return ERR_OK;
}

/* ---- who ---- */

ErrorCode func__pg_backend_pid(const KernelCall *call, Vector *out, Error *err) {
    const SessionCalls *calls;
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        ((int32_t *)vector_data(out))[row] = calls->backend_pid(call->environment->session);
    }
    return ERR_OK;
}

ErrorCode func__txid_current(const KernelCall *call, Vector *out, Error *err) {
    const SessionCalls *calls;
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        ((int64_t *)vector_data(out))[row] = (int64_t)calls->transaction_id(call->environment->session);
    }
    return ERR_OK;
}

ErrorCode func__pg_export_snapshot(const KernelCall *call, Vector *out, Error *err) {
    const SessionCalls *calls;
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        Str id = calls->snapshot_export(call->environment->session, call->arena);
        if (id.len == 0) {
            return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "pg_export_snapshot can only be used in transaction blocks");
        }
        func__put_text(out, row, id);
    }
    return ERR_OK;
}

static ErrorCode signal_rows(const KernelCall *call, Vector *out, bool terminate, Error *err) {
    const SessionCalls *calls;
    ArgView pid = func__arg(call, 0);
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        bool found = false;
        TRY(calls->signal_client(call->environment->session, AT(int32_t, pid, row), terminate, &found, err));
        func__put_bool(out, row, found);
    }
    return ERR_OK;
}
ErrorCode func__pg_cancel_backend(const KernelCall *call, Vector *out, Error *err) { return signal_rows(call, out, false, err); }
ErrorCode func__pg_terminate_backend(const KernelCall *call, Vector *out, Error *err) { return signal_rows(call, out, true, err); }

/* ---- advisory locks ---- */

static AdvisoryKey advisory_key(const KernelCall *call, size_t row) {
    if (call->arg_count == 2) {
        uint32_t class_id = (uint32_t)AT(int32_t, func__arg(call, 0), row), object_id = (uint32_t)AT(int32_t, func__arg(call, 1), row);
        return (AdvisoryKey){(int64_t)((uint64_t)class_id << 32 | object_id), true};
    }
    return (AdvisoryKey){AT(int64_t, func__arg(call, 0), row), false};
}

static ErrorCode advisory_rows(const KernelCall *call, Vector *out, AdvisoryCall what, Error *err) {
    const SessionCalls *calls;
    TRY(calls_of(call, &calls, err));
    FOR_ROWS(call, row) {
        bool result = false;
        what.key = call->arg_count > 0 ? advisory_key(call, row) : (AdvisoryKey){0};
        TRY(calls->advisory(call->environment->session, &what, &result, err));
        if (out->type.id == TYPE_BOOL) {
            func__put_bool(out, row, result);
        } else {
            func__put_text(out, row, STR(""));
        }
    }
    return ERR_OK;
}

#define ADVISORY(name, what, is_shared, in_transaction)                                                                \
    ErrorCode func__##name(const KernelCall *call, Vector *out, Error *err) {                                          \
        return advisory_rows(call, out, (AdvisoryCall){.action = (what), .shared = (is_shared), .until_transaction_end = (in_transaction)}, err); \
    }
ADVISORY(pg_advisory_lock, ADVISORY_LOCK, false, false)
ADVISORY(pg_advisory_lock_shared, ADVISORY_LOCK, true, false)
ADVISORY(pg_advisory_unlock, ADVISORY_UNLOCK, false, false)
ADVISORY(pg_advisory_unlock_all, ADVISORY_UNLOCK_ALL, false, false)
ADVISORY(pg_advisory_unlock_shared, ADVISORY_UNLOCK, true, false)
ADVISORY(pg_advisory_xact_lock, ADVISORY_LOCK, false, true)
ADVISORY(pg_advisory_xact_lock_shared, ADVISORY_LOCK, true, true)
ADVISORY(pg_try_advisory_lock, ADVISORY_TRY_LOCK, false, false)
ADVISORY(pg_try_advisory_lock_shared, ADVISORY_TRY_LOCK, true, false)
ADVISORY(pg_try_advisory_xact_lock, ADVISORY_TRY_LOCK, false, true)
ADVISORY(pg_try_advisory_xact_lock_shared, ADVISORY_TRY_LOCK, true, true)

/* ---- pg_sleep ---- */

static ErrorCode sleep_row(const KernelCall *call, double seconds, Vector *out, size_t row, Error *err) {
    const SessionCalls *calls;
    TRY(calls_of(call, &calls, err));
    TRY(calls->sleep(call->environment->session, seconds, err));
    func__put_text(out, row, STR(""));
    return ERR_OK;
}

ErrorCode func__pg_sleep(const KernelCall *call, Vector *out, Error *err) {
    ArgView seconds = func__arg(call, 0);
    FOR_ROWS(call, row) {
        TRY(sleep_row(call, AT(double, seconds, row), out, row, err));
    }
    return ERR_OK;
}

ErrorCode func__pg_sleep_for(const KernelCall *call, Vector *out, Error *err) {
    ArgView spans = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Interval span = AT(Interval, spans, row);
        TRY(sleep_row(call, (double)interval_span(span) / 1e6, out, row, err));
    }
    return ERR_OK;
}
