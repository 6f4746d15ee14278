/* SPDX-License-Identifier: Apache-2.0
 * relations.h - the relations of pg_catalog and information_schema, one row each, sorted by schema and name.
 *
 * schema, name, oid, kind as PostgreSQL shows it ('r' table, 'v' view), producer (empty: no rows, because Basalt has no such objects), columns: name and
 * type. Names, oids and columns are PostgreSQL 15's, the version that clients are told; of information_schema's domains yes_or_no
 * is named (it has a length) and time_stamp, types stand for the others. A producer is sql/system/produce_*.c: system_rows_<producer>. */
R(information_schema, administrable_role_authorizations, 13241, 'v', empty,
  "grantee name, role_name name, is_grantable yes_or_no")
R(information_schema, applicable_roles, 13236, 'v', empty,
  "grantee name, role_name name, is_grantable yes_or_no")
R(information_schema, attributes, 13245, 'v', empty,
  "udt_catalog name, udt_schema name, udt_name name, attribute_name name, ordinal_position integer, "
  "attribute_default character varying, is_nullable yes_or_no, data_type character varying, "
  "character_maximum_length integer, character_octet_length integer, character_set_catalog name, "
  "character_set_schema name, character_set_name name, collation_catalog name, collation_schema name, "
  "collation_name name, numeric_precision integer, numeric_precision_radix integer, numeric_scale integer, "
  "datetime_precision integer, interval_type character varying, interval_precision integer, "
  "attribute_udt_catalog name, attribute_udt_schema name, attribute_udt_name name, scope_catalog name, "
  "scope_schema name, scope_name name, maximum_cardinality integer, dtd_identifier name, "
  "is_derived_reference_attribute yes_or_no")
R(information_schema, character_sets, 13250, 'v', info_character_sets,
  "character_set_catalog name, character_set_schema name, character_set_name name, character_repertoire name, "
  "form_of_use name, default_collate_catalog name, default_collate_schema name, default_collate_name name")
R(information_schema, check_constraint_routine_usage, 13255, 'v', empty,
  "constraint_catalog name, constraint_schema name, constraint_name name, specific_catalog name, "
  "specific_schema name, specific_name name")
R(information_schema, check_constraints, 13260, 'v', info_check_constraints,
  "constraint_catalog name, constraint_schema name, constraint_name name, check_clause character varying")
R(information_schema, collation_character_set_applicability, 13270, 'v', empty,
  "collation_catalog name, collation_schema name, collation_name name, character_set_catalog name, "
  "character_set_schema name, character_set_name name")
R(information_schema, collations, 13265, 'v', empty,
  "collation_catalog name, collation_schema name, collation_name name, pad_attribute character varying")
R(information_schema, column_column_usage, 13275, 'v', empty,
  "table_catalog name, table_schema name, table_name name, column_name name, dependent_column name")
R(information_schema, column_domain_usage, 13280, 'v', info_column_domain_usage,
  "domain_catalog name, domain_schema name, domain_name name, table_catalog name, table_schema name, "
  "table_name name, column_name name")
R(information_schema, column_options, 13503, 'v', empty,
  "table_catalog name, table_schema name, table_name name, column_name name, option_name name, option_value "
  "character varying")
R(information_schema, column_privileges, 13285, 'v', info_column_privileges,
  "grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name, "
  "privilege_type character varying, is_grantable yes_or_no")
R(information_schema, column_udt_usage, 13290, 'v', info_column_udt_usage,
  "udt_catalog name, udt_schema name, udt_name name, table_catalog name, table_schema name, table_name name, "
  "column_name name")
R(information_schema, columns, 13295, 'v', info_columns,
  "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position integer, "
  "column_default character varying, is_nullable yes_or_no, data_type character varying, "
  "character_maximum_length integer, character_octet_length integer, numeric_precision integer, "
  "numeric_precision_radix integer, numeric_scale integer, datetime_precision integer, interval_type "
  "character varying, interval_precision integer, character_set_catalog name, character_set_schema name, "
  "character_set_name name, collation_catalog name, collation_schema name, collation_name name, "
  "domain_catalog name, domain_schema name, domain_name name, udt_catalog name, udt_schema name, udt_name "
  "name, scope_catalog name, scope_schema name, scope_name name, maximum_cardinality integer, "
  "dtd_identifier name, is_self_referencing yes_or_no, is_identity yes_or_no, identity_generation "
  "character varying, identity_start character varying, identity_increment character varying, "
  "identity_maximum character varying, identity_minimum character varying, identity_cycle yes_or_no, "
  "is_generated character varying, generation_expression character varying, is_updatable yes_or_no")
R(information_schema, constraint_column_usage, 13300, 'v', info_constraint_column_usage,
  "table_catalog name, table_schema name, table_name name, column_name name, constraint_catalog name, "
  "constraint_schema name, constraint_name name")
R(information_schema, constraint_table_usage, 13305, 'v', info_constraint_table_usage,
  "table_catalog name, table_schema name, table_name name, constraint_catalog name, constraint_schema name, "
  "constraint_name name")
R(information_schema, data_type_privileges, 13488, 'v', empty,
  "object_catalog name, object_schema name, object_name name, object_type character varying, dtd_identifier "
  "name")
R(information_schema, domain_constraints, 13310, 'v', info_domain_constraints,
  "constraint_catalog name, constraint_schema name, constraint_name name, domain_catalog name, "
  "domain_schema name, domain_name name, is_deferrable yes_or_no, initially_deferred yes_or_no")
R(information_schema, domain_udt_usage, 13315, 'v', info_domain_udt_usage,
  "udt_catalog name, udt_schema name, udt_name name, domain_catalog name, domain_schema name, domain_name "
  "name")
R(information_schema, domains, 13320, 'v', info_domains,
  "domain_catalog name, domain_schema name, domain_name name, data_type character varying, "
  "character_maximum_length integer, character_octet_length integer, character_set_catalog name, "
  "character_set_schema name, character_set_name name, collation_catalog name, collation_schema name, "
  "collation_name name, numeric_precision integer, numeric_precision_radix integer, numeric_scale integer, "
  "datetime_precision integer, interval_type character varying, interval_precision integer, domain_default "
  "character varying, udt_catalog name, udt_schema name, udt_name name, scope_catalog name, scope_schema "
  "name, scope_name name, maximum_cardinality integer, dtd_identifier name")
R(information_schema, element_types, 13493, 'v', info_element_types,
  "object_catalog name, object_schema name, object_name name, object_type character varying, "
  "collection_type_identifier name, data_type character varying, character_maximum_length integer, "
  "character_octet_length integer, character_set_catalog name, character_set_schema name, character_set_name "
  "name, collation_catalog name, collation_schema name, collation_name name, numeric_precision integer, "
  "numeric_precision_radix integer, numeric_scale integer, datetime_precision integer, interval_type "
  "character varying, interval_precision integer, domain_default character varying, udt_catalog name, "
  "udt_schema name, udt_name name, scope_catalog name, scope_schema name, scope_name name, "
  "maximum_cardinality integer, dtd_identifier name")
