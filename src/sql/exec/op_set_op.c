/* SPDX-License-Identifier: Apache-2.0
 * op_set_op.c - INTERSECT and EXCEPT: not there yet, refused by name. */
#include "sql/exec/exec_internal.h"

ErrorCode op_set_op_open(UNUSED Run *run, const PlanOp *plan, UNUSED uint32_t worker, UNUSED Operator **op_out, Error *err) {
    return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "%s is not supported yet", plan_op_name((PlanOpKind)plan->kind));
}
