#include "sql/exec/exec_internal.h"
#define LATER(name) ErrorCode name(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) { (void)run; (void)worker; (void)op_out; return error_set(err, ERR_NOT_SUPPORTED, -1, "%s is not supported", plan_op_name(plan->kind)); }
<<<<<<< HEAD
LATER(op_sample_open) LATER(op_set_op_open)
=======
LATER(op_sample_open) LATER(op_set_op_open)
>>>>>>> fbf4b91 (sql/exec: hash join; sql/bind: a projection owns its list of expressions)
