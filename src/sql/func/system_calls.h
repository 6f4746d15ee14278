/* SPDX-License-Identifier: Apache-2.0
 * system_calls.h - functions that ask the catalog: one row each; sql/system answers them for the statement that runs.
 *
 * Why:     functions lie below the catalog's relations, so a statement's environment carries the table of answers (SystemCalls).
 * To add:  a row here, rows in functions_*.inc with the kernel system_<name>, and the answer in sql/system/call_*.c.
 * Threads: an answer takes the view's lock; any thread that runs the statement may ask. */
#pragma once
#include "column/vector.h"

#define SYSTEM_FUNCTIONS(X)                                                                                            \
    X(acldefault) X(col_description) X(format_type) X(has_any_column_privilege) X(has_column_privilege)                  \
    X(has_database_privilege) X(has_function_privilege) X(has_schema_privilege) X(has_sequence_privilege)                \
    X(has_table_privilege) X(has_type_privilege) X(obj_description) X(pg_encoding_to_char) X(pg_function_is_visible)      \
    X(pg_get_constraintdef) X(pg_get_expr) X(pg_get_function_arguments) X(pg_get_function_result) X(pg_get_functiondef)   \
    X(pg_get_indexdef) X(pg_get_partkeydef) X(pg_get_ruledef) X(pg_get_serial_sequence) X(pg_get_triggerdef)              \
    X(pg_get_userbyid) X(pg_get_viewdef) X(pg_has_role) X(pg_indexes_size) X(pg_relation_is_publishable)                  \
    X(pg_relation_size) X(pg_table_is_visible) X(pg_table_size) X(pg_tablespace_location) X(pg_total_relation_size)       \
    X(pg_database_size) X(pg_type_is_visible) X(shobj_description) X(to_regclass) X(to_regtype) X(to_regnamespace)        \
    X(to_regrole) X(to_regproc) X(row_security_active) X(pg_relation_filenode)        \
    X(pg_is_in_recovery) X(getdatabaseencoding) X(pg_my_temp_schema) X(pg_null_text) X(pg_char_to_encoding) X(oidvectortypes)  \
    X(pg_index_column_has_property) X(acl_entries) X(object_part) X(char_max_length) X(char_octet_length) X(numeric_precision)  \
    X(numeric_precision_radix) X(numeric_scale) X(datetime_precision) X(pg_blocking_pids) X(pg_is_wal_replay_paused)  \
    X(pg_is_other_temp_schema) X(pg_not_counted) X(pg_tablespace_size) X(pg_relation_is_updatable) X(pg_column_is_updatable)

typedef enum SystemFunction {
#define X(name) SYSTEM_##name,
    SYSTEM_FUNCTIONS(X)
#undef X
        SYSTEM_FUNCTION_COUNT
} SystemFunction;

struct KernelCall;
typedef struct SystemCalls SystemCalls;
struct SystemCalls {
    ErrorCode (*call)(const SystemCalls *calls, SystemFunction function, const struct KernelCall *call, Vector *out, Error *err);
};
