/* SPDX-License-Identifier: Apache-2.0
 * deparse_object.c - sequences, roles, grants, comments, extensions back to text. */
#include "sql/parse/deparse_internal.h"

static void put_name_items(Deparser *d, const AstName *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__name(d, &names[i]);
    }
}

static void put_names_items(Deparser *d, const AstNames *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_comma(d, i);
        deparse__names(d, &names[i]);
    }
}

/* ---------------------------------------------------------------- sequences */

static void put_number_option(Deparser *d, const AstSequenceOptions *options, uint32_t bit, const char *words, int64_t number) {
    if ((options->given & bit) != 0) {
        buffer_printf(d->out, " %s %lld", words, (long long)number);
    }
}

static void put_word_option(Deparser *d, const AstSequenceOptions *options, uint32_t bit, const char *words) {
    put(d, (options->given & bit) != 0 ? words : "");
}

void deparse__sequence_options(Deparser *d, const AstSequenceOptions *options) {
    if ((options->given & AST_SEQUENCE_NAME) != 0) {
        put(d, " SEQUENCE NAME ");
        deparse__names(d, &options->name);
    }
    if ((options->given & AST_SEQUENCE_TYPE) != 0) {
        put(d, " AS ");
        deparse__type(d, options->type);
    }
    put_number_option(d, options, AST_SEQUENCE_INCREMENT, "INCREMENT BY", options->increment);
    put_number_option(d, options, AST_SEQUENCE_MINIMUM, "MINVALUE", options->minimum);
    put_word_option(d, options, AST_SEQUENCE_NO_MINIMUM, " NO MINVALUE");
    put_number_option(d, options, AST_SEQUENCE_MAXIMUM, "MAXVALUE", options->maximum);
    put_word_option(d, options, AST_SEQUENCE_NO_MAXIMUM, " NO MAXVALUE");
    put_number_option(d, options, AST_SEQUENCE_START, "START WITH", options->start);
    put_word_option(d, options, AST_SEQUENCE_RESTART, " RESTART");
    put_number_option(d, options, AST_SEQUENCE_RESTART_WITH, "WITH", options->restart);
    put_number_option(d, options, AST_SEQUENCE_CACHE, "CACHE", options->cache);
    put_word_option(d, options, AST_SEQUENCE_CYCLE, " CYCLE");
    put_word_option(d, options, AST_SEQUENCE_NO_CYCLE, " NO CYCLE");
    if ((options->given & AST_SEQUENCE_OWNED) != 0) {
        put(d, options->owned_by.count == 0 ? " OWNED BY NONE" : " OWNED BY ");
        deparse__names(d, &options->owned_by);
    }
}

void deparse__sequence(Deparser *d, const AstStatement *statement) {
    const AstSequence *sequence = statement->as.sequence;
    put(d, sequence->alter ? "ALTER " : "CREATE ");
    put(d, sequence->temporary ? "TEMPORARY " : "");
    put(d, "SEQUENCE ");
    put(d, sequence->if_not_exists ? "IF NOT EXISTS " : sequence->if_exists ? "IF EXISTS " : "");
    deparse__names(d, &sequence->name);
    deparse__sequence_options(d, &sequence->options);
}

/* ---------------------------------------------------------------- roles */

static void put_flag(Deparser *d, int8_t flag, const char *word) {
    if (flag >= 0) {
        put(d, flag > 0 ? " " : " NO");
        put(d, word);
    }
}

static void put_roles(Deparser *d, const char *words, const AstName *names, uint32_t count) {
    if (count > 0) {
        put(d, words);
        put_name_items(d, names, count);
    }
}

void deparse__role(Deparser *d, const AstStatement *statement) {
    const AstRole *role = statement->as.role;
    put(d, role->alter ? "ALTER " : "CREATE ");
    buffer_append_upper(d->out, role->object);
    put(d, " ");
    deparse__name(d, &role->name);
    put_flag(d, role->superuser, "SUPERUSER");
    put_flag(d, role->inherit, "INHERIT");
    put_flag(d, role->create_role, "CREATEROLE");
    put_flag(d, role->create_db, "CREATEDB");
    put_flag(d, role->login, "LOGIN");
    put_flag(d, role->replication, "REPLICATION");
    put_flag(d, role->bypass_rls, "BYPASSRLS");
    if (role->connection_limit_given) {
        buffer_printf(d->out, " CONNECTION LIMIT %lld", (long long)role->connection_limit);
    }
    if (role->password_given) {
        put(d, " PASSWORD ");
        deparse__expr(d, role->password);
    }
    if (role->valid_until_given) {
        put(d, " VALID UNTIL ");
        deparse__expr(d, role->valid_until);
    }
    put_roles(d, " IN ROLE ", role->in_roles, role->in_role_count);
    put_roles(d, role->alter ? role->drops_members ? " DROP USER " : " ADD USER " : " ROLE ", role->members, role->member_count);
    put_roles(d, " ADMIN ", role->admins, role->admin_count);
}

