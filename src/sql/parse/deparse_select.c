/* SPDX-License-Identifier: Apache-2.0
 * deparse_select.c - queries back to text: every clause in the order in which the parser takes it. */
#include "sql/parse/deparse_internal.h"

static void put_from(Deparser *d, const AstFrom *from);

/* ---------------------------------------------------------------- parts */

void deparse__items(Deparser *d, const AstSelectItem *items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__expr(d, items[i].expr);
        if (items[i].alias != NULL) {
            put(d, " AS ");
            deparse__name(d, items[i].alias);
        }
    }
}

void deparse__declares(Deparser *d, const AstDeclare *declares, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put(d, i == 0 ? "DECLARE " : ", ");
        put(d, declares[i].overridable ? "OVERRIDABLE @" : "@");
        put_str(d, declares[i].name.text);
        put(d, " := ");
        deparse__expr(d, declares[i].value);
    }
    put(d, count > 0 ? " " : "");
}

void deparse__with(Deparser *d, const AstWith *with) {
    static const char *const materialized[] = {" AS (", " AS MATERIALIZED (", " AS NOT MATERIALIZED ("};
    if (with == NULL) {
        return;
    }
    put(d, with->recursive ? "WITH RECURSIVE " : "WITH ");
    for (uint32_t i = 0; i < with->count; i++) {
        const AstCte *cte = &with->ctes[i];
        put_comma(d, i);
        deparse__name(d, &cte->name);
        if (cte->column_count > 0) {
            put(d, " ");
            deparse__name_list(d, cte->columns, cte->column_count);
        }
        put(d, materialized[cte->materialized]);
        deparse__statement(d, cte->statement);
        put(d, ")");
    }
    put(d, " ");
}

static void put_grouping(Deparser *d, const AstGrouping *grouping) {
    switch (grouping->kind) {
    case AST_GROUP_EXPR: deparse__expr(d, grouping->expr); return;
    case AST_GROUP_EMPTY: put(d, "()"); return;
    case AST_GROUP_SETS:
        put(d, "GROUPING SETS (");
        for (uint32_t i = 0; i < grouping->set_count; i++) {
            put_comma(d, i);
            put_grouping(d, &grouping->sets[i]);
        }
        put(d, ")");
        return;
    default:
        put(d, grouping->kind == AST_GROUP_CUBE ? "CUBE (" : "ROLLUP (");
        deparse__exprs(d, grouping->args, grouping->arg_count);
        put(d, ")");
    }
}

static void put_group_by(Deparser *d, const AstSelect *select) {
    if (!select->has_group_by) {
        return;
    }
    put(d, select->group_by_all ? " GROUP BY ALL" : select->group_by_distinct ? " GROUP BY DISTINCT " : " GROUP BY ");
    for (uint32_t i = 0; i < select->group_count; i++) {
        put_comma(d, i);
        put_grouping(d, &select->group_by[i]);
    }
}

static void put_sample_by(Deparser *d, const AstSampleBy *sample) {
    if (sample == NULL) {
        return;
    }
    put(d, " SAMPLE BY ");
    deparse__expr(d, sample->step);
    if (sample->step->kind != AST_NUMBER || (sample->step->flags & AST_SUFFIXED) == 0) {
        put(d, " ");
        put_str(d, sample->unit);
    }
    if (sample->from != NULL) {
        put(d, " FROM ");
        deparse__expr(d, sample->from);
    }
    if (sample->to != NULL) {
        put(d, " TO ");
        deparse__expr(d, sample->to);
    }
    if (sample->has_fill) {
        put(d, " FILL (");
        deparse__exprs(d, sample->fill, sample->fill_count);
        put(d, ")");
    }
    put(d, sample->align == AST_ALIGN_FIRST_OBSERVATION ? " ALIGN TO FIRST OBSERVATION" : sample->align == AST_ALIGN_CALENDAR ? " ALIGN TO CALENDAR" : "");
    if (sample->time_zone != NULL) {
        put(d, " TIME ZONE ");
        deparse__expr(d, sample->time_zone);
    }
    if (sample->offset != NULL) {
        put(d, " WITH OFFSET ");
        deparse__expr(d, sample->offset);
    }
}

static void put_latest(Deparser *d, const AstLatest *latest, bool before_where) {
    if (latest == NULL || latest->before_where != before_where) {
        return;
    }
    put(d, latest->timestamp != NULL ? " LATEST ON " : " LATEST BY ");
    if (latest->timestamp != NULL) {
        deparse__expr(d, latest->timestamp);
        put(d, " PARTITION BY ");
    }
    deparse__exprs(d, latest->partition_by, latest->partition_count);
}

