/* SPDX-License-Identifier: Apache-2.0
 * budget.c - how much memory a run may hold. Every growing state reserves before or right after it grows; the limit is named in
 * the error. Threads: any; one atomic counter. */
#include "sql/exec/exec_internal.h"

ErrorCode budget_reserve(Budget *budget, size_t bytes, Error *err) {
    size_t used = atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed) + bytes;
    if (LIKELY(used <= budget->limit)) {
        return ERR_OK;
    }
    atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
    return error_set(err, ERR_OUT_OF_MEMORY, ERROR_NO_POSITION, "query needs more than its memory limit of %zu MiB (query_memory)",
                     budget->limit >> 20);
}

void budget_release(Budget *budget, size_t bytes) {
    atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}

ErrorCode budget_follow(Budget *budget, const Arena *arena, size_t *seen, Error *err) {
    if (arena->used_bytes <= *seen) {
        return ERR_OK;
    }
    size_t growth = arena->used_bytes - *seen;
    TRY(budget_reserve(budget, growth, err));
    *seen += growth;
    return ERR_OK;
}