R(information_schema, enabled_roles, 13325, 'v', info_enabled_roles,
  "role_name name")
R(information_schema, foreign_data_wrapper_options, 13511, 'v', empty,
  "foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, option_name name, option_value "
  "character varying")
R(information_schema, foreign_data_wrappers, 13515, 'v', empty,
  "foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, authorization_identifier name, "
  "library_name character varying, foreign_data_wrapper_language character varying")
R(information_schema, foreign_server_options, 13524, 'v', empty,
  "foreign_server_catalog name, foreign_server_name name, option_name name, option_value character varying")
R(information_schema, foreign_servers, 13528, 'v', empty,
  "foreign_server_catalog name, foreign_server_name name, foreign_data_wrapper_catalog name, "
  "foreign_data_wrapper_name name, foreign_server_type character varying, foreign_server_version character "
  "varying, authorization_identifier name")
R(information_schema, foreign_table_options, 13537, 'v', empty,
  "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, option_name name, "
  "option_value character varying")
R(information_schema, foreign_tables, 13541, 'v', empty,
  "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, foreign_server_catalog "
  "name, foreign_server_name name")
R(information_schema, information_schema_catalog_name, 13227, 'v', info_information_schema_catalog_name,
  "catalog_name name")
R(information_schema, key_column_usage, 13329, 'v', info_key_column_usage,
  "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema "
  "name, table_name name, column_name name, ordinal_position integer, position_in_unique_constraint integer")
R(information_schema, parameters, 13334, 'v', empty,
  "specific_catalog name, specific_schema name, specific_name name, ordinal_position integer, "
  "parameter_mode character varying, is_result yes_or_no, as_locator yes_or_no, parameter_name name, "
  "data_type character varying, character_maximum_length integer, character_octet_length integer, "
  "character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name, "
  "collation_schema name, collation_name name, numeric_precision integer, numeric_precision_radix integer, "
  "numeric_scale integer, datetime_precision integer, interval_type character varying, interval_precision "
  "integer, udt_catalog name, udt_schema name, udt_name name, scope_catalog name, scope_schema name, "
  "scope_name name, maximum_cardinality integer, dtd_identifier name, parameter_default character varying")
R(information_schema, referential_constraints, 13339, 'v', info_referential_constraints,
  "constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name, "
  "unique_constraint_schema name, unique_constraint_name name, match_option character varying, update_rule "
  "character varying, delete_rule character varying")
R(information_schema, role_column_grants, 13344, 'v', info_role_column_grants,
  "grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name, "
  "privilege_type character varying, is_grantable yes_or_no")
R(information_schema, role_routine_grants, 13358, 'v', empty,
  "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name name, "
  "routine_catalog name, routine_schema name, routine_name name, privilege_type character varying, "
  "is_grantable yes_or_no")
R(information_schema, role_table_grants, 13421, 'v', info_role_table_grants,
  "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type "
  "character varying, is_grantable yes_or_no, with_hierarchy yes_or_no")
R(information_schema, role_udt_grants, 13450, 'v', empty,
  "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, privilege_type character "
  "varying, is_grantable yes_or_no")
R(information_schema, role_usage_grants, 13459, 'v', empty,
  "grantor name, grantee name, object_catalog name, object_schema name, object_name name, object_type "
  "character varying, privilege_type character varying, is_grantable yes_or_no")
R(information_schema, routine_column_usage, 13348, 'v', empty,
  "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema "
  "name, routine_name name, table_catalog name, table_schema name, table_name name, column_name name")
R(information_schema, routine_privileges, 13353, 'v', empty,
  "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name name, "
  "routine_catalog name, routine_schema name, routine_name name, privilege_type character varying, "
  "is_grantable yes_or_no")
R(information_schema, routine_routine_usage, 13362, 'v', empty,
  "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema "
  "name, routine_name name")
R(information_schema, routine_sequence_usage, 13367, 'v', empty,
  "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema "
  "name, routine_name name, sequence_catalog name, sequence_schema name, sequence_name name")
R(information_schema, routine_table_usage, 13372, 'v', empty,
  "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema "
  "name, routine_name name, table_catalog name, table_schema name, table_name name")
R(information_schema, routines, 13377, 'v', empty,
  "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema "
  "name, routine_name name, routine_type character varying, module_catalog name, module_schema name, "
  "module_name name, udt_catalog name, udt_schema name, udt_name name, data_type character varying, "
  "character_maximum_length integer, character_octet_length integer, character_set_catalog name, "
  "character_set_schema name, character_set_name name, collation_catalog name, collation_schema name, "
  "collation_name name, numeric_precision integer, numeric_precision_radix integer, numeric_scale integer, "
  "datetime_precision integer, interval_type character varying, interval_precision integer, "
  "type_udt_catalog name, type_udt_schema name, type_udt_name name, scope_catalog name, scope_schema name, "
  "scope_name name, maximum_cardinality integer, dtd_identifier name, routine_body character varying, "
  "routine_definition character varying, external_name character varying, external_language character "
  "varying, parameter_style character varying, is_deterministic yes_or_no, sql_data_access character "
  "varying, is_null_call yes_or_no, sql_path character varying, schema_level_routine yes_or_no, "
  "max_dynamic_result_sets integer, is_user_defined_cast yes_or_no, is_implicitly_invocable yes_or_no, "
  "security_type character varying, to_sql_specific_catalog name, to_sql_specific_schema name, "
  "to_sql_specific_name name, as_locator yes_or_no, created time_stamp, last_altered "
  "time_stamp, new_savepoint_level yes_or_no, is_udt_dependent yes_or_no, "
  "result_cast_from_data_type character varying, result_cast_as_locator yes_or_no, "
  "result_cast_char_max_length integer, result_cast_char_octet_length integer, "
  "result_cast_char_set_catalog name, result_cast_char_set_schema name, result_cast_char_set_name name, "
  "result_cast_collation_catalog name, result_cast_collation_schema name, result_cast_collation_name name, "
  "result_cast_numeric_precision integer, result_cast_numeric_precision_radix integer, "
  "result_cast_numeric_scale integer, result_cast_datetime_precision integer, result_cast_interval_type "
  "character varying, result_cast_interval_precision integer, result_cast_type_udt_catalog name, "
  "result_cast_type_udt_schema name, result_cast_type_udt_name name, result_cast_scope_catalog name, "
  "result_cast_scope_schema name, result_cast_scope_name name, result_cast_maximum_cardinality integer, "
  "result_cast_dtd_identifier name")
R(information_schema, schemata, 13382, 'v', info_schemata,
  "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name, "
  "default_character_set_schema name, default_character_set_name name, sql_path character varying")
R(information_schema, sequences, 13386, 'v', info_sequences,
  "sequence_catalog name, sequence_schema name, sequence_name name, data_type character varying, "
  "numeric_precision integer, numeric_precision_radix integer, numeric_scale integer, start_value "
  "character varying, minimum_value character varying, maximum_value character varying, increment "
  "character varying, cycle_option yes_or_no")