static void put_limit(Deparser *d, const AstLimit *limit) {
    if (limit == NULL) {
        return;
    }
    if (limit->with_ties) {
        put(d, " FETCH FIRST ");
        deparse__expr(d, limit->high);
        put(d, " ROWS WITH TIES");
    } else if (limit->has_limit) {
        put(d, " LIMIT ");
        if (limit->low != NULL) {
            deparse__expr(d, limit->low);
            put(d, ", ");
        }
        if (limit->high != NULL) {
            deparse__expr(d, limit->high);
        } else {
            put(d, "ALL");
        }
    }
    if (limit->offset != NULL) {
        put(d, " OFFSET ");
        deparse__expr(d, limit->offset);
    }
}

static void put_locking(Deparser *d, const AstSelect *select) {
    for (uint32_t i = 0; i < select->locking_count; i++) {
        const AstLocking *locking = &select->locking[i];
        put(d, " FOR ");
        put(d, locking->no_key ? "NO KEY " : locking->key ? "KEY " : "");
        put(d, locking->share ? "SHARE" : "UPDATE");
        put(d, locking->nowait ? " NOWAIT" : locking->skip_locked ? " SKIP LOCKED" : "");
    }
}

/* ---------------------------------------------------------------- FROM */

static void put_horizon(Deparser *d, const AstJoin *join) {
    if (join->from != NULL) {
        put(d, " RANGE FROM ");
        deparse__expr(d, join->from);
        put(d, " TO ");
        deparse__expr(d, join->to);
        put(d, " STEP ");
        deparse__expr(d, join->step);
    } else if (join->list_count > 0) {
        put(d, " LIST (");
        deparse__exprs(d, join->list, join->list_count);
        put(d, ")");
    }
    if (join->horizon_alias != NULL) {
        put(d, " AS ");
        deparse__name(d, join->horizon_alias);
    }
}

static void put_join_tail(Deparser *d, const AstJoin *join) {
    if (join->on != NULL) {
        put(d, " ON ");
        bool bare_name = join->on->kind == AST_NAME && (join->on->flags & AST_PARENS) != 0;
        put(d, bare_name ? "(" : "");
        deparse__expr(d, join->on);
        put(d, bare_name ? ")" : "");
    }
    if (join->using_count > 0) {
        put(d, " USING ");
        deparse__name_list(d, join->using_columns, join->using_count);
        if (join->using_alias != NULL) {
            put(d, " AS ");
            deparse__name(d, join->using_alias);
        }
    }
    if (join->tolerance != NULL) {
        put(d, " TOLERANCE ");
        deparse__expr(d, join->tolerance);
    }
    if (join->has_range) {
        put(d, " RANGE BETWEEN ");
        deparse__bound(d, &join->range_start);
        put(d, " AND ");
        deparse__bound(d, &join->range_end);
        put(d, join->exclude_prevailing ? " EXCLUDE PREVAILING" : "");
    }
    put_horizon(d, join);
}

static void put_join(Deparser *d, const AstJoin *join) {
    static const char *const kinds[] = {"JOIN ", "LEFT JOIN ", "RIGHT JOIN ", "FULL JOIN ", "CROSS JOIN ", "ASOF JOIN ", "LT JOIN ", "SPLICE JOIN ",
                                        "WINDOW JOIN ", "HORIZON JOIN "};
    put_from(d, join->left);
    put(d, join->natural ? " NATURAL " : " ");
    put(d, kinds[join->kind]);
    bool parens = join->right->kind == AST_FROM_JOIN && join->right->alias == NULL;
    put(d, parens ? "(" : "");
    put_from(d, join->right);
    put(d, parens ? ")" : "");
    put_join_tail(d, join);
}

static void put_from_tail(Deparser *d, const AstFrom *from) {
    if (from->alias != NULL) {
        put(d, " AS ");
        deparse__name(d, from->alias);
        if (from->column_count > 0) {
            deparse__name_list(d, from->columns, from->column_count);
        }
    }
    if (from->timestamp != NULL) {
        put(d, " TIMESTAMP(");
        deparse__name(d, from->timestamp);
        put(d, ")");
    }
    if (from->tablesample != NULL) {
        put(d, " TABLESAMPLE ");
        deparse__expr(d, from->tablesample);
    }
}

