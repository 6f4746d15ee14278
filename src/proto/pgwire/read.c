/* SPDX-License-Identifier: Apache-2.0
 * read.c - the client's messages that are a few texts and numbers, and the table of all. */
#include "proto/pgwire/pgwire_internal.h"

const char *pgwire_frontend_name(PgFrontend type) {
    switch (type) {
#define X(name, byte, least, most)                                                                                     \
    case PG_##name:                                                                                                    \
        return #name;
        PGWIRE_FRONTEND(X)
#undef X
    }
    return "unknown";
}

ErrorCode pgwire_read_query(Bytes body, PgQuery *query_out, Error *err) {
    Fields fields = pgwire__fields(body);
    *query_out = (PgQuery){pgwire__text(&fields)};
    TRY(pgwire__fields_end(&fields, err));
    return pgwire_text_check(query_out->text, err);
}

ErrorCode pgwire_read_target(PgFrontend type, Bytes body, PgTarget *target_out, Error *err) {
    assert(type == PG_DESCRIBE || type == PG_CLOSE);
    Fields fields = pgwire__fields(body);
    target_out->kind = (char)pgwire__u8(&fields);
    target_out->name = pgwire__text(&fields);
    TRY(pgwire__fields_end(&fields, err));
    if (target_out->kind != 'S' && target_out->kind != 'P') {
        return error_set(err, ERR_PROTOCOL, 0, "invalid %s message subtype %d", pgwire_frontend_name(type), target_out->kind);
    }
    return pgwire_text_check(target_out->name, err);
}

ErrorCode pgwire_read_execute(Bytes body, PgExecute *execute_out, Error *err) {
    Fields fields = pgwire__fields(body);
    execute_out->portal = pgwire__text(&fields);
    int32_t row_max = (int32_t)pgwire__u32(&fields);
    execute_out->row_max = row_max < 0 ? 0 : (uint32_t)row_max;
    TRY(pgwire__fields_end(&fields, err));
    return pgwire_text_check(execute_out->portal, err);
}

ErrorCode pgwire_read_copy_fail(Bytes body, Str *reason_out, Error *err) {
    Fields fields = pgwire__fields(body);
    *reason_out = pgwire__text(&fields);
    TRY(pgwire__fields_end(&fields, err));
    return pgwire_text_check(*reason_out, err);
}

ErrorCode pgwire_read_password(Bytes body, Str *password_out, Error *err) {
    Fields fields = pgwire__fields(body);
    *password_out = pgwire__text(&fields);
    return pgwire__fields_end(&fields, err);
}

ErrorCode pgwire_read_sasl_initial(Bytes body, PgSaslInitial *initial_out, Error *err) {
    Fields fields = pgwire__fields(body);
    *initial_out = (PgSaslInitial){.mechanism = pgwire__text(&fields)};
    uint32_t len = pgwire__u32(&fields);
    if (len != UINT32_MAX) {
        initial_out->data = pgwire__bytes(&fields, len);
    }
    return pgwire__fields_end(&fields, err);
}