R(information_schema, sql_features, 13391, 'r', empty,
  "feature_id character varying, feature_name character varying, sub_feature_id character varying, "
  "sub_feature_name character varying, is_supported yes_or_no, is_verified_by character varying, comments "
  "character varying")
R(information_schema, sql_implementation_info, 13396, 'r', empty,
  "implementation_info_id character varying, implementation_info_name character varying, integer_value "
  "integer, character_value character varying, comments character varying")
R(information_schema, sql_parts, 13401, 'r', empty,
  "feature_id character varying, feature_name character varying, is_supported yes_or_no, is_verified_by "
  "character varying, comments character varying")
R(information_schema, sql_sizing, 13406, 'r', empty,
  "sizing_id integer, sizing_name character varying, supported_value integer, comments character varying")
R(information_schema, table_constraints, 13411, 'v', info_table_constraints,
  "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema "
  "name, table_name name, constraint_type character varying, is_deferrable yes_or_no, initially_deferred "
  "yes_or_no, enforced yes_or_no, nulls_distinct yes_or_no")
R(information_schema, table_privileges, 13416, 'v', info_table_privileges,
  "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type "
  "character varying, is_grantable yes_or_no, with_hierarchy yes_or_no")
R(information_schema, tables, 13425, 'v', info_tables,
  "table_catalog name, table_schema name, table_name name, table_type character varying, "
  "self_referencing_column_name name, reference_generation character varying, user_defined_type_catalog "
  "name, user_defined_type_schema name, user_defined_type_name name, is_insertable_into yes_or_no, "
  "is_typed yes_or_no, commit_action character varying")
R(information_schema, transforms, 13430, 'v', empty,
  "udt_catalog name, udt_schema name, udt_name name, specific_catalog name, specific_schema name, "
  "specific_name name, group_name name, transform_type character varying")
R(information_schema, triggered_update_columns, 13435, 'v', empty,
  "trigger_catalog name, trigger_schema name, trigger_name name, event_object_catalog name, "
  "event_object_schema name, event_object_table name, event_object_column name")
R(information_schema, triggers, 13440, 'v', empty,
  "trigger_catalog name, trigger_schema name, trigger_name name, event_manipulation character varying, "
  "event_object_catalog name, event_object_schema name, event_object_table name, action_order integer, "
  "action_condition character varying, action_statement character varying, action_orientation character "
  "varying, action_timing character varying, action_reference_old_table name, action_reference_new_table "
  "name, action_reference_old_row name, action_reference_new_row name, created time_stamp")
R(information_schema, udt_privileges, 13445, 'v', empty,
  "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, privilege_type character "
  "varying, is_grantable yes_or_no")
R(information_schema, usage_privileges, 13454, 'v', empty,
  "grantor name, grantee name, object_catalog name, object_schema name, object_name name, object_type "
  "character varying, privilege_type character varying, is_grantable yes_or_no")
R(information_schema, user_defined_types, 13463, 'v', empty,
  "user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name, "
  "user_defined_type_category character varying, is_instantiable yes_or_no, is_final yes_or_no, "
  "ordering_form character varying, ordering_category character varying, ordering_routine_catalog name, "
  "ordering_routine_schema name, ordering_routine_name name, reference_type character varying, data_type "
  "character varying, character_maximum_length integer, character_octet_length integer, "
  "character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name, "
  "collation_schema name, collation_name name, numeric_precision integer, numeric_precision_radix integer, "
  "numeric_scale integer, datetime_precision integer, interval_type character varying, interval_precision "
  "integer, source_dtd_identifier name, ref_dtd_identifier name")
R(information_schema, user_mapping_options, 13550, 'v', empty,
  "authorization_identifier name, foreign_server_catalog name, foreign_server_name name, option_name name, "
  "option_value character varying")
R(information_schema, user_mappings, 13555, 'v', empty,
  "authorization_identifier name, foreign_server_catalog name, foreign_server_name name")
R(information_schema, view_column_usage, 13468, 'v', info_view_column_usage,
  "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema name, table_name "
  "name, column_name name")
R(information_schema, view_routine_usage, 13473, 'v', empty,
  "table_catalog name, table_schema name, table_name name, specific_catalog name, specific_schema name, "
  "specific_name name")
R(information_schema, view_table_usage, 13478, 'v', info_view_table_usage,
  "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema name, table_name "
  "name")
R(information_schema, views, 13483, 'v', info_views,
  "table_catalog name, table_schema name, table_name name, view_definition character varying, check_option "
  "character varying, is_updatable yes_or_no, is_insertable_into yes_or_no, is_trigger_updatable "
  "yes_or_no, is_trigger_deletable yes_or_no, is_trigger_insertable_into yes_or_no")
R(pg_catalog, pg_aggregate, 2600, 'r', pg_aggregate,
  "aggfnoid regproc, aggkind char1, aggnumdirectargs smallint, aggtransfn regproc, aggfinalfn regproc, "
  "aggcombinefn regproc, aggserialfn regproc, aggdeserialfn regproc, aggmtransfn regproc, aggminvtransfn "
  "regproc, aggmfinalfn regproc, aggfinalextra boolean, aggmfinalextra boolean, aggfinalmodify char1, "
  "aggmfinalmodify char1, aggsortop oid, aggtranstype oid, aggtransspace integer, aggmtranstype oid, "
  "aggmtransspace integer, agginitval text, aggminitval text")
R(pg_catalog, pg_am, 2601, 'r', pg_am,
  "oid oid, amname name, amhandler regproc, amtype char1")
R(pg_catalog, pg_amop, 2602, 'r', empty,
  "oid oid, amopfamily oid, amoplefttype oid, amoprighttype oid, amopstrategy smallint, amoppurpose char1, "
  "amopopr oid, amopmethod oid, amopsortfamily oid")
R(pg_catalog, pg_amproc, 2603, 'r', empty,
  "oid oid, amprocfamily oid, amproclefttype oid, amprocrighttype oid, amprocnum smallint, amproc regproc")
R(pg_catalog, pg_attrdef, 2604, 'r', pg_attrdef,
  "oid oid, adrelid oid, adnum smallint, adbin pg_node_tree")
R(pg_catalog, pg_attribute, 1249, 'r', pg_attribute,
  "attrelid oid, attname name, atttypid oid, attstattarget integer, attlen smallint, attnum smallint, "
  "attndims integer, attcacheoff integer, atttypmod integer, attbyval boolean, attalign char1, attstorage "
  "char1, attcompression char1, attnotnull boolean, atthasdef boolean, atthasmissing boolean, attidentity "
  "char1, attgenerated char1, attisdropped boolean, attislocal boolean, attinhcount integer, attcollation "
  "oid, attacl aclitem[], attoptions text[], attfdwoptions text[], attmissingval anyarray")
R(pg_catalog, pg_auth_members, 1261, 'r', pg_auth_members,
  "roleid oid, member oid, grantor oid, admin_option boolean")
R(pg_catalog, pg_authid, 1260, 'r', pg_authid,
  "oid oid, rolname name, rolsuper boolean, rolinherit boolean, rolcreaterole boolean, rolcreatedb boolean, "
  "rolcanlogin boolean, rolreplication boolean, rolbypassrls boolean, rolconnlimit integer, rolpassword text, "
  "rolvaliduntil timestamp with time zone")