void deparse__object_setting(Deparser *d, const AstStatement *statement) {
    const AstObjectSetting *setting = statement->as.object_setting;
    put(d, "ALTER ");
    buffer_append_upper(d->out, setting->object);
    put(d, " ");
    if (setting->all_roles) {
        put(d, "ALL");
    } else {
        deparse__name(d, &setting->name);
    }
    if (setting->database != NULL) {
        put(d, " IN DATABASE ");
        deparse__name(d, setting->database);
    }
    put(d, " ");
    deparse__statement(d, setting->set);
}

void deparse__owned(Deparser *d, const AstStatement *statement) {
    const AstOwned *owned = statement->as.owned;
    put(d, owned->drop ? "DROP OWNED BY " : "REASSIGN OWNED BY ");
    put_name_items(d, owned->roles, owned->role_count);
    if (!owned->drop) {
        put(d, " TO ");
        deparse__name(d, &owned->to);
    }
    put(d, owned->cascade ? " CASCADE" : "");
}

/* ---------------------------------------------------------------- grants */

static void put_privileges(Deparser *d, const AstGrant *grant) {
    for (uint32_t i = 0; i < grant->privilege_count; i++) {
        const AstPrivilege *privilege = &grant->privileges[i];
        put_comma(d, i);
        if (grant->of_roles) {
            deparse__name(d, &(AstName){.text = privilege->name});
        } else {
            buffer_append_upper(d->out, privilege->name.len == 0 ? STR("all") : privilege->name);
        }
        if (privilege->column_count > 0) {
            put(d, " ");
            deparse__name_list(d, privilege->columns, privilege->column_count);
        }
    }
}

static void put_default_head(Deparser *d, const AstGrant *grant) {
    put(d, "ALTER DEFAULT PRIVILEGES ");
    put_roles(d, "FOR ROLE ", grant->for_roles, grant->for_role_count);
    put(d, grant->for_role_count > 0 ? " " : "");
    if (grant->in_schemas) {
        put(d, "IN SCHEMA ");
        put_names_items(d, grant->objects, grant->object_count);
        put(d, " ");
    }
}

static void put_targets(Deparser *d, const AstGrant *grant) {
    if (grant->of_roles) {
        return;
    }
    put(d, grant->in_schemas && !grant->defaults ? " ON ALL " : " ON ");
    buffer_append_upper(d->out, grant->object);
    if (grant->defaults) {
        put(d, "S");
        return;
    }
    put(d, grant->in_schemas ? "S IN SCHEMA " : " ");
    put_names_items(d, grant->objects, grant->object_count);
}

static const char *membership_words(const AstMembership *membership, const char *admin, const char *inherit, const char *set) {
    return membership->admin >= 0 ? admin : membership->inherit >= 0 ? inherit : membership->set >= 0 ? set : "";
}

static void put_membership(Deparser *d, const AstMembership *membership) {
    const struct { const char *word; int8_t value; } OPTIONS[] = {{"ADMIN ", membership->admin}, {"INHERIT ", membership->inherit}, {"SET ", membership->set}};
    const char *before = " WITH ";
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        if (OPTIONS[i].value >= 0) {
            put(d, before);
            put(d, OPTIONS[i].word);
            put(d, OPTIONS[i].value > 0 ? "TRUE" : "FALSE");
            before = ", ";
        }
    }
}

void deparse__grant(Deparser *d, const AstStatement *statement) {
    const AstGrant *grant = statement->as.grant;
    if (grant->defaults) {
        put_default_head(d, grant);
    }
    put(d, grant->revoke ? "REVOKE " : "GRANT ");
    put(d, grant->option_only ? "GRANT OPTION FOR " : "");
    put(d, grant->revoke ? membership_words(&grant->membership, "ADMIN OPTION FOR ", "INHERIT OPTION FOR ", "SET OPTION FOR ") : "");
    put_privileges(d, grant);
    put_targets(d, grant);
    put(d, grant->revoke ? " FROM " : " TO ");
    put_name_items(d, grant->grantees, grant->grantee_count);
    put(d, grant->with_option ? " WITH GRANT OPTION" : "");
    if (!grant->revoke) {
        put_membership(d, &grant->membership);
    }
    put(d, grant->cascade ? " CASCADE" : "");
}