static void put_from(Deparser *d, const AstFrom *from) {
    put(d, from->lateral ? "LATERAL " : from->only ? "ONLY " : "");
    switch (from->kind) {
    case AST_FROM_TABLE: deparse__names(d, &from->as.table); break;
    case AST_FROM_SUBQUERY:
        put(d, "(");
        deparse__select(d, from->as.select);
        put(d, ")");
        break;
    case AST_FROM_FUNCTION:
        deparse__expr(d, from->as.function);
        put(d, from->with_ordinality ? " WITH ORDINALITY" : "");
        break;
    case AST_FROM_JOIN:
        put(d, from->alias != NULL ? "(" : "");
        put_join(d, from->as.join);
        put(d, from->alias != NULL ? ")" : "");
        break;
    case AST_FROM_STATEMENT:
        put(d, "(");
        deparse__statement(d, from->as.statement);
        put(d, ")");
        break;
    case AST_FROM_PIVOT:
        put_from(d, from->as.pivot);
        put(d, " PIVOT ()");
        break;
    }
    put_from_tail(d, from);
}

void deparse__from_list(Deparser *d, AstFrom *const *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        put_from(d, list[i]);
    }
}

/* ---------------------------------------------------------------- queries */

static void put_query_head(Deparser *d, const AstSelect *select) {
    if (select->kind == AST_SELECT_TABLE) {
        put(d, "TABLE "); /* a name alone may be a statement's first word, or an expression */
        deparse__from_list(d, select->from, select->from_count);
        return;
    }
    put(d, select->distinct ? "SELECT DISTINCT" : "SELECT");
    if (select->distinct_on_given) {
        put(d, " ON (");
        deparse__exprs(d, select->distinct_on, select->distinct_on_count);
        put(d, ")");
    }
    put(d, select->item_count > 0 ? " " : "");
    deparse__items(d, select->items, select->item_count);
    if (select->into != NULL) {
        put(d, " INTO ");
        deparse__names(d, select->into);
    }
    if (select->from_count > 0) {
        put(d, " FROM ");
        deparse__from_list(d, select->from, select->from_count);
    }
}

static void put_query(Deparser *d, const AstSelect *select) {
    put_query_head(d, select);
    put_latest(d, select->latest, true);
    if (select->where != NULL) {
        put(d, " WHERE ");
        deparse__expr(d, select->where);
    }
    put_latest(d, select->latest, false);
    put_sample_by(d, select->sample_by);
    put_group_by(d, select);
    if (select->having != NULL) {
        put(d, " HAVING ");
        deparse__expr(d, select->having);
    }
    for (uint32_t i = 0; i < select->window_count; i++) {
        put(d, i == 0 ? " WINDOW " : ", ");
        deparse__name(d, select->windows[i].name);
        put(d, " AS ");
        deparse__window(d, &select->windows[i]);
    }
}

static void put_values(Deparser *d, const AstSelect *select) {
    put(d, "VALUES ");
    for (uint32_t i = 0; i < select->row_count; i++) {
        put_comma(d, i);
        put(d, "(");
        deparse__exprs(d, select->rows[i].items, select->rows[i].count);
        put(d, ")");
    }
}

static bool needs_parens(const AstSelect *arm) {
    return arm->kind == AST_SELECT_SET_OPERATION || arm->order_count > 0 || arm->limit != NULL || arm->with != NULL || arm->locking_count > 0 ||
           arm->declare_count > 0;
}

static bool arm_in_parens(const AstSelect *select, uint32_t arm) {
    return needs_parens(select->arms[arm]) || select->arm_count == 1;
}

static void put_set_operation(Deparser *d, const AstSelect *select) {
    static const char *const operations[] = {" UNION ", " UNION ALL ", " EXCEPT ", " EXCEPT ALL ", " INTERSECT ", " INTERSECT ALL "};
    for (uint32_t i = 0; i < select->arm_count; i++) {
        bool parens = arm_in_parens(select, i);
        put(d, i > 0 ? operations[select->operation] : "");
        put(d, parens ? "(" : "");
        deparse__select(d, select->arms[i]);
        put(d, parens ? ")" : "");
    }
}

void deparse__select(Deparser *d, const AstSelect *select) {
    deparse__declares(d, select->declares, select->declare_count);
    deparse__with(d, select->with);
    switch (select->kind) {
    case AST_SELECT_QUERY:
    case AST_SELECT_TABLE: put_query(d, select); break;
    case AST_SELECT_VALUES: put_values(d, select); break;
    case AST_SELECT_SET_OPERATION: put_set_operation(d, select); break;
    }
    if (select->order_count > 0) {
        put(d, " ");
        deparse__sort_keys(d, select->order_by, select->order_count);
    }
    put_limit(d, select->limit);
    put_locking(d, select);
}

void sql_deparse_select(const AstSelect *select, Dialect dialect, Buffer *out) {
    deparse__select(&(Deparser){out, dialect}, select);
}