R(pg_catalog, pg_available_extension_versions, 12085, 'v', empty,
  "name name, version text, installed boolean, superuser boolean, trusted boolean, relocatable boolean, "
  "schema name, requires name[], comment text")
R(pg_catalog, pg_available_extensions, 12081, 'v', empty,
  "name name, default_version text, installed_version text, comment text")
R(pg_catalog, pg_backend_memory_contexts, 12138, 'v', empty,
  "name text, ident text, parent text, level integer, total_bytes bigint, total_nblocks bigint, free_bytes "
  "bigint, free_chunks bigint, used_bytes bigint")
R(pg_catalog, pg_cast, 2605, 'r', pg_cast,
  "oid oid, castsource oid, casttarget oid, castfunc oid, castcontext char1, castmethod char1")
R(pg_catalog, pg_class, 1259, 'r', pg_class,
  "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid, relfilenode "
  "oid, reltablespace oid, relpages integer, reltuples real, relallvisible integer, reltoastrelid oid, "
  "relhasindex boolean, relisshared boolean, relpersistence char1, relkind char1, relnatts smallint, "
  "relchecks smallint, relhasrules boolean, relhastriggers boolean, relhassubclass boolean, relrowsecurity "
  "boolean, relforcerowsecurity boolean, relispopulated boolean, relreplident char1, relispartition boolean, "
  "relrewrite oid, relfrozenxid xid, relminmxid xid, relacl aclitem[], reloptions text[], relpartbound "
  "pg_node_tree")
R(pg_catalog, pg_collation, 3456, 'r', pg_collation,
  "oid oid, collname name, collnamespace oid, collowner oid, collprovider char1, collisdeterministic boolean, "
  "collencoding integer, collcollate text, collctype text, colliculocale text, collversion text")
R(pg_catalog, pg_config, 12130, 'v', empty,
  "name text, setting text")
R(pg_catalog, pg_constraint, 2606, 'r', pg_constraint,
  "oid oid, conname name, connamespace oid, contype char1, condeferrable boolean, condeferred boolean, "
  "convalidated boolean, conrelid oid, contypid oid, conindid oid, conparentid oid, confrelid oid, "
  "confupdtype char1, confdeltype char1, confmatchtype char1, conislocal boolean, coninhcount integer, "
  "connoinherit boolean, conkey smallint[], confkey smallint[], conpfeqop oid[], conppeqop oid[], conffeqop "
  "oid[], confdelsetcols smallint[], conexclop oid[], conbin pg_node_tree")
R(pg_catalog, pg_conversion, 2607, 'r', empty,
  "oid oid, conname name, connamespace oid, conowner oid, conforencoding integer, contoencoding integer, "
  "conproc regproc, condefault boolean")
R(pg_catalog, pg_cursors, 12077, 'v', pg_cursors,
  "name text, statement text, is_holdable boolean, is_binary boolean, is_scrollable boolean, creation_time "
  "timestamp with time zone")
R(pg_catalog, pg_database, 1262, 'r', pg_database,
  "oid oid, datname name, datdba oid, encoding integer, datlocprovider char1, datistemplate boolean, "
  "datallowconn boolean, datconnlimit integer, datfrozenxid xid, datminmxid xid, dattablespace oid, "
  "datcollate text, datctype text, daticulocale text, datcollversion text, datacl aclitem[]")
R(pg_catalog, pg_db_role_setting, 2964, 'r', pg_db_role_setting,
  "setdatabase oid, setrole oid, setconfig text[]")
R(pg_catalog, pg_default_acl, 826, 'r', pg_default_acl,
  "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char1, defaclacl aclitem[]")
R(pg_catalog, pg_depend, 2608, 'r', pg_depend,
  "classid oid, objid oid, objsubid integer, refclassid oid, refobjid oid, refobjsubid integer, deptype char1")
R(pg_catalog, pg_description, 2609, 'r', pg_description,
  "objoid oid, classoid oid, objsubid integer, description text")
R(pg_catalog, pg_enum, 3501, 'r', pg_enum,
  "oid oid, enumtypid oid, enumsortorder real, enumlabel name")
R(pg_catalog, pg_event_trigger, 3466, 'r', empty,
  "oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled char1, evttags text[]")
R(pg_catalog, pg_extension, 3079, 'r', pg_extension,
  "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable boolean, extversion text, extconfig "
  "oid[], extcondition text[]")
R(pg_catalog, pg_file_settings, 12110, 'v', empty,
  "sourcefile text, sourceline integer, seqno integer, name text, setting text, applied boolean, error text")
R(pg_catalog, pg_foreign_data_wrapper, 2328, 'r', empty,
  "oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator oid, fdwacl aclitem[], fdwoptions text[]")
R(pg_catalog, pg_foreign_server, 1417, 'r', empty,
  "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl aclitem[], "
  "srvoptions text[]")
R(pg_catalog, pg_foreign_table, 3118, 'r', empty,
  "ftrelid oid, ftserver oid, ftoptions text[]")
R(pg_catalog, pg_group, 12010, 'v', empty,
  "groname name, grosysid oid, grolist oid[]")
R(pg_catalog, pg_hba_file_rules, 12114, 'v', empty,
  "line_number integer, type text, database text[], user_name text[], address text, netmask text, auth_method "
  "text, options text[], error text")
R(pg_catalog, pg_ident_file_mappings, 12118, 'v', empty,
  "line_number integer, map_name text, sys_name text, pg_username text, error text")
R(pg_catalog, pg_index, 2610, 'r', pg_index,
  "indexrelid oid, indrelid oid, indnatts smallint, indnkeyatts smallint, indisunique boolean, "
  "indnullsnotdistinct boolean, indisprimary boolean, indisexclusion boolean, indimmediate boolean, "
  "indisclustered boolean, indisvalid boolean, indcheckxmin boolean, indisready boolean, indislive boolean, "
  "indisreplident boolean, indkey int2vector, indcollation oidvector, indclass oidvector, indoption "
  "int2vector, indexprs pg_node_tree, indpred pg_node_tree")
R(pg_catalog, pg_indexes, 12043, 'v', pg_indexes,
  "schemaname name, tablename name, indexname name, tablespace name, indexdef text")
R(pg_catalog, pg_inherits, 2611, 'r', empty,
  "inhrelid oid, inhparent oid, inhseqno integer, inhdetachpending boolean")
R(pg_catalog, pg_init_privs, 3394, 'r', empty,
  "objoid oid, classoid oid, objsubid integer, privtype char1, initprivs aclitem[]")
R(pg_catalog, pg_language, 2612, 'r', pg_language,
  "oid oid, lanname name, lanowner oid, lanispl boolean, lanpltrusted boolean, lanplcallfoid oid, laninline "
  "oid, lanvalidator oid, lanacl aclitem[]")
R(pg_catalog, pg_largeobject, 2613, 'r', empty,
  "loid oid, pageno integer, data bytea")
