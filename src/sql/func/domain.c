/* SPDX-License-Identifier: Apache-2.0
 * domain.c - what a value that a domain does not take is told. */
#include "sql/func/func_internal.h"

ErrorCode domain_failure(const DomainFailure *failure, Error *err) {
    bool check = failure->check.len > 0;
    ErrorCode code = check ? ERR_CHECK_VIOLATION : ERR_NOT_NULL_VIOLATION;
    if (check) {
        error_ignore(error_set(err, code, ERROR_NO_POSITION, "value for domain %.*s violates check constraint \"%.*s\"", STR_ARG(failure->domain),
                               STR_ARG(failure->check)));
    } else {
        error_ignore(error_set(err, code, ERROR_NO_POSITION, "domain %.*s does not allow null values", STR_ARG(failure->domain)));
    }
    error_ignore(error_add(err, 's', "%.*s", STR_ARG(failure->schema_name)));
    error_ignore(error_add(err, 'd', "%.*s", STR_ARG(failure->domain)));
    if (check) {
        error_ignore(error_add(err, 'n', "%.*s", STR_ARG(failure->check)));
    }
    return code;
}

ErrorCode func__domain_failure(const KernelCall *call, Vector *out, Error *err) {
    (void)out;
    FOR_ROWS(call, row) {
        (void)row;
        return domain_failure(call->prepared, err);
    }
    return ERR_OK;
}
