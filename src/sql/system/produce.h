/* SPDX-License-Identifier: Apache-2.0
 * produce.h - the producers of relations.h. Each writes all rows of its relation with the calls of rows.h. */
#pragma once
#include "catalog/bodies.h"
#include "sql/system/each.h"

#define SYSTEM_PRODUCERS(X) \
    X(info_character_sets) X(info_check_constraints) X(info_columns) X(info_constraint_column_usage) \
    X(info_constraint_table_usage) X(info_domain_constraints) X(info_domains) X(info_enabled_roles) X(info_information_schema_catalog_name) \
    X(info_key_column_usage) X(info_referential_constraints) X(info_role_table_grants) X(info_schemata) \
    X(info_sequences) X(info_table_constraints) X(info_table_privileges) X(info_tables) X(info_views) X(info_column_udt_usage) \
    X(info_column_domain_usage) X(info_column_privileges) X(info_domain_udt_usage) X(info_element_types) X(info_role_column_grants) \
    X(info_view_column_usage) X(info_view_table_usage) \
    X(pg_aggregate) X(pg_am) X(pg_attrdef) X(pg_attribute) X(pg_auth_members) X(pg_authid) X(pg_cast) X(pg_class) \
    X(pg_collation) X(pg_constraint) X(pg_cursors) X(pg_database) X(pg_db_role_setting) X(pg_default_acl) X(pg_depend) \
    X(pg_get_keywords) X(pg_description) X(pg_enum) X(pg_extension) \
    X(pg_index) X(pg_indexes) X(pg_language) X(pg_locks) X(pg_namespace) X(pg_opclass) X(pg_operator) \
    X(pg_opfamily) X(pg_prepared_statements) X(pg_proc) X(pg_rewrite) X(pg_roles) X(pg_sequence) X(pg_sequences) \
    X(pg_settings) X(pg_shadow) X(pg_shdescription) X(pg_stat_activity) X(pg_stat_all_indexes) \
    X(pg_stat_all_tables) X(pg_stat_database) X(pg_stat_user_indexes) X(pg_stat_user_tables) X(pg_statio_tables) X(pg_tables) \
    X(pg_tablespace) X(pg_type) X(pg_user) X(pg_views)

bool relation_takes_changes(SystemView *view, const AnyRelation *relation);          /* INSERT, UPDATE, DELETE (call_updatable.c) */

/* ---- domains (produce_domain.c) ---- */
bool next_domain(SystemView *view, size_t *cursor, const CatalogObject **object_out, TypeBody *body_out);
void put_domain_checks(SystemView *view, SystemRows *rows);                        /* rows of pg_constraint */
void put_domain_check_clauses(SystemView *view, SystemRows *rows);                 /* rows of information_schema.check_constraints */
bool define_domain_check(SystemView *view, uint32_t oid, bool pretty, Buffer *out); /* "CHECK ((VALUE > 0))" */
/* ---- pieces of information_schema (produce_info.c) ---- */
void put_catalog(SystemView *view, SystemRows *rows);   /* the database's name */
void put_table_name(SystemView *view, SystemRows *rows, const AnyRelation *table); /* catalog, schema, name */
void put_type_shape(SystemRows *rows, Type type);   /* data_type to interval_precision */
void put_udt(SystemView *view, SystemRows *rows, Type type); /* udt_schema, udt_name */

/* pg_type.typname of what users made. */
void put_object_type_name(SystemRows *rows, const CatalogObject *type, bool is_array);

#define X(name) ErrorCode system_rows_##name(SystemView *view, SystemRows *rows, Error *err);
SYSTEM_PRODUCERS(X)
#undef X