R(pg_catalog, pg_largeobject_metadata, 2995, 'r', empty,
  "oid oid, lomowner oid, lomacl aclitem[]")
R(pg_catalog, pg_locks, 12073, 'v', pg_locks,
  "locktype text, database oid, relation oid, page integer, tuple smallint, virtualxid text, transactionid "
  "xid, classid oid, objid oid, objsubid smallint, virtualtransaction text, pid integer, mode text, granted "
  "boolean, fastpath boolean, waitstart timestamp with time zone")
R(pg_catalog, pg_matviews, 12038, 'v', empty,
  "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes boolean, ispopulated "
  "boolean, definition text")
R(pg_catalog, pg_namespace, 2615, 'r', pg_namespace,
  "oid oid, nspname name, nspowner oid, nspacl aclitem[]")
R(pg_catalog, pg_opclass, 2616, 'r', pg_opclass,
  "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, opcintype oid, "
  "opcdefault boolean, opckeytype oid")
R(pg_catalog, pg_operator, 2617, 'r', pg_operator,
  "oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind char1, oprcanmerge boolean, oprcanhash "
  "boolean, oprleft oid, oprright oid, oprresult oid, oprcom oid, oprnegate oid, oprcode regproc, oprrest "
  "regproc, oprjoin regproc")
R(pg_catalog, pg_opfamily, 2753, 'r', pg_opfamily,
  "oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner oid")
R(pg_catalog, pg_parameter_acl, 6243, 'r', empty,
  "oid oid, parname text, paracl aclitem[]")
R(pg_catalog, pg_partitioned_table, 3350, 'r', empty,
  "partrelid oid, partstrat char1, partnatts smallint, partdefid oid, partattrs int2vector, partclass "
  "oidvector, partcollation oidvector, partexprs pg_node_tree")
R(pg_catalog, pg_policies, 12018, 'v', empty,
  "schemaname name, tablename name, policyname name, permissive text, roles name[], cmd text, qual text, "
  "with_check text")
R(pg_catalog, pg_policy, 3256, 'r', empty,
  "oid oid, polname name, polrelid oid, polcmd char1, polpermissive boolean, polroles oid[], polqual "
  "pg_node_tree, polwithcheck pg_node_tree")
R(pg_catalog, pg_prepared_statements, 12095, 'v', pg_prepared_statements,
  "name text, statement text, prepare_time timestamp with time zone, parameter_types regtype[], from_sql "
  "boolean, generic_plans bigint, custom_plans bigint")
R(pg_catalog, pg_prepared_xacts, 12090, 'v', empty,
  "transaction xid, gid text, prepared timestamp with time zone, owner name, database name")
R(pg_catalog, pg_proc, 1255, 'r', pg_proc,
  "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost real, prorows real, "
  "provariadic oid, prosupport regproc, prokind char1, prosecdef boolean, proleakproof boolean, proisstrict "
  "boolean, proretset boolean, provolatile char1, proparallel char1, pronargs smallint, pronargdefaults "
  "smallint, prorettype oid, proargtypes oidvector, proallargtypes oid[], proargmodes char1[], proargnames "
  "text[], proargdefaults pg_node_tree, protrftypes oid[], prosrc text, probin text, prosqlbody pg_node_tree, "
  "proconfig text[], proacl aclitem[]")
R(pg_catalog, pg_publication, 6104, 'r', empty,
  "oid oid, pubname name, pubowner oid, puballtables boolean, pubinsert boolean, pubupdate boolean, pubdelete "
  "boolean, pubtruncate boolean, pubviaroot boolean")
R(pg_catalog, pg_publication_namespace, 6237, 'r', empty,
  "oid oid, pnpubid oid, pnnspid oid")
R(pg_catalog, pg_publication_rel, 6106, 'r', empty,
  "oid oid, prpubid oid, prrelid oid, prqual pg_node_tree, prattrs int2vector")
R(pg_catalog, pg_publication_tables, 12068, 'v', empty,
  "pubname name, schemaname name, tablename name, attnames name[], rowfilter text")
R(pg_catalog, pg_range, 3541, 'r', empty,
  "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid, rngcanonical regproc, "
  "rngsubdiff regproc")
R(pg_catalog, pg_replication_origin, 6000, 'r', empty,
  "roident oid, roname text")
R(pg_catalog, pg_replication_origin_status, 12332, 'v', empty,
  "local_id oid, external_id text, remote_lsn pg_lsn, local_lsn pg_lsn")
R(pg_catalog, pg_replication_slots, 12257, 'v', empty,
  "slot_name name, plugin name, slot_type text, datoid oid, database name, temporary boolean, active boolean, "
  "active_pid integer, xmin xid, catalog_xmin xid, restart_lsn pg_lsn, confirmed_flush_lsn pg_lsn, wal_status "
  "text, safe_wal_size bigint, two_phase boolean")
R(pg_catalog, pg_rewrite, 2618, 'r', pg_rewrite,
  "oid oid, rulename name, ev_class oid, ev_type char1, ev_enabled char1, is_instead boolean, ev_qual "
  "pg_node_tree, ev_action pg_node_tree")
R(pg_catalog, pg_roles, 12000, 'v', pg_roles,
  "rolname name, rolsuper boolean, rolinherit boolean, rolcreaterole boolean, rolcreatedb boolean, "
  "rolcanlogin boolean, rolreplication boolean, rolconnlimit integer, rolpassword text, rolvaliduntil "
  "timestamp with time zone, rolbypassrls boolean, rolconfig text[], oid oid")
R(pg_catalog, pg_rules, 12023, 'v', empty,
  "schemaname name, tablename name, rulename name, definition text")
R(pg_catalog, pg_seclabel, 3596, 'r', empty,
  "objoid oid, classoid oid, objsubid integer, provider text, label text")
R(pg_catalog, pg_seclabels, 12099, 'v', empty,
  "objoid oid, classoid oid, objsubid integer, objtype text, objnamespace oid, objname text, provider text, "
  "label text")
R(pg_catalog, pg_sequence, 2224, 'r', pg_sequence,
  "seqrelid oid, seqtypid oid, seqstart bigint, seqincrement bigint, seqmax bigint, seqmin bigint, seqcache "
  "bigint, seqcycle boolean")
R(pg_catalog, pg_sequences, 12048, 'v', pg_sequences,
  "schemaname name, sequencename name, sequenceowner name, data_type regtype, start_value bigint, min_value "
  "bigint, max_value bigint, increment_by bigint, cycle boolean, cache_size bigint, last_value bigint")
R(pg_catalog, pg_settings, 12104, 'v', pg_settings,
  "name text, setting text, unit text, category text, short_desc text, extra_desc text, context text, vartype "
  "text, source text, min_val text, max_val text, enumvals text[], boot_val text, reset_val text, sourcefile "
  "text, sourceline integer, pending_restart boolean")
R(pg_catalog, pg_shadow, 12005, 'v', pg_shadow,
  "usename name, usesysid oid, usecreatedb boolean, usesuper boolean, userepl boolean, usebypassrls boolean, "
  "passwd text, valuntil timestamp with time zone, useconfig text[]")
