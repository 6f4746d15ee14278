/* SPDX-License-Identifier: Apache-2.0
 * explain.c - a plan as indented lines. The words are for people; nothing parses them. */
#include "sql/plan/physical.h"

const char *plan_op_name(PlanOpKind kind) {
    static const char *const names[PLAN_OP_KINDS] = {
        [PLAN_SCAN] = "scan",           [PLAN_VALUES] = "values", [PLAN_TABLE_CALL] = "table function", [PLAN_FILTER] = "filter",
        [PLAN_PROJECT] = "project",     [PLAN_LIMIT] = "limit",   [PLAN_UNION] = "union all",           [PLAN_AGGREGATE] = "aggregate",
        [PLAN_SAMPLE] = "sample by",    [PLAN_SORT] = "sort",     [PLAN_JOIN] = "join",                 [PLAN_LATEST] = "latest on",
        [PLAN_SET_OP] = "set operation", [PLAN_APPLY] = "for each row", [PLAN_WINDOW] = "window",
        [PLAN_RECURSE] = "recursion",   [PLAN_WORKING] = "kept rows",
    };
    assert(kind < PLAN_OP_KINDS);
    return names[kind];
}

static void print_columns(const PlanOp *op, Buffer *out) {
    buffer_append_str(out, STR(" ["));
    for (uint32_t i = 0; i < op->column_count; i++) {
        buffer_printf(out, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(op->columns[i].name));
    }
    buffer_append_char(out, ']');
}

static void explain_scan(const PlanOp *op, Buffer *out) {
    static const char *const orders[] = {"any order", "forward", "backward"};
    buffer_printf(out, " %.*s %s", STR_ARG(op->as.scan.table->name), orders[op->as.scan.order]);
    if (op->as.scan.index != NULL) {
        const PlanIndex *index = op->as.scan.index;
        buffer_printf(out, ", index %.*s: %u of %u keys%s%s", STR_ARG(index->index->name), index->equal_count, index->index->key_count,
                      index->in_count > 0 ? ", list" : "", index->has_low || index->has_high ? ", range" : "");
    }
    if (op->as.scan.bound_count + op->as.scan.range_count > 0) {
        uint32_t ranges = 0;
        for (uint32_t i = 0; i < op->as.scan.range_count; i++) {
            ranges += op->as.scan.ranges[i].count;
        }
        buffer_printf(out, ", time bounds: %u, ranges: %u", op->as.scan.bound_count, ranges);
    }
    if (op->as.scan.filter_count > 0) {
        buffer_append_str(out, STR(", prunes by:"));
        for (uint16_t i = 0; i < op->as.scan.filter_count; i++) {
            buffer_printf(out, " %.*s", STR_ARG(op->columns[op->as.scan.filters[i].column].name));
        }
    }
}

static void explain_aggregates(const PlanAggregate *aggregates, uint32_t count, Buffer *out) {
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(out, "%s%s%s", i == 0 ? " " : ", ", aggregates[i].aggregate->name, aggregates[i].distinct ? "(distinct)" : "");
    }
}

static void explain_aggregate(const PlanOp *op, Buffer *out) {
    explain_aggregates(op->as.aggregate.aggregates, op->as.aggregate.aggregate_count, out);
    if (op->as.aggregate.distinct) {
        buffer_append_str(out, STR(" distinct rows"));
    }
    if (op->as.aggregate.group_count > 0) {
        buffer_printf(out, ", %u keys, %s", op->as.aggregate.group_count, op->as.aggregate.array_groups ? "by code where it fits" : "by hash");
    }
    if (op->as.aggregate.stats_answers) {
        buffer_append_str(out, STR(", from block statistics"));
    }
}

static void explain_join(const PlanOp *op, Buffer *out) {
    static const char *const kinds[] = {"inner", "left", "cross", "right", "full", "semi", "anti"};
    buffer_printf(out, " %s, %s", kinds[op->as.join.kind], op->as.join.key_count > 0 ? "hash of the right side" : "every pair");
    if (op->as.join.residual != NULL) {
        buffer_append_str(out, STR(", condition"));
    }
}

void plan_op_explain(const PlanOp *op, Buffer *out) {
    buffer_append_str(out, str_from_c(plan_op_name((PlanOpKind)op->kind)));
    switch ((PlanOpKind)op->kind) {
    case PLAN_SCAN:
        explain_scan(op, out);
        break;
    case PLAN_AGGREGATE:
        explain_aggregate(op, out);
        break;
    case PLAN_SAMPLE:
        explain_aggregates(op->as.sample.aggregates, op->as.sample.aggregate_count, out);
        buffer_printf(out, ", %u keys", op->as.sample.key_count);
        break;
    case PLAN_SORT:
        buffer_printf(out, " by %u keys%s", op->as.sort.key_count, op->as.sort.has_limit ? ", top rows only" : "");
        break;
    case PLAN_JOIN:
        explain_join(op, out);
        break;
    case PLAN_LATEST:
        buffer_printf(out, " %u keys%s", op->as.latest.key_count, op->as.latest.symbol >= 0 ? ", last row of each symbol" : ", newest first");
        break;
    case PLAN_LIMIT:
        if (op->as.limit.reversed) {
            buffer_append_str(out, STR(" of the last rows"));
        }
        break;
    case PLAN_VALUES:
        buffer_printf(out, " %u rows", op->as.values.row_count);
        break;
    default:
        break;
    }
    print_columns(op, out);
}