/* ---------------------------------------------------------------- types */

static void put_enum(Deparser *d, const AstUserType *type) {
    put(d, "CREATE TYPE ");
    deparse__names(d, &type->name);
    put(d, " AS ENUM (");
    for (uint32_t i = 0; i < type->label_count; i++) {
        put_comma(d, i);
        deparse__string(d, type->labels[i].text);
    }
    put(d, ")");
}

static void put_domain_constraints(Deparser *d, const AstUserType *type) {
    for (uint32_t i = 0; i < type->constraint_count; i++) {
        put(d, " ");
        deparse__constraint(d, &type->constraints[i]);
    }
}

static void put_domain(Deparser *d, const AstUserType *type) {
    put(d, "CREATE DOMAIN ");
    deparse__names(d, &type->name);
    put(d, " AS ");
    deparse__type(d, type->base);
    if (type->collation != NULL) {
        put(d, " COLLATE ");
        deparse__names(d, type->collation);
    }
    put_domain_constraints(d, type);
}

static void put_alter_domain(Deparser *d, const AstUserType *type) {
    put(d, "ALTER DOMAIN ");
    deparse__names(d, &type->name);
    switch (type->kind) {
    case AST_DOMAIN_SET_DEFAULT: put(d, " SET"); break;
    case AST_DOMAIN_DROP_DEFAULT: put(d, " DROP DEFAULT"); break;
    case AST_DOMAIN_SET_NOT_NULL: put(d, " SET NOT NULL"); break;
    case AST_DOMAIN_DROP_NOT_NULL: put(d, " DROP NOT NULL"); break;
    case AST_DOMAIN_ADD: put(d, " ADD"); break;
    case AST_DOMAIN_DROP: put(d, type->if_exists ? " DROP CONSTRAINT IF EXISTS " : " DROP CONSTRAINT "); break;
    case AST_DOMAIN_RENAME: put(d, " RENAME CONSTRAINT "); break;
    default: put(d, " VALIDATE CONSTRAINT "); break;
    }
    put_domain_constraints(d, type);
    if (type->constraint.text.len > 0) {
        deparse__name(d, &type->constraint);
    }
    if (type->new_name.text.len > 0) {
        put(d, " TO ");
        deparse__name(d, &type->new_name);
    }
    put(d, type->cascade ? " CASCADE" : "");
}

void deparse__user_type(Deparser *d, const AstStatement *statement) {
    const AstUserType *type = statement->as.user_type;
    if (type->kind >= AST_CREATE_DOMAIN) {
        (type->kind == AST_CREATE_DOMAIN ? put_domain : put_alter_domain)(d, type);
        return;
    }
    if (type->kind == AST_CREATE_ENUM) {
        put_enum(d, type);
        return;
    }
    bool rename = type->kind == AST_RENAME_VALUE;
    put(d, "ALTER TYPE ");
    deparse__names(d, &type->name);
    put(d, rename ? " RENAME VALUE " : type->if_not_exists ? " ADD VALUE IF NOT EXISTS " : " ADD VALUE ");
    deparse__string(d, type->label.text);
    if (rename || type->before || type->after) {
        put(d, rename ? " TO " : type->before ? " BEFORE " : " AFTER ");
        deparse__string(d, rename ? type->new_label.text : type->neighbor.text);
    }
}

/* ---------------------------------------------------------------- comments, extensions */

void deparse__comment(Deparser *d, const AstStatement *statement) {
    const AstComment *comment = statement->as.comment;
    put(d, "COMMENT ON ");
    buffer_append_upper(d->out, comment->object);
    put(d, " ");
    deparse__names(d, &comment->name);
    if (comment->on_table.count > 0) {
        put(d, " ON ");
        deparse__names(d, &comment->on_table);
    }
    put(d, " IS ");
    deparse__expr(d, comment->text);
}

void deparse__extension(Deparser *d, const AstStatement *statement) {
    const AstExtension *extension = statement->as.extension;
    put(d, extension->if_not_exists ? "CREATE EXTENSION IF NOT EXISTS " : "CREATE EXTENSION ");
    deparse__name(d, &extension->name);
    if (extension->schema != NULL) {
        put(d, " SCHEMA ");
        deparse__name(d, extension->schema);
    }
    if (extension->version.len > 0) {
        put(d, " VERSION ");
        deparse__string(d, extension->version);
    }
    put(d, extension->cascade ? " CASCADE" : "");
}
