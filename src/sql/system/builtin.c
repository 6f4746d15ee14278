/* SPDX-License-Identifier: Apache-2.0
 * builtin.c - types and functions that PostgreSQL has built in, by oid and by name. */
#include "base/number.h"
#include "sql/system/each.h"

static const BuiltinType TYPES[] = {
#define T(oid, name, length, by_value, kind, category, preferred, array_oid, alignment, storage, collation, element, subscript, input, output, receive, send, \
          modifier_in, modifier_out)                                                                                   \
    {oid, name, length, by_value, preferred, kind, category, alignment, storage, array_oid, collation, element, subscript, input, output, receive, send, \
     modifier_in, modifier_out},
#include "sql/system/builtin_types.h"
#undef T
};

size_t builtin_type_count(void) { return COUNT_OF(TYPES); }
const BuiltinType *builtin_type_at(size_t index) { return &TYPES[index]; }

const BuiltinType *builtin_type_by_oid(uint32_t oid) {
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        if (TYPES[i].oid == oid) {
            return &TYPES[i];
        }
    }
    return NULL;
}

const BuiltinType *builtin_type_by_name(Str name) {
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        if (str_equal(str_from_c(TYPES[i].name), name)) {
            return &TYPES[i];
        }
    }
    return NULL;
}

static const BuiltinProc PROCS[] = {
#define P(oid, name, result, arguments, kind, volatility, strict, set, variadic) {oid, name, result, arguments, kind, volatility, strict, set, variadic},
#include "sql/system/builtin_procs.inc"
#undef P
};

size_t builtin_proc_count(void) { return COUNT_OF(PROCS); }
const BuiltinProc *builtin_proc_at(size_t index) { return &PROCS[index]; }

const BuiltinProc *builtin_proc_by_oid(uint32_t oid) {
    size_t low = 0, high = COUNT_OF(PROCS);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (PROCS[middle].oid < oid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < COUNT_OF(PROCS) && PROCS[low].oid == oid ? &PROCS[low] : NULL;
}

uint32_t builtin_proc_oid(const char *name) {
    for (size_t i = 0; i < COUNT_OF(PROCS) && name[0] != 0; i++) {
        if (strcmp(PROCS[i].name, name) == 0) {
            return PROCS[i].oid;
        }
    }
    return 0;
}

static bool is_input_or_output(const char *name) {
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        const BuiltinType *t = &TYPES[i];
        if (strcmp(name, t->input) == 0 || strcmp(name, t->output) == 0 || strcmp(name, t->receive) == 0 || strcmp(name, t->send) == 0) {
            return true;
        }
    }
    return false;
}

bool builtin_proc_exists(const BuiltinProc *proc) {
    size_t count = 0;
    Str name = str_from_c(proc->name);
    if (function_lookup(name, &count) != NULL) {
        return true;
    }
    return aggregate_lookup(name, &count) != NULL || is_input_or_output(proc->name);
}

uint32_t builtin_proc_arguments(const BuiltinProc *proc, uint32_t *oids, uint32_t room) {
    Str rest = str_from_c(proc->arguments), piece;
    uint32_t count = 0;
    while (rest.len > 0 && count < room && str_split(&rest, ' ', &piece)) {
        uint64_t value;
        bool overflow = false;
        if (parse_uint64(piece, &value, &overflow)) {
            oids[count++] = (uint32_t)value;
        }
    }
    return count;
}
