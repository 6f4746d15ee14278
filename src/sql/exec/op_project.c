/* SPDX-License-Identifier: Apache-2.0
 * op_project.c - computed columns. Columns that pass through are not touched, not even decoded. */
#include "sql/exec/exec_internal.h"

typedef struct ProjectOperator {
    Operator base;
    Frame *frame;           /* NULL: every output is a column of the input */
} ProjectOperator;

static bool is_choice(const Program *program) {
    bool choice = program->step_count == 0 && program->subquery_count == 0;
    for (uint32_t i = 0; i < program->output_count && choice; i++) {
        choice = program->registers[program->outputs[i]].kind == REGISTER_INPUT;
    }
    return choice;
}

static const Vector *output_of(const ProjectOperator *project, const Batch *in, uint32_t output) {
    const Program *program = project->base.plan->program;
    return project->frame != NULL ? frame_output(project->frame, output) : &in->columns[program->registers[program->outputs[output]].number];
}

static ErrorCode project_next(Operator *op, Batch **batch_out, Error *err) {
    ProjectOperator *project = (ProjectOperator *)op;
    Batch *in = NULL;
    TRY(operator_next(op->inputs[0], &in, err));
    *batch_out = NULL;
    if (in == NULL) {
        return ERR_OK;
    }
    if (project->frame != NULL) {
        TRY(frame_run(project->frame, in, err));
    }
    for (uint32_t i = 0; i < op->plan->column_count; i++) {
        op->columns[i] = *output_of(project, in, i);
        op->columns[i].row_count = in->row_count;
        op->columns[i].type = op->plan->columns[i].type;
        if (op->columns[i].symbols == NULL) {
            op->columns[i].symbols = op->plan->columns[i].symbols;
        }
    }
    op->batch = *in;
    op->batch.columns = op->columns;
    op->batch.column_count = (uint16_t)op->plan->column_count;
    *batch_out = &op->batch;
    return ERR_OK;
}

static void project_close(Operator *op) {
    frame_close(((ProjectOperator *)op)->frame);
}

static const OperatorType PROJECT_TYPE = {"project", NULL, project_next, project_close};

ErrorCode op_project_open(Run *run, const PlanOp *plan, uint32_t worker, Operator **op_out, Error *err) {
    ProjectOperator *project = operator_new(ProjectOperator, run, plan, worker, &PROJECT_TYPE);
    *op_out = &project->base;
    if (!is_choice(plan->program)) {
        TRY(frame_open(run, plan->program, &project->frame, err));
    }
    return operator_open(run, plan->inputs[0], worker, &project->base.inputs[0], err);
}
