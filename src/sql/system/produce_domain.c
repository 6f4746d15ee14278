/* SPDX-License-Identifier: Apache-2.0
 * produce_domain.c - domains: information_schema.domains, their checks in pg_constraint and information_schema. */
#include "catalog/user_type.h"
#include "sql/system/define.h"
#include "sql/system/produce.h"

bool next_domain(SystemView *view, size_t *cursor, const CatalogObject **object_out, TypeBody *body_out) {
    while (view->inner->object_next(view->inner, OBJECT_TYPE, cursor, object_out)) {
        if (type_body_decode((*object_out)->body, view->arena, body_out, NULL) == ERR_OK && body_out->kind == TYPE_KIND_DOMAIN) {
            return true;
        }
    }
    return false;
}

static void put_check(SystemRows *rows, const CatalogObject *domain, const DomainCheck *check) {
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
    row_end(rows);
}

void put_domain_checks(SystemView *view, SystemRows *rows) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        for (uint16_t i = 0; i < body.check_count; i++) {
            put_check(rows, domain, &body.checks[i]);
        }
    }
}

bool define_domain_check(SystemView *view, uint32_t oid, Buffer *out) {
    const CatalogObject *domain = NULL;
    TypeBody body;
    for (size_t cursor = 0; next_domain(view, &cursor, &domain, &body);) {
        for (uint16_t i = 0; i < body.check_count; i++) {
            if (oid_of_object(body.checks[i].id) == oid) {
                buffer_printf(out, "CHECK ((%.*s))%s", STR_ARG(body.checks[i].text), body.checks[i].validated ? "" : " NOT VALID");
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
