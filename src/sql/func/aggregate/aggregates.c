/* SPDX-License-Identifier: Apache-2.0
 * aggregates.c - finding aggregates by name. The rows stand with their family; to add one, add a row there. */
#include "sql/func/aggregate/aggregate_internal.h"

typedef AggregateFamily (*FamilyRows)(void);

static const FamilyRows FAMILIES[] = {
    aggregate__count_rows,  aggregate__sum_rows,      aggregate__min_max_rows, aggregate__first_last_rows,
    aggregate__moment_rows, aggregate__bool_bit_rows, aggregate__collect_rows,
};


const Aggregate *aggregate_lookup(Str name, size_t *count_out) {
    *count_out = 0;
    for (size_t f = 0; f < COUNT_OF(FAMILIES); f++) {
        AggregateFamily family = FAMILIES[f]();
        for (size_t i = 0; i < family.count; i++) {
            bool near = name.len > 0 && (name.data[0] | 0x20) == family.rows[i].name[0]; /* names are lower case; most differ at once */
            if (!near || !str_equal_ignore_case(name, str_from_c(family.rows[i].name))) {
                continue;
            }
            size_t end = i;
            while (end < family.count && strcmp(family.rows[end].name, family.rows[i].name) == 0) {
                end++;
            }
            *count_out = end - i;
            return &family.rows[i];
        }
    }
    return NULL;
}

size_t aggregate_count(void) {
    size_t count = 0;
    for (size_t f = 0; f < COUNT_OF(FAMILIES); f++) {
        count += FAMILIES[f]().count;
    }
    return count;
}

const Aggregate *aggregate_at(size_t index) {
    for (size_t f = 0; f < COUNT_OF(FAMILIES); f++) {
        AggregateFamily family = FAMILIES[f]();
        if (index < family.count) {
            return &family.rows[index];
        }
        index -= family.count;
    }
    return NULL;
}
