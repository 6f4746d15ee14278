/* SPDX-License-Identifier: Apache-2.0
 * op_later.c - operators that are not there yet: refused by name. */
#include "sql/exec/exec_internal.h"

static ErrorCode refuse(const PlanOp *plan, Error *err) {
    return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "%s is not supported yet", plan_op_name((PlanOpKind)plan->kind));
}

ErrorCode op_set_op_open(UNUSED Run *run, const PlanOp *plan, UNUSED uint32_t worker, UNUSED Operator **op_out, Error *err) {
    return refuse(plan, err);
}
