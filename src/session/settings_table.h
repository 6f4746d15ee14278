/* SPDX-License-Identifier: Apache-2.0
 * settings_table.h - the settings of a session, one row each.
 *
 * A setting that Basalt has no use for is here because clients and dumps set it; it is checked, kept and shown. To add one: a row here;
 * choices of an ENUM in CHOICES of setting_value.c; an effect, if it has one, in setting_apply.c. */
#pragma once

enum {
    SETTING_REPORT = 1,   /* told to clients of the PostgreSQL door at each change */
    SETTING_INTERNAL = 2, /* can never be set: 55P02 "cannot be changed" */
    SETTING_SERVER = 4,   /* of the whole server: 55P02 "cannot be changed now" */
    SETTING_LIST = 8,     /* a list of names: each piece is kept quoted where it needs it */
    SETTING_BINDS = 16,   /* statements that were bound before it changed must be bound again */
    SETTING_HIDDEN = 32   /* not in SHOW ALL: it belongs to the running transaction */
};

/* id, name, kind, default, flags, unit, low, high */
#define SETTINGS(X)                                                                                                    \
    X(ALLOW_SYSTEM_TABLE_MODS, "allow_system_table_mods", BOOL, "off", 0, "", 0, 0)                                    \
    X(APPLICATION_NAME, "application_name", TEXT, "", SETTING_REPORT, "", 0, 0)                                        \
    X(ARRAY_NULLS, "array_nulls", BOOL, "on", 0, "", 0, 0)                                                             \
    X(AUTOVACUUM, "autovacuum", BOOL, "on", SETTING_SERVER, "", 0, 0)                                                  \
    X(BACKSLASH_QUOTE, "backslash_quote", ENUM, "safe_encoding", 0, "", 0, 0)                                          \
    X(BLOCK_SIZE, "block_size", INT, "8192", SETTING_INTERNAL, "", 8192, 8192)                                         \
    X(BYTEA_OUTPUT, "bytea_output", ENUM, "hex", SETTING_BINDS, "", 0, 0)                                                          \
    X(CHECK_FUNCTION_BODIES, "check_function_bodies", BOOL, "on", 0, "", 0, 0)                                         \
    X(CLIENT_CONNECTION_CHECK, "client_connection_check_interval", INT, "0", 0, "ms", 0, 2147483647)                   \
    X(CLIENT_ENCODING, "client_encoding", TEXT, "UTF8", SETTING_REPORT, "", 0, 0)                                      \
    X(CLIENT_MIN_MESSAGES, "client_min_messages", ENUM, "notice", 0, "", 0, 0)                                         \
    X(COMMIT_DELAY, "commit_delay", INT, "0", 0, "", 0, 100000)                                                        \
    X(COMPUTE_QUERY_ID, "compute_query_id", ENUM, "auto", 0, "", 0, 0)                                                 \
    X(CONSTRAINT_EXCLUSION, "constraint_exclusion", ENUM, "partition", 0, "", 0, 0)                                    \
    X(CPU_INDEX_TUPLE_COST, "cpu_index_tuple_cost", REAL, "0.005", 0, "", 0, 1000000)                                  \
    X(CPU_OPERATOR_COST, "cpu_operator_cost", REAL, "0.0025", 0, "", 0, 1000000)                                       \
    X(CPU_TUPLE_COST, "cpu_tuple_cost", REAL, "0.01", 0, "", 0, 1000000)                                               \
    X(CURSOR_TUPLE_FRACTION, "cursor_tuple_fraction", REAL, "0.1", 0, "", 0, 1)                                        \
    X(DATA_CHECKSUMS, "data_checksums", BOOL, "on", SETTING_INTERNAL, "", 0, 0)                                        \
    X(DATESTYLE, "DateStyle", TEXT, "ISO, MDY", SETTING_REPORT | SETTING_BINDS, "", 0, 0)                              \
    X(DEADLOCK_TIMEOUT, "deadlock_timeout", INT, "1s", 0, "ms", 1, 2147483647)                                         \
    X(DEFAULT_STATISTICS_TARGET, "default_statistics_target", INT, "100", 0, "", 1, 10000)                             \
    X(DEFAULT_ACCESS_METHOD, "default_table_access_method", TEXT, "heap", 0, "", 0, 0)                                 \
    X(DEFAULT_TABLESPACE, "default_tablespace", TEXT, "", 0, "", 0, 0)                                                 \
    X(DEFAULT_TEXT_SEARCH, "default_text_search_config", TEXT, "pg_catalog.english", 0, "", 0, 0)                      \
    X(DEFAULT_TOAST, "default_toast_compression", ENUM, "pglz", 0, "", 0, 0)                                           \
    X(DEFAULT_DEFERRABLE, "default_transaction_deferrable", BOOL, "off", 0, "", 0, 0)                                  \
    X(DEFAULT_ISOLATION, "default_transaction_isolation", ENUM, "read committed", 0, "", 0, 0)                         \
    X(DEFAULT_READ_ONLY, "default_transaction_read_only", BOOL, "off", SETTING_REPORT, "", 0, 0)                       \
    X(DEFAULT_WITH_OIDS, "default_with_oids", BOOL, "off", 0, "", 0, 0)                                                \
    X(DIALECT, "dialect", ENUM, "postgres", SETTING_BINDS, "", 0, 0)                                                   \
    X(DURABILITY, "durability", TEXT, "default", 0, "", 0, 0)                                                          \
    X(EFFECTIVE_CACHE_SIZE, "effective_cache_size", INT, "4GB", 0, "8kB", 1, 2147483647)                               \
    X(EFFECTIVE_IO, "effective_io_concurrency", INT, "1", 0, "", 0, 1000)                                              \
    X(ENABLE_ASYNC_APPEND, "enable_async_append", BOOL, "on", 0, "", 0, 0)                                             \
    X(ENABLE_BITMAPSCAN, "enable_bitmapscan", BOOL, "on", 0, "", 0, 0)                                                 \
    X(ENABLE_DISTINCT_REORDERING, "enable_distinct_reordering", BOOL, "on", 0, "", 0, 0)                               \
    X(ENABLE_GATHERMERGE, "enable_gathermerge", BOOL, "on", 0, "", 0, 0)                                               \
    X(ENABLE_GROUP_REORDERING, "enable_group_by_reordering", BOOL, "on", 0, "", 0, 0)                                  \
    X(ENABLE_HASHAGG, "enable_hashagg", BOOL, "on", 0, "", 0, 0)                                                       \
    X(ENABLE_HASHJOIN, "enable_hashjoin", BOOL, "on", 0, "", 0, 0)                                                     \
    X(ENABLE_INCREMENTAL_SORT, "enable_incremental_sort", BOOL, "on", 0, "", 0, 0)                                     \
    X(ENABLE_INDEXONLYSCAN, "enable_indexonlyscan", BOOL, "on", 0, "", 0, 0)                                           \
    X(ENABLE_INDEXSCAN, "enable_indexscan", BOOL, "on", 0, "", 0, 0)                                                   \
    X(ENABLE_MATERIAL, "enable_material", BOOL, "on", 0, "", 0, 0)                                                     \
    X(ENABLE_MEMOIZE, "enable_memoize", BOOL, "on", 0, "", 0, 0)                                                       \
    X(ENABLE_MERGEJOIN, "enable_mergejoin", BOOL, "on", 0, "", 0, 0)                                                   \
    X(ENABLE_NESTLOOP, "enable_nestloop", BOOL, "on", 0, "", 0, 0)                                                     \
    X(ENABLE_PARALLEL_APPEND, "enable_parallel_append", BOOL, "on", 0, "", 0, 0)                                       \
    X(ENABLE_PARALLEL_HASH, "enable_parallel_hash", BOOL, "on", 0, "", 0, 0)                                           \
    X(ENABLE_PARTITION_PRUNING, "enable_partition_pruning", BOOL, "on", 0, "", 0, 0)                                   \
    X(ENABLE_PARTITIONWISE_AGG, "enable_partitionwise_aggregate", BOOL, "off", 0, "", 0, 0)                            \
    X(ENABLE_PARTITIONWISE_JOIN, "enable_partitionwise_join", BOOL, "off", 0, "", 0, 0)                                \
    X(ENABLE_PRESORTED, "enable_presorted_aggregate", BOOL, "on", 0, "", 0, 0)                                         \
    X(ENABLE_SELF_JOIN, "enable_self_join_elimination", BOOL, "on", 0, "", 0, 0)                                       \
    X(ENABLE_SEQSCAN, "enable_seqscan", BOOL, "on", 0, "", 0, 0)                                                       \
    X(ENABLE_SORT, "enable_sort", BOOL, "on", 0, "", 0, 0)                                                             \
    X(ENABLE_TIDSCAN, "enable_tidscan", BOOL, "on", 0, "", 0, 0)                                                       \
    X(ESCAPE_STRING_WARNING, "escape_string_warning", BOOL, "on", 0, "", 0, 0)                                         \
    X(EXIT_ON_ERROR, "exit_on_error", BOOL, "off", 0, "", 0, 0)                                                        \
    X(EXTRA_FLOAT_DIGITS, "extra_float_digits", INT, "1", SETTING_BINDS, "", -15, 3)                                   \
    X(FROM_COLLAPSE_LIMIT, "from_collapse_limit", INT, "8", 0, "", 1, 2147483647)                                      \
    X(FSYNC, "fsync", BOOL, "on", SETTING_SERVER, "", 0, 0)                                                            \
    X(FULL_PAGE_WRITES, "full_page_writes", BOOL, "on", SETTING_SERVER, "", 0, 0)                                      \
    X(GEQO, "geqo", BOOL, "on", 0, "", 0, 0)                                                                           \
    X(GEQO_THRESHOLD, "geqo_threshold", INT, "12", 0, "", 2, 2147483647)                                               \
    X(GIN_FUZZY_LIMIT, "gin_fuzzy_search_limit", INT, "0", 0, "", 0, 2147483647)                                       \
    X(HASH_MEM_MULTIPLIER, "hash_mem_multiplier", REAL, "2", 0, "", 1, 1000)                                           \
    X(HOT_STANDBY, "hot_standby", BOOL, "on", SETTING_SERVER, "", 0, 0)                                                \
    X(IDLE_IN_TRANSACTION, "idle_in_transaction_session_timeout", INT, "0", 0, "ms", 0, 2147483647)                    \
    X(IDLE_SESSION, "idle_session_timeout", INT, "0", 0, "ms", 0, 2147483647)                                          \
    X(IN_HOT_STANDBY, "in_hot_standby", BOOL, "off", SETTING_REPORT | SETTING_INTERNAL, "", 0, 0)                      \
    X(INTEGER_DATETIMES, "integer_datetimes", BOOL, "on", SETTING_REPORT | SETTING_INTERNAL, "", 0, 0)                 \
    X(INTERVAL_STYLE, "IntervalStyle", ENUM, "postgres", SETTING_REPORT | SETTING_BINDS, "", 0, 0)                     \
    X(IS_SUPERUSER, "is_superuser", BOOL, "on", SETTING_REPORT | SETTING_INTERNAL, "", 0, 0)                           \
    X(JIT, "jit", BOOL, "off", 0, "", 0, 0)                                                                            \
    X(JIT_ABOVE_COST, "jit_above_cost", REAL, "100000", 0, "", -1, 1000000000)                                         \
    X(JIT_INLINE_ABOVE, "jit_inline_above_cost", REAL, "500000", 0, "", -1, 1000000000)                                \
    X(JIT_OPTIMIZE_ABOVE, "jit_optimize_above_cost", REAL, "500000", 0, "", -1, 1000000000)                            \
    X(JOIN_COLLAPSE_LIMIT, "join_collapse_limit", INT, "8", 0, "", 1, 2147483647)                                      \
    X(LC_COLLATE, "lc_collate", TEXT, "C", SETTING_INTERNAL, "", 0, 0)                                                 \
    X(LC_CTYPE, "lc_ctype", TEXT, "C", SETTING_INTERNAL, "", 0, 0)                                                     \
    X(LC_MESSAGES, "lc_messages", TEXT, "C", 0, "", 0, 0)                                                              \
    X(LC_MONETARY, "lc_monetary", TEXT, "C", 0, "", 0, 0)                                                              \
    X(LC_NUMERIC, "lc_numeric", TEXT, "C", 0, "", 0, 0)                                                                \
    X(LC_TIME, "lc_time", TEXT, "C", 0, "", 0, 0)                                                                      \
    X(LO_COMPAT, "lo_compat_privileges", BOOL, "off", 0, "", 0, 0)                                                     \
    X(LOCK_TIMEOUT, "lock_timeout", INT, "0", 0, "ms", 0, 2147483647)                                                  \
    X(LOG_DURATION, "log_duration", BOOL, "off", 0, "", 0, 0)                                                          \
    X(LOG_ERROR_VERBOSITY, "log_error_verbosity", ENUM, "default", 0, "", 0, 0)                                        \
    X(LOG_LOCK_WAITS, "log_lock_waits", BOOL, "off", 0, "", 0, 0)                                                      \
    X(LOG_MIN_DURATION, "log_min_duration_statement", INT, "-1", 0, "ms", -1, 2147483647)                              \
    X(LOG_MIN_ERROR, "log_min_error_statement", ENUM, "error", 0, "", 0, 0)                                            \
    X(LOG_MIN_MESSAGES, "log_min_messages", ENUM, "warning", 0, "", 0, 0)                                              \
    X(LOG_STATEMENT, "log_statement", ENUM, "none", 0, "", 0, 0)                                                       \
    X(LOG_TEMP_FILES, "log_temp_files", INT, "-1", 0, "kB", -1, 2147483647)                                            \
    X(MAINTENANCE_WORK_MEM, "maintenance_work_mem", INT, "64MB", 0, "kB", 1024, 2147483647)                            \
    X(MAX_CONNECTIONS, "max_connections", INT, "256", SETTING_SERVER, "", 1, 262143)                                   \
    X(MAX_FUNCTION_ARGS, "max_function_args", INT, "100", SETTING_INTERNAL, "", 100, 100)                              \
    X(MAX_IDENTIFIER_LENGTH, "max_identifier_length", INT, "255", SETTING_INTERNAL, "", 255, 255)                      \
    X(MAX_INDEX_KEYS, "max_index_keys", INT, "32", SETTING_INTERNAL, "", 32, 32)                                       \
    X(MAX_PARALLEL_GATHER, "max_parallel_workers_per_gather", INT, "2", 0, "", 0, 1024)                                \
    X(MAX_PARALLEL_MAINTENANCE, "max_parallel_maintenance_workers", INT, "2", 0, "", 0, 1024)                          \
    X(MAX_PARALLEL_WORKERS, "max_parallel_workers", INT, "8", 0, "", 0, 1024)                                          \
    X(MAX_PREPARED, "max_prepared_transactions", INT, "0", SETTING_SERVER, "", 0, 0)                                   \
    X(MAX_STACK_DEPTH, "max_stack_depth", INT, "2MB", 0, "kB", 100, 2147483647)                                        \
    X(MIN_PARALLEL_INDEX, "min_parallel_index_scan_size", INT, "512kB", 0, "8kB", 0, 715827882)                        \
    X(MIN_PARALLEL_TABLE, "min_parallel_table_scan_size", INT, "8MB", 0, "8kB", 0, 715827882)                          \
    X(OPTIMIZER_SKIP, "optimizer_skip", TEXT, "", SETTING_BINDS, "", 0, 0)                                             \
    X(PARALLEL_LEADER, "parallel_leader_participation", BOOL, "on", 0, "", 0, 0)                                       \
    X(PARALLEL_SETUP_COST, "parallel_setup_cost", REAL, "1000", 0, "", 0, 1000000000)                                  \
    X(PARALLEL_TUPLE_COST, "parallel_tuple_cost", REAL, "0.1", 0, "", 0, 1000000)                                      \
    X(PASSWORD_ENCRYPTION, "password_encryption", ENUM, "scram-sha-256", 0, "", 0, 0)                                  \
    X(PLAN_CACHE_MODE, "plan_cache_mode", ENUM, "auto", 0, "", 0, 0)                                                   \
    X(PORT, "port", INT, "8812", SETTING_SERVER, "", 0, 65535)                                                         \
    X(QUERY_MEMORY, "query_memory", INT, "256MB", 0, "kB", 64, 2147483647)                                             \
    X(QUOTE_ALL_IDENTIFIERS, "quote_all_identifiers", BOOL, "off", 0, "", 0, 0)                                        \
    X(RANDOM_PAGE_COST, "random_page_cost", REAL, "4", 0, "", 0, 1000000)                                              \
    X(RESTRICT_RELATION_KIND, "restrict_nonsystem_relation_kind", TEXT, "", SETTING_LIST, "", 0, 0)                    \
    X(RESULT_CACHE, "result_cache", BOOL, "off", 0, "", 0, 0)                                                          \
    X(ROLE, "role", TEXT, "none", SETTING_BINDS, "", 0, 0)                                                             \
    X(ROW_SECURITY, "row_security", BOOL, "on", 0, "", 0, 0)                                                           \
    X(SCRAM_ITERATIONS, "scram_iterations", INT, "4096", SETTING_REPORT, "", 1, 2147483647)                            \
    X(SEARCH_PATH, "search_path", TEXT, "\"$user\", public", SETTING_REPORT | SETTING_LIST | SETTING_BINDS, "", 0, 0)  \
    X(SEQ_PAGE_COST, "seq_page_cost", REAL, "1", 0, "", 0, 1000000)                                                    \
    X(SERVER_ENCODING, "server_encoding", TEXT, "UTF8", SETTING_REPORT | SETTING_INTERNAL, "", 0, 0)                   \
    X(SERVER_VERSION, "server_version", TEXT, "15.0 (Basalt " BASALT_VERSION ")", SETTING_REPORT | SETTING_INTERNAL, "", 0, 0) \
    X(SERVER_VERSION_NUM, "server_version_num", INT, "150000", SETTING_INTERNAL, "", 0, 2147483647)                    \
    X(SESSION_AUTHORIZATION, "session_authorization", TEXT, "", SETTING_REPORT | SETTING_BINDS, "", 0, 0)              \
    X(REPLICATION_ROLE, "session_replication_role", ENUM, "origin", 0, "", 0, 0)                                       \
    X(SHARED_BUFFERS, "shared_buffers", INT, "128MB", SETTING_SERVER, "8kB", 16, 1073741823)                           \
    X(SHARED_PRELOAD, "shared_preload_libraries", TEXT, "", SETTING_SERVER, "", 0, 0)                                  \
    X(SSL, "ssl", BOOL, "off", SETTING_SERVER, "", 0, 0)                                                               \
    X(CONFORMING_STRINGS, "standard_conforming_strings", BOOL, "on", SETTING_REPORT, "", 0, 0)                         \
    X(STATEMENT_TIMEOUT, "statement_timeout", INT, "0", 0, "ms", 0, 2147483647)                                        \
    X(SYNCHRONIZE_SEQSCANS, "synchronize_seqscans", BOOL, "on", 0, "", 0, 0)                                           \
    X(SYNCHRONOUS_COMMIT, "synchronous_commit", ENUM, "on", 0, "", 0, 0)                                               \
    X(TCP_KEEPALIVES_COUNT, "tcp_keepalives_count", INT, "0", 0, "", 0, 2147483647)                                    \
    X(TCP_KEEPALIVES_IDLE, "tcp_keepalives_idle", INT, "0", 0, "s", 0, 2147483647)                                     \
    X(TCP_KEEPALIVES_INTERVAL, "tcp_keepalives_interval", INT, "0", 0, "s", 0, 2147483647)                             \
    X(TCP_USER_TIMEOUT, "tcp_user_timeout", INT, "0", 0, "ms", 0, 2147483647)                                          \
    X(TEMP_BUFFERS, "temp_buffers", INT, "8MB", 0, "8kB", 100, 1073741823)                                             \
    X(TEMP_TABLESPACES, "temp_tablespaces", TEXT, "", SETTING_LIST, "", 0, 0)                                          \
    X(TIMEZONE, "TimeZone", TEXT, "UTC", SETTING_REPORT | SETTING_BINDS, "", 0, 0)                                     \
    X(TIMEZONE_ABBREVIATIONS, "timezone_abbreviations", TEXT, "Default", 0, "", 0, 0)                                  \
    X(TRACK_ACTIVITIES, "track_activities", BOOL, "on", 0, "", 0, 0)                                                   \
    X(TRANSACTION_DEFERRABLE, "transaction_deferrable", BOOL, "off", SETTING_HIDDEN, "", 0, 0)                         \
    X(TRANSACTION_ISOLATION, "transaction_isolation", ENUM, "read committed", SETTING_HIDDEN, "", 0, 0)                \
    X(TRANSACTION_READ_ONLY, "transaction_read_only", BOOL, "off", SETTING_HIDDEN, "", 0, 0)                           \
    X(TRANSACTION_TIMEOUT, "transaction_timeout", INT, "0", 0, "ms", 0, 2147483647)                                    \
    X(TRANSFORM_NULL_EQUALS, "transform_null_equals", BOOL, "off", 0, "", 0, 0)                                        \
    X(UPDATE_PROCESS_TITLE, "update_process_title", BOOL, "off", 0, "", 0, 0)                                          \
    X(VACUUM_COST_DELAY, "vacuum_cost_delay", REAL, "0", 0, "ms", 0, 100)                                              \
    X(VACUUM_COST_LIMIT, "vacuum_cost_limit", INT, "200", 0, "", 1, 10000)                                             \
    X(WAL_BLOCK_SIZE, "wal_block_size", INT, "8192", SETTING_INTERNAL, "", 8192, 8192)                                 \
    X(WAL_LEVEL, "wal_level", ENUM, "replica", SETTING_SERVER, "", 0, 0)                                               \
    X(VACUUM_TRUNCATE, "vacuum_truncate", BOOL, "on", 0, "", 0, 0)                                                     \
    X(WORK_MEM, "work_mem", INT, "4MB", 0, "kB", 64, 2147483647)                                                       \
    X(WORKERS, "workers", INT, "0", 0, "", 0, 1024)                                                                    \
    X(XMLBINARY, "xmlbinary", ENUM, "base64", 0, "", 0, 0)                                                             \
    X(XMLOPTION, "xmloption", ENUM, "content", 0, "", 0, 0)
#define BASALT_VERSION "0.1.0"

typedef enum SettingId {
#define X(id, name, kind, value, flags, unit, low, high) SETTING_##id,
    SETTINGS(X)
#undef X
        SETTING_COUNT
} SettingId;
