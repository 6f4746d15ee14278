/* SPDX-License-Identifier: Apache-2.0
 * updatable.c - which queries of views take changes by their form: columns of one relation, maybe with a condition. */
#include "sql/parse/parse.h"

const char *sql_view_fixed(const AstSelect *select) {
    bool one = select->from_count == 1 && select->from[0]->kind == AST_FROM_TABLE && select->from[0]->tablesample == NULL;
    return select->kind == AST_SELECT_SET_OPERATION ? "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable."
           : select->with != NULL                   ? "Views containing WITH are not automatically updatable."
           : select->distinct                       ? "Views containing DISTINCT are not automatically updatable."
           : select->has_group_by || select->sample_by != NULL ? "Views containing GROUP BY are not automatically updatable."
           : select->having != NULL                 ? "Views containing HAVING are not automatically updatable."
           : select->limit != NULL || select->latest != NULL ? "Views containing LIMIT or OFFSET are not automatically updatable."
           : select->kind != AST_SELECT_QUERY || !one ? "Views that do not select from a single table or view are not automatically updatable."
                                                    : NULL;
}