static void explain_program(const Program *program, int depth, Buffer *out) {
    static const char *const kinds[] = {"call", "and",  "or",    "not",     "is null",  "retype", "blend",     "in list", "time in",
                                        "in",   "check subquery", "subquery", "symbol =", "symbol map", "if true", "if not true", "if not false", "if null", "if not null"};
    for (uint32_t i = 0; program != NULL && i < program->step_count; i++) {
        const Step *step = &program->steps[i];
        buffer_append_fill(out, ' ', (size_t)depth * 2);
        buffer_printf(out, "  r%u := %s%s%s", step->out, kinds[step->kind], step->function != NULL ? " " : "",
                      step->function != NULL ? step->function->name : "");
        for (uint32_t a = 0; a < step->arg_count; a++) {
            buffer_printf(out, " r%u", step->args[a]);
        }
        if (step->guard != MASK_LIVE) {
            buffer_printf(out, " where m%u", step->guard);
        }
        buffer_append_char(out, '\n');
    }
}

static void explain_tree(const PlanOp *op, int depth, bool verbose, Buffer *out) {
    buffer_append_fill(out, ' ', (size_t)depth * 2);
    plan_op_explain(op, out);
    buffer_append_char(out, '\n');
    if (verbose) {
        explain_program(op->program, depth, out);
    }
    for (size_t i = 0; i < 2; i++) {
        if (op->inputs[i] != NULL) {
            explain_tree(op->inputs[i], depth + 1, verbose, out);
        }
    }
    for (uint32_t i = 0; op->kind == PLAN_UNION && i < op->as.union_all.arm_count; i++) {
        explain_tree(op->as.union_all.arms[i], depth + 1, verbose, out);
    }
    if (op->kind == PLAN_WORKING && op->as.working.query != NULL) {
        explain_tree(op->as.working.query, depth + 1, verbose, out);
    }
}

void plan_explain(const Plan *plan, bool verbose, Buffer *out) {
    static const char *const passes[] = {
#define X(id, name, text) name,
        PLAN_PASSES(X)
#undef X
    };
    explain_tree(plan->root, 0, verbose, out);
    if (verbose) {
        buffer_append_str(out, STR("passes:"));
        for (size_t i = 0; i < COUNT_OF(passes); i++) {
            if ((plan->passes_fired >> i & 1) != 0) {
                buffer_printf(out, " %s", passes[i]);
            }
        }
        buffer_append_char(out, '\n');
    }
}

/* ---- JSON ---- */
static void put_json(Buffer *out, const char *key, Str text) {
    buffer_printf(out, "\"%s\": \"", key);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') {
            buffer_append_char(out, '\\');
        }
        if (c < 0x20) {
            buffer_printf(out, "\\u%04x", c);
        } else {
            buffer_append_char(out, (char)c);
        }
    }
    buffer_append_char(out, '"');
}

/* One line without its indent: words [columns]  (rows=N ...) */
static void put_node(Buffer *out, Str line) {
    ptrdiff_t counters = str_find(line, STR("]  (rows="), 0);
    Str words = counters >= 0 ? str_slice(line, 0, (size_t)counters + 1) : line;
    ptrdiff_t columns = str_find(words, STR(" ["), 0);
    put_json(out, "Node Type", columns >= 0 ? str_slice(words, 0, (size_t)columns) : words);
    if (columns >= 0) {
        buffer_append_str(out, STR(", "));
        put_json(out, "Output", str_slice(words, (size_t)columns + 2, words.len - 1));
    }
    if (counters >= 0) {
        unsigned long long rows = 0;
        for (size_t i = (size_t)counters + 9; i < line.len && line.data[i] >= '0' && line.data[i] <= '9'; i++) {
            rows = rows * 10 + (unsigned long long)(line.data[i] - '0');
        }
        buffer_printf(out, ", \"Actual Rows\": %llu", rows);
    }
}

void plan_explain_json(Str text, Buffer *out) {
    size_t depth = 0; /* nodes that are open */
    Str line = {0};
    buffer_append_str(out, STR("["));
    while (text.len > 0 && str_split(&text, '\n', &line)) {
        size_t indent = 0;
        while (indent < line.len && line.data[indent] == ' ') {
            indent++;
        }
        size_t level = indent / 2;
        if (level == 0 && depth > 0) { /* remarks behind the tree */
            break;
        }
        bool sibling = level < depth;
        for (; depth > level; depth--) {
            buffer_append_str(out, depth > level + 1 ? STR("}]") : STR("}"));
        }
        buffer_append_str(out, level == 0 ? STR("{\"Plan\": {") : sibling ? STR(", {") : STR(", \"Plans\": [{"));
        put_node(out, str_slice(line, indent, line.len));
        depth = level + 1;
    }
    for (; depth > 1; depth--) {
        buffer_append_str(out, STR("}]"));
    }
    buffer_append_str(out, depth > 0 ? STR("}}]") : STR("]"));
}