R(pg_catalog, pg_shdepend, 1214, 'r', empty,
  "dbid oid, classid oid, objid oid, objsubid integer, refclassid oid, refobjid oid, deptype char1")
R(pg_catalog, pg_shdescription, 2396, 'r', pg_shdescription,
  "objoid oid, classoid oid, description text")
R(pg_catalog, pg_shmem_allocations, 12134, 'v', empty,
  "name text, off bigint, size bigint, allocated_size bigint")
R(pg_catalog, pg_shseclabel, 3592, 'r', empty,
  "objoid oid, classoid oid, provider text, label text")
R(pg_catalog, pg_stat_activity, 12222, 'v', pg_stat_activity,
  "datid oid, datname name, pid integer, leader_pid integer, usesysid oid, usename name, application_name "
  "text, client_addr inet, client_hostname text, client_port integer, backend_start timestamp with time zone, "
  "xact_start timestamp with time zone, query_start timestamp with time zone, state_change timestamp with "
  "time zone, wait_event_type text, wait_event text, state text, backend_xid xid, backend_xmin xid, query_id "
  "bigint, query text, backend_type text")
R(pg_catalog, pg_stat_all_indexes, 12183, 'v', pg_stat_all_indexes,
  "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan bigint, idx_tup_read "
  "bigint, idx_tup_fetch bigint")
R(pg_catalog, pg_stat_all_tables, 12142, 'v', pg_stat_all_tables,
  "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint, "
  "idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint, n_tup_hot_upd bigint, "
  "n_live_tup bigint, n_dead_tup bigint, n_mod_since_analyze bigint, n_ins_since_vacuum bigint, last_vacuum "
  "timestamp with time zone, last_autovacuum timestamp with time zone, last_analyze timestamp with time zone, "
  "last_autoanalyze timestamp with time zone, vacuum_count bigint, autovacuum_count bigint, analyze_count "
  "bigint, autoanalyze_count bigint")
R(pg_catalog, pg_stat_archiver, 12285, 'v', empty,
  "archived_count bigint, last_archived_wal text, last_archived_time timestamp with time zone, failed_count "
  "bigint, last_failed_wal text, last_failed_time timestamp with time zone, stats_reset timestamp with time "
  "zone")
R(pg_catalog, pg_stat_bgwriter, 12289, 'v', empty,
  "checkpoints_timed bigint, checkpoints_req bigint, checkpoint_write_time double precision, "
  "checkpoint_sync_time double precision, buffers_checkpoint bigint, buffers_clean bigint, maxwritten_clean "
  "bigint, buffers_backend bigint, buffers_backend_fsync bigint, buffers_alloc bigint, stats_reset timestamp "
  "with time zone")
R(pg_catalog, pg_stat_database, 12266, 'v', pg_stat_database,
  "datid oid, datname name, numbackends integer, xact_commit bigint, xact_rollback bigint, blks_read bigint, "
  "blks_hit bigint, tup_returned bigint, tup_fetched bigint, tup_inserted bigint, tup_updated bigint, "
  "tup_deleted bigint, conflicts bigint, temp_files bigint, temp_bytes bigint, deadlocks bigint, "
  "checksum_failures bigint, checksum_last_failure timestamp with time zone, blk_read_time double precision, "
  "blk_write_time double precision, session_time double precision, active_time double precision, "
  "idle_in_transaction_time double precision, sessions bigint, sessions_abandoned bigint, sessions_fatal "
  "bigint, sessions_killed bigint, stats_reset timestamp with time zone")
R(pg_catalog, pg_stat_database_conflicts, 12271, 'v', empty,
  "datid oid, datname name, confl_tablespace bigint, confl_lock bigint, confl_snapshot bigint, "
  "confl_bufferpin bigint, confl_deadlock bigint")
R(pg_catalog, pg_stat_gssapi, 12253, 'v', empty,
  "pid integer, gss_authenticated boolean, principal text, encrypted boolean")
R(pg_catalog, pg_stat_progress_analyze, 12297, 'v', empty,
  "pid integer, datid oid, datname name, relid oid, phase text, sample_blks_total bigint, sample_blks_scanned "
  "bigint, ext_stats_total bigint, ext_stats_computed bigint, child_tables_total bigint, child_tables_done "
  "bigint, current_child_table_relid oid")
R(pg_catalog, pg_stat_progress_basebackup, 12317, 'v', empty,
  "pid integer, phase text, backup_total bigint, backup_streamed bigint, tablespaces_total bigint, "
  "tablespaces_streamed bigint")
R(pg_catalog, pg_stat_progress_cluster, 12307, 'v', empty,
  "pid integer, datid oid, datname name, relid oid, command text, phase text, cluster_index_relid oid, "
  "heap_tuples_scanned bigint, heap_tuples_written bigint, heap_blks_total bigint, heap_blks_scanned bigint, "
  "index_rebuild_count bigint")
R(pg_catalog, pg_stat_progress_copy, 12322, 'v', empty,
  "pid integer, datid oid, datname name, relid oid, command text, type text, bytes_processed bigint, "
  "bytes_total bigint, tuples_processed bigint, tuples_excluded bigint")
R(pg_catalog, pg_stat_progress_create_index, 12312, 'v', empty,
  "pid integer, datid oid, datname name, relid oid, index_relid oid, command text, phase text, lockers_total "
  "bigint, lockers_done bigint, current_locker_pid bigint, blocks_total bigint, blocks_done bigint, "
  "tuples_total bigint, tuples_done bigint, partitions_total bigint, partitions_done bigint")
R(pg_catalog, pg_stat_progress_vacuum, 12302, 'v', empty,
  "pid integer, datid oid, datname name, relid oid, phase text, heap_blks_total bigint, heap_blks_scanned "
  "bigint, heap_blks_vacuumed bigint, index_vacuum_count bigint, max_dead_tuples bigint, num_dead_tuples "
  "bigint")
R(pg_catalog, pg_stat_recovery_prefetch, 12240, 'v', empty,
  "stats_reset timestamp with time zone, prefetch bigint, hit bigint, skip_init bigint, skip_new bigint, "
  "skip_fpw bigint, skip_rep bigint, wal_distance integer, block_distance integer, io_depth integer")
R(pg_catalog, pg_stat_replication, 12227, 'v', empty,
  "pid integer, usesysid oid, usename name, application_name text, client_addr inet, client_hostname text, "
  "client_port integer, backend_start timestamp with time zone, backend_xmin xid, state text, sent_lsn "
  "pg_lsn, write_lsn pg_lsn, flush_lsn pg_lsn, replay_lsn pg_lsn, write_lag interval, flush_lag interval, "
  "replay_lag interval, sync_priority integer, sync_state text, reply_time timestamp with time zone")
R(pg_catalog, pg_stat_replication_slots, 12262, 'v', empty,
  "slot_name text, spill_txns bigint, spill_count bigint, spill_bytes bigint, stream_txns bigint, "
  "stream_count bigint, stream_bytes bigint, total_txns bigint, total_bytes bigint, stats_reset timestamp "
  "with time zone")
