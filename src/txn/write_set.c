/* SPDX-License-Identifier: Apache-2.0
 * write_set.c - what a transaction has done, in order: undone from the newest back, told to the log from the oldest on.
 *
 * Tests: test/unit/txn/test_ends.c */
#include "base/memory.h"
#include "txn/txn.h"

void writes_deinit(WriteSet *set) {
    mem_free(set->writes);
    *set = (WriteSet){0};
}

void writes_add(WriteSet *set, Write write) {
    assert(set->count < WRITES_MAX);
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? 8 : set->capacity * 2;
        set->writes = mem_realloc(set->writes, sizeof(Write) * set->capacity);
    }
    set->writes[set->count++] = write;
}

void writes_add_rows(WriteSet *set, Write write) {
    if (set->count > set->sealed) {
        Write *last = &set->writes[set->count - 1];
        if (last->kind == write.kind && last->table == write.table && last->part == write.part && last->object == write.object &&
            last->first + last->count == write.first) {
            last->count += write.count;
            return;
        }
    }
    writes_add(set, write);
}
