/* SPDX-License-Identifier: Apache-2.0
 * produce_domain.c - domains: information_schema.domains, their checks in pg_constraint and information_schema. */
#include "catalog/user_type.h"
#include "sql/system/define.h"
#include "sql/system/print.h"
#include "sql/system/produce.h"

bool next_domain(SystemView *view, size_t *cursor, const CatalogObject **object_out, TypeBody *body_out) {
    while (view->inner->object_next(view->inner, OBJECT_TYPE, cursor, object_out)) {
        if (type_body_decode((*object_out)->body, view->arena, body_out, NULL) == ERR_OK && body_out->kind == TYPE_KIND_DOMAIN) {
            return true;
        }
    }
    return false;
}

static void define_check(SystemView *view, const TypeBody *body, const DomainCheck *check, bool pretty, Buffer *out) {
    buffer_append_str(out, STR("CHECK ("));
    print_expression(view, &(PrintOptions){.text = check->text, .dialect = DIALECT_POSTGRES, .value = type_oid_of(body->base), .pretty = pretty, .parens = !pretty}, out);
    buffer_append_str(out, check->validated ? STR(")") : STR(") NOT VALID"));
}

static void put_check(SystemView *view, SystemRows *rows, const CatalogObject *domain, const TypeBody *body, const DomainCheck *check) {
    Buffer text;
    row_begin(rows);
    put_oid(rows, oid_of_object(check->id));
    put_text(rows, check->name);
    put_oid(rows, schema_oid(domain->schema_id));
    put_char(rows, 'c');
    put_bool(rows, false);
    put_bool(rows, false);
    put_bool(rows, check->validated);
    put_oid(rows, 0);
    put_oid(rows, oid_of_object(domain->id));
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_oid(rows, 0);
    put_char(rows, ' ');
    put_char(rows, ' ');
    put_char(rows, ' ');
    put_bool(rows, true);
    put_int(rows, 0);
    put_bool(rows, false);
    put_nulls(rows, 7);
    buffer_init(&text, DEFINITION_BYTES_MAX); /* with its casts, which pg_get_expr cannot find out: it is not told of which type VALUE is */
    print_expression(view, &(PrintOptions){.text = check->text, .dialect = DIALECT_POSTGRES, .value = type_oid_of(body->base), .pretty = true}, &text);
    put_text(rows, buffer_str(&text));
    buffer_deinit(&text);
    row_end(rows);
}

void put_domain_checks(SystemView *view, SystemRows *rows) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        for (uint16_t i = 0; i < body.check_count; i++) {
            put_check(view, rows, domain, &body, &body.checks[i]);
        }
    }
}

bool define_domain_check(SystemView *view, uint32_t oid, bool pretty, Buffer *out) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        for (uint16_t i = 0; i < body.check_count; i++) {
            if (oid_of_object(body.checks[i].id) == oid) {
                define_check(view, &body, &body.checks[i], pretty, out);
                return true;
            }
        }
    }
    return false;
}

/* ---- information_schema ---- */

static void put_place(SystemView *view, SystemRows *rows, const CatalogObject *domain) {
    put_catalog(view, rows);
    put_text(rows, schema_name(view, domain->schema_id));
}

ErrorCode system_rows_info_domains(SystemView *view, SystemRows *rows, Error *err) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    (void)err;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        row_begin(rows);
        put_place(view, rows, domain);
        put_text(rows, domain->name);
        put_type_shape(rows, body.base);
        put_filled(rows, body.default_text);
        put_catalog(view, rows);
        put_udt(view, rows, body.base);
        put_nulls(rows, 4);
        put_c(rows, "1");
        row_end(rows);
    }
    return ERR_OK;
}

void put_domain_check_clauses(SystemView *view, SystemRows *rows) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        for (uint16_t i = 0; i < body.check_count; i++) {
            Buffer text;
            buffer_init(&text, DEFINITION_BYTES_MAX);
            define_check(view, &body, &body.checks[i], false, &text);
            row_begin(rows);
            put_place(view, rows, domain);
            put_text(rows, body.checks[i].name);
            put_text(rows, str_slice(buffer_str(&text), sizeof "CHECK " - 1, buffer_str(&text).len));
            row_end(rows);
            buffer_deinit(&text);
        }
    }
}

ErrorCode system_rows_info_domain_constraints(SystemView *view, SystemRows *rows, Error *err) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    (void)err;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        for (uint16_t i = 0; i < body.check_count; i++) {
            row_begin(rows);
            put_place(view, rows, domain);
            put_text(rows, body.checks[i].name);
            put_place(view, rows, domain);
            put_text(rows, domain->name);
            put_yes(rows, false);
            put_yes(rows, false);
            row_end(rows);
        }
    }
    return ERR_OK;
}

ErrorCode system_rows_info_domain_udt_usage(SystemView *view, SystemRows *rows, Error *err) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    (void)err;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        row_begin(rows);
        put_catalog(view, rows);
        put_udt(view, rows, body.base);
        put_place(view, rows, domain);
        put_text(rows, domain->name);
        row_end(rows);
    }
    return ERR_OK;
}

ErrorCode system_rows_info_column_domain_usage(SystemView *view, SystemRows *rows, Error *err) {
    RelationWalk walk = {0};
    AnyRelation table;
    (void)err;
    while (next_user_table(view, &walk, &table)) {
        for (uint16_t c = 0; c < table.def->column_count; c++) {
            const ColumnDef *column = &table.def->columns[c];
            const CatalogObject *domain = column->domain_id == 0 ? NULL : view->inner->object_by_id(view->inner, column->domain_id);
            if (domain == NULL) {
                continue;
            }
            row_begin(rows);
            put_place(view, rows, domain);
            put_text(rows, domain->name);
            put_catalog(view, rows);
            put_text(rows, table.schema_name);
            put_text(rows, table.name);
            put_text(rows, column->name);
            row_end(rows);
        }
    }
    return ERR_OK;
}