R(pg_catalog, pg_stat_slru, 12232, 'v', empty,
  "name text, blks_zeroed bigint, blks_hit bigint, blks_read bigint, blks_written bigint, blks_exists bigint, "
  "flushes bigint, truncates bigint, stats_reset timestamp with time zone")
R(pg_catalog, pg_stat_ssl, 12249, 'v', empty,
  "pid integer, ssl boolean, version text, cipher text, bits integer, client_dn text, client_serial numeric, "
  "issuer_dn text")
R(pg_catalog, pg_stat_subscription, 12244, 'v', empty,
  "subid oid, subname name, pid integer, relid oid, received_lsn pg_lsn, last_msg_send_time timestamp with "
  "time zone, last_msg_receipt_time timestamp with time zone, latest_end_lsn pg_lsn, latest_end_time "
  "timestamp with time zone")
R(pg_catalog, pg_stat_subscription_stats, 12336, 'v', empty,
  "subid oid, subname name, apply_error_count bigint, sync_error_count bigint, stats_reset timestamp with "
  "time zone")
R(pg_catalog, pg_stat_sys_indexes, 12188, 'v', empty,
  "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan bigint, idx_tup_read "
  "bigint, idx_tup_fetch bigint")
R(pg_catalog, pg_stat_sys_tables, 12152, 'v', empty,
  "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint, "
  "idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint, n_tup_hot_upd bigint, "
  "n_live_tup bigint, n_dead_tup bigint, n_mod_since_analyze bigint, n_ins_since_vacuum bigint, last_vacuum "
  "timestamp with time zone, last_autovacuum timestamp with time zone, last_analyze timestamp with time zone, "
  "last_autoanalyze timestamp with time zone, vacuum_count bigint, autovacuum_count bigint, analyze_count "
  "bigint, autoanalyze_count bigint")
R(pg_catalog, pg_stat_user_functions, 12275, 'v', empty,
  "funcid oid, schemaname name, funcname name, calls bigint, total_time double precision, self_time double "
  "precision")
R(pg_catalog, pg_stat_user_indexes, 12192, 'v', pg_stat_user_indexes,
  "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan bigint, idx_tup_read "
  "bigint, idx_tup_fetch bigint")
R(pg_catalog, pg_stat_user_tables, 12161, 'v', pg_stat_user_tables,
  "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint, "
  "idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint, n_tup_hot_upd bigint, "
  "n_live_tup bigint, n_dead_tup bigint, n_mod_since_analyze bigint, n_ins_since_vacuum bigint, last_vacuum "
  "timestamp with time zone, last_autovacuum timestamp with time zone, last_analyze timestamp with time zone, "
  "last_autoanalyze timestamp with time zone, vacuum_count bigint, autovacuum_count bigint, analyze_count "
  "bigint, autoanalyze_count bigint")
R(pg_catalog, pg_stat_wal, 12293, 'v', empty,
  "wal_records bigint, wal_fpi bigint, wal_bytes numeric, wal_buffers_full bigint, wal_write bigint, wal_sync "
  "bigint, wal_write_time double precision, wal_sync_time double precision, stats_reset timestamp with time "
  "zone")
R(pg_catalog, pg_stat_wal_receiver, 12236, 'v', empty,
  "pid integer, status text, receive_start_lsn pg_lsn, receive_start_tli integer, written_lsn pg_lsn, "
  "flushed_lsn pg_lsn, received_tli integer, last_msg_send_time timestamp with time zone, "
  "last_msg_receipt_time timestamp with time zone, latest_end_lsn pg_lsn, latest_end_time timestamp with time "
  "zone, slot_name text, sender_host text, sender_port integer, conninfo text")
R(pg_catalog, pg_stat_xact_all_tables, 12147, 'v', empty,
  "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint, "
  "idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint, n_tup_hot_upd bigint")
R(pg_catalog, pg_stat_xact_sys_tables, 12157, 'v', empty,
  "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint, "
  "idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint, n_tup_hot_upd bigint")
R(pg_catalog, pg_stat_xact_user_functions, 12280, 'v', empty,
  "funcid oid, schemaname name, funcname name, calls bigint, total_time double precision, self_time double "
  "precision")
R(pg_catalog, pg_stat_xact_user_tables, 12166, 'v', empty,
  "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint, "
  "idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint, n_tup_hot_upd bigint")
R(pg_catalog, pg_statio_all_indexes, 12196, 'v', empty,
  "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_blks_read bigint, "
  "idx_blks_hit bigint")
R(pg_catalog, pg_statio_all_sequences, 12209, 'v', empty,
  "relid oid, schemaname name, relname name, blks_read bigint, blks_hit bigint")
R(pg_catalog, pg_statio_all_tables, 12170, 'v', pg_statio_tables,
  "relid oid, schemaname name, relname name, heap_blks_read bigint, heap_blks_hit bigint, idx_blks_read "
  "bigint, idx_blks_hit bigint, toast_blks_read bigint, toast_blks_hit bigint, tidx_blks_read bigint, "
  "tidx_blks_hit bigint")
R(pg_catalog, pg_statio_sys_indexes, 12201, 'v', empty,
  "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_blks_read bigint, "
  "idx_blks_hit bigint")
R(pg_catalog, pg_statio_sys_sequences, 12214, 'v', empty,
  "relid oid, schemaname name, relname name, blks_read bigint, blks_hit bigint")
R(pg_catalog, pg_statio_sys_tables, 12175, 'v', empty,
  "relid oid, schemaname name, relname name, heap_blks_read bigint, heap_blks_hit bigint, idx_blks_read "
  "bigint, idx_blks_hit bigint, toast_blks_read bigint, toast_blks_hit bigint, tidx_blks_read bigint, "
  "tidx_blks_hit bigint")
R(pg_catalog, pg_statio_user_indexes, 12205, 'v', empty,
  "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_blks_read bigint, "
  "idx_blks_hit bigint")
R(pg_catalog, pg_statio_user_sequences, 12218, 'v', empty,
  "relid oid, schemaname name, relname name, blks_read bigint, blks_hit bigint")
R(pg_catalog, pg_statio_user_tables, 12179, 'v', pg_statio_tables,
  "relid oid, schemaname name, relname name, heap_blks_read bigint, heap_blks_hit bigint, idx_blks_read "
  "bigint, idx_blks_hit bigint, toast_blks_read bigint, toast_blks_hit bigint, tidx_blks_read bigint, "
  "tidx_blks_hit bigint")
R(pg_catalog, pg_statistic, 2619, 'r', empty,
  "starelid oid, staattnum smallint, stainherit boolean, stanullfrac real, stawidth integer, stadistinct "
  "real, stakind1 smallint, stakind2 smallint, stakind3 smallint, stakind4 smallint, stakind5 smallint, "
  "staop1 oid, staop2 oid, staop3 oid, staop4 oid, staop5 oid, stacoll1 oid, stacoll2 oid, stacoll3 oid, "
  "stacoll4 oid, stacoll5 oid, stanumbers1 real[], stanumbers2 real[], stanumbers3 real[], stanumbers4 "
  "real[], stanumbers5 real[], stavalues1 anyarray, stavalues2 anyarray, stavalues3 anyarray, stavalues4 "
  "anyarray, stavalues5 anyarray")
R(pg_catalog, pg_statistic_ext, 3381, 'r', empty,
  "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxstattarget integer, stxkeys "
  "int2vector, stxkind char1[], stxexprs pg_node_tree")
R(pg_catalog, pg_statistic_ext_data, 3429, 'r', empty,
  "stxoid oid, stxdinherit boolean, stxdndistinct pg_ndistinct, stxddependencies pg_dependencies, stxdmcv "
  "pg_mcv_list, stxdexpr pg_statistic[]")
R(pg_catalog, pg_stats, 12053, 'v', empty,
  "schemaname name, tablename name, attname name, inherited boolean, null_frac real, avg_width integer, "
  "n_distinct real, most_common_vals anyarray, most_common_freqs real[], histogram_bounds anyarray, "
  "correlation real, most_common_elems anyarray, most_common_elem_freqs real[], elem_count_histogram real[]")
R(pg_catalog, pg_stats_ext, 12058, 'v', empty,
  "schemaname name, tablename name, statistics_schemaname name, statistics_name name, statistics_owner name, "
  "attnames name[], exprs text[], kinds char1[], inherited boolean, n_distinct pg_ndistinct, dependencies "
  "pg_dependencies, most_common_vals text[], most_common_val_nulls boolean[], most_common_freqs double "
  "precision[], most_common_base_freqs double precision[]")
R(pg_catalog, pg_stats_ext_exprs, 12063, 'v', empty,
  "schemaname name, tablename name, statistics_schemaname name, statistics_name name, statistics_owner name, "
  "expr text, inherited boolean, null_frac real, avg_width integer, n_distinct real, most_common_vals "
  "anyarray, most_common_freqs real[], histogram_bounds anyarray, correlation real, most_common_elems "
  "anyarray, most_common_elem_freqs real[], elem_count_histogram real[]")
R(pg_catalog, pg_subscription, 6100, 'r', empty,
  "oid oid, subdbid oid, subskiplsn pg_lsn, subname name, subowner oid, subenabled boolean, subbinary "
  "boolean, substream boolean, subtwophasestate char1, subdisableonerr boolean, subconninfo text, subslotname "
  "name, subsynccommit text, subpublications text[]")
R(pg_catalog, pg_subscription_rel, 6102, 'r', empty,
  "srsubid oid, srrelid oid, srsubstate char1, srsublsn pg_lsn")
R(pg_catalog, pg_tables, 12033, 'v', pg_tables,
  "schemaname name, tablename name, tableowner name, tablespace name, hasindexes boolean, hasrules boolean, "
  "hastriggers boolean, rowsecurity boolean")
R(pg_catalog, pg_tablespace, 1213, 'r', pg_tablespace,
  "oid oid, spcname name, spcowner oid, spcacl aclitem[], spcoptions text[]")
R(pg_catalog, pg_timezone_abbrevs, 12122, 'v', empty,
  "abbrev text, utc_offset interval, is_dst boolean")
R(pg_catalog, pg_timezone_names, 12126, 'v', empty,
  "name text, abbrev text, utc_offset interval, is_dst boolean")
R(pg_catalog, pg_transform, 3576, 'r', empty,
  "oid oid, trftype oid, trflang oid, trffromsql regproc, trftosql regproc")
R(pg_catalog, pg_trigger, 2620, 'r', empty,
  "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype smallint, tgenabled char1, "
  "tgisinternal boolean, tgconstrrelid oid, tgconstrindid oid, tgconstraint oid, tgdeferrable boolean, "
  "tginitdeferred boolean, tgnargs smallint, tgattr int2vector, tgargs bytea, tgqual pg_node_tree, tgoldtable "
  "name, tgnewtable name")
R(pg_catalog, pg_ts_config, 3602, 'r', empty,
  "oid oid, cfgname name, cfgnamespace oid, cfgowner oid, cfgparser oid")
R(pg_catalog, pg_ts_config_map, 3603, 'r', empty,
  "mapcfg oid, maptokentype integer, mapseqno integer, mapdict oid")
R(pg_catalog, pg_ts_dict, 3600, 'r', empty,
  "oid oid, dictname name, dictnamespace oid, dictowner oid, dicttemplate oid, dictinitoption text")
R(pg_catalog, pg_ts_parser, 3601, 'r', empty,
  "oid oid, prsname name, prsnamespace oid, prsstart regproc, prstoken regproc, prsend regproc, prsheadline "
  "regproc, prslextype regproc")
R(pg_catalog, pg_ts_template, 3764, 'r', empty,
  "oid oid, tmplname name, tmplnamespace oid, tmplinit regproc, tmpllexize regproc")
R(pg_catalog, pg_type, 1247, 'r', pg_type,
  "oid oid, typname name, typnamespace oid, typowner oid, typlen smallint, typbyval boolean, typtype char1, "
  "typcategory char1, typispreferred boolean, typisdefined boolean, typdelim char1, typrelid oid, "
  "typsubscript regproc, typelem oid, typarray oid, typinput regproc, typoutput regproc, typreceive regproc, "
  "typsend regproc, typmodin regproc, typmodout regproc, typanalyze regproc, typalign char1, typstorage "
  "char1, typnotnull boolean, typbasetype oid, typtypmod integer, typndims integer, typcollation oid, "
  "typdefaultbin pg_node_tree, typdefault text, typacl aclitem[]")
R(pg_catalog, pg_user, 12014, 'v', pg_user,
  "usename name, usesysid oid, usecreatedb boolean, usesuper boolean, userepl boolean, usebypassrls boolean, "
  "passwd text, valuntil timestamp with time zone, useconfig text[]")
R(pg_catalog, pg_user_mapping, 1418, 'r', empty,
  "oid oid, umuser oid, umserver oid, umoptions text[]")
R(pg_catalog, pg_user_mappings, 12327, 'v', empty,
  "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]")
R(pg_catalog, pg_views, 12028, 'v', pg_views,
  "schemaname name, viewname name, viewowner name, definition text")

/* Functions of pg_catalog that list things: found in FROM by their name with parentheses, not among the relations. */
R(pg_function, pg_get_keywords, 1686, 'f', pg_get_keywords,
  "word text, catcode char1, barelabel boolean, catdesc text, baredesc text")
R(pg_function, pg_listening_channels, 3035, 'f', empty,
  "pg_listening_channels text")
R(pg_function, pg_options_to_table, 2289, 'f', empty,
  "option_name text, option_value text")
R(pg_function, pg_partition_ancestors, 3425, 'f', empty,
  "relid regclass")
R(pg_function, pg_partition_tree, 3423, 'f', empty,
  "relid regclass, parentrelid regclass, isleaf boolean, level integer")
R(pg_function, pg_show_all_settings, 2084, 'f', pg_settings,
  "name text, setting text, unit text, category text, short_desc text, extra_desc text, context text, vartype "
  "text, source text, min_val text, max_val text, enumvals text[], boot_val text, reset_val text, sourcefile "
  "text, sourceline integer, pending_restart boolean")
